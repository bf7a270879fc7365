/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the library offers whoever prints something of his own: texts and JSON that keep their first
 * failure, outputs that have their name only when complete, numbers as regions have them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cairn/cairn.h"

static void assert_holds(struct cairn_text *text, const char *wanted)
{
	size_t n;
	const char *bytes = cairn_text_get(text, &n);
	assert_int_equal(n, strlen(wanted));
	assert_memory_equal(bytes, wanted, n);
	cairn_text_clear(text);
}

static void texts_are_appended_to(void **state)
{
	(void)state;
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_text *text = cairn_text_new(cairn);
	assert_int_equal(cairn_text_printf(text, "%d %s", 5, "five"), 0);
	assert_int_equal(cairn_text_put(text, "", 1), 0);
	size_t n;
	assert_memory_equal(cairn_text_get(text, &n), "5 five", 7);
	assert_int_equal(n, 7);
	cairn_text_clear(text);
	assert_int_equal(cairn_text_escape(text, "a\\b\n\033[1m\xff é"), 0);
	assert_holds(text, "a\\\\b\\n\\x1b[1m\\xff é");
	assert_int_equal(cairn_printable("é", 2), 2);
	assert_int_equal(cairn_printable("\xc3", 1), 0);
	assert_int_equal(cairn_printable("\033", 1), 0);
	cairn_text_free(text);
	cairn_free(cairn);
}

static void documents_nest(void **state)
{
	(void)state;
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_text *text = cairn_text_new(cairn);
	cairn_json_begin(text, 0);
	cairn_json_number(text, "n", UINT64_MAX);
	cairn_json_array(text, "list");
	cairn_json_text(text, NULL, "a\"\xff");
	cairn_json_text(text, NULL, NULL);
	cairn_json_object(text, NULL);
	cairn_json_bool(text, "yes", 5);
	cairn_json_array(text, "none");
	cairn_json_close(text);
	cairn_json_close(text);
	cairn_json_raw(text, NULL, "[1]", 3);
	cairn_json_close(text);
	cairn_json_null(text, "last");
	assert_int_equal(cairn_json_end(text), 0);
	assert_holds(text, "{\"n\":18446744073709551615,\"list\":[\"a\\\"\\ufffd\",null,"
	                   "{\"yes\":true,\"none\":[]},[1]],\"last\":null}\n");
	cairn_json_begin(text, 1);
	cairn_json_number(text, "n", 0);
	assert_int_equal(cairn_json_end(text), 0);
	assert_holds(text, "{\n  \"n\": 0\n}\n");
	cairn_text_free(text);
	cairn_free(cairn);
}

/* What cannot be nested says so at the end, and until the text is cleared. */
static void failures_stay(void **state)
{
	(void)state;
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_text *text = cairn_text_new(cairn);
	cairn_json_begin(text, 0);
	for (int i = 0; i < 70; i++)
		cairn_json_array(text, i ? NULL : "deep");
	assert_int_equal(cairn_json_end(text), CAIRN_E_LIMIT);
	assert_int_equal(cairn_text_printf(text, "more"), CAIRN_E_LIMIT);
	assert_int_equal(cairn_text_escape(text, "more"), CAIRN_E_LIMIT);
	cairn_text_clear(text);
	cairn_json_begin(text, 0);
	cairn_json_close(text);
	cairn_json_close(text);
	assert_int_equal(cairn_json_end(text), CAIRN_E_STATE);
	cairn_text_clear(text);
	assert_int_equal(cairn_text_printf(text, "again"), 0);
	assert_holds(text, "again");
	assert_int_equal(cairn_fail(cairn, CAIRN_E_LIMIT, "of %d", 7), CAIRN_E_LIMIT);
	assert_int_equal(cairn_error_status(cairn), CAIRN_E_LIMIT);
	assert_string_equal(cairn_error_text(cairn), "of 7");
	cairn_text_free(text);
	cairn_free(cairn);
}

static void outputs_are_whole_or_absent(void **state)
{
	(void)state;
	char folder[] = "/tmp/cairn-document-XXXXXX", path[64], other[64];
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/out", folder);
	snprintf(other, sizeof other, "%s/./out", folder);
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_text *text = cairn_text_new(cairn);
	struct cairn_sink *sink;
	assert_int_equal(cairn_sink_open(cairn, path, &sink), 0);
	cairn_text_printf(text, "whole");
	assert_int_equal(cairn_text_write(text, sink), 0);
	assert_holds(text, "");
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(cairn_sink_finish(sink), 0);
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(cairn_same_file(other, path), 1);
	assert_int_equal(cairn_same_file(folder, path), 0);
	/* One that is given up leaves what was there. */
	assert_int_equal(cairn_sink_open(cairn, path, &sink), 0);
	assert_int_equal(cairn_sink_write(sink, "half", 4), 0);
	cairn_sink_discard(sink);
	cairn_sink_discard(NULL);
	char held[8] = "";
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fread(held, 1, sizeof held, file), 5);
	fclose(file);
	assert_string_equal(held, "whole");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(folder), 0); /* nothing else is in it */
	cairn_text_free(text);
	cairn_free(cairn);
}

static void numbers_are_those_of_regions(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint64_t value; /* UINT64_MAX: none */
	} cases[] = {{"0", 0},
	             {"1_000", 1000},
	             {"20k", 20000},
	             {"3M", 3000000},
	             {"1G", 1000000000},
	             {"", UINT64_MAX},
	             {"0x10", UINT64_MAX},
	             {"5x", UINT64_MAX},
	             {"-1", UINT64_MAX},
	             {"99999999999999999999", UINT64_MAX}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint64_t value = UINT64_MAX;
		int rc = cairn_number(cases[i].text, strlen(cases[i].text), &value);
		assert_int_equal(rc, cases[i].value == UINT64_MAX ? CAIRN_E_INVAL : 0);
		assert_int_equal(value, cases[i].value);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_appended_to), cmocka_unit_test(documents_nest),
		cmocka_unit_test(failures_stay), cmocka_unit_test(outputs_are_whole_or_absent),
		cmocka_unit_test(numbers_are_those_of_regions)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
