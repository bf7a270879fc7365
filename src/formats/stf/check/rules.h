/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STF_RULES_H
#define STF_RULES_H
/*
 * The rules of STF, each described once: what it is called, where it comes from,
 * how bad it is, what has to hold. `cairn check --rules`, the documentation and
 * the tests are made from this table.
 *
 * "1.3" is STF Specification 1.3, "1.x" the later draft; "1.4" to "1.6" what those
 * versions added; "practice" what the public library and real traces do.
 */
#include "base/map.h"
#include "check/check.h"
#include "formats/stf/record/order.h"
#include "formats/stf/stf.h"

#define STF_RULES(R) \
	/* the stream */ \
	R(RECORD_COMPLETE, "record.complete", ERROR, "1.3 STF File Anatomy", \
	  "a record is a complete atomic entity: nothing is damaged or breaks off") \
	R(RECORD_KNOWN, "record.known", ERROR, "1.3 Specification of Records", \
	  "every descriptor is one that the specification defines") \
	R(RECORD_RESERVED, "record.reserved", ERROR, "1.3 STF_RESERVED", \
	  "descriptor 0 is reserved for error detection and never appears") \
	R(RECORD_VERSION, "record.version", WARNING, "1.3 VersionRecord", \
	  "no record is newer than the version the trace claims to comply with") \
	R(GROUP_ORDER, "group.order", WARNING, "1.3 ChangeLog 1.1", \
	  "the records of an instruction stand in ascending order of their descriptors") \
	R(TRACE_EMPTY, "trace.empty", WARNING, "1.3 STF File Anatomy", \
	  "a trace holds at least one instruction or transaction") \
	R(TRACE_TRAILING, "trace.trailing", WARNING, "1.3 STF File Anatomy", \
	  "only record 255 is behind the last instruction, because any other would belong to none") \
	R(CONTAINER_CUT, "container.cut", ERROR, "practice: .zstf", \
	  "a chunk of a container ends right behind an instruction or transaction") \
	R(CONTAINER_SIZE, "container.size", ERROR, "practice: .zstf", \
	  "a chunk decompresses to as many bytes as the container's index says") \
	R(END_ABSENT, "end.absent", NOTE, "1.3 STFReserveEndRecord", \
	  "record 255 is the last record of a trace (1.3 and before; nobody writes it)") \
	R(END_LAST, "end.last", ERROR, "1.3 STFReserveEndRecord", "nothing follows record 255") \
	R(END_PRESENT, "end.present", NOTE, "1.x Reserved End", \
	  "record 255 is reserved since 1.4: the public reader fails on it") \
	/* the header */ \
	R(IDENTIFIER_FIRST, "header.identifier-first", ERROR, "1.3 STFIdentifierRecord", \
	  "the first record is the identifier \"STF\"") \
	R(VERSION_SECOND, "header.version-second", ERROR, "1.3 VersionRecord", \
	  "the second record is VERSION") \
	R(VERSION_KNOWN, "header.version-known", ERROR, "1.3 VersionRecord", \
	  "the version is a published one, 1.2 to 1.6") \
	R(HEADER_END, "header.end", ERROR, "1.3 EndHeaderRecord", \
	  "END_HEADER completes the header record group") \
	R(HEADER_ONCE, "header.once", ERROR, "1.6 header", \
	  "a record that describes the whole trace stands in the header once") \
	R(HEADER_GROUP, "header.group", ERROR, "1.3 STF File Anatomy", \
	  "there is one header record group, at the start: its records do not come again") \
	R(HEADER_ISA, "header.isa", ERROR, "1.3 ISARecord", \
	  "the header of an instruction trace has ISA") \
	R(HEADER_TRACE_INFO, "header.trace-info", ERROR, "1.3 TraceInfoRecord", \
	  "the header has a TRACE_INFO for every tool that made or changed the trace") \
	R(HEADER_FEATURE, "header.feature", ERROR, "1.3 TraceInfoFeatureRecord", \
	  "the header has TRACE_INFO_FEATURE") \
	R(HEADER_COMMENT, "header.comment", NOTE, "1.3 CommentRecord", \
	  "the header has a COMMENT (mandatory by the specification, often absent)") \
	R(HEADER_PROCESS_ID, "header.process-id", NOTE, "1.3 ProcessIDExtRecord", \
	  "the header has PROCESS_ID_EXT (mandatory by the specification, usually absent)") \
	R(ISA_BEFORE_IEM, "isa.before-iem", ERROR, "1.3 ISARecord", "ISA precedes INST_IEM") \
	R(ISA_VALUE, "isa.value", ERROR, "1.3 ISARecord", "ISA is 1 to 4; other values are reserved") \
	R(ISA_ASSIGNED, "isa.assigned", NOTE, "docs/formats/stf.md", \
	  "the numbers of ISA, INST_IEM, registers, modes and events are STF's, not cairn's own") \
	R(ISA_EXTENDED_XLEN, "isa-extended.xlen", ERROR, "1.6 ISA_EXTENDED", \
	  "ISA_EXTENDED and INST_IEM tell the same width of registers") \
	R(ISA_EXTENDED_INSN, "isa-extended.instruction", WARNING, "1.6 ISA_EXTENDED", \
	  "instructions are of extensions that ISA_EXTENDED names") \
	R(IEM_FIRST, "iem.first", ERROR, "1.3 InstIEMRecord", \
	  "INST_IEM precedes the very first instruction") \
	R(IEM_VALUE, "iem.value", ERROR, "1.3 InstIEMRecord", \
	  "INST_IEM is RV32 or RV64 (RISC-V); 0 and 0xffff are reserved") \
	R(IEM_BODY, "iem.body", NOTE, "1.3 InstIEMRecord", \
	  "INST_IEM changes behind the header: allowed, but the public reader fails on it") \
	R(GENERATOR_RESERVED, "trace-info.reserved", ERROR, "practice: generator ids", \
	  "the generator of a TRACE_INFO is not 0, which is reserved") \
	R(GENERATOR_KNOWN, "trace-info.known", NOTE, "practice: generator ids", \
	  "the generator of a TRACE_INFO is one that the public tools know; they abort on others") \
	R(COMMENT_SHA, "comment.sha", WARNING, "1.3 CommentRecord", \
	  "comments include the git SHAs of the projects the trace generator is made of") \
	R(COMMENT_NUL, "comment.nul", ERROR, "1.3 CommentRecord", "a comment is not NUL-terminated") \
	R(VLEN_VALUE, "vlen.value", ERROR, "1.4 VLenConfigRecord", \
	  "VLEN_CONFIG is a power of two of at least 64") \
	R(VLEN_INSN, "vlen.instruction", ERROR, "1.4 VLenConfigRecord", \
	  "a trace that contains vector instructions has VLEN_CONFIG in its header") \
	R(VLEN_REG, "vlen.register", ERROR, "1.4 InstRegRecord", \
	  "a vector register's value needs VLEN_CONFIG, which tells its size") \
	R(FEATURE_UNSEEN, "feature.unseen", NOTE, "1.3 TraceInfoFeatureRecord", \
	  "what TRACE_INFO_FEATURE declares is in the trace") \
	R(FEATURE_UNDECLARED, "feature.undeclared", WARNING, "1.3 TraceInfoFeatureRecord", \
	  "what is in the trace is declared by TRACE_INFO_FEATURE") \
	R(FEATURE_PARTIAL, "feature.partial", NOTE, "1.3 PageTableWalkRecord", \
	  "page walks hold for the whole trace, which PTE promises, not for parts of it") \
	R(FEATURE_RV64, "feature.rv64", WARNING, "1.3 TraceInfoFeatureRecord", \
	  "the feature RV64 is declared where an INST_IEM is RV64") \
	R(FEATURE_UNKNOWN, "feature.unknown", NOTE, "practice: feature bits", \
	  "TRACE_INFO_FEATURE has no bits without a meaning") \
	/* kinds of traces */ \
	R(KIND_INSNS, "kind.instructions", ERROR, "1.x TransactionRecord", \
	  "records of transactions are not allowed in instruction traces") \
	R(KIND_XACTS, "kind.transactions", ERROR, "1.x ProtocolIdRecord", \
	  "records of instructions are not allowed in transaction traces") \
	R(PROTOCOL_PRESENT, "protocol.present", ERROR, "1.x ProtocolIdRecord", \
	  "PROTOCOL_ID is in the header of a transaction trace") \
	R(PROTOCOL_VALUE, "protocol.value", ERROR, "1.x ProtocolIdRecord", \
	  "PROTOCOL_ID is 1, TileLink; other values are reserved") \
	R(CLOCK_PRESENT, "clock.present", WARNING, "1.x ClockIdRecord", \
	  "CLOCK_ID is in the header of a transaction trace") \
	R(CLOCK_RESERVED, "clock.reserved", ERROR, "1.x ClockIdRecord", "no clock has the id 0") \
	R(CLOCK_ONCE, "clock.once", ERROR, "1.x ClockIdRecord", "a clock id is declared once") \
	/* change of flow */ \
	R(FORCE_PC_FIRST, "force-pc.first", ERROR, "1.3 ForcePCRecord", \
	  "FORCE_PC precedes the very first instruction") \
	R(FORCE_PC_HEADER, "force-pc.header", NOTE, "1.6 header", \
	  "the first FORCE_PC stands in the header, where the public reader needs it") \
	R(FORCE_PC_TWICE, "force-pc.twice", WARNING, "1.3 ForcePCRecord", \
	  "an instruction has one FORCE_PC: its own address") \
	R(PC_ODD, "pc.odd", ERROR, "1.3 ForcePCRecord", "the architectural PC of RISC-V is even") \
	R(TARGET_BRANCH, "pc-target.branch", ERROR, "1.3 InstPCTargetRecord", \
	  "INST_PC_TARGET is emitted for branches only") \
	R(TARGET_XRET, "pc-target.trap-return", WARNING, "1.3 Change of Flow 2c", \
	  "the return from a trap is no branch: FORCE_PC tells where it goes") \
	R(TARGET_EXCEPTION, "pc-target.exception", ERROR, "1.3 InstPCTargetRecord", \
	  "INST_PC_TARGET is not emitted for a change of flow by an exception") \
	R(TARGET_UNTAKEN, "pc-target.untaken", ERROR, "1.3 InstPCTargetRecord", \
	  "INST_PC_TARGET is omitted when the branch is not taken") \
	R(TARGET_ADDRESS, "pc-target.address", ERROR, "1.3 InstPCTargetRecord", \
	  "the target of a direct branch is the one its encoding tells") \
	R(TARGET_MISSING, "pc-target.missing", ERROR, "1.3 InstPCTargetRecord", \
	  "a jump has INST_PC_TARGET: it is always taken") \
	R(TARGET_TWICE, "pc-target.twice", ERROR, "1.3 InstPCTargetRecord", \
	  "an instruction has one INST_PC_TARGET") \
	R(FLOW_XRET, "flow.trap-return", WARNING, "1.3 ForcePCRecord", \
	  "FORCE_PC tells where a return from a trap goes on") \
	R(FLOW_EVENT, "flow.event", WARNING, "1.3 EventPCTargetRecord", \
	  "EVENT_PC_TARGET or FORCE_PC tells which PC follows an exception or interrupt") \
	R(EVENT_TARGET, "event-target.event", ERROR, "1.3 EventPCTargetRecord", \
	  "EVENT_PC_TARGET follows an EVENT of the same instruction") \
	/* events */ \
	R(MODE_START, "mode.start", NOTE, "1.3 EventRecord", \
	  "a MODE_CHANGE at the start tells the first privilege mode (often absent)") \
	R(MODE_VALUE, "mode.value", ERROR, "1.3 Event Meta-Data", \
	  "the mode of a MODE_CHANGE is 0 to 3") \
	R(MODE_FORCE_PC, "mode.force-pc", WARNING, "1.3 EventRecord", \
	  "a MODE_CHANGE comes with a FORCE_PC that must change the mode: behind a trap in user " \
	  "mode, behind sret in machine mode") \
	R(MODE_PRIVILEGED, "mode.privileged", WARNING, "1.3 EventRecord", \
	  "every change of mode has its MODE_CHANGE: trap returns run in a mode that has them, " \
	  "handlers not in user mode") \
	R(MODE_CSR, "mode.csr", WARNING, "1.3 EventRecord", \
	  "a CSR that an instruction accesses is one that the mode has") \
	R(MODE_CAUSE, "mode.cause", WARNING, "1.3 EventRecord", \
	  "the mode falls by a trap return, and rises by an EVENT, where no FORCE_PC begins anew") \
	R(MODE_SAME, "mode.same", NOTE, "1.3 EventRecord", \
	  "a MODE_CHANGE changes the mode, where no FORCE_PC begins anew") \
	R(EVENT_WIDTH, "event.width", ERROR, "1.5 EventRecord", \
	  "event ids are as wide as the feature EVENT64 says") \
	R(EVENT_ID, "event.id", WARNING, "1.3 Event Meta-Data", "event ids are not reserved ones") \
	R(EVENT_FIELDS, "event.fields", ERROR, "1.3 Event Meta-Data", \
	  "an event has as many metadata fields as the table of events says") \
	R(EVENT_EXTENDED, "event.extended", ERROR, "1.3 EventRecord", \
	  "event metadata is 0-extended to 64 bits: what RV32 has, encodings, the encoding mode") \
	R(EVENT_PC, "event.pc", ERROR, "1.3 Event Meta-Data", \
	  "metadata field 0 of a fault is the address of the instruction") \
	R(EVENT_ENCODING, "event.encoding", WARNING, "1.3 Event Meta-Data", \
	  "metadata field 1 of a fault is the instruction's encoding") \
	R(EVENT_IEM, "event.iem", NOTE, "1.3 Event Meta-Data", \
	  "metadata field 2 of ILLEGAL_INST is the encoding mode (practice: other values)") \
	R(EVENT_NOOP, "event.no-op", NOTE, "1.3 EventRecord", \
	  "a fetch fault is reported as a no-op (practice keeps the encoding)") \
	R(EVENT_INSN, "event.instruction", ERROR, "1.3 Event Meta-Data", \
	  "environment calls, load and store faults are events of such instructions") \
	R(EVENT_ECALL, "event.ecall-mode", WARNING, "1.3 Event Meta-Data", \
	  "an environment call comes from the mode its event names") \
	R(EVENT_MISSING, "event.missing", WARNING, "1.3 EventRecord", \
	  "every exception has its EVENT: environment calls, where the trace has events") \
	/* encodings */ \
	R(INST_LENGTH, "inst.length", ERROR, "1.3 Inst32Record", \
	  "an encoding is as long as its record: 16 bits unless its lowest two are 1") \
	R(INST_ENCODING, "inst.encoding", ERROR, "1.3 Inst32Record", \
	  "an encoding that ran exists in the encoding mode in force") \
	/* accesses */ \
	R(MEM_MISSING, "mem.missing", ERROR, "1.3 InstMemAccessRecord", \
	  "every instruction that reads or writes memory has its accesses, where the trace has any") \
	R(MEM_UNEXPECTED, "mem.unexpected", ERROR, "1.3 InstMemAccessRecord", \
	  "only instructions that read or write memory have accesses") \
	R(MEM_FETCH, "mem.fetch", ERROR, "1.3 InstMemAccessRecord", \
	  "the fetch of the instruction is not recorded as an access") \
	R(MEM_DIRECTION, "mem.direction", ERROR, "1.3 InstMemAccessRecord", \
	  "loads read and stores write") \
	R(MEM_SIZE, "mem.size", ERROR, "1.3 InstMemAccessRecord", \
	  "the accesses of an instruction are as large together as its encoding tells") \
	R(MEM_BITS, "mem.bits", WARNING, "1.3 InstMemContentRecord", \
	  "the size of an access is in bytes (some traces of Dromajo count bits)") \
	R(MEM_ORDER, "mem.order", ERROR, "1.x InstMemAccessRecord", \
	  "different addresses of one instruction come in order") \
	R(MEM_TYPE, "mem.type", ERROR, "1.3 InstMemAccessRecord", \
	  "an access is a read (1) or a write (2)") \
	R(MEM_ZERO, "mem.zero", ERROR, "1.3 InstMemAccessRecord", "an access has a size") \
	R(CONTENT_MISSING, "content.missing", ERROR, "1.3 Memory Access Record Group", \
	  "INST_MEM_CONTENT follows every INST_MEM_ACCESS") \
	R(CONTENT_ORPHAN, "content.orphan", ERROR, "1.3 InstMemContentRecord", \
	  "INST_MEM_CONTENT follows INST_MEM_ACCESS") \
	R(CONTENT_COUNT, "content.count", ERROR, "1.3 InstMemContentRecord", \
	  "an access has one content for every 8 bytes") \
	R(CONTENT_WIDE, "content.wide", NOTE, "1.3 InstMemContentRecord", \
	  "an access of more than 8 bytes has several contents (older practice: one)") \
	R(CONTENT_JUSTIFIED, "content.justified", ERROR, "1.3 InstMemContentRecord", \
	  "content of less than 8 bytes is right-justified: the bits above it are 0") \
	R(BUS_TYPE, "bus.type", ERROR, "1.3 BusMasterAccessRecord", \
	  "a bus master's access is a read (1) or a write (2)") \
	R(BUS_INITIATOR, "bus.initiator", ERROR, "1.3 BusMasterAccessRecord", \
	  "the initiator of a bus master's access is 0 to 6") \
	R(BUS_NUMBERING, "bus.numbering", NOTE, "1.3 BusMasterAccessRecord", \
	  "initiators count from 0 by the specification, from 1 in the public library") \
	R(BUS_ZERO, "bus.zero", ERROR, "1.3 BusMasterAccessRecord", \
	  "a bus master's access has a size") \
	R(BUS_CONTENT_MISSING, "bus-content.missing", ERROR, "1.3 BusMasterContentRecord", \
	  "BUS_MASTER_CONTENT follows every BUS_MASTER_ACCESS") \
	R(BUS_CONTENT_ORPHAN, "bus-content.orphan", ERROR, "1.3 BusMasterContentRecord", \
	  "BUS_MASTER_CONTENT follows BUS_MASTER_ACCESS") \
	R(BUS_CONTENT_COUNT, "bus-content.count", ERROR, "1.3 BusMasterContentRecord", \
	  "a bus master's access has one content for every 8 bytes") \
	R(BUS_CONTENT_WIDE, "bus-content.wide", NOTE, "1.3 BusMasterContentRecord", \
	  "a bus master's access of more than 8 bytes has several contents (older practice: one)") \
	R(BUS_CONTENT_JUSTIFIED, "bus-content.justified", ERROR, "1.3 BusMasterContentRecord", \
	  "content of less than 8 bytes is right-justified: the bits above it are 0") \
	/* page walks */ \
	R(WALK_FIRST, "walk.first", ERROR, "1.3 PageTableWalkRecord", \
	  "a page walk precedes the first access to a page, where the trace declares PTE") \
	R(WALK_REQUIRED, "walk.required", WARNING, "1.3 PageTableWalkRecord", \
	  "a trace that declares PTE has page walks") \
	R(WALK_ORDER, "walk.order", ERROR, "1.3 ChangeLog 1.1", \
	  "PAGE_TABLE_WALK precedes the accesses of its instruction") \
	R(WALK_INDEX, "walk.index", ERROR, "1.3 PageTableWalkRecord", \
	  "the index of the first access counts instructions from 0 and is not ahead") \
	R(WALK_ACCESS, "walk.access", WARNING, "1.3 PageTableWalkRecord", \
	  "the index is of the first access to the page, or of the walk's own instruction") \
	R(WALK_DEPTH, "walk.depth", ERROR, "1.3 PageTableWalkRecord", \
	  "the number of PTEs fits the page size in Sv32 (RV32), Sv39 or Sv48 (RV64)") \
	R(WALK_SIZE, "walk.size", ERROR, "1.3 PageTableWalkRecord", \
	  "the page size is one of Sv32 (RV32), Sv39 or Sv48 (RV64)") \
	R(WALK_CANONICAL, "walk.canonical", ERROR, "1.3 PageTableWalkRecord", \
	  "the address of a walk is one that Sv32, Sv39 or Sv48 translates") \
	R(WALK_TABLE, "walk.table", ERROR, "1.3 PageTableWalkRecord", \
	  "a PTE is the entry that the address selects, in the table that the PTE before points " \
	  "to") \
	R(WALK_SUPERPAGE, "walk.superpage", ERROR, "1.3 PageTableWalkRecord", \
	  "a large page lies at a multiple of its size in physical memory") \
	R(WALK_WRITABLE, "walk.writable", WARNING, "1.3 PageTableWalkRecord", \
	  "stores that are not stopped by an EVENT go to pages whose leaf has W") \
	R(WALK_LEAF, "walk.leaf", WARNING, "1.3 PageTableWalkRecord", \
	  "the last PTE of a walk is the valid leaf") \
	R(WALK_POINTER, "walk.pointer", WARNING, "1.3 PageTableWalkRecord", \
	  "the PTEs before the last are valid pointers to the next table") \
	R(WALK_SPACE, "walk.address-space", ERROR, "1.3 PageTableWalkRecord", \
	  "a page walk is not written while the address space (PROCESS_ID_EXT) is unknown") \
	/* registers, micro-ops, processes */ \
	R(REG_TYPE, "reg.type", ERROR, "1.3 InstRegRecord", \
	  "the register type is 1 to 4; others are reserved") \
	R(REG_OPERAND, "reg.operand", ERROR, "1.3 InstRegRecord", \
	  "the operand type is state, source or destination; 0 is reserved") \
	R(REG_SOURCES, "reg.sources", WARNING, "1.3 InstRegRecord", \
	  "a source holds what the register held before the instruction") \
	R(REG_CONTRADICTION, "reg.contradiction", WARNING, "1.3 InstRegRecord", \
	  "a source has the last value recorded of its register") \
	R(REG_BITS, "reg.bits", ERROR, "1.3 InstRegRecord", "bits 23:22 are reserved") \
	R(REG_NUMBER, "reg.number", ERROR, "1.3 InstRegRecord", \
	  "the register number exists in its class") \
	R(REG_PC, "reg.pc", NOTE, "practice: register numbers", \
	  "integer register 32 is the public library's name for the PC") \
	R(MICRO_OP_SIZE, "micro-op.size", ERROR, "1.3 InstMicroOpRecord", \
	  "the size of a micro-op is 2 or 4 bytes") \
	R(MICRO_OP_BITS, "micro-op.bits", ERROR, "1.3 InstMicroOpRecord", \
	  "a micro-op of 2 bytes has no bits above them") \
	R(MICRO_OP_REQUIRED, "micro-op.required", WARNING, "1.3 InstMicroOpRecord", \
	  "a trace that declares MICROOP has micro-ops") \
	R(PROCESS_MEANING, "process-id.meaning", NOTE, "1.6 ProcessIDExtRecord", \
	  "1.6 means hardware thread, PID, TID where 1.3 and the draft mean TGID, TID, ASID") \
	/* transactions */ \
	R(XACT_ID, "transaction.id", WARNING, "practice: transaction ids", \
	  "transactions are numbered from 1") \
	R(XACT_UNIQUE, "transaction.unique", ERROR, "1.x TransactionRecord", \
	  "a transaction's id is its own") \
	R(XACT_ORDER, "transaction.order", NOTE, "practice: transaction ids", \
	  "transaction ids ascend") \
	R(XACT_CLOCK, "transaction.clock", ERROR, "1.x ClockIdRecord", \
	  "the clock of a transaction is declared in the header, where any is") \
	R(XACT_METADATA, "transaction.metadata", ERROR, "1.x TransactionRecord", \
	  "metadata elements are of type 0 to 3") \
	R(DEP_EARLIER, "dependency.earlier", ERROR, "1.x TransactionDependencyRecord", \
	  "a transaction depends on earlier transactions") \
	R(DEP_CUT, "dependency.cut", NOTE, "1.x TransactionDependencyRecord", \
	  "the transaction depended on is in the trace, not cut off") \
	R(DEP_CLOCK, "dependency.clock", ERROR, "1.x TransactionDependencyRecord", \
	  "the clock of a dependency is declared in the header, where any is") \
	R(TL_CHANNEL, "tilelink.channel", ERROR, "1.x Tilelink", "the channel is 1 (A) to 5 (E)") \
	R(TL_CODE, "tilelink.code", WARNING, "1.x Tilelink", "a TileLink opcode has 3 bits") \
	R(TL_OPCODE, "tilelink.opcode", WARNING, "1.x Tilelink", \
	  "the opcode is one that the channel has") \
	R(TL_PARAM, "tilelink.param", WARNING, "1.x Tilelink", "a TileLink param has 3 bits") \
	R(TL_DATA, "tilelink.data", WARNING, "1.x Tilelink", \
	  "the data of a message is not longer than 2^size bytes") \
	R(TL_CARRIES, "tilelink.carries", WARNING, "1.x Tilelink", \
	  "messages that carry data, as Put, have some, and others, as Get, have none") \
	R(TL_ALIGNED, "tilelink.aligned", WARNING, "1.x Tilelink", \
	  "the address of a message is a multiple of 2^size") \
	R(TL_MASK_LENGTH, "tilelink.mask-length", WARNING, "1.x ChannelA", \
	  "a mask has a bit for each byte of the bus, whose width is a power of two") \
	R(TL_MASK, "tilelink.mask", WARNING, "1.x ChannelA", \
	  "the bits that fill a mask up to whole bytes are 0")

