/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IMAGE_IMAGE_H
#define IMAGE_IMAGE_H
/*
 * Inside view of the image room: what the ELF reader hands to the address map
 * (image.c) and to the symbol tables (symbols.c).
 */
#include "base/base.h"
#include "cairn/image.h"

/* A file, mapped until the image is freed. */
struct image_file {
	char *name; /* for errors, without the address */
	const uint8_t *data;
	size_t size;
	struct io_input *input; /* that it is read */
	uint64_t by;            /* how far an ELF file was moved */
	char *names;            /* of labels, where they are not in the file */
};

/* Bytes of a file that belong at an address. Never empty, never past the end of
 * the file or of the address space. */
struct image_segment {
	uint64_t addr;
	const uint8_t *data;
	uint64_t n;
};

/* What a name is worth when several stand at one address: the highest wins. */
enum image_bind { IMAGE_LOCAL, IMAGE_WEAK, IMAGE_GLOBAL };
enum image_type { IMAGE_LABEL, IMAGE_OBJECT, IMAGE_FUNC };

/* A symbol as read from a file. `name` points into the file. */
struct image_label {
	struct cairn_symbol sym;
	uint64_t end; /* of its section, exclusive; 0 when not known */
	uint32_t section;
	uint32_t file, index; /* in which order they were added */
	uint8_t bind, type;
	uint8_t sized; /* the file gave the size */
};

/* What one file brings. Both arrays are from base_alloc, or NULL. */
struct image_parts {
	struct image_segment *segments;
	struct image_label *labels;
	size_t n_segments, n_labels;
	uint64_t by; /* how far it was moved */
	char *names; /* of labels, where they are not in the file */
};

/* ---- image.c ---- */

/* Whose view it is: one bit of enum cairn_image_space (0: not known), and whose addresses. */
struct image_seer {
	unsigned space;
	bool has_vmid, has_ctxid;
	uint32_t vmid;
	uint64_t ctxid;
};
/* Where bytes belong: spaces, or with IDs only the address spaces that have these. */
struct image_space {
	unsigned spaces;
	bool has_vmid, has_ctxid;
	uint32_t vmid;
	uint64_t ctxid;
};
/* "EL1N", "S,ctxid=0x12", "vmid=3": false when it is no space. */
bool image_space_parse(const char *text, size_t n, struct image_space *out);
/* The space of an exception level and security state, as in struct cairn_ctx. */
unsigned image_space_of(unsigned el, unsigned security);

/* Add `length` bytes from `offset` of a raw file (UINT64_MAX: what is left) at `addr`, for
 * these spaces. Less is added, and *cut set, when the file is shorter. */
int image_add_part(struct cairn_image *im, const char *name, const struct image_space *space,
                   uint64_t addr, uint64_t offset, uint64_t length, bool *cut);
/* Lay everything of another image over what is there. The other one must outlive this. */
int image_lay(struct cairn_image *im, const struct cairn_image *over);
/* The bytes from `addr` to the end of what lies there in one piece, *n of them; NULL when
 * there are none. `view`: of image_view_of. Thread-safe; valid while nothing is added. */
const uint8_t *image_bytes(const struct cairn_image *im, unsigned view, uint64_t addr, uint64_t *n);
/* Read bytes at an address: returns how many of n. */
size_t image_read_view(const struct cairn_image *im, unsigned view, uint64_t addr, void *buf,
                       size_t n);
/* Does the image hold any bytes? */
bool image_empty(const struct cairn_image *im);
/* The i-th piece of what lies at addresses, ascending; false past the last. */
bool image_piece(const struct cairn_image *im, size_t index, uint64_t *addr, const uint8_t **data,
                 uint64_t *n);
/* First and last address of what no symbol of a view covers around an address that none does. */
void image_gap(const struct cairn_image *im, unsigned view, uint64_t addr, uint64_t *first,
               uint64_t *last);
/* The symbol that a view has at an address; NULL: none. */
const struct cairn_symbol *image_symbol_view(const struct cairn_image *im, unsigned view,
                                             uint64_t addr);
