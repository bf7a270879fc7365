/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record table: field lists, the names of coded values, and what follows from
 * them: taking a record apart, putting it together, its reserved bits, its CPU.
 *
 * Nothing here keeps state; the layout of a record follows from its bytes and the
 * header's version alone. Every bit belongs to the type byte, to exactly one field
 * or to the reserved ones, so fields and reserved words together are the record.
 *
 * Facts: rstf.h 2.13 (OpenSPARC) as told by its users. What a header older than
 * 2.12 has in place of the upper bits of a CPU number is not known well enough to
 * be named, except in INSTR: it counts as reserved.
 */
#include "formats/rst/record/table.h"

#include <string.h>

const struct rst_name rst_add_demap[] = {{0, "add"}, {1, "demap"}, {0, NULL}};
const struct rst_name rst_tlb_types[] = {{0, "I"}, {1, "D"}, {0, NULL}};
const struct rst_name rst_reg_types[] = {{1, "INT"},    {2, "FLOAT"}, {3, "PRIV"}, {4, "OTHER"},
                                         {5, "UNUSED"}, {6, "CC"},    {7, "FCC"},  {8, "WININT"},
                                         {9, "MMU"},    {0, NULL}};
const struct rst_name rst_delims[] = {{257, "STRING"}, {258, "REGDUMP"}, {0, NULL}};
const struct rst_name rst_analyzers[] = {{3, "ALL"},      {4, "CACHESIM"}, {5, "MPCACHESIM"},
                                         {8, "CYCLESIM"}, {9, "HONEY"},    {10, "BB"},
                                         {11, "AZTECS"},  {12, "MAYAS"},   {0, NULL}};
const struct rst_name rst_statuses[] = {{2, "EOF"}, {3, "ERROR"}, {4, "ANALYZER_CMD"}, {0, NULL}};
const struct rst_name rst_commands[] = {{3, "RESET"}, {4, "DUMP_COUNTERS"}, {0, NULL}};
const struct rst_name rst_categories[] = {{2, "TRACE_SOURCE"},
                                          {6, "SIMULATED_HW"},
                                          {7, "HOST_HW"},
                                          {0, NULL}};
const struct rst_name rst_bus_types[] = {
	{0, "BAD"},    {1, "RTSA"},  {2, "RTO"},  {3, "RTD"},       {4, "CGSS"}, {5, "NCR"},
	{6, "NCBR"},   {7, "NCBW"},  {8, "WB"},   {9, "WI"},        {10, "INV"}, {11, "CB"},
	{12, "CBI"},   {13, "CBD"},  {14, "NCW"}, {15, "INT"},      {16, "RTS"}, {17, "IDLE"},
	{18, "ADMIN"}, {19, "RTSF"}, {20, "RS"},  {24, "RSTADMIN"}, {0, NULL}};
const struct rst_name rst_snoop_types[] = {{1, "RTO"}, {2, "RTS"}, {0, NULL}};
const struct rst_name rst_ref_types[] = {{1, "I"},    {2, "R"},     {3, "W"},     {4, "PF_D"},
                                         {5, "PF_I"}, {6, "DMA_R"}, {7, "DMA_W"}, {0, NULL}};
const struct rst_name rst_info_types[] = {{2, "NLEVEL"}, {0, NULL}};
const struct rst_name rst_section_types[] = {{31, "RFS_CW"},
                                             {32, "RFS_BT"},
                                             {33, "RFS_RST"},
                                             {0, NULL}};
const struct rst_name rst_device_types[] = {{1, "CPU"}, {0, NULL}};

/* The tables are to be read in columns. */
/* clang-format off */

/* A field of whole bytes, of a run of bits of one byte (h..l), or of two runs. */
#define WHOLE(byte, bytes) (byte) * 8, (bytes) * 8, 0, 0
#define BITS(byte, h, l) (byte) * 8 + 7 - (h), (h) - (l) + 1, 0, 0
#define RUN(byte, h, bits) (byte) * 8 + 7 - (h), (bits), 0, 0
#define HEX(name, place) {name, NULL, RST_F_HEX, place}
#define DEC(name, place) {name, NULL, RST_F_DEC, place}
#define NAME(name, names, place) {name, names, RST_F_NAME, place}
#define FLAG(name, byte, b) {name, NULL, RST_F_DEC, BITS(byte, b, b)}
#define TEXT(name, byte, n) {name, NULL, RST_F_TEXT, (byte) * 8, (n) * 8, 0, 0}
#define BYTES(name, byte, n) {name, NULL, RST_F_BYTES, (byte) * 8, (n) * 8, 0, 0}
/* A CPU number: its upper bits, then its lower. */
#define CPUID(byte, h, bits, low_byte, low_h, low_bits) \
	{"cpuid", NULL, RST_F_DEC, (byte) * 8 + 7 - (h), (bits), \
	 (low_byte) * 8 + 7 - (low_h), (low_bits)}
