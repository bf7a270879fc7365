/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which instructions touch a register, or bytes of memory. A name may mean a different register in
 * each instruction set, so each row is judged by its own set; a span of the index may hold rows of
 * any set. The index knows which registers a span writes, but not which it reads.
 */
#include <stdatomic.h>
#include <string.h>

#include "analysis/find.h"
#include "base/bytes.h"
#include "isa/written.h"
#include "model/select_internal.h"

struct cairn_touch {
	struct cairn *cairn;
	bool writes, is_reg;
	struct expr_reg reg;
	uint64_t first, last; /* addresses */
	/* Remembered answers, since encodings repeat: shared by all threads, a word each, so that no
	 * lock is needed. 0: none; the lowest bit is the answer, the others are the encoding. For a place in
	 * memory there is one word: not 0 when an access without a known address was met. */
	_Atomic uint64_t *known;
};

enum { ANSWERS = 4096 };

/* ---- from text ---- */

static int touch_parse(struct cairn_touch *touch, const char *text, const struct cairn_image *image)
{
	size_t n = strlen(text);
	if (*text == '@' || (*text >= '0' && *text <= '9'))
		return cairn_addresses(touch->cairn, text, image, &touch->first, &touch->last);
	touch->is_reg = true;
	if (n == 0 || expr_reg_find(&touch->reg, text, n) < 0)
		return select_fail(touch->cairn, CAIRN_E_INVAL, "place", text, 0,
		                   "is neither a register nor an "
		                   "address like 0x1000, 0x1000+8, 0x1000-0x1007, @symbol");
	return 0;
}

int cairn_touch_new(struct cairn *cairn, const char *text, int writes,
                    const struct cairn_image *image, struct cairn_touch **out)
{
	*out = NULL;
	struct cairn_touch *touch = base_alloc(cairn, sizeof *touch);
	if (!touch)
		return CAIRN_E_NOMEM;
	touch->cairn = cairn;
	touch->writes = writes != 0;
	int rc = touch_parse(touch, text, image);
	size_t words = touch->is_reg ? ANSWERS : 1;
	if (rc >= 0 && !(touch->known = base_alloc(cairn, words * sizeof *touch->known)))
		rc = CAIRN_E_NOMEM;
	if (rc < 0)
		cairn_touch_free(touch);
	else
		*out = touch;
	return rc;
}

void cairn_touch_free(struct cairn_touch *touch)
{
	if (!touch)
		return;
	base_free(touch->cairn, (void *)touch->known);
	base_free(touch->cairn, touch);
}

uint32_t touch_parts(const struct cairn_touch *touch)
{
	return touch->is_reg ? CAIRN_REGS | CAIRN_ENC : CAIRN_MEMS;
}

/* ---- rows ---- */

static bool is_among(const struct isa_written_reg *reg, unsigned cls, unsigned num)
{
	return reg->cls == cls && num >= reg->num && num - reg->num < reg->count;
}

/* Is a register, or another name of bits of it, written for sure? Names of RISC-V's CSRs for user code
 * (fcsr is fflags and frm) always are; what a supervisor's name is depends on a virtual machine. */
static bool is_written(enum cairn_isa isa, const struct isa_written_reg *reg, unsigned cls,
                       unsigned num)
{
	enum { USER_CSRS = 16 };
	struct isa_written others = {.told = true};
	if (!reg->sure || is_among(reg, cls, num))
		return reg->sure;
	if ((isa == CAIRN_ISA_RV32 || isa == CAIRN_ISA_RV64) && reg->cls == CAIRN_REG_CSR &&
	    reg->num < USER_CSRS)
		isa_aliases(isa, reg->cls, reg->num, &others);
	for (unsigned i = 0; i < others.n; i++)
		if (is_among(&others.reg[i], cls, num))
			return true;
	return false;
}

/* Does an instruction read or write the register, by its encoding? What else may change (flags that
 * accumulate, results of a system call) does not count. */
