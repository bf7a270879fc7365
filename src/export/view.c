/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A view of a trace: one line per instruction, in columns.
 *
 * Views of different pieces of a trace are made on different threads and put
 * together afterwards, so a view's text may not depend on where the pieces were
 * cut. Two things could: the line about the context, which depends on the last
 * instruction of the piece before (that line is left out for a piece's first
 * instruction, and put in when the text is taken in trace order); and whatever is
 * remembered (disassemblies and symbols are remembered by what decides them).
 *
 * The hot path reserves once for an instruction's line and then writes with a
 * bare pointer; a line costs some tens of nanoseconds.
 */
#include "export/view.h"
#include "isa/isa.h"

/* Of a trace without instructions the rows are all there is to see. */
static bool only_rows(const struct cairn_view_opts *o)
{
	uint32_t can = o->reader ? cairn_reader_can(o->reader) : CAIRN_PC;
	return !(can & CAIRN_PC) && (can & CAIRN_ROW_PLACES);
}

static unsigned view_what_to_show(const struct cairn_view_opts *o)
{
	return !o->show && only_rows(o) ? (unsigned)CAIRN_VIEW_ALL : o->show;
}

uint32_t cairn_view_parts(const struct cairn_view_opts *o)
{
	unsigned show = view_what_to_show(o);
	uint32_t parts = CAIRN_PC | CAIRN_ENC | CAIRN_TARGET | CAIRN_CONTEXT | CAIRN_EVENTS |
	                 CAIRN_BYTES | CAIRN_XACTS;
	if (o->disasm)
		parts |= CAIRN_ASM;
	if (o->touch)
		parts |= CAIRN_REGS | CAIRN_MEMS;
	if (o->json)
		return parts | CAIRN_CLASS | CAIRN_REGS | CAIRN_REG_VALUES | CAIRN_MEMS | CAIRN_MEM_VALUES;
	if (show & CAIRN_VIEW_REGS)
		parts |= CAIRN_REGS | CAIRN_REG_VALUES;
	if (show & CAIRN_VIEW_MEMS)
		parts |= CAIRN_MEMS | CAIRN_MEM_VALUES;
	if (o->select)
		parts |= cairn_select_parts(o->select);
	return parts;
}

int cairn_view_new(struct cairn *c, const struct cairn_view_opts *opts, struct cairn_view **out)
{
	*out = NULL;
	if (opts->size > sizeof(struct cairn_view_opts))
		return base_fail(c, CAIRN_E_INVAL, "view options of a newer library");
	struct cairn_view *v = base_alloc(c, sizeof *v);
	if (!v)
		return CAIRN_E_NOMEM;
	v->c = c;
	memcpy(&v->opts, opts, opts->size);
	v->opts.show = view_what_to_show(&v->opts);
	v->opts.ends |= v->opts.bare;
	base_buf_init(&v->buf, c);
	base_buf_init(&v->words, c);
	base_buf_init(&v->ends, c);
	v->first = 1;
	v->last = UINT64_MAX;
	v->all = !v->opts.touch && (!v->opts.select || cairn_select_all(v->opts.select));
	if (v->opts.select)
		cairn_select_bounds(v->opts.select, &v->first, &v->last);
	if (v->opts.image) {
		v->symbols = base_alloc(c, VIEW_SYMBOLS * sizeof *v->symbols);
		if (!v->symbols) {
			cairn_view_free(v);
			return CAIRN_E_NOMEM;
		}
	}
	*out = v;
	return 0;
}

void cairn_view_free(struct cairn_view *v)
{
	if (!v)
		return;
	for (unsigned i = 0; i <= CAIRN_ISA_LAST; i++)
		if (v->disasm[i])
			cairn_disasm_free(v->disasm[i]);
	base_buf_free(&v->buf);
	base_buf_free(&v->words);
	base_buf_free(&v->ends);
	base_free(v->c, v->no_disasm);
	base_free(v->c, v->symbols);
	base_free(v->c, v->ctx_json);
	base_free(v->c, v);
}

void cairn_view_begin(struct cairn_view *v)
{
	v->buf.len = v->ends.len = 0;
	v->have_ctx = v->first_pending = false;
}

size_t cairn_view_held(const struct cairn_view *v)
{
	return v->buf.len;
}

uint64_t cairn_view_lines(const struct cairn_view *v)
{
	return v->lines;
}