#define CPUID_ONE(byte, h, bits) {"cpuid", NULL, RST_F_DEC, RUN(byte, h, bits)}
#define END {NULL, NULL, 0, 0, 0, 0, 0}
#define FIELDS(layout) static const struct rst_field f_##layout[]

FIELDS(RSTHEADER) = {DEC("major", WHOLE(1, 1)), DEC("minor", WHOLE(2, 1)), TEXT("percent", 3, 1),
	TEXT("magic", 4, 20), END};

#define INSTR_REST HEX("pc_va", WHOLE(8, 8)), HEX("instr", WHOLE(4, 4)), \
	FLAG("ea_valid", 1, 6), HEX("ea_va", WHOLE(16, 8)), FLAG("tr", 1, 5)
#define INSTR_FLAGS FLAG("pr", 1, 3), FLAG("bt", 1, 2), FLAG("an", 1, 1)
FIELDS(INSTR) = {CPUID(2, 1, 4, 2, 7, 6), INSTR_REST, FLAG("hpriv", 1, 4), INSTR_FLAGS, END};
FIELDS(INSTR_2_11) = {CPUID_ONE(2, 7, 6), INSTR_REST, INSTR_FLAGS, HEX("ihash", RUN(2, 1, 10)),
	END};
FIELDS(INSTR_1_09) = {INSTR_REST, INSTR_FLAGS, HEX("ihash", RUN(2, 1, 10)), END};

FIELDS(NLEVEL) = {NAME("rtype2", rst_info_types, WHOLE(1, 1)), DEC("level", WHOLE(2, 2)),
	DEC("val32", WHOLE(4, 4)), DEC("time", WHOLE(8, 8)), END};
FIELDS(CPUINFO) = {DEC("rtype2", WHOLE(1, 1)), DEC("numcpus", WHOLE(2, 2)),
	DEC("min_cpuid", WHOLE(4, 2)), DEC("max_cpuid", WHOLE(6, 2)), END};
FIELDS(INFO2) = {DEC("rtype2", WHOLE(1, 1)), DEC("max_cpu_id", WHOLE(2, 1)),
	DEC("total_num_cpus", WHOLE(3, 1)), DEC("spec_major", WHOLE(4, 1)),
	DEC("spec_minor", WHOLE(5, 1)), DEC("spec_sub_minor", WHOLE(6, 1)),
	DEC("date_created", WHOLE(8, 8)), DEC("date_modified", WHOLE(16, 8)), END};
FIELDS(CPUIDINFO) = {DEC("rtype2", WHOLE(1, 1)), DEC("cpuid0", WHOLE(4, 2)),
	DEC("cpuid1", WHOLE(6, 2)), DEC("cpuid2", WHOLE(8, 2)), DEC("cpuid3", WHOLE(10, 2)),
	DEC("cpuid4", WHOLE(12, 2)), DEC("cpuid5", WHOLE(14, 2)), DEC("cpuid6", WHOLE(16, 2)),
	DEC("cpuid7", WHOLE(18, 2)), DEC("cpuid8", WHOLE(20, 2)), DEC("cpuid9", WHOLE(22, 2)), END};
FIELDS(TRACEINFO) = {DEC("rtype2", WHOLE(1, 1)), BYTES("data", 2, 22), END};
FIELDS(ASI) = {BYTES("data", 1, 23), END};

#define TLB_REST NAME("op", rst_add_demap, BITS(1, 7, 7)), NAME("tlb", rst_tlb_types, BITS(1, 6, 6)), \
	DEC("tlb_no", BITS(4, 7, 6)), DEC("tlb_index", WHOLE(2, 2)), HEX("tte_tag", WHOLE(8, 8)), \
	HEX("tte_data", WHOLE(16, 8))
