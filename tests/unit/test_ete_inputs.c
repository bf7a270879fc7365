/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an ETE trace is read from: the text files of a snapshot, CoreSight frames, memory
 * spaces.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "formats/ete/format.h"
#include "formats/ete/read/ini.h"
#include "image/image.h"

static struct cairn *ctx;
static char folder[64];

static int setup(void **state)
{
	(void)state;
	ctx = cairn_new(NULL);
	strcpy(folder, "/tmp/cairn-ete-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
	char command[128];
	(void)state;
	cairn_free(ctx);
	snprintf(command, sizeof command, "rm -r %s", folder);
	return system(command);
}

static void file(const char *name, const void *data, size_t n)
{
	char path[256];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	assert_true(fwrite(data, 1, n, f) == n);
	assert_int_equal(fclose(f), 0);
}

static void text(const char *name, const char *s)
{
	file(name, s, strlen(s));
}

/* ---- INI ---- */

static void test_ini_reads_what_tools_write(void **state)
{
	static const char s[] =
		"; a comment\r\n[device]\r\n name = cpu_0 ; behind\r\ntype=\"ARM-AA64\"\r\n"
		"\r\n[regs]\nTRCIDR0(id:0x80)=0xA1\n[regs2]\n[ core_trace_sources ]\na=x\na=y";
	struct ete_ini ini;
	const struct ete_ini_key *key;
	uint64_t v;
	(void)state;
	assert_int_equal(ete_ini_parse(ctx, "f.ini", (const uint8_t *)s, sizeof s - 1, &ini), 0);
	const struct ete_ini_section *dev = ete_ini_section(&ini, "DEVICE");
	assert_string_equal(ete_ini_find(&ini, dev, "name")->value, "cpu_0");
	assert_int_equal(ete_ini_find(&ini, dev, "name")->line, 3);
	assert_string_equal(ete_ini_find(&ini, dev, "Type")->value, "ARM-AA64");
	assert_null(ete_ini_find(&ini, dev, "a"));
	assert_int_equal(ete_ini_need(&ini, ete_ini_section(&ini, "regs"), "TRCIDR0(id:0x80)", &key),
	                 0);
	assert_int_equal(ete_ini_number(&ini, key, &v), 0);
	assert_int_equal(v, 0xa1);
	assert_int_equal(ete_ini_section(&ini, "core_trace_sources")->n, 2);
	ete_ini_free(&ini);
}

static void test_ini_says_what_is_wrong_and_where(void **state)
{
	static const struct {
		const char *text, *error;
	} odd[] = {
		{"a=1\n", "f.ini: line 1: a key before the first [section]: 'a'"},
		{"[s]\na=1\n\na=2\n", "f.ini: line 4: 'a' was given in line 2 already"},
		{"[s\n", "f.ini: line 1: a section without its ']': '[s'"},
		{"[s]\nnothing\n", "f.ini: line 2: neither [section] nor key=value: 'nothing'"},
		{"[s]\n=1\n", "f.ini: line 2: neither [section] nor key=value: '=1'"},
	};
	struct ete_ini ini;
	(void)state;
	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
		const uint8_t *p = (const uint8_t *)odd[i].text;
		assert_int_equal(ete_ini_parse(ctx, "f.ini", p, strlen(odd[i].text), &ini),
		                 CAIRN_E_DAMAGED);
		assert_string_equal(cairn_error_text(ctx), odd[i].error);
	}
	assert_int_equal(ete_ini_parse(ctx, "f.ini", (const uint8_t *)"[s]\0", 4, &ini),
	                 CAIRN_E_DAMAGED);
}

static void test_ini_numbers(void **state)
{
	static const struct {
		const char *value;
		int status;
		uint64_t number;
	} numbers[] = {{"0", 0, 0},
	               {"10", 0, 10},
	               {"0xfF", 0, 255},
	               {"0xffffffffffffffff", 0, UINT64_MAX},
	               {"0x10000000000000000", CAIRN_E_DAMAGED, 0},
	               {"18446744073709551616", CAIRN_E_DAMAGED, 0},
	               {"0x", CAIRN_E_DAMAGED, 0},
	               {"1a", CAIRN_E_DAMAGED, 0},
	               {"-1", CAIRN_E_DAMAGED, 0}};
	struct ete_ini ini = {.cairn = ctx, .path = (char *)(uintptr_t) "f.ini"};
	(void)state;
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		struct ete_ini_key key = {"key", numbers[i].value, 7};
		uint64_t v = 0;
		assert_int_equal(ete_ini_number(&ini, &key, &v), numbers[i].status);
		assert_int_equal(v, numbers[i].number);
	}
}

/* ---- snapshots ---- */

static const char snapshot_ini[] = "[snapshot]\nversion=1.0\n[device_list]\na=cpu.ini\nb=ete.ini\n"
								   "[trace]\nmetadata=trace.ini\n";
static const char ete_ini[] = "[device]\nname=E\nclass=trace_source\ntype=ETE.1\n[regs]\n"
							  "TRCCONFIGR(0x4)=0x1\nTRCTRACEIDR=0x10\nTRCIDR0=0\nTRCIDR2=0\n";
