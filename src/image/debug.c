/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The separate file that has a stripped program's symbols and source lines.
 *
 * It is looked for below /usr/lib/debug/.build-id, by the linker's build-id, and by the name in the
 * section .gnu_debuglink, which was made when the program was stripped: beside the program, in
 * .debug there, and in the program's folder below /usr/lib/debug. It is used only if it has the
 * same build-id or, for a program without one, the checksum in that section. Without such a file
 * there is no error.
 *
 * Sources: "Debugging Information in Separate Files" of GDB's manual.
 */
#include "image/image.h"

#include "config.h"

#ifndef HAVE_ELF

bool image_debug_path(const struct image_file *file, unsigned index, char *path, size_t size)
{
	(void)file;
	(void)index;
	(void)path;
	(void)size;
	return false;
}

bool image_debug_belongs(const struct image_file *file, const struct image_file *debug)
{
	(void)file;
	(void)debug;
	return false;
}

bool image_elf_has(const struct image_file *file, const char *section)
{
	(void)file;
	(void)section;
	return false;
}

#else

#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/bytes.h"
#include "image/plt.h"

#define FOLDER "/usr/lib/debug"
enum { MOST_ID = 129, MOST_NAME = 256 };

/* The section of a name with bytes in the file, or NULL. */
static Elf_Scn *debug_section(Elf *elf, const char *name, GElf_Shdr *sh)
{
	size_t strings;
	Elf_Scn *scn = NULL;
	if (!elf || elf_getshdrstrndx(elf, &strings) < 0)
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *s = gelf_getshdr(scn, sh) ? elf_strptr(elf, strings, sh->sh_name) : NULL;
		if (s && !strcmp(s, name) && sh->sh_type != SHT_NOBITS)
			return scn;
	}
	return NULL;
}

bool image_elf_has(const struct image_file *file, const char *name)
{
	GElf_Shdr sh;
	Elf *elf = image_open_elf(file);
	bool has = debug_section(elf, name, &sh) != NULL;
	elf_end(elf);
	return has;
}

/* What .gnu_debuglink holds: a name, and the other file's checksum in the file's byte order. */
static bool read_link(const struct image_file *file, char name[MOST_NAME], uint32_t *crc)
{
	GElf_Shdr sh;
	Elf *elf = image_open_elf(file);
	Elf_Scn *scn = debug_section(elf, ".gnu_debuglink", &sh);
	const Elf_Data *d = scn ? elf_getdata(scn, NULL) : NULL;
	size_t n = d && d->d_buf ? strnlen(d->d_buf, d->d_size) : 0, at = (n + 4) & ~(size_t)3;
	bool ok = n && n < MOST_NAME && at + 4 <= d->d_size && !memchr(d->d_buf, '/', n);
	if (ok) {
		const uint8_t *p = (const uint8_t *)d->d_buf + at;
		memcpy(name, d->d_buf, n + 1);
		*crc = (uint32_t)(file->data[EI_DATA] == ELFDATA2MSB ? base_be(p, 4) : base_le(p, 4));
	}
	elf_end(elf);
	return ok;
}

bool image_debug_path(const struct image_file *file, unsigned index, char *path, size_t size)
{
	char id[MOST_ID], name[MOST_NAME];
	uint32_t crc;
	int n = 0;
	*path = 0;
	if (index == 0 && image_elf_build_id(file, id, sizeof id))
		n = snprintf(path, size, FOLDER "/.build-id/%.2s/%s.debug", id, id + 2);
	if (index == 0 || index > 3 || !read_link(file, name, &crc))
		return index == 0 && n >= 0 && (size_t)n < size;
	char *real = realpath(file->name, NULL), *slash = real ? strrchr(real, '/') : NULL;
	int folder = slash ? (int)(slash - real) : 0;
	if (slash)
		n = snprintf(path, size, "%s%.*s/%s%s", index == 3 ? FOLDER : "", folder, real,
		             index == 2 ? ".debug/" : "", name);
	free(real);
	return n >= 0 && (size_t)n < size;
}

bool image_debug_belongs(const struct image_file *file, const struct image_file *debug)
{
	char id[MOST_ID], other[MOST_ID], name[MOST_NAME];
	uint32_t crc;
	if (!image_is_elf(debug))
		return false;
	if (image_elf_build_id(file, id, sizeof id))
		return image_elf_build_id(debug, other, sizeof other) && !strcmp(id, other);
	return read_link(file, name, &crc) && crc == (uint32_t)crc32_z(0, debug->data, debug->size);
}

#endif
