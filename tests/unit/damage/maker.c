/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program for each hart, straight on with branches over what lies before it and now and then a
 * system call into a region of its own, and the harts interleaved. It is given to a writer as one
 * batch, or printed as a log.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../fixtures/random_traces.h"
#include "base/bytes.h"
#include "damage.h"
#include "isa/isa.h"

const struct make_format make_formats[] = {
	{"stf", ".stf", "stf", CAIRN_ISA_RV64, 2, false, false, false},
	{"stf of three", ".stf", "stf", CAIRN_ISA_RV64, 3, false, false, false},
	{"zstf", ".zstf", "zstf:chunk=20", CAIRN_ISA_RV64, 2, true, false, false},
	{"zstf without an index", ".zstf", "zstf:chunk=20", CAIRN_ISA_RV64, 2, true, true, false},
	{"rst", ".rst", "rst:raw", CAIRN_ISA_SPARC, 2, false, false, false},
	{"rstzip", ".rz3", "rst:rstzip,lossy", CAIRN_ISA_SPARC, 3, true, false, false},
	{"snapshot", ".snapshot", "ete:sync=8", CAIRN_ISA_A64, 2, true, false, true},
	{"frames", ".ete", "ete:sync=8,frames=1", CAIRN_ISA_A64, 2, true, false, true},
	{"tarmac", ".tarmac", NULL, CAIRN_ISA_A64, 2, false, false, false},
	{"spike", ".spike", NULL, CAIRN_ISA_RV64, 2, false, false, false},
	{"execlog", ".execlog", NULL, CAIRN_ISA_A64, 2, false, false, false},
};
const size_t make_n_formats = sizeof make_formats / sizeof *make_formats;

enum { REGS = 8, FIRST_REG = 10 };

struct step {
	uint64_t pc, target, value, addr, data;
	uint32_t enc;
	unsigned hart;
	bool branch, taken, call;
	int rd, rs; /* < 0: none */
	enum cairn_mem_kind kind;
};

struct make {
	const struct make_format *format;
	uint64_t seed, serial, pc[MAKE_HARTS], region[MAKE_HARTS];
	uint64_t first[MAKE_HARTS][REGS], reg[MAKE_HARTS][REGS], word[MAKE_WORDS];
	bool word_known[MAKE_WORDS];
	uint64_t owed[MAKE_HARTS]; /* SPARC: where to go behind the delay slot, 0 nowhere */
	struct step step[MAKE_INSNS];
	unsigned n;
};

/* ---- encodings: rd and rs are numbers of registers, addresses are in rs ---- */

static uint32_t enc_add(enum cairn_isa isa, unsigned rd, unsigned rs, unsigned imm)
{
	if (isa == CAIRN_ISA_RV64)
		return imm << 20 | rs << 15 | rd << 7 | 0x13;
	if (isa == CAIRN_ISA_A64)
		return 0x91000000 | imm << 10 | rs << 5 | rd;
	return 0x80002000 | rd << 25 | rs << 14 | imm;
}
static uint32_t enc_access(enum cairn_isa isa, unsigned reg, unsigned base, bool store)
{
	if (isa == CAIRN_ISA_RV64)
		return store ? reg << 20 | base << 15 | 3 << 12 | 0x23
		             : base << 15 | 3 << 12 | reg << 7 | 3;
	if (isa == CAIRN_ISA_A64)
		return (store ? 0xf9000000 : 0xf9400000) | base << 5 | reg;
	return 0xc0000000 | reg << 25 | (store ? 0x0eu : 0x0bu) << 19 | base << 14;
}
/* Over two instructions; over one and the delay slot. */
static uint32_t enc_branch(enum cairn_isa isa, unsigned reg)
{
	if (isa == CAIRN_ISA_RV64)
		return reg << 15 | 0x600 | 0x1063; /* bne reg, x0, +12 */
	if (isa == CAIRN_ISA_A64)
		return 0xb4000000 | 3 << 5 | reg; /* cbz */
	return 0x12800003;                    /* bne +12 */
}

/* ---- steps ---- */

static unsigned below(struct make *make, unsigned n)
{
	return random_below(&make->seed, n);
}

static uint64_t fresh(struct make *make, unsigned hart)
{
	return (uint64_t)(hart + 1) << 24 | ++make->serial << 4 | 1;
}

