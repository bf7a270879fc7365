/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What cairn follows in real ETE snapshots against what another decoder printed of them
 * (data/ete/expected): ranges, exceptions, contexts, times, in order, source by source.
 *
 * Both sides become lines of the same words. Where they are meant to differ, a row of
 * `differences` says so, and why; anything else fails. A line that the table allows but
 * that no longer differs fails too, so the table stays true.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <unistd.h>

#include "formats/ete/format.h"

enum { IDS = 128, LINE = 200 };

/* ---- lists of lines ---- */

struct lines {
	char **text;
	size_t n, cap;
};

static void add(struct lines *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add(struct lines *l, const char *fmt, ...)
{
	char buf[LINE];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(buf, sizeof buf, fmt, ap);
	va_end(ap);
	if (l->n == l->cap) {
		l->cap = l->cap * 2 + 64;
		l->text = realloc(l->text, l->cap * sizeof *l->text);
		assert_non_null(l->text);
	}
	l->text[l->n++] = strdup(buf);
}

static void clear(struct lines *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->text[i]);
	free(l->text);
	*l = (struct lines){0};
}

/* ---- ours ---- */

static const char *isa_word(unsigned isa)
{
	return isa == CAIRN_ISA_A64 ? "A64" : isa == CAIRN_ISA_A32 ? "A32" : "T32";
}

static void our_range(struct lines *l, const struct cairn_ete_step *s)
{
	static const char *const kinds[] = {"---", "BR", "iBR", "ISB", "WFX", "TSTART"};
	const char *how = s->flags & CAIRN_ETE_R_TAKEN       ? "E"
	                  : s->flags & CAIRN_ETE_R_NOT_TAKEN ? "N"
	                                                     : "-";
	bool open = s->flags & CAIRN_ETE_R_OPEN;
	add(l, "RANGE %llx %llx n=%u %s %s %s%s%s%s", (unsigned long long)s->start,
	    (unsigned long long)s->end, s->n, isa_word(s->isa), open ? "-" : how,
	    kinds[open ? 0 : s->last], !open && s->flags & CAIRN_ETE_R_LINK ? " link" : "",
	    s->flags & CAIRN_ETE_R_RETURN ? " ret" : "", s->flags & CAIRN_ETE_R_ERET ? " eret" : "");
	if (s->flags & CAIRN_ETE_R_ERET && s->flags & CAIRN_ETE_R_TAKEN)
		add(l, "ERET");
}

static void our_element(struct lines *l, const struct cairn_ete_step *s, uint64_t *vmid,
                        uint64_t *ctxid)
{
	static const char *const security[] = {"S", "N", "Root", "Realm"};
	const struct cairn_ete_element *e = s->element;
	char ids[64] = "";
	switch (e->kind) {
	case CAIRN_ETE_TRACE_ON:
		add(l, "TRACE_ON");
		break;
	case CAIRN_ETE_NO_SYNC:
		if (ete_is_damage(e))
			add(l, "NO_SYNC");
		break;
	case CAIRN_ETE_DISCARD:
	case CAIRN_ETE_OVERFLOW:
		add(l, "NO_SYNC");
		break;
	case CAIRN_ETE_CONTEXT:
		/* An ID that is not told again is the one told last. */
		*vmid = e->flags & CAIRN_ETE_HAS_VMID ? e->vmid : *vmid;
		*ctxid = e->flags & CAIRN_ETE_HAS_CTXID ? e->ctxid : *ctxid;
		if (*vmid != UINT64_MAX)
			snprintf(ids, sizeof ids, " vmid=%llx", (unsigned long long)*vmid);
		if (*ctxid != UINT64_MAX)
			snprintf(ids + strlen(ids), sizeof ids - strlen(ids), " ctxid=%llx",
			         (unsigned long long)*ctxid);
		add(l, "CONTEXT EL%u%s%s", e->el, security[e->security & 3], ids);
		break;
	case CAIRN_ETE_EXCEPTION:
		add(l, "EXCEPTION %llx %x", (unsigned long long)e->address, e->number);
		break;
	case CAIRN_ETE_TIMESTAMP:
		add(l, "TIMESTAMP %llx", (unsigned long long)e->value);
		break;
	case CAIRN_ETE_MARKER:
		add(l, "MARKER");
		break;
	case CAIRN_ETE_CYCLES:
		add(l, "CYCLES %u", e->cycles);
		break;
	case CAIRN_ETE_EVENT:
		add(l, "EVENT %u", e->number);
		break;
	case CAIRN_ETE_INSTRUMENTATION:
		add(l, "ITE EL%u %llx", e->el, (unsigned long long)e->value);
		break;
	case CAIRN_ETE_TRANSACTION_START:
		add(l, "TRANSACTION Start");
		break;
	case CAIRN_ETE_TRANSACTION_COMMIT:
		add(l, "TRANSACTION Commit");
		break;
	case CAIRN_ETE_TRANSACTION_FAILED:
	case CAIRN_ETE_TRANSACTION_UNKNOWN:
		add(l, "TRANSACTION Fail");
		break;
	default:
		break;
	}
}

