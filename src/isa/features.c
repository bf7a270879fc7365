/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a trace's description of its instruction set to LLVM's feature names.
 *
 * LLVM prints on standard error when it is given a name it does not know, which
 * a library must not do. So nothing of the trace's text ever reaches LLVM: each
 * name is looked up in the table below, which says since which LLVM it may be
 * said, and only the table's own words are passed on. Versions 14, 15 and 19
 * were verified against the library; 16 to 18 get the names of 15, and later
 * ones those of 19, which LLVM does not take back. Names that were still
 * "experimental-" in 19 lose that prefix at some later version, so they are said
 * to 19 only.
 *
 * Only extensions that bring instructions are listed: the others (zvl128b,
 * ss1p12, sv48 …) change nothing in the text.
 *
 * The set is the union of what the trace names and a base of I, M, A, F, D, C,
 * Zicsr and Zifencei (the last two and I are always on in LLVM), and what has encodings that are
 * hints or reserved elsewhere (Zihintpause, Zicbop, Zcmop). Descriptions
 * are often wrong or short; an instruction that stands in a trace did run, so a
 * description may add meanings but not hide the usual ones. Some descriptions do
 * change what the same bits mean, and are believed unless they contradict
 * themselves: Zcmp and Zcmt use the encodings of C's double-precision loads and
 * stores, Zclsd those of its single-precision ones on RV32, Zfinx and relatives those
 * of F and D with other registers; without Zicfiss its encodings are may-be-operations. The decoder is told of the same: enum
 * cairn_isa_variant.
 *
 * Without a description: everything ratified whose encodings do not collide.
 */
#include "isa/isa.h"
#include "isa/llvm.h"

#include <ctype.h>
#include <string.h>

enum {
	BASE = 1,    /* always on */
	USUAL = 2,   /* on when the trace does not describe itself */
	EXP = 4,     /* "experimental-" in LLVM 19 */
	VS_D = 8,    /* means something else where C and D are */
	VS_F = 16,   /* means something else where F is */
	NEVER = 255, /* came after 19: not said, for how later ones say it is not verified */
	FEATURE_NAME = 24
};

struct feature {
	char name[FEATURE_NAME];
	uint8_t since, flags;
};

