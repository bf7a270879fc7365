/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `cairn capture`: run a program, and write what it executes as a trace.
 *
 * QEMU runs it, the recorder in QEMU tells what it does, and that stream is a trace of a
 * format like others: it is read and written here as `convert` would. The output has its
 * name only when the program has ended and all of it is written; how the program ended
 * is said, but does not make the trace less complete. Where it was killed, or the output
 * cannot grow, what came until then is kept, for it cannot be recorded again.
 */
#include "capture.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/base.h"
#include "base/bytes.h"
#include "formats/capture/capture.h"

struct run {
	struct session session; /* context, and the reader once the program runs */
	struct making making;
	struct qemu qemu;
	struct capture_range range;
	struct cairn_writer *writer;
	bool own_header;     /* of STF: facts stand there, else they are comments */
	bool refused;        /* the output took no more */
	bool cut_short;      /* there is a trace, but not of all that was to be recorded */
	char kept[PATH_MAX]; /* the name of what is kept of a refused one */
};

/* ---- where it begins and ends ---- */

/* "@main+0x10": an address in the program's file. */
static int symbol_place(struct run *run, const char *name, const char *text, uint64_t *out)
{
	const char *plus = strrchr(text, '+');
	size_t n = plus ? (size_t)(plus - text) : strlen(text);
	char *end = NULL;
	uint64_t more = plus ? strtoull(plus + 1, &end, 0) : 0;
	if (plus && (*end || end == plus + 1)) {
		n = strlen(text); /* the name has one */
		more = 0;
	}
	if (!run->session.image) {
		char spec[sizeof run->qemu.program + 8];
		snprintf(spec, sizeof spec, "%s", run->qemu.program);
		run->session.image = cairn_image_new(run->session.cairn);
		if (!run->session.image || cairn_image_add(run->session.image, spec) < 0) {
			complain_of(run->session.cairn);
			return -1;
		}
	}
	const struct cairn_symbol *sym = cairn_image_symbol(run->session.image, text + 1, n - 1);
	if (!sym) {
		complain("--%s %s: %s has no such symbol", name, text, run->qemu.program);
		return -1;
	}
	*out = sym->addr + more;
	return 0;
}

/* A place: an address (1, and whether it is as the program runs) or a number (0). */
static int capture_parse_place(struct run *run, const char *name, const char *text, uint64_t *out,
                               bool *fixed)
{
	char *end;
	errno = 0;
	if (*text == '@')
		return symbol_place(run, name, text, out) < 0 ? -1 : 1;
	if (text[0] == '0' && (text[1] | 32) == 'x') {
		*out = strtoull(text, &end, 16);
		*fixed = true;
		if (!*end && end > text + 2 && !errno)
			return 1;
	} else if (cairn_number(text, strlen(text), out) == 0 && *out) {
		return 0;
	}
	complain(
		"--%s is @symbol, @symbol+0x10, 0xADDRESS or a number of an instruction from 1, not '%s'",
		name, text);
	return -1;
}

static int capture_parse_range(struct run *run, const struct options *options)
{
	struct capture_range *range = &run->range;
	const char *start = options->value[OPT_START], *stop = options->value[OPT_STOP];
	uint64_t v = 0;
	int rc = 0;
	*range = (struct capture_range){.stop_n = UINT64_MAX, .most = UINT64_MAX};
	if (start && (rc = capture_parse_place(run, "start", start, &v, &range->start_fixed)) >= 0) {
		range->has_start = rc == 1;
		*(rc ? &range->start : &range->start_n) = v;
	}
	if (rc >= 0 && stop && *stop == '+') {
		if (cairn_number(stop + 1, strlen(stop + 1), &range->most) == 0 && range->most)
			return 0;
		complain("--stop +N is a number of instructions to record, not '%s'", stop);
		return -1;
	}
	if (rc >= 0 && stop &&
	    (rc = capture_parse_place(run, "stop", stop, &v, &range->stop_fixed)) >= 0) {
		range->has_stop = rc == 1;
		*(rc ? &range->stop : &range->stop_n) = v;
	}
	if (rc >= 0 && range->stop_n < range->start_n) {
		complain("--stop %s is before --start %s", stop, start);
		return -1;
	}
	return rc < 0 ? -1 : 0;
}

