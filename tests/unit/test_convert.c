/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The matrix of conversions, cell by cell. For each format that is read and each kind of
 * information a small trace that has it; for each format that is written what becomes of
 * it: the same, something else, or an entry in the ledger under the table's words. Whatever
 * is in the ledger ends a lossless run and leaves no file. There and back again keeps what
 * both cells say is kept.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kinds.h"
#include "model/model.h"

static struct cairn *c;
static char dir[64];
static unsigned files;

/* ---- the table ---- */

static bool row_of(const char *kind, const char *from, const char *to, struct cairn_carry *out)
{
	for (size_t i = 0; cairn_matrix(i, out); i++)
		if (!strcmp(out->kind, kind) && !strcmp(out->from, from) && !strcmp(out->to, to))
			return true;
	return false;
}

/* Does the source have it, whoever the target is? */
static bool has(const char *kind, const char *from)
{
	struct cairn_carry carry = {.size = sizeof carry};
	for (size_t i = 0; cairn_matrix(i, &carry); i++)
		if (!strcmp(carry.kind, kind) && !strcmp(carry.from, from) &&
		    carry.carried != CAIRN_CARRY_REFUSED)
			return carry.carried != CAIRN_CARRY_NONE;
	return false;
}

/* ---- files ---- */

/* A new name; ETE as a snapshot, for its program. */
static const char *fresh(const char *format)
{
	static char path[4][128];
	char *p = path[files % 4];
	snprintf(p, sizeof path[0], "%s/%u.%s", dir, files++,
	         !strcmp(format, "ETE")   ? "snapshot"
	         : !strcmp(format, "STF") ? "stf"
	         : !strcmp(format, "RST") ? "rst"
	                                  : "vixl");
	return p;
}

/* How to read: with all that can be asked for. */
static const char *all_of(const char *path, const char *from)
{
	return !from && strstr(path, ".snapshot") ? "ete:transactions=keep" : from;
}

static struct base_buf measure(const char *path, const char *from, const char *kind)
{
	struct base_buf out;
	base_buf_init(&out, c);
	if (kind_text(c, path, all_of(path, from), kind, &out) < 0)
		fail_msg("%s: %s", kind, cairn_error_text(c));
	base_buf_put(&out, "", 1);
	return out;
}

static int convert(const char *path, const char *from, const char *to, bool lossless,
                   struct cairn_changed *done)
{
	struct cairn_open_opts opts = {.size = sizeof opts, .from = all_of(path, from)};
	struct cairn_output out = {.size = sizeof out, .path = to, .lossless = lossless};
	struct cairn_reader *reader;
	*done = (struct cairn_changed){.size = sizeof *done};
	if (cairn_open(c, path, &opts, &reader) < 0)
		fail_msg("%s", cairn_error_text(c));
	int rc = cairn_convert(reader, &out, done);
	cairn_close(reader);
	return rc;
}

static bool in_ledger(const struct cairn_ledger *ledger, const char *what)
{
	for (size_t i = 0; i < ledger->n; i++)
		if (!strcmp(ledger->losses[i].what, what))
			return true;
	return false;
}

/* ---- sources that cairn writes ---- */

/* A trace with that kind of information; what only the format names needs a writer that takes
 * the batch for its own. */
static const char *made(const char *kind, const char *format, enum cairn_isa isa)
{
	static const char *const own[] = {"own-records", "marker", "discarded",
	                                  "trace-on",    "gap",    "inferred"};
	const char *path = fresh(format), *base = NULL;
	struct cairn_create_opts opts = {.size = sizeof opts};
	struct cairn_reader *reader = NULL;
	struct cairn_writer *writer;
	int rc = 0;
	for (size_t i = 0; i < sizeof own / sizeof *own && !base; i++)
		if (!strcmp(own[i], kind) && !strcmp(format, "ETE"))
			base = made("pc", format, isa);
	struct cairn_batch *batch = kind_batch(c, kind, isa);
	assert_non_null(batch);
	rc = cairn_create(c, path, &opts, &writer);
	if (rc >= 0 && base && (rc = cairn_open(c, base, NULL, &reader)) >= 0)
		rc = cairn_writer_from(writer, reader);
	if (rc >= 0)
		rc = cairn_put(writer, batch);
	if (rc < 0 || cairn_finish(writer, NULL) < 0)
		fail_msg("%s as %s: %s", kind, format, cairn_error_text(c));
	cairn_close(reader);
	cairn_batch_free(c, batch);
	return path;
}

