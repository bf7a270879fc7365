/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ETE packets: the table, taking apart and putting together, what is no packet, finding
 * synchronisation.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../ete/generate.h"
#include "cairn/cairn.h"
#include "formats/ete/stream/table.h"

static struct cairn *c;

static int setup(void **state)
{
	(void)state;
	c = cairn_new(NULL);
	return c ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	cairn_free(c);
	return 0;
}

static const uint8_t async[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80};

/* Packets of these bytes behind an Async, which is left out. */
static size_t decode(const struct cairn_ete_config *cfg, const uint8_t *bytes, size_t n,
                     struct cairn_ete_packet *out, size_t most)
{
	struct cairn_ete_packets *packets;
	struct cairn_ete_packet packet;
	uint8_t *all = malloc(sizeof async + n);
	size_t k = 0;
	memcpy(all, async, sizeof async);
	if (n)
		memcpy(all + sizeof async, bytes, n);
	assert_int_equal(cairn_ete_packets_open(c, cfg, all, sizeof async + n, 0, &packets), 0);
	assert_int_equal(cairn_ete_packets_next(packets, &packet), 1);
	assert_int_equal(packet.type, CAIRN_ETE_P_ASYNC);
	while (k < most && cairn_ete_packets_next(packets, &out[k]))
		k++;
	cairn_ete_packets_close(packets);
	free(all);
	return k;
}

static void no_header_belongs_to_two_rows(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 400; i++) {
		struct cairn_ete_config cfg;
		uint64_t seed = i;
		uint8_t taken[256] = {0};
		ete_some_config(i, &seed, &cfg);
		for (unsigned t = 1; t <= CAIRN_ETE_P_LAST; t++) {
			const struct ete_row *row = &ete_rows[t];
			if (!ete_row_exists(row, &cfg))
				continue;
			for (unsigned h = row->first; h <= (row->last2 ? row->last2 : row->last); h++)
				if (h <= row->last || h >= row->first2)
					assert_int_equal(taken[h]++, 0);
		}
		/* the reader relies on it: all headers from 0xc0 on are atoms, in any trace unit */
		for (unsigned h = 0xc0; h < 256; h++) {
			uint8_t bytes[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, (uint8_t)h};
			struct cairn_ete_packet packet[2];
			struct cairn_ete_packets *packets;
			assert_int_equal(cairn_ete_packets_open(c, &cfg, bytes, sizeof bytes, 0, &packets), 0);
			assert_int_equal(cairn_ete_packets_fill(packets, packet, 2), 2);
			assert_in_range(packet[1].type, CAIRN_ETE_P_ATOM_F1, CAIRN_ETE_P_ATOM_F6);
			cairn_ete_packets_close(packets);
		}
	}
}

static void every_type_has_a_name_of_its_own(void **state)
{
	(void)state;
	for (unsigned a = 1; a <= CAIRN_ETE_P_LAST; a++)
		for (unsigned b = a + 1; b <= CAIRN_ETE_P_LAST; b++)
			if (cairn_ete_packet_name(a) && cairn_ete_packet_name(b))
				assert_string_not_equal(cairn_ete_packet_name(a), cairn_ete_packet_name(b));
	assert_null(cairn_ete_packet_name(CAIRN_ETE_P_LAST + 1));
}

static void equal(const struct cairn_ete_packet *left, const struct cairn_ete_packet *right)
{
	struct cairn_ete_packet x = *left, y = *right;
	x.offset = y.offset = 0;
	x.size = y.size = 0;
	x.header = y.header = 0;
	if (memcmp(&x, &y, sizeof x)) {
		for (size_t i = 0; i < sizeof x; i++)
			if (((uint8_t *)&x)[i] != ((uint8_t *)&y)[i])
				print_error("byte %zu: %02x, %02x\n", i, ((uint8_t *)&x)[i], ((uint8_t *)&y)[i]);
		fail_msg("%s differs from %s", cairn_ete_packet_name(left->type),
		         cairn_ete_packet_name(right->type));
	}
}

