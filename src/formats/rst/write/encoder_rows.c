/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Down, the rows around an instruction: registers, values in memory, events.
 *
 * The order within the slot (seq) is kept. An event that only RST names came from a
 * record whose numeric fields are its arguments, so the record is made again from
 * them; where the batches are another format's, only what has one meaning everywhere
 * becomes a record: comments, traps, times, accesses by DMA.
 */
#include "formats/rst/write/encoder.h"

enum { SIZE = CAIRN_RST_SIZE, DMMU_FAULT_ADDRESS = 0x20 };

int rst_encode_lost(struct rst_encoder *encoder, uint64_t count, const char *what)
{
	return model_lost(encoder->writer, count, encoder->n, what);
}

uint8_t *rst_encode_record(struct rst_encoder *encoder)
{
	if (base_buf_reserve(&encoder->out, SIZE) < 0)
		return NULL;
	uint8_t *p = encoder->out.data + encoder->out.len;
	memset(p, 0, SIZE);
	encoder->out.len += SIZE;
	return p;
}

int rst_encode_put(struct rst_encoder *encoder, const uint8_t *rec)
{
	return base_buf_put(&encoder->out, rec, SIZE);
}

int rst_encode_string(struct rst_encoder *encoder, const char *text, size_t n)
{
	size_t len = strnlen(text, n);
	int rc = len < n ? rst_encode_lost(encoder, 1, "text behind a NUL") : 0;
	for (bool more = true; more && rc >= 0;) {
		uint8_t p[SIZE];
		more = rst_make_string(p, &text, &len);
		rc = rst_encode_put(encoder, p);
	}
	return rc;
}

/* ---- registers ---- */

/* A REGVAL's type and id for a register; false: RST has no place for it. */
static bool encoder_rows_place_of(const struct cairn_reg *reg, unsigned *type, unsigned *id)
{
	*id = reg->num;
	switch (reg->cls) {
	case CAIRN_REG_INT:
		*type = reg->num >= ISA_SPARC_WIN ? RST_R_WININT : RST_R_INT;
		*id = reg->num >= ISA_SPARC_WIN ? reg->num - (unsigned)ISA_SPARC_WIN : reg->num;
		return *type == RST_R_WININT ? *id < 256 : *id < 32;
	case CAIRN_REG_FP:
		*type = RST_R_FLOAT;
		return *id < 256;
	case CAIRN_REG_CSR:
		*type = reg->num >= ISA_SPARC_MMU   ? RST_R_MMU
		        : reg->num >= ISA_SPARC_ASR ? RST_R_OTHER
		                                    : RST_R_PRIV;
		*id = reg->num >= ISA_SPARC_MMU   ? reg->num - (unsigned)ISA_SPARC_MMU
		      : reg->num >= ISA_SPARC_ASR ? reg->num - (unsigned)ISA_SPARC_ASR
		                                  : reg->num;
		return *id < 256;
	case CAIRN_REG_PC:
		*type = RST_R_OTHER;
		*id = 5;
		return true;
	case CAIRN_REG_FLAGS:
		*type = reg->num ? RST_R_FCC : reg->value < 256 ? RST_R_CC : RST_R_OTHER;
		*id = *type == RST_R_OTHER ? 2 : (unsigned)reg->value;
		return reg->num < 2 && reg->value < 256 ? true : reg->num == 0;
	default:
		return false;
	}
}

static bool is_csr(const struct cairn_reg *reg, unsigned num, uint64_t most)
{
	return reg->cls == CAIRN_REG_CSR && reg->num == num && reg->flags == CAIRN_VALUE_KNOWN &&
	       reg->value <= most;
}

bool rst_is_preg(const struct cairn_reg *reg, uint32_t n)
{
	bool there =
		n >= 6 && is_csr(reg, ISA_SPARC_TL, 255) && is_csr(reg + 1, ISA_SPARC_TT, 255) &&
		is_csr(reg + 2, ISA_SPARC_PSTATE, 0xffff) && is_csr(reg + 3, ISA_SPARC_ASR + 3, 255) &&
		is_csr(reg + 4, ISA_SPARC_MMU + 8, 0xffff) && is_csr(reg + 5, ISA_SPARC_MMU + 16, 0xffff);
	for (unsigned i = 0; i < 6 && there; i++)
		there = (reg[i].role == CAIRN_ROLE_STATE || (i == 2 && reg[i].role == CAIRN_ROLE_DST)) &&
		        reg[i].seq == reg[0].seq + i;
	return there;
}

