/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ETE elements: speculation against the obvious model, parts against the whole, and the
 * rules of D4.3 by name.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../ete/generate.h"
#include "../ete/model.h"
#include "cairn/cairn.h"

static struct cairn *c;

static int setup(void **state)
{
	(void)state;
	c = cairn_new(NULL);
	return c ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	cairn_free(c);
	return 0;
}

struct list {
	struct cairn_ete_element *element;
	size_t n, room;
};

/* Append what a decoder gives from where it stands. */
static void read_all(struct cairn_ete_elements *elements, struct list *list)
{
	for (int64_t got = 1; got > 0; list->n += (size_t)got) {
		if (list->n + 100 > list->room)
			list->element =
				realloc(list->element, (list->room = list->room * 2 + 200) * sizeof *list->element);
		got = cairn_ete_elements_fill(elements, list->element + list->n, 100);
		assert_true(got >= 0);
	}
}

static struct list decode(const struct cairn_ete_config *cfg, int keep, const void *bytes, size_t n)
{
	const struct cairn_ete_elements_opts opts = {sizeof opts, (uint8_t)keep};
	struct cairn_ete_elements *elements;
	struct list list = {0};
	assert_int_equal(cairn_ete_elements_open(c, cfg, &opts, bytes, n, 0, &elements), 0);
	read_all(elements, &list);
	cairn_ete_elements_close(elements);
	return list;
}

static void print(const char *who, const struct cairn_ete_element *element)
{
	struct cairn_field field[CAIRN_MAX_FIELDS];
	char text[64];
	int n = cairn_ete_element_fields(element, field, text);
	print_error("%s: byte %llu %s flags %x isa %u", who, (unsigned long long)element->offset,
	            cairn_ete_element_name(element->kind), element->flags, element->isa);
	for (int i = 0; i < n; i++)
		print_error(" %s=%llx", field[i].name, (unsigned long long)field[i].value);
	print_error("\n");
}

static void same(const char *what, uint64_t seed, const struct cairn_ete_element *left, size_t n,
                 const struct cairn_ete_element *right, size_t m)
{
	for (size_t i = 0; i < n && i < m; i++)
		if (memcmp(&left[i], &right[i], sizeof left[i])) {
			for (size_t k = i > 3 ? i - 3 : 0; k < i; k++)
				print("both", &left[k]);
			print("a", &left[i]);
			print("b", &right[i]);
			fail_msg("%s, seed %llu: element %zu", what, (unsigned long long)seed, i);
		}
	if (n != m)
		fail_msg("%s, seed %llu: %zu elements and %zu", what, (unsigned long long)seed, n, m);
}

/* ---- against the model ---- */

static void the_model_agrees(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 600; i++) {
		struct cairn_ete_config cfg;
		struct cairn_ete_element *flat, *model;
		struct ete_sample sample;
		uint64_t seed = i;
		size_t n, m;
		struct list list;
		ete_some_config((unsigned)i, &seed, &cfg);
		ete_generate(c, &cfg, i, 300, 0, &sample);
		for (int keep = 0; keep < 2; keep++) {
			list = decode(&cfg, keep, sample.bytes, sample.n);
			flat = calloc(list.n * 24 + 1, sizeof *flat);
			n = ete_flatten(list.element, list.n, flat);
			m = ete_model(&cfg, keep, sample.packets, sample.n_packets, sample.n, &model);
			same("decoder and model", i, flat, n, model, m);
			free(flat);
			free(model);
			free(list.element);
		}
		ete_sample_free(&sample);
	}
}

/* ---- parts ---- */