FIELDS(TLB) = {CPUID(5, 7, 4, 4, 5, 6), TLB_REST, END};
FIELDS(TLB_2_11) = {CPUID_ONE(4, 5, 6), TLB_REST, END};

FIELDS(THREAD) = {DEC("icontext", WHOLE(2, 2)), HEX("tid", WHOLE(8, 8)), END};

#define TRAP_REST FLAG("async", 1, 7), DEC("tl", BITS(1, 3, 0)), HEX("ttype", RUN(2, 1, 10)), \
	HEX("pstate", WHOLE(4, 2)), DEC("syscall", RUN(6, 3, 12)), HEX("pc", WHOLE(8, 8)), \
	HEX("npc", WHOLE(16, 8))
FIELDS(TRAP) = {CPUID(6, 7, 4, 2, 7, 6), TRAP_REST, END};
FIELDS(TRAP_2_11) = {CPUID_ONE(2, 7, 6), TRAP_REST, END};
FIELDS(TRAP_1_09) = {TRAP_REST, END};

#define TRAPEXIT_REST DEC("tl", WHOLE(1, 1)), HEX("tstate", WHOLE(4, 4))
FIELDS(TRAPEXIT) = {CPUID(2, 1, 4, 2, 7, 6), TRAPEXIT_REST, END};
FIELDS(TRAPEXIT_2_11) = {CPUID_ONE(2, 7, 6), TRAPEXIT_REST, END};
FIELDS(TRAPEXIT_2_05) = {CPUID_ONE(2, 7, 6), TRAPEXIT_REST, HEX("pc", WHOLE(8, 8)),
	HEX("npc", WHOLE(16, 8)), END};

#define REGVAL_REST FLAG("post", 1, 7), NAME("regtype0", rst_reg_types, WHOLE(2, 1)), \
	DEC("regid0", WHOLE(4, 1)), HEX("value0", WHOLE(8, 8)), \
	NAME("regtype1", rst_reg_types, WHOLE(3, 1)), DEC("regid1", WHOLE(5, 1)), \
	HEX("value1", WHOLE(16, 8))
FIELDS(REGVAL) = {CPUID(6, 7, 3, 1, 6, 7), REGVAL_REST, END};
FIELDS(REGVAL_2_11) = {CPUID_ONE(1, 6, 7), REGVAL_REST, END};

FIELDS(CPU) = {DEC("cpu", WHOLE(6, 2)), DEC("timestamp", WHOLE(16, 8)), END};
FIELDS(PROCESS) = {DEC("oldpid", WHOLE(8, 4)), DEC("newpid", WHOLE(12, 4)),
	DEC("oldctx", WHOLE(16, 4)), DEC("newctx", WHOLE(20, 4)), END};
FIELDS(DMA) = {FLAG("iswrite", 1, 0), DEC("nbytes", WHOLE(4, 4)), HEX("start_pa", WHOLE(8, 8)),
	END};
FIELDS(STRDESC) = {TEXT("text", 1, 23), END};
FIELDS(STRCONT) = {TEXT("text", 1, 23), END};

#define DELIM DEC("id", WHOLE(1, 1)), NAME("what", rst_delims, WHOLE(2, 2)), \
	DEC("length", WHOLE(4, 4)), END
FIELDS(LEFTDELIM) = {DELIM};
FIELDS(RIGHTDELIM) = {DELIM};

#define PREG_REST DEC("traplevel", WHOLE(4, 1)), HEX("traptype", WHOLE(5, 1)), \
	HEX("pstate", WHOLE(6, 2)), HEX("asi", WHOLE(1, 1)), HEX("primA", WHOLE(16, 2)), \
	HEX("secA", WHOLE(18, 2)), HEX("primD", WHOLE(20, 2)), HEX("secD", WHOLE(22, 2))
FIELDS(PREG) = {CPUID(9, 7, 2, 8, 7, 8), PREG_REST, END};
FIELDS(PREG_2_11) = {CPUID_ONE(8, 7, 8), PREG_REST, END};
FIELDS(CONTEXT) = {CPUID_ONE(8, 7, 8), PREG_REST, HEX("lastcontext", WHOLE(2, 2)), END};

FIELDS(PHYSADDR) = {CPUID(2, 7, 3, 1, 6, 7), HEX("pc_pa", WHOLE(8, 8)), FLAG("ea_valid", 1, 7),
	HEX("ea_pa", WHOLE(16, 8)), END};
