/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A state as text and as JSON. Unknown values are left out, and unknown digits are '?': every
 * digit that is printed comes from the trace, or follows from it and is marked.
 */
#include "export/json.h"

#include "cairn/export.h"

enum { NAME_WIDTH = 14, ROW = 16, MOST_ROWS = 1 << 12 };

struct show {
	struct cairn_state_show show;
	const struct cairn_state *state;
	struct base_buf *out;
	struct jout json;
};

static const char *space_name(const struct cairn_space *space)
{
	static const char *const names[] = {"virtual", "pid", "asid", "physical"};
	return space->kind < sizeof names / sizeof *names ? names[space->kind] : names[0];
}

/* ---- registers ---- */

static uint8_t byte_at(uint64_t low, const uint8_t *wide, size_t index)
{
	if (wide)
		return wide[index];
	return (uint8_t)(low >> 8 * index);
}

/* Digits from the highest to the lowest, '?' where a bit of one is not known. */
static char *put_digits(char *p, const struct cairn_state_reg *reg)
{
	static const char hex[] = "0123456789abcdef";
	for (size_t k = ((size_t)reg->bits + 3) / 4; k-- > 0;) {
		unsigned v = byte_at(reg->value, reg->wide, k / 2) >> (k & 1 ? 4 : 0) & 15;
		unsigned known = byte_at(reg->known, reg->wide_known, k / 2) >> (k & 1 ? 4 : 0) & 15;
		unsigned want = reg->bits - 4 * k >= 4 ? 15 : (1u << (reg->bits - 4 * k)) - 1;
		*p++ = (known & want) == want ? hex[v] : '?';
	}
	return p;
}

static int text_reg(const struct show *show, const struct cairn_state_reg *state_reg)
{
	char name[32], abi[32];
	const char *reg = cairn_reg_name(show->show.isa, state_reg->cls, state_reg->num, name);
	const char *other = cairn_reg_abi_name(show->show.isa, state_reg->cls, state_reg->num, abi);
	char *p = text_open(show->out, 128 + strlen(reg) + strlen(other) + (size_t)state_reg->bits / 4);
	if (!p)
		return CAIRN_E_NOMEM;
	p = text_spaces(p, 2);
	char *from = p;
	p = text_put(p, reg, strlen(reg));
	if (strcmp(reg, other) != 0) {
		*p++ = ' ';
		p = text_put(p, other, strlen(other));
	}
	p = TEXT_LIT(text_pad(p, from, NAME_WIDTH, 1), "0x");
	from = p;
	p = text_pad(put_digits(p, state_reg), from, ROW, 0);
	p = text_dec(text_spaces(p, 2), state_reg->told);
	if (state_reg->derived)
		p = TEXT_LIT(p, " (derived)");
	return text_end_line(show->out, p);
}

static void json_number(struct jout *json, const struct cairn_state_reg *reg, bool mask)
{
	const uint8_t *wide = mask ? reg->wide_known : reg->wide;
	uint64_t low = mask ? reg->known : reg->value;
	if (wide)
		jout_wide(json, wide, ((size_t)reg->bits + 7) / 8);
	else
		jout_hex(json, low, (reg->bits + 3) / 4);
}

static void json_reg(struct jout *json, const struct show *show, const struct cairn_state_reg *reg)
{
	char name[32];
	jout_object(json);
	JSON_PUT(json, "cpu", u64_if, !(reg->hart == CAIRN_NO_HART), reg->hart);
	JSON_PUT(json, "name", text, cairn_reg_name(show->show.isa, reg->cls, reg->num, name));
	JSON_PUT(json, "bits", u64, reg->bits);
	JSON_KEY(json, "value");
	if (reg->whole)
		json_number(json, reg, false);
	else
		jout_null(json);
	JSON_KEY(json, "known");
	json_number(json, reg, true);
	JSON_KEY(json, "partial");
	if (reg->whole)
		jout_null(json);
	else
		json_number(json, reg, false);
	JSON_PUT(json, "told", u64, reg->told);
	if (reg->derived)
		JSON_PUT(json, "derived", bool, 1);
	jout_object_end(json);
}

static int state_put_regs(struct show *show)
{
	struct cairn *cairn = show->out->cairn;
	int64_t n = cairn_state_regs(show->state, NULL, 0);
	if (n < 0)
		return (int)n;
	struct cairn_state_reg *regs = base_alloc(cairn, ((size_t)n + 1) * sizeof *regs);
	int rc = regs ? 0 : CAIRN_E_NOMEM;
	if (regs)
		n = cairn_state_regs(show->state, regs, (size_t)n);
	for (int64_t i = 0; i < n && rc >= 0; i++) {
		bool first = i == 0 || regs[i].hart != regs[i - 1].hart;
		if (show->show.json)
			json_reg(&show->json, show, &regs[i]);
		else if (first && regs[i].hart != CAIRN_NO_HART)
			rc = base_buf_printf(show->out, "CPU %u\n", regs[i].hart);
		else if (first && i == 0)
			rc = base_buf_printf(show->out, "REGISTERS\n");
		if (rc >= 0 && !show->show.json)
			rc = text_reg(show, &regs[i]);
	}
	base_free(cairn, regs);
	return rc;
}

