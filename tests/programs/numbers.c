/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a capture of floating point is tried with: sines, exponentials and roots of both widths, every
 * mode of rounding, conversions there and back, comparisons with NaN, and all flags, raised, read
 * and cleared. It exits with 0 if the flags were as they should be.
 *
 * Built by `make record` for each set; the programs are in the tree.
 */
typedef unsigned long u64;
typedef unsigned int u32;

volatile double results[64];
volatile float singles[64];
volatile long integers[64];
static unsigned n_results, n_integers;

#if defined __riscv
enum {
	EXIT = 93,
	MODES = 5,
	INVALID = 16,
	DIVISION = 8,
	OVERFLOWS = 4,
	UNDERFLOWS = 2,
	INEXACT = 1
};
static u64 flags(void)
{
	u64 v;
	__asm__ volatile("frflags %0" : "=r"(v));
	return v;
}
static void clear(void)
{
	__asm__ volatile("fsflags zero");
}
static void round_to(u64 mode)
{
	__asm__ volatile("fsrm %0" : : "r"(mode));
}
#elif defined __aarch64__
enum {
	EXIT = 93,
	MODES = 4,
	INVALID = 1,
	DIVISION = 2,
	OVERFLOWS = 4,
	UNDERFLOWS = 8,
	INEXACT = 16
};
static u64 flags(void)
{
	u64 v;
	__asm__ volatile("mrs %0, fpsr" : "=r"(v));
	return v & 31;
}
static void clear(void)
{
	__asm__ volatile("msr fpsr, xzr");
}
static void round_to(u64 mode)
{
	__asm__ volatile("msr fpcr, %0" : : "r"(mode << 22));
}
#else
enum {
	EXIT = 1,
	MODES = 4,
	INVALID = 16,
	DIVISION = 2,
	OVERFLOWS = 8,
	UNDERFLOWS = 4,
	INEXACT = 1
};
static u64 fsr(void)
{
	u64 v;
	__asm__ volatile("stx %%fsr, %0" : "=m"(v));
	return v;
}
static void set_fsr(u64 v)
{
	__asm__ volatile("ldx %0, %%fsr" : : "m"(v));
}
static u64 flags(void)
{
	return fsr() >> 5 & 31;
}
static void clear(void)
{
	set_fsr(fsr() & ~0x3e0ul);
}
static void round_to(u64 mode)
{
	set_fsr((fsr() & ~0xc0000000ul) | mode << 30);
}
#endif

static void keep(double value)
{
	results[n_results++ % 64] = value;
}

static void keep_integer(long value)
{
	integers[n_integers++ % 64] = value;
}

/* Series, which round often. */
static double sine(double x)
{
	double term = x, sum = x;
	for (int k = 1; k < 9; k++) {
		term *= -x * x / (2.0 * k * (2.0 * k + 1));
		sum += term;
	}
	return sum;
}

static float exponential(float x)
{
	float term = 1, sum = 1;
	for (int k = 1; k < 12; k++) {
		term = term * x / (float)k;
		sum += term;
	}
	return sum;
}

static double root(double x)
{
	double v;
#if defined __riscv
	__asm__ volatile("fsqrt.d %0, %1" : "=f"(v) : "f"(x));
#elif defined __aarch64__
	__asm__ volatile("fsqrt %d0, %d1" : "=w"(v) : "w"(x));
#else
	__asm__ volatile("fsqrtd %1, %0" : "=e"(v) : "e"(x));
#endif
	return v;
}

static void conversions(double x)
{
	keep_integer((long)x);
	keep_integer((int)x);
	keep((double)(long)(x * 1e9));
	keep((double)(float)x);
	keep((double)(u64)(x < 0 ? -x : x));
	singles[n_results % 64] = (float)integers[n_integers % 64];
}

/* Each flag by an operation that raises it and no other (but inexact). */
static u32 raise_all(void)
{
	static volatile double zero, one = 1, huge = 1e308, tiny = 1e-308, three = 3;
	u32 wrong = 0;
	clear();
	keep(one / three);
	wrong |= flags() != INEXACT;
	clear();
	keep(one / zero);
	wrong |= (u32)(flags() != DIVISION) << 1;
	clear();
	keep(huge * huge);
	wrong |= (u32)(flags() != (OVERFLOWS | INEXACT)) << 2;
	clear();
	keep(tiny * tiny);
	wrong |= (u32)(flags() != (UNDERFLOWS | INEXACT)) << 3;
	clear();
	keep(zero / zero);
	wrong |= (u32)(flags() != INVALID) << 4;
	keep(huge - one);
	wrong |= (u32)(flags() != (INVALID | INEXACT)) << 5;
	return wrong;
}

static void comparisons(void)
{
	volatile double nan = results[0] - results[0], some = results[1];
	nan = nan / nan;
	for (int i = 0; i < 2; i++, some = nan)
		keep_integer((some < nan) | (some == nan) << 1 | (some >= 1.5) << 2 | (some != some) << 3);
}

static void run(void)
{
	for (u64 mode = 0; mode < MODES; mode++) {
		round_to(mode);
		for (int i = 1; i < 6; i++) {
			double x = i * 0.37;
			keep(sine(x) * root(x + 2.5));
			singles[i] = exponential((float)-x) / 3;
			conversions(x * 1000.7 - 900);
		}
	}
	round_to(0);
	comparisons();
}

__attribute__((used, noreturn)) void begin(void)
{
	run();
	register long status __asm__(
#if defined __riscv
		"a0"
#elif defined __aarch64__
		"x0"
#else
		"o0"
#endif
		) = raise_all();
#if defined __riscv
	register long number __asm__("a7") = EXIT;
	__asm__ volatile("ecall" : : "r"(status), "r"(number));
#elif defined __aarch64__
	register long number __asm__("x8") = EXIT;
	__asm__ volatile("svc 0" : : "r"(status), "r"(number));
#else
	register long number __asm__("g1") = EXIT;
	__asm__ volatile("ta 0x6d" : : "r"(status), "r"(number));
#endif
	__builtin_unreachable();
}

#if defined __sparc__
__asm__(".globl _start\n_start:\n\tclr %fp\n\tcall begin\n\t sub %sp, 192, %sp\n\tta 1");
#else
__asm__(".globl _start\n_start:\n"
#if defined __riscv
        ".option push\n.option norelax\n\tla gp, __global_pointer$\n.option pop\n\tj begin\n"
#else
        "\tb begin\n"
#endif
);
#endif
