/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing instructions: what the records need beyond what the caller said is derived.
 *
 * An instruction waits until the next one has come. Only then is known where a taken
 * branch went, where a trap's handler is, and that the privilege mode changes behind
 * it: MODE_CHANGE holds for what follows its group, except at the start of the trace
 * and with a FORCE_PC, where it tells of its own (draft, EventRecord). So the records
 * of the waiting instruction are ready but for three places, which are filled when it
 * is written.
 *
 * The PC follows as a reader computes it (sheet, "PC computation"). Whatever a branch,
 * an event or the length of the encoding does not explain is a FORCE_PC. An instruction
 * that is refused leaves nothing behind; the writer goes on with the next.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "formats/stf/build.h"
#include "formats/stf/stf.h"

enum { NOP_32 = 0x00000013, NOP_16 = 0x0001 };

/* ---- beginning ---- */

static int write_header(struct stf_build *b)
{
	struct cairn_stf_writer *w = b->w;
	enum cairn_stf_feature_mode mode = b->opts.mode == CAIRN_STF_FEATURES_DECLARED
	                                       ? CAIRN_STF_FEATURES_DECLARED
	                                       : CAIRN_STF_FEATURES_AUTO;
	int rc = cairn_stf_put_header_group(w, b->header, mode, 1);
	b->begun = rc >= 0;
	return rc;
}

static int build_prepare(struct stf_build *b, const struct cairn_stf_begin_opts *o)
{
	int rc = o->header ? stf_header_copy(b->w->c, o->header, &b->header)
	                   : cairn_stf_header_new(b->w->c, &b->header);
	if (rc < 0)
		return rc;
	struct cairn_stf_config *cfg = &b->header->cfg;
	cfg->features |= o->features;
	cfg->new_ids = cfg->version_minor >= 5;
	if (cfg->protocol)
		cfg->isa = cfg->iem = 0;
	if (!o->no_provenance)
		rc = cairn_stf_header_provenance(b->header, &o->provenance);
	if (rc >= 0)
		rc = stf_reading_tell(b->header, &(struct stf_reading){0});
	if (rc >= 0)
		rc = stf_header_check(b->w, b->header);
	if (rc >= 0 && !(b->memo = isa_memo_new(b->w->c)))
		rc = CAIRN_E_NOMEM;
	if (rc >= 0 && cfg->protocol)
		rc = write_header(b);
	return rc;
}

int cairn_stf_begin(struct cairn_stf_writer *w, const struct cairn_stf_begin_opts *opts)
{
	struct cairn_stf_begin_opts o = {.size = sizeof o};
	if (w->status < 0)
		return w->status;
	if (opts) {
		if (opts->size < sizeof opts->size || opts->size > sizeof o)
			return base_fail(w->c, CAIRN_E_INVAL, "cairn_stf_begin_opts has an unknown size");
		memcpy(&o, opts, opts->size);
	}
	if (w->records || w->build)
		return base_fail(w->c, CAIRN_E_STATE, "%s: a trace begins once, and before all else",
		                 w->path);
	struct stf_build *b = base_alloc(w->c, sizeof *b);
	if (!b)
		return CAIRN_E_NOMEM;
	b->w = w;
	b->opts = o;
	b->opts.header = NULL;
	base_buf_init(&b->front, w->c);
	base_buf_init(&b->out, w->c);
	base_buf_init(&b->two[0].group.buf, w->c);
	base_buf_init(&b->two[1].group.buf, w->c);
	b->waiting = &b->two[0];
	b->next = &b->two[1];
	w->build = b;
	int rc = build_prepare(b, &o);
	if (rc < 0)
		stf_build_free(w);
	return rc;
}

void stf_build_free(struct cairn_stf_writer *w)
{
	struct stf_build *b = w->build;
	if (!b)
		return;
	cairn_stf_header_free(b->header);
	isa_memo_free(b->memo);
	base_buf_free(&b->front);
	base_buf_free(&b->out);
	base_buf_free(&b->two[0].group.buf);
	base_buf_free(&b->two[1].group.buf);
	base_free(w->c, b->items);
	base_free(w->c, b);
	w->build = NULL;
}

