/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is derived never contradicts the trace: values are taken out of given traces at random, and
 * each that is derived is compared with what the whole trace tells.
 *
 * CAIRN_SEED=N takes others.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/cairn.h"
#include "given.h"
#include "model/model.h"

static struct cairn *c;

/* ---- taking values out ---- */

/* Of 256 rows, how many go, and how many stay without their value. */
struct strip {
	const char *name;
	uint8_t results, sources, accesses, values, addresses;
};
static const struct strip strips[] = {
	{"no registers", 255, 255, 0, 0, 0},
	{"no contents", 0, 0, 0, 255, 0},
	{"no accesses", 0, 255, 255, 0, 0},
	{"half of all", 128, 128, 60, 128, 60},
	{"no results, some contents", 255, 200, 0, 100, 0},
	{"nothing", 0, 0, 0, 0, 0},
};
enum { STRIPS = sizeof strips / sizeof *strips };

/* Stands before the reader's own derivation. */
struct stripper {
	struct model_derivation derivation; /* first */
	struct model_derivation *own;
	const struct strip *strip;
	uint64_t random;
};

static bool goes(struct stripper *stripper, unsigned of_256)
{
	stripper->random ^= stripper->random << 13;
	stripper->random ^= stripper->random >> 7;
	stripper->random ^= stripper->random << 17;
	return (stripper->random >> 20 & 255) < of_256 || of_256 == 255;
}

static bool reg_goes(struct stripper *stripper, struct cairn_reg *reg)
{
	const struct strip *strip = stripper->strip;
	if (reg->role != CAIRN_ROLE_DST && reg->role != CAIRN_ROLE_SRC)
		return false;
	if (!goes(stripper, reg->role == CAIRN_ROLE_DST ? strip->results : strip->sources))
		return false;
	if (goes(stripper, 128))
		return true;
	reg->flags &= (uint8_t) ~(CAIRN_VALUE_KNOWN | CAIRN_VALUE_WIDE);
	reg->value = 0;
	return false;
}

static bool mem_goes(struct stripper *stripper, struct cairn_mem *mem)
{
	const struct strip *strip = stripper->strip;
	if (mem->initiator != CAIRN_BY_INSN || mem->flags & CAIRN_VALUE_NOT_WRITTEN)
		return false;
	if (goes(stripper, strip->values)) {
		mem->flags &= (uint8_t) ~(CAIRN_VALUE_KNOWN | CAIRN_VALUE_WIDE);
		mem->value = mem->words = 0;
	}
	if (goes(stripper, strip->addresses)) {
		mem->flags |= CAIRN_VALUE_ADDR_UNKNOWN;
		mem->addr = 0;
	}
	return goes(stripper, strip->accesses);
}

/* All accesses of an instruction go or none: a trace that tells some is taken to tell all. */
static void strip_slot(struct stripper *stripper, struct cairn_batch *batch, uint32_t slot,
                       uint32_t *n_regs, uint32_t *n_mems)
{
	struct cairn_insn *insn = &batch->insns[slot];
	uint32_t reg = insn->reg0, mem = insn->mem0;
	insn->reg0 = (uint16_t)*n_regs;
	insn->mem0 = (uint16_t)*n_mems;
	for (; reg < insn[1].reg0; reg++)
		if (!reg_goes(stripper, &batch->regs[reg]))
			batch->regs[(*n_regs)++] = batch->regs[reg];
	bool all = false;
	for (uint32_t k = mem; k < insn[1].mem0; k++)
		all |= mem_goes(stripper, &batch->mems[k]);
	for (; mem < insn[1].mem0; mem++) {
		batch->mems[mem].reg = 0; /* its row may have gone */
		if (!all || batch->mems[mem].initiator != CAIRN_BY_INSN)
			batch->mems[(*n_mems)++] = batch->mems[mem];
	}
}

static int strip_batch(struct model_derivation *derivation, struct cairn_batch *batch)
{
	struct stripper *stripper = (struct stripper *)derivation;
	uint32_t n_regs = 0, n_mems = 0;
	for (uint32_t i = 0; i <= batch->n_insns; i++)
		strip_slot(stripper, batch, i, &n_regs, &n_mems);
	batch->insns[batch->n_insns + 1].reg0 = (uint16_t)n_regs;
	batch->insns[batch->n_insns + 1].mem0 = (uint16_t)n_mems;
	batch->n_regs = n_regs;
	batch->n_mems = n_mems;
	return stripper->own->batch(stripper->own, batch);
}

