/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spike's logs: what is executed (-l), what is committed (--log-commits), or both.
 *
 *   core   0: 0x0000000080000000 (0x00000297) auipc   t0, 0x0          LIST
 *   core   0: 3 0x0000000080000000 (0x00000297) x5  0x0000000080000000 COMMIT
 *   3 0x0000000080000000 (0x00000297) x 5 0x0000000080000000           COMMIT, before 2020
 *   core   0: exception trap_user_ecall, epc 0x0000000080000010        EXCEPTION
 *   core   0:           tval 0x0000000000000000                        TVAL
 *   core   0: >>>>  main                                               SYMBOL
 *   core   0: Executed 3 times                                         REPEATED
 *
 * With both, the two lines of an instruction follow each other; one that traps has no
 * COMMIT. Addresses have as many digits as XLEN has nibbles, an encoding in COMMIT as
 * many as it has; in LIST always 8. A load's COMMIT has its address only; what it read is
 * known from the register it filled, unless that is x0 or a vector.
 */
#include "formats/spike/spike.h"

#include <string.h>

#include "isa/isa.h"
#include "text/text.h"

enum spike_kind {
	SPIKE_TEXT,
	SPIKE_UNKNOWN,
	SPIKE_LIST,
	SPIKE_COMMIT,
	SPIKE_EXCEPTION,
	SPIKE_TVAL,
	SPIKE_SYMBOL,
	SPIKE_REPEATED,
	SPIKE_KINDS
};
static const char *const kinds[SPIKE_KINDS] = {"TEXT",      "UNKNOWN", "LIST",   "COMMIT",
                                               "EXCEPTION", "TVAL",    "SYMBOL", "REPEATED"};

/* ---- rows of a COMMIT ---- */

static const char *spike_hex_value(const char *p, const char *end, struct text_row *row)
{
	uint64_t v;
	if (!(p = text_word(text_spaces(p, end), end, "0x")))
		return NULL;
	row->digits = p;
	row->n_digits = text_hex(p, end, 1u << 14, &v);
	p += row->n_digits;
	return row->n_digits == 0 || (p < end && *p != ' ') ? NULL : p;
}

static unsigned spike_digits(const struct text_line *line)
{
	return line->isa == CAIRN_ISA_RV32 ? 8 : 16;
}

static bool is_power(unsigned n)
{
	return n && !(n & (n - 1));
}

/* Bytes of what the instruction stores, where that follows from few bits and collides with no
 * extension; else 0. */
static unsigned stored(const struct text_line *line)
{
	uint32_t enc = line->enc, width = enc >> 12 & 7;
	bool wide = line->isa == CAIRN_ISA_RV64;
	if (((enc & 0x7f) == 0x23 || (enc & 0x7f) == 0x2f) && width < (wide ? 4u : 3u))
		return 1u << width;
	if ((enc & 0x7f) == 0x27 && (width == 2 || width == 3)) /* fsw, fsd */
		return 1u << width;
	if (!wide || line->size != 2 || (enc & 1) || (enc >> 14 & 3) != 3)
		return 0;
	return enc >> 13 & 1 ? 8 : 4; /* c.sw, c.swsp, c.sd, c.sdsp */
}

/* "mem 0xADDRESS", of a store "mem 0xADDRESS 0xVALUE". Spike prints all digits of a value: if some
 * are missing, the line is cut off. */
static const char *spike_access_row(const struct text_line *line, const char *p,
                                    struct text_row *row)
{
	const char *end = line->end;
	unsigned digits;
	row->what = TEXT_ROW_MEM;
	row->kind = CAIRN_MEM_READ;
	p = text_0x(text_spaces(p, end), end, &row->addr, &digits);
	if (!p || digits != spike_digits(line))
		return NULL;
	if (!text_word(text_spaces(p, end), end, "0x"))
		return p;
	row->kind = CAIRN_MEM_WRITE;
	p = spike_hex_value(p, end, row);
	row->size = row->n_digits / 2;
	return is_power(row->size) && row->size >= stored(line) ? p : NULL;
}

