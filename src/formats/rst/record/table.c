/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record table: the rows of fields.h, the names of coded values, and what follows from
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

#define ROW_OF(name, way, names, kind, ...) {name, names, kind, __VA_ARGS__},
#define FIELD(layout, name, kind, place) \
	RST_APPLY(ROW_OF, #name, RST_KIND_##kind, RST_PLACE_##place)
#define FIELDS(name_, type_, since_, last_, select_) \
	static const struct rst_field f_##name_[] = { \
		RST_FIELDS_##name_(FIELD, name_){NULL, NULL, 0, 0, 0, 0, 0}};
RST_LAYOUTS_OF(FIELDS, FIELDS)

#define ROW(name_, type_, since_, last_, select_) \
	[RST_L_##name_] = {.name = #name_, \
	                   .type_name = #type_, \
	                   .fields = f_##name_, \
	                   .since = since_, \
	                   .last = last_, \
	                   .type = CAIRN_RST_##type_, \
	                   .select = RST_SELECT_##select_, \
	                   .id = RST_L_##name_},
static const struct rst_layout layouts[RST_N_LAYOUTS] = {RST_LAYOUTS_OF(ROW, ROW)};
#undef ROW

/* The first layout of each type, plus one. */
#define FIRST(name, type, since, last, select) [CAIRN_RST_##type] = RST_L_##name + 1,
#define NOT_FIRST(name, type, since, last, select)
static const uint8_t first_layout[] = {RST_LAYOUTS_OF(FIRST, NOT_FIRST)};

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
	unsigned rtype2 = rst_TRACEINFO_rtype2(p);
	switch (layout->select) {
	case RST_SELECT_LEVEL:
		return rtype2 == 2;
	case RST_SELECT_INFO_3_SHORT:
		return rtype2 == 3 && rst_INFO2_date_created(p) == 0 && rst_INFO2_date_modified(p) == 0;
	case RST_SELECT_INFO_3:
		return rtype2 == 3;
	case RST_SELECT_INFO_4:
		return rtype2 == 4;
	case RST_SELECT_BIT8_SET:
		return rst_MEMVAL64_is128(p); /* a RECNUM's is_recnum is the same bit */
	case RST_SELECT_CW_DMA:
		return rst_is_dma(rst_RFS_CW_reftype(p));
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

/* Types whose records name a CPU, and the layouts that say where since 2.12 and before. */
#define TABLE_CPUS(C) \
	C(INSTR, INSTR, INSTR_2_11) \
	C(TLB, TLB, TLB_2_11) \
	C(TRAP, TRAP, TRAP_2_11) \
	C(TRAPEXIT, TRAPEXIT, TRAPEXIT_2_11) \
	C(REGVAL, REGVAL, REGVAL_2_11) \
	C(PREG, PREG, PREG_2_11) \
	C(PHYSADDR, PHYSADDR, PHYSADDR_2_11) \
	C(PAVADIFF, PAVADIFF, PAVADIFF_2_11) \
	C(RECNUM, RECNUM, RECNUM_2_11) \
	C(MEMVAL, MEMVAL64, MEMVAL64_2_11) \
	C(TSB_ACCESS, TSB_ACCESS, TSB_ACCESS_2_08) \
	C(RFS_CW, RFS_CW, RFS_CW_DMA) \
	C(RFS_BT, RFS_BT, RFS_BT) \
	C(TRAPPING_INSTR, TRAPPING_INSTR, TRAPPING_INSTR)

int rst_cpu_of(const uint8_t *p, bool wide)
{
#define TABLE_CPU(type, now, before) \
	case CAIRN_RST_##type: \
		return wide ? rst_##now##_cpuid(p) : rst_##before##_cpuid(p);
	switch (p[0]) {
		TABLE_CPUS(TABLE_CPU)
	case CAIRN_RST_CPU:
		return rst_CPU_cpu(p) < RST_MAX_CPUS ? rst_CPU_cpu(p) : -1;
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
