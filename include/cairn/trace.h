/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAIRN_TRACE_H
#define CAIRN_TRACE_H
/*
 * The one model of an execution trace, whatever its format.
 *
 * A reader fills a batch: up to about a thousand instructions with all that
 * belongs to them, as flat arrays. Child rows (registers, memory accesses,
 * events) belong to slots 0 … n_insns; slot i's rows are
 * [insns[i].reg0, insns[i+1].reg0) and so on. Slot n_insns, the last one,
 * holds what belongs to no instruction. insns has n_insns + 2 rows: the
 * instructions, the row of the last slot, and a sentinel that ends it. The last
 * slot's row has a context, like an instruction; where it changes among the
 * slot's rows a CONTEXT event tells. Numbers of instructions to come count for
 * it: its own number is n0 + n_insns.
 *
 * Formats in which harts interleave record by record still put rows into the
 * slot of the instruction they belong to, whatever stood between.
 *
 * Instructions are numbered from 1 in trace order; number of row i is n0 + i.
 */
#include "cairn/base.h"
#include "cairn/io.h"
#include "cairn/isa.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- rows (sizes frozen per soname) ---- */

/* Flags of an instruction row. */
enum cairn_insn_flag {
	CAIRN_INSN_TAKEN = 1u << 0,     /* the branch was taken */
	CAIRN_INSN_TARGET = 1u << 1,    /* `target` is known */
	CAIRN_INSN_NOT_TAKEN = 1u << 2, /* known not to be taken (unset with TAKEN: unknown) */
	CAIRN_INSN_PC_UNKNOWN = 1u << 3,
	CAIRN_INSN_ENC_UNKNOWN = 1u << 4,
	CAIRN_INSN_ENC_BYTES = 1u << 5, /* longer than 4 bytes: `enc` is an offset into bytes */
	CAIRN_INSN_ANNULLED = 1u << 6,  /* fetched in a delay slot, did not run */
	CAIRN_INSN_ABORTED =
		1u << 7, /* an event stopped it before it retired; it may run again later */
	CAIRN_INSN_DISCARDED = 1u << 8,     /* ran in a transaction that was thrown away */
	CAIRN_INSN_DISCONTINUITY = 1u << 9, /* the flow jumped here for a reason outside the program */
	/* ETE: that it ran follows only from the return address of the exception after it. That address
	 * need not be exact, or the trace lacks branches before it (Arm ARM, SGKMTH and SRDJXM). */
	CAIRN_INSN_INFERRED = 1u << 10,
	CAIRN_INSN_USER_0 = 1u << 24 /* bits 24..31 are the caller's, readers leave them 0 */
};
#define CAIRN_INSN_NOT_EXECUTED (CAIRN_INSN_ANNULLED | CAIRN_INSN_ABORTED | CAIRN_INSN_DISCARDED)

/* One instruction. */
struct cairn_insn {           /* 48 bytes */
	uint64_t pc;              /* virtual address, as recorded, never masked */
	uint64_t target;          /* where it goes if taken */
	uint32_t enc;             /* the number the manual shows */
	uint32_t traits;          /* enum cairn_trait */
	uint32_t flags;           /* enum cairn_insn_flag */
	uint32_t rec;             /* place: marker record, relative to batch.rec0 */
	uint32_t off;             /* place: its byte offset, relative to batch.off0 */
	uint16_t ctx;             /* row of ctxs */
	uint16_t reg0, mem0, ev0; /* first child rows */
	uint8_t size;             /* bytes of encoding, 0 unknown */
	uint8_t isa;              /* enum cairn_isa */
	uint8_t cls;              /* enum cairn_class */
	uint8_t variant; /* enum cairn_isa_variant: isa | variant is what cairn_isa_decode takes */
};

