/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The packets of a stream one after another: synchronisation, what has to be told before
 * execution is, and how much execution is open to be resolved. It follows the protocol
 * by itself, apart from the decoder of elements (elements.c), so that each can find the
 * other wrong.
 *
 * Where the order breaks, what comes is not judged until the next Alignment
 * Synchronization; the finding waits until then, to say how much that was.
 */
#include "formats/ete/check/rules.h"

#include <stdio.h>

struct walk {
	struct ete_found found;
	struct ete_part *part;
	const struct ete_span *sp;
	struct ete_order order;
	struct check_place at;          /* of the packet */
	uint64_t pos, last_pos;         /* in the stream: of it, and of the one before */
	bool inherits;                  /* the Trace Info that leads has not come */
	bool told_early;                /* it was reported that packets come before a Trace Info */
	struct check_place returned_at; /* of the packet by which an exception return was taken back */
	const char *returned_how;
	uint64_t maxspec;
	struct ete_open open;
	struct ete_path path;
	struct {
		unsigned rule;
		struct check_place at;
		uint64_t pos, open;
		char text[200];
		bool is;
	} lost;
};

/* ---- what fold does, too ---- */

void ete_order_begin(struct ete_order *order)
{
	*order = (struct ete_order){.step = ETE_NO_ASYNC, .others = true};
}

/* The exception or Q that waits for an address gets none. */
static void no_address(const struct ete_found *found, struct ete_order *order, const char *what)
{
	if (order->waits == CAIRN_ETE_P_EXCEPTION)
		ete_finding(found, ETE_RULE_EXCEPTION_ADDRESS, &order->waits_at,
		            "%s comes where its address should be", what);
	else if (order->waits)
		ete_finding(found, ETE_RULE_Q_ADDRESS, &order->waits_at,
		            "%s comes where its address should be", what);
	order->waits = 0;
}

void ete_order_async(const struct ete_found *found, struct ete_order *order,
                     const struct check_place *at)
{
	if (order->step == ETE_IN_STEP) {
		bool gone = order->waits == CAIRN_ETE_P_EXCEPTION;
		no_address(found, order, "an Alignment Synchronization");
		if (order->async_open && order->ran_since_async)
			ete_finding(found, ETE_RULE_SYNC_PERIODIC, at,
			            "since the Alignment Synchronization before no Trace Info came");
		if (gone)
			order->step = ETE_NO_INFO;
	} else if (order->step == ETE_NO_ASYNC) {
		order->step = ETE_NO_INFO;
	}
	if (!order->others)
		ete_finding(found, ETE_RULE_SYNC_IDLE, at,
		            "no other packet came since the Alignment Synchronization before");
	order->async_open = true;
	order->async_at = *at;
	order->ran_async = 0;
	order->ran_since_async = order->others = false;
}

/* What holds behind a Trace Info. */
static void begin_anew(const struct ete_found *found, struct ete_order *order,
                       const struct cairn_ete_packet *packet, const struct check_place *at)
{
	uint64_t most = found->program->cfg.idr8;
	if (order->step != ETE_IN_STEP && order->begins)
		order->address = order->context = ETE_BY_SYNC;
	order->step = ETE_IN_STEP;
	order->depth = packet->value < most ? packet->value : most;
	order->threshold_known = packet->info & CAIRN_ETE_INFO_CC;
	order->threshold = packet->cycles;
	order->marked = ETE_EXCUSED;
	order->begins = order->async_open = order->context_told = order->address_told = false;
	order->others = true;
	order->info_at = *at;
	order->ran = 0;
	order->waits = 0;
}

/* A Trace Info behind P0 elements gives context and address: the first P0 element may come before
 * it does (ICHTFM). */
static void judge_told(const struct ete_found *found, const struct ete_order *order,
                       const struct check_place *at, const char *which)
{
	if (order->ran > 1 && !(order->context_told && order->address_told))
		ete_finding(found, ETE_RULE_SYNC_TOLD, at,
		            "%llu P0 elements came since the %sTrace Info%s, but no %s",
		            (unsigned long long)order->ran, which, *which ? "" : " before",
		            order->context_told   ? "address"
		            : order->address_told ? "context"
		                                  : "context and address");
}

