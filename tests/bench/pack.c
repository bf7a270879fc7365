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

static void put(struct bench_pack *pack, FILE *file, const void *data, size_t n)
{
	if (!pack->failed && n && fwrite(data, 1, n, file) != n)
		pack->failed = errno ? errno : EIO;
}

struct bench_pack *bench_pack_open(const char *stf, const char *zstf)
{
	struct bench_pack *pack = calloc(1, sizeof *pack);
	if (!pack)
		return NULL;
	pack->stf = fopen(stf, "wb");
	pack->zstf = zstf ? fopen(zstf, "wb") : NULL;
	pack->zstd = ZSTD_createCCtx();
	if (!pack->stf || !pack->zstd || (zstf && !pack->zstf)) {
		int e = errno;
		pack->failed = e;
		bench_pack_close(pack);
		errno = e;
		return NULL;
	}
	uint8_t head[HEAD] = "ZSTF"; /* where the index is, is filled in at the end */
	base_put_le64(head + 4, BENCH_CHUNK);
	pack->at = HEAD;
	if (zstf)
		put(pack, pack->zstf, head, sizeof head);
	ZSTD_CCtx_setParameter(pack->zstd, ZSTD_c_compressionLevel, BENCH_LEVEL);
	ZSTD_CCtx_setParameter(pack->zstd, ZSTD_c_contentSizeFlag, 0);
	return pack;
}

static int grow(struct bench_pack *pack, size_t n)
{
	size_t bound = ZSTD_compressBound(n);
	if (bound > pack->comp_cap) {
		free(pack->comp);
		pack->comp = malloc(bound);
		pack->comp_cap = pack->comp ? bound : 0;
	}
	if (pack->rows % 1024 == 0) {
		uint8_t *p = realloc(pack->index, (pack->rows + 1024) * ROW);
		if (!p)
			return -1;
		pack->index = p;
	}
	return pack->comp ? 0 : -1;
}

int bench_pack_chunk(struct bench_pack *pack, const void *data, size_t n, uint64_t pc)
{
	put(pack, pack->stf, data, n);
	if (!pack->zstf || pack->failed)
		return pack->failed ? -1 : 0;
	if (grow(pack, n) < 0) {
		pack->failed = ENOMEM;
		return -1;
	}
	size_t len = ZSTD_compress2(pack->zstd, pack->comp, pack->comp_cap, data, n);
	if (ZSTD_isError(len)) {
		pack->failed = EIO;
		return -1;
	}
	uint8_t *row = pack->index + ROW * pack->rows;
	base_put_le64(row, pack->at);
	base_put_le64(row + 8, pack->rows ? pc : 0);
	base_put_le64(row + 16, n);
	pack->rows++;
	put(pack, pack->zstf, pack->comp, len);
	pack->at += len;
	return pack->failed ? -1 : 0;
}

int bench_pack_close(struct bench_pack *pack)
{
	uint8_t number[8];
	if (pack->zstf && !pack->failed) {
		base_put_le64(number, pack->rows);
		put(pack, pack->zstf, number, sizeof number);
		put(pack, pack->zstf, pack->index, pack->rows * ROW);
		base_put_le64(number, pack->at);
		if (fseek(pack->zstf, 12, SEEK_SET) != 0)
			pack->failed = errno;
		put(pack, pack->zstf, number, sizeof number);
	}
	if (pack->stf && fclose(pack->stf) != 0 && !pack->failed)
		pack->failed = errno;
	if (pack->zstf && fclose(pack->zstf) != 0 && !pack->failed)
		pack->failed = errno;
	int failed = pack->failed;
	ZSTD_freeCCtx(pack->zstd);
	free(pack->comp);
	free(pack->index);
	free(pack);
	errno = failed;
	return failed ? -1 : 0;
}
