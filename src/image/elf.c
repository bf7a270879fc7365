/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ELF files: segments and symbols, through libelf.
 *
 * libelf knows both classes, both byte orders and the extended numbering of
 * headers; it checks what it hands out against the size of the file. What it
 * does not promise is that offsets inside of headers make sense, so each is
 * checked here against the file before a byte is looked at, and a file that
 * was cut short is refused with the name of what is missing: half a program
 * would make a disassembly with holes nobody can explain.
 *
 * Bytes come from the program headers (what would be loaded), or from the
 * sections where a linked file has none. Symbols come from .symtab, or from
 * .dynsym where that was stripped; stubs that call dynamic symbols are named by
 * plt.c. Other names are not copied: the string table is part of the mapped file.
 *
 * Sources: System V ABI, "Object Files"; ELF for the Arm and the RISC-V
 * architecture for mapping symbols and Thumb's lowest bit.
 */
#include "image/image.h"

#include <stdio.h>
#include <string.h>

#include "config.h"

bool image_is_elf(const struct image_file *file)
{
	return file->size >= 4 && memcmp(file->data, "\177ELF", 4) == 0;
}

#ifndef HAVE_ELF

int image_elf(struct cairn *c, const struct image_file *file, bool moved, uint64_t base,
              struct image_parts *parts)
{
	(void)moved;
	(void)base;
	(void)parts;
	return base_fail(c, CAIRN_E_UNSUPPORTED,
	                 "%s: ELF, but this cairn was built without libelf (libelf-dev)", file->name);
}

size_t image_elf_written(const struct image_file *file, uint64_t (*out)[2], size_t most)
{
	(void)file;
	(void)out;
	(void)most;
	return 0;
}

bool image_elf_build_id(const struct image_file *file, char *hex, size_t size)
{
	(void)file;
	(void)hex;
	(void)size;
	return false;
}

#else

#include <gelf.h>
#include <libelf.h>

#include "image/plt.h"

/* No program has more; it keeps a hostile one from costing more than a moment. */
enum { MAX_SEGMENTS = 16384 };

struct section {
	uint64_t addr, end; /* in memory; end 0: takes no memory */
};

struct elf_file {
	struct cairn *cairn;
	const struct image_file *file;
	Elf *elf;
	GElf_Ehdr eh;
	struct section *sections;
	size_t n_sections;
	struct image_segment *segments;
	size_t n_segments;
	struct image_label *labels;
	size_t n_labels;
	char *names; /* of those that the file does not name */
};

static int elf_damaged(const struct elf_file *file, const char *what)
{
	return base_fail(file->cairn, CAIRN_E_DAMAGED, "%s: damaged ELF file: %s", file->file->name,
	                 what);
}

/* Does [off, off + n) lie within the file? */
static bool elf_inside(const struct elf_file *file, uint64_t off, uint64_t n)
{
	return off <= file->file->size && n <= file->file->size - off;
}

static int elf_open_elf(struct elf_file *file)
{
	if (elf_version(EV_CURRENT) == EV_NONE)
		return base_fail(file->cairn, CAIRN_E_UNSUPPORTED, "%s: this libelf is too old",
		                 file->file->name);
	/* libelf does not write through it: the flag is read only. */
	file->elf = elf_memory((char *)(uintptr_t)file->file->data, file->file->size);
	if (!file->elf || elf_kind(file->elf) != ELF_K_ELF || !gelf_getehdr(file->elf, &file->eh))
		return elf_damaged(file, "its header makes no sense or is cut short");
	if (file->eh.e_type == ET_REL)
		return base_fail(file->cairn, CAIRN_E_UNSUPPORTED,
		                 "%s: an object file has no addresses yet; give the linked program",
		                 file->file->name);
	if (file->eh.e_phoff &&
	    !elf_inside(file, file->eh.e_phoff, (uint64_t)file->eh.e_phnum * file->eh.e_phentsize))
		return elf_damaged(file, "the program headers lie beyond the end of the file");
	if (file->eh.e_shoff &&
	    (file->eh.e_shoff >= file->file->size ||
	     !elf_inside(file, file->eh.e_shoff, (uint64_t)file->eh.e_shnum * file->eh.e_shentsize)))
		return elf_damaged(file, "the section headers lie beyond the end of the file");
	return 0;
}

/* ---- bytes ---- */

