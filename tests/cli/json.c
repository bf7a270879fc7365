/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json [PATH…] : reads JSON from standard input, for golden tests. Without a path
 * it prints how many values there were; with paths, for each value one line with
 * what stands there, compactly, separated by spaces: `json n regs.0.name`. What is
 * not there prints as "-". Input that is not JSON, or has a key twice, fails with
 * the place: a parser of our own would forgive our own mistakes, so this one is
 * jansson's.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const json_t *walk(const json_t *v, const char *path)
{
	char key[256];
	while (v && *path) {
		size_t n = strcspn(path, ".");
		snprintf(key, sizeof key, "%.*s", (int)n, path);
		if (json_is_array(v))
			v = json_array_get(v, strtoul(key, NULL, 10));
		else
			v = json_object_get(v, key);
		path += n + (path[n] == '.');
	}
	return v;
}

static void print(const json_t *v)
{
	if (!v) {
		fputs("-", stdout);
	} else if (json_is_string(v)) {
		fputs(json_string_value(v), stdout);
	} else {
		char *text = json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT);
		fputs(text ? text : "?", stdout);
		free(text);
	}
}

/* Is there anything but white space left? */
static int more(FILE *file)
{
	int c;
	do
		c = getc(file);
	while (c == ' ' || c == '\n' || c == '\t' || c == '\r');
	return c == EOF ? 0 : ungetc(c, file) != EOF;
}

int main(int argc, char **argv)
{
	size_t flags = JSON_DECODE_ANY | JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK;
	size_t n = 0;

	while (more(stdin)) {
		json_error_t e;
		json_t *v = json_loadf(stdin, flags, &e);
		if (!v) {
			fprintf(stderr, "json: value %zu: line %d: %s\n", n + 1, e.line, e.text);
			return 1;
		}
		n++;
		for (int i = 1; i < argc; i++) {
			fputs(i > 1 ? " " : "", stdout);
			print(walk(v, argv[i]));
		}
		if (argc > 1)
			putchar('\n');
		json_decref(v);
	}
	if (argc == 1)
		printf("%zu values\n", n);
	return 0;
}
