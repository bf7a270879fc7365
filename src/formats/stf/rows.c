/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of the model into the records of one instruction.
 *
 * The specification orders records by kind, with some freedom (order.c). The rows'
 * `seq` says in which order they were; it is followed if the specification allows it,
 * else all of them go in the order of kinds, each kind in its own order. Equal seq
 * (all 0, from who does not care) is the order of kinds, too.
 *
 * What a record cannot hold is told through stf_cannot: refused for who puts
 * instructions, counted for conversions. What it could hold but the specification
 * forbids goes through stf_wrong: a conversion from STF keeps what its input had.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "formats/stf/build.h"
#include "formats/stf/stf.h"
#include "isa/isa.h"

enum stf_item_kind { ITEM_REG, ITEM_MEM, ITEM_EVENT };
enum stf_rank {
	RANK_COMMENT,
	RANK_FORCE,
	RANK_REG,
	RANK_READY,
	RANK_WALK,
	RANK_MEM,
	RANK_BUS,
	RANK_EVENT,
	RANK_MICRO_OP
};
enum { EVENT_ARGS = 255, SMALL = 48 };

/* ---- refusing ---- */

static int rows_refuse(struct stf_build *b, const char *fmt, va_list ap)
{
	char text[256];
	vsnprintf(text, sizeof text, fmt, ap);
	return base_fail(b->w->c, CAIRN_E_INVAL, "%s: instruction %llu: %s", b->w->path,
	                 (unsigned long long)b->n + 1, text);
}

int stf_cannot(struct stf_build *b, const char *what, const char *fmt, ...)
{
	if (b->lost)
		return b->lost(b->user, 1, b->source, what);
	va_list ap;
	va_start(ap, fmt);
	int rc = rows_refuse(b, fmt, ap);
	va_end(ap);
	return rc;
}

int stf_wrong(struct stf_build *b, const char *fmt, ...)
{
	if (b->lost)
		return 1;
	va_list ap;
	va_start(ap, fmt);
	int rc = rows_refuse(b, fmt, ap);
	va_end(ap);
	return rc;
}

/* ---- records ---- */

void stf_group_clear(struct stf_group *g)
{
	struct base_buf keep = g->buf;
	*g = (struct stf_group){.buf = keep};
	g->buf.len = 0;
}

static uint8_t *more(struct stf_group *g, size_t n)
{
	if (base_buf_reserve(&g->buf, n) < 0)
		return NULL;
	uint8_t *p = g->buf.data + g->buf.len;
	g->buf.len += n;
	return p;
}

int stf_group_value(struct stf_group *g, unsigned type, unsigned width, uint64_t value)
{
	uint8_t *p = more(g, 1 + (size_t)width);
	if (!p)
		return CAIRN_E_NOMEM;
	p[0] = (uint8_t)type;
	base_put_le(p + 1, width, value);
	g->records++;
	return 0;
}

int stf_put_mode(struct stf_group *g, unsigned event_bits, uint8_t mode)
{
	unsigned width = event_bits / 8;
	uint8_t *p = more(g, 10 + (size_t)width);
	if (!p)
		return CAIRN_E_NOMEM;
	uint64_t id = STF_EVENT_SPECIAL | STF_EVENT_MODE_CHANGE;
	p[0] = CAIRN_STF_EVENT;
	base_put_le(p + 1, width, width == 4 ? id >> 32 : id);
	p[1 + width] = 1;
	base_put_le64(p + 2 + width, mode);
	g->records++;
	g->features |= CAIRN_STF_F_EVENT;
	return 0;
}

/* Bytes of a wide value; NULL when they lie outside. */
static const uint8_t *rows_payload(const struct cairn_stf_insn *in, uint64_t at, uint64_t n)
{
	if (n && (at > in->n_bytes || n > in->n_bytes - at))
		return NULL;
	return n ? in->bytes + at : (const uint8_t *)"";
}

/* ---- registers ---- */

/* Is a part of a register what the instruction stores? Then the access tells its value, and the
 * encoding of which register it is. */
