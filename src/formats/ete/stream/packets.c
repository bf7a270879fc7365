/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets from bytes. The first byte of a packet chooses one of 256 rows made from the
 * packet table for the configuration at hand; most packets end there, the others have a
 * layout that reads on.
 *
 * What always holds: every call takes at least one byte or is at the end; packets lie
 * back to back, so the sizes add up to the bytes; nothing is read behind the end. In
 * step, a broken packet costs the bytes looked at and reading goes on behind them; the
 * layer above decides what can still be believed.
 *
 * An Async is 11 zeros and 80, more zeros than any packet holds, and it is found
 * wherever it is: where a packet was cut off in front of one and took some of its zeros
 * for its own, the zeros before the place are counted, too. So the bytes from an Async
 * on are read alike by everybody, whatever came before it, and a stream can be cut there.
 */
#include <string.h>

#include "base/bytes.h"
#include "formats/ete/stream/table.h"

/* How to read on by the first byte. Eight bytes, because everything waits for where the next packet
 * begins. */
struct head {
	uint16_t number;
	uint8_t form, addr, is1;
	uint8_t plain;      /* row of plain_forms: nothing but an address; 0: not so */
	uint8_t size, more; /* its bytes; more with a second byte of address */
};

struct cairn_ete_packets {
	struct cairn *cairn;
	const uint8_t *data, *at, *end;
	uint64_t base, bad;
	struct ete_history history;
	struct ete_layout layout;
	bool in_step, m_profile;
	struct head heads[256];
	/* The packet as far as its first byte goes; up to ETE_LAST_SHORT, all of it. */
	struct cairn_ete_packet begun[256];
};

/* All headers from here on are atoms. So many bytes hold one, and any address behind it. */
enum { ETE_FIRST_ATOM = 0xc0, ENOUGH = 16 };

enum trouble { FINE, CUT_OFF, BROKEN };
struct scan {
	const uint8_t *q, *end;
	enum trouble trouble;
	uint16_t flags;
};

/* ---- fields ---- */

/* Seven bits a byte, lowest first, as long as bit 7 is set; at most `most` bytes, then it
 * is broken. */
static inline uint64_t cont(struct scan *scan, unsigned most)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < most; i++) {
		if (scan->q == scan->end) {
			scan->trouble = CUT_OFF;
			return 0;
		}
		uint8_t b = *scan->q++;
		v |= (uint64_t)(b & 127) << 7 * i;
		if (!(b & 128)) {
			if (i && !b)
				scan->flags |= CAIRN_ETE_P_UNUSUAL;
			return v;
		}
	}
	scan->trouble = BROKEN;
	return 0;
}

static inline uint32_t cont32(struct scan *scan)
{
	uint64_t v = cont(scan, 5);
	if (v > UINT32_MAX)
		scan->trouble = BROKEN;
	return (uint32_t)v;
}

/* The next `n` bytes, NULL when there are not as many. */
static inline const uint8_t *packets_take(struct scan *scan, size_t n)
{
	const uint8_t *p = scan->q;
	if ((size_t)(scan->end - p) < n) {
		scan->trouble = CUT_OFF;
		return NULL;
	}
	scan->q += n;
	return p;
}

static inline uint8_t byte(struct scan *scan)
{
	const uint8_t *p = packets_take(scan, 1);
	return p ? *p : 0;
}

/* ---- addresses and contexts ---- */

static inline uint64_t short_address(struct scan *scan, const struct ete_history *history,
                                     unsigned is1, uint8_t *bits)
{
	uint8_t b = byte(scan);
	unsigned shift = is1 ? 1 : 2;
	uint64_t v = (uint64_t)(b & 127) << shift;
	*bits = (uint8_t)(7 + shift);
	if (b & 128) {
		v |= (uint64_t)byte(scan) << (7 + shift);
		*bits = (uint8_t)(15 + shift);
	}
	return (history->address[0] >> *bits << *bits) | v;
}

