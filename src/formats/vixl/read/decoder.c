/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoding: lines into batches.
 *
 * An instruction's slot holds the rows of the lines below it. Lines before the first
 * instruction, and between the end of a run and the next one, are the state that an
 * instruction finds: they are in its slot, too. When a slot ends, what the text is known
 * to give wrongly is put right from the encoding (fix.c).
 *
 * The lines of accesses to vectors tell the lane by their drawing. A drawing may lack
 * everything beyond ASCII, so lanes are found from the number of spaces in it: each
 * line further down has one bar less to its left. How many lines belong to a drawing its
 * first one shows, if it has its bars: the log may end before the last.
 */
#include "formats/vixl/read/decoder.h"

#include <stdio.h>
#include <string.h>

enum stop { STOP_WINDOW, STOP_FULL };
enum { FAR = 1 << 30, LINES_IN_BATCH = 60000, LINES_MOST = 65000 };

/* ---- rows ---- */

/* Rows of a log of state are numbered by their lines. */
static inline void number_by_line(struct vixl_decoder *decoder)
{
	if (decoder->states_only)
		decoder->rows.seq--;
}

struct cairn_reg *vixl_reg(struct vixl_decoder *decoder, uint8_t cls, unsigned num, uint8_t role)
{
	struct cairn_reg *row = kit_reg(&decoder->rows);
	if (!row)
		return NULL;
	row->num = (uint16_t)num;
	row->cls = cls;
	row->role = role;
	number_by_line(decoder);
	return row;
}

struct cairn_mem *vixl_mem(struct vixl_decoder *decoder, uint8_t kind, uint64_t addr, uint32_t size)
{
	struct cairn_mem *mem = kit_mem(&decoder->rows);
	if (!mem)
		return NULL;
	mem->addr = addr;
	mem->size = size;
	mem->kind = kind;
	number_by_line(decoder);
	return mem;
}

/* `bytes` of value, 16 or more as a payload. False: no room for it. */
static bool decoder_wide(struct vixl_decoder *decoder, const uint64_t *values, unsigned bytes,
                         uint64_t *at)
{
	uint32_t k = kit_payload(&decoder->rows, bytes);
	if (k == UINT32_MAX)
		return false;
	for (unsigned i = 0; i < bytes / 8; i++)
		base_put_le64(decoder->rows.batch->bytes + k + 8 * i, values[i]);
	*at = k;
	return true;
}

void vixl_mem_value(struct vixl_decoder *decoder, struct cairn_mem *mem, const uint64_t *values,
                    unsigned bytes)
{
	mem->flags |= CAIRN_VALUE_KNOWN;
	mem->words = (uint16_t)((bytes + 7) / 8);
	mem->value = values[0];
	if (bytes <= 8)
		return;
	if (decoder_wide(decoder, values, bytes, &mem->value))
		mem->flags |= CAIRN_VALUE_WIDE;
	else
		mem->flags &= (uint8_t)~CAIRN_VALUE_KNOWN;
}

static void decoder_reg_value(struct vixl_decoder *decoder, struct cairn_reg *row,
                              const struct vixl_line *line)
{
	if (line->masked & VIXL_MASKED_VALUE)
		return;
	row->flags |= CAIRN_VALUE_KNOWN;
	row->value = line->value[0];
	if (line->bytes <= 8)
		return;
	if (decoder_wide(decoder, line->value, line->bytes, &row->value))
		row->flags |= CAIRN_VALUE_WIDE;
	else
		row->flags &= (uint8_t)~CAIRN_VALUE_KNOWN;
}

/* ---- lanes ---- */

/* The group of accesses is complete: find out which bytes of the registers they moved. */
static void decoder_end_group(struct vixl_decoder *decoder)
{
	unsigned all = decoder->drawn > decoder->lines ? decoder->drawn : decoder->lines;
	for (unsigned j = 0; j < decoder->lines; j++) {
		unsigned below = all - 1 - j;
		/* "# ", the columns of a name, and the space before the value */
		unsigned in_cells = decoder->row_spaces[j] - 20;
		unsigned cell = (in_cells + below - 1) / 2;
		if (in_cells + below < 1 || cell >= decoder->cells || !decoder->cells)
			continue;
		struct cairn_mem *mem = &decoder->rows.batch->mems[decoder->row_mem[j]];
		unsigned size = mem->size ? mem->size : 1,
				 byte = decoder->cells - 1 - cell + decoder->chunk;
		for (unsigned i = 0; i < decoder->row_values[j]; i++)
			mem[i].lane = (uint16_t)(byte / size);
	}
	decoder->lines = 0;
	decoder->group = 0;
}