int stf_build_comment(struct cairn_stf_writer *w, const char *text, size_t n)
{
	struct stf_build *b = w->build;
	if (n > UINT32_MAX)
		return base_fail(w->c, CAIRN_E_INVAL, "%s: a comment of %zu bytes is too long", w->path, n);
	uint8_t head[5] = {CAIRN_STF_COMMENT};
	base_put_le32(head + 1, (uint32_t)n);
	int rc = base_buf_reserve(&b->front, sizeof head + n);
	if (rc < 0)
		return rc;
	base_buf_put(&b->front, head, sizeof head);
	base_buf_put(&b->front, text, n);
	b->front_records++;
	return 0;
}

/* The ids of a context, in the order of the record; false when none is known. */
static bool build_ids_of(const struct stf_build *b, const struct cairn_ctx *ctx, uint32_t ids[3])
{
	bool now = b->header->cfg.new_ids;
	uint32_t which = now ? CAIRN_CTX_HW_TID | CAIRN_CTX_PID | CAIRN_CTX_TID
	                     : CAIRN_CTX_PID | CAIRN_CTX_TID | CAIRN_CTX_ASID;
	bool hart = now && ctx && ctx->known & CAIRN_CTX_HART; /* is a hardware thread */
	if (!ctx || !(ctx->known & which || hart))
		return false;
	ids[0] = !now                            ? ctx->pid
	         : ctx->known & CAIRN_CTX_HW_TID ? ctx->hw_tid
	         : ctx->known & CAIRN_CTX_HART   ? ctx->hart
	                                         : 0;
	ids[1] = now ? ctx->pid : ctx->tid;
	ids[2] = now ? ctx->tid : ctx->asid;
	return true;
}

/* ---- how an instruction ends ---- */

struct ending {
	bool has_target, has_event, has_mode;
	bool open; /* whether the branch was taken is not known */
	uint64_t target, event, next;
	uint8_t mode;
};

static uint64_t wrap(const struct stf_build *b, uint64_t pc)
{
	return b->isa == CAIRN_ISA_RV32 ? (uint32_t)pc : pc;
}

/* Did the branch go to where the next instruction is? */
static bool build_went(const struct stf_build *b, const struct stf_waiting *x, uint64_t fall,
                       uint64_t pc)
{
	bool conditional = x->traits & CAIRN_TRAIT_CONDITIONAL;
	if (!(x->traits & CAIRN_TRAIT_BRANCH) || x->group.aborted)
		return false;
	if (pc == fall && conditional)
		return false;
	return !x->direct || wrap(b, pc) == wrap(b, x->target);
}

/* The PC at which the first trap of this phase came, if the instruction has one. */
static void see_traps(const struct stf_build *build, const struct cairn_stf_insn *in,
                      enum cairn_phase phase, struct stf_stop *stop)
{
	for (size_t i = 0; i < in->n_events && !stop->any; i++)
		if (stf_trap_phase(build, &in->events[i]) == phase) {
			stop->any = true;
			stop->known = stf_trap_pc(build->isa, in, &in->events[i], &stop->pc);
		}
}

/* Where the waiting instruction goes. `in` is the next one, NULL at the end. `forced`: it says
 * itself that it does not follow. `before`: traps that came between the two. */
