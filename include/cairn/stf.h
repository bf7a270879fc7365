/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAIRN_STF_H
#define CAIRN_STF_H
/*
 * STF, Simple Trace Format, at the record level: exact. Reading records and
 * writing them again gives the same bytes. Versions 1.2 to 1.6.
 */
#include "cairn/base.h"
#include "cairn/isa.h"
#include "cairn/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Record descriptors (STF specification, "Specification of Records"). */
enum cairn_stf_type {
	CAIRN_STF_IDENTIFIER = 1,
	CAIRN_STF_VERSION = 2,
	CAIRN_STF_COMMENT = 3,
	CAIRN_STF_ISA = 4,
	CAIRN_STF_INST_IEM = 5,
	CAIRN_STF_TRACE_INFO = 6,
	CAIRN_STF_TRACE_INFO_FEATURE = 7,
	CAIRN_STF_PROCESS_ID_EXT = 8,
	CAIRN_STF_FORCE_PC = 9,
	CAIRN_STF_VLEN_CONFIG = 10,
	CAIRN_STF_PROTOCOL_ID = 11,
	CAIRN_STF_CLOCK_ID = 12,
	CAIRN_STF_ISA_EXTENDED = 13,
	CAIRN_STF_END_HEADER = 19,
	CAIRN_STF_INST_PC_TARGET = 31,
	CAIRN_STF_INST_REG = 40,
	CAIRN_STF_INST_READY_REG = 41,
	CAIRN_STF_PAGE_TABLE_WALK = 50,
	CAIRN_STF_INST_MEM_ACCESS = 60,
	CAIRN_STF_INST_MEM_CONTENT = 61,
	CAIRN_STF_BUS_MASTER_ACCESS = 62,
	CAIRN_STF_BUS_MASTER_CONTENT = 63,
	CAIRN_STF_EVENT = 100,
	CAIRN_STF_EVENT_PC_TARGET = 101,
	CAIRN_STF_INST_MICROOP = 230,
	CAIRN_STF_INST_32 = 240,
	CAIRN_STF_INST_16 = 241,
	CAIRN_STF_TRANSACTION = 250,
	CAIRN_STF_TRANSACTION_DEPENDENCY = 251,
	CAIRN_STF_RESERVED_END = 255
};

/* Bits of TRACE_INFO_FEATURE (from the public library; not in the specification). */
enum cairn_stf_feature {
	CAIRN_STF_F_PHYSICAL_ADDRESS = 1u << 0,
	CAIRN_STF_F_DATA_ATTRIBUTE = 1u << 1,
	CAIRN_STF_F_OPERAND_VALUE = 1u << 2,
	CAIRN_STF_F_EVENT = 1u << 3,
	CAIRN_STF_F_SYSTEMCALL_VALUE = 1u << 4,
	CAIRN_STF_F_RV64 = 1u << 5,
	CAIRN_STF_F_INT_DIV_OPERAND_VALUE = 1u << 6,
	CAIRN_STF_F_SAMPLING = 1u << 7,
	CAIRN_STF_F_PTE = 1u << 8,
	CAIRN_STF_F_SIMPOINT = 1u << 9,
	CAIRN_STF_F_PROCESS_ID = 1u << 10,
	CAIRN_STF_F_PTE_ONLY = 1u << 11,
	CAIRN_STF_F_NEED_POST_PROCESS = 1u << 12,
	CAIRN_STF_F_REG_STATE = 1u << 13,
	CAIRN_STF_F_MICROOP = 1u << 14,
	CAIRN_STF_F_MULTI_THREAD = 1u << 15,
	CAIRN_STF_F_MULTI_CORE = 1u << 16,
	CAIRN_STF_F_PTE_HW_AD = 1u << 17,
	CAIRN_STF_F_VEC = 1u << 18,
	CAIRN_STF_F_EVENT64 = 1u << 19,
	CAIRN_STF_F_TRANSACTIONS = 1u << 20
};

