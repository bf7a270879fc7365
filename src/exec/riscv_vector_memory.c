/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RISC-V vectors: loads and stores. Each element of each field is one access. Where a trace tells
 * larger ones, loads find their contents in memory, and what is stored is what it tells.
 */
#include "exec/riscv_vector.h"

/* riscv_vector_row.extra: how addresses come about. */
enum { UNIT, STRIDED, INDEXED, FIRST_FAULT, WHOLE, MASK };

/* One load or store at work. */
struct transfer {
	struct riscv_vector v;
	bool stores;
	unsigned fields, bytes; /* of a segment; of an element */
	int log_eew, log_emul;  /* of the data */
	int log_index;          /* of an index, bits */
	unsigned group;         /* registers of a field */
	unsigned length;        /* elements */
	struct exec_bits base, stride;
};

static bool transfer_is_defined(const struct transfer *t)
{
	const struct riscv_vector *v = &t->v;
	unsigned fields = t->fields;
	if (!riscv_vector_group(v->vd, t->log_emul) || t->log_eew > 6 || fields * t->group > 8 ||
	    v->vd + fields * t->group > 32 || (!t->stores && v->masked && v->vd == 0))
		return false;
	if (v->row->extra != INDEXED)
		return true;
	int emul = v->log_lmul + t->log_index - v->log_sew;
	if (!riscv_vector_group(v->vs2, emul) || (t->log_index == 6 && riscv_is_narrow(v->machine)))
		return false;
	if (t->stores)
		return true;
	unsigned indices = emul > 0 ? 1u << emul : 1;
	bool apart = v->vd + fields * t->group <= v->vs2 || v->vs2 + indices <= v->vd;
	return apart || (fields == 1 && riscv_vector_apart(v->vd, t->log_emul, 1u << t->log_eew, v->vs2,
	                                                   emul, 1u << t->log_index));
}

static struct exec_bits element_address(const struct transfer *t, unsigned i, unsigned field)
{
	const struct riscv_vector *v = &t->v;
	struct exec_bits at = t->base;
	if (v->row->extra == INDEXED)
		at = bits_add(at, riscv_element(riscv_vector_group_at(v, v->vs2), i, t->log_index));
	else
		at = bits_add(at, bits_multiply(t->stride, bits_known(i)));
	return riscv_address(v->machine, bits_add(at, bits_known(field * t->bytes)));
}

/* Does the trace tell an access at this address? */
static bool is_told(const struct cairn_machine *machine, struct exec_bits address)
{
	for (unsigned i = 0; i < machine->n_told; i++)
		if (bits_all(address) && machine->told[i].address_known &&
		    machine->told[i].address == address.value)
			return true;
	return false;
}

static void element_transfer(const struct transfer *t, struct exec_bits *data, unsigned i,
                             unsigned field, struct exec_bits active)
{
	struct cairn_machine *machine = t->v.machine;
	struct exec_bits *words = data + (size_t)field * t->group * t->v.words;
	struct exec_bits address = element_address(t, i, field);
	bool maybe = !(active.known & 1);
	if (t->stores) {
		exec_store(machine, address, t->bytes, riscv_element(words, i, t->log_eew), maybe);
		return;
	}
	struct exec_bits made = bits_unknown();
	if (!maybe || is_told(machine, address) || !machine->n_told) {
		made = exec_load(machine, address, t->bytes);
		machine->accesses[machine->step.n_accesses - 1].maybe = maybe;
	}
	riscv_settle(&t->v, words, i, t->log_eew, active, made);
}

/* How many elements a load up to the first fault surely has done: what it leaves out no trace tells,
 * unless it tells that all were accessed. */
static unsigned surely_loaded(const struct transfer *t)
{
	const struct cairn_machine *machine = t->v.machine;
	unsigned told = 0;
	for (unsigned i = 0; i < machine->n_told; i++)
		told += machine->told[i].kind == CAIRN_MEM_READ && machine->told[i].size == t->bytes;
	return !t->v.masked && told >= t->fields * t->length ? t->length : 1;
}

