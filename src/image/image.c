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
 * When a file belongs to some memory spaces only, each space gets a map of its own; until then one
 * map serves all. The map over all files stays, for questions that do not name a space.
 *
 * Only bytes in a file are known. Memory beyond them (.bss) begins as zeros, but may hold
 * anything by the time of the trace, so it is not given as zeros.
 *
 * Adding a file is all or nothing: everything that can fail comes before the
 * first change.
 */
#include "image/image.h"
#include "cairn/isa.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "cairn/trace.h"
#include "io/io.h"

struct range {
	uint64_t first, last;
	const uint8_t *data;
};

struct map {
	struct range *ranges;
	size_t n, cap;
};

/* One map for each space, behind the one of everything. */
enum { SPACES = 7, MAPS = 1 + SPACES };

/* What belongs to some address spaces only. Bytes without IDs are in the maps of their spaces;
 * then only the symbols are here. */
struct room {
	struct image_space in;
	unsigned vmid, ctxid; /* their places among the image's IDs, from 1; 0: of all */
	struct map map;
	struct image_symbols *symbols;
};

enum { MOST_IDS = 63, ROOM_LIMIT = 4096 };

struct cairn_image {
	struct cairn *cairn;
	/* The narrower room comes first; of equals, the one added later. */
	struct room *rooms;
	size_t n_rooms;
	uint32_t vmids[MOST_IDS];
	uint64_t ctxids[MOST_IDS];
	unsigned n_vmids, n_ctxids;
	struct map maps[MAPS];
	bool split; /* the spaces have maps of their own */
	struct image_file *files;
	size_t n_files;
	struct image_symbols *symbols;
	struct image_lines *lines; /* NULL: not read */
};

struct cairn_image *cairn_image_new(struct cairn *cairn)
{
	struct cairn_image *im = base_alloc(cairn, sizeof *im);
	if (!im)
		return NULL;
	im->cairn = cairn;
	im->symbols = image_symbols_new(cairn);
	if (!im->symbols) {
		base_free(cairn, im);
		return NULL;
	}
	return im;
}

static void parts_free(struct cairn *cairn, struct image_parts *parts)
{
	base_free(cairn, parts->segments);
	base_free(cairn, parts->labels);
	base_free(cairn, parts->names);
}

static void close_file(struct cairn *cairn, struct image_file *file)
{
	if (file->data)
		io_file_unmap(cairn, file->data, file->size);
	io_input_drop(cairn, file->input);
	base_free(cairn, file->name);
	base_free(cairn, file->names);
	*file = (struct image_file){0};
}

void cairn_image_free(struct cairn_image *im)
{
	if (!im)
		return;
	image_lines_free(im->lines);
	for (size_t i = 0; i < im->n_files; i++)
		close_file(im->cairn, &im->files[i]);
	image_symbols_free(im->symbols);
	for (size_t i = 0; i < im->n_rooms; i++) {
		base_free(im->cairn, im->rooms[i].map.ranges);
		image_symbols_free(im->rooms[i].symbols);
	}
	base_free(im->cairn, im->rooms);
	base_free(im->cairn, im->files);
	for (size_t i = 0; i < MAPS; i++)
		base_free(im->cairn, im->maps[i].ranges);
	base_free(im->cairn, im);
}

/* The first range whose last address is not below `addr`. */
static size_t first_reaching(const struct map *map, uint64_t addr)
{
	size_t lo = 0, hi = map->n;
	while (lo < hi)
		base_halve(&lo, &hi, map->ranges[base_half(lo, hi)].last < addr);
	return lo;
}

/* Which map a space looks at. */
static unsigned map_of(const struct cairn_image *im, unsigned space)
{
	return im->split && space ? 1 + (unsigned)__builtin_ctz(space) : 0;
}

/* A segment adds at most two ranges: itself and the far end of one it splits. */
static int reserve_map(struct cairn *cairn, struct map *map, size_t n_segments)
{
	size_t want = map->n + 2 * n_segments;
	if (want <= map->cap)
		return 0;
	want += want / 2;
	struct range *range = base_realloc(cairn, map->ranges, want * sizeof *range);
	if (!range)
		return CAIRN_E_NOMEM;
	map->ranges = range;
	map->cap = want;
	return 0;
}

static int image_reserve(struct cairn_image *im, size_t n_segments, unsigned spaces)
{
	int rc = reserve_map(im->cairn, &im->maps[0], n_segments);
	bool split = im->split || spaces != CAIRN_IMAGE_ANY;
	for (unsigned i = 1; i < MAPS && split && rc >= 0; i++) {
		struct map *map = &im->maps[i], *all = &im->maps[0];
		rc = reserve_map(im->cairn, map, n_segments + (im->split ? 0 : all->n));
		if (rc >= 0 && !im->split && all->n) {
			memcpy(map->ranges, all->ranges, all->n * sizeof *map->ranges);
			map->n = all->n;
		}
	}
	if (rc >= 0)
		im->split = split;
	return rc;
}

