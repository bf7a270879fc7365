/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the records of an output go: raw through a codec, or packed by rstzip 3.
 *
 * The specification wants things said at the beginning that are known at the end (how
 * many CPUs there are). A raw file is corrected in place. What cannot be written again
 * is held back until the end, in memory as far as that is reasonable, then in an
 * unnamed file. Records can only be added to the beginning while it is held: of a raw file
 * the first 16 MiB are.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "formats/rst/change/change.h"
#include "kit/options.h"

enum { SIZE = CAIRN_RST_SIZE, HOLD = 32 << 20, EARLY = 16 << 20, PIECE = SIZE << 15 };

/* ---- which packing ---- */

static bool pack_ends_with(const char *text, size_t n, const char *suffix)
{
	size_t m = strlen(suffix);
	return n > m && strncmp(text + n - m, suffix, m) == 0;
}

#define OPTION(member) KIT_AT(struct rst_output, member)
static const struct kit_option writing[] = {
	{"rstzip", NULL, "pack with rstzip 3", KIT_FLAG, OPTION(rstzip), .least = 1},
	{"raw", NULL, "do not pack", KIT_FLAG, OPTION(rstzip)},
	{"lossy", NULL, "let rstzip drop what it cannot keep", KIT_FLAG, OPTION(lossy), .least = 1},
	{"version", "MAJOR.MINOR", "the version to write", KIT_VERSION, OPTION(version),
     .least = RST_VERSION(1, 0), .most = RST_NEWEST},
	{"cputype", "NAME", "the processor, where the trace does not say", KIT_TEXT, OPTION(cputype)},
	{"nwins", "N", "register windows, where the trace does not say", KIT_NUMBER, OPTION(nwins),
     .least = 3, .most = 32},
};
const struct kit_options rst_writing_options = {"rst", "writing RST", writing,
                                                sizeof writing / sizeof *writing};

int rst_output_choose(struct cairn *cairn, const char *path, const char *options, const char *codec,
                      int level, struct rst_output *output)
{
	size_t len = strlen(path);
	int rc;
	*output = (struct rst_output){.level = level, .nwins = 8, .cputype = "unknown"};
	output->codec = codec ? NULL : cairn_codec_for_name(cairn, path);
	if (output->codec)
		len -= strlen(output->codec->suffix);
	output->rstzip = pack_ends_with(path, len, ".rz3");
	if (codec && strcmp(codec, "none") != 0 && !(output->codec = cairn_codec_find(cairn, codec)))
		return base_fail(cairn, CAIRN_E_INVAL,
		                 "there is no codec '%s'; --version names those there are", codec);
	rc = kit_options_parse(cairn, &rst_writing_options, options, output, NULL);
	if (rc >= 0 && !output->rstzip && pack_ends_with(path, len, ".rz2"))
		rc = base_fail(cairn, CAIRN_E_UNSUPPORTED,
		               "%s: rstzip 2 is only read; version 3 (.rz3) is written", path);
	return rc;
}

int rst_output_of(struct cairn *cairn, const struct cairn_output *out, struct rst_output *output)
{
	const char *colon = out->to ? strchr(out->to, ':') : NULL;
	size_t n = colon ? (size_t)(colon - out->to) : out->to ? strlen(out->to) : 0;
	if (out->to && (n != 3 || strncasecmp(out->to, "rst", 3) != 0))
		return base_fail(cairn, CAIRN_E_UNSUPPORTED,
		                 "no format that can be written is called '%.*s'", (int)n, out->to);
	int rc =
		rst_output_choose(cairn, out->path, colon ? colon + 1 : "", out->codec, out->level, output);
	output->lossy |= out->lossy != 0;
	return rc;
}

/* ---- the pack ---- */

struct rst_pack {
	struct cairn *cairn;
	struct cairn_sink *sink;
	struct rst_zip *zip; /* NULL: raw */
	char *path;
	bool holding;
	bool early; /* only the beginning is held, and nothing has been written */
	struct base_buf held;
	FILE *spill; /* what did not fit `held` */
	uint64_t records;
};

int rst_pack_open(struct cairn *cairn, const char *path, const struct rst_output *output,
                  unsigned threads, enum rst_hold hold, struct rst_pack **out)
{
	struct rst_pack *pk = base_alloc(cairn, sizeof *pk);
	*out = NULL;
	if (!pk)
		return CAIRN_E_NOMEM;
	pk->cairn = cairn;
	base_buf_init(&pk->held, cairn);
	pk->path = base_strdup(cairn, path);
	int rc = pk->path ? 0 : CAIRN_E_NOMEM;
	if (rc >= 0)
		rc = io_sink_open(cairn, path, output->codec, output->level ? output->level : INT_MIN,
		                  threads > 64 ? 64 : (int)threads, &pk->sink);
	if (rc >= 0 && output->rstzip)
		rc = rst_zip_open(cairn, pk->sink, output->lossy, &pk->zip);
	if (rc < 0) {
		rst_pack_abort(pk);
		return rc;
	}
	pk->holding = hold && (pk->zip || !io_sink_seekable(pk->sink));
	pk->early = hold == RST_HOLD_INSERT && !pk->holding;
	*out = pk;
	return 0;
}

