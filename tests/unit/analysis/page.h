/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UNIT_ANALYSIS_PAGE_H
#define UNIT_ANALYSIS_PAGE_H
/*
 * A report's page under test. A cell that was compared is crossed out on the page, so that in
 * the end it shows whether any is left. And what the walks over a trace share that say what
 * should stand there.
 */
#include <math.h>
#include <stdbool.h>

#include "rows.h"

enum { SHOWN = 15, CELL = 200, LINE = 64, PAGE = 4096 };
#define NUMBER "<td class=\"n\">"
#define UNKNOWN NAN

/* A table of a section, found by its caption; NULL: its figures. */
struct grid {
	char *from, *end;
	size_t rows;
};

char *section_of(char *page, const char *id, char **end);
struct grid grid_of(char *page, const char *id, const char *caption);
char *nth(char *at, const char *tag, size_t n, const char *end);
void take(struct grid grid, size_t row, size_t column, char out[CELL]);
size_t column_of(struct grid grid, const char *name);
void text_is(struct grid grid, size_t row, const char *column, const char *want);
void number_is(struct grid grid, size_t row, const char *column, uint64_t want);
void spell(double x, int decimals, char text[CELL]);
void real_is(struct grid grid, size_t row, const char *column, double want, int decimals);
double share(uint64_t part, uint64_t whole);
void figure_is(struct grid grid, const char *name, const char *want);
void count_is(struct grid grid, const char *name, uint64_t want);
void shows_first(struct grid grid, size_t all);

struct touch { /* an access of an instruction */
	uint64_t addr;
	uint32_t size;
	size_t row;
	bool write;
};

bool runs(const struct cairn_insn *in);
bool goes(const struct cairn_insn *in);
unsigned hart_of(const struct row *row);
uint64_t count_insns(const struct trace *trace, bool executed);
struct touch *accesses_of(const struct trace *trace, size_t *n);
bool covers(const struct touch *touch, uint64_t unit, uint64_t size);
uint64_t distinct(const struct touch *touch, size_t n, uint64_t size, bool written);

/* Each section's, by walking: fail the test where it differs. */
void check_branches(char *page, const struct trace *trace);
void check_memory(char *page, const struct trace *trace);

#endif
