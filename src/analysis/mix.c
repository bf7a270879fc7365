/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mix: how many instructions a trace holds of each class, mnemonic, function and so on.
 *
 * What an instruction is follows from its encoding, and a program has only a few thousand of
 * those. So parts only count (encoding, context, function), and names, classes and extensions
 * are looked up at the end, once for each key.
 *
 * Who runs is a number: contexts are kept in a map that all parts share, under a lock,
 * and looked up only where the context of a row changes.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/run.h"
#include "isa/isa.h"

enum { MOST_TABLES = 16, MOST_FIELDS = 9, NO_WHO = 0 };

enum field {
	BY_CLASS,
	BY_MNEMONIC,
	BY_EXTENSION,
	BY_SIZE,
	BY_ISA,
	BY_FUNCTION,
	BY_PROCESS,
	BY_PRIVILEGE,
	BY_CPU,
	FIELDS
};

static const struct cairn_column field_columns[FIELDS] = {
	TEXT("class", "cairn's class: int, load, branch and so on"),
	TEXT("mnemonic", "the manual's name"),
	TEXT("extension", "the RISC-V extension"),
	COUNT("size", "bytes of the encoding"),
	TEXT("isa", "the instruction set"),
	TEXT("function", "the symbol that covers the address"),
	TEXT("process", "pid, asid or context id"),
	TEXT("privilege", "the mode"),
	COUNT("cpu", "the processor")};

struct table {
	char name[64];
	uint8_t fields[MOST_FIELDS];
	unsigned n;
};

struct mix {
	struct cairn *cairn;
	const struct cairn_analysis_opts *opts;
	struct table tables[MOST_TABLES];
	unsigned n_tables;
	uint32_t fields; /* bits: asked for by some table */
	pthread_mutex_t lock;
	struct base_map who; /* process, cpu and privilege → nothing; its row number counts */
	enum cairn_isa variants[CAIRN_ISA_LAST + 1]; /* of each set, by the trace's ISA string */
	struct cairn_disasm *disasm[CAIRN_ISA_LAST + 1];
	bool no_disasm;
};

struct part {
	struct base_map counts; /* encoding and who, function → 1 counter */
};

/* ---- keys ---- */

/* 0..31 encoding (class if there is none), 32..36 set, 37..39 size, 40..63 who */
enum { ISA_AT = 32, SIZE_AT = 37, WHO_AT = 40, MOST_WHO = 1 << 24, SIZE_NO_ENC = 7 };

static uint64_t mix_key_of(const struct cairn_insn *in)
{
	uint64_t key = (uint64_t)in->isa << ISA_AT;
	if (in->flags & (CAIRN_INSN_ENC_UNKNOWN | CAIRN_INSN_ENC_BYTES))
		return key | in->cls | (uint64_t)SIZE_NO_ENC << SIZE_AT;
	return key | in->enc | (uint64_t)(in->size < SIZE_NO_ENC ? in->size : 0) << SIZE_AT;
}

enum {
	PROC_PID = 1,
	PROC_ASID,
	PROC_CTXID,
	PROC_AT = 24,
	KNOWS_PRIV = 1 << 26,
	KNOWS_HART = 1 << 27,
	PRIV_AT = 16
};

/* The number of who runs, as far as it matters; < 0 without memory. */
static int64_t who_of(struct mix *mix, const struct cairn_ctx *ctx)
{
	uint64_t id = 0, what = 0;
	if (mix->fields >> BY_PROCESS & 1) {
		bool pid = ctx->known & CAIRN_CTX_PID, asid = ctx->known & CAIRN_CTX_ASID;
		bool ctxid = ctx->known & CAIRN_CTX_CTXID;
		id = pid ? ctx->pid : asid ? ctx->asid : ctxid ? ctx->ctxid : 0;
		what = (uint64_t)(pid ? PROC_PID : asid ? PROC_ASID : ctxid ? PROC_CTXID : 0) << PROC_AT;
	}
	if (mix->fields >> BY_CPU & 1 && ctx->known & CAIRN_CTX_HART)
		what |= KNOWS_HART | ctx->hart;
	if (mix->fields >> BY_PRIVILEGE & 1 && ctx->known & CAIRN_CTX_PRIV)
		what |= KNOWS_PRIV | (uint64_t)ctx->priv << PRIV_AT;
	pthread_mutex_lock(&mix->lock);
	uint64_t *row = base_map_at(&mix->who, id, what);
	int64_t n = row ? (int64_t)base_map_index(&mix->who, row) : CAIRN_E_NOMEM;
	pthread_mutex_unlock(&mix->lock);
	return n < MOST_WHO ? n
	                    : base_fail(mix->cairn, CAIRN_E_LIMIT, "more than %d processes", MOST_WHO);
}

