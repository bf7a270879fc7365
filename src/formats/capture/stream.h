/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_STREAM_H
#define CAPTURE_STREAM_H
/*
 * What the QEMU plugin tells the command while a program runs (docs/formats/capture.md).
 * Both sides include this file; it needs nothing else of cairn, so that the plugin does
 * not need the library.
 *
 * Everything is little endian and a multiple of 8 bytes. A header, made by who starts
 * QEMU, then records; a record's first byte is its type. The plugin knows of no
 * instruction set but where QEMU keeps its registers: it sends what changed, and what
 * that means is found out where the stream is read.
 */
#include <stdint.h>

#define CAPTURE_MAGIC "CAIRNCAP"
enum { CAPTURE_VERSION = 1, CAPTURE_HEADER = 24 }; /* and as many bytes of facts as it says */

enum capture_flag { CAPTURE_REGISTERS = 1 };

/* The header: magic, u16 version, u8 isa (enum cairn_isa), u8 enum capture_flag,
 * u8 QEMU's version[3], u8 0, u32 bytes of facts, u32 0; facts: lines "key: text". */

enum capture_type {
	/* An encoding at an address, before the first EXEC of it: u8 bytes, u8 whether the next
	 * word of memory is known, u8 0, u32 id (0, 1, 2 …), u64 pc, u32 encoding, u32 next word */
	CAPTURE_DEF = 1,
	/* The current thread executed: u8 registers, u8 accesses, u8 enum capture_exec, u32 id;
	 * registers, accesses, then what the flags say */
	CAPTURE_EXEC = 2,
	/* Registers of the current thread, changed by no instruction of its: u8 registers,
	 * u8 0[6]; the registers */
	CAPTURE_STATE = 3,
	/* Who executes from here on: u8 0[3], u32 thread */
	CAPTURE_THREAD = 4,
	/* Nothing follows: u8 enum capture_end, u8 0[2], u32 accesses that were too many for
	 * their instruction, u64 instructions that ran before recording began */
	CAPTURE_END = 5
};

/* Registers: their numbers, a byte each, padded to 8 bytes; then their values, words of 8
 * bytes, the least significant first. */

/* An access: u8 enum capture_access, u8 bytes (1 to 16), u8 0[6]; u64 address; the bytes in
 * memory after it, in their order, padded to 8; with OLD likewise up to 8 of those before.
 * With MOVED they are what the access read or wrote, whatever memory holds meanwhile; with
 * OPERAND, too, what an atomic combined with what it had read. */
enum capture_access {
	CAPTURE_READ = 1,
	CAPTURE_WRITE = 2,
	CAPTURE_VALUE = 4,
	CAPTURE_OLD = 8,
	CAPTURE_MOVED = 16,
	CAPTURE_OPERAND = 32
};
static inline unsigned capture_access_length(const uint8_t *p)
{
	return (p[1] > 8 ? 32u : 24u) + (p[0] & CAPTURE_OLD ? 8u : 0u);
}

enum capture_exec {
	CAPTURE_NEXT = 1,    /* u64 pc of what the thread executes next; else what follows */
	CAPTURE_SYSCALL = 2, /* it was a system call: u64 its number and 6 arguments */
	CAPTURE_OPEN = 4     /* the last one of its thread: whether it was done is not known */
};
enum { CAPTURE_ARGS = 6 };

enum capture_end { CAPTURE_EXITED = 0, CAPTURE_STOPPED = 1, CAPTURE_FAILED = 2 };

/* Numbers of registers, for every set: 0 to 31 are its integer registers (A64's 31 is SP,
 * SPARC's the window in force), 32 to 63 floating point (of 16 bytes for A64; the doubles
 * of SPARC), then the flags (NZCV, 4 bits; CCR, 8) and SPARC's %y. */
enum { CAPTURE_FP = 32, CAPTURE_FLAGS = 64, CAPTURE_Y = 65, CAPTURE_REGS = 66 };

enum { CAPTURE_MOST_ACCESSES = 64, CAPTURE_THREADS = 1 << 16 };
/* No record is longer. */
enum { CAPTURE_MOST = 8 + 72 + 16 * CAPTURE_REGS + 40 * CAPTURE_MOST_ACCESSES + 8 + 8 * 7 };

/* What the plugin has not written to the pipe yet, in memory shared with who reads: so
 * that nothing is lost however the program ends. `data` begins at byte `base` of the
 * stream (of the records: the header is not counted). */
enum { CAPTURE_BUFFER = 1 << 18 };
struct capture_tail {
	uint64_t base, used;
	uint8_t data[CAPTURE_BUFFER];
};

#endif
