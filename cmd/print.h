/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_PRINT_H
#define CMD_PRINT_H
/* Printing instructions, as view and find do. */
#include <pthread.h>

#include "cmd.h"

struct printer;

struct printing {
	struct session *session;
	struct cairn_view_opts opts; /* as the options of the command say */
	uint64_t most;               /* of a view that keeps the last ones, print no more than this */
	uint64_t last;               /* and nothing behind this number; 0: to the end */
	uint64_t printed;            /* likewise */
	uint64_t lines;              /* instructions and transactions that were selected */
	struct cairn_ctx shown;
	pthread_mutex_t lock;
	struct printer *printers;
};

void print_init(struct printing *printing, struct session *session);
/* Print what the session's selection means, on all threads. */
int print_run(struct printing *printing);
/* With --json, behind the last line: information that is missing, and `more` (or NULL), if there is
 * any. */
int print_notes(struct session *session, const char *more);
/* These instructions. */
int print_found(struct printing *printing, const struct cairn_found *found);

#endif
