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
#include "formats/ete/rules.h"

#include <stdio.h>
#include <string.h>

struct walk {
	struct ete_found f;
	struct ete_part *k;
	const struct ete_span *sp;
	struct ete_order o;
	struct check_place at;          /* of the packet */
	uint64_t pos, last_pos;         /* in the stream: of it, and of the one before */
	bool inherits;                  /* the Trace Info that leads has not come */
	bool told_early;                /* that packets come before a Trace Info */
	bool cut_by_next;               /* the last packet runs into the next span */
	struct check_place returned_at; /* by which an exception return was taken back */
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

void ete_order_begin(struct ete_order *o)
{
	*o = (struct ete_order){.step = ETE_NO_ASYNC, .others = true};
}

/* The exception or Q that waits stays without an address. */
static void no_address(const struct ete_found *f, struct ete_order *o, const char *what)
{
	if (o->waits == CAIRN_ETE_P_EXCEPTION)
		ete_finding(f, ETE_RULE_EXCEPTION_ADDRESS, &o->waits_at,
		            "%s comes where its address should be", what);
	else if (o->waits)
		ete_finding(f, ETE_RULE_Q_ADDRESS, &o->waits_at, "%s comes where its address should be",
		            what);
	o->waits = 0;
}

void ete_order_async(const struct ete_found *f, struct ete_order *o, const struct check_place *at)
{
	if (o->step == ETE_IN_STEP) {
		bool gone = o->waits == CAIRN_ETE_P_EXCEPTION;
		no_address(f, o, "an Alignment Synchronization");
		if (o->async_open && o->ran_since_async)
			ete_finding(f, ETE_RULE_SYNC_PERIODIC, at,
			            "since the Alignment Synchronization before no Trace Info came");
		if (gone)
			o->step = ETE_NO_INFO;
	} else if (o->step == ETE_NO_ASYNC) {
		o->step = ETE_NO_INFO;
	}
	if (!o->others)
		ete_finding(f, ETE_RULE_SYNC_IDLE, at,
		            "no other packet came since the Alignment Synchronization before");
	o->async_open = true;
	o->async_at = *at;
	o->ran_async = 0;
	o->ran_since_async = o->others = false;
}

/* What holds behind a Trace Info. */
static void begin_anew(const struct ete_found *f, struct ete_order *o,
                       const struct cairn_ete_packet *p, const struct check_place *at)
{
	uint64_t most = f->program->cfg.idr8;
	if (o->step != ETE_IN_STEP && o->begins)
		o->address = o->context = ETE_BY_SYNC;
	o->step = ETE_IN_STEP;
	o->depth = p->value < most ? p->value : most;
	o->threshold_known = p->info & CAIRN_ETE_INFO_CC;
	o->threshold = p->cycles;
	o->marked = ETE_EXCUSED;
	o->begins = o->async_open = o->context_told = o->address_told = false;
	o->others = true;
	o->info_at = *at;
	o->ran = 0;
	o->waits = 0;
}

/* A Trace Info behind which P0 elements came tells context and address: the first of them may
 * come before it does (ICHTFM). */
static void judge_told(const struct ete_found *f, const struct ete_order *o,
                       const struct check_place *at, const char *which)
{
	if (o->ran > 1 && !(o->context_told && o->address_told))
		ete_finding(f, ETE_RULE_SYNC_TOLD, at,
		            "%llu P0 elements came since the %sTrace Info%s, but "
		            "no %s",
		            (unsigned long long)o->ran, which, *which ? "" : " before",
		            o->context_told   ? "address"
		            : o->address_told ? "context"
		                              : "context and address");
}

void ete_order_end(const struct ete_found *f, const struct ete_order *o)
{
	if (o->step != ETE_IN_STEP)
		return;
	if (o->async_open && o->ran_async > 1)
		ete_finding(
			f, ETE_RULE_SYNC_PERIODIC, &o->async_at,
			"%llu P0 elements came since the last Alignment Synchronization, but no Trace Info",
			(unsigned long long)o->ran_async);
	judge_told(f, o, &o->info_at, "last ");
}

void ete_order_info(const struct ete_found *f, struct ete_order *o,
                    const struct cairn_ete_packet *p, const struct check_place *at)
{
	if (o->step == ETE_IN_STEP) {
		no_address(f, o, "a Trace Info");
		if (!o->async_open)
			ete_finding(f, ETE_RULE_SYNC_PERIODIC, at,
			            "no Alignment Synchronization came since the last Trace Info");
		if (o->depth != p->value && p->value <= f->program->cfg.idr8)
			ete_finding(f, ETE_RULE_INFO_DEPTH, at,
			            "%llu P0 elements are said to be open, but %llu are",
			            (unsigned long long)p->value, (unsigned long long)o->depth);
		judge_told(f, o, at, "");
	}
	if (p->info & CAIRN_ETE_INFO_CC && o->threshold_known && o->threshold != p->cycles)
		ete_finding(f, ETE_RULE_INFO_THRESHOLD, at, "the threshold is %u, and was %u", p->cycles,
		            o->threshold);
	begin_anew(f, o, p, at);
}

void ete_order_p0(const struct ete_found *f, const struct ete_order *o,
                  const struct check_place *at)
{
	bool no_address = o->address > ETE_AS_BEFORE, no_context = o->context > ETE_AS_BEFORE;
	if (o->gap > ETE_AS_BEFORE) {
		ete_finding(f, ETE_RULE_ON_GAP, at, "execution goes on behind the gap without a Trace On");
		return;
	}
	if (o->address == ETE_BY_SYNC || o->context == ETE_BY_SYNC) {
		ete_finding(f, ETE_RULE_SYNC_CONTEXT, at, "execution begins without %s",
		            !no_context   ? "an address"
		            : !no_address ? "a context"
		                          : "context and address");
		return;
	}
	if (o->address == ETE_BY_TRACE_ON)
		ete_finding(f, ETE_RULE_ON_ADDRESS, at, "no address came since the Trace On");
	if (o->context == ETE_BY_TRACE_ON)
		ete_finding(f, ETE_RULE_ON_CONTEXT, at, "no context came since the Trace Info");
}

/* ---- out of step ---- */

static void rules_order_report_lost(struct walk *k, uint64_t until)
{
	unsigned long long skipped = until > k->lost.pos ? until - k->lost.pos : 0;
	char open[80] = "";
	if (!k->lost.is)
		return;
	k->lost.is = false;
	if (k->lost.open)
		snprintf(open, sizeof open, ", %llu P0 element%s lost whose fate was open",
		         (unsigned long long)k->lost.open, k->lost.open == 1 ? " is" : "s are");
	ete_finding(&k->f, k->lost.rule, &k->lost.at,
	            "%s; %llu byte%s up to the next synchronisation not decoded%s", k->lost.text,
	            skipped, skipped == 1 ? "" : "s", open);
}

static void forget_open(struct walk *k)
{
	ete_open_forget(&k->open);
	ete_path_forget(&k->path);
	k->o.depth = 0;
}

CAIRN_PRINTF(5, 6)
static void rules_order_lose(struct walk *k, unsigned rule, const struct check_place *at,
                             uint64_t pos, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	k->lost.is = true;
	k->lost.rule = rule;
	k->lost.at = *at;
	k->lost.pos = pos;
	k->lost.open = k->o.depth;
	vsnprintf(k->lost.text, sizeof k->lost.text, fmt, ap);
	va_end(ap);
	forget_open(k);
	k->o.step = ETE_NO_ASYNC;
	k->o.gap = k->o.address = k->o.context = ETE_MUST_NOT;
	k->o.waits = 0;
	k->o.begins = k->o.async_open = false;
	k->o.others = true;
}

/* ---- speculation ---- */

static void resolve_oldest(struct walk *k, uint64_t n)
{
	uint64_t unseen = k->o.depth - k->open.n;
	ete_path_commit(&k->path, n, k->o.depth);
	k->o.depth -= n;
	ete_open_commit(&k->open, n < unseen ? 0 : n - unseen);
}

static void rules_order_commit(struct walk *k, uint64_t n)
{
	if (n > k->o.depth)
		rules_order_lose(k, ETE_RULE_COMMIT_COUNT, &k->at, k->pos,
		                 "a Commit of %llu P0 elements, but open are %llu", (unsigned long long)n,
		                 (unsigned long long)k->o.depth);
	else
		resolve_oldest(k, n);
}

static void report_events(struct walk *k, unsigned events, uint64_t returned, const char *what)
{
	if (events & ETE_EVENT_ISB)
		ete_finding(&k->f, ETE_RULE_BEHIND_ISB, &k->at,
		            "%s is an ISB, too, behind which other P0 elements came", what);
	if (k->path.returned && k->path.returned != returned) {
		k->returned_at = k->at;
		k->returned_how = what;
	}
}

/* Execution goes on before an exception return that was taken back, or where it stands. */
static void report_returned(struct walk *k)
{
	if (k->path.returned)
		ete_finding(&k->f, ETE_RULE_BEHIND_RETURN, &k->returned_at,
		            "%s is an exception return, too, behind which other P0 elements came",
		            k->returned_how);
	k->path.returned = 0;
}

static void cancel_youngest(struct walk *k, uint64_t n)
{
	if (n)
		k->o.waits = 0;
	k->o.depth -= n;
	if (n > k->open.n) /* goes beyond the Trace Info: what it told must come again (RKGPTB) */
		k->o.context_told = k->o.address_told = false;
	if (ete_open_cancel(&k->open, n < k->open.n ? n : k->open.n))
		ete_finding(&k->f, ETE_RULE_SPEC_BEHIND, &k->at,
		            "canceled is an Exception, too, behind which other P0 elements came");
	uint64_t returned = k->path.returned;
	unsigned events = ete_path_cancel(&k->path, n);
	report_events(k, events, returned, "canceled");
}

/* ---- P0 elements ---- */

/* What must have been told has been, or not. */
static void rules_order_told(struct walk *k, const struct cairn_ete_packet *p)
{
	struct ete_order *o = &k->o;
	if (p->type == CAIRN_ETE_P_PE_RESET || p->type == CAIRN_ETE_P_TRANSACTION_START)
		return;
	if (p->type == CAIRN_ETE_P_EXCEPTION && p->info == 2)
		o->address = ETE_MUST_NOT;
	if (!k->k->asks &&
	    (o->gap == ETE_AS_BEFORE || o->address == ETE_AS_BEFORE || o->context == ETE_AS_BEFORE)) {
		k->k->asks = true;
		k->k->first = *o;
		k->k->first_at = k->at;
	}
	ete_order_p0(&k->f, o, &k->at);
	o->gap = o->address = o->context = ETE_MUST_NOT;
}

static int rules_order_p0(struct walk *k, const struct cairn_ete_packet *p, uint32_t n)
{
	struct ete_order *o = &k->o;
	if (o->waits == CAIRN_ETE_P_EXCEPTION) {
		rules_order_lose(k, ETE_RULE_EXCEPTION_ADDRESS, &o->waits_at, k->pos,
		                 "%s comes where its address should be", cairn_ete_packet_name(p->type));
		return 0;
	}
	if (o->waits)
		no_address(&k->f, o, cairn_ete_packet_name(p->type));
	if (o->gap || o->address || o->context)
		rules_order_told(k, p);
	report_returned(k);
	o->ran += n;
	o->ran_async += n;
	o->ran_since_async = true;
	ete_path_p0(&k->path, p, n);
	if (!k->maxspec && p->type >= CAIRN_ETE_P_ATOM_F1) /* resolved at once */
		return 0;
	o->depth += n;
	return ete_open_add(&k->open, n,
	                    p->n_atoms ? ETE_OPEN_ATOMS
	                    : p->type == CAIRN_ETE_P_EXCEPTION || p->type == CAIRN_ETE_P_PE_RESET
	                        ? ETE_OPEN_EXCEPTION
	                        : ETE_OPEN_OTHER);
}

/* Exceptions, source addresses, Q elements: what of them an address has to follow waits. */
static int one_p0(struct walk *k, const struct cairn_ete_packet *p)
{
	int rc = rules_order_p0(k, p, 1);
	if (k->o.step != ETE_IN_STEP)
		return rc;
	if (p->type == CAIRN_ETE_P_EXCEPTION || p->type == CAIRN_ETE_P_Q ||
	    p->type == CAIRN_ETE_P_Q_COUNT) {
		k->o.waits = p->type;
		k->o.waits_at = k->at;
	} else if (p->type >= CAIRN_ETE_P_SRC_MATCH) {
		k->o.address_told = true;
	}
	return rc;
}

/* Contexts and target addresses. */
static void where(struct walk *k, const struct cairn_ete_packet *p)
{
	struct ete_order *o = &k->o;
	if (ete_rows[p->type].context || p->type == CAIRN_ETE_P_CONTEXT_SAME) {
		o->context = ETE_MUST_NOT;
		o->context_told = true;
		if (p->type != CAIRN_ETE_P_CONTEXT_SAME)
			ete_path_context(&k->path, p);
	}
	if (p->type == CAIRN_ETE_P_CONTEXT_SAME || p->type == CAIRN_ETE_P_CONTEXT)
		return;
	if (o->waits != CAIRN_ETE_P_EXCEPTION) {
		o->address = ETE_MUST_NOT;
		ete_path_address(&k->path, p->address, p->flags & CAIRN_ETE_P_IS1);
	}
	o->address_told = true;
	o->waits = 0;
}

static int rules_order_correct(struct walk *k, const struct cairn_ete_packet *p)
{
	int rc = p->n_atoms ? rules_order_p0(k, p, p->n_atoms) : 0;
	if (k->o.step != ETE_IN_STEP)
		return rc;
	if (p->type <= CAIRN_ETE_P_CANCEL_F1_MISPREDICT && !p->count)
		ete_finding(&k->f, ETE_RULE_SPEC_NONE, &k->at, "a Cancel of no P0 element");
	if (p->count > k->o.depth) {
		rules_order_lose(k, ETE_RULE_CANCEL_COUNT, &k->at, k->pos,
		                 "a Cancel of %u P0 elements, but open are %llu", p->count,
		                 (unsigned long long)k->o.depth);
		return rc;
	}
	cancel_youngest(k, p->count);
	if (p->type != CAIRN_ETE_P_CANCEL_F1) {
		uint64_t returned = k->path.returned;
		unsigned events = ete_path_mispredict(&k->path);
		report_events(k, events, returned, "mispredicted");
	}
	/* of those before the Trace Info not even the kind is known */
	if (p->type != CAIRN_ETE_P_CANCEL_F1 && !k->open.atoms && k->o.depth == k->open.n)
		ete_finding(&k->f, ETE_RULE_SPEC_ATOM, &k->at, "no Atom is open that was mispredicted");
	return rc;
}

/* ---- other packets ---- */

static void rules_order_trace_on(struct walk *k)
{
	struct ete_order *o = &k->o;
	if (o->waits == CAIRN_ETE_P_EXCEPTION) {
		rules_order_lose(k, ETE_RULE_EXCEPTION_ADDRESS, &o->waits_at, k->pos,
		                 "a Trace On comes where its address should be");
		return;
	}
	no_address(&k->f, o, "a Trace On");
	ete_path_jump(&k->path, true);
	o->gap = ETE_MUST_NOT;
	o->address = ETE_BY_TRACE_ON;
	o->context = o->context_told ? ETE_MUST_NOT : ETE_BY_TRACE_ON;
}

static void time_comes(struct walk *k, const struct cairn_ete_packet *p)
{
	struct ete_order *o = &k->o;
	if (!(k->f.program->cfg.idr0 >> 23 & 1) || !ete_given(&k->f, ETE_TRCIDR0))
		return;
	if (p->type == CAIRN_ETE_P_TS_MARKER) {
		if (o->marked == ETE_MARKED_ONE)
			ete_finding(&k->f, ETE_RULE_TIME_UNUSED, &k->at,
			            "the Timestamp Marker before this one got no time");
		o->marked = ETE_MARKED_ONE;
		return;
	}
	if (o->marked == ETE_UNMARKED)
		ete_finding(&k->f, ETE_RULE_TIME_MARKED, &k->at, "no Timestamp Marker came before it");
	o->marked = ETE_UNMARKED;
}

/* Overflow and Discard. */
static void rules_order_stop(struct walk *k, const struct cairn_ete_packet *p)
{
	if (p->type == CAIRN_ETE_P_DISCARD && k->o.step == ETE_IN_STEP && !k->o.depth)
		ete_finding(&k->f, ETE_RULE_SPEC_DISCARD, &k->at, "no P0 element is open to be discarded");
	forget_open(k);
	k->o.step = ETE_NO_INFO;
	k->o.gap = ETE_BY_TRACE_ON;
	k->o.address = k->o.context = ETE_MUST_NOT;
	k->o.waits = 0;
	k->o.begins = true;
	k->o.async_open = false;
	k->told_early = false;
}

static int rules_order_in_step(struct walk *k, const struct cairn_ete_packet *p)
{
	const struct cairn_ete_config *cfg = &k->f.program->cfg;
	int rc = 0;
	switch (p->type) {
	case CAIRN_ETE_P_TRACE_ON:
		rules_order_trace_on(k);
		break;
	case CAIRN_ETE_P_TIMESTAMP:
	case CAIRN_ETE_P_TS_MARKER:
		time_comes(k, p);
		break;
	case CAIRN_ETE_P_EXCEPTION:
	case CAIRN_ETE_P_PE_RESET:
		rc = one_p0(k, p);
		break;
	case CAIRN_ETE_P_TRANSACTION_START:
		if (cairn_ete_is_p0(cfg, CAIRN_ETE_TRANSACTION_START))
			rc = rules_order_p0(k, p, 1);
		break;
	case CAIRN_ETE_P_TRANSACTION_FAILURE:
		ete_path_jump(&k->path, false);
		break;
	case CAIRN_ETE_P_EXCEPTION_RETURN:
	case CAIRN_ETE_P_FUNCTION_RETURN:
		ete_path_jump(&k->path, false);
		if (cfg->profile == 'M')
			rc = rules_order_p0(k, p, 1);
		break;
	case CAIRN_ETE_P_COMMIT:
		if (!p->count)
			ete_finding(&k->f, ETE_RULE_SPEC_NONE, &k->at, "a Commit of no P0 element");
		rules_order_commit(k, p->count);
		break;
	default:
		if (p->type >= CAIRN_ETE_P_CCNT_F1 && p->type <= CAIRN_ETE_P_CCNT_F3) {
			if (p->flags & CAIRN_ETE_P_HAS_COUNT)
				rules_order_commit(k, p->count);
		} else if (p->type >= CAIRN_ETE_P_CANCEL_F1 && p->type <= CAIRN_ETE_P_MISPREDICT) {
			rc = rules_order_correct(k, p);
		} else if (p->type >= CAIRN_ETE_P_CONTEXT_SAME && p->type < CAIRN_ETE_P_SRC_MATCH) {
			where(k, p);
		} else if (p->type >= CAIRN_ETE_P_SRC_MATCH && p->type <= CAIRN_ETE_P_Q) {
			rc = one_p0(k, p);
		} else if (p->n_atoms) {
			rc = rules_order_p0(k, p, p->n_atoms);
		}
		break;
	}
	if (k->o.depth > k->maxspec)
		resolve_oldest(k, k->o.depth - k->maxspec);
	return rc;
}

/* Which packet the header would be of, if the trace unit were another one. */
static void reserved(struct walk *k, const struct cairn_ete_packet *p)
{
	const struct cairn_ete_config *cfg = &k->f.program->cfg;
	const struct ete_row *row = NULL;
	for (unsigned type = 1; type <= CAIRN_ETE_P_LAST && !row; type++) {
		const struct ete_row *r = &ete_rows[type];
		if (r->form && ((p->header >= r->first && p->header <= r->last) ||
		                (r->last2 && p->header >= r->first2 && p->header <= r->last2)))
			row = r;
	}
	if (!row)
		rules_order_lose(k, ETE_RULE_PACKET_RESERVED, &k->at, k->pos, "header 0x%02x is reserved",
		                 p->header);
	else if (row->need == ETE_Q)
		rules_order_lose(k, ETE_RULE_PACKET_RESERVED, &k->at, k->pos,
		                 "header 0x%02x, %s, but TRCIDR0.QSUPP is %s", p->header, row->title,
		                 ete_given(&k->f, ETE_TRCIDR0) ? "0" : "not known");
	else if ((row->need == ETE_FROM_1_3) && cairn_ete_is_ete(cfg))
		rules_order_lose(k, ETE_RULE_PACKET_VERSION, &k->at, k->pos,
		                 "header 0x%02x, %s, which comes with version 1.3", p->header, row->title);
	else
		rules_order_lose(k, ETE_RULE_PACKET_RESERVED, &k->at, k->pos,
		                 "header 0x%02x, %s, which is not of this protocol and configuration",
		                 p->header, row->title);
}

/* Behind an Async, before the Trace Info. Where tracing did not begin, a periodic one may
 * be late. */
static void rules_order_before_info(struct walk *k, const struct cairn_ete_packet *p)
{
	if (p->type == CAIRN_ETE_P_IGNORE || p->type == CAIRN_ETE_P_EVENT ||
	    p->type == CAIRN_ETE_P_INSTRUMENTATION || k->told_early || !k->o.begins)
		return;
	ete_finding(&k->f, ETE_RULE_SYNC_INFO, &k->at, "%s comes before the Trace Info",
	            cairn_ete_packet_name(p->type));
	k->told_early = true;
}

static void rules_order_async(struct walk *k, const struct cairn_ete_packet *p)
{
	if (k->o.step != ETE_NO_ASYNC && (p->flags & CAIRN_ETE_P_OVERLAP)) {
		struct check_place last = k->at;
		last.offset = ete_place(k->sp, k->last_pos);
		last.record--;
		rules_order_lose(k, ETE_RULE_PACKET_FORM, &last, k->last_pos,
		                 "cut off by the Alignment Synchronization behind it");
	}
	/* of one that was found within another packet, only the end is told */
	rules_order_report_lost(k, p->flags & CAIRN_ETE_P_OVERLAP ? k->pos + p->size - ETE_ASYNC_SIZE
	                                                          : k->pos);
	if (k->inherits) {
		k->k->async_at = k->at;
		return;
	}
	if (k->pos == 0)
		k->o.begins = true;
	ete_order_async(&k->f, &k->o, &k->at);
	if (k->o.step != ETE_IN_STEP)
		forget_open(k);
	k->told_early = false;
}

static void rules_order_info(struct walk *k, const struct cairn_ete_packet *p)
{
	ete_open_forget(&k->open);
	if (k->o.depth != p->value)
		ete_path_forget(&k->path);
	ete_path_info(&k->path);
	if (k->inherits) {
		k->inherits = false;
		k->k->info = *p;
		k->k->info_at = k->at;
		k->o = (struct ete_order){.step = ETE_IN_STEP};
		begin_anew(&k->f, &k->o, p, &k->at);
		k->o.gap = k->o.address = k->o.context = ETE_AS_BEFORE;
	} else if (k->o.step != ETE_NO_ASYNC) {
		ete_order_info(&k->f, &k->o, p, &k->at);
	}
}

/* What is no packet. */
static void broken(struct walk *k, const struct cairn_ete_packet *p)
{
	unsigned long long n = p->size;
	if (p->type == CAIRN_ETE_P_NOT_SYNC) {
		bool all = k->sp->whole && p->offset + p->size == k->sp->from + k->sp->n;
		if (all)
			ete_finding(&k->f, ETE_RULE_INPUT_COMPLETE, &k->at,
			            "there is no Alignment "
			            "Synchronization: none of %llu bytes can be decoded",
			            n);
		else
			ete_finding(&k->f, ETE_RULE_SYNC_START, &k->at,
			            "%llu byte%s before the first "
			            "Alignment Synchronization cannot be decoded",
			            n, n == 1 ? "" : "s");
		return;
	}
	if (k->o.step == ETE_NO_ASYNC)
		return;
	if (p->type == CAIRN_ETE_P_RESERVED)
		reserved(k, p);
	else if (p->type == CAIRN_ETE_P_BAD)
		rules_order_lose(k, ETE_RULE_PACKET_FORM, &k->at, k->pos,
		                 "header 0x%02x: the packet breaks off, or a "
		                 "number does not fit",
		                 p->header);
	else if (p->type == CAIRN_ETE_P_INCOMPLETE)
		rules_order_lose(k, ETE_RULE_PACKET_END, &k->at, k->pos,
		                 "header 0x%02x: the bytes end within the "
		                 "packet",
		                 p->header);
}

static int rules_order_take(struct walk *k, const struct cairn_ete_packet *p)
{
	bool out = k->o.step == ETE_NO_ASYNC && !k->inherits && p->type != CAIRN_ETE_P_ASYNC;
	int rc = 0;
	if (p->type <= CAIRN_ETE_P_PADDING) {
		broken(k, p);
		return 0;
	}
	if (out)
		return 0;
	ete_rules_packet(&k->f, p, k->o.threshold, &k->at);
	switch (p->type) {
	case CAIRN_ETE_P_ASYNC:
		rules_order_async(k, p);
		return 0;
	case CAIRN_ETE_P_TRACE_INFO:
		rules_order_info(k, p);
		break;
	case CAIRN_ETE_P_OVERFLOW:
	case CAIRN_ETE_P_DISCARD:
		rules_order_stop(k, p);
		break;
	default:
		if (k->o.step == ETE_IN_STEP)
			rc = rules_order_in_step(k, p);
		else
			rules_order_before_info(k, p);
		break;
	}
	if (p->type != CAIRN_ETE_P_IGNORE)
		k->o.others = true;
	return rc;
}

int ete_rules_order(struct cairn_reader *r, struct model_span *s, struct check_part *p,
                    uint64_t *records)
{
	const struct ete_impl *im = r->impl;
	struct ete_span *sp = s->priv;
	struct ete_part *part = p->priv;
	struct walk k = {.f = {p, sp->program, im->n_programs > 1},
	                 .k = part,
	                 .sp = sp,
	                 .inherits = !sp->leads,
	                 .maxspec = sp->program->cfg.idr8};
	uint64_t end = 0;
	int rc;
	ete_order_begin(&k.o);
	ete_path_open(&k.path, &sp->program->cfg, &((struct ete_worker *)s->worker)->codes[sp->unit]);
	base_buf_init(&k.open.runs, r->c);
	k.at = (struct check_place){.cpu = sp->program->hart,
	                            .part = p->part,
	                            .known = CAIRN_PLACE_OFFSET | CAIRN_PLACE_RECORD | CAIRN_PLACE_CPU};
	while ((rc = ete_span_packets(r, sp)) > 0) {
		for (size_t i = 0; i < sp->n_buffer && rc >= 0; i++) {
			const struct cairn_ete_packet *q = &sp->buffer[i];
			k.last_pos = k.pos;
			k.pos = q->offset;
			k.at.offset = ete_place(sp, q->offset);
			k.at.record = sp->at->rec + (*records)++;
			end = q->offset + q->size;
			rc = rules_order_take(&k, q);
		}
		if (rc < 0)
			break;
	}
	if (rc >= 0 && !sp->last && end > sp->end && k.o.step != ETE_NO_ASYNC)
		rules_order_lose(&k, ETE_RULE_PACKET_FORM, &k.at, k.pos,
		                 "cut off by the Alignment Synchronization behind it");
	rules_order_report_lost(&k, sp->last ? sp->from + sp->n : sp->end);
	report_returned(&k);
	part->order = k.o;
	base_buf_free(&k.open.runs);
	return rc < 0 ? rc : 0;
}
