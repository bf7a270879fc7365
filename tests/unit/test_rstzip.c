/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rstzip: what is packed comes back, record for record, whatever the records; what
 * cannot be carried is refused by name, or dropped and counted; files of old and
 * hand-made kinds are read by the letter of the format; damage is a sentence.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cairn/cairn.h"
#include "formats/rst/packing/rstzip3.h"

enum { SIZE = CAIRN_RST_SIZE };

static uint64_t seed;

static uint64_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static bool chance(unsigned one_in)
{
	return rnd() % one_in == 0;
}

struct bytes {
	uint8_t *p;
	size_t n;
};

/* ---- making traces ---- */

/* Values that predictors like as well as values they do not. */
static uint64_t value(void)
{
	switch (rnd() % 6) {
	case 0:
		return rnd();
	case 1:
		return 0;
	case 2:
		return rnd() % 100;
	case 3:
		return UINT32_MAX - rnd() % 64;
	default:
		return 0x7feff00000 + rnd() % 4096 * 8;
	}
}

static uint64_t pcs[1024];

static uint32_t instruction(void)
{
	static const uint32_t some[] = {
		0x01000000, 0x40000010, 0x7ffffff0, 0x81c7e008, 0x81c3e008, 0x9fc04000, 0x81c06000,
		0x81cfe008, 0x81e80000, 0x9e100001, 0x10800004, 0x30800004, 0x00800004, 0x20800004,
		0x12800004, 0x3280fff4, 0x1248fffc, 0x3248fffc, 0x10480003, 0x0048fffc, 0x02c84004,
		0x22f87ffc, 0x11800004, 0x03480004, 0x13800004, 0xc2584000, 0xc2704000, 0x81f00000,
		0x83f00000, 0x85f00000, 0x91d02010, 0,          0x02cc4004, 0x00c84004};
	return chance(8) ? (uint32_t)rnd() : some[rnd() % (sizeof some / sizeof *some)];
}

static void random_instr(uint8_t *p, unsigned cpu)
{
	uint64_t i = rnd() % 1024;
	pcs[cpu] = chance(5) ? chance(2) ? value() : 0x10000 + 4 * i : pcs[cpu] + 4;
	if (chance(40))
		pcs[cpu] &= UINT32_MAX;
	p[1] = chance(4) ? (uint8_t)rnd() : (uint8_t)(rnd() & (RST_I_BT | RST_I_EA_VALID));
	base_put_be16(p + 2, (uint16_t)((cpu & 63) << 10 | cpu >> 6 << 6));
	base_put_be64(p + 8, pcs[cpu]);
	base_put_be32(p + 4, instruction());
	if (chance(2)) { /* the same instruction at the same place, as programs have it */
		seed ^= 1;
		base_put_be32(p + 4, (uint32_t)(pcs[cpu] >> 2) * 0x9e3779b1u);
	}
	base_put_be64(p + 16, chance(3) ? rz3_target(base_be32(p + 4), pcs[cpu]) : value());
}

