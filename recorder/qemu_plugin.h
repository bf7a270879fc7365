/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDER_QEMU_PLUGIN_H
#define RECORDER_QEMU_PLUGIN_H
/*
 * What the recorder uses of QEMU's plugin interface, in our own declarations:
 * distributions ship QEMU without its header. Binary interface only; the names
 * are QEMU's because the loader looks for them.
 *
 * Versions: 0 and 1 are QEMU up to 8.2, 2 is 9.0, 3 changed qemu_plugin_insn_data
 * to copy into the caller's buffer, 4 came with 9.2, 5 with 10.1. What exists only in
 * some is looked up when the plugin is loaded, so it is not declared here as a function.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_register;

struct qemu_plugin_info {
	const char *target_name;
	struct {
		int min, cur;
	} version;
	bool system_emulation;
	struct {
		int smp_vcpus, max_vcpus;
	} system;
};

enum { QEMU_CB_NO_REGS = 0, QEMU_CB_READ_REGS = 1 };
enum { QEMU_MEM_READ = 1, QEMU_MEM_WRITE = 2, QEMU_MEM_BOTH = 3 };

typedef void (*qemu_plugin_tb_cb)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void (*qemu_plugin_exec_cb)(unsigned vcpu, void *user);
typedef void (*qemu_plugin_mem_cb)(unsigned vcpu, uint32_t info, uint64_t vaddr, void *user);
typedef void (*qemu_plugin_vcpu_cb)(qemu_plugin_id_t id, unsigned vcpu);
typedef void (*qemu_plugin_exit_cb)(qemu_plugin_id_t id, void *user);
typedef void (*qemu_plugin_syscall_cb)(qemu_plugin_id_t id, unsigned vcpu, int64_t num, uint64_t a1,
                                       uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5,
                                       uint64_t a6, uint64_t a7, uint64_t a8);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_tb_cb cb);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, qemu_plugin_exec_cb cb,
                                            int regs, void *user);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_plugin_mem_cb cb,
                                      int regs, int rw, void *user);
void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_cb cb);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id, qemu_plugin_syscall_cb cb);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_exit_cb cb, void *user);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);
unsigned qemu_plugin_mem_size_shift(uint32_t info);
bool qemu_plugin_mem_is_store(uint32_t info);
bool qemu_plugin_mem_is_big_endian(uint32_t info);

/* What an access moved, from 9.2 on: the number, of 1 to 16 bytes. */
struct qemu_plugin_value {
	int type;
	union {
		uint8_t bytes[16]; /* as the host has it */
		uint64_t words[2];
	} data;
};

/* GLib's arrays as they stand in memory; both kinds begin like this. */
struct qemu_array {
	uint8_t *data;
	unsigned len;
};
/* One element of qemu_plugin_get_registers. */
struct qemu_plugin_reg_descriptor {
	struct qemu_plugin_register *handle;
	const char *name, *feature;
};

#endif
