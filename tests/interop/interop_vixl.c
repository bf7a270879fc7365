/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every VIXL log at hand, line by line and batch by batch:
 *
 * - each line, taken apart and put together, is itself, and the quick parser says what
 *   the table says;
 * - nothing of the simulator's is taken for foreign text;
 * - what is read does not depend on threads, pieces, colour, or bytes beyond ASCII;
 * - registers put together from writes are what later lines say they are;
 * - written again it is the same, also by way of a format that knows less;
 * - words made from encodings are the simulator's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dirent.h>
#include <unistd.h>

#include "../unit/fixtures/fixtures.h"
#include "cairn/cairn.h"
#include "cairn/check.h"
#include "formats/vixl/read/decoder.h"
#include "formats/vixl/write/words.h"

typedef void log_fn(struct cairn *cairn, const char *name, const char *p, size_t n);

static void load(struct cairn *cairn, const char *path, struct base_buf *buf)
{
	struct io_source *io;
	int64_t n;
	base_buf_init(buf, cairn);
	assert_int_equal(io_open(cairn, path, &io), 0);
	do {
		assert_true(base_buf_reserve(buf, 1 << 20) >= 0);
		n = io_read(io, buf->data + buf->len, 1 << 20);
		assert_true(n >= 0);
		buf->len += (size_t)n;
	} while (n > 0);
	io_close(io);
}

static unsigned folder(struct cairn *cairn, const char *data, const char *sub, log_fn *each)
{
	char path[1024];
	unsigned n = 0;
	snprintf(path, sizeof path, "%s/vixl/%s", data, sub);
	DIR *d = opendir(path);
	if (!d)
		return 0;
	for (struct dirent *entry; (entry = readdir(d));) {
		struct base_buf buf;
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "%s/vixl/%s/%s", data, sub, entry->d_name);
		load(cairn, path, &buf);
		if (buf.len)
			each(cairn, path, (const char *)buf.data, buf.len);
		n += buf.len != 0;
		base_buf_free(&buf);
	}
	closedir(d);
	return n;
}

static void every_log(log_fn *each)
{
	const char *data = getenv("CAIRN_TEST_DATA");
	if (!data)
		skip();
	struct cairn *cairn = cairn_new(NULL);
	unsigned n = folder(cairn, data, "generated", each) + folder(cairn, data, "reference", each) +
	             folder(cairn, data, "older", each);
	cairn_free(cairn);
	if (n == 0)
		skip();
	assert_true(n > 50);
}

/* ---- lines ---- */

static struct {
	uint64_t lines, text, prefixed;
} seen;

/* What is known to stand between the simulator's lines. */
static bool is_known_text(const char *p, size_t n)
{
	static const char *const known[] = {"WARNING in ", "hello ", "\033[0;32m", "\033[1;33m"};
	if (n == 0)
		return true;
	for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
		if (n >= strlen(known[i]) && !memcmp(p, known[i], strlen(known[i])))
			return true;
	return false;
}

static void same_line(const char *name, const char *p, size_t n)
{
	static char again[VIXL_LINE_MAX + VIXL_STATE_MAX];
	static struct vixl_plain plain, other;
	struct vixl_line line, t;
	vixl_parse(p, n, &line, &plain);
	vixl_parse_any(p, n, &t, &other);
	memcpy(again, p, line.prefix);
	size_t k = line.prefix + vixl_print(&line, again + line.prefix);
	if (k != n || memcmp(again, p, n) != 0)
		fail_msg("%s: '%.*s' became '%.*s'", name, (int)n, p, (int)k, again);
	k = line.prefix + vixl_print(&t, again + line.prefix);
	if (t.kind != line.kind || t.prefix != line.prefix || k != n || memcmp(again, p, n) != 0)
		fail_msg("%s: '%.*s': the table says kind %u", name, (int)n, p, t.kind);
	if (line.kind == VIXL_UNKNOWN || (line.kind == VIXL_TEXT && !is_known_text(p, n)))
		fail_msg("%s: '%.*s' was not understood", name, (int)n, p);
	if (vixl_is_register(line.kind) && line.lsb != t.lsb)
		fail_msg("%s: '%.*s': ranges differ", name, (int)n, p);
	seen.lines++;
	seen.text += line.kind == VIXL_TEXT;
	seen.prefixed += line.prefix != 0;
}