/* Note bytes of the file at an address, if there are any. */
static int add_segment(struct elf_file *file, uint64_t addr, uint64_t off, uint64_t n)
{
	if (n == 0)
		return 0;
	if (!elf_inside(file, off, n))
		return elf_damaged(file, "a segment lies beyond the end of the file");
	if (n - 1 > UINT64_MAX - addr)
		return elf_damaged(file, "a segment reaches beyond the last address");
	if (file->n_segments == MAX_SEGMENTS)
		return base_fail(file->cairn, CAIRN_E_LIMIT, "%s: more than %d segments", file->file->name,
		                 MAX_SEGMENTS);
	file->segments[file->n_segments++] = (struct image_segment){addr, file->file->data + off, n};
	return 0;
}

static int read_segments(struct elf_file *file, uint64_t *lowest)
{
	size_t n_headers = 0;
	if (elf_getphdrnum(file->elf, &n_headers) < 0)
		return elf_damaged(file, "the program headers cannot be counted");
	size_t most = n_headers + file->n_sections;
	most = most < MAX_SEGMENTS ? most : MAX_SEGMENTS;
	file->segments = base_alloc(file->cairn, (most + 1) * sizeof *file->segments);
	if (!file->segments)
		return CAIRN_E_NOMEM;
	bool loads = false;
	int rc = 0;
	*lowest = UINT64_MAX;
	for (size_t i = 0; i < n_headers && i <= INT32_MAX && rc >= 0; i++) {
		GElf_Phdr ph;
		if (!gelf_getphdr(file->elf, (int)i, &ph))
			return elf_damaged(file, "a program header cannot be read");
		if (ph.p_type != PT_LOAD)
			continue;
		loads = true;
		if (ph.p_vaddr < *lowest)
			*lowest = ph.p_vaddr;
		rc = add_segment(file, ph.p_vaddr, ph.p_offset, ph.p_filesz);
	}
	Elf_Scn *scn = NULL;
	while (!loads && rc >= 0 && (scn = elf_nextscn(file->elf, scn))) {
		GElf_Shdr sh;
		if (!gelf_getshdr(scn, &sh))
			return elf_damaged(file, "a section header cannot be read");
		if (!(sh.sh_flags & SHF_ALLOC) || sh.sh_flags & SHF_TLS || sh.sh_type == SHT_NOBITS)
			continue;
		if (sh.sh_addr < *lowest)
			*lowest = sh.sh_addr;
		rc = add_segment(file, sh.sh_addr, sh.sh_offset, sh.sh_size);
	}
	return rc;
}

/* ---- symbols ---- */

static int read_sections(struct elf_file *file)
{
	if (elf_getshdrnum(file->elf, &file->n_sections) < 0)
		return elf_damaged(file, "the sections cannot be counted");
	if (file->n_sections > file->file->size / sizeof(Elf32_Shdr))
		return elf_damaged(file, "more sections than the file has room for");
	file->sections = base_alloc(file->cairn, (file->n_sections + 1) * sizeof *file->sections);
	if (!file->sections)
		return CAIRN_E_NOMEM;
	for (size_t i = 1; i < file->n_sections; i++) {
		Elf_Scn *scn = elf_getscn(file->elf, i);
		GElf_Shdr sh;
		if (!scn || !gelf_getshdr(scn, &sh))
			return elf_damaged(file, "a section header cannot be read");
		bool takes = sh.sh_flags & SHF_ALLOC && sh.sh_size <= UINT64_MAX - sh.sh_addr;
		if (takes)
			file->sections[i] = (struct section){sh.sh_addr, sh.sh_addr + sh.sh_size};
	}
	return 0;
}

/* Names that mark places for tools, not for people: "$x" and "$d.12" tell code
 * from data, ".L5" and "L0\1" are the assembler's own. */
static bool elf_is_marker(const char *name)
{
	if (!*name || strncmp(name, ".L", 2) == 0 || strncmp(name, "L0\1", 3) == 0)
		return true;
	if (name[0] != '$' || !name[1] || !strchr("xdatbpm", name[1]))
		return false;
	return name[2] == 0 || name[2] == '.' || strncmp(name, "$xrv", 4) == 0;
}

static uint8_t bind_of(const GElf_Sym *sym)
{
	switch (GELF_ST_BIND(sym->st_info)) {
	case STB_LOCAL:
		return IMAGE_LOCAL;
	case STB_WEAK:
		return IMAGE_WEAK;
	default:
		return IMAGE_GLOBAL;
	}
}

