/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIXL_LINE_H
#define VIXL_LINE_H
/*
 * The lines of a VIXL state trace: one table of their kinds, from which they are
 * parsed and printed, so that printing a parsed line gives its bytes again.
 *
 * A pattern is literal text with these in it:
 *
 *   %0 %1 %2 %3   where a coloured line has an escape sequence: off, a name, a value, an
 *                 address. Uncoloured lines have nothing there
 *   %a %s         an address: 0x and 16 digits (in masked logs 0x and 16 ~); a second one
 *   %e            8 digits: an encoding
 *   %t            the rest, whatever it is
 *   %N            a register's name and range of bits, with the spaces before it
 *   %V            its value, with the spaces before (and, in the old dialect, behind) it
 *   %F            nothing, or floating-point values in parentheses
 *   %M %A %h      an arrow and an address, which %M may lack, and which %h never colours
 *   %d %v         a drawing; 1 to 4 values of a structure
 *   %w %y         8 bytes, 1 byte of value
 *   %g %i         a stack's number, an index into it
 *   %b            one bit of a status register, the most significant first
 *   %r            the name of a rounding mode, for the two bits before it
 *
 * A line that has more in front of it (output of a program, without a newline) is found
 * at its '#' or address; what is before it is its prefix.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* name, pattern, what of the trace it belongs to (LOG flag that prints it). The numbers
 * are those of the record types and never change. */
#define VIXL_KINDS(K) \
	K(TEXT, 0, "%t") \
	K(INSN, 1, "%a  %e\t\t%t") \
	K(XREG, 2, "# %1%N: %2%V%0%F%M") \
	K(WREG, 3, "# %1%N: %2%V%0%F%M") \
	K(XPART, 4, "# %1%N: %2%V%0%F%M") \
	K(VREG, 5, "# %1%N: %2%V%0%F%M") \
	K(VPART, 6, "# %1%N: %2%V%0%F%M") \
	K(ZREG, 7, "# %1%N: %2%V%0%F%M") \
	K(PREG, 8, "# %1%N: %2%V%0%F%M") \
	K(ACCESS, 9, "#%d%v%A") \
	K(BLANK, 10, "#") \
	K(NZCV, 11, "# %1NZCV: %2N:%b Z:%b C:%b V:%b%0") \
	K(FPCR, 12, "# %1FPCR: %2AHP:%b DN:%b FZ:%b RMode:0b%b%b (%r)%0") \
	K(BRANCH, 13, "# %1Branch%0 to %a.") \
	K(GCS, 14, "# %1gcs0x%g[%i]: %2%h") \
	K(TRANSFER, 15, "#               %1: %3%a %0<- %2%y%0 <- %3%s%0") \
	K(WRITE64, 16, "#      %w%A") \
	K(BARE, 17, "%A") \
	K(UNKNOWN, 18, "%t")

enum vixl_kind {
#define VIXL_KIND_ENUM(name, number, pattern) VIXL_##name = number,
	VIXL_KINDS(VIXL_KIND_ENUM)
#undef VIXL_KIND_ENUM
		VIXL_KIND_COUNT
};

extern const char *const vixl_kind_names[VIXL_KIND_COUNT], *const vixl_patterns[VIXL_KIND_COUNT];
/* By the two bits of FPCR. */
extern const char *const vixl_roundings[4];

/* Names that are not a letter and a number. */
enum vixl_special {
	VIXL_PLAIN,
	VIXL_LR,
	VIXL_SP,
	VIXL_ZR,
	VIXL_FP,
	VIXL_IP0,
	VIXL_IP1,
	VIXL_FFR,
	VIXL_SPECIAL_COUNT
};

enum { VIXL_MASKED_ADDR = 1, VIXL_MASKED_VALUE = 2, VIXL_MASKED_SOURCE = 4 };

/* One line. Of the members only those of its kind's pattern are set. Texts point into
 * the line, or into its `plain` copy without colour. */
struct vixl_line {
	uint8_t kind; /* enum vixl_kind */
	uint8_t coloured;
	uint8_t quick;    /* it was an ordinary line of today's dialect */
	uint8_t masked;   /* VIXL_MASKED_… */
	char arrow;       /* '<' from memory, '>' to memory, 0 none */
	char letter;      /* x w v z p d s h b q; FFR is a p */
	uint8_t special;  /* enum vixl_special */
	uint8_t returns;  /* a carriage return ends it */
	uint8_t ranged;   /* a range of bits was given */
	uint8_t bytes;    /* of the value, or of one of the values; of a predicate 2 */
	uint8_t n_values; /* ACCESS */
	uint8_t pad_name, pad_value, pad_post; /* spaces before and behind */
	uint16_t num, msb, lsb;
	uint32_t enc;
	uint32_t index;  /* GCS: of the entry */
	uint32_t spaces; /* ACCESS: in the drawing */
	uint64_t addr, source;
	uint64_t value[4]; /* little end first; ACCESS: one each, the lowest address first */
	const char *text;  /* INSN, TEXT, UNKNOWN; ACCESS: the drawing */
	const char *fp;    /* between the parentheses, NULL: none */
	uint32_t text_len, fp_len;
	uint32_t prefix; /* bytes of foreign text before the line */
};

/* The longest line that may be the simulator's, and the longest that is kept in one piece. */
enum { VIXL_STATE_MAX = 2048, VIXL_LINE_MAX = 1 << 16 };

/* Room for a line without its colour. */
struct vixl_plain {
	char text[VIXL_STATE_MAX];
};

/* Copy a line without its escape sequences; *coloured: it has some. Returns 0 when it is empty, or
 * too long to be a state line. */
size_t vixl_bleach(const char *p, size_t n, char *out, uint8_t *coloured);
/* Take a line apart, without its newline. Whatever it is, it becomes something: TEXT in
 * the end. */
void vixl_parse_any(const char *p, size_t n, struct vixl_line *line, struct vixl_plain *plain);
/* The same, quicker for an ordinary line of today's dialect. */
void vixl_parse(const char *p, size_t n, struct vixl_line *line, struct vixl_plain *plain);

/* Print it, prefix apart, without a newline. The room of VIXL_LINE_MAX + VIXL_STATE_MAX
 * always suffices. */
size_t vixl_print(const struct vixl_line *line, char *out);

/* Is it as today's simulator would lay it out? */
bool vixl_is_today(const struct vixl_line *line);

/* "x0", "lr", "z3" without range. At least 8 bytes. */
const char *vixl_reg_name(const struct vixl_line *line, char *buf);

static inline unsigned vixl_whole_bits(char letter)
{
	switch (letter) {
	case 'w':
	case 's':
		return 32;
	case 'x':
	case 'd':
		return 64;
	case 'h':
		return 16;
	case 'b':
		return 8;
	default:
		return 128;
	}
}

static inline bool vixl_is_register(unsigned kind)
{
	return kind >= VIXL_XREG && kind <= VIXL_PREG;
}

/* Does an UNKNOWN line name a register that exists? Then its value does not fit. */
bool vixl_names_register(const char *p, size_t n);

/* The whole of an INSN's fixed part. */
enum { VIXL_INSN_HEAD = 30 };
bool vixl_is_insn(const char *p, size_t n);
/* Where the first one in [p, end) begins, which is one line; or NULL. */
const char *vixl_find_insn(const char *p, const char *end);

#endif
