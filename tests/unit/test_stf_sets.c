/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instruction sets in STF whose numbers are cairn's: every register of the table there and
 * back, every other one in the ledger; modes, events and changes of the set; what is
 * refused; the page that shows the table. And traps that stand beside an instruction, of
 * RISC-V, too: they do not stop it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "cairn/cairn.h"
#include "formats/stf/stf.h"

static char dir[64], path[80];
static struct cairn *c;

enum { A64_NOP = 0xd503201f, A32_NOP = 0xe320f000, T32_NOP = 0xbf00, SPARC_NOP = 0x01000000 };
static const struct {
	enum cairn_isa isa;
	uint32_t nop;
	uint8_t size;
} all[] = {{CAIRN_ISA_A64, A64_NOP, 4},
           {CAIRN_ISA_A32, A32_NOP, 4},
           {CAIRN_ISA_T32, T32_NOP, 2},
           {CAIRN_ISA_SPARC, SPARC_NOP, 4}};

/* ---- one batch, as a conversion from no format ---- */

static struct cairn_batch *batch(unsigned set, unsigned n)
{
	struct cairn_batch *b = cairn_batch_new(c);
	assert_non_null(b);
	b->n0 = 1;
	b->have = CAIRN_EVERYTHING;
	b->n_ctxs = 1;
	b->ctxs[0] = (struct cairn_ctx){0};
	b->n_insns = n;
	memset(b->insns, 0, (n + 2) * sizeof *b->insns);
	for (unsigned i = 0; i < n; i++) {
		b->insns[i].pc = 0x1000 + (uint64_t)i * all[set].size;
		b->insns[i].enc = all[set].nop;
		b->insns[i].size = all[set].size;
		b->insns[i].isa = (uint8_t)all[set].isa;
	}
	return b;
}

/* Rows of the last instruction end here. */
static void close_slot(struct cairn_batch *batch, unsigned index)
{
	for (unsigned k = index + 1; k < batch->n_insns + 2; k++) {
		batch->insns[k].reg0 = (uint16_t)batch->n_regs;
		batch->insns[k].mem0 = (uint16_t)batch->n_mems;
		batch->insns[k].ev0 = (uint16_t)batch->n_events;
	}
}

static uint64_t lost_of(const struct cairn_ledger *ledger, const char *what)
{
	for (size_t i = 0; i < ledger->n; i++)
		if (!strcmp(ledger->losses[i].what, what))
			return ledger->losses[i].count;
	return 0;
}

static struct cairn_ledger *written(struct cairn_batch *batch)
{
	struct cairn_writer *writer;
	struct cairn_ledger *ledger = NULL;
	struct cairn_create_opts opts = {.size = sizeof opts, .to = "stf"};
	int rc = cairn_create(c, path, &opts, &writer);
	if (rc >= 0)
		rc = cairn_put(writer, batch);
	if (rc < 0 || cairn_finish(writer, &ledger) < 0)
		fail_msg("%s", cairn_error_text(c));
	return ledger;
}

static struct cairn_batch *read_back(struct cairn_reader **reader)
{
	struct cairn_batch *batch = cairn_batch_new(c);
	if (cairn_open(c, path, NULL, reader) < 0 || cairn_next(*reader, batch) != 1)
		fail_msg("%s", cairn_error_text(c));
	return batch;
}

/* ---- registers ---- */

/* As much of class `cls` as fits a batch: which come back, and are all the others told? */
static void registers_of(unsigned set, unsigned cls, unsigned first, unsigned n)
{
	struct cairn_batch *b = batch(set, 1);
	struct cairn_reader *reader;
	uint64_t fits = 0, vlen = 128;
	for (unsigned i = 0; i < n; i++) {
		const struct stf_bank *bank = stf_bank_of(all[set].isa, cls, first + i);
		struct cairn_reg *reg = &b->regs[b->n_regs++];
		*reg = (struct cairn_reg){.num = (uint16_t)(first + i),
		                          .cls = (uint8_t)cls,
		                          .role = CAIRN_ROLE_DST,
		                          .flags = CAIRN_VALUE_KNOWN,
		                          .bits = bank && bank->bits ? bank->bits : 64};
		reg->value = (i * UINT64_C(0x9e3779b97f4a7c15)) & (UINT64_MAX >> (64 - reg->bits));
		if (cls == CAIRN_REG_VECTOR) {
			reg->bits = (uint32_t)vlen;
			reg->flags |= CAIRN_VALUE_WIDE;
			memset(b->bytes + b->n_bytes, (int)i + 1, 16);
			reg->value = b->n_bytes;
			b->n_bytes += 16;
		}
		fits += bank != NULL;
	}
	close_slot(b, 0);
	struct cairn_ledger *ledger = written(b);
	assert_int_equal(lost_of(ledger, "registers that have no number in STF"), n - fits);
	assert_int_equal(ledger->n, n != fits);
	struct cairn_batch *back = read_back(&reader);
	assert_int_equal(back->n_regs, fits);
	for (unsigned i = 0, at = 0; i < n; i++) {
		const struct cairn_reg *reg = &b->regs[i], *h = &back->regs[at];
		if (!stf_bank_of(all[set].isa, cls, reg->num))
			continue;
		at++;
		assert_int_equal(h->cls, reg->cls);
		assert_int_equal(h->num, reg->num);
		assert_int_equal(h->bits, reg->bits);
		assert_int_equal(h->role, reg->role);
		if (reg->flags & CAIRN_VALUE_WIDE)
			assert_memory_equal(back->bytes + h->value, b->bytes + reg->value, 16);
		else
			assert_true(h->value == reg->value);
	}
	assert_int_equal(back->insns[0].isa, all[set].isa);
	cairn_ledger_free(c, ledger);
	cairn_batch_free(c, b);
	cairn_batch_free(c, back);
	cairn_close(reader);
}

