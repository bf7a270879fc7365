/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_PROGRAM_H
#define BENCH_PROGRAM_H
/*
 * A synthetic RISC-V program: what the generated traces are traces of.
 */
#include <stdbool.h>
#include <stdint.h>

enum bench_op {
	BENCH_PLAIN,
	BENCH_LOAD,
	BENCH_STORE,
	BENCH_BRANCH, /* forward, taken now and then */
	BENCH_LOOP,   /* backward, taken for a number of trips */
	BENCH_JUMP,
	BENCH_CALL,
	BENCH_CALL_ANY, /* through a register, to any function */
	BENCH_RETURN,
	BENCH_TRAP_RETURN
};

/* How a load or store moves through memory. */
enum bench_walk { BENCH_STRIDE, BENCH_STACK, BENCH_POINTER };

/* One static instruction. The next one in the array is the next one in memory.
 * Registers: 0 none, 1 … 31 integer, 33 … 63 floating point. */
struct bench_site {
	uint64_t pc;
	uint64_t base; /* accesses: where; the lowest address */
	uint32_t enc;
	uint32_t next; /* site reached when taken */
	uint32_t at, stride, window;
	uint32_t left;  /* loop: trips still to go */
	uint16_t trips; /* loop: at most; branch: taken how often of 256 */
	uint8_t size, op, walk, mem_size;
	uint8_t src[2], dst;
	uint8_t level; /* of its function */
};

/* Function 0 calls the others; a function of a level those of the next. */
enum {
	BENCH_LEVELS = 5,
	BENCH_PER_LEVEL = 19,
	BENCH_FUNCTIONS = 1 + BENCH_LEVELS * BENCH_PER_LEVEL,
	BENCH_SITES = 10496
};

struct bench_program {
	uint64_t random;
	uint32_t n;                      /* sites */
	uint32_t entry[BENCH_FUNCTIONS]; /* first site of a function; 0 never returns */
	uint32_t handler;                /* the trap handler, outside the functions */
	struct bench_site site[BENCH_SITES];
};

/* The same program for the same seed. */
void bench_program_make(struct bench_program *program, uint64_t seed);

static inline uint64_t bench_random(uint64_t *state)
{
	uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
	return x ^ x >> 32;
}

/* 0 … n-1; n is small. */
static inline uint32_t bench_below(uint64_t *state, uint32_t n)
{
	return (uint32_t)((bench_random(state) >> 32) * n >> 32);
}

#endif
