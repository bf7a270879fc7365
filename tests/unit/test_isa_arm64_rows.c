/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of A64 that a program makes: this one, from what LLVM's disassembler says.
 *
 * Each test makes a file of src/isa anew and compares it with the one that is there; with
 * UPDATE=1 in the environment it writes it instead. docs/isa.md says when.
 *
 * How rows are found: LLVM's words give an encoding its kind (fixtures/arm64_words.h). Bits 31
 * to 10 are its place; at each place the low ten bits make a pattern of kinds. A few of their
 * values find out which (`order_lows`); CAIRN_LONG asks for all 1024 at every place, which takes
 * many minutes. A part is a cube (some bits given, the others
 * free) of one kind in a pattern, as large as can be. Then for each part, largest first, places
 * where it holds are joined to cubes, each the one of many that takes in most of what was left.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/arm64_words.h"
#include "fixtures/llvm.h"
#include "isa/arm64.h"
#include "isa/arm64_rows.h"

enum { LOW_BITS = 10, LOWS = 1 << LOW_BITS, HIGH_BITS = 22, HIGHS = 1 << HIGH_BITS };
enum { MOST_PATTERNS = 1024, MOST_PARTS = 4096, MOST_ROWS = 4096 };

/* ---- kinds of encodings ---- */

enum { NONE = ISA_ARM64_N_KINDS };

#define NAME(name, cls, traits) #name,
#define MEANING(name, cls, traits) {CAIRN_CLASS_##cls, traits},
#define TRAIT(x) CAIRN_TRAIT_##x
static const char *const kind_names[] = {ISA_ARM64_KINDS(NAME, TRAIT)};
static const struct {
	uint8_t cls;
	uint32_t traits;
} kinds[] = {ISA_ARM64_KINDS(MEANING, TRAIT)};

/* What the decoder sees to itself does not concern the rows: which logical immediates are valid
 * (this takes a valid one), and that orr of equal registers is a mov (this makes them differ). */
static uint32_t for_rows(uint32_t enc)
{
	if ((enc & 0xff3c0000) == 0x05000000)
		return enc & 0xfffc001f;
	if ((enc & 0xbfe0fc00) == 0x0ea01c00 && (enc >> 16 & 31) == (enc >> 5 & 31))
		return enc ^ 1 << 5;
	return enc;
}

static uint8_t kind_of(uint32_t enc)
{
	const char *operands = "";
	const char *word = llvm_witness_text(llvm_a64, for_rows(enc), &operands);
	uint8_t cls;
	uint32_t traits;
	if (!word || !strcmp(word, "udf") || !arm64_vector_words(enc, word, operands, &cls, &traits))
		return NONE;
	for (uint8_t kind = 0; kind < NONE; kind++)
		if (kinds[kind].cls == cls && kinds[kind].traits == traits)
			return kind;
	fail_msg("%08x %s %s is of no kind: ISA_ARM64_KINDS needs one", enc, word, operands);
	return NONE;
}

/* ---- cubes ---- */

/* Bits of `mask` are as in `match`. */
struct cube {
	uint32_t mask, match;
};

/* How many of its points are in the set; `take` removes them. */
static unsigned points_in(struct cube cube, unsigned bits, uint8_t *set, bool take)
{
	uint32_t free = ~cube.mask & ((1u << bits) - 1), part = 0;
	unsigned n = 0;
	do {
		n += set[cube.match | part];
		if (take)
			set[cube.match | part] = 0;
		part = (part - free) & free;
	} while (part);
	return n;
}

static bool inside(struct cube cube, unsigned bits, const uint8_t *set)
{
	uint32_t free = ~cube.mask & ((1u << bits) - 1), part = 0;
	do {
		if (!set[cube.match | part])
			return false;
		part = (part - free) & free;
	} while (part);
	return true;
}

/* The largest cube around a point that lies in the set, bits being freed in this order. */
static struct cube grow(uint32_t point, unsigned bits, const uint8_t *set, unsigned order)
{
	struct cube cube = {(1u << bits) - 1, point};
	for (unsigned i = 0; i < bits; i++) {
		unsigned turned = (i + order) % bits;
		uint32_t bit = 1u << (order < bits ? turned : bits - 1 - turned);
		struct cube half = {cube.mask, cube.match ^ bit};
		if (inside(half, bits, set)) {
			cube.mask &= ~bit;
			cube.match &= cube.mask;
		}
	}
	return cube;
}

/* ---- patterns of the low bits, and their parts ---- */

struct part {
	struct cube low;
	uint8_t kind;
};

