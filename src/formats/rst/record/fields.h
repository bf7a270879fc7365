/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RST_FIELDS_H
#define RST_FIELDS_H
/*
 * The rows of RST's record table: every layout of rstf 2.13 and before, and its fields. From these
 * rows come struct rst_field, which serves printing and encoding, and the getters and putters of
 * table.h.
 */

/* Versions compare as numbers. 0: unknown. */
#define RST_VERSION(major, minor) ((major) << 8 | (minor))
enum {
	RST_NEWEST = RST_VERSION(2, 13),
	RST_ALWAYS = 0,
	RST_FOREVER = 0xffff,
	RST_V_CPUID10 = RST_VERSION(2, 12) /* CPU numbers of 10 bits, hpriv */
};

/* Name, type, first and last version, what selects it (enum rst_select). The layouts of a type
 * are tried in this order; T begins a type, L is one more layout of it. */
#define RST_LAYOUTS_OF(T, L) \
	T(RSTHEADER, RSTHEADER, RST_ALWAYS, RST_FOREVER, ANY) \
	T(INSTR, INSTR, RST_V_CPUID10, RST_FOREVER, ANY) \
	L(INSTR_2_11, INSTR, RST_VERSION(1, 10), RST_VERSION(2, 11), ANY) \
	L(INSTR_1_09, INSTR, RST_ALWAYS, RST_VERSION(1, 9), ANY) \
	T(NLEVEL, TRACEINFO, RST_VERSION(1, 10), RST_FOREVER, LEVEL) \
	L(CPUINFO, TRACEINFO, RST_VERSION(1, 10), RST_FOREVER, INFO_3_SHORT) \
	L(INFO2, TRACEINFO, RST_VERSION(1, 10), RST_FOREVER, INFO_3) \
	L(CPUIDINFO, TRACEINFO, RST_VERSION(1, 10), RST_FOREVER, INFO_4) \
	L(TRACEINFO, TRACEINFO, RST_VERSION(1, 10), RST_FOREVER, ANY) \
	L(ASI, TRACEINFO, RST_ALWAYS, RST_VERSION(1, 9), ANY) \
	T(TLB, TLB, RST_V_CPUID10, RST_FOREVER, ANY) \
	L(TLB_2_11, TLB, RST_ALWAYS, RST_VERSION(2, 11), ANY) \
	T(THREAD, THREAD, RST_ALWAYS, RST_FOREVER, ANY) \
	T(TRAP, TRAP, RST_V_CPUID10, RST_FOREVER, ANY) \
	L(TRAP_2_11, TRAP, RST_VERSION(1, 10), RST_VERSION(2, 11), ANY) \
	L(TRAP_1_09, TRAP, RST_ALWAYS, RST_VERSION(1, 9), ANY) \
	T(TRAPEXIT, TRAPEXIT, RST_V_CPUID10, RST_FOREVER, ANY) \
	L(TRAPEXIT_2_11, TRAPEXIT, RST_VERSION(2, 6), RST_VERSION(2, 11), ANY) \
	L(TRAPEXIT_2_05, TRAPEXIT, RST_ALWAYS, RST_VERSION(2, 5), ANY) \
	T(REGVAL, REGVAL, RST_V_CPUID10, RST_FOREVER, ANY) \
	L(REGVAL_2_11, REGVAL, RST_ALWAYS, RST_VERSION(2, 11), ANY) \
	T(CPU, CPU, RST_ALWAYS, RST_FOREVER, ANY) \
	T(PROCESS, PROCESS, RST_ALWAYS, RST_FOREVER, ANY) \
	T(DMA, DMA, RST_ALWAYS, RST_FOREVER, ANY) \
	T(STRDESC, STRDESC, RST_ALWAYS, RST_FOREVER, ANY) \
	T(LEFTDELIM, LEFTDELIM, RST_ALWAYS, RST_FOREVER, ANY) \
	T(RIGHTDELIM, RIGHTDELIM, RST_ALWAYS, RST_FOREVER, ANY) \
	T(PREG, PREG, RST_V_CPUID10, RST_FOREVER, ANY) \
	L(PREG_2_11, PREG, RST_VERSION(2, 5), RST_VERSION(2, 11), ANY) \
	L(CONTEXT, PREG, RST_ALWAYS, RST_VERSION(2, 4), ANY) \
	T(PHYSADDR, PHYSADDR, RST_V_CPUID10, RST_FOREVER, ANY) \
	L(PHYSADDR_2_11, PHYSADDR, RST_ALWAYS, RST_VERSION(2, 11), ANY) \
	T(PAVADIFF, PAVADIFF, RST_V_CPUID10, RST_FOREVER, ANY) \
	L(PAVADIFF_2_11, PAVADIFF, RST_ALWAYS, RST_VERSION(2, 11), ANY) \
	T(NULLREC, NULLREC, RST_ALWAYS, RST_FOREVER, ANY) \
	T(STRCONT, STRCONT, RST_ALWAYS, RST_FOREVER, ANY) \
	T(RECNUM, RECNUM, RST_V_CPUID10, RST_FOREVER, BIT8_SET) \
	L(FILEMARKER, RECNUM, RST_V_CPUID10, RST_FOREVER, ANY) \
	L(RECNUM_2_11, RECNUM, RST_ALWAYS, RST_VERSION(2, 11), BIT8_SET) \
	L(FILEMARKER_2_11, RECNUM, RST_ALWAYS, RST_VERSION(2, 11), ANY) \
	T(STATUS, STATUS, RST_VERSION(2, 5), RST_FOREVER, ANY) \
	L(STATUS_2_04, STATUS, RST_ALWAYS, RST_VERSION(2, 4), ANY) \
	T(PATCH, PATCH, RST_ALWAYS, RST_FOREVER, ANY) \
	T(HWINFO, HWINFO, RST_ALWAYS, RST_FOREVER, ANY) \
	T(MEMVAL128, MEMVAL, RST_V_CPUID10, RST_FOREVER, BIT8_SET) \
	L(MEMVAL64, MEMVAL, RST_V_CPUID10, RST_FOREVER, ANY) \
	L(MEMVAL128_2_11, MEMVAL, RST_VERSION(2, 1), RST_VERSION(2, 11), BIT8_SET) \
	L(MEMVAL64_2_11, MEMVAL, RST_VERSION(2, 1), RST_VERSION(2, 11), ANY) \
	T(BUSTRACE, BUSTRACE, RST_VERSION(2, 5), RST_FOREVER, ANY) \
	L(BUSTRACE_2_04, BUSTRACE, RST_VERSION(2, 2), RST_VERSION(2, 4), ANY) \
	T(SNOOP, SNOOP, RST_VERSION(2, 7), RST_FOREVER, ANY) \
	T(TSB_ACCESS, TSB_ACCESS, RST_VERSION(2, 9), RST_FOREVER, ANY) \
	L(TSB_ACCESS_2_08, TSB_ACCESS, RST_VERSION(2, 8), RST_VERSION(2, 8), ANY) \
	T(RFS_SECTION_HEADER, RFS_SECTION_HEADER, RST_VERSION(2, 10), RST_FOREVER, ANY) \
	T(RFS_CW_DMA, RFS_CW, RST_VERSION(2, 10), RST_FOREVER, CW_DMA) \
	L(RFS_CW, RFS_CW, RST_VERSION(2, 10), RST_FOREVER, ANY) \
	T(RFS_BT, RFS_BT, RST_VERSION(2, 10), RST_FOREVER, ANY) \
	T(RFS_RST, RFS_RST, RST_VERSION(2, 10), RST_FOREVER, ANY) \
	T(TRAPPING_INSTR, TRAPPING_INSTR, RST_VERSION(2, 13), RST_FOREVER, ANY)

