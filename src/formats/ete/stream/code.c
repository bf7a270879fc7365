/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of the program, kept in a hash table of bounded size: when it is full all are
 * forgotten, which costs walking them again, and hostile traces cannot make it grow.
 *
 * A block ends behind a P0 instruction; or at a multiple of CHUNK, so that long runs
 * without one share their pieces whatever address they are entered at; or where the
 * bytes stop lying in one piece.
 */
#include "formats/ete/stream/code.h"

#include <string.h>

#include "image/image.h"

enum { CHUNK = 1 << 14, BLOCKS_OF_CHUNK = 4096, CHUNKS = 64, FIRST_TABLE = 1 << 10 };

void ete_code_init(struct ete_code *code, struct cairn *cairn, const struct cairn_image *image,
                   enum isa_arm_level level, unsigned also)
{
	*code = (struct ete_code){.cairn = cairn, .level = level, .also = also};
	code->image = image && !image_empty(image) ? image : NULL;
}

void ete_code_free(struct ete_code *code)
{
	if (!code->cairn)
		return;
	for (size_t i = 0; i < code->n_chunks; i++)
		base_free(code->cairn, code->chunks[i]);
	base_free(code->cairn, code->table);
	*code = (struct ete_code){0};
}

unsigned ete_code_view(const struct ete_code *code, const struct image_seer *who)
{
	return code->image ? image_view_of(code->image, who) : 0;
}

static size_t code_hash(uint64_t addr, unsigned isa, unsigned view)
{
	uint64_t h =
		(addr >> 1 ^ (uint64_t)isa << 56 ^ (uint64_t)view << 44) * UINT64_C(0x9e3779b97f4a7c15);
	return (size_t)(h >> 32 ^ h >> 11);
}

static struct ete_block **code_find(const struct ete_code *code, uint64_t addr, unsigned isa,
                                    unsigned view)
{
	for (size_t i = code_hash(addr, isa, view);; i++) {
		struct ete_block **block = &code->table[i & code->mask];
		if (!*block || ((*block)->addr == addr && (*block)->isa == isa && (*block)->view == view))
			return block;
	}
}

/* ---- room ---- */

static int code_grow(struct ete_code *code)
{
	size_t old = code->table ? code->mask + 1 : 0, n = old ? old * 2 : (size_t)FIRST_TABLE;
	struct ete_block **from = code->table, **to = base_alloc(code->cairn, n * sizeof *to);
	if (!to)
		return CAIRN_E_NOMEM;
	code->table = to;
	code->mask = n - 1;
	for (size_t i = 0; i < old; i++)
		if (from[i])
			*code_find(code, from[i]->addr, from[i]->isa, from[i]->view) = from[i];
	base_free(code->cairn, from);
	return 0;
}

static void code_forget(struct ete_code *code)
{
	memset(code->table, 0, (code->mask + 1) * sizeof *code->table);
	code->used = 0;
	code->generation++;
}

static struct ete_block *fresh(struct ete_code *code)
{
	size_t chunk = code->used / BLOCKS_OF_CHUNK;
	if (chunk == code->n_chunks) {
		code->chunks[chunk] =
			base_realloc(code->cairn, NULL, BLOCKS_OF_CHUNK * sizeof(struct ete_block));
		if (!code->chunks[chunk])
			return NULL;
		code->n_chunks++;
	}
	return &code->chunks[chunk][code->used++ % BLOCKS_OF_CHUNK];
}

/* ---- walking ---- */

/* Is it a load or store that the trace unit reports? */
static bool tells_access(const struct ete_code *code, unsigned isa, uint32_t enc, unsigned size)
{
	struct cairn_op op;
	if (!(code->also & (ETE_ALSO_LOADS | ETE_ALSO_STORES)))
		return false;
	cairn_isa_decode(isa, enc, size, &op);
	return (op.traits & CAIRN_TRAIT_LOAD && code->also & ETE_ALSO_LOADS) ||
	       (op.traits & CAIRN_TRAIT_STORE && code->also & ETE_ALSO_STORES);
}

