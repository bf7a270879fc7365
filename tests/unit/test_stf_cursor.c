/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs of records beside the obvious walk, record by record. The cursor makes out the place
 * at a run's ends only, from the last target on; runs end at markers, and wherever a window
 * of the input does, also between a target and the instruction it belongs to.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../stf/tools.h"
#include "base/bytes.h"
#include "formats/stf/change.h"

enum { GROUPS = 60000, SHIFTS = 40 };

static uint64_t chance(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

/* Full of targets, also such as no instruction is behind, and of what changes the place. */
static struct bytes trace_of(unsigned shift)
{
	struct bytes b = {0};
	struct head h = {.iem = 2, .no_pc = shift % 2}; /* then unknown up to the first target */
	char text[SHIFTS + 1];
	uint64_t s = 88172645463325252u + shift;
	head(&b, h);
	memset(text, '.', shift);
	text[shift] = 0;
	rec(&b, CAIRN_STF_COMMENT, "T", text); /* moves where windows end */
	for (unsigned i = 0; i < GROUPS; i++) {
		if (chance(&s) % 40 == 0)
			rec(&b, CAIRN_STF_FORCE_PC, "q", chance(&s) & 0xfffffe);
		for (uint64_t k = chance(&s) % 3; k; k--)
			rec(&b, CAIRN_STF_INST_PC_TARGET, "q", chance(&s) & 0xfffffe);
		if (chance(&s) % 40 == 0)
			rec(&b, CAIRN_STF_EVENT_PC_TARGET, "q", chance(&s) & 0xfffffe);
		if (chance(&s) % 3 == 0)
			rec(&b, CAIRN_STF_INST_MEM_ACCESS, "qhhb", chance(&s), 8u, 0u, 1u);
		if (chance(&s) % 2)
			insn32(&b, 0x13);
		else
			insn16(&b, 1);
	}
	return b;
}

struct place {
	uint64_t pc, target, n, rec;
	bool known, has_target;
};

static bool step(struct place *at, const uint8_t *p)
{
	unsigned size = *p == CAIRN_STF_INST_32 ? 4 : *p == CAIRN_STF_INST_16 ? 2 : 0;
	at->rec++;
	if (*p == CAIRN_STF_FORCE_PC) {
		at->pc = base_le64(p + 1);
		at->known = true;
	} else if (*p == CAIRN_STF_INST_PC_TARGET || *p == CAIRN_STF_EVENT_PC_TARGET) {
		at->target = base_le64(p + 1);
		at->has_target = true;
	} else if (size) {
		at->pc = at->has_target ? at->target : at->pc + size;
		at->known |= at->has_target;
		at->has_target = false;
		at->n++;
	}
	return size;
}

static void same_place(const struct place *at, const struct stf_state *is)
{
	assert_int_equal(is->pc_known, at->known);
	assert_true(!at->known || is->pc == at->pc);
	assert_int_equal(is->has_target, at->has_target);
	assert_true(!at->has_target || is->target == at->target);
	assert_int_equal(is->n, at->n);
	assert_int_equal(is->rec, at->rec);
}

/* Returns how many runs ended within a group. */
static unsigned follow(struct cairn *c, const char *path, uint64_t most)
{
	struct cairn_reader *r = NULL;
	struct stf_cursor k;
	struct stf_run run;
	struct place at = {0};
	uint64_t s = most;
	unsigned within = 0;
	if (cairn_open(c, path, NULL, &r) < 0)
		fail_msg("%s", cairn_error_text(c));
	const struct stf_impl *im = r->impl;
	stf_cursor_init(&k, r);
	assert_int_equal(stf_cursor_ready(&k), 1);
	at = (struct place){.pc = k.at->pc, .known = k.at->pc_known, .n = k.at->n, .rec = k.at->rec};
	int rc;
	while ((rc = stf_cursor_next(&k, most == UINT64_MAX ? most : 1 + chance(&s) % most, &run)) > 0) {
		uint64_t markers = 0;
		const uint8_t *p = run.p, *whole = p;
		assert_int_equal(run.pc_known, at.known);
		assert_true(!at.known || run.pc == at.pc);
		while (p < run.p + run.n) {
			bool marker = step(&at, p);
			p += cairn_stf_record_length(&im->header.cfg, p, (size_t)(run.p + run.n - p));
			markers += marker;
			whole = marker ? p : whole;
		}
		assert_int_equal(run.markers, markers);
		assert_ptr_equal(run.p + run.whole, whole);
		same_place(&at, k.at);
		within += run.whole < run.n;
	}
	assert_int_equal(rc, 0);
	assert_int_equal(at.n, GROUPS + 1);
	cairn_close(r);
	return within;
}

static void runs_stand_where_the_obvious_walk_does(void **state)
{
	struct cairn *c = cairn_new(NULL);
	char path[64], command[96];
	unsigned within = 0;
	(void)state;
	snprintf(path, sizeof path, "/tmp/cairn-cursor-%d.stf", (int)getpid());
	for (unsigned shift = 0; shift < SHIFTS; shift++) {
		struct bytes b = trace_of(shift);
		FILE *f = fopen(path, "wb");
		assert_non_null(f);
		assert_int_equal(fwrite(b.p, 1, b.n, f), b.n);
		fclose(f);
		snprintf(command, sizeof command, "cat %s", path);
		f = popen(command, "r");
		assert_non_null(f);
		snprintf(command, sizeof command, "/dev/fd/%d", fileno(f));
		within += follow(c, command, UINT64_MAX);
		pclose(f);
		follow(c, path, UINT64_MAX);
		follow(c, path, 1 + shift);
		bytes_free(&b);
	}
	unlink(path);
	cairn_free(c);
	assert_true(within >= SHIFTS / 4); /* else this says nothing of windows */
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(runs_stand_where_the_obvious_walk_does)};
	return cmocka_run_group_tests_name("stf_cursor", tests, NULL, NULL);
}