static size_t parts(const struct cairn_ete_config *cfg, uint64_t seed, const uint8_t *bytes,
                    size_t n, unsigned percent)
{
	struct list whole = decode(cfg, CAIRN_ETE_KEEP, bytes, n), put = {0};
	const struct cairn_ete_elements_opts opts = {sizeof opts, CAIRN_ETE_KEEP};
	uint64_t *at = malloc((n / 12 + 2) * sizeof *at), first = seed;
	size_t places = 0;
	struct cairn_ete_elements *elements;
	assert_int_equal(cairn_ete_elements_open(c, cfg, &opts, bytes, n, 0, &elements), 0);
	at[places++] = 0;
	for (uint64_t from = 1; from < n; from = cairn_ete_elements_tell(elements) + 1) {
		uint64_t to;
		assert_int_equal(cairn_ete_elements_sync_set(elements, from), 0);
		if (cairn_ete_elements_sync_forward(elements) < 0)
			break;
		to = cairn_ete_elements_tell(elements);
		assert_true(to >= from);
		if (ete_random(&seed) % 100 < percent)
			at[places++] = to;
	}
	for (size_t i = 0; i < places; i++) {
		assert_int_equal(cairn_ete_elements_sync_set(elements, at[i]), 0);
		cairn_ete_elements_limit(elements, i + 1 < places ? at[i + 1] : UINT64_MAX);
		read_all(elements, &put);
	}
	same("whole and parts", first, whole.element, whole.n, put.element, put.n);
	cairn_ete_elements_close(elements);
	free(whole.element);
	free(put.element);
	free(at);
	return places - 1;
}

static void parts_give_what_the_whole_gives(void **state)
{
	size_t cuts = 0;
	(void)state;
	for (uint64_t i = 0; i < 300; i++) {
		struct cairn_ete_config cfg;
		struct ete_sample sample;
		uint64_t seed = i;
		ete_some_config((unsigned)i, &seed, &cfg);
		ete_generate(c, &cfg, i + 1000, 1000, 0, &sample);
		cuts += parts(&cfg, i, sample.bytes, sample.n, 100);
		cuts += parts(&cfg, i, sample.bytes, sample.n, 40);
		ete_sample_free(&sample);
	}
	assert_true(cuts > 2000);
}

/* The same for streams that are damaged: what is lost is lost alike. */
static void parts_of_damaged_streams_do_too(void **state)
{
	size_t cuts = 0;
	(void)state;
	for (uint64_t i = 0; i < 1500; i++) {
		struct cairn_ete_config cfg;
		struct ete_sample sample;
		uint64_t seed = i;
		ete_some_config((unsigned)i, &seed, &cfg);
		ete_generate(c, &cfg, i + 5000, 600, 1, &sample);
		cuts += parts(&cfg, i, sample.bytes, sample.n, 100);
		ete_sample_free(&sample);
	}
	assert_true(cuts > 5000);
}

/* Questions that stay open beyond the window: padding is put between the packets. */
static void parts_give_up_the_same(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 40; i++) {
		struct cairn_ete_config cfg;
		struct ete_sample sample;
		uint64_t seed = i;
		uint8_t *long_one;
		size_t n = 0, from = 0;
		ete_some_config((unsigned)(i * 4 + i % 3), &seed, &cfg);
		if (i % 2)
			cfg.idr8 = 100;
		ete_generate(c, &cfg, i + 9000, 400, i % 5 == 0, &sample);
		long_one = malloc(sample.n + 4 * CAIRN_ETE_WINDOW);
		for (unsigned k = 1; k <= 3; k++) {
			size_t to = (size_t)sample.packets[sample.n_packets * k / 4].offset;
			size_t pad = CAIRN_ETE_WINDOW - 1000 + ete_random(&seed) % 3000;
			memcpy(long_one + n, sample.bytes + from, to - from);
			memset(long_one + n + to - from, 0x70, pad);
			n += to - from + pad;
			from = to;
		}
		memcpy(long_one + n, sample.bytes + from, sample.n - from);
		parts(&cfg, i, long_one, n + sample.n - from, 100);
		free(long_one);
		ete_sample_free(&sample);
	}
}

/* ---- by rule: a stream in hexadecimal, elements in words ---- */

static const char begin[] = "000000000000000000000080 0100 04 820000000031";

static size_t hex(const char *text, uint8_t *out)
{
	size_t n = 0;
	unsigned v;
	for (; *text; text += *text == ' ' ? 1 : 2)
		if (*text != ' ') {
			assert_int_equal(sscanf(text, "%2x", &v), 1);
			out[n++] = (uint8_t)v;
		}
	return n;
}

