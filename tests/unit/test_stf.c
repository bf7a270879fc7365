/* SPDX-License-Identifier: Apache-2.0 */
/*
 * STF: the record table and its page in the documentation, what each kind of
 * record means for an instruction (one small stream made by hand for each
 * behaviour), and records that come back to the same bytes from their fields.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dirent.h>

#include "../stf/tools.h"
#include "base/bytes.h"
#include "formats/stf/record/table.h"

static struct cairn *c;

static int setup(void **state)
{
	(void)state;
	c = cairn_new(NULL);
	return c ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	cairn_free(c);
	return 0;
}

/* ---- the table ---- */

static unsigned fixed_bytes(const struct stf_type *type)
{
	static const uint8_t lengths[] = {
		[STF_F_MAGIC] = 3, [STF_F_TEXT16] = 2,    [STF_F_TEXT32] = 4,   [STF_F_LOW] = 0,
		[STF_F_HIGH] = 1,  [STF_F_REG_VALUE] = 0, [STF_F_EVENT_ID] = 8, [STF_F_EVENT_DATA] = 1,
		[STF_F_PTES] = 1,  [STF_F_METADATA] = 2,  [STF_F_PROTOCOL] = 0};
	unsigned sum = 0;
	for (const struct stf_field *field = type->fields; field->name; field++)
		sum += field->kind <= STF_F_NAME ? field->width : lengths[field->kind];
	return sum;
}

static bool varies(const struct stf_type *type)
{
	for (const struct stf_field *field = type->fields; field->name; field++)
		if (field->kind > STF_F_MAGIC && field->kind != STF_F_LOW && field->kind != STF_F_HIGH &&
		    field->kind != STF_F_EVENT_ID)
			return true;
	return false;
}

static void the_fixed_part_is_the_sum_of_its_fields(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 256; i++) {
		const struct stf_type *type = stf_type(i);
		if (!type)
			continue;
		if (fixed_bytes(type) != type->fixed)
			print_error("%s\n", type->name);
		assert_int_equal(fixed_bytes(type), type->fixed);
		assert_int_equal(varies(type), (type->flags & STF_VARIABLE) != 0);
		assert_int_equal(type->number, i);
		for (const struct stf_field *field = type->fields; field->name; field++)
			assert_int_equal(field->name_len, strlen(field->name));
		assert_int_not_equal(type->flags & (STF_HEADER | STF_BODY), 0);
	}
	assert_null(stf_type(256));
	assert_null(stf_type(0));
}

static void names_and_aliases_are_unique(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 256; i++) {
		const struct stf_type *type = stf_type(i);
		if (!type)
			continue;
		assert_true(!strncmp(type->alias, "STF_", 4) || !strncmp(type->alias, "INST_OPCODE", 11));
		for (unsigned k = 0; k < i; k++) {
			const struct stf_type *u = stf_type(k);
			if (!u)
				continue;
			assert_string_not_equal(type->name, u->name);
			assert_string_not_equal(type->alias, u->alias);
			assert_string_not_equal(type->alias, u->name);
			assert_string_not_equal(type->name, u->alias);
		}
	}
}

static void no_fixed_part_is_longer_than_the_longest(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 256; i++) {
		const struct stf_type *type = stf_type(i);
		if (type && !(type->flags & STF_VARIABLE))
			assert_true(1 + type->fixed <= STF_LEN_LONGEST_FIXED);
	}
}

/* ---- its page ---- */

static void print_length(struct bytes *out, const struct stf_type *type)
{
	const char *more = "";
	for (const struct stf_field *field = type->fields; field->name; field++) {
		if (field->kind == STF_F_TEXT16 || field->kind == STF_F_TEXT32 ||
		    field->kind == STF_F_METADATA)
			more = " + n";
		else if (field->kind == STF_F_REG_VALUE || field->kind == STF_F_EVENT_DATA)
			more = " + 8n";
		else if (field->kind == STF_F_PTES)
			more = " + 16n";
	}
	bytes_printf(out, "%u%s%s", 1u + type->fixed, type->number == CAIRN_STF_EVENT ? "†" : "", more);
}

static void print_field(struct bytes *out, const struct stf_field *field)
{
	switch (field->kind) {
	case STF_F_HEX:
	case STF_F_DEC:
	case STF_F_NAME:
		bytes_printf(out, "%s %u", field->name, field->width);
		break;
	case STF_F_MAGIC:
		bytes_printf(out, "`STF`");
		break;
	case STF_F_TEXT16:
		bytes_printf(out, "length 2, %s n", field->name);
		break;
	case STF_F_TEXT32:
		bytes_printf(out, "length 4, %s n", field->name);
		break;
	case STF_F_LOW:
		bytes_printf(out, "%s (low 4 bits)", field->name);
		break;
	case STF_F_HIGH:
		bytes_printf(out, "%s (high 4 bits) 1", field->name);
		break;
	case STF_F_REG_VALUE:
		bytes_printf(out, "%s 8n", field->name);
		break;
	case STF_F_EVENT_ID:
		bytes_printf(out, "%s 8†", field->name);
		break;
	case STF_F_EVENT_DATA:
		bytes_printf(out, "%s 1, data 8n", field->name);
		break;
	case STF_F_PTES:
		bytes_printf(out, "%s 1, address 8 and entry 8 of each", field->name);
		break;
	case STF_F_METADATA:
		bytes_printf(out, "%s count 2, type 1 and value 1, 2, 4 or 8 of each", field->name);
		break;
	default:
		bytes_printf(out, "%s 1 and its fields", field->name);
		break;
	}
}

static void print_row(struct bytes *out, const struct stf_type *type)
{
	bytes_printf(out, "| %u | `%s` | ", type->number, type->name);
	print_length(out, type);
	bytes_printf(out, " | ");
	for (const struct stf_field *field = type->fields; field->name; field++) {
		if (field != type->fields)
			bytes_printf(out, ", ");
		print_field(out, field);
	}
	if (type->since)
		bytes_printf(out, " | 1.%u | ", type->since);
	else
		bytes_printf(out, " | | ");
	bytes_printf(out, "%s%s%s", type->flags & STF_HEADER ? "header" : "",
	             (type->flags & STF_HEADER) && (type->flags & STF_BODY) ? ", " : "",
	             type->flags & STF_BODY ? "body" : "");
	if (type->flags & (STF_INSN_ONLY | STF_XACT_ONLY))
		bytes_printf(out, " of %s", type->flags & STF_XACT_ONLY ? "transactions" : "instructions");
	bytes_printf(out, "%s |\n", type->flags & STF_MARKER ? "; marker" : "");
}

static struct bytes print_table(void)
{
	struct bytes out = {0};
	bytes_printf(&out, "| number | name | bytes | fields and their bytes | since | where |\n"
	                   "|---|---|---|---|---|---|\n");
	for (unsigned i = 0; i < 256; i++)
		if (stf_type(i))
			print_row(&out, stf_type(i));
	return out;
}

static void rewrite(const char *path, const struct bytes *page, const char *from, const char *to,
                    const struct bytes *table)
{
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	fwrite(page->p, 1, (size_t)(from - (const char *)page->p), f);
	fwrite(table->p, 1, table->n, f);
	fwrite(to, 1, page->n - (size_t)(to - (const char *)page->p), f);
	assert_int_equal(fclose(f), 0);
}

static void the_page_shows_the_table(void **state)
{
	(void)state;
	const char *source = getenv("CAIRN_SOURCE"), *update = getenv("UPDATE");
	char path[4096];
	if (!source)
		skip();
	snprintf(path, sizeof path, "%s/docs/formats/stf.md", source);
	struct bytes page = bytes_of_file(path), table = print_table();
	assert_true(page.n > 0);
	bytes_put(&page, "", 1);
	page.n--;
	const char *from = strstr((const char *)page.p, "<!-- records:");
	assert_non_null(from);
	from = strchr(from, '\n') + 1;
	const char *to = strstr(from, "<!-- end of records -->");
	assert_non_null(to);
	bool same = (size_t)(to - from) == table.n && !memcmp(from, table.p, table.n);
	if (!same && update && *update)
		rewrite(path, &page, from, to, &table);
	else if (!same)
		fail_msg("docs/formats/stf.md does not show the record table; UPDATE=1 rewrites it");
	bytes_free(&page);
	bytes_free(&table);
}

/* ---- one stream, one behaviour ---- */

struct reading {
	struct bytes in;
	struct cairn_reader *reader;
	struct cairn_batch *batch;
	char text[700];
};