/* A record that can be carried. */
static void random_record(uint8_t *p, unsigned cpus, bool rfs)
{
	static const uint8_t common[] = {CAIRN_RST_PAVADIFF, CAIRN_RST_REGVAL, CAIRN_RST_MEMVAL,
	                                 CAIRN_RST_TRAP,     CAIRN_RST_TLB,    CAIRN_RST_PREG,
	                                 CAIRN_RST_DMA};
	uint8_t raw[SIZE];
	unsigned cpu = (unsigned)rnd() % cpus;
	if (chance(50))
		cpu = 1023 - cpu;
	for (unsigned i = 0; i < SIZE; i += 8)
		base_put_be64(raw + i, i ? value() : rnd());
	raw[0] = chance(8) ? (uint8_t)rnd() : common[rnd() % sizeof common];
	if (rfs && chance(2))
		raw[0] = chance(3) ? CAIRN_RST_RFS_BT : CAIRN_RST_RFS_CW;
	if (!rfs && (raw[0] == CAIRN_RST_RFS_BT || raw[0] == CAIRN_RST_RFS_SECTION_HEADER))
		raw[0] = CAIRN_RST_NULLREC;
	if (raw[0] == CAIRN_RST_RFS_SECTION_HEADER) {
		raw[1] = (uint8_t)(31 + rnd() % 3);
		base_put_be64(raw + 8, rnd() % 20);
	}
	if (raw[0] == CAIRN_RST_PAVADIFF && chance(2)) {
		base_put_be64(raw + 8, rnd() % 4 << 13);
		base_put_be64(raw + 16, rnd() % 4 << 13);
	}
	if (raw[0] == CAIRN_RST_REGVAL && chance(2)) {
		raw[2] = chance(2) ? 1 : 5;
		raw[3] = chance(2) ? 1 : 5;
	}
	if (chance(2)) {
		raw[0] = CAIRN_RST_INSTR;
		random_instr(raw, cpu);
	}
	const struct rst_layout *layout = rst_layout_of(raw, 0);
	const struct rst_field *field = layout ? rst_layout_cpu(layout) : NULL;
	if (field) /* few of them: each has tables of its own */
		rst_put(raw, field, cpu);
	rz3_canonical(raw, RZ3_MINOR, p);
}

static struct bytes random_trace(size_t n, unsigned cpus, bool rfs, uint64_t s)
{
	struct bytes bytes = {malloc(n * SIZE), n * SIZE};
	seed = s * 0x9e3779b97f4a7c15 + 1;
	memset(pcs, 0, sizeof pcs);
	for (size_t i = 0; i < n; i++)
		random_record(bytes.p + i * SIZE, cpus, rfs);
	return bytes;
}

/* ---- packing and unpacking ---- */

static char sentence[512];

/* What the packer says of records, or what it made of them. */
static int pack(struct cairn *cairn, const void *records, size_t n, bool lossy, struct bytes *out,
                char *losses)
{
	char path[] = "/tmp/cairn-rstzip-XXXXXX";
	struct cairn_sink *sink;
	struct rst_zip *zip;
	close(mkstemp(path));
	unlink(path);
	assert_int_equal(io_sink_open(cairn, path, NULL, INT32_MIN, 1, &sink), 0);
	assert_int_equal(rst_zip_open(cairn, sink, lossy, &zip), 0);
	int rc = rst_zip_put(zip, records, n);
	if (rc >= 0)
		rc = rst_zip_finish(zip);
	if (rc < 0) {
		strcpy(sentence, cairn_error_text(cairn));
		assert_int_equal(rst_zip_put(zip, records, n), rc); /* an error stays */
		assert_string_equal(cairn_error_text(cairn), sentence);
		rst_zip_close(zip);
		cairn_sink_discard(sink);
		return rc;
	}
	const struct rst_zip_loss *loss;
	size_t kinds = rst_zip_losses(zip, &loss);
	if (losses)
		for (size_t i = 0, at = 0; i < kinds; i++)
			at += (size_t)sprintf(losses + at, "%s %llu from %llu; ", loss[i].what,
			                      (unsigned long long)loss[i].records,
			                      (unsigned long long)loss[i].first);
	else if (!lossy)
		assert_int_equal(kinds, 0);
	rst_zip_close(zip);
	assert_int_equal(cairn_sink_finish(sink), 0);
	FILE *f = fopen(path, "rb");
	fseek(f, 0, SEEK_END);
	out->n = (size_t)ftell(f);
	rewind(f);
	out->p = malloc(out->n);
	assert_int_equal(fread(out->p, 1, out->n, f), out->n);
	fclose(f);
	unlink(path);
	return 0;
}

