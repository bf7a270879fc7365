/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Down: batches, of any format, into a state trace as today's simulator prints it.
 *
 * A slot's rows become lines in their order: a register and the access on its line, or
 * registers and, below them, the accesses drawn to them. An instruction's words are
 * those of the trace it comes from, else made from the encoding (words.c). What is unknown
 * is masked as the simulator's own reference logs mask it, where a line has room for that;
 * all else that has no line is counted in the ledger.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "formats/vixl/canonical.h"
#include "formats/vixl/decoder.h"
#include "formats/vixl/draw.h"
#include "formats/vixl/encoder_harts.h"
#include "formats/vixl/words.h"
#include "kit/options.h"

enum { ROWS = CAIRN_CAP_REGS + CAIRN_CAP_MEMS + CAIRN_CAP_EVENTS, FLUSH = 1 << 18 };

enum item_kind { REG, MEM, EVENT, DONE };
struct item {
	uint32_t row;
	uint8_t kind; /* enum item_kind */
};

struct encoder {
	struct base_buf out, notes; /* notes: comments on the whole trace, so many */
	uint64_t n_notes;
	struct vixl_words *words;
	bool coloured, told_context, any;
	bool own; /* rows come from a state trace, and know V from Z */
	bool sve; /* the trace tells of predicates */
	struct vixl_canonical *shape;
	/* the slot, which may be one made for it (canonical.h) */
	const struct cairn_batch *b;
	uint64_t n;   /* its number */
	uint32_t enc; /* 0: no instruction */
	size_t n_items;
	struct item *items;
	struct vixl_harts *harts;
	struct vixl_flow last; /* of the instruction before */
	bool begun;            /* … which there is */
	/* Branches that stayed, and nothing shows it where no branch has a line: so many, since
	 * `quiet_n`. `stays`: the instruction before may be one, if it is not followed. */
	uint64_t quiet, quiet_n;
	bool stays, branches;
};

/* ---- opening ---- */

static const struct kit_option writing[] = {
	{"colour", NULL, "as on a terminal", KIT_FLAG, KIT_AT(struct encoder, coloured), .least = 1},
	{"color", NULL, "the same", KIT_FLAG, KIT_AT(struct encoder, coloured), .least = 1},
};
const struct kit_options vixl_writing_options = {"vixl", "writing VIXL", writing,
                                                 sizeof writing / sizeof *writing};

static int vixl_encoder_open(struct cairn_writer *w, const char *options)
{
	struct encoder *d = base_alloc(w->c, sizeof *d);
	if (!d)
		return CAIRN_E_NOMEM;
	w->impl = d;
	base_buf_init(&d->out, w->c);
	base_buf_init(&d->notes, w->c);
	int rc = kit_options_parse(w->c, &vixl_writing_options, options, d, NULL);
	if (rc < 0)
		return rc;
	d->items = base_realloc(w->c, NULL, ROWS * sizeof *d->items);
	d->harts = vixl_harts_new(w->c);
	d->shape = vixl_canonical_new(w->c);
	d->words = vixl_words_new(w->c);
	return d->items && d->harts && d->shape && d->words ? model_writer_sink(w) : CAIRN_E_NOMEM;
}

static void vixl_encoder_abort(struct cairn_writer *w)
{
	struct encoder *d = w->impl;
	if (!d)
		return;
	base_buf_free(&d->out);
	base_buf_free(&d->notes);
	vixl_words_free(d->words);
	vixl_harts_free(d->harts);
	vixl_canonical_free(w->c, d->shape);
	base_free(w->c, d->items);
	base_free(w->c, d);
	w->impl = NULL;
}

static int vixl_encoder_flush(struct cairn_writer *w, size_t least)
{
	struct encoder *d = w->impl;
	if (d->out.len < least || d->out.len == 0)
		return 0;
	int rc = io_sink_write(w->sink, d->out.data, d->out.len);
	d->out.len = 0;
	return rc;
}

/* ---- lines ---- */

static int encoder_put_line(struct encoder *d, struct vixl_line *l)
{
	int rc = base_buf_reserve(&d->out, VIXL_STATE_MAX + 4 * (size_t)l->text_len + 1);
	if (rc < 0)
		return rc;
	char *p = (char *)d->out.data + d->out.len;
	l->coloured = d->coloured;
	size_t n = vixl_print(l, p);
	p[n] = '\n';
	d->out.len += n + 1;
	return 0;
}

/* Text is one line, or several when it holds line ends. */
static int encoder_put_text(struct encoder *d, const uint8_t *p, size_t n)
{
	int rc = base_buf_put(&d->out, p, n);
	return rc < 0 ? rc : base_buf_put(&d->out, "\n", 1);
}

static int vixl_encoder_from(struct cairn_writer *w, const struct cairn_reader *r)
{
	((struct encoder *)w->impl)->own = r->format == &vixl_format;
	return 0;
}

/* Kept until the first instruction is written: a log is known by how it begins. */
static int vixl_encoder_comment(struct cairn_writer *w, const char *text, size_t n)
{
	struct encoder *d = w->impl;
	const char *end = text + n;
	int rc = 0;
	for (const char *line = text; line <= end && rc >= 0;) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));
		stop = stop ? stop : end;
		rc = base_buf_printf(&d->notes, VIXL_COMMENT "%.*s\n", (int)(stop - line), line);
		line = stop + 1;
	}
	d->n_notes++;
	return rc;
}

static int put_notes(struct encoder *d)
{
	int rc = base_buf_put(&d->out, d->notes.data, d->notes.len);
	d->notes.len = 0;
	d->n_notes = 0;
	return rc;
}