/* ---- what the trace says of itself ---- */

enum { FACTS = 4 };

/* How to know the program again, if its linker said so. */
static void find_build_id(const struct run *run, char *hex, size_t size)
{
	struct cairn_image *im = cairn_image_new(run->session.cairn);
	if (!im || cairn_image_add(im, run->qemu.program) < 0 || !cairn_image_build_id(im, hex, size))
		*hex = 0;
	cairn_image_free(im);
}

static int make_facts(struct run *run, char *facts[FACTS])
{
	const struct qemu *qemu = &run->qemu;
	char id[129];
	memset(facts, 0, FACTS * sizeof *facts);
	find_build_id(run, id, sizeof id);
	int rc = asprintf(&facts[0], "recorded by cairn %s, git %s, in QEMU %u.%u.%u user mode",
	                  cairn_version(), base_git_sha(), qemu->version[0], qemu->version[1],
	                  qemu->version[2]);
	if (rc >= 0)
		rc = asprintf(&facts[1], "command: %s", run->making.out.command);
	if (rc >= 0)
		rc = asprintf(&facts[2], "program: %s", qemu->program);
	if (rc >= 0 && *id)
		rc = asprintf(&facts[3], "build-id: %s", id);
	return rc < 0 ? CAIRN_E_NOMEM : 0;
}

/* RISC-V's STF has all in its header; CAIRN_E_UNSUPPORTED: this is not STF. */
static int give_header(struct run *run, char *const facts[FACTS])
{
	const struct qemu *qemu = &run->qemu;
	struct cairn_stf_header *header = NULL;
	char tool[64];
	int rc = qemu->isa_string ? cairn_stf_header_new(run->session.cairn, &header) : 0;
	if (!header)
		return rc;
	snprintf(tool, sizeof tool, "cairn %s capture", cairn_version());
	header->cfg.iem = qemu->isa == CAIRN_ISA_RV32 ? 1 : 2;
	rc = cairn_stf_header_generator(header, 1, qemu->version, tool);
	for (unsigned i = 0; i < FACTS && facts[i] && rc >= 0; i++)
		rc = cairn_stf_header_comment(header, facts[i], strlen(facts[i]));
	if (rc >= 0)
		rc = cairn_stf_header_isa_extended(header, qemu->isa_string);
	if (rc >= 0)
		rc = cairn_stf_writer_header(run->writer, header, NULL);
	run->own_header = rc >= 0;
	cairn_stf_header_free(header);
	return rc == CAIRN_E_UNSUPPORTED ? 0 : rc;
}

/* The stream's header: see stream.h. */
static int make_header(struct run *run, char *const facts[FACTS])
{
	struct base_buf *buf = &run->qemu.header;
	uint8_t h[CAPTURE_HEADER] = CAPTURE_MAGIC;
	base_buf_init(buf, run->session.cairn);
	int rc = base_buf_put(buf, h, sizeof h);
	for (unsigned i = 0; i < FACTS && facts[i] && rc >= 0 && !run->own_header; i++)
		rc = base_buf_printf(buf, "%s\n", facts[i]);
	while (rc >= 0 && buf->len % 8)
		rc = base_buf_put(buf, "", 1);
	if (rc < 0)
		return rc;
	base_put_le16(buf->data + 8, CAPTURE_VERSION);
	buf->data[10] = run->qemu.isa;
	buf->data[11] = run->session.options->times[OPT_NO_REGS] ? 0 : CAPTURE_REGISTERS;
	memcpy(buf->data + 12, run->qemu.version, 3);
	base_put_le32(buf->data + 16, (uint32_t)(buf->len - CAPTURE_HEADER));
	return 0;
}

/* ---- the run ---- */

