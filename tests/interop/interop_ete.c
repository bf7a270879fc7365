/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ETE packets and elements of real snapshots against what the public packet lister prints
 * for them: every packet line exactly, every element line that can be told without the
 * program, in order. The stream of a session is put together from the bytes in the
 * listing, and must be the session's file where that has no frames around it.
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
#include <zlib.h>

#include "../ete/listing.h"
#include "cairn/cairn.h"

static struct cairn *c;
static size_t cuts; /* of streams, where parts begin */
static const char *data;

static int setup(void **state)
{
	(void)state;
	c = cairn_new(NULL);
	data = getenv("CAIRN_TEST_DATA");
	return c ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	cairn_free(c);
	return 0;
}

/* ---- a listing, taken apart ---- */

struct line {
	uint64_t idx;
	char *text; /* behind the place and the bytes */
	int is_packet;
};
struct stream {
	unsigned id; /* trace ID; 0: the listing has but one */
	struct line *lines;
	size_t n, cap;
	uint8_t *bytes;
	size_t size, room;
	size_t session; /* in the order of the listing */
};
struct listing {
	struct stream *streams;
	size_t n;
};

static struct stream *stream_of(struct listing *l, size_t session, unsigned id)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->streams[i].session == session && l->streams[i].id == id)
			return &l->streams[i];
	l->streams = realloc(l->streams, (l->n + 1) * sizeof *l->streams);
	l->streams[l->n] = (struct stream){.id = id, .session = session};
	return &l->streams[l->n++];
}

static void put_bytes(struct stream *s, const char *text, const char *end)
{
	char *next;
	for (; text < end; text = next) {
		unsigned long v = strtoul(text, &next, 16);
		if (next == text || next > end)
			return;
		if (s->size == s->room)
			s->bytes = realloc(s->bytes, s->room = s->room ? s->room * 2 : 4096);
		s->bytes[s->size++] = (uint8_t)v;
	}
}

/* Runs of bytes out of step are told in pieces: one line for all. */
static int goes_on(const struct stream *s, const char *text)
{
	for (size_t i = s->n; i-- > 0;)
		if (s->lines[i].is_packet)
			return !strncmp(text, "I_NOT_SYNC", 10) && !strncmp(s->lines[i].text, "I_NOT_SYNC", 10);
	return 0;
}

static void put_line(struct stream *s, uint64_t idx, const char *text, int is_packet)
{
	if (is_packet && goes_on(s, text))
		return;
	if (s->n == s->cap)
		s->lines = realloc(s->lines, (s->cap = s->cap ? s->cap * 2 : 1024) * sizeof *s->lines);
	s->lines[s->n++] = (struct line){idx, strdup(text), is_packet};
}

/* Elements carry the trace ID even where the packets do not. */
static void take_line(struct listing *l, size_t session, int one, char *line)
{
	char *at = NULL, *open, *close, *text;
	unsigned long long idx;
	unsigned id;
	struct stream *s;
	/* an error's line has no end: the next one begins in it */
	for (char *p = line; (p = strstr(p, "Idx:")); p++)
		if (p == line || p[-1] != 'c')
			at = p;
	if (!at || sscanf(at, "Idx:%llu; ID:%x;", &idx, &id) != 2)
		return;
	s = stream_of(l, session, one ? 0 : id);
	text = strchr(at, '\t');
	if (text) {
		open = strchr(at, '[');
		close = open ? strchr(open, ']') : NULL;
		assert_true(open && close && close < text);
		put_bytes(s, open + 1, close);
		put_line(s, idx, text + 1, 1);
	} else if ((text = strstr(at, "OCSD_GEN_TRC_ELEM_"))) {
		put_line(s, idx, text, 0);
	}
}

static void read_listing(const char *path, int one, struct listing *l)
{
	static char line[1 << 16];
	gzFile f = gzopen(path, "rb");
	size_t session = 0;
	assert_non_null(f);
	memset(l, 0, sizeof *l);
	while (gzgets(f, line, sizeof line)) {
		line[strcspn(line, "\n")] = 0;
		if (strstr(line, "RESET operation"))
			session++;
		take_line(l, session, one, line);
	}
	gzclose(f);
}

