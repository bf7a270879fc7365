/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command as its user meets it: from the start of the process to its end,
 * with its output thrown away, or counted beforehand to know how many lines there
 * are. The largest resident set of the child includes pages of mapped files.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "limits.h"

enum { MAX_ARGS = 10 };

struct command {
	const char *argv[MAX_ARGS];
	const char *out; /* where its output goes; NULL: nowhere */
	long peak;       /* KiB resident at most */
};

static int run_command(void *arg)
{
	struct command *command = arg;
	struct rusage used;
	int status = -1;
	pid_t pid = fork(); /* not vfork: its child inherits our largest resident set */
	if (pid == 0) {
		int fd =
			open(command->out ? command->out : "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0666);
		if (fd >= 0 && dup2(fd, 1) == 1)
			execvp(command->argv[0], (char *const *)(uintptr_t)command->argv);
		_exit(127);
	}
	if (pid < 0) {
		fprintf(stderr, "bench: %s: %s\n", command->argv[0], strerror(errno));
		return -1;
	}
	while (wait4(pid, &status, 0, &used) < 0 && errno == EINTR)
		;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		fprintf(stderr, "bench: %s %s: status 0x%x\n", command->argv[0], command->argv[1],
		        (unsigned)status);
		return -1;
	}
	if (used.ru_maxrss > command->peak)
		command->peak = used.ru_maxrss;
	return 0;
}

/* The newline scan of what a command printed. */
static int run_newlines(void *arg)
{
	uint64_t lines;
	return bench_newlines(arg, &lines);
}

/* Lines a second of a command that prints, beside scanning its output for newlines. */
static int text_row(const struct bench *bench, const char *name, const struct command *given,
                    double goal)
{
	char path[512];
	uint64_t lines = 0;
	struct command command = *given;
	snprintf(path, sizeof path, "%s/text", bench->data);
	command.out = path;
	if (run_command(&command) < 0 || bench_newlines(path, &lines) < 0)
		return -1;
	command.out = NULL;
	struct bench_job job[] = {{.run = run_command, .arg = &command},
	                          {.run = run_newlines, .arg = path}};
	int rc = bench_time(job, 2, bench->runs);
	unlink(path);
	if (rc < 0)
		return -1;
	bench_print(
		&(struct bench_row){.name = name,
	                        .unit = "M lines/s",
	                        .figure = (double)lines * 1e-6 / job[0].seconds[BENCH_CORE],
	                        .limit = "newline scan",
	                        .limit_figure = (double)lines * 1e-6 / job[1].seconds[BENCH_CORE],
	                        .ratio = bench_ratio(&job[0], &job[1], bench->runs, BENCH_CORE),
	                        .goal = {goal, false}});
	return 0;
}

/* Milliseconds from start to end. */
static int brief_row(const struct bench *bench, const char *name, struct command *command,
                     double goal)
{
	static const struct command nothing = {.argv = {"true"}};
	struct command none = nothing;
	struct bench_job job[] = {{.run = run_command, .arg = command},
	                          {.run = run_command, .arg = &none}};
	if (bench_time(job, 2, BENCH_MAX_RUNS) < 0)
		return -1;
	bench_print(
		&(struct bench_row){.name = name,
	                        .unit = "ms",
	                        .figure = job[0].seconds[BENCH_WALL] * 1e3,
	                        .limit = "true(1)",
	                        .limit_figure = job[1].seconds[BENCH_WALL] * 1e3,
	                        .ratio = bench_ratio(&job[0], &job[1], BENCH_MAX_RUNS, BENCH_WALL),
	                        .goal = {goal, true},
	                        /* Nothing takes a millisecond when the cores are free. */
	                        .unjudged = job[1].seconds[BENCH_WALL] > 0.002 ? "cores busy" : NULL});
	(void)bench;
	return 0;
}

static void peak_row(const char *name, const struct command *command, unsigned threads, double goal)
{
	bench_print(&(struct bench_row){.name = name,
	                                .unit = "MB/thread",
	                                .figure = (double)command->peak / 1024 / threads,
	                                .goal = {goal, true}});
}