/* ---- registers ---- */

static bool is_wide(const struct encoder *d, uint8_t flags, uint64_t at, unsigned bytes)
{
	return (flags & CAIRN_VALUE_WIDE) && at <= d->b->n_bytes && bytes <= d->b->n_bytes - at;
}

static bool encoder_value_of(const struct encoder *d, const struct cairn_reg *r, uint64_t v[2])
{
	v[0] = r->value;
	v[1] = 0;
	if (!(r->flags & CAIRN_VALUE_KNOWN))
		return false;
	if (!(r->flags & CAIRN_VALUE_WIDE))
		return r->bits <= 64;
	if (r->bits != 128 || !is_wide(d, r->flags, r->value, 16))
		return false;
	v[0] = base_le64(d->b->bytes + r->value);
	v[1] = base_le64(d->b->bytes + r->value + 8);
	return true;
}

static void name_integer(const struct cairn_reg *r, bool stores, struct vixl_line *l)
{
	l->letter = stores || r->bits == 64 ? 'x' : 'w';
	l->num = r->num;
	l->special = r->num == ISA_ARM64_SP             ? VIXL_SP
	             : r->num == ISA_ARM64_XZR          ? VIXL_ZR
	             : r->num == 30 && l->letter == 'x' ? VIXL_LR
	                                                : VIXL_PLAIN;
}

static void name_vector(const struct encoder *d, const struct cairn_reg *r, bool stores,
                        struct vixl_line *l)
{
	static const char letters[] = "bhsdv";
	bool z = !(r->flags & CAIRN_VALUE_ZEROES);
	if (stores)
		z = vixl_is_sve(d->enc);
	else if (!d->own)
		z &= r->role == CAIRN_ROLE_STATE ? d->sve && !vixl_is_hlt(d->enc) : vixl_is_sve(d->enc);
	z = r->bits == 128 && (z || r->lsb);
	unsigned k = r->bits == 128 ? 4 : (unsigned)__builtin_ctz(r->bits / 8 | 16);
	l->num = r->num;
	l->special = VIXL_PLAIN;
	l->letter = z ? 'z' : stores ? 'v' : letters[k];
	l->ranged = z || stores;
}

/* The line's name and value; NULL, or what has no line. */
static const char *encoder_register_line(const struct encoder *d, const struct cairn_reg *r,
                                         bool stores, struct vixl_line *l)
{
	bool power = r->bits >= 8 && !(r->bits & (r->bits - 1));
	*l = (struct vixl_line){.kind = VIXL_XREG,
	                        .ranged = stores,
	                        .bytes = (uint8_t)(r->bits / 8),
	                        .lsb = r->lsb,
	                        .msb = (uint16_t)(r->lsb + r->bits - 1)};
	if (r->cls == CAIRN_REG_INT) {
		if (!power || r->bits > 64 || r->lsb || (!stores && r->bits < 32) ||
		    r->num > ISA_ARM64_XZR || r->num == ISA_ARM64_PC)
			return "parts of integer registers";
		name_integer(r, stores, l);
	} else if (r->cls == CAIRN_REG_VECTOR) {
		if (!power || r->bits > 128 || r->num > 31 || r->lsb % 128)
			return "vector registers wider than 128 bits, or lanes of them";
		l->kind = VIXL_VREG;
		name_vector(d, r, stores, l);
	} else if (r->cls == CAIRN_REG_PREDICATE) {
		if (r->bits != 16 || r->num > ISA_ARM64_FFR)
			return "predicate registers in other pieces than 16 bits";
		l->kind = VIXL_PREG;
		l->letter = 'p';
		l->special = r->num == ISA_ARM64_FFR ? VIXL_FFR : VIXL_PLAIN;
		l->num = r->num;
		l->ranged = 1;
	} else {
		return "registers a state trace does not have";
	}
	if (!encoder_value_of(d, r, l->value)) {
		if (l->letter != 'x' || r->bits != 64)
			return "registers whose value is not known";
		l->masked = VIXL_MASKED_VALUE;
	}
	vixl_line_decode(l);
	return NULL;
}

/* NZCV or FPCR as a row of flags, or as all of the system register. */
static bool is_flags(const struct cairn_reg *r)
{
	bool whole = r->cls == CAIRN_REG_CSR && r->lsb == 0 && r->bits >= 32;
	if (r->cls == CAIRN_REG_FLAGS)
		return r->num == 0 && r->bits == 4;
	return (whole && (r->num == ISA_ARM64_NZCV || r->num == ISA_ARM64_FPCR)) ||
	       (r->cls == CAIRN_REG_CSR && r->num == ISA_ARM64_FPCR && r->lsb == VIXL_FPCR_LSB &&
	        r->bits == VIXL_FPCR_BITS);
}

static int encoder_put_flags(struct cairn_writer *w, const struct cairn_reg *r)
{
	const struct encoder *d = w->impl;
	bool fpcr = r->cls == CAIRN_REG_CSR && r->num == ISA_ARM64_FPCR;
	bool whole = r->cls == CAIRN_REG_CSR && r->lsb == 0;
	unsigned lsb = !whole ? 0 : fpcr ? VIXL_FPCR_LSB : 28;
	uint64_t mask = (UINT64_C(1) << (fpcr ? VIXL_FPCR_BITS : 4)) - 1;
	struct vixl_line l = {.kind = fpcr ? VIXL_FPCR : VIXL_NZCV, .value = {r->value >> lsb & mask}};
	if (!(r->flags & CAIRN_VALUE_KNOWN))
		return model_lost(w, 1, d->n, "flags whose value is not known");
	if (r->value & ~(mask << lsb) && model_lost(w, 1, d->n, "bits of FPCR that are not shown") < 0)
		return CAIRN_E_LOSS;
	return encoder_put_line(w->impl, &l);
}