static struct reading begin(struct head h)
{
	struct reading reading = {{0}};
	head(&reading.in, h);
	return reading;
}

/* Read the stream; everything by hand fits into one batch. */
static const struct cairn_insn *read_from(struct reading *reading, const char *from)
{
	struct cairn_open_opts opts = {.size = sizeof opts, .from = from};
	reading->batch = cairn_batch_new(c);
	assert_non_null(reading->batch);
	int rc = cairn_open_memory(c, reading->in.p, reading->in.n, &opts, &reading->reader);
	if (rc < 0)
		fail_msg("%s", cairn_error_text(c));
	assert_int_equal(cairn_next(reading->reader, reading->batch), 1);
	return reading->batch->insns;
}

static const struct cairn_insn *read_all(struct reading *reading)
{
	read_from(reading, NULL);
	if (cairn_damage_count(reading->reader))
		fail_msg("%s", cairn_damage_text(reading->reader, 0));
	return reading->batch->insns;
}

static void end(struct reading *reading)
{
	struct cairn_batch *more = cairn_batch_new(c);
	assert_int_equal(cairn_next(reading->reader, more), 0);
	cairn_batch_free(c, more);
	cairn_close(reading->reader);
	cairn_batch_free(c, reading->batch);
	bytes_free(&reading->in);
}

#define FORCE_PC(g, pc) rec(&(g)->in, CAIRN_STF_FORCE_PC, "q", UINT64_C(pc))
#define PC_TARGET(g, pc) rec(&(g)->in, CAIRN_STF_INST_PC_TARGET, "q", UINT64_C(pc))
#define EVENT_TARGET(g, pc) rec(&(g)->in, CAIRN_STF_EVENT_PC_TARGET, "q", UINT64_C(pc))

static void pcs_begin_at_the_headers_force_pc_and_grow_by_length(void **state)
{
	(void)state;
	struct reading reading = begin((struct head){.pc = 0x80000001});
	insn32(&reading.in, NOP);
	insn16(&reading.in, C_NOP);
	insn32(&reading.in, NOP);
	const struct cairn_insn *insn = read_all(&reading);
	assert_int_equal(reading.batch->n_insns, 3);
	assert_int_equal(reading.batch->n0, 1);
	assert_int_equal(insn[0].pc, 0x80000001); /* odd, and not masked */
	assert_int_equal(insn[1].pc, 0x80000005);
	assert_int_equal(insn[2].pc, 0x80000007);
	assert_int_equal(insn[0].size, 4);
	assert_int_equal(insn[1].size, 2);
	end(&reading);
}

static void a_force_pc_moves_its_own_instruction(void **state)
{
	(void)state;
	struct reading reading = begin((struct head){0});
	insn32(&reading.in, NOP);
	FORCE_PC(&reading, 0x5000);
	insn32(&reading.in, NOP);
	insn32(&reading.in, NOP);
	const struct cairn_insn *insn = read_all(&reading);
	assert_int_equal(insn[1].pc, 0x5000);
	assert_int_equal(insn[2].pc, 0x5004);
	assert_true(insn[1].flags & CAIRN_INSN_DISCONTINUITY);
	assert_false(insn[2].flags & CAIRN_INSN_DISCONTINUITY);
	assert_int_equal(insn[2].ev0 - insn[1].ev0, 1);
	const struct cairn_event *event = &reading.batch->events[insn[1].ev0];
	assert_int_equal(event->kind, CAIRN_EV_FORCE_PC);
	assert_int_equal(event->phase, CAIRN_BEFORE);
	assert_int_equal(event->target, 0x5000);
	end(&reading);
}

static void a_target_moves_the_next_instruction(void **state)
{
	(void)state;
	struct reading reading = begin((struct head){0});
	PC_TARGET(&reading, 0x2000);
	insn32(&reading.in, 0x00208e63); /* beq */
	EVENT_TARGET(&reading, 0x3000);
	insn32(&reading.in, NOP);
	insn32(&reading.in, 0x00208e63);
	const struct cairn_insn *insn = read_all(&reading);
	assert_int_equal(insn[0].pc, 0x1000);
	assert_true(insn[0].flags & CAIRN_INSN_TAKEN);
	assert_int_equal(insn[0].target, 0x2000);
	assert_int_equal(insn[1].pc, 0x2000);
	assert_false(insn[1].flags & CAIRN_INSN_TAKEN);
	assert_int_equal(insn[2].pc, 0x3000);
	assert_true(insn[2].flags & CAIRN_INSN_NOT_TAKEN);
	assert_true(insn[2].flags & CAIRN_INSN_TARGET);
	assert_int_equal(insn[2].target, 0x301c);
	end(&reading);
}

static void the_last_target_wins(void **state)
{
	(void)state;
	struct reading reading = begin((struct head){0});
	PC_TARGET(&reading, 0x2000);
	EVENT_TARGET(&reading, 0x3000);
	insn32(&reading.in, NOP);
	EVENT_TARGET(&reading, 0x4000);
	PC_TARGET(&reading, 0x5000);
	insn32(&reading.in, NOP);
	PC_TARGET(&reading, 0x6000);
	PC_TARGET(&reading, 0x7000);
	insn32(&reading.in, NOP);
	insn32(&reading.in, NOP);
	const struct cairn_insn *insn = read_all(&reading);
	assert_int_equal(insn[1].pc, 0x3000);
	assert_int_equal(insn[0].target, 0x2000); /* the branch went there all the same */
	assert_int_equal(insn[2].pc, 0x5000);
	assert_int_equal(insn[3].pc, 0x7000);
	end(&reading);
}

static void force_pc_and_targets_are_independent(void **state)
{
	(void)state;
	struct reading reading = begin((struct head){0});
	PC_TARGET(&reading, 0x2000);
	insn32(&reading.in, NOP);
	FORCE_PC(&reading, 0x5000); /* in place of where the branch went */
	insn32(&reading.in, NOP);
	PC_TARGET(&reading, 0x6000);
	FORCE_PC(&reading, 0x7000); /* of one group, the target first */
	insn32(&reading.in, NOP);
	insn32(&reading.in, NOP);
	const struct cairn_insn *insn = read_all(&reading);
	assert_int_equal(insn[1].pc, 0x5000);
	assert_int_equal(insn[2].pc, 0x7000);
	assert_int_equal(insn[3].pc, 0x6000);
	end(&reading);
}

static void pcs_wrap_at_64_bits(void **state)
{
	(void)state;
	struct reading reading = begin((struct head){.pc = UINT64_C(0xfffffffffffffffe)});
	insn32(&reading.in, NOP);
	insn32(&reading.in, NOP);
	const struct cairn_insn *insn = read_all(&reading);
	assert_true(insn[0].pc == UINT64_C(0xfffffffffffffffe));
	assert_int_equal(insn[1].pc, 2);
	end(&reading);
}

static void rv32_pcs_are_not_masked(void **state)
{
	(void)state;
	struct reading reading = begin((struct head){.iem = 1, .pc = 0xfffffffc});
	insn32(&reading.in, NOP);
	insn32(&reading.in, NOP);
	const struct cairn_insn *insn = read_all(&reading);
	assert_true(insn[1].pc == UINT64_C(0x100000000));
	end(&reading);
}

static void without_a_force_pc_the_pc_is_unknown_until_told(void **state)
{
	(void)state;
	struct reading reading = begin((struct head){.no_pc = true});
	PC_TARGET(&reading, 0x2000);
	insn32(&reading.in, NOP);
	insn32(&reading.in, NOP);
	const struct cairn_insn *insn = read_all(&reading);
	assert_true(insn[0].flags & CAIRN_INSN_PC_UNKNOWN);
	assert_false(insn[1].flags & CAIRN_INSN_PC_UNKNOWN);
	assert_int_equal(insn[1].pc, 0x2000);
	end(&reading);
}

/* ---- events ---- */

