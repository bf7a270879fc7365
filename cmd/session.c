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
#include "export/json.h"
#include "export/text.h"
#include "model/model.h"

enum { DAMAGE_SHOWN = 10 };

void complain(const char *fmt, ...)
{
	char line[4096];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	/* Names and texts come from outside: keep the terminal and the line whole. */
	for (size_t i = 0, n = strlen(line), len; i < n; i += len ? len : 1) {
		len = text_printable(line + i, n - i);
		if (!len)
			line[i] = '?';
	}
	fprintf(stderr, "cairn: %s\n", line);
}

void complain_of(const struct cairn *c)
{
	complain("%s", cairn_error_text(c));
}

struct cairn *open_context(const struct options *o)
{
	struct cairn_opts opts = {.size = sizeof opts, .trust_paths = o->times[OPT_TRUST_PATHS] != 0};
	struct cairn *c = cairn_new(&opts);
	if (!c)
		complain("out of memory");
	return c;
}

int close_context(struct cairn *c, int code)
{
	if (c && cairn_failed_allocations(c) && code != EXIT_COULD_NOT) {
		complain("out of memory: what was printed or written may lack something");
		code = EXIT_COULD_NOT;
	}
	cairn_free(c);
	return code;
}

bool option_color(const struct options *o)
{
	const char *when = o->value[OPT_COLOR], *out = o->value[OPT_OUTPUT];
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

int refuse_twice(const struct options *o)
{
	size_t n = 0;
	for (size_t i = 0; i < o->n_operands; i++)
		n += is_std(o->operands[i]);
	if (n < 2)
		return 0;
	complain("standard input is named %zu times, but can be read only once", n);
	return -1;
}

bool lacks_program(const struct cairn_reader *r)
{
	return r && model_lacks_program(r);
}

void complain_of_program(const char *trace)
{
	complain(
		"%s: the trace only tells where the program branched; which instructions ran takes the "
		"program: --image FILE",
		trace);
}

int complain_of_nothing(const struct session *s)
{
	if (lacks_program(s->r)) {
		complain_of_program(s->trace);
		return EXIT_COULD_NOT;
	}
	complain("%s: nothing in the trace is selected", s->trace);
	return EXIT_NO;
}

int option_image(struct cairn *c, const struct options *o, struct cairn_image **out)
{
	int rc = 0;
	*out = o->n_images ? cairn_image_new(c) : NULL;
	if (o->n_images && !*out)
		return CAIRN_E_NOMEM;
	for (size_t i = 0; i < o->n_images && rc >= 0; i++)
		rc = cairn_image_add(*out, o->images[i]);
	return rc;
}

/* A program that may lie anywhere is put where it ran, if the trace shows it. */
static int add_image(struct session *s, const char *spec)
{
	char placed[4096];
	uint64_t base;
	struct stat st;
	int rc = 0;
	if (!strchr(spec, '@') && stat(s->trace, &st) == 0 && S_ISREG(st.st_mode))
		rc = cairn_image_place(s->c, spec, s->trace, s->o->value[OPT_FROM], &base);
	if (rc > 0 && base) {
		snprintf(placed, sizeof placed, "%s@0x%llx", spec, (unsigned long long)base);
		if (!s->o->times[OPT_QUIET])
			complain("%s: was loaded at 0x%llx, as what ran shows", spec, (unsigned long long)base);
		spec = placed;
	}
	return rc < 0 ? rc : cairn_image_add(s->image, spec);
}

/* Does anything that was asked need names of the program? */
static bool wants_names(const struct options *o)
{
	bool at = o->times[OPT_LINES] != 0;
	for (size_t i = 0; i < o->n_regions; i++)
		at |= strchr(o->regions[i], '@') != NULL;
	for (size_t i = 1; i < o->n_operands; i++)
		at |= strchr(o->operands[i], '@') != NULL;
	for (size_t i = 0; i < 3; i++) {
		const char *text = o->value[(int[]){OPT_WHERE, OPT_WRITES, OPT_READS}[i]];
		at |= text && strchr(text, '@');
	}
	return at;
}

/* Names stand in what these print. */
static bool shows_names(const struct verb *verb, const struct options *o)
{
	return !strcmp(verb->name, "view") ||
	       (!strcmp(verb->name, "find") && !o->times[OPT_ONLY_COUNT]);
}

/* The program that the trace names, where no image was given. */
static int open_recorded(struct session *s)
{
	char spec[4096];
	struct stat st;
	if (stat(s->trace, &st) < 0 || !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) ||
	    !cairn_image_recorded(s->c, s->trace, s->o->value[OPT_FROM], spec, sizeof spec))
		return 0;
	if (s->o->times[OPT_VERBOSE])
		complain("%s: the program that the trace names, unchanged: its names are used", spec);
	s->image = cairn_image_new(s->c);
	s->recorded = true;
	int rc = s->image ? cairn_image_add(s->image, spec) : CAIRN_E_NOMEM;
	return rc >= 0 && s->o->times[OPT_LINES] ? cairn_image_read_lines(s->image) : rc;
}

