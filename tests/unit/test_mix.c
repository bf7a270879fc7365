/* SPDX-License-Identifier: Apache-2.0 */
/* The mix, against counting row by row; the map and the tables it is made with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/result.h"
#include "analysis/rows.h"
#include "base/map.h"

enum { INSNS = 250000 };

static int mix(struct cairn_reader *reader, const struct cairn_analysis_opts *opts, const void *by,
               struct cairn_result **res)
{
	struct cairn_analysis_opts told = *opts;
	const struct cairn_info *info;
	assert_true(cairn_reader_info(reader, &info) >= 0);
	for (size_t i = 0; i < info->n; i++)
		if (info->facts[i].is_known && !strcmp(info->facts[i].key, "isa_extended"))
			told.isa_string = info->facts[i].text;
	return cairn_mix(reader, &told, by, res);
}

/* ---- the map ---- */

static void a_map_counts_like_a_list(void **state)
{
	(void)state;
	enum { KEYS = 3000, STEPS = 200000 };
	struct cairn *cairn = cairn_new(NULL);
	struct base_map map;
	static uint64_t counts[KEYS];
	uint64_t x = 1;
	memset(counts, 0, sizeof counts);
	base_map_init(&map, cairn, 2);
	for (unsigned i = 0; i < STEPS; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		uint64_t k = (x >> 33) % KEYS;
		/* Keys alike in their low bits, as addresses are. */
		uint64_t *row = base_map_at(&map, k << 40, k % 7);
		assert_non_null(row);
		row[0]++;
		row[1] += k;
		counts[k]++;
	}
	size_t distinct = 0;
	for (uint64_t k = 0; k < KEYS; k++) {
		uint64_t *row = base_map_find(&map, k << 40, k % 7);
		distinct += counts[k] != 0;
		assert_int_equal(row ? row[0] : 0, counts[k]);
		assert_int_equal(row ? row[1] : 0, counts[k] * k);
		assert_null(base_map_find(&map, k << 40, 8));
	}
	assert_int_equal(map.n, distinct);
	struct base_map twice;
	base_map_init(&twice, cairn, 2);
	assert_true(base_map_add(&twice, &map) >= 0 && base_map_add(&twice, &map) >= 0);
	for (size_t i = 0; i < map.n; i++) { /* in the same order */
		assert_int_equal(base_map_row(&twice, i)[0], base_map_row(&map, i)[0]);
		assert_int_equal(base_map_row(&twice, i)[2], 2 * base_map_row(&map, i)[2]);
	}
	base_map_clear(&map);
	assert_null(base_map_find(&map, 0, 0));
	base_map_free(&map);
	base_map_free(&twice);
	cairn_free(cairn);
}

/* ---- tables ---- */

static void tables_print_what_they_hold(void **state)
{
	(void)state;
	static const struct cairn_column columns[] = {{"name", CAIRN_CELL_TEXT, 0, NULL},
	                                              {"n", CAIRN_CELL_COUNT, 0, NULL},
	                                              {"at", CAIRN_CELL_ADDRESS, 0, NULL},
	                                              {"part", CAIRN_CELL_REAL, 1, NULL},
	                                              {"by", CAIRN_CELL_SIGNED, 0, NULL}};
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_result *res = result_new(cairn, NULL);
	struct result_table *table = result_table(res, "things", columns, 5);
	struct cairn_cell *row = result_row(res, table);
	cell_text(&row[0], result_text(res, "a,\"%s\x1b", "b"));
	cell_number(&row[1], 12345);
	cell_number(&row[2], 0xabc);
	cell_share(&row[3], 1, 3);
	cell_number(&row[4], (uint64_t)-8);
	row = result_row(res, table);
	cell_share(&row[3], 1, 0);
	result_note(res, "said once");
	result_note(res, "said once");
	struct cairn_text *out = cairn_text_new(cairn);
	struct cairn_print_opts opts = {.size = sizeof opts};
	size_t n;
	assert_int_equal(cairn_result_print(res, &opts, out), 0);
	const char *s = cairn_text_get(out, &n);
	static const char text[] = "name          n  at     part  by\n"
							   "a,\"b\\x1b  12345  0xabc  33.3  -8\n"
							   "-             -  -         -   -\n";
	assert_int_equal(n, sizeof text - 1);
	assert_memory_equal(s, text, n);
	cairn_text_clear(out);
	opts.form = CAIRN_FORM_CSV;
	opts.top = 1;
	assert_int_equal(cairn_result_print(res, &opts, out), 0);
	s = cairn_text_get(out, &n);
	static const char csv[] = "name,n,at,part,by\n\"a,\"\"b\\x1b\",12345,0xabc,33.3333333,-8\n";
	assert_int_equal(n, sizeof csv - 1);
	assert_memory_equal(s, csv, n);
	opts.table = "nothing";
	assert_int_equal(cairn_result_print(res, &opts, out), CAIRN_E_NOTFOUND);
	assert_string_equal(cairn_result_note(res, 0), "said once");
	assert_null(cairn_result_note(res, 1));
	cairn_text_free(out);
	cairn_result_free(res);
	cairn_free(cairn);
}

