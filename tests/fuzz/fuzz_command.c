/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as one or two runs of the command, in this process and a folder of its own: verbs
 * with options and operands (arguments.c), then the files that they find. `-` is a pipe with the
 * first of them; a program to be captured is a stream of the recorder's (capture_bytes.c).
 *
 * Asserted: the exit code is 0, 1 or 2, and 2 comes with a sentence; standard error consists of
 * sentences; what is printed for people has no control characters, what is printed for programs
 * is JSON; no descriptor stays open, no unfinished file lies there.
 *
 * CAIRN_FUZZ_SHOW=1 shows the command lines and what they say.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arguments.h"
#include "folder.h"
#include "io/io.h"
#include "whole_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MOST = 1 << 16, SAID = 1 << 18, FILES = 6, RUNS = 2 };

static char said[SAID], printed[SAID];
static FILE *said_file;
static int printed_fd;

static void begin(void)
{
	static const char *const unset[] = {"NO_COLOR", "TERM", "COLUMNS", "CAIRN_PLUGIN_FOLDER"};
	if (said_file)
		return;
	for (size_t i = 0; i < sizeof unset / sizeof *unset; i++)
		unsetenv(unset[i]);
	setenv("CAIRN_LLVM", "none", 0); /* it is not ours, and slow */
	signal(SIGPIPE, SIG_IGN);
	said_file = fmemopen(said, sizeof said, "w");
	printed_fd = memfd_create("printed", MFD_CLOEXEC);
	if (!said_file || printed_fd < 0)
		abort();
}

static void is(bool ok, const struct arguments *arguments, const char *what, const char *where)
{
	if (ok)
		return;
	fprintf(stderr, "not so: %s:", what);
	for (int i = 0; i < arguments->argc; i++)
		fprintf(stderr, " '%s'", arguments->argv[i]);
	fprintf(stderr, "\n%.400s\n", where);
	abort();
}

/* ---- what was said and printed ---- */

static void judge_said(const struct arguments *arguments, int code)
{
	is(code >= EXIT_FINE && code <= EXIT_COULD_NOT, arguments, "the exit code is 0, 1 or 2", said);
	is(code != EXIT_COULD_NOT || *said, arguments, "what could not be done comes with a sentence",
	   said);
	for (const char *line = said; *line;) {
		const char *end = strchr(line, '\n');
		is(!strncmp(line, "cairn: ", 7), arguments, "standard error consists of sentences", line);
		if (!end)
			break;
		for (const char *p = line; p < end; p++)
			is((unsigned char)*p >= 0x20 && *p != 0x7f, arguments,
			   "sentences have no control characters", line);
		line = end + 1;
	}
}

static const char *control_character(const char *p, const char *end)
{
	for (; p < end; p++)
		if (((unsigned char)*p < 0x20 && *p != '\n' && *p != '\t') || *p == 0x7f ||
		    (end - p > 1 && *p == '\xc2' && (unsigned char)p[1] < 0xa0))
			return p;
	return NULL;
}

static bool given(const struct arguments *arguments, const char *word)
{
	for (int i = 2; i < arguments->argc; i++)
		if (!strcmp(arguments->argv[i], word))
			return true;
	return false;
}

static void judge_printed(const struct arguments *arguments, int code, size_t n)
{
	bool text = !option_taken(arguments->verb->takes, OPT_CODEC) &&
	            arguments->verb != &verb_index && !given(arguments, "always");
	if (n >= sizeof printed || !text)
		return;
	const char *bad = control_character(printed, printed + n);
	is(!bad, arguments, "what is printed has no control characters", bad);
	bool help = !strncmp(printed, "cairn ", 6);
	if (!given(arguments, "--json") || help || code == EXIT_COULD_NOT || given(arguments, "--"))
		return;
	bad = where_not_json(printed, n);
	is(!bad, arguments, "what is printed for programs is JSON", bad);
}

/* ---- a run ---- */

/* Its bytes, and then the end; there is room for them in the pipe. */
static int pipe_of(const uint8_t *p, size_t n)
{
	int fds[2];
	if (pipe2(fds, O_CLOEXEC) < 0 || fcntl(fds[1], F_SETFL, O_NONBLOCK) < 0)
		abort();
	if (n && write(fds[1], p, n) < 0)
		abort();
	close(fds[1]);
	return fds[0];
}