/* Lay a segment over what is there. There is room for it. */
static void image_put(struct map *map, const struct image_segment *segment)
{
	struct range in = {segment->addr, segment->addr + (segment->n - 1), segment->data};
	size_t i = first_reaching(map, in.first), j = i;
	while (j < map->n && map->ranges[j].first <= in.last)
		j++;
	struct range now[3]; /* what stands in the place of i … j-1 */
	size_t n = 0;
	if (i < j && map->ranges[i].first < in.first) {
		now[n] = map->ranges[i];
		now[n++].last = in.first - 1;
	}
	now[n++] = in;
	if (i < j && map->ranges[j - 1].last > in.last) {
		now[n] = map->ranges[j - 1];
		now[n].data += in.last + 1 - now[n].first;
		now[n++].first = in.last + 1;
	}
	memmove(map->ranges + i + n, map->ranges + j, (map->n - j) * sizeof *map->ranges);
	memcpy(map->ranges + i, now, n * sizeof *now);
	map->n += n;
	map->n -= j - i;
}

static size_t read_map(const struct map *map, uint64_t addr, void *buf, size_t n)
{
	uint8_t *to = buf;
	size_t done = 0;
	for (size_t i = first_reaching(map, addr); done < n && i < map->n; i++) {
		const struct range *range = &map->ranges[i];
		if (range->first > addr)
			break;
		uint64_t left = range->last - addr; /* after the first byte */
		size_t part = n - done;
		if (part - 1 > left)
			part = (size_t)left + 1;
		memcpy(to + done, range->data + (addr - range->first), part);
		done += part;
		addr += part;
		if (addr == 0)
			break;
	}
	return done;
}

size_t cairn_image_read(const struct cairn_image *im, uint64_t addr, void *buf, size_t n)
{
	return read_map(&im->maps[0], addr, buf, n);
}

size_t cairn_image_read_in(const struct cairn_image *im, enum cairn_image_space space,
                           uint64_t addr, void *buf, size_t n)
{
	return read_map(&im->maps[map_of(im, space)], addr, buf, n);
}

/* ---- address spaces ---- */

/* Views: the map, and behind it which of the rooms' IDs are in force. */
enum { VIEW_MAPS = 8 };

static unsigned room_vmid(unsigned view)
{
	return view / VIEW_MAPS / (MOST_IDS + 1);
}

static unsigned room_ctxid(unsigned view)
{
	return view / VIEW_MAPS % (MOST_IDS + 1);
}

/* Can a view see into a room? */
static bool sees(unsigned view, const struct room *room)
{
	unsigned map = view % VIEW_MAPS;
	return (!room->vmid || room->vmid == room_vmid(view)) &&
	       (!room->ctxid || room->ctxid == room_ctxid(view)) &&
	       (room->in.spaces == CAIRN_IMAGE_ANY || (map && room->in.spaces >> (map - 1) & 1));
}

unsigned image_view_of(const struct cairn_image *im, const struct image_seer *who)
{
	unsigned vmid = 0, ctxid = 0;
	for (unsigned i = 0; who->has_vmid && i < im->n_vmids; i++)
		vmid = im->vmids[i] == who->vmid ? i + 1 : vmid;
	for (unsigned i = 0; who->has_ctxid && i < im->n_ctxids; i++)
		ctxid = im->ctxids[i] == who->ctxid ? i + 1 : ctxid;
	return (vmid * (MOST_IDS + 1) + ctxid) * VIEW_MAPS + map_of(im, who->space);
}

unsigned image_space_of(unsigned el, unsigned security)
{
	static const uint8_t spaces[3][4] = {
		{CAIRN_IMAGE_EL1S, CAIRN_IMAGE_EL1N, CAIRN_IMAGE_EL3, CAIRN_IMAGE_EL1R},
		{CAIRN_IMAGE_EL2S, CAIRN_IMAGE_EL2N, CAIRN_IMAGE_EL3, CAIRN_IMAGE_EL2R},
		{CAIRN_IMAGE_EL3, CAIRN_IMAGE_EL3, CAIRN_IMAGE_EL3, CAIRN_IMAGE_EL3}};
	return spaces[el < 2 ? 0 : el - 1][security & 3];
}

/* The bytes of a map at an address; NULL: none, and *n is how far away the next ones are. */
static const uint8_t *map_bytes(const struct map *map, uint64_t addr, uint64_t *n)
{
	size_t i = first_reaching(map, addr);
	*n = UINT64_MAX;
	if (i < map->n && map->ranges[i].first > addr)
		*n = map->ranges[i].first - addr;
	if (i == map->n || map->ranges[i].first > addr)
		return NULL;
	*n = map->ranges[i].last - addr;
	*n += *n != UINT64_MAX;
	return map->ranges[i].data + (addr - map->ranges[i].first);
}

