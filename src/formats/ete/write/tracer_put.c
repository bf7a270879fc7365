/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The packets of a tracer. Atoms are queued until something has to come behind them, so
 * that few packets carry many. Every P0 element is counted as open, and resolved as the
 * decoder does it: by a Commit, by a cycle count, or because more than MAXSPEC would be
 * open. Nothing stays open for longer than a part of the decoder's window.
 */
#include "formats/ete/write/tracer.h"

enum { QUEUE = 24, OPEN_BYTES = CAIRN_ETE_WINDOW / 4, ROOM = 1 << 16 };

/* ---- any packet ---- */

static uint8_t *tracer_put_room(struct cairn_ete_tracer *tracer)
{
	if (tracer->out.cap - tracer->out.len < CAIRN_ETE_MAX_PACKET && !tracer->failed)
		tracer->failed = base_buf_reserve(&tracer->out, ROOM) < 0 ? CAIRN_E_NOMEM : 0;
	return tracer->failed ? NULL : tracer->out.data + tracer->out.len;
}

static inline void tracer_put_header(struct cairn_ete_tracer *tracer, unsigned header)
{
	uint8_t *p = tracer_put_room(tracer);
	if (!p)
		return;
	*p = (uint8_t)header;
	tracer->out.len++;
	tracer->bytes++;
}

void ete_put(struct cairn_ete_tracer *tracer, const struct cairn_ete_packet *packet)
{
	uint8_t *at = tracer_put_room(tracer);
	int n = at ? cairn_ete_encode(tracer->enc, packet, at) : 0;
	if (n < 0 && !tracer->failed)
		tracer->failed = n;
	if (n <= 0)
		return;
	tracer->out.len += (size_t)n;
	tracer->bytes += (unsigned)n;
}

void ete_put_type(struct cairn_ete_tracer *tracer, unsigned type)
{
	struct cairn_ete_packet packet = {.type = (uint8_t)type};
	ete_put(tracer, &packet);
}

void ete_put_count(struct cairn_ete_tracer *tracer, unsigned type, uint64_t count)
{
	struct cairn_ete_packet packet = {.type = (uint8_t)type, .count = (uint32_t)count};
	ete_put(tracer, &packet);
}

uint32_t ete_roll(struct cairn_ete_tracer *tracer, uint32_t n)
{
	tracer->random = tracer->random * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)((tracer->random >> 33) % n);
}

/* ---- addresses ---- */

static unsigned tracer_put_match(const struct ete_history *history, uint64_t address, unsigned is1)
{
	unsigned i = 0;
	while (i < 3 && (history->address[i] != address || history->is1[i] != is1))
		i++;
	return i;
}

/* The form, as a type of the target addresses. */
static unsigned form_of(const struct cairn_ete_tracer *tracer, uint64_t address, unsigned is1)
{
	const struct ete_history *history = &tracer->enc->history;
	if (tracer->opts.addresses == 2)
		return CAIRN_ETE_P_ADDR_64_IS0 + is1;
	if (tracer->opts.addresses == 1 && tracer_put_match(history, address, is1) < 3)
		return (address == history->address[0]  ? CAIRN_ETE_P_ADDR_SHORT_IS0
		        : ete_fits_32(history, address) ? CAIRN_ETE_P_ADDR_32_IS0
		                                        : CAIRN_ETE_P_ADDR_64_IS0) +
		       is1;
	return cairn_ete_address_type(tracer->enc, address, (int)is1);
}

void ete_put_address(struct cairn_ete_tracer *tracer, unsigned base, uint64_t address, unsigned isa,
                     uint32_t count)
{
	unsigned is1 = isa == CAIRN_ISA_T32, form = form_of(tracer, address, is1);
	struct cairn_ete_packet packet = {.address = address,
	                                  .count = count,
	                                  .flags = is1 ? CAIRN_ETE_P_IS1 : 0};
	if (form == CAIRN_ETE_P_ADDR_MATCH)
		packet.number = (uint16_t)tracer_put_match(&tracer->enc->history, address, is1);
	/* Q has no 64-bit form: its address comes behind it. */
	if (base == CAIRN_ETE_P_Q_MATCH && form >= CAIRN_ETE_P_ADDR_64_IS0) {
		ete_put_count(tracer, CAIRN_ETE_P_Q_COUNT, count);
		base = CAIRN_ETE_P_ADDR_MATCH;
		packet.count = 0;
	}
	packet.type = (uint8_t)(base + form - CAIRN_ETE_P_ADDR_MATCH);
	ete_put(tracer, &packet);
	tracer->failing = false;
}