static bool is_stored(const struct cairn_stf_insn *in, const struct cairn_reg *r)
{
	const uint8_t known = CAIRN_VALUE_KNOWN | CAIRN_VALUE_WIDE;
	if (r->role != CAIRN_ROLE_SRC || r->lsb || !(r->flags & CAIRN_VALUE_KNOWN) ||
	    !isa_tells_elements((enum cairn_isa)in->isa, in->enc, in->size))
		return false;
	for (size_t i = 0; i < in->n_mems; i++) {
		const struct cairn_mem *m = &in->mems[i];
		if (m->kind != CAIRN_MEM_WRITE || m->size * 8 != r->bits || (m->flags ^ r->flags) & known)
			continue;
		const uint8_t *put =
			r->flags & CAIRN_VALUE_WIDE ? rows_payload(in, m->value, m->size) : NULL;
		const uint8_t *had = put ? rows_payload(in, r->value, m->size) : NULL;
		if (had ? !memcmp(put, had, m->size)
		        : !(r->flags & CAIRN_VALUE_WIDE) && m->value == r->value)
			return true;
	}
	return false;
}

/* `width`: bits of the register where its bank tells, else 0. */
static int put_reg_value(struct stf_build *b, struct stf_group *g, const struct cairn_stf_insn *in,
                         const struct cairn_reg *r, unsigned num, unsigned cls, unsigned width)
{
	const struct cairn_stf_config *cfg = &b->w->cfg;
	uint32_t words = cls == CAIRN_REG_VECTOR ? stf_vector_words(cfg) : 1;
	uint32_t all = cls == CAIRN_REG_VECTOR ? 64 * words : width;
	bool rest_is_0 = r->flags & CAIRN_VALUE_ZEROES;
	bool wide = r->flags & CAIRN_VALUE_WIDE;
	bool piece = r->lsb || (!rest_is_0 && r->bits && r->bits < all &&
	                        (cls != CAIRN_REG_VECTOR || (r->bits + 63) / 64 != words));
	if (piece && b->lost && is_stored(in, r))
		return 0;
	if (!words)
		return stf_cannot(b, "vector registers (the header has no vector length)",
		                  "v%u: the header has no vector length (VLEN)", num);
	if (piece)
		return stf_cannot(b, "parts of registers, for STF records whole ones",
		                  "register %u of class %u: bits %u to %u are not the whole of it", num,
		                  cls, r->lsb, r->lsb + r->bits);
	if (r->bits > 64 * words)
		return stf_cannot(b, "bits of registers beyond what a record holds",
		                  "register %u of class %u: %u bits, but the record holds %u", num, cls,
		                  r->bits, 64 * words);
	if (words > 1 && !wide && !rest_is_0)
		return stf_wrong(b, "v%u: its value of %u bits is not in `bytes` (WIDE)", num, 64 * words);
	uint32_t have = rest_is_0 && r->bits ? (r->bits + 63) / 64 : words;
	const uint8_t *from = wide ? rows_payload(in, r->value, 8 * (uint64_t)have) : NULL;
	if (wide && !from)
		return base_fail(b->w->c, CAIRN_E_INVAL,
		                 "%s: instruction %llu: the value of register %u lies outside of `bytes`",
		                 b->w->path, (unsigned long long)b->n + 1, num);
	uint8_t *p = more(g, 4 + 8 * (size_t)words);
	if (!p)
		return CAIRN_E_NOMEM;
	p[0] = CAIRN_STF_INST_REG;
	base_put_le16(p + 1, (uint16_t)num);
	p[3] = (uint8_t)(cls | (unsigned)r->role << 4);
	memset(p + 4, 0, 8 * (size_t)words);
	if (wide)
		memcpy(p + 4, from, 8 * (size_t)have);
	else
		base_put_le64(p + 4, r->value);
	g->records++;
	g->features |= r->role == CAIRN_ROLE_STATE ? CAIRN_STF_F_REG_STATE : CAIRN_STF_F_OPERAND_VALUE;
	g->features |= cls == CAIRN_REG_VECTOR ? (uint64_t)CAIRN_STF_F_VEC : 0;
	return 0;
}

