/* SPDX-License-Identifier: Apache-2.0 */
/* What accesses an encoding must have. */
#include "formats/stf/record/accesses.h"

#include "isa/isa.h"

bool stf_is_sequence(const struct cairn_op *op)
{
	return (op->variant & CAIRN_ISA_ZCMP) && op->size == 2 && (op->enc & 0xe003) == 0xa002;
}

bool stf_judges_accesses(const struct cairn_op *op)
{
	return op->cls != CAIRN_CLASS_ILLEGAL && op->cls != CAIRN_CLASS_UNKNOWN &&
	       !(op->traits & (CAIRN_TRAIT_CACHE | CAIRN_TRAIT_PREFETCH));
}

/* A vector access whose elements lie one behind the other. */
static bool is_unit_stride(const struct cairn_op *op)
{
	unsigned major = op->enc & 0x7f;
	return (major == 0x07 || major == 0x27) && (op->enc >> 26 & 3) == 0;
}

bool stf_judges_order(const struct cairn_op *op)
{
	return !stf_is_sequence(op) && (!(op->traits & CAIRN_TRAIT_VECTOR) || is_unit_stride(op));
}

unsigned stf_lacking_accesses(const struct cairn_op *op, bool any, unsigned reads, unsigned writes,
                              bool fetch)
{
	/* Vector accesses may all be masked off; a store-conditional may fail. */
	if ((op->traits & (CAIRN_TRAIT_VECTOR | CAIRN_TRAIT_RESERVED_SC)) || (any && !reads && !writes))
		return 0;
	bool read = (op->traits & CAIRN_TRAIT_LOAD) && !reads && !fetch;
	bool write = (op->traits & CAIRN_TRAIT_STORE) && !writes && !(reads && isa_is_cas(op));
	return (unsigned)read + (unsigned)write;
}
