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

/* In a trace without instructions, rows are all there is to see. */
static bool only_rows(const struct cairn_view_opts *opts)
{
	uint32_t can = opts->reader ? cairn_reader_can(opts->reader) : CAIRN_PC;
	return !(can & CAIRN_PC) && (can & CAIRN_ROW_PLACES);
}

static unsigned view_what_to_show(const struct cairn_view_opts *opts)
{
	return !opts->show && only_rows(opts) ? (unsigned)CAIRN_VIEW_ALL : opts->show;
}

uint32_t cairn_view_parts(const struct cairn_view_opts *opts)
{
	unsigned show = view_what_to_show(opts);
	uint32_t parts = CAIRN_PC | CAIRN_ENC | CAIRN_TARGET | CAIRN_CONTEXT | CAIRN_EVENTS |
	                 CAIRN_BYTES | CAIRN_XACTS;
	if (opts->disasm)
		parts |= CAIRN_ASM;
	if (opts->touch)
		parts |= CAIRN_REGS | CAIRN_MEMS;
	if (opts->json)
		return parts | CAIRN_CLASS | CAIRN_REGS | CAIRN_REG_VALUES | CAIRN_MEMS | CAIRN_MEM_VALUES;
	if (show & CAIRN_VIEW_REGS)
		parts |= CAIRN_REGS | CAIRN_REG_VALUES;
	if (show & CAIRN_VIEW_MEMS)
		parts |= CAIRN_MEMS | CAIRN_MEM_VALUES;
	if (opts->select)
		parts |= cairn_select_parts(opts->select);
	return parts;
}

int cairn_view_new(struct cairn *cairn, const struct cairn_view_opts *opts, struct cairn_view **out)
{
	*out = NULL;
	struct cairn_view *view = base_alloc(cairn, sizeof *view);
	int rc = view ? base_options(cairn, &view->opts, sizeof view->opts, opts, "view options")
	              : CAIRN_E_NOMEM;
	if (rc < 0) {
		base_free(cairn, view);
		return rc;
	}
	view->cairn = cairn;
	view->opts.show = view_what_to_show(&view->opts);
	view->opts.ends |= view->opts.bare;
	base_buf_init(&view->buf, cairn);
	base_buf_init(&view->words, cairn);
	base_buf_init(&view->ends, cairn);
	view->first = 1;
	view->last = UINT64_MAX;
	view->all = !view->opts.touch && (!view->opts.select || cairn_select_all(view->opts.select));
	if (view->opts.select)
		cairn_select_bounds(view->opts.select, &view->first, &view->last);
	if (view->opts.image) {
		view->symbols = base_alloc(cairn, VIEW_SYMBOLS * sizeof *view->symbols);
		if (!view->symbols) {
			cairn_view_free(view);
			return CAIRN_E_NOMEM;
		}
	}
	*out = view;
	return 0;
}

void cairn_view_free(struct cairn_view *view)
{
	if (!view)
		return;
	for (unsigned i = 0; i <= CAIRN_ISA_LAST; i++)
		cairn_disasm_free(view->disasm[i]);
	base_buf_free(&view->buf);
	base_buf_free(&view->words);
	base_buf_free(&view->ends);
	base_free(view->cairn, view->no_disasm);
	base_free(view->cairn, view->symbols);
	base_free(view->cairn, view->ctx_json);
	base_free(view->cairn, view);
}

void cairn_view_begin(struct cairn_view *view)
{
	view->buf.len = view->ends.len = 0;
	view->have_ctx = view->first_pending = false;
}

size_t cairn_view_held(const struct cairn_view *view)
{
	return view->buf.len;
}

uint64_t cairn_view_lines(const struct cairn_view *view)
{
	return view->lines;
}

const char *cairn_view_no_disasm(const struct cairn_view *view)
{
	return view->no_disasm;
}

/* ---- names ---- */

