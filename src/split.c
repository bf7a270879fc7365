/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One trace as several: a part for each hart, process or thread, or for every so many
 * instructions.
 *
 * Who runs is found in one pass over the batches, on several threads; then each part
 * is a slice: many of them are made in one more pass where the format can, each in a pass
 * of its own where it cannot, from readers of their own, since not every input can be read
 * twice by one. Parts of equal size are made in one pass by the format. Parts get their
 * names when all are complete; if one fails, or a signal ends the process, none is left.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

enum { MOST_PARTS = 4096, MOST_AT_ONCE = 128 }; /* at once: files open, and memory for each */
#define UNKNOWN UINT64_MAX                      /* who runs is not told */

struct group {
	uint64_t key;
	struct base_buf ranges; /* struct cairn_range */
};

struct groups {
	struct cairn *c;
	struct group *list;
	size_t n, cap, last; /* last: the one that was added to last */
};

struct part {
	char *path;
	uint64_t instructions;
	bool complete; /* the last may only have a name */
};

struct split {
	struct cairn *c;
	struct cairn_reader *r;
	struct cairn_split_opts o;
	const struct cairn_output *out;
	struct cairn_changed *done;
	struct groups all;
	struct part *parts;
	size_t n_parts, cap_parts;
	uint64_t sum; /* of instructions in parts by who runs */
};

/* ---- who runs ---- */

static int split_group_of(struct groups *g, uint64_t key, struct group **out)
{
	if (g->last < g->n && g->list[g->last].key == key) {
		*out = &g->list[g->last];
		return 0;
	}
	for (g->last = 0; g->last < g->n; g->last++)
		if (g->list[g->last].key == key)
			break;
	if (g->last == g->n) {
		if (g->n == MOST_PARTS)
			return base_fail(g->c, CAIRN_E_LIMIT, "there would be more than %d parts", MOST_PARTS);
		if (g->n == g->cap) {
			size_t cap = g->cap ? 2 * g->cap : 16;
			struct group *list = base_realloc(g->c, g->list, cap * sizeof *list);
			if (!list)
				return CAIRN_E_NOMEM;
			g->list = list;
			g->cap = cap;
		}
		g->list[g->n].key = key;
		base_buf_init(&g->list[g->n++].ranges, g->c);
	}
	*out = &g->list[g->last];
	return 0;
}

static int split_add_range(struct groups *g, uint64_t key, uint64_t first, uint64_t last)
{
	struct group *to = NULL;
	struct cairn_range add = {first, last};
	int rc = split_group_of(g, key, &to);
	if (rc < 0)
		return rc;
	struct base_buf *b = &to->ranges;
	struct cairn_range *tail = b->len ? (void *)(b->data + b->len - sizeof add) : NULL;
	if (tail && tail->last + 1 == first) {
		tail->last = last;
		return 0;
	}
	return base_buf_put(b, &add, sizeof add);
}

static void groups_free(struct groups *g)
{
	for (size_t i = 0; i < g->n; i++)
		base_buf_free(&g->list[i].ranges);
	base_free(g->c, g->list);
	g->list = NULL;
	g->n = g->cap = 0;
}

static uint64_t split_key_of(int by, const struct cairn_ctx *x)
{
	switch (by) {
	case CAIRN_SPLIT_CPU:
		return x->known & CAIRN_CTX_HART ? x->hart : UNKNOWN;
	case CAIRN_SPLIT_PID:
		return x->known & CAIRN_CTX_PID ? x->pid : UNKNOWN;
	default:
		return x->known & CAIRN_CTX_TID ? x->tid : x->known & CAIRN_CTX_CTXID ? x->ctxid : UNKNOWN;
	}
}

static int split_begin(void *user, void **partial)
{
	struct split *s = user;
	struct groups *g = base_alloc(s->c, sizeof *g);
	*partial = g;
	if (!g)
		return CAIRN_E_NOMEM;
	g->c = s->c;
	return 0;
}

