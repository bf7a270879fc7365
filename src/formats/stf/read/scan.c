/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scan and seal: what a span does to the state, learnt in one fast walk without
 * knowing where the trace stood before it, and the composition of entry and
 * effect, in trace order.
 *
 * The walk is also `count`: when a tally is given it counts records, decodes
 * for branches, and notes damage. The same loop serves both, specialised by a
 * constant.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "formats/stf/stf.h"

/* Beside enum stf_follow_flag. */
enum slot_seen {
	SEEN_READ = 1,
	SEEN_WRITE = 2,
	SEEN_TARGET = 4,
	SEEN_ABORT = 8,
	SEEN_FIRST = 16 /* no instruction before it */
};

/* Instructions are counted by a number made of everything seen with them and of what they are: one
 * counter to increase instead of seven. Sums are made at the end. */
enum sort {
	SORT_SEEN = SEEN_READ | SEEN_WRITE | SEEN_TARGET | SEEN_ABORT,
	SORT_TRAITS = CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE | CAIRN_TRAIT_BRANCH,
	SORT_SHIFT = 4,
	SORT_OF_16 = 256, /* of 16 bits */
	SORTS = 512
};
_Static_assert(SORT_SEEN<1 << SORT_SHIFT && SORT_TRAITS<SORT_OF_16>> SORT_SHIFT,
               "a sort is both sets of bits, and the size");

/* The sort of an encoding, as far as the encoding decides it, and the instruction set it was
 * decoded in (one more than its number; 0: an empty place). Each encoding of 16 bits has a place;
 * of those of 32 the newer displaces the older. A quarter of a megabyte: stf_code would take four
 * times that. */
struct stf_sorts {
	uint16_t of16[1 << 16]; /* isa << 8 | sort */
	uint64_t of32[1 << 14]; /* encoding << 32 | isa << 8 | sort */
};

struct scan {
	struct cairn_reader *reader;
	const struct cairn_stf_config *cfg;
	struct stf_sorts *known;
	struct stf_span *ss;
	struct stf_delta *delta;
	struct cairn_tally *tally;
	uint32_t isa;          /* one more than its number: struct stf_sorts */
	uint64_t sorts[SORTS]; /* enum sort */
};

static void scan_event(struct scan *sc, const uint8_t *p)
{
	uint64_t id = stf_event_id_of(p, sc->cfg->event_bits);
	if (stf_event_implausible(id) && !sc->delta->odd_event) {
		sc->delta->odd_event = 1;
		sc->delta->odd_id = id;
		sc->delta->odd_off = kit_offset_of(&sc->ss->bytes, p);
	}
	if (stf_event_stops(stf_isa_is_ours(sc->cfg->isa), id))
		sc->delta->now.group |= SEEN_ABORT;
}

/* Records that touch the state but are not frequent. */
static __attribute__((noinline)) void stf_scan_rare(struct scan *sc, const uint8_t *p)
{
	struct stf_delta *delta = sc->delta;
	uint64_t missing;
	size_t why;
	stf_follow_rare(&delta->now, sc->cfg, p);
	switch (*p) {
	case CAIRN_STF_COMMENT:
		delta->gap |= stf_is_gap(p, &missing, &why);
		break;
	case CAIRN_STF_EVENT:
		scan_event(sc, p);
		break;
	case CAIRN_STF_FORCE_PC:
		delta->pc_fixed |= delta->insns > 0;
		break;
	case CAIRN_STF_INST_IEM:
		delta->isa_set = 1;
		sc->isa = stf_variant(sc->cfg, delta->now.isa) + 1u;
		break;
	case CAIRN_STF_TRANSACTION:
		delta->xacts++;
		delta->now.group |= delta->insns ? 0 : SEEN_FIRST;
		break;
	default:
		break;
	}
}

static __attribute__((noinline)) uint32_t decode_sort(const struct scan *sc, uint32_t enc,
                                                      unsigned size)
{
	struct cairn_op op;
	cairn_isa_decode((enum cairn_isa)(sc->isa - 1), enc, size, &op);
	return sc->isa << 8 | (op.traits & SORT_TRAITS) << SORT_SHIFT;
}

static inline uint32_t sort16(const struct scan *sc, uint32_t enc)
{
	uint16_t *at = &sc->known->of16[enc];
	if (__builtin_expect(*at >> 8 != sc->isa, 0))
		*at = (uint16_t)decode_sort(sc, enc, 2);
	return *at & 0xff;
}