const char *cairn_view_no_disasm(const struct cairn_view *v)
{
	return v->no_disasm;
}

/* ---- names ---- */

const char *view_security_name(unsigned security)
{
	static const char *const names[] = {"secure", "non-secure", "root", "realm"};
	return security < sizeof names / sizeof *names ? names[security] : NULL;
}

char *view_paint(const struct cairn_view *v, char *p, enum view_colour colour)
{
	static const char *const codes[] = {"\033[0m",  "\033[31m", "\033[32m",
	                                    "\033[33m", "\033[36m", "\033[2m"};
	return v->opts.color ? text_put(p, codes[colour], strlen(codes[colour])) : p;
}

/* ---- contexts ---- */

static bool view_same_ctx(const struct cairn_ctx *a, const struct cairn_ctx *b)
{
	uint32_t k = a->known;
	return k == b->known && (!(k & CAIRN_CTX_HART) || a->hart == b->hart) &&
	       (!(k & CAIRN_CTX_PRIV) || a->priv == b->priv) &&
	       (!(k & CAIRN_CTX_SECURITY) || a->security == b->security) &&
	       (!(k & CAIRN_CTX_HW_TID) || a->hw_tid == b->hw_tid) &&
	       (!(k & CAIRN_CTX_PID) || a->pid == b->pid) &&
	       (!(k & CAIRN_CTX_TID) || a->tid == b->tid) &&
	       (!(k & CAIRN_CTX_ASID) || a->asid == b->asid) &&
	       (!(k & CAIRN_CTX_VMID) || a->vmid == b->vmid) &&
	       (!(k & CAIRN_CTX_CTXID) || a->ctxid == b->ctxid);
}

static char *ctx_word(char *p, const char *key, const char *name, uint64_t number)
{
	*p++ = ' ';
	p = text_put(p, key, strlen(key));
	*p++ = '=';
	return name ? text_put(p, name, strlen(name)) : text_dec(p, number);
}

/* "CONTEXT hw_tid=1 pid=42 priv=user": what is known, within VIEW_ROW. */
static char *ctx_line(const struct cairn_view *v, char *p, const struct cairn_ctx *x)
{
	p = view_paint(v, p, VIEW_DIM);
	p = TEXT_LIT(p, "CONTEXT");
	if (x->known == 0)
		p = TEXT_LIT(p, " unknown");
	if (x->known & CAIRN_CTX_HART)
		p = ctx_word(p, "cpu", NULL, x->hart);
	if (x->known & CAIRN_CTX_HW_TID)
		p = ctx_word(p, "hw_tid", NULL, x->hw_tid);
	if (x->known & CAIRN_CTX_PID)
		p = ctx_word(p, "pid", NULL, x->pid);
	if (x->known & CAIRN_CTX_TID)
		p = ctx_word(p, "tid", NULL, x->tid);
	if (x->known & CAIRN_CTX_ASID)
		p = ctx_word(p, "asid", NULL, x->asid);
	if (x->known & CAIRN_CTX_VMID)
		p = ctx_word(p, "vmid", NULL, x->vmid);
	if (x->known & CAIRN_CTX_CTXID)
		p = text_0x(TEXT_LIT(p, " ctxid="), x->ctxid, 1);
	if (x->known & CAIRN_CTX_PRIV)
		p = ctx_word(p, "priv", isa_priv_name(x->priv), x->priv);
	if (x->known & CAIRN_CTX_SECURITY)
		p = ctx_word(p, "security", view_security_name(x->security), x->security);
	p = view_paint(v, p, VIEW_PLAIN);
	*p++ = '\n';
	return p;
}

static int see_ctx(struct cairn_view *v, const struct cairn_ctx *x)
{
	if (!v->have_ctx) {
		v->first_ctx = v->last_ctx = *x;
		v->have_ctx = v->first_pending = true;
		v->first_at = v->buf.len;
		return 0;
	}
	if (view_same_ctx(&v->last_ctx, x))
		return 0;
	char *p = text_open(&v->buf, VIEW_ROW);
	if (!p)
		return CAIRN_E_NOMEM;
	text_close(&v->buf, ctx_line(v, p, x));
	v->last_ctx = *x;
	return 0;
}

int cairn_view_take(struct cairn_view *v, struct cairn_ctx *shown, const char **text, size_t *n)
{
	uint64_t most = UINT64_MAX;
	return cairn_view_take_some(v, shown, text, n, &most);
}

