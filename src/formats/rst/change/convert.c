/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Another packing for the same records: nothing added, nothing interpreted. Back and
 * forth gives the same bytes. Only an input that ends inside a record loses something,
 * that record.
 */
#include "formats/rst/change/change.h"

int rst_copy_records(struct cairn_reader *reader, struct rst_pack *pk, struct cairn_changed *done)
{
	struct rst_cursor cursor;
	const uint8_t *p;
	size_t n;
	int rc;
	rst_cursor_init(&cursor, reader);
	while ((rc = rst_cursor_next(&cursor, &p, &n)) > 0) {
		rc = rst_pack_put(pk, p, n);
		if (rc < 0)
			return rc;
		done->instructions += rst_cursor_took(&cursor, n);
	}
	return rc;
}

int rst_convert(struct cairn_reader *reader, const struct cairn_output *out,
                struct cairn_changed *done)
{
	struct rst_output packing;
	struct rst_pack *pk = NULL;
	int rc = rst_output_of(reader->cairn, out, &packing);
	if (rc >= 0 && packing.version) {
		/* Another version is more than another packing. */
		struct cairn_edit_opts edit = {.size = sizeof edit};
		return rst_edit(reader, &edit, out, done);
	}
	if (rc >= 0)
		rc = rst_pack_open(reader->cairn, out->path, &packing, out->threads ? out->threads : 1,
		                   RST_HOLD_NOTHING, &pk);
	if (rc >= 0)
		rc = rst_copy_records(reader, pk, done);
	if (rc < 0) {
		rst_pack_abort(pk);
		return rc;
	}
	return rst_pack_finish(pk, done->lost);
}

const struct model_change rst_change = {.convert = rst_convert,
                                        .slice = rst_slice,
                                        .slices = rst_slices,
                                        .split = rst_split,
                                        .merge = rst_merge,
                                        .edit = rst_edit};
