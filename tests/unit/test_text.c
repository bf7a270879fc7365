/* SPDX-License-Identifier: Apache-2.0 */
/* Logs of Spike, Tarmac and execlog: every form of line, and every way of reading them. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cairn/cairn.h"
#include "fixtures/fixtures.h"
#include "io/io.h"
#include "text/text.h"

static struct cairn_reader *open_text(struct cairn *cairn, const char *text, size_t n,
                                      const char *from)
{
	struct cairn_open_opts opts = {.size = sizeof opts, .from = from};
	struct cairn_reader *reader = NULL;
	assert_int_equal(cairn_open_memory(cairn, text, n, &opts, &reader), 0);
	return reader;
}

/* The first batch of a log whose format is found by content. */
static struct cairn_reader *first(struct cairn *cairn, const char *text, const char *format,
                                  struct cairn_batch *batch)
{
	struct cairn_reader *reader = open_text(cairn, text, strlen(text), NULL);
	assert_string_equal(cairn_reader_format(reader), format);
	assert_int_equal(cairn_next(reader, batch), 1);
	assert_null(check_batch(batch));
	return reader;
}

static const char *asm_of(const struct cairn_batch *batch, uint32_t index, char *buf, size_t size)
{
	snprintf(buf, size, "%.*s", (int)batch->asms[index].len,
	         (const char *)batch->bytes + batch->asms[index].text);
	return buf;
}

/* ---- Spike ---- */

static void spike_both(void **state)
{
	static const char log[] =
		"core   0: 0x0000000080000000 (0x00000297) auipc   t0, 0x0\n"
		"core   0: 3 0x0000000080000000 (0x00000297) x5  0x0000000080000000\n"
		"core   0: 0x0000000080000004 (0x0002b203) ld      tp, 0(t0)\n"
		"core   0: 3 0x0000000080000004 (0x0002b203) x4  0x0000000080002380 mem 0x0000000080002428\n"
		"core   0: 3 0x0000000080000008 (0x0052b023) mem 0x0000000080002428 0x0000000000000012\n"
		"core   0: 0x000000008000000c (0x00000073) ecall\n"
		"core   0: exception trap_machine_ecall, epc 0x000000008000000c\n"
		"core   0:           tval 0x0000000000000007\n"
		"core   0: >>>>  handler\n"
		"core   0: 0x0000000080000100 (0x00008282) jr      t0\n"
		"core   0: 3 0x0000000080000100 (0x8282)\n"
		"core   0: 3 0x0000000080000000 (0x00000297) x5  0x0000000080000000 c768_mstatus 0x0000000a00000080\n";
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_batch *batch = cairn_batch_new(cairn);
	struct cairn_reader *reader = first(cairn, log, "Spike", batch);
	char buf[64];
	(void)state;
	assert_int_equal(batch->n_insns, 6);
	const struct cairn_insn *in = batch->insns;
	assert_int_equal(in[0].pc, 0x80000000u);
	assert_int_equal(in[0].enc, 0x297);
	assert_int_equal(in[0].isa, CAIRN_ISA_RV64);
	assert_string_equal(asm_of(batch, 0, buf, sizeof buf), "auipc   t0, 0x0");
	assert_int_equal(batch->ctxs[in[0].ctx].priv, 3);
	assert_true(batch->ctxs[in[0].ctx].known & CAIRN_CTX_PRIV);
	assert_int_equal(in[1].mem0, 0);
	assert_int_equal(batch->n_mems, 2);
	assert_int_equal(batch->mems[0].kind, CAIRN_MEM_READ);
	assert_int_equal(batch->mems[0].addr, 0x80002428u);
	assert_int_equal(batch->mems[0].size, 8);
	assert_true(batch->mems[0].flags & CAIRN_VALUE_KNOWN); /* from the register */
	assert_int_equal(batch->mems[0].value, 0x80002380u);
	assert_int_equal(batch->mems[0].words, 1);
	assert_int_equal(batch->mems[1].kind, CAIRN_MEM_WRITE);
	assert_int_equal(batch->mems[1].value, 0x12);
	assert_int_equal(batch->mems[1].size, 8);
	assert_false(in[3].flags & CAIRN_INSN_ABORTED); /* an ecall does what it is for */
	assert_int_equal(batch->events[0].phase, CAIRN_ON);
	assert_int_equal(batch->n_events, 1);
	assert_int_equal(in[3].ev0, 0);
	assert_int_equal(batch->events[0].kind, CAIRN_EV_SYSCALL);
	assert_int_equal(batch->events[0].code, 11);
	assert_int_equal(batch->events[0].target, 0x80000100u);
	assert_int_equal(cairn_event_arg(batch, &batch->events[0], 0), 7);
	assert_int_equal(in[4].size, 2);
	assert_true(in[4].flags & CAIRN_INSN_TAKEN);
	assert_int_equal(in[4].target, 0x80000000u);
	assert_int_equal(batch->n_regs, 4);
	assert_int_equal(batch->regs[3].cls, CAIRN_REG_CSR);
	assert_int_equal(batch->regs[3].num, 768);
	assert_int_equal(batch->regs[3].value, 0xa00000080u);
	cairn_close(reader);
	cairn_batch_free(cairn, batch);
	cairn_free(cairn);
}

