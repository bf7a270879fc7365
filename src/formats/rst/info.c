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
	unsigned tlbs, pavadiffs;
};

/* Strings one after another: `said` with each. */
struct strings {
	char text[1024];
	size_t len;
};

/* Takes a string record; true when a string is complete. */
static bool take_string(struct strings *s, const uint8_t *p)
{
	size_t n = strnlen((const char *)p + 1, SIZE - 1);
	if (n > sizeof s->text - 1 - s->len)
		n = sizeof s->text - 1 - s->len;
	memcpy(s->text + s->len, p + 1, n);
	s->len += n;
	s->text[s->len] = 0;
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

static void info_look(const struct rst_impl *im, struct beginning *b)
{
	struct strings s = {.len = 0};
	for (size_t at = 0; at < im->head_len; at += SIZE) {
		const uint8_t *p = im->head + at;
		if (p[0] == CAIRN_RST_INSTR)
			break;
		const struct rst_layout *l = rst_layout_of(p, im->version);
		if (p[0] == CAIRN_RST_TRACEINFO && l) {
			b->level = l->id == RST_L_NLEVEL && !b->level ? p : b->level;
			b->info2 = l->id == RST_L_INFO2 && !b->info2 ? p : b->info2;
			b->cpuinfo = l->id == RST_L_CPUINFO && !b->cpuinfo ? p : b->cpuinfo;
		}
		b->tlbs += p[0] == CAIRN_RST_TLB;
		if ((p[0] != CAIRN_RST_STRCONT && p[0] != CAIRN_RST_STRDESC) || !take_string(&s, p))
			continue;
		info_keep(b->mmutype, sizeof b->mmutype, s.text, "mmutype=");
		info_keep(b->cputype, sizeof b->cputype, s.text, "cputype=");
		info_keep(b->nwins, sizeof b->nwins, s.text, "nwins=");
		s.len = 0;
	}
}

static int list_strings(const struct rst_impl *im, struct model_facts *f)
{
	struct strings s = {.len = 0};
	bool any = false;
	int rc = 0;
	for (size_t at = 0; at < im->head_len && rc >= 0; at += SIZE) {
		const uint8_t *p = im->head + at;
		if (p[0] == CAIRN_RST_INSTR)
			break;
		if ((p[0] != CAIRN_RST_STRCONT && p[0] != CAIRN_RST_STRDESC) || !take_string(&s, p))
			continue;
		rc = model_fact_list(f, "comments", "%s", s.text);
		any = true;
		s.len = 0;
	}
	return rc < 0 || any ? rc : model_fact_empty_list(f, "comments");
}

/* "SIMULATED_HW cputype 0: 3", as far as names are known. */
static int list_hardware(const struct rst_impl *im, struct model_facts *f)
{
	static const char *const infos[] = {NULL,       NULL,        "cputype",   "numproc",
	                                    "memsize",  "cpufreq",   NULL,        NULL,
	                                    "tlbsize",  "cachespec", "nnic",      "ipaddr",
	                                    "disksize", NULL,        "diskdelay", "nregwin"};
	static const struct rst_name sources[] = {{2, "rstblaze"}, {3, "atrace"}, {5, "shade5"},
	                                          {6, "shade6"},   {7, "simics"}, {0, NULL}};
	bool any = false;
	int rc = 0;
	for (size_t at = 0; at < im->head_len && rc >= 0; at += SIZE) {
		const uint8_t *p = im->head + at;
		if (p[0] == CAIRN_RST_INSTR)
			break;
		if (p[0] != CAIRN_RST_HWINFO)
			continue;
		char number[16];
		const char *category = rst_name(rst_categories, p[2]);
		const char *what = p[2] == 2           ? rst_name(sources, p[3])
		                   : p[3] < 16 && p[3] ? infos[p[3]]
		                                       : NULL;
		snprintf(number, sizeof number, "info %u", p[3]);
		rc = model_fact_list(f, "hardware", "%s %s %u: %llu %llu", category ? category : "category",
		                     what ? what : number, base_be16(p + 4),
		                     (unsigned long long)base_be64(p + 8),
		                     (unsigned long long)base_be64(p + 16));
		any = true;
	}
	return rc < 0 || any ? rc : model_fact_empty_list(f, "hardware");
}

static int fact_string(struct model_facts *f, const char *key, const char *text)
{
	return *text ? model_fact_text(f, key, "%s", text) : model_fact_unknown(f, key);
}

static int fact_date(struct model_facts *f, const char *key, const uint8_t *p)
{
	time_t t = p ? (time_t)base_be64(p) : 0;
	struct tm tm;
	char text[64];
	if (!p || t < 0 || t > (time_t)UINT32_MAX * 4 || !gmtime_r(&t, &tm) ||
	    !strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &tm))
		return model_fact_unknown(f, key);
	return model_fact_text(f, key, "%s", text);
}

