/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeping what there is of a trace that the system refused to take further: a recording cannot be
 * made again. It gets another name, and only if something in it can be read.
 */
#include <stdio.h>

#include "model/model.h"

/* How many instructions are readable, in a context of its own: the caller's keeps its error. */
static uint64_t keep_count(const struct cairn *cairn, const char *path, bool *opens)
{
	struct cairn *own = cairn_new(base_opts(cairn));
	struct cairn_open_opts opts = {.size = sizeof opts, .no_index = 1};
	struct cairn_reader *reader = NULL;
	uint64_t n = 0;
	if (!own)
		return 0;
	struct cairn_batch *batch = cairn_batch_new(own);
	if (batch && cairn_open(own, path, &opts, &reader) >= 0)
		while (cairn_next(reader, batch) > 0)
			n += batch->n_insns;
	/* Where the program is needed to know the instructions, they are there without being counted.
	 *  */
	*opens = n || (reader && cairn_reader_lacks_program(reader));
	cairn_batch_free(own, batch);
	cairn_close(reader);
	cairn_free(own);
	return n;
}

int cairn_finish_or_keep(struct cairn_writer *writer, struct cairn_ledger **ledger, char *kept,
                         size_t size, uint64_t *instructions)
{
	struct cairn *cairn = writer->cairn;
	struct io_keep keep;
	bool opens = false;
	*instructions = 0;
	io_keep_begin(cairn, &keep);
	int rc = cairn_finish(writer, ledger);
	if (keep.temp)
		*instructions = keep_count(cairn, io_temp_path(keep.temp), &opens);
	snprintf(kept, size, "%s", opens ? keep.path : "");
	if (io_keep_end(cairn, &keep, opens) < 0)
		*kept = 0;
	return rc;
}
