/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where damage meets other features: several harts, regions, states, searches, slices, merges,
 * pipes, threads. The whole trace is the yardstick: what is claimed of the damaged one is so in
 * the whole one, or is not known.
 *
 * CAIRN_LONG=N tries so many seeds of each format; CAIRN_SEED=N begins with that one;
 * CAIRN_FORMAT=NAME takes one format; CAIRN_KEEP=1 leaves the files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "damage/damage.h"
#include "damage/run.h"
#include "fixtures/random_traces.h"

enum { LINE = 1024, FAR_BEFORE = 60 };

static struct cairn *c;
static char dir[64];
static unsigned wrong, tried, runs;

struct trial {
	const struct make_format *format;
	uint64_t seed;
	char whole_path[MAKE_PATH], path[MAKE_PATH], program[MAKE_PATH], how[128];
	char image_option[MAKE_PATH + 32];
	struct cairn_image *image;
	struct whole *whole, *part;
	struct whole *written; /* of a log: what is made of the whole one, as STF */
	bool has_index;        /* of a container */
	uint64_t place;        /* the first instruction that is not as in the whole */
};

static void report(const struct trial *trial, const char *what, const char *why)
{
	if (wrong++ < 60)
		print_error("%s: %s: %s: %.800s\n", trial->path, trial->how, what, why);
}

/* ---- reading ---- */

static void judge_rows(struct trial *trial)
{
	char why[512];
	if (whole_judge(trial->whole, trial->part, WHOLE_ALL, why))
		report(trial, "view", why);
	if (!whole_damage(trial->part))
		report(trial, "view", "the damage is not noticed");
	uint64_t n = 0;
	while (n < whole_size(trial->whole) && n < whole_size(trial->part) &&
	       !whole_differ(trial->whole, n, trial->part, n))
		n++;
	trial->place = n + 1;
}

/* Numbers of the instructions that write, or read, a register or a byte. */
static void find(const struct trial *trial, const char *path, const char *text, bool writes,
                 struct cairn_found *found)
{
	struct cairn_open_opts open_opts = {.size = sizeof open_opts, .image = trial->image};
	struct cairn_reader *reader = NULL;
	struct cairn_touch *touch = NULL;
	*found = (struct cairn_found){.size = sizeof *found};
	if (cairn_open(c, path, &open_opts, &reader) < 0)
		return;
	assert_int_equal(cairn_touch_new(c, text, writes, NULL, &touch), 0);
	struct cairn_find_opts opts = {.size = sizeof opts, .touch = touch};
	cairn_find(reader, &opts, found);
	cairn_touch_free(touch);
	cairn_close(reader);
}

static bool is_among(const struct cairn_found *found, uint64_t number)
{
	for (size_t i = 0; i < found->n; i++)
		if (found->numbers[i] == number)
			return true;
	return false;
}

/* What is found is found in the whole, too; what is found there and still is there, is found. */
static void judge_find(const struct trial *trial, const char *text, bool writes)
{
	struct cairn_found in_whole, in_part;
	char why[128];
	find(trial, trial->whole_path, text, writes, &in_whole);
	find(trial, trial->path, text, writes, &in_part);
	for (uint64_t i = 0; i < whole_size(trial->part); i++) {
		uint64_t like = whole_like(trial->whole, trial->part, i);
		if (like == UINT64_MAX)
			continue;
		bool is = is_among(&in_part, whole_number(trial->part, i)),
			 was = is_among(&in_whole, whole_number(trial->whole, like));
		if (is == was || (!is && !whole_tells(trial->part, i)))
			continue;
		snprintf(why, sizeof why, "%s %s: instruction %llu is %sfound", writes ? "writes" : "reads",
		         text, (unsigned long long)whole_number(trial->part, i), is ? "" : "not ");
		report(trial, "find", why);
		break;
	}
	cairn_found_free(c, &in_whole);
	cairn_found_free(c, &in_part);
}

/* ---- the command: a file and a pipe, one thread and several ---- */

static bool is_folder(const struct trial *trial)
{
	return !strcmp(trial->format->ending, ".snapshot");
}

static void run_on(const struct trial *trial, const char *verb, const char *path, const char *rest,
                   struct run *run)
{
	char line[2 * LINE];
	bool pipe = !strcmp(path, "-");
	snprintf(line, sizeof line, "cairn %s %s %s %s", verb, trial->image_option, path, rest);
	run_command_line(line, pipe ? trial->path : NULL, trial->path, run);
	runs++;
}

