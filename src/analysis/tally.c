/* SPDX-License-Identifier: Apache-2.0 */
/* Lines counted together: how threads add to the map of all. */
#include "analysis/tally.h"

#include <string.h>

enum { SOON = 8, LATER = 20 };

void tally_init(struct tally *tally, struct cairn *cairn)
{
	base_map_init(&tally->lines, cairn, LINE_WORDS);
	pthread_mutex_init(&tally->lock, NULL);
}

void tally_free(struct tally *tally)
{
	base_map_free(&tally->lines);
	pthread_mutex_destroy(&tally->lock);
}

static int tally_add(struct base_map *lines, uint64_t line, uint64_t count)
{
	const uint64_t mask = ((uint64_t)1 << TALLY_COUNT) - 1;
	uint64_t reads = count & mask, writes = count >> TALLY_COUNT & mask;
	if (!(reads | writes)) /* nothing was there yet */
		return 0;
	struct mem_line *l = (void *)base_map_at(lines, line, 0);
	if (!l)
		return CAIRN_E_NOMEM;
	uint64_t who = (uint64_t)1 << (count >> 2 * TALLY_COUNT);
	l->reads += reads;
	l->writes += writes;
	l->readers |= reads ? who : 0;
	l->writers |= writes ? who : 0;
	return 0;
}

/* The map is larger than the processor's caches, but the next rows are known and can be prefetched.
 *  */
static int add_list(struct base_map *lines, const uint64_t *line, const uint64_t *count, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i + LATER < n) {
			base_map_expect(lines, line[i + LATER], 0);
			base_map_expect_row(lines, line[i + SOON], 0);
		}
		if (tally_add(lines, line[i], count[i]) < 0)
			return CAIRN_E_NOMEM;
	}
	return 0;
}

int tally_give(struct tally *tally, struct tally_near *near)
{
	pthread_mutex_lock(&tally->lock);
	int rc = add_list(&tally->lines, near->list, near->list_count, near->n);
	pthread_mutex_unlock(&tally->lock);
	near->n = 0;
	return rc;
}

int tally_give_all(struct tally *tally, struct tally_near *near)
{
	int rc = tally_give(tally, near);
	pthread_mutex_lock(&tally->lock);
	if (rc >= 0)
		rc = add_list(&tally->lines, near->met, near->met_count, (size_t)1 << TALLY_SHIFT);
	pthread_mutex_unlock(&tally->lock);
	memset(near->met_count, 0, sizeof near->met_count);
	near->taken = 0;
	return rc;
}
