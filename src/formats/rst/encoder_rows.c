/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Down, the rows around an instruction: registers, values in memory, events.
 *
 * The order within the slot (seq) is kept. An event that only RST names came from a
 * record whose numeric fields are its arguments, so the record is made again from
 * them; where the batches are another format's, only what has one meaning everywhere
 * becomes a record: comments, traps, times, accesses by DMA.
 */
#include "formats/rst/encoder.h"

enum { SIZE = CAIRN_RST_SIZE, DMMU_FAULT_ADDRESS = 0x20 };

int rst_encode_lost(struct rst_encoder *d, uint64_t count, const char *what)
{
	return model_lost(d->w, count, d->n, what);
}

uint8_t *rst_encode_record(struct rst_encoder *d)
{
	if (base_buf_reserve(&d->out, SIZE) < 0)
		return NULL;
	uint8_t *p = d->out.data + d->out.len;
	memset(p, 0, SIZE);
	d->out.len += SIZE;
	return p;
}

int rst_encode_string(struct rst_encoder *d, const char *text, size_t n)
{
	size_t len = strnlen(text, n);
	int rc = len < n ? rst_encode_lost(d, 1, "text behind a NUL") : 0;
	for (bool more = true; more && rc >= 0;) {
		uint8_t *p = rst_encode_record(d);
		if (!p)
			return CAIRN_E_NOMEM;
		more = rst_make_string(p, &text, &len);
	}
	return rc;
}

/* ---- registers ---- */

/* A REGVAL's type and id for a register; false: RST has no place for it. */
static bool encoder_rows_place_of(const struct cairn_reg *r, unsigned *type, unsigned *id)
{
	*id = r->num;
	switch (r->cls) {
	case CAIRN_REG_INT:
		*type = r->num >= ISA_SPARC_WIN ? RST_R_WININT : RST_R_INT;
		*id = r->num >= ISA_SPARC_WIN ? r->num - (unsigned)ISA_SPARC_WIN : r->num;
		return *type == RST_R_WININT ? *id < 256 : *id < 32;
	case CAIRN_REG_FP:
		*type = RST_R_FLOAT;
		return *id < 256;
	case CAIRN_REG_CSR:
		*type = r->num >= ISA_SPARC_MMU   ? RST_R_MMU
		        : r->num >= ISA_SPARC_ASR ? RST_R_OTHER
		                                  : RST_R_PRIV;
		*id = r->num >= ISA_SPARC_MMU   ? r->num - (unsigned)ISA_SPARC_MMU
		      : r->num >= ISA_SPARC_ASR ? r->num - (unsigned)ISA_SPARC_ASR
		                                : r->num;
		return *id < 256;
	case CAIRN_REG_PC:
		*type = RST_R_OTHER;
		*id = 5;
		return true;
	case CAIRN_REG_FLAGS:
		*type = r->num ? RST_R_FCC : r->value < 256 ? RST_R_CC : RST_R_OTHER;
		*id = *type == RST_R_OTHER ? 2 : (unsigned)r->value;
		return r->num < 2 && r->value < 256 ? true : r->num == 0;
	default:
		return false;
	}
}

static bool is_csr(const struct cairn_reg *r, unsigned num, uint64_t most)
{
	return r->cls == CAIRN_REG_CSR && r->num == num && r->flags == CAIRN_VALUE_KNOWN &&
	       r->value <= most;
}

bool rst_is_preg(const struct cairn_reg *r, uint32_t n)
{
	bool there = n >= 6 && is_csr(r, ISA_SPARC_TL, 255) && is_csr(r + 1, ISA_SPARC_TT, 255) &&
	             is_csr(r + 2, ISA_SPARC_PSTATE, 0xffff) && is_csr(r + 3, ISA_SPARC_ASR + 3, 255) &&
	             is_csr(r + 4, ISA_SPARC_MMU + 8, 0xffff) &&
	             is_csr(r + 5, ISA_SPARC_MMU + 16, 0xffff);
	for (unsigned i = 0; i < 6 && there; i++)
		there = (r[i].role == CAIRN_ROLE_STATE || (i == 2 && r[i].role == CAIRN_ROLE_DST)) &&
		        r[i].seq == r[0].seq + i;
	return there;
}

