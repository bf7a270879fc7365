/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One trace as several: a part for each hart, process or thread, or for each group of so many
 * instructions.
 *
 * Who runs is found in one pass over the batches, on several threads. Then each part is a slice,
 * which knows all that came before: many of them are made in one more pass if the format can,
 * otherwise each in a pass and from a reader of its own, because not every input can be read twice
 * by one. Parts of equal size are made in one pass by the format. Parts get their names when all
 * are complete; if one fails, or a signal ends the process, none is left.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

enum { MOST_PARTS = 4096 };
#define UNKNOWN UINT64_MAX /* who runs is not told */

struct group {
	uint64_t key;
	struct base_buf ranges; /* struct cairn_range */
};

struct groups {
	struct cairn *cairn;
	struct group *list;
	size_t n, cap, last; /* last: the one that was added to last */
};

struct part {
	char *path;
	uint64_t instructions;
	bool complete; /* the last may only have a name yet */
};

struct split {
	struct cairn *cairn;
	struct cairn_reader *reader;
	struct cairn_split_opts opts;
	const struct cairn_output *out;
	struct cairn_changed *done;
	struct groups all;
	struct part *parts;
	size_t n_parts, cap_parts;
	uint64_t sum; /* of instructions in parts by who runs */
};

/* ---- who runs ---- */

static int split_group_of(struct groups *groups, uint64_t key, struct group **out)
{
	if (groups->last < groups->n && groups->list[groups->last].key == key) {
		*out = &groups->list[groups->last];
		return 0;
	}
	for (groups->last = 0; groups->last < groups->n; groups->last++)
		if (groups->list[groups->last].key == key)
			break;
	if (groups->last == groups->n) {
		if (groups->n == MOST_PARTS)
			return base_fail(groups->cairn, CAIRN_E_LIMIT, "there would be more than %d parts",
			                 MOST_PARTS);
		if (base_grow(groups->cairn, &groups->list, &groups->cap, groups->n, sizeof *groups->list,
		              16) < 0)
			return CAIRN_E_NOMEM;
		groups->list[groups->n].key = key;
		base_buf_init(&groups->list[groups->n++].ranges, groups->cairn);
	}
	*out = &groups->list[groups->last];
	return 0;
}

static int split_add_range(struct groups *groups, uint64_t key, uint64_t first, uint64_t last)
{
	struct group *to = NULL;
	int rc = split_group_of(groups, key, &to);
	return rc < 0 ? rc : model_add_range(&to->ranges, first, last);
}

static void groups_free(struct groups *groups)
{
	for (size_t i = 0; i < groups->n; i++)
		base_buf_free(&groups->list[i].ranges);
	base_free(groups->cairn, groups->list);
	groups->list = NULL;
	groups->n = groups->cap = 0;
}

static uint64_t split_key_of(int by, const struct cairn_ctx *ctx)
{
	switch (by) {
	case CAIRN_SPLIT_CPU:
		return ctx->known & CAIRN_CTX_HART ? ctx->hart : UNKNOWN;
	case CAIRN_SPLIT_PID:
		return ctx->known & CAIRN_CTX_PID ? ctx->pid : UNKNOWN;
	default:
		return ctx->known & CAIRN_CTX_TID     ? ctx->tid
		       : ctx->known & CAIRN_CTX_CTXID ? ctx->ctxid
		                                      : UNKNOWN;
	}
}

static int split_begin(void *user, void **partial)
{
	struct split *split = user;
	struct groups *groups = base_alloc(split->cairn, sizeof *groups);
	*partial = groups;
	if (!groups)
		return CAIRN_E_NOMEM;
	groups->cairn = split->cairn;
	return 0;
}

static int split_feed(void *user, void *partial, const struct cairn_batch *batch)
{
	const struct split *split = user;
	int rc = 0;
	for (uint32_t i = 0, k; i < batch->n_insns && rc >= 0; i = k) {
		for (k = i + 1; k < batch->n_insns && batch->insns[k].ctx == batch->insns[i].ctx;)
			k++;
		rc = split_add_range(partial,
		                     split_key_of(split->opts.by, &batch->ctxs[batch->insns[i].ctx]),
		                     batch->n0 + i, batch->n0 + k - 1);
	}
	return rc;
}

static void split_drop(void *user, void *partial)
{
	struct split *split = user;
	groups_free(partial);
	base_free(split->cairn, partial);
}

static int split_fold(void *user, void *partial)
{
	struct split *split = user;
	const struct groups *groups = partial;
	int rc = 0;
	for (size_t i = 0; i < groups->n; i++) {
		const struct cairn_range *range = (const void *)groups->list[i].ranges.data;
		for (size_t k = 0; k < groups->list[i].ranges.len / sizeof *range && rc >= 0; k++)
			rc = split_add_range(&split->all, groups->list[i].key, range[k].first, range[k].last);
	}
	split_drop(user, partial);
	return rc;
}