static void tracer_put_context(const struct cairn_ete_tracer *tracer,
                               struct cairn_ete_packet *packet)
{
	const struct cairn_ete_who *who = &tracer->who;
	packet->context = (uint8_t)((who->el & 3u) | (who->security & 2u) << 2 |
	                            (who->aarch64 ? 16u : 0) | (who->security & 1u) << 5);
	if (tracer->opts.ids && !(who->unknown & 1)) {
		packet->context |= ETE_CONTEXT_CTXID;
		packet->flags |= CAIRN_ETE_P_HAS_CTXID;
		packet->ctxid = who->ctxid;
	}
	if (tracer->opts.ids > 1 && !(who->unknown & 2)) {
		packet->context |= ETE_CONTEXT_VMID;
		packet->flags |= CAIRN_ETE_P_HAS_VMID;
		packet->vmid = who->vmid;
	}
}

void ete_put_where(struct cairn_ete_tracer *tracer, uint64_t address, unsigned isa, bool only)
{
	unsigned is1 = isa == CAIRN_ISA_T32;
	struct cairn_ete_packet packet = {.type = CAIRN_ETE_P_CONTEXT};
	bool near = ete_fits_32(&tracer->enc->history, address) && tracer->opts.addresses != 2;
	if (!only && !tracer->opts.contexts_apart) {
		packet.type =
			(uint8_t)((near ? CAIRN_ETE_P_ADDR_CTXT_32_IS0 : CAIRN_ETE_P_ADDR_CTXT_64_IS0) + is1);
		packet.address = address;
		packet.flags = is1 ? CAIRN_ETE_P_IS1 : 0;
	}
	tracer_put_context(tracer, &packet);
	ete_put(tracer, &packet);
	tracer->failing = false;
	if (!only && tracer->opts.contexts_apart)
		ete_put_address(tracer, CAIRN_ETE_P_ADDR_MATCH, address, isa, 0);
	tracer->told = tracer->who;
	tracer->who_told = true;
}

/* ---- P0 elements ---- */

void ete_commit_all(struct cairn_ete_tracer *tracer)
{
	if (tracer->open)
		ete_put_count(tracer, CAIRN_ETE_P_COMMIT, tracer->open);
	tracer->open = tracer->since_commit = 0;
	tracer->commit_at = tracer->bytes + OPEN_BYTES;
}

/* `n` P0 elements were put. */
static void opened(struct cairn_ete_tracer *tracer, unsigned n)
{
	tracer->stats.p0 += n;
	tracer->addressed = tracer->unasked = false;
	if (!tracer->opts.maxspec)
		return;
	tracer->open += n;
	if (tracer->open > tracer->opts.maxspec)
		tracer->open = tracer->opts.maxspec;
	tracer->since_commit += n;
	if ((tracer->opts.commit_every && tracer->since_commit >= tracer->opts.commit_every) ||
	    tracer->bytes > tracer->commit_at)
		ete_commit_all(tracer);
}

void ete_opened(struct cairn_ete_tracer *tracer)
{
	opened(tracer, 1);
}