static const struct feature table[] = {
	{"m", 14, BASE},
	{"a", 14, BASE},
	{"f", 14, BASE},
	{"d", 14, BASE},
	{"c", 14, BASE},
	{"v", 14, USUAL},
	{"h", 19, USUAL},
	{"zaamo", 19, USUAL},
	{"zabha", 19, USUAL},
	{"zacas", 19, USUAL | EXP},
	{"zalasr", 19, USUAL | EXP},
	{"zalrsc", 19, USUAL},
	{"zawrs", 19, USUAL},
	{"zba", 14, USUAL},
	{"zbb", 14, USUAL},
	{"zbc", 14, USUAL},
	{"zbkb", 14, USUAL},
	{"zbkc", 14, USUAL},
	{"zbkx", 14, USUAL},
	{"zbs", 14, USUAL},
	{"zca", 19, USUAL},
	{"zcb", 19, USUAL},
	{"zcd", 19, 0},
	{"zcf", 19, 0},
	{"zcmop", 19, BASE},
	{"zcmp", 19, VS_D},
	{"zclsd", NEVER, 0},
	{"zcmt", 19, VS_D},
	{"zdinx", 14, VS_F},
	{"zfa", 19, USUAL},
	{"zfbfmin", 19, USUAL},
	{"zfh", 14, USUAL},
	{"zfhmin", 14, USUAL},
	{"zfinx", 14, VS_F},
	{"zhinx", 14, VS_F},
	{"zhinxmin", 14, VS_F},
	{"zicbom", 15, USUAL},
	{"zicbop", 15, BASE},
	{"zicboz", 15, USUAL},
	{"zicfilp", 19, USUAL | EXP},
	{"zicfiss", 19, USUAL | EXP},
	{"zicond", 19, USUAL},
	{"zihintntl", 19, USUAL},
	{"zilsd", NEVER, 0},
	{"zihintpause", 15, BASE},
	{"zimop", 19, USUAL},
	{"zk", 14, USUAL},
	{"zkn", 14, USUAL},
	{"zknd", 14, USUAL},
	{"zkne", 14, USUAL},
	{"zknh", 14, USUAL},
	{"zkr", 14, USUAL},
	{"zks", 14, USUAL},
	{"zksed", 14, USUAL},
	{"zksh", 14, USUAL},
	{"zmmul", 15, USUAL},
	{"zvbb", 19, USUAL},
	{"zvbc", 19, USUAL},
	{"zve32f", 14, USUAL},
	{"zve32x", 14, USUAL},
	{"zve64d", 14, USUAL},
	{"zve64f", 14, USUAL},
	{"zve64x", 14, USUAL},
	{"zvfbfmin", 19, USUAL},
	{"zvfbfwma", 19, USUAL},
	{"zvfh", 19, USUAL},
	{"zvfhmin", 19, USUAL},
	{"zvkb", 19, USUAL},
	{"zvkg", 19, USUAL},
	{"zvkn", 19, USUAL},
	{"zvknc", 19, USUAL},
	{"zvkned", 19, USUAL},
	{"zvkng", 19, USUAL},
	{"zvknha", 19, USUAL},
	{"zvknhb", 19, USUAL},
	{"zvks", 19, USUAL},
	{"zvksc", 19, USUAL},
	{"zvksed", 19, USUAL},
	{"zvksg", 19, USUAL},
	{"zvksh", 19, USUAL},
	{"svinval", 19, USUAL},
	/* Vendors' own: their opcode spaces overlap, so only when named. */
	{"xcvalu", 19, 0},
	{"xcvbi", 19, 0},
	{"xcvbitmanip", 19, 0},
	{"xcvelw", 19, 0},
	{"xcvmac", 19, 0},
	{"xcvmem", 19, 0},
	{"xcvsimd", 19, 0},
	{"xsfcease", 19, 0},
	{"xsfvcp", 19, 0},
	{"xsfvfnrclipxfqf", 19, 0},
	{"xsfvfwmaccqqq", 19, 0},
	{"xsfvqmaccdod", 19, 0},
	{"xsfvqmaccqoq", 19, 0},
	{"xsifivecdiscarddlone", 19, 0},
	{"xsifivecflushdlone", 19, 0},
	{"xtheadba", 19, 0},
	{"xtheadbb", 19, 0},
	{"xtheadbs", 19, 0},
	{"xtheadcmo", 19, 0},
	{"xtheadcondmov", 19, 0},
	{"xtheadfmemidx", 19, 0},
	{"xtheadmac", 19, 0},
	{"xtheadmemidx", 19, 0},
	{"xtheadmempair", 19, 0},
	{"xtheadsync", 19, 0},
	{"xtheadvdot", 19, 0},
	{"xventanacondops", 19, 0},
	{"xwchc", 19, 0},
};
enum { N_TABLE = sizeof table / sizeof *table };

/* What the trace named: one flag per row, and whether it named anything that
 * stands for "a usual application processor". */
struct named {
	bool row[N_TABLE];
	bool usual;
};

/* Names that stand for several. */
static const struct {
	char name[8];
	const char *means[6];
} groups[] = {
	{"g", {"m", "a", "f", "d"}},
	{"b", {"zba", "zbb", "zbs"}},
	{"zce", {"zca", "zcb", "zcmp", "zcmt"}},
	{"q", {"f", "d"}},
};

static bool name_is(const char *name, const char *text, size_t n)
{
	return strlen(name) == n && memcmp(name, text, n) == 0;
}

static bool take_exact(struct named *set, const char *text, size_t n)
{
	for (size_t i = 0; i < N_TABLE; i++) {
		if (name_is(table[i].name, text, n))
			return set->row[i] = true;
	}
	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
		if (!name_is(groups[i].name, text, n))
			continue;
		for (const char *const *m = groups[i].means; *m; m++)
			take_exact(set, *m, strlen(*m));
		return true;
	}
	return false;
}