static void check_three_events(struct reading *reading, const char *from)
{
	const struct cairn_insn *insn = read_from(reading, from);
	const struct cairn_event *event = &reading->batch->events[insn[0].ev0];
	char buf[32];
	assert_int_equal(cairn_damage_count(reading->reader), 0);
	assert_int_equal(reading->batch->n_insns, 1);
	while (event->kind == CAIRN_EV_FORCE_PC)
		event++;
	assert_int_equal(event[0].kind, CAIRN_EV_EXCEPTION);
	assert_int_equal(event[0].code, 13);
	assert_int_equal(event[0].len, 16);
	assert_int_equal(cairn_event_arg(reading->batch, &event[0], 1), 0x78);
	assert_string_equal(cairn_event_name(reading->reader, &event[0], buf), "LOAD_PAGE_FAULT");
	assert_int_equal(event[1].kind, CAIRN_EV_INTERRUPT);
	assert_int_equal(event[1].code, 7);
	assert_string_equal(cairn_event_name(reading->reader, &event[1], buf), "INT_MACHINE_TIMER");
	assert_int_equal(event[2].kind, CAIRN_EV_MODE);
	assert_int_equal(event[2].code, 1);
	assert_int_equal(reading->batch->n_events, (uint32_t)(event + 3 - reading->batch->events));
	end(reading);
}

static void three_events64(struct reading *reading)
{
	event64(&reading->in, 13, 2, 0x77);
	event64(&reading->in, UINT64_C(1) << 63 | 7, 0, 0);
	event64(&reading->in, UINT64_C(1) << 62, 1, 1);
	insn32(&reading->in, NOP);
}

static void three_events32(struct reading *reading)
{
	event32(&reading->in, 13, 2, 0x77);
	event32(&reading->in, UINT32_C(1) << 31 | 7, 0, 0);
	event32(&reading->in, UINT32_C(1) << 30, 1, 1);
	insn32(&reading->in, NOP);
}

static void the_feature_bit_decides_the_width_of_event_ids(void **state)
{
	(void)state;
	for (unsigned minor = 2; minor <= 6; minor++) {
		struct reading wide = begin((struct head){.minor = minor});
		three_events64(&wide);
		check_three_events(&wide, NULL);
		struct reading narrow = begin((struct head){.minor = minor, .narrow = true});
		three_events32(&narrow);
		check_three_events(&narrow, NULL);
		struct reading bare = begin((struct head){.minor = minor, .no_features = true});
		three_events64(&bare);
		check_three_events(&bare, NULL);
	}
}

static void the_user_may_override_the_width_of_event_ids(void **state)
{
	(void)state;
	struct reading wide = begin((struct head){.narrow = true});
	three_events64(&wide);
	check_three_events(&wide, "stf:events=64");
	struct reading narrow = begin((struct head){0});
	three_events32(&narrow);
	check_three_events(&narrow, "stf:events=32");
	struct cairn_reader *reader;
	struct cairn_open_opts opts = {.size = sizeof opts, .from = "stf:events=48"};
	struct bytes bytes = {0};
	head(&bytes, (struct head){0});
	assert_int_equal(cairn_open_memory(c, bytes.p, bytes.n, &opts, &reader), CAIRN_E_INVAL);
	bytes_free(&bytes);
}

static void an_implausible_event_id_is_reported_with_the_way_out(void **state)
{
	(void)state;
	struct reading reading = begin((struct head){0});
	event32(&reading.in, 13, 1, 0x77);
	event32(&reading.in, 13, 1, 0x77);
	insn32(&reading.in, NOP);
	read_from(&reading, NULL);
	assert_true(cairn_damage_count(reading.reader) >= 1);
	const char *text = cairn_damage_text(reading.reader, 0);
	assert_non_null(strstr(text, "implausible"));
	assert_non_null(strstr(text, "stf:events=32"));
	assert_non_null(strstr(text, "byte 0x"));
	assert_non_null(strstr(text, "instruction 1"));
	end(&reading);
}

static void exceptions_and_interrupts_abort_and_ecalls_do_not(void **state)
{
	(void)state;
	struct reading reading = begin((struct head){0});
	for (unsigned id = 0; id < 64; id++) {
		event64(&reading.in, id, 0, 0);
		insn32(&reading.in, NOP);
	}
	for (unsigned id = 0; id < 32; id++) {
		event64(&reading.in, UINT64_C(1) << 63 | id, 0, 0);
		insn32(&reading.in, NOP);
	}
	event64(&reading.in, UINT64_C(1) << 62, 1, 0); /* a mode change aborts nothing */
	insn32(&reading.in, NOP);
	insn32(&reading.in, NOP);
	const struct cairn_insn *insn = read_all(&reading);
	assert_int_equal(reading.batch->n_insns, 98);
	for (unsigned id = 0; id < 96; id++)
		assert_int_equal((insn[id].flags & CAIRN_INSN_ABORTED) != 0, id < 8 || id > 11);
	for (unsigned id = 8; id < 12; id++)
		assert_int_equal(reading.batch->events[insn[id].ev0].kind, CAIRN_EV_SYSCALL);
	assert_false(insn[96].flags & CAIRN_INSN_ABORTED);
	assert_false(insn[97].flags & CAIRN_INSN_ABORTED);
	end(&reading);
}

static void an_event_target_belongs_to_the_last_event(void **state)
{
	(void)state;
	struct reading reading = begin((struct head){0});
	insn32(&reading.in, NOP);
	event64(&reading.in, 13, 0, 0);
	event64(&reading.in, 5, 0, 0);
	EVENT_TARGET(&reading, 0x3000);
	insn32(&reading.in, NOP);
	EVENT_TARGET(&reading, 0x4000); /* without an event: a branch nobody saw */
	insn32(&reading.in, NOP);
	const struct cairn_insn *insn = read_all(&reading);
	const struct cairn_event *event = &reading.batch->events[insn[1].ev0];
	assert_false(event[0].flags & CAIRN_EVF_TARGET);
	assert_true(event[1].flags & CAIRN_EVF_TARGET);
	assert_int_equal(event[1].target, 0x3000);
	assert_int_equal(event[2].kind, CAIRN_EV_BRANCH);
	assert_int_equal(event[2].target, 0x4000);
	assert_int_equal(insn[3].ev0 - insn[2].ev0, 1);
	end(&reading);
}

static void of_two_targets_the_last_one_wins(void **state)
{
	enum { BEQ8 = 0x463 }; /* beq x0, x0, 8 */
	(void)state;
	struct reading reading = begin((struct head){.no_pc = true});
	insn32(&reading.in, NOP); /* its place is not known */
	PC_TARGET(&reading, 0x1000);
	insn32(&reading.in, BEQ8);
	event64(&reading.in, 5, 0, 0);
	EVENT_TARGET(&reading, 0x3000);
	PC_TARGET(&reading, 0x2000);
	insn32(&reading.in, BEQ8);
	PC_TARGET(&reading, 0x4000);
	event64(&reading.in, 5, 0, 0);
	EVENT_TARGET(&reading, 0x5000);
	insn32(&reading.in, BEQ8);
	insn32(&reading.in, BEQ8);
	insn32(&reading.in, NOP);
	const struct cairn_insn *insn = read_all(&reading);
	static const uint64_t pc[] = {0, 0, 0x1000, 0x2000, 0x5000, 0x5004};
	static const uint64_t target[] = {0, 0x1000, 0x2000, 0x4000, 0x5008, 0};
	assert_int_equal(reading.batch->n_insns, 6);
	for (unsigned k = 0; k < 6; k++) {
		assert_int_equal((insn[k].flags & CAIRN_INSN_PC_UNKNOWN) != 0, k < 2);
		assert_int_equal((insn[k].flags & CAIRN_INSN_TARGET) != 0, target[k] != 0);
		assert_int_equal((insn[k].flags & CAIRN_INSN_TAKEN) != 0, k >= 1 && k <= 3);
		if (k >= 2)
			assert_int_equal(insn[k].pc, pc[k]);
		if (target[k])
			assert_int_equal(insn[k].target, target[k]);
	}
	assert_true(insn[4].flags & CAIRN_INSN_NOT_TAKEN);
	end(&reading);
}

/* ---- contexts ---- */

static const struct cairn_ctx *ctx_of(const struct reading *reading, unsigned index)
{
	return &reading->batch->ctxs[reading->batch->insns[index].ctx];
}

