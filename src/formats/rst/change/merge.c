/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces one after another as one.
 *
 * Parts without a header are what one trace was written to in pieces (clause 6): whole,
 * they are appended as they lie, and nothing else is changed. A part with a header is a
 * run of its own on the same machine: its header and TRACEINFO have no place behind the
 * first instruction, its strings are kept where they say something new, and its own
 * beginning (TLBs, PREG, PAVADIFF of each CPU) puts the state right. The strings that
 * describe the machine must agree. The TLBs of CPUs that only a later part has stand at the
 * beginning, too (clause 2(g)), where that part can be looked at before its turn comes.
 */
#include "formats/rst/change/remake.h"

enum { SIZE = CAIRN_RST_SIZE, MOST_AHEAD = 16 << 20 };

static bool merge_has_header(const struct cairn_reader *reader)
{
	const struct rst_impl *im = reader->impl;
	return im->rfs || (im->head_len && im->head[0] == CAIRN_RST_RSTHEADER);
}

/* Are the parts one trace in pieces? */
static bool is_serial(const struct cairn_merge_part *parts, size_t n)
{
	bool serial = true;
	for (size_t i = 0; i < n; i++)
		serial &= parts[i].n_ranges == 0 && (i == 0 || !merge_has_header(parts[i].reader));
	return serial;
}

static int rewind_part(const struct cairn_merge_part *part)
{
	return part->reader->started ? cairn_seek(part->reader, 1) : 0;
}

/* ---- pieces of one trace ---- */

static int merge_append(struct rst_pack *pk, const struct cairn_merge_part *part,
                        struct cairn_changed *done)
{
	int rc = rewind_part(part);
	return rc < 0 ? rc : rst_copy_records(part->reader, pk, done);
}

static int merge_serial(const struct cairn_merge_part *parts, size_t n,
                        const struct rst_output *target, const struct cairn_output *out,
                        struct cairn_changed *done)
{
	struct rst_pack *pk = NULL;
	int rc = rst_pack_open(parts[0].reader->cairn, out->path, target,
	                       out->threads ? out->threads : 1, RST_HOLD_NOTHING, &pk);
	for (size_t i = 0; i < n && rc >= 0; i++)
		rc = merge_append(pk, &parts[i], done);
	if (rc < 0) {
		rst_pack_abort(pk);
		return rc;
	}
	return rst_pack_finish(pk, done->lost);
}

/* ---- runs ---- */

/* A fact from the beginning, "" when there is none. */
static const char *merge_fact(struct cairn_reader *reader, const char *key)
{
	const struct cairn_info *info;
	if (cairn_reader_info(reader, &info) < 0)
		return "";
	for (size_t i = 0; i < info->n; i++)
		if (info->facts[i].is_known && info->facts[i].text && !strcmp(info->facts[i].key, key))
			return info->facts[i].text;
	return "";
}

static int agree(const struct cairn_merge_part *left, const struct cairn_merge_part *right)
{
	static const char *const keys[][2] = {{"mmutype", "mmutype"},
	                                      {"cputype", "cputype"},
	                                      {"windows", "nwins"}};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		const char *x = merge_fact(left->reader, keys[i][0]),
				   *y = merge_fact(right->reader, keys[i][0]);
		if (*x && *y && strcmp(x, y) != 0)
			return base_fail(left->reader->cairn, CAIRN_E_INVAL,
			                 "%s and %s cannot become one trace: their "
			                 "machines differ (%s=%s, %s=%s)",
			                 left->name, right->name, keys[i][1], x, keys[i][1], y);
	}
	return 0;
}

static int merge_prepare(struct rst_remake *remake, const struct cairn_merge_part *parts, size_t n)
{
	unsigned version = remake->target.version;
	int rc = 0;
	for (size_t i = 0; i < n && rc >= 0; i++) {
		const struct rst_impl *im = parts[i].reader->impl;
		if (!remake->target.version && im->version > version)
			version = im->version;
		if (i && merge_has_header(parts[i].reader))
			rc = agree(&parts[0], &parts[i]);
	}
	remake->version = version ? version : RST_NEWEST;
	return rc;
}

/* ---- the TLBs of later parts ---- */