/* Fill `label` from a symbol that names a place in memory; false for all others. */
static bool make_label(const struct elf_file *file, const GElf_Sym *sym, const char *name,
                       struct image_label *label)
{
	*label = (struct image_label){.sym = {name, sym->st_value, sym->st_size}, .bind = bind_of(sym)};
	switch (GELF_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		label->type = IMAGE_FUNC;
		if (file->eh.e_machine == EM_ARM)
			label->sym.addr &= ~UINT64_C(1);
		break;
	case STT_OBJECT:
	case STT_COMMON:
		label->type = IMAGE_OBJECT;
		break;
	case STT_NOTYPE:
		label->type = IMAGE_LABEL;
		break;
	default: /* sections, files, thread-local offsets */
		return false;
	}
	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_COMMON || elf_is_marker(name))
		return false;
	/* An absolute number is an address only when its type says so. */
	if (sym->st_shndx == SHN_ABS)
		return label->type != IMAGE_LABEL;
	if (sym->st_shndx < SHN_LORESERVE) {
		if (sym->st_shndx >= file->n_sections || !file->sections[sym->st_shndx].end)
			return false;
		label->section = sym->st_shndx;
		label->end = file->sections[sym->st_shndx].end;
	}
	return true;
}

/* Find the table of `type`; *table stays NULL when there is none. */
static int elf_find_table(const struct elf_file *file, uint32_t type, Elf_Scn **table,
                          GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;
	*table = NULL;
	while ((scn = elf_nextscn(file->elf, scn))) {
		if (!gelf_getshdr(scn, sh))
			return elf_damaged(file, "a section header cannot be read");
		if (sh->sh_type == type && sh->sh_size) {
			*table = scn;
			return 0;
		}
	}
	return 0;
}

static int read_table(struct elf_file *file, Elf_Scn *table, const GElf_Shdr *sh)
{
	GElf_Shdr str;
	Elf_Scn *names = elf_getscn(file->elf, sh->sh_link);
	if (sh->sh_entsize != gelf_fsize(file->elf, ELF_T_SYM, 1, EV_CURRENT))
		return elf_damaged(file, "the symbols have a size no symbol has");
	if (!elf_inside(file, sh->sh_offset, sh->sh_size))
		return elf_damaged(file, "the symbol table lies beyond the end of the file");
	if (!names || !gelf_getshdr(names, &str) || str.sh_type != SHT_STRTAB ||
	    !elf_inside(file, str.sh_offset, str.sh_size))
		return elf_damaged(file, "the names of the symbols are missing");
	Elf_Data *data = elf_getdata(table, NULL);
	size_t n = (size_t)(sh->sh_size / sh->sh_entsize);
	if (!data || n > INT32_MAX)
		return elf_damaged(file, "the symbol table cannot be read");
	file->labels = base_alloc(file->cairn, (n + 1) * sizeof *file->labels);
	if (!file->labels)
		return CAIRN_E_NOMEM;
	const char *strings = (const char *)file->file->data + str.sh_offset;
	/* One terminator at the very end makes every name end. */
	if (str.sh_size == 0 || strings[str.sh_size - 1])
		return elf_damaged(file, "the last name does not end");
	for (size_t i = 1; i < n; i++) {
		GElf_Sym sym;
		if (!gelf_getsym(data, (int)i, &sym))
			return elf_damaged(file, "a symbol cannot be read");
		if (sym.st_name >= str.sh_size)
			return elf_damaged(file, "the name of a symbol lies beyond the names");
		if (make_label(file, &sym, strings + sym.st_name, &file->labels[file->n_labels]))
			file->n_labels++;
	}
	return 0;
}

