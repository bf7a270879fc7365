/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine for what belongs to no CPU: the beginning of the trace, strings and
 * what they say, and records that open and close something.
 *
 * The record before is remembered: the walk gives every record behind one that is no
 * instruction, so whether two stand side by side is known.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/rst/check/rules.h"

enum { SIZE = CAIRN_RST_SIZE, HEAD_DONE = 3, SPECIFICATION = 0x000101 /* 0.1.1 */ };
enum { FEWEST_WINDOWS = 3, MOST_WINDOWS = 32, BYTE_MOST = 255 };

/* ---- the first three records ---- */

static void judge_header(const struct rst_tell *tell, const uint8_t *p)
{
	char text[RST_SIZE_RSTHEADER_magic + 1] = "", *v;
	unsigned major, minor, says_major = rst_RSTHEADER_major(p), says_minor = rst_RSTHEADER_minor(p);
	memcpy(text, rst_RSTHEADER_magic(p), RST_SIZE_RSTHEADER_magic);
	if (*rst_RSTHEADER_percent(p) != '%')
		FIND(tell, HEADER_PERCENT, "byte 3 is 0x%02x, not '%%'",
		     (uint8_t)*rst_RSTHEADER_percent(p));
	v = strstr(text, " v");
	if (strncmp(text, "RST Header", 10) != 0)
		FIND(tell, HEADER_MAGIC, "header_str is \"%s\"", text);
	else if (v && sscanf(v, " v%3u.%3u", &major, &minor) == 2 &&
	         (major != says_major || minor != says_minor))
		FIND(tell, HEADER_VERSION, "header_str is \"%s\", but the bytes say %u.%02u", text,
		     says_major, says_minor);
	if (rst_version_of(p) > RST_NEWEST || says_major == 0)
		FIND(tell, HEADER_PUBLISHED, "version %u.%02u is none of rstf.h", says_major, says_minor);
}

static void judge_info2(struct rst_judge *judge, const struct rst_tell *tell, const uint8_t *p)
{
	uint64_t created = rst_INFO2_date_created(p), modified = rst_INFO2_date_modified(p);
	unsigned major = rst_INFO2_spec_major(p), minor = rst_INFO2_spec_minor(p);
	unsigned sub_minor = rst_INFO2_spec_sub_minor(p), cpus = rst_INFO2_total_num_cpus(p);
	memcpy(judge->info2, p, SIZE);
	judge->info2_at = rst_place(tell);
	unsigned spec = major << 16 | minor << 8 | sub_minor;
	if (spec == 0 || spec > SPECIFICATION)
		FIND(tell, INFO2_SPEC, "the specification is %u.%u.%u", major, minor, sub_minor);
	if (cpus > rst_INFO2_max_cpu_id(p) + 1u)
		FIND(tell, INFO2_FIT, "total_num_cpus is %u, but max_cpu_id %u", cpus,
		     rst_INFO2_max_cpu_id(p));
	if (modified < created)
		FIND(tell, INFO2_DATES, "modified at %llu, before it was created at %llu", ULL(modified),
		     ULL(created));
	else if (modified != created && judge->level == 1)
		FIND(tell, INFO2_UNMODIFIED, "created at %llu, modified at %llu, but the level is 1",
		     ULL(created), ULL(modified));
}

static const char *rules_head_name_of(const uint8_t *p)
{
	const char *name = cairn_rst_type_name(p[0]);
	return name ? name : "of an unknown type";
}