static void check_ids(unsigned minor, const char *from, bool fresh)
{
	struct reading reading =
		begin((struct head){.minor = minor, .ids = (const uint32_t[]){1, 20, 300}});
	insn32(&reading.in, NOP);
	rec(&reading.in, CAIRN_STF_PROCESS_ID_EXT, "www", 4u, 50u, 600u);
	insn32(&reading.in, NOP);
	read_from(&reading, from);
	const struct cairn_ctx *x = ctx_of(&reading, 0), *y = ctx_of(&reading, 1);
	if (fresh) {
		assert_int_equal(x->known,
		                 CAIRN_CTX_HART | CAIRN_CTX_HW_TID | CAIRN_CTX_PID | CAIRN_CTX_TID);
		assert_int_equal(x->hw_tid, 1);
		assert_int_equal(x->hart, 1);
		assert_int_equal(x->pid, 20);
		assert_int_equal(x->tid, 300);
		assert_int_equal(y->hw_tid, 4);
		assert_int_equal(y->pid, 50);
		assert_int_equal(y->tid, 600);
	} else {
		assert_int_equal(x->known, CAIRN_CTX_PID | CAIRN_CTX_TID | CAIRN_CTX_ASID);
		assert_int_equal(x->pid, 1);
		assert_int_equal(x->tid, 20);
		assert_int_equal(x->asid, 300);
		assert_int_equal(y->pid, 4);
		assert_int_equal(y->asid, 600);
	}
	end(&reading);
}

static void process_ids_change_their_meaning_with_1_5(void **state)
{
	(void)state;
	for (unsigned minor = 2; minor <= 6; minor++) {
		check_ids(minor, NULL, minor >= 5);
		check_ids(minor, "stf:ids=old", false);
		check_ids(minor, "stf:ids=new", true);
	}
}

static void a_context_holds_until_the_next(void **state)
{
	(void)state;
	struct reading reading = begin((struct head){0});
	insn32(&reading.in, NOP);
	rec(&reading.in, CAIRN_STF_PROCESS_ID_EXT, "www", 1u, 2u, 3u);
	insn32(&reading.in, NOP);
	insn32(&reading.in, NOP);
	read_all(&reading);
	assert_int_equal(ctx_of(&reading, 0)->known, 0);
	assert_int_equal(ctx_of(&reading, 2)->pid, 2);
	end(&reading);
}

static uint8_t priv_of(const struct reading *reading, unsigned index)
{
	return ctx_of(reading, index)->known & CAIRN_CTX_PRIV ? ctx_of(reading, index)->priv : 99;
}

static void mode(struct reading *reading, unsigned to)
{
	event64(&reading->in, UINT64_C(1) << 62, 1, to);
}

static void a_mode_change_holds_after_its_instruction(void **state)
{
	(void)state;
	struct reading reading = begin((struct head){0});
	insn32(&reading.in, NOP);
	mode(&reading, 3);
	insn32(&reading.in, NOP);
	insn32(&reading.in, NOP);
	const struct cairn_insn *insn = read_all(&reading);
	assert_int_equal(priv_of(&reading, 0), 99);
	assert_int_equal(priv_of(&reading, 1), 99);
	assert_int_equal(priv_of(&reading, 2), 3);
	assert_int_equal(reading.batch->events[insn[1].ev0].phase, CAIRN_AFTER);
	end(&reading);
}

static void a_mode_change_at_the_start_holds_at_once(void **state)
{
	(void)state;
	struct reading reading = begin((struct head){0});
	mode(&reading, 3);
	insn32(&reading.in, NOP);
	mode(&reading, 0);
	insn32(&reading.in, NOP);
	insn32(&reading.in, NOP);
	read_all(&reading);
	assert_int_equal(priv_of(&reading, 0), 3);
	assert_int_equal(priv_of(&reading, 1), 3);
	assert_int_equal(priv_of(&reading, 2), 0);
	assert_int_equal(reading.batch->events[reading.batch->insns[1].ev0 - 1].phase, CAIRN_BEFORE);
	end(&reading);
}

static void a_mode_change_with_a_force_pc_holds_at_once(void **state)
{
	(void)state;
	struct reading reading = begin((struct head){0});
	insn32(&reading.in, NOP);
	FORCE_PC(&reading, 0x9000);
	mode(&reading, 1);
	insn32(&reading.in, NOP);
	read_all(&reading);
	assert_int_equal(priv_of(&reading, 0), 99);
	assert_int_equal(priv_of(&reading, 1), 1);
	end(&reading);
}

static void a_mode_that_does_not_exist_changes_nothing(void **state)
{
	(void)state;
	struct reading reading = begin((struct head){0});
	mode(&reading, 3);
	mode(&reading, 77);
	event64(&reading.in, UINT64_C(1) << 62, 0, 0); /* without its number */
	insn32(&reading.in, NOP);
	insn32(&reading.in, NOP);
	read_all(&reading);
	assert_int_equal(priv_of(&reading, 0), 3);
	assert_int_equal(priv_of(&reading, 1), 3);
	end(&reading);
}

/* ---- registers ---- */

static void check_vector(unsigned minor, uint32_t vlen, unsigned words)
{
	static const uint64_t values[] = {0x1111, 0x2222, 3, 4, 5, 6, 7, 0x8888};
	struct reading reading = begin((struct head){.minor = minor, .vlen = vlen});
	rec(&reading.in, CAIRN_STF_INST_REG, "hb", 31u, 3u << 4 | 3u);
	for (unsigned i = 0; i < words; i++) {
		uint8_t raw[8] = {(uint8_t)values[i], (uint8_t)(values[i] >> 8)};
		bytes_put(&reading.in, raw, 8);
	}
	reg(&reading.in, 5, 1, 2, 0x55);
	insn32(&reading.in, NOP);
	read_all(&reading);
	assert_int_equal(reading.batch->n_regs, 2);
	const struct cairn_reg *v = &reading.batch->regs[0];
	assert_int_equal(v->num, 31);
	assert_int_equal(v->cls, CAIRN_REG_VECTOR);
	assert_int_equal(v->role, CAIRN_ROLE_DST);
	assert_int_equal(v->bits, vlen ? vlen : 64);
	assert_int_equal((v->flags & CAIRN_VALUE_WIDE) != 0, words > 1);
	for (unsigned i = 0; i < words; i++) {
		uint64_t w = v->value;
		if (words > 1)
			w = base_le64(reading.batch->bytes + v->value + 8 * i);
		assert_int_equal(w, values[i]);
	}
	assert_int_equal(reading.batch->regs[1].value, 0x55);
	end(&reading);
}

static void vector_values_are_vlen_bits_rounded_up(void **state)
{
	(void)state;
	check_vector(6, 64, 1);
	check_vector(6, 96, 2);
	check_vector(6, 128, 2);
	check_vector(4, 512, 8);
	check_vector(3, 0, 1); /* before VLEN_CONFIG existed: plain 64 bits */
	check_vector(2, 0, 1);
}

static void a_vector_without_vlen_cannot_be_measured(void **state)
{
	(void)state;
	struct reading reading = begin((struct head){0});
	insn32(&reading.in, NOP);
	reg(&reading.in, 1, 3, 1, 7);
	insn32(&reading.in, NOP);
	read_from(&reading, NULL);
	assert_int_equal(reading.batch->n_insns, 1);
	assert_int_equal(cairn_damage_count(reading.reader), 1);
	assert_non_null(strstr(cairn_damage_text(reading.reader, 0), "VLEN_CONFIG"));
	end(&reading);
}

static void registers_keep_class_role_and_order(void **state)
{
	(void)state;
	struct reading reading = begin((struct head){0});
	reg(&reading.in, 32, 1, 1, 0x10);
	reg(&reading.in, 7, 2, 2, 0x20);
	rec(&reading.in, CAIRN_STF_INST_READY_REG, "h", 9u);
	reg(&reading.in, 0x300, 4, 3, 0x30);
	reg(&reading.in, 1, 9, 8, 0x40); /* kinds and roles nobody has defined */
	insn32(&reading.in, NOP);
	read_all(&reading);
	const struct cairn_reg *x = reading.batch->regs;
	assert_int_equal(reading.batch->n_regs, 5);
	assert_int_equal(x[0].num, 32);
	assert_int_equal(x[0].role, CAIRN_ROLE_STATE);
	assert_int_equal(x[0].bits, 64);
	assert_int_equal(x[1].cls, CAIRN_REG_FP);
	assert_int_equal(x[1].role, CAIRN_ROLE_SRC);
	assert_int_equal(x[2].role, CAIRN_ROLE_READY);
	assert_int_equal(x[2].num, 9);
	assert_false(x[2].flags & CAIRN_VALUE_KNOWN);
	assert_int_equal(x[3].cls, CAIRN_REG_CSR);
	assert_int_equal(x[3].num, 0x300);
	assert_int_equal(x[3].role, CAIRN_ROLE_DST);
	assert_int_equal(x[4].cls, CAIRN_REG_UNKNOWN);
	assert_int_equal(x[4].role, CAIRN_ROLE_UNKNOWN);
	assert_int_equal(x[4].value, 0x40);
	for (unsigned i = 1; i < 5; i++)
		assert_true(x[i].seq > x[i - 1].seq);
	end(&reading);
}

