/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_STREAM_H
#define CAPTURE_STREAM_H
/*
 * What the QEMU plugin tells the command while a program runs (docs/formats/capture.md).
 * Both sides include this file; beside base/record.h it needs nothing else of cairn, so that the
 * plugin does not need the library.
 *
 * Everything is little endian and a multiple of 8 bytes. A header, made by who starts
 * QEMU, then records; a record's first byte is its type. The plugin knows of no
 * instruction set but where QEMU keeps its registers: it sends what changed, and what
 * that means is found out where the stream is read.
 */
#include <stdbool.h>

#include "base/record.h"

#define CAPTURE_MAGIC "CAIRNCAP"
enum { CAPTURE_VERSION = 2 };

enum capture_flag { CAPTURE_REGISTERS = 1 };

/* enum capture_type, by numbers. From the lists of fields (base/record.h) come
 * CAPTURE_LEN_DEF, capture_DEF_id(p) … */
#define CAPTURE_RECORDS(R) R(1, DEF) R(2, EXEC) R(3, STATE) R(4, THREAD) R(5, END) R(6, CPU)

/* The facts follow. */
#define CAPTURE_FIELDS_HEADER(F, A, ...) \
	A(__VA_ARGS__, magic, 8, 1, "`CAIRNCAP`") \
	F(__VA_ARGS__, version, 2, "2") \
	F(__VA_ARGS__, isa, 1, "instruction set (`enum cairn_isa`)") \
	F(__VA_ARGS__, flags, 1, "1: registers are told") \
	A(__VA_ARGS__, qemu, 3, 1, "QEMU's version") \
	F(__VA_ARGS__, zero, 1, "0") \
	F(__VA_ARGS__, facts, 4, "bytes of facts that follow") \
	F(__VA_ARGS__, zero2, 4, "0")
#define CAPTURE_FIELDS_DEF(F, A, ...) \
	F(__VA_ARGS__, type, 1, "1") \
	F(__VA_ARGS__, bytes, 1, "bytes of the encoding: 2 or 4") \
	F(__VA_ARGS__, next_known, 1, "whether the next word is known") \
	F(__VA_ARGS__, zero, 1, "0") \
	F(__VA_ARGS__, id, 4, "its number: 0, 1, 2 …") \
	F(__VA_ARGS__, pc, 8, "address") \
	F(__VA_ARGS__, encoding, 4, "encoding") \
	F(__VA_ARGS__, next, 4, "the next word: the one in a delay slot, should it be annulled")
/* Registers, accesses, the next address and the system call follow. */
#define CAPTURE_FIELDS_EXEC(F, A, ...) \
	F(__VA_ARGS__, type, 1, "2") \
	F(__VA_ARGS__, registers, 1, "number of registers that changed") \
	F(__VA_ARGS__, accesses, 1, "number of accesses, modulo 256") \
	F(__VA_ARGS__, flags, 1, "1, 2, 4, as above; the upper five bits: accesses / 256") \
	F(__VA_ARGS__, id, 4, "number of the DEF that was executed")
/* The registers follow. */
#define CAPTURE_FIELDS_STATE(F, A, ...) \
	F(__VA_ARGS__, type, 1, "3") \
	F(__VA_ARGS__, registers, 1, "number of registers") \
	A(__VA_ARGS__, zero, 6, 1, "0")
#define CAPTURE_FIELDS_THREAD(F, A, ...) \
	F(__VA_ARGS__, type, 1, "4") \
	A(__VA_ARGS__, zero, 3, 1, "0") \
	F(__VA_ARGS__, thread, 4, "thread whose records follow; 0 at the beginning")
#define CAPTURE_FIELDS_END(F, A, ...) \
	F(__VA_ARGS__, type, 1, "5") \
	F(__VA_ARGS__, why, 1, \
	  "0 the program exited, 1 `--stop`, 2 registers could not be read, 3 the length of vectors " \
	  "changed") \
	F(__VA_ARGS__, zero, 2, "0") \
	F(__VA_ARGS__, lost, 4, "accesses that were too many for their instruction") \
	F(__VA_ARGS__, before, 8, "instructions that ran before `--start`")