/* ---- register lines ---- */

static uint8_t decoder_class_of(const struct vixl_line *line)
{
	return line->letter == 'x' || line->letter == 'w' ? CAIRN_REG_INT
	       : line->letter == 'p'                      ? CAIRN_REG_PREDICATE
	                                                  : CAIRN_REG_VECTOR;
}

static unsigned decoder_number_of(const struct vixl_line *line)
{
	if (line->special == VIXL_FFR)
		return ISA_ARM64_FFR;
	return line->special == VIXL_ZR ? (unsigned)ISA_ARM64_XZR : line->num;
}

static struct cairn_reg *decoder_register_row(struct vixl_decoder *decoder,
                                              const struct vixl_line *line)
{
	bool part = line->kind == VIXL_XPART || line->kind == VIXL_VPART;
	uint8_t role = part || line->arrow == '>' ? (uint8_t)CAIRN_ROLE_SRC : decoder->role;
	struct cairn_reg *row =
		vixl_reg(decoder, decoder_class_of(line), decoder_number_of(line), role);
	if (!row)
		return NULL;
	row->bits = 8u * line->bytes;
	if (line->kind == VIXL_ZREG || line->kind == VIXL_PREG)
		row->lsb = line->lsb;
	else if (line->kind == VIXL_VREG && line->bytes < 16 && line->letter == 'v')
		row->lsb = (uint16_t)(8 * (16 - line->bytes) - 4 * line->pad_value); /* an old lane */
	else if (role != CAIRN_ROLE_SRC && (line->letter != 'x'))
		row->flags = CAIRN_VALUE_ZEROES;
	decoder_reg_value(decoder, row, line);
	return row;
}

/* Where a predicate's piece really lies: the simulator adds 16 for each, not 2. Pieces stand one
 * below another. */
static bool predicate_address(struct vixl_decoder *decoder, const struct vixl_line *line,
                              uint64_t *addr)
{
	*addr = line->addr;
	if (line->lsb == 0) {
		decoder->p_base = line->addr;
		decoder->p_num = line->num;
		decoder->p_known = true;
		return true;
	}
	if (!decoder->p_known || decoder->p_num != line->num)
		return false;
	if (line->addr == decoder->p_base + line->lsb) /* 16 for each 16 bits */
		*addr = decoder->p_base + line->lsb / 8u;
	return line->addr == decoder->p_base + line->lsb ||
	       line->addr == decoder->p_base + line->lsb / 8u;
}

/* The access on a register's own line. `row`: the register's row + 1, or 0. */
static void register_access(struct vixl_decoder *decoder, const struct vixl_line *line,
                            uint32_t row)
{
	bool store = line->arrow == '>', old = !store && !line->ranged && !vixl_is_today(line);
	uint64_t addr = line->addr;
	uint32_t size = line->bytes;
	bool where = !(line->masked & VIXL_MASKED_ADDR), value = !(line->masked & VIXL_MASKED_VALUE);
	if (line->kind == VIXL_PREG)
		where &= predicate_address(decoder, line, &addr);
	if (!store && line->special == VIXL_ZR)
		value = false; /* the register's value as it reads now, not what was in memory */
	if (old) {         /* extended in the register: the encoding tells how much was read */
		size = decoder->cur && decoder->op.mem_size <= size ? decoder->op.mem_size : 0;
		value &= size != 0;
	}
	struct cairn_mem *mem = vixl_mem(decoder, store ? CAIRN_MEM_WRITE : CAIRN_MEM_READ, addr, size);
	if (!mem)
		return;
	mem->reg = (uint16_t)row;
	if (!where)
		mem->flags |= CAIRN_VALUE_ADDR_UNKNOWN;
	if (!value)
		return;
	uint64_t v[2] = {line->value[0], line->value[1]};
	if (size < 8)
		v[0] &= (UINT64_C(1) << 8 * size) - 1;
	vixl_mem_value(decoder, mem, v, size);
}

/* Without an encoding, "x1: …" and "w1: … <- …" may be one load of x1 (LDAPUR), whose upper half
 * the second line does not show, or two instructions. */