/* The fields of each layout, in the order in which they are printed.
 *
 * F(layout, name, kind, place): the kind is one of enum rst_field_kind, NAME with its names. The
 * place is W(byte, bytes), whole bytes; B(byte, highest bit, bits), a run of bits that begins in
 * that byte; or TWO(byte, highest bit, bits, byte, highest bit, bits), the upper bits first, of a
 * CPU number that grew. Layouts of one type share what they have in common. */
/* clang-format off */
#define RST_FIELDS_RSTHEADER(F, L) \
	F(L, major, DEC, W(1, 1)) F(L, minor, DEC, W(2, 1)) F(L, percent, TEXT, W(3, 1)) \
	F(L, magic, TEXT, W(4, 20))
#define RST_REST_INSTR(F, L) \
	F(L, pc_va, HEX, W(8, 8)) F(L, instr, HEX, W(4, 4)) F(L, ea_valid, DEC, B(1, 6, 1)) \
	F(L, ea_va, HEX, W(16, 8)) F(L, tr, DEC, B(1, 5, 1))
#define RST_FLAGS_INSTR(F, L) \
	F(L, pr, DEC, B(1, 3, 1)) F(L, bt, DEC, B(1, 2, 1)) F(L, an, DEC, B(1, 1, 1))
#define RST_FIELDS_INSTR(F, L) \
	F(L, cpuid, DEC, TWO(2, 1, 4, 2, 7, 6)) RST_REST_INSTR(F, L) F(L, hpriv, DEC, B(1, 4, 1)) \
	RST_FLAGS_INSTR(F, L)
