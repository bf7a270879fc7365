/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records one by one, exactly, the names of events, and the sentences about what
 * cannot be read.
 */
#include <stdio.h>
#include <string.h>

#include "formats/rst/rst.h"

void rst_bad_text(char *buf, size_t size, uint64_t off, uint64_t rec, uint64_t n, unsigned type)
{
	snprintf(buf, size, "byte 0x%llx, record %llu, instruction %llu: no record has type %u",
	         (unsigned long long)off, (unsigned long long)rec, (unsigned long long)n, type);
}

bool rst_end_text(const struct rst_span *ss, char *buf, size_t size, uint64_t rec, uint64_t n)
{
	size_t left = kit_left(&ss->bytes) % CAIRN_RST_SIZE;
	const uint8_t *end = (const uint8_t *)ss->bytes.window.end - left;
	uint64_t off = kit_offset_of(&ss->bytes, end);
	int at =
		snprintf(buf, size, "byte 0x%llx, record %llu, instruction %llu: ", (unsigned long long)off,
	             (unsigned long long)rec, (unsigned long long)n);
	if (at < 0 || (size_t)at >= size)
		return false;
	if (ss->bytes.broken)
		snprintf(buf + at, size - (size_t)at, "%s", ss->bytes.why);
	else if (left)
		snprintf(buf + at, size - (size_t)at,
		         "the input ends inside a record: %zu of its 24 bytes %s there", left,
		         left == 1 ? "is" : "are");
	return ss->bytes.broken || left;
}

static int rst_records_finish(struct cairn_reader *reader, struct model_span *span)
{
	struct rst_span *ss = span->priv;
	char text[448];
	if (ss->finished)
		return 0;
	ss->finished = true;
	if (rst_end_text(ss, text, sizeof text, ss->at->rec, ss->at->n))
		model_damaged(reader, span, "%s", text);
	/* Records alone do not tell the rest of the state. */
	if (!span->scanned)
		memcpy(span->exit, ss->at, sizeof *ss->at);
	return 0;
}

static void records_unknown(struct cairn_reader *reader, struct model_span *span, const uint8_t *p,
                            uint64_t off, struct cairn_record *rec)
{
	struct rst_span *ss = span->priv;
	char text[128];
	rst_bad_text(text, sizeof text, off, ss->at->rec, ss->at->n, p[0]);
	model_damaged(reader, span, "%s", text);
	rec->name = "UNKNOWN";
	ss->fields[0] = (struct cairn_field){.name = "data",
	                                     .text = rst_RFS_RST_data(p), /* all behind the type */
	                                     .len = RST_SIZE_RFS_RST_data,
	                                     .kind = CAIRN_FIELD_BYTES};
	rec->n_fields = 1;
}

int rst_record(struct cairn_reader *reader, struct model_span *span, struct cairn_record *rec)
{
	const struct rst_impl *im = reader->impl;
	struct rst_span *ss = span->priv;
	struct rst_state *at = ss->at;
	while (kit_left(&ss->bytes) < CAIRN_RST_SIZE) {
		if (ss->finished || !ss->bytes.window.more)
			return rst_records_finish(reader, span);
		int rc = kit_fill(reader, &ss->bytes);
		if (rc < 0)
			return rc;
	}
	const uint8_t *p = ss->bytes.window.p;
	uint64_t off = kit_offset_of(&ss->bytes, p);
	const struct rst_layout *layout = rst_layout_of(p, im->version);
	*rec = (struct cairn_record){.number = at->rec,
	                             .offset = off,
	                             .data = p,
	                             .size = CAIRN_RST_SIZE,
	                             .type = p[0],
	                             .fields = ss->fields,
	                             .insn = p[0] == CAIRN_RST_RSTHEADER ? 0 : at->n};
	if (layout) {
		rec->name = layout->type_name;
		rec->n_fields = (uint16_t)rst_fields_of(layout, p, ss->fields);
	} else {
		records_unknown(reader, span, p, off, rec);
	}
	kit_skip(&ss->bytes, CAIRN_RST_SIZE);
	at->rec++;
	at->n += p[0] == CAIRN_RST_INSTR;
	return 1;
}

/* ---- names of events ---- */

