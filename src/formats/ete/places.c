/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where an element decoder can begin so that it, and one that stops there, together give
 * what one gives that reads on. It begins with what the Trace Info tells, so the place has
 * to be one where nothing else matters; cairn/ete.h says which these are. Places are found
 * by reading: the bytes from an Async on mean the same whatever stands before it.
 */
#include "formats/ete/elements.h"

int cairn_ete_elements_sync_set(struct cairn_ete_elements *d, uint64_t offset)
{
	int rc;
	if (offset == d->base) {
		struct cairn_ete_packets *again;
		rc = cairn_ete_packets_open(d->c, &d->cfg, d->data, d->n, d->base, &again);
		if (rc < 0)
			return rc;
		cairn_ete_packets_close(d->packets);
		d->packets = again;
		ete_elements_begin(d);
		return 0;
	}
	rc = cairn_ete_packets_sync_set(d->packets, offset);
	if (rc >= 0)
		ete_elements_reset(d);
	return rc;
}

/* Can a part begin at this Async? See cairn/ete.h. A zero before it may be its own or the
 * packet's before, so that where it begins only those know who were there before. Overflow
 * and Discard end in 05 and 03; between them and the Async only Events keep the next Trace
 * On's reason. */
static bool is_place(const struct cairn_ete_elements *d, struct cairn_ete_packets *p)
{
	const uint8_t *q = d->data + (cairn_ete_packets_tell(p) - d->base);
	struct cairn_ete_packet k;
	if (q > d->data && q[-1] == 0)
		return false;
	while (q > d->data && q[-1] > 0x70 && q[-1] < 0x80)
		q--;
	if (q > d->data && (q[-1] == 3 || q[-1] == 5))
		return false;
	return cairn_ete_packets_next(p, &k) == 1 && k.type == CAIRN_ETE_P_ASYNC &&
	       cairn_ete_packets_next(p, &k) == 1 && k.type == CAIRN_ETE_P_TRACE_INFO;
}

/* Are the P0 elements before its Trace Info all committed soon? If one is canceled, the
 * Trace Info did not happen either, and what holds instead only those know who were there
 * before. */
static bool happens(const struct cairn_ete_elements *d, uint64_t place)
{
	enum { SOON = CAIRN_ETE_WINDOW / 4 };
	struct cairn_ete_elements *t;
	struct cairn_ete_element e;
	size_t at = (size_t)(place - d->base);
	bool yes = false;
	if (cairn_ete_elements_open(d->c, &d->cfg, NULL, d->data + at,
	                            d->n - at < SOON ? d->n - at : SOON, 0, &t) < 0)
		return false;
	do {
		yes =
			t->step == ETE_IN_STEP && !t->ended && !t->stopped && !t->r.unseen && !t->r.unseen_gone;
		while (ete_take(&t->r, &e))
			continue;
	} while (!yes && !t->r.unseen_gone && !t->stopped && ete_read_on(t));
	cairn_ete_elements_close(t);
	return yes;
}

static int sync_to(struct cairn_ete_elements *d, int (*step)(struct cairn_ete_packets *),
                   bool forward)
{
	struct cairn_ete_packets *p;
	uint64_t at = cairn_ete_elements_tell(d), place;
	int rc = cairn_ete_packets_open(d->c, &d->cfg, d->data, d->n, d->base, &p);
	if (rc < 0)
		return rc;
	for (rc = cairn_ete_packets_sync_set(p, at); rc >= 0;) {
		rc = step(p);
		if (rc < 0)
			break;
		place = cairn_ete_packets_tell(p);
		if (is_place(d, p) && happens(d, place)) {
			rc = cairn_ete_elements_sync_set(d, place);
			break;
		}
		rc = cairn_ete_packets_sync_set(p, forward ? place + 1 : place);
	}
	cairn_ete_packets_close(p);
	return rc;
}

int cairn_ete_elements_sync_forward(struct cairn_ete_elements *d)
{
	return sync_to(d, cairn_ete_packets_sync_forward, true);
}

int cairn_ete_elements_sync_backward(struct cairn_ete_elements *d)
{
	return sync_to(d, cairn_ete_packets_sync_backward, false);
}
