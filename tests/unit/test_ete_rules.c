/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every rule of ETE is broken once, alone, by a stream that is otherwise right; what our
 * trace unit makes, in every mode, breaks none; findings do not depend on threads nor on
 * where streams are cut; the pages of the rules are true.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../ete/generate.h"
#include "../ete/walk.h"
#include "base/bytes.h"
#include "fixtures/rules_page.h"
#include "formats/ete/check/rules.h"

static struct cairn *ctx;
static struct cairn_image *program, *desert;

/* ---- streams ---- */

struct unit {
	uint32_t configr, devarch, idr0, idr2, idr8;
};
enum {
	CCI = 1 << 4,
	CID = 1 << 6,
	VMID = 1 << 7,
	TS = 1 << 11,
	RS = 1 << 12,
	QE_COUNT = 1 << 13,
	QE = 3 << 13,
	CONFIGR = 1 | CCI | CID | VMID | TS | QE
};
enum {
	RETSTACK = 1 << 9,
	NUMEVENT = 3 << 10,
	QSUPP = 3 << 15,
	TSMARK = 1 << 23,
	TS64 = 8 << 24,
	TS48 = 6 << 24,
	COMMTRANS = 1 << 30,
	IDR0 = 1 << 5 | 1 << 7 | RETSTACK | NUMEVENT | QSUPP | TSMARK | TS64
};
enum {
	V10 = 0x47705a13,
	V13 = 0x47735a13,
	V15 = 0x47755a13,
	IDR2 = 8 | 4 << 5 | 4 << 10 | 8 << 25
};
#define UNIT \
	{ \
		CONFIGR, V13, IDR0, IDR2, 16 \
	}
#define CONFIG(c) \
	{ \
		c, V13, IDR0, IDR2, 16 \
	}
#define ID0(id) \
	{ \
		CONFIGR, V13, id, IDR2, 16 \
	}

/* An Async; a Trace Info; both. A Trace On; 0x1000 and EL1, non-secure, A64; all of it. */
#define A \
	"0000000000000000000000" \
	"80 "
#define I "010d010000 "
#define ON "04 "
#define W "820008000031 "
#define B A I ON W
#define EE "f7 " /* an E, and an N atom */
#define NN "f6 "

/* At 0x1000. */
static const uint32_t words[] = {0xd503201f /* nop */,
                                 0x54ffffe0 /* b.eq 1000 */,
                                 0x17fffffe /* b 1000 */,
                                 0xd65f03c0 /* ret */,
                                 0xd4000001 /* svc */,
                                 0xd503201f,
                                 0xd69f03e0 /* eret */,
                                 0xd5233060 /* tstart */,
                                 0xd5033fdf /* isb */,
                                 0xd503201f,
                                 0xd503201f,
                                 0x14000000 /* b . */,
                                 0x025ef004 /* A32: subseq pc, lr, #4 */,
                                 0xeafffffe /* b . */,
                                 0x94000004 /* bl 1048 */,
                                 0xd5033fdf /* isb */,
                                 0x14000000,
                                 0x14000000,
                                 0xd65f03c0 /* ret */,
                                 0x54000040 /* b.eq 1054 */,
                                 0xd5033fdf /* isb */,
                                 0x14000000,
                                 0xf9400021 /* ldr */,
                                 0xd5233060 /* tstart */,
                                 0xd503307f /* tcommit */,
                                 0x14000000,
                                 0xd4000002 /* hvc */,
                                 0x14000000,
                                 0xd503201f, /* 1070 */
                                 0x14000002 /* b 107c */,
                                 0xd503201f,
                                 0xd503201f, /* 107c */
                                 0x17fffffc /* b 1070 */,
                                 0x1e622820 /* fadd */,
                                 0x14000000};
enum { NOTHING, PROGRAM, DESERT };

struct broken {
	const char *rule; /* NULL: none */
	struct unit unit;
	const char *hex;
	int image;
};

