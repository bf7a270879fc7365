/* SPDX-License-Identifier: Apache-2.0 */
/* `cairn memory`: what was touched, how, and how soon again. */
#include <string.h>

#include "cmd.h"

enum { CACHES = 8, USUAL_SAMPLE = 64 };

/* Parse a number of bytes: K and M are 1024 and its square here. */
static int parse_bytes(const char *text, size_t n, uint64_t *out)
{
	unsigned shift = n && text[n - 1] == 'K' ? 10 : n && text[n - 1] == 'M' ? 20 : 0;
	if (cairn_number(text, shift ? n - 1 : n, out) < 0 || *out > UINT64_MAX >> 20)
		return -1;
	*out <<= shift;
	return 0;
}

static int parse_cache(const char *text, struct cairn_cache *cache)
{
	const char *a = strchr(text, ','), *b = a ? strchr(a + 1, ',') : NULL;
	if (b && parse_bytes(text, (size_t)(a - text), &cache->size) >= 0 &&
	    cairn_number(a + 1, (size_t)(b - a - 1), &cache->ways) >= 0 &&
	    parse_bytes(b + 1, strlen(b + 1), &cache->line) >= 0)
		return 0;
	complain("--cache is SIZE,WAYS,LINE (32K,8,64), not '%s'", text);
	return -1;
}

static int memory_parse(const struct options *options, struct cairn_memory_opts *opts,
                        struct cairn_cache *caches)
{
	const char *line = options->value[OPT_LINE], *reuse = options->value[OPT_REUSE];
	*opts = (struct cairn_memory_opts){.size = sizeof *opts,
	                                   .caches = caches,
	                                   .n_caches = (unsigned)options->n_caches};
	if (options->n_caches > CACHES) {
		complain("at most %d caches can be simulated at once", CACHES);
		return -1;
	}
	for (size_t i = 0; i < options->n_caches; i++)
		if (parse_cache(options->caches[i], &caches[i]) < 0)
			return -1;
	if (line && parse_bytes(line, strlen(line), &opts->line) < 0) {
		complain("--line is a number of bytes, not '%s'", line);
		return -1;
	}
	/* When one table is asked for, the others need not be made; that pays for this one. */
	opts->only_reuse = options->value[OPT_TABLE] && !strcmp(options->value[OPT_TABLE], "reuse");
	opts->estimate = options->times[OPT_ESTIMATE] != 0;
	opts->sample = opts->estimate ? USUAL_SAMPLE : 0;
	if (opts->estimate && options->value[OPT_EVERY]) {
		complain("--estimate is for the whole trace, and cannot be combined with --every");
		return -1;
	}
	if (opts->estimate && reuse && strncmp(reuse, "sampled", 7) != 0) {
		complain("--estimate samples lines, and cannot be combined with --reuse %s", reuse);
		return -1;
	}
	if (!reuse || !strcmp(reuse, "exact"))
		return 0;
	if (!strcmp(reuse, "none")) {
		opts->no_reuse = 1;
	} else if (!strcmp(reuse, "sampled")) {
		opts->sample = USUAL_SAMPLE;
	} else if (strncmp(reuse, "sampled:", 8) != 0 ||
	           cairn_number(reuse + 8, strlen(reuse + 8), &opts->sample) < 0 || !opts->sample) {
		complain("--reuse is exact, sampled, sampled:N or none, not '%s'", reuse);
		return -1;
	}
	return 0;
}

static int memory_work(struct session *session, const struct cairn_analysis_opts *opts,
                       struct cairn_result **res)
{
	struct cairn_cache caches[CACHES];
	struct cairn_memory_opts how;
	memory_parse(session->options, &how, caches);
	return cairn_memory(session->reader, opts, &how, res);
}

static int memory_run(const struct verb *self, struct options *options)
{
	struct cairn_cache caches[CACHES];
	struct cairn_memory_opts how;
	return memory_parse(options, &how, caches) < 0 ? EXIT_COULD_NOT
	                                               : analysis_verb(self, options, memory_work);
}

const struct verb verb_memory = {
	.name = "memory",
	.summary = "footprint, strides, reuse, sharing, forwarding, cache misses",
	.usage = "[options] TRACE [REGION…]",
	.help =
		"Tables: summary, sizes, sharing, caches (with --cache), reuse, store_to_load,\n"
		"load_to_load, lines, pages and instructions (the 1000 used most). --every N shows the\n"
		"footprint over time. --reuse sampled is faster and estimates distances; --estimate\n"
		"estimates everything but sums and sizes; with --table reuse, nothing else is counted.\n",
	.takes = OPTION_LIST(TAKES_ANALYSIS, TAKES(CACHE), TAKES(LINE), TAKES(REUSE), TAKES(ESTIMATE)),
	.run = memory_run,
};
