/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every rule of VIXL is broken once, alone, by a log that is otherwise right; logs of
 * all kinds of lines break none; the page of the rules is the table.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixtures/rules_page.h"
#include "formats/vixl/check/rules.h"

#define X0 "#             x0: 0x00000000000010"
#define X1 "#             x1: 0x0000000000000005\n"
#define AT(pc) "0x00000000000010" pc "  "
#define NOP(pc) AT(pc) "d503201f\t\tnop\n"
#define RET(pc) AT(pc) "d65f03c0\t\tret\n# Branch to 0x0000000000000000.\n"
#define MARK "\xe2\x95\x99\xe2\x94\x80"
#define DRAWN "#                                  " MARK " "
/* So that it is known that branches are logged, and which dialect it is. */
#define BEFORE X0 "00\n" X1 "#             x2: 0x0000000000000007\n"

#define STORE(pc) \
	AT(pc) \
	"f9000001\t\tstr x1, [x0]\n" \
	"#       x1<63:0>: 0x0000000000000005 -> 0x0000000000001000\n"
#define LOAD(pc, value) \
	AT(pc) \
	"f9400002\t\tldr x2, [x0]\n" \
	"#             x2: 0x" value " <- 0x0000000000001000\n"

struct broken {
	const char *rule; /* NULL: none */
	const char *log;
};