/* What decides the length and meaning of records: known after the header. */
struct cairn_stf_config {
	uint16_t version_major, version_minor;
	uint16_t isa;            /* ISA record; 1 RISC-V */
	uint16_t iem;            /* INST_IEM of the header; 1 RV32, 2 RV64 */
	uint64_t features;       /* TRACE_INFO_FEATURE */
	uint32_t vlen;           /* bits, 0 none */
	uint8_t event_bits;      /* 32 or 64: width of an event's id. Writing a header, 0: 64 for
	                     * RV64 from version 1.5 on, else 32 */
	uint8_t new_ids;         /* PROCESS_ID_EXT is hardware thread, PID, TID */
	uint8_t protocol;        /* PROTOCOL_ID; 1 TileLink, 0 not a transaction trace */
	uint8_t spec_initiators; /* BUS_MASTER_ACCESS counts initiators as the specification
	                     * does (0 core … 6 ACCEL); 0: as the public library (1 core … 6 ICN) */
	uint8_t variants;        /* enum cairn_isa_variant that ISA_EXTENDED names */
	uint8_t reserved[7];     /* zeros */
};

/* Length of the record at `p` in bytes, descriptor included. 0: it does not end
 * within `n`. CAIRN_E_DAMAGED: no such record (or one that cannot be measured). */
CAIRN_API int64_t cairn_stf_record_length(const struct cairn_stf_config *cfg, const uint8_t *p,
                                          size_t n);

/* Take a record apart into named fields (at most CAIRN_MAX_FIELDS; long lists are
 * one field of bytes). Views point into `p`. Returns the number of fields or
 * CAIRN_E_DAMAGED. */
CAIRN_API int cairn_stf_fields(const struct cairn_stf_config *cfg, const uint8_t *p, size_t n,
                               struct cairn_field *fields);

/* ---- the header, taken apart ---- */

/* Text as a header holds it: bytes, not terminated by a zero they have. */
struct cairn_stf_text {
	const char *text;
	size_t n;
};
/* Who made or changed a trace: TRACE_INFO. */
struct cairn_stf_generator {
	uint8_t id; /* 1 QEMU, 3 gem5, 6 Spike … 0x40 cairn */
	uint8_t version[3];
	struct cairn_stf_text comment;
};
/* A clock of a transaction trace: CLOCK_ID. */
struct cairn_stf_clock {
	uint8_t id; /* not 0 */
	struct cairn_stf_text name;
};

/* The whole header group. What it points to is its own: change the lists through the
 * functions below; numbers and flags are the caller's to set. */
struct cairn_stf_header {
	struct cairn_stf_config cfg;
	uint64_t pc;     /* FORCE_PC: address of the first instruction */
	uint32_t ids[3]; /* PROCESS_ID_EXT, in the order of the record */
	uint8_t has_pc, has_ids, has_features, has_isa, has_iem; /* without has_pc no FORCE_PC */
	struct cairn_stf_text isa_extended;                      /* text NULL: no such record */
	size_t n_comments, n_generators, n_clocks;
	struct cairn_stf_text *comments;
	struct cairn_stf_generator *generators;
	struct cairn_stf_clock *clocks; /* the first is the default clock */
	struct cairn *c;
};

/* What a tool that changes a trace says of itself. All may be left 0. */
struct cairn_stf_provenance {
	size_t size;                  /* sizeof(struct cairn_stf_provenance) */
	const char *tool;             /* "cairn slice"; NULL: "cairn" */
	const char *command;          /* the command line; NULL: not told */
	const char *const *libraries; /* "zstd 1.5.4", …, NULL; NULL: cairn_features() */
	uint8_t generator;            /* 0: 0x40 */
	uint8_t version[3];           /* with a generator of one's own */
	const char
		*version_text; /* the same as text, for the comment; NULL: cairn's, and its git SHA */
};