/* Short words: "E" and "N" atoms, "@address", kinds, with what they tell. */
static void words(const struct cairn_ete_element *element, char *text, size_t room)
{
	size_t n = strlen(text);
	text += n;
	room -= n;
	if (n)
		*text++ = ' ', room--;
	*text = 0;
	switch (element->kind) {
	case CAIRN_ETE_ATOMS:
		for (unsigned i = 0; i < element->n_atoms; i++)
			*text++ = element->atoms >> i & 1 ? 'E' : 'N';
		*text = 0;
		break;
	case CAIRN_ETE_ADDRESS:
		snprintf(text, room, "@%llx", (unsigned long long)element->address);
		break;
	case CAIRN_ETE_CONTEXT:
		snprintf(text, room, "EL%u", element->el);
		break;
	case CAIRN_ETE_EXCEPTION:
	case CAIRN_ETE_SOURCE:
	case CAIRN_ETE_Q:
		snprintf(text, room, "%s%u%s%llx",
		         element->kind == CAIRN_ETE_Q        ? "q"
		         : element->kind == CAIRN_ETE_SOURCE ? "src"
		                                             : "exc",
		         element->kind == CAIRN_ETE_Q ? element->count : element->number,
		         element->flags & CAIRN_ETE_HAS_ADDRESS ? "@" : "?",
		         (unsigned long long)element->address);
		break;
	case CAIRN_ETE_CYCLES:
		snprintf(text, room, element->flags & CAIRN_ETE_UNKNOWN ? "cc?" : "cc%u", element->cycles);
		break;
	case CAIRN_ETE_TIMESTAMP:
	case CAIRN_ETE_MARKER:
		snprintf(text, room,
		         element->flags & CAIRN_ETE_IGNORED   ? "%s-"
		         : element->flags & CAIRN_ETE_UNKNOWN ? "%s?"
		                                              : "%s%llu",
		         element->kind == CAIRN_ETE_MARKER ? "mark" : "time",
		         (unsigned long long)element->value);
		break;
	case CAIRN_ETE_EVENT:
		snprintf(text, room, "ev%u", element->number);
		break;
	case CAIRN_ETE_NO_SYNC:
		snprintf(text, room, "gap%u", element->number);
		if (element->count)
			snprintf(text + strlen(text), room - strlen(text), "-%u", element->count);
		break;
	default:
		snprintf(text, room, "%s", cairn_ete_element_name(element->kind));
		if (element->kind != CAIRN_ETE_TRACE_INFO && element->count)
			snprintf(text + strlen(text), room - strlen(text), "-%u", element->count);
		if (element->kind == CAIRN_ETE_TRACE_ON && element->number)
			snprintf(text + strlen(text), room - strlen(text), "=%u", element->number);
		break;
	}
	text += strlen(text);
	snprintf(text, 8, "%s%s", element->flags & CAIRN_ETE_DISCARDED ? "!" : "",
	         element->flags & CAIRN_ETE_OUTCOME_UNKNOWN ? "?" : "");
}

static struct cairn_ete_config spec(unsigned maxspec)
{
	struct cairn_ete_config cfg;
	cairn_ete_config_init(&cfg);
	cfg.devarch = 0x47735a13;
	cfg.idr8 = maxspec;
	cfg.idr0 = 0x80 | 1u << 15;
	return cfg;
}

/* What follows the beginning of a stream, up to its END, in words. */
static void expect_with(const struct cairn_ete_config *cfg, int keep, const char *stream,
                        const char *words_expected)
{
	uint8_t bytes[1000];
	char got[2000] = "";
	size_t n = hex(begin, bytes);
	struct list list;
	n += hex(stream, bytes + n);
	list = decode(cfg, keep, bytes, n);
	assert_true(list.n > 5);
	for (size_t i = 5; i < list.n; i++)
		words(&list.element[i], got, sizeof got - 200);
	if (strcmp(got, words_expected))
		fail_msg("%s:\n%s\nis not\n%s", stream, got, words_expected);
	free(list.element);
}

static void expect(unsigned maxspec, const char *stream, const char *words_expected)
{
	struct cairn_ete_config cfg = spec(maxspec);
	expect_with(&cfg, 0, stream, words_expected);
}

