/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record table: field lists, the names of coded values, the length of a
 * record and taking one apart.
 *
 * Nothing here keeps state: what a record's length depends on beyond its own
 * bytes (vector length, width of event ids, protocol) is in the configuration
 * the header gave. Both the length and the fields are derived from the same
 * descriptions, so a record that can be measured can be printed.
 */
#include "formats/stf/record/table.h"

#include <stdio.h>

#include "base/bytes.h"
#include "isa/isa.h"

const struct stf_name stf_generators[] = {
	{0, "RESERVED"},       {1, "QEMU"},        {2, "Android Emulator"},
	{3, "GEM5"},           {4, "PTE_GEN"},     {5, "Imperas"},
	{6, "Spike"},          {7, "stf_extract"}, {8, "stf_merge"},
	{9, "stf_filter_evt"}, {10, "Athena"},     {11, "stf_morph"},
	{12, "Dromajo"},       {13, "Pegasus"},    {14, "stf_transaction_extract"},
	{0x40, "cairn"},       {0, NULL}};
const struct stf_name stf_isas[] = {{0, "RESERVED"}, {1, "RISCV"},      {2, "ARM"}, {3, "X86"},
                                    {4, "POWER"},    {0xca10, "SPARC"}, {0, NULL}};
const struct stf_name stf_iems[] = {
	{0, "RESERVED"}, {1, "RV32"}, {2, "RV64"},   {8, "A64"},
	{9, "A32"},      {10, "T32"}, {16, "SPARC"}, {0xffff, "RESERVED_END"},
	{0, NULL}};
const struct stf_name stf_features[] = {{0, "PHYSICAL_ADDRESS"},
                                        {1, "DATA_ATTRIBUTE"},
                                        {2, "OPERAND_VALUE"},
                                        {3, "EVENT"},
                                        {4, "SYSTEMCALL_VALUE"},
                                        {5, "RV64"},
                                        {6, "INT_DIV_OPERAND_VALUE"},
                                        {7, "SAMPLING"},
                                        {8, "PTE"},
                                        {9, "SIMPOINT"},
                                        {10, "PROCESS_ID"},
                                        {11, "PTE_ONLY"},
                                        {12, "NEED_POST_PROCESS"},
                                        {13, "REG_STATE"},
                                        {14, "MICROOP"},
                                        {15, "MULTI_THREAD"},
                                        {16, "MULTI_CORE"},
                                        {17, "PTE_HW_AD"},
                                        {18, "VEC"},
                                        {19, "EVENT64"},
                                        {20, "TRANSACTIONS"},
                                        {0, NULL}};
const struct stf_name stf_protocols[] = {{0, "RESERVED"}, {1, "TILELINK"}, {0, NULL}};
const struct stf_name stf_operands[] = {{0, "RESERVED"},
                                        {1, "STATE"},
                                        {2, "SOURCE"},
                                        {3, "DEST"},
                                        {0, NULL}};
const struct stf_name stf_reg_types[] = {{0, "RESERVED"}, {1, "INTEGER"}, {2, "FLOATING_POINT"},
                                         {3, "VECTOR"},   {4, "CSR"},     {0, NULL}};
const struct stf_name stf_accesses[] = {{0, "INVALID"}, {1, "READ"}, {2, "WRITE"}, {0, NULL}};
/* The public library's numbers; those of the specification are one lower and end with ACCEL. */
const struct stf_name stf_initiators[] = {{0, "INVALID"}, {1, "CORE"}, {2, "GPU"}, {3, "DMA"},
                                          {4, "PCIE"},    {5, "SRIO"}, {6, "ICN"}, {0, NULL}};
static const struct stf_name spec_initiators[] = {{0, "CORE"},  {1, "GPU"},  {2, "DMA"},
                                                  {3, "PCIE"},  {4, "SRIO"}, {5, "ICN"},
                                                  {6, "ACCEL"}, {0, NULL}};
const struct stf_name stf_channels[] = {{1, "A"}, {2, "B"}, {3, "C"},
                                        {4, "D"}, {5, "E"}, {0, NULL}};
const struct stf_name stf_modes[] = {{0, "USER"},
                                     {1, "SUPERVISOR"},
                                     {2, "HYPERVISOR"},
                                     {3, "MACHINE"},
                                     {0, NULL}};

