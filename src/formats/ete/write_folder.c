/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot around a stream: who traced (the registers), where the bytes are, and the
 * program. Everything is written into a folder of another name beside it, which is
 * renamed at the end, so that there is a whole snapshot or none.
 *
 * The program is kept in pages, what is known of them by halfword; a dump is a run of
 * bytes that are known.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/bytes.h"
#include "formats/ete/write.h"

/* Names of the nth hart's or stream's files; the first ones have no number. */
static const char *write_folder_numbered(char *buf, size_t size, const char *name, size_t n)
{
	if (n)
		snprintf(buf, size, "%s_%zu.bin", name, n);
	else
		snprintf(buf, size, "%s.bin", name);
	return buf;
}

/* ---- the program ---- */

static struct ete_page **write_folder_find(const struct ete_writer *d, uint64_t addr)
{
	uint64_t h = (addr / ETE_PAGE) * UINT64_C(0x9e3779b97f4a7c15);
	for (size_t i = (size_t)(h >> 32);; i++) {
		struct ete_page **p = &d->pages[i & d->mask];
		if (!*p || (*p)->addr == addr)
			return p;
	}
}

static int write_folder_grow(struct ete_writer *d)
{
	struct ete_page **old = d->pages;
	size_t rows = old ? d->mask + 1 : 0, want = rows ? 2 * rows : 64;
	struct ete_page **to = base_alloc(d->c, want * sizeof *to);
	if (!to)
		return CAIRN_E_NOMEM;
	d->pages = to;
	d->mask = want - 1;
	for (size_t i = 0; i < rows; i++)
		if (old[i])
			*write_folder_find(d, old[i]->addr) = old[i];
	base_free(d->c, old);
	return 0;
}

static struct ete_page *page(struct ete_writer *d, uint64_t addr)
{
	addr &= ~(uint64_t)(ETE_PAGE - 1);
	if (d->last && d->last->addr == addr)
		return d->last;
	if (2 * d->n_pages >= d->mask && write_folder_grow(d) < 0)
		return NULL;
	struct ete_page **p = write_folder_find(d, addr);
	if (!*p) {
		*p = base_alloc(d->c, sizeof **p);
		if (!*p)
			return NULL;
		(*p)->addr = addr;
		d->n_pages++;
	}
	return d->last = *p;
}

int ete_program_add(struct ete_writer *d, uint64_t pc, uint32_t enc, unsigned isa)
{
	unsigned n = isa == CAIRN_ISA_T32 && enc <= 0xffff ? 1 : 2;
	uint16_t half[2] = {(uint16_t)enc, (uint16_t)(enc >> 16)};
	if (isa == CAIRN_ISA_T32 && n == 2) {
		half[0] = (uint16_t)(enc >> 16);
		half[1] = (uint16_t)enc;
	}
	for (unsigned pass = 0; pass < 2; pass++)
		for (unsigned i = 0; i < n; i++) {
			uint64_t at = pc + 2 * i;
			struct ete_page *p = page(d, at);
			unsigned o = at & (ETE_PAGE - 1), bit = 1u << (o / 2 & 7);
			if (!p)
				return CAIRN_E_NOMEM;
			if (pass) {
				base_put_le16(p->bytes + o, half[i]);
				p->known[o / 16] |= (uint8_t)bit;
			} else if ((p->known[o / 16] & bit) && base_le16(p->bytes + o) != half[i]) {
				return 1;
			}
		}
	return 0;
}

void ete_program_free(struct ete_writer *d)
{
	for (size_t i = 0; d->pages && i <= d->mask; i++)
		base_free(d->c, d->pages[i]);
	base_free(d->c, d->pages);
}

static int write_folder_by_address(const void *a, const void *b)
{
	const struct ete_page *const *x = a, *const *y = b;
	return ((*x)->addr > (*y)->addr) - ((*x)->addr < (*y)->addr);
}

/* ---- files ---- */

static int sink_in(struct ete_out *d, const char *name, struct io_sink **out)
{
	char path[4352];
	if (snprintf(path, sizeof path, "%s/%s", io_temp_path(d->temp), name) >= (int)sizeof path)
		return base_fail(d->c, CAIRN_E_INVAL, "%s: the name is too long", d->path);
	return io_sink_open(d->c, path, NULL, INT_MIN, 1, out);
}

static int put_file(struct ete_out *d, const char *name, const struct base_buf *text)
{
	struct io_sink *s;
	int rc = sink_in(d, name, &s);
	if (rc < 0)
		return rc;
	rc = io_sink_write(s, text->data, text->len);
	if (rc < 0) {
		io_sink_abort(s);
		return rc;
	}
	return io_sink_finish(s);
}