/* An empty header of version 1.6 for RISC-V, RV64.
 * Errors: CAIRN_E_NOMEM. */
CAIRN_API int cairn_stf_header_new(struct cairn *cairn, struct cairn_stf_header **out);
/* Take the header group at the start of `p` apart, up to END_HEADER. Errors: CAIRN_E_FORMAT,
 * CAIRN_E_UNSUPPORTED (version), CAIRN_E_DAMAGED, CAIRN_E_TRUNCATED (no END_HEADER in `n` bytes),
 * CAIRN_E_NOMEM. */
CAIRN_API int cairn_stf_header_read(struct cairn *cairn, const uint8_t *p, size_t n,
                                    struct cairn_stf_header **out);
/* The header of a trace that is open. CAIRN_E_UNSUPPORTED when it is not STF; a header
 * that ends without END_HEADER is taken as far as it goes. */
CAIRN_API int cairn_stf_header_of(struct cairn_reader *reader, struct cairn_stf_header **out);
/* Free a header, and all it points to. */
CAIRN_API void cairn_stf_header_free(struct cairn_stf_header *header);

/* Append a comment. Texts are copied. Errors of all three: CAIRN_E_NOMEM; CAIRN_E_INVAL: too long
 * for its record, a comment that ends in a NUL (STF specification 1.3, CommentRecord), a generator
 * id that the public tools do not know (they abort on it), a clock id that is 0 or taken. */
CAIRN_API int cairn_stf_header_comment(struct cairn_stf_header *header, const char *text, size_t n);
/* The same for a generator. */
CAIRN_API int cairn_stf_header_generator(struct cairn_stf_header *header, uint8_t id,
                                         const uint8_t version[3], const char *comment);
/* The same for a clock. */
CAIRN_API int cairn_stf_header_clock(struct cairn_stf_header *header, uint8_t id, const char *name);
/* Set the ISA_EXTENDED record; NULL removes it. Errors: CAIRN_E_INVAL (too long), CAIRN_E_NOMEM. */
CAIRN_API int cairn_stf_header_isa_extended(struct cairn_stf_header *header, const char *isa);
/* Remove comment `index`, from 0; the rest moves up. CAIRN_E_NOTFOUND past the last. */
CAIRN_API int cairn_stf_header_drop_comment(struct cairn_stf_header *header, size_t index);
/* The same for generator `index`. */
CAIRN_API int cairn_stf_header_drop_generator(struct cairn_stf_header *header, size_t index);
/* Append the comment and the TRACE_INFO of a tool behind those that are there. A pure
 * change of packing appends nothing: it does not call this. */
CAIRN_API int cairn_stf_header_provenance(struct cairn_stf_header *header,
                                          const struct cairn_stf_provenance *given);
/* What keeps this header from being written as version 1.`minor`, NULL when nothing
 * does. The sentence is a constant. */
CAIRN_API const char *cairn_stf_header_version_obstacle(const struct cairn_stf_header *header,
                                                        unsigned minor);

/* The feature bits a record makes true (EVENT for an EVENT …). */
CAIRN_API uint64_t cairn_stf_record_features(const struct cairn_stf_config *cfg, const uint8_t *p,
                                             size_t n);
/* The bits that records make true; the others (SAMPLING, SIMPOINT …) tell how the trace
 * was made: only its maker knows. */
#define CAIRN_STF_F_SEEN \
	(CAIRN_STF_F_DATA_ATTRIBUTE | CAIRN_STF_F_OPERAND_VALUE | CAIRN_STF_F_EVENT | \
	 CAIRN_STF_F_RV64 | CAIRN_STF_F_PTE | CAIRN_STF_F_PROCESS_ID | CAIRN_STF_F_REG_STATE | \
	 CAIRN_STF_F_MICROOP | CAIRN_STF_F_VEC | CAIRN_STF_F_EVENT64 | CAIRN_STF_F_TRANSACTIONS)