/* The records that come out before the end or the sentence. */
static int unpack(struct cairn *cairn, const void *packed, size_t n, struct base_buf *out,
                  struct rst_unzip_info *info)
{
	struct io_source *io;
	struct rst_unzip *unzip;
	base_buf_init(out, cairn);
	assert_int_equal(io_open_memory(cairn, packed, n, &io), 0);
	int64_t rc = rst_unzip_open(cairn, io, &unzip);
	if (rc >= 0) {
		while ((rc = rst_unzip_next(unzip, out)) > 0)
			;
		if (rc < 0) {
			strcpy(sentence, cairn_error_text(cairn));
			assert_int_equal(rst_unzip_next(unzip, out), rc);
			assert_string_equal(cairn_error_text(cairn), sentence);
		}
		if (info)
			rst_unzip_info(unzip, info);
		rst_unzip_close(unzip);
	} else {
		strcpy(sentence, cairn_error_text(cairn));
	}
	io_close(io);
	return (int)rc;
}

static void check_round_trip(struct cairn *cairn, struct bytes bytes, bool lossy)
{
	struct bytes packed;
	struct base_buf back;
	struct rst_unzip_info info;
	if (pack(cairn, bytes.p, bytes.n / SIZE, lossy, &packed, NULL) < 0)
		fail_msg("%s", sentence);
	if (unpack(cairn, packed.p, packed.n, &back, &info) < 0)
		fail_msg("%s", sentence);
	assert_int_equal(back.len, bytes.n);
	for (size_t i = 0; i < bytes.n; i += SIZE)
		if (memcmp(back.data + i, bytes.p + i, SIZE) != 0)
			fail_msg("record %zu, of type %u, differs", i / SIZE + 1, bytes.p[i]);
	assert_int_equal(info.records, bytes.n / SIZE);
	assert_int_equal(info.sections, (bytes.n / SIZE + RZ3_SECTION - 1) / RZ3_SECTION);
	assert_int_equal(info.bytes, packed.n);
	base_buf_free(&back);
	free(packed.p);
	free(bytes.p);
}

static void random_traces_come_back(void **state)
{
	struct cairn *cairn = *state;
	for (unsigned i = 0; i < 40; i++)
		check_round_trip(cairn, random_trace(3000, 1 + i % 5, false, i), false);
}

static void sections_share_their_predictors(void **state)
{
	check_round_trip(*state, random_trace(2 * RZ3_SECTION + 1234, 3, false, 99), false);
	check_round_trip(*state, random_trace(RZ3_SECTION, 1, false, 98), false);
}

static void snapshots_come_back_to_this_program(void **state)
{
	for (unsigned i = 0; i < 20; i++)
		check_round_trip(*state, random_trace(3000, 2, true, 1000 + i), true);
}

static void nothing_comes_back_as_nothing(void **state)
{
	check_round_trip(*state, (struct bytes){malloc(1), 0}, false);
}

/* The last of several PAVADIFFs is predicted, the others spelt out; differences that are
 * not pages are kept. */
static void all_pavadiffs_before_an_instruction_are_kept(void **state)
{
	struct bytes bytes = {calloc(9, SIZE), (size_t)9 * SIZE};
	for (unsigned i = 0; i < 9; i++) {
		uint8_t *p = bytes.p + (size_t)i * SIZE;
		p[0] = i % 3 == 2 ? CAIRN_RST_INSTR : CAIRN_RST_PAVADIFF;
		base_put_be64(p + 8, i % 3 == 2 ? 0x10000 : 0x2000 * (i + 1) + (i == 4));
	}
	check_round_trip(*state, bytes, false);
}

/* ---- what is lost ---- */

