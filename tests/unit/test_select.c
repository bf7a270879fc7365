/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selections: what each spelling of a region and each part of the expression
 * language keeps, on a batch built by hand, and what refusing says.
 *
 * A result is written as a string of the row numbers kept ("1 3"), which reads
 * like the trace.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cairn/cairn.h"
#include "model/select_internal.h"

enum { N = 8, X = 4 };

/* Eight RV64 instructions from number 101, with two contexts. */
static struct cairn_insn insns[N + 2];
static struct cairn_reg regs[5];
static struct cairn_mem mems[5];
static struct cairn_event events[3];
static struct cairn_ctx ctxs[2];
static struct cairn_xact xacts[X];
static uint8_t bytes[64];
static struct cairn_batch batch, xbatch;

static void fill_children(void)
{
	static const char text[] = "hello world";
	/* row 0: x10 = 7 written, x5 read; row 1: wide vector register, unknown value */
	regs[0] = (struct cairn_reg){.value = 5,
	                             .bits = 64,
	                             .num = 5,
	                             .cls = CAIRN_REG_INT,
	                             .role = CAIRN_ROLE_SRC,
	                             .flags = CAIRN_VALUE_KNOWN};
	regs[1] = (struct cairn_reg){.value = 7,
	                             .bits = 64,
	                             .num = 10,
	                             .cls = CAIRN_REG_INT,
	                             .role = CAIRN_ROLE_DST,
	                             .flags = CAIRN_VALUE_KNOWN};
	regs[2] = (struct cairn_reg){.value = 16,
	                             .bits = 128,
	                             .num = 1,
	                             .cls = CAIRN_REG_VECTOR,
	                             .role = CAIRN_ROLE_DST,
	                             .flags = CAIRN_VALUE_KNOWN | CAIRN_VALUE_WIDE};
	regs[3] = (struct cairn_reg){.num = 10, .cls = CAIRN_REG_INT, .role = CAIRN_ROLE_DST};
	bytes[16] = 0xab;
	bytes[31] = 1;
	/* row 2: a read of 8 and a write of 4 elsewhere; row 3: a write of unknown value */
	mems[0] = (struct cairn_mem){.addr = 0x1000,
	                             .pa = 0x91000,
	                             .value = 42,
	                             .size = 8,
	                             .kind = CAIRN_MEM_READ,
	                             .flags = CAIRN_VALUE_KNOWN | CAIRN_VALUE_PA};
	mems[1] = (struct cairn_mem){.addr = 0x2000,
	                             .value = 1,
	                             .size = 4,
	                             .kind = CAIRN_MEM_WRITE,
	                             .flags = CAIRN_VALUE_KNOWN};
	mems[2] = (struct cairn_mem){.addr = 0x3000, .size = 8, .kind = CAIRN_MEM_WRITE};
	mems[3] = (struct cairn_mem){.size = 1,
	                             .kind = CAIRN_MEM_READ,
	                             .initiator = CAIRN_BY_DMA,
	                             .flags = CAIRN_VALUE_ADDR_UNKNOWN};
	/* row 4: an exception with two arguments; row 5: a comment */
	events[0] = (struct cairn_event){.code = 2,
	                                 .target = 0x100,
	                                 .args = 32,
	                                 .len = 16,
	                                 .kind = CAIRN_EV_EXCEPTION,
	                                 .flags = CAIRN_EVF_TARGET,
	                                 .phase = CAIRN_AFTER};
	events[1] = (struct cairn_event){.args = 48,
	                                 .len = sizeof text - 1,
	                                 .kind = CAIRN_EV_COMMENT,
	                                 .flags = CAIRN_EVF_BYTES};
	memcpy(bytes + 32, &(uint64_t){77}, 8);
	memcpy(bytes + 40, &(uint64_t){78}, 8);
	memcpy(bytes + 48, text, sizeof text - 1);
}

static void fill_insns(void)
{
	static const uint8_t cls[N] = {CAIRN_CLASS_INT,    CAIRN_CLASS_VECTOR, CAIRN_CLASS_ATOMIC,
	                               CAIRN_CLASS_STORE,  CAIRN_CLASS_SYSTEM, CAIRN_CLASS_BRANCH,
	                               CAIRN_CLASS_BRANCH, CAIRN_CLASS_UNKNOWN};
	static const uint32_t traits[N] = {0,
	                                   CAIRN_TRAIT_VECTOR,
	                                   CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE | CAIRN_TRAIT_ATOMIC,
	                                   CAIRN_TRAIT_STORE,
	                                   CAIRN_TRAIT_SYSCALL,
	                                   CAIRN_TRAIT_BRANCH,
	                                   CAIRN_TRAIT_BRANCH,
	                                   0};
	static const uint16_t reg0[N + 2] = {0, 2, 4, 4, 4, 4, 4, 4, 4, 4};
	static const uint16_t mem0[N + 2] = {0, 0, 0, 2, 3, 4, 4, 4, 4, 4};
	static const uint16_t ev0[N + 2] = {0, 0, 0, 0, 0, 1, 2, 2, 2, 2};
	for (uint32_t i = 0; i < N + 2; i++) {
		insns[i] = (struct cairn_insn){.pc = 0x8000 + 4 * i,
		                               .enc = 0x13 + i,
		                               .rec = 3 * i,
		                               .off = 10 * i,
		                               .size = 4,
		                               .isa = CAIRN_ISA_RV64,
		                               .ctx = i >= 4,
		                               .reg0 = reg0[i],
		                               .mem0 = mem0[i],
		                               .ev0 = ev0[i]};
		insns[i].cls = i < N ? cls[i] : 0;
		insns[i].traits = i < N ? traits[i] : 0;
	}
	insns[4].flags = CAIRN_INSN_ABORTED;
	insns[5].flags = CAIRN_INSN_TAKEN | CAIRN_INSN_TARGET;
	insns[5].target = 0x8000;
	insns[6].flags = CAIRN_INSN_NOT_TAKEN;
	insns[7].flags = CAIRN_INSN_PC_UNKNOWN | CAIRN_INSN_ENC_UNKNOWN;
	insns[7].pc = 0x8000; /* must not be looked at */
	insns[7].size = 2;
}

