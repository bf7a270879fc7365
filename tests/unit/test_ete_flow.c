/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Following ETE: small programs and streams made by hand, what ranges and gaps they
 * come to, and what these become in batches.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <unistd.h>

#include "fixtures/fixtures.h"
#include "formats/ete/format.h"

enum {
	BASE = 0x1000,
	NOP = 0xd503201f,
	B_8 = 0x14000002,
	B_NE_12 = 0x54000061,
	B_NE_BACK_4 = 0x54ffffe1,
	BL_16 = 0x94000004,
	RET = 0xd65f03c0,
	BR = 0xd61f0040,
	SVC = 0xd4000001,
	ERET = 0xd69f03e0,
	ISB = 0xd5033fdf,
	WFI = 0xd503207f,
	LDR = 0xf9400021
};
/* Information bytes of contexts. */
enum { EL1N_64 = 0x31, EL1S_64 = 0x11, EL0N_64 = 0x30, EL1N_32 = 0x21 };

static struct cairn *ctx;

struct made {
	struct cairn_ete_config cfg;
	struct cairn_image *image;
	struct fx_bytes bytes;
	uint8_t transactions;
};

/* ---- making ---- */

static void image_at(struct made *made, const char *space, uint64_t addr, const void *p, size_t n)
{
	char path[] = "/tmp/cairn-flow-XXXXXX", spec[128];
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_true(write(fd, p, n) == (ssize_t)n);
	close(fd);
	snprintf(spec, sizeof spec, "%s@%s:0x%llx", path, space, (unsigned long long)addr);
	if (cairn_image_add(made->image, spec) < 0)
		fail_msg("%s", cairn_error_text(ctx));
	unlink(path);
}

static void start(struct made *made)
{
	memset(made, 0, sizeof *made);
	cairn_ete_config_init(&made->cfg);
	made->image = cairn_image_new(ctx);
	made->transactions = CAIRN_ETE_KEEP;
}

static void code(struct made *made, const uint32_t *words, size_t n)
{
	uint8_t bytes[1024];
	for (size_t i = 0; i < n; i++)
		base_put_le32(bytes + 4 * i, words[i]);
	image_at(made, "ANY", BASE, bytes, 4 * n);
}
#define CODE(m, ...) \
	do { \
		const uint32_t words_[] = {__VA_ARGS__}; \
		code(m, words_, sizeof words_ / sizeof *words_); \
	} while (0)

static void bytes(struct made *made, const void *p, size_t n)
{
	fx_put(&made->bytes, p, n);
}
#define BYTES(m, ...) \
	do { \
		const uint8_t bytes_[] = {__VA_ARGS__}; \
		bytes(m, bytes_, sizeof bytes_); \
	} while (0)

static void synced(struct made *made)
{
	BYTES(made, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0x00);
}

/* Address and context in one; IS1 for T32. */
static void where(struct made *made, uint64_t addr, uint8_t info, bool t32)
{
	unsigned low = t32 ? addr >> 1 & 127 : addr >> 2 & 127;
	unsigned high = t32 ? addr >> 8 & 255 : addr >> 9 & 127;
	BYTES(made, t32 ? 0x86 : 0x85, (uint8_t)low, (uint8_t)high, (uint8_t)(addr >> 16),
	      (uint8_t)(addr >> 24), 0, 0, 0, 0, info);
}

static void address(struct made *made, uint64_t addr)
{
	BYTES(made, 0x9d, addr >> 2 & 127, addr >> 9 & 127, (uint8_t)(addr >> 16),
	      (uint8_t)(addr >> 24), 0, 0, 0, 0);
}

static void begin(struct made *made)
{
	synced(made);
	BYTES(made, 0x04);
	where(made, BASE, EL1N_64, false);
}

/* Atoms one by one, "EN". */
static void atoms(struct made *made, const char *text)
{
	for (; *text; text++)
		BYTES(made, *text == 'E' ? 0xf7 : 0xf6);
}

/* ---- looking ---- */

static void put_step(struct base_buf *out, const struct cairn_ete_step *step)
{
	static const char kinds[] = "-diIWTM";
	if (step->kind == CAIRN_ETE_STEP_RANGE)
		base_buf_printf(out, "%llx-%llx:%u%c%s%s%s%s ", (unsigned long long)step->start,
		                (unsigned long long)step->end, step->n,
		                step->flags & CAIRN_ETE_R_OPEN ? '.' : kinds[step->last],
		                step->flags & CAIRN_ETE_R_TAKEN       ? "E"
		                : step->flags & CAIRN_ETE_R_NOT_TAKEN ? "N"
		                                                      : "",
		                step->flags & CAIRN_ETE_R_INEXACT ? "?" : "",
		                step->flags & CAIRN_ETE_R_DISCARDED ? "x" : "",
		                step->flags & CAIRN_ETE_R_JUMPED ? "^" : "");
	else if (step->kind == CAIRN_ETE_STEP_GAP)
		base_buf_printf(out, "[%s %llx %llx %u] ", cairn_ete_gap_text(step->reason),
		                (unsigned long long)step->start, (unsigned long long)step->end, step->n);
	else if (step->element->kind == CAIRN_ETE_EXCEPTION)
		base_buf_printf(out, "exception%u ", step->element->number);
	else if (step->element->kind == CAIRN_ETE_ATOMS)
		base_buf_printf(out, "atoms%u ", step->element->n_atoms);
	else if (step->element->kind == CAIRN_ETE_SOURCE)
		base_buf_printf(out, "source ");
	else if (step->element->kind == CAIRN_ETE_EXCEPTION_RETURN)
		base_buf_printf(out, "return%s ", step->flags & CAIRN_ETE_R_ERET ? "ed" : "");
	else if (step->element->kind == CAIRN_ETE_FUNCTION_RETURN)
		base_buf_printf(out, "function ");
}

