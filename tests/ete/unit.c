/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace unit: a random walk that obeys D4.3. It keeps the P0 elements whose fate is
 * open, and whether it is in a transaction, so that what it says is always allowed; what
 * a decoder shall make of it is the model's business (model.c).
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate.h"

enum { OPEN_MOST = 4096 };

struct unit {
	struct ete_maker m;
	struct ete_sample *out;
	int damage;
	bool tx, marked, needs_address;
	size_t depth;
	struct {
		bool atom, tx_before;
	} open[OPEN_MOST];
};

static uint64_t below(struct unit *u, uint64_t n)
{
	return ete_random(&u->m.seed) % n;
}

static bool chance(struct unit *u, unsigned percent)
{
	return below(u, 100) < percent;
}

static void write_packet(struct unit *u, const struct cairn_ete_packet *p, const uint8_t *b, int n)
{
	struct ete_sample *s = u->out;
	if (u->damage && below(u, 400) == 0 && n > 0) { /* cut off, or one byte another */
		if (chance(u, 50))
			n = (int)below(u, (unsigned)n);
		else
			((uint8_t *)b)[below(u, (unsigned)n)] ^= (uint8_t)(1 << below(u, 8));
	}
	if (s->n + CAIRN_ETE_MAX_PACKET > s->room)
		s->bytes = realloc(s->bytes, s->room = s->room * 2 + 4096);
	memcpy(s->bytes + s->n, b, (size_t)n);
	if (s->n_packets == s->room_packets)
		s->packets =
			realloc(s->packets, (s->room_packets = s->room_packets * 2 + 256) * sizeof *s->packets);
	s->packets[s->n_packets] = *p;
	s->packets[s->n_packets].offset = s->n;
	s->packets[s->n_packets].size = (uint32_t)n;
	s->packets[s->n_packets++].header = b[0];
	s->n += (size_t)n;
	s->seen[p->type / 64] |= (uint64_t)1 << p->type % 64;
}

static void send(struct unit *u, const struct cairn_ete_packet *p)
{
	uint8_t b[CAIRN_ETE_MAX_PACKET];
	int n = cairn_ete_encode(u->m.encoder, p, b);
	if (n < 0) {
		fprintf(stderr, "the unit made what cannot be encoded: %s\n",
		        cairn_ete_packet_name(p->type));
		abort();
	}
	ete_made(&u->m, p);
	write_packet(u, p, b, n);
}

static void send_type(struct unit *u, unsigned type)
{
	struct cairn_ete_packet p;
	if (ete_make(&u->m, type, &p))
		send(u, &p);
}

/* ---- what it keeps ---- */

static void shrink(struct unit *u, size_t n)
{
	memmove(u->open, u->open + n, (u->depth - n) * sizeof u->open[0]);
	u->depth -= n;
}

static void p0(struct unit *u, bool atom)
{
	if (u->depth == OPEN_MOST)
		abort();
	u->open[u->depth].atom = atom;
	u->open[u->depth++].tx_before = u->tx;
}

/* Behind a packet, what is more than MAXSPEC is resolved. */
static void settle(struct unit *u)
{
	uint32_t most = u->m.cfg->idr8;
	if (u->depth > most)
		shrink(u, u->depth - most);
}

static void cancel(struct unit *u, size_t n)
{
	if (n)
		u->tx = u->open[u->depth - n].tx_before;
	u->depth -= n;
	u->needs_address = true;
}

static bool has_atom(const struct unit *u, size_t but_newest)
{
	for (size_t i = 0; i + but_newest < u->depth; i++)
		if (u->open[i].atom)
			return true;
	return false;
}

/* ---- steps ---- */

static void target(struct unit *u)
{
	static const uint8_t types[] = {
		CAIRN_ETE_P_ADDR_CTXT_32_IS0, CAIRN_ETE_P_ADDR_CTXT_32_IS1, CAIRN_ETE_P_ADDR_CTXT_64_IS0,
		CAIRN_ETE_P_ADDR_CTXT_64_IS1, CAIRN_ETE_P_ADDR_MATCH,       CAIRN_ETE_P_ADDR_SHORT_IS0,
		CAIRN_ETE_P_ADDR_SHORT_IS1,   CAIRN_ETE_P_ADDR_32_IS0,      CAIRN_ETE_P_ADDR_32_IS1,
		CAIRN_ETE_P_ADDR_64_IS0,      CAIRN_ETE_P_ADDR_64_IS1};
	send_type(u, types[below(u, sizeof types)]);
	u->needs_address = false;
}

