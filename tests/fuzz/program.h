/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FUZZ_PROGRAM_H
#define FUZZ_PROGRAM_H
/*
 * A program for traces of Arm: words that mean something in A64, A32 or T32, branches of all
 * kinds among them, over and over.
 */
#include "cairn/image.h"

/* Add it at a place: "0x1000", "EL1S:0x1000". */
void fuzz_program(struct cairn_image *im, const char *place);

#endif
