/* SPDX-License-Identifier: Apache-2.0 */
#include "arguments.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* A byte below this chooses from a table, others are the length of a text that follows. */
enum { FROM_TABLE = 0xc0, LONGEST_TEXT = 0x3f, MOST_WORDS = 12 };

uint8_t take_byte(struct taken *taken)
{
	if (!taken->n)
		return 0;
	taken->n--;
	return *taken->p++;
}

/* ---- tables: words with a bar between them ---- */

static const char names[] =
	"t.stf|t.rst|t.zstf|t.log|t.vixl|t.bin|snapshot.ini|trace.ini|cpu_0.ini|ete_0.ini|"
	"trace.bin|program.bin|p.elf|s.csv|t.stf.cai|t.rst.cai|t.zstf.cai|u.stf|u.rst|t.xz";
#define REGIONS \
	"1|2..4|3..|..3|2+5|r1..r9|r3..|@main|@main+0x4|0x80000000-0x800000ff|0x1000|cpu0|cpu1|" \
	"pid1|tid0|1..100,cpu0|0..|5..1"
static const char operands[] =
	"t.stf|t.rst|t.zstf|t.log|t.vixl|t.bin|.|snapshot.ini|trace.bin|p.elf|u.stf|u.rst|-|"
	"o.stf|o.rst|o.snapshot|o.vixl|addr>=0x1000|class==load|taken|--|missing.stf|" REGIONS;
static const char places[] = "x1|x5|sp|f0|v0|pc|csr0x300|0x1000+8|0x80001000+8|@main|@data+4|r100";
static const char counts[] = "0|1|2|3|10|64|1000|1k|4096|1M|18446744073709551615|-1|0x10|x";
static const char conditions[] =
	"class==load|class==store && addr>=0x1000|taken|branch && !taken|pc==0x80000000|"
	"priv==user|pid==1|cpu==0|x1==5|n>2 && n<5|enc==0x13|size==2|event|mem.size==4|flags==aborted|"
	"reg==x1|value>3|target==@main|(taken||class==call)|asm~\"add\"|isa==rv64|class==amo";

/* Values of options; the rest are numbers. */
static const struct {
	int option;
	const char *values;
} known[] = {
	{OPT_OUTPUT,
     "o.stf|o.rst|o.zstf|o.vixl|o.snapshot|o.json|o.csv|o.html|o.svg|o.txt|o.bb|o.bt9|o.folded|-|"
     "o.stf.zst|o.stf.xz|o.rst.gz|o-%s.stf|o-%s.rst|o.jsonl|o.rz|t.stf|o"},
	{OPT_FROM,
     "stf|rst|ete|vixl|spike|tarmac|execlog|capture|zstf|stf:events=32|stf:ids=old|stf:sizes=bits|"
     "stf:sizes=bytes|stf:sources=after|stf:sources=before|stf:initiators=library|rst:version=2.10|"
     "execlog:isa=rv32|execlog:isa=rv64|execlog:isa=a64|spike:isa=rv64gc|ete:trcidr0=0x8000e81|"
     "ete:trcconfigr=0x1811,trcidr0=0x8000e81|ete:records=elements|ete:frames=yes|ete:transactions=keep|stf:"},
	{OPT_ETE,
     "trcidr0=0x8000e81|trcconfigr=0x1811|0x10:trcidr0=0x8000e81|trcidr2=0x10001088,trcdevarch=0x47735a13|x=1"},
	{OPT_TRANSACTIONS, "discard|keep"},
	{OPT_TO,
     "stf|zstf|rst|ete|vixl|rstzip|stf:sizes=bytes|stf:ids=old|zstf:chunk=10|ete:frames=yes|folded|speedscope|"
     "svg|timeline|html|tables|bb|bt9|json|rst:version=2.6|ete:timestamps=yes|x"},
	{OPT_CODEC, "none|zstd|gzip:1|xz:0|lz4|bzip2|zstd-seekable|zstd:99|x"},
	{OPT_REGION, REGIONS},
	{OPT_WHERE, conditions},
	{OPT_IMAGE,
     "p.elf|p.elf@0x80000000|program.bin@0x4000e8|program.bin@0x80000000|program.bin@EL1N:0x1000|p.elf@1:0x0|"
     "missing.elf|program.bin"},
	{OPT_COLOR, "auto|always|never|x"},
	{OPT_BY, "cpu|pid|tid|class|mnemonic|isa|priv|size|function|class,size|x"},
	{OPT_WINDOWS, "10:5|4:2|1:1|3:0|2:3|x"},
	{OPT_LOOK_BACK, "all|0|2|10|x"},
	{OPT_COMMENT, "text|\033[31m|"},
	{OPT_FEATURE, "+EVENT64|-EVENT64|+INT_DIV_OPERAND_VALUE|+PHYSICAL_ADDRESS,-NOT_USED|+X"},
	{OPT_ISA_STRING, "rv64gcv_zba|rv32imac|rv64gc_zcmp||x"},
	{OPT_GENERATOR, "Spike,1.1.0|QEMU|Dromajo,1.2|x,y,z"},
	{OPT_DROP,
     "EVENT|INST_REG|COMMENT|PROCESS_ID_EXT|INST_MEM_ACCESS,INST_MEM_CONTENT|PAVADIFF|REGVAL|X"},
	{OPT_IGNORE, "pc|encoding|values|pc,encoding,values|regs,mems,events|x"},
	{OPT_MEMORY, "0x1000+8|0x80001000+64|0+1|0xffffffffffffffff+8|x"},
	{OPT_WRITES, places},
	{OPT_READS, places},
	{OPT_TABLE, "summary|classes|mnemonics|functions|lines|pages|reuse|cache|loops|targets|x"},
	{OPT_PREDICTOR, "all|bimodal|bimodal:4K|gshare:16K|tage:64K|gshare:1|x"},
	{OPT_ENDS, "branch|taken|x"},
	{OPT_SIMPOINTS, "s.csv|missing.csv"},
	{OPT_CACHE, "32K,8,64|1K,1,16|64,1,64|0,0,0|1G,16,64|x"},
	{OPT_REUSE, "exact|sampled|sampled:2|none|x"},
	{OPT_START, "@main|0x80000000|2|x"},
	{OPT_STOP, "@main|0x80000008|3|+2|x"},
	{OPT_QEMU, "qemu|x"},
	{OPT_SYSROOT, "."},
};

