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
#include "formats/ete/table.h"

/* What a first byte tells: how to read on. Eight bytes, for all wait for where the next
 * packet begins. */
struct head {
	uint16_t number;
	uint8_t form, addr, is1;
	uint8_t plain;      /* row of plain_forms: nothing but an address; 0: not so */
	uint8_t size, more; /* its bytes; more with a second byte of address */
};

struct cairn_ete_packets {
	struct cairn *c;
	const uint8_t *data, *at, *end;
	uint64_t base, bad;
	struct ete_history h;
	struct ete_layout layout;
	bool in_step, m_profile;
	struct head heads[256];
	/* The packet as far as its first byte tells; up to ETE_LAST_SHORT, all of it. */
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
static inline uint64_t cont(struct scan *s, unsigned most)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < most; i++) {
		if (s->q == s->end) {
			s->trouble = CUT_OFF;
			return 0;
		}
		uint8_t b = *s->q++;
		v |= (uint64_t)(b & 127) << 7 * i;
		if (!(b & 128)) {
			if (i && !b)
				s->flags |= CAIRN_ETE_P_UNUSUAL;
			return v;
		}
	}
	s->trouble = BROKEN;
	return 0;
}

static inline uint32_t cont32(struct scan *s)
{
	uint64_t v = cont(s, 5);
	if (v > UINT32_MAX)
		s->trouble = BROKEN;
	return (uint32_t)v;
}

/* `n` bytes, NULL when they are not there. */
static inline const uint8_t *packets_take(struct scan *s, size_t n)
{
	const uint8_t *p = s->q;
	if ((size_t)(s->end - p) < n) {
		s->trouble = CUT_OFF;
		return NULL;
	}
	s->q += n;
	return p;
}

static inline uint8_t byte(struct scan *s)
{
	const uint8_t *p = packets_take(s, 1);
	return p ? *p : 0;
}

/* ---- addresses and contexts ---- */

static inline uint64_t short_address(struct scan *s, const struct ete_history *h, unsigned is1,
                                     uint8_t *bits)
{
	uint8_t b = byte(s);
	unsigned shift = is1 ? 1 : 2;
	uint64_t v = (uint64_t)(b & 127) << shift;
	*bits = (uint8_t)(7 + shift);
	if (b & 128) {
		v |= (uint64_t)byte(s) << (7 + shift);
		*bits = (uint8_t)(15 + shift);
	}
	return (h->address[0] >> *bits << *bits) | v;
}

static inline uint64_t long_address(struct scan *s, const struct ete_history *h, unsigned is1,
                                    bool wide)
{
	const uint8_t *p = packets_take(s, wide ? 8 : 4);
	uint64_t v;
	if (!p)
		return 0;
	if ((p[0] & 128) || (!is1 && (p[1] & 128)))
		s->flags |= CAIRN_ETE_P_UNUSUAL;
	v = is1 ? (uint64_t)(p[0] & 127) << 1 | (uint64_t)p[1] << 8
	        : (uint64_t)(p[0] & 127) << 2 | (uint64_t)(p[1] & 127) << 9;
	if (wide)
		return v | base_le(p + 2, 6) << 16;
	v |= (uint64_t)base_le16(p + 2) << 16;
	return h->upper ? (h->address[0] & ~(uint64_t)UINT32_MAX) | v : v;
}

/*
 * Packets that are nothing but an address, a third of a stream, are put together without
 * a branch from eight bytes: which form it is, and how many bytes a short one has, cannot
 * be foreseen. `take` are the bits that come from the packet, the others come from the
 * history.
 */
