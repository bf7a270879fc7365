/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a register held before an instruction, for the few instructions whose accesses the
 * text leaves out (fix.c): the lines before it are read again.
 *
 * A register is recalled only if the instruction that was shown to write it lies within
 * VIXL_RECALL bytes, so that what is known does not depend on how the log is cut. One
 * reading serves all registers, and goes on from where it ended the last time; it begins
 * nearby, and further back only when that does not do. A log without such instructions
 * costs nothing. Everything is forgotten where a run ends, the
 * trace is switched, host code may have run, or a line could not be read.
 */
#include "base/bytes.h"
#include "formats/vixl/read/decoder.h"

enum { NEAR = 1 << 12, FARTHER = 8 };
_Static_assert(NEAR *FARTHER *FARTHER == VIXL_REG_REACH, "the last reach is the whole");

struct reading {
	struct vixl_reg_state *state;
	uint64_t insn; /* byte offset of the instruction's line, or of the run's first */
	bool begun;    /* such a line was seen */
	uint32_t enc;
	uint64_t written; /* registers the instruction was shown to write */
};

static void reg_state_forget(struct vixl_reg_state *state)
{
	memset(state->known, 0, sizeof state->known);
}

static void reg_state_set(struct reading *reading, unsigned num, uint64_t value, bool known)
{
	if (!reading->begun || num >= VIXL_RECALLED)
		return;
	reading->state->known[num] = known;
	reading->state->value[num] = value;
	reading->state->at[num] = reading->insn;
	reading->written |= UINT64_C(1) << num;
}

/* ---- flags that are never shown ---- */

/* CFINV, XAFLAG, AXFLAG, RMIF, SETF8, SETF16: NZCV afterwards. */
static unsigned flags_after(uint32_t encoding, unsigned nzcv, uint64_t value)
{
	unsigned z = nzcv >> 2 & 1, c = nzcv >> 1 & 1, v = nzcv & 1;
	if ((encoding & 0xffffff1f) == 0xd500401f)
		switch (encoding >> 5 & 7) {
		case 0: /* CFINV */
			return nzcv ^ 2;
		case 1: /* XAFLAG */
			return (unsigned)(!c && !z) << 3 | (z & c) << 2 | (c | z) << 1 | (unsigned)(!c && z);
		default: /* AXFLAG */
			return (z | v) << 2 | (unsigned)(c && !v) << 1;
		}
	if ((encoding & 0xffe07c10) == 0xba000400) {
		unsigned by = encoding >> 15 & 63, mask = encoding & 15;
		uint64_t turned = by ? value >> by | value << (64 - by) : value;
		return (nzcv & ~mask) | ((unsigned)turned & mask);
	}
	unsigned top = encoding >> 14 & 1 ? 15 : 7;
	return (unsigned)(value >> top & 1) << 3 | (unsigned)!(value & ((2u << top) - 1)) << 2 |
	       c << 1 | (unsigned)((value >> (top + 1) ^ value >> top) & 1);
}

/* The flags behind an instruction that changes them without a line, from those before it. */
static bool silent_flags(const struct vixl_reg_state *state, uint32_t encoding, uint64_t from,
                         uint64_t *out, uint64_t *at)
{
	bool cfinv = (encoding & 0xffffff1f) == 0xd500401f,
		 rmif = (encoding & 0xffe07c10) == 0xba000400;
	unsigned rn = encoding >> 5 & 31;
	uint64_t x = 0;
	/* All four flags from the register: the old ones do not matter. */
	bool all = rmif && (encoding & 15) == 15;
	*at = UINT64_MAX;
	if (!all) {
		if (!state->known[VIXL_REG_NZCV] || state->at[VIXL_REG_NZCV] < from)
			return false;
		*at = state->at[VIXL_REG_NZCV];
	}
	if (!cfinv && rn != 31) {
		if (!state->known[rn] || state->at[rn] < from)
			return false;
		*at = state->at[rn] < *at ? state->at[rn] : *at;
		x = state->value[rn];
	}
	*out = flags_after(encoding, (unsigned)state->value[VIXL_REG_NZCV], x);
	return true;
}

/* ---- reading ---- */

/* Do what the instruction did without a line. */
static void reg_state_end_insn(struct reading *reading)
{
	uint64_t value = 0, at;
	enum vixl_trap trap = vixl_trap_of(reading->enc);
	if (trap == VIXL_TRAP_FLAGS && !(reading->written >> VIXL_REG_NZCV & 1)) {
		bool known = silent_flags(reading->state, reading->enc, 0, &value, &at);
		reg_state_set(reading, VIXL_REG_NZCV, value, known);
		if (known && at != UINT64_MAX)
			reading->state->at[VIXL_REG_NZCV] = at;
	}
	unsigned rs = reading->enc >> 16 & 31;
	if (trap == VIXL_TRAP_COMPARE && rs != 31 && !(reading->written >> rs & 1))
		reg_state_set(reading, rs, 0, false); /* CASB, CASH */
	reading->enc = 0;
	reading->written = 0;
}

static void reg_state_register_line(struct reading *reading, const struct vixl_line *line)
{
	unsigned num = line->num;
	bool known = !(line->masked & VIXL_MASKED_VALUE);
	if (line->special == VIXL_ZR)
		return;
	if (line->kind == VIXL_XPART ? line->bytes != 8 || line->special == VIXL_SP
	                             : line->arrow == '>')
		return; /* a part of it, or the form of before 2019-11 */
	/* LDAPUR shows its register, then the lower half again. */
	if (line->kind == VIXL_WREG && vixl_trap_of(reading->enc) == VIXL_TRAP_UNSCALED &&
	    (reading->written >> num & 1))
		return;
	reg_state_set(reading, num, line->value[0], known);
}

