/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SVE: what moves elements about, and fills vectors with constants.
 */
#include "exec/arm64_sve.h"

/* ---- elements of up to 16 bytes ---- */

static void copy_element(struct cairn_machine *machine, struct sve_vector *to, unsigned size,
                         unsigned index, unsigned word, unsigned from)
{
	if (size == 16)
		for (unsigned k = 0; k < 2; k++)
			to->word[2 * index + k] = machine->word[word + 2 * from + k];
	else
		arm64_set_lane(to->word, size, index, arm64_lane(machine, word, size, from));
}

static void fill(struct cairn_machine *machine, struct sve_vector *to, unsigned size,
                 struct exec_bits element)
{
	for (unsigned i = 0; i < sve_elements(machine, size); i++)
		arm64_set_lane(to->word, size, i, element);
}

/* ---- constants ---- */

/* An immediate of eight bits, at `low`, with a sign; the bit above it: times 256. */
static struct exec_bits shifted_immediate(const struct exec_op *op)
{
	struct exec_bits imm = bits_sign_extend(bits_known(arm64_field(op, 12, 5)), 8);
	return bits_left(imm, 8 * arm64_field(op, 13, 13));
}

static struct exec_bits float_immediate(const struct exec_op *op)
{
	return bits_known(arm64_float_constant(arm64_field(op, 12, 5), op->width));
}

static uint64_t run_of_ones(const struct exec_op *op)
{
	return arm64_run_of_ones(arm64_field(op, 17, 17), arm64_field(op, 16, 11),
	                         arm64_field(op, 10, 5));
}

/* orr, eor, and of each 64 bits; dupm, which only sets them. */
static void run_logical_immediate(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits imm = bits_known(run_of_ones(op));
	struct sve_vector to = {0};
	for (unsigned i = 0; i < machine->vector_bits / 64; i++) {
		struct exec_bits old = machine->word[sve_z(op, 0) + i];
		switch (arm64_field(op, 23, 22)) {
		case 0:
			to.word[i] = bits_or(old, imm);
			break;
		case 1:
			to.word[i] = bits_xor(old, imm);
			break;
		case 2:
			to.word[i] = bits_and(old, imm);
			break;
		default:
			to.word[i] = imm;
		}
	}
	sve_put(machine, sve_z(op, 0), &to);
}

static void run_fill(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_vector to = {0};
	fill(machine, &to, op->width,
	     arm64_field(op, 16, 16) ? float_immediate(op) : shifted_immediate(op));
	sve_put(machine, sve_z(op, 0), &to);
}

/* cpy, fcpy of an immediate: the predicate is one of 16. */
static void run_copy_immediate(struct cairn_machine *machine, const struct exec_op *op)
{
	bool is_float = arm64_field(op, 15, 15), merges = arm64_field(op, 14, 14);
	struct exec_bits imm = is_float ? float_immediate(op) : shifted_immediate(op);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		struct exec_bits old =
			merges ? arm64_lane(machine, sve_z(op, 0), op->width, i) : bits_known(0);
		struct exec_bits active = sve_active(machine, sve_p(op, 16), op->width, i);
		arm64_set_lane(to.word, op->width, i, bits_choose(active, imm, old));
	}
	sve_put(machine, sve_z(op, 0), &to);
}

/* ---- scalars ---- */

static struct exec_bits general(const struct cairn_machine *machine, unsigned number, bool sp)
{
	return machine->word[sp ? arm64_or_sp(number) : arm64_source(number)];
}

static void run_fill_general(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_vector to = {0};
	fill(machine, &to, op->width, general(machine, arm64_field(op, 9, 5), true));
	sve_put(machine, sve_z(op, 0), &to);
}

