/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions of real STF traces against what the public stf_dump prints: PC,
 * encoding, target if taken, registers, memory accesses, page walks, events and
 * contexts. Our batches are printed in its form and every line must be the same.
 * Behind the encoding stands disassembly by binutils: compared with ours after
 * both are written one way, apart from the differing spellings in the table below.
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

/* ---- printing as theirs ---- */

static unsigned long long word_of(const uint8_t *p)
{
	uint64_t w;
	memcpy(&w, p, 8); /* tests run on little-endian machines */
	return w;
}

/* "PC", "REG_5", "REG_F5", "REG_V5"; CSRs are compared with the records. */
static void reg_name(const struct cairn_reg *reg, char *buf, size_t size)
{
	if (reg->cls == CAIRN_REG_INT && reg->num == 32)
		snprintf(buf, size, "PC");
	else
		snprintf(buf, size, "REG_%s%u",
		         reg->cls == CAIRN_REG_FP       ? "F"
		         : reg->cls == CAIRN_REG_VECTOR ? "V"
		         : reg->cls == CAIRN_REG_CSR    ? "CSR_"
		                                        : "",
		         reg->num);
}

static void put_reg(struct bytes *out, const struct cairn_batch *batch, const struct cairn_reg *reg,
                    const char *label)
{
	char name[32];
	reg_name(reg, name, sizeof name);
	bytes_printf(out, "%41s%-25s", label, name);
	if (reg->flags & CAIRN_VALUE_WIDE)
		for (unsigned i = (reg->bits + 63) / 64; i-- > 0;)
			bytes_printf(out, "%016llx", word_of(batch->bytes + reg->value + 8 * i));
	else
		bytes_printf(out, "%016llx", (unsigned long long)reg->value);
	bytes_printf(out, "\n");
}

static void put_regs(struct bytes *out, const struct cairn_batch *batch,
                     const struct cairn_insn *row, unsigned role, const char *label)
{
	for (uint32_t i = row[0].reg0; i < row[1].reg0; i++)
		if (batch->regs[i].role == role)
			put_reg(out, batch, &batch->regs[i], label);
}

/* Bus masters are not printed by theirs. */
static void put_mems(struct bytes *out, const struct cairn_batch *batch,
                     const struct cairn_insn *row)
{
	for (uint32_t i = row[0].mem0; i < row[1].mem0; i++) {
		const struct cairn_mem *mem = &batch->mems[i];
		if (mem->initiator != CAIRN_BY_INSN)
			continue;
		bytes_printf(out, "%41s%-14s%04x       %016llx     ", "MEM ",
		             mem->kind == CAIRN_MEM_READ ? "READ" : "WRITE", mem->attr,
		             (unsigned long long)mem->addr);
		if (!(mem->flags & CAIRN_VALUE_WIDE)) {
			bytes_printf(out, "%016llx\n", (unsigned long long)mem->value);
			continue;
		}
		for (unsigned k = 0; k < mem->words; k++)
			bytes_printf(out, "%*s%016llx\n", k ? 87 : 0, "",
			             word_of(batch->bytes + mem->value + 8 * k));
	}
}

static void put_walk(struct bytes *out, const struct cairn_batch *batch,
                     const struct cairn_event *event)
{
	unsigned n = event->len / 16 - 1;
	bytes_printf(out, "PTE                 %016llx size %08llx first_count %016llu\n",
	             (unsigned long long)event->code,
	             (unsigned long long)cairn_event_arg(batch, event, 1),
	             (unsigned long long)cairn_event_arg(batch, event, 0));
	bytes_printf(out, "PTDESC              Num Descriptors: %u\n", n);
	for (unsigned i = 0; i < n; i++)
		bytes_printf(out, "%20sDESC%u  PA:%016llx DESC:%016llx\n", "", i,
		             (unsigned long long)cairn_event_arg(batch, event, 2 + 2 * i),
		             (unsigned long long)cairn_event_arg(batch, event, 3 + 2 * i));
}

