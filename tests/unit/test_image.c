/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images: raw files and ELF at addresses, overlaps, symbols. A small ELF file
 * is put together here, so that every case of the symbol rules is in it; it is
 * then cut at every length and its bytes are changed, which must never do more
 * than fail with a sentence. The test's own executable stands for real files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cairn/image.h"
#include "cairn/isa.h"
#include "config.h"

static struct cairn *ctx;
static char dir[] = "/tmp/cairn-image-XXXXXX";

static int setup(void **state)
{
	(void)state;
	ctx = cairn_new(NULL);
	return ctx && mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	cairn_free(ctx);
	return rmdir(dir);
}

static const char *path(const char *name)
{
	static char p[2][128];
	static int i;
	i ^= 1;
	snprintf(p[i], sizeof p[i], "%s/%s", dir, name);
	return p[i];
}

static void write_file(const char *name, const void *data, size_t n)
{
	int fd = open(path(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, n), n);
	close(fd);
}

/* ELF structures are filled in this machine's byte order, and files are in the order that
 * their e_ident says: here the fields of `n` structures at `at` are turned where these differ. */
static void turn_fields(const Elf64_Ehdr *of, void *at, size_t n, const char *sizes)
{
	static const uint16_t one = 1;
	bool big = *(const uint8_t *)&one == 0;
	uint8_t *p = at;
	if ((of->e_ident[EI_DATA] == ELFDATA2MSB) == big)
		return;
	for (size_t i = 0; i < n; i++)
		for (const char *size = sizes; *size; size++) {
			size_t bytes = (size_t)(*size - '0');
			for (size_t k = 0; k < bytes / 2; k++) {
				uint8_t other = p[k];
				p[k] = p[bytes - 1 - k];
				p[bytes - 1 - k] = other;
			}
			p += bytes;
		}
}
#define TURN_EHDR "2248884222222"
#define TURN_PHDR "44888888"
#define TURN_SHDR "4488884488"
#define TURN_SYM "411288"
#define TURN_RELA "888"
#define TURN(file, field, sizes) \
	turn_fields(&(file)->eh, (file)->field, sizeof(file)->field / sizeof *(file)->field, sizes)

static int add(struct cairn_image *im, const char *name, const char *suffix)
{
	char spec[160];
	snprintf(spec, sizeof spec, "%s%s", path(name), suffix);
	return cairn_image_add(im, spec);
}

static void assert_bytes(const struct cairn_image *im, uint64_t addr, size_t ask, const char *want,
                         size_t n)
{
	char buf[64];
	memset(buf, '?', sizeof buf);
	assert_true(ask < sizeof buf);
	assert_int_equal(cairn_image_read(im, addr, buf, ask), n);
	assert_memory_equal(buf, want, n);
	assert_int_equal(buf[n], '?');
}

/* ---- raw files ---- */

static void test_raw(void **state)
{
	(void)state;
	struct cairn_image *im = cairn_image_new(ctx);
	write_file("a", "0123456789", 10);
	write_file("b", "abc", 3);
	write_file("odd@name", "x", 1);
	assert_int_equal(add(im, "a", "@0x1000"), 0);
	assert_bytes(im, 0x1000, 10, "0123456789", 10);
	assert_bytes(im, 0x1008, 10, "89", 2);
	assert_bytes(im, 0xfff, 4, "", 0);
	assert_bytes(im, 0x100a, 4, "", 0);
	assert_bytes(im, 0x1000, 0, "", 0);
	/* Later files win; what they do not cover stays. */
	assert_int_equal(add(im, "b", "@0x1004"), 0);
	assert_bytes(im, 0x1000, 20, "0123abc789", 10);
	assert_int_equal(add(im, "b", "@0xFFE"), 0);
	assert_bytes(im, 0xffe, 20, "abc123abc789", 12);
	assert_int_equal(add(im, "b", "@0x1009"), 0);
	assert_bytes(im, 0xffe, 20, "abc123abc78abc", 14);
	assert_int_equal(add(im, "a", "@0x1000"), 0);
	assert_bytes(im, 0xffe, 20, "ab0123456789bc", 14);
	/* Up to the last address, not beyond. */
	assert_int_equal(add(im, "b", "@0xfffffffffffffffd"), 0);
	assert_bytes(im, UINT64_MAX - 2, 9, "abc", 3);
	assert_bytes(im, UINT64_MAX, 9, "c", 1);
	assert_int_equal(add(im, "b", "@0xfffffffffffffffe"), CAIRN_E_INVAL);
	assert_int_equal(add(im, "b", "@0x0"), 0);
	assert_bytes(im, 0, 9, "abc", 3);
	assert_int_equal(add(im, "odd@name", "@0x20"), 0);
	assert_bytes(im, 0x20, 9, "x", 1);
	assert_null(cairn_image_symbol_at(im, 0x1000));
	assert_null(cairn_image_symbol(im, "main", 4));
	unlink(path("a"));
	unlink(path("b"));
	unlink(path("odd@name"));
	assert_bytes(im, 0xffe, 20, "ab0123456789bc", 14);
	cairn_image_free(im);
	cairn_image_free(NULL);
}

