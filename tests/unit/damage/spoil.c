/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Damage that can be noticed: a byte of a value that changes is another value, which nobody can
 * know. So what is spoilt begins where a record does, or lies in what has a checksum.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../fixtures/random_traces.h"
#include "base/bytes.h"
#include "damage.h"

uint8_t *spoil_read(const char *path, size_t *n)
{
	struct stat st;
	FILE *f = fopen(path, "rb");
	if (!f || fstat(fileno(f), &st) < 0)
		abort();
	uint8_t *p = malloc((size_t)st.st_size + 4096);
	*n = p ? fread(p, 1, (size_t)st.st_size, f) : 0;
	fclose(f);
	if (!p)
		abort();
	return p;
}

void spoil_write(const char *path, const void *p, size_t n)
{
	FILE *f = fopen(path, "wb");
	if (!f || fwrite(p, 1, n, f) != n || fclose(f) != 0)
		abort();
}

/* ---- where ---- */

enum { MOST_RECORDS = 4096, MOST_BYTES = 1 << 17 };

struct spoil {
	const struct make_format *format;
	uint64_t seed;
	uint8_t *p;
	size_t n;
	uint64_t start[MOST_RECORDS + 1]; /* where records begin, those behind the first instruction */
	size_t n_starts;
};

static bool is_text(const struct make_format *format)
{
	return !format->to;
}
static bool is_stf(const struct make_format *format)
{
	return !is_text(format) && strstr(format->to, "stf") != NULL;
}
static bool is_ete(const struct make_format *format)
{
	return format->program;
}

static void find_starts(struct cairn *cairn, struct spoil *spoil)
{
	struct cairn_open_opts opts = {.size = sizeof opts,
	                               .from = is_ete(spoil->format) ? "ete" : NULL};
	struct cairn_reader *reader = NULL;
	struct cairn_record record;
	bool ran = is_ete(spoil->format);
	spoil->n_starts = 0;
	if (cairn_open_memory(cairn, spoil->p, spoil->n, &opts, &reader) < 0)
		abort();
	while (spoil->n_starts < MOST_RECORDS && cairn_next_record(reader, &record) > 0) {
		if (ran)
			spoil->start[spoil->n_starts++] = record.offset;
		ran |= record.insn > 0 && record.number > 8;
	}
	cairn_close(reader);
	spoil->start[spoil->n_starts] = spoil->n;
}

/* A record that is not the first or last. */
static size_t some_record(struct spoil *spoil)
{
	return 1 + random_below(&spoil->seed, (unsigned)spoil->n_starts - 2);
}

/* ---- how: raw ---- */

static void replace(struct spoil *spoil, size_t at, size_t n, const void *p, size_t m)
{
	memmove(spoil->p + at + m, spoil->p + at + n, spoil->n - at - n);
	memcpy(spoil->p + at, p, m);
	spoil->n += m - n;
}

/* A record of a type that there is not, a line of which half is missing. */
static void bad_record(struct spoil *spoil, size_t record)
{
	size_t at = (size_t)spoil->start[record], n = (size_t)(spoil->start[record + 1] - at);
	if (is_text(spoil->format))
		replace(spoil, at + n / 2, n - n / 2, "zz\n", 3);
	else if (is_ete(spoil->format))
		memset(spoil->p + at, 0x08, n);
	else
		spoil->p[at] = 0xee;
}

static bool hole_of_zeros(struct spoil *spoil)
{
	size_t record = some_record(spoil), at = (size_t)spoil->start[record],
		   n = 24 + random_below(&spoil->seed, 60);
	if (is_ete(spoil->format) && at + n > spoil->n)
		return false; /* zeros at the end are padding */
	memset(spoil->p + at, 0, at + n < spoil->n ? n : spoil->n - at);
	return true;
}

static bool cut_off(struct spoil *spoil)
{
	size_t record = some_record(spoil), at = (size_t)spoil->start[record],
		   n = (size_t)(spoil->start[record + 1] - at);
	if (n < 2 || (is_ete(spoil->format) && !spoil->p[at]))
		return false; /* half a synchronisation is padding */
	spoil->n = at + 1 + random_below(&spoil->seed, (unsigned)n - 1);
	return true;
}

static bool cut_line(struct spoil *spoil, size_t record)
{
	size_t at = (size_t)spoil->start[record], n = (size_t)(spoil->start[record + 1] - at);
	if (!is_text(spoil->format))
		return false;
	replace(spoil, at + n / 3, n - n / 3, "\n", 1);
	return true;
}

static bool spoil_raw(struct spoil *spoil, unsigned way)
{
	size_t record = some_record(spoil);
	switch (way) {
	case 0:
		bad_record(spoil, record);
		return true;
	case 1:
		return hole_of_zeros(spoil);
	case 2:
		return cut_off(spoil);
	case 3: /* two that follow each other */
		if (is_stf(spoil->format))
			return false;
		bad_record(spoil, record + 1 < spoil->n_starts - 1 ? record + 1 : record - 1);
		bad_record(spoil, record);
		return true;
	case 4: /* two, anywhere; the later one first, for places behind it move */
		if (is_stf(spoil->format) || record < 3)
			return false;
		bad_record(spoil, record);
		bad_record(spoil, 1 + random_below(&spoil->seed, (unsigned)record - 1));
		return true;
	default:
		return cut_line(spoil, record);
	}
}