/* Length of "2", "2p1" at s, 0 when no version stands there. */
static size_t features_version_length(const char *text, size_t n)
{
	size_t i = 0;
	while (i < n && isdigit((unsigned char)text[i]))
		i++;
	if (i && i + 1 < n && text[i] == 'p' && isdigit((unsigned char)text[i + 1])) {
		i++;
		while (i < n && isdigit((unsigned char)text[i]))
			i++;
	}
	return i;
}

/* A name of several letters, perhaps with a version behind it. Some names end
 * in digits and letters themselves, so the whole is tried first. */
static bool take_long(struct named *set, const char *text, size_t n)
{
	if (take_exact(set, text, n))
		return true;
	for (size_t i = 1; i < n; i++) {
		size_t v = features_version_length(text + i, n - i);
		if (v && i + v == n)
			return take_exact(set, text, i);
	}
	return false;
}

/* A run of single letters with versions: "i2p1m2p0afdcv". What follows z or x
 * is a long name without the underscore that should stand before it; s may be
 * one, or the letter older descriptions used for supervisor mode. */
static void take_letters(struct named *set, const char *text, size_t n)
{
	for (size_t i = 0; i < n;) {
		if (strchr("zxs", text[i]) && take_long(set, text + i, n - i))
			return;
		if (text[i] == 'z' || text[i] == 'x')
			return;
		take_exact(set, text + i, 1);
		i++;
		i += features_version_length(text + i, n - i);
	}
}

/* The first word: "rv64" and letters, or a profile's name (rva22u64). */
static void take_first(struct named *set, const char *word, size_t n)
{
	if (n < 2 || memcmp(word, "rv", 2) != 0) {
		take_letters(set, word, n);
		return;
	}
	if (n > 3 && isdigit((unsigned char)word[3]) && strchr("abim", word[2])) {
		set->usual = true;
		return;
	}
	size_t skip = 2 + features_version_length(word + 2, n - 2);
	take_letters(set, word + skip, n - skip);
}

/* Words of letters and digits; whatever else stands between them separates.
 * A word too long to be a name is cut, which makes it unknown. */
static void features_parse(struct named *set, const char *text)
{
	for (bool first = true; *text; text++) {
		char word[256];
		size_t n = 0;
		for (; isalnum((unsigned char)*text); text++) {
			if (n < sizeof word)
				word[n++] = (char)tolower((unsigned char)*text);
		}
		if (n && first)
			take_first(set, word, n);
		else if (n > 1 && strchr("zxs", word[0]))
			take_long(set, word, n);
		else
			take_letters(set, word, n);
		first = first && n == 0;
		if (!*text)
			break;
	}
}

static bool features_is_named(const struct named *set, const char *name)
{
	for (size_t i = 0; i < N_TABLE; i++) {
		if (strcmp(table[i].name, name) == 0)
			return set->row[i];
	}
	return false;
}

static unsigned variants_of(enum cairn_isa isa, const struct named *set)
{
	bool d = features_is_named(set, "d"), f = d || features_is_named(set, "f"),
		 c = features_is_named(set, "c");
	bool rv32 = isa == CAIRN_ISA_RV32;
	unsigned v = 0;
	if ((features_is_named(set, "zcmp") || features_is_named(set, "zcmt")) && !(c && d) &&
	    !features_is_named(set, "zcd"))
		v |= CAIRN_ISA_ZCMP;
	if (rv32 && features_is_named(set, "zclsd") && !(c && f) && !features_is_named(set, "zcf"))
		v |= CAIRN_ISA_ZCLSD;
	if (!set->usual && !features_is_named(set, "zicfiss"))
		v |= CAIRN_ISA_NO_ZICFISS;
	if ((features_is_named(set, "zfinx") || features_is_named(set, "zdinx") ||
	     features_is_named(set, "zhinx") || features_is_named(set, "zhinxmin")) &&
	    !f)
		v |= CAIRN_ISA_ZFINX;
	return v;
}

