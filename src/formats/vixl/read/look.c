/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a log is: a look at its beginning, or at all of a small one. The log itself says
 * nothing about how it was made; which lines it has does.
 */

#include "formats/vixl/vixl.h"

int vixl_probe(const uint8_t *head, size_t n)
{
	enum { HEAD = 4096 };
	const char *p = (const char *)head, *end = p + (n > HEAD ? (size_t)HEAD : n);
	struct vixl_plain plain;
	struct vixl_line line;
	unsigned insns = 0, states = 0, other = 0;
	while (p < end) {
		const char *e, *next = text_line_ends(p, end, &e);
		if (e == end && n >= HEAD && p != (const char *)head)
			break; /* cut off */
		vixl_parse(p, (size_t)(e - p), &line, &plain);
		insns += line.kind == VIXL_INSN;
		if (line.kind == VIXL_TEXT)
			other++;
		else if (line.kind != VIXL_BLANK && line.kind != VIXL_BARE && line.kind != VIXL_UNKNOWN)
			states++;
		p = next;
	}
	if (insns)
		return 90;
	return states == 0 ? 0 : states > other ? 80 : 40;
}

/* ---- looking ---- */

static unsigned log_of(const struct vixl_line *line)
{
	switch (line->kind) {
	case VIXL_INSN:
		return VIXL_LOG_DISASM;
	case VIXL_XREG:
	case VIXL_WREG:
		return line->arrow == '>' ? VIXL_LOG_WRITE : VIXL_LOG_REGS;
	case VIXL_VREG:
	case VIXL_ZREG:
	case VIXL_PREG:
		return line->arrow == '>' ? VIXL_LOG_WRITE : VIXL_LOG_VREGS;
	case VIXL_XPART:
	case VIXL_VPART:
	case VIXL_TRANSFER:
	case VIXL_WRITE64:
		return VIXL_LOG_WRITE;
	case VIXL_ACCESS:
		return line->arrow == '>' ? VIXL_LOG_WRITE : 0;
	case VIXL_NZCV:
	case VIXL_FPCR:
	case VIXL_GCS:
		return VIXL_LOG_SYSREGS;
	case VIXL_BRANCH:
		return VIXL_LOG_BRANCH;
	default:
		return 0;
	}
}

static void look_at_register(const struct vixl_line *line, struct vixl_look *look)
{
	unsigned bits = line->kind == VIXL_ZREG   ? line->msb + 1u
	                : line->kind == VIXL_PREG ? 8 * (line->msb + 1u)
	                                          : 0;
	look->vl = bits > look->vl ? bits : look->vl;
	look->today += vixl_is_today(line);
	look->before += !vixl_is_today(line);
}

void vixl_look(struct text_impl *im, const char *p, const char *end)
{
	struct text_look *all = &im->look;
	struct vixl_look *look = &((struct vixl_impl *)im)->look;
	struct vixl_plain plain;
	struct vixl_line line;
	bool ended = true;
	unsigned held = 0; /* a Z register may be one that is stored */
	while (p < end) {
		const char *e, *next = text_line_ends(p, end, &e);
		vixl_parse(p, (size_t)(e - p), &line, &plain);
		unsigned log = log_of(&line);
		if (!(line.kind == VIXL_ACCESS && line.arrow == '>') && line.kind != VIXL_ZREG)
			look->log |= held;
		held = line.kind == VIXL_ZREG && !line.arrow ? (unsigned)VIXL_LOG_VREGS
		       : line.kind == VIXL_ACCESS            ? 0
		                                             : held & (line.kind == VIXL_ZREG ? ~0u : 0u);
		look->log |= held ? 0 : log;
		look->coloured |= line.coloured;
		look->masked |= line.masked != 0;
		all->insns += line.kind == VIXL_INSN;
		bool ours = line.kind == VIXL_TEXT && vixl_is_ours(p, (size_t)(e - p));
		all->foreign += (line.kind == VIXL_TEXT && !ours) || line.prefix;
		all->bad += line.kind == VIXL_UNKNOWN;
		if (vixl_is_register(line.kind))
			look_at_register(&line, look);
		if (line.kind != VIXL_TEXT && line.kind != VIXL_UNKNOWN) {
			look->runs += ended;
			ended = line.kind == VIXL_BRANCH && line.addr == 0 && !line.masked;
		}
		look->states |= line.kind != VIXL_INSN && line.kind != VIXL_TEXT;
		all->lines++;
		p = next;
	}
	look->log |= held;
	im->states_only = all->insns == 0;
	all->isa = CAIRN_ISA_A64;
}

/* ---- facts ---- */

static const char *dialect(const struct vixl_look *look)
{
	return look->before > look->today ? "before 2019-11" : look->today ? "since 2019-11" : NULL;
}

void vixl_facts(const struct text_impl *im, struct model_facts *facts)
{
	static const char *const names[] = {"disasm", "regs", "vregs", "sysregs", "write", "branch"};
	const struct vixl_look *look = &((const struct vixl_impl *)im)->look;
	model_fact_maybe(facts, "dialect", dialect(look));
	model_fact_known(facts, "vector_length", look->vl != 0, look->vl);
	for (unsigned i = 0; i < 6; i++)
		if (look->log >> i & 1)
			model_fact_list(facts, "logs", "%s", names[i]);
	if (!look->log)
		model_fact_empty_list(facts, "logs");
	model_fact_text(facts, "coloured", "%s", look->coloured ? "yes" : "no");
	model_fact_text(facts, "addresses", "%s", look->masked ? "masked" : "as they were");
	model_fact_known(facts, "instructions", im->look.whole, im->look.insns);
	model_fact_known(facts, "runs", im->look.whole, look->runs);
}
