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
	struct ete_maker maker;
	struct ete_sample *out;
	int damage;
	bool tx, marked, needs_address;
	size_t depth;
	struct {
		bool atom, tx_before;
	} open[OPEN_MOST];
};

static uint64_t below(struct unit *unit, uint64_t n)
{
	return ete_random(&unit->maker.seed) % n;
}

static bool chance(struct unit *unit, unsigned percent)
{
	return below(unit, 100) < percent;
}

static void write_packet(struct unit *unit, const struct cairn_ete_packet *packet, const uint8_t *b,
                         int n)
{
	struct ete_sample *sample = unit->out;
	if (unit->damage && below(unit, 400) == 0 && n > 0) { /* cut off, or one byte another */
		if (chance(unit, 50))
			n = (int)below(unit, (unsigned)n);
		else
			((uint8_t *)b)[below(unit, (unsigned)n)] ^= (uint8_t)(1 << below(unit, 8));
	}
	if (sample->n + CAIRN_ETE_MAX_PACKET > sample->room)
		sample->bytes = realloc(sample->bytes, sample->room = sample->room * 2 + 4096);
	memcpy(sample->bytes + sample->n, b, (size_t)n);
	if (sample->n_packets == sample->room_packets)
		sample->packets =
			realloc(sample->packets, (sample->room_packets = sample->room_packets * 2 + 256) *
		                                 sizeof *sample->packets);
	sample->packets[sample->n_packets] = *packet;
	sample->packets[sample->n_packets].offset = sample->n;
	sample->packets[sample->n_packets].size = (uint32_t)n;
	sample->packets[sample->n_packets++].header = b[0];
	sample->n += (size_t)n;
	sample->seen[packet->type / 64] |= (uint64_t)1 << packet->type % 64;
}

static void send(struct unit *unit, const struct cairn_ete_packet *packet)
{
	uint8_t b[CAIRN_ETE_MAX_PACKET];
	int n = cairn_ete_encode(unit->maker.encoder, packet, b);
	if (n < 0) {
		fprintf(stderr, "the unit made what cannot be encoded: %s\n",
		        cairn_ete_packet_name(packet->type));
		abort();
	}
	ete_made(&unit->maker, packet);
	write_packet(unit, packet, b, n);
}

static void send_type(struct unit *unit, unsigned type)
{
	struct cairn_ete_packet packet;
	if (ete_make(&unit->maker, type, &packet))
		send(unit, &packet);
}

/* ---- what it keeps ---- */

static void shrink(struct unit *unit, size_t n)
{
	memmove(unit->open, unit->open + n, (unit->depth - n) * sizeof unit->open[0]);
	unit->depth -= n;
}

static void p0(struct unit *unit, bool atom)
{
	if (unit->depth == OPEN_MOST)
		abort();
	unit->open[unit->depth].atom = atom;
	unit->open[unit->depth++].tx_before = unit->tx;
}

/* Behind a packet, what is more than MAXSPEC is resolved. */
static void settle(struct unit *unit)
{
	uint32_t most = unit->maker.cfg->idr8;
	if (unit->depth > most)
		shrink(unit, unit->depth - most);
}

static void cancel(struct unit *unit, size_t n)
{
	if (n)
		unit->tx = unit->open[unit->depth - n].tx_before;
	unit->depth -= n;
	unit->needs_address = true;
}

static bool has_atom(const struct unit *unit, size_t but_newest)
{
	for (size_t i = 0; i + but_newest < unit->depth; i++)
		if (unit->open[i].atom)
			return true;
	return false;
}

/* ---- steps ---- */

static void target(struct unit *unit)
{
	static const uint8_t types[] = {
		CAIRN_ETE_P_ADDR_CTXT_32_IS0, CAIRN_ETE_P_ADDR_CTXT_32_IS1, CAIRN_ETE_P_ADDR_CTXT_64_IS0,
		CAIRN_ETE_P_ADDR_CTXT_64_IS1, CAIRN_ETE_P_ADDR_MATCH,       CAIRN_ETE_P_ADDR_SHORT_IS0,
		CAIRN_ETE_P_ADDR_SHORT_IS1,   CAIRN_ETE_P_ADDR_32_IS0,      CAIRN_ETE_P_ADDR_32_IS1,
		CAIRN_ETE_P_ADDR_64_IS0,      CAIRN_ETE_P_ADDR_64_IS1};
	send_type(unit, types[below(unit, sizeof types)]);
	unit->needs_address = false;
}

static void context_and_address(struct unit *unit)
{
	if (chance(unit, 60)) {
		send_type(unit,
		          chance(unit, 50) ? CAIRN_ETE_P_ADDR_CTXT_64_IS0 : CAIRN_ETE_P_ADDR_CTXT_32_IS1);
	} else {
		send_type(unit, CAIRN_ETE_P_CONTEXT);
		target(unit);
	}
	unit->needs_address = false;
}