static int encoder_rows_put_preg(struct rst_encoder *d, struct rst_slot *s,
                                 const struct cairn_reg *r)
{
	int rc = s->own ? 0 : rst_made_level(d, s, (unsigned)r[0].value);
	uint8_t *p = rc < 0 ? NULL : rst_encode_record(d);
	const struct rst_preg v = {.cpu = (uint16_t)s->cpu,
	                           .tl = (uint8_t)r[0].value,
	                           .tt = (uint8_t)r[1].value,
	                           .pstate = (uint16_t)r[2].value,
	                           .asi = (uint8_t)r[3].value,
	                           .primary = (uint16_t)r[4].value,
	                           .secondary = (uint16_t)r[5].value};
	if (!p)
		return CAIRN_E_NOMEM;
	rst_make_preg(p, &v);
	s->has_preg = true;
	s->c->tl = v.tl < RST_SAVED_LEVELS ? v.tl : RST_SAVED_LEVELS - 1;
	s->c->pstate = v.pstate;
	s->c->prim = v.primary;
	return 0;
}

/* A register of 128 bits takes a record of its own. */
static int put_quad(struct rst_encoder *d, const struct rst_slot *s, const struct cairn_reg *r,
                    unsigned id, bool post)
{
	const struct cairn_batch *b = s->b;
	if (r->value > b->n_bytes || b->n_bytes - r->value < 16)
		return rst_encode_lost(d, 1, "register values of more than 64 bits");
	uint8_t *p = rst_encode_record(d);
	if (!p)
		return CAIRN_E_NOMEM;
	rst_make_regval(p, s->cpu, post, RST_R_FLOAT, id, base_le64(b->bytes + r->value + 8));
	rst_put_be64(p + 16, base_le64(b->bytes + r->value));
	return 0;
}

static bool quad_number(const struct cairn_reg *r)
{
	return r->cls == CAIRN_REG_FP && r->num >= 64;
}

/* Registers of the MMU tell what missed: between the TRAP and its INSTR (clause 7(a)). */
static bool waits_for_trap(const struct rst_slot *s, const struct cairn_reg *r)
{
	return s->misses && !s->trapped && r->cls == CAIRN_REG_CSR && r->num >= ISA_SPARC_MMU;
}

/* What the writer follows itself. */
static void encoder_rows_note_reg(const struct rst_slot *s, const struct cairn_reg *r)
{
	struct rst_encoder_cpu *c = s->c;
	if (s->own || r->cls != CAIRN_REG_CSR || !(r->flags & CAIRN_VALUE_KNOWN))
		return;
	if (r->num == ISA_SPARC_TL && r->value < RST_SAVED_LEVELS)
		c->tl = (uint8_t)r->value;
	else if (r->num == ISA_SPARC_PSTATE)
		c->pstate = (uint16_t)r->value;
	else if (r->num == ISA_SPARC_MMU + 8)
		c->prim = (uint16_t)r->value;
}

