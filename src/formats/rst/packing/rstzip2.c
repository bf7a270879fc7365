/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading rstzip 2: blocks of chunks. A chunk is a run of instructions in sequence
 * with the records between them; its words are spelt out the first time and later
 * only named by their pc, and effective addresses are differences to those of the
 * last time. Of several CPUs each has its own payload in a block, and a list of runs
 * says how they interleave.
 *
 * What the reader remembers (chunks, PAVADIFFs, values) outlives blocks, so a file is
 * read from its beginning. A sum after every 16th chunk shows that both sides agree.
 *
 * Memory is bounded by the input: a chunk is at most MAX_CHUNK instructions, each of
 * which took 5 bytes or more, and the tables of chunks have a fixed number of places.
 */
#include "formats/rst/packing/rstzip2.h"

#include "formats/rst/packing/rstzip3.h"
#include "formats/rst/record/encode.h"

enum {
	MAX_CHUNK = 1000,
	SETS = 3391,
	WAYS = 4,
	DIFFS = 8,
	VALUES = 65535,
	CPUS = 256,
	SUM_EVERY = 16
};
enum { /* what begins with a byte that no record begins with */
	   TAG_END = 161,
	   TAG_NEW,
	   TAG_SEEN,
	   TAG_DIFF,
	   TAG_CC = TAG_DIFF + DIFFS,
	   TAG_REGID,
	   TAG_VALUE8,
	   TAG_VALUE16,
	   TAG_VALUE32,
	   TAG_VALUE64,
	   TAG_CACHED,
	   TAG_MINUS_ONE,
	   TAG_ZERO,
	   TAG_EIGHT = TAG_ZERO + 8,
	   TAG_PAIR
};
_Static_assert(TAG_CC == 172 && TAG_PAIR == 189, "tags as in the file");

/* How many records of a CPU come next: n8; n16 if n8 is 0; n32 if both are. */
RST_ACCESS(RZ2_RUN, cpu, DEC, W(0, 1))
RST_ACCESS(RZ2_RUN, n8, DEC, W(1, 1))
RST_ACCESS(RZ2_RUN, n16, DEC, W(2, 2))
RST_ACCESS(RZ2_RUN, n32, DEC, W(4, 4))

static const size_t most_held = (size_t)1 << 30;

struct chunk {
	uint64_t pc;
	uint64_t *eas; /* addresses that were spelt out when last seen, without gaps; then the words */
	uint32_t *words;
	uint32_t n, used;
};

struct cpu {
	struct chunk chunks[SETS][WAYS];
	uint8_t diffs[DIFFS][CAIRN_RST_SIZE];
	uint32_t diff_used[DIFFS];
	uint32_t clock; /* of uses, to find what was used least recently */
	uint64_t values[VALUES];
	uint64_t sum;
	unsigned since_sum;
	uint32_t instr; /* the last one: its rd is the register of a REGVAL without one */
	bool am;
	struct base_buf out; /* of the block; with one CPU the caller's is used */
	size_t taken;        /* of `out`, by the runs */
};

struct rz2_unpack {
	struct cairn *cairn;
	struct io_source *io;
	bool many;
	struct cpu *cpus[CPUS];
	struct base_buf runs, payload;
	uint64_t blocks, records;
	size_t held;
	bool ended;
};

/* A payload that is being read. */
struct in {
	struct rz2_unpack *unpack;
	struct cpu *p;
	unsigned cpu;
	const uint8_t *at, *end;
	struct base_buf *out;
	int failed;
};

int rz2_unpack_open(struct cairn *cairn, struct io_source *io, unsigned cpus,
                    struct rz2_unpack **out)
{
	struct rz2_unpack *unpack = base_alloc(cairn, sizeof *unpack);
	*out = unpack;
	if (!unpack)
		return CAIRN_E_NOMEM;
	unpack->cairn = cairn;
	unpack->io = io;
	unpack->many = cpus != 1;
	base_buf_init(&unpack->runs, cairn);
	base_buf_init(&unpack->payload, cairn);
	return 0;
}

void rz2_unpack_close(struct rz2_unpack *unpack)
{
	if (!unpack)
		return;
	for (unsigned i = 0; i < CPUS; i++) {
		struct cpu *cpu = unpack->cpus[i];
		if (!cpu)
			continue;
		for (unsigned k = 0; k < SETS; k++)
			for (unsigned way = 0; way < WAYS; way++)
				base_free(unpack->cairn, cpu->chunks[k][way].eas);
		base_buf_free(&cpu->out);
		base_free(unpack->cairn, cpu);
	}
	base_buf_free(&unpack->runs);
	base_buf_free(&unpack->payload);
	base_free(unpack->cairn, unpack);
}

