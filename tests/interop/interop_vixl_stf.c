/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logs of the simulator to STF and back, line by line and value by value. Beside what came back
 * lies the log as cairn writes it without the way through STF. They are the same, instruction by
 * instruction, once both are without what the ledgers of the two conversions name; each word of
 * the ledger excuses only lines of its own kind, in instructions that have such. The log itself
 * comes back byte for byte where nothing is named, and lossless refuses where something is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cairn/cairn.h"
#include "formats/vixl/line/line.h"
#include "given.h"

enum { LINE = 4096, COMPLAINTS = 5, CHANGED = 2 };

static struct cairn *c;
static char dir[64];
static unsigned logs, wrong, exact;
static unsigned long compared;

/* ---- what ledgers name ---- */

enum word {
	W_NO_PC = 1,
	W_VZ = 2,
	W_WX = 4,
	W_PARTS = 8,
	W_ELEMENTS = 16,
	W_EVENTS = 32,
	W_STRAYS = 64,
	W_LONE = 128,
	W_NOWHERE = 256,
	W_UNVALUED = 512,
	W_SIZES = 1024,
	W_OPERANDS = 2048,
	W_HIDDEN = 4096,
	W_DRAWN = 8192
};
static const struct {
	unsigned word;
	const char *what;
} words[] = {
	{W_NO_PC, "instructions without a PC"},
	{W_NO_PC, "registers and accesses of instructions that were left out"},
	{W_VZ, "whether vector registers were recorded as V or Z"},
	{W_WX, "whether registers were told as W or X, D or V, where no encoding tells it"},
	{W_PARTS, "parts of registers, for STF records whole ones"},
	{W_ELEMENTS, "which register or lane an access is of, where the instruction does not tell it"},
	{W_EVENTS, "events that the target has no record for; view -a shows them"},
	{W_STRAYS, "that instructions which are not branches branched"},
	{W_LONE, "branches without their instruction"},
	{W_NOWHERE, "accesses without an address"},
	{W_UNVALUED, "registers without a value"},
	{W_UNVALUED, "registers whose value is not known"},
	{W_SIZES, "sizes of accesses whose value is not known"},
	{W_OPERANDS, "operands that are not stored"},
	{W_HIDDEN, "values that the simulator does not show"},
	{W_HIDDEN, "accesses that the simulator does not show"},
	{W_DRAWN,
     "how lines are drawn: colours, blanks, line ends, names of registers, what is printed wrongly"},
	/* of which no line tells */
	{0, "gaps"},
	{0, "comments"},
	{0, "outcomes of branches that are not known"},
};

static unsigned named(const char *path, const struct cairn_ledger *lost)
{
	unsigned all = 0;
	for (size_t i = 0; lost && i < lost->n; i++) {
		size_t k = 0;
		while (k < sizeof words / sizeof *words && strcmp(words[k].what, lost->losses[i].what))
			k++;
		if (k == sizeof words / sizeof *words) {
			print_error("%s: the test knows no lines of \"%s\"\n", path, lost->losses[i].what);
			wrong++;
		} else {
			all |= words[k].word;
		}
	}
	return all;
}

/* ---- logs as instructions with lines ---- */

struct slot {
	char *insn; /* its line, NULL: before the first */
	char **lines;
	size_t n;
};
struct log {
	struct slot *slots;
	size_t n;
};

static void *grown(void *p, size_t n, size_t size)
{
	if (n & (n - 1))
		return p;
	p = realloc(p, (n ? 2 * n : 1) * size);
	assert_non_null(p);
	return p;
}

static struct slot *slot_new(struct log *log, char *insn)
{
	log->slots = grown(log->slots, log->n, sizeof *log->slots);
	log->slots[log->n] = (struct slot){.insn = insn};
	return &log->slots[log->n++];
}

static void slot_add(struct slot *slot, const char *line)
{
	slot->lines = grown(slot->lines, slot->n, sizeof *slot->lines);
	slot->lines[slot->n++] = strdup(line);
}

/* Comments that cairn writes into a trace are its own. */
static bool is_own_comment(const char *line)
{
	return strncmp(line, "; cairn: comment: cairn ", 24) == 0;
}

