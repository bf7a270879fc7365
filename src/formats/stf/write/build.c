/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing instructions: records need more than the caller gives, and that is derived.
 *
 * An instruction waits until the next one has come. Only then is it known where a taken branch
 * went, where a trap's handler is, and that the privilege mode changes behind it: MODE_CHANGE holds
 * for what follows its group, except at the start of the trace and with a FORCE_PC, where it holds
 * in its own (draft, EventRecord). So the records of the waiting instruction are complete except
 * for three places, which are filled when it is written.
 *
 * The PC follows as a reader computes it (sheet, "PC computation"). What a branch, an event or the
 * length of the encoding does not explain becomes a FORCE_PC. An instruction that is refused leaves
 * nothing behind; the writer goes on with the next one.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "formats/stf/record/accesses.h"
#include "formats/stf/stf.h"
#include "formats/stf/write/build.h"

enum { NOP_32 = 0x00000013, NOP_16 = 0x0001 };

/* ---- beginning ---- */

static int write_header(struct stf_build *build)
{
	struct cairn_stf_writer *writer = build->writer;
	enum cairn_stf_feature_mode mode = build->opts.mode == CAIRN_STF_FEATURES_DECLARED
	                                       ? CAIRN_STF_FEATURES_DECLARED
	                                       : CAIRN_STF_FEATURES_AUTO;
	int rc = cairn_stf_put_header_group(writer, build->header, mode, 1);
	build->begun = rc >= 0;
	return rc;
}

static int build_prepare(struct stf_build *build, const struct cairn_stf_begin_opts *opts)
{
	int rc = opts->header ? stf_header_copy(build->writer->cairn, opts->header, &build->header)
	                      : cairn_stf_header_new(build->writer->cairn, &build->header);
	if (rc < 0)
		return rc;
	struct cairn_stf_config *cfg = &build->header->cfg;
	cfg->features |= opts->features;
	cfg->new_ids = cfg->version_minor >= 5;
	if (cfg->protocol)
		cfg->isa = cfg->iem = 0;
	if (!opts->no_provenance)
		rc = cairn_stf_header_provenance(build->header, &opts->provenance);
	if (rc >= 0)
		rc = stf_reading_tell(build->header, &(struct stf_reading){0});
	if (rc >= 0)
		rc = stf_header_check(build->writer, build->header);
	if (rc >= 0 && !(build->memo = isa_memo_new(build->writer->cairn)))
		rc = CAIRN_E_NOMEM;
	if (rc >= 0 && cfg->protocol)
		rc = write_header(build);
	return rc;
}

int cairn_stf_begin(struct cairn_stf_writer *writer, const struct cairn_stf_begin_opts *opts)
{
	struct cairn_stf_begin_opts begin_opts = {.size = sizeof begin_opts};
	if (writer->status < 0)
		return writer->status;
	if (opts) {
		if (opts->size < sizeof opts->size || opts->size > sizeof begin_opts)
			return base_fail(writer->cairn, CAIRN_E_INVAL,
			                 "cairn_stf_begin_opts has an unknown size");
		memcpy(&begin_opts, opts, opts->size);
	}
	if (writer->records || writer->build)
		return base_fail(writer->cairn, CAIRN_E_STATE,
		                 "%s: a trace begins once, and before all else", writer->path);
	struct stf_build *build = base_alloc(writer->cairn, sizeof *build);
	if (!build)
		return CAIRN_E_NOMEM;
	build->writer = writer;
	build->opts = begin_opts;
	build->opts.header = NULL;
	base_buf_init(&build->front, writer->cairn);
	base_buf_init(&build->out, writer->cairn);
	base_buf_init(&build->two[0].group.buf, writer->cairn);
	base_buf_init(&build->two[1].group.buf, writer->cairn);
	build->waiting = &build->two[0];
	build->next = &build->two[1];
	writer->build = build;
	int rc = build_prepare(build, &begin_opts);
	if (rc < 0)
		stf_build_free(writer);
	return rc;
}

void stf_build_free(struct cairn_stf_writer *writer)
{
	struct stf_build *build = writer->build;
	if (!build)
		return;
	cairn_stf_header_free(build->header);
	isa_memo_free(build->memo);
	base_buf_free(&build->front);
	base_buf_free(&build->out);
	base_buf_free(&build->two[0].group.buf);
	base_buf_free(&build->two[1].group.buf);
	base_free(writer->cairn, build->items);
	base_free(writer->cairn, build);
	writer->build = NULL;
}

