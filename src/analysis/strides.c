/* SPDX-License-Identifier: Apache-2.0 */
/* Strides of two parts put together. */
#include "analysis/strides.h"

static void longer(struct stride_run *a, struct stride_run b)
{
	if (b.n > a->n) /* of equal ones the first */
		*a = b;
}

void stride_join(struct stride_site *s, const struct stride_site *b)
{
	if (!(b->reads + b->writes))
		return;
	if (!(s->reads + s->writes)) {
		*s = *b;
		return;
	}
	if (b->first_in == s->last_in)
		stride_next(s, (int64_t)(b->first - s->last));
	if (b->strides) {
		bool goes_on = s->tail.n && b->head.stride == s->tail.stride,
			 alone = s->tail.n == s->strides;
		struct stride_run seam = b->head;
		seam.n += goes_on ? s->tail.n : 0;
		s->repeats += b->repeats + goes_on;
		longer(&s->longest, seam);
		longer(&s->longest, b->longest);
		if (alone && (goes_on || !s->strides))
			s->head = seam;
		s->tail = b->head.n == b->strides ? seam : b->tail;
		s->strides += b->strides;
	}
	s->reads += b->reads;
	s->writes += b->writes;
	s->bytes += b->bytes;
	s->last = b->last;
	s->last_in = b->last_in;
}