static int rows_put_reg(struct stf_build *b, struct stf_group *g, const struct cairn_stf_insn *in,
                        const struct cairn_reg *r)
{
	unsigned num = r->num, cls = r->cls, width = 0;
	bool ours = stf_isa_is_ours(b->w->cfg.isa);
	if (r->role == CAIRN_ROLE_READY)
		return stf_group_value(g, CAIRN_STF_INST_READY_REG, 2, num);
	if (ours) {
		const struct stf_bank *k = stf_bank_of((enum cairn_isa)b->isa, cls, num);
		if (!k)
			return stf_cannot(b, "registers that have no number in STF",
			                  "register %u of class %u has no number in STF", num, cls);
		cls = k->type;
		num = k->number + (num - k->first);
		width = k->bits;
	} else if (cls == CAIRN_REG_PC) { /* STF counts it as integer register 32 */
		cls = CAIRN_REG_INT;
		num = 32;
	}
	if (cls < CAIRN_REG_INT || cls > CAIRN_REG_CSR)
		return stf_cannot(b, "registers of classes that STF does not have",
		                  "STF has no registers of class %u", cls);
	if (r->role < CAIRN_ROLE_STATE || r->role > CAIRN_ROLE_DST)
		return stf_cannot(b, "registers that are neither state nor operand",
		                  "register %u is neither state nor operand (role %u)", num, r->role);
	if (!(r->flags & CAIRN_VALUE_KNOWN))
		return stf_cannot(b, "registers without a value",
		                  "register %u of class %u has no value, which STF asks for", num, cls);
	unsigned most = cls == CAIRN_REG_CSR ? 0xfff : cls == CAIRN_REG_INT ? 32 : 31;
	if (num > most && !ours) {
		int rc = stf_wrong(b, "there is no register %u of class %u", num, cls);
		if (rc < 0)
			return rc;
	}
	return put_reg_value(b, g, in, r, num, cls, width);
}

/* ---- memory ---- */

static int rows_leave_out(int rc)
{
	return rc < 0 ? rc : 1;
}

/* Can this be an access at all? 0 yes, 1 left out, or a status. */
static int is_no_access(struct stf_build *b, const struct cairn_mem *m)
{
	if (m->flags & CAIRN_VALUE_ADDR_UNKNOWN)
		return rows_leave_out(
			stf_cannot(b, "accesses without an address", "an access has no address"));
	if (m->kind > CAIRN_MEM_WRITE)
		return rows_leave_out(
			stf_cannot(b, m->kind == CAIRN_MEM_FETCH ? "instruction fetches" : "prefetches",
		               "STF has reads and writes, no access of kind %u", m->kind));
	if (m->flags & CAIRN_VALUE_NOT_WRITTEN)
		return rows_leave_out(stf_cannot(b, "accesses that did not happen",
		                                 "an access that did not happen cannot be written"));
	if (m->size > UINT16_MAX)
		return rows_leave_out(stf_cannot(b, "accesses of more than 65535 bytes",
		                                 "an access of %u bytes is too big", m->size));
	int rc = 0;
	if (m->kind == CAIRN_MEM_UNKNOWN)
		rc = stf_wrong(b, "an access is neither read nor write");
	if (rc >= 0 && m->size == 0)
		rc = stf_wrong(b, "an access has no size");
	if (rc >= 0 && m->size == 0 && b->note)
		rc = b->note(b->user, 1, b->source,
		             "accesses written without a size, which the trace "
		             "does not tell; check finds each");
	return rc < 0 ? rc : 0;
}

/* What of it has no place in the record. */
static int rows_lose_parts(struct stf_build *b, const struct cairn_stf_insn *in,
                           const struct cairn_mem *m)
{
	bool bus = m->initiator != CAIRN_BY_INSN;
	bool odd_master = stf_initiator_number(&b->header->cfg, m->initiator) < 0 &&
	                  (m->initiator != CAIRN_BY_OTHER || !b->lost);
	int rc = 0;
	if (m->flags & CAIRN_VALUE_PA)
		rc = stf_cannot(b, "physical addresses", "STF has no physical addresses");
	if (rc >= 0 && (m->lane || m->reg) && b->lost &&
	    !isa_tells_elements(stf_variant(&b->header->cfg, in->isa), in->enc, in->size))
		rc = stf_cannot(b, model_lost_elements, "STF has no register elements");
	if (rc >= 0 && !bus && m->attr > UINT16_MAX)
		rc = stf_cannot(b, "attributes of accesses beyond 16 bits",
		                "the attributes 0x%x do not fit 16 bits", m->attr);
	if (rc >= 0 && bus && odd_master)
		rc = stf_cannot(b, "kinds of bus masters that STF does not have",
		                "STF has no number for an initiator of kind %u", m->initiator);
	return rc;
}

