/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SimPoints: a few intervals that stand for all.
 *
 * An interval's vector says what part of its instructions each block had. It has as
 * many dimensions as there are blocks, so it is projected to 15 as soon as the interval
 * is complete, each block along a direction drawn once for its address; the vectors
 * themselves are never kept. k-means begins several times with centres drawn far apart
 * and the tightest result counts. How many clusters: the smallest k whose BIC comes to
 * 90 % of the range over all k. The interval nearest to the centre stands for its
 * cluster. The time for a number grows with it, so of great numbers only some are tried.
 *
 * Lots are drawn from a generator of our own with a fixed seed, sums go in the order of
 * addresses and intervals: the same trace gives the same points everywhere.
 * Sources: Sherwood, Perelman, Hamerly, Calder, ASPLOS 2002; Hamerly and others, JILP
 * 2005 (SimPoint 3.0); Pelleg and Moore, ICML 2000 (BIC).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/blocks.h"

enum {
	DIMENSIONS = 15,
	TRIES = 5,
	ROUNDS = 100,
	MOST = 30,
	AT_LEAST = 4,
	MOST_CLUSTERS = 1000,
	EACH = 64 /* up to so many clusters every number is tried, and several times */
};
#define ENOUGH 0.9
#define TINY 1e-12

struct point {
	double v[DIMENSIONS];
	uint64_t first, last, instructions; /* fewer than from first to last if some were left out */
};

struct sim {
	struct cairn *c;
	struct base_buf points; /* struct point, in order */
	uint64_t every, seed;
};

/* One way of clustering. */
struct clusters {
	unsigned k;
	double *centre;   /* of k times DIMENSIONS */
	uint32_t *member; /* cluster of each point */
	double spread;    /* squared distances, summed up */
	double bic;
};

static uint64_t simpoints_draw(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static double fraction(uint64_t *state)
{
	return (double)(simpoints_draw(state) >> 11) / (double)(UINT64_C(1) << 53);
}

/* ---- vectors ---- */

static int report_point(struct block_run *u, const struct block_part *p, struct cairn_result *res)
{
	struct sim *m = u->user;
	struct point point = {.instructions = p->instructions,
	                      .first = result_first(res),
	                      .last = result_last(res)};
	const uint64_t **rows = base_map_sorted(&p->blocks);
	if (!rows)
		return CAIRN_E_NOMEM;
	for (size_t i = 0; i < p->blocks.n; i++) {
		uint64_t lot = m->seed ^ rows[i][0] * UINT64_C(0xd1342543de82ef95);
		const struct block *b = (const void *)(rows[i] + 2);
		double part = (double)b->instructions / (double)p->instructions;
		for (unsigned d = 0; d < DIMENSIONS; d++)
			point.v[d] += part * (2 * fraction(&lot) - 1);
	}
	base_free(u->c, rows);
	return p->instructions ? base_buf_put(&m->points, &point, sizeof point) : 0;
}

/* ---- k-means ---- */

static double simpoints_distance(const double *a, const double *b)
{
	double sum = 0;
	for (unsigned d = 0; d < DIMENSIONS; d++)
		sum += (a[d] - b[d]) * (a[d] - b[d]);
	return sum;
}

/* The first centre by lot, each further one far from those that are: the likelier, the
 * farther. */
static void choose_centres(const struct point *p, size_t n, struct clusters *c, double *far,
                           uint64_t *lots)
{
	for (unsigned k = 0; k < c->k; k++) {
		size_t at = 0;
		double sum = 0;
		for (size_t i = 0; i < n; i++) {
			double d = k ? simpoints_distance(p[i].v, c->centre + (size_t)(k - 1) * DIMENSIONS) : 1;
			far[i] = k < 2 || d < far[i] ? d : far[i];
			sum += far[i];
		}
		double lot = fraction(lots) * sum;
		while (at + 1 < n && (lot -= far[at]) > 0)
			at++;
		memcpy(c->centre + (size_t)k * DIMENSIONS, p[at].v, sizeof p[at].v);
	}
}

/* The distance, or something greater than `enough` where it is greater. Sums only grow, so the
 * rest of them need not be known. */
static double distance_up_to(const double *a, const double *b, double enough)
{
	double sum = 0;
	for (unsigned d = 0; d < DIMENSIONS && sum <= enough; d += DIMENSIONS / 3)
		for (unsigned e = d; e < d + DIMENSIONS / 3; e++)
			sum += (a[e] - b[e]) * (a[e] - b[e]);
	return sum;
}

/* Give each point to its nearest centre, of several the first; did any move? Most stay where
 * they were, so that distance is known first, and few others are summed up to the end. */
static bool assign(const struct point *p, size_t n, struct clusters *c)
{
	bool moved = false;
	c->spread = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t to = c->member[i] < c->k ? c->member[i] : 0;
		double best = simpoints_distance(p[i].v, c->centre + (size_t)to * DIMENSIONS);
		for (unsigned k = 0; k < c->k; k++) {
			double d = distance_up_to(p[i].v, c->centre + (size_t)k * DIMENSIONS, best);
			if (d < best || (d == best && k < to)) {
				best = d;
				to = k;
			}
		}
		moved |= c->member[i] != to;
		c->member[i] = to;
		c->spread += best;
	}
	return moved;
}