static void lines_of(struct cairn *cairn, const char *name, const char *p, size_t n)
{
	const char *end = p + n;
	(void)cairn;
	while (p < end) {
		const char *e, *next = text_line_ends(p, end, &e);
		same_line(name, p, (size_t)(e - p));
		p = next;
	}
}

static void every_line_is_itself_again(void **state)
{
	(void)state;
	every_log(lines_of);
	print_message("%llu lines, %llu of them foreign text, %llu behind foreign text\n",
	              (unsigned long long)seen.lines, (unsigned long long)seen.text,
	              (unsigned long long)seen.prefixed);
}

/* ---- batches ---- */

static void read_log(struct cairn *cairn, const char *p, size_t n, unsigned threads,
                     const char *options, struct fx_result *out)
{
	struct fx_trace trace = {.format = &vixl_format,
	                         .data = p,
	                         .n = n,
	                         .options = options,
	                         .want = options ? 0 : CAIRN_EVERYTHING & ~(uint32_t)CAIRN_PLACES};
	if (threads)
		fx_read_run(cairn, &trace, UINT64_MAX, threads, out);
	else
		fx_read_next(cairn, &trace, out);
	assert_int_equal(out->status, 0);
}

static void same_text(const char *name, const char *what, const struct fx_result *left,
                      const struct fx_result *right)
{
	const char *x = (const char *)left->text.data, *y = (const char *)right->text.data;
	size_t i = 0;
	while (i < left->text.len && i < right->text.len && x[i] == y[i])
		i++;
	if (i < left->text.len || i < right->text.len)
		fail_msg("%s, %s: from byte %zu on:\n%.300s\nis\n%.300s", name, what, i,
		         x + (i > 100 ? i - 100 : 0), y + (i > 100 ? i - 100 : 0));
	assert_int_equal(left->damage, right->damage);
}

static void ways_of(struct cairn *cairn, const char *name, const char *p, size_t n)
{
	static const char *const pieces[] = {"piece=2000", "piece=40000", "piece=1000000"};
	struct fx_result first, other;
	if (n > 4 << 20)
		n = 4 << 20;
	read_log(cairn, p, n, 0, "", &first);
	assert_int_equal(first.damage, 0);
	for (unsigned i = 0; i < 3; i++)
		for (unsigned threads = 1; threads <= 3; threads += 2) {
			read_log(cairn, p, n, threads, pieces[i], &other);
			same_text(name, pieces[i], &first, &other);
			fx_free(&other);
		}
	fx_free(&first);
}

static void threads_and_pieces_change_nothing(void **state)
{
	(void)state;
	every_log(ways_of);
}

/* Without escape sequences, or without bytes beyond ASCII. */
static size_t without(const char *p, size_t n, bool colour, char *out)
{
	size_t k = 0;
	for (size_t i = 0; i < n; i++) {
		if (colour && p[i] == '\033') {
			while (p[i] != 'm')
				i++;
			continue;
		}
		if (!colour && (unsigned char)p[i] >= 0x80)
			continue;
		out[k++] = p[i];
	}
	return k;
}

/* Places apart. */
static void plainer(struct cairn *cairn, const char *name, const char *p, size_t n)
{
	struct fx_result first, other;
	char *q = malloc(n);
	if (n > 4 << 20) {
		free(q);
		return;
	}
	read_log(cairn, p, n, 0, NULL, &first);
	for (int colour = 0; colour < 2; colour++) {
		if (colour && (strstr(name, "/rt-") || strstr(name, "sys-")))
			continue; /* coloured output of a program: another text */
		size_t k = without(p, n, colour, q);
		read_log(cairn, q, k, 0, NULL, &other);
		same_text(name, colour ? "without colour" : "in ASCII", &first, &other);
		fx_free(&other);
	}
	fx_free(&first);
	free(q);
}

