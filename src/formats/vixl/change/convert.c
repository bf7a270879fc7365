/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Another codec around the same lines: the bytes are copied, whatever they are. Packing
 * back gives the same file.
 */
#include <limits.h>
#include <string.h>
#include <strings.h>

#include "formats/vixl/vixl.h"

static int open_sink(struct cairn *cairn, const struct cairn_output *out, struct cairn_sink **sink)
{
	const struct cairn_codec *codec = NULL;
	if (out->to && strcasecmp(out->to, "vixl") != 0)
		return base_fail(cairn, CAIRN_E_INVAL,
		                 "%s: lines are copied as they are: --to is vixl, "
		                 "without options",
		                 out->to);
	if (!out->codec)
		codec = cairn_codec_for_name(cairn, out->path);
	else if (strcmp(out->codec, "none") != 0 && !(codec = cairn_codec_find(cairn, out->codec)))
		return base_fail(cairn, CAIRN_E_INVAL, "no codec is called '%s'", out->codec);
	return io_sink_open(cairn, out->path, codec, out->level ? out->level : INT_MIN,
	                    (int)(out->threads ? out->threads : 1), sink);
}

static int copy_span(struct cairn_reader *reader, struct cairn_sink *sink,
                     struct cairn_changed *done)
{
	struct text_span *ss = reader->span.priv;
	bool insns = !vixl_state_only(reader->impl);
	for (;;) {
		size_t n = kit_left(&ss->bytes);
		int rc = n ? cairn_sink_write(sink, ss->bytes.window.p, n) : 0;
		if (insns && n)
			done->instructions += vixl_count_insns(ss->bytes.window.p, ss->bytes.window.end);
		ss->bytes.window.p = ss->bytes.window.end;
		ss->at.off += n;
		if (rc >= 0 && base_cancelled(reader->cairn))
			rc = base_fail(reader->cairn, CAIRN_E_CANCELLED, "cancelled");
		if (rc >= 0 && ss->bytes.window.more)
			rc = kit_fill(reader, &ss->bytes);
		else if (rc >= 0)
			break;
		if (rc < 0)
			return rc;
	}
	if (ss->bytes.broken)
		model_damaged(reader, &reader->span, "byte 0x%llx: %s", (unsigned long long)ss->at.off,
		              ss->bytes.why); /* lines are not counted */
	return 0;
}

static int convert(struct cairn_reader *reader, const struct cairn_output *out,
                   struct cairn_changed *done)
{
	struct cairn_sink *sink;
	int rc = open_sink(reader->cairn, out, &sink);
	if (rc < 0)
		return rc;
	while ((rc = model_span_next(reader)) > 0) {
		rc = copy_span(reader, sink, done);
		model_damage_move(reader->cairn, &reader->damage, &reader->span.damage);
		if (rc >= 0)
			rc = model_strict(reader);
		if (rc < 0)
			break;
	}
	if (rc >= 0)
		return cairn_sink_finish(sink);
	cairn_sink_discard(sink);
	return rc;
}

const struct model_change vixl_change = {.convert = convert};
