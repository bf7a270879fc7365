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
	int rc = cairn_stf_create(c, argv[1], NULL, &w);

	struct cairn_stf_config cfg = {.isa = 1, .iem = 2, .event_bits = 64,
	                               .features = CAIRN_STF_F_RV64 | CAIRN_STF_F_OPERAND_VALUE};
	if (rc >= 0)
		rc = cairn_stf_put_header(w, &cfg, 0x40, (const uint8_t[]){1, 0, 0}, "write_trace",
		                          NULL, 0, 0x10000, "rv64imafdc_zicsr_zifencei");
	for (unsigned i = 0; rc >= 0 && i < rounds; i++) {
		cairn_stf_put_reg(w, CAIRN_REG_INT, 10, CAIRN_ROLE_DST, 7 * i);
		cairn_stf_put_mem(w, CAIRN_MEM_READ, 0x20000 + 8ull * i, 8, 7 * i);
		cairn_stf_put_insn(w, 0x0005b503, 4); /* ld   a0, 0(a1) */
		cairn_stf_put_reg(w, CAIRN_REG_INT, 11, CAIRN_ROLE_DST, 0x20008 + 8ull * i);
		cairn_stf_put_insn(w, 0x05a1, 2);     /* addi a1, a1, 8 */
		if (i + 1 < rounds)                   /* taken, but for the last time */
			cairn_stf_put_pc_target(w, 0x10000);
		rc = cairn_stf_put_insn(w, 0xfed59de3, 4); /* bne a1, a3, -6 */
	}
	rc = rc < 0 ? (cairn_stf_abort(w), rc) : cairn_stf_finish(w);
	if (rc < 0)
		fprintf(stderr, "%s\n", cairn_error_text(c));
	cairn_free(c);
	return rc < 0;
}
