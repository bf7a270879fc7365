/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The packets of a tracer. Atoms are queued until something has to come behind them, so
 * that few packets carry many. Every P0 element is counted as open, and resolved as the
 * decoder does it: by a Commit, by a cycle count, or because more than MAXSPEC would be
 * open. Nothing stays open for longer than a part of the decoder's window.
 */
#include "formats/ete/tracer.h"

#include <string.h>

enum { QUEUE = 24, OPEN_BYTES = CAIRN_ETE_WINDOW / 4, ROOM = 1 << 16 };

/* ---- any packet ---- */

static uint8_t *tracer_put_room(struct cairn_ete_tracer *t)
{
	if (t->out.cap - t->out.len < CAIRN_ETE_MAX_PACKET && !t->failed)
		t->failed = base_buf_reserve(&t->out, ROOM) < 0 ? CAIRN_E_NOMEM : 0;
	return t->failed ? NULL : t->out.data + t->out.len;
}

static inline void tracer_put_header(struct cairn_ete_tracer *t, unsigned h)
{
	uint8_t *p = tracer_put_room(t);
	if (!p)
		return;
	*p = (uint8_t)h;
	t->out.len++;
	t->bytes++;
}

void ete_put(struct cairn_ete_tracer *t, const struct cairn_ete_packet *p)
{
	uint8_t *at = tracer_put_room(t);
	int n = at ? cairn_ete_encode(t->enc, p, at) : 0;
	if (n < 0 && !t->failed)
		t->failed = n;
	if (n <= 0)
		return;
	t->out.len += (size_t)n;
	t->bytes += (unsigned)n;
}

void ete_put_type(struct cairn_ete_tracer *t, unsigned type)
{
	struct cairn_ete_packet p = {.type = (uint8_t)type};
	ete_put(t, &p);
}

void ete_put_count(struct cairn_ete_tracer *t, unsigned type, uint64_t count)
{
	struct cairn_ete_packet p = {.type = (uint8_t)type, .count = (uint32_t)count};
	ete_put(t, &p);
}

uint32_t ete_roll(struct cairn_ete_tracer *t, uint32_t n)
{
	t->random = t->random * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)((t->random >> 33) % n);
}

/* ---- addresses ---- */

static unsigned tracer_put_match(const struct ete_history *h, uint64_t address, unsigned is1)
{
	unsigned i = 0;
	while (i < 3 && (h->address[i] != address || h->is1[i] != is1))
		i++;
	return i;
}

/* The form, as a type of the target addresses. */
static unsigned form_of(const struct cairn_ete_tracer *t, uint64_t address, unsigned is1)
{
	const struct ete_history *h = &t->enc->h;
	if (t->o.addresses == 2)
		return CAIRN_ETE_P_ADDR_64_IS0 + is1;
	if (t->o.addresses == 1 && tracer_put_match(h, address, is1) < 3)
		return (address == h->address[0]  ? CAIRN_ETE_P_ADDR_SHORT_IS0
		        : ete_fits_32(h, address) ? CAIRN_ETE_P_ADDR_32_IS0
		                                  : CAIRN_ETE_P_ADDR_64_IS0) +
		       is1;
	return cairn_ete_address_type(t->enc, address, (int)is1);
}

void ete_put_address(struct cairn_ete_tracer *t, unsigned base, uint64_t address, unsigned isa,
                     uint32_t count)
{
	unsigned is1 = isa == CAIRN_ISA_T32, form = form_of(t, address, is1);
	struct cairn_ete_packet p = {.address = address,
	                             .count = count,
	                             .flags = is1 ? CAIRN_ETE_P_IS1 : 0};
	if (form == CAIRN_ETE_P_ADDR_MATCH)
		p.number = (uint16_t)tracer_put_match(&t->enc->h, address, is1);
	/* Q has no 64-bit form: its address comes behind it. */
	if (base == CAIRN_ETE_P_Q_MATCH && form >= CAIRN_ETE_P_ADDR_64_IS0) {
		ete_put_count(t, CAIRN_ETE_P_Q_COUNT, count);
		base = CAIRN_ETE_P_ADDR_MATCH;
		p.count = 0;
	}
	p.type = (uint8_t)(base + form - CAIRN_ETE_P_ADDR_MATCH);
	ete_put(t, &p);
	t->failing = false;
}

