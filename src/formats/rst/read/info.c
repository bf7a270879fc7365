/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts about a trace from its first records: versions, CPUs, dates, the strings that
 * describe the machine, the sections of a snapshot.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "formats/rst/rst.h"

enum { SIZE = CAIRN_RST_SIZE, SMALL = 32 << 20 };

/* What the records before the first instruction tell. */
struct beginning {
	const uint8_t *level, *info2, *cpuinfo;
	char mmutype[256], cputype[256], nwins[32];
	unsigned tlbs;
};

/* Strings one after another: `said` with each. */
struct strings {
	char text[1024];
	size_t len;
};

/* The record behind p, or the first one, if it stands before the first instruction. */
static const uint8_t *info_next(const struct rst_impl *im, const uint8_t *p)
{
	p = p ? p + SIZE : im->head;
	return p < im->head + im->head_len && p[0] != CAIRN_RST_INSTR ? p : NULL;
}

/* Takes a record; true when it completes a string. */
static bool take_string(struct strings *strings, const uint8_t *p)
{
	if (p[0] != CAIRN_RST_STRCONT && p[0] != CAIRN_RST_STRDESC)
		return false;
	strings->len +=
		rst_text_add(p, strings->text + strings->len, sizeof strings->text - strings->len);
	return p[0] == CAIRN_RST_STRDESC;
}

static void info_keep(char *to, size_t size, const char *text, const char *key)
{
	size_t n = strlen(key);
	if (*to || strncmp(text, key, n) != 0)
		return;
	size_t len = strnlen(text + n, size - 1);
	memcpy(to, text + n, len);
	to[len] = 0;
}

static void info_look(const struct rst_impl *im, struct beginning *beginning)
{
	struct strings strings = {.len = 0};
	for (const uint8_t *p = NULL; (p = info_next(im, p));) {
		const struct rst_layout *layout = rst_layout_of(p, im->version);
		if (p[0] == CAIRN_RST_TRACEINFO && layout) {
			beginning->level =
				layout->id == RST_L_NLEVEL && !beginning->level ? p : beginning->level;
			beginning->info2 =
				layout->id == RST_L_INFO2 && !beginning->info2 ? p : beginning->info2;
			beginning->cpuinfo =
				layout->id == RST_L_CPUINFO && !beginning->cpuinfo ? p : beginning->cpuinfo;
		}
		beginning->tlbs += p[0] == CAIRN_RST_TLB;
		if (!take_string(&strings, p))
			continue;
		info_keep(beginning->mmutype, sizeof beginning->mmutype, strings.text, "mmutype=");
		info_keep(beginning->cputype, sizeof beginning->cputype, strings.text, "cputype=");
		info_keep(beginning->nwins, sizeof beginning->nwins, strings.text, "nwins=");
		strings.len = 0;
	}
}

static int list_strings(const struct rst_impl *im, struct model_facts *facts)
{
	struct strings strings = {.len = 0};
	bool any = false;
	int rc = 0;
	for (const uint8_t *p = NULL; rc >= 0 && (p = info_next(im, p));) {
		if (!take_string(&strings, p))
			continue;
		rc = model_fact_list(facts, "comments", "%s", strings.text);
		any = true;
		strings.len = 0;
	}
	return rc < 0 || any ? rc : model_fact_empty_list(facts, "comments");
}

/* "SIMULATED_HW cputype 0: 3", as far as names are known. */
static int list_hardware(const struct rst_impl *im, struct model_facts *facts)
{
	static const char *const infos[] = {NULL,       NULL,        "cputype",   "numproc",
	                                    "memsize",  "cpufreq",   NULL,        NULL,
	                                    "tlbsize",  "cachespec", "nnic",      "ipaddr",
	                                    "disksize", NULL,        "diskdelay", "nregwin"};
	static const struct rst_name sources[] = {{2, "rstblaze"}, {3, "atrace"}, {5, "shade5"},
	                                          {6, "shade6"},   {7, "simics"}, {0, NULL}};
	bool any = false;
	int rc = 0;
	for (const uint8_t *p = NULL; rc >= 0 && (p = info_next(im, p));) {
		if (p[0] != CAIRN_RST_HWINFO)
			continue;
		char number[16];
		unsigned type = rst_HWINFO_infotype(p);
		const char *category = rst_name(rst_categories, rst_HWINFO_category(p));
		const char *what = rst_HWINFO_category(p) == 2 ? rst_name(sources, type)
		                   : type < 16 && type         ? infos[type]
		                                               : NULL;
		snprintf(number, sizeof number, "info %u", type);
		rc = model_fact_list(facts, "hardware", "%s %s %u: %llu %llu",
		                     category ? category : "category", what ? what : number,
		                     rst_HWINFO_index(p), (unsigned long long)rst_HWINFO_val(p),
		                     (unsigned long long)rst_HWINFO_val2(p));
		any = true;
	}
	return rc < 0 || any ? rc : model_fact_empty_list(facts, "hardware");
}

static int fact_string(struct model_facts *facts, const char *key, const char *text)
{
	return *text ? model_fact_text(facts, key, "%s", text) : model_fact_unknown(facts, key);
}

static int fact_date(struct model_facts *facts, const char *key, bool known, uint64_t when)
{
	time_t t = (time_t)when;
	struct tm tm;
	char text[64];
	if (!known || t < 0 || t > (time_t)UINT32_MAX * 4 || !gmtime_r(&t, &tm) ||
	    !strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &tm))
		return model_fact_unknown(facts, key);
	return model_fact_text(facts, key, "%s", text);
}