static void assert_fails(struct cairn_image *im, const char *spec, int status, const char *words)
{
	assert_int_equal(cairn_image_add(im, spec), status);
	assert_int_equal(cairn_error_status(ctx), status);
	if (!strstr(cairn_error_text(ctx), words))
		fail_msg("'%s' does not say '%s'", cairn_error_text(ctx), words);
}

static void test_errors(void **state)
{
	(void)state;
	struct cairn_image *im = cairn_image_new(ctx);
	write_file("raw", "xyz", 3);
	write_file("empty", "", 0);
	assert_fails(im, path("none"), CAIRN_E_NOTFOUND, "none");
	assert_fails(im, path("raw"), CAIRN_E_UNSUPPORTED, "raw@0xADDRESS");
	assert_fails(im, path("empty"), CAIRN_E_DAMAGED, "empty");
	assert_fails(im, dir, CAIRN_E_INVAL, "regular file");
	assert_fails(im, "", CAIRN_E_INVAL, "name of a file");
	assert_fails(im, "@0x1000", CAIRN_E_INVAL, "name of a file");
	assert_int_equal(add(im, "raw", "@0x"), CAIRN_E_INVAL);
	assert_int_equal(add(im, "raw", "@0x12g"), CAIRN_E_INVAL);
	assert_int_equal(add(im, "raw", "@0x10000000000000000"), CAIRN_E_INVAL);
	assert_int_equal(add(im, "raw", "@1000"), CAIRN_E_NOTFOUND);
	unlink(path("raw"));
	unlink(path("empty"));
	cairn_image_free(im);
}

/* ---- a small program ---- */

enum { TEXT = 0x10000, DATA = 0x20000, TEXT_N = 0x100, DATA_N = 0x40 };

struct program {
	Elf64_Ehdr eh;
	Elf64_Phdr ph[3];
	Elf64_Shdr sh[6];
	Elf64_Sym sym[24];
	char names[256];
	uint8_t text[TEXT_N], data[DATA_N];
};

static size_t n_syms, n_names;

static void add_sym(struct program *program, const char *name, unsigned bind, unsigned type,
                    unsigned section, uint64_t value, uint64_t size)
{
	assert_true(n_syms < sizeof program->sym / sizeof *program->sym);
	assert_true(n_names + strlen(name) + 1 <= sizeof program->names);
	strcpy(program->names + n_names, name);
	program->sym[n_syms++] = (Elf64_Sym){
		.st_name = (Elf64_Word)n_names,
		.st_info = (unsigned char)ELF64_ST_INFO(bind, type),
		.st_shndx = (Elf64_Section)section,
		.st_value = value,
		.st_size = size,
	};
	n_names += strlen(name) + 1;
}