/* ---- accesses ---- */

static void point(const struct cairn_mem *m, struct vixl_line *l)
{
	l->arrow = m->kind == CAIRN_MEM_READ ? '<' : '>';
	l->addr = m->addr;
	if (m->flags & CAIRN_VALUE_ADDR_UNKNOWN)
		l->masked |= VIXL_MASKED_ADDR;
}

/* What of an access no line tells. */
static const char *vixl_encoder_unfit(const struct cairn_mem *m)
{
	if (m->kind != CAIRN_MEM_READ && m->kind != CAIRN_MEM_WRITE)
		return "prefetches, fetches and accesses of unknown kind";
	if (m->initiator != CAIRN_BY_INSN)
		return "accesses by others than the instruction";
	return m->flags & CAIRN_VALUE_NOT_WRITTEN ? "accesses that did not happen" : NULL;
}

static int lose_access(struct cairn_writer *w, const struct cairn_mem *m)
{
	struct encoder *d = w->impl;
	int rc = m->flags & CAIRN_VALUE_PA ? model_lost(w, 1, d->n, "physical addresses") : 0;
	if (rc >= 0 && m->attr)
		rc = model_lost(w, 1, d->n, "attributes of accesses");
	return rc;
}

static bool access_value(const struct encoder *d, const struct cairn_mem *m, uint64_t v[2])
{
	v[0] = m->value;
	v[1] = 0;
	if (!(m->flags & CAIRN_VALUE_KNOWN))
		return false;
	if (!(m->flags & CAIRN_VALUE_WIDE))
		return m->size <= 8;
	if (m->size != 16 || !is_wide(d, m->flags, m->value, 16))
		return false;
	v[0] = base_le64(d->b->bytes + m->value);
	v[1] = base_le64(d->b->bytes + m->value + 8);
	return true;
}

static const struct cairn_mem *mem_at(const struct encoder *d, size_t i)
{
	return i < d->n_items && d->items[i].kind == MEM ? &d->b->mems[d->items[i].row] : NULL;
}

/* What CAS of bytes and halfwords loads, and flags that are not shown: see fix.c. */
static bool encoder_is_hidden(const struct encoder *d, uint8_t cls)
{
	enum vixl_trap trap = vixl_trap_of(d->enc);
	return cls == CAIRN_REG_FLAGS ? trap == VIXL_TRAP_FLAGS
	                              : trap == VIXL_TRAP_COMPARE && d->enc >> 30 < 2;
}

/* A write without a register, word by word: what DC ZVA zeroes. 0: it is none of words. */
static int put_write(struct encoder *d, const struct cairn_mem *m)
{
	bool wide = is_wide(d, m->flags, m->value, m->size);
	if (m->kind != CAIRN_MEM_WRITE || m->size % 8 || !m->size || !(m->flags & CAIRN_VALUE_KNOWN) ||
	    (m->size > 8 && !wide))
		return 0;
	int rc = 1;
	for (uint32_t at = 0; at < m->size && rc >= 0; at += 8) {
		struct vixl_line l = {.kind = VIXL_WRITE64};
		point(m, &l);
		l.addr = m->addr + at;
		l.value[0] = wide ? base_le64(d->b->bytes + m->value + at) : m->value;
		rc = encoder_put_line(d, &l);
	}
	return rc < 0 ? rc : 1;
}

/* What SETP and the like wrote, byte by byte, each from the lowest of their register. 0: it is
 * none of that. */
static int put_set(struct encoder *d, const struct cairn_mem *m)
{
	struct isa_arm64_access set;
	bool wide = is_wide(d, m->flags, m->value, m->size);
	if (m->kind != CAIRN_MEM_WRITE || !(m->flags & CAIRN_VALUE_KNOWN) || (m->size > 8 && !wide) ||
	    !isa_arm64_access(d->enc, &set) || !(set.flags & ISA_ARM64_MOPS) || !set.n_regs)
		return 0;
	struct cairn_reg source = {.cls = CAIRN_REG_INT,
	                           .bits = 8,
	                           .flags = CAIRN_VALUE_KNOWN,
	                           .num = set.regs[0] == 31 ? ISA_ARM64_XZR : set.regs[0]};
	int rc = 1;
	for (uint32_t at = 0; at < m->size && rc >= 0; at++) {
		struct vixl_line l;
		source.value = wide ? d->b->bytes[m->value + at] : m->value >> 8 * at & 0xff;
		encoder_register_line(d, &source, true, &l);
		point(m, &l);
		l.addr = m->addr + at;
		rc = encoder_put_line(d, &l);
	}
	return rc < 0 ? rc : 1;
}

/* A byte that was copied: a read, and a write of the same. 0: it is none. */
static int put_copy(struct encoder *d, const struct cairn_mem *m, const struct cairn_mem *to)
{
	uint64_t v[2], other[2];
	if (m->kind != CAIRN_MEM_READ || m->size != 1 || !access_value(d, m, v) || !to || to->reg ||
	    to->kind != CAIRN_MEM_WRITE || to->size != 1 || !access_value(d, to, other) ||
	    other[0] != v[0])
		return 0;
	struct vixl_line l = {.kind = VIXL_TRANSFER,
	                      .addr = to->addr,
	                      .source = m->addr,
	                      .value = {v[0]}};
	int rc = encoder_put_line(d, &l);
	return rc < 0 ? rc : 2;
}

