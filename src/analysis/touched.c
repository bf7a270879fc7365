/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last touches of bytes.
 *
 * A row is of eight bytes. Its times are instructions since the beginning of a window
 * (`epoch`): 0 … 16383 in it, below 0 in the one before, NEVER for what is older or was
 * not at all. They are moved when a row is met again in a later window; rows not met for
 * two are thrown out when the table is full, so it grows with what one window touches
 * and never with the trace.
 *
 * All eight bytes are worked on at once, those outside of the access masked, as vectors of
 * the compiler's (gcc makes hundreds of instructions of loops for the same).
 */
#include "analysis/touched.h"

#include <string.h>

enum { NEVER = INT16_MIN, FIRST_ROWS = 1 << 12 };

struct touch_row {
	uint64_t tag; /* address / 8 */
	uint64_t epoch;
	int16_t store[TOUCH_ROW], load[TOUCH_ROW];
};

/* ---- eight times at once ---- */

typedef int16_t times __attribute__((vector_size(16)));

static inline times times_of(const int16_t *p)
{
	times v;
	memcpy(&v, p, sizeof v);
	return v;
}

static inline void put_times(int16_t *p, times values)
{
	memcpy(p, &values, sizeof values);
}

static inline times all(int16_t value)
{
	return (times){value, value, value, value, value, value, value, value};
}

/* `a` where the mask is -1, `b` where it is 0. */
static inline times pick(times mask, times a, times b)
{
	return (a & mask) | (b & ~mask);
}

static inline times later_of(times a, times b)
{
	return pick((times)(a > b), a, b);
}

static inline int16_t latest(times of)
{
	of = later_of(of, __builtin_shufflevector(of, of, 4, 5, 6, 7, 0, 1, 2, 3));
	of = later_of(of, __builtin_shufflevector(of, of, 2, 3, 0, 1, 6, 7, 4, 5));
	of = later_of(of, __builtin_shufflevector(of, of, 1, 0, 3, 2, 5, 4, 7, 6));
	return of[0];
}

/* ---- the table ---- */

void touch_init(struct touch_table *table, struct cairn *cairn)
{
	*table = (struct touch_table){.cairn = cairn};
}

void touch_free(struct touch_table *table)
{
	base_free(table->cairn, table->rows);
	base_free(table->cairn, table->slots);
	touch_init(table, table->cairn);
}

void touch_clear(struct touch_table *table)
{
	if (table->n)
		memset(table->slots, 0, 2 * table->cap * sizeof *table->slots);
	table->n = 0;
	table->first = table->last = 0;
}

static inline size_t touched_hash_of(const struct touch_table *table, uint64_t tag)
{
	return (size_t)(tag * UINT64_C(0x9e3779b97f4a7c15) >> table->shift);
}

void touch_expect(const struct touch_table *table, uint64_t later, uint64_t soon)
{
	if (!table->cap)
		return;
	base_prefetch(&table->slots[touched_hash_of(table, later / TOUCH_ROW)]);
	uint32_t slot = table->slots[touched_hash_of(table, soon / TOUCH_ROW)];
	if (slot)
		base_prefetch(&table->rows[slot - 1]);
}

/* The slot of a row, or the free slot where it would go. There is always one. */
static inline uint32_t *touched_slot_of(const struct touch_table *table, uint64_t tag)
{
	size_t at = touched_hash_of(table, tag);
	while (table->slots[at] && table->rows[table->slots[at] - 1].tag != tag)
		at = (at + 1) & (2 * table->cap - 1);
	return &table->slots[at];
}