/* ---- the mix ---- */

static void counts_are_those_of_a_walk(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < TRACE_KINDS; kind++) {
		struct trace trace;
		trace_make(&trace, kind, INSNS);
		struct cairn_result *res = analyse(&trace, mix, "class isa,size privilege cpu", 2, 0, NULL);
		const struct cairn_table *cls = table_of(res, "class"), *size = table_of(res, "isa,size");
		uint64_t by_class[CAIRN_CLASS_COUNT] = {0}, by_size[16] = {0}, sum = 0;
		for (size_t i = 0; i < trace.n; i++) {
			by_class[trace.rows[i].in.cls]++;
			by_size[trace.rows[i].in.size & 15]++;
		}
		for (size_t i = 0; i < cls->n_rows; i++) {
			unsigned k = 0;
			while (strcmp(cairn_class_name((enum cairn_class)k), text_of(cls, i, "class")) != 0)
				k++;
			assert_int_equal(number_of(cls, i, "count"), by_class[k]);
			assert_true(i == 0 || number_of(cls, i, "count") <= number_of(cls, i - 1, "count"));
			sum += by_class[k];
		}
		assert_int_equal(sum, trace.n);
		for (size_t i = 0; i < size->n_rows; i++) {
			assert_string_equal(text_of(size, i, "isa"), "rv64");
			assert_int_equal(number_of(size, i, "count"), by_size[number_of(size, i, "size")]);
		}
		cairn_result_free(res);
		trace_free(&trace);
	}
}

static void threads_and_intervals_change_nothing(void **state)
{
	(void)state;
	analyse_all_ways(mix, "class mnemonic,size process,class", INSNS);
}

static void intervals_add_up_to_the_whole(void **state)
{
	(void)state;
	struct trace trace;
	trace_make(&trace, TRACE_FULL, INSNS);
	struct cairn_result *all = analyse(&trace, mix, "class", 2, 0, NULL);
	struct cairn_result *parts = analyse(&trace, mix, "class", 2, 60000, NULL);
	const struct cairn_table *left = table_of(all, "class"), *right = table_of(parts, "class");
	for (size_t i = 0; i < left->n_rows; i++) {
		uint64_t sum = 0;
		for (size_t k = 0; k < right->n_rows; k++) {
			assert_int_equal(number_of(right, k, "first") % 60000, 1);
			if (!strcmp(text_of(right, k, "class"), text_of(left, i, "class")))
				sum += number_of(right, k, "count");
		}
		assert_int_equal(sum, number_of(left, i, "count"));
	}
	assert_int_equal(number_of(right, right->n_rows - 1, "last"), INSNS);
	cairn_result_free(all);
	cairn_result_free(parts);
	trace_free(&trace);
}

static void what_makes_no_sense_is_refused(void **state)
{
	(void)state;
	static const char *const bad[] = {
		"",       "  ",       "class,",       "class,class",
		"colour", "function", "class colour", "class a b c d e f g h i j k l m n o p q"};
	struct trace trace;
	trace_make(&trace, TRACE_LEAN, 1000);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct cairn_reader *reader;
		struct cairn_result *res;
		assert_int_equal(cairn_open(trace.cairn, trace.path, NULL, &reader), 0);
		assert_int_equal(cairn_mix(reader, NULL, bad[i], &res), CAIRN_E_INVAL);
		assert_null(res);
		cairn_close(reader);
	}
	trace_free(&trace);
}

/* ---- names ---- */

