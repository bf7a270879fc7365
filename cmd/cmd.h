/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_CMD_H
#define CMD_CMD_H
/*
 * What the verbs share: the table's row, and a session, which is one run over one
 * trace: opened by the options, finished with a report and an exit code.
 */
#include <stdbool.h>
#include <stdio.h>

#include "cairn/cairn.h"
#include "options.h"

enum exit_code { EXIT_FINE = 0, EXIT_NO = 1, EXIT_COULD_NOT = 2 };

enum verb_way {
	VERB_RUNS = 1,          /* its first operand is a program, the others are that one's */
	VERB_MAKES_INDEX = 2,   /* its output may be the trace's index */
	VERB_SHOWS_NAMES = 4,   /* it prints the names of the program */
	VERB_TAKES_RECORDS = 8, /* regions may be records */
	VERB_COMPARES = 16,     /* options of reading are for any of its two traces */
};

struct verb {
	const char *name;
	const char *summary;        /* for the list of verbs */
	const char *usage;          /* what follows "cairn NAME" */
	const char *help;           /* a paragraph or two */
	option_list takes;          /* OPTION_LIST(TAKES(…), …) */
	const char *const *formats; /* forms that --to or an ending may name, the default first */
	unsigned ways;              /* enum verb_way */
	const char *input;          /* what an operand is; NULL: "the trace itself" */
	int (*run)(const struct verb *self, struct options *options);
};

#define VERB(group, name) extern const struct verb verb_##name;
#include "verbs.h"
#undef VERB

/* The i-th verb of the table; NULL behind the last. */
const struct verb *verb_at(size_t index);
/* Do what the arguments say, from argv[1] on; returns the exit code. A run leaves nothing behind
 * but what it wrote. */
int run_command(int argc, char **argv);

/* A sentence on standard error: "cairn: …". */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Names and texts come from outside: replace by '?' what could harm the terminal or break the line.
 * May be called in a signal handler. */
void make_printable(char *text);
/* Print the last error of the context in that form. */
void complain_of(const struct cairn *cairn);
/* Make a verb's context as its options say; NULL after a sentence. Closing it makes an exit code of
 * the verb's result: where memory ran out, the answer cannot be trusted. */
struct cairn *open_context(const struct options *options);
int close_context(struct cairn *cairn, int code);

/* Print the reader's notes on the trace. */
void complain_of_notes(const struct options *options, const char *trace,
                       const struct cairn_reader *reader);
/* The same, then its damaged places and a summary of them; returns their number. */
uint64_t complain_of_damage(const struct options *options, const char *trace,
                            const struct cairn_reader *reader);

/* With -v: how long it took. */
void complain_of_time(const struct options *options, const char *name);

/* ---- a session ---- */

struct progress;

struct session {
	const struct verb *verb;
	const struct options *options;
	const char *trace;
	struct cairn *cairn;
	struct cairn_reader *reader;
	struct cairn_image *image;   /* NULL: none */
	bool recorded;               /* it is the program that the trace names, used for names only */
	struct cairn_select *select; /* everything when nothing was given */
	struct cairn_sink *out;
	struct cairn_text *text; /* what is to be printed (session_print) */
	struct progress *progress;
	bool nothing;     /* the selection begins beyond the end of the trace */
	bool none;        /* nothing was selected, whatever the exit code is */
	bool sought;      /* the reader began further on, and skipped what is before */
	bool told;        /* missing information has been reported (session.c) */
	bool damage_said; /* the damage has been reported; the trace is read a second time */
};

/* Open the trace, the images, the selection, the output; the reader is not yet
 * positioned. 0, or -1 after a sentence. */
int session_open(struct session *session, const struct verb *verb, const struct options *options);
/* Go to where the selection begins, if the reader can know what it needs to know
 * there. `last` is where it ends. May set `nothing`. 0 or a status. */
int session_seek(struct session *session, uint64_t *last);
/* Another reader of the same trace, so that going back does not report damage twice. NULL for
 * standard input, which can be read only once. */
int session_reopen(struct session *session, bool derive, struct cairn_reader **own);
/* Show a progress bar from now on, if standard error is a terminal that can show one. */
void session_progress(struct session *session, bool streams);
/* Commit or discard the output, report errors and damage, close everything. `rc` is how the run
 * ended, `answer` the exit code if all went well. */
int session_finish(struct session *session, int rc, int answer);

/* -1 and a sentence when standard input is named twice: it can be read only once. */
int refuse_twice(const struct options *options);
/* Are instructions unknown because no program was given (cairn_reader_lacks_program)? Then print
 * the sentence about it. */
