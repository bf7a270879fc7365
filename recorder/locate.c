/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where QEMU up to 8.2 keeps the guest's registers.
 *
 * Once, before the first instruction, numbers that occur nowhere else are written into the
 * registers with what the emulator's debugger stub writes with, looked for in the CPU's memory,
 * and taken back. Only a place that is the only one counts.
 *
 * Registers of extensions are in lists of their own, which the CPU holds a chain of: each has the
 * name of the file that describes it to a debugger, and functions of the emulator. A chain is
 * found by such a name and by functions that lie in the emulator itself. They take the CPU's
 * environment, which begins with registers whose place is known then, and which the CPU holds a
 * pointer to.
 *
 * CSRs of RISC-V that control the machine are asked for. That the answers are what they should be
 * is tried with values, written and read in two ways.
 */
#include <dlfcn.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "recorder/machine.h"

enum {
	FP_REACH = 1024,
	ARM64_BEFORE_X = 64, /* 16 registers of 32 bits stand before those of 64 */
	MOST_CHAIN = 16,
	CSR_FFLAGS = 1,
	CSR_FRM = 2,
	CSR_FCSR = 3,
	CSR_VLENB = 0xc22
};
#define SENTINEL UINT64_C(0x5ca1ab1e0ddba110)

/* ---- one place ---- */

/* The only place of `n` numbers, `stride` apart, `bytes` each, first SENTINEL then one more
 * each; 0 if there is none, or more than one. */
static size_t locate_search(const uint8_t *object, size_t size, unsigned n, unsigned bytes,
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

static void locate_put(const struct machine *machine, uint8_t *p, uint64_t value, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		p[i] = (uint8_t)(value >> 8 * (machine->big_endian ? n - 1 - i : i));
}

/* Registers reg..reg + n of a list: numbers in, looked for, out again. */
static size_t locate_listed(struct machine *machine, void *cpu, size_t size,
                            const struct machine_part *part, int reg, unsigned n)
{
	static uint8_t old[32][CAPTURE_MOST_VECTOR]; /* no record: values; one lock is held */
	unsigned got = 0, width = part->bytes < 8 ? 4 : 8;
	if (!machine->lists[part->list].write)
		return 0;
	for (; got < n; got++) {
		unsigned told;
		const uint8_t *bytes = machine_list_read(machine, cpu, part->list, reg + (int)got, &told);
		if (!bytes || told > CAPTURE_MOST_VECTOR || (part->list ? told < width : told != width))
			return 0;
		memset(old[got], 0, sizeof old[got]);
		memcpy(old[got], bytes, told);
	}
	for (unsigned i = 0; i < n; i++) {
		uint8_t bytes[CAPTURE_MOST_VECTOR] = {0};
		locate_put(machine, bytes, SENTINEL + i, width);
		machine_list_write(machine, cpu, part->list, reg + (int)i, bytes);
	}
	size_t at = locate_search(cpu, size, n, part->bytes, part->stride);
	for (unsigned i = 0; i < n; i++)
		machine_list_write(machine, cpu, part->list, reg + (int)i, old[i]);
	return at;
}

/* How often the CPU holds a pointer to its byte `to`, and where last. */
static unsigned locate_pointers(void *cpu, size_t size, size_t to, size_t *where)
{
	unsigned times = 0;
	for (size_t k = 8; k + 8 <= size; k += 8) {
		uintptr_t v;
		memcpy(&v, (uint8_t *)cpu + k, sizeof v);
		if (v == (uintptr_t)cpu + to) {
			*where = k;
			times++;
		}
	}
	return times;
}

/* ---- parts ---- */

/* The window in force is behind a pointer. */
static void locate_window(struct machine *machine, void *cpu, size_t size,
                          struct machine_part *part)
{
	size_t found = 0, at = locate_listed(machine, cpu, size, part, part->gdb, part->n);
	unsigned times = at ? locate_pointers(cpu, size, at, &found) : 0;
	part->direct = part->pointer = times == 1;
	part->at = found;
}

/* Not far behind the integer registers, where the dump shows them. */
static void locate_by_dump(struct machine *machine, void *cpu, size_t size,
                           struct machine_part *part)
{
	const struct machine_part *plain = &machine->parts[0];
	size_t from = plain->at + (size_t)plain->n * plain->stride;
	uint64_t seen[32];
	if (!plain->direct)
		return;
	for (size_t at = (from + 7) & ~(size_t)7; at < from + FP_REACH && at + 256 <= size; at += 8) {
		uint64_t old[32], put[32];
		memcpy(old, (uint8_t *)cpu + at, sizeof old);
		for (unsigned i = 0; i < 32; i++)
			put[i] = SENTINEL + i;
		memcpy((uint8_t *)cpu + at, put, 8);
		bool ok = machine_dump(machine, cpu, seen) && seen[0] == SENTINEL;
		if (ok) {
			memcpy((uint8_t *)cpu + at, put, sizeof put);
			ok = machine_dump(machine, cpu, seen) && !memcmp(seen, put, sizeof put);
		}
		memcpy((uint8_t *)cpu + at, old, ok ? sizeof old : 8);
		if (ok) {
			part->at = at;
			part->direct = true;
			return;
		}
	}
}

static void locate_part(struct machine *machine, void *cpu, size_t size, struct machine_part *part)
{
	bool zero = part->first == 0 && !machine->big_endian; /* register 0 may be none */
	if (part->absent || part->direct || part->bits || part->list == MACHINE_LIST_CSR)
		return;
	if (part->first == 8) {
		locate_window(machine, cpu, size, part);
	} else if (part->first == CAPTURE_FP && machine->big_endian) { /* the upper half */
		struct machine_part upper = *part;
		size_t at = locate_listed(machine, cpu, size, &upper, 64, 16);
		part->direct = at >= 128;
		part->at = at - 128;
	} else if (part->first == CAPTURE_FP && part->bytes == 8 && !machine->lists[part->list].read) {
		locate_by_dump(machine, cpu, size, part);
	} else if (part->first < CAPTURE_CONTROL || part->first >= CAPTURE_VECTOR) {
		size_t at = locate_listed(machine, cpu, size, part, part->gdb + (int)zero, part->n - zero);
		part->direct = at != 0;
		part->at = at - zero * part->stride;
	}
}

/* ---- lists ---- */

/* As QEMU 7 has them; what is read of it is looked at before it is used. */
struct chained {
	int32_t base, n;
	int (*read)(void *env, void *buf, int reg);
	int (*write)(void *env, uint8_t *buf, int reg);
	const char *name;
	const struct chained *next;
};

/* Bytes of this process, where they may not be mapped. */
static bool locate_look(const void *at, void *out, size_t n)
{
	struct iovec here = {out, n}, there = {(void *)(uintptr_t)at, n};
	return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)n;
}

