/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The option table and its parser: -x, -xVALUE, -x VALUE, -xyz, --name,
 * --name=VALUE, --name VALUE, any unambiguous beginning of a name. Options may
 * stand before and after operands; "--" ends them; "-" is an operand.
 *
 * It is not getopt_long because of the sentences: an option that exists but not
 * for this verb, or is misspelt, deserves a better one.
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
	[OPT_OUTPUT] = {'o', "output", "FILE", "write to FILE; - is standard output, the default"},
	[OPT_FROM] = {0, "from", "FORMAT[:OPTION,…]",
                  "read the input as this format instead of recognising it"},
	[OPT_ETE] = {0, "ete", "NAME=VALUE,…",
                 "how to read the bytes of an ETE trace unit (trcidr0=0x…)"},
	[OPT_TRUST_PATHS] = {0, "trust-paths", NULL,
                         "open files that a snapshot names outside its folder"},
	[OPT_TRANSACTIONS] = {0, "transactions", "WHAT",
                          "ETE: discard (the default) or keep what ran in failed transactions"},
	[OPT_ELEMENTS] = {0, "elements", NULL,
                      "ETE: show what the packets mean (elements) instead of packets"},
	[OPT_TO] = {0, "to", "FORMAT[:OPTION,…]", "write this format"},
	[OPT_CODEC] = {0, "codec", "CODEC[:LEVEL]", "compress the output with this codec"},
	[OPT_REGION] = {'R', "region", "REGION", "only this region; may be repeated"},
	[OPT_WHERE] = {'w', "where", "EXPR", "only where this holds: class==load && addr>=0x1000"},
	[OPT_IMAGE] = {0, "image", "FILE[@[SPACE:]ADDRESS]",
                   "the program, for its bytes and symbols; may be repeated"},
	[OPT_REGS] = {'r', "regs", NULL, "show registers"},
	[OPT_MEMS] = {'m', "mems", NULL, "show memory accesses"},
	[OPT_EVENTS] = {'e', "events", NULL, "show events, comments and page walks"},
	[OPT_ALL] = {'a', "all", NULL, "show everything; of --writes and --reads, find every one"},
	[OPT_LINES] = {0, "lines", NULL, "show source lines; the program needs -g"},
	[OPT_NO_DISASM] = {'D', "no-disasm", NULL, "show encodings without disassembly"},
	[OPT_JSON] = {0, "json", NULL, "print JSON; what is unknown is null"},
	[OPT_STRICT] = {0, "strict", NULL, "stop at the first damaged place"},
	[OPT_LOSSLESS] = {0, "lossless", NULL, "stop when the output cannot hold something"},
	[OPT_MATRIX] = {0, "matrix", NULL, "show what each conversion keeps; takes no trace"},
	[OPT_LOSSY] = {0, "lossy", NULL, "drop what a packing (rstzip) cannot keep, and report it"},
	[OPT_BY] = {0, "by", "WHAT", "the fields to count by (mix); cpu, pid or tid (split)"},
	[OPT_EVERY] = {0, "every", "N", "one result or part for every N instructions"},
	[OPT_THREADS] = {'j', "threads", "N", "use N threads; the default is one for each processor"},
	[OPT_WINDOWS] = {0, "windows", "N:K", "of every N instructions take the first K"},
	[OPT_LOOK_BACK] = {0, "look-back", "N",
                       "read N instructions, or all, before a region for its state"},
	[OPT_COMMENT] = {0, "comment", "TEXT", "add a comment; may be repeated"},
	[OPT_FEATURE] = {0, "feature", "+NAME,-NAME", "declare features (+) or remove them (-)"},
	[OPT_ISA_STRING] = {0, "isa-string", "TEXT",
                        "set the instruction set (rv64gcv_zba); '' removes it"},
	[OPT_GENERATOR] = {0, "generator", "NAME[,VERSION[,TEXT]]",
                       "add who made the trace (Spike,1.1.0)"},
	[OPT_DROP] = {0, "drop", "TYPE[,TYPE…]", "leave out records of these types; may be repeated"},
	[OPT_IGNORE] = {0, "ignore", "LIST", "do not compare these (pc,encoding,values …)"},
	[OPT_WINDOW] = {0, "window", "N", "look this far for the place where the traces agree again"},
	[OPT_LIMIT] = {'n', "limit", "N", "show at most N; 0 shows all"},
	[OPT_COLOR] = {0, "color", "WHEN", "use colours: auto, always or never"},
	[OPT_NO_PROGRESS] = {0, "no-progress", NULL, "show no progress bar"},
	[OPT_QUIET] = {'q', "quiet", NULL, "print only errors and losses"},
	[OPT_VERBOSE] = {'v', "verbose", NULL, "print more: every damaged place, the time taken"},
	[OPT_RULES] = {0, "rules", NULL, "list the rules"},
	[OPT_ALL_FINDINGS] = {0, "all-findings", NULL,
                          "show all findings, not only the first 100 of each rule"},
	[OPT_STATE] = {0, "state", NULL, "show registers and memory before an instruction"},
	[OPT_AFTER] = {0, "after", NULL, "with --state: show them after it"},
	[OPT_MEMORY] = {0, "memory", "PLACE",
                    "with --state: only these bytes of memory; may be repeated"},
	[OPT_WRITES] = {0, "writes", "PLACE", "find what wrote x5, 0x80001000+8 or @symbol"},
	[OPT_READS] = {0, "reads", "PLACE", "find what read it"},
	[OPT_BEFORE] = {0, "before", "N", "look only before instruction N"},
	[OPT_FIRST] = {0, "first", NULL, "only the first one; with -n N, the first N"},
	[OPT_LAST] = {0, "last", NULL, "only the last one; with -n N, the last N"},
	[OPT_ONLY_COUNT] = {0, "count", NULL, "print only how many there are"},
	[OPT_CSV] = {0, "csv", NULL, "print comma-separated values"},
	[OPT_TOP] =
		{0, "top", "N",
         "at most N rows of each table, 0 for all; the default is 20 as text, all as JSON and CSV"},
	[OPT_TABLE] = {0, "table", "NAME", "print only this table"},
	[OPT_PREDICTOR] = {0, "predictor", "NAME[:BYTES],…",
                       "run reference predictors: bimodal, gshare, tage, or all"},
	[OPT_ENDS] = {0, "ends", "WHAT", "what ends a block: any branch, or only a taken one (taken)"},
	[OPT_CLUSTERS] = {0, "clusters", "N",
                      "at most N clusters; the default is 30, or a quarter of the intervals"},
	[OPT_SIMPOINTS] = {0, "simpoints", "FILE",
                       "cut the intervals that cairn simpoints --csv printed"},
	[OPT_CACHE] = {0, "cache", "SIZE,WAYS,LINE", "simulate a cache: 32K,8,64; may be repeated"},
	[OPT_LINE] = {0, "line", "BYTES", "bytes of a line in all other tables; the default is 64"},
	[OPT_REUSE] = {0, "reuse", "HOW",
                   "reuse distances: exact (the default), sampled, sampled:N, none"},
	[OPT_ESTIMATE] = {0, "estimate", NULL, "estimate from samples: about three times as fast"},
	[OPT_WIDTH] = {0, "width", "N", "this many columns; the default fits the terminal"},
	[OPT_START] = {0, "start", "WHERE", "start at @symbol, 0xADDRESS or instruction N"},
	[OPT_STOP] = {0, "stop", "WHERE",
                  "stop before @symbol or 0xADDRESS, after instruction N, or after +N"},
	[OPT_NO_REGS] = {0, "no-regs", NULL, "record no registers: about twice as fast"},
	[OPT_QEMU] = {0, "qemu", "FILE", "run the program with this QEMU; the default is qemu-ARCH"},
	[OPT_SYSROOT] = {0, "sysroot", "FOLDER",
                     "the folder of the program's loader and shared libraries"},
	[OPT_HELP] = {'h', "help", NULL, "print this text"},
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

