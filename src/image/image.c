/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images: which bytes lie at which address.
 *
 * Files are mapped, not read: a memory dump may be larger than memory, and a
 * trace looks at few of its pages. The map of addresses is one sorted array of
 * ranges that never overlap; a file added later cuts holes into what is there,
 * so the search never has to choose. Ranges are kept with their last address,
 * not their end, so that one may reach the top of the address space.
 *
 * Only bytes that stand in a file are known. Memory a program asks for beyond
 * them (.bss) begins as zeros, but nobody knows what it holds when the trace
 * was made, so it is not offered as zeros.
 *
 * Adding a file is all or nothing: everything that can fail comes before the
 * first change.
 */
#include "image/image.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct range {
	uint64_t first, last;
	const uint8_t *data;
};

struct cairn_image {
	struct cairn *c;
	struct range *ranges;
	size_t n_ranges, cap_ranges;
	struct image_file *files;
	size_t n_files;
	struct image_symbols *symbols;
};

struct cairn_image *cairn_image_new(struct cairn *c)
{
	struct cairn_image *im = base_alloc(c, sizeof *im);
	if (!im)
		return NULL;
	im->c = c;
	im->symbols = image_symbols_new(c);
	if (!im->symbols) {
		base_free(c, im);
		return NULL;
	}
	return im;
}

static void close_file(struct cairn *c, struct image_file *f)
{
	if (f->data)
		munmap((void *)(uintptr_t)f->data, f->size);
	base_free(c, f->name);
	*f = (struct image_file){0};
}

void cairn_image_free(struct cairn_image *im)
{
	if (!im)
		return;
	for (size_t i = 0; i < im->n_files; i++)
		close_file(im->c, &im->files[i]);
	image_symbols_free(im->symbols);
	base_free(im->c, im->files);
	base_free(im->c, im->ranges);
	base_free(im->c, im);
}

