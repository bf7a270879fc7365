/* SPDX-License-Identifier: Apache-2.0 */
/* ETE as the library knows it: what reads, writes, judges and changes it, in one place that
 * nothing in this room needs. */
#include "formats/ete/check/rules.h"
#include "formats/ete/write/write.h"

const struct model_format ete_format = {
	.options = &ete_reading_options,
	.name = "ETE",
	.no_jumps = "compressed frames, and those with synchronisation words or in several files, are "
				"taken apart from their beginning",
	.jumping = ".snapshot",
	.change = &ete_change,
	.probe = ete_probe,
	.open = ete_open,
	.close = ete_close,
	.info = ete_info,
	.comment = ete_comment,
	.record_name = ete_record_name,
	.event_name = ete_event_name,
	.worker_new = ete_worker_new,
	.worker_free = ete_worker_free,
	.cut = ete_cut,
	.scan = ete_scan,
	.seal = ete_seal,
	.decode = ete_decode,
	.record = ete_record,
	.drop = ete_drop,
	.seek = ete_seek,
	.rules = &ete_rules,
	.keep_all = ete_keep_all,
	.depends = ete_depends,
	.place = ete_span_place,
	.jump = ete_jump,
	.state_put = ete_state_put,
	.span_put = ete_span_put,
	.state_get = ete_state_get,
};