/* Words of content an access shall have, and whether they are right. */
static int rows_contents(struct stf_build *b, const struct cairn_stf_insn *in,
                         const struct cairn_mem *m, uint32_t *words)
{
	uint32_t need = (m->size + 7) / 8;
	bool wide = m->flags & CAIRN_VALUE_WIDE;
	*words = 0;
	if (!(m->flags & CAIRN_VALUE_KNOWN) && b->note && b->foreign)
		return b->note(b->user, 1, b->source,
		               "accesses written without a value, which the trace "
		               "does not tell; STF asks for one, and check finds each");
	if (!(m->flags & CAIRN_VALUE_KNOWN))
		return b->opts.no_content
		           ? 0
		           : stf_wrong(b, "the access at 0x%llx has no value, which STF asks for",
		                       (unsigned long long)m->addr);
	*words = wide ? (m->words && b->lost ? m->words : need) : 1;
	if (!wide && need > 1) {
		int rc = stf_wrong(b, "the access at 0x%llx has %u bytes, but only 8 of value (WIDE)",
		                   (unsigned long long)m->addr, m->size);
		if (rc < 0)
			return rc;
	}
	if (!wide && m->size && m->size < 8 && m->value >> (8 * m->size)) {
		int rc = stf_wrong(b, "the access at 0x%llx has %u bytes, its value 0x%llx has more",
		                   (unsigned long long)m->addr, m->size, (unsigned long long)m->value);
		if (rc < 0)
			return rc;
	}
	if (wide && !rows_payload(in, m->value, 8 * (uint64_t)*words))
		return base_fail(
			b->w->c, CAIRN_E_INVAL,
			"%s: instruction %llu: the value of the access at 0x%llx lies outside of `bytes`",
			b->w->path, (unsigned long long)b->n + 1, (unsigned long long)m->addr);
	return 0;
}

static int rows_put_access(const struct stf_build *b, struct stf_group *g,
                           const struct cairn_mem *m)
{
	bool bus = m->initiator != CAIRN_BY_INSN;
	int master = stf_initiator_number(&b->header->cfg, m->initiator);
	size_t n = bus ? STF_LEN_BUS_MASTER_ACCESS : STF_LEN_INST_MEM_ACCESS;
	uint8_t *p = more(g, n);
	if (!p)
		return CAIRN_E_NOMEM;
	p[0] = bus ? CAIRN_STF_BUS_MASTER_ACCESS : CAIRN_STF_INST_MEM_ACCESS;
	base_put_le64(p + 1, m->addr);
	base_put_le16(p + 9, (uint16_t)m->size);
	if (bus) {
		p[11] = master >= 0 ? (uint8_t)master : b->header->cfg.spec_initiators ? UINT8_MAX : 0;
		p[12] = m->unit;
		base_put_le32(p + 13, m->attr);
	} else {
		base_put_le16(p + 11, (uint16_t)m->attr);
	}
	p[n - 1] = m->kind;
	g->records++;
	g->features |= m->attr ? CAIRN_STF_F_DATA_ATTRIBUTE : 0;
	return 0;
}

/* What an access is of which only the value was told (RST's further ones): the next piece of
 * what the instruction does, where it lies behind another. */
static uint8_t rows_kind_of(const struct stf_build *b, const struct cairn_stf_insn *in,
                            const struct cairn_mem *m)
{
	struct cairn_op op;
	if (m == in->mems || m[-1].addr + m[-1].size != m->addr || m[-1].size != m->size)
		return CAIRN_MEM_UNKNOWN;
	cairn_isa_decode(stf_variant(&b->header->cfg, in->isa), in->enc, in->size, &op);
	uint32_t does = op.traits & (CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE);
	return does == CAIRN_TRAIT_LOAD    ? CAIRN_MEM_READ
	       : does == CAIRN_TRAIT_STORE ? CAIRN_MEM_WRITE
	                                   : CAIRN_MEM_UNKNOWN;
}

static int rows_put_mem(struct stf_build *b, struct stf_group *g, const struct cairn_stf_insn *in,
                        const struct cairn_mem *m)
{
	unsigned content =
		m->initiator != CAIRN_BY_INSN ? CAIRN_STF_BUS_MASTER_CONTENT : CAIRN_STF_INST_MEM_CONTENT;
	uint32_t words = 0;
	struct cairn_mem told = *m;
	if (m->kind == CAIRN_MEM_UNKNOWN && m->initiator == CAIRN_BY_INSN)
		told.kind = rows_kind_of(b, in, m);
	m = &told;
	int rc = is_no_access(b, m);
	if (rc)
		return rc < 0 ? rc : 0;
	rc = rows_lose_parts(b, in, m);
	if (rc >= 0)
		rc = rows_contents(b, in, m, &words);
	if (rc >= 0)
		rc = rows_put_access(b, g, m);
	for (uint32_t i = 0; i < words && rc >= 0; i++) {
		uint64_t v = m->flags & CAIRN_VALUE_WIDE ? base_le64(in->bytes + m->value + 8 * (size_t)i)
		                                         : m->value;
		rc = stf_group_value(g, content, 8, v);
	}
	return rc;
}

/* ---- events ---- */

