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

#include "formats/rst/rules.h"

enum { SIZE = CAIRN_RST_SIZE, HEAD_DONE = 3, SPECIFICATION = 0x000101 /* 0.1.1 */ };
enum { FEWEST_WINDOWS = 3, MOST_WINDOWS = 32, BYTE_MOST = 255 };

/* ---- the first three records ---- */

static void judge_header(const struct rst_tell *t, const uint8_t *p)
{
	char text[21] = "", *v;
	unsigned major, minor;
	memcpy(text, p + 4, 20);
	if (p[3] != '%')
		FIND(t, HEADER_PERCENT, "byte 3 is 0x%02x, not '%%'", p[3]);
	v = strstr(text, " v");
	if (strncmp(text, "RST Header", 10) != 0)
		FIND(t, HEADER_MAGIC, "header_str is \"%s\"", text);
	else if (v && sscanf(v, " v%3u.%3u", &major, &minor) == 2 && (major != p[1] || minor != p[2]))
		FIND(t, HEADER_VERSION, "header_str is \"%s\", but the bytes say %u.%02u", text, p[1],
		     p[2]);
	if (RST_VERSION(p[1], p[2]) > RST_NEWEST || p[1] == 0)
		FIND(t, HEADER_PUBLISHED, "version %u.%02u is none of rstf.h", p[1], p[2]);
}

static void judge_info2(struct rst_judge *j, const struct rst_tell *t, const uint8_t *p)
{
	uint64_t created = base_be64(p + 8), modified = base_be64(p + 16);
	memcpy(j->info2, p, SIZE);
	j->info2_at = rst_place(t);
	unsigned spec = (unsigned)p[4] << 16 | (unsigned)p[5] << 8 | p[6];
	if (spec == 0 || spec > SPECIFICATION)
		FIND(t, INFO2_SPEC, "the specification is %u.%u.%u", p[4], p[5], p[6]);
	if (p[3] > p[2] + 1u)
		FIND(t, INFO2_FIT, "total_num_cpus is %u, but max_cpu_id %u", p[3], p[2]);
	if (modified < created)
		FIND(t, INFO2_DATES, "modified at %llu, before it was created at %llu", ULL(modified),
		     ULL(created));
	else if (modified != created && j->level == 1)
		FIND(t, INFO2_UNMODIFIED, "created at %llu, modified at %llu, but the level is 1",
		     ULL(created), ULL(modified));
}

static const char *rules_head_name_of(const uint8_t *p)
{
	const char *name = cairn_rst_type_name(p[0]);
	return name ? name : "of an unknown type";
}

static void beginning(struct rst_judge *j, const struct rst_tell *t, const uint8_t *p)
{
	bool info = p[0] == CAIRN_RST_TRACEINFO;
	if (j->head == 0) {
		j->head = 1;
		if (p[0] == CAIRN_RST_RSTHEADER) {
			judge_header(t, p);
			return;
		}
		j->middle = !info;
		FIND(t, HEADER_FIRST, "the first record is %s, not RSTHEADER%s", rules_head_name_of(p),
		     info ? "" : "; a part of a trace is judged behind the parts before it");
		if (j->middle) {
			j->head = HEAD_DONE;
			rst_judge_forget(j);
		}
	}
	if (j->head == 1) {
		j->head = 2;
		if (info && p[1] == 2) {
			j->level = base_be16(p + 2) == 1;
			if (base_be16(p + 2) == 0)
				FIND(t, INFO1_LEVEL, "the level is 0");
			return;
		}
		if (j->version == 0 || j->version >= RST_VERSION(2, 6))
			FIND(t, INFO1_SECOND, "the second record is %s, not TRACEINFO NLEVEL",
			     rules_head_name_of(p));
	}
	if (j->head == 2) {
		const struct rst_layout *l = rst_layout_of(p, j->version);
		j->head = HEAD_DONE;
		if (l && l->id == RST_L_INFO2)
			judge_info2(j, t, p);
		else if (l && l->id == RST_L_CPUINFO)
			FIND(t, INFO2_THIRD,
			     "the third record is TRACEINFO CPUINFO, of an older meaning of "
			     "its number, not info 2");
		else
			FIND(t, INFO2_THIRD, "the third record is %s, not TRACEINFO info 2",
			     info ? "another TRACEINFO" : rules_head_name_of(p));
	}
}

/* ---- what strings say ---- */

