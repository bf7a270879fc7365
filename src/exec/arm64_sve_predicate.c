/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SVE: what computes predicates, and counts them.
 */
#include "exec/arm64_sve.h"

static struct sve_predicate predicate_at(const struct cairn_machine *machine, unsigned word)
{
	struct sve_predicate made;
	for (unsigned i = 0; i < ARM64_PREDICATE; i++)
		made.word[i] = machine->word[word + i];
	return made;
}

/* The bits of a predicate that exist, in word `i`. */
static struct exec_bits existing(const struct cairn_machine *machine, unsigned i)
{
	unsigned bits = machine->vector_bits / 8, from = 64 * i;
	return bits_known(from >= bits        ? 0
	                  : bits - from >= 64 ? UINT64_MAX
	                                      : (UINT64_C(1) << (bits - from)) - 1);
}

static bool sets_flags(const struct exec_op *op)
{
	return arm64_field(op, 22, 22);
}

/* ---- logic ---- */

/* By bits 23, 9 and 4; of the eighth, sel, elsewhere. */
static struct exec_bits combined(unsigned how, struct exec_bits n, struct exec_bits m)
{
	switch (how) {
	case 0: /* and */
		return bits_and(n, m);
	case 1: /* bic */
		return bits_and(n, bits_not(m));
	case 2: /* eor */
		return bits_xor(n, m);
	case 4: /* orr */
		return bits_or(n, m);
	case 5: /* orn */
		return bits_or(n, bits_not(m));
	case 6: /* nor */
		return bits_not(bits_or(n, m));
	default: /* nand */
		return bits_not(bits_and(n, m));
	}
}

static void run_logic(struct cairn_machine *machine, const struct exec_op *op)
{
	enum { SEL = 3 };
	unsigned how =
		arm64_field(op, 23, 23) << 2 | arm64_field(op, 9, 9) << 1 | arm64_field(op, 4, 4);
	struct sve_predicate governing = predicate_at(machine, sve_p(op, 10)), made;
	for (unsigned i = 0; i < ARM64_PREDICATE; i++) {
		struct exec_bits n = machine->word[sve_p(op, 5) + i], m = machine->word[sve_p(op, 16) + i];
		struct exec_bits g = governing.word[i];
		made.word[i] = how == SEL ? bits_or(bits_and(n, g), bits_and(m, bits_not(g)))
		                          : bits_and(combined(how, n, m), g);
		made.word[i] = bits_and(made.word[i], existing(machine, i));
	}
	if (sets_flags(op))
		sve_test(machine, governing.word, &made, 1);
	sve_put_predicate(machine, sve_p(op, 0), &made);
}

/* ---- all, none, the first, the next ---- */

static void run_true(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_predicate made = sve_none();
	unsigned n = sve_elements(machine, op->width);
	unsigned count = arm64_sve_elements_of(arm64_field(op, 9, 5), n);
	for (unsigned i = 0; i < count; i++)
		sve_set_active(&made, op->width, i, bits_known(1));
	if (arm64_field(op, 16, 16))
		sve_test(machine, made.word, &made, op->width);
	sve_put_predicate(machine, sve_p(op, 0), &made);
}

static void run_false(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_predicate none = sve_none();
	sve_put_predicate(machine, sve_p(op, 0), &none);
}

static void run_test(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_predicate tested = predicate_at(machine, sve_p(op, 5));
	sve_test(machine, &machine->word[sve_p(op, 10)], &tested, 1);
}

/* pfirst: the first active element of pg is set. */
static void run_first(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_predicate governing = predicate_at(machine, sve_p(op, 5));
	struct sve_predicate made = predicate_at(machine, sve_p(op, 0));
	struct exec_bits met = bits_known(0), one = bits_known(1);
	for (unsigned i = 0; i < sve_elements(machine, 1); i++) {
		struct exec_bits active = sve_active(machine, sve_p(op, 5), 1, i);
		struct exec_bits is_first = bits_and(active, bits_xor(met, one));
		sve_set_active(&made, 1, i, bits_or(sve_active(machine, sve_p(op, 0), 1, i), is_first));
		met = bits_or(met, active);
	}
	sve_test(machine, governing.word, &made, 1);
	sve_put_predicate(machine, sve_p(op, 0), &made);
}

