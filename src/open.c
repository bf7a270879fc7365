/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of formats, opening by content and creating by name: the only place
 * that knows them all. Adding a format is one line here, writing it another. A program adds its
 * own by listing them in the options of its context.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "check/check.h"
#include "formats/capture/capture.h"
#include "formats/ete/format.h"
#include "formats/ete/write/write.h"
#include "formats/execlog/execlog.h"
#include "formats/registered/registered.h"
#include "formats/rst/change/change.h"
#include "formats/spike/spike.h"
#include "formats/stf/stf.h"
#include "formats/tarmac/tarmac.h"
#include "formats/vixl/vixl.h"
#include "kit/options.h"
#include "lockstep/derive.h"
#include "model/index.h"

static const struct model_format *const formats[] = {
	&stf_format,   &rst_format,    &ete_format,     &vixl_format,
	&spike_format, &tarmac_format, &execlog_format, &capture_format,
};
static const struct model_writer_format *const writers[] = {
	&stf_writer_format,  &stf_zstf_writer_format, &rst_writer_format,
	&vixl_writer_format, &ete_writer_format,
};
enum {
	FORMATS = sizeof formats / sizeof *formats,
	WRITERS = sizeof writers / sizeof *writers,
	HEAD = 4096
};

/* ---- the formats of a context ---- */

/* Formats of the program's own come first, then the library's. Made once, because a format is
 * identified by its place. */
struct open_table {
	size_t n_own;
	struct registered own[];
};

static const struct model_format *format_at(const struct open_table *table, size_t index)
{
	if (index < table->n_own)
		return &table->own[index].format;
	return index - table->n_own < FORMATS ? formats[index - table->n_own] : NULL;
}

/* Of the names before a colon in `text`. */
static bool open_is_name(const char *name, const char *text)
{
	size_t n = strcspn(text, ":");
	return strlen(name) == n && !strncasecmp(name, text, n);
}

static const char *open_options_of(const char *text)
{
	const char *colon = strchr(text, ':');
	return colon ? colon + 1 : "";
}

static const struct model_writer_format *writer_by_name(const char *to)
{
	for (size_t i = 0; i < WRITERS; i++)
		if (open_is_name(writers[i]->name, to))
			return writers[i];
	return NULL;
}

/* "stf:events=32": the format. */
static const struct model_format *open_by_name(const struct open_table *table, const char *from)
{
	const struct model_format *format;
	for (size_t i = 0; (format = format_at(table, i)) && !open_is_name(format->name, from); i++)
		;
	return format;
}

static int open_make_table(struct cairn *cairn, struct open_table *table)
{
	const struct cairn_opts *opts = base_opts(cairn);
	for (size_t i = 0; i < opts->n_formats; i++) {
		struct registered *own = &table->own[i];
		int rc = registered_init(cairn, opts->formats[i], own);
		if (rc < 0)
			return rc;
		if (open_by_name(table, own->given.name) || writer_by_name(own->given.name))
			return base_fail(cairn, CAIRN_E_INVAL, "there is a format '%s' already",
			                 own->given.name);
		table->n_own++;
	}
	return 0;
}

