/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Real STF traces against facts from an independent parser: how many instructions
 * and records of each kind, and the SHA-256 of the lines "PC ENCODING" of all
 * instructions in order.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../stf/tools.h"
#include "base/bytes.h"

static struct cairn *c;
static const char *data;

static int setup(void **state)
{
	(void)state;
	c = cairn_new(NULL);
	data = getenv("CAIRN_TEST_DATA");
	return c ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	cairn_free(c);
	return 0;
}

/* ---- SHA-256 (FIPS 180-4) ---- */

struct sha {
	uint32_t h[8];
	uint8_t block[64];
	uint64_t n;
};

static const uint32_t sha_k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

static void sha_block(struct sha *sha)
{
	uint32_t w[64], v[8];
	for (unsigned i = 0; i < 16; i++)
		w[i] = base_be32(sha->block + 4 * i);
	for (unsigned i = 16; i < 64; i++)
		w[i] = w[i - 16] + w[i - 7] + (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3) +
		       (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10);
	memcpy(v, sha->h, sizeof v);
	for (unsigned i = 0; i < 64; i++) {
		uint32_t a = v[0], e = v[4];
		uint32_t t1 = v[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & v[5]) ^ (~e & v[6])) +
		              sha_k[i] + w[i];
		uint32_t t2 =
			(turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
		memmove(v + 1, v, 7 * sizeof *v);
		v[4] += t1;
		v[0] = t1 + t2;
	}
	for (unsigned i = 0; i < 8; i++)
		sha->h[i] += v[i];
}

static void sha_put(struct sha *sha, const char *p, size_t n)
{
	for (; n; n--) {
		sha->block[sha->n++ % 64] = (uint8_t)*p++;
		if (sha->n % 64 == 0)
			sha_block(sha);
	}
}

static void sha_text(struct sha *sha, char out[65])
{
	uint64_t bits = sha->n * 8;
	sha_put(sha, "\x80", 1);
	while (sha->n % 64 != 56)
		sha_put(sha, "", 1);
	char length[8];
	for (unsigned i = 0; i < 8; i++)
		length[i] = (char)(bits >> (56 - 8 * i));
	sha_put(sha, length, 8);
	for (unsigned i = 0; i < 8; i++)
		snprintf(out + 8 * i, 9, "%08x", sha->h[i]);
}

static const struct sha sha_new = {.h = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                         0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};

