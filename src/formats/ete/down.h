/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ETE_DOWN_H
#define ETE_DOWN_H
/*
 * Writing ETE: down.c makes the stream, down_folder.c the snapshot around it and the
 * program, which is gathered from the instructions that ran.
 */
#include "cairn/ete_encode.h"
#include "io/io.h"
#include "model/model.h"

extern const struct model_writer_format ete_writer_format;

enum { ETE_PAGE = 4096 };
struct ete_page {
	uint64_t addr;
	uint8_t known[ETE_PAGE / 16]; /* a bit for each two bytes */
	uint8_t bytes[ETE_PAGE];
};

struct ete_down {
	struct cairn *c;
	struct cairn_ete_tracer_opts opts;
	struct cairn_ete_tracer *tracer;
	bool ids_open;      /* nobody has said whether identifiers are told */
	bool same;          /* batches come from ETE */
	bool looked;        /* at the first instruction's set */
	bool any;           /* something ran since the last break */
	/* the row that waits */
	struct cairn_ete_insn row;
	bool held, unsure, target_known;
	uint64_t next;      /* behind it */
	uint64_t where;     /* where execution is behind it, as far as is known */
	uint8_t isa;
	bool ctx_put, hart_known;
	struct cairn_ctx ctx;
	uint16_t hart;
	/* the program */
	struct ete_page **pages; /* a hash table */
	size_t mask, n_pages;
	struct ete_page *last;
	/* the snapshot */
	bool folder;
	char *path, *part;
};

/* Does an output's name ask for a snapshot? */
bool ete_names_snapshot(const char *path);
/* The folder under its .part name, and the sink of the stream in it. */
int ete_folder_open(struct ete_down *d, const char *path, struct io_sink **stream);
/* Write the rest, and give it its name. */
int ete_folder_finish(struct ete_down *d);
void ete_folder_abort(struct ete_down *d);
/* An instruction ran: 0, 1 when others ran there before, CAIRN_E_NOMEM. */
int ete_program_add(struct ete_down *d, uint64_t pc, uint32_t enc, unsigned isa);
void ete_program_free(struct ete_down *d);

#endif
