/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SVE: loads and stores, by isa/arm64.h's description of the access. Each element is one access, in
 * the order of elements; of whole registers, each 8 bytes (2 of a predicate) are.
 */
#include "exec/arm64_sve.h"

struct transfer {
	struct cairn_machine *machine;
	struct isa_arm64_access access;
	bool stores;
	unsigned elements; /* of one register, that are exchanged */
};

static struct exec_bits base_of(const struct transfer *transfer, unsigned index)
{
	const struct isa_arm64_access *access = &transfer->access;
	if (access->base_kind == ISA_ARM64_BASE_Z)
		return arm64_lane(transfer->machine, sve_register(access->base), access->lane, index);
	return transfer->machine->word[arm64_or_sp(access->base)];
}

static struct exec_bits index_of(const struct transfer *transfer, unsigned index)
{
	const struct isa_arm64_access *access = &transfer->access;
	if (access->index_kind == ISA_ARM64_INDEX_Z)
		return arm64_lane(transfer->machine, sve_register(access->index), access->lane, index);
	return access->index_kind == ISA_ARM64_NO_INDEX
	           ? bits_known(0)
	           : transfer->machine->word[arm64_source(access->index)];
}

/* Where element `index` of register `k` lies in memory. */
static struct exec_bits address_of(const struct transfer *transfer, unsigned index, unsigned k)
{
	const struct isa_arm64_access *access = &transfer->access;
	struct exec_bits base = base_of(transfer, index), by = index_of(transfer, index);
	if (!bits_both(base, by))
		return bits_unknown();
	uint64_t at =
		isa_arm64_address(access, base.value, by.value, transfer->machine->vector_bits / 8);
	if (!(access->flags & ISA_ARM64_GATHER))
		at += (uint64_t)access->element * (index * access->n_regs + k);
	return bits_known(at);
}