const struct view_flag view_flags[VIEW_FLAGS] = {{CAIRN_INSN_ANNULLED, "annulled"},
                                                 {CAIRN_INSN_ABORTED, "aborted"},
                                                 {CAIRN_INSN_DISCARDED, "discarded"},
                                                 {CAIRN_INSN_DISCONTINUITY, "forced"},
                                                 {CAIRN_INSN_INFERRED, "inferred"}};

const char *view_security_name(unsigned security)
{
	static const char *const names[] = {"secure", "non-secure", "root", "realm"};
	return security < sizeof names / sizeof *names ? names[security] : NULL;
}

char *view_paint(const struct cairn_view *view, char *p, enum view_colour colour)
{
	static const char *const codes[] = {"\033[0m",  "\033[31m", "\033[32m",
	                                    "\033[33m", "\033[36m", "\033[2m"};
	return view->opts.color ? text_put(p, codes[colour], strlen(codes[colour])) : p;
}

/* ---- contexts ---- */

static bool view_same_ctx(const struct cairn_ctx *left, const struct cairn_ctx *right)
{
	uint32_t k = left->known;
	return k == right->known && (!(k & CAIRN_CTX_HART) || left->hart == right->hart) &&
	       (!(k & CAIRN_CTX_PRIV) || left->priv == right->priv) &&
	       (!(k & CAIRN_CTX_SECURITY) || left->security == right->security) &&
	       (!(k & CAIRN_CTX_HW_TID) || left->hw_tid == right->hw_tid) &&
	       (!(k & CAIRN_CTX_PID) || left->pid == right->pid) &&
	       (!(k & CAIRN_CTX_TID) || left->tid == right->tid) &&
	       (!(k & CAIRN_CTX_ASID) || left->asid == right->asid) &&
	       (!(k & CAIRN_CTX_VMID) || left->vmid == right->vmid) &&
	       (!(k & CAIRN_CTX_CTXID) || left->ctxid == right->ctxid);
}

static char *ctx_word(char *p, const char *key, const char *name, uint64_t number)
{
	*p++ = ' ';
	p = text_put(p, key, strlen(key));
	*p++ = '=';
	return name ? text_put(p, name, strlen(name)) : text_dec(p, number);
}

/* "CONTEXT hw_tid=1 pid=42 priv=user": what is known, within VIEW_ROW. */
static char *ctx_line(const struct cairn_view *view, char *p, const struct cairn_ctx *ctx)
{
	p = view_paint(view, p, VIEW_DIM);
	p = TEXT_LIT(p, "CONTEXT");
	if (ctx->known == 0)
		p = TEXT_LIT(p, " unknown");
	if (ctx->known & CAIRN_CTX_HART)
		p = ctx_word(p, "cpu", NULL, ctx->hart);
	if (ctx->known & CAIRN_CTX_HW_TID)
		p = ctx_word(p, "hw_tid", NULL, ctx->hw_tid);
	if (ctx->known & CAIRN_CTX_PID)
		p = ctx_word(p, "pid", NULL, ctx->pid);
	if (ctx->known & CAIRN_CTX_TID)
		p = ctx_word(p, "tid", NULL, ctx->tid);
	if (ctx->known & CAIRN_CTX_ASID)
		p = ctx_word(p, "asid", NULL, ctx->asid);
	if (ctx->known & CAIRN_CTX_VMID)
		p = ctx_word(p, "vmid", NULL, ctx->vmid);
	if (ctx->known & CAIRN_CTX_CTXID)
		p = text_0x(TEXT_LIT(p, " ctxid="), ctx->ctxid, 1);
	if (ctx->known & CAIRN_CTX_PRIV)
		p = ctx_word(p, "priv", isa_priv_name(ctx->priv), ctx->priv);
	if (ctx->known & CAIRN_CTX_SECURITY)
		p = ctx_word(p, "security", view_security_name(ctx->security), ctx->security);
	p = view_paint(view, p, VIEW_PLAIN);
	*p++ = '\n';
	return p;
}

