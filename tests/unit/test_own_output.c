/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a changing verb makes of a clean trace is clean: packings, slices, merges, splits and
 * edits of random traces, of the examples and of the given traces, and verbs on what verbs
 * have made. A rule that an input breaks its output may break too; no other.
 *
 * CAIRN_LONG=N tries so many random traces of each format, and larger ones of the given.
 * CAIRN_SEED=N tries other things; CAIRN_KEEP=1 leaves the files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "cairn/cairn.h"
#include "fixtures/random_traces.h"
#include "fixtures/stf_maker.h"
#include "formats/rst/record/table.h"
#include "formats/stf/record/table.h"

enum { SMALL = 12, INSNS = 120, MOST_RULES = 64, PATH = 1024 };
enum { SMALL_FILE = 60000, LARGE_FILE = 1 << 20 };

static struct cairn *c;
static char dir[64];
static unsigned files;
static uint64_t seed;

/* ---- verdicts ---- */

struct verdict {
	unsigned n;
	bool no_isa; /* an STF that does not tell its extensions */
	const char *rule[MOST_RULES];
	char first[MOST_RULES][256];
};

static int on_finding(void *user, const struct cairn_finding *finding)
{
	struct verdict *verdict = user;
	unsigned i = 0;
	if (finding->rule->severity == CAIRN_NOTE)
		return 0;
	while (i < verdict->n && strcmp(verdict->rule[i], finding->rule->id) != 0)
		i++;
	if (i < verdict->n || i == MOST_RULES)
		return 0;
	verdict->rule[verdict->n] = finding->rule->id;
	snprintf(verdict->first[verdict->n++], sizeof verdict->first[0],
	         "record %llu, instruction %llu: %s [%s]", (unsigned long long)finding->record,
	         (unsigned long long)finding->insn, finding->message, finding->rule->id);
	return 0;
}

static struct cairn_reader *open_trace(const char *path)
{
	struct cairn_open_opts opts = {.size = sizeof opts};
	struct cairn_reader *reader = NULL;
	if (cairn_open(c, path, &opts, &reader) < 0)
		fail_msg("%s: %s", path, cairn_error_text(c));
	return reader;
}

static void check(const char *path, struct verdict *verdict)
{
	struct cairn_open_opts open_opts = {.size = sizeof open_opts, .lenient = 1};
	struct cairn_check_opts opts = {.size = sizeof opts,
	                                .most = 1,
	                                .finding = on_finding,
	                                .user = verdict};
	struct cairn_check_result res = {.size = sizeof res};
	struct cairn_reader *reader;
	memset(verdict, 0, sizeof *verdict);
	if (cairn_open(c, path, &open_opts, &reader) < 0 || cairn_check(reader, &opts, &res) < 0)
		fail_msg("%s: %s", path, cairn_error_text(c));
	struct cairn_stf_header *header = NULL;
	verdict->no_isa = cairn_stf_header_of(reader, &header) >= 0 && !header->isa_extended.text;
	cairn_stf_header_free(header);
	cairn_close(reader);
}

static bool has_rule(const struct verdict *verdict, const char *rule)
{
	for (unsigned i = 0; i < verdict->n; i++)
		if (!strcmp(verdict->rule[i], rule))
			return true;
	return false;
}

/* ---- a trace, what it breaks itself, and how it came to be ---- */

struct trace {
	char path[PATH];
	char how[512];
	bool stf;
	uint64_t n;
	struct verdict own; /* of the first trace of all */
};

static unsigned wrong, made, refused;

/* Files with every record are made by hand: their sources are any numbers, which a part shows
 * that begins near them.
 * Where one part tells accesses or events and another does not, that is what the rules say:
 * the parts cannot be told from one trace that forgot some. And RST has values of accesses
 * where a recorder wrote them (of DMA never), no addresses of accesses with an ASI, and of a
 * snapshot's memory no sizes.
 * What lost its ISA_EXTENDED by an edit is decoded otherwise: encodings of Zcmp are those of D. */
