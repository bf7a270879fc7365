/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One full decode by OpenCSD through its C interface: ranges are counted, nothing else is
 * done with them.
 */
#include <stdio.h>

#include "opencsd.h"

#ifdef HAVE_OPENCSD

#include <opencsd/c_api/opencsd_c_api.h>

struct sums {
	uint64_t insns, ranges;
};

static ocsd_datapath_resp_t count(const void *context, const ocsd_trc_index_t index,
                                  const uint8_t id, const ocsd_generic_trace_elem *elem)
{
	struct sums *s = (struct sums *)(uintptr_t)context;
	(void)index;
	(void)id;
	if (elem->elem_type == OCSD_GEN_TRC_ELEM_INSTR_RANGE) {
		s->insns += elem->num_instr_range;
		s->ranges++;
	}
	return OCSD_RESP_CONT;
}

int bench_opencsd(const uint8_t *trace, size_t n, uint64_t base, const uint8_t *code, size_t n_code,
                  uint64_t *insns, uint64_t *ranges)
{
	ocsd_ete_cfg cfg = {.reg_idr1 = 0x4100f403,
	                    .reg_devarch = 0x47705a13,
	                    .reg_traceidr = 0x10,
	                    .arch_ver = ARCH_AA64,
	                    .core_prof = profile_CortexA};
	struct sums s = {0};
	unsigned char id = 0;
	int rc = -1;
	dcd_tree_handle_t tree = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
	if (!tree)
		goto out;
	if (ocsd_dt_create_decoder(tree, OCSD_BUILTIN_DCD_ETE, OCSD_CREATE_FLG_FULL_DECODER, &cfg,
	                           &id) ||
	    ocsd_dt_set_gen_elem_outfn(tree, count, &s) ||
	    ocsd_dt_add_buffer_mem_acc(tree, base, OCSD_MEM_SPACE_ANY, code, (uint32_t)n_code))
		goto out;
	for (size_t at = 0; at < n;) {
		uint32_t used = 0, some = n - at > 1 << 16 ? 1 << 16 : (uint32_t)(n - at);
		if (OCSD_DATA_RESP_IS_FATAL(ocsd_dt_process_data(tree, OCSD_OP_DATA, (ocsd_trc_index_t)at,
		                                                 some, trace + at, &used)) ||
		    !used)
			goto out;
		at += used;
	}
	rc =
		OCSD_DATA_RESP_IS_FATAL(ocsd_dt_process_data(tree, OCSD_OP_EOT, 0, 0, NULL, NULL)) ? -1 : 0;
out:
	if (rc < 0)
		fprintf(stderr, "bench: OpenCSD does not decode the trace\n");
	if (tree)
		ocsd_destroy_dcd_tree(tree);
	*insns = s.insns;
	*ranges = s.ranges;
	return rc;
}

#else

int bench_opencsd(const uint8_t *trace, size_t n, uint64_t base, const uint8_t *code, size_t n_code,
                  uint64_t *insns, uint64_t *ranges)
{
	(void)trace, (void)n, (void)base, (void)code, (void)n_code;
	*insns = *ranges = 0;
	return -1;
}

#endif