static const struct {
	const char *record, *field;
} lossy_records[] = {
	{"030000000100000000000000000010000000000000001234", "ea_va of this INSTR"},
	{"030200000100000000000000000010000000000000001234", "ea_va of this INSTR"},
	{"034200000100000000000000000010000000000000000000", "ea_valid of this INSTR"},
	{"030600000100000000000000000010000000000000000000", "bt of this INSTR"},
	{"038100000100000000000000000010000000000000000000", "reserved bits of this INSTR"},
	{"030000010100000000000000000010000000000000000000", "reserved bits of this INSTR"},
	{"118200080800001200000000000000000000000002a50000", "traplevel of this PREG"},
	{"1182000000000012000000000000000002a4000002a50000", "primA of this PREG"},
	{"11820000000000120000000000000000e2a50000e2a50000", "primA of this PREG"},
	{"1182000000000012000000000000000002a5000102a50000", "secA of this PREG"},
	{"09000105070900000000000000000001000000000000000", "regid1 of this REGVAL"},
	{"090001050700000000000000000000010000000000000007", "value1 of this REGVAL"},
	{"1300000022a5000000000000000000000000000000000000", "icontext of this PAVADIFF"},
	{"130000000000000000000000000000000000000000002000", "ea_pa_va of this PAVADIFF"},
	{"1380000002a522a500000000000020000000000000002000", "dcontext of this PAVADIFF"},
	{"1a40000000000000000000000000100000000000000000ff", "size of this MEMVAL"},
	{"1aa00010000000000000000000001000000000000000000", "addr of this MEMVAL"},
	{"1a6000040000000000000000000010000000000000000001", "reserved bits of this MEMVAL"},
	{"0d02000000000040000000000000000000000000000000", "reserved bits of this DMA"},
	{"050100000000000000000000000000000000000000000000", "reserved bits of this TLB"},
	{"071000000000000000000000000000000000000000000000", "reserved bits of this TRAP"},
	{"1f00061000000040000000000000001000000000000000ff", "va of this RFS_CW"},
	{"1f0002008084000000000000000010000000000010001000", "fcn of this RFS_CW"},
	{"2000200040000010000000000000100000000000000010f0", "RFS_BT cannot be packed"},
};

static void from_hex(const char *hex, uint8_t *rec)
{
	memset(rec, 0, SIZE);
	for (unsigned i = 0; i < SIZE && strlen(hex) >= 2 * i + 2; i++) {
		unsigned v;
		assert_int_equal(sscanf(hex + 2 * i, "%2x", &v), 1);
		rec[i] = (uint8_t)v;
	}
}

static void what_cannot_be_carried_is_refused_by_name(void **state)
{
	struct cairn *cairn = *state;
	for (unsigned i = 0; i < sizeof lossy_records / sizeof *lossy_records; i++) {
		uint8_t two[2 * SIZE] = {CAIRN_RST_NULLREC}, canon[SIZE];
		struct bytes packed;
		struct base_buf back;
		char losses[2048] = "";
		from_hex(lossy_records[i].record, two + SIZE);
		assert_int_equal(pack(cairn, two, 2, false, &packed, NULL), CAIRN_E_LOSS);
		assert_ptr_equal(strstr(sentence, "record 2: "), sentence);
		if (!strstr(sentence, lossy_records[i].field))
			fail_msg("%s: %s", lossy_records[i].record, sentence);
		assert_int_equal(pack(cairn, two, 2, true, &packed, losses), 0);
		assert_non_null(strstr(losses, " 1 from 2; "));
		assert_int_equal(unpack(cairn, packed.p, packed.n, &back, NULL), 0);
		assert_int_equal(back.len, 2 * SIZE);
		rz3_canonical(two + SIZE, RZ3_MINOR, canon);
		assert_memory_equal(back.data + SIZE, canon, SIZE);
		base_buf_free(&back);
		free(packed.p);
	}
}