static int setup(void **state)
{
	fill_children();
	fill_insns();
	ctxs[0] = (struct cairn_ctx){.known = CAIRN_CTX_HART | CAIRN_CTX_PRIV,
	                             .hart = 1,
	                             .priv = CAIRN_PRIV_MACHINE,
	                             .pid = 42};
	ctxs[1] = (struct cairn_ctx){.known = CAIRN_CTX_HART | CAIRN_CTX_PRIV | CAIRN_CTX_PID,
	                             .hart = 2,
	                             .priv = CAIRN_PRIV_USER,
	                             .pid = 42};
	batch = (struct cairn_batch){.n0 = 101,
	                             .rec0 = 1000,
	                             .off0 = 5000,
	                             .have = CAIRN_EVERYTHING,
	                             .n_insns = N,
	                             .n_regs = 4,
	                             .n_mems = 4,
	                             .n_events = 2,
	                             .n_ctxs = 2,
	                             .n_bytes = sizeof bytes,
	                             .insns = insns,
	                             .regs = regs,
	                             .mems = mems,
	                             .events = events,
	                             .ctxs = ctxs,
	                             .bytes = bytes};
	for (uint32_t i = 0; i < X; i++)
		xacts[i] = (struct cairn_xact){.id = 50 + i,
		                               .delta = 3,
		                               .address = 0x100 * i,
		                               .size = 6,
		                               .code = (uint8_t)i,
		                               .channel = 1,
		                               .rec = i,
		                               .known = i ? CAIRN_XACT_OP | CAIRN_XACT_ADDRESS : 0};
	xbatch = (struct cairn_batch){.x0 = 11,
	                              .rec0 = 7,
	                              .have = CAIRN_EVERYTHING,
	                              .n_xacts = X,
	                              .xacts = xacts,
	                              .insns = insns + N,
	                              .bytes = bytes};
	*state = cairn_new(NULL);
	return *state == NULL;
}

static int teardown(void **state)
{
	cairn_free(*state);
	return 0;
}

/* What a selection keeps, as row indices. */
static const char *kept(const struct cairn_select *select, const struct cairn_batch *b)
{
	static char out[64];
	uint8_t keep[N];
	size_t n = 0;
	memset(keep, 0xee, sizeof keep);
	uint32_t count = cairn_select_batch(select, b, keep),
			 rows = b->n_insns ? b->n_insns : b->n_xacts;
	out[0] = '\0';
	for (uint32_t i = 0; i < rows; i++) {
		assert_true(keep[i] <= 1);
		count -= keep[i];
		if (keep[i])
			n += (size_t)snprintf(out + n, sizeof out - n, n ? " %u" : "%u", i);
	}
	assert_int_equal(count, 0);
	return out;
}

static const char *select_in(struct cairn *cairn, const struct cairn_batch *b, const char *r1,
                             const char *r2, const char *where)
{
	struct cairn_select *select = cairn_select_new(cairn, NULL);
	assert_non_null(select);
	const char *text = "";
	if ((r1 && cairn_select_region(select, r1) < 0) ||
	    (r2 && cairn_select_region(select, r2) < 0) ||
	    (where && cairn_select_where(select, where) < 0))
		text = cairn_error_text(cairn);
	else
		text = kept(select, b);
	cairn_select_free(select);
	return text;
}

#define REGION(c, r, want) assert_string_equal(select_in(c, &batch, r, NULL, NULL), want)
#define REGIONS(c, r, q, want) assert_string_equal(select_in(c, &batch, r, q, NULL), want)
#define WHERE(c, e, want) assert_string_equal(select_in(c, &batch, NULL, NULL, e), want)
#define XWHERE(c, e, want) assert_string_equal(select_in(c, &xbatch, NULL, NULL, e), want)

static void everything(void **state)
{
	struct cairn_select *select = cairn_select_new(*state, NULL);
	uint64_t first, last;
	assert_int_equal(cairn_select_all(select), 1);
	assert_string_equal(kept(select, &batch), "0 1 2 3 4 5 6 7");
	cairn_select_bounds(select, &first, &last);
	assert_true(first == 1 && last == UINT64_MAX);
	assert_int_equal(cairn_select_parts(select), 0);
	assert_int_equal(cairn_select_records_ok(select), 1);
	cairn_select_free(select);
	cairn_select_free(NULL);
}

