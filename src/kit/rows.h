/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KIT_ROWS_H
#define KIT_ROWS_H
/*
 * The rows of a slot on their way into a batch. ¶ A slot has room for half of each array, however
 * full the batch is, so what it keeps does not depend on where its batch began. What does not fit
 * is counted, and reported where the slot ends.
 */
#include <string.h>

#include "base/bytes.h"
#include "model/model.h"

struct kit_rows {
	struct cairn_batch *batch;
	uint32_t want;            /* enum cairn_part */
	uint32_t reg0, mem0, ev0; /* where the slot's rows begin */
	struct {
		uint32_t regs, mems, events, bytes;
	} most; /* up to here the slot has room */
	uint16_t seq;
	uint64_t dropped; /* rows and payloads that did not fit */
};

/* Kept free for reporting damage: events, and bytes of a sentence. */
enum { KIT_DAMAGE = 4, KIT_SENTENCE = 512 };

/* The slot's room begins at these rows. */
static inline void kit_rows_room(struct kit_rows *rows, uint32_t regs, uint32_t mems,
                                 uint32_t events, uint32_t bytes)
{
#define KIT_MOST(n, cap) ((n) > (cap) / 2 ? (uint32_t)(cap) : (n) + (cap) / 2)
	rows->most.regs = KIT_MOST(regs, CAIRN_CAP_REGS);
	rows->most.mems = KIT_MOST(mems, CAIRN_CAP_MEMS);
	rows->most.events = KIT_MOST(events, CAIRN_CAP_EVENTS) - KIT_DAMAGE;
	rows->most.bytes = KIT_MOST(bytes, CAIRN_CAP_BYTES) - KIT_SENTENCE;
#undef KIT_MOST
}

/* The slot's room begins here. `may_end`: the slot has no instruction yet, and its batch may end at
 * any row, so it has all the room that is left. */
static inline void kit_rows_from(struct kit_rows *rows, bool may_end)
{
	const struct cairn_batch *batch = rows->batch;
	if (may_end)
		kit_rows_room(rows, CAIRN_CAP_REGS, CAIRN_CAP_MEMS, CAIRN_CAP_EVENTS, CAIRN_CAP_BYTES);
	else
		kit_rows_room(rows, batch->n_regs, batch->n_mems, batch->n_events, batch->n_bytes);
}

/* A slot has ended, and another one begins. */
static inline void kit_rows_next(struct kit_rows *rows, bool may_end)
{
	rows->reg0 = rows->batch->n_regs;
	rows->mem0 = rows->batch->n_mems;
	rows->ev0 = rows->batch->n_events;
	rows->seq = 0;
	kit_rows_from(rows, may_end);
}

/* A new row with its place in the slot's order and nothing else. NULL: it is not wanted, or there
 * was no room, which is counted. */
static inline struct cairn_reg *kit_reg(struct kit_rows *rows)
{
	if (!(rows->want & CAIRN_REGS))
		return NULL;
	if (__builtin_expect(rows->batch->n_regs >= rows->most.regs, 0)) {
		rows->dropped++;
		return NULL;
	}
	struct cairn_reg *row = &rows->batch->regs[rows->batch->n_regs++];
	*row = (struct cairn_reg){.seq = rows->seq++};
	return row;
}

static inline struct cairn_mem *kit_mem(struct kit_rows *rows)
{
	if (!(rows->want & CAIRN_MEMS))
		return NULL;
	if (__builtin_expect(rows->batch->n_mems >= rows->most.mems, 0)) {
		rows->dropped++;
		return NULL;
	}
	struct cairn_mem *mem = &rows->batch->mems[rows->batch->n_mems++];
	*mem = (struct cairn_mem){.seq = rows->seq++};
	return mem;
}

struct cairn_event *kit_event(struct kit_rows *rows, uint8_t kind, uint8_t phase);
/* An event that is a text. */
struct cairn_event *kit_text(struct kit_rows *rows, uint8_t kind, uint8_t phase, const char *text,
                             size_t n);
/* Room for `n` bytes of payload: their place in the batch's bytes. UINT32_MAX: there is none, which
 * is counted. */
uint32_t kit_payload(struct kit_rows *rows, size_t n);
/* Set the event's arguments. Does nothing if the event is NULL, or without arguments. */
void kit_args(struct kit_rows *rows, struct cairn_event *event, const uint64_t *args, size_t n);
/* Set a row's value to `n` known bytes, least significant first. A wide one without room is left
 * unknown. */
void kit_value(struct kit_rows *rows, const void *bytes, size_t n, uint64_t *value, uint8_t *flags);
/* Set the text of the instruction that comes next. */
void kit_asm(struct kit_rows *rows, const char *text, size_t n);
/* Add a context that holds from now on; returns its row. Without room the last one is overwritten,
 * since the newest is right. */
uint16_t kit_context(struct kit_rows *rows, const struct cairn_ctx *ctx);
/* Did anything not fit? Then the sentence about it, and the count begins anew. `place`: where in
 * the trace. */
bool kit_dropped(struct kit_rows *rows, char *text, size_t size, const char *place);

#endif
