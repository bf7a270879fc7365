/* SPDX-License-Identifier: Apache-2.0 */
/* What the word of an INSTR means for its record: whether an address, a target or neither belongs there. */
#include "formats/rst/rst.h"

static uint8_t memory_kind(unsigned op3)
{
	if (op3 == 0x2d || op3 == 0x3d)
		return RST_KIND_MAY; /* prefetch */
	if (op3 == 0x0c || (op3 >= 0x28 && op3 <= 0x2f) || op3 == 0x31 || op3 == 0x35 ||
	    (op3 >= 0x38 && op3 <= 0x3b) || op3 == 0x3f || op3 == 0x1c)
		return RST_KIND_MAY; /* there are none */
	return op3 & 0x10 ? RST_KIND_ASI : RST_KIND_MEM;
}

static uint8_t other_kind(unsigned op3)
{
	switch (op3) {
	case 0x38:
	case 0x39:
		return RST_KIND_DCTI;
	case 0x3a:
		return RST_KIND_TCC;
	case 0x3b:
		return RST_KIND_MAY;
	case 0x3e:
		return RST_KIND_XRET;
	case 0x30:
	case 0x32:
		return RST_KIND_WATCH;
	default:
		return RST_KIND_PLAIN;
	}
}

void rst_kinds(uint8_t kind[256])
{
	for (unsigned key = 0; key < 256; key++)
		kind[key] = key >> 6 == 3   ? memory_kind(key & 63)
		            : key >> 6 == 2 ? other_kind(key & 63)
		                            : RST_KIND_PLAIN;
	kind[2u << 6 | 2] = kind[ISA_SPARC_K_COPY] = RST_KIND_PLAIN;
	kind[ISA_SPARC_K_CALL] = RST_KIND_DCTI;
	kind[ISA_SPARC_K_ILLEGAL] = RST_KIND_MAY;
	static const uint8_t branches[] = {1, 2, 3, 5, 6, 9, 10, 13, 14};
	for (size_t i = 0; i < sizeof branches; i++)
		kind[branches[i]] = RST_KIND_DCTI;
}
