/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The registers of a trace unit against each other. Only registers that were given count:
 * a raw dump often comes without any.
 */
#include "formats/ete/check/rules.h"

/* A switch of TRCCONFIGR and the field of an identification register that says whether
 * there is anything to switch. */
static const struct {
	const char *what, *needs;
	uint8_t bit, width;
	uint8_t reg, at, bits;
} switches[] = {
	{"BB", "TRCIDR0.TRCBB", 3, 1, ETE_TRCIDR0, 5, 1},
	{"CCI", "TRCIDR0.TRCCCI", 4, 1, ETE_TRCIDR0, 7, 1},
	{"CID", "TRCIDR2.CIDSIZE", 6, 1, ETE_TRCIDR2, 5, 5},
	{"VMID", "TRCIDR2.VMIDSIZE", 7, 1, ETE_TRCIDR2, 10, 5},
	{"TS", "TRCIDR0.TSSIZE", 11, 1, ETE_TRCIDR0, 24, 5},
	{"RS", "TRCIDR0.RETSTACK", 12, 1, ETE_TRCIDR0, 9, 1},
	{"QE", "TRCIDR0.QSUPP", 13, 2, ETE_TRCIDR0, 15, 2},
};

static void features(const struct ete_found *found)
{
	const struct cairn_ete_config *cfg = &found->program->cfg;
	const struct check_place nowhere = {.part = found->part->part};
	for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
		uint32_t id = switches[i].reg == ETE_TRCIDR0 ? cfg->idr0 : cfg->idr2;
		if (!ete_given(found, (enum ete_reg)switches[i].reg) ||
		    !(cfg->configr >> switches[i].bit & ((1u << switches[i].width) - 1)))
			continue;
		if (!(id >> switches[i].at & ((1u << switches[i].bits) - 1)))
			ete_finding(found, ETE_RULE_CONFIG_FEATURE, &nowhere,
			            "TRCCONFIGR.%s is set, but %s is 0", switches[i].what, switches[i].needs);
	}
	if ((cfg->configr >> 13 & 3) == 2)
		ete_finding(found, ETE_RULE_CONFIG_FEATURE, &nowhere,
		            "TRCCONFIGR.QE has the reserved value 2");
}

void ete_rules_config(const struct ete_found *found)
{
	const struct cairn_ete_config *cfg = &found->program->cfg;
	const struct check_place nowhere = {.part = found->part->part};
	unsigned version = cairn_ete_version(cfg);
	if (ete_given(found, ETE_TRCCONFIGR))
		features(found);
	if (!cairn_ete_is_ete(cfg))
		return;
	if (version > 0x13)
		ete_finding(found, ETE_RULE_CONFIG_VERSION, &nowhere,
		            "version 1.%u is newer than what is known, 1.3", version & 15);
	if (version == 0x10 && ete_given(found, ETE_TRCIDR0) && (cfg->idr0 >> 23 & 1))
		ete_finding(found, ETE_RULE_CONFIG_VERSION, &nowhere,
		            "TRCIDR0.TSMARK is set, but Timestamp Markers come with version 1.1 (RMCSGX)");
	if (ete_given(found, ETE_TRCIDR0) && ete_given(found, ETE_TRCIDR8) && !cfg->idr8 &&
	    (cfg->idr0 >> 30 & 1))
		ete_finding(found, ETE_RULE_CONFIG_TRANSACTIONS, &nowhere,
		            "TRCIDR8.MAXSPEC is 0, but TRCIDR0.COMMTRANS says that a Transaction Start "
		            "is no P0 element");
}
