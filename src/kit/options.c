/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a format; see options.h. */
#include "kit/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/base.h"

enum { LONGEST_VALUE = 128, LONGEST_LIST = 1024 };

/* ---- lists ---- */

size_t kit_options_list(const struct kit_options *set, char *buf, size_t size)
{
	size_t n = 0;
	for (size_t i = 0; i < set->count; i++) {
		const struct kit_option *o = &set->option[i];
		int more = snprintf(n < size ? buf + n : NULL, n < size ? size - n : 0, "%s%s%s%s",
		                    i ? ", " : "", o->name, o->values ? "=" : "", o->values ? o->values : "");
		n += more > 0 ? (size_t)more : 0;
	}
	return n;
}

/* ---- values ---- */

/* "a|b|c" as "a, b or c". */
static const char *in_words(const char *values, char *buf, size_t size)
{
	const char *last = strrchr(values, '|');
	size_t n = 0;
	for (const char *p = values; *p && n + 5 < size; p++)
		if (*p == '|')
			n += (size_t)snprintf(buf + n, size - n, p == last ? " or " : ", ");
		else
			buf[n++] = *p;
	buf[n] = 0;
	return buf;
}

static int refuse(struct cairn *c, const struct kit_options *set, const struct kit_option *o,
                  const char *value)
{
	char most[32] = "", words[LONGEST_VALUE];
	if (o->kind == KIT_NUMBER && o->most < UINT64_MAX)
		snprintf(most, sizeof most, " to %llu", (unsigned long long)o->most);
	if (o->kind == KIT_FLAG)
		return base_fail(c, CAIRN_E_INVAL, "%s:%s takes no value", set->name, o->name);
	if (o->kind == KIT_NUMBER)
		return base_fail(c, CAIRN_E_INVAL, "%s:%s is a number from %llu%s, not '%s'", set->name,
		                 o->name, (unsigned long long)o->least, most, value);
	if (o->kind == KIT_VERSION)
		return base_fail(c, CAIRN_E_INVAL, "%s:%s is %u.%u to %u.%u, not '%s'", set->name, o->name,
		                 (unsigned)(o->least >> 8), (unsigned)(o->least & 0xff),
		                 (unsigned)(o->most >> 8), (unsigned)(o->most & 0xff), value);
	if (o->kind == KIT_TEXT)
		return base_fail(c, CAIRN_E_INVAL, "%s:%s is a text of 1 to %u bytes, not '%s'", set->name,
		                 o->name, o->size - 1u, value);
	return base_fail(c, CAIRN_E_INVAL, "%s:%s is %s, not '%s'", set->name, o->name,
	                 in_words(o->values, words, sizeof words), value);
}

static bool take_number(const char *text, int base, uint64_t least, uint64_t most, const char *end,
                        uint64_t *out)
{
	char *stop;
	errno = 0;
	*out = strtoull(text, &stop, base);
	return *text >= '0' && *text <= '9' && stop == end && !errno && *out >= least && *out <= most;
}

/* The place of a word in "one|two|three"; -1: none of them. */
static int place_of(const char *value, const char *words)
{
	for (int i = 0;; i++) {
		size_t n = strcspn(words, "|");
		if (strlen(value) == n && !strncasecmp(value, words, n))
			return i;
		if (!words[n])
			return -1;
		words += n + 1;
	}
}

static bool take_version(const char *value, const struct kit_option *o, uint64_t *out)
{
	const char *point = strchr(value, '.');
	uint64_t major, minor;
	if (!point || !take_number(value, 10, 0, 255, point, &major) ||
	    !take_number(point + 1, 10, 0, 255, value + strlen(value), &minor))
		return false;
	*out = major << 8 | minor;
	return *out >= o->least && *out <= o->most;
}

static bool take_value(const struct kit_option *o, const char *value, uint64_t *out)
{
	const char *end = value + strlen(value);
	int place;
	switch (o->kind) {
	case KIT_NUMBER:
		return take_number(value, 0, o->least, o->most, end, out);
	case KIT_ONE_OF:
		return place_of(value, o->values) >= 0 && take_number(value, 10, 0, UINT64_MAX, end, out);
	case KIT_WORD:
		place = place_of(value, o->values);
		*out = place >= 0 && o->codes ? o->codes[place] : o->least + (uint64_t)place;
		return place >= 0;
	default:
		return take_version(value, o, out);
	}
}

static void store(void *to, const struct kit_option *o, uint64_t value)
{
	uint8_t *at = (uint8_t *)to + o->at;
	if (o->size == 1)
		*at = (uint8_t)value;
	else if (o->size == 2)
		memcpy(at, &(uint16_t){(uint16_t)value}, sizeof(uint16_t));
	else if (o->size == 4)
		memcpy(at, &(uint32_t){(uint32_t)value}, sizeof(uint32_t));
	else
		memcpy(at, &value, sizeof value);
}

/* ---- one, and all ---- */

static int unknown(struct cairn *c, const struct kit_options *set, const char *text, size_t n)
{
	char list[LONGEST_LIST];
	kit_options_list(set, list, sizeof list);
	return base_fail(c, CAIRN_E_INVAL, "%s has no option '%.*s'; it has %s", set->doing,
	                 (int)(n < 64 ? n : 64), text, set->count ? list : "none");
}

static int take(struct cairn *c, const struct kit_options *set, const struct kit_option *o,
                const char *given, size_t n, void *to)
{
	char value[LONGEST_VALUE];
	uint64_t v = o->least;
	snprintf(value, sizeof value, "%.*s", given ? (int)(n < sizeof value ? n : sizeof value) : 0,
	         given ? given : "");
	if (!given && o->kind != KIT_FLAG)
		return base_fail(c, CAIRN_E_INVAL, "%s:%s needs a value: %s=%s", set->name, o->name, o->name,
		                 o->values);
	bool fits = given ? n < sizeof value : true;
	if (o->kind == KIT_TEXT && fits && n && n < o->size) {
		memcpy((uint8_t *)to + o->at, value, n + 1);
		return 0;
	}
	if (!fits || (o->kind == KIT_FLAG ? given != NULL : o->kind == KIT_TEXT || !take_value(o, value, &v)))
		return refuse(c, set, o, value);
	store(to, o, v);
	return 0;
}

int kit_option_parse(struct cairn *c, const struct kit_options *set, const char *text, size_t n,
                     void *to, uint64_t *given)
{
	const char *equals = memchr(text, '=', n);
	size_t n_key = equals ? (size_t)(equals - text) : n;
	for (size_t i = 0; i < set->count; i++) {
		const struct kit_option *o = &set->option[i];
		if (strlen(o->name) != n_key || strncasecmp(o->name, text, n_key) != 0)
			continue;
		if (given)
			*given |= UINT64_C(1) << i;
		return take(c, set, o, equals ? equals + 1 : NULL, equals ? n - n_key - 1 : 0, to);
	}
	return unknown(c, set, text, n);
}

int kit_options_parse(struct cairn *c, const struct kit_options *set, const char *text, void *to,
                      uint64_t *given)
{
	int rc = 0;
	while (*text && rc >= 0) {
		size_t n = strcspn(text, ",");
		rc = kit_option_parse(c, set, text, n, to, given);
		text += n + (text[n] == ',');
	}
	return rc;
}
