/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes drive the writer: instructions, transactions or records with any values. What
 * it takes must read back without damage, as many instructions, at the same PCs and
 * with the same encodings; what it refuses must leave nothing behind.
 */
#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cairn/cairn.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MOST = 400, PAYLOAD = 256 };

struct input {
	const uint8_t *p;
	size_t n;
};

static uint64_t take(struct input *in, unsigned width)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < width && in->n; i++, in->n--)
		v |= (uint64_t)*in->p++ << (8 * i);
	return v;
}

struct done {
	uint64_t pc;
	uint32_t enc;
	uint8_t size;
};

static const uint32_t encodings[] = {0x13, 0x0080006f, 0x00000463, 0x8067,
                                     0x73, 0x30200073, 0x02008057, 0x0005b503};

static void random_rows(struct input *in, struct cairn_reg *regs, struct cairn_mem *mems,
                        struct cairn_event *events)
{
	for (int i = 0; i < 2; i++) {
		uint64_t v = take(in, 4);
		regs[i] = (struct cairn_reg){.value = v % PAYLOAD,
		                             .num = (uint16_t)(v % 40),
		                             .cls = (uint8_t)(v >> 8 & 7),
		                             .role = (uint8_t)(v >> 12 & 7),
		                             .flags = (uint8_t)(v >> 16 & 3),
		                             .bits = (uint32_t)(v >> 20 & 0xff)};
		v = take(in, 5);
		mems[i] = (struct cairn_mem){.addr = v << 8,
		                             .value = v >> 4 & 0xff,
		                             .size = (uint32_t)(v & 31),
		                             .kind = (uint8_t)(v >> 5 & 3),
		                             .flags = (uint8_t)(v >> 8 & 31),
		                             .initiator = (uint8_t)(v >> 16 & 15),
		                             .attr = (uint32_t)(v >> 12),
		                             .seq = (uint16_t)(v >> 32 & 7)};
		v = take(in, 4);
		events[i] = (struct cairn_event){.kind = (uint8_t)(v & 63),
		                                 .code = v >> 8 & 31,
		                                 .target = v >> 4,
		                                 .flags = (uint8_t)(v >> 14 & 1),
		                                 .args = (uint32_t)(v >> 16 & 15) * 8,
		                                 .len = (uint32_t)(v >> 20 & 15) * 8,
		                                 .seq = (uint16_t)(v >> 28 & 7)};
	}
}

static int one_insn(struct input *in, struct cairn_stf_writer *writer, struct done *done,
                    uint64_t *next)
{
	_Alignas(8) uint8_t payload[PAYLOAD];
	struct cairn_reg regs[2];
	struct cairn_mem mems[2];
	struct cairn_event events[2];
	uint64_t what = take(in, 4);
	struct cairn_ctx ctx = {.known = (uint32_t)(what >> 20 & 0x3f),
	                        .priv = (uint8_t)(what >> 26 & 7),
	                        .pid = (uint32_t)(what & 3)};
	for (size_t i = 0; i < sizeof payload; i++)
		payload[i] = (uint8_t)(i + what);
	random_rows(in, regs, mems, events);
	struct cairn_stf_insn insn = {.pc = what & 0x10000 ? take(in, 8) : *next,
	                              .enc = encodings[what & 7],
	                              .size = what & 8 ? 2 : 4,
	                              .regs = regs,
	                              .mems = mems,
	                              .events = events,
	                              .n_regs = what >> 8 & 1 ? 2 : what >> 9 & 1,
	                              .n_mems = what >> 10 & 1,
	                              .n_events = what >> 11 & 1 ? 2 : what >> 12 & 1,
	                              .ctx = what & 0x20000 ? &ctx : NULL,
	                              .flags = (uint32_t)(what >> 13 & 7),
	                              .target = *next + 8,
	                              .bytes = payload,
	                              .n_bytes = sizeof payload,
	                              .isa = (uint8_t)(what >> 30 & 1 ? CAIRN_ISA_RV32 : 0)};
	if (insn.size == 2)
		insn.enc &= 0xffff;
	int rc = cairn_stf_put(writer, &insn);
	if (rc >= 0) {
		*done = (struct done){insn.pc, insn.enc, insn.size};
		*next = insn.pc + insn.size;
	}
	return rc;
}

