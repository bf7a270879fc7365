/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arm's Tarmac, in the dialects of Fast Models, gem5 and RTL simulations ("ES"):
 *
 *   16 clk cpu0 IT (16) 0021074c:00000021074c_NS 340001a8 O EL3h_s : CBZ w8,{pc}+0x34
 *   16 clk cpu0 R X8 000000000000003A
 *   16 clk cpu0 MW8 000ffb68:0000000ffb68 00000000_00200167
 *   16 clk cpu0 E 00000000:000000000000 00000000 CoreEvent_Reset
 *
 *   0 tic ES  (0000000000210758:3869690b) O el3h_s:  LDRB w11,[x8,x9]
 *             LD 0000000000200160 ........ ......74 ........ ........    S:0000200160
 *             R X11 0000000000000074
 *             BR (0000000000210780) O
 *
 * IS is an instruction whose condition failed. The columns of LD and ST are 16 bytes, the
 * highest address first. The CPU may be missing, and RTL leaves out what a line has in
 * common with the one above. Physical addresses are kept where a line has them.
 */
#include "formats/tarmac/tarmac.h"

#include <string.h>

#include "isa/arm64.h"
#include "text/text.h"

enum tarmac_kind {
	TARMAC_TEXT,
	TARMAC_UNKNOWN,
	TARMAC_INSN,
	TARMAC_REG,
	TARMAC_MEM,
	TARMAC_BLOCK,
	TARMAC_BRANCH,
	TARMAC_EVENT,
	TARMAC_HEADER,
	TARMAC_OTHER,
	TARMAC_KINDS
};
static const char *const kinds[TARMAC_KINDS] = {"TEXT",  "UNKNOWN", "INSN",  "REG",    "MEM",
                                                "BLOCK", "BRANCH",  "EVENT", "HEADER", "OTHER"};

/* ---- registers ---- */

static void lower(const char *p, size_t n, char *out)
{
	for (size_t i = 0; i < n; i++)
		out[i] = p[i] >= 'A' && p[i] <= 'Z' ? (char)(p[i] + ('a' - 'A')) : p[i];
	out[n] = 0;
}

static bool tarmac_found(const struct text_impl *im, const char *name, struct text_row *row)
{
	bool a32 = im->look.isa == CAIRN_ISA_A32 || im->look.isa == CAIRN_ISA_T32;
	enum cairn_reg_class cls;
	unsigned num;
	if (cairn_reg_find(a32 ? CAIRN_ISA_A32 : CAIRN_ISA_A64, name, strlen(name), &cls, &num) < 0)
		return false;
	row->cls = (uint8_t)cls;
	row->num = (uint16_t)num;
	return true;
}

/* How many digits a simulator prints of such a register; 0: not known. */
static unsigned register_digits(bool a32, const char *name)
{
	static const char letters[] = "xwqdshb";
	static const uint8_t digits[] = {16, 8, 32, 16, 8, 4, 2};
	const char *at = strchr(letters, name[0]);
	return a32 ? (name[0] == 'r' ? 8 : 0) : at ? digits[at - letters] : 0;
}

/* The register's name; false: the value does not have as many digits as such a register, perhaps
 * because the line is cut off. */
static bool name_register(const struct text_impl *im, struct text_row *row, unsigned n_digits)
{
	char name[32];
	uint64_t num;
	row->no_name = row->name_len >= sizeof name;
	if (row->no_name)
		return true;
	lower(row->name, row->name_len, name);
	const char *end = name + row->name_len;
	bool a32 = im->look.isa == CAIRN_ISA_A32 || im->look.isa == CAIRN_ISA_T32;
	bool part = text_dec(name + 1, end, &num) == end && num < 32;
	unsigned want = part ? register_digits(a32, name) : 0;
	if (!a32 && part && strchr("qvdshb", name[0])) {
		row->cls = CAIRN_REG_VECTOR;
		row->num = (uint16_t)num;
		row->zeroes = true;
	} else if (!a32 && (!strcmp(name, "cpsr") || !strcmp(name, "nzcv"))) {
		row->cls = CAIRN_REG_FLAGS;
		row->bits = 4;
		row->shift = 28;
		want = n_digits < 8 ? 8 : 0;
	} else {
		row->zeroes = !a32 && name[0] == 'w';
		row->sp_of =
			row->name_len == 6 && !strncmp(name, "sp_el", 5) && name[5] >= '0' && name[5] <= '3'
				? (uint8_t)(CAIRN_PRIV_EL0 + name[5] - '0')
				: (uint8_t)0;
		row->no_name = !tarmac_found(im, name, row);
	}
	return !want || want == n_digits;
}