#define RST_FIELDS_INSTR_2_11(F, L) \
	F(L, cpuid, DEC, B(2, 7, 6)) RST_REST_INSTR(F, L) RST_FLAGS_INSTR(F, L) \
	F(L, ihash, HEX, B(2, 1, 10))
#define RST_FIELDS_INSTR_1_09(F, L) \
	RST_REST_INSTR(F, L) RST_FLAGS_INSTR(F, L) F(L, ihash, HEX, B(2, 1, 10))
#define RST_FIELDS_NLEVEL(F, L) \
	F(L, rtype2, NAME(rst_info_types), W(1, 1)) F(L, level, DEC, W(2, 2)) \
	F(L, val32, DEC, W(4, 4)) F(L, time, DEC, W(8, 8))
#define RST_FIELDS_CPUINFO(F, L) \
	F(L, rtype2, DEC, W(1, 1)) F(L, numcpus, DEC, W(2, 2)) F(L, min_cpuid, DEC, W(4, 2)) \
	F(L, max_cpuid, DEC, W(6, 2))
#define RST_FIELDS_INFO2(F, L) \
	F(L, rtype2, DEC, W(1, 1)) F(L, max_cpu_id, DEC, W(2, 1)) F(L, total_num_cpus, DEC, W(3, 1)) \
	F(L, spec_major, DEC, W(4, 1)) F(L, spec_minor, DEC, W(5, 1)) \
	F(L, spec_sub_minor, DEC, W(6, 1)) F(L, date_created, DEC, W(8, 8)) \
	F(L, date_modified, DEC, W(16, 8))
#define RST_FIELDS_CPUIDINFO(F, L) \
	F(L, rtype2, DEC, W(1, 1)) F(L, cpuid0, DEC, W(4, 2)) F(L, cpuid1, DEC, W(6, 2)) \
	F(L, cpuid2, DEC, W(8, 2)) F(L, cpuid3, DEC, W(10, 2)) F(L, cpuid4, DEC, W(12, 2)) \
	F(L, cpuid5, DEC, W(14, 2)) F(L, cpuid6, DEC, W(16, 2)) F(L, cpuid7, DEC, W(18, 2)) \
	F(L, cpuid8, DEC, W(20, 2)) F(L, cpuid9, DEC, W(22, 2))
#define RST_FIELDS_TRACEINFO(F, L) F(L, rtype2, DEC, W(1, 1)) F(L, data, BYTES, W(2, 22))
#define RST_FIELDS_ASI(F, L) F(L, data, BYTES, W(1, 23))
#define RST_REST_TLB(F, L) \
	F(L, op, NAME(rst_add_demap), B(1, 7, 1)) F(L, tlb, NAME(rst_tlb_types), B(1, 6, 1)) \
	F(L, tlb_no, DEC, B(4, 7, 2)) F(L, tlb_index, DEC, W(2, 2)) F(L, tte_tag, HEX, W(8, 8)) \
	F(L, tte_data, HEX, W(16, 8))
#define RST_FIELDS_TLB(F, L) F(L, cpuid, DEC, TWO(5, 7, 4, 4, 5, 6)) RST_REST_TLB(F, L)
#define RST_FIELDS_TLB_2_11(F, L) F(L, cpuid, DEC, B(4, 5, 6)) RST_REST_TLB(F, L)
#define RST_FIELDS_THREAD(F, L) F(L, icontext, DEC, W(2, 2)) F(L, tid, HEX, W(8, 8))
#define RST_REST_TRAP(F, L) \
	F(L, async, DEC, B(1, 7, 1)) F(L, tl, DEC, B(1, 3, 4)) F(L, ttype, HEX, B(2, 1, 10)) \
	F(L, pstate, HEX, W(4, 2)) F(L, syscall, DEC, B(6, 3, 12)) F(L, pc, HEX, W(8, 8)) \
	F(L, npc, HEX, W(16, 8))