static int read_symbols(struct elf_file *file)
{
	static const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM};
	for (size_t i = 0; i < 2 && file->n_labels == 0; i++) {
		Elf_Scn *table;
		GElf_Shdr sh;
		int rc = elf_find_table(file, types[i], &table, &sh);
		if (rc >= 0 && table) {
			base_free(file->cairn, file->labels);
			file->labels = NULL;
			rc = read_table(file, table, &sh);
		}
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Stubs have no symbols; what they are for is known all the same. */
static int read_stubs(struct elf_file *file)
{
	struct image_label *stubs, *all;
	size_t n;
	int rc = image_plt(file->cairn, file->elf, file->file, &stubs, &n, &file->names);
	if (rc < 0 || !n)
		return rc;
	all = base_realloc(file->cairn, file->labels, (file->n_labels + n) * sizeof *all);
	if (all) {
		memcpy(all + file->n_labels, stubs, n * sizeof *all);
		file->labels = all;
		file->n_labels += n;
	}
	base_free(file->cairn, stubs);
	return all ? 0 : CAIRN_E_NOMEM;
}

/* Shift everything but absolute symbols. Addresses below the lowest segment
 * move with the rest, modulo 2^64, as a loader's arithmetic would. */
static int elf_move(struct elf_file *file, uint64_t by)
{
	for (size_t i = 0; i < file->n_segments; i++) {
		file->segments[i].addr += by;
		if (file->segments[i].n - 1 > UINT64_MAX - file->segments[i].addr)
			return base_fail(file->cairn, CAIRN_E_INVAL,
			                 "%s: its bytes would reach beyond the last address", file->file->name);
	}
	for (size_t i = 0; i < file->n_labels; i++) {
		struct image_label *label = &file->labels[i];
		if (label->section == 0)
			continue;
		label->sym.addr += by;
		label->end += by;
	}
	return 0;
}

int image_elf(struct cairn *cairn, const struct image_file *file, bool moved, uint64_t base,
              struct image_parts *parts)
{
	struct elf_file elf_file = {.cairn = cairn, .file = file};
	uint64_t lowest = 0;
	int rc = elf_open_elf(&elf_file);
	if (rc >= 0)
		rc = read_sections(&elf_file);
	if (rc >= 0)
		rc = read_segments(&elf_file, &lowest);
	if (rc >= 0)
		rc = read_symbols(&elf_file);
	if (rc >= 0)
		rc = read_stubs(&elf_file);
	if (rc >= 0 && elf_file.n_segments == 0 && elf_file.n_labels == 0)
		rc = elf_damaged(&elf_file, "it holds neither program bytes nor symbols");
	if (rc >= 0 && moved && lowest != UINT64_MAX)
		rc = elf_move(&elf_file, base - lowest);
	if (rc >= 0) {
		*parts = (struct image_parts){elf_file.segments,
		                              elf_file.labels,
		                              elf_file.n_segments,
		                              elf_file.n_labels,
		                              moved && lowest != UINT64_MAX ? base - lowest : 0,
		                              elf_file.names};
		elf_file.names = NULL;
		elf_file.segments = NULL;
		elf_file.labels = NULL;
	}
	base_free(cairn, elf_file.segments);
	base_free(cairn, elf_file.labels);
	base_free(cairn, elf_file.names);
	base_free(cairn, elf_file.sections);
	elf_end(elf_file.elf);
	return rc;
}

/* ---- what else the headers say ---- */

Elf *image_open_elf(const struct image_file *file)
{
	return elf_version(EV_CURRENT) == EV_NONE || !image_is_elf(file)
	           ? NULL
	           : elf_memory((char *)(uintptr_t)file->data, file->size);
}

size_t image_elf_written(const struct image_file *file, uint64_t (*out)[2], size_t most)
{
	size_t n = 0, got = 0;
	GElf_Phdr ph;
	Elf *elf = image_open_elf(file);
	if (elf && elf_getphdrnum(elf, &n) < 0)
		n = 0;
	for (size_t i = 0; i < n && i < MAX_SEGMENTS && got < most; i++)
		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_LOAD && ph.p_flags & PF_W &&
		    ph.p_memsz) {
			out[got][0] = ph.p_vaddr;
			out[got++][1] = ph.p_vaddr + (ph.p_memsz - 1);
		}
	elf_end(elf);
	return got;
}

static bool note_is_id(Elf_Data *notes, char *hex, size_t size)
{
	GElf_Nhdr nh;
	size_t name, desc, at = 0;
	while ((at = gelf_getnote(notes, at, &nh, &name, &desc)) > 0) {
		const uint8_t *p = (const uint8_t *)notes->d_buf;
		if (nh.n_type != NT_GNU_BUILD_ID || nh.n_namesz != 4 || memcmp(p + name, "GNU", 4) != 0 ||
		    nh.n_descsz == 0 || 2 * (size_t)nh.n_descsz >= size)
			continue;
		for (size_t i = 0; i < nh.n_descsz; i++)
			snprintf(hex + 2 * i, 3, "%02x", p[desc + i]);
		return true;
	}
	return false;
}

bool image_elf_build_id(const struct image_file *file, char *hex, size_t size)
{
	size_t n = 0;
	bool found = false;
	Elf *elf = image_open_elf(file);
	if (elf && elf_getphdrnum(elf, &n) < 0)
		n = 0;
	for (size_t i = 0; i < n && i < MAX_SEGMENTS && !found; i++) {
		GElf_Phdr ph;
		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_NOTE || ph.p_filesz > file->size ||
		    ph.p_offset > file->size - ph.p_filesz)
			continue;
		Elf_Data *d = elf_getdata_rawchunk(elf, (int64_t)ph.p_offset, (size_t)ph.p_filesz,
		                                   ph.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
		found = d && note_is_id(d, hex, size);
	}
	elf_end(elf);
	return found;
}

#endif
