/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source lines of the files of an image, through libdw. The line tables of all units are read once
 * into one array sorted by address, which any thread may then search. An address belongs to the
 * last row at or before it, unless a sequence has ended in between. Addresses of a file are moved
 * together with its segments.
 *
 * Without libdw there are no lines, and the error says what to install.
 */
#include "image/image.h"

#include "config.h"

#ifndef HAVE_DW

int image_lines_read(struct cairn *c, const struct image_file *files, size_t n,
                     struct image_lines **out)
{
	(void)files;
	(void)n;
	*out = NULL;
	return base_fail(c, CAIRN_E_UNSUPPORTED,
	                 "this cairn was built without libdw (libdw-dev), which reads source lines");
}

void image_lines_free(struct image_lines *lines)
{
	(void)lines;
}

int image_lines_at(const struct image_lines *lines, uint64_t addr, struct cairn_line *out)
{
	(void)lines;
	(void)addr;
	(void)out;
	return 0;
}

#else

#include <elfutils/libdw.h>
#include <stdlib.h>

#include "image/plt.h"

enum { MOST_LINE = 1 << 24 };

struct row {
	uint64_t addr;
	const char *file; /* libdw's; NULL: a sequence ends */
	uint32_t line, order;
};

struct open_file {
	Elf *elf;
	Dwarf *dwarf;
};

struct image_lines {
	struct cairn *cairn;
	struct open_file *files;
	size_t n_files;
	struct base_buf rows;
	size_t n;
};

static int lines_add_unit(struct image_lines *all, Dwarf_Die *unit, uint64_t by)
{
	Dwarf_Lines *lines;
	size_t n;
	int rc = 0;
	if (dwarf_getsrclines(unit, &lines, &n) != 0)
		return 0; /* a unit may have none */
	for (size_t i = 0; i < n && rc >= 0; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		Dwarf_Addr addr;
		int number = 0;
		bool end = false;
		if (!line || dwarf_lineaddr(line, &addr) || dwarf_lineno(line, &number) ||
		    dwarf_lineendsequence(line, &end))
			continue;
		struct row row = {.addr = addr + by, .order = (uint32_t)all->n++};
		row.file = end ? NULL : dwarf_linesrc(line, NULL, NULL);
		row.line = number > 0 && number < MOST_LINE ? (uint32_t)number : 0;
		rc = base_buf_put(&all->rows, &row, sizeof row);
	}
	return rc;
}

static int add_file(struct image_lines *lines, const struct image_file *file)
{
	struct open_file *open_file = &lines->files[lines->n_files++];
	Dwarf_Off off = 0, next;
	size_t head;
	int rc = 0;
	open_file->elf = image_open_elf(file);
	open_file->dwarf = open_file->elf ? dwarf_begin_elf(open_file->elf, DWARF_C_READ, NULL) : NULL;
	while (open_file->dwarf && rc >= 0 &&
	       dwarf_nextcu(open_file->dwarf, off, &next, &head, NULL, NULL, NULL) == 0) {
		Dwarf_Die unit;
		if (dwarf_offdie(open_file->dwarf, off + head, &unit))
			rc = lines_add_unit(lines, &unit, file->by);
		off = next;
	}
	return rc;
}

/* By address; where one sequence ends and another begins, the beginning counts, and of
 * several rows at one address the last. */
static int lines_by_address(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (!x->file != !y->file)
		return x->file ? 1 : -1;
	return x->order < y->order ? -1 : x->order > y->order;
}

int image_lines_read(struct cairn *cairn, const struct image_file *files, size_t n,
                     struct image_lines **out)
{
	struct image_lines *lines = base_alloc(cairn, sizeof *lines);
	*out = NULL;
	if (!lines)
		return CAIRN_E_NOMEM;
	lines->cairn = cairn;
	base_buf_init(&lines->rows, cairn);
	lines->files = base_alloc(cairn, (n + 1) * sizeof *lines->files);
	int rc = lines->files ? 0 : CAIRN_E_NOMEM;
	for (size_t i = 0; i < n && rc >= 0; i++)
		rc = image_is_elf(&files[i]) ? add_file(lines, &files[i]) : 0;
	lines->n = lines->rows.len / sizeof(struct row);
	if (rc >= 0 && lines->n == 0)
		rc = base_fail(cairn, CAIRN_E_NOTFOUND, "%s: it has no source lines: compile it with -g",
		               n ? files[n - 1].name : "the image");
	if (rc < 0) {
		image_lines_free(lines);
		return rc;
	}
	qsort(lines->rows.data, lines->n, sizeof(struct row), lines_by_address);
	*out = lines;
	return 0;
}

void image_lines_free(struct image_lines *lines)
{
	if (!lines)
		return;
	for (size_t i = 0; i < lines->n_files; i++) {
		if (lines->files[i].dwarf)
			dwarf_end(lines->files[i].dwarf);
		elf_end(lines->files[i].elf);
	}
	base_free(lines->cairn, lines->files);
	base_buf_free(&lines->rows);
	base_free(lines->cairn, lines);
}

int image_lines_at(const struct image_lines *lines, uint64_t addr, struct cairn_line *out)
{
	const struct row *rows = (const void *)lines->rows.data;
	size_t lo = 0, hi = lines->n;
	while (lo < hi) /* how many rows are not behind it */
		base_halve(&lo, &hi, rows[base_half(lo, hi)].addr <= addr);
	if (lo == 0 || !rows[lo - 1].file || rows[lo - 1].line == 0)
		return 0;
	*out = (struct cairn_line){.file = rows[lo - 1].file, .line = rows[lo - 1].line};
	return 1;
}

#endif