static void beginning(struct rst_judge *judge, const struct rst_tell *tell, const uint8_t *p)
{
	bool info = p[0] == CAIRN_RST_TRACEINFO;
	if (judge->head == 0) {
		judge->head = 1;
		if (p[0] == CAIRN_RST_RSTHEADER) {
			judge_header(tell, p);
			return;
		}
		judge->middle = !info;
		FIND(tell, HEADER_FIRST, "the first record is %s, not RSTHEADER%s", rules_head_name_of(p),
		     info ? "" : "; a part of a trace is judged behind the parts before it");
		if (judge->middle) {
			judge->head = HEAD_DONE;
			rst_judge_forget(judge);
		}
	}
	if (judge->head == 1) {
		judge->head = 2;
		if (info && rst_NLEVEL_rtype2(p) == 2) {
			judge->level = rst_NLEVEL_level(p) == 1;
			if (rst_NLEVEL_level(p) == 0)
				FIND(tell, INFO1_LEVEL, "the level is 0");
			return;
		}
		if (judge->version == 0 || judge->version >= RST_VERSION(2, 6))
			FIND(tell, INFO1_SECOND, "the second record is %s, not TRACEINFO NLEVEL",
			     rules_head_name_of(p));
	}
	if (judge->head == 2) {
		const struct rst_layout *layout = rst_layout_of(p, judge->version);
		judge->head = HEAD_DONE;
		if (layout && layout->id == RST_L_INFO2)
			judge_info2(judge, tell, p);
		else if (layout && layout->id == RST_L_CPUINFO)
			FIND(tell, INFO2_THIRD,
			     "the third record is TRACEINFO CPUINFO, of an older meaning of "
			     "its number, not info 2");
		else
			FIND(tell, INFO2_THIRD, "the third record is %s, not TRACEINFO info 2",
			     info ? "another TRACEINFO" : rules_head_name_of(p));
	}
}

/* ---- what strings say ---- */

/* The number of entries of the largest TLB for instructions or data, by mmutype; UINT32_MAX: not
 * known. Which TLB a record means is the processor's own numbering (UltraSPARC III: 0 and 2). */
static uint32_t entries_of(const struct rst_mmu *mmu, unsigned data)
{
	const unsigned which = mmu->n[1] ? data : 0; /* one for both */
	uint32_t most = 0;
	for (unsigned i = 0; i < mmu->n[which]; i++)
		most = mmu->size[which][i] > most ? mmu->size[which][i] : most;
	return mmu->n[which] && mmu->n[which] < 4 ? most : UINT32_MAX;
}

static void report_tlb(struct check_part *part, const struct check_place *at, unsigned data,
                       uint32_t entry, uint32_t size)
{
	check_add(part, RST_RULE_TLB_INDEX, at,
	          "entry %u of %s TLB, but by mmutype none has more than %u", entry,
	          data ? "a D" : "an I", size);
}

void rst_rule_tlb_entry(struct rst_judge *judge, const struct rst_tell *tell, const uint8_t *p)
{
	unsigned data = rst_TLB_tlb(p);
	uint32_t entry = rst_TLB_tlb_index(p), size = entries_of(&judge->mmu, data);
	struct rst_tlb_high *high = &judge->tlb_high[data];
	struct check_place at;
	if (entry >= size) {
		at = rst_place(tell);
		report_tlb(tell->part, &at, data, entry, size);
	} else if (size == UINT32_MAX && entry + 1 > high->entry && !judge->begun) {
		*high = (struct rst_tlb_high){entry + 1, rst_place(tell)};
	}
}

/* mmutype may come behind the TLB records. */
static void judge_mmu(struct rst_judge *judge, const struct rst_tell *tell)
{
	for (unsigned data = 0; data < 2; data++) {
		const struct rst_tlb_high *high = &judge->tlb_high[data];
		uint32_t size = entries_of(&judge->mmu, data);
		if (high->entry > size)
			report_tlb(tell->part, &high->at, data, high->entry - 1, size);
	}
	memset(judge->tlb_high, 0, sizeof judge->tlb_high);
}

static void judge_windows(const struct rst_tell *tell, const struct check_place *at, uint64_t n)
{
	if (n < FEWEST_WINDOWS || n > MOST_WINDOWS)
		check_add(tell->part, RST_RULE_NWINS_VALUE, at, "%llu register windows", ULL(n));
}