static const struct broken logs[] = {
	{NULL,
     BEFORE NOP("00") AT(
		 "04") "f9000001\t\tstr x1, [x0]\n"
               "#       x1<63:0>: 0x0000000000000005 -> 0x0000000000001000\n" AT(
				   "08") "39400c27\t\tldrb w7, [x1, #3]\n#             w7:         0x0000004d\n" DRAWN
                         "0x4d <- 0x0000000000000008\n" RET("0c") BEFORE NOP("00") RET("04")},
	{"vixl.register.name", BEFORE NOP("00") "#            x42: 0x0000000000000005\n" RET("04")},
	{"vixl.register.name", BEFORE NOP("00") "#            y1: 0x0000000000000005\n" RET("04")},
	{"vixl.register.name", BEFORE NOP("00") "#      u3<127:0>: 0x0000000000000005\n" RET("04")},
	{"vixl.value.size", BEFORE NOP("00") "#             x2: 0x00000005\n" RET("04")},
	{"vixl.value.size", BEFORE NOP("00") "#             w2: 0x0000000000000005\n" RET("04")},
	{"vixl.value.size", BEFORE NOP("00") "#      z2<127:0>: 0x0000000000000005\n" RET("04")},
	{"vixl.line.columns", BEFORE NOP("00") "#              x2: 0x0000000000000005\n" RET("04")},
	{"vixl.line.colour",
     BEFORE NOP("00") "# \033[1;31m            x2: 0x0000000000000005\033[0;m\n" RET("04")},
	{"vixl.text.foreign", BEFORE NOP("00") "hello\n" RET("04")},
	{"vixl.text.glued", BEFORE NOP("00") "hello# NZCV: N:0 Z:0 C:0 V:0\n" RET("04")},
	{"vixl.order.instruction",
     "#       x1<63:0>: 0x0000000000000005 -> 0x0000000000001000\n" NOP("00") RET("04")},
	{"vixl.access.orphan", BEFORE AT("00") "39400c27\t\tldrb w7, [x1, #3]\n" DRAWN
                                           "0x4d <- 0x0000000000000008\n" RET("04")},
	{"vixl.access.value", BEFORE AT("00") "39400c27\t\tldrb w7, [x1, #3]\n"
                                          "#             w7:         0x0000004d\n" DRAWN
                                          "0x4e <- 0x0000000000000008\n" RET("04")},
	/* drawn before the piece of its register that is shown: not compared */
	{NULL, BEFORE AT("00") "a420e024\t\tld2b {z4.b, z5.b}, p0/z, [x1]\n"
                           "#    z4<255:128>: 0x01000000000000000000000000000001\n"
                           "#      z5<127:0>: 0x02000000000000000000000000000000\n"
                           "#                     0x02'00 <- 0x0000000000000008\n" RET("04")},
	{"vixl.flow.next", BEFORE NOP("00") RET("08")},
	{"vixl.flow.next", BEFORE AT("00") "54000041\t\tb.ne #+0x8\n" NOP("08") RET("0c")},
	{"vixl.flow.branch", BEFORE NOP("00") "# Branch to 0x0000000000001004.\n" RET("04")},
	{"vixl.flow.branch", BEFORE AT("00") "14000002\t\tb #+0x8\n# Branch to 0x0000000000001008.\n"
                                         "# Branch to 0x0000000000001008.\n" RET("08")},
	{"vixl.flow.target",
     BEFORE AT("00") "14000002\t\tb #+0x8\n# Branch to 0x000000000000100c.\n" RET("0c")},
	{"vixl.flow.missing", BEFORE AT("00") "14000001\t\tb #+0x4\n" RET("04")},
	{"vixl.register.value",
     BEFORE NOP("00")
         AT("04") "f9000001\t\tstr x1, [x0]\n"
                  "#       x1<63:0>: 0x0000000000000006 -> 0x0000000000001000\n" RET("08")},
	{"vixl.register.value",
     BEFORE AT("00") "4a040065\t\teor w5, w3, w4\n"
                     "#             w5:         0x97afc7e0\n" AT(
						 "04") "f9000005\t\tstr x5, [x0]\n"
                               "#       x5<63:0>: 0x1000000097afc7e0 -> 0x0000000000001000\n" RET(
								   "08")},
	/* host code may leave anything in x1, not in x20 */
	{NULL, BEFORE AT("00") "d45e0000\t\thlt #0xf000\n" AT(
			   "04") "f9000001\t\tstr x1, [x0]\n"
                     "#       x1<63:0>: 0x0000000000000006 -> 0x0000000000001000\n" RET("08")},
	{"vixl.register.value",
     BEFORE "#            x20: 0x0000000000000007\n" AT("00") "d45e0000\t\thlt #0xf000\n" AT(
		 "04") "f9000014\t\tstr x20, [x0]\n"
               "#      x20<63:0>: 0x0000000000000006 -> 0x0000000000001000\n" RET("08")},
	/* memory: loads of x2 and w2 behind a store of x1, by x0 */
	{"vixl.memory.value", BEFORE STORE("00") LOAD("04", "0000000000000006") RET("08")},
	{"vixl.memory.value", BEFORE STORE("00") AT("04") "39400402\t\tldrb w2, [x0, #1]\n"
                                                      "#             w2:         0x00000001\n" DRAWN
                                                      "0x01 <- 0x0000000000001001\n" RET("08")},
	{"vixl.memory.value", BEFORE STORE("00") LOAD("04", "0000000000000005") NOP("08")
                              LOAD("0c", "8000000000000005") RET("10")},
	{"vixl.memory.changed", BEFORE LOAD("00", "0000000000000007") NOP("04")
                                LOAD("08", "0000000000000005") STORE("0c") RET("10")},
	{"vixl.memory.value",
     BEFORE STORE("00")
         AT("04") "a9400c02\t\tldp x2, x3, [x0]\n"
                  "#             x2: 0x0000000000000005 <- 0x0000000000001000\n"
                  "#             x3: 0x0000000000000009 <- 0x0000000000001008\n" AT(
					  "08") "f9400402\t\tldr x2, [x0, #8]\n"
                            "#             x2: 0x0000000000000009 <- 0x0000000000001008\n" LOAD(
								"0c", "0000000000000006") RET("10")},
	/* tags do not matter */
	{"vixl.memory.value",
     BEFORE AT("00") "f9000001\t\tstr x1, [x0]\n"
                     "#       x1<63:0>: 0x0000000000000005 -> 0x0700000000001000\n" LOAD(
						 "04", "0000000000000006") RET("08")},
	/* a vector, of which a part is loaded again */
	{"vixl.memory.value",
     BEFORE AT(
		 "00") "3d800000\t\tstr q0, [x0]\n"
               "#      v0<127:0>: 0x000000000000000c000000000000000b -> 0x0000000000000ff8\n" LOAD(
				   "04", "000000000000000b") RET("08")},
	{NULL,
     BEFORE AT(
		 "00") "3d800000\t\tstr q0, [x0]\n"
               "#      v0<127:0>: 0x000000000000000c000000000000000b -> 0x0000000000000ff8\n" LOAD(
				   "04", "000000000000000c") RET("08")},
	/* what something else may have stored; the next run's memory */
	{NULL,
     BEFORE STORE("00") AT("04") "d4594220\t\thlt #0xca11\n# Branch to 0x0000000000001008.\n" LOAD(
		 "08", "0000000000000006") RET("0c")},
	{NULL,
     BEFORE STORE("00") AT("04") "d4000001\t\tsvc #0\n" LOAD("08", "0000000000000006") RET("0c")},
	{NULL,
     BEFORE STORE("00") RET("04") BEFORE LOAD("00", "0000000000000006") STORE("04") RET("08")},
	/* CAS is shown to store before it loads, x1 where x2 was */
	{NULL, BEFORE STORE("00")
               AT("04") "c8a27c01\t\tcas x2, x1, [x0]\n"
                        "#       x1<63:0>: 0x0000000000000005 -> 0x0000000000001000\n"
                        "#             x2: 0x0000000000000005 <- 0x0000000000001000\n" RET("08")},
	/* a store whose address nobody knows */
	{NULL, BEFORE STORE("00")
               AT("04") "d503201f\t\tnop\n"
                        "#       x1<63:0>: 0x0000000000000005 -> 0x~~~~~~~~~~~~~~~~\n" LOAD(
							"08", "0000000000000006") RET("0c")},
	/* what DC ZVA zeroes was not shown before 2025 */
	{NULL, BEFORE STORE("00") AT("04") "d50b7420\t\tdc zva, x0\n" LOAD("08", "0000000000000000")
               RET("0c")},
	/* where stores are not seen they are not followed: the trace was switched */
	{NULL,
     BEFORE STORE("00") AT("04") "d45bd640\t\thlt #0xdeb2\n# Branch to 0x0000000000001010.\n" LOAD(
		 "10", "0000000000000006") LOAD("14", "0000000000000007") RET("18")},
	/* a trace that is switched on begins with the branch that does it */
	{NULL, "# Branch to 0x0000000000001000.\n" BEFORE NOP("00") RET("04")},
	{"vixl.flow.next", "# Branch to 0x0000000000001004.\n" BEFORE NOP("00") RET("04")},
	{"vixl.defect.atomic",
     BEFORE AT("00") "f8350017\t\tldadd x21, x23, [x0]\n"
                     "#            x23: 0x0000000044330011 <- 0x0000000000001000\n"
                     "#      x21<63:0>: 0x0000000000000005 -> 0x0000000000001000\n" RET("04")},
	{"vixl.defect.same-register",
     BEFORE AT("00") "f8358015\t\tswp x21, x21, [x0]\n"
                     "#            x21: 0x0000000044330011 <- 0x0000000000001000\n"
                     "#      x21<63:0>: 0x0000000044330011 -> 0x0000000000001000\n" RET("04")},
	{"vixl.defect.unscaled",
     BEFORE AT("00") "d9408017\t\tldapur x23, [x0, #8]\n"
                     "#            x23: 0x1000000000000004\n"
                     "#            w23:         0x00000004 <- 0x0000000000001008\n" RET("04")},
	{"vixl.defect.bare",
     BEFORE AT("00") "38bfc017\t\tldaprb w23, [x0]\n"
                     "#            w23:         0x00000012\n <- 0x0000000000001000\n" RET("04")},
	{"vixl.defect.flags", BEFORE AT("00") "d500401f\t\tcfinv\n" RET("04")},
	{"vixl.defect.store", BEFORE AT("00") "69001825\t\tstgp x5, x6, [x1]\n" RET("04")},
	{"vixl.defect.load",
     BEFORE AT("00") "84408025\t\tld1rb {z5.b}, p0/z, [x1]\n"
                     "#      z5<127:0>: 0x00000000000000000000000000000000\n" RET("04")},
	{"vixl.defect.predicate",
     BEFORE AT(
		 "00") "85800022\t\tldr p2, [x1]\n"
               "#       p2<15:0>: 0b 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 1 <- 0x0000000000001000\n"
               "#      p2<31:16>: 0b 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 1 <- 0x0000000000001010\n" RET(
				   "04")},
	{"vixl.defect.annotation",
     BEFORE AT(
		 "00") "a5a0e826\t\tld2d {z6.d, z7.d}, p2/z, [x1]\n"
               "#      z6<127:0>: 0x00000000000000000000000000000000 (0.000, 0.000)\n"
               "#      z7<127:0>: 0x3ff00000000000003ff0000000000000 (0.000, 0.000)\n"
               "#                                  \xe2\x95\x91               " MARK
               " 0x3ff0000000000000'0000000000000000 <- 0x0000000000001000\n"
               "#                                  " MARK
               "\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80"
               "\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80"
               "\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80"
               " 0x3ff0000000000000'0000000000000000 <- 0x0000000000001010\n" RET("04")},
	{"vixl.defect.twice",
     BEFORE NOP("00") "# NZCV: N:0 Z:0 C:0 V:0\n# NZCV: N:0 Z:0 C:0 V:0\n" RET("04")},
};
enum { LOGS = sizeof logs / sizeof *logs };

