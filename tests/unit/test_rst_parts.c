/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RST traces split by CPU, process and thread, in one pass: each part is the slice that is made
 * of the trace for it alone. Random traces that break no rule, and records of all kinds in any
 * order, of few CPUs or many, in short stretches and in long ones, some of them damaged.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "fixtures/parts.h"
#include "fixtures/random_traces.h"
#include "formats/rst/record/encode.h"

enum { SIZE = CAIRN_RST_SIZE, KINDS = 15, NO_TYPE = 0xee };
enum { NOP = 0x01000000, ADD = 0x82006001, CALL = 0x40000004, RETRY = 0x83f00000 };

static char path[64];

/* Headers tell when they were written: that is always the same moment here. */
time_t time(time_t *now)
{
	if (now)
		*now = 1000000;
	return 1000000;
}

static FILE *trace_file(void)
{
	snprintf(path, sizeof path, "%s/trace.rst", parts_dir);
	FILE *to = fopen(path, "wb");
	assert_non_null(to);
	return to;
}

struct gen {
	uint64_t seed;
	unsigned cpus, switches; /* one in so many records has another CPU */
	unsigned plain;          /* and another kind than INSTR */
	unsigned damage;         /* of these one in so many is damaged; 0: none */
	unsigned cpu;
	bool wide;
	FILE *to;
};

static unsigned below(struct gen *gen, unsigned n)
{
	return random_below(&gen->seed, n);
}

static void put(struct gen *gen, const uint8_t *p)
{
	assert_int_equal(fwrite(p, SIZE, 1, gen->to), 1);
}

static void put_instr(struct gen *gen)
{
	static const uint32_t encs[] = {NOP, ADD, CALL, RETRY};
	uint8_t p[SIZE];
	unsigned enc = below(gen, 40), ea = below(gen, 3) == 0;
	unsigned bits =
		(ea ? RST_I_EA_VALID : 0u) | (enc == 2 ? RST_I_BT : 0u) | (below(gen, 30) ? 0u : RST_I_PR);
	rst_make_instr(p, gen->cpu, bits, encs[enc < 4 ? enc : 1], 0x10000 + 4 * below(gen, 64),
	               0x20000 + 8 * below(gen, 8));
	put(gen, p);
}

/* A record of any kind but INSTR, of the CPU `cpu` where it names one. */
static void put_other(struct gen *gen, unsigned cpu)
{
	static const uint8_t named[] = {CAIRN_RST_TLB, CAIRN_RST_PHYSADDR, CAIRN_RST_MEMVAL,
	                                CAIRN_RST_TRAPEXIT};
	uint8_t p[SIZE] = {0};
	uint16_t small = (uint16_t)below(gen, 4);
	const struct rst_field *field;
	switch (below(gen, KINDS)) {
	case 0:
	case 1:
		rst_make_pavadiff(p, cpu, small, 0x1000u * below(gen, 3), below(gen, 2),
		                  (uint16_t)below(gen, 4), 0x1000u * below(gen, 3));
		break;
	case 2:
	case 3:
	case 4:
		rst_make_regval(p, cpu, below(gen, 2), 1 + below(gen, 4), below(gen, 34), below(gen, 9));
		if (below(gen, 2))
			rst_put_reg(p, 1, 1 + below(gen, 4), below(gen, 34), below(gen, 9));
		break;
	case 5: {
		const struct rst_preg preg = {.cpu = (uint16_t)cpu,
		                              .pstate = small,
		                              .asi = 0x80,
		                              .tl = (uint8_t)below(gen, 2),
		                              .primary = (uint16_t)below(gen, 3)};
		rst_make_preg(p, &preg);
		break;
	}
	case 6:
		rst_make_trap(p, cpu, below(gen, 2), below(gen, 2), 0x60 + below(gen, 16), small,
		              0x10000 + 4 * below(gen, 64), 0x10000 + 4 * below(gen, 64));
		break;
	case 7:
		rst_make_thread(p, small, below(gen, 3));
		break;
	case 8:
		rst_make_process(p, 0, below(gen, 3), small);
		break;
	case 9:
		p[0] = CAIRN_RST_STRDESC;
		p[1] = (uint8_t)('a' + below(gen, 26));
		break;
	case 10:
		p[0] = CAIRN_RST_RECNUM;
		p[1] = (uint8_t)(0x80 | below(gen, 2));
		p[2] = CAIRN_RST_INSTR;
		p[3] = (uint8_t)cpu;
		p[4] = (uint8_t)(cpu >> 8 << 6);
		base_put_be64(p + 8, below(gen, 100));
		break;
	default: /* whose CPU is a field of the table */
		p[0] = named[below(gen, 4)];
		p[3] = p[0] == CAIRN_RST_TLB ? (uint8_t)below(gen, 4) : 0;
		p[23] = (uint8_t)below(gen, 4);
		field = rst_layout_cpu(rst_layout_of(p, gen->wide ? RST_NEWEST : RST_VERSION(2, 11)));
		rst_put(p, field, cpu);
		break;
	}
	if (gen->damage && below(gen, gen->damage) == 0)
		p[0] = NO_TYPE;
	put(gen, p);
}

