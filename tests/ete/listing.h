/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_ETE_LISTING_H
#define TESTS_ETE_LISTING_H
/*
 * Our packets and elements in the words of the public packet lister, its slips included,
 * so that its listings can be compared line by line.
 */
#include <stddef.h>

#include "cairn/ete.h"

enum { LISTING_LINE = 512 };

/* "I_ATOM_F1 : Atom format 1.; E"; `synced`: a Trace Info was seen before. */
void listing_packet(const struct cairn_ete_packet *packet, int synced, char *line);
/* "OCSD_GEN_TRC_ELEM_…(…)"; empty for what that program has no element for. `later`:
 * not the listing's first session. */
void listing_element(const struct cairn_ete_element *element, int later, char *line);

#endif