static void tracer_put_context(const struct cairn_ete_tracer *t, struct cairn_ete_packet *p)
{
	const struct cairn_ete_who *w = &t->who;
	p->context = (uint8_t)((w->el & 3u) | (w->security & 2u) << 2 | (w->aarch64 ? 16u : 0) |
	                       (w->security & 1u) << 5);
	if (t->o.ids && !(w->unknown & 1)) {
		p->context |= ETE_CONTEXT_CTXID;
		p->flags |= CAIRN_ETE_P_HAS_CTXID;
		p->ctxid = w->ctxid;
	}
	if (t->o.ids > 1 && !(w->unknown & 2)) {
		p->context |= ETE_CONTEXT_VMID;
		p->flags |= CAIRN_ETE_P_HAS_VMID;
		p->vmid = w->vmid;
	}
}

void ete_put_where(struct cairn_ete_tracer *t, uint64_t address, unsigned isa, bool only)
{
	unsigned is1 = isa == CAIRN_ISA_T32;
	struct cairn_ete_packet p = {.type = CAIRN_ETE_P_CONTEXT};
	bool near = ete_fits_32(&t->enc->h, address) && t->o.addresses != 2;
	if (!only && !t->o.contexts_apart) {
		p.type =
			(uint8_t)((near ? CAIRN_ETE_P_ADDR_CTXT_32_IS0 : CAIRN_ETE_P_ADDR_CTXT_64_IS0) + is1);
		p.address = address;
		p.flags = is1 ? CAIRN_ETE_P_IS1 : 0;
	}
	tracer_put_context(t, &p);
	ete_put(t, &p);
	t->failing = false;
	if (!only && t->o.contexts_apart)
		ete_put_address(t, CAIRN_ETE_P_ADDR_MATCH, address, isa, 0);
	t->told = t->who;
	t->who_told = true;
}

/* ---- P0 elements ---- */

void ete_commit_all(struct cairn_ete_tracer *t)
{
	if (t->open)
		ete_put_count(t, CAIRN_ETE_P_COMMIT, t->open);
	t->open = t->since_commit = 0;
	t->commit_at = t->bytes + OPEN_BYTES;
}

/* `n` P0 elements were put. */
static void opened(struct cairn_ete_tracer *t, unsigned n)
{
	t->stats.p0 += n;
	t->addressed = t->unasked = false;
	if (!t->o.maxspec)
		return;
	t->open += n;
	if (t->open > t->o.maxspec)
		t->open = t->o.maxspec;
	t->since_commit += n;
	if ((t->o.commit_every && t->since_commit >= t->o.commit_every) || t->bytes > t->commit_at)
		ete_commit_all(t);
}

void ete_opened(struct cairn_ete_tracer *t)
{
	opened(t, 1);
}

/* The packet for the oldest of `n` atoms: its header; *size atoms it takes. */
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

void ete_put_atoms(struct cairn_ete_tracer *t)
{
	unsigned most = t->o.atoms ? t->o.atoms : 6, n = t->n_atoms;
	uint32_t atoms = t->atoms;
	t->n_atoms = t->straight = 0;
	t->atoms = 0;
	while (n) {
		unsigned size, h = atom_header(atoms, n, most, &size);
		tracer_put_header(t, h);
		atoms >>= size;
		n -= size;
		opened(t, size);
	}
}

void ete_put_atom(struct cairn_ete_tracer *t, bool e)
{
	if (t->n_atoms == QUEUE)
		ete_put_atoms(t);
	t->atoms |= (uint32_t)e << t->n_atoms++;
}

/* ---- execution that did not happen ---- */

static void noise_address(struct cairn_ete_tracer *t)
{
	uint64_t address = (t->here & ~UINT64_C(3)) + 4 * ete_roll(t, 64);
	ete_put_address(t, CAIRN_ETE_P_ADDR_MATCH, address,
	                t->here_isa == CAIRN_ISA_T32 ? CAIRN_ISA_T32 : CAIRN_ISA_A64, 0);
}

static struct ete_past *past_at(struct cairn_ete_tracer *t, unsigned i)
{
	return &t->past[i % ETE_PAST];
}

/* A run of the past that others may come behind: any, or the one `behind` leads to. Its
 * number, or -1. */
static int some_past(struct cairn_ete_tracer *t, const struct ete_past *behind)
{
	unsigned n = t->n_past < ETE_PAST ? t->n_past : ETE_PAST, from = n ? ete_roll(t, n) : 0;
	for (unsigned i = 0; i < n; i++) {
		unsigned at = (from + i) % n;
		const struct ete_past *p = past_at(t, at);
		if (!p->event &&
		    (!behind || (!behind->told && behind->to == p->from && behind->to_isa == p->isa)))
			return (int)at;
	}
	return -1;
}