/* Any packet of any configuration, one after the other in one stream. */
static void what_is_encoded_is_decoded(void **state)
{
	uint64_t seen[2] = {0, 0};
	(void)state;
	for (unsigned i = 0; i < 400; i++) {
		struct cairn_ete_config cfg;
		struct cairn_ete_packet made[200], got[201];
		uint8_t bytes[200 * CAIRN_ETE_MAX_PACKET];
		uint64_t seed = i;
		size_t n = 0, k = 0;
		struct ete_maker maker;
		ete_some_config(i, &seed, &cfg);
		ete_maker_init(&maker, c, &cfg, i);
		while (k < 200) {
			unsigned type = (unsigned)(ete_random(&seed) % (CAIRN_ETE_P_LAST + 1));
			int len;
			if (!ete_make(&maker, type, &made[k]))
				continue;
			len = cairn_ete_encode(maker.encoder, &made[k], bytes + n);
			if (len < 0) /* not in this configuration */
				continue;
			assert_true(len <= CAIRN_ETE_MAX_PACKET);
			ete_made(&maker, &made[k]);
			seen[type / 64] |= (uint64_t)1 << type % 64;
			n += (size_t)len;
			k++;
		}
		ete_maker_free(&maker);
		assert_int_equal(decode(&cfg, bytes, n, got, 201), 200);
		for (k = 0; k < 200; k++)
			equal(&made[k], &got[k]);
	}
	for (unsigned t = CAIRN_ETE_P_ASYNC; t <= CAIRN_ETE_P_LAST; t++)
		if (cairn_ete_packet_name(t) && !(seen[t / 64] >> t % 64 & 1))
			fail_msg("%s was never made", cairn_ete_packet_name(t));
}

/* Random bytes: sizes add up, and the bytes of what is usual come back. */
static void what_is_decoded_is_encoded(void **state)
{
	size_t same = 0;
	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		struct cairn_ete_config cfg;
		struct cairn_ete_packets *packets;
		struct cairn_ete_packet packet;
		struct cairn_ete_encoder *encoder;
		uint64_t seed = i, end = 0;
		uint8_t bytes[12 + 500], out[CAIRN_ETE_MAX_PACKET];
		int known = 1;
		ete_some_config(i, &seed, &cfg);
		memcpy(bytes, async, sizeof async);
		for (size_t k = sizeof async; k < sizeof bytes; k++)
			bytes[k] = (uint8_t)(ete_random(&seed) >> (k % 3 ? 56 : 40));
		assert_int_equal(cairn_ete_packets_open(c, &cfg, bytes, sizeof bytes, 0, &packets), 0);
		assert_int_equal(cairn_ete_encoder_open(c, &cfg, &encoder), 0);
		while (cairn_ete_packets_next(packets, &packet)) {
			int n;
			assert_int_equal(packet.offset, end);
			assert_true(packet.size > 0);
			end += packet.size;
			/* an address that no instruction has is read, but not written */
			if (packet.address & (packet.flags & CAIRN_ETE_P_IS1 ? 1 : 3))
				known = 0;
			if (packet.type < CAIRN_ETE_P_ASYNC || !known || (packet.flags & CAIRN_ETE_P_OVERLAP))
				continue;
			n = cairn_ete_encode(encoder, &packet, out);
			if (packet.flags & CAIRN_ETE_P_UNUSUAL) {
				known = n > 0;
				continue;
			}
			assert_int_equal(n, packet.size);
			assert_memory_equal(out, bytes + packet.offset, (size_t)n);
			same++;
		}
		assert_int_equal(end, sizeof bytes);
		cairn_ete_packets_close(packets);
		cairn_ete_encoder_close(encoder);
	}
	assert_true(same > 100000);
}

static void batches_and_single_packets_are_the_same(void **state)
{
	static const size_t sizes[] = {2, 3, 7, 64};
	uint64_t seed = 1;
	(void)state;
	for (unsigned k = 0; k < 40; k++) {
		struct cairn_ete_config cfg;
		struct ete_sample sample;
		struct cairn_ete_packets *left, *right;
		struct cairn_ete_packet packet, many[64];
		size_t n;
		ete_some_config(k, &seed, &cfg);
		ete_generate(c, &cfg, 5 + k, 1000, k & 1, &sample);
		cairn_ete_packets_open(c, &cfg, sample.bytes, sample.n, 1000, &left);
		cairn_ete_packets_open(c, &cfg, sample.bytes, sample.n, 1000, &right);
		while ((n = cairn_ete_packets_fill(left, many, sizes[k % 4])))
			for (size_t i = 0; i < n; i++) {
				assert_int_equal(cairn_ete_packets_tell(right), many[i].offset);
				assert_int_equal(cairn_ete_packets_next(right, &packet), 1);
				assert_memory_equal(&packet, &many[i], sizeof packet);
			}
		assert_int_equal(cairn_ete_packets_next(right, &packet), 0);
		assert_int_equal(cairn_ete_packets_tell(right), 1000 + sample.n);
		assert_int_equal(cairn_ete_packets_bad(left), cairn_ete_packets_bad(right));
		cairn_ete_packets_close(left);
		cairn_ete_packets_close(right);
		ete_sample_free(&sample);
	}
}

