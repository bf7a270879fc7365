/* SPDX-License-Identifier: Apache-2.0 */
/* Write a trace of a three-instruction loop: write_trace OUT.zstf [rounds] */
#include <stdio.h>
#include <stdlib.h>

#include <cairn/cairn.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	unsigned rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 10;
	struct cairn *c = cairn_new(NULL);
	struct cairn_stf_writer *w = NULL;
	struct cairn_reg a0 = {.cls = CAIRN_REG_INT, .num = 10, .role = CAIRN_ROLE_DST,
	                       .flags = CAIRN_VALUE_KNOWN}, a1 = a0;
	struct cairn_mem load = {.addr = 0x20000, .size = 8, .kind = CAIRN_MEM_READ,
	                         .flags = CAIRN_VALUE_KNOWN};
	struct cairn_stf_insn ld = {.pc = 0x10000, .enc = 0x0005b503, .size = 4, .regs = &a0,
	                            .n_regs = 1, .mems = &load, .n_mems = 1};
	struct cairn_stf_insn addi = {.pc = 0x10004, .enc = 0x05a1, .size = 2, .regs = &a1, .n_regs = 1};
	struct cairn_stf_insn bne = {.pc = 0x10006, .enc = 0xfed59de3, .size = 4};

	a1.num = 11;
	int rc = cairn_stf_create(c, argv[1], NULL, &w);
	if (rc >= 0)
		rc = cairn_stf_begin(w, NULL);
	for (unsigned i = 0; rc >= 0 && i < rounds; i++) {
		a0.value = load.value = 7 * i;
		cairn_stf_put(w, &ld);        /* ld   a0, 0(a1) */
		a1.value = load.addr += 8;
		cairn_stf_put(w, &addi);      /* addi a1, a1, 8 */
		rc = cairn_stf_put(w, &bne);  /* bne  a1, a3, -6: taken if it goes on at 0x10000 */
	}
	rc = rc < 0 ? (cairn_stf_abort(w), rc) : cairn_stf_finish(w);
	if (rc < 0)
		fprintf(stderr, "%s\n", cairn_error_text(c));
	cairn_free(c);
	return rc < 0;
}