#define RST_FIELDS_TRAP(F, L) F(L, cpuid, DEC, TWO(6, 7, 4, 2, 7, 6)) RST_REST_TRAP(F, L)
#define RST_FIELDS_TRAP_2_11(F, L) F(L, cpuid, DEC, B(2, 7, 6)) RST_REST_TRAP(F, L)
#define RST_FIELDS_TRAP_1_09(F, L) RST_REST_TRAP(F, L)
#define RST_REST_TRAPEXIT(F, L) F(L, tl, DEC, W(1, 1)) F(L, tstate, HEX, W(4, 4))
#define RST_FIELDS_TRAPEXIT(F, L) F(L, cpuid, DEC, TWO(2, 1, 4, 2, 7, 6)) RST_REST_TRAPEXIT(F, L)
#define RST_FIELDS_TRAPEXIT_2_11(F, L) F(L, cpuid, DEC, B(2, 7, 6)) RST_REST_TRAPEXIT(F, L)
#define RST_FIELDS_TRAPEXIT_2_05(F, L) \
	F(L, cpuid, DEC, B(2, 7, 6)) RST_REST_TRAPEXIT(F, L) F(L, pc, HEX, W(8, 8)) \
	F(L, npc, HEX, W(16, 8))
#define RST_REST_REGVAL(F, L) \
	F(L, post, DEC, B(1, 7, 1)) F(L, regtype0, NAME(rst_reg_types), W(2, 1)) \
	F(L, regid0, DEC, W(4, 1)) F(L, value0, HEX, W(8, 8)) \
	F(L, regtype1, NAME(rst_reg_types), W(3, 1)) F(L, regid1, DEC, W(5, 1)) \
	F(L, value1, HEX, W(16, 8))
#define RST_FIELDS_REGVAL(F, L) F(L, cpuid, DEC, TWO(6, 7, 3, 1, 6, 7)) RST_REST_REGVAL(F, L)
#define RST_FIELDS_REGVAL_2_11(F, L) F(L, cpuid, DEC, B(1, 6, 7)) RST_REST_REGVAL(F, L)
#define RST_FIELDS_CPU(F, L) F(L, cpu, DEC, W(6, 2)) F(L, timestamp, DEC, W(16, 8))
#define RST_FIELDS_PROCESS(F, L) \
	F(L, oldpid, DEC, W(8, 4)) F(L, newpid, DEC, W(12, 4)) F(L, oldctx, DEC, W(16, 4)) \
	F(L, newctx, DEC, W(20, 4))
#define RST_FIELDS_DMA(F, L) \
	F(L, iswrite, DEC, B(1, 0, 1)) F(L, nbytes, DEC, W(4, 4)) F(L, start_pa, HEX, W(8, 8))
#define RST_FIELDS_STRDESC(F, L) F(L, text, TEXT, W(1, 23))
#define RST_FIELDS_STRCONT(F, L) F(L, text, TEXT, W(1, 23))
#define RST_REST_DELIM(F, L) \
	F(L, id, DEC, W(1, 1)) F(L, what, NAME(rst_delims), W(2, 2)) F(L, length, DEC, W(4, 4))
#define RST_FIELDS_LEFTDELIM(F, L) RST_REST_DELIM(F, L)
#define RST_FIELDS_RIGHTDELIM(F, L) RST_REST_DELIM(F, L)
#define RST_REST_PREG(F, L) \
	F(L, traplevel, DEC, W(4, 1)) F(L, traptype, HEX, W(5, 1)) F(L, pstate, HEX, W(6, 2)) \
	F(L, asi, HEX, W(1, 1)) F(L, primA, HEX, W(16, 2)) F(L, secA, HEX, W(18, 2)) \
	F(L, primD, HEX, W(20, 2)) F(L, secD, HEX, W(22, 2))
#define RST_FIELDS_PREG(F, L) F(L, cpuid, DEC, TWO(9, 7, 2, 8, 7, 8)) RST_REST_PREG(F, L)
#define RST_FIELDS_PREG_2_11(F, L) F(L, cpuid, DEC, B(8, 7, 8)) RST_REST_PREG(F, L)
#define RST_FIELDS_CONTEXT(F, L) \
	F(L, cpuid, DEC, B(8, 7, 8)) RST_REST_PREG(F, L) F(L, lastcontext, HEX, W(2, 2))
#define RST_REST_PHYSADDR(F, L) \
	F(L, pc_pa, HEX, W(8, 8)) F(L, ea_valid, DEC, B(1, 7, 1)) F(L, ea_pa, HEX, W(16, 8))