static int split_by_key(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	return (x->key > y->key) - (x->key < y->key);
}

static int find_groups(struct split *split)
{
	static const struct cairn_reducer red = {.size = sizeof red,
	                                         .begin = split_begin,
	                                         .feed = split_feed,
	                                         .fold = split_fold,
	                                         .drop = split_drop};
	static const char *const whats[] = {"", "CPUs", "processes", "threads"};
	split->all.cairn = split->cairn;
	cairn_reader_want(split->reader, CAIRN_CONTEXT);
	int rc = split->reader->started ? cairn_seek(split->reader, 1) : 0;
	if (rc >= 0)
		rc = cairn_run(split->reader, &red, split, UINT64_MAX,
		               split->opts.threads ? split->opts.threads : 1);
	if (rc >= 0 && (split->all.n == 0 || (split->all.n == 1 && split->all.list[0].key == UNKNOWN)))
		rc = base_fail(split->cairn, CAIRN_E_NOTFOUND, "%s: the trace does not record which %s run",
		               io_name(split->reader->io), whats[split->opts.by]);
	if (rc >= 0)
		qsort(split->all.list, split->all.n, sizeof *split->all.list, split_by_key);
	return rc;
}

/* ---- the parts ---- */

static int check_pattern(const struct split *split)
{
	const char *at = strstr(split->out->path, "%s");
	if (!at || strchr(split->out->path, '%') != at || strchr(at + 1, '%'))
		return base_fail(split->cairn, CAIRN_E_INVAL,
		                 "%s: the name of the parts has one %%s, where each one's own name goes",
		                 split->out->path);
	return 0;
}

/* The path of a part, kept in case it must be removed. */
static int name_part(struct split *split, const char *name, const char **out)
{
	const char *pattern = split->out->path, *at = strstr(pattern, "%s");
	size_t n = strlen(pattern) + strlen(name);
	if (base_grow(split->cairn, &split->parts, &split->cap_parts, split->n_parts,
	              sizeof *split->parts, 16) < 0)
		return CAIRN_E_NOMEM;
	char *path = base_alloc(split->cairn, n);
	if (!path)
		return CAIRN_E_NOMEM;
	snprintf(path, n, "%.*s%s%s", (int)(at - pattern), pattern, name, at + 2);
	split->parts[split->n_parts++] = (struct part){path, 0, false};
	*out = path;
	if (cairn_same_file(path, io_name(split->reader->io)))
		return base_fail(split->cairn, CAIRN_E_INVAL,
		                 "%s: a part would be the trace itself; it would be destroyed", path);
	return 0;
}

static int made(void *user, uint64_t instructions)
{
	struct split *split = user;
	struct part *last = &split->parts[split->n_parts - 1];
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
	                             .from = split->opts.from,
	                             .strict = split->opts.strict,
	                             .image = split->reader->image};
	return cairn_open(split->cairn, io_name(split->reader->io), &oo, reader);
}

static const struct cairn_range *ranges_of(const struct group *group, size_t *n)
{
	*n = group->ranges.len / sizeof(struct cairn_range);
	return (const void *)group->ranges.data;
}

static void split_complete(struct split *split, size_t index, uint64_t instructions)
{
	split->parts[index].instructions = instructions;
	split->parts[index].complete = true;
	split->sum += instructions;
}

/* Make one slice; its ledgers are added to ours. */
static int slice_group(struct split *split, size_t index)
{
	struct cairn_slice_opts so = {.size = sizeof so, .look_back = UINT64_MAX};
	struct cairn_output to = *split->out;
	struct cairn_reader *reader = NULL;
	so.ranges = ranges_of(&split->all.list[index], &so.n_ranges);
	to.path = split->parts[index].path;
	int rc = open_again(split, &reader);
	if (rc >= 0)
		rc = reader->format->change->slice(reader, &so, &to, split->done);
	cairn_close(reader);
	if (rc >= 0)
		split_complete(split, index, split->done->instructions);
	return rc;
}

/* The n parts from the one at `at` on, as slices that the format makes in one pass. */
static int slice_groups(struct split *split, size_t at, size_t n)
{
	struct model_part *parts = base_alloc(split->cairn, n * sizeof *parts);
	struct cairn_reader *reader = NULL;
	int rc = parts ? 0 : CAIRN_E_NOMEM;
	for (size_t i = 0; i < n && rc >= 0; i++) {
		struct model_part *part = &parts[i];
		part->ranges = ranges_of(&split->all.list[at + i], &part->n_ranges);
		part->out = *split->out;
		part->out.path = split->parts[at + i].path;
		part->out.threads = 1;
		part->done = (struct cairn_changed){.size = sizeof part->done,
		                                    .lost = model_ledger_new(split->cairn),
		                                    .notes = model_ledger_new(split->cairn)};
		rc = part->done.lost && part->done.notes ? 0 : CAIRN_E_NOMEM;
	}
	if (rc >= 0)
		rc = open_again(split, &reader);
	if (rc >= 0)
		rc = reader->format->change->slices(reader, parts, n);
	cairn_close(reader);
	for (size_t i = 0; parts && i < n; i++) {
		if (rc >= 0)
			rc = model_ledger_join(split->cairn, split->done->lost, parts[i].done.lost);
		if (rc >= 0)
			rc = model_ledger_join(split->cairn, split->done->notes, parts[i].done.notes);
		if (rc >= 0)
			split_complete(split, at + i, parts[i].done.instructions);
		cairn_changed_free(split->cairn, &parts[i].done);
	}
	base_free(split->cairn, parts);
	return rc;
}