static int see_ctx(struct cairn_view *view, const struct cairn_ctx *ctx)
{
	if (!view->have_ctx) {
		view->first_ctx = view->last_ctx = *ctx;
		view->have_ctx = view->first_pending = true;
		view->first_at = view->buf.len;
		return 0;
	}
	if (view_same_ctx(&view->last_ctx, ctx))
		return 0;
	char *p = text_open(&view->buf, VIEW_ROW);
	if (!p)
		return CAIRN_E_NOMEM;
	text_close(&view->buf, ctx_line(view, p, ctx));
	view->last_ctx = *ctx;
	return 0;
}

int cairn_view_take(struct cairn_view *view, struct cairn_ctx *shown, const char **text, size_t *n)
{
	uint64_t most = UINT64_MAX;
	return cairn_view_take_some(view, shown, text, n, &most);
}

int cairn_view_take_some(struct cairn_view *view, struct cairn_ctx *shown, const char **text,
                         size_t *n, uint64_t *most)
{
	const size_t *ends = (const void *)view->ends.data;
	size_t lines = view->ends.len / sizeof *ends, more = 0;
	if (view->first_pending && !view_same_ctx(shown, &view->first_ctx)) {
		char line[VIEW_ROW + TEXT_SLACK];
		size_t len = (size_t)(ctx_line(view, line, &view->first_ctx) - line);
		if (base_buf_reserve(&view->buf, len) < 0)
			return CAIRN_E_NOMEM;
		uint8_t *at = view->buf.data + view->first_at;
		memmove(at + len, at, view->buf.len - view->first_at);
		memcpy(at, line, len);
		view->buf.len += len;
		more = len;
	}
	view->first_pending = false;
	if (view->have_ctx)
		*shown = view->last_ctx;
	*text = (const char *)view->buf.data;
	*n = view->buf.len;
	if (lines > *most)
		*n = *most ? ends[*most - 1] + more : 0;
	else
		*most = lines;
	view->buf.len = view->ends.len = 0;
	return 0;
}

/* ---- columns ---- */

const struct cairn_symbol *view_symbol(struct cairn_view *view, const struct cairn_batch *batch,
                                       const struct cairn_insn *insn)
{
	uint64_t pc = insn->pc;
	if (cairn_image_has_spaces(
			view->opts.image)) /* the address alone does not say which symbol it is */
		return cairn_image_symbol_in(view->opts.image, &batch->ctxs[insn->ctx], pc);
	struct view_symbol *symbol = &view->symbols[(pc >> 1) % VIEW_SYMBOLS];
	if (symbol->pc != pc || !symbol->filled)
		*symbol = (struct view_symbol){pc, cairn_image_symbol_at(view->opts.image, pc), true};
	return symbol->symbol;
}

/* The text of an instruction at an unknown address: its target, the last operand, is unknown, too. */
static size_t anywhere(struct cairn_view *view, const struct cairn_insn *insn, const char **text)
{
	struct cairn_disasm *disasm = view->disasm[insn->isa];
	const char *elsewhere;
	size_t n = cairn_disasm_text(disasm, 0, insn->enc, insn->size, text);
	view->words.len = 0;
	if (base_buf_put(&view->words, *text, n) < 0)
		return 0;
	char *own = (char *)view->words.data;
	size_t m = cairn_disasm_text(disasm, 1 << 16, insn->enc, insn->size, &elsewhere);
	*text = own;
	if (n == m && !memcmp(own, elsewhere, n))
		return n;
	while (n && own[n - 1] != ' ')
		n--;
	own[n++] = '?';
	return n;
}

