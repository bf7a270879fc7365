/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records from values, for producers that think in records. Each shorthand checks what the record
 * can hold and gives the bytes to cairn_stf_put_record, which judges the rest. They build in one
 * buffer of the writer's, so nothing is allocated per record.
 */
#include "base/bytes.h"
#include "formats/stf/stf.h"
#include "formats/stf/write/write.h"

/* ---- building records ---- */

void stf_start(struct cairn_stf_writer *writer, unsigned type)
{
	writer->rec.len = 0;
	if (base_buf_reserve(&writer->rec, 64) < 0) {
		writer->status = CAIRN_E_NOMEM;
		return;
	}
	writer->rec.data[0] = (uint8_t)type;
	writer->rec.len = 1;
}

void stf_add(struct cairn_stf_writer *writer, unsigned width, uint64_t value)
{
	if (writer->status < 0)
		return;
	if (base_buf_reserve(&writer->rec, 8) < 0) {
		writer->status = CAIRN_E_NOMEM;
		return;
	}
	base_put_le(writer->rec.data + writer->rec.len, width, value);
	writer->rec.len += width;
}

int stf_put(struct cairn_stf_writer *writer)
{
	return writer->status < 0 ? writer->status
	                          : cairn_stf_put_record(writer, writer->rec.data, writer->rec.len);
}

int stf_put_value(struct cairn_stf_writer *writer, unsigned type, unsigned width, uint64_t value)
{
	stf_start(writer, type);
	if (width)
		stf_add(writer, width, value);
	return stf_put(writer);
}

/* End the record that was started with a text and its length. */
int stf_put_text(struct cairn_stf_writer *writer, unsigned width, const char *text, size_t n)
{
	if (n > (width == 2 ? UINT16_MAX : UINT32_MAX))
		return base_fail(writer->cairn, CAIRN_E_INVAL, "%s: a text of %zu bytes is too long for %s",
		                 writer->path, n, stf_type(writer->rec.data[0])->name);
	stf_add(writer, width, n);
	if (writer->status >= 0 && base_buf_put(&writer->rec, text, n) < 0)
		writer->status = CAIRN_E_NOMEM;
	return stf_put(writer);
}

/* May a record of an instruction stand here? */
static int in_body(struct cairn_stf_writer *writer, unsigned type)
{
	if (writer->status < 0)
		return writer->status;
	if (!writer->header_done)
		return base_fail(writer->cairn, CAIRN_E_STATE, "%s: %s comes before the header: %s",
		                 writer->path, stf_type(type)->name,
		                 writer->records ? "END_HEADER is missing"
		                                 : "nothing has been written yet");
	if (writer->cfg.protocol && stf_type(type)->flags & STF_INSN_ONLY)
		return base_fail(writer->cairn, CAIRN_E_STATE, "%s: a transaction trace cannot hold %s",
		                 writer->path, stf_type(type)->name);
	return 0;
}

/* ---- the body ---- */

int cairn_stf_put_comment(struct cairn_stf_writer *writer, const char *text, size_t n)
{
	if (writer->status < 0)
		return writer->status;
	if (n && !text[n - 1])
		return base_fail(writer->cairn, CAIRN_E_INVAL, "%s: %s", writer->path, stf_comment_nul);
	if (writer->build)
		return stf_build_comment(writer, text, n);
	if (!writer->records)
		return base_fail(writer->cairn, CAIRN_E_STATE,
		                 "%s: a trace begins with IDENTIFIER, not COMMENT", writer->path);
	stf_start(writer, CAIRN_STF_COMMENT);
	return stf_put_text(writer, 4, text, n);
}

int cairn_stf_put_force_pc(struct cairn_stf_writer *writer, uint64_t pc)
{
	int rc = in_body(writer, CAIRN_STF_FORCE_PC);
	return rc < 0 ? rc : stf_put_value(writer, CAIRN_STF_FORCE_PC, 8, pc);
}

int cairn_stf_put_pc_target(struct cairn_stf_writer *writer, uint64_t pc)
{
	int rc = in_body(writer, CAIRN_STF_INST_PC_TARGET);
	return rc < 0 ? rc : stf_put_value(writer, CAIRN_STF_INST_PC_TARGET, 8, pc);
}

