/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ledger: what a conversion could not carry over, counted by kind, in the
 * order first met. Kinds are few (they name parts of the model, not values), so
 * a list is searched. A writer that names too many has them counted together
 * rather than growing without bound.
 */
#include "model/model.h"

#include <string.h>

enum { KINDS = 256 };
static const char other[] = "other things";

struct cairn_ledger *model_ledger_new(struct cairn *c)
{
	struct cairn_ledger *l = base_alloc(c, sizeof *l);
	if (!l)
		return NULL;
	l->losses = base_alloc(c, KINDS * sizeof *l->losses);
	if (!l->losses) {
		base_free(c, l);
		return NULL;
	}
	return l;
}

void cairn_ledger_free(struct cairn *c, struct cairn_ledger *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->n; i++)
		base_free(c, (char *)(uintptr_t)l->losses[i].what);
	base_free(c, l->losses);
	base_free(c, l);
}

int model_ledger_add(
	struct cairn *c, struct cairn_ledger *l, const char *what, uint64_t count, uint64_t n)
{
	struct cairn_loss *row = l->losses, *end = row + l->n;
	if (count == 0)
		return 0;
	while (row < end && strcmp(row->what, what) != 0)
		row++;
	if (row == end && l->n >= KINDS - 1 && what != other)
		return model_ledger_add(c, l, other, count, n);
	if (row == end) {
		char *text = base_strdup(c, what);
		if (!text)
			return CAIRN_E_NOMEM;
		*row = (struct cairn_loss){.what = text};
		l->n++;
	}
	row->count += count;
	if (n && (!row->first || n < row->first))
		row->first = n;
	return 0;
}
