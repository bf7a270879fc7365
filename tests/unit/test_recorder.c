/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorder in an emulator made of nothing but QEMU's newer plugin interface (version 2 and
 * later), which distributions may not have: registers by name or by number, values of
 * accesses, and what the helpers for atomics tell of them. This program is that emulator: it
 * exports the interface's functions, loads the plugin, says what a guest does, and
 * reads the stream as cairn does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "cairn/cairn.h"
#include "formats/capture/capture.h"
#include "recorder/machine.h"
#include "recorder/qemu_plugin.h"

#define EXPORT __attribute__((visibility("default")))
enum { BASE = 0x10000, MEMORY = 0x1000, NAMES = 160 };

/* ---- the emulator ---- */

struct qemu_plugin_insn {
	uint64_t pc;
	uint32_t enc;
	qemu_plugin_exec_cb exec;
	qemu_plugin_mem_cb mem;
	void *exec_user, *mem_user;
};

static struct {
	bool big;
	int api;
	unsigned n_names;
	uintptr_t number_plus; /* without names: a handle is the stub's number and this */
	const char *names[NAMES];
	uint64_t values[NAMES];   /* by name; without names by the stub's number */
	unsigned vector, longest; /* bytes of vectors in force, and that the CPU could have */
	uint8_t memory[MEMORY];
	struct qemu_plugin_insn insn;
	struct qemu_plugin_value value;
	qemu_plugin_tb_cb translate;
	qemu_plugin_vcpu_cb begin;
	qemu_plugin_exit_cb exit;
	void *exit_user;
	void *plugin;
	int pipe;
} host;

EXPORT void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_tb_cb cb)
{
	(void)id;
	host.translate = cb;
}

EXPORT void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
                                                   qemu_plugin_exec_cb cb, int regs, void *user)
{
	(void)regs;
	insn->exec = cb;
	insn->exec_user = user;
}

EXPORT void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_plugin_mem_cb cb,
                                             int regs, int rw, void *user)
{
	(void)regs;
	(void)rw;
	insn->mem = cb;
	insn->mem_user = user;
}

EXPORT void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_cb cb)
{
	(void)id;
	host.begin = cb;
}

EXPORT void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id, qemu_plugin_syscall_cb cb)
{
	(void)id;
	(void)cb;
}

EXPORT void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_exit_cb cb, void *user)
{
	(void)id;
	host.exit = cb;
	host.exit_user = user;
}

EXPORT size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb)
{
	(void)tb;
	return 1;
}

EXPORT struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb,
                                                        size_t index)
{
	(void)tb;
	return index ? NULL : &host.insn;
}

EXPORT size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn)
{
	(void)insn;
	return 4;
}

EXPORT uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn)
{
	return insn->pc;
}

EXPORT void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn)
{
	return host.memory + (insn->pc - BASE);
}

/* As from version 3 on. */
EXPORT size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t n);
EXPORT size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t n)
{
	uint8_t b[4];
	base_put_le32(b, host.big ? __builtin_bswap32(insn->enc) : insn->enc);
	memcpy(to, b, n < 4 ? n : 4);
	return 4;
}

/* What `info` says: the shift, a bit for stores, and whether values are big endian. */
EXPORT unsigned qemu_plugin_mem_size_shift(uint32_t info)
{
	return info & 15;
}

EXPORT bool qemu_plugin_mem_is_store(uint32_t info)
{
	return info & 16;
}

EXPORT bool qemu_plugin_mem_is_big_endian(uint32_t info)
{
	(void)info;
	return host.big;
}

EXPORT struct qemu_plugin_value qemu_plugin_mem_get_value(uint32_t info);
EXPORT struct qemu_plugin_value qemu_plugin_mem_get_value(uint32_t info)
{
	(void)info;
	return host.value;
}