/* Trap types of SPARC V9 and of the UltraSPARCs' MMUs. */
static const char *trap_name(unsigned tt)
{
	switch (tt) {
	case 0x001:
		return "POWER_ON_RESET";
	case 0x008:
		return "INSTRUCTION_ACCESS_EXCEPTION";
	case 0x009:
		return "INSTRUCTION_ACCESS_MMU_MISS";
	case 0x00a:
		return "INSTRUCTION_ACCESS_ERROR";
	case 0x010:
		return "ILLEGAL_INSTRUCTION";
	case 0x011:
		return "PRIVILEGED_OPCODE";
	case 0x012:
		return "UNIMPLEMENTED_LDD";
	case 0x013:
		return "UNIMPLEMENTED_STD";
	case 0x020:
		return "FP_DISABLED";
	case 0x021:
		return "FP_EXCEPTION_IEEE_754";
	case 0x022:
		return "FP_EXCEPTION_OTHER";
	case 0x023:
		return "TAG_OVERFLOW";
	case 0x028:
		return "DIVISION_BY_ZERO";
	case 0x02f:
		return "INTERNAL_PROCESSOR_ERROR";
	case 0x030:
		return "DATA_ACCESS_EXCEPTION";
	case 0x031:
		return "DATA_ACCESS_MMU_MISS";
	case 0x032:
		return "DATA_ACCESS_ERROR";
	case 0x034:
		return "MEM_ADDRESS_NOT_ALIGNED";
	case 0x035:
		return "LDDF_MEM_NOT_ALIGNED";
	case 0x036:
		return "STDF_MEM_NOT_ALIGNED";
	case 0x037:
		return "PRIVILEGED_ACTION";
	case 0x060:
		return "INTERRUPT_VECTOR";
	case 0x061:
		return "PA_WATCHPOINT";
	case 0x062:
		return "VA_WATCHPOINT";
	case 0x063:
		return "CORRECTED_ECC_ERROR";
	default:
		return NULL;
	}
}

static const char *trap_range(unsigned tt, char *buf)
{
	static const struct {
		uint16_t first, last;
		uint8_t shift; /* of what is counted */
		const char *name;
	} ranges[] = {
		{0x024, 0x027, 8, "CLEAN_WINDOW"},         {0x041, 0x04f, 0, "INTERRUPT_LEVEL"},
		{0x064, 0x067, 8, "FAST_INSTR_MMU_MISS"},  {0x068, 0x06b, 8, "FAST_DATA_MMU_MISS"},
		{0x06c, 0x06f, 8, "FAST_DATA_PROTECTION"}, {0x080, 0x09f, 2, "SPILL_NORMAL"},
		{0x0a0, 0x0bf, 2, "SPILL_OTHER"},          {0x0c0, 0x0df, 2, "FILL_NORMAL"},
		{0x0e0, 0x0ff, 2, "FILL_OTHER"},           {0x100, 0x17f, 0, "TRAP_INSTRUCTION"}};
	const char *name = trap_name(tt);
	if (name)
		return name;
	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
		if (tt < ranges[i].first || tt > ranges[i].last)
			continue;
		if (ranges[i].shift == 8)
			return ranges[i].name;
		unsigned n = tt == 0x041 || ranges[i].first == 0x041 ? tt - 0x040 : tt - ranges[i].first;
		snprintf(buf, 32, "%s_%u", ranges[i].name, n >> ranges[i].shift);
		return buf;
	}
	snprintf(buf, 32, "TRAP_0x%03x", tt);
	return buf;
}

const char *rst_ev_name(const struct cairn_reader *reader, const struct cairn_event *event,
                        char *buf)
{
	(void)reader;
	switch (event->kind) {
	case CAIRN_EV_EXCEPTION:
	case CAIRN_EV_INTERRUPT:
	case CAIRN_EV_SYSCALL:
		return trap_range((unsigned)event->code & 0x3ff, buf);
	case CAIRN_EV_TRAP_RETURN:
		return "TRAPEXIT";
	case CAIRN_EV_TLB:
		return event->code ? "TLB_DEMAP" : "TLB_ADD";
	case CAIRN_EV_BRANCH:
		return "RFS_BT";
	case CAIRN_EV_FORMAT:
		return cairn_rst_type_name((unsigned)event->code);
	default:
		return NULL;
	}
}