#define STF_RULE_ENUM(name, id, severity, clause, text) STF_RULE_##name,
enum stf_rule { STF_RULES(STF_RULE_ENUM) STF_RULE_COUNT };
#undef STF_RULE_ENUM

extern const struct check_rules stf_rules;

/* Conditions of held findings. */
enum { COND_ACCESS, COND_EVENT, COND_MODE };

/* What a trace has or says somewhere; the first place of each is kept. */
enum stf_seen {
	SEEN_OPERAND,
	SEEN_STATE,
	SEEN_EVENT,
	SEEN_WALK,
	SEEN_PROCESS,
	SEEN_MICRO_OP,
	SEEN_VECTOR,
	SEEN_ATTRIBUTE,
	SEEN_XACT,
	SEEN_BUS_ZERO,
	SEEN_END,
	SEEN_IDS,
	SEEN_EVENT_IEM,
	SEEN_KEPT,
	SEEN_BITS,
	SEEN_RV64,
	SEEN_CALL_NUMBER,
	SEEN_DIV_OPERAND,
	SEEN_THREADS,
	SEEN_CORES,
	SEEN_COUNT
};

/* A place in the bytes, before the instruction's number is added. */
struct stf_spot {
	uint64_t off, rec;
};

/* How the flow went on behind an instruction; joined with the next one's group. */
enum stf_tail {
	TAIL_NONE,
	TAIL_XRET,
	TAIL_EVENT,
	TAIL_TARGET /* an exception in user mode, with EVENT_PC_TARGET */
};
/* What may have changed the mode. */
enum { CAUSE_XRET = 1, CAUSE_EVENT = 2 };

