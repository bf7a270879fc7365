/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `cairn index`: the library makes the file; this says what became of it.
 */
#include <stdio.h>
#include <string.h>

#include <sys/stat.h>

#include "cmd.h"

/* At how many of its spans the index tells what memory held. */
static unsigned long long memory_places(struct cairn *cairn, const char *trace, const char *path)
{
	struct cairn_index *index;
	uint64_t bytes;
	struct stat dir;
	char ini[4096];
	snprintf(ini, sizeof ini, "%s/snapshot.ini", trace);
	bool snapshot = stat(trace, &dir) == 0 && S_ISDIR(dir.st_mode);
	if (cairn_index_open(cairn, snapshot ? ini : trace, path, &index) < 0)
		return 0;
	unsigned long long n = cairn_index_memory(index, &bytes);
	cairn_index_close(index);
	return n;
}

static int index_print_text(struct cairn_text *text, const char *path,
                            const struct cairn_index_stats *st, unsigned long long places)
{
	bool xacts = st->transactions != 0;
	cairn_text_escape(text, path);
	cairn_text_printf(text, ": %llu span%s, %llu %s, %llu bytes; ", (unsigned long long)st->spans,
	                  st->spans == 1 ? "" : "s",
	                  (unsigned long long)(xacts ? st->transactions : st->instructions),
	                  xacts ? "transactions" : "instructions", (unsigned long long)st->bytes);
	if (!st->jumps)
		cairn_text_printf(text, "summaries only: %s", st->why);
	else if (st->reach >> 20)
		cairn_text_printf(text, "jumps decode at most %llu MiB",
		                  (unsigned long long)((st->reach + (1 << 20) - 1) >> 20));
	else
		cairn_text_printf(text, "can be jumped in");
	if (places)
		cairn_text_printf(text, "; all of memory is known at %llu place%s", places,
		                  places == 1 ? "" : "s");
	return cairn_text_printf(text, "\n");
}

static int index_print_json(struct cairn_text *text, const char *path,
                            const struct cairn_index_stats *st, unsigned long long places)
{
	cairn_json_begin(text, 1);
	cairn_json_text(text, "index", path);
	cairn_json_number(text, "spans", st->spans);
	cairn_json_number(text, "instructions", st->instructions);
	cairn_json_number(text, "transactions", st->transactions);
	cairn_json_number(text, "bytes", st->bytes);
	cairn_json_bool(text, "jumps", st->jumps);
	json_number_if(text, "decoded_for_a_jump", st->jumps, st->reach);
	cairn_json_text(text, "why_not", st->jumps ? NULL : st->why);
	cairn_json_number(text, "memory_places", places);
	cairn_json_number(text, "damaged_places", st->damage);
	return cairn_json_end(text);
}

/* Report what was made of the trace; returns the exit code. */
static int index_tell(struct cairn *cairn, const struct options *options, const char *path,
                      const struct cairn_index_stats *st)
{
	struct cairn_text *text = cairn_text_new(cairn);
	int rc = text ? 0 : CAIRN_E_NOMEM;
	unsigned long long places = memory_places(cairn, options->operands[0], path);
	if (text && options->times[OPT_JSON])
		rc = index_print_json(text, path, st, places);
	else if (text && !options->times[OPT_QUIET])
		rc = index_print_text(text, path, st, places);
	if (rc < 0)
		complain_of(cairn);
	if (text)
		print_text(text, rc, stdout);
	return rc < 0 || st->damage ? EXIT_COULD_NOT : EXIT_FINE;
}

/* What is wrong with the trace. */
static void on_read(void *user, const struct cairn_reader *reader)
{
	const struct options *options = user;
	complain_of_damage(options, options->operands[0], reader);
	if (lacks_program(reader) && !options->times[OPT_QUIET])
		complain_of_program(options->operands[0]);
}

/* Before anything is read: do the options fit the trace, and is the program for the traced machine? */
static int index_fits(struct cairn *cairn, const struct options *options,
                      const struct cairn_image *image)
{
	struct cairn_open_opts opts = {.size = sizeof opts,
	                               .from = options->value[OPT_FROM],
	                               .no_index = 1};
	struct cairn_reader *reader;
	int rc = cairn_open(cairn, options->operands[0], &opts, &reader);
	if (rc < 0)
		return rc;
	rc = ete_options_fit(cairn, options, options->operands[0], reader);
	if (rc >= 0)
		rc = image_fits(cairn, image, options->operands[0], reader);
	cairn_close(reader);
	return rc;
}

static int index_run(const struct verb *self, struct options *options)
{
	struct cairn_index_stats st = {.size = sizeof st};
	char path[4096];
	if (options->n_operands != 1) {
		complain("index takes one trace; usage: cairn index %s", self->usage);
		return EXIT_COULD_NOT;
	}
	struct cairn *cairn = open_context(options);
	if (!cairn)
		return EXIT_COULD_NOT;
	const char *out = options->value[OPT_OUTPUT];
	struct stat dir;
	struct cairn_image *image = NULL;
	bool snapshot = stat(options->operands[0], &dir) == 0 && S_ISDIR(dir.st_mode);
	snprintf(path, sizeof path, "%s%s%s", out ? out : options->operands[0],
	         !out && snapshot ? "/snapshot.ini" : "", out ? "" : ".cai");
	struct cairn_index_opts opts = {.size = sizeof opts,
	                                .from = options->value[OPT_FROM],
	                                .output = out,
	                                .threads = options->threads,
	                                .read = on_read,
	                                .user = options};
	int code = EXIT_COULD_NOT, rc = option_image(cairn, options, &image);
	opts.image = image;
	if (rc >= 0 && (image || options->n_etes || options->times[OPT_TRANSACTIONS]))
		rc = index_fits(cairn, options, image);
	if (rc < 0 || cairn_index_build(cairn, options->operands[0], &opts, &st) < 0)
		complain_of(cairn);
	else
		code = index_tell(cairn, options, path, &st);
	cairn_image_free(image);
	if (code == EXIT_FINE)
		complain_of_time(options, options->operands[0]);
	return close_context(cairn, code);
}

const struct verb verb_index = {
	.name = "index",
	.summary = "make a trace's instructions jumpable, and summarise its parts",
	.usage = "[options] TRACE",
	.help =
		"Writes TRACE.cai. As long as the trace does not change, every verb uses it: to jump to\n"
		"an instruction with its context and record number, to count without reading, and to know\n"
		"which registers and memory each part touches. It works inside gzip, zstd of several\n"
		"frames and xz of several blocks. Where a packing allows no jumps (one long frame,\n"
		"rstzip), index says so, and which cairn convert helps. An index is never required.\n",
	.takes = OPTION_LIST(TAKES_COMMON, TAKES(OUTPUT), TAKES_FROM, TAKES(IMAGE), TAKES(JSON),
                         TAKES(THREADS)),
	.ways = VERB_MAKES_INDEX,
	.run = index_run,
};