/* "e32 m1 l4": what the vector instruction was configured with. */
static const char *spike_vector_row(const char *p, const char *end, struct text_row *row)
{
	uint64_t sew, lmul, vl;
	row->what = TEXT_ROW_NOTE;
	row->name = p;
	if (!(p = text_dec(p + 1, end, &sew)) || p == end || *p++ != ' ' || p == end || *p++ != 'm')
		return NULL;
	if (p < end && *p == 'f')
		p++;
	if (!(p = text_dec(p, end, &lmul)) || end - p < 2 || p[0] != ' ' || p[1] != 'l')
		return NULL;
	p = text_dec(p + 2, end, &vl);
	row->name_len = p ? (uint32_t)(p - row->name) : 0;
	return p;
}

static const char *spike_register_row(const struct text_line *line, const char *p,
                                      struct text_row *row)
{
	static const struct {
		char letter;
		uint8_t cls;
		uint16_t most;
	} banks[] = {{'x', CAIRN_REG_INT, 31},
	             {'f', CAIRN_REG_FP, 31},
	             {'v', CAIRN_REG_VECTOR, 31},
	             {'c', CAIRN_REG_CSR, 4095}};
	uint64_t num = UINT64_MAX;
	const char *from = p, *q, *end = line->end;
	for (size_t i = 0; i < sizeof banks / sizeof *banks; i++) {
		if (*p != banks[i].letter || !(q = text_dec(text_spaces(p + 1, end), end, &num)))
			continue;
		if (num > banks[i].most)
			return NULL;
		for (row->name = from; q < end && *q != ' '; q++)
			if (banks[i].cls != CAIRN_REG_CSR)
				return NULL;
		row->what = TEXT_ROW_REG;
		row->cls = banks[i].cls;
		row->num = (uint16_t)num;
		row->name_len = (uint32_t)(q - from);
		q = spike_hex_value(q, end, row);
		/* f has FLEN bits and v VLEN, which the log does not give; the others have XLEN. */
		bool whole = banks[i].cls == CAIRN_REG_FP || banks[i].cls == CAIRN_REG_VECTOR
		                 ? row->n_digits >= 8 && is_power(row->n_digits)
		                 : row->n_digits == spike_digits(line);
		return whole ? q : NULL;
	}
	return NULL;
}

static int spike_next_row(const struct text_impl *im, const struct text_line *line, const char **at,
                          struct text_row *row)
{
	const char *p = text_spaces(*at, line->end), *q;
	(void)im;
	*row = (struct text_row){0};
	if (p == line->end)
		return 0;
	if ((q = text_word(p, line->end, "mem ")))
		*at = spike_access_row(line, q, row);
	else if (*p == 'e')
		*at = spike_vector_row(p, line->end, row);
	else
		*at = spike_register_row(line, p, row);
	return *at ? 1 : -1;
}

/* ---- lines ---- */

/* "0xPC (0xENCODING)"; NULL if not. */
static const char *spike_place(const char *p, const char *end, struct text_line *line, bool listed)
{
	unsigned digits, n;
	uint64_t enc;
	p = text_0x(p, end, &line->pc, &digits);
	if (!p || (digits != 8 && digits != 16) || !(p = text_word(p, end, " (")))
		return NULL;
	p = text_0x(p, end, &enc, &n);
	if (!p || enc > UINT32_MAX || p == end || *p++ != ')' || (p < end && *p != ' '))
		return NULL;
	line->isa = digits == 8 ? (uint8_t)CAIRN_ISA_RV32 : (uint8_t)CAIRN_ISA_RV64;
	line->size = (enc & 3) == 3 ? 4 : 2;
	line->enc = (uint32_t)enc;
	if (line->size == 2 && enc > 0xffff)
		return NULL;
	return listed ? (n == 8 ? p : NULL) : n == 2u * line->size ? p : NULL;
}

static void spike_commit(const struct text_impl *im, const char *p, const char *end,
                         struct text_line *line)
{
	uint64_t priv = (uint64_t)(*p - '0');
	const char *q = spike_place(p + 2, end, line, false);
	if (!q || priv > 3) {
		text_bad_insn(line, "the PC, the encoding or the mode of the instruction makes no sense; "
		                    "it is left out with its registers and accesses");
		return;
	}
	line->kind = SPIKE_COMMIT;
	line->role = TEXT_INSN;
	line->joins = true;
	line->priv = (uint8_t)priv;
	line->has_priv = true;
	line->rows = q;
	text_try_rows(im, line, "what the instruction wrote or accessed cannot be read");
}