static int rstzip2_hold(struct rz2_unpack *unpack, size_t n)
{
	unpack->held += n;
	return unpack->held <= most_held
	           ? 0
	           : base_fail(unpack->cairn, CAIRN_E_LIMIT, "its chunks want more than %zu MiB",
	                       most_held >> 20);
}

static int rstzip2_cpu_of(struct rz2_unpack *unpack, unsigned cpu, struct cpu **out)
{
	struct cpu *p = *out = unpack->cpus[cpu];
	if (p)
		return 0;
	int rc = rstzip2_hold(unpack, sizeof *p);
	if (rc < 0)
		return rc;
	p = *out = unpack->cpus[cpu] = base_alloc(unpack->cairn, sizeof *p);
	if (!p)
		return CAIRN_E_NOMEM;
	base_buf_init(&p->out, unpack->cairn);
	return 0;
}

/* ---- bytes of a payload ---- */

static int rstzip2_damaged(struct in *in, const char *what)
{
	if (in->failed >= 0)
		in->failed = base_fail(in->unpack->cairn, CAIRN_E_DAMAGED, "%s", what);
	return in->failed;
}

static const uint8_t *rstzip2_take(struct in *in, size_t n)
{
	static const uint8_t none[8];
	if ((size_t)(in->end - in->at) < n) {
		rstzip2_damaged(in, "a block ends within a record");
		return n <= sizeof none ? none : NULL;
	}
	const uint8_t *p = in->at;
	in->at += n;
	return p;
}

static unsigned rstzip2_take8(struct in *in)
{
	return *rstzip2_take(in, 1);
}

static uint64_t rstzip2_take64(struct in *in)
{
	return base_be64(rstzip2_take(in, 8));
}

/* ---- records that are no instructions ---- */

static uint8_t *emit(struct in *in)
{
	if (base_buf_reserve(in->out, CAIRN_RST_SIZE) < 0) {
		in->failed = CAIRN_E_NOMEM;
		return NULL;
	}
	uint8_t *rec = in->out->data + in->out->len;
	in->out->len += CAIRN_RST_SIZE;
	return rec;
}

static void raw_record(struct in *in)
{
	struct cpu *cpu = in->p;
	const uint8_t *from = rstzip2_take(in, CAIRN_RST_SIZE);
	uint8_t *rec = from ? emit(in) : NULL;
	if (!rec)
		return;
	memcpy(rec, from, CAIRN_RST_SIZE);
	if (rec[0] == CAIRN_RST_PREG)
		cpu->am = rst_PREG_pstate(rec) & PSTATE_AM;
	if (rec[0] != CAIRN_RST_PAVADIFF)
		return;
	unsigned oldest = 0;
	for (unsigned i = 1; i < DIFFS; i++)
		if (cpu->diff_used[i] < cpu->diff_used[oldest])
			oldest = i;
	memcpy(cpu->diffs[oldest], rec, CAIRN_RST_SIZE);
	cpu->diff_used[oldest] = ++cpu->clock;
}

static void known_diff(struct in *in, unsigned index)
{
	if (!in->p->diff_used[index]) {
		rstzip2_damaged(in, "it repeats a PAVADIFF that was not there before");
		return;
	}
	uint8_t *rec = emit(in);
	if (rec)
		memcpy(rec, in->p->diffs[index], CAIRN_RST_SIZE);
	in->p->diff_used[index] = ++in->p->clock;
}

static uint64_t rstzip2_take_value(struct in *in)
{
	uint64_t v;
	unsigned tag = rstzip2_take8(in);
	switch (tag) {
	case TAG_VALUE8:
		return rstzip2_take8(in);
	case TAG_VALUE16:
		return base_be16(rstzip2_take(in, 2));
	case TAG_VALUE32:
		v = base_be32(rstzip2_take(in, 4));
		break;
	case TAG_VALUE64:
		v = rstzip2_take64(in);
		break;
	case TAG_CACHED:
		return in->p->values[base_be16(rstzip2_take(in, 2)) % VALUES];
	case TAG_MINUS_ONE:
		return UINT64_MAX;
	default:
		if (tag < TAG_ZERO || tag > TAG_EIGHT)
			rstzip2_damaged(in, "a register value has an unknown form");
		return tag - TAG_ZERO;
	}
	in->p->values[v % VALUES] = v;
	return v;
}

