/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches, of any format, into an STF trace. Rows go through the same builder as a caller's
 * instructions; it is told to count what STF cannot carry (the ledger) where it would otherwise
 * refuse.
 *
 * The header is written with the first batch, when it is known what the trace is of, and, from the
 * first vector register, the vector length. A source that is STF gives its own header
 * (cairn_stf_writer_header), which knows better.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/stf/stf.h"
#include "formats/stf/write/build.h"
#include "kit/options.h"

struct stf_encoder {
	struct cairn_stf_writer *out;
	struct cairn_stf_header *header;
	bool own_header, begun, foreign;
	struct cairn_ctx ctx; /* the context whose losses were counted last */
	struct stf_output output;
	struct cairn_event *events; /* of a slot, without those that stand apart */
	size_t room;
};

/* ---- options ---- */

#define OPTION(member) KIT_AT(struct stf_output, member)
static const struct kit_option writing[] = {
	{"version", "1.2…1.6", "the version to write", KIT_VERSION, OPTION(version), .least = 0x102,
     .most = 0x106},
	{"events", "32|64", "width of event ids", KIT_ONE_OF, OPTION(event_bits)},
	{"vlen", "BITS", "length of vector registers, where the trace does not say", KIT_NUMBER,
     OPTION(vlen), .most = 65536},
	{"chunk", "N", "instructions in a chunk of a .zstf (default: 100000)", KIT_NUMBER,
     OPTION(chunk), .least = 1, .most = UINT32_MAX},
	{"container", "stf|zstf", "raw, or in compressed chunks (.zstf)", KIT_WORD, OPTION(container),
     .least = 1},
	{"sizes", "bytes", "access sizes in bytes", KIT_WORD, OPTION(sizes), .least = 1},
	{"sources", "before", "source values before their instruction", KIT_WORD, OPTION(sources),
     .least = 1},
	{"initiators", "library|spec", "number bus initiators from 1 (library) or 0 (spec)", KIT_WORD,
     OPTION(initiators), .least = 1},
};
const struct kit_options stf_writing_options = {"stf", "writing STF", writing,
                                                sizeof writing / sizeof *writing};

/* Does a name end like this, before the ending of a codec? */
static bool has_ending(const char *path, const struct cairn_codec *codec, const char *ending)
{
	size_t m = strlen(ending), n = strlen(path) - (codec ? strlen(codec->suffix) : 0);
	return n > m && memcmp(path + n - m, ending, m) == 0;
}

int stf_output_choose(struct cairn *cairn, const char *path, bool named_zstf, const char *options,
                      struct stf_output *output)
{
	const struct cairn_codec *codec = cairn_codec_for_name(cairn, path);
	bool by_path = has_ending(path, codec, ".zstf"), raw_by_path = has_ending(path, codec, ".stf");
	*output = (struct stf_output){.zstf = false};
	int rc = kit_options_parse(cairn, &stf_writing_options, options, output, NULL);
	if (rc < 0)
		return rc;
	output->zstf = named_zstf || output->container == 2 || (by_path && !output->container);
	if (named_zstf && output->container == 1)
		return base_fail(cairn, CAIRN_E_INVAL, "%s: --to zstf contradicts container=stf", path);
	if (output->zstf ? raw_by_path : by_path)
		return base_fail(cairn, CAIRN_E_INVAL, "%s: its name asks for %s, --to for %s", path,
		                 by_path ? "zstf" : "raw STF", by_path ? "raw STF" : "zstf");
	if (output->zstf && codec)
		return base_fail(cairn, CAIRN_E_INVAL, STF_ZSTF_CODEC, path, codec->name);
	if (output->chunk && !output->zstf)
		return base_fail(cairn, CAIRN_E_INVAL, "%s: stf:chunk=%u: raw STF has no chunks; zstf has",
		                 path, output->chunk);
	return 0;
}

/* ---- opening ---- */