static void listed(const char *p, const char *end, struct text_line *line)
{
	const char *q = spike_place(p, end, line, true);
	if (!q) {
		text_bad_insn(line, "the PC or the encoding of the instruction makes no sense; "
		                    "it is left out with its registers and accesses");
		return;
	}
	line->kind = SPIKE_LIST;
	line->role = TEXT_INSN;
	line->opens = true;
	text_words(line, text_spaces(q, end), end);
}

/* The names of causes, by their numbers in the privileged specification. */
static const struct {
	const char *name;
	uint8_t code;
} traps[] = {{"instruction_address_misaligned", 0},
             {"instruction_access_fault", 1},
             {"illegal_instruction", 2},
             {"breakpoint", 3},
             {"load_address_misaligned", 4},
             {"load_access_fault", 5},
             {"store_address_misaligned", 6},
             {"store_access_fault", 7},
             {"user_ecall", 8},
             {"supervisor_ecall", 9},
             {"virtual_supervisor_ecall", 10},
             {"machine_ecall", 11},
             {"instruction_page_fault", 12},
             {"load_page_fault", 13},
             {"store_page_fault", 15},
             {"double_trap", 16},
             {"software_check", 18},
             {"instruction_guest_page_fault", 20},
             {"load_guest_page_fault", 21},
             {"virtual_instruction", 22},
             {"store_guest_page_fault", 23}};
enum { TRAPS = sizeof traps / sizeof *traps };

/* An event's arguments, in the order of STF's table of metadata. */
static const char *spike_arguments(uint64_t code)
{
	static const char *const by_code[24] = {"v", "p", "pei", "p", "pev", "pev", "pev", "pev",
	                                        "v", "v", "v",   "v", "pv",  "pev", "v",   "pev",
	                                        "v", "v", "v",   "v", "pv",  "pev", "pei", "pev"};
	return code < 24 ? by_code[code] : "v";
}

static bool cause(const char *p, const char *end, struct text_line *line)
{
	const char *q;
	line->event = CAIRN_EV_EXCEPTION;
	if ((q = text_word(p, end, "interrupt #")))
		line->event = CAIRN_EV_INTERRUPT;
	else
		q = text_word(p, end, "trap #");
	if (q)
		return text_dec(q, end, &line->code) == end;
	if (!(p = text_word(p, end, "trap_")))
		return false;
	for (size_t i = 0; i < TRAPS; i++)
		if (strlen(traps[i].name) == (size_t)(end - p) &&
		    !memcmp(traps[i].name, p, (size_t)(end - p))) {
			line->code = traps[i].code;
			return true;
		}
	return false;
}

/* An address of a trap: XLEN bits, in older versions always 64. */
static bool trap_address(const struct text_impl *im, const char *p, const char *end, uint64_t *out)
{
	unsigned digits;
	return text_0x(p, end, out, &digits) == end &&
	       (digits == 16 || (digits == 8 && im->look.isa != CAIRN_ISA_RV64));
}

static void spike_exception(const struct text_impl *im, const char *p, const char *end,
                            struct text_line *line)
{
	const char *comma = memchr(p, ',', (size_t)(end - p));
	const char *epc = comma ? text_word(comma, end, ", epc ") : NULL;
	if (!epc || !trap_address(im, epc, end, &line->pc) || !cause(p, comma, line)) {
		text_bad(line, "the exception has a name or an epc that makes no sense");
		return;
	}
	line->kind = SPIKE_EXCEPTION;
	line->role = TEXT_EVENT;
	line->args = line->event == CAIRN_EV_INTERRUPT ? "v" : spike_arguments(line->code);
	if (line->event == CAIRN_EV_EXCEPTION && line->code >= 8 && line->code <= 11)
		line->event = CAIRN_EV_SYSCALL;
	line->has_pc = true;
	line->text = p;
	line->text_len = (uint32_t)(comma - p);
}

