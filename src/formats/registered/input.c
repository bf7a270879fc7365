/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a trace for a format of the program's own, and its failures. */
#include <stdarg.h>
#include <stdio.h>

#include "formats/registered/registered.h"

int registered_failed(struct cairn_input *input, int status, bool said)
{
	struct cairn *cairn = input->reader->cairn;
	if (input->failed)
		return input->failed;
	input->failed = status;
	if (said)
		snprintf(input->why, sizeof input->why, "%s", cairn_error_text(cairn));
	else if (status == CAIRN_E_NOMEM)
		snprintf(input->why, sizeof input->why, "out of memory");
	else
		snprintf(input->why, sizeof input->why,
		         "%s: byte 0x%llx, record %llu: %s fails with status %d",
		         io_name(input->reader->io), (unsigned long long)input->at.off,
		         (unsigned long long)input->at.record, input->reader->format->name, status);
	return status;
}

int cairn_input_fail(struct cairn_input *input, int status, const char *fmt, ...)
{
	char why[768];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(why, sizeof why, fmt, ap);
	va_end(ap);
	status = status < 0 ? status : CAIRN_E_INVAL;
	base_fail(input->reader->cairn, status, "%s: byte 0x%llx, record %llu: %s",
	          io_name(input->reader->io), (unsigned long long)input->at.off,
	          (unsigned long long)input->at.record, why);
	return registered_failed(input, status, true);
}

/* Have at least `want` bytes in the window, if there are as many. */
static int input_fill(struct cairn_input *input, size_t want)
{
	int rc = input->failed;
	if (rc >= 0 && want > base_max_hold(input->reader->cairn))
		return cairn_input_fail(
			input, CAIRN_E_LIMIT,
			"a record of more than %zu bytes is larger than what is held in memory",
			base_max_hold(input->reader->cairn));
	while (rc >= 0 && kit_left(&input->bytes) < want && input->bytes.window.more)
		rc = kit_fill(input->reader, &input->bytes);
	return rc < 0 ? registered_failed(input, rc, true) : 0;
}

static void input_record(struct cairn_input *input, bool begins)
{
	if (begins || !input->within) {
		input->at.record++;
		input->at.off = kit_offset(&input->bytes);
	}
	input->within = true;
}

int cairn_input_line(struct cairn_input *input, const char **text, size_t *n)
{
	const char *end = NULL;
	*text = "";
	*n = 0;
	for (size_t seen = 0, left; !end; seen = left) {
		int rc = input_fill(input, seen + 1);
		if (rc < 0)
			return rc;
		left = kit_left(&input->bytes);
		*text = input->bytes.window.p;
		if (left == 0)
			return 0;
		end = left > seen ? memchr(*text + seen, '\n', left - seen) : *text + left;
	}
	input_record(input, true);
	*n = (size_t)(end - *text);
	kit_skip(&input->bytes, *n + (*n < kit_left(&input->bytes)));
	*n -= *n && (*text)[*n - 1] == '\r';
	return 1;
}

int64_t cairn_input_bytes(struct cairn_input *input, size_t n, const uint8_t **bytes)
{
	*bytes = NULL;
	int rc = input_fill(input, n);
	if (rc < 0)
		return rc;
	size_t left = kit_left(&input->bytes);
	n = left < n ? left : n;
	if (n)
		input_record(input, false);
	*bytes = input->bytes.window.p;
	kit_skip(&input->bytes, n);
	return (int64_t)n;
}

static int input_may_tell(struct cairn_input *input)
{
	return input->opening ? 1
	                      : cairn_input_fail(
								input, CAIRN_E_STATE,
								"facts about the whole trace may only be given while it is opened");
}

int cairn_input_isa(struct cairn_input *input, enum cairn_isa isa)
{
	int rc = input_may_tell(input);
	if (rc >= 0 && !cairn_isa_name(isa))
		rc = cairn_input_fail(input, CAIRN_E_INVAL, "there is no instruction set %d", (int)isa);
	if (rc >= 0)
		input->reader->isa = (uint8_t)isa;
	return rc;
}

int cairn_input_comment(struct cairn_input *input, const char *text, size_t n)
{
	int rc = input_may_tell(input);
	if (rc < 0 || input->again) /* it is known */
		return rc;
	rc = base_buf_put(&input->comments, &n, sizeof n);
	if (rc >= 0 && n)
		rc = base_buf_put(&input->comments, text, n);
	return rc < 0 ? registered_failed(input, rc, true) : 1;
}