int cairn_stf_put_reg(struct cairn_stf_writer *writer, enum cairn_reg_class cls, unsigned num,
                      enum cairn_reg_role role, uint64_t value)
{
	int rc = in_body(writer, CAIRN_STF_INST_REG);
	if (rc < 0)
		return rc;
	if (num > UINT16_MAX)
		return base_fail(writer->cairn, CAIRN_E_INVAL, "%s: register number %u is too big",
		                 writer->path, num);
	if (role == CAIRN_ROLE_READY)
		return stf_put_value(writer, CAIRN_STF_INST_READY_REG, 2, num);
	if (cls == CAIRN_REG_PC) { /* STF counts it as integer register 32 */
		cls = CAIRN_REG_INT;
		num = 32;
	}
	if (cls < CAIRN_REG_INT || cls > CAIRN_REG_CSR)
		return base_fail(writer->cairn, CAIRN_E_INVAL, "%s: STF has no registers of class %d",
		                 writer->path, (int)cls);
	if (role < CAIRN_ROLE_STATE || role > CAIRN_ROLE_DST)
		return base_fail(writer->cairn, CAIRN_E_INVAL,
		                 "%s: a register is state, source or destination, not %d", writer->path,
		                 (int)role);
	if (cls == CAIRN_REG_VECTOR && stf_vector_words(&writer->cfg) != 1)
		return base_fail(writer->cairn, CAIRN_E_INVAL,
		                 "%s: a vector register is not one 64-bit value: put its record",
		                 writer->path);
	stf_start(writer, CAIRN_STF_INST_REG);
	stf_add(writer, 2, num);
	stf_add(writer, 1, (unsigned)cls | (unsigned)role << 4);
	stf_add(writer, 8, value);
	return stf_put(writer);
}

int cairn_stf_put_mem(struct cairn_stf_writer *writer, enum cairn_mem_kind kind, uint64_t addr,
                      unsigned size, uint64_t value)
{
	int rc = in_body(writer, CAIRN_STF_INST_MEM_ACCESS);
	if (rc < 0)
		return rc;
	if (kind != CAIRN_MEM_READ && kind != CAIRN_MEM_WRITE)
		return base_fail(writer->cairn, CAIRN_E_INVAL,
		                 "%s: STF has reads and writes, no access of kind %d", writer->path,
		                 (int)kind);
	if (size == 0 || size > 8)
		return base_fail(writer->cairn, CAIRN_E_INVAL,
		                 "%s: an access of %u bytes is not one 64-bit value: put its records",
		                 writer->path, size);
	stf_start(writer, CAIRN_STF_INST_MEM_ACCESS);
	stf_add(writer, 8, addr);
	stf_add(writer, 2, size);
	stf_add(writer, 2, 0); /* attributes */
	stf_add(writer, 1, (unsigned)kind);
	rc = stf_put(writer);
	return rc < 0 ? rc : stf_put_value(writer, CAIRN_STF_INST_MEM_CONTENT, 8, value);
}

int cairn_stf_put_event(struct cairn_stf_writer *writer, uint64_t id, const uint64_t *args,
                        size_t n_args)
{
	int rc = in_body(writer, CAIRN_STF_EVENT);
	if (rc < 0)
		return rc;
	if (n_args > UINT8_MAX)
		return base_fail(writer->cairn, CAIRN_E_INVAL,
		                 "%s: an event has at most 255 arguments, not %zu", writer->path, n_args);
	uint64_t code = id & ~(STF_EVENT_INTERRUPT | STF_EVENT_SPECIAL);
	bool narrow = writer->cfg.event_bits == 32;
	if (narrow && code > 0x3fffffff)
		return base_fail(writer->cairn, CAIRN_E_INVAL, "%s: event 0x%llx does not fit 32 bits",
		                 writer->path, (unsigned long long)id);
	uint8_t rec[STF_LEN_EVENT + 255 * 8];
	uint8_t *words = stf_put_event(rec, writer->cfg.event_bits, id, (unsigned)n_args);
	for (size_t i = 0; i < n_args; i++)
		base_put_le64(words + 8 * i, args[i]);
	return cairn_stf_put_record(writer, rec,
	                            stf_event_length(writer->cfg.event_bits, (unsigned)n_args));
}

int cairn_stf_put_insn(struct cairn_stf_writer *writer, uint32_t enc, unsigned size)
{
	if (size != 2 && size != 4)
		return base_fail(writer->cairn, CAIRN_E_INVAL,
		                 "%s: STF has encodings of 2 and 4 bytes, not %u", writer->path, size);
	if (size == 2 && enc > UINT16_MAX)
		return base_fail(writer->cairn, CAIRN_E_INVAL, "%s: encoding 0x%x does not fit 2 bytes",
		                 writer->path, enc);
	unsigned type = size == 2 ? CAIRN_STF_INST_16 : CAIRN_STF_INST_32;
	int rc = in_body(writer, type);
	return rc < 0 ? rc : stf_put_value(writer, type, size, enc);
}
