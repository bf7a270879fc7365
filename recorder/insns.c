/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instructions that QEMU has translated: the same encoding at the same place is the
 * same one, however often it is translated. They are never freed, for translated code
 * points to them.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/recorder.h"

enum { TABLE_MIN = 1 << 16 };

static size_t insns_slot_of(const struct recorder *recorder, uint64_t pc)
{
	return (size_t)(pc * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (recorder->n_slots - 1);
}

static bool insns_grow(struct recorder *recorder)
{
	size_t old_n = recorder->n_slots;
	struct insn **old = recorder->table, **made;
	if (recorder->n_insns < old_n)
		return true;
	made = calloc(old_n ? 2 * old_n : TABLE_MIN, sizeof *made);
	if (!made)
		return old_n != 0;
	recorder->table = made;
	recorder->n_slots = old_n ? 2 * old_n : TABLE_MIN;
	for (size_t i = 0; i < old_n; i++)
		for (struct insn *in = old[i], *next; in; in = next) {
			size_t k = insns_slot_of(recorder, in->pc);
			next = in->chain;
			in->chain = made[k];
			made[k] = in;
		}
	free(old);
	return true;
}

/* The bytes of an instruction, by the version's way. */
static uint32_t insns_encoding(const struct recorder *recorder, const struct qemu_plugin_insn *insn,
                               size_t size)
{
	uint8_t b[4] = {0};
	if (recorder->api >= 3) {
		size_t (*copy)(const struct qemu_plugin_insn *, void *, size_t);
		MACHINE_FIND(copy, "qemu_plugin_insn_data");
		copy(insn, b, size);
	} else {
		const void *(*view)(const struct qemu_plugin_insn *);
		MACHINE_FIND(view, "qemu_plugin_insn_data");
		memcpy(b, view(insn), size);
	}
	return recorder->machine.big_endian ? base_be32(b) : base_le32(b);
}

/* What reads and writes at once. */
static void note_kind(const struct recorder *recorder, struct insn *in)
{
	uint32_t e = in->enc, funct5 = e >> 27, op3 = e >> 19 & 63;
	char set = recorder->machine.target ? recorder->machine.target[0] : 0;
	if (set == 'r' && (e & 0x7f) == 0x2f && in->size == 4) {
		in->compares = funct5 == 3 || funct5 == 5; /* sc, amocas */
		in->combines = funct5 != 1 && funct5 != 2 && !in->compares;
		in->atomic = funct5 != 2;
	} else if (set == 's' && e >> 30 == 3) {
		in->compares = op3 == 0x3c || op3 == 0x3e;
		in->atomic = in->compares || (op3 & 0x2d) == 0x0d;     /* ldstub, swap */
	} else if (set == 'a' && (e & 0x3f000000) == 0x08000000) { /* exclusives, cas, casp */
		in->atomic = in->compares = true;
	} else if (set == 'a' && (e & 0x3b200c00) == 0x38200000) {
		in->atomic = true;
		in->combines = !(e >> 15 & 1);
	}
}

/* An atomic whose destination is the zero register: which register has its address, and of
 * how many bytes it is. */
static void note_atomic(const struct recorder *recorder, struct insn *in)
{
	uint32_t e = in->enc, funct5 = e >> 27;
	if (!recorder->machine.target || recorder->machine.big_endian || in->size != 4)
		return;
	if (recorder->machine.target[0] == 'r' && (e & 0xfff) == 0x2f && funct5 != 2 && funct5 != 3) {
		in->old_bytes = (uint8_t)(1u << (e >> 12 & 3));
		in->old_base = e >> 15 & 31;
	} else if (recorder->machine.target[0] == 'a' && (e & 0x3b200c1f) == 0x3820001f) {
		in->old_bytes = (uint8_t)(1u << (e >> 30));
		in->old_base = e >> 5 & 31;
	}
}

struct insn *recorder_insn(struct recorder *recorder, const struct qemu_plugin_insn *insn,
                           size_t size)
{
	uint64_t pc = qemu_plugin_insn_vaddr(insn);
	uint32_t enc = insns_encoding(recorder, insn, size);
	if (!insns_grow(recorder))
		return NULL;
	struct insn **at = &recorder->table[insns_slot_of(recorder, pc)];
	for (struct insn *in = *at; in; in = in->chain)
		if (in->pc == pc && in->enc == enc && in->size == size)
			return in;
	struct insn *in = calloc(1, sizeof *in);
	if (!in)
		return NULL;
	*in = (struct insn){.chain = *at,
	                    .pc = pc,
	                    .enc = enc,
	                    .size = (uint8_t)size,
	                    .starts = recorder->has_start && pc == recorder->start,
	                    .stops = recorder->has_stop && pc == recorder->stop};
	uint8_t next[4];
	if (recorder->machine.big_endian && machine_look(&recorder->machine, pc + 4, next, 4)) {
		in->next_enc = base_be32(next);
		in->next_known = true;
	}
	/* SPARC's save, restore, return and flushw */
	uint32_t op3 = enc >> 19 & 63;
	in->again = recorder->machine.big_endian && enc >> 30 == 2 &&
	            (op3 == 0x3c || op3 == 0x3d || op3 == 0x39 || op3 == 0x2b);
	if (recorder->machine.target) {
		in->besides = (uint8_t)machine_besides(&recorder->machine, enc, (unsigned)size);
		in->resizes = recorder->machine.target[0] == 'a' && enc >> 24 == 0xd5;
	}
	note_kind(recorder, in);
	note_atomic(recorder, in);
	*at = in;
	recorder->n_insns++;
	return in;
}