static void commits_are_of_the_oldest(void **state) /* IKQQML, RPNBGQ */
{
	(void)state;
	expect(8, "fd 2d02 f6 2d02", "EN E N END");
	expect(8, "fd", "END-3");
	expect(2, "fd f7", "E N END-2"); /* IXLHWT: more than MAXSPEC cannot be open */
	expect(0, "fd f7", "ENE E END");
	expect(8, "fd 2d04 f7", "gap4-3 END");
}

static void cancels_are_of_the_youngest(void **state) /* IMRGLC, RWLTNX, INDQKN */
{
	(void)state;
	expect(8, "fd 2e02 2d01", "E END");
	expect(8, "fd 2e01 2e01 2d01", "E END");
	expect(8, "f7 9501 f6 9502 2e01 2d01", "E @4 END"); /* what hangs on it goes, too */
	expect(8, "f7 9501 f6 9502 2e02 9503", "@c END");
	expect(8, "f7 0605 9501 2e01 9502 2d01", "E @8 END"); /* all types of P0 element */
	expect(8, "f7 b410 a510 01 060170 0a 2e04 2d01", "E END");
	expect(8, "f7 2e02", "gap5-1 END");
}

static void a_mispredict_corrects_the_youngest_atom(void **state) /* IGBKKQ, IRGVGL */
{
	(void)state;
	expect(8, "fd 30 2d03", "ENN END");
	expect(8, "fd 31 2d04", "ENE N END");
	expect(8, "fd 34 2d02", "EE END");
	expect(8, "fd 39 2d02", "EE END");
	expect(8, "fd 2f01 2d02", "EE END");
	expect(8, "f7 0605 9501 30 2d02", "N exc2@4 END");
	expect(8, "f7 9501 30 9502 2d01", "N @8 END"); /* the target it had is none */
	expect(0, "31", "N END");
}

static void what_is_not_speculative_stays(void **state) /* RCJRNL, RNHJLQ, RDCRVK, RSMLVB */
{
	(void)state;
	struct cairn_ete_config cfg = spec(8);
	expect(8, "f7 72 09010100000000000000 0f00 0205 88 2e01 74",
	       "ev2 INSTRUMENTATION cc? "
	       "time5 mark- ev4 END");
	expect(8, "f7 72 09010100000000000000 0f00 0205 88 0003",
	       "ev2 INSTRUMENTATION cc? time5 "
	       "mark- DISCARD-1 END");
	expect(8, "f7 72 88 0005 78", "ev2 mark- OVERFLOW-1 ev8 END");
	expect(8, "f7 72 88 0205", "ev2 mark5 time5 END-1");
	cfg.idr0 |= 1u << 30;
	expect_with(&cfg, 0, "f7 72 0a 2e01", "ev2 END");
}

static void a_canceled_trace_info_takes_along_what_follows(void **state) /* IYZPCB, RKGPTB */
{
	(void)state;
	expect(8, "f7 9501 f6 000000000000000000000080 010402 820500000031 f7 2e02 9506 2d01",
	       "E @4 @18 END");
	/* INSWTK: all after it, none before */
	expect(8, "f7 000000000000000000000080 010401 820500000031 f7 2e01 820600000031 2d01",
	       "E TRACE_INFO EL1 @14 EL1 @18 END");
}

static void exceptions_have_their_address(void **state) /* RSFYMW, D4.3.5.2 */
{
	(void)state;
	expect(0, "0605 9502 f7", "exc2@8 E END");
	expect(0, "0605 8132 9502 f7", "EL2 exc2@8 E END");
	expect(0, "0605 820200000032 f7", "EL2 exc2@8 E END");
	expect(0, "0605 71 9502", "exc2@8 ev1 END");
	expect(0, "0644 9502", "exc2@8 END");
	expect(8, "0605 2d01 9502", "exc2@8 END"); /* resolved first */
	expect(8, "0605 2d01 8132 9502", "EL2 exc2@8 END");
	expect(8, "0605 2e01 9502 f7 2d01", "@8 E END");
	expect(8, "f7 0605 8132 9502 f7 2e02 2d01", "E END"); /* its context is canceled with it */
	expect(8, "0605 8132 9502", "END-1");
	expect(0, "0605 f7", "exc2?0 gap6 END"); /* it is missing */
	expect(8, "f7 0605 f7", "gap6-2 END");
	expect(0, "0605 000000000000000000000080 0100 820200000032 f7",
	       "exc2?0 TRACE_INFO EL2 @8 E END");
	expect(0, "060170 820200000032", "PE_RESET EL2 @8 END"); /* RMZJTJ, IQJYYZ */
}

