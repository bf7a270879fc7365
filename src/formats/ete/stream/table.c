/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The packet table, indexed by packet type: which headers, which layout, in which
 * protocol. Everything that knows packets is made from it; a header that two rows of one
 * protocol claimed would be found by the tests.
 *
 * Facts: the headers and layouts of ETE v1.0 to v1.3 and ETMv4.0 to v4.6, learnt from a
 * public decoder's behaviour and data; docs/formats/ete.md tells what was seen where.
 */
#include "formats/ete/stream/table.h"

#include <string.h>

/* The table is meant to be read in columns. */
/* clang-format off */
#define ROW(type, h0, h1, form, need, title) \
	[CAIRN_ETE_P_##type] = {#type, title, h0, h1, 0, 0, form, ETE_A_NONE, need, false, false, \
		false, 0}
#define ROW2(type, h0, h1, h2, h3, form, need, title) \
	[CAIRN_ETE_P_##type] = {#type, title, h0, h1, h2, h3, form, ETE_A_NONE, need, false, false, \
		false, 0}
#define ADDR(type, h0, h1, addr, is1, ctx, count, need, title) \
	[CAIRN_ETE_P_##type] = {#type, title, h0, h1, 0, 0, ETE_ADDRESS, addr, need, is1, ctx, count, 0}

const struct ete_row ete_rows[CAIRN_ETE_P_LAST + 1] = {
	[CAIRN_ETE_P_NOT_SYNC] = {.name = "NOT_SYNC", .title = "Before alignment synchronization"},
	[CAIRN_ETE_P_BAD] = {.name = "BAD", .title = "Broken packet"},
	[CAIRN_ETE_P_RESERVED] = {.name = "RESERVED", .title = "Reserved header"},
	[CAIRN_ETE_P_INCOMPLETE] = {.name = "INCOMPLETE", .title = "Packet cut off by the end"},
	[CAIRN_ETE_P_PADDING] = {.name = "PADDING", .title = "Zeros up to the end"},

	ROW(ASYNC, 0x00, 0x00, ETE_EXTENSION, ETE_ALL, "Alignment Synchronization"),
	[CAIRN_ETE_P_DISCARD] = {.name = "DISCARD", .title = "Discard"},
	[CAIRN_ETE_P_OVERFLOW] = {.name = "OVERFLOW", .title = "Overflow"},
	ROW(TRACE_INFO, 0x01, 0x01, ETE_TRACE_INFO, ETE_ALL, "Trace Info"),
	ROW(TRACE_ON, 0x04, 0x04, ETE_NUMBERED, ETE_ALL, "Trace On"),
	ROW(IGNORE, 0x70, 0x70, ETE_NUMBERED, ETE_IGNORES, "Ignore"),

	ROW(TIMESTAMP, 0x02, 0x03, ETE_TIMESTAMP, ETE_ALL, "Timestamp"),
	ROW(TS_MARKER, 0x88, 0x88, ETE_NUMBERED, ETE_MARKS, "Timestamp Marker"),
	ROW(CCNT_F1, 0x0e, 0x0f, ETE_CCNT_F1, ETE_ALL, "Cycle Count format 1"),
	ROW(CCNT_F2, 0x0c, 0x0d, ETE_CCNT_F2, ETE_ALL, "Cycle Count format 2"),
	ROW(CCNT_F3, 0x10, 0x1f, ETE_CCNT_F3, ETE_ALL, "Cycle Count format 3"),

	ROW(EXCEPTION, 0x06, 0x06, ETE_EXCEPTION, ETE_ALL, "Exception"),
	ROW(EXCEPTION_RETURN, 0x07, 0x07, ETE_NUMBERED, ETE_ETM4, "Exception Return"),
	ROW(FUNCTION_RETURN, 0x05, 0x05, ETE_NUMBERED, ETE_M_PROFILE, "Function Return"),
	[CAIRN_ETE_P_PE_RESET] = {.name = "PE_RESET", .title = "PE Reset"},
	ROW(TRANSACTION_START, 0x0a, 0x0a, ETE_NUMBERED, ETE_ONLY, "Transaction Start"),
	ROW(TRANSACTION_COMMIT, 0x0b, 0x0b, ETE_NUMBERED, ETE_ONLY, "Transaction Commit"),
	[CAIRN_ETE_P_TRANSACTION_FAILURE] = {.name = "TRANSACTION_FAILURE",
		.title = "Transaction Failure"},

	[CAIRN_ETE_P_EVENT] = {"EVENT", "Event", 0x71, 0x7f, 0, 0, ETE_NUMBERED, ETE_A_NONE, ETE_ALL,
		false, false, false, 0x70},
	ROW(INSTRUMENTATION, 0x09, 0x09, ETE_ITE, ETE_FROM_1_3, "Instrumentation"),

	ROW(COMMIT, 0x2d, 0x2d, ETE_COUNT, ETE_ALL, "Commit"),
	ROW(CANCEL_F1, 0x2e, 0x2e, ETE_COUNT, ETE_ALL, "Cancel format 1"),
	ROW(CANCEL_F1_MISPREDICT, 0x2f, 0x2f, ETE_COUNT, ETE_ALL, "Cancel format 1, mispredict"),
	ROW(CANCEL_F2, 0x34, 0x37, ETE_NUMBERED, ETE_ALL, "Cancel format 2"),
	ROW(CANCEL_F3, 0x38, 0x3f, ETE_NUMBERED, ETE_ALL, "Cancel format 3"),
	ROW(MISPREDICT, 0x30, 0x33, ETE_NUMBERED, ETE_ALL, "Mispredict"),

	ROW(CONTEXT_SAME, 0x80, 0x80, ETE_NUMBERED, ETE_ALL, "Context, unchanged"),
	ADDR(CONTEXT, 0x81, 0x81, ETE_A_NONE, false, true, false, ETE_ALL, "Context"),
	ADDR(ADDR_CTXT_32_IS0, 0x82, 0x82, ETE_A_32, false, true, false, ETE_ALL,
		"Target Address with Context, 32-bit IS0"),
	ADDR(ADDR_CTXT_32_IS1, 0x83, 0x83, ETE_A_32, true, true, false, ETE_ALL,
		"Target Address with Context, 32-bit IS1"),
	ADDR(ADDR_CTXT_64_IS0, 0x85, 0x85, ETE_A_64, false, true, false, ETE_ALL,
		"Target Address with Context, 64-bit IS0"),
	ADDR(ADDR_CTXT_64_IS1, 0x86, 0x86, ETE_A_64, true, true, false, ETE_ALL,
		"Target Address with Context, 64-bit IS1"),
	ADDR(ADDR_MATCH, 0x90, 0x92, ETE_A_MATCH, false, false, false, ETE_ALL,
		"Target Address, exact match"),
	ADDR(ADDR_SHORT_IS0, 0x95, 0x95, ETE_A_SHORT, false, false, false, ETE_ALL,
		"Target Address, short IS0"),
	ADDR(ADDR_SHORT_IS1, 0x96, 0x96, ETE_A_SHORT, true, false, false, ETE_ALL,
		"Target Address, short IS1"),
	ADDR(ADDR_32_IS0, 0x9a, 0x9a, ETE_A_32, false, false, false, ETE_ALL,
		"Target Address, 32-bit IS0"),
	ADDR(ADDR_32_IS1, 0x9b, 0x9b, ETE_A_32, true, false, false, ETE_ALL,
		"Target Address, 32-bit IS1"),
	ADDR(ADDR_64_IS0, 0x9d, 0x9d, ETE_A_64, false, false, false, ETE_ALL,
		"Target Address, 64-bit IS0"),
	ADDR(ADDR_64_IS1, 0x9e, 0x9e, ETE_A_64, true, false, false, ETE_ALL,
		"Target Address, 64-bit IS1"),

	ADDR(SRC_MATCH, 0xb0, 0xb2, ETE_A_MATCH, false, false, false, ETE_ONLY,
		"Source Address, exact match"),
	ADDR(SRC_SHORT_IS0, 0xb4, 0xb4, ETE_A_SHORT, false, false, false, ETE_ONLY,
		"Source Address, short IS0"),
	ADDR(SRC_SHORT_IS1, 0xb5, 0xb5, ETE_A_SHORT, true, false, false, ETE_ONLY,
		"Source Address, short IS1"),
	ADDR(SRC_32_IS0, 0xb6, 0xb6, ETE_A_32, false, false, false, ETE_ONLY,
		"Source Address, 32-bit IS0"),
	ADDR(SRC_32_IS1, 0xb7, 0xb7, ETE_A_32, true, false, false, ETE_ONLY,
		"Source Address, 32-bit IS1"),
	ADDR(SRC_64_IS0, 0xb8, 0xb8, ETE_A_64, false, false, false, ETE_ONLY,
		"Source Address, 64-bit IS0"),
	ADDR(SRC_64_IS1, 0xb9, 0xb9, ETE_A_64, true, false, false, ETE_ONLY,
		"Source Address, 64-bit IS1"),

	ADDR(Q_MATCH, 0xa0, 0xa2, ETE_A_MATCH, false, false, true, ETE_Q,
		"Q with count, exact match"),
	ADDR(Q_SHORT_IS0, 0xa5, 0xa5, ETE_A_SHORT, false, false, true, ETE_Q,
		"Q with count, short IS0"),
	ADDR(Q_SHORT_IS1, 0xa6, 0xa6, ETE_A_SHORT, true, false, true, ETE_Q,
		"Q with count, short IS1"),
	ADDR(Q_32_IS0, 0xaa, 0xaa, ETE_A_32, false, false, true, ETE_Q, "Q with count, 32-bit IS0"),
	ADDR(Q_32_IS1, 0xab, 0xab, ETE_A_32, true, false, true, ETE_Q, "Q with count, 32-bit IS1"),
	ADDR(Q_COUNT, 0xac, 0xac, ETE_A_NONE, false, false, true, ETE_Q, "Q with count"),
	ROW(Q, 0xaf, 0xaf, ETE_NUMBERED, ETE_Q, "Q"),

	ROW(ATOM_F1, 0xf6, 0xf7, ETE_ATOMS, ETE_ALL, "Atom format 1"),
	ROW(ATOM_F2, 0xd8, 0xdb, ETE_ATOMS, ETE_ALL, "Atom format 2"),
	ROW(ATOM_F3, 0xf8, 0xff, ETE_ATOMS, ETE_ALL, "Atom format 3"),
	ROW(ATOM_F4, 0xdc, 0xdf, ETE_ATOMS, ETE_ALL, "Atom format 4"),
	ROW2(ATOM_F5, 0xd5, 0xd7, 0xf5, 0xf5, ETE_ATOMS, ETE_ALL, "Atom format 5"),
	ROW2(ATOM_F6, 0xc0, 0xd4, 0xe0, 0xf4, ETE_ATOMS, ETE_ALL, "Atom format 6"),

	ROW(NUM_DS_MARKER, 0x20, 0x27, ETE_NUMBERED, ETE_DATA, "Numbered Data Sync Marker"),
	ROW(UNNUM_DS_MARKER, 0x28, 0x2c, ETE_NUMBERED, ETE_DATA, "Unnumbered Data Sync Marker"),
	ROW(COND_INST_F1, 0x6c, 0x6c, ETE_COUNT, ETE_COND, "Conditional Instruction format 1"),
	ROW(COND_INST_F2, 0x40, 0x42, ETE_NUMBERED, ETE_COND, "Conditional Instruction format 2"),
	ROW(COND_INST_F3, 0x6d, 0x6d, ETE_COND_INST_F3, ETE_COND, "Conditional Instruction format 3"),
	ROW(COND_FLUSH, 0x43, 0x43, ETE_NUMBERED, ETE_COND, "Conditional Flush"),
	ROW2(COND_RESULT_F1, 0x68, 0x6b, 0x6e, 0x6f, ETE_COND_RESULT_F1, ETE_COND,
		"Conditional Result format 1"),
	ROW2(COND_RESULT_F2, 0x48, 0x4a, 0x4c, 0x4e, ETE_NUMBERED, ETE_COND,
		"Conditional Result format 2"),
	ROW(COND_RESULT_F3, 0x50, 0x5f, ETE_COND_RESULT_F3, ETE_COND, "Conditional Result format 3"),
	ROW(COND_RESULT_F4, 0x44, 0x46, ETE_NUMBERED, ETE_COND, "Conditional Result format 4"),
};
/* clang-format on */

void cairn_ete_config_init(struct cairn_ete_config *cfg)
{
	*cfg = (struct cairn_ete_config){.devarch = 0x47705a13, .idr1 = 0x4100f403};
}

int cairn_ete_is_ete(const struct cairn_ete_config *cfg)
{
	if (cfg->protocol != CAIRN_ETE_BY_DEVARCH)
		return cfg->protocol == CAIRN_ETE_ETE;
	return (cfg->devarch >> 12 & 15) == 5;
}

/* ETE tells its minor version in TRCDEVARCH, ETMv4 in TRCIDR1. */
unsigned cairn_ete_version(const struct cairn_ete_config *cfg)
{
	return cairn_ete_is_ete(cfg) ? 0x10 + (cfg->devarch >> 16 & 15) : 0x40 + (cfg->idr1 >> 4 & 15);
}

bool ete_row_exists(const struct ete_row *row, const struct cairn_ete_config *cfg)
{
	bool ete = cairn_ete_is_ete(cfg);
	unsigned version = cairn_ete_version(cfg);
	if (row->form == ETE_NO_FORM)
		return false;
	switch (row->need) {
	case ETE_ONLY:
		return ete;
	case ETE_ETM4:
		return !ete;
	case ETE_FROM_1_3:
		return ete && version >= 0x13;
	case ETE_IGNORES:
		return ete || version >= 0x43;
	case ETE_MARKS:
		return ete || version >= 0x46;
	case ETE_M_PROFILE:
		return !ete && cfg->profile == 'M' && version >= 0x42;
	case ETE_Q:
		return cfg->idr0 >> 15 & 3;
	case ETE_DATA: /* TRCCONFIGR.DA, DV */
		return !ete && (cfg->configr >> 16 & 3);
	case ETE_COND: /* TRCIDR0.TRCCOND, TRCCONFIGR.COND */
		return !ete && (cfg->idr0 >> 6 & 1) && (cfg->configr >> 8 & 7);
	default:
		return true;
	}
}

unsigned ete_header_atoms(unsigned type, uint8_t header, uint32_t *atoms)
{
	static const uint8_t f4[4] = {0x0e, 0x00, 0x0a, 0x05};
	static const uint8_t f5[8] = {0, 0x00, 0x0a, 0x15, 0, 0x1e, 0, 0};
	static const uint8_t corrected[4][2] = {{0, 0}, {1, 1}, {2, 3}, {1, 0}};
	unsigned n;
	switch (type) {
	case CAIRN_ETE_P_ATOM_F1:
	case CAIRN_ETE_P_ATOM_F2:
	case CAIRN_ETE_P_ATOM_F3:
		n = type - CAIRN_ETE_P_ATOM_F1 + 1;
		*atoms = header & ((1u << n) - 1);
		return n;
	case CAIRN_ETE_P_ATOM_F4:
		*atoms = f4[header & 3];
		return 4;
	case CAIRN_ETE_P_ATOM_F5:
		*atoms = f5[(header >> 3 & 4) | (header & 3)];
		return 5;
	case CAIRN_ETE_P_ATOM_F6: /* so many E, then one more: E in C0-D4, N in E0-F4 */
		n = (header & 0x1fu) + 3;
		*atoms = (1u << n) - 1;
		*atoms |= (uint32_t) !(header & 0x20) << n;
		return n + 1;
	case CAIRN_ETE_P_MISPREDICT:
	case CAIRN_ETE_P_CANCEL_F2:
		*atoms = corrected[header & 3][1];
		return corrected[header & 3][0];
	case CAIRN_ETE_P_CANCEL_F3:
		*atoms = header & 1;
		return header & 1;
	default:
		*atoms = 0;
		return 0;
	}
}

unsigned ete_header_cancels(unsigned type, uint8_t header)
{
	if (type == CAIRN_ETE_P_CANCEL_F2)
		return 1;
	return type == CAIRN_ETE_P_CANCEL_F3 ? (header >> 1 & 3u) + 2 : 0;
}

void ete_layout(struct ete_layout *layout, const struct cairn_ete_config *cfg)
{
	unsigned vmid = cfg->idr2 >> 10 & 31, cc = (cfg->idr2 >> 25 & 15) + 12;
	memset(layout, 0, sizeof *layout);
	layout->ete = cairn_ete_is_ete(cfg);
	layout->vmid_bytes = vmid == 1 || vmid == 2 || vmid == 4 ? (uint8_t)vmid : 0;
	layout->ctxid_bytes = (cfg->idr2 >> 5 & 31) == 4 ? 4 : 0;
	layout->commit_opt = (cfg->idr0 >> 29 & 1) && (cfg->idr0 >> 7 & 1);
	layout->cc_mask = (1u << cc) - 1;
	layout->maxspec = cfg->idr8;
}

void ete_history_reset(struct ete_history *history)
{
	memset(history, 0, sizeof *history);
	history->upper = true;
}

const char *cairn_ete_packet_name(unsigned type)
{
	return type <= CAIRN_ETE_P_LAST ? ete_rows[type].name : NULL;
}

const char *cairn_ete_packet_title(unsigned type)
{
	return type <= CAIRN_ETE_P_LAST ? ete_rows[type].title : NULL;
}