static void our_gap(struct lines *l, const struct cairn_ete_step *s)
{
	if (s->reason == CAIRN_ETE_GAP_NO_BYTES)
		add(l, "NO_BYTES %llx", (unsigned long long)s->start);
	else if (s->reason == CAIRN_ETE_GAP_COUNT)
		add(l, "NO_PATH %llx %llx n=%u", (unsigned long long)s->start, (unsigned long long)s->end,
		    s->n);
	else
		add(l, "GAP %s n=%u", cairn_ete_gap_text(s->reason), s->n);
}

static void follow(struct cairn *c, const struct ete_program *p, const struct ete_span *sp,
                   struct lines *l)
{
	struct cairn_ete_flow *f;
	struct cairn_ete_step s;
	struct ete_code code;
	uint64_t vmid = UINT64_MAX, ctxid = UINT64_MAX;
	int rc;
	ete_code_init(&code, c, p->image, p->level, ete_also_p0(&p->cfg));
	assert_true(ete_flow_open(c, &p->cfg, &code, CAIRN_ETE_KEEP, sp->p, sp->n, 0, &f) >= 0);
	while ((rc = cairn_ete_flow_next(f, &s)) > 0) {
		if (s.kind == CAIRN_ETE_STEP_RANGE)
			our_range(l, &s);
		else if (s.kind == CAIRN_ETE_STEP_GAP)
			our_gap(l, &s);
		else
			our_element(l, &s, &vmid, &ctxid);
	}
	assert_int_equal(rc, 0);
	cairn_ete_flow_close(f);
	ete_code_free(&code);
}

/* Sessions of a snapshot ("21": the second, then the first), source by source. The other
 * decoder takes them in the order of their sections, not of `buffers=`. */
static void ours(const char *path, const char *sessions, struct lines *l)
{
	struct cairn *c = cairn_new(NULL);
	struct cairn_reader *r;
	struct model_span span = {0};
	struct cairn_open_opts opts = {.size = sizeof opts, .from = "ete:piece=1000000000"};
	if (cairn_open(c, path, &opts, &r) < 0)
		fail_msg("%s", cairn_error_text(c));
	struct ete_impl *im = r->impl;
	for (; *sessions && (size_t)(*sessions - '0') <= im->snapshot->n_sessions; sessions++) {
		im->session = (size_t)(*sessions - '1');
		im->now = NULL;
		while (ete_cut(r, &span, true) > 0) {
			const struct ete_span *sp = span.priv;
			bool other = im->session != (size_t)(*sessions - '0');
			if (sp->program && !other) { /* a source's bytes, all of them */
				assert_true(sp->leads && sp->whole);
				follow(c, sp->program, sp, &l[sp->program->cfg.traceidr & 0x7f]);
			}
			ete_drop(r, &span);
			model_damage_free(c, &span.damage);
			if (other)
				break;
		}
		ete_session_release(c, im->now);
		im->now = NULL;
	}
	cairn_close(r);
	cairn_free(c);
}

/* ---- theirs ---- */

static uint64_t hex_behind(const char *s, const char *word)
{
	const char *p = strstr(s, word);
	return p ? strtoull(p + strlen(word), NULL, 16) : 0;
}