/* Hexadecimal digits in groups divided by _ up to a space, and how many; NULL: there are none. */
static const char *tarmac_digits(const char *p, const char *end, struct text_row *row,
                                 unsigned *count)
{
	uint64_t v;
	row->digits = p;
	*count = 0;
	for (unsigned n; p < end && (n = text_hex(p, end, TEXT_LINE_MAX, &v)) > 0;) {
		p += n;
		*count += n;
		row->n_digits = (uint32_t)(p - row->digits);
		if (p == end || *p != '_')
			break;
		p++;
	}
	return row->n_digits == 0 || row->n_digits > 16384 || (p < end && *p != ' ') ? NULL : p;
}

static int tarmac_register_row(const struct text_impl *im, const char *p, const char *end,
                               struct text_row *row)
{
	const char *space = memchr(p, ' ', (size_t)(end - p));
	unsigned count;
	row->what = TEXT_ROW_REG;
	row->name = p;
	if (!space || !tarmac_digits(text_spaces(space, end), end, row, &count))
		return -1;
	row->name_len = (uint32_t)(space - p);
	return name_register(im, row, count) ? 1 : -1;
}

/* ---- accesses ---- */

/* "VA" or "VA:PA", perhaps with _NS behind. */
static const char *tarmac_address(const char *p, const char *end, uint64_t *va, uint64_t *pa,
                                  bool *has_pa)
{
	unsigned n = text_hex(p, end, 16, va);
	*has_pa = false;
	if (n == 0)
		return NULL;
	p += n;
	if (p < end && *p == ':') {
		n = text_hex(p + 1, end, 16, pa);
		if (n == 0)
			return NULL;
		*has_pa = true;
		p += 1 + n;
	}
	if (text_word(p, end, "_NS"))
		p += 3;
	return p == end || *p == ' ' ? p : NULL;
}

/* "R8 000ffb68:0000000ffb68 00000000_00200167", behind the M. */
static int tarmac_access_row(const char *p, const char *end, struct text_row *row)
{
	uint64_t size;
	unsigned count;
	row->what = TEXT_ROW_MEM;
	row->kind = *p == 'R' ? CAIRN_MEM_READ : CAIRN_MEM_WRITE;
	if (!(p = text_dec(p + 1, end, &size)) || size == 0 || size > 4096)
		return -1;
	row->size = (uint32_t)size;
	while (p < end && strchr("XTLA", *p))
		p++;
	p = p < end && *p == ' ' ? tarmac_address(p + 1, end, &row->addr, &row->pa, &row->has_pa)
	                         : NULL;
	return p && tarmac_digits(text_spaces(p, end), end, row, &count) && count == 2 * size ? 1 : -1;
}

enum { COLUMNS = 35 }; /* of 16 bytes in four groups */

static size_t column(unsigned byte)
{
	return (3 - byte / 4) * 9 + 6 - 2 * (byte % 4);
}

/* Is a byte of the columns there? -1: it is neither a byte nor dots. */
static int shown(const char *columns, unsigned byte)
{
	const char *p = columns + column(byte);
	uint64_t v;
	if (p[0] == '.' && p[1] == '.')
		return 0;
	return text_hex(p, p + 2, 2, &v) == 2 ? 1 : -1;
}

