/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outputs and who may touch them: several writers of one file, names at the limit, links,
 * files that are read, several outputs as one, and what a signal's handler removes.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/io.h"

static char dir[64];
static struct cairn *ctx;

static int up(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/cairn-outputs-XXXXXX");
	ctx = cairn_new(NULL);
	return mkdtemp(dir) && chdir(dir) == 0 && ctx ? 0 : -1;
}

static int down(void **state)
{
	(void)state;
	char command[96];
	cairn_free(ctx);
	snprintf(command, sizeof command, "rm -rf %s", dir);
	return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

/* How many entries a folder has. */
static unsigned entries(const char *path)
{
	DIR *d = opendir(path);
	unsigned n = 0;
	for (const struct dirent *entry; (entry = readdir(d));)
		n += entry->d_name[0] != '.';
	closedir(d);
	return n;
}

static struct cairn_sink *begin(const char *path)
{
	struct cairn_sink *sink = NULL;
	assert_int_equal(io_sink_open(ctx, path, NULL, INT_MIN, 1, &sink), 0);
	return sink;
}

static void put(const char *path, const char *text)
{
	struct cairn_sink *sink = begin(path);
	assert_int_equal(cairn_sink_write(sink, text, strlen(text)), 0);
	assert_int_equal(cairn_sink_finish(sink), 0);
}

static void assert_holds(const char *path, const char *text)
{
	char buf[256];
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	size_t n = fread(buf, 1, sizeof buf - 1, f);
	buf[n] = 0;
	fclose(f);
	assert_string_equal(buf, text);
}

/* ---- several writers ---- */

enum { WRITERS = 8, LENGTH = 1 << 20, ROUNDS = 20 };

static void *write_letter(void *arg)
{
	const char letter = *(const char *)arg;
	static const size_t steps[] = {1, 700, 65536, 300000};
	char *block = malloc(300000);
	struct cairn_sink *sink;
	memset(block, letter, 300000);
	int rc = io_sink_open(ctx, "one", NULL, INT_MIN, 1, &sink);
	for (size_t at = 0, i = (size_t)letter, n; at < LENGTH && rc >= 0; at += n, i++) {
		n = steps[i % 4] < LENGTH - at ? steps[i % 4] : LENGTH - at;
		rc = cairn_sink_write(sink, block, n);
		if (rc >= 0 && i % 3 == 0)
			rc = io_sink_flush(sink);
	}
	free(block);
	return (void *)(intptr_t)(rc < 0 ? rc : cairn_sink_finish(sink));
}

static void of_two_writers_one_wins_whole(void **state)
{
	(void)state;
	assert_int_equal(mkdir("w", 0777), 0);
	assert_int_equal(chdir("w"), 0);
	for (int round = 0; round < ROUNDS; round++) {
		pthread_t threads[WRITERS];
		char letters[WRITERS];
		for (int i = 0; i < WRITERS; i++) {
			letters[i] = (char)('a' + i);
			assert_int_equal(pthread_create(&threads[i], NULL, write_letter, &letters[i]), 0);
		}
		for (int i = 0; i < WRITERS; i++) {
			void *rc;
			pthread_join(threads[i], &rc);
			assert_null(rc);
		}
		char *all = malloc(LENGTH + 1);
		FILE *f = fopen("one", "r");
		assert_int_equal(fread(all, 1, LENGTH + 1, f), LENGTH);
		fclose(f);
		for (size_t i = 1; i < LENGTH; i++)
			if (all[i] != all[0])
				fail_msg("a mixture, at %zu", i);
		free(all);
		assert_int_equal(entries("."), 1);
	}
	assert_int_equal(chdir(".."), 0);
}

/* ---- names ---- */

static void long_names_are_shortened_until_then(void **state)
{
	(void)state;
	char name[NAME_MAX + 2];
	memset(name, 'n', sizeof name);
	for (size_t n = NAME_MAX - 20; n <= NAME_MAX; n++) {
		name[n] = 0;
		put(name, "x");
		assert_holds(name, "x");
		assert_int_equal(unlink(name), 0);
		name[n] = 'n';
	}
	/* One that no file can have is told before the work. */
	struct cairn_sink *sink;
	name[NAME_MAX + 1] = 0;
	assert_int_equal(io_sink_open(ctx, name, NULL, INT_MIN, 1, &sink), CAIRN_E_IO);
	assert_non_null(strstr(cairn_error_text(ctx), strerror(ENAMETOOLONG)));
	/* Characters stay whole: some file systems take nothing else. */
	struct io_temp *temp;
	int fd;
	char wide[256] = "";
	for (int i = 0; i < 84; i++)
		strcat(wide, "\xe2\x82\xac");
	assert_int_equal(io_temp_file(ctx, wide, &temp, &fd), 0);
	const char *dot = strchr(io_temp_path(temp), '.');
	assert_int_equal((dot - io_temp_path(temp)) % 3, 0);
	close(fd);
	io_temp_remove(temp);
}

/* ---- links ---- */

static void links_are_followed_wherever_they_lead(void **state)
{
	(void)state;
	struct stat st;
	assert_int_equal(mkdir("links", 0777), 0);
	assert_int_equal(mkdir("links/far", 0777), 0);
	put("links/far/there", "old");
	static const char *const to[] = {"far/there", "far/not", "second", "far/deep"};
	static const char *const names[] = {"links/live", "links/dangling", "links/first",
	                                    "links/second"};
	static const char *const files[] = {"links/far/there", "links/far/not", "links/far/deep"};
	for (int i = 0; i < 4; i++)
		assert_int_equal(symlink(to[i], names[i]), 0);
	for (int i = 0; i < 3; i++) {
		put(names[i], "new");
		assert_int_equal(lstat(names[i], &st), 0);
		assert_true(S_ISLNK(st.st_mode));
		assert_int_equal(lstat(files[i], &st), 0);
		assert_true(S_ISREG(st.st_mode));
		assert_holds(files[i], "new");
	}
	assert_int_equal(entries("links"), 5);
	assert_int_equal(entries("links/far"), 3);
	struct cairn_sink *sink;
	assert_int_equal(symlink("loop", "links/loop"), 0);
	assert_int_equal(io_sink_open(ctx, "links/loop", NULL, INT_MIN, 1, &sink), CAIRN_E_IO);
	assert_int_equal(symlink("no/where", "links/nowhere"), 0);
	assert_int_equal(io_sink_open(ctx, "links/nowhere", NULL, INT_MIN, 1, &sink), CAIRN_E_NOTFOUND);
}

/* ---- what is read ---- */

static void what_is_read_is_not_written(void **state)
{
	(void)state;
	struct io_source *in;
	struct cairn_sink *sink;
	put("read", "content");
	assert_int_equal(link("read", "other-name"), 0);
	assert_int_equal(symlink("read", "by-link"), 0);
	static const char *const names[] = {"read", "other-name", "by-link", "./read"};
	assert_int_equal(io_open(ctx, "read", &in), 0);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(io_sink_open(ctx, names[i], NULL, INT_MIN, 1, &sink), CAIRN_E_INVAL);
		assert_non_null(strstr(cairn_error_text(ctx), "it would be destroyed"));
	}
	assert_holds("read", "content");
	io_close(in);
	put("read", "now it may");
	assert_holds("read", "now it may");
}