static void add_symbols(struct program *program)
{
	n_syms = n_names = 1;
	add_sym(program, "crt.c", STB_LOCAL, STT_FILE, SHN_ABS, 0, 0);
	add_sym(program, "", STB_LOCAL, STT_SECTION, 1, TEXT, 0);
	add_sym(program, "$x", STB_LOCAL, STT_NOTYPE, 1, TEXT, 0);
	add_sym(program, "$xrv64gc", STB_LOCAL, STT_NOTYPE, 1, TEXT, 0);
	add_sym(program, ".L1", STB_LOCAL, STT_NOTYPE, 1, TEXT + 8, 0);
	add_sym(program, "local_start", STB_LOCAL, STT_FUNC, 1, TEXT, 0x10);
	add_sym(program, "_start", STB_GLOBAL, STT_NOTYPE, 1, TEXT, 0);
	add_sym(program, "weak_main", STB_WEAK, STT_FUNC, 1, TEXT + 0x20, 0x40);
	add_sym(program, "main", STB_GLOBAL, STT_FUNC, 1, TEXT + 0x20, 0x40);
	add_sym(program, "main_label", STB_GLOBAL, STT_NOTYPE, 1, TEXT + 0x20, 0);
	add_sym(program, "loop", STB_LOCAL, STT_NOTYPE, 1, TEXT + 0x30, 0);
	add_sym(program, "inner", STB_LOCAL, STT_FUNC, 1, TEXT + 0x40, 0x10);
	add_sym(program, "sizeless", STB_GLOBAL, STT_FUNC, 1, TEXT + 0x80, 0);
	add_sym(program, "last", STB_GLOBAL, STT_FUNC, 1, TEXT + 0xf0, 0);
	add_sym(program, "_end", STB_GLOBAL, STT_NOTYPE, 1, TEXT + TEXT_N, 0);
	add_sym(program, "table", STB_GLOBAL, STT_OBJECT, 2, DATA, 8);
	add_sym(program, "stack_size", STB_GLOBAL, STT_NOTYPE, SHN_ABS, TEXT + 0x24, 0);
	add_sym(program, "wanted", STB_GLOBAL, STT_NOTYPE, SHN_UNDEF, 0, 0);
	add_sym(program, "per_thread", STB_GLOBAL, STT_TLS, 2, 4, 4);
	add_sym(program, "huge", STB_LOCAL, STT_OBJECT, 2, DATA + 0x20, UINT64_MAX);
}

#define OFFSET(field) offsetof(struct program, field)

static void make_program(struct program *program)
{
	memset(program, 0, sizeof *program);
	memcpy(program->eh.e_ident, ELFMAG, SELFMAG);
	program->eh.e_ident[EI_CLASS] = ELFCLASS64;
	program->eh.e_ident[EI_DATA] = ELFDATA2LSB;
	program->eh.e_ident[EI_VERSION] = EV_CURRENT;
	program->eh.e_type = ET_EXEC;
	program->eh.e_machine = EM_RISCV;
	program->eh.e_version = EV_CURRENT;
	program->eh.e_ehsize = sizeof program->eh;
	program->eh.e_phoff = OFFSET(ph);
	program->eh.e_phentsize = sizeof *program->ph;
	program->eh.e_phnum = 3;
	program->eh.e_shoff = OFFSET(sh);
	program->eh.e_shentsize = sizeof *program->sh;
	program->eh.e_shnum = 6;
	program->ph[0] =
		(Elf64_Phdr){PT_LOAD, PF_R | PF_X, OFFSET(text), TEXT, TEXT, TEXT_N, TEXT_N, 16};
	program->ph[1] = (Elf64_Phdr){PT_LOAD, PF_R | PF_W, OFFSET(data), DATA, DATA, DATA_N, 4096, 16};
	program->ph[2] = (Elf64_Phdr){PT_NOTE, PF_R, OFFSET(data), 0, 0, 4, 4, 4};
	program->sh[1] = (Elf64_Shdr){
		0, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT, OFFSET(text), TEXT_N, 0, 0, 16, 0};
	program->sh[2] = (Elf64_Shdr){
		0, SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, DATA, OFFSET(data), DATA_N, 0, 0, 16, 0};
	add_symbols(program);
	program->sh[3] =
		(Elf64_Shdr){0, SHT_SYMTAB,          0, 0, OFFSET(sym), n_syms * sizeof *program->sym, 4, 1,
	                 8, sizeof *program->sym};
	program->sh[4] =
		(Elf64_Shdr){0, SHT_STRTAB, 0, 0, OFFSET(names), sizeof program->names, 0, 0, 1, 0};
	program->sh[5] =
		(Elf64_Shdr){0, SHT_NOBITS, SHF_ALLOC | SHF_WRITE, DATA + DATA_N, 0, 16, 0, 0, 8, 0};
	for (size_t i = 0; i < TEXT_N; i++)
		program->text[i] = (uint8_t)i;
	memset(program->data, 'd', DATA_N);
}