const uint8_t *image_bytes(const struct cairn_image *im, unsigned view, uint64_t addr, uint64_t *n)
{
	uint64_t most = UINT64_MAX; /* up to where a narrower room begins */
	const uint8_t *p = NULL;
	for (size_t i = 0; i <= im->n_rooms && !p; i++) {
		bool base = i == im->n_rooms;
		if (!base && (!im->rooms[i].map.n || !sees(view, &im->rooms[i])))
			continue;
		p = map_bytes(base ? &im->maps[view % VIEW_MAPS] : &im->rooms[i].map, addr, n);
		most = *n < most ? *n : most;
	}
	*n = most;
	return p;
}

size_t image_read_view(const struct cairn_image *im, unsigned view, uint64_t addr, void *buf,
                       size_t n)
{
	uint8_t *to = buf;
	const uint8_t *p;
	uint64_t left;
	size_t done = 0;
	while (done < n && (p = image_bytes(im, view, addr + done, &left))) {
		size_t part = left < n - done ? (size_t)left : n - done;
		memcpy(to + done, p, part);
		done += part;
		if (addr + done < addr)
			break;
	}
	return done;
}

unsigned image_view_of_ctx(const struct cairn_image *im, const struct cairn_ctx *ctx)
{
	if (!im->n_rooms)
		return 0;
	const uint32_t both = CAIRN_CTX_PRIV | CAIRN_CTX_SECURITY;
	struct image_seer who = {.has_vmid = ctx->known & CAIRN_CTX_VMID,
	                         .vmid = ctx->vmid,
	                         .has_ctxid = ctx->known & CAIRN_CTX_CTXID,
	                         .ctxid = ctx->ctxid};
	if ((ctx->known & both) == both && ctx->priv >= CAIRN_PRIV_EL0 && ctx->priv <= CAIRN_PRIV_EL3)
		who.space = image_space_of(ctx->priv - CAIRN_PRIV_EL0, ctx->security);
	return image_view_of(im, &who);
}

int cairn_image_has_spaces(const struct cairn_image *im)
{
	return im->n_rooms != 0;
}

const struct cairn_symbol *image_symbol_view(const struct cairn_image *im, unsigned view,
                                             uint64_t addr)
{
	const struct cairn_symbol *sym = NULL;
	for (size_t i = 0; i < im->n_rooms && !sym; i++)
		if (sees(view, &im->rooms[i]))
			sym = image_symbols_at(im->rooms[i].symbols, addr);
	return sym ? sym : image_symbols_at(im->symbols, addr);
}

const struct cairn_symbol *cairn_image_symbol_in(const struct cairn_image *im,
                                                 const struct cairn_ctx *ctx, uint64_t addr)
{
	if (!im->n_rooms || !ctx)
		return cairn_image_symbol_at(im, addr);
	return image_symbol_view(im, image_view_of_ctx(im, ctx), addr);
}

uint64_t image_symbol_last(const struct cairn_symbol *sym)
{
	uint64_t last = sym->size ? sym->addr + (sym->size - 1) : sym->addr;
	return last < sym->addr ? UINT64_MAX : last;
}

const struct cairn_symbol *image_named_in(const struct cairn_image *im, const struct cairn_ctx *ctx,
                                          const char *name)
{
	const struct cairn_symbol *sym = NULL;
	unsigned view = image_view_of_ctx(im, ctx);
	for (size_t i = 0; i < im->n_rooms && !sym; i++)
		if (sees(view, &im->rooms[i]))
			sym = image_symbols_named(im->rooms[i].symbols, name, strlen(name));
	return sym ? sym : image_symbols_named(im->symbols, name, strlen(name));
}

bool image_named_extent(const struct cairn_image *im, const char *name, uint64_t *first,
                        uint64_t *last)
{
	bool any = false;
	for (size_t i = 0; i <= im->n_rooms; i++) {
		const struct cairn_symbol *sym =
			image_symbols_named(i ? im->rooms[i - 1].symbols : im->symbols, name, strlen(name));
		if (!sym)
			continue;
		*first = !any || sym->addr < *first ? sym->addr : *first;
		*last = !any || image_symbol_last(sym) > *last ? image_symbol_last(sym) : *last;
		any = true;
	}
	return any;
}

bool image_agrees(const struct cairn_image *im, uint64_t addr)
{
	const struct cairn_symbol *one = image_symbols_at(im->symbols, addr);
	for (size_t i = 0; i < im->n_rooms; i++) {
		const struct cairn_symbol *sym = image_symbols_at(im->rooms[i].symbols, addr);
		if (one && sym && strcmp(one->name, sym->name) != 0)
			return false;
		one = sym ? sym : one;
	}
	return true;
}

bool image_piece(const struct cairn_image *im, size_t index, uint64_t *addr, const uint8_t **data,
                 uint64_t *n)
{
	const struct map *map = &im->maps[0];
	if (index >= map->n)
		return false;
	*addr = map->ranges[index].first;
	*data = map->ranges[index].data;
	*n = map->ranges[index].last - map->ranges[index].first + 1;
	return true;
}