/* Flags of register and memory rows. */
enum cairn_value_flag {
	CAIRN_VALUE_KNOWN = 1u << 0, /* `value` holds it (right-justified) or, with WIDE, the bytes */
	CAIRN_VALUE_WIDE = 1u << 1,  /* `value` is an offset into bytes, least significant byte first */
	CAIRN_VALUE_PA = 1u << 2,    /* memory: `pa` is known */
	CAIRN_VALUE_ADDR_UNKNOWN = 1u << 3, /* memory: `addr` (virtual) is not known */
	CAIRN_VALUE_NOT_WRITTEN = 1u << 4,  /* memory: attempted, did not happen */
	CAIRN_VALUE_ZEROES = 1u << 5,       /* register: all of it above this piece became 0 (A64: a W,
	                                 * or a B, H, S, D, V, whatever the vector length) */
	CAIRN_VALUE_DERIVED = 1u << 6,      /* the trace does not tell the row, or its value or address,
	                                 * or tells it wrongly: it follows from what else is known
	                                 * (cairn_open_opts.derive; what VIXL logs do not show) */
	CAIRN_VALUE_MARKED =
		1u << 7 /* with DERIVED: the trace has the row, and a comment that marks it */
};

/* What an instruction does with a register. */
enum cairn_reg_role {
	CAIRN_ROLE_UNKNOWN = 0,
	CAIRN_ROLE_STATE = 1, /* value before the slot's instruction, not an operand */
	CAIRN_ROLE_SRC = 2,
	CAIRN_ROLE_DST = 3,
	CAIRN_ROLE_READY = 4 /* STF INST_READY_REG: dependency removed by a tool */
};

/* One register, or a piece of one, that belongs to a slot. */
struct cairn_reg { /* 24 bytes */
	uint64_t value;
	uint32_t bits; /* width of the piece, 0 when the format does not tell */
	uint16_t num;  /* number within its class */
	uint16_t lsb;  /* lowest bit of the register this piece covers */
	uint16_t seq;  /* order within the slot, across all child rows; rows of one record may
	                 * share it: then registers, memory, events */
	uint8_t cls;   /* enum cairn_reg_class */
	uint8_t role;  /* enum cairn_reg_role */
	uint8_t flags; /* enum cairn_value_flag */
	uint8_t pad[3];
};

/* What an access does. */
enum cairn_mem_kind {
	CAIRN_MEM_UNKNOWN = 0,
	CAIRN_MEM_READ = 1,
	CAIRN_MEM_WRITE = 2,
	CAIRN_MEM_PREFETCH = 3,
	CAIRN_MEM_FETCH = 4
};

/* Who accessed memory. 0 is the instruction of the slot. */
enum cairn_initiator {
	CAIRN_BY_INSN = 0,
	CAIRN_BY_CORE = 1,
	CAIRN_BY_GPU,
	CAIRN_BY_DMA,
	CAIRN_BY_PCIE,
	CAIRN_BY_SRIO,
	CAIRN_BY_ICN,
	CAIRN_BY_ACCEL,
	CAIRN_BY_OTHER = 15
};

/* One access to memory. */
struct cairn_mem {  /* 48 bytes */
	uint64_t addr;  /* virtual address */
	uint64_t pa;    /* physical address when flags say so */
	uint64_t value; /* see cairn_value_flag */
	uint32_t size;  /* bytes */
	uint32_t attr;  /* the format's own attributes */
	uint16_t seq;
	uint16_t reg;      /* row of regs + 1 it belongs to, 0 none */
	uint16_t lane;     /* vector element */
	uint8_t kind;      /* enum cairn_mem_kind */
	uint8_t initiator; /* enum cairn_initiator */
	uint8_t unit;      /* which one of that initiator */
	uint8_t flags;     /* enum cairn_value_flag */
	uint16_t words;    /* WIDE: 8-byte words of value recorded */
	uint8_t pad[4];
};

/* Where an event stands relative to its slot's instruction. */
enum cairn_phase { CAIRN_BEFORE = 0, CAIRN_ON = 1, CAIRN_AFTER = 2 };