static struct ending build_end_of(const struct stf_build *build, const struct cairn_stf_insn *in,
                                  const struct stf_stop *before, bool forced)
{
	const struct stf_waiting *x = build->waiting;
	const struct stf_group *g = &x->group;
	uint64_t fall = x->pc + x->size;
	uint32_t ids[3];
	bool other = in && build->header->cfg.new_ids && build->has_ids &&
	             build_ids_of(build, in->ctx, ids) && ids[0] != build->ids[0];
	/* The next instruction of another hart says nothing about this one's successor. */
	struct stf_stop seen = {.known = in && !forced && !other, .pc = in ? in->pc : 0};
	if (before->any)
		seen = *before;
	struct stf_stop went_to = g->behind.any ? g->behind : seen;
	struct ending e = {.next = fall};
	if (x->flags & CAIRN_STF_TAKEN) {
		e.has_target = (x->flags & CAIRN_STF_TARGET) || x->direct || went_to.known;
		e.target = (x->flags & CAIRN_STF_TARGET) || x->direct ? x->target
		           : went_to.known                            ? went_to.pc
		                                                      : 0;
	} else if (!(x->flags & CAIRN_STF_NOT_TAKEN) && went_to.known &&
	           build_went(build, x, fall, went_to.pc)) {
		e.has_target = true;
		e.target = went_to.pc;
	}
	/* A forced PC that is also the next address counts as falling through. */
	bool fell = went_to.any ? went_to.known && went_to.pc == fall : in && !other && in->pc == fall;
	e.open = x->traits & CAIRN_TRAIT_CONDITIONAL && x->traits & CAIRN_TRAIT_BRANCH && !g->aborted &&
	         !(x->flags & CAIRN_STF_NOT_TAKEN) && !e.has_target &&
	         (x->flags & CAIRN_STF_TAKEN || !fell);
	if (e.has_target)
		e.next = e.target;
	if (g->has_target) {
		e.next = g->target;
	} else if (g->open_event && seen.known && (seen.pc != e.next || g->aborted)) {
		e.has_event = true;
		e.event = e.next = seen.pc;
	}
	return e;
}

/* Bytes [from, to) of the records; room is there. */
static void copy_part(struct base_buf *out, const struct stf_group *g, size_t from, size_t to)
{
	if (from < to)
		base_buf_put(out, g->buf.data + from, to - from);
}

/* The finished records of the waiting instruction go out. */
static int write_waiting(struct stf_build *b, const struct ending *e)
{
	struct stf_waiting *x = b->waiting;
	struct stf_group *g = &x->group;
	struct base_buf *o = &b->out;
	struct stf_group extra = {.buf = *o};
	uint64_t records = g->records + 1;
	size_t at_event = e->has_event ? g->at_event : g->at_mode;
	int rc;

	if (e->open && b->lost && (rc = b->lost(b->user, 1, x->source, model_lost_outcome)) < 0)
		return rc;
	extra.buf.len = 0;
	if ((rc = base_buf_reserve(&extra.buf, g->buf.len + 96)) < 0)
		return rc;
	copy_part(&extra.buf, g, 0, g->at_target);
	if (e->has_target)
		stf_group_value(&extra, CAIRN_STF_INST_PC_TARGET, 8, e->target);
	copy_part(&extra.buf, g, g->at_target, at_event);
	if (e->has_event)
		stf_group_value(&extra, CAIRN_STF_EVENT_PC_TARGET, 8, e->event);
	copy_part(&extra.buf, g, at_event, g->at_mode);
	if (x->begins_mode)
		stf_put_mode(&extra, b->w->cfg.event_bits, x->mode);
	if (e->has_mode)
		stf_put_mode(&extra, b->w->cfg.event_bits, e->mode);
	copy_part(&extra.buf, g, g->at_mode, g->buf.len);
	stf_group_value(&extra, x->size == 2 ? CAIRN_STF_INST_16 : CAIRN_STF_INST_32, x->size, x->enc);
	*o = extra.buf;
	records += extra.records - 1;
	rc = stf_append(b->w, o->data, o->len, records, true, e->next);
	b->waits = false;
	return rc;
}

/* ---- an instruction ---- */