bool image_moves(const struct cairn_image *im)
{
	enum { AT_DATA = 5, AT_TYPE = 16, BIG = 2, DYN = 3 };
	const struct image_file *file = im->files;
	if (im->n_files == 0 || !image_is_elf(file) || file->size < AT_TYPE + 2)
		return false;
	const uint8_t *p = file->data + AT_TYPE;
	return (file->data[AT_DATA] == BIG ? (unsigned)p[0] << 8 | p[1] : (unsigned)p[1] << 8 | p[0]) ==
	       DYN;
}

bool image_empty(const struct cairn_image *im)
{
	return im->maps[0].n == 0;
}

/* ---- spaces ---- */

static const struct {
	const char *name;
	unsigned spaces;
} space_names[] = {
	{"EL1N", CAIRN_IMAGE_EL1N},
	{"EL1S", CAIRN_IMAGE_EL1S},
	{"EL1R", CAIRN_IMAGE_EL1R},
	{"EL2N", CAIRN_IMAGE_EL2N},
	{"EL2S", CAIRN_IMAGE_EL2S},
	{"EL2R", CAIRN_IMAGE_EL2R},
	{"EL3", CAIRN_IMAGE_EL3},
	{"ROOT", CAIRN_IMAGE_EL3},
	{"EL2", CAIRN_IMAGE_EL2N},
	{"EL0N", CAIRN_IMAGE_EL1N},
	{"EL0S", CAIRN_IMAGE_EL1S},
	{"EL0R", CAIRN_IMAGE_EL1R},
	{"H", CAIRN_IMAGE_EL2N},
	{"N", CAIRN_IMAGE_EL1N | CAIRN_IMAGE_EL2N},
	{"NP", CAIRN_IMAGE_EL1N | CAIRN_IMAGE_EL2N},
	{"S", CAIRN_IMAGE_EL1S | CAIRN_IMAGE_EL2S | CAIRN_IMAGE_EL3},
	{"SP", CAIRN_IMAGE_EL1S | CAIRN_IMAGE_EL2S | CAIRN_IMAGE_EL3},
	{"R", CAIRN_IMAGE_EL1R | CAIRN_IMAGE_EL2R},
	{"P", CAIRN_IMAGE_ANY},
	{"ANY", CAIRN_IMAGE_ANY},
};

unsigned cairn_image_space_find(const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof space_names / sizeof *space_names; i++)
		if (strlen(space_names[i].name) == n && !strncasecmp(space_names[i].name, name, n))
			return space_names[i].spaces;
	return 0;
}

const char *cairn_image_space_name(unsigned space)
{
	for (size_t i = 0; i < SPACES; i++)
		if (space_names[i].spaces == space)
			return space_names[i].name;
	return NULL;
}

/* Of no known space: that of the widest one. */
const struct cairn_symbol *cairn_image_symbol_at(const struct cairn_image *im, uint64_t addr)
{
	const struct cairn_symbol *sym = image_symbols_at(im->symbols, addr);
	for (size_t i = im->n_rooms; i-- > 0 && !sym;)
		sym = image_symbols_at(im->rooms[i].symbols, addr);
	return sym;
}

void image_gap(const struct cairn_image *im, unsigned view, uint64_t addr, uint64_t *first,
               uint64_t *last)
{
	image_symbols_gap(im->symbols, addr, first, last);
	for (size_t i = 0; i < im->n_rooms; i++) {
		uint64_t lo, hi;
		if (!sees(view, &im->rooms[i]))
			continue;
		image_symbols_gap(im->rooms[i].symbols, addr, &lo, &hi);
		*first = lo > *first ? lo : *first;
		*last = hi < *last ? hi : *last;
	}
}

const struct cairn_symbol *cairn_image_symbol(const struct cairn_image *im, const char *name,
                                              size_t n)
{
	const struct cairn_symbol *sym = image_symbols_named(im->symbols, name, n);
	for (size_t i = im->n_rooms; i-- > 0 && !sym;)
		sym = image_symbols_named(im->rooms[i].symbols, name, n);
	return sym;
}

static bool image_parse_word(const char *text, size_t n, struct image_space *out)
{
	unsigned spaces = cairn_image_space_find(text, n);
	uint64_t id;
	out->spaces |= spaces;
	if (spaces)
		return true;
	if (n > 5 && !strncasecmp(text, "vmid=", 5) && base_number(text + 5, n - 5, &id) &&
	    id <= UINT32_MAX) {
		out->vmid = (uint32_t)id;
		return out->has_vmid = true;
	}
	if (n > 6 && !strncasecmp(text, "ctxid=", 6) && base_number(text + 6, n - 6, &out->ctxid))
		return out->has_ctxid = true;
	return false;
}