/* count of a whole .zstf as a process, beside zstd -d of the same file. */
static int whole_row(const struct bench *bench, struct command *count,
                     const struct bench_trace *trace)
{
	struct command unzstd = {.argv = {"zstd", "-dcqf", trace->zstf}};
	char chunks[512];
	/* The zstd tool knows the frames but not the container around them: cut it off. */
	snprintf(chunks, sizeof chunks, "%s/chunks.zst", bench->data);
	char cut[2048];
	snprintf(cut, sizeof cut,
	         "end=$(od -An -tu8 -j12 -N8 '%s') && tail -c +21 '%s' | head -c $((end - 20)) > '%s'",
	         trace->zstf, trace->zstf, chunks);
	struct command shell = {.argv = {"sh", "-c", cut}};
	if (access("/usr/bin/zstd", X_OK) != 0) {
		bench_absent("zstd -d as a limit", "not installed");
		return run_command(count);
	}
	unzstd.argv[2] = chunks;
	if (run_command(&shell) < 0)
		return -1;
	struct bench_job job[] = {{.run = run_command, .arg = count},
	                          {.run = run_command, .arg = &unzstd}};
	int rc = bench_time(job, 2, bench->runs);
	unlink(chunks);
	if (rc < 0)
		return -1;
	double insns = (double)trace->made.insns * 1e-6;
	bench_print(
		&(struct bench_row){.name = "cairn count -j1 lean.zstf",
	                        .unit = "M insn/s",
	                        .figure = insns / job[0].seconds[BENCH_CORE],
	                        .limit = "zstd -d",
	                        .limit_figure = insns / job[1].seconds[BENCH_CORE],
	                        .ratio = bench_ratio(&job[0], &job[1], bench->runs, BENCH_CORE)});
	return 0;
}

/* Did a command of two threads wait for cores that others had? */
static bool busy(const struct bench_job *job)
{
	return job->seconds[BENCH_WALL] > 1.3 * job->seconds[BENCH_CORE];
}

/* Judging a raw trace on two threads, beside counting it. */
static int check_row(const struct bench *bench, const char *cairn, const char *name,
                     const struct bench_trace *trace, double goal)
{
	struct command check = {.argv = {cairn, "check", "-q", "-j2", trace->stf}};
	struct command count = {.argv = {cairn, "count", "-j2", trace->stf}};
	struct bench_job job[] = {{.run = run_command, .arg = &check},
	                          {.run = run_command, .arg = &count}};
	if (bench_time(job, 2, bench->runs) < 0)
		return -1;
	double insns = (double)trace->made.insns * 1e-6;
	bench_print(&(struct bench_row){.name = name,
	                                .unit = "M insn/s",
	                                .figure = insns / job[0].seconds[BENCH_WALL],
	                                .limit = "cairn count -j2",
	                                .limit_figure = insns / job[1].seconds[BENCH_WALL],
	                                .ratio = bench_ratio(&job[0], &job[1], bench->runs, BENCH_WALL),
	                                .goal = {goal, false},
	                                .unjudged = busy(&job[0]) ? "cores busy" : NULL});
	return 0;
}

/* Millions of instructions a second of a command that prints nothing. */
static int work_row(const struct bench *bench, const char *name, struct command *command,
                    double goal)
{
	struct bench_job job = {.run = run_command, .arg = command};
	if (bench_time(&job, 1, bench->runs) < 0)
		return -1;
	bench_print(&(struct bench_row){.name = name,
	                                .unit = "M insn/s",
	                                .figure = (double)bench->trace[BENCH_LEAN].made.insns * 1e-6 /
	                                          job.seconds[BENCH_WALL],
	                                .goal = {goal, false},
	                                .unjudged = busy(&job) ? "cores busy" : NULL});
	return 0;
}

