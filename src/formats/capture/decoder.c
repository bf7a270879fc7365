/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Up: a capture's records into batches.
 *
 * A record tells an instruction with all it did and where its thread went on, so each is
 * a row when it comes; only SPARC's branches wait, in the batch, until the instruction in
 * their slot tells where they went.
 *
 * - A branch was taken when its thread went where the encoding says, or, where a
 *   register says, at all. A jump that nothing explains (a signal handler) is a
 *   discontinuity of what comes next; a load or store without access before it did not
 *   happen: the access failed. What has no condition and says where was taken to there
 *   even so. What a handler is given in registers hides what the instruction before it
 *   wrote into them: that value is not known, unless it is a link.
 * - What the encoding writes is a destination, whether it changed or not. What else
 *   changed is a result on sets where encodings are not known to their last register, and
 *   otherwise, and when a window moved or a handler begins, state before the next.
 * - Memory is looked at after the access by QEMU before 9.2: what registers say of the value
 *   counts for more (moved.c).
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "formats/capture/decoder.h"
#include "isa/arm64.h"
#include "isa/sparc.h"

enum { LAST_CALL = CAIRN_CAP_INSNS - 64, SYSCALL_SPARC = 0x16d, SYSCALL = 8 };

/* Linux gives a handler, in registers, its number, where what it wants to know lies, where it
 * returns to, and its stack. */
bool capture_hidden(const struct decoder *decoder, unsigned num)
{
	if (!decoder->handler)
		return false;
	switch (decoder->im->isa) {
	case CAIRN_ISA_A64:
		return num <= 2 || (num >= 29 && num <= 31);
	case CAIRN_ISA_RV32:
	case CAIRN_ISA_RV64:
		return num == 1 || num == 2 || (num >= 10 && num <= 12);
	default:
		return (num >= 8 && num <= 10) || num == 14 || num == 15;
	}
}

/* ---- who runs ---- */

static struct capture_thread *thread(struct decoder *decoder)
{
	struct capture_impl *im = decoder->im;
	im->ran = true;
	if (!im->threads[im->thread])
		im->threads[im->thread] =
			base_alloc(decoder->reader->cairn,
		               sizeof *im->threads[0] + sizeof(uint64_t) * im->words[CAPTURE_REGS]);
	return im->threads[im->thread];
}

static struct cairn_ctx who(const struct capture_impl *im)
{
	struct cairn_ctx ctx = {.known = CAIRN_CTX_PRIV, .hart = (uint16_t)im->thread};
	ctx.priv = im->isa == CAIRN_ISA_A64 ? CAIRN_PRIV_EL0 : CAIRN_PRIV_USER;
	if (im->several) {
		ctx.known |= CAIRN_CTX_HART | CAIRN_CTX_TID;
		ctx.tid = im->thread + 1;
	}
	return ctx;
}

static void set_context(struct decoder *decoder)
{
	struct cairn_batch *batch = decoder->rows.batch;
	struct cairn_ctx ctx = who(decoder->im);
	decoder->ctx_of = decoder->im->thread;
	for (uint32_t i = batch->n_ctxs; i-- > 0 && batch->n_ctxs - i < 8;)
		if (!memcmp(&batch->ctxs[i], &ctx, sizeof ctx)) {
			decoder->ctx = (uint16_t)i;
			return;
		}
	batch->ctxs[batch->n_ctxs] = ctx;
	decoder->ctx = (uint16_t)batch->n_ctxs++;
}

/* ---- rows ---- */

static struct cairn_reg *capture_decoder_reg_row(struct decoder *decoder, unsigned role)
{
	struct cairn_reg *row = kit_reg(&decoder->rows);
	if (row) {
		row->role = (uint8_t)role;
		row->flags = CAIRN_VALUE_KNOWN;
		row->bits = 64;
	}
	return row;
}

/* A value of more than a word, or of fewer bits. */
static void decoder_put_bits(struct decoder *decoder, struct cairn_reg *row, const uint64_t *words,
                             unsigned bits)
{
	uint8_t bytes[CAPTURE_MOST_VECTOR];
	for (size_t i = 0; i < (bits + 63) / 64; i++)
		base_put_le64(bytes + 8 * i, words[i]);
	row->bits = (uint16_t)bits;
	kit_value(&decoder->rows, bytes, (bits + 7) / 8, &row->value, &row->flags);
}