/* Who jumps by the index of a container knows no modes: contexts are no part of the comparison. */
static void drop_contexts(char *text)
{
	for (char *p = text; (p = strstr(p, "CONTEXT ")) != NULL;) {
		char *end = strchr(p, '\n');
		if (!end)
			break;
		memmove(p, end + 1, strlen(end + 1) + 1);
	}
}

static void compare(const struct trial *trial, const char *line, const char *way,
                    const struct run *a, const struct run *b)
{
	if (trial->format->packed) {
		drop_contexts(a->out);
		drop_contexts(b->out);
	}
	char why[800];
	const char *what = a->code != b->code                                       ? "exit code"
	                   : strcmp(a->out, b->out) != 0                            ? "output"
	                   : strcmp(a->err, b->err) != 0 && !trial->format->program ? "sentences"
	                                                                            : NULL;
	if (!what)
		return;
	const char *left = a->out, *right = b->out;
	for (; *left && *left == *right; left++)
		right++;
	snprintf(why, sizeof why, "another %s %s (%d, %d)\n%.200s%.200s%.100s\n%.100s", what, way,
	         a->code, b->code, a->err, b->err, left, right);
	report(trial, line, why);
}

/* What is asked for may end before the damage; then a word is not needed. `check` finds an error. */
static void judge_code(const struct trial *trial, const char *line, const struct run *run,
                       bool may_end_before)
{
	static const char *const places[] = {"byte ", "chunk", "index", "line "};
	bool placed = false;
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		placed |= strstr(run->err, places[i]) || strstr(run->out, places[i]);
	may_end_before |= trial->place > whole_size(trial->part); /* it lies behind all */
	bool check = !strncmp(line, "check", 5);
	if (check && !may_end_before && run->code == 0 && !strstr(run->out, ": warning: "))
		report(trial, line, "nothing was found where damage was met");
	if (!check && !may_end_before && run->code != 2)
		report(trial, line, "not 2 where damage was met");
	if (run->code == 2 && !placed)
		report(trial, line, run->err);
}

static void judge_verb(const struct trial *trial, const char *verb, const char *region,
                       bool may_end_before)
{
	struct run one, several, piped;
	char line[LINE], rest[256];
	snprintf(line, sizeof line, "%s %s", verb, region);
	run_on(trial, verb, trial->path, region, &one);
	judge_code(trial, line, &one, may_end_before);
	snprintf(rest, sizeof rest, "%s -j 4", region);
	run_on(trial, verb, trial->path, rest, &several);
	compare(trial, line, "on several threads", &one, &several);
	/* Who jumps in a container without an index knows no PC. */
	bool knows = !trial->format->packed || !trial->format->to ||
	             strncmp(trial->format->to, "zstf", 4) != 0 || strncmp(verb, "view -D", 7) != 0;
	if (!is_folder(trial)) {
		run_on(trial, verb, "-", region, &piped);
		if (knows || trial->has_index)
			compare(trial, line, "from a pipe", &one, &piped);
		run_free(&piped);
	}
	run_free(&several);
	run_free(&one);
}

/* Regions before, across and behind the damage. */
static void some_regions(const struct trial *trial, char regions[3][64])
{
	unsigned long long at = trial->place;
	bool far = at > FAR_BEFORE;
	snprintf(regions[0], 64, "%llu..%llu", far ? at - FAR_BEFORE : 1,
	         far ? at - FAR_BEFORE + 9 : 1);
	snprintf(regions[1], 64, "%llu..%llu", at > 9 ? at - 9 : 1, at + 9);
	snprintf(regions[2], 64, "%llu..%llu", at + 12, at + 30);
}

static bool is_readable(const struct trial *trial)
{
	return whole_size(trial->part) > 0;
}

static void judge_verbs(const struct trial *trial)
{
	static const char *const verbs[] = {"view -D -r -m -e -j 1", "count -j 1"};
	enum { LOADS = 4 };
	static const char *const whole[] = {"check -j 1", "count -w hart==1", "find --writes x12 -a -D",
	                                    "find --reads 0x40010+8 -a -D", "find -D -j 1"};
	char regions[3][64], rest[128];
	some_regions(trial, regions);
	for (size_t v = 0; v < sizeof verbs / sizeof *verbs; v++)
		for (unsigned r = 0; r < 3; r++)
			judge_verb(trial, verbs[v], regions[r], r == 0 || trial->format->program);
	for (size_t v = 0; v < sizeof whole / sizeof *whole; v++)
		if (v || trial->format->to) /* there are rules */
			judge_verb(trial, whole[v], v == LOADS ? "class==load" : "", false);
	for (unsigned r = 0; r < 3 && !trial->format->program; r++) {
		unsigned long long at = strtoull(regions[r], NULL, 10);
		if (at > whole_size(trial->part))
			continue;
		snprintf(rest, sizeof rest, "%llu", at);
		judge_verb(trial, "view --state", rest, r < 2);
		snprintf(rest, sizeof rest, "--after %llu", at);
		judge_verb(trial, "view --state", rest, r < 2);
	}
}