static int encoder_rows_put_preg(struct rst_encoder *encoder, struct rst_slot *slot,
                                 const struct cairn_reg *reg)
{
	int rc = slot->own ? 0 : rst_made_level(encoder, slot, (unsigned)reg[0].value);
	uint8_t p[SIZE];
	const struct rst_preg preg = {.cpu = (uint16_t)slot->cpu,
	                              .tl = (uint8_t)reg[0].value,
	                              .tt = (uint8_t)reg[1].value,
	                              .pstate = (uint16_t)reg[2].value,
	                              .asi = (uint8_t)reg[3].value,
	                              .primary = (uint16_t)reg[4].value,
	                              .secondary = (uint16_t)reg[5].value};
	rst_make_preg(p, &preg);
	slot->has_preg = true;
	slot->encoder_cpu->tl = preg.tl < RST_SAVED_LEVELS ? preg.tl : RST_SAVED_LEVELS - 1;
	slot->encoder_cpu->pstate = preg.pstate;
	slot->encoder_cpu->prim = preg.primary;
	return rc < 0 ? rc : rst_encode_put(encoder, p);
}

/* A register of 128 bits takes a record of its own. */
static int put_quad(struct rst_encoder *encoder, const struct rst_slot *slot,
                    const struct cairn_reg *reg, unsigned id, bool post)
{
	const struct cairn_batch *batch = slot->batch;
	if (reg->value > batch->n_bytes || batch->n_bytes - reg->value < 16)
		return rst_encode_lost(encoder, 1, "register values of more than 64 bits");
	const uint8_t *value = batch->bytes + reg->value;
	uint64_t low = base_le64(value), high = base_le64(value + sizeof low);
	uint8_t p[SIZE];
	rst_make_regval(p, slot->cpu, post, RST_R_FLOAT, id, high);
	rst_put_REGVAL_value1(p, low);
	return rst_encode_put(encoder, p);
}

static bool quad_number(const struct cairn_reg *reg)
{
	return reg->cls == CAIRN_REG_FP && reg->num >= 64;
}

/* Registers of the MMU tell what missed: between the TRAP and its INSTR (clause 7(a)). */
static bool waits_for_trap(const struct rst_slot *slot, const struct cairn_reg *reg)
{
	return slot->misses && !slot->trapped && reg->cls == CAIRN_REG_CSR && reg->num >= ISA_SPARC_MMU;
}

/* What the writer follows itself. */
static void encoder_rows_note_reg(const struct rst_slot *slot, const struct cairn_reg *reg)
{
	struct rst_encoder_cpu *cpu = slot->encoder_cpu;
	if (slot->own || reg->cls != CAIRN_REG_CSR || !(reg->flags & CAIRN_VALUE_KNOWN))
		return;
	if (reg->num == ISA_SPARC_TL && reg->value < RST_SAVED_LEVELS)
		cpu->tl = (uint8_t)reg->value;
	else if (reg->num == ISA_SPARC_PSTATE)
		cpu->pstate = (uint16_t)reg->value;
	else if (reg->num == ISA_SPARC_MMU + 8)
		cpu->prim = (uint16_t)reg->value;
}