static const char cpu_ini[] =
	"[device]\nname=cpu_7\nclass=core\ntype=Cortex-A53\n"
	"[dump1]\nfile=code.bin\naddress=0x1000\noffset=4\nlength=8\nspace=EL1S\n"
	"[dump2]\nfile=gone.bin\naddress=0x2000\n[dump3]\nfile=code.bin\n"
	"address=0x3000\nlength=0x100\n";
static const char trace_ini[] = "[trace_buffers]\nbuffers=b0,\n[b0]\nname=B\nfile=s1.bin,s2.bin\n"
								"format=source_data\n[source_buffers]\nE=B\n[core_trace_sources]\n"
								"cpu_7=E\n";

static void write_snapshot(void)
{
	text("snapshot.ini", snapshot_ini);
	text("ete.ini", ete_ini);
	text("cpu.ini", cpu_ini);
	text("trace.ini", trace_ini);
	file("code.bin", "0123456789abcdef", 16);
	file("s1.bin", "\0\0\0\0\0\0\0\0", 8);
	file("s2.bin", "\0\0\0\x80\x01\0\x04", 7);
}

static struct ete_snapshot *open_snapshot(int status)
{
	struct ete_snapshot *snapshot;
	char path[128];
	snprintf(path, sizeof path, "%s/snapshot.ini", folder);
	assert_int_equal(ete_snapshot_open(ctx, path, &snapshot), status);
	return snapshot;
}

static void test_snapshot_is_read(void **state)
{
	uint8_t buf[16];
	(void)state;
	write_snapshot();
	struct ete_snapshot *snapshot = open_snapshot(0);
	assert_int_equal(snapshot->n_cores, 1);
	assert_int_equal(snapshot->cores[0].level, ISA_ARM_V8);
	assert_int_equal(snapshot->n_units, 1);
	assert_true(snapshot->units[0].decoded);
	assert_int_equal(snapshot->units[0].core, 0);
	assert_int_equal(snapshot->units[0].regs.value[ETE_TRCTRACEIDR], 0x10);
	assert_int_equal(snapshot->units[0].regs.value[ETE_TRCDEVARCH], 0x47705a13);
	assert_int_equal(snapshot->n_sessions, 1);
	assert_int_equal(snapshot->sessions[0].n_files, 2);
	/* A part of the file, in one space only. */
	const struct cairn_image *im = snapshot->cores[0].image;
	assert_int_equal(cairn_image_read_in(im, CAIRN_IMAGE_EL1S, 0x1000, buf, 16), 8);
	assert_memory_equal(buf, "456789ab", 8);
	assert_int_equal(cairn_image_read_in(im, CAIRN_IMAGE_EL1N, 0x1000, buf, 16), 0);
	assert_int_equal(cairn_image_read(im, 0x1000, buf, 16), 8);
	/* What is missing is told, what is there is used. */
	assert_int_equal(cairn_image_read_in(im, CAIRN_IMAGE_EL1N, 0x3000, buf, 16), 16);
	assert_int_equal(snapshot->n_notes, 2);
	assert_string_equal(snapshot->notes[0].text,
	                    "cpu.ini: line 11: no program bytes from 0x2000: gone.bin: "
	                    "No such file or directory");
	assert_string_equal(snapshot->notes[1].text,
	                    "cpu.ini: line 14: code.bin ends before the dump from 0x3000 is complete");
	ete_snapshot_free(snapshot);
}

static void test_session_of_several_files_is_one(void **state)
{
	struct cairn_reader *reader;
	struct cairn_record rec;
	unsigned n = 0;
	(void)state;
	write_snapshot();
	assert_int_equal(cairn_open(ctx, folder, NULL, &reader), 0);
	while (cairn_next_record(reader, &rec) > 0)
		n++;
	assert_int_equal(n, 3); /* Async over both files, Trace Info, Trace On */
	assert_int_equal(cairn_damage_count(reader), 2);
	cairn_close(reader);
}

static void refuse(const char *name, const char *contents, const char *error)
{
	write_snapshot();
	text(name, contents);
	struct ete_snapshot *snapshot = open_snapshot(CAIRN_E_DAMAGED);
	ete_snapshot_free(snapshot);
	if (!strstr(cairn_error_text(ctx), error))
		fail_msg("'%s' has no '%s'", cairn_error_text(ctx), error);
}