/* ---- writing ---- */

/*
 * One writer, three ways to feed it; finish and abort are the same for all.
 *
 * Records: cairn_stf_put_record, as they stand on disk. A trace whose header came
 * record by record is a copy: byte-exact, in any order.
 * Header and records: cairn_stf_put_header_group (or cairn_stf_put_header), then records.
 * Instructions or transactions: cairn_stf_begin, then cairn_stf_put or
 * cairn_stf_put_transaction; the library derives the records.
 */
struct cairn_stf_writer;

/* How to write an STF file. */
struct cairn_stf_write_opts {
	size_t size;           /* sizeof(struct cairn_stf_write_opts) */
	const char *container; /* "stf": raw; "zstf"; NULL: by the output's name */
	const char *codec;     /* codec around a raw stream ("gzip"); NULL: by name, else none */
	int level;             /* compression level; 0: the codec's default */
	uint32_t chunk;        /* .zstf: markers a chunk; 0: 100000 */
	unsigned threads;      /* compression threads; 0: 1 */
	/* Measure records by this and not by what the header says: for copies of traces
	 * that were opened with options. NULL: believe the header. */
	const struct cairn_stf_config *config;
};

/* Create an STF file; bytes go to a file of another name beside it until
 * cairn_stf_finish.
 * Errors: CAIRN_E_IO, CAIRN_E_INVAL, CAIRN_E_STATE (.zstf to a pipe), CAIRN_E_NOMEM. */
CAIRN_API int cairn_stf_create(struct cairn *cairn, const char *path,
                               const struct cairn_stf_write_opts *opts,
                               struct cairn_stf_writer **out);

/* ---- writing records ---- */

/* Append one record as it stands on disk (descriptor first). Records of the header teach
 * the writer the configuration. CAIRN_E_DAMAGED when `n` is not exactly one record,
 * CAIRN_E_STATE when order is enforced and it comes out of order. */
CAIRN_API int cairn_stf_put_record(struct cairn_stf_writer *writer, const uint8_t *rec, size_t n);
/* The same for many, back to back: much faster for copies. Returns how many bytes were
 * taken, all but a last record that does not end within `n`. */
CAIRN_API int64_t cairn_stf_put_records(struct cairn_stf_writer *writer, const uint8_t *p,
                                        size_t n);

/* How the one FEATURE record of the header becomes true. */
enum cairn_stf_feature_mode {
	/* The bits of CAIRN_STF_F_SEEN are those that were seen when the trace ends; the
	 * others are as given. Where the output can be rewritten (a file of raw STF or
	 * .zstf) the header is corrected in its place, all the time; where it cannot (a
	 * codec around it, a pipe) all is kept back until finish, beyond some MiB in a
	 * temporary file. */
	CAIRN_STF_FEATURES_AUTO = 0,
	/* As given, at once: nothing is kept back. A record that makes a bit true which
	 * is not declared is refused (CAIRN_E_STATE). */
	CAIRN_STF_FEATURES_DECLARED = 1,
	/* As given, and not looked at. */
	CAIRN_STF_FEATURES_AS_IS = 2
};
/* Write a header group: all records that belong to it, in the order of the public
 * writer. `exact`: the records that follow are copied in whatever order; otherwise the
 * order within an instruction is enforced, and each access has its content.
 * Errors: CAIRN_E_STATE (not the first thing), CAIRN_E_INVAL (what the version cannot
 * hold; unless `exact`, of instructions also without pc, ISA or encoding mode …). */
CAIRN_API int cairn_stf_put_header_group(struct cairn_stf_writer *writer,
                                         const struct cairn_stf_header *header,
                                         enum cairn_stf_feature_mode mode, int exact);
/* The same for an instruction trace from what every producer has; the features are
 * declared as in `cfg`, and not looked at. */