/* As it stands in a file. */
static void turn_program(struct program *program)
{
	turn_fields(&program->eh, &program->eh.e_type, 1, TURN_EHDR);
	TURN(program, ph, TURN_PHDR);
	TURN(program, sh, TURN_SHDR);
	TURN(program, sym, TURN_SYM);
}

static void write_program(const struct program *program)
{
	struct program file = *program;
	turn_program(&file);
	write_file("elf", &file, sizeof file);
}

static void assert_at(const struct cairn_image *im, uint64_t addr, const char *name, uint64_t start,
                      uint64_t size)
{
	const struct cairn_symbol *symbol = cairn_image_symbol_at(im, addr);
	if (!name) {
		if (symbol)
			fail_msg("%s at 0x%llx", symbol->name, (unsigned long long)addr);
		return;
	}
	if (!symbol)
		fail_msg("nothing at 0x%llx", (unsigned long long)addr);
	assert_string_equal(symbol->name, name);
	assert_int_equal(symbol->addr, start);
	assert_int_equal(symbol->size, size);
}

static void check_program(const struct cairn_image *im, uint64_t text, uint64_t data)
{
	assert_at(im, text - 1, NULL, 0, 0);
	assert_at(im, text, "_start", text, 0x10); /* its alias's size */
	assert_at(im, text + 0xf, "_start", text, 0x10);
	assert_at(im, text + 0x10, NULL, 0, 0);
	assert_at(im, text + 0x20, "main", text + 0x20, 0x40);
	assert_at(im, text + 0x34, "main", text + 0x20, 0x40);
	assert_at(im, text + 0x40, "inner", text + 0x40, 0x10);
	assert_at(im, text + 0x4f, "inner", text + 0x40, 0x10);
	assert_at(im, text + 0x50, "main", text + 0x20, 0x40);
	assert_at(im, text + 0x60, NULL, 0, 0);
	assert_at(im, text + 0x80, "sizeless", text + 0x80, 0x70);
	assert_at(im, text + 0xef, "sizeless", text + 0x80, 0x70);
	assert_at(im, text + 0xff, "last", text + 0xf0, 0x10);
	assert_at(im, text + 0x100, NULL, 0, 0);
	assert_at(im, data + 7, "table", data, 8);
	assert_at(im, data + 8, NULL, 0, 0);
	assert_at(im, data + 0x1000, "huge", data + 0x20, UINT64_MAX - data - 0x20);
	const struct cairn_symbol *symbol = cairn_image_symbol(im, "loop", 4);
	assert_non_null(symbol);
	assert_int_equal(symbol->addr, text + 0x30);
	assert_int_equal(symbol->size, 0x10);
	assert_non_null(cairn_image_symbol(im, "_end", 4));
	assert_non_null(cairn_image_symbol(im, "weak_main", 9));
	assert_int_equal(cairn_image_symbol(im, "main@plt", 4)->addr, text + 0x20);
	static const char *const absent[] = {"$x",         ".L1", "crt.c",     "stack_size", "wanted",
	                                     "per_thread", "mai", "main_labe", "",           "zzz"};
	for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
		assert_null(cairn_image_symbol(im, absent[i], strlen(absent[i])));
	assert_null(cairn_image_symbol(im, "main\0x", 6));
	assert_bytes(im, text + 0x40, 2, "\x40\x41", 2);
	assert_bytes(im, text + 0xff, 4, "\xff", 1);
	assert_bytes(im, data + 0x3e, 4, "dd", 2); /* .bss is not known */
}