/* ---- counting ---- */

/* Encodings alone, the usual case. */
static int feed_plain(struct part *part, const struct analysis_rows *rows)
{
	for (uint32_t i = rows->from; i < rows->to; i++) {
		if (rows->keep && !rows->keep[i])
			continue;
		uint64_t *count = base_map_at(&part->counts, mix_key_of(&rows->batch->insns[i]), 0);
		if (!count)
			return CAIRN_E_NOMEM;
		++*count;
	}
	return 0;
}

static int mix_feed(void *user, void *part, const struct analysis_rows *rows)
{
	struct mix *mix = user;
	struct part *p = part;
	const uint32_t who_fields = 1u << BY_PROCESS | 1u << BY_PRIVILEGE | 1u << BY_CPU;
	bool functions = mix->fields >> BY_FUNCTION & 1, whose = mix->fields & who_fields;
	if (!functions && !whose)
		return feed_plain(p, rows);
	const struct cairn_symbol *sym = NULL;
	uint64_t who = 0, lo = 1, hi = 0; /* the symbol covers lo … hi */
	uint32_t in_ctx = UINT32_MAX;
	uint32_t ctx = UINT32_MAX;
	for (uint32_t i = rows->from; i < rows->to; i++) {
		const struct cairn_insn *in = &rows->batch->insns[i];
		if (rows->keep && !rows->keep[i])
			continue;
		if (whose && in->ctx != ctx) {
			int64_t n = who_of(mix, &rows->batch->ctxs[in->ctx]);
			if (n < 0)
				return (int)n;
			who = (uint64_t)n;
			ctx = in->ctx;
		}
		if (functions && (in->pc < lo || in->pc > hi || in->ctx != in_ctx)) {
			in_ctx = in->ctx;
			sym =
				in->flags & CAIRN_INSN_PC_UNKNOWN
					? NULL
					: cairn_image_symbol_in(mix->opts->image, &rows->batch->ctxs[in->ctx], in->pc);
			lo = sym ? sym->addr : 1;
			hi = sym ? sym->addr + (sym->size ? sym->size - 1 : 0) : 0;
		}
		uint64_t *count = base_map_at(&p->counts, mix_key_of(in) | who << WHO_AT, (uintptr_t)sym);
		if (!count)
			return CAIRN_E_NOMEM;
		++*count;
	}
	return 0;
}

static int mix_join(void *user, void *sum, void *part)
{
	(void)user;
	return base_map_add(&((struct part *)sum)->counts, &((const struct part *)part)->counts);
}

/* ---- what a key is ---- */

/* The first word of the disassembly. */
static const char *disassembled(struct mix *mix, struct cairn_result *res, enum cairn_isa isa,
                                uint32_t enc, unsigned size)
{
	const char *text;
	if (!mix->disasm[isa] && !mix->no_disasm &&
	    cairn_disasm_new(mix->cairn, isa, mix->opts->isa_string, &mix->disasm[isa]) < 0) {
		mix->no_disasm = true;
		result_note(res, "some mnemonics are not known: %s", cairn_error_text(mix->cairn));
	}
	if (!mix->disasm[isa])
		return NULL;
	size_t n = cairn_disasm_text(mix->disasm[isa], 0, enc, size, &text);
	size_t word = strcspn(text, " ");
	return text[0] == '<' ? NULL : result_text(res, "%.*s", (int)(word < n ? word : n), text);
}

static const char *process(struct cairn_result *res, const uint64_t *who)
{
	static const char *const names[] = {NULL, "pid", "asid", "ctxid"};
	const char *name = names[who[1] >> PROC_AT & 3];
	return name ? result_text(res, "%s %llu", name, (unsigned long long)who[0]) : NULL;
}