static inline uint32_t sort32(const struct scan *sc, uint32_t enc)
{
	uint64_t *at = &sc->known->of32[enc * UINT32_C(0x9e3779b1) >> (32 - 14)];
	if (__builtin_expect(*at >> 8 != ((uint64_t)enc << 24 | sc->isa), 0))
		*at = (uint64_t)enc << 32 | decode_sort(sc, enc, 4);
	return *at & 0xff;
}

static void sum_sorts(const struct scan *sc, struct cairn_tally *tally)
{
	for (uint32_t i = 0; i < SORTS; i++) {
		uint64_t n = sc->sorts[i];
		uint32_t seen = i & SORT_SEEN, traits = (i & ~(uint32_t)SORT_OF_16) >> SORT_SHIFT;
		tally->by_record[i & SORT_OF_16 ? CAIRN_STF_INST_16 : CAIRN_STF_INST_32] += n;
		tally->executed += seen & SEEN_ABORT ? 0 : n;
		tally->loads += seen & SEEN_READ ? n : 0;
		tally->stores += seen & SEEN_WRITE ? n : 0;
		tally->class_loads += traits & CAIRN_TRAIT_LOAD ? n : 0;
		tally->class_stores += traits & CAIRN_TRAIT_STORE ? n : 0;
		tally->branches += traits & CAIRN_TRAIT_BRANCH ? n : 0;
		tally->branches_taken += (traits & CAIRN_TRAIT_BRANCH) && (seen & SEEN_TARGET) ? n : 0;
	}
}

static __attribute__((noinline)) void special(struct scan *sc, uint32_t seen, uint64_t pc)
{
	struct stf_follower *now = &sc->delta->now;
	now->group = seen;
	now->begun = 1;
	stf_follow_end(now);
	if (seen & SEEN_FIRST)
		sc->delta->pc_first = pc;
}

/* Put what the walk keeps in registers where others see it. */
static inline void scan_leave(struct scan *sc, uint32_t seen, uint64_t target, uint64_t pc,
                              uint64_t insns)
{
	sc->delta->now.group = seen;
	sc->delta->now.target = target;
	sc->delta->now.pc = pc;
	sc->delta->insns += insns;
}

/* A record has passed, and an instruction of this many bytes; of the walk below. */
#define RECORD(type, length) \
	if (counting) \
		by_record[type]++; \
	p += (length); \
	records++
#define INSTRUCTION(size, sort) \
	if (counting) \
		sc->sorts[(sort) | (seen & SORT_SEEN)]++; \
	next = pc + (size); \
	pc = seen & STF_GOES ? target : next; \
	p += 1 + (size); \
	records++; \
	insns++; \
	if (__builtin_expect(seen & (STF_MODE_LATER | SEEN_FIRST), 0)) \
		special(sc, seen, pc); \
	seen = 0

/* Walk the window's whole records. Returns 1 when stopped by damage. One loop on purpose, and
 * what is rare is out of line: in line it takes the registers away from what is frequent.
 * Which record comes is hard to guess, and is guessed better where each has its own way back
 * to the loop's head. */
