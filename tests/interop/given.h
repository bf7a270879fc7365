/* SPDX-License-Identifier: Apache-2.0 */
#ifndef INTEROP_GIVEN_H
#define INTEROP_GIVEN_H
#include <stdbool.h>
/* Call `one` with each given trace that is meant to be read (a file or a snapshot's folder);
 * whether it is one, the callee finds out. false: there are none given. */
bool given_traces(void (*one)(const char *path));
struct cairn;
/* With each of them, and each format that the matrix lets it go to (its own if `own`): the
 * trace, its format, the other one. *traces: how many could be opened. false: none are given. */
bool given_pairs(struct cairn *cairn, bool own,
                 void (*one)(const char *path, const char *from, const char *to), unsigned *traces);
#endif