/* ---- what is made of it ---- */

struct first_error {
	const struct trial *trial;
	char why[256];
};

static int on_finding(void *user, const struct cairn_finding *finding)
{
	struct first_error *first = user;
	const char *id = finding->rule->id;
	/* What the damage explains: a record that is kept as it is, and that nothing tells any more,
	 * the lost line of a log, of which some tell no contents anyway, or the lost value of an RST. */
	bool explained = !strcmp(id, "rst.record.known") || !strncmp(id, "rst.initial.", 12) ||
	                 !strcmp(id, "rst.flow.continuous") || !strcmp(id, "stf.content.missing") ||
	                 (first->trial->written && !strcmp(id, "stf.mem.missing"));
	if (finding->rule->severity == CAIRN_ERROR && !explained && !*first->why)
		snprintf(first->why, sizeof first->why, "instruction %llu: %s [%s]",
		         (unsigned long long)finding->insn, finding->message, id);
	return 0;
}

static void judge_check(const struct trial *trial, const char *line, const char *path)
{
	struct first_error first = {.trial = trial};
	struct cairn_open_opts open_opts = {.size = sizeof open_opts, .lenient = 1};
	struct cairn_check_opts opts = {.size = sizeof opts, .finding = on_finding, .user = &first};
	struct cairn_check_result result = {.size = sizeof result};
	struct cairn_reader *reader = NULL;
	if (cairn_open(c, path, &open_opts, &reader) < 0)
		return;
	if (cairn_check(reader, &opts, &result) >= 0 && *first.why)
		report(trial, line, first.why);
	cairn_close(reader);
}

/* Judges what was written, and removes it. NULL: nothing was. */
static struct whole *judge_written(const struct trial *trial, const char *line, const char *path,
                                   const struct run *run, enum whole_states states)
{
	char why[512], what[600];
	/* STF cannot say that an outcome is not known; that it is lost is told. */
	unsigned open = strstr(run->err, "lost: outcomes of branches") ? WHOLE_NO_OUTCOMES : 0;
	if (access(path, F_OK) != 0)
		return NULL;
	struct whole *made = whole_read(c, path, trial->image);
	if (whole_judge(trial->written ? trial->written : trial->whole, made, states | open, why)) {
		snprintf(what, sizeof what, "what was written: %s", why);
		report(trial, line, what);
	}
	bool exact = !strncmp(line, "convert", 7) && trial->format->isa == CAIRN_ISA_SPARC;
	if (whole_damage(made) && !exact)
		report(trial, line, "what was written is damaged");
	judge_check(trial, line, path);
	return made;
}

static void remove_path(const char *path)
{
	char command[2 * MAKE_PATH];
	snprintf(command, sizeof command, "rm -rf %s", path);
	if (!getenv("CAIRN_KEEP"))
		assert_int_equal(system(command), 0);
}

/* Who makes something of a part has to read twice: a pipe is refused. */
static void judge_piped(const struct trial *trial, const char *line, const char *verb,
                        const char *rest, const char *path, const struct run *run,
                        const struct whole *made)
{
	struct run piped;
	char why[512];
	run_on(trial, verb, "-", rest, &piped);
	if (!strstr(piped.err, "cannot be read again")) {
		compare(trial, line, "from a pipe", run, &piped);
		struct whole *same = access(path, F_OK) == 0 ? whole_read(c, path, trial->image) : NULL;
		if (!made != !same)
			report(trial, line, "a pipe makes no file, or a file does not");
		else if (made && !whole_same(made, same, why))
			report(trial, line, why);
		whole_free(same);
	}
	run_free(&piped);
	remove_path(path);
}

