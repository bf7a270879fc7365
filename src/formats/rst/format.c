/* SPDX-License-Identifier: Apache-2.0 */
/* RST as the library knows it: what reads, writes, judges and changes it, in one place that
 * nothing in this room needs. */
#include "formats/rst/change/change.h"
#include "formats/rst/check/rules.h"

const struct model_format rst_format = {
	.options = &rst_reading_options,
	.name = "RST",
	.marks = true,
	.jumping = ".rst",
	.change = &rst_change,
	.big_endian = true,
	.probe = rst_probe,
	.open = rst_open,
	.close = rst_close,
	.info = rst_info,
	.record_name = rst_record_name,
	.event_name = rst_ev_name,
	.worker_new = rst_worker_new,
	.worker_free = rst_worker_free,
	.cut = rst_cut,
	.scan = rst_scan,
	.seal = rst_seal,
	.decode = rst_decode,
	.record = rst_record,
	.drop = rst_drop,
	.seek = rst_seek,
	.place = rst_place_of,
	.jump = rst_jump,
	.state_put = rst_state_put,
	.state_get = rst_state_get,
	.is_part = rst_is_part,
	.rules = &rst_rules,
};