static void put_event(struct bytes *out, const struct cairn_reader *reader,
                      const struct cairn_batch *batch, const struct cairn_event *event)
{
	static const char *const modes[] = {"USER", "SUPERVISOR", "HYPERVISOR", "MACHINE"};
	char buf[32];
	const char *label = event->kind == CAIRN_EV_SYSCALL     ? "SYSCALL "
	                    : event->kind == CAIRN_EV_INTERRUPT ? "INTERRUPT "
	                    : event->kind == CAIRN_EV_EXCEPTION ? "FAULT "
	                                                        : "MODE ";
	if (event->kind == CAIRN_EV_MODE) {
		bytes_printf(out, "%41s%s\n", label, event->code < 4 ? modes[event->code] : "?");
		return;
	}
	bytes_printf(out, "%41s%-25s", label, cairn_event_name(reader, event, buf));
	for (unsigned i = 0; i < event->len / 8; i++)
		bytes_printf(out, "%*s%08llx", i ? 66 : 0, "",
		             (unsigned long long)cairn_event_arg(batch, event, i));
	bytes_printf(out, "\n");
}

static bool is_shown(const struct cairn_event *event)
{
	return event->kind == CAIRN_EV_SYSCALL || event->kind == CAIRN_EV_INTERRUPT ||
	       event->kind == CAIRN_EV_EXCEPTION || event->kind == CAIRN_EV_MODE;
}

/* Everything below an instruction's line but its micro-operations, which have
 * disassembly behind them. */
static void put_children(struct bytes *out, const struct cairn_reader *reader,
                         const struct cairn_batch *batch, const struct cairn_insn *row)
{
	const struct cairn_event *e0 = batch->events + row[0].ev0, *e1 = batch->events + row[1].ev0;
	put_mems(out, batch, row);
	for (const struct cairn_event *event = e0; event < e1; event++)
		if (event->kind == CAIRN_EV_PAGE_WALK)
			put_walk(out, batch, event);
	put_regs(out, batch, row, CAIRN_ROLE_STATE, "state ");
	put_regs(out, batch, row, CAIRN_ROLE_SRC, "src ");
	put_regs(out, batch, row, CAIRN_ROLE_DST, "dst ");
	for (const struct cairn_event *event = e0; event < e1; event++)
		if (is_shown(event))
			put_event(out, reader, batch, event);
	for (const struct cairn_event *event = e0; event < e1; event++) {
		if (event->kind != CAIRN_EV_COMMENT)
			continue;
		bytes_printf(out, "    COMMENT         ");
		bytes_put(out, batch->bytes + event->args, event->len);
		bytes_printf(out, "\n");
	}
	for (const struct cairn_event *event = e0; event < e1; event++)
		if (event->kind == CAIRN_EV_MICRO_OP)
			bytes_printf(out, "%35sUOp%-44llu%08llx\n", "",
			             8 * (unsigned long long)cairn_event_arg(batch, event, 0),
			             (unsigned long long)event->code);
	for (uint32_t i = row[0].reg0; i < row[1].reg0; i++)
		if (batch->regs[i].role == CAIRN_ROLE_READY)
			bytes_printf(out, "%41s%u\n", "ReadyReg ", batch->regs[i].num);
}

static void put_insn(struct bytes *out, const struct cairn_batch *batch, uint32_t index)
{
	const struct cairn_insn *row = &batch->insns[index];
	bytes_printf(out, "%-10s%-10llu%016llx ", row->size == 2 ? "INST16" : "INST32",
	             (unsigned long long)(batch->n0 + index), (unsigned long long)row->pc);
	if (row->flags & CAIRN_INSN_TAKEN)
		bytes_printf(out, "PC %016llx ", (unsigned long long)row->target);
	else
		bytes_printf(out, "%20s", "");
	bytes_printf(out, "%9s%08x\n", "", row->enc);
}

/* ---- disassembly, written one way ---- */

/*
 * The same thing said otherwise: how to write theirs as LLVM does. A capital stands
 * for any operand, the same one each time. First, LLVM prints what a compressed
 * encoding expands to; then it prefers the manual's pseudo-instructions, which
 * theirs was told not to use.
 */
