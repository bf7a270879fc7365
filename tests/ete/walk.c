/* SPDX-License-Identifier: Apache-2.0 */
#include "walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "isa/arm.h"

uint32_t walk_roll(struct walk *w, uint32_t n)
{
	if (w->n_choices) {
		uint32_t v = *w->choices++;
		w->n_choices--;
		return n > 256 ? (v * 0x9e3779b9u >> 8) % n : v % n;
	}
	w->random = w->random * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(w->random >> 33) % n;
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
static uint32_t word(struct walk *w)
{
	static const uint32_t some[] = {
		0xd503201f, 0x91000400, 0xf9400021, 0xd4000001, 0xd5033fdf, 0xd65f03c0, 0xd61f0040,
		0xd63f0060, 0xd69f03e0, 0xd503207f, 0xd5233060, 0xd503307f, 0xe1a00000, 0xe12fff1e,
		0xe12fff33, 0xe8bd8010, 0xfa000002, 0xf57ff06f, 0x47704770, 0xbd104798, 0xbf00bf08,
		0xd0fae7fe, 0xb110b900, 0xf3bf8f6f, 0x8f6ff3bf, 0xf000f801, 0xf801f000};
	uint32_t small = walk_roll(w, 128) - 64;
	switch (walk_roll(w, 12)) {
	case 0:
		return 0x54000000 | (small & 0x7ffff) << 5 | walk_roll(w, 14);
	case 1:
		return 0x14000000 | walk_roll(w, 2) << 31 | (small & 0x3ffffff);
	case 2:
		return 0x36000000 | walk_roll(w, 2) << 24 | (small & 0x3fff) << 5;
	case 3:
		return 0x0a000000 | walk_roll(w, 2) << 24 | walk_roll(w, 15) << 28 | (small & 0xffffff);
	case 4: /* b<c> and b, T32 */
		return (0xd000d000 | walk_roll(w, 14) << 8 | (small & 255)) ^ walk_roll(w, 2) << 29;
	case 5:
		return walk_roll(w, 1u << 31) << 1;
	default:
		return some[walk_roll(w, sizeof some / sizeof *some)];
	}
}

static void make_image(struct walk *w)
{
	static const uint64_t at[] = {WALK_BASE, WALK_HIGH};
	char path[] = "/tmp/cairn-walk-XXXXXX", spec[128];
	for (size_t i = 0; i < WALK_BYTES; i += 4)
		base_put_le32(w->bytes + i, word(w));
	int fd = mkstemp(path);
	if (fd < 0 || write(fd, w->bytes, WALK_BYTES) != WALK_BYTES || close(fd) < 0)
		abort();
	w->image = cairn_image_new(w->c);
	for (unsigned i = 0; i < 2; i++) {
		snprintf(spec, sizeof spec, "%s@0x%llx", path, (unsigned long long)at[i]);
		if (!w->image || cairn_image_add(w->image, spec) < 0)
			abort();
	}
	unlink(path);
}

/* Every option at times, alone and together. */
static void make_options(struct walk *w)
{
	static const uint32_t specs[] = {0, 0, 1, 2, 5, 17, 40, 300};
	struct cairn_ete_tracer_opts *o = &w->o;
	memset(o, 0, sizeof *o);
	o->size = sizeof *o;
	o->maxspec = specs[walk_roll(w, 8)];
	o->commit_every = walk_roll(w, 2) ? 1 + walk_roll(w, 40) : 0;
	o->sync_bytes = walk_roll(w, 2) ? 64 + walk_roll(w, 2000) : 0;
	o->threshold = walk_roll(w, 2) ? walk_roll(w, 300) : 0;
	o->q_every = walk_roll(w, 4) ? 0 : 1 + walk_roll(w, 9);
	o->source_every = walk_roll(w, 3) ? 0 : 1 + walk_roll(w, 9);
	o->noise = o->maxspec && walk_roll(w, 2) ? 1 + walk_roll(w, 1000) : 0;
	o->seed = walk_roll(w, 1u << 30);
	o->return_stack = (uint8_t)walk_roll(w, 2);
	o->cycles = (uint8_t)walk_roll(w, 2);
	o->commit_opt = (uint8_t)walk_roll(w, 2);
	o->timestamps = (uint8_t)walk_roll(w, 3);
	o->ids = (uint8_t)walk_roll(w, 3);
	o->waits = (uint8_t)walk_roll(w, 2);
	o->start_not_p0 = (uint8_t)walk_roll(w, 2);
	o->atoms = (uint8_t)walk_roll(w, 7);
	o->addresses = (uint8_t)walk_roll(w, 3);
	o->contexts_apart = (uint8_t)walk_roll(w, 2);
}

void walk_init(struct walk *w, struct cairn *c, uint64_t seed)
{
	memset(w, 0, sizeof *w);
	w->c = c;
	w->random = seed * 2 + 1;
	for (unsigned i = 0; i < 8; i++)
		walk_roll(w, 2);
	make_image(w);
	make_options(w);
	w->who = (struct cairn_ete_who){.el = 1, .security = 1, .aarch64 = 1};
	w->isa = CAIRN_ISA_A64;
	w->pc = WALK_BASE;
}

void walk_free(struct walk *w)
{
	cairn_ete_tracer_close(w->t);
	cairn_image_free(w->image);
	free(w->out);
	free(w->log.rows);
}

/* ---- the way ---- */

static const uint8_t *code_at(const struct walk *w, uint64_t pc)
{
	uint64_t base = w->isa == CAIRN_ISA_A64 && pc >= WALK_HIGH ? WALK_HIGH : WALK_BASE;
	return pc >= base && pc - base <= WALK_BYTES - 4 ? w->bytes + (pc - base) : NULL;
}

static uint64_t somewhere(struct walk *w)
{
	uint64_t base = w->isa == CAIRN_ISA_A64 && walk_roll(w, 3) == 0 ? WALK_HIGH : WALK_BASE;
	uint64_t at = base + walk_roll(w, walk_roll(w, 2) ? 64 : WALK_BYTES - 64);
	return at & ~(uint64_t)(w->isa == CAIRN_ISA_T32 ? 1 : 3);
}

static void row(struct walk *w, unsigned kind, uint64_t pc, uint64_t value)
{
	struct walk_row r = {.kind = (uint8_t)kind, .pc = pc, .value = value};
	add(&w->log, &r);
}

/* What the decoder of a lossy mode will not see: rows of instructions since the last P0. */
static void lose_run(struct walk *w)
{
	size_t to = w->run;
	for (size_t i = w->run; i < w->log.n; i++)
		if (w->log.rows[i].kind != WALK_INSN)
			w->log.rows[to++] = w->log.rows[i];
	w->lost += w->log.n - to;
	w->log.n = to;
}

static void cut_run(struct walk *w)
{
	if (w->o.drop_ends && !w->o.q_every)
		lose_run(w);
	w->run = w->log.n;
}

static void jump(struct walk *w)
{
	static const uint8_t sets[] = {CAIRN_ISA_A64, CAIRN_ISA_A32, CAIRN_ISA_T32};
	uint64_t from = w->pc;
	if (walk_roll(w, 3) == 0)
		w->isa = sets[walk_roll(w, 3)];
	w->pc = somewhere(w);
	w->pc += w->pc == from ? 4 : 0;
}

static int exception(struct walk *w)
{
	static const uint8_t types[] = {1, 2, 3, 4, 10, 11, 12, 14, 15, 0x17};
	unsigned type = types[walk_roll(w, sizeof types)];
	uint64_t from = w->pc;
	if (w->lawful && w->called)
		type = 2;
	else if (w->lawful && type == 2)
		type = 3;
	if (w->lawful && (type == 10 || type == 12)) /* not all instructions access memory */
		type = 14;
	row(w, WALK_EXCEPTION, from, type);
	w->called = w->started = false;
	int rc = cairn_ete_tracer_exception(w->t, type, from, w->isa);
	w->run = w->log.n;
	w->waiting = false;
	jump(w);
	return rc;
}

/* Instructions that no P0 element has told of would be left out, and the flow broken. */
static bool would_lose(const struct walk *w)
{
	return w->lawful && w->o.drop_ends && w->run < w->log.n;
}

static int new_context(struct walk *w)
{
	if (would_lose(w))
		return 0;
	if (walk_roll(w, 2)) {
		struct cairn_ete_who old = w->who;
		w->who.el = (uint8_t)walk_roll(w, 4);
		w->who.security = (uint8_t)walk_roll(w, 4);
		if (w->lawful && (w->who.el == 3) != (w->who.security == 2))
			w->who.security = w->who.el == 3 ? 0 : 1;
		if (old.el != w->who.el || old.security != w->who.security)
			cut_run(w);
	} else if (w->run == w->log.n) { /* or they are told late */
		w->who.ctxid = walk_roll(w, 1u << 31);
		w->who.vmid = walk_roll(w, 1u << 16);
	}
	return cairn_ete_tracer_context(w->t, &w->who);
}

static bool may_transact(const struct walk *w)
{
	return !would_lose(w) && (!w->lawful || w->in_transaction || w->started);
}

static int transaction(struct walk *w)
{
	bool completes = (!w->lawful || w->committed) && walk_roll(w, 2);
	unsigned what = !w->in_transaction ? CAIRN_ETE_BEGIN
	                : completes        ? CAIRN_ETE_COMMITTED
	                                   : CAIRN_ETE_FAILED;
	cut_run(w);
	row(w, WALK_START + what - CAIRN_ETE_BEGIN, 0, 0);
	w->run = w->log.n;
	w->in_transaction = what == CAIRN_ETE_BEGIN;
	w->started = w->committed = false;
	return cairn_ete_tracer_transaction(w->t, what);
}

static int interrupt(struct walk *w)
{
	unsigned what = CAIRN_ETE_BREAK_FILTER + walk_roll(w, w->wild ? 4 : 3);
	int rc = 0;
	if (w->in_transaction)
		rc = transaction(w);
	if (what == CAIRN_ETE_BREAK_RESET) {
		lose_run(w);
		row(w, WALK_RESET, 0, 0);
	} else {
		cut_run(w);
		row(w, WALK_BREAK, 0, what);
	}
	w->run = w->log.n;
	return rc < 0 ? rc : cairn_ete_tracer_break(w->t, what);
}

static int other(struct walk *w)
{
	uint64_t v = walk_roll(w, 1u << 30);
	switch (walk_roll(w, 4)) {
	case 0:
		row(w, WALK_EVENT, 0, 1 + v % 15);
		return cairn_ete_tracer_event(w->t, 1 + (unsigned)(v % 15));
	case 1:
		row(w, WALK_INSTRUMENTATION, w->who.el, v << 20);
		return cairn_ete_tracer_instrumentation(w->t, w->who.el, v << 20);
	case 2:
		w->time += 1 + v % (v & 1 ? 100 : 1u << 29);
		if (w->o.timestamps)
			row(w, WALK_TIME, 0, w->time);
		return cairn_ete_tracer_time(w->t, w->time);
	default:
		v %= v & 1 ? 20 : v & 2 ? 3000 : 3000000;
		w->cycles += w->o.cycles ? v : 0;
		return cairn_ete_tracer_cycles(w->t, (uint32_t)v);
	}
}

/* Where an indirect branch goes: often back. */
static void go_indirect(struct walk *w, const struct isa_arm_flow *f)
{
	if (w->n_calls && walk_roll(w, 3)) {
		w->n_calls--;
		w->pc = w->calls[w->n_calls];
		w->isa = w->call_isa[w->n_calls];
		return;
	}
	if (w->isa != CAIRN_ISA_A64)
		w->isa = walk_roll(w, 2) ? CAIRN_ISA_A32 : CAIRN_ISA_T32;
	else if ((f->flags & ISA_ARM_ERET) && walk_roll(w, 3) == 0)
		w->isa = CAIRN_ISA_A32;
	w->pc = somewhere(w);
}

static void call(struct walk *w, uint64_t back)
{
	if (w->n_calls == 8) {
		memmove(w->calls, w->calls + 1, 7 * sizeof *w->calls);
		memmove(w->call_isa, w->call_isa + 1, 7);
		w->n_calls--;
	}
	w->calls[w->n_calls] = back;
	w->call_isa[w->n_calls++] = w->isa;
}

/* On somewhere else; where that must not just happen, nothing was traced for a while. */
static int stray(struct walk *w)
{
	int rc = w->lawful ? interrupt(w) : 0;
	cut_run(w);
	w->waiting = false;
	jump(w);
	return rc;
}

static int instruction(struct walk *w)
{
	const uint8_t *p = code_at(w, w->pc);
	struct isa_arm_flow f = {0};
	unsigned size;
	if (!p) {
		int rc = stray(w);
		if (rc < 0)
			return rc;
		p = code_at(w, w->pc);
	}
	uint32_t enc = isa_arm_fetch(w->isa, p, 4, &size);
	isa_arm_flow(w->isa, enc, ISA_ARM_AA64, w->o.waits, &f);
	bool branch = f.kind == ISA_ARM_DIRECT || f.kind == ISA_ARM_INDIRECT;
	struct cairn_ete_insn in = {.pc = w->pc,
	                            .enc = enc,
	                            .isa = w->isa,
	                            .taken = branch && walk_roll(w, 5)};
	bool must = w->lawful && branch && !(f.flags & ISA_ARM_CONDITIONAL) && w->isa != CAIRN_ISA_T32;
	in.taken |= must;
	w->called = w->isa == CAIRN_ISA_A64 && (enc & 0xffe0001f) == 0xd4000001;
	w->started = f.kind == ISA_ARM_TSTART;
	w->committed |= w->isa == CAIRN_ISA_A64 && enc == 0xd503307f;
	struct walk_row r = {.kind = WALK_INSN,
	                     .pc = w->pc,
	                     .value = enc,
	                     .isa = w->isa,
	                     .taken = branch ? 2 - in.taken : 0,
	                     .el = w->who.el,
	                     .security = w->who.security,
	                     .ctxid = w->o.ids ? w->who.ctxid : 0,
	                     .vmid = w->o.ids > 1 ? w->who.vmid : 0};
	add(&w->log, &r);
	if (f.kind != ISA_ARM_NONE)
		w->run = w->log.n;
	if (in.taken && f.flags & ISA_ARM_LINK)
		call(w, w->pc + size);
	if (in.taken && f.kind == ISA_ARM_INDIRECT) {
		go_indirect(w, &f);
	} else if (in.taken) {
		w->pc = isa_arm_target(&f, w->isa, w->pc);
		w->isa = f.isa;
	} else {
		w->pc += size;
	}
	return cairn_ete_tracer_insns(w->t, &in, 1);
}

static int keep(struct walk *w)
{
	const uint8_t *p;
	size_t n;
	cairn_ete_tracer_take(w->t, &p, &n);
	if (w->n_out + n > w->cap_out) {
		w->cap_out = 2 * (w->n_out + n) + 4096;
		w->out = realloc(w->out, w->cap_out);
		if (!w->out)
			abort();
	}
	if (n)
		memcpy(w->out + w->n_out, p, n);
	w->n_out += n;
	return 0;
}

int walk_run(struct walk *w, size_t steps)
{
	int rc = cairn_ete_tracer_open(w->c, &w->o, &w->t);
	for (size_t i = 0; i < steps && rc >= 0; i++) {
		uint32_t what = walk_roll(w, 240);
		if (w->lawful && w->called) /* at once */
			rc = exception(w);
		else if (w->lawful && w->started && !w->in_transaction)
			rc = transaction(w);
		else if (what < 2)
			rc = code_at(w, w->pc) ? exception(w) : 0;
		else if (what < 4)
			rc = new_context(w);
		else if (what == 4)
			rc = interrupt(w);
		else if (what == 5)
			rc = may_transact(w) ? transaction(w) : 0;
		else if (what == 6) {
			rc = stray(w);
			if (rc >= 0)
				rc = instruction(w);
		} else if (what < 16)
			rc = other(w);
		else
			rc = instruction(w);
		if (rc >= 0 && i % 100 == 0)
			rc = keep(w);
	}
	if (rc >= 0) {
		cut_run(w);
		rc = cairn_ete_tracer_finish(w->t);
	}
	return rc < 0 ? rc : keep(w);
}

/* ---- back ---- */

static void take_insn(struct walk_log *log, const struct cairn_ete_ran *in,
                      const struct cairn_ete_who *who)
{
	struct walk_row r = {.kind = WALK_INSN,
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
	add(log, &r);
}

static void take_element(struct walk_log *log, const struct cairn_ete_element *e,
                         struct cairn_ete_who *who)
{
	struct walk_row r = {.value = e->number};
	switch (e->kind) {
	case CAIRN_ETE_EXCEPTION:
		if (e->number == CAIRN_ETE_TRACER_EXCEPTION)
			return;
		r.kind = WALK_EXCEPTION;
		r.pc = e->address;
		break;
	case CAIRN_ETE_PE_RESET:
		r.kind = WALK_RESET;
		break;
	case CAIRN_ETE_EVENT:
		r.kind = WALK_EVENT;
		break;
	case CAIRN_ETE_INSTRUMENTATION:
		r.kind = WALK_INSTRUMENTATION;
		r.pc = e->el;
		r.value = e->value;
		break;
	case CAIRN_ETE_TIMESTAMP:
		r.kind = WALK_TIME;
		r.value = e->value;
		break;
	case CAIRN_ETE_TRANSACTION_START:
		r.kind = WALK_START;
		break;
	case CAIRN_ETE_TRANSACTION_COMMIT:
		r.kind = WALK_COMMIT;
		break;
	case CAIRN_ETE_TRANSACTION_FAILED:
	case CAIRN_ETE_TRANSACTION_UNKNOWN:
		r.kind = WALK_FAIL;
		break;
	case CAIRN_ETE_TRACE_ON: /* those behind overflows are told by them */
		if (e->number != CAIRN_ETE_AT_START || !who->unknown++) /* and the first is not put */
			return;
		who->unknown = 1;
		r.kind = WALK_BREAK;
		r.value = CAIRN_ETE_BREAK_FILTER;
		break;
	case CAIRN_ETE_OVERFLOW:
	case CAIRN_ETE_DISCARD:
		r.kind = WALK_BREAK;
		r.value =
			e->kind == CAIRN_ETE_OVERFLOW ? CAIRN_ETE_BREAK_OVERFLOW : CAIRN_ETE_BREAK_DISCARD;
		break;
	case CAIRN_ETE_CONTEXT:
		who->ctxid = e->ctxid;
		who->vmid = e->vmid;
		return;
	default:
		return;
	}
	add(log, &r);
}

int walk_decode(struct walk *w, struct walk_log *log, uint64_t *gaps)
{
	struct cairn_ete_flow_opts opts = {.size = sizeof opts,
	                                   .image = w->image,
	                                   .transactions = CAIRN_ETE_KEEP};
	struct cairn_ete_config cfg;
	struct cairn_ete_who who = {0};
	struct cairn_ete_insns *d;
	struct cairn_ete_ran r;
	cairn_ete_tracer_config(w->t, &cfg);
	int rc = cairn_ete_insns_open(w->c, &cfg, &opts, w->out, w->n_out, 0, &d);
	memset(log, 0, sizeof *log);
	*gaps = 0;
	while (rc >= 0 && (rc = cairn_ete_insns_next(d, &r)) > 0) {
		const struct cairn_ete_element *e = r.step->element;
		if (r.size)
			take_insn(log, &r, &who);
		else if (!e)
			++*gaps;
		else
			take_element(log, e, &who);
		if (e && (e->kind == CAIRN_ETE_LOST || (e->kind == CAIRN_ETE_NO_SYNC && r.step->offset)))
			++*gaps;
	}
	cairn_ete_insns_close(d);
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

static void tell(char *text, size_t size, const char *whose, const struct walk_row *r)
{
	size_t at = strlen(text);
	if (r)
		snprintf(text + at, size - at,
		         "%s kind %u pc %llx isa %u taken %u el%u s%u id %x %x value %llx; ", whose,
		         r->kind, (unsigned long long)r->pc, r->isa, r->taken, r->el, r->security, r->ctxid,
		         r->vmid, (unsigned long long)r->value);
	else
		snprintf(text + at, size - at, "%s end; ", whose);
}

const char *walk_differs(const struct walk *w, const struct walk_log *got, char *text, size_t size)
{
	for (int insns = 1; insns >= 0; insns--) {
		size_t i = 0, k = 0, n = 0;
		for (;; n++) {
			const struct walk_row *a = next_of(&w->log, &i, insns), *b = next_of(got, &k, insns);
			if (!a && !b)
				break;
			if (a && b && !memcmp(a, b, sizeof *a))
				continue;
			snprintf(text, size, "%s %zu: ", insns ? "instruction" : "event", n);
			tell(text, size, "put", a);
			tell(text, size, "got", b);
			return text;
		}
	}
	return NULL;
}
