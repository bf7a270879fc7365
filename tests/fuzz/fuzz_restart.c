/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any marks over any compressed bytes: the first byte says how many 16ths of the input are
 * marks, the rest is the file. Asserted: what cannot be is refused; whoever goes to places
 * gets bytes or a status, in bounded time; the marks that a reading leaves are believed,
 * and with them each place gives the bytes that reading gives.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "io/io.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MOST = 1 << 20, READ = 512 };

static uint8_t whole[MOST], got[READ];

static void check(bool ok)
{
	if (!ok)
		abort();
}

/* The beginning of the decoded bytes, noting marks; how many. */
static size_t read_all(struct io_source *source)
{
	size_t n = 0;
	for (int64_t k; n < MOST && (k = io_read(source, whole + n, MOST - n)) > 0;)
		n += (size_t)k;
	return n;
}

static void go(struct io_source *source, size_t known, bool honest)
{
	for (size_t i = 0; i < 12; i++) {
		size_t at = known * ((i * 7) % 12) / 12, want = known - at < READ ? known - at : READ;
		int64_t k = 0;
		size_t have = 0;
		if (io_seek(source, at) < 0) {
			check(!honest);
			continue;
		}
		while (have < want && (k = io_read(source, got + have, want - have)) > 0)
			have += (size_t)k;
		check(!honest || (have == want && !memcmp(got, whole + at, want)));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct cairn *cairn = cairn_new(NULL);
	struct io_source *source;
	struct base_buf marks;
	size_t split = n ? (n - 1) * (data[0] % 16) / 16 : 0;
	check(cairn != NULL);
	base_buf_init(&marks, cairn);
	const uint8_t *file = n ? data + 1 + split : data;
	size_t left = n ? n - 1 - split : 0, known = 0;
	if (io_open_memory(cairn, file, left, &source) >= 0) {
		check(io_mark(source, 1000) >= 0);
		known = read_all(source);
		check(io_marks_put(source, &marks) >= 0);
		go(source, known, true);
		check(io_marks_get(source, marks.data, marks.len) >= 0);
		go(source, known, true);
		if (n && io_marks_get(source, data + 1, split) >= 0)
			go(source, known, false);
		io_close(source);
	}
	base_buf_free(&marks);
	cairn_free(cairn);
	return 0;
}
