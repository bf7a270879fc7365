/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_ETE_MODEL_H
#define TESTS_ETE_MODEL_H
/*
 * What a decoder shall make of the packets of a legal stream, the obvious way: one list
 * of everything, every rule a loop over all of it.
 */
#include <stddef.h>

#include "cairn/ete.h"

/* Elements, atoms one by one; allocated, the caller frees. Without NO_SYNC. */
size_t ete_model(const struct cairn_ete_config *cfg, int keep,
                 const struct cairn_ete_packet *packet, size_t n, uint64_t end,
                 struct cairn_ete_element **out);
/* The same form for what the decoder gives: atoms one by one, no NO_SYNC. */
size_t ete_flatten(const struct cairn_ete_element *element, size_t n,
                   struct cairn_ete_element *out);

#endif