void ete_order_end(const struct ete_found *found, const struct ete_order *order)
{
	if (order->step != ETE_IN_STEP)
		return;
	if (order->async_open && order->ran_async > 1)
		ete_finding(
			found, ETE_RULE_SYNC_PERIODIC, &order->async_at,
			"%llu P0 elements came since the last Alignment Synchronization, but no Trace Info",
			(unsigned long long)order->ran_async);
	judge_told(found, order, &order->info_at, "last ");
}

void ete_order_info(const struct ete_found *found, struct ete_order *order,
                    const struct cairn_ete_packet *packet, const struct check_place *at)
{
	if (order->step == ETE_IN_STEP) {
		no_address(found, order, "a Trace Info");
		if (!order->async_open)
			ete_finding(found, ETE_RULE_SYNC_PERIODIC, at,
			            "no Alignment Synchronization came since the last Trace Info");
		if (order->depth != packet->value && packet->value <= found->program->cfg.idr8)
			ete_finding(found, ETE_RULE_INFO_DEPTH, at,
			            "%llu P0 elements are said to be open, but %llu are",
			            (unsigned long long)packet->value, (unsigned long long)order->depth);
		judge_told(found, order, at, "");
	}
	if (packet->info & CAIRN_ETE_INFO_CC && order->threshold_known &&
	    order->threshold != packet->cycles)
		ete_finding(found, ETE_RULE_INFO_THRESHOLD, at, "the threshold is %u, and was %u",
		            packet->cycles, order->threshold);
	begin_anew(found, order, packet, at);
}

void ete_order_p0(const struct ete_found *found, const struct ete_order *order,
                  const struct check_place *at)
{
	bool no_address = order->address > ETE_AS_BEFORE, no_context = order->context > ETE_AS_BEFORE;
	if (order->gap > ETE_AS_BEFORE) {
		ete_finding(found, ETE_RULE_ON_GAP, at,
		            "execution goes on behind the gap without a Trace On");
		return;
	}
	if (order->address == ETE_BY_SYNC || order->context == ETE_BY_SYNC) {
		ete_finding(found, ETE_RULE_SYNC_CONTEXT, at, "execution begins without %s",
		            !no_context   ? "an address"
		            : !no_address ? "a context"
		                          : "context and address");
		return;
	}
	if (order->address == ETE_BY_TRACE_ON)
		ete_finding(found, ETE_RULE_ON_ADDRESS, at, "no address came since the Trace On");
	if (order->context == ETE_BY_TRACE_ON)
		ete_finding(found, ETE_RULE_ON_CONTEXT, at, "no context came since the Trace Info");
}

/* ---- out of step ---- */

static void rules_order_report_lost(struct walk *walk, uint64_t until)
{
	unsigned long long skipped = until > walk->lost.pos ? until - walk->lost.pos : 0;
	char open[80] = "";
	if (!walk->lost.is)
		return;
	walk->lost.is = false;
	if (walk->lost.open)
		snprintf(open, sizeof open, ", %llu P0 element%s lost whose fate was open",
		         (unsigned long long)walk->lost.open, walk->lost.open == 1 ? " is" : "s are");
	ete_finding(&walk->found, walk->lost.rule, &walk->lost.at,
	            "%s; %llu byte%s up to the next synchronisation not decoded%s", walk->lost.text,
	            skipped, skipped == 1 ? "" : "s", open);
}

static void forget_open(struct walk *walk)
{
	ete_open_forget(&walk->open);
	ete_path_forget(&walk->path);
	walk->order.depth = 0;
}

CAIRN_PRINTF(5, 6)
static void rules_order_lose(struct walk *walk, unsigned rule, const struct check_place *at,
                             uint64_t pos, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	walk->lost.is = true;
	walk->lost.rule = rule;
	walk->lost.at = *at;
	walk->lost.pos = pos;
	walk->lost.open = walk->order.depth;
	vsnprintf(walk->lost.text, sizeof walk->lost.text, fmt, ap);
	va_end(ap);
	forget_open(walk);
	walk->order.step = ETE_NO_ASYNC;
	walk->order.gap = walk->order.address = walk->order.context = ETE_MUST_NOT;
	walk->order.waits = 0;
	walk->order.begins = walk->order.async_open = false;
	walk->order.others = true;
}

/* ---- speculation ---- */