static void every_register(void **state)
{
	(void)state;
	static const unsigned most[] = {0, 600, 200, 80, 800, 1, 20, 3};
	for (unsigned set = 0; set < 4; set++)
		for (unsigned cls = CAIRN_REG_INT; cls <= CAIRN_REG_FLAGS; cls++)
			registers_of(set, cls, 0, most[cls]);
	registers_of(0, CAIRN_REG_CSR, 0x8000, 8000);
	registers_of(0, CAIRN_REG_CSR, 0xffff - 7999, 8000);
}

/* No two registers have one number. */
static void numbers_are_apart(void **state)
{
	(void)state;
	for (unsigned set = 0; set < 4; set++)
		for (unsigned cls = 1; cls <= CAIRN_REG_FLAGS; cls++)
			for (unsigned num = 0; num < 0x10000; num++) {
				const struct stf_bank *bank = stf_bank_of(all[set].isa, cls, num);
				if (!bank)
					continue;
				unsigned number = bank->number + (num - bank->first);
				assert_ptr_equal(stf_bank_at(all[set].isa, bank->type, number), bank);
			}
}

/* Writes of a part that zero the rest are writes of all; other parts are lost. */
static void parts(void **state)
{
	(void)state;
	struct cairn_batch *b = batch(0, 1), *back;
	struct cairn_reader *reader;
	const struct cairn_reg reg = {.value = 7,
	                              .bits = 32,
	                              .num = 3,
	                              .cls = CAIRN_REG_INT,
	                              .role = CAIRN_ROLE_DST,
	                              .flags = CAIRN_VALUE_KNOWN | CAIRN_VALUE_ZEROES};
	b->regs[0] = b->regs[1] = b->regs[2] = reg;
	b->regs[1].flags = CAIRN_VALUE_KNOWN;
	b->regs[2].cls = CAIRN_REG_VECTOR;
	b->n_regs = 3;
	close_slot(b, 0);
	struct cairn_ledger *ledger = written(b);
	assert_int_equal(lost_of(ledger, "parts of registers, for STF records whole ones"), 1);
	back = read_back(&reader);
	assert_int_equal(back->n_regs, 2);
	assert_int_equal(back->regs[0].bits, 64);
	assert_true(back->regs[0].value == 7);
	assert_int_equal(back->regs[1].bits, 128);
	assert_int_equal(back->bytes[back->regs[1].value], 7);
	assert_int_equal(back->bytes[back->regs[1].value + 15], 0);
	cairn_ledger_free(c, ledger);
	cairn_batch_free(c, b);
	cairn_batch_free(c, back);
	cairn_close(reader);
}

/* ---- modes, sets, events ---- */