CAIRN_API int cairn_stf_put_header(struct cairn_stf_writer *writer,
                                   const struct cairn_stf_config *cfg, uint8_t generator,
                                   const uint8_t gen_version[3], const char *gen_comment,
                                   const char *const *comments, size_t n_comments, uint64_t pc,
                                   const char *isa_extended);
/* Records from values: these functions append a FORCE_PC … record. After cairn_stf_begin only
 * comments may be put. Errors as cairn_stf_put_record. */
CAIRN_API int cairn_stf_put_force_pc(struct cairn_stf_writer *writer, uint64_t pc);
/* INST_PC_TARGET: where the branch before goes. */
CAIRN_API int cairn_stf_put_pc_target(struct cairn_stf_writer *writer, uint64_t pc);
/* INST_REG: a register and its value. */
CAIRN_API int cairn_stf_put_reg(struct cairn_stf_writer *writer, enum cairn_reg_class cls,
                                unsigned num, enum cairn_reg_role role, uint64_t value);
/* INST_MEM_ACCESS and INST_MEM_CONTENT: an access of `size` bytes. */
CAIRN_API int cairn_stf_put_mem(struct cairn_stf_writer *writer, enum cairn_mem_kind kind,
                                uint64_t addr, unsigned size, uint64_t value);
/* EVENT: `id` in its 64-bit form (bit 63 interrupt, bit 62 special), whatever the trace's width. */
CAIRN_API int cairn_stf_put_event(struct cairn_stf_writer *writer, uint64_t id,
                                  const uint64_t *args, size_t n_args);
/* COMMENT. After cairn_stf_begin it stands before the instruction put next. */
CAIRN_API int cairn_stf_put_comment(struct cairn_stf_writer *writer, const char *text, size_t n);
/* INST_OPCODE16 or INST_OPCODE32: the instruction that ends its group; `size` is 2 or 4. */
CAIRN_API int cairn_stf_put_insn(struct cairn_stf_writer *writer, uint32_t enc, unsigned size);

/* ---- writing instructions and transactions ---- */

/* How to begin. */
struct cairn_stf_begin_opts {
	size_t size; /* sizeof(struct cairn_stf_begin_opts) */
	/* Everything the header shall hold but its first PC and its features, which are
	 * found out; comments and generators here come first (a capture names its real
	 * generator). NULL: version 1.6, RISC-V, RV64. Copied. */
	const struct cairn_stf_header *header;
	uint64_t features;           /* bits beyond CAIRN_STF_F_SEEN; all with DECLARED */
	uint8_t mode;                /* enum cairn_stf_feature_mode; AS_IS is AUTO */
	uint8_t end_record;          /* end with record 255: the public reader fails on it */
	uint8_t keep_fault_encoding; /* a fetch fault keeps its encoding instead of a no-op */
	uint8_t no_content;          /* accesses may come without a value */
	uint8_t no_provenance;       /* do not append cairn's comment and TRACE_INFO */
	struct cairn_stf_provenance provenance; /* its size may be 0 */
};
/* Begin a trace of instructions, or of transactions when the header has a protocol. The
 * header is written with the first instruction. Errors: CAIRN_E_STATE (something was put
 * before), CAIRN_E_INVAL (what the version asked for cannot hold, with the reason). */
CAIRN_API int cairn_stf_begin(struct cairn_stf_writer *writer,
                              const struct cairn_stf_begin_opts *opts);

/* Flags of struct cairn_stf_insn. */
enum cairn_stf_insn_flag {
	CAIRN_STF_TAKEN = 1u << 0,     /* the branch was taken */
	CAIRN_STF_NOT_TAKEN = 1u << 1, /* it was not. With neither the next PC tells */
	CAIRN_STF_TARGET = 1u << 2,    /* `target` is known; else it is the next PC */
	CAIRN_STF_FORCED = 1u << 3, /* the flow was forced to this PC: FORCE_PC even where it follows */
	CAIRN_STF_FETCH_FAULT = 1u << 4 /* could not be fetched, `enc` is not known; so is any
	                                 * instruction with exception 0, 1, 12 or 20 */
};