/* Kinds of events, and what `code`, `target` and the payload hold. Values are frozen. */
enum cairn_event_kind {
	CAIRN_EV_NONE = 0,
	/* places in the trace itself */
	CAIRN_EV_DAMAGE =
		1,            /* bytes: the sentence; code: byte offset; target: bytes lost (0 unknown) */
	CAIRN_EV_GAP = 2, /* instructions are missing; code: how many, UINT64_MAX unknown; bytes: why */
	CAIRN_EV_COMMENT = 3, /* bytes: text */
	/* flow */
	CAIRN_EV_EXCEPTION = 8, /* synchronous; code: the format's number; target: handler, if known;
	                           * args: metadata, in the format's order */
	CAIRN_EV_INTERRUPT = 9, /* asynchronous */
	CAIRN_EV_SYSCALL = 10,
	CAIRN_EV_TRAP_RETURN = 11,
	CAIRN_EV_MODE = 12,     /* code: new privilege (enum cairn_priv) */
	CAIRN_EV_FORCE_PC = 13, /* target: the address the flow is forced to */
	CAIRN_EV_BRANCH = 14,   /* a branch seen without its instruction; target */
	CAIRN_EV_CONTEXT = 15,  /* the context changes here; code: row of ctxs from here on */
	CAIRN_EV_MODE_ISA = 16, /* the instruction encoding mode changes; code: enum cairn_isa */
	/* memory system */
	CAIRN_EV_PAGE_WALK =
		24, /* code: va; args: first-access index, page bytes, then (pa, pte) pairs, leaf last */
	CAIRN_EV_TLB = 25,
	CAIRN_EV_SNOOP = 26,
	/* extras */
	CAIRN_EV_MICRO_OP = 32, /* code: the micro-operation; args[0]: size in bytes */
	CAIRN_EV_TIMESTAMP =
		33, /* code: time; args[0], if told: cycles since the last count, which goes on */
	CAIRN_EV_CYCLES = 34, /* code: cycles since the last count */
	CAIRN_EV_MARKER = 35, /* code: marker or user event number */
	CAIRN_EV_TRACE_ON = 36,
	CAIRN_EV_ATOM = 37,  /* a branch outcome without an image; code: 1 taken, 0 not */
	CAIRN_EV_FORMAT = 63 /* something only the format names; name via cairn_event_name */
};

/* Flags of an event row. */
enum cairn_event_flag {
	CAIRN_EVF_TARGET = 1u << 0, /* `target` is known */
	CAIRN_EVF_BYTES = 1u << 1,  /* the payload is text or bytes, not 64-bit args */
	CAIRN_EVF_RECORD = 1u << 2  /* an event or trap record of the trace: what cairn_count counts.
	                             * Others follow from an instruction, or tell of something else */
};

/* Something that happened at a slot beside its instruction. */
struct cairn_event { /* 32 bytes */
	uint64_t code;
	uint64_t target;
	uint32_t args; /* offset of the payload in bytes */
	uint32_t len;  /* payload bytes: 8 per argument (host order), or the text's length */
	uint16_t seq;
	uint8_t kind;  /* enum cairn_event_kind */
	uint8_t phase; /* enum cairn_phase: before, on or after its slot's instruction */
	uint8_t flags; /* enum cairn_event_flag */
	uint8_t pad[3];
};

/* One bus transaction (STF specification, transaction records). 96 bytes. A batch of transactions
 * has one slot, whose rows come after all of them. */
struct cairn_xact {
	uint64_t id;
	uint64_t delta;                 /* cycles since the previous transaction of its clock */
	uint64_t source, sink, address; /* see `known` */
	uint32_t data, data_len;        /* offset into bytes, length */
	uint32_t mask, mask_bits;       /* packed bits, bit i = byte i/8 bit i%8 */
	uint32_t meta,
		n_meta; /* offset into bytes of n_meta 16-byte rows {u64 width in bytes, u64 value} */
	uint32_t deps,
		n_deps;        /* offset into bytes of n_deps 24-byte rows {u64 id, u64 delta, u64 clock} */
	uint32_t rec, off; /* place, relative to the batch */
	uint8_t protocol, channel, clock, code, param, size;
	uint8_t known; /* enum cairn_xact_known */
	uint8_t pad[9];
};
/* Which fields of a transaction are known. */
enum cairn_xact_known {
	CAIRN_XACT_OP = 1u << 0, /* code, param, size and source */
	CAIRN_XACT_ADDRESS = 1u << 1,
	CAIRN_XACT_SINK = 1u << 2,
	CAIRN_XACT_DATA = 1u << 3,
	CAIRN_XACT_MASK = 1u << 4
};