/* Do both functions lie in the emulator? */
static bool locate_ours(const struct machine *machine, const struct chained *chained)
{
	Dl_info emulator, read, write;
	const struct machine_access *plain = &machine->lists[MACHINE_PLAIN];
	void *of[3];
	memcpy(&of[0], &plain->read, sizeof of[0]);
	memcpy(&of[1], &chained->read, sizeof of[1]);
	memcpy(&of[2], &chained->write, sizeof of[2]);
	return dladdr(of[0], &emulator) && dladdr(of[1], &read) && dladdr(of[2], &write) &&
	       read.dli_fbase == emulator.dli_fbase && write.dli_fbase == emulator.dli_fbase;
}

static const struct {
	const char *name;
	uint8_t list;
} lists[] = {
	{"riscv-64bit-fpu.xml", MACHINE_LIST_FLOAT}, {"riscv-32bit-fpu.xml", MACHINE_LIST_FLOAT},
	{"riscv-csr.xml", MACHINE_LIST_CSR},         {"riscv-vector.xml", MACHINE_LIST_VECTOR},
	{"aarch64-fpu.xml", MACHINE_LIST_FLOAT},     {"sve-registers.xml", MACHINE_LIST_VECTOR}};

/* Which list it is; MACHINE_PLAIN: none that is used. False: it is none at all. */
static bool locate_chained(const struct machine *machine, const struct chained *at,
                           struct chained *chained, unsigned *list)
{
	char name[32] = "", known[] = ".xml";
	*list = MACHINE_PLAIN;
	if ((uintptr_t)at % 8 || !locate_look(at, chained, sizeof *chained) || chained->n <= 0 ||
	    chained->base < 0 || !locate_look(chained->name, name, sizeof name - 1) ||
	    !strstr(name, known) || !locate_ours(machine, chained))
		return false;
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		if (!strcmp(name, lists[i].name))
			*list = lists[i].list;
	return true;
}

