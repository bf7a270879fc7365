/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A QEMU user-mode plugin that records what a RISC-V program executes as STF.
 *
 * QEMU calls back before each instruction and after each memory access. What an
 * instruction did (registers written, branch taken) is known only when the next
 * one is about to run: each is held until then and the last until the exit.
 *
 * - A branch was taken when the next PC is where the encoding says it goes; any
 *   other surprise (a signal handler) is a FORCE_PC in front of the next.
 * - The destination register is the encoding's, its value the machine's. Whatever
 *   else changed (the result of a system call, a signal frame) was not written by
 *   an instruction of the trace: it is state in front of the next.
 * - A system call is an event on its ecall; the flow goes on behind it.
 *
 * Only the program's first thread is recorded; a comment at the end counts what
 * others executed.
 *
 * Arguments: out=FILE, max=N instructions, chunk=N instructions in each chunk of a
 * .zstf, qemu=X.Y.Z.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "base/bytes.h"
#include "cairn/stf.h"
#include "recorder/machine.h"
#include "recorder/qemu_plugin.h"
#include "recorder/riscv.h"

#define EXPORT __attribute__((visibility("default")))

enum { ACCESSES = 64, SP_MODE_CHANGE = 0, USER_ECALL = 8, REG_A7 = 17 };

/* One instruction as translated. */
struct insn {
	struct insn *chain; /* all of them, to be freed */
	uint64_t pc;
	uint32_t enc;
	uint8_t size;
	struct rv_op op;
};

struct access {
	uint64_t addr;
	uint8_t value[16];
	uint8_t size;
	bool store;
};

struct registers {
	uint64_t x[32], f[32];
};

struct recorder {
	struct machine machine;
	struct cairn *cairn;
	struct cairn_stf_writer *writer;
	uint8_t version[3];
	int api;
	uint64_t max, count;
	_Atomic uint64_t others;
	struct insn *all;
	const struct insn *current; /* has run or is running, not written yet */
	struct access accesses[ACCESSES];
	unsigned n_accesses, lost_accesses;
	struct registers before;
	uint32_t state_x, state_f;  /* to be given as state with the current one */
	bool force_pc, started;
};

EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_plugin_info *info, int argc,
                               char **argv);

/* QEMU 9 refuses what older ones require; it reads the number after loading us. */
__attribute__((constructor)) static void choose_version(void)
{
	if (dlsym(RTLD_DEFAULT, "qemu_plugin_read_register"))
		qemu_plugin_version = 2;
}

static void stop(struct recorder *r, const char *why)
{
	if (!r->writer)
		return;
	fprintf(stderr, "cairn recorder: %s\n", why);
	cairn_stf_abort(r->writer);
	r->writer = NULL;
}

/* ---- the header ---- */

/* The command as typed, arguments separated by spaces. */
static void read_command(char *out, size_t cap)
{
	FILE *f = fopen("/proc/self/cmdline", "r");
	size_t n = f ? fread(out, 1, cap - 1, f) : 0;
	if (f)
		fclose(f);
	for (size_t i = 0; i < n; i++)
		if (!out[i])
			out[i] = ' ';
	while (n && out[n - 1] == ' ')
		n--;
	out[n] = 0;
}

/* (QEMU knows the program only once it runs: not yet when it loads plugins.) */
static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	return slash ? slash + 1 : path ? path : "?";
}

static int put_header(struct recorder *r, uint64_t pc)
{
	char tool[64], by[128], command[1024], full[1100], program[300];
	snprintf(tool, sizeof tool, "cairn %s recorder", cairn_version());
	snprintf(by, sizeof by, "recorded by cairn %s, git %s, in QEMU %u.%u.%u user mode",
	         cairn_version(), *CAIRN_GIT_SHA ? CAIRN_GIT_SHA : "unknown", r->version[0],
	         r->version[1], r->version[2]);
	read_command(command, sizeof command);
	snprintf(full, sizeof full, "command: %s", command);
	snprintf(program, sizeof program, "program: %s", base_name(qemu_plugin_path_to_binary()));
	const char *const comments[] = {by, full, program};
	struct cairn_stf_config cfg = {
		.version_major = 1, .version_minor = 6, .isa = 1, .iem = 2, .event_bits = 64,
		.features = CAIRN_STF_F_RV64 | CAIRN_STF_F_EVENT | CAIRN_STF_F_EVENT64 |
		            CAIRN_STF_F_OPERAND_VALUE | CAIRN_STF_F_REG_STATE};
	return cairn_stf_put_header(r->writer, &cfg, 1, r->version, tool, comments, 3, pc,
	                            "rv64imafdc_zicsr_zifencei");
}