/* A vector of A64, whole: of SVE, where there is one. */
static void put_arm64_vector(struct decoder *decoder, struct cairn_reg *row, unsigned num,
                             const uint64_t *words)
{
	unsigned vector = decoder->im->vector;
	row->cls = CAIRN_REG_VECTOR;
	row->num = (uint16_t)(num + (vector ? (unsigned)ISA_ARM64_Z0 : 0));
	decoder_put_bits(decoder, row, words, vector ? 8 * vector : 128);
}

/* Registers behind the flags. */
static void decoder_put_others(struct decoder *decoder, struct cairn_reg *row, unsigned num,
                               const uint64_t *words)
{
	const struct capture_impl *im = decoder->im;
	if (num >= CAPTURE_PREDICATE) {
		row->cls = CAIRN_REG_PREDICATE;
		row->num = (uint16_t)(num - CAPTURE_PREDICATE);
		decoder_put_bits(decoder, row, words, im->vector ? im->vector : 64);
	} else if (num >= CAPTURE_VECTOR) {
		row->cls = CAIRN_REG_VECTOR;
		row->num = (uint16_t)(num - CAPTURE_VECTOR);
		decoder_put_bits(decoder, row, words, im->vector ? 8 * im->vector : 64);
	} else {
		row->cls = CAIRN_REG_CSR;
		row->num =
			num == CAPTURE_Y ? (uint16_t)ISA_SPARC_ASR : capture_csr((enum cairn_isa)im->isa, num);
		row->bits = im->isa == CAIRN_ISA_RV32 ? 32 : 64;
	}
}

/* SPARC's floating-point condition codes, which have a name beside FSR. */
static void put_codes(struct decoder *decoder, unsigned role, uint64_t fsr)
{
	enum { FCC0 = 10, FCC1 = 32, THREE = 0x3f };
	struct cairn_reg *row = capture_decoder_reg_row(decoder, role);
	if (!row)
		return;
	row->cls = CAIRN_REG_FLAGS;
	row->num = 1;
	row->bits = 8;
	row->value = (fsr >> FCC0 & 3) | (fsr >> FCC1 & THREE) << 2;
}

/* Put a register of the stream as one of the instruction set's. */
static void decoder_put_reg(struct decoder *decoder, const struct capture_dest *dest, unsigned role)
{
	const struct capture_impl *im = decoder->im;
	const uint64_t *v = capture_value(im, decoder->thread, dest->num);
	bool a64 = im->isa == CAIRN_ISA_A64, dst = role == CAIRN_ROLE_DST;
	struct cairn_reg *row = capture_decoder_reg_row(decoder, role);
	if (!row)
		return;
	row->value = v[0];
	if (dest->num < CAPTURE_FP) {
		row->cls = CAIRN_REG_INT;
		row->num = dest->num;
		row->bits = im->isa == CAIRN_ISA_RV32 || (a64 && dst && dest->bytes == 4) ? 32 : 64;
		row->flags |= a64 && row->bits == 32 ? CAIRN_VALUE_ZEROES : 0;
	} else if (dest->num < CAPTURE_FLAGS && a64) {
		put_arm64_vector(decoder, row, dest->num - CAPTURE_FP, v);
		row->flags |= dst && !im->vector ? CAIRN_VALUE_ZEROES : 0;
	} else if (dest->num < CAPTURE_FLAGS) {
		row->cls = CAIRN_REG_FP;
		row->num = (uint16_t)(dest->num - CAPTURE_FP);
		if (im->isa == CAIRN_ISA_SPARC && dest->half) {
			row->num = (uint16_t)(2 * row->num + dest->half - 1);
			row->bits = 32;
			row->value = dest->half == 1 ? v[0] >> 32 : v[0] & UINT32_MAX;
		} else if (im->isa == CAIRN_ISA_SPARC) {
			row->num = (uint16_t)(row->num + 32);
		}
	} else if (dest->num == CAPTURE_FLAGS) {
		row->cls = CAIRN_REG_FLAGS;
		row->bits = a64 ? 4 : 8;
	} else {
		decoder_put_others(decoder, row, dest->num, v);
		if (im->isa == CAIRN_ISA_SPARC && dest->num == CAPTURE_FSR && (dest->codes || !dst))
			put_codes(decoder, role, v[0]);
	}
}

static uint64_t mem_value(const struct capture_impl *im, const uint8_t *p, unsigned n)
{
	return im->isa == CAIRN_ISA_SPARC ? base_be(p, n) : base_le(p, n);
}

static struct cairn_mem *capture_decoder_mem_row(struct decoder *decoder, unsigned kind,
                                                 uint64_t addr, unsigned size)
{
	struct cairn_mem *mem = kit_mem(&decoder->rows);
	if (mem) {
		mem->addr = addr;
		mem->size = size;
		mem->kind = (uint8_t)kind;
	}
	return mem;
}