static void modes_and_events(void **state)
{
	(void)state;
	struct cairn_batch *b = batch(1, 4), *back;
	struct cairn_reader *reader;
	b->insns[2].isa = CAIRN_ISA_T32;
	b->insns[2].enc = T32_NOP;
	b->insns[2].size = 2;
	b->insns[3].pc = 0x100a;
	b->n_ctxs = 2;
	b->ctxs[0] = (struct cairn_ctx){.known = CAIRN_CTX_PRIV, .priv = CAIRN_PRIV_EL1};
	b->ctxs[1] = (struct cairn_ctx){.known = CAIRN_CTX_PRIV, .priv = CAIRN_PRIV_EL3};
	b->insns[2].ctx = b->insns[3].ctx = 1;
	b->insns[3].flags = CAIRN_INSN_ABORTED;
	b->n_events = 3;
	b->events[0] = (struct cairn_event){.kind = CAIRN_EV_SYSCALL, .code = 8, .phase = CAIRN_ON};
	b->events[1] = (struct cairn_event){.kind = CAIRN_EV_EXCEPTION, .code = 9, .phase = CAIRN_ON};
	b->events[2] =
		(struct cairn_event){.kind = CAIRN_EV_INTERRUPT, .code = 0x1003, .phase = CAIRN_ON};
	b->insns[1].ev0 = b->insns[2].ev0 = b->insns[3].ev0 = 1;
	b->insns[4].ev0 = b->insns[5].ev0 = 3;
	struct cairn_ledger *ledger = written(b);
	assert_int_equal(ledger->n, 0);
	back = read_back(&reader);
	assert_int_equal(back->n_insns, 4);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(back->insns[i].isa, b->insns[i].isa);
		assert_int_equal(back->ctxs[back->insns[i].ctx].priv, b->ctxs[b->insns[i].ctx].priv);
		assert_int_equal(back->insns[i].flags & CAIRN_INSN_ABORTED,
		                 b->insns[i].flags & CAIRN_INSN_ABORTED);
	}
	unsigned at = 0;
	for (unsigned i = 0; i < back->n_events; i++) {
		const struct cairn_event *event = &back->events[i];
		if (event->kind != CAIRN_EV_SYSCALL && event->kind != CAIRN_EV_EXCEPTION &&
		    event->kind != CAIRN_EV_INTERRUPT)
			continue;
		assert_int_equal(event->kind, b->events[at].kind);
		assert_true(event->code == b->events[at].code);
		at++;
	}
	assert_int_equal(at, 3);
	cairn_ledger_free(c, ledger);
	cairn_batch_free(c, b);
	cairn_batch_free(c, back);
	cairn_close(reader);
}

static void refused(uint8_t isa, uint32_t flags, const char *to, const char *why)
{
	struct cairn_batch *b = batch(0, 1);
	struct cairn_writer *writer;
	struct cairn_create_opts opts = {.size = sizeof opts, .to = to};
	b->insns[0].isa = isa;
	b->insns[0].flags = flags;
	close_slot(b, 0);
	if (cairn_create(c, path, &opts, &writer) < 0)
		fail_msg("%s", cairn_error_text(c));
	assert_int_equal(cairn_put(writer, b), CAIRN_E_UNSUPPORTED);
	if (!strstr(cairn_error_text(c), why))
		fail_msg("'%s' is not in: %s", why, cairn_error_text(c));
	cairn_discard(writer);
	cairn_batch_free(c, b);
	assert_int_not_equal(access(path, F_OK), 0);
}

static void no_sense(void **state)
{
	(void)state;
	unlink(path);
	refused(CAIRN_ISA_X86_64, CAIRN_INSN_ENC_BYTES, "stf", "of 16 and 32 bits");
	refused(CAIRN_ISA_X86_64, 0, "stf", "of 16 and 32 bits");
	static const char *const names[] = {"rst", "vixl", "ete"};
	static const char *const why[] = {"SPARC instructions", "A64 instructions", "Arm instructions"};
	for (unsigned i = 0; i < 3; i++) {
		refused(CAIRN_ISA_X86_64, CAIRN_INSN_ENC_BYTES, names[i], why[i]);
		refused(CAIRN_ISA_RV64, 0, names[i], why[i]);
		refused(CAIRN_ISA_UNKNOWN, 0, names[i], "does not say of what set");
	}
	refused(CAIRN_ISA_A64, 0, "rst",
	        "as one of them, a64's encoding 0xd503201f (instruction 1) would mean something else");
	refused(CAIRN_ISA_SPARC, 0, "vixl", "sparc's encoding");
	refused(CAIRN_ISA_SPARC, 0, "ete", "sparc's encoding");
	refused(CAIRN_ISA_T32, 0, "vixl", "t32's encoding");
}

/* ---- traps beside an instruction ---- */

static const char *text_of(const char *log)
{
	static char out[2048];
	struct cairn_reader *reader;
	struct cairn_open_opts from = {.size = sizeof from, .from = "spike"};
	struct cairn_output output = {.size = sizeof output, .path = path, .to = "stf"};
	struct cairn_batch *batch;
	size_t at = 0;
	if (cairn_open_memory(c, log, strlen(log), &from, &reader) < 0 ||
	    cairn_convert(reader, &output, NULL) < 0)
		fail_msg("%s", cairn_error_text(c));
	cairn_close(reader);
	batch = read_back(&reader);
	for (uint32_t i = 0; i < batch->n_insns; i++) {
		const struct cairn_insn *insn = &batch->insns[i];
		at += (size_t)snprintf(out + at, sizeof out - at, "%s%llx%s", i ? " " : "",
		                       (unsigned long long)insn->pc,
		                       insn->flags & CAIRN_INSN_ABORTED ? "!" : "");
		for (uint32_t k = insn->ev0; k < insn[1].ev0; k++)
			if (batch->events[k].kind == CAIRN_EV_EXCEPTION ||
			    batch->events[k].kind == CAIRN_EV_INTERRUPT)
				at +=
					(size_t)snprintf(out + at, sizeof out - at, "(%llu>%llx)",
				                     (unsigned long long)batch->events[k].code,
				                     (unsigned long long)(batch->events[k].flags & CAIRN_EVF_TARGET
				                                              ? batch->events[k].target
				                                              : 0));
	}
	cairn_batch_free(c, batch);
	cairn_close(reader);
	return out;
}

