/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the seeds of fuzz_stf into a folder: small traces with every record
 * type, raw and as containers, whole and broken, each behind the byte that
 * chooses how it is read (fuzz_stf.c).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/fixtures/stf_maker.h"

enum {
	AS_IS = 0,
	EVENTS_32 = 1,
	OLD_IDS = 4,
	STRICT = 8,
	STREAM = 16,
	CHUNKS = 32,
	SMALL_HOLD = 64
};

static const char *folder;

static void save(const char *name, unsigned how, const uint8_t *p, size_t n)
{
	char path[512];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *f = fopen(path, "wb");
	if (!f || fputc((int)how, f) == EOF || fwrite(p, 1, n, f) != n || fclose(f) != 0) {
		perror(path);
		exit(1);
	}
}

static void save_packed(struct cairn *cairn, const char *name, const struct mk_stf *stf,
                        uint64_t per_chunk, int damage)
{
	struct base_buf buf;
	base_buf_init(&buf, cairn);
	if (mk_pack(cairn, stf, per_chunk, &buf) < 0)
		exit(1);
	if (damage == 1) /* a chunk in the middle */
		memset(buf.data + buf.len / 3, 0xff, 8);
	else if (damage == 2) /* where the index lies */
		buf.data[13] ^= 0x7f;
	else if (damage == 3) /* what the index says */
		base_put_le64(buf.data + buf.len - 24, 30);
	else if (damage == 4) /* a killed writer */
		buf.len = buf.len / 2;
	else if (damage == 5) /* huge sizes */
		base_put_le64(buf.data + buf.len - 8, UINT64_MAX);
	save(name, AS_IS, buf.data, buf.len);
	base_buf_free(&buf);
}

/* Every record an instruction trace may hold. */
static struct mk_stf *instructions(unsigned minor, uint32_t vlen)
{
	struct mk_stf *stf = mk_new();
	const uint64_t words[4] = {0x1111, 0x2222, 0x3333, 0x4444};
	stf->vlen = vlen;
	mk_usual_header(stf, minor, 0x80000000);
	mk_process(stf, 1, 2, 3);
	for (unsigned i = 0; i < 3; i++)
		mk_reg(stf, i, 0x11, words, 1);
	mk_insn(stf, 0x00500093, 4);
	mk_reg(stf, 1, 0x21, words, 1);
	mk_reg(stf, 2, 0x32, words, 1);
	mk_reg(stf, 0x300, 0x34, words, 1);
	if (vlen || minor <= 3)
		mk_reg(stf, 7, 0x33, words, vlen ? (vlen + 63) / 64 : 1);
	fx_le(&stf->raw, 3, 0x000529); /* INST_READY_REG */
	mk_walk(stf, 0x5000, 3);
	mk_access(stf, 0x5000, 8, 1);
	mk_content(stf, CAIRN_STF_INST_MEM_CONTENT, 1);
	mk_access(stf, 0x6000, 24, 2);
	for (unsigned i = 0; i < 3; i++)
		mk_content(stf, CAIRN_STF_INST_MEM_CONTENT, i);
	fx_le(&stf->raw, 1, CAIRN_STF_BUS_MASTER_ACCESS);
	fx_le(&stf->raw, 8, 0x7000);
	fx_le(&stf->raw, 8, 0x0000000002030040);
	fx_le(&stf->raw, 1, 2);
	mk_content(stf, CAIRN_STF_BUS_MASTER_CONTENT, 9);
	fx_le(&stf->raw, 6, 0x0000000104e6); /* INST_MICROOP */
	mk_insn(stf, 0x0000b083, 4);
	mk_text(stf, CAIRN_STF_COMMENT, "a comment");
	mk_event(stf, 13, words, 2);
	mk_target(stf, CAIRN_STF_EVENT_PC_TARGET, 0xc0000000);
	mk_event(stf, 1ull << 62, words + 3, 0);
	mk_event(stf, (1ull << 63) + 7, words, 1);
	mk_insn(stf, 0x0000b083, 4);
	mk_target(stf, CAIRN_STF_INST_PC_TARGET, 0x80000100);
	mk_insn(stf, 0xa001, 2);
	mk_force_pc(stf, 0x90000000);
	mk_event(stf, 1ull << 62, words, 1);
	mk_insn(stf, 0x0001, 2);
	fx_le(&stf->raw, 3, 0x000105); /* INST_IEM: RV32 */
	mk_insn(stf, 0x2001, 2);       /* c.jal or c.addiw */
	mk_text(stf, CAIRN_STF_ISA_EXTENDED, "rv64i");
	fx_le(&stf->raw, 5, 0x000000800a); /* VLEN_CONFIG in the body */
	mk_insn(stf, 0x2001, 2);
	mk_process(stf, 4, 5, 6);
	mk_text(stf, CAIRN_STF_COMMENT, "after the last");
	return stf;
}

