/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What records mean where their writers differ: the same program as one writer and as
 * another tells it must be read alike, in whole, cut and mended.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../stf/tools.h"
#include "base/bytes.h"
#include "cairn/cairn.h"

static struct cairn *c;
static char dir[] = "/tmp/cairn-reading-XXXXXX";
static char paths[8][64];

static const char *at(unsigned index)
{
	snprintf(paths[index], sizeof paths[index], "%s/%u.stf", dir, index);
	return paths[index];
}

static void write_file(const char *path, const struct bytes *bytes)
{
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes->p, 1, bytes->n, f), bytes->n);
	fclose(f);
}

static void good(int rc)
{
	if (rc < 0)
		fail_msg("%d: %s", rc, cairn_error_text(c));
}

static struct cairn_reader *open_at(const char *path, const char *from)
{
	struct cairn_reader *reader = NULL;
	struct cairn_open_opts opts = {.size = sizeof opts, .from = from};
	good(cairn_open(c, path, &opts, &reader));
	return reader;
}

static struct notes notes_at(const char *path, const char *from, unsigned what)
{
	struct cairn_reader *reader = open_at(path, from);
	struct notes notes = notes_reader(c, reader, what);
	cairn_close(reader);
	return notes;
}

static void assert_alike(struct notes left, struct notes right, unsigned seed)
{
	const char *why = notes_differ(&left, &right);
	if (why)
		fail_msg("seed %u: %s", seed, why);
	notes_free(&left);
	notes_free(&right);
}

static void assert_fact(const char *path, const char *from, const char *key, const char *value)
{
	const struct cairn_info *info = NULL;
	struct cairn_reader *reader = open_at(path, from);
	bool found = false;
	good(cairn_reader_info(reader, &info));
	for (size_t i = 0; i < info->n; i++) {
		if (strcmp(info->facts[i].key, key) != 0)
			continue;
		found = true;
		assert_string_equal(info->facts[i].text, value);
	}
	assert_true(found);
	cairn_close(reader);
}

static void edit(const char *in, const char *from, const char *out, const char *want)
{
	struct cairn_reader *reader = open_at(in, from);
	struct cairn_edit_opts opts = {.size = sizeof opts};
	struct cairn_output output = {.size = sizeof output, .path = out, .to = want};
	good(cairn_edit(reader, &opts, &output, NULL));
	cairn_close(reader);
}

static void slice(const char *in, const char *out, uint64_t first, uint64_t last)
{
	struct cairn_reader *reader = open_at(in, NULL);
	struct cairn_range range = {first, last};
	struct cairn_slice_opts opts = {.size = sizeof opts, .ranges = &range, .n_ranges = 1};
	struct cairn_output output = {.size = sizeof output, .path = out};
	good(cairn_slice(reader, &opts, &output, NULL));
	cairn_close(reader);
}

static void merge(const char *a, const char *b, const char *out)
{
	struct cairn_merge_part parts[2] = {{.reader = open_at(a, NULL), .name = a},
	                                    {.reader = open_at(b, NULL), .name = b}};
	struct cairn_output output = {.size = sizeof output, .path = out};
	good(cairn_merge(parts, 2, &output, NULL));
	cairn_close(parts[0].reader);
	cairn_close(parts[1].reader);
}

/* ---- a program, told by several writers ---- */

enum teller {
	AS_SPECIFIED = 0,
	IN_BITS = 1,   /* sizes in bits, some in bytes */
	LATE = 2,      /* sources are read when results are written */
	FP_OF_INT = 4, /* … and those of floating-point registers from the integer ones */
	WAITING = 8    /* at first the program does nothing for a while */
};

static unsigned some_reg(uint64_t r)
{
	return 1 + (unsigned)(r % 31);
}

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

struct machine {
	uint64_t x[32], f[32], seed;
	enum teller how;
};

static void source(struct bytes *bytes, const struct machine *machine, const struct machine *before,
                   unsigned cls, unsigned num)
{
	const struct machine *told = machine->how & LATE ? machine : before;
	bool is_int = cls == CAIRN_REG_INT || (machine->how & FP_OF_INT);
	reg(bytes, num, cls, CAIRN_ROLE_SRC, is_int ? told->x[num] : told->f[num]);
}