/* Throw out what is older than a window at `epoch`, and make room for as many rows again. */
static int touched_make_room(struct touch_table *table, uint64_t epoch)
{
	size_t live = 0, cap = FIRST_ROWS;
	for (size_t i = 0; i < table->n; i++)
		if (table->rows[i].epoch + 1 >= epoch)
			table->rows[live++] = table->rows[i];
	table->n = live;
	while (cap < 2 * live)
		cap *= 2;
	if (cap != table->cap) {
		struct touch_row *rows = base_realloc(table->cairn, table->rows, cap * sizeof *rows);
		table->rows = rows ? rows : table->rows;
		uint32_t *slots = base_realloc(table->cairn, table->slots, 2 * cap * sizeof *slots);
		table->slots = slots ? slots : table->slots;
		if (!rows || !slots)
			return CAIRN_E_NOMEM;
		table->cap = cap;
		table->shift = 64 - (unsigned)__builtin_ctzll(2 * cap);
	}
	memset(table->slots, 0, 2 * cap * sizeof *table->slots);
	for (size_t i = 0; i < live; i++)
		*touched_slot_of(table, table->rows[i].tag) = (uint32_t)i + 1;
	return 0;
}

/* Times as of a window later; what is too long ago becomes NEVER. */
static inline times aged(times of)
{
	const times oldest = all(NEVER + TOUCH_WINDOW);
	return later_of(of, oldest) - all(TOUCH_WINDOW);
}

static inline void move_to(struct touch_row *row, uint64_t epoch)
{
	if (row->epoch == epoch)
		return;
	bool next = row->epoch + 1 == epoch;
	put_times(row->store, next ? aged(times_of(row->store)) : all(NEVER));
	put_times(row->load, next ? aged(times_of(row->load)) : all(NEVER));
	row->epoch = epoch;
}

/* The row of a tag with its times as of `epoch`, made if it is new. */
static inline struct touch_row *row_at(struct touch_table *table, uint64_t tag, uint64_t epoch)
{
	if (table->n == table->cap && touched_make_room(table, epoch) < 0)
		return NULL;
	uint32_t *slot = touched_slot_of(table, tag);
	if (*slot) {
		struct touch_row *row = &table->rows[*slot - 1];
		move_to(row, epoch);
		return row;
	}
	struct touch_row *row = &table->rows[table->n++];
	*slot = (uint32_t)table->n;
	row->tag = tag;
	row->epoch = epoch;
	put_times(row->store, all(NEVER));
	put_times(row->load, all(NEVER));
	return row;
}

/* -1 for the bytes [from, to) of a row, else 0: eight from 8 - from on, cut by another. */
static const int16_t begins[2 * TOUCH_ROW] = {0,  0,  0,  0,  0,  0,  0,  0,
                                              -1, -1, -1, -1, -1, -1, -1, -1};
static const int16_t ends[2 * TOUCH_ROW] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};

struct piece {
	uint64_t tag;
	const int16_t *begins, *ends;
};

/* The piece of [*at, *at + *left) that lies in one row; moves behind it. */
static inline struct piece next_piece(uint64_t *at, uint64_t *left)
{
	unsigned from = *at % TOUCH_ROW;
	unsigned n = *left < TOUCH_ROW - from ? (unsigned)*left : TOUCH_ROW - from;
	struct piece piece = {*at / TOUCH_ROW, begins + TOUCH_ROW - from, ends + TOUCH_ROW - from - n};
	*at += n;
	*left -= n;
	return piece;
}

static inline times touched_bytes_of(const struct piece *piece)
{
	return times_of(piece->begins) & times_of(piece->ends);
}

static inline void note_time(struct touch_table *table, uint64_t n)
{
	table->first = table->first ? table->first : n;
	table->last = n;
}

int touch_store(struct touch_table *table, uint64_t n, uint64_t addr, uint64_t size)
{
	int16_t now = (int16_t)(n % TOUCH_WINDOW);
	note_time(table, n);
	while (size) {
		struct piece piece = next_piece(&addr, &size);
		struct touch_row *row = row_at(table, piece.tag, n / TOUCH_WINDOW);
		if (!row)
			return CAIRN_E_NOMEM;
		put_times(row->store, pick(touched_bytes_of(&piece), all(now), times_of(row->store)));
	}
	return 0;
}

