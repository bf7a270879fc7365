/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a log is: a look at its beginning, or at all of a small one. The log itself says
 * nothing about how it was made; which lines it has does.
 */
#include <string.h>

#include "formats/vixl/vixl.h"

enum { SMALL = 32 << 20 };

int vixl_probe(const uint8_t *head, size_t n)
{
	enum { HEAD = 4096 };
	const char *p = (const char *)head, *end = p + (n > HEAD ? (size_t)HEAD : n);
	struct vixl_plain plain;
	struct vixl_line l;
	unsigned insns = 0, states = 0, other = 0;
	while (p < end) {
		const char *e, *next = vixl_line_end(p, end, &e);
		if (e == end && n >= HEAD && p != (const char *)head)
			break; /* cut off */
		vixl_parse(p, (size_t)(e - p), &l, &plain);
		insns += l.kind == VIXL_INSN;
		if (l.kind == VIXL_TEXT)
			other++;
		else if (l.kind != VIXL_BLANK && l.kind != VIXL_BARE && l.kind != VIXL_UNKNOWN)
			states++;
		p = next;
	}
	if (insns)
		return 90;
	return states == 0 ? 0 : states > other ? 80 : 40;
}

/* ---- looking ---- */

static unsigned log_of(const struct vixl_line *l)
{
	switch (l->kind) {
	case VIXL_INSN:
		return VIXL_LOG_DISASM;
	case VIXL_XREG:
	case VIXL_WREG:
		return l->arrow == '>' ? VIXL_LOG_WRITE : VIXL_LOG_REGS;
	case VIXL_VREG:
	case VIXL_ZREG:
	case VIXL_PREG:
		return l->arrow == '>' ? VIXL_LOG_WRITE : VIXL_LOG_VREGS;
	case VIXL_XPART:
	case VIXL_VPART:
	case VIXL_TRANSFER:
	case VIXL_WRITE64:
		return VIXL_LOG_WRITE;
	case VIXL_ACCESS:
		return l->arrow == '>' ? VIXL_LOG_WRITE : 0;
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

static void look_at_register(const struct vixl_line *l, struct vixl_look *k)
{
	unsigned bits = l->kind == VIXL_ZREG   ? l->msb + 1u
	                : l->kind == VIXL_PREG ? 8 * (l->msb + 1u)
	                                       : 0;
	k->vl = bits > k->vl ? bits : k->vl;
	k->today += vixl_is_today(l);
	k->before += !vixl_is_today(l);
}

void vixl_look(const char *p, size_t n, struct vixl_look *k)
{
	const char *end = p + n;
	struct vixl_plain plain;
	struct vixl_line l;
	bool ended = true;
	unsigned held = 0; /* a Z register may be one that is stored */
	while (p < end) {
		const char *e, *next = vixl_line_end(p, end, &e);
		vixl_parse(p, (size_t)(e - p), &l, &plain);
		unsigned log = log_of(&l);
		if (!(l.kind == VIXL_ACCESS && l.arrow == '>') && l.kind != VIXL_ZREG)
			k->log |= held;
		held = l.kind == VIXL_ZREG && !l.arrow ? (unsigned)VIXL_LOG_VREGS
		       : l.kind == VIXL_ACCESS         ? 0
		                                       : held & (l.kind == VIXL_ZREG ? ~0u : 0u);
		k->log |= held ? 0 : log;
		k->coloured |= l.coloured;
		k->masked |= l.masked != 0;
		k->n_insns += l.kind == VIXL_INSN;
		bool ours = l.kind == VIXL_TEXT && vixl_is_ours(p, (size_t)(e - p));
		k->foreign += (l.kind == VIXL_TEXT && !ours) || l.prefix;
		k->unknown += l.kind == VIXL_UNKNOWN;
		if (vixl_is_register(l.kind))
			look_at_register(&l, k);
		if (l.kind != VIXL_TEXT && l.kind != VIXL_UNKNOWN) {
			k->runs += ended;
			ended = l.kind == VIXL_BRANCH && l.addr == 0 && !l.masked;
		}
		k->insns |= l.kind == VIXL_INSN;
		k->states |= l.kind != VIXL_INSN && l.kind != VIXL_TEXT;
		k->lines++;
		p = next;
	}
	k->log |= held;
}

/* ---- facts ---- */

static const char *dialect(const struct vixl_look *k)
{
	return k->before > k->today ? "before 2019-11" : k->today ? "since 2019-11" : NULL;
}

static int list_logs(const struct vixl_look *k, struct model_facts *f)
{
	static const char *const names[] = {"disasm", "regs", "vregs", "sysregs", "write", "branch"};
	int rc = 0;
	for (unsigned i = 0; i < 6 && rc >= 0; i++)
		if (k->log >> i & 1)
			rc = model_fact_list(f, "logs", "%s", names[i]);
	return rc < 0 || k->log ? rc : model_fact_empty_list(f, "logs");
}

static int fact_count(struct model_facts *f, const struct vixl_look *k, const char *key, uint64_t n)
{
	return k->whole ? model_fact_number(f, key, n) : model_fact_unknown(f, key);
}

static int facts_of_log(const struct vixl_look *k, struct model_facts *f)
{
	const char *is = dialect(k);
	int rc = is ? model_fact_text(f, "dialect", "%s", is) : model_fact_unknown(f, "dialect");
	if (rc >= 0)
		rc = k->vl ? model_fact_number(f, "vector_length", k->vl)
		           : model_fact_unknown(f, "vector_length");
	if (rc >= 0)
		rc = list_logs(k, f);
	if (rc >= 0)
		rc = model_fact_text(f, "coloured", "%s", k->coloured ? "yes" : "no");
	if (rc >= 0)
		rc = model_fact_text(f, "addresses", "%s", k->masked ? "masked" : "as they were");
	if (rc >= 0)
		rc = fact_count(f, k, "instructions", k->n_insns);
	if (rc >= 0)
		rc = fact_count(f, k, "runs", k->runs);
	if (rc >= 0)
		rc = fact_count(f, k, "foreign_lines", k->foreign);
	if (rc >= 0)
		rc = fact_count(f, k, "unknown_lines", k->unknown);
	return rc < 0 ? rc : fact_count(f, k, "records", k->lines);
}

int vixl_info(struct cairn_reader *r, struct model_facts *f)
{
	const struct vixl_impl *im = r->impl;
	uint64_t stored = io_stored_size(r->io);
	struct vixl_look k = im->look;
	if (!k.whole && im->map && im->map_len <= SMALL) {
		k = (struct vixl_look){.whole = true};
		vixl_look(im->map, im->map_len, &k);
	}
	int rc = model_fact_text(f, "format", "VIXL");
	if (rc >= 0)
		rc = model_fact_unknown(f, "version");
	if (rc >= 0)
		rc = model_fact_text(f, "kind", "%s", k.insns ? "instructions" : "log of state");
	if (rc >= 0)
		rc = model_fact_text(f, "container", "none");
	if (rc >= 0)
		rc = model_fact_text(f, "codec", "%s", io_codec(r->io));
	if (rc >= 0)
		rc = model_fact_text(f, "isa", "a64");
	if (rc >= 0)
		rc = model_fact_list(f, "generators", "VIXL AArch64 simulator");
	if (rc >= 0)
		rc = facts_of_log(&k, f);
	if (rc >= 0)
		rc = stored == IO_UNKNOWN ? model_fact_unknown(f, "size")
		                          : model_fact_number(f, "size", stored);
	return rc;
}
