/* SPDX-License-Identifier: Apache-2.0 */
/* `cairn merge`: traces one after another as one. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cmd.h"

struct inputs {
	struct cairn_merge_part *parts;
	struct cairn_range *ranges;
	size_t n, n_ranges;
};

/* Regions in the order given: each is a range of its own, and may come again. */
static int parse_ranges(struct session *s, struct inputs *in)
{
	const struct options *o = s->o;
	int rc = 0;
	for (size_t i = 0; i < o->n_regions && rc >= 0; i++) {
		struct cairn_select *sel = cairn_select_new(s->c, NULL);
		struct cairn_range *r = &in->ranges[in->n_ranges++];
		rc = sel ? cairn_select_region(sel, o->regions[i]) : CAIRN_E_NOMEM;
		if (rc >= 0 && cairn_select_numbers(sel, 0, &r->first, &r->last) < 0)
			rc = base_fail(s->c, CAIRN_E_INVAL,
			               "%s: merge takes regions by number (1000..2000); "
			               "cairn slice takes all",
			               o->regions[i]);
		cairn_select_free(sel);
	}
	return rc;
}

/* All traces are open at once, and each may take a descriptor. */
static void allow_files(size_t n)
{
	enum { OTHERS = 64 };
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= n + OTHERS)
		return;
	limit.rlim_cur = limit.rlim_max < n + OTHERS ? limit.rlim_max : (rlim_t)(n + OTHERS);
	(void)setrlimit(RLIMIT_NOFILE, &limit); /* opening says it where that is not enough */
}

static int open_parts(struct session *s, struct inputs *in)
{
	const struct options *o = s->o;
	struct cairn_open_opts opts = {.size = sizeof opts,
	                               .from = o->value[OPT_FROM],
	                               .strict = o->times[OPT_STRICT] != 0};
	int rc = option_image(s->c, o, &s->image);
	opts.image = s->image;
	if (rc >= 0)
		rc = parse_ranges(s, in);
	allow_files(o->n_operands);
	for (size_t i = 0; i < o->n_operands && rc >= 0; i++) {
		struct cairn_merge_part *p = &in->parts[i];
		rc = cairn_open(s->c, o->operands[i], &opts, &p->r);
		if (rc < 0)
			break;
		p->name = o->operands[i];
		if ((rc = image_fits(s->c, s->image, o->operands[i], p->r)) < 0) {
			cairn_close(p->r);
			break;
		}
		p->ranges = in->n_ranges ? in->ranges : NULL;
		p->n_ranges = in->n_ranges;
		in->n++;
	}
	return rc;
}

/* The damage of all parts; each is told with its name. */
static int close_parts(struct session *s, struct inputs *in, int rc)
{
	int code = EXIT_FINE;
	for (size_t i = 0; i < in->n; i++) {
		struct session one = *s;
		one.trace = in->parts[i].name;
		one.r = in->parts[i].r;
		if (session_damage(&one, rc))
			code = EXIT_COULD_NOT;
		cairn_close(one.r);
	}
	return code;
}

static int merge_run(const struct verb *self, struct options *o)
{
	struct session s = {.verb = self, .o = o};
	struct making m;
	if (o->n_operands == 0) {
		complain("no trace was named; usage: cairn %s %s", self->name, self->usage);
		return EXIT_COULD_NOT;
	}
	if (refuse_twice(o) < 0)
		return EXIT_COULD_NOT;
	s.trace = o->operands[0];
	s.c = open_context(o);
	struct inputs in = {.parts = calloc(o->n_operands, sizeof *in.parts),
	                    .ranges = calloc(o->n_regions + 1, sizeof *in.ranges)};
	if (s.c && (!in.parts || !in.ranges))
		complain("out of memory");
	if (!s.c || !in.parts || !in.ranges || making_start(&m, &s) < 0) {
		free(in.parts);
		free(in.ranges);
		return close_context(s.c, EXIT_COULD_NOT);
	}
	int rc = open_parts(&s, &in);
	if (rc >= 0)
		rc = cairn_merge(in.parts, in.n, &m.out, &m.done);
	if (rc < 0 && rc != CAIRN_E_PIPE)
		complain_of(s.c);
	s.trace = m.out.path;
	making_end(&m, &s, rc);
	int code = close_parts(&s, &in, rc);
	cairn_image_free(s.image);
	free(in.parts);
	free(in.ranges);
	return close_context(s.c, rc < 0 && rc != CAIRN_E_PIPE ? EXIT_COULD_NOT : code);
}

const struct verb verb_merge = {
	.name = "merge",
	.summary = "traces one after another as one",
	.usage = "[options] -o FILE TRACE…",
	.help =
		"Each trace has its own header; they must agree in what cannot be converted. Where one\n"
		"follows another its first PC is forced. With -R, that range of each trace; several are\n"
		"taken in the order given and may repeat. Comments and makers of all are kept.\n",
	.takes = OPTION_LIST(TAKES_CHANGE, TAKES(REGION)),
	.run = merge_run,
};