unsigned isa_riscv_variants(enum cairn_isa isa, const char *isa_string)
{
	struct named set = {.usual = false};
	features_parse(&set, isa_string);
	return variants_of(isa, &set);
}

static int riscv_features(enum cairn_isa isa, const char *isa_string, int version,
                          struct base_buf *out)
{
	struct named set = {.usual = !isa_string || !*isa_string};
	if (!set.usual)
		features_parse(&set, isa_string);
	unsigned variants = variants_of(isa, &set);
	for (size_t i = 0; i < N_TABLE; i++) {
		const struct feature *feature = &table[i];
		bool on = set.row[i] || (feature->flags & BASE) || (set.usual && (feature->flags & USUAL));
		if (variants & CAIRN_ISA_ZFINX &&
		    (!strcmp(feature->name, "f") || !strcmp(feature->name, "d")))
			on = false;
		if ((feature->flags & VS_D && !(variants & CAIRN_ISA_ZCMP)) ||
		    (feature->flags & VS_F && !(variants & CAIRN_ISA_ZFINX)))
			on = false;
		/* C without what those would be: Zca, and on RV32 Zcf */
		if (variants & (CAIRN_ISA_ZCMP | CAIRN_ISA_ZCLSD) && version >= 19) {
			if (!strcmp(feature->name, "c"))
				on = false;
			else if (!strcmp(feature->name, "zca"))
				on = true;
			else if (!strcmp(feature->name, "zcf"))
				on = isa == CAIRN_ISA_RV32 && !(variants & CAIRN_ISA_ZCLSD);
			else if (!strcmp(feature->name, "zcd"))
				on = !(variants & CAIRN_ISA_ZCMP);
		}
		if (version < feature->since || (feature->flags & EXP && version != 19))
			on = false;
		if (!on)
			continue;
		int r = base_buf_printf(out, "%s+%s%s", out->len ? "," : "",
		                        feature->flags & EXP ? "experimental-" : "", feature->name);
		if (r < 0)
			return r;
	}
	return 0;
}

int isa_llvm_features(enum cairn_isa isa, const char *isa_string, int version, struct base_buf *out)
{
	const char *fixed = "";
	switch (isa) {
	case CAIRN_ISA_RV32:
	case CAIRN_ISA_RV64: {
		int r = riscv_features(isa, isa_string, version, out);
		return r < 0 ? r : base_buf_put(out, "", 1);
	}
	case CAIRN_ISA_A64:
		/* "all" came with 15; before, the newest architecture and what is
		 * optional in it. */
		fixed = version >= 15 ? "+all"
		                      : "+v9.3a,+sve2,+sve2-aes,+sve2-bitperm,+sve2-sha3,+sve2-sm4,+sme,"
		                        "+sme-f64,+sme-i64,+mte,+aes,+sha2,+sha3,+sm4,+crc,+rand,+fp16fml,"
		                        "+f32mm,+f64mm,+tme,+ls64,+spe,+brbe,+ete,+rme,+perfmon,+hbc,+mops";
		break;
	case CAIRN_ISA_SPARC:
		fixed = "+vis,+vis2,+vis3,+popc,+hard-quad-float,+deprecated-v8";
		break;
	case CAIRN_ISA_A32:
	case CAIRN_ISA_T32:
		fixed = "+neon,+fp-armv8,+fullfp16,+fp16fml,+aes,+sha2,+crc,+dotprod,+bf16,+i8mm,+sb,"
				"+hwdiv,+hwdiv-arm,+mp,+trustzone,+virtualization,+ras";
		break;
	case CAIRN_ISA_X86_64:
	case CAIRN_ISA_UNKNOWN:
	case CAIRN_ISA_LAST:
		break;
	}
	return base_buf_put(out, fixed, strlen(fixed) + 1);
}