static void strip_reset(struct model_derivation *derivation)
{
	struct stripper *stripper = (struct stripper *)derivation;
	stripper->own->reset(stripper->own);
}

static void strip_free(struct model_derivation *derivation)
{
	struct stripper *stripper = (struct stripper *)derivation;
	stripper->own->free(stripper->own);
}

/* ---- comparing ---- */

struct compared {
	const char *path;
	const struct strip *strip;
	uint64_t registers, bytes, wrong; /* claimed values that the whole trace tells, too */
};

static void complain_of(struct compared *compared, uint64_t n, const char *what)
{
	if (compared->wrong++ < 5)
		print_message("%s, %s, instruction %" PRIu64 ": %s\n", compared->path,
		              compared->strip->name, n, what);
}

static uint16_t hart_of(const struct cairn_batch *batch, uint32_t slot)
{
	uint16_t ctx = batch->insns[slot].ctx;
	bool known = ctx < batch->n_ctxs && batch->ctxs[ctx].known & CAIRN_CTX_HART;
	return known ? batch->ctxs[ctx].hart : CAIRN_NO_HART;
}

/* Byte `index` of a row's value. */
static uint8_t value_byte(const struct cairn_batch *batch, uint8_t flags, uint64_t value,
                          unsigned index)
{
	if (flags & CAIRN_VALUE_WIDE)
		return batch->bytes[value + index];
	return (uint8_t)(index < 8 ? value >> 8 * index : 0);
}

static void compare_register(struct compared *compared, const struct cairn_batch *derived,
                             const struct cairn_reg *reg, const struct cairn_state *state,
                             uint32_t slot)
{
	struct cairn_state_reg whole;
	char what[128], name[32];
	cairn_state_reg(state, hart_of(derived, slot), (enum cairn_reg_class)reg->cls, reg->num,
	                &whole);
	bool told = false;
	for (unsigned i = 0; i < (reg->bits + 7) / 8 && i + reg->lsb / 8 < 8; i++) {
		uint8_t known = (uint8_t)(whole.known >> (8 * i + reg->lsb));
		uint8_t is = (uint8_t)(whole.value >> (8 * i + reg->lsb));
		uint8_t mask = (uint8_t)(reg->bits - 8 * i < 8 ? (1u << (reg->bits - 8 * i)) - 1 : 0xffu);
		told |= known != 0;
		if ((value_byte(derived, reg->flags, reg->value, i) ^ is) & known & mask) {
			snprintf(what, sizeof what, "%s (role %u) is derived as %#" PRIx64 " and is %#" PRIx64,
			         cairn_reg_name(derived->insns[slot].isa, reg->cls, reg->num, name), reg->role,
			         reg->value, whole.value);
			complain_of(compared, derived->n0 + slot, what);
			break;
		}
	}
	compared->registers += told;
}

static void compare_registers(struct compared *compared, const struct cairn_batch *derived,
                              uint32_t slot, const struct cairn_state *state, unsigned role)
{
	const struct cairn_insn *insn = &derived->insns[slot];
	unsigned claims = CAIRN_VALUE_DERIVED | CAIRN_VALUE_KNOWN;
	for (uint32_t k = insn->reg0; k < insn[1].reg0; k++)
		if (derived->regs[k].role == role && (derived->regs[k].flags & claims) == claims)
			compare_register(compared, derived, &derived->regs[k], state, slot);
}

/* What the whole trace has at a byte that an instruction accesses: 2 with its value, 1 without. */
static int whole_byte(const struct cairn_batch *whole, uint32_t slot, unsigned kind, uint64_t at,
                      bool big, uint8_t *byte)
{
	const struct cairn_insn *insn = &whole->insns[slot];
	int found = 0;
	for (uint32_t k = insn->mem0; k < insn[1].mem0; k++) {
		const struct cairn_mem *mem = &whole->mems[k];
		uint64_t index = at - mem->addr;
		if (mem->initiator != CAIRN_BY_INSN || mem->kind != kind || index >= mem->size ||
		    mem->flags & CAIRN_VALUE_ADDR_UNKNOWN)
			continue;
		found = 1;
		if (mem->flags & CAIRN_VALUE_KNOWN) {
			*byte = value_byte(whole, mem->flags, mem->value,
			                   (unsigned)(big ? mem->size - 1 - index : index));
			return 2;
		}
	}
	return found;
}

