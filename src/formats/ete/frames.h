/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ETE_FRAMES_H
#define ETE_FRAMES_H
/*
 * CoreSight frames: bytes of several trace sources in packs of 16 (Arm IHI 0029,
 * "Formatter data processing"). What comes out is a lane for each source: its bytes,
 * one after another, and where in the framed bytes they stood.
 */
#include "formats/ete/snapshot.h"

enum { ETE_IDS = 128, ETE_ID_TRIGGER = 0x7d, ETE_FRAME = 16 };

struct ete_run { /* bytes of a lane that stood together */
	uint64_t pos; /* in the lane */
	uint64_t off; /* in the framed bytes */
};

struct ete_lane {
	uint8_t id;
	struct base_buf bytes, runs; /* of struct ete_run */
};

struct ete_frames {
	struct cairn *c;
	enum ete_framing framing;
	struct ete_lane *lanes; /* in the order of their first bytes */
	size_t n_lanes;
	int id;                 /* the source that owns the next byte; -1 not yet told */
	int lane_of[ETE_IDS];   /* since the last reset; -1 */
	int run_lane;           /* the lane of the last run, -1; */
	uint64_t run_next;      /* and where it would go on */
	uint64_t ownerless;     /* bytes before the first ID */
	uint64_t reserved, reserved_at; /* bytes of IDs that no source can have; where first */
	uint64_t broken, broken_at;     /* frames cut short by a synchronisation, or by the end */
	uint64_t resets;
};

void ete_frames_init(struct ete_frames *f, struct cairn *c, enum ete_framing framing);
/* Take all the framed bytes. CAIRN_E_NOMEM. */
int ete_frames_take(struct ete_frames *f, const uint8_t *p, size_t n);
void ete_frames_free(struct ete_frames *f);
/* Where byte `pos` of a lane stood. */
uint64_t ete_lane_offset(const struct ete_lane *lane, uint64_t pos);

#endif