/* pnext: the first active element of pg behind the last that pdn has. */
static void run_next(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_predicate governing = predicate_at(machine, sve_p(op, 5)), made = sve_none();
	unsigned n = sve_elements(machine, op->width), last = 0;
	struct exec_bits met = bits_known(0), one = bits_known(1);
	bool known = true;
	for (unsigned i = 0; i < n; i++) {
		struct exec_bits before = sve_active(machine, sve_p(op, 0), op->width, i);
		known &= bits_all(before);
		last = before.value ? i + 1 : last;
	}
	for (unsigned i = 0; i < n; i++) {
		struct exec_bits active = sve_active(machine, sve_p(op, 5), op->width, i);
		struct exec_bits is_next = bits_and(active, bits_xor(met, one));
		if (i < last) /* known to be behind, whatever else is not known */
			continue;
		sve_set_active(&made, op->width, i, known ? is_next : bits_zero_extend(bits_unknown(), 1));
		met = bits_or(met, active);
	}
	sve_test(machine, governing.word, &made, op->width);
	sve_put_predicate(machine, sve_p(op, 0), &made);
}

/* ---- breaks ---- */

/* brka, brkb: up to the first element that holds, with it or without. */
static void run_break(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_predicate governing = predicate_at(machine, sve_p(op, 10)), made = sve_none();
	struct exec_bits goes_on = bits_known(1), one = bits_known(1);
	bool without = arm64_field(op, 23, 23), merges = arm64_field(op, 4, 4);
	for (unsigned i = 0; i < sve_elements(machine, 1); i++) {
		struct exec_bits active = sve_active(machine, sve_p(op, 10), 1, i);
		struct exec_bits here = bits_and(active, sve_active(machine, sve_p(op, 5), 1, i));
		struct exec_bits next = bits_and(goes_on, bits_xor(here, one));
		struct exec_bits old = merges ? sve_active(machine, sve_p(op, 0), 1, i) : bits_known(0);
		sve_set_active(&made, 1, i, bits_choose(active, without ? next : goes_on, old));
		goes_on = next;
	}
	if (sets_flags(op))
		sve_test(machine, governing.word, &made, 1);
	sve_put_predicate(machine, sve_p(op, 0), &made);
}

/* Is the last active element of the predicate at `governing` one of the other's? */
static struct exec_bits last_active(const struct cairn_machine *machine, unsigned governing,
                                    unsigned of)
{
	struct exec_bits last = bits_known(0);
	for (unsigned i = 0; i < sve_elements(machine, 1); i++)
		last =
			bits_choose(sve_active(machine, governing, 1, i), sve_active(machine, of, 1, i), last);
	return last;
}

/* brkpa, brkpb: the same, where the break of pn was not reached. */
static void run_break_pair(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_predicate governing = predicate_at(machine, sve_p(op, 10)), made = sve_none();
	struct exec_bits goes_on = last_active(machine, sve_p(op, 10), sve_p(op, 5));
	struct exec_bits one = bits_known(1);
	bool without = arm64_field(op, 4, 4);
	for (unsigned i = 0; i < sve_elements(machine, 1); i++) {
		struct exec_bits active = sve_active(machine, sve_p(op, 10), 1, i);
		struct exec_bits here = bits_and(active, sve_active(machine, sve_p(op, 16), 1, i));
		struct exec_bits next = bits_and(goes_on, bits_xor(here, one));
		sve_set_active(&made, 1, i, bits_and(active, without ? next : goes_on));
		goes_on = next;
	}
	if (sets_flags(op))
		sve_test(machine, governing.word, &made, 1);
	sve_put_predicate(machine, sve_p(op, 0), &made);
}