/* dup of an element: the lowest one of seven bits says how wide it is, what is above which. */
static void run_fill_element(struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned imm = arm64_field(op, 23, 22) << 5 | arm64_field(op, 20, 16);
	unsigned log = (unsigned)__builtin_ctz(imm), size = 1u << log, index = imm >> (log + 1);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, size); i++) {
		if (index < sve_elements(machine, size))
			copy_element(machine, &to, size, i, sve_z(op, 5), index);
		else if (size == 16)
			to.word[2 * i] = to.word[2 * i + 1] = bits_known(0);
		else
			arm64_set_lane(to.word, size, i, bits_known(0));
	}
	sve_put(machine, sve_z(op, 0), &to);
}

/* cpy of a scalar, where pg is active. */
static void run_copy_scalar(struct cairn_machine *machine, const struct exec_op *op)
{
	bool is_general = arm64_field(op, 13, 13);
	struct exec_bits scalar = is_general ? general(machine, arm64_field(op, 9, 5), true)
	                                     : arm64_lane(machine, sve_z(op, 5), op->width, 0);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		struct exec_bits active = sve_active(machine, sve_governing(op), op->width, i);
		struct exec_bits old = arm64_lane(machine, sve_z(op, 0), op->width, i);
		arm64_set_lane(to.word, op->width, i, bits_choose(active, scalar, old));
	}
	sve_put(machine, sve_z(op, 0), &to);
}

/* insr: all elements move up by one, and the scalar becomes the lowest. */
static void run_insert(struct cairn_machine *machine, const struct exec_op *op)
{
	bool is_vector = arm64_field(op, 20, 20);
	struct sve_vector to = {0};
	for (unsigned i = 1; i < sve_elements(machine, op->width); i++)
		copy_element(machine, &to, op->width, i, sve_z(op, 0), i - 1);
	arm64_set_lane(to.word, op->width, 0,
	               is_vector ? arm64_lane(machine, sve_z(op, 5), op->width, 0)
	                         : general(machine, arm64_field(op, 9, 5), false));
	sve_put(machine, sve_z(op, 0), &to);
}

/* Which element is the last active one, or the one behind it; `none`: there is no active one. False:
 * the predicate is not known. */
static bool last_element(const struct cairn_machine *machine, const struct exec_op *op,
                         unsigned *which, bool *none)
{
	unsigned n = sve_elements(machine, op->width), last = n;
	bool known = true;
	for (unsigned i = 0; i < n; i++) {
		struct exec_bits active = sve_active(machine, sve_governing(op), op->width, i);
		known &= bits_all(active);
		last = active.value ? i : last;
	}
	*none = last == n;
	if (arm64_field(op, 16, 16)) /* lastb */
		*which = *none ? n - 1 : last;
	else
		*which = *none || last + 1 == n ? 0 : last + 1;
	return known;
}

/* lasta, lastb, and clasta, clastb, which leave the old value where no element is active. */
static void run_last(struct cairn_machine *machine, const struct exec_op *op)
{
	bool is_general = arm64_field(op, 13, 13), none;
	bool conditional = is_general ? arm64_field(op, 20, 20) : arm64_field(op, 19, 19);
	unsigned which, number = arm64_field(op, 4, 0);
	struct exec_bits made = bits_unknown();
	if (last_element(machine, op, &which, &none)) {
		if (!none || !conditional)
			made = arm64_lane(machine, sve_z(op, 5), op->width, which);
		else if (is_general)
			made = general(machine, number, false);
		else
			made = arm64_lane(machine, sve_z(op, 0), op->width, 0);
	}
	made = bits_zero_extend(made, 8u * op->width);
	if (is_general)
		arm64_put(machine, arm64_target(number), made);
	else
		sve_put_scalar(machine, sve_z(op, 0), op->width, made);
}

/* clasta, clastb of a vector: all elements become that one. */
static void run_last_each(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_vector to = {0};
	unsigned which;
	bool none, known = last_element(machine, op, &which, &none);
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		if (!known)
			arm64_set_lane(to.word, op->width, i, bits_unknown());
		else
			copy_element(machine, &to, op->width, i, none ? sve_z(op, 0) : sve_z(op, 5),
			             none ? i : which);
	}
	sve_put(machine, sve_z(op, 0), &to);
}