static bool is_inherent(const char *rule, const struct trace *from, const struct verdict *verdict,
                        bool merged)
{
	bool by_hand = strstr(from->how, "every-record") != NULL, from_rst = !from->stf;
	bool lost_isa = from->stf && verdict->no_isa && !from->own.no_isa;
	return (by_hand && !strcmp(rule, "stf.reg.contradiction")) ||
	       (merged && (!strcmp(rule, "stf.mem.missing") || !strcmp(rule, "stf.event.missing"))) ||
	       (from_rst &&
	        (!strcmp(rule, "stf.content.missing") || !strcmp(rule, "stf.mem.missing") ||
	         !strcmp(rule, "stf.bus-content.missing") || !strcmp(rule, "stf.bus.zero"))) ||
	       (lost_isa && (!strncmp(rule, "stf.mem.", 8) || !strcmp(rule, "stf.pc-target.branch")));
}

static void fresh(char *path, const struct trace *trace, const char *ending)
{
	snprintf(path, PATH, "%s/%u%s", dir, files++, ending ? ending : trace->stf ? ".stf" : ".rst");
}

static struct cairn_output output(const char *path)
{
	return (struct cairn_output){.size = sizeof(struct cairn_output),
	                             .path = path,
	                             .tool = "cairn test",
	                             .lossy = 1};
}

/* A verb has written `path`, or said why it cannot. Returns whether there is a clean trace. */
static bool judge(int rc, const char *path, const struct trace *from, const struct trace *also,
                  const char *verb)
{
	struct verdict verdict;
	if (rc < 0) {
		/* Refused with a reason, and nothing left behind. */
		if (rc != CAIRN_E_INVAL && rc != CAIRN_E_UNSUPPORTED && rc != CAIRN_E_NOTFOUND &&
		    rc != CAIRN_E_LIMIT)
			fail_msg("%s of %s: %s", verb, from->how, cairn_error_text(c));
		assert_int_not_equal(access(path, F_OK), 0);
		refused++;
		return false;
	}
	check(path, &verdict);
	made++;
	bool good = true;
	for (unsigned i = 0; i < verdict.n; i++) {
		if (has_rule(&from->own, verdict.rule[i]) ||
		    (also && has_rule(&also->own, verdict.rule[i])) ||
		    is_inherent(verdict.rule[i], from, &verdict, also || strstr(from->how, "merge")))
			continue;
		if (wrong++ < 20)
			print_error("%s: %s\n  of %s%s%s\n  %s\n", path, verb, from->how,
			            also ? "\n  and " : "", also ? also->how : "", verdict.first[i]);
		good = false;
	}
	return good;
}

/* What a verb made of `from`, to be changed again: false when there is too little of it. */
static bool becomes(struct trace *trace, const struct trace *from, const char *path,
                    const char *verb)
{
	struct cairn_tally tally = {.size = sizeof tally};
	*trace = *from;
	snprintf(trace->path, sizeof trace->path, "%s", path);
	snprintf(trace->how, sizeof trace->how, "%.160s of %.340s", verb, from->how);
	struct cairn_reader *reader = open_trace(path);
	bool any = cairn_count(reader, 1, &tally) >= 0 && tally.instructions > 4;
	trace->n = any ? tally.instructions : 0;
	cairn_close(reader);
	return any;
}

/* ---- verbs ---- */

static unsigned any_of(unsigned n)
{
	return random_below(&seed, n);
}

static struct cairn_range any_range(const struct trace *trace)
{
	uint64_t first = 1 + random_next(&seed) % trace->n, last = 1 + random_next(&seed) % trace->n;
	return first < last ? (struct cairn_range){first, last} : (struct cairn_range){last, first};
}

static bool try_convert(const struct trace *trace, char *path, char *verb)
{
	static const char *const stf[] = {".stf", ".zstf", ".stf.gz", ".stf.zst"};
	static const char *const rst[] = {".rst", ".rst.xz", ".rz3.gz", ".rst.gz", ".stf"};
	const char *ending = trace->stf ? stf[any_of(4)] : rst[any_of(5)];
	fresh(path, trace, ending);
	struct cairn_output out = output(path);
	snprintf(verb, PATH, "convert to %s", ending);
	struct cairn_reader *reader = open_trace(trace->path);
	int rc = cairn_convert(reader, &out, NULL);
	cairn_close(reader);
	bool good = judge(rc, path, trace, NULL, verb);
	return good && (trace->stf || strcmp(ending, ".stf") != 0);
}

