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
	struct riscv_vector setting;
	bool stores;
	unsigned fields, bytes; /* of a segment; of an element */
	int log_eew, log_emul;  /* of the data */
	int log_index;          /* of an index, bits */
	unsigned group;         /* registers of a field */
	unsigned length;        /* elements */
	struct exec_bits base, stride;
};

static bool transfer_is_defined(const struct transfer *transfer)
{
	const struct riscv_vector *setting = &transfer->setting;
	unsigned fields = transfer->fields;
	if (!riscv_vector_group(setting->vd, transfer->log_emul) || transfer->log_eew > 6 ||
	    fields * transfer->group > 8 || setting->vd + fields * transfer->group > 32 ||
	    (!transfer->stores && setting->masked && setting->vd == 0))
		return false;
	if (setting->row->extra != INDEXED)
		return true;
	int emul = setting->log_lmul + transfer->log_index - setting->log_sew;
	if (!riscv_vector_group(setting->vs2, emul) ||
	    (transfer->log_index == 6 && riscv_is_narrow(setting->machine)))
		return false;
	if (transfer->stores)
		return true;
	unsigned indices = emul > 0 ? 1u << emul : 1;
	bool apart = setting->vd + fields * transfer->group <= setting->vs2 ||
	             setting->vs2 + indices <= setting->vd;
	return apart || (fields == 1 &&
	                 riscv_vector_apart(setting->vd, transfer->log_emul, 1u << transfer->log_eew,
	                                    setting->vs2, emul, 1u << transfer->log_index));
}