#define RST_FIELDS_PHYSADDR(F, L) F(L, cpuid, DEC, TWO(2, 7, 3, 1, 6, 7)) RST_REST_PHYSADDR(F, L)
#define RST_FIELDS_PHYSADDR_2_11(F, L) F(L, cpuid, DEC, B(1, 6, 7)) RST_REST_PHYSADDR(F, L)
#define RST_REST_PAVADIFF(F, L) \
	F(L, icontext, HEX, W(4, 2)) F(L, pc_pa_va, HEX, W(8, 8)) F(L, ea_valid, DEC, B(1, 7, 1)) \
	F(L, dcontext, HEX, W(6, 2)) F(L, ea_pa_va, HEX, W(16, 8))
#define RST_FIELDS_PAVADIFF(F, L) F(L, cpuid, DEC, TWO(2, 7, 3, 1, 6, 7)) RST_REST_PAVADIFF(F, L)
#define RST_FIELDS_PAVADIFF_2_11(F, L) F(L, cpuid, DEC, B(1, 6, 7)) RST_REST_PAVADIFF(F, L)
#define RST_FIELDS_NULLREC(F, L)
#define RST_REST_RECNUM(F, L) \
	F(L, is_recnum, DEC, B(1, 7, 1)) F(L, level, DEC, B(1, 6, 7)) F(L, rectype, DEC, W(2, 1)) \
	F(L, incount, DEC, W(8, 8)) F(L, outcount, DEC, W(16, 8))
#define RST_FIELDS_RECNUM(F, L) F(L, cpuid, DEC, TWO(4, 7, 2, 3, 7, 8)) RST_REST_RECNUM(F, L)
#define RST_FIELDS_FILEMARKER(F, L) RST_FIELDS_RECNUM(F, L)
#define RST_FIELDS_RECNUM_2_11(F, L) F(L, cpuid, DEC, B(3, 7, 8)) RST_REST_RECNUM(F, L)
#define RST_FIELDS_FILEMARKER_2_11(F, L) RST_FIELDS_RECNUM_2_11(F, L)
#define RST_FIELDS_STATUS(F, L) \
	F(L, status, NAME(rst_statuses), W(1, 1)) F(L, analyzer, NAME(rst_analyzers), W(2, 1)) \
	F(L, command, NAME(rst_commands), W(3, 1))
#define RST_FIELDS_STATUS_2_04(F, L) F(L, status, NAME(rst_statuses), W(1, 1))
#define RST_FIELDS_PATCH(F, L) \
	F(L, begin, DEC, B(1, 0, 1)) F(L, rewindrecs, DEC, W(2, 1)) F(L, id, DEC, W(3, 1)) \
	F(L, length, DEC, W(4, 2)) F(L, descr, TEXT, W(8, 16))
#define RST_FIELDS_HWINFO(F, L) \
	F(L, sim, DEC, B(1, 7, 1)) F(L, category, NAME(rst_categories), W(2, 1)) \
	F(L, infotype, DEC, W(3, 1)) F(L, index, DEC, W(4, 2)) F(L, nument, DEC, W(6, 2)) \
	F(L, val, DEC, W(8, 8)) F(L, val2, DEC, W(16, 8))
#define RST_REST_MEMVAL64(F, L) \
	F(L, is128, DEC, B(1, 7, 1)) F(L, is_va, DEC, B(1, 6, 1)) F(L, size, DEC, B(3, 3, 4)) \
	F(L, addr, HEX, W(8, 8)) F(L, value, HEX, W(16, 8))
#define RST_REST_MEMVAL128(F, L) \
	F(L, is128, DEC, B(1, 7, 1)) F(L, is_va, DEC, B(1, 6, 1)) F(L, is_cont, DEC, B(1, 5, 1)) \
	F(L, addr, ADDR44, W(3, 5)) F(L, value0, HEX, W(8, 8)) F(L, value1, HEX, W(16, 8))
#define RST_FIELDS_MEMVAL64(F, L) F(L, cpuid, DEC, TWO(1, 1, 2, 2, 7, 8)) RST_REST_MEMVAL64(F, L)
#define RST_FIELDS_MEMVAL128(F, L) F(L, cpuid, DEC, TWO(1, 1, 2, 2, 7, 8)) RST_REST_MEMVAL128(F, L)
#define RST_FIELDS_MEMVAL64_2_11(F, L) F(L, cpuid, DEC, B(2, 7, 8)) RST_REST_MEMVAL64(F, L)
#define RST_FIELDS_MEMVAL128_2_11(F, L) F(L, cpuid, DEC, B(2, 7, 8)) RST_REST_MEMVAL128(F, L)
#define RST_FIRST_BUSTRACE(F, L) \
	F(L, txtype, NAME(rst_bus_types), B(2, 7, 6)) F(L, agentid, DEC, B(2, 1, 10)) \
	F(L, bt_type, DEC, B(1, 3, 4)) F(L, dirtyvictim, DEC, B(1, 7, 1)) \
	F(L, shared, DEC, B(1, 6, 1)) F(L, owned, DEC, B(1, 5, 1)) F(L, memcancel, DEC, B(1, 4, 1))