static bool try_slice(const struct trace *trace, char *path, char *verb)
{
	struct cairn_range range[2] = {any_range(trace), {0, 0}};
	struct cairn_slice_opts opts = {.size = sizeof opts,
	                                .ranges = range,
	                                .n_ranges = 1,
	                                .look_back = any_of(3) ? UINT64_MAX : 0};
	if (any_of(3) == 0 && range[0].last + 3 < trace->n) {
		range[1].first = range[0].last + 2 + random_next(&seed) % (trace->n - range[0].last - 2);
		range[1].last = trace->n;
		opts.n_ranges = 2;
	}
	if (any_of(5) == 0) {
		opts.n_ranges = 0;
		opts.every = 20;
		opts.window = 1 + any_of(10);
	}
	fresh(path, trace, any_of(3) || !trace->stf ? NULL : ".zstf");
	struct cairn_output out = output(path);
	snprintf(verb, PATH, "slice %llu..%llu %llu.. (%zu; %llu of %llu)",
	         (unsigned long long)range[0].first, (unsigned long long)range[0].last,
	         (unsigned long long)range[1].first, opts.n_ranges, (unsigned long long)opts.window,
	         (unsigned long long)opts.every);
	struct cairn_reader *reader = open_trace(trace->path);
	int rc = cairn_slice(reader, &opts, &out, NULL);
	cairn_close(reader);
	return judge(rc, path, trace, NULL, verb);
}

/* Ranges of one trace in any order, and another trace. */
static bool try_merge(const struct trace *trace, const struct trace *other, char *path, char *verb)
{
	struct cairn_range range[3] = {any_range(trace), any_range(trace), any_range(other)};
	struct cairn_reader *left = open_trace(trace->path), *right = open_trace(other->path);
	struct cairn_merge_part parts[2] = {
		{.reader = left, .name = "a", .ranges = range, .n_ranges = any_of(3)},
		{.reader = right, .name = "b", .ranges = range + 2, .n_ranges = any_of(2)}};
	fresh(path, trace, NULL);
	struct cairn_output out = output(path);
	snprintf(verb, PATH, "merge of %zu ranges (%llu..%llu, %llu..%llu) and %zu (%llu..%llu)",
	         parts[0].n_ranges, (unsigned long long)range[0].first,
	         (unsigned long long)range[0].last, (unsigned long long)range[1].first,
	         (unsigned long long)range[1].last, parts[1].n_ranges,
	         (unsigned long long)range[2].first, (unsigned long long)range[2].last);
	int rc = cairn_merge(parts, 2, &out, NULL);
	cairn_close(left);
	cairn_close(right);
	return judge(rc, path, trace, other, verb);
}

struct parts {
	const struct trace *trace;
	char last[PATH];
	const char *verb;
	bool good;
};

static int on_part(void *user, const char *path, uint64_t instructions)
{
	struct parts *parts = user;
	(void)instructions;
	snprintf(parts->last, sizeof parts->last, "%s", path);
	parts->good = judge(0, path, parts->trace, NULL, parts->verb);
	return 0;
}

static bool try_split(const struct trace *trace, char *path, char *verb)
{
	struct parts parts = {.trace = trace, .verb = verb};
	struct cairn_split_opts opts = {.size = sizeof opts,
	                                .by = (int)any_of(4),
	                                .every = 1 + any_of(60),
	                                .part = on_part,
	                                .user = &parts};
	char pattern[PATH];
	opts.every = trace->n > 1000 ? trace->n / 3 : opts.every;
	snprintf(pattern, sizeof pattern, "%s/%u-%%s.%s", dir, files++, trace->stf ? "stf" : "rst");
	snprintf(verb, PATH, "split %s %llu", opts.by == CAIRN_SPLIT_COUNT ? "every" : "by who runs",
	         (unsigned long long)opts.every);
	struct cairn_output out = output(pattern);
	struct cairn_reader *reader = open_trace(trace->path);
	int rc = cairn_split(reader, &opts, &out, NULL);
	cairn_close(reader);
	memcpy(path, parts.last, PATH);
	return rc < 0 ? judge(rc, pattern, trace, NULL, verb) : parts.good && *parts.last;
}

static const char *any_type(const struct trace *trace)
{
	for (;;) {
		unsigned type = any_of(256);
		const struct stf_type *s = stf_type(type);
		const char *name = trace->stf ? s ? s->name : NULL : cairn_rst_type_name((uint8_t)type);
		if (name)
			return name;
	}
}

