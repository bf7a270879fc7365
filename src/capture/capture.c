/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recording a program: QEMU runs it, and the recorder in QEMU reports what it does. That stream is
 * a trace of a format like others; it is read and written here as in a conversion. The output gets
 * its name only when the program has ended and everything is written. How the program ended is
 * reported, but does not make the trace less complete. Where it was killed, or the output cannot
 * grow, what was recorded until then is kept, for it cannot be recorded again.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cairn/capture.h"
#include "cairn/select.h"
#include "cairn/stf.h"
#include "capture/qemu.h"
#include "formats/capture/capture.h"

enum { FACTS = 4 };

struct run {
	struct cairn *cairn;
	struct cairn_capture_opts opts;
	const struct cairn_output *out;
	struct cairn_changed *done;
	const char *name;            /* the program's name, as it was given */
	struct cairn_image *image;   /* of it; NULL: not needed yet */
	struct cairn_reader *reader; /* NULL before it runs */
	struct qemu qemu;
	struct capture_range range;
	struct cairn_writer *writer;
	char *facts[FACTS]; /* what the trace says of itself */
	bool refused;       /* the output took no more */
	bool cut_short;     /* there is a trace, but not all of what was asked for */
};

static CAIRN_PRINTF(3, 4) void capture_note(const struct run *run, int minor, const char *fmt, ...)
{
	char text[8192];
	va_list ap;
	if (!run->opts.note)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	run->opts.note(run->opts.user, minor, text);
}

/* The program as an image; NULL after an error. */
static struct cairn_image *program_image(struct run *run)
{
	char spec[sizeof run->qemu.program + 8];
	if (run->image)
		return run->image;
	snprintf(spec, sizeof spec, "%s", run->qemu.program);
	run->image = cairn_image_new(run->cairn);
	if (run->image && cairn_image_add(run->image, spec) < 0) {
		cairn_image_free(run->image);
		run->image = NULL;
	}
	return run->image;
}

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
	if (!program_image(run))
		return cairn_error_status(run->cairn);
	const struct cairn_symbol *sym = cairn_image_symbol(run->image, text + 1, n - 1);
	if (!sym)
		return base_fail(run->cairn, CAIRN_E_NOTFOUND, "--%s %s: %s has no such symbol", name, text,
		                 run->qemu.program);
	*out = sym->addr + more;
	return 0;
}

/* A place: an address (1, and whether it is as the program runs) or a number (0). */
static int capture_parse_place(struct run *run, const char *name, const char *text, uint64_t *out,
                               bool *fixed)
{
	char *end;
	errno = 0;
	if (*text == '@') {
		int rc = symbol_place(run, name, text, out);
		return rc < 0 ? rc : 1;
	}
	if (text[0] == '0' && (text[1] | 32) == 'x') {
		*out = strtoull(text, &end, 16);
		*fixed = true;
		if (!*end && end > text + 2 && !errno)
			return 1;
	} else if (cairn_number(text, strlen(text), out) == 0 && *out) {
		return 0;
	}
	return base_fail(
		run->cairn, CAIRN_E_INVAL,
		"--%s is @symbol, @symbol+0x10, 0xADDRESS or a number of an instruction from 1, "
		"not '%s'",
		name, text);
}

static int capture_parse_range(struct run *run)
{
	struct capture_range *range = &run->range;
	const char *start = run->opts.start, *stop = run->opts.stop;
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
		return base_fail(run->cairn, CAIRN_E_INVAL,
		                 "--stop +N is a number of instructions to record, not '%s'", stop);
	}
	if (rc >= 0 && stop &&
	    (rc = capture_parse_place(run, "stop", stop, &v, &range->stop_fixed)) >= 0) {
		range->has_stop = rc == 1;
		*(rc ? &range->stop : &range->stop_n) = v;
	}
	if (rc >= 0 && range->stop_n < range->start_n)
		return base_fail(run->cairn, CAIRN_E_INVAL, "--stop %s is before --start %s", stop, start);
	return rc < 0 ? rc : 0;
}

/* ---- what the trace says of itself ---- */