static void colour_and_drawings_mean_nothing(void **state)
{
	(void)state;
	every_log(plainer);
}

/* ---- registers ---- */

enum { MAX_BYTES = 256, NUMS = 33, CLASSES = 8 };
static struct file_state {
	uint8_t value[CLASSES][NUMS][MAX_BYTES], known[CLASSES][NUMS][MAX_BYTES];
	uint64_t compared;
} regs;

static const uint8_t *bytes_of(const struct cairn_batch *batch, const struct cairn_reg *reg,
                               uint8_t room[8])
{
	if (reg->flags & CAIRN_VALUE_WIDE)
		return batch->bytes + reg->value;
	base_put_le64(room, reg->value);
	return room;
}

/* Whole bytes only: flags and FPCR's bits are shifted into a byte of their own. */
static void take_register(const char *name, const struct cairn_batch *batch,
                          const struct cairn_reg *reg, uint64_t n)
{
	uint8_t room[8];
	bool flags = reg->cls == CAIRN_REG_FLAGS || reg->cls == CAIRN_REG_CSR;
	unsigned first = flags ? 0 : reg->lsb / 8u, count = (reg->bits + 7) / 8;
	unsigned num = reg->cls == CAIRN_REG_CSR ? 0 : reg->num;
	const uint8_t *v = bytes_of(batch, reg, room);
	uint8_t *value = regs.value[reg->cls][num], *known = regs.known[reg->cls][num];
	if (reg->cls == CAIRN_REG_INT && reg->num == ISA_ARM64_XZR)
		return;
	assert_true(first + count <= MAX_BYTES);
	bool has = reg->flags & CAIRN_VALUE_KNOWN;
	if (reg->role != CAIRN_ROLE_DST && has)
		for (unsigned i = 0; i < count; i++) {
			if (known[first + i] && value[first + i] != v[i])
				fail_msg("%s: instruction %llu: class %u register %u byte %u is %02x, not %02x",
				         name, (unsigned long long)n, reg->cls, reg->num, first + i, v[i],
				         value[first + i]);
			regs.compared += known[first + i];
		}
	if (reg->role == CAIRN_ROLE_SRC && !has)
		return;
	memcpy(value + first, v, count);
	memset(known + first, has, count);
	if (reg->flags & CAIRN_VALUE_ZEROES) {
		memset(value + first + count, 0, MAX_BYTES - first - count);
		memset(known + first + count, 1, MAX_BYTES - first - count);
	}
}

static void registers_of(struct cairn *cairn, const char *name, const char *p, size_t n)
{
	struct cairn_reader *reader;
	struct cairn_batch *batch = cairn_batch_new(cairn);
	struct cairn_open_opts opts = {.size = sizeof opts, .from = "vixl"};
	int rc;
	memset(regs.known, 0, sizeof regs.known);
	assert_int_equal(cairn_open_memory(cairn, p, n, &opts, &reader), 0);
	/* Without stores and loads, or with some kinds of lines only, what is not logged
	 * changes unseen. */
	const struct vixl_impl *im = reader->impl;
	if (im->look.log < 31) {
		cairn_close(reader);
		cairn_batch_free(cairn, batch);
		return;
	}
	while ((rc = cairn_next(reader, batch)) > 0)
		for (uint32_t i = 0; i <= batch->n_insns; i++) {
			for (uint32_t k = batch->insns[i].ev0; k < batch->insns[i + 1].ev0; k++)
				if (batch->events[k].kind == CAIRN_EV_GAP)
					memset(regs.known, 0, sizeof regs.known);
			for (uint32_t k = batch->insns[i].reg0; k < batch->insns[i + 1].reg0; k++)
				if (batch->regs[k].role != CAIRN_ROLE_SRC ||
				    !vixl_same_register(batch->insns[i].enc))
					take_register(name, batch, &batch->regs[k], batch->n0 + i);
		}
	assert_int_equal(rc, 0);
	cairn_close(reader);
	cairn_batch_free(cairn, batch);
}