static int stf_encoder_open(struct cairn_writer *writer, const char *options)
{
	struct stf_encoder *encoder = base_alloc(writer->cairn, sizeof *encoder);
	if (!encoder)
		return CAIRN_E_NOMEM;
	writer->impl = encoder;
	int rc =
		stf_output_choose(writer->cairn, writer->path, writer->format == &stf_zstf_writer_format,
	                      options, &encoder->output);
	struct cairn_stf_write_opts opts = {.size = sizeof opts,
	                                    .container = encoder->output.zstf ? "zstf" : "stf",
	                                    .codec = writer->opts.codec,
	                                    .level = writer->opts.level,
	                                    .chunk = encoder->output.chunk,
	                                    .threads = writer->opts.threads};
	return rc < 0 ? rc : cairn_stf_create(writer->cairn, writer->path, &opts, &encoder->out);
}

static int stf_encoder_from(struct cairn_writer *writer, const struct cairn_reader *reader)
{
	((struct stf_encoder *)writer->impl)->foreign = !model_is_own(reader, &stf_writer_format);
	return 0;
}

/* A caller who gave a header of its own has said everything in it. */
static int stf_encoder_comment(struct cairn_writer *writer, const char *text, size_t n)
{
	struct stf_encoder *encoder = writer->impl;
	int rc = encoder->own_header || encoder->header
	             ? 0
	             : cairn_stf_header_new(writer->cairn, &encoder->header);
	return rc < 0 || encoder->own_header ? rc : cairn_stf_header_comment(encoder->header, text, n);
}

static void stf_encoder_abort(struct cairn_writer *writer)
{
	struct stf_encoder *encoder = writer->impl;
	if (!encoder)
		return;
	cairn_stf_abort(encoder->out);
	cairn_stf_header_free(encoder->header);
	base_free(writer->cairn, encoder->events);
	base_free(writer->cairn, encoder);
	writer->impl = NULL;
}

static int lost(void *user, uint64_t count, uint64_t n, const char *what)
{
	return model_lost(user, count, n, what);
}

static int encoder_note(void *user, uint64_t count, uint64_t n, const char *what)
{
	return model_note(user, count, n, what);
}

/* Guess by the first batch what the trace is, if no header was given. */
static void guess(const struct cairn_writer *writer, const struct cairn_batch *batch)
{
	struct stf_encoder *encoder = writer->impl;
	unsigned isa = batch->n_insns ? batch->insns[0].isa : writer->isa;
	struct cairn_stf_config *cfg = &encoder->header->cfg;
	if (batch->n_xacts && !batch->n_insns)
		cfg->protocol = batch->xacts[0].protocol ? batch->xacts[0].protocol : 1;
	for (uint32_t i = 0; i < batch->n_regs && !cfg->protocol && !cfg->vlen; i++)
		if (batch->regs[i].cls == CAIRN_REG_VECTOR && batch->regs[i].bits > 64 &&
		    !(batch->regs[i].bits & (batch->regs[i].bits - 1))) /* STF has no others */
			cfg->vlen = batch->regs[i].bits;
	bool arm = isa >= CAIRN_ISA_A64 && isa <= CAIRN_ISA_T32;
	if (arm && !cfg->vlen && !cfg->protocol &&
	    (!encoder->output.version || encoder->output.version >= 0x104))
		cfg->vlen = 128; /* the length of every SIMD register, whenever the first one comes */
}