static void unsure_half(struct vixl_decoder *decoder, const struct vixl_line *line,
                        struct cairn_reg *row)
{
	if (!decoder->states_only || line->kind != VIXL_WREG || line->arrow != '<' || !decoder->old_x ||
	    decoder->last_num != line->num)
		return;
	row->flags &= (uint8_t)~CAIRN_VALUE_ZEROES;
	struct cairn_reg *half = vixl_reg(decoder, CAIRN_REG_INT, row->num, CAIRN_ROLE_DST);
	if (half) {
		half->lsb = 32;
		half->bits = 32;
	}
}

static inline void decoder_register_line(struct vixl_decoder *decoder, const struct vixl_line *line)
{
	uint32_t row_number = 0;
	if (decoder->lines)
		decoder_end_group(decoder);
	decoder->p_known &= line->kind == VIXL_PREG;
	if (decoder->rows.want & CAIRN_REGS) {
		struct cairn_reg *row = decoder_register_row(decoder, line);
		row_number = row ? decoder->rows.batch->n_regs : 0;
		if (row)
			unsure_half(decoder, line, row);
	}
	if (line->arrow) {
		decoder->group = 0;
		if (decoder->rows.want & CAIRN_MEMS)
			register_access(decoder, line, row_number);
	} else {
		decoder->group++;
		decoder->cells = line->kind <= VIXL_XPART ? 8 : 16;
		decoder->chunk = line->kind == VIXL_ZREG ? line->lsb / 8u : 0;
	}
	decoder->flow.rows |= line->kind <= VIXL_WREG && line->arrow != '>';
	decoder->old_x = line->kind == VIXL_XREG && !line->arrow;
	decoder->last_num = line->num;
}

/* ---- other lines ---- */

/* How many lines the drawing that begins with this one has: a bar for each further line, and its
 * own corner. 0: everything beyond ASCII has been taken out of it. */
static unsigned lines_drawn(const struct vixl_line *line)
{
	unsigned n = 0;
	for (uint32_t i = 0; i + 2 < line->text_len; i++)
		n += !memcmp(line->text + i, "\xe2\x95\x91", 3);
	return line->text_len > line->spaces ? n + 1 : 0;
}

/* A structure of up to 4 values, contiguous in memory, of as many registers. */
static void access_line(struct vixl_decoder *decoder, const struct vixl_line *line)
{
	struct cairn_batch *batch = decoder->rows.batch;
	unsigned k = line->n_values;
	bool store = line->arrow == '>';
	uint32_t base = decoder->rows.want & CAIRN_REGS && decoder->group >= k &&
	                        batch->n_regs - decoder->rows.reg0 >= k
	                    ? batch->n_regs - k
	                    : UINT32_MAX;
	for (uint32_t i = base; store && i < batch->n_regs; i++)
		batch->regs[i].role = CAIRN_ROLE_SRC;
	if (!(decoder->rows.want & CAIRN_MEMS))
		return;
	uint32_t first = batch->n_mems;
	for (unsigned i = 0; i < k; i++) {
		struct cairn_mem *mem = vixl_mem(decoder, store ? CAIRN_MEM_WRITE : CAIRN_MEM_READ,
		                                 line->addr + (uint64_t)i * line->bytes, line->bytes);
		if (!mem)
			return;
		if (base != UINT32_MAX)
			mem->reg = (uint16_t)(base + i + 1);
		if (line->masked & VIXL_MASKED_ADDR)
			mem->flags |= CAIRN_VALUE_ADDR_UNKNOWN;
		vixl_mem_value(decoder, mem, &line->value[i], line->bytes);
	}
	if (decoder->lines == VIXL_ROWS)
		return;
	if (decoder->lines == 0)
		decoder->drawn = lines_drawn(line);
	decoder->row_mem[decoder->lines] = first;
	decoder->row_spaces[decoder->lines] = line->spaces;
	decoder->row_values[decoder->lines++] = k;
}

static void plain_access(struct vixl_decoder *decoder, uint8_t kind, uint64_t addr, bool masked,
                         uint32_t size, const uint64_t *value)
{
	struct cairn_mem *mem = vixl_mem(decoder, kind, addr, size);
	if (!mem)
		return;
	if (masked)
		mem->flags |= CAIRN_VALUE_ADDR_UNKNOWN;
	if (value)
		vixl_mem_value(decoder, mem, value, size);
}