struct stf_tail_state {
	uint8_t kind;   /* enum stf_tail */
	uint8_t mode;   /* the group itself had a MODE_CHANGE */
	uint8_t leaves; /* the mode cannot be the same behind it */
	struct check_place at;
};

/* A MODE_CHANGE of the first group of a span, whose cause may stand before it. */
struct stf_mode_change {
	uint8_t cause; /* wanted; 0: there is no such change */
	uint8_t from, to;
	struct check_place at;
};

/* Registers that are followed (x0 to x31, f0 to f31): what a span says of them. */
enum { STF_FOLLOWED = 64 };
struct stf_regs_seen {
	uint64_t value[STF_FOLLOWED]; /* behind it, where `have` has the bit */
	uint64_t have, cut;           /* cut: what the spans before said no longer counts */
	uint64_t asked;               /* sources before the span said anything else about them: */
	uint64_t first[STF_FOLLOWED];
	struct check_place first_at[STF_FOLLOWED];
};

/* What one span leaves to fold. */
struct stf_part {
	struct stf_regs_seen regs;
	uint64_t seen; /* bits of enum stf_seen */
	struct check_place first[SEEN_COUNT];
	uint64_t insns, xacts;
	/* the span's first group, and what its last instruction leaves open */
	bool any_group, head_forced, head_mode;
	struct stf_tail_state tail;
	struct check_place head;
	struct stf_mode_change head_change;
	uint8_t causes; /* of the last instruction */
	/* its end */
	bool damaged, trailing, ended_by_255, any_record, chunk;
	struct check_place trailing_at, end_at;
	/* pages */
	struct base_map used;      /* pages of 4 KiB and how they were used since they were walked */
	struct base_buf page_rows; /* struct stf_page_row */
	/* who ran, and the first place of each */
	struct base_map ids;
	struct base_buf id_rows;  /* struct stf_id_row: the first of each */
	struct base_buf ext_rows; /* struct stf_ext_row */
	/* transactions */
	struct base_buf xact_rows; /* struct stf_xact_row */
};

