/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The golden-test runner: a test is a text file that shows commands and exactly
 * what they print. docs/development.md describes the syntax for authors; in short
 *
 *     # a comment                      needs: data, a program, or `$ command`
 *     $ command                        > its next line
 *     | a line on standard output      |~ an extended regular expression
 *     ! a line on standard error       = exit status, when it is not 0
 *
 * Every file runs in a scratch directory of its own, each command in a fresh
 * bash, so files are independent and run side by side. The result is TAP on
 * standard output, one test per file, in the order of the names whatever
 * finishes first. With UPDATE=1 the expectations are rewritten to what was
 * seen; lines and patterns that still match are left as they stand.
 *
 * Expected and seen lines are aligned by a longest common subsequence, which
 * serves both the printed difference and the rewriting.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <regex.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_SKIP = 77, MAX_OUTPUT = 8 << 20, DIFF_LINES = 80, NO_NEWLINE = '\001' };

struct config {
	char *bin, *tools, *examples, *data;
	int jobs, timeout;
	bool update;
};

/* ---- small tools: a test program may give up when memory does ---- */

static void die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
static void die(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	fputs("runner: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	exit(2);
}

static void *grow(void *p, size_t n)
{
	p = realloc(p, n ? n : 1);
	if (!p)
		die("out of memory");
	return p;
}

struct text {
	char *s;
	size_t len, cap;
};

static void text_add(struct text *text, const char *s, size_t n)
{
	if (text->len + n + 1 > text->cap) {
		text->cap = (text->len + n + 1) * 2;
		text->s = grow(text->s, text->cap);
	}
	memcpy(text->s + text->len, s, n);
	text->len += n;
	text->s[text->len] = 0;
}

static void text_str(struct text *text, const char *s)
{
	text_add(text, s, strlen(s));
}

/* A line of output, expected or seen. */
struct line {
	char *s;
	bool pattern;
};

struct lines {
	struct line *line;
	size_t n;
};

static void lines_add(struct lines *lines, const char *text, size_t n, bool pattern)
{
	char *copy = grow(NULL, n + 1);
	memcpy(copy, text, n);
	copy[n] = 0;
	lines->line = grow(lines->line, (lines->n + 1) * sizeof *lines->line);
	lines->line[lines->n++] = (struct line){copy, pattern};
}

static char *read_whole(const char *path, size_t *len)
{
	struct text text = {0};
	char buf[65536];
	size_t n;
	FILE *f = fopen(path, "r");
	if (!f)
		die("%s: %s", path, strerror(errno));
	text_str(&text, "");
	while ((n = fread(buf, 1, sizeof buf, f)) > 0)
		text_add(&text, buf, n);
	fclose(f);
	*len = text.len;
	return text.s;
}

/* ---- the file: verbatim lines and steps, in order ---- */

struct step {
	char *verbatim; /* not a step: a comment, an empty line, a needs: line */
	size_t line;
	struct lines command, out, err;
	int status;
};

struct file {
	struct step *step;
	size_t n;
};

static struct step *file_add(struct file *file, size_t line)
{
	file->step = grow(file->step, (file->n + 1) * sizeof *file->step);
	file->step[file->n] = (struct step){.line = line};
	return &file->step[file->n++];
}

/* `| text`, `|`, `|~ pattern`, `|\` (no newline at the end). */
static bool parse_expectation(const char *path, size_t line, struct lines *lines, const char *text,
                              size_t n)
{
	if (n == 1)
		lines_add(lines, "", 0, false);
	else if (text[1] == ' ')
		lines_add(lines, text + 2, n - 2, false);
	else if (n > 2 && text[1] == '~' && text[2] == ' ')
		lines_add(lines, text + 3, n - 3, true);
	else if (n == 2 && text[1] == '\\')
		lines_add(lines, (const char[]){NO_NEWLINE}, 1, false);
	else
		die("%s:%zu: after '%c' comes a space, '~ ' or '\\'", path, line, *text);
	return true;
}

/* Add a line to the step before it; false when it does not belong to one. */
static bool parse_into_step(const char *path, size_t no, struct step *st, const char *text,
                            size_t n)
{
	if (*text == '>' && !st->out.n && !st->err.n) {
		lines_add(&st->command, text + (n > 1 ? 2 : 1), n > 1 ? n - 2 : 0, false);
		return true;
	}
	if (*text == '|')
		return parse_expectation(path, no, &st->out, text, n);
	if (*text == '!')
		return parse_expectation(path, no, &st->err, text, n);
	if (*text == '=') {
		st->status = atoi(text + 1);
		return true;
	}
	return false;
}

static struct file parse(const char *path, const char *text)
{
	struct file file = {0};
	struct step *open = NULL;
	size_t no = 0;

	for (const char *s = text; *s;) {
		size_t n = strcspn(s, "\n");
		no++;
		if (*s == '$' && n > 2 && s[1] == ' ') {
			open = file_add(&file, no);
			lines_add(&open->command, s + 2, n - 2, false);
		} else if (n && strchr(">|!=", *s)) {
			if (!open || !parse_into_step(path, no, open, s, n))
				die("%s:%zu: this line belongs to no command", path, no);
		} else if (!n || *s == '#' || !strncmp(s, "needs:", 6)) {
			struct step *st = file_add(&file, no);
			st->verbatim = grow(NULL, n + 1);
			memcpy(st->verbatim, s, n);
			st->verbatim[n] = 0;
			open = NULL;
		} else {
			die("%s:%zu: a line begins with one of $ > | ! = # or needs:", path, no);
		}
		s += n + (s[n] == '\n');
	}
	return file;
}

/* ---- running one command ---- */

struct outcome {
	struct text out, err;
	int status;
	bool timed_out;
};

static int64_t now_ms(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static pid_t start(const char *command, const char *dir, int *out, int *err)
{
	int o[2], e[2];
	if (pipe(o) || pipe(e))
		die("pipe: %s", strerror(errno));
	pid_t pid = fork();
	if (pid < 0)
		die("fork: %s", strerror(errno));
	if (!pid) {
		int null = open("/dev/null", O_RDONLY);
		setpgid(0, 0);
		if (null < 0 || dup2(null, 0) < 0 || dup2(o[1], 1) < 0 || dup2(e[1], 2) < 0 || chdir(dir))
			_exit(126);
		for (int fd = 3; fd < 64; fd++)
			close(fd);
		execlp("bash", "bash", "--noprofile", "--norc", "-c", command, (char *)NULL);
		_exit(127);
	}
	setpgid(pid, pid);
	close(o[1]);
	close(e[1]);
	*out = o[0];
	*err = e[0];
	return pid;
}

/* Read what is there; false at the end. */
static bool drain(int fd, struct text *text)
{
	char buf[65536];
	ssize_t n = read(fd, buf, sizeof buf);
	if (n > 0 && text->len < MAX_OUTPUT)
		text_add(text, buf, (size_t)n);
	return n > 0 || (n < 0 && errno == EINTR);
}

static void run(const struct config *cf, const char *command, const char *dir, struct outcome *oc)
{
	struct pollfd pollfd[2] = {{.events = POLLIN}, {.events = POLLIN}};
	struct text *text[2] = {&oc->out, &oc->err};
	int64_t deadline = now_ms() + (int64_t)cf->timeout * 1000;
	int status = 0;
	pid_t pid = start(command, dir, &pollfd[0].fd, &pollfd[1].fd);
	pid_t done = 0;

	text_str(&oc->out, "");
	text_str(&oc->err, "");
	while (!done || pollfd[0].fd >= 0 || pollfd[1].fd >= 0) {
		int64_t left = deadline - now_ms();
		if (left <= 0) {
			oc->timed_out = true;
			break;
		}
		bool open = pollfd[0].fd >= 0 || pollfd[1].fd >= 0;
		poll(pollfd, 2, open ? (int)left : 1);
		for (int i = 0; i < 2; i++) {
			if (pollfd[i].fd >= 0 && pollfd[i].revents && !drain(pollfd[i].fd, text[i])) {
				close(pollfd[i].fd);
				pollfd[i].fd = -1;
			}
		}
		if (!done && pollfd[0].fd < 0 && pollfd[1].fd < 0)
			done = waitpid(pid, &status, WNOHANG);
	}
	kill(-pid, SIGKILL); /* what it left running, or itself when out of time */
	for (int i = 0; i < 2; i++)
		if (pollfd[i].fd >= 0)
			close(pollfd[i].fd);
	if (!done)
		waitpid(pid, &status, 0);
	oc->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---- comparing ---- */

/* Output as lines, with the machine's own paths and control characters spelt
 * so that a test reads the same everywhere. */
static struct lines to_lines(const struct text *raw, const char *const (*names)[2], size_t n_names)
{
	struct text text = {0};
	struct lines lines = {0};

	for (size_t i = 0; i < raw->len;) {
		size_t k = 0;
		for (; k < n_names; k++) {
			size_t n = strlen(names[k][0]);
			if (n && n <= raw->len - i && !memcmp(raw->s + i, names[k][0], n))
				break;
		}
		unsigned char ch = (unsigned char)raw->s[i];
		char hex[8];
		if (k < n_names) {
			text_str(&text, names[k][1]);
			i += strlen(names[k][0]);
			continue;
		}
		i++;
		if (ch == '\n') {
			lines_add(&lines, text.s ? text.s : "", text.len, false);
			text.len = 0;
		} else if (ch < 0x20 ? ch != '\t' : ch == 0x7f) {
			snprintf(hex, sizeof hex, "\\x%02x", ch);
			text_str(&text, hex);
		} else {
			text_add(&text, (const char *)&ch, 1);
		}
	}
	if (raw->len && raw->s[raw->len - 1] != '\n') {
		lines_add(&lines, text.s ? text.s : "", text.len, false);
		lines_add(&lines, (const char[]){NO_NEWLINE}, 1, false);
	}
	free(text.s);
	return lines;
}

static bool matches(const struct line *want, const char *got)
{
	if (!want->pattern)
		return !strcmp(want->s, got);
	struct text text = {0};
	regex_t re;
	text_str(&text, "^(");
	text_str(&text, want->s);
	text_str(&text, ")$");
	if (regcomp(&re, text.s, REG_EXTENDED | REG_NOSUB))
		die("bad pattern: %s", want->s);
	bool ok = !regexec(&re, got, 0, NULL, 0);
	regfree(&re);
	free(text.s);
	return ok;
}

/* pair[j] = the expected line that seen line j matches, or SIZE_MAX. Returns
 * whether everything matches. */
static bool align(const struct lines *want, const struct lines *got, size_t *pair)
{
	size_t head = 0, tail = 0, n, m;
	for (size_t j = 0; j < got->n; j++)
		pair[j] = SIZE_MAX;
	while (head < want->n && head < got->n && matches(&want->line[head], got->line[head].s)) {
		pair[head] = head;
		head++;
	}
	if (head == want->n && head == got->n)
		return true;
	while (tail < want->n - head && tail < got->n - head &&
	       matches(&want->line[want->n - 1 - tail], got->line[got->n - 1 - tail].s)) {
		pair[got->n - 1 - tail] = want->n - 1 - tail;
		tail++;
	}
	n = want->n - head - tail;
	m = got->n - head - tail;
	if (!n || !m || n > (16u << 20) / m)
		return false; /* nothing to align, or too much: all of it differs */
	uint32_t *len = calloc((n + 1) * (m + 1), sizeof *len);
	if (!len)
		die("out of memory");
#define LEN(i, j) len[(i) * (m + 1) + (j)]
	for (size_t i = n; i-- > 0;)
		for (size_t j = m; j-- > 0;)
			LEN(i, j) = matches(&want->line[head + i], got->line[head + j].s)
			                ? LEN(i + 1, j + 1) + 1
			            : LEN(i + 1, j) > LEN(i, j + 1) ? LEN(i + 1, j)
			                                            : LEN(i, j + 1);
	for (size_t i = 0, j = 0; i < n && j < m;) {
		if (matches(&want->line[head + i], got->line[head + j].s))
			pair[head + j++] = head + i++;
		else if (LEN(i + 1, j) >= LEN(i, j + 1))
			i++;
		else
			j++;
	}
#undef LEN
	free(len);
	return false;
}

static void put_line(FILE *file, const char *before, char mark, const struct line *line)
{
	if (*line->s == NO_NEWLINE)
		fprintf(file, "%s%c\\\n", before, mark);
	else if (!*line->s && !line->pattern)
		fprintf(file, "%s%c\n", before, mark);
	else
		fprintf(file, "%s%c%s %s\n", before, mark, line->pattern ? "~" : "", line->s);
}

static void print_diff(FILE *file, char mark, const struct lines *want, const struct lines *got,
                       const size_t *pair)
{
	size_t i = 0, shown = 0;
	for (size_t j = 0; j <= got->n; j++) {
		/* What is missing here comes first: up to the next line in common. */
		size_t next = j;
		while (next < got->n && pair[next] == SIZE_MAX)
			next++;
		size_t upto = next == got->n ? want->n : pair[next];
		for (; i < upto; i++)
			if (shown++ < DIFF_LINES)
				put_line(file, "  -", mark, &want->line[i]);
		if (j == got->n || shown > DIFF_LINES)
			break;
		i += next == j;
		bool differs = pair[j] == SIZE_MAX;
		bool near = differs || (j + 1 < got->n && pair[j + 1] == SIZE_MAX) ||
		            (j && pair[j - 1] == SIZE_MAX);
		if (near && shown++ < DIFF_LINES)
			put_line(file, differs ? "  +" : "   ", mark, &got->line[j]);
	}
	if (shown > DIFF_LINES)
		fprintf(file, "  ...\n");
}

/* Compare one stream; under update take over what was seen. */
static bool settle(const struct config *cf, FILE *report, char mark, struct lines *want,
                   const struct lines *got)
{
	size_t *pair = grow(NULL, (got->n + 1) * sizeof *pair);
	bool same = align(want, got, pair);
	if (!same && cf->update) {
		struct lines fresh = {0};
		for (size_t j = 0; j < got->n; j++) {
			const struct line *line = pair[j] == SIZE_MAX ? &got->line[j] : &want->line[pair[j]];
			lines_add(&fresh, line->s, strlen(line->s), line->pattern);
		}
		*want = fresh;
	} else if (!same) {
		print_diff(report, mark, want, got, pair);
	}
	free(pair);
	return same;
}

/* ---- one test file ---- */

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

static bool have_program(const char *name)
{
	char command[512];
	snprintf(command, sizeof command, "command -v '%s' >/dev/null 2>&1", name);
	return system(command) == 0;
}

/* NULL when the needs: line is met, else what is missing. */
static const char *unmet(const struct config *cf, char *words)
{
	static char why[600];
	words += strspn(words, " ");
	if (*words == '$') {
		snprintf(why, sizeof why, "needs: %s", words);
		return system(words + 1) == 0 ? NULL : why;
	}
	for (char *w = strtok(words, " "); w; w = strtok(NULL, " ")) {
		bool data = !strcmp(w, "data") || !strncmp(w, "data/", 5);
		char path[4096];
		snprintf(path, sizeof path, "%s%s", cf->data, data ? w + 4 : "");
		snprintf(why, sizeof why, "no %s", w);
		if (data ? access(path, R_OK) != 0 : !have_program(w))
			return why;
	}
	return NULL;
}

static bool run_step(const struct config *cf, FILE *report, const char *path, const char *dir,
                     struct step *st)
{
	const char *const names[][2] = {{dir, "$PWD"},
	                                {cf->examples, "$EXAMPLES"},
	                                {cf->data, "$DATA"},
	                                {cf->bin, "$BIN"}};
	struct text command = {0};
	struct outcome oc = {0};
	char *body = NULL;
	size_t body_len = 0;

	for (size_t i = 0; i < st->command.n; i++) {
		text_str(&command, i ? "\n" : "");
		text_str(&command, st->command.line[i].s);
	}
	run(cf, command.s, dir, &oc);
	struct lines out = to_lines(&oc.out, names, 4), err = to_lines(&oc.err, names, 4);
	FILE *f = open_memstream(&body, &body_len);
	if (!f)
		die("out of memory");
	bool ok = settle(cf, f, '|', &st->out, &out);
	ok = settle(cf, f, '!', &st->err, &err) && ok;
	if (oc.status != st->status) {
		ok = false;
		fprintf(f, "  -= %d\n  += %d\n", st->status, oc.status);
		st->status = oc.status;
	}
	if (oc.timed_out)
		fprintf(f, "  ended after %d s\n", cf->timeout);
	fclose(f);
	if (!ok || oc.timed_out)
		fprintf(report, "%s:%zu: $ %s\n%s", path, st->line, command.s, body);
	free(body);
	free(command.s);
	free(oc.out.s);
	free(oc.err.s);
	return ok && !oc.timed_out;
}

static void write_back(const char *path, const struct file *file)
{
	FILE *o = fopen(path, "w");
	if (!o)
		die("%s: %s", path, strerror(errno));
	for (size_t i = 0; i < file->n; i++) {
		const struct step *st = &file->step[i];
		if (st->verbatim) {
			fprintf(o, "%s\n", st->verbatim);
			continue;
		}
		for (size_t k = 0; k < st->command.n; k++)
			fprintf(o, "%c%s%s\n", k ? '>' : '$', *st->command.line[k].s ? " " : "",
			        st->command.line[k].s);
		for (size_t k = 0; k < st->out.n; k++)
			put_line(o, "", '|', &st->out.line[k]);
		for (size_t k = 0; k < st->err.n; k++)
			put_line(o, "", '!', &st->err.line[k]);
		if (st->status)
			fprintf(o, "= %d\n", st->status);
	}
	if (fclose(o))
		die("%s: %s", path, strerror(errno));
}

/* Runs in a process of its own; the result is its exit status and `report`. */
static int run_file(const struct config *cf, const char *path, FILE *report)
{
	size_t len;
	char *text = read_whole(path, &len);
	struct file file = parse(path, text);
	bool ok = true;
	const char *tmp = getenv("TMPDIR");
	char dir[4096];

	for (size_t i = 0; i < file.n; i++) {
		if (!file.step[i].verbatim || strncmp(file.step[i].verbatim, "needs:", 6))
			continue;
		char *words = strdup(file.step[i].verbatim + 6);
		const char *why = words ? unmet(cf, words) : "memory";
		free(words);
		if (why) {
			fprintf(report, "%s", why);
			return EXIT_SKIP;
		}
	}
	snprintf(dir, sizeof dir, "%s/cairn-test.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(dir))
		die("%s: %s", dir, strerror(errno));
	char *real = realpath(dir, NULL);
	setenv("HOME", real ? real : dir, 1);
	setenv("TMPDIR", real ? real : dir, 1);
	for (size_t i = 0; i < file.n; i++)
		if (!file.step[i].verbatim)
			ok = run_step(cf, report, path, real ? real : dir, &file.step[i]) && ok;
	if (cf->update && !ok) {
		write_back(path, &file);
		fprintf(stderr, "updated %s\n", path);
		ok = true;
	}
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(real);
	return ok ? 0 : 1;
}

/* ---- all of them ---- */

struct job {
	char *path;
	pid_t pid;
	FILE *report;
	int status; /* -1 while it runs or waits */
};

static void job_start(const struct config *cf, struct job *job)
{
	job->report = tmpfile();
	if (!job->report)
		die("tmpfile: %s", strerror(errno));
	fflush(NULL);
	job->pid = fork();
	if (job->pid < 0)
		die("fork: %s", strerror(errno));
	if (!job->pid) {
		int rc = run_file(cf, job->path, job->report);
		fflush(job->report);
		_exit(rc);
	}
}

static void job_print(struct job *job, size_t number)
{
	const char *slash = strrchr(job->path, '/');
	const char *name = slash ? slash + 1 : job->path;
	int n = (int)strcspn(name, ".");
	char line[4096];

	rewind(job->report);
	if (job->status == EXIT_SKIP) {
		printf("ok %zu - %.*s # SKIP %s\n", number, n, name,
		       fgets(line, sizeof line, job->report) ? line : "");
	} else {
		printf("%sok %zu - %.*s\n", job->status ? "not " : "", number, n, name);
		while (fgets(line, sizeof line, job->report))
			printf("# %s%s", line, strchr(line, '\n') ? "" : "\n");
		if (job->status > 1)
			printf("# the runner gave up on %s\n", job->path);
	}
	fflush(stdout);
	fclose(job->report);
}

static int run_all(const struct config *cf, struct job *jobs, size_t n)
{
	size_t next = 0, printed = 0, failed = 0;
	int running = 0;

	printf("1..%zu%s\n", n, n ? "" : " # SKIP no tests");
	while (printed < n) {
		while (next < n && running < cf->jobs) {
			job_start(cf, &jobs[next++]);
			running++;
		}
		int status;
		pid_t pid = wait(&status);
		if (pid < 0)
			die("wait: %s", strerror(errno));
		for (size_t i = printed; i < next; i++) {
			if (jobs[i].pid != pid)
				continue;
			jobs[i].status = WIFEXITED(status) ? WEXITSTATUS(status) : 2;
			running--;
		}
		for (; printed < next && jobs[printed].status >= 0; printed++) {
			job_print(&jobs[printed], printed + 1);
			failed += jobs[printed].status && jobs[printed].status != EXIT_SKIP;
		}
	}
	return failed ? 1 : 0;
}

static int is_test(const struct dirent *entry)
{
	size_t n = strlen(entry->d_name);
	return n > 2 && !strcmp(entry->d_name + n - 2, ".t") && entry->d_name[0] != '.';
}

static void collect(const char *path, struct job **jobs, size_t *n)
{
	struct dirent **names = NULL;
	struct stat st;
	if (stat(path, &st))
		die("%s: %s", path, strerror(errno));
	int k = S_ISDIR(st.st_mode) ? scandir(path, &names, is_test, alphasort) : -1;
	for (int i = 0; i < (k < 0 ? 1 : k); i++) {
		char *full = NULL;
		if (asprintf(&full, k < 0 ? "%s" : "%s/%s", path, k < 0 ? "" : names[i]->d_name) < 0)
			die("out of memory");
		*jobs = grow(*jobs, (*n + 1) * sizeof **jobs);
		(*jobs)[(*n)++] = (struct job){.path = full, .status = -1};
	}
}

static char *absolute(const char *path)
{
	char *real = path && *path ? realpath(path, NULL) : NULL;
	return real ? real : strdup(path && *path ? path : "/nonexistent");
}

static void environment(const struct config *cf)
{
	const char *drop[] = {"NO_COLOR", "COLUMNS", "LINES", "BASH_ENV", "ENV", "CDPATH", "CLICOLOR"};
	const char *path = getenv("PATH");
	char *full = NULL;
	if (asprintf(&full, "%s:%s:%s", cf->bin, cf->tools, path ? path : "/usr/bin:/bin") < 0)
		die("out of memory");
	setenv("PATH", full, 1);
	setenv("EXAMPLES", cf->examples, 1);
	setenv("DATA", cf->data, 1);
	setenv("CAIRN_TEST_DATA", cf->data, 1); // as the outputs have it, without ".."
	setenv("LC_ALL", "C.UTF-8", 1);
	setenv("TZ", "UTC", 1);
	setenv("TERM", "dumb", 1);
	for (size_t i = 0; i < sizeof drop / sizeof *drop; i++)
		unsetenv(drop[i]);
	free(full);
}

int main(int argc, char **argv)
{
	const char *update = getenv("UPDATE"), *limit = getenv("CAIRN_TEST_TIMEOUT");
	struct config cf = {.timeout = limit ? atoi(limit) : 60};
	struct job *jobs = NULL;
	size_t n = 0;
	int opt;

	cf.update = update && *update && strcmp(update, "0") != 0;
	cf.jobs = (int)sysconf(_SC_NPROCESSORS_ONLN);
	while ((opt = getopt(argc, argv, "b:p:e:d:j:")) != -1) {
		if (opt == 'b')
			cf.bin = absolute(optarg);
		else if (opt == 'p')
			cf.tools = absolute(optarg);
		else if (opt == 'e')
			cf.examples = absolute(optarg);
		else if (opt == 'd')
			cf.data = absolute(optarg);
		else if (opt == 'j')
			cf.jobs = atoi(optarg);
		else
			return 2;
	}
	if (!cf.bin || !cf.examples || !cf.data || optind == argc) {
		fputs("usage: runner -b BINDIR [-p TOOLS] -e EXAMPLES -d DATA [-j N] FILE|FOLDER...\n",
		      stderr);
		return 2;
	}
	if (!cf.tools)
		cf.tools = cf.bin;
	if (cf.jobs < 1)
		cf.jobs = 1;
	if (cf.timeout < 1)
		cf.timeout = 60;
	for (int i = optind; i < argc; i++)
		collect(argv[i], &jobs, &n);
	environment(&cf);
	return run_all(&cf, jobs, n);
}
