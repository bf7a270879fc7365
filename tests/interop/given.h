/* SPDX-License-Identifier: Apache-2.0 */
#ifndef INTEROP_GIVEN_H
#define INTEROP_GIVEN_H
#include <stdbool.h>
/* Call `one` with each given trace that is meant to be read (a file or a snapshot's folder);
 * whether it is one, the callee finds out. false: there are none given. */
bool given_traces(void (*one)(const char *path));
#endif