static int split_feed(void *user, void *partial, const struct cairn_batch *b)
{
	const struct split *s = user;
	int rc = 0;
	for (uint32_t i = 0, k; i < b->n_insns && rc >= 0; i = k) {
		for (k = i + 1; k < b->n_insns && b->insns[k].ctx == b->insns[i].ctx;)
			k++;
		rc = split_add_range(partial, split_key_of(s->o.by, &b->ctxs[b->insns[i].ctx]), b->n0 + i,
		                     b->n0 + k - 1);
	}
	return rc;
}

static void split_drop(void *user, void *partial)
{
	struct split *s = user;
	groups_free(partial);
	base_free(s->c, partial);
}

static int split_fold(void *user, void *partial)
{
	struct split *s = user;
	const struct groups *g = partial;
	int rc = 0;
	for (size_t i = 0; i < g->n; i++) {
		const struct cairn_range *r = (const void *)g->list[i].ranges.data;
		for (size_t k = 0; k < g->list[i].ranges.len / sizeof *r && rc >= 0; k++)
			rc = split_add_range(&s->all, g->list[i].key, r[k].first, r[k].last);
	}
	split_drop(user, partial);
	return rc;
}

static int split_by_key(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	return (x->key > y->key) - (x->key < y->key);
}

static int find_groups(struct split *s)
{
	static const struct cairn_reducer red = {.size = sizeof red,
	                                         .begin = split_begin,
	                                         .feed = split_feed,
	                                         .fold = split_fold,
	                                         .drop = split_drop};
	static const char *const whats[] = {"", "CPUs", "processes", "threads"};
	s->all.c = s->c;
	cairn_reader_want(s->r, CAIRN_CONTEXT);
	int rc = s->r->started ? cairn_seek(s->r, 1) : 0;
	if (rc >= 0)
		rc = cairn_run(s->r, &red, s, UINT64_MAX, s->o.threads ? s->o.threads : 1);
	if (rc >= 0 && (s->all.n == 0 || (s->all.n == 1 && s->all.list[0].key == UNKNOWN)))
		rc = base_fail(s->c, CAIRN_E_NOTFOUND, "%s: the trace does not tell which %s run",
		               io_name(s->r->io), whats[s->o.by]);
	if (rc >= 0)
		qsort(s->all.list, s->all.n, sizeof *s->all.list, split_by_key);
	return rc;
}

/* ---- the parts ---- */

static int check_pattern(const struct split *s)
{
	const char *at = strstr(s->out->path, "%s");
	if (!at || strchr(s->out->path, '%') != at || strchr(at + 1, '%'))
		return base_fail(s->c, CAIRN_E_INVAL,
		                 "%s: the name of the parts has one %%s, where each "
		                 "one's own name goes",
		                 s->out->path);
	return 0;
}

/* The path of a part, kept for when it must go. */
static int name_part(struct split *s, const char *name, const char **out)
{
	const char *pattern = s->out->path, *at = strstr(pattern, "%s");
	size_t n = strlen(pattern) + strlen(name);
	if (s->n_parts == s->cap_parts) {
		size_t cap = s->cap_parts ? 2 * s->cap_parts : 16;
		struct part *parts = base_realloc(s->c, s->parts, cap * sizeof *parts);
		if (!parts)
			return CAIRN_E_NOMEM;
		s->parts = parts;
		s->cap_parts = cap;
	}
	char *path = base_alloc(s->c, n);
	if (!path)
		return CAIRN_E_NOMEM;
	snprintf(path, n, "%.*s%s%s", (int)(at - pattern), pattern, name, at + 2);
	s->parts[s->n_parts++] = (struct part){path, 0, false};
	*out = path;
	if (io_sink_clobbers(path, io_name(s->r->io)))
		return base_fail(s->c, CAIRN_E_INVAL,
		                 "%s: a part would be the trace itself; it would be "
		                 "destroyed",
		                 path);
	return 0;
}

static int made(void *user, uint64_t instructions)
{
	struct split *s = user;
	struct part *last = &s->parts[s->n_parts - 1];
	last->instructions = instructions;
	last->complete = true;
	return 0;
}

static int split_numbered(void *user, uint64_t part, const char **path)
{
	char name[32];
	snprintf(name, sizeof name, "%04llu", (unsigned long long)part);
	return name_part(user, name, path);
}