static struct exec_bits active_of(const struct transfer *transfer, unsigned index)
{
	return sve_active(transfer->machine, sve_predicate_register(transfer->access.predicate),
	                  transfer->access.lane, index);
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

/* An element that is loaded; 0 where it is not active. */
static struct exec_bits load_element(const struct transfer *transfer, unsigned index, unsigned k,
                                     struct exec_bits active)
{
	const struct isa_arm64_access *access = &transfer->access;
	struct cairn_machine *machine = transfer->machine;
	struct exec_bits address = address_of(transfer, index, k), made = bits_unknown();
	bool maybe = !bits_all(active);
	if (!maybe && !active.value)
		return bits_known(0);
	if (!maybe || is_told(machine, address) || !machine->n_told) {
		made = exec_load(machine, address, access->element);
		machine->accesses[machine->step.n_accesses - 1].maybe = maybe;
	}
	made = access->flags & ISA_ARM64_SIGNED ? bits_sign_extend(made, 8u * access->element)
	                                        : bits_zero_extend(made, 8u * access->element);
	return bits_choose(active, made, bits_known(0));
}

static void store_element(const struct transfer *transfer, unsigned index, unsigned k,
                          struct exec_bits active)
{
	const struct isa_arm64_access *access = &transfer->access;
	unsigned word = sve_register(access->regs[k]);
	if (bits_are_zero(active))
		return;
	exec_store(transfer->machine, address_of(transfer, index, k), access->element,
	           arm64_lane(transfer->machine, word, access->lane, index), !bits_all(active));
}

/* ---- up to the first fault ---- */

/* Does the trace tell as many accesses as there are active elements? */
static bool tells_all(const struct transfer *transfer)
{
	unsigned told = 0, active = 0;
	for (unsigned i = 0; i < transfer->machine->n_told; i++)
		told += transfer->machine->told[i].kind == CAIRN_MEM_READ &&
		        transfer->machine->told[i].size == transfer->access.element;
	for (unsigned i = 0; i < transfer->elements; i++) {
		if (!bits_all(active_of(transfer, i)))
			return false;
		active += active_of(transfer, i).value != 0;
	}
	return told && told == active;
}

/* Only the first active element of ldff1 is surely loaded: no trace tells the faults of the others,
 * unless it tells all accesses. Behind a fault FFR is 0, and where it is 0 and behind that the
 * vector may hold anything. */
static void first_fault_end(const struct transfer *transfer, struct sve_vector *to)
{
	struct cairn_machine *machine = transfer->machine;
	bool first = transfer->access.flags & ISA_ARM64_FIRST_FAULT, whole = tells_all(transfer);
	bool may_fault = false, lost = false;
	unsigned lane = transfer->access.lane;
	struct sve_predicate faults;
	for (unsigned i = first ? 1 : 0; i < machine->step.n_accesses && !whole; i++)
		machine->accesses[i].maybe = true;
	for (unsigned i = 0; i < ARM64_PREDICATE; i++)
		faults.word[i] = machine->word[SVE_FFR + i];
	for (unsigned i = 0; i < transfer->elements; i++) {
		if (!bits_are_zero(active_of(transfer, i)) && !whole) {
			may_fault |= !first;
			first = false;
		}
		for (unsigned k = i * lane; k < (i + 1) * lane && may_fault; k++)
			sve_set_active(&faults, 1, k,
			               bits_and(sve_active(machine, SVE_FFR, 1, k), bits_unknown()));
		struct exec_bits kept = sve_active(machine, SVE_FFR, lane, i);
		lost |= may_fault || !bits_all(kept) || !kept.value;
		if (lost)
			arm64_set_lane(to->word, lane, i, bits_unknown());
	}
	if (may_fault)
		exec_undetermined(machine, "how many elements a load up to the first fault has loaded is "
		                           "not determined");
	sve_put_predicate(machine, SVE_FFR, &faults);
}

/* ---- runs ---- */

static bool begin(struct transfer *transfer, struct cairn_machine *machine, uint32_t enc)
{
	transfer->machine = machine;
	isa_arm64_access(enc, &transfer->access);
	transfer->stores = transfer->access.flags & ISA_ARM64_STORE;
	transfer->elements = sve_elements(machine, transfer->access.lane);
	return transfer->stores;
}

/* Elements of up to four registers. */
static void run_elements(struct cairn_machine *machine, const struct exec_op *op)
{
	struct transfer transfer;
	struct sve_vector to[4] = {0};
	bool stores = begin(&transfer, machine, op->enc);
	const struct isa_arm64_access *access = &transfer.access;
	for (unsigned i = 0; i < transfer.elements; i++) {
		struct exec_bits active = active_of(&transfer, i);
		for (unsigned k = 0; k < access->n_regs; k++)
			if (stores)
				store_element(&transfer, i, k, active);
			else
				arm64_set_lane(to[k].word, access->lane, i, load_element(&transfer, i, k, active));
	}
	if (access->flags & (ISA_ARM64_FIRST_FAULT | ISA_ARM64_NON_FAULT))
		first_fault_end(&transfer, &to[0]);
	for (unsigned k = 0; k < access->n_regs && !stores; k++)
		sve_put(machine, sve_register(access->regs[k]), &to[k]);
}

/* ld1r: one element, loaded if any is active, for all that are. */
static void run_broadcast(struct cairn_machine *machine, const struct exec_op *op)
{
	struct transfer transfer;
	struct sve_vector to = {0};
	begin(&transfer, machine, op->enc);
	struct exec_bits any = bits_known(0), made = bits_known(0);
	for (unsigned i = 0; i < transfer.elements; i++)
		any = bits_or(any, active_of(&transfer, i));
	if (!bits_are_zero(any))
		made = load_element(&transfer, 0, 0, any);
	for (unsigned i = 0; i < transfer.elements; i++)
		arm64_set_lane(to.word, transfer.access.lane, i,
		               bits_choose(active_of(&transfer, i), made, bits_known(0)));
	sve_put(machine, sve_register(transfer.access.regs[0]), &to);
}

/* ld1rq, ld1ro: 16 or 32 bytes, by the lowest elements of the predicate, again and again. */
static void run_replicate(struct cairn_machine *machine, const struct exec_op *op)
{
	struct transfer transfer;
	struct sve_vector to = {0};
	begin(&transfer, machine, op->enc);
	unsigned n = transfer.access.elements, lane = transfer.access.lane;
	for (unsigned i = 0; i < n; i++)
		arm64_set_lane(to.word, lane, i, load_element(&transfer, i, 0, active_of(&transfer, i)));
	for (unsigned i = 0; i + n * lane / 8 < ARM64_VECTOR; i++)
		to.word[i + n * lane / 8] = to.word[i];
	for (unsigned i = transfer.elements / n * n * lane / 8; i < ARM64_VECTOR; i++)
		to.word[i] = bits_known(0); /* no whole part has room */
	sve_put(machine, sve_register(transfer.access.regs[0]), &to);
}

/* ldr, str of a vector or a predicate. */
static void run_whole(struct cairn_machine *machine, const struct exec_op *op)
{
	struct transfer transfer;
	struct sve_vector to = {0};
	struct sve_predicate predicate = sve_none();
	bool stores = begin(&transfer, machine, op->enc);
	bool is_vector = transfer.access.bank == ISA_ARM64_Z;
	unsigned bytes = machine->vector_bits / (is_vector ? 8 : 64), unit = is_vector ? 8 : 2;
	unsigned word = is_vector ? sve_register(transfer.access.regs[0])
	                          : sve_predicate_register(transfer.access.regs[0]);
	for (unsigned i = 0; i < bytes / unit; i++) {
		struct exec_bits at = bits_add(address_of(&transfer, 0, 0), bits_known(i * unit));
		if (stores)
			exec_store(machine, at, unit, arm64_lane(machine, word, unit, i), false);
		else
			arm64_set_lane(is_vector ? to.word : predicate.word, unit, i,
			               exec_load(machine, at, unit));
	}
	if (!stores && is_vector)
		sve_put(machine, word, &to);
	else if (!stores)
		sve_put_predicate(machine, word, &predicate);
}

static void run_prefetch(struct cairn_machine *machine, const struct exec_op *op)
{
	(void)machine;
	(void)op;
}

const struct sve_row *arm64_sve_memory(uint32_t enc)
{
	static const struct sve_row prefetch = {.run = run_prefetch}, whole = {.run = run_whole},
								elements = {.run = run_elements},
								broadcast = {.run = run_broadcast},
								replicate = {.run = run_replicate};
	struct isa_arm64_access access;
	if (!isa_arm64_access(enc, &access))
		return NULL;
	if (access.flags & ISA_ARM64_PREFETCH)
		return &prefetch;
	if ((access.bank == ISA_ARM64_Z || access.bank == ISA_ARM64_P) &&
	    access.predicate == ISA_ARM64_NO_REG)
		return &whole;
	/* Predicates as counters, and elements of 128 bits, are later. */
	if (access.bank != ISA_ARM64_Z || access.predicate > 7 || access.lane > 8 || access.n_regs > 4)
		return NULL;
	if (!(access.flags & ISA_ARM64_REPLICATE))
		return &elements;
	return access.elements == 1 ? &broadcast : &replicate;
}