static bool names_reg(const struct cairn_touch *touch, const struct cairn_insn *insn)
{
	unsigned isa = insn->isa & CAIRN_ISA_LAST, cls = touch->reg.cls[isa], num = touch->reg.num[isa];
	struct cairn_operands operands;
	struct isa_written written;
	if (isa == CAIRN_ISA_A64 && (cls == CAIRN_REG_FP || (cls == CAIRN_REG_VECTOR && num < 64))) {
		cls = CAIRN_REG_VECTOR; /* d5, s5, z5 … are parts and names of v5 */
		num %= 32;
	}
	if (!touch->writes) {
		cairn_isa_operands((enum cairn_isa)(insn->isa | insn->variant), insn->enc, insn->size,
		                   &operands);
		for (unsigned k = 0; k < operands.n_src; k++)
			if (operands.src[k].cls == cls && operands.src[k].num == num)
				return true;
		return false;
	}
	isa_written((enum cairn_isa)(insn->isa | insn->variant), insn->enc, insn->size, &written);
	for (unsigned k = 0; k < written.n; k++)
		if (is_written((enum cairn_isa)isa, &written.reg[k], cls, num))
			return true;
	return false;
}

static bool names_reg_again(const struct cairn_touch *touch, const struct cairn_insn *insn)
{
	unsigned isa = (unsigned)insn->isa | insn->variant;
	uint64_t key = ((uint64_t)insn->enc << 16 | (uint64_t)isa << 8 | insn->size) << 1 | UINT64_C(1)
	                                                                                        << 63;
	_Atomic uint64_t *at = &touch->known[base_hash_mix(5, key) % ANSWERS];
	uint64_t answer = atomic_load_explicit(at, memory_order_relaxed);
	if ((answer & ~UINT64_C(1)) != key) {
		answer = key | names_reg(touch, insn);
		atomic_store_explicit(at, answer, memory_order_relaxed);
	}
	return answer & 1;
}

static bool touches_reg(const struct cairn_touch *touch, const struct cairn_batch *batch,
                        uint32_t row)
{
	const struct cairn_insn *insn = &batch->insns[row];
	uint8_t role = touch->writes ? CAIRN_ROLE_DST : CAIRN_ROLE_SRC;
	unsigned isa = insn->isa <= CAIRN_ISA_LAST ? insn->isa : CAIRN_ISA_UNKNOWN;
	if (!(touch->reg.known >> isa & 1))
		return false;
	for (uint32_t k = insn[0].reg0; k < insn[1].reg0; k++) {
		const struct cairn_reg *reg = &batch->regs[k];
		if (reg->num == touch->reg.num[isa] && reg->cls == touch->reg.cls[isa] && reg->role == role)
			return true;
	}
	return !(insn->flags & (CAIRN_INSN_ENC_UNKNOWN | CAIRN_INSN_ENC_BYTES)) &&
	       names_reg_again(touch, insn);
}

static bool overlaps(const struct cairn_touch *touch, uint64_t addr, uint64_t size)
{
	uint64_t more = size ? size - 1 : 0;
	uint64_t end = more > UINT64_MAX - addr ? UINT64_MAX : addr + more;
	return addr <= touch->last && end >= touch->first;
}

static bool touches_memory(const struct cairn_touch *touch, const struct cairn_batch *batch,
                           uint32_t row)
{
	const struct cairn_insn *insn = &batch->insns[row];
	bool executed = !(insn->flags & CAIRN_INSN_NOT_EXECUTED);
	uint8_t kind = touch->writes ? CAIRN_MEM_WRITE : CAIRN_MEM_READ;
	for (uint32_t k = insn[0].mem0; k < insn[1].mem0; k++) {
		const struct cairn_mem *mem = &batch->mems[k];
		if ((mem->kind != kind && mem->kind != CAIRN_MEM_UNKNOWN) ||
		    (mem->flags & CAIRN_VALUE_NOT_WRITTEN) ||
		    (touch->writes && !executed && mem->initiator == CAIRN_BY_INSN))
			continue;
		bool va = !(mem->flags & CAIRN_VALUE_ADDR_UNKNOWN), pa = mem->flags & CAIRN_VALUE_PA;
		if ((va && overlaps(touch, mem->addr, mem->size)) ||
		    (pa && overlaps(touch, mem->pa, mem->size)))
			return true;
		if (!va && !pa)
			atomic_store_explicit(touch->known, 1, memory_order_relaxed);
	}
	return false;
}

