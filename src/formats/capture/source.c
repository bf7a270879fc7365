/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading the stream of a capture: one span from the header to the end, because a record's meaning
 * depends on all before it, and nobody keeps such a stream in order to jump in it.
 *
 * Every length is checked before the record is taken, so decoder.c may trust what it gets. A stream
 * without an END is that of a program that was killed: what came is delivered and nothing is
 * damaged. A stream that ends within a record is cut there.
 */
#include <string.h>

#include "formats/capture/capture.h"
#include "kit/options.h"

enum { ROOM = 1 << 18, FACTS_MAX = 1 << 20 };

/* ---- bytes ---- */

/* Have at least `want` bytes in the buffer, unless the stream ends before. */
static int source_fill(struct cairn_reader *reader, size_t want)
{
	struct capture_impl *im = reader->impl;
	if (im->pos) {
		memmove(im->buf, im->buf + im->pos, im->len - im->pos);
		im->len -= im->pos;
		im->pos = 0;
	}
	while (im->len < want && !im->eof) {
		int64_t n = io_read(reader->io, im->buf + im->len, ROOM - im->len);
		if (n < 0)
			return (int)n;
		im->eof = n == 0;
		im->len += (size_t)n;
	}
	return 0;
}

/* Measure the record at p, of which n bytes are there: 0 for an unknown type, or, when they do not
 * say yet, how many have to be there. One with too many accesses ends with its fields. */
static size_t source_length(const struct capture_impl *im, const uint8_t *p, size_t n,
                            struct capture_record *record)
{
#define LENGTH(number, name) [number] = CAPTURE_LEN_##name,
	static const uint8_t lengths[] = {CAPTURE_RECORDS(LENGTH)};
#undef LENGTH
	if (n < 8)
		return 8;
	unsigned type = capture_type(p), flags = type == CAPTURE_EXEC ? capture_EXEC_flags(p) : 0;
	size_t len = type < sizeof lengths ? lengths[type] : 0;
	*record = (struct capture_record){.p = p, .registers = p + len};
	if (type == CAPTURE_EXEC) {
		record->n_registers = capture_EXEC_registers(p);
		record->n_accesses = capture_accesses(p);
	} else if (type == CAPTURE_STATE) {
		record->n_registers = capture_STATE_registers(p);
	}
	if (record->n_accesses > CAPTURE_MOST_ACCESSES ||
	    n < len + capture_numbers_length(record->n_registers))
		return len + capture_numbers_length(record->n_registers);
	len += capture_numbers_length(record->n_registers);
	for (unsigned i = 0; i < record->n_registers; i++)
		len += 8 * capture_words(im, record->registers[i]);
	record->accesses = p + len;
	for (unsigned i = 0; i < record->n_accesses; i++) {
		if (n < len + CAPTURE_LEN_ACCESS)
			return len + CAPTURE_LEN_ACCESS;
		len += capture_access_length(p + len);
	}
	record->next = p + len;
	len += flags & CAPTURE_NEXT ? 8 : 0;
	record->args = p + len;
	return len + (flags & CAPTURE_SYSCALL ? 8 * (1 + CAPTURE_ARGS) : 0);
}

/* May vectors not have this length? */
static bool source_odd(const struct capture_impl *im, const uint8_t *p)
{
	unsigned bytes = capture_CPU_vector(p), unit = im->isa == CAIRN_ISA_A64 ? 16 : 8;
	bool riscv = im->isa == CAIRN_ISA_RV32 || im->isa == CAIRN_ISA_RV64;
	return bytes > CAPTURE_MOST_VECTOR || bytes % unit || (riscv && bytes & (bytes - 1)) ||
	       (bytes && im->isa == CAIRN_ISA_SPARC);
}

/* What is wrong with a record that is there as a whole; NULL: nothing. */
static const char *source_wrong(const struct capture_impl *im, const struct capture_record *record)
{
	const uint8_t *p = record->p;
	unsigned type = capture_type(p), bytes = type == CAPTURE_DEF ? capture_DEF_bytes(p) : 0;
	if (record->n_accesses > CAPTURE_MOST_ACCESSES)
		return "more accesses than one instruction has";
	for (unsigned i = 0; i < record->n_registers; i++)
		if (record->registers[i] >= CAPTURE_REGS)
			return "a register that no set has";
	if (type == CAPTURE_THREAD && capture_THREAD_thread(p) >= CAPTURE_THREADS)
		return "a thread number that cannot be";
	if (type == CAPTURE_DEF && (capture_DEF_id(p) != im->n_insns || (bytes != 2 && bytes != 4)))
		return "an instruction that is out of order, or of no size";
	if (type == CAPTURE_EXEC && capture_EXEC_id(p) >= im->n_insns)
		return "an instruction that was not described before";
	if (type == CAPTURE_CPU && (im->cpu_told || im->ran || source_odd(im, p)))
		return "vectors of a length that cannot be, or told too late";
	p = record->accesses;
	for (unsigned i = 0; i < record->n_accesses; i++, p += capture_access_length(p))
		if (capture_ACCESS_bytes(p) < 1 || capture_ACCESS_bytes(p) > 16 ||
		    !(capture_ACCESS_kind(p) & (CAPTURE_READ | CAPTURE_WRITE)))
			return "an access of no size or no kind";
	return NULL;
}

