/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing the generated traces. Deliberately not the library's own writer: what
 * measures and tests the reader should not share its mistakes. The layout of a
 * .zstf: docs/formats/stf.md.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "base/bytes.h"
#include "generate.h"
#include "pack.h"

enum { HEAD = 20, ROW = 24 };

struct bench_pack {
	FILE *stf, *zstf;
	ZSTD_CCtx *zstd;
	uint8_t *comp, *index;
	size_t comp_cap, rows;
	uint64_t at; /* bytes of the .zstf so far */
	int failed;  /* errno of the first failure */
};

static void put(struct bench_pack *k, FILE *f, const void *data, size_t n)
{
	if (!k->failed && n && fwrite(data, 1, n, f) != n)
		k->failed = errno ? errno : EIO;
}

struct bench_pack *bench_pack_open(const char *stf, const char *zstf)
{
	struct bench_pack *k = calloc(1, sizeof *k);
	if (!k)
		return NULL;
	k->stf = fopen(stf, "wb");
	k->zstf = zstf ? fopen(zstf, "wb") : NULL;
	k->zstd = ZSTD_createCCtx();
	if (!k->stf || !k->zstd || (zstf && !k->zstf)) {
		int e = errno;
		k->failed = e;
		bench_pack_close(k);
		errno = e;
		return NULL;
	}
	uint8_t head[HEAD] = "ZSTF"; /* where the index is, is filled in at the end */
	base_put_le64(head + 4, BENCH_CHUNK);
	k->at = HEAD;
	if (zstf)
		put(k, k->zstf, head, sizeof head);
	ZSTD_CCtx_setParameter(k->zstd, ZSTD_c_compressionLevel, BENCH_LEVEL);
	ZSTD_CCtx_setParameter(k->zstd, ZSTD_c_contentSizeFlag, 0);
	return k;
}

static int grow(struct bench_pack *k, size_t n)
{
	size_t bound = ZSTD_compressBound(n);
	if (bound > k->comp_cap) {
		free(k->comp);
		k->comp = malloc(bound);
		k->comp_cap = k->comp ? bound : 0;
	}
	if (k->rows % 1024 == 0) {
		uint8_t *p = realloc(k->index, (k->rows + 1024) * ROW);
		if (!p)
			return -1;
		k->index = p;
	}
	return k->comp ? 0 : -1;
}

int bench_pack_chunk(struct bench_pack *k, const void *data, size_t n, uint64_t pc)
{
	put(k, k->stf, data, n);
	if (!k->zstf || k->failed)
		return k->failed ? -1 : 0;
	if (grow(k, n) < 0) {
		k->failed = ENOMEM;
		return -1;
	}
	size_t len = ZSTD_compress2(k->zstd, k->comp, k->comp_cap, data, n);
	if (ZSTD_isError(len)) {
		k->failed = EIO;
		return -1;
	}
	uint8_t *row = k->index + ROW * k->rows;
	base_put_le64(row, k->at);
	base_put_le64(row + 8, k->rows ? pc : 0);
	base_put_le64(row + 16, n);
	k->rows++;
	put(k, k->zstf, k->comp, len);
	k->at += len;
	return k->failed ? -1 : 0;
}

int bench_pack_close(struct bench_pack *k)
{
	uint8_t number[8];
	if (k->zstf && !k->failed) {
		base_put_le64(number, k->rows);
		put(k, k->zstf, number, sizeof number);
		put(k, k->zstf, k->index, k->rows * ROW);
		base_put_le64(number, k->at);
		if (fseek(k->zstf, 12, SEEK_SET) != 0)
			k->failed = errno;
		put(k, k->zstf, number, sizeof number);
	}
	if (k->stf && fclose(k->stf) != 0 && !k->failed)
		k->failed = errno;
	if (k->zstf && fclose(k->zstf) != 0 && !k->failed)
		k->failed = errno;
	int failed = k->failed;
	ZSTD_freeCCtx(k->zstd);
	free(k->comp);
	free(k->index);
	free(k);
	errno = failed;
	return failed ? -1 : 0;
}
