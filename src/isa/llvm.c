/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LLVM, loaded when first needed.
 *
 * Linking against LLVM would cost every run of the command tens of milliseconds
 * and every builder a development package ten times the size of the library.
 * So the run-time library is opened with dlopen and its few functions, stable
 * since LLVM 3, are declared here by hand.
 *
 * There is one static: the loaded library. It is written once under
 * pthread_once and never again, so it is a constant that happens to be computed
 * late, not shared state. Keeping one per disassembler would not be cleaner:
 * LLVM's target registry is itself global, filling it twice from two threads is
 * a race inside LLVM, and unloading LLVM is not safe (it registers destructors).
 * RTLD_LOCAL keeps its symbols from meeting another LLVM in the same process
 * (graphics drivers bring one).
 *
 * CAIRN_LLVM names the library where it lies elsewhere. A static program has none: dlopen in one
 * brings a second C library, and crashes.
 *
 * Every instruction set's tables are registered at once; registering only links
 * static structures, the cost is in the relocation of the library.
 */
#include "isa/llvm.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct isa_llvm the_llvm;
static char the_name[24]; /* "LLVM 14" */
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* 19 is what the texts were checked against. Then newer ones (they decode more)
 * before older ones (they decode less). */
static const uint8_t versions[] = {19, 20, 21, 22, 18, 17, 16, 15, 14};

/* Since 18 the soname is libLLVM.so.MAJOR.MINOR, before it was libLLVM-MAJOR.so.1
 * or, without the suffix, upstream's libLLVM-MAJOR.so; upstream's own packages
 * keep theirs in a directory the loader does not search. */
static void *open_version(int version)
{
	static const char *const names[] = {
		"libLLVM.so.%d.1",
		"libLLVM-%d.so.1",
		"libLLVM-%d.so",
		"/usr/lib/llvm-%d/lib/libLLVM.so.1",
		"/usr/lib/llvm-%d/lib/libLLVM.so",
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char name[64];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(name, sizeof name, names[i], version);
#pragma GCC diagnostic pop
		void *lib = dlopen(name, RTLD_NOW | RTLD_LOCAL);
		if (lib)
			return lib;
	}
	return NULL;
}

/* POSIX promises that a pointer from dlsym may be a function; ISO C has no cast
 * for it. */
static bool llvm_find(void *lib, const char *name, void *fn)
{
	void *p = dlsym(lib, name);
	memcpy(fn, &p, sizeof p);
	return p != NULL;
}

/* A library built without one of the targets is fine: making a disassembler for
 * it fails then. */
static void register_targets(void *lib)
{
	static const char *const targets[] = {"RISCV", "AArch64", "Sparc", "ARM", "X86"};
	static const char *const parts[] = {"TargetInfo", "TargetMC", "Disassembler"};
	for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
		for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
			char name[64];
			void (*init)(void);
			snprintf(name, sizeof name, "LLVMInitialize%s%s", targets[t], parts[p]);
			if (llvm_find(lib, name, &init))
				init();
		}
	}
}

/* The first object is the program itself; one with a dynamic loader names it. */
static int names_loader(struct dl_phdr_info *info, size_t size, void *user)
{
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++)
		*(bool *)user |= info->dlpi_phdr[i].p_type == PT_INTERP;
	return 1;
}

/* Of a library with any name: it says so itself since 16. */
static int llvm_version_of(void *lib)
{
	void (*tell)(unsigned *major, unsigned *minor, unsigned *patch);
	unsigned major = versions[sizeof versions - 1], minor, patch;
	if (llvm_find(lib, "LLVMGetVersion", &tell))
		tell(&major, &minor, &patch);
	return (int)major;
}

static bool llvm_take(void *lib, int version)
{
	struct isa_llvm llvm = {.version = version};
	if (!llvm_find(lib, "LLVMCreateDisasmCPUFeatures", &llvm.create) ||
	    !llvm_find(lib, "LLVMDisasmDispose", &llvm.dispose) ||
	    !llvm_find(lib, "LLVMDisasmInstruction", &llvm.disasm)) {
		dlclose(lib);
		return false;
	}
	register_targets(lib);
	the_llvm = llvm;
	snprintf(the_name, sizeof the_name, "LLVM %d", llvm.version);
	return true;
}

static bool is_static(void)
{
	bool dynamic = false;
	dl_iterate_phdr(names_loader, &dynamic);
	return !dynamic;
}

/* NULL: none is named. */
static const char *library_named(void)
{
	const char *named = secure_getenv("CAIRN_LLVM");
	return named && *named ? named : NULL;
}

static void llvm_load(void)
{
	const char *named = library_named();
	if (is_static())
		return;
	if (named) {
		void *lib = dlopen(named, RTLD_NOW | RTLD_LOCAL);
		if (lib)
			llvm_take(lib, llvm_version_of(lib));
		return;
	}
	for (size_t i = 0; i < sizeof versions; i++) {
		void *lib = open_version(versions[i]);
		if (lib && llvm_take(lib, versions[i]))
			return;
	}
}

const struct isa_llvm *isa_llvm_get(void)
{
	pthread_once(&once, llvm_load);
	return the_llvm.version ? &the_llvm : NULL;
}

const char *cairn_disassembler(void)
{
	return isa_llvm_get() ? the_name : NULL;
}

const char *isa_llvm_missing(void)
{
	if (is_static())
		return "which a statically linked program cannot load";
	return library_named() ? "and what CAIRN_LLVM names cannot be loaded as such"
	                       : "which is not installed (apt-get install libllvm19)";
}

const char *isa_llvm_triple(enum cairn_isa isa)
{
	switch (isa) {
	case CAIRN_ISA_RV32:
		return "riscv32-unknown-linux-gnu";
	case CAIRN_ISA_RV64:
		return "riscv64-unknown-linux-gnu";
	case CAIRN_ISA_A64:
		return "aarch64-unknown-linux-gnu";
	case CAIRN_ISA_A32:
		return "armv8.6a-unknown-linux-gnueabihf";
	case CAIRN_ISA_T32:
		return "thumbv8.6a-unknown-linux-gnueabihf";
	case CAIRN_ISA_SPARC:
		return "sparcv9-unknown-linux-gnu";
	case CAIRN_ISA_X86_64:
		return "x86_64-unknown-linux-gnu";
	case CAIRN_ISA_UNKNOWN:
	case CAIRN_ISA_LAST:
		break;
	}
	return NULL;
}
