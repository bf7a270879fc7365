/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64: memory that is copied or set (FEAT_MOPS), by three instructions.
 *
 * The manual leaves to the processor how much of the work each of the three does and in which of two
 * options registers tell the next one what remains. So most results of the first two are not determined
 * one by one, but together: exec_sequence has from where to where bytes go, the ways that may be taken
 * (option, direction) and how many bytes may remain. Accesses and registers that are told leave fewer
 * of them. A sequence ends with its third instruction, where another one comes, and where what is told
 * contradicts it; without one an instruction goes by what registers hold.
 *
 * Source: Arm Architecture Reference Manual for A-profile, C6.2 (CPYP, CPYFP, SETP, SETGP).
 */
#include "exec/arm64_mops.h"

enum stage { PROLOGUE, MAIN, EPILOGUE };
/* exec_op: rd is the destination, rs3 the source of a copy, rs1 what is set, rs2 the number of bytes,
 * `width` the stage. */
enum kind { COPIES_FORWARD, COPIES, SETS, SETS_TAGS };
enum { TO, FROM, COUNT, FLAGS, WORDS };

static const char amount[] = "how much one of three instructions does is not determined";

/* ---- what registers hold ---- */

static uint64_t most_bytes(unsigned kind)
{
	return kind == COPIES      ? UINT64_MAX >> 9
	       : kind == SETS_TAGS ? UINT64_C(0x7ffffffffffffff0)
	                           : UINT64_MAX >> 1;
}

static unsigned flags_of(unsigned way)
{
	return way == MOPS_B_FORWARD ? ARM64_C : way == MOPS_B_BACKWARD ? ARM64_N | ARM64_C : 0;
}

/* How far addresses have moved while so many bytes remain. */
static uint64_t moved(unsigned way, uint64_t size, uint64_t remain)
{
	return way == MOPS_A_FORWARD    ? size
	       : way == MOPS_B_FORWARD  ? size - remain
	       : way == MOPS_B_BACKWARD ? remain
	                                : 0;
}

static uint64_t count_of(unsigned way, uint64_t remain)
{
	return way == MOPS_A_FORWARD ? 0 - remain : remain;
}

/* What one of the words is on this way. */
static struct exec_bits made(const struct exec_sequence *sequence, unsigned way, unsigned which)
{
	uint64_t few = sequence->least, many = sequence->most;
	uint64_t base = which == TO ? sequence->to : sequence->from;
	if (which == FLAGS)
		return bits_known(flags_of(way));
	if (which == COUNT)
		return way == MOPS_A_FORWARD ? mops_between(0 - many, 0 - few, sequence->unit)
		                             : mops_between(few, many, sequence->unit);
	few = base + moved(way, sequence->size, few);
	many = base + moved(way, sequence->size, many);
	return way == MOPS_B_FORWARD ? mops_between(many, few, sequence->unit)
	                             : mops_between(few, many, sequence->unit);
}

/* What it is whichever way is taken. */
static struct exec_bits common(const struct exec_sequence *sequence, unsigned which)
{
	struct exec_bits bits = {0, 0};
	bool first = true;
	for (unsigned way = 1; way <= MOPS_B_BACKWARD; way <<= 1) {
		if (!(sequence->ways & way))
			continue;
		struct exec_bits one = made(sequence, way, which);
		bits = first ? one : bits_choose(bits_truth(false, false), bits, one);
		first = false;
	}
	return bits;
}

/* ---- what is told of registers ---- */

/* So many bytes remain, if a word that tells it is known. */
static bool solve(struct exec_sequence *sequence, struct exec_bits word, uint64_t remain)
{
	if (!bits_all(word))
		return true;
	if (remain < sequence->least || remain > sequence->most || remain % sequence->unit)
		return false;
	sequence->least = sequence->most = remain;
	return true;
}

/* Can registers be what they are on this way? Then *least and *most bytes remain. */
static bool is_way(const struct cairn_machine *machine, unsigned way, uint64_t *least,
                   uint64_t *most)
{
	struct exec_sequence try = machine->sequence;
	bool copies = try.words[FROM] < EXEC_WORDS, may = true;
	struct exec_bits to = machine->word[try.words[TO]], from = machine->word[try.words[FROM]],
					 count = machine->word[try.words[COUNT]];
	may = solve(&try, count, count_of(way, count.value));
	if (way == MOPS_B_FORWARD)
		may = may && solve(&try, to, try.to + try.size - to.value) &&
		      (!copies || solve(&try, from, try.from + try.size - from.value));
	if (way == MOPS_B_BACKWARD)
		may = may && solve(&try, to, to.value - try.to) &&
		      (!copies || solve(&try, from, from.value - try.from));
	for (unsigned i = 0; i < WORDS && may; i++) {
		struct exec_bits word = machine->word[try.words[i]], bits = made(&try, way, i);
		may = (i == FROM && !copies) || !((word.value ^ bits.value) & word.known & bits.known);
	}
	*least = try.least;
	*most = try.most;
	return may;
}