/* ---- memory ---- */

static int text_space(const struct show *show, const struct cairn_space *space)
{
	if (space->kind == CAIRN_SPACE_ONE)
		return base_buf_printf(show->out, "MEMORY\n");
	if (space->kind == CAIRN_SPACE_PHYSICAL)
		return base_buf_printf(show->out, "MEMORY physical\n");
	return base_buf_printf(show->out, "MEMORY %s=%u\n", space_name(space), space->id);
}

/* Sixteen bytes, or more. */
struct row {
	const uint8_t *bytes, *known, *derived;
};

/* Which of sixteen bytes are derived: all that are known, or those from … to (last digits of their addresses). */
static char *put_derived_bytes(char *p, const struct row *row, uint32_t shown)
{
	static const char hex[] = "0123456789abcdef";
	uint32_t known = 0, derived = 0;
	for (unsigned i = 0; i < ROW; i++) {
		known |= (shown >> i & (uint32_t)(row->known[i] != 0)) << i;
		derived |= (shown >> i & (uint32_t)(row->derived[i] != 0)) << i;
	}
	if (!derived)
		return p;
	p = TEXT_LIT(p, " (derived");
	for (unsigned i = 0; i < ROW && derived != known; i++) {
		unsigned from = i;
		if (!(derived >> i & 1))
			continue;
		while (derived >> (i + 1) & 1)
			i++;
		*p++ = ' ';
		*p++ = hex[from];
		if (i > from) {
			p = TEXT_LIT(p, "..");
			*p++ = hex[i];
		}
	}
	return TEXT_LIT(p, ")");
}

/* Print sixteen bytes; `shown`: which of them belong here. */
static int text_bytes16(const struct show *show, uint64_t addr, const struct row *row,
                        uint32_t shown)
{
	const uint8_t *bytes = row->bytes, *known = row->known;
	char *p = text_open(show->out, 192);
	if (!p)
		return CAIRN_E_NOMEM;
	p = text_0x(text_spaces(p, 2), addr, 16);
	*p++ = ' ';
	for (uint32_t left = shown; left; left >>= 1) {
		*p++ = ' ';
		if (!(left & 1))
			p = text_spaces(p, 2);
		else if (*known)
			p = text_bytes(p, bytes, 1);
		else
			p = TEXT_LIT(p, "??");
		bytes++;
		known++;
	}
	return text_end_line(show->out, put_derived_bytes(p, row, shown));
}

/* A run of known bytes of one space, put together from pieces. */
struct piece_run {
	struct cairn_space space;
	uint64_t addr;
	bool derived;
	struct base_buf bytes;
};

static void json_run(struct jout *json, struct piece_run *run)
{
	if (run->bytes.len == 0)
		return;
	bool numbered = run->space.kind == CAIRN_SPACE_PID || run->space.kind == CAIRN_SPACE_ASID;
	jout_object(json);
	JSON_PUT(json, "space", text, space_name(&run->space));
	JSON_PUT(json, "id", u64_if, numbered, run->space.id);
	JSON_PUT(json, "addr", hex, run->addr, 16);
	JSON_PUT(json, "bytes", bytes, run->bytes.data, run->bytes.len);
	if (run->derived)
		JSON_PUT(json, "derived", bool, 1);
	jout_object_end(json);
	run->bytes.len = 0;
}

static int json_byte(struct jout *json, struct piece_run *run,
                     const struct cairn_state_block *block, unsigned index, bool derived)
{
	const struct cairn_space *space = &block->space;
	uint64_t addr = block->addr + index;
	if (run->bytes.len && (addr != run->addr + run->bytes.len || run->derived != derived ||
	                       run->space.id != space->id || run->space.kind != space->kind ||
	                       run->space.vmid != space->vmid))
		json_run(json, run);
	if (run->bytes.len == 0) {
		run->space = *space;
		run->addr = addr;
		run->derived = derived;
	}
	return base_buf_put(&run->bytes, &block->bytes[index], 1);
}

/* What lies in [first, last] of a piece of 64 bytes. */
static int state_put_block(struct show *show, struct piece_run *run,
                           const struct cairn_state_block *block, uint64_t first, uint64_t last)
{
	uint8_t known[64], derived[64];
	int rc = 0;
	cairn_state_memory_derived(show->state, block->space, block->addr, sizeof derived, derived);
	for (unsigned i = 0; i < 64; i++) {
		known[i] = (block->known >> i & 1) && block->addr + i >= first && block->addr + i <= last;
		if (known[i] && show->show.json && rc >= 0)
			rc = json_byte(&show->json, run, block, i, derived[i]);
	}
	for (unsigned i = 0; i < 64 && rc >= 0 && !show->show.json; i += ROW) {
		const struct row row = {block->bytes + i, known + i, derived + i};
		if (memchr(known + i, 1, ROW))
			rc = text_bytes16(show, block->addr + i, &row, 0xffff);
	}
	return rc;
}