EXPORT struct qemu_array *g_byte_array_new(void);
EXPORT struct qemu_array *g_byte_array_new(void)
{
	static struct qemu_array made;
	static uint8_t room[256];
	made = (struct qemu_array){room, 0};
	return &made;
}

EXPORT struct qemu_array *g_byte_array_set_size(struct qemu_array *array, unsigned n);
EXPORT struct qemu_array *g_byte_array_set_size(struct qemu_array *array, unsigned n)
{
	array->len = n;
	return array;
}

EXPORT struct qemu_array *qemu_plugin_get_registers(void);
EXPORT struct qemu_array *qemu_plugin_get_registers(void)
{
	static struct qemu_plugin_reg_descriptor list[NAMES];
	static struct qemu_array made;
	for (unsigned i = 0; i < host.n_names; i++)
		list[i] =
			(struct qemu_plugin_reg_descriptor){(void *)(uintptr_t)(i + 1), host.names[i], NULL};
	made = (struct qemu_array){(uint8_t *)list, host.n_names};
	return &made;
}

EXPORT int qemu_plugin_read_register(void *handle, struct qemu_array *out);
EXPORT int qemu_plugin_read_register(void *handle, struct qemu_array *out)
{
	uintptr_t at = (uintptr_t)handle - (host.n_names ? 1 : host.number_plus);
	const char *name = at < host.n_names ? host.names[at] : NULL;
	bool single = host.n_names ? name && *name == 'f' && name[1] < '4' && host.big && at < 64
	                           : at >= 32 && at < 64;
	unsigned n = single ? 4 : 8;
	bool wide = host.vector && (*name == 'v' || *name == 'z') && name[1] >= '0' && name[1] <= '9';
	if (host.vector && !strcmp(name, "vg"))
		host.values[at] = host.vector / 8;
	for (unsigned i = 8; wide && i < host.longest; i++) /* bytes behind the first eight */
		out->data[out->len + i] = (uint8_t)(host.values[at] + i);
	if (at >= NAMES) /* QEMU does not check */
		memset(out->data + out->len, 0, n);
	for (unsigned i = 0; i < n && at < NAMES; i++)
		out->data[out->len + i] = (uint8_t)(host.values[at] >> 8 * (host.big ? n - 1 - i : i));
	out->len += wide ? host.longest : n;
	return (int)(wide ? host.longest : n);
}

static uint64_t *reg(const char *name)
{
	for (unsigned i = 0; i < host.n_names; i++)
		if (!strcmp(host.names[i], name))
			return &host.values[i];
	fail_msg("no register %s", name);
	return NULL;
}

/* ---- a run ---- */

/* The plugin with globals of its own. It is never closed, as in an emulator, which ends with it:
 * what it holds then is no leak. */