static void info(struct unit *unit)
{
	struct cairn_ete_packet packet = {.type = CAIRN_ETE_P_TRACE_INFO};
	if (unit->tx || chance(unit, 30)) {
		packet.sections |= CAIRN_ETE_INFO;
		packet.info = unit->tx ? CAIRN_ETE_INFO_TRANSACTION : 0;
	}
	if (unit->depth || chance(unit, 10)) {
		packet.sections |= CAIRN_ETE_SPEC;
		packet.value = unit->depth;
	}
	if (chance(unit, 50)) {
		packet.sections |= CAIRN_ETE_CYCT;
		packet.cycles = (uint32_t)below(unit, 300);
		packet.sections |= CAIRN_ETE_INFO;
		packet.info |= CAIRN_ETE_INFO_CC;
	}
	send(unit, &packet);
}

static void events(struct unit *unit)
{
	while (chance(unit, 20))
		send_type(unit, chance(unit, 60) || cairn_ete_version(unit->maker.cfg) < 0x13 ||
		                        !cairn_ete_is_ete(unit->maker.cfg)
		                    ? CAIRN_ETE_P_EVENT
		                    : CAIRN_ETE_P_INSTRUMENTATION);
}

/* Alignment, Trace Info, where execution is; events may come in between. */
static void sync(struct unit *unit, bool trace_on)
{
	send_type(unit, CAIRN_ETE_P_ASYNC);
	events(unit);
	info(unit);
	events(unit);
	if (trace_on)
		send_type(unit, CAIRN_ETE_P_TRACE_ON);
	context_and_address(unit);
}

static void atoms(struct unit *unit)
{
	struct cairn_ete_packet packet;
	ete_make(&unit->maker, CAIRN_ETE_P_ATOM_F1 + (unsigned)below(unit, 6), &packet);
	for (unsigned i = 0; i < packet.n_atoms; i++)
		p0(unit, true);
	send(unit, &packet);
	settle(unit);
}

static void exception(struct unit *unit)
{
	send_type(unit, CAIRN_ETE_P_EXCEPTION);
	p0(unit, false);
	settle(unit);
	if (chance(unit, 20))
		send_type(unit, CAIRN_ETE_P_EVENT);
	if (unit->depth && chance(unit, 20)) { /* resolved before its address came */
		struct cairn_ete_packet packet = {.type = CAIRN_ETE_P_COMMIT,
		                                  .count = (uint32_t)unit->depth};
		send(unit, &packet);
		shrink(unit, unit->depth);
	}
	if (chance(unit, 30))
		send_type(unit, CAIRN_ETE_P_CONTEXT);
	target(unit);
	unit->needs_address = true; /* the handler's */
}

static void q_or_source(struct unit *unit)
{
	bool q = unit->maker.cfg->idr0 >> 15 & 3;
	if (cairn_ete_is_ete(unit->maker.cfg) && (!q || chance(unit, 50))) {
		send_type(unit, CAIRN_ETE_P_SRC_MATCH + (unsigned)below(unit, 7));
	} else if (q) {
		unsigned type = CAIRN_ETE_P_Q_MATCH + (unsigned)below(unit, 7);
		send_type(unit, type);
		p0(unit, false);
		settle(unit);
		if (type < CAIRN_ETE_P_Q_COUNT)
			return;
		if (chance(unit, 30))
			send_type(unit, CAIRN_ETE_P_CONTEXT);
		target(unit);
		return;
	} else {
		return;
	}
	p0(unit, false);
	settle(unit);
}

static void transaction(struct unit *unit)
{
	bool start_is_p0 = !(unit->maker.cfg->idr0 >> 30 & 1);
	if (!cairn_ete_is_ete(unit->maker.cfg))
		return;
	if (!unit->tx) {
		if (start_is_p0)
			p0(unit, false);
		send_type(unit, CAIRN_ETE_P_TRANSACTION_START);
		unit->tx = true;
		settle(unit);
		return;
	}
	unit->tx = false;
	if (chance(unit, 50)) {
		send_type(unit, CAIRN_ETE_P_TRANSACTION_COMMIT);
		return;
	}
	send_type(unit, CAIRN_ETE_P_TRANSACTION_FAILURE);
	if (chance(unit, 30))
		send_type(unit, CAIRN_ETE_P_TRACE_ON);
	unit->needs_address = true;
}

static void commit(struct unit *unit)
{
	struct cairn_ete_packet packet = {.type = CAIRN_ETE_P_COMMIT};
	bool opt = unit->maker.cfg->idr0 >> 29 & 1;
	if (chance(unit, 50)) {
		ete_make(&unit->maker, CAIRN_ETE_P_CCNT_F1 + (unsigned)below(unit, 3), &packet);
		if (!opt && packet.count > unit->depth)
			return;
	} else if (unit->depth) {
		packet.count = 1 + (uint32_t)below(unit, unit->depth);
	} else {
		return;
	}
	send(unit, &packet);
	if (packet.type == CAIRN_ETE_P_COMMIT || !opt)
		shrink(unit, packet.count);
}

