/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot around a stream: who traced (the registers), where the bytes are, and the
 * program. Everything is written into PATH.part, which is renamed at the end, so that
 * there is a whole snapshot or none.
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
#include "formats/ete/down.h"

static const char *const files[] = {"snapshot.ini", "cpu_0.ini", "ete_0.ini", "trace.ini",
	"trace.bin", "program.bin"};

/* ---- the program ---- */

static struct ete_page **find(const struct ete_down *d, uint64_t addr)
{
	uint64_t h = (addr / ETE_PAGE) * UINT64_C(0x9e3779b97f4a7c15);
	for (size_t i = (size_t)(h >> 32);; i++) {
		struct ete_page **p = &d->pages[i & d->mask];
		if (!*p || (*p)->addr == addr)
			return p;
	}
}

static int grow(struct ete_down *d)
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
			*find(d, old[i]->addr) = old[i];
	base_free(d->c, old);
	return 0;
}

static struct ete_page *page(struct ete_down *d, uint64_t addr)
{
	addr &= ~(uint64_t)(ETE_PAGE - 1);
	if (d->last && d->last->addr == addr)
		return d->last;
	if (2 * d->n_pages >= d->mask && grow(d) < 0)
		return NULL;
	struct ete_page **p = find(d, addr);
	if (!*p) {
		*p = base_alloc(d->c, sizeof **p);
		if (!*p)
			return NULL;
		(*p)->addr = addr;
		d->n_pages++;
	}
	return d->last = *p;
}

int ete_program_add(struct ete_down *d, uint64_t pc, uint32_t enc, unsigned isa)
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

void ete_program_free(struct ete_down *d)
{
	for (size_t i = 0; d->pages && i <= d->mask; i++)
		base_free(d->c, d->pages[i]);
	base_free(d->c, d->pages);
}

static int by_address(const void *a, const void *b)
{
	const struct ete_page *const *x = a, *const *y = b;
	return ((*x)->addr > (*y)->addr) - ((*x)->addr < (*y)->addr);
}

/* ---- files ---- */

static int sink_in(struct ete_down *d, const char *name, struct io_sink **out)
{
	char path[4352];
	if (snprintf(path, sizeof path, "%s/%s", d->part, name) >= (int)sizeof path)
		return base_fail(d->c, CAIRN_E_INVAL, "%s: the name is too long", d->part);
	return io_sink_open(d->c, path, NULL, INT_MIN, 1, out);
}

static int put_file(struct ete_down *d, const char *name, const struct base_buf *text)
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

/* The bytes that are known: into program.bin, and a [dump] of each run into `ini`. */
static int put_program(struct ete_down *d, struct base_buf *ini)
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
	qsort(list, n, sizeof *list, by_address);
	base_buf_init(&bin, d->c);
	int rc = 0;
	for (size_t i = 0; i <= n && rc >= 0; i++)
		for (unsigned o = 0; o < ETE_PAGE && rc >= 0; o += 2) {
			bool is = i < n && list[i]->known[o / 16] >> (o / 2 & 7) & 1;
			uint64_t at = i < n ? list[i]->addr + o : 0;
			if (bin.len > from && (!is || at != next)) {
				rc = base_buf_printf(ini, "\n[dump%u]\nfile=program.bin\naddress=0x%llx\n"
					"offset=0x%zx\nlength=0x%zx\n", ++dumps, (unsigned long long)begin, from,
					bin.len - from);
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
		rc = put_file(d, "program.bin", &bin);
	base_buf_free(&bin);
	base_free(d->c, list);
	return rc;
}

static int put_text(struct ete_down *d, const char *name, const char *text)
{
	struct base_buf b = {.data = (uint8_t *)(uintptr_t)text, .len = strlen(text)};
	return put_file(d, name, &b);
}

static int put_device(struct ete_down *d)
{
	struct cairn_ete_config cfg;
	struct base_buf b;
	cairn_ete_tracer_config(d->tracer, &cfg);
	base_buf_init(&b, d->c);
	int rc = base_buf_printf(&b, "[device]\nname=ete_0\nclass=trace_source\ntype=ETE\n\n[regs]\n"
		"TRCCONFIGR=0x%x\nTRCTRACEIDR=0x%x\nTRCIDR0=0x%x\nTRCIDR1=0x%x\nTRCIDR2=0x%x\n"
		"TRCIDR8=0x%x\nTRCDEVARCH=0x%x\n", cfg.configr, cfg.traceidr, cfg.idr0, cfg.idr1, cfg.idr2,
		cfg.idr8, cfg.devarch);
	if (rc >= 0)
		rc = put_file(d, "ete_0.ini", &b);
	base_buf_free(&b);
	return rc;
}

static int put_core(struct ete_down *d)
{
	struct base_buf b;
	base_buf_init(&b, d->c);
	int rc = base_buf_printf(&b, "[device]\nname=cpu_0\nclass=core\ntype=ARM-AA64\n");
	if (rc >= 0)
		rc = put_program(d, &b);
	if (rc >= 0)
		rc = put_file(d, "cpu_0.ini", &b);
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

int ete_folder_open(struct ete_down *d, const char *path, struct io_sink **stream)
{
	size_t n = strlen(path);
	struct stat st;
	d->path = base_strdup(d->c, path);
	d->part = base_alloc(d->c, n + sizeof ".part");
	if (!d->path || !d->part)
		return CAIRN_E_NOMEM;
	while (n > 1 && d->path[n - 1] == '/')
		d->path[--n] = 0;
	if (lstat(d->path, &st) == 0)
		return base_fail(d->c, CAIRN_E_IO, "%s: is there already; a snapshot is written to a new name",
		                 d->path);
	memcpy(d->part, d->path, n);
	memcpy(d->part + n, ".part", sizeof ".part");
	if (mkdir(d->part, 0777) < 0) {
		int rc = base_fail_errno(d->c, errno, "%s", d->part);
		d->part[0] = 0; /* not ours */
		return rc;
	}
	return sink_in(d, "trace.bin", stream);
}

int ete_folder_finish(struct ete_down *d)
{
	int rc = put_core(d);
	if (rc >= 0)
		rc = put_device(d);
	if (rc >= 0)
		rc = put_text(d, "trace.ini", "[trace_buffers]\nbuffers=buffer0\n\n[buffer0]\nname=BUFFER_0\n"
			"file=trace.bin\nformat=source_data\n\n[source_buffers]\nete_0=BUFFER_0\n\n"
			"[core_trace_sources]\ncpu_0=ete_0\n");
	if (rc >= 0)
		rc = put_text(d, "snapshot.ini", "[snapshot]\nversion=1.0\n\n[device_list]\n"
			"device0=cpu_0.ini\ndevice1=ete_0.ini\n\n[trace]\nmetadata=trace.ini\n");
	if (rc >= 0 && rename(d->part, d->path) < 0)
		rc = base_fail_errno(d->c, errno, "%s", d->path);
	if (rc >= 0)
		d->part[0] = 0;
	return rc;
}

void ete_folder_abort(struct ete_down *d)
{
	char path[4352];
	for (size_t i = 0; d->part && d->part[0] && i < sizeof files / sizeof *files; i++)
		if (snprintf(path, sizeof path, "%s/%s", d->part, files[i]) < (int)sizeof path)
			unlink(path);
	if (d->part && d->part[0])
		rmdir(d->part);
	base_free(d->c, d->part);
	base_free(d->c, d->path);
	d->part = d->path = NULL;
}