/* An access nobody owns is drawn to the zero register, which keeps its value. 0: it is of no
 * size that can be drawn. */
static int put_unowned(struct encoder *d, const struct cairn_mem *m)
{
	struct vixl_line zero = {.kind = VIXL_XREG, .letter = 'x', .special = VIXL_ZR, .bytes = 8};
	uint64_t v[2];
	char art[VIXL_DRAWING];
	unsigned size = m->size < 8 ? m->size : 8;
	if (!access_value(d, m, v) || m->size & (m->size - 1) || m->size > 16)
		return 0;
	vixl_line_decode(&zero);
	int rc = encoder_put_line(d, &zero);
	for (unsigned at = 0; at < m->size && rc >= 0; at += size) {
		struct vixl_line l = {.kind = VIXL_ACCESS,
		                      .n_values = 1,
		                      .bytes = (uint8_t)size,
		                      .text = art};
		l.text_len = (uint32_t)vixl_draw(art, 8, 1, 0);
		l.value[0] = v[at / 8];
		point(m, &l);
		l.addr = m->addr + at;
		rc = encoder_put_line(d, &l);
	}
	return rc < 0 ? rc : 1;
}

/* An access without a register: a copy of a byte, words that are written, or one whose
 * value has no line. Returns how many items it took. */
static int lone_access(struct cairn_writer *w, size_t i)
{
	struct encoder *d = w->impl;
	const struct cairn_mem *m = mem_at(d, i);
	struct vixl_line l = {.kind = VIXL_BARE};
	bool known = m->flags & CAIRN_VALUE_KNOWN, hidden = encoder_is_hidden(d, CAIRN_REG_INT);
	const char *why = vixl_encoder_unfit(m);
	if (!why && vixl_implied(d->enc) && !m->reg)
		why = "accesses that the simulator does not show";
	if (why)
		return model_lost(w, 1, d->n, why) < 0 ? CAIRN_E_LOSS : 1;
	if (lose_access(w, m) < 0)
		return CAIRN_E_LOSS;
	int took = hidden ? 0 : put_set(d, m);
	if (took == 0 && !hidden)
		took = put_copy(d, m, mem_at(d, i + 1));
	if (took == 0 && !hidden)
		took = put_write(d, m);
	if (took == 0 && !hidden)
		took = put_unowned(d, m);
	/* What reads an atomic's line takes it for the operand. */
	if (took > 0 && known && m->kind == CAIRN_MEM_WRITE &&
	    vixl_trap_of(d->enc) == VIXL_TRAP_ATOMIC &&
	    model_lost(w, 1, d->n, "values that the simulator does not show") < 0)
		return CAIRN_E_LOSS;
	if (took)
		return took;
	if (known)
		why = hidden ? "values that the simulator does not show"
		             : "values of accesses without a register";
	else if (m->size)
		why = "sizes of accesses whose value is not known";
	if (why && model_lost(w, 1, d->n, why) < 0)
		return CAIRN_E_LOSS;
	point(m, &l);
	return encoder_put_line(d, &l) < 0 ? CAIRN_E_NOMEM : 1;
}

/* ---- registers with accesses drawn to them ---- */

struct group {
	size_t first_mem; /* item of the first access */
	unsigned k, rows; /* registers of the structure; lines of accesses */
	uint32_t base;    /* row of the first register */
	bool stores;
	uint32_t touched; /* bytes of the registers */
	unsigned cells, chunk, size;
};

/* Which byte of the piece an access is of. */
static unsigned byte_of(const struct group *g, const struct cairn_mem *m)
{
	unsigned at = m->lane * m->size;
	return at >= g->chunk && at - g->chunk < g->cells ? at - g->chunk : 0;
}

/* Registers from item i on that accesses are drawn to; rows 0: there are none. */
static struct group encoder_group_of(const struct encoder *d, size_t i)
{
	struct group g = {0};
	size_t j = i;
	while (j < d->n_items && d->items[j].kind == REG)
		j++;
	const struct cairn_mem *m = mem_at(d, j);
	if (!m || !m->reg || !m->size || m->size > 16 || m->reg - 1u < d->items[i].row ||
	    m->reg - 1u > d->items[j - 1].row || vixl_encoder_unfit(m))
		return g;
	const struct cairn_reg *r = &d->b->regs[m->reg - 1];
	if (m->size * 8 == r->bits && !vixl_is_struct(d->enc))
		return g; /* on the register's own line */
	g = (struct group){.first_mem = j,
	                   .base = m->reg - 1u,
	                   .size = m->size,
	                   .k = d->items[j - 1].row - (m->reg - 1u) + 1,
	                   .stores = m->kind == CAIRN_MEM_WRITE,
	                   .cells = r->cls == CAIRN_REG_INT ? 8 : 16,
	                   .chunk = r->lsb / 8u};
	for (; (m = mem_at(d, j)) && g.k <= 4; j++) {
		if (m->reg != g.base + 1 + (j - g.first_mem) % g.k || m->size != g.size)
			break;
		g.touched |= ((1u << (m->size < 16 ? m->size : 16)) - 1) << byte_of(&g, m);
	}
	g.rows = (unsigned)(j - g.first_mem) / (g.k ? g.k : 1);
	if (vixl_replicates(d->enc))
		g.touched = r->bits == 64 ? 0xff : 0xffff;
	return g;
}

