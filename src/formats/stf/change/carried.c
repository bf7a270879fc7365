/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of a program's state at a place of its trace: the last value of each register, and
 * the last walk of each page.
 *
 * A register is known from any record that names it: STATE and SOURCE values are those before an
 * instruction, a DEST value is its result, whatever order the group's records have. If an event
 * stopped the instruction, its results are not known. Nor is a register known that the encoding
 * writes without a DEST value (isa/written.h), or that was known before something else ran. A
 * page's walk lives until another walk of the same page in the same address space. Each of these is
 * told or not: a slice tells what it knows and the output does not have yet, and nothing else.
 */
#include <string.h>

#include "base/bytes.h"
#include "formats/stf/change/change.h"
#include "model/index.h"

enum {
	FIRST_FP = STF_CARRIED_INT,
	FIRST_VEC = FIRST_FP + STF_CARRIED_FP,
	FIRST_CSR = FIRST_VEC + STF_CARRIED_VEC
};

/* Words of a row of `tellings`: for a walk, when it was told. For a listener (LISTENS in the place
 * of a walk): since when tellings count, and the space that it stands for. */
enum { TOLD_AT, TOLD_SPACE, TELLING_WORDS };
#define LISTENS UINT64_MAX

int stf_carried_new(struct cairn *cairn, const struct cairn_stf_config *cfg,
                    struct stf_carried **out)
{
	struct stf_carried *carried = base_alloc(cairn, sizeof *carried);
	if (!carried)
		return CAIRN_E_NOMEM;
	carried->cairn = cairn;
	carried->cfg = cfg;
	base_buf_init(&carried->bytes, cairn);
	carried->memo = isa_written_memo_new(cairn);
	if (!carried->memo) {
		stf_carried_free(carried);
		return CAIRN_E_NOMEM;
	}
	*out = carried;
	return 0;
}

void stf_carried_free(struct stf_carried *carried)
{
	if (!carried)
		return;
	for (size_t i = 0; i < carried->n_harts; i++) {
		for (unsigned v = 0; v < STF_CARRIED_VEC; v++)
			base_free(carried->cairn, carried->harts[i]->vectors[v]);
		base_free(carried->cairn, carried->harts[i]);
	}
	base_free(carried->cairn, carried->walks);
	base_free(carried->cairn, carried->table);
	if (carried->tellings)
		base_map_free(carried->tellings);
	base_free(carried->cairn, carried->tellings);
	base_buf_free(&carried->bytes);
	isa_written_memo_free(carried->memo);
	base_free(carried->cairn, carried);
}

void stf_carried_lose(struct stf_carried *carried)
{
	for (size_t i = 0; i < carried->n_harts; i++) {
		struct stf_regs *regs = carried->harts[i];
		memset(regs->have, 0, sizeof regs->have);
		memset(regs->told, 0, sizeof regs->told);
		memset(regs->set_by, 0, sizeof regs->set_by);
		memset(regs->told_by, 0, sizeof regs->told_by);
		carried->untold -= regs->untold;
		regs->n_have = regs->untold = 0;
		regs->follows = false;
	}
	stf_carried_at(carried, false, 0);
	carried->lost = true;
	carried->aborted = carried->writer = carried->events = carried->jumped = 0;
	carried->bytes.len = 0;
}

void stf_carried_forget(struct stf_carried *carried)
{
	stf_carried_lose(carried);
	carried->lost = false;
	if (carried->table)
		memset(carried->table, 0, carried->cap_table * sizeof *carried->table);
	carried->n_walks = carried->untold = 0;
}

void stf_carried_untell(struct stf_carried *carried)
{
	stf_carried_untell_regs(carried);
	for (size_t i = 0; i < carried->n_walks; i++) {
		carried->untold += carried->walks[i].told;
		carried->walks[i].told = false;
	}
}

/* Clear `told` only when the hart runs: untelling all harts at each splice would cost too much. */
static void refresh(struct stf_regs *regs)
{
	if (regs && regs->stale)
		memset(regs->told, 0, sizeof regs->told);
	if (regs)
		regs->stale = false;
}

void stf_carried_untell_regs(struct stf_carried *carried)
{
	for (size_t i = 0; i < carried->n_harts; i++) {
		struct stf_regs *regs = carried->harts[i];
		carried->untold += regs->n_have - regs->untold;
		regs->untold = regs->n_have;
		regs->stale = true;
	}
	refresh(carried->regs);
}