static int make_facts(struct run *run)
{
	const struct qemu *qemu = &run->qemu;
	char id[129], **facts = run->facts;
	unsigned n = 1;
	/* How to know the program again, if its linker said so. */
	if (!program_image(run) || !cairn_image_build_id(run->image, id, sizeof id))
		*id = 0;
	int rc = asprintf(&facts[0], "recorded by cairn %s, git %s, in QEMU %u.%u.%u user mode",
	                  cairn_version(), base_git_sha(), qemu->version[0], qemu->version[1],
	                  qemu->version[2]);
	if (rc >= 0 && run->out->command)
		rc = asprintf(&facts[n++], "command: %s", run->out->command);
	if (rc >= 0)
		rc = asprintf(&facts[n++], "program: %s", qemu->program);
	if (rc >= 0 && *id)
		rc = asprintf(&facts[n++], "build-id: %s", id);
	return rc < 0 ? CAIRN_E_NOMEM : 0;
}

/* The header of STF for RISC-V holds everything; of other outputs, and sets, facts are comments. */
static int give_header(struct run *run)
{
	const struct qemu *qemu = &run->qemu;
	const struct capture_impl *im = run->reader->impl;
	struct cairn_stf_header *header = NULL;
	char tool[64], isa[128];
	int rc = qemu->riscv ? cairn_stf_header_new(run->cairn, &header) : 0;
	if (!header)
		return rc;
	snprintf(tool, sizeof tool, "cairn %s capture", cairn_version());
	header->cfg.iem = qemu->isa == CAIRN_ISA_RV32 ? 1 : 2;
	header->cfg.vlen = 8 * im->vector;
	rc = cairn_stf_header_generator(header, 1, qemu->version, tool);
	for (unsigned i = 0; i < FACTS && run->facts[i] && rc >= 0; i++)
		rc = cairn_stf_header_comment(header, run->facts[i], strlen(run->facts[i]));
	if (rc >= 0 && qemu_isa_string(qemu, im->vector != 0, isa, sizeof isa))
		rc = cairn_stf_header_isa_extended(header, isa);
	if (rc >= 0)
		rc = cairn_stf_writer_header(run->writer, header, NULL);
	cairn_stf_header_free(header);
	return rc == CAIRN_E_UNSUPPORTED ? 0 : rc;
}

/* The stream's header: see stream.h. */
static int make_header(struct run *run)
{
	struct base_buf *buf = &run->qemu.header;
	uint8_t h[CAPTURE_LEN_HEADER] = CAPTURE_MAGIC;
	capture_put_HEADER_version(h, CAPTURE_VERSION);
	capture_put_HEADER_isa(h, run->qemu.isa);
	capture_put_HEADER_flags(h, run->opts.no_regs ? 0 : CAPTURE_REGISTERS);
	for (size_t i = 0; i < sizeof run->qemu.version; i++)
		capture_put_HEADER_qemu(h, i, run->qemu.version[i]);
	int rc = base_buf_put(buf, h, sizeof h);
	for (unsigned i = 0; i < FACTS && run->facts[i] && rc >= 0; i++)
		rc = base_buf_printf(buf, "%s\n", run->facts[i]);
	while (rc >= 0 && buf->len % 8)
		rc = base_buf_put(buf, "", 1);
	if (rc >= 0)
		capture_put_HEADER_facts(buf->data, (uint32_t)(buf->len - sizeof h));
	return rc;
}

/* ---- the run ---- */

static int capture_open_writer(struct run *run)
{
	const struct cairn_output *out = run->out;
	struct cairn_create_opts opts = model_create_opts(out);
	int rc = make_facts(run);
	if (!opts.to && !strcmp(out->path, "-"))
		opts.to = "stf"; /* can be written to a pipe, whatever the instruction set */
	if (rc >= 0)
		rc = cairn_create(run->cairn, out->path, &opts, &run->writer);
	return rc < 0 ? rc : make_header(run);
}

