/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_CAPTURE_H
#define CAPTURE_CAPTURE_H
/* The stream of a program while QEMU runs it: read only, and only from its beginning. */
#include "formats/capture/stream.h"
#include "isa/memo.h"
#include "model/model.h"

extern const struct model_format capture_format;
extern const struct kit_options capture_options;

enum { CAPTURE_DESTS = 16 };

/* A register that an instruction writes, by its number in the stream. */
struct capture_dest {
	uint8_t num;
	uint8_t bytes; /* 4, 8, 16 */
	uint8_t half;  /* SPARC: a single, the upper (1) or lower (2) half of the double */
	bool codes;    /* SPARC: of FSR the condition codes */
};
struct capture_dests {
	unsigned n;
	struct capture_dest dest[CAPTURE_DESTS];
	bool all;    /* whatever else changes is its result, too */
	bool window; /* SPARC: another window is in force afterwards */
};

/* What an access exchanges with memory, if the encoding says: numbers of the stream, or … */
enum { CAPTURE_NO_REG = 0xff, CAPTURE_ZERO = 0xfe, CAPTURE_ONES = 0xfd };
struct capture_move {
	uint8_t reg; /* takes what is loaded, gives what is stored; of an atomic takes what was there */
	uint8_t data;    /* of an atomic: what is combined with it, or stored instead */
	uint8_t compare; /* … when it equals this */
	uint8_t combine; /* enum isa_arm64_combine, for every set */
	uint8_t half;    /* SPARC: a single, as in capture_dest */
	bool pair;       /* SPARC: the low words of two */
	bool inverted;   /* the complement of `data` is combined */
};

/* ---- moved.c ---- */
void capture_move(const struct cairn_op *op, struct capture_move *move);

/* ---- dests.c ---- */

/* The model's number of a register that controls the machine; CAPTURE_NO_CSR: the set has none of
 * that number. */
enum { CAPTURE_NO_CSR = UINT16_MAX };
uint16_t capture_csr(enum cairn_isa isa, unsigned num);
void capture_dests(const struct cairn_op *op, struct capture_dests *out);
/* The same for registers that change while `all` is false: does the encoding say that it writes
 * them? */
static inline bool capture_is_dest(const struct capture_dests *dests, unsigned num)
{
	for (unsigned i = 0; i < dests->n; i++)
		if (dests->dest[i].num == num)
			return true;
	return false;
}

/* ---- source.c, decoder.c ---- */

struct capture_insn {
	uint64_t pc;
	uint32_t enc, next;
	uint8_t size;
	bool next_known, decoded;
	struct cairn_op op;
	struct capture_dests dests;
	struct capture_move move;
};

struct capture_thread {
	bool seen, follows; /* follows: `pc` is where it goes on */
	bool branch_open;   /* SPARC: the row of the batch whose slot is to come */
	uint32_t branch;
	bool branch_points; /* … and goes to branch_to, by a register */
	uint64_t branch_pc, branch_to, pc;
	uint8_t has[CAPTURE_REGS], pending[CAPTURE_REGS]; /* known; to be told as state */
	bool any_pending;
	uint64_t words[]; /* of values: capture_value */
};

struct capture_impl {
	uint8_t isa, flags, version[3];
	unsigned vector;                  /* bytes of a vector register; 0: not told */
	bool cpu_told, ran;               /* ran: a register or an instruction was told */
	uint8_t missing;                  /* enum capture_missing */
	uint16_t words[CAPTURE_REGS + 1]; /* where each register's words begin in a thread's */
	bool begun, ended, died;          /* died: without an END */
	uint8_t why;                      /* enum capture_end */
	uint32_t lost_accesses;
	uint64_t skipped; /* instructions before recording began */
	uint64_t silent;  /* SVE's, of whose accesses nothing was told */
	char *facts;
	/* read and not yet taken */
	uint8_t *buf;
	size_t pos, len;
	uint64_t at, records; /* of buf[pos]; records before it */
	bool eof;
	int broken; /* how reading ended */
	struct capture_insn *insns;
	uint32_t n_insns;
	size_t cap_insns;
	struct capture_thread *threads[CAPTURE_THREADS];
	unsigned thread;
	uint32_t n_open; /* threads whose branch is open */
	bool several;    /* more than one thread was seen */
	uint64_t n;      /* of the next instruction */
};

/* How many words the value of a register of the stream has. */
static inline unsigned capture_words(const struct capture_impl *im, unsigned num)
{
	return capture_register_words(im->isa == CAIRN_ISA_A64, im->vector, num);
}

static inline uint64_t *capture_value(const struct capture_impl *im, struct capture_thread *thread,
                                      unsigned num)
{
	return thread->words + im->words[num];
}

/* A whole record: where its parts begin. */
struct capture_record {
	const uint8_t *p, *registers, *accesses, *next, *args; /* the last two where its flags say so */
	unsigned n_registers, n_accesses;
};

/* Arrange the words of registers, whose number may depend on `vector`. */
void capture_arrange(struct capture_impl *im);
/* Make sure that the next record is whole in the buffer: its length, 0 at the end, or a status. */
int capture_show(struct cairn_reader *reader, struct capture_record *record);
int capture_decode(struct cairn_reader *reader, struct model_span *span, struct cairn_batch *batch);

#endif
