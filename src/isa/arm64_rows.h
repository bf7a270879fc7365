/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ISA_ARM64_ROWS_H
#define ISA_ARM64_ROWS_H
/*
 * SIMD, floating point, SVE and SME by mask and value: which encodings exist, and what
 * kind of thing they do. An encoding fits one row or none, or rows of one kind; so their
 * order does not matter. Names behind a row are examples of what it holds.
 *
 * The rows are made and held by tests/unit/test_isa_arm64_rows.c (docs/isa.md).
 */
#include <stddef.h>
#include <stdint.h>

/* Name, class and traits of each kind; T puts a trait's prefix before it. V: of vectors. F, FP:
 * floating point. */
#define ISA_ARM64_KINDS(KIND, T) \
	KIND(VEC, VECTOR, T(VECTOR)) \
	KIND(VMUL, VECTOR, T(VECTOR) | T(MUL)) \
	KIND(VDIV, VECTOR, T(VECTOR) | T(DIV)) \
	KIND(VBIT, VECTOR, T(VECTOR) | T(BITMANIP)) \
	KIND(VMOV, VECTOR, T(VECTOR) | T(MOVE)) \
	KIND(VFP, VECTOR, T(VECTOR) | T(FP)) \
	KIND(VFMUL, VECTOR, T(VECTOR) | T(FP) | T(MUL)) \
	KIND(VFDIV, VECTOR, T(VECTOR) | T(FP) | T(DIV)) \
	KIND(VFMOV, VECTOR, T(VECTOR) | T(FP) | T(MOVE)) \
	KIND(CRY, CRYPTO, T(CRYPTO) | T(VECTOR)) \
	KIND(F, FP, T(FP)) \
	KIND(FMUL, FP, T(FP) | T(MUL)) \
	KIND(FDIV, FPDIV, T(FP) | T(DIV)) \
	KIND(FSQRT, FPDIV, T(FP)) \
	KIND(FMOV, FP, T(FP) | T(MOVE))

#define ISA_ARM64_KIND_NAME(name, cls, traits) name,
enum isa_arm64_kind { ISA_ARM64_KINDS(ISA_ARM64_KIND_NAME, ) ISA_ARM64_N_KINDS };
#undef ISA_ARM64_KIND_NAME

struct isa_arm64_row {
	uint32_t mask, match;
	uint8_t kind;
};

struct isa_arm64_rows {
	const struct isa_arm64_row *row;
	size_t n;
};

extern const struct isa_arm64_rows isa_arm64_simd_rows, isa_arm64_sve_rows, isa_arm64_sme_rows;

#endif
