/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening a flow, and the places where one can begin: those of the elements (parts,
 * cairn/ete.h) at which the trace also tells address and context before anything has to
 * be followed.
 */

#include "formats/ete/stream/elements.h"
#include "formats/ete/stream/flow.h"

/* ---- opening ---- */

/* TRCIDR2.WFXMODE; TRCCONFIGR.INSTP0 where TRCIDR0.INSTP0 has it. */
unsigned ete_also_p0(const struct cairn_ete_config *cfg)
{
	unsigned also = 0;
	bool accesses = !cairn_ete_is_ete(cfg) && (cfg->idr0 >> 1 & 3) == 3;
	if (cfg->idr2 >> 31)
		also |= ETE_ALSO_WAITS;
	if (accesses && cfg->configr >> 1 & 1)
		also |= ETE_ALSO_LOADS;
	if (accesses && cfg->configr >> 2 & 1)
		also |= ETE_ALSO_STORES;
	return also;
}

static enum isa_arm_level level_of(const struct cairn_ete_config *cfg)
{
	if (cfg->arch == 0 || cfg->arch == 0xff)
		return ISA_ARM_AA64;
	if (cfg->arch < 0x80)
		return ISA_ARM_V7;
	return cfg->arch < 0x83 ? ISA_ARM_V8 : ISA_ARM_V8_3;
}

static void flow_open_start(struct cairn_ete_flow *flow)
{
	flow->no_addr = flow->no_ctxt = true;
	flow->no_stack = flow->returned = false;
	flow->waiting = flow->jumped = flow->addressed = flow->no_push = flow->ended = false;
	flow->block = NULL;
	flow->aarch64 = 1;
	flow->is1 = flow->el = flow->security = 0;
	flow->has_vmid = flow->has_ctxid = false;
	ete_flow_set_isa(flow);
	flow->lost_reason = flow->stage = 0;
	flow->lost = flow->atom = 0;
	flow->depth = 0;
	flow->n_ahead = flow->at = 0;
}

int ete_flow_open(struct cairn *cairn, const struct cairn_ete_config *cfg, struct ete_code *code,
                  unsigned transactions, const void *data, size_t n, uint64_t base,
                  struct cairn_ete_flow **out)
{
	struct cairn_ete_elements_opts opts = {.size = sizeof opts,
	                                       .transactions = (uint8_t)transactions};
	struct cairn_ete_flow *flow = base_alloc(cairn, sizeof *flow);
	*out = flow;
	if (!flow)
		return CAIRN_E_NOMEM;
	flow->cairn = cairn;
	flow->code = code ? code : &flow->own;
	flow->m_profile = cfg->profile == 'M';
	flow->stacked = ete_stacked(cfg);
	flow_open_start(flow);
	int rc = cairn_ete_elements_open(cairn, cfg, &opts, data, n, base, &flow->in);
	if (rc < 0) {
		cairn_ete_flow_close(flow);
		*out = NULL;
	}
	return rc;
}

int cairn_ete_flow_open(struct cairn *cairn, const struct cairn_ete_config *cfg,
                        const struct cairn_ete_flow_opts *opts, const void *data, size_t n,
                        uint64_t base, struct cairn_ete_flow **out)
{
	struct cairn_ete_flow_opts own = {0};
	*out = NULL;
	int rc = base_options(cairn, &own, sizeof own, opts, "flow options");
	if (rc >= 0)
		rc = ete_flow_open(cairn, cfg, NULL, own.transactions, data, n, base, out);
	if (rc >= 0)
		ete_code_init(&(*out)->own, cairn, own.image, level_of(cfg), ete_also_p0(cfg));
	return rc;
}

void cairn_ete_flow_close(struct cairn_ete_flow *flow)
{
	if (!flow)
		return;
	cairn_ete_elements_close(flow->in);
	ete_code_free(&flow->own);
	base_free(flow->cairn, flow);
}

/* ---- places ---- */

/* Do address and context come before anything has to be followed? Reads on. */
static int self_contained(struct cairn_ete_elements *in)
{
	bool addr = false, ctxt = false;
	struct cairn_ete_element element;
	int rc;
	while ((rc = cairn_ete_elements_next(in, &element)) > 0 && !(addr && ctxt)) {
		addr = addr || element.kind == CAIRN_ETE_ADDRESS;
		ctxt = ctxt || element.kind == CAIRN_ETE_CONTEXT;
		if (element.kind >= CAIRN_ETE_ATOMS && element.kind < CAIRN_ETE_ADDRESS)
			break;
		if (element.kind == CAIRN_ETE_NO_SYNC && element.number != CAIRN_ETE_AT_START)
			break;
	}
	return rc < 0 ? rc : addr && ctxt;
}

/* Look with a decoder of its own, beginning where the flow stands (which has read ahead). So if
 * nothing is found, the flow goes on as if it had not been asked. */
static int sync_with(struct cairn_ete_flow *flow, int (*go_on)(struct cairn_ete_elements *))
{
	struct cairn_ete_elements *scout;
	uint64_t place = cairn_ete_flow_tell(flow);
	int rc = cairn_ete_elements_open(flow->cairn, &flow->in->cfg, NULL, flow->in->data, flow->in->n,
	                                 flow->in->base, &scout);
	if (rc < 0)
		return rc;
	rc = cairn_ete_elements_sync_set(scout, place);
	while (rc >= 0 && (rc = go_on(scout)) >= 0) {
		place = cairn_ete_elements_tell(scout);
		rc = self_contained(scout);
		if (rc > 0)
			break;
		if (rc == 0)
			rc = cairn_ete_elements_sync_set(scout,
			                                 place + (go_on == cairn_ete_elements_sync_forward));
	}
	cairn_ete_elements_close(scout);
	return rc < 0 ? rc : cairn_ete_flow_sync_set(flow, place);
}

int cairn_ete_flow_sync_forward(struct cairn_ete_flow *flow)
{
	return sync_with(flow, cairn_ete_elements_sync_forward);
}

int cairn_ete_flow_sync_backward(struct cairn_ete_flow *flow)
{
	return sync_with(flow, cairn_ete_elements_sync_backward);
}

int cairn_ete_flow_sync_set(struct cairn_ete_flow *flow, uint64_t offset)
{
	int rc = cairn_ete_elements_sync_set(flow->in, offset);
	if (rc >= 0)
		flow_open_start(flow);
	return rc;
}

void cairn_ete_flow_limit(struct cairn_ete_flow *flow, uint64_t offset)
{
	cairn_ete_elements_limit(flow->in, offset);
}

uint64_t cairn_ete_flow_tell(const struct cairn_ete_flow *flow)
{
	return flow->at < flow->n_ahead ? flow->ahead[flow->at].offset
	                                : cairn_ete_elements_tell(flow->in);
}