/* One register, and the next one with it where both fit a record. How many were taken. */
static int encoder_rows_put_reg(struct rst_encoder *encoder, const struct rst_slot *slot,
                                const struct cairn_reg *reg, uint32_t n, bool post)
{
	unsigned type, id, type2, id2;
	int rc = 0;
	if (!(reg->flags & CAIRN_VALUE_KNOWN))
		rc = rst_encode_lost(encoder, 1, "registers without a value");
	else if (!encoder_rows_place_of(reg, &type, &id) || reg->lsb)
		rc = rst_encode_lost(encoder, 1, "registers that SPARC does not have");
	else if (reg->flags & CAIRN_VALUE_WIDE && (reg->bits != 128 || !quad_number(reg)))
		rc = rst_encode_lost(encoder, 1, "register values of more than 64 bits");
	else if (reg->flags & CAIRN_VALUE_WIDE)
		rc = put_quad(encoder, slot, reg, id, post);
	else {
		uint8_t *p = rst_encode_record(encoder);
		bool second = n > 1 && reg[1].role == reg->role && reg[1].seq == reg->seq + 1 &&
		              reg[1].flags == CAIRN_VALUE_KNOWN && !reg[1].lsb &&
		              !waits_for_trap(slot, reg + 1) &&
		              encoder_rows_place_of(reg + 1, &type2, &id2);
		if (!p)
			return CAIRN_E_NOMEM;
		/* Half of a quad register can only stand second: first, it would be all of one. */
		bool half = quad_number(reg);
		rst_make_regval(p, slot->cpu, post, half ? (unsigned)RST_R_UNUSED : type, half ? 0 : id,
		                half ? 0 : reg->value);
		encoder_rows_note_reg(slot, reg);
		if (half)
			rst_put_reg(p, 1, type, id, reg->value);
		else if (second)
			rst_put_reg(p, 1, type2, id2, reg[1].value);
		if (second && !half)
			encoder_rows_note_reg(slot, reg + 1);
		return second && !half ? 2 : 1;
	}
	return rc < 0 ? rc : 1;
}

/* Registers from row `index` on: how many were taken. */
static int encoder_rows_put_regs(struct rst_encoder *encoder, struct rst_slot *slot, uint32_t index,
                                 bool after)
{
	const struct cairn_reg *reg = &slot->batch->regs[index];
	uint32_t n = slot->reg1 - index;
	int rc;
	if (!after && rst_is_preg(reg, n)) {
		rc = encoder_rows_put_preg(encoder, slot, reg);
		return rc < 0 ? rc : 6;
	}
	if (reg->role == CAIRN_ROLE_READY) {
		rc = rst_encode_lost(encoder, 1, "dependencies removed by a tool");
		return rc < 0 ? rc : 1;
	}
	if (reg->role == CAIRN_ROLE_SRC) {
		rc = rst_encode_lost(encoder, 1, "which registers are operands (their values are kept)");
		if (rc < 0)
			return rc;
	}
	return encoder_rows_put_reg(encoder, slot, reg, n, after);
}

/* ---- memory ---- */

/* Accesses by others: `attr` is the record's first word. */
static int put_other_access(struct rst_encoder *encoder, const struct cairn_mem *mem)
{
	unsigned type = mem->attr >> 24;
	if (!encoder->own)
		type = mem->initiator == CAIRN_BY_DMA && mem->flags & CAIRN_VALUE_PA ? CAIRN_RST_DMA : 0;
	if (type != CAIRN_RST_DMA && type != CAIRN_RST_BUSTRACE && type != CAIRN_RST_SNOOP &&
	    type != CAIRN_RST_TSB_ACCESS)
		return rst_encode_lost(encoder, 1,
		                       encoder->own ? "warm-up references of a snapshot"
		                                    : "accesses of other masters than DMA");
	uint8_t *p = rst_encode_record(encoder);
	if (!p)
		return CAIRN_E_NOMEM;
	if (encoder->own)
		base_put_be32(p, mem->attr);
	p[0] = (uint8_t)type;
	switch (type) {
	case CAIRN_RST_DMA:
		rst_begin(p, CAIRN_RST_DMA);
		rst_put_DMA_iswrite(p, mem->kind == CAIRN_MEM_WRITE);
		rst_put_DMA_nbytes(p, mem->size);
		rst_put_DMA_start_pa(p, mem->pa);
		return 0;
	case CAIRN_RST_SNOOP:
		rst_put_SNOOP_size(p, mem->size);
		rst_put_SNOOP_pa(p, mem->pa);
		rst_put_SNOOP_device_type(p, mem->initiator == CAIRN_BY_CORE);
		return 0;
	case CAIRN_RST_TSB_ACCESS:
		rst_put_TSB_ACCESS_pa(p, mem->pa);
		rst_put_TSB_ACCESS_va(p, mem->addr);
		return 0;
	default:
		rst_put_BUSTRACE_pa(p, mem->pa);
		return rst_encode_lost(encoder, 1, "times and data of transactions on the bus");
	}
}

static int put_memval64(struct rst_encoder *encoder, const struct rst_slot *slot, bool is_va,
                        uint64_t addr, uint32_t size, uint64_t value)
{
	uint8_t p[SIZE] = {CAIRN_RST_MEMVAL};
	rst_put_MEMVAL64_is_va(p, is_va);
	rst_put_MEMVAL64_cpuid(p, slot->cpu);
	rst_put_MEMVAL64_size(p, size);
	rst_put_MEMVAL64_addr(p, addr);
	rst_put_MEMVAL64_value(p, value);
	return rst_encode_put(encoder, p);
}

