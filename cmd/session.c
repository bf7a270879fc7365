/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run over one trace, the way every verb does it: what the options name is
 * opened in one place, and in one place it is decided what is said on standard
 * error and which exit code it comes to.
 *
 * The order at the end matters: what could be read is delivered first, then the
 * damage is told. A file named by -o appears only when the run succeeded. A
 * reader of our output that went away is no error: it had enough.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <limits.h>

#include "cmd.h"

enum { DAMAGE_SHOWN = 10 };

void make_printable(char *text)
{
	for (size_t i = 0, n = strlen(text), len; i < n; i += len ? len : 1) {
		len = cairn_printable(text + i, n - i);
		if (!len)
			text[i] = '?';
	}
}

void complain(const char *fmt, ...)
{
	char line[4096];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	make_printable(line);
	fprintf(stderr, "cairn: %s\n", line);
}

void complain_of(const struct cairn *cairn)
{
	complain("%s", cairn_error_text(cairn));
}

struct cairn *open_context(const struct options *options)
{
	struct cairn_opts opts = {.size = sizeof opts,
	                          .trust_paths = options->times[OPT_TRUST_PATHS] != 0};
	struct cairn *cairn = cairn_new(&opts);
	if (!cairn)
		complain("out of memory");
	return cairn;
}

int close_context(struct cairn *cairn, int code)
{
	if (cairn && cairn_failed_allocations(cairn) && code != EXIT_COULD_NOT) {
		complain("out of memory: the output may be incomplete");
		code = EXIT_COULD_NOT;
	}
	cairn_free(cairn);
	return code;
}

bool option_color(const struct options *options)
{
	const char *when = options->value[OPT_COLOR], *out = options->value[OPT_OUTPUT];
	if (when && strcmp(when, "auto") != 0)
		return strcmp(when, "always") == 0;
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
	return !(no && *no) && !(term && !strcmp(term, "dumb")) && (!out || !strcmp(out, "-")) &&
	       isatty(STDOUT_FILENO);
}

/* ---- opening ---- */

static bool is_std(const char *path)
{
	return strcmp(path, "-") == 0;
}

int refuse_twice(const struct options *options)
{
	size_t n = 0;
	for (size_t i = 0; i < options->n_operands; i++)
		n += is_std(options->operands[i]);
	if (n < 2)
		return 0;
	complain("standard input is named %zu times, but can be read only once", n);
	return -1;
}

bool lacks_program(const struct cairn_reader *reader)
{
	return reader && cairn_reader_lacks_program(reader);
}

void complain_of_program(const char *trace)
{
	complain(
		"%s: the trace only records branches; the program is needed to know which instructions ran: "
		"--image FILE",
		trace);
}

void session_tell_program(const struct session *session, int rc)
{
	if (rc >= 0 && lacks_program(session->reader) && !session->options->times[OPT_QUIET])
		complain_of_program(session->trace);
}

int complain_of_nothing(const struct session *session)
{
	if (lacks_program(session->reader)) {
		complain_of_program(session->trace);
		return EXIT_COULD_NOT;
	}
	complain("%s: the selection is empty", session->trace);
	return EXIT_NO;
}

int option_image(struct cairn *cairn, const struct options *options, struct cairn_image **out)
{
	int rc = 0;
	*out = options->n_images ? cairn_image_new(cairn) : NULL;
	if (options->n_images && !*out)
		return CAIRN_E_NOMEM;
	for (size_t i = 0; i < options->n_images && rc >= 0; i++)
		rc = cairn_image_add(*out, options->images[i]);
	return rc;
}

/* A program that may lie anywhere is placed where it ran, if the trace shows that. */
static int add_image(struct session *session, const char *spec)
{
	char placed[4096];
	uint64_t base;
	struct stat st;
	int rc = 0;
	if (!strchr(spec, '@') && stat(session->trace, &st) == 0 && S_ISREG(st.st_mode))
		rc = cairn_image_place(session->cairn, spec, session->trace,
		                       session->options->value[OPT_FROM], &base);
	if (rc > 0 && base) {
		snprintf(placed, sizeof placed, "%s@0x%llx", spec, (unsigned long long)base);
		if (!session->options->times[OPT_QUIET])
			complain("%s: the trace shows that it was loaded at 0x%llx", spec,
			         (unsigned long long)base);
		spec = placed;
	}
	return rc < 0 ? rc : cairn_image_add(session->image, spec);
}

