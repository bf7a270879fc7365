/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SPARC V9: numbers of 128 bits. Most processors leave them to the system, which computes the same in
 * the trap's handler; a trace then tells of the trap, and what follows here is not used.
 *
 * What is not known is as in sparc_float.c. A register whose number is no multiple of 4 is
 * a trap (V9, 5.1.4.1).
 */
#include "exec/float_quad.h"
#include "exec/sparc_float.h"

/* ---- registers ---- */

/* The number of a quad register: bit 0 of the field is its bit 5. */
static unsigned number_of(unsigned field)
{
	return (field & 1) << 5 | (field & 0x1c);
}

/* Its words, the lower one first. */
static unsigned words_of(unsigned field)
{
	return SPARC_D + 30 - number_of(field) / 2;
}

static bool has_quad(struct cairn_machine *machine, unsigned field)
{
	if (field & 2)
		exec_stop(machine, CAIRN_STEP_TRAP, "a quad register begins with another number");
	return !(field & 2);
}

static void put_quad(struct cairn_machine *machine, unsigned field, const struct exec_bits *bits)
{
	unsigned number = number_of(field);
	exec_put_words(machine, words_of(field), CAIRN_REG_FP, 64 + number, bits, 2);
	sparc_mark_dirty(machine, number >= 32 ? SPARC_DIRTY_UPPER : SPARC_DIRTY_LOWER);
}

/* A number of any kind in two words. */
static void read_number(const struct cairn_machine *machine, unsigned kind, unsigned field,
                        struct exec_bits *bits)
{
	bool quad = kind == SPARC_QUAD;
	bits[0] = quad ? machine->word[words_of(field)] : sparc_read_kind(machine, kind, field);
	bits[1] = quad ? machine->word[words_of(field) + 1] : bits_known(0);
}

static void put_number(struct cairn_machine *machine, unsigned kind, unsigned field,
                       const struct exec_bits *bits)
{
	if (kind == SPARC_QUAD)
		put_quad(machine, field, bits);
	else
		sparc_put_kind(machine, kind, field, bits[0]);
}

/* ---- loads and stores ---- */

/* In little-endian spaces all 16 bytes are in that order. */
static void turn(struct exec_bits *bits)
{
	struct exec_bits first = bits[0];
	bits[0] = bits_reverse_bytes(bits[1]);
	bits[1] = bits_reverse_bytes(first);
}

/* An address of a word is enough; a processor may ask for more, and trap (V9, A.25). */
static bool quad_address(struct cairn_machine *machine, const struct exec_op *op,
                         struct exec_bits *address)
{
	return sparc_has_float(machine) && has_quad(machine, isa_sparc_rd(op->enc)) &&
	       sparc_address_of(machine, op, address);
}

static void run_load(struct cairn_machine *machine, const struct exec_op *op)
{
	enum sparc_space space = sparc_space(machine, op);
	struct exec_bits address, bits[2] = {{0, 0}, {0, 0}}; /* as in memory */
	if (!quad_address(machine, op, &address))
		return;
	if (space == SPARC_SPACE_OTHER)
		exec_undetermined(machine, "what this address space holds is not determined");
	else
		exec_load_16(machine, address, bits);
	if (space == SPARC_SPACE_LITTLE)
		turn(bits);
	const struct exec_bits words[2] = {bits[1], bits[0]};
	put_quad(machine, isa_sparc_rd(op->enc), words);
}

static void run_store(struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned from = words_of(isa_sparc_rd(op->enc));
	enum sparc_space space = sparc_space(machine, op);
	struct exec_bits address, bits[2] = {machine->word[from + 1], machine->word[from]};
	if (!quad_address(machine, op, &address))
		return;
	if (space == SPARC_SPACE_OTHER) {
		exec_undetermined(machine, "what a store to this address space changes is not determined");
		cairn_machine_forget_memory(machine);
		return;
	}
	if (space == SPARC_SPACE_LITTLE)
		turn(bits);
	exec_store_16(machine, address, bits);
}

/* ---- arithmetic ---- */

typedef struct wide compute_function(struct float_env *env, const struct exec_op *op,
                                     const struct wide *number);

/* What an operation makes: as struct sparc_outcome, of two words. */
struct outcome {
	struct exec_bits word[2];
	unsigned sure, maybe;
};