/* Names of another program, or of another version of it, would look as good as right ones. */
static int doubt_image(const struct session *s)
{
	struct cairn_image_match m;
	struct stat st;
	if (s->o->times[OPT_QUIET] || cairn_image_has_spaces(s->image) || stat(s->trace, &st) < 0 ||
	    !S_ISREG(st.st_mode))
		return 0;
	int rc = cairn_image_match(s->c, s->image, s->trace, s->o->value[OPT_FROM], &m);
	if (rc >= 0 && m.other)
		complain("%s%s: not what ran: of %llu addresses that ran and lie there %llu hold "
		         "something else, the first 0x%llx",
		         s->o->images[0], s->o->n_images > 1 ? " …" : "",
		         (unsigned long long)(m.same + m.other), (unsigned long long)m.other,
		         (unsigned long long)m.first);
	return rc;
}

static int open_image(struct session *s)
{
	if (s->o->n_images == 0 && (wants_names(s->o) || shows_names(s->verb, s->o))) {
		int rc = open_recorded(s);
		if (rc < 0 || s->image)
			return rc;
	}
	if (s->o->n_images == 0 && s->o->times[OPT_LINES])
		return base_fail(s->c, CAIRN_E_INVAL, "--lines needs the program: --image FILE");
	if (s->o->n_images == 0)
		return 0;
	s->image = cairn_image_new(s->c);
	if (!s->image)
		return CAIRN_E_NOMEM;
	int rc = 0;
	for (size_t i = 0; i < s->o->n_images && rc >= 0; i++)
		rc = add_image(s, s->o->images[i]);
	if (rc >= 0)
		rc = doubt_image(s);
	if (rc >= 0 && s->o->times[OPT_LINES])
		rc = cairn_image_read_lines(s->image);
	return rc;
}

static int open_select(struct session *s)
{
	const struct options *o = s->o;
	s->select = cairn_select_new(s->c, s->image);
	if (!s->select)
		return CAIRN_E_NOMEM;
	int rc = 0;
	for (size_t i = 0; i < o->n_regions && rc >= 0; i++)
		rc = cairn_select_region(s->select, o->regions[i]);
	for (size_t i = 1; i < o->n_operands && rc >= 0; i++)
		rc = cairn_select_region(s->select, o->operands[i]);
	if (rc >= 0 && o->value[OPT_WHERE])
		rc = cairn_select_where(s->select, o->value[OPT_WHERE]);
	return rc;
}