/* ---- how: packed ---- */

/* Where frames of zstd begin, and at last where the chunks end. */
static void find_frames(struct spoil *spoil)
{
	size_t end = (size_t)base_le64(spoil->p + 12);
	spoil->n_starts = 0;
	for (size_t at = 20; at + 4 <= end && spoil->n_starts < MOST_RECORDS; at++)
		if (base_le32(spoil->p + at) == 0xfd2fb528)
			spoil->start[spoil->n_starts++] = at;
	spoil->start[spoil->n_starts] = end;
}

/* Frames have no sums: what breaks one is its beginning, or that its last block has no end. */
static void spoil_frame(struct spoil *spoil, size_t frame, unsigned way)
{
	size_t at = (size_t)spoil->start[frame], end = (size_t)spoil->start[frame + 1];
	if (way == 0)
		memset(spoil->p + at, 0x5a, 4);
	else if (way == 1)
		memset(spoil->p + end - 8, 0, 8);
	else
		memset(spoil->p + at, 0, end - at);
}

/* A row's offset or PC, but the first one's PC, which is not looked at. */
static void spoil_index(struct spoil *spoil)
{
	size_t index = (size_t)spoil->start[spoil->n_starts],
		   row = 1 + random_below(&spoil->seed, (unsigned)spoil->n_starts - 1);
	spoil->p[index + 8 + 24 * row + random_below(&spoil->seed, 12)] ^= 0x10;
}

static bool spoil_container(struct spoil *spoil, unsigned way)
{
	find_frames(spoil);
	size_t frame = some_record(spoil), n = (size_t)(spoil->start[frame + 1] - spoil->start[frame]);
	switch (way) {
	case 2:
		spoil->n = (size_t)spoil->start[frame] + 1 + random_below(&spoil->seed, (unsigned)n - 1);
		return true;
	case 3:
		spoil_frame(spoil, frame, 0);
		spoil_frame(spoil, some_record(spoil), 4);
		return true;
	case 5:
		if (!spoil->format->no_index)
			spoil_index(spoil);
		return !spoil->format->no_index;
	default:
		spoil_frame(spoil, frame, way);
		return true;
	}
}

/* Of what rstzip packed, and of frames, only the end is noticed for certain. The first frames
 * tell which sources there are, and one that is not whole is told. */
static bool spoil_packed(struct spoil *spoil, unsigned way)
{
	if (is_stf(spoil->format))
		return spoil_container(spoil, way);
	if (is_ete(spoil->format))
		spoil->n -= 1 + random_below(&spoil->seed, 12);
	else
		spoil->n = spoil->n / 2 + random_below(&spoil->seed, (unsigned)(spoil->n / 2 - 8));
	return way == 2;
}

/* ---- a snapshot ---- */

static void copy_folder(const char *from, const char *to)
{
	struct dirent **entries;
	int n = scandir(from, &entries, NULL, alphasort);
	mkdir(to, 0777);
	for (int i = 0; i < n; i++) {
		char path[2 * MAKE_PATH];
		size_t size;
		if (entries[i]->d_name[0] != '.') {
			snprintf(path, sizeof path, "%s/%s", from, entries[i]->d_name);
			uint8_t *p = spoil_read(path, &size);
			snprintf(path, sizeof path, "%s/%s", to, entries[i]->d_name);
			spoil_write(path, p, size);
			free(p);
		}
		free(entries[i]);
	}
	free(entries);
}

/* ---- the whole ---- */

static bool spoil_file(struct cairn *cairn, struct spoil *spoil, unsigned way, const char *path)
{
	spoil->p = spoil_read(path, &spoil->n);
	bool packed = spoil->format->packed && !strstr(path, ".snapshot/");
	if (!packed)
		find_starts(cairn, spoil);
	bool done = packed ? spoil_packed(spoil, way) : spoil->n_starts > 4 && spoil_raw(spoil, way);
	return done;
}

bool spoil_trace(struct cairn *cairn, const struct make_format *format, unsigned way, uint64_t seed,
                 const char *from, const char *to, char how[128])
{
	struct spoil *spoil = calloc(1, sizeof *spoil);
	char source[2 * MAKE_PATH], target[2 * MAKE_PATH];
	bool folder = !strcmp(format->ending, ".snapshot"), done = false;
	if (!spoil)
		abort();
	spoil->format = format;
	spoil->seed = seed;
	unsigned files = folder && way == 4 ? 2 : 1, first = folder ? random_below(&spoil->seed, 2) : 0;
	if (folder)
		copy_folder(from, to);
	for (unsigned i = 0; i < files; i++) {
		const char *name = !folder ? "" : (first + i) & 1 ? "/trace_1.bin" : "/trace.bin";
		snprintf(source, sizeof source, "%s%s", from, name);
		snprintf(target, sizeof target, "%s%s", to, name);
		if (spoil_file(cairn, spoil, way, source)) {
			spoil_write(target, spoil->p, spoil->n);
			done = true;
		}
		free(spoil->p);
	}
	snprintf(how, 128, "%s, way %u, seed %llu", format->name, way, (unsigned long long)seed);
	free(spoil);
	return done;
}