/* The TLB records before a part's first instruction. */
static int look_at_tlbs(struct rst_remake *remake, const struct cairn_merge_part *part)
{
	const struct rst_impl *im = part->reader->impl;
	struct rst_cursor cursor;
	const uint8_t *p;
	uint8_t out[SIZE];
	bool ran = false;
	size_t n;
	int rc = rewind_part(part);
	rst_cursor_init(&cursor, part->reader);
	while (rc >= 0 && !ran && remake->ahead.len < MOST_AHEAD &&
	       (rc = rst_cursor_next(&cursor, &p, &n)) > 0) {
		size_t i = 0;
		for (; i < n && rc >= 0 && !(ran = p[i * SIZE] == CAIRN_RST_INSTR); i++) {
			if (p[i * SIZE] != CAIRN_RST_TLB)
				continue;
			rc = rst_remake_convert(remake, im->version, p + i * SIZE, out);
			if (rc > 0)
				rc = base_buf_put(&remake->ahead, out, SIZE);
			remake->comes[rst_cpu_of(p + i * SIZE, im->wide)] = 1;
		}
		rst_cursor_took(&cursor, i);
	}
	return rc < 0 ? rc : rewind_part(part);
}

static int merge_look_ahead(struct rst_remake *remake, const struct cairn_merge_part *parts,
                            size_t n)
{
	int rc = 0;
	base_buf_init(&remake->ahead, remake->cairn);
	for (size_t i = 1; i < n && rc >= 0; i++)
		if (merge_has_header(parts[i].reader) && io_can_seek(parts[i].reader->io))
			rc = look_at_tlbs(remake, &parts[i]);
	return rc;
}

static int rst_merge_put_part(struct rst_remake *remake, const struct cairn_merge_part *part,
                              bool last, struct rst_carried **known)
{
	static const struct cairn_range all = {1, UINT64_MAX};
	struct rst_segment segment = {.remake = remake};
	size_t n = part->n_ranges ? part->n_ranges : 1;
	bool follows = remake->pk && merge_has_header(part->reader);
	int rc = rewind_part(part);
	if (rc >= 0)
		rc = rst_segment_open(remake, part->reader, &segment);
	if (rc >= 0 && *known &&
	    !merge_has_header(part->reader)) { /* it goes on where the last one ended */
		rst_carried_free(segment.carried);
		segment.carried = *known;
		*known = NULL;
	}
	segment.tool = "cairn merge";
	segment.any_ahead = n > 1;
	memset(segment.hole, follows, sizeof segment.hole);
	for (size_t i = 0; i < n && rc >= 0; i++) {
		const struct cairn_range *range = part->n_ranges ? &part->ranges[i] : &all;
		bool again = i && range->first <= part->ranges[i - 1].last;
		if (again)
			rc = rst_segment_again(&segment);
		if (rc >= 0)
			rc = rst_segment_range(&segment, range->first, range->last, true);
		if (rc >= 0)
			rc = rst_segment_end(&segment, rc == 0 && (last || !part->n_ranges));
	}
	rst_carried_free(*known);
	*known = rc < 0 ? NULL : segment.carried;
	segment.carried = rc < 0 ? segment.carried : NULL;
	rst_segment_close(&segment);
	return rc;
}

int rst_merge(const struct cairn_merge_part *parts, size_t n, const struct cairn_output *out,
              struct cairn_changed *done)
{
	struct rst_remake remake;
	struct rst_carried *known = NULL;
	int rc = rst_remake_init(&remake, parts[0].reader->cairn, out, done);
	if (rc >= 0 && !remake.target.version && is_serial(parts, n))
		return merge_serial(parts, n, &remake.target, out, done);
	if (rc >= 0)
		rc = merge_prepare(&remake, parts, n);
	if (rc >= 0)
		rc = merge_look_ahead(&remake, parts, n);
	for (size_t i = 0; i < n && rc >= 0; i++)
		rc = rst_merge_put_part(&remake, &parts[i], i + 1 == n, &known);
	rst_carried_free(known);
	if (rc >= 0 && remake.n == 0)
		rc = model_fail_empty_parts(parts, n);
	if (rc >= 0 && remake.n == 0)
		rc = base_fail(remake.cairn, CAIRN_E_NOTFOUND, "%s: the parts have no instruction",
		               out->path);
	return rst_remake_finish(&remake, rc);
}