static int encoder_put_rows(struct cairn_writer *w, const struct group *g)
{
	struct encoder *d = w->impl;
	uint32_t left = g->touched;
	int rc = 0;
	for (unsigned row = 0; row < g->rows && rc >= 0; row++) {
		size_t at = g->first_mem + (size_t)row * g->k;
		const struct cairn_mem *m = mem_at(d, at);
		struct vixl_line l = {.kind = VIXL_ACCESS,
		                      .n_values = (uint8_t)g->k,
		                      .bytes = (uint8_t)g->size};
		char art[VIXL_DRAWING];
		uint32_t marks = 1u << byte_of(g, m), below = 0;
		bool known = true;
		if (vixl_replicates(d->enc))
			for (unsigned i = marks = 0; i < 16; i += g->size)
				marks |= (left >> i & 1) << i;
		for (unsigned later = row + 1; later < g->rows; later++)
			below |= 1u << byte_of(g, mem_at(d, at + (later - row) * (size_t)g->k));
		point(m, &l);
		for (unsigned i = 0; i < g->k; i++) {
			uint64_t v[2];
			const struct cairn_mem *e = mem_at(d, at + i);
			known &= access_value(d, e, v);
			l.value[i] = v[0];
		}
		l.text = art;
		l.text_len = (uint32_t)vixl_draw(art, g->cells, marks, below);
		rc = lose_access(w, m);
		if (rc >= 0)
			rc = known ? encoder_put_line(d, &l)
			           : model_lost(w, g->k, d->n, "accesses whose value is not known");
	}
	return rc;
}

/* With the lanes as floating point where the simulator does so. SVE repeats those of the
 * first register. */
static int encoder_put_group(struct cairn_writer *w, const struct group *g)
{
	struct encoder *d = w->impl;
	char fp[VIXL_FP_TEXT];
	size_t fp_len = 0;
	int rc = 0;
	bool lanes = g->cells == 16 && g->size > 1 && vixl_moves_lanes(d->enc);
	for (unsigned i = 0; i < g->k && rc >= 0; i++) {
		const struct cairn_reg *r = &d->b->regs[g->base + i];
		struct vixl_line l;
		const char *why = encoder_register_line(d, r, g->stores && r->cls != CAIRN_REG_INT, &l);
		if (why)
			return model_lost(w, 1, d->n, why);
		if (lanes && (i == 0 || !vixl_is_sve(d->enc)))
			fp_len = vixl_fp_text(fp, l.value, l.bytes, g->size, g->touched);
		l.fp = lanes ? fp : NULL;
		l.fp_len = (uint32_t)fp_len;
		rc = encoder_put_line(d, &l);
	}
	return rc < 0 ? rc : encoder_put_rows(w, g);
}

/* ---- single rows ---- */

/* Registers of a predicated vector load, 0: it is none. */
static unsigned loads(uint32_t e)
{
	if (!vixl_is_sve(e) || vixl_implied(e) || (e & 0xffc00000) == 0x85800000)
		return 0; /* LDR of a whole register has its access on the line */
	if (e >> 25 == 0xa4 >> 1)
		return (e >> 13 & 7) >= 6 ? 1 + (e >> 21 & 3) : 1;
	return e >> 25 == 0x84 >> 1 || e >> 25 == 0xc4 >> 1;
}

/* Is there an access of which nobody says where it belongs? */
static bool has_lone_access(const struct encoder *d)
{
	for (size_t i = 0; i < d->n_items; i++)
		if (d->items[i].kind == MEM && !mem_at(d, i)->reg)
			return true;
	return false;
}

/* Is this a piece of a predicated load's register of which nothing was loaded? */
static bool is_untouched(const struct encoder *d, size_t i, const struct cairn_reg *r)
{
	for (; i < d->n_items && d->items[i].kind == REG; i++)
		if (d->b->regs[d->items[i].row].lsb != r->lsb)
			return true; /* another piece begins */
	return r->cls == CAIRN_REG_VECTOR && r->role == CAIRN_ROLE_DST && loads(d->enc) &&
	       !mem_at(d, i) && !has_lone_access(d);
}

/* It leaves an empty line, behind the last register of the structure. */
static bool is_blank(const struct encoder *d, size_t i, const struct cairn_reg *r)
{
	unsigned k = loads(d->enc);
	return k && is_untouched(d, i, r) && r->num == ((d->enc & 31) + k - 1) % 32 &&
	       r->cls == CAIRN_REG_VECTOR && r->role == CAIRN_ROLE_DST;
}

/* And dots for lanes, where the elements are lanes larger than a byte. */
static bool none_touched(const struct encoder *d, size_t i, const struct cairn_reg *r)
{
	bool bytes = loads(d->enc) > 1 && !(d->enc >> 23 & 3);
	return loads(d->enc) && r->cls == CAIRN_REG_VECTOR && r->role == CAIRN_ROLE_DST &&
	       is_untouched(d, i, r) && vixl_moves_lanes(d->enc) && !bytes;
}

