/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file of registers; see regs.h. Nearly all registers have at most 64 bits and are
 * written as a whole, so those lie in the rows of the table; what is wider gets bytes of
 * its own, least significant first, and its row repeats the first eight of them.
 *
 * Three masks rule: a bit is set (the part tells of it) or not, and known only if set;
 * values are 0 where they are not known, so that equal knowledge is equal bytes.
 */
#include "analysis/regs.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

enum part_of_wide { VALUE, KNOWN, SET };

static uint8_t *regs_bytes_of(const struct regs_wide *wide, enum part_of_wide part)
{
	return (uint8_t *)(uintptr_t)wide->bytes + (size_t)part * wide->len;
}

/* ---- the table ---- */

static size_t regs_spread(uint64_t key, size_t cap)
{
	return (size_t)(key * 0x9e3779b97f4a7c15u >> 20) & (cap - 1);
}

void regs_free(struct regs *regs)
{
	for (size_t i = 0; regs->n && i < regs->cap; i++)
		base_free(regs->cairn, regs->rows[i].wide);
	base_free(regs->cairn, regs->rows);
	base_free(regs->cairn, regs->wiped);
	regs->rows = NULL;
	regs->wiped = NULL;
	regs->cap = regs->n = 0;
	regs->n_wiped = regs->cap_wiped = 0;
}

/* Freed, not emptied: what clearing costs was paid by what was put. */
void regs_clear(struct regs *regs)
{
	regs_free(regs);
	regs->full = false;
}

static struct regs_row *regs_slot_of(const struct regs *regs, uint64_t key)
{
	size_t i = regs_spread(key, regs->cap);
	while (regs->rows[i].key && regs->rows[i].key != key)
		i = (i + 1) & (regs->cap - 1);
	return &regs->rows[i];
}

const struct regs_row *regs_find(const struct regs *regs, uint64_t key)
{
	const struct regs_row *row = regs->cap ? regs_slot_of(regs, key) : NULL;
	return row && row->key ? row : NULL;
}

static int regs_grow(struct regs *regs)
{
	struct regs more = *regs;
	more.cap = regs->cap ? 2 * regs->cap : 256;
	more.rows = base_alloc(regs->cairn, more.cap * sizeof *more.rows);
	if (!more.rows)
		return CAIRN_E_NOMEM;
	for (size_t i = 0; i < regs->cap; i++)
		if (regs->rows[i].key)
			*regs_slot_of(&more, regs->rows[i].key) = regs->rows[i];
	base_free(regs->cairn, regs->rows);
	*regs = more;
	return 0;
}

/* The row of a register, made if need be; NULL in *out when there are too many. */
static int row_for(struct regs *regs, uint64_t key, struct regs_row **out)
{
	if (2 * regs->n >= regs->cap) {
		int rc = regs_grow(regs);
		if (rc < 0)
			return rc;
	}
	*out = regs_slot_of(regs, key);
	if ((*out)->key)
		return 0;
	if (regs->n == REGS_MOST) {
		regs->full = true;
		*out = NULL;
		return 0;
	}
	(*out)->key = key;
	regs->n++;
	return 0;
}

/* ---- wide ones ---- */

/* The row repeats what lies lowest. */
static void repeat(struct regs_row *row)
{
	row->value = base_le64(regs_bytes_of(row->wide, VALUE));
	row->known = base_le64(regs_bytes_of(row->wide, KNOWN));
	row->set = base_le64(regs_bytes_of(row->wide, SET));
}

/* Make its bytes reach to bit `bits`. */
static int regs_widen(struct regs *regs, struct regs_row *row, uint32_t bits)
{
	size_t had = row->wide ? row->wide->len : 0, len = ((size_t)bits + 63) / 64 * 8;
	if (len <= had)
		return 0;
	struct regs_wide *wide = base_alloc(regs->cairn, sizeof *wide + 3 * len);
	if (!wide)
		return CAIRN_E_NOMEM;
	wide->len = (uint32_t)len;
	if (row->whole)
		memset(regs_bytes_of(wide, SET), 0xff, len);
	for (enum part_of_wide k = VALUE; row->wide && k <= SET; k++)
		memcpy(regs_bytes_of(wide, k), regs_bytes_of(row->wide, k), had);
	if (!row->wide) {
		base_put_le64(regs_bytes_of(wide, VALUE), row->value);
		base_put_le64(regs_bytes_of(wide, KNOWN), row->known);
		base_put_le64(regs_bytes_of(wide, SET), row->set);
	}
	base_free(regs->cairn, row->wide);
	row->wide = wide;
	return 0;
}

