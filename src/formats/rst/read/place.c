/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state between two spans as bytes, for an index, and reading on from there. The
 * bytes are documented in docs/formats/index.md. Only CPUs of which something is known
 * are kept, and the records that wait for their instruction.
 */
#include <string.h>

#include "formats/rst/rst.h"

enum { HEAD = 3 * 8 + 2 * 4 + 3 * 2, WAITING = CAIRN_RST_SIZE + 4 + 2, CPU = 2 * 3 + 4 + 10 * 8 };

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
		                 "%s: its index tells a place where nothing can "
		                 "begin",
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
		uint8_t raw[WAITING];
		if (waiting->cpu == RST_NONE)
			continue;
		memcpy(raw, waiting->rec, CAIRN_RST_SIZE);
		base_put_le32(raw + CAIRN_RST_SIZE, waiting->tick);
		base_put_le16(raw + CAIRN_RST_SIZE + 4, waiting->cpu);
		rc = base_buf_put(out, raw, sizeof raw);
	}
	return rc;
}

static int place_put_cpu(const struct rst_cpu *c, unsigned cpu, struct base_buf *out)
{
	uint8_t raw[CPU], *p = raw + 10;
	const uint64_t wide[] = {c->pc_diff, c->ea_diff, c->pc_pa,     c->ea_pa,      c->pc,
	                         c->npc,     c->target,  c->resume_pc, c->resume_npc, c->tid};
	base_put_le16(raw, (uint16_t)cpu);
	base_put_le16(raw + 2, c->flags);
	base_put_le16(raw + 4, c->asid);
	base_put_le32(raw + 6, c->pid);
	for (size_t i = 0; i < sizeof wide / sizeof *wide; i++, p += 8)
		base_put_le64(p, wide[i]);
	return base_buf_put(out, raw, sizeof raw);
}

int rst_state_put(const struct cairn_reader *reader, const void *state, struct base_buf *out)
{
	const struct rst_state *at = state;
	uint8_t raw[HEAD];
	unsigned cpus = 0, waiting = 0;
	(void)reader;
	for (unsigned i = 0; i < RST_MAX_CPUS; i++)
		cpus += place_is_known(&at->cpus[i]);
	for (unsigned i = 0; i < at->n_waiting; i++)
		waiting += at->waiting[(at->oldest + i) % RST_WAIT].cpu != RST_NONE;
	base_put_le64(raw, at->n);
	base_put_le64(raw + 8, at->rec);
	base_put_le64(raw + 16, at->tid);
	base_put_le32(raw + 24, at->pid);
	base_put_le32(raw + 28, at->tick);
	base_put_le16(raw + 32, at->pending);
	base_put_le16(raw + 34, (uint16_t)cpus);
	base_put_le16(raw + 36, (uint16_t)waiting);
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
	unsigned cpu = base_le16(p + CAIRN_RST_SIZE + 4);
	if (!rst_waits(p[0]) || rst_cpu_of(p, im->wide) != (int)cpu)
		return false;
	rst_wait(at, p, cpu, base_le32(p + CAIRN_RST_SIZE));
	return true;
}

static bool get_cpu(struct rst_state *at, const uint8_t *p)
{
	unsigned cpu = base_le16(p);
	if (cpu >= RST_MAX_CPUS)
		return false;
	struct rst_cpu *c = &at->cpus[cpu];
	uint64_t *const wide[] = {&c->pc_diff, &c->ea_diff, &c->pc_pa,     &c->ea_pa,      &c->pc,
	                          &c->npc,     &c->target,  &c->resume_pc, &c->resume_npc, &c->tid};
	c->flags = base_le16(p + 2);
	c->asid = base_le16(p + 4);
	c->pid = base_le32(p + 6);
	p += 10;
	for (size_t i = 0; i < sizeof wide / sizeof *wide; i++, p += 8)
		*wide[i] = base_le64(p);
	return true;
}

int rst_state_get(const struct cairn_reader *reader, const uint8_t *p, size_t n, void *state)
{
	const struct rst_impl *im = reader->impl;
	struct rst_state *at = state;
	unsigned cpus = n < HEAD ? 0 : base_le16(p + 34), waiting = n < HEAD ? 0 : base_le16(p + 36);
	bool good = n >= HEAD && cpus <= RST_MAX_CPUS && waiting <= RST_WAIT &&
	            n == HEAD + (size_t)waiting * WAITING + (size_t)cpus * CPU;
	rst_state_init(at);
	if (good) {
		at->n = base_le64(p);
		at->rec = base_le64(p + 8);
		at->tid = base_le64(p + 16);
		at->pid = base_le32(p + 24);
		at->tick = base_le32(p + 28);
		at->pending = base_le16(p + 32) & (RST_C_TID | RST_C_PID);
		good = at->n && at->rec;
		at->instr = good ? rst_instr_before(im, at->rec) : 0;
	}
	p += HEAD;
	for (unsigned i = 0; i < waiting && good; i++, p += WAITING)
		good = get_waiting(im, at, p);
	for (unsigned i = 0; i < cpus && good; i++, p += CPU)
		good = get_cpu(at, p);
	return good ? 0
	            : base_fail(reader->cairn, CAIRN_E_DAMAGED,
	                        "%s: its index holds a state that cannot be", io_name(reader->io));
}
