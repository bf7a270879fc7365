/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The output of the verbs that change traces: its beginning, its records, its end.
 *
 * The beginning is the input's: header, TRACEINFO, the strings that describe the
 * machine. NLEVEL counts filters and goes up by one; INFO2 gets the date of the change
 * and, at the end, the CPUs that are there (clause 2(c)). What was done to the trace
 * stands behind them as a string.
 */
#include <time.h>

#include "formats/rst/change/remake.h"

#include <stdio.h>

enum { SIZE = CAIRN_RST_SIZE };

/* ---- ledgers ---- */

int rst_remake_lost(struct rst_remake *remake, const char *what, uint64_t count, uint64_t n)
{
	int rc = model_ledger_add(remake->cairn, remake->done->lost, what, count, n);
	if (rc < 0 || !remake->out->lossless || !count)
		return rc;
	return base_fail(remake->cairn, CAIRN_E_LOSS, "%s: the output would lose %s", remake->out->path,
	                 what);
}

int rst_remake_note(struct rst_remake *remake, const char *what, uint64_t count, uint64_t n)
{
	return model_ledger_add(remake->cairn, remake->done->notes, what, count, n);
}

/* ---- the prologue ---- */

bool rst_is_prologue(const uint8_t *p)
{
	switch (p[0]) {
	case CAIRN_RST_RSTHEADER:
	case CAIRN_RST_TRACEINFO:
	case CAIRN_RST_STRDESC:
	case CAIRN_RST_STRCONT:
	case CAIRN_RST_LEFTDELIM:
	case CAIRN_RST_RIGHTDELIM:
	case CAIRN_RST_HWINFO:
		return true;
	default:
		return false;
	}
}

void rst_prologue_init(struct rst_prologue *pr, struct cairn *cairn)
{
	*pr = (struct rst_prologue){0};
	base_buf_init(&pr->records, cairn);
}

void rst_prologue_free(struct rst_prologue *pr)
{
	base_buf_free(&pr->records);
}

bool rst_prologue_take(struct rst_prologue *pr, const uint8_t *p, int *rc)
{
	*rc = 0;
	if (pr->complete)
		return p[0] == CAIRN_RST_RSTHEADER; /* a second one has no place (2(a)i) */
	if (!pr->records.len && !pr->left_out && rst_begins_snapshot(p))
		pr->snapshot = true;
	if (p[0] == CAIRN_RST_RSTHEADER) {
		pr->snapshot = false;
		pr->version = rst_version_of(p);
	}
	if (pr->snapshot) {
		pr->left_out++;
		return true;
	}
	if (p[0] == CAIRN_RST_INSTR)
		pr->complete = true;
	if (!rst_is_prologue(p))
		return false;
	*rc = base_buf_put(&pr->records, p, SIZE);
	return true;
}

/* ---- the output ---- */

int rst_remake_init(struct rst_remake *remake, struct cairn *cairn, const struct cairn_output *out,
                    struct cairn_changed *done)
{
	*remake =
		(struct rst_remake){.cairn = cairn, .out = out, .done = done, .now = (uint64_t)time(NULL)};
	base_buf_init(&remake->said, cairn);
	base_buf_init(&remake->tlb, cairn);
	return rst_output_of(cairn, out, &remake->target);
}

static int put_raw(struct rst_remake *remake, const uint8_t *p, size_t records)
{
	return rst_pack_put(remake->pk, p, records);
}

int rst_remake_string(struct rst_remake *remake, const char *text, size_t n)
{
	int rc = 0;
	for (bool more = true; more && rc >= 0;) {
		uint8_t p[SIZE];
		more = rst_make_string(p, &text, &n);
		rc = put_raw(remake, p, 1);
	}
	return rc;
}

/* Header, NLEVEL and INFO2: the input's, or new ones. */
static int put_three(struct rst_remake *remake, const struct rst_prologue *pr, uint64_t *taken)
{
	const uint8_t *level = NULL, *info2 = NULL;
	uint8_t p[SIZE];
	*taken = 0;
	for (size_t i = 0; i < pr->records.len / SIZE && i < 64; i++) {
		const uint8_t *rec = pr->records.data + i * SIZE;
		const struct rst_layout *layout = rst_layout_of(rec, pr->version);
		bool mine = rec[0] == CAIRN_RST_RSTHEADER || (layout->id == RST_L_NLEVEL && !level) ||
		            (layout->id == RST_L_INFO2 && !info2);
		level = layout->id == RST_L_NLEVEL && !level ? rec : level;
		info2 = layout->id == RST_L_INFO2 && !info2 ? rec : info2;
		*taken |= mine ? UINT64_C(1) << i : 0;
	}
	rst_make_header(p, remake->version);
	int rc = put_raw(remake, p, 1);
	if (remake->version < RST_VERSION(1, 10))
		return rc;
	if (level)
		memcpy(p, level, SIZE);
	else
		rst_make_level(p, 0, remake->now);
	unsigned n = rst_NLEVEL_level(p);
	remake->level = (uint16_t)(n < 0xffff ? n + 1 : n);
	rst_put_NLEVEL_level(p, remake->level);
	if (rc >= 0)
		rc = put_raw(remake, p, 1);
	if (info2)
		memcpy(remake->info2, info2, SIZE);
	else
		rst_make_info2(remake->info2, 0, 1, remake->now, remake->now);
	uint64_t created = rst_INFO2_date_created(remake->info2);
	rst_put_INFO2_date_modified(remake->info2, remake->now > created ? remake->now : created);
	remake->info2_at = rst_pack_records(remake->pk);
	return rc < 0 ? rc : put_raw(remake, remake->info2, 1);
}