static int need_tellings(struct stf_carried *known)
{
	if (known->tellings)
		return 0;
	known->tellings = base_alloc(known->cairn, sizeof *known->tellings);
	if (!known->tellings)
		return CAIRN_E_NOMEM;
	base_map_init(known->tellings, known->cairn, TELLING_WORDS);
	return 0;
}

int stf_carried_output(struct stf_carried *known, uint32_t output)
{
	known->listener = (uint64_t)output << 32;
	return need_tellings(known);
}

int stf_carried_listener(struct stf_carried *known, uint32_t listener, uint64_t space)
{
	int rc = need_tellings(known);
	if (rc < 0)
		return rc;
	known->listener = (known->listener >> 32) << 32 | listener;
	uint64_t *last = base_map_at(known->tellings, known->listener, LISTENS);
	if (!last)
		return CAIRN_E_NOMEM;
	if (!last[TOLD_AT] || last[TOLD_SPACE] != space) {
		last[TOLD_AT] = ++known->versions;
		last[TOLD_SPACE] = space;
	}
	known->since = last[TOLD_AT];
	return 0;
}

/* ---- harts ---- */

/* Not known any more: what an instruction that was stopped would have written. */
static void unset(struct stf_carried *carried, struct stf_regs *regs, int index)
{
	if (regs->have[index] && !regs->told[index]) {
		regs->untold--;
		carried->untold--;
	}
	regs->n_have -= regs->have[index];
	regs->have[index] = regs->told[index] = 0;
}

static void unset_all(struct stf_carried *carried, struct stf_regs *regs)
{
	for (int i = 0; i < STF_CARRIED_SLOTS; i++)
		unset(carried, regs, i);
}

/* The registers of a hart, made if need be; NULL in *out when there are too many harts
 * to keep them all. */
static int regs_of(struct stf_carried *carried, uint32_t hart, struct stf_regs **out)
{
	*out = NULL;
	for (size_t i = 0; i < carried->n_harts; i++)
		if (carried->harts[i]->hart == hart) {
			*out = carried->harts[i];
			refresh(*out);
			return 0;
		}
	/* What ran before anything told who, was this one; behind lost records it may have been another. */
	if (carried->n_harts == 1 && carried->harts[0]->hart == STF_NO_HART) {
		*out = carried->harts[0];
		if (carried->lost)
			unset_all(carried, *out);
		(*out)->hart = hart;
		return 0;
	}
	if (carried->n_harts == STF_CARRIED_HARTS)
		return 0;
	struct stf_regs *regs = base_alloc(carried->cairn, sizeof *regs);
	if (!regs)
		return CAIRN_E_NOMEM;
	regs->hart = hart;
	carried->harts[carried->n_harts++] = regs;
	*out = regs;
	return 0;
}

int stf_carried_run(struct stf_carried *carried, const struct cairn_ctx *ctx, uint64_t n)
{
	uint32_t hart = ctx->known & CAIRN_CTX_HW_TID ? ctx->hw_tid : STF_NO_HART;
	struct stf_regs *before = carried->regs;
	if (before && before->hart == hart)
		return 0;
	if (before) {
		before->follows = carried->pc_known;
		before->next = carried->pc;
	}
	carried->switched = n;
	int rc = regs_of(carried, hart, &carried->regs);
	carried->lost &= hart == STF_NO_HART;
	return rc;
}

void stf_carried_at(struct stf_carried *carried, bool known, uint64_t pc)
{
	carried->pc_known = known;
	carried->pc = pc;
	carried->goes = false;
}

bool stf_carried_resumes(const struct stf_carried *carried, uint64_t pc)
{
	const struct stf_regs *regs = carried->regs;
	return regs && regs->follows && regs->next == pc;
}