/* The text of an instruction, 0 when there is no disassembler for its set. */
static size_t disassemble(struct cairn_view *view, const struct cairn_insn *insn, const char **text)
{
	unsigned isa = insn->isa;
	*text = NULL;
	if (isa == CAIRN_ISA_UNKNOWN || isa > CAIRN_ISA_LAST ||
	    (insn->flags & (CAIRN_INSN_ENC_UNKNOWN | CAIRN_INSN_ENC_BYTES)))
		return 0;
	if (__builtin_expect(!view->disasm[isa], 0)) {
		if (view->disasm_failed[isa])
			return 0;
		if (cairn_disasm_new(view->cairn, isa, view->opts.isa_string, &view->disasm[isa]) < 0) {
			view->disasm_failed[isa] = true;
			view->disasm[isa] = NULL;
			if (!view->no_disasm)
				view->no_disasm = base_strdup(view->cairn, cairn_error_text(view->cairn));
			return 0;
		}
	}
	if (__builtin_expect(insn->flags & CAIRN_INSN_PC_UNKNOWN, 0))
		return anywhere(view, insn, text);
	return cairn_disasm_text(view->disasm[isa], insn->pc, insn->enc, insn->size, text);
}

/* Colour is left out; other control characters are spelt out. */
static size_t harmless(struct cairn_view *view, const char *words, size_t n, const char **text)
{
	view->words.len = 0;
	if (base_buf_reserve(&view->words, 5 * n + TEXT_SLACK) < 0)
		return 0;
	char *raw = (char *)view->words.data, *out = raw + n;
	size_t k = 0;
	for (size_t i = 0; i < n; i++) {
		size_t e = i + 1;
		if (words[i] == '\033' && e < n && words[e] == '[') {
			for (e++; e < n && ((words[e] >= '0' && words[e] <= '9') || words[e] == ';'); e++)
				;
			if (e < n && words[e] == 'm') {
				i = e;
				continue;
			}
		}
		raw[k++] = words[i];
	}
	*text = out;
	return (size_t)(text_escape(out, raw, k, false) - out);
}

size_t view_words(struct cairn_view *view, const struct cairn_batch *batch, uint32_t row,
                  const char **text)
{
	const struct cairn_asm *a = batch->have & CAIRN_ASM ? &batch->asms[row] : NULL;
	const char *s = a && a->len ? (const char *)view_payload(batch, a->text, a->len) : NULL;
	if (!s)
		return disassemble(view, &batch->insns[row], text);
	for (uint32_t i = 0; i < a->len; i++)
		if ((unsigned char)(s[i] - ' ') >= 0x5f)
			return harmless(view, s, a->len, text);
	*text = s;
	return a->len;
}

static inline bool view_narrow(const struct cairn_insn *insn)
{
	return insn->isa == CAIRN_ISA_RV32 || insn->isa == CAIRN_ISA_A32 || insn->isa == CAIRN_ISA_T32;
}

static inline char *view_put_address(char *p, const struct cairn_insn *insn, uint64_t address)
{
	return view_narrow(insn) && address >> 32 == 0 ? text_hex8(p, (uint32_t)address)
	                                               : text_hex16(p, address);
}

static inline char *put_pc(char *p, const struct cairn_insn *insn)
{
	if (__builtin_expect(!(insn->flags & CAIRN_INSN_PC_UNKNOWN), 1))
		return view_put_address(p, insn, insn->pc);
	p = text_spaces(p, view_narrow(insn) ? 7 : 15);
	*p++ = '-';
	return p;
}

static char *put_symbol(struct cairn_view *view, char *p, const struct cairn_insn *insn,
                        const struct cairn_symbol *symbol, size_t len)
{
	p = text_spaces(p, 2);
	char *from = p;
	if (symbol) {
		p = view_paint(view, p, VIEW_GREEN);
		char *name = p;
		p = text_escape(p, symbol->name, len, false);
		if (insn->pc != symbol->addr) {
			*p++ = '+';
			p = text_0x(p, insn->pc - symbol->addr, 1);
		}
		size_t shown = (size_t)(p - name);
		p = view_paint(view, p, VIEW_PLAIN);
		from = p - shown; /* colour takes no columns */
	}
	return text_pad(p, from, VIEW_SYMBOL_WIDTH, 0);
}