static inline __attribute__((always_inline)) int stf_scan_walk(struct scan *sc, const bool counting)
{
	const struct cairn_stf_config *cfg = sc->cfg;
	const uint8_t *p = sc->ss->bytes.window.p, *const end = sc->ss->bytes.window.end;
	struct stf_delta *delta = sc->delta;
	uint64_t *const by_record = counting ? sc->tally->by_record : NULL;
	/* Up to here two records of fixed length lie within the window. */
	const uint8_t *const safe =
		end - p < 2 * STF_LEN_LONGEST_FIXED ? NULL : end - 2 * STF_LEN_LONGEST_FIXED;
	uint64_t records = 0, insns = 0, pc = delta->now.pc, target = delta->now.target;
	uint32_t seen = delta->now.group | (delta->insns ? 0 : SEEN_FIRST);
	uint64_t targets =
		seen & STF_GOES; /* STF_GOES for each target that waited for an instruction */
	int64_t len;

	for (;;) {
		uint64_t next;
		if (__builtin_expect(p > safe, 0)) {
			len = cairn_stf_record_length(cfg, p, (size_t)(end - p));
			if (len <= 0)
				break;
		}
		switch (*p) {
		case CAIRN_STF_INST_32:
			INSTRUCTION(4, sort32(sc, stf_INST_32_encoding(p)));
			continue;
		case CAIRN_STF_INST_16:
			INSTRUCTION(2, SORT_OF_16 | sort16(sc, stf_INST_16_encoding(p)));
			continue;
		case CAIRN_STF_INST_PC_TARGET:
			target = stf_INST_PC_TARGET_pc(p);
			targets += ~seen & STF_GOES;
			seen |= SEEN_TARGET | STF_GOES;
			RECORD(CAIRN_STF_INST_PC_TARGET, STF_LEN_INST_PC_TARGET);
			continue;
		case CAIRN_STF_INST_REG:
			if (__builtin_expect(stf_reg_class(p) == CAIRN_REG_VECTOR, 0))
				goto measure;
			RECORD(CAIRN_STF_INST_REG, STF_LEN_INST_REG + 8);
			continue;
		case CAIRN_STF_INST_MEM_ACCESS:
			if (counting)
				seen |= stf_INST_MEM_ACCESS_access(p) <= CAIRN_MEM_WRITE
				            ? stf_INST_MEM_ACCESS_access(p)
				            : 0; /* SEEN_READ, _WRITE */
			RECORD(CAIRN_STF_INST_MEM_ACCESS, STF_LEN_INST_MEM_ACCESS);
			/* Its content follows but rarely not. */
			if (__builtin_expect(p > safe, 0) || *p != CAIRN_STF_INST_MEM_CONTENT)
				continue;
			/* fallthrough */
		case CAIRN_STF_INST_MEM_CONTENT:
			RECORD(CAIRN_STF_INST_MEM_CONTENT, STF_LEN_INST_MEM_CONTENT);
			continue;
		default:
			goto measure;
		}
	measure:
		len = cairn_stf_record_length(cfg, p, (size_t)(end - p));
		if (len <= 0)
			break;
		scan_leave(sc, seen, target, pc, insns);
		insns = 0;
		stf_scan_rare(sc, p);
		pc = delta->now.pc;
		target = delta->now.target;
		targets += delta->now.group & ~seen & STF_GOES;
		seen = delta->now.group;
		RECORD(*p, len);
	}
	sc->ss->bytes.window.p = p;
	scan_leave(sc, seen & ~(uint32_t)SEEN_FIRST, target, pc, insns);
	if (targets != (seen & STF_GOES))
		delta->now.pc_known = delta->pc_fixed = 1;
	delta->records += records;
	return len < 0;
}
#undef INSTRUCTION
#undef RECORD

static __attribute__((noinline)) int walk_counting(struct scan *sc)
{
	return stf_scan_walk(sc, true);
}

static __attribute__((noinline)) int walk_quietly(struct scan *sc)
{
	return stf_scan_walk(sc, false);
}

/* The header's records are counted, but belong to no instruction. */
static void scan_header(struct scan *sc)
{
	const struct stf_impl *im = sc->reader->impl;
	const struct stf_header *header = &im->header;
	size_t size = stf_header_bytes(sc->ss, header);
	struct stf_records at = stf_records_in(&header->cfg, sc->ss->bytes.window.p, size);
	while (sc->tally && stf_next(&at))
		sc->tally->by_record[*at.p]++;
	kit_skip(&sc->ss->bytes, size);
	sc->delta->records += header->records;
	if (header->has_pc && !header->cfg.protocol) {
		sc->delta->now.pc = header->pc;
		sc->delta->now.pc_known = STF_PC_TOLD;
	}
}

/* Fill the tally's sums that follow from the counts by record. */
static void stf_scan_close_tally(const struct scan *sc, struct cairn_tally *tally,
                                 const struct stf_delta *delta)
{
	sum_sorts(sc, tally);
	tally->instructions = delta->insns;
	tally->transactions = delta->xacts;
	tally->records = delta->records;
	bool moves = tally->loads || tally->stores; /* and does not only fetch */
	tally->accesses = moves ? tally->by_record[CAIRN_STF_INST_MEM_ACCESS] : 0;
	tally->events = tally->by_record[CAIRN_STF_EVENT];
	tally->contexts = tally->by_record[CAIRN_STF_PROCESS_ID_EXT];
}

