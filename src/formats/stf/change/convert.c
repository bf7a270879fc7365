/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Another packing of the same records: nothing added, nothing interpreted. Back and
 * forth gives the same bytes.
 *
 * Only damage changes what is written. Where bytes are lost in the middle (a chunk of
 * a .zstf), the records of the instruction that lost its encoding are left out, for they
 * would pass to the next one, and a FORCE_PC says where the flow goes on.
 */
#include "base/bytes.h"
#include "formats/stf/change/change.h"

static int take_back(struct cairn_reader *reader, struct stf_pack *pk, uint64_t n,
                     struct cairn_changed *done)
{
	return model_ledger_add(reader->cairn, done->lost, "bytes of records whose instruction is lost",
	                        stf_pack_take_back(pk), n);
}

/* Leave out the groups before the first whose PC is told, and how many they are. */
static void find_place(const struct cairn_stf_config *cfg, struct stf_run *run, uint64_t *left_out)
{
	struct stf_records at = stf_records_in(cfg, run->p, run->n);
	struct stf_follower now = {.pc = run->pc, .pc_known = run->pc_known};
	size_t bytes = 0; /* before the group that is looked at */
	while (!now.pc_known && stf_next(&at)) {
		stf_follow(&now, cfg, at.p);
		if (stf_is_marker(*at.p)) {
			bytes = run->n - at.left + at.len;
			++*left_out;
		}
	}
	run->pc = now.pc;
	run->pc_known = now.pc_known;
	if (!now.pc_known)
		bytes = run->n;
	run->p += bytes;
	run->n -= bytes;
	run->whole -= bytes < run->whole ? bytes : run->whole;
	run->markers -= *left_out;
}

/* What came before a hole stays apart from what comes after it; where the PC was known, what has
 * none is left out, for it would get a false one. */
static int over_gap(struct cairn_reader *reader, struct stf_pack *pk, struct stf_run *run,
                    bool placed, uint64_t n, struct cairn_changed *done)
{
	const struct stf_impl *im = reader->impl;
	uint8_t force[STF_LEN_FORCE_PC] = {CAIRN_STF_FORCE_PC};
	uint64_t left_out = 0;
	int rc = take_back(reader, pk, n, done);
	if (rc < 0 || im->header.cfg.protocol)
		return rc;
	if (placed)
		find_place(&im->header.cfg, run, &left_out);
	rc = model_ledger_add(reader->cairn, done->lost, "instructions without a PC", left_out, n);
	if (rc < 0 || !run->pc_known)
		return rc;
	stf_put_FORCE_PC_pc(force, run->pc);
	return stf_pack_bytes(pk, force, sizeof force);
}

static int convert_copy(struct cairn_reader *reader, struct stf_pack *pk,
                        struct cairn_changed *done)
{
	const struct stf_impl *im = reader->impl;
	struct stf_cursor cursor;
	struct stf_run run;
	stf_cursor_init(&cursor, reader);
	uint64_t n = 1;
	bool placed = im->header.has_pc, gap = false; /* the PC was known; and is not since a hole */
	int rc = stf_pack_header(pk, im->head.data, im->header.size);
	while (rc >= 0) {
		rc = stf_cursor_next(&cursor, stf_pack_room(pk), &run);
		if (rc <= 0)
			break;
		gap |= cursor.gap;
		if (gap)
			rc = over_gap(reader, pk, &run, placed, stf_cursor_number(&cursor) - run.markers, done);
		gap &= placed && !run.pc_known;
		placed |= cursor.at->now.pc_known;
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
		/* Another version, another meaning of records, or a header where none is, is more than another packing. */
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