/* Two traces at once, and the index of one. */
static int pair_rows(const struct bench *bench, const char *cairn)
{
	const struct bench_trace *trace = &bench->trace[BENCH_LEAN], *full = &bench->trace[BENCH_FULL];
	char file[512];
	snprintf(file, sizeof file, "%s/index", bench->data);
	struct command raw = {.argv = {cairn, "diff", "-qj2", trace->stf, trace->stf}};
	struct command packed = {.argv = {cairn, "diff", "-qj2", trace->zstf, trace->stf}};
	struct command all = {.argv = {cairn, "diff", "-aqj2", full->stf, full->stf}};
	struct command index = {.argv = {cairn, "index", "-qj2", "-o", file, full->zstf}};
	int rc = work_row(bench, "cairn diff -j2, lean.stf twice", &raw, 20);
	if (rc >= 0)
		rc = work_row(bench, "cairn diff -j2, lean.zstf and .stf", &packed, 20);
	if (rc >= 0)
		rc = work_row(bench, "cairn diff -a -j2, full.stf twice", &all, 0);
	if (rc >= 0)
		rc = work_row(bench, "cairn index -j2 full.zstf", &index, 0);
	peak_row("cairn diff -j2: peak memory", &raw, 2, 64);
	unlink(file);
	return rc;
}

/* What an index is for: questions about the past of a large trace. */
static int index_rows(const struct bench *bench, const char *cairn)
{
	const struct bench_trace *trace = &bench->trace[BENCH_FULL];
	char n[32], index[544];
	snprintf(n, sizeof n, "%llu", (unsigned long long)trace->made.insns - 1);
	snprintf(index, sizeof index, "%s.cai", trace->zstf);
	struct command make = {.argv = {cairn, "index", "-qj2", trace->zstf}};
	struct command reg = {
		.argv = {cairn, "find", "-D", "--writes", "x5", "--before", n, trace->zstf}};
	struct command early = {
		.argv = {cairn, "find", "-D", "--last", trace->zstf, "store", "..1000"}};
	struct command state = {.argv = {cairn, "view", "--state", "-rD", trace->zstf, n}};
	struct command memory = {.argv = {cairn, "view", "--state", "-mD", trace->zstf, n}};
	struct command all = {
		.argv = {cairn, "find", "--count", "-j2", trace->zstf, "mem(write && size==2)"}};
	int rc = run_command(&make);
	if (rc >= 0)
		rc = brief_row(bench, "cairn find --writes x5 --before the end, indexed", &reg, 1000);
	if (rc >= 0)
		rc = brief_row(bench, "cairn find --last, of the first thousand, indexed", &early, 100);
	if (rc >= 0)
		rc = brief_row(bench, "cairn view --state -r at the end, indexed", &state, 100);
	if (rc >= 0)
		rc = brief_row(bench, "cairn view --state -m at the end, indexed", &memory, 3000);
	if (rc >= 0)
		rc = work_row(bench, "cairn find -j2 full.zstf, an expression", &all, 0);
	unlink(index);
	return rc;
}

/* One analysis of a packed trace on two threads, beside counting it. */
static int analysis_row(const struct bench *bench, const char *name, struct command *command,
                        const char *unit, uint64_t things, double goal)
{
	struct command count = {
		.argv = {command->argv[0], "count", "-qj2", bench->trace[BENCH_LEAN].zstf}};
	struct bench_job job[] = {{.run = run_command, .arg = command},
	                          {.run = run_command, .arg = &count}};
	if (bench_time(job, 2, bench->runs) < 0)
		return -1;
	double millions = (double)things * 1e-6;
	bench_print(&(struct bench_row){.name = name,
	                                .unit = unit,
	                                .figure = millions / job[0].seconds[BENCH_WALL],
	                                .limit = "cairn count -j2",
	                                .limit_figure = millions / job[1].seconds[BENCH_WALL],
	                                .ratio = bench_ratio(&job[0], &job[1], bench->runs, BENCH_WALL),
	                                .goal = {goal, false},
	                                .unjudged = busy(&job[0]) ? "cores busy" : NULL});
	return 0;
}

