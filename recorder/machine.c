/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading the guest's registers and memory from a plugin.
 *
 * QEMU 9 has a call for registers. Before that the plugin interface had none, but
 * the emulator exports what its own debugger stub uses: integer registers come
 * from there, floating-point registers from its text dump of the CPU (64 bits in
 * hexadecimal: exact, slow, and needed only after instructions that write one).
 * In both old ways values are those of the last translation block's end, hence
 * -singlestep, which makes every instruction a block.
 *
 * User-mode guests live in the emulator's own address space, guest_base away.
 */
#include "recorder/machine.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "recorder/qemu_plugin.h"

enum { DUMP_FPU = 0x20000 };

static const char *const names[64] = {
	"zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4",
	"a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4",
	"t5", "t6",
	"ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "fs0", "fs1", "fa0", "fa1", "fa2",
	"fa3", "fa4", "fa5", "fa6", "fa7", "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9",
	"fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};

static void *symbol(const char *name)
{
	return dlsym(RTLD_DEFAULT, name);
}

/* A function's address out of a data pointer, the way POSIX asks for. */
#define FIND(m, field, name)                                                                       \
	do {                                                                                       \
		void *p_ = symbol(name);                                                           \
		memcpy(&(m)->field, &p_, sizeof p_);                                               \
	} while (0)

const char *machine_find(struct machine *m)
{
	FIND(m, read_register, "qemu_plugin_read_register");
	FIND(m, get_cpu, "qemu_get_cpu");
	FIND(m, gdb_read, "riscv_cpu_gdb_read_register");
	FIND(m, dump_state, "cpu_dump_state");
	FIND(m, array_new, "g_byte_array_new");
	FIND(m, array_set_size, "g_byte_array_set_size");
	m->guest_base = symbol("guest_base");
	if (!m->array_new || !m->array_set_size)
		return "GLib's byte arrays (a statically linked QEMU?)";
	if (!m->read_register && (!m->get_cpu || !m->gdb_read))
		return "any way to read registers";
	m->array = m->array_new();
	return NULL;
}

bool machine_needs_single_step(const struct machine *m)
{
	return !m->read_register;
}

/* QEMU 9: the handles of the registers we want, once, on the CPU's thread. */
static void find_handles(struct machine *m)
{
	struct qemu_array *(*get_registers)(void);
	void *p = symbol("qemu_plugin_get_registers");
	memcpy(&get_registers, &p, sizeof p);
	struct qemu_array *list = p ? get_registers() : NULL;
	for (unsigned i = 0; list && i < list->len; i++) {
		struct qemu_plugin_reg_descriptor d;
		memcpy(&d, list->data + i * sizeof d, sizeof d);
		if (d.name && strcmp(d.name, "fp") == 0)
			d.name = "s0";
		for (unsigned r = 0; d.name && r < 64; r++)
			if (strcmp(d.name, names[r]) == 0)
				m->handles[r] = d.handle;
	}
	m->ready = true;
}

static bool read_new(struct machine *m, unsigned first, uint64_t regs[32])
{
	if (!m->ready)
		find_handles(m);
	for (unsigned i = 0; i < 32; i++) {
		m->array_set_size(m->array, 0);
		if (!m->handles[first + i])
			return false;
		m->read_register(m->handles[first + i], m->array);
		if (m->array->len < 8)
			return false;
		regs[i] = base_le64(m->array->data);
	}
	return true;
}

bool machine_int(struct machine *m, unsigned vcpu, uint64_t regs[32])
{
	if (m->read_register)
		return read_new(m, 0, regs);
	void *cpu = m->get_cpu((int)vcpu);
	if (!cpu)
		return false;
	for (int i = 0; i < 32; i++) {
		m->array_set_size(m->array, 0);
		m->gdb_read(cpu, m->array, i);
		if (m->array->len < 8)
			return false;
		regs[i] = base_le64(m->array->data);
	}
	return true;
}

/* The dump has "f0/ft0   0123456789abcdef", a few to a line. */
static bool parse_dump(const char *text, uint64_t regs[32])
{
	for (unsigned i = 0; i < 32; i++) {
		char key[16];
		int n = snprintf(key, sizeof key, "/%s ", names[32 + i]);
		const char *p = strstr(text, key);
		if (!p)
			return false;
		regs[i] = strtoull(p + n, NULL, 16);
	}
	return true;
}

bool machine_fp(struct machine *m, unsigned vcpu, uint64_t regs[32])
{
	if (m->read_register)
		return read_new(m, 32, regs);
	void *cpu = m->get_cpu((int)vcpu);
	if (!cpu || !m->dump_state)
		return false;
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	if (!f)
		return false;
	m->dump_state(cpu, f, DUMP_FPU);
	bool ok = fclose(f) == 0 && parse_dump(text, regs);
	free(text);
	return ok;
}

void machine_memory(const struct machine *m, uint64_t addr, void *out, size_t n)
{
	uintptr_t base = m->guest_base ? *m->guest_base : 0;
	memcpy(out, (const void *)(base + (uintptr_t)addr), n);
}