static void test_snapshot_says_what_is_wrong(void **state)
{
	(void)state;
	refuse("snapshot.ini", "[snapshot]\n", "snapshot.ini: line 1: [snapshot] has no 'version='");
	refuse("snapshot.ini", "[snapshot]\nversion=1.0\n", "no device in [device_list]");
	refuse("snapshot.ini", "[snapshot]\nversion=1.0\n[device_list]\na=cpu.ini\n",
	       "there is no [trace]");
	refuse("ete.ini",
	       "[device]\nname=E\nclass=trace_source\ntype=ETE\n[regs]\nTRCIDR0=0x100000000\n",
	       "line 6: TRCIDR0 has 32 bits");
	refuse("cpu.ini", "[device]\nname=c\nclass=core\n[dump]\nfile=x\naddress=0\nspace=EL9\n",
	       "line 7: no memory space is called 'EL9'");
	refuse("cpu.ini", "[device]\nname=c\nclass=core\n[dump]\nfile=x\n", "[dump] has no 'address='");
	refuse("trace.ini", "[trace_buffers]\nbuffers=b1\n", "line 2: there is no section [b1]");
}

/* What one file lacks, or names that no device has, is said; everything else is read. */
static void odd(const char *name, const char *contents, size_t notes, bool lost, const char *note)
{
	write_snapshot();
	text("cpu.ini", "[device]\nname=cpu_7\nclass=core\n");
	text(name, contents);
	struct ete_snapshot *snapshot = open_snapshot(0);
	assert_int_equal(snapshot->n_notes, notes);
	assert_string_equal(snapshot->notes[0].text, note);
	assert_int_equal(snapshot->notes[0].lost, lost);
	ete_snapshot_free(snapshot);
}

static void test_what_a_snapshot_lacks_is_read_without(void **state)
{
	static const char buffer[] = "[trace_buffers]\nbuffers=b\n[b]\nname=B\nfile=s1.bin\n"
								 "format=source_data\n";
	char trace[512];
	(void)state;
	odd("ete.ini", "[device]\nname=E\nclass=trace_source\ntype=ETE\n[regs]\nTRCCONFIGR=1\n", 1,
	    true,
	    "ete.ini: an ETE source needs its TRCTRACEIDR in [regs]; what it wrote cannot be decoded");
	odd("snapshot.ini",
	    "[snapshot]\nversion=1.0\n[device_list]\na=gone.ini\nb=ete.ini\nc=cpu.ini\n"
	    "[trace]\nmetadata=trace.ini\n",
	    1, true, "snapshot.ini: line 4: no device is read: gone.ini: No such file or directory");
	snprintf(trace, sizeof trace, "%s[source_buffers]\nX=B\nE=B\n", buffer);
	odd("trace.ini", trace, 1, false, "trace.ini: line 8: no trace source is called 'X'");
	snprintf(trace, sizeof trace, "%s[core_trace_sources]\nX=E\nX=Y\n", buffer);
	odd("trace.ini", trace, 2, false, "trace.ini: line 8: no core is called 'X'");
	/* A core that is only named is a core. */
	struct ete_snapshot *snapshot = open_snapshot(0);
	assert_int_equal(snapshot->n_cores, 2);
	assert_string_equal(snapshot->cores[snapshot->units[0].core].name, "X");
	ete_snapshot_free(snapshot);
}

/* ---- whose files ---- */

static const char *const leading_out[] = {"/etc/passwd", "../passwd", "in/../../passwd",
                                          "..\\passwd",  "in/link",   "in/folder/passwd",
                                          "out"};
static const char *const staying_in[] = {"s1.bin",    "in/../s1.bin", "in/s1.bin",
                                         "./in/back", "in//./s1.bin", "..s1.bin"};

static struct ete_snapshot *snapshot_of_file(const char *name, bool trusts)
{
	char path[256], ini[512];
	struct cairn_opts opts = {.size = sizeof opts, .trust_paths = trusts};
	struct ete_snapshot *snapshot;
	write_snapshot();
	text("cpu.ini", "[device]\nname=cpu_7\nclass=core\n");
	snprintf(ini, sizeof ini,
	         "[trace_buffers]\nbuffers=b\n[b]\nname=B\nfile=%s\nformat=source_data\n"
	         "[source_buffers]\nE=B\n",
	         name);
	text("trace.ini", ini);
	snprintf(path, sizeof path, "%s/snapshot.ini", folder);
	cairn_free(ctx);
	ctx = cairn_new(&opts);
	assert_int_equal(ete_snapshot_open(ctx, path, &snapshot), 0);
	return snapshot;
}

static void link_to(const char *to, const char *name)
{
	char path[256];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	assert_int_equal(symlink(to, path), 0);
}

static void test_files_lie_in_the_snapshot(void **state)
{
	char path[256];
	(void)state;
	snprintf(path, sizeof path, "%s/in", folder);
	assert_int_equal(mkdir(path, 0777), 0);
	link_to("/etc/passwd", "in/link");
	link_to("/etc", "in/folder");
	link_to("in/link", "out");
	link_to("../s1.bin", "in/back");
	file("in/s1.bin", "x", 1);
	for (size_t i = 0; i < sizeof leading_out / sizeof *leading_out; i++) {
		struct ete_snapshot *snapshot = snapshot_of_file(leading_out[i], false);
		assert_int_equal(snapshot->sessions[0].n_files, 0);
		assert_int_equal(snapshot->n_notes, 1);
		assert_true(snapshot->notes[0].lost);
		assert_non_null(strstr(snapshot->notes[0].text, "lies outside the folder of the snapshot"));
		ete_snapshot_free(snapshot);
		snapshot = snapshot_of_file(leading_out[i], true);
		assert_int_equal(snapshot->sessions[0].n_files, 1);
		assert_int_equal(snapshot->n_notes, 0);
		ete_snapshot_free(snapshot);
	}
	for (size_t i = 0; i < sizeof staying_in / sizeof *staying_in; i++) {
		struct ete_snapshot *snapshot = snapshot_of_file(staying_in[i], false);
		assert_int_equal(snapshot->sessions[0].n_files, 1);
		assert_int_equal(snapshot->n_notes, 0);
		ete_snapshot_free(snapshot);
	}
}

