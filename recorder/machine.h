/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDER_MACHINE_H
#define RECORDER_MACHINE_H
/* The guest's registers and memory, by whatever way this QEMU offers. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine {
	/* QEMU 9 and later */
	int (*read_register)(void *handle, void *buf);
	void *handles[64]; /* x0 … x31, f0 … f31 */
	/* before: symbols of the emulator itself */
	void *(*get_cpu)(int index);
	int (*gdb_read)(void *cpu, void *buf, int reg);
	void (*dump_state)(void *cpu, void *file, int flags);
	struct qemu_array *(*array_new)(void);
	struct qemu_array *(*array_set_size)(void *array, unsigned n);
	struct qemu_array *array;
	const uintptr_t *guest_base;
	bool ready;
};

/* Look the symbols up; NULL or what is missing. Any thread. */
const char *machine_find(struct machine *m);
/* Does this QEMU give exact registers only between translation blocks? */
bool machine_needs_single_step(const struct machine *m);
/* The rest runs in callbacks of the guest's CPU. False: not readable. */
bool machine_int(struct machine *m, unsigned vcpu, uint64_t regs[32]);
bool machine_fp(struct machine *m, unsigned vcpu, uint64_t regs[32]);
/* `n` bytes of guest memory that the guest has just accessed. */
void machine_memory(const struct machine *m, uint64_t addr, void *out, size_t n);

#endif