/* A store-conditional leaves in a register whether it stored. */
static bool did_store(const struct decoder *decoder, const struct capture_insn *in)
{
	struct isa_arm64_access access;
	unsigned status = in->dests.n ? in->dests.dest[0].num : CAPTURE_REGS;
	if (!(in->op.traits & CAIRN_TRAIT_RESERVED_SC))
		return true;
	if (decoder->im->isa == CAIRN_ISA_A64)
		status = isa_arm64_access(in->enc, &access) ? access.status : ISA_ARM64_NO_REG;
	return status >= CAPTURE_REGS || !decoder->thread->has[status] ||
	       capture_hidden(decoder, status) ||
	       *capture_value(decoder->im, decoder->thread, status) == 0;
}

static bool is_atomic(const struct capture_insn *in)
{
	return in->op.traits & CAIRN_TRAIT_ATOMIC &&
	       !(in->op.traits & (CAIRN_TRAIT_RESERVED_LR | CAIRN_TRAIT_RESERVED_SC));
}

/* The bytes of an access, or what registers say instead. `old`: as in capture_stored. */
static void decoder_put_value(struct decoder *decoder, const struct capture_insn *in,
                              const struct capture_given *given, const uint8_t *p,
                              const uint64_t *old, struct cairn_mem *mem)
{
	if (!mem)
		return;
	unsigned kind = capture_ACCESS_kind(p);
	const uint8_t *value = capture_access_value(p);
	bool operand = kind & CAPTURE_OPERAND, moved = kind & CAPTURE_MOVED && !operand;
	bool reads = mem->kind == CAIRN_MEM_READ;
	if (mem->size > 8 && kind & CAPTURE_VALUE && (moved || !reads || !is_atomic(in))) {
		uint8_t bytes[16];
		for (unsigned i = 0; i < 16; i++)
			bytes[i] = value[decoder->im->isa == CAIRN_ISA_SPARC ? mem->size - 1 - i : i];
		kit_value(&decoder->rows, bytes, sizeof bytes, &mem->value, &mem->flags);
		mem->words = 2;
	} else if (reads && is_atomic(in) && !moved) { /* memory has the new one already */
		mem->value = old ? *old : 0;
		mem->flags |= old ? CAIRN_VALUE_KNOWN : 0;
	} else if (!moved && (reads ? capture_loaded(decoder, in, mem->size, &mem->value)
	                            : capture_stored(in, given, mem->size, old, &mem->value))) {
		mem->flags |= CAIRN_VALUE_KNOWN;
	} else if (kind & CAPTURE_VALUE && mem->size <= 8) {
		struct capture_given x = {.data = mem_value(decoder->im, value, mem->size),
		                          .has_data = true};
		x.data = operand && in->move.combine == ISA_ARM64_CLR ? ~x.data : x.data;
		mem->value = x.data;
		if (!operand || capture_stored(in, &x, mem->size, old, &mem->value))
			mem->flags |= CAIRN_VALUE_KNOWN;
	}
}

/* What an atomic found where it stores, if anything shows that. */
static bool decoder_found(const struct decoder *decoder, const struct capture_insn *in,
                          const uint8_t *p, uint64_t *values)
{
	const struct cairn_mem *mem = decoder->rows.batch->n_mems > decoder->rows.mem0
	                                  ? &decoder->rows.batch->mems[decoder->rows.batch->n_mems - 1]
	                                  : NULL;
	unsigned kind = capture_ACCESS_kind(p), size = capture_ACCESS_bytes(p);
	if (!is_atomic(in) || size > 8)
		return false;
	if (mem && mem->kind == CAIRN_MEM_READ && mem->flags & CAIRN_VALUE_KNOWN) {
		*values = mem->value;
		return true;
	}
	if (kind & CAPTURE_MOVED)
		return false;
	if (capture_loaded(decoder, in, size, values))
		return true;
	if (kind & CAPTURE_OLD)
		*values = mem_value(decoder->im, capture_access_old(p), size);
	return kind & CAPTURE_OLD;
}