static void resolve_oldest(struct walk *walk, uint64_t n)
{
	uint64_t unseen = walk->order.depth - walk->open.n;
	ete_path_commit(&walk->path, n, walk->order.depth);
	walk->order.depth -= n;
	ete_open_commit(&walk->open, n < unseen ? 0 : n - unseen);
}

static void rules_order_commit(struct walk *walk, uint64_t n)
{
	if (n > walk->order.depth)
		rules_order_lose(walk, ETE_RULE_COMMIT_COUNT, &walk->at, walk->pos,
		                 "a Commit of %llu P0 elements, but open are %llu", (unsigned long long)n,
		                 (unsigned long long)walk->order.depth);
	else
		resolve_oldest(walk, n);
}

static void report_events(struct walk *walk, unsigned events, uint64_t returned, const char *what)
{
	if (events & ETE_EVENT_ISB)
		ete_finding(&walk->found, ETE_RULE_BEHIND_ISB, &walk->at,
		            "%s is an ISB, too, behind which other P0 elements came", what);
	if (walk->path.returned && walk->path.returned != returned) {
		walk->returned_at = walk->at;
		walk->returned_how = what;
	}
}

/* Execution goes on before an exception return that was taken back, or at it. */
static void report_returned(struct walk *walk)
{
	if (walk->path.returned)
		ete_finding(&walk->found, ETE_RULE_BEHIND_RETURN, &walk->returned_at,
		            "%s is an exception return, too, behind which other P0 elements came",
		            walk->returned_how);
	walk->path.returned = 0;
}

static void cancel_youngest(struct walk *walk, uint64_t n)
{
	if (n)
		walk->order.waits = 0;
	walk->order.depth -= n;
	if (n >
	    walk->open.n) /* goes back beyond the Trace Info: what it said must come again (RKGPTB) */
		walk->order.context_told = walk->order.address_told = false;
	if (ete_open_cancel(&walk->open, n < walk->open.n ? n : walk->open.n))
		ete_finding(&walk->found, ETE_RULE_SPEC_BEHIND, &walk->at,
		            "canceled is an Exception, too, behind which other P0 elements came");
	uint64_t returned = walk->path.returned;
	unsigned events = ete_path_cancel(&walk->path, n);
	report_events(walk, events, returned, "canceled");
}

/* ---- P0 elements ---- */

/* Something that had to come has come, or is missing. */
static void rules_order_told(struct walk *walk, const struct cairn_ete_packet *packet)
{
	struct ete_order *order = &walk->order;
	if (packet->type == CAIRN_ETE_P_PE_RESET || packet->type == CAIRN_ETE_P_TRANSACTION_START)
		return;
	if (packet->type == CAIRN_ETE_P_EXCEPTION && packet->info == 2)
		order->address = ETE_MUST_NOT;
	if (!walk->part->asks && (order->gap == ETE_AS_BEFORE || order->address == ETE_AS_BEFORE ||
	                          order->context == ETE_AS_BEFORE)) {
		walk->part->asks = true;
		walk->part->first = *order;
		walk->part->first_at = walk->at;
	}
	ete_order_p0(&walk->found, order, &walk->at);
	order->gap = order->address = order->context = ETE_MUST_NOT;
}

static int rules_order_p0(struct walk *walk, const struct cairn_ete_packet *packet, uint32_t n)
{
	struct ete_order *order = &walk->order;
	if (order->waits == CAIRN_ETE_P_EXCEPTION) {
		rules_order_lose(walk, ETE_RULE_EXCEPTION_ADDRESS, &order->waits_at, walk->pos,
		                 "%s comes where its address should be",
		                 cairn_ete_packet_name(packet->type));
		return 0;
	}
	if (order->waits)
		no_address(&walk->found, order, cairn_ete_packet_name(packet->type));
	if (order->gap || order->address || order->context)
		rules_order_told(walk, packet);
	report_returned(walk);
	order->ran += n;
	order->ran_async += n;
	order->ran_since_async = true;
	ete_path_p0(&walk->path, packet, n);
	if (!walk->maxspec && packet->type >= CAIRN_ETE_P_ATOM_F1) /* resolved at once */
		return 0;
	order->depth += n;
	return ete_open_add(&walk->open, n,
	                    packet->n_atoms ? ETE_OPEN_ATOMS
	                    : packet->type == CAIRN_ETE_P_EXCEPTION ||
	                            packet->type == CAIRN_ETE_P_PE_RESET
	                        ? ETE_OPEN_EXCEPTION
	                        : ETE_OPEN_OTHER);
}

