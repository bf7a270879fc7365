/* SPDX-License-Identifier: Apache-2.0 */
/* Strides of two parts put together. */
#include "analysis/strides.h"

static void longer(struct stride_run *left, struct stride_run right)
{
	if (right.n > left->n) /* of equal ones the first */
		*left = right;
}

void stride_join(struct stride_site *site, const struct stride_site *stride_site)
{
	if (!(stride_site->reads + stride_site->writes))
		return;
	if (!(site->reads + site->writes)) {
		*site = *stride_site;
		return;
	}
	if (stride_site->first_in == site->last_in)
		stride_next(site, (int64_t)(stride_site->first - site->last));
	if (stride_site->strides) {
		bool goes_on = site->tail.n && stride_site->head.stride == site->tail.stride,
			 alone = site->tail.n == site->strides;
		struct stride_run seam = stride_site->head;
		seam.n += goes_on ? site->tail.n : 0;
		site->repeats += stride_site->repeats + goes_on;
		longer(&site->longest, seam);
		longer(&site->longest, stride_site->longest);
		if (alone && (goes_on || !site->strides))
			site->head = seam;
		site->tail = stride_site->head.n == stride_site->strides ? seam : stride_site->tail;
		site->strides += stride_site->strides;
	}
	site->reads += stride_site->reads;
	site->writes += stride_site->writes;
	site->bytes += stride_site->bytes;
	site->last = stride_site->last;
	site->last_in = stride_site->last_in;
}
