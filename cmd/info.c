/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `cairn info`: what a file is, without reading it all (but for ETE, whose packets are
 * counted). The format tells facts; this lays them out. A key that comes several times
 * is a list.
 */
#include <stdio.h>
#include <string.h>

#include "cmd.h"

static bool info_seen_before(const struct cairn_info *info, size_t index)
{
	for (size_t k = 0; k < index; k++)
		if (!strcmp(info->facts[k].key, info->facts[index].key))
			return true;
	return false;
}

/* The next fact of the same key from `index` on; info->n when there is none. */
static size_t of_key(const struct cairn_info *info, const char *key, size_t index)
{
	while (index < info->n && strcmp(info->facts[index].key, key) != 0)
		index++;
	return index;
}

/* ---- text ---- */

static void text_value(struct cairn_text *text, const struct cairn_fact *fact)
{
	const char *fixed = fact->is_list && !fact->is_known ? "none"
	                    : !fact->is_known                ? "unknown"
	                    : fact->is_true_false            ? (fact->number ? "yes" : "no")
	                                                     : fact->text;
	if (fixed)
		cairn_text_escape(text, fixed);
	else
		cairn_text_printf(text, "%llu", (unsigned long long)fact->number);
}

static int text_info(struct cairn_text *text, const struct cairn_info *info)
{
	size_t width = 0;
	int rc = 0;
	for (size_t i = 0; i < info->n; i++) {
		size_t n = strlen(info->facts[i].key);
		width = n > width ? n : width;
	}
	for (size_t i = 0; i < info->n; i++) {
		const char *key = info->facts[i].key;
		if (info_seen_before(info, i))
			continue;
		for (size_t k = i; k < info->n; k = of_key(info, key, k + 1)) {
			cairn_text_printf(text, "%-*s  ", (int)width, k == i ? key : "");
			text_value(text, &info->facts[k]);
			rc = cairn_text_printf(text, "\n");
		}
	}
	return rc;
}

/* ---- JSON ---- */

static void info_json_value(struct cairn_text *text, const char *key, const struct cairn_fact *fact)
{
	if (!fact->is_known)
		cairn_json_null(text, key);
	else if (fact->is_true_false)
		cairn_json_bool(text, key, fact->number != 0);
	else if (fact->is_number)
		cairn_json_number(text, key, fact->number);
	else
		cairn_json_text(text, key, fact->text);
}

static int json_info(struct cairn_text *text, const struct cairn_info *info)
{
	cairn_json_begin(text, 1);
	for (size_t i = 0; i < info->n; i++) {
		const struct cairn_fact *fact = &info->facts[i];
		if (info_seen_before(info, i))
			continue;
		if (!fact->is_list) {
			info_json_value(text, fact->key, fact);
			continue;
		}
		cairn_json_array(text, fact->key);
		for (size_t k = i; k < info->n; k = of_key(info, fact->key, k + 1))
			if (info->facts[k].is_known)
				info_json_value(text, NULL, &info->facts[k]);
		cairn_json_close(text);
	}
	return cairn_json_end(text);
}

/* ---- coverage ---- */

/* `told` counts what the trace tells, `derived` what --derive adds as well; NULL when the trace cannot
 * be read twice. */
struct covered {
	const struct cairn_coverage *told, *derived;
};

static struct cairn_share sum_of(const struct cairn_share *shares, unsigned from, unsigned to)
{
	struct cairn_share sum = {0};
	for (unsigned i = from; i < to; i++) {
		sum.of += shares[i].of;
		sum.known += shares[i].known;
	}
	return sum;
}

/* Tenths of a percent, rounded down: only all are 100 %. */
static unsigned per_thousand(struct cairn_share share)
{
	return share.of ? (unsigned)(1000.0 * (double)share.known / (double)share.of) : 0;
}

static void coverage_share(struct cairn_text *text, struct cairn_share share)
{
	unsigned tenths = per_thousand(share);
	cairn_text_printf(text, "%8u.%u %%", tenths / 10, tenths % 10);
}

/* The number of things is the one with --derive, which adds accesses that the trace does not tell. */
static void coverage_row(struct cairn_text *text, bool json, const char *key, const char *name,
                         struct cairn_share told, const struct cairn_share *derived)
{
	if (json) {
		cairn_json_object(text, key);
		cairn_json_number(text, "number", derived ? derived->of : told.of);
		cairn_json_number(text, "told", told.known);
		if (derived)
			cairn_json_number(text, "derived", derived->known);
		cairn_json_close(text);
		return;
	}
	uint64_t of = derived ? derived->of : told.of;
	if (!of)
		return;
	told.of = of;
	cairn_text_printf(text, "%-22s%12llu", name, (unsigned long long)of);
	coverage_share(text, told);
	if (derived)
		coverage_share(text, *derived);
	cairn_text_printf(text, "\n");
}