int cairn_view_take_some(struct cairn_view *v, struct cairn_ctx *shown, const char **text,
                         size_t *n, uint64_t *most)
{
	const size_t *ends = (const void *)v->ends.data;
	size_t lines = v->ends.len / sizeof *ends, more = 0;
	if (v->first_pending && !view_same_ctx(shown, &v->first_ctx)) {
		char line[VIEW_ROW + TEXT_SLACK];
		size_t len = (size_t)(ctx_line(v, line, &v->first_ctx) - line);
		if (base_buf_reserve(&v->buf, len) < 0)
			return CAIRN_E_NOMEM;
		uint8_t *at = v->buf.data + v->first_at;
		memmove(at + len, at, v->buf.len - v->first_at);
		memcpy(at, line, len);
		v->buf.len += len;
		more = len;
	}
	v->first_pending = false;
	if (v->have_ctx)
		*shown = v->last_ctx;
	*text = (const char *)v->buf.data;
	*n = v->buf.len;
	if (lines > *most)
		*n = *most ? ends[*most - 1] + more : 0;
	else
		*most = lines;
	v->buf.len = v->ends.len = 0;
	return 0;
}

/* ---- columns ---- */

const struct cairn_symbol *view_symbol(struct cairn_view *v, const struct cairn_batch *b,
                                       const struct cairn_insn *i)
{
	uint64_t pc = i->pc;
	if (cairn_image_has_spaces(v->opts.image)) /* an address alone does not say which */
		return cairn_image_symbol_in(v->opts.image, &b->ctxs[i->ctx], pc);
	struct view_symbol *s = &v->symbols[(pc >> 1) % VIEW_SYMBOLS];
	if (s->pc != pc || !s->filled)
		*s = (struct view_symbol){pc, cairn_image_symbol_at(v->opts.image, pc), true};
	return s->symbol;
}

/* Text of the instruction, 0 when there is no disassembler for it. */
static size_t disassemble(struct cairn_view *v, const struct cairn_insn *i, const char **text)
{
	unsigned isa = i->isa;
	*text = NULL;
	if (isa == CAIRN_ISA_UNKNOWN || isa > CAIRN_ISA_LAST ||
	    (i->flags & (CAIRN_INSN_ENC_UNKNOWN | CAIRN_INSN_ENC_BYTES)))
		return 0;
	if (__builtin_expect(!v->disasm[isa], 0)) {
		if (v->disasm_failed[isa])
			return 0;
		if (cairn_disasm_new(v->c, isa, v->opts.isa_string, &v->disasm[isa]) < 0) {
			v->disasm_failed[isa] = true;
			v->disasm[isa] = NULL;
			if (!v->no_disasm)
				v->no_disasm = base_strdup(v->c, cairn_error_text(v->c));
			return 0;
		}
	}
	return cairn_disasm_text(v->disasm[isa], i->pc, i->enc, i->size, text);
}

/* Colour is left out, other control characters are spelt. */
static size_t harmless(struct cairn_view *v, const char *s, size_t n, const char **text)
{
	v->words.len = 0;
	if (base_buf_reserve(&v->words, 5 * n + TEXT_SLACK) < 0)
		return 0;
	char *raw = (char *)v->words.data, *out = raw + n;
	size_t k = 0;
	for (size_t i = 0; i < n; i++) {
		size_t e = i + 1;
		if (s[i] == '\033' && e < n && s[e] == '[') {
			for (e++; e < n && ((s[e] >= '0' && s[e] <= '9') || s[e] == ';'); e++)
				;
			if (e < n && s[e] == 'm') {
				i = e;
				continue;
			}
		}
		raw[k++] = s[i];
	}
	*text = out;
	return (size_t)(text_escape(out, raw, k, false) - out);
}

size_t view_words(struct cairn_view *v, const struct cairn_batch *b, uint32_t row,
                  const char **text)
{
	const struct cairn_asm *a = b->have & CAIRN_ASM ? &b->asms[row] : NULL;
	const char *s = a && a->len ? (const char *)view_payload(b, a->text, a->len) : NULL;
	if (!s)
		return disassemble(v, &b->insns[row], text);
	for (uint32_t i = 0; i < a->len; i++)
		if ((unsigned char)(s[i] - ' ') >= 0x5f)
			return harmless(v, s, a->len, text);
	*text = s;
	return a->len;
}

