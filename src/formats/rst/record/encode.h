/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RST_ENCODE_H
#define RST_ENCODE_H
/*
 * Records from values, for those that are made often; others go through the table
 * (cairn_rst_encode). CPU numbers above 63 need a header of 2.12; the caller sees to it.
 * The bytes are zero before.
 */
#include <string.h>
#include <time.h>

#include "formats/rst/record/table.h"

static inline void rst_put_be16(uint8_t *p, uint16_t value)
{
	base_put_le16(p, __builtin_bswap16(value));
}
static inline void rst_put_be32(uint8_t *p, uint32_t value)
{
	base_put_le32(p, __builtin_bswap32(value));
}
static inline void rst_put_be64(uint8_t *p, uint64_t value)
{
	base_put_le64(p, __builtin_bswap64(value));
}

/* `bits`: enum rst_instr_bit. */
static inline void rst_make_instr(uint8_t *p, unsigned cpu, unsigned bits, uint32_t enc,
                                  uint64_t pc, uint64_t ea)
{
	p[0] = CAIRN_RST_INSTR;
	p[1] = (uint8_t)bits;
	rst_put_be16(p + 2, (uint16_t)((cpu & 63) << 10 | cpu >> 6 << 6));
	rst_put_be32(p + 4, enc);
	rst_put_be64(p + 8, pc);
	rst_put_be64(p + 16, ea);
}

static inline void rst_make_pavadiff(uint8_t *p, unsigned cpu, uint16_t ictx, uint64_t pc_diff,
                                     bool ea_valid, uint16_t dctx, uint64_t ea_diff)
{
	memset(p, 0, CAIRN_RST_SIZE);
	p[0] = CAIRN_RST_PAVADIFF;
	p[1] = (uint8_t)((ea_valid ? 0x80u : 0) | (cpu & 127));
	p[2] = (uint8_t)(cpu >> 7 << 5);
	rst_put_be16(p + 4, ictx);
	rst_put_be16(p + 6, dctx);
	rst_put_be64(p + 8, pc_diff);
	rst_put_be64(p + 16, ea_valid ? ea_diff : 0);
}

/* The second half is unused until rst_more_regval. */
static inline void rst_make_regval(uint8_t *p, unsigned cpu, bool post, unsigned type, unsigned id,
                                   uint64_t value)
{
	memset(p, 0, CAIRN_RST_SIZE);
	p[0] = CAIRN_RST_REGVAL;
	p[1] = (uint8_t)((post ? 0x80u : 0) | (cpu & 127));
	p[2] = (uint8_t)type;
	p[3] = RST_R_UNUSED;
	p[4] = (uint8_t)id;
	p[6] = (uint8_t)(cpu >> 7 << 5);
	rst_put_be64(p + 8, value);
}
static inline void rst_more_regval(uint8_t *p, unsigned type, unsigned id, uint64_t value)
{
	p[3] = (uint8_t)type;
	p[5] = (uint8_t)id;
	rst_put_be64(p + 16, value);
}

struct rst_preg {
	uint16_t cpu, pstate, primary, secondary;
	uint8_t asi, tl, tt;
};
static inline void rst_make_preg(uint8_t *p, const struct rst_preg *preg)
{
	memset(p, 0, CAIRN_RST_SIZE);
	p[0] = CAIRN_RST_PREG;
	p[1] = preg->asi;
	p[4] = preg->tl;
	p[5] = preg->tt;
	rst_put_be16(p + 6, preg->pstate);
	p[8] = (uint8_t)preg->cpu;
	p[9] = (uint8_t)(preg->cpu >> 8 << 6);
	rst_put_be16(p + 16, preg->primary);
	rst_put_be16(p + 18, preg->secondary);
	rst_put_be16(p + 20, preg->primary);
	rst_put_be16(p + 22, preg->secondary);
}

static inline void rst_make_trap(uint8_t *p, unsigned cpu, bool async, unsigned tl, unsigned tt,
                                 uint16_t pstate, uint64_t pc, uint64_t npc)
{
	memset(p, 0, CAIRN_RST_SIZE);
	p[0] = CAIRN_RST_TRAP;
	p[1] = (uint8_t)((async ? 0x80u : 0) | (tl & 15));
	rst_put_be16(p + 2, (uint16_t)((cpu & 63) << 10 | (tt & 0x3ff)));
	rst_put_be16(p + 4, pstate);
	rst_put_be16(p + 6, (uint16_t)(cpu >> 6 << 12));
	rst_put_be64(p + 8, pc);
	rst_put_be64(p + 16, npc);
}

static inline void rst_make_thread(uint8_t *p, uint16_t context, uint64_t tid)
{
	memset(p, 0, CAIRN_RST_SIZE);
	p[0] = CAIRN_RST_THREAD;
	rst_put_be16(p + 2, context);
	rst_put_be64(p + 8, tid);
}

static inline void rst_make_process(uint8_t *p, uint32_t old_pid, uint32_t pid, uint32_t context)
{
	memset(p, 0, CAIRN_RST_SIZE);
	p[0] = CAIRN_RST_PROCESS;
	rst_put_be32(p + 8, old_pid);
	rst_put_be32(p + 12, pid);
	rst_put_be32(p + 20, context);
}

/* The next of a text's records; true while another follows. The last one has the NUL. */
static inline bool rst_make_string(uint8_t *p, const char **text, size_t *n)
{
	size_t here = *n < CAIRN_RST_SIZE - 1 ? *n : (size_t)(CAIRN_RST_SIZE - 1);
	bool more = *n >= CAIRN_RST_SIZE - 1;
	memset(p, 0, CAIRN_RST_SIZE);
	p[0] = more ? CAIRN_RST_STRCONT : CAIRN_RST_STRDESC;
	memcpy(p + 1, *text, here);
	*text += here;
	*n -= here;
	return more;
}

/* The first three records of a trace made now. */
static inline void rst_make_header(uint8_t *p, unsigned version)
{
	static const char digits[] = "0123456789";
	unsigned major = version >> 8, minor = version & 255;
	memset(p, 0, CAIRN_RST_SIZE);
	p[0] = CAIRN_RST_RSTHEADER;
	p[1] = (uint8_t)major;
	p[2] = (uint8_t)minor;
	p[3] = '%';
	memcpy(p + 4, "RST Header v", 12);
	p[16] = (uint8_t)digits[major % 10];
	p[17] = '.';
	p[18] = (uint8_t)digits[minor / 10 % 10];
	p[19] = (uint8_t)digits[minor % 10];
}

static inline void rst_make_level(uint8_t *p, uint16_t level, uint64_t now)
{
	memset(p, 0, CAIRN_RST_SIZE);
	p[0] = CAIRN_RST_TRACEINFO;
	p[1] = 2;
	rst_put_be16(p + 2, level);
	rst_put_be64(p + 8, now);
}

/* `cpus` at least 1; clause 2(c). */
static inline void rst_make_info2(uint8_t *p, unsigned max_cpu, unsigned cpus, uint64_t created,
                                  uint64_t modified)
{
	memset(p, 0, CAIRN_RST_SIZE);
	p[0] = CAIRN_RST_TRACEINFO;
	p[1] = 3;
	p[2] = (uint8_t)(max_cpu > 255 ? 255 : max_cpu);
	p[3] = (uint8_t)(cpus > 255 ? 255 : cpus);
	p[4] = 0;
	p[5] = 1;
	p[6] = 1;
	rst_put_be64(p + 8, created);
	rst_put_be64(p + 16, modified);
}

#endif
