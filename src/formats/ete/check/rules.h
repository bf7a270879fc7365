/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ETE_RULES_H
#define ETE_RULES_H
/*
 * The rules of ETE streams, each described once. A clause is an id of the Architecture
 * Reference Manual, D4.3, or the register field that says what a trace unit has;
 * docs/formats/ete.md says which ids are held here and which elsewhere.
 *
 * A stream is judged twice: by its packets, one after another (rules_order.c, and what a
 * packet is by itself in rules_packet.c), and by what they mean (rules_flow.c), with the
 * program where that is at hand.
 */
#include "check/check.h"
#include "formats/ete/format.h"
#include "formats/ete/read/snapshot.h"
#include "formats/ete/stream/elements.h"
#include "formats/ete/stream/flow.h"

#define ETE_RULES(R) \
	R(INPUT_COMPLETE, "input.complete", ERROR, "practice", \
	  "the trace can be read to its end: files, frames and sources are whole") \
	/* registers */ \
	R(CONFIG_FEATURE, "config.feature", ERROR, "TRCCONFIGR", \
	  "what TRCCONFIGR switches on is implemented") \
	R(CONFIG_VERSION, "config.version", WARNING, "TRCDEVARCH", \
	  "the version is one that is known, and has what the registers claim") \
	R(CONFIG_TRANSACTIONS, "config.transactions", WARNING, "RVVFQZ", \
	  "without speculation a Transaction Start is a P0 element") \
	/* packets */ \
	R(PACKET_RESERVED, "packet.reserved", ERROR, "IXXBMZ", \
	  "a header is one of the protocol's and of the configuration's") \
	R(PACKET_VERSION, "packet.version", ERROR, "TRCDEVARCH", \
	  "a packet is not newer than the trace unit") \
	R(PACKET_FORM, "packet.form", ERROR, "IXXBMZ", \
	  "a packet is whole: its fields end and fit, nothing cuts it off") \
	R(PACKET_END, "packet.end", WARNING, "ICLTCM", "the bytes do not end within a packet") \
	R(PACKET_USUAL, "packet.usual", WARNING, "IXXBMZ", \
	  "reserved bits are 0, and numbers no longer than need be") \
	/* synchronisation */ \
	R(SYNC_START, "sync.start", NOTE, "ICLTCM", \
	  "a stream begins with an Alignment Synchronization") \
	R(SYNC_INFO, "sync.info", ERROR, "RHMDGL", \
	  "only Events and Instrumentation come before the Trace Info") \
	R(SYNC_PERIODIC, "sync.periodic", ERROR, "RVMPYW", \
	  "a Trace Info comes behind an Alignment Synchronization, and behind each that P0 elements follow") \
	R(SYNC_IDLE, "sync.idle", NOTE, "IQYQRY", \
	  "other packets come between two Alignment Synchronizations") \
	R(SYNC_CONTEXT, "sync.context", ERROR, "RKKQGK", \
	  "where tracing begins, context and address come before any P0 element") \
	R(SYNC_TOLD, "sync.told", ERROR, "RSVGNN", \
	  "context and address are told again behind a Trace Info, if P0 elements follow") \
	R(SYNC_TARGET, "sync.target", ERROR, "RSVGNN", \
	  "the address told behind a Trace Info is where execution stands") \
	R(INFO_DEPTH, "info.depth", ERROR, "ILBSZF", \
	  "a Trace Info tells how many P0 elements are open") \
	R(INFO_MAXSPEC, "info.maxspec", ERROR, "IXLHWT", \
	  "no more P0 elements are open than TRCIDR8.MAXSPEC") \
	R(INFO_CYCLES, "info.cycles", ERROR, "ILBSZF", \
	  "a Trace Info says that cycles are counted if TRCCONFIGR.CCI does") \
	R(INFO_THRESHOLD, "info.threshold", ERROR, "ILBSZF", \
	  "the threshold of cycle counts does not change within a session") \
	R(INFO_TRANSACTION, "info.transaction", ERROR, "ILBSZF", \
	  "a Trace Info says whether a transaction is open") \
	/* where tracing begins */ \
	R(ON_GAP, "trace-on.gap", ERROR, "RJKFBS", \
	  "a Trace On comes behind an Overflow or Discard before any P0 element") \
	R(ON_ADDRESS, "trace-on.address", ERROR, "RKMFKP", \
	  "an address comes between a Trace On and the next P0 element") \
	R(ON_CONTEXT, "trace-on.context", ERROR, "RDLPYX", \
	  "a context comes between a Trace On and the next P0 element, if none came since the Trace Info") \
	/* context and address */ \
	R(CONTEXT_VMID, "context.vmid", ERROR, "RWSVRL", \
	  "a context has a virtual context identifier only if there are such, and they are traced") \
	R(CONTEXT_CTXID, "context.ctxid", ERROR, "RWSVRL", \
	  "a context has a context identifier only if there are such, and they are traced") \
	R(CONTEXT_LEVEL, "context.level", ERROR, "RVHQYV", \
	  "exception level and security state go together") \
	R(ADDRESS_STATE, "address.state", ERROR, "ILKDJM", \
	  "an address is one of the state: no T32 in AArch64, 32 bits in AArch32") \
	/* P0 elements */ \
	R(EXCEPTION_TYPE, "exception.type", ERROR, "RPZRFL", \
	  "an exception has a type that is defined") \
	R(EXCEPTION_FORM, "exception.form", ERROR, "IJLZPY", \
	  "an Exception says how its address is meant") \
	R(EXCEPTION_ADDRESS, "exception.address", ERROR, "IJLZPY", \
	  "an Exception has its preferred return address") \
	R(EXCEPTION_TARGET, "exception.target", ERROR, "IYVMSC", \
	  "behind an Exception an address tells where execution goes on") \
	R(Q_ENABLED, "q.enabled", ERROR, "TRCCONFIGR.QE", \
	  "Q elements appear only if they are switched on") \
	R(Q_ADDRESS, "q.address", ERROR, "IBTNZC", \
	  "a Q element without an address is followed by one") \
	/* speculation */ \
	R(COMMIT_COUNT, "spec.commit", ERROR, "IKQQML", \
	  "no more P0 elements are committed than are open") \
	R(CANCEL_COUNT, "spec.cancel", ERROR, "IMRGLC", \
	  "no more P0 elements are canceled than are open") \
	R(SPEC_NONE, "spec.none", ERROR, "ISRRZZ", "a Commit or Cancel is of at least one P0 element") \
	R(SPEC_ATOM, "spec.mispredict", ERROR, "IGBKKQ", "a Mispredict has an Atom to correct") \
	R(SPEC_BEHIND, "spec.behind", WARNING, "RLWJCQ", \
	  "an Exception that is canceled was the last P0 element") \
	R(SPEC_RESOLVED, "spec.resolved", NOTE, "RZJJKY", \
	  "every P0 element is committed or canceled before the trace ends") \
	R(SPEC_LATE, "spec.late", WARNING, "RZJJKY", \
	  "a P0 element is committed or canceled within 256 KiB") \
	R(SPEC_DISCARD, "spec.discard", NOTE, "ITCWCN", "a Discard comes where P0 elements are open") \
	/* time */ \
	R(CYCLES_ENABLED, "cycles.enabled", ERROR, "TRCCONFIGR.CCI", \
	  "cycles are told only if they are counted") \
	R(CYCLES_COMMIT, "cycles.commit", NOTE, "INVGJP", \
	  "a Cycle Count comes with a Commit of at least one P0 element") \
	R(CYCLES_SIZE, "cycles.size", ERROR, "TRCIDR2.CCSIZE", "a cycle count fits the counter") \
	R(TIME_ENABLED, "time.enabled", ERROR, "TRCCONFIGR.TS", \
	  "Timestamps appear only if they are switched on") \
	R(TIME_SIZE, "time.size", ERROR, "TRCIDR0.TSSIZE", "a Timestamp fits the width of timestamps") \
	R(TIME_MARKER, "time.marker", ERROR, "IJGKZJ", \
	  "Timestamp Markers appear only where TRCIDR0.TSMARK says so") \
	R(TIME_MARKED, "time.marked", ERROR, "RLWZXK", \
	  "where there are Timestamp Markers, each Timestamp has one before it") \
	R(TIME_UNUSED, "time.unused", NOTE, "RVWJVC", \
	  "a Timestamp comes between two Timestamp Markers") \
	/* events */ \
	R(EVENT_NUMBER, "event.number", ERROR, "IRBKYZ", \
	  "an Event is one of those that TRCIDR0.NUMEVENT counts") \
	R(INSTRUMENTATION_LEVEL, "instrumentation.level", ERROR, "IZLFFN", \
	  "an Instrumentation has an exception level") \
	/* transactions */ \
	R(TX_SINGLE, "transaction.single", ERROR, "RMMCQD", \
	  "a Transaction Start does not come while a transaction is open") \
	R(TX_OPEN, "transaction.open", WARNING, "IVJTLG", "a transaction that ends has been open") \
	R(TX_RESULT, "transaction.result", WARNING, "RNMWFJ", \
	  "a transaction that is open where tracing stops is said to have failed") \
	R(TX_END, "transaction.end", NOTE, "RNMWFJ", "a transaction ends before the trace does") \
	R(TX_MISSING, "transaction.missing", WARNING, "RCYHKB", \
	  "behind a TSTART comes a Transaction Start, unless a transaction is open") \
	R(TX_COMMIT, "transaction.commit", WARNING, "IXTXHN", \
	  "a transaction that is complete ran a TCOMMIT") \
	R(TX_START, "transaction.start", ERROR, "RCYHKB", \
	  "a Transaction Start comes behind the P0 element of a TSTART, or where tracing begins") \
	/* with the program */ \
	R(FLOW_PROGRAM, "flow.program", NOTE, "ISFXXD", \
	  "the program's bytes are known at every address that runs") \
	R(FLOW_TARGET, "flow.target", ERROR, "RNHDCF", \
	  "behind an indirect branch an address tells where execution goes on") \
	R(FLOW_STACK, "flow.stack", ERROR, "IXXBMZ", \
	  "an address is left out only where the return stack knows it") \
	R(FLOW_JUMP, "flow.jump", WARNING, "RNHDCF", \
	  "an address is told where execution stands, or behind an indirect branch or a gap") \
	R(FLOW_FAR, "flow.far", WARNING, "IXPFJG", \
	  "an Atom ends at a P0 instruction: there is one within a million") \
	R(FLOW_ATOM, "flow.atom", ERROR, "ICYMYM", "an unconditional branch is taken") \
	R(FLOW_RETURN, "flow.return", ERROR, "RSFYMW", \
	  "a preferred return address is reached from where execution stands") \
	R(FLOW_CALL, "flow.call", ERROR, "RSFYMW", \
	  "the preferred return address of a Call is behind a call instruction") \
	R(FLOW_SVC, "flow.svc", WARNING, "IYVMSC", \
	  "an SVC, HVC or SMC that ran leads to a Call or Trap") \
	R(FLOW_ACCESS, "flow.access", WARNING, "RSFYMW", \
	  "a Data fault, Data debug or Alignment exception is taken at an instruction that accesses memory") \
	R(FLOW_SOURCE, "flow.source", ERROR, "IDJTGL", \
	  "a Source Address is a P0 instruction reached without a branch taken") \
	R(SOURCE_ISA, "flow.source-isa", ERROR, "RHVVRK", \
	  "a Source Address tells the instruction set that is executed") \
	R(Q_LAST, "flow.q", ERROR, "RKPNGG", \
	  "an exception return is the last instruction of a Q element") \
	R(Q_STRAIGHT, "flow.q-straight", ERROR, "RJBYXC", \
	  "behind a Q element without a branch execution goes straight on: no exception is in it") \
	R(Q_TARGET, "flow.q-target", ERROR, "IXPNWS", \
	  "behind a Q element that ends with a branch execution goes on where that leads") \
	R(Q_ISB, "flow.q-isb", WARNING, "RYRLJR", \
	  "an ISB behind which the context is new is the last instruction of a Q element") \
	R(BEHIND_ISB, "flow.behind-isb", ERROR, "RQHQLY", \
	  "an ISB that is canceled was the last P0 element") \
	R(BEHIND_RETURN, "flow.behind-return", WARNING, "RLWJCQ", \
	  "an exception return that is canceled, or mispredicted, was the last P0 element")