static struct mine {
	uint8_t patterns[MOST_PATTERNS][LOWS];
	unsigned n_patterns;
	uint16_t pattern[HIGHS]; /* of each place */
	uint32_t places[HIGHS];  /* those that something is at */
	unsigned n_places;
	struct part parts[MOST_PARTS];
	unsigned n_parts;
	uint8_t holds[HIGHS], left[HIGHS];
	struct isa_arm64_row rows[MOST_ROWS];
	unsigned n_rows;
	bool ask_all;
} * mine;

static void add_part(struct part part)
{
	for (unsigned i = 0; i < mine->n_parts; i++)
		if (!memcmp(&mine->parts[i], &part, sizeof part))
			return;
	assert_true(mine->n_parts < MOST_PARTS);
	mine->parts[mine->n_parts++] = part;
}

static void add_parts(const uint8_t *pattern)
{
	uint8_t set[LOWS], left[LOWS];
	for (uint32_t low = 0; low < LOWS; low++)
		left[low] = pattern[low] != NONE;
	for (uint32_t low = 0; low < LOWS; low++)
		if (left[low]) {
			struct part part = {.kind = pattern[low]};
			for (uint32_t i = 0; i < LOWS; i++)
				set[i] = pattern[i] == part.kind;
			part.low = grow(low, LOW_BITS, set, 0);
			points_in(part.low, LOW_BITS, left, true);
			add_part(part);
		}
}

/* The values of the low bits in the order they are asked for: first those that find out whether
 * a place has one kind, then those that tell its pattern from others. */
static uint16_t lows[LOWS];
static unsigned n_probes, n_telling;

static void order_lows(void)
{
	unsigned n = 0;
	for (int round = 0; round < 3; round++) {
		for (unsigned low = 0; low < LOWS; low++) {
			int bits = __builtin_popcount(low);
			bool probe = bits <= 1 || bits >= LOW_BITS - 1 || low == 31 || low == 31 << 5;
			bool telling = low < 128 || (low & 127) == 0 || (low & 127) == 127;
			if ((probe ? 0 : telling ? 1 : 2) == round)
				lows[n++] = (uint16_t)low;
		}
		if (round < 2)
			*(round ? &n_telling : &n_probes) = n;
	}
}

static void ask(uint32_t place, unsigned from, unsigned end, uint8_t *pattern)
{
	for (unsigned i = from; i < end; i++)
		pattern[lows[i]] = kind_of(place << LOW_BITS | lows[i]);
}

/* The first pattern that is the same in the first `n` of `lows`, or how many there are. */
static unsigned find_pattern(const uint8_t *pattern, unsigned n)
{
	for (unsigned found = 0; found < mine->n_patterns; found++) {
		unsigned same = 0;
		while (same < n && mine->patterns[found][lows[same]] == pattern[lows[same]])
			same++;
		if (same == n)
			return found;
	}
	return mine->n_patterns;
}

static unsigned pattern_at(uint32_t place)
{
	uint8_t pattern[LOWS];
	bool one = !mine->ask_all;
	ask(place, 0, n_probes, pattern);
	for (unsigned i = 1; i < n_probes; i++)
		one &= pattern[lows[i]] == pattern[lows[0]];
	if (one) {
		memset(pattern, pattern[lows[0]], LOWS);
	} else {
		ask(place, n_probes, n_telling, pattern);
		unsigned known = find_pattern(pattern, n_telling);
		if (known < mine->n_patterns && !mine->ask_all)
			return known;
		ask(place, n_telling, LOWS, pattern);
	}
	unsigned found = find_pattern(pattern, LOWS);
	if (found == mine->n_patterns) {
		assert_true(found < MOST_PATTERNS);
		memcpy(mine->patterns[mine->n_patterns++], pattern, LOWS);
		add_parts(pattern);
	}
	return found;
}

/* ---- rows ---- */

static bool holds(const struct part *part, unsigned pattern)
{
	uint32_t free = ~part->low.mask & (LOWS - 1), low = 0;
	do {
		if (mine->patterns[pattern][part->low.match | low] != part->kind)
			return false;
		low = (low - free) & free;
	} while (low);
	return true;
}

static bool has_row(const struct part *part, uint32_t place)
{
	uint32_t match = place << LOW_BITS | part->low.match;
	for (unsigned i = 0; i < mine->n_rows; i++) {
		const struct isa_arm64_row *row = &mine->rows[i];
		bool wider = !(row->mask & (LOWS - 1) & ~part->low.mask);
		if (wider && (match & row->mask) == row->match && row->kind == part->kind)
			return true;
	}
	return false;
}

/* The cube around a place that takes in most of what is left. */
static struct cube best_cube(uint32_t place)
{
	struct cube best = {0};
	unsigned most = 0;
	for (unsigned order = 0; order < 2 * HIGH_BITS; order++) {
		struct cube cube = grow(place, HIGH_BITS, mine->holds, order);
		unsigned n = points_in(cube, HIGH_BITS, mine->left, false);
		if (n > most) {
			most = n;
			best = cube;
		}
	}
	return best;
}