/* A load or store of 1 to 8 bytes through register `base`. */
static void put_memory(struct bytes *bytes, struct machine *machine)
{
	uint64_t r = next_random(&machine->seed);
	unsigned shift = r % 4, base = some_reg(r / 4), data = some_reg(r / 128);
	bool load = r >> 20 & 1, slow = (r >> 21) % 8 == 0;
	uint32_t size = 1u << shift;
	struct machine before = *machine;
	uint64_t value =
		next_random(&machine->seed) & (shift == 3 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1);
	if (load)
		machine->x[data] = value;
	source(bytes, machine, &before, CAIRN_REG_INT, base);
	if (load)
		reg(bytes, data, CAIRN_REG_INT, CAIRN_ROLE_DST, value);
	else
		source(bytes, machine, &before, CAIRN_REG_INT, data);
	rec(bytes, CAIRN_STF_INST_MEM_ACCESS, "qhhb", before.x[base],
	    machine->how & IN_BITS && !slow ? 8 * size : size, 0, load ? 1 : 2);
	rec(bytes, CAIRN_STF_INST_MEM_CONTENT, "q", value);
	insn32(bytes, load ? 0x03u | shift << 12 | data << 7 | base << 15
	                   : 0x23u | shift << 12 | base << 15 | data << 20);
}

/* addi rd, rs, 1 or fadd.d: often the same register. */
static void put_sum(struct bytes *bytes, struct machine *machine, bool fp)
{
	uint64_t r = next_random(&machine->seed);
	unsigned rs = some_reg(r), rd = r >> 8 & 1 ? rs : some_reg(r / 512);
	struct machine before = *machine;
	if (fp)
		machine->f[rd] = next_random(&machine->seed);
	else
		machine->x[rd] = machine->x[rs] + 1;
	source(bytes, machine, &before, fp ? CAIRN_REG_FP : CAIRN_REG_INT, rs);
	reg(bytes, rd, fp ? CAIRN_REG_FP : CAIRN_REG_INT, CAIRN_ROLE_DST,
	    fp ? machine->f[rd] : machine->x[rd]);
	insn32(bytes,
	       fp ? 0x02000053u | rd << 7 | rs << 15 | rs << 20 : 0x00100013u | rd << 7 | rs << 15);
}

static struct bytes program(unsigned seed, unsigned n, enum teller how)
{
	struct bytes bytes = {0};
	struct machine machine = {.seed = 0x9e3779b97f4a7c15u * (seed + 1), .how = how};
	head(&bytes, (struct head){.features = CAIRN_STF_F_OPERAND_VALUE | CAIRN_STF_F_REG_STATE |
	                                       CAIRN_STF_F_RV64});
	for (unsigned i = 0; i < 32; i++) {
		machine.x[i] = i ? next_random(&machine.seed) : 0;
		machine.f[i] = next_random(&machine.seed);
		reg(&bytes, i, CAIRN_REG_INT, CAIRN_ROLE_STATE, machine.x[i]);
		reg(&bytes, i, CAIRN_REG_FP, CAIRN_ROLE_STATE, machine.f[i]);
	}
	for (unsigned i = how & WAITING ? 40000 : 1; i > 0; i--)
		insn32(&bytes, NOP);
	for (unsigned i = 0; i < n; i++) {
		uint64_t r = next_random(&machine.seed) % 8;
		if (r < 4)
			put_memory(&bytes, &machine);
		else
			put_sum(&bytes, &machine, r < 6);
	}
	return bytes;
}

/* Where the records behind the header begin. */
static size_t body_of(const struct bytes *bytes)
{
	struct cairn_stf_config cfg = config_of((struct head){0});
	size_t p = 0;
	while (p < bytes->n) {
		unsigned type = bytes->p[p];
		p += (size_t)cairn_stf_record_length(&cfg, bytes->p + p, bytes->n - p);
		if (type == CAIRN_STF_END_HEADER)
			break;
	}
	return p;
}

static void assert_same_body(const char *a, const char *b, unsigned seed)
{
	struct bytes x = bytes_of_file(a), y = bytes_of_file(b);
	size_t i = body_of(&x), k = body_of(&y);
	if (x.n - i != y.n - k || memcmp(x.p + i, y.p + k, x.n - i) != 0)
		fail_msg("seed %u: the records differ", seed);
	bytes_free(&x);
	bytes_free(&y);
}

/* ---- sizes ---- */