/* What stands in an RST trace before its last instruction, and no writer makes of a batch. */
static const struct raw {
	const char *kind;
	uint8_t record[24];
} raws[] = {
	{"mem-master", {CAIRN_RST_TSB_ACCESS,
                    1,
                    0,
                    0,
                    0,
                    0,
                    0,
                    0,
                    0,
                    0,
                    0,
                    0x70,
                    0,
                    0,
                    8,
                    0,
                    0,
                    0,
                    0,
                    0,
                    0,
                    0,
                    8,
                    0}},
	{"mem-nowhere",
     {CAIRN_RST_MEMVAL, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0x70, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 7}},
	{"lone-branch", {CAIRN_RST_RFS_BT,
                     0,
                     32,
                     0,
                     0,
                     0,
                     0,
                     0,
                     0,
                     0,
                     0,
                     0,
                     0,
                     0,
                     0x10,
                     0,
                     0,
                     0,
                     0,
                     0,
                     0,
                     0,
                     0x20,
                     0}},
	{"context-id", {CAIRN_RST_THREAD, 0, 0, 0, 0, 0, 0, 0, 0x12, 0x34, 0, 0, 0, 0, 0, 1}},
};

static const struct raw *raw_of(const char *kind, const char *format)
{
	for (size_t i = 0; i < sizeof raws / sizeof *raws && !strcmp(format, "RST"); i++)
		if (!strcmp(raws[i].kind, kind))
			return &raws[i];
	return NULL;
}

static const char *made_raw(const struct raw *raw)
{
	static uint8_t all[256][24];
	const char *path = made("pc", "RST", CAIRN_ISA_SPARC);
	FILE *f = fopen(path, "r+b");
	assert_non_null(f);
	size_t n = fread(all, sizeof *all, 255, f), at = n;
	while (at > 0 && all[--at][0] != CAIRN_RST_INSTR)
		;
	assert_true(n > 1 && n < 255 && at > 0);
	assert_int_equal(fseek(f, (long)(at * sizeof *all), SEEK_SET), 0);
	assert_int_equal(fwrite(raw->record, sizeof raw->record, 1, f), 1);
	assert_int_equal(fwrite(all[at], sizeof *all, n - at, f), n - at);
	assert_int_equal(fclose(f), 0);
	return path;
}

static const char *made_or_raw(const char *kind, const char *format, enum cairn_isa isa)
{
	const struct raw *raw = raw_of(kind, format);
	return raw ? made_raw(raw) : made(kind, format, isa);
}

/* ---- one cell ---- */

static unsigned wrong;
static void complain(const struct cairn_carry *carry, const char *what, const char *a,
                     const char *b)
{
	print_error("%s, %s to %s: %s\n   %s\n   %s\n", carry->kind, carry->from, carry->to, what, a,
	            b);
	wrong++;
}

static void and_back(const struct cairn_carry *carry, const char *path, const char *want)
{
	struct cairn_carry back = {.size = sizeof back};
	struct cairn_changed done;
	if (!row_of(carry->kind, carry->to, carry->from, &back) || back.carried != CAIRN_CARRY_EXACTLY)
		return;
	const char *to = fresh(carry->from);
	if (convert(path, NULL, to, false, &done) < 0)
		fail_msg("%s", cairn_error_text(c));
	cairn_changed_free(c, &done);
	struct base_buf got = measure(to, NULL, carry->kind);
	if (strcmp((char *)got.data, want))
		complain(carry, "there and back it is another", want, (char *)got.data);
	base_buf_free(&got);
}