static void put_known(struct cairn_ete_tracer *t, uint32_t atoms, unsigned n)
{
	while (n) {
		unsigned size;
		tracer_put_header(t, atom_header(atoms, n, t->o.atoms ? t->o.atoms : 6, &size));
		atoms >>= size;
		n -= size;
	}
}

/* `n` atoms along ways that were taken before, so that it is known what they are of; first
 * that from `at`, where execution stands, unless that is -1. Does an address have to follow? */
static bool noise_known(struct cairn_ete_tracer *t, unsigned n, int at)
{
	const struct ete_past *p = NULL;
	for (; n; at = -1) {
		unsigned size = 0;
		uint32_t atoms = 0;
		bool here = at >= 0;
		at = here ? at : some_past(t, NULL);
		p = past_at(t, (unsigned)at);
		if (!here)
			ete_put_address(t, CAIRN_ETE_P_ADDR_MATCH, p->from, p->isa, 0);
		do {
			p = past_at(t, (unsigned)at);
			atoms |= (uint32_t)p->e << size++;
			at = some_past(t, p);
		} while (--n && at >= 0);
		put_known(t, atoms, size);
	}
	return p && p->told;
}

/* `n` P0 elements, the first where `at` says. `all`: no other comes behind them before they are
 * canceled, so what the last one is need not be known, and it may be an exception: no other
 * than the last may be a context synchronisation event (RQHQLY, RLWJCQ). */
static void noise(struct cairn_ete_tracer *t, unsigned n, bool all, int at)
{
	struct cairn_ete_packet p = {.type = CAIRN_ETE_P_EXCEPTION, .number = 14, .info = 1};
	bool exception = all && n && ete_roll(t, 4) == 0;
	t->stats.canceled += n;
	if (noise_known(t, all && n ? n - 1 : n, at) && !exception)
		noise_address(t);
	if (!all || !n)
		return;
	if (exception)
		ete_put(t, &p);
	else
		tracer_put_header(t, 0xf6 + ete_roll(t, 2));
	if (exception || ete_roll(t, 4) == 0)
		noise_address(t);
}

/* Take back `n` elements, and turn the atom before them over. What the packet's own
 * header can put of them, at times it does. */
static void tracer_put_correct(struct cairn_ete_tracer *t, unsigned n, bool e)
{
	struct cairn_ete_packet p = {.type = CAIRN_ETE_P_MISPREDICT, .count = n};
	unsigned own = ete_roll(t, 2);
	if (n == 0 && own) { /* the atom itself */
		p.number = e ? 3 : 1;
		p.n_atoms = 1;
		p.atoms = !e;
		ete_put(t, &p);
		return;
	}
	tracer_put_header(t, e ? 0xf6 : 0xf7); /* the other way */
	if (n == 0) {
		if (ete_roll(t, 2))
			noise_address(t);
	} else if (n <= 5 && ete_roll(t, 4)) {
		p.type = n == 1 ? CAIRN_ETE_P_CANCEL_F2 : CAIRN_ETE_P_CANCEL_F3;
		p.n_atoms = (uint8_t)own;
		p.atoms = own;
		p.number = (uint16_t)(n == 1 ? own : (n - 2) << 1 | own);
		t->stats.canceled += own;
		noise(t, n - own, !own, -1);
	} else {
		p.type = CAIRN_ETE_P_CANCEL_F1_MISPREDICT;
		noise(t, n, true, -1);
	}
	ete_put(t, &p);
}

void ete_put_noise(struct cairn_ete_tracer *t)
{
	unsigned last = t->n_atoms - 1;
	bool e = t->atoms >> last & 1;
	uint32_t most = t->o.maxspec - 1 < 8 ? t->o.maxspec - 1 : 8, n = ete_roll(t, most + 1);
	t->atoms &= ~(1u << last);
	t->n_atoms--;
	ete_put_atoms(t);
	if (t->open + 1 + n > t->o.maxspec) {
		uint64_t commit = t->open + 1 + n - t->o.maxspec;
		ete_put_count(t, CAIRN_ETE_P_COMMIT, commit);
		t->open -= commit;
	}
	if (!n || ete_roll(t, 2)) {
		tracer_put_correct(t, n, e);
	} else {
		int at = n > 1 ? some_past(t, past_at(t, t->n_past - 1)) : -1;
		n = at < 0 ? 1 : n; /* of one element nothing need be known */
		tracer_put_header(t, e ? 0xf7 : 0xf6);
		noise(t, n, true, at);
		ete_put_count(t, CAIRN_ETE_P_CANCEL_F1, n);
	}
	opened(t, 1);
}