static void the_digest_is_right(void **state)
{
	(void)state;
	struct sha sha = sha_new;
	char text[65];
	sha_put(&sha, "abc", 3);
	sha_text(&sha, text);
	assert_string_equal(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

/* ---- facts ---- */

struct fact {
	char file[256], sha[65];
	uint64_t instructions, records, kinds[256];
};

/* A line of facts.jsonl; its keys are known. 0: it tells of an error. */
static int parse_fact(const char *line, struct fact *fact)
{
	memset(fact, 0, sizeof *fact);
	assert_int_equal(sscanf(line, "{\"file\": \"%255[^\"]\"", fact->file), 1);
	if (strstr(line, "\"error\": "))
		return 0;
	assert_int_equal(sscanf(strstr(line, "\"instructions\": "), "\"instructions\": %" SCNu64,
	                        &fact->instructions),
	                 1);
	assert_int_equal(sscanf(strstr(line, "\"records\": "), "\"records\": %" SCNu64, &fact->records),
	                 1);
	assert_int_equal(sscanf(strstr(line, "\"sha256_pc_enc\": "),
	                        "\"sha256_pc_enc\": \"%64[0-9a-f]\"", fact->sha),
	                 1);
	const char *p = strstr(line, "\"kinds\": {") + 10;
	for (;;) {
		unsigned kind;
		uint64_t n;
		int used;
		if (sscanf(p, "\"%u\": %" SCNu64 "%n", &kind, &n, &used) != 2)
			break;
		fact->kinds[kind & 255] = n;
		p += used;
		p += strspn(p, ", ");
	}
	return 1;
}

static void digest_of(const char *path, struct fact *got)
{
	struct sha sha = sha_new;
	struct cairn_reader *reader;
	struct cairn_batch *batch = cairn_batch_new(c);
	int rc;
	if (cairn_open(c, path, NULL, &reader) < 0)
		fail_msg("%s", cairn_error_text(c));
	cairn_reader_want(reader, CAIRN_PC | CAIRN_ENC);
	while ((rc = cairn_next(reader, batch)) > 0) {
		for (uint32_t i = 0; i < batch->n_insns; i++) {
			char line[40];
			int n = snprintf(line, sizeof line, "%llx %x\n", (unsigned long long)batch->insns[i].pc,
			                 batch->insns[i].enc);
			sha_put(&sha, line, (size_t)n);
		}
		got->instructions += batch->n_insns;
	}
	assert_int_equal(rc, 0);
	assert_int_equal(cairn_damage_count(reader), 0);
	sha_text(&sha, got->sha);
	cairn_close(reader);
	cairn_batch_free(c, batch);
}

static void records_of(const char *path, struct fact *got)
{
	struct cairn_reader *reader;
	struct cairn_record one;
	int rc;
	assert_int_equal(cairn_open(c, path, NULL, &reader), 0);
	while ((rc = cairn_next_record(reader, &one)) > 0) {
		got->kinds[one.type & 255]++;
		got->records++;
	}
	assert_int_equal(rc, 0);
	cairn_close(reader);
}

static void check_count(const char *path, const struct fact *fact, unsigned threads)
{
	struct cairn_reader *reader;
	struct cairn_tally tally = {.size = sizeof tally};
	assert_int_equal(cairn_open(c, path, NULL, &reader), 0);
	assert_int_equal(cairn_count(reader, threads, &tally), 0);
	assert_int_equal(tally.instructions, fact->instructions);
	assert_int_equal(tally.records, fact->records);
	assert_memory_equal(tally.by_record, fact->kinds, sizeof tally.by_record);
	cairn_close(reader);
}

static void check_error(const char *path)
{
	struct cairn_reader *reader;
	int rc = cairn_open(c, path, NULL, &reader);
	if (rc < 0) {
		assert_true(strlen(cairn_error_text(c)) > 20);
		assert_null(strchr(cairn_error_text(c), '\n'));
		assert_non_null(strstr(cairn_error_text(c), path));
		return;
	}
	struct cairn_batch *batch = cairn_batch_new(c);
	while ((rc = cairn_next(reader, batch)) > 0)
		;
	assert_true(rc < 0 || cairn_damage_count(reader) > 0);
	cairn_batch_free(c, batch);
	cairn_close(reader);
}

static void check_fact(const char *line)
{
	struct fact fact, got = {{0}};
	char path[4096];
	int good = parse_fact(line, &fact);
	snprintf(path, sizeof path, "%s/stf/%s", data, fact.file);
	if (!good) {
		check_error(path);
		return;
	}
	digest_of(path, &got);
	if (got.instructions != fact.instructions || strcmp(got.sha, fact.sha))
		fail_msg("%s: %" PRIu64 " instructions, digest %s; expected %" PRIu64 ", %s", fact.file,
		         got.instructions, got.sha, fact.instructions, fact.sha);
	records_of(path, &got);
	assert_int_equal(got.records, fact.records);
	assert_memory_equal(got.kinds, fact.kinds, sizeof fact.kinds);
	check_count(path, &fact, 1);
	check_count(path, &fact, 3);
}

static void every_trace_is_what_the_facts_say(void **state)
{
	(void)state;
	char path[4096];
	snprintf(path, sizeof path, "%s/stf/expected/facts.jsonl", data ? data : "");
	struct bytes facts = bytes_of_file(path);
	if (facts.n == 0)
		skip();
	bytes_put(&facts, "", 1);
	unsigned n = 0;
	char *save = NULL;
	for (char *line = strtok_r((char *)facts.p, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save), n++)
		check_fact(line);
	assert_true(n >= 30);
	bytes_free(&facts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_digest_is_right),
		cmocka_unit_test(every_trace_is_what_the_facts_say),
	};
	return cmocka_run_group_tests_name("stf_facts", tests, setup, teardown);
}