/* Accesses of a state trace are of registers. */
static bool has_registers(const struct cairn_carry *carry)
{
	return !strcmp(carry->from, "VIXL") && !strncmp(carry->kind, "mem-", 4);
}

/* RST tells of an access to a TSB by both addresses. */
static bool has_both(const struct cairn_carry *carry)
{
	return !strcmp(carry->from, "RST") && !strcmp(carry->kind, "mem-master");
}

/* STF's traps stop the instruction they are with, which most others cannot tell. */
static bool stops(const char *kind)
{
	return !strcmp(kind, "exception") || !strcmp(kind, "interrupt") || !strcmp(kind, "handler");
}

/* `base`: the ledger of a trace of the pair without that kind; NULL: not known. */
static void cell(const struct cairn_carry *carry, const char *path, const char *from,
                 const struct cairn_ledger *base)
{
	struct base_buf want = measure(path, from, carry->kind);
	struct cairn_changed done, none;
	const char *to = fresh(carry->to);
	int rc = convert(path, from, to, false, &done);
	if (carry->carried == CAIRN_CARRY_REFUSED) {
		if (rc != CAIRN_E_UNSUPPORTED || !access(to, F_OK))
			complain(carry, "it is not refused", cairn_error_text(c), "");
		base_buf_free(&want);
		cairn_changed_free(c, &done);
		return;
	}
	if (rc < 0)
		fail_msg("%s, %s to %s: %s", carry->kind, carry->from, carry->to, cairn_error_text(c));
	struct base_buf got = measure(to, NULL, carry->kind);
	const char *a = (char *)want.data, *b = (char *)got.data;
	bool same = !strcmp(a, b);
	if (carry->carried == CAIRN_CARRY_EXACTLY && !same)
		complain(carry, "it is said to be kept exactly", a, b);
	if (carry->carried == CAIRN_CARRY_OTHERWISE && same)
		complain(carry, "it is said to be carried otherwise, and is the same", a, b);
	if (carry->carried == CAIRN_CARRY_LOST && !in_ledger(done.lost, carry->how))
		complain(carry, "the ledger does not have it", carry->how, b);
	for (size_t i = 0; base && carry->carried != CAIRN_CARRY_LOST && i < done.lost->n; i++)
		if (!in_ledger(base, done.lost->losses[i].what) && !has_registers(carry) &&
		    !has_both(carry) &&
		    !(!strcmp(carry->from, "STF") &&
		      (stops(carry->kind) ||
		       !strcmp(carry->kind, "hart")))) /* whose record names a process, too */
			complain(carry, "the ledger has more", done.lost->losses[i].what, "");
	const char *strict = fresh(carry->to);
	rc = convert(path, from, strict, true, &none);
	if (rc != (done.lost->n ? CAIRN_E_LOSS : 0) || !access(strict, F_OK) == (done.lost->n != 0))
		complain(carry, "lossless is something else than no loss", cairn_error_text(c), "");
	cairn_changed_free(c, &none);
	if (carry->carried == CAIRN_CARRY_EXACTLY)
		and_back(carry, to, a);
	base_buf_free(&want);
	base_buf_free(&got);
	cairn_changed_free(c, &done);
}

static enum cairn_isa set_for(const char *from, const char *to)
{
	if (!strcmp(from, "RST") || (!strcmp(from, "STF") && !strcmp(to, "RST")))
		return CAIRN_ISA_SPARC;
	return !strcmp(from, "STF") && !strcmp(to, "STF") ? CAIRN_ISA_RV64 : CAIRN_ISA_A64;
}

/* VIXL's log tells it by lines that no batch makes; proved by a log below. */
static bool is_in_lines(const struct cairn_carry *carry)
{
	return !strcmp(carry->from, "VIXL") &&
	       strstr(" reg-read gap taken-open mem-lane-active ", carry->kind);
}

