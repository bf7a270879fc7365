/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places where the stream can be cut: a decoder that stops there and one that begins there together
 * give what one decoder gives for the whole. The second one knows only what is in the Trace Info,
 * so nothing else may matter at the place; cairn/ete.h says which places these are. They are found
 * by reading, because the bytes from an Async on mean the same whatever stands before it.
 */
#include "formats/ete/stream/elements.h"

int cairn_ete_elements_sync_set(struct cairn_ete_elements *elements, uint64_t offset)
{
	int rc;
	if (offset == elements->base) {
		struct cairn_ete_packets *again;
		rc = cairn_ete_packets_open(elements->cairn, &elements->cfg, elements->data, elements->n,
		                            elements->base, &again);
		if (rc < 0)
			return rc;
		cairn_ete_packets_close(elements->packets);
		elements->packets = again;
		ete_elements_begin(elements);
		return 0;
	}
	rc = cairn_ete_packets_sync_set(elements->packets, offset);
	if (rc >= 0)
		ete_elements_reset(elements);
	return rc;
}

/* Can a part begin at this Async? See cairn/ete.h. A zero before it may belong to it or to the
 * packet before, so that only a decoder that came from before knows where it begins. Overflow and
 * Discard end in 05 and 03; between them and the Async only Events keep the next Trace On's reason.
 *  */
static bool is_place(const struct cairn_ete_elements *elements, struct cairn_ete_packets *packets)
{
	const uint8_t *q = elements->data + (cairn_ete_packets_tell(packets) - elements->base);
	struct cairn_ete_packet packet;
	if (q > elements->data && q[-1] == 0)
		return false;
	while (q > elements->data && q[-1] > 0x70 && q[-1] < 0x80)
		q--;
	if (q > elements->data && (q[-1] == 3 || q[-1] == 5))
		return false;
	return cairn_ete_packets_next(packets, &packet) == 1 && packet.type == CAIRN_ETE_P_ASYNC &&
	       cairn_ete_packets_next(packets, &packet) == 1 && packet.type == CAIRN_ETE_P_TRACE_INFO;
}

/* Are the P0 elements before its Trace Info all committed soon? If one is canceled, the Trace Info
 * did not happen either, and only a decoder that came from before knows what holds instead. */
static bool happens(const struct cairn_ete_elements *elements, uint64_t place)
{
	enum { SOON = CAIRN_ETE_WINDOW / 4 };
	struct cairn_ete_elements *t;
	struct cairn_ete_element element;
	size_t at = (size_t)(place - elements->base);
	bool yes = false;
	if (cairn_ete_elements_open(elements->cairn, &elements->cfg, NULL, elements->data + at,
	                            elements->n - at < SOON ? elements->n - at : SOON, 0, &t) < 0)
		return false;
	do {
		yes = t->step == ETE_IN_STEP && !t->ended && !t->stopped && !t->resolver.unseen &&
		      !t->resolver.unseen_gone;
		while (ete_take(&t->resolver, &element))
			continue;
	} while (!yes && !t->resolver.unseen_gone && !t->stopped && ete_read_on(t));
	cairn_ete_elements_close(t);
	return yes;
}

static int sync_to(struct cairn_ete_elements *elements, int (*step)(struct cairn_ete_packets *),
                   bool forward)
{
	struct cairn_ete_packets *packets;
	uint64_t at = cairn_ete_elements_tell(elements), place;
	int rc = cairn_ete_packets_open(elements->cairn, &elements->cfg, elements->data, elements->n,
	                                elements->base, &packets);
	if (rc < 0)
		return rc;
	for (rc = cairn_ete_packets_sync_set(packets, at); rc >= 0;) {
		rc = step(packets);
		if (rc < 0)
			break;
		place = cairn_ete_packets_tell(packets);
		if (is_place(elements, packets) && happens(elements, place)) {
			rc = cairn_ete_elements_sync_set(elements, place);
			break;
		}
		rc = cairn_ete_packets_sync_set(packets, forward ? place + 1 : place);
	}
	cairn_ete_packets_close(packets);
	return rc;
}

int cairn_ete_elements_sync_forward(struct cairn_ete_elements *elements)
{
	return sync_to(elements, cairn_ete_packets_sync_forward, true);
}

int cairn_ete_elements_sync_backward(struct cairn_ete_elements *elements)
{
	return sync_to(elements, cairn_ete_packets_sync_backward, false);
}