static void context_and_address(struct unit *u)
{
	if (chance(u, 60)) {
		send_type(u, chance(u, 50) ? CAIRN_ETE_P_ADDR_CTXT_64_IS0 : CAIRN_ETE_P_ADDR_CTXT_32_IS1);
	} else {
		send_type(u, CAIRN_ETE_P_CONTEXT);
		target(u);
	}
	u->needs_address = false;
}

static void info(struct unit *u)
{
	struct cairn_ete_packet p = {.type = CAIRN_ETE_P_TRACE_INFO};
	if (u->tx || chance(u, 30)) {
		p.sections |= CAIRN_ETE_INFO;
		p.info = u->tx ? CAIRN_ETE_INFO_TRANSACTION : 0;
	}
	if (u->depth || chance(u, 10)) {
		p.sections |= CAIRN_ETE_SPEC;
		p.value = u->depth;
	}
	if (chance(u, 50)) {
		p.sections |= CAIRN_ETE_CYCT;
		p.cycles = (uint32_t)below(u, 300);
		p.sections |= CAIRN_ETE_INFO;
		p.info |= CAIRN_ETE_INFO_CC;
	}
	send(u, &p);
}

static void events(struct unit *u)
{
	while (chance(u, 20))
		send_type(u,
		          chance(u, 60) || cairn_ete_version(u->m.cfg) < 0x13 || !cairn_ete_is_ete(u->m.cfg)
		              ? CAIRN_ETE_P_EVENT
		              : CAIRN_ETE_P_INSTRUMENTATION);
}

/* Alignment, Trace Info, where execution is; events may come in between. */
static void sync(struct unit *u, bool trace_on)
{
	send_type(u, CAIRN_ETE_P_ASYNC);
	events(u);
	info(u);
	events(u);
	if (trace_on)
		send_type(u, CAIRN_ETE_P_TRACE_ON);
	context_and_address(u);
}

static void atoms(struct unit *u)
{
	struct cairn_ete_packet p;
	ete_make(&u->m, CAIRN_ETE_P_ATOM_F1 + (unsigned)below(u, 6), &p);
	for (unsigned i = 0; i < p.n_atoms; i++)
		p0(u, true);
	send(u, &p);
	settle(u);
}

static void exception(struct unit *u)
{
	send_type(u, CAIRN_ETE_P_EXCEPTION);
	p0(u, false);
	settle(u);
	if (chance(u, 20))
		send_type(u, CAIRN_ETE_P_EVENT);
	if (u->depth && chance(u, 20)) { /* resolved before its address came */
		struct cairn_ete_packet p = {.type = CAIRN_ETE_P_COMMIT, .count = (uint32_t)u->depth};
		send(u, &p);
		shrink(u, u->depth);
	}
	if (chance(u, 30))
		send_type(u, CAIRN_ETE_P_CONTEXT);
	target(u);
	u->needs_address = true; /* the handler's */
}

static void q_or_source(struct unit *u)
{
	bool q = u->m.cfg->idr0 >> 15 & 3;
	if (cairn_ete_is_ete(u->m.cfg) && (!q || chance(u, 50))) {
		send_type(u, CAIRN_ETE_P_SRC_MATCH + (unsigned)below(u, 7));
	} else if (q) {
		unsigned type = CAIRN_ETE_P_Q_MATCH + (unsigned)below(u, 7);
		send_type(u, type);
		p0(u, false);
		settle(u);
		if (type < CAIRN_ETE_P_Q_COUNT)
			return;
		if (chance(u, 30))
			send_type(u, CAIRN_ETE_P_CONTEXT);
		target(u);
		return;
	} else {
		return;
	}
	p0(u, false);
	settle(u);
}

static void transaction(struct unit *u)
{
	bool start_is_p0 = !(u->m.cfg->idr0 >> 30 & 1);
	if (!cairn_ete_is_ete(u->m.cfg))
		return;
	if (!u->tx) {
		if (start_is_p0)
			p0(u, false);
		send_type(u, CAIRN_ETE_P_TRANSACTION_START);
		u->tx = true;
		settle(u);
		return;
	}
	u->tx = false;
	if (chance(u, 50)) {
		send_type(u, CAIRN_ETE_P_TRANSACTION_COMMIT);
		return;
	}
	send_type(u, CAIRN_ETE_P_TRANSACTION_FAILURE);
	if (chance(u, 30))
		send_type(u, CAIRN_ETE_P_TRACE_ON);
	u->needs_address = true;
}

