/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows from records that are not instructions.
 *
 * An event that only RST names has the record's type as its code and the record's
 * numeric fields, in the order of the table, as its arguments; so do the events that
 * have a meaning of their own (TLB, timestamps, traps), whose code is that meaning.
 *
 * References to memory by somebody else are rows with an initiator: DMA transfers,
 * transactions on the bus, snoops, reads of the TSB and the warm-up references of a
 * snapshot. `unit` is the device, agent or CPU, as far as it fits; `attr` is the
 * record's first word, which holds the kind of transaction.
 */
#include <stdio.h>
#include <string.h>

#include "formats/rst/rst.h"
#include "isa/sparc.h"

/* ---- rows ---- */

static struct cairn_reg *rows_reg_row(struct rst_decoder *decoder, unsigned cls, unsigned num,
                                      unsigned role, uint64_t value)
{
	struct cairn_reg *row = kit_reg(&decoder->rows);
	if (!row)
		return NULL;
	row->value = value;
	row->num = (uint16_t)num;
	row->cls = (uint8_t)cls;
	row->role = (uint8_t)role;
	row->bits = 64;
	row->flags = CAIRN_VALUE_KNOWN;
	return row;
}

void rst_tell_dropped(struct rst_decoder *decoder)
{
	char place[96], why[192];
	snprintf(place, sizeof place, "record %llu, instruction %llu",
	         (unsigned long long)decoder->at->rec, (unsigned long long)decoder->at->n);
	if (kit_dropped(&decoder->rows, why, sizeof why, place))
		model_damage_event(decoder->reader, decoder->span, decoder->rows.batch, decoder->rows.seq++,
		                   CAIRN_AFTER, 0, 0, "%s", why);
}

/* The record's numeric fields as arguments. */
static void event_args(struct rst_decoder *decoder, struct cairn_event *event, const uint8_t *p)
{
	const struct rst_layout *layout = rst_layout_of(p, decoder->im->version);
	uint64_t args[16];
	size_t n = 0;
	for (const struct rst_field *field = layout->fields; field->name && n < 16; field++)
		if (field->kind != RST_F_TEXT && field->kind != RST_F_BYTES)
			args[n++] = rst_get(p, field);
	kit_args(&decoder->rows, event, args, n);
}

/* An event named after its record. */
static struct cairn_event *record_event(struct rst_decoder *decoder, const uint8_t *p, uint8_t kind,
                                        uint8_t phase, uint64_t code)
{
	struct cairn_event *event = kit_event(&decoder->rows, kind, phase);
	if (event) {
		event->code = code;
		event_args(decoder, event, p);
	}
	return event;
}

/* ---- strings ---- */

static void rows_comment(struct rst_decoder *decoder, const char *text, size_t n)
{
	kit_text(&decoder->rows, CAIRN_EV_COMMENT, CAIRN_BEFORE, text, n);
}

void rst_end_string(struct rst_decoder *decoder)
{
	if (decoder->in_string)
		rows_comment(decoder, decoder->text, decoder->text_len);
	decoder->in_string = false;
	decoder->text_len = 0;
}

/* A long text becomes several comments. */
static void rows_string(struct rst_decoder *decoder, const uint8_t *p)
{
	size_t n = rst_text_length(p);
	if (decoder->text_len + n > sizeof decoder->text)
		rst_end_string(decoder);
	memcpy(decoder->text + decoder->text_len, rst_STRDESC_text(p), n);
	decoder->text_len += n;
	decoder->in_string = true;
	if (p[0] == CAIRN_RST_STRDESC)
		rst_end_string(decoder);
}

/* ---- memory by others ---- */