static int name_groups(struct split *split)
{
	int rc = 0;
	for (size_t i = 0; i < split->all.n && rc >= 0; i++) {
		const char *path;
		char name[32] = "unknown";
		if (split->all.list[i].key != UNKNOWN)
			snprintf(name, sizeof name, "%llu", (unsigned long long)split->all.list[i].key);
		rc = name_part(split, name, &path);
	}
	return rc;
}

static int open_again(const struct split *split, struct cairn_reader **reader)
{
	struct cairn_open_opts oo = {.size = sizeof oo,
	                             .from = split->o.from,
	                             .strict = split->o.strict,
	                             .image = split->r->image};
	return cairn_open(split->c, io_name(split->r->io), &oo, reader);
}

static const struct cairn_range *ranges_of(const struct group *g, size_t *n)
{
	*n = g->ranges.len / sizeof(struct cairn_range);
	return (const void *)g->ranges.data;
}

static void split_complete(struct split *split, size_t i, uint64_t instructions)
{
	split->parts[i].instructions = instructions;
	split->parts[i].complete = true;
	split->sum += instructions;
}

/* One slice; its ledgers are added to ours. */
static int slice_group(struct split *split, size_t i)
{
	struct cairn_slice_opts so = {.size = sizeof so, .look_back = split->o.look_back};
	struct cairn_output to = *split->out;
	struct cairn_reader *r = NULL;
	so.ranges = ranges_of(&split->all.list[i], &so.n_ranges);
	to.path = split->parts[i].path;
	int rc = open_again(split, &r);
	if (rc >= 0)
		rc = r->format->change->slice(r, &so, &to, split->done);
	cairn_close(r);
	if (rc >= 0)
		split_complete(split, i, split->done->instructions);
	return rc;
}

static int add_ledger(struct split *split, struct cairn_ledger *to, const struct cairn_ledger *from)
{
	int rc = 0;
	for (size_t i = 0; i < from->n && rc >= 0; i++)
		rc = model_ledger_add(split->c, to, from->losses[i].what, from->losses[i].count,
		                      from->losses[i].first);
	return rc;
}

/* The n parts from the one at `at` on, as slices that the format makes in one pass. */
static int slice_groups(struct split *split, size_t at, size_t n)
{
	struct model_part *parts = base_alloc(split->c, n * sizeof *parts);
	struct cairn_reader *r = NULL;
	int rc = parts ? 0 : CAIRN_E_NOMEM;
	for (size_t i = 0; i < n && rc >= 0; i++) {
		struct model_part *p = &parts[i];
		p->ranges = ranges_of(&split->all.list[at + i], &p->n_ranges);
		p->out = *split->out;
		p->out.path = split->parts[at + i].path;
		p->out.threads = 1;
		p->done = (struct cairn_changed){.size = sizeof p->done,
		                                 .lost = model_ledger_new(split->c),
		                                 .notes = model_ledger_new(split->c)};
		rc = p->done.lost && p->done.notes ? 0 : CAIRN_E_NOMEM;
	}
	if (rc >= 0)
		rc = open_again(split, &r);
	if (rc >= 0)
		rc = r->format->change->slices(r, parts, n);
	cairn_close(r);
	for (size_t i = 0; parts && i < n; i++) {
		if (rc >= 0)
			rc = add_ledger(split, split->done->lost, parts[i].done.lost);
		if (rc >= 0)
			rc = add_ledger(split, split->done->notes, parts[i].done.notes);
		if (rc >= 0)
			split_complete(split, at + i, parts[i].done.instructions);
		cairn_changed_free(split->c, &parts[i].done);
	}
	base_free(split->c, parts);
	return rc;
}

/* May parts share a pass? What each would learn from its own look-back is not what all learn;
 * nor is what is left of a damaged place, where one part's instructions meet another's. */
static bool at_once(const struct split *split)
{
	return split->r->format->change->slices && split->all.n > 1 && !split->r->damage.count &&
	       (!split->o.look_back || split->o.look_back == UINT64_MAX);
}