static int put_history(struct rst_remake *remake, const char *tool, const char *const *comments,
                       size_t n_comments)
{
	struct base_buf text;
	int rc = 0;
	for (size_t i = 0; i < n_comments && rc >= 0; i++)
		rc = rst_remake_string(remake, comments[i], strlen(comments[i]));
	base_buf_init(&text, remake->cairn);
	if (rc >= 0)
		rc = base_buf_printf(&text, "%s%s%s", remake->out->tool ? remake->out->tool : tool,
		                     remake->out->command ? ": " : "",
		                     remake->out->command ? remake->out->command : "");
	if (rc >= 0)
		rc = rst_remake_string(remake, (const char *)text.data, text.len);
	base_buf_free(&text);
	return rc;
}

int rst_remake_open(struct rst_remake *remake, const struct rst_prologue *pr, const char *tool,
                    const char *const *comments, size_t n_comments)
{
	uint64_t taken = 0;
	uint8_t p[SIZE];
	if (!remake->version)
		remake->version = remake->target.version ? remake->target.version
		                  : pr->version          ? pr->version
		                                         : RST_NEWEST;
	int rc =
		rst_pack_open(remake->cairn, remake->out->path, &remake->target,
	                  remake->out->threads ? remake->out->threads : 1, RST_HOLD_AGAIN, &remake->pk);
	if (rc >= 0)
		rc = put_three(remake, pr, &taken);
	for (size_t i = 0; rc >= 0 && i < pr->records.len / SIZE; i++) {
		if (i < 64 && taken >> i & 1)
			continue;
		rc = rst_remake_convert(remake, pr->version, pr->records.data + i * SIZE, p);
		if (rc > 0)
			rc = put_raw(remake, p, 1);
	}
	if (rc >= 0)
		rc = base_buf_put(&remake->said, pr->records.data, pr->records.len);
	if (rc >= 0)
		rc = rst_remake_lost(remake, "records of the snapshot around the trace", pr->left_out, 0);
	if (rc >= 0)
		rc = put_history(remake, tool, comments, n_comments);
	return rc;
}

/* How many records belong together: a string has several. */
static size_t saying(const uint8_t *p, size_t n)
{
	size_t i = 0;
	while (i + SIZE < n && p[i] == CAIRN_RST_STRCONT)
		i += SIZE;
	return i + SIZE;
}

static bool was_said(const struct rst_remake *remake, const uint8_t *p, size_t n)
{
	for (size_t at = 0; at < remake->said.len;) {
		size_t len = saying(remake->said.data + at, remake->said.len - at);
		if (len == n && !memcmp(remake->said.data + at, p, n))
			return true;
		at += len;
	}
	return false;
}

int rst_remake_join(struct rst_remake *remake, const struct rst_prologue *pr)
{
	int rc = rst_remake_lost(remake, "records of the snapshot around the trace", pr->left_out, 0);
	for (size_t at = 0, n; at < pr->records.len && rc >= 0; at += n) {
		const uint8_t *p = pr->records.data + at;
		n = saying(p, pr->records.len - at);
		if (p[0] != CAIRN_RST_RSTHEADER && p[0] != CAIRN_RST_TRACEINFO && !was_said(remake, p, n)) {
			rc = put_raw(remake, p, n / SIZE);
			if (rc >= 0)
				rc = base_buf_put(&remake->said, p, n);
		}
	}
	return rc;
}

int rst_remake_put(struct rst_remake *remake, const uint8_t *p, size_t records)
{
	bool wide = rst_is_wide(remake->version);
	for (size_t i = 0; i < records; i++) {
		const uint8_t *rec = p + i * SIZE;
		if (rec[0] != CAIRN_RST_INSTR)
			continue;
		unsigned cpu = rst_instr_cpu(rec, wide);
		remake->n++;
		if (__builtin_expect(!remake->seen[cpu], 0)) {
			remake->seen[cpu] = 1;
			remake->n_cpus++;
			remake->max_cpu = cpu > remake->max_cpu ? cpu : remake->max_cpu;
		}
	}
	return put_raw(remake, p, records);
}