/* The middle of each cluster; one without points stays where it is. */
static void centre(const struct point *p, size_t n, struct clusters *c, size_t *count)
{
	memset(count, 0, c->k * sizeof *count);
	for (size_t i = 0; i < n; i++) {
		double *to = c->centre + (size_t)c->member[i] * DIMENSIONS;
		if (!count[c->member[i]]++)
			memset(to, 0, DIMENSIONS * sizeof *to);
		for (unsigned d = 0; d < DIMENSIONS; d++)
			to[d] += p[i].v[d];
	}
	for (unsigned k = 0; k < c->k; k++)
		for (unsigned d = 0; d < DIMENSIONS && count[k]; d++)
			c->centre[(size_t)k * DIMENSIONS + d] /= (double)count[k];
}

static double bic_of(size_t n, const struct clusters *c, const size_t *count)
{
	double all = (double)n, likely = 0;
	double variance = n > c->k ? c->spread / (all - c->k) : 0;
	variance = variance > TINY ? variance : TINY;
	unsigned used = 0;
	for (unsigned k = 0; k < c->k; k++) {
		double mine = (double)count[k];
		if (!count[k])
			continue;
		used++;
		likely += -mine / 2 * log(2 * M_PI) - mine * DIMENSIONS / 2 * log(variance) -
		          (mine - c->k) / 2 + mine * log(mine) - mine * log(all);
	}
	double parameters = (used - 1) + (double)DIMENSIONS * used + 1;
	return likely - parameters / 2 * log(all);
}

static void clusters_free(struct cairn *c, struct clusters *x)
{
	base_free(c, x->centre);
	base_free(c, x->member);
}

static int clusters_new(struct cairn *c, struct clusters *x, unsigned k, size_t n)
{
	*x = (struct clusters){.k = k,
	                       .centre = base_alloc(c, k * DIMENSIONS * sizeof *x->centre),
	                       .member = base_alloc(c, (n + 1) * sizeof *x->member)};
	return x->centre && x->member ? 0 : CAIRN_E_NOMEM;
}

