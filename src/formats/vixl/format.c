/* SPDX-License-Identifier: Apache-2.0 */
/* VIXL as the library knows it: what reads, writes, judges and changes it, in one place that
 * nothing in this room needs. */
#include "formats/vixl/vixl.h"

const struct model_format vixl_format = {
	.options = &vixl_reading_options,
	.name = "VIXL",
	.marks = true,
	.own = &vixl_dialect,
	.change = &vixl_change,
	.probe = vixl_probe,
	.open = vixl_open,
	.rules = &vixl_rules,
	TEXT_FORMAT,
};