static int open_table_of(struct cairn *cairn, const struct open_table **out)
{
	static const struct open_table none;
	void **made = base_formats(cairn), *before = NULL;
	size_t n = base_opts(cairn)->n_formats;
	*out = n ? __atomic_load_n(made, __ATOMIC_ACQUIRE) : &none;
	if (*out)
		return 0;
	struct open_table *table = base_alloc(cairn, sizeof *table + n * sizeof *table->own);
	int rc = table ? open_make_table(cairn, table) : CAIRN_E_NOMEM;
	/* Another thread may have been faster. */
	bool ours = rc >= 0 && __atomic_compare_exchange_n(made, &before, table, false,
	                                                   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
	*out = ours ? table : before;
	if (!ours)
		base_free(cairn, table);
	return rc;
}

/* A probe that is less sure than this may also have met another format's trace, continued. */
enum { SURE = 90 };

static const struct model_format *by_content(const struct open_table *table, const uint8_t *head,
                                             size_t n, int at_least)
{
	const struct model_format *best = NULL, *format;
	int sure = at_least - 1;
	/* 100: nobody can know better. */
	for (size_t i = 0; sure < 100 && (format = format_at(table, i)); i++) {
		int s = format->probe ? format->probe(head, n) : format->sure(format, head, n);
		if (s > sure) {
			sure = s;
			best = format;
		}
	}
	return best;
}

/* Append to a list of n bytes; returns its new length. */
static size_t open_list(char *buf, size_t size, size_t n, const char *name)
{
	int more = n < size ? snprintf(buf + n, size - n, "%s%s", n ? ", " : "", name) : 0;
	return n + (more > 0 ? (size_t)more : 0);
}

static void list_formats(const struct open_table *table, char *buf, size_t size)
{
	const struct model_format *format;
	for (size_t i = 0, n = 0; (format = format_at(table, i)); i++)
		n = open_list(buf, size, n, format->name);
}

static int not_known(struct cairn *cairn, const struct open_table *table, const char *name,
                     const uint8_t *head, size_t n)
{
	char known[256], bytes[32] = "";
	const char *other = ete_other_source(head, n);
	list_formats(table, known, sizeof known);
	for (size_t i = 0; i < n && i < 8; i++)
		snprintf(bytes + 3 * i, sizeof bytes - 3 * i, " %02x", head[i]);
	if (n == 0)
		return base_fail(cairn, CAIRN_E_FORMAT, "%s: the file is empty", name);
	if (other)
		return base_fail(cairn, CAIRN_E_FORMAT, "%s: " ETE_NOT_DECODED, name, other);
	return base_fail(cairn, CAIRN_E_FORMAT,
	                 "%s: not a trace of a known format (%s); it begins with%s", name, known,
	                 bytes);
}

/* ---- what can be written ---- */

int cairn_format_option(int writing, size_t index, const char **format, const char **name,
                        const char **values, const char **meaning)
{
	for (size_t i = 0; i < (writing ? (size_t)WRITERS : (size_t)FORMATS); i++) {
		const struct kit_options *set = writing ? writers[i]->options : formats[i]->options;
		/* A container takes the options of its format. */
		if (!set || (writing && writers[i]->of))
			continue;
		if (index >= set->count) {
			index -= set->count;
			continue;
		}
		*format = writing ? writers[i]->name : formats[i]->name;
		*name = set->option[index].name;
		*values = set->option[index].values;
		*meaning = set->option[index].help;
		return 1;
	}
	return 0;
}

/* By the suffix, before that of a codec: "x.stf.gz". */
static const struct model_writer_format *writer_by_suffix(const struct cairn *cairn,
                                                          const char *path)
{
	size_t n = strlen(path);
	const struct cairn_codec *codec = cairn_codec_for_name(cairn, path);
	if (codec)
		n -= strlen(codec->suffix);
	for (size_t i = 0; i < WRITERS; i++)
		for (const char *const *s = writers[i]->suffixes; *s; s++)
			if (n > strlen(*s) && !strncmp(path + n - strlen(*s), *s, strlen(*s)))
				return writers[i];
	return NULL;
}

const char *cairn_format_for_name(const struct cairn *cairn, const char *path)
{
	const struct model_writer_format *format = writer_by_suffix(cairn, path);
	return format ? format->name : NULL;
}

static const struct model_writer_format *writer_for(const struct cairn *cairn, const char *path,
                                                    const char *to, const char **options)
{
	*options = to ? open_options_of(to) : "";
	return to ? writer_by_name(to) : writer_by_suffix(cairn, path);
}

/* A file whose first bytes no format knows may still continue a trace. */
static int open_part(struct cairn *cairn, const struct open_table *table, struct io_source *io,
                     const uint8_t *head, size_t n, const struct cairn_open_opts *opts,
                     struct cairn_reader **out)
{
	const struct model_format *format = open_by_name(table, opts->part_of);
	char name[1024];
	uint8_t bytes[16] = {0}; /* as much as not_known looks at */
	size_t kept = n < sizeof bytes ? n : sizeof bytes;
	snprintf(name, sizeof name, "%s", io_name(io));
	if (kept)
		memcpy(bytes, head, kept);
	if (format && format->is_part) {
		int rc = model_reader_new(cairn, format, io, open_options_of(opts->part_of), opts, out);
		if (rc < 0 || cairn_reader_is_part(*out))
			return rc;
		cairn_close(*out);
		*out = NULL;
	} else {
		io_close(io);
	}
	return not_known(cairn, table, name, bytes, kept);
}

/* *from: what the trace was read as by cairn_open_opts.from; NULL: as what it looks like. */
static int open_source(struct cairn *cairn, struct io_source *io,
                       const struct cairn_open_opts *given, const char **from,
                       struct cairn_reader **out)
{
	struct cairn_open_opts opts = {0};
	const struct open_table *table;
	const struct model_format *format;
	const uint8_t *head = NULL;
	size_t n = 0;
	int rc = open_table_of(cairn, &table);

	*out = NULL;
	*from = NULL;
	if (rc < 0)
		goto fail;
	if (given) {
		if (given->size > sizeof opts) {
			rc = base_fail(cairn, CAIRN_E_INVAL, "open options of a newer library");
			goto fail;
		}
		memcpy(&opts, given, given->size);
	}
	bool guess = opts.from && *opts.from == '?'; /* what looks like another format is that */
	*from = opts.from ? opts.from + guess : NULL;
	format = *from ? open_by_name(table, *from) : NULL;
	if (*from && !format) {
		char known[256];
		list_formats(table, known, sizeof known);
		rc = base_fail(cairn, CAIRN_E_INVAL, "no format is called '%s'; known: %s", *from, known);
		goto fail;
	}
	if (guess || !format) {
		rc = io_peek(io, HEAD, &head, &n);
		if (rc < 0 && n == 0)
			goto fail;
		const struct model_format *other =
			by_content(table, head, n, guess || opts.part_of ? SURE : 1);
		if (other && other != format)
			*from = NULL;
		format = other ? other : format;
		if (!format && opts.part_of)
			return open_part(cairn, table, io, head, n, &opts, out);
		if (!format) {
			rc = not_known(cairn, table, io_name(io), head, n);
			goto fail;
		}
	}
	rc = model_reader_new(cairn, format, io, *from ? open_options_of(*from) : "", &opts, out);
	if (rc >= 0) {
		(*out)->writer_for = writer_for;
		(*out)->jumping = stf_zstf_writer_format.suffixes[0];
	}
	if (rc >= 0 && opts.derive && (rc = lockstep_derive(*out)) < 0) {
		cairn_close(*out);
		*out = NULL;
	}
	return rc;
fail:
	io_close(io);
	return rc;
}

/* A directory is a trace if it is a snapshot: then this is the file that says so. NULL and a
 * sentence if it is another directory, or out of memory. Others may have made the folder, so what
 * it holds under that name is judged like what a snapshot names. */
static char *open_file_of(struct cairn *cairn, const char *path)
{
	static const char name[] = "/snapshot.ini";
	struct stat st;
	size_t n = strlen(path);
	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return base_strdup(cairn, path);
	char *file = base_alloc(cairn, n + sizeof name);
	if (!file)
		return NULL;
	memcpy(file, path, n);
	memcpy(file + n, name + (n && path[n - 1] == '/'), sizeof name - (n && path[n - 1] == '/'));
	bool there = stat(file, &st) == 0;
	bool outside = there && !base_opts(cairn)->trust_paths && io_lies_outside(path, file);
	if (there && S_ISREG(st.st_mode) && !outside)
		return file;
	base_fail(cairn, CAIRN_E_IO, "%s: %s", there ? file : path,
	          !there    ? "is a directory without a snapshot.ini"
	          : outside ? "lies outside the folder of the snapshot (--trust-paths opens it)"
	                    : "is not a regular file");
	base_free(cairn, file);
	return NULL;
}

int cairn_open(struct cairn *cairn, const char *path, const struct cairn_open_opts *opts,
               struct cairn_reader **out)
{
	struct io_source *io;
	const char *from = NULL;
	*out = NULL;
	char *file = open_file_of(cairn, path);
	if (!file)
		return cairn_error_status(cairn);
	int rc = io_open(cairn, file, &io);
	base_free(cairn, file);
	if (rc >= 0)
		rc = open_source(cairn, io, opts, &from, out);
	if (rc >= 0 && !(*out)->broken && !(*out)->derivation &&
	    !(opts && opts->size > offsetof(struct cairn_open_opts, no_index) && opts->no_index))
		index_attach(*out, io_name((*out)->io), from);
	return rc;
}

int cairn_open_memory(struct cairn *cairn, const void *data, size_t n,
                      const struct cairn_open_opts *opts, struct cairn_reader **out)
{
	struct io_source *io;
	const char *from;
	*out = NULL;
	int rc = io_open_memory(cairn, data, n, &io);
	return rc < 0 ? rc : open_source(cairn, io, opts, &from, out);
}

int cairn_open_stream(struct cairn *cairn, const char *name, cairn_read_fn *read, void *user,
                      const struct cairn_open_opts *opts, struct cairn_reader **out)
{
	struct io_source *io;
	const char *from;
	*out = NULL;
	int rc = io_open_stream(cairn, name, read, user, &io);
	return rc < 0 ? rc : open_source(cairn, io, opts, &from, out);
}

const struct cairn_rule *cairn_rules(size_t index, const char **format, size_t *n)
{
	for (size_t k = 0; k < FORMATS; k++) {
		if (!formats[k]->rules || index-- > 0)
			continue;
		*format = formats[k]->name;
		*n = formats[k]->rules->n;
		return formats[k]->rules->rules;
	}
	if (index > 0)
		return NULL;
	*format = "any";
	*n = CHECK_EXECUTION_COUNT;
	return check_execution_rules;
}

/* ---- writing ---- */

int cairn_create(struct cairn *cairn, const char *path, const struct cairn_create_opts *opts,
                 struct cairn_writer **out)
{
	const char *options = "", *to = opts ? opts->to : NULL;
	const struct model_writer_format *format;
	char known[256];
	size_t at = 0;
	*out = NULL;
	format = writer_for(cairn, path, to, &options);
	if (format)
		return model_writer_new(cairn, format, path, options, opts, out);
	for (size_t i = 0; i < WRITERS; i++)
		at = open_list(known, sizeof known, at, writers[i]->name);
	if (to)
		return base_fail(cairn, CAIRN_E_INVAL,
		                 "no format that can be written is called '%s'; "
		                 "known: %s",
		                 to, known);
	return base_fail(cairn, CAIRN_E_INVAL,
	                 "%s: the name does not say which format to write; known: %s", path, known);
}