bool image_space_parse(const char *text, size_t n, struct image_space *out)
{
	*out = (struct image_space){.spaces = 0};
	for (size_t at = 0; at <= n;) {
		const char *comma = memchr(text + at, ',', n - at);
		size_t k = comma ? (size_t)(comma - text) - at : n - at;
		if (!image_parse_word(text + at, k, out))
			return false;
		at += k + 1;
	}
	out->spaces = out->spaces ? out->spaces : (unsigned)CAIRN_IMAGE_ANY;
	return true;
}

/* ---- adding ---- */

/* "0x" and hexadecimal digits to the end of the string. */
static bool parse_address(const char *text, uint64_t *addr)
{
	if (text[0] != '0' || (text[1] | 0x20) != 'x' || !text[2])
		return false;
	uint64_t v = 0;
	for (text += 2; *text; text++) {
		static const char digits[] = "0123456789abcdef0123456789ABCDEF";
		const char *d = strchr(digits, *text);
		if (!d || v >> 60)
			return false;
		v = v << 4 | ((uint64_t)(d - digits) & 15);
	}
	*addr = v;
	return true;
}

static const struct image_space everywhere = {.spaces = CAIRN_IMAGE_ANY};

/* What "FILE[@[SPACE:]0xADDRESS]" or "FILE@SPACE" says. */
struct spec {
	struct image_space in;
	bool has; /* an address */
	uint64_t addr;
};

/* Parse what stands behind an @; false: it is part of the name. */
static bool image_parse_place(const char *text, struct spec *to, const char **address)
{
	const char *colon = strchr(text, ':');
	*address = text;
	if (colon || !(text[0] == '0' && (text[1] | 0x20) == 'x')) {
		if (!image_space_parse(text, colon ? (size_t)(colon - text) : strlen(text), &to->in))
			return false;
		*address = colon ? colon + 1 : NULL;
	}
	to->has = *address != NULL;
	return true;
}

/* A name may hold an @ itself: only one followed by "0x" or a space begins a place. */
static int parse_spec(struct cairn *cairn, const char *spec, char **name, struct spec *to)
{
	const char *at = strrchr(spec, '@'), *address = NULL;
	*to = (struct spec){.in = everywhere};
	if (at && !image_parse_place(at + 1, to, &address))
		at = NULL;
	if (!at)
		*to = (struct spec){.in = everywhere};
	if (to->has && !parse_address(address, &to->addr))
		return base_fail(cairn, CAIRN_E_INVAL, "%s: '%s' is not a 64-bit address", spec, address);
	size_t n = at ? (size_t)(at - spec) : strlen(spec);
	if (n == 0)
		return base_fail(cairn, CAIRN_E_INVAL, "'%s': an image needs the name of a file", spec);
	*name = base_alloc(cairn, n + 1);
	if (!*name)
		return CAIRN_E_NOMEM;
	memcpy(*name, spec, n);
	return 0;
}

static int image_map_file(struct cairn *cairn, struct image_file *file)
{
	int rc = 0;
	struct stat st;
	int fd = open(file->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 && errno == ENOENT && strchr(file->name, '@')) /* perhaps meant as a place */
		return base_fail_errno(cairn, errno, "%s (a place is @0xADDRESS or @SPACE:0xADDRESS)",
		                       file->name);
	if (fd < 0)
		return base_fail_errno(cairn, errno, "%s", file->name);
	if (fstat(fd, &st) < 0)
		rc = base_fail_errno(cairn, errno, "%s", file->name);
	else if (!S_ISREG(st.st_mode))
		rc = base_fail(cairn, CAIRN_E_INVAL, "%s: an image must be a regular file", file->name);
	else if (st.st_size == 0)
		rc = base_fail(cairn, CAIRN_E_DAMAGED, "%s: the file is empty", file->name);
	else if ((uintmax_t)st.st_size > SIZE_MAX)
		rc = base_fail(cairn, CAIRN_E_LIMIT, "%s: too large for this machine", file->name);
	if (rc >= 0)
		rc = io_input_note(cairn, fd, &file->input);
	if (rc >= 0)
		rc = io_file_map(cairn, file->name, fd, (size_t)st.st_size, &file->data, &file->size);
	close(fd);
	return rc;
}

static int beyond_last(struct cairn *cairn, const struct image_file *file)
{
	return base_fail(cairn, CAIRN_E_INVAL, "%s: its bytes would reach beyond the last address",
	                 file->name);
}

static int raw_parts(struct cairn *cairn, const struct image_file *file, bool has, uint64_t base,
                     struct image_parts *parts)
{
	if (!has)
		return base_fail(cairn, CAIRN_E_UNSUPPORTED,
		                 "%s: not an ELF file; say where raw bytes lie: %s@0xADDRESS", file->name,
		                 file->name);
	if (file->size - 1 > UINT64_MAX - base)
		return beyond_last(cairn, file);
	parts->segments = base_alloc(cairn, sizeof *parts->segments);
	if (!parts->segments)
		return CAIRN_E_NOMEM;
	*parts->segments = (struct image_segment){base, file->data, file->size};
	parts->n_segments = 1;
	return 0;
}

