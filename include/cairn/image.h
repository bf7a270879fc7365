/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAIRN_IMAGE_H
#define CAIRN_IMAGE_H
/*
 * Images: program bytes and symbols at addresses, from ELF files or raw dumps.
 */
#include "cairn/base.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_image; /* any number of files together */

/* Memory spaces: the same address may hold different bytes for different exception levels
 * and security states. Bits, to be or'ed where a file belongs to several. EL0 uses its
 * EL1's. Values are frozen. */
enum cairn_image_space {
	CAIRN_IMAGE_EL1N = 1u << 0,
	CAIRN_IMAGE_EL1S = 1u << 1,
	CAIRN_IMAGE_EL1R = 1u << 2, /* realm */
	CAIRN_IMAGE_EL2N = 1u << 3,
	CAIRN_IMAGE_EL2S = 1u << 4,
	CAIRN_IMAGE_EL2R = 1u << 5,
	CAIRN_IMAGE_EL3 = 1u << 6, /* and Root, which is its security state */
	CAIRN_IMAGE_ANY = (1u << 7) - 1
};

struct cairn_symbol {
	const char *name;
	uint64_t addr, size; /* size 0 in the file: up to the next symbol of its section */
};

struct cairn_line {
	const char *file; /* as the compiler was given it; the image's */
	uint32_t line;    /* from 1 */
	uint32_t reserved;
};

CAIRN_API struct cairn_image *cairn_image_new(struct cairn *cairn);
CAIRN_API void cairn_image_free(struct cairn_image *im);
/* Add "FILE" (ELF: at its own load addresses) or "FILE@0xADDRESS" (raw bytes at
 * that address; an ELF file is moved so that its lowest segment lies there). For one
 * memory space only: "FILE@EL1N" or "FILE@EL1N:0xADDRESS"; spaces are EL1N EL1S EL1R
 * EL2N (or EL2) EL2S EL2R EL3 (or ROOT), EL0's as EL1's, and S N R for all of a security
 * state; vmid=N and ctxid=N limit it to the address spaces with that VMID and context ID
 * ("FILE@ctxid=0x2f,EL1N:0x400000"). A file added later lies over those before, one for an
 * address space over those for all.
 * Errors: CAIRN_E_NOTFOUND, CAIRN_E_IO, CAIRN_E_DAMAGED, CAIRN_E_INVAL, CAIRN_E_UNSUPPORTED
 * (raw file without an address), CAIRN_E_NOMEM. */
CAIRN_API int cairn_image_add(struct cairn_image *im, const char *spec);
/* Bytes at an address, in whatever space they are: how many of `n` could be read. */
CAIRN_API size_t cairn_image_read(const struct cairn_image *im, uint64_t addr, void *buf, size_t n);
/* The same in one memory space (one bit of enum cairn_image_space). */
CAIRN_API size_t cairn_image_read_in(const struct cairn_image *im, enum cairn_image_space space,
                                     uint64_t addr, void *buf, size_t n);
/* The bits of a space by its name ("EL1N", "S", "ANY", case ignored), 0 when there is none. */
CAIRN_API unsigned cairn_image_space_find(const char *name, size_t n);
/* "EL1N"; NULL when `space` is not one bit. */
CAIRN_API const char *cairn_image_space_name(unsigned space);
/* The function or object covering an address, NULL when there is none. Thread-safe. */
CAIRN_API const struct cairn_symbol *cairn_image_symbol_at(const struct cairn_image *im,
                                                           uint64_t addr);
/* The one that a context's address space has there; see cairn_image_add. NULL for the context:
 * as above. Thread-safe. */
struct cairn_ctx;
CAIRN_API const struct cairn_symbol *cairn_image_symbol_in(const struct cairn_image *im,
                                                           const struct cairn_ctx *ctx,
                                                           uint64_t addr);
/* Are there files for some spaces only, so that contexts matter? */
CAIRN_API int cairn_image_has_spaces(const struct cairn_image *im);
/* A symbol by name; NULL when there is none. */
CAIRN_API const struct cairn_symbol *cairn_image_symbol(const struct cairn_image *im,
                                                        const char *name, size_t n);

/* The GNU build-id of the first ELF file that has one, in hexadecimal: 1, or 0 when there is
 * none or it does not fit. Two files with the same one were linked as the same program. */
CAIRN_API int cairn_image_build_id(const struct cairn_image *im, char *hex, size_t size);

/* What sets of instructions the i-th ELF file was made for: bits 1 << enum cairn_isa, 0 for a
 * machine that cairn does not know, and its name. 1; 0 past the last. */
CAIRN_API int cairn_image_sets(const struct cairn_image *im, size_t index, const char **file,
                               uint32_t *sets);

/* Read which source lines the code of all files added so far comes from (DWARF line
 * tables, through libdw). CAIRN_E_NOTFOUND (compiled without -g), CAIRN_E_UNSUPPORTED (built
 * without libdw), CAIRN_E_NOMEM. */
CAIRN_API int cairn_image_read_lines(struct cairn_image *im);
/* 1 and the line that the instruction at an address comes from; 0 when it is not known, or
 * lines were not read. Thread-safe. */
CAIRN_API int cairn_image_line_at(const struct cairn_image *im, uint64_t addr,
                                  struct cairn_line *out);

#ifdef __cplusplus
}
#endif
#endif
