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
#include "formats/stf/stf.h"
#include "formats/stf/write/build.h"
#include "isa/isa.h"

enum stf_item_kind { ITEM_REG, ITEM_MEM, ITEM_EVENT };
enum { EVENT_ARGS = 255, SMALL = 48 };

/* ---- refusing ---- */

static int rows_refuse(struct stf_build *build, const char *fmt, va_list ap)
{
	char text[256];
	vsnprintf(text, sizeof text, fmt, ap);
	return base_fail(build->writer->cairn, CAIRN_E_INVAL, "%s: %s %llu: %s", build->writer->path,
	                 build->header->cfg.protocol ? "transaction" : "instruction",
	                 (unsigned long long)build->n + 1, text);
}

#define ROWS_REFUSE(rc) \
	va_list ap; \
	va_start(ap, fmt); \
	int rc = rows_refuse(build, fmt, ap); \
	va_end(ap)

int stf_refuse(struct stf_build *build, const char *fmt, ...)
{
	ROWS_REFUSE(rc);
	return rc;
}

int stf_cannot(struct stf_build *build, const char *what, const char *fmt, ...)
{
	if (build->lost)
		return build->lost(build->user, 1, build->source, what);
	ROWS_REFUSE(rc);
	return rc;
}

int stf_wrong(struct stf_build *build, const char *fmt, ...)
{
	if (build->lost)
		return 1;
	ROWS_REFUSE(rc);
	return rc;
}

/* ---- records ---- */

void stf_group_clear(struct stf_group *group)
{
	struct base_buf keep = group->buf;
	*group = (struct stf_group){.buf = keep};
	group->buf.len = 0;
}

static uint8_t *more(struct stf_group *group, size_t n)
{
	if (base_buf_reserve(&group->buf, n) < 0)
		return NULL;
	uint8_t *p = group->buf.data + group->buf.len;
	group->buf.len += n;
	return p;
}

int stf_group_value(struct stf_group *group, unsigned type, unsigned width, uint64_t value)
{
	uint8_t *p = more(group, 1 + (size_t)width);
	if (!p)
		return CAIRN_E_NOMEM;
	p[0] = (uint8_t)type;
	base_put_le(p + STF_LEN_DESCRIPTOR, width, value);
	group->records++;
	return 0;
}