struct spelling {
	const char *theirs, *ours;
};
static const struct spelling expanded[] = {
	{"c.addi x0,0x0", "nop"},
	{"c.addi x0,A", "c.nop A"},
	{"c.sdsp A,B", "sd A,B"},
	{"c.ldsp A,B", "ld A,B"},
	{"c.swsp A,B", "sw A,B"},
	{"c.lwsp A,B", "lw A,B"},
	{"c.fldsp A,B", "fld A,B"},
	{"c.fsdsp A,B", "fsd A,B"},
	{"c.ld A,B", "ld A,B"},
	{"c.sd A,B", "sd A,B"},
	{"c.lw A,B", "lw A,B"},
	{"c.sw A,B", "sw A,B"},
	{"c.fld A,B", "fld A,B"},
	{"c.fsd A,B", "fsd A,B"},
	{"c.li A,B", "li A,B"},
	{"c.lui A,B", "lui A,B"},
	{"c.mv A,B", "mv A,B"},
	{"c.beqz A,B", "beqz A,B"},
	{"c.bnez A,B", "bnez A,B"},
	{"c.add A,B", "add A,A,B"},
	{"c.sub A,B", "sub A,A,B"},
	{"c.or A,B", "or A,A,B"},
	{"c.and A,B", "and A,A,B"},
	{"c.xor A,B", "xor A,A,B"},
	{"c.addw A,B", "addw A,A,B"},
	{"c.subw A,B", "subw A,A,B"},
	{"c.addiw A,B", "addiw A,A,B"},
	{"c.addi A,B", "addi A,A,B"},
	{"c.andi A,B", "andi A,A,B"},
	{"c.slli A,B", "slli A,A,B"},
	{"c.srli A,B", "srli A,A,B"},
	{"c.srai A,B", "srai A,A,B"},
	{"c.addi16sp A,B", "addi A,A,B"},
	{"c.addi4spn A,B,C", "addi A,B,C"},
	{"c.j A", "j A"},
	{"c.jr x1", "ret"},
	{"c.jr A", "jr A"},
	{"c.jalr A", "jalr A"},
	{"c.ebreak", "ebreak"},
	/* four bytes of zeros are no instruction; theirs looks at the first two */
	{"c.unimp", ""},
	{NULL, NULL}};
static const struct spelling pseudo[] = {{"addi x0,x0,0x0", "nop"},
                                         {"addi A,x0,B", "li A,B"},
                                         {"addi A,B,0x0", "mv A,B"},
                                         {"addiw A,B,0x0", "sext.w A,B"},
                                         {"add.uw A,B,x0", "zext.w A,B"},
                                         {"beq A,x0,B", "beqz A,B"},
                                         {"bne A,x0,B", "bnez A,B"},
                                         {"bge x0,A,B", "blez A,B"},
                                         {"bge A,x0,B", "bgez A,B"},
                                         {"blt A,x0,B", "bltz A,B"},
                                         {"blt x0,A,B", "bgtz A,B"},
                                         {"jal x0,A", "j A"},
                                         {"jal x1,A", "jal A"},
                                         {"jalr x0,0x0(x1)", "ret"},
                                         {"jalr x0,0x0(A)", "jr A"},
                                         {"jalr x1,0x0(A)", "jalr A"},
                                         {"sltiu A,B,0x1", "seqz A,B"},
                                         {"sltu A,x0,B", "snez A,B"},
                                         {"slt A,x0,B", "sgtz A,B"},
                                         {"slt A,B,x0", "sltz A,B"},
                                         {"sub A,x0,B", "neg A,B"},
                                         {"subw A,x0,B", "negw A,B"},
                                         {"xori A,B,-0x1", "not A,B"},
                                         {"fsgnj.s A,B,B", "fmv.s A,B"},
                                         {"fsgnj.d A,B,B", "fmv.d A,B"},
                                         {"fsgnjn.s A,B,B", "fneg.s A,B"},
                                         {"fsgnjn.d A,B,B", "fneg.d A,B"},
                                         {"fsgnjx.s A,B,B", "fabs.s A,B"},
                                         {"fsgnjx.d A,B,B", "fabs.d A,B"},
                                         {"csrrs A,frm,x0", "frrm A"},
                                         {"csrrs A,fflags,x0", "frflags A"},
                                         {"csrrw x0,fflags,A", "fsflags A"},
                                         {"csrrs A,B,x0", "csrr A,B"},
                                         {"csrrs x0,A,B", "csrs A,B"},
                                         {"csrrw x0,A,B", "csrw A,B"},
                                         {"csrrsi x0,A,B", "csrsi A,B"},
                                         {"csrrwi x0,A,B", "csrwi A,B"},
                                         {"fence iorw,iorw", "fence"},
                                         {NULL, NULL}};

