/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of verbs. A verb is one file and one line in verbs.h; it declares which of
 * the shared options it takes and is run with them taken apart.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"

static const struct {
	const char *group; /* NULL: the one before */
	const struct verb *verb;
} verbs[] = {
#define VERB(group, name) {group, &verb_##name},
#include "verbs.h"
#undef VERB
};
enum { VERBS = sizeof verbs / sizeof *verbs };

#define REGIONS_BY_NUMBER \
	"  1000..2000  1000..  ..2000  1000+50   instructions by number, from 1, inclusive\n"
#define REGIONS_BY_RECORD "  r100..r200                            records by number\n"

static const char regions_help[] =
	"Regions (a comma intersects, several are a union):\n" REGIONS_BY_NUMBER REGIONS_BY_RECORD
	"  @main  @main+0x10                     a function's whole extent, one address\n"
	"  0x80000000-0x80000fff                 addresses\n"
	"  cpu1  pid42  tid7                     who runs\n";

/* One direction's options of formats. */
static void formats_help(bool writing)
{
	const char *format, *name, *values, *meaning;
	for (size_t i = 0; cairn_format_option(writing, i, &format, &name, &values, &meaning); i++) {
		char text[96];
		int n = 0;
		for (; format[n] && n < 16; n++)
			text[n] = (char)tolower((unsigned char)format[n]);
		snprintf(text + n, sizeof text - (size_t)n, ":%s%s%s", name, values ? "=" : "",
		         values ? values : "");
		options_line("  ", text, meaning);
	}
}

static const char exit_help[] =
	"Exit code: 0 fine; 1 the answer is no; 2 it could not be done, or the input was\n"
	"damaged (what could be read is delivered first).\n";

static void help(void)
{
	printf("cairn, for CPU instruction traces\n\n"
	       "  cairn VERB [options] TRACE [REGION…]\n"
	       "  cairn VERB --help · cairn --version\n\n");
	for (size_t i = 0; i < VERBS; i++)
		printf("  %-10s%-10s%s\n", verbs[i].group ? verbs[i].group : "", verbs[i].verb->name,
		       verbs[i].verb->summary);
	printf("\nTRACE is a path, or - for standard input; format and compression are recognised by\n"
	       "the bytes.\n\nOptions mean the same in every verb that takes them:\n\n");
	options_help(NULL);
	printf("\nOptions of formats, --from FORMAT:OPTION,OPTION …\n");
	formats_help(false);
	printf("\nOptions of formats, --to FORMAT:OPTION,OPTION …\n");
	formats_help(true);
	printf("\n%s\n%s", regions_help, exit_help);
}

static void verb_help(const struct verb *verb)
{
	printf("cairn %s: %s\n\n  cairn %s %s\n\n%s\nOptions:\n", verb->name, verb->summary, verb->name,
	       verb->usage, verb->help);
	options_help(verb->takes);
	if (option_taken(verb->takes, OPT_MATRIX)) {
		printf("\nOptions of formats, --to FORMAT:OPTION,OPTION …\n");
		formats_help(true);
	}
	if (option_taken(verb->takes, OPT_WHERE))
		printf("\n%s", regions_help);
	else if (option_taken(verb->takes, OPT_REGION))
		printf("\nRegions:\n" REGIONS_BY_NUMBER "%s",
		       verb->ways & VERB_TAKES_RECORDS ? REGIONS_BY_RECORD : "");
	printf("\n%s", exit_help);
}

static void version(void)
{
	const char *disassembler = cairn_disassembler();
	printf("cairn %s\nbuilt with:", cairn_version());
	const char *const *features = cairn_features();
	for (size_t i = 0; features[i]; i++)
		printf("%s %s", i ? "," : "", features[i]);
	printf("\ndisassembly: %s\n", disassembler ? disassembler : "LLVM was not found");
}

static const struct verb *find_verb(const char *name)
{
	const char *near = NULL;
	unsigned least = 3;
	for (size_t i = 0; i < VERBS; i++) {
		const char *is = verbs[i].verb->name;
		if (!strcmp(is, name))
			return verbs[i].verb;
		unsigned d = options_distance(name, is);
		/* The beginning of a verb is not a verb, but shows which one is meant. */
		if (*name && !strncmp(is, name, strlen(name)))
			d = 0;
		if (d < least) {
			least = d;
			near = is;
		}
	}
	if (near)
		complain("there is no verb '%s'; did you mean %s?", name, near);
	else if (access(name, R_OK) == 0)
		complain("a verb comes first: cairn view %s, cairn info %s; see cairn --help", name, name);
	else
		complain("there is no verb '%s'; see cairn --help", name);
	return NULL;
}

/* `cairn help`, `cairn help VERB` … as people try first. */
static int help_on(int argc, char **argv)
{
	const struct verb *verb = argc > 0 ? find_verb(argv[0]) : NULL;
	if (argc == 0)
		help();
	else if (verb)
		verb_help(verb);
	return argc == 0 || verb ? EXIT_FINE : EXIT_COULD_NOT;
}

const struct verb *verb_at(size_t index)
{
	return index < VERBS ? verbs[index].verb : NULL;
}

int run_command(int argc, char **argv)
{
	if (argc < 2) {
		complain("usage: cairn VERB [options] TRACE [REGION…]; see cairn --help");
		return EXIT_COULD_NOT;
	}
	const char *first = argv[1];
	if (!strcmp(first, "--help") || !strcmp(first, "-h")) {
		help();
		return EXIT_FINE;
	}
	if (!strcmp(first, "help"))
		return help_on(argc - 2, argv + 2);
	if (!strcmp(first, "--version") || !strcmp(first, "version")) {
		version();
		return EXIT_FINE;
	}
	if (first[0] == '-') {
		complain("a verb comes first, not %s; see cairn --help", first);
		return EXIT_COULD_NOT;
	}
	const struct verb *verb = find_verb(first);
	if (!verb)
		return EXIT_COULD_NOT;
	struct options options;
	int code = EXIT_COULD_NOT;
	if (options_parse(&options, verb->name, verb->takes, argc - 2, argv + 2) < 0) {
		/* the sentence has been said */
	} else if (options.times[OPT_HELP]) {
		verb_help(verb);
		code = EXIT_FINE;
	} else if (refuse_inputs(verb, &options) >= 0 && settle_form(verb, &options) >= 0) {
		code = verb->run(verb, &options);
	}
	options_free(&options);
	return code;
}