int stf_build_comment(struct cairn_stf_writer *writer, const char *text, size_t n)
{
	struct stf_build *build = writer->build;
	if (n > UINT32_MAX)
		return base_fail(writer->cairn, CAIRN_E_INVAL, "%s: a comment of %zu bytes is too long",
		                 writer->path, n);
	uint8_t head[STF_LEN_COMMENT] = {CAIRN_STF_COMMENT};
	stf_put_COMMENT_text(head, (uint32_t)n);
	int rc = base_buf_reserve(&build->front, sizeof head + n);
	if (rc < 0)
		return rc;
	base_buf_put(&build->front, head, sizeof head);
	base_buf_put(&build->front, text, n);
	build->front_records++;
	return 0;
}

/* Put COMMENTs about what is missing before this instruction or, with `behind`, in and after it. They come
 * before the next instruction that is put. */
static int put_gaps(struct cairn_stf_writer *writer, const struct cairn_stf_insn *in, bool behind)
{
	int rc = 0;
	for (size_t i = 0; i < in->n_events && rc >= 0; i++) {
		const struct cairn_event *event = &in->events[i];
		if (!stf_event_is_gap(event) || (event->phase != CAIRN_BEFORE) != behind)
			continue;
		struct base_buf text;
		base_buf_init(&text, writer->cairn);
		rc = base_buf_printf(&text, STF_GAP_TEXT);
		if (rc >= 0 && event->kind == CAIRN_EV_DAMAGE)
			rc = base_buf_printf(&text, ": damage");
		else if (rc >= 0 && event->code != UINT64_MAX)
			rc = base_buf_printf(&text, " of %llu instructions", (unsigned long long)event->code);
		bool has_why =
			event->len && event->args <= in->n_bytes && event->len <= in->n_bytes - event->args;
		if (rc >= 0 && has_why)
			rc = base_buf_printf(&text, ": ");
		if (rc >= 0 && has_why)
			rc = base_buf_put(&text, in->bytes + event->args, event->len);
		if (rc >= 0)
			rc = stf_build_comment(writer, (const char *)text.data, text.len);
		base_buf_free(&text);
		writer->build->gap = true;
		writer->build->has_priv = false;
	}
	return rc;
}

/* The ids of a context, in the order of the record; false when none is known. */
static bool build_ids_of(const struct stf_build *build, const struct cairn_ctx *ctx,
                         uint32_t ids[3])
{
	return ctx && stf_ids_of(build->header->cfg.new_ids, ctx, ids);
}

/* ---- how an instruction ends ---- */

struct ending {
	bool has_target, has_event, has_mode;
	bool open; /* whether the branch was taken is not known */
	uint64_t target, event, next;
	uint8_t mode;
};

static uint64_t wrap(const struct stf_build *build, uint64_t pc)
{
	return build->isa == CAIRN_ISA_RV32 ? (uint32_t)pc : pc;
}

/* Did the branch go to where the next instruction is? */
static bool build_went(const struct stf_build *build, const struct stf_waiting *waiting,
                       uint64_t fall, uint64_t pc)
{
	bool conditional = waiting->traits & CAIRN_TRAIT_CONDITIONAL;
	if (!(waiting->traits & CAIRN_TRAIT_BRANCH) || waiting->group.aborted)
		return false;
	if (pc == fall && conditional)
		return false;
	return !waiting->direct || wrap(build, pc) == wrap(build, waiting->target);
}

/* The PC at which the first trap of this phase came, if the instruction has one. */
static void see_traps(const struct stf_build *build, const struct cairn_stf_insn *in,
                      enum cairn_phase phase, struct stf_stop *stop)
{
	for (size_t i = 0; i < in->n_events && !stop->any; i++)
		if (in->events[i].kind != CAIRN_EV_SYSCALL &&
		    stf_trap_phase(build, &in->events[i]) == phase) {
			stop->any = true;
			stop->known = stf_trap_pc(build->isa, in, &in->events[i], &stop->pc);
		}
}

/* Where the waiting instruction goes. `in` is the next one, NULL at the end. `forced`: that one
 * does not follow, as it says itself. `before`: traps between the two. */