static uint64_t rows_argument(const uint8_t *p, size_t i)
{
	uint64_t v;
	memcpy(&v, p + 8 * i, sizeof v); /* host order */
	return v;
}

static int put_event_record(struct stf_build *b, struct stf_group *g, uint64_t id,
                            const uint8_t *args, size_t n)
{
	bool narrow = b->w->cfg.event_bits == 32;
	uint64_t code = id & ~(STF_EVENT_INTERRUPT | STF_EVENT_SPECIAL);
	if (narrow && code > 0x3fffffff)
		return stf_cannot(b, "events whose id does not fit 32 bits",
		                  "event 0x%llx does not fit 32 bits", (unsigned long long)id);
	if (n > EVENT_ARGS)
		return stf_cannot(b, "events with more than 255 arguments",
		                  "an event has %zu arguments, at most 255 fit", n);
	unsigned width = narrow ? 4 : 8;
	uint8_t *p = more(g, 2 + width + 8 * n);
	if (!p)
		return CAIRN_E_NOMEM;
	if (narrow)
		id = code | (id & STF_EVENT_INTERRUPT) >> 32 | (id & STF_EVENT_SPECIAL) >> 32;
	p[0] = CAIRN_STF_EVENT;
	base_put_le(p + 1, width, id);
	p[1 + width] = (uint8_t)n;
	for (size_t i = 0; i < n; i++)
		base_put_le64(p + 2 + width + 8 * i, rows_argument(args, i));
	g->records++;
	g->features |= CAIRN_STF_F_EVENT;
	return 1;
}

/* Faults of the fetch: address misaligned, access fault, page fault, guest page fault. */
bool stf_is_fetch_fault(unsigned isa, uint64_t code)
{
	if (isa != CAIRN_ISA_RV32 && isa != CAIRN_ISA_RV64)
		return false;
	return code == 0 || code == 1 || code == 12 || code == 20;
}

enum cairn_phase stf_trap_phase(const struct stf_build *build, const struct cairn_event *event)
{
	bool trap = event->kind == CAIRN_EV_EXCEPTION || event->kind == CAIRN_EV_INTERRUPT;
	return trap && build->lost && stf_isa_is_ours(build->header->cfg.isa)
	           ? (enum cairn_phase)event->phase
	           : CAIRN_ON;
}

bool stf_trap_pc(unsigned isa, const struct cairn_stf_insn *in, const struct cairn_event *event,
                 uint64_t *pc)
{
	bool fault = event->kind == CAIRN_EV_EXCEPTION && event->code && event->len >= 8 &&
	             stf_is_fetch_fault(isa, event->code);
	/* ETE's preferred return address */
	bool arm = isa >= CAIRN_ISA_A64 && isa <= CAIRN_ISA_T32 && event->len == 8 &&
	           !(event->flags & CAIRN_EVF_BYTES);
	bool sparc = isa == CAIRN_ISA_SPARC && event->len == 64; /* the fields of RST's TRAP */
	if (fault || arm || sparc)
		*pc = rows_argument(in->bytes + event->args, sparc ? 6 : 0);
	return fault || arm || sparc;
}

/* A trap that stands before its instruction: its handler is told by its own data, for the
 * instruction's targets are about what comes after it. */
static int put_trap_before(struct stf_build *build, struct stf_group *group,
                           const struct cairn_event *event, uint64_t id, const uint8_t *args)
{
	uint8_t data[8 * EVENT_ARGS + 8];
	size_t n = event->len / 8;
	if (!(event->flags & CAIRN_EVF_TARGET) || n > EVENT_ARGS)
		return put_event_record(build, group, id + STF_BEFORE_0, args, n);
	if (n)
		memcpy(data, args, 8 * n);
	memcpy(data + 8 * n, &event->target, 8);
	return put_event_record(build, group, id + STF_BEFORE_TARGET_0, data, n + 1);
}

