/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seed-command OUT COMMAND [COMMAND] -- NAME=FILE… writes an input of fuzz_command: one or two
 * commands as one would type them (verb, long options, operands; words end at spaces), and the
 * files that they find under those names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"

enum { TEXT = 0xc0, OPERAND = 0xa0, ANY_WORD = 0xf8 };

static FILE *out;

static void fail(const char *what, const char *which)
{
	fprintf(stderr, "seed-command: %s: %s\n", what, which);
	exit(1);
}

static void put(unsigned byte)
{
	if (fputc((int)byte, out) == EOF)
		fail("cannot write", "it");
}

static void put_text(const char *text)
{
	size_t n = strlen(text);
	if (n > 0x3f)
		fail("too long", text);
	put(TEXT | (unsigned)n);
	fputs(text, out);
}

/* The byte that chooses the option, its place among those that the verb takes. */
static void put_option(const struct verb *verb, const char *name, char **value)
{
	bool valued;
	for (unsigned i = 0; verb->takes[i] != OPT_COUNT; i++) {
		if (strcmp(option_name(verb->takes[i], &valued), name) != 0)
			continue;
		put(i);
		*value = valued ? strtok(NULL, " ") : NULL;
		if (valued)
			put_text(*value ? *value : "");
		return;
	}
	fail("no such option of the verb", name);
}

static void put_command(char *line)
{
	char *rest = strdup(line), *word = strtok(line, " "), *value;
	const struct verb *verb = NULL;
	unsigned number = 0, words = 0;
	while ((verb = verb_at(number)) && strcmp(verb->name, word) != 0)
		number++;
	if (!verb || !rest)
		fail("no such verb", word);
	put(number);
	long at = ftell(out);
	put(0);
	for (; (word = strtok(NULL, " ")); words++) {
		if (!strncmp(word, "--", 2) && word[2]) {
			put_option(verb, word + 2, &value);
			continue;
		}
		put(*word == '-' && word[1] ? ANY_WORD : OPERAND);
		put_text(word);
	}
	if (words > 11)
		fail("too many words", rest);
	fseek(out, at, SEEK_SET);
	put(words);
	fseek(out, 0, SEEK_END);
	free(rest);
}

static void put_file(char *spec, bool last)
{
	char *path = strchr(spec, '='), first[ARGUMENT_LENGTH];
	static uint8_t bytes[1 << 16];
	if (!path)
		fail("not NAME=FILE", spec);
	*path++ = 0;
	snprintf(first, sizeof first, "%s", file_name(0));
	for (unsigned i = 0;; i++) {
		if (!strcmp(file_name(i), spec)) {
			put(i);
			break;
		}
		if (i && !strcmp(file_name(i), first))
			fail("no name that a file may have", spec);
	}
	FILE *in = fopen(path, "rb");
	size_t n = in ? fread(bytes, 1, sizeof bytes, in) : sizeof bytes;
	if (n == sizeof bytes)
		fail("cannot be read, or is too long", path);
	fclose(in);
	put(0);
	if (!last) {
		put((unsigned)n & 0xff);
		put((unsigned)n >> 8);
	}
	fwrite(bytes, 1, n, out);
}

int main(int argc, char **argv)
{
	int at = 2;
	while (at < argc && strcmp(argv[at], "--") != 0)
		at++;
	if (at < 3 || at > 4 || at + 1 >= argc)
		fail("usage", "seed-command OUT COMMAND [COMMAND] -- NAME=FILE...");
	out = fopen(argv[1], "wb");
	if (!out)
		fail("cannot be written", argv[1]);
	put((unsigned)at - 3);
	for (int i = 2; i < at; i++)
		put_command(argv[i]);
	put((unsigned)(argc - at - 2));
	for (int i = at + 1; i < argc; i++)
		put_file(argv[i], i + 1 == argc);
	return fclose(out) == 0 ? 0 : 1;
}
