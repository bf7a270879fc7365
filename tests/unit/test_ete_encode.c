/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encoding ETE: random programs on random ways, with every option, come back as they
 * were; what is lost is exactly what is said to be; all packets of ETE are made; and the
 * bytes are those the packet encoder makes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../ete/walk.h"
#include "formats/ete/stream/table.h"

static struct cairn *ctx;
static uint64_t seen[CAIRN_ETE_P_LAST + 1];

static void come_back(struct walk *walk, uint64_t seed, size_t steps)
{
	struct walk_log got;
	struct cairn_ete_tracer_stats st = {.size = sizeof st};
	uint64_t gaps;
	char text[512];
	if (walk_run(walk, steps) < 0)
		fail_msg("seed %llu: %s", (unsigned long long)seed, cairn_error_text(ctx));
	assert_int_equal(walk_decode(walk, &got, &gaps), 0);
	const char *why = walk_differs(walk, &got, text, sizeof text);
	if (why || gaps)
		fail_msg("seed %llu: %llu gaps; %s", (unsigned long long)seed, (unsigned long long)gaps,
		         why ? why : "");
	cairn_ete_tracer_stats(walk->tracer, &st);
	assert_int_equal(st.lost, walk->lost);
	assert_int_equal(st.bytes, walk->n_out);
	free(got.rows);
}

/* The same bytes come from the packets they are. */
static void count_packets(struct walk *walk)
{
	struct cairn_ete_packets *packets;
	struct cairn_ete_encoder *encoder;
	struct cairn_ete_config cfg;
	struct cairn_ete_packet packet;
	uint8_t out[CAIRN_ETE_MAX_PACKET];
	cairn_ete_tracer_config(walk->tracer, &cfg);
	assert_int_equal(cairn_ete_packets_open(ctx, &cfg, walk->out, walk->n_out, 0, &packets), 0);
	assert_int_equal(cairn_ete_encoder_open(ctx, &cfg, &encoder), 0);
	while (cairn_ete_packets_next(packets, &packet)) {
		seen[packet.type]++;
		int n = cairn_ete_encode(encoder, &packet, out);
		assert_int_equal(n, packet.size);
		assert_memory_equal(out, walk->out + packet.offset, packet.size);
	}
	assert_int_equal(cairn_ete_packets_bad(packets), 0);
	cairn_ete_packets_close(packets);
	cairn_ete_encoder_close(encoder);
}

static void test_programs_come_back(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 600; seed++) {
		struct walk walk;
		walk_init(&walk, ctx, seed);
		come_back(&walk, seed, 3000);
		count_packets(&walk);
		assert_int_equal(walk.lost, 0);
		walk_free(&walk);
	}
}

static void test_losses_are_those_defined(void **state)
{
	uint64_t lost = 0;
	(void)state;
	for (uint64_t seed = 0; seed < 200; seed++) {
		struct walk walk;
		walk_init(&walk, ctx, 1000 + seed);
		walk.wild = true;
		walk.opts.drop_ends = seed & 1;
		come_back(&walk, 1000 + seed, 2000);
		count_packets(&walk);
		lost += walk.lost;
		walk_free(&walk);
	}
	assert_true(lost > 1000);
}

static void test_uncounted_q_loses_its_instructions(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct walk walk;
		struct walk_log got;
		struct cairn_ete_tracer_stats st = {.size = sizeof st};
		uint64_t gaps, put = 0, back = 0;
		walk_init(&walk, ctx, 2000 + seed);
		walk.opts.q_every = 1 + (uint32_t)seed % 5;
		walk.opts.q_uncounted = 1;
		assert_int_equal(walk_run(&walk, 2000), 0);
		assert_int_equal(walk_decode(&walk, &got, &gaps), 0);
		cairn_ete_tracer_stats(walk.tracer, &st);
		count_packets(&walk);
		for (size_t i = 0; i < walk.log.n; i++)
			put += walk.log.rows[i].kind == WALK_INSN;
		for (size_t i = 0; i < got.n; i++)
			back += got.rows[i].kind == WALK_INSN;
		assert_true(st.lost > 0);
		assert_int_equal(put - back, st.lost);
		assert_true(gaps > 0);
		free(got.rows);
		walk_free(&walk);
	}
}

/* Behind the two tests above: their packets. */
static void test_every_packet_is_made(void **state)
{
	struct cairn_ete_config cfg;
	(void)state;
	cairn_ete_config_init(&cfg);
	cfg.devarch = 0x47735a13;
	cfg.idr0 = 1u << 15;
	for (unsigned type = CAIRN_ETE_P_ASYNC; type < CAIRN_ETE_P_LAST; type++) {
		bool is = cairn_ete_packet_name(type) &&
		          (ete_row_exists(&ete_rows[type], &cfg) || type == CAIRN_ETE_P_DISCARD ||
		           type == CAIRN_ETE_P_OVERFLOW || type == CAIRN_ETE_P_PE_RESET ||
		           type == CAIRN_ETE_P_TRANSACTION_FAILURE);
		if (is && type != CAIRN_ETE_P_IGNORE && type != CAIRN_ETE_P_CONTEXT_SAME && !seen[type])
			fail_msg("no %s", cairn_ete_packet_name(type));
	}
}

static void test_what_cannot_be_is_refused(void **state)
{
	struct cairn_ete_tracer *tracer;
	struct cairn_ete_tracer_opts opts = {.size = sizeof opts, .noise = 3};
	struct cairn_ete_insn odd = {.pc = 0x1002, .isa = CAIRN_ISA_A64},
						  other = {.isa = CAIRN_ISA_RV64};
	(void)state;
	assert_int_equal(cairn_ete_tracer_open(ctx, &opts, &tracer), CAIRN_E_INVAL);
	assert_int_equal(cairn_ete_tracer_open(ctx, NULL, &tracer), 0);
	assert_int_equal(cairn_ete_tracer_insns(tracer, &odd, 1), CAIRN_E_INVAL);
	assert_int_equal(cairn_ete_tracer_finish(tracer), CAIRN_E_INVAL);
	cairn_ete_tracer_close(tracer);
	assert_int_equal(cairn_ete_tracer_open(ctx, NULL, &tracer), 0);
	assert_int_equal(cairn_ete_tracer_insns(tracer, &other, 1), CAIRN_E_INVAL);
	cairn_ete_tracer_close(tracer);
	assert_int_equal(cairn_ete_tracer_open(ctx, NULL, &tracer), 0);
	assert_int_equal(cairn_ete_tracer_finish(tracer), 0);
	assert_int_equal(cairn_ete_tracer_event(tracer, 1), CAIRN_E_STATE);
	cairn_ete_tracer_close(tracer);
	assert_int_equal(cairn_ete_tracer_open(ctx, NULL, &tracer), 0);
	assert_int_equal(cairn_ete_tracer_exception(tracer, 0, 0, CAIRN_ISA_A64), CAIRN_E_INVAL);
	cairn_ete_tracer_close(tracer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_programs_come_back),
		cmocka_unit_test(test_losses_are_those_defined),
		cmocka_unit_test(test_uncounted_q_loses_its_instructions),
		cmocka_unit_test(test_every_packet_is_made),
		cmocka_unit_test(test_what_cannot_be_is_refused),
	};
	ctx = cairn_new(NULL);
	int rc = cmocka_run_group_tests(tests, NULL, NULL);
	cairn_free(ctx);
	return rc;
}
