/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of a program's state at a place of its trace: the last value of each
 * register, and the last walk of each page.
 *
 * A register is known from any record that names it: STATE and SOURCE values are those
 * before an instruction, a DEST value is its result, which counts whatever order the
 * group's records have, unless an event stopped the instruction: then nobody knows. Nor does
 * anybody know what its encoding says is written and no DEST value tells (isa/written.h), or
 * what registers held before somebody else ran. A page's walk lives until another walk of the same page in the
 * same address space. Each of these is told or not: a slice tells what it knows and the
 * output does not have yet, and no more than that.
 */
#include <string.h>

#include "base/bytes.h"
#include "formats/stf/change.h"

enum {
	FIRST_FP = STF_CARRIED_INT,
	FIRST_VEC = FIRST_FP + STF_CARRIED_FP,
	FIRST_CSR = FIRST_VEC + STF_CARRIED_VEC
};

int stf_carried_new(struct cairn *c, const struct cairn_stf_config *cfg, struct stf_carried **out)
{
	struct stf_carried *k = base_alloc(c, sizeof *k);
	if (!k)
		return CAIRN_E_NOMEM;
	k->c = c;
	k->cfg = cfg;
	base_buf_init(&k->bytes, c);
	k->memo = isa_written_memo_new(c);
	if (!k->memo) {
		stf_carried_free(k);
		return CAIRN_E_NOMEM;
	}
	*out = k;
	return 0;
}

void stf_carried_free(struct stf_carried *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->n_harts; i++) {
		for (unsigned v = 0; v < STF_CARRIED_VEC; v++)
			base_free(k->c, k->harts[i]->vectors[v]);
		base_free(k->c, k->harts[i]);
	}
	base_free(k->c, k->walks);
	base_free(k->c, k->table);
	if (k->tellings)
		base_map_free(k->tellings);
	base_free(k->c, k->tellings);
	base_buf_free(&k->bytes);
	isa_written_memo_free(k->memo);
	base_free(k->c, k);
}

void stf_carried_forget(struct stf_carried *k)
{
	for (size_t i = 0; i < k->n_harts; i++) {
		struct stf_regs *r = k->harts[i];
		memset(r->have, 0, sizeof r->have);
		memset(r->told, 0, sizeof r->told);
		memset(r->set_by, 0, sizeof r->set_by);
		memset(r->told_by, 0, sizeof r->told_by);
		r->n_have = r->untold = 0;
	}
	if (k->table)
		memset(k->table, 0, k->cap_table * sizeof *k->table);
	k->n_walks = k->untold = 0;
	k->aborted = k->writer = k->events = k->jumped = 0;
	k->bytes.len = 0;
}

void stf_carried_untell(struct stf_carried *k)
{
	stf_carried_untell_regs(k);
	for (size_t i = 0; i < k->n_walks; i++) {
		k->untold += k->walks[i].told;
		k->walks[i].told = false;
	}
}

/* Clear `told` only when the hart runs: untelling all harts at each seam would cost too much. */
static void refresh(struct stf_regs *regs)
{
	if (regs && regs->stale)
		memset(regs->told, 0, sizeof regs->told);
	if (regs)
		regs->stale = false;
}

void stf_carried_untell_regs(struct stf_carried *k)
{
	for (size_t i = 0; i < k->n_harts; i++) {
		struct stf_regs *r = k->harts[i];
		k->untold += r->n_have - r->untold;
		r->untold = r->n_have;
		r->stale = true;
	}
	refresh(k->regs);
}

int stf_carried_output(struct stf_carried *known, uint64_t output)
{
	if (!known->tellings) {
		known->tellings = base_alloc(known->c, sizeof *known->tellings);
		if (!known->tellings)
			return CAIRN_E_NOMEM;
		base_map_init(known->tellings, known->c, 1);
	}
	known->output = output;
	return 0;
}

/* ---- harts ---- */

/* The registers of a hart, made if need be; NULL in *out when there are too many harts
 * to keep them all. */