static int put_register(struct cairn_writer *w, size_t i, size_t *took)
{
	struct encoder *d = w->impl;
	const struct cairn_reg *r = &d->b->regs[d->items[i].row];
	const struct cairn_mem *m = mem_at(d, i + 1);
	struct vixl_line l;
	char fp[VIXL_FP_TEXT];
	bool own =
		m && m->reg == d->items[i].row + 1 && m->size * 8 == r->bits && !vixl_encoder_unfit(m);
	bool stores = own && m->kind == CAIRN_MEM_WRITE;
	*took = 1;
	if (encoder_is_hidden(d, r->cls) && r->role == CAIRN_ROLE_DST && r->flags & CAIRN_VALUE_KNOWN &&
	    (r->cls == CAIRN_REG_FLAGS || r->num == (d->enc >> 16 & 31)))
		return model_lost(w, 1, d->n, "values that the simulator does not show");
	if (is_flags(r))
		return encoder_put_flags(w, r);
	if (r->role != CAIRN_ROLE_DST && r->role != CAIRN_ROLE_STATE && !own)
		return model_lost(w, 1, d->n, "operands that are not stored");
	const char *why = encoder_register_line(d, r, stores, &l);
	if (why) {
		*took = own ? 2 : 1; /* the access has no line of its own */
		return model_lost(w, 1, d->n, why);
	}
	int rc = 0;
	bool blank = !own && is_blank(d, i, r);
	bool scalar = r->cls == CAIRN_REG_VECTOR && r->bits >= 16 && r->bits <= 64;
	if (scalar && (own || vixl_is_fp_result(d->enc))) {
		l.fp = fp;
		l.fp_len = (uint32_t)vixl_fp_text(fp, l.value, r->bits / 8, r->bits / 8, UINT32_MAX);
	}
	if (own && l.special == VIXL_ZR && !stores && m->flags & CAIRN_VALUE_KNOWN &&
	    model_lost(w, 1, d->n, "values that the simulator does not show") < 0)
		return CAIRN_E_LOSS; /* it shows what the register reads as */
	if (own) {
		point(m, &l);
		if (r->cls == CAIRN_REG_PREDICATE)
			l.addr += 14 * (r->lsb / 16u); /* as the simulator counts them */
		rc = lose_access(w, m);
		*took = 2;
	}
	if (!own && none_touched(d, i, r)) {
		l.fp = "..."; /* no lane was */
		l.fp_len = 3;
	}
	if (rc >= 0)
		rc = encoder_put_line(d, &l);
	if (rc >= 0 && blank) {
		l = (struct vixl_line){.kind = VIXL_BLANK};
		rc = encoder_put_line(d, &l);
	}
	return rc;
}

static int encoder_put_event(struct cairn_writer *w, const struct cairn_event *e)
{
	struct encoder *d = w->impl;
	const uint8_t *p = e->args <= d->b->n_bytes && e->len <= d->b->n_bytes - e->args
	                       ? d->b->bytes + e->args
	                       : NULL;
	if (e->kind == CAIRN_EV_COMMENT && p)
		return encoder_put_text(d, p, e->len);
	if (e->kind == CAIRN_EV_BRANCH && (e->flags & CAIRN_EVF_TARGET)) {
		struct vixl_line l = {.kind = VIXL_BRANCH, .addr = e->target};
		return encoder_put_line(d, &l);
	}
	if (e->kind == CAIRN_EV_FORMAT && p && e->len == 24 &&
	    (e->code == VIXL_EV_GCS_PUSH || e->code == VIXL_EV_GCS_POP)) {
		struct vixl_line l = {.kind = VIXL_GCS,
		                      .arrow = e->code == VIXL_EV_GCS_PUSH ? '<' : '>',
		                      .enc = (uint32_t)cairn_event_arg(d->b, e, 0),
		                      .index = (uint32_t)cairn_event_arg(d->b, e, 1),
		                      .addr = cairn_event_arg(d->b, e, 2)};
		return encoder_put_line(d, &l);
	}
	if (e->kind == CAIRN_EV_FORCE_PC || e->kind == CAIRN_EV_CONTEXT || e->kind == CAIRN_EV_MODE ||
	    e->kind == CAIRN_EV_MODE_ISA)
		return 0; /* the next instruction's address says it; contexts are counted */
	return model_lost(w, 1, d->n, model_lost_event(e->kind));
}

/* ---- slots ---- */

/* The rows of a slot in their order. */
static void encoder_collect(struct encoder *d, uint32_t row)
{
	const struct cairn_batch *b = d->b;
	const struct cairn_insn *s = &b->insns[row];
	uint32_t at[3] = {s[0].reg0, s[0].mem0, s[0].ev0};
	const uint32_t end[3] = {s[1].reg0, s[1].mem0, s[1].ev0};
	d->n_items = 0;
	for (uint32_t i = s[0].reg0; i < s[1].reg0 && !d->own && !d->sve; i++)
		d->sve = b->regs[i].cls == CAIRN_REG_PREDICATE;
	for (;;) {
		uint32_t seq[3], best = UINT32_MAX;
		unsigned which = 3;
		for (unsigned k = 0; k < 3; k++) {
			seq[k] = at[k] >= end[k] ? UINT32_MAX
			         : k == REG      ? b->regs[at[k]].seq
			         : k == MEM      ? b->mems[at[k]].seq
			                         : b->events[at[k]].seq;
			if (seq[k] < best) {
				best = seq[k];
				which = k;
			}
		}
		if (which == 3 || d->n_items == ROWS)
			return;
		d->items[d->n_items++] = (struct item){at[which]++, (uint8_t)which};
	}
}

static int encoder_put_items(struct cairn_writer *w, size_t from, size_t to)
{
	struct encoder *d = w->impl;
	size_t all = d->n_items, took;
	int rc = 0;
	d->n_items = to;
	for (size_t i = from; i < to && rc >= 0; i += took) {
		const struct item *it = &d->items[i];
		took = 1;
		if (it->kind == DONE) {
			continue;
		} else if (it->kind == EVENT) {
			rc = encoder_put_event(w, &d->b->events[it->row]);
		} else if (it->kind == MEM) {
			rc = lone_access(w, i);
			took = rc > 0 ? (size_t)rc : 1;
		} else {
			struct group g = encoder_group_of(d, i);
			if (g.rows && g.base == it->row) {
				rc = encoder_put_group(w, &g);
				took = g.k + (size_t)g.rows * g.k;
			} else {
				rc = put_register(w, i, &took);
			}
		}
	}
	d->n_items = all;
	return rc < 0 ? rc : vixl_encoder_flush(w, FLUSH);
}