/* 16 bytes: one record where the address allows. */
static int put_memval128(struct rst_encoder *encoder, const struct rst_slot *slot, bool is_va,
                         uint64_t addr, const uint8_t *value)
{
	uint64_t low = base_le64(value), high = base_le64(value + sizeof low);
	uint8_t p[SIZE] = {CAIRN_RST_MEMVAL};
	rst_put_MEMVAL128_addr(p, addr);
	if (rst_MEMVAL128_addr(p) != addr) {
		int rc = put_memval64(encoder, slot, is_va, addr, 8, high);
		return rc < 0 ? rc : put_memval64(encoder, slot, is_va, addr + 8, 8, low);
	}
	rst_put_MEMVAL128_is128(p, 1);
	rst_put_MEMVAL128_is_va(p, is_va);
	rst_put_MEMVAL128_cpuid(p, slot->cpu);
	rst_put_MEMVAL128_value0(p, high);
	rst_put_MEMVAL128_value1(p, low);
	return rst_encode_put(encoder, p);
}

/* The other access of an atomic; NULL: it has none. */
static const struct cairn_mem *other_half(const struct rst_slot *slot, const struct cairn_mem *mem)
{
	const struct cairn_mem *mems = slot->batch->mems;
	for (uint32_t i = slot->mem; i < slot->mem1; i++)
		if (mems[i].initiator == CAIRN_BY_INSN && mems[i].kind != mem->kind &&
		    (mems[i].kind == CAIRN_MEM_READ || mems[i].kind == CAIRN_MEM_WRITE) &&
		    mems[i].addr == mem->addr && mems[i].size == mem->size)
			return &mems[i];
	return NULL;
}

/* The value of an instruction's access. */
static int encoder_rows_put_value(struct rst_encoder *encoder, const struct rst_slot *slot,
                                  const struct cairn_mem *mem)
{
	bool is_va = !(mem->flags & CAIRN_VALUE_ADDR_UNKNOWN);
	uint64_t addr = is_va ? mem->addr : mem->pa;
	if (!(mem->flags & CAIRN_VALUE_KNOWN))
		return 0;
	/* Of an atomic RST has both values, and one alone may be either. */
	const struct cairn_mem *other = other_half(slot, mem);
	if (other && !(other->flags & CAIRN_VALUE_KNOWN))
		return rst_encode_lost(encoder, 1, "values of atomics of which only one is known");
	if (!is_va && !(mem->flags & CAIRN_VALUE_PA))
		return rst_encode_lost(encoder, 1, "values in memory at unknown addresses");
	if (!(mem->flags & CAIRN_VALUE_WIDE) && mem->size <= 15) {
		/* One that stored nothing left there what it had read. */
		bool failed = !other && mem->kind == CAIRN_MEM_READ && slot->insn &&
		              slot->insn->traits & CAIRN_TRAIT_ATOMIC;
		int rc = failed ? put_memval64(encoder, slot, is_va, addr, mem->size, mem->value) : 0;
		return rc < 0 ? rc : put_memval64(encoder, slot, is_va, addr, mem->size, mem->value);
	}
	if (mem->flags & CAIRN_VALUE_WIDE && mem->size == 16 && mem->value <= slot->batch->n_bytes &&
	    slot->batch->n_bytes - mem->value >= 16)
		return put_memval128(encoder, slot, is_va, addr, slot->batch->bytes + mem->value);
	return rst_encode_lost(encoder, 1, "values in memory of other than 1 to 8 or 16 bytes");
}

/* ---- events ---- */

/* A record of this type whose numeric fields are the event's arguments. Texts are not among
 * them. */