static void flags_line(struct vixl_decoder *decoder, const struct vixl_line *line)
{
	bool fpcr = line->kind == VIXL_FPCR;
	struct cairn_reg *row = fpcr ? vixl_reg(decoder, CAIRN_REG_CSR, ISA_ARM64_FPCR, decoder->role)
	                             : vixl_reg(decoder, CAIRN_REG_FLAGS, 0, decoder->role);
	if (!row)
		return;
	row->bits = fpcr ? VIXL_FPCR_BITS : 4;
	row->lsb = fpcr ? VIXL_FPCR_LSB : 0;
	row->value = line->value[0];
	row->flags = CAIRN_VALUE_KNOWN;
}

static struct cairn_event *vixl_decoder_event(struct vixl_decoder *decoder, uint8_t kind)
{
	struct cairn_event *event =
		kit_event(&decoder->rows, kind, decoder->cur ? CAIRN_AFTER : CAIRN_BEFORE);
	if (event)
		number_by_line(decoder);
	return event;
}

static void stack_line(struct vixl_decoder *decoder, const struct vixl_line *line)
{
	uint64_t args[3] = {line->enc, line->index, line->addr};
	struct cairn_event *event = vixl_decoder_event(decoder, CAIRN_EV_FORMAT);
	if (!event)
		return;
	event->code = line->arrow == '<' ? VIXL_EV_GCS_PUSH : VIXL_EV_GCS_POP;
	event->flags = CAIRN_EVF_RECORD;
	kit_args(&decoder->rows, event, args, 3);
}

static void text(struct vixl_decoder *decoder, const char *p, size_t n)
{
	uint8_t phase = decoder->cur ? CAIRN_AFTER : CAIRN_BEFORE;
	if (kit_text(&decoder->rows, CAIRN_EV_COMMENT, phase, p, n))
		number_by_line(decoder);
}

static void vixl_decoder_branch_line(struct vixl_decoder *decoder, const struct vixl_line *line)
{
	if (decoder->cur) {
		vixl_flow_branch(&decoder->flow, line);
		return;
	}
	struct cairn_event *event = vixl_decoder_event(decoder, CAIRN_EV_BRANCH);
	if (event && !line->masked) {
		event->target = line->addr;
		event->flags = CAIRN_EVF_TARGET;
	}
}

static void bad_line(struct vixl_decoder *decoder, unsigned kind, const char *p, size_t n)
{
	text_damage_event(decoder->reader, decoder->span, &decoder->rows,
	                  decoder->cur ? CAIRN_AFTER : CAIRN_BEFORE,
	                  kit_offset_of(&decoder->ss->bytes, p), n, vixl_bad_line(kind));
	number_by_line(decoder);
}

/* A line that is no instruction's. */
static void vixl_decoder_other_line(struct vixl_decoder *decoder, const struct vixl_line *line,
                                    const char *p, size_t n)
{
	if (decoder->lines && line->kind != VIXL_ACCESS)
		decoder_end_group(decoder);
	switch (line->kind) {
	case VIXL_ACCESS:
		access_line(decoder, line);
		return;
	case VIXL_NZCV:
	case VIXL_FPCR:
		flags_line(decoder, line);
		break;
	case VIXL_BRANCH:
		vixl_decoder_branch_line(decoder, line);
		break;
	case VIXL_GCS:
		stack_line(decoder, line);
		break;
	case VIXL_TRANSFER:
		plain_access(decoder, CAIRN_MEM_READ, line->source, line->masked & VIXL_MASKED_SOURCE, 1,
		             line->value);
		plain_access(decoder, CAIRN_MEM_WRITE, line->addr, line->masked & VIXL_MASKED_ADDR, 1,
		             line->value);
		break;
	case VIXL_WRITE64:
		plain_access(decoder, CAIRN_MEM_WRITE, line->addr, line->masked & VIXL_MASKED_ADDR, 8,
		             line->value);
		break;
	case VIXL_BARE:
		plain_access(decoder, line->arrow == '<' ? CAIRN_MEM_READ : CAIRN_MEM_WRITE, line->addr,
		             line->masked & VIXL_MASKED_ADDR, 0, NULL);
		break;
	case VIXL_TEXT:
		if (decoder->cur && vixl_is_elsewhere(p, n))
			decoder->flow.elsewhere = true;
		else
			text(decoder, p, n);
		decoder->flow.text |= n && !vixl_is_ours(p, n);
		break;
	case VIXL_UNKNOWN:
	case VIXL_INSN: /* in a log of state */
		bad_line(decoder, line->kind, p, n);
		break;
	default:
		break;
	}
	decoder->group = 0;
	decoder->old_x = false;
	decoder->p_known = false;
}

