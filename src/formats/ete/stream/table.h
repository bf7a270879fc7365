/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ETE_TABLE_H
#define ETE_TABLE_H
/*
 * The packet table: every packet of ETE and ETMv4 once. Decoding, encoding, printing and
 * the generator of the tests read it; what they share of a stream's state is here, too.
 */
#include "base/base.h"
#include "cairn/ete.h"

enum {
	ETE_ASYNC_SIZE = 12,
	ETE_CONTEXT_SF = 16,
	ETE_CONTEXT_VMID = 64,
	ETE_CONTEXT_CTXID = 128,
	ETE_TYPE_PE_RESET = 0,
	ETE_TYPE_TRANSACTION_FAILURE = 0x18,
	ETE_RESET_TAIL = 0x70
};

/* How what follows the header is laid out. Up to ETE_LAST_SHORT the header is all. */
enum ete_form {
	ETE_NO_FORM = 0, /* no such packet */
	ETE_ATOMS,       /* the header tells the atoms */
	ETE_NUMBERED,    /* header - first is the number (and may give atoms and a count) */
	ETE_LAST_SHORT = ETE_NUMBERED,
	ETE_EXTENSION, /* 00: Async, Discard, Overflow */
	ETE_TRACE_INFO,
	ETE_TIMESTAMP,
	ETE_EXCEPTION, /* also PE Reset and Transaction Failure in ETE */
	ETE_CCNT_F1,
	ETE_CCNT_F2,
	ETE_CCNT_F3,
	ETE_COUNT, /* one continuation field */
	ETE_ITE,
	ETE_ADDRESS, /* an address, a context, a count: what the row says */
	ETE_COND_INST_F3,
	ETE_COND_RESULT_F1,
	ETE_COND_RESULT_F3
};

enum ete_addr { ETE_A_NONE, ETE_A_MATCH, ETE_A_SHORT, ETE_A_32, ETE_A_64 };

/* Who has it. */
enum ete_need {
	ETE_ALL,
	ETE_ONLY,
	ETE_ETM4, /* both protocols, one of them */
	ETE_FROM_1_3,
	ETE_IGNORES,
	ETE_MARKS,
	ETE_M_PROFILE,
	ETE_Q,
	ETE_DATA,
	ETE_COND
};

struct ete_row {
	const char *name, *title;
	uint8_t first, last;   /* headers */
	uint8_t first2, last2; /* and more of them; 0, 0 none */
	uint8_t form, addr, need;
	bool is1, context, count;
	uint8_t base; /* of the number, when that does not count from `first` */
};
extern const struct ete_row ete_rows[CAIRN_ETE_P_LAST + 1];

bool ete_row_exists(const struct ete_row *row, const struct cairn_ete_config *cfg);
/* The atoms of a header of this type; returns how many. */
unsigned ete_header_atoms(unsigned type, uint8_t h, uint32_t *atoms);
/* How many P0 elements a Cancel packet's header stands for. */
unsigned ete_header_cancels(unsigned type, uint8_t h);
static inline uint8_t ete_number_base(const struct ete_row *row)
{
	return row->base ? row->base : row->first;
}
static inline bool ete_is_implementation_defined(unsigned exception)
{
	return exception >= 0x10 && exception < ETE_TYPE_TRANSACTION_FAILURE;
}

/* What the layouts depend on in the configuration. */
struct ete_layout {
	uint8_t vmid_bytes, ctxid_bytes;
	bool ete, commit_opt; /* no commits in cycle counts */
	uint32_t cc_mask, maxspec;
};
void ete_layout(struct ete_layout *layout, const struct cairn_ete_config *cfg);

/* What packets are compressed against; the same for decoding and encoding. */
struct ete_history {
	uint64_t address[3]; /* newest first */
	uint8_t is1[3];
	bool upper; /* 32-bit addresses keep the upper half: AArch64, or not known yet */
	uint64_t time;
	uint32_t threshold;
};
void ete_history_reset(struct ete_history *history); /* by a Trace Info */
static inline void ete_history_push(struct ete_history *history, uint64_t address, unsigned is1)
{
	history->address[2] = history->address[1];
	history->address[1] = history->address[0];
	history->address[0] = address;
	history->is1[2] = history->is1[1];
	history->is1[1] = history->is1[0];
	history->is1[0] = (uint8_t)is1;
}
/* Can a 32-bit address packet give it? */
static inline bool ete_fits_32(const struct ete_history *history, uint64_t address)
{
	return address >> 32 == (history->upper ? history->address[0] >> 32 : 0);
}

struct cairn_ete_encoder {
	struct cairn *cairn;
	struct cairn_ete_config cfg;
	struct ete_layout layout;
	struct ete_history history;
};

#endif
