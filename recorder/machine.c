/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading the guest's registers and memory from a plugin.
 *
 * QEMU 9 has a call for registers. Before that the plugin interface had none, but the
 * emulator exports what its own debugger stub uses. Asking it for every register after
 * every instruction would cost more than all the rest, so once, before the first
 * instruction, numbers that occur nowhere else are written into the registers, looked
 * for in the CPU's memory, and taken back: from then on registers are read where they
 * are (locate.c). What is not found that way is asked for each time that an instruction may
 * have changed it.
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

enum { CSR_FFLAGS = 1, CSR_VSTART = 8, CSR_VL = 0xc20 };
enum {
	DUMP_FPU = 0x20000,
	MOST_OBJECT = 1 << 20,
	LAST_KNOWN = 5,
	STUB_PC = 80,
	VECTOR_GRANULES = 51
};

/* What each target has, in the numbers of its debugger stub. The bytes of vectors are found out. */
#define RISCV_PARTS(wide) \
	{ \
		{.first = 0, .n = 32, .bytes = wide, .stride = wide, .gdb = 0}, \
			{.first = CAPTURE_FP, \
		     .n = 32, \
		     .bytes = 8, \
		     .stride = 8, \
		     .gdb = 0, \
		     .list = MACHINE_LIST_FLOAT}, \
			{.first = CAPTURE_FFLAGS, /* and frm */ \
		     .n = 2, \
		     .bytes = wide, \
		     .stride = wide, \
		     .gdb = CSR_FFLAGS, \
		     .list = MACHINE_LIST_CSR, \
		     .may = MACHINE_FLOAT_CONTROL, \
		     .besides = true}, \
			{.first = CAPTURE_VSTART, /* vxsat, vxrm */ \
		     .n = 3, \
		     .bytes = wide, \
		     .stride = wide, \
		     .gdb = CSR_VSTART, \
		     .list = MACHINE_LIST_CSR, \
		     .may = MACHINE_VECTORS, \
		     .besides = true}, \
			{.first = CAPTURE_VL, /* vtype */ \
		     .n = 2, \
		     .bytes = wide, \
		     .stride = wide, \
		     .gdb = CSR_VL, \
		     .list = MACHINE_LIST_CSR, \
		     .may = MACHINE_VECTORS, \
		     .besides = true}, \
		{ \
			.first = CAPTURE_VECTOR, .n = 32, .gdb = 0, .list = MACHINE_LIST_VECTOR, \
			.may = MACHINE_VECTORS, .besides = true \
		} \
	}

static const struct {
	const char *name;
	bool big_endian;
	unsigned n;
	struct machine_part parts[MACHINE_PARTS];
} targets[] = {
	{"riscv64", false, 6, RISCV_PARTS(8)},
	{"riscv32", false, 6, RISCV_PARTS(4)},
	{"aarch64",
     false,
     5,
     {{.first = 0, .n = 32, .bytes = 8, .stride = 8, .gdb = 0},
      {.first = CAPTURE_FP,
       .n = 32,
       .bytes = 16,
       .stride = 256,
       .gdb = 0,
       .list = MACHINE_LIST_FLOAT,
       .may = MACHINE_VECTORS},
      {.first = CAPTURE_FLAGS, .n = 1, .bytes = 8, .stride = 8, .gdb = 33, .shift = 28, .bits = 4},
      {.first = CAPTURE_FPSR, /* and FPCR */
       .n = 2,
       .bytes = 4,
       .stride = 4,
       .gdb = 32,
       .list = MACHINE_LIST_FLOAT,
       .may = MACHINE_FLOAT_CONTROL,
       .besides = true},
      {.first = CAPTURE_PREDICATE,
       .n = 17,
       .stride = 32,
       .gdb = 34,
       .list = MACHINE_LIST_VECTOR,
       .may = MACHINE_VECTORS,
       .besides = true}}},
	{"sparc64",
     true,
     8,
     {{.first = 0, .n = 8, .bytes = 8, .stride = 8, .gdb = 0},
      {.first = 8, .n = 24, .bytes = 8, .stride = 8, .gdb = 8},
      {.first = CAPTURE_FP, .n = 32, .bytes = 8, .stride = 8, .gdb = 32},
      {.first = CAPTURE_FLAGS, .n = 1, .bytes = 8, .stride = 8, .gdb = 82, .shift = 32, .bits = 8},
      {.first = CAPTURE_Y, .n = 1, .bytes = 8, .stride = 8, .gdb = 85},
      {.first = CAPTURE_FSR,
       .n = 1,
       .bytes = 8,
       .stride = 8,
       .gdb = 83,
       .may = MACHINE_FLOAT_CONTROL,
       .besides = true},
      {.first = CAPTURE_FPRS,
       .n = 1,
       .bytes = 8,
       .stride = 8,
       .gdb = 84,
       .may = MACHINE_FLOAT_CONTROL,
       .besides = true},
      {.first = CAPTURE_ASI,
       .n = 1,
       .bytes = 8,
       .stride = 8,
       .gdb = 82,
       .shift = 24,
       .bits = 8,
       .may = MACHINE_CONTROL,
       .besides = true}}},
};