static inline bool view_narrow(const struct cairn_insn *i)
{
	return i->isa == CAIRN_ISA_RV32 || i->isa == CAIRN_ISA_A32 || i->isa == CAIRN_ISA_T32;
}

static inline char *view_put_address(char *p, const struct cairn_insn *i, uint64_t address)
{
	return view_narrow(i) && address >> 32 == 0 ? text_hex8(p, (uint32_t)address)
	                                            : text_hex16(p, address);
}

static inline char *put_pc(char *p, const struct cairn_insn *i)
{
	if (__builtin_expect(!(i->flags & CAIRN_INSN_PC_UNKNOWN), 1))
		return view_put_address(p, i, i->pc);
	p = text_spaces(p, view_narrow(i) ? 7 : 15);
	*p++ = '-';
	return p;
}

static char *put_symbol(struct cairn_view *v, char *p, const struct cairn_insn *i,
                        const struct cairn_symbol *s, size_t len)
{
	p = text_spaces(p, 2);
	char *from = p;
	if (s) {
		p = view_paint(v, p, VIEW_GREEN);
		char *name = p;
		p = text_escape(p, s->name, len, false);
		if (i->pc != s->addr) {
			*p++ = '+';
			p = text_0x(p, i->pc - s->addr, 1);
		}
		size_t shown = (size_t)(p - name);
		p = view_paint(v, p, VIEW_PLAIN);
		from = p - shown; /* colour takes no columns */
	}
	return text_pad(p, from, VIEW_SYMBOL_WIDTH, 0);
}

static inline char *view_put_encoding(char *p, const struct cairn_batch *b,
                                      const struct cairn_insn *i, size_t *padding)
{
	*padding = 0;
	if (__builtin_expect(i->flags & (CAIRN_INSN_ENC_UNKNOWN | CAIRN_INSN_ENC_BYTES), 0)) {
		const uint8_t *bytes =
			i->flags & CAIRN_INSN_ENC_BYTES ? view_payload(b, i->enc, i->size) : NULL;
		if (bytes)
			return text_bytes(p, bytes, i->size);
		*p++ = '-';
		*padding = 7;
		return p;
	}
	if (i->size == 2) {
		*padding = 4;
		return text_hex4(p, i->enc);
	}
	return text_hex8(p, i->enc);
}

static char *view_put_flags(const struct cairn_view *v, char *p, uint32_t flags)
{
	static const struct {
		uint32_t bit;
		char word[16];
	} words[] = {{CAIRN_INSN_ANNULLED, "  annulled"},
	             {CAIRN_INSN_ABORTED, "  aborted"},
	             {CAIRN_INSN_DISCARDED, "  discarded"},
	             {CAIRN_INSN_DISCONTINUITY, "  forced"},
	             {CAIRN_INSN_INFERRED, "  inferred"}};
	p = view_paint(v, p, VIEW_YELLOW);
	for (size_t w = 0; w < sizeof words / sizeof *words; w++)
		if (flags & words[w].bit)
			p = text_put(p, words[w].word, strlen(words[w].word));
	return view_paint(v, p, VIEW_PLAIN);
}

bool view_line(const struct cairn_view *v, const struct cairn_insn *i, struct cairn_line *line)
{
	return v->opts.lines && v->opts.image && !(i->flags & CAIRN_INSN_PC_UNKNOWN) &&
	       cairn_image_line_at(v->opts.image, i->pc, line);
}

/* "  sort.c:42": the file without its folders. */
static char *view_put_line(const struct cairn_view *v, char *p, const struct cairn_line *line)
{
	const char *slash = strrchr(line->file, '/'), *name = slash ? slash + 1 : line->file;
	p = view_paint(v, TEXT_LIT(p, "  "), VIEW_DIM);
	p = text_escape(p, name, strlen(name), false);
	*p++ = ':';
	return view_paint(v, text_dec(p, line->line), VIEW_PLAIN);
}

#define SHOWN_FLAGS (CAIRN_INSN_NOT_EXECUTED | CAIRN_INSN_DISCONTINUITY | CAIRN_INSN_INFERRED)

