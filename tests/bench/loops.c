/* SPDX-License-Identifier: Apache-2.0 */
#include "loops.h"

#include <stdbool.h>
#include <string.h>

enum {
	CODE = 0x1000,
	FIRST = 0x100000,
	SECOND = 0x200000,
	NUMBERS = 4096,
	MOST_ROWS = 64,
	MOST_WORDS = 2
};
enum { FA0 = 10, FA5 = 15, A0 = 10, A1 = 11, A2 = 12, FRM = 2 };

static const uint32_t float_code[] = {
	0x0005b587, /* fld fa1, (a1) */
	0x00063607, /* fld fa2, (a2) */
	0x62b506c3, /* fmadd.d fa3, fa0, fa1, fa2, rne */
	0x00d63027, /* fsd fa3, (a2) */
	0x12b68753, /* fmul.d fa4, fa3, fa1, rne */
	0x02e787d3, /* fadd.d fa5, fa5, fa4, rne */
	0x0ac70853, /* fsub.d fa6, fa4, fa2, rne */
	0xa2f812d3, /* flt.d t0, fa6, fa5 */
	0x00858593, /* addi a1, a1, 8 */
	0x00860613, /* addi a2, a2, 8 */
	0xfff50513, /* addi a0, a0, -1 */
	0xfc051ae3, /* bnez a0, the first */
};

static const uint32_t vector_code[] = {
	0x0d0572d7, /* vsetvli t0, a0, e32, m1, ta, ma */
	0x0205e407, /* vle32.v v8, (a1) */
	0x02066487, /* vle32.v v9, (a2) */
	0xb28554d7, /* vfmacc.vf v9, fa0, v8 */
	0x020664a7, /* vse32.v v9, (a2) */
	0x02848557, /* vadd.vv v10, v8, v9 */
	0x62a40057, /* vmseq.vv v0, v10, v8 */
	0x02a5a5d7, /* vredsum.vs v11, v10, v11 */
	0x00229313, /* slli t1, t0, 2 */
	0x006585b3, /* add a1, a1, t1 */
	0x00660633, /* add a2, a2, t1 */
	0x40550533, /* sub a0, a0, t0 */
	0xfc0518e3, /* bnez a0, the first */
};

const struct bench_loop bench_float_loop = {.name = "floating point",
                                            .code = float_code,
                                            .n = sizeof float_code / sizeof *float_code,
                                            .bytes = 8},
						bench_vector_loop = {.name = "vectors of 128 bits",
                                             .code = vector_code,
                                             .n = sizeof vector_code / sizeof *vector_code,
                                             .bytes = 4,
                                             .vector_bits = 128};

/* Registers at the beginning. */
static unsigned first_registers(const struct bench_loop *loop, struct cairn_reg regs[8])
{
	const uint64_t half = loop->bytes == 8 ? 0x3fe0000000000000 : 0xffffffff3f000000;
	const struct cairn_reg all[] = {{.cls = CAIRN_REG_INT, .num = A0, .value = NUMBERS},
	                                {.cls = CAIRN_REG_INT, .num = A1, .value = FIRST},
	                                {.cls = CAIRN_REG_INT, .num = A2, .value = SECOND},
	                                {.cls = CAIRN_REG_FP, .num = FA0, .value = half},
	                                {.cls = CAIRN_REG_FP, .num = FA5, .value = 0},
	                                {.cls = CAIRN_REG_CSR, .num = FRM, .value = 0}};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		regs[i] = all[i];
		regs[i].role = CAIRN_ROLE_STATE;
		regs[i].flags = CAIRN_VALUE_KNOWN;
	}
	return sizeof all / sizeof *all;
}

static void put_number(uint8_t bytes[8], uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
}

int bench_loop_new(const struct bench_loop *loop, struct cairn *cairn, struct cairn_machine **out)
{
	const struct cairn_machine_opts opts = {.size = sizeof opts, .vector_bits = loop->vector_bits};
	static const uint64_t doubles[] = {0x3ff0000000000000, 0x4000000000000000, 0x4008000000000000},
						  floats[] = {0x3f800000, 0x40000000, 0x40400000};
	uint8_t bytes[8];
	int rc = cairn_machine_new(cairn, CAIRN_ISA_RV64, &opts, out);
	for (unsigned i = 0; rc >= 0 && i < NUMBERS; i++) {
		put_number(bytes, loop->bytes == 8 ? doubles[i % 3] : floats[i % 3]);
		cairn_machine_write(*out, FIRST + i * loop->bytes, loop->bytes, bytes, NULL);
		cairn_machine_write(*out, SECOND + i * loop->bytes, loop->bytes, bytes, NULL);
	}
	return rc;
}

static void begin_anew(const struct bench_loop *loop, struct cairn_machine *machine)
{
	struct cairn_reg regs[8];
	uint8_t bytes[8];
	for (unsigned i = 0, n = first_registers(loop, regs); i < n; i++) {
		put_number(bytes, regs[i].value);
		cairn_machine_set(machine, (enum cairn_reg_class)regs[i].cls, regs[i].num, 8, bytes, NULL);
	}
}

