/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every field of every record of real STF traces against what the public tools
 * print: stf_record_dump, and stf_transaction_dump for transactions. Our records
 * are printed in their form, with their slips (numbers printed as characters, the
 * header in one fixed order), and every line must be the same, apart from the names
 * of CSRs in the table below.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <ctype.h>
#include <dirent.h>

#include "../stf/tools.h"

static struct cairn *c;
static const char *data;

static int setup(void **state)
{
	(void)state;
	c = cairn_new(NULL);
	data = getenv("CAIRN_TEST_DATA");
	return c ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	cairn_free(c);
	return 0;
}

/* CSRs that the public library calls otherwise, or does not know at all. */
struct csr_name {
	uint16_t num;
	const char *theirs;
};
static const struct csr_name csr_names[] = {
	/* the user-level interrupts of a withdrawn extension */
	{0x000, "USTATUS"},
	{0x004, "UIE"},
	{0x005, "UTVEC"},
	{0x040, "USCRATCH"},
	{0x041, "UEPC"},
	{0x042, "UCAUSE"},
	{0x043, "UTVAL"},
	{0x044, "UIP"},
	{0x102, "SEDELEG"},
	{0x103, "SIDELEG"},
	/* other CSRs by today's manuals */
	{0x010, "DMCONTROL"},
	{0x011, "DMSTATUS"},
	{0x19a, "SENVCFG"},
	{0x7aa, "SCONTEXT"},
	/* not named at all */
	{0x017, "UNK_17"},
	{0x10c, "UNK_10c"},
	{0x10d, "UNK_10d"},
	{0x10e, "UNK_10e"},
	{0x10f, "UNK_10f"},
	{0x150, "UNK_150"},
	{0x151, "UNK_151"},
	{0x152, "UNK_152"},
	{0x153, "UNK_153"},
	{0x154, "UNK_154"},
	{0x155, "UNK_155"},
	{0x156, "UNK_156"},
	{0x30c, "UNK_30c"},
	{0x30d, "UNK_30d"},
	{0x30e, "UNK_30e"},
	{0x30f, "UNK_30f"},
	{0x350, "UNK_350"},
	{0x351, "UNK_351"},
	{0x352, "UNK_352"},
	{0x353, "UNK_353"},
	{0x354, "UNK_354"},
	{0x355, "UNK_355"},
	{0x356, "UNK_356"},
	{0x5a8, "UNK_5a8"},
	{0x60c, "UNK_60c"},
	{0x60d, "UNK_60d"},
	{0x60e, "UNK_60e"},
	{0x60f, "UNK_60f"},
	{0x740, "UNK_740"},
	{0x741, "UNK_741"},
	{0x742, "UNK_742"},
	{0x744, "UNK_744"},
	{0x7c0, "NONST_7c0"},
	{0, NULL}};

/* ---- fields ---- */

static const struct cairn_field *field(const struct cairn_record *one, const char *name)
{
	for (unsigned i = 0; i < one->n_fields; i++)
		if (!strcmp(one->fields[i].name, name))
			return &one->fields[i];
	fail_msg("%s has no field %s", one->name, name);
	return NULL;
}

static unsigned long long num(const struct cairn_record *one, const char *name)
{
	return field(one, name)->value;
}

static void put_text(struct bytes *out, const struct cairn_record *one, const char *name)
{
	const struct cairn_field *f = field(one, name);
	bytes_put(out, f->text, f->len);
}

static const char *name_of(const struct cairn_record *one, const char *name)
{
	const struct cairn_field *f = field(one, name);
	return f->kind == CAIRN_FIELD_NAME ? f->text : "?";
}

/* ---- instruction records ---- */

static void put_register(struct bytes *out, unsigned cls, unsigned number)
{
	char buf[16];
	if (cls == CAIRN_REG_INT && number == 32) {
		bytes_printf(out, "PC");
	} else if (cls == CAIRN_REG_CSR) {
		for (const struct csr_name *name = csr_names; name->theirs; name++) {
			if (name->num == number) {
				bytes_printf(out, "REG_CSR_%s", name->theirs);
				return;
			}
		}
		bytes_printf(out, "REG_CSR_");
		for (const char *p = cairn_reg_name(CAIRN_ISA_RV64, CAIRN_REG_CSR, number, buf); *p; p++)
			bytes_printf(out, "%c", toupper((unsigned char)*p));
	} else {
		bytes_printf(out, "REG_%s%u",
		             cls == CAIRN_REG_FP       ? "F"
		             : cls == CAIRN_REG_VECTOR ? "V"
		                                       : "",
		             number);
	}
}