static void rules_head_judge_text(struct rst_judge *judge, const struct rst_tell *tell)
{
	const char *s = judge->text;
	char *end;
	if (judge->begun)
		return;
	if (!strncmp(s, "mmutype", 7)) {
		judge->has_mmu = true;
		struct rst_mmu mmu;
		bool formed = rst_parse_mmutype(s, &mmu);
		judge->tlb_size = formed ? mmu.entries : 0;
		judge->mmu = formed ? mmu : (struct rst_mmu){0};
		if (formed)
			judge_mmu(judge, tell);
		else
			check_add(tell->part, RST_RULE_MMU_FORM, &judge->text_at, "\"%s\"", s);
	} else if (!strncmp(s, "cputype=", 8) && s[8]) {
		judge->has_cputype = true;
	} else if (!strncmp(s, "nwins=", 6) && s[6] >= '0' && s[6] <= '9') {
		unsigned long n = strtoul(s + 6, &end, 10);
		judge->has_nwins |= *end == 0;
		if (*end == 0)
			judge_windows(tell, &judge->text_at, n);
	}
}

static void rules_head_string(struct rst_judge *judge, const struct rst_tell *tell,
                              const uint8_t *p)
{
	if (judge->prev_rec == 0 || judge->prev[0] != CAIRN_RST_STRCONT) {
		judge->text_len = 0;
		judge->text_at = rst_place(tell);
	}
	judge->text_len +=
		rst_text_add(p, judge->text + judge->text_len, sizeof judge->text - judge->text_len);
	if (p[0] == CAIRN_RST_STRDESC)
		rules_head_judge_text(judge, tell);
}

void rst_rule_begun(struct rst_judge *judge, const struct rst_tell *tell)
{
	judge->begun = true;
	if (judge->middle)
		return;
	if (!judge->has_mmu && judge->shade)
		FIND(tell, MMU_SHADE, "the first instruction, but no string \"mmutype=…\" before it");
	else if (!judge->has_mmu)
		FIND(tell, MMU_PRESENT, "the first instruction, but no string \"mmutype=…\" before it");
	if (!judge->has_cputype)
		FIND(tell, CPU_TYPE, "the first instruction, but no string \"cputype=TYPE\" before it");
	if (!judge->has_nwins && judge->has_regwins)
		FIND(tell, NWINS_STRING,
		     "the first instruction, but HWINFO, and no string \"nwins=N\", tells "
		     "the number of windows");
	else if (!judge->has_nwins)
		FIND(tell, NWINS, "the first instruction, but no string \"nwins=N\" before it");
	if (!judge->any_tlb && !judge->warm)
		FIND(tell, FIRST_TLB, "the first instruction, but no TLB record before it");
}

/* ---- what opens and closes ---- */

struct pairs {
	struct rst_open_pair *stack;
	unsigned *n;
};

static void open_pair(struct rst_judge *judge, const struct rst_tell *tell, struct pairs pairs,
                      unsigned id, unsigned length)
{
	if (*pairs.n < RST_NESTED)
		pairs.stack[*pairs.n] = (struct rst_open_pair){.at = rst_place(tell),
		                                               .rec = judge->rec_base + tell->rec,
		                                               .length = length,
		                                               .id = (uint8_t)id};
	++*pairs.n;
}

/* Close the last one opened; NULL when there is none, or it was too deep to be kept. */
static const struct rst_open_pair *close_pair(struct pairs pairs)
{
	return *pairs.n && --*pairs.n < RST_NESTED ? &pairs.stack[*pairs.n] : NULL;
}

/* rstf.h does not say whether the delimiters count, nor that the last record is full; 0 means
 * nothing. */
static void judge_length(const struct rst_tell *tell, const struct rst_open_pair *left,
                         uint32_t right, uint64_t records)
{
	uint64_t n = left->length, most = (records + 2) * SIZE;
	if (n && right && n != right)
		FIND(tell, DELIM_LENGTH, "the length is %u, that of the LEFTDELIM %llu", right, ULL(n));
	else if (n && (n > most || (records && n <= (records - 1) * SIZE)))
		check_add(tell->part, RST_RULE_DELIM_LENGTH, &left->at,
		          "the length is %llu, but %llu bytes stand before the RIGHTDELIM", ULL(n),
		          ULL(records * SIZE));
}

