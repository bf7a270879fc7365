/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options of all formats, by their tables: what a table says is taken is taken and kept
 * where it says, and nothing else is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cairn/cairn.h"
#include "formats/capture/capture.h"
#include "formats/ete/format.h"
#include "formats/execlog/execlog.h"
#include "formats/rst/rst.h"
#include "formats/spike/spike.h"
#include "formats/stf/stf.h"
#include "formats/tarmac/tarmac.h"
#include "formats/vixl/vixl.h"
#include "kit/options.h"

static const struct kit_options *const tables[] = {
	&stf_reading_options, &stf_writing_options, &rst_reading_options,  &rst_writing_options,
	&ete_reading_options, &ete_writing_options, &vixl_reading_options, &vixl_writing_options,
	&spike_options,       &tarmac_options,      &execlog_options,      &capture_options,
};
enum { TABLES = sizeof tables / sizeof *tables, ROOM = 1 << 16 };

static struct cairn *context;
static uint8_t *target; /* what a table fills */

static int parse(const struct kit_options *set, const char *text, uint64_t *given)
{
	memset(target, 0xa5, ROOM);
	*given = 0;
	return kit_options_parse(context, set, text, target, given);
}

static uint64_t kept(const struct kit_option *option)
{
	const uint8_t *at = target + option->at;
	uint16_t half;
	uint32_t word;
	uint64_t wide;
	memcpy(&half, at, sizeof half);
	memcpy(&word, at, sizeof word);
	memcpy(&wide, at, sizeof wide);
	return option->size == 1 ? *at : option->size == 2 ? half : option->size == 4 ? word : wide;
}

/* Nothing but the option's own bytes was written. */
static void nothing_else(const struct kit_option *option)
{
	for (size_t i = 0; i < ROOM; i++)
		if (i < option->at || i >= (size_t)option->at + option->size)
			assert_int_equal(target[i], 0xa5);
}

static void takes(const struct kit_options *set, size_t which, const char *value, uint64_t expected)
{
	const struct kit_option *option = &set->option[which];
	char text[256];
	uint64_t given;
	snprintf(text, sizeof text, "%s%s%s", option->name, value ? "=" : "", value ? value : "");
	if (parse(set, text, &given) < 0)
		fail_msg("%s: %s", text, cairn_error_text(context));
	assert_int_equal(given, UINT64_C(1) << which);
	if (option->kind == KIT_TEXT)
		assert_string_equal((const char *)target + option->at, value);
	else
		assert_int_equal(kept(option), expected);
	nothing_else(option);
}

/* A refusal names the format and the option, or what there is. */
static void refuses(const struct kit_options *set, const char *name, const char *rest)
{
	char text[512];
	uint64_t given;
	snprintf(text, sizeof text, "%s%s", name, rest);
	if (parse(set, text, &given) != CAIRN_E_INVAL)
		fail_msg("%s:%s is taken", set->name, text);
	const char *sentence = cairn_error_text(context);
	if (!strstr(sentence, name) || (!strstr(sentence, set->name) && !strstr(sentence, set->doing)))
		fail_msg("%s:%s: %s", set->name, text, sentence);
}

static void word_by_word(const struct kit_options *set, size_t which)
{
	const struct kit_option *option = &set->option[which];
	const char *word = option->values;
	for (unsigned i = 0; *word; i++) {
		char one[64], odd[80];
		size_t n = strcspn(word, "|");
		snprintf(one, sizeof one, "%.*s", (int)n, word);
		takes(set, which, one,
		      option->kind == KIT_ONE_OF ? strtoull(one, NULL, 10)
		      : option->codes            ? option->codes[i]
		                                 : option->least + i);
		snprintf(odd, sizeof odd, "=%sx", one);
		refuses(set, option->name, odd);
		word += n + (word[n] == '|');
	}
}

static void numbers(const struct kit_options *set, size_t which)
{
	const struct kit_option *option = &set->option[which];
	char text[64];
	snprintf(text, sizeof text, "%llu", (unsigned long long)option->least);
	takes(set, which, text, option->least);
	snprintf(text, sizeof text, "0x%llx", (unsigned long long)option->most);
	takes(set, which, text, option->most);
	if (option->most < UINT64_MAX) {
		snprintf(text, sizeof text, "=%llu", (unsigned long long)option->most + 1);
		refuses(set, option->name, text);
	}
	if (option->least > 0)
		refuses(set, option->name, "=0");
	refuses(set, option->name, "=-1");
	refuses(set, option->name, "=99999999999999999999999");
}

static void versions(const struct kit_options *set, size_t which)
{
	const struct kit_option *option = &set->option[which];
	const uint64_t ends[] = {option->least, option->most};
	char text[64];
	for (unsigned i = 0; i < 2; i++) {
		snprintf(text, sizeof text, "%u.%u", (unsigned)(ends[i] >> 8), (unsigned)(ends[i] & 0xff));
		takes(set, which, text, ends[i]);
	}
	refuses(set, option->name, "=1");
	refuses(set, option->name, "=1.");
	refuses(set, option->name, "=.4");
	refuses(set, option->name, "=1.4.1");
	refuses(set, option->name, "=1.256");
	refuses(set, option->name, "=0.4");
}

static void tables_say_what_is_taken(void **state)
{
	(void)state;
	char longer[300];
	memset(longer, 'x', sizeof longer - 1);
	longer[0] = '=';
	longer[sizeof longer - 1] = 0;
	for (size_t t = 0; t < TABLES; t++) {
		const struct kit_options *set = tables[t];
		refuses(set, "nonsense", "=1");
		refuses(set, "nonsense", "");
		for (size_t i = 0; i < set->count; i++) {
			const struct kit_option *option = &set->option[i];
			assert_non_null(option->help);
			assert_true((size_t)option->at + option->size <= ROOM);
			switch ((enum kit_option_kind)option->kind) {
			case KIT_NUMBER:
				numbers(set, i);
				break;
			case KIT_ONE_OF:
			case KIT_WORD:
				word_by_word(set, i);
				break;
			case KIT_FLAG:
				takes(set, i, NULL, option->least);
				refuses(set, option->name, "=1");
				refuses(set, option->name, "=");
				continue;
			case KIT_VERSION:
				versions(set, i);
				break;
			case KIT_TEXT:
				takes(set, i, "a", 0);
				break;
			}
			refuses(set, option->name, "");
			refuses(set, option->name, "=");
			refuses(set, option->name, longer);
			if (option->kind != KIT_TEXT) {
				refuses(set, option->name, "= 1");
				refuses(set, option->name, "=1 ");
			}
		}
	}
}

/* Names are told apart, and the last of several values counts. */
static void options_in_a_row(void **state)
{
	(void)state;
	uint64_t given;
	for (size_t t = 0; t < TABLES; t++)
		for (size_t i = 0; i < tables[t]->count; i++)
			for (size_t k = 0; k < i; k++)
				assert_string_not_equal(tables[t]->option[i].name, tables[t]->option[k].name);
	assert_int_equal(parse(&stf_writing_options, "chunk=7,VERSION=1.4,chunk=9,", &given), 0);
	const struct stf_output *output = (const void *)target;
	assert_int_equal(output->chunk, 9);
	assert_int_equal(output->version, 0x104);
	refuses(&stf_writing_options, "chunk", "=7,chunk=0");
}

static int begin(void **state)
{
	(void)state;
	context = cairn_new(NULL);
	target = malloc(ROOM);
	return !context || !target;
}

static int end(void **state)
{
	(void)state;
	free(target);
	cairn_free(context);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_say_what_is_taken),
		cmocka_unit_test(options_in_a_row),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
