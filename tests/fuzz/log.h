/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FUZZ_LOG_H
#define FUZZ_LOG_H
/*
 * What is asserted of any bytes read as a log of text: batches keep the model's rules and
 * do not depend on threads, pieces, or a codec; the records side by side are the log;
 * counting agrees with the batches, and finds the same damage; what is read can be
 * written.
 */
#include <stdbool.h>

#include "cairn/cairn.h"
#include "model/model.h"

/* Aborts unless it is so. */
void check(bool ok, const char *what);

struct cairn_reader *log_open(struct cairn *cairn, const struct base_buf *buf, const char *from);

/* What one way of reading tells: the text of all its batches. */
struct log_told {
	struct cairn *cairn;
	struct cairn_reader *reader;
	struct base_buf text;
	uint64_t damage;
};
void log_tell(struct cairn *cairn, const struct base_buf *buf, const char *from, unsigned threads,
              struct log_told *told);
/* Another way tells the same. */
void log_same(struct cairn *cairn, const struct base_buf *buf, const char *from, unsigned threads,
              const struct log_told *first);
void log_records(struct cairn *cairn, const struct base_buf *buf, const char *from,
                 uint64_t damage);
void log_count(struct cairn *cairn, const struct base_buf *buf, const char *from, const char *piece,
               uint64_t damage);
void log_write(struct cairn *cairn, const struct base_buf *buf, const char *from, const char *to);

/* Each pair of bytes is a line of the list, of which a character may become one of
 * `others`: what brings the fuzzer beyond text. Not much more than `most` bytes. */
void log_lines(struct base_buf *buf, const char *const *lines, size_t kinds, const char *others,
               size_t most, const uint8_t *p, size_t n);
/* As a stream. */
void log_pack(struct cairn *cairn, const struct base_buf *raw, struct base_buf *packed);

#endif
