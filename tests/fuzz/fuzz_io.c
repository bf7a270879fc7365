/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as an input file: recognise the codecs, peel them, read to the end
 * or to the first damage. A bomb may unpack for ever, so no more than 16 MiB
 * are taken. What is asserted: a read never hands out more than was asked, the
 * position follows what was read, and a peek shows what a read then takes.
 */
#include <stdlib.h>
#include <string.h>

#include "io/io.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void read_all(struct io_source *source)
{
	static uint8_t buf[8192];
	uint64_t total = 0;

	while (total < 16u << 20) {
		const uint8_t *p = NULL;
		uint8_t shown[16];
		size_t peeked = 0;
		if (io_peek(source, sizeof shown, &p, &peeked) < 0)
			peeked = 0;
		size_t kept = peeked < sizeof shown ? peeked : sizeof shown;
		if (kept)
			memcpy(shown, p, kept);
		/* Odd sizes, so that records and buffers fall apart differently. */
		size_t ask = total % 3 ? 4099 : sizeof buf;
		int64_t got = io_read(source, buf, ask);
		if (got <= 0)
			break;
		check((uint64_t)got <= ask);
		check(!memcmp(buf, shown, kept < (size_t)got ? kept : (size_t)got));
		total += (uint64_t)got;
		check(io_tell(source) == total);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct cairn *cairn = cairn_new(NULL);
	struct io_source *source = NULL;

	if (!cairn)
		return 0;
	if (io_open_memory(cairn, data, n, &source) >= 0) {
		check(io_codec(source) != NULL);
		read_all(source);
		io_close(source);
	}
	cairn_free(cairn);
	return 0;
}