static void follow(struct made *made, const char *expected)
{
	struct cairn_ete_flow_opts opts = {.size = sizeof opts,
	                                   .image = made->image,
	                                   .transactions = made->transactions};
	struct cairn_ete_flow *flow;
	struct cairn_ete_step step;
	struct base_buf out;
	int rc;
	base_buf_init(&out, ctx);
	assert_int_equal(
		cairn_ete_flow_open(ctx, &made->cfg, &opts, made->bytes.data, made->bytes.n, 0, &flow), 0);
	while ((rc = cairn_ete_flow_next(flow, &step)) > 0)
		put_step(&out, &step);
	assert_int_equal(rc, 0);
	base_buf_put(&out, "", 1);
	if (out.len > 1 && out.data[out.len - 2] == ' ')
		out.data[out.len - 2] = 0;
	assert_string_equal((char *)out.data, expected);
	cairn_ete_flow_close(flow);
	base_buf_free(&out);
	cairn_image_free(made->image);
}

/* ---- atoms ---- */

static void test_atoms_lead_from_branch_to_branch(void **state)
{
	struct made made;
	(void)state;
	start(&made);
	CODE(&made, NOP, B_8, NOP, ISB, NOP, B_NE_BACK_4, WFI, BL_16);
	begin(&made);
	atoms(&made, "EEENE");
	follow(&made, "1000-1008:2dE^ 100c-1010:1I 1010-1018:2dE 1010-1018:2dN 1018-1020:2dE");
	/* Waits are P0 where the trace unit says so. */
	start(&made);
	made.cfg.idr2 = 1u << 31;
	CODE(&made, NOP, WFI, B_8);
	begin(&made);
	atoms(&made, "EE");
	follow(&made, "1000-1008:2W^ 1008-100c:1dE");
}

static void test_what_has_no_bytes_is_a_gap(void **state)
{
	struct made made;
	(void)state;
	start(&made);
	CODE(&made, NOP, NOP);
	begin(&made);
	BYTES(&made, 0xff); /* three */
	atoms(&made, "E");
	address(&made, 0x1004);
	atoms(&made, "E");
	follow(&made, "1000-1008:2.^ atoms3 atoms1 [no program bytes 1008 0 4] 1004-1008:1.^ atoms1 "
	              "[no program bytes 1008 0 1]");
	/* Without a program there is nothing to follow, and nothing missing. */
	start(&made);
	begin(&made);
	atoms(&made, "EE");
	follow(&made, "atoms1 atoms1");
}

static void test_atoms_without_an_address_are_counted(void **state)
{
	struct made made;
	(void)state;
	start(&made);
	CODE(&made, NOP, BR, NOP, RET);
	begin(&made);
	atoms(&made, "EEN");
	address(&made, 0x1008);
	atoms(&made, "N");
	follow(&made, "1000-1008:2iE^ atoms1 atoms1 [the address is not known 0 0 2] 1008-1010:2iN^");
	start(&made);
	CODE(&made, NOP);
	synced(&made);
	BYTES(&made, 0x04);
	atoms(&made, "E");
	follow(&made, "atoms1 [the address is not known 0 0 1]");
}

static void test_return_stack(void **state)
{
	struct made made;
	(void)state;
	/* bl 0x1010; (back here) b.ne: N; then a return the stack does not know */
	start(&made);
	made.cfg.configr = 1u << 12;
	made.cfg.idr0 = 1u << 9;
	CODE(&made, BL_16, B_NE_12, NOP, RET, NOP, RET);
	begin(&made);
	atoms(&made, "EENEE");
	follow(&made, "1000-1004:1dE^ 1010-1018:2iE 1004-1008:1dN 1008-1010:2iE atoms1 "
	              "[the return stack is empty 0 0 1]");
	/* An address told wins, and takes nothing from the stack. */
	start(&made);
	made.cfg.configr = 1u << 12;
	made.cfg.idr0 = 1u << 9;
	CODE(&made, BL_16, RET, NOP, RET, NOP, RET);
	begin(&made);
	atoms(&made, "EE");
	address(&made, 0x1008);
	atoms(&made, "EE");
	follow(&made, "1000-1004:1dE^ 1010-1018:2iE 1008-1010:2iE 1004-1008:1iE");
}

static void test_far_runs_are_not_followed(void **state)
{
	struct made made;
	uint8_t *nops = calloc(6, 1 << 20);
	(void)state;
	start(&made);
	image_at(&made, "ANY", BASE, nops, 6 << 20);
	free(nops);
	begin(&made);
	atoms(&made, "E");
	follow(&made, "atoms1 [no branch within a million instructions 1000 0 1]");
}

/* ---- exceptions ---- */