static void regions_of_numbers(void **state)
{
	struct cairn *cairn = *state;
	REGION(cairn, "103..105", "2 3 4");
	REGION(cairn, "103..", "2 3 4 5 6 7");
	REGION(cairn, "..103", "0 1 2");
	REGION(cairn, "103+2", "2 3");
	REGION(cairn, "103", "2");
	REGION(cairn, " 103 .. 104", "region ' 103 .. 104', character 6: does not belong to a region");
	REGION(cairn, " 1_0_3..104 ", "2 3");
	REGION(cairn, "1k", "");
	REGION(cairn, "..1k", "0 1 2 3 4 5 6 7");
	REGION(cairn, "1..18446744073709551615", "0 1 2 3 4 5 6 7");
	REGION(cairn, "108+18446744073709551615", "7");
	REGION(cairn, "103..107,..104", "2 3");
	REGIONS(cairn, "101", "107..108", "0 6 7");
	REGIONS(cairn, "101..103", "103..104", "0 1 2 3");
	REGIONS(cairn, "1..50", "300..", "");
}

static void ranges_are_merged(void **state)
{
	static const char *const list[] = {"50..60", "10..20", "30..40", "21..29", "61",
	                                   "15..35", "1000..", "2000+5", "999"};
	struct cairn_select *select = cairn_select_new(*state, NULL);
	struct cairn_record rec = {.number = 1};
	uint64_t first, last;
	for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
		assert_int_equal(cairn_select_region(select, list[i]), 0);
	for (uint64_t n = 1; n < 3000; n++) {
		int want = (n >= 10 && n <= 40) || (n >= 50 && n <= 61) || n >= 999;
		rec.insn = n;
		assert_int_equal(cairn_select_record(select, &rec), want);
	}
	rec.insn = 0; /* belongs to no instruction */
	assert_int_equal(cairn_select_record(select, &rec), 0);
	cairn_select_bounds(select, &first, &last);
	assert_true(first == 10 && last == UINT64_MAX);
	cairn_select_free(select);
}

static void other_regions(void **state)
{
	struct cairn *cairn = *state;
	REGION(cairn, "r1003..r1009", "1 2 3");
	REGION(cairn, "r1003..1009", "1 2 3");
	REGION(cairn, "r1003", "1");
	REGION(cairn, "r1004", "");
	REGION(cairn, "r1003+4", "1 2");
	REGION(cairn, "..r1003", "0 1");
	REGION(cairn, "r1018..", "6 7");
	REGION(cairn, "0x8000", "0");
	REGION(cairn, "0x8004-0x800B", "1 2");
	REGION(cairn, "0x0-0xffffffffffffffff", "0 1 2 3 4 5 6");
	REGION(cairn, "cpu1", "0 1 2 3");
	REGION(cairn, "hart2", "4 5 6 7");
	REGION(cairn, "cpu3", "");
	REGION(cairn, "pid42", "4 5 6 7"); /* not known in the first context */
	REGION(cairn, "tid0", "");
	REGION(cairn, "asid0", "");
	REGION(cairn, "cpu1,103..", "2 3");
	REGION(cairn, "0x8000-0x8010 , cpu2", "4");
	REGION(cairn, "r1003..,..105,cpu2", "4");
	REGIONS(cairn, "108", "cpu1,102", "1 7");
	batch.have &= ~(uint32_t)(CAIRN_CONTEXT | CAIRN_PLACES | CAIRN_PC);
	REGION(cairn, "cpu1", "");
	REGION(cairn, "r1..", "");
	REGION(cairn, "0x0-0xffffffffffffffff", "");
}

static void impossible_regions(void **state)
{
	struct cairn *cairn = *state;
	static const char *const bad[] = {"",
	                                  " ",
	                                  ",",
	                                  "1,",
	                                  ",1",
	                                  "..",
	                                  "1...2",
	                                  "1..2..3",
	                                  "1-2",
	                                  "0",
	                                  "0..5",
	                                  "..0",
	                                  "2000..1000",
	                                  "5+0",
	                                  "5+",
	                                  "1..0x5",
	                                  "r",
	                                  "r0",
	                                  "r5..r4",
	                                  "1..r5",
	                                  "0x",
	                                  "0x10..0x20",
	                                  "0x10+5",
	                                  "0x20-0x10",
	                                  "0x10-20",
	                                  "cpu",
	                                  "cpux",
	                                  "cpu70000",
	                                  "pid4294967296",
	                                  "cpu1..2",
	                                  "cpu1,cpu2",
	                                  "1..5,6..9",
	                                  "0x1,0x2",
	                                  "main",
	                                  "@",
	                                  "@main",
	                                  "99999999999999999999",
	                                  "18446744073709551616",
	                                  "9999999999999999999G",
	                                  "1k0",
	                                  "_1",
	                                  "1_",
	                                  "1__0",
	                                  "-5",
	                                  "1 2",
	                                  "\x01",
	                                  "\xff\xfe"};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct cairn_select *select = cairn_select_new(cairn, NULL);
		if (cairn_select_region(select, bad[i]) != CAIRN_E_INVAL)
			fail_msg("'%s' was accepted", bad[i]);
		assert_int_equal(cairn_select_all(select), 1);
		assert_non_null(strstr(cairn_error_text(cairn), "region '"));
		cairn_select_free(select);
	}
	REGION(cairn, "2000..1000",
	       "region '2000..1000', character 7: the range ends before it begins");
	REGION(cairn, "cpu1,0..5", "region 'cpu1,0..5', character 6: instructions are numbered from 1");
	REGION(cairn, "1..5,6..9",
	       "region '1..5,6..9', character 6: selects nothing together with what is before "
	       "the comma");
	REGION(cairn, "@main",
	       "region '@main', character 1: '@main' is a symbol, and there is no image to look "
	       "it up in");
}

