/* SPDX-License-Identifier: Apache-2.0 */
/* `cairn memory`: what was touched, how, and how soon again. */
#include <string.h>

#include "cmd.h"

enum { CACHES = 8, USUAL_SAMPLE = 64 };

/* Bytes: K and M are 1024 and its square here. */
static int parse_bytes(const char *text, size_t n, uint64_t *out)
{
	unsigned shift = n && text[n - 1] == 'K' ? 10 : n && text[n - 1] == 'M' ? 20 : 0;
	if (options_parse_number(text, shift ? n - 1 : n, out) < 0 || *out > UINT64_MAX >> 20)
		return -1;
	*out <<= shift;
	return 0;
}

static int parse_cache(const char *text, struct cairn_cache *c)
{
	const char *a = strchr(text, ','), *b = a ? strchr(a + 1, ',') : NULL;
	if (b && parse_bytes(text, (size_t)(a - text), &c->size) >= 0 &&
	    options_parse_number(a + 1, (size_t)(b - a - 1), &c->ways) >= 0 &&
	    parse_bytes(b + 1, strlen(b + 1), &c->line) >= 0)
		return 0;
	complain("--cache is SIZE,WAYS,LINE (32K,8,64), not '%s'", text);
	return -1;
}

static int memory_parse(const struct options *o, struct cairn_memory_opts *m,
                        struct cairn_cache *caches)
{
	const char *line = o->value[OPT_LINE], *reuse = o->value[OPT_REUSE];
	*m = (struct cairn_memory_opts){.size = sizeof *m,
	                                .caches = caches,
	                                .n_caches = (unsigned)o->n_caches};
	if (o->n_caches > CACHES) {
		complain("at most %d caches at once", CACHES);
		return -1;
	}
	for (size_t i = 0; i < o->n_caches; i++)
		if (parse_cache(o->caches[i], &caches[i]) < 0)
			return -1;
	if (line && parse_bytes(line, strlen(line), &m->line) < 0) {
		complain("--line is a number of bytes, not '%s'", line);
		return -1;
	}
	/* Of one table the others need not be made; of this one it makes a difference. */
	m->only_reuse = o->value[OPT_TABLE] && !strcmp(o->value[OPT_TABLE], "reuse");
	m->estimate = o->times[OPT_ESTIMATE] != 0;
	m->sample = m->estimate ? USUAL_SAMPLE : 0;
	if (m->estimate && o->value[OPT_EVERY]) {
		complain("--estimate is of the whole: not with --every");
		return -1;
	}
	if (m->estimate && reuse && strncmp(reuse, "sampled", 7) != 0) {
		complain("--estimate is of sampled lines: not with --reuse %s", reuse);
		return -1;
	}
	if (!reuse || !strcmp(reuse, "exact"))
		return 0;
	if (!strcmp(reuse, "none")) {
		m->no_reuse = 1;
	} else if (!strcmp(reuse, "sampled")) {
		m->sample = USUAL_SAMPLE;
	} else if (strncmp(reuse, "sampled:", 8) != 0 ||
	           options_parse_number(reuse + 8, strlen(reuse + 8), &m->sample) < 0 || !m->sample) {
		complain("--reuse is exact, sampled, sampled:N or none, not '%s'", reuse);
		return -1;
	}
	return 0;
}

static int memory_work(struct session *s, const struct cairn_analysis_opts *opts,
                       struct cairn_result **res)
{
	struct cairn_cache caches[CACHES];
	struct cairn_memory_opts how;
	memory_parse(s->o, &how, caches);
	return cairn_memory(s->r, opts, &how, res);
}

static int memory_run(const struct verb *self, struct options *o)
{
	struct cairn_cache caches[CACHES];
	struct cairn_memory_opts how;
	return memory_parse(o, &how, caches) < 0 ? EXIT_COULD_NOT : analysis_verb(self, o, memory_work);
}

const struct verb verb_memory = {
	.name = "memory",
	.summary = "footprint, strides, reuse, sharing, forwarding, cache misses",
	.usage = "[options] TRACE [REGION…]",
	.help =
		"Tables: summary, sizes, sharing, caches (with --cache), reuse, store_to_load,\n"
		"load_to_load, lines, pages and instructions (the 1000 used most). --every N shows the\n"
		"footprint over time. --reuse sampled is faster and estimates distances, --estimate all\n"
		"but sums and sizes; with --table reuse nothing else is counted.\n",
	.takes = OPTION_LIST(TAKES_ANALYSIS, TAKES(CACHE), TAKES(LINE), TAKES(REUSE), TAKES(ESTIMATE)),
	.run = memory_run,
};