static void put_trace(uint64_t seed, unsigned records)
{
	static const unsigned counts[] = {1, 2, 3, 5, 60, 200, 700};
	struct gen gen = {.seed = seed};
	uint8_t p[SIZE];
	gen.wide = below(&gen, 4);
	gen.cpus = counts[below(&gen, gen.wide ? 7 : 5)];
	gen.switches = below(&gen, 2) ? 2 + below(&gen, 4) : 20 + below(&gen, 3000);
	gen.plain = below(&gen, 2) ? 2 + below(&gen, 4) : 10 + below(&gen, 500);
	gen.damage = below(&gen, 3) ? 0 : 2 + below(&gen, 60);
	gen.to = trace_file();
	rst_make_header(p, gen.wide ? RST_NEWEST : RST_VERSION(2, 11));
	put(&gen, p);
	rst_make_level(p, 1, 1);
	put(&gen, p);
	rst_make_info2(p, gen.cpus - 1, gen.cpus, 1, 1);
	put(&gen, p);
	for (unsigned i = 0; i < records; i++) {
		if (below(&gen, gen.switches) == 0)
			gen.cpu = below(&gen, gen.cpus);
		if (below(&gen, gen.plain))
			put_instr(&gen);
		else
			put_other(&gen, below(&gen, 6) ? gen.cpu : below(&gen, gen.cpus));
	}
	put_instr(&gen);
	assert_int_equal(fclose(gen.to), 0);
}

static unsigned all_ways(const char *suffix)
{
	const struct parts_way way = {.cairn = parts_cairn, .dir = parts_dir, .suffix = suffix};
	unsigned several = 0;
	for (int by = CAIRN_SPLIT_CPU; by <= CAIRN_SPLIT_TID; by++)
		several += parts_are_slices(&way, path, by) > 1;
	return several;
}

static void parts_of_correct_traces(void **state)
{
	static struct fx_bytes bytes;
	unsigned several = 0;
	(void)state;
	for (uint64_t seed = 0; seed < 60; seed++) {
		random_rst(seed, 20 + 8 * (unsigned)seed, &bytes);
		FILE *to = trace_file();
		assert_int_equal(fwrite(bytes.data, 1, bytes.n, to), bytes.n);
		fclose(to);
		several += all_ways(seed % 3 ? ".rst" : ".rst.gz");
	}
	assert_true(several >= 30);
}

static void parts_of_records_in_any_order(void **state)
{
	const char *more = getenv("CAIRN_LONG");
	unsigned seeds = more ? 8 * (unsigned)atoi(more) : 120, several = 0;
	(void)state;
	for (unsigned seed = 0; seed < seeds; seed++) {
		put_trace(seed, seed % 8 ? 50 + 20 * (seed % 40) : 30000);
		several += all_ways(".rst");
	}
	assert_true(several > seeds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(parts_of_correct_traces),
	                                   cmocka_unit_test(parts_of_records_in_any_order)};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, parts_open, parts_close);
}