static void spike_other(const struct text_impl *im, const char *p, const char *end,
                        struct text_line *line)
{
	const char *q;
	if ((q = text_word(p, end, "exception "))) {
		spike_exception(im, q, end, line);
	} else if ((q = text_word(text_spaces(p, end), end, "tval "))) {
		if (!trap_address(im, q, end, &line->target)) {
			text_bad(line, "the tval is not a number");
			return;
		}
		line->kind = SPIKE_TVAL;
		line->role = TEXT_ARGUMENT;
	} else if ((q = text_word(p, end, ">>>>"))) {
		line->kind = SPIKE_SYMBOL;
		line->role = TEXT_NOTHING;
		line->text = text_spaces(q, end);
		line->text_len = (uint32_t)(end - line->text);
	} else if ((q = text_word(p, end, "Executed "))) {
		q = text_dec(q, end, &line->code);
		if (!q || text_word(q, end, " times") != end) {
			text_bad(line, "the number of executions is not a number");
			return;
		}
		line->kind = SPIKE_REPEATED;
		line->role = TEXT_REPEATED;
	} else {
		text_bad(line, "the line names a core, but its kind is unknown");
	}
}

static bool spike_is_digit(char letter)
{
	return letter >= '0' && letter <= '9';
}

/* "3 0x", the beginning of a COMMIT. */
static bool is_commit(const char *p, const char *end)
{
	return end - p > 5 && spike_is_digit(p[0]) && p[1] == ' ' && p[2] == '0' && p[3] == 'x';
}

/* Where "core N: " begins in the line, and what is behind it; NULL: the line has none. A number that
 * has no room is left out. */
static const char *core(const char *p, const char *end, struct text_line *line)
{
	const char *from = p, *q, *at;
	uint64_t hart;
	while ((at = memmem(p, (size_t)(end - p), "core ", 5))) {
		q = text_dec(text_spaces(at + 5, end), end, &hart);
		if (q && (q = text_word(q, end, ": "))) {
			line->prefix = (uint32_t)(at - from);
			line->hart = (uint16_t)hart;
			line->has_hart = hart <= TEXT_LAST_CORE;
			return q;
		}
		p = at + 5;
	}
	return NULL;
}

static void spike_parse(const struct text_impl *im, const char *p, size_t n, struct text_line *line)
{
	const char *end = p + n, *q;
	*line = (struct text_line){.kind = SPIKE_TEXT, .role = TEXT_FOREIGN, .end = end};
	if (is_commit(p, end)) {
		spike_commit(im, p, end, line);
		if (line->role == TEXT_BAD && !strchr("013", *p))
			*line = (struct text_line){.kind = SPIKE_TEXT, .role = TEXT_FOREIGN, .end = end};
		return;
	}
	if (!(q = core(p, end, line)))
		return;
	if (is_commit(q, end))
		spike_commit(im, q, end, line);
	else if (text_word(q, end, "0x"))
		listed(q, end, line);
	else
		spike_other(im, q, end, line);
	if (!line->has_hart && line->role != TEXT_FOREIGN && line->role != TEXT_BAD)
		text_bad_insn(line, TEXT_CORE_TOO_HIGH);
}

/* ---- names ---- */

static const char *spike_event_name(const struct cairn_event *event)
{
	return event->kind == CAIRN_EV_INTERRUPT ? NULL : isa_riscv_exception_name(event->code);
}

static const struct kit_option reading[] = {TEXT_PIECE};
const struct kit_options spike_options = {"spike", "reading Spike", reading, 1};

static const struct text_dialect dialect = {
	.way = &text_by_rows,
	.generator = "Spike",
	.kinds = kinds,
	.n_kinds = SPIKE_KINDS,
	.loads_fill = true,
	.can = CAIRN_MEM_VALUES | CAIRN_ASM,
	.parse = spike_parse,
	.next_row = spike_next_row,
	.event_name = spike_event_name,
};

const struct model_format spike_format = {.options = &spike_options,
                                          .name = "Spike",
                                          .own = &dialect,
                                          .open = text_open,
                                          TEXT_FORMAT};