/* Take the register that an instruction writes, or the one given instead. */
static uint8_t take_regid(struct in *in)
{
	if (in->at < in->end && *in->at == TAG_REGID) {
		rstzip2_take8(in);
		return (uint8_t)rstzip2_take8(in);
	}
	return in->p->instr >> 25 & 31;
}

static void rstzip2_regval(struct in *in)
{
	uint8_t *rec = emit(in);
	if (!rec)
		return;
	bool pair = *in->at == TAG_PAIR;
	if (pair)
		rstzip2_take8(in);
	uint8_t id = take_regid(in);
	rst_make_regval(rec, in->cpu, true, RST_R_INT, id, rstzip2_take_value(in));
	if (in->at < in->end && *in->at == TAG_CC) {
		rstzip2_take8(in);
		rst_put_reg(rec, 1, RST_R_CC, rstzip2_take8(in), 0);
	} else if (pair) {
		id = take_regid(in);
		rst_put_reg(rec, 1, RST_R_INT, id, rstzip2_take_value(in));
	}
}

/* One record. */
static void rstzip2_other(struct in *in)
{
	unsigned tag = *in->at;
	if (tag >= TAG_DIFF && tag < TAG_CC) {
		rstzip2_take8(in);
		known_diff(in, tag - TAG_DIFF);
	} else if (tag >= TAG_CC && tag <= TAG_PAIR) {
		rstzip2_regval(in);
	} else if (tag >= 160) {
		rstzip2_damaged(in, "a record has an unknown form");
	} else {
		raw_record(in);
	}
}

/* ---- chunks ---- */

static struct chunk *rstzip2_set_of(struct cpu *cpu, uint64_t pc)
{
	return cpu->chunks[(pc >> 2) * 47 % SETS];
}

static struct chunk *new_chunk(struct in *in, uint64_t pc, unsigned n)
{
	struct chunk *set = rstzip2_set_of(in->p, pc), *chunk = set;
	for (unsigned way = 1; way < WAYS; way++)
		if (set[way].used < chunk->used)
			chunk = &set[way];
	const uint8_t *words = rstzip2_take(in, 4 * (size_t)n);
	if (!words || in->failed < 0)
		return NULL;
	in->unpack->held -= 12 * (size_t)chunk->n;
	base_free(in->unpack->cairn, chunk->eas);
	chunk->eas = NULL;
	chunk->n = 0;
	int rc = rstzip2_hold(in->unpack, 12 * (size_t)n);
	if (rc >= 0 && !(chunk->eas = base_alloc(in->unpack->cairn, 12 * (size_t)n)))
		rc = CAIRN_E_NOMEM;
	if (rc < 0) {
		in->failed = rc;
		return NULL;
	}
	chunk->words = (uint32_t *)(void *)(chunk->eas + n);
	chunk->n = n;
	chunk->pc = pc;
	for (unsigned i = 0; i < n; i++)
		chunk->words[i] = base_be32(words + 4 * i);
	return chunk;
}

static struct chunk *seen_chunk(struct in *in, uint64_t pc, unsigned n)
{
	struct chunk *set = rstzip2_set_of(in->p, pc);
	for (unsigned way = 0; way < WAYS; way++)
		if (set[way].n >= n && set[way].pc == pc)
			return &set[way];
	rstzip2_damaged(in, "it repeats a chunk that was not there before");
	return NULL;
}

static bool pc_relative(uint32_t instr)
{
	unsigned kind = rz3_classify(instr, RZ3_MINOR);
	return kind & RZ3_K_CTI && !(kind & RZ3_K_INDIRECT);
}

static uint64_t take_delta(struct in *in)
{
	enum { I8 = -125, I16 = -123, I32 = 123, I64 = 125 };
	int d = (int8_t)rstzip2_take8(in);
	switch (d) {
	case I8:
		return (uint64_t)(int8_t)rstzip2_take8(in);
	case I16:
		return (uint64_t)(int16_t)base_be16(rstzip2_take(in, 2));
	case I32:
		return (uint64_t)(int32_t)base_be32(rstzip2_take(in, 4));
	case I64:
		return rstzip2_take64(in);
	default:
		return (uint64_t)d;
	}
}

static bool has_ea(const struct chunk *chunk, unsigned index, unsigned flags)
{
	return flags & RST_I_EA_VALID && !pc_relative(chunk->words[index]);
}

/* Effective addresses that do not follow from the instruction. The one before is that
 * of the same rank, even when it belonged to another instruction. */
