/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot around a stream: the trace unit's registers, the names of the files, and the program.
 * Everything is written into a temporary folder beside it, which is renamed at the end, so that
 * there is a whole snapshot or none.
 *
 * The program is kept in pages, what is known of them by halfword; a dump is a run of
 * bytes that are known.
 */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/bytes.h"
#include "formats/ete/write/write.h"

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

static struct ete_page **write_folder_find(const struct ete_writer *writer, uint64_t addr)
{
	uint64_t h = (addr / ETE_PAGE) * UINT64_C(0x9e3779b97f4a7c15);
	for (size_t i = (size_t)(h >> 32);; i++) {
		struct ete_page **page = &writer->pages[i & writer->mask];
		if (!*page || (*page)->addr == addr)
			return page;
	}
}

static int write_folder_grow(struct ete_writer *writer)
{
	struct ete_page **old = writer->pages;
	size_t rows = old ? writer->mask + 1 : 0, want = rows ? 2 * rows : 64;
	struct ete_page **to = base_alloc(writer->cairn, want * sizeof *to);
	if (!to)
		return CAIRN_E_NOMEM;
	writer->pages = to;
	writer->mask = want - 1;
	for (size_t i = 0; i < rows; i++)
		if (old[i])
			*write_folder_find(writer, old[i]->addr) = old[i];
	base_free(writer->cairn, old);
	return 0;
}

static struct ete_page *page(struct ete_writer *writer, uint64_t addr)
{
	addr &= ~(uint64_t)(ETE_PAGE - 1);
	if (writer->last && writer->last->addr == addr)
		return writer->last;
	if (2 * writer->n_pages >= writer->mask && write_folder_grow(writer) < 0)
		return NULL;
	struct ete_page **p = write_folder_find(writer, addr);
	if (!*p) {
		*p = base_alloc(writer->cairn, sizeof **p);
		if (!*p)
			return NULL;
		(*p)->addr = addr;
		writer->n_pages++;
	}
	return writer->last = *p;
}

int ete_program_add(struct ete_writer *writer, uint64_t pc, uint32_t enc, unsigned isa)
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
			struct ete_page *p = page(writer, at);
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

void ete_program_free(struct ete_writer *writer)
{
	for (size_t i = 0; writer->pages && i <= writer->mask; i++)
		base_free(writer->cairn, writer->pages[i]);
	base_free(writer->cairn, writer->pages);
}

static int write_folder_by_address(const void *a, const void *b)
{
	const struct ete_page *const *x = a, *const *y = b;
	return ((*x)->addr > (*y)->addr) - ((*x)->addr < (*y)->addr);
}

/* ---- files ---- */

static int sink_in(struct ete_out *out, const char *name, struct cairn_sink **sink)
{
	char path[4352];
	if (snprintf(path, sizeof path, "%s/%s", io_temp_path(out->temp), name) >= (int)sizeof path)
		return base_fail(out->cairn, CAIRN_E_INVAL, "%s: the name is too long", out->path);
	return io_sink_open(out->cairn, path, NULL, INT_MIN, 1, sink);
}

static int put_file(struct ete_out *out, const char *name, const struct base_buf *text)
{
	struct cairn_sink *sink;
	int rc = sink_in(out, name, &sink);
	if (rc < 0)
		return rc;
	rc = cairn_sink_write(sink, text->data, text->len);
	if (rc < 0) {
		cairn_sink_discard(sink);
		return rc;
	}
	return cairn_sink_finish(sink);
}