/* RISC-V's names, as QEMU 9 has them; others are a letter and a number. */
static const char *const riscv[64] = {
	"zero", "ra",  "sp",  "gp",  "tp",  "t0",  "t1",   "t2",   "s0",  "s1",  "a0",   "a1",  "a2",
	"a3",   "a4",  "a5",  "a6",  "a7",  "s2",  "s3",   "s4",   "s5",  "s6",  "s7",   "s8",  "s9",
	"s10",  "s11", "t3",  "t4",  "t5",  "t6",  "ft0",  "ft1",  "ft2", "ft3", "ft4",  "ft5", "ft6",
	"ft7",  "fs0", "fs1", "fa0", "fa1", "fa2", "fa3",  "fa4",  "fa5", "fa6", "fa7",  "fs2", "fs3",
	"fs4",  "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};

/* What controls the machine, by the names that QEMU 9 has for all sets. */
static const struct {
	const char *name;
	uint8_t num;
} controls[] = {{"fflags", CAPTURE_FFLAGS},     {"frm", CAPTURE_FRM},   {"vstart", CAPTURE_VSTART},
                {"vxsat", CAPTURE_VXSAT},       {"vxrm", CAPTURE_VXRM}, {"vl", CAPTURE_VL},
                {"vtype", CAPTURE_VTYPE},       {"fpsr", CAPTURE_FPSR}, {"fpcr", CAPTURE_FPCR},
                {"ffr", CAPTURE_PREDICATE + 16}};

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
	struct machine_access *plain = &machine->lists[MACHINE_PLAIN];
	MACHINE_FIND(machine->lists[MACHINE_LIST_FLOAT].read, "aarch64_fpu_gdb_get_reg");
	MACHINE_FIND(machine->lists[MACHINE_LIST_FLOAT].write, "aarch64_fpu_gdb_set_reg");
	snprintf(name, sizeof name, "%s_cpu_gdb_read_register", cpu);
	MACHINE_FIND(plain->read, name);
	snprintf(name, sizeof name, "%s_cpu_gdb_write_register", cpu);
	MACHINE_FIND(plain->write, name);
	MACHINE_FIND(machine->array_new, "g_byte_array_new");
	MACHINE_FIND(machine->array_set_size, "g_byte_array_set_size");
	if (!machine->target)
		return "registers of this target that cairn knows";
	if (!machine->array_new || !machine->array_set_size)
		return "GLib's byte arrays (a statically linked QEMU?)";
	if (machine->get_cpu && plain->read && plain->write)
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

uint64_t machine_number(const struct machine *machine, const uint8_t *p, unsigned n)
{
	return machine->big_endian ? base_be(p, n) : base_le(p, n);
}

const uint8_t *machine_list_read(struct machine *machine, void *cpu, unsigned list, int reg,
                                 unsigned *n)
{
	const struct machine_access *access = &machine->lists[list];
	machine->array_set_size(machine->array, 0);
	if (machine->read_register)
		machine->read_register(machine->stub[reg], machine->array);
	else if (access->read && (!list || machine->env))
		access->read((uint8_t *)cpu + (list ? machine->env : 0), machine->array, reg);
	*n = machine->array->len;
	return *n ? machine->array->data : NULL;
}

void machine_list_write(const struct machine *machine, void *cpu, unsigned list, int reg,
                        const uint8_t *bytes)
{
	uint8_t copy[CAPTURE_MOST_VECTOR];
	memcpy(copy, bytes, sizeof copy);
	machine->lists[list].write((uint8_t *)cpu + (list ? machine->env : 0), copy, reg);
}

/* A number that the stub tells in *value; how many bytes it has, 0 if there is none. */
static unsigned stub_read(struct machine *machine, void *cpu, int reg, uint64_t *value)
{
	unsigned n;
	const uint8_t *bytes = machine_list_read(machine, cpu, MACHINE_PLAIN, reg, &n);
	if (!bytes || (n != 4 && n != 8))
		return 0;
	*value = machine_number(machine, bytes, n);
	return n;
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

bool machine_dump(const struct machine *machine, void *cpu, uint64_t *regs)
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

/* The number of the register that QEMU calls so; CAPTURE_REGS: of none that is told. */
static unsigned number_of(const struct machine *machine, const char *name)
{
	bool riscv_set = !strncmp(machine->target, "riscv", 5);
	unsigned k;
	char letter, end;
	for (size_t i = 0; i < sizeof controls / sizeof *controls; i++)
		if (!strcmp(name, controls[i].name))
			return controls[i].num;
	if (riscv_set) {
		name = !strcmp(name, "fp") ? "s0" : name;
		for (k = 0; k < 64; k++)
			if (!strcmp(name, riscv[k]))
				return k;
	}
	if (sscanf(name, "%c%2u%c", &letter, &k, &end) == 2 && k < 32) {
		if (letter == 'v' && riscv_set)
			return CAPTURE_VECTOR + k;
		if (!riscv_set && (letter == 'x' || letter == 'v' || letter == 'z'))
			return k + (letter == 'x' ? 0 : CAPTURE_FP);
		if (!riscv_set && letter == 'p' && k < 16)
			return CAPTURE_PREDICATE + k;
	}
	return riscv_set               ? CAPTURE_REGS
	       : !strcmp(name, "sp")   ? 31
	       : !strcmp(name, "cpsr") ? CAPTURE_FLAGS
	                               : CAPTURE_REGS;
}

/* The handles of those we want, once. */
static bool find_handles(struct machine *machine)
{
	struct qemu_array *list = registers_of();
	for (unsigned i = 0; list && i < list->len; i++) {
		struct qemu_plugin_reg_descriptor descriptor;
		memcpy(&descriptor, list->data + i * sizeof descriptor, sizeof descriptor);
		unsigned k = descriptor.name ? number_of(machine, descriptor.name) : CAPTURE_REGS;
		if (k < CAPTURE_REGS)
			machine->handles[k] = descriptor.handle;
		if (descriptor.name && !strcmp(descriptor.name, "vg"))
			machine->granules = descriptor.handle;
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

/* The bytes of a register that QEMU tells by its handle. */
static const uint8_t *handle_read(struct machine *machine, void *handle, unsigned *n)
{
	machine->array_set_size(machine->array, 0);
	*n = 0;
	if (!handle || machine->read_register(handle, machine->array) < 0)
		return NULL;
	*n = machine->array->len;
	return *n ? machine->array->data : NULL;
}

/* SPARC's doubles, in the stub's two ways. */
static bool ask_double(struct machine *machine, void *cpu, unsigned index, uint64_t *value)
{
	uint64_t low;
	if (index >= 16)
		return stub_read(machine, cpu, 64 + (int)index - 16, value) != 0;
	if (!stub_read(machine, cpu, 32 + 2 * (int)index, value) ||
	    !stub_read(machine, cpu, 33 + 2 * (int)index, &low))
		return false;
	*value = *value << 32 | low;
	return true;
}

bool machine_ask(struct machine *machine, void *cpu, const struct machine_part *part,
                 unsigned index, uint64_t value[MACHINE_VALUE])
{
	unsigned n, words = (part->bytes + 7u) / 8;
	const uint8_t *bytes;
	if (part->first == CAPTURE_FP && machine->big_endian)
		return ask_double(machine, cpu, index, value);
	bytes = machine->read_register && !machine->by_stub
	            ? handle_read(machine, machine->handles[part->first + index], &n)
	            : machine_list_read(machine, cpu, part->list, part->gdb + (int)index, &n);
	if (!bytes)
		return false;
	for (unsigned i = 0; i < words; i++)
		value[i] = 8 * i < n ? machine_number(machine, bytes + 8 * (size_t)i,
		                                      n - 8 * i < 8 ? n - 8 * i : 8)
		                     : 0;
	if (part->bits)
		value[0] = value[0] >> part->shift & ((UINT64_C(1) << part->bits) - 1);
	return true;
}

/* ---- what there is ---- */

/* Bytes of AArch64's vectors in force; 0: it has no longer ones than V. */
static unsigned scalable_bytes(struct machine *machine, void *cpu)
{
	unsigned n;
	const uint8_t *bytes =
		machine->read_register
			? handle_read(machine, machine->granules, &n)
			: machine_list_read(machine, cpu, MACHINE_LIST_VECTOR, VECTOR_GRANULES, &n);
	return bytes && n <= 8 ? 8 * (unsigned)machine_number(machine, bytes, n) : 0;
}

static unsigned riscv_bytes(struct machine *machine, void *cpu)
{
	unsigned n;
	if (machine->read_register)
		handle_read(machine, machine->handles[CAPTURE_VECTOR], &n);
	else
		machine_list_read(machine, cpu, MACHINE_LIST_VECTOR, 0, &n);
	return n;
}

static unsigned vector_bytes(struct machine *machine, void *cpu)
{
	return machine->target[0] == 'a'   ? scalable_bytes(machine, cpu)
	       : machine->target[0] == 'r' ? riscv_bytes(machine, cpu)
	                                   : 0;
}

bool machine_same_vectors(struct machine *machine, void *cpu)
{
	return machine->target[0] != 'a' || scalable_bytes(machine, cpu) == machine->vector_bytes;
}

/* Vectors, and what belongs to them, are there or not. */
static void size_parts(struct machine *machine, void *cpu)
{
	unsigned bytes = vector_bytes(machine, cpu);
	bool good = bytes <= CAPTURE_MOST_VECTOR && bytes % 8 == 0;
	machine->missing |= good ? 0 : CAPTURE_NO_VECTORS;
	machine->vector_bytes = good ? bytes : 0;
	for (unsigned i = 0; i < machine->n_parts; i++) {
		struct machine_part *part = &machine->parts[i];
		unsigned words =
			capture_register_words(machine->target[0] == 'a', machine->vector_bytes, part->first);
		if (part->may != MACHINE_VECTORS)
			continue;
		part->absent = part->besides && !machine->vector_bytes;
		if (part->first != CAPTURE_VSTART && part->first != CAPTURE_VL)
			part->bytes = (uint16_t)(8 * words);
		if (part->first == CAPTURE_VECTOR)
			part->stride = part->bytes;
	}
}

/* A part that cannot be read: is the CPU to be recorded without it? */
static bool leave_out(struct machine *machine, struct machine_part *part)
{
	machine->missing |= part->may == MACHINE_FLOAT_CONTROL ? CAPTURE_NO_FLOAT_CONTROL
	                    : part->may == MACHINE_VECTORS     ? CAPTURE_NO_VECTORS
	                                                       : CAPTURE_NO_CONTROL;
	part->absent = true;
	return part->besides;
}

/* Every part can be read, or is known to be left out. */
static bool try_parts(struct machine *machine, void *cpu)
{
	uint64_t room[32 * MACHINE_VALUE];
	unsigned stride, word = 0;
	for (unsigned i = 0; i < machine->n_parts; i++) {
		struct machine_part *part = &machine->parts[i];
		part->word = (uint16_t)word;
		word += part->n * ((part->bytes + 7u) / 8);
		if (!part->absent && !machine_part(machine, cpu, i, room, &stride) &&
		    !leave_out(machine, part))
			return false;
	}
	if (!(machine->missing & CAPTURE_NO_VECTORS))
		return true;
	/* Vectors without what controls them, or the other way round, are none. */
	machine->vector_bytes = 0;
	for (unsigned i = 0; i < machine->n_parts; i++)
		machine->parts[i].absent |=
			machine->parts[i].may == MACHINE_VECTORS && machine->parts[i].besides;
	return true;
}

bool machine_prepare(struct machine *machine, void *cpu, uint64_t pc)
{
	if (machine->ready)
		return true;
	machine->ready = true;
	size_t size = cpu && !machine->read_register ? malloc_usable_size(cpu) : 0;
	if (machine->read_register
	        ? !find_stub(machine, pc) && (machine->by_stub || !find_handles(machine))
	        : !cpu || size > MOST_OBJECT)
		return false;
	if (!machine->read_register)
		machine_locate_lists(machine, cpu, size);
	size_parts(machine, cpu);
	if (!machine->read_register)
		machine_locate(machine, cpu, size);
	return try_parts(machine, cpu);
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
	if (part->first == CAPTURE_FP && part->list && !machine->read_register &&
	    !machine->lists[part->list].read)
		return machine_dump(machine, cpu, room) ? (const uint8_t *)room : NULL;
	for (unsigned k = 0; k < part->n; k++) {
		uint64_t v[MACHINE_VALUE];
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

bool machine_one(struct machine *machine, void *cpu, unsigned part, unsigned index,
                 uint64_t value[MACHINE_VALUE])
{
	return machine_ask(machine, cpu, &machine->parts[part], index, value);
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
