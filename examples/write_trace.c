/* SPDX-License-Identifier: Apache-2.0 */
/* Write a trace of a three-instruction loop: write_trace OUT.zstf [ROUNDS] */
#include <stdio.h>
#include <stdlib.h>

#include <cairn/cairn.h>

int main(int argc, char **argv)
{
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_stf_writer *writer = NULL;
	struct cairn_reg a0 = {.cls = CAIRN_REG_INT,
	                       .num = 10,
	                       .role = CAIRN_ROLE_DST,
	                       .flags = CAIRN_VALUE_KNOWN},
					 a1 = a0;
	struct cairn_mem load = {.size = 8, .kind = CAIRN_MEM_READ, .flags = CAIRN_VALUE_KNOWN};
	const struct cairn_stf_insn loop[] = {
		{.pc = 0x10000,
	     .enc = 0x0005b503,
	     .size = 4, /* ld a0, 0(a1) */
	     .regs = &a0,
	     .n_regs = 1,
	     .mems = &load,
	     .n_mems = 1},
		{.pc = 0x10004, .enc = 0x05a1, .size = 2, .regs = &a1, .n_regs = 1}, /* addi a1, a1, 8 */
		{.pc = 0x10006, .enc = 0xfed59de3, .size = 4}}; /* bne a1, a3, 0x10000 */
	unsigned long insns = 3 * (argc > 2 ? strtoul(argv[2], NULL, 0) : 10);
	int rc = argc > 1 ? cairn_stf_create(cairn, argv[1], NULL, &writer) : CAIRN_E_INVAL;
	if (rc >= 0)
		rc = cairn_stf_begin(writer, NULL);
	a1.num = 11;
	for (unsigned long i = 0; rc >= 0 && i < insns; i++) {
		load.addr = 0x20000 + i / 3 * 8;
		a0.value = load.value = i / 3 * 7;
		a1.value = load.addr + 8;
		rc = cairn_stf_put(writer, &loop[i % 3]); /* the branch is taken if it goes on at 0x10000 */
	}
	rc = rc < 0 ? (cairn_stf_abort(writer), rc) : cairn_stf_finish(writer);
	if (rc < 0)
		fprintf(stderr, "%s\n",
		        argc > 1 ? cairn_error_text(cairn) : "write_trace OUT.zstf [ROUNDS]");
	cairn_free(cairn);
	return rc < 0;
}