static void their_range(struct lines *l, const char *s)
{
	unsigned long long start, end;
	unsigned n, size;
	char isa[8], how;
	if (sscanf(s, "INSTR_RANGE(exec range=0x%llx:[0x%llx] num_i(%u) last_sz(%u) (ISA=%7[^)]) %c",
	           &start, &end, &n, &size, isa, &how) != 6)
		fail_msg("not understood: %s", s);
	const char *rest = strchr(s, ')');
	rest = strstr(rest, "(ISA=");
	const char *kind = strstr(rest, "iBR")      ? "iBR"
	                   : strstr(rest, "BR ")    ? "BR"
	                   : strstr(rest, "ISB")    ? "ISB"
	                   : strstr(rest, "WFI")    ? "WFX"
	                   : strstr(rest, "TSTART") ? "TSTART"
	                                            : "---";
	bool branch = !strcmp(kind, "BR") || !strcmp(kind, "iBR");
	bool eret = strstr(rest, "A64:eret");
	add(l, "RANGE %llx %llx n=%u %s %c %s%s%s%s", start, end, n,
	    !strcmp(isa, "A32")   ? "A32"
	    : !strcmp(isa, "A64") ? "A64"
	                          : "T32",
	    branch ? how : '-', kind, strstr(rest, "b+link") ? " link" : "",
	    strstr(rest, ":ret") || strstr(rest, "impl ret") ? " ret" : "", eret ? " eret" : "");
}

static void their_context(struct lines *l, const char *s)
{
	char level[16], ids[64] = "";
	const char *p = strstr(s, ") EL");
	if (!p || sscanf(p + 2, "%15[^;]", level) != 1)
		fail_msg("not understood: %s", s);
	if (strstr(s, "VMID="))
		snprintf(ids, sizeof ids, " vmid=%llx", (unsigned long long)hex_behind(s, "VMID=0x"));
	if (strstr(s, "CTXTID="))
		snprintf(ids + strlen(ids), sizeof ids - strlen(ids), " ctxid=%llx",
		         (unsigned long long)hex_behind(s, "CTXTID=0x"));
	add(l, "CONTEXT %s%s", level, ids);
}

static void their_line(struct lines *l, const char *s)
{
	unsigned long long a, b;
	unsigned n;
	if (!strncmp(s, "INSTR_RANGE", 11))
		their_range(l, s);
	else if (!strncmp(s, "PE_CONTEXT", 10))
		their_context(l, s);
	else if (!strncmp(s, "TRACE_ON", 8))
		add(l, "TRACE_ON");
	else if (!strncmp(s, "NO_SYNC( [bad", 13) || !strncmp(s, "NO_SYNC( [discard", 17) ||
	         !strncmp(s, "NO_SYNC( [over", 14))
		add(l, "NO_SYNC");
	else if (!strncmp(s, "ADDR_NACC", 9))
		add(l, "NO_BYTES %llx", (unsigned long long)hex_behind(s, "( 0x"));
	else if (!strncmp(s, "EXCEPTION_RET", 13))
		add(l, "ERET");
	else if (!strncmp(s, "EXCEPTION(", 10))
		add(l, "EXCEPTION %llx %llx", (unsigned long long)hex_behind(s, "addr:0x"),
		    (unsigned long long)hex_behind(s, "num (0x"));
	else if (sscanf(s, "I_RANGE_NOPATH(first 0x%llx:[next 0x%llx] num_i(%u)", &a, &b, &n) == 3)
		add(l, "NO_PATH %llx %llx n=%u", a, b, n);
	else if (!strncmp(s, "TIMESTAMP", 9))
		add(l, "TIMESTAMP %llx", (unsigned long long)hex_behind(s, "TS=0x"));
	else if (sscanf(s, "CYCLE_COUNT( [CC=%u]", &n) == 1)
		add(l, "CYCLES %u", n);
	else if (!strncmp(s, "SYNC_MARKER", 11))
		add(l, "MARKER");
	else if (sscanf(s, "EVENT( Numbered:%u", &n) == 1)
		add(l, "EVENT %u", n);
	else if (sscanf(s, "INSTRUMENTATION(EL%u; 0x%llx", &n, &a) == 2)
		add(l, "ITE EL%u %llx", n, a);
	else if (!strncmp(s, "MEMTRANS(", 9) && strncmp(s + 9, "Init", 4))
		add(l, "TRANSACTION %.*s", (int)strcspn(s + 9, ")"), s + 9);
	else if (strncmp(s, "NO_SYNC", 7) && strncmp(s, "EO_TRACE", 8) && strncmp(s, "MEMTRANS", 8))
		fail_msg("not understood: %s", s);
}