static struct ending build_end_of(const struct stf_build *build, const struct cairn_stf_insn *in,
                                  const struct stf_stop *before, bool forced)
{
	const struct stf_waiting *waiting = build->waiting;
	const struct stf_group *group = &waiting->group;
	uint64_t fall = waiting->pc + waiting->size;
	uint32_t ids[3];
	bool other = in && build->header->cfg.new_ids && build->has_ids &&
	             build_ids_of(build, in->ctx, ids) && ids[0] != build->ids[0];
	/* The next instruction of another hart says nothing about this one's successor. */
	struct stf_stop seen = {.known = in && !forced && !other, .pc = in ? in->pc : 0};
	if (before->any)
		seen = *before;
	struct stf_stop went_to = group->behind.any ? group->behind : seen;
	struct ending ending = {.next = fall};
	if (waiting->flags & CAIRN_STF_TAKEN) {
		ending.has_target = (waiting->flags & CAIRN_STF_TARGET) || waiting->direct || went_to.known;
		ending.target = (waiting->flags & CAIRN_STF_TARGET) || waiting->direct ? waiting->target
		                : went_to.known                                        ? went_to.pc
		                                                                       : 0;
	} else if (!(waiting->flags & CAIRN_STF_NOT_TAKEN) && went_to.known &&
	           build_went(build, waiting, fall, went_to.pc)) {
		ending.has_target = true;
		ending.target = went_to.pc;
	}
	/* A forced PC that is also the next address counts as falling through, but not behind a gap. */
	bool fell = went_to.any ? went_to.known && went_to.pc == fall
	                        : in && !other && !build->gap && in->pc == fall;
	ending.open = waiting->traits & CAIRN_TRAIT_CONDITIONAL &&
	              waiting->traits & CAIRN_TRAIT_BRANCH && !group->aborted &&
	              !(waiting->flags & CAIRN_STF_NOT_TAKEN) && !ending.has_target &&
	              (waiting->flags & CAIRN_STF_TAKEN || !fell);
	if (ending.has_target)
		ending.next = ending.target;
	if (group->has_target) {
		ending.next = group->target;
	} else if (group->open_event && seen.known && (seen.pc != ending.next || group->aborted)) {
		ending.has_event = true;
		ending.event = ending.next = seen.pc;
	}
	return ending;
}

/* Bytes [from, to) of the records; room is there. */
static void copy_part(struct base_buf *out, const struct stf_group *group, size_t from, size_t to)
{
	if (from < to)
		base_buf_put(out, group->buf.data + from, to - from);
}

/* Count what `check` will find of an instruction whose source lacks its accesses, or has them
 * otherwise. Missing ones count if the trace has any. */
static int announce_accesses(struct stf_build *build, const struct stf_group *group,
                             const struct cairn_op *op)
{
	const struct stf_accesses *told = &group->accesses;
	bool loads = op->traits & CAIRN_TRAIT_LOAD, stores = op->traits & CAIRN_TRAIT_STORE;
	bool other_way = (told->reads && !loads) || (told->writes && !stores);
	int rc = 0;
	if (!stf_judges_accesses(op))
		return 0;
	if (other_way && (loads || stores))
		rc = build->note(
			build->user, 1, build->source,
			"accesses that do the opposite of their instruction, as the trace records it; check finds each (stf.mem.direction)");
	if (rc >= 0 && told->descend && stf_judges_order(op))
		rc = build->note(
			build->user, 1, build->source,
			"accesses in another order than their addresses, as the trace records it; check finds each (stf.mem.order)");
	unsigned lacking =
		group->aborted || ((told->reads || told->writes) && loads != stores)
			? 0
			: stf_lacking_accesses(op, told->any, told->reads, told->writes, told->fetch);
	if (lacking && !build->lacking)
		build->first_lacking = build->source;
	build->lacking += lacking;
	return rc;
}

/* Write the complete records of the waiting instruction. */
static int write_waiting(struct stf_build *build, const struct ending *ending)
{
	struct stf_waiting *waiting = build->waiting;
	struct stf_group *group = &waiting->group;
	struct base_buf *buf = &build->out;
	struct stf_group extra = {.buf = *buf};
	uint64_t records = group->records + 1;
	size_t at_event = ending->has_event ? group->at_event : group->at_mode;
	int rc;

	if (ending->open && build->lost &&
	    (rc = build->lost(build->user, 1, waiting->source, model_lost_outcome)) < 0)
		return rc;
	const uint32_t jumps = CAIRN_TRAIT_BRANCH | CAIRN_TRAIT_CONDITIONAL;
	if ((waiting->traits & jumps) == CAIRN_TRAIT_BRANCH && build->foreign && build->note &&
	    !group->aborted && !ending->has_target && !ending->has_event && !group->has_target &&
	    (rc = build->note(build->user, 1, waiting->source,
	                      "jumps to addresses that the trace does not record; check finds each "
	                      "(stf.pc-target.missing)")) < 0)
		return rc;
	extra.buf.len = 0;
	if ((rc = base_buf_reserve(&extra.buf, group->buf.len + 96)) < 0)
		return rc;
	copy_part(&extra.buf, group, 0, group->at_target);
	if (ending->has_target)
		stf_group_value(&extra, CAIRN_STF_INST_PC_TARGET, 8, ending->target);
	copy_part(&extra.buf, group, group->at_target, at_event);
	if (ending->has_event)
		stf_group_value(&extra, CAIRN_STF_EVENT_PC_TARGET, 8, ending->event);
	copy_part(&extra.buf, group, at_event, group->at_mode);
	if (waiting->begins_mode)
		stf_put_mode(&extra, build->writer->cfg.event_bits, waiting->mode);
	if (ending->has_mode)
		stf_put_mode(&extra, build->writer->cfg.event_bits, ending->mode);
	copy_part(&extra.buf, group, group->at_mode, group->buf.len);
	stf_group_value(&extra, waiting->size == 2 ? CAIRN_STF_INST_16 : CAIRN_STF_INST_32,
	                waiting->size, waiting->enc);
	*buf = extra.buf;
	records += extra.records - 1;
	rc = stf_append(build->writer, buf->data, buf->len, records, true, ending->next);
	build->waits = false;
	return rc;
}