enum stf_page_kind { STF_PAGE_READ, STF_PAGE_WRITE, STF_PAGE_FETCH, STF_PAGE_WALK };
struct stf_page_row {
	uint64_t space, addr;
	uint64_t n;           /* the instruction, from 0 */
	uint64_t index, leaf; /* of a walk */
	uint8_t kind, shift;
	struct check_place at;
};

struct stf_id_row {
	uint32_t id[3];
	struct check_place at;
};

/* An instruction of an extension that ISA_EXTENDED does not name. */
struct stf_ext_row {
	const char *name, *ext; /* constants */
	uint32_t enc;
	struct check_place at;
};

struct stf_xact_row {
	uint64_t id;
	struct check_place at;
	bool dependency;
};

enum { STF_TOLD_EXTS = 64 };

/* What is known of the whole trace; only start, fold and end write it. */
struct stf_judge {
	uint8_t has[256]; /* records in the header */
	uint8_t clock[256];
	bool any_clock, insn_trace;
	char *isa_extended;      /* its text, NULL: none that can be judged by */
	struct stf_spot feature; /* TRACE_INFO_FEATURE */
	uint64_t seen;
	struct check_place first[SEEN_COUNT];
	uint64_t insns, xacts;
	struct stf_tail_state tail;
	uint8_t causes; /* of the last instruction */
	bool damaged, trailing, ended_by_255;
	bool cut; /* the last chunk ended inside an instruction's records */
	struct check_place trailing_at, end_at, cut_at;
	struct base_map walked, used; /* pages */
	uint64_t n_walks;
	struct stf_who who;
	const char *told_ext[STF_TOLD_EXTS];
	unsigned n_told_ext;
	uint64_t regs[STF_FOLLOWED], regs_have; /* last told */
	struct check_set ids;
	uint64_t last_id;
};