static void test_exceptions_end_ranges(void **state)
{
	struct made made;
	(void)state;
	start(&made); /* a call: svc is the last that ran */
	CODE(&made, NOP, SVC, NOP, B_8);
	begin(&made);
	BYTES(&made, 0x06, 0x05, 0x95, 0x02);
	address(&made, 0x100c);
	atoms(&made, "E");
	follow(&made, "1000-1008:2.^ exception2 100c-1010:1dE^");
	start(&made); /* an interrupt before the first instruction: no range */
	CODE(&made, NOP);
	begin(&made);
	BYTES(&made, 0x06, 0x1d, 0x95, 0x00);
	follow(&made, "exception14");
	start(&made); /* a System Error's address must not be relied on */
	CODE(&made, NOP, NOP, NOP);
	begin(&made);
	BYTES(&made, 0x06, 0x09, 0x95, 0x02);
	follow(&made, "1000-1008:2.?^ exception4");
	start(&made); /* nor one that lies behind a branch the trace does not tell of */
	CODE(&made, NOP, B_8, NOP, NOP);
	begin(&made);
	BYTES(&made, 0x06, 0x1d, 0x95, 0x03);
	follow(&made, "1000-100c:3.?^ exception14");
	start(&made); /* the walk ends with the bytes */
	CODE(&made, NOP, NOP);
	begin(&made);
	BYTES(&made, 0x06, 0x1d, 0x95, 0x7f);
	follow(&made, "1000-1008:2.^ [no program bytes 1008 0 0] exception14");
}

static void test_exception_address_may_be_the_target(void **state)
{
	struct made made;
	(void)state;
	start(&made);
	CODE(&made, NOP, BR, NOP, NOP);
	begin(&made);
	atoms(&made, "E");
	BYTES(&made, 0x06, 0x5c, 0x95, 0x03); /* E1:E0 = 10 */
	follow(&made, "1000-1008:2iE^ exception14");
}

/* ---- source addresses, Q ---- */

static void test_source_address_tells_branches_before_it(void **state)
{
	struct made made;
	(void)state;
	start(&made);
	CODE(&made, NOP, B_NE_12, NOP, B_NE_12, NOP, B_8, NOP, RET);
	begin(&made);
	BYTES(&made, 0xb4, 0x05); /* 0x1014 */
	atoms(&made, "N");
	follow(&made, "1000-1008:2dN^ 1008-1010:2dN 1010-1018:2dE 101c-1020:1iN");
	start(&made); /* an address that no branch stands at */
	CODE(&made, NOP, NOP, NOP, B_8);
	begin(&made);
	BYTES(&made, 0xb4, 0x01);
	follow(&made, "[the source address is not reached 1000 1004 1] source");
}

static void test_source_address_names_its_instruction_set(void **state)
{
	static const uint8_t t32[] = {0x00, 0xbf, 0x00, 0xbf, 0x70, 0x47}; /* nop, nop, bx lr */
	struct made made;
	(void)state;
	start(&made);
	image_at(&made, "ANY", BASE, t32, sizeof t32);
	synced(&made);
	BYTES(&made, 0x04);
	where(&made, 0x2000, EL1N_32, false);       /* A32, far away */
	BYTES(&made, 0xb7, 0x02, 0x10, 0x00, 0x00); /* T32, 0x1004 */
	follow(&made, "1004-1006:1iE^");
}

static void test_q_counts(void **state)
{
	struct made made;
	(void)state;
	start(&made); /* four straight on, then where it goes */
	made.cfg.idr0 = 1u << 15;
	CODE(&made, NOP, NOP, NOP, B_8, NOP, RET);
	begin(&made);
	BYTES(&made, 0xa5, 0x05, 0x04); /* 0x1014 */
	atoms(&made, "N");
	follow(&made, "1000-1010:4dE^ 1014-1018:1iN");
	start(&made); /* a branch within: the way is not told */
	made.cfg.idr0 = 1u << 15;
	CODE(&made, NOP, B_NE_12, NOP, NOP, NOP, RET);
	begin(&made);
	BYTES(&made, 0xa5, 0x05, 0x03);
	atoms(&made, "N");
	follow(&made, "[the trace does not say which way was taken 1000 1014 3] 1014-1018:1iN^");
	start(&made); /* neither count nor address */
	made.cfg.idr0 = 1u << 15;
	CODE(&made, NOP, B_8, RET);
	begin(&made);
	BYTES(&made, 0xaf);
	address(&made, 0x1008);
	atoms(&made, "N");
	follow(&made, "[the trace does not say which way was taken 1000 1008 0] 1008-100c:1iN^");
}

/* ---- sets, spaces, transactions ---- */

static void test_branches_change_the_instruction_set(void **state)
{
	/* A32 at 0x1000: nop, blx 0x1010; T32 at 0x1010: nop, b.n to itself - 2 */
	static const uint8_t bytes_at[] = {0x00, 0xf0, 0x20, 0xe3, 0x01, 0x00, 0x00, 0xfa, 0,    0,
	                                   0,    0,    0,    0,    0,    0,    0x00, 0xbf, 0xfd, 0xe7};
	struct made made;
	(void)state;
	start(&made);
	image_at(&made, "ANY", BASE, bytes_at, sizeof bytes_at);
	synced(&made);
	BYTES(&made, 0x04);
	where(&made, BASE, EL1N_32, false);
	atoms(&made, "EEE");
	follow(&made, "1000-1008:2dE^ 1010-1014:2dE 1010-1014:2dE");
}

