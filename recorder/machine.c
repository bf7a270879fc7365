/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading the guest's registers and memory from a plugin.
 *
 * QEMU 9 has a call for registers. Before that the plugin interface had none, but the
 * emulator exports what its own debugger stub uses. Asking it for every register after
 * every instruction would cost more than all the rest, so once, before the first
 * instruction, numbers that occur nowhere else are written into the registers, looked
 * for in the CPU's memory, and taken back: from then on registers are read where they
 * are. What is not found that way is asked for each time. (Floating-point registers of
 * RISC-V the stub does not reach; there the number is put where they may be, until the
 * emulator's text dump of the CPU shows it.)
 *
 * In all old ways values are those of the last translation block's end, hence
 * -singlestep, which makes every instruction a block.
 *
 * User-mode guests live in the emulator's own address space, guest_base away.
 */
#include "recorder/machine.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "recorder/qemu_plugin.h"

enum { DUMP_FPU = 0x20000, MOST_OBJECT = 1 << 20, FP_REACH = 1024, LAST_KNOWN = 5, STUB_PC = 80 };
#define SENTINEL UINT64_C(0x5ca1ab1e0ddba110)

/* What each target has, in the numbers of its debugger stub. */
static const struct {
	const char *name;
	bool big_endian;
	unsigned n;
	struct machine_part parts[MACHINE_PARTS];
} targets[] = {
	{"riscv64",
     false,
     2,
     {{.first = 0, .n = 32, .bytes = 8, .stride = 8, .gdb = 0},
      {.first = CAPTURE_FP, .n = 32, .bytes = 8, .stride = 8, .gdb = -1}}},
	{"riscv32",
     false,
     2,
     {{.first = 0, .n = 32, .bytes = 4, .stride = 4, .gdb = 0},
      {.first = CAPTURE_FP, .n = 32, .bytes = 8, .stride = 8, .gdb = -1}}},
	{"aarch64",
     false,
     3,
     {{.first = 0, .n = 32, .bytes = 8, .stride = 8, .gdb = 0},
      {.first = CAPTURE_FP, .n = 32, .bytes = 16, .stride = 256, .gdb = 0},
      {.first = CAPTURE_FLAGS,
       .n = 1,
       .bytes = 8,
       .stride = 8,
       .gdb = 33,
       .shift = 28,
       .bits = 4}}},
	{"sparc64",
     true,
     5,
     {{.first = 0, .n = 8, .bytes = 8, .stride = 8, .gdb = 0},
      {.first = 8, .n = 24, .bytes = 8, .stride = 8, .gdb = 8},
      {.first = CAPTURE_FP, .n = 32, .bytes = 8, .stride = 8, .gdb = 32},
      {.first = CAPTURE_FLAGS, .n = 1, .bytes = 8, .stride = 8, .gdb = 82, .shift = 32, .bits = 8},
      {.first = CAPTURE_Y, .n = 1, .bytes = 8, .stride = 8, .gdb = 85}}},
};

/* RISC-V's names, as QEMU 9 has them; others are a letter and a number. */
static const char *const riscv[64] = {
	"zero", "ra",  "sp",  "gp",  "tp",  "t0",  "t1",   "t2",   "s0",  "s1",  "a0",   "a1",  "a2",
	"a3",   "a4",  "a5",  "a6",  "a7",  "s2",  "s3",   "s4",   "s5",  "s6",  "s7",   "s8",  "s9",
	"s10",  "s11", "t3",  "t4",  "t5",  "t6",  "ft0",  "ft1",  "ft2", "ft3", "ft4",  "ft5", "ft6",
	"ft7",  "fs0", "fs1", "fa0", "fa1", "fa2", "fa3",  "fa4",  "fa5", "fa6", "fa7",  "fs2", "fs3",
	"fs4",  "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};

/* ---- finding what there is ---- */

const char *machine_find(struct machine *machine, const char *target, int api)
{
	const char *cpu = !strncmp(target, "riscv", 5)   ? "riscv"
	                  : !strncmp(target, "sparc", 5) ? "sparc"
	                                                 : "aarch64";
	char name[64];
	for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
		if (!strcmp(targets[i].name, target)) {
			machine->target = targets[i].name;
			machine->big_endian = targets[i].big_endian;
			machine->n_parts = targets[i].n;
			memcpy(machine->parts, targets[i].parts, sizeof machine->parts);
		}
	machine->guest_base = dlsym(RTLD_DEFAULT, "guest_base");
	machine->api = api;
	MACHINE_FIND(machine->read_register, "qemu_plugin_read_register");
	MACHINE_FIND(machine->mem_value, "qemu_plugin_mem_get_value");
	MACHINE_FIND(machine->get_cpu, "qemu_get_cpu");
	MACHINE_FIND(machine->dump_state, "cpu_dump_state");
	MACHINE_FIND(machine->fpu_read, "aarch64_fpu_gdb_get_reg");
	MACHINE_FIND(machine->fpu_write, "aarch64_fpu_gdb_set_reg");
	snprintf(name, sizeof name, "%s_cpu_gdb_read_register", cpu);
	MACHINE_FIND(machine->gdb_read, name);
	snprintf(name, sizeof name, "%s_cpu_gdb_write_register", cpu);
	MACHINE_FIND(machine->gdb_write, name);
	MACHINE_FIND(machine->array_new, "g_byte_array_new");
	MACHINE_FIND(machine->array_set_size, "g_byte_array_set_size");
	if (!machine->target)
		return "registers of this target that cairn knows";
	if (!machine->array_new || !machine->array_set_size)
		return "GLib's byte arrays (a statically linked QEMU?)";
	if (machine->get_cpu && machine->gdb_read && machine->gdb_write)
		machine->read_register = NULL; /* the quicker way */
	else if (!machine->read_register)
		return "any way to read registers";
	machine->array = machine->array_new();
	return NULL;
}

bool machine_needs_single_step(const struct machine *machine)
{
	return !machine->read_register;
}

void *machine_cpu(const struct machine *machine, unsigned vcpu)
{
	return machine->get_cpu ? machine->get_cpu((int)vcpu) : NULL;
}

/* ---- one register, asked for ---- */

static uint64_t machine_number(const struct machine *machine, const uint8_t *p, unsigned n)
{
	return machine->big_endian ? base_be(p, n) : base_le(p, n);
}

/* The stub's register: its low words in *v. The number of bytes, 0 if there is none. */
static unsigned stub_read(struct machine *machine, void *cpu, int reg, uint64_t value[2])
{
	machine->array_set_size(machine->array, 0);
	if (machine->read_register)
		machine->read_register(machine->stub[reg], machine->array);
	else
		machine->gdb_read(cpu, machine->array, reg);
	unsigned n = machine->array->len;
	if (n != 4 && n != 8)
		return 0;
	value[0] = machine_number(machine, machine->array->data, n);
	return n;
}

static void stub_write(const struct machine *machine, void *cpu, int reg, uint64_t value,
                       unsigned n)
{
	uint8_t buf[8];
	for (unsigned i = 0; i < n; i++)
		buf[i] = (uint8_t)(value >> 8 * (machine->big_endian ? n - 1 - i : i));
	machine->gdb_write(cpu, buf, reg);
}

static bool fpu_vector(struct machine *machine, void *cpu, unsigned index, uint64_t value[2])
{
	machine->array_set_size(machine->array, 0);
	machine->fpu_read((uint8_t *)cpu + machine->env, machine->array, (int)index);
	if (machine->array->len != 16)
		return false;
	for (size_t i = 0; i < 2; i++)
		value[i] = machine_number(machine, machine->array->data + 8 * i, 8);
	return true;
}

/* RISC-V's dump has "f0/ft0   0123456789abcdef", a few to a line. */
static bool parse_dump(const char *text, uint64_t *regs)
{
	for (unsigned i = 0; i < 32; i++) {
		char key[16];
		int n = snprintf(key, sizeof key, "/%s ", riscv[32 + i]);
		const char *p = strstr(text, key);
		if (!p)
			return false;
		regs[i] = strtoull(p + n, NULL, 16);
	}
	return true;
}

static bool dump(const struct machine *machine, void *cpu, uint64_t *regs)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = machine->dump_state ? open_memstream(&text, &n) : NULL;
	if (!f)
		return false;
	machine->dump_state(cpu, f, DUMP_FPU);
	bool ok = fclose(f) == 0 && parse_dump(text, regs);
	free(text);
	return ok;
}

/* QEMU 9: the registers of the CPU whose thread this is, or NULL. */
static struct qemu_array *registers_of(void)
{
	struct qemu_array *(*get_registers)(void);
	MACHINE_FIND(get_registers, "qemu_plugin_get_registers");
	return get_registers ? get_registers() : NULL;
}

/* The handles of those we want, once. */
static bool find_handles(struct machine *machine)
{
	struct qemu_array *list = registers_of();
	for (unsigned i = 0; list && i < list->len; i++) {
		struct qemu_plugin_reg_descriptor descriptor;
		unsigned k;
		char letter;
		memcpy(&descriptor, list->data + i * sizeof descriptor, sizeof descriptor);
		if (!descriptor.name)
			continue;
		if (!strncmp(machine->target, "riscv", 5)) {
			const char *name = !strcmp(descriptor.name, "fp") ? "s0" : descriptor.name;
			for (k = 0; k < 64; k++)
				if (!strcmp(name, riscv[k]))
					machine->handles[k] = descriptor.handle;
		} else if (sscanf(descriptor.name, "%c%2u", &letter, &k) == 2 && k < 32 &&
		           (letter == 'x' || letter == 'v')) {
			machine->handles[k + (letter == 'v' ? CAPTURE_FP : 0)] = descriptor.handle;
		} else if (!strcmp(descriptor.name, "sp")) {
			machine->handles[31] = descriptor.handle;
		} else if (!strcmp(descriptor.name, "cpsr")) {
			machine->handles[CAPTURE_FLAGS] = descriptor.handle;
		}
	}
	return list && list->len;
}

/* SPARC's stub by name: the number that it has for debuggers; -1: none that is used. */
static int stub_number(const char *name)
{
	static const char banks[] = "goli";
	static const char *const others[] = {"pc", "npc", "state", "fsr", "fprs", "y"};
	unsigned k;
	char letter, end;
	for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
		if (!strcmp(name, others[i]))
			return (int)(STUB_PC + i);
	if (!strcmp(name, "sp") || !strcmp(name, "fp"))
		return *name == 's' ? 14 : 30;
	if (sscanf(name, "%c%2u%c", &letter, &k, &end) != 2)
		return -1;
	if (letter == 'f' && k < 64)
		return (int)(k < 32 ? 32 + k : 64 + (k - 32) / 2);
	const char *bank = strchr(banks, letter);
	return bank && k < 8 ? (int)(8 * (unsigned)(bank - banks) + k) : -1;
}

/* SPARC's stub has no list of registers up to 10.1. Handles are its numbers then, in some
 * versions and one more; what later ones are is not known. */
static bool find_stub(struct machine *machine, uint64_t pc)
{
	uint64_t v[2];
	struct qemu_array *list = registers_of();
	struct qemu_plugin_reg_descriptor descriptor;
	machine->by_stub = !strcmp(machine->target, "sparc64");
	for (unsigned i = 0; machine->by_stub && list && i < list->len; i++) {
		memcpy(&descriptor, list->data + i * sizeof descriptor, sizeof descriptor);
		int n = descriptor.name ? stub_number(descriptor.name) : -1;
		if (n >= 0)
			machine->stub[n] = descriptor.handle;
	}
	unsigned n = 0;
	for (unsigned i = 0; i < MACHINE_STUB; i++)
		n += machine->stub[i] != NULL;
	if (!machine->by_stub || n) /* all of them, or none to be relied on */
		return n == MACHINE_STUB && stub_read(machine, NULL, STUB_PC, v) == 8 && v[0] == pc;
	for (uintptr_t more = 2; machine->api <= LAST_KNOWN && more-- > 0;) {
		for (uintptr_t i = 0; i < MACHINE_STUB; i++)
			machine->stub[i] = (void *)(i + more);
		if (stub_read(machine, NULL, STUB_PC, v) == 8 && v[0] == pc)
			return true;
	}
	return false;
}

static bool machine_ask(struct machine *machine, void *cpu, const struct machine_part *part,
                        unsigned index, uint64_t value[2])
{
	value[0] = value[1] = 0;
	if (machine->read_register && !machine->by_stub) {
		void *handle = machine->handles[part->first + index];
		machine->array_set_size(machine->array, 0);
		if (!handle || machine->read_register(handle, machine->array) < 0 ||
		    machine->array->len == 0 || machine->array->len > 16)
			return false;
		unsigned n = machine->array->len;
		for (unsigned i = 0; i < 2 && 8 * i < n; i++)
			value[i] = machine_number(machine, machine->array->data + 8 * i,
			                          n - 8 * i < 8 ? n - 8 * i : 8);
	} else if (part->bytes == 16) {
		return machine->fpu_read && machine->env && fpu_vector(machine, cpu, index, value);
	} else if (part->first == CAPTURE_FP &&
	           machine->big_endian) { /* doubles, in the stub's two ways */
		uint64_t low[2];
		if (index >= 16)
			return stub_read(machine, cpu, 64 + (int)index - 16, value) != 0;
		if (!stub_read(machine, cpu, 32 + 2 * (int)index, value) ||
		    !stub_read(machine, cpu, 33 + 2 * (int)index, low))
			return false;
		value[0] = value[0] << 32 | low[0];
	} else if (!stub_read(machine, cpu, part->gdb + (int)index, value)) {
		return false;
	}
	if (part->bits)
		value[0] = value[0] >> part->shift & ((UINT64_C(1) << part->bits) - 1);
	return true;
}

/* ---- where they are kept ---- */

/* The only place of `n` numbers, `stride` apart, `bytes` each, first SENTINEL then one more
 * each; 0 if there is none, or more than one. */
static size_t machine_search(const uint8_t *object, size_t size, unsigned n, unsigned bytes,
                             unsigned stride)
{
	size_t found = 0;
	for (size_t at = 8; at + (size_t)n * stride <= size; at += bytes < 8 ? 4 : 8) {
		unsigned i = 0;
		for (; i < n; i++) {
			uint64_t want = SENTINEL + i;
			const uint8_t *there = object + at + (size_t)i * stride;
			if (memcmp(there, machine_place(&want, bytes), bytes < 8 ? 4 : 8) != 0)
				break;
		}
		if (i == n && found)
			return 0;
		found = i == n ? at : found;
	}
	return found;
}

/* The debugger stub's registers from..from + n: numbers in, looked for, out again. */
static size_t machine_locate(struct machine *machine, void *cpu, size_t size, int reg, unsigned n,
                             unsigned bytes)
{
	uint64_t old[32][2];
	unsigned got = 0, width = 0;
	while (got < n && (width = stub_read(machine, cpu, reg + (int)got, old[got])) == bytes)
		got++;
	if (got < n)
		return 0;
	for (unsigned i = 0; i < n; i++)
		stub_write(machine, cpu, reg + (int)i, SENTINEL + i, bytes);
	size_t at = machine_search(cpu, size, n, bytes, bytes);
	for (unsigned i = 0; i < n; i++)
		stub_write(machine, cpu, reg + (int)i, old[i][0], bytes);
	return at;
}

/* The window in force is behind a pointer. */
static void locate_window(struct machine *machine, void *cpu, size_t size,
                          struct machine_part *part)
{
	size_t at = machine_locate(machine, cpu, size, part->gdb, part->n, part->bytes), found = 0;
	unsigned times = 0;
	for (size_t k = 8; at && k + 8 <= size; k += 8) {
		uintptr_t v;
		memcpy(&v, (uint8_t *)cpu + k, sizeof v);
		if (v == (uintptr_t)cpu + at) {
			found = k;
			times++;
		}
	}
	part->direct = part->pointer = times == 1;
	part->at = found;
}

static void locate_vectors(struct machine *machine, void *cpu, size_t size,
                           struct machine_part *part)
{
	uint64_t old[32][2];
	if (!machine->fpu_read || !machine->fpu_write || !machine->parts[0].direct)
		return;
	/* The environment begins with 16 registers of 32 bits before those of 64, and the CPU
	 * holds a pointer to it. */
	size_t env = machine->parts[0].at - 64;
	bool sure = false;
	for (size_t k = 8; k + 8 <= size && !sure; k += 8) {
		uintptr_t v;
		memcpy(&v, (uint8_t *)cpu + k, sizeof v);
		sure = v == (uintptr_t)cpu + env;
	}
	if (!sure)
		return;
	machine->env = env;
	for (unsigned i = 0; i < 32; i++)
		if (!fpu_vector(machine, cpu, i, old[i]))
			return;
	for (unsigned i = 0; i < 32; i++) {
		uint64_t v[2] = {SENTINEL + i, 0};
		machine->fpu_write((uint8_t *)cpu + env, (uint8_t *)v, (int)i);
	}
	part->at = machine_search(cpu, size, 32, 16, part->stride);
	part->direct = part->at != 0;
	for (unsigned i = 0; i < 32; i++)
		machine->fpu_write((uint8_t *)cpu + env, (uint8_t *)old[i], (int)i);
}

/* Not far behind the integer registers, where the dump shows them. */
static void locate_by_dump(struct machine *machine, void *cpu, size_t size,
                           struct machine_part *part)
{
	const struct machine_part *machine_part = &machine->parts[0];
	size_t from = machine_part->at + (size_t)machine_part->n * machine_part->stride;
	uint64_t seen[32];
	if (!machine_part->direct)
		return;
	for (size_t at = (from + 7) & ~(size_t)7; at < from + FP_REACH && at + 256 <= size; at += 8) {
		uint64_t old[32], put[32];
		memcpy(old, (uint8_t *)cpu + at, sizeof old);
		for (unsigned i = 0; i < 32; i++)
			put[i] = SENTINEL + i;
		memcpy((uint8_t *)cpu + at, put, 8);
		bool ok = dump(machine, cpu, seen) && seen[0] == SENTINEL;
		if (ok) {
			memcpy((uint8_t *)cpu + at, put, sizeof put);
			ok = dump(machine, cpu, seen) && !memcmp(seen, put, sizeof put);
		}
		memcpy((uint8_t *)cpu + at, old, ok ? sizeof old : 8);
		if (ok) {
			part->at = at;
			part->direct = true;
			return;
		}
	}
}

bool machine_prepare(struct machine *machine, void *cpu, uint64_t pc)
{
	uint64_t v[2];
	if (machine->ready)
		return true;
	machine->ready = true;
	if (machine->read_register)
		return (find_stub(machine, pc) || (!machine->by_stub && find_handles(machine))) &&
		       machine_ask(machine, NULL, &machine->parts[0], 1, v);
	size_t size = cpu ? malloc_usable_size(cpu) : 0;
	if (!cpu || size > MOST_OBJECT)
		return false;
	for (unsigned i = 0; i < machine->n_parts; i++) {
		struct machine_part *part = &machine->parts[i];
		if (part->bytes == 16) {
			locate_vectors(machine, cpu, size, part);
		} else if (part->gdb < 0) {
			locate_by_dump(machine, cpu, size, part);
		} else if (part->first == 8) {
			locate_window(machine, cpu, size, part);
		} else if (part->first == CAPTURE_FP) { /* the upper half, to be had as doubles */
			part->at = machine_locate(machine, cpu, size, 64, 16, 8) - 128;
			part->direct = part->at < size;
		} else if (!part->bits) { /* register 0 may be none */
			unsigned skip = part->first == 0 && !machine->big_endian;
			size_t at = machine_locate(machine, cpu, size, part->gdb + (int)skip, part->n - skip,
			                           part->bytes);
			part->direct = at != 0;
			part->at = at - skip * part->stride;
		}
	}
	for (unsigned i = 0; i < machine->n_parts; i++) {
		uint64_t room[MACHINE_WORDS];
		unsigned stride;
		if (!machine_part(machine, cpu, i, room, &stride))
			return false;
	}
	return true;
}

/* ---- for each instruction ---- */

const uint8_t *machine_part(struct machine *machine, void *cpu, unsigned index, uint64_t *room,
                            unsigned *stride)
{
	const struct machine_part *part = &machine->parts[index];
	const uint8_t *at = (const uint8_t *)cpu + part->at;
	*stride = part->stride;
	if (part->direct) {
		const void *to = at;
		if (part->pointer)
			memcpy(&to, at, sizeof to);
		return to;
	}
	*stride = part->bytes;
	if (part->gdb < 0 && !machine->read_register)
		return dump(machine, cpu, room) ? (const uint8_t *)room : NULL;
	for (unsigned k = 0; k < part->n; k++) {
		uint64_t v[2];
		if (!machine_ask(machine, cpu, part, k, v))
			return NULL;
		memcpy((uint8_t *)room + (size_t)k * part->bytes, machine_place(v, part->bytes),
		       part->bytes);
	}
	return (const uint8_t *)room;
}

bool machine_asks(const struct machine *machine)
{
	return machine->read_register != NULL;
}

bool machine_one(struct machine *machine, void *cpu, unsigned index, unsigned i, uint64_t value[2])
{
	return machine_ask(machine, cpu, &machine->parts[index], i, value);
}

void machine_at(struct machine *machine, uint64_t addr, const void *host)
{
	if (machine->base_known || (!machine->guest_base && !host))
		return;
	machine->base = machine->guest_base ? *machine->guest_base : (uintptr_t)host - (uintptr_t)addr;
	machine->base_known = true;
}

/* The helpers for atomics tell what they read in the order that memory has, and of what they
 * combine the operand; what later versions do is not known. */
bool machine_moved(const struct machine *machine, uint32_t info, bool helped, uint8_t *out,
                   size_t n)
{
	if (!machine->mem_value || (helped && machine->api > LAST_KNOWN))
		return false;
	struct qemu_plugin_value value = machine->mem_value(info);
	bool raw = helped && !qemu_plugin_mem_is_store(info);
	bool turned = !raw && qemu_plugin_mem_is_big_endian(info) != MACHINE_BIG;
	for (size_t i = 0; i < n; i++)
		out[i] = value.data.bytes[turned ? n - 1 - i : i];
	return true;
}

void machine_memory(const struct machine *machine, uint64_t addr, void *out, size_t n)
{
	memcpy(out, (const void *)(machine->base + (uintptr_t)addr), n);
}

bool machine_look(const struct machine *machine, uint64_t addr, void *out, size_t n)
{
	struct iovec here = {out, n}, there = {(void *)(machine->base + (uintptr_t)addr), n};
	return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)n;
}