/* ---- instruction sets ---- */

static void an_iem_in_the_body_switches_from_the_next_instruction(void **state)
{
	(void)state;
	struct reading reading = begin((struct head){.pc = 0x1000});
	insn16(&reading.in, 0x2001);
	rec(&reading.in, CAIRN_STF_INST_IEM, "h", 1u);
	insn16(&reading.in, 0x2001);
	insn16(&reading.in, 0x2001);
	rec(&reading.in, CAIRN_STF_INST_IEM, "h", 2u);
	insn16(&reading.in, 0x2001);
	const struct cairn_insn *insn = read_all(&reading);
	assert_int_equal(insn[0].isa, CAIRN_ISA_RV64);
	assert_int_equal(insn[1].isa, CAIRN_ISA_RV32);
	assert_int_equal(insn[2].isa, CAIRN_ISA_RV32);
	assert_int_equal(insn[3].isa, CAIRN_ISA_RV64);
	assert_false(insn[0].traits & CAIRN_TRAIT_BRANCH); /* c.addiw */
	assert_true(insn[1].traits & CAIRN_TRAIT_BRANCH);  /* c.jal */
	assert_true(insn[2].traits & CAIRN_TRAIT_BRANCH);
	assert_false(insn[3].traits & CAIRN_TRAIT_BRANCH);
	const struct cairn_event *event = &reading.batch->events[insn[1].ev0];
	assert_int_equal(event->kind, CAIRN_EV_MODE_ISA);
	assert_int_equal(event->code, CAIRN_ISA_RV32);
	assert_int_equal(event->phase, CAIRN_BEFORE);
	end(&reading);
}

static void integer_registers_are_as_wide_as_the_mode(void **state)
{
	(void)state;
	struct reading reading = begin((struct head){.iem = 1});
	reg(&reading.in, 1, 1, 1, 7);
	insn32(&reading.in, NOP);
	rec(&reading.in, CAIRN_STF_INST_IEM, "h", 2u);
	reg(&reading.in, 1, 1, 1, 7);
	insn32(&reading.in, NOP);
	read_all(&reading);
	assert_int_equal(reading.batch->regs[0].bits, 32);
	assert_int_equal(reading.batch->regs[1].bits, 64);
	end(&reading);
}

static void check_version(unsigned major, unsigned minor, bool good)
{
	struct bytes bytes = {0};
	struct cairn_reader *reader;
	head(&bytes, (struct head){0});
	bytes.p[5] = (uint8_t)major; /* IDENTIFIER is 4 bytes, VERSION's payload next */
	bytes.p[9] = (uint8_t)minor;
	insn32(&bytes, NOP);
	int rc = cairn_open_memory(c, bytes.p, bytes.n, NULL, &reader);
	if (good) {
		assert_int_equal(rc, 0);
		cairn_close(reader);
	} else {
		char said[32];
		snprintf(said, sizeof said, "version %u.%u ", major, minor);
		assert_int_equal(rc, CAIRN_E_UNSUPPORTED);
		assert_non_null(strstr(cairn_error_text(c), said));
		assert_null(strchr(cairn_error_text(c), '\n'));
		struct cairn_open_opts opts = {.size = sizeof opts, .from = "stf:version=1.6"};
		assert_int_equal(cairn_open_memory(c, bytes.p, bytes.n, &opts, &reader), 0);
		cairn_close(reader);
	}
	bytes_free(&bytes);
}

static void versions_1_2_to_1_6_are_read_and_others_refused(void **state)
{
	(void)state;
	for (unsigned minor = 2; minor <= 6; minor++)
		check_version(1, minor, true);
	check_version(1, 0, false);
	check_version(1, 1, false);
	check_version(1, 7, false);
	check_version(2, 0, false);
	check_version(0, 3, false);
	check_version(1, 99, false);
}

/* ---- memory ---- */

static void mem_access(struct reading *reading, uint64_t addr, unsigned size, unsigned kind)
{
	rec(&reading->in, CAIRN_STF_INST_MEM_ACCESS, "qhhb", addr, size, 0x12u, kind);
}

static void content(struct reading *reading, uint64_t value)
{
	rec(&reading->in, CAIRN_STF_INST_MEM_CONTENT, "q", value);
}

static void contents_belong_to_the_access_before_them(void **state)
{
	(void)state;
	struct reading reading = begin((struct head){0});
	mem_access(&reading, 0x100, 4, 1);
	content(&reading, 7);
	mem_access(&reading, 0x200, 8, 2);
	mem_access(&reading, 0x300, 8, 9);
	content(&reading, 8);
	insn32(&reading.in, NOP);
	read_all(&reading);
	const struct cairn_mem *mem = reading.batch->mems;
	assert_int_equal(reading.batch->n_mems, 3);
	assert_int_equal(mem[0].addr, 0x100);
	assert_int_equal(mem[0].size, 4);
	assert_int_equal(mem[0].kind, CAIRN_MEM_READ);
	assert_int_equal(mem[0].attr, 0x12);
	assert_int_equal(mem[0].value, 7);
	assert_int_equal(mem[0].flags, CAIRN_VALUE_KNOWN);
	assert_int_equal(mem[1].kind, CAIRN_MEM_WRITE);
	assert_false(mem[1].flags & CAIRN_VALUE_KNOWN);
	assert_int_equal(mem[2].kind, CAIRN_MEM_UNKNOWN);
	assert_int_equal(mem[2].value, 8);
	end(&reading);
}

static void check_wide(const struct cairn_batch *batch, const struct cairn_mem *mem, unsigned words,
                       uint64_t first)
{
	assert_int_equal(mem->words, words);
	assert_int_equal(mem->flags & (CAIRN_VALUE_WIDE | CAIRN_VALUE_KNOWN),
	                 CAIRN_VALUE_WIDE | CAIRN_VALUE_KNOWN);
	for (unsigned i = 0; i < words; i++) {
		assert_int_equal(base_le64(batch->bytes + mem->value + 8 * i), first + i);
	}
}

static void several_contents_make_a_wide_value(void **state)
{
	(void)state;
	struct reading reading = begin((struct head){0});
	mem_access(&reading, 0x100, 16, 1);
	content(&reading, 10);
	content(&reading, 11);
	mem_access(&reading, 0x200, 0, 1); /* its size is not told */
	content(&reading, 20);
	content(&reading, 21);
	mem_access(&reading, 0x300, 64, 2);
	for (unsigned i = 0; i < 8; i++)
		content(&reading, 30 + i);
	insn32(&reading.in, NOP);
	read_all(&reading);
	const struct cairn_mem *mem = reading.batch->mems;
	assert_int_equal(reading.batch->n_mems, 3);
	check_wide(reading.batch, &mem[0], 2, 10);
	check_wide(reading.batch, &mem[1], 2, 20);
	check_wide(reading.batch, &mem[2], 8, 30);
	end(&reading);
}

static void contents_of_core_and_bus_do_not_mix(void **state)
{
	(void)state;
	struct reading reading = begin((struct head){0});
	mem_access(&reading, 0x100, 16, 1);
	content(&reading, 10);
	rec(&reading.in, CAIRN_STF_BUS_MASTER_ACCESS, "qhbbwb", UINT64_C(0x700), 16u, 3u, 5u, 0x1234u,
	    2u);
	rec(&reading.in, CAIRN_STF_BUS_MASTER_CONTENT, "q", UINT64_C(70));
	content(&reading, 11);
	rec(&reading.in, CAIRN_STF_BUS_MASTER_CONTENT, "q", UINT64_C(71));
	insn32(&reading.in, NOP);
	read_all(&reading);
	const struct cairn_mem *mem = reading.batch->mems;
	assert_int_equal(reading.batch->n_mems, 2);
	check_wide(reading.batch, &mem[0], 2, 10);
	check_wide(reading.batch, &mem[1], 2, 70);
	assert_int_equal(mem[0].initiator, CAIRN_BY_INSN);
	assert_int_equal(mem[1].addr, 0x700);
	assert_int_equal(mem[1].initiator, CAIRN_BY_DMA);
	assert_int_equal(mem[1].unit, 5);
	assert_int_equal(mem[1].attr, 0x1234);
	assert_int_equal(mem[1].kind, CAIRN_MEM_WRITE);
	end(&reading);
}