static inline char *view_put_encoding(char *p, const struct cairn_batch *batch,
                                      const struct cairn_insn *insn, size_t *padding)
{
	*padding = 0;
	if (__builtin_expect(insn->flags & (CAIRN_INSN_ENC_UNKNOWN | CAIRN_INSN_ENC_BYTES), 0)) {
		const uint8_t *bytes =
			insn->flags & CAIRN_INSN_ENC_BYTES ? view_payload(batch, insn->enc, insn->size) : NULL;
		if (bytes)
			return text_bytes(p, bytes, insn->size);
		*p++ = '-';
		*padding = 7;
		return p;
	}
	if (insn->size == 2) {
		*padding = 4;
		return text_hex4(p, insn->enc);
	}
	return text_hex8(p, insn->enc);
}

static char *view_put_flags(const struct cairn_view *view, char *p, uint32_t flags)
{
	p = view_paint(view, p, VIEW_YELLOW);
	for (size_t i = 0; i < VIEW_FLAGS; i++)
		if (flags & view_flags[i].bit)
			p = text_put(TEXT_LIT(p, "  "), view_flags[i].word, strlen(view_flags[i].word));
	return view_paint(view, p, VIEW_PLAIN);
}

bool view_line(const struct cairn_view *view, const struct cairn_insn *insn,
               struct cairn_line *line)
{
	return view->opts.lines && view->opts.image && !(insn->flags & CAIRN_INSN_PC_UNKNOWN) &&
	       cairn_image_line_at(view->opts.image, insn->pc, line);
}

/* "  sort.c:42": the file without its folders. */
static char *view_put_line(const struct cairn_view *view, char *p, const struct cairn_line *line)
{
	const char *slash = strrchr(line->file, '/'), *name = slash ? slash + 1 : line->file;
	p = view_paint(view, TEXT_LIT(p, "  "), VIEW_DIM);
	p = text_escape(p, name, strlen(name), false);
	*p++ = ':';
	return view_paint(view, text_dec(p, line->line), VIEW_PLAIN);
}

#define SHOWN_FLAGS (CAIRN_INSN_NOT_EXECUTED | CAIRN_INSN_DISCONTINUITY | CAIRN_INSN_INFERRED)

static int insn_line(struct cairn_view *view, const struct cairn_batch *batch, uint32_t row)
{
	const struct cairn_insn *insn = &batch->insns[row];
	const struct cairn_symbol *symbol = NULL;
	const char *text = NULL;
	size_t symbol_len = 0, text_len = 0, padding;
	if (view->symbols && !(insn->flags & CAIRN_INSN_PC_UNKNOWN)) {
		symbol = view_symbol(view, batch, insn);
		symbol_len = symbol ? strlen(symbol->name) : 0;
	}
	struct cairn_line line = {0};
	size_t line_len = view_line(view, insn, &line) ? strlen(line.file) : 0;
	if (view->opts.disasm)
		text_len = view_words(view, batch, row, &text);
	char *p = text_open(&view->buf, VIEW_ROW + 2 * 255 + 4 * symbol_len + text_len + 4 * line_len);
	if (!p)
		return CAIRN_E_NOMEM;
	view->lines++;
	p = text_dec_pad(p, batch->n0 + row, VIEW_NUMBER);
	p = TEXT_LIT(p, "  ");
	p = put_pc(p, insn);
	if (view->symbols)
		p = put_symbol(view, p, insn, symbol, symbol_len);
	p = TEXT_LIT(p, "  ");
	p = view_put_encoding(p, batch, insn, &padding);
	bool target = (insn->flags & CAIRN_INSN_TAKEN) != 0;
	bool more = target || (insn->flags & SHOWN_FLAGS);
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
		p = view_paint(view, p, VIEW_CYAN);
		p = TEXT_LIT(p, "  PC ");
		p = insn->flags & CAIRN_INSN_TARGET ? view_put_address(p, insn, insn->target)
		                                    : TEXT_LIT(p, "?");
		p = view_paint(view, p, VIEW_PLAIN);
	}
	if (__builtin_expect(insn->flags & SHOWN_FLAGS, 0))
		p = view_put_flags(view, p, insn->flags);
	if (line.line)
		p = view_put_line(view, p, &line);
	return text_end_line(&view->buf, p);
}

