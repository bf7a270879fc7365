/* SPDX-License-Identifier: Apache-2.0 */
#include "walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "isa/arm.h"

uint32_t walk_roll(struct walk *walk, uint32_t n)
{
	if (walk->n_choices) {
		uint32_t v = *walk->choices++;
		walk->n_choices--;
		return n > 256 ? (v * 0x9e3779b9u >> 8) % n : v % n;
	}
	walk->random = walk->random * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(walk->random >> 33) % n;
}

static void add(struct walk_log *log, const struct walk_row *row)
{
	if (log->n == log->cap) {
		log->cap = log->cap * 2 + 1024;
		log->rows = realloc(log->rows, log->cap * sizeof *log->rows);
		if (!log->rows)
			abort();
	}
	log->rows[log->n++] = *row;
}

/* ---- the program ---- */

/* Words that mean something in A64, in A32, and as two halfwords of T32. */
static uint32_t word(struct walk *walk)
{
	static const uint32_t some[] = {
		0xd503201f, 0x91000400, 0xf9400021, 0xd4000001, 0xd5033fdf, 0xd65f03c0, 0xd61f0040,
		0xd63f0060, 0xd69f03e0, 0xd503207f, 0xd5233060, 0xd503307f, 0xe1a00000, 0xe12fff1e,
		0xe12fff33, 0xe8bd8010, 0xfa000002, 0xf57ff06f, 0x47704770, 0xbd104798, 0xbf00bf08,
		0xd0fae7fe, 0xb110b900, 0xf3bf8f6f, 0x8f6ff3bf, 0xf000f801, 0xf801f000};
	uint32_t small = walk_roll(walk, 128) - 64;
	switch (walk_roll(walk, 12)) {
	case 0:
		return 0x54000000 | (small & 0x7ffff) << 5 | walk_roll(walk, 14);
	case 1:
		return 0x14000000 | walk_roll(walk, 2) << 31 | (small & 0x3ffffff);
	case 2:
		return 0x36000000 | walk_roll(walk, 2) << 24 | (small & 0x3fff) << 5;
	case 3:
		return 0x0a000000 | walk_roll(walk, 2) << 24 | walk_roll(walk, 15) << 28 |
		       (small & 0xffffff);
	case 4: /* b<c> and b, T32 */
		return (0xd000d000 | walk_roll(walk, 14) << 8 | (small & 255)) ^ walk_roll(walk, 2) << 29;
	case 5:
		return walk_roll(walk, 1u << 31) << 1;
	default:
		return some[walk_roll(walk, sizeof some / sizeof *some)];
	}
}

static void make_image(struct walk *walk)
{
	static const uint64_t at[] = {WALK_BASE, WALK_HIGH};
	char path[] = "/tmp/cairn-walk-XXXXXX", spec[128];
	for (size_t i = 0; i < WALK_BYTES; i += 4)
		base_put_le32(walk->bytes + i, word(walk));
	int fd = mkstemp(path);
	if (fd < 0 || write(fd, walk->bytes, WALK_BYTES) != WALK_BYTES || close(fd) < 0)
		abort();
	walk->image = cairn_image_new(walk->cairn);
	for (unsigned i = 0; i < 2; i++) {
		snprintf(spec, sizeof spec, "%s@0x%llx", path, (unsigned long long)at[i]);
		if (!walk->image || cairn_image_add(walk->image, spec) < 0)
			abort();
	}
	unlink(path);
}