static bool tells_accesses(const struct cairn_batch *whole, uint32_t slot, unsigned kind)
{
	const struct cairn_insn *insn = &whole->insns[slot];
	bool any = false;
	for (uint32_t k = insn->mem0; k < insn[1].mem0; k++) {
		if (whole->mems[k].flags & CAIRN_VALUE_ADDR_UNKNOWN)
			return false;
		any |= whole->mems[k].initiator == CAIRN_BY_INSN && whole->mems[k].kind == kind;
	}
	return any;
}

static void compare_accesses(struct compared *compared, const struct cairn_batch *derived,
                             const struct cairn_batch *whole, uint32_t slot)
{
	const struct cairn_insn *insn = &derived->insns[slot];
	char what[128];
	bool big = insn->isa == CAIRN_ISA_SPARC;
	for (uint32_t k = insn->mem0; k < insn[1].mem0; k++) {
		const struct cairn_mem *mem = &derived->mems[k];
		if (!(mem->flags & CAIRN_VALUE_DERIVED) || mem->flags & CAIRN_VALUE_ADDR_UNKNOWN ||
		    !tells_accesses(whole, slot, mem->kind))
			continue;
		for (unsigned i = 0; i < mem->size; i++) {
			uint8_t byte = 0,
					is = value_byte(derived, mem->flags, mem->value, big ? mem->size - 1 - i : i);
			int told = whole_byte(whole, slot, mem->kind, mem->addr + i, big, &byte);
			compared->bytes += told == 2;
			if (told && (told == 1 || !(mem->flags & CAIRN_VALUE_KNOWN) || byte == is))
				continue;
			snprintf(what, sizeof what, "%s of %u bytes at %#" PRIx64 ": %s",
			         mem->kind == CAIRN_MEM_READ ? "read" : "write", mem->size, mem->addr,
			         told ? "contents differ" : "the trace has no such access");
			complain_of(compared, derived->n0 + slot, what);
			break;
		}
	}
}

static void compare_batch(struct compared *compared, const struct cairn_batch *whole,
                          const struct cairn_batch *derived, struct cairn_state *state)
{
	assert_int_equal(whole->n0, derived->n0);
	assert_int_equal(whole->n_insns, derived->n_insns);
	for (uint32_t i = 0; i <= whole->n_insns; i++) {
		if (cairn_state_peek(state, whole, i) < 0)
			return;
		compare_registers(compared, derived, i, state, CAIRN_ROLE_SRC);
		assert_true(cairn_state_step(state, whole, i, i + 1) >= 0);
		compare_registers(compared, derived, i, state, CAIRN_ROLE_DST);
		compare_accesses(compared, derived, whole, i);
	}
}

static void compare(const char *path, const struct strip *strip, struct compared *compared)
{
	enum { MOST_BATCHES = 200 };
	const struct cairn_open_opts plain = {.size = sizeof plain, .no_index = 1};
	const struct cairn_open_opts derive = {.size = sizeof derive, .derive = 1};
	const struct cairn_state_opts opts = {.size = sizeof opts, .memory = CAIRN_STATE_NONE};
	struct cairn_reader *readers[2];
	struct cairn_state *state;
	struct cairn_batch *whole = cairn_batch_new(c), *derived = cairn_batch_new(c);
	*compared = (struct compared){.path = path, .strip = strip};
	assert_true(cairn_open(c, path, &plain, &readers[0]) >= 0);
	assert_true(cairn_open(c, path, &derive, &readers[1]) >= 0);
	assert_true(cairn_state_new(c, &opts, &state) >= 0);
	const char *seed = getenv("CAIRN_SEED");
	struct stripper stripper = {
		.derivation = {.batch = strip_batch, .reset = strip_reset, .free = strip_free},
		.own = readers[1]->derivation,
		.strip = strip,
		.random = 0x123456789abcdefu + (seed ? strtoull(seed, NULL, 10) : 0)};
	readers[1]->derivation = &stripper.derivation;
	for (unsigned i = 0; i < MOST_BATCHES; i++) {
		int rc = cairn_next(readers[0], whole);
		assert_int_equal(cairn_next(readers[1], derived), rc);
		if (rc <= 0)
			break;
		compare_batch(compared, whole, derived, state);
	}
	cairn_state_free(state);
	cairn_close(readers[0]);
	cairn_close(readers[1]);
	cairn_batch_free(c, whole);
	cairn_batch_free(c, derived);
}