/* ---- the words of the sheet, one by one ---- */

struct example {
	const char *bytes;
	size_t n;
	unsigned type, size;
};

static void packets_have_their_length(void **state)
{
	static const struct example examples[] = {
		{"\x00\x03", 2, CAIRN_ETE_P_DISCARD, 2},
		{"\x00\x05", 2, CAIRN_ETE_P_OVERFLOW, 2},
		{"\x01\x00", 2, CAIRN_ETE_P_TRACE_INFO, 2},
		{"\x01\x0d\x41\x83\x01\x20", 6, CAIRN_ETE_P_TRACE_INFO, 6},
		{"\x02\xd7\xdf\x01", 4, CAIRN_ETE_P_TIMESTAMP, 4},
		{"\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff", 10, CAIRN_ETE_P_TIMESTAMP, 10},
		{"\x03\x01\x02", 3, CAIRN_ETE_P_TIMESTAMP, 3},
		{"\x06\x05", 2, CAIRN_ETE_P_EXCEPTION, 2},
		{"\x06\x31\x70", 3, CAIRN_ETE_P_TRANSACTION_FAILURE, 3},
		{"\x06\x01\x70", 3, CAIRN_ETE_P_PE_RESET, 3},
		{"\x09\x01\xff\xff\x0f\x00\x00\x00\x00\x00", 10, CAIRN_ETE_P_INSTRUMENTATION, 10},
		{"\x0a", 1, CAIRN_ETE_P_TRANSACTION_START, 1},
		{"\x0b", 1, CAIRN_ETE_P_TRANSACTION_COMMIT, 1},
		{"\x0c\x21", 2, CAIRN_ETE_P_CCNT_F2, 2},
		{"\x0e\x05\x2b", 3, CAIRN_ETE_P_CCNT_F1, 3},
		{"\x0f\x05", 2, CAIRN_ETE_P_CCNT_F1, 2},
		{"\x17", 1, CAIRN_ETE_P_CCNT_F3, 1},
		{"\x2d\x81\x01", 3, CAIRN_ETE_P_COMMIT, 3},
		{"\x2f\x02", 2, CAIRN_ETE_P_CANCEL_F1_MISPREDICT, 2},
		{"\x36", 1, CAIRN_ETE_P_CANCEL_F2, 1},
		{"\x3f", 1, CAIRN_ETE_P_CANCEL_F3, 1},
		{"\x70", 1, CAIRN_ETE_P_IGNORE, 1},
		{"\x7f", 1, CAIRN_ETE_P_EVENT, 1},
		{"\x80", 1, CAIRN_ETE_P_CONTEXT_SAME, 1},
		{"\x81\x31", 2, CAIRN_ETE_P_CONTEXT, 2},
		{"\x81\xf1\x07\x01\x02\x03\x04", 7, CAIRN_ETE_P_CONTEXT, 7},
		{"\x85\x00\x35\x09\x00\xc0\xff\xff\xff\xf1\x00\x01\x00\x00\x00", 15,
	     CAIRN_ETE_P_ADDR_CTXT_64_IS0, 15},
		{"\x88", 1, CAIRN_ETE_P_TS_MARKER, 1},
		{"\x92", 1, CAIRN_ETE_P_ADDR_MATCH, 1},
		{"\x95\x4e", 2, CAIRN_ETE_P_ADDR_SHORT_IS0, 2},
		{"\x96\xce\xff", 3, CAIRN_ETE_P_ADDR_SHORT_IS1, 3},
		{"\x9e\x01\xff\x03\x04\x05\x06\x07\x08", 9, CAIRN_ETE_P_ADDR_64_IS1, 9},
		{"\xa1\x85\x01", 3, CAIRN_ETE_P_Q_MATCH, 3},
		{"\xaa\x34\x3f\x06\x00\x03", 6, CAIRN_ETE_P_Q_32_IS0, 6},
		{"\xac\x03", 2, CAIRN_ETE_P_Q_COUNT, 2},
		{"\xaf", 1, CAIRN_ETE_P_Q, 1},
		{"\xb5\x02", 2, CAIRN_ETE_P_SRC_SHORT_IS1, 2},
		{"\xd4", 1, CAIRN_ETE_P_ATOM_F6, 1},
		{"\xf5", 1, CAIRN_ETE_P_ATOM_F5, 1},
		/* what is none */
		{"\x00\x04", 2, CAIRN_ETE_P_BAD, 2},
		{"\x00\x00\x00\xf7", 4, CAIRN_ETE_P_BAD, 3},
		{"\x05", 1, CAIRN_ETE_P_RESERVED, 1},
		{"\x07", 1, CAIRN_ETE_P_RESERVED, 1},
		{"\x20", 1, CAIRN_ETE_P_RESERVED, 1},
		{"\x43", 1, CAIRN_ETE_P_RESERVED, 1},
		{"\x84", 1, CAIRN_ETE_P_RESERVED, 1},
		{"\xa3", 1, CAIRN_ETE_P_RESERVED, 1},
		{"\xbf", 1, CAIRN_ETE_P_RESERVED, 1},
		{"\x2d\x80\x80\x80\x80\x80\x01", 7, CAIRN_ETE_P_BAD, 6},
		{"\x2d\xff\xff\xff\xff\x7f", 6, CAIRN_ETE_P_BAD, 6},
		{"\x0e\x01\x80\x80\x80\x01", 6, CAIRN_ETE_P_BAD, 5},
		{"\x9d\x01\x02", 3, CAIRN_ETE_P_INCOMPLETE, 3},
		{"\x81\xf1\x07\x01", 4, CAIRN_ETE_P_INCOMPLETE, 4},
		{"\x06", 1, CAIRN_ETE_P_INCOMPLETE, 1},
		{"\x9d\x00\x00", 3, CAIRN_ETE_P_INCOMPLETE, 3},
		{"\x00", 1, CAIRN_ETE_P_PADDING, 1},
		{"\x00\x00\x00", 3, CAIRN_ETE_P_PADDING, 3},
	};
	struct cairn_ete_config cfg;
	(void)state;
	cairn_ete_config_init(&cfg);
	cfg.devarch = 0x47735a13;
	cfg.idr0 = 0x18000;
	cfg.idr2 = 4 << 5 | 1 << 10;
	for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
		struct cairn_ete_packet packet[8];
		decode(&cfg, (const uint8_t *)examples[i].bytes, examples[i].n, packet, 8);
		if (packet[0].type != examples[i].type || packet[0].size != examples[i].size)
			fail_msg("example %zu: %s of %u bytes", i, cairn_ete_packet_name(packet[0].type),
			         packet[0].size);
	}
}

