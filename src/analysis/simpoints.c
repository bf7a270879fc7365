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
 * cluster. Clustering takes longer for a larger k, so only some of the large ones are tried.
 *
 * Random numbers come from a generator of our own with a fixed seed, and sums are formed in the
 * order of addresses and intervals: the same trace gives the same points on every machine.
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
	EACH = 64 /* up to this many clusters every number is tried, and several times */
};
#define ENOUGH 0.9
#define TINY 1e-12

struct point {
	double v[DIMENSIONS];
	uint64_t first, last, instructions; /* fewer than from first to last if some were left out */
};

struct sim {
	struct cairn *cairn;
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

static int report_point(struct block_run *run, const struct block_part *block_part,
                        struct cairn_result *res)
{
	struct sim *sim = run->user;
	struct point point = {.instructions = block_part->instructions,
	                      .first = result_first(res),
	                      .last = result_last(res)};
	const uint64_t **rows = base_map_sorted(&block_part->blocks);
	if (!rows)
		return CAIRN_E_NOMEM;
	for (size_t i = 0; i < block_part->blocks.n; i++) {
		uint64_t lot = sim->seed ^ rows[i][0] * UINT64_C(0xd1342543de82ef95);
		const struct block *block = (const void *)(rows[i] + 2);
		double part = (double)block->instructions / (double)block_part->instructions;
		for (unsigned d = 0; d < DIMENSIONS; d++)
			point.v[d] += part * (2 * fraction(&lot) - 1);
	}
	base_free(run->cairn, rows);
	return block_part->instructions ? base_buf_put(&sim->points, &point, sizeof point) : 0;
}

/* ---- k-means ---- */

static double simpoints_distance(const double *left, const double *right)
{
	double sum = 0;
	for (unsigned d = 0; d < DIMENSIONS; d++)
		sum += (left[d] - right[d]) * (left[d] - right[d]);
	return sum;
}

/* Choose the first centre at random, and each further one with a likelihood that grows with its
 * distance from those chosen. */
static void choose_centres(const struct point *point, size_t n, struct clusters *clusters,
                           double *far, uint64_t *lots)
{
	for (unsigned k = 0; k < clusters->k; k++) {
		size_t at = 0;
		double sum = 0;
		for (size_t i = 0; i < n; i++) {
			double d =
				k ? simpoints_distance(point[i].v, clusters->centre + (size_t)(k - 1) * DIMENSIONS)
				  : 1;
			far[i] = k < 2 || d < far[i] ? d : far[i];
			sum += far[i];
		}
		double lot = fraction(lots) * sum;
		while (at + 1 < n && (lot -= far[at]) > 0)
			at++;
		memcpy(clusters->centre + (size_t)k * DIMENSIONS, point[at].v, sizeof point[at].v);
	}
}

/* The distance, or something greater than `enough` where it is greater. Sums only grow, so the rest
 * of them can be left out. */
static double distance_up_to(const double *left, const double *right, double enough)
{
	double sum = 0;
	for (unsigned d = 0; d < DIMENSIONS && sum <= enough; d += DIMENSIONS / 3)
		for (unsigned e = d; e < d + DIMENSIONS / 3; e++)
			sum += (left[e] - right[e]) * (left[e] - right[e]);
	return sum;
}

/* Give each point to its nearest centre, the first of several; did any point move? Most stay, so
 * the distance to the present centre is known first, and few others are summed up to the end. */
static bool assign(const struct point *point, size_t n, struct clusters *clusters)
{
	bool moved = false;
	clusters->spread = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t to = clusters->member[i] < clusters->k ? clusters->member[i] : 0;
		double best = simpoints_distance(point[i].v, clusters->centre + (size_t)to * DIMENSIONS);
		for (unsigned k = 0; k < clusters->k; k++) {
			double d = distance_up_to(point[i].v, clusters->centre + (size_t)k * DIMENSIONS, best);
			if (d < best || (d == best && k < to)) {
				best = d;
				to = k;
			}
		}
		moved |= clusters->member[i] != to;
		clusters->member[i] = to;
		clusters->spread += best;
	}
	return moved;
}

