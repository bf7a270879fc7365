/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commit that was built. In a file of its own: another commit compiles this alone.
 */
#include "git.h"
#include "base/base.h"

const char *base_git_sha(void)
{
	return *CAIRN_GIT_SHA ? CAIRN_GIT_SHA : "unknown";
}