static void walk_a64(const struct ete_code *code, struct ete_block *block, size_t n)
{
	struct isa_arm_flow flow = {0};
	const uint8_t *p = block->bytes, *end = p + n;
	do {
		uint32_t enc =
			(uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
		p += 4;
		if (isa_arm_a64_may_flow(enc))
			isa_arm_flow(CAIRN_ISA_A64, enc, code->level, code->also & ETE_ALSO_WAITS, &flow);
		else if (tells_access(code, CAIRN_ISA_A64, enc, 4))
			flow.kind = ISA_ARM_MEMORY;
		if (flow.kind == ISA_ARM_NONE)
			continue;
		block->target = block->addr + (uint64_t)(p - 4 - block->bytes) + (uint64_t)flow.offset;
		break;
	} while (end - p >= 4);
	block->n = (uint32_t)(p - block->bytes) / 4;
	block->end = block->addr + 4 * (uint64_t)block->n;
	block->kind = flow.kind;
	block->flags = flow.flags;
	block->size = 4;
	block->target_isa = CAIRN_ISA_A64;
}

static void walk_a32_t32(const struct ete_code *code, struct ete_block *block, size_t n)
{
	struct isa_arm_flow flow = {0};
	size_t at = 0;
	unsigned size, it = 0;
	do {
		uint32_t enc = isa_arm_fetch(block->isa, block->bytes + at, n - at, &size);
		if (!size)
			break;
		isa_arm_flow(block->isa, enc, code->level, code->also & ETE_ALSO_WAITS, &flow);
		if (flow.kind == ISA_ARM_NONE && tells_access(code, block->isa, enc, size))
			flow.kind = ISA_ARM_MEMORY;
		at += size;
		block->n++;
		block->size = (uint8_t)size;
		if (flow.kind != ISA_ARM_NONE) {
			block->target = isa_arm_target(&flow, block->isa, block->addr + at - size);
			block->target_isa = flow.isa;
			flow.flags |= it ? ISA_ARM_CONDITIONAL : 0;
			break;
		}
		it = flow.it ? flow.it : it - (it != 0);
	} while (at < n);
	block->end = block->addr + at;
	block->kind = flow.kind;
	block->flags = flow.flags;
}

/* Take an instruction whose bytes do not lie in one piece: it is a block of its own. */
static bool pick_up(const struct ete_code *code, struct ete_block *block, size_t *n)
{
	size_t got =
		image_read_view(code->image, block->view, block->addr, block->own, sizeof block->own);
	bool small = block->isa == CAIRN_ISA_T32 && got >= 2 &&
	             isa_arm_t32_size((uint32_t)block->own[0] | (uint32_t)block->own[1] << 8) == 2;
	block->bytes = block->own;
	*n = small ? 2 : 4;
	return small || got == 4;
}

static bool code_whole(const struct ete_block *block, uint64_t n)
{
	if (block->isa != CAIRN_ISA_T32)
		return n >= 4;
	return n >= 4 || (n >= 2 && isa_arm_t32_size((uint32_t)block->bytes[0] |
	                                             (uint32_t)block->bytes[1] << 8) == 2);
}

static struct ete_block *code_make(struct ete_code *code, uint64_t addr, unsigned isa,
                                   unsigned view)
{
	struct ete_block block = {.addr = addr, .isa = (uint8_t)isa, .view = (uint16_t)view};
	uint64_t n, chunk = CHUNK - (addr & (CHUNK - 1));
	size_t left;
	block.bytes = image_bytes(code->image, view, addr, &n);
	if (!block.bytes)
		return NULL;
	left = (size_t)(n < chunk ? n : chunk);
	if (!code_whole(&block, left)) {
		if (code_whole(&block, n)) /* T32 across the chunk's end */
			left = 4;
		else if (!pick_up(code, &block, &left))
			return NULL;
	}
	struct ete_block *kept = fresh(code);
	if (!kept) {
		code->failed = true;
		return NULL;
	}
	*kept = block;
	if (block.bytes == block.own)
		kept->bytes = kept->own;
	if (isa == CAIRN_ISA_A64)
		walk_a64(code, kept, left);
	else
		walk_a32_t32(code, kept, left);
	return kept;
}

struct ete_block *ete_code_block(struct ete_code *code, uint64_t addr, unsigned isa, unsigned view)
{
	if (!code->image)
		return NULL;
	if (code->table) {
		struct ete_block **block = code_find(code, addr, isa, view);
		if (*block)
			return *block;
	}
	if (code->used == (size_t)CHUNKS * BLOCKS_OF_CHUNK)
		code_forget(code);
	if ((!code->table || code->used * 2 > code->mask) && code_grow(code) < 0) {
		code->failed = true;
		return NULL;
	}
	struct ete_block *b = code_make(code, addr, isa, view);
	if (b)
		*code_find(code, addr, isa, view) = b;
	return b;
}