/* Entries of the largest TLB for instructions or data by mmutype; UINT32_MAX not known. Which
 * of several a record means is the processor's own numbering (UltraSPARC III: 0 and 2). */
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
	          "entry %u of %s TLB, but by mmutype none has more than "
	          "%u",
	          entry, data ? "a D" : "an I", size);
}

void rst_rule_tlb_entry(struct rst_judge *j, const struct rst_tell *t, const uint8_t *p)
{
	unsigned data = p[1] >> 6 & 1;
	uint32_t entry = base_be16(p + 2), size = entries_of(&j->mmu, data);
	struct rst_tlb_high *high = &j->tlb_high[data];
	struct check_place at;
	if (entry >= size) {
		at = rst_place(t);
		report_tlb(t->part, &at, data, entry, size);
	} else if (size == UINT32_MAX && entry + 1 > high->entry && !j->begun) {
		*high = (struct rst_tlb_high){entry + 1, rst_place(t)};
	}
}

/* mmutype may come behind the TLB records. */
static void judge_mmu(struct rst_judge *j, const struct rst_tell *t)
{
	for (unsigned data = 0; data < 2; data++) {
		const struct rst_tlb_high *high = &j->tlb_high[data];
		uint32_t size = entries_of(&j->mmu, data);
		if (high->entry > size)
			report_tlb(t->part, &high->at, data, high->entry - 1, size);
	}
	memset(j->tlb_high, 0, sizeof j->tlb_high);
}

static void judge_windows(const struct rst_tell *t, const struct check_place *at, uint64_t n)
{
	if (n < FEWEST_WINDOWS || n > MOST_WINDOWS)
		check_add(t->part, RST_RULE_NWINS_VALUE, at, "%llu register windows", ULL(n));
}

static void rules_head_judge_text(struct rst_judge *j, const struct rst_tell *t)
{
	const char *s = j->text;
	char *end;
	if (j->begun)
		return;
	if (!strncmp(s, "mmutype", 7)) {
		j->has_mmu = true;
		struct rst_mmu mmu;
		bool formed = rst_parse_mmutype(s, &mmu);
		j->tlb_size = formed ? mmu.entries : 0;
		j->mmu = formed ? mmu : (struct rst_mmu){0};
		if (formed)
			judge_mmu(j, t);
		else
			check_add(t->part, RST_RULE_MMU_FORM, &j->text_at, "\"%s\"", s);
	} else if (!strncmp(s, "cputype=", 8) && s[8]) {
		j->has_cputype = true;
	} else if (!strncmp(s, "nwins=", 6) && s[6] >= '0' && s[6] <= '9') {
		unsigned long n = strtoul(s + 6, &end, 10);
		j->has_nwins |= *end == 0;
		if (*end == 0)
			judge_windows(t, &j->text_at, n);
	}
}

static void rules_head_string(struct rst_judge *j, const struct rst_tell *t, const uint8_t *p)
{
	size_t n = strnlen((const char *)p + 1, SIZE - 1);
	if (j->prev_rec == 0 || j->prev[0] != CAIRN_RST_STRCONT) {
		j->text_len = 0;
		j->text_at = rst_place(t);
	}
	if (n > sizeof j->text - 1 - j->text_len)
		n = sizeof j->text - 1 - j->text_len;
	memcpy(j->text + j->text_len, p + 1, n);
	j->text_len += n;
	j->text[j->text_len] = 0;
	if (p[0] == CAIRN_RST_STRDESC)
		rules_head_judge_text(j, t);
}

void rst_rule_begun(struct rst_judge *j, const struct rst_tell *t)
{
	j->begun = true;
	if (j->middle)
		return;
	if (!j->has_mmu && j->shade)
		FIND(t, MMU_SHADE, "the first instruction, but no string \"mmutype=…\" before it");
	else if (!j->has_mmu)
		FIND(t, MMU_PRESENT, "the first instruction, but no string \"mmutype=…\" before it");
	if (!j->has_cputype)
		FIND(t, CPU_TYPE, "the first instruction, but no string \"cputype=TYPE\" before it");
	if (!j->has_nwins && j->has_regwins)
		FIND(t, NWINS_STRING,
		     "the first instruction, but HWINFO, and no string \"nwins=N\", tells "
		     "the number of windows");
	else if (!j->has_nwins)
		FIND(t, NWINS, "the first instruction, but no string \"nwins=N\" before it");
	if (!j->any_tlb && !j->warm)
		FIND(t, FIRST_TLB, "the first instruction, but no TLB record before it");
}