static struct mk_stf *transactions(void)
{
	struct mk_stf *stf = mk_new();
	struct fx_bytes *bytes = &stf->raw;
	static const char *const layouts[] = {"", "cpzsdam", "cpzsdam", "cpzsda", "cpzsdk", "k"};
	mk_begin(stf, 5);
	mk_features(stf, CAIRN_STF_F_TRANSACTIONS | CAIRN_STF_F_EVENT64);
	fx_be(bytes, 2, 0x0b01);
	fx_be(bytes, 4, 0x0c010300);
	fx_put(bytes, "cpu", 3);
	mk_end_header(stf);
	for (unsigned i = 1; i <= 10; i++) {
		for (unsigned k = 0; k < i % 3; k++) {
			fx_le(bytes, 1, CAIRN_STF_TRANSACTION_DEPENDENCY);
			fx_le(bytes, 8, i);
			fx_le(bytes, 8, k);
			fx_le(bytes, 1, 1);
		}
		if (i == 7)
			mk_text(stf, CAIRN_STF_COMMENT, "between");
		mk_xact(stf, i, 3, 1);
		for (unsigned k = 0; k < i % 5; k++)
			mk_metadata(stf, k % 4, i * k);
		fx_le(bytes, 1, 1 + i % 5);
		for (const char *l = layouts[1 + i % 5]; *l; l++) {
			if (*l == 'd' || *l == 'm') {
				fx_le(bytes, 2, 8);
				fx_le(bytes, *l == 'd' ? 8 : 1, 0xab);
			} else {
				fx_le(bytes, *l == 'c' || *l == 'p' || *l == 'z' ? 1 : 8, i);
			}
		}
		mk_xact_end(stf);
	}
	return stf;
}

/* One group larger than a batch takes, if it can be said in few bytes. */
static struct mk_stf *crowd(void)
{
	struct mk_stf *stf = mk_new();
	mk_usual_header(stf, 6, 0x1000);
	for (unsigned i = 0; i < 6000; i++)
		mk_content(stf, CAIRN_STF_BUS_MASTER_CONTENT, i);
	mk_insn(stf, 0x0001, 2);
	for (unsigned i = 0; i < 300; i++)
		mk_process(stf, i, i, i);
	mk_insn(stf, 0x0001, 2);
	return stf;
}

