/* SPDX-License-Identifier: Apache-2.0 */
/* Dependences, against searching backwards; pairs made by hand; operands against traces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/rows.h"

enum { INSNS = 120000 };

static int deps(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                const void *arg, struct cairn_result **res)
{
	(void)arg;
	return cairn_deps(reader, opts, res);
}

static unsigned bucket(uint64_t n)
{
	unsigned k = 0;
	for (; n; n >>= 1)
		k++;
	return k;
}

/* Registers by class and number, wide enough for all. */
static unsigned id(const struct cairn_operand *operand)
{
	return operand->cls * 64u + operand->num % 64;
}

/* Registers that an instruction reads and writes, by its encoding or else by the rows of the
 * trace; control registers are none. False: nothing tells. */
static bool registers_of(const struct trace *trace, const struct row *row,
                         struct cairn_operands *operands)
{
	struct cairn_operands all;
	memset(operands, 0, sizeof *operands);
	memset(&all, 0, sizeof all);
	bool told =
		cairn_isa_operands((enum cairn_isa)row->in.isa, row->in.enc, row->in.size, &all) >= 0;
	for (uint32_t k = row->reg0; k < row->reg0 + row->n_regs && !told; k++) {
		const struct cairn_reg *reg = &trace->regs[k];
		struct cairn_operand is = {.num = reg->num, .cls = reg->cls};
		if (reg->role == CAIRN_ROLE_SRC && all.n_src < 6)
			all.src[all.n_src++] = is;
		else if (reg->role == CAIRN_ROLE_DST && all.n_dst < 4)
			all.dst[all.n_dst++] = is;
	}
	for (unsigned k = 0; k < all.n_src; k++)
		if (all.src[k].cls != CAIRN_REG_CSR &&
		    (told || all.src[k].cls != CAIRN_REG_INT || all.src[k].num))
			operands->src[operands->n_src++] = all.src[k];
	for (unsigned k = 0; k < all.n_dst; k++)
		if (all.dst[k].cls != CAIRN_REG_CSR &&
		    (told || all.dst[k].cls != CAIRN_REG_INT || all.dst[k].num))
			operands->dst[operands->n_dst++] = all.dst[k];
	return told || all.n_src + all.n_dst;
}

/* One hart's instructions in order, and what is found by searching back among them. */
struct search {
	struct cairn_operands *operands;
	size_t n;
	uint64_t sources, distance[64], steps[4];
};

static const uint64_t windows[] = {8, 64, 1024};

static void search_back(struct search *search)
{
	for (size_t i = 0; i < search->n; i++)
		for (unsigned k = 0; k < search->operands[i].n_src; k++) {
			bool found = false;
			search->sources++;
			for (size_t back = i; back-- > 0 && !found;)
				for (unsigned d = 0; d < search->operands[back].n_dst && !found; d++)
					if (id(&search->operands[back].dst[d]) == id(&search->operands[i].src[k])) {
						search->distance[bucket(i - back)]++;
						found = true;
					}
		}
}

static void run_in_windows(struct search *search)
{
	uint64_t *done = calloc(search->n + 1, sizeof *done);
	for (unsigned w = 0; w < 4; w++) {
		uint64_t ready[8 * 64] = {0}, size = w < 3 ? windows[w] : UINT64_MAX, all = 0;
		for (size_t i = 0; i < search->n; i++) {
			const struct cairn_operands *operands = &search->operands[i];
			uint64_t begin = i >= size ? done[i - size] : 0;
			for (unsigned k = 0; k < operands->n_src; k++)
				if (ready[id(&operands->src[k])] > begin)
					begin = ready[id(&operands->src[k])];
			begin++;
			for (unsigned k = 0; k < operands->n_dst; k++)
				ready[id(&operands->dst[k])] = begin;
			all = begin > all ? begin : all;
			done[i] = all;
		}
		search->steps[w] = all > search->steps[w] ? all : search->steps[w];
	}
	free(done);
}

static unsigned hart_of(const struct row *row)
{
	return row->ctx.known & CAIRN_CTX_HART ? row->ctx.hart : 0;
}

