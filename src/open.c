/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of formats, opening by content and creating by name: the only place
 * that knows them all. Adding a format is one line here, writing it another.
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
#include "formats/rst/change/change.h"
#include "formats/spike/spike.h"
#include "formats/stf/stf.h"
#include "formats/tarmac/tarmac.h"
#include "formats/vixl/vixl.h"
#include "model/index.h"

static const struct model_format *const formats[] = {
	&stf_format,   &rst_format,    &ete_format,     &vixl_format,
	&spike_format, &tarmac_format, &execlog_format, &capture_format,
};
enum { FORMATS = sizeof formats / sizeof *formats, HEAD = 4096 };

/* "stf:events=32" → the format and what follows the colon. */
static const struct model_format *open_by_name(const char *from, const char **options)
{
	const char *colon = strchr(from, ':');
	size_t n = colon ? (size_t)(colon - from) : strlen(from);
	*options = colon ? colon + 1 : "";
	for (size_t i = 0; i < FORMATS; i++)
		if (strlen(formats[i]->name) == n && !strncasecmp(formats[i]->name, from, n))
			return formats[i];
	return NULL;
}

/* SURE: what is less likely than that may as well continue another format's trace. */
enum { SURE = 90 };

static const struct model_format *by_content(const uint8_t *head, size_t n, int at_least)
{
	const struct model_format *best = NULL;
	int sure = at_least - 1;
	for (size_t i = 0; i < FORMATS; i++) {
		int s =
			formats[i]->probe ? formats[i]->probe(head, n) : formats[i]->sure(formats[i], head, n);
		if (s > sure) {
			sure = s;
			best = formats[i];
		}
		if (sure == 100) /* nobody can know better */
			break;
	}
	return best;
}

static void list_formats(char *buf, size_t size)
{
	size_t at = 0;
	for (size_t i = 0; i < FORMATS && at < size; i++)
		at += (size_t)snprintf(buf + at, size - at, "%s%s", i ? ", " : "", formats[i]->name);
}

static int not_known(struct cairn *cairn, const char *name, const uint8_t *head, size_t n)
{
	char known[256], bytes[32] = "";
	const char *other = ete_other_source(head, n);
	list_formats(known, sizeof known);
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

static const struct model_writer_format *const writers[] = {
	&stf_writer_format,  &stf_zstf_writer_format, &rst_writer_format,
	&vixl_writer_format, &ete_writer_format,
};
enum { WRITERS = sizeof writers / sizeof *writers };

static const struct model_writer_format *writer_by_name(const char *to, const char **options)
{
	const char *colon = strchr(to, ':');
	size_t n = colon ? (size_t)(colon - to) : strlen(to);
	*options = colon ? colon + 1 : "";
	for (size_t i = 0; i < WRITERS; i++)
		if (strlen(writers[i]->name) == n && !strncasecmp(writers[i]->name, to, n))
			return writers[i];
	return NULL;
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
	*options = "";
	return to ? writer_by_name(to, options) : writer_by_suffix(cairn, path);
}

/* What no format knows by its first bytes may yet continue a trace. */
static int open_part(struct cairn *cairn, struct io_source *io, const uint8_t *head, size_t n,
                     const struct cairn_open_opts *opts, struct cairn_reader **out)
{
	const char *options;
	const struct model_format *format = open_by_name(opts->part_of, &options);
	char name[1024];
	uint8_t bytes[16] = {0}; /* as much as not_known looks at */
	size_t kept = n < sizeof bytes ? n : sizeof bytes;
	snprintf(name, sizeof name, "%s", io_name(io));
	if (kept)
		memcpy(bytes, head, kept);
	if (format && format->is_part) {
		int rc = model_reader_new(cairn, format, io, options, opts, out);
		if (rc < 0 || cairn_reader_is_part(*out))
			return rc;
		cairn_close(*out);
		*out = NULL;
	} else {
		io_close(io);
	}
	return not_known(cairn, name, bytes, kept);
}

static int open_source(struct cairn *cairn, struct io_source *io,
                       const struct cairn_open_opts *given, struct cairn_reader **out)
{
	struct cairn_open_opts opts = {0};
	const struct model_format *format;
	const char *options = "";
	const uint8_t *head = NULL;
	size_t n = 0;
	int rc = 0;

	*out = NULL;
	if (given) {
		if (given->size > sizeof opts) {
			rc = base_fail(cairn, CAIRN_E_INVAL, "open options of a newer library");
			goto fail;
		}
		memcpy(&opts, given, given->size);
	}
	if (opts.from) {
		format = open_by_name(opts.from, &options);
		if (!format) {
			char known[256];
			list_formats(known, sizeof known);
			rc = base_fail(cairn, CAIRN_E_INVAL, "no format is called '%s'; known: %s", opts.from,
			               known);
			goto fail;
		}
	} else {
		rc = io_peek(io, HEAD, &head, &n);
		if (rc < 0 && n == 0)
			goto fail;
		format = by_content(head, n, opts.part_of ? SURE : 1);
		if (!format && opts.part_of)
			return open_part(cairn, io, head, n, &opts, out);
		if (!format) {
			rc = not_known(cairn, io_name(io), head, n);
			goto fail;
		}
	}
	rc = model_reader_new(cairn, format, io, options, &opts, out);
	if (rc >= 0) {
		(*out)->writer_for = writer_for;
		(*out)->jumping = stf_zstf_writer_format.suffixes[0];
	}
	return rc;
fail:
	io_close(io);
	return rc;
}

/* A directory is a trace when it is a snapshot: then the file that says so. NULL and a
 * sentence when it is another directory, or there is no memory. Others may have made the folder,
 * so what it holds under that name is judged like what a snapshot names. */
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
	*out = NULL;
	char *file = open_file_of(cairn, path);
	if (!file)
		return cairn_error_status(cairn);
	int rc = io_open(cairn, file, &io);
	base_free(cairn, file);
	if (rc >= 0)
		rc = open_source(cairn, io, opts, out);
	if (rc >= 0 && !(*out)->broken &&
	    !(opts && opts->size > offsetof(struct cairn_open_opts, no_index) && opts->no_index))
		index_attach(*out, io_name((*out)->io),
		             opts && opts->size > offsetof(struct cairn_open_opts, from) ? opts->from
		                                                                         : NULL);
	return rc;
}

int cairn_open_memory(struct cairn *cairn, const void *data, size_t n,
                      const struct cairn_open_opts *opts, struct cairn_reader **out)
{
	struct io_source *io;
	*out = NULL;
	int rc = io_open_memory(cairn, data, n, &io);
	return rc < 0 ? rc : open_source(cairn, io, opts, out);
}

int cairn_open_stream(struct cairn *cairn, const char *name, cairn_read_fn *read, void *user,
                      const struct cairn_open_opts *opts, struct cairn_reader **out)
{
	struct io_source *io;
	*out = NULL;
	int rc = io_open_stream(cairn, name, read, user, &io);
	return rc < 0 ? rc : open_source(cairn, io, opts, out);
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
	return NULL;
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
	for (size_t i = 0; i < WRITERS && at < sizeof known; i++)
		at += (size_t)snprintf(known + at, sizeof known - at, "%s%s", i ? ", " : "",
		                       writers[i]->name);
	if (to)
		return base_fail(cairn, CAIRN_E_INVAL,
		                 "no format that can be written is called '%s'; "
		                 "known: %s",
		                 to, known);
	return base_fail(cairn, CAIRN_E_INVAL,
	                 "%s: the name does not tell the format to write; known: %s", path, known);
}
