/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `cairn view --state`: what the trace has told of registers and memory by some
 * instruction. The instruction's own line stands behind the state before it, or in front
 * of the state after it.
 */
#include <stdlib.h>

#include "print.h"

struct job {
	struct session *session;
	struct cairn_state *state;
	struct cairn_state_show show;
	struct cairn_state_range *ranges;
};

/* The one number that the regions come to. */
static int one_number(const struct session *session, uint64_t *n)
{
	uint64_t last;
	if (!cairn_select_all(session->select) &&
	    cairn_select_numbers(session->select, 0, n, &last) == 1 && *n == last &&
	    cairn_select_numbers(session->select, 1, &(uint64_t){0}, &last) == 0)
		return 0;
	return cairn_fail(session->cairn, CAIRN_E_INVAL,
	                  "--state takes the number of one instruction: cairn view "
	                  "--state TRACE 123456");
}

static int parse_memory(struct job *job)
{
	const struct options *options = job->session->options;
	int rc = 0;
	job->ranges = calloc(options->n_memories + 1, sizeof *job->ranges);
	if (!job->ranges)
		return cairn_fail(job->session->cairn, CAIRN_E_NOMEM, "out of memory");
	for (size_t i = 0; i < options->n_memories && rc >= 0; i++)
		rc = cairn_addresses(job->session->cairn, options->memories[i], job->session->image,
		                     &job->ranges[i].first, &job->ranges[i].last);
	job->show.ranges = job->ranges;
	job->show.n_ranges = options->n_memories;
	return rc;
}

static int state_go(struct job *job)
{
	const struct options *options = job->session->options;
	bool some = options->times[OPT_REGS] || options->times[OPT_MEMS] || options->n_memories;
	job->show.regs =
		!some || options->times[OPT_REGS] || (options->n_memories && !options->times[OPT_MEMS]);
	job->show.memory = !some || options->times[OPT_MEMS] || options->n_memories;
	struct cairn_state_opts opts = {.size = sizeof opts,
	                                .memory = options->n_memories ? CAIRN_STATE_NEAR
	                                          : job->show.memory  ? CAIRN_STATE_ALL
	                                                              : CAIRN_STATE_NONE};
	int rc = cairn_state_new(job->session->cairn, &opts, &job->state);
	if (rc < 0)
		return rc;
	cairn_reader_want(job->session->reader, cairn_state_parts(job->state));
	return job->show.after ? cairn_state_go_after(job->state, job->session->reader, job->show.n)
	                       : cairn_state_go(job->state, job->session->reader, job->show.n);
}

/* Recall memory as the process that runs there sees it. */
static int recall(struct job *job)
{
	static const struct cairn_ctx none;
	uint32_t row;
	const struct cairn_batch *batch = cairn_state_batch(job->state, &row);
	uint16_t ctx = batch->insns[row].ctx;
	struct cairn_space space = cairn_space_of(ctx < batch->n_ctxs ? &batch->ctxs[ctx] : &none);
	int rc = 0;
	job->show.isa = (enum cairn_isa)batch->insns[row].isa;
	for (size_t i = 0; i < job->show.n_ranges && rc >= 0; i++) {
		uint64_t first = job->ranges[i].first, more = job->ranges[i].last - first;
		job->ranges[i].space = space;
		rc = cairn_state_recall(job->state, job->session->reader, space, first,
		                        more == UINT64_MAX ? more : more + 1);
	}
	return rc;
}

static int state_put_line(struct job *job)
{
	struct printing printing;
	struct cairn_view *view;
	const char *text;
	size_t n;
	uint32_t row;
	if (job->show.json)
		return 0;
	print_init(&printing, job->session);
	printing.opts.bare = 1;
	printing.opts.show = 0;
	int rc = cairn_view_new(job->session->cairn, &printing.opts, &view);
	if (rc < 0)
		return rc;
	rc = cairn_view_batch(view, cairn_state_batch(job->state, &row));
	if (rc >= 0)
		rc = cairn_view_take(view, &printing.shown, &text, &n);
	if (rc >= 0)
		rc = cairn_sink_write(job->session->out, text, n);
	cairn_view_free(view);
	return rc;
}

static int put_state(struct job *job)
{
	return session_print(job->session,
	                     cairn_text_state(job->session->text, job->state, &job->show));
}

static int state_work(struct job *job)
{
	int rc = one_number(job->session, &job->show.n);
	if (rc >= 0)
		rc = parse_memory(job);
	if (rc >= 0)
		rc = state_go(job);
	if (rc >= 0)
		rc = recall(job);
	if (rc >= 0 && job->show.after)
		rc = state_put_line(job);
	if (rc >= 0)
		rc = put_state(job);
	return rc < 0 || job->show.after ? rc : state_put_line(job);
}

int view_state(const struct verb *self, struct options *options)
{
	struct session session;
	struct job job = {.session = &session,
	                  .show = {.size = sizeof job.show,
	                           .after = options->times[OPT_AFTER] != 0,
	                           .json = options->times[OPT_JSON] != 0}};
	if (options->value[OPT_WHERE]) {
		complain("--state takes the number of one instruction, and no expression");
		return EXIT_COULD_NOT;
	}
	if (session_open(&session, self, options) < 0)
		return EXIT_COULD_NOT;
	session_progress(&session, false);
	int rc = state_work(&job);
	cairn_state_free(job.state);
	free(job.ranges);
	return session_finish(&session, rc, EXIT_FINE);
}