/* brkn: pdm, unless the break of pn was reached. */
static void run_break_next(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits goes_on = last_active(machine, sve_p(op, 10), sve_p(op, 5));
	struct sve_predicate made = sve_none();
	for (unsigned i = 0; i < sve_elements(machine, 1); i++)
		sve_set_active(&made, 1, i, bits_and(goes_on, sve_active(machine, sve_p(op, 0), 1, i)));
	if (sets_flags(op))
		sve_test(machine, NULL, &made, 1);
	sve_put_predicate(machine, sve_p(op, 0), &made);
}

/* ---- the first-fault register ---- */

static void run_read_faults(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_predicate made = predicate_at(machine, SVE_FFR);
	if (arm64_field(op, 16, 16)) { /* without a predicate */
		sve_put_predicate(machine, sve_p(op, 0), &made);
		return;
	}
	struct sve_predicate governing = predicate_at(machine, sve_p(op, 5));
	for (unsigned i = 0; i < ARM64_PREDICATE; i++)
		made.word[i] = bits_and(made.word[i], governing.word[i]);
	if (sets_flags(op))
		sve_test(machine, governing.word, &made, 1);
	sve_put_predicate(machine, sve_p(op, 0), &made);
}

static void run_write_faults(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_predicate made = predicate_at(machine, sve_p(op, 5));
	sve_put_predicate(machine, SVE_FFR, &made);
}

static void run_set_faults(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_predicate made = sve_none();
	(void)op;
	for (unsigned i = 0; i < ARM64_PREDICATE; i++)
		made.word[i] = existing(machine, i);
	sve_put_predicate(machine, SVE_FFR, &made);
}

/* ---- counts ---- */

/* How many elements of the predicate at `word` are active, and at `governing` if it is not 0. */
static struct exec_bits active_elements(const struct cairn_machine *machine, unsigned size,
                                        unsigned word, unsigned governing)
{
	struct exec_bits count = bits_known(0);
	for (unsigned i = 0; i < sve_elements(machine, size); i++) {
		struct exec_bits one = sve_active(machine, word, size, i);
		if (governing)
			one = bits_and(one, sve_active(machine, governing, size, i));
		count = bits_all(one) ? bits_add(count, one) : bits_unknown();
		if (!bits_all(count))
			break;
	}
	return count;
}

static void run_count(struct cairn_machine *machine, const struct exec_op *op)
{
	arm64_put(machine, arm64_target(arm64_field(op, 4, 0)),
	          active_elements(machine, op->width, sve_p(op, 5), sve_p(op, 10)));
}

/* incp, decp and their saturating forms, of a general register. Bits 18 to 16 and 10: what. */
static void run_increment(struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned number = arm64_field(op, 4, 0);
	struct exec_bits count = active_elements(machine, op->width, sve_p(op, 5), 0);
	struct exec_bits from = machine->word[arm64_source(number)], made = bits_unknown();
	bool down = arm64_field(op, 18, 18) ? arm64_field(op, 16, 16) : arm64_field(op, 17, 17);
	if (arm64_field(op, 18, 18)) {
		made = down ? bits_sub(from, count) : bits_add(from, count);
	} else {
		unsigned width = arm64_field(op, 10, 10) ? 64 : 32;
		from = bits_zero_extend(from, width);
		if (bits_both(from, count))
			made = bits_known(
				arm64_sve_saturated(from.value, count.value, width, down, arm64_field(op, 16, 16)));
	}
	arm64_put(machine, arm64_target(number), made);
}

/* The same for each element of a vector. */
static void run_increment_vector(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits count = active_elements(machine, op->width, sve_p(op, 5), 0);
	bool saturates = !arm64_field(op, 18, 18);
	bool down = saturates ? arm64_field(op, 17, 17) : arm64_field(op, 16, 16);
	arm64_sve_count_each(machine, op, count, saturates, down, arm64_field(op, 16, 16));
}

/* ---- while ---- */

/* Elements are active as long as a counter that goes up is below the limit, or, from the last element
 * on, one that goes down is above it. Bit 10: up; 11: unsigned; 4: or equal of what goes up, and not
 * equal of what goes down. */