static void registers_are_what_later_lines_say(void **state)
{
	(void)state;
	every_log(registers_of);
	print_message("%llu bytes of registers compared\n", (unsigned long long)regs.compared);
	assert_true(regs.compared > 10000);
}

/* ---- up, then down ---- */

static struct {
	uint64_t lines[VIXL_KIND_COUNT], same[VIXL_KIND_COUNT];
} written;

/* A trace in memory, converted. */
static void converted(struct cairn *cairn, const void *p, size_t n, const char *from_what,
                      const char *to, struct base_buf *out)
{
	char path[] = "/tmp/interop_vixl_XXXXXX";
	struct cairn_create_opts opts = {.size = sizeof opts, .to = to, .codec = "none"};
	struct cairn_open_opts from = {.size = sizeof from, .from = from_what};
	struct cairn_batch *batch = cairn_batch_new(cairn);
	struct cairn_reader *reader;
	struct cairn_writer *writer;
	int fd = mkstemp(path), rc;
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(cairn_open_memory(cairn, p, n, &from, &reader), 0);
	assert_int_equal(cairn_create(cairn, path, &opts, &writer), 0);
	while ((rc = cairn_next(reader, batch)) > 0)
		assert_int_equal(cairn_put(writer, batch), 0);
	assert_int_equal(rc, 0);
	assert_int_equal(cairn_finish(writer, NULL), 0);
	cairn_close(reader);
	cairn_batch_free(cairn, batch);
	load(cairn, path, out);
	remove(path);
}

static const char *take_line(const char *p, const char *end, struct vixl_line *line, const char **e)
{
	static struct vixl_plain plain;
	if (p == end) {
		*line = (struct vixl_line){.kind = VIXL_INSN};
		*e = p;
		return p;
	}
	const char *next = text_line_ends(p, end, e);
	vixl_parse(p, (size_t)(*e - p), line, &plain);
	return next;
}

/* Instruction by instruction, line by line. */
static void compare_logs(const char *name, const char *p, size_t n, const char *q, size_t index)
{
	/* Branches that were not logged are written all the same. */
	bool logged = memmem(p, n, "Branch", 6) != NULL;
	const char *pe = p + n, *qe = q + index, *e, *f;
	const char *show = getenv("SHOW_DIFFERENCES");
	struct vixl_line line, m;
	while (p < pe) {
		const char *next = take_line(p, pe, &line, &e), *other = take_line(q, qe, &m, &f);
		if (!logged && m.kind == VIXL_BRANCH) {
			q = other;
			continue;
		}
		bool same = e - p == f - q && !memcmp(p, q, (size_t)(e - p));
		written.lines[line.kind]++;
		written.same[line.kind] += same;
		if (!same && show && !strcmp(show, vixl_kind_names[line.kind]))
			print_message("%s\n-%.*s\n+%.*s\n", name, (int)(e - p), p, (int)(f - q), q);
		bool ahead = !same && m.kind == VIXL_INSN && line.kind != VIXL_INSN;
		p = next;
		q = ahead ? q : other;
		if (same)
			continue;
		/* Where they differ, both go on with the next instruction. */
		while (p < pe && (next = take_line(p, pe, &line, &e), line.kind != VIXL_INSN)) {
			written.lines[line.kind]++;
			p = next;
		}
		while (q < qe && (next = take_line(q, qe, &m, &f), m.kind != VIXL_INSN))
			q = next;
	}
}