static int stf_encoder_begin(struct cairn_writer *writer, const struct cairn_batch *batch)
{
	struct stf_encoder *encoder = writer->impl;
	bool own = encoder->own_header;
	int rc = encoder->header ? 0 : cairn_stf_header_new(writer->cairn, &encoder->header);
	if (rc < 0)
		return rc;
	struct cairn_stf_config *cfg = &encoder->header->cfg;
	if (!own && batch)
		guess(writer, batch);
	if (encoder->output.version)
		cfg->version_minor = encoder->output.version & 0xff;
	if (encoder->output.vlen)
		cfg->vlen = encoder->output.vlen;
	if (encoder->output.initiators)
		cfg->spec_initiators = encoder->output.initiators == 2;
	if (encoder->output.event_bits)
		cfg->event_bits = (uint8_t)encoder->output.event_bits;
	else if (encoder->output.version && encoder->output.version < 0x105)
		cfg->event_bits = 32;
	struct cairn_stf_begin_opts opts = {.size = sizeof opts,
	                                    .header = encoder->header,
	                                    .keep_fault_encoding = 1,
	                                    .no_content = 1,
	                                    .no_provenance = own};
	rc = cairn_stf_begin(encoder->out, &opts);
	if (rc < 0)
		return rc;
	encoder->out->build->lost = lost;
	encoder->out->build->note = encoder_note;
	encoder->out->build->user = writer;
	encoder->out->build->foreign = encoder->foreign;
	encoder->begun = true;
	/* until the first instruction comes, which knows better */
	return own || cfg->protocol || !writer->isa
	           ? 0
	           : stf_build_set(encoder->out->build, (enum cairn_isa)writer->isa);
}

/* ---- batches ---- */

/* Count what of a context has no record. */
static int stf_encoder_lose_context(struct cairn_writer *writer, const struct cairn_ctx *ctx,
                                    uint64_t n)
{
	struct stf_encoder *encoder = writer->impl;
	bool now = encoder->out->build->header->cfg.new_ids;
	if (!memcmp(&encoder->ctx, ctx, sizeof *ctx))
		return 0;
	uint32_t kept = CAIRN_CTX_PRIV | CAIRN_CTX_HW_TID | CAIRN_CTX_PID | CAIRN_CTX_TID |
	                (now ? CAIRN_CTX_HART : CAIRN_CTX_ASID);
	/* A record has all three ids, or there is none. */
	uint32_t ids = stf_ids_known(now);
	uint32_t told = ctx->known & ids;
	if (now && ctx->known & CAIRN_CTX_HART)
		told |= CAIRN_CTX_HW_TID;
	int rc =
		told && told != ids
			? model_note(writer, 1, n, "ids of 0 where the trace records none (PROCESS_ID_EXT)")
			: 0;
	return rc < 0 ? rc : model_lose_context(writer, &encoder->ctx, ctx, kept, n);
}

/* Was it stopped by an event that is recorded with it? */
static bool was_stopped(const struct cairn_stf_insn *in)
{
	for (size_t i = 0; i < in->n_events; i++)
		if ((in->events[i].kind == CAIRN_EV_EXCEPTION ||
		     in->events[i].kind == CAIRN_EV_INTERRUPT) &&
		    in->events[i].phase == CAIRN_ON)
			return true;
	return false;
}

/* Why an instruction cannot be one of STF's; NULL when it can. */
static const char *stf_encoder_unfit(const struct cairn_insn *row, const struct cairn_stf_insn *in,
                                     uint32_t have)
{
	if (row->flags & (CAIRN_INSN_ANNULLED | CAIRN_INSN_DISCARDED))
		return "instructions that did not execute";
	if (row->flags & CAIRN_INSN_ABORTED && !was_stopped(in))
		return "instructions whose abort STF cannot describe";
	if (row->flags & CAIRN_INSN_PC_UNKNOWN || !(have & CAIRN_PC))
		return "instructions without a PC";
	if (row->flags & CAIRN_INSN_ENC_UNKNOWN || !(have & CAIRN_ENC))
		return "instructions without an encoding";
	if (row->flags & CAIRN_INSN_ENC_BYTES || (row->size != 2 && row->size != 4))
		return "instructions that have neither 2 nor 4 bytes";
	return NULL;
}

static void slot(const struct cairn_batch *batch, uint32_t index, struct cairn_stf_insn *in)
{
	const struct cairn_insn *row = &batch->insns[index];
	uint32_t reg1 = row[1].reg0, mem1 = row[1].mem0, ev1 = row[1].ev0;
	*in = (struct cairn_stf_insn){.regs = batch->regs + row->reg0,
	                              .n_regs = reg1 - row->reg0,
	                              .mems = batch->mems + row->mem0,
	                              .n_mems = mem1 - row->mem0,
	                              .events = batch->events + row->ev0,
	                              .n_events = ev1 - row->ev0,
	                              .bytes = batch->bytes,
	                              .n_bytes = batch->n_bytes};
}