static void test_contexts_choose_the_memory(void **state)
{
	uint8_t a[8], b[8];
	struct made made;
	(void)state;
	start(&made);
	base_put_le32(a, NOP);
	base_put_le32(a + 4, RET);
	base_put_le32(b, RET);
	base_put_le32(b + 4, NOP);
	image_at(&made, "EL1N", BASE, a, 8);
	image_at(&made, "EL1S", BASE, b, 8);
	begin(&made);
	atoms(&made, "N");
	where(&made, BASE, EL1S_64, false);
	atoms(&made, "N");
	where(&made, BASE, EL0N_64, false);
	atoms(&made, "N");
	follow(&made, "1000-1008:2iN^ 1000-1004:1iN^ 1000-1008:2iN^");
}

static void failed_transaction(struct made *made)
{
	start(made);
	CODE(made, NOP, 0xd5233060, NOP, B_8, NOP, RET); /* tstart x0 */
	made->cfg.idr0 = 0;
	begin(made);
	atoms(made, "E");
	BYTES(made, 0x0a);
	atoms(made, "E");
	BYTES(made, 0x06, 0x31, 0x70);
	address(made, 0x1008);
	atoms(made, "E");
}

static void test_failed_transactions_are_marked(void **state)
{
	struct made made;
	(void)state;
	failed_transaction(&made);
	follow(&made, "1000-1008:2T^ 1008-1010:2dEx 1008-1010:2dE^");
	failed_transaction(&made);
	made.transactions = CAIRN_ETE_DROP;
	follow(&made, "1000-1008:2T^ 1008-1010:2dE");
}

/* ---- batches ---- */

static struct cairn_reader *open_made(const struct made *made, const char *options)
{
	char from[256];
	struct cairn_open_opts opts = {.size = sizeof opts, .from = from, .image = made->image};
	struct cairn_reader *reader;
	snprintf(from, sizeof from, "ete:trcidr0=%u,trcidr2=%u,trcconfigr=%u%s%s", made->cfg.idr0,
	         made->cfg.idr2, made->cfg.configr, *options ? "," : "", options);
	if (cairn_open_memory(ctx, made->bytes.data, made->bytes.n, &opts, &reader) < 0)
		fail_msg("%s", cairn_error_text(ctx));
	return reader;
}

static void test_rows_know_where_branches_went(void **state)
{
	struct made made;
	struct cairn_batch *batch = cairn_batch_new(ctx);
	(void)state;
	start(&made);
	CODE(&made, NOP, BR, NOP, B_NE_12, LDR, ERET);
	begin(&made);
	atoms(&made, "E");
	address(&made, 0x1008);
	atoms(&made, "NE");
	struct cairn_reader *reader = open_made(&made, "");
	assert_true(cairn_reader_can(reader) & CAIRN_PC);
	assert_int_equal(cairn_next(reader, batch), 1);
	assert_null(check_batch(batch));
	assert_int_equal(batch->n_insns, 6);
	assert_int_equal(batch->insns[1].flags, CAIRN_INSN_TAKEN | CAIRN_INSN_TARGET);
	assert_int_equal(batch->insns[1].target, 0x1008);
	assert_int_equal(batch->insns[3].flags, CAIRN_INSN_NOT_TAKEN | CAIRN_INSN_TARGET);
	assert_int_equal(batch->insns[3].target, 0x1018);
	assert_int_equal(batch->insns[5].flags, CAIRN_INSN_TAKEN);
	assert_int_equal(batch->insns[4].enc, LDR);
	assert_int_equal(batch->ctxs[batch->insns[0].ctx].priv, CAIRN_PRIV_EL1);
	assert_int_equal(batch->ctxs[batch->insns[0].ctx].security, 1);
	assert_int_equal(cairn_next(reader, batch), 0);
	cairn_close(reader);
	cairn_batch_free(ctx, batch);
	cairn_image_free(made.image);
}

/* Also where a batch ends behind the instruction. */
static void test_calls_are_with_who_called(void **state)
{
	enum { ROUNDS = 1100 };
	struct made made;
	struct cairn_batch *batch = cairn_batch_new(ctx);
	unsigned calls = 0, batches = 0;
	int rc;
	(void)state;
	start(&made);
	CODE(&made, NOP, SVC, NOP, ERET);
	begin(&made);
	for (unsigned i = 0; i < ROUNDS; i++) {
		BYTES(&made, 0x06, 0x05, 0x95, 0x02);
		address(&made, 0x100c);
		atoms(&made, "E");
		address(&made, 0x1000);
	}
	struct cairn_reader *reader = open_made(&made, "");
	for (; (rc = cairn_next(reader, batch)) > 0; batches++) {
		assert_null(check_batch(batch));
		for (uint32_t i = 0; i < batch->n_insns; i++)
			for (uint32_t k = batch->insns[i].ev0; k < batch->insns[i + 1].ev0; k++) {
				if (batch->events[k].kind != CAIRN_EV_SYSCALL)
					continue;
				assert_int_equal(batch->insns[i].enc, SVC);
				assert_int_equal(batch->events[k].phase, CAIRN_AFTER);
				assert_int_equal(cairn_event_arg(batch, &batch->events[k], 0), 0x1008);
				calls++;
			}
	}
	assert_int_equal(rc, 0);
	assert_int_equal(calls, ROUNDS);
	assert_true(batches >= 4);
	cairn_close(reader);
	cairn_batch_free(ctx, batch);
	cairn_image_free(made.image);
}