#ifdef HAVE_ELF
static void test_elf(void **state)
{
	(void)state;
	struct program program;
	make_program(&program);
	write_program(&program);
	struct cairn_image *im = cairn_image_new(ctx);
	assert_int_equal(add(im, "elf", ""), 0);
	check_program(im, TEXT, DATA);
	const struct cairn_symbol *kept = cairn_image_symbol(im, "main", 4);
	/* Raw bytes over it: the bytes change, the symbols stay. */
	write_file("patch", "\xaa\xbb", 2);
	assert_int_equal(add(im, "patch", "@0x10041"), 0);
	assert_bytes(im, TEXT + 0x40, 4, "\x40\xaa\xbb\x43", 4);
	assert_at(im, TEXT + 0x20, "main", TEXT + 0x20, 0x40);
	assert_string_equal(kept->name, "main");
	/* A second copy elsewhere: names mean the later one. */
	assert_int_equal(add(im, "elf", "@0x40000000"), 0);
	assert_int_equal(cairn_image_symbol(im, "main", 4)->addr, 0x40000020);
	assert_int_equal(kept->addr, TEXT + 0x20);
	cairn_image_free(im);
	/* Moved. */
	im = cairn_image_new(ctx);
	assert_int_equal(add(im, "elf", "@0xffffffff80000000"), 0);
	check_program(im, 0xffffffff80000000, 0xffffffff80010000);
	cairn_image_free(im);
	im = cairn_image_new(ctx);
	assert_int_equal(add(im, "elf", "@0xfffffffffffffff0"), CAIRN_E_INVAL);
	assert_bytes(im, 0xfffffffffffffff0, 4, "", 0);
	cairn_image_free(im);
	unlink(path("elf"));
	unlink(path("patch"));
}

static void test_elf_variants(void **state)
{
	(void)state;
	struct program program;
	/* .dynsym where .symtab is missing. */
	make_program(&program);
	program.sh[3].sh_type = SHT_DYNSYM;
	write_program(&program);
	struct cairn_image *im = cairn_image_new(ctx);
	assert_int_equal(add(im, "elf", ""), 0);
	check_program(im, TEXT, DATA);
	cairn_image_free(im);
	/* Big-endian. */
	make_program(&program);
	program.eh.e_ident[EI_DATA] = ELFDATA2MSB;
	program.eh.e_machine = EM_SPARCV9;
	write_program(&program);
	im = cairn_image_new(ctx);
	assert_int_equal(add(im, "elf", ""), 0);
	check_program(im, TEXT, DATA);
	cairn_image_free(im);
	/* No program headers: the sections. */
	make_program(&program);
	program.eh.e_phoff = program.eh.e_phnum = 0;
	write_program(&program);
	im = cairn_image_new(ctx);
	assert_int_equal(add(im, "elf", "@0x5000"), 0);
	check_program(im, 0x5000, 0x15000);
	cairn_image_free(im);
	/* Not linked. */
	make_program(&program);
	program.eh.e_type = ET_REL;
	write_program(&program);
	im = cairn_image_new(ctx);
	assert_fails(im, path("elf"), CAIRN_E_UNSUPPORTED, "linked program");
	/* Each damage has its words. */
	static const struct {
		size_t at;
		uint64_t value;
		const char *words;
	} bad[] = {
		{OFFSET(sh[3].sh_entsize), 23, "a size no symbol has"},
		{OFFSET(sh[3].sh_offset), 1 << 20, "symbol table lies beyond"},
		{OFFSET(sh[4].sh_size), 1 << 20, "names of the symbols are missing"},
		{OFFSET(sh[4].sh_size), 5, "last name does not end"},
		{OFFSET(ph[0].p_filesz), UINT64_MAX, "segment lies beyond the end"},
		{OFFSET(ph[0].p_vaddr), UINT64_MAX, "beyond the last address"},
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		make_program(&program);
		memcpy((char *)&program + bad[i].at, &bad[i].value, 8);
		write_program(&program);
		assert_fails(im, path("elf"), CAIRN_E_DAMAGED, bad[i].words);
	}
	cairn_image_free(im);
	unlink(path("elf"));
}

/* ---- stubs of the linkage table ---- */

enum { PLT = 0x11000, GOT = 0x12000, PLT_N = 0x80 };

/* A stripped program that calls puts and qsort. */
struct linked {
	Elf64_Ehdr eh;
	Elf64_Phdr ph[1];
	Elf64_Shdr sh[6];
	Elf64_Sym sym[3];
	Elf64_Rela rela[2];
	char names[64];
	uint8_t plt[PLT_N];
};

static void put_insn(struct linked *linked, unsigned at, uint32_t insn)
{
	for (unsigned i = 0; i < 4; i++)
		linked->plt[at + i] = (uint8_t)(insn >> 8 * i);
}