static inline uint64_t long_address(struct scan *scan, const struct ete_history *history,
                                    unsigned is1, bool wide)
{
	const uint8_t *p = packets_take(scan, wide ? 8 : 4);
	uint64_t v;
	if (!p)
		return 0;
	if ((p[0] & 128) || (!is1 && (p[1] & 128)))
		scan->flags |= CAIRN_ETE_P_UNUSUAL;
	v = is1 ? (uint64_t)(p[0] & 127) << 1 | (uint64_t)p[1] << 8
	        : (uint64_t)(p[0] & 127) << 2 | (uint64_t)(p[1] & 127) << 9;
	if (wide)
		return v | base_le(p + 2, 6) << 16;
	v |= (uint64_t)base_le16(p + 2) << 16;
	return history->upper ? (history->address[0] & ~(uint64_t)UINT32_MAX) | v : v;
}

/*
 * Packets that are nothing but an address are a third of a stream. They are made of eight bytes
 * without a branch, because neither their form nor their length can be predicted. `take`: bits that
 * come from the packet; the others come from the history.
 */
struct plain {
	uint64_t take, take_more; /* short with a second byte: more */
	uint64_t upper;           /* bits above, taken when they are not to be kept */
	uint64_t high;            /* which of the eight bytes stay in their place */
	uint32_t unusual;
	uint8_t size, more;
	uint8_t bits, bits_more, shift, second;
	bool match;
};
#define UPPER ((uint64_t)UINT32_MAX << 32)
#define LOW(bits) (((uint64_t)1 << (bits)) - 1)
#define SHORT(is1) \
	{ \
		LOW(9 - is1), LOW(17 - is1), 0, 0, 0, 2, 1, 9 - is1, 17 - is1, 2 - is1, 255, false \
	}
#define LONG(is1, take, upper, size) \
	{ \
		take, take, upper, take & ~(uint64_t)0xffff, is1 ? 0x80 : 0x8080, size, 0, 0, 0, 2 - is1, \
			is1 ? 255 : 127, false \
	}
static const struct plain plain_forms[] = {{.size = 0},
                                           {.size = 1, .match = true},
                                           SHORT(0),
                                           SHORT(1),
                                           LONG(0, LOW(32), UPPER, 5),
                                           LONG(1, LOW(32), UPPER, 5),
                                           LONG(0, UINT64_MAX, 0, 9),
                                           LONG(1, UINT64_MAX, 0, 9)};

static inline const uint8_t *plain_address(struct cairn_ete_packets *packets, const uint8_t *from,
                                           const struct head *head, struct cairn_ete_packet *packet)
{
	const struct plain *plain = &plain_forms[head->plain];
	const unsigned number = head->number;
	uint64_t v = base_le64(from + 1), more = v >> 7 & head->more, take, a;
	packet->size = (uint32_t)(head->size + more); /* where the next one begins: all wait for that */
	from += packet->size;
	unsigned is1 = head->is1 | (plain->match & packets->history.is1[number]);
	take = more ? plain->take_more : plain->take;
	take |= packets->history.upper ? 0 : plain->upper;
	a = (v & 127) << plain->shift | (v >> 8 & plain->second) << (7 + plain->shift) |
	    (v & plain->high);
	a = (a & take) | (packets->history.address[number] & ~take);
	packet->address = a;
	packet->bits = more ? plain->bits_more : plain->bits;
	packet->flags = (uint16_t)(is1 | (v & plain->unusual ? CAIRN_ETE_P_UNUSUAL : 0));
	ete_history_push(&packets->history, a, is1);
	return from;
}

static void packets_context(const struct cairn_ete_packets *packets, struct scan *scan,
                            struct cairn_ete_packet *packet)
{
	const uint8_t *b;
	packet->context = byte(scan);
	if ((packet->context & ETE_CONTEXT_VMID) && packets->layout.vmid_bytes) {
		scan->flags |= CAIRN_ETE_P_HAS_VMID;
		if ((b = packets_take(scan, packets->layout.vmid_bytes)))
			packet->vmid = (uint32_t)base_le(b, packets->layout.vmid_bytes);
	}
	if ((packet->context & ETE_CONTEXT_CTXID) && packets->layout.ctxid_bytes) {
		scan->flags |= CAIRN_ETE_P_HAS_CTXID;
		if ((b = packets_take(scan, packets->layout.ctxid_bytes)))
			packet->ctxid = base_le32(b);
	}
}

