/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches, of any format, into a state trace as today's simulator prints it.
 *
 * A slot's rows become lines in their order: a register and the access on its line, or registers
 * and, below them, the accesses drawn to them. An instruction's words are those of its own trace,
 * or are made from the encoding (words.c). What is unknown is masked as the simulator's own
 * reference logs mask it, where a line has room for that; everything else without a line is counted
 * in the ledger.
 */
#include <string.h>

#include "formats/vixl/read/decoder.h"
#include "formats/vixl/write/canonical.h"
#include "formats/vixl/write/draw.h"
#include "formats/vixl/write/encoder_harts.h"
#include "formats/vixl/write/words.h"
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
	bool coloured, any;
	bool own; /* rows come from a state trace, and know V from Z */
	bool sve; /* the trace tells of predicates */
	struct vixl_canonical *shape;
	/* the slot, which may be one made for it (canonical.h) */
	const struct cairn_batch *batch;
	uint64_t n;                   /* its number */
	uint32_t enc;                 /* 0: no instruction */
	const struct cairn_insn *row; /* which is written; NULL: none */
	size_t n_items;
	struct item *items;
	struct vixl_harts *harts;
	struct vixl_flow last; /* of the instruction before */
	bool begun;            /* … which there is */
	/* Lines of registers before an instruction are state, and not what the one before it wrote: a run
	 * begins there, or code of the host ran, which may write any register. */
	bool run_begins;
	struct cairn_ctx ctx; /* the context whose losses were counted last */
	/* Branches that were not taken, in a log without lines for branches, where nothing shows it:
	 * how many, and the first. `stays`: the instruction before may be one, if it is not followed.
	 *  */
	uint64_t quiet, quiet_n;
	bool stays, branches;
};

/* Does the instruction print registers as they are? */
static bool encoder_logs(const struct encoder *encoder)
{
	return vixl_is_hlt(encoder->enc) && (encoder->enc >> 5 & 0xffff) == VIXL_HLT_LOG;
}

/* ---- opening ---- */

static const struct kit_option writing[] = {
	{"colour", NULL, "with the colours of a terminal", KIT_FLAG, KIT_AT(struct encoder, coloured),
     .least = 1},
	{"color", NULL, "the same as colour", KIT_FLAG, KIT_AT(struct encoder, coloured), .least = 1},
};
const struct kit_options vixl_writing_options = {"vixl", "writing VIXL", writing,
                                                 sizeof writing / sizeof *writing};

static int vixl_encoder_open(struct cairn_writer *writer, const char *options)
{
	struct encoder *encoder = base_alloc(writer->cairn, sizeof *encoder);
	if (!encoder)
		return CAIRN_E_NOMEM;
	writer->impl = encoder;
	base_buf_init(&encoder->out, writer->cairn);
	base_buf_init(&encoder->notes, writer->cairn);
	int rc = kit_options_parse(writer->cairn, &vixl_writing_options, options, encoder, NULL);
	if (rc < 0)
		return rc;
	writer->coloured = encoder->coloured;
	encoder->items = base_realloc(writer->cairn, NULL, ROWS * sizeof *encoder->items);
	encoder->harts = vixl_harts_new(writer->cairn);
	encoder->shape = vixl_canonical_new(writer->cairn);
	encoder->words = vixl_words_new(writer->cairn);
	return encoder->items && encoder->harts && encoder->shape && encoder->words
	           ? model_writer_sink(writer)
	           : CAIRN_E_NOMEM;
}

static void vixl_encoder_abort(struct cairn_writer *writer)
{
	struct encoder *encoder = writer->impl;
	if (!encoder)
		return;
	base_buf_free(&encoder->out);
	base_buf_free(&encoder->notes);
	vixl_words_free(encoder->words);
	vixl_harts_free(encoder->harts);
	vixl_canonical_free(writer->cairn, encoder->shape);
	base_free(writer->cairn, encoder->items);
	base_free(writer->cairn, encoder);
	writer->impl = NULL;
}

static int vixl_encoder_flush(struct cairn_writer *writer, size_t least)
{
	struct encoder *encoder = writer->impl;
	if (encoder->out.len < least || encoder->out.len == 0)
		return 0;
	int rc = cairn_sink_write(writer->sink, encoder->out.data, encoder->out.len);
	encoder->out.len = 0;
	return rc;
}

/* ---- lines ---- */

static int encoder_put_line(struct encoder *encoder, struct vixl_line *line)
{
	int rc = base_buf_reserve(&encoder->out, VIXL_STATE_MAX + 4 * (size_t)line->text_len + 1);
	if (rc < 0)
		return rc;
	char *p = (char *)encoder->out.data + encoder->out.len;
	line->coloured = encoder->coloured;
	size_t n = vixl_print(line, p);
	p[n] = '\n';
	encoder->out.len += n + 1;
	return 0;
}

/* Would a reader take it for a line of the simulator, or for text with one behind it? */
static bool reads_as_own(const uint8_t *p, size_t n)
{
	struct vixl_line line;
	struct vixl_plain plain;
	vixl_parse_any((const char *)p, n, &line, &plain);
	return line.kind != VIXL_TEXT || line.prefix;
}

/* Text that is not the simulator's: one line, or several when it holds line ends, each behind `head`.
 * Characters are replaced where a reader would take a line for the simulator's. */
static int put_foreign(struct cairn_writer *writer, struct base_buf *to, const char *head,
                       const char *text, size_t n)
{
	/* `#` begins such lines, tabs stand in those of instructions, and `x` before numbers. */
	static const char *const signs = "#\tx", *const others = ". _";
	struct encoder *encoder = writer->impl;
	const char *end = text + n;
	int rc = 0;
	for (const char *line = text; line <= end && rc >= 0;) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));
		size_t at = to->len;
		stop = stop ? stop : end;
		rc = base_buf_put(to, head, strlen(head));
		if (rc >= 0)
			rc = base_buf_put(to, line, (size_t)(stop - line));
		if (rc >= 0 && reads_as_own(to->data + at, to->len - at))
			rc = model_lost(writer, 1, encoder->n,
			                "characters of text that looks like lines of the simulator");
		for (size_t k = 0; k < 3 && rc >= 0 && reads_as_own(to->data + at, to->len - at); k++)
			for (size_t i = at; i < to->len; i++)
				if (to->data[i] == (uint8_t)signs[k])
					to->data[i] = (uint8_t)others[k];
		if (rc >= 0)
			rc = base_buf_put(to, "\n", 1);
		line = stop + 1;
	}
	return rc;
}

