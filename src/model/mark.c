/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mark names rows of its instruction: "cairn: derived: dst x10, src x2 x5, load 0x11548+8". Registers go by name and
 * accesses by place, not by their number among others, since formats have rows in orders of their own, leave some out,
 * and divide accesses.
 */
#include "model/mark.h"

#include <stdio.h>
#include <string.h>

/* RST divides comments that are longer than a string of 1024 characters. */
enum { MOST_TEXT = 900, MOST_WORD = 64 };

enum list { NO_LIST, LIST_DST, LIST_SRC, LIST_LOAD, LIST_STORE, LISTS };
static const char *const lists[LISTS] = {"", "dst", "src", "load", "store"};

/* ---- writing ---- */

void model_marking_free(struct model_marking *marking)
{
	base_buf_free(&marking->text);
	base_free(marking->cairn, marking->marks);
}

/* The text becomes bytes of the batch; where it stands is decided when all of them are known. */
static int end_text(struct model_marking *marking)
{
	if (marking->text.len == 0)
		return 0;
	if (base_grow(marking->cairn, &marking->marks, &marking->cap, marking->n,
	              sizeof *marking->marks, 64) < 0)
		return CAIRN_E_NOMEM;
	uint32_t at = model_batch_bytes(marking->batch, marking->text.len);
	if (at == UINT32_MAX || marking->batch->n_events + marking->n >= CAIRN_CAP_EVENTS) {
		marking->lost++;
	} else {
		memcpy(marking->batch->bytes + at, marking->text.data, marking->text.len);
		marking->marks[marking->n++] =
			(struct model_mark){marking->slot, at, (uint32_t)marking->text.len};
	}
	marking->text.len = 0;
	return 0;
}

static int add_word(struct model_marking *marking, struct cairn_batch *batch, uint32_t slot,
                    enum list list, const char *word)
{
	int rc = marking->batch != batch || marking->slot != slot || marking->text.len > MOST_TEXT
	             ? end_text(marking)
	             : 0;
	bool begins = marking->text.len == 0;
	marking->batch = batch;
	marking->slot = slot;
	if (rc >= 0 && begins)
		rc = base_buf_printf(&marking->text, MODEL_MARK_TEXT "%s", lists[list]);
	else if (rc >= 0 && marking->what != list)
		rc = base_buf_printf(&marking->text, ", %s", lists[list]);
	marking->what = (uint8_t)list;
	return rc < 0 ? rc : base_buf_printf(&marking->text, " %s", word);
}

static enum list list_of_reg(const struct cairn_reg *reg)
{
	return reg->role == CAIRN_ROLE_DST || reg->role == CAIRN_ROLE_UNKNOWN ? LIST_DST : LIST_SRC;
}

static enum list list_of_mem(const struct cairn_mem *mem)
{
	return mem->initiator != CAIRN_BY_INSN ? NO_LIST
	       : mem->kind == CAIRN_MEM_READ   ? LIST_LOAD
	       : mem->kind == CAIRN_MEM_WRITE  ? LIST_STORE
	                                       : NO_LIST;
}

int model_mark_reg(struct model_marking *marking, struct cairn_batch *batch, uint32_t slot,
                   const struct cairn_reg *reg)
{
	char name[32];
	return add_word(marking, batch, slot, list_of_reg(reg),
	                cairn_reg_name((enum cairn_isa)batch->insns[slot].isa,
	                               (enum cairn_reg_class)reg->cls, reg->num, name));
}

int model_mark_mem(struct model_marking *marking, struct cairn_batch *batch, uint32_t slot,
                   const struct cairn_mem *mem)
{
	char word[MOST_WORD];
	if (list_of_mem(mem) == NO_LIST)
		return 0;
	if (mem->flags & CAIRN_VALUE_ADDR_UNKNOWN)
		snprintf(word, sizeof word, "?+%u", mem->size);
	else
		snprintf(word, sizeof word, "0x%llx+%u", (unsigned long long)mem->addr, mem->size);
	return add_word(marking, batch, slot, list_of_mem(mem), word);
}

static uint16_t last_seq(const struct cairn_batch *batch, uint32_t slot)
{
	const struct cairn_insn *insn = &batch->insns[slot];
	uint16_t seq = 0;
	for (uint32_t i = insn[0].reg0; i < insn[1].reg0; i++)
		seq = batch->regs[i].seq > seq ? batch->regs[i].seq : seq;
	for (uint32_t i = insn[0].mem0; i < insn[1].mem0; i++)
		seq = batch->mems[i].seq > seq ? batch->mems[i].seq : seq;
	for (uint32_t i = insn[0].ev0; i < insn[1].ev0; i++)
		seq = batch->events[i].seq > seq ? batch->events[i].seq : seq;
	return seq;
}