/* The next run of bytes that are there. `at` counts bytes from line->rows. */
static int block_row(const struct text_line *line, const char **at, struct text_row *row)
{
	unsigned byte = (unsigned)(*at - line->rows), from;
	int is = 0;
	while (byte < 16 && (is = shown(line->rows, byte)) == 0)
		byte++;
	for (from = byte; byte < 16 && (is = shown(line->rows, byte)) > 0;)
		byte++;
	*at = line->rows + byte;
	if (is < 0 || from == byte)
		return is < 0 ? -1 : 0;
	row->what = TEXT_ROW_MEM;
	row->kind = line->code ? CAIRN_MEM_READ : CAIRN_MEM_WRITE;
	row->addr = line->pc + from;
	row->pa = line->target + from;
	row->has_pa = line->has_target;
	row->size = byte - from;
	row->split = true;
	row->digits = line->rows + column(byte - 1);
	row->n_digits = (uint32_t)(column(from) + 2 - column(byte - 1));
	return 1;
}

static int tarmac_next_row(const struct text_impl *im, const struct text_line *line,
                           const char **at, struct text_row *row)
{
	const char *p = *at;
	*row = (struct text_row){0};
	if (line->kind == TARMAC_BLOCK)
		return block_row(line, at, row);
	if (!p || p == line->end)
		return 0;
	*at = line->end;
	return line->kind == TARMAC_REG ? tarmac_register_row(im, p, line->end, row)
	                                : tarmac_access_row(p, line->end, row);
}

static void tarmac_block(const struct text_impl *im, const char *p, bool load,
                         struct text_line *line)
{
	const char *end = line->end, *q;
	bool has_pa;
	uint64_t none;
	p = tarmac_address(text_spaces(p, end), end, &line->pc, &none, &has_pa);
	p = p ? text_spaces(p, end) : NULL;
	if (!p || has_pa || end - p < COLUMNS || p[8] != ' ' || p[17] != ' ' || p[26] != ' ') {
		text_bad(line, "the access has no address, or not 16 columns of bytes");
		return;
	}
	q = text_spaces(p + COLUMNS, end);
	q = text_word(q, end, "S:") ? q + 2 : text_word(q, end, "NS:") ? q + 3 : NULL;
	line->has_target = q && text_hex(q, end, 16, &line->target);
	line->kind = TARMAC_BLOCK;
	line->role = TEXT_ROWS;
	line->code = load;
	line->rows = p;
	text_try_rows(im, line, "what the access shows is neither bytes nor dots");
}

/* ---- instructions ---- */

/* "EL3h_s", "el1t_ns", "svc_s", "usr". */
static void mode(const char *p, const char *end, struct text_line *line)
{
	static const struct {
		char name[4];
		uint8_t priv;
	} modes[] = {{"el0", CAIRN_PRIV_EL0}, {"el1", CAIRN_PRIV_EL1}, {"el2", CAIRN_PRIV_EL2},
	             {"el3", CAIRN_PRIV_EL3}, {"usr", CAIRN_PRIV_EL0}, {"hyp", CAIRN_PRIV_EL2},
	             {"mon", CAIRN_PRIV_EL3}, {"svc", CAIRN_PRIV_EL1}, {"irq", CAIRN_PRIV_EL1},
	             {"fiq", CAIRN_PRIV_EL1}, {"abt", CAIRN_PRIV_EL1}, {"und", CAIRN_PRIV_EL1},
	             {"sys", CAIRN_PRIV_EL1}};
	char name[4];
	if (end - p < 3)
		return;
	lower(p, 3, name);
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		if (!strcmp(name, modes[i].name)) {
			line->priv = modes[i].priv;
			line->has_priv = true;
		}
	const char *under = memchr(p, '_', (size_t)(end - p));
	bool secure = under && end - under == 2 && under[1] == 's';
	line->has_security = secure || (under && end - under == 3 && !memcmp(under, "_ns", 3));
	line->security = line->has_security && !secure;
}

