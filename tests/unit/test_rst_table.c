/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record table of RST: every bit of every layout belongs to one field or is
 * reserved; taking apart and putting together gives the same bytes, whatever they
 * are; getters and putters read and write what it says; the documentation shows it as it is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/rst/record/table.h"

static uint64_t seed = 0x9e3779b97f4a7c15;

static uint64_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static void random_record(uint8_t p[CAIRN_RST_SIZE], unsigned type)
{
	for (unsigned i = 0; i < CAIRN_RST_SIZE; i += 8) {
		uint64_t v = rnd();
		memcpy(p + i, &v, 8);
	}
	/* Selectors and sparse records, too. */
	if (rnd() % 4 == 0)
		memset(p + 8, 0, 16);
	if (rnd() % 4 == 0)
		p[1] &= 7;
	if (rnd() % 8 == 0)
		memset(p + 1 + rnd() % 20, 0, 3);
	p[0] = (uint8_t)type;
}

static const unsigned versions[] = {RST_VERSION(1, 0),
                                    RST_VERSION(1, 9),
                                    RST_VERSION(1, 10),
                                    RST_VERSION(2, 4),
                                    RST_VERSION(2, 5),
                                    RST_VERSION(2, 6),
                                    RST_VERSION(2, 8),
                                    RST_VERSION(2, 9),
                                    RST_VERSION(2, 10),
                                    RST_VERSION(2, 11),
                                    RST_VERSION(2, 12),
                                    RST_VERSION(2, 13),
                                    0};
enum { VERSIONS = sizeof versions / sizeof *versions };

static void no_bit_belongs_to_two_fields(void **state)
{
	(void)state;
	for (unsigned i = 0; i < RST_N_LAYOUTS; i++) {
		const struct rst_layout *layout = rst_layout_by_id(i);
		uint64_t mask[3];
		unsigned covered = 8, reserved = 0;
		assert_int_equal(layout->id, i);
		for (const struct rst_field *field = layout->fields; field->name; field++) {
			covered += field->bits + field->bits2;
			assert_true(field->bit >= 8 && field->bit + field->bits <= 192);
			assert_true(field->bit2 + field->bits2 <= 192);
			assert_ptr_equal(rst_field_named(layout, field->name), field);
		}
		rst_reserved_mask(layout, mask);
		for (unsigned w = 0; w < 3; w++)
			reserved += (unsigned)__builtin_popcountll(mask[w]);
		assert_int_equal(covered + reserved, 192);
	}
}

static void every_layout_is_chosen_in_its_versions(void **state)
{
	bool seen[RST_N_LAYOUTS] = {false};
	(void)state;
	for (unsigned type = 0; type < 256; type++) {
		bool known = cairn_rst_type_name(type) != NULL;
		assert_int_equal(known, type >= 2 && type <= 34 && type != 10);
		assert_int_equal(known, rst_type_since(type) != RST_FOREVER);
		for (unsigned k = 0; k < 4000; k++) {
			uint8_t p[CAIRN_RST_SIZE];
			unsigned v = versions[k % VERSIONS];
			random_record(p, type);
			const struct rst_layout *layout = rst_layout_of(p, v);
			assert_int_equal(layout != NULL, known);
			if (!layout)
				continue;
			seen[layout->id] = true;
			assert_int_equal(layout->type, type);
			if (v >= rst_type_since(type) && v)
				assert_true(v >= layout->since && v <= layout->last);
		}
	}
	for (unsigned i = 0; i < RST_N_LAYOUTS; i++)
		assert_true(seen[i]);
}