/* One register, and the next one with it where both fit a record. How many were taken. */
static int encoder_rows_put_reg(struct rst_encoder *d, const struct rst_slot *s,
                                const struct cairn_reg *r, uint32_t n, bool post)
{
	unsigned type, id, type2, id2;
	int rc = 0;
	if (!(r->flags & CAIRN_VALUE_KNOWN))
		rc = rst_encode_lost(d, 1, "registers without a value");
	else if (!encoder_rows_place_of(r, &type, &id) || r->lsb)
		rc = rst_encode_lost(d, 1, "registers that SPARC does not have");
	else if (r->flags & CAIRN_VALUE_WIDE && (r->bits != 128 || !quad_number(r)))
		rc = rst_encode_lost(d, 1, "register values of more than 64 bits");
	else if (r->flags & CAIRN_VALUE_WIDE)
		rc = put_quad(d, s, r, id, post);
	else {
		uint8_t *p = rst_encode_record(d);
		bool second = n > 1 && r[1].role == r->role && r[1].seq == r->seq + 1 &&
		              r[1].flags == CAIRN_VALUE_KNOWN && !r[1].lsb && !waits_for_trap(s, r + 1) &&
		              encoder_rows_place_of(r + 1, &type2, &id2);
		if (!p)
			return CAIRN_E_NOMEM;
		/* Half of a quad register can only stand second: first, it would be all of one. */
		bool half = quad_number(r);
		rst_make_regval(p, s->cpu, post, half ? (unsigned)RST_R_UNUSED : type, half ? 0 : id,
		                half ? 0 : r->value);
		encoder_rows_note_reg(s, r);
		if (half)
			rst_more_regval(p, type, id, r->value);
		else if (second)
			rst_more_regval(p, type2, id2, r[1].value);
		if (second && !half)
			encoder_rows_note_reg(s, r + 1);
		return second && !half ? 2 : 1;
	}
	return rc < 0 ? rc : 1;
}

/* Registers from row `i` on: how many were taken. */
static int encoder_rows_put_regs(struct rst_encoder *d, struct rst_slot *s, uint32_t i, bool after)
{
	const struct cairn_reg *r = &s->b->regs[i];
	uint32_t n = s->reg1 - i;
	int rc;
	if (!after && rst_is_preg(r, n)) {
		rc = encoder_rows_put_preg(d, s, r);
		return rc < 0 ? rc : 6;
	}
	if (r->role == CAIRN_ROLE_READY) {
		rc = rst_encode_lost(d, 1, "dependencies removed by a tool");
		return rc < 0 ? rc : 1;
	}
	if (r->role == CAIRN_ROLE_SRC) {
		rc = rst_encode_lost(d, 1, "which registers are operands (their values are kept)");
		if (rc < 0)
			return rc;
	}
	return encoder_rows_put_reg(d, s, r, n, after);
}

/* ---- memory ---- */

/* Accesses by others: `attr` is the record's first word. */
static int put_other_access(struct rst_encoder *d, const struct cairn_mem *m)
{
	unsigned type = m->attr >> 24;
	if (!d->own)
		type = m->initiator == CAIRN_BY_DMA && m->flags & CAIRN_VALUE_PA ? CAIRN_RST_DMA : 0;
	if (type != CAIRN_RST_DMA && type != CAIRN_RST_BUSTRACE && type != CAIRN_RST_SNOOP &&
	    type != CAIRN_RST_TSB_ACCESS)
		return rst_encode_lost(d, 1,
		                       d->own ? "warm-up references of a snapshot"
		                              : "accesses of other masters than DMA");
	uint8_t *p = rst_encode_record(d);
	if (!p)
		return CAIRN_E_NOMEM;
	if (d->own)
		rst_put_be32(p, m->attr);
	p[0] = (uint8_t)type;
	switch (type) {
	case CAIRN_RST_DMA:
		p[1] = m->kind == CAIRN_MEM_WRITE;
		p[2] = p[3] = 0;
		rst_put_be32(p + 4, m->size);
		rst_put_be64(p + 8, m->pa);
		return 0;
	case CAIRN_RST_SNOOP:
		rst_put_be32(p + 4, m->size);
		rst_put_be64(p + 8, m->pa);
		rst_put_be16(p + 16, m->initiator == CAIRN_BY_CORE);
		return 0;
	case CAIRN_RST_TSB_ACCESS:
		rst_put_be64(p + 8, m->pa);
		rst_put_be64(p + 16, m->addr);
		return 0;
	default:
		rst_put_be64(p + 16, m->pa);
		return rst_encode_lost(d, 1, "times and data of transactions on the bus");
	}
}

