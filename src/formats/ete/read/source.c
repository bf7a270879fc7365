/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recognising ETE, and opening it with what is known of the trace unit.
 *
 * Raw bytes carry no configuration: it comes from options, or is the default of a
 * snapshot without registers, which reads most traces but not contexts with IDs in them.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "formats/ete/check/rules.h"
#include "formats/ete/write/write.h"
#include "image/image.h"
#include "kit/options.h"

enum { ASYNC = 12 };

/* ---- recognising ---- */

/* Where an Async begins; n when there is none. */
static size_t source_find_async(const uint8_t *p, size_t n)
{
	static const uint8_t async[ASYNC] = {[ASYNC - 1] = 0x80};
	const uint8_t *q = n < ASYNC ? NULL : memmem(p, n, async, ASYNC);
	return q ? (size_t)(q - p) : n;
}

static bool looks_raw(const uint8_t *p, size_t n, size_t *where)
{
	for (size_t at = 0; at < n; at++) {
		at += source_find_async(p + at, n - at);
		if (at < n && n - at > ASYNC && ete_follows_async(p[at + ASYNC])) {
			*where = at;
			return true;
		}
	}
	return false;
}

/* Do frames make sense, and does a source in them synchronise? */
static bool looks_framed(const uint8_t *head, size_t n, enum ete_framing framing)
{
	struct ete_frames frames;
	struct cairn *cairn;
	bool found = false;
	size_t where, used, zeros = 0;
	for (size_t i = 0; i < n && zeros < ASYNC - 1; i++) /* text has none: that is quick */
		zeros += !(head[i] & 0xfe);
	if (zeros < ASYNC - 1 || !(cairn = cairn_new(NULL)))
		return false;
	ete_frames_init(&frames, cairn, framing);
	int rc = ete_frames_take(&frames, head, n - n % ETE_FRAME, framing == ETE_FRAMES, &used);
	if (rc >= 0 && !frames.reserved && !frames.broken && frames.ownerless <= 64)
		for (size_t i = 0; i < frames.n_lanes; i++)
			found =
				found || looks_raw(frames.lanes[i]->bytes.data, frames.lanes[i]->bytes.len, &where);
	ete_frames_free(&frames);
	cairn_free(cairn);
	return found;
}

static bool is_snapshot(const uint8_t *head, size_t n)
{
	static const char section[] = "[snapshot]";
	size_t at = 0;
	while (at < n) { /* blank lines and comments may stand before */
		while (at < n && head[at] && strchr(" \t\r\n", head[at]))
			at++;
		if (at == n || (head[at] != ';' && head[at] != '#'))
			break;
		while (at < n && head[at] != '\n')
			at++;
	}
	return n - at >= sizeof section - 1 &&
	       !strncasecmp((const char *)head + at, section, sizeof section - 1);
}

/* A trace cut out of a ring of memory may begin anywhere: that is believed when no other format
 * claims the bytes. */
int ete_probe(const uint8_t *head, size_t n)
{
	size_t where = 0;
	if (is_snapshot(head, n))
		return 100;
	bool raw = looks_raw(head, n, &where);
	if (raw && where == 0)
		return 90;
	bool framed = n >= ETE_FRAME &&
	              (looks_framed(head, n, ETE_FRAMES) || looks_framed(head, n, ETE_FRAMES_SYNC) ||
	               looks_framed(head, n, ETE_FRAMES_BLOCKS));
	if (framed && head[0] & 1) /* begins with a source, or with a synchronisation */
		return 70;
	return framed ? 25 : raw ? 20 : 0;
}

const char *ete_other_source(const uint8_t *head, size_t n)
{
	enum { ZEROS = 5, ONES = 10 }; /* bytes */
	size_t zeros = 0, ones = 0;
	while (zeros < n && head[zeros] == 0)
		zeros++;
	while (ones < n && head[ones] == 0xff)
		ones++;
	if (zeros >= ZEROS && zeros < ASYNC - 1 && zeros < n && head[zeros] == 0x80)
		return "ETMv3, PTM or ITM";
	/* of half a byte each: 21 of ones and one of zeros */
	return ones >= ONES && ones < n && head[ones] == 0x0f ? "STM" : NULL;
}