static const struct broken streams[] = {
	{NULL, UNIT, B EE "2d01"},
	{NULL, UNIT, B NN EE "2d02", PROGRAM},
	{NULL, UNIT,
     B EE "2d01" A I W EE "2d01"
          "88 0205 71 0901 0000000000000000"},
	{NULL, UNIT, B "0605 9a00080000 2d01 9a00080000" EE "2d01"},
	{NULL, UNIT, B "9a04080000 0605 9a05080000 2d01", PROGRAM},
	{NULL, UNIT, B "9a07080000" EE "0a" EE "0b 2d03", PROGRAM},
	{NULL, UNIT, B "af 8131 9a00080000" EE "2d02"},
	{NULL, UNIT, B EE "2d01 0000" A I W EE "2d01"}, /* zeros may stand before an Async */
	/* what is canceled is followed: an ISB, an exception return; others may be behind it only
	 * when it is not canceled. An unconditional branch that is not taken may be there */
	{NULL, UNIT, B "9a08080000" EE "2e01 9a00080000" NN "2d01", PROGRAM},
	{NULL, UNIT, B "9a08080000" EE NN "2e01" EE "2d02", PROGRAM},
	{NULL, UNIT, B "9a08080000" NN NN "2e02 9a00080000" NN "2d01", PROGRAM},
	{NULL, UNIT, B "9a08080000" EE EE "2e02 9a00080000" NN "2d01"},
	{NULL, UNIT, B "9a06080000" EE "2e01 9a00080000" NN "2d01", PROGRAM},
	{NULL, UNIT, B "9a01080000" EE EE EE "2e02 2d01", PROGRAM},
	{"ete.flow.behind-isb", UNIT, B "9a08080000" EE NN "2e02 9a00080000" NN "2d01", PROGRAM},
	{"ete.flow.behind-isb", UNIT, B "9a08080000" EE NN "2e01 2e01 9a00080000" NN "2d01", PROGRAM},
	{"ete.flow.behind-isb", UNIT, B "9a08080000" EE "0605 9a00080000 2e02 9a00080000" NN "2d01",
     PROGRAM},
	{"ete.flow.behind-isb", UNIT, B "b608080000" NN "2e02 9a00080000" NN "2d01", PROGRAM},
	{"ete.flow.behind-isb", UNIT,
     B "9a02080000 9a03080000" EE "9a08080000" EE EE "2e03 9a00080000" NN "2d01", PROGRAM},
	{"ete.flow.behind-return", UNIT, B "9a06080000" EE EE "2e02 9a00080000" NN "2d01", PROGRAM},
	/* but not where the way that led there is canceled, too, or turned out to be another */
	{NULL, UNIT, B EE "9a06080000" EE EE "2e03 9a00080000" NN "2d01", PROGRAM},
	{NULL, UNIT, B EE "9a06080000" EE EE "2e02 2e01 9a00080000" NN "2d01", PROGRAM},
	{NULL, UNIT, B NN "9a06080000" EE EE "2f02 2d01", PROGRAM},
	{"ete.flow.behind-return", UNIT, B "9a06080000" EE EE "2e02", PROGRAM},
	/* where the branch went that was mispredicted; where the return stack leads */
	{"ete.flow.behind-isb", UNIT, B "9a13080000" EE "30" EE EE "2e02 2d01", PROGRAM},
	{NULL, UNIT, B "9a13080000" NN "30" EE EE "2e02 2d01", PROGRAM},
	{"ete.flow.behind-isb", CONFIG(CONFIGR | RS), B "9a0e080000" EE EE EE EE "2e02 2d02", PROGRAM},
	{NULL, UNIT, B "9a0e080000" EE EE EE EE "2e03 2d01", PROGRAM},
	/* A32: an exception return that was not taken */
	{NULL, UNIT, B "820c08000021" EE "30 2d01", PROGRAM},
	{"ete.flow.behind-return", UNIT, B "820c08000021" EE EE "34 2d01", PROGRAM},
	{NULL, UNIT, B "820c08000021" NN EE "34 9a00080000 2d01", PROGRAM},
	{NULL, UNIT, B NN NN "2e01 2d01", PROGRAM},
	{NULL, UNIT, B EE NN NN "2f02 2d01", PROGRAM},
	{"ete.flow.atom", UNIT, B "9a08080000" EE NN "2d02", PROGRAM},
	{"ete.flow.target", UNIT, B "9a06080000" EE EE "2d02", PROGRAM},
	{"ete.input.complete", UNIT, "0102030405"},
	{"ete.config.feature", {CONFIGR | RS, V13, IDR0 & ~RETSTACK, IDR2, 16}, B},
	{"ete.config.feature", CONFIG((CONFIGR & ~QE) | 2 << 13), B},
	{"ete.config.version", {CONFIGR, V15, IDR0, IDR2, 16}, B},
	{"ete.config.version", {CONFIGR, V10, IDR0, IDR2, 16}, B},
	{"ete.config.transactions", {CONFIGR, V13, IDR0 | COMMTRANS, IDR2, 0}, B},
	{"ete.packet.reserved", UNIT, B "08"},
	{"ete.packet.reserved", {CONFIGR & ~QE, V13, IDR0 & ~QSUPP, IDR2, 16}, B "af"},
	{"ete.packet.version", {CONFIGR, V10, IDR0 & ~TSMARK, IDR2, 16}, B "0901 0000000000000000"},
	{"ete.packet.version", {CONFIGR, V10, IDR0 & ~TSMARK, IDR2, 16}, B "88"},
	{"ete.packet.form", UNIT, B "2dffffffffff"},
	{"ete.packet.form", UNIT, B "9a" A I W EE "2d01"},
	{"ete.packet.end", UNIT, B "9a05"},
	{"ete.packet.usual", UNIT, B EE "2d8100"},
	{"ete.packet.usual", UNIT, B "8135"},
	{"ete.sync.start", UNIT, "ff" B},
	{"ete.sync.info", UNIT, A ON I ON W},
	{"ete.sync.periodic", UNIT, B I W},
	{"ete.sync.periodic", UNIT, B A EE "2d01" A I W},
	{"ete.sync.periodic", UNIT, B A EE EE "2d02"},
	{NULL, UNIT, B A EE "2d01"}, /* one may come before it */
	{"ete.sync.idle", UNIT, A A I ON W},
	{"ete.sync.context", UNIT, A I EE "2d01"},
	{"ete.sync.told", UNIT, B EE "2d01" A I EE EE "2d02" A I W},
	{"ete.sync.told", UNIT, B EE "2d01" A I EE EE "2d02"},
	{"ete.sync.told", UNIT, B EE "2d01" A I "8131" EE EE "2d02"},
	{NULL, UNIT, B EE "2d01" A I EE "2d01"},
	{"ete.sync.target", UNIT, B NN "2d01" A I W, PROGRAM},
	{"ete.info.depth", UNIT, B EE A I W},
	{"ete.info.depth", UNIT, B EE EE "2e01" A "010d010200" W "2d02"},
	{"ete.info.maxspec", UNIT, A "010d012000" ON W "2d10"},
	{"ete.info.cycles", UNIT, A "010c0000" ON W},
	{"ete.info.threshold", UNIT, B A "010d010005" W},
	{"ete.info.transaction", UNIT, A "010d410000" ON W A I W},
	{"ete.trace-on.gap", UNIT, B "0005" A I W EE "2d01"},
	{"ete.trace-on.address", UNIT, A I ON "8131" EE "2d01"},
	{"ete.trace-on.context", UNIT, A I ON "9a00080000" EE "2d01"},
	{"ete.context.vmid", CONFIG(CONFIGR & ~VMID), B "817100000000"},
	{"ete.context.vmid", {CONFIGR & ~VMID, V13, IDR0, IDR2 & ~(31 << 10), 16}, B "8171"},
	{"ete.context.ctxid", CONFIG(CONFIGR & ~CID), B "81b100000000"},
	{"ete.context.level", UNIT, B "8133"},
	{"ete.context.level", UNIT, B "8119"},
	{"ete.address.state", UNIT, B "9b00100000" EE "2d01"},
	{"ete.address.state", UNIT, B "85000800000100000021" EE "2d01"},
	{"ete.exception.type", UNIT, B "060b 9a00080000 2d01"},
	{"ete.exception.form", UNIT, B "0604 9a00080000 2d01"},
	{"ete.exception.address", UNIT, B "0605" EE},
	{"ete.exception.address", UNIT, B "0605" ON},
	{"ete.exception.address", UNIT, B "0605" A I W},
	{"ete.exception.target", UNIT, B "0605 9a00080000" EE "2d02"},
	{"ete.q.enabled", CONFIG(CONFIGR & ~QE), B "a002 2d01"},
	{"ete.q.enabled", CONFIG((CONFIGR & ~QE) | QE_COUNT), B "af 9a00080000 2d01"},
	{"ete.q.address", UNIT, B "af" EE "2d02"},
	{"ete.spec.commit", UNIT, B "2d01"},
	{"ete.spec.commit", UNIT, B EE "2d02"},
	{"ete.spec.cancel", UNIT, B "2e01"},
	{"ete.spec.none", UNIT, B "2d00"},
	{"ete.spec.none", UNIT, B "2e00"},
	{"ete.spec.mispredict", UNIT, B "30"},
	{"ete.spec.mispredict", UNIT, B EE "2d01 30"},
	{NULL, UNIT, B EE "0605 9a00080000 9a00080000 2e01 2d01"},
	{NULL, UNIT, B "0605 9a00080000 9a00080000" EE "2e01 2d01"},
	{"ete.spec.behind", UNIT, B "0605 9a00080000 9a00080000" EE "2e02"},
	{"ete.spec.behind", UNIT, B EE "0605 9a00080000 9a00080000" NN EE "2e02 2e01 2d01"},
	{"ete.spec.behind", UNIT, B EE "0605 9a00080000 0605 9a00080000 9a00080000 2e02 2d01"},
	{"ete.spec.resolved", UNIT, B EE},
	{"ete.spec.discard", UNIT, B "0003"},
	{"ete.cycles.enabled", CONFIG(CONFIGR & ~CCI), A "010c0000" ON W EE "10"},
	{"ete.cycles.commit", UNIT, B "0e0005"},
	{"ete.cycles.size", {CONFIGR, V13, IDR0, IDR2 & ~(15 << 25), 16}, B EE "0e01ffff01"},
	{"ete.time.enabled", CONFIG(CONFIGR & ~TS), B "0205"},
	{"ete.time.size", ID0((IDR0 & ~TS64) | TS48), B "02808080808080808001"},
	{"ete.time.marker", ID0(IDR0 & ~TSMARK), B "88"},
	{"ete.time.marked", UNIT, B "0205 0206"},
	{"ete.time.unused", UNIT, B "88 88 0205"},
	{"ete.event.number", ID0(IDR0 & ~NUMEVENT), B "72"},
	{"ete.instrumentation.level", UNIT, B "0907 0000000000000000"},
	{"ete.transaction.single", UNIT, B "0a 0a 0b 2d02"},
	{"ete.transaction.open", UNIT, B "0b"},
	{"ete.transaction.open", UNIT, B "063170"},
	{"ete.transaction.result", UNIT, B "0a 2d01 0005"},
	{"ete.transaction.end", UNIT, B "0a 2d01"},
	{NULL, UNIT, B "0a 2d01 0b"},
	{"ete.transaction.missing", UNIT, B "9a07080000" EE EE "2d02", PROGRAM},
	{"ete.transaction.start", UNIT, B NN "0a 2d02 0b", PROGRAM},
	/* a TCOMMIT may stand before the P0 element behind the Commit, or where nobody knows */
	{"ete.transaction.commit", UNIT, B "9a07080000" EE "0a" EE "0b" EE "2d04", PROGRAM},
	{"ete.transaction.commit", UNIT, B "9a07080000" EE "0a 0b" EE "2d03", PROGRAM},
	{NULL, UNIT, B "9a07080000" EE "0a" EE "0b" EE "2d04"},
	{NULL, UNIT, B "9a17080000" EE "0a 0b" EE "2d03", PROGRAM},
	{NULL, UNIT, B "9a17080000" EE "0a" EE "0b" EE "2d04", PROGRAM},
	{NULL, UNIT, B "9a07080000" EE "0a" EE ON W "0b" EE "2d04", PROGRAM},
	{NULL, UNIT, B "9a07080000" EE "0a" EE "0b" ON W EE "2d04", PROGRAM},
	{"ete.flow.program", UNIT, B "9a00480000" EE "2d01", PROGRAM},
	{"ete.flow.target", UNIT, B "9a03080000" EE EE "2d02", PROGRAM},
	{"ete.flow.stack", CONFIG(CONFIGR | RS), B "9a03080000" EE EE "2d02", PROGRAM},
	{"ete.flow.jump", UNIT, B NN "9a00080000" NN "2d02", PROGRAM},
	{"ete.flow.far", UNIT, B EE "2d01", DESERT},
	{"ete.flow.atom", UNIT, B "9a02080000" NN "2d01", PROGRAM},
	{"ete.flow.return", UNIT, B NN "061d 9a00080000 2d02", PROGRAM},
	{"ete.flow.return", UNIT, B "061d 9a00087f00 2d01", DESERT},
	{"ete.flow.call", UNIT, B "0605 9a01080000 2d01", PROGRAM},
	{"ete.flow.call", UNIT, B "0605 9a00080000 2d01", PROGRAM},
	{"ete.flow.svc", UNIT, B "9a04080000" EE "2d01", PROGRAM},
	{"ete.flow.svc", UNIT, B "9a1a080000" EE "2d01", PROGRAM},
	{"ete.flow.svc", UNIT, B "9a04080000 061d 9a05080000 2d01", PROGRAM},
	{NULL, UNIT, B "9a04080000 0605 9a05080000 2d01", PROGRAM},
	{"ete.flow.access", UNIT, B "9a21080000 0619 9a21080000 2d01", PROGRAM},
	{"ete.flow.access", UNIT, B "0619 9a00080000 2d01", PROGRAM},
	{"ete.flow.access", UNIT, B "9a02080000 060f 9a02080000 2d01", PROGRAM},
	{NULL, UNIT, B "9a16080000 0619 9a16080000 2d01", PROGRAM},
	{NULL, UNIT, B "9a0a080000 0619 9a16080000 2d01"},
	{"ete.flow.source", UNIT, B "b600080000 2d01", PROGRAM},
	{"ete.flow.source", UNIT, B "b603080000 2d01", PROGRAM},
	{"ete.flow.source-isa", UNIT, B "b702100000 2d01", PROGRAM},
	{"ete.flow.q", UNIT, B "9a05080000 aa0008000003 2d01", PROGRAM},
	/* straight on, with an ISB within; the same with a new context, that MSR or ISB brings */
	{NULL, UNIT, B "9a08080000 aa0b08000003 2d01", PROGRAM},
	{NULL, UNIT, B "9a08080000 aa0908000001 8130 2d01", PROGRAM},
	{NULL, UNIT, B "9a08080000 aa0b08000003 8131 2d01", PROGRAM},
	{"ete.flow.q-isb", UNIT, B "9a08080000 aa0b08000003 8130 2d01", PROGRAM},
	{"ete.flow.q-isb", UNIT, B "9a08080000 aa0a08000002 8130 2d01", PROGRAM},
	{"ete.flow.q-straight", UNIT, B "9a08080000 aa0008000003 2d01", PROGRAM},
	{"ete.flow.q-straight", UNIT, B "9a08080000 aa0a08000001 2d01", PROGRAM},
	{"ete.flow.q-straight", UNIT, B "9a00080000 aa0008000001 2d01", PROGRAM},
	{"ete.flow.q-target", UNIT, B "9a02080000 aa0208000001 2d01", PROGRAM},
	{"ete.flow.q-target", UNIT, B "aa0a08000002 2d01", PROGRAM},
	/* branches that are always taken are followed */
	{NULL, UNIT, B "9a1c080000 aa1c08000004 2d01", PROGRAM},
	{"ete.flow.q-target", UNIT, B "9a1c080000 aa1e08000004 2d01", PROGRAM},
	{NULL, UNIT, B "9a1c080000 aa2008000003 2d01", PROGRAM},
	{"ete.flow.q-straight", UNIT, B "9a1c080000 aa1e08000003 2d01", PROGRAM},
	/* conditional branches may go anywhere they go */
	{NULL, UNIT, B "aa0008000002 2d01", PROGRAM},
	{NULL, UNIT, B "aa0208000002 2d01", PROGRAM},
};
enum { STREAMS = sizeof streams / sizeof *streams };

