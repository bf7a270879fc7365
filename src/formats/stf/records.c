/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records one by one, exactly; and the walk that finds where a stream may be
 * cut.
 */
#include <string.h>

#include "base/bytes.h"
#include "formats/stf/stf.h"

size_t stf_last_marker(const struct cairn_stf_config *cfg, const uint8_t *p, const uint8_t *end,
                       uint64_t markers, bool *stuck)
{
	const uint8_t *begin = p, *last = p;
	*stuck = false;
	while (p < end) {
		int64_t len;
		switch (end - p >= STF_LEN_LONGEST_FIXED ? *p : 0) {
		case CAIRN_STF_INST_32:
			len = STF_LEN_INST_32;
			break;
		case CAIRN_STF_INST_16:
			len = STF_LEN_INST_16;
			break;
		case CAIRN_STF_INST_MEM_ACCESS:
			len = STF_LEN_INST_MEM_ACCESS;
			break;
		case CAIRN_STF_INST_MEM_CONTENT:
		case CAIRN_STF_INST_PC_TARGET:
			len = STF_LEN_INST_MEM_CONTENT;
			break;
		case CAIRN_STF_INST_REG:
			if ((p[3] & 15) != CAIRN_REG_VECTOR) {
				len = STF_LEN_INST_REG + 8;
				break;
			}
			/* fallthrough */
		default:
			len = cairn_stf_record_length(cfg, p, (size_t)(end - p));
			break;
		}
		if (len <= 0) {
			*stuck = len < 0;
			break;
		}
		bool marker = *p == CAIRN_STF_INST_32 || *p == CAIRN_STF_INST_16 ||
		              *p == CAIRN_STF_TRANSACTION;
		p += len;
		if (marker) {
			last = p;
			if (--markers == 0)
				break;
		}
	}
	return (size_t)(last - begin);
}

/* The span has no more records: tell what is damaged, leave the exit state. */
static int finish(struct cairn_reader *r, struct model_span *s)
{
	struct stf_span *ss = s->priv;
	if (ss->finished)
		return 0;
	ss->finished = true;
	if (ss->stopped || ss->w.p < ss->w.end) {
		stf_damage_at(r, s);
		ss->at.damaged = 1;
	}
	ss->at.off = ss->abs + (uint64_t)(ss->w.p - ss->w.base);
	/* What only instructions need, the scan knows; without one nothing else is asked. */
	ss->at.pc_known = ss->at.has_target = 0; /* not followed here */
	if (!s->scanned)
		memcpy(s->exit, &ss->at, sizeof ss->at);
	return 0;
}

int stf_record(struct cairn_reader *r, struct model_span *s, struct cairn_record *rec)
{
	const struct stf_impl *im = r->impl;
	struct stf_span *ss = s->priv;
	struct stf_state *at = &ss->at;
	int64_t len;
	for (;;) {
		len = ss->finished || ss->w.p == ss->w.end
		              ? 0
		              : cairn_stf_record_length(&im->header.cfg, ss->w.p,
		                                        (size_t)(ss->w.end - ss->w.p));
		if (len > 0)
			break;
		if (len < 0 || ss->finished)
			return finish(r, s);
		int rc = stf_window_fill(r, s);
		if (rc < 0)
			return rc;
		if (rc == 0)
			return finish(r, s);
	}
	const uint8_t *p = ss->w.p;
	const struct stf_type *t = stf_type(*p);
	uint64_t off = ss->abs + (uint64_t)(p - ss->w.base);
	bool in_header = ss->header && off < im->header.size;
	*rec = (struct cairn_record){
		.number = at->rec, .offset = off, .name = t->name, .data = p, .size = (uint32_t)len,
		.type = *p, .fields = ss->fields,
		.insn = in_header ? 0 : ss->transactions ? at->x : at->n};
	int n = cairn_stf_fields(&im->header.cfg, p, (size_t)len, ss->fields);
	rec->n_fields = (uint16_t)(n < 0 ? 0 : n);
	ss->w.p += len;
	at->rec++;
	if (t->flags & STF_MARKER) {
		at->n += !ss->transactions;
		at->x += ss->transactions;
		at->begun = 1;
	}
	return 1;
}

bool stf_total(struct cairn_reader *r, uint64_t *total)
{
	(void)r;
	(void)total;
	return false;
}