static void initiators_are_named_as_the_public_library_numbers_them(void **state)
{
	(void)state;
	static const uint8_t want[] = {CAIRN_BY_OTHER, CAIRN_BY_CORE, CAIRN_BY_GPU, CAIRN_BY_DMA,
	                               CAIRN_BY_PCIE,  CAIRN_BY_SRIO, CAIRN_BY_ICN, CAIRN_BY_OTHER};
	struct reading reading = begin((struct head){0});
	for (unsigned i = 0; i < 8; i++)
		rec(&reading.in, CAIRN_STF_BUS_MASTER_ACCESS, "qhbbwb", UINT64_C(1), 1u, i, 0u, 0u, 1u);
	insn32(&reading.in, NOP);
	read_all(&reading);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(reading.batch->mems[i].initiator, want[i]);
	end(&reading);
}

static void a_content_without_an_access_is_kept(void **state)
{
	(void)state;
	struct reading reading = begin((struct head){0});
	mem_access(&reading, 0x100, 8, 1);
	insn32(&reading.in, NOP);
	content(&reading, 5); /* of this instruction, not of the one before */
	content(&reading, 6);
	insn32(&reading.in, NOP);
	rec(&reading.in, CAIRN_STF_BUS_MASTER_CONTENT, "q", UINT64_C(9));
	insn32(&reading.in, NOP);
	read_all(&reading);
	const struct cairn_mem *mem = reading.batch->mems;
	assert_int_equal(reading.batch->n_mems, 3);
	assert_false(mem[0].flags & CAIRN_VALUE_KNOWN);
	assert_true(mem[1].flags & CAIRN_VALUE_ADDR_UNKNOWN);
	check_wide(reading.batch, &mem[1], 2, 5);
	assert_int_equal(mem[2].initiator, CAIRN_BY_OTHER);
	assert_int_equal(mem[2].value, 9);
	assert_true(mem[2].flags & CAIRN_VALUE_ADDR_UNKNOWN);
	end(&reading);
}

/* ---- the rest ---- */

static void page_walks_keep_every_entry(void **state)
{
	(void)state;
	struct reading reading = begin((struct head){0});
	insn32(&reading.in, NOP);
	rec(&reading.in, CAIRN_STF_PAGE_TABLE_WALK, "qqwbqqqq", UINT64_C(0x4000), UINT64_C(3), 0x1000u,
	    2u, UINT64_C(0xa0), UINT64_C(0xb0), UINT64_C(0xa1), UINT64_C(0xb1));
	rec(&reading.in, CAIRN_STF_PAGE_TABLE_WALK, "qqwb", UINT64_C(0x5000), UINT64_C(4), 0x1000u, 0u);
	insn32(&reading.in, NOP);
	const struct cairn_insn *insn = read_all(&reading);
	const struct cairn_event *event = &reading.batch->events[insn[1].ev0];
	static const uint64_t want[] = {3, 0x1000, 0xa0, 0xb0, 0xa1, 0xb1};
	assert_int_equal(event[0].kind, CAIRN_EV_PAGE_WALK);
	assert_int_equal(event[0].code, 0x4000);
	assert_int_equal(event[0].len, sizeof want);
	for (unsigned k = 0; k < 6; k++)
		assert_int_equal(cairn_event_arg(reading.batch, &event[0], k), want[k]);
	assert_int_equal(event[1].code, 0x5000);
	assert_int_equal(event[1].len, 16);
	end(&reading);
}

static void comments_and_micro_operations_are_events(void **state)
{
	(void)state;
	struct reading reading = begin((struct head){0});
	insn32(&reading.in, NOP);
	rec(&reading.in, CAIRN_STF_COMMENT, "T", "hello");
	rec(&reading.in, CAIRN_STF_INST_MICROOP, "bw", 4u, 0x128293u);
	insn32(&reading.in, NOP);
	const struct cairn_insn *insn = read_all(&reading);
	const struct cairn_event *event = &reading.batch->events[insn[1].ev0];
	assert_int_equal(event[0].kind, CAIRN_EV_COMMENT);
	assert_memory_equal(reading.batch->bytes + event[0].args, "hello", 5);
	assert_int_equal(event[0].len, 5);
	assert_int_equal(event[1].kind, CAIRN_EV_MICRO_OP);
	assert_int_equal(event[1].code, 0x128293);
	assert_int_equal(cairn_event_arg(reading.batch, &event[1], 0), 4);
	end(&reading);
}

static void header_records_in_the_body_are_kept_and_change_nothing(void **state)
{
	(void)state;
	struct reading reading = begin((struct head){.vlen = 128});
	insn32(&reading.in, NOP);
	rec(&reading.in, CAIRN_STF_VLEN_CONFIG, "w", 64u);
	rec(&reading.in, CAIRN_STF_TRACE_INFO_FEATURE, "q", UINT64_C(0)); /* says 32-bit events */
	rec(&reading.in, CAIRN_STF_VERSION, "ww", 1u, 3u);
	rec(&reading.in, CAIRN_STF_TRACE_INFO, "bbbbt", 1u, 2u, 3u, 4u, "again");
	insn32(&reading.in, NOP);
	event64(&reading.in, 13, 0, 0);
	rec(&reading.in, CAIRN_STF_INST_REG, "hbqq", 1u, 0x23u, UINT64_C(1), UINT64_C(2));
	insn32(&reading.in, NOP);
	const struct cairn_insn *insn = read_all(&reading);
	const struct cairn_event *event = &reading.batch->events[insn[1].ev0];
	char buf[32];
	assert_int_equal(reading.batch->n_insns, 3);
	assert_int_equal(insn[2].ev0 - insn[1].ev0, 4);
	assert_int_equal(event[0].kind, CAIRN_EV_FORMAT);
	assert_string_equal(cairn_event_name(reading.reader, &event[0], buf), "VLEN_CONFIG");
	assert_int_equal(event[0].len, 4);
	assert_memory_equal(reading.batch->bytes + event[0].args, "\x40\0\0\0", 4);
	assert_string_equal(cairn_event_name(reading.reader, &event[3], buf), "TRACE_INFO");
	assert_int_equal(reading.batch->regs[0].bits, 128);
	end(&reading);
}

static void records_after_the_last_instruction_are_delivered(void **state)
{
	(void)state;
	struct reading reading = begin((struct head){0});
	insn32(&reading.in, NOP);
	reg(&reading.in, 5, 1, 1, 0x55);
	mem_access(&reading, 0x100, 8, 1);
	rec(&reading.in, CAIRN_STF_COMMENT, "T", "the end");
	const struct cairn_insn *insn = read_all(&reading);
	assert_int_equal(reading.batch->n_insns, 1);
	assert_int_equal(insn[2].reg0 - insn[1].reg0, 1);
	assert_int_equal(insn[2].mem0 - insn[1].mem0, 1);
	assert_int_equal(insn[2].ev0 - insn[1].ev0, 1);
	assert_int_equal(reading.batch->events[insn[1].ev0].kind, CAIRN_EV_COMMENT);
	end(&reading);
}

static void a_header_may_be_bare_and_in_any_order(void **state)
{
	(void)state;
	struct reading reading = {{0}};
	rec(&reading.in, CAIRN_STF_IDENTIFIER, "s", "STF");
	rec(&reading.in, CAIRN_STF_VERSION, "ww", 1u, 6u);
	rec(&reading.in, CAIRN_STF_PROCESS_ID_EXT, "www", 0u, 42u, 43u);
	rec(&reading.in, CAIRN_STF_FORCE_PC, "q", UINT64_C(0x44));
	rec(&reading.in, CAIRN_STF_INST_IEM, "h", 1u);
	rec(&reading.in, CAIRN_STF_ISA, "h", 1u);
	rec(&reading.in, CAIRN_STF_END_HEADER, "");
	insn32(&reading.in, NOP);
	const struct cairn_insn *insn = read_all(&reading);
	assert_int_equal(insn[0].pc, 0x44);
	assert_int_equal(insn[0].isa, CAIRN_ISA_RV32);
	assert_int_equal(ctx_of(&reading, 0)->tid, 43);
	end(&reading);

	struct bytes bytes = {0};
	struct cairn_reader *reader;
	rec(&bytes, CAIRN_STF_IDENTIFIER, "s", "STF");
	rec(&bytes, CAIRN_STF_ISA, "h", 1u);
	insn32(&bytes, NOP);
	assert_int_equal(cairn_open_memory(c, bytes.p, bytes.n, NULL, &reader), CAIRN_E_DAMAGED);
	assert_non_null(strstr(cairn_error_text(c), "VERSION"));
	bytes_free(&bytes);
}