static void compare_search(const struct trace *trace, const struct search *search,
                           uint64_t executed, uint64_t unknown)
{
	struct cairn_result *res = analyse(trace, deps, NULL, 3, 0, NULL);
	const struct cairn_table *table = table_of(res, "distances"), *ilp = table_of(res, "ilp");
	const struct cairn_table *sum = table_of(res, "summary");
	uint64_t found = 0, told = 0;
	assert_int_equal(number_of(sum, 0, "executed"), executed);
	assert_int_equal(number_of(sum, 0, "registers_unknown"), unknown);
	assert_int_equal(number_of(sum, 0, "sources"), search->sources);
	for (size_t i = 0; i < table->n_rows; i++) {
		uint64_t n =
			number_of(table, i, "int") + number_of(table, i, "fp") + number_of(table, i, "vector");
		assert_int_equal(n, search->distance[bucket(number_of(table, i, "instructions_to"))]);
		told += n;
	}
	for (unsigned k = 0; k < 64; k++)
		found += search->distance[k];
	assert_int_equal(told, found);
	assert_int_equal(number_of(sum, 0, "sources_from_before"), search->sources - found);
	for (unsigned w = 0; w < 4; w++) {
		size_t row = 0;
		while (w < 3 ? number_of(ilp, row, "window") != windows[w]
		             : cell_of(ilp, row, "window")->known)
			row++;
		assert_int_equal(number_of(ilp, row, "steps"), search->steps[w]);
	}
	cairn_result_free(res);
}

/* At random there are several harts, instructions that did not run, and encodings of none. */
static void numbers_are_those_of_a_search(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < TRACE_KINDS - 1; kind++) {
		struct trace trace;
		struct search search = {NULL};
		uint64_t executed = 0, unknown = 0, harts = 0;
		trace_make(&trace, kind, kind == TRACE_RANDOM ? 20000 : INSNS);
		search.operands = calloc(trace.n, sizeof *search.operands);
		for (unsigned hart = 0; hart < 256; hart++) {
			search.n = 0;
			for (size_t i = 0; i < trace.n; i++)
				if (hart_of(&trace.rows[i]) == hart &&
				    !(trace.rows[i].in.flags & CAIRN_INSN_NOT_EXECUTED))
					unknown += !registers_of(&trace, &trace.rows[i], &search.operands[search.n++]);
			search_back(&search);
			run_in_windows(&search);
			executed += search.n;
			harts += search.n > 0;
		}
		assert_true(kind != TRACE_RANDOM || harts > 1);
		compare_search(&trace, &search, executed, unknown);
		free(search.operands);
		trace_free(&trace);
	}
}

static void pairs_are_what_stands_side_by_side(void **state)
{
	(void)state;
	struct trace trace;
	trace_make(&trace, TRACE_LEAN, INSNS);
	struct cairn_result *res = analyse(&trace, deps, NULL, 4, 0, NULL);
	const struct cairn_table *table = table_of(res, "pairs");
	uint64_t sum = 0, side = 0;
	for (size_t i = 1; i < trace.n; i++)
		side += trace.rows[i].in.pc == trace.rows[i - 1].in.pc + trace.rows[i - 1].in.size;
	for (size_t row = 0; row < table->n_rows; row++) {
		sum += number_of(table, row, "count");
		if (row >= 20)
			continue;
		uint64_t count = 0;
		for (size_t i = 1; i < trace.n; i++) {
			const struct cairn_insn *left = &trace.rows[i - 1].in, *right = &trace.rows[i].in;
			const char *x, *y, *ext;
			struct cairn_operands operands, q;
			bool reads = false;
			cairn_isa_mnemonic(CAIRN_ISA_RV64, left->enc, left->size, &x, &ext);
			cairn_isa_mnemonic(CAIRN_ISA_RV64, right->enc, right->size, &y, &ext);
			cairn_isa_operands(CAIRN_ISA_RV64, left->enc, left->size, &operands);
			cairn_isa_operands(CAIRN_ISA_RV64, right->enc, right->size, &q);
			for (unsigned k = 0; k < q.n_src * operands.n_dst; k++)
				reads |= id(&q.src[k / operands.n_dst]) == id(&operands.dst[k % operands.n_dst]);
			count += right->pc == left->pc + left->size &&
			         !strcmp(x, text_of(table, row, "first")) &&
			         !strcmp(y, text_of(table, row, "second")) &&
			         reads == !strcmp(text_of(table, row, "dependent"), "yes");
		}
		assert_int_equal(count, number_of(table, row, "count"));
	}
	assert_int_equal(sum, side);
	cairn_result_free(res);
	trace_free(&trace);
}

/* ---- SPARC: windows of registers, and wide registers made of narrow ones ---- */