static int one_transaction(struct input *in, struct cairn_stf_writer *writer)
{
	_Alignas(8) uint8_t payload[PAYLOAD] = {0};
	uint64_t v = take(in, 7);
	for (size_t i = 0; i < 64; i++)
		payload[i * 4] = (uint8_t)(1u << (i % 4));
	struct cairn_xact xact = {.id = v & 1 ? v >> 8 & 0xff : 0,
	                          .clock = v >> 1 & 3,
	                          .channel = v >> 3 & 7,
	                          .data = v >> 8 & 0xff,
	                          .data_len = v >> 16 & 0x1f,
	                          .mask = v >> 20 & 0xff,
	                          .mask_bits = v >> 24 & 0x1f,
	                          .meta = (v >> 28 & 7) * 8,
	                          .n_meta = v >> 32 & 3,
	                          .deps = (v >> 36 & 7) * 8,
	                          .n_deps = v >> 40 & 1};
	return cairn_stf_put_transaction(writer, &xact, payload, sizeof payload);
}

static void read_back(struct cairn *cairn, const char *path, const struct done *done, uint64_t n,
                      int bus)
{
	struct cairn_reader *reader;
	struct cairn_batch *batch = cairn_batch_new(cairn);
	uint64_t at = 0;
	int rc = cairn_open(cairn, path, NULL, &reader);
	if (rc < 0) {
		fprintf(stderr, "%s\n", cairn_error_text(cairn));
		abort();
	}
	while ((rc = cairn_next(reader, batch)) == 1) {
		for (uint32_t i = 0; i < batch->n_insns && !bus; i++, at++) {
			assert(at < n && batch->insns[i].pc == done[at].pc &&
			       batch->insns[i].size == done[at].size);
			bool nop = batch->insns[i].enc == 0x13 || batch->insns[i].enc == 1; /* a fetch fault */
			assert(batch->insns[i].enc == done[at].enc || nop);
		}
		at += bus ? batch->n_xacts : 0;
	}
	assert(rc == 0 && at == n);
	/* an event code that no event has is told, and is no damage to the bytes */
	cairn_close(reader);
	cairn_batch_free(cairn, batch);
}

static struct cairn_stf_writer *open_writer(struct cairn *cairn, const char *path, unsigned how)
{
	struct cairn_stf_write_opts opts = {.size = sizeof opts,
	                                    .chunk = 7,
	                                    .threads = how & 1 ? 2 : 1,
	                                    .container = how & 2 ? "zstf" : "stf",
	                                    .codec = how & 6 ? NULL : "gzip"};
	struct cairn_stf_writer *writer = NULL;
	struct cairn_stf_header *header = NULL;
	if (cairn_stf_create(cairn, path, &opts, &writer) < 0 ||
	    cairn_stf_header_new(cairn, &header) < 0)
		abort();
	header->cfg.version_minor = (uint16_t)(2 + (how >> 3) % 5);
	if (how & 64)
		header->cfg.vlen = 128;
	if (how & 128)
		header->cfg.protocol = 1;
	struct cairn_stf_begin_opts begin_opts = {.size = sizeof begin_opts,
	                                          .header = header,
	                                          .no_content = how >> 8 & 1,
	                                          .end_record = how >> 9 & 1,
	                                          .keep_fault_encoding = how >> 10 & 1,
	                                          .mode = how >> 11 & 1};
	int rc = cairn_stf_begin(writer, &begin_opts);
	cairn_stf_header_free(header);
	if (rc < 0) {
		cairn_stf_abort(writer);
		return NULL;
	}
	return writer;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct done done[MOST];
	struct input in = {data, n};
	char path[64];
	uint64_t taken = 0, next = 0x1000;
	unsigned how = (unsigned)take(&in, 2);
	snprintf(path, sizeof path, "/tmp/cairn-fuzz-%d.out", (int)getpid());
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_stf_writer *writer = open_writer(cairn, path, how);
	for (unsigned i = 0; writer && i < MOST && in.n; i++) {
		if (take(&in, 1) == 0xff)
			cairn_stf_put_comment(writer, "fuzz", 4);
		int rc =
			how & 128 ? one_transaction(&in, writer) : one_insn(&in, writer, &done[taken], &next);
		taken += rc >= 0;
	}
	if (writer) {
		if (cairn_stf_finish(writer) < 0) {
			fprintf(stderr, "%s\n", cairn_error_text(cairn));
			abort();
		}
		read_back(cairn, path, done, taken, how & 128);
	}
	assert(access(path, F_OK) == 0 || !writer);
	unlink(path);
	cairn_free(cairn);
	return 0;
}