/* ---- one instruction ---- */

static int put_state(struct recorder *r)
{
	int rc = 0;
	for (unsigned i = 1; rc >= 0 && i < 32; i++)
		if (r->state_x >> i & 1)
			rc = cairn_stf_put_reg(r->writer, CAIRN_REG_INT, i, CAIRN_ROLE_STATE,
			                       r->before.x[i]);
	for (unsigned i = 0; rc >= 0 && i < 32; i++)
		if (r->state_f >> i & 1)
			rc = cairn_stf_put_reg(r->writer, CAIRN_REG_FP, i, CAIRN_ROLE_STATE,
			                       r->before.f[i]);
	r->state_x = r->state_f = 0;
	return rc;
}

static int put_dest(struct recorder *r, const struct rv_op *op, const struct registers *after)
{
	int rc = 0;
	if (op->int_dest)
		rc = cairn_stf_put_reg(r->writer, CAIRN_REG_INT, op->int_dest, CAIRN_ROLE_DST,
		                       after->x[op->int_dest]);
	if (rc >= 0 && op->fp_dest)
		rc = cairn_stf_put_reg(r->writer, CAIRN_REG_FP, op->fp_dest - 1u, CAIRN_ROLE_DST,
		                       after->f[op->fp_dest - 1]);
	return rc;
}

/* Accesses wider than 8 bytes have one content record for each 8 of them. */
static int put_wide(struct recorder *r, const struct access *a)
{
	uint8_t rec[14] = {CAIRN_STF_INST_MEM_ACCESS};
	base_put_le64(rec + 1, a->addr);
	base_put_le16(rec + 9, a->size);
	rec[13] = a->store ? 2 : 1;
	int rc = cairn_stf_put_record(r->writer, rec, sizeof rec);
	for (unsigned at = 0; rc >= 0 && at < a->size; at += 8) {
		uint8_t content[9] = {CAIRN_STF_INST_MEM_CONTENT};
		memcpy(content + 1, a->value + at, 8);
		rc = cairn_stf_put_record(r->writer, content, sizeof content);
	}
	return rc;
}

static int put_accesses(struct recorder *r, const struct rv_op *op, const struct registers *after)
{
	int rc = 0;
	for (unsigned i = 0; rc >= 0 && i < r->n_accesses; i++) {
		const struct access *a = &r->accesses[i];
		uint64_t value = a->size <= 8 ? base_le(a->value, a->size) : 0;
		/* Memory is read after an atomic has replaced it; what it loaded is in
		 * its destination. */
		if (op->amo && !a->store && op->int_dest && a->size <= 8)
			value = after->x[op->int_dest] & (UINT64_MAX >> (64 - 8 * a->size));
		if (a->size > 8)
			rc = put_wide(r, a);
		else
			rc = cairn_stf_put_mem(r->writer, a->store ? CAIRN_MEM_WRITE : CAIRN_MEM_READ,
			                       a->addr, a->size, value);
	}
	return rc;
}

/* Where the current instruction jumps to if it does. */
static uint64_t target_of(const struct recorder *r)
{
	const struct rv_op *op = &r->current->op;
	uint64_t offset = (uint64_t)op->offset;
	if (op->flow == FLOW_JUMP_REG)
		return (r->before.x[op->base] + offset) & ~UINT64_C(1);
	return r->current->pc + offset;
}

/* Records in the order of their numbers; the encoding ends the group. */
static int put_current(struct recorder *r, bool taken, const struct registers *after)
{
	const struct insn *in = r->current;
	int rc = 0;
	if (r->force_pc)
		rc = cairn_stf_put_force_pc(r->writer, in->pc);
	r->force_pc = false;
	if (rc >= 0 && taken)
		rc = cairn_stf_put_pc_target(r->writer, target_of(r));
	if (rc >= 0)
		rc = put_state(r);
	if (rc >= 0 && after)
		rc = put_dest(r, &in->op, after);
	if (rc >= 0)
		rc = put_accesses(r, &in->op, after ? after : &r->before);
	if (rc >= 0 && r->count == 0) /* a trace says in which mode it starts: user */
		rc = cairn_stf_put_event(r->writer, (UINT64_C(1) << 62) | SP_MODE_CHANGE,
		                         (const uint64_t[]){0}, 1);
	if (rc >= 0 && in->op.flow == FLOW_ECALL)
		rc = cairn_stf_put_event(r->writer, USER_ECALL, &r->before.x[REG_A7], 1);
	if (rc >= 0)
		rc = cairn_stf_put_insn(r->writer, in->enc, in->size);
	r->count++;
	return rc;
}