/* ---- batches ---- */

/* What a slot of a selected instruction prints. `seen` is the context row last
 * looked at. */
static int slot_lines(struct cairn_view *view, const struct cairn_batch *batch, uint32_t row,
                      uint32_t *seen)
{
	const struct cairn_insn *insn = &batch->insns[row];
	bool events = insn[0].ev0 != insn[1].ev0;
	int rc = 0;
	if (insn->ctx != *seen && insn->ctx < batch->n_ctxs) {
		*seen = insn->ctx;
		rc = see_ctx(view, &batch->ctxs[insn->ctx]);
	}
	if (rc >= 0 && __builtin_expect(events, 0))
		rc = view_events_before(view, batch, view_slot_of(batch, row), false);
	if (rc >= 0)
		rc = insn_line(view, batch, row);
	if (rc >= 0 && view->opts.show &&
	    (events || insn[0].reg0 != insn[1].reg0 || insn[0].mem0 != insn[1].mem0))
		rc = view_children(view, batch, view_slot_of(batch, row), insn->isa);
	if (rc >= 0 && __builtin_expect(events, 0))
		rc = view_places_behind(view, batch, view_slot_of(batch, row));
	return rc;
}

/* An instruction that is not selected: print only damage at it, if it lies where the reader was
 * sent. */
static int left_out(struct cairn_view *view, const struct cairn_batch *batch, uint32_t row)
{
	uint64_t n = batch->n0 + row;
	if (batch->insns[row].ev0 == batch->insns[row + 1].ev0 || n < view->first || n > view->last ||
	    view->opts.json || view->opts.bare)
		return 0;
	int rc = view_events_before(view, batch, view_slot_of(batch, row), true);
	return rc < 0 ? rc : view_places_behind(view, batch, view_slot_of(batch, row));
}

/* Write the number into the columns that an indented line leaves free. */
static void view_put_number(struct cairn_view *view, size_t at, uint64_t number)
{
	char text[24 + TEXT_SLACK];
	size_t n = (size_t)(text_dec_pad(text, number, VIEW_NUMBER) - text);
	if (n <= VIEW_INDENT)
		memcpy(view->buf.data + at, text, n);
}

/* Take the rows of one record from *s; the others stay in it. */
static struct view_slot take_record(const struct cairn_batch *batch, struct view_slot *slot,
                                    uint16_t seq)
{
	struct view_slot one = *slot;
	while (slot->reg < slot->reg_end && batch->regs[slot->reg].seq == seq)
		slot->reg++;
	while (slot->mem < slot->mem_end && batch->mems[slot->mem].seq == seq)
		slot->mem++;
	while (slot->ev < slot->ev_end && batch->events[slot->ev].seq == seq)
		slot->ev++;
	one.reg_end = slot->reg;
	one.mem_end = slot->mem;
	one.ev_end = slot->ev;
	return one;
}