/* Privilege: RISC-V's modes, and Arm's exception levels. */
enum cairn_priv {
	CAIRN_PRIV_USER = 0,
	CAIRN_PRIV_SUPERVISOR = 1,
	CAIRN_PRIV_HYPERVISOR = 2,
	CAIRN_PRIV_MACHINE = 3,
	CAIRN_PRIV_EL0 = 8,
	CAIRN_PRIV_EL1 = 9,
	CAIRN_PRIV_EL2 = 10,
	CAIRN_PRIV_EL3 = 11
};
/* Which fields of a context are known. */
enum cairn_ctx_known {
	CAIRN_CTX_HART = 1u << 0,
	CAIRN_CTX_PRIV = 1u << 1,
	CAIRN_CTX_SECURITY = 1u << 2,
	CAIRN_CTX_HW_TID = 1u << 3,
	CAIRN_CTX_PID = 1u << 4,
	CAIRN_CTX_TID = 1u << 5,
	CAIRN_CTX_ASID = 1u << 6,
	CAIRN_CTX_VMID = 1u << 7,
	CAIRN_CTX_CTXID = 1u << 8
};

/* Who runs: a context is a row of the batch; `known` says which fields are. */
struct cairn_ctx {  /* 40 bytes */
	uint64_t ctxid; /* Arm: CONTEXTIDR */
	uint32_t known; /* enum cairn_ctx_known */
	/* hardware thread, process, thread, address space, virtual machine */
	uint32_t hw_tid, pid, tid, asid, vmid;
	uint16_t hart;    /* the processor that runs it */
	uint8_t priv;     /* enum cairn_priv */
	uint8_t security; /* 0 secure, 1 non-secure, 2 root, 3 realm */
	uint8_t pad[4];
};

/* An instruction in words, as the trace itself has it. */
struct cairn_asm { /* 8 bytes */
	uint32_t text; /* offset into bytes */
	uint32_t len;  /* 0: the trace has none */
};

/* ---- the batch ---- */

enum cairn_part { /* what a batch holds, a reader can give, a caller wants */
	              CAIRN_PC = 1u << 0,
	              CAIRN_ENC = 1u << 1,
	              CAIRN_CLASS = 1u << 2,
	              CAIRN_TARGET = 1u << 3,
	              CAIRN_CONTEXT = 1u << 4,
	              CAIRN_REGS = 1u << 5,
	              CAIRN_REG_VALUES = 1u << 6,
	              CAIRN_MEMS = 1u << 7,
	              CAIRN_MEM_VALUES = 1u << 8,
	              CAIRN_EVENTS = 1u << 9,
	              CAIRN_BYTES = 1u << 10,
	              CAIRN_PLACES = 1u << 11,
	              CAIRN_XACTS = 1u << 12,
	              CAIRN_EVERYTHING = (1u << 13) - 1,
	              /* Not a part but a promise of the batch: seq is a place, a child row's record is
	 * the `rec` of its slot's row + seq (logs of state, where the line is all the place
	 * there is). */
	              CAIRN_ROW_PLACES = 1u << 13,
	              CAIRN_ASM = 1u << 14 /* the trace's own disassembly: asms */
};

/* Row capacities. A batch ends before a slot that might not fit; what one slot
 * has beyond half of these is dropped and counted in a damage event. */
enum cairn_cap {
	CAIRN_CAP_INSNS = 1024,
	CAIRN_CAP_REGS = 16384,
	CAIRN_CAP_MEMS = 16384,
	CAIRN_CAP_EVENTS = 8192,
	CAIRN_CAP_XACTS = 1024,
	CAIRN_CAP_CTXS = 1024,
	CAIRN_CAP_BYTES = 1 << 21
};

/* A piece of a trace. */
struct cairn_batch {
	uint64_t n0;         /* number of insns[0] */
	uint64_t x0;         /* number of xacts[0] */
	uint64_t rec0, off0; /* base of the places */
	uint32_t have;       /* enum cairn_part filled */
	/* rows of the arrays below, and bytes of `bytes` */
	uint32_t n_insns, n_regs, n_mems, n_events, n_xacts, n_ctxs, n_bytes;
	struct cairn_insn *insns;
	struct cairn_reg *regs;
	struct cairn_mem *mems;
	struct cairn_event *events;
	struct cairn_xact *xacts;
	struct cairn_ctx *ctxs; /* row 0: the context at the batch's first slot */
	uint8_t *bytes;         /* wide values, payloads and texts, which rows point into by offset */
	struct cairn_asm *asms; /* one for each of insns, where `have` says CAIRN_ASM */
};