/* Exceptions, source addresses, Q elements: those that need an address wait for one. */
static int one_p0(struct walk *walk, const struct cairn_ete_packet *packet)
{
	int rc = rules_order_p0(walk, packet, 1);
	if (walk->order.step != ETE_IN_STEP)
		return rc;
	if (packet->type == CAIRN_ETE_P_EXCEPTION || packet->type == CAIRN_ETE_P_Q ||
	    packet->type == CAIRN_ETE_P_Q_COUNT) {
		walk->order.waits = packet->type;
		walk->order.waits_at = walk->at;
	} else if (packet->type >= CAIRN_ETE_P_SRC_MATCH) {
		walk->order.address_told = true;
	}
	return rc;
}

/* Contexts and target addresses. */
static void where(struct walk *walk, const struct cairn_ete_packet *packet)
{
	struct ete_order *order = &walk->order;
	if (ete_rows[packet->type].context || packet->type == CAIRN_ETE_P_CONTEXT_SAME) {
		order->context = ETE_MUST_NOT;
		order->context_told = true;
		if (packet->type != CAIRN_ETE_P_CONTEXT_SAME)
			ete_path_context(&walk->path, packet);
	}
	if (packet->type == CAIRN_ETE_P_CONTEXT_SAME || packet->type == CAIRN_ETE_P_CONTEXT)
		return;
	if (order->waits != CAIRN_ETE_P_EXCEPTION) {
		order->address = ETE_MUST_NOT;
		ete_path_address(&walk->path, packet->address, packet->flags & CAIRN_ETE_P_IS1);
	}
	order->address_told = true;
	order->waits = 0;
}

static int rules_order_correct(struct walk *walk, const struct cairn_ete_packet *packet)
{
	int rc = packet->n_atoms ? rules_order_p0(walk, packet, packet->n_atoms) : 0;
	if (walk->order.step != ETE_IN_STEP)
		return rc;
	if (packet->type <= CAIRN_ETE_P_CANCEL_F1_MISPREDICT && !packet->count)
		ete_finding(&walk->found, ETE_RULE_SPEC_NONE, &walk->at, "a Cancel of no P0 element");
	if (packet->count > walk->order.depth) {
		rules_order_lose(walk, ETE_RULE_CANCEL_COUNT, &walk->at, walk->pos,
		                 "a Cancel of %u P0 elements, but open are %llu", packet->count,
		                 (unsigned long long)walk->order.depth);
		return rc;
	}
	cancel_youngest(walk, packet->count);
	if (packet->type != CAIRN_ETE_P_CANCEL_F1) {
		uint64_t returned = walk->path.returned;
		unsigned events = ete_path_mispredict(&walk->path);
		report_events(walk, events, returned, "mispredicted");
	}
	/* of those before the Trace Info not even the kind is known */
	if (packet->type != CAIRN_ETE_P_CANCEL_F1 && !walk->open.atoms &&
	    walk->order.depth == walk->open.n)
		ete_finding(&walk->found, ETE_RULE_SPEC_ATOM, &walk->at,
		            "no Atom is open that was mispredicted");
	return rc;
}

/* ---- other packets ---- */

static void rules_order_trace_on(struct walk *walk)
{
	struct ete_order *order = &walk->order;
	if (order->waits == CAIRN_ETE_P_EXCEPTION) {
		rules_order_lose(walk, ETE_RULE_EXCEPTION_ADDRESS, &order->waits_at, walk->pos,
		                 "a Trace On comes where its address should be");
		return;
	}
	no_address(&walk->found, order, "a Trace On");
	ete_path_jump(&walk->path, true);
	order->gap = ETE_MUST_NOT;
	order->address = ETE_BY_TRACE_ON;
	order->context = order->context_told ? ETE_MUST_NOT : ETE_BY_TRACE_ON;
}