static void test_q_takes_up_numbers(void **state)
{
	struct made made;
	struct cairn_batch *batch = cairn_batch_new(ctx);
	struct cairn_tally tally = {.size = sizeof tally};
	(void)state;
	start(&made);
	made.cfg.idr0 = 1u << 15;
	CODE(&made, NOP, B_NE_12, NOP, NOP, NOP, RET);
	begin(&made);
	BYTES(&made, 0xa5, 0x05, 0x03);
	atoms(&made, "N");
	struct cairn_reader *reader = open_made(&made, "");
	assert_int_equal(cairn_next(reader, batch), 1);
	assert_int_equal(batch->n_insns, 0);
	assert_int_equal(batch->events[batch->n_events - 1].kind, CAIRN_EV_GAP);
	assert_int_equal(batch->events[batch->n_events - 1].code, 3);
	assert_int_equal(cairn_next(reader, batch), 1);
	assert_int_equal(batch->n0, 4);
	assert_int_equal(batch->n_insns, 1);
	cairn_close(reader);
	reader = open_made(&made, "");
	assert_int_equal(cairn_count(reader, 1, &tally), 0);
	assert_int_equal(tally.instructions, 1);
	cairn_close(reader);
	cairn_batch_free(ctx, batch);
	cairn_image_free(made.image);
}

/* A stream of several synchronisations, with everything that may stand between. */
static void make_long(struct made *made, unsigned parts)
{
	start(made);
	CODE(made, NOP, B_NE_BACK_4, NOP, BR, NOP, SVC, NOP, ERET);
	begin(made);
	for (unsigned i = 0; i < parts; i++) {
		if (i) {
			synced(made);
			where(made, BASE, EL1N_64, false);
		}
		BYTES(made, 0xd5, 0xf7, 0xf7); /* NNNNN: as far as it goes */
		where(made, BASE, i % 2 ? EL0N_64 : EL1N_64, false);
		for (unsigned k = 0; k < 40; k++)
			BYTES(made, 0xd4);   /* 23 E: the loop */
		BYTES(made, 0xf6, 0xf7); /* out of it, br */
		address(made, 0x1010);
		BYTES(made, 0x06, 0x05, 0x95, 0x06); /* svc */
		address(made, 0x1018);
		BYTES(made, 0x02, (uint8_t)(i & 127), 0xf7); /* a time, eret */
		if (i % 3 == 2)
			BYTES(made, 0x05); /* reserved: lost until the next */
	}
}

static void read_all(const struct made *made, const char *options, struct base_buf *out,
                     uint64_t *damage)
{
	struct cairn_batch *batch = cairn_batch_new(ctx);
	struct cairn_reader *reader = open_made(made, options);
	int rc;
	while ((rc = cairn_next(reader, batch)) > 0) {
		const char *wrong = check_batch(batch);
		if (wrong)
			fail_msg("%s", wrong);
		fx_print_batch(reader, batch, out);
	}
	assert_int_equal(rc, 0);
	*damage = cairn_damage_count(reader);
	cairn_close(reader);
	cairn_batch_free(ctx, batch);
}

struct gather {
	struct cairn_reader *reader;
	struct base_buf *out;
};

static int g_begin(void *user, void **partial)
{
	(void)user;
	*partial = base_alloc(ctx, sizeof(struct base_buf));
	base_buf_init(*partial, ctx);
	return 0;
}

static int g_feed(void *user, void *partial, const struct cairn_batch *batch)
{
	struct gather *gather = user;
	fx_print_batch(gather->reader, batch, partial);
	return 0;
}

static int g_fold(void *user, void *partial)
{
	struct gather *gather = user;
	struct base_buf *buf = partial;
	base_buf_put(gather->out, buf->data, buf->len);
	base_buf_free(buf);
	base_free(ctx, buf);
	return 0;
}

/* Only the instructions: what stands behind the last one of a batch is in another slot than
 * what stands before the next. */
static void keep_instructions(const struct base_buf *from, struct base_buf *to)
{
	to->len = 0;
	for (size_t at = 0; at < from->len;) {
		const uint8_t *end = memchr(from->data + at, '\n', from->len - at);
		size_t n = (size_t)(end - from->data) + 1 - at;
		if (from->data[at] == 'I')
			base_buf_put(to, from->data + at, n);
		at += n;
	}
}

static void same(const struct base_buf *left, const struct base_buf *right)
{
	assert_int_equal(left->len, right->len);
	assert_memory_equal(left->data, right->data, left->len);
}

static void run_and_count(const struct made *made, const char *options, unsigned threads,
                          const struct base_buf *expected, uint64_t damage)
{
	static const struct cairn_reducer red = {.size = sizeof red,
	                                         .begin = g_begin,
	                                         .feed = g_feed,
	                                         .fold = g_fold};
	struct base_buf out;
	struct cairn_tally one = {.size = sizeof one}, many = {.size = sizeof many};
	base_buf_init(&out, ctx);
	struct gather gather = {open_made(made, options), &out};
	assert_int_equal(cairn_run(gather.reader, &red, &gather, UINT64_MAX, threads), 0);
	same(&out, expected);
	assert_int_equal(cairn_damage_count(gather.reader), damage);
	cairn_close(gather.reader);
	gather.reader = open_made(made, "");
	assert_int_equal(cairn_count(gather.reader, 1, &one), 0);
	cairn_close(gather.reader);
	gather.reader = open_made(made, options);
	assert_int_equal(cairn_count(gather.reader, threads, &many), 0);
	assert_int_equal(cairn_damage_count(gather.reader), damage);
	cairn_close(gather.reader);
	assert_memory_equal(&one, &many, sizeof one);
	base_buf_free(&out);
}