/* Leave out what registers contradict. False: that is everything. */
static bool narrow(struct cairn_machine *machine)
{
	struct exec_sequence *sequence = &machine->sequence;
	uint64_t least = UINT64_MAX, most = 0;
	unsigned ways = 0;
	for (unsigned way = 1; way <= MOPS_B_BACKWARD; way <<= 1) {
		uint64_t few, many;
		if (!(sequence->ways & way) || !is_way(machine, way, &few, &many))
			continue;
		ways |= way;
		least = few < least ? few : least;
		most = many > most ? many : most;
	}
	if (!ways)
		return false;
	sequence->ways = (uint8_t)ways;
	sequence->least = least;
	sequence->most = most;
	return true;
}

/* What follows for registers that have not been told. */
static void publish(struct cairn_machine *machine)
{
	struct exec_sequence *sequence = &machine->sequence;
	for (unsigned i = 0; i < WORDS; i++) {
		struct exec_bits *word = &machine->word[sequence->words[i]];
		struct exec_bits bits = common(sequence, i);
		if (sequence->words[i] >= EXEC_WORDS)
			continue;
		word->value |= bits.value;
		word->known |= bits.known;
		sequence->known_of[i] = *word;
	}
}

static void abandon(struct cairn_machine *machine)
{
	if (machine->sequence.active)
		mops_doubt(machine);
	machine->sequence.active = false;
}

/* What was known, and is not any more, has been contradicted or forgotten. */
void arm64_sequence_told(struct cairn_machine *machine)
{
	struct exec_sequence *sequence = &machine->sequence;
	bool stands = true;
	if (sequence->step != machine->steps) {
		sequence->active = false;
		return;
	}
	for (unsigned i = 0; i < WORDS; i++) {
		struct exec_bits word = machine->word[sequence->words[i]], had = sequence->known_of[i];
		uint64_t lost = (had.known & ~word.known) | ((had.value ^ word.value) & had.known);
		stands &= sequence->words[i] >= EXEC_WORDS || !(i == FLAGS ? lost & 15 : lost);
	}
	sequence->contradicted = stands && !narrow(machine);
	if (stands && !sequence->contradicted)
		publish(machine);
	else
		abandon(machine);
}

/* ---- a sequence begins ---- */

static uint64_t memory_changes(const struct cairn_machine *machine)
{
	return machine->memory ? exec_memory_changes(machine->memory) : machine->outside_changes;
}

static void begin(struct cairn_machine *machine, const struct exec_op *op, unsigned ways,
                  const uint64_t parts[3])
{
	struct exec_sequence *sequence = &machine->sequence;
	struct exec_bits data = machine->word[op->rs1];
	sequence->active = true;
	sequence->ways = (uint8_t)ways;
	sequence->unit = op->extra == SETS_TAGS ? 16 : 1;
	sequence->words[TO] = op->rd;
	sequence->words[FROM] = op->rs3;
	sequence->words[COUNT] = op->rs2;
	sequence->words[FLAGS] = ARM64_NZCV;
	sequence->enc = op->enc;
	sequence->pc = machine->pc - 4 * (uint64_t)op->width;
	sequence->to = parts[TO];
	sequence->from = parts[FROM];
	sequence->size = sequence->least = sequence->most = parts[COUNT];
	sequence->changes = memory_changes(machine);
	mops_foresee(machine, op->extra >= SETS ? &data : NULL);
}

/* The registers that hold addresses; where there is no source, 0. */
static struct exec_bits source_of(const struct cairn_machine *machine, const struct exec_op *op)
{
	return op->rs3 < EXEC_WORDS ? machine->word[op->rs3] : bits_known(0);
}

/* By the lower 56 bits of addresses: backwards where a copy would change what it has yet to read, either
 * way where nothing overlaps. */
