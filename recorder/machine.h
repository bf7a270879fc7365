/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDER_MACHINE_H
#define RECORDER_MACHINE_H
/* The guest's registers and memory, by whatever way this QEMU offers. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "formats/capture/stream.h"
#include "recorder/qemu_plugin.h"

enum { MACHINE_PARTS = 5, MACHINE_WORDS = 2 * CAPTURE_REGS, MACHINE_STUB = 86 };

/* Registers that QEMU keeps one after another. */
struct machine_part {
	uint8_t first, n;    /* numbers of stream.h */
	uint8_t bytes;       /* of each: 4, 8, 16 */
	uint16_t stride;     /* from one to the next, where they are kept */
	int16_t gdb;         /* the number of the first for QEMU's debugger stub, < 0: it has none */
	uint8_t shift, bits; /* a field of what the stub gives; bits 0: all of it */
	bool direct;         /* found in memory: `at` bytes behind the CPU … */
	bool pointer;        /* … or behind the pointer that stands there */
	size_t at;
};

/* This machine's own order. */
#define MACHINE_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* Where in a number its low `bytes` stand, and what stands there. */
static inline const uint8_t *machine_place(const uint64_t *values, unsigned bytes)
{
	return (const uint8_t *)values + (MACHINE_BIG && bytes < 8 ? 8 - bytes : 0);
}

static inline uint32_t machine_word(const uint8_t *p)
{
	uint32_t v;
	memcpy(&v, p, sizeof v);
	return v;
}

/* A function of QEMU, NULL where this one has it not; the way from a data pointer that POSIX asks
 * for. */
#define MACHINE_FIND(function, name) \
	do { \
		void *p_ = dlsym(RTLD_DEFAULT, name); \
		memcpy(&(function), &p_, sizeof p_); \
	} while (0)

struct machine {
	const char *target;
	bool big_endian;
	unsigned n_parts;
	struct machine_part parts[MACHINE_PARTS];
	/* QEMU 9 and later */
	int (*read_register)(void *handle, void *buf);
	void *handles[CAPTURE_REGS];
	int api;                  /* version of the plugin interface */
	void *stub[MACHINE_STUB]; /* handles by the debugger stub's numbers, where those are used */
	bool by_stub;
	struct qemu_plugin_value (*mem_value)(uint32_t info); /* 9.2 and later */
	/* before: symbols of the emulator itself */
	void *(*get_cpu)(int index);
	int (*gdb_read)(void *cpu, void *buf, int reg);
	int (*gdb_write)(void *cpu, uint8_t *buf, int reg);
	int (*fpu_read)(void *env, void *buf, int reg);
	int (*fpu_write)(void *env, uint8_t *buf, int reg);
	void (*dump_state)(void *cpu, void *file, int flags);
	struct qemu_array *(*array_new)(void);
	struct qemu_array *(*array_set_size)(void *array, unsigned n);
	struct qemu_array *array;
	uintptr_t base; /* where the guest's address 0 is */
	bool base_known;
	const uintptr_t *guest_base; /* a symbol of older versions, set when a program is loaded */
	size_t env;                  /* of AArch64: bytes behind the CPU */
	bool ready;
};

/* Look up what this QEMU has for that target ("riscv64"); NULL, or what is missing for
 * registers. Memory can be read in any case. Any thread. */
const char *machine_find(struct machine *machine, const char *target, int api);
/* Does this QEMU give exact registers only between translation blocks? */
bool machine_needs_single_step(const struct machine *machine);

/* The rest runs in callbacks of the guest's CPU, with one lock held. */

/* Once, before the first machine_part of all: find out where registers are kept. False: they
 * cannot be read. `cpu`: of machine_cpu. `pc`: of what is about to run. */
bool machine_prepare(struct machine *machine, void *cpu, uint64_t pc);
void *machine_cpu(const struct machine *machine, unsigned vcpu);
/* Part i: n values, `stride` apart, each of `bytes` in host order. `room` holds them where they
 * are not in memory as they are. NULL: not readable. */
const uint8_t *machine_part(struct machine *machine, void *cpu, unsigned index, uint64_t *room,
                            unsigned *stride);
/* Is each register asked for by itself, so that it pays to ask only for some? */
bool machine_asks(const struct machine *machine);
/* Register i of part k, then: its words. */
bool machine_one(struct machine *machine, void *cpu, unsigned index, unsigned i, uint64_t value[2]);
/* An instruction's address, and where QEMU reads it: older versions say more directly where
 * the guest's memory is. */
void machine_at(struct machine *machine, uint64_t addr, const void *host);
/* What the access of a callback moved, `n` bytes as memory has them; false: look there.
 * `helped`: by one of QEMU's helpers for atomics. */
bool machine_moved(const struct machine *machine, uint32_t info, bool helped, uint8_t *out,
                   size_t n);
/* `n` bytes of guest memory that the guest has just accessed. */
void machine_memory(const struct machine *machine, uint64_t addr, void *out, size_t n);
/* The same where it may not be mapped. */
bool machine_look(const struct machine *machine, uint64_t addr, void *out, size_t n);

/* ---- candidates.c ---- */

/* Which integer (bits 0 to 31) and floating-point registers (32 to 63) an instruction may
 * change; all of them where the encoding does not say. The flags and %y are not among them. */
uint64_t machine_candidates(const struct machine *machine, uint32_t enc, unsigned size);
/* The stack pointer's number. */
unsigned machine_sp(const struct machine *machine);

#endif
