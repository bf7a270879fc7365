/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ISA_ARM64_ROWS_H
#define ISA_ARM64_ROWS_H
/*
 * SIMD, floating point, SVE and SME by mask and value: which encodings exist, and what
 * kind of thing they do. An encoding fits one row or none, or rows of one kind; so their
 * order does not matter. Names behind a row are examples of what it holds.
 */
#include <stddef.h>
#include <stdint.h>

/* V: of vectors. F, FP: floating point. */
enum isa_arm64_kind {
	VEC,
	VMUL,
	VDIV,
	VBIT,
	VMOV,
	VFP,
	VFMUL,
	VFDIV,
	VFMOV,
	CRY,
	F,
	FMUL,
	FDIV,
	FSQRT,
	FMOV
};

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