static void without_maps_a_file_may_shrink(void **state)
{
	(void)state;
	enum { SIZE = 1 << 20 };
	struct cairn_opts opts = {.size = sizeof opts, .no_map = 1};
	struct cairn *cairn = cairn_new(&opts);
	struct io_source *in;
	size_t n;
	char *big = calloc(1, SIZE);
	FILE *f = fopen("big", "w");
	memset(big, 'x', SIZE);
	assert_int_equal(fwrite(big, 1, SIZE, f), SIZE);
	fclose(f);
	assert_int_equal(io_open(cairn, "big", &in), 0);
	assert_int_equal(truncate("big", 1), 0);
	const uint8_t *p = io_map(in, &n);
	assert_int_equal(n, SIZE);
	assert_memory_equal(p, big, SIZE);
	assert_null(cairn_mapped_file(p));
	io_close(in);
	cairn_free(cairn);
	free(big);
}

static void maps_are_known_by_name(void **state)
{
	(void)state;
	struct io_source *in;
	size_t n;
	assert_int_equal(truncate("big", 1 << 20), 0);
	assert_int_equal(io_open(ctx, "big", &in), 0);
	const uint8_t *p = io_map(in, &n);
	assert_string_equal(cairn_mapped_file(p), "big");
	assert_string_equal(cairn_mapped_file(p + n - 1), "big");
	assert_null(cairn_mapped_file(p + n));
	assert_null(cairn_mapped_file(&n));
	io_close(in);
	assert_null(cairn_mapped_file(p));
}