static void take_eas(struct in *in, struct chunk *chunk, const uint8_t *flags, unsigned n,
                     bool is_new)
{
	uint64_t *ea = chunk->eas;
	for (unsigned i = 0; i < n; i++) {
		in->p->sum += chunk->words[i] + flags[i];
		if (!has_ea(chunk, i, flags[i]))
			continue;
		*ea = is_new ? rstzip2_take64(in) : *ea + take_delta(in);
		in->p->sum += *ea++;
	}
}

static uint64_t branch_ea(const struct cpu *cpu, uint32_t instr, uint64_t pc, unsigned flags)
{
	if (!pc_relative(instr) || flags & RST_I_AN)
		return 0;
	uint64_t target = flags & RST_I_BT ? rz3_target(instr, pc) : pc + 8;
	return cpu->am && flags & RST_I_BT ? target & UINT32_MAX : target;
}

/* The records after an instruction. Their types are part of the sum. */
static void emit_others(struct in *in, unsigned n)
{
	for (; n > 0 && in->failed >= 0; n--) {
		size_t at = in->out->len;
		if (in->at == in->end)
			rstzip2_damaged(in, "a block ends within a chunk");
		else
			rstzip2_other(in);
		if (in->failed >= 0)
			in->p->sum += in->out->data[at];
	}
}

static void emit_chunk(struct in *in, const struct chunk *chunk, const uint8_t *flags, unsigned n,
                       const uint8_t *counts)
{
	const uint64_t *ea = chunk->eas;
	for (unsigned i = 0; i < n && in->failed >= 0; i++) {
		uint64_t pc = chunk->pc + 4 * (uint64_t)i;
		uint8_t *rec = emit(in);
		if (!rec)
			return;
		rst_make_instr(
			rec, in->cpu, flags[i] & 0xfe, chunk->words[i], pc,
			has_ea(chunk, i, flags[i]) ? *ea++ : branch_ea(in->p, chunk->words[i], pc, flags[i]));
		in->p->instr = chunk->words[i];
		if (flags[i] & 1)
			emit_others(in, *counts++);
	}
}

static void check_sum(struct in *in)
{
	if (in->failed < 0 || ++in->p->since_sum < SUM_EVERY)
		return;
	uint64_t sum = rstzip2_take64(in);
	if (in->failed >= 0 && sum != in->p->sum)
		rstzip2_damaged(in, "the sum over the last 16 chunks is wrong");
	in->p->sum = 0;
	in->p->since_sum = 0;
}

static void chunk(struct in *in)
{
	unsigned tag = rstzip2_take8(in), n = base_be16(rstzip2_take(in, 2)), marked = 0;
	uint64_t pc = rstzip2_take64(in);
	if (in->failed < 0)
		return;
	if (n > MAX_CHUNK) {
		rstzip2_damaged(in, "a chunk has more than 1000 instructions");
		return;
	}
	struct chunk *k = tag == TAG_NEW ? new_chunk(in, pc, n) : seen_chunk(in, pc, n);
	const uint8_t *flags = k ? rstzip2_take(in, n) : NULL;
	if (!flags || in->failed < 0)
		return;
	k->used = ++in->p->clock;
	in->p->sum += tag + n + pc;
	take_eas(in, k, flags, n, tag == TAG_NEW);
	for (unsigned i = 0; i < n; i++)
		marked += flags[i] & 1;
	const uint8_t *counts = rstzip2_take(in, marked);
	if (!counts || in->failed < 0)
		return;
	for (unsigned i = 0; i < marked; i++)
		in->p->sum += counts[i];
	emit_chunk(in, k, flags, n, counts);
	check_sum(in);
}

/* ---- blocks ---- */

/* The records of one CPU; `*used` bytes of the payload. */
static int unpack_payload(struct rz2_unpack *unpack, unsigned cpu, size_t at, struct base_buf *out,
                          size_t *used)
{
	struct in in = {.unpack = unpack,
	                .cpu = cpu,
	                .out = out,
	                .at = unpack->payload.data + at,
	                .end = unpack->payload.data + unpack->payload.len};
	int rc = rstzip2_cpu_of(unpack, cpu, &in.p);
	if (rc < 0)
		return rc;
	for (;;) {
		if (in.at == in.end)
			return base_fail(unpack->cairn, CAIRN_E_DAMAGED, "a block ends without its end mark");
		if (*in.at == TAG_END)
			break;
		if (*in.at == TAG_NEW || *in.at == TAG_SEEN)
			chunk(&in);
		else
			rstzip2_other(&in);
		if (in.failed < 0)
			return in.failed;
	}
	*used = (size_t)(in.at - unpack->payload.data) + 1;
	return 0;
}