static int rows_put_trap(struct stf_build *b, struct stf_group *g, const struct cairn_event *e,
                         const uint8_t *args)
{
	uint64_t id = e->code, mode = e->code;
	size_t n = e->len / 8;
	enum cairn_phase phase = stf_trap_phase(b, e);
	if (e->code & (STF_EVENT_INTERRUPT | STF_EVENT_SPECIAL))
		return stf_cannot(b, "events whose code does not fit",
		                  "event code 0x%llx uses the bits that tell its kind",
		                  (unsigned long long)e->code);
	if (e->kind == CAIRN_EV_INTERRUPT)
		id |= STF_EVENT_INTERRUPT;
	if (e->kind == CAIRN_EV_FORMAT)
		id |= STF_EVENT_SPECIAL;
	if (stf_isa_is_ours(b->w->cfg.isa) && e->kind != CAIRN_EV_MODE && e->kind != CAIRN_EV_FORMAT) {
		if (e->code >= STF_TRAPS)
			return stf_cannot(b, "events whose code does not fit", "event code 0x%llx is too large",
			                  (unsigned long long)e->code);
		if (phase == CAIRN_BEFORE)
			return put_trap_before(b, g, e, id, args);
		id += e->kind == CAIRN_EV_SYSCALL ? STF_CALL_0
		      : phase == CAIRN_AFTER      ? STF_BEHIND_0
		                                  : STF_TRAP_0;
	}
	uint8_t word[8];
	if (e->kind == CAIRN_EV_MODE) {
		id = STF_EVENT_SPECIAL | STF_EVENT_MODE_CHANGE;
		mode = mode == UINT64_MAX ? mode : stf_build_mode(b, (uint8_t)mode);
		memcpy(word, &mode, sizeof word);
		if (!n && mode != UINT64_MAX) {
			args = word;
			n = 1;
		}
		mode = n ? rows_argument(args, 0) : UINT64_MAX;
		if (mode > CAIRN_PRIV_MACHINE) {
			int rc = stf_wrong(b, "STF has the modes 0 to 3, not %llu", (unsigned long long)mode);
			if (rc < 0)
				return rc;
		} else {
			g->has_mode = true;
			g->mode = (uint8_t)mode;
		}
	}
	int rc = put_event_record(b, g, id, args, n);
	if (rc <= 0)
		return rc;
	bool traps = e->kind == CAIRN_EV_EXCEPTION || e->kind == CAIRN_EV_INTERRUPT;
	g->aborted |= traps && phase == CAIRN_ON;
	g->fetch_fault |= e->kind == CAIRN_EV_EXCEPTION && stf_is_fetch_fault(b->isa, e->code);
	if (e->flags & CAIRN_EVF_TARGET) {
		g->has_target = true;
		g->target = e->target;
		g->open_event = false;
		return stf_group_value(g, CAIRN_STF_EVENT_PC_TARGET, 8, e->target);
	}
	if (traps || e->kind == CAIRN_EV_SYSCALL) {
		g->open_event = true;
		g->at_event = g->buf.len;
	}
	return 0;
}

static int put_walk(struct stf_build *b, struct stf_group *g, const struct cairn_event *e,
                    const uint8_t *args)
{
	size_t n = e->len / 8, ptes = n >= 2 ? (n - 2) / 2 : 0;
	if (n < 2 || n % 2 || ptes > UINT8_MAX)
		return stf_cannot(b, "page walks that are none",
		                  "a page walk has a first access, a page size and 0 to 255 pairs of "
		                  "address and entry, not %zu arguments",
		                  n);
	uint64_t first = rows_argument(args, 0), size = rows_argument(args, 1);
	if (first == UINT64_MAX)
		first = b->n;
	else if (b->lost && b->source > b->n + 1) /* instructions before it were left out */
		first = first >= b->source - 1 - b->n ? first - (b->source - 1 - b->n) : 0;
	if (size > UINT32_MAX)
		return stf_cannot(b, "page walks to pages of more than 4 GiB",
		                  "a page of 0x%llx bytes is too big", (unsigned long long)size);
	if (!ptes || !size || size & (size - 1)) {
		int rc = stf_wrong(b, "a page walk has %zu entries and a page of 0x%llx bytes", ptes,
		                   (unsigned long long)size);
		if (rc < 0)
			return rc;
	}
	uint8_t *p = more(g, STF_LEN_PAGE_TABLE_WALK + 16 * ptes);
	if (!p)
		return CAIRN_E_NOMEM;
	p[0] = CAIRN_STF_PAGE_TABLE_WALK;
	base_put_le64(p + 1, e->code);
	base_put_le64(p + 9, first);
	base_put_le32(p + 17, (uint32_t)size);
	p[21] = (uint8_t)ptes;
	for (size_t i = 0; i < 2 * ptes; i++)
		base_put_le64(p + 22 + 8 * i, rows_argument(args, 2 + i));
	g->records++;
	g->features |= CAIRN_STF_F_PTE;
	return 0;
}