/* What changed without being the destination becomes state of the next one. */
static void compare(struct recorder *r, const struct registers *after)
{
	const struct rv_op *op = &r->current->op;
	for (unsigned i = 1; i < 32; i++)
		if (after->x[i] != r->before.x[i] && i != op->int_dest)
			r->state_x |= 1u << i;
	for (unsigned i = 0; i < 32; i++)
		if (after->f[i] != r->before.f[i] && i + 1 != op->fp_dest)
			r->state_f |= 1u << i;
}

/* Write the current instruction; `next` runs after it, NULL at the exit, when the
 * machine can no longer be asked. */
static void finish_current(struct recorder *r, const struct insn *next)
{
	struct registers after = r->before;
	const struct rv_op *op = &r->current->op;
	int rc;
	if (!next) {
		rc = put_current(r, false, NULL);
	} else {
		bool fp = op->fp_dest || op->flow == FLOW_ECALL;
		if (!machine_int(&r->machine, 0, after.x) ||
		    (fp && !machine_fp(&r->machine, 0, after.f))) {
			stop(r, "this QEMU does not let its registers be read");
			return;
		}
		bool jumps = op->flow == FLOW_BRANCH || op->flow == FLOW_JUMP ||
		             op->flow == FLOW_JUMP_REG;
		bool always = jumps && op->flow != FLOW_BRANCH;
		bool falls = next->pc == r->current->pc + r->current->size;
		bool taken = jumps && next->pc == target_of(r) && (always || !falls);
		rc = put_current(r, taken, &after);
		r->force_pc = !taken && !falls;
		compare(r, &after);
		r->before = after;
	}
	if (rc < 0)
		stop(r, cairn_error_text(r->cairn));
}

static void begin(struct recorder *r, const struct insn *first)
{
	r->started = true;
	if (!machine_int(&r->machine, 0, r->before.x) || !machine_fp(&r->machine, 0, r->before.f))
		stop(r, "this QEMU does not let its registers be read");
	else if (put_header(r, first->pc) < 0)
		stop(r, cairn_error_text(r->cairn));
	r->state_x = ~1u;
	r->state_f = ~0u;
}

/* ---- QEMU's callbacks ---- */

static struct recorder the; /* a plugin is one program: QEMU hands some calls no pointer */

static void finish(struct recorder *r)
{
	if (!r->writer)
		return;
	if (!r->started) {
		stop(r, "no instruction was executed");
		return;
	}
	uint64_t others = atomic_load(&r->others);
	if (others || r->lost_accesses) {
		char text[160];
		int n = snprintf(text, sizeof text,
			"not recorded: %llu instructions of other threads, %u memory accesses "
			"beyond %d of one instruction",
			(unsigned long long)others, r->lost_accesses, ACCESSES);
		cairn_stf_put_comment(r->writer, text, (size_t)n);
	}
	if (cairn_stf_finish(r->writer) < 0)
		fprintf(stderr, "cairn recorder: %s\n", cairn_error_text(r->cairn));
	r->writer = NULL;
}

static void on_insn(unsigned vcpu, void *user)
{
	struct recorder *r = &the;
	const struct insn *in = user;
	if (vcpu != 0) {
		atomic_fetch_add(&r->others, 1);
		return;
	}
	if (!r->writer)
		return;
	if (r->current)
		finish_current(r, in);
	else
		begin(r, in);
	if (r->writer && r->count == r->max) {
		r->current = NULL;
		finish(r);
	}
	r->current = in;
	r->n_accesses = 0;
}

static void on_memory(unsigned vcpu, uint32_t info, uint64_t vaddr, void *user)
{
	(void)user;
	struct recorder *r = &the;
	if (vcpu != 0 || !r->writer)
		return;
	unsigned shift = qemu_plugin_mem_size_shift(info);
	if (r->n_accesses == ACCESSES || shift > 4) {
		r->lost_accesses++;
		return;
	}
	struct access *a = &r->accesses[r->n_accesses++];
	a->addr = vaddr;
	a->size = (uint8_t)(1u << shift);
	a->store = qemu_plugin_mem_is_store(info);
	machine_memory(&r->machine, vaddr, a->value, a->size);
}