static int vixl_encoder_from(struct cairn_writer *writer, const struct cairn_reader *reader)
{
	((struct encoder *)writer->impl)->own = model_is_own(reader, &vixl_writer_format);
	return 0;
}

/* Kept until the first instruction is written, because a log is recognised by how it begins. */
static int vixl_encoder_comment(struct cairn_writer *writer, const char *text, size_t n)
{
	struct encoder *encoder = writer->impl;
	encoder->n_notes++;
	return put_foreign(writer, &encoder->notes, VIXL_COMMENT, text, n);
}

static int put_notes(struct encoder *encoder)
{
	int rc = base_buf_put(&encoder->out, encoder->notes.data, encoder->notes.len);
	encoder->notes.len = 0;
	encoder->n_notes = 0;
	return rc;
}

/* ---- registers ---- */

static bool is_wide(const struct encoder *encoder, uint8_t flags, uint64_t at, unsigned bytes)
{
	return (flags & CAIRN_VALUE_WIDE) && at <= encoder->batch->n_bytes &&
	       bytes <= encoder->batch->n_bytes - at;
}

/* A value of up to 16 bytes, which lies in the row or, wide, in the batch's bytes. */
static bool encoder_value_of(const struct encoder *encoder, uint8_t flags, uint64_t row,
                             unsigned bits, uint64_t value[2])
{
	value[0] = row;
	value[1] = 0;
	if (!(flags & CAIRN_VALUE_KNOWN))
		return false;
	if (!(flags & CAIRN_VALUE_WIDE))
		return bits <= 64;
	if (bits != 128 || !is_wide(encoder, flags, row, 16))
		return false;
	value[0] = base_le64(encoder->batch->bytes + row);
	value[1] = base_le64(encoder->batch->bytes + row + 8);
	return true;
}

static void name_integer(const struct cairn_reg *reg, bool stores, struct vixl_line *line)
{
	line->letter = stores || reg->bits == 64 ? 'x' : 'w';
	line->num = reg->num;
	line->special = reg->num == ISA_ARM64_SP                ? VIXL_SP
	                : reg->num == ISA_ARM64_XZR             ? VIXL_ZR
	                : reg->num == 30 && line->letter == 'x' ? VIXL_LR
	                                                        : VIXL_PLAIN;
}

static void name_vector(const struct encoder *encoder, const struct cairn_reg *reg, bool stores,
                        struct vixl_line *line)
{
	static const char letters[] = "bhsdv";
	bool z = !(reg->flags & CAIRN_VALUE_ZEROES);
	if (stores)
		z = vixl_is_sve(encoder->enc);
	else if (!encoder->own)
		z &= reg->role == CAIRN_ROLE_STATE ? encoder->sve && !vixl_is_hlt(encoder->enc)
		                                   : vixl_is_sve(encoder->enc);
	z = reg->bits == 128 && (z || reg->lsb);
	unsigned k = reg->bits == 128 ? 4 : (unsigned)__builtin_ctz(reg->bits / 8 | 16);
	line->num = reg->num;
	line->special = VIXL_PLAIN;
	line->letter = z ? 'z' : stores ? 'v' : letters[k];
	line->ranged = z || stores;
}

/* The line's name and value; NULL, or what has no line. */
static const char *encoder_register_line(const struct encoder *encoder, const struct cairn_reg *reg,
                                         bool stores, struct vixl_line *line)
{
	bool power = reg->bits >= 8 && !(reg->bits & (reg->bits - 1));
	*line = (struct vixl_line){.kind = VIXL_XREG,
	                           .ranged = stores,
	                           .bytes = (uint8_t)(reg->bits / 8),
	                           .lsb = reg->lsb,
	                           .msb = (uint16_t)(reg->lsb + reg->bits - 1)};
	if (reg->cls == CAIRN_REG_INT) {
		if (!power || reg->bits > 64 || reg->lsb || (!stores && reg->bits < 32) ||
		    reg->num > ISA_ARM64_XZR || reg->num == ISA_ARM64_PC)
			return "parts of integer registers";
		name_integer(reg, stores, line);
	} else if (reg->cls == CAIRN_REG_VECTOR) {
		if (!power || reg->bits > 128 || reg->num > 31 || reg->lsb % 128)
			return "vector registers wider than 128 bits, or lanes of them";
		line->kind = VIXL_VREG;
		name_vector(encoder, reg, stores, line);
	} else if (reg->cls == CAIRN_REG_PREDICATE) {
		if (reg->bits != 16 || reg->num > ISA_ARM64_FFR)
			return "predicate registers in other pieces than 16 bits";
		line->kind = VIXL_PREG;
		line->letter = 'p';
		line->special = reg->num == ISA_ARM64_FFR ? VIXL_FFR : VIXL_PLAIN;
		line->num = reg->num;
		line->ranged = 1;
	} else {
		return "registers a state trace does not have";
	}
	if (!encoder_value_of(encoder, reg->flags, reg->value, reg->bits, line->value)) {
		if (line->letter != 'x' || reg->bits != 64)
			return "registers whose value is not known";
		line->masked = VIXL_MASKED_VALUE;
	}
	vixl_line_decode(line);
	return NULL;
}

/* NZCV or FPCR as a row of flags, or as all of the system register. */
static bool is_flags(const struct cairn_reg *reg)
{
	bool whole = reg->cls == CAIRN_REG_CSR && reg->lsb == 0 && reg->bits >= 32;
	if (reg->cls == CAIRN_REG_FLAGS)
		return reg->num == 0 && reg->bits == 4;
	return (whole && (reg->num == ISA_ARM64_NZCV || reg->num == ISA_ARM64_FPCR)) ||
	       (reg->cls == CAIRN_REG_CSR && reg->num == ISA_ARM64_FPCR && reg->lsb == VIXL_FPCR_LSB &&
	        reg->bits == VIXL_FPCR_BITS);
}

