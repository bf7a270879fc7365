/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FUZZ_ARGUMENTS_H
#define FUZZ_ARGUMENTS_H
/*
 * Bytes become the arguments of a run of the command: a verb, options that it takes with values
 * from a table or any text, operands. No argument can name anything outside the current folder.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/cmd.h"

/* Bytes that are used up from the front; 0 behind the end. */
struct taken {
	const uint8_t *p;
	size_t n;
};
uint8_t take_byte(struct taken *taken);

enum { ARGUMENTS = 24, ARGUMENT_LENGTH = 96 };

struct arguments {
	const struct verb *verb;
	int argc;
	char *argv[ARGUMENTS + 1];
	char text[ARGUMENTS][ARGUMENT_LENGTH];
	bool standard_input; /* it is named */
};

/* The names that the input's files may have: the i-th, i taken modulo their number. */
const char *file_name(unsigned index);

void take_arguments(struct taken *taken, struct arguments *arguments);

#endif
