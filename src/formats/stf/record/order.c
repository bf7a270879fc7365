/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of records within an instruction, as the public writer enforces it
 * (sheet, "Header rules": writer order): ascending by descriptor, with the
 * exceptions below. The reader does not enforce it; programs that read traces do
 * rely on it. Also here: which feature bit a record makes true, because the writer
 * keeps and the checker judges the same book.
 */
#include "base/bytes.h"
#include "formats/stf/write/write.h"

/* Records that may stand anywhere in a group and decide nothing. */
static bool is_free(unsigned type)
{
	return type == CAIRN_STF_COMMENT || type == CAIRN_STF_PROCESS_ID_EXT ||
	       type == CAIRN_STF_FORCE_PC;
}

static const char *misplaced(unsigned type)
{
	switch (type) {
	case CAIRN_STF_INST_MEM_CONTENT:
		return "comes without an INST_MEM_ACCESS before it";
	case CAIRN_STF_BUS_MASTER_CONTENT:
		return "comes without a BUS_MASTER_ACCESS before it";
	case CAIRN_STF_EVENT_PC_TARGET:
		return "comes without an EVENT before it";
	default:
		return NULL;
	}
}

/* Does a descriptor that is lower than the last one's start again for good reason? */
static bool starts_again(unsigned last, unsigned type)
{
	bool after_access = last == CAIRN_STF_INST_MEM_CONTENT || last == CAIRN_STF_BUS_MASTER_CONTENT;
	switch (type) {
	case CAIRN_STF_INST_PC_TARGET:
		return last == CAIRN_STF_PAGE_TABLE_WALK || last == CAIRN_STF_INST_REG;
	case CAIRN_STF_INST_REG:
		return last == CAIRN_STF_PAGE_TABLE_WALK || after_access;
	case CAIRN_STF_INST_MEM_ACCESS:
		return last == CAIRN_STF_INST_MEM_CONTENT;
	case CAIRN_STF_BUS_MASTER_ACCESS:
		return last == CAIRN_STF_BUS_MASTER_CONTENT;
	case CAIRN_STF_EVENT:
		return last == CAIRN_STF_EVENT_PC_TARGET;
	default:
		return false;
	}
}

static bool continues(unsigned last, unsigned type)
{
	switch (type) {
	case CAIRN_STF_INST_MEM_CONTENT:
		return last == CAIRN_STF_INST_MEM_ACCESS || last == CAIRN_STF_INST_MEM_CONTENT;
	case CAIRN_STF_BUS_MASTER_CONTENT:
		return last == CAIRN_STF_BUS_MASTER_ACCESS || last == CAIRN_STF_BUS_MASTER_CONTENT;
	case CAIRN_STF_EVENT_PC_TARGET:
		return last == CAIRN_STF_EVENT;
	default:
		return true;
	}
}

static const char *out_of_order(unsigned type)
{
	switch (type) {
	case CAIRN_STF_INST_IEM:
		return "must be the first of its instruction's records";
	case CAIRN_STF_INST_PC_TARGET:
		return "must come before the memory accesses and events of its instruction";
	case CAIRN_STF_INST_REG:
		return "must come before the events and micro-operations of its instruction";
	case CAIRN_STF_INST_READY_REG:
		return "must come right after the registers of its instruction";
	case CAIRN_STF_PAGE_TABLE_WALK:
		return "must come before the memory accesses of its instruction";
	case CAIRN_STF_INST_MEM_ACCESS:
		return "must come before the bus accesses and events of its instruction";
	case CAIRN_STF_BUS_MASTER_ACCESS:
		return "must come before the events of its instruction";
	case CAIRN_STF_EVENT:
		return "must come before the micro-operations of its instruction";
	default:
		return "comes out of order";
	}
}

