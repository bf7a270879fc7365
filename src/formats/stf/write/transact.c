/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing transactions. A row of the model becomes the records of its dependencies and the
 * transaction's own. The channel says which fields that has (draft, "STF Transaction Protocols").
 * What consumers rely on is checked: ids ascend, clocks are declared, a dependency is on what came
 * before, sizes fit.
 */
#include <string.h>

#include "base/bytes.h"
#include "formats/stf/write/build.h"

static bool has_clock(const struct stf_build *build, uint64_t id)
{
	const struct cairn_stf_header *header = build->header;
	for (size_t i = 0; i < header->n_clocks; i++)
		if (header->clocks[i].id == id)
			return true;
	return header->n_clocks == 0; /* a trace may name none */
}

static bool transact_inside(uint64_t at, uint64_t n, size_t n_bytes)
{
	return n == 0 || (at <= n_bytes && n <= n_bytes - at);
}

static int transact_put_number(struct stf_group *group, unsigned width, uint64_t value)
{
	uint8_t p[8];
	base_put_le(p, width, value);
	return base_buf_put(&group->buf, p, width);
}

static int transact_check(struct stf_build *build, const struct cairn_xact *xact, uint64_t id,
                          size_t n_bytes)
{
	const char *layout = stf_tilelink_layout(xact->channel);
	bool data = layout && strchr(layout, 'd'), mask = layout && strchr(layout, 'm');
	if (!layout)
		return stf_refuse(build, "TileLink has the channels 1 to 5 (A to E), not %u",
		                  xact->channel);
	if (build->n && id <= build->last_id)
		return stf_refuse(build, "ids ascend: %llu does not come after %llu",
		                  (unsigned long long)id, (unsigned long long)build->last_id);
	if (!has_clock(build, xact->clock))
		return stf_refuse(build, "clock %u is not declared in the header", xact->clock);
	if (xact->n_meta > UINT16_MAX)
		return stf_refuse(build, "%u elements of metadata are too many", xact->n_meta);
	if (data && xact->data_len > UINT16_MAX)
		return stf_refuse(build, "%u bytes of data are too many", xact->data_len);
	if (mask && xact->mask_bits > UINT16_MAX)
		return stf_refuse(build, "a mask of %u bits is too long", xact->mask_bits);
	if (data && mask && xact->data_len && xact->mask_bits && xact->data_len != xact->mask_bits &&
	    !build->lost)
		return stf_refuse(build, "the mask has %u bits for %u bytes of data", xact->mask_bits,
		                  xact->data_len);
	if ((data && !transact_inside(xact->data, xact->data_len, n_bytes)) ||
	    (mask && !transact_inside(xact->mask, (xact->mask_bits + 7u) / 8, n_bytes)) ||
	    !transact_inside(xact->meta, 16 * (uint64_t)xact->n_meta, n_bytes) ||
	    !transact_inside(xact->deps, 24 * (uint64_t)xact->n_deps, n_bytes))
		return stf_refuse(build, "data, mask, metadata or dependencies lie outside of `bytes`");
	return 0;
}

static int put_dependencies(struct stf_build *build, struct stf_group *group,
                            const struct cairn_xact *xact, uint64_t id, const uint8_t *bytes)
{
	int rc = 0;
	for (uint32_t i = 0; i < xact->n_deps && rc >= 0; i++) {
		uint64_t row[3];
		memcpy(row, bytes + xact->deps + sizeof row * i, sizeof row);
		uint64_t on = row[0], clock = row[2];
		if (on >= id)
			return stf_refuse(build,
			                  "a dependency is on an earlier transaction: %llu is not before %llu",
			                  (unsigned long long)on, (unsigned long long)id);
		if (!build->lost && (build->n == 0 || on < build->first_id))
			return stf_refuse(build, "it depends on transaction %llu, which is not in the trace",
			                  (unsigned long long)on);
		if (clock > UINT8_MAX || !has_clock(build, clock))
			return stf_refuse(build, "clock %llu of a dependency is not declared in the header",
			                  (unsigned long long)clock);
		uint8_t rec[STF_LEN_TRANSACTION_DEPENDENCY] = {CAIRN_STF_TRANSACTION_DEPENDENCY};
		stf_put_TRANSACTION_DEPENDENCY_id(rec, on);
		stf_put_TRANSACTION_DEPENDENCY_delta(rec, row[1]);
		stf_put_TRANSACTION_DEPENDENCY_clock(rec, (uint8_t)clock);
		rc = base_buf_put(&group->buf, rec, sizeof rec);
		group->records++;
	}
	return rc;
}