/* "O EL3h_s : text". */
static bool insn_tail(const char *p, struct text_line *line, unsigned n)
{
	static const struct {
		char letter;
		uint8_t isa;
	} sets[] = {{'O', CAIRN_ISA_A64},
	            {'A', CAIRN_ISA_A32},
	            {'T', CAIRN_ISA_T32},
	            {'X', CAIRN_ISA_T32}};
	const char *end = line->end;
	p = text_spaces(p, end);
	for (size_t i = 0; p < end && i < sizeof sets / sizeof *sets; i++)
		if (*p == sets[i].letter)
			line->isa = sets[i].isa;
	if (!line->isa || end - p < 2 || p[1] != ' ')
		return false;
	const char *name = text_spaces(p + 1, end), *colon = memchr(name, ':', (size_t)(end - name));
	if (!colon)
		return false;
	const char *mode_end = colon;
	while (mode_end > name && mode_end[-1] == ' ')
		mode_end--;
	mode(name, mode_end, line);
	text_words(line, text_spaces(colon + 1, end), end);
	line->size = n == 4 ? 2 : 4;
	return n == 8 || (n == 4 && line->isa == CAIRN_ISA_T32);
}

/* Behind IT, IS or ES. */
static void tarmac_instruction(const char *p, bool failed, struct text_line *line)
{
	const char *end = line->end, *tail = NULL;
	uint64_t enc = 0, count;
	unsigned n = 0;
	bool has_pa;
	p = text_spaces(p, end);
	if (p < end && *p == '(' && memchr(p, ':', (size_t)(end - p)) &&
	    (n = text_hex(p + 1, end, 16, &line->pc)) > 0 && p + 1 + n < end && p[1 + n] == ':') {
		p += 2 + n;
		n = text_hex(p, end, 8, &enc);
		tail = p + n < end && p[n] == ')' ? p + n + 1 : NULL;
	} else {
		if (p < end && *p == '(' && (p = text_dec(p + 1, end, &count)))
			p = p < end && *p == ')' ? text_spaces(p + 1, end) : NULL;
		p = p ? tarmac_address(p, end, &line->pc, &line->target, &has_pa) : NULL;
		p = p ? text_spaces(p, end) : NULL;
		n = p ? text_hex(p, end, 8, &enc) : 0;
		tail = p && p + n < end && p[n] == ' ' ? p + n : NULL;
	}
	if (!tail || !insn_tail(tail, line, n)) {
		text_bad_insn(line,
		              "the address, the encoding or the mode of the instruction makes no sense; "
		              "it is left out with its registers and accesses");
		return;
	}
	line->enc = (uint32_t)enc;
	line->kind = TARMAC_INSN;
	line->role = TEXT_INSN;
	line->failed = failed;
}

/* ---- events ---- */

/* The numbers are this reader's: Tarmac has names. */
static const struct {
	const char *word, *name;
	uint8_t event;
} events[] = {{"Reset", "RESET", CAIRN_EV_FORMAT},
              {"SYNC", "SYNC", CAIRN_EV_EXCEPTION},
              {"FIQ", "FIQ", CAIRN_EV_INTERRUPT},
              {"IRQ", "IRQ", CAIRN_EV_INTERRUPT},
              {"SERROR", "SERROR", CAIRN_EV_INTERRUPT},
              {"SError", "SERROR", CAIRN_EV_INTERRUPT},
              {"Undef", "UNDEFINED", CAIRN_EV_EXCEPTION},
              {"SWI", "SVC", CAIRN_EV_EXCEPTION},
              {"SVC", "SVC", CAIRN_EV_EXCEPTION},
              {"PrefetchAbort", "PREFETCH_ABORT", CAIRN_EV_EXCEPTION},
              {"DataAbort", "DATA_ABORT", CAIRN_EV_EXCEPTION}};
enum { EVENTS = sizeof events / sizeof *events, FIRST = 0x1000 }; /* no cause of RISC-V */