static unsigned ways_of(unsigned kind, uint64_t to, uint64_t from, uint64_t size)
{
	const uint64_t place = UINT64_MAX >> 8;
	to &= place;
	from &= place;
	if (kind != COPIES || (from > to && to + size > from))
		return MOPS_FORWARD;
	return from < to && from + size > to ? MOPS_BACKWARD : MOPS_FORWARD | MOPS_BACKWARD;
}

/* Without a prologue that has been seen: go by what registers tell. */
static void adopt(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits to = machine->word[op->rd], from = source_of(machine, op);
	struct exec_bits count = machine->word[op->rs2], flags = machine->word[ARM64_NZCV];
	bool copies = op->extra == COPIES, option_b = flags.value & ARM64_C;
	uint64_t needed = ARM64_C | (copies && option_b ? ARM64_N : 0);
	if (!bits_both(to, from) || !bits_all(count) || needed & ~flags.known)
		return;
	unsigned way = option_b ? MOPS_B_FORWARD : MOPS_A_FORWARD;
	if (copies && (option_b ? (flags.value & ARM64_N) != 0 : !(count.value >> 63)))
		way = option_b ? MOPS_B_BACKWARD : MOPS_A_BACKWARD;
	uint64_t remain = count_of(way, count.value), by = moved(way, remain, remain);
	unsigned unit = op->extra == SETS_TAGS ? 16 : 1;
	if (remain > most_bytes(op->extra) || ((flags.value ^ flags_of(way)) & flags.known) ||
	    (remain | (to.value - by)) % unit)
		return; /* a trap, mostly */
	begin(machine, op, way, (const uint64_t[3]){to.value - by, from.value - by, remain});
}

/* ---- steps ---- */

/* Addresses or the number of bytes are not known, or not how they are to be read: anything may be written, or
 * what is told. Bytes that are read may be written afterwards. */
static void write_anywhere(struct cairn_machine *machine)
{
	bool all_told = machine->n_told < EXEC_MOST_ACCESSES;
	exec_undetermined(machine, amount);
	if (!exec_told(machine, CAIRN_MEM_WRITE, 0) || !all_told)
		cairn_machine_forget_memory(machine);
	for (unsigned i = 0; i < machine->n_told; i++)
		if (machine->told[i].kind != CAIRN_MEM_WRITE || !all_told)
			machine->used[i] = 1;
}

static struct exec_bits saturated(struct exec_bits count, unsigned kind)
{
	struct exec_bits most = bits_known(most_bytes(kind));
	return bits_choose(bits_less(most, count), most, count);
}

/* What a prologue leaves in registers, whatever it has done; `none`: there is nothing to do. */
static void put_after_prologue(struct cairn_machine *machine, const struct exec_op *op, bool none)
{
	uint64_t open = op->extra == COPIES ? ARM64_N | ARM64_C : ARM64_C;
	arm64_put(machine, op->rd, none ? machine->word[op->rd] : bits_unknown());
	arm64_put(machine, op->rs3, none ? source_of(machine, op) : bits_unknown());
	arm64_put(machine, op->rs2, none ? bits_known(0) : bits_unknown());
	arm64_put_flags(machine, (struct exec_bits){0, ~open});
}

/* Where the work of an epilogue ends, if option B moves the registers. */
static struct exec_bits ended(const struct cairn_machine *machine, const struct exec_op *op,
                              struct exec_bits at)
{
	struct exec_bits count = machine->word[op->rs2], flags = machine->word[ARM64_NZCV];
	struct exec_bits backward = op->extra == COPIES ? bits_right(flags, 3) : bits_known(0);
	struct exec_bits end = bits_choose(backward, bits_sub(at, count), bits_add(at, count));
	return bits_choose(bits_right(flags, 1), end, at);
}

/* The same of later instructions. */
static void put_after(struct cairn_machine *machine, const struct exec_op *op, bool none)
{
	bool last = op->width == EPILOGUE;
	struct exec_bits option_b = bits_right(machine->word[ARM64_NZCV], 1);
	for (unsigned i = 0; i < 2; i++) {
		unsigned word = i ? op->rs3 : op->rd;
		struct exec_bits at = i ? source_of(machine, op) : machine->word[word];
		arm64_put(machine, word,
		          none   ? at
		          : last ? ended(machine, op, at)
		                 : bits_choose(option_b, bits_unknown(), at));
	}
	arm64_put(machine, op->rs2, none || last ? bits_known(0) : bits_unknown());
}