static int put_memval64(struct rst_encoder *d, const struct rst_slot *s, bool is_va, uint64_t addr,
                        uint32_t size, uint64_t value)
{
	uint8_t *p = rst_encode_record(d);
	if (!p)
		return CAIRN_E_NOMEM;
	p[0] = CAIRN_RST_MEMVAL;
	p[1] = (uint8_t)((is_va ? 0x40u : 0) | s->cpu >> 8);
	p[2] = (uint8_t)s->cpu;
	p[3] = (uint8_t)size;
	rst_put_be64(p + 8, addr);
	rst_put_be64(p + 16, value);
	return 0;
}

/* 16 bytes: one record where the address allows. */
static int put_memval128(struct rst_encoder *d, const struct rst_slot *s, bool is_va, uint64_t addr,
                         const uint8_t *value)
{
	uint64_t low = base_le64(value), high = base_le64(value + 8);
	if ((addr & 15) || (uint64_t)((int64_t)(addr << 20) >> 20) != addr) {
		int rc = put_memval64(d, s, is_va, addr, 8, high);
		return rc < 0 ? rc : put_memval64(d, s, is_va, addr + 8, 8, low);
	}
	uint8_t *p = rst_encode_record(d);
	if (!p)
		return CAIRN_E_NOMEM;
	p[0] = CAIRN_RST_MEMVAL;
	p[1] = (uint8_t)(0x80u | (is_va ? 0x40u : 0) | s->cpu >> 8);
	p[2] = (uint8_t)s->cpu;
	p[3] = (uint8_t)(addr >> 36);
	rst_put_be32(p + 4, (uint32_t)(addr >> 4));
	rst_put_be64(p + 8, high);
	rst_put_be64(p + 16, low);
	return 0;
}

/* The value of an instruction's access. */
static int encoder_rows_put_value(struct rst_encoder *d, const struct rst_slot *s,
                                  const struct cairn_mem *m)
{
	bool is_va = !(m->flags & CAIRN_VALUE_ADDR_UNKNOWN);
	uint64_t addr = is_va ? m->addr : m->pa;
	if (!(m->flags & CAIRN_VALUE_KNOWN))
		return 0;
	if (!is_va && !(m->flags & CAIRN_VALUE_PA))
		return rst_encode_lost(d, 1, "values in memory at unknown addresses");
	if (!(m->flags & CAIRN_VALUE_WIDE) && m->size <= 15)
		return put_memval64(d, s, is_va, addr, m->size, m->value);
	if (m->flags & CAIRN_VALUE_WIDE && m->size == 16 && m->value <= s->b->n_bytes &&
	    s->b->n_bytes - m->value >= 16)
		return put_memval128(d, s, is_va, addr, s->b->bytes + m->value);
	return rst_encode_lost(d, 1, "values in memory of other than 1 to 8 or 16 bytes");
}

/* ---- events ---- */

/* A record of this type whose numeric fields are the event's arguments. Texts are not among
 * them. */
static int put_record(struct rst_encoder *d, const struct rst_slot *s, unsigned type,
                      const struct cairn_event *e)
{
	unsigned n = e->len / 8;
	for (unsigned id = 0; id < RST_N_LAYOUTS; id++) {
		const struct rst_layout *l = rst_layout_by_id((enum rst_layout_id)id);
		uint8_t p[SIZE] = {(uint8_t)type};
		unsigned k = 0;
		bool fits = l->type == type, text = false;
		for (const struct rst_field *f = l->fields; fits && f->name; f++) {
			if (f->kind == RST_F_TEXT || f->kind == RST_F_BYTES) {
				text |= f->bits > 8;
				continue;
			}
			uint64_t v = k < n ? cairn_event_arg(s->b, e, k) : 0;
			rst_put(p, f, v);
			fits = k++ < n && rst_get(p, f) == v;
		}
		if (!fits || k != n || rst_layout_of(p, d->version) != l)
			continue;
		uint8_t *out = rst_encode_record(d);
		if (!out)
			return CAIRN_E_NOMEM;
		if (type == CAIRN_RST_RSTHEADER)
			rst_make_header(p, d->version);
		memcpy(out, p, SIZE);
		return text && type != CAIRN_RST_RSTHEADER ? rst_encode_lost(d, 1, "texts within records")
		                                           : 0;
	}
	return rst_encode_lost(d, 1, "records that this version of RST does not have");
}