/* The bytes that are known: into a file, and a [dump] of each run into `ini`. */
static int put_program(struct ete_out *out, const struct ete_writer *d, const char *name,
                       struct base_buf *ini)
{
	struct base_buf bin;
	struct ete_page **list = base_alloc(d->c, (d->n_pages + 1) * sizeof *list);
	size_t n = 0, from = 0;
	uint64_t next = 0, begin = 0;
	unsigned dumps = 0;
	if (!list)
		return CAIRN_E_NOMEM;
	for (size_t i = 0; d->pages && i <= d->mask; i++)
		if (d->pages[i])
			list[n++] = d->pages[i];
	qsort(list, n, sizeof *list, write_folder_by_address);
	base_buf_init(&bin, d->c);
	int rc = 0;
	for (size_t i = 0; i <= n && rc >= 0; i++)
		for (unsigned o = 0; o < ETE_PAGE && rc >= 0; o += 2) {
			bool is = i < n && list[i]->known[o / 16] >> (o / 2 & 7) & 1;
			uint64_t at = i < n ? list[i]->addr + o : 0;
			if (bin.len > from && (!is || at != next)) {
				rc =
					base_buf_printf(ini,
				                    "\n[dump%u]\nfile=%s\naddress=0x%llx\n"
				                    "offset=0x%zx\nlength=0x%zx\n",
				                    ++dumps, name, (unsigned long long)begin, from, bin.len - from);
				from = bin.len;
			}
			if (!is || rc < 0)
				continue;
			if (bin.len == from)
				begin = at;
			rc = base_buf_put(&bin, list[i]->bytes + o, 2);
			next = at + 2;
		}
	if (rc >= 0)
		rc = put_file(out, name, &bin);
	base_buf_free(&bin);
	base_free(d->c, list);
	return rc;
}

/* The hart that writes the nth stream is core n of the snapshot, or, where these numbers are
 * small, the core of its own number: those between are cores that wrote nothing. */
enum { SMALL = 64 };

static size_t core_of(const struct ete_out *o, size_t n)
{
	for (size_t i = 0; i < o->n_harts; i++)
		if (o->harts[i]->hart >= SMALL)
			return n;
	return o->harts[n]->hart;
}

static size_t count_cores(const struct ete_out *o)
{
	size_t most = 0;
	for (size_t i = 0; i < o->n_harts; i++)
		most = core_of(o, i) + 1 > most ? core_of(o, i) + 1 : most;
	return most;
}

static int put_device(struct ete_out *o, size_t n)
{
	const struct cairn_ete_config *cfg = &o->streams[n].cfg;
	struct base_buf b;
	char name[64];
	base_buf_init(&b, o->c);
	snprintf(name, sizeof name, "ete_%zu.ini", n);
	int rc = base_buf_printf(
		&b,
		"[device]\nname=ete_%zu\nclass=trace_source\ntype=ETE\n\n[regs]\n"
		"TRCCONFIGR=0x%x\nTRCTRACEIDR=0x%x\nTRCIDR0=0x%x\nTRCIDR1=0x%x\nTRCIDR2=0x%x\n"
		"TRCIDR8=0x%x\nTRCDEVARCH=0x%x\n",
		n, cfg->configr, ETE_FIRST_ID + (unsigned)o->streams[n].hart, cfg->idr0, cfg->idr1,
		cfg->idr2, cfg->idr8, cfg->devarch);
	if (rc >= 0)
		rc = put_file(o, name, &b);
	base_buf_free(&b);
	return rc;
}

static int put_core(struct ete_out *o, size_t core)
{
	struct base_buf b;
	char name[64], program[64];
	base_buf_init(&b, o->c);
	int rc = base_buf_printf(&b, "[device]\nname=cpu_%zu\nclass=core\ntype=ARM-AA64\n", core);
	for (size_t i = 0; i < o->n_harts && rc >= 0; i++)
		if (core_of(o, i) == core)
			rc = put_program(o, o->harts[i],
			                 write_folder_numbered(program, sizeof program, "program", i), &b);
	snprintf(name, sizeof name, "cpu_%zu.ini", core);
	if (rc >= 0)
		rc = put_file(o, name, &b);
	base_buf_free(&b);
	return rc;
}

static int write_folder_put_trace(struct ete_out *o)
{
	struct base_buf b;
	char name[64];
	size_t buffers = o->framed ? 1 : o->n_streams;
	base_buf_init(&b, o->c);
	int rc = base_buf_printf(&b, "[trace_buffers]\nbuffers=");
	for (size_t i = 0; i < buffers && rc >= 0; i++)
		rc = base_buf_printf(&b, "%sbuffer%zu", i ? "," : "", i);
	for (size_t i = 0; i < buffers && rc >= 0; i++)
		rc = base_buf_printf(&b, "\n\n[buffer%zu]\nname=BUFFER_%zu\nfile=%s\nformat=%s", i, i,
		                     write_folder_numbered(name, sizeof name, "trace", i),
		                     o->framed ? "coresight" : "source_data");
	if (rc >= 0)
		rc = base_buf_printf(&b, "\n\n[source_buffers]\n");
	for (size_t i = 0; i < o->n_streams && rc >= 0; i++)
		rc = base_buf_printf(&b, "ete_%zu=BUFFER_%zu\n", i, o->framed ? 0 : i);
	if (rc >= 0)
		rc = base_buf_printf(&b, "\n[core_trace_sources]\n");
	for (size_t i = 0; i < o->n_streams && rc >= 0; i++)
		rc = base_buf_printf(&b, "cpu_%zu=ete_%zu\n", core_of(o, o->streams[i].hart), i);
	if (rc >= 0)
		rc = put_file(o, "trace.ini", &b);
	base_buf_free(&b);
	return rc;
}

