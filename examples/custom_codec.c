/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A compression of one's own, for writing and reading: custom_codec OUT.stf.runs
 *
 * The codec is a toy that squeezes runs: the magic "RUNS", then pairs of a count and a
 * byte, ended by a count of 0. What matters is the table at the end of it: listed in
 * the context's options, cairn chooses it for names that end in ".runs" and finds it
 * by its magic when it reads.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/cairn.h>

struct runs {
	size_t done;          /* bytes of the magic */
	unsigned count, byte; /* the run at hand */
	int have_count, ended;
};

static int probe(const uint8_t *head, size_t n)
{
	return n >= 4 && memcmp(head, "RUNS", 4) == 0 ? 100 : 0;
}

static int open_decoder(struct cairn *cairn, void **state)
{
	(void)cairn;
	return (*state = calloc(1, sizeof(struct runs))) ? CAIRN_OK : CAIRN_E_NOMEM;
}

static int open_encoder(struct cairn *cairn, int level, unsigned threads, void **state)
{
	(void)level, (void)threads;
	return open_decoder(cairn, state);
}

static int decode(void *state, struct cairn_codec_io *io, const char **why)
{
	struct runs *s = state;
	while (s->done < 4 && io->in_len)
		s->done++, io->in++, io->in_len--;
	while (s->done == 4) {
		for (; s->count && !s->have_count && io->out_len; s->count--, io->out_len--)
			*io->out++ = (uint8_t)s->byte;
		if ((s->count && !s->have_count) || !io->in_len)
			break;
		unsigned b = *io->in++;
		io->in_len--;
		if (s->have_count) {
			s->byte = b;
			s->have_count = 0;
		} else if (b == 0) {
			return 1;
		} else {
			s->count = b;
			s->have_count = 1;
		}
	}
	*why = "a run is cut off";
	return 0;
}

static int encode(void *state, struct cairn_codec_io *io, int finish, const char **why)
{
	struct runs *s = state;
	(void)why;
	for (; s->done < 4 && io->out_len; s->done++, io->out_len--)
		*io->out++ = (uint8_t) "RUNS"[s->done];
	while (s->done == 4 && io->out_len >= 2) {
		while (io->in_len && s->count < 255 && (!s->count || s->byte == *io->in)) {
			s->byte = *io->in++;
			io->in_len--;
			s->count++;
		}
		if (!io->in_len && !finish)
			return 0; /* the run may go on */
		io->out[0] = (uint8_t)s->count;
		io->out[1] = (uint8_t)s->byte;
		io->out += s->count ? 2 : 1;
		io->out_len -= s->count ? 2 : 1;
		if (!s->count)
			return 1;
		s->count = 0;
	}
	return 0;
}

static const struct cairn_codec runs = {
	.size = sizeof runs,
	.name = "runs",
	.suffix = ".runs",
	.probe = probe,
	.dec_open = open_decoder,
	.decode = decode,
	.dec_close = free,
	.enc_open = open_encoder,
	.encode = encode,
	.enc_close = free,
};

int main(int argc, char **argv)
{
	const struct cairn_codec *const codecs[] = {&runs};
	struct cairn_opts opts = {.size = sizeof opts, .codecs = codecs, .n_codecs = 1};
	struct cairn_stf_writer *writer = NULL;
	struct cairn_reader *reader = NULL;
	struct cairn_tally tally = {.size = sizeof tally};

	if (argc < 2)
		return 2;
	struct cairn *cairn = cairn_new(&opts);
	int rc = cairn_stf_create(cairn, argv[1], NULL, &writer);
	if (rc >= 0)
		rc = cairn_stf_begin(writer, NULL);
	for (uint64_t pc = 0x1000; rc >= 0 && pc < 0x2000; pc += 4) {
		struct cairn_stf_insn nop = {.pc = pc, .enc = 0x13, .size = 4};
		rc = cairn_stf_put(writer, &nop);
	}
	rc = rc < 0 ? (cairn_stf_abort(writer), rc) : cairn_stf_finish(writer);
	if (rc >= 0)
		rc = cairn_open(cairn, argv[1], NULL, &reader);
	if (rc >= 0)
		rc = cairn_count(reader, 1, &tally);
	if (rc >= 0)
		printf("%llu instructions\n", (unsigned long long)tally.instructions);
	else
		fprintf(stderr, "%s\n", cairn_error_text(cairn));
	if (reader)
		cairn_close(reader);
	cairn_free(cairn);
	return rc < 0;
}