static void long_texts_are_shown_in_part(void **state)
{
	char text[2000];
	memset(text, '1', sizeof text);
	for (size_t i = 0; i + 1 < sizeof text; i += 8)
		memcpy(text + i, "1..9999,", 8);
	memcpy(text + 1000, "\xc3\xa4\xc3\xa4;", 5);
	text[sizeof text - 1] = '\0';
	struct cairn_select *select = cairn_select_new(*state, NULL);
	assert_int_equal(cairn_select_region(select, text), CAIRN_E_INVAL);
	assert_non_null(strstr(cairn_error_text(*state), "character 1001"));
	assert_true(strlen(cairn_error_text(*state)) < 400);
	cairn_select_free(select);
}

static void bounds_and_needs(void **state)
{
	static const struct {
		const char *region, *where;
		uint64_t first, last;
		int context, records, alone;
		uint32_t parts;
	} at[] = {
		{"5..9", NULL, 5, 9, 0, 0, 1, 0},
		{"5..9,cpu1", NULL, 5, 9, 1, 0, 0, CAIRN_CONTEXT},
		{"cpu1", NULL, 1, UINT64_MAX, 1, 0, 0, CAIRN_CONTEXT},
		{"r5..r9", NULL, 1, UINT64_MAX, 0, 1, 1, CAIRN_PLACES},
		{"0x10", NULL, 1, UINT64_MAX, 0, 0, 0, CAIRN_PC},
		{NULL, "n>=5 && n<9", 5, 8, 0, 0, 0, 0},
		{NULL, "10 > n && (pc==1 || pc==2) && n > 2", 3, 9, 0, 0, 0, CAIRN_PC},
		{NULL, "n==7", 7, 7, 0, 0, 0, 0},
		{NULL, "n>5 || n==2", 1, UINT64_MAX, 0, 0, 0, 0},
		{NULL, "!(n>5)", 1, UINT64_MAX, 0, 0, 0, 0},
		{NULL, "n>5 && (n<7 || pc==1)", 6, UINT64_MAX, 0, 0, 0, CAIRN_PC},
		{"1..100", "n>50", 51, 100, 0, 0, 0, 0},
		{"1..100", "n>500", 1, 100, 0, 0, 0, 0},
		{NULL, "pid==1", 1, UINT64_MAX, 1, 0, 0, CAIRN_CONTEXT},
		{NULL, "record>1", 1, UINT64_MAX, 0, 1, 0, CAIRN_PLACES},
		{NULL, "class==load", 1, UINT64_MAX, 0, 0, 0, CAIRN_CLASS},
		{NULL, "addr>1", 1, UINT64_MAX, 0, 0, 0, CAIRN_MEMS},
		{NULL, "event", 1, UINT64_MAX, 0, 0, 0, CAIRN_EVENTS},
	};
	for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
		struct cairn_select *select = cairn_select_new(*state, NULL);
		uint64_t first, last;
		assert_true(!at[i].region || cairn_select_region(select, at[i].region) == 0);
		assert_true(!at[i].where || cairn_select_where(select, at[i].where) == 0);
		cairn_select_bounds(select, &first, &last);
		assert_true(first == at[i].first && last == at[i].last);
		assert_int_equal(cairn_select_needs_context(select), at[i].context);
		assert_int_equal(cairn_select_needs_records(select), at[i].records);
		assert_int_equal(cairn_select_records_ok(select), at[i].alone);
		assert_int_equal(cairn_select_parts(select), at[i].parts);
		assert_int_equal(cairn_select_all(select), 0);
		cairn_select_free(select);
	}
}

static void records(void **state)
{
	struct cairn_select *select = cairn_select_new(*state, NULL);
	struct cairn_record rec = {.number = 7, .insn = 100};
	assert_int_equal(cairn_select_record(select, &rec), 1);
	assert_int_equal(cairn_select_region(select, "cpu1"), 0);
	assert_int_equal(cairn_select_record(select, &rec), 0);
	assert_int_equal(cairn_select_region(select, "r7,..50"), 0);
	assert_int_equal(cairn_select_record(select, &rec), 0);
	assert_int_equal(cairn_select_region(select, "r5..r7,100"), 0);
	assert_int_equal(cairn_select_record(select, &rec), 1);
	rec.number = 8;
	assert_int_equal(cairn_select_record(select, &rec), 0);
	cairn_select_free(select);
}

