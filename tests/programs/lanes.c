/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a capture of SVE is tried with: loops that the compiler makes vectors of, with elements of all
 * sizes, predicates, reductions, gathers, structures and conversions, and loads up to the first
 * fault by hand. Its exit code does not depend on the length of vectors.
 *
 * Built by `make record`; the compiler's vectors are of any length.
 */
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;

enum { N = 100, SYS_EXIT = 93 };
#define LOOP __attribute__((noinline)) static

static float a[N], b[N], c[N];
static double d[N], e[N];
static u8 bytes[2 * N], others[2 * N];
static int indices[N], found[N];
static short pairs[2 * N];
static u64 sums[N];

LOOP void begin_with(int n)
{
	for (int i = 0; i < n; i++) {
		a[i] = (float)i * 0.5f;
		b[i] = (float)(3 - i);
		d[i] = i;
		e[i] = 1.0 / (i + 1);
		indices[i] = i * 7;
		bytes[i] = (u8)(i * 37);
		others[i] = (u8)(i * 91);
		pairs[2 * i] = (short)(i * 300);
		pairs[2 * i + 1] = (short)(5 - i);
	}
}

LOOP void multiply_add(int n, float k)
{
	for (int i = 0; i < n; i++)
		c[i] = a[i] * k + b[i] / (a[i] + 1);
}

LOOP double product(int n)
{
	double x = 0;
	for (int i = 0; i < n; i++)
		x += d[i] * e[i];
	return x;
}

LOOP void gather(int n)
{
	for (int i = 0; i < n; i++)
		found[i] = indices[indices[i] & 63] + 3;
}

LOOP u32 choose(int n)
{
	u32 k = 0;
	for (int i = 0; i < n; i++)
		if (bytes[i] > others[i])
			k += bytes[i] ^ 5;
	return k;
}

LOOP void split(int n)
{
	for (int i = 0; i < n; i++)
		sums[i] = (u64)(pairs[2 * i] - pairs[2 * i + 1]);
}

LOOP void convert(int n)
{
	for (int i = 0; i < n; i++)
		found[i] = (int)(d[i] * 1.7) - (int)c[i] / 3;
}

LOOP u64 largest(int n)
{
	u64 most = 0;
	for (int i = 0; i < n; i++)
		most = sums[i] > most && (int)sums[i] < 20000 ? sums[i] : most;
	return most;
}

/* How long a text is, read without knowing where it ends. */
LOOP u64 length(const char *text)
{
	u64 n;
	__asm__ volatile("	setffr\n"
	                 "	ptrue p0.b\n"
	                 "	mov %0, #0\n"
	                 "1:	ldff1b z0.b, p0/z, [%1, %0]\n"
	                 "	rdffr p1.b, p0/z\n"
	                 "	cmpeq p2.b, p1/z, z0.b, #0\n"
	                 "	brkbs p2.b, p1/z, p2.b\n"
	                 "	incp %0, p2.b\n"
	                 "	setffr\n"
	                 "	b.last 1b\n"
	                 : "=&r"(n)
	                 : "r"(text)
	                 : "z0", "p0", "p1", "p2", "cc", "memory");
	return n;
}

__attribute__((used, noreturn)) void begin(void)
{
	begin_with(N);
	multiply_add(77, 1.5f);
	gather(61);
	split(93);
	u64 sum = choose(N) + (u64)(product(43) * 100) + (u64)found[5] + largest(93);
	convert(99);
	sum += (u64)found[70] + (u64)c[70] + length("a text of some length, longer than thirty-two");
	register u64 status __asm__("x0") = sum & 127;
	register u64 number __asm__("x8") = SYS_EXIT;
	__asm__ volatile("svc 0" : : "r"(status), "r"(number));
	__builtin_unreachable();
}

__asm__(".globl _start\n_start:\n\tb begin\n");