static uint64_t random64(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

static void write_sparc(const char *path, unsigned insns)
{
	/* add, addcc, addc, sethi, or, ldd, ld, st, fadds, faddd, fmovde, ldd %f, swap, save, restore */
	static const uint32_t kinds[] = {0x80000000, 0x80800000, 0x80400000, 0x01000000, 0x80100000,
	                                 0xc0180000, 0xc0002000, 0xc0202000, 0x81a00820, 0x81a00840,
	                                 0x81a84040, 0xc1180000, 0xc0780000, 0x81e00000, 0x81e80000,
	                                 0x81e80000, 0x81e00000};
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_batch *batch = cairn_batch_new(cairn);
	struct cairn_writer *writer;
	uint64_t s = 88172645463325252u;
	assert_int_equal(cairn_create(cairn, path, NULL, &writer), 0);
	batch->n_insns = insns;
	batch->n_ctxs = 1;
	batch->n0 = 1;
	batch->have = CAIRN_PC | CAIRN_ENC | CAIRN_CLASS;
	memset(batch->ctxs, 0, sizeof *batch->ctxs);
	memset(batch->insns, 0, (insns + 2) * sizeof *batch->insns);
	for (unsigned i = 0; i < insns; i++) {
		uint64_t lot = random64(&s);
		uint32_t e = kinds[lot % (sizeof kinds / sizeof *kinds)];
		e |= (uint32_t)(lot >> 20 & 31) << 25;
		if (e >> 30) /* rs1 and rs2 */
			e |= (uint32_t)((e >> 19 & 63) == 0x35 ? lot >> 25 & 31
			                                       : (lot >> 30 & 31) << 14 | (lot >> 25 & 31));
		if (e >> 30 == 3 && (e >> 19 & 63) == 3)
			e &= ~(1u << 25); /* a pair begins at an even register */
		batch->insns[i] = (struct cairn_insn){.pc = 0x10000 + 4 * (uint64_t)i,
		                                      .enc = e,
		                                      .size = 4,
		                                      .isa = CAIRN_ISA_SPARC};
		struct cairn_op op;
		cairn_isa_decode(CAIRN_ISA_SPARC, e, 4, &op);
		assert_true(op.cls != CAIRN_CLASS_ILLEGAL);
		batch->insns[i].cls = op.cls;
		batch->insns[i].traits = op.traits;
	}
	assert_int_equal(cairn_put(writer, batch), 0);
	assert_int_equal(cairn_finish(writer, NULL), 0);
	cairn_batch_free(cairn, batch);
	cairn_free(cairn);
}

/* Places of a register, four bytes each of floating point, at a depth of windows: %i are the
 * %o of the window before. */
enum { DEPTHS = 4096, PLACES = 64 + 24 * DEPTHS + 8 };

static unsigned places(const struct cairn_operand *operand, unsigned depth, unsigned *at)
{
	unsigned n = 0, first, count = 1, num = operand->num;
	if (operand->cls == CAIRN_REG_INT) {
		at[n++] = num < 8    ? 64 + 24u * DEPTHS + num
		          : num < 24 ? 64 + 24 * depth + num
		                     : 64 + 24 * (depth - 1) + num - 16;
		return n;
	}
	if (operand->cls == CAIRN_REG_FLAGS) {
		at[n++] = 64 + num; /* of no window: below 8 */
		return n;
	}
	if (operand->cls != CAIRN_REG_FP)
		return 0;
	first = num < 32 ? num : 2 * (num - 32);
	count = num < 32 ? 1 : 2;
	while (count--)
		at[n++] = first++;
	return n;
}

static void sparc_is_that_of_a_search(void **state)
{
	(void)state;
	enum { MANY = 1000 };
	char path[64];
	struct trace trace;
	uint64_t *written = calloc(PLACES, sizeof *written), *ready = calloc(PLACES, sizeof *ready);
	uint64_t distance[64] = {0}, from_before = 0, steps = 0;
	unsigned depth = DEPTHS / 2, at[4] = {0}, turns = 0;
	snprintf(path, sizeof path, "/tmp/cairn-deps-%d.rst", (int)getpid());
	write_sparc(path, MANY);
	trace_read(&trace, path);
	assert_int_equal(trace.n, MANY);
	for (size_t i = 0; i < trace.n; i++) {
		uint32_t e = trace.rows[i].in.enc, key = e >> 19 & 63;
		struct cairn_operands operands;
		uint64_t begin = 0;
		cairn_isa_operands(CAIRN_ISA_SPARC, e, 4, &operands);
		for (unsigned k = 0; k < operands.n_src; k++) {
			uint64_t last = 0;
			unsigned n = places(&operands.src[k], depth, at);
			for (unsigned h = 0; h < n; h++) {
				last = written[at[h]] > last ? written[at[h]] : last;
				begin = ready[at[h]] > begin ? ready[at[h]] : begin;
			}
			if (last)
				distance[bucket(i + 1 - last)]++;
			else
				from_before += n > 0;
		}
		begin++;
		if (e >> 30 == 2 && (key == 0x3c || key == 0x3d)) {
			depth = key == 0x3c ? depth + 1 : depth - 1;
			turns++;
			/* A new window's outs and locals nobody has written. */
			for (unsigned r = 8; r < 24 && key == 0x3c; r++)
				written[64 + 24 * depth + r] = ready[64 + 24 * depth + r] = 0;
		}
		for (unsigned k = 0; k < operands.n_dst; k++) {
			unsigned n = places(&operands.dst[k], depth, at);
			for (unsigned h = 0; h < n; h++) {
				written[at[h]] = i + 1;
				ready[at[h]] = begin;
			}
		}
		steps = begin > steps ? begin : steps;
	}
	assert_true(turns > 100);
	struct cairn_result *res = analyse(&trace, deps, NULL, 2, 0, NULL);
	const struct cairn_table *table = table_of(res, "distances"), *ilp = table_of(res, "ilp");
	assert_int_equal(number_of(table_of(res, "summary"), 0, "registers_unknown"), 0);
	assert_int_equal(number_of(table_of(res, "summary"), 0, "sources_from_before"), from_before);
	for (size_t i = 0; i < table->n_rows; i++)
		assert_int_equal(number_of(table, i, "int") + number_of(table, i, "fp"),
		                 distance[bucket(number_of(table, i, "instructions_to"))]);
	assert_int_equal(number_of(ilp, ilp->n_rows - 1, "steps"), steps);
	cairn_result_free(res);
	trace_free(&trace);
	unlink(path);
	free(written);
	free(ready);
}

static void threads_and_intervals_change_nothing(void **state)
{
	(void)state;
	analyse_all_ways(deps, NULL, INSNS);
}

static void spell(const struct cairn_operand *operand, unsigned n, char *out)
{
	for (unsigned k = 0; k < n; k++, operand++) {
		static const char letters[] = "?xfvc";
		out += sprintf(out, "%s%c", k ? " " : "", letters[operand->cls]);
		out += sprintf(out, operand->cls == CAIRN_REG_CSR ? "sr0x%x" : "%u", operand->num);
	}
}

/* What an encoding reads and writes, as the manual lists it. */
static void operands_are_the_manuals(void **state)
{
	(void)state;
	static const struct {
		uint32_t enc;
		unsigned size;
		const char *src, *dst;
	} known[] = {
		{0x00c58533, 4, "x11 x12", "x10"},     /* add a0, a1, a2 */
		{0x00000013, 4, "", ""},               /* nop */
		{0x00a58023, 4, "x11 x10", ""},        /* sb a0, 0(a1) */
		{0x0005b503, 4, "x11", "x10"},         /* ld a0, 0(a1) */
		{0x000005b7, 4, "", "x11"},            /* lui a1 */
		{0x00b50463, 4, "x10 x11", ""},        /* beq */
		{0x000500e7, 4, "x10", "x1"},          /* jalr a0 */
		{0x00008067, 4, "x1", ""},             /* ret */
		{0x02c5f553, 4, "f11 f12", "f10"},     /* fadd.d fa0, fa1, fa2 */
		{0xe20505d3, 4, "f10", "x11"},         /* fmv.x.d a1, fa0 */
		{0xf2050553, 4, "x10", "f10"},         /* fmv.d.x fa0, a0 */
		{0x5a057553, 4, "f10", "f10"},         /* fsqrt.d fa0, fa0 */
		{0x6ac5f543, 4, "f11 f12 f13", "f10"}, /* fmadd.d fa0, fa1, fa2, fa3 */
		{0xa2b52553, 4, "f10 f11", "x10"},     /* feq.d a0, fa0, fa1 */
		{0x1005a52f, 4, "x11", "x10"},         /* lr.w a0, (a1) */
		{0x18c5a52f, 4, "x11 x12", "x10"},     /* sc.w a0, a2, (a1) */
		{0x30002573, 4, "csr0x300", "x10"},    /* csrr a0, mstatus */
		{0x30051073, 4, "x10", "csr0x300"},    /* csrw mstatus, a0 */
		{0x02c58557, 4, "v11 v12", "v10"},     /* vadd.vv v10, v12, v11 */
		{0x8082, 2, "x1", ""},                 /* c.jr ra */
		{0x9102, 2, "x2", "x1"},               /* c.jalr sp */
		{0x852e, 2, "x11", "x10"},             /* c.mv a0, a1 */
		{0x952e, 2, "x10 x11", "x10"},         /* c.add a0, a1 */
		{0x6522, 2, "x2", "x10"},              /* c.ldsp a0 */
		{0xe42a, 2, "x2 x10", ""},             /* c.sdsp a0 */
		{0x4188, 2, "x11", "x10"},             /* c.lw a0, 0(a1) */
		{0xc188, 2, "x11 x10", ""},            /* c.sw a0, 0(a1) */
		{0x1141, 2, "x2", "x2"},               /* c.addi sp, -16 */
		{0x4501, 2, "", "x10"},                /* c.li a0, 0 */
		{0x0808, 2, "x2", "x10"},              /* c.addi4spn a0 */
		{0x8d0d, 2, "x10 x11", "x10"},         /* c.sub a0, a1 */
		{0x9d75, 2, "x10", "x10"},             /* c.not a0 */
		{0xc111, 2, "x10", ""},                /* c.beqz a0 */
		{0xa001, 2, "", ""},                   /* c.j */
		{0x2501, 2, "x10", "x10"},             /* c.addiw a0 */
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		struct cairn_operands operands;
		char src[128] = "", dst[128] = "";
		assert_int_equal(cairn_isa_operands(CAIRN_ISA_RV64, known[i].enc, known[i].size, &operands),
		                 0);
		spell(operands.src, operands.n_src, src);
		spell(operands.dst, operands.n_dst, dst);
		if (strcmp(src, known[i].src) || strcmp(dst, known[i].dst))
			fail_msg("%08x: '%s' into '%s'", known[i].enc, src, dst);
	}
}

/* The same of A64: registers in the order of the encoding, and n the flags. */
static void operands_of_a64_are_the_manuals(void **state)
{
	(void)state;
	static const struct {
		uint32_t enc;
		const char *src, *dst;
	} known[] = {
		{0x8b020020, "i1 i2", "i0"},        /* add x0, x1, x2 */
		{0xeb02003f, "i1 i2", "n0"},        /* cmp x1, x2 */
		{0xd10043ff, "i31", "i31"},         /* sub sp, sp, #16 */
		{0xaa0103e0, "i1", "i0"},           /* mov x0, x1 */
		{0x9a821020, "i1 i2 n0", "i0"},     /* csel x0, x1, x2, ne */
		{0x9a020020, "i1 i2 n0", "i0"},     /* adc x0, x1, x2 */
		{0xfa420020, "i1 i2 n0", "n0"},     /* ccmp x1, x2, #0, eq */
		{0x9b020c20, "i1 i2 i3", "i0"},     /* madd x0, x1, x2, x3 */
		{0x9ac20820, "i1 i2", "i0"},        /* udiv x0, x1, x2 */
		{0xdac01020, "i1", "i0"},           /* clz x0, x1 */
		{0xd2800020, "", "i0"},             /* movz x0, #1 */
		{0xf2a00020, "i0", "i0"},           /* movk x0, #1, lsl #16 */
		{0xb3407c20, "i1 i0", "i0"},        /* bfxil x0, x1, #0, #32 */
		{0x93c21020, "i1 i2", "i0"},        /* extr x0, x1, x2, #4 */
		{0x90000000, "", "i0"},             /* adrp x0 */
		{0x54000041, "n0", ""},             /* b.ne */
		{0xb4000040, "i0", ""},             /* cbz x0 */
		{0x36080041, "i1", ""},             /* tbz w1, #1 */
		{0x94000002, "", "i30"},            /* bl */
		{0xd65f03c0, "i30", ""},            /* ret */
		{0xd63f0020, "i1", "i30"},          /* blr x1 */
		{0xf9400420, "i1", "i0"},           /* ldr x0, [x1, #8] */
		{0xf8626820, "i1 i2", "i0"},        /* ldr x0, [x1, x2] */
		{0xf81f0fe0, "i31 i0", "i31"},      /* str x0, [sp, #-16]! */
		{0xa9bf7bfd, "i31 i29 i30", "i31"}, /* stp x29, x30, [sp, #-16]! */
		{0xa8c17bfd, "i31", "i29 i30 i31"}, /* ldp x29, x30, [sp], #16 */
		{0xfd400020, "i1", "v0"},           /* ldr d0, [x1] */
		{0xc8037c20, "i1 i0", "i3"},        /* stxr w3, x0, [x1] */
		{0xf8220020, "i1 i2", "i0"},        /* ldadd x2, x0, [x1] */
		{0xc8a27c20, "i1 i2 i0", "i2"},     /* cas x2, x0, [x1] */
	};
	static const char letters[] = "?ifvcppn";
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		struct cairn_operands operands;
		char text[2][64] = {"", ""};
		if (cairn_isa_operands(CAIRN_ISA_A64, known[i].enc, 4, &operands) < 0)
			fail_msg("%08x: not told", known[i].enc);
		for (unsigned k = 0; k < operands.n_src + operands.n_dst; k++) {
			const struct cairn_operand *operand =
				k < operands.n_src ? &operands.src[k] : &operands.dst[k - operands.n_src];
			char *to = text[k >= operands.n_src];
			sprintf(to + strlen(to), "%s%c%u", *to ? " " : "",
			        operand->cls == CAIRN_REG_FLAGS ? 'n' : letters[operand->cls], operand->num);
		}
		if (strcmp(text[0], known[i].src) || strcmp(text[1], known[i].dst))
			fail_msg("%08x: '%s' into '%s'", known[i].enc, text[0], text[1]);
	}
	/* Vectors are not told, nor calls of a debugger, and nothing is made up. */
	struct cairn_operands operands;
	assert_int_equal(cairn_isa_operands(CAIRN_ISA_A64, 0xd45e0000, 4, &operands),
	                 CAIRN_E_UNSUPPORTED);
	assert_int_equal(cairn_isa_operands(CAIRN_ISA_A64, 0x4ea28420, 4, &operands),
	                 CAIRN_E_UNSUPPORTED);
	assert_int_equal(operands.n_src + operands.n_dst, 0);
}