static int insn_line(struct cairn_view *v, const struct cairn_batch *b, uint32_t row)
{
	const struct cairn_insn *i = &b->insns[row];
	const struct cairn_symbol *symbol = NULL;
	const char *text = NULL;
	size_t symbol_len = 0, text_len = 0, padding;
	if (v->symbols && !(i->flags & CAIRN_INSN_PC_UNKNOWN)) {
		symbol = view_symbol(v, b, i);
		symbol_len = symbol ? strlen(symbol->name) : 0;
	}
	struct cairn_line line = {0};
	size_t line_len = view_line(v, i, &line) ? strlen(line.file) : 0;
	if (v->opts.disasm)
		text_len = view_words(v, b, row, &text);
	char *p = text_open(&v->buf, VIEW_ROW + 2 * 255 + 4 * symbol_len + text_len + 4 * line_len);
	if (!p)
		return CAIRN_E_NOMEM;
	v->lines++;
	p = text_dec_pad(p, b->n0 + row, VIEW_NUMBER);
	p = TEXT_LIT(p, "  ");
	p = put_pc(p, i);
	if (v->symbols)
		p = put_symbol(v, p, i, symbol, symbol_len);
	p = TEXT_LIT(p, "  ");
	p = view_put_encoding(p, b, i, &padding);
	bool target = (i->flags & CAIRN_INSN_TAKEN) != 0;
	bool more = target || (i->flags & SHOWN_FLAGS);
	if (text_len) {
		p = text_spaces(p, padding + 2);
		char *from = p;
		p = text_put(p, text, text_len);
		if (more)
			p = text_pad(p, from, VIEW_ASM_WIDTH, 0);
	} else if (more) {
		p = text_spaces(p, padding);
	}
	if (target) {
		p = view_paint(v, p, VIEW_CYAN);
		p = TEXT_LIT(p, "  PC ");
		p = i->flags & CAIRN_INSN_TARGET ? view_put_address(p, i, i->target) : TEXT_LIT(p, "?");
		p = view_paint(v, p, VIEW_PLAIN);
	}
	if (__builtin_expect(i->flags & SHOWN_FLAGS, 0))
		p = view_put_flags(v, p, i->flags);
	if (line.line)
		p = view_put_line(v, p, &line);
	*p++ = '\n';
	text_close(&v->buf, p);
	return 0;
}

/* ---- batches ---- */

/* What a slot of a selected instruction prints. `seen` is the context row last
 * looked at. */
static int slot_lines(struct cairn_view *v, const struct cairn_batch *b, uint32_t row,
                      uint32_t *seen)
{
	const struct cairn_insn *i = &b->insns[row];
	bool events = i[0].ev0 != i[1].ev0;
	int rc = 0;
	if (i->ctx != *seen && i->ctx < b->n_ctxs) {
		*seen = i->ctx;
		rc = see_ctx(v, &b->ctxs[i->ctx]);
	}
	if (rc >= 0 && __builtin_expect(events, 0))
		rc = view_events_before(v, b, view_slot_of(b, row));
	if (rc >= 0)
		rc = insn_line(v, b, row);
	if (rc >= 0 && v->opts.show && (events || i[0].reg0 != i[1].reg0 || i[0].mem0 != i[1].mem0))
		rc = view_children(v, b, view_slot_of(b, row), i->isa);
	return rc;
}

/* An instruction that is not selected: damage at it is told all the same, if it
 * lies where the reader was sent. */
static int left_out(struct cairn_view *v, const struct cairn_batch *b, uint32_t row)
{
	uint64_t n = b->n0 + row;
	if (b->insns[row].ev0 == b->insns[row + 1].ev0 || n < v->first || n > v->last || v->opts.json ||
	    v->opts.bare)
		return 0;
	return view_places(v, b, view_slot_of(b, row));
}

/* Into the columns that an indented line leaves free. */
static void view_put_number(struct cairn_view *v, size_t at, uint64_t number)
{
	char text[24 + TEXT_SLACK];
	size_t n = (size_t)(text_dec_pad(text, number, VIEW_NUMBER) - text);
	if (n <= VIEW_INDENT)
		memcpy(v->buf.data + at, text, n);
}

/* The rows of one record: from *s on, which then holds the others. */
static struct view_slot take_record(const struct cairn_batch *b, struct view_slot *s, uint16_t seq)
{
	struct view_slot one = *s;
	while (s->reg < s->reg_end && b->regs[s->reg].seq == seq)
		s->reg++;
	while (s->mem < s->mem_end && b->mems[s->mem].seq == seq)
		s->mem++;
	while (s->ev < s->ev_end && b->events[s->ev].seq == seq)
		s->ev++;
	one.reg_end = s->reg;
	one.mem_end = s->mem;
	one.ev_end = s->ev;
	return one;
}