/* ---- by predicates ---- */

static void run_select(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++)
		arm64_set_lane(to.word, op->width, i,
		               bits_choose(sve_active(machine, sve_p(op, 10), op->width, i),
		                           arm64_lane(machine, sve_z(op, 5), op->width, i),
		                           arm64_lane(machine, sve_z(op, 16), op->width, i)));
	sve_put(machine, sve_z(op, 0), &to);
}

static bool predicate_is_known(const struct cairn_machine *machine, const struct exec_op *op)
{
	bool known = true;
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++)
		known &= bits_all(sve_active(machine, sve_governing(op), op->width, i));
	return known;
}

/* Elements from `at` on, of the vector that begins at `word`. */
static void append(struct cairn_machine *machine, const struct exec_op *op, struct sve_vector *to,
                   unsigned at, unsigned word)
{
	for (unsigned i = 0; at < sve_elements(machine, op->width); i++, at++)
		if (word != EXEC_ZERO)
			copy_element(machine, to, op->width, at, word, i);
		else
			arm64_set_lane(to->word, op->width, at, bits_known(0));
}

/* compact: the active elements, and zeros. */
static void run_compact(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_vector to = {0};
	unsigned at = 0;
	if (predicate_is_known(machine, op)) {
		for (unsigned i = 0; i < sve_elements(machine, op->width); i++)
			if (sve_active(machine, sve_governing(op), op->width, i).value)
				copy_element(machine, &to, op->width, at++, sve_z(op, 5), i);
		append(machine, op, &to, at, EXEC_ZERO);
	}
	sve_put(machine, sve_z(op, 0), &to);
}

/* The two vectors of what puts one behind the other: zdn and zm or, with the bit, zn and the next. */
static void both_vectors(const struct exec_op *op, bool of_pair, unsigned *first, unsigned *second)
{
	*first = sve_z(op, of_pair ? 5 : 0);
	*second = of_pair ? sve_register((arm64_field(op, 9, 5) + 1) & 31) : sve_z(op, 5);
}

/* splice: from the first active element to the last, and then the other vector. */
static void run_splice(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_vector to = {0};
	unsigned at = 0, n = sve_elements(machine, op->width), first = n, last = 0, word, other;
	both_vectors(op, arm64_field(op, 16, 16), &word, &other);
	if (predicate_is_known(machine, op)) {
		for (unsigned i = 0; i < n; i++)
			if (sve_active(machine, sve_governing(op), op->width, i).value) {
				first = first < n ? first : i;
				last = i;
			}
		for (unsigned i = first; i <= last && i < n; i++)
			copy_element(machine, &to, op->width, at++, word, i);
		append(machine, op, &to, at, other);
	}
	sve_put(machine, sve_z(op, 0), &to);
}

/* revb, revh, revw, rbit within elements. */
static void run_turn(struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned how = arm64_field(op, 17, 16), bits = 8u * op->width;
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		struct exec_bits made = arm64_lane(machine, sve_z(op, 5), op->width, i);
		struct exec_bits active = sve_active(machine, sve_governing(op), op->width, i);
		if (how == 3)
			made = bits_reverse_in_bytes(made);
		made = bits_right(bits_reverse_bytes(made), 64 - bits);
		if (how == 1 || how == 2) { /* the bytes of a part are in their order again */
			struct exec_bits mask = bits_known(how == 1 ? 0x00ff00ff00ff00ff : 0x0000ffff0000ffff);
			made = bits_or(bits_left(bits_and(made, mask), 8 * how),
			               bits_and(bits_right(made, 8 * how), mask));
			if (how == 2) {
				mask = bits_known(0x00ff00ff00ff00ff);
				made = bits_or(bits_left(bits_and(made, mask), 8),
				               bits_and(bits_right(made, 8), mask));
			}
		}
		struct exec_bits old = arm64_lane(machine, sve_z(op, 0), op->width, i);
		arm64_set_lane(to.word, op->width, i, bits_choose(active, made, old));
	}
	sve_put(machine, sve_z(op, 0), &to);
}