static void another_architecture_has_no_classes(void **state)
{
	(void)state;
	struct reading reading = {{0}};
	rec(&reading.in, CAIRN_STF_IDENTIFIER, "s", "STF");
	rec(&reading.in, CAIRN_STF_VERSION, "ww", 1u, 6u);
	rec(&reading.in, CAIRN_STF_ISA, "h", 2u);
	rec(&reading.in, CAIRN_STF_END_HEADER, "");
	insn32(&reading.in, NOP);
	const struct cairn_insn *insn = read_all(&reading);
	assert_int_equal(insn[0].isa, CAIRN_ISA_UNKNOWN);
	assert_int_equal(insn[0].cls, CAIRN_CLASS_UNKNOWN);
	assert_false(cairn_reader_can(reading.reader) & CAIRN_CLASS);
	end(&reading);
}

static void many_rows_of_one_instruction_are_counted_when_dropped(void **state)
{
	(void)state;
	struct reading reading = begin((struct head){0});
	enum { MANY = CAIRN_CAP_REGS + 100 };
	for (unsigned i = 0; i < MANY; i++)
		reg(&reading.in, i & 31, 1, 1, i);
	insn32(&reading.in, NOP);
	insn32(&reading.in, NOP);
	read_from(&reading, NULL);
	assert_int_equal(reading.batch->n_insns, 2);
	assert_int_equal(reading.batch->insns[1].reg0, CAIRN_CAP_REGS / 2);
	assert_int_equal(reading.batch->n_regs, CAIRN_CAP_REGS / 2);
	assert_int_equal(cairn_damage_count(reading.reader), 1);
	assert_non_null(strstr(cairn_damage_text(reading.reader, 0), "8292 more"));
	end(&reading);
}

/* ---- records back to bytes ---- */

static void put_value(struct bytes *out, uint64_t value, unsigned width)
{
	for (unsigned i = 0; i < width; i++)
		bytes_put(out, &(uint8_t){(uint8_t)(value >> (8 * i))}, 1);
}

static unsigned log2_of(unsigned value)
{
	unsigned n = 0;
	while (value >> n > 1)
		n++;
	return n;
}

/* What precedes a field's bytes on disk and is no field of its own. */
static void put_prefix(struct bytes *out, const struct cairn_record *one,
                       const struct cairn_field *field)
{
	if (field->kind == CAIRN_FIELD_TEXT && one->type != CAIRN_STF_IDENTIFIER)
		put_value(out, field->len,
		          one->type == CAIRN_STF_TRACE_INFO || one->type == CAIRN_STF_CLOCK_ID ? 2 : 4);
	else if (one->type == CAIRN_STF_TRANSACTION && !strcmp(field->name, "data"))
		put_value(out, field->len, 2);
	else if (!strncmp(field->name, "meta", 4) && field->name[4] >= '0' && field->name[4] <= '9')
		put_value(out, log2_of(field->width), 1);
}

static void rebuild(const struct cairn_record *one, struct bytes *out)
{
	out->n = 0;
	put_value(out, one->type, 1);
	for (unsigned i = 0; i < one->n_fields; i++) {
		const struct cairn_field *field = &one->fields[i];
		if (one->type == CAIRN_STF_INST_REG && !strcmp(field->name, "kind")) {
			put_value(out, field->value | field[1].value << 4, 1);
			i++;
			continue;
		}
		put_prefix(out, one, field);
		if (field->kind == CAIRN_FIELD_TEXT || field->kind == CAIRN_FIELD_BYTES ||
		    field->kind == CAIRN_FIELD_WIDE)
			bytes_put(out, field->text, field->len);
		else
			put_value(out, field->value, field->width);
	}
}

/* Every record in order: whole, rebuilt the same, numbered and placed right. Returns
 * their bytes. */
static struct bytes check_records(struct cairn_reader *reader, const char *what)
{
	struct bytes all = {0}, again = {0};
	struct cairn_record one;
	uint64_t number = 0;
	int rc;
	while ((rc = cairn_next_record(reader, &one)) > 0) {
		assert_int_equal(one.number, ++number);
		assert_int_equal(one.offset, all.n);
		assert_true(one.n_fields <= CAIRN_MAX_FIELDS);
		rebuild(&one, &again);
		if (again.n != one.size || memcmp(again.p, one.data, again.n) != 0)
			fail_msg("%s: record %llu (%s) is not rebuilt from its fields", what,
			         (unsigned long long)number, one.name);
		bytes_put(&all, one.data, one.size);
	}
	if (rc < 0)
		fail_msg("%s: %s", what, cairn_error_text(c));
	bytes_free(&again);
	return all;
}

static void random_records_come_back(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < 40; seed++) {
		struct bytes bytes = {0};
		struct cairn_reader *reader;
		struct head h = {.minor = 2 + seed % 5, .narrow = seed & 1, .vlen = seed % 3 * 96};
		struct cairn_stf_config cfg = config_of(h);
		head(&bytes, h);
		random_groups(&bytes, &cfg, seed, 300);
		assert_int_equal(cairn_open_memory(c, bytes.p, bytes.n, NULL, &reader), 0);
		struct bytes all = check_records(reader, "random");
		assert_int_equal(all.n, bytes.n);
		assert_memory_equal(all.p, bytes.p, bytes.n);
		cairn_close(reader);
		bytes_free(&all);
		bytes_free(&bytes);
	}
}

static void odd_records_come_back(void **state)
{
	(void)state;
	struct bytes bytes = {0};
	struct cairn_reader *reader;
	head(&bytes, (struct head){.vlen = 65536});
	rec(&bytes, CAIRN_STF_COMMENT, "T", "");
	rec(&bytes, CAIRN_STF_TRACE_INFO, "bbbbt", 0xeeu, 1u, 2u, 3u, "");
	rec(&bytes, CAIRN_STF_INST_REG, "hb", 5u, 0xf3u);
	for (unsigned i = 0; i < 1024; i++)
		bytes_put(&bytes, &(uint64_t){i}, 8);
	reg(&bytes, 0xffff, 15, 15, UINT64_MAX);
	event64(&bytes, UINT64_MAX, 255, 1);
	event64(&bytes, 17, 17, 1);
	event64(&bytes, 16, 16, 1);
	for (unsigned n = 7; n <= 255; n += 124) {
		rec(&bytes, CAIRN_STF_PAGE_TABLE_WALK, "qqwb", UINT64_C(1), UINT64_C(2), 3u, n);
		for (unsigned i = 0; i < 2 * n; i++)
			bytes_put(&bytes, &(uint64_t){i}, 8);
	}
	rec(&bytes, CAIRN_STF_INST_MEM_ACCESS, "qhhb", UINT64_C(1), 0xffffu, 0xffffu, 0xffu);
	rec(&bytes, CAIRN_STF_BUS_MASTER_ACCESS, "qhbbwb", UINT64_C(1), 1u, 255u, 255u, ~0u, 255u);
	rec(&bytes, CAIRN_STF_RESERVED_END, "");
	assert_int_equal(cairn_open_memory(c, bytes.p, bytes.n, NULL, &reader), 0);
	struct bytes all = check_records(reader, "odd");
	assert_int_equal(all.n, bytes.n);
	assert_memory_equal(all.p, bytes.p, bytes.n);
	cairn_close(reader);
	bytes_free(&all);
	bytes_free(&bytes);
}

static void transaction(struct bytes *bytes, uint64_t id, unsigned channel, unsigned metadata)
{
	rec(bytes, CAIRN_STF_TRANSACTION, "qqbh", id, UINT64_C(5), 1u, metadata);
	for (unsigned i = 0; i < metadata; i++) {
		uint8_t raw[9] = {(uint8_t)(i % 4), (uint8_t)i, 2, 3, 4, 5, 6, 7, 8};
		bytes_put(bytes, raw, 1 + (1u << (i % 4)));
	}
	uint8_t op[12] = {(uint8_t)channel, 1, 2, 3, 0xcc};
	bytes_put(bytes, op, channel == 5 ? 1 : 12); /* channel, code, param, size, source */
	if (channel < 5)
		bytes_put(bytes, "\3\0abc", 5);
	bytes_put(bytes, "\x44\0\0\0\0\0\0\0", 8); /* address or sink */
	if (channel < 3)
		bytes_put(bytes, "\x09\0\xff\x01", 4); /* 9 bits in two bytes */
}