enum ete_rule {
#define ETE_RULE_ENUM(name, id, severity, clause, text) ETE_RULE_##name,
	ETE_RULES(ETE_RULE_ENUM)
#undef ETE_RULE_ENUM
		ETE_RULE_COUNT
};

/* ---- findings ---- */

/* Where findings of a span go. */
struct ete_found {
	struct check_part *part;
	const struct ete_program *program;
	bool several; /* programs: findings name theirs */
};
void ete_finding(const struct ete_found *found, unsigned rule, const struct check_place *at,
                 const char *fmt, ...) CAIRN_PRINTF(4, 5);
/* Was this register given, so that it can be judged by? */
static inline bool ete_given(const struct ete_found *found, enum ete_reg reg)
{
	return found->program->given >> reg & 1;
}

/* ---- the order of packets ---- */

/* Must something come before the next P0 element? AS_BEFORE: the span does not know, fold does. */
enum ete_must { ETE_MUST_NOT, ETE_AS_BEFORE, ETE_BY_SYNC, ETE_BY_TRACE_ON };
/* Timestamp Markers: one waits, or none does; or a time came whose marker may lie before the Trace
 * Info (IPXZVX). */
enum ete_marked { ETE_UNMARKED, ETE_MARKED_ONE, ETE_EXCUSED };