static size_t bytes_of(const char *hex, uint8_t *out)
{
	size_t n = 0;
	for (unsigned v; *hex; hex += strspn(hex, " "))
		if (sscanf(hex, "%2x", &v) == 1) {
			out[n++] = (uint8_t)v;
			hex += 2;
		}
	return n;
}

/* The words from 0x1000 on, the last one repeated. */
static struct cairn_image *image_of_words(const uint32_t *w, size_t n, size_t more)
{
	char path[] = "/tmp/cairn-rules-XXXXXX", spec[64];
	uint8_t word[4];
	struct cairn_image *image = cairn_image_new(ctx);
	FILE *f = fdopen(mkstemp(path), "wb");
	for (size_t i = 0; f && i < n + more; i++) {
		base_put_le32(word, w[i < n ? i : n - 1]);
		fwrite(word, 4, 1, f);
	}
	snprintf(spec, sizeof spec, "%s@0x1000", path);
	if (!f || fclose(f) != 0 || !image || cairn_image_add(image, spec) < 0)
		abort();
	unlink(path);
	return image;
}

/* ---- judging ---- */

struct seen {
	char text[1 << 16];
	unsigned n;
	bool no_notes;
};

static int take(void *user, const struct cairn_finding *finding)
{
	struct seen *seen = user;
	size_t at = strlen(seen->text);
	if (seen->no_notes && finding->rule->severity == CAIRN_NOTE)
		return 0;
	seen->n++;
	snprintf(seen->text + at, sizeof seen->text - at, "%s at 0x%llx: %s\n", finding->rule->id,
	         (unsigned long long)finding->offset, finding->message);
	return 0;
}