/* Not made here: damage is of a file, the others are traces of another kind. */
static bool is_made(const struct cairn_carry *carry)
{
	static const char *const not_here[] = {"damage", "bus-transactions", "lone-atom"};
	for (size_t i = 0; i < sizeof not_here / sizeof *not_here; i++)
		if (!strcmp(carry->kind, not_here[i]))
			return false;
	/* RST's TRAPEXIT is only in its own records, which are copied or counted. */
	if (!strcmp(carry->kind, "trap-exit") && !strcmp(carry->from, "RST"))
		return false;
	if (is_in_lines(carry))
		return false;
	/* Events of VIXL's own are of its guarded control stack, which needs its lines. */
	return !(!strcmp(carry->kind, "own-records") && strcmp(carry->from, "RST") &&
	         strcmp(carry->from, "ETE"));
}

static void made_traces(void **state)
{
	(void)state;
	static const char *const formats[] = {"STF", "RST", "ETE", "VIXL"};
	struct cairn_carry carry = {.size = sizeof carry};
	wrong = 0;
	for (size_t f = 0; f < 4; f++)
		for (size_t t = 0; t < 4; t++) {
			const char *from = formats[f], *to = formats[t];
			enum cairn_isa isa = set_for(from, to);
			struct cairn_changed base = {.size = sizeof base};
			assert_true(row_of("pc", from, to, &carry));
			if (carry.carried == CAIRN_CARRY_REFUSED) {
				cell(&carry, made("pc", from, isa), NULL, NULL);
				continue;
			}
			if (convert(made("pc", from, isa), NULL, fresh(to), false, &base) < 0)
				fail_msg("%s", cairn_error_text(c));
			for (size_t i = 0; cairn_matrix(i, &carry); i++) {
				if (strcmp(carry.from, from) || strcmp(carry.to, to) || !is_made(&carry))
					continue;
				const char *path = made_or_raw(carry.kind, from, isa);
				struct base_buf buf = measure(path, NULL, carry.kind);
				bool sets = !strcmp(to, "RST") && (!strcmp(carry.kind, "reg-vector") ||
				                                   !strcmp(carry.kind, "reg-predicate"));
				sets |= isa == CAIRN_ISA_RV64 &&
				        (!strcmp(carry.kind, "reg-predicate") || !strcmp(carry.kind, "reg-flags") ||
				         !strcmp(carry.kind, "event-apart"));
				sets |= isa == CAIRN_ISA_A64 && !strcmp(carry.kind, "reg-fp");
				if (buf.len > 1 && carry.carried == CAIRN_CARRY_NONE)
					complain(&carry, "the source has it", (char *)buf.data, "");
				else if (buf.len <= 1 && carry.carried != CAIRN_CARRY_NONE && !sets)
					complain(&carry, "the source has it not", "", "");
				else if (buf.len > 1)
					cell(&carry, path, NULL, base.lost);
				base_buf_free(&buf);
			}
			cairn_changed_free(c, &base);
		}
	assert_int_equal(wrong, 0);
}

/* ---- logs of text ---- */