/* The header of a packet for the oldest of `n` atoms; *size is how many it takes. */
static unsigned atom_header(uint32_t atoms, unsigned n, unsigned most, unsigned *size)
{
	static const uint8_t f4[16] = {[0] = 0xdd, [5] = 0xdf, [10] = 0xde, [14] = 0xdc};
	static const uint8_t f5[32] = {[0] = 0xd5, [10] = 0xd6, [21] = 0xd7, [30] = 0xf5};
	unsigned e = (unsigned)__builtin_ctz(~atoms | 1u << QUEUE);
	e = e < n ? e : n;
	if (most >= 6 && n >= 4 && e >= 3) { /* so many E, and one more of either kind */
		e -= e == n || e == QUEUE;
		*size = e + 1;
		return (atoms >> e & 1 ? 0xc0u : 0xe0u) + e - 3;
	}
	if (most >= 5 && n >= 5 && (*size = 5) && (f5[atoms & 31] || !(atoms & 31)))
		return f5[atoms & 31];
	if (most >= 4 && n >= 4 && (*size = 4) && (f4[atoms & 15] || !(atoms & 15)))
		return f4[atoms & 15];
	*size = most < 3 ? most : 3;
	*size = n < *size ? n : *size;
	return *size == 3 ? 0xf8 | (atoms & 7) : *size == 2 ? 0xd8 | (atoms & 3) : 0xf6 | (atoms & 1);
}

void ete_put_atoms(struct cairn_ete_tracer *tracer)
{
	unsigned most = tracer->opts.atoms ? tracer->opts.atoms : 6, n = tracer->n_atoms;
	uint32_t atoms = tracer->atoms;
	tracer->n_atoms = tracer->straight = 0;
	tracer->atoms = 0;
	while (n) {
		unsigned size, h = atom_header(atoms, n, most, &size);
		tracer_put_header(tracer, h);
		atoms >>= size;
		n -= size;
		opened(tracer, size);
	}
}

void ete_put_atom(struct cairn_ete_tracer *tracer, bool executed)
{
	if (tracer->n_atoms == QUEUE)
		ete_put_atoms(tracer);
	tracer->atoms |= (uint32_t)executed << tracer->n_atoms++;
}

/* ---- execution that did not happen ---- */

static void noise_address(struct cairn_ete_tracer *tracer)
{
	uint64_t address = (tracer->here & ~UINT64_C(3)) + 4 * ete_roll(tracer, 64);
	ete_put_address(tracer, CAIRN_ETE_P_ADDR_MATCH, address,
	                tracer->here_isa == CAIRN_ISA_T32 ? CAIRN_ISA_T32 : CAIRN_ISA_A64, 0);
}

static struct ete_past *past_at(struct cairn_ete_tracer *tracer, unsigned index)
{
	return &tracer->past[index % ETE_PAST];
}

/* A remembered run behind which others may come: any, or the one that `behind` leads to. Its
 * number, or -1. */
static int some_past(struct cairn_ete_tracer *tracer, const struct ete_past *behind)
{
	unsigned n = tracer->n_past < ETE_PAST ? tracer->n_past : ETE_PAST,
			 from = n ? ete_roll(tracer, n) : 0;
	for (unsigned i = 0; i < n; i++) {
		unsigned at = (from + i) % n;
		const struct ete_past *past = past_at(tracer, at);
		if (!past->event &&
		    (!behind || (!behind->told && behind->to == past->from && behind->to_isa == past->isa)))
			return (int)at;
	}
	return -1;
}

static void put_known(struct cairn_ete_tracer *tracer, uint32_t atoms, unsigned n)
{
	while (n) {
		unsigned size;
		tracer_put_header(
			tracer, atom_header(atoms, n, tracer->opts.atoms ? tracer->opts.atoms : 6, &size));
		atoms >>= size;
		n -= size;
	}
}

/* Put `n` atoms along ways that were taken before, so that their instructions are known; the first
 * from `at`, where execution stands, unless that is -1. Must an address follow? */
static bool noise_known(struct cairn_ete_tracer *tracer, unsigned n, int at)
{
	const struct ete_past *past = NULL;
	for (; n; at = -1) {
		unsigned size = 0;
		uint32_t atoms = 0;
		bool here = at >= 0;
		at = here ? at : some_past(tracer, NULL);
		past = past_at(tracer, (unsigned)at);
		if (!here)
			ete_put_address(tracer, CAIRN_ETE_P_ADDR_MATCH, past->from, past->isa, 0);
		do {
			past = past_at(tracer, (unsigned)at);
			atoms |= (uint32_t)past->e << size++;
			at = some_past(tracer, past);
		} while (--n && at >= 0);
		put_known(tracer, atoms, size);
	}
	return past && past->told;
}