#define CAPTURE_FIELDS_CPU(F, A, ...) \
	F(__VA_ARGS__, type, 1, "6") \
	F(__VA_ARGS__, missing, 1, "registers that could not be found: 1, 2, 4, as above") \
	F(__VA_ARGS__, vector, 2, "bytes of a vector register; 0: there are none") \
	F(__VA_ARGS__, zero, 4, "0")
/* Of an instruction; the bytes follow. */
#define CAPTURE_FIELDS_ACCESS(F, A, ...) \
	F(__VA_ARGS__, kind, 1, "1, 2, 4, 8, 16, 32, as above") \
	F(__VA_ARGS__, bytes, 1, "how many, 1 to 16") \
	A(__VA_ARGS__, zero, 6, 1, "0") \
	F(__VA_ARGS__, address, 8, "address")

#define CAPTURE_TYPE(number, name) CAPTURE_##name = number,
enum capture_type { CAPTURE_RECORDS(CAPTURE_TYPE) };
#undef CAPTURE_TYPE

BASE_RECORD(capture, CAPTURE, HEADER)
BASE_RECORD(capture, CAPTURE, ACCESS)
/* capture_begin_DEF(p) … : all fields but the type are 0. Where its fields end. */
#define CAPTURE_RECORD(number, name) \
	BASE_RECORD(capture, CAPTURE, name) \
	static inline uint8_t *capture_begin_##name(uint8_t *p) \
	{ \
		memset(p, 0, CAPTURE_LEN_##name); \
		capture_put_##name##_type(p, number); \
		return p + CAPTURE_LEN_##name; \
	}
CAPTURE_RECORDS(CAPTURE_RECORD)
#undef CAPTURE_RECORD

/* What every record begins with. */
static inline uint8_t capture_type(const uint8_t *p)
{
	return capture_THREAD_type(p);
}

/* Bytes of `n` numbers of registers, a byte each, padded; the values follow, words of 8 bytes,
 * the least significant first. */
static inline size_t capture_numbers_length(unsigned n)
{
	return (n + 7u) & ~7u;
}

/* The bytes of an access are those in memory after it, in their order, padded to 8; with OLD
 * likewise up to 8 of those before. With MOVED they are what the access read or wrote, whatever
 * memory holds meanwhile; with OPERAND, too, what an atomic combined with what it had read. */
enum capture_access {
	CAPTURE_READ = 1,
	CAPTURE_WRITE = 2,
	CAPTURE_VALUE = 4,
	CAPTURE_OLD = 8,
	CAPTURE_MOVED = 16,
	CAPTURE_OPERAND = 32
};
static inline const uint8_t *capture_access_value(const uint8_t *p)
{
	return p + CAPTURE_LEN_ACCESS;
}
/* Bytes that the value takes. */
static inline unsigned capture_value_length(unsigned bytes)
{
	return bytes > 8 ? 16 : 8;
}
static inline const uint8_t *capture_access_old(const uint8_t *p)
{
	return capture_access_value(p) + capture_value_length(capture_ACCESS_bytes(p));
}
static inline unsigned capture_access_length(const uint8_t *p)
{
	return CAPTURE_LEN_ACCESS + capture_value_length(capture_ACCESS_bytes(p)) +
	       (capture_ACCESS_kind(p) & CAPTURE_OLD ? 8 : 0);
}

enum capture_exec {
	CAPTURE_NEXT = 1,    /* u64 pc of what the thread executes next; else what follows */
	CAPTURE_SYSCALL = 2, /* it was a system call: u64 its number and 6 arguments */
	CAPTURE_OPEN = 4     /* the last one of its thread: whether it was done is not known */
};
enum { CAPTURE_ARGS = 6, CAPTURE_MANY = 8, CAPTURE_BLOCK = 256 };
/* Accesses of an EXEC: a vector instruction has one for each element. */
static inline unsigned capture_accesses(const uint8_t *p)
{
	return capture_EXEC_accesses(p) +
	       capture_EXEC_flags(p) / CAPTURE_MANY * (unsigned)CAPTURE_BLOCK;
}
static inline void capture_put_accesses(uint8_t *p, unsigned n, unsigned flags)
{
	capture_put_EXEC_accesses(p, (uint8_t)(n % CAPTURE_BLOCK));
	capture_put_EXEC_flags(p, (uint8_t)(flags + n / CAPTURE_BLOCK * CAPTURE_MANY));
}

/* Registers that the recorder did not find with certainty. */
enum capture_missing {
	CAPTURE_NO_FLOAT_CONTROL = 1,
	CAPTURE_NO_VECTORS = 2, /* nor those that control them */
	CAPTURE_NO_CONTROL = 4  /* others */
};

enum capture_end {
	CAPTURE_EXITED = 0,
	CAPTURE_STOPPED = 1,
	CAPTURE_FAILED = 2,
	CAPTURE_RESIZED = 3
};

/* Numbers of registers, for every set: 0 to 31 are its integer registers (A64's 31 is SP, SPARC's
 * the window in force), 32 to 63 floating point (A64's vectors, SPARC's doubles), then the flags
 * (NZCV, 4 bits; CCR, 8), SPARC's %y, and registers that control the machine. Behind them RISC-V's vectors and A64's predicates, of which the last is
 * FFR. */
enum {
	CAPTURE_FP = 32,
	CAPTURE_FLAGS = 64,
	CAPTURE_Y = 65,
	CAPTURE_CONTROL = 66,
	CAPTURE_VECTOR = 80,
	CAPTURE_PREDICATE = 112,
	CAPTURE_REGS = 129
};
/* What controls the machine, by set: CSRs, system registers, and ancillary state registers. */
enum capture_control {
	CAPTURE_FFLAGS = CAPTURE_CONTROL,
	CAPTURE_FRM,
	CAPTURE_VSTART,
	CAPTURE_VXSAT,
	CAPTURE_VXRM,
	CAPTURE_VL,
	CAPTURE_VTYPE,
	CAPTURE_FPSR = CAPTURE_CONTROL,
	CAPTURE_FPCR,
	CAPTURE_FSR = CAPTURE_CONTROL,
	CAPTURE_FPRS,
	CAPTURE_ASI
};

/* Words of 8 bytes that a register's value takes. `wide`: A64. `vector`: bytes of a vector register,
 * 0: there are none, or of A64 none beyond V. A predicate has a bit for each byte. */
static inline unsigned capture_register_words(bool wide, unsigned vector, unsigned num)
{
	if (num >= CAPTURE_FP && num < CAPTURE_FLAGS && wide)
		return vector ? vector / 8 : 2;
	if (num >= CAPTURE_VECTOR && num < CAPTURE_PREDICATE)
		return vector ? vector / 8 : 1;
	return num >= CAPTURE_PREDICATE && vector ? (vector + 63) / 64 : 1;
}

/* Vectors of at most so many bytes; elements of eight such registers; a thread's number. Words of
 * all registers: 16 predicates and FFR have at most 4 each. */
enum {
	CAPTURE_MOST_VECTOR = 256,
	CAPTURE_MOST_ACCESSES = 2048,
	CAPTURE_THREADS = 1 << 16,
	CAPTURE_MOST_WORDS = CAPTURE_VECTOR + 32 * CAPTURE_MOST_VECTOR / 8 + 17 * 4
};
/* No record is longer. */
enum {
	CAPTURE_MOST = CAPTURE_LEN_EXEC + CAPTURE_REGS + 7 + 8 * CAPTURE_MOST_WORDS +
	               (CAPTURE_LEN_ACCESS + 24) * CAPTURE_MOST_ACCESSES + 8 + 8 * (1 + CAPTURE_ARGS)
};

/* What the plugin has not written to the pipe yet, in memory shared with the process that reads, so
 * that nothing is lost however the program ends. `data` begins at byte `base` of the stream (of its
 * records: the header does not count). */
enum { CAPTURE_BUFFER = 1 << 18 };
struct capture_tail {
	uint64_t base, used;
	uint8_t data[CAPTURE_BUFFER];
};

#endif