/* The stub at `at`, which loads from `slot`. */
static void put_stub(struct linked *linked, unsigned at, uint64_t slot)
{
	int64_t far = (int64_t)(slot - (PLT + at));
	if (linked->eh.e_machine == EM_RISCV) {
		uint32_t high = (uint32_t)(far + 0x800) & 0xfffff000, low = (uint32_t)far & 0xfff;
		put_insn(linked, at, high | 28 << 7 | 0x17);                            /* auipc t3 */
		put_insn(linked, at + 4, low << 20 | 28 << 15 | 3 << 12 | 28 << 7 | 3); /* ld t3 */
		put_insn(linked, at + 8, 0x000e0367);                                   /* jalr t1, t3 */
	} else {
		uint32_t pages = (uint32_t)((slot >> 12) - ((PLT + at) >> 12));
		put_insn(linked, at, 0xd503245f); /* bti c */
		put_insn(linked, at + 4, 0x90000010 | (pages & 3) << 29 | (pages >> 2 & 0x7ffff) << 5);
		put_insn(linked, at + 8, 0xf9400211 | (uint32_t)(slot & 0xfff) / 8 << 10);
		put_insn(linked, at + 12, 0xd61f0220); /* br x17 */
	}
}

static void make_linked(struct linked *linked, uint16_t machine)
{
	static const char names[] = "\0puts\0qsort\0.plt";
	*linked = (struct linked){.eh = {.e_type = ET_EXEC,
	                                 .e_machine = machine,
	                                 .e_version = EV_CURRENT,
	                                 .e_ehsize = sizeof linked->eh,
	                                 .e_phoff = offsetof(struct linked, ph),
	                                 .e_phentsize = sizeof *linked->ph,
	                                 .e_phnum = 1,
	                                 .e_shoff = offsetof(struct linked, sh),
	                                 .e_shentsize = sizeof *linked->sh,
	                                 .e_shnum = 5,
	                                 .e_shstrndx = 4}};
	memcpy(linked->eh.e_ident, ELFMAG, SELFMAG);
	linked->eh.e_ident[EI_CLASS] = ELFCLASS64;
	linked->eh.e_ident[EI_DATA] = machine == EM_SPARCV9 ? ELFDATA2MSB : ELFDATA2LSB;
	linked->eh.e_ident[EI_VERSION] = EV_CURRENT;
	memcpy(linked->names, names, sizeof names);
	linked->ph[0] = (Elf64_Phdr){
		PT_LOAD, PF_R | PF_X, offsetof(struct linked, plt), PLT, PLT, PLT_N, PLT_N, 16};
	linked->sh[1] = (Elf64_Shdr){12,
	                             SHT_PROGBITS,
	                             SHF_ALLOC | SHF_EXECINSTR,
	                             PLT,
	                             offsetof(struct linked, plt),
	                             PLT_N,
	                             0,
	                             0,
	                             16,
	                             16};
	linked->sh[2] = (Elf64_Shdr){0,
	                             SHT_DYNSYM,
	                             SHF_ALLOC,
	                             0x10000,
	                             offsetof(struct linked, sym),
	                             sizeof linked->sym,
	                             4,
	                             1,
	                             8,
	                             sizeof *linked->sym};
	linked->sh[3] = (Elf64_Shdr){0,
	                             SHT_RELA,
	                             SHF_ALLOC,
	                             0x10100,
	                             offsetof(struct linked, rela),
	                             sizeof linked->rela,
	                             2,
	                             1,
	                             8,
	                             sizeof *linked->rela};
	linked->sh[4] = (Elf64_Shdr){
		0, SHT_STRTAB, 0, 0, offsetof(struct linked, names), sizeof linked->names, 0, 0, 1, 0};
	bool in_place = machine == EM_SPARCV9;
	for (unsigned i = 0; i < 2; i++) {
		uint64_t slot = in_place ? PLT + 0x40 + 0x20 * i : GOT + 8 + 8 * i;
		linked->sym[1 + i] =
			(Elf64_Sym){.st_name = i ? 6 : 1,
		                .st_info = (unsigned char)ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)};
		linked->rela[i] = (Elf64_Rela){slot, ELF64_R_INFO(1 + i, 5), 0};
		if (!in_place)
			put_stub(linked, 0x40 + 0x20 * i, slot);
	}
	if (!in_place)
		put_stub(linked, 0, GOT); /* what no relocation fills has no name */
}