static uint64_t errors_of(void)
{
	struct cairn_reader *reader;
	struct cairn_check_result res = {.size = sizeof res};
	struct cairn_check_opts opts = {.size = sizeof opts};
	if (cairn_open(c, path, NULL, &reader) < 0 || cairn_check(reader, &opts, &res) < 0)
		fail_msg("%s", cairn_error_text(c));
	cairn_close(reader);
	return res.errors;
}

static void traps_stand_apart(void **state)
{
	(void)state;
	/* An interrupt between two instructions. */
	assert_string_equal(text_of("core   0: 3 0x0000000080000000 (0x00000013)\n"
	                            "core   0: exception interrupt #7, epc 0x0000000080000004\n"
	                            "core   0: 3 0x0000000080000100 (0x00000013)\n"),
	                    "80000000 80000004!(7>80000100) 80000100");
	assert_int_equal(errors_of(), 0);
	/* A fetch that failed behind a jump: where its page fault says. */
	assert_string_equal(
		text_of("core   0: 3 0x0000000080000000 (0x00008067)\n"
	            "core   0: exception trap_instruction_page_fault, epc 0x0000000000004000\n"
	            "core   0:           tval 0x0000000000004000\n"
	            "core   0: 3 0x0000000080000100 (0x00000013)\n"),
		"80000000 4000!(12>80000100) 80000100");
	/* What an event stopped is stopped, as before. */
	assert_string_equal(
		text_of("core   0: 3 0x0000000080000000 (0x00000013)\n"
	            "core   0: 0x0000000080000004 (0x0002b203) ld      tp, 0(t0)\n"
	            "core   0: exception trap_load_access_fault, epc 0x0000000080000004\n"
	            "core   0:           tval 0x0000000000000000\n"
	            "core   0: 3 0x0000000080000100 (0x00000013)\n"),
		"80000000 80000004!(5>80000100) 80000100");
	/* At the end of the log. */
	assert_string_equal(text_of("core   0: 3 0x0000000080000000 (0x00000013)\n"
	                            "core   0: exception interrupt #7, epc 0x0000000080000004\n"),
	                    "80000000 80000004!(7>0)");
}

/* ---- the page ---- */

static void the_page_shows_the_table(void **state)
{
	(void)state;
	const char *source = getenv("CAIRN_SOURCE"), *update = getenv("UPDATE");
	static char page[1 << 17];
	char name[4096];
	struct base_buf table;
	if (!source)
		skip();
	snprintf(name, sizeof name, "%s/docs/formats/stf.md", source);
	FILE *f = fopen(name, "r");
	assert_non_null(f);
	size_t n = fread(page, 1, sizeof page - 1, f);
	fclose(f);
	page[n] = 0;
	base_buf_init(&table, c);
	assert_true(stf_sets_doc(&table) >= 0);
	char *from = strstr(page, "<!-- sets:"), *to;
	assert_non_null(from);
	from = strchr(from, '\n') + 1;
	to = strstr(from, "<!-- end of sets -->");
	assert_non_null(to);
	bool same = (size_t)(to - from) == table.len && !memcmp(from, table.data, table.len);
	if (!same && update && *update) {
		f = fopen(name, "w");
		assert_non_null(f);
		fwrite(page, 1, (size_t)(from - page), f);
		fwrite(table.data, 1, table.len, f);
		fwrite(to, 1, strlen(to), f);
		fclose(f);
	} else if (!same) {
		fail_msg("docs/formats/stf.md does not show the table of sets; UPDATE=1 rewrites it");
	}
	base_buf_free(&table);
}

static int set_up(void **state)
{
	(void)state;
	snprintf(dir, sizeof dir, "/tmp/cairn-sets-XXXXXX");
	if (!mkdtemp(dir) || !(c = cairn_new(NULL)))
		return -1;
	snprintf(path, sizeof path, "%s/t.stf", dir);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(path);
	rmdir(dir);
	cairn_free(c);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_register),
	                                   cmocka_unit_test(numbers_are_apart),
	                                   cmocka_unit_test(parts),
	                                   cmocka_unit_test(modes_and_events),
	                                   cmocka_unit_test(no_sense),
	                                   cmocka_unit_test(traps_stand_apart),
	                                   cmocka_unit_test(the_page_shows_the_table)};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