static inline void packets_address(struct cairn_ete_packets *packets, struct scan *scan,
                                   const struct head *head, struct cairn_ete_packet *packet)
{
	const struct ete_row *row = &ete_rows[packet->type];
	unsigned is1 = head->is1;
	switch (head->addr) {
	case ETE_A_MATCH:
		packet->address = packets->history.address[packet->number];
		is1 = packets->history.is1[packet->number];
		break;
	case ETE_A_SHORT:
		packet->address = short_address(scan, &packets->history, is1, &packet->bits);
		break;
	case ETE_A_32:
	case ETE_A_64:
		packet->address = long_address(scan, &packets->history, is1, head->addr == ETE_A_64);
		break;
	default:
		break;
	}
	if (is1)
		scan->flags |= CAIRN_ETE_P_IS1;
	if (row->context)
		packets_context(packets, scan, packet);
	if (row->count) {
		packet->count = cont32(scan);
		scan->flags |= CAIRN_ETE_P_HAS_COUNT;
	}
	if (scan->trouble)
		return;
	if (head->addr != ETE_A_NONE)
		ete_history_push(&packets->history, packet->address, is1);
	if (row->context)
		packets->history.upper = packet->context & ETE_CONTEXT_SF;
}

/* ---- the other layouts ---- */

static void packets_trace_info(struct cairn_ete_packets *packets, struct scan *scan,
                               struct cairn_ete_packet *packet)
{
	uint8_t plctl = byte(scan), more = plctl;
	uint32_t info;
	while ((more & 128) && !scan->trouble) {
		scan->flags |= CAIRN_ETE_P_UNUSUAL;
		more = byte(scan);
	}
	if (plctl & 0x60)
		scan->flags |= CAIRN_ETE_P_UNUSUAL;
	packet->sections = plctl & 0x1f;
	info = packet->sections & CAIRN_ETE_INFO ? cont32(scan) : 0;
	if (info > UINT8_MAX)
		scan->flags |= CAIRN_ETE_P_UNUSUAL;
	packet->info = (uint8_t)info;
	packet->count = packet->sections & CAIRN_ETE_KEY ? cont32(scan) : 0;
	packet->value = packet->sections & CAIRN_ETE_SPEC ? cont32(scan) : 0;
	packet->cycles = packet->sections & CAIRN_ETE_CYCT ? cont32(scan) : 0;
	packet->key = packet->sections & CAIRN_ETE_WNDW ? cont32(scan) : 0;
	if (scan->trouble)
		return;
	ete_history_reset(&packets->history);
	packets->history.threshold = packet->cycles;
}

static void packets_timestamp(struct cairn_ete_packets *packets, struct scan *scan,
                              struct cairn_ete_packet *packet)
{
	uint64_t v = 0;
	unsigned i = 0;
	for (uint8_t b = 128; i < 9 && (b & 128) && !scan->trouble; i++) {
		b = byte(scan);
		v |= (uint64_t)(i < 8 ? b & 127 : b) << 7 * i;
	}
	packet->bits = (uint8_t)(i < 9 ? 7 * i : 64);
	packet->value = i < 9 ? (packets->history.time >> packet->bits << packet->bits) | v : v;
	if (packet->header & 1) {
		uint64_t cycles = cont(scan, 3);
		packet->cycles = (uint32_t)cycles & packets->layout.cc_mask;
		if (packet->cycles != cycles)
			scan->flags |= CAIRN_ETE_P_UNUSUAL;
		scan->flags |= CAIRN_ETE_P_HAS_CYCLES;
	}
	if (!scan->trouble)
		packets->history.time = packet->value;
}

static void packets_exception(struct cairn_ete_packets *packets, struct scan *scan,
                              struct cairn_ete_packet *packet)
{
	uint8_t b = byte(scan);
	packet->number = b >> 1 & 31;
	packet->info = (uint8_t)((b >> 5 & 2) | (b & 1));
	scan->flags |= packets->m_profile ? CAIRN_ETE_P_M_PROFILE : 0;
	if (b & 128) {
		uint8_t more = byte(scan);
		packet->number = (uint16_t)(packet->number | (more & 31) << 5);
		scan->flags |= CAIRN_ETE_P_LONG_FORM;
		if (more & 32)
			scan->flags |= CAIRN_ETE_P_FAULT_PENDING;
		if (more & 0xc0)
			scan->flags |= CAIRN_ETE_P_UNUSUAL;
		return;
	}
	if (!packets->layout.ete ||
	    (packet->number != ETE_TYPE_PE_RESET && packet->number != ETE_TYPE_TRANSACTION_FAILURE))
		return;
	/* These have no return address, but a byte in its place; they push 0. */
	if (byte(scan) != ETE_RESET_TAIL || packet->info != 1)
		scan->flags |= CAIRN_ETE_P_UNUSUAL;
	packet->type = packet->number == ETE_TYPE_PE_RESET ? CAIRN_ETE_P_PE_RESET
	                                                   : CAIRN_ETE_P_TRANSACTION_FAILURE;
	packet->info = 0;
	packet->number = 0;
	scan->flags &= (uint16_t)~CAIRN_ETE_P_M_PROFILE;
	if (!scan->trouble)
		ete_history_push(&packets->history, 0, 0);
}