/* Whatever a record is: refused and changed, or taken and kept. */
static void random_bytes_are_kept_or_refused(void **state)
{
	struct cairn *cairn = *state;
	unsigned refused = 0;
	seed = 4711;
	for (unsigned i = 0; i < 1500; i++) {
		uint8_t rec[SIZE], canon[SIZE];
		struct bytes packed = {0};
		struct base_buf back;
		for (unsigned k = 0; k < SIZE; k++)
			rec[k] = chance(2) ? 0 : (uint8_t)rnd();
		rec[0] = (uint8_t)(i % 40);
		rz3_canonical(rec, RZ3_MINOR, canon);
		bool keeps = memcmp(rec, canon, SIZE) == 0 && rec[0] != CAIRN_RST_RFS_BT;
		int rc = pack(cairn, rec, 1, false, &packed, NULL);
		assert_int_equal(rc, keeps ? 0 : CAIRN_E_LOSS);
		refused += !keeps;
		if (!keeps)
			continue;
		assert_int_equal(unpack(cairn, packed.p, packed.n, &back, NULL), 0);
		assert_memory_equal(back.data, rec, SIZE);
		base_buf_free(&back);
		free(packed.p);
	}
	assert_in_range(refused, 250, 1250);
}

static void losses_are_counted_by_kind(void **state)
{
	uint8_t recs[4 * SIZE];
	struct bytes packed;
	char losses[2048] = "";
	from_hex(lossy_records[0].record, recs);
	from_hex(lossy_records[0].record, recs + SIZE);
	from_hex("038100000100000000000000000010000000000000000001", recs + 2 * SIZE);
	from_hex("0b", recs + 3 * SIZE);
	assert_int_equal(pack(*state, recs, 4, true, &packed, losses), 0);
	assert_string_equal(losses, "INSTR.ea_va 3 from 1; INSTR.reserved bits 1 from 3; ");
	free(packed.p);
}

/* ---- files made by hand ---- */

struct maker {
	uint8_t b[4096];
	size_t n;
};

static void add(struct maker *maker, const char *hex)
{
	for (; *hex; hex++) {
		unsigned v;
		if (*hex == ' ')
			continue;
		assert_int_equal(sscanf(hex++, "%2x", &v), 1);
		maker->b[maker->n++] = (uint8_t)v;
	}
}

static void add_text(struct maker *maker, const char *text, size_t n)
{
	strncpy((char *)maker->b + maker->n, text, n);
	maker->n += n;
}

/* A section of one TLB record, as 3.19 and before packed it: 26 bits of fields. */
static void add_old_tlb(struct maker *maker, unsigned minor)
{
	add_text(maker, RZ3_MAGIC, 16);
	maker->b[maker->n] = 3;
	maker->b[maker->n + 1] = (uint8_t)minor;
	maker->n += 8;
	add_text(maker, RZ3_SECTION_MAGIC, 16);
	memset(maker->b + maker->n, 0, 216);
	base_put_be32(maker->b + maker->n, 1);
	static const struct {
		unsigned array, count;
	} counts[] = {{RZ3_KEY, 1}, {RZ3_TYPE, 1}, {RZ3_RAW64, 2}, {RZ3_TLB, 1}};
	for (unsigned i = 0; i < 4; i++)
		base_put_be32(maker->b + maker->n + 16 + 4 * counts[i].array, counts[i].count);
	maker->n += 216;
	add(maker, "0000000000000003 0000000000000005 1122334455667788 99aabbccddeeff00");
	/* demap, index 0x1234, type D, number 2, CPU 41 */
	uint32_t v = 1u << 25 | 0x1234 << 9 | 1 << 8 | 2 << 6 | 41;
	base_put_be64(maker->b + maker->n, v);
	maker->n += 8;
}

static void sections_of_old_versions_are_read(void **state)
{
	struct maker maker = {.n = 0};
	struct base_buf back;
	uint8_t expected[SIZE];
	add_old_tlb(&maker, 19);
	if (unpack(*state, maker.b, maker.n, &back, NULL) < 0)
		fail_msg("%s", sentence);
	from_hex("05c01234a9000000112233445566778899aabbccddeeff00", expected);
	assert_int_equal(back.len, SIZE);
	assert_memory_equal(back.data, expected, SIZE);
	base_buf_free(&back);
}