/* Every option at times, alone and together. */
static void make_options(struct walk *walk)
{
	static const uint32_t specs[] = {0, 0, 1, 2, 5, 17, 40, 300};
	struct cairn_ete_tracer_opts *opts = &walk->opts;
	memset(opts, 0, sizeof *opts);
	opts->size = sizeof *opts;
	opts->maxspec = specs[walk_roll(walk, 8)];
	opts->commit_every = walk_roll(walk, 2) ? 1 + walk_roll(walk, 40) : 0;
	opts->sync_bytes = walk_roll(walk, 2) ? 64 + walk_roll(walk, 2000) : 0;
	opts->threshold = walk_roll(walk, 2) ? walk_roll(walk, 300) : 0;
	opts->q_every = walk_roll(walk, 4) ? 0 : 1 + walk_roll(walk, 9);
	opts->source_every = walk_roll(walk, 3) ? 0 : 1 + walk_roll(walk, 9);
	opts->noise = opts->maxspec && walk_roll(walk, 2) ? 1 + walk_roll(walk, 1000) : 0;
	opts->seed = walk_roll(walk, 1u << 30);
	opts->return_stack = (uint8_t)walk_roll(walk, 2);
	opts->cycles = (uint8_t)walk_roll(walk, 2);
	opts->commit_opt = (uint8_t)walk_roll(walk, 2);
	opts->timestamps = (uint8_t)walk_roll(walk, 3);
	opts->ids = (uint8_t)walk_roll(walk, 3);
	opts->waits = (uint8_t)walk_roll(walk, 2);
	opts->start_not_p0 = (uint8_t)walk_roll(walk, 2);
	opts->atoms = (uint8_t)walk_roll(walk, 7);
	opts->addresses = (uint8_t)walk_roll(walk, 3);
	opts->contexts_apart = (uint8_t)walk_roll(walk, 2);
}

void walk_init(struct walk *walk, struct cairn *cairn, uint64_t seed)
{
	memset(walk, 0, sizeof *walk);
	walk->cairn = cairn;
	walk->random = seed * 2 + 1;
	for (unsigned i = 0; i < 8; i++)
		walk_roll(walk, 2);
	make_image(walk);
	make_options(walk);
	walk->who = (struct cairn_ete_who){.el = 1, .security = 1, .aarch64 = 1};
	walk->isa = CAIRN_ISA_A64;
	walk->pc = WALK_BASE;
}

void walk_free(struct walk *walk)
{
	cairn_ete_tracer_close(walk->tracer);
	cairn_image_free(walk->image);
	free(walk->out);
	free(walk->log.rows);
}

/* ---- the way ---- */

static const uint8_t *code_at(const struct walk *walk, uint64_t pc)
{
	uint64_t base = walk->isa == CAIRN_ISA_A64 && pc >= WALK_HIGH ? WALK_HIGH : WALK_BASE;
	return pc >= base && pc - base <= WALK_BYTES - 4 ? walk->bytes + (pc - base) : NULL;
}

static uint64_t somewhere(struct walk *walk)
{
	uint64_t base = walk->isa == CAIRN_ISA_A64 && walk_roll(walk, 3) == 0 ? WALK_HIGH : WALK_BASE;
	uint64_t at = base + walk_roll(walk, walk_roll(walk, 2) ? 64 : WALK_BYTES - 64);
	return at & ~(uint64_t)(walk->isa == CAIRN_ISA_T32 ? 1 : 3);
}

static void row(struct walk *walk, unsigned kind, uint64_t pc, uint64_t value)
{
	struct walk_row walk_row = {.kind = (uint8_t)kind, .pc = pc, .value = value};
	add(&walk->log, &walk_row);
}

/* What the decoder of a lossy mode will not see: rows of instructions since the last P0. */
static void lose_run(struct walk *walk)
{
	size_t to = walk->run;
	for (size_t i = walk->run; i < walk->log.n; i++)
		if (walk->log.rows[i].kind != WALK_INSN)
			walk->log.rows[to++] = walk->log.rows[i];
	walk->lost += walk->log.n - to;
	walk->log.n = to;
}

static void cut_run(struct walk *walk)
{
	if (walk->opts.drop_ends && !walk->opts.q_every)
		lose_run(walk);
	walk->run = walk->log.n;
}