static void spike_forms(void **state)
{
	static const char log[] =
		"3 0x80000000 (0x00000297) x 5 0x80000000\n" /* 2019, RV32 */
		"0 0x80000004 (0x00b50463)\n"
		"0 0x80000008 (0x02058007) e8 mf2 l4 v0  0x00000000000000010000000000000002\n"
		"0 0x8000000c (0x0005b507) f10 0x3ff0000000000000 mem 0x00001000\n"
		"core   0: 3 0x80000010 (0x00000297) x77 0x80000000\n" /* there is no x77 */
		"printed by the program\n";
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_batch *batch = cairn_batch_new(cairn);
	struct cairn_reader *reader = first(cairn, log, "Spike", batch);
	(void)state;
	assert_int_equal(batch->n_insns, 4);
	assert_int_equal(batch->insns[0].isa, CAIRN_ISA_RV32);
	assert_int_equal(batch->ctxs[batch->insns[1].ctx].priv, 0);
	assert_true(batch->insns[1].flags & CAIRN_INSN_NOT_TAKEN);
	assert_int_equal(batch->regs[1].cls, CAIRN_REG_VECTOR);
	assert_int_equal(batch->regs[1].bits, 128);
	assert_true(batch->regs[1].flags & CAIRN_VALUE_WIDE);
	assert_int_equal(batch->bytes[batch->regs[1].value], 2);
	assert_int_equal(batch->bytes[batch->regs[1].value + 8], 1);
	assert_int_equal(batch->regs[2].cls, CAIRN_REG_FP);
	assert_int_equal(batch->regs[2].num, 10);
	assert_int_equal(cairn_damage_count(reader), 1);
	assert_non_null(strstr(cairn_damage_text(reader, 0), "line 5:"));
	assert_int_equal(batch->n_events, 2); /* the damage and the comment */
	cairn_close(reader);
	cairn_batch_free(cairn, batch);
	cairn_free(cairn);
}