/* Put a segment: without a room into the maps of its spaces, with one into that and into the map of
 * everything. */
static void put_in(struct cairn_image *im, const struct image_segment *segment, unsigned spaces,
                   struct room *room)
{
	for (unsigned k = 0; k < (im->split ? (unsigned)MAPS : 1); k++)
		if (k == 0 || (!room && spaces >> (k - 1) & 1))
			image_put(&im->maps[k], segment);
	if (room)
		image_put(&room->map, segment);
}

static unsigned image_width(const struct image_space *in)
{
	return !in->has_vmid + !in->has_ctxid;
}

static bool image_same_space(const struct image_space *left, const struct image_space *right)
{
	return left->spaces == right->spaces && left->has_vmid == right->has_vmid &&
	       left->has_ctxid == right->has_ctxid && left->vmid == right->vmid &&
	       left->ctxid == right->ctxid;
}

/* The places of a room's IDs among the image's: CAIRN_E_LIMIT when there are too many. */
static int find_ids(struct cairn_image *im, struct room *room)
{
	unsigned v = 0, c = 0;
	while (room->in.has_vmid && v < im->n_vmids && im->vmids[v] != room->in.vmid)
		v++;
	while (room->in.has_ctxid && c < im->n_ctxids && im->ctxids[c] != room->in.ctxid)
		c++;
	if (v == MOST_IDS || c == MOST_IDS)
		return base_fail(im->cairn, CAIRN_E_LIMIT, "images of more than %d %s", MOST_IDS,
		                 v == MOST_IDS ? "VMIDs" : "context IDs");
	if (room->in.has_vmid) {
		im->vmids[v] = room->in.vmid;
		im->n_vmids += v == im->n_vmids;
		room->vmid = v + 1;
	}
	if (room->in.has_ctxid) {
		im->ctxids[c] = room->in.ctxid;
		im->n_ctxids += c == im->n_ctxids;
		room->ctxid = c + 1;
	}
	return 0;
}

/* Find or make the room of a space; NULL in *out for a space that is everywhere. */
static int room_of(struct cairn_image *im, const struct image_space *in, struct room **out)
{
	struct room made = {.in = *in};
	size_t at = 0;
	*out = NULL;
	if (image_same_space(in, &everywhere))
		return 0;
	for (size_t i = 0; i < im->n_rooms; i++)
		if (image_same_space(&im->rooms[i].in, in)) {
			*out = &im->rooms[i];
			return 0;
		}
	if (im->n_rooms == ROOM_LIMIT)
		return base_fail(im->cairn, CAIRN_E_LIMIT, "images of more than %d spaces", ROOM_LIMIT);
	struct room *rooms = base_realloc(im->cairn, im->rooms, (im->n_rooms + 1) * sizeof *rooms);
	if (!rooms)
		return CAIRN_E_NOMEM;
	im->rooms = rooms;
	made.symbols = image_symbols_new(im->cairn);
	int rc = made.symbols ? find_ids(im, &made) : CAIRN_E_NOMEM;
	if (rc < 0) {
		image_symbols_free(made.symbols);
		return rc;
	}
	while (at < im->n_rooms && image_width(&rooms[at].in) < image_width(in))
		at++;
	memmove(rooms + at + 1, rooms + at, (im->n_rooms - at) * sizeof *rooms);
	rooms[at] = made;
	im->n_rooms++;
	*out = &rooms[at];
	return 0;
}

/* Make room for the bytes of a space. They need a room of their own only where the spaces have
 * maps. */
static int reserve_in(struct cairn_image *im, size_t n, const struct image_space *in,
                      struct room *room)
{
	bool own = in->has_vmid || in->has_ctxid;
	int rc = image_reserve(im, n, own ? 0 : in->spaces);
	return rc >= 0 && own ? reserve_map(im->cairn, &room->map, n) : rc;
}

int cairn_image_read_lines(struct cairn_image *im)
{
	image_lines_free(im->lines);
	return image_lines_read(im->cairn, im->files, im->n_files, &im->lines);
}

int cairn_image_line_at(const struct cairn_image *im, uint64_t addr, struct cairn_line *out)
{
	return im->lines ? image_lines_at(im->lines, addr, out) : 0;
}