static void free_listing(struct listing *l)
{
	for (size_t i = 0; i < l->n; i++) {
		for (size_t k = 0; k < l->streams[i].n; k++)
			free(l->streams[i].lines[k].text);
		free(l->streams[i].lines);
		free(l->streams[i].bytes);
	}
	free(l->streams);
}

/* ---- the snapshot's configuration ---- */

static char *whole_file(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	char *p;
	if (!f)
		return NULL;
	fseek(f, 0, SEEK_END);
	*n = (size_t)ftell(f);
	rewind(f);
	p = calloc(1, *n + 1);
	assert_int_equal(fread(p, 1, *n, f), *n);
	fclose(f);
	return p;
}

static void read_config(const char *ini, struct cairn_ete_config *cfg)
{
	static const struct {
		const char *name;
		size_t at;
	} regs[] = {{"TRCCONFIGR", offsetof(struct cairn_ete_config, configr)},
	            {"TRCTRACEIDR", offsetof(struct cairn_ete_config, traceidr)},
	            {"TRCDEVARCH", offsetof(struct cairn_ete_config, devarch)},
	            {"TRCIDR0", offsetof(struct cairn_ete_config, idr0)},
	            {"TRCIDR1", offsetof(struct cairn_ete_config, idr1)},
	            {"TRCIDR2", offsetof(struct cairn_ete_config, idr2)},
	            {"TRCIDR8", offsetof(struct cairn_ete_config, idr8)}};
	cairn_ete_config_init(cfg);
	for (size_t i = 0; i < sizeof regs / sizeof regs[0]; i++) {
		const char *p = ini;
		size_t n = strlen(regs[i].name);
		while ((p = strstr(p, regs[i].name))) {
			if (p[n] == '=' || p[n] == '(') {
				uint32_t v = (uint32_t)strtoul(strchr(p, '=') + 1, NULL, 0);
				memcpy((char *)cfg + regs[i].at, &v, sizeof v);
				break;
			}
			p += n;
		}
	}
}

/* The trace unit of a stream: by its ID where there are several, else by the session file
 * that has just these bytes. 0: no such file. */
static int find_config(const char *dir, const struct stream *s, struct cairn_ete_config *cfg)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	int found = 0;
	while (d && (e = readdir(d)) && !found) {
		char path[2048], want[64];
		size_t n, m;
		char *ini, *bin;
		snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
		ini = strstr(e->d_name, ".ini") ? whole_file(path, &n) : NULL;
		if (ini && strstr(ini, "type=ETE")) {
			read_config(ini, cfg);
			found = s->id && (cfg->traceidr & 0x7f) == s->id;
			snprintf(want, sizeof want, "session%c.bin",
			         strstr(e->d_name, "_s") ? strstr(e->d_name, "_s")[2] : '1');
			snprintf(path, sizeof path, "%s/%s", dir, want);
			if (!s->id && (bin = whole_file(path, &m))) {
				found = m == s->size && (!m || !memcmp(bin, s->bytes, m));
				free(bin);
			}
		}
		free(ini);
	}
	if (d)
		closedir(d);
	return found;
}

/* ---- comparing ---- */

static void compare_packets(const char *name, const struct stream *s,
                            const struct cairn_ete_config *cfg)
{
	struct cairn_ete_packets *d;
	struct cairn_ete_packet p;
	size_t i = 0;
	int synced = 0;
	uint64_t end = 0;
	assert_int_equal(cairn_ete_packets_open(c, cfg, s->bytes, s->size, 0, &d), 0);
	while (cairn_ete_packets_next(d, &p)) {
		char line[LISTING_LINE];
		listing_packet(&p, synced, line);
		synced |= p.type == CAIRN_ETE_P_TRACE_INFO;
		assert_int_equal(p.offset, end);
		end += p.size;
		while (i < s->n && !s->lines[i].is_packet)
			i++;
		if (i == s->n || strcmp(s->lines[i].text, line) || (!s->id && s->lines[i].idx != p.offset))
			fail_msg("%s, id %x, byte %llu: %s\nis not %s", name, s->id,
			         (unsigned long long)p.offset, line, i < s->n ? s->lines[i].text : "the end");
		i++;
	}
	while (i < s->n && !s->lines[i].is_packet)
		i++;
	assert_int_equal(i, s->n);
	assert_int_equal(end, s->size);
	cairn_ete_packets_close(d);
}

