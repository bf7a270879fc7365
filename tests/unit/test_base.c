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
	struct cairn_opts o = {.size = sizeof o + 8};
	assert_null(cairn_new(&o));
	o.size = 0;
	assert_null(cairn_new(&o));
	/* An older caller knows fewer fields: the rest are defaults. */
	o.size = sizeof(size_t);
	o.max_hold = 1;
	struct cairn *c = cairn_new(&o);
	assert_non_null(c);
	assert_int_equal(base_max_hold(c), 64u << 20);
	cairn_free(c);
}

static void an_error_is_a_chain(void **state)
{
	(void)state;
	struct cairn *c = cairn_new(NULL);
	assert_int_equal(cairn_error_status(c), 0);
	assert_string_equal(cairn_error_text(c), "");
	assert_int_equal(base_fail(c, CAIRN_E_DAMAGED, "%d bytes left", 3), CAIRN_E_DAMAGED);
	assert_int_equal(base_wrap(c, "chunk %d", 12), CAIRN_E_DAMAGED);
	assert_int_equal(base_wrap(c, "a.zstf"), CAIRN_E_DAMAGED);
	assert_string_equal(cairn_error_text(c), "a.zstf: chunk 12: 3 bytes left");
	assert_int_equal(base_fail_errno(c, ENOENT, "b.stf"), CAIRN_E_NOTFOUND);
	assert_string_equal(cairn_error_text(c), "b.stf: No such file or directory");
	assert_int_equal(base_fail_errno(c, EPIPE, "-"), CAIRN_E_PIPE);
	assert_int_equal(base_fail_errno(c, EACCES, "-"), CAIRN_E_IO);
	cairn_free(c);
}

static void an_error_longer_than_its_room_is_cut(void **state)
{
	(void)state;
	struct cairn *c = cairn_new(NULL);
	char *big = malloc(10001);
	assert_non_null(big);
	memset(big, 'x', 10000);
	big[10000] = 0;
	base_fail(c, CAIRN_E_IO, "%s", big);
	base_wrap(c, "%s", big);
	assert_in_range(strlen(cairn_error_text(c)), 1000, 9999);
	assert_int_equal(cairn_error_status(c), CAIRN_E_IO);
	free(big);
	cairn_free(c);
}

static void *fail_elsewhere(void *arg)
{
	struct cairn *c = arg;
	base_fail(c, CAIRN_E_LIMIT, "theirs");
	return strcmp(cairn_error_text(c), "theirs") ? NULL : c;
}

static void errors_belong_to_their_thread(void **state)
{
	(void)state;
	struct cairn *c = cairn_new(NULL);
	pthread_t t;
	void *right = NULL;
	base_fail(c, CAIRN_E_IO, "mine");
	assert_int_equal(pthread_create(&t, NULL, fail_elsewhere, c), 0);
	pthread_join(t, &right);
	assert_ptr_equal(right, c);
	assert_string_equal(cairn_error_text(c), "mine");
	assert_int_equal(cairn_error_status(c), CAIRN_E_IO);
	cairn_free(c);
}

/* Grants `left` allocations, then none; counts what is held. */
struct miser {
	int left, held;
};

static void *miser_realloc(void *user, void *p, size_t n)
{
	struct miser *m = user;
	if (!n) {
		m->held -= p != NULL;
		free(p);
		return NULL;
	}
	if (m->left-- <= 0)
		return NULL;
	m->held += p == NULL;
	return realloc(p, n);
}

static void the_callers_allocator_is_used_and_may_refuse(void **state)
{
	(void)state;
	struct miser m = {.left = 3};
	struct cairn_opts o = {.size = sizeof o, .realloc = miser_realloc, .alloc_user = &m};
	struct cairn *c = cairn_new(&o);
	assert_non_null(c);
	char *s = base_strdup(c, "held");
	assert_string_equal(s, "held");
	struct base_buf b;
	base_buf_init(&b, c);
	m.left = 0;
	assert_int_equal(base_buf_reserve(&b, 100), CAIRN_E_NOMEM);
	m.left = 2;
	assert_int_equal(base_buf_put(&b, "x", 1), 0);
	base_buf_free(&b);
	base_free(c, s);
	cairn_free(c);
	assert_int_equal(m.held, 0);

	m.left = 0;
	assert_null(cairn_new(&o));
}

static void a_buffer_grows_and_keeps_what_it_holds(void **state)
{
	(void)state;
	struct cairn *c = cairn_new(NULL);
	struct base_buf b;
	base_buf_init(&b, c);
	for (int i = 0; i < 5000; i++)
		assert_int_equal(base_buf_printf(&b, "%04d", i), 0);
	assert_int_equal(b.len, 20000);
	assert_memory_equal(b.data + 4 * 4321, "4321", 4);
	assert_int_equal(base_buf_put(&b, NULL, 0), 0);
	assert_int_equal(base_buf_reserve(&b, SIZE_MAX - 10), CAIRN_E_NOMEM);
	assert_memory_equal(b.data, "0000", 4);
	base_buf_free(&b);
	assert_null(b.data);
	cairn_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_of_another_version),
		cmocka_unit_test(an_error_is_a_chain),
		cmocka_unit_test(an_error_longer_than_its_room_is_cut),
		cmocka_unit_test(errors_belong_to_their_thread),
		cmocka_unit_test(the_callers_allocator_is_used_and_may_refuse),
		cmocka_unit_test(a_buffer_grows_and_keeps_what_it_holds),
	};
	return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
