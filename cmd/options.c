/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The option table and its parser: -x, -xVALUE, -x VALUE, -xyz, --name, --name=VALUE, --name VALUE,
 * any unambiguous beginning of a name. Options may stand before and after operands; "--" ends them;
 * "-" is an operand.
 *
 * getopt_long would not do, for its messages: an option that exists but not for this verb, or is
 * misspelt, deserves a better one.
 */
#include "options.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cmd.h"

static const struct option_def {
	char letter; /* 0: none */
	const char *name, *arg, *help;
} table[OPT_COUNT] = {
#define OPTION(id, letter, name, arg, help) {letter, name, arg, help},
#include "option_rows.h"
#undef OPTION
};

unsigned options_distance(const char *a, const char *b)
{
	enum { LONGEST = 32 };
	unsigned row[LONGEST + 1];
	size_t na = strlen(a), nb = strlen(b);
	if (na > LONGEST || nb > LONGEST)
		return UINT_MAX;
	for (size_t j = 0; j <= nb; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		unsigned corner = row[0];
		row[0] = (unsigned)i;
		for (size_t j = 1; j <= nb; j++) {
			unsigned best = corner + (a[i - 1] != b[j - 1]);
			corner = row[j];
			best = row[j] + 1 < best ? row[j] + 1 : best;
			row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
		}
	}
	return row[nb];
}

bool option_taken(option_list takes, int id)
{
	while (*takes != id && *takes != OPT_COUNT)
		takes++;
	return *takes == id;
}

const char *option_name(int id, bool *valued)
{
	*valued = table[id].arg != NULL;
	return table[id].name;
}

static const char *nearest_name(const char *name, option_list takes)
{
	const char *best = NULL;
	unsigned least = 3;
	for (int i = 0; i < OPT_COUNT; i++) {
		unsigned d = option_taken(takes, i) ? options_distance(name, table[i].name) : UINT_MAX;
		if (d < least) {
			least = d;
			best = table[i].name;
		}
	}
	return best;
}

static int unknown_long(const char *verb, const char *name, option_list takes)
{
	for (unsigned i = 0; i < OPT_COUNT; i++)
		if (!strcmp(name, table[i].name)) {
			complain("%s does not take --%s; see cairn %s --help", verb, name, verb);
			return -1;
		}
	const char *near = nearest_name(name, takes);
	if (near)
		complain("there is no option --%s; did you mean --%s?", name, near);
	else
		complain("there is no option --%s; see cairn %s --help", name, verb);
	return -1;
}

/* The option of that name, or of that unambiguous beginning of one; -1 after a sentence. */
static int find_long(const char *verb, const char *text, size_t n, option_list takes)
{
	int found = -1;
	char name[64];
	if (n >= sizeof name)
		n = sizeof name - 1;
	memcpy(name, text, n);
	name[n] = 0;
	/* A name in full means that option, even if it is the beginning of another one. */
	for (int i = 0; i < OPT_COUNT; i++)
		if (!strcmp(table[i].name, name))
			return option_taken(takes, i) ? i : unknown_long(verb, name, takes);
	for (int i = 0; i < OPT_COUNT; i++) {
		if (!option_taken(takes, i) || strncmp(table[i].name, name, n) != 0)
			continue;
		if (found >= 0 || n == 0) {
			complain("--%s may be --%s or --%s", name, table[found < 0 ? 0 : found].name,
			         table[i].name);
			return -1;
		}
		found = i;
	}
	return found >= 0 ? found : unknown_long(verb, name, takes);
}

static int find_short(const char *verb, char letter, option_list takes)
{
	for (int i = 0; i < OPT_COUNT; i++) {
		if (table[i].letter != letter)
			continue;
		if (option_taken(takes, i))
			return i;
		complain("%s does not take -%c (--%s); see cairn %s --help", verb, letter, table[i].name,
		         verb);
		return -1;
	}
	complain("there is no option -%c; see cairn %s --help", letter, verb);
	return -1;
}

/* The options that may be repeated, and where their values are kept in order. */
#define REPEATED(id, list) \
	{ \
		OPT_##id, offsetof(struct options, list), offsetof(struct options, n_##list) \
	}
