/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All verbs, in the order of `cairn --help`: the group they begin (NULL: none), and the name. A verb
 * NAME is `verb_NAME` in cmd/NAME.c and has the page docs/man/cairn-NAME.1.scd; the build takes
 * both from here.
 */
VERB("look", view)
VERB(NULL, records)
VERB(NULL, info)
VERB(NULL, count)
VERB("verify", check)
VERB(NULL, diff)
VERB("find", find)
VERB(NULL, index)
VERB("change", convert)
VERB(NULL, slice)
VERB(NULL, merge)
VERB(NULL, split)
VERB(NULL, edit)
VERB("make", capture)
VERB("count up", mix)
VERB(NULL, branches)
VERB(NULL, memory)
VERB(NULL, blocks)
VERB(NULL, simpoints)
VERB(NULL, calls)
VERB(NULL, deps)
VERB(NULL, overview)
VERB(NULL, report)