/* The bytes of an instruction, by the version's way. */
static uint32_t encoding(const struct recorder *r, const struct qemu_plugin_insn *insn, size_t size)
{
	uint8_t bytes[4] = {0};
	void *p = dlsym(RTLD_DEFAULT, "qemu_plugin_insn_data");
	if (r->api >= 3) {
		size_t (*copy)(const struct qemu_plugin_insn *, void *, size_t);
		memcpy(&copy, &p, sizeof p);
		copy(insn, bytes, size);
	} else {
		const void *(*view)(const struct qemu_plugin_insn *);
		memcpy(&view, &p, sizeof p);
		memcpy(bytes, view(insn), size);
	}
	return base_le32(bytes);
}

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	struct recorder *r = &the;
	size_t n = qemu_plugin_tb_n_insns(tb);
	if (n > 1 && machine_needs_single_step(&r->machine)) {
		stop(r, "run this QEMU with -singlestep: otherwise registers would be stale");
		return;
	}
	for (size_t i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		struct insn *in = calloc(1, sizeof *in);
		size_t size = qemu_plugin_insn_size(insn);
		if (!in || (size != 2 && size != 4)) {
			free(in);
			stop(r, "an instruction cannot be recorded");
			return;
		}
		in->pc = qemu_plugin_insn_vaddr(insn);
		in->size = (uint8_t)size;
		in->enc = encoding(r, insn, size);
		rv_decode(in->enc, in->size, &in->op);
		in->chain = r->all;
		r->all = in;
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_insn, QEMU_CB_READ_REGS, in);
		qemu_plugin_register_vcpu_mem_cb(insn, on_memory, QEMU_CB_NO_REGS, QEMU_MEM_BOTH, in);
	}
}

static void on_exit_of_guest(qemu_plugin_id_t id, void *user)
{
	(void)id;
	struct recorder *r = user;
	if (r->writer && r->current)
		finish_current(r, NULL);
	finish(r);
	for (struct insn *in = r->all, *next; in; in = next) {
		next = in->chain;
		free(in);
	}
	r->all = NULL;
	r->current = NULL;
	cairn_free(r->cairn);
	r->cairn = NULL;
}

static int parse(struct recorder *r, int argc, char **argv, const char **out,
                 struct cairn_stf_write_opts *o)
{
	r->max = UINT64_MAX;
	for (int i = 0; i < argc; i++) {
		unsigned v[3] = {0, 0, 0};
		if (strncmp(argv[i], "out=", 4) == 0) {
			*out = argv[i] + 4;
		} else if (strncmp(argv[i], "max=", 4) == 0) {
			r->max = strtoull(argv[i] + 4, NULL, 0);
		} else if (strncmp(argv[i], "chunk=", 6) == 0) {
			o->chunk = (uint32_t)strtoul(argv[i] + 6, NULL, 0);
		} else if (sscanf(argv[i], "qemu=%3u.%3u.%3u", &v[0], &v[1], &v[2]) >= 2) {
			for (int k = 0; k < 3; k++)
				r->version[k] = (uint8_t)v[k];
		} else {
			fprintf(stderr, "cairn recorder: '%s' is none of out=FILE, max=N, chunk=N, qemu=X.Y.Z\n",
			        argv[i]);
			return -1;
		}
	}
	if (!*out || !r->max) {
		fprintf(stderr, "cairn recorder: out=FILE is needed, and max=N above 0\n");
		return -1;
	}
	return 0;
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_plugin_info *info, int argc,
                        char **argv)
{
	struct recorder *r = &the;
	const char *out = NULL;
	struct cairn_stf_write_opts opts = {.size = sizeof opts};
	if (parse(r, argc, argv, &out, &opts) < 0)
		return -1;
	if (info->system_emulation || strcmp(info->target_name, "riscv64") != 0) {
		fprintf(stderr, "cairn recorder: needs qemu-riscv64 in user mode, this is %s%s\n",
		        info->target_name, info->system_emulation ? " with a whole system" : "");
		return -1;
	}
	r->api = info->version.cur;
	const char *missing = machine_find(&r->machine);
	if (missing) {
		fprintf(stderr, "cairn recorder: this QEMU lacks %s\n", missing);
		return -1;
	}
	r->cairn = cairn_new(NULL);
	if (!r->cairn || cairn_stf_create(r->cairn, out, &opts, &r->writer) < 0) {
		fprintf(stderr, "cairn recorder: %s\n",
		        r->cairn ? cairn_error_text(r->cairn) : "out of memory");
		cairn_free(r->cairn);
		return -1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_atexit_cb(id, on_exit_of_guest, r);
	return 0;
}