static void written_again(struct cairn *cairn, const char *name, const char *p, size_t n)
{
	struct base_buf out;
	if (strstr(name, "log-all.v1") || strstr(name, "pre-2019") || !vixl_find_insn(p, p + n))
		return; /* in today's form; without encodings annotations cannot be known */
	converted(cairn, p, n, "vixl", strstr(name, "colour") ? "vixl:colour" : "vixl", &out);
	compare_logs(name, p, n, (const char *)out.data, out.len);
	base_buf_free(&out);
}

struct goal {
	unsigned kind, most; /* lines that may differ */
};

static void judge_written(const struct goal *goals, unsigned n)
{
	for (unsigned i = 0; i < VIXL_KIND_COUNT; i++)
		if (written.lines[i])
			print_message("%-9s %8llu lines, %8llu the same (%.2f %%)\n", vixl_kind_names[i],
			              (unsigned long long)written.lines[i], (unsigned long long)written.same[i],
			              100.0 * (double)written.same[i] / (double)written.lines[i]);
	for (unsigned i = 0; i < n; i++)
		if (written.lines[goals[i].kind] - written.same[goals[i].kind] > goals[i].most)
			fail_msg("%s: more lines differ than are known to", vixl_kind_names[goals[i].kind]);
	memset(&written, 0, sizeof written);
}

static void logs_are_written_as_they_were(void **state)
{
	/* What is not: the lines behind foreign text (which gets a line of its own), those of
	 * LDAPUR, LDAPRB, SWPB and CASB, and operands of atomics that were lost. */
	static const struct goal goals[] = {
		{VIXL_INSN, 0},   {VIXL_TEXT, 0},   {VIXL_XREG, 4}, {VIXL_WREG, 4},    {VIXL_VREG, 0},
		{VIXL_VPART, 0},  {VIXL_ZREG, 0},   {VIXL_PREG, 0}, {VIXL_BLANK, 0},   {VIXL_NZCV, 0},
		{VIXL_FPCR, 0},   {VIXL_BRANCH, 2}, {VIXL_GCS, 0},  {VIXL_WRITE64, 0}, {VIXL_ACCESS, 0},
		{VIXL_XPART, 68}, {VIXL_BARE, 5}};
	(void)state;
	every_log(written_again);
	judge_written(goals, sizeof goals / sizeof *goals);
}

/* ---- words ---- */

static struct {
	struct vixl_words *words;
	uint64_t lines;
} spelled;

/* Without the features that an instruction needs, which some of the logs tell. */
static size_t words_alone(const char *text, size_t n)
{
	const char *end = memmem(text, n, "  ", 2);
	return end ? (size_t)(end - text) : n;
}

static void words_of(struct cairn *cairn, const char *name, const char *p, size_t n)
{
	const char *end = p + n, *line_end, *next;
	if (strstr(name, "/older/"))
		return; /* by an older disassembler */
	if (!spelled.words)
		spelled.words = vixl_words_new(cairn);
	assert_non_null(spelled.words);
	for (; p < end; p = next) {
		static struct vixl_plain plain;
		struct vixl_line line;
		const char *text;
		next = text_line_ends(p, end, &line_end);
		vixl_parse(p, (size_t)(line_end - p), &line, &plain);
		if (line.kind != VIXL_INSN)
			continue;
		size_t made = vixl_words_of(spelled.words, line.addr, !line.masked, line.enc, &text);
		size_t told = words_alone(line.text, line.text_len);
		if (made != told || memcmp(text, line.text, told) != 0)
			fail_msg("%s: %08x is '%.*s', not '%.*s'", name, line.enc, (int)told, line.text,
			         (int)made, text);
		spelled.lines++;
	}
}

static void words_are_the_simulators(void **state)
{
	(void)state;
	every_log(words_of);
	print_message("%llu instructions spelled alike\n", (unsigned long long)spelled.lines);
	assert_true(spelled.lines > 300000);
}

/* ---- judged ---- */

static int count_error(void *user, const struct cairn_finding *finding)
{
	*(uint64_t *)user += finding->rule->severity != CAIRN_NOTE;
	return 0;
}