#define RST_LAST_BUSTRACE(F, L) \
	F(L, ns_scale, DEC, B(4, 6, 1)) F(L, timestamp, DEC, B(4, 5, 20)) F(L, impl, HEX, W(8, 8)) \
	F(L, pa, HEX, W(16, 8))
#define RST_FIELDS_BUSTRACE(F, L) \
	RST_FIRST_BUSTRACE(F, L) F(L, tdiff, DEC, B(4, 7, 1)) RST_LAST_BUSTRACE(F, L)
#define RST_FIELDS_BUSTRACE_2_04(F, L) RST_FIRST_BUSTRACE(F, L) RST_LAST_BUSTRACE(F, L)
#define RST_FIELDS_SNOOP(F, L) \
	F(L, snoop, NAME(rst_snoop_types), W(1, 1)) F(L, device_id, DEC, W(2, 2)) \
	F(L, size, DEC, W(4, 4)) F(L, pa, HEX, W(8, 8)) \
	F(L, device_type, NAME(rst_device_types), W(16, 2))
#define RST_FIELDS_TSB_ACCESS(F, L) \
	F(L, cpuid, DEC, B(2, 1, 10)) F(L, isdata, DEC, B(1, 0, 1)) F(L, pa, HEX, W(8, 8)) \
	F(L, va, HEX, W(16, 8))
#define RST_FIELDS_TSB_ACCESS_2_08(F, L) \
	F(L, cpuid, DEC, B(2, 1, 10)) F(L, pa, HEX, W(8, 8)) F(L, va, HEX, W(16, 8))
#define RST_FIELDS_RFS_SECTION_HEADER(F, L) \
	F(L, section_type, NAME(rst_section_types), W(1, 1)) F(L, n_records, DEC, W(8, 8))
#define RST_FIELDS_RFS_CW_DMA(F, L) \
	F(L, cpuid, DEC, B(1, 7, 10)) F(L, reftype, NAME(rst_ref_types), B(2, 5, 6)) \
	F(L, size, DEC, W(4, 4)) F(L, va, HEX, W(8, 8)) F(L, pa, HEX, W(16, 8))
#define RST_FIELDS_RFS_CW(F, L) \
	F(L, cpuid, DEC, B(1, 7, 10)) F(L, reftype, NAME(rst_ref_types), B(2, 5, 6)) \
	F(L, asi, HEX, W(4, 1)) F(L, fcn, DEC, B(5, 6, 5)) F(L, va_valid, DEC, B(5, 7, 1)) \
	F(L, va, HEX, W(8, 8)) F(L, pa, HEX, W(16, 8))
#define RST_FIELDS_RFS_BT(F, L) \
	F(L, cpuid, DEC, B(1, 7, 10)) F(L, taken, DEC, B(2, 5, 1)) F(L, instr, HEX, W(4, 4)) \
	F(L, pc, HEX, W(8, 8)) F(L, npc, HEX, W(16, 8))
#define RST_FIELDS_RFS_RST(F, L) F(L, data, BYTES, W(1, 23))
#define RST_FIELDS_TRAPPING_INSTR(F, L) \
	F(L, cpuid, DEC, B(2, 7, 10)) F(L, pc_va, HEX, W(8, 8)) F(L, instr, HEX, W(4, 4)) \
	F(L, ea_va_valid, DEC, B(1, 4, 1)) F(L, ea_pa_valid, DEC, B(1, 3, 1)) F(L, ea, HEX, W(16, 8)) \
	F(L, hpriv, DEC, B(1, 7, 1)) F(L, priv, DEC, B(1, 6, 1)) F(L, iftrap, DEC, B(1, 5, 1))

/* Fields that are read and written together: G(layout, name, place). */
#define RST_GROUPS(G) \
	G(INSTR, flags, W(1, 1)) G(PREG, contexts, W(16, 8))
/* clang-format on */

#endif