/* ---- an instruction ---- */

static int check_branch(struct stf_build *build, const struct cairn_stf_insn *in,
                        const struct stf_waiting *waiting)
{
	bool branch = waiting->traits & (CAIRN_TRAIT_BRANCH | CAIRN_TRAIT_XRET),
		 known = build->isa != 0;
	bool taken = in->flags & CAIRN_STF_TAKEN, not_taken = in->flags & CAIRN_STF_NOT_TAKEN;
	int rc = 0;
	if (taken && not_taken)
		return base_fail(build->writer->cairn, CAIRN_E_INVAL,
		                 "%s: instruction %llu: both taken and not taken", build->writer->path,
		                 (unsigned long long)build->n + 1);
	if (taken && known && !branch)
		rc = stf_wrong(build, "taken, but 0x%x is not a branch", in->enc);
	else if (not_taken && known && branch && !waiting->group.aborted &&
	         !(waiting->traits & CAIRN_TRAIT_CONDITIONAL))
		rc = stf_wrong(build, "not taken, but 0x%x is an unconditional branch", in->enc);
	else if (taken && (in->flags & CAIRN_STF_TARGET) && known &&
	         (waiting->traits & CAIRN_TRAIT_BRANCH) && waiting->direct && !build->lost &&
	         wrap(build, in->target) != wrap(build, waiting->target))
		rc =
			stf_wrong(build, "its target is given as 0x%llx, its encoding 0x%x says 0x%llx",
		              (unsigned long long)in->target, in->enc, (unsigned long long)waiting->target);
	return rc;
}

/* Refuse what no instruction of RISC-V has: an odd address, an encoding of another length. */
static int check_form(struct stf_build *build, const struct stf_waiting *waiting, bool fault)
{
	int rc = 0;
	if (fault || (build->isa != CAIRN_ISA_RV32 && build->isa != CAIRN_ISA_RV64))
		return 0;
	if (waiting->pc & 1)
		rc = stf_wrong(build, "its address 0x%llx is odd", (unsigned long long)waiting->pc);
	else if (((waiting->enc & 3) == 3) != (waiting->size == 4))
		rc = stf_wrong(build, "0x%x is not an encoding of %u bits", waiting->enc,
		               8u * waiting->size);
	return rc;
}

/* Take what the encoding says, and what the caller said of it. */
static int take_encoding(struct stf_build *build, const struct cairn_stf_insn *in,
                         struct stf_waiting *waiting)
{
	bool fault = waiting->group.fetch_fault || in->flags & CAIRN_STF_FETCH_FAULT;
	waiting->pc = in->pc;
	waiting->size = in->size == 2 ? 2 : 4;
	waiting->enc = in->enc;
	waiting->flags = in->flags;
	waiting->source = build->source;
	if (fault && (!build->opts.keep_fault_encoding || in->flags & CAIRN_STF_FETCH_FAULT))
		waiting->enc = waiting->size == 2 ? NOP_16 : NOP_32;
	else if (in->size != 2 && in->size != 4)
		return stf_refuse(build, "STF has encodings of 2 and 4 bytes, not %u", in->size);
	if (waiting->size == 2 && waiting->enc > UINT16_MAX)
		return stf_refuse(build, "encoding 0x%x does not fit 2 bytes", waiting->enc);
	int rc = check_form(build, waiting, fault);
	if (rc < 0)
		return rc;
	const struct cairn_op *op = isa_memo_get(
		build->memo, stf_variant(&build->header->cfg, build->isa), waiting->enc, waiting->size);
	waiting->traits = op->traits;
	waiting->direct = (op->traits & CAIRN_TRAIT_BRANCH) && !(op->traits & CAIRN_TRAIT_INDIRECT);
	waiting->target = wrap(build, waiting->pc + (uint64_t)op->offset);
	if (op->traits & CAIRN_TRAIT_VECTOR)
		waiting->group.features |= CAIRN_STF_F_VEC;
	rc = check_branch(build, in, waiting);
	bool moves = waiting->group.accesses.any || op->traits & (CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE);
	if (rc >= 0 && moves && build->foreign && build->note)
		rc = announce_accesses(build, &waiting->group, op);
	if (in->flags & CAIRN_STF_TARGET && (in->flags & CAIRN_STF_TAKEN))
		waiting->target = in->target;
	return rc < 0 ? rc : 0;
}