static void some_exceptions_are_not_exact(void **state) /* SGKMTH, SRDJXM, IXHFLL */
{
	static const struct {
		uint8_t type;
		uint16_t flags;
	} cases[] = {{1, CAIRN_ETE_INEXACT}, {4, CAIRN_ETE_INEXACT}, {2, 0}, {14, 0},
	             {16, CAIRN_ETE_SOFT},   {23, CAIRN_ETE_SOFT},   {25, 0}};
	struct cairn_ete_config cfg = spec(0);
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		uint8_t bytes[100];
		size_t n = hex(begin, bytes);
		struct list list;
		bytes[n++] = 6;
		bytes[n++] = (uint8_t)(cases[i].type << 1 | 1);
		bytes[n++] = 0x90;
		list = decode(&cfg, 0, bytes, n);
		assert_int_equal(list.element[5].kind, CAIRN_ETE_EXCEPTION);
		assert_int_equal(list.element[5].flags & ~CAIRN_ETE_HAS_ADDRESS, cases[i].flags);
		free(list.element);
	}
}

static void q_elements_have_what_they_tell(void **state) /* IXPNWS, RWTRBB, RLZLDH, IBTNZC */
{
	(void)state;
	expect(0, "a50203", "q3@8 END");
	expect(0, "a003", "q3@0 END");
	expect(0, "aa02000000 07 f7", "q7@8 E END");
	expect(0, "ac05 9502 f7", "q5@8 E END");
	expect(0, "af 9502 f7", "q0@8 E END");
	expect(0, "af 8132 9502 f7", "q0@8 EL2 E END"); /* context before the address */
	expect(0, "af 9502 8132 f7", "q0@8 EL2 E END"); /* and behind */
	expect(0, "af 820200000032 f7", "q0@8 EL2 E END");
	expect(8, "af 2d01 9502", "q0@8 END");
	expect(8, "f7 af 8132 9502 2e01 2d01", "E END");
	expect(0, "ac05 f7", "q5?0 E END");
	/* synchronisation before the address loses that alone */
	expect(8, "f7 ac05 000000000000000000000080 010402 820500000031 2d02",
	       "E q5?0 TRACE_INFO EL1 @14 END");
}

static void a_source_address_is_a_p0_element(void **state) /* IDJTGL, RHVVRK, RWTRBB */
{
	(void)state;
	expect(8, "f7 b410 2d02", "E src0@40 END");
	expect(8, "f7 b510 2d02", "E src0@20 END");
	expect(8, "f7 b410 2e01 2d01", "E END");
	expect(0, "b601020000 b0 b2", "src0@404 src0@404 src0@0 END");
}