static void outcome_add(struct outcome *outcome, struct wide made, unsigned flags)
{
	const struct exec_bits words[2] = {bits_known(made.low), bits_known(made.high)};
	bool first = outcome->sure == UINT32_MAX;
	for (unsigned i = 0; i < 2; i++)
		outcome->word[i] =
			first ? words[i] : bits_choose(bits_unknown(), outcome->word[i], words[i]);
	outcome->sure &= flags;
	outcome->maybe |= flags;
}

static bool is_subnormal(unsigned kind, struct wide number)
{
	return kind == SPARC_QUAD ? quad_classify(number) == FLOAT_SUBNORMAL
	                          : sparc_is_subnormal(kind, number.low);
}

/* The outcome in all modes that may be in force, with tiny numbers detected before and after
 * rounding. */
static struct outcome outcome_of(const struct cairn_machine *machine, const struct exec_op *op,
                                 const struct wide *number, unsigned n, compute_function *compute)
{
	struct outcome outcome = {.sure = UINT32_MAX};
	unsigned modes = sparc_rounding_modes(machine);
	bool subnormal = false;
	for (unsigned i = 0; i < n; i++)
		subnormal |= is_subnormal(op->width, number[i]);
	for (unsigned mode = 0; mode < 4; mode++) {
		struct float_env env = sparc_environment(mode), other = env;
		if (!(modes >> mode & 1))
			continue;
		struct wide made = compute(&env, op, number);
		outcome_add(&outcome, made, env.flags);
		subnormal |= env.flags & FLOAT_UNDERFLOW || is_subnormal(op->extra, made);
		other.tiny_before = false;
		if (env.flags & FLOAT_UNDERFLOW) {
			made = compute(&other, op, number);
			outcome_add(&outcome, made, other.flags);
		}
	}
	if (subnormal && !sparc_keeps_subnormals(machine))
		outcome = (struct outcome){{{0, 0}, {0, 0}}, 0, 0x1f};
	return outcome;
}

/* Is every quad register of the encoding one? */
static bool has_quads(struct cairn_machine *machine, const struct exec_op *op, unsigned n)
{
	return (op->width != SPARC_QUAD || (has_quad(machine, op->enc & 31) &&
	                                    (n == 1 || has_quad(machine, op->enc >> 14 & 31)))) &&
	       (op->extra != SPARC_QUAD || has_quad(machine, isa_sparc_rd(op->enc)));
}

static void put_outcome(struct cairn_machine *machine, const struct exec_op *op,
                        const struct outcome *outcome)
{
	const struct exec_bits *words = outcome->word;
	const struct wide made = {words[1].value, words[0].value};
	bool tiny = bits_both(words[0], words[1]) && is_subnormal(op->extra, made);
	if (tiny && sparc_traps_when_tiny(machine))
		exec_stop(machine, CAIRN_STEP_TRAP, "a floating-point exception");
	else if (sparc_raise_flags(machine, outcome->sure, outcome->maybe))
		put_number(machine, op->extra, isa_sparc_rd(op->enc), words);
}

static void operate(struct cairn_machine *machine, const struct exec_op *op, unsigned n,
                    compute_function *compute)
{
	const unsigned fields[2] = {n == 2 ? op->enc >> 14 & 31 : op->enc & 31, op->enc & 31};
	struct outcome outcome = {{{0, 0}, {0, 0}}, 0, 0x1f};
	struct wide number[2];
	bool known = true;
	if (!sparc_has_float(machine) || !has_quads(machine, op, n))
		return;
	for (unsigned i = 0; i < n; i++) {
		struct exec_bits bits[2];
		read_number(machine, op->width, fields[i], bits);
		number[i] = (struct wide){bits[1].value, bits[0].value};
		known &= bits_both(bits[0], bits[1]);
	}
	if (known)
		outcome = outcome_of(machine, op, number, n, compute);
	put_outcome(machine, op, &outcome);
}