/* What the rules know of a stream between two packets. */
struct ete_order {
	uint8_t step;                  /* enum ete_step */
	uint8_t gap, address, context; /* enum ete_must: a Trace On, an address, a context */
	uint8_t marked;
	uint8_t waits;        /* packet type of the exception or Q that waits for its address, 0 */
	bool begins;          /* non-periodic: the Trace Info that comes */
	bool async_open;      /* an Async without its Trace Info yet */
	bool ran_since_async; /* P0 elements came since */
	bool others;          /* any packet since the last Async */
	bool context_told, address_told; /* since the Trace Info */
	bool threshold_known;
	uint32_t threshold;
	uint64_t ran;       /* P0 elements since the Trace Info */
	uint64_t ran_async; /* and since the Async */
	struct check_place async_at, info_at;
	uint64_t depth; /* that are open */
	struct check_place waits_at;
};

void ete_order_begin(struct ete_order *order);
/* An Async comes; a Trace Info comes, which has to agree with `order`; and the state behind a Trace
 * Info. */
void ete_order_async(const struct ete_found *found, struct ete_order *order,
                     const struct check_place *at);
void ete_order_info(const struct ete_found *found, struct ete_order *order,
                    const struct cairn_ete_packet *packet, const struct check_place *at);
/* The stream ends: what its last synchronisation still owes. */
void ete_order_end(const struct ete_found *found, const struct ete_order *order);
/* What must have come before a P0 element. */
void ete_order_p0(const struct ete_found *found, const struct ete_order *order,
                  const struct check_place *at);