static void judge(const struct unit *unit, const uint8_t *bytes, size_t n,
                  const struct cairn_image *image, const char *more, unsigned threads,
                  struct seen *seen)
{
	char from[256];
	struct cairn_open_opts open_opts = {.size = sizeof open_opts,
	                                    .from = from,
	                                    .lenient = 1,
	                                    .image = image};
	struct cairn_check_opts opts = {.size = sizeof opts,
	                                .threads = threads,
	                                .finding = take,
	                                .user = seen};
	struct cairn_check_result result = {.size = sizeof result};
	struct cairn_reader *reader;
	seen->n = 0;
	*seen->text = 0;
	snprintf(from, sizeof from,
	         "ete:framing=raw,trcconfigr=0x%x,trcdevarch=0x%x,trcidr0=0x%x,"
	         "trcidr2=0x%x,trcidr8=0x%x%s",
	         unit->configr, unit->devarch, unit->idr0, unit->idr2, unit->idr8, more);
	assert_int_equal(cairn_open_memory(ctx, bytes, n, &open_opts, &reader), 0);
	assert_int_equal(cairn_check(reader, &opts, &result), 0);
	cairn_close(reader);
}

static const struct cairn_image *image_of(const struct broken *broken)
{
	return broken->image == PROGRAM ? program : broken->image == DESERT ? desert : NULL;
}