static struct step *step(struct make *make, unsigned hart, uint32_t enc)
{
	struct step *step = &make->step[make->n++];
	*step = (struct step){.pc = make->pc[hart], .enc = enc, .hart = hart, .rd = -1, .rs = -1};
	make->pc[hart] += 4;
	if (make->owed[hart])
		make->pc[hart] = make->owed[hart];
	make->owed[hart] = 0;
	return step;
}

static void some_access(struct make *make, unsigned hart, bool store)
{
	unsigned rd = below(make, REGS), rs = (rd + 1 + below(make, REGS - 1)) % REGS,
			 word = below(make, MAKE_WORDS);
	enum cairn_isa isa = make->format->isa;
	struct step *now = step(make, hart, enc_access(isa, FIRST_REG + rd, FIRST_REG + rs, store));
	now->addr = MAKE_DATA + 8 * (uint64_t)word;
	now->kind = store ? CAIRN_MEM_WRITE : CAIRN_MEM_READ;
	if (store) {
		now->data = make->word[word] = make->reg[hart][rd];
		make->word_known[word] = true;
		return;
	}
	if (!make->word_known[word])
		make->word[word] = fresh(make, hart);
	make->word_known[word] = true;
	now->data = now->value = make->reg[hart][rd] = make->word[word];
	now->rd = (int)rd;
}

static void some_branch(struct make *make, unsigned hart)
{
	enum cairn_isa isa = make->format->isa;
	struct step *now = step(make, hart, enc_branch(isa, FIRST_REG + below(make, REGS)));
	now->branch = true;
	now->taken = below(make, 2);
	now->target = now->pc + 12;
	if (!now->taken)
		return;
	if (isa == CAIRN_ISA_SPARC)
		make->owed[hart] = now->target;
	else
		make->pc[hart] = now->target;
}

/* A system call, whose handler begins elsewhere and never returns. */
static void some_call(struct make *make, unsigned hart)
{
	struct step *now = step(make, hart, make->format->isa == CAIRN_ISA_A64 ? 0xd4000001 : 0x73);
	now->call = true;
	now->value = 1 + below(make, 400);
	make->pc[hart] = now->target = make->region[hart] += 0x1000;
}

static void some_step(struct make *make, unsigned hart)
{
	unsigned what = below(make, 10);
	bool slot = make->owed[hart] != 0;
	if (what < 3) {
		some_access(make, hart, what == 0);
	} else if (what < 5 && !slot) {
		some_branch(make, hart);
	} else if (what == 5 && !slot && make->format->isa == CAIRN_ISA_RV64 && below(make, 3) == 0) {
		some_call(make, hart);
	} else {
		unsigned rd = below(make, REGS), rs = below(make, REGS);
		uint32_t enc = enc_add(make->format->isa, FIRST_REG + rd, FIRST_REG + rs, below(make, 500));
		struct step *now = step(make, hart, enc);
		now->rd = (int)rd;
		now->value = make->reg[hart][rd] = fresh(make, hart);
	}
}

static void make_steps(struct make *make)
{
	unsigned hart = 0;
	for (unsigned h = 0; h < make->format->harts; h++) {
		make->pc[h] = make->region[h] = 0x100000 * (uint64_t)(h + 1);
		for (unsigned r = 0; r < REGS; r++)
			make->first[h][r] = make->reg[h][r] = fresh(make, h);
	}
	while (make->n < MAKE_INSNS - 1) {
		some_step(make, hart);
		if (below(make, 3) == 0)
			hart = below(make, make->format->harts);
	}
}

/* ---- as a batch ---- */

static void put_reg(struct cairn_batch *batch, unsigned num, uint64_t value, unsigned role,
                    uint16_t *seq)
{
	batch->regs[batch->n_regs++] = (struct cairn_reg){.value = value,
	                                                  .bits = 64,
	                                                  .num = (uint16_t)num,
	                                                  .seq = (*seq)++,
	                                                  .cls = CAIRN_REG_INT,
	                                                  .role = (uint8_t)role,
	                                                  .flags = CAIRN_VALUE_KNOWN};
}