static void transactions_that_fail_did_not_happen(void **state) /* IXHLPG, RNMWFJ, IQZNBZ */
{
	struct cairn_ete_config cfg = spec(0), lazy = spec(8);
	(void)state;
	expect(0, "f7 0a f6 0b f7", "E TRANSACTION_START N TRANSACTION_COMMIT E END");
	expect(0, "f7 0a f6 9505 71 063170 9506 f7",
	       "E TRANSACTION_START ev1 TRANSACTION_FAILED @18 E END");
	expect_with(&cfg, 1, "f7 0a f6 9505 71 063170 9506 f7",
	            "E TRANSACTION_START N! @14! ev1 TRANSACTION_FAILED @18 E END");
	/* committed P0 elements, too */
	expect_with(&lazy, 0, "f7 0a f6 2d03 063170 9506 f7 2d01",
	            "E TRANSACTION_START TRANSACTION_FAILED @18 E END");
	/* who executes is not told twice */
	expect(0, "0a 820500000032 f7 063170 9506 f7",
	       "TRANSACTION_START EL2 TRANSACTION_FAILED @18 E END");
	/* because tracing stopped: not known */
	expect(0, "0a f6 063170 04 9506 f7",
	       "TRANSACTION_START N? TRANSACTION_UNKNOWN TRACE_ON @18 E END");
	expect(0, "0a f6 063170 0005", "TRANSACTION_START N? TRANSACTION_UNKNOWN OVERFLOW END");
	expect(0, "0a f6 063170", "TRANSACTION_START N? TRANSACTION_UNKNOWN END");
	expect(0, "0a f6 0003", "TRANSACTION_START N? DISCARD END");
	expect(0, "0a f6", "TRANSACTION_START N? END");
	expect(0, "0a f6 0a f7 0b",
	       "TRANSACTION_START N? TRANSACTION_START E "
	       "TRANSACTION_COMMIT END");
	expect(0, "0b 063170 9501", "TRANSACTION_COMMIT TRANSACTION_FAILED @4 END"); /* IVXTQS */
	/* a start that is canceled is none */
	expect_with(&lazy, 0, "f7 0a f6 2e02 f6 2d02", "E N END");
	lazy.idr0 |= 1u << 30; /* COMMTRANS: no P0 element */
	expect_with(&lazy, 0, "f7 0a f6 2d02 063170 9506",
	            "E TRANSACTION_START TRANSACTION_FAILED @18 END");
	expect_with(&lazy, 0, "f7 f6 0a 2e01 f6 2d02", "E N END");
	/* in Transactional state at a Trace Info (ILBSZF) */
	expect(0, "0a f6 000000000000000000000080 010140 820500000031 f7 0b",
	       "TRANSACTION_START N TRACE_INFO EL1 @14 E TRANSACTION_COMMIT END");
	expect(0, "000000000000000000000080 010140 820500000031 f7 063170 9506",
	       "TRACE_INFO EL1 TRANSACTION_FAILED @18 END");
	expect(0, "0a f6 000000000000000000000080 0100 820500000031 f7",
	       "TRANSACTION_START N? TRACE_INFO EL1 @14 E END");
}

static void times_belong_to_their_markers(void **state) /* RMCSGX, RVWJVC, RJNWJY, IPXZVX */
{
	struct cairn_ete_config cfg = spec(0);
	(void)state;
	expect(0, "f7 88 f6 0205", "E mark5 N time5 END");
	expect(0, "f7 88 f6 88 0205", "E mark- N mark5 time5 END");
	expect(0, "f7 88 0005 000000000000000000000080 0100 04 820500000031 0205",
	       "E mark- OVERFLOW TRACE_INFO TRACE_ON=1 EL1 @14 time5 END");
	expect(0, "f7 88 0003 0205", "E mark- DISCARD gap8 END");
	expect(0, "f7 88", "E mark- END");
	expect(0, "f7 88 0200", "E mark? time? END");    /* 0 is not known */
	expect(8, "f7 88 2e01 0205", "mark5 time5 END"); /* IDLCLX */
	cfg.idr0 |= 1u << 23;
	{
		uint8_t bytes[100];
		size_t n = hex(begin, bytes);
		struct list list;
		n += hex("0205", bytes + n); /* of a marker before the beginning */
		list = decode(&cfg, 0, bytes, n);
		assert_int_equal(list.element[5].kind, CAIRN_ETE_TIMESTAMP);
		assert_int_equal(list.element[5].flags, CAIRN_ETE_MARKED);
		free(list.element);
	}
}

static void cycle_counts_come_with_commits(void **state) /* INVGJP, RBZQWX, RVNYMN */
{
	struct cairn_ete_config cfg = spec(16), opt = spec(0);
	(void)state;
	expect_with(&cfg, 0, "fd 13 2d01", "E N cc3 END-1");
	expect_with(&cfg, 0, "fd 0e030a", "ENE cc10 END");
	expect_with(&cfg, 0, "fd 0f03", "ENE cc? END");
	expect_with(&cfg, 0, "fd 0c25", "ENE cc5 END");
	expect_with(&cfg, 0, "fd 0d25", "ENE cc5 END");
	opt.idr0 |= 1u << 29;
	expect_with(&opt, 0, "fd 13 0e0a 0f", "ENE cc3 cc10 cc? END");
}