static int put_record(struct rst_encoder *encoder, const struct rst_slot *slot, unsigned type,
                      const struct cairn_event *event)
{
	unsigned n = event->len / 8;
	for (unsigned id = 0; id < RST_N_LAYOUTS; id++) {
		const struct rst_layout *layout = rst_layout_by_id((enum rst_layout_id)id);
		uint8_t p[SIZE] = {(uint8_t)type};
		unsigned k = 0;
		bool fits = layout->type == type, text = false;
		for (const struct rst_field *field = layout->fields; fits && field->name; field++) {
			if (field->kind == RST_F_TEXT || field->kind == RST_F_BYTES) {
				text |= field->bits > 8;
				continue;
			}
			uint64_t v = k < n ? cairn_event_arg(slot->batch, event, k) : 0;
			rst_put(p, field, v);
			fits = k++ < n && rst_get(p, field) == v;
		}
		if (!fits || k != n || rst_layout_of(p, encoder->version) != layout)
			continue;
		uint8_t *out = rst_encode_record(encoder);
		if (!out)
			return CAIRN_E_NOMEM;
		if (type == CAIRN_RST_RSTHEADER)
			rst_make_header(p, encoder->version);
		memcpy(out, p, SIZE);
		return text && type != CAIRN_RST_RSTHEADER
		           ? rst_encode_lost(encoder, 1, "texts within records")
		           : 0;
	}
	return rst_encode_lost(encoder, 1, "records that this version of RST does not have");
}

static void push_level(struct rst_encoder_cpu *cpu, uint64_t pc, uint64_t npc, unsigned tt)
{
	if (cpu->tl < RST_SAVED_LEVELS)
		cpu->levels[cpu->tl] =
			(struct rst_saved){.pc = pc, .npc = npc, .pstate = cpu->pstate, .tt = (uint8_t)tt};
	if (cpu->tl < RST_SAVED_LEVELS - 1)
		cpu->tl++;
	/* On entry: privileged, interrupts off, addresses of 64 bits. */
	cpu->pstate = (uint16_t)((cpu->pstate & ~0xau) | 4);
}

bool rst_is_told_trap(const struct rst_slot *slot, const struct cairn_event *event)
{
	const struct cairn_batch *batch = slot->batch;
	return event->len == 64 && cairn_event_arg(batch, event, 0) == slot->cpu &&
	       cairn_event_arg(batch, event, 1) == (event->kind == CAIRN_EV_INTERRUPT) &&
	       cairn_event_arg(batch, event, 2) < RST_SAVED_LEVELS - 1 &&
	       cairn_event_arg(batch, event, 3) == event->code && event->code < 0x200 &&
	       cairn_event_arg(batch, event, 4) <= 0xffff && cairn_event_arg(batch, event, 5) <= 0xfff;
}

/* The first PAVADIFF of a CPU stands before its first TRAP (clause 2(h)). */
static int put_first_difference(struct rst_encoder *encoder, struct rst_slot *slot)
{
	struct rst_encoder_cpu *cpu = slot->encoder_cpu;
	if (cpu->has_diff || (encoder->own && !slot->knows_diff))
		return 0;
	int rc = slot->knows_diff ? 0 : rst_made_diff(encoder);
	uint8_t p[SIZE];
	cpu->asid = cpu->dctx = rst_made_asid(cpu, slot->ctx);
	rst_make_pavadiff(p, slot->cpu, cpu->asid, slot->pc_diff, false, cpu->asid, 0);
	cpu->flow.pc_diff = slot->pc_diff;
	cpu->has_diff = true;
	return rc < 0 ? rc : rst_encode_put(encoder, p);
}

/* Where a CPU stands that a trap comes to. */
static uint64_t trap_pc(const struct rst_slot *slot, const struct cairn_event *event)
{
	const struct rst_cpu *cpu = &slot->encoder_cpu->flow;
	if (event->phase == CAIRN_ON && slot->insn)
		return slot->insn->pc;
	return cpu->flags & RST_C_NPC ? cpu->npc : RST_NO_PC;
}