/* What the program alone gives: that layer compares it. */
static int needs_program(const char *text)
{
	static const char *const kinds[] = {"INSTR_RANGE", "I_RANGE_NOPATH", "ADDR_NACC",
	                                    "EXCEPTION_RET"};
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (!strncmp(text + 18, kinds[i], strlen(kinds[i])) && (text[18 + strlen(kinds[i])] == '('))
			return 1;
	return 0;
}

static int next_element(const struct stream *s, size_t *i)
{
	for (; *i < s->n; ++*i)
		if (!s->lines[*i].is_packet && !needs_program(s->lines[*i].text))
			return 1;
	return 0;
}

/* A context is told when it is another, or after an exception, a Trace On or where
 * decoding began anew. */
static int tells(const struct cairn_ete_element *e, struct cairn_ete_element *told)
{
	struct cairn_ete_element a = *e, b = *told;
	a.offset = b.offset = 0;
	if (e->kind == CAIRN_ETE_NO_SYNC || e->kind == CAIRN_ETE_DISCARD ||
	    e->kind == CAIRN_ETE_OVERFLOW || e->kind == CAIRN_ETE_EXCEPTION ||
	    e->kind == CAIRN_ETE_TRACE_ON)
		memset(told, 0, sizeof *told);
	if (e->kind != CAIRN_ETE_CONTEXT)
		return 1;
	*told = *e;
	return memcmp(&a, &b, sizeof a) != 0;
}

static size_t all_elements(const struct stream *s, const struct cairn_ete_config *cfg,
                           struct cairn_ete_element **out)
{
	const struct cairn_ete_elements_opts keep = {sizeof keep, CAIRN_ETE_KEEP};
	struct cairn_ete_elements *d;
	size_t n = 0, room = 0;
	int64_t got;
	*out = NULL;
	assert_int_equal(cairn_ete_elements_open(c, cfg, &keep, s->bytes, s->size, 0, &d), 0);
	do {
		*out = realloc(*out, (room += 1000) * sizeof **out);
		got = cairn_ete_elements_fill(d, *out + n, 1000);
		assert_true(got >= 0);
		n += (size_t)got;
	} while (got == 1000);
	cairn_ete_elements_close(d);
	return n;
}

/* The reference tells a context with the P0 element behind it, and not without. */
static int execution_follows(const struct cairn_ete_config *cfg, const struct cairn_ete_element *e,
                             size_t k, size_t n)
{
	for (; k < n && e[k].kind != CAIRN_ETE_NO_SYNC; k++)
		if (cairn_ete_is_p0(cfg, e[k].kind))
			return 1;
	return 0;
}

static void compare_elements(const char *name, const struct stream *s,
                             const struct cairn_ete_config *cfg)
{
	struct cairn_ete_element *e, told = {0};
	size_t n = all_elements(s, cfg, &e), i = 0;
	for (size_t k = 0; k < n; k++) {
		char line[LISTING_LINE];
		listing_element(&e[k], s->session > 0, line);
		if (!*line || !tells(&e[k], &told) ||
		    (e[k].kind == CAIRN_ETE_CONTEXT && !execution_follows(cfg, e, k, n)))
			continue;
		if (!next_element(s, &i) || strcmp(s->lines[i].text, line) ||
		    (!s->id && e[k].kind != CAIRN_ETE_END && s->lines[i].idx != e[k].offset))
			fail_msg("%s, id %x, byte %llu: %s\nis not %llu %s", name, s->id,
			         (unsigned long long)e[k].offset, line,
			         (unsigned long long)(i < s->n ? s->lines[i].idx : 0),
			         i < s->n ? s->lines[i].text : "the end");
		i++;
	}
	if (next_element(s, &i))
		fail_msg("%s, id %x: %s is missing", name, s->id, s->lines[i].text);
	free(e);
}