/* ---- all or none ---- */

static void held_outputs_come_together(void **state)
{
	(void)state;
	assert_int_equal(mkdir("held", 0777), 0);
	put("held/2", "old");
	for (int commit = 0; commit < 2; commit++) {
		struct io_hold hold;
		char name[16];
		io_hold_begin(ctx, &hold);
		for (int i = 0; i < 5; i++) {
			snprintf(name, sizeof name, "held/%d", i);
			put(name, "new");
			if (i != 2)
				assert_int_equal(access(name, F_OK), -1);
		}
		/* A folder, with a file that must have its name in it at once. */
		struct io_temp *folder;
		char inner[128];
		assert_int_equal(io_temp_folder(ctx, "held/folder", &folder), 0);
		snprintf(inner, sizeof inner, "%s/file", io_temp_path(folder));
		put(inner, "inside");
		assert_holds(inner, "inside");
		assert_int_equal(io_temp_commit(ctx, folder, "held/folder"), 0);
		assert_int_equal(access("held/folder", F_OK), -1);
		assert_holds("held/2", "old");
		assert_int_equal(io_hold_end(ctx, &hold, commit), 0);
		assert_int_equal(entries("held"), commit ? 6 : 1);
		assert_holds("held/2", commit ? "new" : "old");
	}
	assert_holds("held/folder/file", "inside");
}

/* What is held within a hold waits for the outer one, and goes with it. */
static void holds_lie_within_another(void **state)
{
	(void)state;
	assert_int_equal(mkdir("outer", 0777), 0);
	assert_int_equal(cairn_outputs_end(ctx, 1), CAIRN_E_STATE);
	for (int keep = 0; keep < 2; keep++) {
		struct io_hold hold;
		assert_int_equal(cairn_outputs_begin(ctx), 0);
		put("outer/1", "one");
		for (int commit = 0; commit < 2; commit++) {
			io_hold_begin(ctx, &hold);
			put(commit ? "outer/2" : "outer/3", "two");
			put("outer/1", commit ? "last" : "not kept");
			assert_int_equal(io_hold_end(ctx, &hold, commit), 0);
		}
		assert_int_equal(access("outer/1", F_OK), -1);
		assert_int_equal(cairn_outputs_end(ctx, keep), 0);
		assert_int_equal(entries("outer"), keep ? 2 : 0);
	}
	assert_holds("outer/1", "last");
	assert_holds("outer/2", "two");
}

/* ---- signals ---- */

static void on_signal(int number)
{
	cairn_remove_temporaries();
	_exit(number);
}