static void packets_cycle_count(struct cairn_ete_packets *packets, struct scan *scan,
                                const struct head *head, struct cairn_ete_packet *packet)
{
	bool opt = packets->layout.commit_opt;
	uint8_t b = packet->header;
	uint64_t cycles = 0;
	int64_t commit = 0;
	if (head->form == ETE_CCNT_F1) {
		commit = opt ? 0 : cont32(scan);
		if (b & 1)
			scan->flags |= CAIRN_ETE_P_CYCLES_UNKNOWN;
		else
			cycles = cont(scan, 3) + packets->history.threshold;
	} else if (head->form == ETE_CCNT_F2) {
		packet->number = b & 1;
		b = byte(scan);
		cycles = packets->history.threshold + (uint64_t)(b & 15);
		commit = packet->number ? (int64_t)packets->layout.maxspec - 15 + (b >> 4) : 1 + (b >> 4);
		if (!opt && commit < 1)
			scan->trouble = BROKEN;
		if (opt && b >> 4)
			scan->flags |= CAIRN_ETE_P_UNUSUAL;
	} else {
		cycles = packets->history.threshold + (uint64_t)(b & 3);
		commit = 1 + (b >> 2 & 3);
		if (opt && (b & 12))
			scan->flags |= CAIRN_ETE_P_UNUSUAL;
	}
	if (cycles > UINT32_MAX)
		scan->trouble = BROKEN;
	packet->cycles = (uint32_t)cycles;
	scan->flags |= CAIRN_ETE_P_HAS_CYCLES;
	if (!opt) {
		packet->count = (uint32_t)commit;
		scan->flags |= CAIRN_ETE_P_HAS_COUNT;
	}
}

static uint32_t cond_result(struct scan *scan, uint8_t *result)
{
	uint8_t b = byte(scan);
	uint64_t key = b >> 4 & 7, more;
	*result = b & 15;
	if (b & 128) {
		uint16_t usual = scan->flags;
		more = cont(scan, 5);
		if (more > UINT32_MAX >> 3)
			scan->trouble = BROKEN;
		if (!more)
			usual |= CAIRN_ETE_P_UNUSUAL;
		scan->flags |= usual;
		key |= more << 3;
	}
	return (uint32_t)key;
}

static void packets_conditional(struct scan *scan, const struct head *head,
                                struct cairn_ete_packet *packet)
{
	uint8_t b, first, second = 0;
	if (head->form == ETE_COND_INST_F3) {
		b = byte(scan);
		packet->number = b & 1;
		packet->count = (b >> 1 & 63u) + packet->number;
		if (b & 128)
			scan->flags |= CAIRN_ETE_P_UNUSUAL;
	} else if (head->form == ETE_COND_RESULT_F3) {
		packet->number = (uint16_t)((packet->header & 15) << 8 | byte(scan));
	} else {
		packet->value = cond_result(scan, &first);
		if (packet->header < 0x6c) /* two results */
			packet->key = cond_result(scan, &second);
		packet->result = (uint8_t)(first | second << 4);
	}
}

static void packets_instrumentation(struct scan *scan, struct cairn_ete_packet *packet)
{
	const uint8_t *b = packets_take(scan, 9);
	if (!b)
		return;
	packet->number = b[0];
	packet->value = base_le64(b + 1);
}

/* ---- 00 ---- */

/* Zeros from q on, at most ETE_ASYNC_SIZE - 1 are looked for. */
static size_t zeros_before(const uint8_t *start, const uint8_t *from)
{
	size_t n = 0;
	while (n < ETE_ASYNC_SIZE - 1 && from - n > start && from[-1 - (ptrdiff_t)n] == 0)
		n++;
	return n;
}