/* ---- what opens and closes ---- */

static void open_pair(struct rst_judge *j, const struct rst_tell *t, struct rst_open_pair *stack,
                      unsigned *n, const uint8_t *p, unsigned id, unsigned length)
{
	(void)p;
	if (*n < RST_NESTED)
		stack[*n] = (struct rst_open_pair){.at = rst_place(t),
		                                   .rec = j->rec_base + t->rec,
		                                   .length = length,
		                                   .id = (uint8_t)id};
	++*n;
}

/* rstf.h does not say whether the delimiters count, nor that the last record is full; 0 says
 * nothing. */
static void judge_length(const struct rst_tell *t, const struct rst_open_pair *left, uint32_t right,
                         uint64_t records)
{
	uint64_t n = left->length, most = (records + 2) * SIZE;
	if (n && right && n != right)
		FIND(t, DELIM_LENGTH, "the length is %u, that of the LEFTDELIM %llu", right, ULL(n));
	else if (n && (n > most || (records && n <= (records - 1) * SIZE)))
		check_add(t->part, RST_RULE_DELIM_LENGTH, &left->at,
		          "the length is %llu, but %llu bytes "
		          "stand before the RIGHTDELIM",
		          ULL(n), ULL(records * SIZE));
}

static void delimiter(struct rst_judge *j, const struct rst_tell *t, const uint8_t *p)
{
	if (p[0] == CAIRN_RST_LEFTDELIM) {
		open_pair(j, t, j->delim, &j->n_delim, p, p[1], base_be32(p + 4));
		return;
	}
	if (j->n_delim == 0 && j->lost)
		return;
	if (j->n_delim == 0) {
		FIND(t, DELIM_MATCH, "a RIGHTDELIM (id %u) without LEFTDELIM", p[1]);
		return;
	}
	j->n_delim--;
	if (j->n_delim >= RST_NESTED)
		return;
	const struct rst_open_pair *left = &j->delim[j->n_delim];
	if (left->id != p[1])
		FIND(t, DELIM_MATCH, "the id is %u, that of the LEFTDELIM %u", p[1], left->id);
	else
		judge_length(t, left, base_be32(p + 4), j->rec_base + t->rec - left->rec - 1);
}

static void patch(struct rst_judge *j, const struct rst_tell *t, const uint8_t *p)
{
	if (p[1] & 1) {
		open_pair(j, t, j->patch, &j->n_patch, p, p[3], base_be16(p + 4));
		return;
	}
	if (j->n_patch == 0 && j->lost)
		return;
	if (j->n_patch == 0) {
		FIND(t, PATCH_PAIR, "the end of a PATCH (id %u) that has not begun", p[3]);
		return;
	}
	j->n_patch--;
	if (j->n_patch >= RST_NESTED)
		return;
	const struct rst_open_pair *o = &j->patch[j->n_patch];
	uint64_t n = j->rec_base + t->rec - o->rec - 1;
	if (o->id != p[3])
		FIND(t, PATCH_PAIR, "the end of PATCH %u inside PATCH %u", p[3], o->id);
	else if (n != o->length)
		check_add(t->part, RST_RULE_PATCH_LENGTH, &o->at,
		          "the length is %u, but %llu record%s stand "
		          "before the end",
		          o->length, ULL(n), n == 1 ? "" : "s");
}

static void begin_section(struct rst_judge *j, const struct rst_tell *t, const uint8_t *p)
{
	uint64_t n = base_be64(p + 8);
	bool rst = p[1] == CAIRN_RST_RFS_RST;
	if (j->in_section && j->section == CAIRN_RST_RFS_RST)
		FIND(t, RFS_LAST, "a section behind the RST section");
	if (n == INT64_MAX && !rst)
		FIND(t, RFS_UNKNOWN, "a section of %s records with an unknown number of them",
		     cairn_rst_type_name(p[1]) ? cairn_rst_type_name(p[1]) : "unknown");
	else if (n > INT64_MAX)
		FIND(t, RFS_SECTION, "the number of records is negative");
	j->in_section = n <= INT64_MAX && (rst || n != INT64_MAX);
	j->section = p[1];
	j->section_left = n;
	j->section_from = j->rec_base + t->rec;
	j->section_at = rst_place(t);
	if (rst && j->snapshot)
		j->head = 0;
}