/* What lies behind the elements that are surely loaded may be anything, and so may vl be, from 1 on. */
static void first_fault_end(const struct transfer *t, struct exec_bits *data)
{
	struct exec_bits vl = {0, ~(uint64_t)(2 * t->v.vlmax - 1)};
	if (t->v.row->extra != FIRST_FAULT || t->length < 2 || surely_loaded(t) == t->length)
		return;
	for (unsigned field = 0; field < t->fields; field++)
		for (unsigned i = t->v.start ? t->v.start : 1; i < t->length; i++)
			riscv_put_element(data + (size_t)field * t->group * t->v.words, i, t->log_eew,
			                  bits_unknown());
	exec_undetermined(
		t->v.machine,
		"how many elements a load up to the first fault has loaded is not determined");
	riscv_put_csr(t->v.machine, RISCV_VL, RISCV_VL_CSR, vl);
}

static void load_end(const struct transfer *t, struct exec_bits *data)
{
	const struct riscv_vector *v = &t->v;
	first_fault_end(t, data);
	for (unsigned field = 0; field < t->fields; field++) {
		struct exec_bits *words = data + (size_t)field * t->group * v->words;
		if (v->row->extra != WHOLE)
			riscv_tail(v, words, t->length, t->log_eew, t->log_emul);
		riscv_put_group(v, words, v->vd + field * t->group, t->log_emul);
	}
}

static void transfer_run(struct transfer *t)
{
	struct exec_bits data[RISCV_GROUP_WORDS];
	struct riscv_vector *v = &t->v;
	if (!transfer_is_defined(t)) {
		riscv_vector_reserved(v->machine, v->op);
		return;
	}
	if (v->start < t->length) {
		if (!t->stores && !exec_told(v->machine, CAIRN_MEM_READ, t->bytes))
			exec_take_told(v->machine);
		for (unsigned field = 0; field < t->fields; field++)
			riscv_take_group(v, data + (size_t)field * t->group * v->words,
			                 v->vd + field * t->group, t->log_emul);
		for (unsigned i = v->start; i < t->length; i++) {
			struct exec_bits active = riscv_active(v, i);
			for (unsigned field = 0; field < t->fields; field++)
				if (active.value & 1 || !(active.known & 1))
					element_transfer(t, data, i, field, active);
				else if (!t->stores)
					riscv_settle(v, data + (size_t)field * t->group * v->words, i, t->log_eew,
					             active, bits_known(0));
		}
		if (!t->stores)
			load_end(t, data);
	}
	riscv_vector_end(v->machine);
}

/* By bits 14:12 of the encoding. */
static int width_of(uint32_t enc)
{
	unsigned width = enc >> 12 & 7;
	return width ? (int)width - 1 : 3;
}

static void transfer_begin(struct transfer *t, const struct cairn_machine *machine,
                           const struct exec_op *op)
{
	unsigned rs2 = op->enc >> 20 & 31;
	t->stores = op->enc & 0x20;
	t->fields = (op->enc >> 29) + 1;
	t->length = t->v.vl;
	t->base = machine->word[riscv_source(op->enc >> 15 & 31)];
	t->log_eew = width_of(op->enc);
	t->log_emul = t->v.log_lmul + t->log_eew - t->v.log_sew;
	if (t->v.row->extra == INDEXED) {
		t->log_index = t->log_eew;
		t->log_eew = t->v.log_sew;
		t->log_emul = t->v.log_lmul;
	}
	t->group = t->log_emul > 0 ? 1u << t->log_emul : 1;
	t->bytes = 1u << t->log_eew >> 3;
	t->stride = t->v.row->extra == STRIDED ? machine->word[riscv_source(rs2)]
	                                       : bits_known(t->fields * t->bytes);
}

static void run_transfer(struct cairn_machine *machine, const struct exec_op *op)
{
	struct transfer t;
	if (!riscv_vector_begin(machine, op, &t.v))
		return;
	transfer_begin(&t, machine, op);
	transfer_run(&t);
}

/* As many bytes as a mask of vl bits needs; the others are agnostic whatever vtype says. */
static void run_mask(struct cairn_machine *machine, const struct exec_op *op)
{
	struct transfer t;
	if (!riscv_vector_begin(machine, op, &t.v))
		return;
	transfer_begin(&t, machine, op);
	t.length = (t.v.vl + 7) / 8;
	t.log_emul = 0;
	t.group = 1;
	t.v.tail_agnostic = true;
	transfer_run(&t);
}

