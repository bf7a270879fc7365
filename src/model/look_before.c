/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nothing is where a selection begins: the trace may have broken off before. Then what was skipped
 * on the way is read for its damage; what has been reported is not reported again.
 */
#include "cairn/select.h"
#include "io/io.h"
#include "model/model.h"

static int look_feed(void *user, void *partial, const struct cairn_batch *batch)
{
	(void)user, (void)partial, (void)batch;
	return 0;
}

static int look_fold(void *user, void *partial)
{
	(void)user, (void)partial;
	return 0;
}

/* 1: the trace has instructions where the selection begins, 0: it has none, < 0. */
static int selection_begins(const struct cairn_select *select, struct cairn_reader *reader,
                            bool beyond)
{
	uint64_t first, last;
	struct cairn_batch *batch = cairn_batch_new(reader->cairn);
	cairn_select_bounds(select, &first, &last);
	int rc = !batch ? CAIRN_E_NOMEM : beyond ? 0 : cairn_seek(reader, first);
	if (rc >= 0 && !beyond)
		rc = cairn_next(reader, batch);
	cairn_batch_free(reader->cairn, batch);
	return rc == CAIRN_E_NOTFOUND ? 0 : rc;
}

int cairn_select_look_before(const struct cairn_select *select, struct cairn_reader *reader,
                             int beyond, unsigned threads)
{
	static const struct cairn_reducer reducer = {.size = sizeof reducer,
	                                             .feed = look_feed,
	                                             .fold = look_fold};
	struct model_damage told = {0};
	if (!io_can_seek(reader->io)) {
		model_tell_passed(reader);
		return 0;
	}
	model_damage_move(reader->cairn, &told, &reader->damage);
	cairn_reader_want(reader, CAIRN_PC);
	int rc = selection_begins(select, reader, beyond != 0);
	model_damage_forget(reader->cairn, &reader->damage, 0);
	if (rc == 0)
		model_damage_forget(reader->cairn, &told, reader->opened);
	model_damage_move(reader->cairn, &reader->damage, &told);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	rc = cairn_seek(reader, 1);
	return rc < 0 ? rc : cairn_run(reader, &reducer, NULL, UINT64_MAX, threads);
}

/* An input that is read once is read up to the place. Damage on the way is reported only if the
 * trace ends before it. */
static int seek_in_stream(struct cairn_reader *reader, uint64_t n, struct cairn_batch *batch)
{
	struct model_damage passed = {0};
	int rc;
	model_damage_move(reader->cairn, &passed, &reader->damage);
	while ((rc = cairn_next(reader, batch)) > 0 && batch->n0 + batch->n_insns <= n)
		model_damage_move(reader->cairn, &passed, &reader->damage);
	if (rc > 0) {
		model_damage_forget(reader->cairn, &passed, reader->opened);
		model_damage_move(reader->cairn, &passed, &reader->overall);
	}
	model_damage_move(reader->cairn, &passed, &reader->damage);
	model_damage_move(reader->cairn, &reader->damage, &passed);
	return rc;
}

int model_seek(struct cairn_reader *reader, uint64_t n, struct cairn_batch *batch)
{
	if (!io_can_seek(reader->io))
		return seek_in_stream(reader, n, batch);
	int rc = cairn_seek(reader, n);
	if (rc >= 0)
		rc = cairn_next(reader, batch);
	if (rc != 0 && rc != CAIRN_E_NOTFOUND)
		return rc;
	model_damage_forget(reader->cairn, &reader->damage, reader->opened);
	rc = cairn_seek(reader, 1);
	while (rc >= 0 && (rc = cairn_next(reader, batch)) > 0)
		;
	return rc < 0 ? rc : 0;
}
