/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words of the expression language: its fields, where each may be named,
 * which parts of a batch it looks at, and the names that enumerated values have.
 *
 * Traits, classes, instruction sets and event kinds are asked from where they
 * are defined or listed here once; the parser knows none of them. A word that is
 * none of these gets near matches, for most unknown words are typing mistakes.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "model/select_internal.h"

#define CTX CAIRN_CONTEXT
#define REGV (CAIRN_REGS | CAIRN_REG_VALUES | CAIRN_BYTES)
#define MEMV (CAIRN_MEMS | CAIRN_MEM_VALUES | CAIRN_BYTES)

#define ROW(name, id, type, en, parts) \
	{ \
		name, id, EXPR_ROW, type, en, false, parts, 0 \
	}
#define XACT(name, id) ROW(name, id, EXPR_NUM, 0, CAIRN_XACTS)
#define MEM(name, id, type, en, outside, parts) \
	{ \
		name, id, EXPR_MEM, type, en, outside, CAIRN_MEMS | (parts), 0 \
	}
#define REG(name, id, type, en, parts) \
	{ \
		name, id, EXPR_REG, type, en, false, CAIRN_REGS | (parts), 0 \
	}
#define EV(name, id, type, en, parts, arg) \
	{ \
		name, id, EXPR_EVENT, type, en, false, CAIRN_EVENTS | (parts), arg \
	}