/* ---- versions ---- */

static int lose_field(struct rst_remake *remake, const struct rst_layout *layout, const char *field)
{
	char what[96];
	snprintf(what, sizeof what, "%s.%s, which RST %u.%02u does not have", layout->type_name, field,
	         remake->version >> 8, remake->version & 255);
	return rst_remake_lost(remake, what, 1, 0);
}

/* Fields by name into the layout of the output's version. */
static int convert_fields(struct rst_remake *remake, const struct rst_layout *layout,
                          const struct cairn_field *field, int n, uint8_t *out)
{
	const struct cairn_rst_config cfg = {(uint16_t)(remake->version >> 8),
	                                     (uint16_t)(remake->version & 255)};
	struct cairn_field keep[CAIRN_MAX_FIELDS];
	unsigned kept = 0;
	int rc = 0;
	for (int i = 0; i < n && rc >= 0; i++) {
		keep[kept] = field[i];
		if (cairn_rst_encode(&cfg, layout->type, keep, kept + 1, out) >= 0)
			kept++;
		else if (field[i].value || field[i].len)
			rc = lose_field(remake, layout, field[i].name);
	}
	if (rc >= 0 && cairn_rst_encode(&cfg, layout->type, keep, kept, out) < 0)
		return lose_field(remake, layout, "record");
	return rc < 0 ? rc : 1;
}

int rst_remake_convert(struct rst_remake *remake, unsigned from, const uint8_t *p, uint8_t *out)
{
	struct cairn_field field[CAIRN_MAX_FIELDS];
	const struct rst_layout *layout = rst_layout_of(p, from),
							*to = rst_layout_of(p, remake->version);
	char what[96];
	memcpy(out, p, SIZE);
	if (!layout || from == remake->version ||
	    (layout == to && rst_type_since(p[0]) <= remake->version))
		return 1;
	if (rst_type_since(p[0]) > remake->version) {
		snprintf(what, sizeof what, "%s records, which RST %u.%02u does not have",
		         layout->type_name, remake->version >> 8, remake->version & 255);
		return rst_remake_lost(remake, what, 1, 0);
	}
	return convert_fields(remake, layout, field, rst_fields_of(layout, p, field), out);
}

/* ---- TLBs at the beginning ---- */

int rst_remake_tlb(struct rst_remake *remake, unsigned cpu, const uint8_t *p, size_t records)
{
	uint16_t of = (uint16_t)cpu;
	int rc = 0;
	if (remake->tlb.len == 0)
		remake->tlb_at = rst_pack_records(remake->pk);
	for (size_t i = 0; i < records && rc >= 0; i++)
		rc = base_buf_put(&remake->tlb, &of, sizeof of);
	return rc < 0 ? rc : put_raw(remake, p, records);
}

int rst_remake_tlb_ahead(struct rst_remake *remake, unsigned except)
{
	uint8_t told[RST_MAX_CPUS] = {0};
	const uint16_t *cpu = (const void *)remake->tlb.data;
	bool wide = rst_is_wide(remake->version);
	int rc = 0;
	told[except] = 1;
	for (size_t i = 0; i < remake->tlb.len / sizeof *cpu; i++)
		told[cpu[i]] = 1;
	for (size_t at = 0; at < remake->ahead.len && rc >= 0; at += SIZE) {
		unsigned of = (unsigned)rst_cpu_of(remake->ahead.data + at, wide);
		if (!told[of])
			rc = rst_remake_tlb(remake, of, remake->ahead.data + at, 1);
	}
	return rc;
}

static int drop_idle_tlb(struct rst_remake *remake)
{
	static const uint8_t none[SIZE] = {CAIRN_RST_NULLREC};
	const uint16_t *cpu = (const void *)remake->tlb.data;
	int rc = 0;
	for (size_t i = 0; i < remake->tlb.len / sizeof *cpu && rc >= 0; i++)
		if (!remake->seen[cpu[i]])
			rc = rst_pack_again(remake->pk, remake->tlb_at + i, none);
	return rc;
}

/* ---- the end ---- */

static int correct_info2(struct rst_remake *remake)
{
	uint8_t *p = remake->info2;
	if (!remake->info2_at)
		return 0;
	if (remake->n_cpus)
		rst_put_cpus(p, remake->max_cpu, remake->n_cpus);
	return rst_pack_again(remake->pk, remake->info2_at, p);
}

int rst_remake_finish(struct rst_remake *remake, int rc)
{
	remake->done->instructions = remake->n;
	base_buf_free(&remake->said);
	base_buf_free(&remake->ahead);
	if (rc >= 0)
		rc = correct_info2(remake);
	if (rc >= 0)
		rc = drop_idle_tlb(remake);
	base_buf_free(&remake->tlb);
	if (rc >= 0)
		return rst_pack_finish(remake->pk, remake->done->lost);
	rst_pack_abort(remake->pk);
	return rc;
}