static void push_level(struct rst_encoder_cpu *c, uint64_t pc, uint64_t npc, unsigned tt)
{
	if (c->tl < RST_SAVED_LEVELS)
		c->levels[c->tl] =
			(struct rst_saved){.pc = pc, .npc = npc, .pstate = c->pstate, .tt = (uint8_t)tt};
	if (c->tl < RST_SAVED_LEVELS - 1)
		c->tl++;
	/* On entry: privileged, interrupts off, addresses of 64 bits. */
	c->pstate = (uint16_t)((c->pstate & ~0xau) | 4);
}

bool rst_is_told_trap(const struct rst_slot *s, const struct cairn_event *e)
{
	const struct cairn_batch *b = s->b;
	return e->len == 64 && cairn_event_arg(b, e, 0) == s->cpu &&
	       cairn_event_arg(b, e, 1) == (e->kind == CAIRN_EV_INTERRUPT) &&
	       cairn_event_arg(b, e, 2) < RST_SAVED_LEVELS - 1 && cairn_event_arg(b, e, 3) == e->code &&
	       e->code < 0x200 && cairn_event_arg(b, e, 4) <= 0xffff &&
	       cairn_event_arg(b, e, 5) <= 0xfff;
}

/* The first PAVADIFF of a CPU stands before its first TRAP (clause 2(h)). */
static int put_first_difference(struct rst_encoder *d, struct rst_slot *s)
{
	struct rst_encoder_cpu *c = s->c;
	if (c->has_diff || (d->own && !s->knows_diff))
		return 0;
	int rc = s->knows_diff ? 0 : rst_made_diff(d);
	uint8_t *p = rc < 0 ? NULL : rst_encode_record(d);
	if (!p)
		return CAIRN_E_NOMEM;
	c->asid = c->dctx = rst_made_asid(c, s->x);
	rst_make_pavadiff(p, s->cpu, c->asid, s->pc_diff, false, c->asid, 0);
	c->flow.pc_diff = s->pc_diff;
	c->has_diff = true;
	return 0;
}

/* Where a CPU stands that a trap comes to. */
static uint64_t trap_pc(const struct rst_slot *s, const struct cairn_event *e)
{
	const struct rst_cpu *f = &s->c->flow;
	if (e->phase == CAIRN_ON && s->insn)
		return s->insn->pc;
	return f->flags & RST_C_NPC ? f->npc : RST_NO_PC;
}

/* The TRAP that an event tells in RST's own words, or that follows from what is known. */
static int make_trap(struct rst_encoder *d, const struct rst_slot *s, const struct cairn_event *e,
                     uint8_t *p)
{
	struct rst_encoder_cpu *c = s->c;
	const struct cairn_batch *b = s->b;
	bool async = e->kind == CAIRN_EV_INTERRUPT, call = e->kind == CAIRN_EV_SYSCALL;
	if (rst_is_told_trap(s, e)) {
		c->tl = (uint8_t)cairn_event_arg(b, e, 2);
		c->pstate = (uint16_t)cairn_event_arg(b, e, 4);
		rst_make_trap(p, s->cpu, async, c->tl, (unsigned)e->code, c->pstate,
		              cairn_event_arg(b, e, 6), cairn_event_arg(b, e, 7));
		rst_put_be16(p + 6, (uint16_t)(base_be16(p + 6) | cairn_event_arg(b, e, 5)));
		return 0;
	}
	uint64_t pc = trap_pc(s, e), npc = pc + 4,
			 number = call && e->len ? cairn_event_arg(b, e, 0) : 0;
	if ((c->flow.flags & RST_C_TARGET) && pc == c->flow.pc + 4)
		npc = c->flow.target;
	rst_make_trap(p, s->cpu, async, c->tl, (unsigned)e->code, c->pstate, pc, npc);
	number = number <= 0xfff ? number : 0;
	rst_put_be16(p + 6, (uint16_t)(base_be16(p + 6) | number));
	return e->len > (number ? 8 : 0) ? rst_encode_lost(d, 1, "arguments of events") : 0;
}