static bool in_space(const struct cairn_state_range *range, const struct cairn_state_block *block)
{
	return !range ||
	       (range->space.kind == block->space.kind && range->space.id == block->space.id &&
	        range->space.vmid == block->space.vmid && block->addr <= range->last &&
	        block->addr + 63 >= range->first);
}

/* Print all that is known, or what is known of a range. */
static int put_blocks(struct show *show, struct piece_run *run,
                      const struct cairn_state_range *range)
{
	struct cairn *cairn = show->out->cairn;
	int64_t n = cairn_state_blocks(show->state, NULL, 0);
	if (n < 0)
		return (int)n;
	struct cairn_state_block *block = base_alloc(cairn, ((size_t)n + 1) * sizeof *block);
	int rc = block ? 0 : CAIRN_E_NOMEM;
	if (block)
		n = cairn_state_blocks(show->state, block, (size_t)n);
	for (int64_t i = 0; i < n && rc >= 0; i++) {
		bool first = i == 0 || block[i].space.kind != block[i - 1].space.kind ||
		             block[i].space.id != block[i - 1].space.id ||
		             block[i].space.vmid != block[i - 1].space.vmid;
		if (!in_space(range, &block[i]))
			continue;
		if (first && !range && !show->show.json)
			rc = text_space(show, &block[i].space);
		if (rc >= 0)
			rc = state_put_block(show, run, &block[i], range ? range->first : 0,
			                     range ? range->last : UINT64_MAX);
	}
	base_free(cairn, block);
	return rc;
}

/* A short range is shown together with what is not known of it. */
static int text_range(struct show *show, const struct cairn_state_range *range)
{
	uint8_t bytes[ROW], known[ROW], derived[ROW];
	const struct row row = {bytes, known, derived};
	uint64_t addr = range->first & ~(uint64_t)(ROW - 1);
	int rc = text_space(show, &range->space);
	for (; rc >= 0; addr += ROW) {
		uint32_t shown = 0;
		for (unsigned i = 0; i < ROW; i++)
			shown |= (uint32_t)(addr + i >= range->first && addr + i <= range->last) << i;
		cairn_state_memory(show->state, range->space, addr, ROW, bytes, known);
		cairn_state_memory_derived(show->state, range->space, addr, ROW, derived);
		rc = text_bytes16(show, addr, &row, shown);
		if (range->last - addr < ROW)
			break;
	}
	return rc;
}

static int put_memory(struct show *show)
{
	struct piece_run run = {{0}};
	base_buf_init(&run.bytes, show->out->cairn);
	int rc = show->show.n_ranges ? 0 : put_blocks(show, &run, NULL);
	for (size_t i = 0; i < show->show.n_ranges && rc >= 0; i++) {
		const struct cairn_state_range *range = &show->show.ranges[i];
		if (!show->show.json && (range->last - range->first) / ROW < MOST_ROWS)
			rc = text_range(show, range);
		else
			rc = put_blocks(show, &run, range);
		if (show->show.json)
			json_run(&show->json, &run);
	}
	if (show->show.json)
		json_run(&show->json, &run);
	base_buf_free(&run.bytes);
	return rc;
}

/* ---- both ---- */

static int put_json(struct show *show)
{
	struct jout *json = &show->json;
	int rc = 0;
	jout_init(json, show->out, true);
	jout_object(json);
	JSON_PUT(json, "n", u64, show->show.n);
	JSON_PUT(json, "when", text, show->show.after ? "after" : "before");
	if (show->show.regs) {
		JSON_KEY(json, "registers");
		jout_array(json);
		rc = state_put_regs(show);
		jout_array_end(json);
	}
	if (show->show.memory && rc >= 0) {
		JSON_KEY(json, "memory");
		jout_array(json);
		rc = put_memory(show);
		jout_array_end(json);
	}
	jout_object_end(json);
	jout_end(json);
	return rc < 0 ? rc : json->status;
}

int cairn_text_state(struct cairn_text *text, const struct cairn_state *state,
                     const struct cairn_state_show *show)
{
	struct show w = {.state = state, .out = &text->buf};
	int rc = base_options(text->buf.cairn, &w.show, sizeof w.show, show, "state options");
	if (rc >= 0 && w.show.json)
		return put_json(&w);
	if (rc >= 0)
		rc = base_buf_printf(w.out, "STATE %s %llu\n", w.show.after ? "after" : "before",
		                     (unsigned long long)w.show.n);
	if (rc >= 0 && w.show.regs)
		rc = state_put_regs(&w);
	return rc < 0 || !w.show.memory ? rc : put_memory(&w);
}