static void put_word(struct bytes *out, const char *p)
{
	for (unsigned i = 8; i-- > 0;)
		bytes_printf(out, "%02x", (uint8_t)p[i]);
}

/* A vector: the least significant word first, the others below it. */
static void put_reg(struct bytes *out, const struct cairn_record *one)
{
	const struct cairn_field *v = field(one, "value");
	size_t at = out->n + strlen("INST_REG ");
	bytes_printf(out, "INST_REG %s ", name_of(one, "operand"));
	put_register(out, (unsigned)num(one, "kind"), (unsigned)num(one, "reg"));
	bytes_printf(out, " ");
	size_t indent = out->n - at;
	if (v->kind != CAIRN_FIELD_WIDE) {
		bytes_printf(out, "%016llx", (unsigned long long)v->value);
		return;
	}
	for (uint32_t i = 0; i < v->len; i += 8) {
		if (i)
			bytes_printf(out, "\n%*s", (int)indent, "");
		put_word(out, v->text + i);
	}
}

static void put_page_walk(struct bytes *out, const struct cairn_record *one)
{
	unsigned n = (unsigned)num(one, "count");
	bytes_printf(out, "PAGE_TABLE_WALK %016llx size %08llx first_count %016llu\n", num(one, "va"),
	             num(one, "page_size"), num(one, "first_access"));
	bytes_printf(out, "PTDESC              Num Descriptors: %u\n", n);
	for (unsigned i = 0; i < n; i++) {
		char pa[8], pte[8];
		snprintf(pa, sizeof pa, "pa%u", i % 10);
		snprintf(pte, sizeof pte, "pte%u", i % 10);
		bytes_printf(out, "%20sDESC%u  PA:%016llx DESC:%016llx\n", "", i, num(one, pa),
		             num(one, pte));
	}
	/* and an empty line: theirs ends the list with one too many */
}

static void put_event(struct bytes *out, const struct cairn_record *one)
{
	unsigned n = (unsigned)num(one, "count");
	bytes_printf(out, "EVENT %s [", name_of(one, "event"));
	for (unsigned i = 0; i < n; i++) {
		char key[8];
		snprintf(key, sizeof key, "data%u", i % 16);
		bytes_printf(out, "%s%016llx", i ? ", " : "", num(one, key));
	}
	bytes_printf(out, "]");
}

static void put_body_record(struct bytes *out, const struct cairn_record *one)
{
	switch (one->type) {
	case CAIRN_STF_INST_REG:
		put_reg(out, one);
		break;
	case CAIRN_STF_INST_MEM_ACCESS:
		bytes_printf(out, "INST_MEM_ACCESS %s %016llx %04llx %llu", name_of(one, "access"),
		             num(one, "address"), num(one, "attributes"), num(one, "bytes"));
		break;
	case CAIRN_STF_INST_MEM_CONTENT:
	case CAIRN_STF_BUS_MASTER_CONTENT:
		bytes_printf(out, "%s %016llx", one->name, num(one, "value"));
		break;
	case CAIRN_STF_BUS_MASTER_ACCESS: /* their index is a character */
		bytes_printf(out, "BUS_MASTER_ACCESS %s %016llx %s%c %llu %08llx", name_of(one, "access"),
		             num(one, "address"), name_of(one, "initiator"), (char)num(one, "index"),
		             num(one, "bytes"), num(one, "attributes"));
		break;
	case CAIRN_STF_INST_READY_REG:
		bytes_printf(out, "INST_READY_REG %04llx", num(one, "reg"));
		break;
	case CAIRN_STF_INST_MICROOP: /* their size is a character */
		bytes_printf(out, "INST_MICROOP %c %08llx", (char)num(one, "bytes"), num(one, "micro_op"));
		break;
	case CAIRN_STF_PROCESS_ID_EXT:
		bytes_printf(out, "PROCESS_ID_EXT hw_tid = %08llx pid = %08llx tid = %08llx",
		             num(one, "hw_tid"), num(one, "pid"), num(one, "tid"));
		break;
	case CAIRN_STF_PAGE_TABLE_WALK:
		put_page_walk(out, one);
		break;
	case CAIRN_STF_EVENT:
		put_event(out, one);
		break;
	case CAIRN_STF_FORCE_PC:
	case CAIRN_STF_INST_PC_TARGET:
	case CAIRN_STF_EVENT_PC_TARGET:
		bytes_printf(out, "%s %016llx", one->name, num(one, "pc"));
		break;
	case CAIRN_STF_INST_32:
		bytes_printf(out, "INST_OPCODE32 %08llx", num(one, "encoding"));
		break;
	case CAIRN_STF_INST_16:
		bytes_printf(out, "INST_OPCODE16 %04llx", num(one, "encoding"));
		break;
	case CAIRN_STF_COMMENT:
		bytes_printf(out, "COMMENT ");
		put_text(out, one, "text");
		break;
	default:
		fail_msg("no form for %s", one->name);
	}
	bytes_printf(out, "\n");
}