static void test_cores_have_levels(void **state)
{
	(void)state;
	assert_int_equal(ete_core_level("Cortex-A9"), ISA_ARM_V7);
	assert_int_equal(ete_core_level("Cortex-A53"), ISA_ARM_V8);
	assert_int_equal(ete_core_level("Cortex-R52"), ISA_ARM_V8_3);
	assert_int_equal(ete_core_level("ARMv7-A"), ISA_ARM_V7);
	assert_int_equal(ete_core_level("ARMv8-A"), ISA_ARM_V8);
	assert_int_equal(ete_core_level("ARMv8.3-A"), ISA_ARM_V8_3);
	assert_int_equal(ete_core_level("ARMv9.2-A"), ISA_ARM_AA64);
	assert_int_equal(ete_core_level("ARM-AA64"), ISA_ARM_AA64);
	assert_int_equal(ete_core_level(""), ISA_ARM_AA64);
}

/* ---- frames ---- */

/* A formatter: the next byte of some source, in frames. */
struct formatter {
	struct base_buf out;
	uint8_t frame[16];
	unsigned n;
	int id;
};

static void frame_end(struct formatter *formatter)
{
	base_buf_put(&formatter->out, formatter->frame, 16);
	memset(formatter->frame, 0, sizeof formatter->frame);
	formatter->n = 0;
}

static void format_byte(struct formatter *formatter, int id, uint8_t byte)
{
	if (id != formatter->id) {
		assert_int_equal(formatter->n % 2, 0); /* IDs stand at even places */
		formatter->frame[formatter->n++] = (uint8_t)(id << 1 | 1);
		formatter->id = id;
		if (formatter->n == 15) {
			frame_end(formatter);
			formatter->frame[formatter->n++] = (uint8_t)(byte & 0xfe);
			formatter->frame[15] |= byte & 1;
			return;
		}
		formatter->frame[formatter->n++] = byte;
		return;
	}
	if (formatter->n % 2 == 0) {
		formatter->frame[formatter->n] = (uint8_t)(byte & 0xfe);
		formatter->frame[15] |= (uint8_t)((byte & 1) << (formatter->n / 2));
	} else {
		formatter->frame[formatter->n] = byte;
	}
	if (++formatter->n == 15)
		frame_end(formatter);
}

static void make_frames(struct formatter *formatter, uint8_t want[3][4096], size_t *n)
{
	unsigned seed = 5;
	int id = 1;
	base_buf_init(&formatter->out, ctx);
	formatter->id = -1;
	for (unsigned i = 0; i < 3000; i++) {
		seed = seed * 1103515245 + 12345;
		if (formatter->n % 2 == 0 && (seed >> 16) % 5 == 0)
			id = 1 + (int)((seed >> 20) % 3);
		uint8_t byte = (uint8_t)(seed >> 24);
		format_byte(formatter, id, byte);
		want[id - 1][n[id - 1]++] = byte;
	}
	while (formatter->n) { /* fill up with the null source */
		if (formatter->n % 2 == 0 && formatter->id != 0) {
			formatter->frame[formatter->n++] = 1;
			formatter->id = 0;
		} else {
			formatter->n++;
		}
		if (formatter->n == 15)
			frame_end(formatter);
	}
}

static const struct ete_lane *lane_of(const struct ete_frames *frames, unsigned id)
{
	for (size_t i = 0; i < frames->n_lanes; i++)
		if (frames->lanes[i]->id == id)
			return frames->lanes[i];
	return NULL;
}

static void same_lanes(const struct ete_frames *frames, uint8_t want[3][4096], const size_t *n,
                       const uint8_t *framed)
{
	for (unsigned id = 1; id <= 3; id++) {
		const struct ete_lane *lane = lane_of(frames, id);
		assert_non_null(lane);
		assert_int_equal(lane->bytes.len, n[id - 1]);
		assert_memory_equal(lane->bytes.data, want[id - 1], n[id - 1]);
		for (size_t i = 0; framed && i < lane->bytes.len; i++) /* all but the lowest bit */
			assert_int_equal(framed[ete_runs_offset(&lane->runs, i)] & 0xfe,
			                 lane->bytes.data[i] & 0xfe);
	}
}

