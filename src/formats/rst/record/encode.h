/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RST_ENCODE_H
#define RST_ENCODE_H
/*
 * Records from values, for those that are made often; others go through the table
 * (cairn_rst_encode). CPU numbers above 63 need a header of 2.12; the caller sees to it.
 */
#include <stdio.h>
#include <string.h>

#include "formats/rst/record/table.h"

/* A record of this type, all else 0. */
static inline void rst_begin(uint8_t *p, enum cairn_rst_type type)
{
	memset(p, 0, CAIRN_RST_SIZE);
	p[0] = (uint8_t)type;
}

/* `bits`: enum rst_instr_bit. */
static inline void rst_make_instr(uint8_t *p, unsigned cpu, unsigned bits, uint32_t enc,
                                  uint64_t pc, uint64_t ea)
{
	base_put_be64(p, RST_TYPE_WORD(CAIRN_RST_INSTR) | rst_in_INSTR_flags(bits) |
	                     rst_in_INSTR_cpuid(cpu) | rst_in_INSTR_instr(enc));
	rst_put_INSTR_pc_va(p, pc);
	rst_put_INSTR_ea_va(p, ea);
}

static inline void rst_make_pavadiff(uint8_t *p, unsigned cpu, uint16_t ictx, uint64_t pc_diff,
                                     bool ea_valid, uint16_t dctx, uint64_t ea_diff)
{
	rst_begin(p, CAIRN_RST_PAVADIFF);
	rst_put_PAVADIFF_ea_valid(p, ea_valid);
	rst_put_PAVADIFF_cpuid(p, cpu);
	rst_put_PAVADIFF_icontext(p, ictx);
	rst_put_PAVADIFF_dcontext(p, dctx);
	rst_put_PAVADIFF_pc_pa_va(p, pc_diff);
	rst_put_PAVADIFF_ea_pa_va(p, ea_valid ? ea_diff : 0);
}

/* The second half is unused until rst_put_reg. */
static inline void rst_make_regval(uint8_t *p, unsigned cpu, bool post, unsigned type, unsigned id,
                                   uint64_t value)
{
	rst_begin(p, CAIRN_RST_REGVAL);
	rst_put_REGVAL_post(p, post);
	rst_put_REGVAL_cpuid(p, cpu);
	rst_put_reg(p, 0, type, id, value);
	rst_put_REGVAL_regtype1(p, RST_R_UNUSED);
}

struct rst_preg {
	uint16_t cpu, pstate, primary, secondary;
	uint8_t asi, tl, tt;
};
static inline void rst_make_preg(uint8_t *p, const struct rst_preg *preg)
{
	rst_begin(p, CAIRN_RST_PREG);
	rst_put_PREG_asi(p, preg->asi);
	rst_put_PREG_traplevel(p, preg->tl);
	rst_put_PREG_traptype(p, preg->tt);
	rst_put_PREG_pstate(p, preg->pstate);
	rst_put_PREG_cpuid(p, preg->cpu);
	rst_put_PREG_primary(p, preg->primary);
	rst_put_PREG_secondary(p, preg->secondary);
}

static inline void rst_make_trap(uint8_t *p, unsigned cpu, bool async, unsigned tl, unsigned tt,
                                 uint16_t pstate, uint64_t pc, uint64_t npc)
{
	rst_begin(p, CAIRN_RST_TRAP);
	rst_put_TRAP_async(p, async);
	rst_put_TRAP_tl(p, tl);
	rst_put_TRAP_cpuid(p, cpu);
	rst_put_TRAP_ttype(p, tt);
	rst_put_TRAP_pstate(p, pstate);
	rst_put_TRAP_pc(p, pc);
	rst_put_TRAP_npc(p, npc);
}

static inline void rst_make_thread(uint8_t *p, uint16_t context, uint64_t tid)
{
	rst_begin(p, CAIRN_RST_THREAD);
	rst_put_THREAD_icontext(p, context);
	rst_put_THREAD_tid(p, tid);
}

static inline void rst_make_process(uint8_t *p, uint32_t old_pid, uint32_t pid, uint32_t context)
{
	rst_begin(p, CAIRN_RST_PROCESS);
	rst_put_PROCESS_oldpid(p, old_pid);
	rst_put_PROCESS_newpid(p, pid);
	rst_put_PROCESS_newctx(p, context);
}

/* The next of a text's records; true while another follows. The last one has the NUL. */
static inline bool rst_make_string(uint8_t *p, const char **text, size_t *n)
{
	bool more = *n >= RST_SIZE_STRDESC_text;
	size_t here = more ? (size_t)RST_SIZE_STRDESC_text : *n;
	rst_begin(p, more ? CAIRN_RST_STRCONT : CAIRN_RST_STRDESC);
	rst_put_STRDESC_text(p, *text, here);
	*text += here;
	*n -= here;
	return more;
}

/* The first three records of a trace made now. */
static inline void rst_make_header(uint8_t *p, unsigned version)
{
	char text[RST_SIZE_RSTHEADER_magic] = "RST Header v";
	size_t n = strlen(text);
	unsigned major = version >> 8, minor = version & 255;
	snprintf(text + n, sizeof text - n, "%u.%02u", major % 10, minor % 100);
	rst_begin(p, CAIRN_RST_RSTHEADER);
	rst_put_RSTHEADER_major(p, major);
	rst_put_RSTHEADER_minor(p, minor);
	rst_put_RSTHEADER_percent(p, "%", 1);
	rst_put_RSTHEADER_magic(p, text, sizeof text);
}

static inline void rst_make_level(uint8_t *p, uint16_t level, uint64_t now)
{
	rst_begin(p, CAIRN_RST_TRACEINFO);
	rst_put_NLEVEL_rtype2(p, 2);
	rst_put_NLEVEL_level(p, level);
	rst_put_NLEVEL_time(p, now);
}

/* How many CPUs an INFO2 names, as far as it can. */
static inline void rst_put_cpus(uint8_t *p, unsigned max_cpu, unsigned cpus)
{
	rst_put_INFO2_max_cpu_id(p, max_cpu > 255 ? 255 : max_cpu);
	rst_put_INFO2_total_num_cpus(p, cpus > 255 ? 255 : cpus);
}

/* `cpus` at least 1; clause 2(c). */
static inline void rst_make_info2(uint8_t *p, unsigned max_cpu, unsigned cpus, uint64_t created,
                                  uint64_t modified)
{
	rst_begin(p, CAIRN_RST_TRACEINFO);
	rst_put_INFO2_rtype2(p, 3);
	rst_put_cpus(p, max_cpu, cpus);
	rst_put_INFO2_spec_minor(p, 1);
	rst_put_INFO2_spec_sub_minor(p, 1);
	rst_put_INFO2_date_created(p, created);
	rst_put_INFO2_date_modified(p, modified);
}

#endif