int capture_show(struct cairn_reader *reader, struct capture_record *record)
{
	struct capture_impl *im = reader->impl;
	size_t n = im->len - im->pos;
	size_t len = source_length(im, im->buf + im->pos, n, record);
	if (im->ended || im->broken)
		return im->broken;
	while ((len > n || n < 8) && len <= CAPTURE_MOST) {
		int rc = source_fill(reader, len);
		if (rc < 0)
			return rc;
		n = im->len;
		len = n ? source_length(im, im->buf, n, record) : 0;
		im->died |= n == 0;
		if (n == 0)
			return 0;
		if (im->eof)
			break;
	}
	const char *why = len == 0                        ? "no record begins with such a byte"
	                  : len > n || len > CAPTURE_MOST ? "the stream ends within a record"
	                                                  : source_wrong(im, record);
	if (!why)
		return (int)len;
	im->broken = base_fail(reader->cairn, len > n ? CAIRN_E_TRUNCATED : CAIRN_E_DAMAGED,
	                       "%s: byte 0x%llx, record %llu: %s", io_name(reader->io),
	                       (unsigned long long)im->at, (unsigned long long)im->records + 1, why);
	return im->broken;
}

void capture_arrange(struct capture_impl *im)
{
	for (unsigned i = 0; i < CAPTURE_REGS; i++)
		im->words[i + 1] = (uint16_t)(im->words[i] + capture_words(im, i));
}

/* ---- opening ---- */

static int capture_source_probe(const uint8_t *head, size_t n)
{
	return n >= sizeof CAPTURE_MAGIC - 1 && !memcmp(head, CAPTURE_MAGIC, sizeof CAPTURE_MAGIC - 1)
	           ? 100
	           : 0;
}

static int source_read_header(struct cairn_reader *reader)
{
	struct capture_impl *im = reader->impl;
	int rc = source_fill(reader, CAPTURE_LEN_HEADER);
	const uint8_t *h = im->buf;
	if (rc < 0)
		return rc;
	if (im->len < CAPTURE_LEN_HEADER || capture_source_probe(h, im->len) == 0)
		return base_fail(reader->cairn, CAIRN_E_FORMAT, "%s: no header of a capture",
		                 io_name(reader->io));
	if (capture_HEADER_version(h) != CAPTURE_VERSION)
		return base_fail(reader->cairn, CAIRN_E_UNSUPPORTED,
		                 "%s: a capture of version %u; this cairn reads %d", io_name(reader->io),
		                 capture_HEADER_version(h), CAPTURE_VERSION);
	size_t n = capture_HEADER_facts(h);
	im->isa = capture_HEADER_isa(h);
	im->flags = capture_HEADER_flags(h);
	memcpy(im->version, capture_at_HEADER_qemu(h), sizeof im->version);
	im->pos = CAPTURE_LEN_HEADER;
	capture_arrange(im);
	if (im->isa != CAIRN_ISA_RV32 && im->isa != CAIRN_ISA_RV64 && im->isa != CAIRN_ISA_A64 &&
	    im->isa != CAIRN_ISA_SPARC)
		return base_fail(reader->cairn, CAIRN_E_UNSUPPORTED,
		                 "%s: a capture of the instruction set %u", io_name(reader->io), im->isa);
	if (n > FACTS_MAX || n % 8)
		return base_fail(reader->cairn, CAIRN_E_DAMAGED, "%s: %zu bytes of facts in the header",
		                 io_name(reader->io), n);
	im->facts = base_alloc(reader->cairn, n + 1);
	for (size_t at = 0; im->facts && at < n && rc >= 0;) {
		rc = source_fill(reader, 1);
		size_t take = im->len - im->pos < n - at ? im->len - im->pos : n - at;
		if (rc >= 0 && !take)
			rc = base_fail(reader->cairn, CAIRN_E_TRUNCATED,
			               "%s: the stream ends within its header", io_name(reader->io));
		memcpy(im->facts + at, im->buf + im->pos, take);
		im->pos += take;
		at += take;
	}
	im->at = CAPTURE_LEN_HEADER + n;
	return im->facts ? rc : CAIRN_E_NOMEM;
}

