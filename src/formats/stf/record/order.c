/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of records within a group (sheet, "Header rules": writer order): ascending by
 * descriptor, with the exceptions that the table's rows name. Readers may not enforce it; programs
 * do rely on it.
 */
#include "formats/stf/record/order.h"

#include <stdio.h>

#include "base/bytes.h"

enum stf_order_fault stf_order_of(unsigned last, unsigned type, bool no_content)
{
	const struct stf_type *row = stf_type(type), *before = stf_type(last);
	if (!before || before->flags & (STF_FREE | STF_MARKER))
		return row->flags & STF_BOUND ? STF_ORDER_ORPHAN : STF_ORDER_GOOD;
	bool named = row->behind & before->bit;
	if (before->flags & STF_OPENS && !named && !no_content)
		return STF_ORDER_BETWEEN;
	if (named || row->flags & STF_FREE)
		return STF_ORDER_GOOD;
	if (row->flags & STF_BOUND)
		return STF_ORDER_ORPHAN;
	return type < last ? STF_ORDER_DESCENDS : STF_ORDER_GOOD;
}

enum stf_order_fault stf_order_next(struct stf_order *order, const struct cairn_stf_config *cfg,
                                    const uint8_t *rec)
{
	const struct stf_type *row = stf_type(rec[0]);
	enum stf_order_fault fault = order->ended               ? STF_ORDER_ENDED
	                             : !(row->flags & STF_BODY) ? STF_ORDER_HEADER
	                             : row->flags & (cfg->protocol ? STF_INSN_ONLY : STF_XACT_ONLY)
	                                 ? STF_ORDER_KIND
	                                 : stf_order_of(order->last, rec[0], order->no_content);
	if (!fault && order->accessed && rec[0] == CAIRN_STF_PAGE_TABLE_WALK)
		fault = STF_ORDER_LATE;
	if (fault)
		return fault;
	if (row->flags & STF_MARKER)
		order->accessed = false;
	else if (rec[0] == CAIRN_STF_INST_MEM_ACCESS)
		order->accessed = true;
	if (!(row->flags & STF_FREE))
		order->last = row->flags & STF_MARKER ? 0 : rec[0];
	order->ended = rec[0] == CAIRN_STF_RESERVED_END;
	return STF_ORDER_GOOD;
}

void stf_order_why(enum stf_order_fault fault, unsigned last, unsigned type, char why[128])
{
	const struct stf_type *row = stf_type(type), *before = stf_type(last);
	bool insns = row->flags & STF_INSN_ONLY;
	switch (fault) {
	case STF_ORDER_GOOD:
		why[0] = 0;
		break;
	case STF_ORDER_DESCENDS:
		snprintf(why, 128, "cannot stand behind %s", before->name);
		break;
	case STF_ORDER_ORPHAN:
		snprintf(why, 128, "comes without %s right before it", stf_type(type - 1)->name);
		break;
	case STF_ORDER_BETWEEN:
		snprintf(why, 128, "stands between %s and its %s", before->name, stf_type(last + 1)->name);
		break;
	case STF_ORDER_LATE:
		snprintf(why, 128, "comes behind an access of its instruction");
		break;
	case STF_ORDER_ENDED:
		snprintf(why, 128, "comes after the record that ends the trace");
		break;
	case STF_ORDER_HEADER:
		snprintf(why, 128, "belongs into the header");
		break;
	case STF_ORDER_KIND:
		snprintf(why, 128, "belongs in a trace of %s, not of %s",
		         insns ? "instructions" : "transactions", insns ? "transactions" : "instructions");
		break;
	}
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

/* A second hardware thread may be another core or another thread of the same core: either feature
 * says so, and most traces of several threads have cores. */
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
