/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ETE_INI_H
#define ETE_INI_H
/*
 * The text files of a snapshot: sections of key=value (ARM-ECM-0611873, "INI files").
 */
#include "base/base.h"

struct ete_ini_key {
	const char *key, *value; /* blanks trimmed */
	unsigned line;
};

struct ete_ini_section {
	const char *name;
	unsigned line;
	size_t first, n; /* its keys */
};

struct ete_ini {
	struct cairn *cairn;
	char *path, *text;
	struct ete_ini_section *sections;
	struct ete_ini_key *keys;
	size_t n_sections, n_keys;
};

/* Read a file. Errors, with a sentence that names file and line: CAIRN_E_NOTFOUND,
 * CAIRN_E_IO, CAIRN_E_DAMAGED, CAIRN_E_LIMIT, CAIRN_E_NOMEM. */
int ete_ini_open(struct cairn *cairn, const char *path, struct ete_ini *ini);
/* The same of text in memory; `path` is for the sentences. */
int ete_ini_parse(struct cairn *cairn, const char *path, const uint8_t *text, size_t n,
                  struct ete_ini *ini);
void ete_ini_free(struct ete_ini *ini);

/* The first section of that name, or NULL. Case does not matter, here and below. */
const struct ete_ini_section *ete_ini_section(const struct ete_ini *ini, const char *name);
/* A key of a section, or NULL. */
const struct ete_ini_key *ete_ini_find(const struct ete_ini *ini,
                                       const struct ete_ini_section *section, const char *key);
/* The value of a key that must be there: CAIRN_E_DAMAGED with a sentence when not. */
int ete_ini_need(const struct ete_ini *ini, const struct ete_ini_section *section, const char *key,
                 const struct ete_ini_key **out);
/* A number, decimal or 0x: CAIRN_E_DAMAGED with a sentence when it is none. */
int ete_ini_number(const struct ete_ini *ini, const struct ete_ini_key *key, uint64_t *out);
/* The next word of a list divided by commas, without blanks; false at the end. */
bool ete_ini_word(const char **list, const char **word, size_t *n);

#endif