/* A batch belongs to the caller and may be reused by any reader of any format.
 * NULL when out of memory. */
CAIRN_API struct cairn_batch *cairn_batch_new(struct cairn *cairn);
/* Free a batch, with the context it was made in. */
CAIRN_API void cairn_batch_free(struct cairn *cairn, struct cairn_batch *batch);

/* Argument `index`, from 0, of an event that has more than `index` (event->len / 8). */
CAIRN_API uint64_t cairn_event_arg(const struct cairn_batch *batch, const struct cairn_event *event,
                                   unsigned index);

/* ---- records: the format's own smallest units, exactly ---- */

/* How a field of a record is printed. */
enum cairn_field_kind {
	CAIRN_FIELD_HEX, /* print as 0x…, `width` bytes wide */
	CAIRN_FIELD_DEC,
	CAIRN_FIELD_NAME,  /* `text` is the value's name, `value` the number */
	CAIRN_FIELD_TEXT,  /* `text`, `len`: bytes of text, not terminated */
	CAIRN_FIELD_BYTES, /* `text`, `len`: raw bytes, shown in hex as stored */
	CAIRN_FIELD_WIDE   /* `text`, `len`: one number, least significant byte first */
};
/* One field of a record. */
struct cairn_field {
	const char *name;
	const char *text; /* see cairn_field_kind */
	uint64_t value;   /* the number */
	uint32_t len;     /* bytes of `text` */
	uint8_t kind;     /* enum cairn_field_kind */
	uint8_t width;    /* bytes on disk */
	uint8_t name_len; /* strlen(name), or 0: not counted */
	uint8_t reserved;
};
/* The most fields a record has. */
enum { CAIRN_MAX_FIELDS = 64 };

/* One record, as cairn_next_record gives it. */
struct cairn_record {
	uint64_t number;     /* from 1 */
	uint64_t offset;     /* byte offset after decompression */
	uint64_t insn;       /* number of the instruction (or transaction) it belongs to, 0 none */
	const char *name;    /* without prefix and suffix: "INST_REG" */
	const uint8_t *data; /* the stored bytes */
	uint32_t size;       /* how many */
	uint16_t type;       /* the format's number */
	uint16_t n_fields;
	const struct cairn_field *fields;
	uint64_t reserved;
};

/* ---- reading ---- */

struct cairn_reader;
struct cairn_image;

/* How to open a trace. */
struct cairn_open_opts {
	size_t size;      /* sizeof(struct cairn_open_opts) */
	const char *from; /* "FORMAT[:option,…]" instead of guessing; NULL: guess. "?FORMAT…" is for
	                      * traces that look like that format, or like none; others are guessed */
	int strict;       /* the first damaged place ends reading with CAIRN_E_DAMAGED */
	int no_index;     /* do not look for an index beside the trace */
	int lenient;      /* for cairn_check: a header that breaks its format's rules is read as
	                   * far as it can be instead of being refused */
	const char *part_of; /* a format's name: bytes of no known format are opened as a part of
	                      * such a trace if they can be one; NULL: they are refused */
	/* The program that ran, for formats that record only where it branched (ETE); it must
	 * stay until cairn_close. NULL: none. */
	const struct cairn_image *image;
	/* Execute the instructions (cairn/exec.h), and add to batches what follows from what the trace
	 * has told: registers, addresses and contents, marked CAIRN_VALUE_DERIVED. What the trace tells
	 * stays as it is. Such a reader always reads from the trace's beginning, decodes on one thread,
	 * and uses no index; records, and cairn_count, are those of the trace itself. */
	int derive;
};

/* Open a trace by path, "-" for standard input. The format is found by content.
 * Errors: CAIRN_E_NOTFOUND, CAIRN_E_IO, CAIRN_E_FORMAT, CAIRN_E_DAMAGED,
 * CAIRN_E_UNSUPPORTED, CAIRN_E_INVAL (unknown option), CAIRN_E_NOMEM. */