struct disagreements {
	struct cairn_disasm *disasm;
	unsigned compared, different;
	char seen[40][200];
};

/* One space after the mnemonic, none elsewhere; "# 0x…" and "<…>" gone; registers by
 * number; numbers in hexadecimal. */
static void normalise(const char *p, size_t n, char out[160])
{
	size_t at = 0;
	for (size_t i = 0; i < n && at < 150 && p[i] != '#' && p[i] != '<'; i++) {
		if (p[i] == ' ' || p[i] == '\t') {
			if (!memchr(out, ' ', at))
				out[at++] = ' ';
		} else {
			out[at++] = p[i];
		}
	}
	while (at && out[at - 1] == ' ')
		at--;
	out[at] = 0;
}

static void put_operand(char *out, size_t size, const char *p, size_t n)
{
	enum cairn_reg_class cls;
	unsigned num;
	char word[80], *rest, buf[16];
	snprintf(word, sizeof word, "%.*s", (int)n, p);
	long long v = strtoll(word, &rest, 0);
	if (n && !*rest && (isdigit((unsigned char)*word) || *word == '-'))
		snprintf(out, size, "%s0x%llx", v < 0 ? "-" : "", v < 0 ? -v : v);
	else if (n && cairn_reg_find(CAIRN_ISA_RV64, word, n, &cls, &num) >= 0)
		snprintf(out, size, "%s", cairn_reg_name(CAIRN_ISA_RV64, cls, num, buf));
	else
		snprintf(out, size, "%s", word);
}

static void rewrite_operands(const char *text, char out[200])
{
	size_t at = strcspn(text, " "), n = at;
	memcpy(out, text, at);
	while (text[at]) {
		out[n++] = text[at++]; /* the separator */
		size_t len = strcspn(text + at, ",() ");
		out[n] = 0;
		put_operand(out + n, 200 - n, text + at, len);
		n += strlen(out + n);
		at += len;
	}
	out[n] = 0;
}

/* Does `text` have this form? The operands go to `part`. */
static bool has_form(const char *form, const char *text, char part[3][80])
{
	memset(part, 0, 3 * sizeof part[0]);
	for (; *form; form++) {
		if (*form < 'A' || *form > 'C') {
			if (*text++ != *form)
				return false;
			continue;
		}
		char *to = part[*form - 'A'], word[80];
		size_t n = strcspn(text, form[1] ? (const char[]){form[1], 0} : "");
		snprintf(word, sizeof word, "%.*s", (int)n, text);
		if (*to && strcmp(to, word) != 0)
			return false;
		memcpy(to, word, sizeof word);
		text += n;
	}
	return !*text;
}

/* Write `text` as the first row of the table that fits says. */
static void respell(const struct spelling *spelling, char text[200])
{
	char part[3][80], out[200];
	size_t n = 0;
	while (spelling->theirs && !has_form(spelling->theirs, text, part))
		spelling++;
	if (!spelling->theirs)
		return;
	out[0] = 0;
	for (const char *p = spelling->ours; *p && n < 190; p++)
		n += (size_t)snprintf(out + n, 200 - n, "%.*s", *p >= 'A' && *p <= 'C' ? 79 : 1,
		                      *p >= 'A' && *p <= 'C' ? part[*p - 'A'] : p);
	memcpy(text, out, sizeof out);
}

/* Are they the same, whichever way theirs may be written? */
static bool agree(const char *theirs, const char *ours)
{
	char text[200];
	snprintf(text, sizeof text, "%s", theirs);
	if (!strcmp(text, ours))
		return true;
	respell(expanded, text);
	if (!strcmp(text, ours))
		return true;
	respell(pseudo, text);
	return !strcmp(text, ours);
}

