/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as packets and elements of ETE or ETMv4. The first eight bytes choose the
 * configuration. What is asserted: packets lie back to back and never stand still; what
 * is put together again from a packet is what it was; elements come in
 * order; parts that begin where reading can begin give what the whole gives, however it is
 * damaged; memory is bounded by the window, not by what the bytes claim.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/cairn.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { HEAD = 8, ASYNC = 12, MOST = 1 << 16, MEMORY = 64 << 20 };

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "not so: %s\n", what);
	abort();
}

/* ---- memory, counted ---- */

struct block {
	size_t n;
	char align[16 - sizeof(size_t)];
};
static size_t used;

static void *counted(void *user, void *p, size_t n)
{
	struct block *block = p ? (struct block *)p - 1 : NULL;
	(void)user;
	used -= block ? block->n : 0;
	if (!n) {
		free(block);
		return NULL;
	}
	used += n;
	check(used < MEMORY, "memory is bounded");
	block = realloc(block, n + sizeof *block);
	if (!block)
		abort();
	block->n = n;
	return block + 1;
}

/* ---- packets ---- */

/* Is the address one that instructions have? Others are read, but not written. */
static bool writable(const struct cairn_ete_packet *packet)
{
	return packet->type >= CAIRN_ETE_P_ASYNC && !(packet->flags & CAIRN_ETE_P_OVERLAP) &&
	       !(packet->address & (packet->flags & CAIRN_ETE_P_IS1 ? 1 : 3));
}

static void packets(struct cairn *cairn, const struct cairn_ete_config *cfg, const uint8_t *bytes,
                    size_t n)
{
	struct cairn_ete_packets *d;
	struct cairn_ete_encoder *encoder;
	struct cairn_ete_packet packet;
	uint64_t end = 0, bad = 0;
	bool known = true;
	check(cairn_ete_packets_open(cairn, cfg, bytes, n, 0, &d) == 0, "it opens");
	check(cairn_ete_encoder_open(cairn, cfg, &encoder) == 0, "the encoder opens");
	while (cairn_ete_packets_next(d, &packet) == 1) {
		struct cairn_field field[CAIRN_MAX_FIELDS];
		uint8_t out[CAIRN_ETE_MAX_PACKET];
		char text[64];
		int k = cairn_ete_packet_fields(&packet, bytes + packet.offset, field, text), len;
		check(k > 0 && k <= CAIRN_MAX_FIELDS && cairn_ete_packet_name(packet.type),
		      "it has fields");
		check(packet.offset == end && packet.size > 0, "packets lie back to back");
		check(packet.offset + packet.size == cairn_ete_packets_tell(d),
		      "tell is the end of the last");
		end += packet.size;
		bad += packet.type == CAIRN_ETE_P_BAD || packet.type == CAIRN_ETE_P_RESERVED ||
		       packet.type == CAIRN_ETE_P_INCOMPLETE;
		known = known && (writable(&packet) || packet.type < CAIRN_ETE_P_ASYNC);
		if (!known || !writable(&packet))
			continue;
		len = cairn_ete_encode(encoder, &packet, out);
		check(len > 0 || (packet.flags & CAIRN_ETE_P_UNUSUAL), "what was read can be written");
		if (!(packet.flags & CAIRN_ETE_P_UNUSUAL))
			check((uint32_t)len == packet.size && !memcmp(out, bytes + packet.offset, packet.size),
			      "the same bytes come back");
		known = len > 0;
	}
	check(end == n && cairn_ete_packets_bad(d) == bad, "all bytes are told");
	cairn_ete_packets_close(d);
	cairn_ete_encoder_close(encoder);
}

/* ---- elements ---- */

struct told {
	uint64_t n, hash, last;
};