/* rules_open.c: the P0 elements that came since the Trace Info and are open. */
enum ete_open_kind { ETE_OPEN_OTHER, ETE_OPEN_ATOMS, ETE_OPEN_EXCEPTION };
struct ete_open {
	struct base_buf runs;
	size_t head;
	uint64_t n, atoms; /* all, and Atoms among them */
};
void ete_open_forget(struct ete_open *open);
int ete_open_add(struct ete_open *open, uint32_t n, enum ete_open_kind kind);
/* Resolve the oldest n. */
void ete_open_commit(struct ete_open *open, uint64_t n);
/* Take back the youngest n. Returns how many of them were Exceptions with others behind them. */
unsigned ete_open_cancel(struct ete_open *open, uint64_t n);

/* rules_path.c: the way through the program of what is not resolved yet. */
enum { ETE_PATH = 1024 };
/* Context synchronisation events that are P0 instructions. */
enum ete_path_event { ETE_EVENT_ISB = 1, ETE_EVENT_RETURN = 2 };
struct ete_path_slot {
	uint64_t addr;
	uint8_t isa;
};
struct ete_path_at {
	uint64_t addr;
	uint32_t vmid, ctxid;
	uint16_t view;
	bool has_vmid, has_ctxid;
	uint8_t isa, top, depth;
	bool is1, aarch64, no_addr, no_ctxt, waiting, no_push; /* as in struct cairn_ete_flow */
};
struct ete_path_p0 {
	struct ete_path_at before;
	struct ete_path_slot slot; /* the slot of the return stack before the push */
	uint8_t pushed_at, event;  /* enum ete_path_event, as it was traced; 0 none */
	bool pushed, atom, taken, followed;
};
struct ete_path {
	struct ete_code *code; /* NULL: nothing is ever canceled */
	bool stacked;
	struct ete_path_at now;
	struct ete_path_slot stack[ETE_STACK];
	struct ete_path_p0 open[ETE_PATH]; /* a ring */
	uint64_t head, tail;
	/* An exception return with others behind it was taken back, and nothing before it yet: its
	 * number, plus 1. A wrong way as a whole is not judged. */
	uint64_t returned;
};
void ete_path_open(struct ete_path *path, const struct cairn_ete_config *cfg,
                   struct ete_code *code);