/* Newest and oldest store, newest load, of the bytes of an access so far. */
struct extremes {
	int newest, oldest, load;
};

static inline void touched_look_at(const struct touch_row *row, const struct piece *piece,
                                   struct extremes *extremes)
{
	const times m = touched_bytes_of(piece), store = times_of(row->store), never = all(NEVER);
	int16_t newest = latest(pick(m, store, never)),
			load = latest(pick(m, times_of(row->load), never));
	int16_t oldest = (int16_t)~latest(pick(m, ~store, never)); /* ~ turns the order around */
	extremes->newest = newest > extremes->newest ? newest : extremes->newest;
	extremes->oldest = oldest < extremes->oldest ? oldest : extremes->oldest;
	extremes->load = load > extremes->load ? load : extremes->load;
}

static inline void touched_answer(const struct extremes *extremes, uint64_t n,
                                  struct touch_answer *answer)
{
	int now = (int)(n % TOUCH_WINDOW);
	answer->knows_store = extremes->newest != NEVER;
	answer->knows_load = extremes->load != NEVER;
	answer->stored =
		now - extremes->newest < TOUCH_WINDOW ? (uint32_t)(now - extremes->newest) : TOUCH_NEVER;
	answer->loaded =
		now - extremes->load < TOUCH_WINDOW ? (uint32_t)(now - extremes->load) : TOUCH_NEVER;
	answer->whole = extremes->newest == extremes->oldest;
}

int touch_load(struct touch_table *table, uint64_t n, uint64_t addr, uint64_t size,
               struct touch_answer *answer)
{
	struct extremes extremes = {NEVER, INT16_MAX, NEVER};
	int16_t now = (int16_t)(n % TOUCH_WINDOW);
	note_time(table, n);
	while (size) {
		struct piece piece = next_piece(&addr, &size);
		struct touch_row *row = row_at(table, piece.tag, n / TOUCH_WINDOW);
		if (!row)
			return CAIRN_E_NOMEM;
		touched_look_at(row, &piece, &extremes);
		put_times(row->load, pick(touched_bytes_of(&piece), all(now), times_of(row->load)));
	}
	touched_answer(&extremes, n, answer);
	return 0;
}

void touch_ask(struct touch_table *table, uint64_t n, uint64_t addr, uint64_t size,
               struct touch_answer *answer)
{
	struct extremes extremes = {NEVER, INT16_MAX, NEVER};
	while (size) {
		struct piece piece = next_piece(&addr, &size);
		uint32_t slot = table->n ? *touched_slot_of(table, piece.tag) : 0;
		if (!slot) {
			extremes.oldest = NEVER;
			continue;
		}
		struct touch_row *row = &table->rows[slot - 1];
		move_to(row, n / TOUCH_WINDOW);
		touched_look_at(row, &piece, &extremes);
	}
	touched_answer(&extremes, n, answer);
}

int touch_join(struct touch_table *table, struct touch_table *later)
{
	if (!later->n)
		return 0;
	/* Nothing will ask for what is older than a window. */
	if (!table->n || later->last - later->first >= TOUCH_WINDOW) {
		struct touch_table old = *table;
		*table = *later;
		*later = old;
		return 0;
	}
	uint64_t epoch = later->last / TOUCH_WINDOW;
	for (size_t i = 0; i < later->n; i++) {
		struct touch_row *from = &later->rows[i];
		struct touch_row *to = row_at(table, from->tag, epoch);
		if (!to)
			return CAIRN_E_NOMEM;
		move_to(from, epoch);
		times store = times_of(from->store), load = times_of(from->load);
		put_times(to->store, pick((times)(store == all(NEVER)), times_of(to->store), store));
		put_times(to->load, pick((times)(load == all(NEVER)), times_of(to->load), load));
	}
	table->last = later->last;
	return 0;
}