/* Eight bits of `src` from bit `at` on, which may lie before its beginning or behind its
 * `bits` bits: zeros there. */
static uint8_t eight_bits(const uint8_t *src, uint32_t bits, int64_t at)
{
	unsigned v = 0;
	for (int i = 0; i < 8; i++)
		if (at + i >= 0 && at + i < (int64_t)bits)
			v |= (unsigned)(src[(at + i) / 8] >> ((at + i) & 7) & 1) << i;
	return (uint8_t)v;
}

/* Which of the bits from `at` on are among `bits` bits? */
static uint8_t eight_mask(uint32_t bits, int64_t at)
{
	unsigned v = 0;
	for (int i = 0; i < 8; i++)
		v |= (unsigned)(at + i >= 0 && at + i < (int64_t)bits) << i;
	return (uint8_t)v;
}

static void put_wide(struct regs_row *row, uint32_t lsb, uint32_t bits, const uint8_t *src)
{
	uint8_t *value = regs_bytes_of(row->wide, VALUE), *known = regs_bytes_of(row->wide, KNOWN);
	uint8_t *set = regs_bytes_of(row->wide, SET);
	for (uint32_t i = lsb / 8; i < (lsb + bits + 7) / 8; i++) {
		int64_t at = 8 * (int64_t)i - (int64_t)lsb;
		bool plain = at >= 0 && at % 8 == 0 && at + 8 <= (int64_t)bits;
		uint8_t mask = plain ? 0xff : eight_mask(bits, at);
		uint8_t v = !src ? 0 : plain ? src[at / 8] : eight_bits(src, bits, at);
		value[i] = (uint8_t)((value[i] & ~mask) | v);
		known[i] = (uint8_t)(src ? known[i] | mask : known[i] & ~mask);
		set[i] |= mask;
	}
	repeat(row);
}

/* Nothing of it is known, whatever was. */
static void analysis_regs_forget(struct regs *regs, struct regs_row *row)
{
	base_free(regs->cairn, row->wide);
	row->wide = NULL;
	row->value = row->known = 0;
	row->set = UINT64_MAX;
	row->from = 0;
	row->whole = true;
}

/* ---- telling ---- */

/* The bytes of a row's value; NULL when it has none that lie where they should. */
static const uint8_t *regs_source(const struct cairn_batch *batch, const struct cairn_reg *reg,
                                  uint8_t word[8])
{
	size_t n = ((size_t)reg->bits + 7) / 8;
	if (!(reg->flags & CAIRN_VALUE_WIDE)) {
		base_put_le64(word, reg->value);
		return reg->bits <= 64 ? word : NULL;
	}
	return n && reg->value <= batch->n_bytes && n <= batch->n_bytes - reg->value
	           ? batch->bytes + reg->value
	           : NULL;
}

static int put_piece(struct regs *regs, uint64_t key, const struct cairn_batch *batch,
                     const struct cairn_reg *reg, bool known, uint64_t told)
{
	struct regs_row *row;
	uint8_t word[8];
	uint32_t bits = reg->bits ? reg->bits : 64, lsb = reg->lsb;
	const uint8_t *src = known ? regs_source(batch, reg, word) : NULL;
	int rc = row_for(regs, key, &row);
	if (rc < 0 || !row)
		return rc;
	row->told = told;
	row->said = known && reg->flags & CAIRN_VALUE_DERIVED ? REGS_DERIVED : REGS_TOLD;
	bool beyond = bits > REGS_MOST_BITS - lsb; /* lsb has 16 bits */
	if (beyond || (!src && (reg->bits == 0 || (lsb == 0 && bits >= row->bits)))) {
		if (!beyond && row->bits < lsb + bits)
			row->bits = lsb + bits;
		analysis_regs_forget(regs, row);
		return 0;
	}
	if (row->bits < lsb + bits)
		row->bits = lsb + bits;
	if (row->bits <= 64) {
		uint64_t mask = (bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1) << lsb;
		uint64_t v = src ? base_le64(word) << lsb & mask : 0;
		if (src && (reg->flags & CAIRN_VALUE_WIDE))
			v = base_le(src, (bits + 7) / 8) << lsb & mask;
		row->value = (row->value & ~mask) | v;
		row->known = src ? row->known | mask : row->known & ~mask;
		row->set |= mask;
		return 0;
	}
	rc = regs_widen(regs, row, row->bits);
	if (rc >= 0)
		put_wide(row, lsb, bits, src);
	return rc;
}