/* The tightest of several tries, in `best`. */
static int cluster(struct sim *m, unsigned k, struct clusters *best)
{
	const struct point *p = (const void *)m->points.data;
	size_t n = m->points.len / sizeof *p;
	double *far = base_alloc(m->c, (n + 1) * sizeof *far);
	size_t *count = base_alloc(m->c, k * sizeof *count);
	struct clusters c = {0};
	int rc = clusters_new(m->c, best, k, n);
	if (rc >= 0)
		rc = clusters_new(m->c, &c, k, n);
	rc = far && count ? rc : CAIRN_E_NOMEM;
	for (unsigned try = 0; try < (k > EACH ? 1 : TRIES) && rc >= 0; try++) {
		uint64_t lots = m->seed + 1000 * (uint64_t)k + try;
		choose_centres(p, n, &c, far, &lots);
		for (unsigned round = 0; round < ROUNDS && (assign(p, n, &c) || !round); round++) {
			if (base_cancelled(m->c))
				rc = base_fail(m->c, CAIRN_E_CANCELLED, "cancelled");
			centre(p, n, &c, count);
		}
		assign(p, n, &c);
		centre(p, n, &c, count);
		c.bic = bic_of(n, &c, count);
		if (try == 0 || c.spread < best->spread) {
			struct clusters old = *best;
			*best = c;
			c = old;
		}
	}
	clusters_free(m->c, &c);
	base_free(m->c, far);
	base_free(m->c, count);
	return rc;
}

/* ---- the result ---- */

/* The point nearest to the middle of cluster `k`, NULL when it has none; and what part
 * of all instructions the cluster has. */
static const struct point *middle(const struct sim *m, const struct clusters *c, unsigned k,
                                  uint64_t *mine)
{
	const struct point *p = (const void *)m->points.data, *best = NULL;
	size_t n = m->points.len / sizeof *p;
	double nearest = INFINITY;
	*mine = 0;
	for (size_t i = 0; i < n; i++) {
		double d = simpoints_distance(p[i].v, c->centre + (size_t)k * DIMENSIONS);
		if (c->member[i] != k)
			continue;
		*mine += p[i].instructions;
		if (d < nearest) {
			nearest = d;
			best = &p[i];
		}
	}
	return best;
}

struct chosen {
	const struct point *p;
	uint64_t mine;
};

static int simpoints_by_place(const void *a, const void *b)
{
	const struct chosen *x = a, *y = b;
	return (x->p->first > y->p->first) - (x->p->first < y->p->first);
}

/* In trace order. */
static int put_points(const struct sim *m, const struct clusters *c, struct cairn_result *res,
                      struct result_table *t)
{
	struct chosen *list = base_alloc(m->c, (c->k + 1) * sizeof *list);
	size_t n = 0;
	uint64_t all = 0;
	for (unsigned k = 0; k < c->k && list; k++) {
		list[n].p = middle(m, c, k, &list[n].mine);
		all += list[n].mine;
		n += list[n].p != NULL;
	}
	if (n)
		qsort(list, n, sizeof *list, simpoints_by_place);
	for (size_t i = 0; i < n; i++) {
		struct cairn_cell *row = result_row(res, t);
		cell_number(&row[0], i);
		cell_number(&row[1], (list[i].p->first - 1) / m->every);
		cell_number(&row[2], list[i].p->first);
		cell_number(&row[3], list[i].p->last);
		cell_ratio(&row[4], (double)list[i].mine, (double)all);
	}
	base_free(m->c, list);
	return list ? 0 : CAIRN_E_NOMEM;
}

/* The number of clusters to try behind `k`. The time each takes grows with it. */
static unsigned next_k(unsigned k, unsigned most)
{
	unsigned next = k < EACH ? k + 1 : k + k / 4;
	return k < most && next > most ? most : next;
}

