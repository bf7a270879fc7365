/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXPORT_TABLE_H
#define EXPORT_TABLE_H
/* How a cell is spelt, for all forms of tables. */
#include <stdbool.h>

#include "cairn/analysis.h"

enum { TABLE_CELL = 64 };

/* A cell that is known and no text; `exact` is for programs. Returns the length. */
size_t table_spell(char buf[TABLE_CELL], const struct cairn_column *col,
                   const struct cairn_cell *cell, bool exact);
/* Does it stand to the right of its place? */
bool table_is_number(const struct cairn_column *column);
/* The table of that name, NULL when there is none. */
const struct cairn_table *table_find(const struct cairn_result *res, const char *name);

#endif