static void numbers_and_operators(void **state)
{
	struct cairn *cairn = *state;
	WHERE(cairn, "n==103", "2");
	WHERE(cairn, "n!=103 && n<=104", "0 1 3");
	WHERE(cairn, "105<n", "5 6 7");
	WHERE(cairn, "104>=n and not n==102", "0 2 3");
	WHERE(cairn, "n<102 or n>107", "0 7");
	WHERE(cairn, "n==101 || n==102 && n==103", "0");
	WHERE(cairn, "(n==101 || n==102) && n>=102", "1");
	WHERE(cairn, "!n==101 && !!n<104", "1 2");
	WHERE(cairn, "!(n>101 && n<108)", "0 7");
	WHERE(cairn, "pc & 0xf == 4", "1 5");
	WHERE(cairn, "pc + 4 & 0xf == 0", "3");
	WHERE(cairn, "pc - n - 1 == 0x8000 - 102", "0");
	WHERE(cairn, "n & 1", "0 2 4 6");
	WHERE(cairn, "(n & 1) && n > 104", "4 6");
	WHERE(cairn, "n - 102 == -1", "0");
	WHERE(cairn, "n == 1_00 + 2*1",
	      "expression 'n == 1_00 + 2*1', character 14: this character means "
	      "nothing here");
	WHERE(cairn, "2 + 2 == 4", "0 1 2 3 4 5 6 7");
	WHERE(cairn, "enc == 0x14", "1");
	WHERE(cairn, "size==2", "7");
	WHERE(cairn, "record==1006", "2");
	WHERE(cairn, "offset>=5060", "6 7");
	WHERE(cairn, "true", "0 1 2 3 4 5 6 7");
	WHERE(cairn, "false", "");
	WHERE(cairn, "pc==0x8000", "0");
	WHERE(cairn, "pc in 0x8004-0x8008", "1 2");
	WHERE(cairn, "n in (101, 103..104, 107..)", "0 2 3 6 7");
	WHERE(cairn, "n in ..102", "0 1");
	WHERE(cairn, "n in 0..101", "0");
	assert_string_equal(select_in(cairn, &batch, "102..103", NULL, "n!=102"), "2");
}

static void unknown_is_not_zero(void **state)
{
	struct cairn *cairn = *state;
	WHERE(cairn, "pc!=0", "0 1 2 3 4 5 6");
	WHERE(cairn, "!known(pc)", "7");
	WHERE(cairn, "target!=1", "5");
	WHERE(cairn, "known(target)", "5");
	WHERE(cairn, "target - pc != 0", "5");
	WHERE(cairn, "enc!=0x13", "1 2 3 4 5 6");
	WHERE(cairn, "taken", "5");
	WHERE(cairn, "taken==0", "6");
	WHERE(cairn, "taken!=true", "6");
	WHERE(cairn, "!taken", "0 1 2 3 4 6 7");
	WHERE(cairn, "load==0", "0 1 3 4 5 6"); /* the class of row 7 is not known */
	WHERE(cairn, "mvalue!=42", "2");
	WHERE(cairn, "pid!=7", "4 5 6 7");
	WHERE(cairn, "reg(value!=1)", "0 1");
	WHERE(cairn, "known(mvalue) || known(pa)", "2");
	WHERE(cairn, "reg(!known(value))", "1");
}

static void names(void **state)
{
	struct cairn *cairn = *state;
	WHERE(cairn, "class==store", "3");
	WHERE(cairn, "class!=store && class!=branch", "0 1 2 4 7");
	WHERE(cairn, "class in (store, Branch)", "3 5 6");
	WHERE(cairn, "class =~ '^s'", "3 4");
	WHERE(cairn, "class =~ \"^(int)\"",
	      "expression 'class =~ \"^(int)\"', character 10: patterns have "
	      "no groups and no counts; \\ makes the character plain");
	WHERE(cairn, "isa==rv64 && load", "2");
	WHERE(cairn, "store", "2 3");
	WHERE(cairn, "branch && !taken", "6");
	WHERE(cairn, "syscall", "4");
	WHERE(cairn, "executed==0", "4");
	WHERE(cairn, "aborted && !annulled && !discarded", "4");
	WHERE(cairn, "priv==m", "0 1 2 3");
	WHERE(cairn, "priv==user", "4 5 6 7");
	WHERE(cairn, "priv in (0, machine)", "0 1 2 3 4 5 6 7");
	WHERE(cairn, "cpu==2 && pid==42", "4 5 6 7");
	WHERE(cairn, "symbol=='main'", "");
}