/* Put `n` P0 elements that will be canceled, the first one from `at`. `all`: no others come behind
 * them before they are canceled, so the last one need not be known and may be an exception; only
 * the last may be a context synchronisation event (RQHQLY, RLWJCQ). */
static void noise(struct cairn_ete_tracer *tracer, unsigned n, bool all, int at)
{
	struct cairn_ete_packet packet = {.type = CAIRN_ETE_P_EXCEPTION, .number = 14, .info = 1};
	bool exception = all && n && ete_roll(tracer, 4) == 0;
	tracer->stats.canceled += n;
	if (noise_known(tracer, all && n ? n - 1 : n, at) && !exception)
		noise_address(tracer);
	if (!all || !n)
		return;
	if (exception)
		ete_put(tracer, &packet);
	else
		tracer_put_header(tracer, 0xf6 + ete_roll(tracer, 2));
	if (exception || ete_roll(tracer, 4) == 0)
		noise_address(tracer);
}

/* Take back `n` elements, and turn the atom before them over. At times the packet's own header puts
 * some of them. */
static void tracer_put_correct(struct cairn_ete_tracer *tracer, unsigned n, bool executed)
{
	struct cairn_ete_packet packet = {.type = CAIRN_ETE_P_MISPREDICT, .count = n};
	unsigned own = ete_roll(tracer, 2);
	if (n == 0 && own) { /* the atom itself */
		packet.number = executed ? 3 : 1;
		packet.n_atoms = 1;
		packet.atoms = !executed;
		ete_put(tracer, &packet);
		return;
	}
	tracer_put_header(tracer, executed ? 0xf6 : 0xf7); /* the other way */
	if (n == 0) {
		if (ete_roll(tracer, 2))
			noise_address(tracer);
	} else if (n <= 5 && ete_roll(tracer, 4)) {
		packet.type = n == 1 ? CAIRN_ETE_P_CANCEL_F2 : CAIRN_ETE_P_CANCEL_F3;
		packet.n_atoms = (uint8_t)own;
		packet.atoms = own;
		packet.number = (uint16_t)(n == 1 ? own : (n - 2) << 1 | own);
		tracer->stats.canceled += own;
		noise(tracer, n - own, !own, -1);
	} else {
		packet.type = CAIRN_ETE_P_CANCEL_F1_MISPREDICT;
		noise(tracer, n, true, -1);
	}
	ete_put(tracer, &packet);
}

void ete_put_noise(struct cairn_ete_tracer *tracer)
{
	unsigned last = tracer->n_atoms - 1;
	bool e = tracer->atoms >> last & 1;
	uint32_t most = tracer->opts.maxspec - 1 < 8 ? tracer->opts.maxspec - 1 : 8,
			 n = ete_roll(tracer, most + 1);
	tracer->atoms &= ~(1u << last);
	tracer->n_atoms--;
	ete_put_atoms(tracer);
	if (tracer->open + 1 + n > tracer->opts.maxspec) {
		uint64_t commit = tracer->open + 1 + n - tracer->opts.maxspec;
		ete_put_count(tracer, CAIRN_ETE_P_COMMIT, commit);
		tracer->open -= commit;
	}
	if (!n || ete_roll(tracer, 2)) {
		tracer_put_correct(tracer, n, e);
	} else {
		int at = n > 1 ? some_past(tracer, past_at(tracer, tracer->n_past - 1)) : -1;
		n = at < 0 ? 1 : n; /* nothing need be known of a single element */
		tracer_put_header(tracer, e ? 0xf7 : 0xf6);
		noise(tracer, n, true, at);
		ete_put_count(tracer, CAIRN_ETE_P_CANCEL_F1, n);
	}
	opened(tracer, 1);
}
