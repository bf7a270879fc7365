/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UNIT_DAMAGE_RUN_H
#define UNIT_DAMAGE_RUN_H
/* The command, in this process. */
#include <stdbool.h>

struct run {
	int code;
	char *out, *err; /* what it printed; to be freed by run_free */
};

/* Runs a command line, whose words are parted by blanks. A word `-` reads `piped` through a pipe,
 * piece by piece. In what was printed `name` becomes `-`. */
void run_command_line(const char *line, const char *piped, const char *name, struct run *run);
void run_free(struct run *run);

#endif