static void values_are_those_of_the_bytes(void **state)
{
	static const uint8_t
		bytes
			[] =
				{
					0x01, 0x0d, 0x41, 0x83, 0x01, 0x20, /* in a transaction, depth 131, threshold 32 */
					0x02, 0xff, 0x01, 0x02, 0x05,       /* 0xff, then its low 7 bits */
					0x0c, 0x21, 0x0d, 0x3f, 0x17,       /* commits 3, MAXSPEC - 12, 2 */
					0x85, 0x02, 0x35, 0x09, 0x00, 0xc0, 0xff, 0xff,
					0xff, 0x3a, 0x9a, 0x01, 0x00, 0x00, 0x00, /* the upper half is kept */
					0x95, 0x81, 0x01, 0x92, 0x96, 0x03, 0x81, 0x02,
					0x9b, 0x01, 0x02, 0x03, 0x04, /* AArch32: the upper half is 0 */
				};
	struct cairn_ete_config cfg;
	struct cairn_ete_packet packet[16];
	(void)state;
	cairn_ete_config_init(&cfg);
	cfg.idr8 = 100;
	assert_int_equal(decode(&cfg, bytes, sizeof bytes, packet, 16), 13);
	assert_int_equal(packet[0].info, 0x41);
	assert_int_equal(packet[0].value, 131);
	assert_int_equal(packet[0].cycles, 32);
	assert_int_equal(packet[1].value, 0xff);
	assert_int_equal(packet[2].value, 0x85);
	assert_int_equal(packet[3].count, 3);
	assert_int_equal(packet[3].cycles, 33);
	assert_int_equal(packet[4].count, 88);
	assert_int_equal(packet[4].cycles, 47);
	assert_int_equal(packet[5].count, 2);
	assert_int_equal(packet[5].cycles, 35);
	assert_int_equal(packet[6].address, 0xffffffc000096a08);
	assert_int_equal(packet[6].context, 0x3a);
	assert_int_equal(packet[7].address, 0xffffffc000000004);
	assert_int_equal(packet[8].address, 0xffffffc000000204);
	assert_int_equal(packet[9].address, 0xffffffc000096a08);
	assert_int_equal(packet[10].address, 0xffffffc000096a06);
	assert_true(packet[10].flags & CAIRN_ETE_P_IS1);
	assert_int_equal(packet[12].address, 0x04030202);
}

