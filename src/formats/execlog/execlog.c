/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log of QEMU's plugin execlog: a line is an instruction with its accesses and, in
 * newer versions, the registers it wrote.
 *
 *   0, 0x1018c, 0xc398, "c398   sw   a4,0(a5)", store, 0x000111a8, RAM, a4 -> 0x00000003
 *
 * The log does not say the instruction set. Which one it is follows from the encodings:
 * the set in which more of the first instructions exist and are as long as the step to
 * the next one, and where 16 bits are none but them; isa=NAME states it. The plugin gives 32 bits even of an instruction of
 * 16; those above are cut off. Accesses have no size but what the encoding tells.
 */
#include "formats/execlog/execlog.h"

#include <string.h>

#include "text/text.h"

enum execlog_kind { EXECLOG_TEXT, EXECLOG_UNKNOWN, EXECLOG_INSN, EXECLOG_KINDS };
static const char *const kinds[EXECLOG_KINDS] = {"TEXT", "UNKNOWN", "INSN"};

static const char *execlog_word_end(const char *p, const char *end)
{
	const char *comma = memchr(p, ',', (size_t)(end - p));
	return comma ? comma : end;
}

/* "name -> 0xVALUE"; false if the field is something else. */
static bool execlog_register_row(const struct text_line *line, const char *p, const char *end,
                                 struct text_row *row)
{
	const char *arrow = memmem(p, (size_t)(end - p), " -> 0x", 6);
	enum cairn_reg_class cls;
	unsigned num;
	uint64_t v;
	if (!arrow || arrow == p)
		return false;
	row->what = TEXT_ROW_REG;
	row->name = p;
	row->name_len = (uint32_t)(arrow - p);
	row->digits = arrow + 6;
	row->n_digits = text_hex(row->digits, end, 1u << 14, &v);
	if (row->n_digits == 0 || row->digits + row->n_digits != end)
		return false;
	row->no_name = cairn_reg_find((enum cairn_isa)line->isa, p, row->name_len, &cls, &num) < 0;
	row->cls = row->no_name ? (uint8_t)CAIRN_REG_UNKNOWN : (uint8_t)cls;
	row->num = row->no_name ? (uint16_t)0 : (uint16_t)num;
	/* All bytes of a register are printed: if some are missing, the line is cut off. */
	unsigned whole = line->isa == CAIRN_ISA_RV64 || line->isa == CAIRN_ISA_A64 ? 16 : 8;
	return row->cls != CAIRN_REG_INT || row->n_digits == whole;
}

static int execlog_next_row(const struct text_impl *im, const struct text_line *line,
                            const char **at, struct text_row *row)
{
	const char *p, *e, *q;
	unsigned digits;
	(void)im;
	*row = (struct text_row){0};
	if (*at == line->end)
		return 0;
	if (!(p = text_word(*at, line->end, ", ")))
		return -1;
	*at = e = execlog_word_end(p, line->end);
	if ((q = text_word(p, e, "load")) == e || (q = text_word(p, e, "store")) == e) {
		row->what = TEXT_ROW_MEM;
		row->kind = *p == 'l' ? CAIRN_MEM_READ : CAIRN_MEM_WRITE;
		q = text_word(q, line->end, ", ");
		*at = q ? text_0x(q, line->end, &row->addr, &digits) : NULL;
		return *at && digits >= 8 ? 1 : -1; /* as %08x prints it */
	}
	if (execlog_register_row(line, p, e, row))
		return 1;
	if (p == e || memmem(p, (size_t)(e - p), "->", 2))
		return -1;
	row->what = TEXT_ROW_NOTE; /* the device that was accessed */
	row->name = p;
	row->name_len = (uint32_t)(e - p);
	return 1;
}

static unsigned execlog_size_of(unsigned isa, uint32_t enc)
{
	struct cairn_op op;
	switch (isa) {
	case CAIRN_ISA_RV32:
	case CAIRN_ISA_RV64:
		return (enc & 3) == 3 ? 4 : 2;
	case CAIRN_ISA_T32:
		cairn_isa_decode(CAIRN_ISA_T32, enc, 0, &op);
		return enc <= 0xffff ? 2 : op.size;
	default:
		return 4;
	}
}