/* Rows that come before the instruction's line: state, and text and gaps before it. */
static size_t leading(const struct encoder *d)
{
	bool logs = vixl_is_hlt(d->enc) && (d->enc >> 5 & 0xffff) == VIXL_HLT_LOG;
	size_t i = 0;
	for (; i < d->n_items; i++) {
		const struct item *it = &d->items[i];
		if (it->kind == MEM)
			break;
		if (it->kind == REG && (logs || d->b->regs[it->row].role != CAIRN_ROLE_STATE))
			break;
		if (it->kind == EVENT && d->b->events[it->row].phase != CAIRN_BEFORE)
			break;
	}
	return i;
}

static int encoder_put_words(struct cairn_writer *w, const struct cairn_batch *b, uint32_t row)
{
	struct encoder *d = w->impl;
	const struct cairn_insn *in = &b->insns[row];
	const struct cairn_asm *a = b->have & CAIRN_ASM ? &b->asms[row] : NULL;
	struct vixl_line l = {.kind = VIXL_INSN, .addr = in->pc, .enc = in->enc, .text = ""};
	if (in->flags & CAIRN_INSN_PC_UNKNOWN || !(b->have & CAIRN_PC))
		l.masked = VIXL_MASKED_ADDR;
	if (a && a->len && a->text <= b->n_bytes && a->len <= b->n_bytes - a->text) {
		l.text = (const char *)b->bytes + a->text;
		l.text_len = a->len;
	} else {
		l.text_len = (uint32_t)vixl_words_of(d->words, in->pc, !l.masked, in->enc, &l.text);
	}
	int rc = l.text_len ? 0 : model_lost(w, 1, d->n, "instructions in words (no disassembler)");
	return rc < 0 ? rc : encoder_put_line(d, &l);
}

static int encoder_put_branch(struct cairn_writer *w, const struct cairn_insn *in)
{
	struct encoder *d = w->impl;
	struct vixl_line l = {.kind = VIXL_BRANCH, .addr = in->target};
	if (!(in->flags & CAIRN_INSN_TAKEN))
		return 0;
	if (!(in->flags & CAIRN_INSN_TARGET))
		l.masked = VIXL_MASKED_ADDR;
	d->branches = true;
	return encoder_put_line(d, &l);
}

static int vixl_encoder_lose_context(struct cairn_writer *w, const struct cairn_insn *in,
                                     const struct cairn_batch *b)
{
	struct encoder *d = w->impl;
	if (d->told_context || in->ctx >= b->n_ctxs || b->ctxs[in->ctx].known == 0)
		return 0;
	d->told_context = true;
	return model_lost(w, 1, d->n, "which process, thread and privilege level ran");
}

/* Where a log has lines for branches, one without was not taken. */
static int lose_outcome(struct cairn_writer *w, const struct cairn_insn *in)
{
	struct encoder *d = w->impl;
	const uint32_t both = CAIRN_TRAIT_BRANCH | CAIRN_TRAIT_CONDITIONAL;
	bool is = (in->traits & both) == both;
	d->stays = is && in->flags & CAIRN_INSN_NOT_TAKEN;
	return is && !(in->flags & (CAIRN_INSN_TAKEN | CAIRN_INSN_NOT_TAKEN))
	           ? model_lost(w, 1, d->n, model_lost_outcome)
	           : 0;
}

/* Why an instruction cannot be a line; NULL when it can. */
static const char *unfit_insn(const struct cairn_insn *in, uint32_t have)
{
	if (in->isa != CAIRN_ISA_A64)
		return "instructions that are not A64";
	if ((in->flags & (CAIRN_INSN_ENC_UNKNOWN | CAIRN_INSN_ENC_BYTES)) || !(have & CAIRN_ENC))
		return "instructions without an encoding";
	return in->flags & CAIRN_INSN_NOT_EXECUTED ? "instructions that did not execute" : NULL;
}

/* Its events stay, as far as they have a line. */
static int vixl_encoder_leave_out(struct cairn_writer *w, const struct cairn_insn *in,
                                  const char *why)
{
	struct encoder *d = w->impl;
	int rc = model_lost(w, 1, d->n, why);
	if (rc >= 0)
		rc =
			model_lost(w, (uint64_t)(in[1].reg0 - in[0].reg0) + (uint64_t)(in[1].mem0 - in[0].mem0),
		               d->n, model_lost_rows);
	for (uint32_t i = in[0].ev0; i < in[1].ev0 && rc >= 0; i++)
		rc = encoder_put_event(w, &d->b->events[i]);
	return rc;
}

/* Is the instruction where the one before it does not lead? */
static bool is_elsewhere(const struct encoder *d, const struct cairn_insn *in)
{
	struct cairn_op op;
	uint64_t next;
	bool follows = d->last.branched ? d->last.target == in->pc : d->last.pc + 4 == in->pc;
	if (!d->begun || (follows && d->last.pc_known))
		return false;
	cairn_isa_decode(CAIRN_ISA_A64, d->last.enc, 4, &op);
	uint64_t flags = vixl_follow(&d->last, &op, true, &next);
	return !(in->flags & CAIRN_INSN_PC_UNKNOWN) && (flags & VIXL_F_NEXT) && !(flags & VIXL_F_GAP) &&
	       next != in->pc;
}