/* ---- synchronisation ---- */

static void synchronisation_is_found(void **state)
{
	struct cairn_ete_config cfg;
	struct cairn_ete_packets *packets;
	struct cairn_ete_packet packet;
	uint8_t bytes[100];
	(void)state;
	cairn_ete_config_init(&cfg);
	memset(bytes, 0xf7, sizeof bytes);
	memset(bytes + 19, 0, 12); /* one zero more than it takes */
	bytes[31] = 0x80;
	memcpy(bytes + 60, async, sizeof async);
	assert_int_equal(cairn_ete_packets_open(c, &cfg, bytes, sizeof bytes, 500, &packets), 0);
	assert_int_equal(cairn_ete_packets_next(packets, &packet), 1);
	assert_int_equal(packet.type, CAIRN_ETE_P_NOT_SYNC);
	assert_int_equal(packet.size, 20);
	assert_int_equal(cairn_ete_packets_next(packets, &packet), 1);
	assert_int_equal(packet.type, CAIRN_ETE_P_ASYNC);
	assert_int_equal(packet.offset, 520);
	assert_int_equal(cairn_ete_packets_sync_forward(packets), 0);
	assert_int_equal(cairn_ete_packets_tell(packets), 560);
	assert_int_equal(cairn_ete_packets_sync_forward(packets), 0); /* at or behind */
	assert_int_equal(cairn_ete_packets_tell(packets), 560);
	assert_int_equal(cairn_ete_packets_sync_backward(packets), 0);
	assert_int_equal(cairn_ete_packets_tell(packets), 520);
	assert_int_equal(cairn_ete_packets_sync_backward(packets), CAIRN_E_NOTFOUND);
	assert_int_equal(cairn_ete_packets_tell(packets), 520);
	assert_int_equal(cairn_ete_packets_sync_set(packets, 573), 0);
	assert_int_equal(cairn_ete_packets_sync_forward(packets), CAIRN_E_NOTFOUND);
	assert_int_equal(cairn_ete_packets_next(packets, &packet), 1);
	assert_int_equal(packet.offset, 573);
	assert_int_equal(packet.type, CAIRN_ETE_P_ATOM_F1);
	assert_int_equal(cairn_ete_packets_sync_set(packets, 601), CAIRN_E_INVAL);
	assert_int_equal(cairn_ete_packets_sync_set(packets, 499), CAIRN_E_INVAL);
	assert_int_equal(cairn_ete_packets_sync_set(packets, 600), 0);
	assert_int_equal(cairn_ete_packets_next(packets, &packet), 0);
	cairn_ete_packets_close(packets);
}