const struct cairn_step *bench_loop_step(const struct bench_loop *loop,
                                         struct cairn_machine *machine, uint64_t *pc)
{
	if (!*pc) {
		begin_anew(loop, machine);
		*pc = CODE;
	}
	const struct cairn_step *step =
		cairn_machine_step(machine, *pc, loop->code[(*pc - CODE) / 4], 4, NULL, 0);
	*pc = step->next == CODE + 4 * loop->n ? 0 : step->next;
	return step->reason || step->next_known != UINT64_MAX ? NULL : step;
}

/* ---- a trace ---- */

struct rows {
	struct cairn_reg regs[MOST_ROWS];
	struct cairn_mem mems[MOST_ROWS];
	uint8_t bytes[8 * MOST_WORDS * MOST_ROWS];
	struct cairn_stf_insn insn;
};

/* The registers that a trace tells: the others' values are those of the fields that it has. */
static bool is_told(const struct cairn_step_reg *reg)
{
	return reg->cls == CAIRN_REG_INT || reg->cls == CAIRN_REG_FP || reg->cls == CAIRN_REG_VECTOR;
}

static void take_register(const struct bench_loop *loop, struct cairn_machine *machine,
                          const struct cairn_step *step, const struct cairn_step_reg *made,
                          struct rows *rows)
{
	uint8_t bytes[8 * MOST_WORDS];
	for (unsigned i = 0; i < made->words; i++)
		put_number(bytes + 8 * i, step->value[made->word + i]);
	/* Bits that are not determined are 0 from here on. */
	cairn_machine_set(machine, (enum cairn_reg_class)made->cls, made->num, 8u * made->words, bytes,
	                  NULL);
	struct cairn_reg *reg = &rows->regs[rows->insn.n_regs++];
	*reg = (struct cairn_reg){.cls = made->cls,
	                          .num = made->num,
	                          .role = CAIRN_ROLE_DST,
	                          .flags = CAIRN_VALUE_KNOWN,
	                          .bits = 64,
	                          .value = step->value[made->word]};
	if (made->cls != CAIRN_REG_VECTOR)
		return;
	reg->bits = loop->vector_bits;
	reg->flags |= CAIRN_VALUE_WIDE;
	reg->value = rows->insn.n_bytes;
	memcpy(rows->bytes + rows->insn.n_bytes, bytes, 8u * made->words);
	rows->insn.n_bytes += 8u * made->words;
}

static void take_step(const struct bench_loop *loop, struct cairn_machine *machine,
                      const struct cairn_step *step, struct rows *rows)
{
	for (unsigned i = 0; i < step->n_regs; i++)
		if (is_told(&step->regs[i]))
			take_register(loop, machine, step, &step->regs[i], rows);
	for (unsigned i = 0; i < step->n_accesses; i++)
		rows->mems[rows->insn.n_mems++] =
			(struct cairn_mem){.addr = step->accesses[i].address,
		                       .size = step->accesses[i].size,
		                       .kind = step->accesses[i].kind,
		                       .flags = CAIRN_VALUE_KNOWN,
		                       .value = step->value[step->accesses[i].word]};
}

static int put_loop(const struct bench_loop *loop, struct cairn_machine *machine,
                    struct cairn_stf_writer *writer)
{
	struct rows rows = {.insn = {.size = 4, .regs = rows.regs, .mems = rows.mems}};
	uint64_t pc = 0;
	int rc = 0;
	rows.insn.n_regs = first_registers(loop, rows.regs);
	do {
		rows.insn.pc = pc ? pc : CODE;
		rows.insn.enc = loop->code[(rows.insn.pc - CODE) / 4];
		rows.insn.bytes = rows.bytes;
		const struct cairn_step *step = bench_loop_step(loop, machine, &pc);
		if (!step)
			return CAIRN_E_STATE;
		take_step(loop, machine, step, &rows);
		rc = cairn_stf_put(writer, &rows.insn);
		rows.insn.n_regs = rows.insn.n_mems = rows.insn.n_bytes = 0;
	} while (pc && rc >= 0);
	return rc;
}

int bench_loop_write(const struct bench_loop *loop, struct cairn *cairn, const char *path)
{
	struct cairn_stf_begin_opts opts = {.size = sizeof opts};
	struct cairn_stf_header *header = NULL;
	struct cairn_stf_writer *writer = NULL;
	struct cairn_machine *machine = NULL;
	int rc = cairn_stf_header_new(cairn, &header);
	if (rc >= 0) {
		header->cfg.vlen = loop->vector_bits;
		opts.header = header;
		rc = bench_loop_new(loop, cairn, &machine);
	}
	rc = rc < 0 ? rc : cairn_stf_create(cairn, path, NULL, &writer);
	rc = rc < 0 ? rc : cairn_stf_begin(writer, &opts);
	rc = rc < 0 ? rc : put_loop(loop, machine, writer);
	if (rc >= 0)
		rc = cairn_stf_finish(writer);
	else
		cairn_stf_abort(writer);
	cairn_machine_free(machine);
	cairn_stf_header_free(header);
	return rc;
}