/* Move each centre to the middle of its cluster; one without points stays where it is. */
static void centre(const struct point *point, size_t n, struct clusters *clusters, size_t *count)
{
	memset(count, 0, clusters->k * sizeof *count);
	for (size_t i = 0; i < n; i++) {
		double *to = clusters->centre + (size_t)clusters->member[i] * DIMENSIONS;
		if (!count[clusters->member[i]]++)
			memset(to, 0, DIMENSIONS * sizeof *to);
		for (unsigned d = 0; d < DIMENSIONS; d++)
			to[d] += point[i].v[d];
	}
	for (unsigned k = 0; k < clusters->k; k++)
		for (unsigned d = 0; d < DIMENSIONS && count[k]; d++)
			clusters->centre[(size_t)k * DIMENSIONS + d] /= (double)count[k];
}

static double bic_of(size_t n, const struct clusters *clusters, const size_t *count)
{
	double all = (double)n, likely = 0;
	double variance = n > clusters->k ? clusters->spread / (all - clusters->k) : 0;
	variance = variance > TINY ? variance : TINY;
	unsigned used = 0;
	for (unsigned k = 0; k < clusters->k; k++) {
		double mine = (double)count[k];
		if (!count[k])
			continue;
		used++;
		likely += -mine / 2 * log(2 * M_PI) - mine * DIMENSIONS / 2 * log(variance) -
		          (mine - clusters->k) / 2 + mine * log(mine) - mine * log(all);
	}
	double parameters = (used - 1) + (double)DIMENSIONS * used + 1;
	return likely - parameters / 2 * log(all);
}

static void clusters_free(struct cairn *cairn, struct clusters *clusters)
{
	base_free(cairn, clusters->centre);
	base_free(cairn, clusters->member);
}

static int clusters_new(struct cairn *cairn, struct clusters *clusters, unsigned index, size_t n)
{
	*clusters = (struct clusters){
		.k = index,
		.centre = base_alloc(cairn, index * DIMENSIONS * sizeof *clusters->centre),
		.member = base_alloc(cairn, (n + 1) * sizeof *clusters->member)};
	return clusters->centre && clusters->member ? 0 : CAIRN_E_NOMEM;
}

/* The tightest of several tries, in `best`. */
static int cluster(struct sim *sim, unsigned index, struct clusters *best)
{
	const struct point *point = (const void *)sim->points.data;
	size_t n = sim->points.len / sizeof *point;
	double *far = base_alloc(sim->cairn, (n + 1) * sizeof *far);
	size_t *count = base_alloc(sim->cairn, index * sizeof *count);
	struct clusters clusters = {0};
	int rc = clusters_new(sim->cairn, best, index, n);
	if (rc >= 0)
		rc = clusters_new(sim->cairn, &clusters, index, n);
	rc = far && count ? rc : CAIRN_E_NOMEM;
	for (unsigned try = 0; try < (index > EACH ? 1 : TRIES) && rc >= 0; try++) {
		uint64_t lots = sim->seed + 1000 * (uint64_t)index + try;
		choose_centres(point, n, &clusters, far, &lots);
		for (unsigned round = 0; round < ROUNDS && (assign(point, n, &clusters) || !round);
		     round++) {
			if (base_cancelled(sim->cairn))
				rc = base_fail(sim->cairn, CAIRN_E_CANCELLED, "cancelled");
			centre(point, n, &clusters, count);
		}
		assign(point, n, &clusters);
		centre(point, n, &clusters, count);
		clusters.bic = bic_of(n, &clusters, count);
		if (try == 0 || clusters.spread < best->spread) {
			struct clusters old = *best;
			*best = clusters;
			clusters = old;
		}
	}
	clusters_free(sim->cairn, &clusters);
	base_free(sim->cairn, far);
	base_free(sim->cairn, count);
	return rc;
}