/* ---- in another order ---- */

static void run_reverse(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_vector to = {0};
	unsigned n = sve_elements(machine, op->width);
	for (unsigned i = 0; i < n; i++)
		copy_element(machine, &to, op->width, i, sve_z(op, 5), n - 1 - i);
	sve_put(machine, sve_z(op, 0), &to);
}

/* sunpklo …: elements of half the size from the lower or the upper half. */
static void run_unpack(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_vector to = {0};
	unsigned n = sve_elements(machine, op->width), half = op->width / 2u;
	for (unsigned i = 0; i < n; i++) {
		struct exec_bits made =
			arm64_lane(machine, sve_z(op, 5), half, arm64_field(op, 16, 16) ? n + i : i);
		if (!arm64_field(op, 17, 17))
			made = bits_sign_extend(made, 8 * half);
		arm64_set_lane(to.word, op->width, i, made);
	}
	sve_put(machine, sve_z(op, 0), &to);
}

static void run_table(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_vector to = {0};
	unsigned n = sve_elements(machine, op->width);
	for (unsigned i = 0; i < n; i++) {
		struct exec_bits index = arm64_lane(machine, sve_z(op, 16), op->width, i);
		struct exec_bits made = bits_unknown();
		if (bits_least(index) >= n)
			made = bits_known(0);
		else if (bits_all(index))
			made = arm64_lane(machine, sve_z(op, 5), op->width, (unsigned)index.value);
		arm64_set_lane(to.word, op->width, i, made);
	}
	sve_put(machine, sve_z(op, 0), &to);
}

/* ext: the bytes of both vectors from a position on. */
static void run_extract(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_vector to = {0};
	unsigned n = sve_elements(machine, 1);
	unsigned from = arm64_field(op, 20, 16) << 3 | arm64_field(op, 12, 10), first, second;
	both_vectors(op, arm64_field(op, 22, 22), &first, &second);
	from = from < n ? from : 0;
	for (unsigned i = 0; i < n; i++, from++)
		copy_element(machine, &to, 1, i, from < n ? first : second, from % n);
	sve_put(machine, sve_z(op, 0), &to);
}

enum { ZIP, UZP, TRN };

/* Where element `i` of `n` of zip, uzp or trn comes from: an element of the first operand, or, from n
 * on, of the second. `part`: the second form. */
static unsigned source_of(unsigned what, bool part, unsigned i, unsigned n)
{
	switch (what) {
	case ZIP:
		return i / 2 + (part ? n / 2 : 0) + (i % 2 ? n : 0);
	case UZP:
		return 2 * i + part;
	default:
		return i / 2 * 2 + part + (i % 2 ? n : 0);
	}
}

static void run_interleave(struct cairn_machine *machine, const struct exec_op *op)
{
	bool quad = !arm64_field(op, 13, 13); /* of 128 bits; trn has other bits there */
	unsigned size = quad ? 16 : op->width, n = sve_elements(machine, size) & ~1u;
	unsigned what = quad && arm64_field(op, 12, 11) == 3 ? (unsigned)TRN : arm64_field(op, 12, 11);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < n; i++) {
		unsigned from = source_of(what, arm64_field(op, 10, 10), i, n);
		copy_element(machine, &to, size, i, from < n ? sve_z(op, 5) : sve_z(op, 16), from % n);
	}
	for (unsigned i = n * size / 8; i < ARM64_VECTOR; i++)
		to.word[i] = bits_known(0); /* half a pair of 128 bits */
	sve_put(machine, sve_z(op, 0), &to);
}