static int simpoints_choose(struct sim *m, unsigned most, struct cairn_result *res)
{
	static const struct cairn_column figures[] = {{"intervals", CAIRN_CELL_COUNT, 0},
	                                              {"interval_length", CAIRN_CELL_COUNT, 0},
	                                              {"clusters", CAIRN_CELL_COUNT, 0}};
	static const struct cairn_column points[] = {{"simpoint", CAIRN_CELL_COUNT, 0},
	                                             {"interval", CAIRN_CELL_COUNT, 0},
	                                             {"first", CAIRN_CELL_COUNT, 0},
	                                             {"last", CAIRN_CELL_COUNT, 0},
	                                             {"weight", CAIRN_CELL_REAL, 6}};
	static const struct cairn_column tried[] = {{"k", CAIRN_CELL_COUNT, 0},
	                                            {"bic", CAIRN_CELL_REAL, 2}};
	size_t n = m->points.len / sizeof(struct point);
	/* With few intervals for each, every cluster is tight and says nothing. */
	if (!most)
		most = n / AT_LEAST < MOST ? (unsigned)(n / AT_LEAST) + (n < AT_LEAST) : MOST;
	most = n < most ? (unsigned)n : most;
	struct clusters *c = base_alloc(m->c, (most + 1) * sizeof *c);
	int rc = c ? 0 : CAIRN_E_NOMEM;
	double low = INFINITY, high = -INFINITY;
	for (unsigned k = 1; k <= most && rc >= 0; k = next_k(k, most)) {
		rc = cluster(m, k, &c[k]);
		low = c[k].bic < low ? c[k].bic : low;
		high = c[k].bic > high ? c[k].bic : high;
	}
	unsigned k = 1;
	while (rc >= 0 && k < most && c[k].bic < low + ENOUGH * (high - low))
		k = next_k(k, most);
	struct cairn_cell *row = result_row(res, result_figures(res, "summary", figures, 3));
	cell_number(&row[0], n);
	cell_number(&row[1], m->every);
	cell_number(&row[2], n ? k : 0);
	if (!n)
		result_note(res, "there are no intervals");
	if (most > EACH)
		result_note(res, "of more than 64 clusters only some numbers were tried, and those once");
	struct result_table *t = result_table(res, "simpoints", points, 5);
	if (rc >= 0 && n)
		rc = put_points(m, &c[k], res, t);
	t = result_table(res, "clustering", tried, 2);
	for (k = 1; k <= most && rc >= 0; k = next_k(k, most)) {
		row = result_row(res, t);
		cell_number(&row[0], k);
		cell_real(&row[1], c[k].bic);
	}
	for (k = 1; k <= most && c; k++)
		clusters_free(m->c, &c[k]);
	base_free(m->c, c);
	return rc < 0 ? rc : result_status(res);
}

int cairn_simpoints(struct cairn_reader *r, const struct cairn_analysis_opts *opts,
                    const struct cairn_simpoints_opts *how, struct cairn_result **out)
{
	struct cairn_analysis_opts own;
	struct cairn_simpoints_opts h = {.size = sizeof h};
	struct sim m = {.c = r->c};
	struct block_run u = {.report = report_point, .user = &m};
	struct cairn_result *none = NULL;
	*out = NULL;
	int rc = analysis_opts(r, opts, &own);
	if (rc >= 0 && how && how->size > sizeof h)
		rc = base_fail(r->c, CAIRN_E_INVAL, "options of a newer library");
	if (rc >= 0 && how)
		memcpy(&h, how, how->size);
	if (rc >= 0 && !own.every)
		rc = base_fail(r->c, CAIRN_E_INVAL, "simpoints are intervals of a length (--every)");
	if (rc >= 0 && h.most > MOST_CLUSTERS)
		rc = base_fail(r->c, CAIRN_E_INVAL, "at most %d clusters", MOST_CLUSTERS);
	if (rc < 0)
		return rc;
	own.interval = NULL; /* the result comes from all of them */
	m.every = own.every;
	m.seed = h.seed ? h.seed : UINT64_C(0x2545f4914f6cdd1d);
	base_buf_init(&m.points, r->c);
	rc = blocks_run(r, &own, h.ends, &u, &none);
	cairn_result_free(none);
	if (rc >= 0 && !(*out = result_new(r->c, own.table)))
		rc = CAIRN_E_NOMEM;
	if (rc >= 0)
		rc = simpoints_choose(&m, h.most, *out);
	if (rc < 0) {
		cairn_result_free(*out);
		*out = NULL;
	}
	base_buf_free(&m.points);
	return rc;
}