static void spike_listed(void **state)
{
	static const char log[] = "core   0: 0x0000000080000000 (0x0000a001) j       pc + 0x0\n"
							  "core   0: Executed 3 times\n"
							  "core   1: 0x0000000080000000 (0x00b50463) beq     a0, a1, pc + 8\n"
							  "core   0: 0x0000000080000002 (0x00000001) nop\n"
							  "core   1: 0x0000000080000008 (0x00000001) nop\n"
							  "core   1: 0x000000008000000a (0x0002b203) ld      tp, 0(t0)\n"
							  "core   1: exception trap_load_page_fault, epc 0x000000008000000a\n"
							  "core   1:           tval 0x0000000000000008\n"
							  "core   0: exception interrupt #7, epc 0x0000000080000004\n";
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_batch *batch = cairn_batch_new(cairn);
	struct cairn_reader *reader = first(cairn, log, "Spike", batch);
	(void)state;
	assert_int_equal(batch->n_insns, 5);
	assert_true(batch->insns[4].flags & CAIRN_INSN_ABORTED);
	assert_int_equal(batch->events[1].code, 13);
	assert_int_equal(batch->events[1].len, 24);
	assert_int_equal(cairn_event_arg(batch, &batch->events[1], 0), 0x8000000au);
	assert_int_equal(cairn_event_arg(batch, &batch->events[1], 1), 0x0002b203);
	assert_int_equal(cairn_event_arg(batch, &batch->events[1], 2), 8);
	assert_int_equal(batch->events[2].kind, CAIRN_EV_INTERRUPT);
	assert_int_equal(batch->events[2].code, 7);
	assert_int_equal(batch->events[0].kind, CAIRN_EV_GAP);
	assert_int_equal(batch->events[0].code, 2);
	/* what follows on core 1 tells, not what follows in the log */
	assert_true(batch->insns[1].flags & CAIRN_INSN_TAKEN);
	assert_int_equal(batch->ctxs[batch->insns[1].ctx].hart, 1);
	assert_int_equal(batch->ctxs[batch->insns[2].ctx].hart, 0);
	cairn_close(reader);
	cairn_batch_free(cairn, batch);
	cairn_free(cairn);
}

static void what_spike_does_not_print_is_damage(void **state)
{
	static const char *const lines[] = {
		"core   0: exception trap_of_nobody, epc 0x0000000080000004\n",
		"core   0: exception trap #x, epc 0x0000000080000004\n"};
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_batch *batch = cairn_batch_new(cairn);
	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		char log[256];
		snprintf(log, sizeof log,
		         "core   0: 3 0x0000000080000000 (0x00000297) x5  0x0000000080000000\n%s",
		         lines[i]);
		struct cairn_reader *reader = first(cairn, log, "Spike", batch);
		assert_int_equal(batch->n_insns, 1);
		assert_int_equal(cairn_damage_count(reader), 1);
		assert_non_null(strstr(cairn_damage_text(reader, 0), "line 2:"));
		cairn_close(reader);
	}
	cairn_batch_free(cairn, batch);
	cairn_free(cairn);
}

/* ---- Tarmac ---- */

static void tarmac_models(void **state)
{
	static const char log[] =
		"0 clk R X0 0000000000000007\n"
		"0 clk E 00000000:000000000000 00000000 CoreEvent_Reset\n"
		"1 clk cpu0 IT (1) 0021074c:00000021074c_NS 340001a8 O EL3h_s : CBZ      w8,{pc}+0x34\n"
		"2 clk cpu0 IS (2) 00210780 34ffffa8 O EL1t_ns : CBZ      w8,{pc}-0xc\n"
		"3 clk cpu0 IT (3) 00210784 f81f0fe0 O EL1t_ns : STR x0,[sp,#-16]!\n"
		"3 clk cpu0 MW8 000ffb68:0000000ffb68 00000000_00200167\n"
		"3 clk cpu0 R W8 0000003A\n"
		"3 clk cpu0 R q1 00000000000000010000000000000002\n"
		"3 clk cpu0 R cpsr 600003cd\n"
		"3 clk cpu0 R nonsense 12\n";
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_batch *batch = cairn_batch_new(cairn);
	struct cairn_reader *reader = first(cairn, log, "Tarmac", batch);
	(void)state;
	assert_int_equal(batch->n_insns, 3);
	assert_int_equal(batch->regs[0].role, CAIRN_ROLE_STATE);
	assert_int_equal(batch->events[0].kind, CAIRN_EV_FORMAT);
	assert_true(batch->insns[0].flags & CAIRN_INSN_TAKEN);
	assert_int_equal(batch->ctxs[batch->insns[0].ctx].priv, CAIRN_PRIV_EL3);
	assert_int_equal(batch->ctxs[batch->insns[0].ctx].security, 0);
	assert_int_equal(batch->ctxs[batch->insns[1].ctx].priv, CAIRN_PRIV_EL1);
	assert_int_equal(batch->ctxs[batch->insns[1].ctx].security, 1);
	assert_true(batch->insns[1].flags & CAIRN_INSN_NOT_TAKEN);
	assert_int_equal(batch->mems[0].value, 0x200167);
	assert_int_equal(batch->mems[0].pa, 0xffb68);
	assert_int_equal(batch->regs[1].num, 8);
	assert_int_equal(batch->regs[1].bits, 32);
	assert_true(batch->regs[1].flags & CAIRN_VALUE_ZEROES);
	assert_int_equal(batch->regs[2].cls, CAIRN_REG_VECTOR);
	assert_int_equal(batch->regs[3].cls, CAIRN_REG_FLAGS);
	assert_int_equal(batch->regs[3].value, 6);
	assert_int_equal(batch->events[1].kind, CAIRN_EV_COMMENT);
	cairn_close(reader);
	cairn_batch_free(cairn, batch);
	cairn_free(cairn);
}

