/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The context: its allocator and limits, errors as chains kept per thread, and
 * the byte buffer.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"

static void options_of_another_version(void **state)
{
	(void)state;
	struct cairn_opts opts = {.size = sizeof opts + 8};
	assert_null(cairn_new(&opts));
	opts.size = 0;
	assert_null(cairn_new(&opts));
	/* An older caller knows fewer fields: the rest are defaults. */
	opts.size = sizeof(size_t);
	opts.max_hold = 1;
	struct cairn *cairn = cairn_new(&opts);
	assert_non_null(cairn);
	assert_int_equal(base_max_hold(cairn), 64u << 20);
	cairn_free(cairn);
}

static void an_error_is_a_chain(void **state)
{
	(void)state;
	struct cairn *cairn = cairn_new(NULL);
	assert_int_equal(cairn_error_status(cairn), 0);
	assert_string_equal(cairn_error_text(cairn), "");
	assert_int_equal(base_fail(cairn, CAIRN_E_DAMAGED, "%d bytes left", 3), CAIRN_E_DAMAGED);
	assert_int_equal(base_wrap(cairn, "chunk %d", 12), CAIRN_E_DAMAGED);
	assert_int_equal(base_wrap(cairn, "a.zstf"), CAIRN_E_DAMAGED);
	assert_string_equal(cairn_error_text(cairn), "a.zstf: chunk 12: 3 bytes left");
	assert_int_equal(base_fail_errno(cairn, ENOENT, "b.stf"), CAIRN_E_NOTFOUND);
	assert_string_equal(cairn_error_text(cairn), "b.stf: No such file or directory");
	assert_int_equal(base_fail_errno(cairn, EPIPE, "-"), CAIRN_E_PIPE);
	assert_int_equal(base_fail_errno(cairn, EACCES, "-"), CAIRN_E_IO);
	cairn_free(cairn);
}

static void an_error_longer_than_its_room_is_cut(void **state)
{
	(void)state;
	struct cairn *cairn = cairn_new(NULL);
	char *big = malloc(10001);
	assert_non_null(big);
	memset(big, 'x', 10000);
	big[10000] = 0;
	base_fail(cairn, CAIRN_E_IO, "%s", big);
	base_wrap(cairn, "%s", big);
	assert_in_range(strlen(cairn_error_text(cairn)), 1000, 9999);
	assert_int_equal(cairn_error_status(cairn), CAIRN_E_IO);
	free(big);
	cairn_free(cairn);
}

static void *only_while(void *user, void *p, size_t n)
{
	const bool *enough = user;
	if (n == 0) {
		free(p);
		return NULL;
	}
	return *enough ? realloc(p, n) : NULL;
}

/* Threads that fail first when memory has run out have no room for a sentence of their own. */
static void without_memory_for_a_sentence_there_is_one(void **state)
{
	(void)state;
	bool enough = true;
	struct cairn *cairn = cairn_new(&(struct cairn_opts){.size = sizeof(struct cairn_opts),
	                                                     .realloc = only_while,
	                                                     .alloc_user = &enough});
	assert_non_null(cairn);
	enough = false;
	assert_null(base_alloc(cairn, 8));
	assert_int_equal(cairn_error_status(cairn), CAIRN_E_NOMEM);
	assert_string_equal(cairn_error_text(cairn), "out of memory");
	assert_int_equal(base_fail(cairn, CAIRN_E_DAMAGED, "3 bytes left"), CAIRN_E_DAMAGED);
	assert_int_equal(base_wrap(cairn, "a.zstf"), CAIRN_E_DAMAGED);
	assert_int_equal(cairn_error_status(cairn), CAIRN_E_DAMAGED);
	assert_string_equal(cairn_error_text(cairn), "out of memory");
	enough = true;
	base_fail(cairn, CAIRN_E_IO, "no");
	assert_string_equal(cairn_error_text(cairn), "no");
	cairn_free(cairn);
}

static void *fail_elsewhere(void *arg)
{
	struct cairn *cairn = arg;
	base_fail(cairn, CAIRN_E_LIMIT, "theirs");
	return strcmp(cairn_error_text(cairn), "theirs") ? NULL : cairn;
}

static void errors_belong_to_their_thread(void **state)
{
	(void)state;
	struct cairn *cairn = cairn_new(NULL);
	pthread_t t;
	void *right = NULL;
	base_fail(cairn, CAIRN_E_IO, "mine");
	assert_int_equal(pthread_create(&t, NULL, fail_elsewhere, cairn), 0);
	pthread_join(t, &right);
	assert_ptr_equal(right, cairn);
	assert_string_equal(cairn_error_text(cairn), "mine");
	assert_int_equal(cairn_error_status(cairn), CAIRN_E_IO);
	cairn_free(cairn);
}

/* Grants `left` allocations, then none; counts what is held. */
struct miser {
	int left, held;
};

static void *miser_realloc(void *user, void *p, size_t n)
{
	struct miser *miser = user;
	if (!n) {
		miser->held -= p != NULL;
		free(p);
		return NULL;
	}
	if (miser->left-- <= 0)
		return NULL;
	miser->held += p == NULL;
	return realloc(p, n);
}

static void the_callers_allocator_is_used_and_may_refuse(void **state)
{
	(void)state;
	struct miser miser = {.left = 3};
	struct cairn_opts opts = {.size = sizeof opts, .realloc = miser_realloc, .alloc_user = &miser};
	struct cairn *cairn = cairn_new(&opts);
	assert_non_null(cairn);
	char *s = base_strdup(cairn, "held");
	assert_string_equal(s, "held");
	struct base_buf buf;
	base_buf_init(&buf, cairn);
	miser.left = 0;
	assert_int_equal(base_buf_reserve(&buf, 100), CAIRN_E_NOMEM);
	miser.left = 2;
	assert_int_equal(base_buf_put(&buf, "x", 1), 0);
	base_buf_free(&buf);
	base_free(cairn, s);
	cairn_free(cairn);
	assert_int_equal(miser.held, 0);

	miser.left = 0;
	assert_null(cairn_new(&opts));
}

static void a_buffer_grows_and_keeps_what_it_holds(void **state)
{
	(void)state;
	struct cairn *cairn = cairn_new(NULL);
	struct base_buf buf;
	base_buf_init(&buf, cairn);
	for (int i = 0; i < 5000; i++)
		assert_int_equal(base_buf_printf(&buf, "%04d", i), 0);
	assert_int_equal(buf.len, 20000);
	assert_memory_equal(buf.data + 4 * 4321, "4321", 4);
	assert_int_equal(base_buf_put(&buf, NULL, 0), 0);
	assert_int_equal(base_buf_reserve(&buf, SIZE_MAX - 10), CAIRN_E_NOMEM);
	assert_memory_equal(buf.data, "0000", 4);
	base_buf_free(&buf);
	assert_null(buf.data);
	cairn_free(cairn);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_of_another_version),
		cmocka_unit_test(an_error_is_a_chain),
		cmocka_unit_test(an_error_longer_than_its_room_is_cut),
		cmocka_unit_test(without_memory_for_a_sentence_there_is_one),
		cmocka_unit_test(errors_belong_to_their_thread),
		cmocka_unit_test(the_callers_allocator_is_used_and_may_refuse),
		cmocka_unit_test(a_buffer_grows_and_keeps_what_it_holds),
	};
	return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