static int put_metadata(struct stf_build *build, struct stf_group *group,
                        const struct cairn_xact *xact, const uint8_t *bytes)
{
	int rc = 0;
	for (uint32_t i = 0; i < xact->n_meta && rc >= 0; i++) {
		uint64_t row[2];
		memcpy(row, bytes + xact->meta + sizeof row * i, sizeof row);
		uint64_t width = row[0], value = row[1];
		if (width != 1 && width != 2 && width != 4 && width != 8)
			return stf_refuse(build, "metadata has elements of 1, 2, 4 or 8 bytes, not %llu",
			                  (unsigned long long)width);
		if (width < 8 && value >> (8 * width))
			return stf_refuse(build, "metadata 0x%llx does not fit %llu bytes",
			                  (unsigned long long)value, (unsigned long long)width);
		rc = transact_put_number(group, 1, (unsigned)__builtin_ctzll(width));
		if (rc >= 0)
			rc = transact_put_number(group, (unsigned)width, value);
	}
	return rc;
}

static int put_list(struct stf_group *group, uint32_t count, const uint8_t *bytes, size_t at,
                    size_t n)
{
	int rc = transact_put_number(group, 2, count);
	return rc < 0 || !n ? rc : base_buf_put(&group->buf, bytes + at, n);
}

static int put_channel(struct stf_group *group, const struct cairn_xact *xact, const uint8_t *bytes)
{
	int rc = transact_put_number(group, 1, xact->channel);
	for (const char *l = stf_tilelink_layout(xact->channel); *l && rc >= 0; l++) {
		const struct stf_tilelink *field = stf_tilelink_field(*l);
		const uint8_t *member = (const uint8_t *)xact + field->member;
		uint64_t value = *member;
		if (*l == 'd') {
			rc = put_list(group, xact->data_len, bytes, xact->data, xact->data_len);
		} else if (*l == 'm') {
			rc = put_list(group, xact->mask_bits, bytes, xact->mask, (xact->mask_bits + 7u) / 8);
		} else {
			if (field->width == sizeof value)
				memcpy(&value, member, sizeof value);
			rc = transact_put_number(group, field->width, value);
		}
	}
	return rc;
}

int cairn_stf_put_transaction(struct cairn_stf_writer *writer, const struct cairn_xact *xact,
                              const uint8_t *bytes, size_t n_bytes)
{
	int rc = stf_build_ready(writer, true);
	if (rc < 0)
		return rc;
	struct stf_build *build = writer->build;
	struct stf_group *group = &build->next->group;
	uint64_t id = xact->id ? xact->id : build->last_id + 1;
	stf_group_clear(group);
	if ((rc = transact_check(build, xact, id, n_bytes)) < 0)
		return rc;
	if (build->front.len)
		rc = base_buf_put(&group->buf, build->front.data, build->front.len);
	group->records = build->front_records + 1;
	if (rc >= 0)
		rc = put_dependencies(build, group, xact, id, bytes);
	uint8_t head[STF_LEN_TRANSACTION] = {CAIRN_STF_TRANSACTION};
	stf_put_TRANSACTION_id(head, id);
	stf_put_TRANSACTION_delta(head, xact->delta);
	stf_put_TRANSACTION_clock(head, xact->clock);
	stf_put_TRANSACTION_metadata(head, (uint16_t)xact->n_meta);
	if (rc >= 0)
		rc = base_buf_put(&group->buf, head, sizeof head);
	if (rc >= 0)
		rc = put_metadata(build, group, xact, bytes);
	if (rc >= 0)
		rc = put_channel(group, xact, bytes);
	if (rc >= 0)
		rc = stf_append(writer, group->buf.data, group->buf.len, group->records, true, 0);
	if (rc < 0)
		return rc;
	build->first_id = build->n ? build->first_id : id;
	build->last_id = id;
	build->front.len = 0;
	build->front_records = 0;
	build->n++;
	return 0;
}