static void memory(void **state)
{
	struct cairn *cairn = *state;
	WHERE(cairn, "addr>=0x2000", "2 3");
	WHERE(cairn, "addr==0x1000 && write", "2"); /* two accesses */
	WHERE(cairn, "mem(addr==0x1000 && write)", "");
	WHERE(cairn, "mem(addr==0x2000 && write)", "2");
	WHERE(cairn, "!mem(write)", "0 1 4 5 6 7");
	WHERE(cairn, "mem(!write)", "2 4");
	WHERE(cairn, "read", "2 4");
	WHERE(cairn, "write==0", "2 4");
	WHERE(cairn, "mem(size==8 && read) || mem(value==1)", "2");
	WHERE(cairn, "msize==1", "4");
	WHERE(cairn, "addr!=1", "2 3");
	WHERE(cairn, "pa - addr == 0x90000", "2");
	WHERE(cairn, "addr & 0xfff == 0 && n>103", "3");
	WHERE(cairn, "addr & 0x2000", "2 3");
	WHERE(cairn, "addr in 0x2800-0x3800", "3");
	WHERE(cairn, "mem(by==dma)", "4");
	WHERE(cairn, "mem(kind in (read, prefetch) && msize>1)", "2");
	WHERE(cairn, "mem(n==103 && addr==0x2000)", "2");
	WHERE(cairn, "mem(size==n-99)", "2");
}

static void registers(void **state)
{
	struct cairn *cairn = *state;
	WHERE(cairn, "writes(x10)", "0 1");
	WHERE(cairn, "writes(a0)", "0 1");
	WHERE(cairn, "reads(a0)", "");
	WHERE(cairn, "reads(t0)", "0");
	WHERE(cairn, "writes(x7, v1)", "1");
	WHERE(cairn, "reg(name==a0 && value>5)", "0");
	WHERE(cairn, "reg(name!=a0 && role==dst)", "1");
	WHERE(cairn, "reg(name in (t0, t1))", "0");
	WHERE(cairn, "reg(name =~ '^[xv]1$')", "1");
	WHERE(cairn, "reg(rclass==vector && num==1 && bits==128)", "1");
	/* 128 bits: larger than any number, but its lower half can be masked */
	WHERE(cairn, "reg(value>0xffffffffffffffff)", "1");
	WHERE(cairn, "reg(rclass==vector && value==0xab)", "");
	WHERE(cairn, "reg(rclass==vector && value!=0xab)", "1");
	WHERE(cairn, "reg(rclass==vector && value & 0xff == 0xab)", "1");
	WHERE(cairn, "reg(role==src) && writes(a0)", "0");
	regs[2].value = sizeof bytes - 8; /* a value that would reach beyond the bytes */
	WHERE(cairn, "reg(rclass==vector && known(value))", "");
}

static void events_of_rows(void **state)
{
	struct cairn *cairn = *state;
	WHERE(cairn, "event", "4");
	WHERE(cairn, "event(exception)", "4");
	WHERE(cairn, "event(exception && code==2 && etarget==0x100)", "4");
	WHERE(cairn, "event(kind in (comment, interrupt))", "5");
	WHERE(cairn, "event(arg1==78 && nargs==2)", "4");
	WHERE(cairn, "event(arg2!=0)", "");
	WHERE(cairn, "event(phase==after)", "4");
	WHERE(cairn, "event(text =~ 'o w')", "5");
	WHERE(cairn, "event(text == 'hello world')", "5");
	WHERE(cairn, "event(text != 'hello')", "5");
	WHERE(cairn, "event(target==0x100)", "4");
	events[1].len = 1000; /* beyond the bytes */
	WHERE(cairn, "event(text =~ '.')", "");
}

static void transactions(void **state)
{
	struct cairn *cairn = *state;
	assert_string_equal(select_in(cairn, &xbatch, "12..13", NULL, NULL), "1 2");
	assert_string_equal(select_in(cairn, &xbatch, "r9..r10", NULL, NULL), "2 3");
	assert_string_equal(select_in(cairn, &xbatch, "cpu1", "0x0-0xff", NULL), "");
	assert_string_equal(select_in(cairn, &xbatch, "12..,0x0-0xff", NULL, NULL), "");
	XWHERE(cairn, "id==51 || n==14", "1 3");
	XWHERE(cairn, "code!=1", "2 3"); /* not known in the first */
	XWHERE(cairn, "address>=0x200 && size==6 && channel==1 && delta==3 && clock==0", "2 3");
	XWHERE(cairn, "pc==0 || cpu==1 || addr==0 || writes(x1) || event || taken || sink==0", "");
	XWHERE(cairn, "mem(true) || reg(true) || event(true)", "");
	WHERE(cairn, "id==0 || address==0", "");
}

static void sentences(void **state)
{
	struct cairn *cairn = *state;
	WHERE(cairn, "clas==load",
	      "expression 'clas==load', character 1: unknown field 'clas'; did you mean "
	      "'class'?");
	WHERE(cairn, "class==laod",
	      "expression 'class==laod', character 8: unknown name 'laod'; did you mean 'load'?");
	WHERE(cairn, "class=load", "expression 'class=load', character 6: write == to compare");
	WHERE(cairn, "x5==3",
	      "expression 'x5==3', character 1: 'x5' is a register: write reads(x5), writes(x5) "
	      "or "
	      "reg(name==x5 && value==...)");
	WHERE(cairn, "role==dst",
	      "expression 'role==dst', character 1: 'role' is asked of registers: write "
	      "reg(... role ...)");
	WHERE(cairn, "mem(role==dst)",
	      "expression 'mem(role==dst)', character 5: 'role' is asked of registers, this "
	      "group is "
	      "about memory accesses: write them apart, joined by &&");
	WHERE(cairn, "pc",
	      "expression 'pc', character 1: 'pc' is a number: compare it, as in pc==0x10, or "
	      "ask "
	      "known(pc)");
	WHERE(cairn, "class",
	      "expression 'class', character 1: 'class' has many values: compare it, as in "
	      "class==NAME");
	WHERE(cairn, "write(a0)",
	      "expression 'write(a0)', character 1: 'write' takes no parentheses; did you mean "
	      "'writes'?");
	WHERE(cairn, "writes(zz9)",
	      "expression 'writes(zz9)', character 8: no instruction set has a register 'zz9'");
	WHERE(cairn, "1<n<5",
	      "expression '1<n<5', character 4: comparisons do not chain: write 1<n && n<5");
}