static int build_put_ids(struct stf_build *build, struct stf_group *group,
                         const struct cairn_stf_insn *in)
{
	uint32_t ids[3];
	if (!build_ids_of(build, in->ctx, ids) ||
	    (build->has_ids && !memcmp(ids, build->ids, sizeof ids)))
		return 0;
	uint8_t rec[STF_LEN_PROCESS_ID_EXT] = {CAIRN_STF_PROCESS_ID_EXT};
	stf_put_process_ids(rec, ids);
	group->records++;
	group->features |= CAIRN_STF_F_PROCESS_ID | stf_who_of(build->writer, rec);
	return base_buf_put(&group->buf, rec, sizeof rec);
}

static int put_one_iem(struct stf_build *build, struct stf_group *group, uint64_t isa)
{
	const struct stf_set *set = stf_set_of((enum cairn_isa)isa);
	const char *name = cairn_isa_name((enum cairn_isa)isa);
	if (!set || set->stf_isa != build->header->cfg.isa)
		return stf_cannot(build, "instruction sets beside the first",
		                  "instructions of the set %s among those of another: a trace has one ISA",
		                  name ? name : "given");
	group->features |= isa == CAIRN_ISA_RV64 ? CAIRN_STF_F_RV64 : 0;
	return stf_group_value(group, CAIRN_STF_INST_IEM, 2, set->iem);
}

/* The encoding mode: as events give it, and where the instruction has another one. */
static int put_iem(struct stf_build *build, struct stf_group *group,
                   const struct cairn_stf_insn *in, uint8_t *isa)
{
	int rc = 0;
	*isa = build->isa;
	for (size_t i = 0; i < in->n_events && rc >= 0; i++)
		if (in->events[i].kind == CAIRN_EV_MODE_ISA && build->begun) {
			rc = put_one_iem(build, group, in->events[i].code);
			*isa = (uint8_t)in->events[i].code;
		}
	if (rc >= 0 && in->isa && in->isa != *isa) {
		if (build->begun)
			rc = put_one_iem(build, group, in->isa);
		*isa = in->isa;
	}
	return rc;
}

/* The number of FORCE_PC events. Of the trace's first instruction, the first one is the header's.
 *  */
static size_t forces(const struct stf_build *build, const struct cairn_stf_insn *in,
                     uint64_t *header)
{
	size_t n = 0;
	for (size_t i = 0; i < in->n_events; i++)
		if (in->events[i].kind == CAIRN_EV_FORCE_PC && n++ == 0 && header)
			*header = in->events[i].target;
	return build->begun || n == 0 ? n : n - 1;
}

static bool has_mode_event(const struct cairn_stf_insn *in)
{
	for (size_t i = 0; i < in->n_events; i++)
		if (in->events[i].kind == CAIRN_EV_MODE)
			return true;
	return false;
}

/* The number of a mode in STF. */
uint8_t stf_build_mode(const struct stf_build *build, uint8_t priv)
{
	const struct stf_set *set = stf_set_of((enum cairn_isa)build->isa);
	return set && priv >= set->mode0 ? (uint8_t)(priv - set->mode0) : (uint8_t)0xff;
}

/* Must the mode of the new instruction be put, because a reader would believe another? 1 and *mode.
 *  */
static int mode_changes(struct stf_build *build, const struct cairn_stf_insn *in, bool at_once,
                        uint8_t *mode)
{
	if (!in->ctx || !(in->ctx->known & CAIRN_CTX_PRIV))
		return 0;
	*mode = stf_build_mode(build, in->ctx->priv);
	if (build->has_priv && *mode == build->priv)
		return 0;
	if (at_once && has_mode_event(in))
		return 0; /* it says so itself */
	if (*mode > CAIRN_PRIV_MACHINE) {
		int rc = stf_cannot(build, "privilege modes that STF does not have",
		                    "STF has the modes 0 to 3, not %u", in->ctx->priv);
		return rc < 0 ? rc : 0;
	}
	return 1;
}