static void time_comes(struct walk *walk, const struct cairn_ete_packet *packet)
{
	struct ete_order *order = &walk->order;
	if (!(walk->found.program->cfg.idr0 >> 23 & 1) || !ete_given(&walk->found, ETE_TRCIDR0))
		return;
	if (packet->type == CAIRN_ETE_P_TS_MARKER) {
		if (order->marked == ETE_MARKED_ONE)
			ete_finding(&walk->found, ETE_RULE_TIME_UNUSED, &walk->at,
			            "the Timestamp Marker before this one got no time");
		order->marked = ETE_MARKED_ONE;
		return;
	}
	if (order->marked == ETE_UNMARKED)
		ete_finding(&walk->found, ETE_RULE_TIME_MARKED, &walk->at,
		            "no Timestamp Marker came before it");
	order->marked = ETE_UNMARKED;
}

/* Overflow and Discard. */
static void rules_order_stop(struct walk *walk, const struct cairn_ete_packet *packet)
{
	if (packet->type == CAIRN_ETE_P_DISCARD && walk->order.step == ETE_IN_STEP &&
	    !walk->order.depth)
		ete_finding(&walk->found, ETE_RULE_SPEC_DISCARD, &walk->at,
		            "no P0 element is open to be discarded");
	forget_open(walk);
	walk->order.step = ETE_NO_INFO;
	walk->order.gap = ETE_BY_TRACE_ON;
	walk->order.address = walk->order.context = ETE_MUST_NOT;
	walk->order.waits = 0;
	walk->order.begins = true;
	walk->order.async_open = false;
	walk->told_early = false;
}

static int rules_order_in_step(struct walk *walk, const struct cairn_ete_packet *packet)
{
	const struct cairn_ete_config *cfg = &walk->found.program->cfg;
	int rc = 0;
	switch (packet->type) {
	case CAIRN_ETE_P_TRACE_ON:
		rules_order_trace_on(walk);
		break;
	case CAIRN_ETE_P_TIMESTAMP:
	case CAIRN_ETE_P_TS_MARKER:
		time_comes(walk, packet);
		break;
	case CAIRN_ETE_P_EXCEPTION:
	case CAIRN_ETE_P_PE_RESET:
		rc = one_p0(walk, packet);
		break;
	case CAIRN_ETE_P_TRANSACTION_START:
		if (cairn_ete_is_p0(cfg, CAIRN_ETE_TRANSACTION_START))
			rc = rules_order_p0(walk, packet, 1);
		break;
	case CAIRN_ETE_P_TRANSACTION_FAILURE:
		ete_path_jump(&walk->path, false);
		break;
	case CAIRN_ETE_P_EXCEPTION_RETURN:
	case CAIRN_ETE_P_FUNCTION_RETURN:
		ete_path_jump(&walk->path, false);
		if (cfg->profile == 'M')
			rc = rules_order_p0(walk, packet, 1);
		break;
	case CAIRN_ETE_P_COMMIT:
		if (!packet->count)
			ete_finding(&walk->found, ETE_RULE_SPEC_NONE, &walk->at, "a Commit of no P0 element");
		rules_order_commit(walk, packet->count);
		break;
	default:
		if (packet->type >= CAIRN_ETE_P_CCNT_F1 && packet->type <= CAIRN_ETE_P_CCNT_F3) {
			if (packet->flags & CAIRN_ETE_P_HAS_COUNT)
				rules_order_commit(walk, packet->count);
		} else if (packet->type >= CAIRN_ETE_P_CANCEL_F1 &&
		           packet->type <= CAIRN_ETE_P_MISPREDICT) {
			rc = rules_order_correct(walk, packet);
		} else if (packet->type >= CAIRN_ETE_P_CONTEXT_SAME &&
		           packet->type < CAIRN_ETE_P_SRC_MATCH) {
			where(walk, packet);
		} else if (packet->type >= CAIRN_ETE_P_SRC_MATCH && packet->type <= CAIRN_ETE_P_Q) {
			rc = one_p0(walk, packet);
		} else if (packet->n_atoms) {
			rc = rules_order_p0(walk, packet, packet->n_atoms);
		}
		break;
	}
	if (walk->order.depth > walk->maxspec)
		resolve_oldest(walk, walk->order.depth - walk->maxspec);
	return rc;
}