/* Write the known bytes into a file, and a [dump] for each run into `ini`. */
static int put_program(struct ete_out *out, const struct ete_writer *writer, const char *name,
                       struct base_buf *ini)
{
	struct base_buf bin;
	struct ete_page **list = base_alloc(writer->cairn, (writer->n_pages + 1) * sizeof *list);
	size_t n = 0, from = 0;
	uint64_t next = 0, begin = 0;
	unsigned dumps = 0;
	if (!list)
		return CAIRN_E_NOMEM;
	for (size_t i = 0; writer->pages && i <= writer->mask; i++)
		if (writer->pages[i])
			list[n++] = writer->pages[i];
	qsort(list, n, sizeof *list, write_folder_by_address);
	base_buf_init(&bin, writer->cairn);
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
	base_free(writer->cairn, list);
	return rc;
}

/* The hart that writes the nth stream is core n of the snapshot or, if these numbers are small, the
 * core of its own number; the cores in between wrote nothing. */
enum { SMALL = 64 };

static size_t core_of(const struct ete_out *out, size_t n)
{
	for (size_t i = 0; i < out->n_harts; i++)
		if (out->harts[i]->hart >= SMALL)
			return n;
	return out->harts[n]->hart;
}

static size_t count_cores(const struct ete_out *out)
{
	size_t most = 0;
	for (size_t i = 0; i < out->n_harts; i++)
		most = core_of(out, i) + 1 > most ? core_of(out, i) + 1 : most;
	return most;
}

static int put_device(struct ete_out *out, size_t n)
{
	const struct cairn_ete_config *cfg = &out->streams[n].cfg;
	struct base_buf buf;
	char name[64];
	base_buf_init(&buf, out->cairn);
	snprintf(name, sizeof name, "ete_%zu.ini", n);
	int rc = base_buf_printf(
		&buf,
		"[device]\nname=ete_%zu\nclass=trace_source\ntype=ETE\n\n[regs]\n"
		"TRCCONFIGR=0x%x\nTRCTRACEIDR=0x%x\nTRCIDR0=0x%x\nTRCIDR1=0x%x\nTRCIDR2=0x%x\n"
		"TRCIDR8=0x%x\nTRCDEVARCH=0x%x\n",
		n, cfg->configr, ETE_FIRST_ID + (unsigned)out->streams[n].hart, cfg->idr0, cfg->idr1,
		cfg->idr2, cfg->idr8, cfg->devarch);
	if (rc >= 0)
		rc = put_file(out, name, &buf);
	base_buf_free(&buf);
	return rc;
}

static int put_core(struct ete_out *out, size_t core)
{
	struct base_buf buf;
	char name[64], program[64];
	base_buf_init(&buf, out->cairn);
	int rc = base_buf_printf(&buf, "[device]\nname=cpu_%zu\nclass=core\ntype=ARM-AA64\n", core);
	for (size_t i = 0; i < out->n_harts && rc >= 0; i++)
		if (core_of(out, i) == core)
			rc = put_program(out, out->harts[i],
			                 write_folder_numbered(program, sizeof program, "program", i), &buf);
	snprintf(name, sizeof name, "cpu_%zu.ini", core);
	if (rc >= 0)
		rc = put_file(out, name, &buf);
	base_buf_free(&buf);
	return rc;
}

static int write_folder_put_trace(struct ete_out *out)
{
	struct base_buf buf;
	char name[64];
	size_t buffers = out->framed ? 1 : out->n_streams;
	base_buf_init(&buf, out->cairn);
	int rc = base_buf_printf(&buf, "[trace_buffers]\nbuffers=");
	for (size_t i = 0; i < buffers && rc >= 0; i++)
		rc = base_buf_printf(&buf, "%sbuffer%zu", i ? "," : "", i);
	for (size_t i = 0; i < buffers && rc >= 0; i++)
		rc = base_buf_printf(&buf, "\n\n[buffer%zu]\nname=BUFFER_%zu\nfile=%s\nformat=%s", i, i,
		                     write_folder_numbered(name, sizeof name, "trace", i),
		                     out->framed ? "coresight" : "source_data");
	if (rc >= 0)
		rc = base_buf_printf(&buf, "\n\n[source_buffers]\n");
	for (size_t i = 0; i < out->n_streams && rc >= 0; i++)
		rc = base_buf_printf(&buf, "ete_%zu=BUFFER_%zu\n", i, out->framed ? 0 : i);
	if (rc >= 0)
		rc = base_buf_printf(&buf, "\n[core_trace_sources]\n");
	for (size_t i = 0; i < out->n_streams && rc >= 0; i++)
		rc = base_buf_printf(&buf, "cpu_%zu=ete_%zu\n", core_of(out, out->streams[i].hart), i);
	if (rc >= 0)
		rc = put_file(out, "trace.ini", &buf);
	base_buf_free(&buf);
	return rc;
}