FIELDS(PHYSADDR_2_11) = {CPUID_ONE(1, 6, 7), HEX("pc_pa", WHOLE(8, 8)), FLAG("ea_valid", 1, 7),
	HEX("ea_pa", WHOLE(16, 8)), END};
#define PAVADIFF_REST HEX("icontext", WHOLE(4, 2)), HEX("pc_pa_va", WHOLE(8, 8)), \
	FLAG("ea_valid", 1, 7), HEX("dcontext", WHOLE(6, 2)), HEX("ea_pa_va", WHOLE(16, 8))
FIELDS(PAVADIFF) = {CPUID(2, 7, 3, 1, 6, 7), PAVADIFF_REST, END};
FIELDS(PAVADIFF_2_11) = {CPUID_ONE(1, 6, 7), PAVADIFF_REST, END};

FIELDS(NULLREC) = {END};

#define COUNTS DEC("level", BITS(1, 6, 0)), DEC("rectype", WHOLE(2, 1)), \
	DEC("incount", WHOLE(8, 8)), DEC("outcount", WHOLE(16, 8))
FIELDS(RECNUM) = {CPUID(4, 7, 2, 3, 7, 8), FLAG("is_recnum", 1, 7), COUNTS, END};
FIELDS(FILEMARKER) = {CPUID(4, 7, 2, 3, 7, 8), FLAG("is_recnum", 1, 7), COUNTS, END};
FIELDS(RECNUM_2_11) = {CPUID_ONE(3, 7, 8), FLAG("is_recnum", 1, 7), COUNTS, END};
FIELDS(FILEMARKER_2_11) = {CPUID_ONE(3, 7, 8), FLAG("is_recnum", 1, 7), COUNTS, END};

FIELDS(STATUS) = {NAME("status", rst_statuses, WHOLE(1, 1)), NAME("analyzer", rst_analyzers, WHOLE(2, 1)),
	NAME("command", rst_commands, WHOLE(3, 1)), END};
FIELDS(STATUS_2_04) = {NAME("status", rst_statuses, WHOLE(1, 1)), END};
FIELDS(PATCH) = {FLAG("begin", 1, 0), DEC("rewindrecs", WHOLE(2, 1)), DEC("id", WHOLE(3, 1)),
	DEC("length", WHOLE(4, 2)), TEXT("descr", 8, 16), END};
FIELDS(HWINFO) = {FLAG("sim", 1, 7), NAME("category", rst_categories, WHOLE(2, 1)),
	DEC("infotype", WHOLE(3, 1)), DEC("index", WHOLE(4, 2)), DEC("nument", WHOLE(6, 2)),
	DEC("val", WHOLE(8, 8)), DEC("val2", WHOLE(16, 8)), END};

#define MEMVAL64_REST FLAG("is128", 1, 7), FLAG("is_va", 1, 6), DEC("size", BITS(3, 3, 0)), \
	HEX("addr", WHOLE(8, 8)), HEX("value", WHOLE(16, 8))
#define MEMVAL128_REST FLAG("is128", 1, 7), FLAG("is_va", 1, 6), FLAG("is_cont", 1, 5), \
	{"addr", NULL, RST_F_ADDR44, WHOLE(3, 5)}, HEX("value0", WHOLE(8, 8)), \
	HEX("value1", WHOLE(16, 8))
FIELDS(MEMVAL64) = {CPUID(1, 1, 2, 2, 7, 8), MEMVAL64_REST, END};
FIELDS(MEMVAL128) = {CPUID(1, 1, 2, 2, 7, 8), MEMVAL128_REST, END};
FIELDS(MEMVAL64_2_11) = {CPUID_ONE(2, 7, 8), MEMVAL64_REST, END};
FIELDS(MEMVAL128_2_11) = {CPUID_ONE(2, 7, 8), MEMVAL128_REST, END};

#define BUS_HEAD NAME("txtype", rst_bus_types, RUN(2, 7, 6)), DEC("agentid", RUN(2, 1, 10)), \
	DEC("bt_type", BITS(1, 3, 0)), FLAG("dirtyvictim", 1, 7), FLAG("shared", 1, 6), \
	FLAG("owned", 1, 5), FLAG("memcancel", 1, 4)
