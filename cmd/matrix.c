/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `cairn convert --matrix`: the library's table of what conversions carry. A line for each
 * kind of information and format that has it: what becomes of it in each that is written; then
 * the same cells in words, and the pairs that are refused. docs/formats/conversions.md has
 * this text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

static const char marks[] = {[CAIRN_CARRY_NONE] = '.',
                             [CAIRN_CARRY_EXACTLY] = '=',
                             [CAIRN_CARRY_OTHERWISE] = '~',
                             [CAIRN_CARRY_LOST] = '-',
                             [CAIRN_CARRY_REFUSED] = '!'};
static const char *const words[] = {[CAIRN_CARRY_NONE] = "none",
                                    [CAIRN_CARRY_EXACTLY] = "exactly",
                                    [CAIRN_CARRY_OTHERWISE] = "otherwise",
                                    [CAIRN_CARRY_LOST] = "lost",
                                    [CAIRN_CARRY_REFUSED] = "refused"};

static int as_json(struct cairn *cairn, FILE *to)
{
	struct cairn_text *text = cairn_text_new(cairn);
	struct cairn_carry carry = {.size = sizeof carry};
	int rc = text ? 0 : CAIRN_E_NOMEM;
	for (size_t i = 0; text && cairn_matrix(i, &carry); i++) {
		cairn_json_begin(text, 0);
		cairn_json_text(text, "kind", carry.kind);
		cairn_json_text(text, "meaning", carry.meaning);
		cairn_json_text(text, "from", carry.from);
		cairn_json_text(text, "to", carry.to);
		cairn_json_text(text, "carried", words[carry.carried]);
		cairn_json_text(text, "how", carry.how);
		rc = cairn_json_end(text);
	}
	return print_text(text, rc, to);
}

/* The number of rows from `from` on that are of the same kind. */
static size_t rows_of_kind(size_t from, struct cairn_carry *first)
{
	struct cairn_carry carry = {.size = sizeof carry};
	size_t n = 0;
	if (!cairn_matrix(from, first))
		return 0;
	while (cairn_matrix(from + n, &carry) && !strcmp(carry.kind, first->kind))
		n++;
	return n;
}

/* A line for each source that has the kind, with a mark for each target. */
static void kinds_by_pair(FILE *to)
{
	struct cairn_carry x = {.size = sizeof x}, y = {.size = sizeof y};
	size_t n;
	fprintf(to, "# = the same when read back   ~ carried in another way   - lost, and counted\n");
	fprintf(to, "# . the source has no such thing   ! the pair is refused\n#\n");
	fprintf(to, "%-18s%-9s%-5s%-5s%-5s%-5s%s\n", "# kind", "from", "STF", "RST", "VIXL", "ETE",
	        "what it is");
	for (size_t i = 0; (n = rows_of_kind(i, &x)) > 0; i += n) {
		const char *what = x.meaning;
		for (size_t k = 0; k < n; k += 4) {
			bool has = false;
			char line[4];
			for (size_t t = 0; t < 4; t++) {
				cairn_matrix(i + k + t, &y);
				line[t] = marks[y.carried];
				has |= y.carried != CAIRN_CARRY_NONE && y.carried != CAIRN_CARRY_REFUSED;
			}
			if (!has)
				continue;
			fprintf(to, "%-18s%-9s%-5c%-5c%-5c%c%s%s\n", y.kind, y.from, line[0], line[1], line[2],
			        line[3], *what ? "    " : "", what);
			what = "";
		}
	}
}

/* The meaning of a kind's marks, each sentence once. */
static void in_words(FILE *to)
{
	struct cairn_carry x = {.size = sizeof x}, y = {.size = sizeof y},
					   carry = {.size = sizeof carry};
	size_t n;
	fprintf(to, "\n# in words\n");
	for (size_t i = 0; (n = rows_of_kind(i, &x)) > 0; i += n)
		for (size_t t = 0; t < 4; t++) {
			bool told = false;
			for (size_t k = t; k < n && !told; k += 4) {
				cairn_matrix(i + k, &y);
				told = y.how && y.carried != CAIRN_CARRY_REFUSED && strcmp(y.from, y.to) != 0;
			}
			if (told)
				fprintf(to, "%-16s to %-5s %c %s%s\n", y.kind, y.to, marks[y.carried],
				        y.carried == CAIRN_CARRY_LOST ? "lost: " : "", y.how);
		}
	fprintf(to, "\n# refused\n");
	n = rows_of_kind(0, &x);
	for (size_t k = 0; k < n; k++)
		if (cairn_matrix(k, &carry) && carry.carried == CAIRN_CARRY_REFUSED)
			fprintf(to, "%-8s to %-5s ! %s\n", carry.from, carry.to, carry.how);
}

/* The table is about formats: refuse options and operands about a trace. */
static int refuse_others(const struct options *options)
{
	static const uint8_t fine[] = {OPT_MATRIX, OPT_JSON, OPT_OUTPUT, OPT_COUNT};
	if (options->n_operands)
		complain("--matrix takes no trace, and %s is one", options->operands[0]);
	for (int i = 0; i < OPT_COUNT && !options->n_operands; i++)
		if (options->times[i] && !option_taken(fine, i)) {
			bool valued;
			complain("--%s cannot be combined with --matrix", option_name(i, &valued));
			return -1;
		}
	return options->n_operands ? -1 : 0;
}

static int matrix_write(struct cairn *cairn, const char *out, const char *text, size_t n)
{
	struct cairn_sink *sink;
	int rc = cairn_sink_open(cairn, out, &sink);
	if (rc < 0)
		return rc;
	rc = cairn_sink_write(sink, text, n);
	if (rc >= 0)
		return cairn_sink_finish(sink);
	cairn_sink_discard(sink);
	return rc;
}

int print_matrix(const struct options *options)
{
	const char *out = options->value[OPT_OUTPUT] ? options->value[OPT_OUTPUT] : "-";
	char *text = NULL;
	size_t n = 0;
	if (refuse_others(options) < 0 || refuse_trace_name("convert --matrix", "text", out) < 0)
		return EXIT_COULD_NOT;
	struct cairn *cairn = cairn_new(NULL);
	FILE *to = cairn ? open_memstream(&text, &n) : NULL;
	int rc = to ? 0 : CAIRN_E_NOMEM;
	if (to && options->times[OPT_JSON]) {
		rc = as_json(cairn, to);
	} else if (to) {
		kinds_by_pair(to);
		in_words(to);
	}
	if (to && fclose(to) != 0)
		rc = CAIRN_E_NOMEM;
	if (rc >= 0)
		rc = matrix_write(cairn, out, text, n);
	free(text);
	if (rc < 0)
		complain("%s", cairn ? cairn_error_text(cairn) : "out of memory");
	return close_context(cairn, rc >= 0 ? EXIT_FINE : EXIT_COULD_NOT);
}
