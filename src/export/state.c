/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A state as text and as JSON. What is not known is not there, or a '?' in its place: no
 * digit is ever printed that the trace did not tell.
 */
#include "export/json.h"

#include "cairn/export.h"

enum { NAME_WIDTH = 14, ROW = 16, MOST_ROWS = 1 << 12 };

struct show {
	struct cairn_state_show o;
	const struct cairn_state *s;
	struct base_buf *out;
	struct jout j;
};

static const char *space_name(const struct cairn_space *s)
{
	static const char *const names[] = {"virtual", "pid", "asid", "physical"};
	return s->kind < sizeof names / sizeof *names ? names[s->kind] : names[0];
}

/* ---- registers ---- */

static uint8_t byte_at(uint64_t low, const uint8_t *wide, size_t i)
{
	if (wide)
		return wide[i];
	return (uint8_t)(low >> 8 * i);
}

/* Digits from the highest to the lowest, '?' where a bit of one is not known. */
static char *put_digits(char *p, const struct cairn_state_reg *r)
{
	static const char hex[] = "0123456789abcdef";
	for (size_t k = ((size_t)r->bits + 3) / 4; k-- > 0;) {
		unsigned v = byte_at(r->value, r->wide, k / 2) >> (k & 1 ? 4 : 0) & 15;
		unsigned known = byte_at(r->known, r->wide_known, k / 2) >> (k & 1 ? 4 : 0) & 15;
		unsigned want = r->bits - 4 * k >= 4 ? 15 : (1u << (r->bits - 4 * k)) - 1;
		*p++ = (known & want) == want ? hex[v] : '?';
	}
	return p;
}

static int text_reg(const struct show *w, const struct cairn_state_reg *r)
{
	char name[32], abi[32];
	const char *reg = cairn_reg_name(w->o.isa, r->cls, r->num, name);
	const char *other = cairn_reg_abi_name(w->o.isa, r->cls, r->num, abi);
	char *p = text_open(w->out, 128 + strlen(reg) + strlen(other) + (size_t)r->bits / 4);
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
	p = text_pad(put_digits(p, r), from, ROW, 0);
	p = text_dec(text_spaces(p, 2), r->told);
	*p++ = '\n';
	text_close(w->out, p);
	return 0;
}

static void json_number(struct jout *j, const struct cairn_state_reg *r, bool mask)
{
	const uint8_t *wide = mask ? r->wide_known : r->wide;
	uint64_t low = mask ? r->known : r->value;
	if (wide)
		jout_wide(j, wide, ((size_t)r->bits + 7) / 8);
	else
		jout_hex(j, low, (r->bits + 3) / 4);
}

static void json_reg(struct jout *j, const struct show *w, const struct cairn_state_reg *r)
{
	char name[32];
	jout_object(j);
	JSON_KEY(j, "cpu");
	if (r->hart == CAIRN_NO_HART)
		jout_null(j);
	else
		jout_u64(j, r->hart);
	JSON_KEY(j, "name");
	jout_text(j, cairn_reg_name(w->o.isa, r->cls, r->num, name));
	JSON_KEY(j, "bits");
	jout_u64(j, r->bits);
	JSON_KEY(j, "value");
	if (r->whole)
		json_number(j, r, false);
	else
		jout_null(j);
	JSON_KEY(j, "known");
	json_number(j, r, true);
	JSON_KEY(j, "partial");
	if (r->whole)
		jout_null(j);
	else
		json_number(j, r, false);
	JSON_KEY(j, "told");
	jout_u64(j, r->told);
	jout_object_end(j);
}

static int state_put_regs(struct show *w)
{
	struct cairn *c = w->out->c;
	int64_t n = cairn_state_regs(w->s, NULL, 0);
	if (n < 0)
		return (int)n;
	struct cairn_state_reg *regs = base_alloc(c, ((size_t)n + 1) * sizeof *regs);
	int rc = regs ? 0 : CAIRN_E_NOMEM;
	if (regs)
		n = cairn_state_regs(w->s, regs, (size_t)n);
	for (int64_t i = 0; i < n && rc >= 0; i++) {
		bool first = i == 0 || regs[i].hart != regs[i - 1].hart;
		if (w->o.json)
			json_reg(&w->j, w, &regs[i]);
		else if (first && regs[i].hart != CAIRN_NO_HART)
			rc = base_buf_printf(w->out, "CPU %u\n", regs[i].hart);
		else if (first && i == 0)
			rc = base_buf_printf(w->out, "REGISTERS\n");
		if (rc >= 0 && !w->o.json)
			rc = text_reg(w, &regs[i]);
	}
	base_free(c, regs);
	return rc;
}