static void must_be(const struct seen *seen, const char *rule)
{
	size_t n = rule ? strlen(rule) : 0;
	if (seen->n != (rule != NULL) ||
	    (rule && (strncmp(seen->text, rule, n) != 0 || seen->text[n] != ' ')))
		fail_msg("for %s:\n%s", rule ? rule : "none", seen->text);
}

static void every_rule_is_broken_alone(void **state)
{
	static struct seen seen;
	bool broken[ETE_RULE_COUNT] = {false};
	uint8_t bytes[512];
	(void)state;
	for (unsigned i = 0; i < STREAMS; i++) {
		const struct broken *b = &streams[i];
		judge(&b->unit, bytes, bytes_of(b->hex, bytes), image_of(b), "", 1, &seen);
		if (seen.n != (b->rule != NULL))
			print_message("stream %u\n", i);
		must_be(&seen, b->rule);
		for (unsigned k = 0; b->rule && k < ETE_RULE_COUNT; k++)
			broken[k] |= !strcmp(ete_rules.rules[k].id, b->rule);
	}
	broken[ETE_RULE_SPEC_LATE] = true; /* below */
	for (unsigned k = 0; k < ETE_RULE_COUNT; k++)
		if (!broken[k])
			fail_msg("no stream breaks %s", ete_rules.rules[k].id);
}

static void a_late_fate_is_found(void **state)
{
	static const struct unit unit = UNIT;
	static struct seen seen;
	size_t room = CAIRN_ETE_WINDOW + 1024, n;
	uint8_t *bytes = malloc(room);
	(void)state;
	n = bytes_of(B EE, bytes);
	memset(bytes + n, 0x70, room - n);
	bytes[room - 2] = 0x2d;
	bytes[room - 1] = 1;
	judge(&unit, bytes, room, NULL, "", 1, &seen);
	must_be(&seen, "ete.spec.late");
	free(bytes);
}

/* What was not given is not judged by. */
static void registers_that_are_not_known_are_not_held_against(void **state)
{
	static struct seen seen;
	struct cairn_open_opts open_opts = {.size = sizeof open_opts,
	                                    .from = "ete:framing=raw,trcidr8=16",
	                                    .lenient = 1};
	struct cairn_check_opts opts = {.size = sizeof opts, .finding = take, .user = &seen};
	struct cairn_check_result result = {.size = sizeof result};
	struct cairn_reader *reader;
	uint8_t bytes[512];
	size_t n = bytes_of(B EE "10 88 0205 0206 72 8131", bytes);
	(void)state;
	seen.n = 0;
	assert_int_equal(cairn_open_memory(ctx, bytes, n, &open_opts, &reader), 0);
	assert_int_equal(cairn_check(reader, &opts, &result), 0);
	cairn_close(reader);
	/* but the default is version 1.0, which has no marker */
	must_be(&seen, "ete.packet.version");
}