uint32_t cairn_touch_batch(const struct cairn_touch *touch, const struct cairn_batch *batch,
                           uint8_t *keep)
{
	uint32_t left = 0;
	for (uint32_t i = 0; i < batch->n_insns; i++) {
		if (!keep[i])
			continue;
		bool executed = !(batch->insns[i].flags & CAIRN_INSN_NOT_EXECUTED);
		keep[i] = touch->is_reg ? (executed || !touch->writes) && touches_reg(touch, batch, i)
		                        : touches_memory(touch, batch, i);
		left += keep[i];
	}
	for (uint32_t i = 0; i < batch->n_xacts && batch->n_insns == 0; i++)
		keep[i] = 0;
	return left;
}

int cairn_touch_span(const struct cairn_touch *touch, const struct cairn_index *index, size_t row)
{
	uint64_t more = touch->last - touch->first, size = more == UINT64_MAX ? more : more + 1;
	if (!touch->is_reg)
		return touch->writes ? cairn_index_writes(index, row, touch->first, size)
		                     : cairn_index_reads(index, row, touch->first, size);
	for (unsigned isa = 0; isa <= CAIRN_ISA_LAST; isa++)
		if ((touch->reg.known >> isa & 1) &&
		    (!touch->writes ||
		     cairn_index_writes_reg(index, row, (enum cairn_reg_class)touch->reg.cls[isa],
		                            touch->reg.num[isa])))
			return 1;
	return 0;
}

int cairn_touch_unsure(const struct cairn_touch *touch)
{
	return !touch->is_reg && atomic_load_explicit(touch->known, memory_order_relaxed) != 0;
}

static bool tells(const struct cairn_touch *touch, const struct cairn_batch *batch)
{
	uint8_t role = touch->writes ? CAIRN_ROLE_DST : CAIRN_ROLE_SRC;
	uint8_t kind = touch->writes ? CAIRN_MEM_WRITE : CAIRN_MEM_READ;
	for (uint32_t i = 0; i < batch->n_regs && touch->is_reg; i++)
		if (batch->regs[i].role == role)
			return true;
	for (uint32_t i = 0; i < batch->n_insns && touch->is_reg; i++) {
		const struct cairn_insn *in = &batch->insns[i];
		struct cairn_operands operands;
		if (!(in->flags & (CAIRN_INSN_ENC_UNKNOWN | CAIRN_INSN_ENC_BYTES)) &&
		    cairn_isa_operands((enum cairn_isa)in->isa, in->enc, in->size, &operands) >= 0)
			return true;
	}
	for (uint32_t i = 0; i < batch->n_mems && !touch->is_reg; i++)
		if ((batch->mems[i].kind == kind || batch->mems[i].kind == CAIRN_MEM_UNKNOWN) &&
		    !(batch->mems[i].flags & CAIRN_VALUE_ADDR_UNKNOWN))
			return true;
	return false;
}

int cairn_touch_told(struct cairn_reader *reader, const struct cairn_touch *touch)
{
	uint32_t want = reader->want;
	struct cairn_batch *batch = cairn_batch_new(reader->cairn);
	int rc = batch ? cairn_seek(reader, 1) : CAIRN_E_NOMEM;
	bool told = false;
	cairn_reader_want(reader, touch_parts(touch));
	while (rc >= 0 && !told && (rc = cairn_next(reader, batch)) > 0)
		told = tells(touch, batch);
	cairn_reader_want(reader, want);
	cairn_batch_free(reader->cairn, batch);
	return rc < 0 && rc != CAIRN_E_NOTFOUND ? rc : told;
}
