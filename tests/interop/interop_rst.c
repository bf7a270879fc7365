/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every record of every RST trace at hand, taken apart and put together again, is
 * itself.
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

#include "cairn/cairn.h"

static uint64_t round_trip(struct cairn *cairn, const char *path)
{
	struct cairn_open_opts opts = {.size = sizeof opts, .from = "rst"};
	struct cairn_reader *reader;
	struct cairn_record rec;
	struct cairn_rst_config cfg = {2, 13};
	uint64_t n = 0;
	int rc;
	if (cairn_open(cairn, path, &opts, &reader) < 0)
		fail_msg("%s", cairn_error_text(cairn));
	while ((rc = cairn_next_record(reader, &rec)) > 0) {
		uint8_t again[CAIRN_RST_SIZE];
		struct cairn_field fields[CAIRN_MAX_FIELDS];
		if (rec.number == 1 && rec.type == CAIRN_RST_RSTHEADER)
			cfg = (struct cairn_rst_config){rec.data[1], rec.data[2]};
		n++;
		if (!cairn_rst_type_name(rec.type))
			continue;
		int k = cairn_rst_fields(&cfg, rec.data, fields);
		if (k < 0 || cairn_rst_encode(&cfg, rec.type, fields, (unsigned)k, again) < 0 ||
		    memcmp(again, rec.data, sizeof again) != 0)
			fail_msg("%s: record %llu", path, (unsigned long long)rec.number);
	}
	assert_int_equal(rc, 0);
	cairn_close(reader);
	return n;
}

static uint64_t folder(struct cairn *cairn, const char *data, const char *sub)
{
	char path[1024];
	uint64_t n = 0;
	snprintf(path, sizeof path, "%s/rst/%s", data, sub);
	DIR *d = opendir(path);
	if (!d)
		return 0;
	for (struct dirent *entry; (entry = readdir(d));) {
		size_t len = strlen(entry->d_name);
		if ((len > 4 && !strcmp(entry->d_name + len - 4, ".rst")) ||
		    (len > 8 && !strcmp(entry->d_name + len - 8, ".rst.zst"))) {
			snprintf(path, sizeof path, "%s/rst/%s/%s", data, sub, entry->d_name);
			n += round_trip(cairn, path);
		}
	}
	closedir(d);
	return n;
}

static void every_record_is_itself_again(void **state)
{
	const char *data = getenv("CAIRN_TEST_DATA");
	(void)state;
	if (!data)
		skip();
	struct cairn *cairn = cairn_new(NULL);
	uint64_t n = folder(cairn, data, "") + folder(cairn, data, "multi") +
	             folder(cairn, data, "quirks") + folder(cairn, data, "bad");
	cairn_free(cairn);
	if (n == 0)
		skip();
	assert_true(n > 1000000);
	print_message("%llu records\n", (unsigned long long)n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_record_is_itself_again)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
