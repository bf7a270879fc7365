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
		const struct kit_option *option = &set->option[i];
		const char *equals = option->values ? "=" : "",
				   *values = option->values ? option->values : "";
		int more = snprintf(n < size ? buf + n : NULL, n < size ? size - n : 0, "%s%s%s%s",
		                    i ? ", " : "", option->name, equals, values);
		n += more > 0 ? (size_t)more : 0;
	}
	return n;
}

/* ---- values ---- */

/* "a|b|c" as "a, b or c". */
static void options_put_words(const char *values, char *buf, size_t size)
{
	const char *last = strrchr(values, '|');
	size_t n = 0;
	for (const char *p = values; *p && n + sizeof " or " < size; p++)
		if (*p == '|')
			n += (size_t)snprintf(buf + n, size - n, p == last ? " or " : ", ");
		else
			buf[n++] = *p;
	buf[n] = 0;
}

/* What its value is, in words. */
static void describe(const struct kit_option *option, char *buf, size_t size)
{
	unsigned long long least = option->least, most = option->most;
	switch (option->kind) {
	case KIT_NUMBER:
		snprintf(buf, size, "a number from %llu to %llu", least, most);
		break;
	case KIT_VERSION:
		snprintf(buf, size, "%llu.%llu to %llu.%llu", least >> 8, least & 0xff, most >> 8,
		         most & 0xff);
		break;
	case KIT_TEXT:
		snprintf(buf, size, "a text of 1 to %u bytes", option->size - 1u);
		break;
	default:
		options_put_words(option->values, buf, size);
		break;
	}
}

static int options_refuse(struct cairn *cairn, const struct kit_options *set,
                          const struct kit_option *option, const char *value)
{
	char words[LONGEST_VALUE];
	describe(option, words, sizeof words);
	return base_fail(cairn, CAIRN_E_INVAL, "%s:%s is %s, not '%s'", set->name, option->name, words,
	                 value);
}

static bool options_take_number(const char *text, int base, uint64_t least, uint64_t most,
                                const char *end, uint64_t *out)
{
	char *stop;
	errno = 0;
	*out = strtoull(text, &stop, base);
	return *text >= '0' && *text <= '9' && stop == end && !errno && *out >= least && *out <= most;
}

/* The place of a word in "one|two|three"; -1: none of them. */
static int options_place_of(const char *value, const char *words)
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

static bool options_take_version(const char *value, const struct kit_option *option, uint64_t *out)
{
	const char *point = strchr(value, '.');
	uint64_t major, minor;
	if (!point || !options_take_number(value, 10, 0, 255, point, &major) ||
	    !options_take_number(point + 1, 10, 0, 255, value + strlen(value), &minor))
		return false;
	*out = major << 8 | minor;
	return *out >= option->least && *out <= option->most;
}

static bool options_take_value(const struct kit_option *option, const char *value, uint64_t *out)
{
	const char *end = value + strlen(value);
	int place;
	switch (option->kind) {
	case KIT_NUMBER:
		return options_take_number(value, 0, option->least, option->most, end, out);
	case KIT_ONE_OF:
		return options_place_of(value, option->values) >= 0 &&
		       options_take_number(value, 10, 0, UINT64_MAX, end, out);
	case KIT_WORD:
		place = options_place_of(value, option->values);
		*out = place >= 0 && option->codes ? option->codes[place] : option->least + (uint64_t)place;
		return place >= 0;
	default:
		return options_take_version(value, option, out);
	}
}

static void kit_options_store(void *to, const struct kit_option *option, uint64_t value)
{
	uint8_t *at = (uint8_t *)to + option->at;
	if (option->size == 1)
		*at = (uint8_t)value;
	else if (option->size == 2)
		memcpy(at, &(uint16_t){(uint16_t)value}, sizeof(uint16_t));
	else if (option->size == 4)
		memcpy(at, &(uint32_t){(uint32_t)value}, sizeof(uint32_t));
	else
		memcpy(at, &value, sizeof value);
}

/* ---- one, and all ---- */

static int options_unknown(struct cairn *cairn, const struct kit_options *set, const char *text,
                           size_t n)
{
	char list[LONGEST_LIST];
	kit_options_list(set, list, sizeof list);
	return base_fail(cairn, CAIRN_E_INVAL, "%s has no option '%.*s'; it has %s", set->doing,
	                 (int)(n < 64 ? n : 64), text, set->count ? list : "none");
}

/* `given` is what stands behind the "=", `n` bytes; NULL where there is none. */
static int options_take(struct cairn *cairn, const struct kit_options *set,
                        const struct kit_option *option, const char *given, size_t n, void *to)
{
	char value[LONGEST_VALUE];
	uint64_t number = option->least;
	if (option->kind == KIT_FLAG && given)
		return base_fail(cairn, CAIRN_E_INVAL, "%s:%s takes no value", set->name, option->name);
	if (option->kind != KIT_FLAG && !given)
		return base_fail(cairn, CAIRN_E_INVAL, "%s:%s needs a value: %s=%s", set->name,
		                 option->name, option->name, option->values);
	bool fits = n < sizeof value;
	snprintf(value, sizeof value, "%.*s", fits ? (int)n : (int)sizeof value, given ? given : "");
	if (option->kind == KIT_TEXT) {
		if (!fits || n == 0 || n >= option->size)
			return options_refuse(cairn, set, option, value);
		memcpy((uint8_t *)to + option->at, value, n + 1);
		return 0;
	}
	if (option->kind != KIT_FLAG && !(fits && options_take_value(option, value, &number)))
		return options_refuse(cairn, set, option, value);
	kit_options_store(to, option, number);
	return 0;
}

int kit_option_parse(struct cairn *cairn, const struct kit_options *set, const char *text, size_t n,
                     void *to, uint64_t *given)
{
	const char *equals = memchr(text, '=', n);
	size_t n_key = equals ? (size_t)(equals - text) : n;
	for (size_t i = 0; i < set->count; i++) {
		const struct kit_option *option = &set->option[i];
		if (strlen(option->name) != n_key || strncasecmp(option->name, text, n_key) != 0)
			continue;
		if (given)
			*given |= UINT64_C(1) << i;
		return options_take(cairn, set, option, equals ? equals + 1 : NULL,
		                    equals ? n - n_key - 1 : 0, to);
	}
	return options_unknown(cairn, set, text, n);
}

int kit_options_parse(struct cairn *cairn, const struct kit_options *set, const char *text,
                      void *to, uint64_t *given)
{
	int rc = 0;
	while (*text && rc >= 0) {
		size_t n = strcspn(text, ",");
		rc = kit_option_parse(cairn, set, text, n, to, given);
		text += n + (text[n] == ',');
	}
	return rc;
}
