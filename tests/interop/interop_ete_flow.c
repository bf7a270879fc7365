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

static void add(struct lines *lines, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add(struct lines *lines, const char *fmt, ...)
{
	char buf[LINE];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(buf, sizeof buf, fmt, ap);
	va_end(ap);
	if (lines->n == lines->cap) {
		lines->cap = lines->cap * 2 + 64;
		lines->text = realloc(lines->text, lines->cap * sizeof *lines->text);
		assert_non_null(lines->text);
	}
	lines->text[lines->n++] = strdup(buf);
}

static void clear(struct lines *lines)
{
	for (size_t i = 0; i < lines->n; i++)
		free(lines->text[i]);
	free(lines->text);
	*lines = (struct lines){0};
}

/* ---- ours ---- */

static const char *isa_word(unsigned isa)
{
	return isa == CAIRN_ISA_A64 ? "A64" : isa == CAIRN_ISA_A32 ? "A32" : "T32";
}

static void our_range(struct lines *lines, const struct cairn_ete_step *step)
{
	static const char *const kinds[] = {"---", "BR", "iBR", "ISB", "WFX", "TSTART"};
	const char *how = step->flags & CAIRN_ETE_R_TAKEN       ? "E"
	                  : step->flags & CAIRN_ETE_R_NOT_TAKEN ? "N"
	                                                        : "-";
	bool open = step->flags & CAIRN_ETE_R_OPEN;
	add(lines, "RANGE %llx %llx n=%u %s %s %s%s%s%s", (unsigned long long)step->start,
	    (unsigned long long)step->end, step->n, isa_word(step->isa), open ? "-" : how,
	    kinds[open ? 0 : step->last], !open && step->flags & CAIRN_ETE_R_LINK ? " link" : "",
	    step->flags & CAIRN_ETE_R_RETURN ? " ret" : "",
	    step->flags & CAIRN_ETE_R_ERET ? " eret" : "");
	if (step->flags & CAIRN_ETE_R_ERET && step->flags & CAIRN_ETE_R_TAKEN)
		add(lines, "ERET");
}

static void our_element(struct lines *lines, const struct cairn_ete_step *step, uint64_t *vmid,
                        uint64_t *ctxid)
{
	static const char *const security[] = {"S", "N", "Root", "Realm"};
	const struct cairn_ete_element *element = step->element;
	char ids[64] = "";
	switch (element->kind) {
	case CAIRN_ETE_TRACE_ON:
		add(lines, "TRACE_ON");
		break;
	case CAIRN_ETE_NO_SYNC:
		if (ete_is_damage(element))
			add(lines, "NO_SYNC");
		break;
	case CAIRN_ETE_DISCARD:
	case CAIRN_ETE_OVERFLOW:
		add(lines, "NO_SYNC");
		break;
	case CAIRN_ETE_CONTEXT:
		/* An ID that is not told again is the one told last. */
		*vmid = element->flags & CAIRN_ETE_HAS_VMID ? element->vmid : *vmid;
		*ctxid = element->flags & CAIRN_ETE_HAS_CTXID ? element->ctxid : *ctxid;
		if (*vmid != UINT64_MAX)
			snprintf(ids, sizeof ids, " vmid=%llx", (unsigned long long)*vmid);
		if (*ctxid != UINT64_MAX)
			snprintf(ids + strlen(ids), sizeof ids - strlen(ids), " ctxid=%llx",
			         (unsigned long long)*ctxid);
		add(lines, "CONTEXT EL%u%s%s", element->el, security[element->security & 3], ids);
		break;
	case CAIRN_ETE_EXCEPTION:
		add(lines, "EXCEPTION %llx %x", (unsigned long long)element->address, element->number);
		break;
	case CAIRN_ETE_TIMESTAMP:
		add(lines, "TIMESTAMP %llx", (unsigned long long)element->value);
		break;
	case CAIRN_ETE_MARKER:
		add(lines, "MARKER");
		break;
	case CAIRN_ETE_CYCLES:
		add(lines, "CYCLES %u", element->cycles);
		break;
	case CAIRN_ETE_EVENT:
		add(lines, "EVENT %u", element->number);
		break;
	case CAIRN_ETE_INSTRUMENTATION:
		add(lines, "ITE EL%u %llx", element->el, (unsigned long long)element->value);
		break;
	case CAIRN_ETE_TRANSACTION_START:
		add(lines, "TRANSACTION Start");
		break;
	case CAIRN_ETE_TRANSACTION_COMMIT:
		add(lines, "TRANSACTION Commit");
		break;
	case CAIRN_ETE_TRANSACTION_FAILED:
	case CAIRN_ETE_TRANSACTION_UNKNOWN:
		add(lines, "TRANSACTION Fail");
		break;
	default:
		break;
	}
}

static void our_gap(struct lines *lines, const struct cairn_ete_step *step)
{
	if (step->reason == CAIRN_ETE_GAP_NO_BYTES)
		add(lines, "NO_BYTES %llx", (unsigned long long)step->start);
	else if (step->reason == CAIRN_ETE_GAP_COUNT)
		add(lines, "NO_PATH %llx %llx n=%u", (unsigned long long)step->start,
		    (unsigned long long)step->end, step->n);
	else
		add(lines, "GAP %s n=%u", cairn_ete_gap_text(step->reason), step->n);
}

static void follow(struct cairn *cairn, const struct ete_program *program,
                   const struct ete_span *sp, struct lines *lines)
{
	struct cairn_ete_flow *flow;
	struct cairn_ete_step step;
	struct ete_code code;
	uint64_t vmid = UINT64_MAX, ctxid = UINT64_MAX;
	int rc;
	ete_code_init(&code, cairn, program->image, program->level, ete_also_p0(&program->cfg));
	assert_true(
		ete_flow_open(cairn, &program->cfg, &code, CAIRN_ETE_KEEP, sp->p, sp->n, 0, &flow) >= 0);
	while ((rc = cairn_ete_flow_next(flow, &step)) > 0) {
		if (step.kind == CAIRN_ETE_STEP_RANGE)
			our_range(lines, &step);
		else if (step.kind == CAIRN_ETE_STEP_GAP)
			our_gap(lines, &step);
		else
			our_element(lines, &step, &vmid, &ctxid);
	}
	assert_int_equal(rc, 0);
	cairn_ete_flow_close(flow);
	ete_code_free(&code);
}

/* Sessions of a snapshot ("21": the second, then the first), source by source. The other
 * decoder takes them in the order of their sections, not of `buffers=`. */
static void ours(const char *path, const char *sessions, struct lines *lines)
{
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_reader *reader;
	struct model_span span = {0};
	struct cairn_open_opts opts = {.size = sizeof opts, .from = "ete:piece=1000000000"};
	if (cairn_open(cairn, path, &opts, &reader) < 0)
		fail_msg("%s", cairn_error_text(cairn));
	struct ete_impl *im = reader->impl;
	for (; *sessions && (size_t)(*sessions - '0') <= im->snapshot->n_sessions; sessions++) {
		im->session = (size_t)(*sessions - '1');
		im->now = NULL;
		while (ete_cut(reader, &span, true) > 0) {
			const struct ete_span *sp = span.priv;
			bool other = im->session != (size_t)(*sessions - '0');
			if (sp->program && !other) { /* a source's bytes, all of them */
				assert_true(sp->leads && sp->whole);
				follow(cairn, sp->program, sp, &lines[sp->program->cfg.traceidr & 0x7f]);
			}
			ete_drop(reader, &span);
			model_damage_free(cairn, &span.damage);
			if (other)
				break;
		}
		ete_session_release(cairn, im->now);
		im->now = NULL;
	}
	cairn_close(reader);
	cairn_free(cairn);
}

/* ---- theirs ---- */

static uint64_t hex_behind(const char *text, const char *word)
{
	const char *p = strstr(text, word);
	return p ? strtoull(p + strlen(word), NULL, 16) : 0;
}

static void their_range(struct lines *lines, const char *text)
{
	unsigned long long start, end;
	unsigned n, size;
	char isa[8], how;
	if (sscanf(text, "INSTR_RANGE(exec range=0x%llx:[0x%llx] num_i(%u) last_sz(%u) (ISA=%7[^)]) %c",
	           &start, &end, &n, &size, isa, &how) != 6)
		fail_msg("not understood: %s", text);
	const char *rest = strchr(text, ')');
	rest = strstr(rest, "(ISA=");
	const char *kind = strstr(rest, "iBR")      ? "iBR"
	                   : strstr(rest, "BR ")    ? "BR"
	                   : strstr(rest, "ISB")    ? "ISB"
	                   : strstr(rest, "WFI")    ? "WFX"
	                   : strstr(rest, "TSTART") ? "TSTART"
	                                            : "---";
	bool branch = !strcmp(kind, "BR") || !strcmp(kind, "iBR");
	bool eret = strstr(rest, "A64:eret");
	add(lines, "RANGE %llx %llx n=%u %s %c %s%s%s%s", start, end, n,
	    !strcmp(isa, "A32")   ? "A32"
	    : !strcmp(isa, "A64") ? "A64"
	                          : "T32",
	    branch ? how : '-', kind, strstr(rest, "b+link") ? " link" : "",
	    strstr(rest, ":ret") || strstr(rest, "impl ret") ? " ret" : "", eret ? " eret" : "");
}

static void their_context(struct lines *lines, const char *text)
{
	char level[16], ids[64] = "";
	const char *p = strstr(text, ") EL");
	if (!p || sscanf(p + 2, "%15[^;]", level) != 1)
		fail_msg("not understood: %s", text);
	if (strstr(text, "VMID="))
		snprintf(ids, sizeof ids, " vmid=%llx", (unsigned long long)hex_behind(text, "VMID=0x"));
	if (strstr(text, "CTXTID="))
		snprintf(ids + strlen(ids), sizeof ids - strlen(ids), " ctxid=%llx",
		         (unsigned long long)hex_behind(text, "CTXTID=0x"));
	add(lines, "CONTEXT %s%s", level, ids);
}

static void their_line(struct lines *lines, const char *text)
{
	unsigned long long a, b;
	unsigned n;
	if (!strncmp(text, "INSTR_RANGE", 11))
		their_range(lines, text);
	else if (!strncmp(text, "PE_CONTEXT", 10))
		their_context(lines, text);
	else if (!strncmp(text, "TRACE_ON", 8))
		add(lines, "TRACE_ON");
	else if (!strncmp(text, "NO_SYNC( [bad", 13) || !strncmp(text, "NO_SYNC( [discard", 17) ||
	         !strncmp(text, "NO_SYNC( [over", 14))
		add(lines, "NO_SYNC");
	else if (!strncmp(text, "ADDR_NACC", 9))
		add(lines, "NO_BYTES %llx", (unsigned long long)hex_behind(text, "( 0x"));
	else if (!strncmp(text, "EXCEPTION_RET", 13))
		add(lines, "ERET");
	else if (!strncmp(text, "EXCEPTION(", 10))
		add(lines, "EXCEPTION %llx %llx", (unsigned long long)hex_behind(text, "addr:0x"),
		    (unsigned long long)hex_behind(text, "num (0x"));
	else if (sscanf(text, "I_RANGE_NOPATH(first 0x%llx:[next 0x%llx] num_i(%u)", &a, &b, &n) == 3)
		add(lines, "NO_PATH %llx %llx n=%u", a, b, n);
	else if (!strncmp(text, "TIMESTAMP", 9))
		add(lines, "TIMESTAMP %llx", (unsigned long long)hex_behind(text, "TS=0x"));
	else if (sscanf(text, "CYCLE_COUNT( [CC=%u]", &n) == 1)
		add(lines, "CYCLES %u", n);
	else if (!strncmp(text, "SYNC_MARKER", 11))
		add(lines, "MARKER");
	else if (sscanf(text, "EVENT( Numbered:%u", &n) == 1)
		add(lines, "EVENT %u", n);
	else if (sscanf(text, "INSTRUMENTATION(EL%u; 0x%llx", &n, &a) == 2)
		add(lines, "ITE EL%u %llx", n, a);
	else if (!strncmp(text, "MEMTRANS(", 9) && strncmp(text + 9, "Init", 4))
		add(lines, "TRANSACTION %.*s", (int)strcspn(text + 9, ")"), text + 9);
	else if (strncmp(text, "NO_SYNC", 7) && strncmp(text, "EO_TRACE", 8) &&
	         strncmp(text, "MEMTRANS", 8))
		fail_msg("not understood: %s", text);
}

static void theirs(const char *path, struct lines *lines)
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
			their_line(&lines[id], elem + sizeof word - 1);
	}
	assert_int_equal(pclose(f), 0);
}