static void judge_change(const struct trial *trial, const char *verb, const char *rest,
                         const char *ending, bool may_end_before, enum whole_states states)
{
	struct run run;
	static unsigned n;
	char line[LINE], path[MAKE_PATH], more[LINE];
	snprintf(path, sizeof path, "%s/made-%u%s", dir, n++, ending);
	snprintf(line, sizeof line, "%s %s -o x%s", verb, rest, ending);
	snprintf(more, sizeof more, "%s -o %s", rest, path);
	run_on(trial, verb, trial->path, more, &run);
	struct whole *made = judge_written(trial, line, path, &run, states);
	if (made)
		judge_code(trial, line, &run, may_end_before);
	remove_path(path);
	if (!is_folder(trial))
		judge_piped(trial, line, verb, more, path, &run, made);
	whole_free(made);
	run_free(&run);
}

/* Raw bytes of ETE are of one hart. */
static const char *ending_of_made(const struct make_format *format)
{
	return format->program ? ".snapshot" : format->to ? format->ending : ".stf";
}

static void judge_changes(const struct trial *trial)
{
	char regions[3][64], rest[LINE];
	const char *ending = ending_of_made(trial->format);
	some_regions(trial, regions);
	for (unsigned r = 0; r < 3; r++) {
		snprintf(rest, sizeof rest, "%s -j 1", regions[r]);
		/* An RST does not tell that a hart which does not run again has lost something. */
		judge_change(trial, "slice", rest, ending, r == 0 || trial->format->program,
		             trial->format->isa == CAIRN_ISA_SPARC ? WHOLE_OWN : WHOLE_ALL);
	}
	judge_change(trial, "slice", "cpu1", ending, false, WHOLE_OWN);
	judge_change(trial, "slice", "-w class==load", ending, false, WHOLE_OWN);
	if (trial->format->isa == CAIRN_ISA_RV64) {
		judge_change(trial, "convert", "", ".stf", false, WHOLE_ALL);
		judge_change(trial, "convert", "--to zstf:chunk=16", ".zstf", false, WHOLE_ALL);
	}
	if (trial->format->isa == CAIRN_ISA_SPARC) {
		judge_change(trial, "convert", "--lossy", ".rz3", false, WHOLE_ALL);
		judge_change(trial, "convert", "", ".stf", false, WHOLE_ALL);
	}
	if (trial->format->isa == CAIRN_ISA_A64) {
		if (!trial->written)
			judge_change(trial, "convert", "", ".snapshot", false, WHOLE_ALL);
		judge_change(trial, "convert", "", ".stf", false, WHOLE_ALL);
	}
	snprintf(rest, sizeof rest, "%s -R %s -R %s", trial->whole_path, regions[0], regions[2]);
	/* Where others were left out, those that do not run are not what they were. */
	judge_change(trial, "merge", rest, ending, false, WHOLE_OWN);
	snprintf(rest, sizeof rest, "%s", trial->whole_path);
	judge_change(trial, "merge", rest, ending, false, WHOLE_OWN);
}

static void judge_split(const struct trial *trial)
{
	struct run run;
	char rest[LINE], path[MAKE_PATH];
	const char *ending = ending_of_made(trial->format);
	snprintf(rest, sizeof rest, "--by cpu -o %s/split-%%s%s", dir, ending);
	run_on(trial, "split", trial->path, rest, &run);
	for (unsigned k = 0; k <= trial->format->harts; k++) {
		if (k < trial->format->harts)
			snprintf(path, sizeof path, "%s/split-%u%s", dir, k, ending);
		else
			snprintf(path, sizeof path, "%s/split-unknown%s", dir, ending);
		struct whole *made = judge_written(trial, "split --by cpu", path, &run, WHOLE_OWN);
		if (made)
			judge_code(trial, "split --by cpu", &run, false);
		for (uint64_t i = 0; made && i < whole_size(made) && k < trial->format->harts; i++)
			if (whole_hart(made, i) != k) {
				report(trial, "split --by cpu", "an instruction of another hart");
				break;
			}
		whole_free(made);
		remove_path(path);
	}
	run_free(&run);
}

/* By its index the state is the state by reading, and the rest, too. */
static void judge_index(struct trial *trial)
{
	struct run run;
	char why[512], path[MAKE_PATH + 16];
	run_on(trial, "index", trial->path, "", &run);
	judge_code(trial, "index", &run, false);
	run_free(&run);
	struct whole *indexed = whole_read_apart(c, trial->path, trial->image);
	if (whole_judge(trial->whole, indexed, WHOLE_ALL, why))
		report(trial, "by the index", why);
	if (!whole_same(trial->part, indexed, why))
		report(trial, "by the index not as by reading", why);
	judge_find(trial, "x12", true);
	whole_free(indexed);
	snprintf(path, sizeof path, "%s.cairn-index", trial->path);
	remove_path(path);
}