static int encoder_put_flags(struct cairn_writer *writer, const struct cairn_reg *reg)
{
	const struct encoder *encoder = writer->impl;
	bool fpcr = reg->cls == CAIRN_REG_CSR && reg->num == ISA_ARM64_FPCR;
	bool whole = reg->cls == CAIRN_REG_CSR && reg->lsb == 0;
	unsigned lsb = !whole ? 0 : fpcr ? VIXL_FPCR_LSB : 28;
	uint64_t mask = (UINT64_C(1) << (fpcr ? VIXL_FPCR_BITS : 4)) - 1;
	struct vixl_line line = {.kind = fpcr ? VIXL_FPCR : VIXL_NZCV,
	                         .value = {reg->value >> lsb & mask}};
	if (!(reg->flags & CAIRN_VALUE_KNOWN))
		return model_lost(writer, 1, encoder->n, "flags whose value is not known");
	if (reg->value & ~(mask << lsb) &&
	    model_lost(writer, 1, encoder->n, "bits of FPCR that are not shown") < 0)
		return CAIRN_E_LOSS;
	return encoder_put_line(writer->impl, &line);
}

/* ---- accesses ---- */

static void point(const struct cairn_mem *mem, struct vixl_line *line)
{
	line->arrow = mem->kind == CAIRN_MEM_READ ? '<' : '>';
	line->addr = mem->addr;
	if (mem->flags & CAIRN_VALUE_ADDR_UNKNOWN)
		line->masked |= VIXL_MASKED_ADDR;
}

/* Why an access has no line, in whole or in part. */
static const char *vixl_encoder_unfit(const struct cairn_mem *mem)
{
	if (mem->kind != CAIRN_MEM_READ && mem->kind != CAIRN_MEM_WRITE)
		return "prefetches, fetches and accesses of unknown kind";
	if (mem->initiator != CAIRN_BY_INSN)
		return "accesses by others than the instruction";
	return mem->flags & CAIRN_VALUE_NOT_WRITTEN ? "accesses that did not happen" : NULL;
}

static int lose_access(struct cairn_writer *writer, const struct cairn_mem *mem)
{
	struct encoder *encoder = writer->impl;
	int rc =
		mem->flags & CAIRN_VALUE_PA ? model_lost(writer, 1, encoder->n, "physical addresses") : 0;
	if (rc >= 0 && mem->attr)
		rc = model_lost(writer, 1, encoder->n, "attributes of accesses");
	return rc;
}

static bool access_value(const struct encoder *encoder, const struct cairn_mem *mem,
                         uint64_t value[2])
{
	unsigned bits = mem->size <= 16 ? 8 * mem->size : UINT32_MAX;
	return encoder_value_of(encoder, mem->flags, mem->value, bits, value);
}

static const struct cairn_mem *mem_at(const struct encoder *encoder, size_t index)
{
	return index < encoder->n_items && encoder->items[index].kind == MEM
	           ? &encoder->batch->mems[encoder->items[index].row]
	           : NULL;
}

/* What CAS of bytes and halfwords loads, and flags that are not shown: see fix.c. */
static bool encoder_is_hidden(const struct encoder *encoder, uint8_t cls)
{
	enum vixl_trap trap = vixl_trap_of(encoder->enc);
	return cls == CAIRN_REG_FLAGS ? trap == VIXL_TRAP_FLAGS
	                              : trap == VIXL_TRAP_COMPARE && encoder->enc >> 30 < 2;
}

/* A write without a register, word by word: what DC ZVA zeroes. 0: it is none of words. */
static int put_write(struct encoder *encoder, const struct cairn_mem *mem)
{
	bool wide = is_wide(encoder, mem->flags, mem->value, mem->size);
	if (mem->kind != CAIRN_MEM_WRITE || mem->size % 8 || !mem->size ||
	    !(mem->flags & CAIRN_VALUE_KNOWN) || (mem->size > 8 && !wide))
		return 0;
	int rc = 1;
	for (uint32_t at = 0; at < mem->size && rc >= 0; at += 8) {
		struct vixl_line line = {.kind = VIXL_WRITE64};
		point(mem, &line);
		line.addr = mem->addr + at;
		line.value[0] = wide ? base_le64(encoder->batch->bytes + mem->value + at) : mem->value;
		rc = encoder_put_line(encoder, &line);
	}
	return rc < 0 ? rc : 1;
}

/* What SETP and the like wrote, byte by byte, each from the lowest of their register. 0: it is
 * none of that. */
static int put_set(struct encoder *encoder, const struct cairn_mem *mem)
{
	struct isa_arm64_access set;
	bool wide = is_wide(encoder, mem->flags, mem->value, mem->size);
	if (mem->kind != CAIRN_MEM_WRITE || !(mem->flags & CAIRN_VALUE_KNOWN) ||
	    (mem->size > 8 && !wide) || !isa_arm64_access(encoder->enc, &set) ||
	    !(set.flags & ISA_ARM64_MOPS) || !set.n_regs)
		return 0;
	struct cairn_reg source = {.cls = CAIRN_REG_INT,
	                           .bits = 8,
	                           .flags = CAIRN_VALUE_KNOWN,
	                           .num = set.regs[0] == 31 ? ISA_ARM64_XZR : set.regs[0]};
	int rc = 1;
	for (uint32_t at = 0; at < mem->size && rc >= 0; at++) {
		struct vixl_line line;
		source.value = wide ? encoder->batch->bytes[mem->value + at] : mem->value >> 8 * at & 0xff;
		encoder_register_line(encoder, &source, true, &line);
		point(mem, &line);
		line.addr = mem->addr + at;
		rc = encoder_put_line(encoder, &line);
	}
	return rc < 0 ? rc : 1;
}