/* How many instructions, when that can be told by reading little. */
static int info_fact_total(const struct rst_impl *im, struct model_facts *facts)
{
	const uint8_t *p = im->source.map;
	uint64_t n = 0;
	if (!p || im->source.map_len > SMALL)
		return model_fact_unknown(facts, "instructions");
	for (size_t at = 0; at + SIZE <= im->source.map_len; at += SIZE)
		n += p[at] == CAIRN_RST_INSTR;
	return model_fact_number(facts, "instructions", n);
}

static int info_facts_of_file(struct cairn_reader *reader, struct model_facts *facts)
{
	const struct rst_impl *im = reader->impl;
	int rc = model_fact_text(facts, "format", "RST");
	if (rc >= 0)
		rc = im->version
		         ? model_fact_text(facts, "version", "%u.%02u", im->version >> 8, im->version & 255)
		         : model_fact_unknown(facts, "version");
	if (rc >= 0)
		rc = model_fact_text(facts, "kind", "%s", im->rfs ? "RFS snapshot" : "instructions");
	if (rc >= 0)
		rc = model_fact_text(facts, "container", "%s",
		                     im->stream.container ? im->stream.container : "none");
	return rc < 0 ? rc : model_fact_text(facts, "codec", "%s", io_codec(reader->io));
}

static int facts_of_cpus(struct model_facts *facts, const struct beginning *beginning)
{
	const uint8_t *p = beginning->info2;
	int rc = model_fact_text(facts, "isa", "sparc");
	if (rc >= 0 && !p && beginning->cpuinfo)
		rc = model_fact_number(facts, "cpus", rst_CPUINFO_numcpus(beginning->cpuinfo));
	else if (rc >= 0)
		rc = p ? model_fact_number(facts, "cpus", rst_INFO2_total_num_cpus(p))
		       : model_fact_unknown(facts, "cpus");
	if (rc >= 0)
		rc = p ? model_fact_number(facts, "max_cpu", rst_INFO2_max_cpu_id(p))
		       : model_fact_unknown(facts, "max_cpu");
	if (rc >= 0)
		rc = fact_string(facts, "cputype", beginning->cputype);
	if (rc >= 0)
		rc = fact_string(facts, "mmutype", beginning->mmutype);
	if (rc >= 0)
		rc = fact_string(facts, "windows", beginning->nwins);
	return rc < 0 ? rc : model_fact_number(facts, "tlb_entries", beginning->tlbs);
}

static int facts_of_making(struct model_facts *facts, const struct beginning *beginning)
{
	const uint8_t *p = beginning->info2;
	int rc = beginning->level
	             ? model_fact_number(facts, "level", rst_NLEVEL_level(beginning->level))
	             : model_fact_unknown(facts, "level");
	if (rc >= 0)
		rc = p ? model_fact_text(facts, "specification", "%u.%u.%u", rst_INFO2_spec_major(p),
		                         rst_INFO2_spec_minor(p), rst_INFO2_spec_sub_minor(p))
		       : model_fact_unknown(facts, "specification");
	if (rc >= 0)
		rc = fact_date(facts, "created", p || beginning->level,
		               p                  ? rst_INFO2_date_created(p)
		               : beginning->level ? rst_NLEVEL_time(beginning->level)
		                                  : 0);
	return rc < 0 ? rc : fact_date(facts, "modified", p, p ? rst_INFO2_date_modified(p) : 0);
}

/* ---- "mmutype=cheetahplus iTLB=16/128, dTLB=16/512/512" ---- */

/* "16/128" */
static bool parse_sizes(const char **text, struct rst_mmu *mmu, unsigned which)
{
	for (;;) {
		char *end;
		if (**text < '0' || **text > '9')
			return false;
		unsigned long n = strtoul(*text, &end, 10);
		if (n > 0xffff)
			return false;
		mmu->entries += (unsigned)n;
		if (mmu->n[which] < 4)
			mmu->size[which][mmu->n[which]++] = (unsigned)n;
		*text = end;
		if (**text != '/')
			return true;
		(*text)++;
	}
}

static bool info_skip(const char **text, const char *word)
{
	size_t n = strlen(word);
	if (strncmp(*text, word, n) != 0)
		return false;
	*text += n;
	return true;
}

bool rst_parse_mmutype(const char *text, struct rst_mmu *mmu)
{
	memset(mmu, 0, sizeof *mmu);
	if (!info_skip(&text, "mmutype=") || *text == 0 || *text == ' ')
		return false;
	text += strcspn(text, " ");
	if (info_skip(&text, " uTLB="))
		return parse_sizes(&text, mmu, 0) && !*text;
	return info_skip(&text, " iTLB=") && parse_sizes(&text, mmu, 0) &&
	       info_skip(&text, ", dTLB=") && parse_sizes(&text, mmu, 1) && !*text;
}

int rst_info(struct cairn_reader *reader, struct model_facts *facts)
{
	const struct rst_impl *im = reader->impl;
	struct beginning beginning = {0};
	info_look(im, &beginning);
	int rc = info_facts_of_file(reader, facts);
	if (rc >= 0)
		rc = facts_of_cpus(facts, &beginning);
	if (rc >= 0)
		rc = info_fact_total(im, facts);
	if (rc >= 0)
		rc = im->source.map ? model_fact_number(facts, "records", im->source.map_len / SIZE)
		                    : model_fact_unknown(facts, "records");
	if (rc >= 0)
		rc = model_fact_size(facts, io_stored_size(reader->io));
	if (rc >= 0)
		rc = facts_of_making(facts, &beginning);
	if (rc >= 0)
		rc = list_hardware(im, facts);
	return rc < 0 ? rc : list_strings(im, facts);
}