/* ---- the header, in the order theirs has it ---- */

enum { HEADER_KINDS = 8 };
static const uint16_t header_order[HEADER_KINDS] = {
	CAIRN_STF_VERSION,      CAIRN_STF_COMMENT,  CAIRN_STF_ISA,        CAIRN_STF_INST_IEM,
	CAIRN_STF_ISA_EXTENDED, CAIRN_STF_FORCE_PC, CAIRN_STF_TRACE_INFO, CAIRN_STF_TRACE_INFO_FEATURE};

static void put_header_record(struct bytes *out, const struct cairn_record *one)
{
	switch (one->type) {
	case CAIRN_STF_VERSION:
		bytes_printf(out, "VERSION %llu.%llu", num(one, "major"), num(one, "minor"));
		break;
	case CAIRN_STF_ISA:
		bytes_printf(out, "ISA %s", name_of(one, "isa"));
		break;
	case CAIRN_STF_INST_IEM:
		bytes_printf(out, "INST_IEM %s", name_of(one, "iem"));
		break;
	case CAIRN_STF_ISA_EXTENDED:
		bytes_printf(out, "ISA_EXTENDED ");
		put_text(out, one, "isa");
		break;
	case CAIRN_STF_TRACE_INFO:
		bytes_printf(out, "TRACE_INFO %s %llu.%llu.%llu ", name_of(one, "generator"),
		             num(one, "major"), num(one, "minor"), num(one, "minor_minor"));
		put_text(out, one, "comment");
		break;
	case CAIRN_STF_TRACE_INFO_FEATURE:
		bytes_printf(out, "TRACE_INFO_FEATURE %016llx", num(one, "features"));
		break;
	case CAIRN_STF_VLEN_CONFIG:
		bytes_printf(out, "VLEN_CONFIG %08llx", num(one, "vlen"));
		break;
	default:
		put_body_record(out, one);
		return;
	}
	bytes_printf(out, "\n");
}

/* Print header records up to END_HEADER, sorted as theirs. */
static struct bytes print_header(struct cairn_reader *reader)
{
	struct bytes kinds[HEADER_KINDS + 1] = {{0}}, out = {0};
	struct cairn_record one;
	while (cairn_next_record(reader, &one) > 0 && one.type != CAIRN_STF_END_HEADER) {
		unsigned k = 0;
		while (k < HEADER_KINDS && header_order[k] != one.type)
			k++;
		if (one.type != CAIRN_STF_IDENTIFIER && one.type != CAIRN_STF_PROCESS_ID_EXT)
			put_header_record(&kinds[k], &one);
	}
	for (unsigned k = 0; k <= HEADER_KINDS; k++) {
		bytes_put(&out, kinds[k].p, kinds[k].n);
		bytes_free(&kinds[k]);
	}
	return out;
}

/* ---- comparing ---- */

struct expected {
	const char *file;
	struct bytes text;
	size_t at, line;
};

static void expect(struct expected *expected, const struct bytes *ours)
{
	size_t left = expected->text.n - expected->at;
	if (ours->n > left || memcmp(expected->text.p + expected->at, ours->p, ours->n) != 0) {
		const char *p = (const char *)expected->text.p + expected->at;
		fail_msg("%s, about line %zu:\nours:   %.*s\ntheirs: %.*s", expected->file, expected->line,
		         (int)(ours->n < 200 ? ours->n : 200), (const char *)ours->p,
		         (int)(left < 200 ? left : 200), p);
	}
	expected->at += ours->n;
	expected->line++;
}