static void test_pieces_and_threads_tell_the_same(void **state)
{
	struct made made;
	struct base_buf whole, other, insns, again;
	uint64_t damage, count;
	char options[64];
	(void)state;
	make_long(&made, 12);
	base_buf_init(&whole, ctx);
	base_buf_init(&other, ctx);
	base_buf_init(&insns, ctx);
	base_buf_init(&again, ctx);
	read_all(&made, "", &whole, &damage);
	assert_int_equal(damage, 4);
	keep_instructions(&whole, &insns);
	for (unsigned piece = 1; piece < 2000; piece = piece * 3 + 7) {
		snprintf(options, sizeof options, "piece=%u", piece);
		other.len = 0;
		read_all(&made, options, &other, &count);
		assert_int_equal(count, damage);
		keep_instructions(&other, &again);
		same(&again, &insns);
		run_and_count(&made, options, 1, &other, damage);
		run_and_count(&made, options, 4, &other, damage);
	}
	base_buf_free(&whole);
	base_buf_free(&other);
	base_buf_free(&insns);
	base_buf_free(&again);
	cairn_image_free(made.image);
}

static void test_damage_is_told_and_reading_goes_on(void **state)
{
	struct made made;
	struct cairn_batch *batch = cairn_batch_new(ctx);
	uint64_t insns = 0;
	(void)state;
	make_long(&made, 6);
	made.bytes.data[40] = 0x05; /* a reserved header in the first part */
	struct cairn_reader *reader = open_made(&made, "");
	while (cairn_next(reader, batch) > 0)
		insns += batch->n_insns;
	assert_true(insns > 4000);
	assert_true(cairn_damage_count(reader) >= 2);
	assert_non_null(strstr(cairn_damage_text(reader, 0), "byte 0x28, instruction "));
	assert_non_null(
		strstr(cairn_damage_text(reader, 0), "up to the next synchronisation not decoded"));
	cairn_close(reader);
	cairn_batch_free(ctx, batch);
	cairn_image_free(made.image);
}

static void test_padding_is_no_damage(void **state)
{
	struct made made;
	struct base_buf out;
	uint64_t damage;
	(void)state;
	start(&made);
	CODE(&made, NOP, RET);
	begin(&made);
	atoms(&made, "N");
	BYTES(&made, 0, 0, 0, 0);
	base_buf_init(&out, ctx);
	read_all(&made, "", &out, &damage);
	assert_int_equal(damage, 0);
	BYTES(&made, 0x9d, 0);
	read_all(&made, "", &out, &damage);
	assert_int_equal(damage, 1);
	base_buf_free(&out);
	cairn_image_free(made.image);
}

static void test_records_know_their_instructions(void **state)
{
	struct made made;
	struct cairn_record rec;
	uint64_t numbers[8] = {0};
	unsigned n = 0;
	(void)state;
	start(&made);
	CODE(&made, NOP, B_NE_BACK_4, NOP, RET);
	begin(&made);
	atoms(&made, "ENN");
	for (unsigned k = 0; k < 2; k++) {
		struct cairn_reader *reader = open_made(&made, k ? "records=elements" : "");
		while (cairn_next_record(reader, &rec) > 0) {
			assert_int_equal(rec.number, ++n);
			numbers[n % 8] = rec.insn;
		}
		cairn_close(reader);
		if (k == 0) { /* Async, Trace Info, Trace On, address, atoms */
			assert_int_equal(n, 7);
			assert_int_equal(numbers[5], 1);
			assert_int_equal(numbers[6], 3);
			assert_int_equal(numbers[7], 5);
		}
		n = 0;
	}
	cairn_image_free(made.image);
}

static void test_seeking_reads_on_from_a_number(void **state)
{
	struct made made;
	struct cairn_batch *batch = cairn_batch_new(ctx);
	(void)state;
	make_long(&made, 12);
	struct cairn_reader *reader = open_made(&made, "piece=1");
	assert_int_equal(cairn_seek(reader, 9000), 0);
	assert_int_equal(cairn_next(reader, batch), 1);
	assert_true(batch->n0 <= 9000 && batch->n0 + batch->n_insns > 9000);
	assert_int_equal(cairn_seek(reader, 1), 0);
	assert_int_equal(cairn_next(reader, batch), 1);
	assert_int_equal(batch->n0, 1);
	cairn_close(reader);
	cairn_batch_free(ctx, batch);
	cairn_image_free(made.image);
}

/* ---- one by one ---- */