/* Whole registers, whatever vtype and vl are. */
static void run_whole(struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned words = riscv_vector_words(machine), fields = (op->enc >> 29) + 1;
	struct exec_bits start = machine->word[RISCV_VSTART];
	if (!words || !bits_all(start)) {
		riscv_vector_forget(machine, op, "the length of vectors, or vstart, is not known");
		return;
	}
	struct transfer t = {.v = {.machine = machine,
	                           .op = op,
	                           .row = op->row,
	                           .words = words,
	                           .vd = op->enc >> 7 & 31,
	                           .start = (unsigned)bits_least(start)}};
	transfer_begin(&t, machine, op);
	t.fields = 1;
	t.log_emul = 31 - __builtin_clz(fields);
	t.group = fields;
	t.stride = bits_known(t.bytes);
	t.length = fields * 8 * words / t.bytes;
	transfer_run(&t);
}

/* Masks of a row: mew, mop, width and opcode; lumop; vm and nf. */
#define ROW(name, mask, match, run, extra) \
	{ \
		name, mask, match, run, NULL, NULL, 0, RISCV_FORM_V, extra \
	}
#define MEMORY 0x1c00707fu
#define LUMOP (31u << 20)
#define ALONE 0xe2000000u
#define AT(store, mop, width) \
	((uint32_t)(mop) << 26 | (uint32_t)(width) << 12 | ((store) ? 0x27 : 0x07))
#define WIDTHS(load, name, store, mask, mop, more, run, extra) \
	ROW(load "8" name, mask, AT(store, mop, 0) | (more), run, extra), \
		ROW(load "16" name, mask, AT(store, mop, 5) | (more), run, extra), \
		ROW(load "32" name, mask, AT(store, mop, 6) | (more), run, extra), \
		ROW(load "64" name, mask, AT(store, mop, 7) | (more), run, extra)
#define LUMOP_(x) ((uint32_t)(x) << 20)

/* Segments have the rows of what is no segment. */
/* clang-format off */
const struct riscv_vector_row riscv_vector_memory_rows[] = {
	WIDTHS("vle", ".v", 0, MEMORY | LUMOP, 0, LUMOP_(0), run_transfer, UNIT),
	WIDTHS("vse", ".v", 1, MEMORY | LUMOP, 0, LUMOP_(0), run_transfer, UNIT),
	WIDTHS("vle", "ff.v", 0, MEMORY | LUMOP, 0, LUMOP_(16), run_transfer, FIRST_FAULT),
	WIDTHS("vlse", ".v", 0, MEMORY, 2, 0, run_transfer, STRIDED),
	WIDTHS("vsse", ".v", 1, MEMORY, 2, 0, run_transfer, STRIDED),
	WIDTHS("vluxei", ".v", 0, MEMORY, 1, 0, run_transfer, INDEXED),
	WIDTHS("vsuxei", ".v", 1, MEMORY, 1, 0, run_transfer, INDEXED),
	WIDTHS("vloxei", ".v", 0, MEMORY, 3, 0, run_transfer, INDEXED),
	WIDTHS("vsoxei", ".v", 1, MEMORY, 3, 0, run_transfer, INDEXED),
	WIDTHS("vlre", ".v", 0, MEMORY | LUMOP | RISCV_VM, 0, LUMOP_(8) | RISCV_VM, run_whole, WHOLE),
	ROW("vsr.v", MEMORY | LUMOP | RISCV_VM, AT(1, 0, 0) | LUMOP_(8) | RISCV_VM, run_whole, WHOLE),
	ROW("vlm.v", MEMORY | LUMOP | ALONE, AT(0, 0, 0) | LUMOP_(11) | RISCV_VM, run_mask, MASK),
	ROW("vsm.v", MEMORY | LUMOP | ALONE, AT(1, 0, 0) | LUMOP_(11) | RISCV_VM, run_mask, MASK),
	{NULL}};
/* clang-format on */