static const struct log {
	const char *format, *only; /* for these kinds, or for all others */
	const char *text;
} logs[] = {
	{"Spike", NULL,
     "core   0: 0x0000000080000000 (0x00000297) auipc   t0, 0x0\n"
     "core   0: 3 0x0000000080000000 (0x00000297) x5  0x0000000080000000\n"
     "core   0: 3 0x0000000080000004 (0x0002b203) x4  0x0000000080002380 mem 0x0000000080001000\n"
     "core   0: 3 0x0000000080000008 (0x0052b023) mem 0x0000000080001008 0x0000000000000012\n"
     "hello there\n"
     "core   0: 3 0x000000008000000c (0x00b50463)\n"
     "core   0: 3 0x0000000080000014 (0x0005b507) f10 0x3ff0000000000000 mem 0x0000000080001000\n"
     "core   0: 3 0x0000000080000018 (0x02058007) e8 m1 l16 v0  0x00000000000000010000000000000002\n"
     "core   0: 3 0x000000008000001c (0x30029073) c768_mstatus 0x0000000a00000080\n"
     "core   0: 3 0x0000000080000020 (0x0080006f)\n"
     "core   0: 3 0x0000000080000028 (0x00000013)\n"
     "core   0: 3 0x0000000090000000 (0x00000013)\n"},
	{"Spike", " mem-unvalued mem-further ",
     "core   0: 3 0x0000000080000000 (0x0002b003) mem 0x0000000080001000\n"
     "core   0: 3 0x0000000080000004 (0x0052b02f) x5  0x0000000000000007 mem 0x0000000080001008 mem 0x0000000080001008 0x0000000000000009\n"},
	{"Spike", " hart privilege ",
     "core   0: 3 0x0000000080000000 (0x00000013)\n"
     "core   1: 0 0x0000000080000100 (0x00000013)\n"
     "core   0: 3 0x0000000080000004 (0x00000013)\n"},
	{"Spike", " interrupt event-apart-riscv ",
     "core   0: 3 0x0000000080000000 (0x00000013)\n"
     "core   0: exception interrupt #7, epc 0x0000000080000004\n"
     "core   0: 3 0x0000000080000100 (0x00000013)\n"},
	{"Spike", " exception aborted handler event-args system-call ",
     "core   0: 3 0x0000000080000100 (0x00000013)\n"
     "core   0: 0x0000000080000104 (0x0002b203) ld      tp, 0(t0)\n"
     "core   0: exception trap_load_access_fault, epc 0x0000000080000104\n"
     "core   0:           tval 0x0000000000000000\n"
     "core   0: 3 0x0000000080000100 (0x00000013)\n"
     "core   0: 0x0000000080000104 (0x00000073) ecall\n"
     "core   0: exception trap_machine_ecall, epc 0x0000000080000104\n"
     "core   0:           tval 0x0000000000000000\n"
     "core   0: 3 0x0000000080000200 (0x00000013)\n"},
	{"Spike", " gap damage ",
     "core   0: 0x0000000080000000 (0x0000a001) j       pc + 0x0\n"
     "core   0: Executed 3 times\n"
     "core   0: 0x0000000080000002 (0x00000001) nop\n"
     "core   0: exception nonsense\n"},
	{"Tarmac", NULL,
     "0 clk R X0 0000000000000007\n"
     "1 clk cpu0 IT (1) 00210740:000000210740_NS d503201f O EL3h_s : NOP\n"
     "1 clk cpu0 R X3 0000000000000009\n"
     "1 clk cpu0 R q1 00000000000000010000000000000002\n"
     "1 clk cpu0 R cpsr 600003cd\n"
     "1 clk cpu0 R VBAR_EL3 0000000000000800\n"
     "hello there\n"
     "2 clk cpu0 IT (2) 00210744:000000210744_NS f81f0fe0 O EL3h_s : STR x0,[sp,#-16]!\n"
     "2 clk cpu0 MW8 000ffb68:0000000ffb68 00000000_00200167\n"
     "3 clk cpu0 IT (3) 00210748:000000210748_NS a9400440 O EL3h_s : LDP x0,x1,[x2]\n"
     "3 clk cpu0 MR8 000ffb68:0000000ffb68 00000000_00200167\n"
     "3 clk cpu0 MR8 000ffb70:0000000ffb70 00000000_00000001\n"
     "3 clk cpu0 R X0 0000000000200167\n3 clk cpu0 R X1 0000000000000001\n"
     "4 clk cpu0 IT (4) 0021074c:00000021074c_NS 340001a8 O EL3h_s : CBZ      w8,{pc}+0x34\n"
     "5 clk cpu0 IS (5) 00210780:000000210780_NS 34ffffa8 O EL3h_s : CBZ      w8,{pc}-0xc\n"
     "6 clk cpu0 IT (6) 00210784:000000210784_NS d503201f O EL3h_s : NOP\n"
     "7 clk cpu0 IT (7) 00220000:000000220000_NS d503201f O EL1h_ns : NOP\n"},
	{"VIXL", " reg-read ",
     "0x0000000000001000  d2800021\t\tmov x1, #0x1\n"
     "#             x1: 0x0000000000000001\n"
     "0x0000000000001004  f9000001\t\tstr x1, [x0]\n"
     "#             x1: 0x0000000000000001 -> 0x0000000000002000\n"
     "0x0000000000001008  d503201f\t\tnop\n"},
	{"VIXL", " mem-lane-active ",
     "0x0000000000001000  a5e0a424\t\tld1d {z4.d}, p1/z, [x1]\n"
     "#      z4<127:0>: 0x69625b544d463f38312a231c150e0700 (4.391e+199, 7.397e-72)\n"
     "#                                  ║               ╙─ 0x312a231c150e0700 <- 0x0000000000002000\n"
     "#                                  ╙───────────────── 0x69625b544d463f38 <- 0x0000000000002008\n"},
	{"VIXL", " gap ",
     "0x0000000000001000  d503201f\t\tnop\n"
     "0x0000000000001004  d45bd640\t\thlt #0xdeb2\n"
     "# Branch to 0x0000000000001020.\n"
     "0x0000000000001020  d503201f\t\tnop\n"},
	{"VIXL", " taken-open ", "0x0000000000001000  54000040\t\tb.eq #+0x8\n"},
	{"Spike", " taken-open ",
     "core   0: 3 0x0000000080000004 (0x00b50463)\n"
     "core   0: 3 0x0000000090000000 (0x00b50463)\n"},
	{"execlog", " taken-open ",
     "0, 0x400004, 0x54000040, \"b.eq #0x40000c\"\n"
     "0, 0x500000, 0xd503201f, \"nop \"\n0, 0x500004, 0x54000040, \"b.eq #0x50000c\"\n"},
	{"Tarmac", " taken-open ",
     "4 clk cpu0 IT (4) 0021074c:00000021074c_NS 340001a8 O EL3h_s : CBZ      w8,{pc}+0x34\n"},
	{"Tarmac", " reg-system-part ",
     "0 clk cpu0 R SPSR_EL3 600003cd\n"
     "1 clk cpu0 IT (1) 00210740:000000210740_NS d503201f O EL3h_s : NOP\n"},
	{"Tarmac", " reg-zeroing ",
     "1 clk cpu0 IT (1) 00210740:000000210740_NS d503201f O EL3h_s : NOP\n"
     "1 clk cpu0 R W8 0000003A\n1 clk cpu0 R d2 0000000000000001\n"},
	{"Tarmac", " hart ",
     "1 clk cpu0 IT (1) 00210740:000000210740_NS d503201f O EL3h_s : NOP\n"
     "2 clk cpu1 IT (2) 00230000:000000230000_NS d503201f O EL3h_s : NOP\n"},
	{"Tarmac", " exception interrupt handler event-apart own-records damage aborted ",
     "0 clk E 00000000:000000000000 00000000 CoreEvent_Reset\n"
     "1 clk cpu0 IT (1) 00210740:000000210740_NS d503201f O EL3h_s : NOP\n"
     "1 clk cpu0 E 00210744:000000210744_NS 00000084 CoreEvent_CURRENT_SPx_SYNC\n"
     "1 clk cpu0 IT (2) 00210000:000000210000_NS d503201f O EL3h_s : NOP\n"
     "1 clk cpu0 E 00210004:000000210004_NS 00000086 CoreEvent_CURRENT_SPx_IRQ\n"
     "1 clk cpu0 IT (3) 00210200:000000210200_NS d503201f O EL3h_s : NOP\n"
     "1 clk cpu0 IT (4) what is this\n"},
	{"execlog", NULL,
     "0, 0x400000, 0xd503201f, \"nop \"\n"
     "0, 0x400004, 0xf94003e1, \"ldr x1, [sp]\", load, 0x55008007d0, RAM, x1 -> 0x0000000000000007\n"
     "0, 0x400008, 0xf90003e1, \"str x1, [sp]\", store, 0x55008007d8\n"
     "hello there\n"
     "0, 0x40000c, 0x14000002, \"b #0x400014\"\n"
     "0, 0x400014, 0x54000040, \"b.eq #0x40001c\"\n"
     "0, 0x400018, 0xd503201f, \"nop \"\n"
     "0, 0x500000, 0xd503201f, \"nop \"\n"},
	{"execlog", " hart damage ",
     "0, 0x400000, 0xd503201f, \"nop \"\n"
     "1, 0x600000, 0xd503201f, \"nop \"\n"
     "1, 0x600004, zz\n"},
};