/* The TRAP that an event tells in RST's own words, or that follows from what is known. */
static int make_trap(struct rst_encoder *encoder, const struct rst_slot *slot,
                     const struct cairn_event *event, uint8_t *p)
{
	struct rst_encoder_cpu *cpu = slot->encoder_cpu;
	const struct cairn_batch *batch = slot->batch;
	bool async = event->kind == CAIRN_EV_INTERRUPT, call = event->kind == CAIRN_EV_SYSCALL;
	if (rst_is_told_trap(slot, event)) {
		cpu->tl = (uint8_t)cairn_event_arg(batch, event, 2);
		cpu->pstate = (uint16_t)cairn_event_arg(batch, event, 4);
		rst_make_trap(p, slot->cpu, async, cpu->tl, (unsigned)event->code, cpu->pstate,
		              cairn_event_arg(batch, event, 6), cairn_event_arg(batch, event, 7));
		rst_put_TRAP_syscall(p, cairn_event_arg(batch, event, 5));
		return 0;
	}
	uint64_t pc = trap_pc(slot, event), npc = pc + 4,
			 number = call && event->len ? cairn_event_arg(batch, event, 0) : 0;
	if ((cpu->flow.flags & RST_C_TARGET) && pc == cpu->flow.pc + 4)
		npc = cpu->flow.target;
	rst_make_trap(p, slot->cpu, async, cpu->tl, (unsigned)event->code, cpu->pstate, pc, npc);
	number = number <= 0xfff ? number : 0;
	rst_put_TRAP_syscall(p, number);
	return event->len > (number ? 8 : 0) ? rst_encode_lost(encoder, 1, "arguments of events") : 0;
}

static int encoder_rows_put_trap(struct rst_encoder *encoder, struct rst_slot *slot,
                                 const struct cairn_event *event)
{
	struct rst_encoder_cpu *cpu = slot->encoder_cpu;
	int rc = put_first_difference(encoder, slot);
	slot->tt = (unsigned)event->code;
	if (rc < 0)
		return rc;
	if (encoder->own && event->len) {
		slot->trapped = true;
		return put_record(encoder, slot, CAIRN_RST_TRAP, event);
	}
	if (event->code > 0x1ff)
		return rst_encode_lost(encoder, 1, "traps of types that SPARC does not have");
	uint8_t *p = rst_encode_record(encoder);
	rc = p ? make_trap(encoder, slot, event, p) : CAIRN_E_NOMEM;
	if (rc < 0)
		return rc;
	slot->trapped = true;
	rst_note(&cpu->flow, p);
	push_level(cpu, rst_TRAP_pc(p), rst_TRAP_npc(p), slot->tt);
	cpu->owes_diff =
		!encoder->own && event->kind == CAIRN_EV_EXCEPTION && rst_misses_itlb(slot->tt);
	return 0;
}

static int put_own_event(struct rst_encoder *encoder, struct rst_slot *slot,
                         const struct cairn_event *event)
{
	switch (event->kind) {
	case CAIRN_EV_TLB:
		return put_record(encoder, slot, CAIRN_RST_TLB, event);
	case CAIRN_EV_TIMESTAMP:
		return put_record(encoder, slot, CAIRN_RST_CPU, event);
	case CAIRN_EV_TRAP_RETURN:
		return put_record(encoder, slot, CAIRN_RST_TRAPEXIT, event);
	case CAIRN_EV_FORMAT:
		return put_record(encoder, slot, (unsigned)event->code & 255, event);
	case CAIRN_EV_BRANCH:
		return rst_encode_lost(encoder, 1, "warm-up references of a snapshot");
	default:
		return rst_encode_lost(encoder, 1, "events RST has no record for");
	}
}

static int put_foreign_event(struct rst_encoder *encoder, const struct rst_slot *slot,
                             const struct cairn_event *event)
{
	if (event->kind != CAIRN_EV_TIMESTAMP)
		return rst_encode_lost(encoder, 1, model_lost_event(event->kind));
	uint8_t p[SIZE] = {CAIRN_RST_CPU};
	rst_put_CPU_cpu(p, slot->cpu);
	rst_put_CPU_timestamp(p, event->code);
	return rst_encode_put(encoder, p);
}

static int encoder_rows_put_event(struct rst_encoder *encoder, struct rst_slot *slot,
                                  const struct cairn_event *event)
{
	switch (event->kind) {
	case CAIRN_EV_COMMENT:
		if (encoder->told_comments || event->args > slot->batch->n_bytes ||
		    event->len > slot->batch->n_bytes - event->args)
			return 0;
		return rst_encode_string(encoder, (const char *)slot->batch->bytes + event->args,
		                         event->len);
	case CAIRN_EV_EXCEPTION:
	case CAIRN_EV_INTERRUPT:
	case CAIRN_EV_SYSCALL:
		return encoder_rows_put_trap(encoder, slot, event);
	case CAIRN_EV_DAMAGE:
	case CAIRN_EV_GAP:
		return rst_encode_lost(encoder, 1, model_lost_event(event->kind));
	case CAIRN_EV_FORCE_PC: /* the next INSTR's PC says it */
	case CAIRN_EV_CONTEXT:
	case CAIRN_EV_MODE: /* and its pr and hpriv this */
		return 0;
	default:
		return encoder->own ? put_own_event(encoder, slot, event)
		                    : put_foreign_event(encoder, slot, event);
	}
}