int stf_build_set(struct stf_build *build, enum cairn_isa isa)
{
	struct cairn_stf_header *header = build->header;
	const struct stf_set *set = stf_set_of(isa);
	if (set) {
		header->cfg.isa = set->stf_isa;
		header->cfg.iem = set->iem;
	}
	build->isa = (uint8_t)stf_isa(&header->cfg, header->cfg.iem);
	char text[256];
	if (!set || !set->name)
		return 0;
	stf_set_comment(set->isa, text, sizeof text);
	for (size_t i = 0; i < header->n_comments; i++)
		if (!strcmp(header->comments[i].text, text))
			return 0;
	return cairn_stf_header_comment(header, text, strlen(text));
}

/* Complete the header by the first instruction. */
static int complete_header(struct stf_build *build, const struct cairn_stf_insn *in)
{
	struct cairn_stf_header *header = build->header;
	header->pc = in->pc;
	header->has_pc = 1;
	forces(build, in, &header->pc);
	if (!header->has_ids && build_ids_of(build, in->ctx, header->ids))
		header->has_ids = 1;
	build->has_ids = header->has_ids;
	memcpy(build->ids, header->ids, sizeof build->ids);
	return stf_build_set(build, (enum cairn_isa)in->isa);
}

/* Put what stands before the rows: the mode, records put in front, ids, a forced PC, a mode that
 * holds at once. */
static int put_prefix(struct stf_build *build, struct stf_group *group,
                      const struct cairn_stf_insn *in, uint64_t follows, bool forced, uint8_t *isa)
{
	int rc = put_iem(build, group, in, isa);
	if (rc >= 0 && build->front.len)
		rc = base_buf_put(&group->buf, build->front.data, build->front.len);
	group->records += build->front_records;
	group->features |= build->front_features;
	if (rc >= 0)
		rc = build_put_ids(build, group, in);
	if (rc >= 0 && !forces(build, in, NULL) && (follows != in->pc || (forced && build->begun)))
		rc = stf_group_value(group, CAIRN_STF_FORCE_PC, 8, in->pc);
	return rc;
}

struct plan {
	struct ending end;
	bool forced, mode_here;
	uint8_t mode, isa;
};

/* How the new instruction follows the one before it. */
static int make_plan(struct stf_build *build, const struct cairn_stf_insn *in, struct plan *plan)
{
	bool first = !build->waits && build->n == 0;
	struct stf_stop before = build->before;
	see_traps(build, in, CAIRN_BEFORE, &before);
	plan->forced =
		in->flags & CAIRN_STF_FORCED || forces(build, in, NULL) || (build->gap && !first);
	plan->end = build->waits ? build_end_of(build, in, &before, plan->forced)
	                         : (struct ending){.next = build->header->pc};
	if (plan->end.next != in->pc || (before.any && !first))
		plan->forced = true;
	int rc = mode_changes(build, in, first || plan->forced, &plan->mode);
	if (rc <= 0)
		return rc;
	/* The one before was itself forced: a change of mode in its group would be its own. */
	if (!first && !plan->forced && build->waiting->at_once) {
		plan->forced = true;
		plan->end = build_end_of(build, in, &before, false);
	}
	plan->mode_here = first || plan->forced;
	plan->end.has_mode = !plan->mode_here;
	plan->end.mode = plan->mode;
	return 0;
}

static int build_next(struct stf_build *build, const struct cairn_stf_insn *in, struct plan *plan)
{
	struct stf_waiting *waiting = build->next;
	struct stf_group *group = &waiting->group;
	uint8_t isa = build->isa;
	stf_group_clear(group);
	build->header_force = !build->begun;
	int rc = put_prefix(build, group, in, plan->end.next, plan->forced, &plan->isa);
	group->at_target = group->at_mode = group->at_event = group->buf.len;
	build->isa = plan->isa; /* of which the rows are, too */
	if (rc >= 0)
		rc = stf_rows(build, group, in);
	see_traps(build, in, CAIRN_AFTER, &group->behind);
	waiting->begins_mode = plan->mode_here;
	waiting->mode = plan->mode;
	waiting->at_once = plan->forced || build->n == 0 || group->has_force;
	if (rc < 0) {
		build->isa = isa;
		return rc;
	}
	rc = take_encoding(build, in, waiting);
	build->isa = isa;
	if (rc >= 0 && group->has_force && group->force != in->pc)
		return stf_refuse(build, "the PC is forced to 0x%llx, but is 0x%llx",
		                  (unsigned long long)group->force, (unsigned long long)in->pc);
	return rc;
}

int stf_build_ready(struct cairn_stf_writer *writer, bool transactions)
{
	if (writer->status < 0)
		return writer->status;
	if (!writer->build)
		return base_fail(writer->cairn, CAIRN_E_STATE,
		                 "%s: the trace was not begun (cairn_stf_begin)", writer->path);
	if ((writer->build->header->cfg.protocol != 0) != transactions)
		return base_fail(writer->cairn, CAIRN_E_STATE, "%s: this is a trace of %s", writer->path,
		                 transactions ? "instructions, not of transactions"
		                              : "transactions, not of instructions");
	return 0;
}