/* `both`: of an atomic the store alone is told. */
static void decoder_put_mem(struct decoder *decoder, const struct capture_insn *in,
                            const struct capture_given *given, const uint8_t *p, bool both)
{
	unsigned kind = capture_ACCESS_kind(p) & CAPTURE_WRITE ? CAIRN_MEM_WRITE : CAIRN_MEM_READ;
	unsigned size = capture_ACCESS_bytes(p);
	uint64_t addr = capture_ACCESS_address(p), v = 0;
	const uint64_t *old = decoder_found(decoder, in, p, &v) ? &v : NULL;
	/* Some versions report an atomic once, as a store; others report both halves even of what only
	 * stores. */
	if (is_atomic(in) && both)
		decoder_put_value(decoder, in, given, p, old,
		                  capture_decoder_mem_row(decoder, CAIRN_MEM_READ, addr, size));
	if (kind == CAIRN_MEM_WRITE ? !did_store(decoder, in) || capture_refused(in, given, size, old)
	                            : (in->op.traits & CAIRN_TRAIT_RESERVED_SC) != 0)
		return;
	decoder_put_value(decoder, in, given, p, old,
	                  capture_decoder_mem_row(decoder, kind, addr, size));
}

static void decoder_put_mems(struct decoder *decoder, const struct capture_insn *in,
                             const struct capture_given *given, const struct capture_record *record)
{
	const uint8_t *p = record->accesses;
	bool read = false;
	for (unsigned i = 0; i < record->n_accesses; i++, p += capture_access_length(p))
		read |= capture_ACCESS_kind(p) & CAPTURE_READ;
	p = record->accesses;
	for (unsigned i = 0; i < record->n_accesses; i++, p += capture_access_length(p))
		if (decoder->rows.want & CAIRN_MEMS)
			decoder_put_mem(decoder, in, given, p, !read);
}

/* A program in user mode sees no translation; where a format wants fetches, its first instruction
 * has one. */
static void put_fetch(struct decoder *decoder, uint64_t pc)
{
	decoder->thread->seen = true;
	if (decoder->im->isa != CAIRN_ISA_SPARC)
		return;
	struct cairn_mem *mem = capture_decoder_mem_row(decoder, CAIRN_MEM_FETCH, pc, 4);
	if (!mem)
		return;
	mem->pa = pc;
	mem->flags = CAIRN_VALUE_PA;
}

static void put_syscall(struct decoder *decoder, const uint8_t *p)
{
	uint64_t number = base_le64(p);
	struct cairn_event *event = kit_event(&decoder->rows, CAIRN_EV_SYSCALL, CAIRN_ON);
	if (event) {
		event->code = decoder->im->isa == CAIRN_ISA_SPARC ? SYSCALL_SPARC : SYSCALL;
		event->flags = CAIRN_EVF_RECORD;
	}
	kit_args(&decoder->rows, event, &number, 1);
}

/* ---- registers ---- */

static void put_pending(struct decoder *decoder)
{
	struct capture_thread *thread = decoder->thread;
	if (!thread->any_pending)
		return;
	for (unsigned i = 0; i < CAPTURE_REGS; i++)
		if (thread->pending[i])
			decoder_put_reg(decoder, &(struct capture_dest){.num = (uint8_t)i, .bytes = 8},
			                CAIRN_ROLE_STATE);
	memset(thread->pending, 0, sizeof thread->pending);
	thread->any_pending = false;
}

/* Values into the thread's registers. */
static void decoder_take_regs(struct decoder *decoder, const struct capture_record *record)
{
	const uint8_t *v = record->registers + capture_numbers_length(record->n_registers);
	for (unsigned i = 0; i < record->n_registers; i++) {
		unsigned num = record->registers[i];
		uint64_t *value = capture_value(decoder->im, decoder->thread, num);
		for (unsigned k = 0; k < capture_words(decoder->im, num); k++, v += 8)
			value[k] = base_le64(v);
		decoder->thread->has[num] = 1;
	}
}

static bool hardwired(const struct capture_impl *im, unsigned num)
{
	return num == 0 && im->isa != CAIRN_ISA_A64;
}

static void decoder_hold(struct decoder *decoder, unsigned num)
{
	if (hardwired(decoder->im, num))
		return;
	decoder->thread->pending[num] = 1;
	decoder->thread->any_pending = true;
}

/* Put registers that no instruction of the trace changed. */
static void decoder_hold_regs(struct decoder *decoder, const struct capture_record *record)
{
	for (unsigned i = 0; i < record->n_registers; i++)
		decoder_hold(decoder, record->registers[i]);
}