/* How the bytes of a file are framed, by what they look like. */
static enum ete_framing guess_framing(const uint8_t *head, size_t n)
{
	size_t where = 0;
	if (looks_raw(head, n, &where) && where == 0)
		return ETE_RAW;
	if (looks_framed(head, n, ETE_FRAMES))
		return ETE_FRAMES;
	if (looks_framed(head, n, ETE_FRAMES_SYNC))
		return ETE_FRAMES_SYNC;
	return looks_framed(head, n, ETE_FRAMES_BLOCKS) ? ETE_FRAMES_BLOCKS : ETE_RAW;
}

/* ---- options ---- */

/* What options say of a trace unit (of one by its ID, or of all), and of the whole trace. */
struct told {
	bool any;
	uint8_t protocol, profile;
	enum isa_arm_level level;
	struct ete_regs regs;
	char core[64];
	uint8_t framing, transactions, records; /* as enums */
	size_t piece;
};
struct options {
	struct told all, of_id[ETE_IDS];
	struct told *now; /* of whom the next words tell */
};

#define OPTION(member) KIT_AT(struct told, member)
#define REGISTER(name, reg) \
	[reg] = {name, \
	         "0x…", \
	         "a register of the trace unit", \
	         KIT_NUMBER, \
	         OPTION(regs.value[reg]), \
	         .most = UINT32_MAX}
enum { CORE = ETE_REGS, PROTOCOL, FRAMING, TRANSACTIONS, RECORDS, PIECE };
static const uint8_t protocols[] = {CAIRN_ETE_ETE, CAIRN_ETE_ETMV4};
static const uint8_t kept[] = {CAIRN_ETE_DROP, CAIRN_ETE_KEEP};
static const struct kit_option reading[] = {
	REGISTER("trcconfigr", ETE_TRCCONFIGR),
	REGISTER("trctraceidr", ETE_TRCTRACEIDR),
	REGISTER("trcidr0", ETE_TRCIDR0),
	REGISTER("trcidr1", ETE_TRCIDR1),
	REGISTER("trcidr2", ETE_TRCIDR2),
	REGISTER("trcidr8", ETE_TRCIDR8),
	REGISTER("trcidr9", ETE_TRCIDR9),
	REGISTER("trcidr10", ETE_TRCIDR10),
	REGISTER("trcidr11", ETE_TRCIDR11),
	REGISTER("trcidr12", ETE_TRCIDR12),
	REGISTER("trcidr13", ETE_TRCIDR13),
	REGISTER("trcdevarch", ETE_TRCDEVARCH),
	[CORE] = {"core", "TYPE", "the processor that was traced: Cortex-A53, ARMv8-A", KIT_TEXT,
              OPTION(core)},
	[PROTOCOL] = {"protocol", "ete|etmv4", "the protocol of the packets", KIT_WORD,
                  OPTION(protocol), .codes = protocols},
	[FRAMING] = {"framing", "raw|frames|synced-frames|dstream", "how the bytes are framed",
                 KIT_WORD, OPTION(framing)},
	[TRANSACTIONS] = {"transactions", "discard|keep",
                      "discard or keep what ran in failed transactions", KIT_WORD,
                      OPTION(transactions), .codes = kept},
	[RECORDS] = {"records", "packets|elements", "what records show", KIT_WORD, OPTION(records)},
	[PIECE] = {"piece", "BYTES", "the least that a thread works on at a time", KIT_NUMBER,
               OPTION(piece), .least = 1, .most = SIZE_MAX - 1},
};
const struct kit_options ete_reading_options = {"ete", "reading ETE", reading,
                                                sizeof reading / sizeof *reading};

/* What an option besides tells. */
static void apply(struct ete_impl *im, struct told *told, uint64_t given)
{
	told->regs.given |= given & ((1u << ETE_REGS) - 1);
	told->any |= (given & ((UINT64_C(1) << (PROTOCOL + 1)) - 1)) != 0;
	if (given >> CORE & 1) {
		told->level = ete_core_level(told->core);
		told->profile = (uint8_t)ete_core_profile(told->core);
	} else if (given >> FRAMING & 1) {
		im->framing = (enum ete_framing)told->framing;
		im->framing_given = true;
	} else if (given >> TRANSACTIONS & 1) {
		im->transactions = told->transactions;
		im->transactions_given = true;
	} else if (given >> RECORDS & 1) {
		im->elements = told->records == 1;
	} else if (given >> PIECE & 1) {
		im->piece = told->piece;
	}
}