struct plain {
	uint64_t take, take_more; /* short with a second byte: more */
	uint64_t upper;           /* bits above are taken when they shall not be kept */
	uint64_t high;            /* of the eight bytes, those that stand in their place */
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

static inline const uint8_t *plain_address(struct cairn_ete_packets *d, const uint8_t *q,
                                           const struct head *k, struct cairn_ete_packet *p)
{
	const struct plain *f = &plain_forms[k->plain];
	const unsigned number = k->number;
	uint64_t v = base_le64(q + 1), more = v >> 7 & k->more, take, a;
	p->size = (uint32_t)(k->size + more); /* where the next one begins: all wait for that */
	q += p->size;
	unsigned is1 = k->is1 | (f->match & d->h.is1[number]);
	take = more ? f->take_more : f->take;
	take |= d->h.upper ? 0 : f->upper;
	a = (v & 127) << f->shift | (v >> 8 & f->second) << (7 + f->shift) | (v & f->high);
	a = (a & take) | (d->h.address[number] & ~take);
	p->address = a;
	p->bits = more ? f->bits_more : f->bits;
	p->flags = (uint16_t)(is1 | (v & f->unusual ? CAIRN_ETE_P_UNUSUAL : 0));
	ete_history_push(&d->h, a, is1);
	return q;
}

static void packets_context(const struct cairn_ete_packets *d, struct scan *s,
                            struct cairn_ete_packet *p)
{
	const uint8_t *b;
	p->context = byte(s);
	if ((p->context & ETE_CONTEXT_VMID) && d->layout.vmid_bytes) {
		s->flags |= CAIRN_ETE_P_HAS_VMID;
		if ((b = packets_take(s, d->layout.vmid_bytes)))
			p->vmid = (uint32_t)base_le(b, d->layout.vmid_bytes);
	}
	if ((p->context & ETE_CONTEXT_CTXID) && d->layout.ctxid_bytes) {
		s->flags |= CAIRN_ETE_P_HAS_CTXID;
		if ((b = packets_take(s, d->layout.ctxid_bytes)))
			p->ctxid = base_le32(b);
	}
}

static inline void packets_address(struct cairn_ete_packets *d, struct scan *s,
                                   const struct head *k, struct cairn_ete_packet *p)
{
	const struct ete_row *r = &ete_rows[p->type];
	unsigned is1 = k->is1;
	switch (k->addr) {
	case ETE_A_MATCH:
		p->address = d->h.address[p->number];
		is1 = d->h.is1[p->number];
		break;
	case ETE_A_SHORT:
		p->address = short_address(s, &d->h, is1, &p->bits);
		break;
	case ETE_A_32:
	case ETE_A_64:
		p->address = long_address(s, &d->h, is1, k->addr == ETE_A_64);
		break;
	default:
		break;
	}
	if (is1)
		s->flags |= CAIRN_ETE_P_IS1;
	if (r->context)
		packets_context(d, s, p);
	if (r->count) {
		p->count = cont32(s);
		s->flags |= CAIRN_ETE_P_HAS_COUNT;
	}
	if (s->trouble)
		return;
	if (k->addr != ETE_A_NONE)
		ete_history_push(&d->h, p->address, is1);
	if (r->context)
		d->h.upper = p->context & ETE_CONTEXT_SF;
}

/* ---- the other layouts ---- */

static void packets_trace_info(struct cairn_ete_packets *d, struct scan *s,
                               struct cairn_ete_packet *p)
{
	uint8_t plctl = byte(s), more = plctl;
	uint32_t info;
	while ((more & 128) && !s->trouble) {
		s->flags |= CAIRN_ETE_P_UNUSUAL;
		more = byte(s);
	}
	if (plctl & 0x60)
		s->flags |= CAIRN_ETE_P_UNUSUAL;
	p->sections = plctl & 0x1f;
	info = p->sections & CAIRN_ETE_INFO ? cont32(s) : 0;
	if (info > UINT8_MAX)
		s->flags |= CAIRN_ETE_P_UNUSUAL;
	p->info = (uint8_t)info;
	p->count = p->sections & CAIRN_ETE_KEY ? cont32(s) : 0;
	p->value = p->sections & CAIRN_ETE_SPEC ? cont32(s) : 0;
	p->cycles = p->sections & CAIRN_ETE_CYCT ? cont32(s) : 0;
	p->key = p->sections & CAIRN_ETE_WNDW ? cont32(s) : 0;
	if (s->trouble)
		return;
	ete_history_reset(&d->h);
	d->h.threshold = p->cycles;
}

static void packets_timestamp(struct cairn_ete_packets *d, struct scan *s,
                              struct cairn_ete_packet *p)
{
	uint64_t v = 0;
	unsigned i = 0;
	for (uint8_t b = 128; i < 9 && (b & 128) && !s->trouble; i++) {
		b = byte(s);
		v |= (uint64_t)(i < 8 ? b & 127 : b) << 7 * i;
	}
	p->bits = (uint8_t)(i < 9 ? 7 * i : 64);
	p->value = i < 9 ? (d->h.time >> p->bits << p->bits) | v : v;
	if (p->header & 1) {
		uint64_t cycles = cont(s, 3);
		p->cycles = (uint32_t)cycles & d->layout.cc_mask;
		if (p->cycles != cycles)
			s->flags |= CAIRN_ETE_P_UNUSUAL;
		s->flags |= CAIRN_ETE_P_HAS_CYCLES;
	}
	if (!s->trouble)
		d->h.time = p->value;
}

static void packets_exception(struct cairn_ete_packets *d, struct scan *s,
                              struct cairn_ete_packet *p)
{
	uint8_t b = byte(s);
	p->number = b >> 1 & 31;
	p->info = (uint8_t)((b >> 5 & 2) | (b & 1));
	s->flags |= d->m_profile ? CAIRN_ETE_P_M_PROFILE : 0;
	if (b & 128) {
		uint8_t more = byte(s);
		p->number = (uint16_t)(p->number | (more & 31) << 5);
		s->flags |= CAIRN_ETE_P_LONG_FORM;
		if (more & 32)
			s->flags |= CAIRN_ETE_P_FAULT_PENDING;
		if (more & 0xc0)
			s->flags |= CAIRN_ETE_P_UNUSUAL;
		return;
	}
	if (!d->layout.ete ||
	    (p->number != ETE_TYPE_PE_RESET && p->number != ETE_TYPE_TRANSACTION_FAILURE))
		return;
	/* These have no return address, but a byte in its place; what they push is 0. */
	if (byte(s) != ETE_RESET_TAIL || p->info != 1)
		s->flags |= CAIRN_ETE_P_UNUSUAL;
	p->type =
		p->number == ETE_TYPE_PE_RESET ? CAIRN_ETE_P_PE_RESET : CAIRN_ETE_P_TRANSACTION_FAILURE;
	p->info = 0;
	p->number = 0;
	s->flags &= (uint16_t)~CAIRN_ETE_P_M_PROFILE;
	if (!s->trouble)
		ete_history_push(&d->h, 0, 0);
}

static void packets_cycle_count(struct cairn_ete_packets *d, struct scan *s, const struct head *k,
                                struct cairn_ete_packet *p)
{
	bool opt = d->layout.commit_opt;
	uint8_t b = p->header;
	uint64_t cycles = 0;
	int64_t commit = 0;
	if (k->form == ETE_CCNT_F1) {
		commit = opt ? 0 : cont32(s);
		if (b & 1)
			s->flags |= CAIRN_ETE_P_CYCLES_UNKNOWN;
		else
			cycles = cont(s, 3) + d->h.threshold;
	} else if (k->form == ETE_CCNT_F2) {
		p->number = b & 1;
		b = byte(s);
		cycles = d->h.threshold + (uint64_t)(b & 15);
		commit = p->number ? (int64_t)d->layout.maxspec - 15 + (b >> 4) : 1 + (b >> 4);
		if (!opt && commit < 1)
			s->trouble = BROKEN;
		if (opt && b >> 4)
			s->flags |= CAIRN_ETE_P_UNUSUAL;
	} else {
		cycles = d->h.threshold + (uint64_t)(b & 3);
		commit = 1 + (b >> 2 & 3);
		if (opt && (b & 12))
			s->flags |= CAIRN_ETE_P_UNUSUAL;
	}
	if (cycles > UINT32_MAX)
		s->trouble = BROKEN;
	p->cycles = (uint32_t)cycles;
	s->flags |= CAIRN_ETE_P_HAS_CYCLES;
	if (!opt) {
		p->count = (uint32_t)commit;
		s->flags |= CAIRN_ETE_P_HAS_COUNT;
	}
}

static uint32_t cond_result(struct scan *s, uint8_t *result)
{
	uint8_t b = byte(s);
	uint64_t key = b >> 4 & 7, more;
	*result = b & 15;
	if (b & 128) {
		uint16_t usual = s->flags;
		more = cont(s, 5);
		if (more > UINT32_MAX >> 3)
			s->trouble = BROKEN;
		if (!more)
			usual |= CAIRN_ETE_P_UNUSUAL;
		s->flags |= usual;
		key |= more << 3;
	}
	return (uint32_t)key;
}

static void packets_conditional(struct scan *s, const struct head *k, struct cairn_ete_packet *p)
{
	uint8_t b, first, second = 0;
	if (k->form == ETE_COND_INST_F3) {
		b = byte(s);
		p->number = b & 1;
		p->count = (b >> 1 & 63u) + p->number;
		if (b & 128)
			s->flags |= CAIRN_ETE_P_UNUSUAL;
	} else if (k->form == ETE_COND_RESULT_F3) {
		p->number = (uint16_t)((p->header & 15) << 8 | byte(s));
	} else {
		p->value = cond_result(s, &first);
		if (p->header < 0x6c) /* two results */
			p->key = cond_result(s, &second);
		p->result = (uint8_t)(first | second << 4);
	}
}

static void packets_instrumentation(struct scan *s, struct cairn_ete_packet *p)
{
	const uint8_t *b = packets_take(s, 9);
	if (!b)
		return;
	p->number = b[0];
	p->value = base_le64(b + 1);
}

/* ---- 00 ---- */

/* Zeros from q on, at most ETE_ASYNC_SIZE - 1 are looked for. */
static size_t zeros_before(const uint8_t *start, const uint8_t *q)
{
	size_t n = 0;
	while (n < ETE_ASYNC_SIZE - 1 && q - n > start && q[-1 - (ptrdiff_t)n] == 0)
		n++;
	return n;
}

static const uint8_t *behind_zeros(const uint8_t *q, const uint8_t *end)
{
	while (q < end && *q == 0)
		q++;
	return q;
}

static void extension(struct cairn_ete_packets *d, struct scan *s, struct cairn_ete_packet *p)
{
	const uint8_t *from = s->q - 1, *q = s->q;
	if (q < s->end && (*q == 3 || *q == 5)) {
		p->type = *q == 3 ? CAIRN_ETE_P_DISCARD : CAIRN_ETE_P_OVERFLOW;
		s->q++;
		return;
	}
	s->q = q = behind_zeros(q, s->end);
	if (q == s->end) {
		s->trouble = CUT_OFF;
		return;
	}
	s->q++;
	if (*q != 0x80) {
		s->trouble = BROKEN;
		s->q = q - from > 1 ? q : q + 1;
		return;
	}
	if (q - from >= ETE_ASYNC_SIZE - 1) {
		if (q - from > ETE_ASYNC_SIZE - 1)
			s->flags |= CAIRN_ETE_P_UNUSUAL;
		return;
	}
	if (zeros_before(d->data, q) < ETE_ASYNC_SIZE - 1)
		s->trouble = BROKEN;
	s->flags |= CAIRN_ETE_P_OVERLAP | CAIRN_ETE_P_UNUSUAL;
}

/* ---- packets ---- */

static void read_on(struct cairn_ete_packets *d, struct scan *s, const struct head *k,
                    struct cairn_ete_packet *p)
{
	switch (k->form) {
	case ETE_EXTENSION:
		extension(d, s, p);
		break;
	case ETE_TRACE_INFO:
		packets_trace_info(d, s, p);
		break;
	case ETE_TIMESTAMP:
		packets_timestamp(d, s, p);
		break;
	case ETE_EXCEPTION:
		packets_exception(d, s, p);
		break;
	case ETE_CCNT_F1:
	case ETE_CCNT_F2:
	case ETE_CCNT_F3:
		packets_cycle_count(d, s, k, p);
		break;
	case ETE_COUNT:
		p->count = cont32(s);
		break;
	case ETE_ITE:
		packets_instrumentation(s, p);
		break;
	default:
		packets_conditional(s, k, p);
		break;
	}
}

/* What could not be read: nothing is told but where it is. */
static void no_packet(struct cairn_ete_packets *d, struct cairn_ete_packet *p, unsigned type)
{
	*p = (struct cairn_ete_packet){.offset = p->offset, .header = p->header, .type = (uint8_t)type};
	d->bad += type != CAIRN_ETE_P_PADDING;
}

static const uint8_t *packets_find_async(const uint8_t *from, const uint8_t *q, const uint8_t *end);

/* Before the first Async. */
static void junk(struct cairn_ete_packets *d, struct cairn_ete_packet *p)
{
	const uint8_t *to = packets_find_async(d->at, d->at, d->end);
	*p = (struct cairn_ete_packet){.offset = d->base + (uint64_t)(d->at - d->data),
	                               .header = *d->at,
	                               .type = CAIRN_ETE_P_NOT_SYNC};
	if (!to) {
		to = d->end;
		if (behind_zeros(d->at, to) == to)
			p->type = CAIRN_ETE_P_PADDING;
	}
	/* sizes have 32 bits */
	if ((uint64_t)(to - d->at) > UINT32_MAX)
		to = d->at + UINT32_MAX;
	p->size = (uint32_t)(to - d->at);
	d->at = to;
}

static const uint8_t *packet(struct cairn_ete_packets *d, const uint8_t *q,
                             struct cairn_ete_packet *p)
{
	const struct head *k = &d->heads[*q];
	struct scan s = {q + 1, d->end, FINE, 0};
	if (k->form == ETE_ADDRESS)
		packets_address(d, &s, k, p);
	else if (k->form == ETE_NO_FORM)
		no_packet(d, p, CAIRN_ETE_P_RESERVED);
	else
		read_on(d, &s, k, p);
	p->flags = s.flags;
	if (__builtin_expect(s.trouble, FINE)) {
		if (s.trouble == CUT_OFF)
			s.q = d->end;
		no_packet(d, p,
		          s.trouble == BROKEN ? CAIRN_ETE_P_BAD
		          : *q                ? CAIRN_ETE_P_INCOMPLETE
		                              : CAIRN_ETE_P_PADDING); /* of the header 00, see extension */
	}
	return s.q;
}

/*
 * Atoms and addresses, as long as one of any length fits in front of the end: up to the first
 * other packet. Which of the two comes next cannot be foreseen, so it is asked of the byte
 * itself, and behind an atom in a place of its own.
 */
static struct cairn_ete_packet *packets_hurry(struct cairn_ete_packets *d,
                                              struct cairn_ete_packet *p,
                                              const struct cairn_ete_packet *stop)
{
	const uint8_t *q = d->at, *const far = d->end - ENOUGH;
	const uint64_t base = d->base - (uint64_t)(uintptr_t)d->data;
	while (p + 1 < stop && q < far) {
		unsigned b = *q; /* read once: it might be what is written to */
		*p = d->begun[b];
		p->offset = base + (uint64_t)(uintptr_t)q;
		if (b >= ETE_FIRST_ATOM) {
			p++;
			b = *++q;
			*p = d->begun[b];
			p->offset = base + (uint64_t)(uintptr_t)q;
			if (b >= ETE_FIRST_ATOM) {
				p++;
				q++;
				continue;
			}
		}
		const struct head *k = &d->heads[b];
		if (!k->plain)
			break;
		q = plain_address(d, q, k, p);
		p++;
	}
	d->at = q;
	return p;
}

size_t cairn_ete_packets_fill(struct cairn_ete_packets *d, struct cairn_ete_packet *p, size_t n)
{
	const uint8_t *q = d->at, *const end = d->end;
	const uint64_t base = d->base - (uint64_t)(uintptr_t)d->data;
	const struct cairn_ete_packet *const first = p, *const stop = p + n;
	if (!d->in_step && q < end && n) {
		const uint8_t *to = packets_find_async(q, q, end);
		if (to != q) {
			junk(d, p);
			d->in_step = d->at == to;
			return 1;
		}
		d->in_step = true;
	}
	for (; p < stop && q < end; p++) {
		if (end - q > ENOUGH) {
			d->at = q;
			p = packets_hurry(d, p, stop);
			q = d->at;
			if (p == stop)
				break;
		}
		const struct head *k = &d->heads[*q];
		*p = d->begun[*q];
		p->offset = base + (uint64_t)(uintptr_t)q;
		if (k->form - 1u < ETE_LAST_SHORT) {
			q++;
			continue;
		}
		if (k->plain && end - q > 8) {
			q = plain_address(d, q, k, p);
			continue;
		}
		const uint8_t *to = packet(d, q, p);
		/* a run of zeros may be longer than a size can tell: in pieces */
		if ((uint64_t)(to - q) > UINT32_MAX)
			to = q + UINT32_MAX;
		p->size = (uint32_t)(to - q);
		q = to;
	}
	d->at = q;
	return (size_t)(p - first);
}

int cairn_ete_packets_next(struct cairn_ete_packets *d, struct cairn_ete_packet *p)
{
	return (int)cairn_ete_packets_fill(d, p, 1);
}

/* ---- opening ---- */

static uint8_t plain_row(const struct ete_row *r)
{
	if (r->form != ETE_ADDRESS || r->context || r->count || r->addr == ETE_A_NONE)
		return 0;
	return r->addr == ETE_A_MATCH ? 1 : (uint8_t)(2 * (r->addr - ETE_A_SHORT) + 2 + r->is1);
}

static void fill_head(struct head *k, struct cairn_ete_packet *p, unsigned type,
                      const struct ete_row *r)
{
	unsigned header = p->header;
	p->type = (uint8_t)type;
	k->form = r->form;
	k->addr = r->addr;
	k->is1 = r->is1;
	if (r->form == ETE_NUMBERED || r->addr == ETE_A_MATCH || r->form == ETE_COND_RESULT_F1)
		k->number = p->number = (uint16_t)(header - ete_number_base(r));
	k->plain = plain_row(r);
	k->size = plain_forms[k->plain].size;
	k->more = plain_forms[k->plain].more;
	if (r->form > ETE_LAST_SHORT)
		return;
	p->size = 1;
	p->n_atoms = (uint8_t)ete_header_atoms(type, (uint8_t)header, &p->atoms);
	p->count = ete_header_cancels(type, (uint8_t)header);
}

static void fill_heads(struct cairn_ete_packets *d, const struct cairn_ete_config *cfg)
{
	for (unsigned h = 0; h < 256; h++) {
		d->begun[h].type = CAIRN_ETE_P_RESERVED;
		d->begun[h].header = (uint8_t)h;
	}
	for (unsigned type = 1; type <= CAIRN_ETE_P_LAST; type++) {
		const struct ete_row *r = &ete_rows[type];
		if (!ete_row_exists(r, cfg))
			continue;
		for (unsigned h = r->first; h <= (r->last2 ? r->last2 : r->last); h++)
			if (h <= r->last || h >= r->first2)
				fill_head(&d->heads[h], &d->begun[h], type, r);
	}
}

int cairn_ete_packets_open(struct cairn *c, const struct cairn_ete_config *cfg, const void *data,
                           size_t n, uint64_t base, struct cairn_ete_packets **out)
{
	static const uint8_t nothing[1];
	struct cairn_ete_packets *d = base_alloc(c, sizeof *d);
	*out = d;
	if (!d)
		return CAIRN_E_NOMEM;
	d->c = c;
	d->data = d->at = n ? data : nothing;
	d->end = d->data + n;
	d->base = base;
	d->m_profile = cfg->profile == 'M';
	ete_layout(&d->layout, cfg);
	ete_history_reset(&d->h);
	fill_heads(d, cfg);
	return 0;
}

void cairn_ete_packets_close(struct cairn_ete_packets *d)
{
	if (d)
		base_free(d->c, d);
}

uint64_t cairn_ete_packets_tell(const struct cairn_ete_packets *d)
{
	return d->base + (uint64_t)(d->at - d->data);
}

uint64_t cairn_ete_packets_bad(const struct cairn_ete_packets *d)
{
	return d->bad;
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

static int sync_at(struct cairn_ete_packets *d, const uint8_t *q)
{
	if (!q)
		return base_fail(d->c, CAIRN_E_NOTFOUND, "no alignment synchronization there");
	d->at = q;
	d->in_step = true;
	ete_history_reset(&d->h);
	return 0;
}

int cairn_ete_packets_sync_forward(struct cairn_ete_packets *d)
{
	return sync_at(d, packets_find_async(d->data, d->at, d->end));
}

int cairn_ete_packets_sync_backward(struct cairn_ete_packets *d)
{
	const uint8_t *e = d->at;
	while (e > d->data && (e = memrchr(d->data, 0x80, (size_t)(e - d->data))))
		if (zeros_before(d->data, e) == ETE_ASYNC_SIZE - 1)
			return sync_at(d, e - (ETE_ASYNC_SIZE - 1));
	return sync_at(d, NULL);
}

int cairn_ete_packets_sync_set(struct cairn_ete_packets *d, uint64_t offset)
{
	if (offset - d->base > (uint64_t)(d->end - d->data))
		return base_fail(d->c, CAIRN_E_INVAL, "byte %llu is not of this stream",
		                 (unsigned long long)offset);
	return sync_at(d, d->data + (offset - d->base));
}