static bool open_expected(struct expected *expected, const char *path)
{
	struct bytes file = bytes_of_file(path);
	*expected = (struct expected){.file = path, .line = 1};
	if (file.n == 0)
		return false;
	expected->text = unwrapped(c, &file);
	bytes_free(&file);
	static const char cut[] = "Start Inst:0  End Inst:20000\n";
	if (expected->text.n > sizeof cut && !memcmp(expected->text.p, cut, sizeof cut - 1))
		expected->at = sizeof cut - 1;
	return true;
}

static uint64_t check_file(const char *trace, struct expected *expected)
{
	struct cairn_reader *reader;
	struct cairn_record one;
	bool cut = expected->at > 0;
	uint64_t n = 0;
	if (cairn_open(c, trace, NULL, &reader) <
	    0) { /* theirs says nothing about what it cannot read */
		bool silent = expected->text.n == 0;
		bytes_free(&expected->text);
		return silent ? 0 : UINT64_MAX;
	}
	struct bytes ours = print_header(reader);
	expect(expected, &ours);
	while (cairn_next_record(reader, &one) > 0) {
		if (cut && one.insn > 20000)
			break;
		ours.n = 0;
		put_body_record(&ours, &one);
		expect(expected, &ours);
		n++;
	}
	if (expected->at != expected->text.n)
		fail_msg("%s goes on: %.200s", expected->file,
		         (const char *)expected->text.p + expected->at);
	bytes_free(&ours);
	bytes_free(&expected->text);
	cairn_close(reader);
	return n;
}

static unsigned check_folder(const char *folder, const char *expected, const char *suffix)
{
	char trace[4096], path[4096];
	struct expected e;
	unsigned n = 0;
	DIR *d = data ? opendir(folder) : NULL;
	if (!d)
		skip();
	for (struct dirent *entry; (entry = readdir(d));) {
		const char *dot = strrchr(entry->d_name, '.');
		if (!dot || (strcmp(dot, ".stf") && strcmp(dot, ".zstf")))
			continue;
		snprintf(trace, sizeof trace, "%s/%s", folder, entry->d_name);
		int base = (int)(*suffix == '.' ? strlen(entry->d_name) : (size_t)(dot - entry->d_name));
		snprintf(path, sizeof path, "%s/%.*s%s", expected, base, entry->d_name,
		         suffix + (*suffix != '.'));
		if (!open_expected(&e, path))
			continue;
		if (check_file(trace, &e) == UINT64_MAX)
			fail_msg("%s: %s", trace, cairn_error_text(c));
		n++;
	}
	closedir(d);
	return n;
}

static void every_record_is_what_the_public_dump_says(void **state)
{
	(void)state;
	char folder[4000], expected[4000];
	snprintf(folder, sizeof folder, "%s/stf", data ? data : "");
	snprintf(expected, sizeof expected, "%s/stf/expected", data ? data : "");
	assert_true(check_folder(folder, expected, ".record_dump.txt.zst") >= 29);
}

static void every_kind_of_record_is_what_the_public_dump_says(void **state)
{
	(void)state;
	char folder[4000];
	snprintf(folder, sizeof folder, "%s/stf/every-record", data ? data : "");
	assert_int_equal(check_folder(folder, folder, "-.record_dump.txt"), 4);
}

/* ---- transactions ---- */

struct clocks {
	char names[256][64];
};

static void put_list(struct bytes *out, const char *label, const struct cairn_field *field)
{
	bytes_printf(out, "%-20s[", label);
	for (uint32_t i = 0; i < field->len; i++)
		bytes_printf(out, "%s%02x", i ? ", " : "", (uint8_t)field->text[i]);
	bytes_printf(out, "]\n");
}

static void put_mask(struct bytes *out, const struct cairn_record *one)
{
	unsigned bits = (unsigned)num(one, "mask_bits");
	const char *p = field(one, "mask")->text;
	bytes_printf(out, "%-20s[", "Mask");
	for (unsigned i = 0; i < bits; i++)
		bytes_printf(out, "%s%02x", i ? ", " : "", p[i / 8] >> (i % 8) & 1);
	bytes_printf(out, "]\n");
}

