/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who touches a register, or bytes of memory. A name may be another register in each
 * instruction set, so a row is judged by its own; a span of the index may hold rows of any
 * of them. Of registers the index knows who writes, but not who reads them.
 */
#include <stdatomic.h>
#include <string.h>

#include "analysis/find.h"
#include "base/bytes.h"
#include "isa/written.h"
#include "model/select_internal.h"

struct cairn_touch {
	struct cairn *c;
	bool writes, is_reg;
	struct expr_reg reg;
	uint64_t first, last; /* addresses */
	/* Answers to encodings, which repeat: of all threads, a word each, so that no lock is
	 * needed. 0 none; the lowest bit is the answer, the others are the encoding. */
	_Atomic uint64_t *known;
};

enum { ANSWERS = 4096 };

/* ---- from text ---- */

static int touch_parse(struct cairn_touch *t, const char *text, const struct cairn_image *image)
{
	size_t n = strlen(text);
	if (*text == '@' || (*text >= '0' && *text <= '9'))
		return cairn_addresses(t->c, text, image, &t->first, &t->last);
	t->is_reg = true;
	if (n == 0 || expr_reg_find(&t->reg, text, n) < 0)
		return select_fail(t->c, CAIRN_E_INVAL, "place", text, 0,
		                   "is neither a register nor an "
		                   "address like 0x1000, 0x1000+8, 0x1000-0x1007, @symbol");
	return 0;
}

int cairn_touch_new(struct cairn *c, const char *text, int writes, const struct cairn_image *image,
                    struct cairn_touch **out)
{
	*out = NULL;
	struct cairn_touch *t = base_alloc(c, sizeof *t);
	if (!t)
		return CAIRN_E_NOMEM;
	t->c = c;
	t->writes = writes != 0;
	int rc = touch_parse(t, text, image);
	if (rc >= 0 && t->is_reg && !(t->known = base_alloc(c, ANSWERS * sizeof *t->known)))
		rc = CAIRN_E_NOMEM;
	if (rc < 0)
		cairn_touch_free(t);
	else
		*out = t;
	return rc;
}

void cairn_touch_free(struct cairn_touch *t)
{
	if (!t)
		return;
	base_free(t->c, (void *)t->known);
	base_free(t->c, t);
}

uint32_t touch_parts(const struct cairn_touch *t)
{
	return t->is_reg ? CAIRN_REGS | CAIRN_ENC : CAIRN_MEMS;
}

/* ---- rows ---- */

/* By its encoding, does an instruction read or write the register? What may have changed
 * besides (flags that accumulate, results of a system call) does not count. */
static bool names_reg(const struct cairn_touch *t, const struct cairn_insn *i)
{
	unsigned isa = i->isa & CAIRN_ISA_LAST, cls = t->reg.cls[isa], num = t->reg.num[isa];
	struct cairn_operands o;
	struct isa_written w;
	if (isa == CAIRN_ISA_A64 && (cls == CAIRN_REG_FP || (cls == CAIRN_REG_VECTOR && num < 64))) {
		cls = CAIRN_REG_VECTOR; /* d5, s5, z5 … are parts and names of v5 */
		num %= 32;
	}
	if (!t->writes) {
		cairn_isa_operands((enum cairn_isa)(i->isa | i->variant), i->enc, i->size, &o);
		for (unsigned k = 0; k < o.n_src; k++)
			if (o.src[k].cls == cls && o.src[k].num == num)
				return true;
		return false;
	}
	isa_written((enum cairn_isa)(i->isa | i->variant), i->enc, i->size, &w);
	for (unsigned k = 0; k < w.n; k++)
		if (w.reg[k].sure && w.reg[k].cls == cls && num >= w.reg[k].num &&
		    num - w.reg[k].num < w.reg[k].count)
			return true;
	return false;
}

static bool names_reg_again(const struct cairn_touch *t, const struct cairn_insn *i)
{
	unsigned isa = (unsigned)i->isa | i->variant;
	uint64_t key = ((uint64_t)i->enc << 16 | (uint64_t)isa << 8 | i->size) << 1 | UINT64_C(1) << 63;
	_Atomic uint64_t *at = &t->known[base_hash_mix(5, key) % ANSWERS];
	uint64_t answer = atomic_load_explicit(at, memory_order_relaxed);
	if ((answer & ~UINT64_C(1)) != key) {
		answer = key | names_reg(t, i);
		atomic_store_explicit(at, answer, memory_order_relaxed);
	}
	return answer & 1;
}