/* Which packet the header would begin if the trace unit were another one. */
static void reserved(struct walk *walk, const struct cairn_ete_packet *packet)
{
	const struct cairn_ete_config *cfg = &walk->found.program->cfg;
	const struct ete_row *row = NULL;
	for (unsigned type = 1; type <= CAIRN_ETE_P_LAST && !row; type++) {
		const struct ete_row *r = &ete_rows[type];
		if (r->form && ((packet->header >= r->first && packet->header <= r->last) ||
		                (r->last2 && packet->header >= r->first2 && packet->header <= r->last2)))
			row = r;
	}
	if (!row)
		rules_order_lose(walk, ETE_RULE_PACKET_RESERVED, &walk->at, walk->pos,
		                 "header 0x%02x is reserved", packet->header);
	else if (row->need == ETE_Q)
		rules_order_lose(walk, ETE_RULE_PACKET_RESERVED, &walk->at, walk->pos,
		                 "header 0x%02x, %s, but TRCIDR0.QSUPP is %s", packet->header, row->title,
		                 ete_given(&walk->found, ETE_TRCIDR0) ? "0" : "not known");
	else if ((row->need == ETE_FROM_1_3) && cairn_ete_is_ete(cfg))
		rules_order_lose(walk, ETE_RULE_PACKET_VERSION, &walk->at, walk->pos,
		                 "header 0x%02x, %s, which comes with version 1.3", packet->header,
		                 row->title);
	else
		rules_order_lose(walk, ETE_RULE_PACKET_RESERVED, &walk->at, walk->pos,
		                 "header 0x%02x, %s, which is not of this protocol and configuration",
		                 packet->header, row->title);
}

/* Behind an Async, before the Trace Info. Unless tracing began here, a periodic one may be late. */
static void rules_order_before_info(struct walk *walk, const struct cairn_ete_packet *packet)
{
	if (packet->type == CAIRN_ETE_P_IGNORE || packet->type == CAIRN_ETE_P_EVENT ||
	    packet->type == CAIRN_ETE_P_INSTRUMENTATION || walk->told_early || !walk->order.begins)
		return;
	ete_finding(&walk->found, ETE_RULE_SYNC_INFO, &walk->at, "%s comes before the Trace Info",
	            cairn_ete_packet_name(packet->type));
	walk->told_early = true;
}

static void rules_order_async(struct walk *walk, const struct cairn_ete_packet *packet)
{
	if (walk->order.step != ETE_NO_ASYNC && (packet->flags & CAIRN_ETE_P_OVERLAP)) {
		struct check_place last = walk->at;
		last.offset = ete_place(walk->sp, walk->last_pos);
		last.record--;
		rules_order_lose(walk, ETE_RULE_PACKET_FORM, &last, walk->last_pos,
		                 "cut off by the Alignment Synchronization behind it");
	}
	/* of a packet found within another, only the end is known */
	rules_order_report_lost(walk, packet->flags & CAIRN_ETE_P_OVERLAP
	                                  ? walk->pos + packet->size - ETE_ASYNC_SIZE
	                                  : walk->pos);
	if (walk->inherits) {
		walk->part->async_at = walk->at;
		return;
	}
	if (walk->pos == 0)
		walk->order.begins = true;
	ete_order_async(&walk->found, &walk->order, &walk->at);
	if (walk->order.step != ETE_IN_STEP)
		forget_open(walk);
	walk->told_early = false;
}

static void rules_order_info(struct walk *walk, const struct cairn_ete_packet *packet)
{
	ete_open_forget(&walk->open);
	if (walk->order.depth != packet->value)
		ete_path_forget(&walk->path);
	ete_path_info(&walk->path);
	if (walk->inherits) {
		walk->inherits = false;
		walk->part->info = *packet;
		walk->part->info_at = walk->at;
		walk->order = (struct ete_order){.step = ETE_IN_STEP};
		begin_anew(&walk->found, &walk->order, packet, &walk->at);
		walk->order.gap = walk->order.address = walk->order.context = ETE_AS_BEFORE;
	} else if (walk->order.step != ETE_NO_ASYNC) {
		ete_order_info(&walk->found, &walk->order, packet, &walk->at);
	}
}