/* Put what an instruction wrote into a register that the handler uses by now. */
static void put_hidden(struct decoder *decoder, const struct capture_insn *in,
                       const struct capture_dest *dest)
{
	uint64_t *v = capture_value(decoder->im, decoder->thread, dest->num), now = v[0];
	uint32_t n = decoder->rows.batch->n_regs;
	bool call = in->op.traits & CAIRN_TRAIT_BRANCH && dest->num < CAPTURE_FP;
	*v = decoder->im->isa == CAIRN_ISA_SPARC ? in->pc : in->pc + in->size;
	decoder_put_reg(decoder, dest, CAIRN_ROLE_DST);
	*v = now;
	if (!call && decoder->rows.batch->n_regs > n) {
		decoder->rows.batch->regs[n].flags &= (uint8_t)~CAIRN_VALUE_KNOWN;
		decoder->rows.batch->regs[n].value = 0;
	}
	decoder_hold(decoder, dest->num);
}

/* `done`: the registers that have been put, a bit each. */
static void put_dests(struct decoder *decoder, const struct capture_insn *in,
                      const struct capture_record *record, bool explained, uint64_t done)
{
	const struct capture_dests *dests = &in->dests;
	for (unsigned i = 0; i < dests->n; i++) {
		if (!decoder->thread->has[dests->dest[i].num] ||
		    (dests->dest[i].num < 64 && done >> dests->dest[i].num & 1))
			continue;
		if (capture_hidden(decoder, dests->dest[i].num))
			put_hidden(decoder, in, &dests->dest[i]);
		else
			decoder_put_reg(decoder, &dests->dest[i], CAIRN_ROLE_DST);
	}
	for (unsigned i = 0; i < record->n_registers; i++) {
		uint8_t num = record->registers[i];
		if (capture_is_dest(dests, num))
			continue;
		if ((dests->all || num >= CAPTURE_CONTROL) && !dests->window && explained &&
		    !hardwired(decoder->im, num))
			decoder_put_reg(decoder, &(struct capture_dest){.num = num, .bytes = 8},
			                CAIRN_ROLE_DST);
		else
			decoder_hold(decoder, num);
	}
}

/* ---- A64: which register an access fills or empties ---- */

enum {
	NOT_PLAIN = ISA_ARM64_ATOMIC | ISA_ARM64_REPLICATE | ISA_ARM64_STRUCT | ISA_ARM64_ONE_LANE |
	            ISA_ARM64_VL | ISA_ARM64_MOPS | ISA_ARM64_TAG | ISA_ARM64_ZERO |
	            ISA_ARM64_PREFETCH | ISA_ARM64_GATHER,
	MOVED = 64 /* bytes of one instruction's registers */
};

/* Do the accesses move whole registers, one after another, of the same size? Some versions report a
 * pair as one access, others a vector as two. Gathers their bytes, as memory has them. */
static bool is_plain(const struct isa_arm64_access *access, const uint8_t *p, unsigned n,
                     unsigned bytes, uint8_t data[MOVED])
{
	unsigned kind = access->flags & ISA_ARM64_LOAD ? CAPTURE_READ : CAPTURE_WRITE, sum = 0;
	uint64_t at = n ? capture_ACCESS_address(p) : 0;
	if (access->flags & NOT_PLAIN || (access->bank != ISA_ARM64_X && access->bank != ISA_ARM64_V) ||
	    !bytes)
		return false;
	for (unsigned i = 0; i < n; i++, p += capture_access_length(p)) {
		unsigned is = capture_ACCESS_kind(p), size = capture_ACCESS_bytes(p);
		if (!(is & kind) || !(is & CAPTURE_VALUE) || capture_ACCESS_address(p) != at + sum ||
		    sum + size > MOVED)
			return false;
		memcpy(data + sum, capture_access_value(p), size);
		sum += size;
	}
	return sum == bytes * access->n_regs;
}

