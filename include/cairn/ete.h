/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAIRN_ETE_H
#define CAIRN_ETE_H
/*
 * Arm ETE and ETMv4 instruction trace, layer by layer: packets, then elements. Both
 * layers are read with the same verbs over bytes in memory: open, next, sync_forward,
 * sync_backward, sync_set, tell, close. Nothing is copied; the bytes must stay where
 * they are until close. A decoder serves one thread.
 *
 * Sources: Arm Architecture Reference Manual, section D4.3 (elements; rules are named by
 * their ids, RBZQWX); docs/formats/ete.md says which rule is held where.
 */
#include "cairn/base.h"
#include "cairn/isa.h"
#include "cairn/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what the trace unit and its core are ---- */

/* Which of the two protocols a trace unit speaks. */
enum cairn_ete_protocol {
	CAIRN_ETE_BY_DEVARCH = 0, /* TRCDEVARCH[15:12] == 5: ETE, else ETMv4 */
	CAIRN_ETE_ETE = 1,
	CAIRN_ETE_ETMV4 = 2
};

/* Registers of a trace unit, and what of its core decides how bytes are read. */
struct cairn_ete_config {
	uint32_t configr;                          /* TRCCONFIGR */
	uint32_t traceidr;                         /* TRCTRACEIDR */
	uint32_t devarch;                          /* TRCDEVARCH */
	uint32_t idr0, idr1, idr2, idr8;           /* TRCIDR0 … */
	uint32_t idr9, idr10, idr11, idr12, idr13; /* ETMv4 only */
	uint8_t protocol;                          /* enum cairn_ete_protocol */
	uint8_t profile;                           /* of the core: 'A', 'R' or 'M'; 0: 'A' */
	/* Architecture level of the core: 0x70 Armv7, 0x83 Armv8.3, 0xff (and 0): the
	 * newest. Levels gate the instructions that are branches. */
	uint8_t arch;
	uint8_t reserved[13]; /* zeros */
};

/* The defaults of a snapshot without registers: TRCIDR1 0x4100F403, TRCDEVARCH
 * 0x47705A13 (ETE), everything else 0. */
CAIRN_API void cairn_ete_config_init(struct cairn_ete_config *cfg);
/* ETE: 0x10 to 0x1f for version 1.0 to 1.15; ETMv4: 0x40 … 0x4f. */
CAIRN_API unsigned cairn_ete_version(const struct cairn_ete_config *cfg);
/* 1 for ETE, 0 for ETMv4. */
CAIRN_API int cairn_ete_is_ete(const struct cairn_ete_config *cfg);

/* ---- packets ---- */

