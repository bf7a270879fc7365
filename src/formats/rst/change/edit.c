/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Another version, more comments, fewer kinds of records. Everything else stays as it is
 * and where it is. What a trace needs to be valid cannot be left out.
 */
#include "formats/rst/change/remake.h"

#include <stdio.h>
#include <strings.h>

enum { SIZE = CAIRN_RST_SIZE };

struct edit {
	struct rst_remake remake;
	const struct cairn_edit_opts *opts;
	struct rst_prologue prologue;
	struct base_buf
		early;        /* what came before the first instruction and stays, behind the prologue */
	unsigned version; /* of the input */
	bool drop[256], strings;
	uint64_t dropped;
};

/* ---- leaving out ---- */

/* Why records of a type must stay; NULL: they may be left out. */
static const char *rst_edit_needed(unsigned type)
{
	switch (type) {
	case CAIRN_RST_RSTHEADER:
	case CAIRN_RST_TRACEINFO:
		return "every trace has them (clause 2)";
	case CAIRN_RST_INSTR:
		return "they are what the trace is about (cairn slice leaves out instructions)";
	case CAIRN_RST_PAVADIFF:
		return "without them physical addresses would be wrong (clauses 2(h), 3(c))";
	case CAIRN_RST_PREG:
		return "every CPU's state begins with one, and done and retry need theirs (clauses "
			   "2(f), 4(f))";
	case CAIRN_RST_TRAP:
		return "instructions with tr belong to them (clause 4(d))";
	case CAIRN_RST_TLB:
		return "they are what the TLBs hold (clause 2(g))";
	case CAIRN_RST_RECNUM:
		return "where instructions were left out, only they say so";
	case CAIRN_RST_STRCONT:
		return "they are the beginning of strings: drop STRDESC, and both go";
	case CAIRN_RST_RFS_SECTION_HEADER:
	case CAIRN_RST_RFS_CW:
	case CAIRN_RST_RFS_BT:
	case CAIRN_RST_RFS_RST:
		return "a snapshot's sections count their records";
	default:
		return NULL;
	}
}

/* "instr", "INSTR_T", "TIMESTAMP" */
static int rst_edit_type_named(const char *name)
{
	static const struct {
		const char *old;
		unsigned type;
	} olds[] = {{"TIMESTAMP", CAIRN_RST_CPU},
	            {"CONTEXT", CAIRN_RST_PREG},
	            {"FILEMARKER", CAIRN_RST_RECNUM}};
	size_t n = strlen(name);
	if (n > 2 && !strcasecmp(name + n - 2, "_T"))
		n -= 2;
	for (unsigned i = 0; i < 256; i++) {
		const char *s = cairn_rst_type_name(i);
		if (s && strlen(s) == n && !strncasecmp(s, name, n))
			return (int)i;
	}
	for (size_t i = 0; i < sizeof olds / sizeof *olds; i++)
		if (strlen(olds[i].old) == n && !strncasecmp(olds[i].old, name, n))
			return (int)olds[i].type;
	return -1;
}

static int rst_edit_drop_type(void *self, const char *name)
{
	struct edit *edit = self;
	int type = rst_edit_type_named(name);
	if (type < 0)
		return base_fail(edit->remake.cairn, CAIRN_E_INVAL, "RST has no record '%s'", name);
	const char *why = rst_edit_needed((unsigned)type);
	if (why)
		return base_fail(edit->remake.cairn, CAIRN_E_INVAL, "%s records cannot be left out: %s",
		                 cairn_rst_type_name((unsigned)type), why);
	if (type == CAIRN_RST_STRDESC) {
		edit->strings = true;
		return 0;
	}
	edit->drop[type] = true;
	if (type == CAIRN_RST_LEFTDELIM || type == CAIRN_RST_RIGHTDELIM)
		edit->drop[CAIRN_RST_LEFTDELIM] = edit->drop[CAIRN_RST_RIGHTDELIM] = true;
	return 0;
}

/* Does the string that begins here describe the machine? Those stay. */
static bool describes(const uint8_t *p)
{
	const char *s = rst_STRDESC_text(p);
	return !strncmp(s, "mmutype=", 8) || !strncmp(s, "cputype=", 8) || !strncmp(s, "nwins=", 6);
}

/* Drop the strings of the prologue, except those about the machine. */
static void drop_strings(struct edit *edit)
{
	struct base_buf *buf = &edit->prologue.records;
	size_t to = 0;
	bool inside = false, keep = true;
	for (size_t at = 0; at < buf->len; at += SIZE) {
		const uint8_t *p = buf->data + at;
		bool string = p[0] == CAIRN_RST_STRCONT || p[0] == CAIRN_RST_STRDESC;
		if (string && !inside)
			keep = describes(p);
		inside = p[0] == CAIRN_RST_STRCONT;
		if (string && !keep) {
			edit->dropped++;
			continue;
		}
		memmove(buf->data + to, p, SIZE);
		to += SIZE;
	}
	buf->len = to;
}

/* ---- options ---- */