/* ---- a slot ---- */

static bool reg_is_after(const struct rst_slot *slot, uint32_t index)
{
	/* PSTATE in a PREG before done and retry is what they set. */
	return slot->insn && slot->batch->regs[index].role == CAIRN_ROLE_DST;
}

/* Is the slot's instruction one that missed in a DTLB? */
static bool is_miss(const struct rst_slot *slot)
{
	for (uint32_t i = slot->ev; i < slot->ev1 && slot->insn && !slot->own; i++) {
		const struct cairn_event *event = &slot->batch->events[i];
		if (event->kind == CAIRN_EV_EXCEPTION && event->phase == CAIRN_ON && event->code < 0x200 &&
		    rst_misses_dtlb((unsigned)event->code))
			return true;
	}
	return false;
}

/* Behind its TRAP, what tells the address: the MMU's registers, or its fault address. */
static int put_miss(struct rst_encoder *encoder, struct rst_slot *slot)
{
	bool told = false;
	int rc = 0;
	for (uint32_t i = slot->reg; i < slot->reg1 && rc >= 0; i++) {
		const struct cairn_reg *reg = &slot->batch->regs[i];
		if (reg->cls != CAIRN_REG_CSR || reg->num < ISA_SPARC_MMU || reg->role == CAIRN_ROLE_DST)
			continue;
		rc = encoder_rows_put_reg(encoder, slot, reg, 1, false);
		told = true;
	}
	if (told || rc < 0 || !slot->access)
		return rc < 0 ? rc : 0;
	uint8_t p[SIZE];
	rst_make_regval(p, slot->cpu, false, RST_R_MMU, DMMU_FAULT_ADDRESS, slot->access->addr);
	return rst_encode_put(encoder, p);
}

static int encoder_rows_walk(struct rst_encoder *encoder, struct rst_slot *slot, bool after)
{
	const struct cairn_batch *batch = slot->batch;
	uint32_t r = slot->reg, m = slot->mem, e = slot->ev;
	int rc = 0;
	while (rc >= 0 && (r < slot->reg1 || m < slot->mem1 || e < slot->ev1)) {
		uint32_t sr = r < slot->reg1 ? batch->regs[r].seq : UINT32_MAX;
		uint32_t sm = m < slot->mem1 ? batch->mems[m].seq : UINT32_MAX;
		uint32_t se = e < slot->ev1 ? batch->events[e].seq : UINT32_MAX;
		if (r < slot->reg1 && sr <= sm && sr <= se) {
			bool preg = rst_is_preg(&batch->regs[r], slot->reg1 - r);
			if (!after && !preg && waits_for_trap(slot, &batch->regs[r])) {
				r++;
			} else if (preg ? !after : reg_is_after(slot, r) == after) {
				rc = encoder_rows_put_regs(encoder, slot, r, after);
				r += rc > 0 ? (uint32_t)rc : 0;
			} else {
				r += preg ? 6 : 1;
			}
		} else if (m < slot->mem1 && sm <= se) {
			const struct cairn_mem *row = &batch->mems[m++];
			bool mine = row->initiator == CAIRN_BY_INSN && slot->insn;
			if (mine == after)
				rc = row->initiator == CAIRN_BY_INSN ? encoder_rows_put_value(encoder, slot, row)
				                                     : put_other_access(encoder, row);
		} else {
			const struct cairn_event *row = &batch->events[e++];
			if ((row->phase == CAIRN_AFTER && slot->insn) == after)
				rc = encoder_rows_put_event(encoder, slot, row);
		}
	}
	return rc < 0 ? rc : 0;
}

int rst_encode_before(struct rst_encoder *encoder, struct rst_slot *slot)
{
	slot->misses = is_miss(slot);
	int rc = encoder_rows_walk(encoder, slot, false);
	return rc < 0 || !slot->misses ? rc : put_miss(encoder, slot);
}

int rst_encode_after(struct rst_encoder *encoder, struct rst_slot *slot)
{
	return encoder_rows_walk(encoder, slot, true);
}