/* Put a piece of a register that goes to memory or comes from there; its row + 1, 0: none. */
static uint16_t decoder_moved(struct decoder *decoder, const struct capture_insn *in,
                              const struct isa_arm64_access *access, unsigned reg, unsigned bytes,
                              const uint8_t *value, uint64_t *done)
{
	bool load = access->flags & ISA_ARM64_LOAD, vector = access->bank == ISA_ARM64_V;
	unsigned num = reg + (vector ? (unsigned)CAPTURE_FP : 0);
	bool zero = !vector && reg == 31;
	static const uint64_t nothing;
	if (zero ? load || !(decoder->im->flags & CAPTURE_REGISTERS) : !decoder->thread->has[num])
		return 0;
	if (!load && !zero && capture_is_dest(&in->dests, num))
		return 0;
	struct cairn_reg *row =
		capture_decoder_reg_row(decoder, load ? CAIRN_ROLE_DST : CAIRN_ROLE_SRC);
	if (!row)
		return 0;
	*done |= (uint64_t)load << num;
	const uint64_t *words = zero ? &nothing : capture_value(decoder->im, decoder->thread, num);
	row->num = zero ? (uint16_t)ISA_ARM64_XZR : (uint16_t)reg;
	row->cls = vector ? CAIRN_REG_VECTOR : CAIRN_REG_INT;
	if (vector && decoder->im->vector) {
		put_arm64_vector(decoder, row, reg, words);
		return (uint16_t)decoder->rows.batch->n_regs;
	}
	decoder_put_bits(decoder, row, words, vector ? 8 * bytes : access->lane > 4 ? 64 : 32);
	if (!(row->flags & CAIRN_VALUE_WIDE))
		row->value &= UINT64_MAX >> (64 - row->bits);
	if (load && (vector || row->bits == 32))
		row->flags |= CAIRN_VALUE_ZEROES;
	if (!vector && !zero && capture_hidden(decoder, num)) {
		bool whole = 8 * bytes == row->bits;
		row->value = whole ? base_le(value, bytes) : 0;
		row->flags = (uint8_t)(whole ? row->flags : row->flags & ~CAIRN_VALUE_KNOWN);
		if (load)
			decoder_hold(decoder, num);
	}
	return (uint16_t)decoder->rows.batch->n_regs;
}

/* An access of a vector's low bytes has what these are. */
static void decoder_same(struct decoder *decoder, struct cairn_mem *mem,
                         const struct cairn_reg *row, unsigned bytes)
{
	if (bytes == 16)
		mem->value = row->value;
	else
		mem->value = base_le(&decoder->rows.batch->bytes[row->value], bytes);
}

/* Put registers and accesses of a plain load or store. False: it is not one, and nothing was put.
 *  */
static bool put_moved(struct decoder *decoder, const struct capture_insn *in,
                      const struct capture_record *record, uint64_t *done)
{
	const uint8_t *p = record->accesses;
	unsigned n = record->n_accesses;
	struct isa_arm64_access access;
	if (!n || decoder->im->isa != CAIRN_ISA_A64 || !isa_arm64_access(in->enc, &access))
		return false;
	if (in->op.traits & CAIRN_TRAIT_RESERVED_SC && n == 2 &&
	    capture_ACCESS_kind(p) & CAPTURE_READ) {
		p += capture_access_length(p); /* QEMU compares first */
		n--;
	}
	unsigned bytes = (unsigned)access.element * (access.elements ? access.elements : 1u);
	uint8_t data[MOVED];
	if (!is_plain(&access, p, n, bytes, data) || !did_store(decoder, in))
		return false;
	for (unsigned i = 0; i < access.n_regs; i++) {
		const uint8_t *value = data + i * bytes;
		uint16_t reg = decoder_moved(decoder, in, &access, access.regs[i], bytes, value, done);
		struct cairn_mem *mem = capture_decoder_mem_row(
			decoder, access.flags & ISA_ARM64_LOAD ? CAIRN_MEM_READ : CAIRN_MEM_WRITE,
			capture_ACCESS_address(p) + i * bytes, bytes);
		if (!mem)
			continue;
		mem->reg = reg;
		mem->words = bytes == 16 ? 2 : 0;
		kit_value(&decoder->rows, value, bytes, &mem->value, &mem->flags);
		/* Another thread may have written to memory since; the register holds what was moved. */
		const struct cairn_reg *row = reg ? &decoder->rows.batch->regs[reg - 1] : NULL;
		if (row && row->flags & CAIRN_VALUE_KNOWN && !(row->flags & CAIRN_VALUE_WIDE) && bytes <= 8)
			mem->value = row->value & (UINT64_MAX >> (64 - 8 * bytes));
		else if (row && row->flags & CAIRN_VALUE_WIDE && mem->flags & CAIRN_VALUE_KNOWN)
			decoder_same(decoder, mem, row, bytes);
	}
	return true;
}

static bool is_memory(const struct cairn_op *op)
{
	return op->traits & (CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE) &&
	       !(op->traits & (CAIRN_TRAIT_PREFETCH | CAIRN_TRAIT_CACHE | CAIRN_TRAIT_RESERVED_SC));
}

/* Does SVE load or store, while QEMU tells of no access? Up to 8.0 it does not, but for whole registers;
 * where no element is active there is none. */