static void mix_fill(struct mix *mix, struct cairn_result *res, const uint64_t *key, unsigned field,
                     struct cairn_cell *cell)
{
	unsigned isa = key[0] >> ISA_AT & 31, size = key[0] >> SIZE_AT & 7;
	bool no_enc = size == SIZE_NO_ENC;
	uint32_t enc = (uint32_t)key[0];
	uint64_t who[2] = {0};
	const struct cairn_symbol *sym = (const void *)(uintptr_t)key[1];
	const char *name, *ext;
	struct cairn_op op;
	pthread_mutex_lock(&mix->lock); /* other threads may be adding contexts */
	if (mix->who.n)
		memcpy(who, base_map_row(&mix->who, (size_t)(key[0] >> WHO_AT)), sizeof who);
	pthread_mutex_unlock(&mix->lock);
	enum cairn_isa variant = isa <= CAIRN_ISA_LAST ? mix->variants[isa] : (enum cairn_isa)isa;
	cairn_isa_decode(variant, enc, no_enc ? 0 : size, &op);
	cairn_isa_mnemonic(variant, enc, no_enc ? 0 : size, &name, &ext);
	switch ((enum field)field) {
	case BY_CLASS:
		cell_text(cell, cairn_class_name(no_enc ? (enum cairn_class)enc : op.cls));
		break;
	case BY_MNEMONIC:
		if (!name && !no_enc && op.cls != CAIRN_CLASS_ILLEGAL)
			name = disassembled(mix, res, isa, enc, size);
		cell_text(cell, no_enc                                   ? NULL
		                : op.cls == CAIRN_CLASS_ILLEGAL && !name ? "<illegal>"
		                                                         : name);
		break;
	case BY_EXTENSION:
		cell_text(cell, no_enc ? NULL : ext);
		break;
	case BY_SIZE:
		if (!no_enc && size)
			cell_number(cell, size);
		break;
	case BY_ISA:
		cell_text(cell, cairn_isa_name(isa));
		break;
	case BY_FUNCTION:
		cell_text(cell, sym ? sym->name : NULL);
		break;
	case BY_PROCESS:
		cell_text(cell, process(res, who));
		break;
	case BY_PRIVILEGE:
		cell_text(cell, who[1] & KNOWS_PRIV ? isa_priv_name(who[1] >> PRIV_AT & 0xff) : NULL);
		break;
	default:
		if (who[1] & KNOWS_HART)
			cell_number(cell, who[1] & 0xffff);
	}
}

/* ---- tables ---- */

struct line {
	uint64_t count;
	struct cairn_cell cells[MOST_FIELDS];
	const struct table *table;
};

static int compare_cells(const struct line *left, const struct line *right)
{
	for (unsigned k = 0; k < left->table->n; k++) {
		const struct cairn_cell *x = &left->cells[k], *y = &right->cells[k];
		if (x->known != y->known)
			return (int)y->known - (int)x->known;
		if (!x->known)
			continue;
		bool text = field_columns[left->table->fields[k]].kind == CAIRN_CELL_TEXT;
		int d = text ? strcmp(x->v.text, y->v.text)
		             : (x->v.number > y->v.number) - (x->v.number < y->v.number);
		if (d)
			return d;
	}
	return 0;
}

static int by_cells(const void *a, const void *b)
{
	return compare_cells(a, b);
}

static int mix_by_count(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return compare_cells(x, y);
}

static int mix_put_table(struct mix *mix, const struct table *table, const struct base_map *counts,
                         struct cairn_result *res)
{
	struct cairn_column columns[MOST_FIELDS + 2];
	for (unsigned k = 0; k < table->n; k++)
		columns[k] = field_columns[table->fields[k]];
	columns[table->n] = (struct cairn_column)COUNT("count", "instructions");
	columns[table->n + 1] = (struct cairn_column)REAL("percent", 2, "part of all, in percent");
	struct result_table *out = result_table(res, table->name, columns, table->n + 2);
	if (!result_keeps(res, out))
		return 0;
	struct line *lines = base_alloc(mix->cairn, (counts->n + 1) * sizeof *lines);
	if (!lines)
		return CAIRN_E_NOMEM;
	uint64_t total = 0;
	size_t n = 0;
	for (size_t i = 0; i < counts->n; i++) {
		const uint64_t *row = base_map_row(counts, i);
		lines[i].count = row[2];
		lines[i].table = table;
		total += row[2];
		for (unsigned k = 0; k < table->n; k++)
			mix_fill(mix, res, row, table->fields[k], &lines[i].cells[k]);
	}
	/* What is called the same is one line. */
	qsort(lines, counts->n, sizeof *lines, by_cells);
	for (size_t i = 0; i < counts->n; i++) {
		if (n && !compare_cells(&lines[n - 1], &lines[i]))
			lines[n - 1].count += lines[i].count;
		else
			lines[n++] = lines[i];
	}
	qsort(lines, n, sizeof *lines, mix_by_count);
	for (size_t i = 0; i < n; i++) {
		struct cairn_cell *row = result_row(res, out);
		memcpy(row, lines[i].cells, table->n * sizeof *row);
		cell_number(&row[table->n], lines[i].count);
		cell_share(&row[table->n + 1], lines[i].count, total);
	}
	base_free(mix->cairn, lines);
	return 0;
}