CAIRN_API int cairn_open(struct cairn *cairn, const char *path, const struct cairn_open_opts *opts,
                         struct cairn_reader **out);
/* The same over memory that the caller keeps until cairn_close. */
CAIRN_API int cairn_open_memory(struct cairn *cairn, const void *data, size_t n,
                                const struct cairn_open_opts *opts, struct cairn_reader **out);
/* The same over bytes that come as they are asked for. `name` is what errors call them. */
CAIRN_API int cairn_open_stream(struct cairn *cairn, const char *name, cairn_read_fn *read,
                                void *user, const struct cairn_open_opts *opts,
                                struct cairn_reader **out);
/* Close a reader, and free all it gave. */
CAIRN_API void cairn_close(struct cairn_reader *reader);
/* 1 if the trace has no beginning of its own, and so may continue another one of its
 * format (a trace in several files); else 0. */
CAIRN_API int cairn_reader_is_part(const struct cairn_reader *reader);
/* The i-th option that a format takes behind its name, for reading (--from) or `writing` (--to):
 * 1, or 0 behind the last. Of "stf:events=32" `format` is "STF", `name` "events", `values` "32|64" (NULL: the
 * name stands alone), and `meaning` says what it does. */
CAIRN_API int cairn_format_option(int writing, size_t index, const char **format, const char **name,
                                  const char **values, const char **meaning);
/* The name of its format: "STF". */
CAIRN_API const char *cairn_reader_format(const struct cairn_reader *reader);

/* What the caller will look at (enum cairn_part); the rest may stay unfilled.
 * Default: CAIRN_EVERYTHING and CAIRN_ASM. Call before the first read. */
CAIRN_API void cairn_reader_want(struct cairn_reader *reader, uint32_t parts);
/* What was derived so far. */
struct cairn_derived {
	size_t size; /* sizeof(struct cairn_derived) */
	/* registers written and read, addresses of accesses, what was loaded and stored */
	uint64_t results, sources, addresses, loads, stores;
};
/* CAIRN_E_INVAL when the size is not set. All are 0 of a reader that does not derive. */
CAIRN_API int cairn_reader_derived(const struct cairn_reader *reader, struct cairn_derived *out);
/* What this trace can ever give. */
CAIRN_API uint32_t cairn_reader_can(const struct cairn_reader *reader);
/* 1 if the trace records only branches, so that the program (cairn_open_opts.image) is needed to
 * know which instructions ran, and none was given. */
CAIRN_API int cairn_reader_lacks_program(const struct cairn_reader *reader);

/* Fill the next batch: 1, 0 at the end, < 0 when it cannot go on. A damaged place
 * that can be skipped is an event in the batch, and counted (cairn_damage). */
CAIRN_API int cairn_next(struct cairn_reader *reader, struct cairn_batch *batch);
/* Position so that the next batch begins at or before instruction (or
 * transaction) `n` and as near as the format allows; look at batch.n0 and x0.
 * Errors: CAIRN_E_NOTFOUND past the end, CAIRN_E_STATE on a pipe already past it. */
CAIRN_API int cairn_seek(struct cairn_reader *reader, uint64_t n);
/* How the trace is read where it departs from its specification without saying so (sizes in bits
 * …): sentence `index`, from 0, or NULL past the last. Valid until the next call. */
CAIRN_API const char *cairn_reader_reading(struct cairn_reader *reader, size_t index);
/* How much of the input has been read, 0 to 1; < 0 when its size is unknown. */
CAIRN_API double cairn_progress(const struct cairn_reader *reader);
/* Bytes of the input, as it is stored, that have been read. May be asked from any thread, as
 * cairn_progress may. */
CAIRN_API uint64_t cairn_bytes_read(const struct cairn_reader *reader);
/* The next record, or 0 at the end. Views are valid until the next call. Do not mix
 * with cairn_next on one reader. */
CAIRN_API int cairn_next_record(struct cairn_reader *reader, struct cairn_record *rec);

/* How many damaged places were met so far. */
CAIRN_API uint64_t cairn_damage_count(const struct cairn_reader *reader);
/* The sentence about damaged place `index`, from 0, in trace order; the first 100 are kept, NULL
 * beyond. */