static void *fresh_plugin(void)
{
	char path[64], bytes[1 << 14];
	int from = open(RECORDER, O_RDONLY), to = memfd_create("recorder", 0);
	ssize_t n;
	assert_true(from >= 0 && to >= 0);
	while ((n = read(from, bytes, sizeof bytes)) > 0)
		assert_int_equal(write(to, bytes, (size_t)n), n);
	close(from);
	snprintf(path, sizeof path, "/proc/self/fd/%d",
	         to); /* stays open: another one has another path */
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void power_on(const char *target, int api, bool regs)
{
	const struct qemu_plugin_info info = {.target_name = target, .version = {.min = 2, .cur = api}};
	int (*install)(qemu_plugin_id_t, const struct qemu_plugin_info *, int, char **);
	char args[3][32], *argv[] = {args[0], args[1], args[2]};
	int fds[2], tail = memfd_create("tail", 0);
	host.api = api;
	host.plugin = fresh_plugin();
	if (!host.plugin)
		fail_msg("%s", dlerror());
	const int *version = dlsym(host.plugin, "qemu_plugin_version");
	assert_int_equal(*version, 2); /* the least that newer versions take */
	void *p = dlsym(host.plugin, "qemu_plugin_install");
	memcpy(&install, &p, sizeof p);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(ftruncate(tail, sizeof(struct capture_tail)), 0);
	host.pipe = fds[0];
	snprintf(args[0], sizeof args[0], "fd=%d", fds[1]);
	snprintf(args[1], sizeof args[1], "tail=%d", tail);
	snprintf(args[2], sizeof args[2], "regs=%s", regs ? "on" : "off");
	assert_int_equal(install(1, &info, 3, argv), 0);
	host.begin(1, 0);
	fcntl(fds[1], F_SETFD, FD_CLOEXEC);
}

static void run(unsigned vcpu, uint64_t pc, uint32_t enc)
{
	host.insn = (struct qemu_plugin_insn){.pc = pc, .enc = enc};
	host.translate(1, NULL);
	if (host.insn.exec)
		host.insn.exec(vcpu, host.insn.exec_user);
}

/* An access, told with this value; memory holds what it holds. */
static void moves(unsigned vcpu, bool store, uint64_t addr, unsigned shift, uint64_t value)
{
	host.value = (struct qemu_plugin_value){.type = (int)shift};
	memcpy(host.value.data.bytes, machine_place(&value, 1u << shift), 1u << shift);
	host.insn.mem(vcpu, shift | (store ? 16u : 0), addr, host.insn.mem_user);
}

/* A number of 8 bytes as this machine reads it from the guest's memory: the helpers for atomics
 * tell that. */
static uint64_t as_read(uint64_t value)
{
	return host.big == MACHINE_BIG ? value : __builtin_bswap64(value);
}

struct reading {
	struct cairn *cairn;
	struct cairn_reader *reader;
	struct cairn_batch *batch;
	uint8_t data[1 << 16];
	unsigned why, missing;
};

/* The stream as rows, and why it ended. */
static void power_off(unsigned isa, bool regs, struct reading *reading)
{
	size_t n = CAPTURE_LEN_HEADER;
	ssize_t got;
	host.exit(1, host.exit_user);
	memset(reading, 0, sizeof *reading);
	memcpy(reading->data, CAPTURE_MAGIC, 8);
	capture_put_HEADER_version(reading->data, CAPTURE_VERSION);
	capture_put_HEADER_isa(reading->data, (uint8_t)isa);
	capture_put_HEADER_flags(reading->data, regs ? CAPTURE_REGISTERS : 0);
	fcntl(host.pipe, F_SETFL, O_NONBLOCK);
	while ((got = read(host.pipe, reading->data + n, sizeof reading->data - n)) > 0)
		n += (size_t)got;
	close(host.pipe);
	assert_true(n >= CAPTURE_LEN_HEADER + CAPTURE_LEN_END);
	reading->why = capture_END_why(reading->data + n - CAPTURE_LEN_END);
	reading->cairn = cairn_new(NULL);
	reading->batch = cairn_batch_new(reading->cairn);
	assert_int_equal(cairn_open_memory(reading->cairn, reading->data, n, NULL, &reading->reader),
	                 0);
	assert_true(cairn_next(reading->reader, reading->batch) >= 0);
	reading->missing = ((const struct capture_impl *)reading->reader->impl)->missing;
}

static void done(struct reading *reading)
{
	cairn_close(reading->reader);
	cairn_batch_free(reading->cairn, reading->batch);
	cairn_free(reading->cairn);
	memset(&host, 0, sizeof host);
}

/* ---- RISC-V ---- */

static char names[NAMES][16];

static void name_all(const char *const *banks, const unsigned *counts)
{
	host.n_names = 0;
	for (unsigned k = 0; banks[k]; k++)
		for (unsigned i = 0; i < counts[k]; i++) {
			unsigned at = host.n_names++;
			if (counts[k] > 1)
				snprintf(names[at], sizeof names[at], "%.8s%u", banks[k], i & 63);
			else
				snprintf(names[at], sizeof names[at], "%.8s", banks[k]);
			host.names[at] = names[at];
		}
}

static void riscv_names(void)
{
	static const char *const banks[] = {"zero", "ra", "sp", "gp", "tp", "t",  "fp",
	                                    "s",    "a",  "ft", "fs", "fa", "pc", NULL};
	static const unsigned counts[] = {1, 1, 1, 1, 1, 7, 1, 12, 8, 12, 12, 8, 1};
	name_all(banks, counts);
	snprintf(names[13], sizeof names[0], "-"); /* s0 has the name fp */
}

static void test_names(void **state)
{
	struct reading reading;
	(void)state;
	riscv_names();
	*reg("fp") = 64;
	*reg("a0") = 5;
	power_on("riscv64", 4, true);
	run(0, BASE, 0x00150513); /* addi a0,a0,1 */
	*reg("a0") = 6;
	run(0, BASE + 4, 0x01040413); /* addi s0,s0,16 */
	*reg("fp") = 80;
	run(0, BASE + 8, 0x00000013);
	power_off(CAIRN_ISA_RV64, true, &reading);
	const struct cairn_batch *batch = reading.batch;
	assert_int_equal(reading.why, CAPTURE_EXITED);
	assert_int_equal(reading.missing, CAPTURE_NO_FLOAT_CONTROL); /* fflags and frm have no names */
	assert_int_equal(batch->n_insns, 3);
	const struct cairn_reg *r = &batch->regs[batch->insns[1].reg0 - 1];
	assert_int_equal(r->num, 10);
	assert_int_equal(r->role, CAIRN_ROLE_DST);
	assert_int_equal(r->value, 6);
	r = &batch->regs[batch->insns[1].reg0];
	assert_int_equal(r->num, 8);
	assert_int_equal(r->value, 80);
	for (uint32_t i = 0; i < batch->insns[0].reg0; i++)
		if (batch->regs[i].cls == CAIRN_REG_INT && batch->regs[i].num == 8)
			assert_int_equal(batch->regs[i].value, 64);
	done(&reading);
}

static void read_and_write(const struct cairn_batch *batch, unsigned index, uint64_t old,
                           uint64_t now)
{
	uint32_t k = batch->insns[index].mem0;
	assert_int_equal(batch->insns[index + 1].mem0 - k, 2);
	assert_int_equal(batch->mems[k].kind, CAIRN_MEM_READ);
	assert_true(batch->mems[k].flags & CAIRN_VALUE_KNOWN);
	assert_int_equal(batch->mems[k].value, old);
	assert_int_equal(batch->mems[k + 1].kind, CAIRN_MEM_WRITE);
	assert_int_equal(batch->mems[k + 1].value, now);
}

/* What was moved counts, not what memory holds; of what several threads' atomics combine the
 * helper tells the operand. */
static void values(bool regs)
{
	struct reading reading;
	riscv_names();
	*reg("a3") = 3;
	*reg("a5") = BASE + 64;
	memset(host.memory, 0xee, sizeof host.memory);
	power_on("riscv64", 5, regs);
	run(0, BASE, 0x00d7b02f); /* amoadd.d zero,a3,(a5), alone: the new value is told */
	moves(0, false, BASE + 64, 3, 7);
	moves(0, true, BASE + 64, 3, 10);
	host.begin(1, 1);
	run(0, BASE + 4, 0x00d7b02f);
	moves(0, false, BASE + 64, 3, as_read(10));
	moves(0, true, BASE + 64, 3, 3);
	run(0, BASE + 8, 0x60d7b02f); /* amoand.d zero,a3,(a5) */
	moves(0, false, BASE + 64, 3, as_read(14));
	moves(0, true, BASE + 64, 3, 3);
	run(0, BASE + 12, 0x00d7b023); /* sd a3,0(a5) */
	moves(0, true, BASE + 64, 3, 3);
	run(0, BASE + 16, 0x0007b603); /* ld a2,0(a5) */
	moves(0, false, BASE + 64, 3, 0x1122);
	*reg("a2") = 0x1122;
	run(0, BASE + 20, 0x00000013);
	power_off(CAIRN_ISA_RV64, regs, &reading);
	const struct cairn_batch *batch = reading.batch;
	assert_int_equal(batch->n_insns, 6);
	read_and_write(batch, 0, 7, 10);
	read_and_write(batch, 1, 10, 13);
	read_and_write(batch, 2, 14, 2);
	assert_int_equal(batch->mems[batch->insns[3].mem0].value, 3);
	assert_int_equal(batch->mems[batch->insns[4].mem0].value, 0x1122);
	done(&reading);
}

static void test_values(void **state)
{
	(void)state;
	values(true);
	values(false);
}

/* A version that nobody knows may tell something else of atomics: memory is looked at. */
static void test_unknown_version(void **state)
{
	struct reading reading;
	(void)state;
	riscv_names();
	*reg("a3") = 3;
	*reg("a5") = BASE + 64;
	base_put_le64(host.memory + 64, 20);
	power_on("riscv64", 9, true);
	host.begin(1, 1);
	run(0, BASE, 0x00d7b62f);            /* amoadd.d a2,a3,(a5) */
	base_put_le64(host.memory + 64, 99); /* another thread's, meanwhile */
	moves(0, false, BASE + 64, 3, 555);
	moves(0, true, BASE + 64, 3, 555);
	*reg("a2") = 20;
	run(0, BASE + 4, 0x00000013);
	power_off(CAIRN_ISA_RV64, true, &reading);
	read_and_write(reading.batch, 0, 20, 23);
	done(&reading);
}

/* ---- vectors, and what controls them ---- */

static const struct cairn_reg *row_of(const struct cairn_batch *batch, unsigned slot, unsigned cls,
                                      unsigned num)
{
	for (uint32_t k = batch->insns[slot].reg0; k < batch->insns[slot + 1].reg0; k++)
		if (batch->regs[k].cls == cls && batch->regs[k].num == num)
			return &batch->regs[k];
	return NULL;
}

static unsigned byte_of(const struct cairn_batch *batch, const struct cairn_reg *reg, unsigned i)
{
	assert_non_null(reg);
	assert_true(reg->flags & CAIRN_VALUE_WIDE);
	return batch->bytes[reg->value + i];
}

static void test_riscv_vectors(void **state)
{
	static const char *const banks[] = {
		"zero", "ra", "sp", "gp", "tp",     "t",   "fp",     "s",     "a",    "ft",    "fs",
		"fa",   "pc", "v",  "vl", "fflags", "frm", "vstart", "vxsat", "vxrm", "vtype", NULL};
	static const unsigned counts[] = {1, 1, 1,  1, 1, 7, 1, 12, 8, 12, 12,
	                                  8, 1, 32, 1, 1, 1, 1, 1,  1, 1};
	struct reading reading;
	(void)state;
	for (unsigned lacking = 0; lacking < 2; lacking++) {
		name_all(banks, counts);
		snprintf(names[13], sizeof names[0], "-");
		host.vector = host.longest = 32;
		*reg("v4") = 1;
		*reg("vl") = 8;
		if (lacking) /* vectors without vtype mean nothing */
			snprintf(names[host.n_names - 1], sizeof names[0], "other");
		power_on("riscv64", 5, true);
		run(0, BASE, 0x02208257); /* vadd.vv v4,v2,v1 */
		*reg("v4") = 0x55;
		run(0, BASE + 4, 0x02b57553); /* fadd.d fa0,fa0,fa1 */
		*reg("fflags") = 1;
		*reg("v5") = 2; /* what the encoding cannot change is not asked for */
		run(0, BASE + 8, 0x00000013);
		run(0, BASE + 12, 0x00000013);
		power_off(CAIRN_ISA_RV64, true, &reading);
		const struct cairn_batch *batch = reading.batch;
		assert_int_equal(batch->n_insns, 4);
		assert_int_equal(reading.missing, lacking ? CAPTURE_NO_VECTORS : 0);
		const struct cairn_reg *v4 = row_of(batch, 0, CAIRN_REG_VECTOR, 4);
		if (lacking) {
			assert_null(v4);
			assert_null(row_of(batch, 0, CAIRN_REG_CSR, 0xc20));
		} else {
			assert_int_equal(v4->role, CAIRN_ROLE_STATE);
			assert_int_equal(v4->bits, 256);
			assert_int_equal(byte_of(batch, v4, 31), 32);
			assert_int_equal(row_of(batch, 0, CAIRN_REG_CSR, 0xc20)->value, 8);
			v4 = &batch->regs[batch->insns[1].reg0 - 2]; /* before vstart */
			assert_int_equal(v4->role, CAIRN_ROLE_DST);
			assert_int_equal(byte_of(batch, v4, 0), 0x55);
		}
		assert_int_equal(row_of(batch, 1, CAIRN_REG_CSR, 1)->value, 1);
		assert_null(row_of(batch, 2, CAIRN_REG_VECTOR, 5));
		done(&reading);
	}
}

/* QEMU hands out vectors of the greatest length that the CPU may have; what is in force says vg. */
static void test_scalable_vectors(void **state)
{
	static const char *const banks[] = {"x",    "sp", "pc",  "cpsr", "z", "fpsr",
	                                    "fpcr", "p",  "ffr", "vg",   NULL};
	static const unsigned counts[] = {31, 1, 1, 1, 32, 1, 1, 16, 1, 1};
	struct reading reading;
	(void)state;
	name_all(banks, counts);
	host.vector = 32;
	host.longest = 64;
	*reg("z3") = 7;
	*reg("p15") = 0xffffffff;
	power_on("aarch64", 5, true);
	run(0, BASE, 0x2518e3e2); /* ptrue p2.b */
	*reg("p2") = 0xffffffff;
	run(0, BASE + 4, 0xd503201f); /* nop */
	run(0, BASE + 8, 0xd51b4400); /* msr fpcr,x0 */
	*reg("fpcr") = 0x400000;
	run(0, BASE + 12, 0xd503201f);
	run(0, BASE + 16, 0xd503467f); /* smstart sm: another length */
	host.vector = 64;
	run(0, BASE + 20, 0xd503201f);
	power_off(CAIRN_ISA_A64, true, &reading);
	const struct cairn_batch *batch = reading.batch;
	assert_int_equal(reading.why, CAPTURE_RESIZED);
	assert_int_equal(batch->n_insns, 4);
	const struct cairn_reg *z3 = row_of(batch, 0, CAIRN_REG_VECTOR, 32 + 3);
	assert_int_equal(z3->bits, 256);
	assert_int_equal(byte_of(batch, z3, 0), 7);
	assert_int_equal(byte_of(batch, z3, 31), 7 + 31);
	assert_int_equal(row_of(batch, 0, CAIRN_REG_PREDICATE, 15)->value, 0xffffffff);
	assert_int_equal(batch->regs[batch->insns[1].reg0 - 2].cls, CAIRN_REG_PREDICATE);
	assert_int_equal(batch->regs[batch->insns[1].reg0 - 2].bits, 32);
	assert_int_equal(batch->regs[batch->insns[3].reg0 - 1].value, 0x400000);
	done(&reading);
}

/* ---- SPARC ---- */

static void sparc_names(void)
{
	static const char *const banks[] = {"g",   "o",     "l",   "i",    "f", "pc",
	                                    "npc", "state", "fsr", "fprs", "y", NULL};
	static const unsigned counts[] = {8, 8, 8, 8, 32 + 16, 1, 1, 1, 1, 1, 1};
	name_all(banks, counts);
	for (unsigned i = 0; i < 16; i++)
		snprintf(names[64 + i], sizeof names[0], "f%u", 32 + 2 * i);
	snprintf(names[14], sizeof names[0], "sp");
	snprintf(names[30], sizeof names[0], "fp");
}

/* casx %g3 by %g4 at [%g2]: QEMU reads in memory's order, and tells a store that was not done. */
static void casx(struct reading *reading, uint64_t *g4, uint64_t *sp)
{
	run(0, BASE, 0xc9f09003); /* casx [%g2],%g3,%g4 */
	moves(0, false, BASE + 64, 3, as_read(7));
	moves(0, true, BASE + 64, 3, 9);
	*g4 = 7;
	run(0, BASE + 4, 0x9c03bff0); /* add %sp,-16,%sp */
	*sp = 0x7f0;
	run(0, BASE + 8, 0xc9f09003);
	moves(0, false, BASE + 64, 3, as_read(8));
	moves(0, true, BASE + 64, 3, 7);
	*g4 = 8;
	run(0, BASE + 12, 0x01000000);
	power_off(CAIRN_ISA_SPARC, true, reading);
	const struct cairn_batch *batch = reading->batch;
	assert_int_equal(reading->why, CAPTURE_EXITED);
	assert_int_equal(batch->n_insns, 4);
	assert_int_equal(batch->mems[0].kind, CAIRN_MEM_FETCH);
	assert_int_equal(batch->mems[1].value, 7);
	assert_int_equal(batch->mems[2].kind, CAIRN_MEM_WRITE);
	assert_int_equal(batch->mems[2].value, 9);
	const struct cairn_reg *reg = &batch->regs[batch->insns[1].reg0];
	assert_int_equal(reg->num, 14);
	assert_int_equal(reg->value, 0x7f0);
	assert_int_equal(batch->insns[3].mem0 - batch->insns[2].mem0, 1); /* it found 8, not 7 */
	assert_int_equal(batch->mems[batch->insns[2].mem0].value, 8);
}

static void test_sparc(void **state)
{
	struct reading reading;
	(void)state;
	for (unsigned way = 0; way < 3; way++) {
		host.big = true;
		if (way == 0)
			sparc_names();
		host.number_plus = way == 1;
		host.values[2] = BASE + 64;
		host.values[3] = 7;
		host.values[4] = 9;
		host.values[14] = 0x800;
		host.values[80] = BASE; /* pc */
		power_on("sparc64", way ? 4 : 5, true);
		host.begin(1, 1);
		casx(&reading, &host.values[4], &host.values[14]);
		done(&reading);
	}
}

/* Not all registers, or numbers that may mean anything: better nothing than wrong ones. */
static void test_refused(void **state)
{
	struct reading reading;
	(void)state;
	for (unsigned way = 0; way < 3; way++) {
		host.big = true;
		if (way == 0)
			sparc_names();
		if (way == 0)
			snprintf(names[14], sizeof names[0], "o6x");
		host.values[80] = way == 2 ? BASE + 4 : BASE;
		power_on("sparc64", way == 1 ? 9 : 5, true);
		run(0, BASE, 0x01000000);
		power_off(CAIRN_ISA_SPARC, true, &reading);
		assert_int_equal(reading.why, CAPTURE_FAILED);
		assert_int_equal(reading.batch->n_insns, 0);
		done(&reading);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_names),
	                                   cmocka_unit_test(test_values),
	                                   cmocka_unit_test(test_unknown_version),
	                                   cmocka_unit_test(test_riscv_vectors),
	                                   cmocka_unit_test(test_scalable_vectors),
	                                   cmocka_unit_test(test_sparc),
	                                   cmocka_unit_test(test_refused)};
	return cmocka_run_group_tests_name("recorder", tests, NULL, NULL);
}