static const uint8_t *behind_zeros(const uint8_t *from, const uint8_t *end)
{
	while (from < end && *from == 0)
		from++;
	return from;
}

static void extension(struct cairn_ete_packets *packets, struct scan *scan,
                      struct cairn_ete_packet *packet)
{
	const uint8_t *from = scan->q - 1, *q = scan->q;
	if (q < scan->end && (*q == 3 || *q == 5)) {
		packet->type = *q == 3 ? CAIRN_ETE_P_DISCARD : CAIRN_ETE_P_OVERFLOW;
		scan->q++;
		return;
	}
	scan->q = q = behind_zeros(q, scan->end);
	if (q == scan->end) {
		scan->trouble = CUT_OFF;
		return;
	}
	scan->q++;
	if (*q != 0x80) {
		scan->trouble = BROKEN;
		scan->q = q - from > 1 ? q : q + 1;
		return;
	}
	if (q - from >= ETE_ASYNC_SIZE - 1) {
		if (q - from > ETE_ASYNC_SIZE - 1)
			scan->flags |= CAIRN_ETE_P_UNUSUAL;
		return;
	}
	if (zeros_before(packets->data, q) < ETE_ASYNC_SIZE - 1)
		scan->trouble = BROKEN;
	scan->flags |= CAIRN_ETE_P_OVERLAP | CAIRN_ETE_P_UNUSUAL;
}

/* ---- packets ---- */

static void read_on(struct cairn_ete_packets *packets, struct scan *scan, const struct head *head,
                    struct cairn_ete_packet *packet)
{
	switch (head->form) {
	case ETE_EXTENSION:
		extension(packets, scan, packet);
		break;
	case ETE_TRACE_INFO:
		packets_trace_info(packets, scan, packet);
		break;
	case ETE_TIMESTAMP:
		packets_timestamp(packets, scan, packet);
		break;
	case ETE_EXCEPTION:
		packets_exception(packets, scan, packet);
		break;
	case ETE_CCNT_F1:
	case ETE_CCNT_F2:
	case ETE_CCNT_F3:
		packets_cycle_count(packets, scan, head, packet);
		break;
	case ETE_COUNT:
		packet->count = cont32(scan);
		break;
	case ETE_ITE:
		packets_instrumentation(scan, packet);
		break;
	default:
		packets_conditional(scan, head, packet);
		break;
	}
}

/* What could not be read: only its place is known. */
static void no_packet(struct cairn_ete_packets *packets, struct cairn_ete_packet *packet,
                      unsigned type)
{
	*packet = (struct cairn_ete_packet){.offset = packet->offset,
	                                    .header = packet->header,
	                                    .type = (uint8_t)type};
	packets->bad += type != CAIRN_ETE_P_PADDING;
}

static const uint8_t *packets_find_async(const uint8_t *from, const uint8_t *q, const uint8_t *end);

/* Before the first Async. */
static void junk(struct cairn_ete_packets *packets, struct cairn_ete_packet *packet)
{
	const uint8_t *to = packets_find_async(packets->at, packets->at, packets->end);
	*packet =
		(struct cairn_ete_packet){.offset = packets->base + (uint64_t)(packets->at - packets->data),
	                              .header = *packets->at,
	                              .type = CAIRN_ETE_P_NOT_SYNC};
	if (!to) {
		to = packets->end;
		if (behind_zeros(packets->at, to) == to)
			packet->type = CAIRN_ETE_P_PADDING;
	}
	/* sizes have 32 bits */
	if ((uint64_t)(to - packets->at) > UINT32_MAX)
		to = packets->at + UINT32_MAX;
	packet->size = (uint32_t)(to - packets->at);
	packets->at = to;
}

static const uint8_t *packet(struct cairn_ete_packets *packets, const uint8_t *from,
                             struct cairn_ete_packet *p)
{
	const struct head *head = &packets->heads[*from];
	struct scan scan = {from + 1, packets->end, FINE, 0};
	if (head->form == ETE_ADDRESS)
		packets_address(packets, &scan, head, p);
	else if (head->form == ETE_NO_FORM)
		no_packet(packets, p, CAIRN_ETE_P_RESERVED);
	else
		read_on(packets, &scan, head, p);
	p->flags = scan.flags;
	if (__builtin_expect(scan.trouble, FINE)) {
		if (scan.trouble == CUT_OFF)
			scan.q = packets->end;
		no_packet(packets, p,
		          scan.trouble == BROKEN ? CAIRN_ETE_P_BAD
		          : *from                ? CAIRN_ETE_P_INCOMPLETE
		                  : CAIRN_ETE_P_PADDING); /* of the header 00, see extension */
	}
	return scan.q;
}

