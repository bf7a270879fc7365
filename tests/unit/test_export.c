/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text and JSON: numbers against printf, strings against a JSON parser, and a
 * trace made here against the lines it must give, however it is cut.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "cairn/cairn.h"
#include "export/json.h"
#include "export/text.h"

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state >> (*state & 63); /* all lengths */
}

static void same_text(const char *from, const char *end, const char *expected)
{
	assert_int_equal(end - from, strlen(expected));
	assert_memory_equal(from, expected, strlen(expected));
}

static void numbers_agree_with_printf(void **state)
{
	(void)state;
	char buf[64 + TEXT_SLACK], expected[64];
	const uint64_t edges[] = {0,
	                          1,
	                          9,
	                          10,
	                          99,
	                          100,
	                          9999,
	                          10000,
	                          99999999,
	                          100000000,
	                          UINT32_MAX,
	                          (uint64_t)UINT32_MAX + 1,
	                          UINT64_MAX - 1,
	                          UINT64_MAX};
	enum { EDGES = sizeof edges / sizeof *edges };
	uint64_t seed = 88172645463325252u;
	for (size_t i = 0; i < 20000 + EDGES; i++) {
		uint64_t v = i < EDGES ? edges[i] : next_random(&seed);
		snprintf(expected, sizeof expected, "%" PRIu64, v);
		same_text(buf, text_dec(buf, v), expected);
		snprintf(expected, sizeof expected, "%9" PRIu64, v);
		same_text(buf, text_dec_pad(buf, v, 9), expected);
		snprintf(expected, sizeof expected, "%016" PRIx64, v);
		same_text(buf, text_hex16(buf, v), expected);
		same_text(buf, text_hex8(buf, (uint32_t)v), expected + 8);
		same_text(buf, text_hex4(buf, (uint16_t)v), expected + 12);
		for (unsigned digits = 1; digits <= 16; digits++)
			same_text(buf, text_hex(buf, v, digits), expected + 16 - digits);
		snprintf(expected, sizeof expected, "0x%" PRIx64, v);
		same_text(buf, text_0x(buf, v, 1), expected);
		snprintf(expected, sizeof expected, "0x%08" PRIx64, v);
		same_text(buf, text_0x(buf, v, 8), expected);
	}
}

static void runs_of_bytes_both_ways(void **state)
{
	(void)state;
	uint8_t bytes[40];
	char buf[80 + TEXT_SLACK], there[81], back[81];
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)(37 * i + 5);
	for (size_t n = 0; n <= sizeof bytes; n++) {
		there[0] = back[0] = 0;
		for (size_t i = 0; i < n; i++) {
			sprintf(there + 2 * i, "%02x", bytes[i]);
			sprintf(back + 2 * i, "%02x", bytes[n - 1 - i]);
		}
		same_text(buf, text_bytes(buf, bytes, n), there);
		same_text(buf, text_wide(buf, bytes, n), back);
	}
}

static void texts_cannot_move_the_cursor(void **state)
{
	(void)state;
	static const char in[] = "a\n\t\033[2J\\\"\x7f\xff\xc2\x9b\xc3\xa4";
	char buf[4 * sizeof in + TEXT_SLACK];
	same_text(buf, text_escape(buf, in, sizeof in - 1, true),
	          "a\\n\\t\\x1b[2J\\\\\\\"\\x7f\\xff\\xc2\\x9b\xc3\xa4");
}

