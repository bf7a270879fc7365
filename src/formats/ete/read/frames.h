/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ETE_FRAMES_H
#define ETE_FRAMES_H
/*
 * CoreSight frames: bytes of several trace sources in packs of 16 (Arm IHI 0029,
 * "Formatter data processing"). What comes out is a lane for each source: its bytes,
 * one after another, and where in the framed bytes they stood. Frames are taken piece by
 * piece; the reader of a lane drops the bytes it has read from its front.
 */
#include "formats/ete/read/snapshot.h"

enum { ETE_IDS = 128, ETE_FIRST_RESERVED = 0x70, ETE_ID_TRIGGER = 0x7d, ETE_FRAME = 16 };
/* A DSTREAM stores trace in blocks that end with bytes of its own. */
enum { ETE_BLOCK = 512, ETE_FOOTER = 8 };

/* Whose the bytes of an ID are, if they are not of a unit (>= 0) that is decoded. */
enum ete_owner {
	ETE_NOBODY = -1,   /* not among the units that were named */
	ETE_NOT_OURS = -2, /* a source that is not decoded */
	ETE_UNSEEN = -3,   /* not known until the ID synchronises; its bytes are kept */
	ETE_OTHER = -4     /* it never did */
};

struct ete_run {  /* bytes of a lane that lay together */
	uint64_t pos; /* in the lane */
	uint64_t off; /* in the framed bytes */
};

/* The bytes of one source; all bytes, if it wrote alone. */
struct ete_lane {
	uint8_t id;
	bool ended;     /* nothing comes any more */
	int unit;       /* the unit whose bytes these are, or enum ete_owner */
	unsigned zeros; /* UNSEEN: how many stand at the end; SYNCED: behind an Async */
	struct base_buf bytes,
		runs;           /* the bytes kept; and struct ete_run (none: a position is an offset) */
	uint64_t start;     /* position of the first byte kept */
	uint64_t end;       /* and behind the last one */
	const uint8_t *map; /* all its bytes, if they are mapped: then none are in `bytes` */
	/* cut.c: */
	uint64_t at;        /* the next span begins here, */
	uint64_t cut, look; /* where the next span ends, and how far its bytes are needed, */
	bool ready;         /* once that is known. It is looked for when there are bytes up to */
	uint64_t want;      /* this position */
	uint64_t ahead;     /* where the next span begins if it continues the one before */
	bool ahead_known;
};

/* A lane that is to be begun in the middle: bytes before `off` have been read. */
struct ete_resume {
	uint64_t off, want; /* want: how many positions more than where it stands; 0: none */
	bool begun;         /* spans of it came before */
};

struct ete_frames {
	struct cairn *cairn;
	enum ete_framing framing;
	/* The unit that has an ID, or enum ete_owner: bytes of no unit are only counted. NULL: 0.
	 * `synced`: an ID that was UNSEEN has now synchronised, so the answer must be a unit. */
	int (*unit_of)(void *user, unsigned id, bool synced);
	void *user;
	struct ete_lane **lanes; /* in the order of their first bytes; until removed */
	size_t n_lanes;
	uint64_t pos;                      /* bytes taken */
	int id;                            /* the source that owns the next byte; -1: not known yet */
	struct ete_lane *lane_of[ETE_IDS]; /* since the last reset */
	struct ete_lane *run_lane;         /* the lane of the last run; */
	uint64_t run_next;                 /* and where it would go on */
	uint64_t ownerless;                /* bytes before the first ID */
	struct ete_unclaimed {
		int unit;       /* < 0, what unit_of said */
		uint64_t n, at; /* bytes; where the first one stood */
	} unclaimed[ETE_IDS];
	uint64_t reserved,
		reserved_at; /* bytes of IDs that no source can have, and where the first stood */
	uint64_t broken, broken_at; /* frames cut short by a synchronisation, or by the end */
	uint64_t resets, reset_at;  /* barriers; behind the last one */
	struct ete_resume *resume;  /* by ID; NULL: all is read from its beginning */
	/* with synchronisation words: the frame begun, the number of words in a row, and where the
	 * first half of a possible word stands */
	uint8_t frame[ETE_FRAME];
	uint64_t places[ETE_FRAME], half_at;
	unsigned have, words;
	bool half;
	int broken_id;  /* the owner of the frame that the end cut short */
	bool cut_short; /* there is one */
};

void ete_frames_init(struct ete_frames *frames, struct cairn *cairn, enum ete_framing framing);
/* Take the next framed bytes. *used of them were taken; give the others again with more behind
 * them. `last`: nothing comes behind these, and all are taken. CAIRN_E_NOMEM. */
int ete_frames_take(struct ete_frames *frames, const uint8_t *p, size_t n, bool last, size_t *used);
void ete_frames_free(struct ete_frames *frames);
/* May a byte stand behind an Async? A Trace Info, an Event, an Ignore, an Instrumentation. */
static inline bool ete_follows_async(uint8_t byte)
{
	return byte == 0x01 || (byte >= 0x70 && byte <= 0x7f) || byte == 0x09;
}
/* Nothing more comes: an ID that never synchronised belongs to nobody. */
void ete_frames_settle(struct ete_frames *frames);
/* Do the first `n` framed bytes make more sense in a DSTREAM's blocks? */
bool ete_frames_in_blocks(struct cairn *cairn, const uint8_t *p, size_t n);
/* Begin in the middle, at the frame that holds the byte at `pos`, which is a byte of `id`;
 * `resume` is by ID, and copied. CAIRN_E_NOMEM. */
int ete_frames_resume(struct ete_frames *frames, uint64_t pos, int id,
                      const struct ete_resume *resume);
/* Add a lane that does not come from frames; NULL: out of memory. */
struct ete_lane *ete_lane_add(struct ete_frames *frames);
void ete_lane_remove(struct ete_frames *frames, struct ete_lane *lane);
/* The byte at a position that is kept. */
const uint8_t *ete_lane_bytes(const struct ete_lane *lane, uint64_t pos);
/* Forget what stands before `at`. */
void ete_lane_trim(struct ete_lane *lane);
/* The runs of positions from..to, appended. */
int ete_lane_runs(const struct ete_lane *lane, uint64_t from, uint64_t to, struct base_buf *out);
/* Where position `pos` stood, by the runs. */
uint64_t ete_runs_offset(const struct base_buf *buf, uint64_t pos);

#endif