#define BUS_TAIL FLAG("ns_scale", 4, 6), DEC("timestamp", RUN(4, 5, 20)), \
	HEX("impl", WHOLE(8, 8)), HEX("pa", WHOLE(16, 8))
FIELDS(BUSTRACE) = {BUS_HEAD, FLAG("tdiff", 4, 7), BUS_TAIL, END};
FIELDS(BUSTRACE_2_04) = {BUS_HEAD, BUS_TAIL, END};

FIELDS(SNOOP) = {NAME("snoop", rst_snoop_types, WHOLE(1, 1)), DEC("device_id", WHOLE(2, 2)),
	DEC("size", WHOLE(4, 4)), HEX("pa", WHOLE(8, 8)),
	NAME("device_type", rst_device_types, WHOLE(16, 2)), END};
FIELDS(TSB_ACCESS) = {CPUID_ONE(2, 1, 10), FLAG("isdata", 1, 0), HEX("pa", WHOLE(8, 8)),
	HEX("va", WHOLE(16, 8)), END};
FIELDS(TSB_ACCESS_2_08) = {CPUID_ONE(2, 1, 10), HEX("pa", WHOLE(8, 8)), HEX("va", WHOLE(16, 8)),
	END};

FIELDS(RFS_SECTION_HEADER) = {NAME("section_type", rst_section_types, WHOLE(1, 1)),
	DEC("n_records", WHOLE(8, 8)), END};
FIELDS(RFS_CW_DMA) = {CPUID_ONE(1, 7, 10), NAME("reftype", rst_ref_types, BITS(2, 5, 0)),
	DEC("size", WHOLE(4, 4)), HEX("va", WHOLE(8, 8)), HEX("pa", WHOLE(16, 8)), END};
FIELDS(RFS_CW) = {CPUID_ONE(1, 7, 10), NAME("reftype", rst_ref_types, BITS(2, 5, 0)),
	HEX("asi", WHOLE(4, 1)), DEC("fcn", BITS(5, 6, 2)), FLAG("va_valid", 5, 7),
	HEX("va", WHOLE(8, 8)), HEX("pa", WHOLE(16, 8)), END};
FIELDS(RFS_BT) = {CPUID_ONE(1, 7, 10), FLAG("taken", 2, 5), HEX("instr", WHOLE(4, 4)),
	HEX("pc", WHOLE(8, 8)), HEX("npc", WHOLE(16, 8)), END};
FIELDS(RFS_RST) = {BYTES("data", 1, 23), END};
FIELDS(TRAPPING_INSTR) = {CPUID_ONE(2, 7, 10), HEX("pc_va", WHOLE(8, 8)),
	HEX("instr", WHOLE(4, 4)), FLAG("ea_va_valid", 1, 4), FLAG("ea_pa_valid", 1, 3),
	HEX("ea", WHOLE(16, 8)), FLAG("hpriv", 1, 7), FLAG("priv", 1, 6), FLAG("iftrap", 1, 5),
	END};
/* clang-format on */