static int regs_of(struct stf_carried *k, uint32_t hart, struct stf_regs **out)
{
	*out = NULL;
	for (size_t i = 0; i < k->n_harts; i++)
		if (k->harts[i]->hart == hart) {
			*out = k->harts[i];
			refresh(*out);
			return 0;
		}
	/* What ran before anything told who, was this one. */
	if (k->n_harts == 1 && k->harts[0]->hart == STF_NO_HART) {
		*out = k->harts[0];
		(*out)->hart = hart;
		return 0;
	}
	if (k->n_harts == STF_CARRIED_HARTS)
		return 0;
	struct stf_regs *r = base_alloc(k->c, sizeof *r);
	if (!r)
		return CAIRN_E_NOMEM;
	r->hart = hart;
	k->harts[k->n_harts++] = r;
	*out = r;
	return 0;
}

int stf_carried_run(struct stf_carried *k, const struct cairn_ctx *ctx, uint64_t n)
{
	uint32_t hart = ctx->known & CAIRN_CTX_HW_TID ? ctx->hw_tid : STF_NO_HART;
	if (k->regs && k->regs->hart == hart)
		return 0;
	k->switched = n;
	return regs_of(k, hart, &k->regs);
}

/* ---- registers ---- */

/* The place of a register, or -1: no class or number STF knows. */
static int carried_slot_of(unsigned cls, unsigned num)
{
	switch (cls) {
	case CAIRN_REG_INT:
		return num < STF_CARRIED_INT ? (int)num : -1;
	case CAIRN_REG_FP:
		return num < STF_CARRIED_FP ? FIRST_FP + (int)num : -1;
	case CAIRN_REG_VECTOR:
		return num < STF_CARRIED_VEC ? FIRST_VEC + (int)num : -1;
	case CAIRN_REG_CSR:
		return num < STF_CARRIED_CSR ? FIRST_CSR + (int)num : -1;
	default:
		return -1;
	}
}

static void carried_set(struct stf_carried *k, struct stf_regs *r, int i, uint64_t value, bool told)
{
	/* A value that is told already need not be told again. */
	bool vector = i >= FIRST_VEC && i < FIRST_CSR;
	if (!told && !vector && r->have[i] && r->told[i] && r->value[i] == value)
		return;
	bool was = r->have[i] && !r->told[i];
	r->value[i] = value;
	r->n_have += !r->have[i];
	r->have[i] = 1;
	r->told[i] = told;
	if (was != !told) {
		r->untold += told ? -1u : 1u;
		k->untold += told ? (size_t)-1 : 1;
	}
}

static int take_vector(struct stf_carried *k, const uint8_t *p, unsigned num)
{
	size_t n = 8 * (size_t)stf_vector_words(k->cfg);
	uint8_t **v = &k->regs->vectors[num];
	if (!*v) /* one by one: each is as long as the header says */
		*v = base_alloc(k->c, n);
	if (!*v)
		return CAIRN_E_NOMEM;
	memcpy(*v, p + 4, n);
	return 0;
}

/* Not known any more: what an instruction that was stopped would have written. */
static void unset(struct stf_carried *k, struct stf_regs *r, int i)
{
	if (r->have[i] && !r->told[i]) {
		r->untold--;
		k->untold--;
	}
	r->n_have -= r->have[i];
	r->have[i] = r->told[i] = 0;
}

static void carried_note_written(struct stf_carried *k, int i, uint64_t n)
{
	if (k->writer != n)
		k->n_written = 0;
	k->writer = n;
	if (k->n_written < sizeof k->written / sizeof *k->written)
		k->written[k->n_written] = (uint16_t)i;
	k->n_written++;
}

static void unset_all(struct stf_carried *k, struct stf_regs *r)
{
	for (int i = 0; i < STF_CARRIED_SLOTS; i++)
		unset(k, r, i);
}

/* An exception or interrupt stops the instruction of its group, a system call does not. What
 * they change of the machine is not known when the group ends. */
static void take_event(struct stf_carried *k, const uint8_t *p, uint64_t n)
{
	unsigned width = k->cfg->event_bits / 8u;
	uint64_t id =
				 stf_event_id(width == 8 ? base_le64(p + 1) : base_le32(p + 1), k->cfg->event_bits),
			 code;
	uint8_t kind = stf_event_kind(stf_isa_is_ours(k->cfg->isa), id, &code);
	struct stf_regs *r = k->regs;
	if (kind < 32) {
		k->event_kinds = (k->events == n ? k->event_kinds : 0) | UINT32_C(1) << kind;
		k->events = n;
	}
	if (!stf_event_stops(stf_isa_is_ours(k->cfg->isa), id))
		return;
	k->aborted = n;
	if (!r || k->writer != n)
		return;
	bool all = k->n_written > sizeof k->written / sizeof *k->written;
	for (int i = 0; i < (all ? (int)STF_CARRIED_SLOTS : (int)k->n_written); i++) {
		int slot = all ? i : k->written[i];
		if (r->set_by[slot] == n)
			unset(k, r, slot);
	}
	k->n_written = 0;
}