/* The row, NULL when there is no room. */
static struct cairn_mem *access_by(struct rst_decoder *decoder, const uint8_t *p, uint8_t initiator,
                                   unsigned unit, uint8_t kind, uint32_t size, uint64_t pa)
{
	struct cairn_mem *mem = kit_mem(&decoder->rows);
	if (!mem)
		return NULL;
	mem->initiator = initiator;
	mem->unit = (uint8_t)unit;
	mem->kind = kind;
	mem->size = size;
	mem->pa = pa;
	mem->attr = base_be32(p);
	mem->flags = CAIRN_VALUE_PA | CAIRN_VALUE_ADDR_UNKNOWN;
	return mem;
}

static void has_address(struct cairn_mem *mem, uint64_t va)
{
	if (!mem)
		return;
	mem->addr = va;
	mem->flags = CAIRN_VALUE_PA;
}

static uint8_t bus_kind(unsigned txtype)
{
	/* To share, own or discard, or not cached; back, or not cached. */
	const uint32_t reads =
		1u << 1 | 1u << 2 | 1u << 3 | 1u << 5 | 1u << 6 | 1u << 16 | 1u << 19 | 1u << 20;
	const uint32_t writes = 1u << 7 | 1u << 8 | 1u << 9 | 1u << 14;
	uint32_t bit = txtype < 32 ? 1u << txtype : 0;
	return bit & reads ? CAIRN_MEM_READ : bit & writes ? CAIRN_MEM_WRITE : CAIRN_MEM_UNKNOWN;
}

static void warm_up(struct rst_decoder *decoder, const uint8_t *p)
{
	static const uint8_t kinds[8] = {CAIRN_MEM_UNKNOWN, CAIRN_MEM_FETCH,    CAIRN_MEM_READ,
	                                 CAIRN_MEM_WRITE,   CAIRN_MEM_PREFETCH, CAIRN_MEM_PREFETCH,
	                                 CAIRN_MEM_READ,    CAIRN_MEM_WRITE};
	unsigned ref = rst_RFS_CW_reftype(p);
	bool dma = rst_is_dma(ref);
	struct cairn_mem *mem =
		access_by(decoder, p, dma ? CAIRN_BY_DMA : CAIRN_BY_CORE, rst_RFS_CW_cpuid(p),
	              ref < 8 ? kinds[ref] : 0, dma ? rst_RFS_CW_DMA_size(p) : 0, rst_RFS_CW_pa(p));
	if (!dma && rst_RFS_CW_va_valid(p))
		has_address(mem, rst_RFS_CW_va(p));
}

static void warm_branch(struct rst_decoder *decoder, const uint8_t *p)
{
	struct cairn_event *event =
		record_event(decoder, p, CAIRN_EV_BRANCH, CAIRN_BEFORE, rst_RFS_BT_pc(p));
	if (event && rst_RFS_BT_taken(p)) {
		event->target = rst_RFS_BT_npc(p);
		event->flags |= CAIRN_EVF_TARGET;
	}
}

void rst_loose(struct rst_decoder *decoder, const uint8_t *p)
{
	switch (p[0]) {
	case CAIRN_RST_STRDESC:
	case CAIRN_RST_STRCONT:
		rows_string(decoder, p);
		break;
	case CAIRN_RST_NULLREC:
		break;
	case CAIRN_RST_DMA:
		access_by(decoder, p, CAIRN_BY_DMA, 0,
		          rst_DMA_iswrite(p) ? CAIRN_MEM_WRITE : CAIRN_MEM_READ, rst_DMA_nbytes(p),
		          rst_DMA_start_pa(p));
		break;
	case CAIRN_RST_BUSTRACE:
		access_by(decoder, p, CAIRN_BY_CORE, rst_BUSTRACE_agentid(p),
		          bus_kind(rst_BUSTRACE_txtype(p)), 0, rst_BUSTRACE_pa(p));
		break;
	case CAIRN_RST_SNOOP:
		access_by(decoder, p, rst_SNOOP_device_type(p) == 1 ? CAIRN_BY_CORE : CAIRN_BY_OTHER,
		          rst_SNOOP_device_id(p), CAIRN_MEM_READ, rst_SNOOP_size(p), rst_SNOOP_pa(p));
		break;
	case CAIRN_RST_TSB_ACCESS:
		has_address(access_by(decoder, p, CAIRN_BY_CORE, rst_TSB_ACCESS_cpuid(p), CAIRN_MEM_READ, 8,
		                      rst_TSB_ACCESS_pa(p)),
		            rst_TSB_ACCESS_va(p));
		break;
	case CAIRN_RST_RFS_CW:
		warm_up(decoder, p);
		break;
	case CAIRN_RST_RFS_BT:
		warm_branch(decoder, p);
		break;
	case CAIRN_RST_TLB:
		record_event(decoder, p, CAIRN_EV_TLB, CAIRN_BEFORE, rst_TLB_op(p));
		break;
	case CAIRN_RST_CPU:
		record_event(decoder, p, CAIRN_EV_TIMESTAMP, CAIRN_BEFORE, rst_CPU_timestamp(p));
		break;
	default:
		record_event(decoder, p, CAIRN_EV_FORMAT, CAIRN_BEFORE, p[0]);
		break;
	}
}