static int check_branch(struct stf_build *b, const struct cairn_stf_insn *in,
                        const struct stf_waiting *x)
{
	bool branch = x->traits & (CAIRN_TRAIT_BRANCH | CAIRN_TRAIT_XRET), known = b->isa != 0;
	bool taken = in->flags & CAIRN_STF_TAKEN, not_taken = in->flags & CAIRN_STF_NOT_TAKEN;
	int rc = 0;
	if (taken && not_taken)
		return base_fail(b->w->c, CAIRN_E_INVAL, "%s: instruction %llu: both taken and not taken",
		                 b->w->path, (unsigned long long)b->n + 1);
	if (taken && known && !branch)
		rc = stf_wrong(b, "taken, but 0x%x is no branch", in->enc);
	else if (not_taken && known && branch && !x->group.aborted &&
	         !(x->traits & CAIRN_TRAIT_CONDITIONAL))
		rc = stf_wrong(b, "not taken, but 0x%x is an unconditional branch", in->enc);
	else if (taken && (in->flags & CAIRN_STF_TARGET) && known && (x->traits & CAIRN_TRAIT_BRANCH) &&
	         x->direct && !b->lost && wrap(b, in->target) != wrap(b, x->target))
		rc = stf_wrong(b, "its target is given as 0x%llx, its encoding 0x%x says 0x%llx",
		               (unsigned long long)in->target, in->enc, (unsigned long long)x->target);
	return rc;
}

/* What no instruction of RISC-V has: an odd address, an encoding of another length. */
static int check_form(struct stf_build *b, const struct stf_waiting *x, bool fault)
{
	int rc = 0;
	if (fault || (b->isa != CAIRN_ISA_RV32 && b->isa != CAIRN_ISA_RV64))
		return 0;
	if (x->pc & 1)
		rc = stf_wrong(b, "its address 0x%llx is odd", (unsigned long long)x->pc);
	else if (((x->enc & 3) == 3) != (x->size == 4))
		rc = stf_wrong(b, "0x%x is no encoding of %u bits", x->enc, 8u * x->size);
	return rc;
}

/* What the encoding tells, and what the caller told of it. */
static int take_encoding(struct stf_build *b, const struct cairn_stf_insn *in,
                         struct stf_waiting *x)
{
	bool fault = x->group.fetch_fault || in->flags & CAIRN_STF_FETCH_FAULT;
	x->pc = in->pc;
	x->size = in->size == 2 ? 2 : 4;
	x->enc = in->enc;
	x->flags = in->flags;
	x->source = b->source;
	if (fault && (!b->opts.keep_fault_encoding || in->flags & CAIRN_STF_FETCH_FAULT))
		x->enc = x->size == 2 ? NOP_16 : NOP_32;
	else if (in->size != 2 && in->size != 4)
		return base_fail(b->w->c, CAIRN_E_INVAL,
		                 "%s: instruction %llu: STF has encodings of 2 and 4 bytes, not %u",
		                 b->w->path, (unsigned long long)b->n + 1, in->size);
	if (x->size == 2 && x->enc > UINT16_MAX)
		return base_fail(b->w->c, CAIRN_E_INVAL,
		                 "%s: instruction %llu: encoding 0x%x does not fit 2 bytes", b->w->path,
		                 (unsigned long long)b->n + 1, x->enc);
	int rc = check_form(b, x, fault);
	if (rc < 0)
		return rc;
	const struct cairn_op *op =
		isa_memo_get(b->memo, stf_variant(&b->header->cfg, b->isa), x->enc, x->size);
	x->traits = op->traits;
	x->direct = (op->traits & CAIRN_TRAIT_BRANCH) && !(op->traits & CAIRN_TRAIT_INDIRECT);
	x->target = wrap(b, x->pc + (uint64_t)op->offset);
	if (op->traits & CAIRN_TRAIT_VECTOR)
		x->group.features |= CAIRN_STF_F_VEC;
	rc = check_branch(b, in, x);
	if (in->flags & CAIRN_STF_TARGET && (in->flags & CAIRN_STF_TAKEN))
		x->target = in->target;
	return rc < 0 ? rc : 0;
}

static int build_put_ids(struct stf_build *b, struct stf_group *g, const struct cairn_stf_insn *in)
{
	uint32_t ids[3];
	if (!build_ids_of(b, in->ctx, ids) || (b->has_ids && !memcmp(ids, b->ids, sizeof ids)))
		return 0;
	uint8_t rec[13] = {CAIRN_STF_PROCESS_ID_EXT};
	for (int i = 0; i < 3; i++)
		base_put_le32(rec + 1 + 4 * i, ids[i]);
	g->records++;
	g->features |= CAIRN_STF_F_PROCESS_ID | stf_who_of(b->w, rec);
	return base_buf_put(&g->buf, rec, sizeof rec);
}