/* ---- what is written without being told ---- */

/* The place of a register by cairn's numbers, which STF has its own for beside RISC-V. */
static int stf_carried_place_of(enum cairn_isa isa, unsigned cls, unsigned num)
{
	if (isa == CAIRN_ISA_RV32 || isa == CAIRN_ISA_RV64)
		return carried_slot_of(cls, num);
	const struct stf_bank *bank = stf_bank_of(isa, cls, num);
	return bank ? carried_slot_of(bank->type, bank->number + (num - bank->first)) : -1;
}

/* `n`: but for what this instruction told; 0: all the same. */
static void stf_carried_forget_pieces(struct stf_carried *k, enum cairn_isa isa,
                                      const struct isa_written *w, uint64_t n)
{
	for (unsigned i = 0; i < w->n; i++)
		for (unsigned num = w->reg[i].num; num < (unsigned)w->reg[i].num + w->reg[i].count; num++) {
			int at = stf_carried_place_of(isa, w->reg[i].cls, num);
			if (at >= 0 && k->regs->have[at] && (!n || k->regs->set_by[at] != n))
				unset(k, k->regs, at);
		}
}

/* What is told of other names of the registers that instruction `n` told of. */
static void carried_forget_aliases(struct stf_carried *k, enum cairn_isa isa, uint64_t n)
{
	static const struct {
		int first, end;
		uint8_t cls;
	} banks[] = {{FIRST_FP, FIRST_VEC, CAIRN_REG_FP},
	             {FIRST_VEC, FIRST_CSR, CAIRN_REG_VECTOR},
	             {FIRST_CSR, STF_CARRIED_SLOTS, CAIRN_REG_CSR}};
	bool all = k->n_written > sizeof k->written / sizeof *k->written;
	for (int i = 0; i < (all ? (int)STF_CARRIED_SLOTS : (int)k->n_written); i++) {
		int slot = all ? i : k->written[i];
		for (unsigned b = 0; b < 3 && k->regs->set_by[slot] == n; b++) {
			struct isa_written w = {.n = 0};
			if (slot < banks[b].first || slot >= banks[b].end)
				continue;
			unsigned cls = banks[b].cls, num = (unsigned)(slot - banks[b].first);
			const struct stf_bank *own = stf_bank_at(isa, cls, num);
			isa_aliases(isa, own ? own->cls : cls, own ? own->first + (num - own->number) : num,
			            &w);
			stf_carried_forget_pieces(k, isa, &w, n);
		}
	}
}

/* A register takes over what is known of another, told as that was not. */
static void carried_move(struct stf_carried *k, int to, int from)
{
	struct stf_regs *r = k->regs;
	unset(k, r, to);
	if (r->have[from])
		carried_set(k, r, to, r->value[from], false);
	unset(k, r, from);
}

static void stf_carried_turn_window(struct stf_carried *k, bool next)
{
	enum { OUTS = 8, INS = 24 };
	for (int i = 0; i < 8; i++) {
		carried_move(k, (next ? INS : OUTS) + i, (next ? OUTS : INS) + i);
		unset(k, k->regs, 16 + i);
	}
}

/* DEST values of the group that a turn of the window would move. */
static void stf_carried_forget_written(struct stf_carried *k, enum cairn_isa isa,
                                       const struct isa_written *w, uint64_t n)
{
	struct stf_regs *r = k->regs;
	uint64_t value[32];
	bool told[32], have[32];
	for (int i = 0; i < 32 && w->window; i++) {
		have[i] = r->have[i] && r->set_by[i] == n;
		value[i] = r->value[i];
		told[i] = r->told[i];
		if (have[i]) /* of the window that comes: back below */
			unset(k, r, i);
	}
	if (w->window)
		stf_carried_turn_window(k, w->window > 0);
	for (int i = 0; i < 32 && w->window; i++)
		if (have[i])
			carried_set(k, r, i, value[i], told[i]);
	stf_carried_forget_pieces(k, isa, w, n);
	if (!w->told && (k->writer != n || !k->n_written))
		unset_all(k, r);
}