static void test_sizes_in_bits_are_read_as_bytes(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < 40; seed++) {
		unsigned n = 20 + 97 * seed;
		struct bytes bytes = program(seed, n, AS_SPECIFIED), bits = program(seed, n, IN_BITS);
		write_file(at(0), &bytes);
		write_file(at(1), &bits);
		assert_fact(at(0), NULL, "access_sizes", "bytes");
		assert_fact(at(1), NULL, "access_sizes", "bits");
		assert_alike(notes_at(at(0), NULL, NOTE_ALL), notes_at(at(1), NULL, NOTE_ALL), seed);
		assert_alike(notes_run(c, &bytes, NOTE_ALL, 3), notes_run(c, &bits, NOTE_ALL, 3), seed);
		assert_alike(notes_pipe(c, &bytes, NOTE_CONTEXT, 1), notes_pipe(c, &bits, NOTE_CONTEXT, 1),
		             seed);
		edit(at(1), NULL, at(2), "stf:sizes=bytes");
		assert_same_body(at(0), at(2), seed);
		/* Too little to be asked is left in it; a comment tells. */
		slice(at(0), at(3), n / 2, n / 2 + 3);
		slice(at(1), at(4), n / 2, n / 2 + 3);
		assert_fact(at(4), NULL, "access_sizes", "bits");
		assert_alike(notes_at(at(3), NULL, 0), notes_at(at(4), NULL, 0), seed);
		merge(at(4), at(3), at(5));
		assert_fact(at(5), NULL, "access_sizes", "bytes");
		merge(at(3), at(3), at(6));
		assert_alike(notes_at(at(5), NULL, 0), notes_at(at(6), NULL, 0), seed);
		bytes_free(&bytes);
		bytes_free(&bits);
	}
}

static void assert_reading(const char *path, enum teller how)
{
	assert_fact(path, NULL, "access_sizes", how & IN_BITS ? "bits" : "bytes");
	assert_fact(path, NULL, "source_values", how & LATE ? "after" : "before");
}

/* Also where the first chunks of a container have nothing to ask. */
static void test_what_comes_late_is_asked(void **state)
{
	(void)state;
	static const char *const chunks[] = {"zstf", "zstf:chunk=30000", "zstf:chunk=700"};
	char name[64];
	snprintf(name, sizeof name, "%s/late.zstf", dir);
	for (enum teller how = WAITING; how <= (WAITING | IN_BITS | LATE); how++) {
		struct bytes bytes = program(7, 200, how);
		write_file(at(0), &bytes);
		assert_reading(at(0), how);
		assert_alike(notes_at(at(0), NULL, 0), notes_pipe(c, &bytes, 0, 1), 7);
		for (unsigned i = 0; i < sizeof chunks / sizeof *chunks; i++) {
			struct cairn_output packed = {.size = sizeof packed, .path = name, .to = chunks[i]};
			struct cairn_reader *reader = open_at(at(0), NULL);
			good(cairn_convert(reader, &packed, NULL));
			cairn_close(reader);
			struct bytes container = bytes_of_file(name);
			assert_reading(name, how);
			assert_alike(notes_at(at(0), NULL, 0), notes_pipe(c, &container, 0, 1), i);
			bytes_free(&container);
		}
		bytes_free(&bytes);
	}
	unlink(name);
}

static void test_one_access_does_not_tell(void **state)
{
	(void)state;
	struct bytes bytes = {0};
	head(&bytes, (struct head){0});
	for (unsigned i = 0; i < 4; i++) {
		rec(&bytes, CAIRN_STF_INST_MEM_ACCESS, "qhhb", UINT64_C(0x2000), i == 1 ? 64 : 8, 0, 1);
		rec(&bytes, CAIRN_STF_INST_MEM_CONTENT, "q", UINT64_C(1));
		insn32(&bytes, 0x00013083); /* ld ra, 0(sp) */
	}
	write_file(at(0), &bytes);
	assert_fact(at(0), NULL, "access_sizes", "bytes");
	assert_fact(at(0), "stf:sizes=bits", "access_sizes", "bits");
	struct cairn_reader *reader = open_at(at(0), "stf:sizes=bits");
	assert_non_null(strstr(cairn_reader_reading(reader, 0), "as --from says"));
	assert_null(cairn_reader_reading(reader, 1));
	cairn_close(reader);
	bytes_free(&bytes);
}

/* ---- sources ---- */

/* Of each source that is known, and of the registers themselves: what the program had. */
static void assert_true_sources(const char *path, const char *truth, unsigned seed)
{
	struct cairn_reader *reader = open_at(path, NULL), *t = open_at(truth, NULL);
	struct cairn_batch *left = cairn_batch_new(c), *right = cairn_batch_new(c);
	uint64_t known = 0;
	while (cairn_next(reader, left) > 0) {
		assert_true(cairn_next(t, right) > 0);
		assert_int_equal(left->n_regs, right->n_regs);
		for (uint32_t i = 0; i < left->n_regs; i++) {
			if (!(left->regs[i].flags & CAIRN_VALUE_KNOWN))
				continue;
			known += left->regs[i].role == CAIRN_ROLE_SRC;
			if (left->regs[i].value != right->regs[i].value)
				fail_msg("seed %u: register row %u", seed, i);
		}
	}
	assert_true(known > 0);
	cairn_batch_free(c, left);
	cairn_batch_free(c, right);
	cairn_close(reader);
	cairn_close(t);
}