static bool try_edit(const struct trace *trace, char *path, char *verb)
{
	static const char *const versions[] = {"1.2", "1.3", "1.4", "1.5", "1.6"};
	static const char *const comments[] = {"edited"};
	const char *drop[2] = {any_type(trace), any_type(trace)};
	struct cairn_edit_opts opts = {.size = sizeof opts,
	                               .comments = comments,
	                               .n_comments = any_of(2)};
	opts.drop = drop;
	opts.n_drop = any_of(3);
	if (trace->stf && any_of(3) == 0)
		opts.version = versions[any_of(5)];
	if (trace->stf && any_of(4) == 0)
		opts.event_bits = any_of(2) ? 32 : 64;
	if (trace->stf && any_of(6) == 0)
		opts.isa_string = "";
	if (trace->stf && any_of(6) == 0)
		opts.generator = "Spike,1.2.3,made";
	if (trace->stf && any_of(6) == 0)
		opts.features = "-SIMPOINT";
	fresh(path, trace, NULL);
	struct cairn_output out = output(path);
	snprintf(verb, PATH, "edit --drop %s,%s version %s events %u%s", opts.n_drop > 0 ? drop[0] : "",
	         opts.n_drop > 1 ? drop[1] : "", opts.version ? opts.version : "as it is",
	         opts.event_bits, opts.isa_string ? " isa-string ''" : "");
	struct cairn_reader *reader = open_trace(trace->path);
	int rc = cairn_edit(reader, &opts, &out, NULL);
	cairn_close(reader);
	return judge(rc, path, trace, NULL, verb);
}

/* One verb; what it makes becomes `trace`, if that can be changed again. */
static void try_one(struct trace *trace, const struct trace *other)
{
	char path[PATH] = "", verb[PATH] = "";
	struct trace next;
	bool good = false;
	switch (any_of(6)) {
	case 0:
		good = try_convert(trace, path, verb);
		break;
	case 1:
		good = try_slice(trace, path, verb);
		break;
	case 2:
		good = try_merge(trace, other, path, verb);
		break;
	case 3:
		good = try_split(trace, path, verb);
		break;
	default:
		good = try_edit(trace, path, verb);
		break;
	}
	if (good && becomes(&next, trace, path, verb))
		*trace = next;
}

static void empty_folder(void)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	assert_non_null(d);
	while ((entry = readdir(d))) {
		char path[PATH + 256];
		snprintf(path, sizeof path, "%s/%s", dir, entry->d_name);
		if (entry->d_name[0] != '.' && !getenv("CAIRN_KEEP"))
			assert_int_equal(unlink(path), 0);
	}
	closedir(d);
}

/* ---- inputs ---- */

static bool take(struct trace *trace, const char *path, const char *how, bool stf)
{
	struct trace as = {.stf = stf};
	snprintf(as.how, sizeof as.how, "%s", how);
	check(path, &as.own);
	return becomes(trace, &as, path, "all");
}

static void make_random(struct trace *trace, bool stf, uint64_t number)
{
	static struct fx_bytes bytes;
	char path[PATH], how[64];
	bytes.n = 0;
	if (stf)
		random_stf(number, INSNS, &bytes);
	else
		random_rst(number, INSNS, &bytes);
	snprintf(path, sizeof path, "%s/random%u.%s", dir, files++, stf ? "stf" : "rst");
	snprintf(how, sizeof how, "random %s %llu", stf ? "STF" : "RST", (unsigned long long)number);
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes.data, 1, bytes.n, f), bytes.n);
	assert_int_equal(fclose(f), 0);
	assert_true(take(trace, path, how, stf));
	if (trace->own.n) {
		print_error("%s (%s) is not clean: %s\n", how, path, trace->own.first[0]);
		wrong++;
	}
}

static unsigned rounds(void)
{
	const char *text = getenv("CAIRN_LONG");
	return text && atoi(text) > 0 ? (unsigned)atoi(text) : SMALL;
}

static void try_random(bool stf)
{
	for (unsigned i = 0; i < rounds(); i++) {
		struct trace left, right, trace;
		make_random(&left, stf, 2 * i + 1);
		make_random(&right, stf, 2 * i + 2);
		for (unsigned k = 0; k < 6; k++) {
			trace = left;
			for (unsigned depth = 0; depth < 4; depth++)
				try_one(&trace, k & 1 ? &right : &left);
		}
		empty_folder();
	}
	assert_true(made > refused);
	assert_int_equal(wrong, 0);
}