static void take(struct told *told, const struct cairn_ete_element *element)
{
	const uint8_t *p = (const uint8_t *)element;
	struct cairn_field field[CAIRN_MAX_FIELDS];
	char text[64];
	check(cairn_ete_element_fields(element, field, text) <= CAIRN_MAX_FIELDS, "fields fit");
	check(cairn_ete_element_name(element->kind) && !element->pad, "it has a name");
	check(element->offset >= told->last || element->kind == CAIRN_ETE_CONTEXT,
	      "they come in order");
	if (element->kind != CAIRN_ETE_CONTEXT)
		told->last = element->offset;
	for (size_t i = 0; i < sizeof *element; i++)
		told->hash = (told->hash ^ p[i]) * 0x100000001b3ull;
	told->n++;
}

static void read_all(struct cairn_ete_elements *elements, struct told *told)
{
	struct cairn_ete_element element[5];
	for (int64_t k; (k = cairn_ete_elements_fill(elements, element, 5)) != 0;) {
		check(k > 0, "reading does not fail");
		for (int64_t i = 0; i < k; i++)
			take(told, &element[i]);
	}
}

static void elements(struct cairn *cairn, const struct cairn_ete_config *cfg, unsigned keep,
                     const uint8_t *bytes, size_t n)
{
	const struct cairn_ete_elements_opts opts = {sizeof opts, (uint8_t)keep};
	struct cairn_ete_elements *d, *next;
	struct told whole = {0}, parts = {0};
	uint64_t from = 0, to = 0;
	check(cairn_ete_elements_open(cairn, cfg, &opts, bytes, n, 0, &d) == 0, "it opens");
	check(cairn_ete_elements_open(cairn, cfg, &opts, bytes, n, 0, &next) == 0, "it opens twice");
	read_all(d, &whole);
	check(whole.n <= 2 * n + 3, "no more elements than the bytes can tell");
	for (unsigned cuts = 0; to != UINT64_MAX; from = to, cuts++) {
		to = UINT64_MAX;
		if (cuts < 20 && from < n && cairn_ete_elements_sync_set(next, from + 1) == 0 &&
		    cairn_ete_elements_sync_forward(next) == 0)
			to = cairn_ete_elements_tell(next);
		check(cairn_ete_elements_sync_set(d, from) == 0, "a place is one");
		cairn_ete_elements_limit(d, to);
		read_all(d, &parts);
	}
	check(whole.n == parts.n && whole.hash == parts.hash, "parts are the whole");
	cairn_ete_elements_close(d);
	cairn_ete_elements_close(next);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const struct cairn_opts opts = {.size = sizeof opts, .realloc = counted};
	struct cairn_ete_config cfg;
	struct cairn *cairn;
	uint8_t *bytes;
	if (n < HEAD || n > MOST)
		return 0;
	cairn_ete_config_init(&cfg);
	cfg.devarch = (data[0] & 4 ? 0x47704a13 : 0x47705a13) | (uint32_t)(data[0] & 3) << 16;
	cfg.idr1 = 0x4100f403 | (uint32_t)(data[0] & 0x70);
	cfg.profile = data[0] & 8 ? 'M' : 'A';
	cfg.idr8 = data[1];
	cfg.idr0 = 0x80 | (uint32_t)data[2] << 24 | (uint32_t)data[3] << 16 | (data[3] & 64u) |
	           (data[3] & 1u) << 15;
	cfg.idr2 = (uint32_t)data[4] << 24 | (uint32_t)data[5] << 5;
	cfg.configr = (uint32_t)data[6] << 16 | 0x110;
	/* bytes that end where memory ends, behind an Async or not */
	bytes = malloc(n - HEAD + ASYNC);
	memset(bytes, 0, ASYNC - 1);
	bytes[ASYNC - 1] = 0x80;
	memcpy(bytes + ASYNC, data + HEAD, n - HEAD);
	cairn = cairn_new(&opts);
	if (data[7] & 1) {
		memmove(bytes, bytes + ASYNC, n - HEAD);
		bytes = realloc(bytes, n - HEAD ? n - HEAD : 1);
		n -= ASYNC;
	}
	packets(cairn, &cfg, bytes, n - HEAD + ASYNC);
	elements(cairn, &cfg, data[7] >> 1 & 1, bytes, n - HEAD + ASYNC);
	cairn_free(cairn);
	check(used == 0, "all memory is given back");
	free(bytes);
	return 0;
}
