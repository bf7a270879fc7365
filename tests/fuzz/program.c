/* SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/bytes.h"

enum { WORDS = 1024 };

void fuzz_program(struct cairn_image *im, const char *place)
{
	static const uint32_t some[] = {0xd503201f, 0x54000061, 0x94000004, 0xd65f03c0, 0xf9400021,
	                                0x17fffffc, 0xd61f0040, 0xd4000001, 0xd69f03e0, 0xd5033fdf,
	                                0xd503207f, 0xe12fff1e, 0x47704770, 0xd000e7fe, 0xea000002,
	                                0xf000f801, 0xbf00bf08};
	char path[] = "/tmp/cairn-fuzz-XXXXXX", spec[128];
	uint8_t bytes[4 * WORDS];
	for (unsigned i = 0; i < WORDS; i++)
		base_put_le32(bytes + 4 * i, some[(i * 7 + i / 5) % (sizeof some / sizeof *some)]);
	int fd = mkstemp(path);
	if (fd < 0 || write(fd, bytes, sizeof bytes) != sizeof bytes || close(fd) < 0)
		abort();
	snprintf(spec, sizeof spec, "%s@%s", path, place);
	if (cairn_image_add(im, spec) < 0)
		abort();
	unlink(path);
}