static void of_random_stf(void **state)
{
	(void)state;
	try_random(true);
}

static void of_random_rst(void **state)
{
	(void)state;
	try_random(false);
}

/* ---- splices that once were not told ---- */

static void slice_to(const struct trace *trace, struct cairn_slice_opts opts, struct trace *out)
{
	char path[PATH];
	opts.size = sizeof opts;
	opts.look_back = UINT64_MAX;
	fresh(path, trace, NULL);
	struct cairn_output to = output(path);
	struct cairn_reader *reader = open_trace(trace->path);
	int rc = cairn_slice(reader, &opts, &to, NULL);
	cairn_close(reader);
	judge(rc, path, trace, NULL, "slice");
	if (out)
		assert_true(becomes(out, trace, path, "slice"));
}

/* A range of RST `left` (and another, if it has one), and a range of `right` (or all of it). */
static void merge_to(const struct trace *left, const struct trace *right,
                     struct cairn_range range[3], struct trace *out)
{
	char path[PATH];
	struct cairn_reader *ra = open_trace(left->path), *rb = open_trace(right->path);
	struct cairn_merge_part parts[2] = {
		{.reader = ra, .name = "a", .ranges = range, .n_ranges = range[1].first ? 2 : 1},
		{.reader = rb, .name = "b", .ranges = range + 2, .n_ranges = range[2].first ? 1 : 0}};
	fresh(path, left, NULL);
	struct cairn_output to = output(path);
	int rc = cairn_merge(parts, 2, &to, NULL);
	cairn_close(ra);
	cairn_close(rb);
	judge(rc, path, left, right, "merge");
	if (out)
		assert_true(becomes(out, left, path, "merge"));
}

static void of_splices_of_rst(void **state)
{
	struct trace left, right, part;
	(void)state;
	/* Counts of a slice, and of a slice of it, that differ by the same. */
	struct cairn_range range = {20, 45};
	make_random(&left, false, 3);
	slice_to(&left, (struct cairn_slice_opts){.ranges = &range, .n_ranges = 1}, &part);
	slice_to(&part, (struct cairn_slice_opts){.every = 20, .window = 1}, NULL);
	/* Ranges of two traces whose counts differ by the same. */
	struct cairn_range same[3] = {{12, 78}, {0, 0}, {79, 86}};
	make_random(&left, false, 55);
	make_random(&right, false, 56);
	merge_to(&left, &right, same, NULL);
	/* A CPU that a later range, which lies before the first, brings in. */
	struct cairn_range back[3] = {{21, 23}, {11, 96}, {13, 64}};
	make_random(&left, false, 165);
	make_random(&right, false, 166);
	merge_to(&left, &right, back, NULL);
	/* Ranges that begin where as many instructions lie before in the output as in the input. */
	struct cairn_range even[3] = {{2, 62}, {0, 0}, {62, 81}};
	make_random(&left, false, 205);
	merge_to(&left, &left, even, NULL);
	/* A trap behind a splice, where the part before ended with one that was not handled. */
	struct cairn_range trap[3] = {{10, 48}, {0, 0}, {1, 66}};
	make_random(&left, false, 45);
	merge_to(&left, &left, trap, &part);
	range = (struct cairn_range){41, 72};
	slice_to(&part, (struct cairn_slice_opts){.ranges = &range, .n_ranges = 1}, NULL);
	empty_folder();
	assert_int_equal(wrong, 0);
}

/* A program that goes on behind traps which nobody is seen to handle, and a snapshot behind
 * another trace. */
static void of_splices_of_given_rst(void **state)
{
	const char *data = getenv("CAIRN_TEST_DATA");
	struct trace trace;
	char path[PATH];
	(void)state;
	if (!data)
		skip();
	snprintf(path, sizeof path, "%s/rst/value_shade.rst.zst", data);
	if (access(path, R_OK) != 0)
		skip();
	struct cairn_range range = {32321, 48655};
	assert_true(take(&trace, path, "value_shade", false));
	slice_to(&trace, (struct cairn_slice_opts){.ranges = &range, .n_ranges = 1}, NULL);
	snprintf(path, sizeof path, "%s/rst/rfs_snap.rst.zst", data);
	struct cairn_range first[3] = {{10722, 11361}, {0, 0}, {0, 0}};
	assert_true(take(&trace, path, "rfs_snap", false));
	merge_to(&trace, &trace, first, NULL);
	empty_folder();
	assert_int_equal(wrong, 0);
}