static void delimiter(struct rst_judge *judge, const struct rst_tell *tell, const uint8_t *p)
{
	struct pairs pairs = {judge->delim, &judge->n_delim};
	unsigned id = rst_LEFTDELIM_id(p), length = rst_LEFTDELIM_length(p);
	if (p[0] == CAIRN_RST_LEFTDELIM) {
		open_pair(judge, tell, pairs, id, length);
		return;
	}
	if (judge->n_delim == 0 && !judge->lost)
		FIND(tell, DELIM_MATCH, "a RIGHTDELIM (id %u) without LEFTDELIM", id);
	const struct rst_open_pair *left = close_pair(pairs);
	if (left && left->id != id)
		FIND(tell, DELIM_MATCH, "the id is %u, that of the LEFTDELIM %u", id, left->id);
	else if (left)
		judge_length(tell, left, length, judge->rec_base + tell->rec - left->rec - 1);
}

static void patch(struct rst_judge *judge, const struct rst_tell *tell, const uint8_t *p)
{
	struct pairs pairs = {judge->patch, &judge->n_patch};
	unsigned id = rst_PATCH_id(p);
	if (rst_PATCH_begin(p)) {
		open_pair(judge, tell, pairs, id, rst_PATCH_length(p));
		return;
	}
	if (judge->n_patch == 0 && !judge->lost)
		FIND(tell, PATCH_PAIR, "the end of a PATCH (id %u) that has not begun", id);
	const struct rst_open_pair *pair = close_pair(pairs);
	uint64_t n = pair ? judge->rec_base + tell->rec - pair->rec - 1 : 0;
	if (pair && pair->id != id)
		FIND(tell, PATCH_PAIR, "the end of PATCH %u inside PATCH %u", id, pair->id);
	else if (pair && n != pair->length)
		check_add(tell->part, RST_RULE_PATCH_LENGTH, &pair->at,
		          "the length is %u, but %llu record%s stand before the end", pair->length, ULL(n),
		          n == 1 ? "" : "s");
}

static void begin_section(struct rst_judge *judge, const struct rst_tell *tell, const uint8_t *p)
{
	uint64_t n = rst_RFS_SECTION_HEADER_n_records(p);
	uint8_t type = rst_RFS_SECTION_HEADER_section_type(p);
	bool rst = type == CAIRN_RST_RFS_RST;
	if (judge->in_section && judge->section == CAIRN_RST_RFS_RST)
		FIND(tell, RFS_LAST, "a section behind the RST section");
	if (n == INT64_MAX && !rst)
		FIND(tell, RFS_UNKNOWN, "a section of %s records with an unknown number of them",
		     cairn_rst_type_name(type) ? cairn_rst_type_name(type) : "unknown");
	else if (n > INT64_MAX)
		FIND(tell, RFS_SECTION, "the number of records is negative");
	judge->in_section = n <= INT64_MAX && (rst || n != INT64_MAX);
	judge->section = type;
	judge->section_left = n;
	judge->section_from = judge->rec_base + tell->rec;
	judge->section_at = rst_place(tell);
	if (rst && judge->snapshot)
		judge->head = 0;
}

/* A record of a snapshot's sections of addresses or branches. */
static void in_section(struct rst_judge *judge, const struct rst_tell *tell, const uint8_t *p)
{
	bool header = p[0] == CAIRN_RST_RFS_SECTION_HEADER;
	if (judge->section == CAIRN_RST_RFS_RST)
		return;
	if (judge->section_left == 0 && !header) {
		FIND(tell, RFS_SECTION, "%s behind the end of a section, not a section header",
		     rules_head_name_of(p));
		judge->in_section = false;
	} else if (judge->section_left && p[0] == judge->section) {
		judge->section_left--;
	} else if (judge->section_left) {
		FIND(tell, RFS_SECTION, "%s in a section of %s records, of which %llu are missing",
		     rules_head_name_of(p),
		     cairn_rst_type_name(judge->section) ? cairn_rst_type_name(judge->section) : "unknown",
		     ULL(judge->section_left));
		judge->in_section = false;
	}
}