static void versions_that_are_not_known_are_refused(void **state)
{
	static const uint8_t versions[][2] = {{3, 14}, {3, 21}, {4, 0}, {2, 1}};
	for (unsigned i = 0; i < 4; i++) {
		struct maker maker = {.n = 0};
		struct base_buf back;
		add_text(&maker, RZ3_MAGIC, 24);
		memcpy(maker.b + 16, versions[i], 2);
		assert_int_equal(unpack(*state, maker.b, maker.n, &back, NULL), CAIRN_E_UNSUPPORTED);
		assert_non_null(strstr(sentence, "3.20 and older can be read"));
	}
	struct base_buf back;
	static const char one[] = "RZ1 and what follows";
	assert_int_equal(unpack(*state, one, sizeof one, &back, NULL), CAIRN_E_UNSUPPORTED);
	assert_non_null(strstr(sentence, "version 1"));
	assert_int_equal(unpack(*state, "PK\3\4", 4, &back, NULL), CAIRN_E_FORMAT);
}

static void packings_are_recognised_by_content(void **state)
{
	(void)state;
	assert_int_equal(rst_packing_of((const uint8_t *)RZ3_MAGIC, 16), RST_PACKING_RZ3);
	assert_int_equal(rst_packing_of((const uint8_t *)RZ3_MAGIC, 15), RST_PACKING_NONE);
	assert_int_equal(rst_packing_of((const uint8_t *)"RZ2 -- Rstzip2 c", 16), RST_PACKING_RZ2);
	assert_int_equal(rst_packing_of((const uint8_t *)"RZ1 anything", 12), RST_PACKING_RZ1);
	assert_int_equal(rst_packing_of((const uint8_t *)"", 0), RST_PACKING_NONE);
	assert_string_equal(rst_packing_name(RST_PACKING_RZ2), "rstzip2");
}

static void add_rz2_header(struct maker *maker, unsigned cpus)
{
	maker->n += (size_t)sprintf((char *)maker->b,
	                            "RZ2 -- Rstzip2 compressed RST file.\n"
	                            "Rstzip2 version: 2.01.\nNumcpus=%u.\n",
	                            cpus);
	maker->n = 512;
}

/* Length, then payload. */
static void add_block(struct maker *maker, const char *hex)
{
	size_t at = maker->n;
	maker->n += 4;
	add(maker, hex);
	base_put_be32(maker->b + at, (uint32_t)(maker->n - at - 4));
}

static void check_records(const struct base_buf *buf, const char *const *hex, unsigned n)
{
	uint8_t rec[SIZE];
	assert_int_equal(buf->len, n * SIZE);
	for (unsigned i = 0; i < n; i++) {
		from_hex(hex[i], rec);
		if (memcmp(buf->data + (size_t)i * SIZE, rec, SIZE) != 0)
			fail_msg("record %u is not as expected", i + 1);
	}
}

/* A load and a branch, with a register value between them; then both again. */
static void a_file_of_version_2_is_read(void **state)
{
	struct maker maker = {.n = 0};
	struct base_buf back;
	struct rst_unzip_info info;
	add_rz2_header(&maker, 1);
	add_block(&maker, "02020d25 52535420486561646572 2076322e3133 00000000 "
	                  "a2 0002 0000000000001000 c2584000 12800004 41 04 0000000000002000 01 b8 "
	                  "a3 0002 0000000000001000 40 00 08 a1");
	add_block(&maker, "a1");
	add(&maker, "0001020304"); /* statistics */
	if (unpack(*state, maker.b, maker.n, &back, &info) < 0)
		fail_msg("%s", sentence);
	static const char *const expected[] = {"02020d25525354204865616465722076322e313300000000",
	                                       "03400000c258400000000000000010000000000000002000",
	                                       "098001050100000000000000000000040000000000000000",
	                                       "030400001280000400000000000010040000000000001014",
	                                       "03400000c258400000000000000010000000000000002008",
	                                       "03000000128000040000000000001004000000000000100c"};
	check_records(&back, expected, 6);
	assert_int_equal(info.packing, RST_PACKING_RZ2);
	assert_int_equal(info.cpus, 1);
	assert_int_equal(info.major * 100 + info.minor, 201);
	base_buf_free(&back);
}