/* ---- the result ---- */

/* The point nearest to the middle of cluster `index`, NULL when it has none; also the share of all
 * instructions that the cluster has. */
static const struct point *middle(const struct sim *sim, const struct clusters *clusters,
                                  unsigned index, uint64_t *mine)
{
	const struct point *point = (const void *)sim->points.data, *best = NULL;
	size_t n = sim->points.len / sizeof *point;
	double nearest = INFINITY;
	*mine = 0;
	for (size_t i = 0; i < n; i++) {
		double d = simpoints_distance(point[i].v, clusters->centre + (size_t)index * DIMENSIONS);
		if (clusters->member[i] != index)
			continue;
		*mine += point[i].instructions;
		if (d < nearest) {
			nearest = d;
			best = &point[i];
		}
	}
	return best;
}

struct chosen {
	const struct point *point;
	uint64_t mine;
};

static int simpoints_by_place(const void *a, const void *b)
{
	const struct chosen *x = a, *y = b;
	return (x->point->first > y->point->first) - (x->point->first < y->point->first);
}

/* In trace order. */
static int put_points(const struct sim *sim, const struct clusters *clusters,
                      struct cairn_result *res, struct result_table *table)
{
	struct chosen *list = base_alloc(sim->cairn, (clusters->k + 1) * sizeof *list);
	size_t n = 0;
	uint64_t all = 0;
	for (unsigned k = 0; k < clusters->k && list; k++) {
		list[n].point = middle(sim, clusters, k, &list[n].mine);
		all += list[n].mine;
		n += list[n].point != NULL;
	}
	if (n)
		qsort(list, n, sizeof *list, simpoints_by_place);
	for (size_t i = 0; i < n; i++) {
		struct cairn_cell *row = result_row(res, table);
		cell_number(&row[0], i);
		cell_number(&row[1], (list[i].point->first - 1) / sim->every);
		cell_number(&row[2], list[i].point->first);
		cell_number(&row[3], list[i].point->last);
		cell_ratio(&row[4], (double)list[i].mine, (double)all);
	}
	base_free(sim->cairn, list);
	return list ? 0 : CAIRN_E_NOMEM;
}

/* The number of clusters to try behind `index`. The time each takes grows with it. */
static unsigned next_k(unsigned index, unsigned most)
{
	unsigned next = index < EACH ? index + 1 : index + index / 4;
	return index < most && next > most ? most : next;
}

