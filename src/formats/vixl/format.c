/* SPDX-License-Identifier: Apache-2.0 */
/* VIXL as the library knows it: what reads, writes, judges and changes it, in one place that
 * nothing in this room needs. */
#include "formats/vixl/vixl.h"

const struct model_format vixl_format = {
	.options = &vixl_reading_options,
	.name = "VIXL",
	.change = &vixl_change,
	.probe = vixl_probe,
	.open = vixl_open,
	.close = vixl_close,
	.info = vixl_info,
	.record_name = vixl_record_name,
	.event_name = vixl_event_name,
	.worker_new = vixl_worker_new,
	.worker_free = vixl_worker_free,
	.cut = vixl_cut,
	.scan = vixl_scan,
	.seal = vixl_seal,
	.decode = vixl_decode,
	.record = vixl_record,
	.drop = vixl_drop,
	.seek = vixl_seek,
	.place = vixl_place,
	.jump = vixl_jump,
	.state_put = vixl_state_put,
	.state_get = vixl_state_get,
	.rules = &vixl_rules,
};
