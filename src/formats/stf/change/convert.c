/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Another packing of the same records: nothing added, nothing interpreted. Back and forth gives the
 * same bytes.
 *
 * Only damage changes what is written. Where bytes are lost in the middle (a chunk of a .zstf), the
 * records of the instruction that lost its encoding are left out, because they would pass to the
 * next one; a COMMENT says that something is missing, and a FORCE_PC where the flow goes on.
 */
#include "base/bytes.h"
#include "formats/stf/change/change.h"

static int take_back(struct cairn_reader *reader, struct stf_pack *pk, uint64_t n,
                     struct cairn_changed *done)
{
	return model_ledger_add(reader->cairn, done->lost, "bytes of records whose instruction is lost",
	                        stf_pack_take_back(pk), n);
}

/* What is unknown since a hole: no record can say that it is, and what is copied would get the old
 * values. */
struct hole {
	bool open, place;           /* the PC is wanted */
	uint32_t who;               /* and these fields of the context (enum cairn_ctx_known) */
	uint64_t unplaced, unnamed; /* instructions left out for the one and the other */
};

/* Leave out groups until one gives everything that is unknown. */
static void find_place(const struct cairn_stf_config *cfg, struct stf_run *run, struct hole *hole)
{
	struct stf_records at = stf_records_in(cfg, run->p, run->n);
	struct stf_follower now = {.pc = run->pc, .pc_known = run->pc_known};
	size_t bytes = 0; /* before the group that is looked at */
	uint64_t left_out = 0;
	while (((hole->place && !now.pc_known) || hole->who) && stf_next(&at)) {
		stf_follow(&now, cfg, at.p);
		hole->who &= ~now.ctx.known;
		if (!stf_is_marker(*at.p))
			continue;
		bytes = run->n - at.left + at.len;
		left_out++;
		*(hole->who ? &hole->unnamed : &hole->unplaced) += 1;
	}
	run->pc = now.pc;
	run->pc_known = now.pc_known;
	hole->open = (hole->place && !now.pc_known) || hole->who;
	if (hole->open)
		bytes = run->n;
	run->p += bytes;
	run->n -= bytes;
	run->whole -= bytes < run->whole ? bytes : run->whole;
	run->markers -= left_out;
}

/* Keep what came before a hole apart from what comes after it. */
static int over_gap(struct cairn_reader *reader, struct stf_pack *pk, struct stf_run *run,
                    struct hole *hole, uint64_t n, struct cairn_changed *done)
{
	const struct stf_impl *im = reader->impl;
	uint8_t told[STF_LEN_HOLE + STF_LEN_FORCE_PC], *force = told + STF_LEN_HOLE;
	int rc = take_back(reader, pk, n, done);
	hole->unplaced = hole->unnamed = 0;
	if (rc < 0 || im->header.cfg.protocol) {
		hole->open = false;
		return rc;
	}
	find_place(&im->header.cfg, run, hole);
	rc = model_ledger_add(reader->cairn, done->lost, STF_LOST_PLACE, hole->unplaced, n);
	if (rc >= 0)
		rc = model_ledger_add(reader->cairn, done->lost, STF_LOST_WHO, hole->unnamed, n);
	if (rc < 0 || hole->open)
		return rc;
	stf_put_hole(told);
	force[0] = CAIRN_STF_FORCE_PC;
	stf_put_FORCE_PC_pc(force, run->pc);
	return stf_pack_bytes(pk, told, run->pc_known ? sizeof told : (size_t)STF_LEN_HOLE);
}

static int convert_copy(struct cairn_reader *reader, struct stf_pack *pk,
                        struct cairn_changed *done)
{
	const struct stf_impl *im = reader->impl;
	struct stf_cursor cursor;
	struct stf_run run;
	stf_cursor_init(&cursor, reader);
	uint64_t n = 1;
	struct hole hole = {.place = im->header.has_pc}; /* where the PC was known */
	int rc = stf_pack_header(pk, im->head.data, im->header.size);
	while (rc >= 0) {
		rc = stf_cursor_next(&cursor, stf_pack_room(pk), &run);
		if (rc <= 0)
			break;
		hole.open |= cursor.gap;
		hole.who |= cursor.gap ? cursor.varies : 0;
		if (hole.open)
			rc = over_gap(reader, pk, &run, &hole, stf_cursor_number(&cursor) - run.markers, done);
		hole.place |= cursor.at->now.pc_known != 0;
		if (rc >= 0)
			rc = stf_pack_run(pk, &run, cursor.at->now.pc);
		n = stf_cursor_number(&cursor);
		done->instructions += run.markers;
	}
	return rc >= 0 && cursor.lost ? take_back(reader, pk, n, done) : rc;
}

int stf_convert(struct cairn_reader *reader, const struct cairn_output *out,
                struct cairn_changed *done)
{
	const struct stf_impl *im = reader->impl;
	struct stf_packing packing;
	struct stf_pack *pk = NULL;
	int rc = stf_packing_choose(reader->cairn, out, &packing);
	const struct stf_output *output = &packing.output;
	if (rc >= 0 && (output->version || output->event_bits || output->sizes || output->sources ||
	                output->initiators || output->vlen || im->header.lost)) {
		/* More than another packing: another version, another meaning of records, or a new header.
		 *  */
		struct cairn_edit_opts edit = {.size = sizeof edit};
		return stf_edit(reader, &edit, out, done);
	}
	if (rc >= 0)
		rc =
			stf_pack_open(reader->cairn, out->path, &packing, out->threads ? out->threads : 1, &pk);
	if (rc >= 0)
		rc = convert_copy(reader, pk, done);
	if (rc < 0) {
		stf_pack_abort(pk);
		return rc;
	}
	return stf_pack_finish(pk);
}

const struct model_change stf_change = {.convert = stf_convert,
                                        .slice = stf_slice,
                                        .slices = stf_slices,
                                        .split = stf_split,
                                        .merge = stf_merge,
                                        .edit = stf_edit};