const char *stf_order_next(struct stf_order *order, const struct cairn_stf_config *cfg,
                           const uint8_t *rec)
{
	const struct stf_type *t = stf_type(rec[0]);
	unsigned type = rec[0], last = order->last;
	if (order->ended)
		return "comes after the record that ends the trace";
	if (!(t->flags & STF_BODY))
		return "belongs into the header";
	if (cfg->protocol ? t->flags & STF_INSN_ONLY : t->flags & STF_XACT_ONLY)
		return cfg->protocol ? "belongs into a trace of instructions, not of transactions"
		                     : "belongs into a trace of transactions, not of instructions";
	if (type == CAIRN_STF_COMMENT) /* at any point, between an access and its content, too */
		return NULL;
	if (!order->no_content && last == CAIRN_STF_INST_MEM_ACCESS &&
	    type != CAIRN_STF_INST_MEM_CONTENT)
		return "stands between an INST_MEM_ACCESS and its INST_MEM_CONTENT";
	if (!order->no_content && last == CAIRN_STF_BUS_MASTER_ACCESS &&
	    type != CAIRN_STF_BUS_MASTER_CONTENT)
		return "stands between a BUS_MASTER_ACCESS and its BUS_MASTER_CONTENT";
	if (is_free(type))
		return NULL;
	if (!continues(last, type))
		return misplaced(type);
	if (cfg->protocol) { /* dependencies come before their transaction */
		order->last = type == CAIRN_STF_TRANSACTION ? 0 : (uint8_t)type;
		order->ended = type == CAIRN_STF_RESERVED_END;
		return NULL;
	}
	bool access_again = order->no_content && type == last;
	if (type < last && !starts_again(last, type) && !access_again)
		return out_of_order(type);
	order->last = t->flags & STF_MARKER ? 0 : (uint8_t)type;
	order->ended = type == CAIRN_STF_RESERVED_END;
	return NULL;
}

uint64_t cairn_stf_record_features(const struct cairn_stf_config *cfg, const uint8_t *p, size_t n)
{
	return n && cairn_stf_record_length(cfg, p, n) > 0 ? stf_features_of(cfg, p) : 0;
}

uint64_t stf_features_of(const struct cairn_stf_config *cfg, const uint8_t *p)
{
	switch (p[0]) {
	case CAIRN_STF_INST_IEM:
		return stf_INST_IEM_iem(p) == 2 ? CAIRN_STF_F_RV64 : 0;
	case CAIRN_STF_PROCESS_ID_EXT:
		return CAIRN_STF_F_PROCESS_ID;
	case CAIRN_STF_INST_REG: {
		uint64_t bits =
			stf_reg_role(p) == CAIRN_ROLE_STATE ? CAIRN_STF_F_REG_STATE : CAIRN_STF_F_OPERAND_VALUE;
		return stf_reg_class(p) == CAIRN_REG_VECTOR ? bits | CAIRN_STF_F_VEC : bits;
	}
	case CAIRN_STF_PAGE_TABLE_WALK:
		return CAIRN_STF_F_PTE;
	case CAIRN_STF_INST_MEM_ACCESS:
		return stf_INST_MEM_ACCESS_attributes(p) ? CAIRN_STF_F_DATA_ATTRIBUTE : 0;
	case CAIRN_STF_BUS_MASTER_ACCESS:
		return stf_BUS_MASTER_ACCESS_attributes(p) ? CAIRN_STF_F_DATA_ATTRIBUTE : 0;
	case CAIRN_STF_EVENT:
		return CAIRN_STF_F_EVENT | (cfg->event_bits == 64 ? (uint64_t)CAIRN_STF_F_EVENT64 : 0);
	case CAIRN_STF_INST_MICROOP:
		return CAIRN_STF_F_MICROOP;
	case CAIRN_STF_INST_32:
		return cfg->isa == 1 && stf_is_vector(stf_INST_32_encoding(p)) ? CAIRN_STF_F_VEC : 0;
	case CAIRN_STF_TRANSACTION:
		return CAIRN_STF_F_TRANSACTIONS;
	default:
		return 0;
	}
}

void stf_who_init(struct stf_who *who, struct cairn *cairn)
{
	*who = (struct stf_who){0};
	base_map_init(&who->threads, cairn, 1);
}

void stf_who_free(struct stf_who *who)
{
	base_map_free(&who->threads);
}

/* A second hardware thread may be another core or another thread of the same: either of the
 * features tells it, and cores are what most traces of several have. */
int stf_who_runs(struct stf_who *who, const uint32_t id[3], bool new_ids, uint64_t *bits)
{
	uint32_t core = new_ids ? id[0] : 0;
	uint32_t process = new_ids ? id[1] : id[0], thread = new_ids ? id[2] : id[1];
	uint64_t *first = base_map_at(&who->threads, process, 0);
	*bits = 0;
	if (!first)
		return CAIRN_E_NOMEM;
	if (*first && *first != thread + UINT64_C(1))
		*bits |= CAIRN_STF_F_MULTI_THREAD;
	if (who->any && core != who->core)
		*bits |= CAIRN_STF_F_MULTI_CORE;
	if (!*first)
		*first = thread + UINT64_C(1);
	if (!who->any)
		who->core = core;
	who->any = true;
	return 0;
}