static int encoder_rows_put_trap(struct rst_encoder *d, struct rst_slot *s,
                                 const struct cairn_event *e)
{
	struct rst_encoder_cpu *c = s->c;
	int rc = put_first_difference(d, s);
	s->tt = (unsigned)e->code;
	if (rc < 0)
		return rc;
	if (d->own && e->len) {
		s->trapped = true;
		return put_record(d, s, CAIRN_RST_TRAP, e);
	}
	if (e->code > 0x1ff)
		return rst_encode_lost(d, 1, "traps of types that SPARC does not have");
	uint8_t *p = rst_encode_record(d);
	rc = p ? make_trap(d, s, e, p) : CAIRN_E_NOMEM;
	if (rc < 0)
		return rc;
	s->trapped = true;
	rst_note(&c->flow, p);
	push_level(c, base_be64(p + 8), base_be64(p + 16), s->tt);
	c->owes_diff = !d->own && e->kind == CAIRN_EV_EXCEPTION && rst_misses_itlb(s->tt);
	return 0;
}

static int put_own_event(struct rst_encoder *d, struct rst_slot *s, const struct cairn_event *e)
{
	switch (e->kind) {
	case CAIRN_EV_TLB:
		return put_record(d, s, CAIRN_RST_TLB, e);
	case CAIRN_EV_TIMESTAMP:
		return put_record(d, s, CAIRN_RST_CPU, e);
	case CAIRN_EV_TRAP_RETURN:
		return put_record(d, s, CAIRN_RST_TRAPEXIT, e);
	case CAIRN_EV_FORMAT:
		return put_record(d, s, (unsigned)e->code & 255, e);
	case CAIRN_EV_BRANCH:
		return rst_encode_lost(d, 1, "warm-up references of a snapshot");
	default:
		return rst_encode_lost(d, 1, "events RST has no record for");
	}
}

static int put_foreign_event(struct rst_encoder *d, const struct rst_slot *s,
                             const struct cairn_event *e)
{
	if (e->kind != CAIRN_EV_TIMESTAMP)
		return rst_encode_lost(d, 1, model_lost_event(e->kind));
	uint8_t *p = rst_encode_record(d);
	if (!p)
		return CAIRN_E_NOMEM;
	p[0] = CAIRN_RST_CPU;
	rst_put_be16(p + 6, (uint16_t)s->cpu);
	rst_put_be64(p + 16, e->code);
	return 0;
}

static int encoder_rows_put_event(struct rst_encoder *d, struct rst_slot *s,
                                  const struct cairn_event *e)
{
	switch (e->kind) {
	case CAIRN_EV_COMMENT:
		if (d->told_comments || e->args > s->b->n_bytes || e->len > s->b->n_bytes - e->args)
			return 0;
		return rst_encode_string(d, (const char *)s->b->bytes + e->args, e->len);
	case CAIRN_EV_EXCEPTION:
	case CAIRN_EV_INTERRUPT:
	case CAIRN_EV_SYSCALL:
		return encoder_rows_put_trap(d, s, e);
	case CAIRN_EV_DAMAGE:
	case CAIRN_EV_GAP:
		return rst_encode_lost(d, 1, model_lost_event(e->kind));
	case CAIRN_EV_FORCE_PC: /* the next INSTR's PC says it */
	case CAIRN_EV_CONTEXT:
	case CAIRN_EV_MODE: /* and its pr and hpriv this */
		return 0;
	default:
		return d->own ? put_own_event(d, s, e) : put_foreign_event(d, s, e);
	}
}