/* Anything may have run before instruction `n`: what its own group tells counts. */
static void jump(struct stf_carried *k, uint64_t n)
{
	struct stf_regs *r = k->regs;
	for (int i = 0; i < STF_CARRIED_SLOTS; i++)
		if (r->told_by[i] != n)
			unset(k, r, i);
}

void stf_carried_jump(struct stf_carried *k)
{
	if (k->regs)
		unset_all(k, k->regs);
}

void stf_carried_ran(struct stf_carried *k, enum cairn_isa isa, const uint8_t *marker, uint64_t n)
{
	bool wide = *marker == CAIRN_STF_INST_32;
	k->isa = (uint8_t)isa;
	if (!k->regs || (!wide && *marker != CAIRN_STF_INST_16))
		return;
	if (k->jumped == n && k->switched != n)
		jump(k, n);
	if (k->aborted != n)
		stf_carried_forget_written(
			k, isa,
			isa_written_get(k->memo, stf_variant(k->cfg, isa),
		                    wide ? base_le32(marker + 1) : base_le16(marker + 1), wide ? 4 : 2),
			n);
	if (k->writer == n)
		carried_forget_aliases(k, isa, n);
	for (unsigned kind = 0; k->events == n && kind < 32; kind++) {
		struct isa_written w;
		if (!(k->event_kinds >> kind & 1))
			continue;
		isa_event_written(isa, (enum cairn_event_kind)kind, &w);
		stf_carried_forget_pieces(k, isa, &w, 0);
	}
}

static int take_reg(struct stf_carried *k, const uint8_t *p, uint64_t n, bool told)
{
	unsigned cls = p[3] & 15, role = p[3] >> 4, num = base_le16(p + 1);
	int i = carried_slot_of(cls, num);
	struct stf_regs *r = k->regs;
	if (i < 0 || !r)
		return 0;
	r->told_by[i] = n;
	if (role == CAIRN_ROLE_SRC && (k->wrong >> cls & 1))
		return 0;
	const struct stf_bank *own = stf_bank_at((enum cairn_isa)k->isa, cls, num);
	if (isa_is_volatile((enum cairn_isa)k->isa, own ? own->cls : cls,
	                    own ? own->first + (num - own->number) : num)) {
		if (role == CAIRN_ROLE_DST)
			unset(k, r, i);
		return 0;
	}
	if (role == CAIRN_ROLE_DST) {
		r->set_by[i] = n;
		if (k->aborted == n) {
			unset(k, r, i);
			return 0;
		}
		carried_note_written(k, i, n);
	} else if (r->set_by[i] == n)
		return 0;
	int rc = cls == CAIRN_REG_VECTOR ? take_vector(k, p, num) : 0;
	if (rc >= 0)
		carried_set(k, r, i, base_le64(p + 4), told);
	return rc;
}

static int set_vector(struct stf_carried *k, struct stf_regs *r, const struct cairn_state_reg *reg)
{
	size_t n = 8 * (size_t)stf_vector_words(k->cfg);
	uint8_t **v = &r->vectors[reg->num], word[8];
	base_put_le64(word, reg->value);
	if (reg->bits != (k->cfg->vlen ? k->cfg->vlen : 64) || n == 0)
		return 0;
	if (!*v)
		*v = base_alloc(k->c, n);
	if (!*v)
		return CAIRN_E_NOMEM;
	memset(*v, 0, n);
	memcpy(*v, reg->wide ? reg->wide : word, ((size_t)reg->bits + 7) / 8);
	return 1;
}

int stf_carried_set(struct stf_carried *k, uint32_t hart, const struct cairn_state_reg *reg)
{
	struct stf_regs *r;
	int i = carried_slot_of(reg->cls, reg->num), rc = regs_of(k, hart, &r);
	if (rc < 0 || !r || i < 0 || !reg->whole)
		return rc;
	rc = reg->cls == CAIRN_REG_VECTOR ? set_vector(k, r, reg) : 1;
	if (rc > 0)
		carried_set(k, r, i, reg->value, false);
	return rc;
}

