/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Feeds files, or every file of folders, to a fuzz target in a plain build:
 * what a fuzzer once found stays found. The target's own checks abort, so
 * arriving at the end is the test. Each input is handed over in a block of
 * exactly its size, so that a sanitizer sees the first byte beyond it.
 */
#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static int replay_file(const char *path, size_t size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = malloc(size); /* may be NULL when size is 0 */
	int rc = -1;

	if (f && (data || !size) && (!size || fread(data, 1, size, f) == size)) {
		fprintf(stderr, "%s\n", path); /* the last one named is the culprit */
		LLVMFuzzerTestOneInput(data, size);
		rc = 0;
	}
	if (rc)
		fprintf(stderr, "%s: cannot be read\n", path);
	free(data);
	if (f)
		fclose(f);
	return rc;
}

/* The number of inputs under `path`, or -1. A missing folder holds none. */
static long replay(const char *path)
{
	struct dirent **names = NULL;
	struct stat st;
	long done = 0;

	if (stat(path, &st))
		return 0;
	if (!S_ISDIR(st.st_mode))
		return replay_file(path, (size_t)st.st_size) ? -1 : 1;
	int n = scandir(path, &names, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		char *full = NULL;
		if (done >= 0 && names[i]->d_name[0] != '.' &&
		    asprintf(&full, "%s/%s", path, names[i]->d_name) >= 0) {
			long k = replay(full);
			done = k < 0 ? -1 : done + k;
			free(full);
		}
		free(names[i]);
	}
	free(names);
	return n < 0 ? -1 : done;
}

int main(int argc, char **argv)
{
	int failed = 0;
	printf("1..%d\n", argc - 1);
	for (int i = 1; i < argc; i++) {
		/* The empty input belongs to every corpus. */
		LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
		long n = replay(argv[i]);
		const char *slash = strrchr(argv[i], '/');
		printf("%sok %d - %s: %ld inputs\n", n < 0 ? "not " : "", i, slash ? slash + 1 : argv[i],
		       n);
		failed |= n < 0;
	}
	return failed;
}