/* How many instructions, when that can be told by reading little. */
static int info_fact_total(const struct rst_impl *im, struct model_facts *f)
{
	uint64_t n = 0;
	if (!im->map || im->map_len > SMALL)
		return model_fact_unknown(f, "instructions");
	for (size_t at = 0; at + SIZE <= im->map_len; at += SIZE)
		n += im->map[at] == CAIRN_RST_INSTR;
	return model_fact_number(f, "instructions", n);
}

static int info_facts_of_file(struct cairn_reader *r, struct model_facts *f)
{
	const struct rst_impl *im = r->impl;
	int rc = model_fact_text(f, "format", "RST");
	if (rc >= 0)
		rc = im->version
		         ? model_fact_text(f, "version", "%u.%02u", im->version >> 8, im->version & 255)
		         : model_fact_unknown(f, "version");
	if (rc >= 0)
		rc = model_fact_text(f, "kind", "%s", im->rfs ? "RFS snapshot" : "instructions");
	if (rc >= 0)
		rc = model_fact_text(f, "container", "%s",
		                     im->stream.container ? im->stream.container : "none");
	return rc < 0 ? rc : model_fact_text(f, "codec", "%s", io_codec(r->io));
}

static int facts_of_cpus(struct model_facts *f, const struct beginning *b)
{
	const uint8_t *p = b->info2;
	int rc = model_fact_text(f, "isa", "sparc");
	if (rc >= 0 && !p && b->cpuinfo)
		rc = model_fact_number(f, "cpus", base_be16(b->cpuinfo + 2));
	else if (rc >= 0)
		rc = p ? model_fact_number(f, "cpus", p[3]) : model_fact_unknown(f, "cpus");
	if (rc >= 0)
		rc = p ? model_fact_number(f, "max_cpu", p[2]) : model_fact_unknown(f, "max_cpu");
	if (rc >= 0)
		rc = fact_string(f, "cputype", b->cputype);
	if (rc >= 0)
		rc = fact_string(f, "mmutype", b->mmutype);
	if (rc >= 0)
		rc = fact_string(f, "windows", b->nwins);
	return rc < 0 ? rc : model_fact_number(f, "tlb_entries", b->tlbs);
}

static int facts_of_making(struct model_facts *f, const struct beginning *b)
{
	const uint8_t *p = b->info2;
	int rc = b->level ? model_fact_number(f, "level", base_be16(b->level + 2))
	                  : model_fact_unknown(f, "level");
	if (rc >= 0)
		rc = p ? model_fact_text(f, "specification", "%u.%u.%u", p[4], p[5], p[6])
		       : model_fact_unknown(f, "specification");
	if (rc >= 0)
		rc = fact_date(f, "created", p ? p + 8 : b->level ? b->level + 8 : NULL);
	return rc < 0 ? rc : fact_date(f, "modified", p ? p + 16 : NULL);
}

/* ---- "mmutype=cheetahplus iTLB=16/128, dTLB=16/512/512" ---- */

/* "16/128" */
static bool parse_sizes(const char **s, struct rst_mmu *m, unsigned which)
{
	for (;;) {
		char *end;
		if (**s < '0' || **s > '9')
			return false;
		unsigned long n = strtoul(*s, &end, 10);
		if (n > 0xffff)
			return false;
		m->entries += (unsigned)n;
		if (m->n[which] < 4)
			m->size[which][m->n[which]++] = (unsigned)n;
		*s = end;
		if (**s != '/')
			return true;
		(*s)++;
	}
}

static bool info_skip(const char **s, const char *word)
{
	size_t n = strlen(word);
	if (strncmp(*s, word, n) != 0)
		return false;
	*s += n;
	return true;
}

bool rst_parse_mmutype(const char *s, struct rst_mmu *m)
{
	memset(m, 0, sizeof *m);
	if (!info_skip(&s, "mmutype=") || *s == 0 || *s == ' ')
		return false;
	s += strcspn(s, " ");
	if (info_skip(&s, " uTLB="))
		return parse_sizes(&s, m, 0) && !*s;
	return info_skip(&s, " iTLB=") && parse_sizes(&s, m, 0) && info_skip(&s, ", dTLB=") &&
	       parse_sizes(&s, m, 1) && !*s;
}

int rst_info(struct cairn_reader *r, struct model_facts *f)
{
	const struct rst_impl *im = r->impl;
	uint64_t stored = io_stored_size(r->io);
	struct beginning b = {0};
	info_look(im, &b);
	int rc = info_facts_of_file(r, f);
	if (rc >= 0)
		rc = facts_of_cpus(f, &b);
	if (rc >= 0)
		rc = info_fact_total(im, f);
	if (rc >= 0)
		rc = im->map ? model_fact_number(f, "records", im->map_len / SIZE)
		             : model_fact_unknown(f, "records");
	if (rc >= 0)
		rc = stored == IO_UNKNOWN ? model_fact_unknown(f, "size")
		                          : model_fact_number(f, "size", stored);
	if (rc >= 0)
		rc = facts_of_making(f, &b);
	if (rc >= 0)
		rc = list_hardware(im, f);
	return rc < 0 ? rc : list_strings(im, f);
}
