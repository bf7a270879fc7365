/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ETE_SNAPSHOT_H
#define ETE_SNAPSHOT_H
/*
 * A snapshot: a directory that says where trace bytes come from, how they are to be
 * decoded and which program ran (ARM-ECM-0611873 v0.2).
 */
#include "base/base.h"
#include "cairn/ete.h"
#include "cairn/image.h"
#include "isa/arm.h"

enum ete_framing {
	ETE_RAW,          /* the bytes of one trace unit */
	ETE_FRAMES,       /* 16-byte frames, each at a multiple of 16 */
	ETE_FRAMES_SYNC,  /* the same with synchronisation words between and in them */
	ETE_FRAMES_BLOCKS /* and these in a DSTREAM's blocks of 504 bytes, 8 of its own behind each */
};

/* Registers of a trace unit that decide how its bytes are decoded. */
enum ete_reg {
	ETE_TRCCONFIGR,
	ETE_TRCTRACEIDR,
	ETE_TRCIDR0,
	ETE_TRCIDR1,
	ETE_TRCIDR2,
	ETE_TRCIDR8,
	ETE_TRCIDR9,
	ETE_TRCIDR10,
	ETE_TRCIDR11,
	ETE_TRCIDR12,
	ETE_TRCIDR13, /* ETMv4 only */
	ETE_TRCDEVARCH,
	ETE_REGS
};
struct ete_regs {
	uint32_t value[ETE_REGS];
	uint32_t given; /* bits of enum ete_reg */
};
void ete_regs_default(struct ete_regs *regs);
/* "trcidr0" in any case, up to n characters; -1 when there is none. */
int ete_reg_find(const char *name, size_t n);

struct ete_core {
	char *name, *type;
	enum isa_arm_level level;
	char profile; /* 'A', 'R', 'M' */
	struct cairn_image *image;
};

struct ete_unit { /* a trace source */
	char *name, *type;
	struct ete_regs regs;
	int core;          /* index, -1 none */
	bool decoded;      /* ETE or ETMv4; others are not */
	bool unregistered; /* it would be, but registers are missing */
	uint8_t protocol;  /* enum cairn_ete_protocol */
};

struct ete_session { /* a trace buffer */
	char *name;
	char **files; /* paths, one after another */
	unsigned *units;
	size_t n_files, n_units;
	enum ete_framing framing;
};

struct ete_snapshot {
	struct cairn *cairn;
	char *folder; /* with its last '/', or "" */
	char *description;
	struct ete_core *cores;
	struct ete_unit *units;
	struct ete_session *sessions;
	struct ete_note {
		char *text;
		bool lost; /* something is missing; false: it is only worth knowing */
	} * notes;     /* oddities that did not stop reading */
	size_t n_cores, n_units, n_sessions, n_notes;
};

/* Read the snapshot whose snapshot.ini is at `path`. Errors as ete_ini_open. */
int ete_snapshot_open(struct cairn *cairn, const char *path, struct ete_snapshot **out);
void ete_snapshot_free(struct ete_snapshot *snapshot);
/* From a core's type, "Cortex-A53", "ARMv8-A", "ARM-AA64"; the newest if not known. */
enum isa_arm_level ete_core_level(const char *type);
/* 'A', 'R' or 'M'; 'A' if not known. */
char ete_core_profile(const char *type);

#endif
