/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_QEMU_H
#define CAPTURE_QEMU_H
/* A program that runs in QEMU, and what it does as a stream of a capture. */
#include <sys/types.h>

#include "base/base.h"
#include "cairn/capture.h"

struct capture_tail;

struct qemu {
	struct cairn *cairn;
	const struct cairn_capture_opts *opts;
	/* the program */
	char program[4096]; /* its file */
	const char *arch;   /* QEMU's name: "riscv64" */
	bool riscv;
	uint8_t isa;           /* enum cairn_isa */
	uint64_t text;         /* where its file has its code */
	char interpreter[256]; /* of a dynamic one */
	/* QEMU */
	char path[4096], plugin[4096], sysroot[4096];
	uint8_t version[3];
	/* running */
	pid_t pid;  /* 0: not */
	int status; /* of waitpid, once it has ended */
	int pipe;
	bool asked; /* to end */
	struct capture_tail *tail;
	uint64_t came; /* bytes through the pipe */
	bool pipe_ended;
	struct base_buf header; /* what goes first; taken up to */
	size_t header_at;
};

/* Where recording begins and ends: addresses, and (…_n, most) numbers of instructions. */
struct capture_range {
	bool has_start, has_stop, start_fixed, stop_fixed;
	uint64_t start, stop, start_n, stop_n, most;
};

/* STF's words for what the CPU of a RISC-V program has. False: it is not known. */
bool qemu_isa_string(const struct qemu *qemu, bool vectors, char *text, size_t size);
/* Find out what the file is, and what runs it. 0 or a status. */
int qemu_find(struct qemu *qemu);
/* Run it. 0 or a status. */
int qemu_start(struct qemu *qemu, const struct capture_range *range);
/* A cairn_read_fn: the header, then what the plugin tells. */
int64_t qemu_read(void *user, void *buf, size_t n);
/* Wait for the program's end; with `end`, end it first. */
void qemu_wait(struct qemu *qemu, bool end);
void qemu_free(struct qemu *qemu);

#endif
