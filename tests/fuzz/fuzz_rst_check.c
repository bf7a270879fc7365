/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as an RST trace to be judged. What is asserted: the findings are the same
 * for one and for two threads, and wherever spans end, so that the walk of a span
 * leaves nothing out that the machine would judge; every place lies in the file; the
 * sums are those of the findings. A trace cut into two files has the same findings as
 * in one, but for those about the cut itself.
 *
 * The first byte chooses: with TYPES each record gets a type that exists, with FEW only
 * two CPUs, with ENCODINGS its instructions are of a few that matter; which is what
 * brings the fuzzer beyond the rules about single records. CUT makes two files.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "cairn/cairn.h"
#include "formats/rst/record/table.h"
#include "together.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { TYPES = 1, FEW = 2, ENCODINGS = 4, CUT = 8, EVERY_ONE = 32 };
enum { SIZE = CAIRN_RST_SIZE };

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "not so: %s\n", what);
	abort();
}

/* ---- the input ---- */

static void tame(uint8_t how, uint8_t *p, size_t n)
{
	static const uint8_t types[] = {3,  3,  3, 3,  7,  9,  17, 19, 8,  5,  26,
	                                14, 21, 4, 15, 16, 24, 23, 25, 30, 31, 3};
	static const uint32_t encodings[] = {0x82006001, 0xc2586000, 0x32800004, 0x10800004, 0x00800004,
	                                     0x40000004, 0x91d0206d, 0x81f00000, 0x83f00000, 0x8f902000,
	                                     0x81900001, 0x81c06000, 0xc2f04a40, 0x87802080};
	for (size_t at = 0; at + SIZE <= n; at += SIZE, p += SIZE) {
		if ((how & TYPES) && !cairn_rst_type_name(p[0]))
			p[0] = types[p[0] % sizeof types];
		if (p[0] == CAIRN_RST_INSTR && (how & ENCODINGS)) {
			uint32_t enc = encodings[base_be32(p + 4) % (sizeof encodings / sizeof *encodings)];
			for (unsigned i = 0; i < 4; i++)
				p[4 + i] = (uint8_t)(enc >> (24 - 8 * i));
		}
		const struct rst_layout *layout = how & FEW ? rst_layout_of(p, RST_NEWEST) : NULL;
		const struct rst_field *cpu = layout ? rst_layout_cpu(layout) : NULL;
		if (cpu)
			rst_put(p, cpu, rst_get(p, cpu) & 1);
	}
}

/* ---- judging ---- */

struct told {
	struct base_buf text;
	struct cairn_check_result res;
	uint64_t size[2], delivered[CAIRN_MAX_RULES];
	int status;
};

static int on_finding(void *user, const struct cairn_finding *finding)
{
	struct told *told = user;
	check(finding->rule >= told->res.rules && finding->rule < told->res.rules + told->res.n_rules,
	      "a rule of the table");
	check(finding->message[0], "a finding has a sentence");
	check(finding->part < 2, "a file that there is");
	check(!(finding->known & CAIRN_PLACE_OFFSET) || finding->offset <= told->size[finding->part],
	      "the place is in the file");
	check(!(finding->known & CAIRN_PLACE_RECORD) || finding->offset == (finding->record - 1) * SIZE,
	      "records have one size");
	check(!(finding->known & CAIRN_PLACE_INSN) || finding->insn >= 1, "instructions count from 1");
	told->delivered[finding->rule - told->res.rules]++;
	return base_buf_printf(&told->text,
	                       "%s %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu64 " %s\n",
	                       finding->rule->id, finding->part, finding->known, finding->cpu,
	                       finding->offset, finding->insn, finding->message);
}

struct way {
	const char *from;
	unsigned threads;
	uint64_t most;
	size_t cut; /* bytes of the first file; 0: one file */
};

static void read_part(struct cairn *cairn, const struct way *way, const uint8_t *p, size_t n,
                      struct cairn_checking *checking, struct cairn_reader **reader,
                      struct told *told)
{
	struct cairn_open_opts open = {.size = sizeof open,
	                               .lenient = 1,
	                               .from = way->from,
	                               .part_of = "RST"};
	told->status = cairn_open_memory(cairn, p, n, &open, reader);
	if (told->status >= 0)
		told->status = cairn_check_part(checking, *reader);
}

