/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sections of key=value. A line that breaks the rules is refused with its place: these files
 * decide how everything else is read, so a wrong guess would spoil all of it.
 *
 * Keys and values point into the text, where they are terminated. A key that comes twice in a
 * section is an error, except in sections that map names to names, where real tools write one
 * left side several times (one core, several sessions).
 */
#include <string.h>
#include <strings.h>

#include "formats/ete/read/ini.h"
#include "io/io.h"

enum { PIECE = 4096, MAX_FILE = 4 << 20, MAX_SECTIONS = 65536, MAX_SECTION_KEYS = 1024 };

static int ini_wrong(const struct ete_ini *ini, unsigned line, const char *what, const char *text)
{
	return base_fail(ini->cairn, CAIRN_E_DAMAGED, "%s: line %u: %s%s%.80s%s", ini->path, line, what,
	                 text ? " '" : "", text ? text : "", text ? "'" : "");
}

/* The piece without blanks around it, ended in place. */
static char *ini_trim(char *from, char *to)
{
	while (from < to && strchr(" \t\r\v\f", *from))
		from++;
	while (to > from && strchr(" \t\r\v\f", to[-1]))
		to--;
	*to = 0;
	return from;
}

static char *unquote(char *text)
{
	size_t n = strlen(text);
	if (n < 2 || (*text != '"' && *text != '\'') || text[n - 1] != *text)
		return text;
	text[n - 1] = 0;
	return text + 1;
}

static int add_section(struct ete_ini *ini, char *name, unsigned line)
{
	if (ini->n_sections == MAX_SECTIONS)
		return base_fail(ini->cairn, CAIRN_E_LIMIT, "%s: line %u: more than %d sections", ini->path,
		                 line, MAX_SECTIONS);
	struct ete_ini_section *section =
		base_append(ini->cairn, &ini->sections, &ini->n_sections, sizeof *section);
	if (!section)
		return CAIRN_E_NOMEM;
	*section = (struct ete_ini_section){name, line, ini->n_keys, 0};
	return 0;
}

/* Does the section map names to names? */
static bool may_repeat(const struct ete_ini_section *section)
{
	return !strcasecmp(section->name, "core_trace_sources") ||
	       !strcasecmp(section->name, "source_buffers") || !strcasecmp(section->name, "clusters");
}

static int add_key(struct ete_ini *ini, char *key, char *value, unsigned line)
{
	if (ini->n_sections == 0)
		return ini_wrong(ini, line, "a key before the first [section]:", key);
	struct ete_ini_section *section = &ini->sections[ini->n_sections - 1];
	const struct ete_ini_key *old = may_repeat(section) ? NULL : ete_ini_find(ini, section, key);
	if (old)
		return base_fail(ini->cairn, CAIRN_E_DAMAGED,
		                 "%s: line %u: '%.80s' was given in line %u already", ini->path, line, key,
		                 old->line);
	if (section->n == MAX_SECTION_KEYS && !may_repeat(section))
		return base_fail(ini->cairn, CAIRN_E_LIMIT, "%s: line %u: more than %d keys in a section",
		                 ini->path, line, MAX_SECTION_KEYS);
	struct ete_ini_key *row = base_append(ini->cairn, &ini->keys, &ini->n_keys, sizeof *row);
	if (!row)
		return CAIRN_E_NOMEM;
	*row = (struct ete_ini_key){key, value, line};
	section->n++;
	return 0;
}

static int ini_take_line(struct ete_ini *ini, char *from, char *to, unsigned line)
{
	char *end = from + strcspn(from, ";#");
	char *s = ini_trim(from, end < to ? end : to);
	size_t n = strlen(s);
	if (n == 0)
		return 0;
	if (*s == '[') {
		if (s[n - 1] != ']')
			return ini_wrong(ini, line, "a section without its ']':", s);
		return add_section(ini, ini_trim(s + 1, s + n - 1), line);
	}
	char *equals = strchr(s, '=');
	if (!equals || equals == s)
		return ini_wrong(ini, line, "neither [section] nor key=value:", s);
	char *value = unquote(ini_trim(equals + 1, s + n));
	return add_key(ini, ini_trim(s, equals), value, line);
}