/* An Async is seen whatever was cut off in front of it. */
static void an_async_is_never_missed(void **state)
{
	static const uint8_t heads[][3] = {{0x9d, 1, 0},    {0x09, 0, 0},    {0x85, 2, 3},
	                                   {0x01, 4, 0},    {0x02, 0x81, 0}, {0x06, 0x81, 0},
	                                   {0x81, 0xf0, 0}, {0xaa, 1, 0},    {0x00, 0, 0}};
	struct cairn_ete_config cfg;
	(void)state;
	cairn_ete_config_init(&cfg);
	cfg.devarch = 0x47735a13;
	cfg.idr0 = 0x18000;
	cfg.idr2 = 4 << 5 | 4 << 10;
	for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
		for (size_t cut = 1; cut <= 3; cut++) {
			struct cairn_ete_packet packet[16];
			uint8_t bytes[3 + sizeof async + 1];
			size_t n, k;
			memcpy(bytes, heads[i], cut);
			memcpy(bytes + cut, async, sizeof async);
			bytes[cut + sizeof async] = 0xf7;
			n = decode(&cfg, bytes, cut + sizeof async + 1, packet, 16);
			for (k = 0; k < n && packet[k].type != CAIRN_ETE_P_ASYNC; k++)
				;
			assert_true(k + 1 < n);
			assert_int_equal(packet[k].offset + packet[k].size, 12 + cut + sizeof async);
			assert_int_equal(packet[k + 1].type, CAIRN_ETE_P_ATOM_F1);
			assert_int_equal(k + 2, n);
		}
}

static void what_does_not_fit_is_refused(void **state)
{
	struct cairn_ete_config cfg;
	struct cairn_ete_encoder *encoder;
	uint8_t out[CAIRN_ETE_MAX_PACKET];
	const struct cairn_ete_packet wrong[] = {
		{.type = CAIRN_ETE_P_ADDR_SHORT_IS0, .address = 0x12345678},
		{.type = CAIRN_ETE_P_ADDR_MATCH, .address = 4},
		{.type = CAIRN_ETE_P_ADDR_MATCH, .number = 3},
		{.type = CAIRN_ETE_P_ADDR_32_IS0, .address = 0x100000000},
		{.type = CAIRN_ETE_P_ADDR_32_IS0, .address = 2},
		{.type = CAIRN_ETE_P_ADDR_32_IS1, .address = 2},
		{
			.type = CAIRN_ETE_P_Q,
		},
		{.type = CAIRN_ETE_P_EXCEPTION_RETURN},
		{.type = CAIRN_ETE_P_INSTRUMENTATION},
		{.type = CAIRN_ETE_P_BAD},
		{.type = 200},
		{.type = CAIRN_ETE_P_EXCEPTION, .number = 0x18, .info = 1},
		{.type = CAIRN_ETE_P_EXCEPTION, .number = 32, .info = 1},
		{.type = CAIRN_ETE_P_ATOM_F4, .n_atoms = 4, .atoms = 15},
		{.type = CAIRN_ETE_P_ATOM_F6, .n_atoms = 25},
		{.type = CAIRN_ETE_P_CCNT_F3, .count = 5, .cycles = 1},
		{.type = CAIRN_ETE_P_CCNT_F3, .count = 1, .cycles = 4},
		{.type = CAIRN_ETE_P_TIMESTAMP, .value = 1000, .bits = 7},
		{.type = CAIRN_ETE_P_TIMESTAMP, .value = 1000, .bits = 8},
		{.type = CAIRN_ETE_P_TRACE_INFO, .cycles = 3},
		{.type = CAIRN_ETE_P_CONTEXT, .context = 0x40, .flags = CAIRN_ETE_P_HAS_VMID},
		{.type = CAIRN_ETE_P_EVENT, .number = 0},
		{.type = CAIRN_ETE_P_CANCEL_F2, .count = 2},
	};
	(void)state;
	cairn_ete_config_init(&cfg);
	assert_int_equal(cairn_ete_encoder_open(c, &cfg, &encoder), 0);
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
		if (cairn_ete_encode(encoder, &wrong[i], out) != CAIRN_E_INVAL)
			fail_msg("%zu: %s", i, cairn_ete_packet_name(wrong[i].type));
	cairn_ete_encoder_close(encoder);
}