static void judge(struct cairn *cairn, const struct way *way, const uint8_t *p, size_t n,
                  struct told *told)
{
	struct cairn_check_opts opts = {.size = sizeof opts,
	                                .threads = way->threads,
	                                .most = way->most,
	                                .finding = on_finding,
	                                .user = told};
	struct cairn_reader *reader[2] = {NULL, NULL};
	struct cairn_checking *checking;
	size_t first = way->cut ? way->cut : n;
	memset(told, 0, sizeof *told);
	base_buf_init(&told->text, cairn);
	told->size[0] = first;
	told->size[1] = n - first;
	told->res.size = sizeof told->res;
	check(cairn_check_begin(cairn, &opts, &told->res, &checking) >= 0, "a check begins");
	read_part(cairn, way, p, first, checking, &reader[0], told);
	if (way->cut && told->status >= 0)
		read_part(cairn, way, p + first, n - first, checking, &reader[1], told);
	int rc = cairn_check_end(checking);
	told->status = told->status < 0 ? told->status : rc;
	cairn_close(reader[0]);
	cairn_close(reader[1]);
	uint64_t sum = 0;
	for (size_t i = 0; i < told->res.n_rules; i++) {
		sum += told->res.by_rule[i];
		check(told->status < 0 || told->delivered[i] <= told->res.by_rule[i],
		      "what is delivered is counted");
	}
	check(sum == told->res.errors + told->res.warnings + told->res.notes, "the sums add up");
	check(base_buf_put(&told->text, "", 1) >= 0, "memory");
}

static void same(const struct told *left, const struct told *right, bool text)
{
	check(left->status == right->status, "the way does not matter to the end");
	check(!text || !strcmp((const char *)left->text.data, (const char *)right->text.data),
	      "the way does not matter to the findings");
	check(!memcmp(left->res.by_rule, right->res.by_rule, sizeof left->res.by_rule),
	      "the way does not matter to the counts");
}

/* What is about the cut: the PC there, and where the flow is told as dropped instead. */
static void same_in_two(const struct told *one, struct told *two)
{
	const struct cairn_rule *rules = one->res.rules;
	for (size_t i = 0; i < one->res.n_rules; i++) {
		static const char *const of_the_cut[] = {
			"rst.parts.dropped", "rst.flow.continuous", "rst.annul.present", "rst.trap.pc",
			"rst.trap.npc",      "rst.annul.set",       "rst.annul.stray"};
		bool cut = false;
		for (size_t k = 0; k < sizeof of_the_cut / sizeof *of_the_cut; k++)
			cut |= !strcmp(rules[i].id, of_the_cut[k]);
		check(cut || one->res.by_rule[i] == two->res.by_rule[i], "two files are as one");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static uint8_t bytes[1 << 15];
	if (n < 1 || n > sizeof bytes)
		return 0;
	struct cairn *cairn = cairn_new(NULL);
	uint8_t how = *data++;
	n--;
	if (n)
		memcpy(bytes, data, n);
	tame(how, bytes, n);
	uint64_t most = how & EVERY_ONE ? UINT64_MAX : 1000;
	struct way plain = {.from = "rst", .threads = 1, .most = most}, other = plain;
	struct told left, right;
	static const char *const pieces[] = {"rst:piece=24", "rst:piece=120", "rst:piece=500",
	                                     "rst:piece=2000"};
	/* Spans cost more than records: few of them. */
	other.from = pieces[n < 400 ? 0 : n < 1200 ? 1 : n < 4000 ? 2 : 3];
	other.threads = 2;
	judge(cairn, &plain, bytes, n, &left);
	judge(cairn, &other, bytes, n, &right);
	same(&left, &right, most != UINT64_MAX); /* each span's are sorted by themselves then */
	base_buf_free(&right.text);
	struct together both = {.p = bytes, .n = n, .from = other.from, .threads = 2};
	together_is_as_apart(cairn, &both);
	size_t cut = n / SIZE / 2 * SIZE;
	if ((how & CUT) && cut && cairn_rst_type_name(bytes[cut]) &&
	    bytes[cut] != CAIRN_RST_RSTHEADER && memcmp(bytes + cut, "\016RFS v", 6) != 0 &&
	    left.status >= 0) {
		other = (struct way){.from = "rst", .threads = 2, .most = most, .cut = cut};
		judge(cairn, &other, bytes, n, &right);
		if (right.status >= 0)
			same_in_two(&left, &right);
		base_buf_free(&right.text);
	}
	base_buf_free(&left.text);
	cairn_free(cairn);
	return 0;
}