/* Values are frozen. */
enum cairn_ete_packet_type {
	CAIRN_ETE_P_NONE = 0,
	/* bytes that are no packet */
	CAIRN_ETE_P_NOT_SYNC = 1,   /* before an Async was seen: `size` bytes */
	CAIRN_ETE_P_BAD = 2,        /* a packet that breaks off or cannot be: `size` bytes */
	CAIRN_ETE_P_RESERVED = 3,   /* a header that does not exist in this protocol or configuration */
	CAIRN_ETE_P_INCOMPLETE = 4, /* the bytes end within it */
	CAIRN_ETE_P_PADDING =
		5, /* zeros up to the end, as buffers are filled up with: nothing is lost */
	/* synchronisation */
	CAIRN_ETE_P_ASYNC = 8,
	CAIRN_ETE_P_DISCARD = 9,
	CAIRN_ETE_P_OVERFLOW = 10,
	CAIRN_ETE_P_TRACE_INFO = 11,
	CAIRN_ETE_P_TRACE_ON = 12,
	CAIRN_ETE_P_IGNORE = 13,
	/* time */
	CAIRN_ETE_P_TIMESTAMP = 16,
	CAIRN_ETE_P_TS_MARKER = 17,
	CAIRN_ETE_P_CCNT_F1 = 18,
	CAIRN_ETE_P_CCNT_F2 = 19,
	CAIRN_ETE_P_CCNT_F3 = 20,
	/* exceptions and transactions */
	CAIRN_ETE_P_EXCEPTION = 24,
	CAIRN_ETE_P_EXCEPTION_RETURN = 25, /* ETMv4 */
	CAIRN_ETE_P_FUNCTION_RETURN = 26,  /* ETMv4, M profile */
	CAIRN_ETE_P_PE_RESET = 27,
	CAIRN_ETE_P_TRANSACTION_START = 28,
	CAIRN_ETE_P_TRANSACTION_COMMIT = 29,
	CAIRN_ETE_P_TRANSACTION_FAILURE = 30,
	/* events */
	CAIRN_ETE_P_EVENT = 32,
	CAIRN_ETE_P_INSTRUMENTATION = 33,
	/* speculation */
	CAIRN_ETE_P_COMMIT = 40,
	CAIRN_ETE_P_CANCEL_F1 = 41,
	CAIRN_ETE_P_CANCEL_F1_MISPREDICT = 42,
	CAIRN_ETE_P_CANCEL_F2 = 43,
	CAIRN_ETE_P_CANCEL_F3 = 44,
	CAIRN_ETE_P_MISPREDICT = 45,
	/* context and addresses */
	CAIRN_ETE_P_CONTEXT_SAME = 48,
	CAIRN_ETE_P_CONTEXT = 49,
	CAIRN_ETE_P_ADDR_CTXT_32_IS0 = 50,
	CAIRN_ETE_P_ADDR_CTXT_32_IS1 = 51,
	CAIRN_ETE_P_ADDR_CTXT_64_IS0 = 52,
	CAIRN_ETE_P_ADDR_CTXT_64_IS1 = 53,
	CAIRN_ETE_P_ADDR_MATCH = 54,
	CAIRN_ETE_P_ADDR_SHORT_IS0 = 55,
	CAIRN_ETE_P_ADDR_SHORT_IS1 = 56,
	CAIRN_ETE_P_ADDR_32_IS0 = 57,
	CAIRN_ETE_P_ADDR_32_IS1 = 58,
	CAIRN_ETE_P_ADDR_64_IS0 = 59,
	CAIRN_ETE_P_ADDR_64_IS1 = 60,
	CAIRN_ETE_P_SRC_MATCH = 61,
	CAIRN_ETE_P_SRC_SHORT_IS0 = 62,
	CAIRN_ETE_P_SRC_SHORT_IS1 = 63,
	CAIRN_ETE_P_SRC_32_IS0 = 64,
	CAIRN_ETE_P_SRC_32_IS1 = 65,
	CAIRN_ETE_P_SRC_64_IS0 = 66,
	CAIRN_ETE_P_SRC_64_IS1 = 67,
	CAIRN_ETE_P_Q_MATCH = 68,
	CAIRN_ETE_P_Q_SHORT_IS0 = 69,
	CAIRN_ETE_P_Q_SHORT_IS1 = 70,
	CAIRN_ETE_P_Q_32_IS0 = 71,
	CAIRN_ETE_P_Q_32_IS1 = 72,
	CAIRN_ETE_P_Q_COUNT = 73,
	CAIRN_ETE_P_Q = 74,
	/* atoms */
	CAIRN_ETE_P_ATOM_F1 = 80,
	CAIRN_ETE_P_ATOM_F2 = 81,
	CAIRN_ETE_P_ATOM_F3 = 82,
	CAIRN_ETE_P_ATOM_F4 = 83,
	CAIRN_ETE_P_ATOM_F5 = 84,
	CAIRN_ETE_P_ATOM_F6 = 85,
	/* data and conditional trace, ETMv4 only */
	CAIRN_ETE_P_NUM_DS_MARKER = 96,
	CAIRN_ETE_P_UNNUM_DS_MARKER = 97,
	CAIRN_ETE_P_COND_INST_F1 = 98,
	CAIRN_ETE_P_COND_INST_F2 = 99,
	CAIRN_ETE_P_COND_INST_F3 = 100,
	CAIRN_ETE_P_COND_FLUSH = 101,
	CAIRN_ETE_P_COND_RESULT_F1 = 102,
	CAIRN_ETE_P_COND_RESULT_F2 = 103,
	CAIRN_ETE_P_COND_RESULT_F3 = 104,
	CAIRN_ETE_P_COND_RESULT_F4 = 105,
	CAIRN_ETE_P_LAST = 127
};