static void the_encoder_finds_the_shortest_address(void **state)
{
	struct cairn_ete_config cfg;
	struct cairn_ete_encoder *encoder;
	uint8_t out[CAIRN_ETE_MAX_PACKET];
	struct cairn_ete_packet packet = {.type = CAIRN_ETE_P_ADDR_64_IS0,
	                                  .address = 0xffff000012345678};
	(void)state;
	cairn_ete_config_init(&cfg);
	assert_int_equal(cairn_ete_encoder_open(c, &cfg, &encoder), 0);
	assert_int_equal(cairn_ete_address_type(encoder, packet.address, 0), CAIRN_ETE_P_ADDR_64_IS0);
	assert_int_equal(cairn_ete_encode(encoder, &packet, out), 9);
	assert_int_equal(cairn_ete_address_type(encoder, packet.address, 0), CAIRN_ETE_P_ADDR_MATCH);
	assert_int_equal(cairn_ete_address_type(encoder, packet.address, 1),
	                 CAIRN_ETE_P_ADDR_SHORT_IS1);
	assert_int_equal(cairn_ete_address_type(encoder, packet.address + 4, 0),
	                 CAIRN_ETE_P_ADDR_SHORT_IS0);
	assert_int_equal(cairn_ete_address_type(encoder, packet.address + 0x20000, 0),
	                 CAIRN_ETE_P_ADDR_32_IS0);
	assert_int_equal(cairn_ete_address_type(encoder, 0x1000, 1), CAIRN_ETE_P_ADDR_64_IS1);
	cairn_ete_encoder_close(encoder);
}

static void fields_name_what_a_packet_has(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		struct cairn_ete_config cfg;
		struct ete_sample sample;
		uint64_t seed = i;
		ete_some_config(i, &seed, &cfg);
		ete_generate(c, &cfg, i, 200, 0, &sample);
		for (size_t k = 0; k < sample.n_packets; k++) {
			struct cairn_field field[CAIRN_MAX_FIELDS];
			char text[64];
			int n = cairn_ete_packet_fields(&sample.packets[k],
			                                sample.bytes + sample.packets[k].offset, field, text);
			assert_in_range(n, 1, CAIRN_MAX_FIELDS);
			assert_string_equal(field[0].name, "bytes");
			assert_int_equal(field[0].len, sample.packets[k].size);
			for (int a = 0; a < n; a++)
				for (int b = a + 1; b < n; b++)
					assert_string_not_equal(field[a].name, field[b].name);
		}
		ete_sample_free(&sample);
	}
}

/* ---- the page ---- */

struct page {
	char text[1 << 17];
	size_t n;
};

static void say(struct page *page, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	page->n += (size_t)vsnprintf(page->text + page->n, sizeof page->text - page->n, fmt, ap);
	va_end(ap);
	assert_true(page->n < sizeof page->text);
}

static const char *layout(const struct ete_row *row)
{
	static const char *const names[] = {[ETE_ATOMS] = "",
	                                    [ETE_NUMBERED] = "",
	                                    [ETE_EXTENSION] = "extension",
	                                    [ETE_TRACE_INFO] = "trace info",
	                                    [ETE_TIMESTAMP] = "timestamp",
	                                    [ETE_EXCEPTION] = "exception",
	                                    [ETE_CCNT_F1] = "cycle count 1",
	                                    [ETE_CCNT_F2] = "cycle count 2",
	                                    [ETE_CCNT_F3] = "cycle count 3",
	                                    [ETE_COUNT] = "count",
	                                    [ETE_ITE] = "instrumentation",
	                                    [ETE_COND_INST_F3] = "[6:1] count, [0] P",
	                                    [ETE_COND_RESULT_F1] =
	                                        "[3:0] result, [6:4] key, cont; twice below 6C",
	                                    [ETE_COND_RESULT_F3] = "8 bits of tokens; 4 in the header"};
	static const char *const addresses[] = {"", "match", "short", "32-bit", "64-bit"};
	static char text[100];
	if (row->form != ETE_ADDRESS)
		return names[row->form];
	snprintf(text, sizeof text, "%s%s%s%s%s%s", addresses[row->addr],
	         row->addr > ETE_A_MATCH ? row->is1 ? " IS1" : " IS0" : "",
	         row->addr && (row->context || row->count) ? ", " : "", row->context ? "context" : "",
	         row->context && row->count ? ", " : "", row->count ? "count" : "");
	return text;
}

