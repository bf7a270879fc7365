/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_LIST_H
#define CHECK_LIST_H
/* Lists of findings, for the engine. */
#include "check/check.h"

void check_list_init(struct check_list *list, struct cairn *cairn, uint64_t most);
void check_list_free(struct check_list *list);
void check_list_clear(struct check_list *list);
size_t check_list_size(const struct check_list *list);
const struct check_row *check_list_row(const struct check_list *list, size_t index);
const char *check_list_text(const struct check_list *list, const struct check_row *row);
/* Count a finding, and keep it unless at least `most` of its rule are known to come before it. */
void check_list_put(struct check_list *list, unsigned rule, const struct check_place *at,
                    const char *text, size_t n);
/* Move everything of `from` behind `to`. */
void check_list_move(struct check_list *to, struct check_list *from);
/* By place, then by rule, then by sentence. */
void check_list_sort(struct check_list *list);
/* Keep no more than `most` of each rule. */
void check_list_trim(struct check_list *list);

#endif