/*
 * One instruction and all that belongs to it, in the rows of the model (trace.h).
 *
 * Registers: class, number, role, value, flags KNOWN; a vector register has VLEN bits in
 * `bytes` (WIDE) or, if these are 64, in `value`.
 * Memory: kind READ or WRITE, addr, size, value (KNOWN), right-justified; beyond 8 bytes
 * WIDE: size bytes rounded up to 8 at offset `value` of `bytes`. An initiator other than
 * CAIRN_BY_INSN makes it a bus master's.
 * Events: EXCEPTION, INTERRUPT, SYSCALL (code, args, target if known, else the next PC if
 * it does not follow), MODE (only where a change shall be told twice: changes of
 * ctx->priv are), PAGE_WALK (first-access index UINT64_MAX: this instruction), MICRO_OP,
 * COMMENT, FORCE_PC. Arguments are 8 bytes each in host order at offset `args`.
 * Rows are written in the order of the specification, within it as given; `seq` may
 * say otherwise where the specification leaves a choice.
 */
struct cairn_stf_insn {
	uint64_t pc, target;
	uint32_t enc;
	uint32_t flags;              /* enum cairn_stf_insn_flag */
	uint8_t size;                /* 2 or 4 */
	uint8_t isa;                 /* enum cairn_isa; 0: as before */
	const struct cairn_ctx *ctx; /* ids and privilege; NULL: as before */
	const struct cairn_reg *regs;
	const struct cairn_mem *mems;
	const struct cairn_event *events;
	size_t n_regs, n_mems, n_events;
	const uint8_t *bytes; /* wide values, arguments and texts */
	size_t n_bytes;
};
/* Put the next instruction. It is written when the one after it has come, for its branch
 * target may be that one's PC. Derived: FORCE_PC where the PC does not follow,
 * INST_PC_TARGET, EVENT_PC_TARGET, PROCESS_ID_EXT, MODE_CHANGE, INST_IEM, order.
 * Errors: CAIRN_E_INVAL ("instruction 7: …"; nothing of the instruction is written, the
 * writer goes on), CAIRN_E_STATE (not begun, or a transaction trace), CAIRN_E_IO … */
CAIRN_API int cairn_stf_put(struct cairn_stf_writer *writer, const struct cairn_stf_insn *in);

/* Put the next transaction: a row of the model; data, mask, metadata and dependencies lie
 * in `bytes`. id 0: the last one's + 1, from 1. `known` need not be set: the channel says
 * which fields count. Refused (CAIRN_E_INVAL, "transaction 7: …"): an id that does not
 * ascend, a clock the header does not declare, a dependency on a later one, sizes that
 * do not fit the record or each other. */
CAIRN_API int cairn_stf_put_transaction(struct cairn_stf_writer *writer,
                                        const struct cairn_xact *xact, const uint8_t *bytes,
                                        size_t n_bytes);

/* A writer of the model (cairn_create) that writes STF may be given a header before the
 * first cairn_put: version, vector length, clocks, comments and generators to keep. What
 * `provenance` says is appended (NULL: cairn's own). CAIRN_E_UNSUPPORTED when it writes something
 * else, CAIRN_E_STATE when it is too late. */
CAIRN_API int cairn_stf_writer_header(struct cairn_writer *writer,
                                      const struct cairn_stf_header *header,
                                      const struct cairn_stf_provenance *provenance);

/* ---- ending ---- */

/* The features that were seen so far. */
CAIRN_API uint64_t cairn_stf_features_seen(const struct cairn_stf_writer *writer);
/* Close and commit under the final name; the writer is gone whatever is returned. */
CAIRN_API int cairn_stf_finish(struct cairn_stf_writer *writer);
/* Close and discard. NULL is fine. */
CAIRN_API void cairn_stf_abort(struct cairn_stf_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