/* ---- the walk over a span ---- */

/* Beside enum stf_follow_flag. */
enum stf_group_flag {
	G_ANY = 1,
	G_TARGET = 2,
	G_MEM = 4,
	G_EVENT = 8,
	G_FAULT = 16,
	G_INTERRUPT = 32,
	G_SYSCALL = 64,
	G_MODE = 128,
	G_EVENT_TARGET = 256,
	G_BUS = 512,
	G_DISORDER = 1024,
	G_FETCH = 2048,
	G_WIDE = 4096,
	G_MICRO = 1 << 13,
	G_OPERAND = 1 << 14,
	G_SWITCH = 1 << 15,
	G_NARROW = 1 << 16
};
#define G_RARE (G_EVENT | STF_FORCED | G_EVENT_TARGET | G_MODE | G_OPERAND)
#define G_ABORTED (G_FAULT | G_INTERRUPT)

enum { GROUP_EVENTS = 8, GROUP_USES = 8, GROUP_REGS = 8 };
struct stf_group_reg {
	uint64_t value;
	struct stf_spot at;
	uint8_t slot, role;
};
struct stf_group_event {
	uint64_t id; /* 64-bit form */
	uint64_t field[3];
	uint32_t n;
	struct stf_spot at;
};

struct stf_page_use {
	uint64_t addr;
	bool write;
	struct stf_spot at;
};