static const char *ids[VIXL_RULE_COUNT];

struct seen {
	char text[4096];
	unsigned n;
};

static int take(void *user, const struct cairn_finding *finding)
{
	struct seen *seen = user;
	size_t at = strlen(seen->text);
	seen->n++;
	snprintf(seen->text + at, sizeof seen->text - at, "%s at line %llu, instruction %llu: %s\n",
	         finding->rule->id, (unsigned long long)finding->line,
	         (unsigned long long)finding->insn, finding->message);
	return 0;
}

static void judge(struct cairn *cairn, const char *log, size_t n, const char *from,
                  unsigned threads, struct seen *seen)
{
	struct cairn_open_opts open_opts = {.size = sizeof open_opts, .from = from, .lenient = 1};
	struct cairn_check_opts opts = {.size = sizeof opts,
	                                .threads = threads,
	                                .finding = take,
	                                .user = seen};
	struct cairn_check_result result = {.size = sizeof result};
	struct cairn_reader *reader;
	*seen = (struct seen){.n = 0};
	assert_int_equal(cairn_open_memory(cairn, log, n, &open_opts, &reader), 0);
	assert_int_equal(cairn_check(reader, &opts, &result), 0);
	cairn_close(reader);
}

static void every_rule_is_broken_alone(void **state)
{
	struct cairn *cairn = cairn_new(NULL);
	static struct seen seen;
	bool broken[VIXL_RULE_COUNT] = {false};
	(void)state;
	for (unsigned i = 0; i < LOGS; i++) {
		judge(cairn, logs[i].log, strlen(logs[i].log), "vixl", 1, &seen);
		if (seen.n != (logs[i].rule != NULL) ||
		    (logs[i].rule && strncmp(seen.text, logs[i].rule, strlen(logs[i].rule)) != 0))
			fail_msg("log %u, for %s:\n%s", i, logs[i].rule ? logs[i].rule : "none", seen.text);
		for (unsigned k = 0; logs[i].rule && k < VIXL_RULE_COUNT; k++)
			broken[k] |= !strcmp(ids[k], logs[i].rule);
	}
	broken[VIXL_RULE_INPUT_COMPLETE] = true; /* by a stream that breaks off: test_vixl.c */
	for (unsigned k = 0; k < VIXL_RULE_COUNT; k++)
		if (!broken[k])
			fail_msg("no log breaks %s", ids[k]);
	cairn_free(cairn);
}

