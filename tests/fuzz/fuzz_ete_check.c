/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as an ETE stream to be judged. The first eight bytes choose the registers.
 * What is asserted: findings are the same for one thread and for three, with a program and
 * without, and (without) wherever the stream is cut; every place lies in the bytes, places come in order;
 * where the decoder of elements loses its step something is found wrong; memory is in
 * proportion.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "cairn/cairn.h"
#include "program.h"
#include "together.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { HEAD = 8, MOST = 1 << 14, TEXT = 1 << 20 };

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "not so: %s\n", what);
	abort();
}

struct seen {
	char *text;
	size_t len, n;
	uint64_t last, end;
};

static int take(void *user, const struct cairn_finding *finding)
{
	struct seen *seen = user;
	uint64_t at = finding->known & CAIRN_PLACE_OFFSET ? finding->offset : 0;
	check(at >= seen->last && at <= seen->end, "places are in order and within the bytes");
	seen->last = at;
	seen->n++;
	seen->len += (size_t)snprintf(
		seen->text + seen->len, TEXT - seen->len, "%s %llu %llu: %s\n", finding->rule->id,
		(unsigned long long)at,
		(unsigned long long)(finding->known & CAIRN_PLACE_RECORD ? finding->record : 0),
		finding->message);
	check(seen->len < TEXT, "findings are bounded");
	return 0;
}

static uint64_t judge(struct cairn *cairn, const char *from, const struct cairn_image *image,
                      const uint8_t *p, size_t n, unsigned threads, struct seen *seen)
{
	struct cairn_open_opts open_opts = {.size = sizeof open_opts,
	                                    .from = from,
	                                    .lenient = 1,
	                                    .image = image};
	struct cairn_check_opts opts = {.size = sizeof opts,
	                                .threads = threads,
	                                .most = 20,
	                                .finding = take,
	                                .user = seen};
	struct cairn_check_result result = {.size = sizeof result};
	struct cairn_reader *reader;
	*seen = (struct seen){.text = seen->text, .end = n};
	*seen->text = 0;
	check(cairn_open_memory(cairn, p, n, &open_opts, &reader) == 0, "it opens");
	check(cairn_check(reader, &opts, &result) == 0, "it can be judged");
	cairn_close(reader);
	return result.errors + result.warnings;
}

static bool loses_step(struct cairn *cairn, const struct cairn_ete_config *cfg, const uint8_t *p,
                       size_t n)
{
	struct cairn_ete_elements *elements;
	struct cairn_ete_element element;
	bool lost = false;
	check(cairn_ete_elements_open(cairn, cfg, NULL, p, n, 0, &elements) == 0, "elements open");
	while (cairn_ete_elements_next(elements, &element) > 0)
		lost =
			lost || (element.kind == CAIRN_ETE_NO_SYNC && element.number >= CAIRN_ETE_BAD_PACKET &&
		             element.number <= CAIRN_ETE_NO_ADDRESS);
	cairn_ete_elements_close(elements);
	return lost;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct seen one, other;
	struct cairn_ete_config cfg;
	char regs[200], from[256];
	if (n < HEAD || n > MOST)
		return 0;
	one.text = one.text ? one.text : malloc(TEXT);
	other.text = other.text ? other.text : malloc(TEXT);
	struct cairn *cairn = cairn_new(NULL);
	check(cairn && one.text && other.text, "memory");
	cairn_ete_config_init(&cfg);
	cfg.configr = (uint32_t)base_le16(data);
	cfg.idr0 = base_le16(data + 2) | (uint32_t)data[4] << 23;
	cfg.idr2 = 8 | (data[5] & 4u) << 5 | (data[5] & 4u) << 10 | (uint32_t)(data[5] >> 4) << 25;
	cfg.idr8 = data[6];
	cfg.devarch = 0x47705a13u | (data[7] & 3u) << 16;
	snprintf(regs, sizeof regs,
	         "trcconfigr=0x%x,trcidr0=0x%x,trcidr2=0x%x,trcidr8=0x%x,"
	         "trcdevarch=0x%x",
	         cfg.configr, cfg.idr0, cfg.idr2, cfg.idr8, cfg.devarch);
	data += HEAD;
	n -= HEAD;
	snprintf(from, sizeof from, "ete:framing=raw,piece=40,%s", regs);
	uint64_t wrong = judge(cairn, from, NULL, data, n, 1, &one);
	judge(cairn, from, NULL, data, n, 3, &other);
	check(!strcmp(one.text, other.text), "findings do not depend on threads");
	snprintf(from, sizeof from, "ete:framing=raw,%s", regs);
	judge(cairn, from, NULL, data, n, 1, &other);
	check(!strcmp(one.text, other.text), "findings do not depend on where a stream is cut");
	if (loses_step(cairn, &cfg, data, n))
		check(wrong > 0, "a lost step is found wrong");
	struct cairn_image *image = cairn_image_new(cairn);
	check(image != NULL, "memory");
	fuzz_program(image, "0x0");
	snprintf(from, sizeof from, "ete:framing=raw,piece=40,%s", regs);
	judge(cairn, from, image, data, n, 1, &one);
	judge(cairn, from, image, data, n, 3, &other);
	check(!strcmp(one.text, other.text), "nor with a program");
	struct together both = {.p = data, .n = n, .from = from, .image = image, .threads = 2};
	together_is_as_apart(cairn, &both);
	cairn_image_free(image);
	cairn_free(cairn);
	return 0;
}