int stf_build_put(struct cairn_stf_writer *writer, const struct cairn_stf_insn *in, uint64_t source)
{
	int rc = stf_build_ready(writer, false);
	if (rc < 0)
		return rc;
	struct stf_build *build = writer->build;
	struct plan plan = {0};
	build->source = source;
	bool first = !build->begun;
	rc = put_gaps(writer, in, false);
	if (rc >= 0 && first)
		rc = complete_header(build, in);
	if (rc >= 0)
		rc = make_plan(build, in, &plan);
	if (rc >= 0 && first) {
		writer->cfg = build->header->cfg; /* rows need to know this of the header to come */
		writer->cfg.event_bits = (uint8_t)stf_event_bits(&writer->cfg);
	}
	if (rc >= 0)
		rc = build_next(build, in, &plan);
	if (rc >= 0 && first)
		rc = write_header(build);
	uint64_t features = build->next->group.features;
	if (plan.mode_here || plan.end.has_mode || plan.end.has_event)
		features |= CAIRN_STF_F_EVENT;
	if (rc >= 0)
		rc = stf_seen(writer, features);
	if (rc >= 0 && build->waits)
		rc = write_waiting(build, &plan.end);
	if (rc < 0)
		return rc;
	struct stf_waiting *written = build->waiting;
	build->waiting = build->next;
	build->next = written;
	build->waits = true;
	build->isa = plan.isa;
	build->front.len = 0;
	build->front_records = build->front_features = 0;
	build->before.any = false;
	build->has_ids |= build_ids_of(build, in->ctx, build->ids);
	if (in->ctx && in->ctx->known & CAIRN_CTX_PRIV) {
		build->has_priv = true;
		build->priv = stf_build_mode(build, in->ctx->priv);
	}
	if (build->waiting->group.has_mode) {
		build->has_priv = true;
		build->priv = build->waiting->group.mode;
	}
	build->n++;
	build->gap = false;
	return put_gaps(writer, in, true);
}

bool stf_build_flow(const struct cairn_stf_writer *writer, uint64_t *pc)
{
	const struct stf_build *build = writer->build;
	if (build->waits)
		*pc = build_end_of(build, NULL, &build->before, false).next;
	return build->waits;
}

bool stf_build_open(const struct cairn_stf_writer *writer, uint64_t *n)
{
	const struct stf_build *build = writer->build;
	*n = build->waiting->source;
	return build->waits && build_end_of(build, NULL, &build->before, false).open;
}

int cairn_stf_put(struct cairn_stf_writer *writer, const struct cairn_stf_insn *in)
{
	return stf_build_put(writer, in, writer->build ? writer->build->n + 1 : 0);
}

int stf_build_rows(struct cairn_stf_writer *writer, const struct cairn_stf_insn *in,
                   uint64_t source)
{
	int rc = stf_build_ready(writer, false);
	if (rc < 0)
		return rc;
	struct stf_build *build = writer->build;
	struct stf_group *group = &build->next->group;
	build->source = source;
	stf_group_clear(group);
	if (!build->begun) {
		writer->cfg = build->header->cfg;
		writer->cfg.event_bits = (uint8_t)stf_event_bits(&writer->cfg);
	}
	rc = put_gaps(writer, in, false);
	if (rc >= 0)
		rc = stf_rows(build, group, in);
	if (rc >= 0)
		rc = put_gaps(writer, in, true);
	if (rc >= 0 && group->buf.len)
		rc = base_buf_put(&build->front, group->buf.data, group->buf.len);
	if (rc < 0)
		return rc;
	build->front_records += group->records;
	build->front_features |= group->features;
	see_traps(build, in, CAIRN_BEFORE, &build->before);
	return 0;
}

/* ---- ending ---- */

/* Count another format's registers, accesses and events behind the last instruction, for which STF
 * has no place. */
static int lose_last(struct stf_build *build)
{
	size_t kept = 0, len;
	uint64_t lost = 0, gaps = 0;
	for (size_t at = 0; at < build->front.len; at += len) {
		uint8_t *p = build->front.data + at;
		len = (size_t)cairn_stf_record_length(&build->writer->cfg, p, build->front.len - at);
		uint64_t missing;
		size_t why;
		bool gap = stf_is_gap(p, &missing, &why);
		if (*p != CAIRN_STF_COMMENT || gap) {
			gaps += gap;
			lost++;
			continue;
		}
		memmove(build->front.data + kept, p, len);
		kept += len;
	}
	build->front.len = kept;
	build->front_records -= lost;
	build->front_features = 0;
	int rc = gaps ? build->lost(build->user, gaps, build->source,
	                            "that something is missing behind the last instruction")
	              : 0;
	if (rc >= 0 && lost > gaps)
		rc = build->lost(build->user, lost - gaps, build->source,
		                 "records behind the last instruction");
	return rc;
}