/* Flags of a packet. */
enum cairn_ete_packet_flag {
	CAIRN_ETE_P_IS1 = 1u << 0,        /* the address is T32 (else A64, or A32 by the context) */
	CAIRN_ETE_P_HAS_CYCLES = 1u << 1, /* `cycles` is there (also when its value is unknown) */
	CAIRN_ETE_P_CYCLES_UNKNOWN = 1u << 2,
	CAIRN_ETE_P_HAS_VMID = 1u << 3,
	CAIRN_ETE_P_HAS_CTXID = 1u << 4,
	/* Bits the protocol reserves were set, or a field was longer than it need be or can
	 * be told: encoding gives other bytes (that mean the same). */
	CAIRN_ETE_P_UNUSUAL = 1u << 5,
	CAIRN_ETE_P_FAULT_PENDING = 1u << 6, /* exception, M profile */
	CAIRN_ETE_P_LONG_FORM = 1u << 7,     /* exception with the second byte of its type */
	/* ASYNC: the packet before it was cut off within, and has swallowed its first bytes */
	CAIRN_ETE_P_OVERLAP = 1u << 8,
	CAIRN_ETE_P_HAS_COUNT = 1u << 9, /* `count` is there (Q, cycle counts with a commit) */
	CAIRN_ETE_P_M_PROFILE = 1u << 10 /* EXCEPTION: of a core of the M profile, with its numbers */
};

/* Bits of `sections`: what a Trace Info packet has. */
enum cairn_ete_info_section {
	CAIRN_ETE_INFO = 1u << 0,
	CAIRN_ETE_KEY = 1u << 1,
	CAIRN_ETE_SPEC = 1u << 2,
	CAIRN_ETE_CYCT = 1u << 3,
	CAIRN_ETE_WNDW = 1u << 4
};
/* Bits of the INFO section. Bit 4 is a load/store flag in ETMv4 and has been seen in ETE. */
enum cairn_ete_info_bit {
	CAIRN_ETE_INFO_CC = 1u << 0,         /* cycle counting is on */
	CAIRN_ETE_INFO_TRANSACTION = 1u << 6 /* in Transactional state */
};

/* One packet, taken apart. A field that the type does not have is 0. 64 bytes. */
struct cairn_ete_packet {
	uint64_t offset;  /* of its first byte */
	uint64_t address; /* addresses: after decompression, whole */
	uint64_t value;   /* TIMESTAMP: after decompression; INSTRUMENTATION: payload; TRACE_INFO:
	                   * spec depth; COND_RESULT_F1: first key */
	uint32_t size;    /* bytes */
	uint32_t atoms;   /* bit i: atom i, 0 the oldest, was E */
	/* Q: instructions; COMMIT, CANCEL, CCNT: P0 elements; TRACE_INFO: KEY; COND_INST_F1:
	 * key; COND_INST_F3: how many */
	uint32_t count;
	uint32_t cycles; /* counts with the threshold added; TRACE_INFO: the threshold itself */
	uint32_t ctxid, vmid;
	/* EXCEPTION: type; EVENT: bit map; *_MATCH: entry of the history; INSTRUMENTATION: EL; CCNT_F2:
	 * 1, the commit was told from MAXSPEC down; others with several headers: which one;
	 * COND_RESULT_F3: tokens */
	uint16_t number;
	uint16_t flags; /* enum cairn_ete_packet_flag */
	uint8_t type;   /* enum cairn_ete_packet_type */
	uint8_t header; /* its first byte */
	uint8_t n_atoms;
	uint8_t bits; /* short addresses: how many low bits were sent; TIMESTAMP: how many */
	uint8_t
		context; /* the context's information byte: [1:0] EL, [3] NSE, [4] SF, [5] NS, [6] V, [7] P */
	uint8_t sections; /* TRACE_INFO: enum cairn_ete_info_section */
	uint8_t info;   /* TRACE_INFO: the INFO section; EXCEPTION: E1:E0 (1 return address, 2 also the
	                   * target of the branch before) */
	uint8_t result; /* COND_RESULT_F1: results, the first in [3:0], the second in [7:4] */
	uint32_t key;   /* COND_RESULT_F1: second key; TRACE_INFO: WNDW */
};

