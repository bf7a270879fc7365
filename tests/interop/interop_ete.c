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

static struct stream *stream_of(struct listing *listing, size_t session, unsigned id)
{
	for (size_t i = 0; i < listing->n; i++)
		if (listing->streams[i].session == session && listing->streams[i].id == id)
			return &listing->streams[i];
	listing->streams = realloc(listing->streams, (listing->n + 1) * sizeof *listing->streams);
	listing->streams[listing->n] = (struct stream){.id = id, .session = session};
	return &listing->streams[listing->n++];
}

static void put_bytes(struct stream *stream, const char *text, const char *end)
{
	char *next;
	for (; text < end; text = next) {
		unsigned long v = strtoul(text, &next, 16);
		if (next == text || next > end)
			return;
		if (stream->size == stream->room)
			stream->bytes =
				realloc(stream->bytes, stream->room = stream->room ? stream->room * 2 : 4096);
		stream->bytes[stream->size++] = (uint8_t)v;
	}
}

/* Runs of bytes out of step are told in pieces: one line for all. */
static int goes_on(const struct stream *stream, const char *text)
{
	for (size_t i = stream->n; i-- > 0;)
		if (stream->lines[i].is_packet)
			return !strncmp(text, "I_NOT_SYNC", 10) &&
			       !strncmp(stream->lines[i].text, "I_NOT_SYNC", 10);
	return 0;
}

static void put_line(struct stream *stream, uint64_t idx, const char *text, int is_packet)
{
	if (is_packet && goes_on(stream, text))
		return;
	if (stream->n == stream->cap)
		stream->lines =
			realloc(stream->lines,
		            (stream->cap = stream->cap ? stream->cap * 2 : 1024) * sizeof *stream->lines);
	stream->lines[stream->n++] = (struct line){idx, strdup(text), is_packet};
}

/* Elements carry the trace ID even where the packets do not. */
static void take_line(struct listing *listing, size_t session, int one, char *line)
{
	char *at = NULL, *open, *close, *text;
	unsigned long long idx;
	unsigned id;
	struct stream *stream;
	/* an error's line has no end: the next one begins in it */
	for (char *p = line; (p = strstr(p, "Idx:")); p++)
		if (p == line || p[-1] != 'c')
			at = p;
	if (!at || sscanf(at, "Idx:%llu; ID:%x;", &idx, &id) != 2)
		return;
	stream = stream_of(listing, session, one ? 0 : id);
	text = strchr(at, '\t');
	if (text) {
		open = strchr(at, '[');
		close = open ? strchr(open, ']') : NULL;
		assert_true(open && close && close < text);
		put_bytes(stream, open + 1, close);
		put_line(stream, idx, text + 1, 1);
	} else if ((text = strstr(at, "OCSD_GEN_TRC_ELEM_"))) {
		put_line(stream, idx, text, 0);
	}
}

static void read_listing(const char *path, int one, struct listing *listing)
{
	static char line[1 << 16];
	gzFile f = gzopen(path, "rb");
	size_t session = 0;
	assert_non_null(f);
	memset(listing, 0, sizeof *listing);
	while (gzgets(f, line, sizeof line)) {
		line[strcspn(line, "\n")] = 0;
		if (strstr(line, "RESET operation"))
			session++;
		take_line(listing, session, one, line);
	}
	gzclose(f);
}

