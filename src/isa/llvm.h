/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ISA_LLVM_H
#define ISA_LLVM_H
/*
 * The little of LLVM's C interface that disassembly needs, declared by us and
 * found in the run-time library, and the feature names a disassembler is given.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "cairn/isa.h"

struct isa_llvm {
	int version; /* major */
	void *(*create)(const char *triple, const char *cpu, const char *features, void *info, int tag,
	                void *get_op_info, void *look_up);
	void (*dispose)(void *dc);
	size_t (*disasm)(void *dc, uint8_t *bytes, uint64_t n, uint64_t pc, char *text,
	                 size_t text_size);
};

/* The library, loaded by the first call of the process; NULL when there is none
 * that can be used. Thread-safe. */
const struct isa_llvm *isa_llvm_get(void);
/* Why there is none, as the rest of a sentence. */
const char *isa_llvm_missing(void);

/* Append the feature list ("+m,+a") for `isa` that LLVM `version` understands.
 * `isa_string` as for cairn_disasm_new; only RISC-V has any. */
int isa_llvm_features(enum cairn_isa isa, const char *isa_string, int version,
                      struct base_buf *out);
/* Target triple, NULL when LLVM is not asked about this instruction set. */
const char *isa_llvm_triple(enum cairn_isa isa);

#endif