static int capture_open_writer(struct run *run)
{
	const struct cairn_output *out = &run->making.out;
	struct cairn_create_opts opts = {.size = sizeof opts,
	                                 .to = out->to,
	                                 .codec = out->codec,
	                                 .level = out->level,
	                                 .threads = out->threads,
	                                 .lossless = out->lossless,
	                                 .lossy = out->lossy};
	char *facts[FACTS];
	int rc = make_facts(run, facts);
	if (!opts.to && !strcmp(out->path, "-"))
		opts.to = "stf"; /* what can be written to a pipe, of every set */
	if (rc >= 0)
		rc = cairn_create(run->session.cairn, out->path, &opts, &run->writer);
	if (rc >= 0)
		rc = give_header(run, facts);
	if (rc >= 0)
		rc = make_header(run, facts);
	for (unsigned i = 0; i < FACTS; i++)
		free(facts[i]);
	return rc;
}

static int capture_copy(struct run *run)
{
	struct cairn_open_opts opts = {.size = sizeof opts, .from = "capture"};
	struct cairn_batch *batch = cairn_batch_new(run->session.cairn);
	int rc = batch ? cairn_open_stream(run->session.cairn, run->session.trace, qemu_read,
	                                   &run->qemu, &opts, &run->session.reader)
	               : CAIRN_E_NOMEM;
	if (rc >= 0)
		rc = cairn_writer_from(run->writer, run->session.reader);
	while (rc >= 0 && (rc = cairn_next(run->session.reader, batch)) > 0) {
		rc = cairn_put(run->writer, batch);
		run->refused = rc < 0;
		run->making.done.instructions += batch->n_insns;
	}
	cairn_batch_free(run->session.cairn, batch);
	if ((rc == CAIRN_E_DAMAGED || rc == CAIRN_E_TRUNCATED) && run->session.reader &&
	    !run->refused) {
		complain_of(run->session.cairn); /* what came before is as good as it was */
		run->cut_short = true;
		return 0;
	}
	return rc;
}

/* A signal that did not come by us is worth a word however quiet we are. What the program does
 * to itself is its end; what others do cuts the trace short. */
static void report_signal(struct run *run, const struct capture_impl *im)
{
	static const int from_others[] = {SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT};
	int number = WIFSIGNALED(run->qemu.status) ? WTERMSIG(run->qemu.status) : 0;
	if (!number || (qemu_interrupted() && number != SIGKILL))
		return;
	if (im->ended && im->why == CAPTURE_STOPPED) { /* long after the trace */
		complain("%s: ended by signal %d (%s)", run->session.trace, number, strsignal(number));
		return;
	}
	bool killed = false;
	for (size_t i = 0; i < sizeof from_others / sizeof *from_others; i++)
		killed |= number == from_others[i];
	run->cut_short |= killed;
	complain("%s: %s by signal %d (%s%s); the trace holds the %llu instructions until then",
	         run->session.trace, killed ? "QEMU was killed" : "ended", number, strsignal(number),
	         number == SIGKILL ? ", perhaps for lack of memory" : "",
	         (unsigned long long)run->making.done.instructions);
}

/* How else the program ended, where it did not just exit with 0. */
static void capture_report_end(const struct run *run, const struct capture_impl *im)
{
	const char *name = run->session.trace;
	int status = run->qemu.status;
	if (qemu_interrupted() && !run->cut_short)
		complain("%s: interrupted; the trace holds the %llu instructions until then", name,
		         (unsigned long long)run->making.done.instructions);
	else if (im->died && !WIFSIGNALED(status))
		complain("%s: became another program, or ended without a word; the trace ends there", name);
	if (WIFEXITED(status) && WEXITSTATUS(status))
		complain("%s: exited with %d", name, WEXITSTATUS(status));
}

static void capture_report_losses(const struct run *run, const struct capture_impl *im)
{
	if (im->lost_accesses)
		complain("%s: lost: memory accesses beyond %d of one instruction (%u)", run->session.trace,
		         CAPTURE_MOST_ACCESSES, im->lost_accesses);
}

/* Is there something to be written? */
static int capture_judge(const struct run *run, const struct capture_impl *im)
{
	const char *name = run->session.trace;
	if (im->ended && im->why == CAPTURE_FAILED)
		complain("%s: this QEMU (%u.%u.%u) does not let its registers be read; --no-regs records "
		         "without them",
		         name, run->qemu.version[0], run->qemu.version[1], run->qemu.version[2]);
	else if (!run->making.done.instructions && im->skipped)
		complain(
			"%s: recording never began: what --start names was not reached in %llu instructions",
			name, (unsigned long long)im->skipped);
	else if (!run->making.done.instructions)
		complain("%s: no instruction was executed", name);
	else
		return 0;
	return -1;
}