static int put_one_iem(struct stf_build *b, struct stf_group *g, uint64_t isa)
{
	const struct stf_set *set = stf_set_of((enum cairn_isa)isa);
	const char *name = cairn_isa_name((enum cairn_isa)isa);
	if (!set || set->stf_isa != b->header->cfg.isa)
		return stf_cannot(b, "instruction sets beside the first",
		                  "instructions of the set %s among those of another: a trace has one ISA",
		                  name ? name : "given");
	g->features |= isa == CAIRN_ISA_RV64 ? CAIRN_STF_F_RV64 : 0;
	return stf_group_value(g, CAIRN_STF_INST_IEM, 2, set->iem);
}

/* The encoding mode: told by events, and where the instruction is of another one. */
static int put_iem(struct stf_build *b, struct stf_group *g, const struct cairn_stf_insn *in,
                   uint8_t *isa)
{
	int rc = 0;
	*isa = b->isa;
	for (size_t i = 0; i < in->n_events && rc >= 0; i++)
		if (in->events[i].kind == CAIRN_EV_MODE_ISA && b->begun) {
			rc = put_one_iem(b, g, in->events[i].code);
			*isa = (uint8_t)in->events[i].code;
		}
	if (rc >= 0 && in->isa && in->isa != *isa) {
		if (b->begun)
			rc = put_one_iem(b, g, in->isa);
		*isa = in->isa;
	}
	return rc;
}

/* How many FORCE_PC events are given; of the trace's first instruction the first one is
 * the header's. */
static size_t forces(const struct stf_build *b, const struct cairn_stf_insn *in, uint64_t *header)
{
	size_t n = 0;
	for (size_t i = 0; i < in->n_events; i++)
		if (in->events[i].kind == CAIRN_EV_FORCE_PC && n++ == 0 && header)
			*header = in->events[i].target;
	return b->begun || n == 0 ? n : n - 1;
}

static bool has_mode_event(const struct cairn_stf_insn *in)
{
	for (size_t i = 0; i < in->n_events; i++)
		if (in->events[i].kind == CAIRN_EV_MODE)
			return true;
	return false;
}

/* The number of a mode in STF. */
uint8_t stf_build_mode(const struct stf_build *b, uint8_t priv)
{
	const struct stf_set *set = stf_set_of((enum cairn_isa)b->isa);
	return set && priv >= set->mode0 ? (uint8_t)(priv - set->mode0) : (uint8_t)0xff;
}

/* The mode of the new instruction, where it is not what a reader would believe:
 * 1 and *mode. */
static int mode_changes(struct stf_build *b, const struct cairn_stf_insn *in, bool at_once,
                        uint8_t *mode)
{
	if (!in->ctx || !(in->ctx->known & CAIRN_CTX_PRIV))
		return 0;
	*mode = stf_build_mode(b, in->ctx->priv);
	if (b->has_priv && *mode == b->priv)
		return 0;
	if (at_once && has_mode_event(in))
		return 0; /* it says so itself */
	if (*mode > CAIRN_PRIV_MACHINE) {
		int rc = stf_cannot(b, "privilege modes that STF does not have",
		                    "STF has the modes 0 to 3, not %u", in->ctx->priv);
		return rc < 0 ? rc : 0;
	}
	return 1;
}

int stf_build_set(struct stf_build *b, enum cairn_isa isa)
{
	struct cairn_stf_header *h = b->header;
	const struct stf_set *set = stf_set_of(isa);
	if (set) {
		h->cfg.isa = set->stf_isa;
		h->cfg.iem = set->iem;
	}
	b->isa = (uint8_t)stf_isa(&h->cfg, h->cfg.iem);
	char text[256];
	if (!set || !set->name)
		return 0;
	stf_set_comment(set->isa, text, sizeof text);
	for (size_t i = 0; i < h->n_comments; i++)
		if (!strcmp(h->comments[i].text, text))
			return 0;
	return cairn_stf_header_comment(h, text, strlen(text));
}