/* Does any option need names of the program? */
static bool wants_names(const struct options *options)
{
	bool at = options->times[OPT_LINES] != 0;
	for (size_t i = 0; i < options->n_regions; i++)
		at |= strchr(options->regions[i], '@') != NULL;
	for (size_t i = 1; i < options->n_operands; i++)
		at |= strchr(options->operands[i], '@') != NULL;
	for (size_t i = 0; i < 3; i++) {
		const char *text = options->value[(int[]){OPT_WHERE, OPT_WRITES, OPT_READS}[i]];
		at |= text && strchr(text, '@');
	}
	return at;
}

/* Names stand in what these print. */
static bool shows_names(const struct verb *verb, const struct options *options)
{
	return verb->ways & VERB_SHOWS_NAMES && !options->times[OPT_ONLY_COUNT];
}

/* The program that the trace names, where no image was given. */
static int open_recorded(struct session *session)
{
	char spec[4096];
	struct stat st;
	if (stat(session->trace, &st) < 0 || !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) ||
	    !cairn_image_recorded(session->cairn, session->trace, session->options->value[OPT_FROM],
	                          spec, sizeof spec))
		return 0;
	if (session->options->times[OPT_VERBOSE])
		complain("%s: its names are used, because the trace names this program and it is unchanged",
		         spec);
	session->image = cairn_image_new(session->cairn);
	session->recorded = true;
	int rc = session->image ? cairn_image_add(session->image, spec) : CAIRN_E_NOMEM;
	return rc >= 0 && session->options->times[OPT_LINES] ? cairn_image_read_lines(session->image)
	                                                     : rc;
}