static int mix_report(void *user, void *sum, struct cairn_result *res)
{
	struct mix *mix = user;
	int rc = 0;
	for (unsigned i = 0; i < mix->n_tables && rc >= 0; i++)
		rc = mix_put_table(mix, &mix->tables[i], &((struct part *)sum)->counts, res);
	return rc;
}

/* ---- what is asked for ---- */

static int mix_parse_field(struct mix *mix, struct table *table, const char *word, size_t n)
{
	for (unsigned f = 0; f < FIELDS; f++) {
		if (strlen(field_columns[f].name) != n || strncmp(field_columns[f].name, word, n) != 0)
			continue;
		for (unsigned k = 0; k < table->n; k++)
			if (table->fields[k] == f)
				return base_fail(mix->cairn, CAIRN_E_INVAL, "'%.*s' is named twice", (int)n, word);
		if (f == BY_FUNCTION && !mix->opts->image)
			return base_fail(mix->cairn, CAIRN_E_INVAL,
			                 "counting by function needs symbols (--image)");
		table->fields[table->n++] = (uint8_t)f;
		mix->fields |= 1u << f;
		return 0;
	}
	return base_fail(mix->cairn, CAIRN_E_INVAL,
	                 "instructions are counted by class, mnemonic, extension, "
	                 "size, isa, function, process, privilege or cpu, not by '%.*s'",
	                 (int)n, word);
}

static int parse_by(struct mix *mix, const char *by)
{
	while (*(by += strspn(by, " "))) {
		size_t n = strcspn(by, " ");
		struct table *table = &mix->tables[mix->n_tables];
		if (mix->n_tables == MOST_TABLES || n >= sizeof table->name)
			return base_fail(mix->cairn, CAIRN_E_INVAL, "more than %d tables", MOST_TABLES);
		memcpy(table->name, by, n);
		mix->n_tables++;
		for (bool more = true; more; by += more) {
			size_t word = strcspn(by, ", ");
			int rc = mix_parse_field(mix, table, by, word);
			if (rc < 0)
				return rc;
			by += word;
			more = *by == ',';
		}
	}
	return mix->n_tables ? 0 : base_fail(mix->cairn, CAIRN_E_INVAL, "nothing to count by is named");
}

static void mix_done(void *user)
{
	struct mix *mix = user;
	pthread_mutex_destroy(&mix->lock);
	base_map_free(&mix->who);
	for (unsigned i = 0; i <= CAIRN_ISA_LAST; i++)
		cairn_disasm_free(mix->disasm[i]);
	base_free(mix->cairn, mix);
}

int mix_job(struct cairn_reader *reader, const struct cairn_analysis_opts *opts, const char *by,
            struct analysis_job *job)
{
	static const struct analysis_kind kind = {.name = "mix",
	                                          .order = ANALYSIS_COMMUTATIVE,
	                                          .parts = CAIRN_PC | CAIRN_ENC | CAIRN_CLASS |
	                                                   CAIRN_CONTEXT,
	                                          .part = sizeof(struct part),
	                                          .maps = {{offsetof(struct part, counts), 1}},
	                                          .n_maps = 1,
	                                          .feed = mix_feed,
	                                          .join = mix_join,
	                                          .report = mix_report};
	struct mix *mix;
	int rc = analysis_job(reader, opts, &kind, sizeof *mix, mix_done, job);
	if (rc < 0)
		return rc;
	mix = job->user;
	mix->cairn = reader->cairn;
	mix->opts = &job->opts;
	for (unsigned isa = 0; isa <= CAIRN_ISA_LAST; isa++)
		mix->variants[isa] = cairn_isa_of(isa, mix->opts->isa_string);
	base_map_init(&mix->who, reader->cairn, 0);
	pthread_mutex_init(&mix->lock, NULL);
	return parse_by(mix, by ? by : "class mnemonic extension size");
}

int cairn_mix(struct cairn_reader *reader, const struct cairn_analysis_opts *opts, const char *by,
              struct cairn_result **out)
{
	struct analysis_job job;
	return analysis_do(reader, &job, mix_job(reader, opts, by, &job), out);
}