static void run_while(struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned width = arm64_field(op, 12, 12) ? 64 : 32, n = sve_elements(machine, op->width);
	bool is_unsigned = arm64_field(op, 11, 11), up = arm64_field(op, 10, 10);
	bool or_equal = arm64_field(op, 4, 4) == up;
	struct exec_bits from = machine->word[arm64_source(arm64_field(op, 9, 5))];
	struct exec_bits limit = machine->word[arm64_source(arm64_field(op, 20, 16))];
	struct exec_bits goes_on = bits_known(1), one = bits_known(1);
	struct sve_predicate made = sve_none();
	from = is_unsigned ? bits_zero_extend(from, width) : bits_sign_extend(from, width);
	limit = is_unsigned ? bits_zero_extend(limit, width) : bits_sign_extend(limit, width);
	for (unsigned i = 0; i < n; i++) {
		struct exec_bits less = up ? from : limit, more = up ? limit : from;
		struct exec_bits within =
			is_unsigned ? bits_less(less, more) : bits_less_signed(less, more);
		struct exec_bits beyond =
			is_unsigned ? bits_less(more, less) : bits_less_signed(more, less);
		goes_on = bits_and(goes_on, or_equal ? bits_xor(beyond, one) : within);
		sve_set_active(&made, op->width, up ? i : n - 1 - i, goes_on);
		from = up ? bits_add(from, one) : bits_sub(from, one);
		from = is_unsigned ? bits_zero_extend(from, width) : bits_sign_extend(from, width);
	}
	sve_test(machine, NULL, &made, op->width);
	sve_put_predicate(machine, sve_p(op, 0), &made);
}

/* whilewr, and with bit 4 whilerw: elements that may be written before what lies at the other address
 * is read, or read before it is written. An address that does not conflict leaves all active. */
static void run_while_apart(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits first = machine->word[arm64_source(arm64_field(op, 9, 5))];
	struct exec_bits second = machine->word[arm64_source(arm64_field(op, 20, 16))];
	bool known = bits_both(first, second), either_way = arm64_field(op, 4, 4);
	bool behind = second.value > first.value;
	uint64_t apart = behind ? second.value - first.value : first.value - second.value;
	struct sve_predicate made = sve_none();
	apart = behind || either_way ? apart / op->width : 0;
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++)
		sve_set_active(&made, op->width, i, bits_truth(!apart || i < apart, known));
	sve_test(machine, NULL, &made, op->width);
	sve_put_predicate(machine, sve_p(op, 0), &made);
}

#define ROW(mask, match, run) \
	{ \
		mask, match, run, NULL, 0 \
	}

const struct sve_row arm64_sve_predicate_rows[] = {
	ROW(0xff30c000, 0x25004000, run_logic),
	ROW(0xffb0c200, 0x2500c000, run_break_pair),
	ROW(0xffbfc210, 0x25184000, run_break_next),
	ROW(0xff3fc200, 0x25104000, run_break),
	ROW(0xffffc21f, 0x2550c000, run_test),
	ROW(0xfffffe10, 0x2558c000, run_first),
	ROW(0xff3efc10, 0x2518e000, run_true),
	ROW(0xfffffff0, 0x2518e400, run_false),
	ROW(0xff3ffe10, 0x2519c400, run_next),
	ROW(0xfffffff0, 0x2519f000, run_read_faults),
	ROW(0xffbffe10, 0x2518f000, run_read_faults),
	ROW(0xfffffe1f, 0x25289000, run_write_faults),
	ROW(0xffffffff, 0x252c9000, run_set_faults),
	ROW(0xff3fc200, 0x25208000, run_count),
	ROW(0xff3efe00, 0x252c8800, run_increment),
	ROW(0xff3cfa00, 0x25288800, run_increment),
	ROW(0xff3efe00, 0x252c8000, run_increment_vector),
	ROW(0xff3cfe00, 0x25288000, run_increment_vector),
	ROW(0xff20e000, 0x25200000, run_while),
	ROW(0xff20fc00, 0x25203000, run_while_apart),
	{0}};