/* Everything is read and there is a file to keep: make room, then change. */
static int take_over(struct cairn_image *im, struct image_file *file, struct image_parts *parts,
                     const struct image_space *in)
{
	struct room *room;
	struct image_file *last = base_append(im->cairn, &im->files, &im->n_files, sizeof *last);
	if (!last)
		return CAIRN_E_NOMEM;
	im->n_files--; /* until nothing can fail any more */
	int rc = room_of(im, in, &room);
	if (rc >= 0)
		rc = reserve_in(im, parts->n_segments, in, room);
	if (rc >= 0)
		rc = image_symbols_add(room ? room->symbols : im->symbols, parts->labels, parts->n_labels);
	if (rc < 0)
		return rc;
	parts->labels = NULL;
	for (size_t i = 0; i < parts->n_segments; i++)
		put_in(im, &parts->segments[i], in->spaces, in->has_vmid || in->has_ctxid ? room : NULL);
	file->by = parts->by;
	file->names = parts->names;
	parts->names = NULL;
	im->files[im->n_files++] = *file;
	*file = (struct image_file){0};
	return 0;
}

size_t image_written(const struct cairn_image *im, uint64_t (*out)[2], size_t most)
{
	size_t n = im->n_files && image_is_elf(im->files) ? image_elf_written(im->files, out, most) : 0;
	for (size_t i = 0; i < 2 * n; i++)
		out[i / 2][i % 2] += im->files[0].by;
	return n;
}

int cairn_image_build_id(const struct cairn_image *im, char *hex, size_t size)
{
	for (size_t i = 0; i < im->n_files; i++)
		if (image_is_elf(&im->files[i]) && image_elf_build_id(&im->files[i], hex, size))
			return 1;
	return 0;
}

int cairn_image_sets(const struct cairn_image *im, size_t index, const char **file, uint32_t *sets)
{
	static const struct {
		uint16_t machine; /* e_machine, System V ABI */
		uint32_t sets;
	} known[] = {{243, 0},
	             {183, 1u << CAIRN_ISA_A64},
	             {40, 1u << CAIRN_ISA_A32 | 1u << CAIRN_ISA_T32},
	             {2, 1u << CAIRN_ISA_SPARC},
	             {18, 1u << CAIRN_ISA_SPARC},
	             {43, 1u << CAIRN_ISA_SPARC},
	             {62, 1u << CAIRN_ISA_X86_64}};
	for (size_t k = 0; k < im->n_files; k++) {
		const struct image_file *f = &im->files[k];
		if (!image_is_elf(f) || f->size < 20 || index-- > 0)
			continue;
		bool big = f->data[5] == 2;
		unsigned machine = (unsigned)f->data[big ? 18 : 19] << 8 | f->data[big ? 19 : 18];
		*file = f->name;
		*sets = 0;
		for (size_t m = 0; m < sizeof known / sizeof *known; m++)
			*sets |= known[m].machine == machine ? known[m].sets : 0;
		if (machine == known[0].machine) /* by the file's class */
			*sets = 1u << (f->data[4] == 1 ? CAIRN_ISA_RV32 : CAIRN_ISA_RV64);
		return 1;
	}
	return 0;
}

/* Take only the names of a file: its bytes are the program's, and not in it. */
static int take_debug(struct cairn_image *im, struct image_file *debug, uint64_t by, bool symbols,
                      const struct image_space *in)
{
	struct image_parts parts = {0};
	int rc = image_elf(im->cairn, debug, false, 0, &parts);
	for (size_t i = 0; i < parts.n_labels; i++) {
		bool moves = parts.labels[i].section != 0;
		parts.labels[i].sym.addr += moves ? by : 0;
		parts.labels[i].end += moves ? by : 0;
	}
	parts.n_segments = 0;
	parts.n_labels = symbols ? parts.n_labels : 0;
	parts.by = by;
	if (rc >= 0)
		rc = take_over(im, debug, &parts, in);
	parts_free(im->cairn, &parts);
	return rc;
}

/* Add what was stripped from the file just added, if it is where such things are kept. */
static int add_debug(struct cairn_image *im, const struct image_space *in)
{
	const struct image_file file = im->files[im->n_files - 1];
	bool symbols = !image_elf_has(&file, ".symtab"), lines = !image_elf_has(&file, ".debug_line");
	char path[4096];
	int rc = 0;
	for (unsigned i = 0; (symbols || lines) && image_debug_path(&file, i, path, sizeof path); i++) {
		struct image_file d = {0};
		if (access(path, R_OK) != 0)
			continue;
		d.name = base_strdup(im->cairn, path);
		bool belongs =
			d.name && image_map_file(im->cairn, &d) >= 0 && image_debug_belongs(&file, &d);
		rc = !d.name ? CAIRN_E_NOMEM : belongs ? take_debug(im, &d, file.by, symbols, in) : 0;
		close_file(im->cairn, &d);
		if (belongs || rc < 0)
			break;
	}
	return rc;
}

bool image_is_program(const char *path)
{
	struct spec to;
	struct stat st;
	const char *at = strrchr(path, '@'), *address;
	struct image_file file = {0};
	uint8_t head[16];
	if ((at && image_parse_place(at + 1, &to, &address)) || stat(path, &st) < 0 ||
	    !S_ISREG(st.st_mode))
		return false;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	file.data = head;
	file.size = sizeof head;
	bool is = fd >= 0 && read(fd, head, sizeof head) == (ssize_t)sizeof head && image_is_elf(&file);
	if (fd >= 0)
		close(fd);
	return is;
}