static const struct {
	int id;
	size_t list, count;
} repeated[] = {REPEATED(REGION, regions),   REPEATED(IMAGE, images), REPEATED(ETE, etes),
                REPEATED(COMMENT, comments), REPEATED(CACHE, caches), REPEATED(DROP, drops),
                REPEATED(MEMORY, memories)};
enum { LISTS = sizeof repeated / sizeof *repeated };

static const char ***list_of(struct options *options, size_t index)
{
	return (void *)((char *)options + repeated[index].list);
}

static void cmd_options_store(struct options *options, int id, const char *value)
{
	options->times[id]++;
	options->value[id] = value;
	for (size_t i = 0; i < LISTS; i++)
		if (repeated[i].id == id) {
			size_t *count = (void *)((char *)options + repeated[i].count);
			(*list_of(options, i))[(*count)++] = value;
		}
}

static int needs_value(int id)
{
	complain("--%s needs a value: %s", table[id].name, table[id].arg);
	return -1;
}

/* argv[*i] begins with "--"; *i moves past its value if that is the next argument. */
static int parse_long(struct options *options, const char *verb, option_list takes, int argc,
                      char **argv, int *i)
{
	const char *name = argv[*i] + 2, *equals = strchr(name, '=');
	int id = find_long(verb, name, equals ? (size_t)(equals - name) : strlen(name), takes);
	if (id < 0)
		return -1;
	const char *value = equals ? equals + 1 : NULL;
	if (!table[id].arg && value) {
		complain("--%s takes no value", table[id].name);
		return -1;
	}
	if (table[id].arg && !value) {
		if (++*i == argc)
			return needs_value(id);
		value = argv[*i];
	}
	cmd_options_store(options, id, value);
	return 0;
}

static int parse_short(struct options *options, const char *verb, option_list takes, int argc,
                       char **argv, int *i)
{
	for (const char *p = argv[*i] + 1; *p; p++) {
		int id = find_short(verb, *p, takes);
		if (id < 0)
			return -1;
		if (!table[id].arg) {
			cmd_options_store(options, id, NULL);
			continue;
		}
		const char *value = p + 1;
		if (!*value) {
			if (++*i == argc)
				return needs_value(id);
			value = argv[*i];
		}
		cmd_options_store(options, id, value);
		break;
	}
	return 0;
}

/* One more option behind the format's name. */
static int add_to_from(struct options *options, const char *from, const char *name,
                       const char *value)
{
	char *text;
	if (asprintf(&text, "%s%s%s%s", from, strchr(from, ':') ? "," : ":", name, value) < 0) {
		complain("out of memory");
		return -1;
	}
	free(options->from);
	options->from = text;
	options->value[OPT_FROM] = text;
	return 0;
}

/* --ete X, --transactions X and --elements are ways to say --from ete:X, but of what looks like another format. */
static int put_into_from(struct options *options, int id, const char *name, const char *value)
{
	const char *from = options->value[OPT_FROM];
	if (from && strncasecmp(from + (*from == '?'), "ete", 3) != 0) {
		complain("--%s is for ETE traces, but --from says %s", table[id].name, from);
		return -1;
	}
	return add_to_from(options, from ? from : "?ete", name, value);
}

static int put_from_together(struct options *options)
{
	int rc = 0;
	for (size_t i = 0; i < options->n_etes && rc >= 0;
	     i++) /* an empty word ends what is for one ID */
		rc = put_into_from(options, OPT_ETE, ",", options->etes[i]);
	if (rc >= 0 && options->times[OPT_TRANSACTIONS])
		rc = put_into_from(options, OPT_TRANSACTIONS,
		                   "transactions=", options->value[OPT_TRANSACTIONS]);
	if (rc >= 0 && options->times[OPT_ELEMENTS])
		rc = put_into_from(options, OPT_ELEMENTS, "records=", "elements");
	return rc;
}