/* ---- forgetting ---- */

static bool covers(const struct regs_wiped *wiped, uint64_t key)
{
	unsigned num = key & 0xffff;
	return wiped->hart == (uint16_t)(key >> 24) &&
	       (wiped->reg.cls == ISA_ANY_CLASS || wiped->reg.cls == (uint8_t)(key >> 16)) &&
	       num >= wiped->reg.num && num - wiped->reg.num < wiped->reg.count;
}

static bool is_wiped(const struct regs *regs, const struct regs_wiped *wiped)
{
	for (size_t i = regs->n_wiped; i-- > 0;)
		if (regs->wiped[i].hart == wiped->hart && regs->wiped[i].reg.cls == wiped->reg.cls &&
		    regs->wiped[i].reg.num <= wiped->reg.num &&
		    regs->wiped[i].reg.num + regs->wiped[i].reg.count >= wiped->reg.num + wiped->reg.count)
			return true;
	return false;
}

static bool is_resumes(const struct regs_row *row)
{
	return (uint8_t)(row->key >> 16) == REGS_RESUMES;
}

/* Many at once: those that have rows, and in a part a note of the others. */
static int wipe(struct regs *regs, const struct regs_wiped *wiped, uint64_t told)
{
	for (size_t i = 0; i < regs->cap; i++)
		if (regs->rows[i].key && covers(wiped, regs->rows[i].key)) {
			regs->rows[i].told = told;
			analysis_regs_forget(regs, &regs->rows[i]);
		}
	if (!regs->part || is_wiped(regs, wiped))
		return 0;
	if (base_grow(regs->cairn, &regs->wiped, &regs->cap_wiped, regs->n_wiped, sizeof *regs->wiped,
	              8) < 0)
		return CAIRN_E_NOMEM;
	regs->wiped[regs->n_wiped++] = *wiped;
	return 0;
}

void regs_lose(struct regs *regs)
{
	regs_clear(regs);
	regs->lost = true;
	regs->named = false;
}

static int forget_unnamed(struct regs *regs, uint64_t told)
{
	const struct regs_wiped all = {.hart = CAIRN_NO_HART,
	                               .reg = {.cls = ISA_ANY_CLASS, .count = ISA_ALL_NUMBERS}};
	return wipe(regs, &all, told);
}

int regs_meet(struct regs *regs, uint16_t hart, uint64_t told)
{
	if (hart == CAIRN_NO_HART)
		return 0;
	bool first = regs->lost;
	regs->lost = false;
	regs->named = true;
	return first ? forget_unnamed(regs, told) : 0;
}

/* ---- where harts go on ---- */

int regs_leave(struct regs *regs, uint16_t hart, bool known, uint64_t next)
{
	struct regs_row *row;
	int rc = row_for(regs, regs_key(hart, REGS_RESUMES, 0), &row);
	if (rc < 0 || !row)
		return rc;
	row->bits = 64;
	row->value = known ? next : 0;
	row->known = known ? UINT64_MAX : 0;
	row->set = UINT64_MAX;
	row->whole = true;
	return 0;
}

int regs_resumes(const struct regs *regs, uint16_t hart, uint64_t pc)
{
	const struct regs_row *row = regs_find(regs, regs_key(hart, REGS_RESUMES, 0));
	if (!row)
		return regs->part ? -1 : 0;
	return row->known && row->value == pc;
}

int regs_put(struct regs *regs, uint64_t key, const struct cairn_batch *batch,
             const struct cairn_reg *reg, bool known, uint64_t told)
{
	struct regs_row *row;
	int rc = put_piece(regs, key, batch, reg, known, told);
	if (rc < 0 || !(reg->flags & CAIRN_VALUE_ZEROES))
		return rc;
	rc = row_for(regs, key, &row);
	if (rc < 0 || !row)
		return rc;
	/* What lies above became 0: to 64 bits, or as far as the register is known to reach. */
	uint32_t end = row->bits > 128 ? row->bits : reg->cls == CAIRN_REG_VECTOR ? 128 : 64;
	struct cairn_reg rest = {.flags = CAIRN_VALUE_KNOWN};
	for (uint32_t at = reg->lsb + reg->bits; at < end && rc >= 0; at += rest.bits) {
		rest.lsb = (uint16_t)at;
		rest.bits = end - at < 64 - at % 64 ? end - at : 64 - at % 64;
		rc = put_piece(regs, key, batch, &rest, true, told);
	}
	return rc;
}