/* Names of another program, or of another version of it, would look as good as the right ones. */
static int doubt_image(const struct session *session)
{
	struct cairn_image_match match = {.size = sizeof match};
	struct stat st;
	if (session->options->times[OPT_QUIET] || cairn_image_has_spaces(session->image) ||
	    stat(session->trace, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	int rc = cairn_image_match(session->cairn, session->image, session->trace,
	                           session->options->value[OPT_FROM], &match);
	if (rc >= 0 && match.other)
		complain("%s%s: not what ran: of %llu addresses that ran in it, %llu hold "
		         "something else, the first 0x%llx",
		         session->options->images[0], session->options->n_images > 1 ? " …" : "",
		         (unsigned long long)(match.same + match.other), (unsigned long long)match.other,
		         (unsigned long long)match.first);
	return rc;
}

static int open_image(struct session *session)
{
	if (session->options->n_images == 0 &&
	    (wants_names(session->options) || shows_names(session->verb, session->options))) {
		int rc = open_recorded(session);
		if (rc < 0 || session->image)
			return rc;
	}
	if (session->options->n_images == 0 && session->options->times[OPT_LINES])
		return cairn_fail(session->cairn, CAIRN_E_INVAL, "--lines needs the program: --image FILE");
	if (session->options->n_images == 0)
		return 0;
	session->image = cairn_image_new(session->cairn);
	if (!session->image)
		return CAIRN_E_NOMEM;
	int rc = 0;
	for (size_t i = 0; i < session->options->n_images && rc >= 0; i++)
		rc = add_image(session, session->options->images[i]);
	if (rc >= 0)
		rc = doubt_image(session);
	if (rc >= 0 && session->options->times[OPT_LINES])
		rc = cairn_image_read_lines(session->image);
	return rc;
}

static int open_select(struct session *session)
{
	const struct options *options = session->options;
	session->select = cairn_select_new(session->cairn, session->image);
	if (!session->select)
		return CAIRN_E_NOMEM;
	int rc = 0;
	for (size_t i = 0; i < options->n_regions && rc >= 0; i++)
		rc = cairn_select_region(session->select, options->regions[i]);
	for (size_t i = 1; i < options->n_operands && rc >= 0; i++)
		rc = cairn_select_region(session->select, options->operands[i]);
	if (rc >= 0 && options->value[OPT_WHERE])
		rc = cairn_select_where(session->select, options->value[OPT_WHERE]);
	return rc;
}

/* Without instructions, regions by number or address mean nothing. */
static int fit_regions(const struct session *session)
{
	uint32_t can = cairn_reader_can(session->reader);
	if ((can & CAIRN_PC) || !(can & CAIRN_ROW_PLACES) || cairn_select_only_records(session->select))
		return 0;
	return cairn_fail(session->cairn, CAIRN_E_UNSUPPORTED,
	                  "%s: the trace holds no instructions that a region "
	                  "could name: its regions are records, r100..r200",
	                  session->trace);
}

static const char *cmd_session_fact(struct cairn_reader *reader, const char *key)
{
	const struct cairn_info *info;
	if (cairn_reader_info(reader, &info) < 0)
		return NULL;
	for (size_t i = 0; i < info->n; i++)
		if (info->facts[i].is_known && !strcmp(info->facts[i].key, key))
			return info->facts[i].text;
	return NULL;
}

/* The sets of instructions that a trace may hold, and what it calls them; 0: not known. */
static uint32_t sets_of(struct cairn_reader *reader, const char **name)
{
	static const uint32_t rv = 1u << CAIRN_ISA_RV32 | 1u << CAIRN_ISA_RV64;
	static const struct {
		const char *begins;
		uint32_t sets;
	} known[] = {{"RISC", rv},
	             {"rv32", 1u << CAIRN_ISA_RV32},
	             {"rv64", 1u << CAIRN_ISA_RV64},
	             {"rv", rv},
	             {"a64", 1u << CAIRN_ISA_A64},
	             {"a32", 1u << CAIRN_ISA_A32 | 1u << CAIRN_ISA_T32},
	             {"t32", 1u << CAIRN_ISA_A32 | 1u << CAIRN_ISA_T32},
	             {"arm", 1u << CAIRN_ISA_A64 | 1u << CAIRN_ISA_A32 | 1u << CAIRN_ISA_T32},
	             {"sparc", 1u << CAIRN_ISA_SPARC}};
	const char *isa = cmd_session_fact(reader, "isa"), *mode = cmd_session_fact(reader, "mode");
	if (!isa)
		return 0;
	/* RISC-V's width is the mode of STF; Arm changes its own while it runs. */
	*name = mode && !strncasecmp(mode, "rv", 2) ? mode : isa;
	for (size_t k = 0; k < sizeof known / sizeof *known; k++)
		if (!strncasecmp(*name, known[k].begins, strlen(known[k].begins)))
			return known[k].sets;
	return 0;
}

/* A program for another machine did not run. */
int image_fits(struct cairn *cairn, const struct cairn_image *image, const char *trace,
               struct cairn_reader *reader)
{
	const char *file, *name = "";
	uint32_t of_trace = image ? sets_of(reader, &name) : 0, sets;
	for (size_t i = 0; of_trace && cairn_image_sets(image, i, &file, &sets); i++) {
		const char *made_for = NULL;
		for (unsigned k = CAIRN_ISA_LAST; sets && k > 0; k--)
			made_for = sets >> k & 1 ? cairn_isa_name((enum cairn_isa)k) : made_for;
		if (sets & of_trace)
			continue;
		/* The width of execlog's RISC-V is only known when it is stated. */
		const char *format = cmd_session_fact(reader, "format");
		bool width = format && !strcmp(format, "execlog") && sets == 1u << CAIRN_ISA_RV32 &&
		             of_trace == 1u << CAIRN_ISA_RV64;
		return cairn_fail(cairn, CAIRN_E_INVAL,
		                  "%s: is a program for %s, and %s is a trace of %s: it is not "
		                  "what ran%s",
		                  file, made_for ? made_for : "another machine", trace, name,
		                  width ? "; if it is, say --from execlog:isa=rv32" : "");
	}
	return 0;
}

bool says_of_ete(const struct options *options, const struct cairn_reader *reader)
{
	return !(options->n_etes || options->times[OPT_TRANSACTIONS] || options->times[OPT_ELEMENTS]) ||
	       !strcmp(cairn_reader_format(reader), "ETE");
}

int ete_options_fit(struct cairn *cairn, const struct options *options, const char *trace,
                    const struct cairn_reader *reader)
{
	if (says_of_ete(options, reader))
		return 0;
	return cairn_fail(cairn, CAIRN_E_INVAL, "--%s says how ETE is read, and %s is %s",
	                  options->n_etes                    ? "ete"
	                  : options->times[OPT_TRANSACTIONS] ? "transactions"
	                                                     : "elements",
	                  trace, cairn_reader_format(reader));
}

/* An image was refused: is it for another machine? Then that is the reason to give. */
static int explain_image(struct session *session, int rc)
{
	struct cairn_open_opts opts = {.size = sizeof opts,
	                               .from = session->options->value[OPT_FROM],
	                               .no_index = 1};
	struct cairn_image *image = NULL;
	struct cairn_reader *reader = NULL;
	char why[2048];
	snprintf(why, sizeof why, "%s", cairn_error_text(session->cairn));
	int found = !strcmp(session->trace, "-") ||
	                    option_image(session->cairn, session->options, &image) < 0 ||
	                    cairn_open(session->cairn, session->trace, &opts, &reader) < 0
	                ? 0
	                : image_fits(session->cairn, image, session->trace, reader);
	cairn_close(reader);
	cairn_image_free(image);
	return found < 0 ? found : cairn_fail(session->cairn, rc, "%s", why);
}

int session_open(struct session *session, const struct verb *verb, const struct options *options)
{
	const char *out = options->value[OPT_OUTPUT] ? options->value[OPT_OUTPUT] : "-";
	*session = (struct session){.verb = verb, .options = options};
	if (options->n_operands == 0) {
		complain("no trace was named; usage: cairn %s %s", verb->name, verb->usage);
		return -1;
	}
	session->trace = options->operands[0];
	session->cairn = options->cairn ? options->cairn : open_context(options);
	if (!session->cairn)
		return -1;
	struct cairn_open_opts opts = {.size = sizeof opts,
	                               .from = options->value[OPT_FROM],
	                               .strict = options->times[OPT_STRICT] != 0,
	                               .derive = options->times[OPT_DERIVE] != 0};
	/* Cheap things first: a slip in a region shows before a long open. */
	int rc = open_image(session);
	if (rc < 0 && session->options->n_images)
		rc = explain_image(session, rc);
	if (rc >= 0)
		rc = open_select(session);
	opts.image = session->recorded ? NULL : session->image;
	if (rc >= 0)
		rc = cairn_open(session->cairn, session->trace, &opts, &session->reader);
	if (rc >= 0 && !(verb->ways & VERB_COMPARES))
		rc = ete_options_fit(session->cairn, options, session->trace, session->reader);
	if (rc >= 0)
		rc = image_fits(session->cairn, session->image, session->trace, session->reader);
	if (rc >= 0)
		rc = fit_regions(session);
	/* A verb that makes a trace opens its output itself. */
	if (rc >= 0 && !option_taken(verb->takes, OPT_CODEC))
		rc = cairn_sink_open(session->cairn, out, &session->out);
	session->text = cairn_text_new(session->cairn);
	if (rc >= 0 && !session->text)
		rc = CAIRN_E_NOMEM;
	if (rc < 0) {
		session_finish(session, rc, 0);
		return -1;
	}
	return 0;
}

int session_seek(struct session *session, uint64_t *last)
{
	uint64_t first = 1;
	*last = UINT64_MAX;
	if (cairn_select_all(session->select))
		return 0;
	cairn_select_bounds(session->select, &first, last);
	cairn_select_bound(session->select, session->reader);
	if (first <= 1 ||
	    (!cairn_reader_jumps(session->reader) && (cairn_select_needs_context(session->select) ||
	                                              cairn_select_needs_records(session->select))))
		return 0;
	int rc = cairn_seek(session->reader, first);
	session->sought = true;
	if (rc != CAIRN_E_NOTFOUND)
		return rc;
	session->nothing = true;
	return 0;
}

int session_reopen(struct session *session, bool derive, struct cairn_reader **own)
{
	struct cairn_open_opts opts = {.size = sizeof opts,
	                               .from = session->options->value[OPT_FROM],
	                               .image = session->image,
	                               .derive = derive};
	*own = NULL;
	return strcmp(session->trace, "-") ? cairn_open(session->cairn, session->trace, &opts, own) : 0;
}

void session_progress(struct session *session, bool streams)
{
	const struct options *options = session->options;
	bool to_terminal = streams &&
	                   (!options->value[OPT_OUTPUT] || is_std(options->value[OPT_OUTPUT])) &&
	                   isatty(STDOUT_FILENO);
	if (!options->times[OPT_NO_PROGRESS] && !options->times[OPT_QUIET] && !to_terminal &&
	    isatty(STDERR_FILENO))
		session->progress = progress_start(session->reader, session->trace);
}

const char *session_fact(struct session *session, const char *key)
{
	return cmd_session_fact(session->reader, key);
}

/* ---- the end ---- */

void complain_of_notes(const struct options *options, const char *trace,
                       const struct cairn_reader *reader)
{
	const char *note;
	for (size_t i = 0; !options->times[OPT_QUIET] && (note = cairn_reader_note(reader, i)); i++)
		complain("%s: %s", trace, note);
}

/* Notes, then each damaged place, then a summary of them. */
uint64_t complain_of_damage(const struct options *options, const char *trace,
                            const struct cairn_reader *reader)
{
	uint64_t count = reader ? cairn_damage_count(reader) : 0, shown = 0;
	uint64_t most = options->times[OPT_QUIET]     ? 0
	                : options->times[OPT_VERBOSE] ? UINT64_MAX
	                                              : DAMAGE_SHOWN;
	if (reader)
		complain_of_notes(options, trace, reader);
	if (!count)
		return 0;
	for (; shown < count && shown < most; shown++) {
		const char *text = cairn_damage_text(reader, (size_t)shown);
		if (!text)
			break;
		complain("%s: %s", trace, text);
	}
	if (shown && shown < count)
		complain("%s: … and %llu more", trace, (unsigned long long)(count - shown));
	complain("%s: %llu damaged place%s; everything that can be read is in the output", trace,
	         (unsigned long long)count, count == 1 ? "" : "s");
	return count;
}

void complain_of_time(const struct options *options, const char *name)
{
	struct timespec now;
	if (!options->times[OPT_VERBOSE] || options->times[OPT_QUIET])
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	complain("%s: done in %.2f s", name,
	         (double)(now.tv_sec - options->began.tv_sec) +
	             (double)(now.tv_nsec - options->began.tv_nsec) * 1e-9);
}

static int close_output(struct session *session, int rc)
{
	const char *name = session->options->value[OPT_OUTPUT];
	if (!session->out)
		return rc;
	if (rc < 0 && name && !is_std(name)) {
		cairn_sink_discard(session->out);
		return rc;
	}
	if (rc < 0) { /* report the first error; what was printed is delivered */
		char text[2048];
		snprintf(text, sizeof text, "%s", cairn_error_text(session->cairn));
		cairn_sink_finish(session->out);
		cairn_fail(session->cairn, rc, "%s", text);
		return rc;
	}
	return cairn_sink_finish(session->out);
}

bool session_damage(const struct session *session, int rc)
{
	uint64_t damage = session->reader ? cairn_damage_count(session->reader) : 0;
	if (session->reader && !session->damage_said &&
	    !(rc == CAIRN_E_DAMAGED && session->options->times[OPT_STRICT]))
		complain_of_damage(session->options, session->trace, session->reader);
	return damage != 0;
}

/* Report what was asked for but is not in the trace; results of analyses have that among their
 * notes. */
static void report_untold(const struct session *session)
{
	char note[160];
	if (session->options->times[OPT_QUIET] || session->told || !session->select)
		return;
	for (size_t i = 0; cairn_select_note(session->select, i, note, sizeof note); i++)
		complain("%s: %s", session->trace, note);
}

void json_number_if(struct cairn_text *text, const char *key, bool known, uint64_t value)
{
	if (known)
		cairn_json_number(text, key, value);
	else
		cairn_json_null(text, key);
}

int print_text(struct cairn_text *text, int rc, FILE *file)
{
	size_t n;
	const char *bytes = cairn_text_get(text, &n);
	if (rc >= 0 && n && fwrite(bytes, 1, n, file) != n)
		rc = CAIRN_E_PIPE;
	cairn_text_free(text);
	return rc;
}

int session_print(struct session *session, int rc)
{
	return rc < 0 ? rc : cairn_text_write(session->text, session->out);
}

void session_notes(struct session *session, struct cairn_text *text, const char *more)
{
	char note[160];
	session->told = true;
	if (!more && !cairn_select_note(session->select, 0, note, sizeof note))
		return;
	cairn_json_array(text, "notes");
	for (size_t i = 0; cairn_select_note(session->select, i, note, sizeof note); i++)
		cairn_json_text(text, NULL, note);
	if (more)
		cairn_json_text(text, NULL, more);
	cairn_json_close(text);
}

static int session_report_end(struct session *session, int rc, int answer)
{
	if (rc == CAIRN_E_PIPE)
		return EXIT_FINE;
	if (rc < 0)
		complain_of(session->cairn);
	else
		report_untold(session);
	bool damage = session_damage(session, rc);
	const char *note = session->reader ? cairn_reader_index_note(session->reader) : NULL;
	if (session->options->times[OPT_VERBOSE] && note)
		complain("the index is not used: %s", note);
	for (size_t i = 0; session->options->times[OPT_VERBOSE] && session->reader &&
	                   (note = cairn_reader_reading(session->reader, i));
	     i++)
		complain("%s: %s", session->trace, note);
	if (rc >= 0)
		complain_of_time(session->options, session->trace);
	return rc < 0 || damage ? EXIT_COULD_NOT : answer;
}

int session_finish(struct session *session, int rc, int answer)
{
	progress_stop(session->progress);
	rc = close_output(session, rc);
	if (rc >= 0 && session->sought && (answer == EXIT_NO || session->nothing || session->none))
		rc = cairn_select_look_before(session->select, session->reader, session->nothing,
		                              session->options->threads);
	int code = session_report_end(session, rc, answer);
	cairn_close(session->reader);
	cairn_select_free(session->select);
	cairn_image_free(session->image);
	cairn_text_free(session->text);
	return session->options->cairn ? code : close_context(session->cairn, code);
}