/* ---- page walks that mean something else elsewhere ---- */

enum { LOAD = 0x0005a503, STORE = 0x00a5a023, NOP = 0x13 };
enum { READ_ONLY = 0x204800c3, READ_WRITE = 0x204800c7, KIB_4 = 12, MIB_2 = 21 };

/* Of Sv39, or of Sv32 with pages of 4 KiB. */
static void put_walk(struct mk_stf *stf, bool rv32, uint64_t va, unsigned shift, uint64_t leaf)
{
	struct fx_bytes *bytes = &stf->raw;
	unsigned bits = rv32 ? 10 : 9, n = rv32 ? 2 : shift == KIB_4 ? 3 : 2;
	fx_le(bytes, 1, CAIRN_STF_PAGE_TABLE_WALK);
	fx_le(bytes, 8, va);
	fx_le(bytes, 8, stf->markers);
	fx_le(bytes, 4, UINT64_C(1) << shift);
	fx_le(bytes, 1, n);
	for (unsigned i = 0; i < n; i++) {
		uint64_t table = 0x81000000 + 0x1000 * (uint64_t)i;
		uint64_t index = va >> (shift + bits * (n - 1 - i)) & ((1u << bits) - 1);
		fx_le(bytes, 8, table + (rv32 ? 4 : 8) * index);
		fx_le(bytes, 8, i + 1 == n ? leaf : (table + 0x1000) >> 12 << 10 | 1);
	}
}

static void put_access(struct mk_stf *stf, uint64_t va, bool store)
{
	mk_access(stf, va, 4, store ? 2 : 1);
	mk_content(stf, CAIRN_STF_INST_MEM_CONTENT, 7);
	mk_insn(stf, store ? STORE : LOAD, 4);
}

static struct mk_stf *begin_made(unsigned minor, bool rv32, uint64_t features)
{
	struct mk_stf *stf = mk_new();
	features |= rv32 ? 0 : (uint64_t)CAIRN_STF_F_RV64;
	mk_begin(stf, minor);
	mk_text(stf, CAIRN_STF_COMMENT, "made by cairn 4ac1f0d9b2");
	fx_le(&stf->raw, 1, CAIRN_STF_ISA);
	fx_le(&stf->raw, 2, 1);
	fx_le(&stf->raw, 1, CAIRN_STF_INST_IEM);
	fx_le(&stf->raw, 2, rv32 ? 1 : 2);
	fx_le(&stf->raw, 1, CAIRN_STF_TRACE_INFO);
	fx_le(&stf->raw, 6, 6);
	mk_features(stf, features);
	mk_process(stf, minor < 5 ? 40 : 0, 40, minor < 5 ? 3 : 40);
	mk_force_pc(stf, 0x80000000);
	mk_end_header(stf);
	return stf;
}

static void end_made(struct mk_stf *stf, const char *how, struct trace *trace)
{
	char path[PATH];
	snprintf(path, sizeof path, "%s/made%u.stf", dir, files++);
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(stf->raw.data, 1, stf->raw.n, f), stf->raw.n);
	assert_int_equal(fclose(f), 0);
	free(stf);
	assert_true(take(trace, path, how, true));
	assert_int_equal(trace->own.n, 0);
}

/* Behind a change to RV32, pages are not those that RV64 has walked: of no size. */
static void of_walks_of_another_set(void **state)
{
	const uint64_t ids = CAIRN_STF_F_PROCESS_ID;
	struct trace trace;
	struct cairn_range range = {5, 8};
	(void)state;
	struct mk_stf *stf = begin_made(6, false, ids);
	put_walk(stf, false, 0x40001000, KIB_4, READ_WRITE);
	put_access(stf, 0x40001008, false);
	put_walk(stf, false, 0x40200000, MIB_2, READ_WRITE);
	put_access(stf, 0x40200008, false);
	for (unsigned i = 0; i < 3; i++)
		mk_insn(stf, NOP, 4);
	fx_le(&stf->raw, 1, CAIRN_STF_INST_IEM);
	fx_le(&stf->raw, 2, 1);
	put_access(stf, 0x40001010, false);
	put_access(stf, 0x40200010, false);
	mk_insn(stf, NOP, 4);
	end_made(stf, "RV64, then RV32", &trace);
	slice_to(&trace, (struct cairn_slice_opts){.ranges = &range, .n_ranges = 1}, NULL);
	range.last = 9;
	slice_to(&trace, (struct cairn_slice_opts){.ranges = &range, .n_ranges = 1}, NULL);
	range.first = 6; /* begins with the change itself */
	slice_to(&trace, (struct cairn_slice_opts){.ranges = &range, .n_ranges = 1}, NULL);
	empty_folder();
	assert_int_equal(wrong, 0);
}