static const char *tarmac_event_name(const struct cairn_event *event)
{
	bool ours = event->kind == CAIRN_EV_EXCEPTION || event->kind == CAIRN_EV_INTERRUPT ||
	            event->kind == CAIRN_EV_FORMAT;
	return ours && event->code - FIRST < EVENTS ? events[event->code - FIRST].name : NULL;
}

static void tarmac_event(const char *p, struct text_line *line)
{
	p = text_spaces(p, line->end);
	if (p == line->end) {
		text_bad(line, "the event has no name");
		return;
	}
	line->kind = TARMAC_EVENT;
	line->role = TEXT_EVENT;
	line->event = CAIRN_EV_EXCEPTION;
	line->code = UINT64_MAX;
	line->text = p;
	line->text_len = (uint32_t)(line->end - p);
	for (size_t i = 0; i < EVENTS; i++)
		if (memmem(p, line->text_len, events[i].word, strlen(events[i].word))) {
			line->event = events[i].event;
			line->code = FIRST + i;
			return;
		}
}

/* "BR (0000000000210780) O". */
static void tarmac_branch(const char *p, struct text_line *line)
{
	p = text_spaces(p, line->end);
	unsigned n = p < line->end && *p == '(' ? text_hex(p + 1, line->end, 16, &line->target) : 0;
	if (n == 0 || p + 1 + n >= line->end || p[1 + n] != ')') {
		text_bad(line, "the branch has no address");
		return;
	}
	line->kind = TARMAC_BRANCH;
	line->role = TEXT_BRANCH;
}

/* ---- lines ---- */

static const char *tarmac_word_end(const char *p, const char *end)
{
	while (p < end && *p != ' ' && *p != '\t')
		p++;
	return p;
}

static void row_line(const struct text_impl *im, const char *p, uint8_t kind,
                     struct text_line *line)
{
	line->kind = kind;
	line->role = TEXT_ROWS;
	line->rows = p;
	text_try_rows(im, line,
	              kind == TARMAC_REG ? "the register has no name or no whole value"
	                                 : "the access has no size, no address or no whole value");
}

/* Take the line by the word at p; false: there is no such kind of line. */
static bool by_word(const struct text_impl *im, const char *p, struct text_line *line)
{
	const char *end = line->end, *e = tarmac_word_end(p, end), *rest = text_spaces(e, end);
	size_t n = (size_t)(e - p);
	if (n == 2 && (!memcmp(p, "IT", 2) || !memcmp(p, "IS", 2)))
		tarmac_instruction(e, p[1] == 'S', line);
	else if (n == 2 && !memcmp(p, "ES", 2) && text_word(rest, end, "EXC"))
		tarmac_event(rest + 3, line);
	else if (n == 2 && !memcmp(p, "ES", 2))
		tarmac_instruction(e, false, line);
	else if (n == 1 && *p == 'R')
		row_line(im, rest, TARMAC_REG, line);
	else if (n >= 3 && p[0] == 'M' && (p[1] == 'R' || p[1] == 'W') && p[2] >= '0' && p[2] <= '9')
		row_line(im, p + 1, TARMAC_MEM, line);
	else if (n == 2 && (!memcmp(p, "LD", 2) || !memcmp(p, "ST", 2)))
		tarmac_block(im, e, *p == 'L', line);
	else if (n == 2 && !memcmp(p, "BR", 2))
		tarmac_branch(e, line);
	else if ((n == 1 && *p == 'E') || (n == 3 && !memcmp(p, "EXC", 3)))
		tarmac_event(e, line);
	else
		return false;
	return true;
}