/* The first range whose last address is not below `addr`. */
static size_t first_reaching(const struct cairn_image *im, uint64_t addr)
{
	size_t lo = 0, hi = im->n_ranges;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (im->ranges[mid].last < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* A segment adds at most two ranges: itself and the far end of one it splits. */
static int reserve(struct cairn_image *im, size_t n_segments)
{
	size_t want = im->n_ranges + 2 * n_segments;
	if (want <= im->cap_ranges)
		return 0;
	struct range *p = base_realloc(im->c, im->ranges, want * sizeof *p);
	if (!p)
		return CAIRN_E_NOMEM;
	im->ranges = p;
	im->cap_ranges = want;
	return 0;
}

/* Lay a segment over what is there. There is room for it. */
static void put(struct cairn_image *im, const struct image_segment *s)
{
	struct range in = {s->addr, s->addr + (s->n - 1), s->data};
	size_t i = first_reaching(im, in.first), j = i;
	while (j < im->n_ranges && im->ranges[j].first <= in.last)
		j++;
	struct range now[3]; /* what stands in the place of i … j-1 */
	size_t n = 0;
	if (i < j && im->ranges[i].first < in.first) {
		now[n] = im->ranges[i];
		now[n++].last = in.first - 1;
	}
	now[n++] = in;
	if (i < j && im->ranges[j - 1].last > in.last) {
		now[n] = im->ranges[j - 1];
		now[n].data += in.last + 1 - now[n].first;
		now[n++].first = in.last + 1;
	}
	memmove(im->ranges + i + n, im->ranges + j, (im->n_ranges - j) * sizeof *im->ranges);
	memcpy(im->ranges + i, now, n * sizeof *now);
	im->n_ranges += n;
	im->n_ranges -= j - i;
}

size_t cairn_image_read(const struct cairn_image *im, uint64_t addr, void *buf, size_t n)
{
	uint8_t *to = buf;
	size_t done = 0;
	for (size_t i = first_reaching(im, addr); done < n && i < im->n_ranges; i++) {
		const struct range *r = &im->ranges[i];
		if (r->first > addr)
			break;
		uint64_t left = r->last - addr; /* after the first byte */
		size_t part = n - done;
		if (part - 1 > left)
			part = (size_t)left + 1;
		memcpy(to + done, r->data + (addr - r->first), part);
		done += part;
		addr += part;
		if (addr == 0)
			break;
	}
	return done;
}

const struct cairn_symbol *cairn_image_symbol_at(const struct cairn_image *im, uint64_t addr)
{
	return image_symbols_at(im->symbols, addr);
}

const struct cairn_symbol *cairn_image_symbol(
	const struct cairn_image *im, const char *name, size_t n)
{
	return image_symbols_named(im->symbols, name, n);
}

/* ---- adding ---- */

/* "0x" and hexadecimal digits to the end of the string. */
static bool parse_address(const char *s, uint64_t *addr)
{
	if (s[0] != '0' || (s[1] | 0x20) != 'x' || !s[2])
		return false;
	uint64_t v = 0;
	for (s += 2; *s; s++) {
		static const char digits[] = "0123456789abcdef0123456789ABCDEF";
		const char *d = strchr(digits, *s);
		if (!d || v >> 60)
			return false;
		v = v << 4 | ((uint64_t)(d - digits) & 15);
	}
	*addr = v;
	return true;
}

/* Cut "FILE@0xADDRESS". A name may hold an @ itself: only one followed by "0x"
 * begins an address. */
static int parse_spec(struct cairn *c, const char *spec, char **name, bool *has, uint64_t *addr)
{
	const char *at = strrchr(spec, '@');
	*has = at && at[1] == '0' && (at[2] | 0x20) == 'x';
	if (*has && !parse_address(at + 1, addr))
		return base_fail(
			c, CAIRN_E_INVAL, "%s: '%s' is no address of 64 bits", spec, at + 1);
	size_t n = *has ? (size_t)(at - spec) : strlen(spec);
	if (n == 0)
		return base_fail(c, CAIRN_E_INVAL, "'%s': an image needs the name of a file", spec);
	*name = base_alloc(c, n + 1);
	if (!*name)
		return CAIRN_E_NOMEM;
	memcpy(*name, spec, n);
	return 0;
}

static int map_file(struct cairn *c, struct image_file *f)
{
	int rc = 0;
	struct stat st;
	int fd = open(f->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return base_fail_errno(c, errno, "%s", f->name);
	if (fstat(fd, &st) < 0) {
		rc = base_fail_errno(c, errno, "%s", f->name);
		goto out;
	}
	if (!S_ISREG(st.st_mode)) {
		rc = base_fail(c, CAIRN_E_INVAL, "%s: an image must be a regular file", f->name);
		goto out;
	}
	if (st.st_size == 0) {
		rc = base_fail(c, CAIRN_E_DAMAGED, "%s: the file is empty", f->name);
		goto out;
	}
	if ((uintmax_t)st.st_size > SIZE_MAX) {
		rc = base_fail(c, CAIRN_E_LIMIT, "%s: too large for this machine", f->name);
		goto out;
	}
	void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED) {
		rc = base_fail_errno(c, errno, "%s", f->name);
		goto out;
	}
	f->data = p;
	f->size = (size_t)st.st_size;
out:
	close(fd);
	return rc;
}

static int raw_parts(struct cairn *c, const struct image_file *f, bool has, uint64_t base,
	struct image_parts *parts)
{
	if (!has)
		return base_fail(c, CAIRN_E_UNSUPPORTED,
			"%s: not an ELF file; say where raw bytes lie: %s@0xADDRESS", f->name,
			f->name);
	if (f->size - 1 > UINT64_MAX - base)
		return base_fail(c, CAIRN_E_INVAL,
			"%s: its bytes would reach beyond the last address", f->name);
	parts->segments = base_alloc(c, sizeof *parts->segments);
	if (!parts->segments)
		return CAIRN_E_NOMEM;
	*parts->segments = (struct image_segment){base, f->data, f->size};
	parts->n_segments = 1;
	return 0;
}

/* Everything is read and there is a file to keep: make room, then change. */
static int take_over(struct cairn_image *im, struct image_file *f, struct image_parts *parts)
{
	struct image_file *files =
		base_realloc(im->c, im->files, (im->n_files + 1) * sizeof *files);
	if (!files)
		return CAIRN_E_NOMEM;
	im->files = files;
	int rc = reserve(im, parts->n_segments);
	if (rc >= 0)
		rc = image_symbols_add(im->symbols, parts->labels, parts->n_labels);
	if (rc < 0)
		return rc;
	parts->labels = NULL;
	for (size_t i = 0; i < parts->n_segments; i++)
		put(im, &parts->segments[i]);
	im->files[im->n_files++] = *f;
	*f = (struct image_file){0};
	return 0;
}

int cairn_image_add(struct cairn_image *im, const char *spec)
{
	struct image_file f = {0};
	struct image_parts parts = {0};
	bool has = false;
	uint64_t base = 0;
	int rc = parse_spec(im->c, spec, &f.name, &has, &base);
	if (rc >= 0)
		rc = map_file(im->c, &f);
	if (rc < 0)
		goto out;
	if (image_is_elf(&f))
		rc = image_elf(im->c, &f, has, base, &parts);
	else
		rc = raw_parts(im->c, &f, has, base, &parts);
	if (rc >= 0)
		rc = take_over(im, &f, &parts);
out:
	base_free(im->c, parts.segments);
	base_free(im->c, parts.labels);
	close_file(im->c, &f);
	return rc < 0 ? rc : 0;
}