static void jump(struct walk *walk)
{
	static const uint8_t sets[] = {CAIRN_ISA_A64, CAIRN_ISA_A32, CAIRN_ISA_T32};
	uint64_t from = walk->pc;
	if (walk_roll(walk, 3) == 0)
		walk->isa = sets[walk_roll(walk, 3)];
	walk->pc = somewhere(walk);
	walk->pc += walk->pc == from ? 4 : 0;
}

static int exception(struct walk *walk)
{
	static const uint8_t types[] = {1, 2, 3, 4, 10, 11, 12, 14, 15, 0x17};
	unsigned type = types[walk_roll(walk, sizeof types)];
	uint64_t from = walk->pc;
	if (walk->lawful && walk->called)
		type = 2;
	else if (walk->lawful && type == 2)
		type = 3;
	if (walk->lawful && (type == 10 || type == 12)) /* not all instructions access memory */
		type = 14;
	row(walk, WALK_EXCEPTION, from, type);
	walk->called = walk->started = false;
	int rc = cairn_ete_tracer_exception(walk->tracer, type, from, walk->isa);
	walk->run = walk->log.n;
	walk->waiting = false;
	jump(walk);
	return rc;
}

/* Instructions that no P0 element has told of would be left out, and the flow broken. */
static bool would_lose(const struct walk *walk)
{
	return walk->lawful && walk->opts.drop_ends && walk->run < walk->log.n;
}

static int new_context(struct walk *walk)
{
	if (would_lose(walk))
		return 0;
	if (walk_roll(walk, 2)) {
		struct cairn_ete_who old = walk->who;
		walk->who.el = (uint8_t)walk_roll(walk, 4);
		walk->who.security = (uint8_t)walk_roll(walk, 4);
		if (walk->lawful && (walk->who.el == 3) != (walk->who.security == 2))
			walk->who.security = walk->who.el == 3 ? 0 : 1;
		if (old.el != walk->who.el || old.security != walk->who.security)
			cut_run(walk);
	} else if (walk->run == walk->log.n) { /* or they are told late */
		walk->who.ctxid = walk_roll(walk, 1u << 31);
		walk->who.vmid = walk_roll(walk, 1u << 16);
	}
	return cairn_ete_tracer_context(walk->tracer, &walk->who);
}

static bool may_transact(const struct walk *walk)
{
	return !would_lose(walk) && (!walk->lawful || walk->in_transaction || walk->started);
}

static int transaction(struct walk *walk)
{
	bool completes = (!walk->lawful || walk->committed) && walk_roll(walk, 2);
	unsigned what = !walk->in_transaction ? CAIRN_ETE_BEGIN
	                : completes           ? CAIRN_ETE_COMMITTED
	                                      : CAIRN_ETE_FAILED;
	cut_run(walk);
	row(walk, WALK_START + what - CAIRN_ETE_BEGIN, 0, 0);
	walk->run = walk->log.n;
	walk->in_transaction = what == CAIRN_ETE_BEGIN;
	walk->started = walk->committed = false;
	return cairn_ete_tracer_transaction(walk->tracer, what);
}

static int interrupt(struct walk *walk)
{
	unsigned what = CAIRN_ETE_BREAK_FILTER + walk_roll(walk, walk->wild ? 4 : 3);
	int rc = 0;
	if (walk->in_transaction)
		rc = transaction(walk);
	if (what == CAIRN_ETE_BREAK_RESET) {
		lose_run(walk);
		row(walk, WALK_RESET, 0, 0);
	} else {
		cut_run(walk);
		row(walk, WALK_BREAK, 0, what);
	}
	walk->run = walk->log.n;
	return rc < 0 ? rc : cairn_ete_tracer_break(walk->tracer, what);
}