/* The log of a kind: one that is for it, else the general one. */
static const struct log *log_of(const char *format, const char *kind)
{
	const struct log *general = NULL;
	char word[64];
	snprintf(word, sizeof word, " %s ", kind);
	for (size_t k = 0; k < sizeof logs / sizeof *logs; k++)
		if (!strcmp(logs[k].format, format)) {
			if (logs[k].only && strstr(logs[k].only, word))
				return &logs[k];
			general = logs[k].only ? general : &logs[k];
		}
	return general;
}

static void text_traces(void **state)
{
	(void)state;
	struct cairn_carry carry = {.size = sizeof carry};
	char path[128];
	wrong = 0;
	for (size_t i = 0; cairn_matrix(i, &carry); i++) {
		const struct log *log = log_of(carry.from, carry.kind);
		if (!log)
			continue;
		snprintf(path, sizeof path, "%s/%u.log", dir, files++);
		FILE *f = fopen(path, "w");
		assert_non_null(f);
		fputs(log->text, f);
		fclose(f);
		struct base_buf buf = measure(path, carry.from, carry.kind);
		if (buf.len > 1 && !has(carry.kind, carry.from))
			complain(&carry, "the source has it", (char *)buf.data, "");
		else if (buf.len <= 1 && has(carry.kind, carry.from))
			complain(&carry, "the source has it not", "", "");
		else if (buf.len > 1)
			cell(&carry, path, carry.from, NULL);
		base_buf_free(&buf);
	}
	assert_int_equal(wrong, 0);
}

