/* SPDX-License-Identifier: Apache-2.0 */
/* STF as the library knows it: what reads, writes, judges and changes it, in one place that
 * nothing in this room needs. */
#include "formats/stf/change/change.h"
#include "formats/stf/check/rules.h"

const struct model_format stf_format = {
	.options = &stf_reading_options,
	.name = "STF",
	.marks = true,
	.jumping = ".zstf",
	.change = &stf_change,
	.probe = stf_probe,
	.open = stf_open,
	.close = stf_close,
	.info = stf_info,
	.comment = stf_comment,
	.record_name = stf_record_name,
	.event_name = stf_ev_name,
	.worker_new = stf_worker_new,
	.worker_free = stf_worker_free,
	.cut = stf_cut,
	.load = stf_load,
	.scan = stf_scan,
	.switches = true,
	.seal = stf_seal,
	.decode = stf_decode,
	.record = stf_record,
	.drop = stf_drop,
	.seek = stf_seek,
	.place = stf_place_of,
	.jump = stf_jump,
	.state_put = stf_state_put,
	.state_get = stf_state_get,
	.depends = stf_depends,
	.reading = stf_reads,
	.rules = &stf_rules,
};