/* All at once, or in pieces: what comes out is the same. */
static size_t piece = SIZE_MAX;
static int take(struct ete_frames *frames, const uint8_t *p, size_t n)
{
	size_t at = 0, upto = 0, used;
	int rc;
	do {
		upto = piece < n - upto ? upto + piece : n;
		rc = ete_frames_take(frames, p + at, upto - at, upto == n, &used);
		at += used;
		assert_true(upto - at < 16);
	} while (rc >= 0 && upto < n);
	assert_int_equal(at, n);
	return rc;
}

static void frames_come_apart(void)
{
	static uint8_t want[3][4096];
	size_t n[3] = {0};
	struct formatter formatter = {.n = 0};
	struct ete_frames frames;
	make_frames(&formatter, want, n);
	ete_frames_init(&frames, ctx, ETE_FRAMES);
	assert_int_equal(take(&frames, formatter.out.data, formatter.out.len), 0);
	same_lanes(&frames, want, n, formatter.out.data);
	assert_int_equal(frames.ownerless + frames.reserved + frames.broken + frames.resets, 0);
	ete_frames_free(&frames);
	/* The same with synchronisation: words between frames, half words within. */
	struct base_buf buf;
	base_buf_init(&buf, ctx);
	for (size_t i = 0; i < formatter.out.len; i += 16) {
		if (i / 16 % 3 == 0)
			base_buf_put(&buf, "\xff\xff\xff\x7f\xff\xff\xff\x7f", i % 32 ? 4 : 8);
		size_t half = i / 16 % 8 * 2;
		base_buf_put(&buf, formatter.out.data + i, half);
		base_buf_put(&buf, "\xff\x7f", 2);
		base_buf_put(&buf, formatter.out.data + i + half, 16 - half);
	}
	ete_frames_init(&frames, ctx, ETE_FRAMES_SYNC);
	assert_int_equal(take(&frames, buf.data, buf.len), 0);
	same_lanes(&frames, want, n, buf.data);
	assert_int_equal(frames.broken, 0);
	ete_frames_free(&frames);
	base_buf_free(&buf);
	base_buf_free(&formatter.out);
}

static void test_frames_come_apart(void **state)
{
	(void)state;
	frames_come_apart();
	for (piece = 1; piece < 70; piece = piece * 3 / 2 + 1)
		frames_come_apart();
	piece = SIZE_MAX;
}

static void test_frames_flag_of_an_id_delays_it(void **state)
{
	/* ID 1; 0xaa | flag; then ID 2 with its flag set: one more byte is 1's. */
	static const uint8_t late[16] = {0x03, 0x11, 0x05, 0x12, 0x20, 0x21, 0x07, 0x30, [15] = 0x06};
	struct ete_frames frames;
	(void)state;
	ete_frames_init(&frames, ctx, ETE_FRAMES);
	assert_int_equal(take(&frames, late, 16), 0);
	assert_int_equal(lane_of(&frames, 1)->bytes.len, 2);
	assert_memory_equal(lane_of(&frames, 1)->bytes.data, "\x11\x12", 2);
	assert_memory_equal(lane_of(&frames, 2)->bytes.data, "\x21\x21", 2);
	assert_memory_equal(lane_of(&frames, 3)->bytes.data, "\x30", 1);
	ete_frames_free(&frames);
}

static void test_frames_barrier_begins_anew(void **state)
{
	static const uint8_t barrier[16] = {0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f,
	                                    0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f};
	uint8_t bytes[64] = {0x03, 0x11};
	struct ete_frames frames;
	(void)state;
	memcpy(bytes + 16, barrier, 16);
	bytes[32] = 0x44; /* nobody's: the source is forgotten */
	bytes[48] = 0x03;
	ete_frames_init(&frames, ctx, ETE_FRAMES);
	assert_int_equal(take(&frames, bytes, 64), 0);
	assert_int_equal(frames.resets, 1);
	assert_int_equal(frames.n_lanes, 2);
	assert_int_equal(frames.lanes[0]->id, 1);
	assert_int_equal(frames.lanes[1]->id, 1);
	assert_int_equal(frames.ownerless, 15);
	ete_frames_free(&frames);
}

static void test_frames_tell_what_is_odd(void **state)
{
	uint8_t bytes[20] = {0xe3, 0x11}; /* ID 0x71 */
	struct ete_frames frames;
	(void)state;
	ete_frames_init(&frames, ctx, ETE_FRAMES);
	assert_int_equal(take(&frames, bytes, 20), 0);
	assert_int_equal(frames.n_lanes, 0);
	assert_int_equal(frames.reserved, 14);
	assert_int_equal(frames.reserved_at, 1);
	assert_int_equal(frames.broken, 1);
	assert_int_equal(frames.broken_at, 16);
	ete_frames_free(&frames);
}

/* ---- images ---- */