/* All bits of an element of a predicate. */
static void copy_bits(struct cairn_machine *machine, struct sve_predicate *to, unsigned size,
                      unsigned index, unsigned word, unsigned from)
{
	for (unsigned k = 0; k < size; k++)
		sve_set_active(to, 1, size * index + k, sve_active(machine, word, 1, size * from + k));
}

static void run_interleave_predicate(struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned n = sve_elements(machine, op->width);
	struct sve_predicate to = sve_none();
	for (unsigned i = 0; i < n; i++) {
		unsigned from = source_of(arm64_field(op, 12, 11), arm64_field(op, 10, 10), i, n);
		copy_bits(machine, &to, op->width, i, from < n ? sve_p(op, 5) : sve_p(op, 16), from % n);
	}
	sve_put_predicate(machine, sve_p(op, 0), &to);
}

static void run_reverse_predicate(struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned n = sve_elements(machine, op->width);
	struct sve_predicate to = sve_none();
	for (unsigned i = 0; i < n; i++)
		copy_bits(machine, &to, op->width, i, sve_p(op, 5), n - 1 - i);
	sve_put_predicate(machine, sve_p(op, 0), &to);
}

/* punpklo, punpkhi: each bit of a half for two bytes. */
static void run_unpack_predicate(struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned n = sve_elements(machine, 2);
	struct sve_predicate to = sve_none();
	for (unsigned i = 0; i < n; i++)
		sve_set_active(&to, 2, i,
		               sve_active(machine, sve_p(op, 5), 1, arm64_field(op, 16, 16) ? n + i : i));
	sve_put_predicate(machine, sve_p(op, 0), &to);
}

#define ROW(mask, match, run) \
	{ \
		mask, match, run, NULL, 0 \
	}

const struct sve_row arm64_sve_permute_rows[] = {
	ROW(0xff3c0000, 0x05000000, run_logical_immediate),
	ROW(0xff3ec000, 0x2538c000, run_fill),
	ROW(0xff308000, 0x05100000, run_copy_immediate),
	ROW(0xff30e000, 0x0510c000, run_copy_immediate),
	ROW(0xff3ffc00, 0x05203800, run_fill_general),
	ROW(0xff20fc00, 0x05202000, run_fill_element),
	ROW(0xff3fe000, 0x05208000, run_copy_scalar),
	ROW(0xff3fe000, 0x0528a000, run_copy_scalar),
	ROW(0xff3ffc00, 0x05243800, run_insert),
	ROW(0xff3ffc00, 0x05343800, run_insert),
	ROW(0xff3ee000, 0x05228000, run_last),
	ROW(0xff3ee000, 0x052a8000, run_last),
	ROW(0xff3ee000, 0x0520a000, run_last),
	ROW(0xff3ee000, 0x0530a000, run_last),
	ROW(0xff3ee000, 0x05288000, run_last_each),
	ROW(0xff20c000, 0x0520c000, run_select),
	ROW(0xff3fe000, 0x05218000, run_compact),
	ROW(0xff3ee000, 0x052c8000, run_splice),
	ROW(0xff3ce000, 0x05248000, run_turn),
	ROW(0xff3ffc00, 0x05383800, run_reverse),
	ROW(0xff3cfc00, 0x05303800, run_unpack),
	ROW(0xff20fc00, 0x05203000, run_table),
	ROW(0xffa0e000, 0x05200000, run_extract),
	ROW(0xff20f000, 0x05206000, run_interleave),
	ROW(0xff20f800, 0x05207000, run_interleave),
	ROW(0xffe0f000, 0x05a00000, run_interleave),
	ROW(0xffe0f800, 0x05a01800, run_interleave),
	ROW(0xff30f210, 0x05204000, run_interleave_predicate),
	ROW(0xff30fa10, 0x05205000, run_interleave_predicate),
	ROW(0xff3ffe10, 0x05344000, run_reverse_predicate),
	ROW(0xfffefe10, 0x05304000, run_unpack_predicate),
	{0}};