static int other(struct walk *walk)
{
	uint64_t v = walk_roll(walk, 1u << 30);
	switch (walk_roll(walk, 4)) {
	case 0:
		row(walk, WALK_EVENT, 0, 1 + v % 15);
		return cairn_ete_tracer_event(walk->tracer, 1 + (unsigned)(v % 15));
	case 1:
		row(walk, WALK_INSTRUMENTATION, walk->who.el, v << 20);
		return cairn_ete_tracer_instrumentation(walk->tracer, walk->who.el, v << 20);
	case 2:
		walk->time += 1 + v % (v & 1 ? 100 : 1u << 29);
		if (walk->opts.timestamps)
			row(walk, WALK_TIME, 0, walk->time);
		return cairn_ete_tracer_time(walk->tracer, walk->time);
	default:
		v %= v & 1 ? 20 : v & 2 ? 3000 : 3000000;
		walk->cycles += walk->opts.cycles ? v : 0;
		return cairn_ete_tracer_cycles(walk->tracer, (uint32_t)v);
	}
}

/* Where an indirect branch goes: often back. */
static void go_indirect(struct walk *walk, const struct isa_arm_flow *flow)
{
	if (walk->n_calls && walk_roll(walk, 3)) {
		walk->n_calls--;
		walk->pc = walk->calls[walk->n_calls];
		walk->isa = walk->call_isa[walk->n_calls];
		return;
	}
	if (walk->isa != CAIRN_ISA_A64)
		walk->isa = walk_roll(walk, 2) ? CAIRN_ISA_A32 : CAIRN_ISA_T32;
	else if ((flow->flags & ISA_ARM_ERET) && walk_roll(walk, 3) == 0)
		walk->isa = CAIRN_ISA_A32;
	walk->pc = somewhere(walk);
}

static void call(struct walk *walk, uint64_t back)
{
	if (walk->n_calls == 8) {
		memmove(walk->calls, walk->calls + 1, 7 * sizeof *walk->calls);
		memmove(walk->call_isa, walk->call_isa + 1, 7);
		walk->n_calls--;
	}
	walk->calls[walk->n_calls] = back;
	walk->call_isa[walk->n_calls++] = walk->isa;
}

/* On somewhere else; where that must not just happen, nothing was traced for a while. */
static int stray(struct walk *walk)
{
	int rc = walk->lawful ? interrupt(walk) : 0;
	cut_run(walk);
	walk->waiting = false;
	jump(walk);
	return rc;
}

static int instruction(struct walk *walk)
{
	const uint8_t *p = code_at(walk, walk->pc);
	struct isa_arm_flow flow = {0};
	unsigned size;
	if (!p) {
		int rc = stray(walk);
		if (rc < 0)
			return rc;
		p = code_at(walk, walk->pc);
	}
	uint32_t enc = isa_arm_fetch(walk->isa, p, 4, &size);
	isa_arm_flow(walk->isa, enc, ISA_ARM_AA64, walk->opts.waits, &flow);
	bool branch = flow.kind == ISA_ARM_DIRECT || flow.kind == ISA_ARM_INDIRECT;
	struct cairn_ete_insn in = {.pc = walk->pc,
	                            .enc = enc,
	                            .isa = walk->isa,
	                            .taken = branch && walk_roll(walk, 5)};
	bool must =
		walk->lawful && branch && !(flow.flags & ISA_ARM_CONDITIONAL) && walk->isa != CAIRN_ISA_T32;
	in.taken |= must;
	walk->called = walk->isa == CAIRN_ISA_A64 && (enc & 0xffe0001f) == 0xd4000001;
	walk->started = flow.kind == ISA_ARM_TSTART;
	walk->committed |= walk->isa == CAIRN_ISA_A64 && enc == 0xd503307f;
	struct walk_row row = {.kind = WALK_INSN,
	                       .pc = walk->pc,
	                       .value = enc,
	                       .isa = walk->isa,
	                       .taken = branch ? 2 - in.taken : 0,
	                       .el = walk->who.el,
	                       .security = walk->who.security,
	                       .ctxid = walk->opts.ids ? walk->who.ctxid : 0,
	                       .vmid = walk->opts.ids > 1 ? walk->who.vmid : 0};
	add(&walk->log, &row);
	if (flow.kind != ISA_ARM_NONE)
		walk->run = walk->log.n;
	if (in.taken && flow.flags & ISA_ARM_LINK)
		call(walk, walk->pc + size);
	if (in.taken && flow.kind == ISA_ARM_INDIRECT) {
		go_indirect(walk, &flow);
	} else if (in.taken) {
		walk->pc = isa_arm_target(&flow, walk->isa, walk->pc);
		walk->isa = flow.isa;
	} else {
		walk->pc += size;
	}
	return cairn_ete_tracer_insns(walk->tracer, &in, 1);
}