/* Rows without instructions: by record, whose number stands before the first. */
static int record_slots(struct cairn_view *v, const struct cairn_batch *b, struct view_slot s)
{
	const enum cairn_isa isa = b->insns[b->n_insns].isa;
	uint64_t rec0 = b->rec0 + b->insns[b->n_insns].rec;
	int rc = 0;
	while (rc >= 0 && (s.reg < s.reg_end || s.mem < s.mem_end || s.ev < s.ev_end)) {
		uint32_t seq = s.reg < s.reg_end ? b->regs[s.reg].seq : UINT16_MAX;
		if (s.mem < s.mem_end && b->mems[s.mem].seq < seq)
			seq = b->mems[s.mem].seq;
		if (s.ev < s.ev_end && b->events[s.ev].seq < seq)
			seq = b->events[s.ev].seq;
		struct view_slot one = take_record(b, &s, (uint16_t)seq);
		struct cairn_record rec = {.number = rec0 + seq};
		if (!v->all && !cairn_select_record(v->opts.select, &rec))
			continue;
		v->lines++;
		if (v->opts.json) {
			rc = view_json_rows(v, b, one, rec.number, isa);
			continue;
		}
		rc = view_events_before(v, b, one);
		size_t at = v->buf.len;
		if (rc >= 0)
			rc = view_children(v, b, one, isa);
		if (rc >= 0 && v->buf.len > at)
			view_put_number(v, at, rec.number);
	}
	return rc;
}

/* The slot of what belongs to no instruction stands between two numbers. */
static int last_slot(struct cairn_view *v, const struct cairn_batch *b)
{
	struct view_slot s = view_slot_of(b, b->n_insns);
	if (s.reg == s.reg_end && s.mem == s.mem_end && s.ev == s.ev_end)
		return 0;
	if ((b->have & CAIRN_ROW_PLACES) && only_rows(&v->opts))
		return record_slots(v, b, s);
	uint64_t next = b->n_xacts ? b->x0 + b->n_xacts : b->n0 + b->n_insns;
	if (!v->all && (next <= v->first || next - 1 > v->last))
		return 0;
	if (v->opts.json)
		return view_json_slot(v, b, b->n_insns, 0);
	int rc = view_events_before(v, b, s);
	unsigned isa = b->insns[b->n_insns].isa; /* the format's, or that of the last instruction */
	if (!isa && b->n_insns)
		isa = b->insns[b->n_insns - 1].isa;
	if (rc >= 0 && v->opts.show)
		rc = view_children(v, b, s, (enum cairn_isa)isa);
	return rc;
}

static void view_choose(struct cairn_view *v, const struct cairn_batch *b)
{
	uint32_t left = b->n_insns ? b->n_insns : b->n_xacts;
	if (v->opts.select)
		left = cairn_select_batch(v->opts.select, b, v->keep);
	else
		memset(v->keep, 1, left);
	if (left && v->opts.touch)
		cairn_touch_batch(v->opts.touch, b, v->keep);
}

/* An instruction has been printed. */
static inline int end_of_one(struct cairn_view *v, int rc)
{
	if (__builtin_expect(!v->opts.ends, 1) || rc < 0)
		return rc;
	return base_buf_put(&v->ends, &v->buf.len, sizeof v->buf.len);
}

int cairn_view_batch(struct cairn_view *v, const struct cairn_batch *b)
{
	uint32_t seen = UINT32_MAX;
	int rc = 0;
	const uint8_t *keep = v->all ? NULL : v->keep;
	if (keep)
		view_choose(v, b);
	for (uint32_t i = 0; i < b->n_xacts && rc >= 0; i++)
		if (!keep || keep[i]) {
			rc = v->opts.json ? view_json_xact(v, b, i) : view_xact(v, b, i);
			rc = end_of_one(v, rc);
		}
	for (uint32_t i = 0; i < b->n_insns && rc >= 0; i++) {
		if (keep && !keep[i]) {
			rc = left_out(v, b, i);
			continue;
		}
		rc = v->opts.json ? view_json_slot(v, b, i, b->n0 + i) : slot_lines(v, b, i, &seen);
		rc = end_of_one(v, rc);
	}
	return rc < 0 || v->opts.bare ? rc : last_slot(v, b);
}