static const struct expr_field fields[] = {
	ROW("n", F_N, EXPR_NUM, 0, 0),
	ROW("record", F_RECORD, EXPR_NUM, 0, CAIRN_PLACES),
	ROW("offset", F_OFFSET, EXPR_NUM, 0, CAIRN_PLACES),
	ROW("pc", F_PC, EXPR_NUM, 0, CAIRN_PC),
	ROW("enc", F_ENC, EXPR_NUM, 0, CAIRN_ENC),
	ROW("encoding", F_ENC, EXPR_NUM, 0, CAIRN_ENC),
	ROW("size", F_SIZE, EXPR_NUM, 0, CAIRN_ENC | CAIRN_XACTS),
	ROW("isa", F_ISA, EXPR_ENUM, EXPR_ENUM_ISA, CAIRN_ENC),
	ROW("class", F_CLASS, EXPR_ENUM, EXPR_ENUM_CLASS, CAIRN_CLASS),
	ROW("target", F_TARGET, EXPR_NUM, 0, CAIRN_TARGET),
	ROW("taken", F_TAKEN, EXPR_BOOL, 0, CAIRN_TARGET | CAIRN_CLASS),
	ROW("executed", F_EXECUTED, EXPR_BOOL, 0, CAIRN_PC | CAIRN_EVENTS),
	ROW("annulled", F_ANNULLED, EXPR_BOOL, 0, CAIRN_PC),
	ROW("aborted", F_ABORTED, EXPR_BOOL, 0, CAIRN_PC | CAIRN_EVENTS),
	ROW("discarded", F_DISCARDED, EXPR_BOOL, 0, CAIRN_PC),
	ROW("discontinuity", F_DISCONTINUITY, EXPR_BOOL, 0, CAIRN_PC),
	ROW("symbol", F_SYMBOL, EXPR_TEXT, 0, CAIRN_PC),
	ROW("priv", F_PRIV, EXPR_ENUM, EXPR_ENUM_PRIV, CTX),
	ROW("security", F_SECURITY, EXPR_ENUM, EXPR_ENUM_SECURITY, CTX),
	ROW("cpu", F_HART, EXPR_NUM, 0, CTX),
	ROW("hart", F_HART, EXPR_NUM, 0, CTX),
	ROW("hw_tid", F_HW_TID, EXPR_NUM, 0, CTX),
	ROW("pid", F_PID, EXPR_NUM, 0, CTX),
	ROW("tid", F_TID, EXPR_NUM, 0, CTX),
	ROW("asid", F_ASID, EXPR_NUM, 0, CTX),
	ROW("vmid", F_VMID, EXPR_NUM, 0, CTX),
	ROW("ctxid", F_CTXID, EXPR_NUM, 0, CTX),
	XACT("id", F_ID),
	XACT("delta", F_DELTA),
	XACT("channel", F_CHANNEL),
	XACT("code", F_CODE),
	XACT("param", F_PARAM),
	XACT("source", F_SOURCE),
	XACT("sink", F_SINK),
	XACT("address", F_ADDRESS),
	XACT("clock", F_CLOCK),

	MEM("addr", F_ADDR, EXPR_NUM, 0, true, 0),
	MEM("pa", F_PA, EXPR_NUM, 0, true, 0),
	MEM("msize", F_MSIZE, EXPR_NUM, 0, true, 0),
	MEM("mvalue", F_MVALUE, EXPR_NUM, 0, true, MEMV),
	MEM("read", F_READ, EXPR_BOOL, 0, true, 0),
	MEM("write", F_WRITE, EXPR_BOOL, 0, true, 0),
	MEM("size", F_MSIZE, EXPR_NUM, 0, false, 0),
	MEM("value", F_MVALUE, EXPR_NUM, 0, false, MEMV),
	MEM("kind", F_MKIND, EXPR_ENUM, EXPR_ENUM_MEMKIND, false, 0),
	MEM("by", F_BY, EXPR_ENUM, EXPR_ENUM_BY, false, 0),
	MEM("unit", F_UNIT, EXPR_NUM, 0, false, 0),
	MEM("lane", F_LANE, EXPR_NUM, 0, false, 0),
	MEM("attr", F_ATTR, EXPR_NUM, 0, false, 0),

	REG("num", F_RNUM, EXPR_NUM, 0, 0),
	REG("rclass", F_RCLASS, EXPR_ENUM, EXPR_ENUM_RCLASS, 0),
	REG("role", F_ROLE, EXPR_ENUM, EXPR_ENUM_ROLE, 0),
	REG("value", F_RVALUE, EXPR_NUM, 0, REGV),
	REG("bits", F_BITS, EXPR_NUM, 0, 0),
	REG("lsb", F_LSB, EXPR_NUM, 0, 0),
	REG("name", F_RNAME, EXPR_REGNAME, 0, CAIRN_ENC),

	EV("kind", F_EKIND, EXPR_ENUM, EXPR_ENUM_EVENT, 0, 0),
	EV("code", F_ECODE, EXPR_NUM, 0, 0, 0),
	EV("etarget", F_ETARGET, EXPR_NUM, 0, 0, 0),
	EV("target", F_ETARGET, EXPR_NUM, 0, 0, 0),
	EV("phase", F_PHASE, EXPR_ENUM, EXPR_ENUM_PHASE, 0, 0),
	EV("text", F_ETEXT, EXPR_TEXT, 0, CAIRN_BYTES, 0),
	EV("nargs", F_NARGS, EXPR_NUM, 0, CAIRN_BYTES, 0),
	EV("arg0", F_EARG, EXPR_NUM, 0, CAIRN_BYTES, 0),
	EV("arg1", F_EARG, EXPR_NUM, 0, CAIRN_BYTES, 1),
	EV("arg2", F_EARG, EXPR_NUM, 0, CAIRN_BYTES, 2),
	EV("arg3", F_EARG, EXPR_NUM, 0, CAIRN_BYTES, 3),
};
enum { N_FIELDS = sizeof fields / sizeof fields[0] };

struct value_name {
	const char *name;
	unsigned value;
};