static int by_groups(struct split *s)
{
	if (strcmp(io_name(s->r->io), "-") == 0 || io_stored_size(s->r->io) == IO_UNKNOWN)
		return base_fail(s->c, CAIRN_E_STATE,
		                 "%s: a pipe cannot be read a second time for its "
		                 "parts: split a file",
		                 io_name(s->r->io));
	int rc = find_groups(s);
	if (rc >= 0)
		rc = name_groups(s);
	bool together = rc >= 0 && at_once(s);
	for (size_t i = 0, n; i < s->all.n && rc >= 0; i += n) {
		n = s->all.n - i < MOST_AT_ONCE ? s->all.n - i : MOST_AT_ONCE;
		rc = together ? slice_groups(s, i, n) : CAIRN_E_UNSUPPORTED;
		if (rc != CAIRN_E_UNSUPPORTED)
			continue;
		together = false;
		n = 1;
		rc = slice_group(s, i);
	}
	s->done->instructions = s->sum;
	return rc;
}

static int split_by_count(struct split *s)
{
	const struct model_split m = {.every = s->o.every,
	                              .look_back = s->o.look_back,
	                              .name = split_numbered,
	                              .made = made,
	                              .user = s};
	int rc = s->r->started ? cairn_seek(s->r, 1) : 0;
	return rc < 0 ? rc : s->r->format->change->split(s->r, &m, s->out, s->done);
}

static int split_check(struct split *s, const struct cairn_split_opts *opts)
{
	const struct model_change *change = s->r->format->change;
	if (!opts || opts->size > sizeof s->o)
		return base_fail(s->c, CAIRN_E_INVAL, "split options of a newer library");
	memcpy(&s->o, opts, opts->size);
	if (s->o.by < CAIRN_SPLIT_COUNT || s->o.by > CAIRN_SPLIT_TID)
		return base_fail(s->c, CAIRN_E_INVAL, "a trace is not split by %d", s->o.by);
	if (s->o.by == CAIRN_SPLIT_COUNT && s->o.every == 0)
		return base_fail(s->c, CAIRN_E_INVAL, "a part has at least one instruction");
	if (!change || !change->slice || !change->split)
		return base_fail(s->c, CAIRN_E_UNSUPPORTED, "%s: %s traces cannot be split",
		                 io_name(s->r->io), s->r->format->name);
	int rc = check_pattern(s);
	return rc < 0 ? rc : model_keep_format(s->r, s->out, "split");
}

int cairn_split(struct cairn_reader *r, const struct cairn_split_opts *opts,
                const struct cairn_output *out, struct cairn_changed *done)
{
	struct cairn_changed own = {.size = sizeof own};
	struct cairn_output o = {.size = sizeof o};
	struct split s = {.c = r->c, .r = r, .out = &o, .done = done ? done : &own};
	if (s.done->size < sizeof own || !out || out->size > sizeof o)
		return base_fail(r->c, CAIRN_E_INVAL, "options of a newer library, or of unknown size");
	memcpy(&o, out, out->size);
	s.done->instructions = 0;
	s.done->lost = model_ledger_new(r->c);
	s.done->notes = model_ledger_new(r->c);
	int rc = s.done->lost && s.done->notes ? split_check(&s, opts) : CAIRN_E_NOMEM;
	if (rc >= 0) {
		struct io_hold parts;
		io_hold_begin(s.c, &parts);
		rc = s.o.by == CAIRN_SPLIT_COUNT ? split_by_count(&s) : by_groups(&s);
		int ended = io_hold_end(s.c, &parts, rc >= 0);
		rc = rc < 0 ? rc : ended;
	}
	for (size_t i = 0; i < s.n_parts; i++) {
		if (rc >= 0 && s.o.part && s.parts[i].complete)
			rc = s.o.part(s.o.user, s.parts[i].path, s.parts[i].instructions);
		base_free(s.c, s.parts[i].path);
	}
	base_free(s.c, s.parts);
	groups_free(&s.all);
	cairn_changed_free(s.c, &own);
	return rc < 0 ? rc : 0;
}