#define OPERATION(name, n, expression) \
	static struct wide compute_##name(struct float_env *env, const struct exec_op *op, \
	                                  const struct wide *number) \
	{ \
		(void)op; \
		return expression; \
	} \
	static void run_##name(struct cairn_machine *machine, const struct exec_op *op) \
	{ \
		operate(machine, op, n, compute_##name); \
	}
OPERATION(add, 2, quad_add(env, number[0], number[1]))
OPERATION(subtract, 2, quad_subtract(env, number[0], number[1]))
OPERATION(multiply, 2, quad_multiply(env, number[0], number[1]))
OPERATION(divide, 2, quad_divide(env, number[0], number[1]))
OPERATION(square_root, 1, quad_square_root(env, number[0]))
OPERATION(widen, 1, quad_from_narrow(env, sparc_format_of(op->width), number[0].low))

static struct wide narrowed(uint64_t number)
{
	return (struct wide){0, number};
}

OPERATION(narrow, 1, narrowed(quad_to_narrow(env, sparc_format_of(op->extra), number[0])))
OPERATION(from_integer, 1,
          quad_from_integer(env, op->width == SPARC_LONG ? (int64_t)number[0].low
                                                         : (int32_t)number[0].low))

/* What has no room, and a NaN, becomes the greatest or the least number by its sign (V9, B.5). */
static struct wide to_integer(struct float_env *env, const struct exec_op *op, struct wide number)
{
	unsigned bits = op->extra == SPARC_LONG ? 64 : 32;
	uint64_t most = UINT64_MAX >> (65 - bits);
	env->rounding = FLOAT_TO_ZERO;
	return narrowed(quad_to_integer(env, number, bits, number.high >> 63 ? most + 1 : most));
}

OPERATION(to_integer, 1, to_integer(env, op, number[0]))

/* A product of doubles as a quad is exact. */
static struct wide quad_product(struct float_env *env, uint64_t a, uint64_t b)
{
	const uint64_t numbers[2] = {a, b};
	if (float_is_nan(&float_double, a) || float_is_nan(&float_double, b))
		return quad_from_narrow(env, &float_double, float_nan_of(env, &float_double, numbers, 2));
	return quad_multiply(env, quad_from_narrow(env, &float_double, a),
	                     quad_from_narrow(env, &float_double, b));
}

OPERATION(exact_product, 2, quad_product(env, number[0].low, number[1].low))

/* As of fsmuld: which of two NaNs comes out is not said where the second one is quiet, and the first
 * is not. */
static void run_fdmulq(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits a = sparc_double(machine, op->enc >> 14 & 31);
	struct exec_bits b = sparc_double(machine, op->enc & 31);
	const struct outcome open = {{{0, 0}, {0, 0}}, FLOAT_INVALID, FLOAT_INVALID};
	bool is_open = bits_both(a, b) &&
	               float_classify(&float_double, a.value) == FLOAT_SIGNALLING_NAN &&
	               float_classify(&float_double, b.value) == FLOAT_QUIET_NAN;
	if (!is_open)
		run_exact_product(machine, op);
	else if (sparc_has_float(machine) && has_quads(machine, op, 2))
		put_outcome(machine, op, &open);
}

/* ---- comparisons and moves ---- */

/* `extra`: quiet NaNs are invalid, too. */
static void run_compare(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits a[2], b[2], codes = {0, 0};
	struct float_env env = {0};
	if (!sparc_has_float(machine) || !has_quads(machine, op, 2))
		return;
	read_number(machine, SPARC_QUAD, op->enc >> 14 & 31, a);
	read_number(machine, SPARC_QUAD, op->enc & 31, b);
	bool known = bits_both(a[0], a[1]) && bits_both(b[0], b[1]);
	if (known) {
		const struct wide x = {a[1].value, a[0].value}, y = {b[1].value, b[0].value};
		codes = sparc_codes_of(quad_compare(&env, x, y, op->extra));
	}
	if (sparc_raise_flags(machine, env.flags, known ? env.flags : FLOAT_INVALID))
		sparc_put_codes(machine, isa_sparc_rd(op->enc) & 3, codes);
}

/* Both registers of a move are quads. */
static bool can_move(struct cairn_machine *machine, const struct exec_op *op)
{
	return sparc_has_float(machine) && has_quad(machine, op->enc & 31) &&
	       has_quad(machine, isa_sparc_rd(op->enc)) && sparc_raise_flags(machine, 0, 0);
}

static void run_move(struct cairn_machine *machine, const struct exec_op *op)
{
	const struct exec_bits sign = bits_known(UINT64_C(1) << 63);
	struct exec_bits bits[2];
	if (!can_move(machine, op))
		return;
	read_number(machine, SPARC_QUAD, op->enc & 31, bits);
	if (op->extra == SPARC_SIGN_INVERTED)
		bits[1] = bits_xor(bits[1], sign);
	if (op->extra == SPARC_SIGN_CLEARED)
		bits[1] = bits_and(bits[1], bits_not(sign));
	put_quad(machine, isa_sparc_rd(op->enc), bits);
}

/* The processor decides whether the register counts as written when nothing is moved. */
static void move_if(struct cairn_machine *machine, const struct exec_op *op, struct exec_bits truth)
{
	struct exec_bits bits[2], before[2], fprs = machine->word[SPARC_FPRS];
	if (!can_move(machine, op))
		return;
	read_number(machine, SPARC_QUAD, op->enc & 31, bits);
	read_number(machine, SPARC_QUAD, isa_sparc_rd(op->enc), before);
	for (unsigned i = 0; i < 2; i++)
		bits[i] = bits_choose(truth, bits[i], before[i]);
	put_quad(machine, isa_sparc_rd(op->enc), bits);
	if (truth.value & 1)
		return;
	machine->word[SPARC_FPRS] = fprs;
	sparc_mark_dirty(machine, 0);
}

static void run_move_on_codes(struct cairn_machine *machine, const struct exec_op *op)
{
	move_if(machine, op, sparc_moves_on_codes(machine, op));
}

static void run_move_on_register(struct cairn_machine *machine, const struct exec_op *op)
{
	move_if(machine, op, sparc_moves_on_register(machine, op));
}

/* ---- the tables ---- */

static const struct sparc_row *operation_row(unsigned opf)
{
	enum { Q = SPARC_QUAD };
	static const struct {
		uint16_t opf;
		struct sparc_row row;
	} all[] = {
		{0x03, {run_move, NULL, Q, SPARC_SIGN_KEPT}},
		{0x07, {run_move, NULL, Q, SPARC_SIGN_INVERTED}},
		{0x0b, {run_move, NULL, Q, SPARC_SIGN_CLEARED}},
		{0x2b, {run_square_root, NULL, Q, Q}},
		{0x43, {run_add, NULL, Q, Q}},
		{0x47, {run_subtract, NULL, Q, Q}},
		{0x4b, {run_multiply, NULL, Q, Q}},
		{0x4f, {run_divide, NULL, Q, Q}},
		{0x6e, {run_fdmulq, NULL, SPARC_DOUBLE, Q}},
		{0x83, {run_to_integer, NULL, Q, SPARC_LONG}},
		{0xd3, {run_to_integer, NULL, Q, SPARC_INTEGER}},
		{0x8c, {run_from_integer, NULL, SPARC_LONG, Q}},
		{0xcc, {run_from_integer, NULL, SPARC_INTEGER, Q}},
		{0xc7, {run_narrow, NULL, Q, SPARC_SINGLE}},
		{0xcb, {run_narrow, NULL, Q, SPARC_DOUBLE}},
		{0xcd, {run_widen, NULL, SPARC_SINGLE, Q}},
		{0xce, {run_widen, NULL, SPARC_DOUBLE, Q}},
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].opf == opf)
			return &all[i].row;
	return NULL;
}