/* Make the bits of `row` unknown that `old` knew with another value. `old_bytes` holds the values
 * of `old` and then which bits it knew, `had` bytes each; NULL if it was not wide. */
static void doubt(struct regs_row *row, const struct regs_row *old, const uint8_t *old_bytes,
                  size_t had)
{
	uint8_t word[16];
	if (!row->wide) {
		row->known &= ~((row->value ^ old->value) & old->known);
		row->value &= row->known;
		return;
	}
	base_put_le64(word, old->value);
	base_put_le64(word + 8, old->known);
	if (!old_bytes) {
		old_bytes = word;
		had = 8;
	}
	uint8_t *value = regs_bytes_of(row->wide, VALUE), *known = regs_bytes_of(row->wide, KNOWN);
	for (size_t i = 0; i < had && i < row->wide->len; i++) {
		known[i] &= (uint8_t) ~((value[i] ^ old_bytes[i]) & old_bytes[had + i]);
		value[i] &= known[i];
	}
	repeat(row);
}

int regs_put_doubted(struct regs *registers, uint64_t key, const struct cairn_batch *batch,
                     const struct cairn_reg *reg, uint64_t told)
{
	const struct regs_row *was = regs_find(registers, key);
	uint8_t *bytes = NULL;
	if (!was || !regs_any(was))
		return regs_put(registers, key, batch, reg, true, told);
	struct regs_row old = *was;
	size_t had = old.wide ? old.wide->len : 0;
	if (had && !(bytes = base_alloc(registers->cairn, 2 * had)))
		return CAIRN_E_NOMEM;
	if (had)
		memcpy(bytes, regs_bytes_of(old.wide, VALUE), 2 * had); /* and KNOWN, behind it */
	int rc = regs_put(registers, key, batch, reg, true, told);
	if (rc >= 0)
		doubt(regs_slot_of(registers, key), &old, bytes, had);
	base_free(registers->cairn, bytes);
	return rc;
}

static int forget_one(struct regs *regs, uint64_t key, const struct isa_written_reg *reg,
                      uint64_t told)
{
	struct regs_row *row = regs->cap ? regs_slot_of(regs, key) : NULL;
	if (!regs->part && (!row || !row->key))
		return 0;
	if (row && row->key && row->whole && !row->known && !row->wide)
		return 0;
	int rc = row && row->key ? 0 : row_for(regs, key, &row);
	if (rc < 0 || !row)
		return rc;
	row->told = told;
	if (!reg->bits) {
		analysis_regs_forget(regs, row);
	} else if (row->wide) {
		put_wide(row, reg->lsb, reg->bits, NULL);
	} else {
		uint64_t mask = ((uint64_t)1 << reg->bits) - 1;
		row->known &= ~(mask << reg->lsb);
		row->value &= row->known;
		row->set |= mask << reg->lsb;
	}
	return 0;
}

int regs_forget(struct regs *regs, uint16_t hart, const struct isa_written_reg *reg, uint64_t told)
{
	enum { FEW = 8 };
	int rc = 0;
	if (reg->count > FEW) {
		struct regs_wiped wiped = {.hart = hart, .reg = *reg};
		return wipe(regs, &wiped, told);
	}
	for (unsigned k = 0; k < reg->count && rc >= 0; k++)
		rc = forget_one(regs, regs_key(hart, reg->cls, (uint16_t)(reg->num + k)), reg, told);
	return rc;
}

/* ---- windows ---- */

enum { OUTS = 8, INS = 24, EIGHT = 8, WINDOW_END = 32 };

/* A register takes over what is known of another; the other is left without. */
static int move_row(struct regs *regs, uint64_t to_key, uint64_t from_key)
{
	struct regs_row *from = NULL, *to = NULL;
	int rc = regs->part || regs_find(regs, from_key) ? row_for(regs, from_key, &from) : 0;
	if (rc >= 0 && (from || regs_find(regs, to_key)))
		rc = row_for(regs, to_key, &to);
	from = from ? regs_slot_of(regs, from_key) : NULL; /* the table may have grown */
	if (rc < 0 || !to)
		return rc;
	analysis_regs_forget(regs, to);
	if (!from)
		return 0;
	uint64_t key = to->key;
	uint16_t was = from->from ? from->from : (uint16_t)((uint16_t)from_key + 1);
	*to = *from;
	to->key = key;
	to->from = to->whole ? 0 : was;
	from->wide = NULL;
	analysis_regs_forget(regs, from);
	return 0;
}