static void cpus_of_version_2_interleave(void **state)
{
	struct maker maker = {.n = 0};
	struct base_buf back;
	add_rz2_header(&maker, 0);
	add_block(&maker, "0001 07000001 0001");
	add_block(&maker, "a2 0002 0000000000001000 01000000 01000000 00 00 a1"
	                  "a2 0001 0000000000003000 9de3bf40 00 a1");
	add_block(&maker, "ff00");
	if (unpack(*state, maker.b, maker.n, &back, NULL) < 0)
		fail_msg("%s", sentence);
	static const char *const expected[] = {"030000000100000000000000000010000000000000000000",
	                                       "03001c009de3bf4000000000000030000000000000000000",
	                                       "030000000100000000000000000010040000000000000000"};
	check_records(&back, expected, 3);
	base_buf_free(&back);
}

/* With PSTATE.AM a branch that is taken goes to an address of 32 bits. */
static void branches_of_version_2_obey_the_address_mask(void **state)
{
	struct maker maker = {.n = 0};
	struct base_buf back;
	add_rz2_header(&maker, 1);
	add_block(&maker, "110000000000000800000000000000000000000000000000"
	                  "a2 0002 0000000100001000 12800004 12800004 04 00 a1");
	add_block(&maker, "a1");
	add(&maker, "0001020304"); /* statistics */
	if (unpack(*state, maker.b, maker.n, &back, NULL) < 0)
		fail_msg("%s", sentence);
	static const char *const expected[] = {"110000000000000800000000000000000000000000000000",
	                                       "030400001280000400000001000010000000000000001010",
	                                       "03000000128000040000000100001004000000010000100c"};
	check_records(&back, expected, 3);
	base_buf_free(&back);
}

/* ---- damage ---- */

static void a_truncated_file_gives_its_whole_sections(void **state)
{
	struct cairn *cairn = *state;
	struct bytes bytes = random_trace(RZ3_SECTION + 500, 2, false, 7), packed;
	assert_int_equal(pack(cairn, bytes.p, bytes.n / SIZE, false, &packed, NULL), 0);
	for (unsigned i = 0; i < 30; i++) {
		struct base_buf back;
		size_t n = i < 24 ? i : packed.n - 1 - (i - 24) * 1000;
		int rc = unpack(cairn, packed.p, n, &back, NULL);
		assert_int_equal(rc, i < 16 ? CAIRN_E_FORMAT : CAIRN_E_TRUNCATED);
		if (i >= 24) {
			assert_int_equal(back.len, (size_t)RZ3_SECTION * SIZE);
			assert_memory_equal(back.data, bytes.p, back.len);
			assert_ptr_equal(strstr(sentence, "section 2: the input ends "), sentence);
		}
		base_buf_free(&back);
	}
	free(packed.p);
	free(bytes.p);
}

static void flipped_bits_never_do_harm(void **state)
{
	struct cairn *cairn = *state;
	struct bytes bytes = random_trace(2000, 2, true, 8), packed;
	unsigned told = 0;
	assert_int_equal(pack(cairn, bytes.p, bytes.n / SIZE, true, &packed, NULL), 0);
	for (unsigned i = 0; i < 600; i++) {
		struct base_buf back;
		size_t at = 24 + (i < 300 ? i % 232 : rnd() % (packed.n - 24));
		uint8_t bit = (uint8_t)(1u << rnd() % 8);
		packed.p[at] ^= bit;
		int rc = unpack(cairn, packed.p, packed.n, &back, NULL);
		told += rc < 0;
		assert_true(rc == 0 || rc == CAIRN_E_DAMAGED || rc == CAIRN_E_TRUNCATED);
		assert_true(back.len <= bytes.n + (size_t)RZ3_SECTION * SIZE && back.len % SIZE == 0);
		packed.p[at] ^= bit;
		base_buf_free(&back);
	}
	assert_true(told > 200);
	free(packed.p);
	free(bytes.p);
}

