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

struct cairn_symbol {
	const char *name;
	uint64_t addr, size; /* size 0 in the file: up to the next symbol of its section */
};

CAIRN_API struct cairn_image *cairn_image_new(struct cairn *c);
CAIRN_API void cairn_image_free(struct cairn_image *im);
/* Add "FILE" (ELF: at its own load addresses) or "FILE@0xADDRESS" (raw bytes at
 * that address; an ELF file is moved so that its lowest segment lies there).
 * Errors: CAIRN_E_NOTFOUND, CAIRN_E_IO, CAIRN_E_DAMAGED, CAIRN_E_INVAL, CAIRN_E_UNSUPPORTED
 * (raw file without an address), CAIRN_E_NOMEM. */
CAIRN_API int cairn_image_add(struct cairn_image *im, const char *spec);
/* Bytes at an address: how many of `n` could be read. */
CAIRN_API size_t cairn_image_read(const struct cairn_image *im, uint64_t addr, void *buf, size_t n);
/* The function or object covering an address, NULL when there is none. Thread-safe. */
CAIRN_API const struct cairn_symbol *cairn_image_symbol_at(const struct cairn_image *im,
                                                           uint64_t addr);
/* A symbol by name; NULL when there is none. */
CAIRN_API const struct cairn_symbol *cairn_image_symbol(const struct cairn_image *im,
                                                        const char *name, size_t n);

#ifdef __cplusplus
}
#endif
#endif
