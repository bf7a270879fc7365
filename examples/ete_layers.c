/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One ETE stream, read at each of its layers: packets, elements, ranges, instructions. All
 * are read with the same verbs; a client stops at the layer it needs. Last, as any trace.
 *
 *   ete_layers PROGRAM.bin     (written, for the upper ones need the program)
 *
 * The stream is made here, by the trace unit in the library: a loop that calls a function.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/cairn.h>

enum { ROUNDS = 1000, BASE = 0x1000 };

/* 1000: add, bl 1010, cbnz 1000, b 100c;  1010: sub, ret */
static const uint32_t code[] = {0x91000400, 0x94000003, 0xb5ffffc1,
                                0x14000000, 0xd1000421, 0xd65f03c0};
static const uint8_t way[] = {0, 1, 4, 5, 2};

struct stream {
	struct cairn_ete_config cfg;
	const struct cairn_image *image;
	uint8_t bytes[1 << 16];
	size_t n;
};

static int make(struct cairn *cairn, struct stream *stream)
{
	struct cairn_ete_tracer_opts opts = {.size = sizeof opts, .sync_bytes = 512};
	struct cairn_ete_tracer *tracer;
	const uint8_t *bytes;
	int rc = cairn_ete_tracer_open(cairn, &opts, &tracer);
	if (rc < 0)
		return rc;
	cairn_ete_tracer_config(tracer, &stream->cfg);
	for (int i = 0; i < ROUNDS * 5 && rc >= 0; i++) {
		struct cairn_ete_insn in = {.pc = BASE + 4u * way[i % 5],
		                            .enc = code[way[i % 5]],
		                            .isa = CAIRN_ISA_A64,
		                            .taken = i < ROUNDS * 5 - 1};
		rc = cairn_ete_tracer_insns(tracer, &in, 1);
	}
	rc = rc < 0 ? rc : cairn_ete_tracer_finish(tracer);
	cairn_ete_tracer_take(tracer, &bytes, &stream->n);
	if (rc >= 0 && stream->n <= sizeof stream->bytes)
		memcpy(stream->bytes, bytes, stream->n);
	cairn_ete_tracer_close(tracer);
	return rc;
}

/* Whole; from the second synchronisation on; from the last one; and again from where the
 * second was. `LAYER` is what a decoder is called, `NEXT` gives how much the next one counts. */
#define READ(LAYER, d, NEXT) \
	do { \
		uint64_t second = 0, last = 0, n[4] = {0}; \
		for (int pass = 0; pass < 4 && rc >= 0; pass++) { \
			if (pass == 1) { \
				rc = LAYER##_sync_set(d, 0); \
				rc = rc < 0 ? rc : LAYER##_sync_set(d, 1); \
				rc = rc < 0 ? rc : LAYER##_sync_forward(d); \
				second = LAYER##_tell(d); \
			} else if (pass == 2) { \
				rc = LAYER##_sync_backward(d); \
				last = LAYER##_tell(d); \
			} else if (pass == 3) { \
				rc = LAYER##_sync_set(d, second); \
			} \
			int got = 0; \
			while (rc >= 0 && (got = (NEXT)) > 0) \
				n[pass] += (uint64_t)got - 1; \
			rc = got < 0 ? got : rc; \
		} \
		LAYER##_close(d); \
		if (rc >= 0 && (n[1] != n[3] || n[2] >= n[1] || n[1] >= n[0] || last <= second)) \
			rc = CAIRN_E_STATE; \
		total = n[0]; \
	} while (0)

static int packets(struct cairn *cairn, const struct stream *stream)
{
	struct cairn_ete_packets *d;
	struct cairn_ete_packet packet;
	uint64_t total = 0;
	int rc = cairn_ete_packets_open(cairn, &stream->cfg, stream->bytes, stream->n, 0, &d);
	if (rc >= 0)
		READ(cairn_ete_packets, d, cairn_ete_packets_next(d, &packet) ? 2 : 0);
	printf("%llu packets\n", (unsigned long long)total);
	return rc;
}

static int elements(struct cairn *cairn, const struct stream *stream)
{
	struct cairn_ete_elements *d;
	struct cairn_ete_element element;
	uint64_t total = 0;
	int rc = cairn_ete_elements_open(cairn, &stream->cfg, NULL, stream->bytes, stream->n, 0, &d);
	if (rc >= 0)
		READ(cairn_ete_elements, d,
		     cairn_ete_elements_next(d, &element) > 0 ? 1 + element.n_atoms : 0);
	printf("%llu atoms\n", (unsigned long long)total);
	return rc;
}