void stf_carried_run_again(struct stf_carried *carried, struct stf_regs *regs)
{
	refresh(regs);
	carried->regs = regs;
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

static void carried_set(struct stf_carried *carried, struct stf_regs *regs, int index,
                        uint64_t value, bool told)
{
	/* A value that has been told need not be told again. */
	bool vector = index >= FIRST_VEC && index < FIRST_CSR;
	if (!told && !vector && regs->have[index] && regs->told[index] && regs->value[index] == value)
		return;
	bool was = regs->have[index] && !regs->told[index];
	regs->value[index] = value;
	regs->n_have += !regs->have[index];
	regs->have[index] = 1;
	regs->told[index] = told;
	if (was != !told) {
		regs->untold += told ? -1u : 1u;
		carried->untold += told ? (size_t)-1 : 1;
	}
}

static int take_vector(struct stf_carried *carried, const uint8_t *p, unsigned num)
{
	size_t n = 8 * (size_t)stf_vector_words(carried->cfg);
	uint8_t **v = &carried->regs->vectors[num];
	if (!*v) /* one by one: each is as long as the header says */
		*v = base_alloc(carried->cairn, n);
	if (!*v)
		return CAIRN_E_NOMEM;
	memcpy(*v, p + STF_LEN_INST_REG, n);
	return 0;
}

static void carried_note_written(struct stf_carried *carried, int index, uint64_t n)
{
	if (carried->writer != n)
		carried->n_written = 0;
	carried->writer = n;
	if (carried->n_written < sizeof carried->written / sizeof *carried->written)
		carried->written[carried->n_written] = (uint16_t)index;
	carried->n_written++;
}

/* An exception or interrupt stops the instruction of its group, a system call does not. What
 * they change of the machine is not known when the group ends. */
static void take_event(struct stf_carried *carried, const uint8_t *p, uint64_t n)
{
	uint64_t code, id = stf_event_id_of(p, carried->cfg->event_bits);
	uint8_t kind = stf_event_kind(stf_isa_is_ours(carried->cfg->isa), id, &code);
	struct stf_regs *regs = carried->regs;
	if (kind < 32) {
		carried->event_kinds = (carried->events == n ? carried->event_kinds : 0) | UINT32_C(1)
		                                                                               << kind;
		carried->events = n;
	}
	if (!stf_event_stops(stf_isa_is_ours(carried->cfg->isa), id))
		return;
	carried->aborted = n;
	if (!regs || carried->writer != n)
		return;
	bool all = carried->n_written > sizeof carried->written / sizeof *carried->written;
	for (int i = 0; i < (all ? (int)STF_CARRIED_SLOTS : (int)carried->n_written); i++) {
		int slot = all ? i : carried->written[i];
		if (regs->set_by[slot] == n)
			unset(carried, regs, slot);
	}
	carried->n_written = 0;
}

/* ---- what is written without being told ---- */

/* The place of a register by cairn's numbers, for sets other than RISC-V. */
static int stf_carried_place_of(enum cairn_isa isa, unsigned cls, unsigned num)
{
	if (isa == CAIRN_ISA_RV32 || isa == CAIRN_ISA_RV64)
		return carried_slot_of(cls, num);
	const struct stf_bank *bank = stf_bank_of(isa, cls, num);
	return bank ? carried_slot_of(bank->type, bank->number + (num - bank->first)) : -1;
}

/* `n`: except what this instruction told; 0: everything. */
static void stf_carried_forget_pieces(struct stf_carried *carried, enum cairn_isa isa,
                                      const struct isa_written *written, uint64_t n)
{
	for (unsigned i = 0; i < written->n; i++)
		for (unsigned num = written->reg[i].num;
		     num < (unsigned)written->reg[i].num + written->reg[i].count; num++) {
			int at = stf_carried_place_of(isa, written->reg[i].cls, num);
			if (at >= 0 && carried->regs->have[at] && (!n || carried->regs->set_by[at] != n))
				unset(carried, carried->regs, at);
		}
}

/* Forget other names of the registers that instruction `n` told. */
static void carried_forget_aliases(struct stf_carried *carried, enum cairn_isa isa, uint64_t n)
{
	static const struct {
		int first, end;
		uint8_t cls;
	} banks[] = {{FIRST_FP, FIRST_VEC, CAIRN_REG_FP},
	             {FIRST_VEC, FIRST_CSR, CAIRN_REG_VECTOR},
	             {FIRST_CSR, STF_CARRIED_SLOTS, CAIRN_REG_CSR}};
	bool all = carried->n_written > sizeof carried->written / sizeof *carried->written;
	for (int i = 0; i < (all ? (int)STF_CARRIED_SLOTS : (int)carried->n_written); i++) {
		int slot = all ? i : carried->written[i];
		for (unsigned b = 0; b < 3 && carried->regs->set_by[slot] == n; b++) {
			struct isa_written written = {.n = 0};
			if (slot < banks[b].first || slot >= banks[b].end)
				continue;
			unsigned cls = banks[b].cls, num = (unsigned)(slot - banks[b].first);
			const struct stf_bank *own = stf_bank_at(isa, cls, num);
			isa_aliases(isa, own ? own->cls : cls, own ? own->first + (num - own->number) : num,
			            &written);
			stf_carried_forget_pieces(carried, isa, &written, n);
		}
	}
}

/* A register takes over what is known of another, told or not as that was. */
static void carried_move(struct stf_carried *carried, int to, int from)
{
	struct stf_regs *regs = carried->regs;
	unset(carried, regs, to);
	if (regs->have[from])
		carried_set(carried, regs, to, regs->value[from], false);
	unset(carried, regs, from);
}

static void stf_carried_turn_window(struct stf_carried *carried, bool next)
{
	enum { OUTS = 8, INS = 24 };
	for (int i = 0; i < 8; i++) {
		carried_move(carried, (next ? INS : OUTS) + i, (next ? OUTS : INS) + i);
		unset(carried, carried->regs, 16 + i);
	}
}

/* DEST values of the group, which a turn of the window would move. */
static void stf_carried_forget_written(struct stf_carried *carried, enum cairn_isa isa,
                                       const struct isa_written *written, uint64_t n)
{
	struct stf_regs *regs = carried->regs;
	uint64_t value[32];
	bool told[32], have[32];
	for (int i = 0; i < 32 && written->window; i++) {
		have[i] = regs->have[i] && regs->set_by[i] == n;
		value[i] = regs->value[i];
		told[i] = regs->told[i];
		if (have[i]) /* of the window that comes: back below */
			unset(carried, regs, i);
	}
	if (written->window)
		stf_carried_turn_window(carried, written->window > 0);
	for (int i = 0; i < 32 && written->window; i++)
		if (have[i])
			carried_set(carried, regs, i, value[i], told[i]);
	stf_carried_forget_pieces(carried, isa, written, n);
	if (!written->told && (carried->writer != n || !carried->n_written))
		unset_all(carried, regs);
}

/* Anything may have run before instruction `n`: only what its own group tells counts. */
static void jump(struct stf_carried *carried, uint64_t n)
{
	struct stf_regs *regs = carried->regs;
	for (int i = 0; i < STF_CARRIED_SLOTS; i++)
		if (regs->told_by[i] != n)
			unset(carried, regs, i);
}

void stf_carried_jump(struct stf_carried *carried)
{
	if (carried->regs)
		unset_all(carried, carried->regs);
}

void stf_carried_ran(struct stf_carried *carried, enum cairn_isa isa, const uint8_t *marker,
                     uint64_t n)
{
	bool wide = *marker == CAIRN_STF_INST_32;
	carried->isa = (uint8_t)isa;
	if (!wide && *marker != CAIRN_STF_INST_16)
		return;
	if (carried->jumped == n) {
		bool resumes = carried->switched == n && stf_carried_resumes(carried, carried->forced);
		if (carried->regs && !resumes)
			jump(carried, n);
		stf_carried_at(carried, true, carried->forced);
	}
	carried->pc_known |= carried->goes;
	carried->pc = carried->goes ? carried->target : carried->pc + (wide ? 4 : 2);
	carried->goes = false;
	if (!carried->regs)
		return;
	if (carried->aborted != n)
		stf_carried_forget_written(carried, isa,
		                           isa_written_get(carried->memo, stf_variant(carried->cfg, isa),
		                                           stf_encoding(marker), wide ? 4 : 2),
		                           n);
	if (carried->writer == n)
		carried_forget_aliases(carried, isa, n);
	for (unsigned kind = 0; carried->events == n && kind < 32; kind++) {
		struct isa_written written;
		if (!(carried->event_kinds >> kind & 1))
			continue;
		isa_event_written(isa, (enum cairn_event_kind)kind, &written);
		stf_carried_forget_pieces(carried, isa, &written, 0);
	}
}

static int take_reg(struct stf_carried *carried, const uint8_t *p, uint64_t n, bool told)
{
	unsigned cls = stf_reg_class(p), role = stf_reg_role(p), num = stf_INST_REG_reg(p);
	int i = carried_slot_of(cls, num);
	struct stf_regs *regs = carried->regs;
	if (i < 0 || !regs)
		return 0;
	regs->told_by[i] = n;
	if (role == CAIRN_ROLE_SRC && (carried->wrong >> cls & 1))
		return 0;
	const struct stf_bank *own = stf_bank_at((enum cairn_isa)carried->isa, cls, num);
	if (isa_is_volatile((enum cairn_isa)carried->isa, own ? own->cls : cls,
	                    own ? own->first + (num - own->number) : num)) {
		if (role == CAIRN_ROLE_DST)
			unset(carried, regs, i);
		return 0;
	}
	if (role == CAIRN_ROLE_DST) {
		regs->set_by[i] = n;
		if (carried->aborted == n) {
			unset(carried, regs, i);
			return 0;
		}
		carried_note_written(carried, i, n);
	} else if (regs->set_by[i] == n)
		return 0;
	int rc = cls == CAIRN_REG_VECTOR ? take_vector(carried, p, num) : 0;
	if (rc >= 0)
		carried_set(carried, regs, i, stf_reg_value(p), told);
	return rc;
}

static int set_vector(struct stf_carried *carried, struct stf_regs *regs,
                      const struct cairn_state_reg *reg)
{
	size_t n = 8 * (size_t)stf_vector_words(carried->cfg);
	uint8_t **v = &regs->vectors[reg->num], word[8];
	base_put_le64(word, reg->value);
	if (reg->bits != (carried->cfg->vlen ? carried->cfg->vlen : 64) || n == 0)
		return 0;
	if (!*v)
		*v = base_alloc(carried->cairn, n);
	if (!*v)
		return CAIRN_E_NOMEM;
	memset(*v, 0, n);
	memcpy(*v, reg->wide ? reg->wide : word, ((size_t)reg->bits + 7) / 8);
	return 1;
}

int stf_carried_set(struct stf_carried *carried, uint32_t hart, const struct cairn_state_reg *reg)
{
	struct stf_regs *regs;
	int i = carried_slot_of(reg->cls, reg->num), rc = regs_of(carried, hart, &regs);
	if (rc >= 0 && regs && reg->cls == INDEX_RESUMES) {
		regs->follows = true;
		regs->next = reg->value;
	}
	if (rc < 0 || !regs || i < 0 || !reg->whole)
		return rc;
	rc = reg->cls == CAIRN_REG_VECTOR ? set_vector(carried, regs, reg) : 1;
	if (rc > 0)
		carried_set(carried, regs, i, reg->value, false);
	return rc;
}

bool stf_carried_value(const struct stf_carried *carried, unsigned cls, unsigned num,
                       uint64_t *value)
{
	int i = cls == CAIRN_REG_VECTOR ? -1 : carried_slot_of(cls, num);
	if (i < 0 || !carried->regs || !carried->regs->have[i])
		return false;
	*value = carried->regs->value[i];
	return true;
}

unsigned stf_carried_count(const struct stf_carried *carried, enum cairn_reg_class cls)
{
	static const int from[] = {0, 0, FIRST_FP, FIRST_VEC, FIRST_CSR, STF_CARRIED_SLOTS};
	unsigned n = 0;
	/* The PC among the integer registers does not count as one. */
	int end = cls == CAIRN_REG_INT ? 32 : from[cls + 1];
	for (int i = from[cls]; carried->regs && i < end; i++)
		n += carried->regs->have[i];
	return n;
}

static int stf_carried_report_slot(const struct stf_carried *carried, int index,
                                   struct base_buf *out)
{
	uint8_t rec[STF_LEN_INST_REG + 8] = {CAIRN_STF_INST_REG};
	int first = index < FIRST_FP    ? 0
	            : index < FIRST_VEC ? FIRST_FP
	            : index < FIRST_CSR ? FIRST_VEC
	                                : FIRST_CSR;
	unsigned cls = index < FIRST_FP    ? CAIRN_REG_INT
	               : index < FIRST_VEC ? CAIRN_REG_FP
	               : index < FIRST_CSR ? CAIRN_REG_VECTOR
	                                   : CAIRN_REG_CSR;
	stf_put_INST_REG_reg(rec, (uint16_t)(index - first));
	stf_put_INST_REG_kind(rec, (uint8_t)(cls | CAIRN_ROLE_STATE << 4));
	stf_put_reg_value(rec, carried->regs->value[index]);
	if (cls != CAIRN_REG_VECTOR)
		return base_buf_put(out, rec, sizeof rec);
	int rc = base_buf_put(out, rec, STF_LEN_INST_REG);
	return rc < 0 ? rc
	              : base_buf_put(out, carried->regs->vectors[index - first],
	                             8 * (size_t)stf_vector_words(carried->cfg));
}

int stf_carried_tell(struct stf_carried *carried, struct base_buf *out)
{
	struct stf_regs *regs = carried->regs;
	int rc = 0;
	for (int i = 0; regs && regs->untold && i < STF_CARRIED_SLOTS && rc >= 0; i++) {
		if (!regs->have[i] || regs->told[i])
			continue;
		regs->told[i] = 1;
		regs->untold--;
		carried->untold--;
		/* The PC has a record of its own. */
		if (i != 32)
			rc = stf_carried_report_slot(carried, i, out);
	}
	return rc;
}

/* ---- page walks ---- */

static size_t carried_hash(uint64_t space, uint64_t page, uint64_t size)
{
	uint64_t h = (page / size + space * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
	return (size_t)((h ^ size) ^ h >> 32);
}

static struct stf_page_walk *carried_find(const struct stf_carried *carried, uint64_t space,
                                          uint64_t page, uint64_t size)
{
	size_t i = carried_hash(space, page, size);
	for (; carried->cap_table; i++) {
		uint32_t at = carried->table[i & (carried->cap_table - 1)];
		if (!at)
			return NULL;
		struct stf_page_walk *walk = &carried->walks[at - 1];
		if (walk->space == space && walk->page == page && walk->size == size)
			return walk;
	}
	return NULL;
}

static void carried_enter(struct stf_carried *carried, size_t which)
{
	const struct stf_page_walk *walk = &carried->walks[which];
	size_t i = carried_hash(walk->space, walk->page, walk->size);
	while (carried->table[i & (carried->cap_table - 1)])
		i++;
	carried->table[i & (carried->cap_table - 1)] = (uint32_t)which + 1;
}

static int carried_grow(struct stf_carried *carried)
{
	size_t cap = carried->cap_walks ? 2 * carried->cap_walks : 64;
	struct stf_page_walk *walk = base_realloc(carried->cairn, carried->walks, cap * sizeof *walk);
	if (!walk)
		return CAIRN_E_NOMEM;
	carried->walks = walk;
	carried->cap_walks = cap;
	uint32_t *t = base_alloc(carried->cairn, 2 * cap * sizeof *t);
	if (!t)
		return CAIRN_E_NOMEM;
	base_free(carried->cairn, carried->table);
	carried->table = t;
	carried->cap_table = 2 * cap;
	for (size_t i = 0; i < carried->n_walks; i++)
		carried_enter(carried, i);
	return 0;
}

static void note_size(struct stf_carried *carried, uint64_t size)
{
	for (unsigned i = 0; i < carried->n_sizes; i++)
		if (carried->sizes[i] == size)
			return;
	if (carried->n_sizes < sizeof carried->sizes / sizeof *carried->sizes)
		carried->sizes[carried->n_sizes++] = size;
}

static bool walk_told(const struct stf_carried *known, const struct stf_page_walk *walk)
{
	if (!known->tellings)
		return walk->told;
	const uint64_t *told =
		base_map_find(known->tellings, known->listener, (uint64_t)(walk - known->walks));
	return told && told[TOLD_AT] > walk->version && told[TOLD_AT] > known->since;
}

int stf_carried_tell_walk(struct stf_carried *known, struct stf_page_walk *walk)
{
	if (!known->tellings) {
		known->untold -= !walk->told;
		walk->told = true;
		return 0;
	}
	uint64_t *told = base_map_at(known->tellings, known->listener, (uint64_t)(walk - known->walks));
	if (!told)
		return CAIRN_E_NOMEM;
	told[TOLD_AT] = ++known->versions;
	return 0;
}

static int take_walk(struct stf_carried *carried, const uint8_t *p, uint64_t space, bool told)
{
	uint64_t va = stf_PAGE_TABLE_WALK_va(p), size = stf_PAGE_TABLE_WALK_page_size(p);
	size_t len = stf_walk_length(stf_PAGE_TABLE_WALK_count(p));
	if (size == 0 || (size & (size - 1))) /* not a page that could be found again */
		return 0;
	uint64_t page = va & ~(size - 1);
	struct stf_page_walk *walk = carried_find(carried, space, page, size);
	if (!walk) {
		int rc = carried->n_walks == carried->cap_walks ? carried_grow(carried) : 0;
		if (rc < 0)
			return rc;
		walk = &carried->walks[carried->n_walks];
		*walk = (struct stf_page_walk){.space = space, .page = page, .size = size, .told = true};
		carried_enter(carried, carried->n_walks++);
		note_size(carried, size);
	}
	if (carried->bytes.len > UINT32_MAX - len)
		return base_fail(carried->cairn, CAIRN_E_LIMIT,
		                 "there are more page walks than can be kept");
	if (walk->len != len) { /* else in its old place */
		walk->off = (uint32_t)carried->bytes.len;
		walk->len = (uint32_t)len;
		int rc = base_buf_put(&carried->bytes, p, len);
		if (rc < 0)
			return rc;
	} else {
		memcpy(carried->bytes.data + walk->off, p, len);
	}
	walk->version = ++carried->versions;
	carried->untold += walk->told;
	walk->told = false;
	return told ? stf_carried_tell_walk(carried, walk) : 0;
}

int stf_carried_set_walk(struct stf_carried *carried, const struct cairn_index_walk *walk)
{
	uint8_t rec[STF_LONGEST_WALK] = {CAIRN_STF_PAGE_TABLE_WALK};
	uint32_t ptes = walk->n_args < 2 ? 256 : (walk->n_args - 2) / 2;
	if (ptes > 255)
		return 0;
	stf_put_PAGE_TABLE_WALK_va(rec, walk->va);
	const uint8_t *args = walk->args;
	stf_put_PAGE_TABLE_WALK_first_access(rec, base_le64(args));
	args += sizeof(uint64_t);
	stf_put_PAGE_TABLE_WALK_page_size(rec, base_le32(args));
	args += sizeof(uint64_t);
	stf_put_PAGE_TABLE_WALK_count(rec, (uint8_t)ptes);
	memcpy(rec + STF_LEN_PAGE_TABLE_WALK, args, stf_walk_length(ptes) - STF_LEN_PAGE_TABLE_WALK);
	return take_walk(carried, rec, walk->space.id, false);
}

struct stf_page_walk *stf_carried_walk(struct stf_carried *carried, uint64_t space, uint64_t va)
{
	for (unsigned i = 0; i < carried->n_sizes; i++) {
		struct stf_page_walk *walk =
			carried_find(carried, space, va & ~(carried->sizes[i] - 1), carried->sizes[i]);
		if (walk && !walk_told(carried, walk))
			return walk;
	}
	return NULL;
}

int stf_carried_take(struct stf_carried *carried, const uint8_t *p, uint64_t n, uint64_t space,
                     bool told)
{
	uint64_t missing;
	size_t why;
	if (stf_is_gap(p, &missing, &why))
		stf_carried_lose(carried);
	if (*p == CAIRN_STF_INST_REG)
		return take_reg(carried, p, n, told);
	if (*p == CAIRN_STF_EVENT)
		take_event(carried, p, n);
	if (*p == CAIRN_STF_INST_PC_TARGET || *p == CAIRN_STF_EVENT_PC_TARGET) {
		carried->goes = true;
		carried->target =
			*p == CAIRN_STF_INST_PC_TARGET ? stf_INST_PC_TARGET_pc(p) : stf_EVENT_PC_TARGET_pc(p);
	}
	if (*p == CAIRN_STF_FORCE_PC) {
		carried->jumped = n;
		carried->forced = stf_FORCE_PC_pc(p);
	}
	return *p == CAIRN_STF_PAGE_TABLE_WALK ? take_walk(carried, p, space, told) : 0;
}