static void tarmac_rtl(void **state)
{
	static const char log[] =
		"Tarmac Text Rev 3t\n"
		"          0 tic ES  (00000000002105d4:a9be7bfd) O el3h_s:         STP      x29,x30,[sp,#-0x20]!\n"
		"                    ST 00000000000fffe0 00000000 002105e0 00000000 00000011    S:00000fffe0    nGnRnE OSH\n"
		"                    R SP_EL3 00000000000fffe0\n"
		"          0 tic ES  (00000000002105d8:39400008) O el3h_s:         LDRB     w8,[x0]\n"
		"                    LD 0000000000200160 ........ ........ 3a...... ........    S:0000200160    nGnRnE OSH\n"
		"          0 tic ES  (00000000002105dc:54000060) O el3h_s:         B.EQ     {pc}+0xc\n"
		"                    BR (00000000002105e8) O\n"
		"          0 tic ES  (00000000002105e8:d503201f) O el3h_s:         NOP\n";
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_batch *batch = cairn_batch_new(cairn);
	struct cairn_reader *reader = first(cairn, log, "Tarmac", batch);
	(void)state;
	assert_int_equal(batch->n_insns, 4);
	assert_int_equal(batch->n_mems, 3);
	assert_int_equal(batch->mems[0].addr, 0xfffe0);
	assert_int_equal(batch->mems[0].size, 8);
	assert_int_equal(batch->mems[0].value, 0x11);
	assert_int_equal(batch->mems[1].addr, 0xfffe8);
	assert_int_equal(batch->mems[1].value, 0x2105e0);
	assert_int_equal(batch->mems[0].kind, CAIRN_MEM_WRITE);
	assert_int_equal(batch->mems[0].pa, 0xfffe0);
	assert_int_equal(batch->mems[2].kind, CAIRN_MEM_READ);
	assert_int_equal(batch->mems[2].pa, 0x200167);
	assert_int_equal(batch->mems[2].addr, 0x200167);
	assert_int_equal(batch->mems[2].size, 1);
	assert_int_equal(batch->mems[2].value, 0x3a);
	assert_int_equal(batch->regs[0].cls, CAIRN_REG_INT);
	assert_int_equal(batch->regs[0].num, 31);
	assert_true(batch->insns[2].flags & CAIRN_INSN_TAKEN);
	assert_int_equal(batch->insns[2].target, 0x2105e8);
	cairn_close(reader);
	cairn_batch_free(cairn, batch);
	cairn_free(cairn);
}

/* ---- execlog ---- */