static void compare_text(struct disagreements *disagreements, const char *theirs, size_t n,
                         const struct cairn_insn *row)
{
	const char *text;
	char a[160], b[160], t[200], o[200];
	size_t len = cairn_disasm_text(disagreements->disasm, row->pc, row->enc, row->size, &text);
	normalise(theirs, n, a);
	normalise(text, len, b);
	rewrite_operands(a, t);
	rewrite_operands(b, o);
	disagreements->compared++;
	if (agree(t, o))
		return;
	char line[200];
	snprintf(line, sizeof line, "%x: %.80s | %.80s", row->enc, t, o);
	for (unsigned i = 0; i < disagreements->different && i < 40; i++)
		if (!strcmp(disagreements->seen[i], line))
			return;
	if (disagreements->different < 40)
		snprintf(disagreements->seen[disagreements->different], sizeof disagreements->seen[0], "%s",
		         line);
	disagreements->different++;
}

/* ---- comparing ---- */

struct expected {
	const char *file;
	struct bytes text;
	size_t at, line;
	struct disagreements *dis;
	uint32_t ids[3];
};

/* What stands behind the blanks of [p, p + n). */
static void compare_behind(struct disagreements *dis, const char *p, size_t n,
                           const struct cairn_insn *row)
{
	for (; n && *p == ' '; n--)
		p++;
	compare_text(dis, p, n, row);
}

/* Ours, line by line: the same, but for what theirs has behind an encoding. */
static void expect(struct expected *expected, const struct bytes *ours,
                   const struct cairn_insn *row)
{
	const char *p = (const char *)ours->p, *end = p + ours->n;
	bool first = row != NULL;
	while (p < end) {
		size_t n = (size_t)((const char *)memchr(p, '\n', (size_t)(end - p)) - p);
		const char *q = (const char *)expected->text.p + expected->at,
				   *stop = (const char *)expected->text.p + expected->text.n;
		const char *eol = q < stop ? memchr(q, '\n', (size_t)(stop - q)) : NULL;
		size_t m = eol ? (size_t)(eol - q) : 0;
		bool micro = strstr(p, "UOp") && strstr(p, "UOp") < p + 40;
		bool csr = memmem(p, n, "REG_CSR_", 8) && m > 16 && n > 16;
		bool same = first || micro ? m > n && !memcmp(p, q, n) && q[n] == ' '
		            : csr          ? !memcmp(p + n - 16, q + m - 16, 16)
		                           : m == n && !memcmp(p, q, n);
		if (!same)
			fail_msg("%s, line %zu:\nours:   %.*s\ntheirs: %.*s", expected->file, expected->line,
			         (int)n, p, (int)m, q);
		if (first && expected->dis)
			compare_behind(expected->dis, q + n, m - n, row);
		first = false;
		p += n + 1;
		expected->at += m + 1;
		expected->line++;
	}
}

/* Theirs does not look at the ids of the header: it begins with zeros. */
static void expect_ids(struct expected *expected, const struct cairn_ctx *ctx, struct bytes *line)
{
	uint32_t ids[3] = {ctx->hw_tid, ctx->pid, ctx->tid};
	bool first = expected->line == 1;
	if (!memcmp(ids, expected->ids, sizeof ids) && !first)
		return;
	memcpy(expected->ids, ids, sizeof ids);
	line->n = 0;
	bytes_printf(line, "PID                 %08x:%08x:%08x\n", first ? 0 : ids[0],
	             first ? 0 : ids[1], first ? 0 : ids[2]);
	expect(expected, line, NULL);
}