static void utf8_is_told_from_what_is_not(void **state)
{
	(void)state;
	static const struct {
		const char *s;
		size_t len;
	} cases[] = {{"a", 1},
	             {"\xc3\xa4", 2},
	             {"\xe2\x82\xac", 3},
	             {"\xf0\x9f\x97\xbb", 4},
	             {"\x80", 0},
	             {"\xc0\x80", 0},
	             {"\xe0\x80\x80", 0},
	             {"\xed\xa0\x80", 0},
	             {"\xf4\x90\x80\x80", 0},
	             {"\xf5\x80\x80\x80", 0},
	             {"\xe2\x82", 0},
	             {"\xc3", 0}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(text_utf8(cases[i].s, strlen(cases[i].s)), cases[i].len);
	assert_int_equal(text_utf8("", 0), 0);
}

/* ---- JSON ---- */

static json_t *parse(const struct base_buf *buf)
{
	json_error_t error;
	json_t *t = json_loadb((const char *)buf->data, buf->len, JSON_DECODE_ANY, &error);
	if (!t)
		fail_msg("%s: %.*s", error.text, (int)buf->len, (const char *)buf->data);
	return t;
}

static void write_document(struct jout *json)
{
	jout_object(json);
	JSON_KEY(json, "text");
	jout_text(json, "a\"b\\c\n\001\x7f\xc3\xa4");
	JSON_KEY(json, "broken");
	jout_text_n(json,
	            "x\xff"
	            "y",
	            3);
	JSON_KEY(json, "none");
	jout_text(json, NULL);
	JSON_KEY(json, "number");
	jout_u64(json, 9007199254740993);
	JSON_KEY(json, "hex");
	jout_hex(json, 0x1f, 4);
	JSON_KEY(json, "wide");
	jout_wide(json, (const uint8_t *)"\1\2\3\4\5\6\7\10\11", 9);
	JSON_KEY(json, "bytes");
	jout_bytes(json, (const uint8_t *)"\1\2\3", 3);
	JSON_KEY(json, "list");
	jout_array(json);
	jout_bool(json, true);
	jout_bool(json, false);
	jout_array(json);
	jout_array_end(json);
	jout_object(json);
	jout_object_end(json);
	jout_array_end(json);
	jout_key(json, "odd \" key", 9);
	jout_null(json);
	jout_object_end(json);
	jout_end(json);
}

static void json_is_read_back(void **state)
{
	struct cairn *cairn = *state;
	for (int pretty = 0; pretty < 2; pretty++) {
		struct base_buf buf;
		struct jout json;
		base_buf_init(&buf, cairn);
		jout_init(&json, &buf, pretty);
		write_document(&json);
		assert_int_equal(json.status, 0);
		json_t *t = parse(&buf);
		assert_string_equal(json_string_value(json_object_get(t, "text")),
		                    "a\"b\\c\n\001\x7f\xc3\xa4");
		assert_string_equal(json_string_value(json_object_get(t, "broken")), "x\xef\xbf\xbdy");
		assert_true(json_is_null(json_object_get(t, "none")));
		assert_true(json_integer_value(json_object_get(t, "number")) == 9007199254740993);
		assert_string_equal(json_string_value(json_object_get(t, "hex")), "0x001f");
		assert_string_equal(json_string_value(json_object_get(t, "wide")), "0x090807060504030201");
		assert_string_equal(json_string_value(json_object_get(t, "bytes")), "010203");
		assert_int_equal(json_array_size(json_object_get(t, "list")), 4);
		assert_non_null(json_object_get(t, "odd \" key"));
		json_decref(t);
		base_buf_free(&buf);
	}
}

static void json_nested_too_deep_is_an_error(void **state)
{
	struct base_buf buf;
	struct jout json;
	base_buf_init(&buf, *state);
	jout_init(&json, &buf, true);
	for (int i = 0; i < 100; i++)
		jout_array(&json);
	assert_int_equal(json.status, CAIRN_E_LIMIT);
	jout_init(&json, &buf, false);
	jout_array_end(&json);
	assert_int_equal(json.status, CAIRN_E_STATE);
	base_buf_free(&buf);
}

/* ---- a trace ---- */

/* An STF trace of four instructions with a fault, two processes and a comment. */
static const char trace[] =
	"\1STF\2\1\0\0\0\6\0\0\0\4\1\0\5\2\0"
	"\6\1\1\2\3\0\0\7\x20\1\x08\0\0\0\0\0"
	"\x09\0\0\0\x80\0\0\0\0\x13"
	"\x08\0\0\0\0\x2a\0\0\0\x07\0\0\0"
	"\x28\5\0\x21\1\0\0\0\0\0\0\0\xf0\x13\0\0\0" /* src x5, nop */
	"\x1f\x10\0\0\x80\0\0\0\0\xf1\x31\xa0"       /* target, c.j */
	"\3\5\0\0\0a\nb\033c\x3c\x34\x12\0\0\0\0\0\0\2\0\0\0\1\x3d\xef\xbe\0\0\0\0\0\0"
	"\x64\x0d\0\0\0\0\0\0\0\1\x34\x12\0\0\0\0\0\0"
	"\x65\0\1\0\x80\0\0\0\0\xf0\3\x23\0\0" /* a load that faults */
	"\x08\0\0\0\0\x2b\0\0\0\x07\0\0\0\xf0\x13\0\0\0";

static const char lines[] = "CONTEXT cpu=0 hw_tid=0 pid=42 tid=7\n"
							"FORCE_PC 0000000080000000\n"
							"        1  0000000080000000  00000013  forced\n"
							"           src t0 = 0x0000000000000001\n"
							"        2  0000000080000004  a031      PC 0000000080000010\n"
							"        3  0000000080000010  00002303  aborted\n"
							"           COMMENT a\\nb\\x1bc\n"
							"           MEM READ  0x0000000000001234 2 = 0xbeef\n"
							"           EVT LOAD_PAGE_FAULT 0x1234 PC 0000000080000100\n"
							"CONTEXT cpu=0 hw_tid=0 pid=43 tid=7\n"
							"        4  0000000080000100  00000013\n";

struct opened {
	struct cairn_reader *reader;
	struct cairn_batch *batch;
};

static struct opened open_trace(struct cairn *cairn)
{
	struct opened opened;
	if (cairn_open_memory(cairn, trace, sizeof trace - 1, NULL, &opened.reader) < 0)
		fail_msg("%s", cairn_error_text(cairn));
	opened.batch = cairn_batch_new(cairn);
	assert_non_null(opened.batch);
	return opened;
}

static void close_trace(struct cairn *cairn, struct opened *opened)
{
	assert_int_equal(cairn_damage_count(opened->reader), 0);
	cairn_batch_free(cairn, opened->batch);
	cairn_close(opened->reader);
}

static void append(struct base_buf *all, struct cairn_view *view, struct cairn_ctx *shown)
{
	const char *text;
	size_t n;
	assert_int_equal(cairn_view_take(view, shown, &text, &n), 0);
	assert_int_equal(base_buf_put(all, text, n), 0);
}

static void a_trace_gives_its_lines(void **state)
{
	struct cairn *cairn = *state;
	struct opened opened = open_trace(cairn);
	struct cairn_view_opts opts = {.size = sizeof opts,
	                               .reader = opened.reader,
	                               .show = CAIRN_VIEW_ALL};
	struct cairn_view *view;
	struct cairn_ctx shown = {0};
	struct base_buf all;
	base_buf_init(&all, cairn);
	assert_int_equal(cairn_view_new(cairn, &opts, &view), 0);
	cairn_view_begin(view);
	while (cairn_next(opened.reader, opened.batch) > 0)
		assert_int_equal(cairn_view_batch(view, opened.batch), 0);
	append(&all, view, &shown);
	assert_int_equal(base_buf_put(&all, "", 1), 0);
	assert_string_equal((char *)all.data, lines);
	assert_true(cairn_view_lines(view) == 4);
	cairn_view_free(view);
	base_buf_free(&all);
	close_trace(cairn, &opened);
}

/* Each instruction in a piece of its own: the same text all the same. */
static void pieces_join_without_a_seam(void **state)
{
	struct cairn *cairn = *state;
	struct opened opened = open_trace(cairn);
	struct cairn_ctx shown = {0};
	struct base_buf all;
	base_buf_init(&all, cairn);
	assert_int_equal(cairn_next(opened.reader, opened.batch), 1);
	for (int n = 1; n <= 4; n++) {
		char region[32];
		snprintf(region, sizeof region, "%d..%d", n, n);
		struct cairn_select *select = cairn_select_new(cairn, NULL);
		assert_int_equal(cairn_select_region(select, region), 0);
		struct cairn_view_opts opts = {.size = sizeof opts,
		                               .reader = opened.reader,
		                               .select = select,
		                               .show = CAIRN_VIEW_ALL};
		struct cairn_view *view;
		assert_int_equal(cairn_view_new(cairn, &opts, &view), 0);
		cairn_view_begin(view);
		assert_int_equal(cairn_view_batch(view, opened.batch), 0);
		append(&all, view, &shown);
		cairn_view_free(view);
		cairn_select_free(select);
	}
	assert_int_equal(base_buf_put(&all, "", 1), 0);
	assert_string_equal((char *)all.data, lines);
	base_buf_free(&all);
	close_trace(cairn, &opened);
}

static void a_trace_gives_json(void **state)
{
	struct cairn *cairn = *state;
	struct opened opened = open_trace(cairn);
	struct cairn_view_opts opts = {.size = sizeof opts, .reader = opened.reader, .json = 1};
	struct cairn_view *view;
	struct cairn_ctx shown = {0};
	const char *text;
	size_t n;
	assert_int_equal(cairn_view_new(cairn, &opts, &view), 0);
	cairn_view_begin(view);
	while (cairn_next(opened.reader, opened.batch) > 0)
		assert_int_equal(cairn_view_batch(view, opened.batch), 0);
	assert_int_equal(cairn_view_take(view, &shown, &text, &n), 0);
	for (int i = 1; i <= 4; i++) {
		json_error_t error;
		json_t *t = json_loadb(text, n, JSON_DISABLE_EOF_CHECK, &error);
		assert_non_null(t);
		assert_int_equal(json_integer_value(json_object_get(t, "n")), i);
		assert_int_equal(json_object_size(t), 14);
		if (i == 3) {
			assert_string_equal(json_string_value(json_object_get(t, "class")), "load");
			json_t *m = json_array_get(json_object_get(t, "mems"), 0);
			assert_string_equal(json_string_value(json_object_get(m, "value")), "0xbeef");
			assert_true(json_is_null(json_object_get(m, "pa")));
			json_t *e = json_object_get(t, "events");
			assert_string_equal(json_string_value(json_object_get(json_array_get(e, 1), "name")),
			                    "LOAD_PAGE_FAULT");
		}
		text += error.position + 1;
		n -= (size_t)error.position + 1;
		json_decref(t);
	}
	assert_int_equal(n, 0);
	cairn_view_free(view);
	close_trace(cairn, &opened);
}

/* One flag after the other on the same instruction. */
static void every_flag_has_its_word(void **state)
{
	static const struct {
		uint32_t flag;
		const char *word;
	} flags[] = {{CAIRN_INSN_ANNULLED, "annulled"},
	             {CAIRN_INSN_ABORTED, "aborted"},
	             {CAIRN_INSN_DISCARDED, "discarded"},
	             {CAIRN_INSN_DISCONTINUITY, "forced"},
	             {CAIRN_INSN_INFERRED, "inferred"}};
	struct cairn *cairn = *state;
	struct opened opened = open_trace(cairn);
	assert_int_equal(cairn_next(opened.reader, opened.batch), 1);
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		for (int json = 0; json <= 1; json++) {
			struct cairn_view_opts opts = {.size = sizeof opts,
			                               .reader = opened.reader,
			                               .json = json != 0};
			struct cairn_view *view;
			struct cairn_ctx shown = {0};
			char expected[64];
			const char *text;
			size_t n;
			opened.batch->insns[3].flags = flags[i].flag;
			snprintf(expected, sizeof expected, json ? "\"flags\":[\"%s\"]" : "00000013  %s\n",
			         flags[i].word);
			assert_int_equal(cairn_view_new(cairn, &opts, &view), 0);
			cairn_view_begin(view);
			assert_int_equal(cairn_view_batch(view, opened.batch), 0);
			assert_int_equal(cairn_view_take(view, &shown, &text, &n), 0);
			const char *fourth = memmem(text, n, json ? "\"n\":4" : "        4", json ? 5 : 9);
			assert_non_null(fourth);
			if (!memmem(fourth, n - (size_t)(fourth - text), expected, strlen(expected)))
				fail_msg("no %s in %.*s", expected, (int)n, text);
			cairn_view_free(view);
		}
	close_trace(cairn, &opened);
}

static void a_record_is_a_line(void **state)
{
	struct cairn *cairn = *state;
	struct opened opened = open_trace(cairn);
	struct cairn_record rec;
	struct cairn_text *t = cairn_text_new(cairn);
	size_t n;
	const char *text;
	for (int i = 0; i < 14; i++)
		assert_int_equal(cairn_next_record(opened.reader, &rec), 1);
	assert_int_equal(cairn_text_record(t, &rec, 0), 0);
	text = cairn_text_get(t, &n);
	same_text(text, text + n, "       14  0x00000057  COMMENT            text=\"a\\nb\\x1bc\"\n");
	cairn_text_clear(t);
	assert_int_equal(cairn_text_record(t, &rec, 1), 0);
	text = cairn_text_get(t, &n);
	same_text(text, text + n,
	          "{\"record\":14,\"offset\":87,\"name\":\"COMMENT\",\"type\":3,"
	          "\"text\":\"a\\nb\\u001bc\"}\n");
	cairn_text_free(t);
	close_trace(cairn, &opened);
}

/* Names of every length a table may have, their length told or not, one line behind another
 * in a buffer that grows: as printf writes them. */
static void names_of_any_length_make_lines(void **state)
{
	struct cairn *cairn = *state;
	struct cairn_text *t = cairn_text_new(cairn);
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN";
	static char want[1 << 16];
	size_t at = 0, n;
	for (unsigned len = 1; len <= 40; len++)
		for (unsigned fields = 0; fields < 4; fields++) {
			char name[48], key[48];
			snprintf(name, sizeof name, "%.*s", (int)len, letters);
			snprintf(key, sizeof key, "%s", letters + 40 - len);
			struct cairn_field field[3] = {
				{.name = key, .kind = CAIRN_FIELD_HEX, .width = 4, .value = len},
				{.name = key, .kind = CAIRN_FIELD_NAME, .text = name, .name_len = (uint8_t)len},
				{.name = key, .kind = CAIRN_FIELD_DEC, .value = len, .name_len = (uint8_t)len}};
			struct cairn_record rec = {.number = len,
			                           .offset = len * 1000u,
			                           .name = name,
			                           .fields = field,
			                           .n_fields = (uint16_t)fields};
			assert_int_equal(cairn_text_record(t, &rec, 0), 0);
			at += (size_t)snprintf(want + at, sizeof want - at, "%9u  0x%08x  %-*s", len,
			                       len * 1000, fields ? 18 : 0, name);
			if (fields > 0)
				at += (size_t)snprintf(want + at, sizeof want - at, " %s=0x%08x", key, len);
			if (fields > 1)
				at += (size_t)snprintf(want + at, sizeof want - at, " %s=%s", key, name);
			if (fields > 2)
				at += (size_t)snprintf(want + at, sizeof want - at, " %s=%u", key, len);
			want[at++] = '\n';
			assert_true(at < sizeof want - 256);
		}
	const char *text = cairn_text_get(t, &n);
	assert_int_equal(n, at);
	assert_memory_equal(text, want, n);
	cairn_text_free(t);
}

static void a_part_counts_like_the_whole(void **state)
{
	struct cairn *cairn = *state;
	struct cairn_tally whole = {.size = sizeof whole}, part = {.size = sizeof part},
					   sum = {.size = sizeof sum};
	struct opened opened = open_trace(cairn);
	assert_int_equal(cairn_count(opened.reader, 1, &whole), 0);
	cairn_batch_free(cairn, opened.batch);
	cairn_close(opened.reader);
	opened = open_trace(cairn);
	while (cairn_next(opened.reader, opened.batch) > 0)
		cairn_tally_batch(&part, opened.batch, NULL);
	cairn_tally_add(&sum, &part);
	cairn_tally_end(&sum);
	assert_true(whole.instructions == 4 && sum.instructions == 4);
	assert_true(whole.executed == 3 && sum.executed == 3);
	assert_true(whole.loads == 1 && sum.loads == 1);
	assert_true(whole.stores == 0 && sum.stores == 0);
	assert_true(whole.branches == 1 && sum.branches == 1);
	assert_true(whole.branches_taken == 1 && sum.branches_taken == 1);
	assert_true(whole.events == 1 && sum.events == 1);
	close_trace(cairn, &opened);
}

static int setup(void **state)
{
	*state = cairn_new(NULL);
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	cairn_free(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_agree_with_printf),
		cmocka_unit_test(runs_of_bytes_both_ways),
		cmocka_unit_test(texts_cannot_move_the_cursor),
		cmocka_unit_test(utf8_is_told_from_what_is_not),
		cmocka_unit_test(json_is_read_back),
		cmocka_unit_test(json_nested_too_deep_is_an_error),
		cmocka_unit_test(a_trace_gives_its_lines),
		cmocka_unit_test(pieces_join_without_a_seam),
		cmocka_unit_test(a_trace_gives_json),
		cmocka_unit_test(every_flag_has_its_word),
		cmocka_unit_test(a_record_is_a_line),
		cmocka_unit_test(names_of_any_length_make_lines),
		cmocka_unit_test(a_part_counts_like_the_whole),
	};
	return cmocka_run_group_tests_name("export", tests, setup, teardown);
}