static void test_ranges_come_instruction_by_instruction(void **state)
{
	static const struct {
		uint64_t pc, target;
		uint32_t enc;
		uint16_t flags;
	} expected[] = {{0x1000, 0, NOP, CAIRN_ETE_R_JUMPED},
	                {0x1004, 0x100c, B_8, CAIRN_ETE_R_TAKEN | CAIRN_ETE_R_TARGET},
	                {0x100c, 0, ISB, 0},
	                {0x1010, 0, NOP, CAIRN_ETE_R_OPEN}};
	struct made made;
	struct cairn_ete_insns *insns;
	struct cairn_ete_ran ran;
	size_t n = 0;
	unsigned gaps = 0;
	(void)state;
	start(&made);
	CODE(&made, NOP, B_8, NOP, ISB, NOP);
	begin(&made);
	atoms(&made, "EEEE");
	struct cairn_ete_flow_opts opts = {.size = sizeof opts, .image = made.image};
	assert_int_equal(
		cairn_ete_insns_open(ctx, &made.cfg, &opts, made.bytes.data, made.bytes.n, 0, &insns), 0);
	while (cairn_ete_insns_next(insns, &ran) > 0) {
		gaps += ran.step->kind == CAIRN_ETE_STEP_GAP;
		assert_int_equal(ran.size, ran.step->kind == CAIRN_ETE_STEP_RANGE ? 4 : 0);
		if (!ran.size)
			continue;
		assert_true(n < 4);
		assert_int_equal(ran.pc, expected[n].pc);
		assert_int_equal(ran.enc, expected[n].enc);
		assert_int_equal(ran.flags, expected[n].flags);
		assert_int_equal(ran.target, expected[n].target);
		assert_int_equal(ran.isa, CAIRN_ISA_A64);
		n++;
	}
	assert_int_equal(n, 4);
	assert_int_equal(gaps, 1);
	cairn_ete_insns_close(insns);
	cairn_image_free(made.image);
}

/* The next instruction; how many there were up to the end. */
static uint64_t next_insn(struct cairn_ete_insns *insns, struct cairn_ete_ran *ran)
{
	int rc;
	while ((rc = cairn_ete_insns_next(insns, ran)) > 0 && !ran->size)
		continue;
	assert_true(rc >= 0);
	return rc > 0;
}

static uint64_t rest(struct cairn_ete_insns *insns)
{
	struct cairn_ete_ran ran;
	uint64_t n = 0;
	while (next_insn(insns, &ran))
		n++;
	return n;
}

/* Places are looked for from the instruction at hand, whatever was read ahead; and where there
 * is none, nothing changes. */
static void test_instructions_have_places(void **state)
{
	enum { PARTS = 11, PLACES = 8 }; /* none behind the damage */
	struct made made;
	struct cairn_ete_insns *insns;
	struct cairn_ete_ran ran;
	uint64_t places[PLACES], n = 0, all, left;
	(void)state;
	make_long(&made, PARTS);
	struct cairn_ete_flow_opts opts = {.size = sizeof opts, .image = made.image};
	assert_int_equal(
		cairn_ete_insns_open(ctx, &made.cfg, &opts, made.bytes.data, made.bytes.n, 0, &insns), 0);
	assert_int_equal(cairn_ete_insns_tell(insns), 0);
	assert_int_equal(cairn_ete_insns_sync_backward(insns), CAIRN_E_NOTFOUND);
	all = rest(insns);
	assert_int_equal(cairn_ete_insns_sync_set(insns, 0), 0);
	for (int rc; (rc = cairn_ete_insns_sync_forward(insns)) >= 0; n++) {
		assert_true(n < PLACES);
		places[n] = cairn_ete_insns_tell(insns);
		assert_true(n == 0 || places[n] > places[n - 1]);
		for (unsigned i = 0; i < 4; i++)
			assert_true(next_insn(insns, &ran));
		assert_true(cairn_ete_insns_tell(insns) > places[n]);
	}
	assert_int_equal(n, PLACES);
	left = rest(insns); /* the last search found none, and took nothing away */
	assert_true(left > 0);
	assert_int_equal(cairn_ete_insns_sync_set(insns, places[n - 1]), 0);
	assert_int_equal(rest(insns), left + 4);
	while (n) {
		assert_int_equal(cairn_ete_insns_sync_backward(insns), 0);
		assert_int_equal(cairn_ete_insns_tell(insns), places[--n]);
	}
	assert_int_equal(cairn_ete_insns_sync_backward(insns), CAIRN_E_NOTFOUND);
	assert_int_equal(rest(insns), all);
	/* Parts, each up to the next place, are the whole. */
	for (n = left = 0; n < PLACES; n++) {
		assert_int_equal(cairn_ete_insns_sync_set(insns, places[n]), 0);
		cairn_ete_insns_limit(insns, n + 1 < PLACES ? places[n + 1] : UINT64_MAX);
		left += rest(insns);
	}
	assert_int_equal(left, all);
	assert_int_equal(cairn_ete_insns_sync_set(insns, made.bytes.n + 1), CAIRN_E_INVAL);
	cairn_ete_insns_close(insns);
	cairn_image_free(made.image);
}

/* ---- ETMv4 ---- */

static void start_etmv4(struct made *made)
{
	start(made);
	made->cfg.devarch = 0x47704a13;
	made->cfg.idr1 = 0x4100f423; /* 4.2 */
}

static void test_etmv4_tells_of_exception_returns(void **state)
{
	struct made made;
	(void)state;
	/* 07 has its own packet, and the program has told it already. */
	start_etmv4(&made);
	CODE(&made, NOP, ERET, NOP, B_8);
	begin(&made);
	atoms(&made, "E");
	BYTES(&made, 0x07);
	address(&made, 0x1008);
	atoms(&made, "E");
	follow(&made, "1000-1008:2iE^ returned 1008-1010:2dE");
	/* In ETE it is reserved: nothing is followed behind it. */
	start(&made);
	CODE(&made, NOP, ERET, NOP, B_8);
	begin(&made);
	atoms(&made, "E");
	BYTES(&made, 0x07);
	address(&made, 0x1008);
	atoms(&made, "E");
	follow(&made, "1000-1008:2iE^");
}

