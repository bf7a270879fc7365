/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXPORT_VIEW_H
#define EXPORT_VIEW_H
/* What the files that print a view share. */
#include "cairn/export.h"
#include "export/json.h"
#include "export/text.h"

enum {
	VIEW_SYMBOLS = 1024, /* PCs whose symbol is remembered */
	VIEW_NUMBER = 9,     /* columns of the number */
	VIEW_INDENT = 11,    /* lines below begin under the PC */
	VIEW_SYMBOL_WIDTH = 24,
	VIEW_ASM_WIDTH = 32,
	VIEW_ROW = 320 /* more than a line without its texts and wide values */
};

struct view_symbol {
	uint64_t pc;
	const struct cairn_symbol *symbol;
	bool filled;
};

struct cairn_view {
	struct cairn *cairn;
	struct cairn_view_opts opts;
	struct base_buf buf;
	uint64_t lines;
	uint64_t first, last; /* bounds of the selection */
	bool all;             /* no selection */
	struct base_buf ends; /* opts.ends: size_t, where the text of each instruction ends */

	/* contexts: see cairn_view_take */
	struct cairn_ctx first_ctx, last_ctx;
	bool have_ctx, first_pending;
	size_t first_at;

	struct cairn_disasm *disasm[CAIRN_ISA_LAST + 1];
	bool disasm_failed[CAIRN_ISA_LAST + 1];
	char *no_disasm;
	struct base_buf words; /* a trace's own disassembly, made harmless */

	struct view_symbol *symbols;
	char *ctx_json; /* JSON of a context, kept because it seldom changes */
	size_t ctx_json_len;
	struct cairn_ctx ctx_json_of;

	uint8_t keep[CAIRN_CAP_INSNS + CAIRN_CAP_XACTS];
};

/* A slot's child rows. */
struct view_slot {
	uint32_t reg, reg_end, mem, mem_end, ev, ev_end;
};

static inline struct view_slot view_slot_of(const struct cairn_batch *batch, uint32_t index)
{
	const struct cairn_insn *insn = &batch->insns[index];
	return (struct view_slot){insn[0].reg0, insn[1].reg0, insn[0].mem0,
	                          insn[1].mem0, insn[0].ev0,  insn[1].ev0};
}

/* Wide values and payloads are offsets; NULL when they lie outside. */
static inline const uint8_t *view_payload(const struct cairn_batch *batch, uint64_t at, uint64_t n)
{
	return at <= batch->n_bytes && n <= batch->n_bytes - at ? batch->bytes + at : NULL;
}

/* Digits of a value of `bits` bits that sits in a row. */
static inline unsigned view_digits_of(uint64_t bits)
{
	return bits == 0 || bits > 64 ? 16 : (unsigned)((bits + 3) / 4);
}

/* Is the place itself printed, whatever is selected? */
static inline bool view_is_place(const struct cairn_event *event)
{
	return event->kind == CAIRN_EV_DAMAGE || event->kind == CAIRN_EV_GAP;
}

/* The instruction in words: the trace's own where it has some, else the disassembler's.
 * 0: neither. Without control characters. */
size_t view_words(struct cairn_view *view, const struct cairn_batch *batch, uint32_t row,
                  const char **text);
/* The source line of an instruction, if lines are shown and it has one. */
bool view_line(const struct cairn_view *view, const struct cairn_insn *insn,
               struct cairn_line *line);
const struct cairn_symbol *view_symbol(struct cairn_view *view, const struct cairn_batch *batch,
                                       const struct cairn_insn *insn);
const char *view_security_name(unsigned security);
/* The flags that are shown, and their words. */
enum { VIEW_FLAGS = 5 };
extern const struct view_flag {
	uint32_t bit;
	char word[12];
} view_flags[VIEW_FLAGS];
const char *view_role_name(unsigned role);
const char *view_mem_name(unsigned kind);
bool view_mem_is_bare(const struct cairn_mem *mem);
const char *view_initiator_name(unsigned initiator);

enum view_colour { VIEW_PLAIN, VIEW_RED, VIEW_GREEN, VIEW_YELLOW, VIEW_CYAN, VIEW_DIM };
char *view_paint(const struct cairn_view *view, char *p, enum view_colour colour);

/* What stands above an instruction, or of it only damage and gaps; and those behind it. */
int view_events_before(struct cairn_view *view, const struct cairn_batch *batch,
                       struct view_slot slot, bool only_places);
int view_places_behind(struct cairn_view *view, const struct cairn_batch *batch,
                       struct view_slot slot);
int view_children(struct cairn_view *view, const struct cairn_batch *batch, struct view_slot slot,
                  enum cairn_isa isa);
/* The rows of a record that belongs to no instruction. */
int view_json_rows(struct cairn_view *view, const struct cairn_batch *batch, struct view_slot slot,
                   uint64_t record, enum cairn_isa isa);
/* n 0: a slot without an instruction. */
int view_json_slot(struct cairn_view *view, const struct cairn_batch *batch, uint32_t index,
                   uint64_t n);
int view_xact(struct cairn_view *view, const struct cairn_batch *batch, uint32_t index);
int view_json_xact(struct cairn_view *view, const struct cairn_batch *batch, uint32_t index);

#endif