/* What was told before an instruction that is left out is left out with it. */
static void slot_forget_state(struct slot *slot)
{
	size_t n = 0;
	for (size_t i = 0; i < slot->n; i++)
		if (slot->lines[i][0] == '#')
			free(slot->lines[i]);
		else
			slot->lines[n++] = slot->lines[i];
	slot->n = n;
}

/* `without_pc`: but for instructions that have none. */
static struct log log_read(const char *path, bool without_pc)
{
	static char line[LINE], plain[LINE];
	struct log log = {0};
	struct slot *slot = slot_new(&log, NULL);
	bool skip = false, left_out = false;
	uint8_t coloured;
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof line, file)) {
		size_t n = strcspn(line, "\r\n");
		line[n] = 0;
		if (n && n < VIXL_STATE_MAX && strchr(line, '\033')) {
			plain[vixl_bleach(line, n, plain, &coloured)] = 0;
			memcpy(line, plain, sizeof line);
		}
		if (vixl_is_insn(line, strlen(line))) {
			skip = without_pc && line[2] == '~';
			left_out |= skip && log.n == 1;
			slot = skip ? slot : slot_new(&log, strdup(line));
		} else if (!skip && n && !is_own_comment(line)) {
			slot_add(slot, line);
		}
	}
	fclose(file);
	if (left_out)
		slot_forget_state(&log.slots[0]);
	return log;
}

static void log_free(struct log *log)
{
	for (size_t i = 0; i < log->n; i++) {
		for (size_t k = 0; k < log->slots[i].n; k++)
			free(log->slots[i].lines[k]);
		free(log->slots[i].lines);
		free(log->slots[i].insn);
	}
	free(log->slots);
}

/* ---- without what is named ---- */

/* What of an instruction's lines a word of the ledger is about. */
struct facts {
	unsigned words;
	bool pieces;   /* pieces of Z and P registers beyond the first */
	bool accesses; /* which register or lane they are of is not kept, nor how they are divided */
	bool bare;     /* accesses without a value are not kept with their register */
	bool operands; /* of which registers vectors are stored, is not shown */
	bool widths;   /* W and D come back as X and V */
	bool insn, branches;
};

static struct facts facts_of(const struct slot *slot, const struct slot *other, unsigned all)
{
	struct facts facts = {.words = all, .insn = slot->insn != NULL};
	struct cairn_op op = {0};
	struct vixl_plain plain;
	struct vixl_line line;
	bool vectors = false, masked = false;
	if (slot->insn)
		cairn_isa_decode(CAIRN_ISA_A64, (uint32_t)strtoul(slot->insn + 20, NULL, 16), 4, &op);
	facts.branches = op.traits & CAIRN_TRAIT_BRANCH;
	for (size_t i = 0; i < slot->n; i++) {
		vixl_parse(slot->lines[i], strlen(slot->lines[i]), &line, &plain);
		facts.pieces |= (line.kind == VIXL_ZREG || line.kind == VIXL_PREG) && line.lsb;
		vectors |= line.kind >= VIXL_VREG && line.kind <= VIXL_BLANK;
		masked |= line.kind == VIXL_BARE || line.masked;
	}
	for (size_t i = 0; i < other->n; i++) {
		vixl_parse(other->lines[i], strlen(other->lines[i]), &line, &plain);
		masked |= line.kind == VIXL_BARE;
	}
	facts.pieces &= (all & W_PARTS) != 0;
	facts.bare = masked && all & (W_SIZES | W_UNVALUED | W_NOWHERE);
	facts.accesses = facts.pieces || facts.bare || (all & W_ELEMENTS && (vectors || !slot->insn));
	facts.operands = all & W_OPERANDS;
	facts.widths = all & W_WX && (!slot->insn || strstr(slot->insn, "\thlt "));
	return facts;
}