/* The header's share of the first instruction. */
static int complete_header(struct stf_build *b, const struct cairn_stf_insn *in)
{
	struct cairn_stf_header *h = b->header;
	h->pc = in->pc;
	h->has_pc = 1;
	forces(b, in, &h->pc);
	if (!h->has_ids && build_ids_of(b, in->ctx, h->ids))
		h->has_ids = 1;
	b->has_ids = h->has_ids;
	memcpy(b->ids, h->ids, sizeof b->ids);
	return stf_build_set(b, (enum cairn_isa)in->isa);
}

/* What stands before the rows: the mode, what was put in front, ids, a forced PC, a
 * mode that holds at once. */
static int put_prefix(struct stf_build *b, struct stf_group *g, const struct cairn_stf_insn *in,
                      uint64_t follows, bool forced, uint8_t *isa)
{
	int rc = put_iem(b, g, in, isa);
	if (rc >= 0 && b->front.len)
		rc = base_buf_put(&g->buf, b->front.data, b->front.len);
	g->records += b->front_records;
	g->features |= b->front_features;
	if (rc >= 0)
		rc = build_put_ids(b, g, in);
	if (rc >= 0 && !forces(b, in, NULL) && (follows != in->pc || (forced && b->begun)))
		rc = stf_group_value(g, CAIRN_STF_FORCE_PC, 8, in->pc);
	return rc;
}

struct plan {
	struct ending end;
	bool forced, mode_here;
	uint8_t mode, isa;
};

/* Where the new instruction stands to the one before it. */
static int make_plan(struct stf_build *b, const struct cairn_stf_insn *in, struct plan *p)
{
	bool first = !b->waits && b->n == 0;
	struct stf_stop before = b->before;
	see_traps(b, in, CAIRN_BEFORE, &before);
	p->forced = in->flags & CAIRN_STF_FORCED || forces(b, in, NULL);
	p->end =
		b->waits ? build_end_of(b, in, &before, p->forced) : (struct ending){.next = b->header->pc};
	if (p->end.next != in->pc || (before.any && !first))
		p->forced = true;
	int rc = mode_changes(b, in, first || p->forced, &p->mode);
	if (rc <= 0)
		return rc;
	/* The one before was itself forced: a change in its group would be its own. */
	if (!first && !p->forced && b->waiting->at_once) {
		p->forced = true;
		p->end = build_end_of(b, in, &before, false);
	}
	p->mode_here = first || p->forced;
	p->end.has_mode = !p->mode_here;
	p->end.mode = p->mode;
	return 0;
}

static int build_next(struct stf_build *b, const struct cairn_stf_insn *in, struct plan *p)
{
	struct stf_waiting *x = b->next;
	struct stf_group *g = &x->group;
	uint8_t isa = b->isa;
	stf_group_clear(g);
	b->header_force = !b->begun;
	int rc = put_prefix(b, g, in, p->end.next, p->forced, &p->isa);
	g->at_target = g->at_mode = g->at_event = g->buf.len;
	b->isa = p->isa; /* of which the rows are, too */
	if (rc >= 0)
		rc = stf_rows(b, g, in);
	see_traps(b, in, CAIRN_AFTER, &g->behind);
	x->begins_mode = p->mode_here;
	x->mode = p->mode;
	x->at_once = p->forced || b->n == 0 || g->has_force;
	if (rc < 0) {
		b->isa = isa;
		return rc;
	}
	rc = take_encoding(b, in, x);
	b->isa = isa;
	if (rc >= 0 && g->has_force && g->force != in->pc)
		return base_fail(b->w->c, CAIRN_E_INVAL,
		                 "%s: instruction %llu: the PC is forced to 0x%llx, but is 0x%llx",
		                 b->w->path, (unsigned long long)b->n + 1, (unsigned long long)g->force,
		                 (unsigned long long)in->pc);
	return rc;
}

