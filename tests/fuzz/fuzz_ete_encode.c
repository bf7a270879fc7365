/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a program, options and a way through it: what is encoded must decode to
 * the same, with exactly the losses that are told. The first 8 bytes are the seed of the
 * program and options, the rest are the choices on the way.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../ete/walk.h"
#include "base/bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct cairn *ctx;
	struct cairn_ete_tracer_stats st = {.size = sizeof st};
	struct walk walk;
	struct walk_log got;
	uint64_t gaps;
	char text[512];
	if (n < 10 || n > 1 << 16)
		return 0;
	if (!ctx)
		ctx = cairn_new(NULL);
	walk_init(&walk, ctx, base_le64(data));
	walk.wild = data[8] & 1;
	walk.opts.drop_ends = data[8] >> 1 & 1;
	walk.choices = data + 9;
	walk.n_choices = n - 9;
	int rc = walk_run(&walk, n);
	if (rc >= 0)
		rc = walk_decode(&walk, &got, &gaps);
	if (rc < 0) {
		fprintf(stderr, "not so: %s\n", cairn_error_text(ctx));
		abort();
	}
	cairn_ete_tracer_stats(walk.tracer, &st);
	const char *why = walk_differs(&walk, &got, text, sizeof text);
	if (why || gaps || st.lost != walk.lost) {
		fprintf(stderr, "not so: %llu gaps, %llu lost, %llu told; %s\n", (unsigned long long)gaps,
		        (unsigned long long)walk.lost, (unsigned long long)st.lost, why ? why : "");
		abort();
	}
	free(got.rows);
	walk_free(&walk);
	return 0;
}