static void transactions_keep_everything(void **state)
{
	(void)state;
	struct bytes bytes = {0};
	struct cairn_reader *reader;
	rec(&bytes, CAIRN_STF_IDENTIFIER, "s", "STF");
	rec(&bytes, CAIRN_STF_VERSION, "ww", 1u, 6u);
	rec(&bytes, CAIRN_STF_PROTOCOL_ID, "b", 1u);
	rec(&bytes, CAIRN_STF_CLOCK_ID, "bt", 1u, "clock");
	rec(&bytes, CAIRN_STF_END_HEADER, "");
	for (unsigned i = 1; i <= 10; i++) {
		if (i % 2)
			rec(&bytes, CAIRN_STF_TRANSACTION_DEPENDENCY, "qqb", (uint64_t)i, UINT64_C(9), 1u);
		transaction(&bytes, i, 1 + i % 5, i == 4 ? 40 : i % 3);
	}
	assert_int_equal(cairn_open_memory(c, bytes.p, bytes.n, NULL, &reader), 0);
	struct bytes all = check_records(reader, "transactions");
	assert_int_equal(all.n, bytes.n);
	assert_memory_equal(all.p, bytes.p, bytes.n);
	cairn_close(reader);
	bytes_free(&all);

	assert_int_equal(cairn_open_memory(c, bytes.p, bytes.n, NULL, &reader), 0);
	struct cairn_batch *batch = cairn_batch_new(c);
	assert_int_equal(cairn_next(reader, batch), 1);
	assert_int_equal(batch->n_xacts, 10);
	assert_int_equal(batch->x0, 1);
	assert_int_equal(batch->n_insns, 0);
	const struct cairn_xact *xact = &batch->xacts[0]; /* channel B */
	assert_int_equal(xact->channel, 2);
	assert_int_equal(xact->code, 1);
	assert_int_equal(xact->size, 3);
	assert_int_equal(xact->source, 0xcc);
	assert_int_equal(xact->address, 0x44);
	assert_int_equal(xact->mask_bits, 9);
	assert_memory_equal(batch->bytes + xact->mask, "\xff\x01", 2);
	assert_memory_equal(batch->bytes + xact->data, "abc", 3);
	assert_int_equal(xact->n_deps, 1);
	assert_int_equal(batch->xacts[3].n_meta, 40);
	assert_int_equal(batch->xacts[3].known & CAIRN_XACT_SINK, CAIRN_XACT_SINK);
	assert_int_equal(batch->xacts[3].known & CAIRN_XACT_ADDRESS, 0);
	assert_int_equal(batch->xacts[1].known & CAIRN_XACT_MASK, 0);
	cairn_batch_free(c, batch);
	cairn_close(reader);
	bytes_free(&bytes);
}

/* The stream of a file: itself, or the chunks of a .zstf one after another. */
static struct bytes stream_of(const struct bytes *file)
{
	struct bytes out = {0};
	if (file->n < 20 || memcmp(file->p, "ZSTF", 4) != 0) {
		bytes_put(&out, file->p, file->n);
		return out;
	}
	struct bytes frames = {0};
	uint64_t end_of_frames;
	memcpy(&end_of_frames, file->p + 12, 8);
	bytes_put(&frames, file->p + 20, (size_t)end_of_frames - 20);
	/* Concatenated frames are one zstd stream: read them as such. */
	out = unwrapped(c, &frames);
	bytes_free(&frames);
	return out;
}

static unsigned check_folder(const char *folder)
{
	char path[4096];
	unsigned n = 0;
	DIR *d = opendir(folder);
	if (!d)
		return 0;
	for (struct dirent *entry; (entry = readdir(d));) {
		const char *dot = strrchr(entry->d_name, '.');
		struct cairn_reader *reader;
		if (!dot || (strcmp(dot, ".stf") && strcmp(dot, ".zstf")))
			continue;
		if (!strcmp(entry->d_name, "stf_load_store-d236c50.zstf"))
			continue; /* damaged */
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		struct bytes file = bytes_of_file(path), stream = stream_of(&file);
		if (cairn_open(c, path, NULL, &reader) < 0)
			fail_msg("%s", cairn_error_text(c));
		struct bytes all = check_records(reader, entry->d_name);
		if (all.n != stream.n || memcmp(all.p, stream.p, all.n) != 0)
			fail_msg("%s: its records are not its bytes", entry->d_name);
		cairn_close(reader);
		bytes_free(&all);
		bytes_free(&stream);
		bytes_free(&file);
		n++;
	}
	closedir(d);
	return n;
}

static void real_traces_come_back(void **state)
{
	(void)state;
	const char *data = getenv("CAIRN_TEST_DATA");
	char folder[3][4000];
	snprintf(folder[0], sizeof folder[0], "%s/stf", data ? data : "");
	snprintf(folder[1], sizeof folder[1], "%s/stf/every-record", data ? data : "");
	snprintf(folder[2], sizeof folder[2], "%s/stf/tilelink", data ? data : "");
	DIR *d = data ? opendir(folder[0]) : NULL;
	if (!d)
		skip();
	closedir(d);
	assert_true(check_folder(folder[0]) > 0);
	assert_true(check_folder(folder[1]) > 0);
	assert_true(check_folder(folder[2]) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_fixed_part_is_the_sum_of_its_fields),
		cmocka_unit_test(names_and_aliases_are_unique),
		cmocka_unit_test(no_fixed_part_is_longer_than_the_longest),
		cmocka_unit_test(the_page_shows_the_table),
		cmocka_unit_test(pcs_begin_at_the_headers_force_pc_and_grow_by_length),
		cmocka_unit_test(a_force_pc_moves_its_own_instruction),
		cmocka_unit_test(a_target_moves_the_next_instruction),
		cmocka_unit_test(the_last_target_wins),
		cmocka_unit_test(force_pc_and_targets_are_independent),
		cmocka_unit_test(pcs_wrap_at_64_bits),
		cmocka_unit_test(rv32_pcs_are_not_masked),
		cmocka_unit_test(without_a_force_pc_the_pc_is_unknown_until_told),
		cmocka_unit_test(the_feature_bit_decides_the_width_of_event_ids),
		cmocka_unit_test(the_user_may_override_the_width_of_event_ids),
		cmocka_unit_test(an_implausible_event_id_is_reported_with_the_way_out),
		cmocka_unit_test(exceptions_and_interrupts_abort_and_ecalls_do_not),
		cmocka_unit_test(an_event_target_belongs_to_the_last_event),
		cmocka_unit_test(of_two_targets_the_last_one_wins),
		cmocka_unit_test(process_ids_change_their_meaning_with_1_5),
		cmocka_unit_test(a_context_holds_until_the_next),
		cmocka_unit_test(a_mode_change_holds_after_its_instruction),
		cmocka_unit_test(a_mode_change_at_the_start_holds_at_once),
		cmocka_unit_test(a_mode_change_with_a_force_pc_holds_at_once),
		cmocka_unit_test(a_mode_that_does_not_exist_changes_nothing),
		cmocka_unit_test(vector_values_are_vlen_bits_rounded_up),
		cmocka_unit_test(a_vector_without_vlen_cannot_be_measured),
		cmocka_unit_test(registers_keep_class_role_and_order),
		cmocka_unit_test(an_iem_in_the_body_switches_from_the_next_instruction),
		cmocka_unit_test(integer_registers_are_as_wide_as_the_mode),
		cmocka_unit_test(versions_1_2_to_1_6_are_read_and_others_refused),
		cmocka_unit_test(contents_belong_to_the_access_before_them),
		cmocka_unit_test(several_contents_make_a_wide_value),
		cmocka_unit_test(contents_of_core_and_bus_do_not_mix),
		cmocka_unit_test(initiators_are_named_as_the_public_library_numbers_them),
		cmocka_unit_test(a_content_without_an_access_is_kept),
		cmocka_unit_test(page_walks_keep_every_entry),
		cmocka_unit_test(comments_and_micro_operations_are_events),
		cmocka_unit_test(header_records_in_the_body_are_kept_and_change_nothing),
		cmocka_unit_test(records_after_the_last_instruction_are_delivered),
		cmocka_unit_test(a_header_may_be_bare_and_in_any_order),
		cmocka_unit_test(another_architecture_has_no_classes),
		cmocka_unit_test(many_rows_of_one_instruction_are_counted_when_dropped),
		cmocka_unit_test(random_records_come_back),
		cmocka_unit_test(odd_records_come_back),
		cmocka_unit_test(transactions_keep_everything),
		cmocka_unit_test(real_traces_come_back),
	};
	return cmocka_run_group_tests_name("stf", tests, setup, teardown);
}