static const struct value_name priv_names[] = {
	{"u", CAIRN_PRIV_USER},
	{"user", CAIRN_PRIV_USER},
	{"s", CAIRN_PRIV_SUPERVISOR},
	{"supervisor", CAIRN_PRIV_SUPERVISOR},
	{"h", CAIRN_PRIV_HYPERVISOR},
	{"hypervisor", CAIRN_PRIV_HYPERVISOR},
	{"m", CAIRN_PRIV_MACHINE},
	{"machine", CAIRN_PRIV_MACHINE},
	{"el0", CAIRN_PRIV_EL0},
	{"el1", CAIRN_PRIV_EL1},
	{"el2", CAIRN_PRIV_EL2},
	{"el3", CAIRN_PRIV_EL3},
	{NULL, 0},
};
static const struct value_name security_names[] = {
	{"secure", 0}, {"nonsecure", 1}, {"non_secure", 1}, {"root", 2}, {"realm", 3}, {NULL, 0},
};
static const struct value_name rclass_names[] = {
	{"unknown", CAIRN_REG_UNKNOWN},     {"int", CAIRN_REG_INT},     {"fp", CAIRN_REG_FP},
	{"vector", CAIRN_REG_VECTOR},       {"csr", CAIRN_REG_CSR},     {"pc", CAIRN_REG_PC},
	{"predicate", CAIRN_REG_PREDICATE}, {"flags", CAIRN_REG_FLAGS}, {NULL, 0},
};
static const struct value_name role_names[] = {
	{"unknown", CAIRN_ROLE_UNKNOWN}, {"state", CAIRN_ROLE_STATE},
	{"src", CAIRN_ROLE_SRC},         {"source", CAIRN_ROLE_SRC},
	{"dst", CAIRN_ROLE_DST},         {"dest", CAIRN_ROLE_DST},
	{"ready", CAIRN_ROLE_READY},     {NULL, 0},
};
static const struct value_name memkind_names[] = {
	{"unknown", CAIRN_MEM_UNKNOWN},   {"read", CAIRN_MEM_READ},   {"write", CAIRN_MEM_WRITE},
	{"prefetch", CAIRN_MEM_PREFETCH}, {"fetch", CAIRN_MEM_FETCH}, {NULL, 0},
};
static const struct value_name by_names[] = {
	{"insn", CAIRN_BY_INSN},   {"core", CAIRN_BY_CORE},
	{"gpu", CAIRN_BY_GPU},     {"dma", CAIRN_BY_DMA},
	{"pcie", CAIRN_BY_PCIE},   {"srio", CAIRN_BY_SRIO},
	{"icn", CAIRN_BY_ICN},     {"accel", CAIRN_BY_ACCEL},
	{"other", CAIRN_BY_OTHER}, {NULL, 0},
};
static const struct value_name event_names[] = {
	{"damage", CAIRN_EV_DAMAGE},
	{"gap", CAIRN_EV_GAP},
	{"comment", CAIRN_EV_COMMENT},
	{"exception", CAIRN_EV_EXCEPTION},
	{"interrupt", CAIRN_EV_INTERRUPT},
	{"syscall", CAIRN_EV_SYSCALL},
	{"trap_return", CAIRN_EV_TRAP_RETURN},
	{"mode", CAIRN_EV_MODE},
	{"force_pc", CAIRN_EV_FORCE_PC},
	{"branch", CAIRN_EV_BRANCH},
	{"context", CAIRN_EV_CONTEXT},
	{"mode_isa", CAIRN_EV_MODE_ISA},
	{"page_walk", CAIRN_EV_PAGE_WALK},
	{"tlb", CAIRN_EV_TLB},
	{"snoop", CAIRN_EV_SNOOP},
	{"micro_op", CAIRN_EV_MICRO_OP},
	{"timestamp", CAIRN_EV_TIMESTAMP},
	{"cycles", CAIRN_EV_CYCLES},
	{"marker", CAIRN_EV_MARKER},
	{"trace_on", CAIRN_EV_TRACE_ON},
	{"atom", CAIRN_EV_ATOM},
	{"format", CAIRN_EV_FORMAT},
	{NULL, 0},
};
static const struct value_name phase_names[] = {
	{"before", CAIRN_BEFORE},
	{"on", CAIRN_ON},
	{"after", CAIRN_AFTER},
	{NULL, 0},
};