bool lacks_program(const struct cairn_reader *reader);
void complain_of_program(const char *trace);
/* Say so beside an answer that is of what the trace tells without its program. */
void session_tell_program(const struct session *session, int rc);
/* Say that nothing was selected, or that nothing could be; returns the exit status. */
int complain_of_nothing(const struct session *session);
/* In a JSON document: put the key "notes" if information that decides is missing, or if there is
 * `more` to say (else NULL). What is in the document is not repeated on standard error. */
void session_notes(struct session *session, struct cairn_text *text, const char *more);
/* A number, or null. */
void json_number_if(struct cairn_text *text, const char *key, bool known, uint64_t value);
/* If all went well so far (`rc`), print a text on standard output; free it. Returns `rc`, or
 * CAIRN_E_PIPE. */
int print_text(struct cairn_text *text, int rc, FILE *file);
/* Print session->text; `rc` is 0 or the status with which it was made. */
int session_print(struct session *session, int rc);
/* Report the damage the reader met, if any; `rc` is how the run ended. */
bool session_damage(const struct session *session, int rc);

/* ---- change.c: what the verbs that make a trace share ---- */

/* What the options say of the output; strings live as long as the options. 0, or -1 after a
 * sentence. */
struct making {
	struct cairn_output out;
	struct cairn_changed done;
	char codec[64];
	struct cairn_text *command;
};
int making_start(struct making *making, const struct session *session);
/* Of one trace: open the session, too. */
int making_open(struct making *making, struct session *session, const struct verb *verb,
                const struct options *options);
/* Report what was lost, and notes, if there is an output. */
void making_end(struct making *making, const struct session *session, int rc);

/* ---- matrix.c: convert --matrix. The exit code ---- */
int print_matrix(const struct options *options);

/* --look-back: 0, or -1 after a sentence. */
int option_look_back(const struct options *options, uint64_t *out);
bool option_color(const struct options *options);
/* --image: NULL when none was given. 0 or a status; what is there is the caller's to free. */
int option_image(struct cairn *cairn, const struct options *options, struct cairn_image **out);
/* Is the program for the machine that was traced? CAIRN_E_INVAL with a sentence if not. */
int image_fits(struct cairn *cairn, const struct cairn_image *image, const char *trace,
               struct cairn_reader *reader);
/* May --ete and the like be given of this trace? They say how ETE is read. */
bool says_of_ete(const struct options *options, const struct cairn_reader *reader);
/* The same of a verb's only trace: CAIRN_E_INVAL with a sentence if not. */
int ete_options_fit(struct cairn *cairn, const struct options *options, const char *trace,
                    const struct cairn_reader *reader);
/* The trace's own text for a key, NULL when it has none. */
const char *session_fact(struct session *session, const char *key);

/* ---- state.c: view --state ---- */

int view_state(const struct verb *self, struct options *options);

/* ---- analysis.c: what the analyses share ---- */

/* Run an analysis: open, call `work`, print the tables as the options ask. `work` may set `res` to
 * NULL when it has printed to s->out itself. */
typedef int analysis_fn(struct session *session, const struct cairn_analysis_opts *opts,
                        struct cairn_result **res);
int analysis_verb(const struct verb *self, const struct options *options, analysis_fn *work);
/* The format that --to or else the output's name asks for, as an index into `names`. The list ends
 * with NULL; its first name, the default, is that of the tables. -1 after a sentence. */
int analysis_format(const struct options *options, const char *const *names);
/* A cairn_write_fn: `user` is the session. */
int analysis_write(void *user, const void *data, size_t n);
/* The number an option gives, or `otherwise` when it was not given; -1 after a sentence. */
int analysis_number(const struct options *options, enum option_id id, uint64_t otherwise,
                    uint64_t *out);

/* ---- inputs.c ---- */

/* -1 and a sentence when the output is anything that the options name as an input. */
int refuse_inputs(const struct verb *verb, const struct options *options);
/* The same for one input; `what` names it in the sentence. */
int refuse_same(const char *out, const char *in, const char *what);

/* ---- endings.c ---- */

/* Set --json or --csv by the ending of the output's name. -1 and a sentence when the ending
 * contradicts the options, or when it had to decide and is none we know. */
int settle_form(const struct verb *verb, struct options *options);
/* -1 and a sentence when an output is named like a trace, an index or a packed file, but `what`
 * writes something else, which `writes` names. */
int refuse_trace_name(const char *what, const char *writes, const char *out);

/* ---- signals.c ---- */

/* From now on, a signal that ends the command leaves no unfinished file behind. */
void signals_catch(void);

/* ---- progress.c ---- */

struct progress *progress_start(const struct cairn_reader *reader, const char *path);
void progress_stop(struct progress *progress);

#endif