/* Registers a simulator recorded as destinations are those the encoding names. */
static void check_recorded(const char *path, size_t least)
{
	struct trace trace;
	size_t seen = 0;
	trace_read(&trace, path);
	for (size_t i = 0; i < trace.n; i++) {
		const struct row *row = &trace.rows[i];
		struct cairn_operands operands;
		if (cairn_isa_operands(row->in.isa, row->in.enc, row->in.size, &operands) < 0)
			continue;
		for (uint32_t k = 0; k < row->n_regs; k++) {
			const struct cairn_reg *reg = &trace.regs[row->reg0 + k];
			bool found = false;
			if (reg->role != CAIRN_ROLE_DST ||
			    (reg->cls != CAIRN_REG_INT && reg->cls != CAIRN_REG_FP) ||
			    (row->in.isa != CAIRN_ISA_A64 && reg->cls == CAIRN_REG_INT && !reg->num))
				continue;
			for (unsigned d = 0; d < operands.n_dst; d++)
				found |= operands.dst[d].cls == reg->cls && operands.dst[d].num == reg->num;
			if (!found)
				fail_msg("%08x writes register %u", row->in.enc, reg->num);
			seen++;
		}
	}
	if (seen < least)
		fail_msg("%s: only %zu registers", path, seen);
	trace_free(&trace);
}

static void operands_are_those_recorded(void **state)
{
	(void)state;
	const char *examples = getenv("EXAMPLES"), *data = getenv("CAIRN_TEST_DATA");
	char path[512];
	snprintf(path, sizeof path, "%s/sort.zstf", examples ? examples : "examples");
	check_recorded(path, 10000);
	snprintf(path, sizeof path, "%s/text-traces/calculator-aarch64-fastmodel.tarmac",
	         data ? data : "");
	if (access(path, R_OK) == 0)
		check_recorded(path, 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_those_of_a_search),
		cmocka_unit_test(pairs_are_what_stands_side_by_side),
		cmocka_unit_test(sparc_is_that_of_a_search),
		cmocka_unit_test(threads_and_intervals_change_nothing),
		cmocka_unit_test(operands_are_the_manuals),
		cmocka_unit_test(operands_of_a64_are_the_manuals),
		cmocka_unit_test(operands_are_those_recorded),
	};
	return cmocka_run_group_tests_name("deps", tests, NULL, NULL);
}