#define ROW(name_, type_, since_, last_, select_) \
	[RST_L_##name_] = {.name = #name_, \
	                   .type_name = #type_, \
	                   .fields = f_##name_, \
	                   .since = since_, \
	                   .last = last_, \
	                   .type = CAIRN_RST_##type_, \
	                   .select = RST_SELECT_##select_, \
	                   .id = RST_L_##name_},
static const struct rst_layout layouts[RST_N_LAYOUTS] = {RST_LAYOUTS_OF(ROW)};
#undef ROW

/* The first layout of each type, plus one. */
#define FIRST(type, layout) [CAIRN_RST_##type] = RST_L_##layout + 1
static const uint8_t first_layout[] = {FIRST(RSTHEADER, RSTHEADER),
                                       FIRST(INSTR, INSTR),
                                       FIRST(TRACEINFO, NLEVEL),
                                       FIRST(TLB, TLB),
                                       FIRST(THREAD, THREAD),
                                       FIRST(TRAP, TRAP),
                                       FIRST(TRAPEXIT, TRAPEXIT),
                                       FIRST(REGVAL, REGVAL),
                                       FIRST(CPU, CPU),
                                       FIRST(PROCESS, PROCESS),
                                       FIRST(DMA, DMA),
                                       FIRST(STRDESC, STRDESC),
                                       FIRST(LEFTDELIM, LEFTDELIM),
                                       FIRST(RIGHTDELIM, RIGHTDELIM),
                                       FIRST(PREG, PREG),
                                       FIRST(PHYSADDR, PHYSADDR),
                                       FIRST(PAVADIFF, PAVADIFF),
                                       FIRST(NULLREC, NULLREC),
                                       FIRST(STRCONT, STRCONT),
                                       FIRST(RECNUM, RECNUM),
                                       FIRST(STATUS, STATUS),
                                       FIRST(PATCH, PATCH),
                                       FIRST(HWINFO, HWINFO),
                                       FIRST(MEMVAL, MEMVAL128),
                                       FIRST(BUSTRACE, BUSTRACE),
                                       FIRST(SNOOP, SNOOP),
                                       FIRST(TSB_ACCESS, TSB_ACCESS),
                                       FIRST(RFS_SECTION_HEADER, RFS_SECTION_HEADER),
                                       FIRST(RFS_CW, RFS_CW_DMA),
                                       FIRST(RFS_BT, RFS_BT),
                                       FIRST(RFS_RST, RFS_RST),
                                       FIRST(TRAPPING_INSTR, TRAPPING_INSTR)};

static const struct rst_layout *table_first_of(unsigned type)
{
	unsigned i = type < sizeof first_layout ? first_layout[type] : 0;
	return i ? &layouts[i - 1] : NULL;
}

const char *cairn_rst_type_name(unsigned type)
{
	const struct rst_layout *layout = table_first_of(type);
	return layout ? layout->type_name : NULL;
}

const struct rst_layout *rst_layout_by_id(enum rst_layout_id id)
{
	return id < RST_N_LAYOUTS ? &layouts[id] : NULL;
}

unsigned rst_type_since(unsigned type)
{
	unsigned since = RST_FOREVER;
	for (const struct rst_layout *layout = table_first_of(type);
	     layout && layout < layouts + RST_N_LAYOUTS && layout->type == type; layout++)
		since = layout->since < since ? layout->since : since;
	return since;
}

const char *rst_name(const struct rst_name *names, uint64_t value)
{
	for (; names->name; names++)
		if (names->value == value)
			return names->name;
	return NULL;
}

static bool selected(const struct rst_layout *layout, const uint8_t *p)
{
	unsigned reftype = p[2] & 63;
	switch (layout->select) {
	case RST_SELECT_LEVEL:
		return p[1] == 2;
	case RST_SELECT_INFO_3_SHORT:
		return p[1] == 3 && base_be64(p + 8) == 0 && base_be64(p + 16) == 0;
	case RST_SELECT_INFO_3:
		return p[1] == 3;
	case RST_SELECT_INFO_4:
		return p[1] == 4;
	case RST_SELECT_BIT8_SET:
		return p[1] >> 7;
	case RST_SELECT_CW_DMA:
		return reftype == 6 || reftype == 7;
	default:
		return true;
	}
}

const struct rst_layout *rst_layout_of(const uint8_t *p, unsigned version)
{
	const struct rst_layout *layout = table_first_of(p[0]), *oldest = NULL;
	if (version == 0)
		version = RST_NEWEST;
	for (; layout && layout < layouts + RST_N_LAYOUTS && layout->type == p[0]; layout++) {
		if (!selected(layout, p))
			continue;
		if (version >= layout->since && version <= layout->last)
			return layout;
		if (!oldest || layout->since < oldest->since)
			oldest = layout;
	}
	return oldest;
}

const struct rst_field *rst_layout_cpu(const struct rst_layout *layout)
{
	const struct rst_field *field = layout->fields;
	return field->name && !strcmp(field->name, "cpuid") ? field : NULL;
}

const struct rst_field *rst_field_named(const struct rst_layout *layout, const char *name)
{
	for (const struct rst_field *field = layout->fields; field->name; field++)
		if (!strcmp(field->name, name))
			return field;
	return NULL;
}

static void clear_bits(uint64_t mask[3], unsigned bit, unsigned n)
{
	for (; n; n--, bit++)
		mask[bit / 64] &= ~((uint64_t)1 << (63 - bit % 64));
}

void rst_reserved_mask(const struct rst_layout *layout, uint64_t mask[3])
{
	mask[0] = UINT64_MAX >> 8; /* the type */
	mask[1] = mask[2] = UINT64_MAX;
	for (const struct rst_field *field = layout->fields; field->name; field++) {
		clear_bits(mask, field->bit, field->bits);
		clear_bits(mask, field->bit2, field->bits2);
	}
}

int rst_cpu_of(const uint8_t *p, bool wide)
{
	unsigned v = wide;
	switch (p[0]) {
	case CAIRN_RST_INSTR:
		return (int)rst_instr_cpu(p, wide);
	case CAIRN_RST_TRAP:
		return (int)(p[2] >> 2 | v * (p[6] >> 4u) << 6);
	case CAIRN_RST_TRAPEXIT:
		return (int)(p[2] >> 2 | v * (base_be16(p + 2) >> 6 & 15u) << 6);
	case CAIRN_RST_TLB:
		return (int)((p[4] & 63u) | v * (p[5] >> 4u) << 6);
	case CAIRN_RST_REGVAL:
		return (int)((p[1] & 127u) | v * (p[6] >> 5u) << 7);
	case CAIRN_RST_PHYSADDR:
	case CAIRN_RST_PAVADIFF:
		return (int)((p[1] & 127u) | v * (p[2] >> 5u) << 7);
	case CAIRN_RST_PREG:
		return (int)(p[8] | v * (p[9] >> 6u) << 8);
	case CAIRN_RST_RECNUM:
		return (int)(p[3] | v * (p[4] >> 6u) << 8);
	case CAIRN_RST_MEMVAL:
		return (int)(p[2] | v * (p[1] & 3u) << 8);
	case CAIRN_RST_TSB_ACCESS:
		return base_be16(p + 2) & 0x3ff;
	case CAIRN_RST_RFS_CW:
	case CAIRN_RST_RFS_BT:
		return base_be16(p + 1) >> 6;
	case CAIRN_RST_TRAPPING_INSTR:
		return base_be16(p + 2) >> 6;
	case CAIRN_RST_CPU:
		return base_be16(p + 6) < RST_MAX_CPUS ? base_be16(p + 6) : -1;
	default:
		return -1;
	}
}

/* ---- taking apart ---- */

static const char *const reserved_names[] = {"reserved0", "reserved8", "reserved16"};

/* Text ends at its first NUL; what else the field holds must not be lost. */
static int table_add_text(const uint8_t *p, const struct rst_field *field, struct cairn_field *out)
{
	const char *text = (const char *)p + field->bit / 8;
	uint32_t size = field->bits / 8u, len = (uint32_t)strnlen(text, size), at = len;
	out[0] = (struct cairn_field){.name = field->name,
	                              .text = text,
	                              .len = len,
	                              .kind = CAIRN_FIELD_TEXT,
	                              .width = (uint8_t)size};
	while (at < size && text[at] == 0)
		at++;
	if (at == size)
		return 1;
	out[1] = (struct cairn_field){.name = "tail",
	                              .text = text + len,
	                              .len = size - len,
	                              .kind = CAIRN_FIELD_BYTES};
	return 2;
}

static int add_field(const uint8_t *p, const struct rst_field *field, struct cairn_field *out)
{
	if (field->kind == RST_F_TEXT)
		return table_add_text(p, field, out);
	*out = (struct cairn_field){.name = field->name,
	                            .width = (uint8_t)((field->bits + field->bits2 + 7) / 8)};
	if (field->kind == RST_F_BYTES) {
		out->kind = CAIRN_FIELD_BYTES;
		out->text = (const char *)p + field->bit / 8;
		out->len = field->bits / 8u;
		return 1;
	}
	out->value = rst_get(p, field);
	out->kind = field->kind == RST_F_DEC ? CAIRN_FIELD_DEC : CAIRN_FIELD_HEX;
	if (field->kind == RST_F_ADDR44)
		out->width = 8;
	if (field->kind == RST_F_NAME) {
		out->text = rst_name(field->names, out->value);
		out->kind = out->text ? CAIRN_FIELD_NAME : CAIRN_FIELD_DEC;
	}
	return 1;
}

int rst_fields_of(const struct rst_layout *layout, const uint8_t *p, struct cairn_field *fields)
{
	int n = 0;
	uint64_t mask[3];
	for (const struct rst_field *field = layout->fields; field->name; field++)
		n += add_field(p, field, fields + n);
	rst_reserved_mask(layout, mask);
	for (unsigned i = 0; i < 3; i++) {
		uint64_t v = base_be64(p + 8 * i) & mask[i];
		if (v)
			fields[n++] = (struct cairn_field){.name = reserved_names[i],
			                                   .value = v,
			                                   .kind = CAIRN_FIELD_HEX,
			                                   .width = 8};
	}
	return n;
}

static unsigned table_version_of(const struct cairn_rst_config *cfg)
{
	return (unsigned)RST_VERSION(cfg->version_major & 255, cfg->version_minor & 255);
}

int cairn_rst_fields(const struct cairn_rst_config *cfg, const uint8_t *rec,
                     struct cairn_field *fields)
{
	const struct rst_layout *layout = rst_layout_of(rec, table_version_of(cfg));
	return layout ? rst_fields_of(layout, rec, fields) : CAIRN_E_DAMAGED;
}

/* ---- putting together ---- */

static void put_bits(uint8_t *p, unsigned bit, unsigned n, uint64_t value)
{
	while (n) {
		unsigned here = 8 - bit % 8, take = n < here ? n : here;
		unsigned shift = here - take;
		uint8_t mask = (uint8_t)(((1u << take) - 1) << shift);
		uint8_t part = (uint8_t)(value >> (n - take) << shift);
		p[bit / 8] = (uint8_t)((p[bit / 8] & ~mask) | (part & mask));
		bit += take;
		n -= take;
	}
}

void rst_put(uint8_t *p, const struct rst_field *field, uint64_t value)
{
	if (field->kind == RST_F_ADDR44)
		value >>= 4;
	put_bits(p, field->bit, field->bits, field->bits2 ? value >> field->bits2 : value);
	put_bits(p, field->bit2, field->bits2, value);
}

/* Does the field hold exactly this value? */
static bool table_put_number(uint8_t *p, const struct rst_field *field, uint64_t value)
{
	rst_put(p, field, value);
	return rst_get(p, field) == value;
}

static bool table_put_value(uint8_t *p, const struct rst_field *field, const struct cairn_field *in)
{
	if (field->kind == RST_F_TEXT || field->kind == RST_F_BYTES) {
		bool fits = in->kind >= CAIRN_FIELD_TEXT && in->len <= field->bits / 8u;
		if (fits && in->len)
			memcpy(p + field->bit / 8, in->text, in->len);
		return fits;
	}
	return in->kind < CAIRN_FIELD_TEXT && table_put_number(p, field, in->value);
}

/* The bytes behind a text's end. */
static bool put_tail(uint8_t *p, const struct rst_layout *layout, const struct cairn_field *in)
{
	for (const struct rst_field *field = layout->fields; field->name; field++) {
		unsigned size = field->bits / 8u;
		if (field->kind != RST_F_TEXT || size == 1 || in->len > size)
			continue;
		memcpy(p + field->bit / 8 + size - in->len, in->text, in->len);
		return true;
	}
	return false;
}

static bool put_one(uint8_t *p, const struct rst_layout *layout, const struct cairn_field *in)
{
	const struct rst_field *field = rst_field_named(layout, in->name);
	uint64_t mask[3];
	if (field)
		return table_put_value(p, field, in);
	if (!strcmp(in->name, "tail"))
		return put_tail(p, layout, in);
	for (unsigned i = 0; i < 3; i++) {
		if (strcmp(in->name, reserved_names[i]) != 0)
			continue;
		rst_reserved_mask(layout, mask);
		for (unsigned k = 0; k < 8; k++)
			p[8 * i + k] = (uint8_t)(p[8 * i + k] | in->value >> (56 - 8 * k));
		return !(in->value & ~mask[i]);
	}
	return false;
}

int cairn_rst_encode(const struct cairn_rst_config *cfg, unsigned type,
                     const struct cairn_field *fields, unsigned n, uint8_t *rec)
{
	unsigned version = table_version_of(cfg);
	for (const struct rst_layout *layout = table_first_of(type);
	     layout && layout < layouts + RST_N_LAYOUTS && layout->type == type; layout++) {
		uint8_t p[CAIRN_RST_SIZE] = {(uint8_t)type};
		bool good = true;
		for (unsigned i = 0; i < n && good; i++)
			good = put_one(p, layout, &fields[i]);
		if (good && rst_layout_of(p, version) == layout) {
			memcpy(rec, p, sizeof p);
			return 0;
		}
	}
	return CAIRN_E_INVAL;
}
