/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KIT_OPTIONS_H
#define KIT_OPTIONS_H
/*
 * The options of a format: what follows its name in --from and --to,
 *     stf:version=1.4,events=32
 * A format has one table for reading and one for writing. Parsing, the sentences that refuse,
 * and the lists in help all come from them.
 */
#include <stddef.h>
#include <stdint.h>

#include "cairn/base.h"

enum kit_option_kind {
	KIT_NUMBER, /* a number, decimal or 0x…, from `least` to `most` */
	KIT_ONE_OF, /* one of the numbers that `values` lists */
	KIT_WORD, /* one of the words that `values` lists; the first is `least`, the next `least` + 1 … */
	KIT_FLAG,    /* no value: the name alone is `least` */
	KIT_VERSION, /* MAJOR.MINOR, kept as major << 8 | minor, from `least` to `most` */
	KIT_TEXT     /* any text that fits; `size` bytes with the NUL */
};

struct kit_option {
	const char *name;
	const char *values; /* as the lists show them: "32|64", "BYTES"; NULL: it takes none */
	const char *help;   /* what it does: "width of event ids" */
	uint8_t kind;       /* enum kit_option_kind */
	uint8_t size;       /* of the member that gets the value: 1, 2, 4 or 8; of KIT_TEXT any */
	uint16_t at;        /* its offset in the struct that kit_options_parse fills */
	uint64_t least, most;
	const uint8_t *codes; /* of KIT_WORD: what the words stand for; NULL: `least` and on */
};

/* Where a value goes: KIT_AT(struct stf_options, ids). */
#define KIT_AT(type, member) .at = offsetof(type, member), .size = sizeof((type *)0)->member

struct kit_options {
	const char *name;  /* of the format, in lower case: "stf" */
	const char *doing; /* "reading STF" */
	const struct kit_option *option;
	size_t count; /* 64 at most */
};

/* Fill the members of `*to` that `text` ("KEY=VALUE,…") names; bit i of `*given` is set for
 * option i (NULL: not wanted). CAIRN_E_INVAL with a sentence. */
int kit_options_parse(struct cairn *cairn, const struct kit_options *set, const char *text,
                      void *to, uint64_t *given);
/* One of them: `n` bytes. */
int kit_option_parse(struct cairn *cairn, const struct kit_options *set, const char *text, size_t n,
                     void *to, uint64_t *given);
/* "version=1.2…1.6, events=32|64": as much as fits; returns the whole length, as snprintf does. */
size_t kit_options_list(const struct kit_options *set, char *buf, size_t size);

#endif