static const struct value_name *const tables[] = {
	[EXPR_ENUM_PRIV] = priv_names,       [EXPR_ENUM_SECURITY] = security_names,
	[EXPR_ENUM_RCLASS] = rclass_names,   [EXPR_ENUM_ROLE] = role_names,
	[EXPR_ENUM_MEMKIND] = memkind_names, [EXPR_ENUM_BY] = by_names,
	[EXPR_ENUM_EVENT] = event_names,     [EXPR_ENUM_PHASE] = phase_names,
};

const char *expr_enum_name(enum expr_enum en, unsigned index, unsigned *value)
{
	*value = index;
	if (en == EXPR_ENUM_CLASS)
		return index < CAIRN_CLASS_COUNT ? cairn_class_name((enum cairn_class)index) : NULL;
	if (en == EXPR_ENUM_ISA) {
		/* Numbers without a name lie between the instruction sets. */
		const char *name = NULL;
		for (unsigned k = 0, named = 0; k <= CAIRN_ISA_LAST && !name; k++) {
			const char *s = cairn_isa_name((enum cairn_isa)k);
			if (s && named++ == index) {
				name = s;
				*value = k;
			}
		}
		return name;
	}
	if (en == EXPR_ENUM_NONE)
		return NULL;
	/* Callers count up from 0 and stop at the end, never beyond it. */
	*value = tables[en][index].value;
	return tables[en][index].name;
}

bool expr_same(const char *name, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char a = name[i] == '-' ? '_' : name[i], b = text[i] == '-' ? '_' : text[i];
		if (a == '\0' || strncasecmp(&a, &b, 1) != 0)
			return false;
	}
	return name[n] == '\0';
}

int expr_enum_value(enum expr_enum en, const char *name, size_t n)
{
	unsigned value;
	const char *s;
	for (unsigned i = 0; (s = expr_enum_name(en, i, &value)) != NULL; i++)
		if (expr_same(s, name, n))
			return (int)value;
	return -1;
}

/* ---- fields ---- */

static bool find_listed(const char *name, size_t n, enum expr_scope scope, struct expr_field *out)
{
	for (size_t i = 0; i < N_FIELDS; i++) {
		if (fields[i].scope == scope && expr_same(fields[i].name, name, n)) {
			*out = fields[i];
			return true;
		}
	}
	return false;
}

/* "is it an exception" may be asked with the kind's bare name. */
static bool find_kind(const char *name, size_t n, struct expr_field *out)
{
	int kind = expr_enum_value(EXPR_ENUM_EVENT, name, n);
	if (kind < 0)
		return false;
	*out = (struct expr_field)EV("", F_EIS, EXPR_BOOL, 0, 0, (uint32_t)kind);
	return true;
}

static bool find_trait(const char *name, size_t n, struct expr_field *out)
{
	for (uint32_t bit = 0; bit < 32; bit++) {
		const char *s = cairn_trait_name(bit);
		if (s && expr_same(s, name, n)) {
			*out = (struct expr_field)ROW(s, F_TRAIT, EXPR_BOOL, 0, CAIRN_CLASS);
			out->arg = bit;
			return true;
		}
	}
	return false;
}

bool expr_field_find(const char *name, size_t n, enum expr_scope scope, struct expr_field *out)
{
	if (scope != EXPR_ROW && find_listed(name, n, scope, out))
		return true;
	if (scope == EXPR_EVENT && find_kind(name, n, out))
		return true;
	if (find_listed(name, n, EXPR_ROW, out) || find_trait(name, n, out))
		return true;
	return scope == EXPR_ROW && find_listed(name, n, EXPR_MEM, out) && out->outside;
}

bool expr_field_anywhere(const char *name, size_t n, struct expr_field *out)
{
	return find_listed(name, n, EXPR_MEM, out) || find_listed(name, n, EXPR_REG, out) ||
	       find_listed(name, n, EXPR_EVENT, out) || find_kind(name, n, out);
}

/* ---- near matches ---- */

enum { NEAR_NAME = 24, NEAR_BEST = 3 };

struct near {
	const char *name;
	size_t n;
	size_t count;
	struct {
		const char *name;
		unsigned distance;
	} best[NEAR_BEST];
};