static void put_call(struct cairn_batch *batch, const struct step *step, uint16_t *seq)
{
	const uint64_t number = step->value;
	batch->n_bytes = (batch->n_bytes + 7) & ~7u;
	memcpy(batch->bytes + batch->n_bytes, &number, sizeof number);
	batch->events[batch->n_events++] = (struct cairn_event){.code = 11, /* from machine mode */
	                                                        .target = step->target,
	                                                        .args = batch->n_bytes,
	                                                        .len = sizeof number,
	                                                        .seq = (*seq)++,
	                                                        .kind = CAIRN_EV_SYSCALL,
	                                                        .phase = CAIRN_ON,
	                                                        .flags = CAIRN_EVF_TARGET};
	batch->n_bytes += sizeof number;
}

static void put_step(const struct make *make, struct cairn_batch *batch, const struct step *step,
                     bool *begun)
{
	struct cairn_insn *insn = &batch->insns[batch->n_insns++];
	struct cairn_op op;
	uint16_t seq = 0;
	cairn_isa_decode(make->format->isa, step->enc, 4, &op);
	*insn = (struct cairn_insn){.pc = step->pc,
	                            .enc = step->enc,
	                            .size = 4,
	                            .isa = (uint8_t)make->format->isa,
	                            .traits = op.traits,
	                            .cls = op.cls,
	                            .ctx = (uint16_t)step->hart,
	                            .reg0 = (uint16_t)batch->n_regs,
	                            .mem0 = (uint16_t)batch->n_mems,
	                            .ev0 = (uint16_t)batch->n_events};
	if (step->branch) {
		insn->flags = CAIRN_INSN_TARGET | (step->taken ? CAIRN_INSN_TAKEN : CAIRN_INSN_NOT_TAKEN);
		insn->target = step->target;
	}
	if (!*begun) /* where the hart's registers are told first, they are all its own */
		for (unsigned r = 0; r < REGS; r++)
			put_reg(batch, FIRST_REG + r, make->first[step->hart][r], CAIRN_ROLE_STATE, &seq);
	*begun = true;
	if (step->call)
		put_call(batch, step, &seq);
	if (step->rd >= 0)
		put_reg(batch, FIRST_REG + (unsigned)step->rd, step->value, CAIRN_ROLE_DST, &seq);
	if (step->kind)
		batch->mems[batch->n_mems++] = (struct cairn_mem){.addr = step->addr,
		                                                  .value = step->data,
		                                                  .size = 8,
		                                                  .words = 1,
		                                                  .seq = seq++,
		                                                  .kind = (uint8_t)step->kind,
		                                                  .flags = CAIRN_VALUE_KNOWN};
}

static void put_contexts(const struct make *make, struct cairn_batch *batch)
{
	enum cairn_isa isa = make->format->isa;
	const uint32_t known = CAIRN_CTX_HART | CAIRN_CTX_HW_TID | CAIRN_CTX_PRIV |
	                       (isa == CAIRN_ISA_RV64 ? CAIRN_CTX_PID | CAIRN_CTX_TID : 0u);
	batch->n_ctxs = make->format->harts;
	for (unsigned h = 0; h < make->format->harts; h++)
		batch->ctxs[h] =
			(struct cairn_ctx){.known = known,
		                       .hart = (uint16_t)h,
		                       .hw_tid = h,
		                       .pid = 40,
		                       .tid = 40 + h,
		                       .priv = isa == CAIRN_ISA_A64 ? CAIRN_PRIV_EL1 : CAIRN_PRIV_MACHINE};
}

static void put_batch(struct cairn *cairn, const struct make *make, const char *path)
{
	struct cairn_create_opts opts = {.size = sizeof opts, .to = make->format->to, .lossy = 1};
	struct cairn_batch *batch = cairn_batch_new(cairn);
	struct cairn_writer *writer = NULL;
	bool begun[MAKE_HARTS] = {false};
	batch->n0 = 1;
	batch->n_insns = batch->n_regs = batch->n_mems = batch->n_events = batch->n_bytes = 0;
	batch->have = CAIRN_EVERYTHING;
	put_contexts(make, batch);
	for (unsigned i = 0; i < make->n; i++)
		put_step(make, batch, &make->step[i], &begun[make->step[i].hart]);
	for (unsigned i = 0; i < 2; i++)
		batch->insns[batch->n_insns + i] =
			(struct cairn_insn){.ctx = batch->insns[batch->n_insns - 1].ctx,
		                        .reg0 = (uint16_t)batch->n_regs,
		                        .mem0 = (uint16_t)batch->n_mems,
		                        .ev0 = (uint16_t)batch->n_events};
	int rc = cairn_create(cairn, path, &opts, &writer);
	if (rc >= 0)
		rc = cairn_put(writer, batch);
	int end = writer ? cairn_finish(writer, NULL) : rc;
	if (rc < 0 || end < 0) {
		fprintf(stderr, "%s: %s\n", path, cairn_error_text(cairn));
		abort();
	}
	cairn_batch_free(cairn, batch);
}