/* The word-th of a table, modulo their number. */
static void choose(const char *table, unsigned word, char *out, size_t size)
{
	unsigned n = 1;
	for (const char *p = table; *p; p++)
		n += *p == '|';
	for (word %= n; word; word--)
		table = strchr(table, '|') + 1;
	snprintf(out, size, "%.*s", (int)strcspn(table, "|"), table);
}

const char *file_name(unsigned index)
{
	static char name[ARGUMENT_LENGTH];
	choose(names, index, name, sizeof name);
	return name;
}

/* ---- words ---- */

/* Without a slash, the only thing outside the folder that a path can name is the folder above it. */
static void keep_inside(char *text)
{
	for (char *p = text; *p; p++) {
		bool begins = p == text || !isalnum((unsigned char)p[-1]);
		if (*p == '/' ||
		    (begins && p[0] == '.' && p[1] == '.' && !isdigit((unsigned char)p[2]) && p[2] != 'r'))
			*p = '_';
	}
}

/* A word from the table, or any text. */
static void take_word(struct taken *taken, const char *table, char *out, size_t size)
{
	uint8_t how = take_byte(taken);
	if (how < FROM_TABLE) {
		choose(table, how, out, size);
		return;
	}
	size_t n = how & LONGEST_TEXT;
	n = n < taken->n ? n : taken->n;
	n = n < size - 1 ? n : size - 1;
	memcpy(out, taken->p, n);
	out[n] = 0;
	taken->p += n;
	taken->n -= n;
	keep_inside(out);
}

static char *new_argument(struct arguments *arguments)
{
	char *text = arguments->text[arguments->argc];
	arguments->argv[arguments->argc++] = text;
	arguments->argv[arguments->argc] = NULL;
	*text = 0;
	return text;
}

static const char *values_of(int option)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].option == option)
			return known[i].values;
	return counts;
}

/* Of the options that the verb takes one, with its value. */
static void take_option(struct taken *taken, struct arguments *arguments, uint8_t which)
{
	const uint8_t *takes = arguments->verb->takes;
	unsigned n = 0;
	bool valued;
	while (takes[n] != OPT_COUNT)
		n++;
	int id = takes[which % n];
	const char *name = option_name(id, &valued);
	if (id == OPT_THREADS) /* threads for so little only cost */
		valued = false;
	snprintf(new_argument(arguments), ARGUMENT_LENGTH, "--%s%s", name,
	         id == OPT_THREADS ? "=2" : "");
	if (valued)
		take_word(taken, values_of(id), new_argument(arguments), ARGUMENT_LENGTH);
}

static void take_verb(struct taken *taken, struct arguments *arguments)
{
	unsigned n = 0, which = take_byte(taken);
	while (verb_at(n))
		n++;
	arguments->verb = verb_at(which % n);
	snprintf(new_argument(arguments), ARGUMENT_LENGTH, "cairn");
	snprintf(new_argument(arguments), ARGUMENT_LENGTH, "%s", arguments->verb->name);
	if (option_taken(arguments->verb->takes, OPT_THREADS))
		snprintf(new_argument(arguments), ARGUMENT_LENGTH, "-j1");
}

/* The verb, the number of words; each a byte that says what it is, and what that needs. */
void take_arguments(struct taken *taken, struct arguments *arguments)
{
	enum { OPTIONS = 0xa0, OPERANDS = 0xf8 };
	arguments->argc = 0;
	take_verb(taken, arguments);
	unsigned words = take_byte(taken) % MOST_WORDS;
	while (words-- && taken->n && arguments->argc < ARGUMENTS - 2) {
		uint8_t what = take_byte(taken);
		if (what < OPTIONS)
			take_option(taken, arguments, what);
		else if (what < OPERANDS)
			take_word(taken, operands, new_argument(arguments), ARGUMENT_LENGTH);
		else /* mostly something that the parser refuses */
			take_word(taken, "--|-|-x|--help|--no-such|--w|-n|-rme|--json=1|help|--version",
			          new_argument(arguments), ARGUMENT_LENGTH);
	}
	arguments->standard_input = false;
	for (int i = 2; i < arguments->argc; i++)
		arguments->standard_input |= !strcmp(arguments->argv[i], "-");
}