/* "ATOM_F3" for a type; NULL when there is none. */
CAIRN_API const char *cairn_ete_packet_name(unsigned type);
/* The manual's name of it; NULL when there is none. */
CAIRN_API const char *cairn_ete_packet_title(unsigned type);
/* Named fields of a packet (at most CAIRN_MAX_FIELDS), for printing. `bytes`: where it lies
 * in memory (`size` bytes); needed for what is no packet, may be NULL otherwise. `text`, at
 * least 64 bytes, holds what must be put together (atoms). Returns their number. */
CAIRN_API int cairn_ete_packet_fields(const struct cairn_ete_packet *packet, const uint8_t *bytes,
                                      struct cairn_field *fields, char *text);

struct cairn_ete_packets;

/* Read packets from `n` bytes; the first of them has offset `base`. Reading begins at the
 * first Async; what stands before it is one NOT_SYNC packet.
 * Errors: CAIRN_E_NOMEM. */
CAIRN_API int cairn_ete_packets_open(struct cairn *cairn, const struct cairn_ete_config *cfg,
                                     const void *data, size_t n, uint64_t base,
                                     struct cairn_ete_packets **out);
/* Close it. */
CAIRN_API void cairn_ete_packets_close(struct cairn_ete_packets *packets);
/* The next packet: 1, or 0 at the end. What cannot be read is a packet, too (BAD,
 * RESERVED, INCOMPLETE); reading goes on behind it. */
CAIRN_API int cairn_ete_packets_next(struct cairn_ete_packets *packets,
                                     struct cairn_ete_packet *packet);
/* The next up to `n` packets at once, which is faster; how many, 0 at the end. */
CAIRN_API size_t cairn_ete_packets_fill(struct cairn_ete_packets *packets,
                                        struct cairn_ete_packet *p, size_t n);
/* Go to the next Async at or behind the current place, and read on there without the history of
 * addresses and time. CAIRN_E_NOTFOUND: there is none, and the place stays. */
CAIRN_API int cairn_ete_packets_sync_forward(struct cairn_ete_packets *packets);
/* The same with the last Async before the current place. */
CAIRN_API int cairn_ete_packets_sync_backward(struct cairn_ete_packets *packets);
/* Read on at `offset`, where a packet is known to begin. CAIRN_E_INVAL: outside. */
CAIRN_API int cairn_ete_packets_sync_set(struct cairn_ete_packets *packets, uint64_t offset);
/* Offset of the packet that next gives next. */
CAIRN_API uint64_t cairn_ete_packets_tell(const struct cairn_ete_packets *packets);
/* What was met that is no packet: BAD, RESERVED and INCOMPLETE packets. */
CAIRN_API uint64_t cairn_ete_packets_bad(const struct cairn_ete_packets *packets);

struct cairn_ete_encoder;
/* Make an encoder of packets. It keeps the history of addresses and time as a decoder does.
 * Errors: CAIRN_E_NOMEM. */
CAIRN_API int cairn_ete_encoder_open(struct cairn *cairn, const struct cairn_ete_config *cfg,
                                     struct cairn_ete_encoder **out);
/* Close it. */
CAIRN_API void cairn_ete_encoder_close(struct cairn_ete_encoder *encoder);
/* Longest packet of those that encode makes. */
enum { CAIRN_ETE_MAX_PACKET = 48 };
/* Bytes of one packet of p->type, into `out` of CAIRN_ETE_MAX_PACKET bytes. `offset`, `size`,
 * `header` and UNUSUAL are not looked at. Returns the number of bytes, CAIRN_E_INVAL: the
 * configuration has no such packet, or a value does not fit it (an address that a short
 * form cannot reach from the last one, an entry of the history that holds another).
 * What is decoded from the bytes equals `packet`, and the bytes of a packet that was decoded
 * come back unless it was UNUSUAL. */
CAIRN_API int cairn_ete_encode(struct cairn_ete_encoder *encoder,
                               const struct cairn_ete_packet *packet, uint8_t *out);
/* The smallest packet type of the target addresses that can express this address now. */
CAIRN_API unsigned cairn_ete_address_type(const struct cairn_ete_encoder *encoder, uint64_t address,
                                          int is1);