/* ---- instructions ---- */

static void vixl_decoder_report_dropped(struct vixl_decoder *decoder)
{
	char place[64], why[192];
	snprintf(place, sizeof place, "line %llu", (unsigned long long)decoder->at->line);
	if (!kit_dropped(&decoder->rows, why, sizeof why, place))
		return;
	model_damage_event(decoder->reader, decoder->span, decoder->rows.batch, decoder->rows.seq++,
	                   CAIRN_AFTER, decoder->at->off, 0, "%s", why);
	number_by_line(decoder);
}

/* The slot has everything that belongs to it. `next`: address of the next instruction. */
static void vixl_decoder_end_slot(struct vixl_decoder *decoder, const uint64_t *next)
{
	if (decoder->lines)
		decoder_end_group(decoder);
	if (decoder->cur) {
		uint64_t target;
		vixl_fix(decoder);
		decoder->cur->flags |=
			vixl_outcome(&decoder->flow, &decoder->op, decoder->logged, next, &target);
		decoder->cur->target = target;
		decoder->onward->flags =
			vixl_follow(&decoder->flow, &decoder->op, decoder->logged, &decoder->onward->next);
	}
	if (__builtin_expect(decoder->rows.dropped != 0, 0))
		vixl_decoder_report_dropped(decoder);
	decoder->cur = NULL;
	kit_rows_next(&decoder->rows, true);
	decoder->group = 0;
	decoder->role = CAIRN_ROLE_STATE;
	decoder->p_known = false;
}

static bool is_full(const struct vixl_decoder *decoder)
{
	return model_batch_full(decoder->rows.batch) ||
	       kit_offset(&decoder->ss->bytes) - decoder->rows.batch->off0 > FAR;
}

static void vixl_decoder_gap(struct vixl_decoder *decoder)
{
	static const char why[] = "the simulator's trace was switched off";
	struct cairn_event *event =
		kit_text(&decoder->rows, CAIRN_EV_GAP, CAIRN_BEFORE, why, sizeof why - 1);
	if (event)
		event->code = UINT64_MAX;
}

static inline void vixl_decoder_instruction(struct vixl_decoder *decoder,
                                            const struct vixl_line *line, uint64_t off)
{
	struct cairn_batch *batch = decoder->rows.batch;
	struct text_place *at = decoder->at;
	const struct vixl_onward *onward = decoder->onward;
	bool known = !(line->masked & VIXL_MASKED_ADDR);
	uint32_t flags = known ? 0 : (uint32_t)CAIRN_INSN_PC_UNKNOWN;
	decoder->op = *isa_memo_get(decoder->worker->text.memo, CAIRN_ISA_A64, line->enc, 4);
	decoder->flow = (struct vixl_flow){.pc = line->addr, .enc = line->enc, .pc_known = known};
	if (__builtin_expect(onward->flags & VIXL_F_GAP, 0))
		vixl_decoder_gap(decoder);
	if (known && ((onward->flags & VIXL_F_END) ||
	              ((onward->flags & VIXL_F_NEXT) && onward->next != line->addr)))
		flags |= CAIRN_INSN_DISCONTINUITY;
	kit_rows_from(&decoder->rows, false);
	if (decoder->rows.want & CAIRN_ASM)
		kit_asm(&decoder->rows, line->text, line->text_len);
	struct cairn_insn *row = &batch->insns[batch->n_insns++];
	*row = (struct cairn_insn){.pc = line->addr,
	                           .enc = line->enc,
	                           .traits = decoder->op.traits,
	                           .flags = flags,
	                           .rec = (uint32_t)(at->line - batch->rec0),
	                           .off = (uint32_t)(off - batch->off0),
	                           .reg0 = (uint16_t)decoder->rows.reg0,
	                           .mem0 = (uint16_t)decoder->rows.mem0,
	                           .ev0 = (uint16_t)decoder->rows.ev0,
	                           .size = 4,
	                           .isa = CAIRN_ISA_A64,
	                           .cls = decoder->op.cls};
	decoder->cur = row;
	decoder->role = vixl_is_hlt(line->enc) && (line->enc >> 5 & 0xffff) == VIXL_HLT_LOG
	                    ? CAIRN_ROLE_STATE
	                    : CAIRN_ROLE_DST;
	decoder->group = 0;
	at->n++;
}

