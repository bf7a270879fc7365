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

bool image_is_elf(const struct image_file *f)
{
	return f->size >= 4 && memcmp(f->data, "\177ELF", 4) == 0;
}

#ifndef HAVE_ELF

int image_elf(struct cairn *c, const struct image_file *f, bool moved, uint64_t base,
              struct image_parts *parts)
{
	(void)moved;
	(void)base;
	(void)parts;
	return base_fail(c, CAIRN_E_UNSUPPORTED,
	                 "%s: ELF, but this cairn was built without libelf (libelf-dev)", f->name);
}

size_t image_elf_written(const struct image_file *f, uint64_t (*out)[2], size_t most)
{
	(void)f;
	(void)out;
	(void)most;
	return 0;
}

bool image_elf_build_id(const struct image_file *f, char *hex, size_t size)
{
	(void)f;
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
	struct cairn *c;
	const struct image_file *f;
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

static int elf_damaged(const struct elf_file *e, const char *what)
{
	return base_fail(e->c, CAIRN_E_DAMAGED, "%s: damaged ELF file: %s", e->f->name, what);
}

/* Does [off, off + n) lie within the file? */
static bool elf_inside(const struct elf_file *e, uint64_t off, uint64_t n)
{
	return off <= e->f->size && n <= e->f->size - off;
}

static int elf_open_elf(struct elf_file *e)
{
	if (elf_version(EV_CURRENT) == EV_NONE)
		return base_fail(e->c, CAIRN_E_UNSUPPORTED, "%s: this libelf is too old", e->f->name);
	/* libelf does not write through it: the flag is read only. */
	e->elf = elf_memory((char *)(uintptr_t)e->f->data, e->f->size);
	if (!e->elf || elf_kind(e->elf) != ELF_K_ELF || !gelf_getehdr(e->elf, &e->eh))
		return elf_damaged(e, "its header makes no sense or is cut short");
	if (e->eh.e_type == ET_REL)
		return base_fail(e->c, CAIRN_E_UNSUPPORTED,
		                 "%s: an object file has no addresses yet; give the linked program",
		                 e->f->name);
	if (e->eh.e_phoff && !elf_inside(e, e->eh.e_phoff, (uint64_t)e->eh.e_phnum * e->eh.e_phentsize))
		return elf_damaged(e, "the program headers lie beyond the end of the file");
	if (e->eh.e_shoff &&
	    (e->eh.e_shoff >= e->f->size ||
	     !elf_inside(e, e->eh.e_shoff, (uint64_t)e->eh.e_shnum * e->eh.e_shentsize)))
		return elf_damaged(e, "the section headers lie beyond the end of the file");
	return 0;
}

/* ---- bytes ---- */

/* Note bytes of the file at an address, if there are any. */
static int add_segment(struct elf_file *e, uint64_t addr, uint64_t off, uint64_t n)
{
	if (n == 0)
		return 0;
	if (!elf_inside(e, off, n))
		return elf_damaged(e, "a segment lies beyond the end of the file");
	if (n - 1 > UINT64_MAX - addr)
		return elf_damaged(e, "a segment reaches beyond the last address");
	if (e->n_segments == MAX_SEGMENTS)
		return base_fail(e->c, CAIRN_E_LIMIT, "%s: more than %d segments", e->f->name,
		                 MAX_SEGMENTS);
	e->segments[e->n_segments++] = (struct image_segment){addr, e->f->data + off, n};
	return 0;
}

static int read_segments(struct elf_file *e, uint64_t *lowest)
{
	size_t n_headers = 0;
	if (elf_getphdrnum(e->elf, &n_headers) < 0)
		return elf_damaged(e, "the program headers cannot be counted");
	size_t most = n_headers + e->n_sections;
	most = most < MAX_SEGMENTS ? most : MAX_SEGMENTS;
	e->segments = base_alloc(e->c, (most + 1) * sizeof *e->segments);
	if (!e->segments)
		return CAIRN_E_NOMEM;
	bool loads = false;
	int rc = 0;
	*lowest = UINT64_MAX;
	for (size_t i = 0; i < n_headers && i <= INT32_MAX && rc >= 0; i++) {
		GElf_Phdr ph;
		if (!gelf_getphdr(e->elf, (int)i, &ph))
			return elf_damaged(e, "a program header cannot be read");
		if (ph.p_type != PT_LOAD)
			continue;
		loads = true;
		if (ph.p_vaddr < *lowest)
			*lowest = ph.p_vaddr;
		rc = add_segment(e, ph.p_vaddr, ph.p_offset, ph.p_filesz);
	}
	Elf_Scn *scn = NULL;
	while (!loads && rc >= 0 && (scn = elf_nextscn(e->elf, scn))) {
		GElf_Shdr sh;
		if (!gelf_getshdr(scn, &sh))
			return elf_damaged(e, "a section header cannot be read");
		if (!(sh.sh_flags & SHF_ALLOC) || sh.sh_flags & SHF_TLS || sh.sh_type == SHT_NOBITS)
			continue;
		if (sh.sh_addr < *lowest)
			*lowest = sh.sh_addr;
		rc = add_segment(e, sh.sh_addr, sh.sh_offset, sh.sh_size);
	}
	return rc;
}

/* ---- symbols ---- */

static int read_sections(struct elf_file *e)
{
	if (elf_getshdrnum(e->elf, &e->n_sections) < 0)
		return elf_damaged(e, "the sections cannot be counted");
	if (e->n_sections > e->f->size / sizeof(Elf32_Shdr))
		return elf_damaged(e, "more sections than the file has room for");
	e->sections = base_alloc(e->c, (e->n_sections + 1) * sizeof *e->sections);
	if (!e->sections)
		return CAIRN_E_NOMEM;
	for (size_t i = 1; i < e->n_sections; i++) {
		Elf_Scn *scn = elf_getscn(e->elf, i);
		GElf_Shdr sh;
		if (!scn || !gelf_getshdr(scn, &sh))
			return elf_damaged(e, "a section header cannot be read");
		bool takes = sh.sh_flags & SHF_ALLOC && sh.sh_size <= UINT64_MAX - sh.sh_addr;
		if (takes)
			e->sections[i] = (struct section){sh.sh_addr, sh.sh_addr + sh.sh_size};
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

/* Fill `l` from a symbol that names a place in memory; false for all others. */
static bool make_label(const struct elf_file *e, const GElf_Sym *sym, const char *name,
                       struct image_label *l)
{
	*l = (struct image_label){.sym = {name, sym->st_value, sym->st_size}, .bind = bind_of(sym)};
	switch (GELF_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		l->type = IMAGE_FUNC;
		if (e->eh.e_machine == EM_ARM)
			l->sym.addr &= ~UINT64_C(1);
		break;
	case STT_OBJECT:
	case STT_COMMON:
		l->type = IMAGE_OBJECT;
		break;
	case STT_NOTYPE:
		l->type = IMAGE_LABEL;
		break;
	default: /* sections, files, thread-local offsets */
		return false;
	}
	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_COMMON || elf_is_marker(name))
		return false;
	/* An absolute number is an address only when its type says so. */
	if (sym->st_shndx == SHN_ABS)
		return l->type != IMAGE_LABEL;
	if (sym->st_shndx < SHN_LORESERVE) {
		if (sym->st_shndx >= e->n_sections || !e->sections[sym->st_shndx].end)
			return false;
		l->section = sym->st_shndx;
		l->end = e->sections[sym->st_shndx].end;
	}
	return true;
}

/* Find the table of `type`; *table stays NULL when there is none. */
static int elf_find_table(const struct elf_file *e, uint32_t type, Elf_Scn **table, GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;
	*table = NULL;
	while ((scn = elf_nextscn(e->elf, scn))) {
		if (!gelf_getshdr(scn, sh))
			return elf_damaged(e, "a section header cannot be read");
		if (sh->sh_type == type && sh->sh_size) {
			*table = scn;
			return 0;
		}
	}
	return 0;
}

static int read_table(struct elf_file *e, Elf_Scn *table, const GElf_Shdr *sh)
{
	GElf_Shdr str;
	Elf_Scn *names = elf_getscn(e->elf, sh->sh_link);
	if (sh->sh_entsize != gelf_fsize(e->elf, ELF_T_SYM, 1, EV_CURRENT))
		return elf_damaged(e, "the symbols have a size no symbol has");
	if (!elf_inside(e, sh->sh_offset, sh->sh_size))
		return elf_damaged(e, "the symbol table lies beyond the end of the file");
	if (!names || !gelf_getshdr(names, &str) || str.sh_type != SHT_STRTAB ||
	    !elf_inside(e, str.sh_offset, str.sh_size))
		return elf_damaged(e, "the names of the symbols are missing");
	Elf_Data *data = elf_getdata(table, NULL);
	size_t n = (size_t)(sh->sh_size / sh->sh_entsize);
	if (!data || n > INT32_MAX)
		return elf_damaged(e, "the symbol table cannot be read");
	e->labels = base_alloc(e->c, (n + 1) * sizeof *e->labels);
	if (!e->labels)
		return CAIRN_E_NOMEM;
	const char *strings = (const char *)e->f->data + str.sh_offset;
	/* One terminator at the very end makes every name end. */
	if (str.sh_size == 0 || strings[str.sh_size - 1])
		return elf_damaged(e, "the last name does not end");
	for (size_t i = 1; i < n; i++) {
		GElf_Sym sym;
		if (!gelf_getsym(data, (int)i, &sym))
			return elf_damaged(e, "a symbol cannot be read");
		if (sym.st_name >= str.sh_size)
			return elf_damaged(e, "the name of a symbol lies beyond the names");
		if (make_label(e, &sym, strings + sym.st_name, &e->labels[e->n_labels]))
			e->n_labels++;
	}
	return 0;
}

static int read_symbols(struct elf_file *e)
{
	static const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM};
	for (size_t i = 0; i < 2 && e->n_labels == 0; i++) {
		Elf_Scn *table;
		GElf_Shdr sh;
		int rc = elf_find_table(e, types[i], &table, &sh);
		if (rc >= 0 && table) {
			base_free(e->c, e->labels);
			e->labels = NULL;
			rc = read_table(e, table, &sh);
		}
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Stubs have no symbols; what they are for is known all the same. */
static int read_stubs(struct elf_file *e)
{
	struct image_label *stubs, *all;
	size_t n;
	int rc = image_plt(e->c, e->elf, e->f, &stubs, &n, &e->names);
	if (rc < 0 || !n)
		return rc;
	all = base_realloc(e->c, e->labels, (e->n_labels + n) * sizeof *all);
	if (all) {
		memcpy(all + e->n_labels, stubs, n * sizeof *all);
		e->labels = all;
		e->n_labels += n;
	}
	base_free(e->c, stubs);
	return all ? 0 : CAIRN_E_NOMEM;
}

/* Shift everything but absolute symbols. Addresses below the lowest segment
 * move with the rest, modulo 2^64, as a loader's arithmetic would. */
static int elf_move(struct elf_file *e, uint64_t by)
{
	for (size_t i = 0; i < e->n_segments; i++) {
		e->segments[i].addr += by;
		if (e->segments[i].n - 1 > UINT64_MAX - e->segments[i].addr)
			return base_fail(e->c, CAIRN_E_INVAL,
			                 "%s: its bytes would reach beyond the last address", e->f->name);
	}
	for (size_t i = 0; i < e->n_labels; i++) {
		struct image_label *l = &e->labels[i];
		if (l->section == 0)
			continue;
		l->sym.addr += by;
		l->end += by;
	}
	return 0;
}

int image_elf(struct cairn *c, const struct image_file *f, bool moved, uint64_t base,
              struct image_parts *parts)
{
	struct elf_file e = {.c = c, .f = f};
	uint64_t lowest = 0;
	int rc = elf_open_elf(&e);
	if (rc >= 0)
		rc = read_sections(&e);
	if (rc >= 0)
		rc = read_segments(&e, &lowest);
	if (rc >= 0)
		rc = read_symbols(&e);
	if (rc >= 0)
		rc = read_stubs(&e);
	if (rc >= 0 && e.n_segments == 0 && e.n_labels == 0)
		rc = elf_damaged(&e, "it holds neither program bytes nor symbols");
	if (rc >= 0 && moved && lowest != UINT64_MAX)
		rc = elf_move(&e, base - lowest);
	if (rc >= 0) {
		*parts = (struct image_parts){e.segments,
		                              e.labels,
		                              e.n_segments,
		                              e.n_labels,
		                              moved && lowest != UINT64_MAX ? base - lowest : 0,
		                              e.names};
		e.names = NULL;
		e.segments = NULL;
		e.labels = NULL;
	}
	base_free(c, e.segments);
	base_free(c, e.labels);
	base_free(c, e.names);
	base_free(c, e.sections);
	elf_end(e.elf);
	return rc;
}

/* ---- what else the headers say ---- */

size_t image_elf_written(const struct image_file *f, uint64_t (*out)[2], size_t most)
{
	size_t n = 0, got = 0;
	GElf_Phdr ph;
	Elf *elf =
		elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_memory((char *)(uintptr_t)f->data, f->size);
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

static bool note_is_id(Elf_Data *d, char *hex, size_t size)
{
	GElf_Nhdr nh;
	size_t name, desc, at = 0;
	while ((at = gelf_getnote(d, at, &nh, &name, &desc)) > 0) {
		const uint8_t *p = (const uint8_t *)d->d_buf;
		if (nh.n_type != NT_GNU_BUILD_ID || nh.n_namesz != 4 || memcmp(p + name, "GNU", 4) != 0 ||
		    nh.n_descsz == 0 || 2 * (size_t)nh.n_descsz >= size)
			continue;
		for (size_t i = 0; i < nh.n_descsz; i++)
			snprintf(hex + 2 * i, 3, "%02x", p[desc + i]);
		return true;
	}
	return false;
}

bool image_elf_build_id(const struct image_file *f, char *hex, size_t size)
{
	size_t n = 0;
	bool found = false;
	Elf *elf =
		elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_memory((char *)(uintptr_t)f->data, f->size);
	if (elf && elf_getphdrnum(elf, &n) < 0)
		n = 0;
	for (size_t i = 0; i < n && i < MAX_SEGMENTS && !found; i++) {
		GElf_Phdr ph;
		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_NOTE || ph.p_filesz > f->size ||
		    ph.p_offset > f->size - ph.p_filesz)
			continue;
		Elf_Data *d = elf_getdata_rawchunk(elf, (int64_t)ph.p_offset, (size_t)ph.p_filesz,
		                                   ph.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
		found = d && note_is_id(d, hex, size);
	}
	elf_end(elf);
	return found;
}

#endif
