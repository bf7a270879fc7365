/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_CAPTURE_H
#define CMD_CAPTURE_H
/* A program that runs in QEMU and tells what it does, as a stream of a capture. */
#include <stdbool.h>
#include <sys/types.h>

#include "base/base.h"
#include "cmd.h"

struct capture_tail;

struct qemu {
	/* the program */
	char program[4096];     /* its file */
	const char *arch;       /* QEMU's name: "riscv64" */
	const char *isa_string; /* STF's */
	uint8_t isa;            /* enum cairn_isa */
	uint64_t text;          /* where its file has its code */
	char interpreter[256];  /* of a dynamic one */
	/* QEMU */
	char path[4096], plugin[4096], sysroot[4096];
	uint8_t version[3];
	/* running */
	pid_t pid;  /* 0: not */
	int status; /* of waitpid, once it has ended */
	int pipe;
	struct capture_tail *tail;
	uint64_t came; /* bytes through the pipe */
	bool pipe_ended;
	struct base_buf header; /* what goes first; taken up to */
	size_t header_at;
};

/* Where recording begins and ends; `at` holds addresses, `n` numbers. */
struct capture_range {
	bool has_start, has_stop, start_fixed, stop_fixed;
	uint64_t start, stop, start_n, stop_n, most;
};

/* Find out what the file is, and what runs it. 0, or -1 after a sentence. */
int qemu_find(struct qemu *qemu, const struct options *options);
/* Run it: its standard output is standard error if `quiet_out`. 0, or -1 after a sentence. */
int qemu_start(struct qemu *qemu, const struct options *options, const struct capture_range *range,
               bool quiet_out);
/* A cairn_read_fn: the header, then what the plugin tells. */
int64_t qemu_read(void *user, void *buf, size_t n);
/* Wait for its end; it is ended first if `end`. */
void qemu_wait(struct qemu *qemu, bool end);
void qemu_free(struct qemu *qemu);
/* A signal asked cairn itself to end, and so the program: its number, or 0. */
int qemu_interrupted(void);

#endif