static int keep(struct walk *walk)
{
	const uint8_t *p;
	size_t n;
	cairn_ete_tracer_take(walk->tracer, &p, &n);
	if (walk->n_out + n > walk->cap_out) {
		walk->cap_out = 2 * (walk->n_out + n) + 4096;
		walk->out = realloc(walk->out, walk->cap_out);
		if (!walk->out)
			abort();
	}
	if (n)
		memcpy(walk->out + walk->n_out, p, n);
	walk->n_out += n;
	return 0;
}

int walk_run(struct walk *walk, size_t steps)
{
	int rc = cairn_ete_tracer_open(walk->cairn, &walk->opts, &walk->tracer);
	for (size_t i = 0; i < steps && rc >= 0; i++) {
		uint32_t what = walk_roll(walk, 240);
		if (walk->lawful && walk->called) /* at once */
			rc = exception(walk);
		else if (walk->lawful && walk->started && !walk->in_transaction)
			rc = transaction(walk);
		else if (what < 2)
			rc = code_at(walk, walk->pc) ? exception(walk) : 0;
		else if (what < 4)
			rc = new_context(walk);
		else if (what == 4)
			rc = interrupt(walk);
		else if (what == 5)
			rc = may_transact(walk) ? transaction(walk) : 0;
		else if (what == 6) {
			rc = stray(walk);
			if (rc >= 0)
				rc = instruction(walk);
		} else if (what < 16)
			rc = other(walk);
		else
			rc = instruction(walk);
		if (rc >= 0 && i % 100 == 0)
			rc = keep(walk);
	}
	if (rc >= 0) {
		cut_run(walk);
		rc = cairn_ete_tracer_finish(walk->tracer);
	}
	return rc < 0 ? rc : keep(walk);
}

/* ---- back ---- */

static void take_insn(struct walk_log *log, const struct cairn_ete_ran *in,
                      const struct cairn_ete_who *who)
{
	struct walk_row row = {.kind = WALK_INSN,
	                       .pc = in->pc,
	                       .value = in->enc,
	                       .isa = in->isa,
	                       .el = in->step->el,
	                       .security = in->step->security,
	                       .ctxid = who->ctxid,
	                       .vmid = who->vmid,
	                       .taken = in->flags & CAIRN_ETE_R_TAKEN       ? 1
	                                : in->flags & CAIRN_ETE_R_NOT_TAKEN ? 2
	                                                                    : 0};
	add(log, &row);
}