int cairn_image_add(struct cairn_image *im, const char *spec)
{
	struct image_file file = {0};
	struct image_parts parts = {0};
	struct spec to;
	int rc = parse_spec(im->cairn, spec, &file.name, &to);
	if (rc >= 0)
		rc = image_map_file(im->cairn, &file);
	if (rc < 0)
		goto out;
	if (image_is_elf(&file))
		rc = image_elf(im->cairn, &file, to.has, to.addr, &parts);
	else
		rc = raw_parts(im->cairn, &file, to.has, to.addr, &parts);
	if (rc >= 0)
		rc = take_over(im, &file, &parts, &to.in);
	if (rc >= 0 && image_is_elf(&im->files[im->n_files - 1]))
		rc = add_debug(im, &to.in);
out:
	parts_free(im->cairn, &parts);
	close_file(im->cairn, &file);
	return rc < 0 ? rc : 0;
}

/* The bytes of a room of another image. */
static int lay_room(struct cairn_image *im, const struct room *over)
{
	struct room *room;
	int rc = room_of(im, &over->in, &room);
	for (size_t i = 0; i < over->map.n && rc >= 0; i++) {
		const struct range *range = &over->map.ranges[i];
		struct image_segment seg = {range->first, range->data, range->last - range->first + 1};
		rc = reserve_in(im, 1, &over->in, room);
		if (rc >= 0)
			put_in(im, &seg, over->in.spaces, room);
	}
	return rc;
}

int image_lay(struct cairn_image *im, const struct cairn_image *over)
{
	for (size_t i = over->n_rooms; i-- > 0;) {
		int rc = lay_room(im, &over->rooms[i]);
		if (rc < 0)
			return rc;
	}
	for (unsigned k = over->split ? 1 : 0; k < (over->split ? (unsigned)MAPS : 1); k++) {
		unsigned spaces = k ? 1u << (k - 1) : (unsigned)CAIRN_IMAGE_ANY;
		const struct map *map = &over->maps[k];
		for (size_t i = 0; i < map->n; i++) {
			struct image_segment seg = {map->ranges[i].first, map->ranges[i].data,
			                            map->ranges[i].last - map->ranges[i].first + 1};
			int rc = image_reserve(im, 1, spaces);
			if (rc < 0)
				return rc;
			put_in(im, &seg, spaces, NULL);
		}
	}
	return 0;
}

int image_add_part(struct cairn_image *im, const char *name, const struct image_space *space,
                   uint64_t addr, uint64_t offset, uint64_t length, bool *cut)
{
	struct image_file file = {.name = base_strdup(im->cairn, name)};
	struct image_parts parts = {0};
	int rc = file.name ? image_map_file(im->cairn, &file) : CAIRN_E_NOMEM;
	if (rc >= 0) {
		uint64_t left = offset < file.size ? file.size - offset : 0;
		uint64_t n = length < left ? length : left;
		struct image_segment segment = {addr, file.data + (left ? offset : 0), n};
		*cut = length == UINT64_MAX ? !left : length > left;
		parts.segments = &segment;
		parts.n_segments = n != 0;
		if (n && n - 1 > UINT64_MAX - addr)
			rc = beyond_last(im->cairn, &file);
		else
			rc = take_over(im, &file, &parts, space);
	}
	close_file(im->cairn, &file);
	return rc < 0 ? rc : 0;
}

static uint64_t mix_map(uint64_t hash, const struct map *map, uint64_t what)
{
	for (size_t i = 0; i < map->n; i++) {
		const struct range *range = &map->ranges[i];
		uint64_t n = range->last - range->first + 1, at = 0;
		hash = base_hash_mix(base_hash_mix(hash, what), range->first);
		hash = base_hash_mix(hash, n);
		for (; n - at >= 8; at += 8)
			hash = base_hash_mix(hash, base_le64(range->data + at));
		for (; at < n; at++)
			hash = base_hash_mix(hash, range->data[at]);
	}
	return hash;
}

uint64_t image_fingerprint(const struct cairn_image *im)
{
	uint64_t h = 0;
	for (size_t m = 0; m < (im->split ? (size_t)MAPS : 1); m++)
		h = mix_map(h, &im->maps[m], m);
	for (size_t i = 0; i < im->n_rooms; i++) {
		const struct image_space *in = &im->rooms[i].in;
		if (im->rooms[i].map.n)
			h = base_hash_mix(base_hash_mix(h, in->vmid | (uint64_t)in->has_vmid << 32 |
			                                       (uint64_t)in->has_ctxid << 33),
			                  in->ctxid);
		h = mix_map(h, &im->rooms[i].map, in->spaces);
	}
	return h;
}