/* ---- comparing ---- */

static void dump(const char *name, const char *which, const struct lines *lines)
{
	const char *dir = getenv("ETE_FLOW_DUMP");
	char path[512];
	if (!dir)
		return;
	snprintf(path, sizeof path, "%s/%s.%s", dir, name, which);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	for (unsigned id = 0; id < IDS; id++)
		for (size_t i = 0; i < lines[id].n; i++)
			fprintf(f, "%02x %s\n", id, lines[id].text[i]);
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

static bool fits(const char *pattern, const char *text)
{
	size_t n = strlen(pattern);
	return n && pattern[n - 1] == '*' ? !strncmp(pattern, text, n - 1) : !strcmp(pattern, text);
}

/* Do the lines at hand differ as they should? Which of them to skip. */
static bool meant(const char *label, const char *x, const char *y, size_t *i, size_t *j)
{
	for (unsigned k = 0; k < DIFFERENCES; k++) {
		const struct difference *difference = &differences[k];
		if (!fits(difference->label, label) || (*difference->ours && !fits(difference->ours, x)) ||
		    (*difference->theirs && !fits(difference->theirs, y)))
			continue;
		used[k]++;
		*i += *difference->ours != 0;
		*j += *difference->theirs != 0;
		return true;
	}
	return false;
}

static unsigned compare_source(const char *label, unsigned id, const struct lines *left,
                               const struct lines *right)
{
	for (size_t i = 0, j = 0; i < left->n || j < right->n;) {
		const char *x = i < left->n ? left->text[i] : "(end)",
				   *y = j < right->n ? right->text[j] : "(end)";
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
	struct lines left[IDS] = {{0}}, right[IDS] = {{0}};
	char path[1024], label[128];
	unsigned bad = 0;
	snprintf(path, sizeof path, "%s/ete/snapshots/%s", data ? data : "", name);
	if (!data || access(path, R_OK) != 0)
		skip();
	ours(path, sessions, left);
	snprintf(path, sizeof path, "%s/ete/expected/%s%s.dec.txt.gz", data, name, variant);
	theirs(path, right);
	snprintf(label, sizeof label, "%s%s", name, variant);
	dump(label, "ours", left);
	dump(label, "theirs", right);
	for (unsigned id = 0; id < IDS; id++) {
		bad += compare_source(label, id, &left[id], &right[id]);
		clear(&left[id]);
		clear(&right[id]);
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