static void damage_names_section_and_record(void **state)
{
	struct maker maker = {.n = 0};
	struct base_buf back;
	add_old_tlb(&maker, 20); /* announced with 30 bits, all the same */
	maker.b[24 + 32 + 4 * RZ3_RAW64 + 3] = 1;
	memmove(maker.b + maker.n - 16, maker.b + maker.n - 8, 8);
	assert_int_equal(unpack(*state, maker.b, maker.n - 8, &back, NULL), CAIRN_E_DAMAGED);
	assert_string_equal(sentence,
	                    "section 1: record 1: an array of its section has no more elements");
	base_buf_free(&back);

	maker = (struct maker){.n = 0};
	add_old_tlb(&maker, 20);
	maker.b[24 + 32 + 4 * RZ3_ZERO + 3] = 1;
	maker.n += 8;
	assert_int_equal(unpack(*state, maker.b, maker.n, &back, NULL), CAIRN_E_DAMAGED);
	assert_string_equal(sentence, "section 1: elements of array 8 are left over");
	assert_int_equal(back.len, SIZE); /* what was unpacked is given */
	base_buf_free(&back);
}

static void damage_of_version_2_is_told(void **state)
{
	static const struct {
		const char *block, *says;
	} cases[] = {
		{"a3 0002 0000000000001000 40 00 08 a1", "repeats a chunk"},
		{"a4 a1", "repeats a PAVADIFF"},
		{"a2 03e9 0000000000001000 a1", "more than 1000"},
		{"a2 0002 0000000000001000 a1", "ends within a record"},
		{"a2 0001 0000000000001000 01000000 01 05 a1", "unknown form"},
		{"0300", "ends within a record"},
		{"c8", "unknown form"},
		{"ad01", "ends within a record"},
		{"14000000000000000000000000000000 0000000000000000", "end mark"},
	};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct maker maker = {.n = 0};
		struct base_buf back;
		add_rz2_header(&maker, 1);
		add_block(&maker, cases[i].block);
		assert_int_equal(unpack(*state, maker.b, maker.n, &back, NULL), CAIRN_E_DAMAGED);
		if (strncmp(sentence, "block 1: record ", 16) != 0 || !strstr(sentence, cases[i].says))
			fail_msg("%s: %s", cases[i].block, sentence);
		base_buf_free(&back);
	}
}

static int setup(void **state)
{
	*state = cairn_new(NULL);
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	cairn_free(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_traces_come_back),
		cmocka_unit_test(sections_share_their_predictors),
		cmocka_unit_test(snapshots_come_back_to_this_program),
		cmocka_unit_test(nothing_comes_back_as_nothing),
		cmocka_unit_test(all_pavadiffs_before_an_instruction_are_kept),
		cmocka_unit_test(what_cannot_be_carried_is_refused_by_name),
		cmocka_unit_test(random_bytes_are_kept_or_refused),
		cmocka_unit_test(losses_are_counted_by_kind),
		cmocka_unit_test(sections_of_old_versions_are_read),
		cmocka_unit_test(versions_that_are_not_known_are_refused),
		cmocka_unit_test(packings_are_recognised_by_content),
		cmocka_unit_test(a_file_of_version_2_is_read),
		cmocka_unit_test(cpus_of_version_2_interleave),
		cmocka_unit_test(branches_of_version_2_obey_the_address_mask),
		cmocka_unit_test(a_truncated_file_gives_its_whole_sections),
		cmocka_unit_test(flipped_bits_never_do_harm),
		cmocka_unit_test(damage_names_section_and_record),
		cmocka_unit_test(damage_of_version_2_is_told),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