/* An access as bytes, each with its address; `bare`: where it is, but not what. */
static void access_bytes(struct slot *out, const struct facts *facts, const struct vixl_line *line)
{
	char text[64];
	unsigned values = line->kind == VIXL_ACCESS ? line->n_values : 1;
	unsigned each = line->kind == VIXL_WRITE64 ? 8 : line->bytes;
	if (line->masked & VIXL_MASKED_ADDR) {
		if (facts->words & W_NOWHERE)
			return;
	}
	if (facts->bare || line->kind == VIXL_BARE) {
		snprintf(text, sizeof text, "%c 0x%llx", line->arrow, (unsigned long long)line->addr);
		slot_add(out, text);
		return;
	}
	for (unsigned i = 0; i < values * each; i++) {
		unsigned at = line->kind == VIXL_ACCESS ? i % each : i;
		uint64_t word = line->kind == VIXL_ACCESS ? line->value[i / each] : line->value[at / 8];
		/* the simulator's predicates are 16 apart for 2 bytes, which cairn puts right */
		uint64_t addr = line->addr + i - (line->kind == VIXL_PREG ? 14 * (line->lsb / 16) : 0);
		snprintf(text, sizeof text, "%c 0x%llx 0x%02x", line->arrow, (unsigned long long)addr,
		         (unsigned)(word >> 8 * (at % 8) & 0xff));
		slot_add(out, text);
	}
}

/* A register's line as what is kept of it. */
static void register_kept(struct slot *out, const struct facts *facts, const struct vixl_line *line)
{
	char text[96];
	bool piece = (line->kind == VIXL_ZREG || line->kind == VIXL_PREG) && line->lsb;
	bool zero = line->special == VIXL_ZR;
	if (line->arrow && facts->accesses)
		access_bytes(out, facts, line);
	if ((piece && facts->pieces) || (facts->accesses && zero))
		return;
	if (line->masked & VIXL_MASKED_VALUE && facts->words & W_UNVALUED)
		return;
	if (facts->accesses && line->arrow == '>')
		return; /* the value is the access's */
	char letter = line->letter;
	if (facts->words & W_VZ && letter == 'z')
		letter = 'v';
	if (facts->widths)
		letter = letter == 'w' ? 'x' : strchr("dshb", letter) ? 'v' : letter;
	snprintf(text, sizeof text, "%c%u:%u %016llx%016llx", letter, line->num, line->lsb,
	         (unsigned long long)(line->bytes > 8 ? line->value[1] : 0),
	         (unsigned long long)line->value[0]);
	slot_add(out, text);
	if (line->arrow && !facts->accesses)
		slot_add(out, line->arrow == '<' ? "loaded" : "stored");
}

/* Of the registers of which line `i` is one: are accesses drawn to them, and which way? */
static char is_drawn(const struct slot *slot, size_t i)
{
	struct vixl_plain plain;
	struct vixl_line line;
	do
		vixl_parse(slot->lines[i], strlen(slot->lines[i]), &line, &plain);
	while (vixl_is_register(line.kind) && !line.arrow && ++i < slot->n);
	return line.kind == VIXL_ACCESS ? line.arrow : 0;
}

static void line_kept(struct slot *out, const struct facts *facts, const struct slot *slot,
                      size_t i)
{
	const char *text = slot->lines[i];
	struct vixl_plain plain;
	struct vixl_line line;
	vixl_parse(text, strlen(text), &line, &plain);
	if (facts->accesses && facts->operands && vixl_is_register(line.kind) &&
	    is_drawn(slot, i) == '>')
		return;
	bool access = line.kind >= VIXL_ACCESS && line.kind <= VIXL_BLANK;
	bool straight = line.kind == VIXL_WRITE64 || line.kind == VIXL_BARE;
	bool branch = line.kind == VIXL_BRANCH;
	if ((line.kind == VIXL_GCS && facts->words & W_EVENTS) ||
	    (line.kind == VIXL_FPCR && facts->words & W_PARTS) ||
	    (branch && facts->insn && !facts->branches && facts->words & W_STRAYS) ||
	    (branch && !facts->insn && facts->words & W_LONE))
		return;
	/* where a log does not say it, the last branch's target is masked on the direct way only */
	if (branch && line.masked)
		return;
	if (vixl_is_register(line.kind))
		register_kept(out, facts, &line);
	else if (facts->accesses && (access || straight)) {
		if (line.kind != VIXL_BLANK)
			access_bytes(out, facts, &line);
	} else
		slot_add(out, text);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static struct slot slot_kept(const struct slot *slot, const struct facts *facts)
{
	struct slot out = {0};
	for (size_t i = 0; i < slot->n; i++)
		line_kept(&out, facts, slot, i);
	if (out.n && (facts->accesses || !facts->insn))
		qsort(out.lines, out.n, sizeof *out.lines, by_text);
	return out;
}

static bool slots_equal(const struct slot *a, const struct slot *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->lines[i], b->lines[i]))
			return false;
	return true;
}