static int by_groups(struct split *split)
{
	if (strcmp(io_name(split->reader->io), "-") == 0 ||
	    io_stored_size(split->reader->io) == IO_UNKNOWN)
		return base_fail(split->cairn, CAIRN_E_STATE,
		                 "%s: a pipe cannot be read a second time for its parts: split a file",
		                 io_name(split->reader->io));
	int rc = find_groups(split);
	if (rc >= 0)
		rc = name_groups(split);
	size_t most = split->reader->format->change->slices ? MODEL_AT_ONCE : 1;
	for (size_t i = 0, n; i < split->all.n && rc >= 0; i += n) {
		n = split->all.n - i < most ? split->all.n - i : most;
		rc = n > 1 ? slice_groups(split, i, n) : slice_group(split, i);
	}
	split->done->instructions = split->sum;
	return rc;
}

static int split_by_count(struct split *split)
{
	const struct model_split m = {.every = split->opts.every,
	                              .name = split_numbered,
	                              .made = made,
	                              .user = split};
	int rc = split->reader->started ? cairn_seek(split->reader, 1) : 0;
	return rc < 0
	           ? rc
	           : split->reader->format->change->split(split->reader, &m, split->out, split->done);
}

static int split_check(struct split *split, const struct cairn_split_opts *opts)
{
	const struct model_change *change = split->reader->format->change;
	if (!opts || opts->size > sizeof split->opts)
		return base_fail(split->cairn, CAIRN_E_INVAL, "split options of a newer library");
	memcpy(&split->opts, opts, opts->size);
	if (split->opts.by < CAIRN_SPLIT_COUNT || split->opts.by > CAIRN_SPLIT_TID)
		return base_fail(split->cairn, CAIRN_E_INVAL, "a trace is not split by %d", split->opts.by);
	if (split->opts.by == CAIRN_SPLIT_COUNT && split->opts.every == 0)
		return base_fail(split->cairn, CAIRN_E_INVAL, "a part has at least one instruction");
	if (!change || !change->slice || !change->split)
		return base_fail(split->cairn, CAIRN_E_UNSUPPORTED, "%s: %s traces cannot be split",
		                 io_name(split->reader->io), split->reader->format->name);
	int rc = check_pattern(split);
	return rc < 0 ? rc : model_keep_format(split->reader, split->out, "split");
}

int cairn_split(struct cairn_reader *reader, const struct cairn_split_opts *opts,
                const struct cairn_output *out, struct cairn_changed *done)
{
	struct cairn_changed own = {.size = sizeof own};
	struct cairn_output output = {.size = sizeof output};
	struct split split = {.cairn = reader->cairn,
	                      .reader = reader,
	                      .out = &output,
	                      .done = done ? done : &own};
	if (split.done->size < sizeof own || !out || out->size > sizeof output)
		return base_fail(reader->cairn, CAIRN_E_INVAL,
		                 "options of a newer library, or of unknown size");
	memcpy(&output, out, out->size);
	split.done->instructions = 0;
	split.done->lost = model_ledger_new(reader->cairn);
	split.done->notes = model_ledger_new(reader->cairn);
	int rc = split.done->lost && split.done->notes ? split_check(&split, opts) : CAIRN_E_NOMEM;
	if (rc >= 0) {
		struct io_hold parts;
		io_hold_begin(split.cairn, &parts);
		rc = split.opts.by == CAIRN_SPLIT_COUNT ? split_by_count(&split) : by_groups(&split);
		int ended = io_hold_end(split.cairn, &parts, rc >= 0);
		rc = rc < 0 ? rc : ended;
	}
	for (size_t i = 0; i < split.n_parts; i++) {
		if (rc >= 0 && split.opts.part && split.parts[i].complete)
			rc = split.opts.part(split.opts.user, split.parts[i].path, split.parts[i].instructions);
		base_free(split.cairn, split.parts[i].path);
	}
	base_free(split.cairn, split.parts);
	groups_free(&split.all);
	cairn_changed_free(split.cairn, &own);
	return rc < 0 ? rc : 0;
}