static void test_late_sources_are_not_what_was_before(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < 40; seed++) {
		unsigned n = 60 + 97 * seed;
		enum teller how = seed % 2 ? LATE | FP_OF_INT : LATE;
		struct bytes truth = program(seed, n, AS_SPECIFIED), late = program(seed, n, how);
		write_file(at(0), &truth);
		write_file(at(1), &late);
		assert_fact(at(0), NULL, "source_values", "before");
		assert_fact(at(1), NULL, "source_values", "after");
		assert_true_sources(at(1), at(0), seed);
		edit(at(1), NULL, at(2), "stf:sources=before");
		assert_same_body(at(0), at(2), seed);
		assert_fact(at(2), NULL, "source_values", "before");
		slice(at(1), at(3), n / 2, n / 2 + 20);
		slice(at(0), at(4), n / 2, n / 2 + 20);
		assert_fact(at(3), NULL, "source_values", "after");
		assert_true_sources(at(3), at(4), seed);
		assert_fact(at(1), "stf:sources=before", "source_values", "before");
		bytes_free(&truth);
		bytes_free(&late);
	}
}

/* ---- process ids, of every version into every version ---- */

static struct bytes with_ids(unsigned minor)
{
	static const uint32_t first[3] = {1, 2, 3};
	struct bytes bytes = {0};
	head(&bytes, (struct head){.minor = minor,
	                           .ids = first,
	                           .narrow = minor < 5,
	                           .features = CAIRN_STF_F_PROCESS_ID | CAIRN_STF_F_RV64});
	insn32(&bytes, NOP);
	insn32(&bytes, NOP);
	rec(&bytes, CAIRN_STF_PROCESS_ID_EXT, "www", 4, 5, 6);
	insn32(&bytes, NOP);
	return bytes;
}

/* Process and thread have a place in each version, the others in one of two. */
static void assert_ids(const char *path, unsigned from, uint64_t skipped)
{
	static const uint32_t ids[2][3] = {{1, 2, 3}, {4, 5, 6}};
	struct cairn_reader *reader = open_at(path, NULL);
	struct cairn_batch *batch = cairn_batch_new(c);
	assert_int_equal(cairn_next(reader, batch), 1);
	assert_true(batch->n_insns > 0);
	for (uint32_t i = 0; i < batch->n_insns; i++) {
		const uint32_t *want = ids[(i + skipped) % 3 == 2];
		const struct cairn_ctx *ctx = &batch->ctxs[batch->insns[i].ctx];
		assert_int_equal(ctx->pid, want[from >= 5]);
		assert_int_equal(ctx->tid, want[1 + (from >= 5)]);
		if (ctx->known & CAIRN_CTX_ASID)
			assert_int_equal(ctx->asid, from < 5 ? want[2] : 0);
		if (ctx->known & CAIRN_CTX_HW_TID)
			assert_int_equal(ctx->hw_tid, from < 5 ? 0 : want[0]);
	}
	cairn_batch_free(c, batch);
	cairn_close(reader);
}

static void test_ids_mean_the_same_in_every_version(void **state)
{
	(void)state;
	for (unsigned from = 2; from <= 6; from++) {
		struct bytes bytes = with_ids(from);
		write_file(at(0), &bytes);
		assert_ids(at(0), from, 0);
		for (unsigned want = 2; want <= 6; want++) {
			char spec[32];
			snprintf(spec, sizeof spec, "stf:version=1.%u", want);
			edit(at(0), NULL, at(1), spec);
			assert_ids(at(1), from, 0);
			struct cairn_reader *reader = open_at(at(0), NULL);
			struct cairn_output output = {.size = sizeof output, .path = at(2), .to = spec};
			for (uint64_t first = 1; first <= 3; first++) {
				struct cairn_range range = {first, 3};
				struct cairn_slice_opts opts = {.size = sizeof opts,
				                                .ranges = &range,
				                                .n_ranges = 1};
				good(cairn_seek(reader, 1));
				good(cairn_slice(reader, &opts, &output, NULL));
				assert_ids(at(2), from, first - 1);
			}
			good(cairn_seek(reader, 1));
			output.path = at(3);
			good(cairn_convert(reader, &output, NULL));
			assert_ids(at(3), from, 0);
			cairn_close(reader);
			/* Both ways: header and body of either part. */
			struct bytes other = with_ids(want);
			write_file(at(4), &other);
			merge(at(0), at(4), at(5));
			slice(at(5), at(6), 1, 3);
			assert_ids(at(6), from, 0);
			slice(at(5), at(6), 4, 6);
			assert_ids(at(6), want, 0);
			bytes_free(&other);
		}
		bytes_free(&bytes);
	}
}

