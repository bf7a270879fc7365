/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXPORT_JSON_H
#define EXPORT_JSON_H
/*
 * A streaming JSON writer into a buffer. It writes commas and brackets; the caller gives a key
 * before each value of an object. The writer keeps its first failure (out of memory, nested too
 * deep): check `status` once at the end.
 */
#include "export/text.h"

struct jout {
	struct base_buf *out;
	int status;
	uint8_t depth;  /* open objects and arrays, at most 63 */
	bool after_key; /* the next value follows its key */
	bool pretty;    /* one member a line, indented: for documents people read */
	uint64_t more;  /* bit d: something stands already at depth d */
};

struct cairn_text { /* see cairn/export.h */
	struct base_buf buf;
	struct jout json;
	uint64_t arrays; /* bit d: what is open at depth d of the document is an array */
};

void jout_init(struct jout *json, struct base_buf *out, bool pretty);

void jout_object(struct jout *json);     /* { */
void jout_object_end(struct jout *json); /* } */
void jout_array(struct jout *json);      /* [ */
void jout_array_end(struct jout *json);  /* ] */
/* End a document: a new line, ready for the next one. */
void jout_end(struct jout *json);

void jout_key(struct jout *json, const char *key, size_t n);
#define JSON_KEY(j, lit) jout_key(j, "" lit, sizeof lit - 1)

/* A member of an object: its key, a literal, and its value by one of the functions below without
 * the first argument: JSON_PUT(json, "pc", hex, pc, 16). */
#define JSON_PUT(json, key, kind, ...) (JSON_KEY(json, key), jout_##kind(json, __VA_ARGS__))

/* Bytes that are not UTF-8 become U+FFFD. NULL is null. */
void jout_text_n(struct jout *json, const char *text, size_t n);
void jout_text(struct jout *json, const char *text);
void jout_u64(struct jout *json, uint64_t value);
/* Nine digits that count; what is no number is null. */
void jout_real(struct jout *json, double value);
/* "0x…" with at least `digits` digits (1 to 16). */
void jout_hex(struct jout *json, uint64_t value, unsigned digits);
/* One number of any width, least significant byte first: "0x…". */
void jout_wide(struct jout *json, const uint8_t *bytes, size_t n);
/* Bytes in the order they lie, without "0x". */
void jout_bytes(struct jout *json, const uint8_t *bytes, size_t n);
void jout_bool(struct jout *json, bool value);
void jout_null(struct jout *json);
/* The same of a value that may be unknown: null then. */
static inline void jout_u64_if(struct jout *json, bool known, uint64_t value)
{
	if (known)
		jout_u64(json, value);
	else
		jout_null(json);
}
static inline void jout_hex_if(struct jout *json, bool known, uint64_t value, unsigned digits)
{
	if (known)
		jout_hex(json, value, digits);
	else
		jout_null(json);
}
/* Something already JSON. */
void jout_raw(struct jout *json, const char *text, size_t n);

#endif