#define FIELD(record, field, bytes, kind, names) \
	{#field, names, STF_F_##kind, bytes, sizeof #field - 1},
#define PRINTED(record, field, kind, names) {#field, names, STF_F_##kind, 1, sizeof #field - 1},
#define LIST(num, name, alias, since, flags, fixed, behind) \
	static const struct stf_field f_##name[] = { \
		STF_FIELDS_##name(FIELD, PRINTED, name){NULL, NULL, 0, 0, 0}};
STF_RECORDS(LIST)
/* Before version 1.5. */
#define OLD_IDS(F, R) F(R, tgid, 4, DEC, NULL) F(R, tid, 4, DEC, NULL) F(R, asid, 4, DEC, NULL)
static const struct stf_field f_PROCESS_ID_EXT_old[] = {
	OLD_IDS(FIELD, PROCESS_ID_EXT){NULL, NULL, 0, 0, 0}};
/* With the specification's numbers of initiators. */
#define stf_initiators spec_initiators
static const struct stf_field f_BUS_MASTER_ACCESS_spec[] = {
	STF_FIELDS_BUS_MASTER_ACCESS(FIELD, PRINTED, BUS_MASTER_ACCESS){NULL, NULL, 0, 0, 0}};
#undef stf_initiators

#define ROW(num, name, alias, since, flags, fixed, behind) \
	[num] = {#name, alias, f_##name, STF_BIT(name), behind, flags, num, since, fixed},
static const struct stf_type types[256] = {STF_RECORDS(ROW)};
#undef ROW

const struct stf_type *stf_type(unsigned number)
{
	return number < 256 && types[number].name ? &types[number] : NULL;
}

const char *stf_name(const struct stf_name *names, uint64_t value)
{
	for (; names->name; names++)
		if (names->value == value)
			return names->name;
	return NULL;
}

static const char *const interrupts[] = {
	"INT_USER_SOFTWARE",    "INT_SUPERVISOR_SOFTWARE", "INT_HYPERVISOR_SOFTWARE",
	"INT_MACHINE_SOFTWARE", "INT_USER_TIMER",          "INT_SUPERVISOR_TIMER",
	"INT_HYPERVISOR_TIMER", "INT_MACHINE_TIMER",       "INT_USER_EXT",
	"INT_SUPERVISOR_EXT",   "INT_HYPERVISOR_EXT",      "INT_MACHINE_EXT",
	"INT_COPROCESSOR",      "INT_COUNTER_OVERFLOW",    "INT_RESERVED_14",
	"INT_RESERVED_15"};

const char *stf_event_name(uint64_t id, char *buf)
{
	uint64_t code = id & ~(STF_EVENT_INTERRUPT | STF_EVENT_SPECIAL);
	if (id & STF_EVENT_SPECIAL) {
		if (code == STF_EVENT_MODE_CHANGE)
			return "MODE_CHANGE";
		snprintf(buf, 32, "SPECIAL_%llu", (unsigned long long)code);
	} else if (id & STF_EVENT_INTERRUPT) {
		if (code < sizeof interrupts / sizeof *interrupts)
			return interrupts[code];
		snprintf(buf, 32, "INT_PLATFORM_%llu", (unsigned long long)(code - 16));
	} else if (isa_riscv_exception_name(code)) {
		return isa_riscv_exception_name(code);
	} else if (code < 64) {
		snprintf(buf, 32, "%s_%u",
		         (code >= 24 && code < 32) || code >= 48 ? "CUSTOM_FAULT" : "RESERVED",
		         (unsigned)code);
	} else {
		snprintf(buf, 32, "UNKNOWN_0x%llx", (unsigned long long)code);
	}
	return buf;
}

const char *stf_tilelink_layout(unsigned channel)
{
	static const char *const layouts[] = {NULL, "cpzsdam", "cpzsdam", "cpzsda", "cpzsdk", "k"};
	return channel < sizeof layouts / sizeof *layouts ? layouts[channel] : NULL;
}

const struct stf_tilelink *stf_tilelink_field(char letter)
{
	static const struct stf_tilelink fields[] = {
#define FIELD_OF(letter, member, width, known) \
	{letter, width, CAIRN_XACT_##known, offsetof(struct cairn_xact, member), #member}
		FIELD_OF('c', code, 1, OP),
		FIELD_OF('p', param, 1, OP),
		FIELD_OF('z', size, 1, OP),
		FIELD_OF('s', source, 8, OP),
		FIELD_OF('a', address, 8, ADDRESS),
		FIELD_OF('k', sink, 8, SINK),
		FIELD_OF('d', data, 2, DATA),
		FIELD_OF('m', mask, 2, MASK)
#undef FIELD_OF
	};
	const struct stf_tilelink *field = fields;
	while (field->letter != letter)
		field++;
	return field;
}

/* Bytes of one TileLink letter at `p`; 0: does not end within n. */
static size_t tilelink_length(char letter, const uint8_t *p, size_t n)
{
	size_t need = stf_tilelink_field(letter)->width;
	if (n < need)
		return 0;
	if (letter == 'd')
		need += base_le16(p);
	else if (letter == 'm')
		need += (base_le16(p) + 7u) / 8;
	return n < need ? 0 : need;
}

static int64_t transaction_length(const struct cairn_stf_config *cfg, const uint8_t *p, size_t n)
{
	size_t at = STF_LEN_TRANSACTION;
	if (n < at)
		return 0;
	for (unsigned left = stf_TRANSACTION_metadata(p); left; left--) {
		if (at >= n)
			return 0;
		if (p[at] > 3)
			return CAIRN_E_DAMAGED;
		at += 1 + ((size_t)1 << p[at]);
	}
	if (at >= n)
		return 0;
	const char *layout = cfg->protocol == 1 ? stf_tilelink_layout(p[at]) : NULL;
	if (!layout)
		return CAIRN_E_DAMAGED;
	at++;
	for (; *layout; layout++) {
		size_t more = at <= n ? tilelink_length(*layout, p + at, n - at) : 0;
		if (!more)
			return 0;
		at += more;
	}
	return at <= n ? (int64_t)at : 0;
}

/* What a variable record has beyond its fixed part, which lies within n. */
static int64_t extra_length(const struct cairn_stf_config *cfg, const uint8_t *p)
{
	switch (p[0]) {
	case CAIRN_STF_COMMENT:
		return stf_COMMENT_text(p);
	case CAIRN_STF_ISA_EXTENDED:
		return stf_ISA_EXTENDED_isa(p);
	case CAIRN_STF_TRACE_INFO:
		return stf_TRACE_INFO_comment(p);
	case CAIRN_STF_CLOCK_ID:
		return stf_CLOCK_ID_clock_name(p);
	case CAIRN_STF_INST_REG:
		if (stf_reg_class(p) == CAIRN_REG_VECTOR) {
			uint32_t words = stf_vector_words(cfg);
			return words ? 8 * (int64_t)words : CAIRN_E_DAMAGED;
		}
		return 8;
	case CAIRN_STF_PAGE_TABLE_WALK:
		return 16 * (int64_t)stf_PAGE_TABLE_WALK_count(p);
	default:
		return CAIRN_E_DAMAGED;
	}
}

int64_t cairn_stf_record_length(const struct cairn_stf_config *cfg, const uint8_t *p, size_t n)
{
	if (n == 0)
		return 0;
	const struct stf_type *type = stf_type(p[0]);
	if (!type)
		return CAIRN_E_DAMAGED;
	if (p[0] == CAIRN_STF_TRANSACTION)
		return transaction_length(cfg, p, n);
	size_t fixed = 1 + (size_t)type->fixed;
	int64_t extra = 0;
	if (p[0] == CAIRN_STF_EVENT) {
		fixed = stf_event_length(cfg->event_bits, 0);
		if (n < fixed)
			return 0;
		extra = 8 * (int64_t)stf_event_count(p, cfg->event_bits);
	} else if (n < fixed) {
		return 0;
	} else if (type->flags & STF_VARIABLE) {
		extra = extra_length(cfg, p);
		if (extra < 0)
			return extra;
	}
	if ((uint64_t)extra > UINT32_MAX - fixed)
		return CAIRN_E_DAMAGED; /* a record has a 32-bit size */
	return (uint64_t)extra > n - fixed ? 0 : (int64_t)fixed + extra;
}

/* ---- fields ---- */

struct taking {
	const struct cairn_stf_config *cfg;
	const uint8_t *p, *end;
	struct cairn_field *out;
	int n;
};

static const char *const pa_names[] = {"pa0", "pa1", "pa2", "pa3", "pa4", "pa5", "pa6", "pa7"};
static const char *const pte_names[] = {"pte0", "pte1", "pte2", "pte3",
                                        "pte4", "pte5", "pte6", "pte7"};
static const char *const data_names[] = {"data0",  "data1",  "data2",  "data3", "data4",  "data5",
                                         "data6",  "data7",  "data8",  "data9", "data10", "data11",
                                         "data12", "data13", "data14", "data15"};
static const char *const meta_names[] = {"meta0",  "meta1",  "meta2",  "meta3", "meta4",  "meta5",
                                         "meta6",  "meta7",  "meta8",  "meta9", "meta10", "meta11",
                                         "meta12", "meta13", "meta14", "meta15"};
#define COUNT(a) (sizeof(a) / sizeof *(a))

static void table_add(struct taking *taking, const char *name, unsigned kind, unsigned width,
                      uint64_t value)
{
	taking->out[taking->n++] = (struct cairn_field){.name = name,
	                                                .value = value,
	                                                .kind = (uint8_t)kind,
	                                                .width = (uint8_t)width};
}

static void table_add_bytes(struct taking *taking, const char *name, unsigned kind, size_t n)
{
	taking->out[taking->n++] = (struct cairn_field){.name = name,
	                                                .text = (const char *)taking->p,
	                                                .len = (uint32_t)n,
	                                                .kind = (uint8_t)kind};
	taking->p += n;
}

static uint64_t table_take(struct taking *taking, unsigned width)
{
	uint64_t v = base_get_uint(taking->p, width);
	taking->p += width;
	return v;
}

static void add_named(struct taking *taking, const char *name, unsigned width, uint64_t value,
                      const struct stf_name *names)
{
	table_add(taking, name, CAIRN_FIELD_NAME, width, value);
	const char *text = stf_name(names, value);
	if (text)
		taking->out[taking->n - 1].text = text;
	else
		taking->out[taking->n - 1].kind = CAIRN_FIELD_DEC;
}

static void take_words(struct taking *taking, unsigned count, const char *const *names,
                       size_t named, const char *rest)
{
	if (count > named) {
		table_add_bytes(taking, rest, CAIRN_FIELD_BYTES, (size_t)count * 8);
		return;
	}
	for (unsigned i = 0; i < count; i++)
		table_add(taking, names[i], CAIRN_FIELD_HEX, 8, table_take(taking, 8));
}

static void take_ptes(struct taking *taking)
{
	unsigned count = (unsigned)table_take(taking, 1);
	table_add(taking, "count", CAIRN_FIELD_DEC, 1, count);
	if (count > COUNT(pa_names)) {
		table_add_bytes(taking, "ptes", CAIRN_FIELD_BYTES, (size_t)count * 16);
		return;
	}
	for (unsigned i = 0; i < count; i++) {
		table_add(taking, pa_names[i], CAIRN_FIELD_HEX, 8, table_take(taking, 8));
		table_add(taking, pte_names[i], CAIRN_FIELD_HEX, 8, table_take(taking, 8));
	}
}

static void take_metadata(struct taking *taking)
{
	unsigned count = (unsigned)table_take(taking, 2);
	table_add(taking, "metadata", CAIRN_FIELD_DEC, 2, count);
	if (count > COUNT(meta_names)) {
		const uint8_t *q = taking->p;
		for (unsigned i = 0; i < count; i++)
			q += 1 + (1u << *q);
		table_add_bytes(taking, "elements", CAIRN_FIELD_BYTES, (size_t)(q - taking->p));
		return;
	}
	for (unsigned i = 0; i < count; i++) {
		unsigned width = 1u << table_take(taking, 1);
		table_add(taking, meta_names[i], CAIRN_FIELD_HEX, width, table_take(taking, width));
	}
}

static void take_tilelink(struct taking *taking)
{
	unsigned channel = (unsigned)table_take(taking, 1);
	add_named(taking, "channel", 1, channel, stf_channels);
	for (const char *l = stf_tilelink_layout(channel); l && *l; l++) {
		const struct stf_tilelink *field = stf_tilelink_field(*l);
		uint64_t value = table_take(taking, field->width);
		if (*l == 'd') {
			table_add_bytes(taking, field->name, CAIRN_FIELD_BYTES, value);
		} else if (*l == 'm') {
			table_add(taking, "mask_bits", CAIRN_FIELD_DEC, 2, value);
			table_add_bytes(taking, field->name, CAIRN_FIELD_BYTES, (value + 7) / 8);
		} else {
			table_add(taking, field->name, CAIRN_FIELD_HEX, field->width, value);
		}
	}
}

static void take_event_id(struct taking *taking, const char *name)
{
	unsigned width = taking->cfg->event_bits / 8u;
	uint64_t stored = table_take(taking, width);
	uint64_t id = stf_event_id(stored, taking->cfg->event_bits);
	char buf[32];
	const char *text = stf_event_name(id, buf);
	table_add(taking, name, CAIRN_FIELD_NAME, width, stored);
	if (text != buf)
		taking->out[taking->n - 1].text = text;
	else
		taking->out[taking->n - 1].kind = CAIRN_FIELD_HEX;
}

/* A number of fixed width, as most fields are. */
static inline void table_take_number(struct taking *taking, const struct stf_field *field,
                                     unsigned kind)
{
	struct cairn_field *out = &taking->out[taking->n++];
	out->name = field->name;
	out->text = NULL;
	out->value = table_take(taking, field->width);
	out->len = 0;
	out->kind = (uint8_t)kind;
	out->width = field->width;
	out->name_len = field->name_len;
}

static void take_field(struct taking *taking, const struct stf_field *field)
{
	switch (field->kind) {
	case STF_F_HEX:
		table_take_number(taking, field, CAIRN_FIELD_HEX);
		break;
	case STF_F_DEC:
		table_take_number(taking, field, CAIRN_FIELD_DEC);
		break;
	case STF_F_NAME:
		add_named(taking, field->name, field->width, table_take(taking, field->width),
		          field->names);
		break;
	case STF_F_LOW:
		add_named(taking, field->name, field->width, taking->p[0] & 15u, field->names);
		break;
	case STF_F_HIGH:
		add_named(taking, field->name, field->width, table_take(taking, 1) >> 4, field->names);
		break;
	case STF_F_MAGIC:
		table_add_bytes(taking, field->name, CAIRN_FIELD_TEXT, 3);
		break;
	case STF_F_TEXT16:
	case STF_F_TEXT32:
		table_take(taking, field->kind == STF_F_TEXT16 ? 2 : 4);
		table_add_bytes(taking, field->name, CAIRN_FIELD_TEXT, (size_t)(taking->end - taking->p));
		break;
	case STF_F_REG_VALUE:
		if (taking->end - taking->p == 8)
			table_add(taking, field->name, CAIRN_FIELD_HEX, 8, table_take(taking, 8));
		else
			table_add_bytes(taking, field->name, CAIRN_FIELD_WIDE,
			                (size_t)(taking->end - taking->p));
		break;
	case STF_F_EVENT_ID:
		take_event_id(taking, field->name);
		break;
	case STF_F_EVENT_DATA: {
		unsigned count = (unsigned)table_take(taking, 1);
		table_add(taking, field->name, CAIRN_FIELD_DEC, 1, count);
		take_words(taking, count, data_names, COUNT(data_names), "data");
		break;
	}
	case STF_F_PTES:
		take_ptes(taking);
		break;
	case STF_F_METADATA:
		take_metadata(taking);
		break;
	default:
		take_tilelink(taking);
		break;
	}
}

int stf_fields_of(const struct cairn_stf_config *cfg, const uint8_t *p, size_t len,
                  struct cairn_field *fields)
{
	const struct stf_field *field = types[p[0]].fields;
	if (p[0] == CAIRN_STF_PROCESS_ID_EXT && !cfg->new_ids)
		field = f_PROCESS_ID_EXT_old;
	if (p[0] == CAIRN_STF_BUS_MASTER_ACCESS && cfg->spec_initiators)
		field = f_BUS_MASTER_ACCESS_spec;
	struct taking taking = {.cfg = cfg, .p = p + 1, .end = p + len, .out = fields};
	for (; field->name; field++)
		take_field(&taking, field);
	return taking.n;
}

int cairn_stf_fields(const struct cairn_stf_config *cfg, const uint8_t *p, size_t n,
                     struct cairn_field *fields)
{
	int64_t len = cairn_stf_record_length(cfg, p, n);
	return len <= 0 ? CAIRN_E_DAMAGED : stf_fields_of(cfg, p, (size_t)len, fields);
}

/* ---- page sizes ---- */

const struct stf_page_size stf_page_sizes[STF_PAGE_SIZES] = {{12, 3, 4, false}, {16, 3, 4, false},
                                                             {21, 2, 3, false}, {30, 1, 2, false},
                                                             {12, 2, 2, true},  {22, 1, 1, true}};

int stf_page_size(bool rv32, uint32_t bytes, unsigned ptes)
{
	for (int i = 0; i < STF_PAGE_SIZES; i++) {
		const struct stf_page_size *size = &stf_page_sizes[i];
		if (size->rv32 == rv32 && bytes == UINT32_C(1) << size->shift)
			return ptes == size->n39 || ptes == size->n48 ? i : STF_NO_PAGE_DEPTH;
	}
	return STF_NO_PAGE_SIZE;
}