int stf_build_ready(struct cairn_stf_writer *w, bool transactions)
{
	if (w->status < 0)
		return w->status;
	if (!w->build)
		return base_fail(w->c, CAIRN_E_STATE, "%s: the trace was not begun (cairn_stf_begin)",
		                 w->path);
	if ((w->build->header->cfg.protocol != 0) != transactions)
		return base_fail(w->c, CAIRN_E_STATE, "%s: this is a trace of %s", w->path,
		                 transactions ? "instructions, not of transactions"
		                              : "transactions, not of instructions");
	return 0;
}

int stf_build_put(struct cairn_stf_writer *w, const struct cairn_stf_insn *in, uint64_t source)
{
	int rc = stf_build_ready(w, false);
	if (rc < 0)
		return rc;
	struct stf_build *b = w->build;
	struct plan p = {0};
	b->source = source;
	bool first = !b->begun;
	if (first)
		rc = complete_header(b, in);
	if (rc >= 0)
		rc = make_plan(b, in, &p);
	if (rc >= 0 && first) {
		w->cfg = b->header->cfg; /* what rows need to know of the header to come */
		w->cfg.event_bits = (uint8_t)stf_event_bits(&w->cfg);
	}
	if (rc >= 0)
		rc = build_next(b, in, &p);
	if (rc >= 0 && first)
		rc = write_header(b);
	uint64_t features = b->next->group.features;
	if (p.mode_here || p.end.has_mode || p.end.has_event)
		features |= CAIRN_STF_F_EVENT;
	if (rc >= 0)
		rc = stf_seen(w, features);
	if (rc >= 0 && b->waits)
		rc = write_waiting(b, &p.end);
	if (rc < 0)
		return rc;
	struct stf_waiting *written = b->waiting;
	b->waiting = b->next;
	b->next = written;
	b->waits = true;
	b->isa = p.isa;
	b->front.len = 0;
	b->front_records = b->front_features = 0;
	b->before.any = false;
	b->has_ids |= build_ids_of(b, in->ctx, b->ids);
	if (in->ctx && in->ctx->known & CAIRN_CTX_PRIV) {
		b->has_priv = true;
		b->priv = stf_build_mode(b, in->ctx->priv);
	}
	if (b->waiting->group.has_mode) {
		b->has_priv = true;
		b->priv = b->waiting->group.mode;
	}
	b->n++;
	return 0;
}

bool stf_build_flow(const struct cairn_stf_writer *w, uint64_t *pc)
{
	const struct stf_build *b = w->build;
	if (b->waits)
		*pc = build_end_of(b, NULL, &b->before, false).next;
	return b->waits;
}

bool stf_build_open(const struct cairn_stf_writer *w, uint64_t *n)
{
	const struct stf_build *b = w->build;
	*n = b->waiting->source;
	return b->waits && build_end_of(b, NULL, &b->before, false).open;
}

int cairn_stf_put(struct cairn_stf_writer *w, const struct cairn_stf_insn *in)
{
	return stf_build_put(w, in, w->build ? w->build->n + 1 : 0);
}

int stf_build_rows(struct cairn_stf_writer *w, const struct cairn_stf_insn *in, uint64_t source)
{
	int rc = stf_build_ready(w, false);
	if (rc < 0)
		return rc;
	struct stf_build *b = w->build;
	struct stf_group *g = &b->next->group;
	b->source = source;
	stf_group_clear(g);
	if (!b->begun) {
		w->cfg = b->header->cfg;
		w->cfg.event_bits = (uint8_t)stf_event_bits(&w->cfg);
	}
	rc = stf_rows(b, g, in);
	if (rc >= 0 && g->buf.len)
		rc = base_buf_put(&b->front, g->buf.data, g->buf.len);
	if (rc < 0)
		return rc;
	b->front_records += g->records;
	b->front_features |= g->features;
	see_traps(b, in, CAIRN_BEFORE, &b->before);
	return 0;
}

/* ---- ending ---- */

/* Comments that came last stand before the last instruction: behind it the public tools lose
 * them, and it with them. */
