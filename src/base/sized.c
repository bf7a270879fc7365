/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structs in the caller's memory that begin with their size. The size lets a program and a library
 * of different versions work together: neither touches members that the other does not know.
 */
#include "base/base.h"

#include <string.h>

static size_t size_of(const void *theirs)
{
	size_t size;
	memcpy(&size, theirs, sizeof size);
	return size;
}

int base_sized(struct cairn *cairn, const void *theirs, const char *name)
{
	if (size_of(theirs) > sizeof(size_t))
		return 0;
	return cairn ? base_fail(cairn, CAIRN_E_INVAL, "the size of a struct %s is not set", name)
	             : CAIRN_E_INVAL;
}

void base_give(void *theirs, const void *own, size_t size)
{
	const size_t head = sizeof(size_t), room = size_of(theirs);
	const size_t n = room < size ? room : size;
	if (n > head)
		memcpy((char *)theirs + head, (const char *)own + head, n - head);
}

void base_take(void *own, const void *theirs, size_t size)
{
	const size_t room = size_of(theirs);
	memset(own, 0, size);
	memcpy(own, theirs, room < size ? room : size);
	memcpy(own, &size, sizeof size);
}

int base_options(struct cairn *cairn, void *own, size_t size, const void *theirs, const char *name)
{
	if (!theirs)
		return 0;
	if (size_of(theirs) > size)
		return base_fail(cairn, CAIRN_E_INVAL, "%s of a newer library", name);
	memcpy(own, theirs, size_of(theirs));
	return 0;
}