/*
 * Read atoms and addresses up to the first other packet, as long as one of any length fits in front
 * of the end. Which of the two comes next cannot be predicted, so each has its own code to look at
 * the next byte.
 */
static struct cairn_ete_packet *packets_hurry(struct cairn_ete_packets *packets,
                                              struct cairn_ete_packet *packet,
                                              const struct cairn_ete_packet *stop)
{
	const uint8_t *q = packets->at, *const far = packets->end - ENOUGH;
	const uint64_t base = packets->base - (uint64_t)(uintptr_t)packets->data;
	while (packet + 1 < stop && q < far) {
		unsigned b = *q; /* read only once: writing might change it */
		*packet = packets->begun[b];
		packet->offset = base + (uint64_t)(uintptr_t)q;
		if (b >= ETE_FIRST_ATOM) {
			packet++;
			b = *++q;
			*packet = packets->begun[b];
			packet->offset = base + (uint64_t)(uintptr_t)q;
			if (b >= ETE_FIRST_ATOM) {
				packet++;
				q++;
				continue;
			}
		}
		const struct head *head = &packets->heads[b];
		if (!head->plain)
			break;
		q = plain_address(packets, q, head, packet);
		packet++;
	}
	packets->at = q;
	return packet;
}

size_t cairn_ete_packets_fill(struct cairn_ete_packets *packets, struct cairn_ete_packet *p,
                              size_t n)
{
	const uint8_t *q = packets->at, *const end = packets->end;
	const uint64_t base = packets->base - (uint64_t)(uintptr_t)packets->data;
	const struct cairn_ete_packet *const first = p, *const stop = p + n;
	if (!packets->in_step && q < end && n) {
		const uint8_t *to = packets_find_async(q, q, end);
		if (to != q) {
			junk(packets, p);
			packets->in_step = packets->at == to;
			return 1;
		}
		packets->in_step = true;
	}
	for (; p < stop && q < end; p++) {
		if (end - q > ENOUGH) {
			packets->at = q;
			p = packets_hurry(packets, p, stop);
			q = packets->at;
			if (p == stop)
				break;
		}
		const struct head *head = &packets->heads[*q];
		*p = packets->begun[*q];
		p->offset = base + (uint64_t)(uintptr_t)q;
		if (head->form - 1u < ETE_LAST_SHORT) {
			q++;
			continue;
		}
		if (head->plain && end - q > 8) {
			q = plain_address(packets, q, head, p);
			continue;
		}
		const uint8_t *to = packet(packets, q, p);
		/* a run of zeros may be longer than a size can tell: in pieces */
		if ((uint64_t)(to - q) > UINT32_MAX)
			to = q + UINT32_MAX;
		p->size = (uint32_t)(to - q);
		q = to;
	}
	packets->at = q;
	return (size_t)(p - first);
}

int cairn_ete_packets_next(struct cairn_ete_packets *packets, struct cairn_ete_packet *packet)
{
	return (int)cairn_ete_packets_fill(packets, packet, 1);
}

/* ---- opening ---- */

static uint8_t plain_row(const struct ete_row *row)
{
	if (row->form != ETE_ADDRESS || row->context || row->count || row->addr == ETE_A_NONE)
		return 0;
	return row->addr == ETE_A_MATCH ? 1 : (uint8_t)(2 * (row->addr - ETE_A_SHORT) + 2 + row->is1);
}