/* The whole chain that begins there, if it is one. */
static bool locate_chain(struct machine *machine, const struct chained *at)
{
	struct machine_access found[MACHINE_LISTS] = {{NULL, NULL}};
	bool any = false;
	for (unsigned i = 0; at; i++) {
		struct chained chained;
		unsigned list;
		if (i == MOST_CHAIN || !locate_chained(machine, at, &chained, &list))
			return false;
		any |= list != MACHINE_PLAIN;
		found[list] = (struct machine_access){chained.read, chained.write};
		at = chained.next;
	}
	for (unsigned i = MACHINE_PLAIN + 1; i < MACHINE_LISTS && any; i++)
		if (found[i].read && found[i].write)
			machine->lists[i] = found[i];
	return any;
}

void machine_locate_lists(struct machine *machine, void *cpu, size_t size)
{
	struct machine_part *plain = &machine->parts[0];
	size_t before = machine->target[0] == 'a' ? ARM64_BEFORE_X : 0, where;
	locate_part(machine, cpu, size, plain);
	if (machine->big_endian) /* SPARC has one list */
		return;
	machine->missing |= CAPTURE_NO_VECTORS; /* until it is known whether there are any */
	if (!plain->direct || plain->at < before ||
	    !locate_pointers(cpu, size, plain->at - before, &where))
		return;
	machine->env = plain->at - before;
	for (size_t k = 8; k + 8 <= size; k += 8) {
		uintptr_t v;
		memcpy(&v, (uint8_t *)cpu + k, sizeof v);
		if (v && (v < (uintptr_t)cpu || v >= (uintptr_t)cpu + size) &&
		    locate_chain(machine, (const struct chained *)v)) {
			machine->missing = 0;
			return;
		}
	}
}

/* ---- CSRs ---- */

static bool csr_is(struct machine *machine, void *cpu, int number, uint64_t value)
{
	unsigned n;
	const uint8_t *bytes = machine_list_read(machine, cpu, MACHINE_LIST_CSR, number, &n);
	return bytes && n <= 8 && machine_number(machine, bytes, n) == value;
}

static void csr_put(const struct machine *machine, void *cpu, int number, uint64_t value)
{
	uint8_t bytes[CAPTURE_MOST_VECTOR] = {0};
	locate_put(machine, bytes, value, 8);
	machine_list_write(machine, cpu, MACHINE_LIST_CSR, number, bytes);
}

/* Are the CSRs of floating point what their numbers say? */
static bool csrs_of_floats(struct machine *machine, void *cpu)
{
	static const uint8_t flags[] = {0x15, 0x0a, 0x1f, 0}, modes[] = {4, 3, 0, 1};
	unsigned n;
	const uint8_t *bytes = machine_list_read(machine, cpu, MACHINE_LIST_CSR, CSR_FCSR, &n);
	uint64_t old = bytes && n <= 8 ? machine_number(machine, bytes, n) : 0;
	bool good = bytes && n <= 8 && machine->lists[MACHINE_LIST_CSR].write;
	for (size_t i = 0; i < sizeof flags && good; i++) {
		csr_put(machine, cpu, CSR_FFLAGS, flags[i]);
		csr_put(machine, cpu, CSR_FRM, modes[i]);
		good = csr_is(machine, cpu, CSR_FFLAGS, flags[i]) &&
		       csr_is(machine, cpu, CSR_FRM, modes[i]) &&
		       csr_is(machine, cpu, CSR_FCSR, (uint64_t)modes[i] << 5 | flags[i]);
	}
	if (bytes && n <= 8)
		csr_put(machine, cpu, CSR_FCSR, old);
	return good;
}

/* Without certainty about them CSRs are not asked for. */
static void try_csrs(struct machine *machine, void *cpu)
{
	bool good = machine->lists[MACHINE_LIST_CSR].read && csrs_of_floats(machine, cpu);
	if (good && machine->vector_bytes)
		good = csr_is(machine, cpu, CSR_VLENB, machine->vector_bytes);
	if (!good)
		machine->lists[MACHINE_LIST_CSR] = (struct machine_access){NULL, NULL};
}

void machine_locate(struct machine *machine, void *cpu, size_t size)
{
	for (unsigned i = 0; i < machine->n_parts; i++)
		locate_part(machine, cpu, size, &machine->parts[i]);
	if (machine->target[0] == 'r')
		try_csrs(machine, cpu);
}
