/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Damage in real ETE streams: of every session of the snapshots in data/ete some hundred
 * times one bit is turned over, or the end is cut off. What must hold then:
 *
 * - reading comes to its end, and what could not be read is told: no packet is broken, or
 *   reserved, without a gap, and the checker finds an error for every gap;
 * - behind the next place in the original where reading can begin, the elements are those
 *   of the original;
 * - findings do not depend on threads, and lie within the bytes.
 *
 * Everything follows from a seed. The cost is bounded: long streams are damaged less often.
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

#include "cairn/check.h"
#include "formats/ete/format.h"

enum { FLIPS = 300, BUDGET = 24 << 20, CHECKED = 4 };

static struct cairn *c;
static size_t flips, resynced, told, checked, errors;

/* ---- elements ---- */

struct list {
	struct cairn_ete_element *element;
	size_t n, cap;
};

static void read_elements(const struct cairn_ete_config *cfg, const uint8_t *p, size_t n,
                          struct list *list)
{
	struct cairn_ete_elements_opts opts = {.size = sizeof opts, .transactions = CAIRN_ETE_KEEP};
	struct cairn_ete_elements *elements;
	list->n = 0;
	assert_int_equal(cairn_ete_elements_open(c, cfg, &opts, p, n, 0, &elements), 0);
	for (int64_t got = 1; got > 0; list->n += (size_t)got) {
		if (list->cap - list->n < 256) {
			list->cap = list->cap * 2 + 1024;
			list->element = realloc(list->element, list->cap * sizeof *list->element);
			assert_non_null(list->element);
		}
		got = cairn_ete_elements_fill(elements, list->element + list->n, 256);
		assert_true(got >= 0);
	}
	cairn_ete_elements_close(elements);
}

/* The first place behind `from` where a part may begin: nothing before it matters then. */
static size_t next_place(const struct cairn_ete_config *cfg, const uint8_t *p, size_t n,
                         size_t from)
{
	struct cairn_ete_elements *elements;
	size_t at = SIZE_MAX;
	assert_int_equal(cairn_ete_elements_open(c, cfg, NULL, p, n, 0, &elements), 0);
	if (from < n && cairn_ete_elements_sync_set(elements, from) >= 0 &&
	    cairn_ete_elements_sync_forward(elements) >= 0)
		at = (size_t)cairn_ete_elements_tell(elements);
	cairn_ete_elements_close(elements);
	return at;
}

/* What came of packets from `place` on is the same on both sides, but for what is known of
 * a transaction that began before. */
static void same_from(const char *name, const struct list *left, const struct list *right,
                      size_t place)
{
	const unsigned before =
		CAIRN_ETE_IN_TRANSACTION | CAIRN_ETE_DISCARDED | CAIRN_ETE_OUTCOME_UNKNOWN;
	size_t i = 0, j = 0;
	while (i < left->n && left->element[i].offset < place)
		i++;
	while (j < right->n && right->element[j].offset < place)
		j++;
	for (; i < left->n && j < right->n; i++, j++) {
		struct cairn_ete_element x = left->element[i], y = right->element[j];
		x.flags &= (uint16_t)~before;
		y.flags &= (uint16_t)~before;
		if (memcmp(&x, &y, sizeof x) != 0)
			fail_msg("%s, synced at 0x%zx: element %s at 0x%llx is %s at 0x%llx", name, place,
			         cairn_ete_element_name(x.kind), (unsigned long long)x.offset,
			         cairn_ete_element_name(y.kind), (unsigned long long)y.offset);
	}
	if (i < left->n || j < right->n)
		fail_msg("%s, synced at 0x%zx: %zu elements are %zu", name, place, left->n, right->n);
}

/* Gaps because of what cannot be read. */
static size_t gaps(const struct list *list)
{
	size_t lost = 0;
	for (size_t i = 0; i < list->n; i++)
		lost += list->element[i].kind == CAIRN_ETE_NO_SYNC &&
		        list->element[i].number >= CAIRN_ETE_BAD_PACKET;
	return lost;
}

/* Packets that could not be read, in step: where elements are being decoded. */
static size_t broken_packets(const struct cairn_ete_config *cfg, const uint8_t *p, size_t n)
{
	struct cairn_ete_packets *packets;
	struct cairn_ete_packet packet;
	size_t broken = 0;
	uint64_t bytes = 0;
	assert_int_equal(cairn_ete_packets_open(c, cfg, p, n, 0, &packets), 0);
	while (cairn_ete_packets_next(packets, &packet)) {
		assert_int_equal(packet.offset, bytes);
		bytes += packet.size;
		broken += packet.type >= CAIRN_ETE_P_BAD && packet.type <= CAIRN_ETE_P_INCOMPLETE;
	}
	assert_int_equal(bytes, n);
	cairn_ete_packets_close(packets);
	return broken;
}

/* ---- findings ---- */

struct seen {
	char text[1 << 18];
	size_t len, n;
};

static int take(void *user, const struct cairn_finding *finding)
{
	struct seen *seen = user;
	seen->len += (size_t)snprintf(
		seen->text + seen->len, sizeof seen->text - seen->len, "%s %llx %llu %llu: %s\n",
		finding->rule->id, (unsigned long long)finding->offset, (unsigned long long)finding->record,
		(unsigned long long)finding->insn, finding->message);
	assert_true(seen->len < sizeof seen->text);
	seen->n++;
	return 0;
}