CAIRN_API const char *cairn_damage_text(const struct cairn_reader *reader, size_t index);
/* What a user should know of what was read so far although it is no damage (a trace source that
 * was left out): sentence `index`, from 0; NULL past the last. */
CAIRN_API const char *cairn_reader_note(const struct cairn_reader *reader, size_t index);

/* ---- what a file is ---- */

/* An ordered list of facts. Repeated keys form a list. */
struct cairn_fact {
	const char *key;  /* "version" */
	const char *text; /* text form; NULL: the number; both absent: unknown */
	uint64_t number;
	/* `number` holds it; it is known; its key may come again; the number means yes or no */
	uint8_t is_number, is_known, is_list, is_true_false;
};
/* The facts about a trace, in the order in which they are shown. */
struct cairn_info {
	size_t n;
	struct cairn_fact *facts;
};
/* Get the facts that are known without reading everything. Errors: those of reading. */
CAIRN_API int cairn_reader_info(struct cairn_reader *reader, const struct cairn_info **info);
/* The same, and the facts for which a format reads everything (how many packets of each type an
 * ETE trace has). Replaces what cairn_reader_info gave. Afterwards nothing can be read from a
 * pipe any more. Errors: those of reading. */
CAIRN_API int cairn_reader_survey(struct cairn_reader *reader, const struct cairn_info **info);

/* ---- counting ---- */

/* How many things of each kind a trace, or a part of it, holds. */
struct cairn_tally {
	size_t size; /* sizeof(struct cairn_tally) */
	uint64_t instructions, executed, transactions, records, loads, stores, branches, branches_taken,
		events, contexts;
	uint64_t by_record[256]; /* by the format's record number */
	/* loads and stores by class; `loads` and `stores` are these where `accesses` is 0: no
	 * instruction reads or writes memory */
	uint64_t class_loads, class_stores, accesses;
	uint64_t missing; /* instructions that ran and are not there, where the format says how many */
	uint64_t records_unknown; /* not 0: cairn_count counted batches, which know no records */
	uint64_t
		outcomes_unknown; /* conditional branches of which the trace does not tell the outcome */
};
/* Count the rest of the trace on `threads` threads; after a seek, from the piece of
 * the trace that holds the number sought. Errors: CAIRN_E_INVAL (the tally's size is not set),
 * and those of cairn_run. */
CAIRN_API int cairn_count(struct cairn_reader *reader, unsigned threads, struct cairn_tally *tally);
/* Name of record number `type` in this trace's format, or NULL. */
CAIRN_API const char *cairn_record_name(const struct cairn_reader *reader, unsigned type);
/* Name of an event in the words of the trace's format ("LOAD_PAGE_FAULT"); `buf`
 * of at least 32 bytes is used when it is not a constant. */
CAIRN_API const char *cairn_event_name(const struct cairn_reader *reader,
                                       const struct cairn_event *event, char *buf);

/* ---- running analyses over a trace on several threads ---- */

/* A reducer: begin makes a partial for one span of the trace, feed gives it the
 * span's batches in order (both run in parallel with other spans), fold takes
 * the partials one at a time in trace order and frees them. Results are the same
 * for every number of threads. Return < 0 from any to end the run with that
 * status; 1 from fold or flush to end it quietly, whatever follows. A partial whose span
 * failed, in feed or before, is still folded, for what it holds came first; a span
 * without a partial (begin made none, or it lies before the place sought) is not. */
struct cairn_reducer {
	size_t size;
	int (*begin)(void *user, void **partial);
	int (*feed)(void *user, void *partial, const struct cairn_batch *batch);
	/* instead of feed: the records of the span */
	int (*feed_record)(void *user, void *partial, const struct cairn_record *rec);
	int (*fold)(void *user, void *partial);
	void (*drop)(void *user, void *partial); /* a partial that will not be folded */
	/* A reducer whose partials grow (text) may give both: held tells the bytes a
	 * partial holds, flush empties it early, called when everything before it has
	 * been folded. */
	size_t (*held)(void *user, const void *partial);
	int (*flush)(void *user, void *partial);
};
/* Run from the reader's position to instruction (transaction) `last`, or to the
 * end with UINT64_MAX. Batches are delivered whole: the first and last may hold
 * instructions outside. Errors of a worker surface in trace order. A run that ended
 * before the end leaves no position: seek before reading on.
 * Errors: CAIRN_E_INVAL (a reducer without fold, with neither or both of feed and
 * feed_record, or with only one of held and flush), CAIRN_E_STATE, CAIRN_E_DAMAGED
 * when reading strictly, CAIRN_E_CANCELLED, CAIRN_E_UNSUPPORTED (no records), and what
 * the format and the reducer return. */