/* Parts that begin where reading can begin give what the whole gives. */
static void compare_parts(const char *name, const struct stream *s,
                          const struct cairn_ete_config *cfg)
{
	const struct cairn_ete_elements_opts keep = {sizeof keep, CAIRN_ETE_KEEP};
	struct cairn_ete_element *whole, e;
	size_t n = all_elements(s, cfg, &whole), k = 0;
	struct cairn_ete_elements *d, *next;
	uint64_t from = 0, to;
	assert_int_equal(cairn_ete_elements_open(c, cfg, &keep, s->bytes, s->size, 0, &d), 0);
	assert_int_equal(cairn_ete_elements_open(c, cfg, &keep, s->bytes, s->size, 0, &next), 0);
	for (int more = 1; more; from = to) {
		to = UINT64_MAX;
		more = from < s->size && cairn_ete_elements_sync_set(next, from + 1) == 0 &&
		       cairn_ete_elements_sync_forward(next) == 0;
		if (more)
			to = cairn_ete_elements_tell(next);
		assert_int_equal(cairn_ete_elements_sync_set(d, from), 0);
		cairn_ete_elements_limit(d, to);
		for (; cairn_ete_elements_next(d, &e) == 1; k++)
			if (k == n || memcmp(&e, &whole[k], sizeof e))
				fail_msg("%s, id %x: element %zu of the part at %llu", name, s->id, k,
				         (unsigned long long)from);
		cuts += (size_t)more;
	}
	assert_int_equal(k, n);
	cairn_ete_elements_close(d);
	cairn_ete_elements_close(next);
	free(whole);
}

typedef void comparison(const char *, const struct stream *, const struct cairn_ete_config *);

/* Every listing of packets and elements; those of `.srcN` are of the layer above. */
static void every_listing(comparison *compare, const char *skip)
{
	char dir[512], path[1024], snapshot[1024];
	size_t streams = 0;
	struct dirent *e;
	DIR *d;
	if (!data)
		skip();
	snprintf(dir, sizeof dir, "%s/ete/expected", data);
	d = opendir(dir);
	if (!d)
		skip();
	while ((e = readdir(d))) {
		struct listing l;
		char *dot = strchr(e->d_name, '.');
		if (!strstr(e->d_name, ".dec.txt.gz") || strstr(e->d_name, ".srcN.") ||
		    (skip && !strncmp(e->d_name, skip, strlen(skip))))
			continue;
		snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
		snprintf(snapshot, sizeof snapshot, "%s/ete/snapshots/%.*s", data, (int)(dot - e->d_name),
		         e->d_name);
		read_listing(path, strncmp(e->d_name, "infrastructure", 14), &l);
		for (size_t i = 0; i < l.n; i++) {
			struct cairn_ete_config cfg;
			if (!find_config(snapshot, &l.streams[i], &cfg))
				fail_msg("%s: whose bytes are these?", e->d_name);
			compare(e->d_name, &l.streams[i], &cfg);
			streams++;
		}
		free_listing(&l);
	}
	closedir(d);
	assert_true(streams >= 35);
}

static void every_packet_is_what_the_reference_prints(void **state)
{
	(void)state;
	every_listing(compare_packets, NULL);
}

static void every_element_is_what_the_reference_prints(void **state)
{
	(void)state;
	/* The reference takes conditional branches of FEAT_CMPBR for errors and starts
	 * anew at them. */
	every_listing(compare_elements, "feat_cmpbr");
}

static void parts_are_the_whole(void **state)
{
	(void)state;
	cuts = 0;
	every_listing(compare_parts, NULL);

	assert_true(cuts >= 25);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_packet_is_what_the_reference_prints),
		cmocka_unit_test(every_element_is_what_the_reference_prints),
		cmocka_unit_test(parts_are_the_whole),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