/* "cpu3", "cluster1.cpu0": the number of a core. */
enum core { NO_CORE, CORE, CORE_TOO_HIGH };
static enum core core_of(const char *p, const char *end, struct text_line *line)
{
	const char *cpu = memmem(p, (size_t)(end - p), "cpu", 3), *q;
	const char *cluster = memmem(p, (size_t)(end - p), "cluster", 7);
	uint64_t n, c = 0;
	if (!cpu || !(q = text_dec(cpu + 3, end, &n)) || (cluster && !text_dec(cluster + 7, end, &c)))
		return NO_CORE;
	if (n > 255 || c > 255)
		return CORE_TOO_HIGH;
	line->hart = (uint16_t)(c << 8 | n);
	line->has_hart = true;
	return CORE;
}

/* "cl", "cpu": a core's name that was cut off. */
static bool is_half_core(const char *p, const char *e)
{
	size_t n = (size_t)(e - p);
	return (n <= 3 && !memcmp(p, "cpu", n)) || (n <= 7 && !memcmp(p, "cluster", n));
}

static void tarmac_parse(const struct text_impl *im, const char *p, size_t n,
                         struct text_line *line)
{
	const char *end = p + n, *from = p, *q;
	uint64_t time;
	*line = (struct text_line){.kind = TARMAC_TEXT, .role = TEXT_FOREIGN, .end = end};
	if (text_word(p, end, "Tarmac Text Rev ")) {
		line->kind = TARMAC_HEADER;
		line->role = TEXT_NOTHING;
		return;
	}
	p = text_spaces(p, end);
	q = text_dec(p, end, &time);
	if (!q || q == end || *q != ' ') {
		/* Only a line that belongs to the one above has neither time nor CPU. */
		if (p == from || !by_word(im, p, line))
			*line = (struct text_line){.kind = TARMAC_TEXT, .role = TEXT_FOREIGN, .end = end};
		return;
	}
	q = text_spaces(q, end);
	p = tarmac_word_end(q, end);
	if (p == q || p - q > 4 || *q < 'a' || *q > 'z')
		return;
	p = text_spaces(p, end);
	if (by_word(im, p, line))
		return;
	const char *e = tarmac_word_end(p, end);
	enum core core = core_of(p, e, line);
	if (core && by_word(im, p = text_spaces(e, end), line)) {
		if (core == CORE_TOO_HIGH)
			text_bad_insn(line, "the number of its core or cluster is above 255");
		return;
	}
	if (p == end || is_half_core(p, e))
		text_bad_insn(line, "the line ends too early");
	else
		line->kind = TARMAC_OTHER;
}

static const struct kit_option reading[] = {TEXT_PIECE};
const struct kit_options tarmac_options = {"tarmac", "reading Tarmac", reading, 1};

static const struct text_dialect dialect = {
	.way = &text_by_rows,
	.generator = "Tarmac",
	.kinds = kinds,
	.n_kinds = TARMAC_KINDS,
	.can = CAIRN_MEM_VALUES | CAIRN_ASM,
	.parse = tarmac_parse,
	.next_row = tarmac_next_row,
	.event_name = tarmac_event_name,
};

static int tarmac_probe(const uint8_t *head, size_t n)
{
	struct text_impl im = {.d = &dialect};
	struct text_line line;
	const char *p = (const char *)head, *end = p + (n < TEXT_HEAD ? n : (size_t)TEXT_HEAD);
	unsigned ours = 0, bad = 0, other = 0;
	while (p < end) {
		const char *e, *next = text_line_end(p, end, &e);
		if (next == end && n >= TEXT_HEAD && end[-1] != '\n')
			break;
		tarmac_parse(&im, p, (size_t)(e - p), &line);
		ours += line.role > TEXT_BAD;
		bad += line.role == TEXT_BAD;
		other += line.kind == TARMAC_TEXT && e > p;
		p = next;
	}
	/* Fast Models begin with all registers, so the first instruction may be far from the beginning.
	 *  */
	return ours && ours >= 2 * (other + bad) ? 85 : text_fits(&dialect, head, n);
}

const struct model_format tarmac_format = {.options = &tarmac_options,
                                           .name = "Tarmac",
                                           .own = &dialect,
                                           .probe = tarmac_probe,
                                           .open = text_open,
                                           TEXT_FORMAT};