static void damage_is_told(void **state)
{
	(void)state;
	expect(0, "f7 05 f7 71", "E gap3 END");
	expect(0, "f7 05 f7 000000000000000000000080 71 0100 820500000031 f7",
	       "E gap3 ev1 TRACE_INFO EL1 @14 E END");
	expect(0, "f7 05 000000000000000000000080 f7 0100 820500000031 f7",
	       "E gap3 TRACE_INFO EL1 @14 E END");
	expect(8, "f7 05", "gap3-1 END");
	expect(0, "f7 9d01", "E gap9 END");
	expect(0, "f7 9d010203 000000000000000000000080 0100 820500000031 f7",
	       "E @30404 gap3 TRACE_INFO EL1 @14 E END");
	/* something was lost unseen: what was open is not known */
	expect(8, "fd 72 000000000000000000000080 010401 820500000031 f7 2d02",
	       "LOST-3 ev2 TRACE_INFO EL1 @14 E END");
	expect(8, "0005 f7 0100 820500000031", "OVERFLOW gap8 TRACE_INFO EL1 @14 END");
	expect(8, "000000000000000000000080 01047f 820500000031 f7", "gap7 END-8");
}

/* A spec depth that no unit has costs nothing, nor do questions that stay open. */
static void open_questions_are_bounded(void **state)
{
	struct cairn_ete_config cfg = spec(0xffffffff);
	size_t n = 4 * CAIRN_ETE_WINDOW, k, lost = 0, events = 0;
	uint8_t *bytes = malloc(n);
	struct list list;
	(void)state;
	k = hex("000000000000000000000080 0104ffffffff0f 04 820000000031 88 0a f7", bytes);
	memset(bytes + k, 0x71, n - k);
	list = decode(&cfg, 0, bytes, n);
	for (size_t i = 0; i < list.n; i++) {
		lost += list.element[i].kind == CAIRN_ETE_LOST ? list.element[i].count : 0;
		events += list.element[i].kind == CAIRN_ETE_EVENT;
	}
	assert_int_equal(lost, 2);
	assert_int_equal(events, n - k);
	assert_int_equal(list.element[list.n - 1].kind, CAIRN_ETE_END);
	free(list.element);
	/* a transaction without an end */
	cfg = spec(0);
	k = hex("000000000000000000000080 0100 04 820000000031 88 0a", bytes);
	memset(bytes + k, 0xf7, n - k);
	list = decode(&cfg, 0, bytes, n);
	assert_int_equal(list.n, 8 + n - k);
	for (size_t i = 7; i + 1 < list.n; i++)
		assert_int_equal(list.element[i].flags,
		                 CAIRN_ETE_IN_TRANSACTION | CAIRN_ETE_OUTCOME_UNKNOWN);
	free(list.element);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commits_are_of_the_oldest),
		cmocka_unit_test(cancels_are_of_the_youngest),
		cmocka_unit_test(a_mispredict_corrects_the_youngest_atom),
		cmocka_unit_test(what_is_not_speculative_stays),
		cmocka_unit_test(a_canceled_trace_info_takes_along_what_follows),
		cmocka_unit_test(exceptions_have_their_address),
		cmocka_unit_test(some_exceptions_are_not_exact),
		cmocka_unit_test(q_elements_have_what_they_tell),
		cmocka_unit_test(a_source_address_is_a_p0_element),
		cmocka_unit_test(transactions_that_fail_did_not_happen),
		cmocka_unit_test(times_belong_to_their_markers),
		cmocka_unit_test(cycle_counts_come_with_commits),
		cmocka_unit_test(damage_is_told),
		cmocka_unit_test(open_questions_are_bounded),
		cmocka_unit_test(the_model_agrees),
		cmocka_unit_test(parts_give_what_the_whole_gives),
		cmocka_unit_test(parts_of_damaged_streams_do_too),
		cmocka_unit_test(parts_give_up_the_same),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
