/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first byte chooses an analysis and a length of intervals, the rest is a trace.
 * Asserted: whatever the trace is, one thread and three come to the same end, and to the
 * same numbers.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/cairn.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MOST = 1 << 16, ANALYSES = 8 };

static void check(bool ok)
{
	if (!ok)
		abort();
}

static int drop(void *user, const void *data, size_t n)
{
	(void)data;
	*(size_t *)user += n;
	return 0;
}

static int analyse(struct cairn_reader *reader, unsigned which,
                   const struct cairn_analysis_opts *opts, struct cairn_result **res)
{
	static const struct cairn_cache cache = {1024, 2, 32};
	struct cairn_memory_opts memory_opts = {.size = sizeof memory_opts,
	                                        .caches = &cache,
	                                        .n_caches = 1};
	struct cairn_analysis_opts whole = *opts;
	whole.every = 0;
	switch (which) {
	case 0:
		return cairn_mix(reader, opts, "class,size isa extension process,privilege cpu", res);
	case 1:
		return cairn_branches(reader, opts, "bimodal:256,gshare:256,tage:2K", res);
	case 2:
		return cairn_blocks(reader, opts, NULL, res);
	case 3:
		return cairn_memory(reader, opts, &memory_opts, res);
	case 4:
		return cairn_calls(reader, opts, res);
	case 5:
		return cairn_deps(reader, opts, res);
	case 6:
		return cairn_overview(reader, &whole, 40, res);
	default:
		return cairn_simpoints(reader, opts, NULL, res);
	}
}

static int run(struct cairn *cairn, const uint8_t *data, size_t n, uint8_t how, unsigned threads,
               struct cairn_text *text)
{
	struct cairn_analysis_opts opts = {.size = sizeof opts,
	                                   .threads = threads,
	                                   .every = how & 8 ? 1u + (how >> 4) * 7u : 0};
	struct cairn_print_opts print_opts = {.size = sizeof print_opts, .form = CAIRN_FORM_JSON};
	struct cairn_result *res = NULL;
	struct cairn_reader *reader = NULL;
	if (cairn_open_memory(cairn, data, n, NULL, &reader) < 0)
		return CAIRN_E_FORMAT;
	int rc = analyse(reader, how % ANALYSES, &opts, &res);
	cairn_close(reader);
	check((rc >= 0) == (res != NULL));
	if (rc >= 0)
		check(cairn_result_print(res, &print_opts, text) >= 0);
	cairn_result_free(res);
	return rc;
}

/* Those that write must end, too. */
static void export_all(struct cairn *cairn, const uint8_t *data, size_t n)
{
	size_t sum = 0;
	for (int form = 0; form <= CAIRN_CALLS_TIMELINE; form++) {
		struct cairn_reader *reader = NULL;
		if (cairn_open_memory(cairn, data, n, NULL, &reader) < 0)
			return;
		if (form)
			cairn_export_calls(reader, NULL, (enum cairn_calls_form)form, drop, &sum);
		else
			cairn_export_bt9(reader, NULL, drop, &sum);
		cairn_close(reader);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	if (n < 2 || n > MOST)
		return 0;
	struct cairn_opts limits = {.size = sizeof limits, .max_hold = 1 << 20};
	struct cairn *cairn = cairn_new(&limits);
	struct cairn_text *one = cairn_text_new(cairn), *more = cairn_text_new(cairn);
	check(one && more);
	int a = run(cairn, data + 1, n - 1, data[0], 1, one);
	int b = run(cairn, data + 1, n - 1, data[0], 3, more);
	size_t n_one, n_more;
	const char *x = cairn_text_get(one, &n_one), *y = cairn_text_get(more, &n_more);
	check(a == b && n_one == n_more);
	check(n_one == 0 || memcmp(x, y, n_one) == 0);
	if (data[0] % ANALYSES == 4)
		export_all(cairn, data + 1, n - 1);
	cairn_text_free(one);
	cairn_text_free(more);
	cairn_free(cairn);
	return 0;
}