int regs_turn(struct regs *regs, uint16_t hart, bool next)
{
	unsigned to = next ? INS : OUTS, from = next ? OUTS : INS;
	int rc = 0;
	for (unsigned k = 0; k < EIGHT && rc >= 0; k++)
		rc = move_row(regs, regs_key(hart, CAIRN_REG_INT, (uint16_t)(to + k)),
		              regs_key(hart, CAIRN_REG_INT, (uint16_t)(from + k)));
	struct isa_written_reg gone = {.cls = CAIRN_REG_INT,
	                               .num = (uint16_t)(next ? OUTS : OUTS + EIGHT),
	                               .count = EIGHT};
	if (rc >= 0)
		rc = regs_forget(regs, hart, &gone, 0);
	gone.num += EIGHT;
	return rc < 0 ? rc : regs_forget(regs, hart, &gone, 0);
}

/* ---- parts ---- */

static void join_wide(struct regs_row *to, const struct regs_row *from)
{
	for (uint32_t i = 0; i < from->wide->len; i++) {
		uint8_t set = regs_bytes_of(from->wide, SET)[i];
		for (enum part_of_wide k = VALUE; k <= SET; k++) {
			uint8_t *p = regs_bytes_of(to->wide, k) + i;
			*p = (uint8_t)((*p & ~set) | (regs_bytes_of(from->wide, k)[i] & set));
		}
	}
	repeat(to);
}

/* One register: `from` comes after what is in `regs`. */
static int regs_join(struct regs *regs, const struct regs_row *from)
{
	struct regs_row *to;
	int rc = row_for(regs, from->key, &to);
	if (rc < 0 || !to)
		return rc;
	if (from->whole)
		analysis_regs_forget(regs, to);
	if (from->told)
		to->told = from->told;
	if (from->said)
		to->said = from->said;
	if (to->bits < from->bits)
		to->bits = from->bits;
	if (to->bits <= 64) {
		to->value = (to->value & ~from->set) | from->value;
		to->known = (to->known & ~from->set) | from->known;
		to->set |= from->set;
		return 0;
	}
	struct regs_row wide = *from;
	wide.wide = NULL;
	if (!from->wide) { /* as wide as the other */
		rc = regs_widen(regs, &wide, 64);
		if (rc < 0)
			return rc;
	} else {
		wide.wide = from->wide;
	}
	rc = regs_widen(regs, to, to->bits);
	if (rc >= 0)
		join_wide(to, &wide);
	if (!from->wide)
		base_free(regs->cairn, wide.wide);
	return rc;
}

/* A copy of a row, to be put elsewhere. */
static int copy_row(struct regs *regs, const struct regs_row *row, struct regs_row *out)
{
	*out = *row;
	if (!row->wide)
		return 0;
	size_t n = sizeof *row->wide + 3 * (size_t)row->wide->len;
	out->wide = base_alloc(regs->cairn, n);
	if (!out->wide)
		return CAIRN_E_NOMEM;
	memcpy(out->wide, row->wide, n);
	return 0;
}

/* Registers that are others' from before the part: all are looked up before any is changed. */
static int move_all(struct regs *regs, const struct regs *part)
{
	size_t n = 0, moved = 0;
	int rc = 0;
	for (size_t i = 0; i < part->cap; i++)
		n += part->rows[i].key && part->rows[i].from && !part->rows[i].whole;
	struct regs_row *old = n ? base_alloc(regs->cairn, n * sizeof *old) : NULL;
	if (n && !old)
		return CAIRN_E_NOMEM;
	for (size_t i = 0; i < part->cap && rc >= 0 && n; i++) {
		const struct regs_row *row = &part->rows[i];
		if (!row->key || !row->from || row->whole)
			continue;
		uint64_t from = (row->key & ~(uint64_t)0xffff) | (row->from - 1u);
		const struct regs_row *have = regs_find(regs, from);
		old[moved] = (struct regs_row){.set = UINT64_MAX, .whole = true};
		rc = have ? copy_row(regs, have, &old[moved]) : 0;
		old[moved++].key = row->key;
	}
	for (size_t i = 0; i < moved; i++) {
		struct regs_row *to = NULL;
		if (rc >= 0)
			rc = row_for(regs, old[i].key, &to);
		if (rc < 0 || !to) {
			base_free(regs->cairn, old[i].wide);
			continue;
		}
		base_free(regs->cairn, to->wide);
		*to = old[i];
		to->from = 0;
	}
	base_free(regs->cairn, old);
	return rc;
}

