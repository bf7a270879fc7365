/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pages of the capture stream and of the index have the fields of their records as the lists
 * in the code have them (UPDATE=1 rewrites the tables), and each list has the fields of a record
 * one behind the other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/capture/stream.h"
#include "io/source.h"
#include "model/index.h"

struct field {
	const char *name, *about;
	size_t at, bytes;
};

#define FIELD(room, record, field, bytes, about) \
	{#field, about, offsetof(struct room##_layout_##record, field), bytes},
#define FIELDS(room, record, field, count, bytes, about) \
	{#field, about, offsetof(struct room##_layout_##record, field), (count) * (bytes)},
#define LIST(room, ROOM, record) \
	static const struct field room##_##record[] = { \
		ROOM##_FIELDS_##record(FIELD, FIELDS, room, record){NULL, NULL, ROOM##_LEN_##record, 0}};
#define CAPTURE_LIST(number, name) LIST(capture, CAPTURE, name)
#define INDEX_LIST(name) LIST(index, INDEX, name)
LIST(capture, CAPTURE, HEADER)
LIST(capture, CAPTURE, ACCESS)
CAPTURE_RECORDS(CAPTURE_LIST)
INDEX_RECORDS(INDEX_LIST)
LIST(io, IO, MARK)

#define CAPTURE_ROW(number, name) {CAPTURE_PAGE, #name, capture_##name},
#define INDEX_ROW(name) {INDEX_PAGE, #name, index_##name},
static const struct table {
	const char *page, *name;
	const struct field *fields;
} tables[] = {{CAPTURE_PAGE, "HEADER", capture_HEADER},
              {CAPTURE_PAGE, "ACCESS", capture_ACCESS},
              CAPTURE_RECORDS(CAPTURE_ROW) INDEX_RECORDS(INDEX_ROW){INDEX_PAGE, "MARK", io_MARK}};

struct page {
	char text[1 << 16];
	size_t n;
};

static void CAIRN_PRINTF(2, 3) say(struct page *page, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	page->n += (size_t)vsnprintf(page->text + page->n, sizeof page->text - page->n, fmt, ap);
	va_end(ap);
	assert_true(page->n < sizeof page->text);
}

static void say_table(struct page *page, const struct field *field)
{
	size_t at = 0;
	say(page, "| offset | bytes | field | |\n|---|---|---|---|\n");
	for (; field->name; at += field->bytes, field++) {
		assert_int_equal(field->at, at);
		say(page, "| %zu | %zu | %s | %s |\n", at, field->bytes, field->name, field->about);
	}
	assert_int_equal(field->at, at);
}

static void show_table(const struct table *table)
{
	static struct page want, page, out;
	char begin[64];
	want.n = out.n = 0;
	FILE *f = fopen(table->page, "r");
	assert_non_null(f);
	page.n = fread(page.text, 1, sizeof page.text - 1, f);
	page.text[page.n] = 0;
	fclose(f);
	say_table(&want, table->fields);
	snprintf(begin, sizeof begin, "<!-- %s: ", table->name);
	char *from = strstr(page.text, begin);
	from = from ? strchr(from, '\n') : NULL;
	char *to = from ? strstr(from, "<!-- end -->") : NULL;
	if (!to)
		fail_msg("%s has no table of %s", table->page, table->name);
	from++;
	if ((size_t)(to - from) == want.n && !memcmp(from, want.text, want.n))
		return;
	if (!getenv("UPDATE"))
		fail_msg("the table of %s in %s is not the list in the code: UPDATE=1 rewrites it",
		         table->name, table->page);
	say(&out, "%.*s%s%s", (int)(from - page.text), page.text, want.text, to);
	f = fopen(table->page, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(out.text, 1, out.n, f), out.n);
	assert_int_equal(fclose(f), 0);
}

static void the_pages_show_the_fields(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		show_table(&tables[i]);
}

/* Each field is got as it was put, in little endian, and no other changes. */
static void fields_are_little_endian(void **state)
{
	uint8_t p[INDEX_LEN_SPAN] = {0}, zero[INDEX_LEN_SPAN] = {0};
	(void)state;
	index_put_SPAN_offset(p, 0x0102030405060708);
	assert_int_equal(index_SPAN_offset(p), 0x0102030405060708);
	assert_memory_equal(p + 24, "\10\7\6\5\4\3\2\1", 8);
	assert_memory_equal(p, zero, 24);
	assert_memory_equal(p + 32, zero, sizeof p - 32);
	index_put_SPAN_mask(p, 6, 0xa5);
	assert_int_equal(index_SPAN_mask(p, 6), 0xa5);
	assert_int_equal(p[112], 0xa5);
	assert_int_equal(index_at_SPAN_mask(p) - p, 64);
	uint8_t def[CAPTURE_LEN_DEF];
	memset(def, 0xff, sizeof def);
	assert_ptr_equal(capture_begin_DEF(def), def + sizeof def);
	capture_put_DEF_id(def, 0x01020304);
	assert_memory_equal(def, "\1\0\0\0\4\3\2\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", sizeof def);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(the_pages_show_the_fields),
	                                   cmocka_unit_test(fields_are_little_endian)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