static void test_etmv4_loads_and_stores_may_be_p0(void **state)
{
	enum { STR = 0xf9000021 };
	struct made made;
	(void)state;
	for (unsigned p0 = 0; p0 < 4; p0++) {
		static const char *const ranges[] = {"1000-1010:4dE^", "1000-1008:2M^ 1008-1010:2dE",
		                                     "1000-100c:3M^ 100c-1010:1dE",
		                                     "1000-1008:2M^ 1008-100c:1M 100c-1010:1dE"};
		start_etmv4(&made);
		made.cfg.idr0 = 3u << 1;
		made.cfg.configr = p0 << 1;
		CODE(&made, NOP, LDR, STR, B_8);
		begin(&made);
		atoms(&made, p0 == 3 ? "EEE" : p0 ? "EE" : "E");
		follow(&made, ranges[p0]);
	}
	/* Registers of ETE have other meanings there. */
	start(&made);
	made.cfg.idr0 = made.cfg.configr = 3u << 1;
	CODE(&made, NOP, LDR, STR, B_8);
	begin(&made);
	atoms(&made, "E");
	follow(&made, "1000-1010:4dE^");
}

static void m_profile(struct made *made)
{
	/* bl 0x1008; nop; b .; bx lr */
	static const uint8_t t32[] = {0x00, 0xf0, 0x02, 0xf8, 0x00, 0xbf, 0xfe, 0xe7, 0x70, 0x47};
	start_etmv4(made);
	made->cfg.profile = 'M';
	made->cfg.configr = 1u << 12;
	made->cfg.idr0 = 1u << 9;
	image_at(made, "ANY", BASE, t32, sizeof t32);
	synced(made);
	BYTES(made, 0x04);
	where(made, BASE, 0x20, true);
	atoms(made, "EE");
}

static void test_m_profile_returns_are_p0(void **state)
{
	struct made made;
	(void)state;
	/* The return of a function goes where the stack says, … */
	m_profile(&made);
	atoms(&made, "E");
	follow(&made, "1000-1004:1dE^ 1008-100a:1iE 1004-1008:2dE");
	/* … that of an exception where the address says that follows, … */
	m_profile(&made);
	BYTES(&made, 0x07);
	where(&made, 0x1006, 0x20, true);
	atoms(&made, "E");
	follow(&made, "1000-1004:1dE^ 1008-100a:1iE return 1006-1008:1dE");
	/* … and not where the stack says, if none does. 05: of a function of another world. */
	for (unsigned i = 0; i < 2; i++) {
		m_profile(&made);
		BYTES(&made, i ? 0x05 : 0x07);
		atoms(&made, "E");
		follow(&made, i ? "1000-1004:1dE^ 1008-100a:1iE function atoms1 "
		                  "[the address is not known 0 0 1]"
		                : "1000-1004:1dE^ 1008-100a:1iE return atoms1 "
		                  "[the address is not known 0 0 1]");
	}
	/* Exceptions have the numbers of the core's. */
	m_profile(&made);
	BYTES(&made, 0x06, 0x91, 0x10); /* 0x208 */
	BYTES(&made, 0x96, 0x02);
	follow(&made, "1000-1004:1dE^ 1008-100a:1iE exception520");
	assert_string_equal(cairn_ete_exception_name(&made.cfg, 15), "SYS_TICK");
	assert_null(cairn_ete_exception_name(&made.cfg, 520));
}

static int group_setup(void **state)
{
	(void)state;
	ctx = cairn_new(NULL);
	return ctx ? 0 : -1;
}

static int group_teardown(void **state)
{
	(void)state;
	cairn_free(ctx);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_atoms_lead_from_branch_to_branch),
		cmocka_unit_test(test_what_has_no_bytes_is_a_gap),
		cmocka_unit_test(test_atoms_without_an_address_are_counted),
		cmocka_unit_test(test_return_stack),
		cmocka_unit_test(test_far_runs_are_not_followed),
		cmocka_unit_test(test_exceptions_end_ranges),
		cmocka_unit_test(test_exception_address_may_be_the_target),
		cmocka_unit_test(test_source_address_tells_branches_before_it),
		cmocka_unit_test(test_source_address_names_its_instruction_set),
		cmocka_unit_test(test_q_counts),
		cmocka_unit_test(test_branches_change_the_instruction_set),
		cmocka_unit_test(test_contexts_choose_the_memory),
		cmocka_unit_test(test_failed_transactions_are_marked),
		cmocka_unit_test(test_rows_know_where_branches_went),
		cmocka_unit_test(test_calls_are_with_who_called),
		cmocka_unit_test(test_q_takes_up_numbers),
		cmocka_unit_test(test_pieces_and_threads_tell_the_same),
		cmocka_unit_test(test_damage_is_told_and_reading_goes_on),
		cmocka_unit_test(test_padding_is_no_damage),
		cmocka_unit_test(test_records_know_their_instructions),
		cmocka_unit_test(test_seeking_reads_on_from_a_number),
		cmocka_unit_test(test_ranges_come_instruction_by_instruction),
		cmocka_unit_test(test_instructions_have_places),
		cmocka_unit_test(test_etmv4_tells_of_exception_returns),
		cmocka_unit_test(test_etmv4_loads_and_stores_may_be_p0),
		cmocka_unit_test(test_m_profile_returns_are_p0),
	};
	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