static struct exec_bits element_address(const struct transfer *transfer, unsigned index,
                                        unsigned field)
{
	const struct riscv_vector *setting = &transfer->setting;
	struct exec_bits at = transfer->base;
	if (setting->row->extra == INDEXED)
		at = bits_add(at, riscv_element(riscv_vector_group_at(setting, setting->vs2), index,
		                                transfer->log_index));
	else
		at = bits_add(at, bits_multiply(transfer->stride, bits_known(index)));
	return riscv_address(setting->machine, bits_add(at, bits_known(field * transfer->bytes)));
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

static void element_transfer(const struct transfer *transfer, struct exec_bits *data,
                             unsigned index, unsigned field, struct exec_bits active)
{
	struct cairn_machine *machine = transfer->setting.machine;
	struct exec_bits *words = data + (size_t)field * transfer->group * transfer->setting.words;
	struct exec_bits address = element_address(transfer, index, field);
	bool maybe = !(active.known & 1);
	if (transfer->stores) {
		exec_store(machine, address, transfer->bytes,
		           riscv_element(words, index, transfer->log_eew), maybe);
		return;
	}
	struct exec_bits made = bits_unknown();
	if (!maybe || is_told(machine, address) || !machine->n_told) {
		made = exec_load(machine, address, transfer->bytes);
		machine->accesses[machine->step.n_accesses - 1].maybe = maybe;
	}
	riscv_settle(&transfer->setting, words, index, transfer->log_eew, active, made);
}

/* How many elements a load up to the first fault surely has done: what it leaves out no trace tells,
 * unless it tells that all were accessed. */
static unsigned surely_loaded(const struct transfer *transfer)
{
	const struct cairn_machine *machine = transfer->setting.machine;
	unsigned told = 0;
	for (unsigned i = 0; i < machine->n_told; i++)
		told += machine->told[i].kind == CAIRN_MEM_READ && machine->told[i].size == transfer->bytes;
	return !transfer->setting.masked && told >= transfer->fields * transfer->length
	           ? transfer->length
	           : 1;
}

/* What lies behind the elements that are surely loaded may be anything, and so may vl be, from 1 on. */
static void first_fault_end(const struct transfer *transfer, struct exec_bits *data)
{
	struct exec_bits vl = {0, ~(uint64_t)(2 * transfer->setting.vlmax - 1)};
	if (transfer->setting.row->extra != FIRST_FAULT || transfer->length < 2 ||
	    surely_loaded(transfer) == transfer->length)
		return;
	for (unsigned field = 0; field < transfer->fields; field++)
		for (unsigned i = transfer->setting.start ? transfer->setting.start : 1;
		     i < transfer->length; i++)
			riscv_put_element(data + (size_t)field * transfer->group * transfer->setting.words, i,
			                  transfer->log_eew, bits_unknown());
	exec_undetermined(
		transfer->setting.machine,
		"how many elements a load up to the first fault has loaded is not determined");
	riscv_put_csr(transfer->setting.machine, RISCV_VL, RISCV_VL_CSR, vl);
}

static void load_end(const struct transfer *transfer, struct exec_bits *data)
{
	const struct riscv_vector *setting = &transfer->setting;
	first_fault_end(transfer, data);
	for (unsigned field = 0; field < transfer->fields; field++) {
		struct exec_bits *words = data + (size_t)field * transfer->group * setting->words;
		if (setting->row->extra != WHOLE)
			riscv_tail(setting, words, transfer->length, transfer->log_eew, transfer->log_emul);
		riscv_put_group(setting, words, setting->vd + field * transfer->group, transfer->log_emul);
	}
}

static void transfer_run(struct transfer *transfer)
{
	struct exec_bits data[RISCV_GROUP_WORDS];
	struct riscv_vector *setting = &transfer->setting;
	if (!transfer_is_defined(transfer)) {
		riscv_vector_reserved(setting->machine, setting->op);
		return;
	}
	if (setting->start < transfer->length) {
		if (!transfer->stores && !exec_told(setting->machine, CAIRN_MEM_READ, transfer->bytes))
			exec_take_told(setting->machine);
		for (unsigned field = 0; field < transfer->fields; field++)
			riscv_take_group(setting, data + (size_t)field * transfer->group * setting->words,
			                 setting->vd + field * transfer->group, transfer->log_emul);
		for (unsigned i = setting->start; i < transfer->length; i++) {
			struct exec_bits active = riscv_active(setting, i);
			for (unsigned field = 0; field < transfer->fields; field++)
				if (active.value & 1 || !(active.known & 1))
					element_transfer(transfer, data, i, field, active);
				else if (!transfer->stores)
					riscv_settle(setting, data + (size_t)field * transfer->group * setting->words,
					             i, transfer->log_eew, active, bits_known(0));
		}
		if (!transfer->stores)
			load_end(transfer, data);
	}
	riscv_vector_end(setting->machine);
}

/* By bits 14:12 of the encoding. */
static int width_of(uint32_t enc)
{
	unsigned width = enc >> 12 & 7;
	return width ? (int)width - 1 : 3;
}

static void transfer_begin(struct transfer *transfer, const struct cairn_machine *machine,
                           const struct exec_op *op)
{
	unsigned rs2 = op->enc >> 20 & 31;
	transfer->stores = op->enc & 0x20;
	transfer->fields = (op->enc >> 29) + 1;
	transfer->length = transfer->setting.vl;
	transfer->base = machine->word[riscv_source(op->enc >> 15 & 31)];
	transfer->log_eew = width_of(op->enc);
	transfer->log_emul = transfer->setting.log_lmul + transfer->log_eew - transfer->setting.log_sew;
	if (transfer->setting.row->extra == INDEXED) {
		transfer->log_index = transfer->log_eew;
		transfer->log_eew = transfer->setting.log_sew;
		transfer->log_emul = transfer->setting.log_lmul;
	}
	transfer->group = transfer->log_emul > 0 ? 1u << transfer->log_emul : 1;
	transfer->bytes = 1u << transfer->log_eew >> 3;
	transfer->stride = transfer->setting.row->extra == STRIDED
	                       ? machine->word[riscv_source(rs2)]
	                       : bits_known(transfer->fields * transfer->bytes);
}

static void run_transfer(struct cairn_machine *machine, const struct exec_op *op)
{
	struct transfer transfer;
	if (!riscv_vector_begin(machine, op, &transfer.setting))
		return;
	transfer_begin(&transfer, machine, op);
	transfer_run(&transfer);
}

/* As many bytes as a mask of vl bits needs; the others are agnostic whatever vtype says. */
static void run_mask(struct cairn_machine *machine, const struct exec_op *op)
{
	struct transfer transfer;
	if (!riscv_vector_begin(machine, op, &transfer.setting))
		return;
	transfer_begin(&transfer, machine, op);
	transfer.length = (transfer.setting.vl + 7) / 8;
	transfer.log_emul = 0;
	transfer.group = 1;
	transfer.setting.tail_agnostic = true;
	transfer_run(&transfer);
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
	struct transfer transfer = {.setting = {.machine = machine,
	                                        .op = op,
	                                        .row = op->row,
	                                        .words = words,
	                                        .vd = op->enc >> 7 & 31,
	                                        .start = (unsigned)bits_least(start)}};
	transfer_begin(&transfer, machine, op);
	transfer.fields = 1;
	transfer.log_emul = 31 - __builtin_clz(fields);
	transfer.group = fields;
	transfer.stride = bits_known(transfer.bytes);
	transfer.length = fields * 8 * words / transfer.bytes;
	transfer_run(&transfer);
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
