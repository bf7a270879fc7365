/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A format of one's own, for reading: own_format TRACE.pcs [OUT.stf]
 *
 * A pcs log names the instruction set in its first line; then each line is an instruction, its
 * address and its encoding in hexadecimal. Lines that begin with # are comments.
 *
 *   pcs rv64
 *   80000000 00000297
 *   80000004 8282
 */
#include <stdio.h>
#include <string.h>

#include <cairn/cairn.h>

static int pcs_probe(void *user, const uint8_t *head, size_t n)
{
	(void)user;
	return n > 4 && memcmp(head, "pcs ", 4) == 0 ? 95 : 0;
}

static int pcs_open(void *user, struct cairn_input *input, const char *options, void **state)
{
	const char *line;
	size_t n;
	(void)user, (void)options, (void)state;
	int rc = cairn_input_line(input, &line, &n);
	if (rc < 0)
		return rc;
	for (int isa = CAIRN_ISA_RV32; isa <= CAIRN_ISA_LAST; isa++) {
		const char *name = cairn_isa_name((enum cairn_isa)isa);
		if (name && n == 4 + strlen(name) && memcmp(line + 4, name, n - 4) == 0)
			return cairn_input_isa(input, (enum cairn_isa)isa);
	}
	return cairn_input_fail(input, CAIRN_E_FORMAT, "\"pcs\" and an instruction set come first");
}

/* How many hexadecimal digits there are at p, and their value. */
static size_t hex(const char *p, size_t n, uint64_t *value)
{
	static const char digits[] = "0123456789abcdef";
	size_t i = 0;
	*value = 0;
	for (const char *at; i < n && i < 16 && p[i] && (at = strchr(digits, p[i])); i++)
		*value = *value << 4 | (uint64_t)(at - digits);
	return i;
}

static int pcs_next(void *state, struct cairn_input *input, struct cairn_slot *slot)
{
	const char *line;
	size_t n;
	int rc;
	(void)state;
	while ((rc = cairn_input_line(input, &line, &n)) > 0) {
		struct cairn_event comment = {.kind = CAIRN_EV_COMMENT, .flags = CAIRN_EVF_BYTES};
		struct cairn_insn insn = {0};
		uint64_t enc = 0;
		size_t pc = hex(line, n, &insn.pc);
		size_t digits = pc && pc < n && line[pc] == ' ' ? hex(line + pc + 1, n - pc - 1, &enc) : 0;
		if ((digits == 4 || digits == 8) && pc + 1 + digits == n) {
			insn.enc = (uint32_t)enc;
			insn.size = (uint8_t)(digits / 2);
			return cairn_slot_insn(slot, &insn, NULL);
		}
		rc = n && line[0] == '#' ? cairn_slot_event(slot, &comment, line + 1, n - 1)
		                         : cairn_slot_damage(slot, n, "no address and encoding");
		if (rc < 0)
			return rc;
	}
	return rc;
}

static const struct cairn_format pcs = {
	.size = sizeof pcs,
	.name = "pcs",
	.flags = CAIRN_FORMAT_TELLS_FLOW,
	.probe = pcs_probe,
	.open = pcs_open,
	.next = pcs_next,
};

int main(int argc, char **argv)
{
	const struct cairn_format *const formats[] = {&pcs};
	struct cairn_opts opts = {.size = sizeof opts, .formats = formats, .n_formats = 1};
	struct cairn_tally tally = {.size = sizeof tally};
	struct cairn_output out = {.size = sizeof out};
	struct cairn_reader *reader = NULL;
	if (argc < 2)
		return 2;
	struct cairn *cairn = cairn_new(&opts);
	int rc = cairn_open(cairn, argv[1], NULL, &reader);
	if (rc >= 0)
		rc = cairn_count(reader, 1, &tally);
	if (rc >= 0)
		printf("%s: %llu instructions, %llu branches taken, %llu damaged places\n",
		       cairn_reader_format(reader), (unsigned long long)tally.instructions,
		       (unsigned long long)tally.branches_taken,
		       (unsigned long long)cairn_damage_count(reader));
	out.path = argv[2];
	if (rc >= 0 && out.path)
		rc = cairn_convert(reader, &out, NULL);
	if (rc < 0)
		fprintf(stderr, "%s\n", cairn_error_text(cairn));
	cairn_close(reader);
	cairn_free(cairn);
	return rc < 0;
}
