/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAIRN_SELECT_H
#define CAIRN_SELECT_H
/*
 * Selections: which instructions of a trace are meant. A selection is the union
 * of regions, cut with an expression. It judges batches row by row; it also
 * tells the lowest and highest instruction number it can match, so that a
 * reader need not read the rest.
 *
 *   regions      1000..2000  1000..  ..2000  1000+50  r100..r200
 *                @main  @main+0x10  0x80000000-0x80000fff  cpu1  pid42  tid7
 *                a comma intersects: cpu1,@main
 *   expressions  class==load && addr>=0x1000 && !(pc in @main)
 *
 * Regions. Decimal numbers count instructions (transactions in a transaction
 * trace) from 1, with _ between digits and k, M, G for thousands; 0x… are PCs,
 * r… records. cpu (hart), pid, tid, hw_tid, asid, vmid name the context. A row
 * whose context or PC is not known is in no region that asks for it. A region
 * that can match nothing is refused.
 *
 * Expressions. || && ! == != < <= > >= =~ in, and tighter than those & + -; the
 * words or, and, not; parentheses. ! negates the comparison after it.
 *   instruction  n pc enc size isa class target symbol record offset; true or false:
 *                taken executed annulled aborted discarded discontinuity, and every
 *                trait (load store branch call …). taken: it sent control elsewhere; an exception
 *                return does, though it is no branch
 *   context      cpu priv security hw_tid pid tid asid vmid ctxid
 *   memory       addr pa msize mvalue read write: true when it holds for some
 *                access; mem(addr>=0x1000 && write) asks it of one and the same.
 *                Inside also size value kind by unit lane attr
 *   registers    reads(x5) writes(a0, a1); reg(name==a0 && value>5); inside: name
 *                num rclass role value bits lsb
 *   events       event: any exception, interrupt, system call or mode change;
 *                event(exception && code==2); inside: the kinds, kind code etarget
 *                phase text nargs arg0 … arg3
 *   transaction  id delta channel code param size source sink address clock
 *   sets         pc in @main, pc in 0x1000-0x1fff, n in (1..5, 10), class in (load, store)
 *   patterns     class =~ "^fp", symbol =~ "^memcpy$|^memset$": characters, . [a-z]
 *                [^x] * + ? ^ $ and |, without groups and counts
 * Numbers are unsigned and wrap at 64 bits. What is not known satisfies no
 * comparison, not even !=; known(target) asks. Inside mem, reg and event the
 * row's own fields go before the instruction's; these groups do not nest.
 */
#include "cairn/base.h"
#include "cairn/image.h"
#include "cairn/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_select;

/* Make a selection of everything. `image` may be NULL (symbols are then refused with a sentence);
 * it must outlive the selection. NULL when out of memory. */
CAIRN_API struct cairn_select *cairn_select_new(struct cairn *cairn,
                                                const struct cairn_image *image);
/* Free a selection. */
CAIRN_API void cairn_select_free(struct cairn_select *select);
/* Add one region to the union. CAIRN_E_INVAL with a sentence that points at the
 * offending character, CAIRN_E_NOTFOUND for an unknown symbol. */
CAIRN_API int cairn_select_region(struct cairn_select *select, const char *text);
/* Set the expression (once; CAIRN_E_STATE otherwise). A register's name is what the
 * instruction set of each row calls so. Errors as cairn_select_region. */
CAIRN_API int cairn_select_where(struct cairn_select *select, const char *text);
/* 1 if everything is selected, because nothing was added; else 0. */
CAIRN_API int cairn_select_all(const struct cairn_select *select);
/* Bounds by instruction number (1 and UINT64_MAX when open). Only tight when the
 * whole union is bounded by numbers, or the expression by terms like n>=1000. */
CAIRN_API void cairn_select_bounds(const struct cairn_select *select, uint64_t *first,
                                   uint64_t *last);
/* Where numbers alone decide (no expression, no region that asks for more): the i-th of
 * the sorted, disjoint ranges they come to. 1; 0 past the last; CAIRN_E_STATE (without a
 * sentence) when more than numbers decides. */
CAIRN_API int cairn_select_numbers(const struct cairn_select *select, size_t index, uint64_t *first,
                                   uint64_t *last);
/* Do the regions or the expression look at contexts (cpu, pid, …)? Then a reader
 * must not jump, for a context holds from where it was set. */
CAIRN_API int cairn_select_needs_context(const struct cairn_select *select);
/* Do they name records (r100..r200, or the fields record and offset)? */
CAIRN_API int cairn_select_needs_records(const struct cairn_select *select);
/* Are all regions records (r100..r200), and is there no expression? That is all that can
 * be asked of a trace without instructions. */
CAIRN_API int cairn_select_only_records(const struct cairn_select *select);
/* The parts of a batch it looks at (enum cairn_part). */
CAIRN_API uint32_t cairn_select_parts(const struct cairn_select *select);
/* Judge a batch: sets keep[i] to 1 or 0 for rows 0 … n_insns-1 (n_xacts-1 in a
 * batch of transactions). Returns how many are kept. Thread-safe. */
CAIRN_API uint32_t cairn_select_batch(const struct cairn_select *select,
                                      const struct cairn_batch *batch, uint8_t *keep);
/* Sentence `index`, from 0, about something that the selection asks for and that the trace does not
 * hold for the instructions judged so far ("the trace tells no privilege modes here, …"), so that
 * nothing follows from the answer. 1; 0 past the last. `text` has at least 160 bytes. */
CAIRN_API int cairn_select_note(const struct cairn_select *select, size_t index, char *text,
                                size_t size);
/* Can records be judged alone: do the regions ask for numbers only (of instructions or
 * records), and is there no expression? */
CAIRN_API int cairn_select_records_ok(const struct cairn_select *select);
/* Judge a record by its number and instruction: 1 or 0. Regions that ask for more
 * (PC, symbol, context) match none, and the expression is not looked at. */
CAIRN_API int cairn_select_record(const struct cairn_select *select,
                                  const struct cairn_record *rec);

/* Let the next cairn_run end behind the last instruction or record that the regions can name. */
CAIRN_API void cairn_select_bound(const struct cairn_select *select, struct cairn_reader *reader);
/* When nothing was selected: find out whether the trace breaks off before the selection begins.
 * Reads what a seek to the beginning of the selection has skipped, if the trace has nothing from
 * there on, so that the reader counts the damage in it (cairn_damage_count), each place once.
 * `beyond`: the seek has failed with CAIRN_E_NOTFOUND. Of an input that can be read only once the
 * reader has counted already. Afterwards nothing is left to be read. Errors: those of cairn_seek
 * and cairn_run. */
CAIRN_API int cairn_select_look_before(const struct cairn_select *select,
                                       struct cairn_reader *reader, int beyond, unsigned threads);

/* Read a number as regions have them: decimal, _ between digits, k, M or G for thousands. 0, or
 * CAIRN_E_INVAL (without a sentence) when the `n` bytes are none. */
CAIRN_API int cairn_number(const char *text, size_t n, uint64_t *out);
/* Bytes of memory as a text: 0x80001000, 0x80001000+8, 0x80001000-0x80001007, or @symbol,
 * its whole extent, when there is an image. CAIRN_E_INVAL, CAIRN_E_NOTFOUND. */
CAIRN_API int cairn_addresses(struct cairn *cairn, const char *text,
                              const struct cairn_image *image, uint64_t *first, uint64_t *last);

#ifdef __cplusplus
}
#endif
#endif