/* Walk the span to its end, with `isa` in force at its start. */
static int scan_walk(struct cairn_reader *reader, struct model_span *span, uint8_t isa)
{
	struct stf_impl *im = reader->impl;
	struct stf_span *ss = span->priv;
	struct stf_worker *worker = span->worker;
	bool damaged = false;
	if (ss->tally && !worker->sorts &&
	    !(worker->sorts = base_alloc(reader->cairn, sizeof *worker->sorts)))
		return CAIRN_E_NOMEM;
	struct scan sc = {.reader = reader,
	                  .cfg = &im->header.cfg,
	                  .known = worker->sorts,
	                  .ss = ss,
	                  .delta = &ss->delta,
	                  .tally = ss->tally,
	                  .isa = stf_variant(&im->header.cfg, isa) + 1u};

	ss->delta = (struct stf_delta){.now = {.isa = isa, .begun = !ss->header}};
	ss->scan_isa = isa;
	stf_span_mark(ss);
	if (ss->header)
		scan_header(&sc);
	for (;;) {
		damaged = sc.tally ? walk_counting(&sc) : walk_quietly(&sc);
		if (damaged || ss->stopped)
			break;
		if (base_cancelled(reader->cairn))
			return base_fail(reader->cairn, CAIRN_E_CANCELLED, "cancelled");
		int rc = stf_span_more(reader, span);
		if (rc < 0)
			return rc;
		if (rc == 0)
			break;
	}
	ss->delta.bytes = kit_offset(&ss->bytes);
	stf_follow_end(&ss->delta.now);
	ss->delta.damaged = damaged || ss->stopped || kit_left(&ss->bytes) > 0;
	if (sc.tally)
		stf_scan_close_tally(&sc, sc.tally, &ss->delta);
	return 0;
}

int stf_scan(struct cairn_reader *reader, struct model_span *span, struct cairn_tally *tally)
{
	struct stf_impl *im = reader->impl;
	struct stf_span *ss = span->priv;
	ss->tally = tally;
	int rc = scan_walk(reader, span, __atomic_load_n(&im->isa_guess, __ATOMIC_RELAXED));
	/* After counting, seal adds what the damage's place needs. */
	return rc < 0 || tally ? rc : stf_span_rewind(reader, span);
}

/* Count once more: it was counted with another instruction set than the one in force. */
static int count_again(struct cairn_reader *reader, struct model_span *span)
{
	struct stf_span *ss = span->priv;
	int rc = stf_span_rewind(reader, span);
	memset(ss->tally, 0, sizeof *ss->tally);
	return rc < 0 ? rc : scan_walk(reader, span, ss->at.now.isa);
}

/* ---- sealing ---- */

/* What came before is not known, except what the container says. */
static void stf_scan_lose(struct stf_span *ss)
{
	struct stf_follower *now = &ss->at.now;
	now->pc = ss->index_pc;
	now->pc_known = ss->has_index_pc ? STF_PC_BY_INDEX : 0;
	now->group = 0;
	now->ctx = (struct cairn_ctx){0};
}

static void first_state(struct cairn_reader *reader, struct stf_span *ss)
{
	const struct stf_impl *im = reader->impl;
	struct stf_state *at = &ss->at;
	memset(at, 0, sizeof *at);
	at->now.isa = (uint8_t)stf_isa(&im->header.cfg, im->header.cfg.iem);
	at->n = at->x = at->rec = 1;
	if (im->header.has_ids)
		stf_ids(&im->header.cfg, im->header.ids, &at->now.ctx);
	if (ss->kind == STF_SPAN_CHUNK && ss->chunk > 0) {
		/* A jump. */
		at->n = at->x = ss->chunk * im->per_chunk + 1;
		at->now.begun = 1;
		at->off = ss->index_off;
		stf_scan_lose(ss);
		ss->places_unknown = true;
	}
}

static void after_damage(const struct stf_impl *im, struct stf_span *ss)
{
	struct stf_state *at = &ss->at;
	uint64_t *n = im->header.cfg.protocol ? &at->x : &at->n;
	uint64_t told = ss->chunk * im->per_chunk + 1;
	at->gap = told > *n ? told - *n : UINT64_MAX;
	if (told > *n)
		*n = told;
	stf_scan_lose(ss);
	if (ss->has_index_pc)
		at->off = ss->index_off;
}

/* The container says with which number a chunk begins; the records decide. */
static void scan_compare(struct cairn_reader *reader, struct model_span *span)
{
	const struct stf_impl *im = reader->impl;
	const struct stf_span *ss = span->priv;
	const struct stf_state *at = &ss->at;
	uint64_t n = im->header.cfg.protocol ? at->x : at->n;
	uint64_t told = ss->chunk * im->per_chunk + 1;
	if (n != told)
		model_damaged(reader, span,
		              "chunk %llu: begins with number %llu by the records, %llu by the "
		              "container's chunk size of %llu",
		              (unsigned long long)ss->chunk, (unsigned long long)n,
		              (unsigned long long)told, (unsigned long long)im->per_chunk);
}