/* Much in few bytes: a frame of zeros, and one of small instructions. */
static void save_bombs(struct cairn *cairn)
{
	const struct cairn_codec *zstd = cairn_codec_find(cairn, "zstd");
	struct mk_stf *head = mk_new();
	mk_usual_header(head, 6, 0x1000);
	for (int zeros = 0; zeros < 2; zeros++) {
		enum { SIZE = 1 << 20, NOPS = 30000 };
		struct base_buf big, out;
		uint8_t word[8];
		base_buf_init(&big, cairn);
		base_buf_init(&out, cairn);
		if (base_buf_put(&big, head->raw.data, head->raw.n) < 0 || base_buf_reserve(&big, SIZE) < 0)
			exit(1);
		memset(big.data + big.len, 0, SIZE);
		for (size_t i = big.len; !zeros && i + 3 <= big.len + NOPS; i += 3)
			memcpy(big.data + i, "\xf1\x01", 3);
		big.len += zeros ? SIZE : NOPS;
		base_buf_put(&out, "ZSTF\xff\xff\xff\0\0\0\0\0\0\0\0\0\0\0\0\0", 20);
		if (io_encode_frame(cairn, zstd, 19, big.data, big.len, &out) < 0)
			exit(1);
		base_put_le64(word, out.len);
		memcpy(out.data + 12, word, 8);
		base_put_le64(word, 0);
		base_buf_put(&out, "\1\0\0\0\0\0\0\0\x14\0\0\0\0\0\0\0", 16);
		base_buf_put(&out, word, 8);
		base_put_le64(word, big.len);
		base_buf_put(&out, word, 8);
		save(zeros ? "bomb-zeros" : "bomb-nops", SMALL_HOLD, out.data, out.len);
		base_buf_free(&big);
		base_buf_free(&out);
	}
	free(head);
}

static void save_broken(const struct mk_stf *stf)
{
	static const uint8_t cuts[] = {3, 12, 13, 40, 61, 120, 200};
	char name[64];
	for (size_t i = 0; i < sizeof cuts; i++) {
		snprintf(name, sizeof name, "cut-%u", cuts[i]);
		save(name, i % 2 ? STREAM : AS_IS, stf->raw.data,
		     cuts[i] < stf->raw.n ? cuts[i] : stf->raw.n);
	}
	struct fx_bytes bytes = stf->raw;
	bytes.data[bytes.n / 2] = 0xfe;
	save("odd-byte", AS_IS, bytes.data, bytes.n);
	bytes = stf->raw;
	fx_le(&bytes, 5, 0xffffffff03);
	save("huge-comment", STREAM, bytes.data, bytes.n);
}

int main(int argc, char **argv)
{
	struct cairn *cairn = cairn_new(NULL);
	if (argc != 2 || !cairn)
		return 2;
	folder = argv[1];
	struct mk_stf *stf = instructions(6, 128);
	save("instructions", AS_IS, stf->raw.data, stf->raw.n);
	save("instructions-events-32", EVENTS_32, stf->raw.data, stf->raw.n);
	save("instructions-strict", STRICT, stf->raw.data, stf->raw.n);
	save("instructions-stream", STREAM, stf->raw.data, stf->raw.n);
	/* The last byte sets the size of the chunks. */
	for (unsigned size = 0; size < 60; size += size < 10 ? 2 : 11) {
		char name[32];
		snprintf(name, sizeof name, "instructions-chunks-%u", size);
		stf->raw.data[stf->raw.n - 1] = (uint8_t)size;
		save(name, CHUNKS, stf->raw.data, stf->raw.n);
	}
	save_broken(stf);
	for (int damage = 0; damage <= 5; damage++) {
		char name[32];
		snprintf(name, sizeof name, "container-%d", damage);
		save_packed(cairn, name, stf, 2, damage);
	}
	free(stf);
	stf = instructions(6, 0xfffffff0);
	save("vlen-huge", AS_IS, stf->raw.data, stf->raw.n);
	free(stf);
	stf = instructions(3, 0);
	save("version-3", OLD_IDS, stf->raw.data, stf->raw.n);
	free(stf);
	stf = transactions();
	save("transactions", AS_IS, stf->raw.data, stf->raw.n);
	save("transactions-chunks", CHUNKS, stf->raw.data, stf->raw.n);
	save_packed(cairn, "transactions-container", stf, 3, 0);
	save_packed(cairn, "transactions-damaged", stf, 3, 1);
	free(stf);
	stf = crowd();
	save_packed(cairn, "crowd", stf, 100, 0);
	free(stf);
	save_bombs(cairn);
	cairn_free(cairn);
	return 0;
}