/* ---- of one CPU ---- */

static void trap(struct rst_decoder *decoder, const uint8_t *p, enum cairn_phase phase)
{
	unsigned tt = rst_TRAP_ttype(p);
	uint8_t kind = rst_TRAP_async(p)            ? CAIRN_EV_INTERRUPT
	               : tt >= 0x100 && tt <= 0x17f ? CAIRN_EV_SYSCALL
	                                            : CAIRN_EV_EXCEPTION;
	struct cairn_event *event = record_event(decoder, p, kind, (uint8_t)phase, tt);
	if (event)
		event->flags |= CAIRN_EVF_RECORD;
}

/* Class and number of one half of a REGVAL; false: it holds nothing. */
static bool regval_place(unsigned type, unsigned id, unsigned *cls, unsigned *num)
{
	*num = id;
	switch (type) {
	case RST_R_INT:
		*cls = CAIRN_REG_INT;
		return true;
	case RST_R_WININT:
		*cls = CAIRN_REG_INT;
		*num = ISA_SPARC_WIN + id;
		return true;
	case RST_R_FLOAT:
		*cls = CAIRN_REG_FP;
		return true;
	case RST_R_PRIV:
		*cls = CAIRN_REG_CSR;
		return true;
	case RST_R_OTHER: /* 2 is %ccr, 5 the PC */
		*cls = id == 2 ? CAIRN_REG_FLAGS : id == 5 ? CAIRN_REG_PC : CAIRN_REG_CSR;
		*num = id == 2 || id == 5 ? 0 : ISA_SPARC_ASR + id;
		return true;
	case RST_R_MMU:
		*cls = CAIRN_REG_CSR;
		*num = ISA_SPARC_MMU + id;
		return true;
	case RST_R_CC:
	case RST_R_FCC:
		*cls = CAIRN_REG_FLAGS;
		*num = type == RST_R_FCC;
		return true;
	case RST_R_UNUSED:
	case 0:
		return false;
	default:
		*cls = CAIRN_REG_UNKNOWN;
		return true;
	}
}

/* A value of 16 bytes of a REGVAL or MEMVAL, the upper half first. */
static void both_values(struct rst_decoder *decoder, uint64_t high, uint64_t low, uint64_t *value,
                        uint8_t *flags)
{
	uint8_t bytes[16];
	base_put_le64(bytes, low);
	base_put_le64(bytes + sizeof low, high);
	kit_value(&decoder->rows, bytes, sizeof bytes, value, flags);
}

/* A quad register takes both values. */
static void quad(struct rst_decoder *decoder, const uint8_t *p, unsigned num, unsigned role)
{
	struct cairn_reg *row = rows_reg_row(decoder, CAIRN_REG_FP, num, role, 0);
	if (!row)
		return;
	row->bits = 128;
	both_values(decoder, rst_REGVAL_value0(p), rst_REGVAL_value1(p), &row->value, &row->flags);
}