int stf_put_mode(struct stf_group *group, unsigned event_bits, uint8_t mode)
{
	unsigned width = event_bits / 8;
	uint8_t *p = more(group, 10 + (size_t)width);
	if (!p)
		return CAIRN_E_NOMEM;
	base_put_le64(stf_put_event(p, event_bits, STF_EVENT_SPECIAL | STF_EVENT_MODE_CHANGE, 1), mode);
	group->records++;
	group->features |= CAIRN_STF_F_EVENT;
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

/* The variant of the instruction set by which the encoding of the rows' instruction is decoded. */
static enum cairn_isa rows_isa(const struct stf_build *build)
{
	return stf_variant(&build->header->cfg, build->isa);
}

/* Is a part of a register what the instruction stores? Then the access has its value, and the
 * encoding says which register it is. */
static bool is_stored(const struct stf_build *build, const struct cairn_stf_insn *in,
                      const struct cairn_reg *reg)
{
	const uint8_t known = CAIRN_VALUE_KNOWN | CAIRN_VALUE_WIDE;
	if (reg->role != CAIRN_ROLE_SRC || reg->lsb || !(reg->flags & CAIRN_VALUE_KNOWN) ||
	    !isa_tells_elements(rows_isa(build), in->enc, in->size))
		return false;
	for (size_t i = 0; i < in->n_mems; i++) {
		const struct cairn_mem *mem = &in->mems[i];
		if (mem->kind != CAIRN_MEM_WRITE || mem->size * 8 != reg->bits ||
		    (mem->flags ^ reg->flags) & known)
			continue;
		const uint8_t *put =
			reg->flags & CAIRN_VALUE_WIDE ? rows_payload(in, mem->value, mem->size) : NULL;
		const uint8_t *had = put ? rows_payload(in, reg->value, mem->size) : NULL;
		if (had ? !memcmp(put, had, mem->size)
		        : !(reg->flags & CAIRN_VALUE_WIDE) && mem->value == reg->value)
			return true;
	}
	return false;
}

/* Does A64's HLT call the simulator's host, whose effects no encoding shows? */
static bool rows_is_halt(const struct stf_build *build, const struct cairn_stf_insn *in)
{
	return in->size && build->isa == CAIRN_ISA_A64 && (in->enc & 0xffe0001f) == 0xd4400000;
}

/* Was a vector register of A64 recorded by the other of its two names than expected: Z for what SVE
 * writes and for state in a trace of SVE, else V, which zeroes what is beyond it? */
static bool is_named_otherwise(const struct stf_build *build, const struct cairn_stf_insn *in,
                               const struct cairn_reg *reg)
{
	if (build->isa != CAIRN_ISA_A64 || reg->bits != 128 || reg->lsb)
		return false;
	bool sve = in->size && (in->enc >> 25 & 15) == 2, v = reg->flags & CAIRN_VALUE_ZEROES;
	if (reg->role == CAIRN_ROLE_STATE)
		return v == (build->predicates && !rows_is_halt(build, in));
	return in->size ? v && sve : !v;
}

/* Count what no record says of the register's name; `lost` has the words for it. */
static int lose_name(struct stf_build *build, const struct cairn_stf_insn *in,
                     const struct cairn_reg *reg)
{
	if (!build->lost || !build->foreign)
		return 0;
	if (reg->cls == CAIRN_REG_VECTOR && is_named_otherwise(build, in, reg))
		return stf_cannot(build, "whether vector registers were recorded as V or Z", "%s", "");
	bool by_encoding = in->size && reg->role != CAIRN_ROLE_STATE && !rows_is_halt(build, in);
	bool part =
		reg->flags & CAIRN_VALUE_ZEROES && reg->bits < (reg->cls == CAIRN_REG_INT ? 64 : 128);
	return by_encoding || !part || (reg->cls != CAIRN_REG_INT && reg->cls != CAIRN_REG_VECTOR)
	           ? 0
	           : stf_cannot(
					 build,
					 "whether registers were told as W or X, D or V, where no encoding tells it",
					 "%s", "");
}

/* `width`: bits of the register where its bank tells, else 0. */
static int put_reg_value(struct stf_build *build, struct stf_group *group,
                         const struct cairn_stf_insn *in, const struct cairn_reg *reg, unsigned num,
                         unsigned cls, unsigned width)
{
	const struct cairn_stf_config *cfg = &build->writer->cfg;
	uint32_t words = cls == CAIRN_REG_VECTOR ? stf_vector_words(cfg) : 1;
	uint32_t all = cls == CAIRN_REG_VECTOR ? 64 * words : width;
	bool rest_is_0 = reg->flags & CAIRN_VALUE_ZEROES;
	bool wide = reg->flags & CAIRN_VALUE_WIDE;
	bool piece = reg->lsb || (!rest_is_0 && reg->bits && reg->bits < all &&
	                          (cls != CAIRN_REG_VECTOR || (reg->bits + 63) / 64 != words));
	if (piece && build->lost && is_stored(build, in, reg))
		return 0;
	if (!words)
		return stf_cannot(build, "vector registers (the header has no vector length)",
		                  "v%u: the header has no vector length (VLEN)", num);
	if (piece)
		return stf_cannot(build, "parts of registers, for STF records whole ones",
		                  "register %u of class %u: bits %u to %u are not the whole of it", num,
		                  cls, reg->lsb, reg->lsb + reg->bits);
	if (reg->bits > 64 * words)
		return stf_cannot(build, "bits of registers beyond what a record holds",
		                  "register %u of class %u: %u bits, but the record holds %u", num, cls,
		                  reg->bits, 64 * words);
	int named = lose_name(build, in, reg);
	if (named < 0)
		return named;
	if (words > 1 && !wide && !rest_is_0)
		return stf_wrong(build, "v%u: its value of %u bits is not in `bytes` (WIDE)", num,
		                 64 * words);
	uint32_t have = rest_is_0 && reg->bits ? (reg->bits + 63) / 64 : words;
	const uint8_t *from = wide ? rows_payload(in, reg->value, 8 * (uint64_t)have) : NULL;
	if (wide && !from)
		return stf_refuse(build, "the value of register %u lies outside of `bytes`", num);
	uint8_t *p = more(group, STF_LEN_INST_REG + 8 * (size_t)words);
	if (!p)
		return CAIRN_E_NOMEM;
	p[0] = CAIRN_STF_INST_REG;
	stf_put_INST_REG_reg(p, (uint16_t)num);
	stf_put_INST_REG_kind(p, (uint8_t)(cls | (unsigned)reg->role << 4));
	memset(p + STF_LEN_INST_REG, 0, 8 * (size_t)words);
	if (wide)
		memcpy(p + STF_LEN_INST_REG, from, 8 * (size_t)have);
	else
		stf_put_reg_value(p, reg->value);
	group->records++;
	group->features |=
		reg->role == CAIRN_ROLE_STATE ? CAIRN_STF_F_REG_STATE : CAIRN_STF_F_OPERAND_VALUE;
	group->features |= cls == CAIRN_REG_VECTOR ? (uint64_t)CAIRN_STF_F_VEC : 0;
	return 0;
}

static int rows_put_reg(struct stf_build *build, struct stf_group *group,
                        const struct cairn_stf_insn *in, const struct cairn_reg *reg)
{
	unsigned num = reg->num, cls = reg->cls, width = 0;
	bool ours = stf_isa_is_ours(build->writer->cfg.isa);
	if (reg->role == CAIRN_ROLE_READY)
		return stf_group_value(group, CAIRN_STF_INST_READY_REG, 2, num);
	if (ours) {
		const struct stf_bank *bank = stf_bank_of((enum cairn_isa)build->isa, cls, num);
		if (!bank)
			return stf_cannot(build, "registers that have no number in STF",
			                  "register %u of class %u has no number in STF", num, cls);
		cls = bank->type;
		num = bank->number + (num - bank->first);
		width = bank->bits;
	} else if (cls == CAIRN_REG_PC) { /* STF counts it as integer register 32 */
		cls = CAIRN_REG_INT;
		num = 32;
	}
	if (cls < CAIRN_REG_INT || cls > CAIRN_REG_CSR)
		return stf_cannot(build, "registers of classes that STF does not have",
		                  "STF has no registers of class %u", cls);
	if (reg->role < CAIRN_ROLE_STATE || reg->role > CAIRN_ROLE_DST)
		return stf_cannot(build, "registers that are neither state nor operand",
		                  "register %u is neither state nor operand (role %u)", num, reg->role);
	if (!(reg->flags & CAIRN_VALUE_KNOWN))
		return stf_cannot(build, "registers without a value",
		                  "register %u of class %u has no value, which STF asks for", num, cls);
	unsigned most = cls == CAIRN_REG_CSR ? 0xfff : cls == CAIRN_REG_INT ? 32 : 31;
	if (num > most && !ours) {
		int rc = stf_wrong(build, "there is no register %u of class %u", num, cls);
		if (rc < 0)
			return rc;
	}
	return put_reg_value(build, group, in, reg, num, cls, width);
}

/* ---- memory ---- */

static int rows_leave_out(int rc)
{
	return rc < 0 ? rc : 1;
}

/* Can this be an access at all? 0: yes, 1: left out, or a status. */
static int is_no_access(struct stf_build *build, const struct cairn_mem *mem)
{
	if (mem->flags & CAIRN_VALUE_ADDR_UNKNOWN)
		return rows_leave_out(
			stf_cannot(build, "accesses without an address", "an access has no address"));
	if (mem->kind > CAIRN_MEM_WRITE)
		return rows_leave_out(
			stf_cannot(build, mem->kind == CAIRN_MEM_FETCH ? "instruction fetches" : "prefetches",
		               "STF has reads and writes, no access of kind %u", mem->kind));
	if (mem->flags & CAIRN_VALUE_NOT_WRITTEN)
		return rows_leave_out(stf_cannot(build, "accesses that did not happen",
		                                 "an access that did not happen cannot be written"));
	if (mem->size > UINT16_MAX)
		return rows_leave_out(stf_cannot(build, "accesses of more than 65535 bytes",
		                                 "an access of %u bytes is too big", mem->size));
	int rc = 0;
	if (mem->kind == CAIRN_MEM_UNKNOWN)
		rc = stf_wrong(build, "an access is neither read nor write");
	if (rc >= 0 && mem->size == 0)
		rc = stf_wrong(build, "an access has no size");
	return rc < 0 ? rc : 0;
}

/* Count what of an access has no place in the record. */
static int rows_lose_parts(struct stf_build *build, const struct cairn_stf_insn *in,
                           const struct cairn_mem *mem)
{
	bool bus = mem->initiator != CAIRN_BY_INSN;
	bool odd_master = stf_initiator_number(&build->header->cfg, mem->initiator) < 0 &&
	                  (mem->initiator != CAIRN_BY_OTHER || !build->lost);
	int rc = 0;
	if (mem->flags & CAIRN_VALUE_PA)
		rc = stf_cannot(build, "physical addresses", "STF has no physical addresses");
	if (rc >= 0 && (mem->lane || mem->reg) && build->lost &&
	    !isa_tells_elements(rows_isa(build), in->enc, in->size))
		rc = stf_cannot(build, model_lost_elements, "STF has no register elements");
	if (rc >= 0 && !bus && mem->attr > UINT16_MAX)
		rc = stf_cannot(build, "attributes of accesses beyond 16 bits",
		                "the attributes 0x%x do not fit 16 bits", mem->attr);
	if (rc >= 0 && bus && odd_master)
		rc = stf_cannot(build, "kinds of bus masters that STF does not have",
		                "STF has no number for an initiator of kind %u", mem->initiator);
	return rc;
}

/* How many words of content an access needs, and whether they are right. */
static int rows_contents(struct stf_build *build, const struct cairn_stf_insn *in,
                         const struct cairn_mem *mem, uint32_t *words)
{
	uint32_t need = (mem->size + 7) / 8;
	bool wide = mem->flags & CAIRN_VALUE_WIDE;
	*words = 0;
	if (!(mem->flags & CAIRN_VALUE_KNOWN))
		return build->opts.no_content || build->foreign
		           ? 0
		           : stf_wrong(build, "the access at 0x%llx has no value, which STF asks for",
		                       (unsigned long long)mem->addr);
	*words = wide ? (mem->words && build->lost ? mem->words : need) : 1;
	if (!wide && need > 1) {
		int rc = stf_wrong(build, "the access at 0x%llx has %u bytes, but only 8 of value (WIDE)",
		                   (unsigned long long)mem->addr, mem->size);
		if (rc < 0)
			return rc;
	}
	if (!wide && mem->size && mem->size < 8 && mem->value >> (8 * mem->size)) {
		int rc =
			stf_wrong(build, "the access at 0x%llx has %u bytes, its value 0x%llx has more",
		              (unsigned long long)mem->addr, mem->size, (unsigned long long)mem->value);
		if (rc < 0)
			return rc;
	}
	if (wide && !rows_payload(in, mem->value, 8 * (uint64_t)*words))
		return stf_refuse(build, "the value of the access at 0x%llx lies outside of `bytes`",
		                  (unsigned long long)mem->addr);
	return 0;
}

static int rows_put_access(const struct stf_build *build, struct stf_group *group,
                           const struct cairn_mem *mem)
{
	bool bus = mem->initiator != CAIRN_BY_INSN;
	int master = stf_initiator_number(&build->header->cfg, mem->initiator);
	uint8_t *p = more(group, bus ? STF_LEN_BUS_MASTER_ACCESS : STF_LEN_INST_MEM_ACCESS);
	if (!p)
		return CAIRN_E_NOMEM;
	p[0] = bus ? CAIRN_STF_BUS_MASTER_ACCESS : CAIRN_STF_INST_MEM_ACCESS;
	stf_put_INST_MEM_ACCESS_address(p, mem->addr);
	stf_put_INST_MEM_ACCESS_bytes(p, (uint16_t)mem->size);
	if (bus) {
		stf_put_BUS_MASTER_ACCESS_initiator(p, master >= 0 ? (uint8_t)master
		                                       : build->header->cfg.spec_initiators ? UINT8_MAX
		                                                                            : 0);
		stf_put_BUS_MASTER_ACCESS_index(p, mem->unit);
		stf_put_BUS_MASTER_ACCESS_attributes(p, mem->attr);
		stf_put_BUS_MASTER_ACCESS_access(p, mem->kind);
	} else {
		stf_put_INST_MEM_ACCESS_attributes(p, (uint16_t)mem->attr);
		stf_put_INST_MEM_ACCESS_access(p, mem->kind);
	}
	group->records++;
	group->features |= mem->attr ? CAIRN_STF_F_DATA_ATTRIBUTE : 0;
	return 0;
}

static void rows_count_access(struct stf_accesses *accesses, const struct cairn_stf_insn *in,
                              const struct cairn_mem *mem, bool bare)
{
	bool bus = mem->initiator != CAIRN_BY_INSN, kindless = !bus && mem->kind == CAIRN_MEM_UNKNOWN;
	if (__builtin_expect(bare || kindless, 0)) {
		uint32_t bares = bare && (uint16_t)mem->size, sizeless = mem->size == 0;
		accesses->bare[bus] += bares;
		accesses->sizeless[bus] += sizeless;
		accesses->kindless += kindless;
		accesses->odd += bares + sizeless + kindless;
	}
	if (bus)
		return;
	accesses->reads += mem->kind == CAIRN_MEM_READ;
	accesses->writes += mem->kind == CAIRN_MEM_WRITE;
	accesses->descend |= accesses->any && mem->addr < accesses->last;
	accesses->fetch |= mem->kind != CAIRN_MEM_WRITE && in->size && mem->addr == in->pc;
	accesses->last = mem->addr;
	accesses->any = true;
}

/* Count what `check` will find of a group's accesses, whatever their instruction is. */
static int rows_announce(struct stf_build *build, const struct stf_accesses *before,
                         const struct stf_accesses *now)
{
#define EACH "; check finds each (stf."
#define TELLS ", which the trace does not tell" EACH
	const struct {
		uint32_t count;
		const char *what;
	} rows[] = {
		{now->kindless - before->kindless,
	     "accesses that are neither reads nor writes, as far as the trace says" EACH "mem.type)"},
		{now->bare[0] - before->bare[0],
	     "accesses written without a value" TELLS "content.missing)"},
		{now->bare[1] - before->bare[1],
	     "accesses of others written without a value" TELLS "bus-content.missing)"},
		{now->sizeless[0] - before->sizeless[0],
	     "accesses written without a size" TELLS "mem.zero)"},
		{now->sizeless[1] - before->sizeless[1],
	     "accesses of others written without a size" TELLS "bus.zero)"},
	};
#undef TELLS
#undef EACH
	int rc = 0;
	for (size_t i = 0; i < sizeof rows / sizeof *rows && rc >= 0; i++)
		if (rows[i].count)
			rc = build->note(build->user, rows[i].count, build->source, rows[i].what);
	return rc;
}

static inline int rows_judge(struct stf_build *build, const struct stf_accesses *before,
                             const struct stf_accesses *now)
{
	build->accesses |= now->any;
	return now->odd == before->odd || !build->note || !build->foreign
	           ? 0
	           : rows_announce(build, before, now);
}

/* The kind of an access of which only the value was recorded (RST's further ones): the next piece
 * of what the instruction does, where it lies behind another. */
static uint8_t rows_kind_of(const struct stf_build *build, const struct cairn_stf_insn *in,
                            const struct cairn_mem *mem)
{
	struct cairn_op op;
	if (mem == in->mems || mem[-1].addr + mem[-1].size != mem->addr || mem[-1].size != mem->size)
		return CAIRN_MEM_UNKNOWN;
	cairn_isa_decode(rows_isa(build), in->enc, in->size, &op);
	uint32_t does = op.traits & (CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE);
	return does == CAIRN_TRAIT_LOAD    ? CAIRN_MEM_READ
	       : does == CAIRN_TRAIT_STORE ? CAIRN_MEM_WRITE
	                                   : CAIRN_MEM_UNKNOWN;
}

static int rows_put_mem(struct stf_build *build, struct stf_group *group,
                        const struct cairn_stf_insn *in, const struct cairn_mem *mem)
{
	unsigned content =
		mem->initiator != CAIRN_BY_INSN ? CAIRN_STF_BUS_MASTER_CONTENT : CAIRN_STF_INST_MEM_CONTENT;
	uint32_t words = 0;
	struct cairn_mem told = *mem;
	if (mem->kind == CAIRN_MEM_UNKNOWN && mem->initiator == CAIRN_BY_INSN)
		told.kind = rows_kind_of(build, in, mem);
	mem = &told;
	int rc = is_no_access(build, mem);
	if (rc)
		return rc < 0 ? rc : 0;
	rc = rows_lose_parts(build, in, mem);
	if (rc >= 0)
		rc = rows_contents(build, in, mem, &words);
	if (rc >= 0)
		rc = rows_put_access(build, group, mem);
	rows_count_access(&group->accesses, in, mem, !words);
	for (uint32_t i = 0; i < words && rc >= 0; i++) {
		uint64_t v = mem->flags & CAIRN_VALUE_WIDE
		                 ? base_le64(in->bytes + mem->value + 8 * (size_t)i)
		                 : mem->value;
		rc = stf_group_value(group, content, 8, v);
	}
	return rc;
}

/* ---- events ---- */

static uint64_t rows_argument(const uint8_t *p, size_t index)
{
	uint64_t v;
	memcpy(&v, p + 8 * index, sizeof v); /* host order */
	return v;
}

static int put_event_record(struct stf_build *build, struct stf_group *group, uint64_t id,
                            const uint8_t *args, size_t n)
{
	uint64_t code = id & ~(STF_EVENT_INTERRUPT | STF_EVENT_SPECIAL);
	if (build->writer->cfg.event_bits == 32 && code > 0x3fffffff)
		return stf_cannot(build, "events whose id does not fit 32 bits",
		                  "event 0x%llx does not fit 32 bits", (unsigned long long)id);
	if (n > EVENT_ARGS)
		return stf_cannot(build, "events with more than 255 arguments",
		                  "an event has %zu arguments, at most 255 fit", n);
	uint8_t *p = more(group, stf_event_length(build->writer->cfg.event_bits, (unsigned)n));
	if (!p)
		return CAIRN_E_NOMEM;
	uint8_t *words = stf_put_event(p, build->writer->cfg.event_bits, id, (unsigned)n);
	for (size_t i = 0; i < n; i++)
		base_put_le64(words + 8 * i, rows_argument(args, i));
	group->records++;
	group->features |= CAIRN_STF_F_EVENT;
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
	/* A system call belongs to its instruction, unless that is not in the trace. */
	bool trap = event->kind == CAIRN_EV_EXCEPTION || event->kind == CAIRN_EV_INTERRUPT ||
	            (event->kind == CAIRN_EV_SYSCALL && event->phase == CAIRN_BEFORE);
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

/* Put a trap that stands before its instruction. Its handler is in its own data, since the
 * instruction's targets are about what comes behind it. */
static int put_trap_before(struct stf_build *build, struct stf_group *group,
                           const struct cairn_event *event, uint64_t id, const uint8_t *args)
{
	uint8_t data[8 * EVENT_ARGS + 8];
	size_t n = event->len / 8;
	if (event->kind == CAIRN_EV_SYSCALL)
		id += STF_CALL_BEFORE_0 - STF_BEFORE_0;
	if (!(event->flags & CAIRN_EVF_TARGET) || n > EVENT_ARGS)
		return put_event_record(build, group, id + STF_BEFORE_0, args, n);
	if (n)
		memcpy(data, args, 8 * n);
	memcpy(data + 8 * n, &event->target, 8);
	return put_event_record(build, group, id + STF_BEFORE_TARGET_0, data, n + 1);
}

static int rows_put_trap(struct stf_build *build, struct stf_group *group,
                         const struct cairn_event *event, const uint8_t *args)
{
	uint64_t id = event->code, mode = event->code;
	size_t n = event->len / 8;
	enum cairn_phase phase = stf_trap_phase(build, event);
	if (event->code & (STF_EVENT_INTERRUPT | STF_EVENT_SPECIAL))
		return stf_cannot(build, "events whose code does not fit",
		                  "event code 0x%llx uses the bits that tell its kind",
		                  (unsigned long long)event->code);
	if (event->kind == CAIRN_EV_INTERRUPT)
		id |= STF_EVENT_INTERRUPT;
	if (event->kind == CAIRN_EV_FORMAT)
		id |= STF_EVENT_SPECIAL;
	if (stf_isa_is_ours(build->writer->cfg.isa) && event->kind != CAIRN_EV_MODE &&
	    event->kind != CAIRN_EV_FORMAT) {
		if (event->code >= STF_TRAPS)
			return stf_cannot(build, "events whose code does not fit",
			                  "event code 0x%llx is too large", (unsigned long long)event->code);
		if (phase == CAIRN_BEFORE)
			return put_trap_before(build, group, event, id, args);
		id += event->kind == CAIRN_EV_SYSCALL ? STF_CALL_0
		      : phase == CAIRN_AFTER          ? STF_BEHIND_0
		                                      : STF_TRAP_0;
	}
	uint8_t word[8];
	if (event->kind == CAIRN_EV_MODE) {
		id = STF_EVENT_SPECIAL | STF_EVENT_MODE_CHANGE;
		mode = mode == UINT64_MAX ? mode : stf_build_mode(build, (uint8_t)mode);
		memcpy(word, &mode, sizeof word);
		if (!n && mode != UINT64_MAX) {
			args = word;
			n = 1;
		}
		mode = n ? rows_argument(args, 0) : UINT64_MAX;
		if (mode > CAIRN_PRIV_MACHINE) {
			int rc =
				stf_wrong(build, "STF has the modes 0 to 3, not %llu", (unsigned long long)mode);
			if (rc < 0)
				return rc;
		} else {
			group->has_mode = true;
			group->mode = (uint8_t)mode;
		}
	}
	int rc = put_event_record(build, group, id, args, n);
	if (rc <= 0)
		return rc;
	bool traps = event->kind == CAIRN_EV_EXCEPTION || event->kind == CAIRN_EV_INTERRUPT;
	group->aborted |= traps && phase == CAIRN_ON;
	group->fetch_fault |=
		event->kind == CAIRN_EV_EXCEPTION && stf_is_fetch_fault(build->isa, event->code);
	if (event->flags & CAIRN_EVF_TARGET) {
		group->has_target = true;
		group->target = event->target;
		group->open_event = false;
		return stf_group_value(group, CAIRN_STF_EVENT_PC_TARGET, 8, event->target);
	}
	if (traps || event->kind == CAIRN_EV_SYSCALL) {
		group->open_event = true;
		group->at_event = group->buf.len;
	}
	return 0;
}

static int put_walk(struct stf_build *build, struct stf_group *group,
                    const struct cairn_event *event, const uint8_t *args)
{
	size_t n = event->len / 8, ptes = n >= 2 ? (n - 2) / 2 : 0;
	if (n < 2 || n % 2 || ptes > UINT8_MAX)
		return stf_cannot(build, "page walks that are none",
		                  "a page walk has a first access, a page size and 0 to 255 pairs of "
		                  "address and entry, not %zu arguments",
		                  n);
	uint64_t first = rows_argument(args, 0), size = rows_argument(args, 1);
	if (first == UINT64_MAX)
		first = build->n;
	else if (build->lost && build->source > build->n + 1) /* instructions before it were left out */
		first = first >= build->source - 1 - build->n ? first - (build->source - 1 - build->n) : 0;
	if (size > UINT32_MAX)
		return stf_cannot(build, "page walks to pages of more than 4 GiB",
		                  "a page of 0x%llx bytes is too big", (unsigned long long)size);
	if (!ptes || !size || size & (size - 1)) {
		int rc = stf_wrong(build, "a page walk has %zu entries and a page of 0x%llx bytes", ptes,
		                   (unsigned long long)size);
		if (rc < 0)
			return rc;
	}
	uint8_t *p = more(group, stf_walk_length((unsigned)ptes));
	if (!p)
		return CAIRN_E_NOMEM;
	p[0] = CAIRN_STF_PAGE_TABLE_WALK;
	stf_put_PAGE_TABLE_WALK_va(p, event->code);
	stf_put_PAGE_TABLE_WALK_first_access(p, first);
	stf_put_PAGE_TABLE_WALK_page_size(p, (uint32_t)size);
	stf_put_PAGE_TABLE_WALK_count(p, (uint8_t)ptes);
	for (size_t i = 0; i < 2 * ptes; i++)
		base_put_le64(p + STF_LEN_PAGE_TABLE_WALK + 8 * i, rows_argument(args, 2 + i));
	group->records++;
	group->features |= CAIRN_STF_F_PTE;
	return 0;
}

static int put_micro_op(struct stf_build *build, struct stf_group *group,
                        const struct cairn_event *event, const uint8_t *args)
{
	uint64_t size = event->len >= 8 ? rows_argument(args, 0) : 4;
	if (event->code > UINT32_MAX || size > UINT8_MAX)
		return stf_cannot(build, "micro-operations of more than 32 bits",
		                  "the micro-operation 0x%llx of %llu bytes does not fit",
		                  (unsigned long long)event->code, (unsigned long long)size);
	uint8_t *p = more(group, STF_LEN_INST_MICROOP);
	if (!p)
		return CAIRN_E_NOMEM;
	p[0] = CAIRN_STF_INST_MICROOP;
	stf_put_INST_MICROOP_bytes(p, (uint8_t)size);
	stf_put_INST_MICROOP_micro_op(p, (uint32_t)event->code);
	group->records++;
	group->features |= CAIRN_STF_F_MICROOP;
	return 0;
}

static int rows_put_text(struct stf_group *group, const uint8_t *text, uint32_t n)
{
	uint8_t *p = more(group, STF_LEN_COMMENT + (size_t)n);
	if (!p)
		return CAIRN_E_NOMEM;
	p[0] = CAIRN_STF_COMMENT;
	stf_put_COMMENT_text(p, n);
	if (n)
		memcpy(p + STF_LEN_COMMENT, text, n);
	group->records++;
	return 0;
}

static int lose_event(struct stf_build *build, const struct cairn_stf_insn *in,
                      const struct cairn_event *event, const uint8_t *args)
{
	const char *what = model_lost_event(event->kind);
	struct cairn_op op;
	cairn_isa_decode(rows_isa(build), in->enc, in->size, &op);
	if (build->lost && in->size && model_event_follows(op.traits, in->pc + in->size, event, args))
		return 0;
	return stf_cannot(build, what, "STF has no record for %s", what);
}

static int rows_put_event(struct stf_build *build, struct stf_group *group,
                          const struct cairn_stf_insn *in, const struct cairn_event *event)
{
	const uint8_t *args = rows_payload(in, event->args, event->len);
	if (!args)
		return stf_refuse(build, "what belongs to an event lies outside of `bytes`");
	switch (event->kind) {
	case CAIRN_EV_NONE:
	case CAIRN_EV_CONTEXT:  /* the instructions' contexts say this … */
	case CAIRN_EV_MODE_ISA: /* … and so are modes: build.c has put the record */
		return 0;
	case CAIRN_EV_COMMENT:
		return rows_put_text(group, args, event->len);
	case CAIRN_EV_GAP:
	case CAIRN_EV_DAMAGE:
		return 0; /* build.c has put it */
	case CAIRN_EV_FORCE_PC:
		if (build->header_force) {
			build->header_force = false;
			return 0;
		}
		group->has_force = true;
		group->force = event->target;
		return stf_group_value(group, CAIRN_STF_FORCE_PC, 8, event->target);
	case CAIRN_EV_PAGE_WALK:
		return put_walk(build, group, event, args);
	case CAIRN_EV_MICRO_OP:
		return put_micro_op(build, group, event, args);
	case CAIRN_EV_FORMAT:
		if (build->foreign)
			return stf_cannot(build, "events that the target has no record for; view -a shows them",
			                  "%s", "");
		if (event->code >> 32 || event->flags & CAIRN_EVF_BYTES)
			return stf_cannot(build,
			                  "header records in the body, and events that STF has "
			                  "no record for",
			                  "an event that only its own format has");
		return rows_put_trap(build, group, event, args);
	case CAIRN_EV_EXCEPTION:
	case CAIRN_EV_INTERRUPT:
	case CAIRN_EV_SYSCALL:
	case CAIRN_EV_MODE:
		return rows_put_trap(build, group, event, args);
	default:
		return lose_event(build, in, event, args);
	}
}

/* ---- order ---- */

/* The record that an event becomes. */
static uint8_t event_record(const struct cairn_event *event)
{
	switch (event->kind) {
	case CAIRN_EV_COMMENT:
		return CAIRN_STF_COMMENT;
	case CAIRN_EV_FORCE_PC:
		return CAIRN_STF_FORCE_PC;
	case CAIRN_EV_PAGE_WALK:
		return CAIRN_STF_PAGE_TABLE_WALK;
	case CAIRN_EV_MICRO_OP:
		return CAIRN_STF_INST_MICROOP;
	default:
		return CAIRN_STF_EVENT;
	}
}

static int rows_compare(const void *pa, const void *pb)
{
	const struct stf_item *left = pa, *right = pb;
	if (left->seq != right->seq)
		return left->seq < right->seq ? -1 : 1;
	if (left->type != right->type)
		return left->type < right->type ? -1 : 1;
	return left->index < right->index ? -1 : left->index > right->index;
}

static void sort(struct stf_item *items, size_t n)
{
	if (n > SMALL) {
		qsort(items, n, sizeof *items, rows_compare);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		struct stf_item item = items[i];
		size_t k = i;
		for (; k && rows_compare(&item, &items[k - 1]) < 0; k--)
			items[k] = items[k - 1];
		items[k] = item;
	}
}

static int list_items(struct stf_build *build, const struct cairn_stf_insn *in, bool by_seq)
{
	size_t n = in->n_regs + in->n_mems + in->n_events;
	if (n > build->room) {
		struct stf_item *more_items =
			base_realloc(build->writer->cairn, build->items, n * sizeof *more_items);
		if (!more_items)
			return CAIRN_E_NOMEM;
		build->items = more_items;
		build->room = n;
	}
	struct stf_item *it = build->items;
	for (uint32_t i = 0; i < in->n_regs; i++)
		*it++ = (struct stf_item){.seq = by_seq ? in->regs[i].seq : 0,
		                          .index = i,
		                          .type = in->regs[i].role == CAIRN_ROLE_READY
		                                      ? CAIRN_STF_INST_READY_REG
		                                      : CAIRN_STF_INST_REG,
		                          .kind = ITEM_REG};
	for (uint32_t i = 0; i < in->n_mems; i++)
		*it++ = (struct stf_item){.seq = by_seq ? in->mems[i].seq : 0,
		                          .index = i,
		                          .type = in->mems[i].initiator == CAIRN_BY_INSN
		                                      ? CAIRN_STF_INST_MEM_ACCESS
		                                      : CAIRN_STF_BUS_MASTER_ACCESS,
		                          .kind = ITEM_MEM};
	for (uint32_t i = 0; i < in->n_events; i++) {
		uint8_t type = event_record(&in->events[i]);
		/* In STF events stand behind registers and accesses. */
		uint32_t seq = build->foreign && type == CAIRN_STF_EVENT ? UINT16_MAX : in->events[i].seq;
		*it++ = (struct stf_item){.seq = by_seq ? seq : 0,
		                          .index = i,
		                          .type = type,
		                          .kind = ITEM_EVENT};
	}
	sort(build->items, n);
	return 0;
}

/* Do the items stand in the order of kinds anyway? */
static bool by_kind(const struct stf_item *it, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (it[i].type < it[i - 1].type)
			return false;
	return true;
}

/* May the records from `at` on stand as they do? */
static bool rows_in_order(struct stf_build *build, const struct stf_group *group, size_t at)
{
	struct stf_order order = {.no_content = true};
	while (at < group->buf.len) {
		const uint8_t *p = group->buf.data + at;
		int64_t len = cairn_stf_record_length(&build->writer->cfg, p, group->buf.len - at);
		if (len <= 0 || stf_order_next(&order, &build->writer->cfg, p))
			return false;
		at += (size_t)len;
	}
	return true;
}

static int rows_put_items(struct stf_build *build, struct stf_group *group,
                          const struct cairn_stf_insn *in)
{
	size_t n = in->n_regs + in->n_mems + in->n_events;
	bool micro = false;
	int rc = 0;
	for (size_t i = 0; i < n && rc >= 0; i++) {
		const struct stf_item *it = &build->items[i];
		if (!micro && it->type == CAIRN_STF_INST_MICROOP) {
			micro = true;
			group->at_mode = group->buf.len;
		}
		if (it->kind == ITEM_REG)
			rc = rows_put_reg(build, group, in, &in->regs[it->index]);
		else if (it->kind == ITEM_MEM)
			rc = rows_put_mem(build, group, in, &in->mems[it->index]);
		else
			rc = rows_put_event(build, group, in, &in->events[it->index]);
	}
	if (!micro)
		group->at_mode = group->buf.len;
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

int stf_rows(struct stf_build *build, struct stf_group *group, const struct cairn_stf_insn *in)
{
	size_t at = group->buf.len;
	struct stf_group before = *group;
	bool first_force = build->header_force;
	if (!(in->n_regs + in->n_mems + in->n_events)) {
		group->at_mode = at;
		return 0;
	}
	bool asks = build->foreign && build->isa == CAIRN_ISA_A64;
	for (size_t i = 0; asks && i < in->n_regs && !build->predicates; i++)
		build->predicates = in->regs[i].cls == CAIRN_REG_PREDICATE;
	bool by_seq = has_seq(in);
	int rc = list_items(build, in, by_seq);
	bool good =
		rc >= 0 && (!by_seq || by_kind(build->items, in->n_regs + in->n_mems + in->n_events));
	if (rc >= 0)
		rc = rows_put_items(build, group, in);
	if (rc < 0)
		return rc;
	if (good || rows_in_order(build, group, at))
		return rows_judge(build, &before.accesses, &group->accesses);
	struct base_buf buf = group->buf; /* again, by kind; losses are not counted twice */
	int (*lost)(void *, uint64_t, uint64_t, const char *) = build->lost;
	buf.len = at;
	*group = before;
	group->buf = buf;
	build->header_force = first_force;
	rc = list_items(build, in, false);
	if (rc >= 0) {
		build->lost = lost ? counted_before : NULL;
		rc = rows_put_items(build, group, in);
		build->lost = lost;
	}
	return rc < 0 ? rc : rows_judge(build, &before.accesses, &group->accesses);
}