/* ---- memory ---- */

static int text_space(const struct show *w, const struct cairn_space *s)
{
	if (s->kind == CAIRN_SPACE_ONE)
		return base_buf_printf(w->out, "MEMORY\n");
	if (s->kind == CAIRN_SPACE_PHYSICAL)
		return base_buf_printf(w->out, "MEMORY physical\n");
	return base_buf_printf(w->out, "MEMORY %s=%u\n", space_name(s), s->id);
}

/* Sixteen bytes; `shown`: which of them belong here. */
static int text_bytes16(const struct show *w, uint64_t addr, const uint8_t *bytes,
                        const uint8_t *known, uint32_t shown)
{
	char *p = text_open(w->out, 128);
	if (!p)
		return CAIRN_E_NOMEM;
	p = text_0x(text_spaces(p, 2), addr, 16);
	*p++ = ' ';
	while (shown) {
		*p++ = ' ';
		if (!(shown & 1))
			p = text_spaces(p, 2);
		else if (*known)
			p = text_bytes(p, bytes, 1);
		else
			p = TEXT_LIT(p, "??");
		shown >>= 1;
		bytes++;
		known++;
	}
	*p++ = '\n';
	text_close(w->out, p);
	return 0;
}

/* A run of known bytes of one space, put together from pieces. */
struct piece_run {
	struct cairn_space space;
	uint64_t addr;
	struct base_buf bytes;
};

static void json_run(struct jout *j, struct piece_run *run)
{
	if (run->bytes.len == 0)
		return;
	bool numbered = run->space.kind == CAIRN_SPACE_PID || run->space.kind == CAIRN_SPACE_ASID;
	jout_object(j);
	JSON_KEY(j, "space");
	jout_text(j, space_name(&run->space));
	JSON_KEY(j, "id");
	if (numbered)
		jout_u64(j, run->space.id);
	else
		jout_null(j);
	JSON_KEY(j, "addr");
	jout_hex(j, run->addr, 16);
	JSON_KEY(j, "bytes");
	jout_bytes(j, run->bytes.data, run->bytes.len);
	jout_object_end(j);
	run->bytes.len = 0;
}

static int json_byte(struct jout *j, struct piece_run *run, const struct cairn_space *space,
                     uint64_t addr, uint8_t byte)
{
	if (run->bytes.len && (addr != run->addr + run->bytes.len || run->space.id != space->id ||
	                       run->space.kind != space->kind || run->space.vmid != space->vmid))
		json_run(j, run);
	if (run->bytes.len == 0) {
		run->space = *space;
		run->addr = addr;
	}
	return base_buf_put(&run->bytes, &byte, 1);
}

/* What lies in [first, last] of a piece of 64 bytes. */
static int state_put_block(struct show *w, struct piece_run *run, const struct cairn_state_block *b,
                           uint64_t first, uint64_t last)
{
	uint8_t known[64];
	int rc = 0;
	for (unsigned i = 0; i < 64; i++) {
		known[i] = (b->known >> i & 1) && b->addr + i >= first && b->addr + i <= last;
		if (known[i] && w->o.json && rc >= 0)
			rc = json_byte(&w->j, run, &b->space, b->addr + i, b->bytes[i]);
	}
	for (unsigned i = 0; i < 64 && rc >= 0 && !w->o.json; i += ROW)
		if (memchr(known + i, 1, ROW))
			rc = text_bytes16(w, b->addr + i, b->bytes + i, known + i, 0xffff);
	return rc;
}

static bool in_space(const struct cairn_state_range *r, const struct cairn_state_block *b)
{
	return !r || (r->space.kind == b->space.kind && r->space.id == b->space.id &&
	              r->space.vmid == b->space.vmid && b->addr <= r->last && b->addr + 63 >= r->first);
}