static int lowest_free(void)
{
	int fd = dup(printed_fd);
	close(fd);
	return fd;
}

/* Standard output and error are ours while it runs; the first is a file, as whoever looks at
 * descriptors expects. A sanitizer's report goes where it always does. */
static int run_with(struct arguments *arguments, int in, size_t *n)
{
	FILE *err = stderr;
	fflush(stdout);
	int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3),
		old = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	if (out < 0 || old < 0 || dup2(printed_fd, STDOUT_FILENO) < 0 || dup2(in, STDIN_FILENO) < 0)
		abort();
	rewind(said_file);
	stderr = said_file;
	int code = run_command(arguments->argc, arguments->argv);
	fflush(stdout);
	fputc(0, said_file);
	fflush(said_file);
	said[sizeof said - 1] = 0;
	stderr = err;
	off_t size = lseek(printed_fd, 0, SEEK_END);
	ssize_t got = pread(printed_fd, printed, sizeof printed - 1, 0);
	if (dup2(out, STDOUT_FILENO) < 0 || dup2(old, STDIN_FILENO) < 0 || got < 0 || size < 0 ||
	    ftruncate(printed_fd, 0) < 0 || lseek(printed_fd, 0, SEEK_SET) < 0)
		abort();
	close(out);
	close(old);
	printed[got] = 0;
	*n = (size_t)size;
	return code;
}

static void show(const struct arguments *arguments, int code)
{
	if (!getenv("CAIRN_FUZZ_SHOW"))
		return;
	for (int i = 0; i < arguments->argc; i++)
		fprintf(stderr, "%s%s", i ? " " : "", arguments->argv[i]);
	fprintf(stderr, "\n%s%.4000s[%d]\n", said, printed, code);
}

static void run(struct arguments *arguments, const uint8_t *p, size_t n)
{
	size_t length;
	int in = pipe_of(p, arguments->standard_input ? n : 0), before = lowest_free();
	int code = run_with(arguments, in, &length);
	show(arguments, code);
	is(lowest_free() == before, arguments, "no descriptor stays open", said);
	close(in);
	judge_said(arguments, code);
	judge_printed(arguments, code, length);
}

/* ---- files ---- */

/* As they are, or compressed: a frame that a fuzzer makes is never a whole one. */
static void write_file(const char *name, uint8_t packing, const uint8_t *p, size_t n)
{
	static const char *const codecs[] = {NULL, NULL, NULL, NULL, "zstd", "gzip", "xz", "lz4"};
	const char *codec = codecs[packing & 7];
	struct cairn *cairn = codec ? cairn_new(NULL) : NULL;
	const struct cairn_codec *found = cairn ? cairn_codec_find(cairn, codec) : NULL;
	struct base_buf buf;
	base_buf_init(&buf, cairn);
	if (!found || io_encode_frame(cairn, found, 1, p, n, &buf) < 0)
		folder_write(name, p, n);
	else
		folder_write(name, buf.data, buf.len);
	base_buf_free(&buf);
	cairn_free(cairn);
}

/* Each a byte that names it, one that says how it is packed, two of its length; the last goes on to
 * the end. What the first one holds is standard input, too. */
static struct taken take_files(struct taken *taken)
{
	unsigned files = 1 + take_byte(taken) % FILES;
	struct taken first = {0};
	for (unsigned i = 0; i < files; i++) {
		const char *name = file_name(take_byte(taken));
		uint8_t packing = take_byte(taken);
		size_t n = taken->n;
		if (i + 1 < files) {
			n = take_byte(taken);
			n |= (size_t)take_byte(taken) << 8;
			n = n < taken->n ? n : taken->n;
		}
		write_file(name, packing, taken->p, n);
		first = i ? first : (struct taken){taken->p, n};
		taken->p += n;
		taken->n -= n;
	}
	return first;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct arguments arguments[RUNS];
	struct taken taken = {data, n};
	if (n < 6 || n > MOST)
		return 0;
	begin();
	folder_enter();
	unsigned runs = 1 + (take_byte(&taken) & 1);
	for (unsigned i = 0; i < runs; i++)
		take_arguments(&taken, &arguments[i]);
	struct taken first = take_files(&taken);
	for (unsigned i = 0; i < runs; i++)
		run(&arguments[i], first.p, first.n);
	folder_leave();
	return 0;
}