/* ---- traces ---- */

static unsigned traces;
static uint64_t registers, bytes, wrong;

static int on_finding(void *user, const struct cairn_finding *finding)
{
	*(bool *)user |= !strncmp(finding->rule->id, "exec.", 5);
	return 0;
}

/* Does it contradict itself, so that a part of it may contradict another? */
static bool is_wrong(struct cairn_reader *reader)
{
	bool found = false;
	struct cairn_check_result result = {.size = sizeof result};
	const struct cairn_check_opts opts = {.size = sizeof opts,
	                                      .threads = 2,
	                                      .finding = on_finding,
	                                      .user = &found,
	                                      .execute = 1};
	return cairn_check(reader, &opts, &result) < 0 || found || result.executed == 0;
}

/* Traces that have 0 as the contents of all accesses, whatever was accessed. */
static bool has_no_contents(const char *path)
{
	return strstr(path, "/median-f813842.zstf") || strstr(path, "/vvadd-beee64a.zstf") ||
	       strstr(path, "/qsort-836fba6.zstf");
}

static void one_trace(const char *path)
{
	const struct cairn_open_opts how = {.size = sizeof how, .no_index = 1};
	struct cairn_reader *reader;
	struct compared compared;
	if (strstr(path, "/every-record/") || has_no_contents(path) ||
	    cairn_open(c, path, &how, &reader) < 0)
		return;
	bool skip = is_wrong(reader);
	cairn_close(reader);
	for (unsigned i = 0; i < STRIPS && !skip; i++) {
		compare(path, &strips[i], &compared);
		registers += compared.registers;
		bytes += compared.bytes;
		wrong += compared.wrong;
	}
	traces += !skip;
}

static void what_is_derived_of_given_traces_is_right(void **state)
{
	(void)state;
	if (!given_traces(one_trace))
		skip();
	print_message("%u traces: %" PRIu64 " registers and %" PRIu64
	              " bytes were derived and are told\n",
	              traces, registers, bytes);
	assert_int_equal(wrong, 0);
	assert_true(traces > 50 && registers > 1000000 && bytes > 100000);
}

/* Logs of vectors tell all that instructions make of them, piece by piece: no result is left to derive. */
static unsigned vectors_derived;

static void count_vectors(const char *path)
{
	const struct cairn_open_opts how = {.size = sizeof how, .derive = 1, .no_index = 1};
	struct cairn_batch *batch = cairn_batch_new(c);
	struct cairn_reader *reader;
	if (!strstr(path, "/sve-vl") || !strstr(path, "-logall"))
		return cairn_batch_free(c, batch);
	assert_true(cairn_open(c, path, &how, &reader) >= 0);
	while (cairn_next(reader, batch) > 0)
		for (uint32_t i = 0; i < batch->n_regs; i++)
			vectors_derived += batch->regs[i].cls == CAIRN_REG_VECTOR &&
			                   batch->regs[i].role == CAIRN_ROLE_DST &&
			                   batch->regs[i].flags & CAIRN_VALUE_DERIVED;
	cairn_close(reader);
	cairn_batch_free(c, batch);
}

static void what_is_told_in_pieces_is_not_derived(void **state)
{
	(void)state;
	if (!given_traces(count_vectors))
		skip();
	assert_int_equal(vectors_derived, 0);
}

static void what_is_derived_of_examples_is_right(void **state)
{
	static const char *const names[] = {"sort.zstf", "sort-a64.vixl.xz", "sort-v9.rst.xz"};
	char path[4096];
	(void)state;
	wrong = traces = 0;
	registers = bytes = 0;
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "%s/%s", getenv("EXAMPLES"), names[i]);
		one_trace(path);
	}
	assert_int_equal(traces, sizeof names / sizeof *names);
	assert_int_equal(wrong, 0);
	assert_true(registers > 100000 && bytes > 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_derived_of_examples_is_right),
		cmocka_unit_test(what_is_derived_of_given_traces_is_right),
		cmocka_unit_test(what_is_told_in_pieces_is_not_derived),
	};
	c = cairn_new(NULL);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	cairn_free(c);
	return failed;
}