/* A count of bytes, then as many bytes. */
static int load_counted(struct rz2_unpack *unpack, struct base_buf *buf, uint64_t *taken)
{
	buf->len = 0;
	int rc = rstzip_load(unpack->cairn, unpack->io, 4, buf, taken);
	uint32_t n = rc < 0 ? 0 : base_be32(buf->data);
	buf->len = 0;
	return rc < 0 ? rc : rstzip_load(unpack->cairn, unpack->io, n, buf, taken);
}

/* The next run of the list. */
static bool next_run(const struct base_buf *buf, size_t *at, unsigned *cpu, uint32_t *n)
{
	const uint8_t *p = buf->data + *at;
	size_t left = buf->len - *at, size = 2;
	if (left < size)
		return false;
	*cpu = rst_RZ2_RUN_cpu(p);
	*n = rst_RZ2_RUN_n8(p);
	if (*n == 0 && left >= (size = 4))
		*n = rst_RZ2_RUN_n16(p);
	if (*n == 0 && left >= (size = 8))
		*n = rst_RZ2_RUN_n32(p);
	*at += size;
	return *n > 0;
}

static int unpack_cpus(struct rz2_unpack *unpack)
{
	bool there[CPUS] = {false};
	unsigned cpu;
	uint32_t n;
	size_t used = 0;
	for (size_t at = 0; next_run(&unpack->runs, &at, &cpu, &n);)
		there[cpu] = true;
	for (cpu = 0; cpu < CPUS; cpu++) {
		struct cpu *p;
		int rc = there[cpu] ? rstzip2_cpu_of(unpack, cpu, &p) : 0;
		if (there[cpu] && rc >= 0) {
			p->out.len = p->taken = 0;
			rc = unpack_payload(unpack, cpu, used, &p->out, &used);
		}
		if (rc < 0) {
			base_wrap(unpack->cairn, "CPU %u", cpu);
			return rc;
		}
	}
	return 0;
}

static int unpack_runs(struct rz2_unpack *unpack, struct base_buf *out, uint64_t *taken)
{
	unsigned cpu;
	uint32_t n;
	int rc = load_counted(unpack, &unpack->runs, taken);
	size_t first = 0;
	if (rc < 0)
		return rc;
	unpack->ended = unpack->runs.len < 4 && !next_run(&unpack->runs, &first, &cpu, &n);
	if (unpack->ended) /* what follows are the packer's statistics */
		return 0;
	rc = load_counted(unpack, &unpack->payload, taken);
	if (rc >= 0)
		rc = unpack_cpus(unpack);
	for (size_t at = 0; rc >= 0 && at < unpack->runs.len;) {
		if (!next_run(&unpack->runs, &at, &cpu, &n))
			return base_fail(unpack->cairn, CAIRN_E_DAMAGED, "its list of runs is damaged");
		struct cpu *p = unpack->cpus[cpu];
		if ((p->out.len - p->taken) / CAIRN_RST_SIZE < n)
			return base_fail(unpack->cairn, CAIRN_E_DAMAGED,
			                 "CPU %u has fewer records than its runs", cpu);
		rc = base_buf_put(out, p->out.data + p->taken, (size_t)n * CAIRN_RST_SIZE);
		p->taken += (size_t)n * CAIRN_RST_SIZE;
	}
	return rc;
}

static int unpack_block(struct rz2_unpack *unpack, struct base_buf *out, uint64_t *taken)
{
	size_t used;
	if (unpack->many)
		return unpack_runs(unpack, out, taken);
	int rc = load_counted(unpack, &unpack->payload, taken);
	if (rc >= 0)
		rc = unpack_payload(unpack, 0, 0, out, &used);
	unpack->ended = rc >= 0 && unpack->payload.len == 1;
	return rc;
}

int rz2_unpack_next(struct rz2_unpack *unpack, struct base_buf *out, uint64_t *n, uint64_t *taken)
{
	size_t before = out->len;
	*n = 0;
	if (unpack->ended)
		return 0;
	int rc = unpack_block(unpack, out, taken);
	*n = (out->len - before) / CAIRN_RST_SIZE;
	unpack->records += *n;
	if (rc < 0) {
		base_wrap(unpack->cairn, "block %llu: record %llu", (unsigned long long)unpack->blocks + 1,
		          (unsigned long long)unpack->records + 1);
		return rc;
	}
	unpack->blocks++;
	return unpack->ended ? 0 : 1;
}