static void rows_regval(struct rst_decoder *decoder, const uint8_t *p, unsigned role)
{
	for (unsigned i = 0; i < 2; i++) {
		unsigned type = rst_regtype(p, i), id = rst_regid(p, i), cls, num;
		uint64_t value = rst_regvalue(p, i);
		if (!regval_place(type, id, &cls, &num))
			continue;
		if (type == RST_R_FLOAT && id >= 64 && i == 0) {
			quad(decoder, p, num, role);
			continue;
		}
		/* Condition codes are told by the register's number. */
		if (type == RST_R_CC || type == RST_R_FCC)
			value = id;
		struct cairn_reg *row = rows_reg_row(decoder, cls, num, role, value);
		if (row && (cls == CAIRN_REG_FLAGS || (type == RST_R_FLOAT && id < 32)))
			row->bits = cls == CAIRN_REG_FLAGS ? 8 : 32;
	}
}

/* Before done and retry PREG holds PSTATE as it is after them. */
static void preg(struct rst_decoder *decoder, const uint8_t *p, uint32_t enc)
{
	enum isa_sparc_flow flow = isa_sparc_flow(enc);
	bool leaving = flow == ISA_SPARC_DONE || flow == ISA_SPARC_RETRY;
	uint16_t prim = rst_PREG_primD(p), sec = rst_PREG_secD(p);
	rows_reg_row(decoder, CAIRN_REG_CSR, ISA_SPARC_TL, CAIRN_ROLE_STATE, rst_PREG_traplevel(p));
	rows_reg_row(decoder, CAIRN_REG_CSR, ISA_SPARC_TT, CAIRN_ROLE_STATE, rst_PREG_traptype(p));
	rows_reg_row(decoder, CAIRN_REG_CSR, ISA_SPARC_PSTATE,
	             leaving ? CAIRN_ROLE_DST : CAIRN_ROLE_STATE, rst_PREG_pstate(p));
	rows_reg_row(decoder, CAIRN_REG_CSR, ISA_SPARC_ASR + 3, CAIRN_ROLE_STATE, rst_PREG_asi(p));
	/* Their addresses in the MMU's space. */
	rows_reg_row(decoder, CAIRN_REG_CSR, ISA_SPARC_MMU + 8, CAIRN_ROLE_STATE, prim);
	rows_reg_row(decoder, CAIRN_REG_CSR, ISA_SPARC_MMU + 16, CAIRN_ROLE_STATE, sec);
}

void rst_attach(struct rst_decoder *decoder, const uint8_t *p, enum cairn_phase phase, uint32_t enc)
{
	bool after = phase == CAIRN_AFTER;
	switch (p[0]) {
	case CAIRN_RST_REGVAL:
		if (decoder->rows.want & CAIRN_REGS)
			rows_regval(decoder, p, after ? CAIRN_ROLE_DST : CAIRN_ROLE_STATE);
		break;
	case CAIRN_RST_PREG:
		if (decoder->rows.want & CAIRN_REGS)
			preg(decoder, p, enc);
		break;
	case CAIRN_RST_TRAP:
		trap(decoder, p, phase);
		break;
	case CAIRN_RST_TRAPEXIT:
		record_event(decoder, p, CAIRN_EV_TRAP_RETURN, (uint8_t)phase, rst_TRAPEXIT_tl(p));
		break;
	case CAIRN_RST_MEMVAL:
		rst_memval(decoder, p, CAIRN_MEM_UNKNOWN);
		break;
	default:
		record_event(decoder, p, CAIRN_EV_FORMAT, (uint8_t)phase, p[0]);
		break;
	}
}

/* ---- values in memory ---- */

