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
};

struct verb {
	const char *name;
	const char *summary;        /* for the list of verbs */
	const char *usage;          /* what follows "cairn NAME" */
	const char *help;           /* a paragraph or two */
	option_list takes;          /* OPTION_LIST(TAKES(…), …) */
	const char *const *formats; /* that --to names besides tables, the first; NULL: none */
	unsigned ways;              /* enum verb_way */
	const char *input;          /* what an operand is; NULL: "the trace itself" */
	int (*run)(const struct verb *self, struct options *options);
};

#define VERB(group, name) extern const struct verb verb_##name;
#include "verbs.h"
#undef VERB

/* The i-th verb of the table; NULL behind the last. */
const struct verb *verb_at(size_t index);
/* Do what the arguments say, from argv[1]; the exit code. Nothing is left of a run but what it wrote. */
int run_command(int argc, char **argv);

/* A sentence on standard error: "cairn: …". */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Names and texts come from outside: what could harm a terminal or the line becomes '?'. May be
 * called in the handler of a signal. */
void make_printable(char *text);
/* The last error of the context as such a sentence. */
void complain_of(const struct cairn *cairn);
/* A verb's context as its options say: NULL after a sentence. Its end makes an exit code of what the verb comes to:
 * where memory was lacking, the answer cannot be trusted. */
struct cairn *open_context(const struct options *options);
int close_context(struct cairn *cairn, int code);

/* What should be known of a trace. */
void complain_of_notes(const struct options *options, const char *trace,
                       const struct cairn_reader *reader);
/* The same, and its damaged places, and what they come to; their number. */
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
	bool recorded;               /* it is the one that the trace names: for names only */
	struct cairn_select *select; /* everything when nothing was given */
	struct cairn_sink *out;
	struct cairn_text *text; /* what is to be printed (session_print) */
	struct progress *progress;
	bool nothing;     /* the selection begins beyond the end of the trace */
	bool none;        /* nothing was selected, whatever the answer is */
	bool sought;      /* it begins further on: nobody looked at what is before */
	bool told;        /* what was not told has been said (session.c) */
	bool damage_said; /* the damage has been reported; it is read once more */
};

/* Open the trace, the images, the selection, the output; the reader is not yet
 * positioned. 0, or -1 after a sentence. */
int session_open(struct session *session, const struct verb *verb, const struct options *options);
/* Go to where the selection begins, if the reader can know what it needs to know
 * there. `last` is where it ends. May set `nothing`. 0 or a status. */
int session_seek(struct session *session, uint64_t *last);
/* A reader that can go back: another one, so that damage is not told twice. NULL for standard
 * input, which has no other. */
int session_reopen(struct session *session, struct cairn_reader **own);
/* Show a progress bar from now on, if this is the place for one. */
void session_progress(struct session *session, bool streams);
/* Commit or discard the output, tell errors and damage, close everything. `rc` is
 * how the run ended, `answer` the exit code if all went well. */
int session_finish(struct session *session, int rc, int answer);

/* -1 and a sentence when standard input is named twice: it can be read only once. */
int refuse_twice(const struct options *options);
/* Are instructions not known, because no program was given (cairn_reader_lacks_program)? And the
 * sentence about it. */
bool lacks_program(const struct cairn_reader *reader);
void complain_of_program(const char *trace);
/* Nothing was selected, or nothing could be: a sentence, and the exit status. */
int complain_of_nothing(const struct session *session);
/* In a document: the key notes, if anything that decided is not told, or there is `more` to say
 * (else NULL). Where it was printed, it is not said on standard error as well. */
void session_notes(struct session *session, struct cairn_text *text, const char *more);
/* A number, or null. */
void json_number_if(struct cairn_text *text, const char *key, bool known, uint64_t value);
/* Print a text beside every output, if it was made (`rc`), and free it. `rc`, or CAIRN_E_PIPE. */
int print_text(struct cairn_text *text, int rc, FILE *file);
/* Print session->text; `rc` is how its making went: 0 or a status. */
int session_print(struct session *session, int rc);
/* Tell the damage the reader met, if any; `rc` is how the run ended. */
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
/* Tell what was lost and what should be known, if there is an output. */
void making_end(struct making *making, const struct session *session, int rc);

/* ---- matrix.c: convert --matrix. The exit code ---- */
int print_matrix(const struct options *options);

/* --look-back: 0, or -1 after a sentence. */
int option_look_back(const struct options *options, uint64_t *out);
bool option_color(const struct options *options);
/* --image: NULL when none was given. 0 or a status; what is there is the caller's to free. */
int option_image(struct cairn *cairn, const struct options *options, struct cairn_image **out);
/* Is it a program for the machine that the trace is of? CAIRN_E_INVAL with a sentence if not. */
int image_fits(struct cairn *cairn, const struct cairn_image *image, const char *trace,
               struct cairn_reader *reader);
/* The trace's own text for a key, NULL when it has none. */
const char *session_fact(struct session *session, const char *key);

/* ---- state.c: view --state ---- */

int view_state(const struct verb *self, struct options *options);

/* ---- analysis.c: what the analyses share ---- */

/* Run one: open, call `work`, print the tables as the options ask. `work` may make
 * `res` NULL when it has printed to s->out itself. */
typedef int analysis_fn(struct session *session, const struct cairn_analysis_opts *opts,
                        struct cairn_result **res);
int analysis_verb(const struct verb *self, const struct options *options, analysis_fn *work);
/* The format --to asks for, or else the output's name: an index into `names`, whose
 * first is the tables' (the default); the list ends with NULL. -1 after a sentence. */
int analysis_format(const struct options *options, const char *const *names);
/* A cairn_write_fn: `user` is the session. */
int analysis_write(void *user, const void *data, size_t n);
/* The number an option gives, `otherwise` when it was not given; -1 after a sentence. */
int analysis_number(const struct options *options, enum option_id id, uint64_t otherwise,
                    uint64_t *out);

/* ---- inputs.c ---- */

/* -1 and a sentence when the output is anything that the options name as an input. */
int refuse_inputs(const struct verb *verb, const struct options *options);
/* The same for this one, `what` it is. */
int refuse_same(const char *out, const char *in, const char *what);

/* ---- endings.c ---- */

/* What the output's name says of its form becomes --json or --csv. -1 and a sentence when it
 * contradicts the options, or its ending is none that could decide. */
int settle_form(const struct verb *verb, struct options *options);
/* -1 and a sentence when the name of an output is that of a trace, an index or a packed file, but
 * `what` writes something else, named by `writes`. */
int refuse_trace_name(const char *what, const char *writes, const char *out);

/* ---- signals.c ---- */

/* From now on, no signal leaves an unfinished file behind. */
void signals_catch(void);

/* ---- progress.c ---- */

struct progress *progress_start(const struct cairn_reader *reader, const char *path);
void progress_stop(struct progress *progress);

#endif