static void rules_head_snapshot(struct rst_judge *judge, const struct rst_tell *tell,
                                const uint8_t *p)
{
	bool rfs = p[0] >= CAIRN_RST_RFS_SECTION_HEADER && p[0] <= CAIRN_RST_RFS_RST;
	if (rfs && !judge->snapshot && !judge->told_rfs) {
		judge->told_rfs = true;
		FIND(tell, RFS_SNAPSHOT, "%s, but the trace is no snapshot", rules_head_name_of(p));
	}
	if (judge->in_section)
		in_section(judge, tell, p);
	if (p[0] == CAIRN_RST_RFS_SECTION_HEADER)
		begin_section(judge, tell, p);
	judge->warm |= p[0] == CAIRN_RST_RFS_CW;
}

/* ---- the record before ---- */

static void judge_neighbours(struct rst_judge *judge, const struct rst_tell *tell, const uint8_t *p)
{
	const uint8_t *q = judge->prev;
	struct check_part *part = tell->part;
	if (judge->prev_rec == 0)
		return;
	switch (q[0]) {
	case CAIRN_RST_STRCONT:
		if (p[0] != CAIRN_RST_STRCONT && p[0] != CAIRN_RST_STRDESC)
			check_add(part, RST_RULE_STRING_CONT, &judge->prev_at,
			          "the string is not continued: %s follows", rules_head_name_of(p));
		break;
	case CAIRN_RST_STATUS:
		if (rst_STATUS_status(q) == 2)
			check_add(part, RST_RULE_STATUS_EOF, &judge->prev_at, "%s follows STATUS EOF",
			          rules_head_name_of(p));
		break;
	case CAIRN_RST_PAVADIFF:
		if ((p[0] != CAIRN_RST_INSTR && p[0] != CAIRN_RST_PAVADIFF) ||
		    tell->cpu != judge->prev_cpu) {
			if (!judge->prev_first)
				check_add(part, RST_RULE_PAVA_PLACE, &judge->prev_at, "%s%s follows the PAVADIFF",
				          rules_head_name_of(p),
				          tell->cpu >= 0 && tell->cpu != judge->prev_cpu ? " of another CPU" : "");
		} else if (p[0] == CAIRN_RST_INSTR && rst_PAVADIFF_ea_valid(q) && !rst_INSTR_ea_valid(p)) {
			check_add(part, RST_RULE_PAVA_EA, &judge->prev_at,
			          "ea_valid is 1, but that of the INSTR behind it is 0");
		}
		break;
	default:
		break;
	}
}

static void judge_hardware(struct rst_judge *judge, const struct rst_tell *tell, const uint8_t *p)
{
	unsigned category = rst_HWINFO_category(p), type = rst_HWINFO_infotype(p);
	if ((category == 6 || category == 7) && type == 15) {
		struct check_place at = rst_place(tell);
		judge->has_regwins = true;
		judge_windows(tell, &at, rst_HWINFO_val(p));
	}
	judge->shade |= category == 2 && (type == 5 || type == 6);
}

void rst_rule_head(struct rst_judge *judge, const struct rst_tell *tell, const uint8_t *p)
{
	judge_neighbours(judge, tell, p);
	if (judge->prev_rec == 0 && rst_begins_snapshot(p)) {
		judge->snapshot = true;
		judge->head = HEAD_DONE; /* it begins in its RST section */
		return;
	}
	if (p[0] == CAIRN_RST_RSTHEADER && judge->head != 0)
		FIND(tell, HEADER_ONCE, "another RSTHEADER");
	if (judge->head != HEAD_DONE)
		beginning(judge, tell, p);
	if (p[0] == CAIRN_RST_INSTR && !judge->in_section)
		return;
	rules_head_snapshot(judge, tell, p);
	switch (p[0]) {
	case CAIRN_RST_STRCONT:
	case CAIRN_RST_STRDESC:
		rules_head_string(judge, tell, p);
		break;
	case CAIRN_RST_HWINFO:
		judge_hardware(judge, tell, p);
		break;
	case CAIRN_RST_LEFTDELIM:
	case CAIRN_RST_RIGHTDELIM:
		delimiter(judge, tell, p);
		break;
	case CAIRN_RST_PATCH:
		patch(judge, tell, p);
		break;
	default:
		break;
	}
}

