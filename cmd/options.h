/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_OPTIONS_H
#define CMD_OPTIONS_H
/*
 * One table of options for all verbs: an option means the same wherever it is
 * taken, and a verb only lists which it takes.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum option_id {
#define OPTION(id, letter, name, arg, help) OPT_##id,
#include "option_rows.h"
#undef OPTION
	OPT_COUNT
};
/* The options that a verb takes: OPTION_LIST(TAKES(JSON), TAKES_COMMON). One may be listed twice.
 *  */
typedef const uint8_t *option_list;
#define OPTION_LIST(...) ((const uint8_t[]){__VA_ARGS__, OPT_COUNT})
#define TAKES(id) OPT_##id
_Static_assert(OPT_COUNT <= UINT8_MAX, "a list has room for every option");
/* How to read the input. */
#define TAKES_FROM TAKES(FROM), TAKES(ETE), TAKES(TRANSACTIONS), TAKES(TRUST_PATHS)
/* What every verb takes, so that a script can give it to any. */
#define TAKES_COMMON TAKES(COLOR), TAKES(NO_PROGRESS), TAKES(QUIET), TAKES(VERBOSE), TAKES(HELP)
/* What every verb that reads a trace takes. */
#define TAKES_TRACE TAKES_COMMON, TAKES(OUTPUT), TAKES_FROM, TAKES(STRICT), TAKES(JSON)

/* What every analysis takes. */
#define TAKES_ANALYSIS \
	TAKES_TRACE, TAKES(REGION), TAKES(WHERE), TAKES(IMAGE), TAKES(THREADS), TAKES(CSV), \
		TAKES(EVERY), TAKES(TOP), TAKES(TABLE)

/* Options of verbs that write a trace. */
#define TAKES_MAKING \
	TAKES_COMMON, TAKES(OUTPUT), TAKES(TO), TAKES(CODEC), TAKES(LOSSLESS), TAKES(LOSSY), \
		TAKES(THREADS)
/* Options of verbs that make a trace of others. */
#define TAKES_CHANGE TAKES_MAKING, TAKES_FROM, TAKES(STRICT), TAKES(IMAGE)

/* Values point into argv. */
struct options {
	const char *verb;
	unsigned times[OPT_COUNT];    /* how often it was given */
	const char *value[OPT_COUNT]; /* the last one given */
	/* the repeatable ones, in order */
	const char **regions, **images, **comments, **drops, **memories, **caches, **etes;
	size_t n_regions, n_images, n_comments, n_drops, n_memories, n_caches, n_etes;
	const char **operands;
	size_t n_operands;
	unsigned threads;
	char *
		from; /* the value of --from, --ete and --elements together, if it had to be put together */
	int argc; /* what followed the verb */
	char **argv;
	struct timespec began;
	struct cairn *cairn; /* the context when the run is part of another one; else NULL */
};

/* Parse argv, from behind the verb on. 0, or -1 after a sentence on standard error. At --help it
 * stops and counts it in times[OPT_HELP]. */
int options_parse(struct options *options, const char *verb, option_list takes, int argc,
                  char **argv);
void options_free(struct options *options);
/* The value of an option as a number up to `most` (1000, 20k, 3M, 1G); unchanged when it was
 * not given. 0, or -1 after a sentence. */
int options_number(const struct options *options, enum option_id id, uint64_t most, uint64_t *out);
bool option_taken(option_list takes, int id);
/* The name of an option, without dashes; whether it takes a value. */
const char *option_name(int id, bool *valued);
/* The table's lines for the options of a list (NULL: of all), on standard output. */
void options_help(option_list takes);
/* One such line, its help wrapped. */
void options_line(const char *indent, const char *option, const char *help);

/* Edits that turn one word into the other, for "did you mean". */
unsigned options_distance(const char *a, const char *b);

#endif
