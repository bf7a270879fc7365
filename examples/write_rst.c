/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Write a tiny RST trace, record by record: two CPUs, a branch and its delay slot,
 * a data-TLB miss with its handler, an interrupt.
 *
 *   write_rst FILE
 */
#include <stdio.h>
#include <string.h>

#include <cairn/cairn.h>

static const struct cairn_rst_config version = {2, 13};

static int put(FILE *file, unsigned type, const struct cairn_field *fields, unsigned n)
{
	uint8_t record[CAIRN_RST_SIZE];
	if (cairn_rst_encode(&version, type, fields, n, record) < 0) {
		fprintf(stderr, "write_rst: %s does not fit\n", cairn_rst_type_name(type));
		return -1;
	}
	return fwrite(record, sizeof record, 1, file) == 1 ? 0 : -1;
}

/* Fields by name; what is not named is zero. */
#define N(name_, value_) \
	{ \
		.name = name_, .value = value_, .kind = CAIRN_FIELD_HEX \
	}
#define S(name_, text_) \
	{ \
		.name = name_, .text = text_, .len = sizeof(text_) - 1, .kind = CAIRN_FIELD_TEXT \
	}
#define PUT(type, ...) \
	do { \
		const struct cairn_field fields[] = {__VA_ARGS__}; \
		if (put(f, CAIRN_RST_##type, fields, sizeof fields / sizeof *fields) < 0) \
			return -1; \
	} while (0)

static int beginning(FILE *f)
{
	PUT(RSTHEADER, N("major", 2), N("minor", 13), S("percent", "%"),
	    S("magic", "RST Header v2.13"));
	PUT(TRACEINFO, N("rtype2", 2), N("level", 1), N("time", 1700000000));
	PUT(TRACEINFO, N("rtype2", 3), N("max_cpu_id", 1), N("total_num_cpus", 2), N("spec_minor", 1),
	    N("spec_sub_minor", 1), N("date_created", 1700000000), N("date_modified", 1700000000));
	PUT(STRCONT, S("text", "mmutype=spitfire iTLB=1"));
	PUT(STRDESC, S("text", ", dTLB=1"));
	PUT(STRDESC, S("text", "cputype=spitfire"));
	PUT(STRDESC, S("text", "nwins=8"));
	for (unsigned cpu = 0; cpu < 2; cpu++) {
		PUT(PREG, N("cpuid", cpu), N("pstate", 0x12), N("asi", 0x82), N("primA", 0x2a5),
		    N("primD", 0x2a5));
		PUT(TLB, N("cpuid", cpu), N("tlb", 0), N("tte_tag", 0x102a5),
		    N("tte_data", 0x8000000000410032));
		PUT(TLB, N("cpuid", cpu), N("op", 1), N("tlb", 1));
		PUT(PAVADIFF, N("cpuid", cpu), N("icontext", 0x2a5), N("pc_pa_va", 0x400000));
	}
	return 0;
}

/* A loop's end: branch, delay slot, and another CPU in between. */
static int loop(FILE *f)
{
	PUT(INSTR, N("cpuid", 0), N("pc_va", 0x10000), N("instr", 0x80a26001)); /* cmp %o1, 1 */
	PUT(INSTR, N("cpuid", 1), N("pc_va", 0x10100), N("instr", 0x01000000)); /* nop */
	PUT(INSTR, N("cpuid", 0), N("pc_va", 0x10004), N("instr", 0x12800007),  /* bne */
	    N("ea_valid", 1), N("ea_va", 0x10020), N("bt", 1));
	PUT(INSTR, N("cpuid", 0), N("pc_va", 0x10008), N("instr", 0x92026001)); /* add %o1, 1 */
	return 0;
}

/* A load whose page is not in the TLB, the handler, the load again with its value. */
static int miss(FILE *f)
{
	PUT(TRAP, N("cpuid", 0), N("ttype", 0x68), N("pstate", 0x12), N("pc", 0x10020),
	    N("npc", 0x10024));
	PUT(REGVAL, N("cpuid", 0), N("regtype0", 9), N("regid0", 0x30), N("value0", 0x202a5),
	    N("regtype1", 5));
	PUT(INSTR, N("cpuid", 0), N("pc_va", 0x10020), N("instr", 0xd25a2000), N("tr", 1), N("bt", 1));
	PUT(INSTR, N("cpuid", 1), N("pc_va", 0x10104), N("instr", 0x01000000));
	PUT(PAVADIFF, N("cpuid", 0), N("icontext", 0), N("pc_pa_va", 0x7000000000));
	PUT(INSTR, N("cpuid", 0), N("pc_va", 0x1000d00), N("instr", 0xf0f00b80), N("pr", 1));
	PUT(TLB, N("cpuid", 0), N("tlb", 1), N("tte_tag", 0x202a5), N("tte_data", 0x8000000000420032));
	PUT(PREG, N("cpuid", 0), N("traplevel", 1), N("traptype", 0x68), N("pstate", 0x12),
	    N("asi", 0x82), N("primA", 0x2a5), N("primD", 0x2a5));
	PUT(INSTR, N("cpuid", 0), N("pc_va", 0x1000d04), N("instr", 0x83f00000), N("pr", 1), N("bt", 1),
	    N("ea_valid", 1), N("ea_va", 0x10020));
	PUT(TRAPEXIT, N("cpuid", 0));
	PUT(PAVADIFF, N("cpuid", 0), N("icontext", 0x2a5), N("pc_pa_va", 0x400000), N("ea_valid", 1),
	    N("dcontext", 0x2a5), N("ea_pa_va", 0x400000));
	PUT(INSTR, N("cpuid", 0), N("pc_va", 0x10020), N("instr", 0xd25a2000), N("ea_valid", 1),
	    N("ea_va", 0x20008));
	PUT(REGVAL, N("cpuid", 0), N("post", 1), N("regtype0", 1), N("regid0", 9), N("value0", 42),
	    N("regtype1", 5));
	PUT(MEMVAL, N("cpuid", 0), N("is_va", 1), N("size", 8), N("addr", 0x20008), N("value", 42));
	return 0;
}

static int interrupt(FILE *f)
{
	PUT(DMA, N("iswrite", 1), N("nbytes", 512), N("start_pa", 0x800000));
	PUT(TRAP, N("cpuid", 1), N("async", 1), N("ttype", 0x4e), N("pstate", 0x12), N("pc", 0x10108),
	    N("npc", 0x1010c));
	PUT(PAVADIFF, N("cpuid", 1), N("icontext", 0), N("pc_pa_va", 0x7000000000));
	PUT(INSTR, N("cpuid", 1), N("pc_va", 0x10009c0), N("instr", 0x01000000), N("tr", 1),
	    N("pr", 1));
	return 0;
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: write_rst FILE\n");
		return 2;
	}
	FILE *f = fopen(argv[1], "wb");
	if (!f) {
		perror(argv[1]);
		return 2;
	}
	int rc = beginning(f) < 0 || loop(f) < 0 || miss(f) < 0 || interrupt(f) < 0;
	if (fclose(f) != 0)
		rc = 1;
	return rc ? 2 : 0;
}