/* Does the event stand apart from its slot's instruction, which it did not stop? In STF an event
 * stops the instruction it is recorded with; of RISC-V's own events, ebreak reads like that. */
static bool stands_apart(const struct cairn_insn *row, const struct cairn_event *event)
{
	if (event->code & (STF_EVENT_INTERRUPT | STF_EVENT_SPECIAL))
		return false; /* it cannot be said: the no-op would have run */
	bool ran = !row || (!(row->flags & CAIRN_INSN_ABORTED) && row->isa > CAIRN_ISA_RV64);
	return (event->kind == CAIRN_EV_EXCEPTION || event->kind == CAIRN_EV_INTERRUPT) &&
	       (event->phase != CAIRN_ON || ran);
}

/* Put traps of RISC-V that stand apart as STF wants a fetch that failed: as an instruction of their
 * own, a no-op where the flow stands, which was stopped. The first one has the slot's registers
 * that stand before it. */
static int put_apart(struct cairn_writer *writer, const struct cairn_batch *batch, uint32_t index,
                     const struct cairn_stf_insn *in, bool after)
{
	struct stf_encoder *encoder = writer->impl;
	const struct cairn_insn *row = index < batch->n_insns ? &batch->insns[index] : NULL;
	size_t n_regs = in->n_regs;
	int rc = 0;
	for (size_t k = 0; k < in->n_events && rc >= 0; k++) {
		const struct cairn_event *event = &in->events[k];
		if (!stands_apart(row, event) || (event->phase != CAIRN_BEFORE && row) != after)
			continue;
		struct cairn_stf_insn nop = {.pc = in->pc,
		                             .isa = in->isa,
		                             .enc = 0x00000013,
		                             .size = 4,
		                             .ctx = in->ctx,
		                             .events = event,
		                             .n_events = 1,
		                             .bytes = batch->bytes,
		                             .n_bytes = batch->n_bytes,
		                             .regs = in->regs,
		                             .n_regs = n_regs};
		n_regs = 0;
		uint64_t branch;
		bool tells = stf_trap_pc(in->isa, in, event, &nop.pc);
		bool known = tells || stf_build_flow(encoder->out, &nop.pc);
		if (!tells && stf_build_open(encoder->out, &branch) &&
		    (rc = model_lost(writer, 1, branch, model_lost_outcome)) < 0)
			return rc;
		rc = known ? stf_build_put(encoder->out, &nop, batch->n0 + index)
		           : model_lost(writer, 1, batch->n0 + index, "traps before the first instruction");
		if (rc >= 0 && known)
			rc = model_note(writer, 1, batch->n0 + index,
			                "traps between instructions, each written with an aborted no-op");
	}
	return rc;
}

/* Copy a slot's events to d->events, where they can be changed. */
static int copy_events(struct stf_encoder *encoder, struct cairn *cairn, struct cairn_stf_insn *in)
{
	if (in->n_events > encoder->room) {
		struct cairn_event *more =
			base_realloc(cairn, encoder->events, in->n_events * sizeof *more);
		if (!more)
			return CAIRN_E_NOMEM;
		encoder->events = more;
		encoder->room = in->n_events;
	}
	if (in->n_events)
		memcpy(encoder->events, in->events, in->n_events * sizeof *encoder->events);
	in->events = encoder->events;
	return 0;
}

/* The slot's other rows. */
static int without_apart(struct stf_encoder *encoder, struct cairn *cairn,
                         const struct cairn_insn *row, struct cairn_stf_insn *in)
{
	size_t n = 0;
	int rc = copy_events(encoder, cairn, in);
	for (size_t k = 0; k < in->n_events && rc >= 0; k++)
		if (!stands_apart(row, &encoder->events[k]))
			encoder->events[n++] = encoder->events[k];
	in->n_events = n;
	return rc;
}