/* An access whose contents are being counted. */
struct stf_open {
	struct stf_spot at;
	uint32_t size, got;
};

/* The records since the last instruction. Members are valid when their flag is set. */
struct stf_group {
	uint8_t prev; /* the last record's descriptor */
	uint64_t target;
	struct stf_spot first, target_at, mem_at;
	uint32_t reads, writes;
	uint64_t read_bytes, write_bytes, last_addr, fetch_bytes;
	bool in_bits; /* the sizes seem to be in bits */
	struct stf_open wide;
	struct stf_spot narrow_at; /* a content wider than the one byte that its access seems to have */
	uint64_t narrow;
	struct stf_open mem, bus;
	uint64_t forced;
	uint32_t n_events, targets_due, n_regs;
	struct stf_group_reg reg[GROUP_REGS];
	struct stf_group_event event[GROUP_EVENTS];
	struct stf_spot mode_at; /* of the last MODE_CHANGE that holds from the next on */
	uint32_t n_uses;
	struct stf_page_use use[GROUP_USES]; /* where the trace declares PTE */
	struct stf_spot operand_at;          /* where it declares INT_DIV_OPERAND_VALUE */
};

struct stf_walk {
	struct cairn_reader *reader;
	const struct cairn_stf_config *cfg;
	const struct stf_judge *judge;
	struct check_part *part;
	struct stf_part *sp;
	struct stf_span *ss;
	struct isa_memo *memo;
	uint64_t off0; /* offset of a record = off0 + its address */
	struct stf_state at;
	struct stf_group group;
	bool riscv, pages, iem;
	bool extra;         /* pages, or the extensions that are named */
	unsigned operand;   /* what an operand shows; SEEN_COUNT: the group decides */
	const char *named;  /* the text of ISA_EXTENDED, NULL: none */
	uint64_t caused[2]; /* numbers of the last trap return and event */
	bool bits, follow;  /* sizes of accesses are in bits; registers are followed */
	uint64_t page_ok;   /* the last page that was looked up; UINT64_MAX none */
	uint64_t code_page;
};