static int put_snapshot(struct ete_out *o)
{
	struct base_buf b;
	size_t cores = count_cores(o);
	base_buf_init(&b, o->c);
	int rc = base_buf_printf(&b, "[snapshot]\nversion=1.0\n");
	if (rc >= 0 && o->description)
		rc = base_buf_printf(&b, "description=%s\n", o->description);
	if (rc >= 0)
		rc = base_buf_printf(&b, "\n[device_list]\n");
	for (size_t i = 0; i < cores && rc >= 0; i++)
		rc = base_buf_printf(&b, "device%zu=cpu_%zu.ini\n", i, i);
	for (size_t i = 0; i < o->n_streams && rc >= 0; i++)
		rc = base_buf_printf(&b, "device%zu=ete_%zu.ini\n", cores + i, i);
	if (rc >= 0)
		rc = base_buf_printf(&b, "\n[trace]\nmetadata=trace.ini\n");
	if (rc >= 0)
		rc = put_file(o, "snapshot.ini", &b);
	base_buf_free(&b);
	return rc;
}

/* ---- the folder ---- */

bool ete_names_snapshot(const char *path)
{
	static const char end[] = ".snapshot";
	size_t n = strlen(path), k = sizeof end - 1;
	return n > 1 && (path[n - 1] == '/' || (n > k && !strcmp(path + n - k, end)));
}

int ete_folder_open(struct ete_out *d, const char *path)
{
	size_t n = strlen(path);
	struct stat st;
	d->path = base_strdup(d->c, path);
	if (!d->path)
		return CAIRN_E_NOMEM;
	while (n > 1 && d->path[n - 1] == '/')
		d->path[--n] = 0;
	if (lstat(d->path, &st) == 0)
		return base_fail(d->c, CAIRN_E_IO,
		                 "%s: is there already; a snapshot is written to a new name", d->path);
	return io_temp_folder(d->c, d->path, &d->temp);
}

int ete_folder_stream(struct ete_out *o, size_t n, struct io_sink **stream)
{
	char name[64];
	return sink_in(o, write_folder_numbered(name, sizeof name, "trace", n), stream);
}

/* What is not a stream. */
static int write_folder_put_rest(struct ete_out *out)
{
	int rc = 0;
	for (size_t i = 0; i < count_cores(out) && rc >= 0; i++)
		rc = put_core(out, i);
	for (size_t i = 0; i < out->n_streams && rc >= 0; i++)
		rc = put_device(out, i);
	if (rc >= 0)
		rc = write_folder_put_trace(out);
	return rc < 0 ? rc : put_snapshot(out);
}

int ete_folder_finish(struct ete_out *o)
{
	int rc = write_folder_put_rest(o);
	if (rc < 0)
		return rc;
	struct io_temp *temp = o->temp;
	o->temp = NULL;
	return io_temp_commit(o->c, temp, o->path);
}

/* Shorten the longest stream: false when none is so long. */
static bool shorten(const struct ete_out *out, off_t by)
{
	char path[4352], longest[4352], name[64];
	struct stat st;
	off_t most = 0;
	for (size_t i = 0; i < (out->framed ? 1 : out->n_streams); i++)
		if (snprintf(path, sizeof path, "%s/%s", io_temp_path(out->temp),
		             write_folder_numbered(name, sizeof name, "trace", i)) < (int)sizeof path &&
		    stat(path, &st) == 0 && st.st_size > most) {
			most = st.st_size;
			memcpy(longest, path, sizeof longest);
		}
	return most > by && truncate(longest, most - by) == 0;
}

/* It has failed for lack of room: without the rest nobody can read it, so the ends of streams
 * make room for that. */
static bool make_whole(struct ete_out *out)
{
	enum { LEAST = 16 << 10, TRIES = 14 };
	int rc = write_folder_put_rest(out);
	for (int i = 0; rc == CAIRN_E_IO && i < TRIES && shorten(out, (off_t)LEAST << i); i++)
		rc = write_folder_put_rest(out);
	return rc >= 0;
}

void ete_folder_abort(struct ete_out *o)
{
	if (o->temp && io_keeping(o->c) && make_whole(o))
		io_keep_or_remove(o->c, o->temp, o->path);
	else
		io_temp_remove(o->temp);
	base_free(o->c, o->path);
	o->temp = NULL;
	o->path = NULL;
}
