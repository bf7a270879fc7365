/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a packet is by itself, judged by the registers of its trace unit. What cannot be
 * read at all is rules_order.c's, for everything behind it is lost.
 */
#include "formats/ete/check/rules.h"

#define FOUND(rule, ...) ete_finding(found, ETE_RULE_##rule, at, __VA_ARGS__)

static bool configured(const struct ete_found *found, unsigned bit)
{
	return !ete_given(found, ETE_TRCCONFIGR) || (found->program->cfg.configr >> bit & 1);
}

static void rules_packet_context(const struct ete_found *found,
                                 const struct cairn_ete_packet *packet,
                                 const struct check_place *at)
{
	static const char *const names[] = {"Secure", "Non-secure", "Root", "Realm"};
	const struct cairn_ete_config *cfg = &found->program->cfg;
	unsigned el = packet->context & 3;
	unsigned security = (packet->context >> 3 & 1u) * 2 + (packet->context >> 5 & 1);
	bool ids = ete_given(found, ETE_TRCIDR2);
	if (packet->context & ETE_CONTEXT_VMID) {
		if (ids && !(cfg->idr2 >> 10 & 31))
			FOUND(CONTEXT_VMID, "a virtual context identifier, but TRCIDR2.VMIDSIZE is 0");
		else if (!configured(found, 7))
			FOUND(CONTEXT_VMID, "a virtual context identifier, but TRCCONFIGR.VMID is 0");
	}
	if (packet->context & ETE_CONTEXT_CTXID) {
		if (ids && !(cfg->idr2 >> 5 & 31))
			FOUND(CONTEXT_CTXID, "a context identifier, but TRCIDR2.CIDSIZE is 0");
		else if (!configured(found, 6))
			FOUND(CONTEXT_CTXID, "a context identifier, but TRCCONFIGR.CID is 0");
	}
	if (packet->context & 4)
		FOUND(PACKET_USUAL, "bit 2 of the context is reserved, and set");
	if (!cairn_ete_is_ete(cfg))
		return;
	if ((security == 2) != (el == 3) && (security == 2 || security & 1))
		FOUND(CONTEXT_LEVEL, "EL%u in the %s state", el, names[security]);
}

static void rules_packet_cycles(const struct ete_found *found,
                                const struct cairn_ete_packet *packet, uint32_t threshold,
                                const struct check_place *at)
{
	const struct cairn_ete_config *cfg = &found->program->cfg;
	unsigned bits = (cfg->idr2 >> 25 & 15) + 12;
	if (!(packet->flags & CAIRN_ETE_P_HAS_CYCLES))
		return;
	if (!configured(found, 4)) {
		FOUND(CYCLES_ENABLED, "a cycle count, but TRCCONFIGR.CCI is 0");
		return;
	}
	if (packet->type == CAIRN_ETE_P_TIMESTAMP)
		return; /* the decoder takes the bits that fit */
	if (ete_given(found, ETE_TRCIDR2) && packet->cycles >= threshold &&
	    (packet->cycles - threshold) >> bits)
		FOUND(CYCLES_SIZE, "%u cycles above the threshold of %u, but the counter has %u bits",
		      packet->cycles - threshold, threshold, bits);
	/* Without speculation there is never anything to commit. */
	if ((packet->flags & CAIRN_ETE_P_HAS_COUNT) && !packet->count && cfg->idr8)
		FOUND(CYCLES_COMMIT, "the Commit that comes with the cycle count commits nothing");
}

static void rules_packet_timestamp(const struct ete_found *found,
                                   const struct cairn_ete_packet *packet,
                                   const struct check_place *at)
{
	unsigned size = found->program->cfg.idr0 >> 24 & 31;
	if (!configured(found, 11))
		FOUND(TIME_ENABLED, "a Timestamp, but TRCCONFIGR.TS is 0");
	else if (ete_given(found, ETE_TRCIDR0) && size < 8 && packet->value >> 8 * size)
		FOUND(TIME_SIZE, "0x%llx is wider than the %u bits of TRCIDR0.TSSIZE",
		      (unsigned long long)packet->value, 8 * size);
}

static void rules_packet_marker(const struct ete_found *found, const struct check_place *at)
{
	const struct cairn_ete_config *cfg = &found->program->cfg;
	if (cairn_ete_version(cfg) == 0x10)
		FOUND(PACKET_VERSION, "a Timestamp Marker, which comes with version 1.1");
	else if (ete_given(found, ETE_TRCIDR0) && !(cfg->idr0 >> 23 & 1))
		FOUND(TIME_MARKER, "a Timestamp Marker, but TRCIDR0.TSMARK is 0");
}

