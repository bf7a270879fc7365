/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXEC_FLOAT_QUAD_H
#define EXEC_FLOAT_QUAD_H
/*
 * Floating point of 128 bits, IEEE 754's binary128: what float.h has for formats of up to 64.
 * Tininess is detected as the environment says; subnormal numbers are never taken for 0.
 */
#include "exec/float.h"
#include "exec/wide.h"

enum float_class quad_classify(struct wide a);
struct wide quad_default_nan(const struct float_env *env);

struct wide quad_add(struct float_env *env, struct wide a, struct wide b);
struct wide quad_subtract(struct float_env *env, struct wide a, struct wide b);
struct wide quad_multiply(struct float_env *env, struct wide a, struct wide b);
struct wide quad_divide(struct float_env *env, struct wide a, struct wide b);
struct wide quad_square_root(struct float_env *env, struct wide a);

/* To and from a narrower format, and integers of 32 or 64 bits, by the environment's rounding. An
 * integer that has no room becomes the nearest that has, and is invalid, as a NaN is, which becomes
 * `nan`. */
struct wide quad_from_narrow(struct float_env *env, const struct float_format *from, uint64_t a);
uint64_t quad_to_narrow(struct float_env *env, const struct float_format *to, struct wide a);
struct wide quad_from_integer(struct float_env *env, int64_t value);
uint64_t quad_to_integer(struct float_env *env, struct wide a, unsigned bits, uint64_t nan);

/* `signalling`: quiet NaNs are invalid, too. */
enum float_order quad_compare(struct float_env *env, struct wide a, struct wide b, bool signalling);

#endif