/* What is no packet. */
static void broken(struct walk *walk, const struct cairn_ete_packet *packet)
{
	unsigned long long n = packet->size;
	if (packet->type == CAIRN_ETE_P_NOT_SYNC) {
		bool all = walk->sp->whole && packet->offset + packet->size == walk->sp->from + walk->sp->n;
		if (all)
			ete_finding(&walk->found, ETE_RULE_INPUT_COMPLETE, &walk->at,
			            "there is no Alignment Synchronization: none of %llu bytes can be decoded",
			            n);
		else
			ete_finding(&walk->found, ETE_RULE_SYNC_START, &walk->at,
			            "%llu byte%s before the first Alignment Synchronization cannot be decoded",
			            n, n == 1 ? "" : "s");
		return;
	}
	if (walk->order.step == ETE_NO_ASYNC)
		return;
	if (packet->type == CAIRN_ETE_P_RESERVED)
		reserved(walk, packet);
	else if (packet->type == CAIRN_ETE_P_BAD)
		rules_order_lose(walk, ETE_RULE_PACKET_FORM, &walk->at, walk->pos,
		                 "header 0x%02x: the packet breaks off, or a number does not fit",
		                 packet->header);
	else if (packet->type == CAIRN_ETE_P_INCOMPLETE)
		rules_order_lose(walk, ETE_RULE_PACKET_END, &walk->at, walk->pos,
		                 "header 0x%02x: the bytes end within the packet", packet->header);
}

static int rules_order_take(struct walk *walk, const struct cairn_ete_packet *packet)
{
	bool out =
		walk->order.step == ETE_NO_ASYNC && !walk->inherits && packet->type != CAIRN_ETE_P_ASYNC;
	int rc = 0;
	if (packet->type <= CAIRN_ETE_P_PADDING) {
		broken(walk, packet);
		return 0;
	}
	if (out)
		return 0;
	ete_rules_packet(&walk->found, packet, walk->order.threshold, &walk->at);
	switch (packet->type) {
	case CAIRN_ETE_P_ASYNC:
		rules_order_async(walk, packet);
		return 0;
	case CAIRN_ETE_P_TRACE_INFO:
		rules_order_info(walk, packet);
		break;
	case CAIRN_ETE_P_OVERFLOW:
	case CAIRN_ETE_P_DISCARD:
		rules_order_stop(walk, packet);
		break;
	default:
		if (walk->order.step == ETE_IN_STEP)
			rc = rules_order_in_step(walk, packet);
		else
			rules_order_before_info(walk, packet);
		break;
	}
	if (packet->type != CAIRN_ETE_P_IGNORE)
		walk->order.others = true;
	return rc;
}

int ete_rules_order(struct cairn_reader *reader, struct model_span *span, struct check_part *p,
                    uint64_t *records)
{
	const struct ete_impl *im = reader->impl;
	struct ete_span *sp = span->priv;
	struct ete_part *part = p->priv;
	struct walk walk = {.found = {p, sp->program, im->n_programs > 1},
	                    .part = part,
	                    .sp = sp,
	                    .inherits = !sp->leads,
	                    .maxspec = sp->program->cfg.idr8};
	uint64_t end = 0;
	int rc;
	ete_order_begin(&walk.order);
	ete_path_open(&walk.path, &sp->program->cfg,
	              &((struct ete_worker *)span->worker)->codes[sp->unit]);
	base_buf_init(&walk.open.runs, reader->cairn);
	walk.at =
		(struct check_place){.cpu = sp->program->hart,
	                         .part = p->part,
	                         .known = CAIRN_PLACE_OFFSET | CAIRN_PLACE_RECORD | CAIRN_PLACE_CPU};
	while ((rc = ete_span_packets(reader, sp)) > 0) {
		for (size_t i = 0; i < sp->n_buffer && rc >= 0; i++) {
			const struct cairn_ete_packet *packet = &sp->buffer[i];
			walk.last_pos = walk.pos;
			walk.pos = packet->offset;
			walk.at.offset = ete_place(sp, packet->offset);
			walk.at.record = sp->at->rec + (*records)++;
			end = packet->offset + packet->size;
			rc = rules_order_take(&walk, packet);
		}
		if (rc < 0)
			break;
	}
	if (rc >= 0 && !sp->last && end > sp->end && walk.order.step != ETE_NO_ASYNC)
		rules_order_lose(&walk, ETE_RULE_PACKET_FORM, &walk.at, walk.pos,
		                 "cut off by the Alignment Synchronization behind it");
	rules_order_report_lost(&walk, sp->last ? sp->from + sp->n : sp->end);
	report_returned(&walk);
	part->order = walk.order;
	base_buf_free(&walk.open.runs);
	return rc < 0 ? rc : 0;
}