/* ---- */

static void try_damage(struct trial *trial, unsigned way)
{
	static const char *const registers[] = {"x10", "x13", "x17"};
	uint64_t seed = trial->seed * 64 + way;
	snprintf(trial->path, sizeof trial->path, "%s/damaged-%zu-%u-%llu%s", dir,
	         (size_t)(trial->format - make_formats), way, (unsigned long long)trial->seed,
	         trial->format->ending);
	if (!spoil_trace(c, trial->format, way, random_next(&seed), trial->whole_path, trial->path,
	                 trial->how))
		return;
	tried++;
	trial->has_index = way != 2 && way != 5 && !trial->format->no_index;
	trial->part = whole_read(c, trial->path, trial->image);
	judge_rows(trial);
	if (is_readable(trial)) {
		for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
			judge_find(trial, registers[i], true);
		judge_find(trial, "0x40018+8", true);
		judge_find(trial, "0x40020+8", false);
		judge_verbs(trial);
		judge_changes(trial);
		if (trial->format->to) /* a log cannot be split */
			judge_split(trial);
		judge_index(trial);
	}
	whole_free(trial->part);
}

/* What is made of a log tells more than the log: modes go on, and there are ids. */
static struct whole *convert_whole(const struct trial *trial)
{
	struct run run;
	char line[2 * LINE], path[MAKE_PATH];
	snprintf(path, sizeof path, "%s/whole-made.stf", dir);
	snprintf(line, sizeof line, "cairn convert %s -o %s", trial->whole_path, path);
	run_command_line(line, NULL, trial->whole_path, &run);
	assert_int_equal(run.code, 0);
	run_free(&run);
	return whole_read(c, path, NULL);
}

static void try_format(const struct make_format *format, uint64_t seed)
{
	struct trial trial = {.format = format, .seed = seed};
	char spec[MAKE_PATH + 16], why[512], all[MAKE_PATH];
	snprintf(trial.whole_path, sizeof trial.whole_path, "%s/whole-%zu-%llu%s", dir,
	         (size_t)(format - make_formats), (unsigned long long)seed, format->ending);
	snprintf(trial.program, sizeof trial.program, "%s/program.bin", dir);
	make_trace(c, format, seed, trial.whole_path, trial.program);
	if (format->program) {
		trial.image = cairn_image_new(c);
		snprintf(spec, sizeof spec, "%s@0x100000", trial.program);
		snprintf(trial.image_option, sizeof trial.image_option, "--image %s", spec);
		assert_int_equal(cairn_image_add(trial.image, spec), 0);
	}
	trial.whole = whole_read(c, trial.whole_path, trial.image);
	assert_true(whole_size(trial.whole) > 200);
	assert_int_equal(whole_judge(trial.whole, trial.whole, WHOLE_ALL, why), 0);
	if (!format->to)
		trial.written = convert_whole(&trial);
	for (unsigned way = 0; way < SPOIL_WAYS; way++)
		try_damage(&trial, way);
	whole_free(trial.whole);
	whole_free(trial.written);
	cairn_image_free(trial.image);
	snprintf(all, sizeof all, "%s/*", dir);
	remove_path(all);
}

static void of_all(void **state)
{
	const char *more = getenv("CAIRN_LONG"), *first = getenv("CAIRN_SEED"),
			   *only = getenv("CAIRN_FORMAT");
	uint64_t begin = first ? strtoull(first, NULL, 0) : 1, n = more ? strtoull(more, NULL, 0) : 1;
	(void)state;
	for (size_t i = 0; i < make_n_formats; i++)
		for (uint64_t seed = begin; seed < begin + n; seed++)
			if (!only || !strcmp(only, make_formats[i].name))
				try_format(&make_formats[i], seed);
	print_message("# %u damaged traces, %u runs, %u wrong\n", tried, runs, wrong);
	assert_int_equal(wrong, 0);
}

static int set_up(void **state)
{
	(void)state;
	signal(SIGPIPE, SIG_IGN);
	setenv("CAIRN_LLVM", "none", 0); /* it is not ours, and slow */
	snprintf(dir, sizeof dir, "/tmp/cairn-damage-XXXXXX");
	c = cairn_new(NULL);
	return c && mkdtemp(dir) ? 0 : -1;
}

static int clean_up(void **state)
{
	(void)state;
	cairn_free(c);
	remove_path(dir);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_all),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, set_up, clean_up);
}
