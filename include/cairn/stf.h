/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAIRN_STF_H
#define CAIRN_STF_H
/*
 * STF, Simple Trace Format, at the record level: exact. Reading records and
 * writing them again gives the same bytes. Versions 1.2 to 1.6.
 */
#include "cairn/base.h"
#include "cairn/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Record descriptors (STF specification, "Specification of Records"). */
enum cairn_stf_type {
	CAIRN_STF_IDENTIFIER = 1, CAIRN_STF_VERSION = 2, CAIRN_STF_COMMENT = 3, CAIRN_STF_ISA = 4,
	CAIRN_STF_INST_IEM = 5, CAIRN_STF_TRACE_INFO = 6, CAIRN_STF_TRACE_INFO_FEATURE = 7,
	CAIRN_STF_PROCESS_ID_EXT = 8, CAIRN_STF_FORCE_PC = 9, CAIRN_STF_VLEN_CONFIG = 10,
	CAIRN_STF_PROTOCOL_ID = 11, CAIRN_STF_CLOCK_ID = 12, CAIRN_STF_ISA_EXTENDED = 13,
	CAIRN_STF_END_HEADER = 19, CAIRN_STF_INST_PC_TARGET = 31, CAIRN_STF_INST_REG = 40,
	CAIRN_STF_INST_READY_REG = 41, CAIRN_STF_PAGE_TABLE_WALK = 50,
	CAIRN_STF_INST_MEM_ACCESS = 60, CAIRN_STF_INST_MEM_CONTENT = 61,
	CAIRN_STF_BUS_MASTER_ACCESS = 62, CAIRN_STF_BUS_MASTER_CONTENT = 63, CAIRN_STF_EVENT = 100,
	CAIRN_STF_EVENT_PC_TARGET = 101, CAIRN_STF_INST_MICROOP = 230, CAIRN_STF_INST_32 = 240,
	CAIRN_STF_INST_16 = 241, CAIRN_STF_TRANSACTION = 250,
	CAIRN_STF_TRANSACTION_DEPENDENCY = 251, CAIRN_STF_RESERVED_END = 255
};

/* Bits of TRACE_INFO_FEATURE (from the public library; not in the specification). */
enum cairn_stf_feature {
	CAIRN_STF_F_PHYSICAL_ADDRESS = 1u << 0, CAIRN_STF_F_DATA_ATTRIBUTE = 1u << 1,
	CAIRN_STF_F_OPERAND_VALUE = 1u << 2, CAIRN_STF_F_EVENT = 1u << 3,
	CAIRN_STF_F_SYSTEMCALL_VALUE = 1u << 4, CAIRN_STF_F_RV64 = 1u << 5,
	CAIRN_STF_F_INT_DIV_OPERAND_VALUE = 1u << 6, CAIRN_STF_F_SAMPLING = 1u << 7,
	CAIRN_STF_F_PTE = 1u << 8, CAIRN_STF_F_SIMPOINT = 1u << 9,
	CAIRN_STF_F_PROCESS_ID = 1u << 10, CAIRN_STF_F_PTE_ONLY = 1u << 11,
	CAIRN_STF_F_NEED_POST_PROCESS = 1u << 12, CAIRN_STF_F_REG_STATE = 1u << 13,
	CAIRN_STF_F_MICROOP = 1u << 14, CAIRN_STF_F_MULTI_THREAD = 1u << 15,
	CAIRN_STF_F_MULTI_CORE = 1u << 16, CAIRN_STF_F_PTE_HW_AD = 1u << 17,
	CAIRN_STF_F_VEC = 1u << 18, CAIRN_STF_F_EVENT64 = 1u << 19,
	CAIRN_STF_F_TRANSACTIONS = 1u << 20
};

/* What decides the length and meaning of records: known after the header. */
struct cairn_stf_config {
	uint16_t version_major, version_minor;
	uint16_t isa;       /* ISA record; 1 RISC-V */
	uint16_t iem;       /* INST_IEM of the header; 1 RV32, 2 RV64 */
	uint64_t features;  /* TRACE_INFO_FEATURE */
	uint32_t vlen;      /* bits, 0 none */
	uint8_t event_bits; /* 32 or 64: width of an event's id */
	uint8_t new_ids;    /* PROCESS_ID_EXT is hardware thread, PID, TID */
	uint8_t protocol;   /* PROTOCOL_ID; 1 TileLink, 0 not a transaction trace */
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

/* ---- writing ---- */

struct cairn_stf_writer;

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

/* Create an STF file; bytes go to PATH.part until cairn_stf_finish.
 * Errors: CAIRN_E_IO, CAIRN_E_INVAL, CAIRN_E_STATE (.zstf to a pipe), CAIRN_E_NOMEM. */
CAIRN_API int cairn_stf_create(struct cairn *c, const char *path,
                               const struct cairn_stf_write_opts *opts,
                               struct cairn_stf_writer **out);
/* Append one record as it stands on disk (descriptor first). Records of the header teach
 * the writer the configuration. CAIRN_E_DAMAGED when `n` is not exactly one record. */
CAIRN_API int cairn_stf_put_record(struct cairn_stf_writer *w, const uint8_t *rec, size_t n);
/* The same from field values, in the order of the record table; texts and lists take
 * (const void *data, size_t n). Shorthands for what every producer needs: */
CAIRN_API int cairn_stf_put_header(struct cairn_stf_writer *w, const struct cairn_stf_config *cfg,
                                   uint8_t generator, const uint8_t gen_version[3],
                                   const char *gen_comment, const char *const *comments,
                                   size_t n_comments, uint64_t pc, const char *isa_extended);
CAIRN_API int cairn_stf_put_force_pc(struct cairn_stf_writer *w, uint64_t pc);
CAIRN_API int cairn_stf_put_pc_target(struct cairn_stf_writer *w, uint64_t pc);
CAIRN_API int cairn_stf_put_reg(struct cairn_stf_writer *w, enum cairn_reg_class cls, unsigned num,
                                enum cairn_reg_role role, uint64_t value);
CAIRN_API int cairn_stf_put_mem(struct cairn_stf_writer *w, enum cairn_mem_kind kind, uint64_t addr,
                                unsigned size, uint64_t value);
/* `id` in its 64-bit form (bit 63 interrupt, bit 62 special), whatever the trace's width. */
CAIRN_API int cairn_stf_put_event(struct cairn_stf_writer *w, uint64_t id, const uint64_t *args,
                                  size_t n_args);
CAIRN_API int cairn_stf_put_comment(struct cairn_stf_writer *w, const char *text, size_t n);
CAIRN_API int cairn_stf_put_insn(struct cairn_stf_writer *w, uint32_t enc, unsigned size);
/* Close and commit under the final name; the writer is gone whatever is returned. */
CAIRN_API int cairn_stf_finish(struct cairn_stf_writer *w);
/* Close and discard. NULL is fine. */
CAIRN_API void cairn_stf_abort(struct cairn_stf_writer *w);

#ifdef __cplusplus
}
#endif
#endif