/* A byte that was copied: a read, and a write of the same. 0: it is none. */
static int put_copy(struct encoder *encoder, const struct cairn_mem *mem,
                    const struct cairn_mem *to)
{
	uint64_t v[2], other[2];
	if (mem->kind != CAIRN_MEM_READ || mem->size != 1 || !access_value(encoder, mem, v) || !to ||
	    to->reg || to->kind != CAIRN_MEM_WRITE || to->size != 1 ||
	    !access_value(encoder, to, other) || other[0] != v[0])
		return 0;
	struct vixl_line line = {.kind = VIXL_TRANSFER,
	                         .addr = to->addr,
	                         .source = mem->addr,
	                         .value = {v[0]}};
	int rc = encoder_put_line(encoder, &line);
	return rc < 0 ? rc : 2;
}

/* An access without a register is drawn to the zero register, which keeps its value. 0: its size
 * cannot be drawn. */
static int put_unowned(struct encoder *encoder, const struct cairn_mem *mem)
{
	struct vixl_line zero = {.kind = VIXL_XREG, .letter = 'x', .special = VIXL_ZR, .bytes = 8};
	uint64_t v[2];
	char art[VIXL_DRAWING];
	unsigned size = mem->size < 8 ? mem->size : 8;
	if (!access_value(encoder, mem, v) || mem->size & (mem->size - 1) || mem->size > 16)
		return 0;
	vixl_line_decode(&zero);
	int rc = encoder_put_line(encoder, &zero);
	for (unsigned at = 0; at < mem->size && rc >= 0; at += size) {
		struct vixl_line line = {.kind = VIXL_ACCESS,
		                         .n_values = 1,
		                         .bytes = (uint8_t)size,
		                         .text = art};
		line.text_len = (uint32_t)vixl_draw(art, 8, 1, 0);
		line.value[0] = v[at / 8];
		point(mem, &line);
		line.addr = mem->addr + at;
		rc = encoder_put_line(encoder, &line);
	}
	return rc < 0 ? rc : 1;
}

/* An access without a register: a copy of a byte, words that are written, or one whose
 * value has no line. Returns how many items it took. */