static void stf_scan_compose(const struct cairn_stf_config *cfg, const struct stf_span *ss,
                             struct stf_state *out)
{
	const struct stf_delta *delta = &ss->delta;
	const struct stf_follower *now = &delta->now;
	const struct cairn_ctx *ctx = &now->ctx;
	*out = ss->at;
	out->n += delta->insns;
	out->x += delta->xacts;
	out->rec += delta->records;
	out->off += delta->bytes;
	out->gap = 0;
	bool pends = out->now.group & STF_GOES && delta->insns; /* across the cut: rare */
	if (pends && !delta->pc_fixed)
		out->now.pc = out->now.target + now->pc - delta->pc_first;
	else
		out->now.pc = now->pc + (now->pc_known ? 0 : out->now.pc);
	if (now->pc_known || pends)
		out->now.pc_known = STF_PC_TOLD;
	if (now->group & STF_GOES)
		stf_follow_target(&out->now, now->target);
	else if (delta->insns)
		out->now.group = 0;
	if (delta->isa_set)
		out->now.isa = now->isa;
	out->odd_event |= delta->odd_event;
	out->now.begun = out->now.begun || delta->insns || delta->xacts;
	out->damaged = delta->damaged;
	uint32_t id[3];
	if (stf_ids_of(cfg->new_ids, ctx, id))
		stf_ids(cfg, id, &out->now.ctx);
	if (delta->gap)
		stf_follow_gap(&out->now);
	if (ctx->known & CAIRN_CTX_PRIV)
		stf_follow_priv(&out->now, ctx->priv);
}

int stf_seal(struct cairn_reader *reader, const void *before, struct model_span *span)
{
	struct stf_impl *im = reader->impl;
	struct stf_span *ss = span->priv;
	if (span->seq == 0) {
		first_state(reader, ss);
	} else {
		memcpy(&ss->at, before, sizeof ss->at);
		ss->after_damage = ss->at.damaged;
		if (ss->kind == STF_SPAN_CHUNK) {
			bool lost = ss->at.damaged || (!ss->at.now.pc_known && !im->header.cfg.protocol);
			int rc = lost ? stf_container_look_up(reader, ss) : 0;
			if (rc < 0)
				return rc;
			if (ss->at.damaged)
				after_damage(im, ss);
			else
				scan_compare(reader, span);
			ss->places_unknown = im->first_chunk > 0;
		}
		ss->at.damaged = 0;
		if (!ss->at.now.pc_known && ss->has_index_pc) {
			ss->at.now.pc = ss->index_pc;
			ss->at.now.pc_known = STF_PC_BY_INDEX;
		}
	}
	ss->start = ss->at.off;
	if (ss->kind == STF_SPAN_CHUNK && stf_container_saw(reader, ss) < 0)
		return CAIRN_E_NOMEM;
	if (ss->kind == STF_SPAN_END)
		stf_container_judge(reader, span);
	if (span->counting && ss->at.now.isa != ss->scan_isa && ss->delta.insns) {
		int rc = count_again(reader, span);
		if (rc < 0)
			return rc;
	}
	if (span->counting && ss->delta.odd_event && !ss->at.odd_event) {
		char place[32];
		snprintf(place, sizeof place, "byte 0x%llx",
		         (unsigned long long)(ss->at.off + ss->delta.odd_off));
		stf_odd_event(reader, span, place, ss->delta.odd_id);
	}
	ss->bytes.abs += ss->at.off;
	span->n0 = im->header.cfg.protocol ? ss->at.x : ss->at.n;
	if (span->scanned) {
		struct stf_state out;
		stf_scan_compose(&im->header.cfg, ss, &out);
		memcpy(span->exit, &out, sizeof out);
		__atomic_store_n(&im->isa_guess, out.now.isa, __ATOMIC_RELAXED);
		span->n1 = im->header.cfg.protocol ? out.x : out.n;
		if (span->counting && ss->delta.damaged) {
			/* The scan left the window where it stopped. */
			ss->at.rec = out.rec;
			ss->at.n = out.n;
			ss->at.x = out.x;
			stf_damage_at(reader, span);
		}
	}
	return 0;
}