static void slot_show(const char *title, const struct slot *slot)
{
	print_error("  %s\n", title);
	for (size_t i = 0; i < slot->n && i < 400; i++)
		print_error("    %s\n", slot->lines[i]);
}

static bool slots_alike(const struct slot *a, const struct slot *b, unsigned all)
{
	if ((a->insn || b->insn) && (!a->insn || !b->insn || strcmp(a->insn, b->insn)))
		return false;
	if (slots_equal(a, b))
		return true;
	struct facts facts = facts_of(a, b, all);
	struct slot left = slot_kept(a, &facts), right = slot_kept(b, &facts);
	bool alike = slots_equal(&left, &right);
	struct slot parts[] = {left, right};
	struct log both = {.slots = parts, .n = 2};
	if (!alike) {
		slot_show("kept, it would be", &left);
		slot_show("and is", &right);
	}
	for (size_t i = 0; i < both.n; i++) {
		for (size_t k = 0; k < parts[i].n; k++)
			free(parts[i].lines[k]);
		free(parts[i].lines);
	}
	return alike;
}

static void compare(const char *path, const char *direct, const char *back, unsigned all)
{
	struct log a = log_read(direct, all & W_NO_PC), b = log_read(back, all & W_NO_PC);
	unsigned complaints = 0;
	if (a.n != b.n) {
		print_error("%s: %zu instructions came back as %zu\n", path, a.n - 1, b.n - 1);
		wrong++;
	}
	for (size_t i = 0; i < a.n && i < b.n && complaints < COMPLAINTS; i++) {
		compared += a.slots[i].n;
		if (slots_alike(&a.slots[i], &b.slots[i], all))
			continue;
		print_error("%s: instruction %zu, %s, came back otherwise, which no ledger names\n", path,
		            i, a.slots[i].insn ? a.slots[i].insn : "(before the first)");
		complaints++;
		wrong++;
	}
	log_free(&a);
	log_free(&b);
}

/* ---- the two ways ---- */

static struct cairn_reader *opened(const char *path)
{
	struct cairn_reader *reader;
	if (cairn_open(c, path, NULL, &reader) < 0)
		fail_msg("%s", cairn_error_text(c));
	return reader;
}

static int convert(const char *from, const char *to, bool lossless, struct cairn_changed *done)
{
	struct cairn_output out = {.size = sizeof out, .path = to, .lossless = lossless};
	struct cairn_reader *reader = opened(from);
	*done = (struct cairn_changed){.size = sizeof *done};
	int rc = cairn_convert(reader, &out, done);
	cairn_close(reader);
	return rc;
}

/* The log through batches alone; of one without instructions, itself. */
static void write_direct(const char *from, const char *to)
{
	struct cairn_slice_opts slice = {.size = sizeof slice};
	struct cairn_output out = {.size = sizeof out, .path = to};
	struct cairn_changed done = {.size = sizeof done};
	struct cairn_reader *reader = opened(from);
	char command[512];
	int rc = cairn_slice(reader, &slice, &out, &done);
	cairn_close(reader);
	cairn_changed_free(c, &done);
	snprintf(command, sizeof command, "cp '%s' '%s'", from, to);
	if (rc < 0 && system(command))
		fail_msg("%s", command);
}

/* As text without packing: what comes back has none. */
static void unpack(const char *path, const char *to)
{
	char command[512];
	const char *packed = strrchr(path, '.');
	bool zst = packed && !strcmp(packed, ".zst");
	snprintf(command, sizeof command, "%s '%s' > '%s'", zst ? "zstd -dcq" : "cat", path, to);
	if (system(command))
		fail_msg("%s", command);
}

/* But for what cairn adds: who wrote the STF, and branches that a log without them leaves open. */
static bool same_bytes(const char *a, const char *b)
{
	char command[512];
	snprintf(command, sizeof command,
	         "sed '/^; cairn: comment: cairn /d; /^# Branch to/d' '%s' > '%s.less' && "
	         "sed '/^# Branch to/d' '%s' | cmp -s - '%s.less'",
	         b, b, a, b);
	return system(command) == 0;
}