static void test_spaces_see_their_own_bytes(void **state)
{
	struct cairn_image *im = cairn_image_new(ctx);
	char spec[128], buf[16] = "";
	(void)state;
	file("a.bin", "aaaaaaaa", 8);
	file("b.bin", "bbbb", 4);
	snprintf(spec, sizeof spec, "%s/a.bin@0x10", folder);
	assert_int_equal(cairn_image_add(im, spec), 0);
	assert_int_equal(image_view_of(im, &(struct image_seer){.space = CAIRN_IMAGE_EL3}),
	                 image_view_of(im, &(struct image_seer){.space = CAIRN_IMAGE_EL1N}));
	snprintf(spec, sizeof spec, "%s/b.bin@el2s:0x14", folder);
	assert_int_equal(cairn_image_add(im, spec), 0);
	assert_int_equal(cairn_image_read_in(im, CAIRN_IMAGE_EL1N, 0x10, buf, 9), 8);
	assert_string_equal(buf, "aaaaaaaa");
	assert_int_equal(cairn_image_read_in(im, CAIRN_IMAGE_EL2S, 0x10, buf, 9), 8);
	assert_string_equal(buf, "aaaabbbb");
	assert_int_equal(cairn_image_read(im, 0x10, buf, 9), 8);
	assert_string_equal(buf, "aaaabbbb");
	/* Laid over another one, spaces stay what they are. */
	struct cairn_image *under = cairn_image_new(ctx);
	snprintf(spec, sizeof spec, "%s/b.bin@S:0x10", folder);
	assert_int_equal(cairn_image_add(under, spec), 0);
	assert_int_equal(image_lay(under, im), 0);
	assert_int_equal(cairn_image_read_in(under, CAIRN_IMAGE_EL1S, 0x10, buf, 9), 8);
	assert_string_equal(buf, "aaaaaaaa");
	assert_int_equal(cairn_image_read_in(under, CAIRN_IMAGE_EL2S, 0x10, buf, 9), 8);
	assert_string_equal(buf, "aaaabbbb");
	cairn_image_free(under);
	snprintf(spec, sizeof spec, "%s/b.bin@EL1N:10", folder);
	assert_int_equal(cairn_image_add(im, spec), CAIRN_E_INVAL);
	snprintf(spec, sizeof spec, "%s/b.bin@EL1N", folder);
	assert_int_equal(cairn_image_add(im, spec), CAIRN_E_UNSUPPORTED);
	snprintf(spec, sizeof spec, "%s/b.bin@EL7:0x0", folder); /* part of a name */
	assert_int_equal(cairn_image_add(im, spec), CAIRN_E_NOTFOUND);
	cairn_image_free(im);
	assert_int_equal(cairn_image_space_find("n", 1), CAIRN_IMAGE_EL1N | CAIRN_IMAGE_EL2N);
	assert_int_equal(cairn_image_space_find("EL", 2), 0);
	assert_string_equal(cairn_image_space_name(CAIRN_IMAGE_EL3), "EL3");
	assert_null(cairn_image_space_name(CAIRN_IMAGE_ANY));
}

/* Bytes that lie at each address for everyone, and for those who look with some IDs: an
 * obvious table of them, filled in the order in which the image's rules say who lies over whom. */
enum { PLACES = 64, FILES = 12 };
struct laid {
	struct image_space in;
	unsigned at, n;
	char byte;
};

static bool is_for(const struct laid *laid, const struct image_seer *who)
{
	return laid->in.spaces & who->space &&
	       (!laid->in.has_vmid || (who->has_vmid && laid->in.vmid == who->vmid)) &&
	       (!laid->in.has_ctxid || (who->has_ctxid && laid->in.ctxid == who->ctxid));
}

static char slow_byte(const struct laid *laid, const struct image_seer *who, unsigned place)
{
	char found = 0;
	for (unsigned ids = 0; ids <= 2; ids++) /* what is narrower comes later, and so lies above */
		for (unsigned i = 0; i < FILES; i++)
			if ((unsigned)laid[i].in.has_vmid + laid[i].in.has_ctxid == ids &&
			    is_for(&laid[i], who) && place >= laid[i].at && place < laid[i].at + laid[i].n)
				found = laid[i].byte;
	return found;
}

