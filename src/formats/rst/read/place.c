/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state between two spans as bytes, for an index, and reading on from there. The
 * bytes are documented in docs/formats/index.md. Only CPUs of which something is known
 * are kept, and the records that wait for their instruction.
 */
#include <string.h>

#include "formats/rst/rst.h"

/* What is kept, in order: P(row, member, bits). A waiting record stands before its row, the number
 * of a CPU before its own. */
/* clang-format off */
#define PLACE_STATE(P, row) \
	P(row, n, 64) P(row, rec, 64) P(row, ids.tid, 64) P(row, ids.pid, 32) P(row, tick, 32) \
	P(row, ids.told, 16) P(row, lost, 16)
#define PLACE_COUNTS(P, row) P(row, cpus, 16) P(row, waiting, 16)
#define PLACE_WAITING(P, row) P(row, tick, 32) P(row, cpu, 16)
#define PLACE_CPU(P, row) \
	P(row, flags, 16) P(row, asid, 16) P(row, pid, 32) P(row, pc_diff, 64) P(row, ea_diff, 64) \
	P(row, pc_pa, 64) P(row, ea_pa, 64) P(row, pc, 64) P(row, npc, 64) P(row, target, 64) \
	P(row, resume_pc, 64) P(row, resume_npc, 64) P(row, tid, 64)
/* clang-format on */

/* Bytes of a member; the member into those at p, or out of them: p moves on. */
#define PLACE_SIZE(row, member, bits) +(bits) / 8
#define PLACE_PUT(row, member, bits) base_put_le##bits(p, (row)->member), p += (bits) / 8;
#define PLACE_GET(row, member, bits) (row)->member = base_le##bits(p), p += (bits) / 8;

enum {
	HEAD = 0 PLACE_STATE(PLACE_SIZE, ) PLACE_COUNTS(PLACE_SIZE, ),
	WAITING = CAIRN_RST_SIZE PLACE_WAITING(PLACE_SIZE, ),
	CPU = 2 PLACE_CPU(PLACE_SIZE, )
};

struct place_counts {
	uint16_t cpus, waiting;
};

uint64_t rst_place_of(const struct cairn_reader *reader, const struct model_span *span)
{
	const struct rst_impl *im = reader->impl;
	const struct rst_span *ss = span->priv;
	return im->stream.container || !io_can_seek(reader->io) ? 0 : ss->bytes.begin;
}

int rst_jump(struct cairn_reader *reader, uint64_t place)
{
	struct rst_impl *im = reader->impl;
	if (im->stream.container || place % CAIRN_RST_SIZE ||
	    (im->source.map && place > im->source.map_len))
		return base_fail(reader->cairn, CAIRN_E_DAMAGED,
		                 "%s: its index tells a place where nothing can begin",
		                 io_name(reader->io));
	return rst_restart(reader, place);
}

static bool place_is_known(const struct rst_cpu *cpu)
{
	return cpu->flags || cpu->pc || cpu->npc;
}

static int put_waiting(const struct rst_state *at, struct base_buf *out)
{
	int rc = 0;
	for (unsigned i = 0; i < at->n_waiting && rc >= 0; i++) {
		const struct rst_waiting *waiting = &at->waiting[(at->oldest + i) % RST_WAIT];
		uint8_t raw[WAITING], *p = raw + CAIRN_RST_SIZE;
		if (waiting->cpu == RST_NONE)
			continue;
		memcpy(raw, waiting->rec, CAIRN_RST_SIZE);
		PLACE_WAITING(PLACE_PUT, waiting)
		rc = base_buf_put(out, raw, sizeof raw);
	}
	return rc;
}

static int place_put_cpu(const struct rst_cpu *c, unsigned cpu, struct base_buf *out)
{
	uint8_t raw[CPU], *p = raw;
	base_put_le16(p, (uint16_t)cpu);
	p += 2;
	PLACE_CPU(PLACE_PUT, c)
	return base_buf_put(out, raw, sizeof raw);
}

int rst_state_put(const struct cairn_reader *reader, const void *state, struct base_buf *out)
{
	const struct rst_state *at = state;
	struct place_counts counts = {0};
	uint8_t raw[HEAD], *p = raw;
	(void)reader;
	for (unsigned i = 0; i < RST_MAX_CPUS; i++)
		counts.cpus = (uint16_t)(counts.cpus + place_is_known(&at->cpus[i]));
	for (unsigned i = 0; i < at->n_waiting; i++)
		if (at->waiting[(at->oldest + i) % RST_WAIT].cpu != RST_NONE)
			counts.waiting++;
	PLACE_STATE(PLACE_PUT, at)
	PLACE_COUNTS(PLACE_PUT, &counts)
	int rc = base_buf_put(out, raw, sizeof raw);
	if (rc >= 0)
		rc = put_waiting(at, out);
	for (unsigned i = 0; i < RST_MAX_CPUS && rc >= 0; i++)
		if (place_is_known(&at->cpus[i]))
			rc = place_put_cpu(&at->cpus[i], i, out);
	return rc;
}

/* Is the record one that waits, and of this CPU? */
static bool get_waiting(const struct rst_impl *im, struct rst_state *at, const uint8_t *p)
{
	const uint8_t *rec = p;
	struct rst_waiting waiting;
	p += CAIRN_RST_SIZE;
	PLACE_WAITING(PLACE_GET, &waiting)
	if (!rst_waits(rec[0]) || rst_cpu_of(rec, im->wide) != (int)waiting.cpu)
		return false;
	rst_wait(at, rec, waiting.cpu, waiting.tick);
	return true;
}

static bool get_cpu(struct rst_state *at, const uint8_t *p)
{
	unsigned cpu = base_le16(p);
	if (cpu >= RST_MAX_CPUS)
		return false;
	p += 2;
	PLACE_CPU(PLACE_GET, &at->cpus[cpu])
	return true;
}

int rst_state_get(const struct cairn_reader *reader, const uint8_t *p, size_t n, void *state)
{
	const struct rst_impl *im = reader->impl;
	struct rst_state *at = state;
	struct place_counts counts = {0};
	bool good = n >= HEAD;
	rst_state_init(at);
	if (good) {
		PLACE_STATE(PLACE_GET, at)
		PLACE_COUNTS(PLACE_GET, &counts)
		at->ids.told &= RST_C_TID | RST_C_PID;
		good = counts.cpus <= RST_MAX_CPUS && counts.waiting <= RST_WAIT && at->n && at->rec &&
		       n == HEAD + (size_t)counts.waiting * WAITING + (size_t)counts.cpus * CPU;
		at->instr = good ? rst_instr_before(im, at->rec) : 0;
	}
	for (unsigned i = 0; i < counts.waiting && good; i++, p += WAITING)
		good = get_waiting(im, at, p);
	for (unsigned i = 0; i < counts.cpus && good; i++, p += CPU)
		good = get_cpu(at, p);
	return good ? 0
	            : base_fail(reader->cairn, CAIRN_E_DAMAGED,
	                        "%s: its index holds a state that cannot be", io_name(reader->io));
}