/* In sets with cairn's own numbers no made-up instruction is needed: a trap that stopped nothing
 * is recorded after its own instruction, or before the next one if it has none. */
static int with_apart(struct stf_encoder *encoder, struct cairn *cairn,
                      const struct cairn_insn *row, struct cairn_stf_insn *in)
{
	int rc = copy_events(encoder, cairn, in);
	for (size_t k = 0; k < in->n_events && rc >= 0; k++)
		if (stands_apart(row, &encoder->events[k]) &&
		    (!row || encoder->events[k].phase == CAIRN_ON))
			encoder->events[k].phase = row ? CAIRN_AFTER : CAIRN_BEFORE;
	return rc;
}

static bool any_apart(const struct cairn_insn *row, const struct cairn_stf_insn *in)
{
	for (size_t k = 0; k < in->n_events; k++)
		if (stands_apart(row, &in->events[k]))
			return true;
	return false;
}

/* How many registers of the slot stand before its first trap: they had their values by then. */
static size_t regs_before(const struct stf_encoder *encoder, const struct cairn_insn *row,
                          const struct cairn_stf_insn *in)
{
	uint64_t pc;
	size_t n = 0;
	for (size_t k = 0; k < in->n_events; k++) {
		const struct cairn_event *event = &in->events[k];
		if (!stands_apart(row, event) || (event->phase != CAIRN_BEFORE && row))
			continue;
		bool known = stf_trap_pc(in->isa, in, event, &pc) || stf_build_flow(encoder->out, &pc);
		while (known && n < in->n_regs && in->regs[n].role == CAIRN_ROLE_STATE &&
		       in->regs[n].seq < event->seq)
			n++;
		break;
	}
	return n;
}

/* Put traps before it, the instruction, and traps behind it. */
static int put_with_apart(struct cairn_writer *writer, const struct cairn_batch *batch,
                          uint32_t index, struct cairn_stf_insn *in)
{
	struct stf_encoder *encoder = writer->impl;
	struct cairn_stf_insn whole = *in;
	const struct cairn_insn *row = &batch->insns[index];
	if (!any_apart(row, in))
		return stf_build_put(encoder->out, in, batch->n0 + index);
	if (row->isa > CAIRN_ISA_RV64) {
		int rc = with_apart(encoder, writer->cairn, row, in);
		return rc < 0 ? rc : stf_build_put(encoder->out, in, batch->n0 + index);
	}
	whole.n_regs = regs_before(encoder, row, in);
	in->regs += whole.n_regs;
	in->n_regs -= whole.n_regs;
	int rc = put_apart(writer, batch, index, &whole, false);
	if (rc >= 0)
		rc = without_apart(encoder, writer->cairn, row, in);
	if (rc >= 0)
		rc = stf_build_put(encoder->out, in, batch->n0 + index);
	whole.n_regs = 0;
	return rc < 0 ? rc : put_apart(writer, batch, index, &whole, true);
}

/* Traps behind the batch's last instruction. */
static int put_last_apart(struct cairn_writer *writer, const struct cairn_batch *batch,
                          struct cairn_stf_insn *rest)
{
	struct stf_encoder *encoder = writer->impl;
	int rc = 0;
	if (!any_apart(NULL, rest))
		return 0;
	rest->isa = batch->n_insns ? batch->insns[batch->n_insns - 1].isa : encoder->out->build->isa;
	if (rest->isa <= CAIRN_ISA_RV64) {
		struct cairn_stf_insn traps = *rest;
		traps.n_regs = 0;
		rc = put_apart(writer, batch, batch->n_insns, &traps, false);
		return rc < 0 ? rc : without_apart(encoder, writer->cairn, NULL, rest);
	}
	return with_apart(encoder, writer->cairn, NULL, rest);
}