static void execlog_lines(void **state)
{
	static const char riscv[] =
		"0, 0x10184, 0x2872703, \"02872703          lw   a4,40(a4)\", load, 0x000111ac, RAM, a4 -> 0x0000000000000007\n"
		"0, 0x10188, 0x4798c398, \"sw a4,0(a5)\", store, 0x000111a8\n" /* 16 bits and what follows */
		"1, 0x1018a, 0x4798, \"lw a4,8(a5)\", load, 0x000111b0\n";
	static const char arm[] = "0, 0x4006c0, 0xd503201f, \"nop \"\n"
							  "0, 0x4006d0, 0xf94003e1, \"ldr x1, [sp]\", load, 0x55008007d0\n";
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_batch *batch = cairn_batch_new(cairn);
	struct cairn_reader *reader = first(cairn, riscv, "execlog", batch);
	(void)state;
	assert_int_equal(batch->n_insns, 3);
	assert_int_equal(batch->insns[0].isa, CAIRN_ISA_RV64);
	assert_int_equal(batch->regs[0].num, 14);
	assert_int_equal(batch->regs[0].value, 7);
	assert_int_equal(batch->insns[1].enc, 0xc398);
	assert_int_equal(batch->insns[1].size, 2);
	assert_int_equal(batch->mems[0].size, 4);
	assert_int_equal(batch->mems[1].kind, CAIRN_MEM_WRITE);
	assert_int_equal(batch->ctxs[batch->insns[2].ctx].hart, 1);
	cairn_close(reader);
	reader = first(cairn, arm, "execlog", batch);
	assert_int_equal(batch->insns[0].isa, CAIRN_ISA_A64);
	assert_int_equal(batch->mems[0].size, 8);
	cairn_close(reader);
	const char *rest = strchr(riscv, '\n') + 1;
	reader = open_text(cairn, rest, strlen(rest), "execlog:isa=rv32");
	assert_int_equal(cairn_next(reader, batch), 1);
	assert_int_equal(batch->insns[0].isa, CAIRN_ISA_RV32);
	cairn_close(reader);
	cairn_batch_free(cairn, batch);
	cairn_free(cairn);
}

static void execlog_of_more_than_an_encoding_is_damage(void **state)
{
	static const char log[] = "0, 0x4006c0, 0xd503201f, \"nop \"\n"
							  "0, 0x4006c4, 0x1d503201f, \"nop \"\n"
							  "0, 0x4006c8, d503201f, \"nop \"\n"
							  "0, 0x4006cc, 0xd503201f, nop\n";
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_batch *batch = cairn_batch_new(cairn);
	struct cairn_reader *reader = open_text(cairn, log, strlen(log), "execlog:isa=a64");
	(void)state;
	assert_int_equal(cairn_next(reader, batch), 1);
	assert_int_equal(batch->n_insns, 1);
	assert_int_equal(cairn_damage_count(reader), 3);
	cairn_close(reader);
	cairn_batch_free(cairn, batch);
	cairn_free(cairn);
}

/* ---- lines that are cut off ---- */

/* The log up to there as one with a last line that ends. */
static struct cairn_reader *cut_log(struct cairn *cairn, const char *log, size_t n,
                                    const char *from, struct cairn_batch *batch)
{
	static char text[1024];
	assert_true(n + 1 < sizeof text);
	memcpy(text, log, n);
	text[n++] = '\n';
	struct cairn_reader *reader = open_text(cairn, text, n, from);
	if (cairn_next(reader, batch) <= 0)
		batch->n_regs = batch->n_mems = 0;
	return reader;
}

