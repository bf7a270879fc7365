/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The limits. They know the generated traces and check nothing: no bounds, no
 * damage, no decoding. What is safe and says more takes longer; how much longer is
 * what the ratios tell.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zstd.h>

#include "base/bytes.h"
#include "cairn/stf.h"
#include "limits.h"

struct map {
	const uint8_t *p;
	size_t n;
};

static volatile uint64_t sink; /* so that what is computed is */

static int map_open(const char *path, struct map *map)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *p = MAP_FAILED;
	if (fd >= 0 && fstat(fd, &st) == 0)
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	if (p == MAP_FAILED) {
		fprintf(stderr, "bench: %s: %s\n", path, strerror(errno));
		return -1;
	}
	map->p = p;
	map->n = (size_t)st.st_size;
	madvise(p, map->n, MADV_SEQUENTIAL);
	return 0;
}

static void map_close(struct map *map)
{
	munmap((void *)(uintptr_t)map->p, map->n);
}

int bench_touch(const char *path)
{
	struct map map;
	uint64_t sum = 0;
	if (map_open(path, &map) < 0)
		return -1;
	for (size_t i = 0; i + 8 <= map.n; i += 64)
		sum += base_le64(map.p + i);
	sink = sum;
	map_close(&map);
	return 0;
}

int bench_copy(const char *path)
{
	enum { PIECE = 128 << 10 };
	struct map map;
	uint8_t *to = malloc(PIECE);
	if (!to || map_open(path, &map) < 0) {
		free(to);
		return -1;
	}
	for (size_t i = 0; i < map.n; i += PIECE) {
		memcpy(to, map.p + i, map.n - i < PIECE ? map.n - i : PIECE);
		sink = to[0];
	}
	map_close(&map);
	free(to);
	return 0;
}

int bench_newlines(const char *path, uint64_t *lines)
{
	struct map map;
	if (map_open(path, &map) < 0)
		return -1;
	const uint8_t *p = map.p, *end = p + map.n;
	*lines = 0;
	while (p < end && (p = memchr(p, '\n', (size_t)(end - p))) != NULL) {
		++*lines;
		p++;
	}
	map_close(&map);
	return 0;
}

/* ---- walking ---- */

struct walked {
	uint64_t pc;
	uint64_t by_record[256];
};

/* Bytes of the record at p. */
static size_t rare_length(const uint8_t *p)
{
	switch (*p) {
	case CAIRN_STF_IDENTIFIER:
		return 4;
	case CAIRN_STF_COMMENT:
	case CAIRN_STF_ISA_EXTENDED:
		return 5 + base_le32(p + 1);
	case CAIRN_STF_ISA:
	case CAIRN_STF_INST_IEM:
	case CAIRN_STF_INST_READY_REG:
		return 3;
	case CAIRN_STF_TRACE_INFO:
		return 7 + (size_t)base_le16(p + 5);
	case CAIRN_STF_PROCESS_ID_EXT:
		return 13;
	case CAIRN_STF_VLEN_CONFIG:
		return 5;
	case CAIRN_STF_END_HEADER:
		return 1;
	case CAIRN_STF_INST_REG:
		return 20; /* a vector of 128 bits */
	case CAIRN_STF_PAGE_TABLE_WALK:
		return 22 + 16 * (size_t)p[21];
	case CAIRN_STF_EVENT:
		return 10 + 8 * (size_t)p[9];
	case CAIRN_STF_INST_MICROOP:
		return 6;
	default:
		return 9;
	}
}

static void walk(const uint8_t *p, const uint8_t *end, struct walked *walked)
{
	uint64_t pc = walked->pc, target = 0;
	while (p < end) {
		walked->by_record[*p]++;
		switch (*p) {
		case CAIRN_STF_INST_32:
			pc = target ? target : pc + 4;
			target = 0;
			p += 5;
			break;
		case CAIRN_STF_INST_16:
			pc = target ? target : pc + 2;
			target = 0;
			p += 3;
			break;
		case CAIRN_STF_INST_PC_TARGET:
			target = base_le64(p + 1);
			p += 9;
			break;
		case CAIRN_STF_INST_MEM_ACCESS:
			p += 14;
			break;
		case CAIRN_STF_INST_MEM_CONTENT:
			p += 9;
			break;
		case CAIRN_STF_INST_REG:
			if ((p[3] & 15) != CAIRN_REG_VECTOR) {
				p += 12;
				break;
			}
			/* fallthrough */
		default:
			p += rare_length(p);
			break;
		}
	}
	walked->pc = pc;
}

static uint64_t walked_insns(const struct walked *walked)
{
	sink = walked->pc;
	return walked->by_record[CAIRN_STF_INST_32] + walked->by_record[CAIRN_STF_INST_16];
}

int bench_bare_walk(const char *path, uint64_t *insns)
{
	struct map map;
	struct walked walked = {0};
	if (map_open(path, &map) < 0)
		return -1;
	walk(map.p, map.p + map.n, &walked);
	*insns = walked_insns(&walked);
	map_close(&map);
	return 0;
}

/* ---- flat arrays ---- */

enum { FLAT_INSNS = 1024, FLAT_ROWS = 16384 };

struct flat {
	uint32_t n, n_regs, n_mems;
	uint64_t pc[FLAT_INSNS], target[FLAT_INSNS];
	uint32_t enc[FLAT_INSNS], reg0[FLAT_INSNS], mem0[FLAT_INSNS];
	uint8_t size[FLAT_INSNS], taken[FLAT_INSNS];
	uint64_t reg[FLAT_ROWS], addr[FLAT_ROWS], value[FLAT_ROWS];
	uint16_t reg_num[FLAT_ROWS], mem_size[FLAT_ROWS];
	uint8_t reg_kind[FLAT_ROWS], mem_kind[FLAT_ROWS];
};