static void put_metadata(struct bytes *out, const struct cairn_record *one)
{
	unsigned n = (unsigned)num(one, "metadata");
	if (n == 0)
		return;
	bytes_printf(out, "%-20s[", "METADATA");
	for (unsigned i = 0; i < n; i++) {
		char key[16];
		snprintf(key, sizeof key, "meta%u", i);
		const struct cairn_field *f = field(one, key);
		bytes_printf(out, "%s%0*llx", i ? ", " : "", 2 * f->width, (unsigned long long)f->value);
	}
	bytes_printf(out, "]\n");
}

/* After the channel the fields come in the order of the record. */
static void put_protocol(struct bytes *out, const struct cairn_record *one)
{
	bytes_printf(out, "%-20sCHANNEL_%s \n", "CHANNEL", name_of(one, "channel"));
	const struct cairn_field *f = field(one, "channel") + 1;
	for (; f < one->fields + one->n_fields; f++) {
		char label[16];
		snprintf(label, sizeof label, "%c%s", toupper((unsigned char)f->name[0]), f->name + 1);
		if (!strcmp(f->name, "mask_bits"))
			put_mask(out, one);
		else if (!strcmp(f->name, "data"))
			put_list(out, label, f);
		else if (strcmp(f->name, "mask"))
			bytes_printf(out, "%-20s%0*llx\n", label, 2 * f->width, (unsigned long long)f->value);
	}
}

static void put_transaction(struct bytes *out, const struct cairn_record *one,
                            const struct clocks *clocks, struct bytes *deps)
{
	bytes_printf(out, "%-20s%llu\n%-20s%s\n%-20s%llu\n", "TXN_ID", num(one, "id"), "CLOCK",
	             clocks->names[num(one, "clock")], "DELTA", num(one, "delta"));
	put_metadata(out, one);
	if (deps->n) {
		bytes_printf(out, "%-20s\n", "DEPENDENCIES");
		bytes_put(out, deps->p, deps->n);
		bytes_printf(out, "\n");
		deps->n = 0;
	}
	put_protocol(out, one);
}

static void check_transactions(const char *trace, struct expected *expected)
{
	static struct clocks clocks;
	struct cairn_reader *reader;
	struct cairn_record one;
	struct bytes ours = {0}, deps = {0};
	assert_int_equal(cairn_open(c, trace, NULL, &reader), 0);
	while (cairn_next_record(reader, &one) > 0) {
		ours.n = 0;
		if (one.type == CAIRN_STF_CLOCK_ID) {
			const struct cairn_field *f = field(&one, "clock_name");
			snprintf(clocks.names[num(&one, "clock")], 64, "%.*s", (int)f->len, f->text);
		} else if (one.type == CAIRN_STF_TRANSACTION_DEPENDENCY) {
			bytes_printf(&deps, "%-20s%llu\n%-20s%s\n%-20s%llu\n", "DEPENDENCY ID", num(&one, "id"),
			             "CLOCK", clocks.names[num(&one, "clock")], "DELTA", num(&one, "delta"));
		} else if (one.type == CAIRN_STF_TRANSACTION) {
			put_transaction(&ours, &one, &clocks, &deps);
			expect(expected, &ours);
		}
	}
	if (expected->at != expected->text.n)
		fail_msg("%s goes on: %.200s", expected->file,
		         (const char *)expected->text.p + expected->at);
	bytes_free(&ours);
	bytes_free(&deps);
	bytes_free(&expected->text);
	cairn_close(reader);
}

static void every_transaction_is_what_the_public_dump_says(void **state)
{
	(void)state;
	static const char *const files[][2] = {{"example.zstf", "example.dump.txt"},
	                                       {"first300.stf", "first300.dump.txt"}};
	for (unsigned i = 0; i < 2; i++) {
		char trace[4096], path[4096];
		struct expected expected;
		snprintf(trace, sizeof trace, "%s/stf/tilelink/%s", data ? data : "", files[i][0]);
		snprintf(path, sizeof path, "%s/stf/tilelink/%s", data ? data : "", files[i][1]);
		if (!open_expected(&expected, path))
			skip();
		check_transactions(trace, &expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_record_is_what_the_public_dump_says),
		cmocka_unit_test(every_kind_of_record_is_what_the_public_dump_says),
		cmocka_unit_test(every_transaction_is_what_the_public_dump_says),
	};
	return cmocka_run_group_tests_name("stf_records", tests, setup, teardown);
}
