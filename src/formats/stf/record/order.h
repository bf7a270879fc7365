/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STF_ORDER_H
#define STF_ORDER_H
/*
 * The order of records within a group, by the rows of the table: what the writer refuses is what
 * `check` finds. Also the features that a record makes true, which the writer and `check` count
 * alike.
 */
#include "base/map.h"
#include "formats/stf/record/table.h"

enum stf_order_fault {
	STF_ORDER_GOOD,
	STF_ORDER_DESCENDS, /* its number is lower than that of the one before, without a reason */
	STF_ORDER_ORPHAN,   /* it does not stand behind the record with the number before its own */
	STF_ORDER_BETWEEN,  /* the one before is an access, whose content must come next */
	STF_ORDER_LATE,     /* it is a PAGE_TABLE_WALK behind an access of its instruction */
	STF_ORDER_ENDED,    /* record 255 came before it */
	STF_ORDER_HEADER,   /* it is a record of the header */
	STF_ORDER_KIND /* a record of transactions in a trace of instructions, or the other way round */
};
/* May `type` come behind `last` (0: nothing)? `no_content`: accesses may lack their contents. */
enum stf_order_fault stf_order_of(unsigned last, unsigned type, bool no_content);

/* What a group has had so far, for judging what may follow. All zero: at its start. */
struct stf_order {
	uint8_t last;    /* the descriptor that decides what may follow; 0: none */
	bool ended;      /* record 255 was put */
	bool accessed;   /* the group has an access, behind which no PAGE_TABLE_WALK may come */
	bool no_content; /* accesses may stand without content */
};
/* May `rec` follow? Moves on when it may. */
enum stf_order_fault stf_order_next(struct stf_order *order, const struct cairn_stf_config *cfg,
                                    const uint8_t *rec);
/* Write why not, as the end of a sentence that begins with the record's name. */
void stf_order_why(enum stf_order_fault fault, unsigned last, unsigned type, char why[128]);

/* Vector instructions of RISC-V: OP-V, and loads and stores of an element width. */
static inline bool stf_is_vector(uint32_t enc)
{
	uint32_t opcode = enc & 0x7f, width = enc >> 12 & 7;
	return opcode == 0x57 || ((opcode == 0x07 || opcode == 0x27) && (width == 0 || width >= 5));
}

/* cairn_stf_record_features of a record already measured. */
uint64_t stf_features_of(const struct cairn_stf_config *cfg, const uint8_t *p);

/* Who has run, as far as that concerns the features MULTI_THREAD and MULTI_CORE. */
struct stf_who {
	struct base_map threads; /* by process: its first thread + 1 */
	uint32_t core;           /* the first hardware thread */
	bool any;
};

void stf_who_init(struct stf_who *who, struct cairn *cairn);
void stf_who_free(struct stf_who *who);
/* These ids run now; *bits gets the features that this makes true. CAIRN_E_NOMEM. */
int stf_who_runs(struct stf_who *who, const uint32_t id[3], bool new_ids, uint64_t *bits);

#endif
