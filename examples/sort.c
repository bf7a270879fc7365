/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program behind sort.zstf, sort-a64.* and sort-v9.*: sorts numbers twice, computes their mean and
 * deviation and prints them. Small, but with something of everything a trace can
 * hold: recursion, calls through pointers, loops, loads and stores of several
 * sizes, an atomic, floating point, system calls. It has its own _start and two
 * system calls instead of a C library, so that a trace of it is all program.
 *
 * Built and recorded by `make record`.
 */
typedef unsigned long u64;
typedef unsigned int u32;
typedef int (*order_fn)(u32 a, u32 b);

#ifndef COUNT
#define COUNT 96
#endif

#if defined __sparc__
enum { SYS_WRITE = 4, SYS_EXIT = 1 };
#else
enum { SYS_WRITE = 64, SYS_EXIT = 93 };
#endif

static u32 numbers[COUNT], copy[COUNT], scratch[COUNT];
static u64 comparisons;

static long system_call(long number, long a, long b, long c)
{
#if defined __riscv
	register long a7 __asm__("a7") = number;
	register long a0 __asm__("a0") = a;
	register long a1 __asm__("a1") = b;
	register long a2 __asm__("a2") = c;
	__asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
	return a0;
#elif defined __aarch64__
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x1), "r"(x2), "r"(x8) : "memory");
	return x0;
#else
	register long g1 __asm__("g1") = number;
	register long o0 __asm__("o0") = a;
	register long o1 __asm__("o1") = b;
	register long o2 __asm__("o2") = c;
	__asm__ volatile("ta 0x6d" : "+r"(o0) : "r"(o1), "r"(o2), "r"(g1) : "memory");
	return o0;
#endif
}

__attribute__((noinline)) static void print(const char *text)
{
	long n = 0;
	while (text[n])
		n++;
	system_call(SYS_WRITE, 1, (long)text, n);
}

__attribute__((noinline)) static void print_number(u64 value)
{
	char digits[24];
	char *p = digits + sizeof digits;
	*--p = 0;
	do {
		*--p = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	print(p);
}

__attribute__((noinline)) static int ascending(u32 a, u32 b)
{
	__atomic_fetch_add(&comparisons, 1, __ATOMIC_RELAXED);
	return a < b;
}

__attribute__((noinline)) static int descending(u32 a, u32 b)
{
	__atomic_fetch_add(&comparisons, 1, __ATOMIC_RELAXED);
	return a > b;
}

__attribute__((noinline)) static void fill(u32 *v, int n, u32 seed)
{
	for (int i = 0; i < n; i++) {
		seed = seed * 1664525u + 1013904223u;
		v[i] = seed >> 16;
		copy[i] = v[i];
	}
}

static void swap(u32 *a, u32 *b)
{
	u32 t = *a;
	*a = *b;
	*b = t;
}

__attribute__((noinline)) static void quick_sort(u32 *v, int n, order_fn before)
{
	if (n < 2)
		return;
	swap(&v[0], &v[n / 2]);
	int last = 0;
	for (int i = 1; i < n; i++)
		if (before(v[i], v[0]))
			swap(&v[++last], &v[i]);
	swap(&v[0], &v[last]);
	quick_sort(v, last, before);
	quick_sort(v + last + 1, n - last - 1, before);
}

__attribute__((noinline)) static void merge_sort(u32 *v, int n, order_fn before)
{
	if (n < 2)
		return;
	int half = n / 2, left = 0, right = half;
	merge_sort(v, half, before);
	merge_sort(v + half, n - half, before);
	for (int i = 0; i < n; i++)
		scratch[i] =
			right == n || (left < half && !before(v[right], v[left])) ? v[left++] : v[right++];
	for (int i = 0; i < n; i++)
		v[i] = scratch[i];
}

__attribute__((noinline)) static double mean(const u32 *v, int n)
{
	double sum = 0;
	for (int i = 0; i < n; i++)
		sum += v[i];
	return sum / n;
}

__attribute__((noinline)) static double deviation(const u32 *v, int n)
{
	double m = mean(v, n), sum = 0;
	for (int i = 0; i < n; i++)
		sum += (v[i] - m) * (v[i] - m);
	return __builtin_sqrt(sum / n);
}

__attribute__((noinline)) static int mirrored(const u32 *a, const u32 *b, int n)
{
	for (int i = 0; i < n; i++)
		if (a[i] != b[n - 1 - i])
			return 0;
	return 1;
}

__attribute__((used, noreturn)) void start(void)
{
	fill(numbers, COUNT, 2026);
	quick_sort(numbers, COUNT, ascending);
	merge_sort(copy, COUNT, descending);
	print(mirrored(numbers, copy, COUNT) ? "sorted " : "wrong ");
	print_number(COUNT);
	print(" numbers with ");
	print_number(comparisons);
	print(" comparisons: mean ");
	print_number((u64)mean(numbers, COUNT));
	print(", deviation ");
	print_number((u64)deviation(numbers, COUNT));
	print("\n");
	system_call(SYS_EXIT, 0, 0, 0);
	for (;;)
		;
}

#if defined __riscv
/* The global pointer makes small data reachable in one instruction. */
__asm__(".globl _start\n"
        "_start:\n"
        ".option push\n"
        ".option norelax\n"
        "	la gp, __global_pointer$\n"
        ".option pop\n"
        "	andi sp, sp, -16\n"
        "	call start\n");
#elif defined __aarch64__
__asm__(".globl _start\n"
        "_start:\n"
        "	bl start\n");
#else
/* The stack is 2047 bytes off; a frame for the window of who calls. */
__asm__(".globl _start\n"
        "_start:\n"
        "	sub %sp, 192, %sp\n"
        "	call start\n"
        "	nop\n");
#endif