int regs_apply(struct regs *regs, const struct regs *part)
{
	int rc = 0;
	if (part->full)
		regs_clear(regs);
	/* Of the part only what was told before it named a hart is of none. */
	bool forgets = regs->lost && part->named;
	regs->lost = part->lost || (regs->lost && !part->named);
	if (forgets)
		rc = forget_unnamed(regs, 0);
	for (size_t i = 0; i < part->n_wiped && rc >= 0; i++)
		rc = wipe(regs, &part->wiped[i], 0);
	if (rc >= 0)
		rc = move_all(regs, part);
	for (size_t i = 0; i < part->cap && rc >= 0; i++)
		if (part->rows[i].key && !(forgets && (uint16_t)(part->rows[i].key >> 24) == CAIRN_NO_HART))
			rc = regs_join(regs, &part->rows[i]);
	return rc;
}

int regs_load(struct regs *regs, const struct cairn_state_reg *from)
{
	struct regs_row *row;
	size_t n = ((size_t)from->bits + 7) / 8;
	int rc = row_for(regs, regs_key(from->hart, from->cls, from->num), &row);
	if (rc < 0 || !row)
		return rc;
	row->told = from->told;
	row->said = from->derived ? REGS_DERIVED : REGS_TOLD;
	row->bits = from->bits;
	if (from->wide)
		rc = regs_widen(regs, row, from->bits);
	if (rc < 0 || !from->wide) {
		row->value = from->value & from->known;
		row->known = row->set = from->known;
		return rc;
	}
	memcpy(regs_bytes_of(row->wide, KNOWN), from->wide_known, n);
	memcpy(regs_bytes_of(row->wide, SET), from->wide_known, n);
	for (size_t i = 0; i < n; i++)
		regs_bytes_of(row->wide, VALUE)[i] = from->wide[i] & from->wide_known[i];
	repeat(row);
	return 0;
}

/* ---- asking ---- */

bool regs_any(const struct regs_row *row)
{
	bool any = row->known != 0;
	for (uint32_t i = 8; row->wide && i < row->wide->len && !any; i++)
		any = regs_bytes_of(row->wide, KNOWN)[i] != 0;
	return any;
}

/* Are the lowest `bits` bits all ones? */
static bool all_ones(const uint8_t *p, uint32_t bits)
{
	for (; bits >= 8; bits -= 8)
		if (*p++ != 0xff)
			return false;
	return bits == 0 || (*p & ((1u << bits) - 1)) == (1u << bits) - 1;
}

void regs_tell(const struct regs_row *row, struct cairn_state_reg *out)
{
	uint8_t known[8];
	base_put_le64(known, row->known);
	*out = (struct cairn_state_reg){.value = row->value,
	                                .known = row->known,
	                                .told = row->told,
	                                .bits = row->bits,
	                                .hart = (uint16_t)(row->key >> 24),
	                                .num = (uint16_t)row->key,
	                                .cls = (uint8_t)(row->key >> 16),
	                                .derived = row->said == REGS_DERIVED};
	if (row->bits > 64 && row->wide) {
		out->wide = regs_bytes_of(row->wide, VALUE);
		out->wide_known = regs_bytes_of(row->wide, KNOWN);
	}
	out->whole = row->bits <= 64 || row->wide
	                 ? all_ones(out->wide ? out->wide_known : known, row->bits)
	                 : false;
}

static int regs_by_key(const void *a, const void *b)
{
	const struct regs_row *x = *(const struct regs_row *const *)a;
	const struct regs_row *y = *(const struct regs_row *const *)b;
	return (x->key > y->key) - (x->key < y->key);
}

int regs_sorted(const struct regs *regs, bool resumes, const struct regs_row ***out, size_t *n)
{
	*out = NULL;
	*n = 0;
	if (regs->n == 0)
		return 0;
	*out = base_alloc(regs->cairn, regs->n * sizeof **out);
	if (!*out)
		return CAIRN_E_NOMEM;
	for (size_t i = 0; i < regs->cap; i++)
		if (regs->rows[i].key && regs_any(&regs->rows[i]) &&
		    (resumes || !is_resumes(&regs->rows[i])))
			(*out)[(*n)++] = &regs->rows[i];
	qsort(*out, *n, sizeof **out, regs_by_key);
	return 0;
}