static uint64_t count_walks(const char *path)
{
	struct cairn_tally tally = {.size = sizeof tally};
	struct cairn_reader *reader = open_trace(path);
	assert_true(cairn_count(reader, 1, &tally) >= 0);
	cairn_close(reader);
	return tally.by_record[CAIRN_STF_PAGE_TABLE_WALK];
}

static uint64_t walks_in_version(const struct trace *trace, const char *version, struct trace *out)
{
	struct cairn_edit_opts opts = {.size = sizeof opts, .version = version};
	char path[PATH];
	fresh(path, trace, NULL);
	struct cairn_output to = output(path);
	struct cairn_reader *reader = open_trace(trace->path);
	int rc = cairn_edit(reader, &opts, &to, NULL);
	cairn_close(reader);
	judge(rc, path, trace, NULL, version);
	if (out)
		assert_true(becomes(out, trace, path, "edit"));
	return count_walks(path);
}

/* Two processes in one address space: before version 1.5 its ASID tells, from then on a
 * PID does, so that each process is told of the page, and once. */
static void of_a_shared_space(void **state)
{
	struct trace trace, later;
	(void)state;
	struct mk_stf *stf = begin_made(3, false, CAIRN_STF_F_PTE | CAIRN_STF_F_PROCESS_ID);
	put_walk(stf, false, 0x40001000, KIB_4, READ_WRITE);
	put_access(stf, 0x40001008, false);
	for (unsigned i = 0; i < 4; i++) {
		mk_process(stf, 41 - (i & 1), 41 - (i & 1), 3);
		put_access(stf, 0x40001008 + 8 * i, true);
	}
	mk_insn(stf, NOP, 4);
	end_made(stf, "two processes in one space", &trace);
	assert_int_equal(walks_in_version(&trace, "1.6", &later), 2);
	assert_int_equal(walks_in_version(&trace, "1.4", NULL), 1);
	assert_int_equal(walks_in_version(&later, "1.5", NULL), 2);
	struct cairn_range back[3] = {{4, 5}, {2, 3}, {0, 0}};
	merge_to(&later, &trace, back, NULL);
	empty_folder();
	assert_int_equal(wrong, 0);
}

/* Two processes that see different pages at one address: before version 1.5 no ASID tells
 * them apart, so that the page is told whenever another runs. */
static void of_two_spaces(void **state)
{
	struct trace trace;
	(void)state;
	struct mk_stf *stf = begin_made(6, false, CAIRN_STF_F_PTE | CAIRN_STF_F_PROCESS_ID);
	put_walk(stf, false, 0x40001000, KIB_4, READ_WRITE);
	put_access(stf, 0x40001008, true);
	mk_process(stf, 0, 41, 41);
	put_walk(stf, false, 0x40001000, KIB_4, READ_ONLY);
	put_access(stf, 0x40001008, false);
	mk_process(stf, 0, 40, 40);
	put_access(stf, 0x40001008, true);
	put_access(stf, 0x40001010, true);
	mk_insn(stf, NOP, 4);
	end_made(stf, "two processes with pages of their own", &trace);
	assert_int_equal(walks_in_version(&trace, "1.3", NULL), 3);
	assert_int_equal(walks_in_version(&trace, "1.5", NULL), 2);
	empty_folder();
	assert_int_equal(wrong, 0);
}

/* ---- what no instruction follows ---- */

/* The slice ends with registers of a CPU whose next instruction is not in it: STF has no place
 * for them, and that is said. */