static void add_rows(const struct part *part)
{
	bool here[MOST_PATTERNS];
	for (unsigned i = 0; i < mine->n_patterns; i++)
		here[i] = holds(part, i);
	for (unsigned i = 0; i < mine->n_places; i++) {
		uint32_t place = mine->places[i];
		mine->holds[place] = here[mine->pattern[place]];
		mine->left[place] = mine->holds[place] && !has_row(part, place);
	}
	for (unsigned i = 0; i < mine->n_places; i++)
		if (mine->left[mine->places[i]]) {
			struct cube cube = best_cube(mine->places[i]);
			points_in(cube, HIGH_BITS, mine->left, true);
			assert_true(mine->n_rows < MOST_ROWS);
			mine->rows[mine->n_rows++] = (struct isa_arm64_row){
				.mask = cube.mask << LOW_BITS | part->low.mask,
				.match = cube.match << LOW_BITS | part->low.match,
				.kind = part->kind,
			};
		}
}

static int by_size(const void *left, const void *right)
{
	const struct part *a = left, *b = right;
	int size = __builtin_popcount(a->low.mask) - __builtin_popcount(b->low.mask);
	if (size)
		return size;
	if (a->low.mask != b->low.mask)
		return a->low.mask < b->low.mask ? -1 : 1;
	return a->low.match != b->low.match ? (a->low.match < b->low.match ? -1 : 1)
	                                    : a->kind - b->kind;
}

static int by_match(const void *left, const void *right)
{
	const struct isa_arm64_row *a = left, *b = right;
	if (a->match != b->match)
		return a->match < b->match ? -1 : 1;
	return a->mask < b->mask ? -1 : a->mask > b->mask;
}

static void find_rows(bool (*concerned)(uint32_t group, bool top))
{
	mine = calloc(1, sizeof *mine);
	assert_non_null(mine);
	mine->ask_all = getenv("CAIRN_LONG") != NULL;
	for (uint32_t place = 0; place < HIGHS; place++)
		if (concerned(place >> 15 & 15, place >> 21)) {
			mine->pattern[place] = (uint16_t)pattern_at(place);
			mine->places[mine->n_places++] = place;
		}
	qsort(mine->parts, mine->n_parts, sizeof *mine->parts, by_size);
	for (unsigned i = 0; i < mine->n_parts; i++)
		add_rows(&mine->parts[i]);
	qsort(mine->rows, mine->n_rows, sizeof *mine->rows, by_match);
}

/* ---- the files ---- */

/* Up to six mnemonics of what a row holds. */
static void put_names(FILE *out, const struct isa_arm64_row *row)
{
	char names[6][24];
	unsigned n = 0;
	uint64_t seed = UINT64_C(0x9e3779b97f4a7c15);
	for (unsigned tries = 0; tries < 200 && n < 6; tries++) {
		uint32_t enc = row->match | ((uint32_t)random64(&seed) & ~row->mask);
		const char *operands;
		const char *word = llvm_witness_text(llvm_a64, for_rows(enc), &operands);
		unsigned same = 0;
		while (word && same < n && strcmp(names[same], word) != 0)
			same++;
		if (word && same == n)
			(void)snprintf(names[n++], sizeof names[0], "%s", word);
	}
	(void)fputs(" /*", out);
	for (unsigned i = 0; i < n; i++)
		(void)fprintf(out, " %s", names[i]);
	(void)fputs(n == 6 ? " … */\n" : " */\n", out);
}

static void put_rows(FILE *out, const char *name, bool (*concerned)(uint32_t group, bool top))
{
	find_rows(concerned);
	(void)fprintf(out, "\nstatic const struct isa_arm64_row %s_rows[] = {\n", name);
	for (unsigned i = 0; i < mine->n_rows; i++) {
		const struct isa_arm64_row *row = &mine->rows[i];
		(void)fprintf(out, "\t{0x%08x, 0x%08x, %s},%*s", row->mask, row->match,
		              kind_names[row->kind], 5 - (int)strlen(kind_names[row->kind]), "");
		put_names(out, row);
	}
	(void)fprintf(out,
	              "};\nconst struct isa_arm64_rows isa_arm64_%s_rows = {%s_rows, sizeof %s_rows / "
	              "sizeof *%s_rows};\n",
	              name, name, name, name);
	free(mine);
}

static bool is_sve(uint32_t group, bool top)
{
	(void)top;
	return group == 2;
}

static bool is_sme(uint32_t group, bool top)
{
	return group == 0 && top;
}