static void fill_head(struct head *head, struct cairn_ete_packet *packet, unsigned type,
                      const struct ete_row *row)
{
	unsigned header = packet->header;
	packet->type = (uint8_t)type;
	head->form = row->form;
	head->addr = row->addr;
	head->is1 = row->is1;
	if (row->form == ETE_NUMBERED || row->addr == ETE_A_MATCH || row->form == ETE_COND_RESULT_F1)
		head->number = packet->number = (uint16_t)(header - ete_number_base(row));
	head->plain = plain_row(row);
	head->size = plain_forms[head->plain].size;
	head->more = plain_forms[head->plain].more;
	if (row->form > ETE_LAST_SHORT)
		return;
	packet->size = 1;
	packet->n_atoms = (uint8_t)ete_header_atoms(type, (uint8_t)header, &packet->atoms);
	packet->count = ete_header_cancels(type, (uint8_t)header);
}

static void fill_heads(struct cairn_ete_packets *packets, const struct cairn_ete_config *cfg)
{
	for (unsigned h = 0; h < 256; h++) {
		packets->begun[h].type = CAIRN_ETE_P_RESERVED;
		packets->begun[h].header = (uint8_t)h;
	}
	for (unsigned type = 1; type <= CAIRN_ETE_P_LAST; type++) {
		const struct ete_row *row = &ete_rows[type];
		if (!ete_row_exists(row, cfg))
			continue;
		for (unsigned h = row->first; h <= (row->last2 ? row->last2 : row->last); h++)
			if (h <= row->last || h >= row->first2)
				fill_head(&packets->heads[h], &packets->begun[h], type, row);
	}
}

int cairn_ete_packets_open(struct cairn *cairn, const struct cairn_ete_config *cfg,
                           const void *data, size_t n, uint64_t base,
                           struct cairn_ete_packets **out)
{
	static const uint8_t nothing[1];
	struct cairn_ete_packets *packets = base_alloc(cairn, sizeof *packets);
	*out = packets;
	if (!packets)
		return CAIRN_E_NOMEM;
	packets->cairn = cairn;
	packets->data = packets->at = n ? data : nothing;
	packets->end = packets->data + n;
	packets->base = base;
	packets->m_profile = cfg->profile == 'M';
	ete_layout(&packets->layout, cfg);
	ete_history_reset(&packets->history);
	fill_heads(packets, cfg);
	return 0;
}

void cairn_ete_packets_close(struct cairn_ete_packets *packets)
{
	if (packets)
		base_free(packets->cairn, packets);
}

uint64_t cairn_ete_packets_tell(const struct cairn_ete_packets *packets)
{
	return packets->base + (uint64_t)(packets->at - packets->data);
}

uint64_t cairn_ete_packets_bad(const struct cairn_ete_packets *packets)
{
	return packets->bad;
}

/* ---- synchronisation ---- */

/* The Async that begins first at or behind q, its zeros not before `from`. */
static const uint8_t *packets_find_async(const uint8_t *from, const uint8_t *q, const uint8_t *end)
{
	const uint8_t *e = q;
	while ((e = memchr(e, 0x80, (size_t)(end - e)))) {
		if (zeros_before(from, e) == ETE_ASYNC_SIZE - 1 && e - (ETE_ASYNC_SIZE - 1) >= q)
			return e - (ETE_ASYNC_SIZE - 1);
		e++;
	}
	return NULL;
}

static int sync_at(struct cairn_ete_packets *packets, const uint8_t *from)
{
	if (!from)
		return base_fail(packets->cairn, CAIRN_E_NOTFOUND, "no alignment synchronization there");
	packets->at = from;
	packets->in_step = true;
	ete_history_reset(&packets->history);
	return 0;
}

int cairn_ete_packets_sync_forward(struct cairn_ete_packets *packets)
{
	return sync_at(packets, packets_find_async(packets->data, packets->at, packets->end));
}

int cairn_ete_packets_sync_backward(struct cairn_ete_packets *packets)
{
	const uint8_t *e = packets->at;
	while (e > packets->data && (e = memrchr(packets->data, 0x80, (size_t)(e - packets->data))))
		if (zeros_before(packets->data, e) == ETE_ASYNC_SIZE - 1)
			return sync_at(packets, e - (ETE_ASYNC_SIZE - 1));
	return sync_at(packets, NULL);
}

int cairn_ete_packets_sync_set(struct cairn_ete_packets *packets, uint64_t offset)
{
	if (offset - packets->base > (uint64_t)(packets->end - packets->data))
		return base_fail(packets->cairn, CAIRN_E_INVAL, "byte %llu does not belong to this stream",
		                 (unsigned long long)offset);
	return sync_at(packets, packets->data + (offset - packets->base));
}