/* "0x10:NAME=VALUE": the ID for which this word and those behind it are. */
static int take_id(struct cairn_reader *reader, struct options *options, const char **text,
                   size_t *n)
{
	const char *colon = memchr(*text, ':', *n);
	uint64_t id;
	if (!colon)
		return 0;
	size_t n_id = (size_t)(colon - *text);
	if (!base_number(*text, n_id, &id) || id == 0 || id >= ETE_FIRST_RESERVED)
		return base_fail(reader->cairn, CAIRN_E_INVAL,
		                 "a trace ID is a number from 1 to 0x6f, not '%.*s'",
		                 (int)(n_id < 40 ? n_id : 40), *text);
	options->now = &options->of_id[id];
	*n -= n_id + 1;
	*text = colon + 1;
	return 0;
}

/* NAME=VALUE: a register or one of the few words. */
static int one_option(struct cairn_reader *reader, struct options *options, const char *text,
                      size_t n)
{
	uint64_t given = 0;
	int rc = take_id(reader, options, &text, &n);
	if (rc >= 0)
		rc = kit_option_parse(reader->cairn, &ete_reading_options, text, n, options->now, &given);
	if (rc >= 0)
		apply(reader->impl, options->now, given);
	return rc;
}

static int source_parse_options(struct cairn_reader *reader, struct options *options,
                                const char *text)
{
	options->now = &options->all;
	options->all.level = ISA_ARM_AA64;
	ete_regs_default(&options->all.regs);
	while (*text) {
		size_t n = strcspn(text, ",");
		int rc = n ? one_option(reader, options, text, n) : 0;
		if (rc < 0)
			return rc;
		if (n == 0)
			options->now = &options->all;
		text += n + (text[n] == ',');
	}
	return 0;
}

/* ---- opening ---- */

/* The one trace unit of a file, or one of several in frames. */
static void set_program(struct cairn_reader *reader, struct ete_program *program,
                        const struct told *told)
{
	ete_config_of(&told->regs, &program->cfg);
	program->cfg.protocol = told->protocol;
	program->cfg.profile = told->profile;
	program->image = reader->image;
	program->level = told->level;
	program->given = told->regs.given;
}

static void set_id(struct ete_impl *im, unsigned unit, unsigned id)
{
	struct ete_program *program = &im->programs[unit];
	im->unit_of_id[id] = (int16_t)unit;
	program->cfg.traceidr = id;
	program->hart = (uint16_t)unit;
	snprintf(im->id_names[unit], sizeof *im->id_names, "ID 0x%02x", id);
	program->name = im->id_names[unit];
}

/* An option for one ID goes before one for all. */
static int told_of(struct cairn_reader *reader, const struct options *options, unsigned id,
                   struct told *out)
{
	const struct told *one = &options->of_id[id];
	*out = options->all;
	for (unsigned i = 0; i < ETE_REGS; i++)
		if (one->regs.given >> i & 1)
			out->regs.value[i] = one->regs.value[i];
	out->regs.given |= one->regs.given;
	out->protocol = one->protocol ? one->protocol : out->protocol;
	if (one->profile) {
		out->profile = one->profile;
		out->level = one->level;
	}
	if (one->regs.given >> ETE_TRCTRACEIDR & 1 && one->regs.value[ETE_TRCTRACEIDR] != id)
		return base_fail(reader->cairn, CAIRN_E_INVAL,
		                 "TRCTRACEIDR is said to be 0x%x for trace ID 0x%02x",
		                 one->regs.value[ETE_TRCTRACEIDR], id);
	return 0;
}

static int source_see(void *user, unsigned id, bool synced)
{
	bool *seen = user;
	seen[id] |= synced;
	return synced ? 0 : ETE_UNSEEN;
}

/* The IDs that synchronise in what can be looked at beforehand, in their order. */
static int see_ids(struct cairn_reader *reader)
{
	enum { AHEAD = 64 << 10 };
	struct ete_impl *im = reader->impl;
	struct ete_frames frames;
	const uint8_t *head = NULL;
	bool seen[ETE_IDS] = {false};
	size_t n = 0, used;
	int rc = io_peek(reader->io, AHEAD, &head, &n);
	if (rc == CAIRN_E_NOMEM || n == 0)
		return rc == CAIRN_E_NOMEM ? rc : 0;
	ete_frames_init(&frames, reader->cairn, im->framing);
	frames.unit_of = source_see;
	frames.user = seen;
	rc = ete_frames_take(&frames, head, n < AHEAD ? n : AHEAD, false, &used);
	ete_frames_free(&frames);
	for (unsigned id = 1; id < ETE_FIRST_RESERVED && rc >= 0; id++)
		if (seen[id] && im->unit_of_id[id] < 0)
			set_id(im, im->n_ids++, id);
	return rc;
}

