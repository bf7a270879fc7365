/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names for the stubs of the procedure linkage table: "puts@plt".
 *
 * No symbol names them. What a stub is for follows from where it finds its target: a slot
 * that a relocation fills with the address of a dynamic symbol. So each stub's first
 * instructions are read: of RISC-V auipc and a load, of A64 adrp and a load; on SPARC the
 * stub is its own slot. Other machines' stubs stay unnamed.
 *
 * Sources: the processor supplements of the System V ABI for RISC-V, AArch64 and SPARC V9.
 */
#include "image/image.h"

#include "config.h"

#ifdef HAVE_ELF

#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "image/plt.h"

struct slot {
	uint64_t addr;
	const char *name;
};

struct plt {
	struct cairn *cairn;
	Elf *elf;
	const struct image_file *file;
	unsigned machine;
	bool narrow; /* 32 bits */
	struct slot *slots;
	size_t n_slots;
	struct image_label *labels;
	const char **of; /* whose stub each label is */
	size_t n_labels, room;
};

static int plt_by_address(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* The slots that one section of relocations fills with addresses of symbols. */
static int take_relocations(struct plt *plt, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Scn *symbols = elf_getscn(plt->elf, sh->sh_link);
	GElf_Shdr symbols_sh;
	Elf_Data *data = elf_getdata(scn, NULL), *names;
	if (!data || !symbols || !gelf_getshdr(symbols, &symbols_sh) ||
	    symbols_sh.sh_type != SHT_DYNSYM || !sh->sh_entsize || sh->sh_size > plt->file->size ||
	    !(names = elf_getdata(symbols, NULL)))
		return 0;
	size_t n = (size_t)(sh->sh_size / sh->sh_entsize);
	struct slot *more = base_realloc(plt->cairn, plt->slots, (plt->n_slots + n + 1) * sizeof *more);
	if (!more)
		return CAIRN_E_NOMEM;
	plt->slots = more;
	for (size_t i = 0; i < n && i < INT32_MAX; i++) {
		GElf_Rela r;
		GElf_Sym sym;
		if (!gelf_getrela(data, (int)i, &r) || r.r_addend || GELF_R_SYM(r.r_info) > INT32_MAX ||
		    !gelf_getsym(names, (int)GELF_R_SYM(r.r_info), &sym))
			continue;
		const char *name = elf_strptr(plt->elf, symbols_sh.sh_link, sym.st_name);
		if (name && *name)
			plt->slots[plt->n_slots++] = (struct slot){r.r_offset, name};
	}
	return 0;
}

static const struct slot *slot_at(const struct plt *plt, uint64_t addr)
{
	struct slot key = {addr, NULL};
	return plt->n_slots ? bsearch(&key, plt->slots, plt->n_slots, sizeof key, plt_by_address)
	                    : NULL;
}

static int plt_add(struct plt *plt, size_t section, const GElf_Shdr *sh, uint64_t addr,
                   const struct slot *slot)
{
	if (plt->n_labels == plt->room) {
		size_t room = plt->room ? 2 * plt->room : 64;
		struct image_label *labels = base_realloc(plt->cairn, plt->labels, room * sizeof *labels);
		plt->labels = labels ? labels : plt->labels;
		const char **of = labels ? base_realloc(plt->cairn, plt->of, room * sizeof *of) : NULL;
		if (!of)
			return CAIRN_E_NOMEM;
		plt->of = of;
		plt->room = room;
	}
	plt->of[plt->n_labels] = slot->name;
	plt->labels[plt->n_labels++] = (struct image_label){.sym = {.addr = addr},
	                                                    .type = IMAGE_FUNC,
	                                                    .bind = IMAGE_LOCAL,
	                                                    .section = (uint32_t)section,
	                                                    .end = sh->sh_addr + sh->sh_size};
	return 0;
}

/* Where two instructions at `pc` load an address from; false: they are no such pair. */
static bool loads_from(const struct plt *plt, uint64_t pc, uint32_t first, uint32_t second,
                       uint64_t *addr)
{
	if (plt->machine == EM_RISCV) { /* auipc r, n; lw or ld x, n(r) */
		if ((first & 0x7f) != 0x17 || (second & 0x607f) != 0x2003 ||
		    (first >> 7 & 31) != (second >> 15 & 31))
			return false;
		*addr = pc + (uint64_t)(int64_t)(int32_t)(first & 0xfffff000) +
		        (uint64_t)((int64_t)(int32_t)second >> 20);
	} else { /* adrp r, n; ldr x, [r, n] */
		if ((first & 0x9f000000) != 0x90000000 || (second & 0xffc00000) != 0xf9400000 ||
		    (first & 31) != (second >> 5 & 31))
			return false;
		uint64_t page = (first >> 5 & 0x7ffff) << 2 | (first >> 29 & 3);
		page = (page ^ 0x100000) - 0x100000;
		*addr = (pc & ~UINT64_C(0xfff)) + (page << 12) + (second >> 10 & 0xfff) * 8;
	}
	if (plt->narrow)
		*addr &= UINT32_MAX;
	return true;
}

/* A place for an indirect branch to land: lpad, bti. */
static bool is_landing(const struct plt *plt, uint32_t insn)
{
	return plt->machine == EM_RISCV ? (insn & 0xfff) == 0x17 : (insn & 0xffffff3f) == 0xd503241f;
}

static int take_stubs(struct plt *plt, size_t section, const GElf_Shdr *sh)
{
	const uint8_t *bytes = plt->file->data + sh->sh_offset;
	int rc = 0;
	if (sh->sh_offset > plt->file->size || sh->sh_size > plt->file->size - sh->sh_offset)
		return 0;
	if (plt->machine == EM_SPARCV9) {
		for (size_t i = 0; i < plt->n_slots && rc >= 0; i++)
			if (plt->slots[i].addr >= sh->sh_addr && plt->slots[i].addr - sh->sh_addr < sh->sh_size)
				rc = plt_add(plt, section, sh, plt->slots[i].addr, &plt->slots[i]);
		return rc;
	}
	for (uint64_t at = 0; at + 8 <= sh->sh_size && rc >= 0; at += 4) {
		uint64_t from;
		const struct slot *slot = NULL;
		if (loads_from(plt, sh->sh_addr + at, base_le32(bytes + at), base_le32(bytes + at + 4),
		               &from))
			slot = slot_at(plt, from);
		bool landing = slot && at >= 4 && is_landing(plt, base_le32(bytes + at - 4));
		if (slot)
			rc = plt_add(plt, section, sh, sh->sh_addr + at - (landing ? 4 : 0), slot);
	}
	return rc;
}

static int each_section(struct plt *plt, bool relocations)
{
	size_t strings;
	Elf_Scn *scn = NULL;
	int rc = elf_getshdrstrndx(plt->elf, &strings) < 0 ? 1 : 0;
	while (rc == 0 && (scn = elf_nextscn(plt->elf, scn))) {
		GElf_Shdr sh;
		if (!gelf_getshdr(scn, &sh))
			continue;
		const char *name = elf_strptr(plt->elf, strings, sh.sh_name);
		bool stubs = sh.sh_type == SHT_PROGBITS && sh.sh_flags & SHF_ALLOC && name &&
		             (!strcmp(name, ".plt") || !strncmp(name, ".plt.", 5));
		if (relocations && sh.sh_type == SHT_RELA)
			rc = take_relocations(plt, scn, &sh);
		else if (!relocations && stubs)
			rc = take_stubs(plt, elf_ndxscn(scn), &sh);
	}
	return rc < 0 ? rc : 0;
}

/* Names are made in one block. */
static int plt_spell(struct plt *plt, char **names)
{
	size_t size = 0, at = 0;
	for (size_t i = 0; i < plt->n_labels; i++)
		size += strlen(plt->of[i]) + sizeof "@plt";
	*names = base_alloc(plt->cairn, size + 1);
	if (!*names)
		return CAIRN_E_NOMEM;
	for (size_t i = 0; i < plt->n_labels; i++) {
		plt->labels[i].sym.name = *names + at;
		at += (size_t)snprintf(*names + at, size + 1 - at, "%s@plt", plt->of[i]) + 1;
	}
	return 0;
}

int image_plt(struct cairn *cairn, Elf *elf, const struct image_file *file,
              struct image_label **labels, size_t *n, char **names)
{
	GElf_Ehdr eh;
	struct plt plt = {.cairn = cairn, .elf = elf, .file = file};
	*labels = NULL;
	*names = NULL;
	*n = 0;
	if (!gelf_getehdr(elf, &eh))
		return 0;
	plt.machine = eh.e_machine;
	plt.narrow = gelf_getclass(elf) == ELFCLASS32;
	if (plt.machine != EM_RISCV && plt.machine != EM_AARCH64 && plt.machine != EM_SPARCV9)
		return 0;
	int rc = each_section(&plt, true);
	if (rc >= 0 && plt.n_slots) {
		qsort(plt.slots, plt.n_slots, sizeof *plt.slots, plt_by_address);
		rc = each_section(&plt, false);
	}
	if (rc >= 0 && plt.n_labels)
		rc = plt_spell(&plt, names);
	base_free(cairn, plt.slots);
	base_free(cairn, plt.of);
	if (rc < 0 || !plt.n_labels)
		base_free(cairn, plt.labels);
	else {
		*labels = plt.labels;
		*n = plt.n_labels;
	}
	return rc;
}

#endif