/* The last comments stand before the last instruction: behind it the public tools lose them, and it
 * with them. */
static int put_last_comments(struct stf_build *build)
{
	struct cairn_stf_writer *writer = build->writer;
	struct stf_records at = stf_records_in(&writer->cfg, build->front.data, build->front.len);
	uint64_t missing;
	size_t why;
	while (stf_next(&at))
		if (*at.p != CAIRN_STF_COMMENT || stf_is_gap(at.p, &missing, &why))
			return 0; /* what is missing behind it would be missing before it */
	int rc = build->front.len ? stf_append(writer, build->front.data, build->front.len,
	                                       build->front_records, false, writer->now.pc)
	                          : 0;
	build->front.len = 0;
	build->front_records = 0;
	return rc;
}

/* Move a trap from in front of the next instruction to behind the last one: with another id, and
 * with its target in a record of its own. */
static int build_put_behind(struct stf_build *build, const uint8_t *p, uint64_t id)
{
	struct stf_group *group = &build->waiting->group;
	unsigned bits = build->writer->cfg.event_bits, n = stf_event_count(p, bits);
	bool target = stf_event_holds_target(id) && n;
	uint64_t code;
	bool call = stf_event_kind(true, id, &code) == CAIRN_EV_SYSCALL;
	uint64_t number = code + (call ? STF_CALL_0 : STF_BEHIND_0);
	n -= target;
	size_t len = stf_event_length(bits, n), room = len + (target ? STF_LEN_EVENT_PC_TARGET : 0);
	int rc = base_buf_reserve(&group->buf, room);
	if (rc < 0)
		return rc;
	uint8_t *to = group->buf.data + group->at_mode;
	memmove(to + room, to, group->buf.len - group->at_mode);
	memcpy(to, p, len);
	stf_put_event(to, bits, number | (id & STF_EVENT_INTERRUPT), n);
	group->has_target = target;
	if (target) {
		group->target = base_le64(p + len); /* the word that is left out */
		to[len] = CAIRN_STF_EVENT_PC_TARGET;
		stf_put_EVENT_PC_TARGET_pc(to + len, group->target);
	}
	group->buf.len += room;
	group->at_mode += room;
	group->records += 1 + target;
	build->front_records--;
	return stf_seen(build->writer, CAIRN_STF_F_EVENT);
}

/* At the end no instruction follows, so traps that wait for one belong to the last. */
static int put_last_traps(struct stf_build *build)
{
	const struct cairn_stf_config *cfg = &build->writer->cfg;
	size_t kept = 0, len;
	int rc = 0;
	for (size_t at = 0; at < build->front.len && rc >= 0; at += len) {
		uint8_t *p = build->front.data + at;
		len = (size_t)cairn_stf_record_length(cfg, p, build->front.len - at);
		bool event = *p == CAIRN_STF_EVENT && stf_isa_is_ours(cfg->isa);
		uint64_t id = event ? stf_event_id_of(p, cfg->event_bits) : 0;
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

int stf_build_finish(struct cairn_stf_writer *writer)
{
	struct stf_build *build = writer->build;
	int rc = build->begun ? 0 : write_header(build);
	if (rc >= 0 && build->waits)
		rc = put_last_traps(build);
	if (rc >= 0 && build->waits && build->foreign)
		rc = lose_last(build);
	if (rc >= 0 && build->waits)
		rc = put_last_comments(build);
	if (rc >= 0 && build->waits) {
		struct ending ending = build_end_of(build, NULL, &build->before, false);
		rc = write_waiting(build, &ending);
	}
	if (rc >= 0 && build->front.len) {
		rc = stf_seen(writer, build->front_features);
		if (rc >= 0)
			rc = stf_append(writer, build->front.data, build->front.len, build->front_records,
			                false, writer->now.pc);
	}
	if (rc >= 0 && build->accesses && build->lacking)
		rc = build->note(
			build->user, build->lacking, build->first_lacking,
			"loads and stores whose accesses the trace does not record; check finds each "
			"(stf.mem.missing)");
	if (rc >= 0 && build->opts.end_record)
		rc = stf_append(writer, (const uint8_t[]){CAIRN_STF_RESERVED_END}, 1, 1, false,
		                writer->now.pc);
	return rc;
}