/* Lines without an instruction: are there enough of them, without dividing a group? */
static bool may_stop(struct vixl_decoder *decoder, const char *p)
{
	const struct cairn_batch *batch = decoder->rows.batch;
	bool many = decoder->states_only && decoder->rows.seq >= LINES_IN_BATCH;
	if (!many && !is_full(decoder))
		return false;
	return decoder->rows.seq >= LINES_MOST || batch->n_regs > CAIRN_CAP_REGS / 4 * 3 ||
	       batch->n_mems > CAIRN_CAP_MEMS / 4 * 3 || batch->n_events > CAIRN_CAP_EVENTS / 4 * 3 ||
	       p == decoder->ss->bytes.window.base ||
	       vixl_may_begin(decoder->ss->bytes.window.base, p, decoder->ss->bytes.window.end);
}

/* ---- drawing ---- */

/* Would the line be written as it is? `whole`: a newline ends it. */
static bool is_drawn_alike(struct vixl_decoder *decoder, const struct vixl_line *line,
                           const char *p, size_t n, bool whole)
{
	struct vixl_line own = *line;
	own.coloured &= decoder->reader->drawing.coloured; /* who asks for colours loses none */
	if (line->prefix || line->returns || !whole)
		return false;
	if (line->kind == VIXL_INSN || line->kind == VIXL_TEXT)
		return true;
	if (line->letter == 'x' && vixl_is_register(line->kind) &&
	    (line->special == VIXL_PLAIN ? line->num == 30 : line->special >= VIXL_FP))
		return false;
	if (line->quick && !line->coloured && vixl_is_today(line))
		return true;
	char *drawn = decoder->worker->drawn;
	return vixl_print(&own, drawn) == n && !memcmp(drawn, p, n);
}

/* Does the line say something wrong, or not say what happened, so that fix.c puts it right? A writer
 * makes another line of that. */
static bool is_printed_wrongly(const struct vixl_decoder *decoder, const struct vixl_line *line)
{
	uint32_t enc = decoder->flow.enc;
	if (!decoder->cur || (!line->arrow && line->kind != VIXL_BARE))
		return false;
	enum vixl_trap trap = vixl_trap_of(enc);
	if (line->kind == VIXL_BARE)
		return trap == VIXL_TRAP_SWAP || trap == VIXL_TRAP_LOAD_ACQUIRE ||
		       trap == VIXL_TRAP_COMPARE;
	bool x = enc >> 30 == 3 || (enc >> 22 & 3) == 2; /* an X register, of which a half is shown */
	bool half = trap == VIXL_TRAP_UNSCALED && line->kind == VIXL_WREG && x;
	return half || (trap == VIXL_TRAP_ATOMIC && (enc & 31) == 31) ||
	       (line->arrow == '>' && vixl_same_register(enc));
}

static void judge_drawing(struct vixl_decoder *decoder, const struct vixl_line *line, const char *p,
                          size_t n)
{
	struct model_drawing *drawing = &decoder->reader->drawing;
	uint64_t at = decoder->at->n - (decoder->cur != NULL);
	bool whole = p + n != decoder->ss->bytes.window.end;
	if (decoder->at->line <= drawing->upto)
		return;
	drawing->upto = decoder->at->line;
	while (at > drawing->now.last && drawing->after.opts)
		if (!model_range_next(&drawing->after, &drawing->now))
			drawing->after.opts = NULL;
	if (at < drawing->now.first || at > drawing->now.last ||
	    (is_drawn_alike(decoder, line, p, n, whole) && !is_printed_wrongly(decoder, line)))
		return;
	if (drawing->count++ == 0)
		drawing->first = at;
}

/* ---- the walk ---- */

