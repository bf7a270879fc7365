/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXPORT_JSON_H
#define EXPORT_JSON_H
/*
 * A streaming JSON writer into a buffer. Commas and nesting are its business;
 * giving a key before each value of an object is the caller's. Failing (out of
 * memory, nested too deep) sticks: look at `status` once at the end.
 */
#include "export/text.h"

struct json {
	struct base_buf *out;
	int status;
	uint8_t depth;  /* open objects and arrays, at most 63 */
	bool after_key; /* the next value follows its key */
	bool pretty;    /* one member a line, indented: for documents people read */
	uint64_t more;  /* bit d: something stands already at depth d */
};

void json_init(struct json *j, struct base_buf *out, bool pretty);

void json_object(struct json *j);     /* { */
void json_object_end(struct json *j); /* } */
void json_array(struct json *j);      /* [ */
void json_array_end(struct json *j);  /* ] */
/* End a document: a new line, ready for the next one. */
void json_end(struct json *j);

void json_key(struct json *j, const char *key, size_t n);
#define JSON_KEY(j, lit) json_key(j, "" lit, sizeof lit - 1)

/* Bytes that are not UTF-8 become U+FFFD. NULL is null. */
void json_text_n(struct json *j, const char *s, size_t n);
void json_text(struct json *j, const char *s);
void json_u64(struct json *j, uint64_t v);
/* "0x…" with at least `digits` digits (1 to 16). */
void json_hex(struct json *j, uint64_t v, unsigned digits);
/* One number of any width, least significant byte first: "0x…". */
void json_wide(struct json *j, const uint8_t *s, size_t n);
/* Bytes in the order they lie, without "0x". */
void json_bytes(struct json *j, const uint8_t *s, size_t n);
void json_bool(struct json *j, bool v);
void json_null(struct json *j);
/* Something already JSON. */
void json_raw(struct json *j, const char *s, size_t n);

#endif