static int put_micro_op(struct stf_build *b, struct stf_group *g, const struct cairn_event *e,
                        const uint8_t *args)
{
	uint64_t size = e->len >= 8 ? rows_argument(args, 0) : 4;
	if (e->code > UINT32_MAX || size > UINT8_MAX)
		return stf_cannot(b, "micro-operations of more than 32 bits",
		                  "the micro-operation 0x%llx of %llu bytes does not fit",
		                  (unsigned long long)e->code, (unsigned long long)size);
	int rc = stf_group_value(g, CAIRN_STF_INST_MICROOP, 5, size | e->code << 8);
	g->features |= CAIRN_STF_F_MICROOP;
	return rc;
}

static int rows_put_text(struct stf_group *g, const uint8_t *text, uint32_t n)
{
	uint8_t *p = more(g, 5 + (size_t)n);
	if (!p)
		return CAIRN_E_NOMEM;
	p[0] = CAIRN_STF_COMMENT;
	base_put_le32(p + 1, n);
	if (n)
		memcpy(p + 5, text, n);
	g->records++;
	return 0;
}

static int lose_event(struct stf_build *b, const struct cairn_event *e)
{
	const char *what = model_lost_event(e->kind);
	return stf_cannot(b, what, "STF has no record for %s", what);
}

static int rows_put_event(struct stf_build *b, struct stf_group *g, const struct cairn_stf_insn *in,
                          const struct cairn_event *e)
{
	const uint8_t *args = rows_payload(in, e->args, e->len);
	if (!args)
		return base_fail(b->w->c, CAIRN_E_INVAL,
		                 "%s: instruction %llu: what belongs to an event lies outside of `bytes`",
		                 b->w->path, (unsigned long long)b->n + 1);
	switch (e->kind) {
	case CAIRN_EV_NONE:
	case CAIRN_EV_CONTEXT:  /* contexts are told by the instructions' … */
	case CAIRN_EV_MODE_ISA: /* … and so are modes: build.c has put the record */
		return 0;
	case CAIRN_EV_COMMENT:
		return rows_put_text(g, args, e->len);
	case CAIRN_EV_FORCE_PC:
		if (b->header_force) {
			b->header_force = false;
			return 0;
		}
		g->has_force = true;
		g->force = e->target;
		return stf_group_value(g, CAIRN_STF_FORCE_PC, 8, e->target);
	case CAIRN_EV_PAGE_WALK:
		return put_walk(b, g, e, args);
	case CAIRN_EV_MICRO_OP:
		return put_micro_op(b, g, e, args);
	case CAIRN_EV_FORMAT:
		if (b->foreign)
			return stf_cannot(b, "events that the target has no record for; view -a shows them",
			                  "%s", "");
		if (e->code >> 32 || e->flags & CAIRN_EVF_BYTES)
			return stf_cannot(b,
			                  "header records in the body, and events that STF has "
			                  "no record for",
			                  "an event that only its format knows");
		return rows_put_trap(b, g, e, args);
	case CAIRN_EV_EXCEPTION:
	case CAIRN_EV_INTERRUPT:
	case CAIRN_EV_SYSCALL:
	case CAIRN_EV_MODE:
		return rows_put_trap(b, g, e, args);
	default:
		return lose_event(b, e);
	}
}

/* ---- order ---- */

static uint8_t event_rank(const struct cairn_event *e)
{
	switch (e->kind) {
	case CAIRN_EV_COMMENT:
		return RANK_COMMENT;
	case CAIRN_EV_FORCE_PC:
		return RANK_FORCE;
	case CAIRN_EV_PAGE_WALK:
		return RANK_WALK;
	case CAIRN_EV_MICRO_OP:
		return RANK_MICRO_OP;
	default:
		return RANK_EVENT;
	}
}