static void commit(struct unit *u)
{
	struct cairn_ete_packet p = {.type = CAIRN_ETE_P_COMMIT};
	bool opt = u->m.cfg->idr0 >> 29 & 1;
	if (chance(u, 50)) {
		ete_make(&u->m, CAIRN_ETE_P_CCNT_F1 + (unsigned)below(u, 3), &p);
		if (!opt && p.count > u->depth)
			return;
	} else if (u->depth) {
		p.count = 1 + (uint32_t)below(u, u->depth);
	} else {
		return;
	}
	send(u, &p);
	if (p.type == CAIRN_ETE_P_COMMIT || !opt)
		shrink(u, p.count);
}

/* A correction needs an atom to correct, behind what it cancels. */
static void correct(struct unit *u)
{
	struct cairn_ete_packet p;
	ete_make(&u->m, CAIRN_ETE_P_CANCEL_F1 + (unsigned)below(u, 5), &p);
	if (p.type <= CAIRN_ETE_P_CANCEL_F1_MISPREDICT)
		p.count = (uint32_t)below(u, u->depth + 1);
	if (p.count > u->depth + p.n_atoms ||
	    (p.type != CAIRN_ETE_P_CANCEL_F1 && !has_atom(u, p.count) && p.n_atoms <= p.count))
		return;
	for (unsigned i = 0; i < p.n_atoms; i++)
		p0(u, true);
	send(u, &p);
	cancel(u, p.count);
	settle(u);
}

static void time(struct unit *u)
{
	bool marks = u->m.cfg->idr0 >> 23 & 1;
	if (marks && !u->marked) {
		send_type(u, CAIRN_ETE_P_TS_MARKER);
		u->marked = chance(u, 90);
	} else if (!marks || chance(u, 80)) {
		send_type(u, CAIRN_ETE_P_TIMESTAMP);
		u->marked = false;
	}
}

static void interruption(struct unit *u)
{
	if (u->tx && chance(u, 50)) {
		send_type(u, CAIRN_ETE_P_TRANSACTION_FAILURE);
		u->tx = false;
	}
	send_type(u, chance(u, 50) ? CAIRN_ETE_P_OVERFLOW : CAIRN_ETE_P_DISCARD);
	events(u);
	u->depth = 0;
	u->tx = u->marked = false;
	sync(u, true);
}

static void other(struct unit *u)
{
	bool ete = cairn_ete_is_ete(u->m.cfg), m = u->m.cfg->profile == 'M';
	switch (below(u, 5)) {
	case 0:
		send_type(u, CAIRN_ETE_P_IGNORE);
		break;
	case 1:
		send_type(u, CAIRN_ETE_P_CONTEXT_SAME);
		break;
	case 2:
		if (ete)
			send_type(u, CAIRN_ETE_P_PE_RESET);
		else if (m)
			send_type(u, CAIRN_ETE_P_FUNCTION_RETURN);
		if (ete || m) {
			p0(u, false);
			settle(u);
			u->needs_address = true;
		}
		break;
	case 3:
		if (!ete)
			send_type(u, CAIRN_ETE_P_EXCEPTION_RETURN);
		if (!ete && m) {
			p0(u, false);
			settle(u);
		}
		break;
	default:
		if (!ete)
			send_type(u, CAIRN_ETE_P_NUM_DS_MARKER + (unsigned)below(u, 10));
		break;
	}
}

static void step(struct unit *u)
{
	uint64_t what = below(u, 1000);
	if (u->needs_address && chance(u, 90)) {
		context_and_address(u);
		return;
	}
	if (what < 400)
		atoms(u);
	else if (what < 560)
		target(u);
	else if (what < 600)
		send_type(u, CAIRN_ETE_P_CONTEXT);
	else if (what < 640)
		exception(u);
	else if (what < 680)
		q_or_source(u);
	else if (what < 720)
		transaction(u);
	else if (what < 800)
		commit(u);
	else if (what < 860)
		correct(u);
	else if (what < 900)
		time(u);
	else if (what < 940)
		events(u);
	else if (what < 955)
		other(u);
	else if (what < 970)
		sync(u, false);
	else if (what < 985) {
		send_type(u, CAIRN_ETE_P_TRACE_ON);
		context_and_address(u);
	} else if (what < 990)
		interruption(u);
}

void ete_generate(struct cairn *c, const struct cairn_ete_config *cfg, uint64_t seed,
                  size_t packets, int damage, struct ete_sample *out)
{
	struct unit *u = calloc(1, sizeof *u);
	memset(out, 0, sizeof *out);
	u->out = out;
	u->damage = damage;
	ete_maker_init(&u->m, c, cfg, seed);
	sync(u, true);
	while (out->n_packets < packets)
		step(u);
	ete_maker_free(&u->m);
	free(u);
}

void ete_sample_free(struct ete_sample *s)
{
	free(s->bytes);
	free(s->packets);
}