static void rules_packet_exception(const struct ete_found *found,
                                   const struct cairn_ete_packet *packet,
                                   const struct check_place *at)
{
	const struct cairn_ete_config *cfg = &found->program->cfg;
	if (cfg->profile != 'M' && !cairn_ete_exception_name(cfg, packet->number))
		FOUND(EXCEPTION_TYPE, "exception type 0x%x is reserved", packet->number);
	if (packet->info != 1 && packet->info != 2)
		FOUND(EXCEPTION_FORM, "E1:E0 is %u: neither a return address nor one that is also a target",
		      packet->info);
}

static void q(const struct ete_found *found, const struct cairn_ete_packet *packet,
              const struct check_place *at)
{
	unsigned enabled = found->program->cfg.configr >> 13 & 3;
	if (!ete_given(found, ETE_TRCCONFIGR))
		return;
	if (!enabled)
		FOUND(Q_ENABLED, "a Q element, but TRCCONFIGR.QE is 0");
	else if (enabled == 1 && packet->type == CAIRN_ETE_P_Q)
		FOUND(Q_ENABLED, "a Q element without a count, but TRCCONFIGR.QE allows those with one");
}

static void rules_packet_trace_info(const struct ete_found *found,
                                    const struct cairn_ete_packet *packet,
                                    const struct check_place *at)
{
	const struct cairn_ete_config *cfg = &found->program->cfg;
	bool counts = packet->info & CAIRN_ETE_INFO_CC;
	if (ete_given(found, ETE_TRCIDR8) && packet->value > cfg->idr8)
		FOUND(INFO_MAXSPEC, "%llu P0 elements are said to be open, but TRCIDR8.MAXSPEC is %u",
		      (unsigned long long)packet->value, cfg->idr8);
	if (ete_given(found, ETE_TRCCONFIGR) && counts != (cfg->configr >> 4 & 1))
		FOUND(INFO_CYCLES, "cycles are said to be %s, but TRCCONFIGR.CCI is %d",
		      counts ? "counted" : "not counted", !counts);
}

static void unusual(const struct ete_found *found, const struct cairn_ete_packet *packet,
                    const struct check_place *at)
{
	/* Zeros before an Async are not part of it. What a trace unit without commits in cycle counts
	 * puts in their place is not specified (seen: all ones). */
	bool free = packet->type == CAIRN_ETE_P_ASYNC ||
	            (packet->type == CAIRN_ETE_P_CCNT_F2 && !(packet->flags & CAIRN_ETE_P_HAS_COUNT));
	if (!free)
		FOUND(PACKET_USUAL, "%s: reserved bits are set, or a number is longer than need be",
		      cairn_ete_packet_name(packet->type));
}

void ete_rules_packet(const struct ete_found *found, const struct cairn_ete_packet *packet,
                      uint32_t threshold, const struct check_place *at)
{
	unsigned events = 1u << ((found->program->cfg.idr0 >> 10 & 3) + 1);
	if (packet->flags & CAIRN_ETE_P_UNUSUAL)
		unusual(found, packet, at);
	rules_packet_cycles(found, packet, threshold, at);
	if (ete_rows[packet->type].context)
		rules_packet_context(found, packet, at);
	if (packet->type >= CAIRN_ETE_P_Q_MATCH && packet->type <= CAIRN_ETE_P_Q)
		q(found, packet, at);
	switch (packet->type) {
	case CAIRN_ETE_P_TRACE_INFO:
		rules_packet_trace_info(found, packet, at);
		break;
	case CAIRN_ETE_P_TIMESTAMP:
		rules_packet_timestamp(found, packet, at);
		break;
	case CAIRN_ETE_P_TS_MARKER:
		rules_packet_marker(found, at);
		break;
	case CAIRN_ETE_P_EXCEPTION:
		rules_packet_exception(found, packet, at);
		break;
	case CAIRN_ETE_P_EVENT:
		if (ete_given(found, ETE_TRCIDR0) && packet->number >= events)
			FOUND(EVENT_NUMBER, "events 0x%x, but TRCIDR0.NUMEVENT says there are %u",
			      packet->number, (found->program->cfg.idr0 >> 10 & 3) + 1);
		break;
	case CAIRN_ETE_P_INSTRUMENTATION:
		if (packet->number > 3)
			FOUND(INSTRUMENTATION_LEVEL, "0x%x is not an exception level", packet->number);
		break;
	default:
		break;
	}
}
