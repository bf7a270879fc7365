/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What RISC-V instructions do, against QEMU: for each mnemonic a program is made of random encodings
 * with random and boundary operands. It writes down every register, the flags and all memory behind
 * each of them. QEMU runs it, and so does the machine; whatever bit the machine knows has to agree.
 *
 * Without QEMU the machine's answers are compared with hashes of QEMU's, which
 * fixtures/exec_riscv.hashes keeps (UPDATE=1 rewrites them). CAIRN_LONG=2000 tries as many
 * encodings of each mnemonic, CAIRN_SEED=N others.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cairn/exec.h"

enum {
	BASE = 0x10000, /* where the program lies */
	SCRATCH = 8192, /* memory that instructions access: around its middle */
	X_FIRST = 8,    /* registers that instructions have as operands: x8 to x15, f8 to f15 */
	X_COUNT = 8,
	OPERANDS = 0x5,
	RESULTS = 0x6,
	MOST_NAMES = 512
};

/* ---- random operands ---- */

static uint64_t random_state;

static uint64_t random_bits(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static uint64_t random_integer(void)
{
	static const uint64_t boundary[] = {0,
	                                    1,
	                                    2,
	                                    0x7f,
	                                    0x80,
	                                    0xff,
	                                    0x7fff,
	                                    0x8000,
	                                    0x7fffffff,
	                                    0x80000000,
	                                    0xffffffff,
	                                    INT64_MAX,
	                                    (uint64_t)INT64_MIN,
	                                    UINT64_MAX,
	                                    UINT64_MAX - 1,
	                                    31,
	                                    32,
	                                    63,
	                                    64};
	uint64_t bits = random_bits();
	switch (random_bits() % 4) {
	case 0:
		return boundary[bits % (sizeof boundary / sizeof *boundary)];
	case 1:
		return bits >> random_bits() % 64;
	case 2:
		return (uint64_t)(int32_t)bits;
	default:
		return bits;
	}
}

/* Numbers of one format near its boundaries, boxed or not. */
static uint64_t random_number(void)
{
	static const unsigned fraction_bits[] = {10, 23, 52}, exponent_bits[] = {5, 8, 11};
	unsigned format = (unsigned)(random_bits() % 3), e = exponent_bits[format],
			 f = fraction_bits[format];
	uint64_t exponent = random_bits() & ((1u << e) - 1), fraction = random_bits() >> (64 - f);
	switch (random_bits() % 8) {
	case 0:
		exponent = 0;
		break;
	case 1:
		exponent = (1u << e) - 1;
		break;
	case 2:
		exponent = (1u << (e - 1)) - 4 + random_bits() % 8;
		break;
	case 3:
		exponent = (1u << (e - 1)) + random_bits() % f;
		fraction &= ~(uint64_t)0 << random_bits() % f;
		break;
	default:
		break;
	}
	if (random_bits() % 4 == 0)
		fraction = random_bits() % 2 ? 0 : ((uint64_t)1 << f) - 1;
	uint64_t number = (random_bits() & 1) << (e + f) | exponent << f | fraction;
	if (e + f < 63 && random_bits() % 16)
		number |= UINT64_MAX << (e + f + 1);
	return number;
}

/* ---- encodings by mnemonic ---- */

struct mnemonic {
	char name[24];
	bool narrow;
	uint32_t *bases; /* encodings of it with other operands 0 */
	size_t n_bases;
	unsigned size;
};

static struct mnemonic names[MOST_NAMES];
static size_t n_names;

static void add_encoding(enum cairn_isa isa, uint32_t enc, unsigned size)
{
	const char *name, *extension;
	size_t i = 0;
	cairn_isa_mnemonic(isa, enc, size, &name, &extension);
	if (!name || strchr("v", *extension) || !strcmp(extension, "h") || !strcmp(extension, "priv"))
		return;
	while (i < n_names && (strcmp(names[i].name, name) || names[i].size != size))
		i++;
	assert_true(i < MOST_NAMES);
	if (i == n_names) {
		snprintf(names[i].name, sizeof names[i].name, "%s", name);
		names[i].size = size;
		n_names++;
	}
	struct mnemonic *to = &names[i];
	if ((to->n_bases & (to->n_bases - 1)) == 0) {
		size_t room = to->n_bases ? 2 * to->n_bases : 1;
		to->bases = realloc(to->bases, room * sizeof *to->bases);
		assert_non_null(to->bases);
	}
	to->bases[to->n_bases++] = enc;
}

static void collect(enum cairn_isa isa)
{
	while (n_names)
		free(names[--n_names].bases);
	memset(names, 0, sizeof names);
	for (uint32_t enc = 0; enc < 0x10000; enc++)
		if ((enc & 3) != 3)
			add_encoding(isa, enc, 2);
	/* What decides: opcode, funct3, funct7 and rs2. */
	for (uint32_t opcode = 3; opcode < 0x80; opcode += 4)
		for (uint32_t f3 = 0; f3 < 8; f3++)
			for (uint32_t high = 0; high < 0x1000; high++)
				add_encoding(isa, high << 20 | f3 << 12 | opcode, 4);
}

/* ---- one program ---- */

struct program {
	uint8_t *bytes;
	size_t n, room;
	size_t code, operands, results, scratch; /* offsets */
	unsigned width;                          /* of an integer register */
	unsigned cases;
};

static void emit(struct program *program, uint32_t enc, unsigned size)
{
	assert_true(program->n + 4 <= program->room);
	memcpy(program->bytes + program->n, &enc, size);
	program->n += size;
}

static uint32_t load_x(const struct program *program, unsigned rd, unsigned rs1, unsigned offset)
{
	return offset << 20 | rs1 << 15 | (program->width == 8 ? 3u : 2u) << 12 | rd << 7 | 0x03;
}

static uint32_t store_any(uint32_t opcode, unsigned f3, unsigned rs2, unsigned rs1, unsigned offset)
{
	return offset >> 5 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | (offset & 31) << 7 | opcode;
}

/* An address in two instructions. */
static void emit_address(struct program *program, unsigned rd, size_t offset)
{
	uint32_t address = (uint32_t)(BASE + offset);
	emit(program, ((address + 0x800) & 0xfffff000) | rd << 7 | 0x37, 4);
	emit(program, (address & 0xfff) << 20 | rd << 15 | rd << 7 | 0x13, 4);
}

static void emit_add(struct program *program, unsigned rd, unsigned n)
{
	emit(program, n << 20 | rd << 15 | rd << 7 | 0x13, 4);
}

enum { CASE_BYTES = 8 * (1 + 2 * X_COUNT + 2) }; /* sp, x, f, fcsr, and room */

/* May it stand in a program? Its operands are registers that are written down. */
static bool is_allowed(enum cairn_isa isa, uint32_t enc, unsigned size)
{
	struct cairn_operands operands;
	struct cairn_op op;
	cairn_isa_decode(isa, enc, size, &op);
	if (op.cls == CAIRN_CLASS_ILLEGAL || op.traits & (CAIRN_TRAIT_SYSCALL | CAIRN_TRAIT_BREAKPOINT |
	                                                  CAIRN_TRAIT_WAIT | CAIRN_TRAIT_INDIRECT))
		return false;
	if (op.traits & CAIRN_TRAIT_BRANCH && op.offset != 8)
		return false;
	if (cairn_isa_operands(isa, enc, size, &operands) < 0)
		return false;
	bool memory = op.traits & (CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE);
	for (unsigned i = 0; i < operands.n_src + operands.n_dst; i++) {
		const struct cairn_operand *o =
			i < operands.n_src ? &operands.src[i] : &operands.dst[i - operands.n_src];
		bool fits = o->num >= X_FIRST && o->num < X_FIRST + X_COUNT;
		if (o->cls == CAIRN_REG_INT && !fits && (o->num != 2 || !memory))
			return false;
		if (o->cls == CAIRN_REG_FP && !fits)
			return false;
		if (o->cls == CAIRN_REG_CSR && o->num > 3)
			return false;
	}
	return true;
}

/* A random encoding of the mnemonic; 0: none was found. */
static uint32_t random_encoding(enum cairn_isa isa, const struct mnemonic *of)
{
	for (unsigned tries = 0; tries < 20000; tries++) {
		uint32_t enc = of->bases[random_bits() % of->n_bases];
		const char *name, *extension;
		struct cairn_op op;
		if (of->size == 4) {
			uint32_t random = (uint32_t)random_bits();
			enc |= random & 0x000f8f80; /* rd and rs1, most often in range */
			enc = (enc & ~0x00040400u) | 0x00040400;
			cairn_isa_decode(isa, enc, 4, &op);
			if (op.traits & (CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE))
				enc = (enc & ~0xf8000u) | X_FIRST << 15;
			if (op.cls == CAIRN_CLASS_BRANCH)
				enc = (enc & ~0xfe000f80u) | 0x400;
			else if (op.traits & CAIRN_TRAIT_BRANCH)
				enc = (enc & 0xfff) | 0x00800000;
			if (op.cls == CAIRN_CLASS_CSR)
				enc = (enc & 0xfffff) | (uint32_t)(1 + random_bits() % 3) << 20;
		} else {
			cairn_isa_decode(isa, enc, 2, &op);
			bool stack = (enc & 3) == 2;
			if (op.traits & (CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE) && !stack && enc & 0x380)
				continue;
		}
		cairn_isa_mnemonic(isa, enc, of->size, &name, &extension);
		if (name && !strcmp(name, of->name) && is_allowed(isa, enc, of->size))
			return enc;
	}
	return 0;
}

static void put_le(uint8_t *to, uint64_t value, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

/* The headers of an executable of one segment. */
static void put_elf(struct program *program)
{
	bool wide = program->width == 8;
	uint8_t *p = program->bytes;
	unsigned word = program->width, head = wide ? 64 : 52;
	memcpy(p, "\177ELF", 4);
	p[4] = wide ? 2 : 1;
	p[5] = p[6] = 1;
	put_le(p + 16, 2, 2);
	put_le(p + 18, 243, 2);
	put_le(p + 20, 1, 4);
	put_le(p + 24, BASE + program->code, word);
	put_le(p + 24 + word, head, word);
	put_le(p + 24 + 3 * word, wide ? 5 : 1, 4); /* double floats, and C */
	put_le(p + 28 + 3 * word, head, 2);
	put_le(p + 30 + 3 * word, wide ? 56 : 32, 2);
	put_le(p + 32 + 3 * word, 1, 2);
	uint8_t *segment = p + head;
	put_le(segment, 1, 4);
	put_le(segment + (wide ? 4 : 24), 7, 4);
	uint8_t *sizes = segment + (wide ? 8 : 4);
	put_le(sizes, 0, word);
	put_le(sizes + word, BASE, word);
	put_le(sizes + 2 * word, BASE, word);
	put_le(sizes + 3 * word, program->room, word);
	put_le(sizes + 4 * word, program->room, word);
	put_le(segment + (wide ? 48 : 28), 0x1000, word);
}

static void put_operands(struct program *program, unsigned index, size_t middle)
{
	uint8_t *to = program->bytes + program->operands + index * CASE_BYTES;
	put_le(to, BASE + middle, 8);
	for (unsigned i = 0; i < X_COUNT; i++)
		put_le(to + 8 + 8 * i, i ? random_integer() : BASE + middle, 8);
	for (unsigned i = 0; i < X_COUNT; i++)
		put_le(to + 8 + 8 * X_COUNT + 8 * i, random_number(), 8);
	put_le(to + 8 + 16 * X_COUNT, random_bits() % 5 << 5 | (random_bits() & 0x1f), 8);
}

/* Operands into registers, the instruction, registers into results. */
static void put_case(struct program *program, uint32_t enc, unsigned size)
{
	emit(program, load_x(program, 7, OPERANDS, 8 + 16 * X_COUNT), 4);
	emit(program, 0x00339073, 4); /* csrw fcsr, t2 */
	emit(program, load_x(program, 2, OPERANDS, 0), 4);
	for (unsigned i = 0; i < X_COUNT; i++) {
		unsigned at = 8 + 8 * i;
		emit(program, load_x(program, X_FIRST + i, OPERANDS, at), 4);
		emit(program, (at + 8 * X_COUNT) << 20 | OPERANDS << 15 | 3 << 12 | (X_FIRST + i) << 7 | 7,
		     4);
	}
	emit(program, enc, size);
	if (size == 2)
		emit(program, 0x0001, 2);
	emit(program, 0x00178793, 4); /* addi x15, x15, 1: left out by branches of 8 */
	emit(program, 0x003023f3, 4); /* csrr t2, fcsr */
	emit(program, store_any(0x23, program->width == 8 ? 3 : 2, 7, RESULTS, 8 + 16 * X_COUNT), 4);
	emit(program, store_any(0x23, program->width == 8 ? 3 : 2, 2, RESULTS, 0), 4);
	for (unsigned i = 0; i < X_COUNT; i++) {
		unsigned at = 8 + 8 * i;
		emit(program, store_any(0x23, program->width == 8 ? 3 : 2, X_FIRST + i, RESULTS, at), 4);
		emit(program, store_any(0x27, 3, X_FIRST + i, RESULTS, at + 8 * X_COUNT), 4);
	}
	emit_add(program, OPERANDS, CASE_BYTES);
	emit_add(program, RESULTS, CASE_BYTES);
}

/* write(1, results, …), exit(0) */
static void put_end(struct program *program, size_t from, size_t n)
{
	emit(program, 0x00100513, 4);
	emit_address(program, 11, from);
	emit_address(program, 12, n - BASE);
	emit(program, 0x04000893, 4);
	emit(program, 0x00000073, 4);
	emit(program, 0x00000513, 4);
	emit(program, 0x05d00893, 4);
	emit(program, 0x00000073, 4);
}

/* A program of `cases` encodings of the mnemonic. False: none can be made. */
static bool make_program(struct program *program, enum cairn_isa isa, const struct mnemonic *of,
                         unsigned cases)
{
	size_t code = 256, longest = (size_t)cases * 200 + 256;
	*program = (struct program){.width = isa == CAIRN_ISA_RV64 ? 8 : 4, .cases = cases};
	program->code = code;
	program->operands = (code + longest + 15) & ~(size_t)15;
	program->results = program->operands + (size_t)cases * CASE_BYTES;
	program->scratch = program->results + (size_t)cases * CASE_BYTES;
	program->room = program->scratch + SCRATCH;
	program->bytes = calloc(1, program->room);
	assert_non_null(program->bytes);
	put_elf(program);
	program->n = code;
	emit_address(program, OPERANDS, program->operands);
	emit_address(program, RESULTS, program->results);
	for (size_t i = 0; i < SCRATCH; i += 8)
		put_le(program->bytes + program->scratch + i, random_bits(), 8);
	for (unsigned i = 0; i < cases; i++) {
		uint32_t enc = random_encoding(isa, of);
		if (!enc)
			return false;
		put_operands(program, i, program->scratch + SCRATCH / 2);
		put_case(program, enc, of->size);
	}
	put_end(program, program->results, program->room - program->results);
	return true;
}

/* ---- running it ---- */

/* What QEMU writes, in `out` of `n` bytes; false: it did not end well, as where it does not know the
 * instruction. */
static bool run_qemu(const struct program *program, enum cairn_isa isa, uint8_t *out, size_t n)
{
	char name[] = "/tmp/cairn-exec-XXXXXX";
	int file = mkstemp(name), ends[2], status;
	size_t got = 0;
	ssize_t more = 1;
	assert_true(file >= 0 && !pipe(ends));
	assert_int_equal(write(file, program->bytes, program->room), program->room);
	fchmod(file, 0700);
	close(file);
	pid_t child = fork();
	if (!child) {
		dup2(ends[1], 1);
		close(ends[0]);
		close(ends[1]);
		freopen("/dev/null", "w", stderr);
		const char *cpu = isa == CAIRN_ISA_RV64
		                      ? "rv64,zba=on,zbb=on,zbc=on,zbs=on,zbkb=on,zbkc=on,zbkx=on,Zfh=on"
		                      : "rv32,zba=on,zbb=on,zbc=on,zbs=on,zbkb=on,zbkc=on,zbkx=on,Zfh=on";
		const char *qemu = isa == CAIRN_ISA_RV64 ? "qemu-riscv64" : "qemu-riscv32";
		execlp(qemu, qemu, "-cpu", cpu, name, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	while (got < n && (more = read(ends[0], out + got, n - got)) > 0)
		got += (size_t)more;
	close(ends[0]);
	waitpid(child, &status, 0);
	unlink(name);
	return got == n && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool have_qemu(enum cairn_isa isa)
{
	const char *command = isa == CAIRN_ISA_RV64 ? "command -v qemu-riscv64 >/dev/null"
	                                            : "command -v qemu-riscv32 >/dev/null";
	return system(command) == 0;
}

/* Run it on the machine up to its first system call. False: not modelled. */
static bool run_machine(struct cairn_machine *machine, const struct program *program)
{
	uint64_t pc = BASE + program->code;
	for (size_t i = 0; i < program->room; i += 64) {
		size_t left = program->room - i;
		cairn_machine_write(machine, BASE + i, left < 64 ? (unsigned)left : 64, program->bytes + i,
		                    NULL);
	}
	for (;;) {
		uint32_t enc = 0;
		const uint8_t *at = program->bytes + (pc - BASE);
		unsigned size = (*at & 3) == 3 ? 4 : 2;
		memcpy(&enc, at, size);
		const struct cairn_step *step = cairn_machine_step(machine, pc, enc, size, NULL, 0);
		if (step->status == CAIRN_STEP_TRAP)
			return true;
		if (step->status != CAIRN_STEP_DONE)
			return false;
		assert_true(step->next_known == UINT64_MAX);
		pc = step->next;
	}
}

static uint64_t hash_of(const uint8_t *bytes, size_t n)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* Differences where QEMU is wrong. ctzw of a word that is 0 gives 32 (the unprivileged ISA manual, Zbb,
 * "ctzw"); QEMU 7.2 counts on in the upper word. */
static bool is_argued(const struct mnemonic *of, const uint8_t *ours, size_t at)
{
	return !strcmp(of->name, "ctzw") && ours[at & ~(size_t)7] == 32;
}

/* Compare what the machine knows with what QEMU wrote: how many bytes differ; the first is shown. */
static unsigned differing(const struct program *program, const struct mnemonic *of,
                          const uint8_t *theirs, const uint8_t *ours, const uint8_t *known,
                          size_t n)
{
	unsigned count = 0;
	for (size_t i = 0; i < n; i++) {
		if (!((theirs[i] ^ ours[i]) & known[i]) || is_argued(of, ours, i))
			continue;
		size_t block = i / CASE_BYTES, at = i % CASE_BYTES;
		if (!count++ && block < program->cases)
			printf("# %s: case %zu: byte %zu of %s is %02x, by QEMU %02x\n", of->name, block,
			       at % 8,
			       at < 8                  ? "x2"
			       : at < 8 + 8 * X_COUNT  ? "x8 …"
			       : at < 8 + 16 * X_COUNT ? "f8 …"
			                               : "fcsr",
			       ours[i], theirs[i]);
		else if (count == 1)
			printf("# %s: memory differs\n", of->name);
	}
	return count;
}

/* ---- hashes of QEMU's answers ---- */

static const char hashes_name[] = "tests/unit/fixtures/exec_riscv.hashes";

/* The hash kept for a mnemonic of a set; false: none. */
static bool kept_hash(const char *set, const char *name, uint64_t *hash)
{
	char path[4096], line[128], their_set[16], their_name[32];
	unsigned long long value;
	bool found = false;
	snprintf(path, sizeof path, "%s/%s", getenv("CAIRN_SOURCE"), hashes_name);
	FILE *file = fopen(path, "r");
	while (file && !found && fgets(line, sizeof line, file))
		if (sscanf(line, "%15s %31s %llx", their_set, their_name, &value) == 3 &&
		    !strcmp(their_set, set) && !strcmp(their_name, name)) {
			*hash = value;
			found = true;
		}
	if (file)
		fclose(file);
	return found;
}

struct tally {
	unsigned mnemonics, cases, unlike, unhashed;
	uint64_t bytes, unknown;
	FILE *hashes;
};

/* One mnemonic: by QEMU where it is there, else by the hash of what it said. */
static void try_mnemonic(struct tally *tally, enum cairn_isa isa, const struct mnemonic *of,
                         unsigned cases, bool qemu)
{
	struct program program;
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_machine *machine;
	const char *set = cairn_isa_name(isa);
	/* Each mnemonic has random numbers of its own: a new one changes no other's hash. */
	const char *seed = getenv("CAIRN_SEED");
	random_state = hash_of((const uint8_t *)of->name, strlen(of->name)) ^ of->size ^
	               (seed ? strtoull(seed, NULL, 10) << 20 : 0);
	const struct cairn_machine_opts opts = {.size = sizeof opts};
	assert_int_equal(cairn_machine_new(cairn, isa, &opts, &machine), 0);
	if (make_program(&program, isa, of, cases)) {
		size_t n = program.room - program.results;
		uint8_t *ours = calloc(1, n), *known = calloc(1, n), *theirs = calloc(1, n);
		bool modelled = run_machine(machine, &program);
		bool ran = qemu && run_qemu(&program, isa, theirs, n);
		for (size_t i = 0; i < n; i += 8)
			cairn_machine_read(machine, BASE + program.results + i, 8, ours + i, known + i);
		uint64_t unknown = 0, hash = 0;
		for (size_t i = 0; i < n; i++)
			unknown += known[i] != 0xff;
		if (modelled && ran) {
			unsigned count = differing(&program, of, theirs, ours, known, n);
			tally->unlike += count != 0;
			tally->mnemonics++;
			tally->cases += cases;
			tally->bytes += n;
			tally->unknown += unknown;
			if (tally->hashes && !unknown && !count)
				fprintf(tally->hashes, "%s %s %016llx\n", set, of->name,
				        (unsigned long long)hash_of(ours, n));
		} else if (modelled && !qemu && kept_hash(set, of->name, &hash)) {
			tally->mnemonics++;
			tally->cases += cases;
			if (hash != hash_of(ours, n)) {
				printf("# %s %s: the machine's answers changed\n", set, of->name);
				tally->unlike++;
			}
		} else {
			printf("# %s %s: %s\n", set, of->name,
			       modelled ? "QEMU does not know it" : "not modelled");
			tally->unhashed++;
		}
		free(ours);
		free(known);
		free(theirs);
	}
	free(program.bytes);
	cairn_machine_free(machine);
	cairn_free(cairn);
}

enum { CASES = 48 }; /* of the hashes */

static void try_set(enum cairn_isa isa, const char *update)
{
	bool qemu = have_qemu(isa) && !getenv("CAIRN_NO_QEMU");
	const char *wanted = getenv("CAIRN_LONG");
	unsigned cases = wanted && qemu ? (unsigned)strtoul(wanted, NULL, 10) : CASES;
	struct tally tally = {0};
	if (update)
		tally.hashes = fopen(update, isa == CAIRN_ISA_RV64 ? "w" : "a");
	collect(isa);
	for (size_t i = 0; i < n_names; i++)
		try_mnemonic(&tally, isa, &names[i], cases, qemu);
	if (tally.hashes)
		fclose(tally.hashes);
	printf("# %s: %u mnemonics, %u cases, %llu of %llu bytes unknown, %u not tried\n",
	       cairn_isa_name(isa), tally.mnemonics, tally.cases, (unsigned long long)tally.unknown,
	       (unsigned long long)tally.bytes, tally.unhashed);
	assert_true(tally.mnemonics > 100);
	assert_int_equal(tally.unlike, 0);
}

static void rv64_instructions_do_what_qemu_says(void **state)
{
	char path[4096];
	(void)state;
	snprintf(path, sizeof path, "%s/%s", getenv("CAIRN_SOURCE"), hashes_name);
	try_set(CAIRN_ISA_RV64, getenv("UPDATE") ? path : NULL);
}

static void rv32_instructions_do_what_qemu_says(void **state)
{
	char path[4096];
	(void)state;
	snprintf(path, sizeof path, "%s/%s", getenv("CAIRN_SOURCE"), hashes_name);
	try_set(CAIRN_ISA_RV32, getenv("UPDATE") ? path : NULL);
}

/* ---- what is not known ---- */

enum { WORDS = 32 + 32 + 2, COMPLETIONS = 6 };

/* A register by a running number. */
static enum cairn_reg_class word_register(unsigned word, unsigned *num)
{
	*num = word < 32 ? word : word < 64 ? word - 32 : word - 63;
	return word < 32 ? CAIRN_REG_INT : word < 64 ? CAIRN_REG_FP : CAIRN_REG_CSR;
}

struct picture {
	uint8_t bytes[WORDS][8], known[WORDS][8];
	uint8_t memory[SCRATCH], memory_known[SCRATCH];
	uint64_t next, next_known;
	unsigned status;
};

static void put_picture(struct cairn_machine *machine, const struct picture *from)
{
	unsigned num;
	for (unsigned i = 0; i < WORDS; i++) {
		enum cairn_reg_class cls = word_register(i, &num);
		cairn_machine_set(machine, cls, num, 8, from->bytes[i], from->known[i]);
	}
	for (unsigned i = 0; i < SCRATCH; i += 64)
		cairn_machine_write(machine, BASE + i, 64, from->memory + i, from->memory_known + i);
}

static void take_picture(struct cairn_machine *machine, const struct cairn_step *step,
                         struct picture *to)
{
	unsigned num;
	for (unsigned i = 0; i < WORDS; i++) {
		enum cairn_reg_class cls = word_register(i, &num);
		cairn_machine_get(machine, cls, num, 8, to->bytes[i], to->known[i]);
	}
	for (unsigned i = 0; i < SCRATCH; i += 64)
		cairn_machine_read(machine, BASE + i, 64, to->memory + i, to->memory_known + i);
	to->next = step->next;
	to->next_known = step->next_known;
	to->status = step->status;
}

/* Of these bytes all bits are known, none, or random ones. */
static void random_known(uint8_t *bytes, uint8_t *known, size_t n, const uint8_t *from)
{
	uint64_t how = random_bits() % 8;
	for (size_t i = 0; i < n; i++) {
		known[i] = how < 4 ? 0xff : how == 4 ? 0 : (uint8_t)(random_bits() | random_bits());
		bytes[i] = from[i] & known[i];
	}
}

static void random_picture(struct picture *picture)
{
	for (unsigned i = 0; i < WORDS; i++) {
		uint64_t value = i < 32 ? random_integer() : i < 64 ? random_number() : random_bits();
		if (i == 2 || i == X_FIRST)
			value = BASE + SCRATCH / 2;
		uint8_t bytes[8];
		put_le(bytes, i == 64 ? value & 0x1f : i == 65 ? value % 5 : value, 8);
		random_known(picture->bytes[i], picture->known[i], 8, bytes);
		if (i >= 64)
			memset(picture->known[i] + 1, 0xff, 7);
	}
	memset(picture->bytes[0], 0, 8);
	memset(picture->known[0], 0xff, 8);
	for (unsigned i = 0; i < SCRATCH; i += 8) {
		uint8_t bytes[8];
		put_le(bytes, random_bits(), 8);
		random_known(picture->memory + i, picture->memory_known + i, 8, bytes);
	}
}

/* The same with every bit known: those that were not are chosen. */
static void complete(const struct picture *from, struct picture *to)
{
	*to = *from;
	for (unsigned i = 0; i < WORDS; i++)
		for (unsigned k = 0; k < 8; k++) {
			to->bytes[i][k] |= (uint8_t)(random_bits() & ~from->known[i][k]);
			to->known[i][k] = 0xff;
		}
	to->bytes[65][0] &= 7; /* reserved rounding modes, too */
	for (unsigned i = 0; i < SCRATCH; i++) {
		to->memory[i] |= (uint8_t)(random_bits() & ~from->memory_known[i]);
		to->memory_known[i] = 0xff;
	}
}

static unsigned contradictions(const uint8_t *value, const uint8_t *known, const uint8_t *other,
                               const uint8_t *other_known, size_t n)
{
	unsigned count = 0;
	for (size_t i = 0; i < n; i++)
		count += ((value[i] ^ other[i]) & known[i] & other_known[i]) != 0;
	return count;
}

/* What is said to be known holds for every choice of what was not. */
static unsigned try_completions(struct cairn *cairn, enum cairn_isa isa, const struct mnemonic *of,
                                unsigned rounds)
{
	static struct picture start, said, whole, end;
	struct cairn_machine *machine;
	unsigned wrong = 0;
	for (unsigned round = 0; round < rounds && !wrong; round++) {
		uint32_t enc = random_encoding(isa, of);
		if (!enc)
			break;
		random_picture(&start);
		assert_int_equal(cairn_machine_new(cairn, isa, NULL, &machine), 0);
		put_picture(machine, &start);
		take_picture(machine, cairn_machine_step(machine, BASE, enc, of->size, NULL, 0), &said);
		for (unsigned k = 0; k < COMPLETIONS && said.status == CAIRN_STEP_DONE; k++) {
			complete(&start, &whole);
			put_picture(machine, &whole);
			const struct cairn_step *step =
				cairn_machine_step(machine, BASE, enc, of->size, NULL, 0);
			take_picture(machine, step, &end);
			if (end.status != CAIRN_STEP_DONE)
				continue; /* a rounding mode that is reserved */
			for (unsigned i = 0; i < WORDS; i++)
				wrong +=
					contradictions(said.bytes[i], said.known[i], end.bytes[i], end.known[i], 8);
			wrong += contradictions(said.memory, said.memory_known, end.memory, end.memory_known,
			                        SCRATCH);
			wrong += ((said.next ^ end.next) & said.next_known & end.next_known) != 0;
		}
		cairn_machine_free(machine);
		if (wrong)
			printf("# %s %s: %08x: %u bytes are said to be known and are not\n",
			       cairn_isa_name(isa), of->name, enc, wrong);
	}
	return wrong;
}

static void what_is_not_known_is_never_guessed(void **state)
{
	static const enum cairn_isa sets[] = {CAIRN_ISA_RV64, CAIRN_ISA_RV32};
	const char *wanted = getenv("CAIRN_LONG"), *seed = getenv("CAIRN_SEED");
	unsigned rounds = wanted ? (unsigned)strtoul(wanted, NULL, 10) : 40, wrong = 0;
	struct cairn *cairn = cairn_new(NULL);
	(void)state;
	random_state = 0x2545f4914f6cdd1d ^ (seed ? strtoull(seed, NULL, 10) << 20 : 0);
	for (size_t s = 0; s < 2; s++) {
		collect(sets[s]);
		for (size_t i = 0; i < n_names; i++)
			wrong += try_completions(cairn, sets[s], &names[i], rounds);
	}
	cairn_free(cairn);
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rv64_instructions_do_what_qemu_says),
		cmocka_unit_test(rv32_instructions_do_what_qemu_says),
		cmocka_unit_test(what_is_not_known_is_never_guessed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