static uint64_t errors_of(struct cairn *cairn, const void *p, size_t n)
{
	uint64_t errors = 0;
	struct cairn_reader *reader;
	struct cairn_open_opts from = {.size = sizeof from, .from = "vixl"};
	struct cairn_check_opts opts = {.size = sizeof opts,
	                                .threads = 1,
	                                .finding = count_error,
	                                .user = &errors};
	struct cairn_check_result result = {.size = sizeof result};
	assert_int_equal(cairn_open_memory(cairn, p, n, &from, &reader), 0);
	assert_int_equal(cairn_check(reader, &opts, &result), 0);
	cairn_close(reader);
	return errors;
}

/* Whoever stops the simulator has such a log: also one that ends within a drawing. */
static void cut_anywhere(struct cairn *cairn, const char *name, const char *p, size_t n)
{
	const char *end = p + n, *q = p;
	if (!strstr(name, "-logall"))
		return;
	uint64_t whole = errors_of(cairn, p, n);
	unsigned drawn = 0, line = 1;
	for (const char *from = p; (q = memchr(from, '\n', (size_t)(end - from))) != NULL; line++) {
		q++;
		bool bars = memmem(from, (size_t)(q - from), "\xe2\x95\x91", 3) != NULL;
		drawn += bars;
		from = q;
		if ((bars ? drawn % 11 == 0 : line % 61 == 0) &&
		    errors_of(cairn, p, (size_t)(q - p)) > whole)
			fail_msg("%s: errors when it ends behind line %u", name, line);
	}
}

static void a_log_may_end_anywhere(void **state)
{
	(void)state;
	every_log(cut_anywhere);
}

/* ---- through a format that has no registers of accesses ---- */

static uint64_t errors_after;

static void through_stf(struct cairn *cairn, const char *name, const char *p, size_t n)
{
	struct base_buf stf, out;
	if (!strstr(name, "-logall.txt") || strstr(name, "/mops") ||
	    (strstr(name, "/sve-") && !strstr(name, "vl128")))
		return; /* STF has no pieces of registers */
	converted(cairn, p, n, "vixl", "stf", &stf);
	converted(cairn, stf.data, stf.len, "stf", "vixl", &out);
	compare_logs(name, p, n, (const char *)out.data, out.len);
	errors_after += errors_of(cairn, out.data, out.len);
	base_buf_free(&stf);
	base_buf_free(&out);
}

static void lines_are_found_again_from_encodings(void **state)
{
	/* What is not: FPCR and what is loaded to XZR, which STF has not; V registers that SVE
	 * writes, which are of Z now; the line behind foreign text; and what the way up puts
	 * right: LDAPUR, restored operands, and the bytes of LDAPR, SWP and CAS. */
	static const struct goal goals[] = {
		{VIXL_INSN, 0},   {VIXL_TEXT, 0},   {VIXL_XREG, 4},    {VIXL_WREG, 4},
		{VIXL_XPART, 5},  {VIXL_VREG, 2},   {VIXL_VPART, 0},   {VIXL_ZREG, 0},
		{VIXL_PREG, 0},   {VIXL_ACCESS, 0}, {VIXL_NZCV, 0},    {VIXL_FPCR, 3},
		{VIXL_BRANCH, 3}, {VIXL_GCS, 0},    {VIXL_WRITE64, 0}, {VIXL_BARE, 4}};
	(void)state;
	every_log(through_stf);
	judge_written(goals, sizeof goals / sizeof *goals);
	assert_int_equal(errors_after, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_line_is_itself_again),
	                                   cmocka_unit_test(threads_and_pieces_change_nothing),
	                                   cmocka_unit_test(colour_and_drawings_mean_nothing),
	                                   cmocka_unit_test(registers_are_what_later_lines_say),
	                                   cmocka_unit_test(logs_are_written_as_they_were),
	                                   cmocka_unit_test(words_are_the_simulators),
	                                   cmocka_unit_test(a_log_may_end_anywhere),
	                                   cmocka_unit_test(lines_are_found_again_from_encodings)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