/* The output with its name, or what is kept of it. */
static int capture_finish(struct run *run)
{
	struct cairn_ledger *lost = NULL;
	uint64_t n;
	int rc = cairn_finish_or_keep(run->writer, &lost, run->kept, sizeof run->kept, &n);
	run->writer = NULL;
	cairn_ledger_free(run->session.cairn, run->making.done.lost);
	run->making.done.lost = lost;
	if (rc >= 0 || rc == CAIRN_E_PIPE)
		return 0;
	complain_of(run->session.cairn);
	if (!*run->kept)
		return -1;
	if (n)
		complain("%s: holds the first %llu instructions, all that could be written", run->kept,
		         (unsigned long long)n);
	else
		complain("%s: holds all that could be written", run->kept);
	run->making.out.path = run->kept;
	run->making.done.instructions = n;
	run->cut_short = true;
	return 0;
}

static int run_program(struct run *run)
{
	bool to_out = !strcmp(run->making.out.path, "-");
	if (qemu_start(&run->qemu, run->session.options, &run->range, to_out) < 0)
		return -1;
	int rc = capture_copy(run);
	qemu_wait(&run->qemu, rc < 0);
	const struct capture_impl *im = run->session.reader ? run->session.reader->impl : NULL;
	if (rc < 0 && !run->refused) {
		complain_of(run->session.cairn);
		return -1;
	}
	if (rc < 0)
		return capture_finish(run);
	report_signal(run, im);
	if (capture_judge(run, im) < 0)
		return -1;
	capture_report_losses(run, im);
	if (capture_finish(run) < 0)
		return -1;
	if (!run->session.options->times[OPT_QUIET])
		capture_report_end(run, im);
	return 0;
}

static int capture_record(struct run *run, const struct options *options)
{
	if (qemu_find(&run->qemu, options) < 0 || capture_parse_range(run, options) < 0)
		return -1;
	if (making_start(&run->making, &run->session) < 0)
		return -1;
	if (capture_open_writer(run) < 0) {
		complain_of(run->session.cairn);
		return -1;
	}
	return run_program(run);
}

static int capture(const struct verb *self, struct options *options)
{
	struct run run = {.session = {.verb = self, .options = options}, .qemu = {.pipe = -1}};
	if (options->n_operands == 0) {
		complain("no program was named; usage: cairn capture %s", self->usage);
		return EXIT_COULD_NOT;
	}
	run.session.trace = options->operands[0];
	run.session.cairn = open_context(options);
	if (!run.session.cairn)
		return EXIT_COULD_NOT;
	int rc = capture_record(&run, options);
	qemu_free(&run.qemu);
	if (run.writer)
		cairn_discard(run.writer);
	making_end(&run.making, &run.session, rc);
	cairn_close(run.session.reader);
	cairn_image_free(run.session.image);
	return close_context(run.session.cairn, rc < 0 || run.cut_short ? EXIT_COULD_NOT : EXIT_FINE);
}

const struct verb verb_capture = {
	.name = "capture",
	.summary = "run a program and record it",
	.usage = "[options] -o FILE -- PROGRAM [ARGUMENT…]",
	.help =
		"The program is one for Linux on RISC-V (64 or 32 bits), AArch64 or SPARC V9; QEMU's user\n"
		"mode runs it (apt-get install qemu-user), and what it executes is written as it runs:\n"
		"instructions, registers, memory accesses, system calls, threads. The format is any that\n"
		"convert writes; what it cannot carry is told.\n"
		"The program's input and output are its own. How it ended is said where it was not with 0.\n",
	.takes = OPTION_LIST(TAKES_COMMON, TAKES(OUTPUT), TAKES(TO), TAKES(CODEC), TAKES(LOSSLESS),
                         TAKES(LOSSY), TAKES(THREADS), TAKES(START), TAKES(STOP), TAKES(NO_REGS),
                         TAKES(QEMU), TAKES(SYSROOT)),
	.run = capture,
};