static void what_is_taken_apart_can_be_put_together(void **state)
{
	(void)state;
	for (unsigned type = 2; type <= 34; type++)
		for (unsigned k = 0; k < 4000 && type != 10; k++) {
			unsigned v = versions[k % VERSIONS];
			struct cairn_rst_config cfg = {(uint16_t)(v >> 8), (uint16_t)(v & 255)};
			struct cairn_field fields[CAIRN_MAX_FIELDS];
			uint8_t p[CAIRN_RST_SIZE], q[CAIRN_RST_SIZE];
			random_record(p, type);
			int n = cairn_rst_fields(&cfg, p, fields);
			assert_in_range(n, 0, CAIRN_MAX_FIELDS);
			/* The order does not matter. */
			for (int i = n - 1; i > 0; i--) {
				int j = (int)(rnd() % (uint64_t)(i + 1));
				struct cairn_field field = fields[i];
				fields[i] = fields[j];
				fields[j] = field;
			}
			assert_int_equal(cairn_rst_encode(&cfg, type, fields, (unsigned)n, q), 0);
			assert_memory_equal(p, q, sizeof p);
		}
}

static void what_does_not_fit_is_refused(void **state)
{
	struct cairn_rst_config cfg = {2, 13};
	uint8_t q[CAIRN_RST_SIZE];
	(void)state;
	struct cairn_field cpu = {.name = "cpuid", .value = 1023, .kind = CAIRN_FIELD_DEC};
	assert_int_equal(cairn_rst_encode(&cfg, CAIRN_RST_INSTR, &cpu, 1, q), 0);
	assert_int_equal(rst_cpu_of(q, true), 1023);
	cpu.value = 1024;
	assert_int_equal(cairn_rst_encode(&cfg, CAIRN_RST_INSTR, &cpu, 1, q), CAIRN_E_INVAL);
	cpu.value = 64;
	cfg.version_minor = 11;
	assert_int_equal(cairn_rst_encode(&cfg, CAIRN_RST_INSTR, &cpu, 1, q), CAIRN_E_INVAL);
	cpu.name = "no such field";
	assert_int_equal(cairn_rst_encode(&cfg, CAIRN_RST_INSTR, &cpu, 1, q), CAIRN_E_INVAL);
	assert_int_equal(cairn_rst_encode(&cfg, 10, &cpu, 0, q), CAIRN_E_INVAL);
}

static void the_short_way_to_the_cpu_is_the_table_s(void **state)
{
	(void)state;
	for (unsigned type = 0; type < 64; type++)
		for (unsigned k = 0; k < 1000; k++) {
			uint8_t p[CAIRN_RST_SIZE];
			bool wide = k & 1;
			random_record(p, type);
			const struct rst_layout *layout =
				rst_layout_of(p, wide ? RST_NEWEST : RST_VERSION(2, 11));
			int cpu = rst_cpu_of(p, wide);
			if (type == CAIRN_RST_CPU) {
				unsigned n = base_be16(p + 6);
				assert_int_equal(cpu, n < RST_MAX_CPUS ? (int)n : -1);
				continue;
			}
			const struct rst_field *field = layout ? rst_layout_cpu(layout) : NULL;
			assert_int_equal(cpu, field ? (int)rst_get(p, field) : -1);
		}
}

/* ---- getters and putters ---- */

/* A run of bits, one bit after the other. */
static uint64_t run_of(const uint8_t *p, unsigned bit, unsigned bits)
{
	uint64_t v = 0;
	for (; bits; bits--, bit++)
		v = v << 1 | (p[bit / 8] >> (7 - bit % 8) & 1);
	return v;
}

static void put_run(uint8_t *p, unsigned bit, unsigned bits, uint64_t value)
{
	for (; bits; bits--, bit++) {
		uint8_t mask = (uint8_t)(0x80 >> bit % 8);
		p[bit / 8] = (uint8_t)(value >> (bits - 1) & 1 ? p[bit / 8] | mask : p[bit / 8] & ~mask);
	}
}

static uint64_t field_of(const uint8_t *p, const struct rst_field *field)
{
	uint64_t v = run_of(p, field->bit, field->bits);
	v = field->bits2 ? v << field->bits2 | run_of(p, field->bit2, field->bits2) : v;
	if (field->kind == RST_F_ADDR44)
		v = (v >> 39 ? ~UINT64_C(0) << 44 : 0) | v << 4;
	return v;
}

/* The record with the low bits of the value in the field; the field's word of it, if all else
 * is 0. */