/* What is left of a value is not taken for one: simulators print all digits. */
static void values_cut_off_are_not_told(void **state)
{
	static const struct {
		const char *from, *before, *line;
	} logs[] = {
		{"spike", "core   0: 3 0x0000000080000000 (0x00000297) x5  0x0000000080000000\n",
	     "core   0: 3 0x0000000080000004 (0x0002b203) x4  0x1122334455667788 mem 0x0000000080002428"},
		{"spike", "core   0: 3 0x0000000080000000 (0x00000297) x5  0x0000000080000000\n",
	     "core   0: 3 0x0000000080000008 (0x0052b023) mem 0x0000000080002428 0x1122334455667788"},
		{"spike", "core   0: 3 0x80000000 (0x00000297) x5  0x80000000\n",
	     "core   0: 3 0x80000004 (0x30029073) c768_mstatus 0x80001888"},
		{"tarmac", "1 clk IT (1) 00001000 d2800021 O EL1h_n : MOV x1,#1\n",
	     "1 clk R X1 1122334455667788"},
		{"tarmac", "1 clk IT (1) 00001000 2a0103e8 O EL1h_n : MOV w8,w1\n", "1 clk R W8 11223344"},
		{"tarmac", "1 clk IT (1) 00001000 4f00e401 O EL1h_n : MOVI v1.16b,#0\n",
	     "1 clk R q1 11223344556677881122334455667788"},
		{"tarmac", "1 clk IT (1) 00001000 eb01001f O EL1h_n : CMP x0,x1\n",
	     "1 clk R cpsr 600003cd"},
		{"tarmac", "1 clk IT (1) 00001000 f9000021 O EL1h_n : STR x1,[x1]\n",
	     "1 clk MW8 000ffb68:0000000ffb68 11223344_55667788"},
		{"execlog", "0, 0x10180, 0x13, \"nop\"\n",
	     "0, 0x10184, 0x2872703, \"lw a4,40(a4)\", load, 0x000111ac, a4 -> 0x1122334455667788"}};
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_batch *whole = cairn_batch_new(cairn), *batch = cairn_batch_new(cairn);
	unsigned told = 0;
	(void)state;
	for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
		char log[512];
		size_t from = strlen(logs[i].before);
		int n = snprintf(log, sizeof log, "%s%s", logs[i].before, logs[i].line);
		struct cairn_reader *all = cut_log(cairn, log, (size_t)n, logs[i].from, whole);
		assert_int_equal(cairn_damage_count(all), 0);
		assert_true(whole->n_regs + whole->n_mems > 0);
		for (size_t cut = from; cut < (size_t)n; cut++) {
			struct cairn_reader *reader = cut_log(cairn, log, cut, logs[i].from, batch);
			for (uint32_t k = 0; k < batch->n_regs; k++, told++)
				if (batch->regs[k].flags & CAIRN_VALUE_KNOWN)
					assert_int_equal(batch->regs[k].value, whole->regs[k].value);
			for (uint32_t k = 0; k < batch->n_mems; k++, told++) {
				assert_int_equal(batch->mems[k].addr, whole->mems[k].addr);
				if (batch->mems[k].flags & CAIRN_VALUE_KNOWN)
					assert_int_equal(batch->mems[k].value, whole->mems[k].value);
			}
			cairn_close(reader);
		}
		cairn_close(all);
	}
	assert_true(told > 50);
	cairn_batch_free(cairn, whole);
	cairn_batch_free(cairn, batch);
	cairn_free(cairn);
}

/* ---- ways of reading ---- */

static void *all_of(struct cairn *cairn, const void *p, size_t n, const char *from, size_t *len)
{
	struct cairn_reader *reader = open_text(cairn, p, n, from);
	struct cairn_batch *batch = cairn_batch_new(cairn);
	struct base_buf out;
	base_buf_init(&out, cairn);
	while (cairn_next(reader, batch) > 0) {
		assert_null(check_batch(batch));
		fx_print_batch(reader, batch, &out);
	}
	cairn_batch_free(cairn, batch);
	cairn_close(reader);
	*len = out.len;
	return out.data;
}