static uint64_t judge(const struct ete_program *program, const uint8_t *p, size_t n,
                      unsigned threads, struct seen *seen)
{
	const struct cairn_ete_config *cfg = &program->cfg;
	char from[256];
	struct cairn_open_opts open_opts = {.size = sizeof open_opts,
	                                    .from = from,
	                                    .lenient = 1,
	                                    .image = program->image};
	struct cairn_check_opts opts = {.size = sizeof opts,
	                                .threads = threads,
	                                .most = 50,
	                                .finding = take,
	                                .user = seen};
	struct cairn_check_result result = {.size = sizeof result};
	struct cairn_reader *reader;
	snprintf(from, sizeof from,
	         "ete:framing=raw,piece=512,trcconfigr=0x%x,trcdevarch=0x%x,"
	         "trcidr0=0x%x,trcidr1=0x%x,trcidr2=0x%x,trcidr8=0x%x",
	         cfg->configr, cfg->devarch, cfg->idr0, cfg->idr1, cfg->idr2, cfg->idr8);
	seen->len = seen->n = 0;
	*seen->text = 0;
	if (cairn_open_memory(c, p, n, &open_opts, &reader) < 0)
		fail_msg("%s", cairn_error_text(c));
	assert_int_equal(cairn_check(reader, &opts, &result), 0);
	cairn_close(reader);
	return result.errors + result.warnings; /* packets cut off by the end are one of these */
}

static void judge_twice(const char *name, const struct ete_program *program, const uint8_t *p,
                        size_t n, size_t lost)
{
	static struct seen one, other;
	uint64_t found = judge(program, p, n, 1, &one);
	judge(program, p, n, 3, &other);
	assert_string_equal(one.text, other.text);
	checked++;
	errors += found > 0;
	if (lost && !found)
		fail_msg("%s: a gap, but nothing is found wrong: %s", name, one.text);
}

/* ---- damage ---- */

static uint32_t roll(uint64_t *seed, uint64_t n)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)((*seed >> 33) % n);
}

static void damage(const char *name, const struct ete_program *program, const uint8_t *p, size_t n)
{
	struct list whole = {0}, now = {0};
	const struct cairn_ete_config *cfg = &program->cfg;
	uint8_t *bytes = malloc(n + 1);
	uint64_t seed = n * 2 + 1;
	size_t times = BUDGET / 4 / (n + 1) < FLIPS ? BUDGET / 4 / (n + 1) : FLIPS;
	assert_non_null(bytes);
	read_elements(cfg, p, n, &whole);
	for (size_t k = 0; k < times && n; k++, flips++) {
		size_t at = roll(&seed, n), left = n, place;
		memcpy(bytes, p, n);
		if (k % 4 == 3)
			left = at;
		else
			bytes[at] ^= (uint8_t)(1u << roll(&seed, 8));
		read_elements(cfg, bytes, left, &now);
		assert_int_equal(now.element[now.n - 1].kind == CAIRN_ETE_END ||
		                     now.element[now.n - 1].kind == CAIRN_ETE_NO_SYNC,
		                 1);
		/* An Async at once behind the flip may have been a part of what was there. */
		place = left == n ? next_place(cfg, p, n, at + CAIRN_ETE_MAX_PACKET) : SIZE_MAX;
		if (place != SIZE_MAX) {
			same_from(name, &whole, &now, place);
			resynced++;
		}
		size_t lost = gaps(&now), before = gaps(&whole);
		if (broken_packets(cfg, bytes, left) && !before)
			assert_true(lost > 0 || now.element[0].kind == CAIRN_ETE_NO_SYNC);
		told += lost > before;
		if (k % CHECKED == 0)
			judge_twice(name, program, bytes, left, lost);
	}
	free(bytes);
	free(whole.element);
	free(now.element);
}

/* ---- snapshots ---- */

static void snapshot(const char *path, const char *name)
{
	struct cairn_open_opts opts = {.size = sizeof opts, .from = "ete:piece=1000000000"};
	struct cairn_reader *reader;
	struct model_span span = {0};
	if (cairn_open(c, path, &opts, &reader) < 0)
		fail_msg("%s: %s", path, cairn_error_text(c));
	while (ete_cut(reader, &span, true) > 0) { /* a source's bytes, all of them */
		const struct ete_span *sp = span.priv;
		if (sp->program)
			damage(name, sp->program, sp->p, sp->n);
		ete_drop(reader, &span);
		model_damage_free(c, &span.damage);
	}
	cairn_close(reader);
}

static void every_session_survives_damage(void **state)
{
	static const char *const folders[] = {"snapshots", "snapshots-silicon"};
	const char *data = getenv("CAIRN_TEST_DATA");
	size_t snapshots = 0;
	(void)state;
	if (!data || access(data, R_OK) < 0)
		skip();
	c = cairn_new(NULL);
	for (unsigned i = 0; i < 2; i++) {
		char path[1300], folder[1000];
		struct dirent **names;
		snprintf(folder, sizeof folder, "%s/ete/%s", data, folders[i]);
		int n = scandir(folder, &names, NULL, alphasort);
		for (int k = 0; k < n; k++) {
			snprintf(path, sizeof path, "%s/%s", folder, names[k]->d_name);
			if (*names[k]->d_name != '.') {
				snapshot(path, names[k]->d_name);
				snapshots++;
			}
			free(names[k]);
		}
		if (n >= 0)
			free(names);
	}
	cairn_free(c);
	print_message("%zu snapshots damaged %zu times; %zu times back in step, %zu times lost; "
	              "%zu judged, %zu found wrong\n",
	              snapshots, flips, resynced, told, checked, errors);
	assert_true(snapshots > 20 && flips > 5000 && told > 1000 && resynced > 500);
	assert_true(errors > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_session_survives_damage)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