/* ---- what our trace unit makes ---- */

static void config_of(const struct walk *walk, struct unit *unit)
{
	struct cairn_ete_config cfg;
	cairn_ete_tracer_config(walk->tracer, &cfg);
	*unit = (struct unit){cfg.configr, cfg.devarch, cfg.idr0, cfg.idr2, cfg.idr8};
}

/* But for notes: whether anything is open at a Discard is not asked. */
static void our_own_streams_are_clean(void **state)
{
	static struct seen seen = {.no_notes = true}, other = {.no_notes = true};
	size_t spans = 0;
	(void)state;
	for (uint64_t seed = 0; seed < 300; seed++) {
		struct walk walk;
		struct unit unit;
		walk_init(&walk, ctx, seed);
		walk.lawful = true;
		walk.opts.start_not_p0 &= walk.opts.maxspec > 0; /* RVVFQZ */
		walk.wild = seed & 1;
		walk.opts.drop_ends = seed & 2;
		assert_int_equal(walk_run(&walk, 1500), 0);
		config_of(&walk, &unit);
		judge(&unit, walk.out, walk.n_out, walk.image, "", 1, &seen);
		if (seen.n)
			fail_msg("seed %llu:\n%s", (unsigned long long)seed, seen.text);
		judge(&unit, walk.out, walk.n_out, NULL, ",piece=200", 3, &other);
		if (other.n)
			fail_msg("seed %llu, in pieces:\n%s", (unsigned long long)seed, other.text);
		spans += walk.opts.sync_bytes > 0;
		walk_free(&walk);
	}
	assert_true(spans > 50);
}

/* Of walks that no processor would take only what they lie about is found. */
static void lies_are_found_and_nothing_else(void **state)
{
	static const char *const lies[] = {
		"ete.context.level",       "ete.flow.atom",         "ete.flow.call",
		"ete.flow.jump",           "ete.transaction.start", "ete.sync.target",
		"ete.flow.source",         "ete.flow.svc",          "ete.flow.access",
		"ete.transaction.missing", "ete.transaction.commit"};
	enum { LIES = sizeof lies / sizeof *lies };
	static struct seen seen = {.no_notes = true};
	unsigned found[LIES] = {0};
	(void)state;
	for (uint64_t seed = 0; seed < 60; seed++) {
		struct walk walk;
		struct unit unit;
		walk_init(&walk, ctx, 500 + seed);
		walk.opts.start_not_p0 = 0;
		assert_int_equal(walk_run(&walk, 1500), 0);
		config_of(&walk, &unit);
		judge(&unit, walk.out, walk.n_out, walk.image, "", 1, &seen);
		for (const char *line = seen.text, *end; (end = strchr(line, '\n')); line = end + 1) {
			unsigned k = 0;
			while (k < LIES && strncmp(line, lies[k], strlen(lies[k])) != 0)
				k++;
			if (k == LIES)
				fail_msg("seed %llu: %.*s", (unsigned long long)seed, (int)(end - line), line);
			found[k]++;
		}
		walk_free(&walk);
	}
	for (unsigned k = 0; k < LIES; k++)
		assert_true(found[k] > 0);
}

/* ---- cutting ---- */

/* All streams of the usual trace unit one behind the other, and bytes turned over in it. */
static void must_be_same(const struct seen *one, const struct seen *other)
{
	const char *a = one->text, *b = other->text, *line = a;
	for (; *a && *a == *b; a++, b++)
		if (*a == '\n')
			line = a + 1;
	if (*a != *b)
		fail_msg("%.300s\n-- and --\n%.300s", line, other->text + (line - one->text));
}

static void findings_do_not_depend_on_threads(void **state)
{
	static const struct unit unit = UNIT;
	static struct seen one, other;
	static uint8_t bytes[1 << 16];
	static char pieces[] = ",piece=100";
	size_t n = 0;
	(void)state;
	for (unsigned i = 0; i < STREAMS; i++)
		if (!memcmp(&streams[i].unit, &unit, sizeof unit) && n < sizeof bytes - 512)
			n += bytes_of(streams[i].hex, bytes + n);
	for (unsigned round = 0; round < 60; round++) {
		judge(&unit, bytes, n, program, pieces, 1, &one);
		assert_true(one.n > 20);
		judge(&unit, bytes, n, program, pieces, 4, &other);
		must_be_same(&one, &other);
		judge(&unit, bytes, n, NULL, pieces, 1, &one);
		judge(&unit, bytes, n, NULL, "", 2, &other);
		must_be_same(&one, &other);
		bytes[(round * 7919u) % n] ^= (uint8_t)(1u << round % 8);
	}
}

/* ---- two who follow the protocol ---- */

/* What was lost, as findings tell it: a line for each place, with its open P0 elements. */
static void losses_found(const struct seen *seen, char *out, size_t size)
{
	static const char told[] = " up to the next synchronisation not decoded";
	size_t n = 0;
	*out = 0;
	for (const char *line = seen->text, *end; (end = strchr(line, '\n')); line = end + 1) {
		unsigned long long open = 0;
		const char *what = memmem(line, (size_t)(end - line), told, sizeof told - 1);
		if (!what)
			continue;
		sscanf(what + sizeof told - 1, ", %llu P0", &open);
		n += (size_t)snprintf(out + n, size - n, "%llu\n", open);
	}
}

