/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of formats, and opening by content: the only place that knows them
 * all. Adding a format is one line here.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "formats/rst/rst.h"
#include "formats/stf/stf.h"
#include "model/model.h"

static const struct model_format *const formats[] = {
	&stf_format, &rst_format,
};
enum { FORMATS = sizeof formats / sizeof *formats, HEAD = 4096 };

/* "stf:events=32" → the format and what follows the colon. */
static const struct model_format *by_name(const char *from, const char **options)
{
	const char *colon = strchr(from, ':');
	size_t n = colon ? (size_t)(colon - from) : strlen(from);
	*options = colon ? colon + 1 : "";
	for (size_t i = 0; i < FORMATS; i++)
		if (strlen(formats[i]->name) == n && !strncasecmp(formats[i]->name, from, n))
			return formats[i];
	return NULL;
}

static const struct model_format *by_content(const uint8_t *head, size_t n)
{
	const struct model_format *best = NULL;
	int sure = 0;
	for (size_t i = 0; i < FORMATS; i++) {
		int s = formats[i]->probe(head, n);
		if (s > sure) {
			sure = s;
			best = formats[i];
		}
	}
	return best;
}

static void list_formats(char *buf, size_t size)
{
	size_t at = 0;
	for (size_t i = 0; i < FORMATS && at < size; i++)
		at += (size_t)snprintf(buf + at, size - at, "%s%s", i ? ", " : "", formats[i]->name);
}

static int not_known(struct cairn *c, const char *name, const uint8_t *head, size_t n)
{
	char known[256], bytes[32] = "";
	list_formats(known, sizeof known);
	for (size_t i = 0; i < n && i < 8; i++)
		snprintf(bytes + 3 * i, sizeof bytes - 3 * i, " %02x", head[i]);
	if (n == 0)
		return base_fail(c, CAIRN_E_FORMAT, "%s: the file is empty", name);
	return base_fail(c, CAIRN_E_FORMAT,
	                 "%s: not a trace of a known format (%s); it begins with%s", name, known, bytes);
}

static int open_source(struct cairn *c, struct io_source *io, const struct cairn_open_opts *given,
                       struct cairn_reader **out)
{
	struct cairn_open_opts opts = {0};
	const struct model_format *f;
	const char *options = "";
	const uint8_t *head = NULL;
	size_t n = 0;
	int rc = 0;

	*out = NULL;
	if (given) {
		if (given->size > sizeof opts) {
			rc = base_fail(c, CAIRN_E_INVAL, "open options of a newer library");
			goto fail;
		}
		memcpy(&opts, given, given->size);
	}
	if (opts.from) {
		f = by_name(opts.from, &options);
		if (!f) {
			char known[256];
			list_formats(known, sizeof known);
			rc = base_fail(c, CAIRN_E_INVAL, "no format is called '%s'; known: %s",
			               opts.from, known);
			goto fail;
		}
	} else {
		rc = io_peek(io, HEAD, &head, &n);
		if (rc < 0 && n == 0)
			goto fail;
		f = by_content(head, n);
		if (!f) {
			rc = not_known(c, io_name(io), head, n);
			goto fail;
		}
	}
	return model_reader_new(c, f, io, options, &opts, out);
fail:
	io_close(io);
	return rc;
}

int cairn_open(struct cairn *c, const char *path, const struct cairn_open_opts *opts,
               struct cairn_reader **out)
{
	struct io_source *io;
	*out = NULL;
	int rc = io_open(c, path, &io);
	return rc < 0 ? rc : open_source(c, io, opts, out);
}

int cairn_open_memory(struct cairn *c, const void *data, size_t n,
                      const struct cairn_open_opts *opts, struct cairn_reader **out)
{
	struct io_source *io;
	*out = NULL;
	int rc = io_open_memory(c, data, n, &io);
	return rc < 0 ? rc : open_source(c, io, opts, out);
}