/* The access of this slot that the value belongs to. */
static struct cairn_mem *access_at(struct rst_decoder *decoder, uint64_t addr, bool is_va,
                                   uint32_t size)
{
	struct cairn_batch *batch = decoder->rows.batch;
	for (uint32_t i = decoder->rows.mem0; i < batch->n_mems; i++) {
		struct cairn_mem *mem = &batch->mems[i];
		bool there = is_va ? !(mem->flags & CAIRN_VALUE_ADDR_UNKNOWN) && mem->addr == addr
		                   : (mem->flags & CAIRN_VALUE_PA) && mem->pa == addr;
		if (there && mem->initiator == CAIRN_BY_INSN && mem->kind != CAIRN_MEM_FETCH &&
		    mem->size == size && !(mem->flags & CAIRN_VALUE_KNOWN))
			return mem;
	}
	return NULL;
}

/* A record that continues another's address follows it in memory. */
static struct cairn_mem *continued(struct rst_decoder *decoder)
{
	struct cairn_batch *batch = decoder->rows.batch;
	struct cairn_mem *mem =
		batch->n_mems > decoder->rows.mem0 ? &batch->mems[batch->n_mems - 1] : NULL;
	return mem && mem->flags & CAIRN_VALUE_WIDE && mem->size == 16 ? mem : NULL;
}

/* An atomic reads and writes: the first of its values is what it read. One alone may be either. */
static bool is_half(const struct rst_decoder *decoder, const struct cairn_mem *mem)
{
	const struct cairn_batch *batch = decoder->rows.batch;
	const struct cairn_mem *next = mem + 1;
	return mem->kind == CAIRN_MEM_READ && mem->initiator == CAIRN_BY_INSN &&
	       next < batch->mems + batch->n_mems && next->kind == CAIRN_MEM_WRITE &&
	       next->initiator == CAIRN_BY_INSN && next->addr == mem->addr &&
	       !(next->flags & CAIRN_VALUE_KNOWN);
}

void rst_drop_half(struct rst_decoder *decoder)
{
	struct cairn_batch *batch = decoder->rows.batch;
	for (uint32_t i = decoder->rows.mem0; i < batch->n_mems; i++)
		if (batch->mems[i].flags & CAIRN_VALUE_KNOWN && is_half(decoder, &batch->mems[i])) {
			batch->mems[i].flags &= (uint8_t) ~(CAIRN_VALUE_KNOWN | CAIRN_VALUE_WIDE);
			batch->mems[i].value = 0;
			batch->mems[i].words = 0;
		}
	decoder->half = false;
}

void rst_memval(struct rst_decoder *decoder, const uint8_t *p, uint8_t kind)
{
	bool wide = rst_MEMVAL128_is128(p), is_va = rst_MEMVAL128_is_va(p);
	bool cont = wide && rst_MEMVAL128_is_cont(p);
	uint32_t size = wide ? 16 : rst_MEMVAL64_size(p);
	uint64_t addr = wide ? rst_MEMVAL128_addr(p) : rst_MEMVAL64_addr(p);
	if (!(decoder->rows.want & CAIRN_MEMS))
		return;
	const struct cairn_mem *before = cont ? continued(decoder) : NULL;
	if (before) {
		is_va = !(before->flags & CAIRN_VALUE_ADDR_UNKNOWN);
		addr = (is_va ? before->addr : before->pa) + 16;
	}
	struct cairn_mem *mem = access_at(decoder, addr, is_va, size);
	if (!mem) {
		mem = kit_mem(&decoder->rows);
		if (!mem)
			return;
		mem->kind = kind;
		mem->size = size;
		mem->addr = is_va ? addr : 0;
		mem->pa = is_va ? 0 : addr;
		mem->flags = is_va ? 0 : CAIRN_VALUE_PA | CAIRN_VALUE_ADDR_UNKNOWN;
	}
	decoder->half |= is_half(decoder, mem);
	if (!wide) {
		mem->value = rst_MEMVAL64_value(p);
		mem->flags |= CAIRN_VALUE_KNOWN;
		mem->words = 1;
		return;
	}
	mem->words = 2;
	both_values(decoder, rst_MEMVAL128_value0(p), rst_MEMVAL128_value1(p), &mem->value,
	            &mem->flags);
}