int ete_ini_parse(struct cairn *cairn, const char *path, const uint8_t *text, size_t n,
                  struct ete_ini *ini)
{
	unsigned line = 1;
	int rc = 0;
	*ini = (struct ete_ini){.cairn = cairn};
	ini->path = base_strdup(cairn, path);
	ini->text = base_alloc(cairn, n + 1);
	if (!ini->path || !ini->text)
		rc = CAIRN_E_NOMEM;
	else if (n)
		memcpy(ini->text, text, n);
	if (rc >= 0 && memchr(ini->text, 0, n))
		rc = base_fail(cairn, CAIRN_E_DAMAGED, "%s: not a text file: it contains a byte 0", path);
	for (char *p = ini->text; rc >= 0 && *p; line++) {
		char *end = p + strcspn(p, "\n"), *next = end + (*end == '\n');
		*end = 0;
		rc = ini_take_line(ini, p, end, line);
		p = next;
	}
	if (rc < 0)
		ete_ini_free(ini);
	return rc;
}

int ete_ini_open(struct cairn *cairn, const char *path, struct ete_ini *ini)
{
	struct io_source *io;
	struct base_buf buf;
	int64_t got = 1;
	*ini = (struct ete_ini){.cairn = cairn};
	int rc = io_open_regular(cairn, path, &io);
	if (rc < 0)
		return rc;
	base_buf_init(&buf, cairn);
	while (got > 0 && rc >= 0 && buf.len <= MAX_FILE) {
		rc = base_buf_reserve(&buf, PIECE);
		got = rc < 0 ? rc : io_read(io, buf.data + buf.len, PIECE);
		buf.len += got > 0 ? (size_t)got : 0;
	}
	if (got < 0)
		rc = rc < 0 ? rc : base_wrap(cairn, "%s", path);
	else if (buf.len > MAX_FILE)
		rc = base_fail(cairn, CAIRN_E_LIMIT, "%s: more than 4 MiB for an INI file", path);
	else
		rc = ete_ini_parse(cairn, path, buf.data, buf.len, ini);
	base_buf_free(&buf);
	io_close(io);
	return rc;
}

void ete_ini_free(struct ete_ini *ini)
{
	if (!ini->cairn)
		return;
	base_free(ini->cairn, ini->path);
	base_free(ini->cairn, ini->text);
	base_free(ini->cairn, ini->sections);
	base_free(ini->cairn, ini->keys);
	*ini = (struct ete_ini){0};
}

const struct ete_ini_section *ete_ini_section(const struct ete_ini *ini, const char *name)
{
	for (size_t i = 0; i < ini->n_sections; i++)
		if (!strcasecmp(ini->sections[i].name, name))
			return &ini->sections[i];
	return NULL;
}

const struct ete_ini_key *ete_ini_find(const struct ete_ini *ini,
                                       const struct ete_ini_section *section, const char *key)
{
	for (size_t i = 0; i < section->n; i++)
		if (!strcasecmp(ini->keys[section->first + i].key, key))
			return &ini->keys[section->first + i];
	return NULL;
}

int ete_ini_need(const struct ete_ini *ini, const struct ete_ini_section *section, const char *key,
                 const struct ete_ini_key **out)
{
	*out = ete_ini_find(ini, section, key);
	if (*out && *(*out)->value)
		return 0;
	return base_fail(ini->cairn, CAIRN_E_DAMAGED, "%s: line %u: [%.80s] has no '%s='", ini->path,
	                 *out ? (*out)->line : section->line, section->name, key);
}

int ete_ini_number(const struct ete_ini *ini, const struct ete_ini_key *key, uint64_t *out)
{
	const char *s = key->value;
	unsigned base = 10;
	uint64_t v = 0;
	if (s[0] == '0' && (s[1] | 0x20) == 'x') {
		base = 16;
		s += 2;
	}
	if (!*s)
		return ini_wrong(ini, key->line, "not a number:", key->value);
	for (; *s; s++) {
		static const char digits[] = "0123456789abcdef";
		const char *d = strchr(digits, *s >= 'A' && *s <= 'F' ? *s | 0x20 : *s);
		if (!d || (unsigned)(d - digits) >= base)
			return ini_wrong(ini, key->line, "not a number:", key->value);
		if (v > (UINT64_MAX - (unsigned)(d - digits)) / base)
			return ini_wrong(ini, key->line, "a number of more than 64 bits:", key->value);
		v = v * base + (unsigned)(d - digits);
	}
	*out = v;
	return 0;
}

bool ete_ini_word(const char **list, const char **word, size_t *n)
{
	const char *p = *list;
	while (*p && strchr(", \t", *p))
		p++;
	if (!*p)
		return false;
	*word = p;
	*n = strcspn(p, ",");
	*list = p + *n;
	while (*n && strchr(" \t", p[*n - 1]))
		(*n)--;
	return true;
}