/* A correction needs an atom to correct, behind what it cancels. */
static void correct(struct unit *unit)
{
	struct cairn_ete_packet packet;
	ete_make(&unit->maker, CAIRN_ETE_P_CANCEL_F1 + (unsigned)below(unit, 5), &packet);
	if (packet.type <= CAIRN_ETE_P_CANCEL_F1_MISPREDICT)
		packet.count = (uint32_t)below(unit, unit->depth + 1);
	if (packet.count > unit->depth + packet.n_atoms ||
	    (packet.type != CAIRN_ETE_P_CANCEL_F1 && !has_atom(unit, packet.count) &&
	     packet.n_atoms <= packet.count))
		return;
	for (unsigned i = 0; i < packet.n_atoms; i++)
		p0(unit, true);
	send(unit, &packet);
	cancel(unit, packet.count);
	settle(unit);
}

static void time(struct unit *unit)
{
	bool marks = unit->maker.cfg->idr0 >> 23 & 1;
	if (marks && !unit->marked) {
		send_type(unit, CAIRN_ETE_P_TS_MARKER);
		unit->marked = chance(unit, 90);
	} else if (!marks || chance(unit, 80)) {
		send_type(unit, CAIRN_ETE_P_TIMESTAMP);
		unit->marked = false;
	}
}

static void interruption(struct unit *unit)
{
	if (unit->tx && chance(unit, 50)) {
		send_type(unit, CAIRN_ETE_P_TRANSACTION_FAILURE);
		unit->tx = false;
	}
	send_type(unit, chance(unit, 50) ? CAIRN_ETE_P_OVERFLOW : CAIRN_ETE_P_DISCARD);
	events(unit);
	unit->depth = 0;
	unit->tx = unit->marked = false;
	sync(unit, true);
}

static void other(struct unit *unit)
{
	bool ete = cairn_ete_is_ete(unit->maker.cfg), m = unit->maker.cfg->profile == 'M';
	switch (below(unit, 5)) {
	case 0:
		send_type(unit, CAIRN_ETE_P_IGNORE);
		break;
	case 1:
		send_type(unit, CAIRN_ETE_P_CONTEXT_SAME);
		break;
	case 2:
		if (ete)
			send_type(unit, CAIRN_ETE_P_PE_RESET);
		else if (m)
			send_type(unit, CAIRN_ETE_P_FUNCTION_RETURN);
		if (ete || m) {
			p0(unit, false);
			settle(unit);
			unit->needs_address = true;
		}
		break;
	case 3:
		if (!ete)
			send_type(unit, CAIRN_ETE_P_EXCEPTION_RETURN);
		if (!ete && m) {
			p0(unit, false);
			settle(unit);
		}
		break;
	default:
		if (!ete)
			send_type(unit, CAIRN_ETE_P_NUM_DS_MARKER + (unsigned)below(unit, 10));
		break;
	}
}

static void step(struct unit *unit)
{
	uint64_t what = below(unit, 1000);
	if (unit->needs_address && chance(unit, 90)) {
		context_and_address(unit);
		return;
	}
	if (what < 400)
		atoms(unit);
	else if (what < 560)
		target(unit);
	else if (what < 600)
		send_type(unit, CAIRN_ETE_P_CONTEXT);
	else if (what < 640)
		exception(unit);
	else if (what < 680)
		q_or_source(unit);
	else if (what < 720)
		transaction(unit);
	else if (what < 800)
		commit(unit);
	else if (what < 860)
		correct(unit);
	else if (what < 900)
		time(unit);
	else if (what < 940)
		events(unit);
	else if (what < 955)
		other(unit);
	else if (what < 970)
		sync(unit, false);
	else if (what < 985) {
		send_type(unit, CAIRN_ETE_P_TRACE_ON);
		context_and_address(unit);
	} else if (what < 990)
		interruption(unit);
}

void ete_generate(struct cairn *cairn, const struct cairn_ete_config *cfg, uint64_t seed,
                  size_t packets, int damage, struct ete_sample *out)
{
	struct unit *unit = calloc(1, sizeof *unit);
	memset(out, 0, sizeof *out);
	unit->out = out;
	unit->damage = damage;
	ete_maker_init(&unit->maker, cairn, cfg, seed);
	sync(unit, true);
	while (out->n_packets < packets)
		step(unit);
	ete_maker_free(&unit->maker);
	free(unit);
}

void ete_sample_free(struct ete_sample *sample)
{
	free(sample->bytes);
	free(sample->packets);
}