/* A record of a snapshot's sections of addresses or branches. */
static void in_section(struct rst_judge *j, const struct rst_tell *t, const uint8_t *p)
{
	bool header = p[0] == CAIRN_RST_RFS_SECTION_HEADER;
	if (j->section == CAIRN_RST_RFS_RST)
		return;
	if (j->section_left == 0 && !header) {
		FIND(t, RFS_SECTION, "%s behind the end of a section, not a section header",
		     rules_head_name_of(p));
		j->in_section = false;
	} else if (j->section_left && p[0] == j->section) {
		j->section_left--;
	} else if (j->section_left) {
		FIND(t, RFS_SECTION, "%s in a section of %s records, of which %llu are missing",
		     rules_head_name_of(p),
		     cairn_rst_type_name(j->section) ? cairn_rst_type_name(j->section) : "unknown",
		     ULL(j->section_left));
		j->in_section = false;
	}
}

static void rules_head_snapshot(struct rst_judge *j, const struct rst_tell *t, const uint8_t *p)
{
	bool rfs = p[0] >= CAIRN_RST_RFS_SECTION_HEADER && p[0] <= CAIRN_RST_RFS_RST;
	if (rfs && !j->snapshot && !j->told_rfs) {
		j->told_rfs = true;
		FIND(t, RFS_SNAPSHOT, "%s, but the trace is no snapshot", rules_head_name_of(p));
	}
	if (j->in_section)
		in_section(j, t, p);
	if (p[0] == CAIRN_RST_RFS_SECTION_HEADER)
		begin_section(j, t, p);
	j->warm |= p[0] == CAIRN_RST_RFS_CW;
}

/* ---- the record before ---- */

static void judge_neighbours(struct rst_judge *j, const struct rst_tell *t, const uint8_t *p)
{
	const uint8_t *q = j->prev;
	struct check_part *part = t->part;
	if (j->prev_rec == 0)
		return;
	switch (q[0]) {
	case CAIRN_RST_STRCONT:
		if (p[0] != CAIRN_RST_STRCONT && p[0] != CAIRN_RST_STRDESC)
			check_add(part, RST_RULE_STRING_CONT, &j->prev_at,
			          "the string is not continued: %s "
			          "follows",
			          rules_head_name_of(p));
		break;
	case CAIRN_RST_STATUS:
		if (q[1] == 2)
			check_add(part, RST_RULE_STATUS_EOF, &j->prev_at, "%s follows STATUS EOF",
			          rules_head_name_of(p));
		break;
	case CAIRN_RST_PAVADIFF:
		if ((p[0] != CAIRN_RST_INSTR && p[0] != CAIRN_RST_PAVADIFF) || t->cpu != j->prev_cpu) {
			if (!j->prev_first)
				check_add(part, RST_RULE_PAVA_PLACE, &j->prev_at, "%s%s follows the PAVADIFF",
				          rules_head_name_of(p),
				          t->cpu >= 0 && t->cpu != j->prev_cpu ? " of another CPU" : "");
		} else if (p[0] == CAIRN_RST_INSTR && (q[1] >> 7) && !(p[1] & RST_I_EA_VALID)) {
			check_add(part, RST_RULE_PAVA_EA, &j->prev_at,
			          "ea_valid is 1, but that of the INSTR "
			          "behind it is 0");
		}
		break;
	default:
		break;
	}
}

void rst_rule_head(struct rst_judge *j, const struct rst_tell *t, const uint8_t *p)
{
	judge_neighbours(j, t, p);
	if (j->prev_rec == 0 && p[0] == CAIRN_RST_STRDESC && !memcmp(p + 1, "RFS v", 5)) {
		j->snapshot = true;
		j->head = HEAD_DONE; /* it begins in its RST section */
		return;
	}
	if (p[0] == CAIRN_RST_RSTHEADER && j->head != 0)
		FIND(t, HEADER_ONCE, "another RSTHEADER");
	if (j->head != HEAD_DONE)
		beginning(j, t, p);
	if (p[0] == CAIRN_RST_INSTR && !j->in_section)
		return;
	rules_head_snapshot(j, t, p);
	switch (p[0]) {
	case CAIRN_RST_STRCONT:
	case CAIRN_RST_STRDESC:
		rules_head_string(j, t, p);
		break;
	case CAIRN_RST_HWINFO:
		if ((p[2] == 6 || p[2] == 7) && p[3] == 15) {
			struct check_place at = rst_place(t);
			j->has_regwins = true;
			judge_windows(t, &at, base_be64(p + 8));
		}
		j->shade |= p[2] == 2 && (p[3] == 5 || p[3] == 6);
		break;
	case CAIRN_RST_LEFTDELIM:
	case CAIRN_RST_RIGHTDELIM:
		delimiter(j, t, p);
		break;
	case CAIRN_RST_PATCH:
		patch(j, t, p);
		break;
	default:
		break;
	}
}