static bool touches_reg(const struct cairn_touch *t, const struct cairn_batch *b, uint32_t row)
{
	const struct cairn_insn *i = &b->insns[row];
	uint8_t role = t->writes ? CAIRN_ROLE_DST : CAIRN_ROLE_SRC;
	unsigned isa = i->isa <= CAIRN_ISA_LAST ? i->isa : CAIRN_ISA_UNKNOWN;
	if (!(t->reg.known >> isa & 1))
		return false;
	for (uint32_t k = i[0].reg0; k < i[1].reg0; k++) {
		const struct cairn_reg *r = &b->regs[k];
		if (r->num == t->reg.num[isa] && r->cls == t->reg.cls[isa] && r->role == role)
			return true;
	}
	return !(i->flags & (CAIRN_INSN_ENC_UNKNOWN | CAIRN_INSN_ENC_BYTES)) && names_reg_again(t, i);
}

static bool overlaps(const struct cairn_touch *t, uint64_t addr, uint64_t size)
{
	uint64_t more = size ? size - 1 : 0;
	uint64_t end = more > UINT64_MAX - addr ? UINT64_MAX : addr + more;
	return addr <= t->last && end >= t->first;
}

static bool touches_memory(const struct cairn_touch *t, const struct cairn_batch *b, uint32_t row)
{
	const struct cairn_insn *i = &b->insns[row];
	bool executed = !(i->flags & CAIRN_INSN_NOT_EXECUTED);
	uint8_t kind = t->writes ? CAIRN_MEM_WRITE : CAIRN_MEM_READ;
	for (uint32_t k = i[0].mem0; k < i[1].mem0; k++) {
		const struct cairn_mem *m = &b->mems[k];
		if ((m->kind != kind && m->kind != CAIRN_MEM_UNKNOWN) ||
		    (m->flags & CAIRN_VALUE_NOT_WRITTEN) ||
		    (t->writes && !executed && m->initiator == CAIRN_BY_INSN))
			continue;
		if ((!(m->flags & CAIRN_VALUE_ADDR_UNKNOWN) && overlaps(t, m->addr, m->size)) ||
		    ((m->flags & CAIRN_VALUE_PA) && overlaps(t, m->pa, m->size)))
			return true;
	}
	return false;
}

uint32_t cairn_touch_batch(const struct cairn_touch *t, const struct cairn_batch *b, uint8_t *keep)
{
	uint32_t left = 0;
	for (uint32_t i = 0; i < b->n_insns; i++) {
		if (!keep[i])
			continue;
		bool executed = !(b->insns[i].flags & CAIRN_INSN_NOT_EXECUTED);
		keep[i] =
			t->is_reg ? (executed || !t->writes) && touches_reg(t, b, i) : touches_memory(t, b, i);
		left += keep[i];
	}
	for (uint32_t i = 0; i < b->n_xacts && b->n_insns == 0; i++)
		keep[i] = 0;
	return left;
}

int cairn_touch_span(const struct cairn_touch *t, const struct cairn_index *x, size_t i)
{
	uint64_t more = t->last - t->first, size = more == UINT64_MAX ? more : more + 1;
	if (!t->is_reg)
		return t->writes ? cairn_index_writes(x, i, t->first, size)
		                 : cairn_index_reads(x, i, t->first, size);
	for (unsigned isa = 0; isa <= CAIRN_ISA_LAST; isa++)
		if ((t->reg.known >> isa & 1) &&
		    (!t->writes ||
		     cairn_index_writes_reg(x, i, (enum cairn_reg_class)t->reg.cls[isa], t->reg.num[isa])))
			return 1;
	return 0;
}

static bool tells(const struct cairn_touch *t, const struct cairn_batch *b)
{
	uint8_t role = t->writes ? CAIRN_ROLE_DST : CAIRN_ROLE_SRC;
	uint8_t kind = t->writes ? CAIRN_MEM_WRITE : CAIRN_MEM_READ;
	for (uint32_t i = 0; i < b->n_regs && t->is_reg; i++)
		if (b->regs[i].role == role)
			return true;
	for (uint32_t i = 0; i < b->n_insns && t->is_reg; i++) {
		const struct cairn_insn *in = &b->insns[i];
		struct cairn_operands o;
		if (!(in->flags & (CAIRN_INSN_ENC_UNKNOWN | CAIRN_INSN_ENC_BYTES)) &&
		    cairn_isa_operands((enum cairn_isa)in->isa, in->enc, in->size, &o) >= 0)
			return true;
	}
	for (uint32_t i = 0; i < b->n_mems && !t->is_reg; i++)
		if (b->mems[i].kind == kind || b->mems[i].kind == CAIRN_MEM_UNKNOWN)
			return true;
	return false;
}

int cairn_touch_told(struct cairn_reader *r, const struct cairn_touch *t)
{
	uint32_t want = r->want;
	struct cairn_batch *b = cairn_batch_new(r->c);
	int rc = b ? cairn_seek(r, 1) : CAIRN_E_NOMEM;
	bool told = false;
	cairn_reader_want(r, touch_parts(t));
	while (rc >= 0 && !told && (rc = cairn_next(r, b)) > 0)
		told = tells(t, b);
	cairn_reader_want(r, want);
	cairn_batch_free(r->c, b);
	return rc < 0 && rc != CAIRN_E_NOTFOUND ? rc : told;
}