static int rows_compare(const void *pa, const void *pb)
{
	const struct stf_item *a = pa, *b = pb;
	if (a->seq != b->seq)
		return a->seq < b->seq ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

static void sort(struct stf_item *items, size_t n)
{
	if (n > SMALL) {
		qsort(items, n, sizeof *items, rows_compare);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		struct stf_item x = items[i];
		size_t k = i;
		for (; k && rows_compare(&x, &items[k - 1]) < 0; k--)
			items[k] = items[k - 1];
		items[k] = x;
	}
}

static int list_items(struct stf_build *b, const struct cairn_stf_insn *in, bool by_seq)
{
	size_t n = in->n_regs + in->n_mems + in->n_events;
	if (n > b->room) {
		struct stf_item *more_items = base_realloc(b->w->c, b->items, n * sizeof *more_items);
		if (!more_items)
			return CAIRN_E_NOMEM;
		b->items = more_items;
		b->room = n;
	}
	struct stf_item *it = b->items;
	for (uint32_t i = 0; i < in->n_regs; i++)
		*it++ =
			(struct stf_item){.seq = by_seq ? in->regs[i].seq : 0,
		                      .index = i,
		                      .rank = in->regs[i].role == CAIRN_ROLE_READY ? RANK_READY : RANK_REG,
		                      .kind = ITEM_REG};
	for (uint32_t i = 0; i < in->n_mems; i++)
		*it++ =
			(struct stf_item){.seq = by_seq ? in->mems[i].seq : 0,
		                      .index = i,
		                      .rank = in->mems[i].initiator == CAIRN_BY_INSN ? RANK_MEM : RANK_BUS,
		                      .kind = ITEM_MEM};
	for (uint32_t i = 0; i < in->n_events; i++) {
		uint8_t rank = event_rank(&in->events[i]);
		/* In STF events stand behind registers and accesses. */
		uint32_t seq = b->foreign && rank == RANK_EVENT ? UINT16_MAX : in->events[i].seq;
		*it++ = (struct stf_item){.seq = by_seq ? seq : 0,
		                          .index = i,
		                          .rank = rank,
		                          .kind = ITEM_EVENT};
	}
	sort(b->items, n);
	return 0;
}

/* Do the items stand in the order of kinds anyway? */
static bool by_kind(const struct stf_item *it, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (it[i].rank < it[i - 1].rank)
			return false;
	return true;
}

/* May the records from `at` on stand as they do? */
static bool rows_in_order(struct stf_build *b, const struct stf_group *g, size_t at)
{
	struct stf_order o = {.no_content = true};
	while (at < g->buf.len) {
		const uint8_t *p = g->buf.data + at;
		int64_t len = cairn_stf_record_length(&b->w->cfg, p, g->buf.len - at);
		if (len <= 0 || stf_order_next(&o, &b->w->cfg, p))
			return false;
		at += (size_t)len;
	}
	return true;
}

static int rows_put_items(struct stf_build *b, struct stf_group *g, const struct cairn_stf_insn *in)
{
	size_t n = in->n_regs + in->n_mems + in->n_events;
	bool micro = false;
	int rc = 0;
	for (size_t i = 0; i < n && rc >= 0; i++) {
		const struct stf_item *it = &b->items[i];
		if (!micro && it->rank == RANK_MICRO_OP) {
			micro = true;
			g->at_mode = g->buf.len;
		}
		if (it->kind == ITEM_REG)
			rc = rows_put_reg(b, g, in, &in->regs[it->index]);
		else if (it->kind == ITEM_MEM)
			rc = rows_put_mem(b, g, in, &in->mems[it->index]);
		else
			rc = rows_put_event(b, g, in, &in->events[it->index]);
	}
	if (!micro)
		g->at_mode = g->buf.len;
	return rc;
}

/* Are rows given in an order that is not the one of kinds? */
static bool has_seq(const struct cairn_stf_insn *in)
{
	for (size_t i = 0; i < in->n_regs; i++)
		if (in->regs[i].seq)
			return true;
	for (size_t i = 0; i < in->n_mems; i++)
		if (in->mems[i].seq)
			return true;
	for (size_t i = 0; i < in->n_events; i++)
		if (in->events[i].seq)
			return true;
	return false;
}

static int counted_before(void *user, uint64_t count, uint64_t n, const char *what)
{
	(void)user, (void)count, (void)n, (void)what;
	return 0;
}

int stf_rows(struct stf_build *b, struct stf_group *g, const struct cairn_stf_insn *in)
{
	size_t at = g->buf.len;
	struct stf_group before = *g;
	bool first_force = b->header_force;
	if (!(in->n_regs + in->n_mems + in->n_events)) {
		g->at_mode = at;
		return 0;
	}
	bool by_seq = has_seq(in);
	int rc = list_items(b, in, by_seq);
	bool good = rc >= 0 && (!by_seq || by_kind(b->items, in->n_regs + in->n_mems + in->n_events));
	if (rc >= 0)
		rc = rows_put_items(b, g, in);
	if (rc < 0 || good || rows_in_order(b, g, at))
		return rc;
	struct base_buf buf = g->buf; /* again, by kind; losses are not counted twice */
	int (*lost)(void *, uint64_t, uint64_t, const char *) = b->lost;
	buf.len = at;
	*g = before;
	g->buf = buf;
	b->header_force = first_force;
	rc = list_items(b, in, false);
	if (rc >= 0) {
		b->lost = lost ? counted_before : NULL;
		rc = rows_put_items(b, g, in);
		b->lost = lost;
	}
	return rc;
}