static void lossless_refuses(const char *path, const char *from, const char *to,
                             const struct cairn_ledger *lost)
{
	struct cairn_changed strict;
	unlink(to);
	int rc = convert(from, to, true, &strict);
	if ((rc == CAIRN_E_LOSS) != (lost->n != 0)) {
		print_error("%s: lossless is something else than no loss\n", path);
		wrong++;
	}
	cairn_changed_free(c, &strict);
}

static void there_and_back(const char *path, const char *text)
{
	struct cairn_changed there, back;
	char stf[128], again[128], direct[128];
	snprintf(stf, sizeof stf, "%s/a.stf", dir);
	snprintf(again, sizeof again, "%s/b.vixl", dir);
	snprintf(direct, sizeof direct, "%s/direct.vixl", dir);
	if (convert(text, stf, false, &there) < 0 || convert(stf, again, false, &back) < 0)
		fail_msg("%s: %s", path, cairn_error_text(c));
	logs++;
	write_direct(text, direct);
	compare(path, direct, again, named(path, there.lost) | named(path, back.lost));
	if (!there.lost->n && !back.lost->n) {
		exact++;
		if (!same_bytes(text, again)) {
			print_error("%s: other bytes came back, and no ledger says why\n", path);
			wrong++;
		}
	}
	lossless_refuses(path, stf, again, back.lost);
	lossless_refuses(path, text, stf, there.lost);
	cairn_changed_free(c, &there);
	cairn_changed_free(c, &back);
	unlink(stf);
	unlink(again);
	unlink(direct);
}

static void change_value(char *text, unsigned bytes)
{
	static const char digits[] = "0123456789abcdef";
	char *value = strstr(text, "0x") + 2, *note = strstr(value, " (");
	for (unsigned i = 0; i < 2 * bytes; i++)
		value[i] = digits[rand() % 16];
	if (note && strchr(note, ')'))
		memmove(note, strchr(note, ')') + 1, strlen(strchr(note, ')')));
}

/* The same log with other values in registers that are not drawn, and their annotations gone. */
static void change_values(const char *from, const char *to, unsigned seed)
{
	struct log log = log_read(from, false);
	struct vixl_plain plain;
	struct vixl_line line;
	FILE *out = fopen(to, "w");
	assert_non_null(out);
	srand(seed);
	for (size_t i = 0; i < log.n; i++) {
		struct slot *slot = &log.slots[i];
		if (slot->insn)
			fprintf(out, "%s\n", slot->insn);
		for (size_t k = 0; k < slot->n; k++) {
			vixl_parse(slot->lines[k], strlen(slot->lines[k]), &line, &plain);
			bool integer = line.kind == VIXL_XREG || line.kind == VIXL_WREG;
			if ((integer || (line.kind == VIXL_VREG && !is_drawn(slot, k))) && !line.masked &&
			    line.special != VIXL_ZR && line.arrow != '>' && rand() % 4)
				change_value(slot->lines[k], line.bytes);
			fprintf(out, "%s\n", slot->lines[k]);
		}
	}
	fclose(out);
	log_free(&log);
}

static void one_log(const char *path, const char *from, const char *to)
{
	char text[128], changed[128];
	struct stat st;
	if (strcmp(from, "VIXL") || strcmp(to, "STF"))
		return;
	snprintf(text, sizeof text, "%s/plain.txt", dir);
	unpack(path, text);
	there_and_back(path, text);
	if (stat(text, &st) < 0 || st.st_size > 1 << 20)
		return;
	snprintf(changed, sizeof changed, "%s/changed.txt", dir);
	for (unsigned seed = 1; seed <= CHANGED; seed++) {
		change_values(text, changed, seed);
		there_and_back(path, changed);
	}
}

static void every_value_comes_back_or_is_named(void **state)
{
	(void)state;
	unsigned traces = 0;
	if (!given_pairs(c, true, one_log, &traces))
		skip();
	print_message("# %u logs, %lu lines, %u logs without a loss\n", logs, compared, exact);
	assert_true(logs > 40 && compared > 100000);
	assert_int_equal(wrong, 0);
}

static int set_up(void **state)
{
	(void)state;
	snprintf(dir, sizeof dir, "/tmp/cairn-vixl-stf-XXXXXX");
	return mkdtemp(dir) && (c = cairn_new(NULL)) ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	char command[128];
	cairn_free(c);
	snprintf(command, sizeof command, "rm -rf %s", dir);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_value_comes_back_or_is_named)};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