static void pieces(void **state)
{
	struct cairn *cairn = cairn_new(NULL);
	struct base_buf log, packed;
	size_t n[3];
	(void)state;
	base_buf_init(&log, cairn);
	base_buf_init(&packed, cairn);
	for (unsigned i = 0; i < 4000; i++) {
		unsigned hart = i / 3 % 2, pc = 0x80000000u + 4 * (i / 6 * 3 + i % 3);
		base_buf_printf(&log, "core   %u: 0x%016x (0x00b50463) beq     a0, a1, pc + 8\n", hart, pc);
		base_buf_printf(&log, "core   %u: 3 0x%016x (0x00b50463)\n", hart, pc);
		if (i % 7 == 0)
			base_buf_printf(&log, "core   %u: 3 0x%016x (0xzz)\n", hart, pc);
	}
	assert_int_equal(io_encode_frame(cairn, cairn_codec_find(cairn, "zstd"), INT_MIN, log.data,
	                                 log.len, &packed),
	                 0);
	void *a = all_of(cairn, log.data, log.len, "spike", &n[0]);
	void *b = all_of(cairn, log.data, log.len, "spike:piece=1000", &n[1]);
	void *d = all_of(cairn, packed.data, packed.len, "spike:piece=3000", &n[2]);
	assert_int_equal(n[0], n[1]);
	assert_memory_equal(a, b, n[0]);
	assert_int_equal(n[0], n[2]);
	assert_memory_equal(a, d, n[0]);
	base_free(cairn, a);
	base_free(cairn, b);
	base_free(cairn, d);
	for (unsigned threads = 1; threads < 4; threads += 2) {
		struct cairn_tally tally = {.size = sizeof tally};
		struct cairn_reader *reader =
			open_text(cairn, (const char *)log.data, log.len, "spike:piece=1000");
		assert_int_equal(cairn_count(reader, threads, &tally), 0);
		assert_int_equal(tally.instructions, 4000);
		assert_int_equal(tally.records, 8000 + 572);
		assert_int_equal(cairn_damage_count(reader), 572);
		assert_non_null(strstr(cairn_damage_text(reader, 1), "line 18:"));
		cairn_close(reader);
	}
	base_buf_free(&log);
	base_buf_free(&packed);
	cairn_free(cairn);
}

/* A line without an end, and options nobody has. */
static void odd(void **state)
{
	struct cairn *cairn = cairn_new(NULL);
	struct base_buf log;
	struct cairn_reader *reader = NULL;
	struct cairn_tally tally = {.size = sizeof tally};
	struct cairn_open_opts opts = {.size = sizeof opts, .from = "tarmac:isa=a64"};
	(void)state;
	base_buf_init(&log, cairn);
	base_buf_printf(&log, "core   0: 3 0x0000000080000000 (0x00000297) x5  0x0000000080000000\n");
	base_buf_reserve(&log, 200000);
	memset(log.data + log.len, 'f', 200000);
	log.len += 200000;
	reader = open_text(cairn, (const char *)log.data, log.len, NULL);
	assert_int_equal(cairn_count(reader, 1, &tally), 0);
	assert_int_equal(tally.instructions, 1);
	assert_int_equal(tally.records, 1 + 4); /* 64 KiB are a line */
	cairn_close(reader);
	assert_int_equal(cairn_open_memory(cairn, "x", 1, &opts, &reader), CAIRN_E_INVAL);
	assert_non_null(strstr(cairn_error_text(cairn), "reading Tarmac has no option 'isa=a64'"));
	base_buf_free(&log);
	cairn_free(cairn);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spike_both),
		cmocka_unit_test(spike_forms),
		cmocka_unit_test(spike_listed),
		cmocka_unit_test(tarmac_models),
		cmocka_unit_test(tarmac_rtl),
		cmocka_unit_test(execlog_lines),
		cmocka_unit_test(pieces),
		cmocka_unit_test(odd),
		cmocka_unit_test(what_spike_does_not_print_is_damage),
		cmocka_unit_test(values_cut_off_are_not_told),
		cmocka_unit_test(execlog_of_more_than_an_encoding_is_damage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