/* Rows without instructions: record by record, with its number before the first row. */
static int record_slots(struct cairn_view *view, const struct cairn_batch *batch,
                        struct view_slot slot)
{
	const enum cairn_isa isa = batch->insns[batch->n_insns].isa;
	uint64_t rec0 = batch->rec0 + batch->insns[batch->n_insns].rec;
	int rc = 0;
	while (rc >= 0 &&
	       (slot.reg < slot.reg_end || slot.mem < slot.mem_end || slot.ev < slot.ev_end)) {
		uint32_t seq = slot.reg < slot.reg_end ? batch->regs[slot.reg].seq : UINT16_MAX;
		if (slot.mem < slot.mem_end && batch->mems[slot.mem].seq < seq)
			seq = batch->mems[slot.mem].seq;
		if (slot.ev < slot.ev_end && batch->events[slot.ev].seq < seq)
			seq = batch->events[slot.ev].seq;
		struct view_slot one = take_record(batch, &slot, (uint16_t)seq);
		struct cairn_record rec = {.number = rec0 + seq};
		if (!view->all && !cairn_select_record(view->opts.select, &rec))
			continue;
		view->lines++;
		if (view->opts.json) {
			rc = view_json_rows(view, batch, one, rec.number, isa);
			continue;
		}
		rc = view_events_before(view, batch, one, false);
		if (rc >= 0)
			rc = view_places_behind(view, batch, one);
		size_t at = view->buf.len;
		if (rc >= 0)
			rc = view_children(view, batch, one, isa);
		if (rc >= 0 && view->buf.len > at)
			view_put_number(view, at, rec.number);
	}
	return rc;
}

/* The slot of what belongs to no instruction has a place between two numbers. */
static int last_slot(struct cairn_view *view, const struct cairn_batch *batch)
{
	struct view_slot slot = view_slot_of(batch, batch->n_insns);
	if (slot.reg == slot.reg_end && slot.mem == slot.mem_end && slot.ev == slot.ev_end)
		return 0;
	if ((batch->have & CAIRN_ROW_PLACES) && only_rows(&view->opts))
		return record_slots(view, batch, slot);
	uint64_t next = batch->n_xacts ? batch->x0 + batch->n_xacts : batch->n0 + batch->n_insns;
	if (!view->all && (next <= view->first || next - 1 > view->last))
		return 0;
	if (view->opts.json)
		return view_json_slot(view, batch, batch->n_insns, 0);
	int rc = view_events_before(view, batch, slot, false);
	if (rc >= 0)
		rc = view_places_behind(view, batch, slot);
	unsigned isa = batch->insns[batch->n_insns]
	                   .isa; /* the instruction set of the format, or of the last instruction */
	if (!isa && batch->n_insns)
		isa = batch->insns[batch->n_insns - 1].isa;
	if (rc >= 0 && view->opts.show)
		rc = view_children(view, batch, slot, (enum cairn_isa)isa);
	return rc;
}

static void view_choose(struct cairn_view *view, const struct cairn_batch *batch)
{
	uint32_t left = batch->n_insns ? batch->n_insns : batch->n_xacts;
	if (view->opts.select)
		left = cairn_select_batch(view->opts.select, batch, view->keep);
	else
		memset(view->keep, 1, left);
	if (left && view->opts.touch)
		cairn_touch_batch(view->opts.touch, batch, view->keep);
}

/* An instruction has been printed. */
static inline int end_of_one(struct cairn_view *view, int rc)
{
	if (__builtin_expect(!view->opts.ends, 1) || rc < 0)
		return rc;
	return base_buf_put(&view->ends, &view->buf.len, sizeof view->buf.len);
}

int cairn_view_batch(struct cairn_view *view, const struct cairn_batch *batch)
{
	uint32_t seen = UINT32_MAX;
	int rc = 0;
	const uint8_t *keep = view->all ? NULL : view->keep;
	if (keep)
		view_choose(view, batch);
	for (uint32_t i = 0; i < batch->n_xacts && rc >= 0; i++)
		if (!keep || keep[i]) {
			rc = view->opts.json ? view_json_xact(view, batch, i) : view_xact(view, batch, i);
			rc = end_of_one(view, rc);
		}
	for (uint32_t i = 0; i < batch->n_insns && rc >= 0; i++) {
		if (keep && !keep[i]) {
			rc = left_out(view, batch, i);
			continue;
		}
		rc = view->opts.json ? view_json_slot(view, batch, i, batch->n0 + i)
		                     : slot_lines(view, batch, i, &seen);
		rc = end_of_one(view, rc);
	}
	return rc < 0 || view->opts.bare ? rc : last_slot(view, batch);
}
