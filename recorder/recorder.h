/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDER_RECORDER_H
#define RECORDER_RECORDER_H
/*
 * What the recorder's files share: plugin.c hears from QEMU, insns.c knows the
 * instructions that were translated, tell.c writes the stream. One lock (plugin.c) is
 * held wherever anything here is touched.
 */
#include <stdatomic.h>

#include "base/bytes.h"
#include "recorder/machine.h"
#include "recorder/qemu_plugin.h"

enum { THREADS = 4096 };

/* One instruction as translated; the same encoding at the same place is the same one. */
struct insn {
	struct insn *chain;
	uint64_t pc;
	uint32_t enc, next_enc, id;
	uint8_t size;
	uint8_t old_bytes, old_base; /* of an atomic that keeps what it loads nowhere */
	bool defined, next_known, starts, stops;
	bool atomic;     /* one of QEMU's helpers runs it when there are several threads */
	bool compares;   /* such a one that stores only where it finds what it expects */
	bool combines;   /* such a one that stores something made of what it finds */
	bool resizes;    /* A64: may change the length of vectors */
	uint8_t besides; /* enum machine_may */
	bool again;      /* may run twice before it is done: a window has to be spilled first */
};

struct access {
	uint64_t addr, value[2], old;
	uint8_t size, kind;
};

struct thread {
	void *cpu;
	uint32_t number;            /* in the stream: QEMU's is used again when a thread ends */
	const struct insn *current; /* has run or is running, not told yet */
	unsigned n_accesses;
	struct access accesses[CAPTURE_MOST_ACCESSES];
	uint64_t old, old_addr; /* what is about to be replaced */
	bool has_old;
	bool known;                        /* regs holds what was told last */
	uint64_t regs[CAPTURE_MOST_WORDS]; /* machine_part.word */
};

enum phase { WAITING, RECORDING, DONE };

struct recorder {
	struct machine machine;
	int api, fd;
	struct capture_tail *tail;
	atomic_flag lock;
	bool want_regs, ended, parallel; /* parallel: there has been a second thread */
	bool blind;                      /* QEMU has no way to read registers */
	_Atomic unsigned phase;          /* enum phase */
	struct insn **table;
	size_t n_slots, n_insns;
	struct thread *threads[THREADS];
	uint32_t last, next_thread; /* the thread that was told last */
	uint32_t next_id, lost_accesses;
	uint64_t executed, recorded, before;
	uint64_t start, start_n, stop, stop_n, most, text, fixed;
	bool has_start, has_stop;
	bool cpu_told;
};

/* Is the thread about to run once more what it has not done yet? */
static inline bool recorder_again(const struct thread *thread, const struct insn *next)
{
	return thread->current && thread->current == next && next->again && thread->n_accesses == 0;
}

/* ---- insns.c ---- */

/* The one of these bytes at this place, made when it is new; NULL: no memory. */
struct insn *recorder_insn(struct recorder *recorder, const struct qemu_plugin_insn *insn,
                           size_t size);

/* ---- tell.c ---- */

/* An encoding at an address, before it is first told. */
void tell_define(struct recorder *recorder, struct insn *in);
/* The thread's current instruction. `next`: what it runs now; NULL: not known. `args`: of a
 * system call. */
void tell(struct recorder *recorder, struct thread *thread, const struct insn *next,
          const uint64_t *args);
/* The thread runs again, or for the first time: how its registers stand. */
void tell_state(struct recorder *recorder, struct thread *thread);
/* What every thread holds; what it did to registers is not known any more. */
void tell_open(struct recorder *recorder);
/* Nothing follows. `why`: enum capture_end. */
void tell_end(struct recorder *recorder, unsigned why);

#endif