static unsigned least(unsigned left, unsigned right)
{
	return left < right ? left : right;
}

/* Edits that turn one word into the other; a swap of neighbours is one edit. */
static unsigned expr_names_distance(const char *left, size_t na, const char *right, size_t nb)
{
	unsigned d[NEAR_NAME + 1][NEAR_NAME + 1];
	for (unsigned i = 0; i <= na; i++)
		d[i][0] = i;
	for (unsigned k = 0; k <= nb; k++)
		d[0][k] = k;
	for (size_t i = 1; i <= na; i++) {
		for (size_t k = 1; k <= nb; k++) {
			unsigned same = strncasecmp(left + i - 1, right + k - 1, 1) == 0;
			d[i][k] = least(d[i - 1][k - 1] + !same, least(d[i - 1][k], d[i][k - 1]) + 1);
			if (i > 1 && k > 1 && left[i - 1] == right[k - 2] && left[i - 2] == right[k - 1])
				d[i][k] = least(d[i][k], d[i - 2][k - 2] + 1);
		}
	}
	return d[na][nb];
}

static void consider(struct near *near, const char *name)
{
	size_t len = name ? strlen(name) : 0;
	if (len == 0 || len > NEAR_NAME || near->n > NEAR_NAME)
		return;
	unsigned dist = expr_names_distance(near->name, near->n, name, len);
	bool begins = near->n >= 2 && near->n < len && strncasecmp(name, near->name, near->n) == 0;
	if (begins)
		dist = 1;
	else if (dist > near->n / 3 + (near->n == 2) || dist == 0)
		return;
	size_t at = near->count;
	while (at > 0 && near->best[at - 1].distance > dist)
		at--;
	for (size_t i = 0; i < near->count; i++)
		if (strcmp(near->best[i].name, name) == 0)
			return;
	if (at == NEAR_BEST)
		return;
	near->count += near->count < NEAR_BEST;
	memmove(&near->best[at + 1], &near->best[at], (near->count - at - 1) * sizeof near->best[0]);
	near->best[at].name = name;
	near->best[at].distance = dist;
}

static const char *near_text(const struct near *near, char *buf, size_t cap)
{
	size_t len = 0;
	buf[0] = '\0';
	for (size_t i = 0; i < near->count && len < cap; i++) {
		const char *sep = i == 0 ? "; did you mean " : i + 1 == near->count ? " or " : ", ";
		int k = snprintf(buf + len, cap - len, "%s'%s'", sep, near->best[i].name);
		len += k > 0 ? (size_t)k : 0;
	}
	if (near->count && len + 1 < cap)
		snprintf(buf + len, cap - len, "?");
	return buf;
}

const char *expr_near_field(const char *name, size_t n, enum expr_scope scope, char *buf,
                            size_t cap)
{
	static const char *const calls[] = {"mem", "reg", "event", "reads", "writes", "known"};
	struct near near = {.name = name, .n = n};
	unsigned value;
	for (size_t i = 0; i < N_FIELDS; i++)
		if (fields[i].scope == scope || fields[i].scope == EXPR_ROW ||
		    (scope == EXPR_ROW && fields[i].outside))
			consider(&near, fields[i].name);
	for (uint32_t bit = 0; bit < 32; bit++)
		consider(&near, cairn_trait_name(bit));
	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
		consider(&near, calls[i]);
	for (unsigned i = 0; scope == EXPR_EVENT; i++) {
		const char *s = expr_enum_name(EXPR_ENUM_EVENT, i, &value);
		if (!s)
			break;
		consider(&near, s);
	}
	return near_text(&near, buf, cap);
}

const char *expr_near_enum(enum expr_enum en, const char *name, size_t n, char *buf, size_t cap)
{
	struct near near = {.name = name, .n = n};
	unsigned value;
	const char *s;
	for (unsigned i = 0; (s = expr_enum_name(en, i, &value)) != NULL; i++)
		consider(&near, s);
	return near_text(&near, buf, cap);
}