/* ---- the end ---- */

static void end_pairs(struct rst_judge *judge, struct check_part *part, uint64_t records)
{
	for (unsigned i = 0; i < judge->n_delim && i < RST_NESTED; i++)
		check_add(part, RST_RULE_DELIM_MATCH, &judge->delim[i].at,
		          "a LEFTDELIM (id %u) without RIGHTDELIM", judge->delim[i].id);
	for (unsigned i = 0; i < judge->n_patch && i < RST_NESTED; i++)
		check_add(part, RST_RULE_PATCH_PAIR, &judge->patch[i].at,
		          "a PATCH (id %u) that does not end", judge->patch[i].id);
	if (judge->prev_rec && judge->prev[0] == CAIRN_RST_STRCONT)
		check_add(part, RST_RULE_STRING_CONT, &judge->prev_at,
		          "the string is not continued: the trace ends");
	if (!judge->in_section)
		return;
	uint64_t has = records - judge->section_from;
	if (judge->section != CAIRN_RST_RFS_RST && judge->section_left)
		check_add(part, RST_RULE_RFS_SECTION, &judge->section_at,
		          "%llu records of the section are missing", ULL(judge->section_left));
	else if (judge->section == CAIRN_RST_RFS_RST && judge->section_left != INT64_MAX &&
	         judge->section_left != has)
		check_add(part, RST_RULE_RFS_SECTION, &judge->section_at,
		          "the section has %llu records, its header says %llu", ULL(has),
		          ULL(judge->section_left));
}

static void end_cpus(struct rst_judge *judge, struct check_part *part)
{
	unsigned max = 0, n = 0;
	for (unsigned i = 0; i < RST_MAX_CPUS && i <= judge->max_cpu; i++) {
		if (!(judge->ran[i / 64] >> (i & 63) & 1))
			continue;
		max = i;
		n++;
	}
	if (judge->info2[0] == 0 || !judge->insns)
		return;
	unsigned told_max = rst_INFO2_max_cpu_id(judge->info2);
	unsigned told = rst_INFO2_total_num_cpus(judge->info2);
	if (max < told_max)
		check_add(part, RST_RULE_INFO2_MAX, &judge->info2_at,
		          "max_cpu_id is %u; the largest CPU number is %u", told_max, max);
	bool beyond = n > BYTE_MOST && told == BYTE_MOST; /* as many as one byte can count */
	if (n != told && told <= told_max + 1u && !beyond)
		check_add(part, RST_RULE_INFO2_TOTAL, &judge->info2_at, "total_num_cpus is %u; %u CPU%s",
		          told, n, n == 1 ? " has instructions" : "s have instructions");
}

void rst_rule_end(struct rst_judge *judge, struct check_part *part)
{
	static const struct check_place nowhere;
	struct {
		const struct rst_advice *a;
		unsigned rule;
		const char *what;
	} advice[] = {{&judge->before, RST_RULE_EXIT_BEFORE, "REGVAL of %g7 and %sp before its PREG"},
	              {&judge->after, RST_RULE_EXIT_AFTER, "REGVAL of TL, TT, TPC and TNPC behind it"},
	              {&judge->trapexit, RST_RULE_EXIT_TRAPEXIT, "TRAPEXIT behind it"}};
	if (!judge->damaged) {
		end_pairs(judge, part, judge->rec_base + judge->file_records);
		end_cpus(judge, part);
	}
	for (size_t i = 0; i < sizeof advice / sizeof *advice; i++)
		if (advice[i].a->count)
			check_add(part, advice[i].rule, &advice[i].a->at, "no %s (%llu time%s in the trace)",
			          advice[i].what, ULL(advice[i].a->count), advice[i].a->count == 1 ? "" : "s");
	if (!judge->insns && !judge->snapshot && !judge->damaged)
		check_add(part, RST_RULE_TRACE_EMPTY, &nowhere, "the trace holds no instruction");
}