bool stf_carried_value(const struct stf_carried *k, unsigned cls, unsigned num, uint64_t *value)
{
	int i = cls == CAIRN_REG_VECTOR ? -1 : carried_slot_of(cls, num);
	if (i < 0 || !k->regs || !k->regs->have[i])
		return false;
	*value = k->regs->value[i];
	return true;
}

unsigned stf_carried_count(const struct stf_carried *k, enum cairn_reg_class cls)
{
	static const int from[] = {0, 0, FIRST_FP, FIRST_VEC, FIRST_CSR, STF_CARRIED_SLOTS};
	unsigned n = 0;
	/* The PC among the integer registers does not count as one. */
	int end = cls == CAIRN_REG_INT ? 32 : from[cls + 1];
	for (int i = from[cls]; k->regs && i < end; i++)
		n += k->regs->have[i];
	return n;
}

static int stf_carried_report_slot(const struct stf_carried *k, int i, struct base_buf *out)
{
	uint8_t rec[STF_LEN_INST_REG + 8] = {CAIRN_STF_INST_REG};
	int first = i < FIRST_FP ? 0 : i < FIRST_VEC ? FIRST_FP : i < FIRST_CSR ? FIRST_VEC : FIRST_CSR;
	unsigned cls = i < FIRST_FP    ? CAIRN_REG_INT
	               : i < FIRST_VEC ? CAIRN_REG_FP
	               : i < FIRST_CSR ? CAIRN_REG_VECTOR
	                               : CAIRN_REG_CSR;
	base_put_le16(rec + 1, (uint16_t)(i - first));
	rec[3] = (uint8_t)(cls | CAIRN_ROLE_STATE << 4);
	base_put_le64(rec + 4, k->regs->value[i]);
	if (cls != CAIRN_REG_VECTOR)
		return base_buf_put(out, rec, sizeof rec);
	int rc = base_buf_put(out, rec, STF_LEN_INST_REG);
	return rc < 0 ? rc
	              : base_buf_put(out, k->regs->vectors[i - first],
	                             8 * (size_t)stf_vector_words(k->cfg));
}

int stf_carried_tell(struct stf_carried *k, struct base_buf *out)
{
	struct stf_regs *r = k->regs;
	int rc = 0;
	for (int i = 0; r && r->untold && i < STF_CARRIED_SLOTS && rc >= 0; i++) {
		if (!r->have[i] || r->told[i])
			continue;
		r->told[i] = 1;
		r->untold--;
		k->untold--;
		/* The PC has a record of its own. */
		if (i != 32)
			rc = stf_carried_report_slot(k, i, out);
	}
	return rc;
}

/* ---- page walks ---- */