static bool execlog_rest(const struct text_impl *im, const char *p, const char *end,
                         struct text_line *line)
{
	unsigned digits;
	uint64_t enc;
	if (!(p = text_0x(p, end, &line->pc, &digits)) || !(p = text_word(p, end, ", ")))
		return false;
	if (!(p = text_0x(p, end, &enc, &digits)) || enc > UINT32_MAX ||
	    !(p = text_word(p, end, ", \"")))
		return false;
	const char *quote = memchr(p, '"', (size_t)(end - p));
	if (!quote)
		return false;
	line->isa = im->isa ? im->isa : (uint8_t)CAIRN_ISA_RV64;
	line->size = (uint8_t)execlog_size_of(line->isa, (uint32_t)enc);
	line->code =
		line->size == 2 && enc > 0xffff; /* more bits were given than this set would print */
	line->enc = line->size == 2 ? (uint32_t)enc & 0xffff : (uint32_t)enc;
	line->rows = quote + 1;
	text_words(line, p, quote);
	return true;
}

static void execlog_parse(const struct text_impl *im, const char *p, size_t n,
                          struct text_line *line)
{
	const char *end = p + n, *q;
	uint64_t hart;
	*line = (struct text_line){.kind = EXECLOG_TEXT, .role = TEXT_FOREIGN, .end = end};
	q = text_dec(p, end, &hart);
	if (!q || !(q = text_word(q, end, ", ")) || !text_word(q, end, "0x"))
		return;
	line->hart = (uint16_t)hart;
	line->has_hart = true;
	if (hart > TEXT_LAST_CORE) {
		text_bad_insn(line, TEXT_CORE_TOO_HIGH);
		return;
	}
	if (!execlog_rest(im, q, end, line)) {
		text_bad_insn(line, "the address, the encoding or the quoted text is not complete; "
		                    "it is left out with its registers and accesses");
		return;
	}
	line->kind = EXECLOG_INSN;
	line->role = TEXT_INSN;
	text_try_rows(im, line, "what follows the instruction is neither an access nor a register");
}

/* ---- which instruction set ---- */

/* How many of the instructions are of that set. */
static unsigned votes(const struct text_impl *im, uint8_t isa, const char *p, const char *end)
{
	struct text_impl as = *im;
	struct text_line line, before = {0};
	unsigned n = 0, most = 4096;
	as.isa = isa;
	while (p < end && most--) {
		const char *e, *next = text_line_end(p, end, &e);
		struct cairn_op op;
		execlog_parse(&as, p, (size_t)(e - p), &line);
		p = next;
		if (line.role != TEXT_INSN)
			continue;
		cairn_isa_decode((enum cairn_isa)isa, line.enc, line.size, &op);
		uint64_t step = line.pc - before.pc;
		bool fits = (step != 2 && step != 4) || !before.size || step == before.size;
		bool exists = op.cls != CAIRN_CLASS_ILLEGAL && !(line.size == 2 && line.code);
		n += (exists ? 1u : 0u) + (fits ? 2u : 0u);
		before = line;
	}
	return n;
}

static void execlog_look(struct text_impl *im, const char *p, const char *end)
{
	static const uint8_t sets[] = {CAIRN_ISA_RV64, CAIRN_ISA_A64, CAIRN_ISA_T32, CAIRN_ISA_A32};
	unsigned best = 0;
	if (im->isa_given)
		return;
	for (size_t i = 0; i < sizeof sets; i++) {
		unsigned n = votes(im, sets[i], p, end);
		if (n > best) {
			best = n;
			im->isa = sets[i];
		}
	}
}

static const uint8_t sets[] = {CAIRN_ISA_RV32, CAIRN_ISA_RV64, CAIRN_ISA_A64, CAIRN_ISA_A32,
                               CAIRN_ISA_T32};
static const struct kit_option reading[] = {
	{"isa", "rv32|rv64|a64|a32|t32", "the instruction set", KIT_WORD, KIT_AT(struct text_impl, isa),
     .codes = sets},
	TEXT_PIECE,
};
const struct kit_options execlog_options = {"execlog", "reading execlog", reading,
                                            sizeof reading / sizeof *reading};

static const struct text_dialect dialect = {
	.generator = "QEMU execlog",
	.kinds = kinds,
	.n_kinds = EXECLOG_KINDS,
	.can = CAIRN_ASM,
	.parse = execlog_parse,
	.next_row = execlog_next_row,
	.way = &text_by_rows,
	.look = execlog_look,
};

const struct model_format execlog_format = {.options = &execlog_options,
                                            .name = "execlog",
                                            .silent = true,
                                            .own = &dialect,
                                            .open = text_open,
                                            TEXT_FORMAT};