/* All of them one after another, in pieces of any size. */
static void findings_do_not_depend_on_threads(void **state)
{
	struct cairn *cairn = cairn_new(NULL);
	static char log[1 << 20];
	static struct seen one, other;
	size_t n = 0;
	(void)state;
	for (unsigned round = 0; round < 3; round++)
		for (unsigned i = 0; i < LOGS; i++) {
			size_t k = strlen(logs[i].log);
			memcpy(log + n, logs[i].log, k);
			n += k;
		}
	judge(cairn, log, n, "vixl:piece=1000", 1, &one);
	assert_true(one.n > LOGS);
	judge(cairn, log, n, "vixl:piece=1000", 4, &other);
	assert_string_equal(one.text, other.text);
	assert_int_equal(one.n, other.n);
	judge(cairn, log, n, "vixl:piece=700000", 1, &other);
	assert_string_equal(one.text, other.text);
	assert_int_equal(one.n, other.n);
	cairn_free(cairn);
}

/* ---- the page ---- */

static void the_page_of_rules_is_true(void **state)
{
	(void)state;
	rules_page(
		"VIXL",
		"# The rules of VIXL state traces\n\n"
		"What `cairn check` judges a state trace by. This page is made from the rule table\n"
		"(`UPDATE=1 build/tests/unit/test_vixl_rules` rewrites it).\n\n"
		"An **error** is what VIXL's document forbids or what cannot be true; a **warning** what\n"
		"is probably not meant; a **note** other text, and what the simulator is known to get\n"
		"wrong, which says what is wrong with the line. What values mean is judged only of the\n"
		"kinds of lines the log has: registers that change without being logged contradict\n"
		"nothing. Values in memory are followed where instructions and stores are logged; a call\n"
		"of the host's code, a hole, another run, a store whose address is not known and a switch\n"
		"of the trace make them unknown, and so does a log that touches more than 4 MiB. Such a\n"
		"call may also change x0 to x18 without a line.\n\n",
		RULES_PAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_rule_is_broken_alone),
	                                   cmocka_unit_test(findings_do_not_depend_on_threads),
	                                   cmocka_unit_test(the_page_of_rules_is_true)};
	for (unsigned i = 0; i < VIXL_RULE_COUNT; i++)
		ids[i] = vixl_rules.rules[i].id;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