static size_t carried_hash(uint64_t space, uint64_t page, uint64_t size)
{
	uint64_t h = (page / size + space * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
	return (size_t)((h ^ size) ^ h >> 32);
}

static struct stf_page_walk *carried_find(const struct stf_carried *k, uint64_t space,
                                          uint64_t page, uint64_t size)
{
	size_t i = carried_hash(space, page, size);
	for (; k->cap_table; i++) {
		uint32_t at = k->table[i & (k->cap_table - 1)];
		if (!at)
			return NULL;
		struct stf_page_walk *w = &k->walks[at - 1];
		if (w->space == space && w->page == page && w->size == size)
			return w;
	}
	return NULL;
}

static void carried_enter(struct stf_carried *k, size_t which)
{
	const struct stf_page_walk *w = &k->walks[which];
	size_t i = carried_hash(w->space, w->page, w->size);
	while (k->table[i & (k->cap_table - 1)])
		i++;
	k->table[i & (k->cap_table - 1)] = (uint32_t)which + 1;
}

static int carried_grow(struct stf_carried *k)
{
	size_t cap = k->cap_walks ? 2 * k->cap_walks : 64;
	struct stf_page_walk *w = base_realloc(k->c, k->walks, cap * sizeof *w);
	if (!w)
		return CAIRN_E_NOMEM;
	k->walks = w;
	k->cap_walks = cap;
	uint32_t *t = base_alloc(k->c, 2 * cap * sizeof *t);
	if (!t)
		return CAIRN_E_NOMEM;
	base_free(k->c, k->table);
	k->table = t;
	k->cap_table = 2 * cap;
	for (size_t i = 0; i < k->n_walks; i++)
		carried_enter(k, i);
	return 0;
}

static void note_size(struct stf_carried *k, uint64_t size)
{
	for (unsigned i = 0; i < k->n_sizes; i++)
		if (k->sizes[i] == size)
			return;
	if (k->n_sizes < sizeof k->sizes / sizeof *k->sizes)
		k->sizes[k->n_sizes++] = size;
}

static bool walk_told(const struct stf_carried *known, const struct stf_page_walk *walk)
{
	if (!known->tellings)
		return walk->told;
	const uint64_t *version =
		base_map_find(known->tellings, known->output, (uint64_t)(walk - known->walks));
	return version && *version == walk->version;
}

int stf_carried_tell_walk(struct stf_carried *known, struct stf_page_walk *walk)
{
	if (!known->tellings) {
		known->untold -= !walk->told;
		walk->told = true;
		return 0;
	}
	uint64_t *version =
		base_map_at(known->tellings, known->output, (uint64_t)(walk - known->walks));
	if (!version)
		return CAIRN_E_NOMEM;
	*version = walk->version;
	return 0;
}

static int take_walk(struct stf_carried *k, const uint8_t *p, uint64_t space, bool told)
{
	uint64_t va = base_le64(p + 1), size = base_le32(p + 17);
	size_t len = STF_LEN_PAGE_TABLE_WALK + 16 * (size_t)p[21];
	if (size == 0 || (size & (size - 1))) /* no page that could be found again */
		return 0;
	uint64_t page = va & ~(size - 1);
	struct stf_page_walk *w = carried_find(k, space, page, size);
	if (!w) {
		int rc = k->n_walks == k->cap_walks ? carried_grow(k) : 0;
		if (rc < 0)
			return rc;
		w = &k->walks[k->n_walks];
		*w = (struct stf_page_walk){.space = space, .page = page, .size = size, .told = true};
		carried_enter(k, k->n_walks++);
		note_size(k, size);
	}
	if (k->bytes.len > UINT32_MAX - len)
		return base_fail(k->c, CAIRN_E_LIMIT, "there are more page walks than can be kept");
	if (w->len != len) { /* else in its old place */
		w->off = (uint32_t)k->bytes.len;
		w->len = (uint32_t)len;
		int rc = base_buf_put(&k->bytes, p, len);
		if (rc < 0)
			return rc;
	} else {
		memcpy(k->bytes.data + w->off, p, len);
	}
	w->version = ++k->versions;
	k->untold += w->told;
	w->told = false;
	return told ? stf_carried_tell_walk(k, w) : 0;
}

int stf_carried_set_walk(struct stf_carried *k, const struct cairn_index_walk *w)
{
	uint8_t rec[STF_LEN_PAGE_TABLE_WALK + 16 * 255] = {CAIRN_STF_PAGE_TABLE_WALK};
	uint32_t ptes = w->n_args < 2 ? 256 : (w->n_args - 2) / 2;
	if (ptes > 255)
		return 0;
	base_put_le64(rec + 1, w->va);
	memcpy(rec + 9, w->args, 8);
	memcpy(rec + 17, w->args + 8, 4);
	rec[21] = (uint8_t)ptes;
	memcpy(rec + 22, w->args + 16, 16 * (size_t)ptes);
	return take_walk(k, rec, w->space.id, false);
}

struct stf_page_walk *stf_carried_walk(struct stf_carried *k, uint64_t space, uint64_t va)
{
	for (unsigned i = 0; i < k->n_sizes; i++) {
		struct stf_page_walk *w = carried_find(k, space, va & ~(k->sizes[i] - 1), k->sizes[i]);
		if (w && !walk_told(k, w))
			return w;
	}
	return NULL;
}

int stf_carried_take(struct stf_carried *k, const uint8_t *p, uint64_t n, uint64_t space, bool told)
{
	if (*p == CAIRN_STF_INST_REG)
		return take_reg(k, p, n, told);
	if (*p == CAIRN_STF_EVENT)
		take_event(k, p, n);
	if (*p == CAIRN_STF_FORCE_PC)
		k->jumped = n;
	return *p == CAIRN_STF_PAGE_TABLE_WALK ? take_walk(k, p, space, told) : 0;
}