static void refused(void **state)
{
	struct cairn *cairn = *state;
	static const char *const bad[] = {"",
	                                  "  ",
	                                  "(",
	                                  ")",
	                                  "()",
	                                  "n",
	                                  "1",
	                                  "n==",
	                                  "==n",
	                                  "n==1)",
	                                  "(n==1",
	                                  "n==1 &&",
	                                  "|| n==1",
	                                  "n==1 n==2",
	                                  "!",
	                                  "-",
	                                  "n=1",
	                                  "n|1",
	                                  "n&&1",
	                                  "n==1x",
	                                  "n==0x",
	                                  "'abc",
	                                  "n==99999999999999999999",
	                                  "load==class",
	                                  "class==(n==1)",
	                                  "(n==1)==1",
	                                  "(load||store)==1",
	                                  "class+1==2",
	                                  "taken+1==1",
	                                  "-taken==1",
	                                  "pc=~'x'",
	                                  "class in",
	                                  "class in ()",
	                                  "class in (load",
	                                  "class in (load,)",
	                                  "class in 64",
	                                  "n in 5..3",
	                                  "n in ..",
	                                  "n in -5",
	                                  "n in 5-",
	                                  "n in load",
	                                  "pc in @main",
	                                  "pc==@main",
	                                  "symbol",
	                                  "symbol<'a'",
	                                  "symbol in 1",
	                                  "symbol==5",
	                                  "known(n==1)",
	                                  "known(symbol)",
	                                  "known()",
	                                  "mem()",
	                                  "mem(1)",
	                                  "mem(mem(read))",
	                                  "mem(reg(num==1))",
	                                  "reg(writes(x1))",
	                                  "mem(event)",
	                                  "reg(addr==1)",
	                                  "event(read)",
	                                  "reg(name==1)",
	                                  "reg(name<a0)",
	                                  "reg(name==nope)",
	                                  "reg(name)",
	                                  "writes()",
	                                  "writes(1)",
	                                  "writes(a0",
	                                  "writes(a0,)",
	                                  "class=~'['",
	                                  "class=~'*'",
	                                  "class=~'\\'",
	                                  "class=~'a{2}'",
	                                  "class=~5",
	                                  "a.b",
	                                  "@",
	                                  "n==1;",
	                                  "\xff",
	                                  "n in 1..2..3",
	                                  "writes == 1",
	                                  "mem",
	                                  "foo(1)"};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct cairn_select *select = cairn_select_new(cairn, NULL);
		if (cairn_select_where(select, bad[i]) != CAIRN_E_INVAL)
			fail_msg("'%s' was accepted", bad[i]);
		assert_non_null(strstr(cairn_error_text(cairn), "expression '"));
		/* the selection is as if nothing had been said */
		assert_int_equal(cairn_select_all(select), 1);
		assert_int_equal(cairn_select_where(select, "n==1"), 0);
		assert_int_equal(cairn_select_where(select, "n==1"), CAIRN_E_STATE);
		cairn_select_free(select);
	}
}

/* `count` times `open`, then `middle`, then `count` times `close`. */
static int nested(struct cairn *cairn, const char *open, const char *middle, const char *close,
                  size_t count)
{
	static char text[1 << 17];
	size_t n = 0, a = strlen(open), z = strlen(close);
	for (size_t i = 0; i < count; i++, n += a)
		memcpy(text + n, open, a);
	memcpy(text + n, middle, strlen(middle));
	n += strlen(middle);
	for (size_t i = 0; i < count; i++, n += z)
		memcpy(text + n, close, z);
	text[n] = '\0';
	struct cairn_select *select = cairn_select_new(cairn, NULL);
	int rc = cairn_select_where(select, text);
	if (rc >= 0)
		kept(select, &batch);
	cairn_select_free(select);
	return rc;
}