/* An instruction that STF cannot hold: what its events say besides stays. */
static int stf_encoder_leave_out(struct cairn_writer *writer, const struct cairn_batch *batch,
                                 uint32_t index, struct cairn_stf_insn *in, const char *why)
{
	struct stf_encoder *encoder = writer->impl;
	uint64_t n = batch->n0 + index;
	int rc = model_lost(writer, 1, n, why);
	if (rc >= 0)
		rc = model_lost(writer, in->n_regs + in->n_mems, n, model_lost_rows);
	for (size_t k = 0; k < in->n_events && rc >= 0; k++) {
		uint8_t kind = in->events[k].kind;
		struct cairn_stf_insn one = {.events = &in->events[k],
		                             .n_events = 1,
		                             .bytes = in->bytes,
		                             .n_bytes = in->n_bytes};
		if (kind == CAIRN_EV_EXCEPTION || kind == CAIRN_EV_INTERRUPT || kind == CAIRN_EV_SYSCALL)
			rc = model_lost(writer, 1, n, model_lost_event(kind));
		else if (kind != CAIRN_EV_FORCE_PC && kind != CAIRN_EV_MODE)
			rc = stf_build_rows(encoder->out, &one, n);
	}
	return rc;
}

static int stf_encoder_put_insn(struct cairn_writer *writer, const struct cairn_batch *batch,
                                uint32_t index)
{
	const struct stf_encoder *encoder = writer->impl;
	const struct cairn_insn *row = &batch->insns[index];
	uint64_t n = batch->n0 + index;
	struct cairn_stf_insn in;
	slot(batch, index, &in);
	const char *why = stf_encoder_unfit(row, &in, batch->have);
	if (why)
		return stf_encoder_leave_out(writer, batch, index, &in, why);
	in.pc = row->pc;
	in.target = row->target;
	in.enc = row->enc;
	in.size = row->size;
	in.isa = row->isa;
	in.ctx = row->ctx < batch->n_ctxs ? &batch->ctxs[row->ctx] : NULL;
	/* It went nowhere; or somewhere else without being a branch (a simulator's call of its host),
	 * which a PC that does not follow says: PC targets are for branches. */
	bool strays = row->flags & CAIRN_INSN_TAKEN && !(row->traits & CAIRN_TRAIT_BRANCH);
	bool returns = strays && row->traits & CAIRN_TRAIT_XRET;
	int rc = encoder->foreign && strays && !returns
	             ? model_lost(writer, 1, n, "that instructions which are not branches branched")
	             : 0;
	/* ETE tells where an ERET led, also where tracing stopped there. */
	strays = strays && !(returns && row->flags & CAIRN_INSN_TARGET && row->isa == CAIRN_ISA_A64);
	if (encoder->foreign && (row->flags & CAIRN_INSN_ABORTED || strays))
		in.flags = 0;
	else if (row->flags & CAIRN_INSN_TAKEN)
		in.flags = CAIRN_STF_TAKEN | (row->flags & CAIRN_INSN_TARGET ? CAIRN_STF_TARGET : 0u);
	else if (row->flags & CAIRN_INSN_NOT_TAKEN)
		in.flags = CAIRN_STF_NOT_TAKEN;
	if (rc >= 0 && in.ctx)
		rc = stf_encoder_lose_context(writer, in.ctx, n);
	if (rc >= 0 && row->flags & CAIRN_INSN_INFERRED)
		rc = model_lost(writer, 1, n, model_lost_inferred);
	return rc < 0 ? rc : put_with_apart(writer, batch, index, &in);
}

/* Events of a transaction trace: comments stay, before the batch's transactions. */
static int put_xacts(struct cairn_writer *writer, const struct cairn_batch *batch)
{
	struct stf_encoder *encoder = writer->impl;
	int rc = 0;
	for (uint32_t i = 0; i < batch->n_events && rc >= 0; i++) {
		const struct cairn_event *event = &batch->events[i];
		if (event->kind == CAIRN_EV_COMMENT && event->args <= batch->n_bytes &&
		    event->len <= batch->n_bytes - event->args)
			rc = stf_build_comment(encoder->out, (const char *)batch->bytes + event->args,
			                       event->len);
		else
			rc = model_lost(writer, 1, batch->x0, "events of a trace of transactions");
	}
	for (uint32_t i = 0; i < batch->n_xacts && rc >= 0; i++)
		rc =
			cairn_stf_put_transaction(encoder->out, &batch->xacts[i], batch->bytes, batch->n_bytes);
	return rc;
}