static uint64_t put_field(uint8_t *p, const struct rst_field *field, uint64_t value)
{
	uint8_t alone[CAIRN_RST_SIZE] = {0};
	value >>= field->kind == RST_F_ADDR44 ? 4 : 0;
	for (unsigned i = 0; i < 2; i++) {
		put_run(i ? alone : p, field->bit, field->bits, value >> field->bits2);
		put_run(i ? alone : p, field->bit2, field->bits2, value);
	}
	return base_be64(alone + field->bit / 64 * 8);
}

/* A number: its getter and its putter, and those that go by the row. */
#define CHECK_RST_NUMBER(layout, field) \
	assert_true(rst_##layout##_##field(p) == field_of(p, row)); \
	assert_true(rst_get(p, row) == field_of(p, row)); \
	word = put_field(want, row, v); \
	rst_put_##layout##_##field(typed, v); \
	rst_put(generic, row, v); \
	assert_memory_equal(typed, want, sizeof want); \
	assert_memory_equal(generic, want, sizeof want); \
	assert_true(row->kind == RST_F_ADDR44 || rst_in_##layout##_##field(v) == word);
/* A text: where it is, and writing part of it. */
#define CHECK_RST_STRING(layout, field) \
	assert_ptr_equal(rst_##layout##_##field(p), p + row->bit / 8); \
	assert_int_equal(RST_SIZE_##layout##_##field, row->bits / 8); \
	n = v % (RST_SIZE_##layout##_##field + 1); \
	memcpy(want + row->bit / 8, text, n); \
	rst_put_##layout##_##field(typed, text, n); \
	assert_memory_equal(typed, want, sizeof want);
#define CHECK_MADE(layout, field, way, names_, kind_, ...) \
	{ \
		const struct rst_field own = {#field, names_, kind_, __VA_ARGS__}, *row = &own; \
		uint8_t want[CAIRN_RST_SIZE], typed[CAIRN_RST_SIZE], generic[CAIRN_RST_SIZE]; \
		memcpy(want, p, sizeof want); \
		memcpy(typed, p, sizeof want); \
		memcpy(generic, p, sizeof want); \
		CHECK_##way(layout, field) \
	}
#define CHECK_FIELD(layout, field, kind, place) \
	RST_APPLY(CHECK_MADE, layout, field, RST_KIND_##kind, RST_PLACE_##place)
#define CHECK_GROUP(layout, field, place) CHECK_FIELD(layout, field, HEX, place)
#define CHECK_LAYOUT(name, type, since, last, select) \
	static void check_##name(const uint8_t *p, uint64_t v) \
	{ \
		static const char text[CAIRN_RST_SIZE] = "as long as any text is"; \
		uint64_t word = 0; \
		size_t n = 0; \
		(void)p, (void)v, (void)text, (void)word, (void)n; \
		RST_FIELDS_##name(CHECK_FIELD, name) \
	}
RST_LAYOUTS_OF(CHECK_LAYOUT, CHECK_LAYOUT)

static void check_groups(const uint8_t *p, uint64_t v)
{
	uint64_t word;
	RST_GROUPS(CHECK_GROUP)
}

static void getters_and_putters_are_the_table_s(void **state)
{
#define CHECK_OF(name, type, since, last, select) check_##name,
	void (*const check[])(const uint8_t *, uint64_t) = {RST_LAYOUTS_OF(CHECK_OF, CHECK_OF)};
	(void)state;
	for (unsigned i = 0; i < RST_N_LAYOUTS; i++)
		for (unsigned k = 0; k < 1000; k++) {
			uint8_t p[CAIRN_RST_SIZE];
			random_record(p, rst_layout_by_id(i)->type);
			check[i](p, rnd() >> rnd() % 64);
			check_groups(p, rnd());
		}
}

/* What RST_CLEAR_RESERVED keeps is what the table has fields for. */
static void what_is_reserved_is_cleared(void **state)
{
#define CHECK_CLEAR(layout) \
	{ \
		uint8_t p[CAIRN_RST_SIZE], q[CAIRN_RST_SIZE]; \
		uint64_t mask[3]; \
		random_record(p, CAIRN_RST_NULLREC); \
		memcpy(q, p, sizeof p); \
		RST_CLEAR_RESERVED(layout, q); \
		rst_reserved_mask(rst_layout_by_id(RST_L_##layout), mask); \
		for (unsigned i = 0; i < 3; i++) \
			assert_true(base_be64(q + 8 * i) == (base_be64(p + 8 * i) & ~mask[i])); \
	}
	(void)state;
	for (unsigned k = 0; k < 100; k++) {
		CHECK_CLEAR(INSTR)
		CHECK_CLEAR(TLB)
		CHECK_CLEAR(REGVAL)
		CHECK_CLEAR(PREG)
		CHECK_CLEAR(PAVADIFF)
		CHECK_CLEAR(MEMVAL64)
		CHECK_CLEAR(MEMVAL128)
		CHECK_CLEAR(RFS_CW)
		CHECK_CLEAR(RFS_CW_DMA)
	}
}

/* A record written out byte by byte, and what it says. */
static void expect(const char *hex, unsigned version, const char *name, const char *text)
{
	uint8_t p[CAIRN_RST_SIZE] = {0};
	char got[1024] = "";
	struct cairn_field fields[CAIRN_MAX_FIELDS];
	for (unsigned i = 0; i < CAIRN_RST_SIZE && *hex; i++) {
		unsigned v;
		while (*hex == ' ')
			hex++;
		if (!*hex)
			break;
		assert_int_equal(sscanf(hex, "%2x", &v), 1);
		p[i] = (uint8_t)v;
		hex += 2;
	}
	const struct rst_layout *layout = rst_layout_of(p, version);
	assert_non_null(layout);
	assert_string_equal(layout->name, name);
	int n = rst_fields_of(layout, p, fields);
	for (int i = 0; i < n; i++) {
		size_t at = strlen(got);
		const struct cairn_field *field = &fields[i];
		if (field->kind == CAIRN_FIELD_NAME)
			snprintf(got + at, sizeof got - at, "%s=%s ", field->name, field->text);
		else if (field->kind >= CAIRN_FIELD_TEXT)
			snprintf(got + at, sizeof got - at, "%s=%.*s ", field->name, (int)field->len,
			         field->text);
		else
			snprintf(got + at, sizeof got - at,
			         field->kind == CAIRN_FIELD_HEX ? "%s=%#llx " : "%s=%llu ", field->name,
			         (unsigned long long)field->value);
	}
	assert_string_equal(got, text);
}

static void records_written_by_hand_say_what_was_meant(void **state)
{
	(void)state;
	expect("02 02 0d 25 52535420 48656164 65722076 322e3133", 0, "RSTHEADER",
	       "major=2 minor=13 percent=% magic=RST Header v2.13 ");
	expect("03 74 07 c0 81c3e008 00000000 00010000 00000000 00010020", RST_NEWEST, "INSTR",
	       "cpuid=961 pc_va=0x10000 instr=0x81c3e008 ea_valid=1 ea_va=0x10020 tr=1 hpriv=1 "
	       "pr=0 bt=1 an=0 ");
	expect("03 44 07 c0 81c3e008 00000000 00010000 00000000 00010020", RST_VERSION(2, 11),
	       "INSTR_2_11",
	       "cpuid=1 pc_va=0x10000 instr=0x81c3e008 ea_valid=1 ea_va=0x10020 tr=0 "
	       "pr=0 bt=1 an=0 ihash=0x3c0 ");
	expect("04 02 0001 00000000 000000005f000000", RST_NEWEST, "NLEVEL",
	       "rtype2=NLEVEL level=1 val32=0 time=1593835520 ");
	expect("04 03 04 05 00 01 01 00 0000000000000010 0000000000000020", RST_NEWEST, "INFO2",
	       "rtype2=3 max_cpu_id=4 total_num_cpus=5 spec_major=0 spec_minor=1 "
	       "spec_sub_minor=1 date_created=16 date_modified=32 ");
	expect("04 03 0005 0000 0004", RST_NEWEST, "CPUINFO",
	       "rtype2=3 numcpus=5 min_cpuid=0 max_cpuid=4 ");
	expect("04 04 0000 0001 0002 0003", RST_NEWEST, "CPUIDINFO",
	       "rtype2=4 cpuid0=1 cpuid1=2 cpuid2=3 cpuid3=0 cpuid4=0 cpuid5=0 cpuid6=0 cpuid7=0 "
	       "cpuid8=0 cpuid9=0 ");
	expect("04 09 01", RST_NEWEST, "TRACEINFO", "rtype2=9 data=\001 ");
	expect("05 c0 0007 81 20 0000 00000000400002a5 80000000 12340036", RST_NEWEST, "TLB",
	       "cpuid=129 op=demap tlb=D tlb_no=2 tlb_index=7 tte_tag=0x400002a5 "
	       "tte_data=0x8000000012340036 ");
	expect("07 81 08 4e 0012 4000 0000000000020000 0000000000020004", RST_NEWEST, "TRAP",
	       "cpuid=258 async=1 tl=1 ttype=0x4e pstate=0x12 syscall=0 pc=0x20000 npc=0x20004 ");
	expect("08 00 08 40 00000012 0000000000000040", RST_VERSION(2, 5), "TRAPEXIT_2_05",
	       "cpuid=2 tl=0 tstate=0x12 pc=0x40 npc=0 reserved0=0x4000000000 ");
	expect("09 83 01 05 08 00 20 00 0000000000000005", RST_NEWEST, "REGVAL",
	       "cpuid=131 post=1 regtype0=INT regid0=8 value0=0x5 regtype1=UNUSED regid1=0 "
	       "value1=0 ");
	expect("0e 6e77696e73 3d3800", RST_NEWEST, "STRDESC", "text=nwins=8 ");
	expect("11 80 0000 01 68 0014 05 40 000000000000 0000 0001 0000 0002", RST_NEWEST, "PREG",
	       "cpuid=261 traplevel=1 traptype=0x68 pstate=0x14 asi=0x80 primA=0 secA=0x1 primD=0 "
	       "secD=0x2 ");
	expect("11 80 0007", RST_VERSION(2, 4), "CONTEXT",
	       "cpuid=0 traplevel=0 traptype=0 pstate=0 asi=0x80 primA=0 secA=0 primD=0 secD=0 "
	       "lastcontext=0x7 ");
	expect("1a 41 01 08 00000000 0000000000001000 00000000000000ff", RST_NEWEST, "MEMVAL64",
	       "cpuid=257 is128=0 is_va=1 size=8 addr=0x1000 value=0xff ");
	expect("1a 80 01 ff ffffff00 0000000000000001 0000000000000002", RST_NEWEST, "MEMVAL128",
	       "cpuid=1 is128=1 is_va=0 is_cont=0 addr=0xfffffffffffff000 value0=0x1 "
	       "value1=0x2 ");
	expect("1b 91 0803 80000400 0000000000000001 0000000000000040", RST_NEWEST, "BUSTRACE",
	       "txtype=RTO agentid=3 bt_type=1 dirtyvictim=1 shared=0 owned=0 memcancel=1 tdiff=1 "
	       "ns_scale=0 timestamp=1 impl=0x1 pa=0x40 ");
	expect("1f 01 46 00 00000040 0000000000000000 0000000000001000", RST_NEWEST, "RFS_CW_DMA",
	       "cpuid=5 reftype=DMA_R size=64 va=0 pa=0x1000 ");
	expect("1f 01 44 00 80 a8 0000 0000000000000010 0000000000001000", RST_NEWEST, "RFS_CW",
	       "cpuid=5 reftype=PF_D asi=0x80 fcn=10 va_valid=1 va=0x10 pa=0x1000 ");
	expect("22 e0 0040", RST_NEWEST, "TRAPPING_INSTR",
	       "cpuid=1 pc_va=0 instr=0 ea_va_valid=0 ea_pa_valid=0 ea=0 hpriv=1 priv=1 "
	       "iftrap=1 ");
}

/* ---- the page ---- */

struct page {
	char text[1 << 16];
	size_t n;
};

static void say(struct page *page, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(struct page *page, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(page->text + page->n, sizeof page->text - page->n, fmt, ap);
	va_end(ap);
	assert_true(n >= 0 && page->n + (size_t)n < sizeof page->text);
	page->n += (size_t)n;
}

/* "b4", "b8-15", "b1[6]", "b1[6:4]", "b2[1]..b3[6]" */
static void say_place(struct page *page, unsigned bit, unsigned bits)
{
	unsigned last = bit + bits - 1, from = bit / 8, to = last / 8;
	if (bit % 8 == 0 && last % 8 == 7)
		say(page, from == to ? "b%u" : "b%u-%u", from, to);
	else if (bits == 1)
		say(page, "b%u[%u]", from, 7 - bit % 8);
	else if (from == to)
		say(page, "b%u[%u:%u]", from, 7 - bit % 8, 7 - last % 8);
	else
		say(page, "b%u[%u]..b%u[%u]", from, 7 - bit % 8, to, 7 - last % 8);
}

static void say_version(struct page *page, unsigned value)
{
	if (value != RST_ALWAYS && value != RST_FOREVER)
		say(page, "%u.%02u", value >> 8, value & 255);
}

static void say_table(struct page *page)
{
	say(page, "| type | name | layout | since | until | fields |\n|---|---|---|---|---|---|\n");
	for (unsigned i = 0; i < RST_N_LAYOUTS; i++) {
		const struct rst_layout *layout = rst_layout_by_id(i);
		say(page, "| %u | `%s` | `%s` | ", layout->type, layout->type_name, layout->name);
		say_version(page, layout->since);
		say(page, " | ");
		say_version(page, layout->last);
		say(page, " |");
		for (const struct rst_field *field = layout->fields; field->name; field++) {
			say(page, "%s `%s` ", field == layout->fields ? "" : ",", field->name);
			say_place(page, field->bit, field->bits);
			if (field->bits2) {
				say(page, "+");
				say_place(page, field->bit2, field->bits2);
			}
		}
		say(page, " |\n");
	}
}

static void the_page_shows_the_table(void **state)
{
	static const char begin[] = "rewrites it -->\n", end[] = "<!-- end of records -->";
	static struct page want, page, out;
	(void)state;
	FILE *f = fopen(RST_PAGE, "r");
	assert_non_null(f);
	page.n = fread(page.text, 1, sizeof page.text - 1, f);
	fclose(f);
	say_table(&want);
	char *a = strstr(page.text, begin), *b = strstr(page.text, end);
	assert_true(a && b && a < b);
	a += sizeof begin - 1;
	if ((size_t)(b - a) == want.n && !memcmp(a, want.text, want.n))
		return;
	if (!getenv("UPDATE"))
		fail_msg("the table in docs/formats/rst.md is not that of fields.h: UPDATE=1 "
		         "rewrites it");
	say(&out, "%.*s%s%s", (int)(a - page.text), page.text, want.text, b);
	f = fopen(RST_PAGE, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(out.text, 1, out.n, f), out.n);
	assert_int_equal(fclose(f), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_bit_belongs_to_two_fields),
		cmocka_unit_test(every_layout_is_chosen_in_its_versions),
		cmocka_unit_test(what_is_taken_apart_can_be_put_together),
		cmocka_unit_test(what_does_not_fit_is_refused),
		cmocka_unit_test(the_short_way_to_the_cpu_is_the_table_s),
		cmocka_unit_test(getters_and_putters_are_the_table_s),
		cmocka_unit_test(what_is_reserved_is_cleared),
		cmocka_unit_test(the_page_shows_the_table),
		cmocka_unit_test(records_written_by_hand_say_what_was_meant),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