/* Trace units of frames: first those that options name, then those at the beginning of the trace,
 * in the order of their IDs; others get a place when they synchronise, unless only those named are
 * wanted. */
static int open_ids(struct cairn_reader *reader, struct options *options)
{
	struct ete_impl *im = reader->impl;
	struct told told;
	unsigned whose = options->all.regs.value[ETE_TRCTRACEIDR];
	bool one = options->all.regs.given >> ETE_TRCTRACEIDR & 1;
	if (one && (whose == 0 || whose >= ETE_FIRST_RESERVED))
		return base_fail(reader->cairn, CAIRN_E_INVAL,
		                 "TRCTRACEIDR: a trace ID is a number from 1 to 0x6f");
	if (one)
		options->of_id[whose].any = true;
	im->id_names = base_alloc(reader->cairn, ETE_IDS * sizeof *im->id_names);
	if (!im->id_names)
		return CAIRN_E_NOMEM;
	memset(im->unit_of_id, -1, sizeof im->unit_of_id);
	for (unsigned id = 0; id < ETE_FIRST_RESERVED; id++)
		if (options->of_id[id].any) {
			int rc = told_of(reader, options, id, &told);
			if (rc < 0)
				return rc;
			set_program(reader, &im->programs[im->n_ids], &told);
			set_id(im, im->n_ids++, id);
		}
	im->only_told = im->n_ids && (one || !options->all.any);
	im->n_told = im->n_ids + !im->only_told;
	if (im->only_told)
		im->n_programs = im->n_ids;
	for (size_t i = im->n_ids; i < im->n_programs; i++) /* which ID is whose shows later */
		set_program(reader, &im->programs[i], &options->all);
	return im->only_told ? 0 : see_ids(reader);
}

int ete_unit_of_id(struct ete_impl *im, unsigned id, bool synced)
{
	if (im->unit_of_id[id] >= 0)
		return im->unit_of_id[id];
	if (im->only_told)
		return ETE_NOBODY;
	if (synced)
		set_id(im, im->n_ids++, id);
	return synced ? im->unit_of_id[id] : ETE_UNSEEN;
}

static int open_programs(struct cairn_reader *reader, struct options *options)
{
	struct ete_impl *im = reader->impl;
	struct ete_snapshot *snap = im->snapshot;
	int rc = 0;
	im->n_programs = snap ? snap->n_units : im->framing == ETE_RAW ? 1 : ETE_FIRST_RESERVED;
	im->n_told = im->n_programs;
	im->programs = base_alloc(reader->cairn, (im->n_programs + 1) * sizeof *im->programs);
	if (!im->programs)
		return CAIRN_E_NOMEM;
	if (!snap && im->framing != ETE_RAW)
		return open_ids(reader, options);
	if (!snap) {
		set_program(reader, &im->programs[0], &options->all);
		return 0;
	}
	for (size_t i = 0; i < snap->n_cores && rc >= 0 && reader->image; i++)
		rc = image_lay(snap->cores[i].image, reader->image);
	unsigned next = 0; /* the hart of a unit that traces no known core */
	for (size_t i = 0; i < snap->n_units; i++)
		next = snap->units[i].core >= 0 ? (unsigned)snap->n_cores : next;
	for (size_t i = 0; i < snap->n_units; i++) {
		const struct ete_unit *unit = &snap->units[i];
		struct ete_program *program = &im->programs[i];
		ete_config_of(&unit->regs, &program->cfg);
		program->cfg.protocol = unit->protocol;
		program->cfg.profile = (uint8_t)(unit->core < 0 ? 0 : snap->cores[unit->core].profile);
		program->name = unit->name;
		program->given = unit->regs.given;
		program->level = unit->core < 0 ? ISA_ARM_AA64 : snap->cores[unit->core].level;
		program->image = unit->core < 0 ? reader->image : snap->cores[unit->core].image;
		program->hart = (uint16_t)(unit->core >= 0 ? (unsigned)unit->core
		                           : unit->decoded ? next++
		                                           : 0);
	}
	return rc;
}