static int capture_copy(struct run *run)
{
	struct cairn_open_opts opts = {.size = sizeof opts, .from = "capture"};
	struct cairn_batch *batch = cairn_batch_new(run->cairn);
	int rc =
		batch ? cairn_open_stream(run->cairn, run->name, qemu_read, &run->qemu, &opts, &run->reader)
			  : CAIRN_E_NOMEM;
	for (bool begun = false; rc >= 0 && (rc = cairn_next(run->reader, batch)) > 0; begun = true) {
		if (!begun) { /* how long vectors are is known now */
			rc = give_header(run);
			rc = rc < 0 ? rc : cairn_writer_from(run->writer, run->reader);
		}
		rc = rc < 0 ? rc : cairn_put(run->writer, batch);
		run->refused = rc < 0;
		run->done->instructions += batch->n_insns;
	}
	cairn_batch_free(run->cairn, batch);
	if ((rc == CAIRN_E_DAMAGED || rc == CAIRN_E_TRUNCATED) && run->reader && !run->refused) {
		capture_note(run, 0, "%s",
		             cairn_error_text(run->cairn)); /* what came so far is good all the same */
		run->cut_short = true;
		return 0;
	}
	return rc;
}

/* A signal that did not come from us is reported even with --quiet. One that the program sends
 * itself is its end; one from outside cuts the trace short. */
static void report_signal(struct run *run, const struct capture_impl *im)
{
	static const int from_others[] = {SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT};
	int number = WIFSIGNALED(run->qemu.status) ? WTERMSIG(run->qemu.status) : 0;
	if (!number || (run->qemu.asked && number != SIGKILL))
		return;
	if (im->ended && im->why != CAPTURE_EXITED) { /* long after the trace */
		capture_note(run, 0, "%s: ended by signal %d (%s)", run->name, number, strsignal(number));
		return;
	}
	bool killed = false;
	for (size_t i = 0; i < sizeof from_others / sizeof *from_others; i++)
		killed |= number == from_others[i];
	run->cut_short |= killed;
	capture_note(run, 0,
	             "%s: %s by signal %d (%s%s); the trace holds the %llu instructions until then",
	             run->name, killed ? "QEMU was killed" : "ended", number, strsignal(number),
	             number == SIGKILL ? ", perhaps for lack of memory" : "",
	             (unsigned long long)run->done->instructions);
}

/* How else the program ended, unless it just exited with 0. */
static void capture_report_end(const struct run *run, const struct capture_impl *im)
{
	const char *name = run->name;
	int status = run->qemu.status;
	if (im->ended && im->why == CAPTURE_RESIZED)
		capture_note(
			run, 0,
			"%s: chose another length of vectors; the trace holds the %llu instructions until "
			"then",
			name, (unsigned long long)run->done->instructions);
	else if (run->qemu.asked && !run->cut_short)
		capture_note(run, 1, "%s: interrupted; the trace holds the %llu instructions until then",
		             name, (unsigned long long)run->done->instructions);
	else if (im->died && !WIFSIGNALED(status))
		capture_note(run, 1,
		             "%s: became another program, or ended without a word; the trace ends there",
		             name);
	if (WIFEXITED(status) && WEXITSTATUS(status))
		capture_note(run, 1, "%s: exited with %d", name, WEXITSTATUS(status));
}

static void capture_report_losses(const struct run *run, const struct capture_impl *im)
{
	if (im->lost_accesses)
		capture_note(run, 0, "%s: lost: memory accesses beyond %d of one instruction (%u)",
		             run->name, CAPTURE_MOST_ACCESSES, im->lost_accesses);
	if (im->silent)
		capture_note(run, 0,
		             "%s: lost: memory accesses of SVE, which this QEMU does not tell of (%llu "
		             "instructions)",
		             run->name, (unsigned long long)im->silent);
}

/* Registers that QEMU has, and the trace not. */
static void capture_report_missing(const struct run *run, const struct capture_impl *im)
{
	static const struct {
		unsigned missing;
		const char *what;
	} kinds[] = {{CAPTURE_NO_FLOAT_CONTROL, "modes and flags of floating point"},
	             {CAPTURE_NO_VECTORS, "vectors, if the CPU has any, and what controls them"},
	             {CAPTURE_NO_CONTROL, "address space identifiers"}};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (im->missing & kinds[i].missing)
			capture_note(run, 0, "%s: not recorded, for this QEMU does not show them: %s",
			             run->name, kinds[i].what);
}