static int ranges(struct cairn *cairn, const struct stream *stream)
{
	struct cairn_ete_flow_opts opts = {.size = sizeof opts, .image = stream->image};
	struct cairn_ete_flow *flow;
	struct cairn_ete_step step;
	uint64_t total = 0;
	int rc = cairn_ete_flow_open(cairn, &stream->cfg, &opts, stream->bytes, stream->n, 0, &flow);
	if (rc >= 0)
		READ(cairn_ete_flow, flow,
		     cairn_ete_flow_next(flow, &step) > 0
		         ? 1 + (step.kind == CAIRN_ETE_STEP_RANGE ? (int)step.n : 0)
		         : 0);
	printf("%llu instructions in ranges\n", (unsigned long long)total);
	return rc;
}

static int instructions(struct cairn *cairn, const struct stream *stream)
{
	struct cairn_ete_flow_opts opts = {.size = sizeof opts, .image = stream->image};
	struct cairn_ete_insns *insns;
	struct cairn_ete_ran ran;
	uint64_t total = 0;
	int rc = cairn_ete_insns_open(cairn, &stream->cfg, &opts, stream->bytes, stream->n, 0, &insns);
	if (rc >= 0)
		READ(cairn_ete_insns, insns,
		     cairn_ete_insns_next(insns, &ran) > 0 ? 1 + (ran.size != 0) : 0);
	printf("%llu instructions, one by one\n", (unsigned long long)total);
	return rc;
}

/* In the common model places are numbers of instructions: of any format. */
static int common(struct cairn *cairn, const struct stream *stream)
{
	struct cairn_open_opts opts = {.size = sizeof opts, .image = stream->image};
	struct cairn_batch *batch = cairn_batch_new(cairn);
	struct cairn_reader *reader;
	char from[200];
	uint64_t n = 0, again = 0;
	snprintf(from, sizeof from,
	         "ete:trcconfigr=0x%x,trcidr0=0x%x,trcidr2=0x%x,trcdevarch=0x%x,"
	         "piece=512",
	         stream->cfg.configr, stream->cfg.idr0, stream->cfg.idr2, stream->cfg.devarch);
	opts.from = from;
	int rc =
		batch ? cairn_open_memory(cairn, stream->bytes, stream->n, &opts, &reader) : CAIRN_E_NOMEM;
	if (rc >= 0) {
		while ((rc = cairn_next(reader, batch)) > 0)
			n += batch->n_insns;
		rc = rc < 0 ? rc : cairn_seek(reader, n / 2);
		while (rc >= 0 && (rc = cairn_next(reader, batch)) > 0)
			for (uint32_t i = 0; i < batch->n_insns; i++)
				again += batch->n0 + i >= n / 2;
		cairn_close(reader);
	}
	cairn_batch_free(cairn, batch);
	printf("%llu instructions, %llu from the middle on\n", (unsigned long long)n,
	       (unsigned long long)again);
	return rc;
}

int main(int argc, char **argv)
{
	static struct stream stream;
	char spec[4096];
	FILE *f = argc == 2 ? fopen(argv[1], "wb") : NULL;
	if (!f)
		return 2;
	bool written = fwrite(code, sizeof code, 1, f) == 1; /* on a little-endian machine */
	written = fclose(f) == 0 && written;
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_image *image = cairn_image_new(cairn);
	snprintf(spec, sizeof spec, "%s@0x%x", argv[1], BASE);
	int rc = written && image ? cairn_image_add(image, spec) : CAIRN_E_IO;
	stream.image = image;
	if (rc >= 0)
		rc = make(cairn, &stream);
	if (rc >= 0)
		rc = packets(cairn, &stream);
	if (rc >= 0)
		rc = elements(cairn, &stream);
	if (rc >= 0)
		rc = ranges(cairn, &stream);
	if (rc >= 0)
		rc = instructions(cairn, &stream);
	if (rc >= 0)
		rc = common(cairn, &stream);
	if (rc < 0)
		fprintf(stderr, "ete_layers: %s\n", cairn_error_text(cairn));
	cairn_image_free(image);
	cairn_free(cairn);
	return rc < 0;
}