/* ---- initiators ---- */

static struct bytes with_masters(unsigned from, unsigned to)
{
	struct bytes bytes = {0};
	head(&bytes, (struct head){0});
	for (unsigned i = from; i <= to; i++) {
		rec(&bytes, CAIRN_STF_BUS_MASTER_ACCESS, "qhbbwb", UINT64_C(0x1000), 8, i, 1, 0, 1);
		rec(&bytes, CAIRN_STF_BUS_MASTER_CONTENT, "q", UINT64_C(1));
	}
	insn32(&bytes, NOP);
	return bytes;
}

static void test_initiators_keep_their_meaning(void **state)
{
	(void)state;
	struct bytes library = with_masters(1, 6), spec = with_masters(0, 5), all = with_masters(0, 6);
	write_file(at(0), &library);
	write_file(at(1), &spec);
	write_file(at(2), &all);
	assert_fact(at(0), NULL, "initiators", "library");
	assert_fact(at(1), "stf:initiators=spec", "initiators", "spec");
	assert_alike(notes_at(at(0), NULL, NOTE_ALL), notes_at(at(1), "stf:initiators=spec", NOTE_ALL),
	             0);
	edit(at(0), NULL, at(3), "stf:initiators=spec");
	assert_same_body(at(1), at(3), 0);
	assert_fact(at(3), NULL, "initiators", "spec");
	edit(at(3), NULL, at(4), "stf:initiators=library");
	assert_same_body(at(0), at(4), 0);
	assert_fact(at(4), NULL, "initiators", "library");
	merge(at(3), at(0), at(5));
	merge(at(3), at(3), at(6));
	assert_alike(notes_at(at(5), NULL, 0), notes_at(at(6), NULL, 0), 0);
	merge(at(0), at(3), at(5));
	assert_fact(at(5), NULL, "initiators", "library");
	assert_alike(notes_at(at(5), NULL, 0), notes_at(at(6), NULL, 0), 0);

	/* Through batches, ACCEL too. */
	struct cairn_reader *reader = open_at(at(2), "stf:initiators=spec");
	struct cairn_writer *writer = NULL;
	struct cairn_batch *batch = cairn_batch_new(c);
	struct cairn_create_opts opts = {.size = sizeof opts, .to = "stf:initiators=spec"};
	good(cairn_create(c, at(7), &opts, &writer));
	while (cairn_next(reader, batch) > 0)
		good(cairn_put(writer, batch));
	good(cairn_finish(writer, NULL));
	cairn_batch_free(c, batch);
	cairn_close(reader);
	assert_fact(at(7), NULL, "initiators", "spec");
	assert_alike(notes_at(at(2), "stf:initiators=spec", 0), notes_at(at(7), NULL, 0), 0);
	bytes_free(&library);
	bytes_free(&spec);
	bytes_free(&all);
}

static void test_options_that_are_none_are_refused(void **state)
{
	(void)state;
	static const char *const wrong[] = {"stf:sizes=words", "stf:sources=during",
	                                    "stf:initiators=1"};
	struct bytes bytes = program(1, 10, AS_SPECIFIED);
	write_file(at(0), &bytes);
	for (size_t i = 0; i < 3; i++) {
		struct cairn_reader *reader = NULL;
		struct cairn_open_opts opts = {.size = sizeof opts, .from = wrong[i]};
		assert_int_equal(cairn_open(c, at(0), &opts, &reader), CAIRN_E_INVAL);
	}
	bytes_free(&bytes);
}

static int set_up(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(dir));
	c = cairn_new(NULL);
	return c ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 8; i++)
		unlink(at(i));
	cairn_free(c);
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes_in_bits_are_read_as_bytes),
		cmocka_unit_test(test_what_comes_late_is_asked),
		cmocka_unit_test(test_one_access_does_not_tell),
		cmocka_unit_test(test_late_sources_are_not_what_was_before),
		cmocka_unit_test(test_ids_mean_the_same_in_every_version),
		cmocka_unit_test(test_initiators_keep_their_meaning),
		cmocka_unit_test(test_options_that_are_none_are_refused),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