static const struct sparc_row *condition_row(unsigned opf)
{
	static const struct sparc_row compare = {run_compare, NULL, SPARC_QUAD, 0};
	static const struct sparc_row compare_signalling = {run_compare, NULL, SPARC_QUAD, 1};
	static const struct sparc_row on_codes = {run_move_on_codes, sparc_form_move_on_codes,
	                                          SPARC_QUAD, 0};
	static const struct sparc_row on_register = {run_move_on_register, sparc_form_move_on_register,
	                                             SPARC_QUAD, 0};
	return opf == 0x53             ? &compare
	       : opf == 0x57           ? &compare_signalling
	       : (opf & 0x3f) == 0x03  ? &on_codes
	       : (opf & 0x11f) == 0x07 ? &on_register
	                               : NULL;
}

const struct sparc_row *sparc_quad_row(uint32_t enc)
{
	enum { ALIGNED = 4 };
	static const struct sparc_row load = {run_load, NULL, ALIGNED, 0};
	static const struct sparc_row store = {run_store, NULL, ALIGNED, 0};
	static const struct sparc_row load_stated = {run_load, NULL, ALIGNED, SPARC_STATED};
	static const struct sparc_row store_stated = {run_store, NULL, ALIGNED, SPARC_STATED};
	unsigned op3 = isa_sparc_op3(enc), opf = enc >> 5 & 511;
	if (enc >> 30 == 3)
		return op3 == 0x22   ? &load
		       : op3 == 0x26 ? &store
		       : op3 == 0x32 ? &load_stated
		       : op3 == 0x36 ? &store_stated
		                     : NULL;
	if (enc >> 30 == 2 && op3 == 0x34)
		return operation_row(opf);
	return enc >> 30 == 2 && op3 == 0x35 ? condition_row(opf) : NULL;
}
