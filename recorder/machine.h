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

enum { MACHINE_PARTS = 8, MACHINE_VALUE = CAPTURE_MOST_VECTOR / 8, MACHINE_STUB = 86 };

/* Registers that most instructions leave alone; which change them, candidates.c says. */
enum machine_may {
	MACHINE_FLOAT_CONTROL = 1, /* modes and flags of floating point */
	MACHINE_VECTORS = 2,       /* vectors, predicates, and what controls them */
	MACHINE_CONTROL = 4        /* others */
};

/* What QEMU up to 8.2 can read and write of a CPU for debuggers: lists of its own for each
 * extension. `plain`: the one that every CPU has. */
enum machine_list {
	MACHINE_PLAIN,
	MACHINE_LIST_FLOAT,
	MACHINE_LIST_CSR,
	MACHINE_LIST_VECTOR,
	MACHINE_LISTS
};
struct machine_access {
	int (*read)(void *env, void *buf, int reg);
	int (*write)(void *env, uint8_t *buf, int reg);
};

/* Registers that QEMU keeps one after another. */
struct machine_part {
	uint8_t first, n;    /* numbers of stream.h */
	uint16_t bytes;      /* of each: 4, or a multiple of 8 */
	uint16_t stride;     /* from one to the next, where they are kept */
	int16_t gdb;         /* the number of the first in the list, < 0: it has none */
	uint8_t list;        /* enum machine_list */
	uint8_t shift, bits; /* a field of what the list gives; bits 0: all of it */
	uint8_t may;         /* enum machine_may: what changes them; 0: any instruction may */
	bool besides;        /* a CPU, or a QEMU, may be without them */
	bool absent;         /* … and this one is */
	bool direct;         /* found in memory: `at` bytes behind the CPU … */
	bool pointer;        /* … or behind the pointer that stands there */
	size_t at;
	uint16_t word; /* of the first among the words of all parts */
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
	unsigned vector_bytes; /* of a vector register; 0: there are none, or of AArch64 none but V */
	unsigned missing;      /* enum capture_missing */
	void *granules;        /* AArch64's vg */
	int api;               /* version of the plugin interface */
	void *stub[MACHINE_STUB]; /* handles by the debugger stub's numbers, where those are used */
	bool by_stub;
	struct qemu_plugin_value (*mem_value)(uint32_t info); /* 9.2 and later */
	/* before: symbols of the emulator itself */
	void *(*get_cpu)(int index);
	struct machine_access lists[MACHINE_LISTS]; /* MACHINE_PLAIN takes the CPU, the others `env` */
	void (*dump_state)(void *cpu, void *file, int flags);
	struct qemu_array *(*array_new)(void);
	struct qemu_array *(*array_set_size)(void *array, unsigned n);
	struct qemu_array *array;
	uintptr_t base; /* where the guest's address 0 is */
	bool base_known;
	const uintptr_t *guest_base; /* a symbol of older versions, set when a program is loaded */
	size_t env;                  /* bytes behind the CPU; 0: not found */
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
/* Part `index`: n values, `stride` apart, each of `bytes` in host order. `room` holds them where they
 * are not in memory as they are. NULL: not readable. */
const uint8_t *machine_part(struct machine *machine, void *cpu, unsigned index, uint64_t *room,
                            unsigned *stride);
/* Is each register asked for by itself, so that it pays to ask only for some? */
bool machine_asks(const struct machine *machine);
/* Then: the words of one register, `index`, of a part. */
bool machine_one(struct machine *machine, void *cpu, unsigned part, unsigned index,
                 uint64_t value[MACHINE_VALUE]);
/* Is the length of vectors still what it was when recording began? A program may ask the system
 * for another. */
bool machine_same_vectors(struct machine *machine, void *cpu);
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

/* ---- between machine.c and locate.c ---- */

/* A register as a list tells it: its bytes, as many as *n; NULL: it has none of that number. */
const uint8_t *machine_list_read(struct machine *machine, void *cpu, unsigned list, int reg,
                                 unsigned *n);
void machine_list_write(const struct machine *machine, void *cpu, unsigned list, int reg,
                        const uint8_t *bytes);
/* A number of n bytes in the guest's order. */
uint64_t machine_number(const struct machine *machine, const uint8_t *p, unsigned n);
bool machine_ask(struct machine *machine, void *cpu, const struct machine_part *part,
                 unsigned index, uint64_t value[MACHINE_VALUE]);
/* All floating-point registers, from the emulator's text dump of the CPU. */
bool machine_dump(const struct machine *machine, void *cpu, uint64_t *regs);
/* Find the lists of a CPU of `size` bytes and where its environment is, then where the parts are
 * kept. What is not found stays as it was. */
void machine_locate_lists(struct machine *machine, void *cpu, size_t size);
void machine_locate(struct machine *machine, void *cpu, size_t size);

/* ---- candidates.c ---- */

/* Which integer (bits 0 to 31) and floating-point registers (32 to 63) an instruction may
 * change; all of them where the encoding does not say. The flags and %y are not among them. */
uint64_t machine_candidates(const struct machine *machine, uint32_t enc, unsigned size);
/* Which of the registers that most instructions leave alone it may change: enum machine_may, more
 * than it does, never fewer. */
unsigned machine_besides(const struct machine *machine, uint32_t enc, unsigned size);
/* The stack pointer's number. */
unsigned machine_sp(const struct machine *machine);

#endif