/* ---- as text ---- */

#define LL(x) ((unsigned long long)(x))

static void print_tarmac(FILE *f, unsigned i, const struct step *step)
{
	unsigned time = 100 * i, hart = step->hart;
	fprintf(f, "%u clk cpu%u IT (%u) %08llx %08x O EL1h_n : word\n", time, hart, i + 1,
	        LL(step->pc), step->enc);
	if (step->kind)
		fprintf(f, "%u clk cpu%u M%c8 %08llx:%012llx %016llx\n", time, hart,
		        step->kind == CAIRN_MEM_WRITE ? 'W' : 'R', LL(step->addr), LL(step->addr),
		        LL(step->data));
	if (step->rd >= 0)
		fprintf(f, "%u clk cpu%u R X%d %016llx\n", time, hart, FIRST_REG + step->rd,
		        LL(step->value));
}

static void print_spike(FILE *f, const struct step *step)
{
	fprintf(f, "core   %u: 0x%016llx (0x%08x) word\n", step->hart, LL(step->pc), step->enc);
	if (step->call) {
		fprintf(f, "core   %u: exception trap_machine_ecall, epc 0x%016llx\n", step->hart,
		        LL(step->pc));
		return;
	}
	fprintf(f, "core   %u: 3 0x%016llx (0x%08x)", step->hart, LL(step->pc), step->enc);
	if (step->rd >= 0)
		fprintf(f, " x%-2d 0x%016llx", FIRST_REG + step->rd, LL(step->value));
	if (step->kind == CAIRN_MEM_READ)
		fprintf(f, " mem 0x%016llx", LL(step->addr));
	if (step->kind == CAIRN_MEM_WRITE)
		fprintf(f, " mem 0x%016llx 0x%016llx", LL(step->addr), LL(step->data));
	fprintf(f, "\n");
}

static void print_execlog(FILE *f, const struct step *step)
{
	fprintf(f, "%u, 0x%llx, 0x%x, \"word\"", step->hart, LL(step->pc), step->enc);
	if (step->kind)
		fprintf(f, ", %s, 0x%08llx, RAM", step->kind == CAIRN_MEM_WRITE ? "store" : "load",
		        LL(step->addr));
	if (step->rd >= 0)
		fprintf(f, ", x%d -> 0x%016llx", FIRST_REG + step->rd, LL(step->value));
	fprintf(f, "\n");
}

static void print_log(const struct make *make, const char *path)
{
	FILE *f = fopen(path, "w");
	if (!f)
		abort();
	for (unsigned i = 0; i < make->n; i++) {
		if (make->format->ending[1] == 't')
			print_tarmac(f, i, &make->step[i]);
		else if (make->format->ending[1] == 's')
			print_spike(f, &make->step[i]);
		else
			print_execlog(f, &make->step[i]);
	}
	fclose(f);
}

/* ---- the whole ---- */

/* The program as bytes from the first hart's first address on. */
static void put_program(const struct make *make, const char *path)
{
	enum { SIZE = 0x100000 * MAKE_HARTS + 0x10000 };
	uint8_t *p = calloc(1, SIZE);
	if (!p)
		abort();
	for (unsigned i = 0; i < make->n; i++)
		base_put_le32(p + (make->step[i].pc - 0x100000), make->step[i].enc);
	spoil_write(path, p, SIZE);
	free(p);
}

void make_trace(struct cairn *cairn, const struct make_format *format, uint64_t seed,
                const char *path, const char *program)
{
	struct make *make = calloc(1, sizeof *make);
	size_t n;
	if (!make)
		abort();
	make->format = format;
	make->seed = seed;
	make_steps(make);
	if (format->program)
		put_program(make, program);
	if (format->to)
		put_batch(cairn, make, path);
	else
		print_log(make, path);
	if (format->no_index) {
		uint8_t *p = spoil_read(path, &n);
		spoil_write(path, p, (size_t)base_le64(p + 12));
		free(p);
	}
	free(make);
}