int model_marks_put(struct model_marking *marking, struct cairn_batch *batch,
                    enum model_marks where)
{
	int rc = end_text(marking);
	bool before = where == MODEL_MARKS_BEFORE;
	uint32_t left = (uint32_t)marking->n, end = batch->n_events;
	if (rc < 0)
		return rc;
	/* From the last slot on, so that the events make room for those before them. */
	for (uint32_t slot = batch->n_insns + 1; slot-- > 0 && left;) {
		struct cairn_insn *insn = &batch->insns[slot];
		uint32_t begin = insn->ev0, n = 0;
		uint16_t seq = before ? 0 : last_seq(batch, slot);
		while (n < left && marking->marks[left - 1 - n].slot == slot)
			n++;
		memmove(batch->events + begin + left - n + (before ? n : 0), batch->events + begin,
		        (end - begin) * sizeof *batch->events);
		struct cairn_event *event = batch->events + (before ? begin : end) + left - n;
		for (uint32_t i = 0; i < n; i++)
			event[i] = (struct cairn_event){.args = marking->marks[left - n + i].at,
			                                .len = marking->marks[left - n + i].len,
			                                .seq = seq,
			                                .kind = CAIRN_EV_COMMENT,
			                                .phase = before ? CAIRN_BEFORE : CAIRN_AFTER,
			                                .flags = CAIRN_EVF_BYTES};
		insn[1].ev0 = (uint16_t)(end + left);
		end = begin;
		left -= n;
	}
	batch->n_events += (uint32_t)marking->n;
	batch->have |= CAIRN_EVENTS;
	marking->n = 0;
	return 0;
}

/* ---- reading ---- */

struct words {
	const char *p, *end;
};

static size_t next_word(struct words *words, const char **word)
{
	while (words->p < words->end && (*words->p == ' ' || *words->p == ','))
		words->p++;
	*word = words->p;
	while (words->p < words->end && *words->p != ' ' && *words->p != ',')
		words->p++;
	return (size_t)(words->p - *word);
}

static bool is_word(const char *word, size_t n, const char *text)
{
	return strlen(text) == n && !memcmp(word, text, n);
}

static void flag_regs(struct cairn_batch *batch, uint32_t slot, enum list list, const char *word,
                      size_t n)
{
	const struct cairn_insn *insn = &batch->insns[slot];
	for (uint32_t i = insn[0].reg0; i < insn[1].reg0; i++) {
		struct cairn_reg *reg = &batch->regs[i];
		char name[32];
		if (reg->flags & CAIRN_VALUE_KNOWN && reg->role != CAIRN_ROLE_READY &&
		    list_of_reg(reg) == list &&
		    is_word(word, n,
		            cairn_reg_name((enum cairn_isa)insn->isa, (enum cairn_reg_class)reg->cls,
		                           reg->num, name)))
			reg->flags |= CAIRN_VALUE_DERIVED | CAIRN_VALUE_MARKED;
	}
}

static bool take_number(const char **p, const char *end, unsigned base, uint64_t *value)
{
	const char *from = *p;
	*value = 0;
	for (; *p < end; (*p)++) {
		char c = **p;
		unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
		                 : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
		                                        : 16;
		if (digit >= base || *value > (UINT64_MAX - digit) / base)
			break;
		*value = *value * base + digit;
	}
	return *p > from;
}

/* Those that lie within the place. */
static void flag_mems(struct cairn_batch *batch, uint32_t slot, enum list list, const char *word,
                      size_t n)
{
	const struct cairn_insn *insn = &batch->insns[slot];
	const char *p = word, *end = word + n;
	bool anywhere = *word == '?';
	uint64_t addr = 0, size;
	if (anywhere)
		p++;
	else if (n < 2 || p[0] != '0' || p[1] != 'x')
		return;
	else
		p += 2;
	if ((!anywhere && !take_number(&p, end, 16, &addr)) || p == end || *p++ != '+' ||
	    !take_number(&p, end, 10, &size) || p != end)
		return;
	for (uint32_t i = insn[0].mem0; i < insn[1].mem0; i++) {
		struct cairn_mem *mem = &batch->mems[i];
		bool unknown = mem->flags & CAIRN_VALUE_ADDR_UNKNOWN;
		uint64_t from = anywhere ? 0 : mem->addr - addr;
		if (list_of_mem(mem) == list && unknown == anywhere && mem->size <= size &&
		    from <= size - mem->size)
			mem->flags |= CAIRN_VALUE_DERIVED | CAIRN_VALUE_MARKED;
	}
}

static void read_mark(struct cairn_batch *batch, uint32_t slot, const char *text, size_t n)
{
	static const char head[] = "; " MODEL_MARK_TEXT;
	enum { FULL = sizeof head - 1, BARE = FULL - 2 };
	size_t own = n >= FULL && !memcmp(text, head, FULL)       ? FULL
	             : n >= BARE && !memcmp(text, head + 2, BARE) ? BARE
	                                                          : 0;
	struct words words = {text + own, text + n};
	enum list list = NO_LIST;
	const char *word;
	while (own && (n = next_word(&words, &word)) > 0) {
		enum list begins = NO_LIST;
		for (enum list k = LIST_DST; k < LISTS; k++)
			begins = is_word(word, n, lists[k]) ? k : begins;
		if (begins)
			list = begins;
		else if (list == LIST_DST || list == LIST_SRC)
			flag_regs(batch, slot, list, word, n);
		else if (list)
			flag_mems(batch, slot, list, word, n);
	}
}

void model_marks_read(struct cairn_batch *batch)
{
	uint32_t slot = 0;
	for (uint32_t i = 0; i < batch->n_events; i++) {
		const struct cairn_event *event = &batch->events[i];
		if (event->kind != CAIRN_EV_COMMENT || event->args > batch->n_bytes ||
		    event->len > batch->n_bytes - event->args)
			continue;
		while (slot < batch->n_insns && batch->insns[slot + 1].ev0 <= i)
			slot++;
		read_mark(batch, slot, (const char *)batch->bytes + event->args, event->len);
	}
}
