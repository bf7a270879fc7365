/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIXL_DRAW_H
#define VIXL_DRAW_H
/* Lines as today's simulator lays them out: columns, drawings, floating-point values. */
#include "formats/vixl/line/line.h"

/* Fill in the spaces that line up a register's line; its name, range and bytes are set. */
void vixl_line_decode(struct vixl_line *line);

/* The drawing of one line of accesses: `cells` bytes of register, a bar for each bit of
 * `below` (bytes whose lines are yet to come), the mark at each bit of `marks`. Needs
 * VIXL_DRAWING bytes; returns how many it took. */
enum { VIXL_DRAWING = 160 };
size_t vixl_draw(char *out, unsigned cells, uint32_t marks, uint32_t below);

/* The lanes of a value of `bytes` as the simulator writes them, the most significant
 * first; bit i of `touched` is byte i: other lanes are dots. Needs VIXL_FP_TEXT bytes. */
enum { VIXL_FP_TEXT = 256 };
size_t vixl_fp_text(char *out, const uint64_t value[2], unsigned bytes, unsigned lane,
                    uint32_t touched);

/* Does the simulator show a result of this instruction as floating point? */
bool vixl_is_fp_result(uint32_t enc);
/* Are the elements this vector load or store moves the lanes of its registers? */
bool vixl_moves_lanes(uint32_t enc);
/* Loads and stores of structures and lanes, whose accesses have lines of their own. */
static inline bool vixl_is_struct(uint32_t enc)
{
	return (enc & 0xbe000000) == 0x0c000000;
}
static inline bool vixl_is_sve(uint32_t enc)
{
	return (enc >> 25 & 15) == 2;
}
/* One element loaded into every lane: LD1R to LD4R. */
static inline bool vixl_replicates(uint32_t enc)
{
	return (enc & 0xbf40c000) == 0x0d40c000;
}

#endif