int bench_analysis_rows(const struct bench *bench)
{
	static const struct {
		const char *name, *verb, *option, *value, *table;
		double goal;
		bool accesses; /* the goal is in accesses */
	} rows[] = {
		{"cairn mix -j2 lean.zstf", "mix", NULL, NULL, NULL, 60, false},
		{"cairn branches -j2 lean.zstf", "branches", NULL, NULL, NULL, 60, false},
		{"cairn branches -j2, all predictors", "branches", "--predictor", "all", NULL, 0, false},
		{"cairn blocks -j2 lean.zstf", "blocks", NULL, NULL, NULL, 60, false},
		{"cairn calls -j2 lean.zstf", "calls", NULL, NULL, NULL, 40, false},
		{"cairn memory -j2, exact reuse", "memory", "--reuse", "exact", NULL, 8, true},
		{"cairn memory -j2, estimated", "memory", "--estimate", NULL, NULL, 30, true},
		{"cairn memory -j2, sampled reuse", "memory", "--reuse", "sampled", NULL, 0, true},
		{"the same, nothing but reuse", "memory", "--reuse", "exact", "reuse", 8, true},
		{"the same, sampled", "memory", "--reuse", "sampled", "reuse", 30, true},
		{"cairn deps -j2 lean.zstf", "deps", NULL, NULL, NULL, 0, false},
		{"cairn overview -j2 lean.zstf", "overview", NULL, NULL, NULL, 0, false},
		{"cairn simpoints -j2 --every 100k", "simpoints", "--every", "100k", NULL, 0, false},
		/* 100 million in 15 s */
		{"cairn report -j2 lean.zstf", "report", NULL, NULL, NULL, 100 / 15.0, false}};
	const struct bench_made *made = &bench->trace[BENCH_LEAN].made;
	char cairn[512];
	int rc = 0;
	snprintf(cairn, sizeof cairn, "%s/cairn", bench->build);
	if (access(cairn, X_OK) != 0) {
		bench_absent("cairn", "not built");
		return 0;
	}
	for (size_t i = 0; i < sizeof rows / sizeof *rows && rc >= 0; i++) {
		struct command command = {
			.argv = {cairn, rows[i].verb, "-qj2", bench->trace[BENCH_LEAN].zstf, rows[i].option,
		             rows[i].value, rows[i].table ? "--table" : NULL, rows[i].table}};
		rc = analysis_row(
			bench, rows[i].name, &command, rows[i].accesses ? "M access/s" : "M insn/s",
			rows[i].accesses ? made->loads + made->stores : made->insns, rows[i].goal);
	}
	return rc;
}

int bench_command_rows(const struct bench *bench)
{
	char cairn[512], last[32];
	const struct bench_trace *trace = &bench->trace[BENCH_LEAN];
	snprintf(cairn, sizeof cairn, "%s/cairn", bench->build);
	snprintf(last, sizeof last, "%llu..", (unsigned long long)trace->made.insns);
	malloc_trim(0); /* what is ours counts as the child's until it is another program */
	if (access(cairn, X_OK) != 0) {
		bench_absent("cairn", "not built");
		return 0;
	}
	struct command records = {.argv = {cairn, "records", "-j1", bench->text.stf}};
	struct command view = {.argv = {cairn, "view", "-j1", bench->text.stf}};
	struct command plain = {.argv = {cairn, "view", "-j1", "--no-disasm", bench->text.stf}};
	struct command jump = {.argv = {cairn, "view", "--no-disasm", trace->zstf, last}};
	struct command info = {.argv = {cairn, "info", trace->zstf}};
	struct command count = {.argv = {cairn, "count", "-j1", trace->zstf}};
	struct command both = {.argv = {cairn, "count", "-j2", trace->stf}};
	if (text_row(bench, "cairn records -j1", &records, 15) < 0 ||
	    text_row(bench, "cairn view -j1 --no-disasm", &plain, 8) < 0 ||
	    text_row(bench, "cairn view -j1", &view, 4) < 0 ||
	    brief_row(bench, "cairn view .zstf, the last instruction", &jump, 30) < 0 ||
	    brief_row(bench, "cairn info .zstf", &info, 10) < 0 ||
	    whole_row(bench, &count, trace) < 0 ||
	    check_row(bench, cairn, "cairn check -j2 lean.stf", trace, 30) < 0 ||
	    check_row(bench, cairn, "cairn check -j2 full.stf", &bench->trace[BENCH_FULL], 15) < 0 ||
	    pair_rows(bench, cairn) < 0 || index_rows(bench, cairn) < 0 || run_command(&both) < 0)
		return -1;
	peak_row("cairn count -j1 .zstf: peak memory", &count, 1, 64);
	peak_row("cairn count -j2 .stf: peak memory", &both, 2, 64);
	bench_absent("stf_tools", access("/usr/local/bin/stf_count", X_OK) == 0
	                              ? "installed, but not measured here"
	                              : "not installed");
	return 0;
}