static bool is_silent(const struct decoder *decoder, const struct capture_insn *in)
{
	unsigned governing = CAPTURE_PREDICATE + (in->enc >> 10 & 7);
	const uint64_t *words = capture_value(decoder->im, decoder->thread, governing);
	uint64_t any = !decoder->thread->has[governing];
	if (in->op.isa != CAIRN_ISA_A64 || (in->enc >> 25 & 15) != 2)
		return false;
	for (unsigned i = 0; i < capture_words(decoder->im, governing); i++)
		any |= words[i];
	return any != 0;
}

/* ---- records ---- */

static int take_def(struct decoder *decoder, const uint8_t *p)
{
	struct capture_impl *im = decoder->im;
	if (im->n_insns == im->cap_insns) {
		size_t cap = im->cap_insns ? 2 * im->cap_insns : 4096;
		struct capture_insn *more =
			base_realloc(decoder->reader->cairn, im->insns, cap * sizeof *more);
		if (!more)
			return CAIRN_E_NOMEM;
		im->insns = more;
		im->cap_insns = cap;
	}
	struct capture_insn *in = &im->insns[im->n_insns++];
	*in = (struct capture_insn){.pc = capture_DEF_pc(p),
	                            .enc = capture_DEF_encoding(p),
	                            .next = capture_DEF_next(p),
	                            .size = capture_DEF_bytes(p),
	                            .next_known = capture_DEF_next_known(p) != 0};
	cairn_isa_decode((enum cairn_isa)im->isa, in->enc, in->size, &in->op);
	capture_dests(&in->op, &in->dests);
	capture_move(&in->op, &in->move);
	return 0;
}

static void decoder_begin_row(struct decoder *decoder, const struct capture_insn *in)
{
	struct cairn_batch *batch = decoder->rows.batch;
	batch->insns[batch->n_insns] =
		(struct cairn_insn){.pc = in->pc,
	                        .enc = in->enc,
	                        .traits = in->op.traits,
	                        .cls = in->op.cls,
	                        .size = in->size,
	                        .isa = decoder->im->isa,
	                        .ctx = decoder->ctx,
	                        .rec = (uint32_t)(decoder->im->records - batch->rec0),
	                        .off = (uint32_t)(decoder->im->at - batch->off0),
	                        .reg0 = (uint16_t)decoder->rows.reg0,
	                        .mem0 = (uint16_t)decoder->rows.mem0,
	                        .ev0 = (uint16_t)decoder->rows.ev0};
	if (decoder->thread->follows && decoder->thread->pc != in->pc)
		batch->insns[batch->n_insns].flags |= CAIRN_INSN_DISCONTINUITY;
}

/* It did not finish, and runs again: the emulator had to do something first (spill a window of
 * registers, keep other threads away). Only the time it finishes counts. */
static bool restarts(struct decoder *decoder, const struct capture_insn *in,
                     const struct capture_record *record)
{
	if (!(capture_EXEC_flags(record->p) & CAPTURE_NEXT) || record->n_accesses ||
	    (in->op.traits & CAIRN_TRAIT_BRANCH && !in->dests.window) ||
	    base_le64(record->next) != in->pc)
		return false;
	decoder_take_regs(decoder, record);
	decoder_hold_regs(decoder, record);
	return true;
}

static void decoder_report_dropped(struct decoder *decoder)
{
	uint64_t off = decoder->im->at;
	char place[64], why[192];
	snprintf(place, sizeof place, "byte 0x%llx, instruction %llu", (unsigned long long)off,
	         (unsigned long long)decoder->im->n - 1);
	if (kit_dropped(&decoder->rows, why, sizeof why, place))
		model_damage_event(decoder->reader, decoder->span, decoder->rows.batch, decoder->rows.seq++,
		                   CAIRN_AFTER, off, 0, "%s", why);
}