/* Where there are no instructions, numbers and addresses of some mean nothing. */
static int fit_regions(const struct session *s)
{
	uint32_t can = cairn_reader_can(s->r);
	if ((can & CAIRN_PC) || !(can & CAIRN_ROW_PLACES) || cairn_select_only_records(s->select))
		return 0;
	return base_fail(s->c, CAIRN_E_UNSUPPORTED,
	                 "%s: the trace holds no instructions that a region "
	                 "could name: its regions are records, r100..r200",
	                 s->trace);
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
static uint32_t sets_of(struct cairn_reader *r, const char **name)
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
	const char *isa = cmd_session_fact(r, "isa"), *mode = cmd_session_fact(r, "mode");
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
int image_fits(struct cairn *c, const struct cairn_image *image, const char *trace,
               struct cairn_reader *r)
{
	const char *file, *name = "";
	uint32_t of_trace = image ? sets_of(r, &name) : 0, sets;
	for (size_t i = 0; of_trace && cairn_image_sets(image, i, &file, &sets); i++) {
		const char *made_for = NULL;
		for (unsigned k = CAIRN_ISA_LAST; sets && k > 0; k--)
			made_for = sets >> k & 1 ? cairn_isa_name((enum cairn_isa)k) : made_for;
		if (sets & of_trace)
			continue;
		/* Of execlog's RISC-V the width is only known when it is stated. */
		const char *format = cmd_session_fact(r, "format");
		bool width = format && !strcmp(format, "execlog") && sets == 1u << CAIRN_ISA_RV32 &&
		             of_trace == 1u << CAIRN_ISA_RV64;
		return base_fail(c, CAIRN_E_INVAL,
		                 "%s: is a program for %s, and %s is a trace of %s: it is not "
		                 "what ran%s",
		                 file, made_for ? made_for : "another machine", trace, name,
		                 width ? "; if it is, say --from execlog:isa=rv32" : "");
	}
	return 0;
}

/* An image could not be taken: was it for another machine? Then that is the reason. */
static int explain_image(struct session *s, int rc)
{
	struct cairn_open_opts opts = {.size = sizeof opts,
	                               .from = s->o->value[OPT_FROM],
	                               .no_index = 1};
	struct cairn_image *image = NULL;
	struct cairn_reader *r = NULL;
	char why[2048];
	snprintf(why, sizeof why, "%s", cairn_error_text(s->c));
	int found = !strcmp(s->trace, "-") || option_image(s->c, s->o, &image) < 0 ||
	                    cairn_open(s->c, s->trace, &opts, &r) < 0
	                ? 0
	                : image_fits(s->c, image, s->trace, r);
	cairn_close(r);
	cairn_image_free(image);
	return found < 0 ? found : base_fail(s->c, rc, "%s", why);
}

int session_open(struct session *s, const struct verb *verb, const struct options *o)
{
	const char *out = o->value[OPT_OUTPUT] ? o->value[OPT_OUTPUT] : "-";
	*s = (struct session){.verb = verb, .o = o};
	if (o->n_operands == 0) {
		complain("no trace was named; usage: cairn %s %s", verb->name, verb->usage);
		return -1;
	}
	s->trace = o->operands[0];
	s->c = open_context(o);
	if (!s->c)
		return -1;
	clock_gettime(CLOCK_MONOTONIC, &s->began);
	struct cairn_open_opts opts = {.size = sizeof opts,
	                               .from = o->value[OPT_FROM],
	                               .strict = o->times[OPT_STRICT] != 0};
	/* Cheap things first: a slip in a region shows before a long open. */
	int rc = open_image(s);
	if (rc < 0 && s->o->n_images)
		rc = explain_image(s, rc);
	if (rc >= 0)
		rc = open_select(s);
	opts.image = s->recorded ? NULL : s->image;
	if (rc >= 0)
		rc = cairn_open(s->c, s->trace, &opts, &s->r);
	if (rc >= 0)
		rc = image_fits(s->c, s->image, s->trace, s->r);
	if (rc >= 0)
		rc = fit_regions(s);
	/* Who makes a trace has an output of its own. */
	if (rc >= 0 && !option_taken(verb->takes, OPT_CODEC))
		rc = io_sink_open(s->c, out, NULL, INT_MIN, 1, &s->out);
	if (rc < 0) {
		session_finish(s, rc, 0);
		return -1;
	}
	return 0;
}

int session_seek(struct session *s, uint64_t *last)
{
	uint64_t first = 1;
	*last = UINT64_MAX;
	if (cairn_select_all(s->select))
		return 0;
	cairn_select_bounds(s->select, &first, last);
	model_bound(s->r, s->select);
	if (first <= 1 || (!cairn_reader_jumps(s->r) && (cairn_select_needs_context(s->select) ||
	                                                 cairn_select_needs_records(s->select))))
		return 0;
	int rc = cairn_seek(s->r, first);
	s->sought = true;
	if (rc != CAIRN_E_NOTFOUND)
		return rc;
	s->nothing = true;
	return 0;
}

int session_reopen(struct session *s, struct cairn_reader **own)
{
	struct cairn_open_opts o = {.size = sizeof o, .from = s->o->value[OPT_FROM], .image = s->image};
	*own = NULL;
	return strcmp(s->trace, "-") ? cairn_open(s->c, s->trace, &o, own) : 0;
}

void session_progress(struct session *s, bool streams)
{
	const struct options *o = s->o;
	bool to_terminal =
		streams && (!o->value[OPT_OUTPUT] || is_std(o->value[OPT_OUTPUT])) && isatty(STDOUT_FILENO);
	if (!o->times[OPT_NO_PROGRESS] && !o->times[OPT_QUIET] && !to_terminal && isatty(STDERR_FILENO))
		s->progress = progress_start(s->r, s->trace);
}

const char *session_fact(struct session *s, const char *key)
{
	return cmd_session_fact(s->r, key);
}

/* ---- the end ---- */

/* What should be known; each damaged place, then what it comes to. */
uint64_t complain_of_damage(const struct options *o, const char *trace,
                            const struct cairn_reader *r)
{
	uint64_t count = r ? cairn_damage_count(r) : 0, shown = 0;
	uint64_t most = o->times[OPT_QUIET] ? 0 : o->times[OPT_VERBOSE] ? UINT64_MAX : DAMAGE_SHOWN;
	const char *note;
	for (size_t i = 0; r && !o->times[OPT_QUIET] && (note = cairn_reader_note(r, i)); i++)
		complain("%s: %s", trace, note);
	if (!count)
		return 0;
	for (; shown < count && shown < most; shown++) {
		const char *text = cairn_damage_text(r, (size_t)shown);
		if (!text)
			break;
		complain("%s: %s", trace, text);
	}
	if (shown && shown < count)
		complain("%s: … and %llu more", trace, (unsigned long long)(count - shown));
	complain("%s: %llu damaged place%s; everything else was delivered", trace,
	         (unsigned long long)count, count == 1 ? "" : "s");
	return count;
}

static int close_output(struct session *s, int rc)
{
	const char *name = s->o->value[OPT_OUTPUT];
	if (!s->out)
		return rc;
	if (rc < 0 && name && !is_std(name)) {
		io_sink_abort(s->out);
		return rc;
	}
	if (rc < 0) { /* the first error is the one to tell; what was printed is delivered */
		char text[2048];
		snprintf(text, sizeof text, "%s", cairn_error_text(s->c));
		io_sink_finish(s->out);
		base_fail(s->c, rc, "%s", text);
		return rc;
	}
	return io_sink_finish(s->out);
}

bool session_damage(const struct session *s, int rc)
{
	uint64_t damage = s->r ? cairn_damage_count(s->r) : 0;
	if (s->r && !(rc == CAIRN_E_DAMAGED && s->o->times[OPT_STRICT]))
		complain_of_damage(s->o, s->trace, s->r);
	return damage != 0;
}

/* What was asked for and is not told; results of analyses have it among their notes. */
static void report_untold(const struct session *s)
{
	char note[160];
	if (s->o->times[OPT_QUIET] || s->told || !s->select)
		return;
	for (size_t i = 0; cairn_select_note(s->select, i, note, sizeof note); i++)
		complain("%s: %s", s->trace, note);
}

void session_notes(struct session *session, struct jout *json, const char *more)
{
	char note[160];
	session->told = true;
	if (!more && !cairn_select_note(session->select, 0, note, sizeof note))
		return;
	JSON_KEY(json, "notes");
	jout_array(json);
	for (size_t i = 0; cairn_select_note(session->select, i, note, sizeof note); i++)
		jout_text(json, note);
	if (more)
		jout_text(json, more);
	jout_array_end(json);
}

static int session_report_end(struct session *s, int rc, int answer)
{
	if (rc == CAIRN_E_PIPE)
		return EXIT_FINE;
	if (rc < 0)
		complain_of(s->c);
	else
		report_untold(s);
	bool damage = session_damage(s, rc);
	const char *note = s->r ? cairn_reader_index_note(s->r) : NULL;
	if (s->o->times[OPT_VERBOSE] && note)
		complain("the index is not used: %s", note);
	for (size_t i = 0; s->o->times[OPT_VERBOSE] && s->r && (note = cairn_reader_reading(s->r, i));
	     i++)
		complain("%s: %s", s->trace, note);
	if (s->o->times[OPT_VERBOSE] && rc >= 0) {
		struct timespec now;
		clock_gettime(CLOCK_MONOTONIC, &now);
		double t = (double)(now.tv_sec - s->began.tv_sec) +
		           (double)(now.tv_nsec - s->began.tv_nsec) * 1e-9;
		complain("%s: done in %.2f s", s->trace, t);
	}
	return rc < 0 || damage ? EXIT_COULD_NOT : answer;
}

static int session_look_at(void *user, void *partial, const struct cairn_batch *b)
{
	(void)user, (void)partial, (void)b;
	return 0;
}

static int fold_look(void *user, void *partial)
{
	(void)user, (void)partial;
	return 0;
}

/* 1: the trace has instructions where the selection begins, 0: it has not, < 0. */
static int session_begins(struct session *s)
{
	uint64_t first, last;
	struct cairn_batch *b = cairn_batch_new(s->c);
	cairn_select_bounds(s->select, &first, &last);
	int rc = !b ? CAIRN_E_NOMEM : s->nothing ? 0 : cairn_seek(s->r, first);
	if (rc >= 0 && !s->nothing)
		rc = cairn_next(s->r, b);
	cairn_batch_free(s->c, b);
	return rc == CAIRN_E_NOTFOUND ? 0 : rc;
}

/* Nothing was there: because the trace breaks off before? What was skipped is read, and with it
 * once more what was told of already. */
static int look_for_damage(struct session *s)
{
	static const struct cairn_reducer reducer = {.size = sizeof reducer,
	                                             .feed = session_look_at,
	                                             .fold = fold_look};
	struct model_damage told = {0};
	if (!io_can_seek(s->r->io)) {
		model_tell_passed(s->r);
		return 0;
	}
	model_damage_move(s->c, &told, &s->r->damage);
	cairn_reader_want(s->r, CAIRN_PC);
	int rc = session_begins(s);
	model_damage_forget(s->c, &s->r->damage, 0);
	if (rc == 0)
		model_damage_forget(s->c, &told, s->r->opened);
	model_damage_move(s->c, &s->r->damage, &told);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	rc = cairn_seek(s->r, 1);
	return rc < 0 ? rc : cairn_run(s->r, &reducer, s, UINT64_MAX, s->o->threads);
}

int session_finish(struct session *s, int rc, int answer)
{
	progress_stop(s->progress);
	rc = close_output(s, rc);
	if (rc >= 0 && s->sought && (answer == EXIT_NO || s->nothing || s->none))
		rc = look_for_damage(s);
	int code = session_report_end(s, rc, answer);
	cairn_close(s->r);
	cairn_select_free(s->select);
	cairn_image_free(s->image);
	return close_context(s->c, code);
}