/* The instruction set of a core, or one of several that it has. */
static enum cairn_isa source_set_of(const struct cairn_ete_config *cfg)
{
	if (cfg->profile == 'M')
		return CAIRN_ISA_T32;
	return cfg->arch && cfg->arch < 0x80 ? CAIRN_ISA_A32 : CAIRN_ISA_A64;
}

/* Refuse options about trace units that a snapshot describes itself. */
static int refuse_told(struct cairn_reader *reader, const struct options *options)
{
	bool any = options->all.any;
	for (unsigned id = 0; id < ETE_IDS && !any; id++)
		any = options->of_id[id].any;
	return !any ? 0
	            : base_fail(reader->cairn, CAIRN_E_INVAL,
	                        "%s: a snapshot says itself what its registers and cores are",
	                        io_name(reader->io));
}

/* Is there anything to decode? */
static int judge_sources(struct cairn_reader *reader, const struct ete_snapshot *snapshot)
{
	char list[512] = "";
	const char *name = io_name(reader->io);
	bool missing = snapshot->n_units == 0;
	size_t n = 0;
	for (size_t i = 0; i < snapshot->n_units; i++) {
		const struct ete_unit *unit = &snapshot->units[i];
		if (unit->decoded)
			return 0;
		missing |= unit->unregistered;
		if (n < sizeof list)
			n += (size_t)snprintf(list + n, sizeof list - n, "%s%s (%s)", n ? ", " : "", unit->name,
			                      unit->unregistered ? "registers missing"
			                      : *unit->type      ? unit->type
			                                         : "no type");
	}
	for (size_t i = 0; missing && i < snapshot->n_notes;
	     i++) /* a source's registers, or its file */
		if (snapshot->notes[i].lost)
			return base_fail(reader->cairn, CAIRN_E_DAMAGED,
			                 "%s: no trace source can be decoded: %s", name,
			                 snapshot->notes[i].text);
	if (snapshot->n_units == 0)
		return base_fail(reader->cairn, CAIRN_E_DAMAGED, "%s: it names no trace source", name);
	return base_fail(reader->cairn, CAIRN_E_UNSUPPORTED,
	                 "%s: none of its trace sources is ETE or ETMv4, which cairn decodes: %s", name,
	                 list);
}

static int open_snapshot(struct cairn_reader *reader, const struct options *options)
{
	struct ete_impl *im = reader->impl;
	if (access(io_name(reader->io), F_OK) != 0)
		return base_fail(reader->cairn, CAIRN_E_UNSUPPORTED,
		                 "%s: a snapshot is a directory of files; give its path",
		                 io_name(reader->io));
	int rc = refuse_told(reader, options);
	if (rc >= 0 && im->framing_given && im->framing < ETE_FRAMES_SYNC)
		rc = base_fail(
			reader->cairn, CAIRN_E_INVAL,
			"%s: a snapshot describes its own frames; only synced-frames and dstream can be given",
			io_name(reader->io));
	if (rc >= 0)
		rc = ete_snapshot_open(reader->cairn, io_name(reader->io), &im->snapshot);
	return rc < 0 ? rc : judge_sources(reader, im->snapshot);
}

static int open_with(struct cairn_reader *reader, struct options *options)
{
	struct ete_impl *im = reader->impl;
	const uint8_t *head = NULL;
	const char *other;
	size_t n = 0, where;
	int rc = io_peek(reader->io, 4096, &head, &n);
	if (rc < 0 && n == 0)
		return base_wrap(reader->cairn, "%s", io_name(reader->io));
	rc = 0;
	if (is_snapshot(head, n))
		rc = open_snapshot(reader, options);
	else if (!im->framing_given)
		im->framing = guess_framing(head, n);
	other = im->framing_given || looks_raw(head, n, &where) ? NULL : ete_other_source(head, n);
	if (other && im->framing == ETE_RAW)
		rc = base_fail(reader->cairn, CAIRN_E_FORMAT, "%s: " ETE_NOT_DECODED, io_name(reader->io),
		               other);
	for (unsigned id = 0; id < ETE_IDS && rc >= 0 && !im->snapshot && im->framing == ETE_RAW; id++)
		if (options->of_id[id].any)
			rc = base_fail(reader->cairn, CAIRN_E_INVAL,
			               "%s: bytes of one trace unit have no trace IDs "
			               "(framing=frames, if they are frames)",
			               io_name(reader->io));
	im->regs_given = options->all.regs.given;
	for (unsigned id = 0; id < ETE_IDS; id++)
		im->regs_given |= options->of_id[id].regs.given;
	reader->no_jumps = im->framing >= ETE_FRAMES_SYNC;
	for (size_t i = 0; rc >= 0 && im->snapshot && i < im->snapshot->n_sessions; i++)
		reader->no_jumps |= im->snapshot->sessions[i].framing >= ETE_FRAMES_SYNC ||
		                    im->snapshot->sessions[i].n_files != 1;
	return rc < 0 ? rc : open_programs(reader, options);
}