void ete_path_forget(struct ete_path *path);
/* A Trace Info comes, or something else behind which neither the place nor the return stack is
 * known. */
void ete_path_info(struct ete_path *path);
void ete_path_jump(struct ete_path *path, bool flush);
void ete_path_context(struct ete_path *path, const struct cairn_ete_packet *packet);
void ete_path_address(struct ete_path *path, uint64_t address, bool is1);
void ete_path_p0(struct ete_path *path, const struct cairn_ete_packet *packet, uint32_t n);
/* The oldest n of `depth`. */
void ete_path_commit(struct ete_path *path, uint64_t n, uint64_t depth);
/* The youngest are canceled; the youngest was another. Returns ETE_EVENT_ISB for ISBs that had
 * others behind them; `returned` is set for exception returns. */
unsigned ete_path_cancel(struct ete_path *path, uint64_t n);
unsigned ete_path_mispredict(struct ete_path *path);

/* ---- a span ---- */

enum ete_tx { ETE_TX_UNKNOWN, ETE_TX_CLOSED, ETE_TX_OPEN };

struct ete_part {
	bool any, leads, last; /* of its stream */
	unsigned program;
	struct ete_order order;  /* at its end */
	enum ete_tx tx, tx_told; /* likewise; and what the Trace Info that leads says */
	/* for fold: the Async and Trace Info at the beginning, and the first P0 element */
	struct check_place async_at, info_at, first_at, tx_at;
	struct cairn_ete_packet info;
	bool asks;
	struct ete_order first; /* AS_BEFORE there */
};
struct ete_judge_unit {
	struct ete_order order;
	enum ete_tx tx;
};
struct ete_judge {
	struct ete_judge_unit *units; /* one for each program */
};

/* ---- the files ---- */

/* rules_config.c: the registers of a trace unit. */
void ete_rules_config(const struct ete_found *found);
/* rules_packet.c: a packet by itself. `threshold`: that of cycle counts in force. */
void ete_rules_packet(const struct ete_found *f, const struct cairn_ete_packet *packet,
                      uint32_t threshold, const struct check_place *at);
/* rules_order.c: the packets of a span; *records gets their number. */
int ete_rules_order(struct cairn_reader *reader, struct model_span *span, struct check_part *p,
                    uint64_t *records);
/* rules_flow.c: its elements, and the program. `numbers`: instructions that it holds. */
int ete_rules_flow(struct cairn_reader *reader, struct model_span *span, struct check_part *part,
                   uint64_t *numbers);
void ete_rules_info_transaction(const struct ete_found *found, enum ete_tx tx, bool told,
                                const struct check_place *at);

extern const struct check_rules ete_rules;

#endif