/* The same by the decoder of elements. */
static void losses_decoded(const struct cairn_ete_config *cfg, const struct ete_sample *st,
                           char *out, size_t size)
{
	struct cairn_ete_elements *elements;
	struct cairn_ete_element element;
	size_t n = 0;
	*out = 0;
	assert_int_equal(cairn_ete_elements_open(ctx, cfg, NULL, st->bytes, st->n, 0, &elements), 0);
	while (cairn_ete_elements_next(elements, &element) > 0)
		if (element.kind == CAIRN_ETE_NO_SYNC && element.number >= CAIRN_ETE_BAD_PACKET &&
		    element.number != CAIRN_ETE_BAD_DEPTH && element.number != CAIRN_ETE_NO_TRACE_INFO)
			n += (size_t)snprintf(out + n, size - n, "%u\n", element.count);
	cairn_ete_elements_close(elements);
}

static void rules_and_decoder_lose_step_together(void **state)
{
	static const struct unit units[] = {UNIT,
	                                    {CONFIGR, V13, IDR0 | 1 << 29, IDR2, 0},
	                                    {CONFIGR, V13, IDR0 | COMMTRANS, IDR2, 200},
	                                    {CONFIGR, V10, IDR0 & ~TSMARK, IDR2, 3}};
	static struct seen seen;
	static char found[1 << 14], decoded[1 << 14];
	size_t lost = 0;
	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		const struct unit *unit = &units[i % 4];
		struct cairn_ete_config cfg;
		struct ete_sample st;
		cairn_ete_config_init(&cfg);
		cfg.configr = unit->configr;
		cfg.devarch = unit->devarch;
		cfg.idr0 = unit->idr0;
		cfg.idr2 = unit->idr2;
		cfg.idr8 = unit->idr8;
		ete_generate(ctx, &cfg, i, 1500, 1, &st);
		judge(unit, st.bytes, st.n, NULL, "", 1, &seen);
		losses_found(&seen, found, sizeof found);
		losses_decoded(&cfg, &st, decoded, sizeof decoded);
		if (strcmp(found, decoded) != 0)
			fail_msg("stream %u: rules\n%.200s\ndecoder\n%.200s", i, found, decoded);
		lost += strlen(found);
		judge(unit, st.bytes, st.n, NULL, ",piece=300", 3, &seen);
		losses_found(&seen, decoded, sizeof decoded);
		assert_string_equal(found, decoded);
		ete_sample_free(&st);
	}
	assert_true(lost > 300);
}

/* ---- the pages ---- */

static void the_page_of_rules_is_true(void **state)
{
	(void)state;
	rules_page(
		"ETE",
		"# The rules of ETE streams\n\n"
		"What `cairn check` judges a stream, or a snapshot, by. This page is made from the rule\n"
		"table (`UPDATE=1 build/tests/unit/test_ete_rules` rewrites it). Clauses are ids of the Arm\n"
		"Architecture Reference Manual, D4.3, or the register field that says what a trace unit\n"
		"has; [ete.md](ete.md) says by what every id of D4.3 is held.\n\n"
		"An **error** is what a trace unit must not do; a **warning** what is probably not meant;\n"
		"a **note** what the manual only recommends, or what a capture does (buffers wrap, traces\n"
		"end). Registers count only where they are given: a raw dump without any is judged by its\n"
		"packets alone.\n\n"
		"Where the order of packets breaks (a header that does not exist, a packet cut off, more\n"
		"committed than is open), nothing is judged until the next Alignment Synchronization; the\n"
		"finding tells how many bytes and P0 elements that costs. The rules `ete.flow.*`,\n"
		"`ete.sync.target` and `ete.transaction.start`, `missing` and `commit` need the program:\n"
		"they show that the stream is wrong, or that another program ran. T32 branches may be\n"
		"conditional by an IT instruction before them; they are not judged by `ete.flow.atom`. Of\n"
		"exceptions whose return address must not be relied on (System Error, Debug halt,\n"
		"IMPLEMENTATION DEFINED ones) the way there is not judged.\n\n",
		RULES_PAGE);
}