static void take_element(struct walk_log *log, const struct cairn_ete_element *element,
                         struct cairn_ete_who *who)
{
	struct walk_row row = {.value = element->number};
	switch (element->kind) {
	case CAIRN_ETE_EXCEPTION:
		if (element->number == CAIRN_ETE_TRACER_EXCEPTION)
			return;
		row.kind = WALK_EXCEPTION;
		row.pc = element->address;
		break;
	case CAIRN_ETE_PE_RESET:
		row.kind = WALK_RESET;
		break;
	case CAIRN_ETE_EVENT:
		row.kind = WALK_EVENT;
		break;
	case CAIRN_ETE_INSTRUMENTATION:
		row.kind = WALK_INSTRUMENTATION;
		row.pc = element->el;
		row.value = element->value;
		break;
	case CAIRN_ETE_TIMESTAMP:
		row.kind = WALK_TIME;
		row.value = element->value;
		break;
	case CAIRN_ETE_TRANSACTION_START:
		row.kind = WALK_START;
		break;
	case CAIRN_ETE_TRANSACTION_COMMIT:
		row.kind = WALK_COMMIT;
		break;
	case CAIRN_ETE_TRANSACTION_FAILED:
	case CAIRN_ETE_TRANSACTION_UNKNOWN:
		row.kind = WALK_FAIL;
		break;
	case CAIRN_ETE_TRACE_ON: /* those behind overflows are told by them */
		if (element->number != CAIRN_ETE_AT_START || !who->unknown++) /* and the first is not put */
			return;
		who->unknown = 1;
		row.kind = WALK_BREAK;
		row.value = CAIRN_ETE_BREAK_FILTER;
		break;
	case CAIRN_ETE_OVERFLOW:
	case CAIRN_ETE_DISCARD:
		row.kind = WALK_BREAK;
		row.value = element->kind == CAIRN_ETE_OVERFLOW ? CAIRN_ETE_BREAK_OVERFLOW
		                                                : CAIRN_ETE_BREAK_DISCARD;
		break;
	case CAIRN_ETE_CONTEXT:
		who->ctxid = element->ctxid;
		who->vmid = element->vmid;
		return;
	default:
		return;
	}
	add(log, &row);
}

int walk_decode(struct walk *walk, struct walk_log *log, uint64_t *gaps)
{
	struct cairn_ete_flow_opts opts = {.size = sizeof opts,
	                                   .image = walk->image,
	                                   .transactions = CAIRN_ETE_KEEP};
	struct cairn_ete_config cfg;
	struct cairn_ete_who who = {0};
	struct cairn_ete_insns *insns;
	struct cairn_ete_ran ran;
	cairn_ete_tracer_config(walk->tracer, &cfg);
	int rc = cairn_ete_insns_open(walk->cairn, &cfg, &opts, walk->out, walk->n_out, 0, &insns);
	memset(log, 0, sizeof *log);
	*gaps = 0;
	while (rc >= 0 && (rc = cairn_ete_insns_next(insns, &ran)) > 0) {
		const struct cairn_ete_element *element = ran.step->element;
		if (ran.size)
			take_insn(log, &ran, &who);
		else if (!element)
			++*gaps;
		else
			take_element(log, element, &who);
		if (element && (element->kind == CAIRN_ETE_LOST ||
		                (element->kind == CAIRN_ETE_NO_SYNC && ran.step->offset)))
			++*gaps;
	}
	cairn_ete_insns_close(insns);
	return rc;
}

/* Instructions and what stands between them keep their order each; what is no P0 element
 * may be told anywhere within a run. */
static const struct walk_row *next_of(const struct walk_log *log, size_t *at, bool insns)
{
	while (*at < log->n && (log->rows[*at].kind == WALK_INSN) != insns)
		++*at;
	return *at < log->n ? &log->rows[(*at)++] : NULL;
}

static void tell(char *text, size_t size, const char *whose, const struct walk_row *row)
{
	size_t at = strlen(text);
	if (row)
		snprintf(text + at, size - at,
		         "%s kind %u pc %llx isa %u taken %u el%u s%u id %x %x value %llx; ", whose,
		         row->kind, (unsigned long long)row->pc, row->isa, row->taken, row->el,
		         row->security, row->ctxid, row->vmid, (unsigned long long)row->value);
	else
		snprintf(text + at, size - at, "%s end; ", whose);
}

const char *walk_differs(const struct walk *walk, const struct walk_log *got, char *text,
                         size_t size)
{
	for (int insns = 1; insns >= 0; insns--) {
		size_t i = 0, k = 0, n = 0;
		for (;; n++) {
			const struct walk_row *left = next_of(&walk->log, &i, insns),
								  *right = next_of(got, &k, insns);
			if (!left && !right)
				break;
			if (left && right && !memcmp(left, right, sizeof *left))
				continue;
			snprintf(text, size, "%s %zu: ", insns ? "instruction" : "event", n);
			tell(text, size, "put", left);
			tell(text, size, "got", right);
			return text;
		}
	}
	return NULL;
}