static int lone_access(struct cairn_writer *writer, size_t index)
{
	struct encoder *encoder = writer->impl;
	const struct cairn_mem *mem = mem_at(encoder, index);
	struct vixl_line line = {.kind = VIXL_BARE};
	bool known = mem->flags & CAIRN_VALUE_KNOWN, hidden = encoder_is_hidden(encoder, CAIRN_REG_INT);
	const char *why = vixl_encoder_unfit(mem);
	if (!why && vixl_implied(encoder->enc) && !mem->reg)
		why = "accesses that the simulator does not show";
	if (why)
		return model_lost(writer, 1, encoder->n, why) < 0 ? CAIRN_E_LOSS : 1;
	if (lose_access(writer, mem) < 0)
		return CAIRN_E_LOSS;
	int took = hidden ? 0 : put_set(encoder, mem);
	if (took == 0 && !hidden)
		took = put_copy(encoder, mem, mem_at(encoder, index + 1));
	if (took == 0 && !hidden)
		took = put_write(encoder, mem);
	if (took == 0 && !hidden)
		took = put_unowned(encoder, mem);
	/* A reader takes the value on an atomic's line for the operand. */
	if (took > 0 && known && mem->kind == CAIRN_MEM_WRITE &&
	    vixl_trap_of(encoder->enc) == VIXL_TRAP_ATOMIC &&
	    model_lost(writer, 1, encoder->n, "values that the simulator does not show") < 0)
		return CAIRN_E_LOSS;
	if (took)
		return took;
	if (known)
		why = hidden ? "values that the simulator does not show"
		             : "values of accesses without a register";
	else if (mem->size)
		why = "sizes of accesses whose value is not known";
	if (why && model_lost(writer, 1, encoder->n, why) < 0)
		return CAIRN_E_LOSS;
	point(mem, &line);
	return encoder_put_line(encoder, &line) < 0 ? CAIRN_E_NOMEM : 1;
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
static unsigned byte_of(const struct group *group, const struct cairn_mem *mem)
{
	unsigned at = mem->lane * mem->size;
	return at >= group->chunk && at - group->chunk < group->cells ? at - group->chunk : 0;
}

/* Registers from item i on that accesses are drawn to; rows 0: there are none. */
static struct group encoder_group_of(const struct encoder *encoder, size_t index)
{
	struct group group = {0};
	size_t j = index;
	while (j < encoder->n_items && encoder->items[j].kind == REG)
		j++;
	const struct cairn_mem *mem = mem_at(encoder, j);
	if (!mem || !mem->reg || !mem->size || mem->size > 16 ||
	    mem->reg - 1u < encoder->items[index].row || mem->reg - 1u > encoder->items[j - 1].row ||
	    vixl_encoder_unfit(mem))
		return group;
	const struct cairn_reg *reg = &encoder->batch->regs[mem->reg - 1];
	if (mem->size * 8 == reg->bits && !vixl_is_struct(encoder->enc))
		return group; /* on the register's own line */
	group = (struct group){.first_mem = j,
	                       .base = mem->reg - 1u,
	                       .size = mem->size,
	                       .k = encoder->items[j - 1].row - (mem->reg - 1u) + 1,
	                       .stores = mem->kind == CAIRN_MEM_WRITE,
	                       .cells = reg->cls == CAIRN_REG_INT ? 8 : 16,
	                       .chunk = reg->lsb / 8u};
	for (; (mem = mem_at(encoder, j)) && group.k <= 4; j++) {
		if (mem->reg != group.base + 1 + (j - group.first_mem) % group.k || mem->size != group.size)
			break;
		group.touched |= ((1u << (mem->size < 16 ? mem->size : 16)) - 1) << byte_of(&group, mem);
	}
	group.rows = (unsigned)(j - group.first_mem) / (group.k ? group.k : 1);
	if (vixl_replicates(encoder->enc))
		group.touched = reg->bits == 64 ? 0xff : 0xffff;
	return group;
}

static int encoder_put_rows(struct cairn_writer *writer, const struct group *group)
{
	struct encoder *encoder = writer->impl;
	uint32_t left = group->touched;
	int rc = 0;
	for (unsigned row = 0; row < group->rows && rc >= 0; row++) {
		size_t at = group->first_mem + (size_t)row * group->k;
		const struct cairn_mem *mem = mem_at(encoder, at);
		struct vixl_line line = {.kind = VIXL_ACCESS,
		                         .n_values = (uint8_t)group->k,
		                         .bytes = (uint8_t)group->size};
		char art[VIXL_DRAWING];
		uint32_t marks = 1u << byte_of(group, mem), below = 0;
		bool known = true;
		if (vixl_replicates(encoder->enc))
			for (unsigned i = marks = 0; i < 16; i += group->size)
				marks |= (left >> i & 1) << i;
		for (unsigned later = row + 1; later < group->rows; later++)
			below |= 1u << byte_of(group, mem_at(encoder, at + (later - row) * (size_t)group->k));
		point(mem, &line);
		for (unsigned i = 0; i < group->k; i++) {
			uint64_t v[2];
			const struct cairn_mem *e = mem_at(encoder, at + i);
			known &= access_value(encoder, e, v);
			line.value[i] = v[0];
		}
		line.text = art;
		line.text_len = (uint32_t)vixl_draw(art, group->cells, marks, below);
		rc = lose_access(writer, mem);
		if (rc >= 0)
			rc = known ? encoder_put_line(encoder, &line)
			           : model_lost(writer, group->k, encoder->n,
			                        "accesses whose value is not known");
	}
	return rc;
}

/* With the lanes as floating point where the simulator does so. SVE repeats those of the
 * first register. */
static int encoder_put_group(struct cairn_writer *writer, const struct group *group)
{
	struct encoder *encoder = writer->impl;
	char fp[VIXL_FP_TEXT];
	size_t fp_len = 0;
	int rc = 0;
	bool lanes = group->cells == 16 && group->size > 1 && vixl_moves_lanes(encoder->enc);
	for (unsigned i = 0; i < group->k && rc >= 0; i++) {
		const struct cairn_reg *reg = &encoder->batch->regs[group->base + i];
		struct vixl_line line;
		const char *why =
			encoder_register_line(encoder, reg, group->stores && reg->cls != CAIRN_REG_INT, &line);
		if (why)
			return model_lost(writer, 1, encoder->n, why);
		if (lanes && (i == 0 || !vixl_is_sve(encoder->enc)))
			fp_len = vixl_fp_text(fp, line.value, line.bytes, group->size, group->touched);
		line.fp = lanes ? fp : NULL;
		line.fp_len = (uint32_t)fp_len;
		rc = encoder_put_line(encoder, &line);
	}
	return rc < 0 ? rc : encoder_put_rows(writer, group);
}

/* ---- single rows ---- */

/* Registers of a predicated vector load, 0: it is none. */
static unsigned loads(uint32_t encoding)
{
	if (!vixl_is_sve(encoding) || vixl_implied(encoding) || (encoding & 0xffc00000) == 0x85800000)
		return 0; /* LDR of a whole register has its access on the line */
	if (encoding >> 25 == 0xa4 >> 1)
		return (encoding >> 13 & 7) >= 6 ? 1 + (encoding >> 21 & 3) : 1;
	return encoding >> 25 == 0x84 >> 1 || encoding >> 25 == 0xc4 >> 1;
}

/* Is there an access without a register to belong to? */
static bool has_lone_access(const struct encoder *encoder)
{
	for (size_t i = 0; i < encoder->n_items; i++)
		if (encoder->items[i].kind == MEM && !mem_at(encoder, i)->reg)
			return true;
	return false;
}

/* Is this a piece of a predicated load's register of which nothing was loaded? */
static bool is_untouched(const struct encoder *encoder, size_t index, const struct cairn_reg *reg)
{
	for (; index < encoder->n_items && encoder->items[index].kind == REG; index++)
		if (encoder->batch->regs[encoder->items[index].row].lsb != reg->lsb)
			return true; /* another piece begins */
	return reg->cls == CAIRN_REG_VECTOR && reg->role == CAIRN_ROLE_DST && loads(encoder->enc) &&
	       !mem_at(encoder, index) && !has_lone_access(encoder);
}

/* It leaves an empty line, behind the last register of the structure. */
static bool is_blank(const struct encoder *encoder, size_t index, const struct cairn_reg *reg)
{
	unsigned k = loads(encoder->enc);
	return k && is_untouched(encoder, index, reg) &&
	       reg->num == ((encoder->enc & 31) + k - 1) % 32 && reg->cls == CAIRN_REG_VECTOR &&
	       reg->role == CAIRN_ROLE_DST;
}

/* And dots for lanes, where the elements are lanes larger than a byte. */
static bool none_touched(const struct encoder *encoder, size_t index, const struct cairn_reg *reg)
{
	bool bytes = loads(encoder->enc) > 1 && !(encoder->enc >> 23 & 3);
	return loads(encoder->enc) && reg->cls == CAIRN_REG_VECTOR && reg->role == CAIRN_ROLE_DST &&
	       is_untouched(encoder, index, reg) && vixl_moves_lanes(encoder->enc) && !bytes;
}

static int put_register(struct cairn_writer *writer, size_t index, size_t *took)
{
	struct encoder *encoder = writer->impl;
	const struct cairn_reg *reg = &encoder->batch->regs[encoder->items[index].row];
	const struct cairn_mem *mem = mem_at(encoder, index + 1);
	struct vixl_line line;
	char fp[VIXL_FP_TEXT];
	bool own = mem && mem->reg == encoder->items[index].row + 1 && mem->size * 8 == reg->bits &&
	           !vixl_encoder_unfit(mem);
	bool stores = own && mem->kind == CAIRN_MEM_WRITE;
	*took = 1;
	if (encoder_is_hidden(encoder, reg->cls) && reg->role == CAIRN_ROLE_DST &&
	    reg->flags & CAIRN_VALUE_KNOWN &&
	    (reg->cls == CAIRN_REG_FLAGS || reg->num == (encoder->enc >> 16 & 31)))
		return model_lost(writer, 1, encoder->n, "values that the simulator does not show");
	if (reg->role != CAIRN_ROLE_DST && reg->role != CAIRN_ROLE_STATE && !own)
		return model_lost(writer, 1, encoder->n, "operands that are not stored");
	if (reg->role == CAIRN_ROLE_STATE && encoder->begun && !encoder->run_begins &&
	    !encoder_logs(encoder))
		return model_lost(writer, 1, encoder->n, "registers as they were between two instructions");
	if (is_flags(reg))
		return encoder_put_flags(writer, reg);
	const char *why = encoder_register_line(encoder, reg, stores, &line);
	if (why) {
		*took = own ? 2 : 1; /* the access has no line of its own */
		return model_lost(writer, 1, encoder->n, why);
	}
	int rc = 0;
	bool blank = !own && is_blank(encoder, index, reg);
	bool scalar = reg->cls == CAIRN_REG_VECTOR && reg->bits >= 16 && reg->bits <= 64;
	if (scalar && (own || vixl_is_fp_result(encoder->enc))) {
		line.fp = fp;
		line.fp_len =
			(uint32_t)vixl_fp_text(fp, line.value, reg->bits / 8, reg->bits / 8, UINT32_MAX);
	}
	if (own && line.special == VIXL_ZR && !stores && mem->flags & CAIRN_VALUE_KNOWN &&
	    model_lost(writer, 1, encoder->n, "values that the simulator does not show") < 0)
		return CAIRN_E_LOSS; /* it shows what the register reads as */
	if (own) {
		point(mem, &line);
		if (reg->cls == CAIRN_REG_PREDICATE)
			line.addr += 14 * (reg->lsb / 16u); /* as the simulator counts them */
		rc = lose_access(writer, mem);
		*took = 2;
	}
	if (!own && none_touched(encoder, index, reg)) {
		line.fp = "..."; /* no lane was */
		line.fp_len = 3;
	}
	if (rc >= 0)
		rc = encoder_put_line(encoder, &line);
	if (rc >= 0 && blank) {
		line = (struct vixl_line){.kind = VIXL_BLANK};
		rc = encoder_put_line(encoder, &line);
	}
	return rc;
}

/* One of cairn's: behind "; " no reader takes it for a program's output. */
static bool is_own_comment(const uint8_t *p, size_t n)
{
	static const char own[] = "cairn: derived";
	return n >= sizeof own - 1 && !memcmp(p, own, sizeof own - 1);
}

static int encoder_put_event(struct cairn_writer *writer, const struct cairn_event *event)
{
	struct encoder *encoder = writer->impl;
	const uint8_t *p = event->args <= encoder->batch->n_bytes &&
	                           event->len <= encoder->batch->n_bytes - event->args
	                       ? encoder->batch->bytes + event->args
	                       : NULL;
	if (event->kind == CAIRN_EV_COMMENT && p)
		return put_foreign(writer, &encoder->out, is_own_comment(p, event->len) ? "; " : "",
		                   (const char *)p, event->len);
	if (event->kind == CAIRN_EV_BRANCH && (event->flags & CAIRN_EVF_TARGET)) {
		struct vixl_line line = {.kind = VIXL_BRANCH, .addr = event->target};
		return encoder_put_line(encoder, &line);
	}
	if (event->kind == CAIRN_EV_FORMAT && p && event->len == 24 &&
	    (event->code == VIXL_EV_GCS_PUSH || event->code == VIXL_EV_GCS_POP)) {
		struct vixl_line line = {.kind = VIXL_GCS,
		                         .arrow = event->code == VIXL_EV_GCS_PUSH ? '<' : '>',
		                         .enc = (uint32_t)cairn_event_arg(encoder->batch, event, 0),
		                         .index = (uint32_t)cairn_event_arg(encoder->batch, event, 1),
		                         .addr = cairn_event_arg(encoder->batch, event, 2)};
		return encoder_put_line(encoder, &line);
	}
	if (event->kind == CAIRN_EV_FORCE_PC || event->kind == CAIRN_EV_CONTEXT ||
	    event->kind == CAIRN_EV_MODE || event->kind == CAIRN_EV_MODE_ISA)
		return 0; /* the next instruction's address says this; contexts are counted */
	const struct cairn_insn *row = encoder->row;
	if (row && model_event_follows(row->traits, row->pc + row->size, event, p))
		return 0;
	return model_lost(writer, 1, encoder->n, model_lost_event(event->kind));
}

/* ---- slots ---- */

/* The rows of a slot in their order. */
static void encoder_collect(struct encoder *encoder, uint32_t row)
{
	const struct cairn_batch *batch = encoder->batch;
	const struct cairn_insn *insn = &batch->insns[row];
	uint32_t at[3] = {insn[0].reg0, insn[0].mem0, insn[0].ev0};
	const uint32_t end[3] = {insn[1].reg0, insn[1].mem0, insn[1].ev0};
	encoder->n_items = 0;
	for (uint32_t i = insn[0].reg0; i < insn[1].reg0 && !encoder->own && !encoder->sve; i++)
		encoder->sve = batch->regs[i].cls == CAIRN_REG_PREDICATE;
	for (;;) {
		uint32_t seq[3], best = UINT32_MAX;
		unsigned which = 3;
		for (unsigned k = 0; k < 3; k++) {
			seq[k] = at[k] >= end[k] ? UINT32_MAX
			         : k == REG      ? batch->regs[at[k]].seq
			         : k == MEM      ? batch->mems[at[k]].seq
			                         : batch->events[at[k]].seq;
			if (seq[k] < best) {
				best = seq[k];
				which = k;
			}
		}
		if (which == 3 || encoder->n_items == ROWS)
			return;
		encoder->items[encoder->n_items++] = (struct item){at[which]++, (uint8_t)which};
	}
}

static int encoder_put_items(struct cairn_writer *writer, size_t from, size_t to)
{
	struct encoder *encoder = writer->impl;
	size_t all = encoder->n_items, took;
	int rc = 0;
	encoder->n_items = to;
	for (size_t i = from; i < to && rc >= 0; i += took) {
		const struct item *it = &encoder->items[i];
		took = 1;
		if (it->kind == DONE) {
			continue;
		} else if (it->kind == EVENT) {
			rc = encoder_put_event(writer, &encoder->batch->events[it->row]);
		} else if (it->kind == MEM) {
			rc = lone_access(writer, i);
			took = rc > 0 ? (size_t)rc : 1;
		} else {
			struct group group = encoder_group_of(encoder, i);
			if (group.rows && group.base == it->row) {
				rc = encoder_put_group(writer, &group);
				took = group.k + (size_t)group.rows * group.k;
			} else {
				rc = put_register(writer, i, &took);
			}
		}
	}
	encoder->n_items = all;
	return rc < 0 ? rc : vixl_encoder_flush(writer, FLUSH);
}

/* Rows that come before the instruction's line: state, and text and gaps before it. */
static size_t leading(const struct encoder *encoder)
{
	bool logs = encoder_logs(encoder);
	size_t i = 0;
	for (; i < encoder->n_items; i++) {
		const struct item *it = &encoder->items[i];
		if (it->kind == MEM)
			break;
		if (it->kind == REG && (logs || encoder->batch->regs[it->row].role != CAIRN_ROLE_STATE))
			break;
		if (it->kind == EVENT && encoder->batch->events[it->row].phase != CAIRN_BEFORE)
			break;
	}
	return i;
}

static int encoder_put_words(struct cairn_writer *writer, const struct cairn_batch *batch,
                             uint32_t row)
{
	struct encoder *encoder = writer->impl;
	const struct cairn_insn *in = &batch->insns[row];
	const struct cairn_asm *a = batch->have & CAIRN_ASM ? &batch->asms[row] : NULL;
	struct vixl_line line = {.kind = VIXL_INSN, .addr = in->pc, .enc = in->enc, .text = ""};
	if (in->flags & CAIRN_INSN_PC_UNKNOWN || !(batch->have & CAIRN_PC))
		line.masked = VIXL_MASKED_ADDR;
	if (a && a->len && a->text <= batch->n_bytes && a->len <= batch->n_bytes - a->text) {
		line.text = (const char *)batch->bytes + a->text;
		line.text_len = a->len;
	} else {
		line.text_len =
			(uint32_t)vixl_words_of(encoder->words, in->pc, !line.masked, in->enc, &line.text);
	}
	int rc = line.text_len
	             ? 0
	             : model_lost(writer, 1, encoder->n, "instructions in words (no disassembler)");
	return rc < 0 ? rc : encoder_put_line(encoder, &line);
}

static int encoder_put_branch(struct cairn_writer *writer, const struct cairn_insn *in)
{
	struct encoder *encoder = writer->impl;
	struct vixl_line line = {.kind = VIXL_BRANCH, .addr = in->target};
	if (!(in->flags & CAIRN_INSN_TAKEN))
		return 0;
	if (!(in->flags & CAIRN_INSN_TARGET))
		line.masked = VIXL_MASKED_ADDR;
	encoder->branches = true;
	return encoder_put_line(encoder, &line);
}

/* Where a log has lines for branches, one without was not taken. */
static int lose_outcome(struct cairn_writer *writer, const struct cairn_insn *in)
{
	struct encoder *encoder = writer->impl;
	const uint32_t both = CAIRN_TRAIT_BRANCH | CAIRN_TRAIT_CONDITIONAL;
	bool is = (in->traits & both) == both;
	encoder->stays = is && in->flags & CAIRN_INSN_NOT_TAKEN;
	return is && !(in->flags & (CAIRN_INSN_TAKEN | CAIRN_INSN_NOT_TAKEN))
	           ? model_lost(writer, 1, encoder->n, model_lost_outcome)
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

/* Its events stay if they have a line. */
static int vixl_encoder_leave_out(struct cairn_writer *writer, const struct cairn_insn *in,
                                  const char *why)
{
	struct encoder *encoder = writer->impl;
	int rc = model_lost(writer, 1, encoder->n, why);
	if (rc >= 0)
		rc = model_lost(writer,
		                (uint64_t)(in[1].reg0 - in[0].reg0) + (uint64_t)(in[1].mem0 - in[0].mem0),
		                encoder->n, model_lost_rows);
	for (uint32_t i = in[0].ev0; i < in[1].ev0 && rc >= 0; i++)
		rc = encoder_put_event(writer, &encoder->batch->events[i]);
	return rc;
}

/* Is the instruction where the one before it does not lead? `ends`: that one ended a run. */
static bool is_elsewhere(const struct encoder *encoder, const struct cairn_insn *in, bool *ends)
{
	struct cairn_op op;
	uint64_t next;
	bool follows =
		encoder->last.branched ? encoder->last.target == in->pc : encoder->last.pc + 4 == in->pc;
	*ends = false;
	if (!encoder->begun || (follows && encoder->last.pc_known && in->pc)) /* to 0: the run's end */
		return false;
	cairn_isa_decode(CAIRN_ISA_A64, encoder->last.enc, 4, &op);
	uint64_t flags = vixl_follow(&encoder->last, &op, true, &next);
	*ends = (flags & VIXL_F_END) != 0;
	return !(in->flags & CAIRN_INSN_PC_UNKNOWN) && (flags & VIXL_F_NEXT) && !(flags & VIXL_F_GAP) &&
	       next != in->pc;
}

/* Otherwise a reader, or a check of the log, would think that the flow is broken. */
static int put_elsewhere(struct encoder *encoder, const struct cairn_batch *batch,
                         const struct cairn_insn *in, bool other)
{
	const struct cairn_ctx *ctx = in->ctx < batch->n_ctxs ? &batch->ctxs[in->ctx] : NULL;
	int rc = base_buf_put(&encoder->out, VIXL_ELSEWHERE, sizeof VIXL_ELSEWHERE - 1);
	if (rc >= 0 && other && ctx && ctx->known & CAIRN_CTX_HART)
		rc = base_buf_printf(&encoder->out, VIXL_ON_CPU "%u", ctx->hart);
	return rc < 0 ? rc : base_buf_put(&encoder->out, "\n", 1);
}

/* The instruction before was not followed: if it was a branch that was not taken, only a log with
 * lines for branches says so. */
static void note_quiet(struct encoder *encoder)
{
	if (encoder->stays && encoder->quiet++ == 0)
		encoder->quiet_n = encoder->n;
	encoder->stays = false;
}

/* Another thread than before runs: put its registers, where the log has others. */
static int put_hart(struct cairn_writer *writer, const struct cairn_batch *batch, uint32_t row)
{
	struct encoder *encoder = writer->impl;
	const struct cairn_batch *state;
	int rc = vixl_harts_enter(encoder->harts, batch, row, &state);
	bool ends, other = rc > 0,
			   elsewhere = is_elsewhere(encoder, &batch->insns[row], &ends) || other;
	if (rc < 0)
		return rc;
	if (other)
		note_quiet(encoder);
	if (elsewhere)
		rc = put_elsewhere(encoder, batch, &batch->insns[row], other);
	encoder->run_begins =
		!encoder->begun || elsewhere || ends || vixl_is_foreign(encoder->last.enc);
	if (rc < 0 || !other)
		return rc;
	vixl_canonical_forget(encoder->shape);
	encoder->batch = vixl_canonical_slot(encoder->shape, state, 0);
	encoder->enc = 0;
	encoder_collect(encoder, 0);
	return encoder_put_items(writer, 0, encoder->n_items);
}

static int vixl_encoder_put_insn(struct cairn_writer *writer, const struct cairn_batch *batch,
                                 uint32_t row)
{
	struct encoder *encoder = writer->impl;
	const struct cairn_insn *in = &batch->insns[row];
	encoder->batch = batch;
	encoder->n = batch->n0 + row;
	const char *why = unfit_insn(in, batch->have);
	if (in->flags & CAIRN_INSN_INFERRED &&
	    model_lost(writer, 1, batch->n0 + row, model_lost_inferred) < 0)
		return CAIRN_E_LOSS;
	int rc = why ? 0 : put_hart(writer, batch, row);
	encoder->enc = in->enc;
	encoder->row = why ? NULL : in;
	if (why)
		return vixl_encoder_leave_out(writer, in, why);
	if (rc < 0)
		return rc;
	if (encoder->last.pc + 4 != in->pc)
		note_quiet(encoder);
	encoder->begun = true;
	encoder->last = (struct vixl_flow){.pc = in->pc,
	                                   .enc = in->enc,
	                                   .target = in->target,
	                                   .pc_known = !(in->flags & CAIRN_INSN_PC_UNKNOWN),
	                                   .branched = (in->flags & CAIRN_INSN_TAKEN) != 0,
	                                   .target_known = (in->flags & CAIRN_INSN_TARGET) != 0};
	vixl_harts_note(encoder->harts, batch, row);
	const struct cairn_batch *made = vixl_canonical_slot(encoder->shape, batch, row);
	encoder->batch = made ? made : batch;
	encoder_collect(encoder, made ? 0 : row);
	size_t before = leading(encoder);
	bool trace = vixl_is_hlt(in->enc) && (in->enc >> 5 & 0xffff) == VIXL_HLT_TRACE;
	if (in->ctx < batch->n_ctxs)
		rc = model_lose_context(writer, &encoder->ctx, &batch->ctxs[in->ctx], 0, encoder->n);
	if (rc >= 0)
		rc = lose_outcome(writer, in);
	if (rc >= 0)
		rc = encoder_put_items(writer, 0, before);
	if (rc >= 0)
		rc = encoder_put_words(writer, batch, row);
	encoder->run_begins = false;
	if (rc >= 0 && trace) /* what was written meanwhile comes after it */
		rc = encoder_put_branch(writer, in);
	if (rc >= 0)
		rc = encoder_put_items(writer, before, encoder->n_items);
	return rc < 0 || trace ? rc : encoder_put_branch(writer, in);
}

static int vixl_encoder_put(struct cairn_writer *writer, const struct cairn_batch *batch)
{
	struct encoder *encoder = writer->impl;
	int rc = model_lost(writer, batch->n_xacts, batch->x0, "transactions");
	if (batch->n_insns && !encoder->any && batch->insns[0].isa != CAIRN_ISA_A64)
		return model_refuse_set(writer, &batch->insns[0], batch->n0, "A64 instructions");
	encoder->any |= batch->n_insns != 0;
	encoder->batch = batch;
	for (uint32_t i = 0; i < batch->n_insns && rc >= 0; i++) {
		rc = vixl_encoder_put_insn(writer, batch, i);
		if (rc >= 0 && encoder->n_notes && encoder->out.len)
			rc = put_notes(encoder);
	}
	if (rc < 0)
		return rc;
	encoder->batch = batch;
	encoder->enc = 0;
	encoder->row = NULL;
	encoder->n = batch->n0 + batch->n_insns;
	encoder_collect(encoder, batch->n_insns);
	return encoder_put_items(writer, 0, encoder->n_items);
}

static int vixl_encoder_finish(struct cairn_writer *writer)
{
	struct encoder *encoder = writer->impl;
	bool last = encoder->stays;
	note_quiet(encoder);
	int rc = model_lost(writer, encoder->n_notes, 0, model_lost_event(CAIRN_EV_COMMENT));
	if (rc >= 0 && !encoder->branches)
		rc = model_lost(writer, encoder->quiet, encoder->quiet_n, model_lost_outcome);
	else if (rc >= 0) /* with lines for branches, only of the last one nothing tells */
		rc = model_lost(writer, last, encoder->n - 1, model_lost_last_outcome);
	return rc < 0 ? rc : vixl_encoder_flush(writer, 0);
}

static const char *const suffixes[] = {".vixl", NULL};

const struct model_writer_format vixl_writer_format = {
	.options = &vixl_writing_options,
	.name = "VIXL",
	.marks = MODEL_MARKS_BEHIND,
	.suffixes = suffixes,
	.sets = 1u << CAIRN_ISA_A64,
	.open = vixl_encoder_open,
	.from = vixl_encoder_from,
	.comment = vixl_encoder_comment,
	.put = vixl_encoder_put,
	.finish = vixl_encoder_finish,
	.abort = vixl_encoder_abort,
};