/* Is there something to be written? */
static int capture_judge(const struct run *run, const struct capture_impl *im)
{
	const struct qemu *qemu = &run->qemu;
	if (im->ended && im->why == CAPTURE_FAILED)
		return base_fail(run->cairn, CAIRN_E_UNSUPPORTED,
		                 "%s: this QEMU (%u.%u.%u) does not let its registers be read; --no-regs "
		                 "records without them",
		                 run->name, qemu->version[0], qemu->version[1], qemu->version[2]);
	if (!run->done->instructions && im->skipped)
		return base_fail(run->cairn, CAIRN_E_NOTFOUND,
		                 "%s: recording never began: what --start names was not reached in %llu "
		                 "instructions",
		                 run->name, (unsigned long long)im->skipped);
	return run->done->instructions ? 0
	                               : base_fail(run->cairn, CAIRN_E_NOTFOUND,
	                                           "%s: no instruction was executed", run->name);
}

/* Give the output its name, or keep what there is of it. */
static int capture_finish(struct run *run)
{
	char *kept = run->opts.kept;
	uint64_t n = 0;
	cairn_ledger_free(run->cairn, run->done->lost);
	run->done->lost = NULL;
	int rc =
		kept ? cairn_finish_or_keep(run->writer, &run->done->lost, kept, run->opts.kept_size, &n)
			 : cairn_finish(run->writer, &run->done->lost);
	run->writer = NULL;
	if (rc >= 0 || rc == CAIRN_E_PIPE)
		return 0;
	if (kept && !*kept && strcmp(run->out->path, "-") != 0) {
		char why[4096];
		snprintf(why, sizeof why, "%s", cairn_error_text(run->cairn));
		return base_fail(run->cairn, rc, "%s; nothing of it can be read, so nothing is kept", why);
	}
	if (!kept || !*kept)
		return rc;
	capture_note(run, 0, "%s", cairn_error_text(run->cairn));
	if (n)
		capture_note(run, 0, "%s: holds the first %llu instructions, all that could be written",
		             kept, (unsigned long long)n);
	else
		capture_note(run, 0, "%s: holds all that could be written", kept);
	run->done->instructions = n;
	run->cut_short = true;
	return 0;
}

static int run_program(struct run *run)
{
	int rc = qemu_start(&run->qemu, &run->range);
	if (rc < 0)
		return rc;
	rc = capture_copy(run);
	qemu_wait(&run->qemu, rc < 0);
	if (run->opts.status)
		*run->opts.status = run->qemu.status;
	const struct capture_impl *im = run->reader ? run->reader->impl : NULL;
	if (rc < 0)
		return run->refused ? capture_finish(run) : rc;
	report_signal(run, im);
	rc = capture_judge(run, im);
	if (rc < 0)
		return rc;
	run->cut_short |= im->ended && im->why == CAPTURE_RESIZED;
	capture_report_losses(run, im);
	capture_report_missing(run, im);
	rc = capture_finish(run);
	if (rc >= 0)
		capture_report_end(run, im);
	return rc;
}

int cairn_capture(struct cairn *cairn, const struct cairn_capture_opts *opts,
                  const struct cairn_output *output, struct cairn_changed *done)
{
	struct cairn_changed own = {.size = sizeof own};
	struct run run = {.cairn = cairn,
	                  .opts = {.size = sizeof run.opts},
	                  .out = output,
	                  .done = done ? done : &own,
	                  .qemu = {.pipe = -1}};
	if (!opts || opts->size < sizeof(size_t) || opts->size > sizeof run.opts)
		return base_fail(cairn, CAIRN_E_INVAL, "the size of the options is unknown");
	memcpy(&run.opts, opts, opts->size);
	if (!run.opts.argv || !run.opts.argc)
		return base_fail(cairn, CAIRN_E_INVAL, "no program was named");
	run.done->instructions = 0;
	run.done->lost = run.done->notes = NULL;
	run.name = run.opts.argv[0];
	run.qemu.cairn = cairn;
	run.qemu.opts = &run.opts;
	base_buf_init(&run.qemu.header, cairn);
	if (run.opts.kept)
		*run.opts.kept = 0;
	int rc = qemu_find(&run.qemu);
	if (rc >= 0)
		rc = capture_parse_range(&run);
	if (rc >= 0)
		rc = capture_open_writer(&run);
	if (rc >= 0)
		rc = run_program(&run);
	qemu_free(&run.qemu);
	if (run.writer)
		cairn_discard(run.writer);
	cairn_close(run.reader);
	cairn_image_free(run.image);
	for (unsigned i = 0; i < FACTS; i++)
		free(run.facts[i]);
	cairn_changed_free(cairn, &own);
	return rc < 0 ? rc : run.cut_short;
}