/* ---- a slot ---- */

static bool reg_is_after(const struct rst_slot *s, uint32_t i)
{
	/* PSTATE in a PREG before done and retry is what they set. */
	return s->insn && s->b->regs[i].role == CAIRN_ROLE_DST;
}

/* Is the slot's instruction one that missed in a DTLB? */
static bool is_miss(const struct rst_slot *s)
{
	for (uint32_t i = s->ev; i < s->ev1 && s->insn && !s->own; i++) {
		const struct cairn_event *e = &s->b->events[i];
		if (e->kind == CAIRN_EV_EXCEPTION && e->phase == CAIRN_ON && e->code < 0x200 &&
		    rst_misses_dtlb((unsigned)e->code))
			return true;
	}
	return false;
}

/* Behind its TRAP, what tells the address: the MMU's registers, or its fault address. */
static int put_miss(struct rst_encoder *d, struct rst_slot *s)
{
	bool told = false;
	int rc = 0;
	for (uint32_t i = s->reg; i < s->reg1 && rc >= 0; i++) {
		const struct cairn_reg *r = &s->b->regs[i];
		if (r->cls != CAIRN_REG_CSR || r->num < ISA_SPARC_MMU || r->role == CAIRN_ROLE_DST)
			continue;
		rc = encoder_rows_put_reg(d, s, r, 1, false);
		told = true;
	}
	if (told || rc < 0 || !s->access)
		return rc < 0 ? rc : 0;
	uint8_t *p = rst_encode_record(d);
	if (!p)
		return CAIRN_E_NOMEM;
	rst_make_regval(p, s->cpu, false, RST_R_MMU, DMMU_FAULT_ADDRESS, s->access->addr);
	return 0;
}

static int encoder_rows_walk(struct rst_encoder *d, struct rst_slot *s, bool after)
{
	const struct cairn_batch *b = s->b;
	uint32_t r = s->reg, m = s->mem, e = s->ev;
	int rc = 0;
	while (rc >= 0 && (r < s->reg1 || m < s->mem1 || e < s->ev1)) {
		uint32_t sr = r < s->reg1 ? b->regs[r].seq : UINT32_MAX;
		uint32_t sm = m < s->mem1 ? b->mems[m].seq : UINT32_MAX;
		uint32_t se = e < s->ev1 ? b->events[e].seq : UINT32_MAX;
		if (r < s->reg1 && sr <= sm && sr <= se) {
			bool preg = rst_is_preg(&b->regs[r], s->reg1 - r);
			if (!after && !preg && waits_for_trap(s, &b->regs[r])) {
				r++;
			} else if (preg ? !after : reg_is_after(s, r) == after) {
				rc = encoder_rows_put_regs(d, s, r, after);
				r += rc > 0 ? (uint32_t)rc : 0;
			} else {
				r += preg ? 6 : 1;
			}
		} else if (m < s->mem1 && sm <= se) {
			const struct cairn_mem *row = &b->mems[m++];
			bool mine = row->initiator == CAIRN_BY_INSN && s->insn;
			if (mine == after)
				rc = row->initiator == CAIRN_BY_INSN ? encoder_rows_put_value(d, s, row)
				                                     : put_other_access(d, row);
		} else {
			const struct cairn_event *row = &b->events[e++];
			if ((row->phase == CAIRN_AFTER && s->insn) == after)
				rc = encoder_rows_put_event(d, s, row);
		}
	}
	return rc < 0 ? rc : 0;
}

int rst_encode_before(struct rst_encoder *d, struct rst_slot *s)
{
	s->misses = is_miss(s);
	int rc = encoder_rows_walk(d, s, false);
	return rc < 0 || !s->misses ? rc : put_miss(d, s);
}

int rst_encode_after(struct rst_encoder *d, struct rst_slot *s)
{
	return encoder_rows_walk(d, s, true);
}