static void theirs(const char *path, struct lines *l)
{
	static const char word[] = "OCSD_GEN_TRC_ELEM_";
	char command[1200];
	static char line[1 << 16];
	snprintf(command, sizeof command, "gzip -dc '%s'", path);
	FILE *f = popen(command, "r");
	assert_non_null(f);
	while (fgets(line, sizeof line, f)) {
		/* An error's text has no newline of its own. */
		const char *idx = strstr(line, "Idx:"), *later;
		while (idx && (later = strstr(idx + 4, "Idx:")))
			idx = later;
		const char *elem = idx ? strstr(idx, word) : NULL;
		unsigned id;
		if (elem && sscanf(idx, "Idx:%*u; ID:%x;", &id) == 1 && id < IDS)
			their_line(&l[id], elem + sizeof word - 1);
	}
	assert_int_equal(pclose(f), 0);
}

/* ---- comparing ---- */

static void dump(const char *name, const char *which, const struct lines *l)
{
	const char *dir = getenv("ETE_FLOW_DUMP");
	char path[512];
	if (!dir)
		return;
	snprintf(path, sizeof path, "%s/%s.%s", dir, name, which);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	for (unsigned id = 0; id < IDS; id++)
		for (size_t i = 0; i < l[id].n; i++)
			fprintf(f, "%02x %s\n", id, l[id].text[i]);
	fclose(f);
}

/* Lines that one side alone has (the other is ""), or that differ. `*` ends what has to
 * match. */
static const struct difference {
	const char *label, *ours, *theirs, *why;
} differences[] = {
	{"*", "GAP *", "", "branch outcomes that cannot be followed are told, not swallowed"},
	{"infrastructure", "", "NO_BYTES ffffffc0004631d8", "the same missing bytes are told once"},
	{"infrastructure", "CONTEXT EL0N*", "", "a context after the last branch is told"},
	{"rme_test.ms", "CONTEXT EL1Realm", "", "a context after the last branch is told"},
	{"q_elem*", "NO_PATH 0 695c8 n=1", "NO_PATH 6960c 695c8 n=1",
     "where an indirect branch went is not known"},
	{"tme_tcancel", "CONTEXT EL1N", "", "a context before the end of a transaction is told"},
	{"ete_ip.srcN", "", "RANGE 1aa948 1b37f4 n=9131 A32 - ---",
     "where an indirect branch went is not known; it did not fall through (defect 10)"},
};
enum { DIFFERENCES = sizeof differences / sizeof *differences };
static unsigned used[DIFFERENCES];

static bool fits(const char *pattern, const char *s)
{
	size_t n = strlen(pattern);
	return n && pattern[n - 1] == '*' ? !strncmp(pattern, s, n - 1) : !strcmp(pattern, s);
}

/* Do the lines at hand differ as they should? Which of them to skip. */
static bool meant(const char *label, const char *x, const char *y, size_t *i, size_t *j)
{
	for (unsigned k = 0; k < DIFFERENCES; k++) {
		const struct difference *d = &differences[k];
		if (!fits(d->label, label) || (*d->ours && !fits(d->ours, x)) ||
		    (*d->theirs && !fits(d->theirs, y)))
			continue;
		used[k]++;
		*i += *d->ours != 0;
		*j += *d->theirs != 0;
		return true;
	}
	return false;
}

