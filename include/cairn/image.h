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

/* A function or object of a program. Belongs to the image and lives until its next
 * cairn_image_add. */
struct cairn_symbol {
	const char *name;
	uint64_t addr; /* its first byte, where the file was put */
	uint64_t size; /* bytes; where the file says 0: up to the next symbol of its section */
};

/* A line of source text. */
struct cairn_line {
	const char *file; /* as the compiler was given it; belongs to the image */
	uint32_t line;    /* from 1 */
	uint32_t reserved;
};

/* Make an image without files. NULL when out of memory. */
CAIRN_API struct cairn_image *cairn_image_new(struct cairn *cairn);
/* Free an image, after all that was opened with it. */
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
/* Copy up to `n` bytes at an address, of whatever space, into `buf`. Returns how many: fewer where
 * the files end. Thread-safe. */
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
struct cairn_ctx;
/* The same for the address space of a context (see cairn_image_add); with NULL for the context as
 * cairn_image_symbol_at. Thread-safe. */
CAIRN_API const struct cairn_symbol *cairn_image_symbol_in(const struct cairn_image *im,
                                                           const struct cairn_ctx *ctx,
                                                           uint64_t addr);
/* Are there files for some spaces only, so that contexts matter? */
CAIRN_API int cairn_image_has_spaces(const struct cairn_image *im);
/* The symbol whose name is the `n` bytes at `name`; NULL when there is none. */
CAIRN_API const struct cairn_symbol *cairn_image_symbol(const struct cairn_image *im,
                                                        const char *name, size_t n);

/* Put the GNU build-id of the first ELF file that has one into `hex` (`size` bytes), as a text in
 * hexadecimal. 1; 0 when there is none or it does not fit. Files with the same build-id hold the
 * same program. */
CAIRN_API int cairn_image_build_id(const struct cairn_image *im, char *hex, size_t size);

/* The instruction sets that ELF file `index` (from 0) was made for, as bits 1 << enum cairn_isa
 * (0: a machine that cairn does not know), and the file's name. 1; 0 past the last. */
CAIRN_API int cairn_image_sets(const struct cairn_image *im, size_t index, const char **file,
                               uint32_t *sets);

/* Read the DWARF line tables of all files added so far, with libdw, for cairn_image_line_at.
 * Errors: CAIRN_E_NOTFOUND (compiled without -g), CAIRN_E_UNSUPPORTED (cairn was built without
 * libdw), CAIRN_E_NOMEM. */
CAIRN_API int cairn_image_read_lines(struct cairn_image *im);
/* Put the source line of the instruction at an address into `out`. 1; 0 when it is not known or
 * cairn_image_read_lines was not called. Thread-safe. */
CAIRN_API int cairn_image_line_at(const struct cairn_image *im, uint64_t addr,
                                  struct cairn_line *out);

#ifdef __cplusplus
}
#endif
#endif