static void write_linked(const struct linked *linked)
{
	struct linked file = *linked;
	turn_fields(&file.eh, &file.eh.e_type, 1, TURN_EHDR);
	TURN(&file, ph, TURN_PHDR);
	TURN(&file, sh, TURN_SHDR);
	TURN(&file, sym, TURN_SYM);
	TURN(&file, rela, TURN_RELA);
	write_file("linked", &file, sizeof file);
}

static void test_stubs(void **state)
{
	(void)state;
#ifndef HAVE_ELF
	skip();
#endif
	static const uint16_t machines[] = {EM_RISCV, EM_AARCH64, EM_SPARCV9};
	for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
		struct cairn_image *im = cairn_image_new(ctx);
		struct linked linked;
		uint64_t by = i == 1 ? 0x5500000000 - PLT : 0; /* moved, too */
		make_linked(&linked, machines[i]);
		write_linked(&linked);
		assert_int_equal(add(im, "linked", by ? "@0x5500000000" : ""), 0);
		assert_null(cairn_image_symbol_at(im, PLT + by));
		assert_null(cairn_image_symbol_at(im, PLT + by + 0x3f));
		assert_string_equal(cairn_image_symbol_at(im, PLT + by + 0x40)->name, "puts@plt");
		assert_string_equal(cairn_image_symbol_at(im, PLT + by + 0x5f)->name, "puts@plt");
		assert_string_equal(cairn_image_symbol_at(im, PLT + by + 0x60)->name, "qsort@plt");
		assert_int_equal(cairn_image_symbol(im, "qsort@plt", 9)->addr, PLT + by + 0x60);
		assert_null(cairn_image_symbol_at(im, PLT + by + PLT_N));
		cairn_image_free(im);
	}
	/* What is odd about relocations costs names, no more. */
	uint64_t seed = 1;
	struct linked good;
	make_linked(&good, EM_RISCV);
	for (int i = 0; i < 3000; i++) {
		struct cairn_image *im = cairn_image_new(ctx);
		struct linked linked = good;
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		size_t at = offsetof(struct linked, sh) +
		            (size_t)(seed >> 33) % (sizeof linked - offsetof(struct linked, sh));
		((uint8_t *)&linked)[at] ^= (uint8_t)(1u << (seed >> 60 & 7));
		write_linked(&linked);
		if (add(im, "linked", "") >= 0)
			for (unsigned k = 0; k < PLT_N; k += 4) {
				const struct cairn_symbol *sym = cairn_image_symbol_at(im, PLT + k);
				assert_true(!sym || strlen(sym->name) < 80);
			}
		cairn_image_free(im);
	}
	unlink(path("linked"));
}

/* What a file was made for. */
static void test_sets(void **state)
{
	(void)state;
	static const struct {
		uint16_t machine;
		uint32_t sets;
	} known[] = {{EM_RISCV, 1u << CAIRN_ISA_RV64},
	             {EM_AARCH64, 1u << CAIRN_ISA_A64},
	             {EM_SPARCV9, 1u << CAIRN_ISA_SPARC},
	             {EM_X86_64, 1u << CAIRN_ISA_X86_64},
	             {EM_MIPS, 0}};
#ifndef HAVE_ELF
	skip();
#endif
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		struct cairn_image *im = cairn_image_new(ctx);
		struct linked linked;
		const char *file;
		uint32_t sets = 99;
		make_linked(&linked, known[i].machine);
		write_linked(&linked);
		write_file("raw", "0123456789", 10);
		assert_int_equal(add(im, "raw", "@0x1000"), 0);
		assert_int_equal(cairn_image_sets(im, 0, &file, &sets), 0); /* bytes are of no machine */
		assert_int_equal(add(im, "linked", ""), 0);
		assert_int_equal(cairn_image_sets(im, 0, &file, &sets), 1);
		assert_string_equal(file, path("linked"));
		assert_int_equal(sets, known[i].sets);
		assert_int_equal(cairn_image_sets(im, 1, &file, &sets), 0);
		cairn_image_free(im);
	}
	unlink(path("linked"));
	unlink(path("raw"));
}