static void reg_state_take_line(struct reading *reading, const struct vixl_line *line, uint64_t off,
                                uint64_t next)
{
	switch (line->kind) {
	case VIXL_INSN:
		reg_state_end_insn(reading);
		if (vixl_is_foreign(line->enc)) /* what is shown below the instruction is known again */
			reg_state_forget(reading->state);
		reading->begun = true;
		reading->insn = off;
		reading->enc = line->enc;
		break;
	case VIXL_XREG:
	case VIXL_WREG:
	case VIXL_XPART:
		reg_state_register_line(reading, line);
		break;
	case VIXL_NZCV:
		reg_state_set(reading, VIXL_REG_NZCV, line->value[0], true);
		break;
	case VIXL_UNKNOWN:
		reg_state_forget(reading->state);
		break;
	case VIXL_BRANCH:
		if (line->addr || line->masked)
			break;
		reg_state_end_insn(reading);
		reg_state_forget(reading->state);
		reading->begun = true;
		reading->insn = next;
		break;
	default:
		break;
	}
}

/* A line of a vector, a predicate, or of what an access moved (drawn below its register) concerns
 * nothing that is kept here. In logs with vectors most lines are such. */
static bool is_beside(const char *p, const char *end)
{
	if (end - p < 16 || *p != '#')
		return false;
	const char *q = p + 1;
	uint64_t other;
	/* Names are aligned to the right: eight spaces at a time. */
	while (!(other = base_le64((const uint8_t *)q) ^ UINT64_C(0x2020202020202020)) && end - q > 16)
		q += 8;
	q += other ? (unsigned)__builtin_ctzll(other) / 8 : 0;
	bool drawn = *q == '\xe2', vector = *q == 'v' || *q == 'z' || *q == 'p';
	return (drawn || (vector && q[1] >= '0' && q[1] <= '9')) &&
	       !memchr(q, '#', (size_t)(end - q)) && !memchr(q, '\t', (size_t)(end - q));
}

/* Where to read from so that the last `reach` bytes before `upto` are known: from where reading
 * ended the last time if that will do, else anew. */
static uint64_t reg_state_start(struct vixl_reg_state *state, uint64_t upto, uint64_t reach,
                                uint64_t oldest)
{
	uint64_t least = upto > reach ? upto - reach : 0;
	least = least > oldest ? least : oldest;
	if (state->valid && state->upto <= upto && state->upto >= oldest && state->from <= least &&
	    upto - state->upto <= (state->far ? (uint64_t)VIXL_REG_REACH : reach))
		return state->upto;
	state->from = least;
	state->far = reach >= VIXL_REG_REACH;
	reg_state_forget(state);
	return least;
}

/* Read on to the instruction whose line begins at `upto`. */
static void bring(struct vixl_decoder *decoder, uint64_t upto, uint64_t reach)
{
	struct vixl_reg_state *state = &decoder->worker->recall;
	const struct text_span *ss = decoder->ss;
	uint64_t oldest = kit_offset_of(&ss->bytes, ss->bytes.window.back);
	uint64_t from = reg_state_start(state, upto, reach, oldest);
	struct reading reading = {.state = state, .begun = from == 0};
	struct vixl_line line;
	const char *base = ss->bytes.window.base, *p = base + (int64_t)(from - ss->bytes.abs);
	const char *end = base + (int64_t)(upto - ss->bytes.abs);
	/* Not from the middle of a line. */
	if (from && p < end && (p == ss->bytes.window.back || p[-1] != '\n')) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		p = nl ? nl + 1 : end;
	}
	while (p < end) {
		const char *e, *next = text_line_ends(p, end, &e);
		if (!is_beside(p, e)) {
			vixl_parse(p, (size_t)(e - p), &line, &state->plain);
			reg_state_take_line(&reading, &line, upto - (uint64_t)(end - p),
			                    upto - (uint64_t)(end - next));
		}
		p = next;
	}
	reg_state_end_insn(&reading);
	state->upto = upto;
	state->valid = true;
}

/* Most registers were written a few lines before, so these are read first. What is known then is
 * the same as after reading from further back. */
bool vixl_reg_state(struct vixl_decoder *decoder, unsigned num, uint64_t *value)
{
	const struct vixl_reg_state *state = &decoder->worker->recall;
	unsigned needs = num == VIXL_REG_NZCV ? VIXL_LOG_SYSREGS : VIXL_LOG_REGS;
	if (!(decoder->im->look.log & needs) || num >= VIXL_RECALLED)
		return false;
	for (uint64_t reach = NEAR; reach <= VIXL_REG_REACH; reach *= FARTHER) {
		bring(decoder, decoder->begun, reach);
		*value = state->value[num];
		if (state->known[num] && decoder->begun - state->at[num] <= VIXL_REG_REACH)
			return true;
	}
	return false;
}

bool vixl_reg_state_flags(struct vixl_decoder *decoder, uint64_t *nzcv)
{
	uint64_t at, least = decoder->begun > VIXL_REG_REACH ? decoder->begun - VIXL_REG_REACH : 0;
	if ((decoder->im->look.log & (VIXL_LOG_SYSREGS | VIXL_LOG_REGS)) !=
	    (VIXL_LOG_SYSREGS | VIXL_LOG_REGS))
		return false;
	for (uint64_t reach = NEAR; reach <= VIXL_REG_REACH; reach *= FARTHER) {
		bring(decoder, decoder->begun, reach);
		if (silent_flags(&decoder->worker->recall, decoder->flow.enc, least, nzcv, &at))
			return true;
	}
	return false;
}