/* Writes for ever: files begun, written, completed, given up, and folders of them. */
static void busy(unsigned seed)
{
	for (uint64_t x = seed * 2654435761u + 1;;
	     x = x * 6364136223846793005u + 1442695040888963407u) {
		struct io_temp *folder;
		struct cairn_sink *left, *right;
		char name[160];
		snprintf(name, sizeof name, "sig/whole-%u", (unsigned)(x >> 60));
		if (io_sink_open(ctx, name, NULL, INT_MIN, 1, &left) < 0)
			continue;
		cairn_sink_write(left, "whole", 5);
		if ((x >> 40) % 4 == 0 && io_temp_folder(ctx, "sig/whole-folder", &folder) >= 0) {
			for (int i = 0; i < 100; i++) {
				snprintf(name, sizeof name, "%s/%d", io_temp_path(folder), i);
				if (io_sink_open(ctx, name, NULL, INT_MIN, 1, &right) < 0)
					break;
				cairn_sink_write(right, "whole", 5);
				cairn_sink_finish(right);
			}
			io_temp_remove(folder);
		}
		if ((x >> 50) % 3)
			cairn_sink_finish(left);
		else
			cairn_sink_discard(left);
	}
}

static void *busy_thread(void *arg)
{
	busy((unsigned)(uintptr_t)arg);
	return NULL;
}

static void no_signal_leaves_anything(void **state)
{
	(void)state;
	enum { RUNS = 60 };
	assert_int_equal(mkdir("sig", 0777), 0);
	for (unsigned run = 0; run < RUNS; run++) {
		pid_t pid = fork();
		assert_true(pid >= 0);
		if (pid == 0) {
			pthread_t other;
			signal(SIGTERM, on_signal);
			if (run % 2)
				pthread_create(&other, NULL, busy_thread, (void *)(uintptr_t)(run + 1000));
			busy(run);
		}
		int status;
		usleep(3000 + run * 977 % 20000);
		kill(pid, SIGTERM);
		waitpid(pid, &status, 0);
		assert_true(WIFEXITED(status) || WTERMSIG(status) == SIGTERM); /* before it began */
		DIR *d = opendir("sig");
		for (const struct dirent *entry; (entry = readdir(d));) {
			char path[300];
			if (entry->d_name[0] == '.')
				continue;
			assert_null(strstr(entry->d_name, ".tmp"));
			snprintf(path, sizeof path, "sig/%s", entry->d_name);
			assert_holds(path, "whole");
		}
		closedir(d);
	}
}

/* What a parent has begun is not its child's to remove. */
static void a_child_removes_only_its_own(void **state)
{
	(void)state;
	struct io_temp *temp;
	int fd, status;
	assert_int_equal(io_temp_file(ctx, "mine", &temp, &fd), 0);
	pid_t pid = fork();
	if (pid == 0) {
		cairn_remove_temporaries();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(access(io_temp_path(temp), F_OK), 0);
	close(fd);
	io_temp_remove(temp);
}

/* ---- full disks ---- */

static void a_file_too_large_leaves_nothing(void **state)
{
	(void)state;
	int status;
	pid_t pid = fork();
	if (pid == 0) {
		struct rlimit most = {1 << 20, 1 << 20};
		struct cairn_sink *sink;
		static char block[65536];
		int rc;
		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &most);
		rc = io_sink_open(ctx, "large", NULL, INT_MIN, 1, &sink);
		for (int i = 0; i < 40 && rc >= 0; i++)
			rc = cairn_sink_write(sink, block, sizeof block);
		int again = cairn_sink_finish(sink);
		_exit(rc == CAIRN_E_IO && again == CAIRN_E_IO && strstr(cairn_error_text(ctx), "large: ")
		          ? 0
		          : 1);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	assert_int_equal(access("large", F_OK), -1);
	assert_int_equal(system("! ls | grep -q '^large'"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_two_writers_one_wins_whole),
		cmocka_unit_test(long_names_are_shortened_until_then),
		cmocka_unit_test(links_are_followed_wherever_they_lead),
		cmocka_unit_test(what_is_read_is_not_written),
		cmocka_unit_test(without_maps_a_file_may_shrink),
		cmocka_unit_test(maps_are_known_by_name),
		cmocka_unit_test(held_outputs_come_together),
		cmocka_unit_test(holds_lie_within_another),
		cmocka_unit_test(no_signal_leaves_anything),
		cmocka_unit_test(a_child_removes_only_its_own),
		cmocka_unit_test(a_file_too_large_leaves_nothing),
	};
	return cmocka_run_group_tests(tests, up, down);
}