static void limits(void **state)
{
	struct cairn *cairn = *state;
	assert_int_equal(nested(cairn, "(", "n==1", ")", 200), 0);
	assert_int_equal(nested(cairn, "(", "n==1", ")", 201), CAIRN_E_INVAL);
	assert_int_equal(nested(cairn, "(", "n==1", ")", 30000), CAIRN_E_INVAL);
	assert_int_equal(nested(cairn, "!", "n==1", "", 60000), 0);
	assert_int_equal(nested(cairn, "", "n==-", "-", 30000), CAIRN_E_INVAL);
	assert_int_equal(nested(cairn, "(1+", "n", ")", 100), CAIRN_E_INVAL);
	assert_int_equal(nested(cairn, "n==1||", "n==2", "", 2000), 0);
	assert_int_equal(nested(cairn, "n==1||", "n==2", "", 3000), CAIRN_E_INVAL);
	assert_int_equal(nested(cairn, "n==1||", "n==2", "", 20000), CAIRN_E_INVAL);
	assert_int_equal(nested(cairn, "", "n+n", "+n", 3000), CAIRN_E_INVAL);
	assert_int_equal(nested(cairn, "", "n+n==1", "+n", 1000), 0);
	assert_int_equal(nested(cairn, "", "n==1+1", "+1", 10000), 0); /* folded */
	assert_int_equal(nested(cairn, "", "writes(a0", ",a0", 300), CAIRN_E_INVAL);
	assert_int_equal(nested(cairn, "symbol=~'a'||", "n==1", "", 15), 0);
	assert_int_equal(nested(cairn, "symbol=~'a'||", "n==1", "", 17), CAIRN_E_INVAL);
}

static void patterns(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool want;
	} at[] = {
		{"", "", true},
		{"", "abc", true},
		{"b", "abc", true},
		{"d", "abc", false},
		{"^b", "abc", false},
		{"^ab", "abc", true},
		{"c$", "abc", true},
		{"b$", "abc", false},
		{"^$", "", true},
		{"^$", "a", false},
		{"a.c", "xabcx", true},
		{"a.c", "ac", false},
		{"ab*c", "ac", true},
		{"ab*c", "abbbc", true},
		{"ab+c", "ac", false},
		{"ab+c", "abbc", true},
		{"ab?c", "ac", true},
		{"ab?c", "abbc", false},
		{"^[a-c]+$", "abcabc", true},
		{"^[a-c]+$", "abcd", false},
		{"[^a-c]", "abc", false},
		{"[^a-c]", "abcd", true},
		{"[]]", "]", true},
		{"[a-]", "-", true},
		{"x|bc", "abc", true},
		{"x|y", "abc", false},
		{"^a$|^abc$", "abc", true},
		{"a\\.c", "abc", false},
		{"a\\.c", "a.c", true},
		{"a*a*a*a*a*b", "aaaaaaaaaaaaaaaac", false},
		{"^.*$", "anything", true},
		{"a$b", "a$b", true},
		{"\\|", "|", true},
		{"a|", "b", true},
	};
	for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
		const char *why;
		struct expr_match *match =
			expr_match_new(*state, at[i].pattern, strlen(at[i].pattern), &why);
		assert_non_null(match);
		if (expr_match_find(match, at[i].text, strlen(at[i].text)) != at[i].want)
			fail_msg("'%s' in '%s'", at[i].pattern, at[i].text);
		expr_match_free(*state, match);
	}
}

/* This program is an ELF file with a symbol for each function. */
static void symbols(void **state)
{
	struct cairn *cairn = *state;
	struct cairn_image *im = cairn_image_new(cairn);
	if (!im || cairn_image_add(im, "/proc/self/exe") < 0) {
		cairn_image_free(im);
		skip();
	}
	const struct cairn_symbol *symbol = cairn_image_symbol(im, "main", 4);
	assert_non_null(symbol);
	assert_true(symbol->size > 16);
	for (uint32_t i = 0; i < N; i++)
		insns[i].pc = symbol->addr + 2 * i;
	insns[1].pc = symbol->addr + symbol->size - 1;
	insns[2].pc = symbol->addr + symbol->size;
	static const struct {
		const char *region, *where, *want;
	} at[] = {
		{"@main", NULL, "0 1 3 4 5 6"},
		{"@main,cpu1", NULL, "0 1 3"},
		{"@\"main\"+0x8", NULL, "4"},
		{NULL, "pc in @main", "0 1 3 4 5 6"},
		{NULL, "pc in @main+6", "3"},
		{NULL, "pc == @main + 6", "3"},
		{NULL, "symbol == main", "0 1 3 4 5 6"},
		{NULL, "symbol =~ '^mai'", "0 1 3 4 5 6"},
	};
	for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
		struct cairn_select *select = cairn_select_new(cairn, im);
		assert_true(!at[i].region || cairn_select_region(select, at[i].region) == 0);
		assert_true(!at[i].where || cairn_select_where(select, at[i].where) == 0);
		assert_string_equal(kept(select, &batch), at[i].want);
		assert_int_equal(cairn_select_region(select, "@no_such_function"), CAIRN_E_NOTFOUND);
		cairn_select_free(select);
	}
	cairn_image_free(im);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(everything),
		T(regions_of_numbers),
		T(ranges_are_merged),
		T(other_regions),
		T(impossible_regions),
		T(long_texts_are_shown_in_part),
		T(bounds_and_needs),
		T(records),
		T(numbers_and_operators),
		T(unknown_is_not_zero),
		T(names),
		T(memory),
		T(registers),
		T(events_of_rows),
		T(transactions),
		T(sentences),
		T(refused),
		T(limits),
		T(patterns),
		T(symbols),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