/* ---- elements ---- */

/* What the program did, in order, all speculation resolved: what was canceled or discarded
 * is gone, mispredicted atoms are corrected. Values are frozen. */
enum cairn_ete_element_kind {
	CAIRN_ETE_NONE = 0,
	/* the trace itself */
	CAIRN_ETE_NO_SYNC = 1, /* decoding (re)starts; `number`: enum cairn_ete_reason, `value`: bytes
	                          * skipped, `count`: P0 elements lost whose fate was open */
	CAIRN_ETE_TRACE_INFO =
		2, /* `number`: the INFO section, `count`: spec depth, `cycles`: threshold */
	CAIRN_ETE_TRACE_ON = 3, /* a discontinuity; `number`: enum cairn_ete_reason */
	CAIRN_ETE_OVERFLOW = 4, /* `count`: P0 elements lost whose fate was open */
	CAIRN_ETE_DISCARD = 5,  /* likewise */
	CAIRN_ETE_LOST =
		6, /* `count` P0 elements given up: unresolved for too long (CAIRN_ETE_WINDOW) */
	CAIRN_ETE_END = 7, /* `count`: likewise, at the end of the trace */
	/* P0: execution */
	CAIRN_ETE_ATOMS = 16,     /* `n_atoms` atoms, `atoms` bit 0 the oldest, 1 E */
	CAIRN_ETE_EXCEPTION = 17, /* `number`: type; `address`, `isa`: preferred return address */
	CAIRN_ETE_PE_RESET = 18,  /* an exception; its address is unknown */
	CAIRN_ETE_SOURCE = 19, /* executed up to and with the instruction at `address`, which was taken;
	                          * those P0 instructions before it were not (IDJTGL) */
	CAIRN_ETE_Q = 20, /* `count` instructions (HAS_COUNT), going on at `address` (HAS_ADDRESS), else
	                          * at that of the next ADDRESS */
	CAIRN_ETE_EXCEPTION_RETURN = 21,  /* ETMv4: a packet of its own; P0 only in the M profile */
	CAIRN_ETE_FUNCTION_RETURN = 22,   /* ETMv4, M profile */
	CAIRN_ETE_TRANSACTION_START = 23, /* P0 unless TRCIDR0.COMMTRANS */
	/* where execution is */
	CAIRN_ETE_ADDRESS = 32, /* target: next instruction to be executed; `address`, `isa` */
	CAIRN_ETE_CONTEXT =
		33, /* `el`, `security`, `aarch64`; ctxid and vmid with HAS_CTXID, HAS_VMID */
	/* outcome of a transaction */
	CAIRN_ETE_TRANSACTION_COMMIT = 40,
	CAIRN_ETE_TRANSACTION_FAILED = 41,  /* all since the start did not happen (IXHLPG) */
	CAIRN_ETE_TRANSACTION_UNKNOWN = 42, /* a failure because tracing stopped (RNMWFJ) */
	/* time */
	CAIRN_ETE_CYCLES = 48, /* `cycles` since the last such count (UNKNOWN: not known); `count`: P0
	                          * elements of its commit, `depth`: that were not resolved yet */
	CAIRN_ETE_TIMESTAMP =
		49, /* `value` (UNKNOWN: 0). MARKED: the time of its marker's place, not of
	                          * this one. HAS_CYCLES: `cycles` between the last count and now */
	CAIRN_ETE_MARKER =
		50, /* the P0, event or instrumentation before it was timestamped; `value`: the
	                          * time, which comes later in the trace; IGNORED: by none (RVWJVC …) */
	/* events */
	CAIRN_ETE_EVENT = 56,           /* `number`: bit map of events 0 to 3 */
	CAIRN_ETE_INSTRUMENTATION = 57, /* `el`, `value` */
	/* ETMv4, as its packet has it (`number`: enum cairn_ete_packet_type): which conditional
	 * instructions a result is of only their program and keys tell, and that is not followed.
	 * `value`, `depth`: first and second key; `count`: its; `atoms`: its `number`; `n_atoms`:
	 * its `result` */
	CAIRN_ETE_CONDITIONAL = 58,
	CAIRN_ETE_DATA_SYNC = 59 /* ETMv4, a place that the data stream names, too; likewise */
};