static unsigned compare_source(const char *label, unsigned id, const struct lines *a,
                               const struct lines *b)
{
	for (size_t i = 0, j = 0; i < a->n || j < b->n;) {
		const char *x = i < a->n ? a->text[i] : "(end)", *y = j < b->n ? b->text[j] : "(end)";
		if (!strcmp(x, y)) {
			i++;
			j++;
		} else if (!meant(label, x, y, &i, &j)) {
			print_error("%s id %02x line %zu:\n  ours   %s\n  theirs %s\n", label, id, i, x, y);
			return 1;
		}
	}
	return 0;
}

static void compare(const char *name, const char *variant, const char *sessions)
{
	const char *data = getenv("CAIRN_TEST_DATA");
	struct lines a[IDS] = {{0}}, b[IDS] = {{0}};
	char path[1024], label[128];
	unsigned bad = 0;
	snprintf(path, sizeof path, "%s/ete/snapshots/%s", data ? data : "", name);
	if (!data || access(path, R_OK) != 0)
		skip();
	ours(path, sessions, a);
	snprintf(path, sizeof path, "%s/ete/expected/%s%s.dec.txt.gz", data, name, variant);
	theirs(path, b);
	snprintf(label, sizeof label, "%s%s", name, variant);
	dump(label, "ours", a);
	dump(label, "theirs", b);
	for (unsigned id = 0; id < IDS; id++) {
		bad += compare_source(label, id, &a[id], &b[id]);
		clear(&a[id]);
		clear(&b[id]);
	}
	assert_int_equal(bad, 0);
}

/* Run last: every row of the table was needed. */
static void test_every_difference_is_there(void **state)
{
	unsigned any = 0;
	(void)state;
	for (unsigned k = 0; k < DIFFERENCES; k++)
		any += used[k];
	if (!any) /* no data */
		skip();
	for (unsigned k = 0; k < DIFFERENCES; k++)
		if (!used[k])
			fail_msg("%s: '%s' and '%s' no longer differ (%s)", differences[k].label,
			         differences[k].ours, differences[k].theirs, differences[k].why);
}

/* Source addresses: the variants that tell the branches before them one by one, as we do. */
#define SNAPSHOTS(X) \
	X(ack_test, "001-ack_test", "", "1") \
	X(ack_test_scr_n, "002-ack_test_scr", ".srcN", "1") \
	X(ite, "ete-ite-instr", "", "2") \
	X(ite_all, "ete-ite-instr", ".ms", "21") \
	X(wfet, "ete-wfet", "", "1") \
	X(wfet_all, "ete-wfet", ".ms", "123456") \
	X(ip_n, "ete_ip", ".srcN", "1") \
	X(mem, "ete_mem", "", "1") \
	X(spec_1, "ete_spec_1", "", "1") \
	X(spec_3, "ete_spec_3", "", "1") \
	X(event_test, "event_test", "", "1") \
	X(cmpbr, "feat_cmpbr", "", "1") \
	X(cmpbr_all, "feat_cmpbr", ".ms", "123456") \
	X(infrastructure, "infrastructure", "", "1") \
	X(commopt, "maxspec0_commopt1", "", "1") \
	X(pauth, "pauth_lr", "", "1") \
	X(pauth_all, "pauth_lr", ".ms", "123456") \
	X(q, "q_elem", "", "1") \
	X(q_all, "q_elem", ".ms", "123456") \
	X(rme, "rme_test", "", "1") \
	X(rme_all, "rme_test", ".ms", "123456") \
	X(s9001, "s_9001", "", "1") \
	X(s9001_all, "s_9001", ".ms", "123456") \
	X(src_n, "src_addr", ".srcN", "1") \
	X(tcancel, "tme_tcancel", "", "1") \
	X(tme, "tme_test", "", "1") \
	X(cid_vmid, "trace_file_cid_vmid", "", "1") \
	X(marker, "ts_marker", "", "1")

#define TEST(name, snapshot, variant, sessions) \
	static void test_##name(void **state) \
	{ \
		(void)state; \
		compare(snapshot, variant, sessions); \
	}
SNAPSHOTS(TEST)

int main(void)
{
#define ROW(name, snapshot, variant, sessions) cmocka_unit_test(test_##name),
	const struct CMUnitTest tests[] = {SNAPSHOTS(ROW)
	                                       cmocka_unit_test(test_every_difference_is_there)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
