/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Real snapshots into batches and down into ETE again, in several ways a trace unit may
 * tell the same: the instructions read from our stream, with the program gathered from
 * the trace, must be those that were read from the original.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cairn/cairn.h"

static struct cairn *c;
static char folder[] = "/tmp/cairn-ete-encode-XXXXXX";

/* In `infrastructure` a few branches have no program bytes, and two cores ran. */
static const char *const names[] = {"001-ack_test",
                                    "002-ack_test_scr",
                                    "ete-ite-instr",
                                    "ete-wfet",
                                    "ete_ip",
                                    "ete_mem",
                                    "ete_spec_1",
                                    "ete_spec_3",
                                    "feat_cmpbr",
                                    "maxspec0_commopt1",
                                    "pauth_lr",
                                    "q_elem",
                                    "rme_test",
                                    "s_9001",
                                    "src_addr",
                                    "tme_test",
                                    "trace_file_cid_vmid",
                                    "ts_marker"};
static const char *const ways[] = {"ete", "ete:stack=0,cycles=0,timestamps=0",
                                   "ete:maxspec=30,noise=150,seed=7,sync=700",
                                   "ete:q=3,source=4,addresses=1,apart=1,atoms=3"};

static void write_again(const char *from, const char *to, const char *way)
{
	struct cairn_reader *reader;
	struct cairn_writer *writer;
	struct cairn_ledger *ledger = NULL;
	struct cairn_batch *batch = cairn_batch_new(c);
	struct cairn_create_opts opts = {.size = sizeof opts, .to = way};
	int rc;
	if (cairn_open(c, from, NULL, &reader) < 0 || cairn_create(c, to, &opts, &writer) < 0 ||
	    cairn_writer_from(writer, reader) < 0)
		fail_msg("%s", cairn_error_text(c));
	while ((rc = cairn_next(reader, batch)) == 1)
		if (cairn_put(writer, batch) < 0)
			fail_msg("%s: %s", from, cairn_error_text(c));
	assert_int_equal(rc, 0);
	if (cairn_finish(writer, &ledger) < 0)
		fail_msg("%s: %s", from, cairn_error_text(c));
	for (size_t i = 0; i < ledger->n; i++)
		if (!strncmp(ledger->losses[i].what, "instructions", 12))
			fail_msg("%s: %s", from, ledger->losses[i].what);
	cairn_ledger_free(c, ledger);
	cairn_batch_free(c, batch);
	cairn_close(reader);
}

struct rows {
	struct cairn_reader *reader;
	struct cairn_batch *batch;
	uint32_t i;
};

static const struct cairn_insn *next(struct rows *rows, struct cairn_ctx *ctx)
{
	while (rows->i >= rows->batch->n_insns) {
		int rc = cairn_next(rows->reader, rows->batch);
		if (rc < 0)
			fail_msg("%s", cairn_error_text(c));
		if (!rc)
			return NULL;
		rows->i = 0;
	}
	const struct cairn_insn *row = &rows->batch->insns[rows->i++];
	*ctx = rows->batch->ctxs[row->ctx];
	return row;
}

static void open_rows(struct rows *rows, const char *path)
{
	memset(rows, 0, sizeof *rows);
	rows->batch = cairn_batch_new(c);
	if (cairn_open(c, path, NULL, &rows->reader) < 0)
		fail_msg("%s", cairn_error_text(c));
}

static void same(const char *name, const char *way, const char *from, const char *to)
{
	enum { FLAGS = CAIRN_INSN_TAKEN | CAIRN_INSN_NOT_TAKEN | CAIRN_INSN_DISCARDED };
	struct rows left, right;
	struct cairn_ctx ctx = {0}, q = {0};
	uint64_t n = 0;
	open_rows(&left, from);
	open_rows(&right, to);
	for (;; n++) {
		const struct cairn_insn *x = next(&left, &ctx), *y = next(&right, &q);
		if (!x && !y)
			break;
		if (!x || !y || x->pc != y->pc || x->enc != y->enc || x->isa != y->isa ||
		    (x->flags & FLAGS) != (y->flags & FLAGS) || ctx.priv != q.priv ||
		    ctx.security != q.security || ctx.ctxid != q.ctxid || ctx.vmid != q.vmid)
			fail_msg("%s by %s: instruction %llu: 0x%llx (%x), not 0x%llx (%x)", name, way,
			         (unsigned long long)n, y ? (unsigned long long)y->pc : 0, y ? y->flags : 0,
			         x ? (unsigned long long)x->pc : 0, x ? x->flags : 0);
	}
	assert_true(n > 0);
	assert_int_equal(cairn_damage_count(right.reader), 0);
	cairn_close(left.reader);
	cairn_close(right.reader);
	cairn_batch_free(c, left.batch);
	cairn_batch_free(c, right.batch);
}

static void remove_folder(const char *path)
{
	char file[512];
	DIR *dir = opendir(path);
	assert_non_null(dir);
	for (const struct dirent *entry; (entry = readdir(dir));) {
		snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
		if (entry->d_name[0] != '.')
			assert_int_equal(unlink(file), 0);
	}
	closedir(dir);
	assert_int_equal(rmdir(path), 0);
}

static void test_snapshots_come_back(void **state)
{
	const char *data = getenv("CAIRN_TEST_DATA");
	char from[512], to[64];
	(void)state;
	if (!data || access(data, R_OK) < 0)
		skip();
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
			snprintf(from, sizeof from, "%s/ete/snapshots/%s", data, names[i]);
			snprintf(to, sizeof to, "%s/x.snapshot", folder);
			write_again(from, to, ways[k]);
			same(names[i], ways[k], from, to);
			remove_folder(to);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_snapshots_come_back)};
	c = cairn_new(NULL);
	if (!mkdtemp(folder))
		return 1;
	int rc = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(folder);
	cairn_free(c);
	return rc;
}