static int stf_encoder_put(struct cairn_writer *writer, const struct cairn_batch *batch)
{
	struct stf_encoder *encoder = writer->impl;
	int rc = 0;
	if (!encoder->begun && !batch->n_insns && !batch->n_xacts && !batch->n_regs && !batch->n_mems &&
	    !batch->n_events)
		return 0;
	if (!encoder->begun && batch->n_insns && batch->insns[0].isa &&
	    !stf_set_of((enum cairn_isa)batch->insns[0].isa))
		return model_refuse_set(writer, &batch->insns[0], batch->n0,
		                        "instructions of 16 and 32 bits, and "
		                        "cairn has numbers in it for RISC-V, Arm and SPARC");
	if (!encoder->begun)
		rc = stf_encoder_begin(writer, batch);
	if (rc < 0)
		return rc;
	if (encoder->out->build->header->cfg.protocol) {
		rc = model_lost(writer, batch->n_insns, batch->n0, "instructions among transactions");
		return rc < 0 ? rc : put_xacts(writer, batch);
	}
	for (uint32_t i = 0; i < batch->n_insns && rc >= 0; i++)
		rc = stf_encoder_put_insn(writer, batch, i);
	if (rc >= 0)
		rc = model_lost(writer, batch->n_xacts, batch->x0, "transactions among instructions");
	struct cairn_stf_insn rest;
	slot(batch, batch->n_insns, &rest);
	if (rc >= 0)
		rc = put_last_apart(writer, batch, &rest);
	if (rc >= 0 && rest.n_regs + rest.n_mems + rest.n_events)
		rc = stf_build_rows(encoder->out, &rest, batch->n0 + batch->n_insns);
	return rc;
}

static int stf_encoder_finish(struct cairn_writer *writer)
{
	struct stf_encoder *encoder = writer->impl;
	int rc = encoder->begun ? 0 : stf_encoder_begin(writer, NULL);
	if (rc < 0)
		return rc;
	rc = cairn_stf_finish(encoder->out);
	encoder->out = NULL;
	return rc;
}

int cairn_stf_writer_header(struct cairn_writer *writer, const struct cairn_stf_header *header,
                            const struct cairn_stf_provenance *provenance)
{
	if (writer->format != &stf_writer_format && writer->format != &stf_zstf_writer_format)
		return base_fail(writer->cairn, CAIRN_E_UNSUPPORTED, "%s: this writes %s, not STF",
		                 writer->path, writer->format->name);
	struct stf_encoder *encoder = writer->impl;
	if (encoder->begun || encoder->own_header)
		return base_fail(writer->cairn, CAIRN_E_STATE, "%s: the header was given before",
		                 writer->path);
	struct cairn_stf_header *copy = NULL;
	int rc = stf_header_copy(writer->cairn, header, &copy);
	if (rc >= 0)
		rc = cairn_stf_header_provenance(copy, provenance);
	if (rc < 0) {
		cairn_stf_header_free(copy);
		return rc;
	}
	encoder->header = copy;
	encoder->own_header = true;
	return 0;
}

static const char *const suffixes[] = {".stf", NULL}, *const zstf_suffixes[] = {".zstf", NULL};

#define STF_WRITER(format_name, format_of, format_suffixes) \
	{ \
		.options = &stf_writing_options, .name = format_name, .marks = MODEL_MARKS_BEFORE, \
		.of = format_of, .suffixes = format_suffixes, .open = stf_encoder_open, \
		.from = stf_encoder_from, .comment = stf_encoder_comment, .put = stf_encoder_put, \
		.finish = stf_encoder_finish, .abort = stf_encoder_abort \
	}
const struct model_writer_format stf_writer_format = STF_WRITER("STF", NULL, suffixes);
/* The same with its container said. */
const struct model_writer_format stf_zstf_writer_format = STF_WRITER("zstf", "STF", zstf_suffixes);
