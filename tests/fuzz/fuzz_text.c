/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a log of Spike, Tarmac or execlog. What is asserted: batches keep the
 * model's rules and do not depend on threads, pieces, or a codec; the records side by
 * side are the log; counting agrees with the batches, and finds the same damage; what is
 * read can be written as STF.
 *
 * The first byte chooses how. With LINES each further pair of bytes is a line from a list
 * of all kinds, with a character of it changed, which is what brings the fuzzer beyond
 * text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "text/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { LINES = 1, STREAM = 2, DIALECT = 4 | 8, PIECE = 16 | 32 };
enum { MOST = 1 << 17 };

static const char *const names[] = {"spike", "tarmac", "execlog", "spike"};
static const char *const lines[] = {
	"core   0: 0x0000000080000000 (0x00000297) auipc   t0, 0x0",
	"core   0: 3 0x0000000080000000 (0x00000297) x5  0x0000000080000000",
	"core   1: 3 0x0000000080000000 (0x00000297) x5  0x0000000080000000",
	"3 0x0000000080000000 (0x00000297) x 5 0x0000000080000000",
	"core   0: 0x0000000080000004 (0x00008282) jr      t0",
	"core   0: 3 0x0000000080000004 (0x8282)",
	"core   0: 0 0x80000006 (0x00b50463)",
	"core   0: 1 0x0000000080000006 (0x0002b203) x4  0x0000000080002380 mem 0x0000000080002428",
	"core   0: 1 0x000000008000000a (0x0052b023) mem 0x0000000080002428 0x0000000000000001",
	"core   0: 3 0x000000008000000e (0x02058007) e8 mf2 l4 v0  0x00000000000000010000000000000002",
	"core   0: 3 0x0000000080000012 (0x30529073) c773_mtvec 0x0000000080000100",
	"core   0: exception trap_user_ecall, epc 0x0000000080000004",
	"core   0: exception interrupt #7, epc 0x0000000080000004",
	"core   0:           tval 0x0000000000000012",
	"core   0: >>>>  main",
	"core   0: Executed 3 times",
	"boot core   0: >>>>  main",
	"hello",
	"",
	"Tarmac Text Rev 3t",
	"0 clk cpu0 IT (1) 002105d4 d2a00200 O EL3h_s :   MOVZ   X0, #16, #16",
	"0 clk IS (2) 002105d8:0000002105d8_NS 54000180 O EL1t_ns : B.EQ",
	"0 clk cluster1.cpu2 IT (3) 00001000 4770 T svc_s : BX lr",
	"0 clk cpu0 R X0 0000000000100000",
	"0 clk R cpsr 600003cd",
	"0 clk R q1 00000000000000010000000000000002",
	"0 clk R nonsense 12",
	"1 clk cpu0 MW8 000fffe0:0000000fffe0 00000000_00000000",
	"1 clk MR4X 000fffe0 00000001",
	"0 clk E 00000000:000000000000 00000000 CoreEvent_Reset",
	"0 clk SIGNAL: SIGNAL=DebugReset STATE=N",
	"   0 tic ES  EXC Reset",
	"   0 tic ES  (00000000002105dc:940000f8) O el3h_s:         BL       {pc}+0x3e0",
	"           BR (00000000002109bc) O",
	"           R SP_EL3 00000000000fffe0",
	"           ST 00000000000fffe0 00000000 002105e0 00000000 00000000    S:00000fffe0",
	"           LD 0000000000200160 ........ ....74.. 3a...... ........    NS:0000200160",
	"0, 0x4006c0, 0xd503201f, \"nop \"",
	"0, 0x4006d0, 0xf94003e1, \"ldr x1, [sp]\", load, 0x55008007d0",
	"1, 0x1018c, 0xc398, \"sw\", store, 0x000111a8, RAM, a4 -> 0x00000003",
	"0, 0x4006d4, 0xb5ffffe1, \"cbnz x1, #0x400958\""};
enum { KINDS = sizeof lines / sizeof *lines };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const unsigned pieces[] = {1, 200, 1000, 5000};
	if (n < 2)
		return 0;
	uint8_t how = data[0];
	const char *from = names[(how & DIALECT) / 4];
	char piece[32];
	struct cairn *cairn = cairn_new(NULL);
	struct base_buf raw, packed;
	base_buf_init(&raw, cairn);
	base_buf_init(&packed, cairn);
	if (how & LINES)
		log_lines(&raw, lines, KINDS, "0123456789abcdef .:,()x", MOST, data + 1, n - 1);
	else
		base_buf_put(&raw, data + 1, n - 1 < MOST ? n - 1 : (size_t)MOST);
	struct base_buf *buf = &raw;
	if (how & STREAM) {
		log_pack(cairn, &raw, &packed);
		buf = &packed;
	}
	/* What the look at the beginning finds is the same for map and stream. */
	snprintf(piece, sizeof piece, "%s:piece=%u", from, pieces[(how & PIECE) / 16]);
	struct log_told first;
	log_tell(cairn, &raw, from, 1, &first);
	log_same(cairn, buf, piece, 1, &first);
	log_same(cairn, buf, piece, 3, &first);
	log_count(cairn, buf, from, piece, first.damage);
	log_records(cairn, &raw, from, first.damage);
	log_write(cairn, &raw, from, "stf:container=stf");
	base_buf_free(&first.text);
	base_buf_free(&raw);
	base_buf_free(&packed);
	cairn_free(cairn);
	return 0;
}