static void say_table(struct page *page)
{
	static const char *const who[] = {"",
	                                  "ETE",
	                                  "ETMv4",
	                                  "ETE from 1.3",
	                                  "not before ETMv4.3",
	                                  "not before ETMv4.6",
	                                  "ETMv4, M profile",
	                                  "TRCIDR0.QSUPP",
	                                  "ETMv4, data trace",
	                                  "ETMv4, conditional trace"};
	say(page, "| type | name | headers | layout | only | |\n|---|---|---|---|---|---|\n");
	for (unsigned t = CAIRN_ETE_P_ASYNC; t <= CAIRN_ETE_P_LAST; t++) {
		const struct ete_row *row = &ete_rows[t];
		if (!row->name)
			continue;
		say(page, "| %u | `%s` | ", t, row->name);
		if (row->form)
			say(page, row->last > row->first ? "%02X–%02X" : "%02X", row->first, row->last);
		if (row->last2)
			say(page, row->last2 > row->first2 ? ", %02X–%02X" : ", %02X", row->first2, row->last2);
		if (!row->form)
			say(page, t == CAIRN_ETE_P_DISCARD || t == CAIRN_ETE_P_OVERFLOW ? "00" : "06");
		say(page, " | %s | %s | %s |\n",
		    row->form                                               ? layout(row)
		    : t == CAIRN_ETE_P_DISCARD || t == CAIRN_ETE_P_OVERFLOW ? "extension"
		                                                            : "exception",
		    row->form                   ? who[row->need]
		    : t >= CAIRN_ETE_P_PE_RESET ? "ETE"
		                                : "",
		    row->title);
	}
}

static void read_page(struct page *page)
{
	FILE *f = fopen(ETE_PAGE, "r");
	assert_non_null(f);
	page->n = fread(page->text, 1, sizeof page->text - 1, f);
	fclose(f);
}

static void the_page_shows_the_table(void **state)
{
	static const char begin[] = "rewrites it -->\n", end[] = "<!-- end of packets -->";
	static struct page want, page, out;
	char *a, *b;
	FILE *f;
	(void)state;
	read_page(&page);
	say_table(&want);
	a = strstr(page.text, begin);
	b = strstr(page.text, end);
	assert_true(a && b && a < b);
	a += sizeof begin - 1;
	if ((size_t)(b - a) == want.n && !memcmp(a, want.text, want.n))
		return;
	if (!getenv("UPDATE"))
		fail_msg("the table in docs/formats/ete.md is not the one in table.c: UPDATE=1 "
		         "rewrites it");
	say(&out, "%.*s%s%s", (int)(a - page.text), page.text, want.text, b);
	f = fopen(ETE_PAGE, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(out.text, 1, out.n, f), out.n);
	assert_int_equal(fclose(f), 0);
}

/* Each of the 154 rule ids has one row that says how it is held. */
static void the_page_has_every_rule(void **state)
{
	static struct page page;
	char ids[160][8];
	size_t n = 0;
	(void)state;
	read_page(&page);
	for (char *p = page.text; (p = strstr(p, "\n| `")); p++) {
		if (!strchr("IRS", p[4]) || strspn(p + 4, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != 6 ||
		    p[10] != '`')
			continue;
		assert_true(n < 160);
		memcpy(ids[n], p + 4, 6);
		ids[n][6] = 0;
		for (size_t i = 0; i < n; i++)
			assert_string_not_equal(ids[i], ids[n]);
		n++;
	}
	assert_int_equal(n, 154);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_header_belongs_to_two_rows),
		cmocka_unit_test(every_type_has_a_name_of_its_own),
		cmocka_unit_test(what_is_encoded_is_decoded),
		cmocka_unit_test(what_is_decoded_is_encoded),
		cmocka_unit_test(batches_and_single_packets_are_the_same),
		cmocka_unit_test(packets_have_their_length),
		cmocka_unit_test(values_are_those_of_the_bytes),
		cmocka_unit_test(synchronisation_is_found),
		cmocka_unit_test(an_async_is_never_missed),
		cmocka_unit_test(what_does_not_fit_is_refused),
		cmocka_unit_test(the_encoder_finds_the_shortest_address),
		cmocka_unit_test(fields_name_what_a_packet_has),
		cmocka_unit_test(the_page_shows_the_table),
		cmocka_unit_test(the_page_has_every_rule),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
