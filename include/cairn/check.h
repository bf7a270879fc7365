/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAIRN_CHECK_H
#define CAIRN_CHECK_H
/*
 * Judging a trace by its format's specification: rules and findings.
 *
 * A rule has an id, the clause it comes from and a severity; a finding is one
 * place where a trace breaks a rule. An error is what the specification forbids
 * and a consumer may stumble over; a warning what is probably not meant; a note
 * what the specification asks for but practice leaves out or does otherwise.
 */
#include "cairn/base.h"
#include "cairn/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How bad a finding is; see above. */
enum cairn_severity { CAIRN_NOTE = 1, CAIRN_WARNING = 2, CAIRN_ERROR = 3 };

/* A rule of a format. Rules are constants. */
struct cairn_rule {
	const char *id;     /* "stf.header.identifier-first" */
	const char *clause; /* "1.3 STFIdentifierRecord" */
	const char *text;   /* what has to hold, one line */
	uint8_t severity;   /* enum cairn_severity */
};

enum cairn_place { /* which members of a finding's place are known */
	               CAIRN_PLACE_RECORD = 1,
	               CAIRN_PLACE_OFFSET = 2,
	               CAIRN_PLACE_INSN = 4,
	               CAIRN_PLACE_LINE = 8,
	               CAIRN_PLACE_CPU = 16,
	               CAIRN_PLACE_CHUNK = 32,
	               CAIRN_PLACE_XACT = 64 /* `insn` is the number of a transaction */
};

/* One place where a trace breaks a rule. */
struct cairn_finding {
	const struct cairn_rule *rule;
	const char *message; /* a sentence without the place; valid during the call */
	uint64_t record;     /* from 1 */
	uint64_t offset;     /* bytes, after decompression */
	uint64_t insn;       /* instruction or transaction, from 1 */
	uint64_t line;       /* of a text trace, from 1 */
	uint64_t chunk;      /* of a container, from 0 */
	uint32_t cpu;        /* the processor whose part of the trace it is in */
	uint32_t known;      /* enum cairn_place */
	uint32_t part;       /* the file, from 0, of a trace that is in several (cairn_check_part) */
};

/* The most rules a format has. */
enum { CAIRN_MAX_RULES = 256 };

/* What a check found. */
struct cairn_check_result {
	size_t size;                      /* sizeof(struct cairn_check_result) */
	uint64_t errors, warnings, notes; /* findings of each severity */
	const struct cairn_rule *rules;   /* of the trace's format */
	size_t n_rules;
	uint64_t by_rule[CAIRN_MAX_RULES]; /* findings of each of `rules` */
	/* With `execute`: instructions, how many of them the machines do not model, the values that the
	 * trace tells of their effects, and how many of these follow from what it told before. */
	uint64_t executed, not_modelled, values, determined;
};

/* How to check. */
struct cairn_check_opts {
	size_t size;      /* sizeof(struct cairn_check_opts) */
	unsigned threads; /* 0: 1. The result does not depend on it */
	/* Deliver this many findings of each rule, the first ones in trace order; 0: 100.
	 * All are counted. UINT64_MAX: every one (of a rule that could be judged only
	 * after the fact, the first 10000). */
	uint64_t most;
	/* Called for each delivered finding; < 0 ends the check with that status. With a
	 * limit they come sorted by place when the whole trace has been read. */
	int (*finding)(void *user, const struct cairn_finding *finding);
	void *user;
	/* Also execute the instructions (cairn/exec.h), and compare what the trace tells with what
	 * they make: the rules exec.* of any format, which come behind the format's own. */
	int execute;
};

/* Check a trace that is at its beginning, opened with `lenient` so that a wrong header
 * is a finding, too. Damage is a finding. 0 when the check came to its end, whatever it
 * found; CAIRN_E_UNSUPPORTED when the format has no rules (and nothing is executed). */
CAIRN_API int cairn_check(struct cairn_reader *reader, const struct cairn_check_opts *opts,
                          struct cairn_check_result *result);

struct cairn_checking;
/* Check a trace that is in several files, one after another: cairn_check_begin, then
 * cairn_check_part for each file in order, then cairn_check_end. Findings name the part, and the
 * place within it. `result` must stay until the end. Errors: CAIRN_E_INVAL, CAIRN_E_NOMEM. */
CAIRN_API int cairn_check_begin(struct cairn *cairn, const struct cairn_check_opts *opts,
                                struct cairn_check_result *result, struct cairn_checking **out);
/* Check the next file. The first must have a beginning of its own, each later one none
 * (cairn_reader_is_part), and the same format. The reader must stay until the next part or the
 * end. CAIRN_E_INVAL: the part does not continue the trace; the check can still be ended. */
CAIRN_API int cairn_check_part(struct cairn_checking *checking, struct cairn_reader *reader);
/* Complete the result, and free `checking`. NULL is fine. */
CAIRN_API int cairn_check_end(struct cairn_checking *checking);

/* The rules of format `index`, from 0, among those that have rules, how many, and the format's
 * name; at last those of "any" format, for execution. NULL past the last. */
CAIRN_API const struct cairn_rule *cairn_rules(size_t index, const char **format, size_t *n);
/* "error", "warning", "note" */
CAIRN_API const char *cairn_severity_name(enum cairn_severity severity);

#ifdef __cplusplus
}
#endif
#endif