/* Every id of D4.3. */
static const char ids[] =
	"IFNFWZ IXXBMZ IXMFJT IGLPQZ ICLTCM IBPNSY ISFXXD RPGHPW RQZRMQ RTTLJC RHMDGL IMQNBT "
	"IMHGVF IYPRYM INTFYC RQHHSY RVMPYW IQYQRY INQYXW RKKQGK RSVGNN RDLPYX IYZPCB RKGPTB "
	"ICHTFM INSWTK INVBWS IRTJNK IXLLKT RZJJKY IKYXKZ IGGFML RKYGRF RQHQLY RLWJCQ RYGSGJ "
	"RSRLCG IKBTHL IFWGBM IVJTLG IQZNBZ RVVFQZ IZYNHF IBRWSS IZNYSY IVXTQS IPCSKD RNMWFJ "
	"ILTBWR ILBSZF ILLDBJ IXPZXL RXVHWG IXPFJG RPRNZH ICYMYM IYVMSC RMKPFJ IJLZPY RDXJBQ "
	"RYPPRH RPZRFL RSFYMW IGZKGC RGFJZF SGKMTH RLBLWT SRDJXM RMZJTJ RNRJGC IQJYYZ IXHFLL "
	"IDFLDJ IDJTGL RHVVRK RJRFYT IXPNWS RXWBMW RJBYXC RYRLJR RLZLDH IBTNZC RCTLXL RWTRBB "
	"RKPNGG RKMFKP RTJLYH RJKFBS RQWBLT RJYKHH RHMWHY IXCKNM RNHDCF ILKDJM IBLBJX RBRJJF "
	"IVTLTF IYQJDR IKQKFF RVHQYV RWSVRL RWJDWF IHHXND INVGJP RBZQWX RVZXNN IFHGKM RVNYMN "
	"RMCSGX RDGTJZ IPXZVX ICSZYW RRFYPT RSZRHP RDCRVK RVWJVC IJGKZJ IDLCLX RJNWJY RLWZXK "
	"IYYMXT ISRRZZ IXLHWT IKQQML RPNBGQ IKHYLN IMRGLC RWLTNX INDQKN ITCWCN ISTXQZ IGBKKQ "
	"IRGVGL IZLFFN RBXTXK RJJZXW RBWHCS RNHJLQ RVPFGH RCJRNL IRBKYZ RSMLVB IRFQKZ RLLCQG "
	"IQNFVH RKMNXW RMMCQD IMQZZY RDPNGP RCYHKB RRKGLY IXTXHN IXHLPG IHLQGS";

enum { IDS = 154, ID = 6 };

/* The row of an id: what stands behind it, or NULL; it must be the only one. */
static char *row_of(char *page, const char *id)
{
	char start[16];
	snprintf(start, sizeof start, "\n| `%.*s` |", ID, id);
	char *row = strstr(page, start);
	assert_true(!row || !strstr(row + 1, start));
	return row ? row + strlen(start) : NULL;
}

static void every_id_has_a_row(void **state)
{
	static const char *const holders[] = {"packets", "decoder", "checker", "encoder",
	                                      "not visible"};
	static char page[1 << 17], row[4096];
	FILE *f = fopen(ETE_PAGE, "r");
	unsigned n = 0;
	(void)state;
	assert_non_null(f);
	page[fread(page, 1, sizeof page - 1, f)] = 0;
	fclose(f);
	for (const char *id = ids; *id; id += ID + (id[ID] == ' '), n++) {
		const char *at = row_of(page, id);
		if (!at)
			fail_msg("%.*s has no row", ID, id);
		snprintf(row, sizeof row, "%.*s", (int)strcspn(at, "\n"), at);
		char *save, *section = strtok_r(row, "|", &save), *held = strtok_r(NULL, "|", &save);
		assert_true(section && held);
		const char *rest = held + strlen(held) + 1;
		for (const char *p = held + 1; *p; p += strspn(p, ", ")) {
			unsigned k = 0;
			while (k < 5 && strncmp(p, holders[k], strlen(holders[k])) != 0)
				k++;
			if (k == 5)
				fail_msg("%.*s is held by %s", ID, id, held);
			p += strlen(holders[k]);
		}
		assert_int_equal(strstr(held, "checker") != NULL, strstr(rest, "`ete.") != NULL);
		for (const char *rule = rest; (rule = strstr(rule, "`ete.")); rule++) {
			size_t len = strcspn(rule + 1, "`"), k = 0;
			while (k < ETE_RULE_COUNT && (strlen(ete_rules.rules[k].id) != len ||
			                              memcmp(ete_rules.rules[k].id, rule + 1, len) != 0))
				k++;
			if (k == ETE_RULE_COUNT)
				fail_msg("%.*s is held by %.*s, which is no rule", ID, id, (int)len, rule + 1);
		}
	}
	assert_int_equal(n, IDS);
	for (unsigned k = 0; k < ETE_RULE_COUNT; k++) { /* and back */
		const struct cairn_rule *r = &ete_rules.rules[k];
		char want[64];
		if (strlen(r->clause) != ID || !strstr(ids, r->clause))
			continue;
		const char *at = row_of(page, r->clause);
		snprintf(want, sizeof want, "`%s`", r->id);
		snprintf(row, sizeof row, "%.*s", (int)strcspn(at, "\n"), at);
		if (!strstr(row, want))
			fail_msg("the row of %s does not name %s", r->clause, r->id);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_rule_is_broken_alone),
		cmocka_unit_test(a_late_fate_is_found),
		cmocka_unit_test(registers_that_are_not_known_are_not_held_against),
		cmocka_unit_test(our_own_streams_are_clean),
		cmocka_unit_test(lies_are_found_and_nothing_else),
		cmocka_unit_test(findings_do_not_depend_on_threads),
		cmocka_unit_test(rules_and_decoder_lose_step_together),
		cmocka_unit_test(the_page_of_rules_is_true),
		cmocka_unit_test(every_id_has_a_row)};
	ctx = cairn_new(NULL);
	program = image_of_words(words, sizeof words / sizeof *words, 0);
	desert = image_of_words(words, 1, ETE_CODE_FAR + 64);
	int rc = cmocka_run_group_tests(tests, NULL, NULL);
	cairn_image_free(program);
	cairn_image_free(desert);
	cairn_free(ctx);
	return rc;
}