/* The option of that name or unambiguous beginning, or -1 after a sentence. */
static int find_long(const char *verb, const char *text, size_t n, option_list takes)
{
	int found = -1;
	char name[64];
	if (n >= sizeof name)
		n = sizeof name - 1;
	memcpy(name, text, n);
	name[n] = 0;
	/* A whole name is that option's, even if it is another one's beginning. */
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

static void cmd_options_store(struct options *options, int id, const char *value)
{
	options->times[id]++;
	options->value[id] = value;
	if (id == OPT_REGION)
		options->regions[options->n_regions++] = value;
	else if (id == OPT_IMAGE)
		options->images[options->n_images++] = value;
	else if (id == OPT_ETE)
		options->etes[options->n_etes++] = value;
	else if (id == OPT_COMMENT)
		options->comments[options->n_comments++] = value;
	else if (id == OPT_CACHE)
		options->caches[options->n_caches++] = value;
	else if (id == OPT_DROP)
		options->drops[options->n_drops++] = value;
	else if (id == OPT_MEMORY)
		options->memories[options->n_memories++] = value;
}

static int needs_value(int id)
{
	complain("--%s needs a value: %s", table[id].name, table[id].arg);
	return -1;
}

/* argv[*i] begins with "--"; *i moves past a value that stands by itself. */
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

/* --ete X, --transactions X and --elements are ways to say --from ete:X. */
static int put_into_from(struct options *options, int id, const char *name, const char *value)
{
	const char *from = options->value[OPT_FROM];
	if (from && strncasecmp(from, "ete", 3) != 0) {
		complain("--%s is for ETE traces, but --from says %s", table[id].name, from);
		return -1;
	}
	return add_to_from(options, from ? from : "ete", name, value);
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
	options->regions = calloc(most, sizeof *options->regions);
	options->images = calloc(most, sizeof *options->images);
	options->etes = calloc(most, sizeof *options->etes);
	options->operands = calloc(most, sizeof *options->operands);
	options->comments = calloc(most, sizeof *options->comments);
	options->drops = calloc(most, sizeof *options->drops);
	options->memories = calloc(most, sizeof *options->memories);
	options->caches = calloc(most, sizeof *options->caches);
	options->argc = argc;
	options->argv = argv;
	if (!options->regions || !options->images || !options->etes || !options->operands ||
	    !options->comments || !options->drops || !options->memories || !options->caches) {
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
	free(options->regions);
	free(options->images);
	free(options->etes);
	free(options->operands);
	free(options->comments);
	free(options->drops);
	free(options->caches);
	free(options->memories);
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

/* Columns a UTF-8 text takes on a terminal: its characters, for ours are narrow. */
static int columns(const char *text)
{
	int n = 0;
	for (; *text; text++)
		n += (*text & 0xc0) != 0x80;
	return n;
}

/* A text in what is left of 80 columns behind column `at`. */
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