/* A reader, and who checks the log, would otherwise take it that the flow is broken. */
static int put_elsewhere(struct encoder *d, const struct cairn_batch *b,
                         const struct cairn_insn *in, bool other)
{
	const struct cairn_ctx *x = in->ctx < b->n_ctxs ? &b->ctxs[in->ctx] : NULL;
	int rc = base_buf_put(&d->out, VIXL_ELSEWHERE, sizeof VIXL_ELSEWHERE - 1);
	if (rc >= 0 && other && x && x->known & CAIRN_CTX_HART)
		rc = base_buf_printf(&d->out, VIXL_ON_CPU "%u", x->hart);
	return rc < 0 ? rc : base_buf_put(&d->out, "\n", 1);
}

/* The instruction before was not followed: if it stayed, only a log with lines for branches
 * says so. */
static void note_quiet(struct encoder *d)
{
	if (d->stays && d->quiet++ == 0)
		d->quiet_n = d->n;
	d->stays = false;
}

/* Another thread than before: its registers, where the log has others. */
static int put_hart(struct cairn_writer *w, const struct cairn_batch *b, uint32_t row)
{
	struct encoder *d = w->impl;
	const struct cairn_batch *state;
	int rc = vixl_harts_enter(d->harts, b, row, &state);
	bool other = rc > 0;
	if (other)
		note_quiet(d);
	if (rc >= 0 && (other || is_elsewhere(d, &b->insns[row])))
		rc = put_elsewhere(d, b, &b->insns[row], other);
	if (rc < 0 || !other)
		return rc;
	vixl_canonical_forget(d->shape);
	d->b = vixl_canonical_slot(d->shape, state, 0);
	d->enc = 0;
	encoder_collect(d, 0);
	return encoder_put_items(w, 0, d->n_items);
}

static int vixl_encoder_put_insn(struct cairn_writer *w, const struct cairn_batch *b, uint32_t row)
{
	struct encoder *d = w->impl;
	const struct cairn_insn *in = &b->insns[row];
	d->b = b;
	d->n = b->n0 + row;
	const char *why = unfit_insn(in, b->have);
	if (in->flags & CAIRN_INSN_INFERRED && model_lost(w, 1, b->n0 + row, model_lost_inferred) < 0)
		return CAIRN_E_LOSS;
	int rc = why ? 0 : put_hart(w, b, row);
	d->enc = in->enc;
	if (why)
		return vixl_encoder_leave_out(w, in, why);
	if (rc < 0)
		return rc;
	if (d->last.pc + 4 != in->pc)
		note_quiet(d);
	d->begun = true;
	d->last = (struct vixl_flow){.pc = in->pc,
	                             .enc = in->enc,
	                             .target = in->target,
	                             .pc_known = !(in->flags & CAIRN_INSN_PC_UNKNOWN),
	                             .branched = (in->flags & CAIRN_INSN_TAKEN) != 0,
	                             .target_known = (in->flags & CAIRN_INSN_TARGET) != 0};
	vixl_harts_note(d->harts, b, row);
	const struct cairn_batch *made = vixl_canonical_slot(d->shape, b, row);
	d->b = made ? made : b;
	encoder_collect(d, made ? 0 : row);
	size_t before = leading(d);
	bool trace = vixl_is_hlt(in->enc) && (in->enc >> 5 & 0xffff) == VIXL_HLT_TRACE;
	rc = vixl_encoder_lose_context(w, in, b);
	if (rc >= 0)
		rc = lose_outcome(w, in);
	if (rc >= 0)
		rc = encoder_put_items(w, 0, before);
	if (rc >= 0)
		rc = encoder_put_words(w, b, row);
	if (rc >= 0 && trace) /* what was written meanwhile comes after it */
		rc = encoder_put_branch(w, in);
	if (rc >= 0)
		rc = encoder_put_items(w, before, d->n_items);
	return rc < 0 || trace ? rc : encoder_put_branch(w, in);
}

static int vixl_encoder_put(struct cairn_writer *w, const struct cairn_batch *b)
{
	struct encoder *d = w->impl;
	int rc = model_lost(w, b->n_xacts, b->x0, "transactions");
	if (b->n_insns && !d->any && b->insns[0].isa != CAIRN_ISA_A64)
		return model_refuse_set(w, &b->insns[0], b->n0, "A64 instructions");
	d->any |= b->n_insns != 0;
	d->b = b;
	for (uint32_t i = 0; i < b->n_insns && rc >= 0; i++) {
		rc = vixl_encoder_put_insn(w, b, i);
		if (rc >= 0 && d->n_notes && d->out.len)
			rc = put_notes(d);
	}
	if (rc < 0)
		return rc;
	d->b = b;
	d->enc = 0;
	d->n = b->n0 + b->n_insns;
	encoder_collect(d, b->n_insns);
	return encoder_put_items(w, 0, d->n_items);
}

static int vixl_encoder_finish(struct cairn_writer *w)
{
	struct encoder *d = w->impl;
	note_quiet(d);
	int rc = model_lost(w, d->n_notes, 0, model_lost_event(CAIRN_EV_COMMENT));
	if (rc >= 0 && !d->branches)
		rc = model_lost(w, d->quiet, d->quiet_n, model_lost_outcome);
	return rc < 0 ? rc : vixl_encoder_flush(w, 0);
}

static const char *const suffixes[] = {".vixl", NULL};

const struct model_writer_format vixl_writer_format = {
	.options = &vixl_writing_options,
	.name = "VIXL",
	.suffixes = suffixes,
	.sets = 1u << CAIRN_ISA_A64,
	.open = vixl_encoder_open,
	.from = vixl_encoder_from,
	.comment = vixl_encoder_comment,
	.put = vixl_encoder_put,
	.finish = vixl_encoder_finish,
	.abort = vixl_encoder_abort,
};