static int check_values(struct options *options)
{
	if (put_from_together(options) < 0)
		return -1;
	const char *when = options->value[OPT_COLOR], *threads = options->value[OPT_THREADS];
	if (when && strcmp(when, "auto") && strcmp(when, "always") && strcmp(when, "never")) {
		complain("--color is auto, always or never, not '%s'", when);
		return -1;
	}
	cpu_set_t set;
	int cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
	options->threads = cores > 0 ? (unsigned)cores : 1;
	if (threads) {
		char *end;
		errno = 0;
		unsigned long n = strtoul(threads, &end, 10);
		if (*threads < '0' || *threads > '9' || *end || errno || n < 1 || n > 4096) {
			complain("--threads is a number from 1 to 4096, not '%s'", threads);
			return -1;
		}
		options->threads = (unsigned)n;
	}
	return 0;
}

int options_parse(struct options *options, const char *verb, option_list takes, int argc,
                  char **argv)
{
	size_t most = (size_t)argc + 1;
	bool ended = false;
	memset(options, 0, sizeof *options);
	options->verb = verb;
	options->argc = argc;
	options->argv = argv;
	clock_gettime(CLOCK_MONOTONIC, &options->began);
	options->operands = calloc(most, sizeof *options->operands);
	bool memory = options->operands != NULL;
	for (size_t i = 0; i < LISTS; i++)
		memory &= (*list_of(options, i) = calloc(most, sizeof(char *))) != NULL;
	if (!memory) {
		complain("out of memory");
		return -1;
	}
	for (int i = 0; i < argc; i++) {
		const char *arg = argv[i];
		int rc = 0;
		if (ended || arg[0] != '-' || !arg[1])
			options->operands[options->n_operands++] = arg;
		else if (!strcmp(arg, "--"))
			ended = true;
		else if (arg[1] == '-')
			rc = parse_long(options, verb, takes, argc, argv, &i);
		else
			rc = parse_short(options, verb, takes, argc, argv, &i);
		if (rc < 0)
			return -1;
		if (options->times[OPT_HELP])
			return 0;
	}
	return check_values(options);
}

void options_free(struct options *options)
{
	for (size_t i = 0; i < LISTS; i++)
		free(*list_of(options, i));
	free(options->operands);
	free(options->from);
}

int options_number(const struct options *options, enum option_id id, uint64_t most, uint64_t *out)
{
	const char *text = options->value[id];
	uint64_t n;
	if (!text)
		return 0;
	if (cairn_number(text, strlen(text), &n) < 0 || n > most) {
		if (most == UINT64_MAX)
			complain("--%s is a number, not '%s'", table[id].name, text);
		else
			complain("--%s is a number up to %llu, not '%s'", table[id].name,
			         (unsigned long long)most, text);
		return -1;
	}
	*out = n;
	return 0;
}

/* Columns that a UTF-8 text takes on a terminal: its characters, since ours are all narrow. */
static int columns(const char *text)
{
	int n = 0;
	for (; *text; text++)
		n += (*text & 0xc0) != 0x80;
	return n;
}

/* Print a text in the rest of 80 columns, behind column `at`. */
static void print_wrapped(const char *text, int at)
{
	enum { WIDTH = 79 };
	int column = at;
	while (*text) {
		size_t n = strcspn(text, " ");
		char word[96];
		snprintf(word, sizeof word, "%.*s", (int)n, text);
		int width = columns(word);
		if (column > at && column + 1 + width > WIDTH) {
			printf("\n%*s", at, "");
			column = at;
		}
		printf("%s%s", column > at ? " " : "", word);
		column += (column > at) + width;
		text += n + (text[n] == ' ');
	}
	printf("\n");
}

void options_line(const char *indent, const char *option, const char *help)
{
	enum { COLUMN = 34 };
	int pad = COLUMN - columns(indent) - columns(option);
	if (pad < 2)
		printf("%s%s\n%*s", indent, option, COLUMN, "");
	else
		printf("%s%s%*s", indent, option, pad, "");
	print_wrapped(help, COLUMN);
}

void options_help(option_list takes)
{
	for (int i = 0; i < OPT_COUNT; i++) {
		const struct option_def *def = &table[i];
		char indent[] = "  -x, ", option[96];
		if (takes && !option_taken(takes, i))
			continue;
		if (def->letter)
			indent[3] = def->letter;
		else
			memset(indent, ' ', sizeof indent - 1);
		snprintf(option, sizeof option, "--%s%s%s", def->name, def->arg ? " " : "",
		         def->arg ? def->arg : "");
		options_line(indent, option, def->help);
	}
}
