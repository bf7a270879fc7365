/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No output may be an input: writing over what is read would destroy both. Whatever the
 * options name is compared with the output by device and inode, before anything is opened.
 * The library refuses, too, what it has opened meanwhile (a part's name made of a pattern,
 * a program that the trace names).
 */
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"

int refuse_same(const char *out, const char *in, const char *what)
{
	if (!cairn_same_file(out, in))
		return 0;
	complain("%s: the output is %s; it would be destroyed", in, what);
	return -1;
}

/* nftw takes no pointer of ours. */
static struct stat sought;

static int is_sought(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)path, (void)at;
	return type == FTW_F && st->st_dev == sought.st_dev && st->st_ino == sought.st_ino;
}

/* A snapshot's files lie in its folder. The file that the shell has just made for standard output may lie
 * there, too: it is empty. */
static int refuse_within(const char *out, const char *trace)
{
	enum { DESCRIPTORS = 8 };
	char folder[4096];
	struct stat st;
	size_t n = strlen(trace);
	bool shell = strcmp(out, "-") == 0;
	if ((shell ? fstat(STDOUT_FILENO, &sought) : stat(out, &sought)) < 0 ||
	    !S_ISREG(sought.st_mode) || (shell && !sought.st_size) ||
	    snprintf(folder, sizeof folder, "%s", trace) >= (int)sizeof folder || stat(trace, &st) < 0)
		return 0;
	if (!S_ISDIR(st.st_mode)) {
		if (n < 4 || strcmp(trace + n - 4, ".ini") != 0)
			return 0;
		char *slash = strrchr(folder, '/');
		snprintf(slash ? slash + 1 : folder, 2, slash ? "" : ".");
	}
	if (nftw(folder, is_sought, DESCRIPTORS, FTW_PHYS) != 1)
		return 0;
	complain("%s: the output is a file of the snapshot %s; it would be destroyed",
	         shell ? "standard output" : out, trace);
	return -1;
}

/* Only the verb that makes the index may replace it. */
static int refuse_index(const struct verb *verb, const char *out, const char *trace)
{
	char path[4096];
	if (verb->ways & VERB_MAKES_INDEX ||
	    snprintf(path, sizeof path, "%s%s", trace, CAIRN_INDEX_SUFFIX) >= (int)sizeof path)
		return 0;
	return refuse_same(out, path, "the trace's index");
}

static int refuse_image(const char *out, const char *spec)
{
	char path[4096];
	const char *at = strrchr(spec, '@');
	struct stat st;
	/* FILE@PLACE, or a name with an @ in it. */
	int n = at && stat(spec, &st) < 0 ? (int)(at - spec) : (int)strlen(spec);
	return snprintf(path, sizeof path, "%.*s", n, spec) >= (int)sizeof path
	           ? 0
	           : refuse_same(out, path, "the program");
}

int refuse_inputs(const struct verb *verb, const struct options *options)
{
	const char *out = options->value[OPT_OUTPUT] ? options->value[OPT_OUTPUT] : "-";
	/* A region among the operands is not a file. */
	size_t n = verb->ways & VERB_RUNS && options->n_operands ? 1 : options->n_operands;
	int rc = 0;
	for (size_t i = 0; i < n && rc >= 0; i++) {
		rc = refuse_same(out, options->operands[i], verb->input ? verb->input : "the trace itself");
		if (rc >= 0)
			rc = refuse_index(verb, out, options->operands[i]);
		if (rc >= 0)
			rc = refuse_within(out, options->operands[i]);
	}
	for (size_t i = 0; i < options->n_images && rc >= 0; i++)
		rc = refuse_image(out, options->images[i]);
	if (rc >= 0 && options->value[OPT_SIMPOINTS])
		rc = refuse_same(out, options->value[OPT_SIMPOINTS], "the table of simpoints");
	if (rc >= 0 && options->value[OPT_QEMU])
		rc = refuse_same(out, options->value[OPT_QEMU], "QEMU");
	return rc;
}