/* An instruction of a sequence under way. */
static void go_on(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_sequence *sequence = &machine->sequence;
	uint64_t most = sequence->most;
	bool agree = mops_accesses(machine);
	if (op->width == EPILOGUE)
		sequence->least = sequence->most = 0;
	mops_write(machine, most);
	mops_believe(machine);
	if (!agree) {
		abandon(machine);
		if (op->width == PROLOGUE)
			put_after_prologue(machine, op, false);
		else
			put_after(machine, op, false);
		return;
	}
	for (unsigned i = 0; i < FLAGS; i++)
		arm64_put(machine, sequence->words[i], common(sequence, i));
	if (op->width == PROLOGUE)
		arm64_put_flags(machine, common(sequence, FLAGS));
	for (unsigned i = 0; i < WORDS; i++)
		sequence->known_of[i] = machine->word[sequence->words[i]];
	sequence->stage = op->width;
	sequence->step = machine->steps;
	sequence->changes = memory_changes(machine);
	if (sequence->least != sequence->most || sequence->ways & (sequence->ways - 1))
		exec_undetermined(machine, amount);
	sequence->active = op->width != EPILOGUE;
}

/* Tags belong to 16 bytes, at such an address. */
static bool is_misaligned(struct exec_bits to, struct exec_bits size)
{
	return (size.value & 15) || (size.value && to.value & 15);
}

static void prologue(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits to = machine->word[op->rd], from = source_of(machine, op);
	struct exec_bits size = saturated(machine->word[op->rs2], op->extra);
	machine->sequence.active = false;
	if (op->extra == SETS_TAGS && is_misaligned(to, size)) {
		exec_stop(machine, CAIRN_STEP_TRAP, "an address or a size is no multiple of 16");
		return;
	}
	if (bits_both(to, from) && bits_all(size)) {
		begin(machine, op, ways_of(op->extra, to.value, from.value, size.value),
		      (const uint64_t[3]){to.value, from.value, size.value});
		go_on(machine, op);
		return;
	}
	put_after_prologue(machine, op, bits_are_zero(size));
	if (!bits_are_zero(size))
		write_anywhere(machine);
}

/* Does the instruction follow the last one as the manual wants it? A main instruction may be interrupted,
 * and executed once more for what remains. */
static bool follows(const struct cairn_machine *machine, const struct exec_op *op)
{
	const struct exec_sequence *sequence = &machine->sequence;
	const uint32_t stage = op->extra < SETS ? 0x00c00000 : 0x0000c000;
	return sequence->active && sequence->step + 1 == machine->steps &&
	       !((sequence->enc ^ op->enc) & ~stage) &&
	       machine->pc == sequence->pc + 4 * (uint64_t)op->width &&
	       (op->width == EPILOGUE ? sequence->stage == MAIN : sequence->stage <= MAIN);
}

static void continuation(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_sequence *sequence = &machine->sequence;
	uint64_t again = machine->pc, next = machine->step.next;
	if (!follows(machine, op))
		sequence->active = false;
	else if (!narrow(machine))
		abandon(machine);
	if (sequence->active && sequence->changes != memory_changes(machine))
		mops_forget(machine);
	if (!sequence->active)
		adopt(machine, op);
	if (sequence->active)
		go_on(machine, op);
	else {
		bool none = bits_are_zero(machine->word[op->rs2]);
		put_after(machine, op, none);
		if (!none)
			write_anywhere(machine);
	}
	struct exec_bits after =
		bits_choose(bits_truth(false, false), bits_known(again), bits_known(next));
	if (op->width == MAIN && !bits_are_zero(machine->word[op->rs2])) {
		machine->step.next = after.value;
		machine->step.next_known = after.known;
	}
}

static void run_mops(struct cairn_machine *machine, const struct exec_op *op)
{
	if (op->width == PROLOGUE)
		prologue(machine, op);
	else
		continuation(machine, op);
}

bool arm64_translate_mops(const struct isa_arm64_access *access, struct exec_op *op)
{
	bool sets = access->n_regs != 0;
	if (access->count == 31) /* left open */
		return false;
	op->rd = arm64_target(access->base);
	op->rs1 = arm64_source(sets ? access->regs[0] : access->index);
	op->rs2 = arm64_source(access->count);
	op->rs3 = sets ? EXEC_NOWHERE : op->rs1;
	op->extra = (uint8_t)((sets ? SETS : COPIES_FORWARD) + arm64_field(op, 26, 26));
	op->width = (uint8_t)(sets ? arm64_field(op, 15, 14) : arm64_field(op, 23, 22));
	op->run = run_mops;
	return true;
}