static unsigned any_of(unsigned n)
{
	static uint32_t seed = 1;
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

static void add_at_random(struct cairn_image *im, struct laid *laid, char byte)
{
	char name[16], spec[256], space[64] = "", bytes[PLACES];
	*laid =
		(struct laid){.in = {.spaces = CAIRN_IMAGE_ANY, .has_ctxid = any_of(3) == 0}, .byte = byte};
	/* Of one width there is one kind here: who lies above of two kinds is not promised. */
	laid->in.has_vmid = laid->in.has_ctxid && any_of(2);
	laid->in.vmid = laid->in.has_vmid ? any_of(3) : 0;
	laid->in.ctxid = laid->in.has_ctxid ? any_of(3) : 0;
	if (laid->in.has_vmid)
		snprintf(space, sizeof space, "vmid=%u,ctxid=0x%x:", laid->in.vmid,
		         (unsigned)laid->in.ctxid);
	else if (laid->in.has_ctxid)
		snprintf(space, sizeof space, "CtxId=%u:", (unsigned)laid->in.ctxid);
	else if (any_of(3) == 0)
		snprintf(space, sizeof space, "EL3:");
	if (!strcmp(space, "EL3:"))
		laid->in.spaces = CAIRN_IMAGE_EL3;
	laid->at = any_of(PLACES - 1);
	laid->n = 1 + any_of(PLACES - laid->at);
	memset(bytes, byte, laid->n);
	snprintf(name, sizeof name, "at-%c", byte);
	file(name, bytes, laid->n);
	snprintf(spec, sizeof spec, "%s/%s@%s0x%x", folder, name, space, 0x1000 + laid->at);
	assert_int_equal(cairn_image_add(im, spec), 0);
}

static void same_bytes(const struct cairn_image *im, const struct laid *laid)
{
	for (unsigned ids = 0; ids < 32; ids++) {
		struct image_seer who = {.space = ids & 1 ? CAIRN_IMAGE_EL3 : CAIRN_IMAGE_EL1N,
		                         .has_vmid = ids >> 1 & 3,
		                         .vmid = (ids >> 1 & 3) - 1,
		                         .has_ctxid = ids >> 3,
		                         .ctxid = (ids >> 3) - 1};
		unsigned view = image_view_of(im, &who);
		assert_true(view < IMAGE_VIEWS);
		for (unsigned i = 0; i < PLACES; i++) {
			char want = slow_byte(laid, &who, i), got = 0;
			assert_int_equal(image_read_view(im, view, 0x1000 + i, &got, 1), want != 0);
			assert_int_equal(got, want);
			uint64_t n;
			const uint8_t *p = image_bytes(im, view, 0x1000 + i, &n);
			for (unsigned k = 0; p && k < n; k++)
				assert_int_equal(p[k], slow_byte(laid, &who, i + k));
		}
	}
}

static void test_address_spaces_see_their_own_bytes(void **state)
{
	struct laid laid[FILES];
	(void)state;
	for (unsigned round = 0; round < 40; round++) {
		struct cairn_image *im = cairn_image_new(ctx), *under = cairn_image_new(ctx);
		for (unsigned i = 0; i < FILES; i++)
			add_at_random(im, &laid[i], (char)('a' + i));
		same_bytes(im, laid);
		assert_int_equal(image_lay(under, im), 0);
		same_bytes(under, laid);
		assert_true(image_fingerprint(im) != 0);
		cairn_image_free(under);
		cairn_image_free(im);
	}
}

/* This program, as two processes loaded it. */
static void test_address_spaces_have_their_own_symbols(void **state)
{
	struct cairn_image *im = cairn_image_new(ctx);
	struct cairn_ctx who = {.known = CAIRN_CTX_CTXID, .ctxid = 1};
	(void)state;
	if (cairn_image_add(im, "/proc/self/exe@ctxid=1:0x10000000") < 0) {
		cairn_image_free(im);
		skip(); /* built without libelf */
	}
	const struct cairn_symbol *sym = cairn_image_symbol(im, "main", 4);
	assert_non_null(sym);
	uint64_t there = sym->addr;
	assert_int_equal(cairn_image_add(im, "/proc/self/exe@ctxid=2:0x20000000"), 0);
	assert_true(cairn_image_has_spaces(im));
	assert_string_equal(cairn_image_symbol_in(im, &who, there)->name, "main");
	assert_string_equal(cairn_image_symbol_in(im, NULL, there)->name, "main");
	who.ctxid = 2;
	assert_null(cairn_image_symbol_in(im, &who, there));
	assert_string_equal(cairn_image_symbol_in(im, &who, there + 0x10000000)->name, "main");
	who.known = 0;
	assert_null(cairn_image_symbol_in(im, &who, there));
	cairn_image_free(im);
}

static void test_spaces_are_words(void **state)
{
	struct image_space in;
	(void)state;
	assert_true(image_space_parse("EL1N,vmid=3,CTXID=0x10", 22, &in));
	assert_int_equal(in.spaces, CAIRN_IMAGE_EL1N);
	assert_true(in.has_vmid && in.vmid == 3 && in.has_ctxid && in.ctxid == 16);
	assert_true(image_space_parse("ctxid=1", 7, &in));
	assert_int_equal(in.spaces, CAIRN_IMAGE_ANY);
	assert_true(image_space_parse("N,S", 3, &in));
	assert_false(image_space_parse("", 0, &in));
	assert_false(image_space_parse("ctxid=", 6, &in));
	assert_false(image_space_parse("ctxid=x", 7, &in));
	assert_false(image_space_parse("vmid=0x100000000", 16, &in));
	assert_false(image_space_parse("EL1N,", 5, &in));
	assert_false(image_space_parse("pid=3", 5, &in));
}

/* ---- recognising ---- */

static void test_probe_knows_the_three_forms(void **state)
{
	static const uint8_t raw[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0, 0x04};
	uint8_t bytes[256] = {0}, frames[64] = {0};
	(void)state;
	assert_int_equal(ete_probe((const uint8_t *)"; hello\n\n[Snapshot]\nversion=1", 30), 100);
	assert_true(ete_probe(raw, sizeof raw) > 80);
	memset(bytes, 0xf7, sizeof bytes);
	assert_int_equal(ete_probe(bytes, sizeof bytes), 0);
	memcpy(bytes + 99, raw, sizeof raw);
	assert_true(ete_probe(bytes, sizeof bytes) > 0);
	frames[0] = 0x21; /* ID 0x10, then 12 bytes of Async and a Trace Info in two frames */
	frames[12] = 0x80;
	frames[13] = 0x01;
	frames[16] = 0x04;
	assert_true(ete_probe(frames, sizeof frames) >= 60);
	assert_int_equal(ete_probe(NULL, 0), 0);
}

/* ---- facts for which all is read ---- */

static uint64_t fact(const struct cairn_info *info, const char *key)
{
	for (size_t i = 0; i < info->n; i++)
		if (!strcmp(info->facts[i].key, key))
			return info->facts[i].is_known ? info->facts[i].number : UINT64_MAX;
	return UINT64_MAX;
}

/* A stream of SYNCS synchronisations with as many atoms behind each as fit. */
static void write_stream(char *path, size_t size, const char *codec)
{
	static const uint8_t head[] = {0, 0,    0,    0,    0,    0, 0, 0, 0, 0, 0, 0x80, 0x01,
	                               0, 0x04, 0x85, 0x02, 0x04, 0, 0, 0, 0, 0, 0, 0x31};
	enum { SYNCS = 300 };
	static uint8_t bytes[SYNCS][4096];
	struct cairn_sink *sink;
	snprintf(path, size, "%s/stream.%s", folder, codec ? codec : "bin");
	memset(bytes, 0xf7, sizeof bytes);
	for (size_t i = 0; i < SYNCS; i++)
		memcpy(bytes[i], head, sizeof head);
	assert_int_equal(
		io_sink_open(ctx, path, codec ? cairn_codec_find(ctx, codec) : NULL, INT_MIN, 1, &sink), 0);
	assert_int_equal(cairn_sink_write(sink, bytes, sizeof bytes), 0);
	assert_int_equal(cairn_sink_finish(sink), 0);
}

static int64_t read_file(void *user, void *buf, size_t n)
{
	return (int64_t)fread(buf, 1, n, user);
}

/* A survey in the middle of reading changes nothing about what is read; a pipe is used up
 * by it. */
static void test_a_survey_counts_all_and_leaves_the_place(void **state)
{
	static const char *const codecs[] = {NULL, "gzip", "zstd", "pipe"};
	enum { PACKETS = 300 * (4096 - 25 + 4) };
	(void)state;
	for (size_t k = 0; k < 4; k++) {
		bool pipe = k == 3;
		struct cairn_reader *reader;
		struct cairn_record rec;
		const struct cairn_info *info;
		uint64_t n = 0;
		char path[128];
		write_stream(path, sizeof path, pipe ? NULL : codecs[k]);
		FILE *f = fopen(path, "rb");
		assert_non_null(f);
		if (pipe) /* what is read through a function cannot be read again */
			assert_int_equal(cairn_open_stream(ctx, "stream", read_file, f, NULL, &reader), 0);
		else
			assert_int_equal(cairn_open(ctx, path, NULL, &reader), 0);
		for (; n < 700000 && !pipe; n++)
			assert_int_equal(cairn_next_record(reader, &rec), 1);
		assert_int_equal(cairn_reader_survey(reader, &info), 0);
		assert_int_equal(fact(info, "packets"), PACKETS);
		assert_int_equal(fact(info, "sync_points"), 300);
		for (; cairn_next_record(reader, &rec) > 0; n++)
			assert_int_equal(rec.number, n + 1);
		assert_int_equal(n, pipe ? 0 : PACKETS);
		cairn_close(reader);
		fclose(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ini_reads_what_tools_write),
		cmocka_unit_test(test_ini_says_what_is_wrong_and_where),
		cmocka_unit_test(test_ini_numbers),
		cmocka_unit_test(test_snapshot_is_read),
		cmocka_unit_test(test_session_of_several_files_is_one),
		cmocka_unit_test(test_snapshot_says_what_is_wrong),
		cmocka_unit_test(test_what_a_snapshot_lacks_is_read_without),
		cmocka_unit_test(test_files_lie_in_the_snapshot),
		cmocka_unit_test(test_cores_have_levels),
		cmocka_unit_test(test_frames_come_apart),
		cmocka_unit_test(test_frames_flag_of_an_id_delays_it),
		cmocka_unit_test(test_frames_barrier_begins_anew),
		cmocka_unit_test(test_frames_tell_what_is_odd),
		cmocka_unit_test(test_spaces_see_their_own_bytes),
		cmocka_unit_test(test_address_spaces_see_their_own_bytes),
		cmocka_unit_test(test_address_spaces_have_their_own_symbols),
		cmocka_unit_test(test_spaces_are_words),
		cmocka_unit_test(test_probe_knows_the_three_forms),
		cmocka_unit_test(test_a_survey_counts_all_and_leaves_the_place),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
