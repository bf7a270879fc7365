/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAIRN_FORMAT_H
#define CAIRN_FORMAT_H
/*
 * Formats of one's own, for reading. A program lists them in cairn_opts.formats; then its context
 * opens such traces like all others, by their first bytes or by name, and every function that
 * takes a reader takes theirs. docs/formats/new-format.md shows one from beginning to end.
 *
 * A format is three functions and a name. The library asks it for one slot after another: an instruction with
 * all that belongs to it. The library finds what encodings mean, numbers the instructions, fills
 * the batches, and drops what a batch has no room for or nobody wants.
 *
 * Such a trace is read by one thread, from its beginning to its end. What takes more is left to
 * the formats of the library: several threads, jumps by an index, records, rules for cairn_check,
 * bus transactions, writing, changing a trace record by record. Functions that need one of these
 * refuse such a trace with a sentence, and convert, slice and merge go through batches.
 *
 * Calls for one reader come one at a time, but not always on the same thread. Several readers of
 * a format may be open at once.
 */
#include "cairn/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_input; /* the bytes of a trace, decompressed; the library's */
struct cairn_slot;  /* what `next` fills; the library's, and gone when `next` returns */

enum cairn_format_flag {
	/* In memory, the most significant byte of a value comes first. */
	CAIRN_FORMAT_BIG_ENDIAN = 1u << 0,
	/* Every change is told of the registers that the trace tells of: one that an instruction
	 * writes and that has no row holds what it held before. */
	CAIRN_FORMAT_TELLS_CHANGES = 1u << 1,
	/* Every instruction that ran has a slot. So an instruction went to where the one of the next
	 * slot is, if that is of the same hart and neither an event nor damage stands between: the
	 * library then finds which branches were taken, where they went, and where the flow jumped. */
	CAIRN_FORMAT_TELLS_FLOW = 1u << 2,
	/* `open` takes options. Without this they are refused. */
	CAIRN_FORMAT_OPTIONS = 1u << 3
};

struct cairn_format {
	size_t size;      /* sizeof(struct cairn_format) */
	const char *name; /* "pcs": no colon, and no name of a format of the library */
	uint32_t flags;   /* enum cairn_format_flag */
	/* What such traces tell beside instructions, contexts and events: CAIRN_REGS,
	 * CAIRN_REG_VALUES, CAIRN_MEMS, CAIRN_MEM_VALUES, CAIRN_ASM. Others are refused. */
	uint32_t parts;
	void *user; /* handed to the functions that have no state yet */

	/* How sure is it that these first bytes (up to 4096, fewer where the trace has no more) begin
	 * such a trace? 0 no … 100 certain. The format that is the surest gets it. */
	int (*probe)(void *user, const uint8_t *head, size_t n);
	/* Begin to read: take what stands before the first slot. `options` is what followed the name
	 * and a colon in cairn_open_opts.from, or "". >= 0, or a status (cairn_input_fail); then
	 * nothing may be left, for `close` is not called. Called again, behind `close`, where reading
	 * begins anew. */
	int (*open)(void *user, struct cairn_input *input, const char *options, void **state);
	/* Fill the next slot: 1; 0 when the trace has ended; or a status (cairn_input_fail), which
	 * ends reading: what this call gave is dropped, all before it is delivered. A call may skip
	 * bytes and give nothing, but each gives something or reads. */
	int (*next)(void *state, struct cairn_input *input, struct cairn_slot *slot);
	void (*close)(void *state); /* may be NULL */
	/* The name of an event, "RESET"; NULL: the library's. May be NULL. */
	const char *(*event_name)(void *user, const struct cairn_event *event);
};

/* ---- the input ---- */

/* The next line, without what ends it (LF or CR LF): 1, 0 at the end, or a status, which the
 * caller hands on. *text is valid until the next bytes are read. A line is a record: its place is
 * that of what the slot gets from it. Errors: CAIRN_E_LIMIT (longer than cairn_opts.max_hold),
 * CAIRN_E_NOMEM, CAIRN_E_CANCELLED. Where the input breaks off it ends, and the library tells
 * the damage. */
CAIRN_API int cairn_input_line(struct cairn_input *input, const char **text, size_t *n);
/* The next `n` bytes: how many there are, fewer only at the end, or a status. *bytes is valid
 * until the next are read. A record is all that was read since the slot got the last row.
 * Errors: as of cairn_input_line. */
CAIRN_API int64_t cairn_input_bytes(struct cairn_input *input, size_t n, const uint8_t **bytes);
/* For `open`: the set of the instructions, and a comment on the trace as a whole, for cairn_info
 * and writers. Errors: CAIRN_E_STATE (later than that), CAIRN_E_INVAL, CAIRN_E_NOMEM. */
CAIRN_API int cairn_input_isa(struct cairn_input *input, enum cairn_isa isa);
CAIRN_API int cairn_input_comment(struct cairn_input *input, const char *text, size_t n);
/* Reading cannot go on: why, and returns `status`. The library puts the file and the place of
 * the last record in front of the sentence. */
CAIRN_API int cairn_input_fail(struct cairn_input *input, int status, const char *fmt, ...)
	CAIRN_PRINTF(3, 4);

/* ---- the slot ---- */

/*
 * Each of these returns 1, so that `next` can end with it, or a status, which it hands on:
 * CAIRN_E_INVAL for what cannot be, CAIRN_E_STATE. Rows are copied. What the library sets
 * (places, `seq`, first child rows, `ctx`, class and traits, CAIRN_VALUE_WIDE) it overwrites.
 * The order of the calls is the order of the rows, before and behind the instruction.
 */

/* The slot's instruction, at most one. `isa` 0: that of cairn_input_isa. `size` 0: by the
 * encoding. Of an encoding of more than 4 bytes (CAIRN_INSN_ENC_BYTES) `bytes` has `size`; else
 * it is NULL. A slot without instruction holds what belongs to none; each ends a batch, so
 * what can stand before the instruction of the same slot is better given there. */
CAIRN_API int cairn_slot_insn(struct cairn_slot *slot, const struct cairn_insn *insn,
                              const void *bytes);
/* Who runs, from this slot on. */
CAIRN_API int cairn_slot_context(struct cairn_slot *slot, const struct cairn_ctx *ctx);
/* The instruction in words, as the trace has it. */
CAIRN_API int cairn_slot_asm(struct cairn_slot *slot, const char *text, size_t n);
/* A register. A known value of more than 64 bits lies at `wide`, its bytes (bits / 8, rounded
 * up) least significant first; a shorter one is in the row, and `wide` NULL. */
CAIRN_API int cairn_slot_reg(struct cairn_slot *slot, const struct cairn_reg *reg,
                             const void *wide);
/* An access. A known value of more than 8 bytes (`size`) lies at `wide`. `reg`: which of the
 * slot's registers it belongs to, counted from 1, 0 none. */
CAIRN_API int cairn_slot_mem(struct cairn_slot *slot, const struct cairn_mem *mem,
                             const void *wide);
/* An event, with `n` bytes of payload: with CAIRN_EVF_BYTES text, else arguments of 8 bytes in
 * the order of the host. Not for contexts and damage. */
CAIRN_API int cairn_slot_event(struct cairn_slot *slot, const struct cairn_event *event,
                               const void *payload, size_t n);
/* A damaged place that can be skipped: `lost` bytes (0: not known), and why. The library puts
 * the place of the last record in front. Reading strictly ends here. */
CAIRN_API int cairn_slot_damage(struct cairn_slot *slot, uint64_t lost, const char *fmt, ...)
	CAIRN_PRINTF(3, 4);

#ifdef __cplusplus
}
#endif
#endif