static void of_what_ends_rst(void **state)
{
	struct trace left, part;
	struct cairn_range range = {86, 111};
	bool told = false;
	char path[PATH];
	(void)state;
	make_random(&left, false, 17);
	slice_to(&left, (struct cairn_slice_opts){.ranges = &range, .n_ranges = 1}, &part);
	fresh(path, &part, ".stf");
	struct cairn_output to = output(path);
	struct cairn_changed done = {.size = sizeof done};
	struct cairn_reader *reader = open_trace(part.path);
	int rc = cairn_convert(reader, &to, &done);
	cairn_close(reader);
	judge(rc, path, &part, NULL, "convert to .stf");
	for (size_t i = 0; i < done.lost->n; i++)
		told |= !strcmp(done.lost->losses[i].what, "records behind the last instruction");
	cairn_changed_free(c, &done);
	assert_true(told);
	empty_folder();
	assert_int_equal(wrong, 0);
}

static void try_file(const char *path, bool stf)
{
	struct trace trace, t;
	if (!take(&trace, path, path, stf))
		return;
	for (unsigned k = 0; k < 6; k++) {
		t = trace;
		for (unsigned depth = 0; depth < 2; depth++)
			try_one(&t, &trace);
	}
	empty_folder();
}

static void of_the_examples(void **state)
{
	char path[PATH];
	const char *folder = getenv("EXAMPLES");
	(void)state;
	if (!folder)
		skip();
	snprintf(path, sizeof path, "%s/sort.zstf", folder);
	if (getenv("CAIRN_LONG"))
		try_file(path, true);
	snprintf(path, sizeof path, "%s/traps.rst", folder);
	try_file(path, false);
	assert_int_equal(wrong, 0);
}

/* A file of a fitting size; one of the given is damaged, and one of records at random. */
static bool is_tried(const char *path, const char *name)
{
	FILE *f = strstr(name, "stf") || strstr(name, ".rst") ? fopen(path, "rb") : NULL;
	long size = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : 0;
	if (f)
		fclose(f);
	return size > 0 && size < (getenv("CAIRN_LONG") ? LARGE_FILE : SMALL_FILE) &&
	       !strstr(name, "d236c50") && !strstr(name, "allrec") && strlen(path) < PATH;
}

static void of_given_traces(void **state)
{
	static const char *const folders[] = {"stf", "stf/every-record", "stf/tilelink",
	                                      "rst", "repro/stf",        "repro/rst"};
	const char *data = getenv("CAIRN_TEST_DATA");
	(void)state;
	if (!data)
		skip();
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		char folder[PATH], path[PATH + 256];
		struct dirent **entries;
		snprintf(folder, sizeof folder, "%s/%s", data, folders[i]);
		int n = scandir(folder, &entries, NULL, alphasort);
		for (int k = 0; k < n; k++) {
			const char *name = entries[k]->d_name;
			snprintf(path, sizeof path, "%s/%s", folder, name);
			if (is_tried(path, name))
				try_file(path, strstr(name, "stf") != NULL);
			free(entries[k]);
		}
		if (n >= 0)
			free(entries);
	}
	assert_int_equal(wrong, 0);
}

/* ---- */

static int set_up(void **state)
{
	(void)state;
	snprintf(dir, sizeof dir, "/tmp/cairn-own-XXXXXX");
	c = cairn_new(NULL);
	return c && mkdtemp(dir) ? 0 : -1;
}

static int begin(void **state)
{
	const char *text = getenv("CAIRN_SEED");
	(void)state;
	wrong = made = refused = 0;
	seed = text ? strtoull(text, NULL, 0) : 1;
	return 0;
}

static int clean_up(void **state)
{
	(void)state;
	empty_folder();
	rmdir(dir);
	cairn_free(c);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(of_random_stf, begin),
		cmocka_unit_test_setup(of_random_rst, begin),
		cmocka_unit_test_setup(of_splices_of_rst, begin),
		cmocka_unit_test_setup(of_splices_of_given_rst, begin),
		cmocka_unit_test_setup(of_walks_of_another_set, begin),
		cmocka_unit_test_setup(of_a_shared_space, begin),
		cmocka_unit_test_setup(of_two_spaces, begin),
		cmocka_unit_test_setup(of_what_ends_rst, begin),
		cmocka_unit_test_setup(of_the_examples, begin),
		cmocka_unit_test_setup(of_given_traces, begin),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, set_up, clean_up);
}
