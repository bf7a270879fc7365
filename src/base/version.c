/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this library is and what it was built with. The versions are those of the
 * libraries found at run time, not of the headers. The list is made once, on the
 * first question, and never changes after: this is the only static data that is
 * ever written.
 */
#include "base/base.h"
#include "config.h"

#include <lzma.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#ifdef HAVE_BZIP2
#include <bzlib.h>
#endif
#ifdef HAVE_LZ4
#include <lz4.h>
#endif
#if defined(HAVE_ELF) && __has_include(<elfutils/version.h>)
#include <elfutils/version.h> /* libelf has no function that tells */
#endif

enum { FEATURES = 7, FEATURE_TEXT = 48 }; /* as list_features adds at most */

static char feature_text[FEATURES][FEATURE_TEXT];
static const char *feature_list[FEATURES + 1];
static pthread_once_t feature_once = PTHREAD_ONCE_INIT;

static void version_add(size_t *n, const char *name, const char *version)
{
	if (*n == FEATURES)
		return;
	/* bzip2 adds its date after a comma. */
	snprintf(feature_text[*n], FEATURE_TEXT, "%s %.*s", name, (int)strcspn(version, ", "), version);
	feature_list[*n] = feature_text[*n];
	++*n;
}

static void list_features(void)
{
	size_t n = 0;
	version_add(&n, "zstd", ZSTD_versionString());
	version_add(&n, "zlib", zlibVersion());
	version_add(&n, "xz", lzma_version_string());
#ifdef HAVE_BZIP2
	version_add(&n, "bzip2", BZ2_bzlibVersion());
#endif
#ifdef HAVE_LZ4
	version_add(&n, "lz4", LZ4_versionString());
#endif
#ifdef HAVE_ELF
	char elf[16] = "(libelf)";
#ifdef _ELFUTILS_VERSION
	snprintf(elf, sizeof elf, "%d.%d", _ELFUTILS_VERSION / 1000, _ELFUTILS_VERSION % 1000);
#endif
	version_add(&n, "elf", elf);
#ifdef HAVE_DW
	version_add(&n, "dw", elf); /* of the same package */
#endif
#endif
}

const char *cairn_version(void)
{
	return CAIRN_VERSION_TEXT;
}

const char *const *cairn_features(void)
{
	pthread_once(&feature_once, list_features);
	return feature_list;
}