CAIRN_API int cairn_run(struct cairn_reader *reader, const struct cairn_reducer *red, void *user,
                        uint64_t last, unsigned threads);

/* ---- writing ---- */

/* What a conversion could not carry over, by kind. */
struct cairn_loss {
	const char *what; /* "register values wider than 64 bits" */
	uint64_t count;
	uint64_t first; /* instruction (transaction) number of the first; 0 nowhere in particular */
};
/* The losses of a conversion. */
struct cairn_ledger {
	size_t n;
	struct cairn_loss *losses; /* in the order first met */
};
/* Free a ledger, with the context it comes from. */
CAIRN_API void cairn_ledger_free(struct cairn *cairn, struct cairn_ledger *ledger);

struct cairn_writer;

/* How to write a trace. */
struct cairn_create_opts {
	size_t size;       /* sizeof(struct cairn_create_opts) */
	const char *to;    /* "FORMAT[:option,…]"; NULL: by the output's name */
	const char *codec; /* "gzip", "none"; NULL: by the output's name */
	int level;         /* of compression; 0: the codec's default */
	unsigned threads;  /* for compression; 0: 1 */
	int lossless;      /* the first thing that cannot be carried ends writing with CAIRN_E_LOSS */
	int lossy;         /* as in struct cairn_output */
};

/* Create a trace: the format by `to` or by the output's name (before a codec's suffix).
 * Errors: CAIRN_E_INVAL (no such format, codec or option), CAIRN_E_IO, CAIRN_E_STATE (a
 * container to a pipe), CAIRN_E_NOMEM. */
CAIRN_API int cairn_create(struct cairn *cairn, const char *path,
                           const struct cairn_create_opts *opts, struct cairn_writer **out);
/* The name of the format that cairn_create writes to `path` when `to` is NULL: "STF"; NULL when the
 * path's ending names none. */
CAIRN_API const char *cairn_format_for_name(const struct cairn *cairn, const char *path);
/* Name the reader that the batches come from, before the first batch: a writer of the same format
 * then also writes the events that only this format has. Writers of other formats ignore it.
 * Errors: CAIRN_E_STATE (after the first batch). */
CAIRN_API int cairn_writer_from(struct cairn_writer *writer, const struct cairn_reader *reader);
/* Write what a batch holds. Batches come in trace order; they may be of any size and
 * have holes in their numbering. The first error stays: every later call returns it.
 * Errors: CAIRN_E_LOSS, CAIRN_E_IO, CAIRN_E_PIPE, CAIRN_E_NOMEM. */
CAIRN_API int cairn_put(struct cairn_writer *writer, const struct cairn_batch *batch);
/* Complete the trace and give its file its name. Frees the writer, on failure too; then there is
 * no file. *ledger belongs to the caller (cairn_ledger_free), on failure too; `ledger` may be
 * NULL. Errors: those of cairn_put. */
CAIRN_API int cairn_finish(struct cairn_writer *writer, struct cairn_ledger **ledger);
/* cairn_finish for a trace that cannot be made again. When the disk is full or the file too large
 * (CAIRN_E_IO), now or in an earlier cairn_put, the readable part is kept beside the output as
 * NAME.damaged, or NAME.damaged-2 … where that name is taken. `kept` (`size` bytes) gets its path,
 * "" when nothing is kept; *instructions gets how many can be read, 0 also where the program is
 * needed to know. STF that would have been compressed as a whole may be kept as raw STF. All else
 * is as with cairn_finish. */
CAIRN_API int cairn_finish_or_keep(struct cairn_writer *writer, struct cairn_ledger **ledger,
                                   char *kept, size_t size, uint64_t *instructions);
/* Close and leave no file. NULL is fine. */
CAIRN_API void cairn_discard(struct cairn_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