static int simpoints_choose(struct sim *sim, unsigned most, struct cairn_result *res)
{
	static const struct cairn_column points[] = {
		COUNT("simpoint", "its number"),
		COUNT("interval", "number of the interval that stands for the cluster"),
		COUNT("first", "its first instruction"), COUNT("last", "its last instruction"),
		REAL("weight", 6, "part of all instructions that its cluster has, from 0 to 1")};
	static const struct cairn_column tried[] = {
		COUNT("k", "number of clusters"),
		REAL("bic", 2, "how well they fit (Bayesian information criterion); more is better")};
	size_t n = sim->points.len / sizeof(struct point);
	/* With few intervals in each, every cluster is tight, which says nothing. */
	if (!most)
		most = n / AT_LEAST < MOST ? (unsigned)(n / AT_LEAST) + (n < AT_LEAST) : MOST;
	most = n < most ? (unsigned)n : most;
	struct clusters *clusters = base_alloc(sim->cairn, (most + 1) * sizeof *clusters);
	int rc = clusters ? 0 : CAIRN_E_NOMEM;
	double low = INFINITY, high = -INFINITY;
	for (unsigned k = 1; k <= most && rc >= 0; k = next_k(k, most)) {
		rc = cluster(sim, k, &clusters[k]);
		low = clusters[k].bic < low ? clusters[k].bic : low;
		high = clusters[k].bic > high ? clusters[k].bic : high;
	}
	unsigned k = 1;
	while (rc >= 0 && k < most && clusters[k].bic < low + ENOUGH * (high - low))
		k = next_k(k, most);
	const struct result_figure figures[] = {
		{COUNT("intervals", "intervals of the trace"), n},
		{COUNT("interval_length", "instructions of an interval"), sim->every},
		{COUNT("clusters", "clusters that were chosen"), n ? k : 0}};
	result_summary(res, figures, 3);
	if (!n)
		result_note(res, "there are no intervals");
	if (most > EACH)
		result_note(res, "of more than 64 clusters only some numbers were tried, and those once");
	struct result_table *table = result_table(res, "simpoints", points, 5);
	if (rc >= 0 && n)
		rc = put_points(sim, &clusters[k], res, table);
	table = result_table(res, "clustering", tried, 2);
	for (k = 1; k <= most && rc >= 0; k = next_k(k, most)) {
		struct cairn_cell *row = result_row(res, table);
		cell_number(&row[0], k);
		cell_real(&row[1], clusters[k].bic);
	}
	for (k = 1; k <= most && clusters; k++)
		clusters_free(sim->cairn, &clusters[k]);
	base_free(sim->cairn, clusters);
	return rc < 0 ? rc : result_status(res);
}

/* An unknown table is refused before the trace is read: a result without intervals has the same
 * tables. */
static int simpoints_asked(struct sim *sim, const char *table)
{
	struct cairn_result *of_none = table ? result_new(sim->cairn, table) : NULL;
	int rc = !table ? 0 : of_none ? simpoints_choose(sim, 0, of_none) : CAIRN_E_NOMEM;
	if (rc >= 0 && table)
		rc = result_asked(of_none, table);
	cairn_result_free(of_none);
	return rc;
}

int cairn_simpoints(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                    const struct cairn_simpoints_opts *how, struct cairn_result **out)
{
	struct cairn_analysis_opts own;
	struct cairn_simpoints_opts simpoints_opts = {.size = sizeof simpoints_opts};
	struct sim sim = {.cairn = reader->cairn};
	struct block_run run = {.report = report_point, .user = &sim};
	struct cairn_result *none = NULL;
	*out = NULL;
	int rc = analysis_opts(reader, opts, &own);
	if (rc >= 0)
		rc = base_options(reader->cairn, &simpoints_opts, sizeof simpoints_opts, how,
		                  "simpoint options");
	if (rc >= 0 && !own.every)
		rc = base_fail(reader->cairn, CAIRN_E_INVAL,
		               "simpoints are intervals of a length (--every)");
	if (rc >= 0 && simpoints_opts.most > MOST_CLUSTERS)
		rc = base_fail(reader->cairn, CAIRN_E_INVAL, "at most %d clusters", MOST_CLUSTERS);
	if (rc < 0)
		return rc;
	own.interval = NULL; /* the result comes from all of them */
	sim.every = own.every;
	sim.seed = simpoints_opts.seed ? simpoints_opts.seed : UINT64_C(0x2545f4914f6cdd1d);
	base_buf_init(&sim.points, reader->cairn);
	const char *table = own.table;
	own.table = NULL; /* blocks are of others */
	rc = simpoints_asked(&sim, table);
	if (rc >= 0)
		rc = blocks_run(reader, &own, simpoints_opts.ends, &run, &none);
	result_leave_notes(reader, none);
	if (rc >= 0 && !(*out = result_new(reader->cairn, table)))
		rc = CAIRN_E_NOMEM;
	if (rc >= 0)
		rc = simpoints_choose(&sim, simpoints_opts.most, *out);
	if (rc < 0) {
		cairn_result_free(*out);
		*out = NULL;
	}
	base_buf_free(&sim.points);
	return rc;
}