static int parse_version(struct edit *edit, const char *text)
{
	unsigned major, minor;
	int used = 0;
	if (sscanf(text, "%3u.%3u%n", &major, &minor, &used) != 2 || text[used] || minor > 255 ||
	    RST_VERSION(major, minor) > RST_NEWEST || major == 0)
		return base_fail(edit->remake.cairn, CAIRN_E_INVAL,
		                 "the versions of RST are 1.00 to 2.13, not '%s'", text);
	edit->remake.target.version = (unsigned)RST_VERSION(major, minor);
	return 0;
}

static int rst_edit_prepare(struct edit *edit)
{
	const struct cairn_edit_opts *opts = edit->opts;
	const char *none = opts->features     ? "features"
	                   : opts->isa_string ? "string for its instruction set"
	                   : opts->generator  ? "place for who made it (a comment may say it)"
	                   : opts->event_bits ? "width of event ids"
	                                      : NULL;
	if (none)
		return base_fail(edit->remake.cairn, CAIRN_E_UNSUPPORTED, "an RST trace has no %s", none);
	int rc = opts->version ? parse_version(edit, opts->version) : 0;
	for (size_t i = 0; i < opts->n_drop && rc >= 0; i++)
		rc = model_each_word(edit->remake.cairn, "RST", opts->drop[i], rst_edit_drop_type, edit);
	return rc;
}

/* ---- records ---- */

/* REGVALs that rules ask for stay: those of traps, windows and the MMU. */
static bool is_dropped(const struct edit *edit, const uint8_t *p)
{
	bool state = false;
	for (unsigned i = 0; p[0] == CAIRN_RST_REGVAL && i < 2; i++)
		state |= rst_regtype(p, i) == RST_R_PRIV || rst_regtype(p, i) == RST_R_MMU;
	return edit->drop[p[0]] && !state;
}

static int edit_put(struct edit *edit, const uint8_t *p)
{
	uint8_t out[SIZE];
	if (is_dropped(edit, p)) {
		edit->dropped++;
		return 0;
	}
	if (edit->version == edit->remake.version || !edit->version)
		return rst_remake_put(&edit->remake, p, 1);
	int rc = rst_remake_convert(&edit->remake, edit->version, p, out);
	return rc > 0 ? rst_remake_put(&edit->remake, out, 1) : rc;
}

static int edit_open_output(struct edit *edit)
{
	struct base_buf *buf = &edit->prologue.records;
	size_t to = 0;
	if (edit->prologue.left_out)
		return base_fail(edit->remake.cairn, CAIRN_E_UNSUPPORTED,
		                 "%s: the trace is a snapshot, whose sections "
		                 "count their records; cairn slice makes a plain trace of it",
		                 edit->remake.out->path);
	if (edit->strings)
		drop_strings(edit);
	for (size_t at = 0; at < buf->len; at += SIZE) {
		if (is_dropped(edit, buf->data + at)) {
			edit->dropped++;
			continue;
		}
		memmove(buf->data + to, buf->data + at, SIZE);
		to += SIZE;
	}
	buf->len = to;
	int rc = rst_remake_open(&edit->remake, &edit->prologue, "cairn edit", edit->opts->comments,
	                         edit->opts->n_comments);
	for (size_t at = 0; at < edit->early.len && rc >= 0; at += SIZE)
		rc = edit_put(edit, edit->early.data + at);
	return rc;
}

static int edit_one(struct edit *edit, const uint8_t *p)
{
	int rc;
	if (rst_prologue_take(&edit->prologue, p, &rc))
		return rc;
	if (!edit->remake.pk && !edit->prologue.complete)
		return base_buf_put(&edit->early, p, SIZE);
	if (!edit->remake.pk && (rc = edit_open_output(edit)) < 0)
		return rc;
	if (edit->strings && (p[0] == CAIRN_RST_STRCONT || p[0] == CAIRN_RST_STRDESC)) {
		edit->dropped++;
		return 0;
	}
	return edit_put(edit, p);
}

static int edit(struct edit *self, struct cairn_reader *reader)
{
	struct rst_cursor cursor;
	const uint8_t *p;
	size_t n;
	int rc;
	rst_cursor_init(&cursor, reader);
	while ((rc = rst_cursor_next(&cursor, &p, &n)) > 0) {
		for (size_t i = 0; i < n && rc >= 0; i++)
			rc = edit_one(self, p + i * SIZE);
		if (rc < 0)
			return rc;
		rst_cursor_took(&cursor, n);
	}
	if (rc >= 0 && !self->remake.pk)
		rc = edit_open_output(self);
	return rc;
}

int rst_edit(struct cairn_reader *reader, const struct cairn_edit_opts *opts,
             const struct cairn_output *out, struct cairn_changed *done)
{
	const struct rst_impl *im = reader->impl;
	struct edit e = {.opts = opts, .version = im->version};
	rst_prologue_init(&e.prologue, reader->cairn);
	base_buf_init(&e.early, reader->cairn);
	int rc = rst_remake_init(&e.remake, reader->cairn, out, done);
	if (rc >= 0)
		rc = rst_edit_prepare(&e);
	if (rc >= 0)
		rc = edit(&e, reader);
	if (rc >= 0 && e.dropped)
		rc = rst_remake_note(&e.remake, "records left out as asked", e.dropped, 0);
	rst_prologue_free(&e.prologue);
	base_buf_free(&e.early);
	return rst_remake_finish(&e.remake, rc);
}