static void the_table_is_whole(void **state)
{
	(void)state;
	struct cairn_carry carry = {.size = sizeof carry};
	size_t n = 0;
	for (; cairn_matrix(n, &carry); n++) {
		assert_true(carry.kind && carry.meaning && carry.from && carry.to);
		if (carry.carried == CAIRN_CARRY_LOST || carry.carried == CAIRN_CARRY_OTHERWISE ||
		    carry.carried == CAIRN_CARRY_REFUSED)
			assert_non_null(carry.how);
		struct cairn_batch *batch = kind_batch(c, carry.kind, CAIRN_ISA_A64);
		if (!batch)
			fail_msg("nobody makes %s", carry.kind);
		cairn_batch_free(c, batch);
	}
	assert_int_equal(n % (7 * 4), 0);
	assert_true(n > 50 * 7 * 4);
	assert_int_equal(cairn_matrix(SIZE_MAX, &carry), 0);
	/* A loop ends where the size was forgotten, too. */
	struct cairn_carry unsized = {0};
	assert_int_equal(cairn_matrix(n - 1, &unsized), CAIRN_E_INVAL);
	assert_int_equal(cairn_matrix(n, &unsized), 0);
}

static int set_up(void **state)
{
	(void)state;
	snprintf(dir, sizeof dir, "/tmp/cairn-convert-XXXXXX");
	return mkdtemp(dir) && (c = cairn_new(NULL)) ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	char command[128];
	cairn_free(c);
	snprintf(command, sizeof command, "rm -rf %s", dir);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(the_table_is_whole),
	                                   cmocka_unit_test(made_traces),
	                                   cmocka_unit_test(text_traces)};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