static void coverage_registers(struct cairn_text *text, bool json, const char *key,
                               const char *name, const struct cairn_share *told,
                               const struct cairn_share *derived)
{
	static const struct {
		const char *key, *name;
		unsigned from, to;
	} classes[] = {{"integer", "  integer", CAIRN_REG_INT, CAIRN_REG_INT + 1},
	               {"fp", "  floating point", CAIRN_REG_FP, CAIRN_REG_FP + 1},
	               {"vector", "  vector", CAIRN_REG_VECTOR, CAIRN_REG_VECTOR + 1},
	               {"other", "  other", CAIRN_REG_VECTOR + 1, 8}};
	struct cairn_share all = sum_of(told, 0, 8), more = {0};
	if (derived)
		more = sum_of(derived, 0, 8);
	coverage_row(text, json, key, name, all, derived ? &more : NULL);
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
		char full[64];
		snprintf(full, sizeof full, "%s_%s", key, classes[i].key);
		all = sum_of(told, classes[i].from, classes[i].to);
		if (derived)
			more = sum_of(derived, classes[i].from, classes[i].to);
		coverage_row(text, json, full, classes[i].name, all, derived ? &more : NULL);
	}
}

static int coverage_print(struct cairn_text *text, bool json, const struct covered *covered)
{
	const struct cairn_coverage *told = covered->told, *derived = covered->derived;
	if (json) {
		cairn_json_begin(text, 1);
		cairn_json_number(text, "instructions", told->instructions);
		cairn_json_number(text, "without_operands", told->without_operands);
	} else {
		cairn_text_printf(text, "%-22s%12s%12s%s\n", "known of", "number", "told",
		                  derived ? "     derived" : "");
	}
	coverage_registers(text, json, "read", "registers read", told->read,
	                   derived ? derived->read : NULL);
	coverage_registers(text, json, "written", "registers written", told->written,
	                   derived ? derived->written : NULL);
	coverage_row(text, json, "addresses", "addresses", told->addresses,
	             derived ? &derived->addresses : NULL);
	coverage_row(text, json, "contents", "contents", told->contents,
	             derived ? &derived->contents : NULL);
	if (json)
		return cairn_json_end(text);
	int rc = cairn_text_printf(text, "%-22s%12llu\n", "instructions",
	                           (unsigned long long)told->instructions);
	if (told->without_operands)
		rc = cairn_text_printf(text, "%-22s%12llu\n", "  without operands",
		                       (unsigned long long)told->without_operands);
	return rc;
}

static int info_coverage(struct session *session, bool json)
{
	struct cairn_coverage told = {.size = sizeof told}, derived = {.size = sizeof derived};
	struct covered covered = {.told = &told};
	struct cairn_reader *again;
	int rc = cairn_state_coverage(session->reader, &told);
	if (rc >= 0)
		rc = session_reopen(session, true, &again);
	if (rc < 0)
		return rc;
	if (again) {
		rc = cairn_state_coverage(again, &derived);
		covered.derived = &derived;
	} else {
		complain("%s: standard input can be read only once: what follows is not derived",
		         session->trace);
	}
	cairn_close(again);
	return rc < 0 ? rc : coverage_print(session->text, json, &covered);
}

static int info_run(const struct verb *self, struct options *options)
{
	struct session session;
	const struct cairn_info *info;
	if (options->n_operands > 1) {
		complain("info takes one trace, and '%s' is another", options->operands[1]);
		return EXIT_COULD_NOT;
	}
	if (session_open(&session, self, options) < 0)
		return EXIT_COULD_NOT;
	session_progress(&session, false);
	bool json = options->times[OPT_JSON] != 0, coverage = options->times[OPT_COVERAGE] != 0;
	if (coverage && lacks_program(session.reader))
		return session_finish(&session, 0, complain_of_nothing(&session));
	int rc = coverage ? info_coverage(&session, json) : cairn_reader_survey(session.reader, &info);
	if (rc >= 0 && !coverage)
		rc = json ? json_info(session.text, info) : text_info(session.text, info);
	rc = session_print(&session, rc);
	return session_finish(&session, rc, EXIT_FINE);
}

const struct verb verb_info = {
	.name = "info",
	.summary = "what the file is",
	.usage = "[options] TRACE",
	.help =
		"Format, version, container, codec, instruction set, generators, features, comments,\n"
		"size and, where it can be told without reading everything, the number of\n"
		"instructions. Of ETE it reads all packets and counts them, and of a .zstf from a pipe\n"
		"everything up to its index. With --json one\n"
		"document. --coverage reads the trace, twice, and tells instead how many of the registers\n"
		"that instructions read and write, and of addresses and contents of accesses, are known:\n"
		"told by the trace, and with what follows from it (see --derive of view).\n",
	.takes = OPTION_LIST(TAKES_COMMON, TAKES(OUTPUT), TAKES_FROM, TAKES(JSON), TAKES(COVERAGE),
                         TAKES(IMAGE)),
	.run = info_run,
};