/* Why decoding or the flow of execution starts anew. */
enum cairn_ete_reason {
	CAIRN_ETE_AT_START = 0, /* NO_SYNC: of the bytes; TRACE_ON: begin of trace or a filter */
	CAIRN_ETE_AFTER_OVERFLOW = 1,
	CAIRN_ETE_AFTER_DISCARD = 2,
	CAIRN_ETE_BAD_PACKET = 3, /* reserved header, broken packet, cut off before an Async */
	CAIRN_ETE_BAD_COMMIT = 4, /* more P0 elements committed than there are */
	CAIRN_ETE_BAD_CANCEL = 5,
	CAIRN_ETE_NO_ADDRESS = 6,    /* an exception without its return address */
	CAIRN_ETE_BAD_DEPTH = 7,     /* Trace Info tells another number of unresolved P0 elements, or
	                             * more than TRCIDR8.MAXSPEC */
	CAIRN_ETE_NO_TRACE_INFO = 8, /* packets between an Async and its Trace Info */
	CAIRN_ETE_INCOMPLETE = 9     /* the bytes end within a packet */
};
/* "reserved or broken packet" */
CAIRN_API const char *cairn_ete_reason_text(unsigned reason);

/* Flags of an element. */
enum cairn_ete_element_flag {
	CAIRN_ETE_HAS_ADDRESS = 1u << 0,
	CAIRN_ETE_HAS_COUNT = 1u << 1,
	CAIRN_ETE_HAS_CYCLES = 1u << 2,
	CAIRN_ETE_HAS_VMID = 1u << 3,
	CAIRN_ETE_HAS_CTXID = 1u << 4,
	CAIRN_ETE_UNKNOWN = 1u << 5, /* the value is not known (cycle count; timestamp 0) */
	/* Which instructions ran before this exception must not be inferred from its return
	 * address (SGKMTH, SRDJXM): System Error, Debug halt. */
	CAIRN_ETE_INEXACT = 1u << 6,
	/* EXCEPTION: `address` is also the target of the P0 element before it */
	CAIRN_ETE_ALSO_TARGET = 1u << 7,
	CAIRN_ETE_MARKED = 1u << 8,
	CAIRN_ETE_IGNORED = 1u << 9,
	CAIRN_ETE_IN_TRANSACTION = 1u << 10,
	/* In a transaction that failed: did not happen (only with CAIRN_ETE_KEEP) */
	CAIRN_ETE_DISCARDED = 1u << 11,
	/* In a transaction whose outcome the trace does not tell */
	CAIRN_ETE_OUTCOME_UNKNOWN = 1u << 12,
	CAIRN_ETE_SOFT = 1u << 13, /* EXCEPTION: IMPLEMENTATION DEFINED type */
	CAIRN_ETE_FAULT_PENDING = 1u << 14,
	CAIRN_ETE_M_PROFILE = 1u << 15 /* EXCEPTION: `number` is one of the M profile */
};

/* One element. 64 bytes. What a kind does not have is 0. Offsets never decrease, but for
 * the CONTEXT of an exception's return address, which comes before the exception. */
struct cairn_ete_element {
	uint64_t offset; /* of the packet it came from */
	uint64_t address;
	uint64_t value;
	uint32_t atoms;
	uint32_t count;
	uint32_t cycles;
	uint32_t ctxid, vmid;
	uint32_t depth;
	uint16_t number;
	uint16_t flags; /* enum cairn_ete_element_flag */
	uint8_t kind;   /* enum cairn_ete_element_kind */
	uint8_t n_atoms;
	uint8_t isa;      /* enum cairn_isa: A64, A32 or T32 (by the context known when it came) */
	uint8_t is1;      /* what the packet says: 1 T32; 0 A64 or A32 by the context */
	uint8_t el;       /* 0 to 3 */
	uint8_t security; /* as in struct cairn_ctx: 0 secure, 1 non-secure, 2 root, 3 realm */
	uint8_t aarch64;  /* CONTEXT: the state of execution */
	uint8_t pad;
	uint32_t pad2;
};

/* How many bytes an open question may stay open: a P0 element without resolution is then
 * LOST, a transaction's outcome and a marker's time are unknown. Bounds memory. */