static int put_snapshot(struct ete_out *out)
{
	struct base_buf buf;
	size_t cores = count_cores(out);
	base_buf_init(&buf, out->cairn);
	int rc = base_buf_printf(&buf, "[snapshot]\nversion=1.0\n");
	if (rc >= 0 && out->description)
		rc = base_buf_printf(&buf, "description=%s\n", out->description);
	if (rc >= 0)
		rc = base_buf_printf(&buf, "\n[device_list]\n");
	for (size_t i = 0; i < cores && rc >= 0; i++)
		rc = base_buf_printf(&buf, "device%zu=cpu_%zu.ini\n", i, i);
	for (size_t i = 0; i < out->n_streams && rc >= 0; i++)
		rc = base_buf_printf(&buf, "device%zu=ete_%zu.ini\n", cores + i, i);
	if (rc >= 0)
		rc = base_buf_printf(&buf, "\n[trace]\nmetadata=trace.ini\n");
	if (rc >= 0)
		rc = put_file(out, "snapshot.ini", &buf);
	base_buf_free(&buf);
	return rc;
}

/* ---- the folder ---- */

bool ete_names_snapshot(const char *path)
{
	static const char end[] = ".snapshot";
	size_t n = strlen(path), k = sizeof end - 1;
	return n > 1 && (path[n - 1] == '/' || (n > k && !strcmp(path + n - k, end)));
}

int ete_folder_open(struct ete_out *out, const char *path)
{
	size_t n = strlen(path);
	struct stat st;
	out->path = base_strdup(out->cairn, path);
	if (!out->path)
		return CAIRN_E_NOMEM;
	while (n > 1 && out->path[n - 1] == '/')
		out->path[--n] = 0;
	if (lstat(out->path, &st) == 0)
		return base_fail(out->cairn, CAIRN_E_IO,
		                 "%s: is there already; a snapshot is written to a new name", out->path);
	return io_temp_folder(out->cairn, out->path, &out->temp);
}

int ete_folder_stream(struct ete_out *out, size_t n, struct cairn_sink **stream)
{
	char name[64];
	return sink_in(out, write_folder_numbered(name, sizeof name, "trace", n), stream);
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

int ete_folder_finish(struct ete_out *out)
{
	int rc = write_folder_put_rest(out);
	if (rc < 0)
		return rc;
	struct io_temp *temp = out->temp;
	out->temp = NULL;
	return io_temp_commit(out->cairn, temp, out->path);
}

/* Shorten the longest stream; false when none has that many bytes. */
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

/* It failed for lack of room. Without the other files nobody could read it, so the ends of streams
 * give up room for those. */
static bool make_whole(struct ete_out *out)
{
	enum { LEAST = 16 << 10, TRIES = 14 };
	int rc = write_folder_put_rest(out);
	for (int i = 0; rc == CAIRN_E_IO && i < TRIES && shorten(out, (off_t)LEAST << i); i++)
		rc = write_folder_put_rest(out);
	return rc >= 0;
}

void ete_folder_abort(struct ete_out *out)
{
	if (out->temp && io_keeping(out->cairn) && make_whole(out))
		io_keep_or_remove(out->cairn, out->temp, out->path);
	else
		io_temp_remove(out->temp);
	base_free(out->cairn, out->path);
	out->temp = NULL;
	out->path = NULL;
}
