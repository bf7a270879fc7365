/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAIRN_CAPTURE_H
#define CAIRN_CAPTURE_H
/*
 * Recording a program while it runs: QEMU's user mode runs it, a plugin in QEMU tells what it
 * does, and that is written as a trace of any format that cairn_create writes.
 *
 * The program is one for Linux on RISC-V (64 or 32 bits), AArch64 or SPARC V9. Its standard input,
 * output and environment are the caller's. The caller's process gets a child and waits for it.
 */
#include "cairn/base.h"
#include "cairn/change.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What to record. */
struct cairn_capture_opts {
	size_t size;             /* sizeof(struct cairn_capture_opts) */
	const char *const *argv; /* the program, as a shell would find it, and its arguments */
	size_t argc;             /* at least 1 */
	const char *qemu;        /* QEMU, as a shell would find it; NULL: qemu-ARCH */
	const char *sysroot;     /* folder of its shared libraries; NULL: QEMU_LD_PREFIX, or where the
	                          * distribution has them */
	/* Where recording begins and ends: "@symbol", "@symbol+0x10", "0xADDRESS" or the number of an
	 * instruction of the program, from 1; `stop` also "+N", after N recorded ones. Before the
	 * place, or after the instruction of that number. NULL: from its first to its last. */
	const char *start, *stop;
	uint8_t no_regs;    /* no registers: about twice as fast */
	uint8_t out_to_err; /* its standard output goes to standard error */
	/* Looked at several times a second: when it is not zero the program is asked to end
	 * (SIGTERM), and the trace ends with it. May be set by a handler of a signal. NULL: never. */
	const volatile int *interrupt;
	/* Called with sentences that begin with the program's name: how it ended, if not with status 0
	 * (`minor` is 1 then), what was lost, and what was kept. NULL: never. */
	void (*note)(void *user, int minor, const char *sentence);
	void *user;
	int *status; /* gets how the program ended, as waitpid tells it; may be NULL */
	/* Gets the path of the part that was kept when the disk was full (cairn_finish_or_keep), ""
	 * when the output is complete. May be NULL. */
	char *kept;
	size_t kept_size; /* bytes of `kept`; PATH_MAX is enough */
	/* QEMU's CPU and its features ("rv64,v=true,vlen=256"). NULL: the same one with every QEMU,
	 * which has no vectors but A64's V. */
	const char *cpu;
};

/* Run a program and record it. 0; 1 when there is a trace, but not of all that was to be recorded,
 * because QEMU was killed or the output could not grow; else there is no trace. `done` is as for
 * cairn_convert.
 * Errors: CAIRN_E_NOTFOUND (the program, QEMU, its plugin, a symbol; nothing was recorded),
 * CAIRN_E_UNSUPPORTED (a program for another machine, a QEMU without plugins), CAIRN_E_INVAL,
 * CAIRN_E_IO, and those of cairn_create and cairn_put. */
CAIRN_API int cairn_capture(struct cairn *cairn, const struct cairn_capture_opts *opts,
                            const struct cairn_output *output, struct cairn_changed *done);

#ifdef __cplusplus
}
#endif
#endif