/* ---- the end ---- */

static void end_pairs(struct rst_judge *j, struct check_part *p, uint64_t records)
{
	unsigned n = j->n_delim < RST_NESTED ? j->n_delim : RST_NESTED;
	for (unsigned i = 0; i < n; i++)
		check_add(p, RST_RULE_DELIM_MATCH, &j->delim[i].at,
		          "a LEFTDELIM (id %u) without RIGHTDELIM", j->delim[i].id);
	n = j->n_patch < RST_NESTED ? j->n_patch : RST_NESTED;
	for (unsigned i = 0; i < n; i++)
		check_add(p, RST_RULE_PATCH_PAIR, &j->patch[i].at, "a PATCH (id %u) that does not end",
		          j->patch[i].id);
	if (j->prev_rec && j->prev[0] == CAIRN_RST_STRCONT)
		check_add(p, RST_RULE_STRING_CONT, &j->prev_at,
		          "the string is not continued: the trace ends");
	if (!j->in_section)
		return;
	uint64_t has = records - j->section_from;
	if (j->section != CAIRN_RST_RFS_RST && j->section_left)
		check_add(p, RST_RULE_RFS_SECTION, &j->section_at,
		          "%llu records of the section are missing", ULL(j->section_left));
	else if (j->section == CAIRN_RST_RFS_RST && j->section_left != INT64_MAX &&
	         j->section_left != has)
		check_add(p, RST_RULE_RFS_SECTION, &j->section_at,
		          "the section has %llu records, its header "
		          "says %llu",
		          ULL(has), ULL(j->section_left));
}

static void end_cpus(struct rst_judge *j, struct check_part *p)
{
	unsigned max = 0, n = 0;
	for (unsigned i = 0; i < RST_MAX_CPUS && i <= j->max_cpu; i++) {
		if (!(j->ran[i / 64] >> (i & 63) & 1))
			continue;
		max = i;
		n++;
	}
	if (j->info2[0] == 0 || !j->insns)
		return;
	if (max < j->info2[2])
		check_add(p, RST_RULE_INFO2_MAX, &j->info2_at,
		          "max_cpu_id is %u; the largest CPU number is "
		          "%u",
		          j->info2[2], max);
	bool beyond = n > BYTE_MOST && j->info2[3] == BYTE_MOST; /* as many as a byte can say */
	if (n != j->info2[3] && j->info2[3] <= j->info2[2] + 1u && !beyond)
		check_add(p, RST_RULE_INFO2_TOTAL, &j->info2_at, "total_num_cpus is %u; %u CPU%s",
		          j->info2[3], n, n == 1 ? " has instructions" : "s have instructions");
}

void rst_rule_end(struct rst_judge *j, struct check_part *p)
{
	static const struct check_place nowhere;
	struct {
		const struct rst_advice *a;
		unsigned rule;
		const char *what;
	} advice[] = {{&j->before, RST_RULE_EXIT_BEFORE, "REGVAL of %g7 and %sp before its PREG"},
	              {&j->after, RST_RULE_EXIT_AFTER, "REGVAL of TL, TT, TPC and TNPC behind it"},
	              {&j->trapexit, RST_RULE_EXIT_TRAPEXIT, "TRAPEXIT behind it"}};
	if (!j->damaged) {
		end_pairs(j, p, j->rec_base + j->file_records);
		end_cpus(j, p);
	}
	for (size_t i = 0; i < sizeof advice / sizeof *advice; i++)
		if (advice[i].a->count)
			check_add(p, advice[i].rule, &advice[i].a->at, "no %s (%llu time%s in the trace)",
			          advice[i].what, ULL(advice[i].a->count), advice[i].a->count == 1 ? "" : "s");
	if (!j->insns && !j->snapshot && !j->damaged)
		check_add(p, RST_RULE_TRACE_EMPTY, &nowhere, "the trace holds no instruction");
}