static uint64_t check_file(const char *trace, struct expected *expected, uint64_t last)
{
	struct cairn_reader *reader;
	struct cairn_batch *batch = cairn_batch_new(c);
	struct bytes ours = {0};
	uint64_t n = 0;
	/* The public dump shows sizes and sources as they were written. */
	struct cairn_open_opts raw = {.size = sizeof raw, .from = "stf:sizes=bytes,sources=before"};
	if (cairn_open(c, trace, &raw, &reader) < 0)
		fail_msg("%s", cairn_error_text(c));
	while (cairn_next(reader, batch) > 0) {
		for (uint32_t i = 0; i < batch->n_insns && n < last; i++, n++) {
			expect_ids(expected, &batch->ctxs[batch->insns[i].ctx], &ours);
			ours.n = 0;
			put_insn(&ours, batch, i);
			put_children(&ours, reader, batch, &batch->insns[i]);
			bytes_put(&ours, "", 1); /* ends the text for strstr */
			ours.n--;
			expect(expected, &ours, &batch->insns[i]);
		}
	}
	if (expected->at != expected->text.n)
		fail_msg("%s goes on: %.200s", expected->file,
		         (const char *)expected->text.p + expected->at);
	cairn_close(reader);
	cairn_batch_free(c, batch);
	bytes_free(&ours);
	return n;
}

static bool open_expected(struct expected *expected, const char *path, uint64_t *last)
{
	struct bytes file = bytes_of_file(path);
	*expected = (struct expected){.file = path, .line = 1};
	if (file.n == 0)
		return false;
	expected->text = unwrapped(c, &file);
	bytes_free(&file);
	bytes_put(&expected->text, "", 1);
	expected->text.n--;
	const char *pid = strstr((const char *)expected->text.p, "\nPID ");
	*last = strstr((const char *)expected->text.p, "End Inst:20000") ? 20000 : UINT64_MAX;
	if (pid)
		expected->at = (size_t)(pid + 1 - (const char *)expected->text.p);
	else
		expected->at = expected->text.n;
	return true;
}

static unsigned check_folder(const char *folder, const char *expected, const char *suffix,
                             struct disagreements *dis)
{
	char trace[4096], path[4096];
	struct expected e;
	uint64_t last;
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
		if (!open_expected(&e, path, &last))
			continue;
		e.dis = dis;
		if (e.text.n > e.at) /* theirs says nothing about what it cannot read */
			check_file(trace, &e, last);
		bytes_free(&e.text);
		n++;
	}
	closedir(d);
	return n;
}

static struct disagreements *disassembler(void)
{
	static struct disagreements disagreements;
	memset(&disagreements, 0, sizeof disagreements);
	if (cairn_disasm_new(c, CAIRN_ISA_RV64, "rv64imafdcv_zba_zbb_zbc_zbs_zicsr_zifencei",
	                     &disagreements.disasm) < 0)
		return NULL;
	return &disagreements;
}

static void every_instruction_is_what_the_public_dump_says(void **state)
{
	(void)state;
	char folder[4000], expected[4000];
	snprintf(folder, sizeof folder, "%s/stf", data ? data : "");
	snprintf(expected, sizeof expected, "%s/stf/expected", data ? data : "");
	assert_true(check_folder(folder, expected, ".dump.txt.zst", NULL) >= 29);
	snprintf(folder, sizeof folder, "%s/stf/every-record", data ? data : "");
	assert_int_equal(check_folder(folder, folder, "-.dump.txt", NULL), 4);
}

static void the_disassembly_is_that_of_binutils(void **state)
{
	(void)state;
	char folder[4000], expected[4000];
	struct disagreements *disagreements = disassembler();
	if (!disagreements)
		skip();
	snprintf(folder, sizeof folder, "%s/stf", data ? data : "");
	snprintf(expected, sizeof expected, "%s/stf/expected", data ? data : "");
	check_folder(folder, expected, ".dump.txt.zst", disagreements);
	snprintf(folder, sizeof folder, "%s/stf/every-record", data ? data : "");
	check_folder(folder, folder, "-.dump.txt", disagreements);
	for (unsigned i = 0; i < disagreements->different && i < 40; i++)
		print_error("%s\n", disagreements->seen[i]);
	print_message("%u of %u texts differ\n", disagreements->different, disagreements->compared);
	assert_int_equal(disagreements->different, 0);
	cairn_disasm_free(disagreements->disasm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_instruction_is_what_the_public_dump_says),
		cmocka_unit_test(the_disassembly_is_that_of_binutils),
	};
	return cmocka_run_group_tests_name("stf_dump", tests, setup, teardown);
}