const struct kit_options capture_options = {"capture", "reading a capture", NULL, 0};

static int open_capture(struct cairn_reader *reader, const char *options)
{
	struct capture_impl *im = base_alloc(reader->cairn, sizeof *im);
	if (!im)
		return CAIRN_E_NOMEM;
	reader->impl = im;
	int rc = kit_options_parse(reader->cairn, &capture_options, options, im, NULL);
	if (rc < 0)
		return rc;
	im->buf = base_realloc(reader->cairn, NULL, ROOM);
	if (!im->buf)
		return CAIRN_E_NOMEM;
	im->n = 1;
	reader->can = CAIRN_PC | CAIRN_ENC | CAIRN_CLASS | CAIRN_TARGET | CAIRN_CONTEXT | CAIRN_MEMS |
	              CAIRN_MEM_VALUES | CAIRN_EVENTS | CAIRN_BYTES | CAIRN_PLACES;
	rc = source_read_header(reader);
	reader->isa = im->isa;
	if (im->flags & CAPTURE_REGISTERS)
		reader->can |= CAIRN_REGS | CAIRN_REG_VALUES;
	return rc;
}

static void close_capture(struct cairn_reader *reader)
{
	struct capture_impl *im = reader->impl;
	if (!im)
		return;
	for (unsigned i = 0; i < CAPTURE_THREADS; i++)
		base_free(reader->cairn, im->threads[i]);
	base_free(reader->cairn, im->insns);
	base_free(reader->cairn, im->facts);
	base_free(reader->cairn, im->buf);
	base_free(reader->cairn, im);
	reader->impl = NULL;
}

/* ---- the span ---- */

static int source_cut(struct cairn_reader *reader, struct model_span *span, bool alone)
{
	struct capture_impl *im = reader->impl;
	bool first = !im->begun;
	(void)span;
	(void)alone;
	im->begun = true;
	return first;
}

static int source_seal(struct cairn_reader *reader, const void *before, struct model_span *span)
{
	(void)before;
	span->n0 = ((struct capture_impl *)reader->impl)->n;
	return 0;
}

static void source_drop(struct cairn_reader *reader, struct model_span *span)
{
	(void)reader;
	(void)span;
}

static int source_info(struct cairn_reader *reader, struct model_facts *facts)
{
	const struct capture_impl *im = reader->impl;
	model_fact_format(facts, reader, CAPTURE_VERSION);
	model_fact_packing(facts, reader, im->isa);
	model_fact_list(facts, "generators", "QEMU %u.%u.%u", im->version[0], im->version[1],
	                im->version[2]);
	for (const char *p = im->facts; *p;) {
		const char *end = strchrnul(p, '\n');
		if (end > p)
			model_fact_list(facts, "comments", "%.*s", (int)(end - p), p);
		p = end + (*end != 0);
	}
	if (im->vector)
		model_fact_number(facts, "vlen", 8 * (uint64_t)im->vector);
	model_fact_unknown(facts, "instructions");
	return model_fact_size(facts, io_stored_size(reader->io));
}

static bool capture_source_comment(const struct cairn_reader *reader, size_t index,
                                   const char **text, size_t *n)
{
	const struct capture_impl *im = reader->impl;
	const char *p = im->facts;
	for (; p && *p; p += *n + (p[*n] != 0)) {
		*text = p;
		*n = strcspn(p, "\n");
		if (*n && index-- == 0)
			return true;
	}
	return false;
}

static const char *capture_source_record_name(const struct cairn_reader *reader, unsigned type)
{
#define NAME(number, name) [number] = #name,
	static const char *const names[] = {CAPTURE_RECORDS(NAME)};
#undef NAME
	(void)reader;
	return type < sizeof names / sizeof *names ? names[type] : NULL;
}

static const char *source_event_name(const struct cairn_reader *reader,
                                     const struct cairn_event *event, char *buf)
{
	(void)reader;
	(void)buf;
	return event->kind == CAIRN_EV_SYSCALL ? "SYSCALL" : NULL;
}

const struct model_format capture_format = {
	.options = &capture_options,
	.name = "capture",
	.probe = capture_source_probe,
	.open = open_capture,
	.close = close_capture,
	.info = source_info,
	.comment = capture_source_comment,
	.record_name = capture_source_record_name,
	.event_name = source_event_name,
	.cut = source_cut,
	.seal = source_seal,
	.decode = capture_decode,
	.drop = source_drop,
};