/* The symbol of a name in what a context sees. */
const struct cairn_symbol *image_named_in(const struct cairn_image *im, const struct cairn_ctx *ctx,
                                          const char *name);
/* First and last address of all symbols of a name, in whatever space; false: there are none. */
bool image_named_extent(const struct cairn_image *im, const char *name, uint64_t *first,
                        uint64_t *last);
/* The last address that a symbol covers. */
uint64_t image_symbol_last(const struct cairn_symbol *sym);
/* Do all views that have a symbol at an address have the same one? */
bool image_agrees(const struct cairn_image *im, uint64_t addr);
/* Is the first file an ELF file that may be loaded anywhere (ET_DYN)? */
bool image_moves(const struct cairn_image *im);
/* The places of the first file that may be written while it runs (elf.c). */
size_t image_written(const struct cairn_image *im, uint64_t (*out)[2], size_t most);
/* A number that says which bytes lie where: equal for equal images. Reads all of them. */
uint64_t image_fingerprint(const struct cairn_image *im);
/* A number below IMAGE_VIEWS for a view: equal where the same bytes are seen. */
enum { IMAGE_VIEWS = 1 << 16 };
unsigned image_view_of(const struct cairn_image *im, const struct image_seer *who);
/* That of a context; 0 where there are no files for some spaces only. */
unsigned image_view_of_ctx(const struct cairn_image *im, const struct cairn_ctx *ctx);

/* ---- elf.c ---- */

bool image_is_elf(const struct image_file *file);
/* Is it the path of a regular ELF file, and nothing that cairn_image_add would take for more than a
 * path? For a path that a trace names: nothing else on the machine is opened because of it. */
bool image_is_program(const char *path);
/* Read segments and symbols. With `moved`, everything is shifted so that the
 * lowest segment lies at `base`. On failure `parts` stays as it was. */
int image_elf(struct cairn *cairn, const struct image_file *file, bool moved, uint64_t base,
              struct image_parts *parts);

/* Where its own addresses may be written by the program, loader and all: first and last
 * address of each such segment, at most `most` of them. How many. */
size_t image_elf_written(const struct image_file *file, uint64_t (*out)[2], size_t most);
/* The build-id in hexadecimal; false: there is none, or it does not fit. */
bool image_elf_build_id(const struct image_file *file, char *hex, size_t size);

/* ---- debug.c ---- */

/* Has it a section of that name, with bytes? */
bool image_elf_has(const struct image_file *file, const char *name);
/* The i-th place where a file's separate symbols and lines may be, "" if there is none; false past
 * the last. */
bool image_debug_path(const struct image_file *file, unsigned index, char *path, size_t size);
/* Is this proven to be the file's? */
bool image_debug_belongs(const struct image_file *file, const struct image_file *debug);

/* ---- symbols.c ---- */

struct image_symbols;

struct image_symbols *image_symbols_new(struct cairn *cairn);
void image_symbols_free(struct image_symbols *symbols);
/* Take over the labels of one more file; on failure they stay the caller's. */
int image_symbols_add(struct image_symbols *symbols, struct image_label *labels, size_t n);
/* First and last address of the piece around an address that no symbol covers. */
void image_symbols_gap(const struct image_symbols *symbols, uint64_t addr, uint64_t *first,
                       uint64_t *last);
const struct cairn_symbol *image_symbols_at(const struct image_symbols *symbols, uint64_t addr);
const struct cairn_symbol *image_symbols_named(const struct image_symbols *symbols,
                                               const char *name, size_t n);

/* ---- lines.c ---- */

struct image_lines;

/* The line tables of all ELF files. CAIRN_E_NOTFOUND (there are none), CAIRN_E_UNSUPPORTED
 * (no libdw), CAIRN_E_NOMEM. The files must stay. */
int image_lines_read(struct cairn *cairn, const struct image_file *files, size_t n,
                     struct image_lines **out);
void image_lines_free(struct image_lines *lines);
int image_lines_at(const struct image_lines *lines, uint64_t addr, struct cairn_line *out);

#endif