/* What our names say of an encoding must be what the disassembler says, aliases apart. */
static void names_agree_with_the_disassembler(void **state)
{
	(void)state;
	static const char *const aliases[][2] = {
		{"addi", "li"},         {"addi", "mv"},         {"addi", "nop"},
		{"addiw", "sext.w"},    {"xori", "not"},        {"sub", "neg"},
		{"subw", "negw"},       {"sltiu", "seqz"},      {"sltu", "snez"},
		{"slt", "sltz"},        {"slt", "sgtz"},        {"beq", "beqz"},
		{"bne", "bnez"},        {"bge", "blez"},        {"bge", "bgez"},
		{"blt", "bltz"},        {"blt", "bgtz"},        {"jal", "j"},
		{"jalr", "jr"},         {"jalr", "ret"},        {"andi", "zext.b"},
		{"add.uw", "zext.w"},   {"fence", "fence.tso"}, {"csrrw", "csrw"},
		{"csrrs", "csrr"},      {"csrrs", "csrs"},      {"csrrc", "csrc"},
		{"csrrwi", "csrwi"},    {"csrrsi", "csrsi"},    {"csrrci", "csrci"},
		{"fsgnj.s", "fmv.s"},   {"fsgnj.d", "fmv.d"},   {"fsgnj.h", "fmv.h"},
		{"fsgnjn.s", "fneg.s"}, {"fsgnjn.d", "fneg.d"}, {"fsgnjn.h", "fneg.h"},
		{"fsgnjx.s", "fabs.s"}, {"fsgnjx.d", "fabs.d"}, {"fsgnjx.h", "fabs.h"},
		{"pack", "zext.h"},     {"csrrw", "unimp"}};
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_disasm *disasm;
	uint64_t x = 99, named = 0, wrong = 0;
	if (cairn_disasm_new(cairn, CAIRN_ISA_RV64, NULL, &disasm) < 0) {
		cairn_free(cairn);
		skip();
	}
	for (unsigned i = 0; i < 3000000; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		static const uint8_t opcodes[] = {0x03, 0x13, 0x1b, 0x23, 0x2f, 0x33, 0x3b,
		                                  0x43, 0x47, 0x4b, 0x4f, 0x53, 0x63, 0x67,
		                                  0x6f, 0x73, 0x0f, 0x17, 0x37};
		uint32_t enc = ((uint32_t)(x >> 32) & ~127u) | opcodes[(x >> 20) % sizeof opcodes];
		const char *name, *ext, *text;
		cairn_isa_mnemonic(CAIRN_ISA_RV64, enc, 4, &name, &ext);
		cairn_disasm_text(disasm, 0, enc, 4, &text);
		struct cairn_op op;
		cairn_isa_decode(CAIRN_ISA_RV64, enc, 4, &op);
		if (text[0] == '<' || op.cls == CAIRN_CLASS_ILLEGAL)
			continue;
		named++;
		size_t n = strcspn(text, " ");
		bool same = name && !strncmp(name, text, strlen(name)) &&
		            /* .aq and .rl are operands; fence.tso and amo*.aq alike */
		            (n == strlen(name) || text[strlen(name)] == '.');
		for (size_t k = 0; k < sizeof aliases / sizeof *aliases && !same && name; k++)
			same = !strcmp(name, aliases[k][0]) && strlen(aliases[k][1]) == n &&
			       !strncmp(text, aliases[k][1], n);
		same |= name && !strncmp(name, "csrr", 4);  /* names of many CSRs: frflags, rdcycle … */
		same |= name && !strncmp(name, "mop.r", 5); /* mop.r.3 */
		if (!same && wrong++ < 10)
			print_error("%08x: we say %s, LLVM %s\n", enc, name ? name : "?", text);
	}
	assert_true(named > 100000);
	assert_int_equal(wrong, 0);
	cairn_disasm_free(disasm);
	cairn_free(cairn);
}

static void compressed_names_agree_with_the_classes(void **state)
{
	(void)state;
	for (unsigned isa = CAIRN_ISA_RV32; isa <= CAIRN_ISA_RV64; isa++)
		for (uint32_t enc = 0; enc < 0x10000; enc++) {
			const char *name, *ext;
			struct cairn_op op;
			if ((enc & 3) == 3)
				continue;
			cairn_isa_decode((enum cairn_isa)isa, enc, 2, &op);
			cairn_isa_mnemonic((enum cairn_isa)isa, enc, 2, &name, &ext);
			if ((op.cls != CAIRN_CLASS_ILLEGAL) != (name != NULL))
				fail_msg("%04x of isa %u: class %s, name %s", enc, isa, cairn_class_name(op.cls),
				         name ? name : "none");
			if (name && (op.traits & CAIRN_TRAIT_LOAD) &&
			    !strstr("c.lw c.ld c.lwsp c.ldsp c.flw "
			            "c.fld c.flwsp c.fldsp c.lbu c.lhu c.lh c.sspopchk c.mop",
			            name))
				fail_msg("%04x is a load, but %s", enc, name);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_map_counts_like_a_list),
		cmocka_unit_test(tables_print_what_they_hold),
		cmocka_unit_test(counts_are_those_of_a_walk),
		cmocka_unit_test(threads_and_intervals_change_nothing),
		cmocka_unit_test(intervals_add_up_to_the_whole),
		cmocka_unit_test(what_makes_no_sense_is_refused),
		cmocka_unit_test(names_agree_with_the_disassembler),
		cmocka_unit_test(compressed_names_agree_with_the_classes),
	};
	return cmocka_run_group_tests_name("mix", tests, NULL, NULL);
}