static void take_exec(struct decoder *decoder, const struct capture_record *record)
{
	struct capture_impl *im = decoder->im;
	struct cairn_batch *batch = decoder->rows.batch;
	struct capture_thread *thread = decoder->thread;
	const struct capture_insn *in = &im->insns[capture_EXEC_id(record->p)];
	unsigned n_mems = record->n_accesses, flags = capture_EXEC_flags(record->p);
	uint32_t row_at = batch->n_insns;
	if (restarts(decoder, in, record))
		return;
	if (decoder->ctx_of != im->thread)
		set_context(decoder);
	decoder_begin_row(decoder, in);
	batch->n_insns++;
	put_pending(decoder);
	uint64_t to = 0, *points_to = capture_points(decoder, in, &to) ? &to : NULL;
	struct capture_given given = {0};
	if (n_mems)
		capture_give(decoder, in, &given);
	decoder_take_regs(decoder, record);
	uint64_t falls_to = in->pc + in->size;
	uint64_t next = flags & CAPTURE_NEXT ? base_le64(record->next) : falls_to;
	bool open = flags & CAPTURE_OPEN, falls = next == falls_to, annulled = false, explained = falls;
	if (open)
		explained = true;
	else if (im->isa == CAIRN_ISA_SPARC)
		explained = capture_delayed(decoder, in, row_at, next, falls, points_to, &annulled);
	else if (in->op.traits & CAIRN_TRAIT_BRANCH)
		explained = capture_branch(in, &batch->insns[row_at], next, falls, points_to);
	if (n_mems == 0 && is_memory(&in->op) && (open || !explained))
		batch->insns[row_at].flags |= CAIRN_INSN_ABORTED;
	im->silent += n_mems == 0 && is_memory(&in->op) && explained && is_silent(decoder, in);
	uint64_t done = 0;
	decoder->handler = !explained && !(in->op.traits & CAIRN_TRAIT_SYSCALL);
	bool plain = put_moved(decoder, in, record, &done);
	put_dests(decoder, in, record, explained, done);
	if (!thread->seen)
		put_fetch(decoder, in->pc);
	if (!plain)
		decoder_put_mems(decoder, in, &given, record);
	if (flags & CAPTURE_SYSCALL)
		put_syscall(decoder, record->args);
	if (annulled)
		capture_annulled(decoder, in);
	thread->follows = !open;
	thread->pc = explained ? next : falls_to;
	im->n++;
}

static int capture_decoder_take(struct decoder *decoder, const struct capture_record *record)
{
	struct capture_impl *im = decoder->im;
	const uint8_t *p = record->p;
	unsigned type = capture_type(p);
	switch (type) {
	case CAPTURE_DEF:
		return take_def(decoder, p);
	case CAPTURE_CPU:
		im->cpu_told = true;
		im->vector = capture_CPU_vector(p);
		im->missing = capture_CPU_missing(p);
		capture_arrange(im);
		return 0;
	case CAPTURE_THREAD:
		im->thread = capture_THREAD_thread(p);
		im->several |= im->thread != 0;
		return 0;
	case CAPTURE_END:
		im->ended = true;
		im->why = capture_END_why(p);
		im->lost_accesses = capture_END_lost(p);
		im->skipped = capture_END_before(p);
		return 0;
	default:
		break;
	}
	decoder->thread = thread(decoder);
	if (!decoder->thread)
		return CAIRN_E_NOMEM;
	if (type == CAPTURE_STATE) {
		decoder_take_regs(decoder, record);
		decoder_hold_regs(decoder, record);
		return 0;
	}
	kit_rows_next(&decoder->rows, false);
	take_exec(decoder, record);
	decoder_report_dropped(decoder);
	return 0;
}

/* ---- batches ---- */

static bool waits(const struct decoder *decoder)
{
	return decoder->im->n_open && decoder->rows.batch->n_insns < CAIRN_CAP_INSNS - 8;
}

/* No branch stays open beyond the batch that holds its row. */
static void forget_branches(struct capture_impl *im)
{
	for (unsigned i = 0; im->n_open && i < CAPTURE_THREADS; i++)
		if (im->threads[i])
			im->threads[i]->branch_open = false;
	im->n_open = 0;
}

int capture_decode(struct cairn_reader *reader, struct model_span *span, struct cairn_batch *batch)
{
	struct capture_impl *im = reader->impl;
	struct decoder decoder = {.reader = reader,
	                          .im = im,
	                          .span = span,
	                          .rows = {.batch = batch, .want = reader->want}};
	struct capture_record record;
	int len = 0, rc = 0;
	model_batch_clear(batch);
	batch->n0 = im->n;
	batch->x0 = 1;
	batch->rec0 = im->records;
	batch->off0 = im->at;
	batch->have = reader->can & (reader->want | CAIRN_PC | CAIRN_ENC | CAIRN_CLASS | CAIRN_TARGET);
	set_context(&decoder);
	while (rc >= 0 &&
	       !((batch->n_insns >= LAST_CALL || model_batch_full(batch)) && !waits(&decoder)) &&
	       (len = capture_show(reader, &record)) > 0) {
		rc = capture_decoder_take(&decoder, &record);
		im->pos += (size_t)len;
		im->at += (uint64_t)len;
		im->records++;
	}
	forget_branches(im);
	model_batch_close(batch, batch->n_regs, batch->n_mems, batch->n_events, decoder.ctx);
	if (rc < 0 || (len < 0 && model_batch_empty(batch)))
		return rc < 0 ? rc : len;
	return !model_batch_empty(batch);
}