static inline struct stf_spot stf_here(const struct stf_walk *walk, const uint8_t *p)
{
	return (struct stf_spot){walk->off0 + (uint64_t)(uintptr_t)p, walk->at.rec};
}
struct check_place stf_spot_place(const struct stf_walk *walk, struct stf_spot at);
#define FIND(w, rule, spot, ...) \
	do { \
		struct check_place place_ = stf_spot_place(w, spot); \
		check_add((w)->part, STF_RULE_##rule, &place_, __VA_ARGS__); \
	} while (0)
#define HOLD(w, cond, rule, spot, ...) \
	do { \
		struct check_place place_ = stf_spot_place(w, spot); \
		check_hold((w)->part, cond, STF_RULE_##rule, &place_, __VA_ARGS__); \
	} while (0)
void stf_see_at(struct stf_walk *walk, unsigned what, struct stf_spot at);
static inline void stf_see(struct stf_walk *walk, unsigned what, const uint8_t *p)
{
	if (__builtin_expect(!(walk->sp->seen >> what & 1), 0))
		stf_see_at(walk, what, stf_here(walk, p));
}

/* rules_walk.c */
int stf_rules_span(struct cairn_reader *reader, const void *state, struct model_span *span,
                   struct check_part *part);
/* rules_header.c */
int stf_rules_header(struct cairn_reader *reader, struct stf_judge *judge, struct check_part *part);
void stf_rules_features(struct cairn_reader *reader, const struct stf_judge *judge,
                        struct check_part *part);
/* rules.c: who runs now. */
int stf_rules_take_ids(struct stf_judge *judge, const struct stf_id_row *row, bool new_ids);
/* rules_flow.c: an instruction's own rules, at its encoding at p. */
void stf_rule_flow(struct stf_walk *walk, const uint8_t *p, const struct cairn_op *op,
                   unsigned size);
void stf_rule_memory(struct stf_walk *walk, const uint8_t *p, const struct cairn_op *op,
                     unsigned size);
void stf_rule_encoding(struct stf_walk *walk, const uint8_t *p, const struct cairn_op *op,
                       unsigned size);
void stf_rule_special(struct stf_walk *walk, const uint8_t *p, const struct cairn_op *op);
void stf_rule_join(struct check_part *part, const struct stf_tail_state *tail, bool forced,
                   bool mode, const struct check_place *at);
/* rules_modes.c: a group with MODE_CHANGE, a trap return, or an access to a CSR. */
void stf_rule_modes(struct stf_walk *walk, const uint8_t *p, const struct cairn_op *op);
void stf_rule_mode_cause(struct check_part *part, const struct stf_mode_change *change,
                         unsigned causes);
/* rules_isa.c: the first time that an encoding is met. */
void stf_rule_extension(struct stf_walk *walk, const uint8_t *p, const struct cairn_op *op);
void stf_rules_fold_extensions(struct stf_judge *judge, const struct stf_part *sp,
                               struct check_part *part);
/* rules_events.c */
void stf_rule_event(struct stf_walk *walk, const uint8_t *p);
void stf_rule_event_target(struct stf_walk *walk, const uint8_t *p);
void stf_rule_group_events(struct stf_walk *walk, const struct cairn_op *op, unsigned size);
/* rules_regs.c */
void stf_rule_reg(struct stf_walk *walk, const uint8_t *p);
void stf_rule_regs(struct stf_walk *walk, uint32_t enc, unsigned size);
void stf_regs_forget(struct stf_walk *walk);
void stf_rules_fold_regs(struct stf_judge *judge, const struct stf_part *sp,
                         struct check_part *part);
/* rules_pages.c */
void stf_rule_page_walk(struct stf_walk *walk, const uint8_t *p);
void stf_rule_page_access(struct stf_walk *walk, const uint8_t *p);
void stf_rule_pages_used(struct stf_walk *walk, const uint8_t *p);
void stf_rules_init_pages(struct cairn *cairn, struct base_map *walked, struct base_map *used);
int stf_rules_fold_pages(struct stf_judge *judge, struct stf_part *sp, struct check_part *part);
/* rules_xacts.c */
void stf_rule_transaction(struct stf_walk *walk, const uint8_t *p);
void stf_rule_dependency(struct stf_walk *walk, const uint8_t *p);
int stf_rules_fold_xacts(struct stf_judge *judge, struct stf_part *sp, struct check_part *part);

#endif