enum { CAIRN_ETE_WINDOW = 1 << 18 };

/* What happens to elements of a transaction that failed. */
enum cairn_ete_transactions {
	CAIRN_ETE_DROP = 0, /* what was executed in a transaction that failed is left out: P0
	                     * elements and addresses. Contexts stay (they are not told twice) */
	CAIRN_ETE_KEEP = 1  /* it stays, marked DISCARDED */
};
/* How to read elements. */
struct cairn_ete_elements_opts {
	size_t size;          /* sizeof(struct cairn_ete_elements_opts) */
	uint8_t transactions; /* enum cairn_ete_transactions */
};

/* "ATOMS" for a kind; NULL when there is none. */
CAIRN_API const char *cairn_ete_element_name(unsigned kind);
/* Named fields of an element, for printing; as cairn_ete_packet_fields. */
CAIRN_API int cairn_ete_element_fields(const struct cairn_ete_element *element,
                                       struct cairn_field *fields, char *text);
/* "IRQ", "CALL" …, by the profile in `cfg` (NULL: A); NULL for reserved types and for the
 * M profile's interrupts from 8 on (0x200 + n). IMPLEMENTATION DEFINED ones: "impl". */
CAIRN_API const char *cairn_ete_exception_name(const struct cairn_ete_config *cfg, unsigned type);
/* Is it a P0 element: does it imply execution? */
CAIRN_API int cairn_ete_is_p0(const struct cairn_ete_config *cfg, unsigned kind);

struct cairn_ete_elements;

/* Read elements from `n` bytes; see cairn_ete_packets_open. `opts` may be NULL.
 * Errors: CAIRN_E_NOMEM, CAIRN_E_INVAL (opts->size). */
CAIRN_API int cairn_ete_elements_open(struct cairn *cairn, const struct cairn_ete_config *cfg,
                                      const struct cairn_ete_elements_opts *opts, const void *data,
                                      size_t n, uint64_t base, struct cairn_ete_elements **out);
/* Close it. */
CAIRN_API void cairn_ete_elements_close(struct cairn_ete_elements *elements);
/* The next element: 1; 0 behind the last (END, or the last before the limit);
 * CAIRN_E_NOMEM. */
CAIRN_API int cairn_ete_elements_next(struct cairn_ete_elements *elements,
                                      struct cairn_ete_element *element);
/* The next up to `n` at once: how many, 0 behind the last, CAIRN_E_NOMEM. */
CAIRN_API int64_t cairn_ete_elements_fill(struct cairn_ete_elements *elements,
                                          struct cairn_ete_element *element, size_t n);

/*
 * Reading in parts. A part begins at a place that sync_forward or sync_backward found, and
 * has as limit the beginning of the next part: it gives the elements whose packets begin
 * before the limit and, to resolve them, reads on past it as far as needed. The parts one
 * after the other give exactly what one decoder gives over the whole.
 *
 * Such a place is an Async with its Trace Info at once behind it. It does not stand behind an
 * Overflow, a Discard or a zero (which may be part of the Async), and all P0 elements that are
 * unresolved at the Trace Info are committed later. Everywhere else the bytes before it matter.
 */
/* Go to the next such place at or behind the current one, and read on there. CAIRN_E_NOTFOUND:
 * there is none, and the place stays. */
CAIRN_API int cairn_ete_elements_sync_forward(struct cairn_ete_elements *elements);
/* The same with the last such place before the current one. */
CAIRN_API int cairn_ete_elements_sync_backward(struct cairn_ete_elements *elements);
/* Read on at `offset`: that of such a place, or the first byte. CAIRN_E_INVAL: outside. */
CAIRN_API int cairn_ete_elements_sync_set(struct cairn_ete_elements *elements, uint64_t offset);
/* End with the elements of packets that begin before `offset`; UINT64_MAX: at the end. */
CAIRN_API void cairn_ete_elements_limit(struct cairn_ete_elements *elements, uint64_t offset);
/* Offset of the packet that will be read next. */
CAIRN_API uint64_t cairn_ete_elements_tell(const struct cairn_ete_elements *elements);

#ifdef __cplusplus
}
#endif
#endif
