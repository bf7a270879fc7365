/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_ETE_GENERATE_H
#define TESTS_ETE_GENERATE_H
/*
 * Random packets and random legal streams of ETE, made through the packet encoder by a
 * small trace unit that keeps what the protocol obliges it to know.
 */
#include <stddef.h>
#include <stdint.h>

#include "cairn/ete.h"

uint64_t ete_random(uint64_t *seed); /* 64 bits */
/* Configurations that have, together, every packet type; `index` any number. */
void ete_some_config(unsigned index, uint64_t *seed, struct cairn_ete_config *cfg);

/* The history of addresses as the maker of packets must know it. */
struct ete_maker {
	const struct cairn_ete_config *cfg;
	struct cairn_ete_encoder *encoder;
	uint64_t seed;
	uint64_t address[3], time;
	uint8_t is1[3];
	uint8_t sf;
	uint32_t threshold;
	uint64_t code; /* addresses are mostly near this one */
};
void ete_maker_init(struct ete_maker *maker, struct cairn *cairn,
                    const struct cairn_ete_config *cfg, uint64_t seed);
void ete_maker_free(struct ete_maker *maker);
/* Fill a packet of this type with anything that is allowed now; 0 when the configuration has
 * no such packet. */
int ete_make(struct ete_maker *maker, unsigned type, struct cairn_ete_packet *packet);
/* It was encoded: remember. */
void ete_made(struct ete_maker *maker, const struct cairn_ete_packet *packet);

struct ete_sample {
	uint8_t *bytes;
	size_t n, room;
	struct cairn_ete_packet *packets;
	size_t n_packets, room_packets;
	uint64_t seen[2]; /* types, a bit each */
};
/* A legal stream of about `packets` packets. With `damage` some packets are broken or left
 * out: then it is legal no more, and `packets` is not filled. */
void ete_generate(struct cairn *cairn, const struct cairn_ete_config *cfg, uint64_t seed,
                  size_t packets, int damage, struct ete_sample *out);
void ete_sample_free(struct ete_sample *sample);

#endif
