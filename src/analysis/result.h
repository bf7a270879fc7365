/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_RESULT_H
#define ANALYSIS_RESULT_H
/*
 * Making a result: tables, rows, cells. The result keeps its first failure (out of memory), so
 * that one call at the end is enough to check for it: result_status.
 */
#include "base/base.h"
#include "cairn/analysis.h"

enum { RESULT_COLUMNS = 32 }; /* of a table at most, an interval's two among them */

/* A column (struct cairn_column) by what its cells hold, and what they mean. */
#define COUNT(name, meaning) \
	{ \
		name, CAIRN_CELL_COUNT, 0, meaning \
	}
#define SIGNED(name, meaning) \
	{ \
		name, CAIRN_CELL_SIGNED, 0, meaning \
	}
#define ADDRESS(name, meaning) \
	{ \
		name, CAIRN_CELL_ADDRESS, 0, meaning \
	}
#define TEXT(name, meaning) \
	{ \
		name, CAIRN_CELL_TEXT, 0, meaning \
	}
#define REAL(name, decimals, meaning) \
	{ \
		name, CAIRN_CELL_REAL, decimals, meaning \
	}

struct result_table;

/* `only`: the one table that keeps rows, those of others are forgotten; NULL: all. */
struct cairn_result *result_new(struct cairn *cairn, const char *only);
/* From now on rows belong to the interval of these instructions (a series). */
void result_interval(struct cairn_result *res, uint64_t first, uint64_t last);
/* The interval rows belong to now. */
uint64_t result_first(const struct cairn_result *res);
uint64_t result_last(const struct cairn_result *res);
/* The table of that name, made when there is none. The name is copied; columns are
 * constants. Never NULL. */
struct result_table *result_table(struct cairn_result *res, const char *name,
                                  const struct cairn_column *columns, size_t n_columns);
/* A figure of the table "summary", which has one row (an interval): a column and its number. */
struct result_figure {
	struct cairn_column column;
	uint64_t number; /* of COUNT and SIGNED; what is REAL is unknown until the caller fills it in */
};
/* Make its row, of which the cells are returned. Never NULL. */
struct cairn_cell *result_summary(struct cairn_result *res, const struct result_figure *figures,
                                  size_t n);
/* A new row of unknown cells, behind those of the interval. Never NULL. */
struct cairn_cell *result_row(struct cairn_result *res, struct result_table *table);
/* There would be so many more rows behind these. */
void result_more(struct result_table *table, uint64_t n);
/* Take the rows of all tables out again. */
void result_no_rows(struct cairn_result *res);
/* Take the rows of all tables out, and free the texts made for them. */
void result_forget(struct cairn_result *res);
/* Are rows of this table kept? */
bool result_keeps(const struct cairn_result *res, const struct result_table *table);
/* Whether there is a table of that name; the sentence names those there are. */
int result_asked(const struct cairn_result *res, const char *name);
/* A copy of a text that lives as long as the result. */
const char *result_text(struct cairn_result *res, const char *fmt, ...) CAIRN_PRINTF(2, 3);
/* Add a sentence, unless it is there already. */
void result_note(struct cairn_result *res, const char *fmt, ...) CAIRN_PRINTF(2, 3);
/* Leave the sentences with the reader (cairn_reader_note), and free the rest. NULL is fine. */
void result_leave_notes(struct cairn_reader *reader, struct cairn_result *res);
/* As a picture, columns of a screen at most (0: all on one). */
void result_wrap(struct cairn_result *res, unsigned columns);
unsigned result_wrapped(const struct cairn_result *res);
int result_status(const struct cairn_result *res);

static inline void cell_number(struct cairn_cell *cell, uint64_t n)
{
	cell->v.number = n;
	cell->known = 1;
}

static inline void cell_real(struct cairn_cell *cell, double value)
{
	cell->v.real = value;
	cell->known = 1;
}

/* A part of a whole, in percent; unknown of nothing. */
static inline void cell_share(struct cairn_cell *cell, uint64_t part, uint64_t whole)
{
	if (whole)
		cell_real(cell, 100.0 * (double)part / (double)whole);
}

/* A quotient; unknown of nothing. */
static inline void cell_ratio(struct cairn_cell *cell, double part, double whole)
{
	if (whole != 0)
		cell_real(cell, part / whole);
}

/* The text must live as long as the result; NULL is unknown. */
static inline void cell_text(struct cairn_cell *cell, const char *text)
{
	cell->v.text = text;
	cell->known = text != NULL;
}

#endif