int ete_open(struct cairn_reader *reader, const char *options)
{
	struct ete_impl *im = base_alloc(reader->cairn, sizeof *im);
	if (!im)
		return CAIRN_E_NOMEM;
	reader->impl = im;
	struct options *o = base_alloc(reader->cairn, sizeof *o);
	if (!o)
		return CAIRN_E_NOMEM;
	int rc = source_parse_options(reader, o, options);
	if (rc >= 0)
		rc = open_with(reader, o);
	base_free(reader->cairn, o);
	reader->state_size = sizeof(struct ete_state) + im->n_programs * sizeof(struct ete_unit_state);
	reader->can = CAIRN_CONTEXT | CAIRN_EVENTS | CAIRN_BYTES | CAIRN_PLACES;
	reader->isa =
		rc >= 0 && im->n_programs ? (uint8_t)source_set_of(&im->programs[0].cfg) : CAIRN_ISA_A64;
	for (size_t i = 0; rc >= 0 && i < im->n_programs; i++)
		if (im->programs[i].image && !image_empty(im->programs[i].image))
			reader->can |= CAIRN_PC | CAIRN_ENC | CAIRN_CLASS | CAIRN_TARGET;
	return rc;
}

void ete_close(struct cairn_reader *reader)
{
	struct ete_impl *im = reader->impl;
	if (!im)
		return;
	ete_session_release(reader->cairn, im->now);
	ete_snapshot_free(im->snapshot);
	base_free(reader->cairn, im->programs);
	base_free(reader->cairn, im->id_names);
	base_free(reader->cairn, im);
}

/* ---- threads ---- */

int ete_worker_new(struct cairn_reader *reader, void **out)
{
	struct ete_impl *im = reader->impl;
	struct ete_worker *worker = base_alloc(reader->cairn, sizeof *worker);
	if (!worker)
		return CAIRN_E_NOMEM;
	*out = worker;
	worker->memo = isa_memo_new(reader->cairn);
	worker->codes = base_alloc(reader->cairn, (im->n_programs + 1) * sizeof *worker->codes);
	if (!worker->memo || !worker->codes)
		return CAIRN_E_NOMEM;
	for (size_t i = 0; i < im->n_programs; i++)
		ete_code_init(&worker->codes[i], reader->cairn, im->programs[i].image,
		              im->programs[i].level, ete_also_p0(&im->programs[i].cfg));
	worker->n_codes = im->n_programs;
	return 0;
}

void ete_worker_free(struct cairn_reader *reader, void *worker)
{
	struct ete_worker *w = worker;
	for (size_t i = 0; i < w->n_codes; i++)
		ete_code_free(&w->codes[i]);
	base_free(reader->cairn, w->codes);
	isa_memo_free(w->memo);
	base_free(reader->cairn, w);
}

/* The pieces of a snapshot's description. */
bool ete_comment(const struct cairn_reader *reader, size_t index, const char **text, size_t *n)
{
	const struct ete_impl *im = reader->impl;
	const char *p = im->snapshot ? im->snapshot->description : "";
	for (const char *end; *p; p = *end ? end + sizeof ETE_JOINT - 1 : end) {
		end = strstr(p, ETE_JOINT);
		end = end ? end : p + strlen(p);
		*text = p;
		*n = (size_t)(end - p);
		if (*n && index-- == 0)
			return true;
	}
	return false;
}

/* What did not happen is nevertheless part of the stream. */
void ete_keep_all(struct cairn_reader *reader)
{
	struct ete_impl *im = reader->impl;
	if (!im->transactions_given)
		im->transactions = CAIRN_ETE_KEEP;
}