/* All that is known, or what is of a range. */
static int put_blocks(struct show *w, struct piece_run *run, const struct cairn_state_range *r)
{
	struct cairn *c = w->out->c;
	int64_t n = cairn_state_blocks(w->s, NULL, 0);
	if (n < 0)
		return (int)n;
	struct cairn_state_block *b = base_alloc(c, ((size_t)n + 1) * sizeof *b);
	int rc = b ? 0 : CAIRN_E_NOMEM;
	if (b)
		n = cairn_state_blocks(w->s, b, (size_t)n);
	for (int64_t i = 0; i < n && rc >= 0; i++) {
		bool first = i == 0 || b[i].space.kind != b[i - 1].space.kind ||
		             b[i].space.id != b[i - 1].space.id || b[i].space.vmid != b[i - 1].space.vmid;
		if (!in_space(r, &b[i]))
			continue;
		if (first && !r && !w->o.json)
			rc = text_space(w, &b[i].space);
		if (rc >= 0)
			rc = state_put_block(w, run, &b[i], r ? r->first : 0, r ? r->last : UINT64_MAX);
	}
	base_free(c, b);
	return rc;
}

/* A short range is shown with what is not known of it. */
static int text_range(struct show *w, const struct cairn_state_range *r)
{
	uint8_t bytes[ROW], known[ROW];
	uint64_t addr = r->first & ~(uint64_t)(ROW - 1);
	int rc = text_space(w, &r->space);
	for (; rc >= 0; addr += ROW) {
		uint32_t shown = 0;
		for (unsigned i = 0; i < ROW; i++)
			shown |= (uint32_t)(addr + i >= r->first && addr + i <= r->last) << i;
		cairn_state_memory(w->s, r->space, addr, ROW, bytes, known);
		rc = text_bytes16(w, addr, bytes, known, shown);
		if (r->last - addr < ROW)
			break;
	}
	return rc;
}

static int put_memory(struct show *w)
{
	struct piece_run run = {{0}};
	base_buf_init(&run.bytes, w->out->c);
	int rc = w->o.n_ranges ? 0 : put_blocks(w, &run, NULL);
	for (size_t i = 0; i < w->o.n_ranges && rc >= 0; i++) {
		const struct cairn_state_range *r = &w->o.ranges[i];
		if (!w->o.json && (r->last - r->first) / ROW < MOST_ROWS)
			rc = text_range(w, r);
		else
			rc = put_blocks(w, &run, r);
		if (w->o.json)
			json_run(&w->j, &run);
	}
	if (w->o.json)
		json_run(&w->j, &run);
	base_buf_free(&run.bytes);
	return rc;
}

/* ---- both ---- */

static int put_json(struct show *w)
{
	struct jout *j = &w->j;
	int rc = 0;
	jout_init(j, w->out, true);
	jout_object(j);
	JSON_KEY(j, "n");
	jout_u64(j, w->o.n);
	JSON_KEY(j, "when");
	jout_text(j, w->o.after ? "after" : "before");
	if (w->o.regs) {
		JSON_KEY(j, "registers");
		jout_array(j);
		rc = state_put_regs(w);
		jout_array_end(j);
	}
	if (w->o.memory && rc >= 0) {
		JSON_KEY(j, "memory");
		jout_array(j);
		rc = put_memory(w);
		jout_array_end(j);
	}
	jout_object_end(j);
	jout_end(j);
	return rc < 0 ? rc : j->status;
}

int cairn_text_state(struct cairn_text *t, const struct cairn_state *s,
                     const struct cairn_state_show *show)
{
	struct show w = {.s = s, .out = &t->buf};
	if (show->size > sizeof w.o)
		return base_fail(t->buf.c, CAIRN_E_INVAL, "state options of a newer library");
	memcpy(&w.o, show, show->size);
	if (w.o.json)
		return put_json(&w);
	int rc = base_buf_printf(w.out, "STATE %s %llu\n", w.o.after ? "after" : "before",
	                         (unsigned long long)w.o.n);
	if (rc >= 0 && w.o.regs)
		rc = state_put_regs(&w);
	return rc < 0 || !w.o.memory ? rc : put_memory(&w);
}