static int rst_pack_hand_on(struct rst_pack *pk, const uint8_t *p, size_t n)
{
	if (!pk->zip)
		return cairn_sink_write(pk->sink, p, n);
	int rc = rst_zip_put(pk->zip, p, n / SIZE);
	/* A sink names its path itself. */
	return rc == CAIRN_E_LOSS ? base_wrap(pk->cairn, "%s", pk->path) : rc;
}

static int spill_failed(struct rst_pack *pk)
{
	return base_fail(pk->cairn, CAIRN_E_IO, "%s: the temporary file that holds it cannot grow",
	                 pk->path);
}

static int pack_spill(struct rst_pack *pk, const uint8_t *p, size_t n)
{
	if (!pk->spill && !(pk->spill = tmpfile()))
		return base_fail(pk->cairn, CAIRN_E_IO, "%s: no temporary file can be made to hold it",
		                 pk->path);
	return fwrite(p, 1, n, pk->spill) != n ? spill_failed(pk) : 0;
}

int rst_pack_put(struct rst_pack *pk, const uint8_t *records, size_t n)
{
	pk->records += n;
	n *= SIZE;
	if (pk->early && pk->held.len + n <= EARLY)
		return base_buf_put(&pk->held, records, n);
	if (pk->early) {
		int rc = rst_pack_hand_on(pk, pk->held.data, pk->held.len);
		base_buf_free(&pk->held);
		pk->early = false;
		if (rc < 0)
			return rc;
	}
	if (!pk->holding)
		return rst_pack_hand_on(pk, records, n);
	return pk->spill || pk->held.len + n > HOLD ? pack_spill(pk, records, n)
	                                            : base_buf_put(&pk->held, records, n);
}

uint64_t rst_pack_records(const struct rst_pack *pk)
{
	return pk->records;
}

int rst_pack_again(struct rst_pack *pk, uint64_t record, const uint8_t *p)
{
	if (!pk->holding && !pk->early)
		return io_sink_pwrite(pk->sink, record * SIZE, p, SIZE);
	if (record >= pk->held.len / SIZE)
		return base_fail(pk->cairn, CAIRN_E_STATE, "record %llu is no longer in memory",
		                 (unsigned long long)record + 1);
	memcpy(pk->held.data + record * SIZE, p, SIZE);
	return 0;
}

int rst_pack_insert(struct rst_pack *pk, uint64_t record, const uint8_t *records, size_t n)
{
	if ((!pk->holding && !pk->early) || record > pk->held.len / SIZE)
		return 0;
	size_t at = (size_t)record * SIZE;
	if (base_buf_reserve(&pk->held, n * SIZE) < 0)
		return CAIRN_E_NOMEM;
	memmove(pk->held.data + at + n * SIZE, pk->held.data + at, pk->held.len - at);
	memcpy(pk->held.data + at, records, n * SIZE);
	pk->held.len += n * SIZE;
	pk->records += n;
	return 1;
}

static int pack_give(void *pack, const uint8_t *p, size_t n)
{
	return rst_pack_hand_on(pack, p, n / SIZE * SIZE);
}

/* What was held back, with nothing kept of it. */
static int pack_release(struct rst_pack *pk)
{
	struct stat st = {0};
	pk->holding = pk->early = false;
	if (pk->spill && fstat(fileno(pk->spill), &st) < 0)
		return base_fail_errno(pk->cairn, errno, "%s: a temporary file", pk->path);
	return io_pour(pk->cairn, &pk->held, pk->spill ? fileno(pk->spill) : -1, (uint64_t)st.st_size,
	               PIECE, pack_give, pk);
}

/* Kinds of loss, for the ledger. */
static int pack_report_losses(struct rst_pack *pk, struct cairn_ledger *lost)
{
	const struct rst_zip_loss *loss;
	size_t n = pk->zip && lost ? rst_zip_losses(pk->zip, &loss) : 0;
	char what[128];
	int rc = 0;
	for (size_t i = 0; i < n && rc >= 0; i++) {
		snprintf(what, sizeof what, "%s, which rstzip 3 does not keep (first in record %llu)",
		         loss[i].what, (unsigned long long)loss[i].first);
		rc = model_ledger_add(pk->cairn, lost, what, loss[i].records, 0);
	}
	return rc;
}

int rst_pack_finish(struct rst_pack *pk, struct cairn_ledger *lost)
{
	int rc = pk->spill && fflush(pk->spill) != 0 ? spill_failed(pk) : 0;
	if (rc >= 0 && (pk->holding || pk->early))
		rc = pack_release(pk);
	if (rc >= 0 && pk->zip) {
		rc = rst_zip_finish(pk->zip);
		if (rc == CAIRN_E_LOSS)
			rc = base_wrap(pk->cairn, "%s", pk->path);
	}
	if (rc >= 0)
		rc = pack_report_losses(pk, lost);
	if (rc >= 0) {
		rc = cairn_sink_finish(pk->sink);
		pk->sink = NULL;
	}
	rst_pack_abort(pk);
	return rc;
}

void rst_pack_abort(struct rst_pack *pk)
{
	if (!pk)
		return;
	if (pk->sink && (pk->holding || pk->early) && io_keeping(pk->cairn) && pack_release(pk) >= 0 &&
	    pk->zip)
		rst_zip_finish(pk->zip);
	rst_zip_close(pk->zip);
	cairn_sink_discard(pk->sink);
	if (pk->spill)
		fclose(pk->spill);
	base_buf_free(&pk->held);
	base_free(pk->cairn, pk->path);
	base_free(pk->cairn, pk);
}