static int put_last_comments(struct stf_build *b)
{
	struct cairn_stf_writer *w = b->w;
	const uint8_t *p = b->front.data;
	for (size_t left = b->front.len; left;) {
		int64_t len = cairn_stf_record_length(&w->cfg, p, left);
		if (*p != CAIRN_STF_COMMENT || len <= 0)
			return 0;
		p += len;
		left -= (size_t)len;
	}
	int rc = b->front.len
	             ? stf_append(w, b->front.data, b->front.len, b->front_records, false, w->pc.next)
	             : 0;
	b->front.len = 0;
	b->front_records = 0;
	return rc;
}

/* Move a trap from in front of the next instruction to behind the last one: other id, and its
 * target in a record of its own. */
static int build_put_behind(struct stf_build *build, const uint8_t *p, uint64_t id)
{
	enum { TARGET = 1 + 8 };
	struct stf_group *g = &build->waiting->group;
	unsigned width = build->w->cfg.event_bits / 8u, n = p[1 + width];
	uint64_t number = id & ~STF_EVENT_INTERRUPT;
	bool target = number >= STF_BEFORE_TARGET_0 && n;
	number = number % STF_TRAPS + STF_BEHIND_0;
	n -= target;
	size_t len = 2 + width + 8 * (size_t)n, room = len + (target ? TARGET : 0);
	int rc = base_buf_reserve(&g->buf, room);
	if (rc < 0)
		return rc;
	uint8_t *to = g->buf.data + g->at_mode;
	memmove(to + room, to, g->buf.len - g->at_mode);
	memcpy(to, p, len);
	base_put_le(to + 1, width, number | (id & STF_EVENT_INTERRUPT) >> (width == 8 ? 0 : 32));
	to[1 + width] = (uint8_t)n;
	g->has_target = target;
	if (target) {
		g->target = base_le64(p + len);
		to[len] = CAIRN_STF_EVENT_PC_TARGET;
		base_put_le64(to + len + 1, g->target);
	}
	g->buf.len += room;
	g->at_mode += room;
	g->records += 1 + target;
	build->front_records--;
	return stf_seen(build->w, CAIRN_STF_F_EVENT);
}

/* At the end no instruction follows, so traps that wait for one belong to the last. */
static int put_last_traps(struct stf_build *build)
{
	const struct cairn_stf_config *cfg = &build->w->cfg;
	size_t kept = 0, len;
	int rc = 0;
	for (size_t at = 0; at < build->front.len && rc >= 0; at += len) {
		uint8_t *p = build->front.data + at;
		len = (size_t)cairn_stf_record_length(cfg, p, build->front.len - at);
		bool event = *p == CAIRN_STF_EVENT && stf_isa_is_ours(cfg->isa);
		uint64_t id =
			event ? stf_event_id(base_le(p + 1, cfg->event_bits / 8u), cfg->event_bits) : 0;
		if (event && stf_event_phase(true, id) == CAIRN_BEFORE) {
			rc = build_put_behind(build, p, id);
			continue;
		}
		memmove(build->front.data + kept, p, len);
		kept += len;
	}
	build->front.len = kept;
	if (build->before.any && !build->waiting->group.behind.any)
		build->waiting->group.behind = build->before;
	build->before.any = false;
	return rc;
}

int stf_build_finish(struct cairn_stf_writer *w)
{
	struct stf_build *b = w->build;
	int rc = b->begun ? 0 : write_header(b);
	if (rc >= 0 && b->waits)
		rc = put_last_traps(b);
	if (rc >= 0 && b->waits)
		rc = put_last_comments(b);
	if (rc >= 0 && b->waits) {
		struct ending e = build_end_of(b, NULL, &b->before, false);
		rc = write_waiting(b, &e);
	}
	if (rc >= 0 && b->front.len) {
		rc = stf_seen(w, b->front_features);
		if (rc >= 0)
			rc = stf_append(w, b->front.data, b->front.len, b->front_records, false, w->pc.next);
	}
	if (rc >= 0 && b->opts.end_record)
		rc = stf_append(w, (const uint8_t[]){CAIRN_STF_RESERVED_END}, 1, 1, false, w->pc.next);
	return rc;
}