/* Take one line; the walk stops before it when the batch is full. */
static inline enum stop vixl_decoder_line(struct vixl_decoder *decoder, const char *p, size_t n)
{
	struct vixl_line line;
	uint64_t off = kit_offset_of(&decoder->ss->bytes, p);
	vixl_parse(p, n, &line, &decoder->worker->plain);
	if (line.kind == VIXL_INSN && !decoder->states_only) {
		if (decoder->cur) {
			vixl_decoder_end_slot(decoder, line.masked & VIXL_MASKED_ADDR ? NULL : &line.addr);
			if (is_full(decoder))
				return STOP_FULL;
		}
		if (__builtin_expect(line.prefix != 0, 0))
			text(decoder, p, line.prefix);
		vixl_decoder_instruction(decoder, &line, off + line.prefix);
		decoder->begun = off;
		if (__builtin_expect(decoder->reader->drawing.now.last != 0, 0))
			judge_drawing(decoder, &line, p, n);
		return STOP_WINDOW;
	}
	if (!decoder->cur && may_stop(decoder, p))
		return STOP_FULL;
	if (__builtin_expect(line.prefix != 0, 0))
		text(decoder, p, line.prefix);
	if (vixl_is_register(line.kind))
		decoder_register_line(decoder, &line);
	else
		vixl_decoder_other_line(decoder, &line, p, n - line.returns);
	if (__builtin_expect(decoder->reader->drawing.now.last != 0, 0))
		judge_drawing(decoder, &line, p, n);
	return STOP_WINDOW;
}

static enum stop vixl_decoder_walk(struct vixl_decoder *decoder)
{
	struct text_span *ss = decoder->ss;
	const char *p = ss->bytes.window.p, *const end = ss->bytes.window.end;
	for (const char *e, *next; p < end; p = next) {
		next = text_line_ends(p, end, &e);
		if (decoder->states_only)
			decoder->rows.seq = (uint16_t)(decoder->at->line - decoder->rows.batch->rec0);
		if (vixl_decoder_line(decoder, p, (size_t)(e - p)) == STOP_FULL)
			return STOP_FULL;
		decoder->at->line++;
		ss->bytes.window.p = next;
		decoder->at->off = kit_offset(&ss->bytes);
		if (decoder->cur &&
		    (decoder->flow.elsewhere ||
		     (decoder->flow.branched && decoder->flow.target_known && decoder->flow.target == 0))) {
			vixl_decoder_end_slot(decoder, NULL); /* the run has ended */
			if (is_full(decoder))
				return STOP_FULL;
		}
	}
	return STOP_WINDOW;
}

static int vixl_decoder_fill(struct vixl_decoder *decoder)
{
	struct text_span *ss = decoder->ss;
	while (vixl_decoder_walk(decoder) != STOP_FULL) {
		if (ss->bytes.window.more) {
			int rc = kit_fill(decoder->reader, &ss->bytes);
			if (rc < 0)
				return rc;
			continue;
		}
		const struct vixl_span *of = decoder->span->priv;
		decoder->flow.last = !of->followed;
		if (decoder->cur)
			vixl_decoder_end_slot(decoder, of->peeked ? &of->peek : NULL);
		if (ss->bytes.broken)
			text_damage_event(decoder->reader, decoder->span, &decoder->rows, CAIRN_AFTER,
			                  decoder->at->off, 0, ss->bytes.why);
		text_finish(decoder->reader, decoder->span);
		break;
	}
	return 0;
}

int vixl_decode(struct cairn_reader *reader, struct model_span *span, struct cairn_batch *batch)
{
	struct vixl_span *of = span->priv;
	struct text_span *ss = &of->text;
	const struct vixl_impl *im = reader->impl;
	text_batch_begin(ss, batch, reader->can & (reader->want | CAIRN_ROW_PLACES));
	bool states = vixl_state_only(im);
	struct vixl_decoder decoder = {.reader = reader,
	                               .im = im,
	                               .worker = span->worker,
	                               .span = span,
	                               .ss = ss,
	                               .at = &ss->at,
	                               .onward = &of->onward,
	                               .rows = {.batch = batch, .want = reader->want},
	                               .logged = (im->look.log & VIXL_LOG_BRANCH) != 0,
	                               .states_only = states,
	                               .role = states ? CAIRN_ROLE_DST : CAIRN_ROLE_STATE};
	kit_rows_next(&decoder.rows, true);
	int rc = vixl_decoder_fill(&decoder);
	if (rc < 0)
		return rc;
	if (decoder.lines)
		decoder_end_group(&decoder);
	vixl_decoder_report_dropped(&decoder);
	model_batch_close(batch, decoder.rows.reg0, decoder.rows.mem0, decoder.rows.ev0, 0);
	batch->insns[batch->n_insns].isa = CAIRN_ISA_A64;
	return !ss->finished || !model_batch_empty(batch);
}