static inline uint64_t flat_insn(struct flat *flat, uint64_t pc, uint64_t *target, uint32_t enc,
                                 uint8_t size)
{
	uint32_t i = flat->n++;
	flat->pc[i] = pc;
	flat->enc[i] = enc;
	flat->size[i] = size;
	flat->target[i] = *target;
	flat->taken[i] = *target != 0;
	flat->reg0[i] = flat->n_regs;
	flat->mem0[i] = flat->n_mems;
	pc = *target ? *target : pc + size;
	*target = 0;
	return pc;
}

/* A thousand are full, or the rest is used up. */
static void flat_empty(struct flat *flat, uint64_t *insns)
{
	*insns += flat->n;
	sink = (uint32_t)(flat->pc[0] + flat->value[0] + flat->reg[0]);
	flat->n = flat->n_regs = flat->n_mems = 0;
}

static void flat_walk(const uint8_t *p, const uint8_t *end, struct flat *flat, uint64_t *insns)
{
	uint64_t pc = 0, target = 0;
	while (p < end) {
		switch (*p) {
		case CAIRN_STF_INST_32:
			pc = flat_insn(flat, pc, &target, base_le32(p + 1), 4);
			p += 5;
			break;
		case CAIRN_STF_INST_16:
			pc = flat_insn(flat, pc, &target, base_le16(p + 1), 2);
			p += 3;
			break;
		case CAIRN_STF_INST_PC_TARGET:
			target = base_le64(p + 1);
			p += 9;
			continue;
		case CAIRN_STF_INST_MEM_ACCESS:
			flat->addr[flat->n_mems] = base_le64(p + 1);
			flat->mem_size[flat->n_mems] = base_le16(p + 9);
			flat->mem_kind[flat->n_mems++] = p[13];
			p += 14;
			continue;
		case CAIRN_STF_INST_MEM_CONTENT:
			flat->value[flat->n_mems ? flat->n_mems - 1 : 0] = base_le64(p + 1);
			p += 9;
			continue;
		case CAIRN_STF_INST_REG:
			if ((p[3] & 15) != CAIRN_REG_VECTOR) {
				flat->reg_num[flat->n_regs] = base_le16(p + 1);
				flat->reg_kind[flat->n_regs] = p[3];
				flat->reg[flat->n_regs++] = base_le64(p + 4);
				p += 12;
				continue;
			}
			/* fallthrough */
		default:
			p += rare_length(p);
			continue;
		}
		if (flat->n == FLAT_INSNS || flat->n_regs > FLAT_ROWS / 2 || flat->n_mems > FLAT_ROWS / 2)
			flat_empty(flat, insns);
	}
	flat_empty(flat, insns);
}

int bench_flat_arrays(const char *path, uint64_t *insns)
{
	struct map map;
	struct flat *flat = calloc(1, sizeof *flat);
	*insns = 0;
	if (!flat || map_open(path, &map) < 0) {
		free(flat);
		return -1;
	}
	flat_walk(map.p, map.p + map.n, flat, insns);
	map_close(&map);
	free(flat);
	return 0;
}

/* ---- chunks ---- */

struct chunks {
	struct map map;
	const uint8_t *index;
	uint64_t count, next, end;
	int walk, failed;
	uint64_t insns;
};

static void *chunk_worker(void *arg)
{
	struct chunks *chunks = arg;
	struct walked walked = {0};
	ZSTD_DCtx *zstd = ZSTD_createDCtx();
	size_t cap = 0;
	uint8_t *buf = NULL;
	for (;;) {
		uint64_t i = __atomic_fetch_add(&chunks->next, 1, __ATOMIC_RELAXED);
		if (i >= chunks->count)
			break;
		const uint8_t *row = chunks->index + 24 * i;
		uint64_t from = base_le64(row),
				 to = i + 1 < chunks->count ? base_le64(row + 24) : chunks->end;
		size_t size = base_le64(row + 16);
		if (size > cap) {
			free(buf);
			cap = size + size / 4;
			buf = malloc(cap);
		}
		size_t n = buf ? ZSTD_decompressDCtx(zstd, buf, cap, chunks->map.p + from, to - from) : 0;
		if (n != size)
			__atomic_store_n(&chunks->failed, 1, __ATOMIC_RELAXED);
		else if (chunks->walk)
			walk(buf, buf + n, &walked);
	}
	__atomic_fetch_add(&chunks->insns, walked_insns(&walked), __ATOMIC_RELAXED);
	ZSTD_freeDCtx(zstd);
	free(buf);
	return NULL;
}

int bench_bare_chunks(const char *path, unsigned threads, int walk_too, uint64_t *insns)
{
	struct chunks chunks = {.walk = walk_too};
	pthread_t other[8];
	unsigned started = 0;
	if (map_open(path, &chunks.map) < 0)
		return -1;
	chunks.end = base_le64(chunks.map.p + 12);
	chunks.index = chunks.map.p + chunks.end + 8;
	chunks.count = base_le64(chunks.map.p + chunks.end);
	while (started + 1 < threads && started < 8 &&
	       pthread_create(&other[started], NULL, chunk_worker, &chunks) == 0)
		started++;
	chunk_worker(&chunks);
	for (unsigned i = 0; i < started; i++)
		pthread_join(other[i], NULL);
	*insns = chunks.insns;
	map_close(&chunks.map);
	if (chunks.failed)
		fprintf(stderr, "bench: %s: a chunk does not decompress\n", path);
	return chunks.failed ? -1 : 0;
}