/* Whatever is in the file, adding it works or fails with a sentence, and asking
 * afterwards is safe. */
static int survive(const void *data, size_t n)
{
	write_file("mutant", data, n);
	struct cairn_image *im = cairn_image_new(ctx);
	int rc = add(im, "mutant", "");
	if (rc < 0)
		assert_true(strlen(cairn_error_text(ctx)) > 0);
	char buf[256];
	cairn_image_read(im, TEXT, buf, sizeof buf);
	cairn_image_read(im, 0, buf, sizeof buf);
	for (uint64_t a = TEXT; a < TEXT + 0x100; a += 16) {
		const struct cairn_symbol *symbol = cairn_image_symbol_at(im, a);
		if (symbol)
			assert_true(a >= symbol->addr && a - symbol->addr < symbol->size && *symbol->name);
	}
	cairn_image_symbol(im, "main", 4);
	cairn_image_free(im);
	return rc;
}

static void make_file(struct program *program)
{
	make_program(program);
	turn_program(program);
}

static void test_truncated(void **state)
{
	(void)state;
	struct program program;
	make_file(&program);
	for (size_t n = 1; n < sizeof program; n++)
		assert_true(survive(&program, n) < 0);
	assert_int_equal(survive(&program, sizeof program), 0);
	unlink(path("mutant"));
}

static void test_mutated(void **state)
{
	(void)state;
	struct program program;
	static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
	for (size_t i = 0; i < OFFSET(names); i++) {
		make_file(&program);
		((uint8_t *)&program)[i] = values[i % sizeof values];
		survive(&program, sizeof program);
		((uint8_t *)&program)[i] = values[(i + i / 5 + 1) % sizeof values];
		survive(&program, sizeof program);
	}
	uint32_t seed = 1;
	for (int round = 0; round < 3000; round++) {
		make_file(&program);
		for (int k = 0; k < 1 + round % 6; k++) {
			seed = seed * 1664525 + 1013904223;
			size_t at = SELFMAG + (seed >> 8) % (OFFSET(names) - SELFMAG);
			((uint8_t *)&program)[at] = (uint8_t)(round & 1 ? seed >> 3 : values[seed % 5]);
		}
		survive(&program, sizeof program);
	}
	unlink(path("mutant"));
}

/* ---- a real file: this one ---- */

int main(void);

static void test_self(void **state)
{
	(void)state;
	struct cairn_image *im = cairn_image_new(ctx);
	assert_int_equal(cairn_image_add(im, "/proc/self/exe"), 0);
	const struct cairn_symbol *symbol = cairn_image_symbol(im, "main", 4);
	assert_non_null(symbol);
	assert_true(symbol->size > 16);
	assert_ptr_equal(cairn_image_symbol_at(im, symbol->addr), symbol);
	assert_ptr_equal(cairn_image_symbol_at(im, symbol->addr + symbol->size - 1), symbol);
	uint8_t code[16];
	assert_int_equal(cairn_image_read(im, symbol->addr, code, sizeof code), sizeof code);
	uintptr_t place = (uintptr_t)main;
#ifdef __thumb__
	place &= ~(uintptr_t)1; /* tells the instruction set, not the place */
#endif
	assert_memory_equal(code, (const void *)place, sizeof code);
	cairn_image_free(im);
}
#else
static void test_without_libelf(void **state)
{
	(void)state;
	struct program p;
	make_program(&p);
	write_program(&p);
	struct cairn_image *im = cairn_image_new(ctx);
	assert_fails(im, path("elf"), CAIRN_E_UNSUPPORTED, "libelf");
	cairn_image_free(im);
	unlink(path("elf"));
	(void)check_program;
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_raw),       cmocka_unit_test(test_errors),
#ifdef HAVE_ELF
		cmocka_unit_test(test_elf),       cmocka_unit_test(test_elf_variants),
		cmocka_unit_test(test_stubs),     cmocka_unit_test(test_sets),
		cmocka_unit_test(test_truncated), cmocka_unit_test(test_mutated),
		cmocka_unit_test(test_self),
#else
		cmocka_unit_test(test_without_libelf),
#endif
	};
	return cmocka_run_group_tests_name("image", tests, setup, teardown);
}