static bool is_simd(uint32_t group, bool top)
{
	(void)top;
	return (group & 7) == 7;
}

static void put_head(FILE *out, const char *what)
{
	(void)fprintf(
		out,
		"/* SPDX-License-Identifier: Apache-2.0 */\n"
		"/*\n * A64: %s\n *\n"
		" * Made by tests/unit/test_isa_arm64_rows.c of what LLVM %d says; change nothing here.\n"
		" */\n",
		what, LLVM_WITNESS_VERSION);
}

/* Compare with the file of src/isa, or write it. */
static void expect_file(const char *name, const char *text)
{
	const char *update = getenv("UPDATE");
	char path[4096], *was = NULL;
	size_t room = 0;
	(void)snprintf(path, sizeof path, "%s/src/isa/%s", getenv("CAIRN_SOURCE"), name);
	FILE *file = fopen(path, update && *update ? "w+" : "r");
	assert_non_null(file);
	if (update && *update)
		assert_true(fputs(text, file) >= 0);
	rewind(file);
	for (unsigned line = 1; *text; line++) {
		size_t n = strcspn(text, "\n") + 1;
		ssize_t got = getline(&was, &room, file);
		if (got != (ssize_t)n || memcmp(was, text, n) != 0)
			fail_msg("%s:%u should be '%.*s'; UPDATE=1 rewrites the file", name, line, (int)n - 1,
			         text);
		text += n;
	}
	assert_int_equal(getline(&was, &room, file), -1);
	free(was);
	assert_int_equal(fclose(file), 0);
}

static void rows_are_what_the_disassembler_gives(void **state)
{
	(void)state;
	char *text;
	size_t size;
	if (!llvm_a64 || !getenv("CAIRN_SOURCE"))
		skip();
	order_lows();
	FILE *out = open_memstream(&text, &size);
	assert_non_null(out);
	put_head(out, "encodings of vectors and floating point that do not access memory.");
	(void)fputs("#include \"isa/arm64_rows.h\"\n\n/* clang-format off */\n", out);
	put_rows(out, "sve", is_sve);
	put_rows(out, "sme", is_sme);
	put_rows(out, "simd", is_simd);
	assert_int_equal(fclose(out), 0);
	expect_file("arm64_rows.c", text);
	free(text);
}

/* What LLVM calls the register that mrs, or else msr, has in bits 20 to 5. */
static bool system_register(unsigned num, char *name)
{
	for (uint32_t read = 2; read-- > 0;) {
		const char *operands;
		const char *word =
			llvm_witness_text(llvm_a64, 0xd5000000 | read << 21 | num << 5, &operands);
		char first[40], second[40];
		if (!word || sscanf(operands, "%39[^,], %39s", first, second) != 2)
			continue;
		const char *found = read ? second : first;
		size_t i = 0;
		for (; found[i]; i++)
			name[i] = (char)tolower((unsigned char)found[i]);
		name[i] = 0;
		if (name[0] != 's' || !isdigit((unsigned char)name[1]) || name[2] != '_')
			return true;
	}
	return false;
}

static void system_registers_are_what_the_disassembler_names(void **state)
{
	(void)state;
	char *text, name[40];
	size_t size;
	int column = 0;
	if (!llvm_a64 || !getenv("CAIRN_SOURCE"))
		skip();
	FILE *out = open_memstream(&text, &size);
	assert_non_null(out);
	put_head(out, "the system registers that have a name, in order of op0:op1:CRn:CRm:op2.\n *\n"
	              " * A register that reads as one thing and is written as another has the name of "
	              "what is\n * read. Some share a name's place with another architecture profile: "
	              "then it is the A\n * profile's.");
	(void)fputs("#include \"isa/arm64.h\"\n\n/* clang-format off */\n"
	            "static const struct isa_arm64_sysreg rows[] = {",
	            out);
	for (unsigned num = 0x8000; num < 0x10000; num++)
		if (system_register(num, name)) {
			int n = 14 + (int)strlen(name);
			bool fits = column && column + n <= 92;
			(void)fprintf(out, "%s{0x%04x, \"%s\"},", fits ? " " : "\n\t", num, name);
			column = fits ? column + n : n;
		}
	(void)fputs("\n};\n/* clang-format on */\n\n"
	            "const struct isa_arm64_sysregs isa_arm64_sysregs = {rows, sizeof rows / sizeof "
	            "*rows};\n",
	            out);
	assert_int_equal(fclose(out), 0);
	expect_file("arm64_sysregs.c", text);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_what_the_disassembler_gives),
		cmocka_unit_test(system_registers_are_what_the_disassembler_names),
	};
	return cmocka_run_group_tests_name("isa_arm64_rows", tests, llvm_open_a64, llvm_close_a64);
}