static void free_listing(struct listing *listing)
{
	for (size_t i = 0; i < listing->n; i++) {
		for (size_t k = 0; k < listing->streams[i].n; k++)
			free(listing->streams[i].lines[k].text);
		free(listing->streams[i].lines);
		free(listing->streams[i].bytes);
	}
	free(listing->streams);
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
static int find_config(const char *dir, const struct stream *stream, struct cairn_ete_config *cfg)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	int found = 0;
	while (d && (entry = readdir(d)) && !found) {
		char path[2048], want[64];
		size_t n, m;
		char *ini, *bin;
		snprintf(path, sizeof path, "%s/%s", dir, entry->d_name);
		ini = strstr(entry->d_name, ".ini") ? whole_file(path, &n) : NULL;
		if (ini && strstr(ini, "type=ETE")) {
			read_config(ini, cfg);
			found = stream->id && (cfg->traceidr & 0x7f) == stream->id;
			snprintf(want, sizeof want, "session%c.bin",
			         strstr(entry->d_name, "_s") ? strstr(entry->d_name, "_s")[2] : '1');
			snprintf(path, sizeof path, "%s/%s", dir, want);
			if (!stream->id && (bin = whole_file(path, &m))) {
				found = m == stream->size && (!m || !memcmp(bin, stream->bytes, m));
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

static void compare_packets(const char *name, const struct stream *stream,
                            const struct cairn_ete_config *cfg)
{
	struct cairn_ete_packets *packets;
	struct cairn_ete_packet packet;
	size_t i = 0;
	int synced = 0;
	uint64_t end = 0;
	assert_int_equal(cairn_ete_packets_open(c, cfg, stream->bytes, stream->size, 0, &packets), 0);
	while (cairn_ete_packets_next(packets, &packet)) {
		char line[LISTING_LINE];
		listing_packet(&packet, synced, line);
		synced |= packet.type == CAIRN_ETE_P_TRACE_INFO;
		assert_int_equal(packet.offset, end);
		end += packet.size;
		while (i < stream->n && !stream->lines[i].is_packet)
			i++;
		if (i == stream->n || strcmp(stream->lines[i].text, line) ||
		    (!stream->id && stream->lines[i].idx != packet.offset))
			fail_msg("%s, id %x, byte %llu: %s\nis not %s", name, stream->id,
			         (unsigned long long)packet.offset, line,
			         i < stream->n ? stream->lines[i].text : "the end");
		i++;
	}
	while (i < stream->n && !stream->lines[i].is_packet)
		i++;
	assert_int_equal(i, stream->n);
	assert_int_equal(end, stream->size);
	cairn_ete_packets_close(packets);
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

static int next_element(const struct stream *stream, size_t *i)
{
	for (; *i < stream->n; ++*i)
		if (!stream->lines[*i].is_packet && !needs_program(stream->lines[*i].text))
			return 1;
	return 0;
}

/* A context is told when it is another, or after an exception, a Trace On or where
 * decoding began anew. */
static int tells(const struct cairn_ete_element *element, struct cairn_ete_element *told)
{
	struct cairn_ete_element left = *element, right = *told;
	left.offset = right.offset = 0;
	if (element->kind == CAIRN_ETE_NO_SYNC || element->kind == CAIRN_ETE_DISCARD ||
	    element->kind == CAIRN_ETE_OVERFLOW || element->kind == CAIRN_ETE_EXCEPTION ||
	    element->kind == CAIRN_ETE_TRACE_ON)
		memset(told, 0, sizeof *told);
	if (element->kind != CAIRN_ETE_CONTEXT)
		return 1;
	*told = *element;
	return memcmp(&left, &right, sizeof left) != 0;
}

static size_t all_elements(const struct stream *stream, const struct cairn_ete_config *cfg,
                           struct cairn_ete_element **out)
{
	const struct cairn_ete_elements_opts keep = {sizeof keep, CAIRN_ETE_KEEP};
	struct cairn_ete_elements *elements;
	size_t n = 0, room = 0;
	int64_t got;
	*out = NULL;
	assert_int_equal(
		cairn_ete_elements_open(c, cfg, &keep, stream->bytes, stream->size, 0, &elements), 0);
	do {
		*out = realloc(*out, (room += 1000) * sizeof **out);
		got = cairn_ete_elements_fill(elements, *out + n, 1000);
		assert_true(got >= 0);
		n += (size_t)got;
	} while (got == 1000);
	cairn_ete_elements_close(elements);
	return n;
}

/* The reference tells a context with the P0 element behind it, and not without. */
static int execution_follows(const struct cairn_ete_config *cfg,
                             const struct cairn_ete_element *element, size_t index, size_t n)
{
	for (; index < n && element[index].kind != CAIRN_ETE_NO_SYNC; index++)
		if (cairn_ete_is_p0(cfg, element[index].kind))
			return 1;
	return 0;
}

static void compare_elements(const char *name, const struct stream *stream,
                             const struct cairn_ete_config *cfg)
{
	struct cairn_ete_element *element, told = {0};
	size_t n = all_elements(stream, cfg, &element), i = 0;
	for (size_t k = 0; k < n; k++) {
		char line[LISTING_LINE];
		listing_element(&element[k], stream->session > 0, line);
		if (!*line || !tells(&element[k], &told) ||
		    (element[k].kind == CAIRN_ETE_CONTEXT && !execution_follows(cfg, element, k, n)))
			continue;
		if (!next_element(stream, &i) || strcmp(stream->lines[i].text, line) ||
		    (!stream->id && element[k].kind != CAIRN_ETE_END &&
		     stream->lines[i].idx != element[k].offset))
			fail_msg("%s, id %x, byte %llu: %s\nis not %llu %s", name, stream->id,
			         (unsigned long long)element[k].offset, line,
			         (unsigned long long)(i < stream->n ? stream->lines[i].idx : 0),
			         i < stream->n ? stream->lines[i].text : "the end");
		i++;
	}
	if (next_element(stream, &i))
		fail_msg("%s, id %x: %s is missing", name, stream->id, stream->lines[i].text);
	free(element);
}

/* Parts that begin where reading can begin give what the whole gives. */
static void compare_parts(const char *name, const struct stream *stream,
                          const struct cairn_ete_config *cfg)
{
	const struct cairn_ete_elements_opts keep = {sizeof keep, CAIRN_ETE_KEEP};
	struct cairn_ete_element *whole, element;
	size_t n = all_elements(stream, cfg, &whole), k = 0;
	struct cairn_ete_elements *elements, *next;
	uint64_t from = 0, to;
	assert_int_equal(
		cairn_ete_elements_open(c, cfg, &keep, stream->bytes, stream->size, 0, &elements), 0);
	assert_int_equal(cairn_ete_elements_open(c, cfg, &keep, stream->bytes, stream->size, 0, &next),
	                 0);
	for (int more = 1; more; from = to) {
		to = UINT64_MAX;
		more = from < stream->size && cairn_ete_elements_sync_set(next, from + 1) == 0 &&
		       cairn_ete_elements_sync_forward(next) == 0;
		if (more)
			to = cairn_ete_elements_tell(next);
		assert_int_equal(cairn_ete_elements_sync_set(elements, from), 0);
		cairn_ete_elements_limit(elements, to);
		for (; cairn_ete_elements_next(elements, &element) == 1; k++)
			if (k == n || memcmp(&element, &whole[k], sizeof element))
				fail_msg("%s, id %x: element %zu of the part at %llu", name, stream->id, k,
				         (unsigned long long)from);
		cuts += (size_t)more;
	}
	assert_int_equal(k, n);
	cairn_ete_elements_close(elements);
	cairn_ete_elements_close(next);
	free(whole);
}

typedef void comparison(const char *, const struct stream *, const struct cairn_ete_config *);

/* Every listing of packets and elements; those of `.srcN` are of the layer above. */
static void every_listing(comparison *compare, const char *skip)
{
	char dir[512], path[1024], snapshot[1024];
	size_t streams = 0;
	struct dirent *entry;
	DIR *d;
	if (!data)
		skip();
	snprintf(dir, sizeof dir, "%s/ete/expected", data);
	d = opendir(dir);
	if (!d)
		skip();
	while ((entry = readdir(d))) {
		struct listing listing;
		char *dot = strchr(entry->d_name, '.');
		if (!strstr(entry->d_name, ".dec.txt.gz") || strstr(entry->d_name, ".srcN.") ||
		    (skip && !strncmp(entry->d_name, skip, strlen(skip))))
			continue;
		snprintf(path, sizeof path, "%s/%s", dir, entry->d_name);
		snprintf(snapshot, sizeof snapshot, "%s/ete/snapshots/%.*s", data,
		         (int)(dot - entry->d_name), entry->d_name);
		read_listing(path, strncmp(entry->d_name, "infrastructure", 14), &listing);
		for (size_t i = 0; i < listing.n; i++) {
			struct cairn_ete_config cfg;
			if (!find_config(snapshot, &listing.streams[i], &cfg))
				fail_msg("%s: whose bytes are these?", entry->d_name);
			compare(entry->d_name, &listing.streams[i], &cfg);
			streams++;
		}
		free_listing(&listing);
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
