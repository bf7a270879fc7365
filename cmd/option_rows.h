/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All options, in the order of --help and of the manual pages: the letter (0: none), the name, what
 * its value is (NULL: it takes none), and what it does. OPTION(NAME, …) is OPT_NAME in the code.
 */
OPTION(OUTPUT, 'o', "output", "FILE", "write to FILE; - is standard output, the default")
OPTION(TO, 0, "to", "FORMAT[:OPTION,…]", "write this format")
OPTION(CODEC, 0, "codec", "CODEC[:LEVEL]", "compress the output with this codec")
OPTION(LOSSLESS, 0, "lossless", NULL, "stop when the output cannot hold something")
OPTION(LOSSY, 0, "lossy", NULL, "drop what a packing (rstzip) cannot keep, and report it")
OPTION(MATRIX, 0, "matrix", NULL, "show what each conversion keeps; takes no trace")
OPTION(FROM, 0, "from", "FORMAT[:OPTION,…]",
       "read the input as this format instead of recognising it")
OPTION(ETE, 0, "ete", "NAME=VALUE,…", "how to read the bytes of an ETE trace unit (trcidr0=0x…)")
OPTION(TRANSACTIONS, 0, "transactions", "WHAT",
       "ETE: discard (the default) or keep what ran in failed transactions")
OPTION(TRUST_PATHS, 0, "trust-paths", NULL, "open files that a snapshot names outside its folder")
OPTION(STRICT, 0, "strict", NULL, "stop at the first damaged place")
OPTION(IMAGE, 0, "image", "FILE[@[SPACE:]ADDRESS]",
       "the program, for its bytes and symbols; may be repeated")
OPTION(REGION, 'R', "region", "REGION", "only this region; may be repeated")
OPTION(WHERE, 'w', "where", "EXPR", "only where this holds: class==load && addr>=0x1000")
OPTION(REGS, 'r', "regs", NULL, "show registers")
OPTION(MEMS, 'm', "mems", NULL, "show memory accesses")
OPTION(EVENTS, 'e', "events", NULL, "show events, comments and page walks")
OPTION(ALL, 'a', "all", NULL, "show everything; of --writes and --reads, find every one")
OPTION(ELEMENTS, 0, "elements", NULL,
       "ETE: show what the packets mean (elements) instead of packets")
OPTION(LINES, 0, "lines", NULL, "show source lines; the program needs -g")
OPTION(NO_DISASM, 'D', "no-disasm", NULL, "show encodings without disassembly")
OPTION(STATE, 0, "state", NULL, "show registers and memory before an instruction")
OPTION(DERIVE, 0, "derive", NULL,
       "add values that follow from what the trace tells, by executing it")
OPTION(COVERAGE, 0, "coverage", NULL,
       "show how much is known of registers and accesses, with --derive and without")
OPTION(AFTER, 0, "after", NULL, "with --state: show them after it")
OPTION(MEMORY, 0, "memory", "PLACE", "with --state: only these bytes of memory; may be repeated")
OPTION(WRITES, 0, "writes", "PLACE", "find what wrote x5, 0x80001000+8 or @symbol")
OPTION(READS, 0, "reads", "PLACE", "find what read it")
OPTION(BEFORE, 0, "before", "N", "look only before instruction N")
OPTION(FIRST, 0, "first", NULL, "only the first one; with -n N, the first N")
OPTION(LAST, 0, "last", NULL, "only the last one; with -n N, the last N")
OPTION(LIMIT, 'n', "limit", "N", "show at most N; 0 shows all")
OPTION(ONLY_COUNT, 0, "count", NULL, "print only how many there are")
OPTION(IGNORE, 0, "ignore", "LIST", "do not compare these (pc,encoding,values …)")
OPTION(WINDOW, 0, "window", "N", "look this far for the place where the traces agree again")
OPTION(RULES, 0, "rules", NULL, "list the rules")
OPTION(ALL_FINDINGS, 0, "all-findings", NULL,
       "show all findings, not only the first 100 of each rule")
OPTION(EXECUTE, 0, "execute", NULL,
       "execute the instructions and compare what the trace tells with what they make")
OPTION(BY, 0, "by", "WHAT", "the fields to count by (mix); cpu, pid or tid (split)")
OPTION(EVERY, 0, "every", "N", "one result or part for every N instructions")
OPTION(WINDOWS, 0, "windows", "N:K", "of every N instructions take the first K")
OPTION(LOOK_BACK, 0, "look-back", "N", "read N instructions, or all, before a region for its state")
OPTION(SIMPOINTS, 0, "simpoints", "FILE", "cut the intervals that cairn simpoints --csv printed")
OPTION(COMMENT, 0, "comment", "TEXT", "add a comment; may be repeated")
OPTION(FEATURE, 0, "feature", "+NAME,-NAME", "declare features (+) or remove them (-)")
OPTION(ISA_STRING, 0, "isa-string", "TEXT", "set the instruction set (rv64gcv_zba); '' removes it")
OPTION(GENERATOR, 0, "generator", "NAME[,VERSION[,TEXT]]", "add who made the trace (Spike,1.1.0)")
OPTION(DROP, 0, "drop", "TYPE[,TYPE…]", "leave out records of these types; may be repeated")
OPTION(START, 0, "start", "WHERE", "start at @symbol, 0xADDRESS or instruction N")
OPTION(STOP, 0, "stop", "WHERE",
       "stop before @symbol or 0xADDRESS, after instruction N, or after +N")
OPTION(NO_REGS, 0, "no-regs", NULL, "record no registers: about twice as fast")
OPTION(QEMU, 0, "qemu", "FILE", "run the program with this QEMU; the default is qemu-ARCH")
OPTION(CPU, 0, "cpu", "CPU", "let QEMU be this CPU: rv64,v=true,vlen=256")
OPTION(SYSROOT, 0, "sysroot", "FOLDER", "the folder of the program's loader and shared libraries")
OPTION(PREDICTOR, 0, "predictor", "NAME[:BYTES],…",
       "run reference predictors: bimodal, gshare, tage, or all")
OPTION(CACHE, 0, "cache", "SIZE,WAYS,LINE", "simulate a cache: 32K,8,64; may be repeated")
OPTION(LINE, 0, "line", "BYTES", "bytes of a line in all other tables; the default is 64")
OPTION(REUSE, 0, "reuse", "HOW", "reuse distances: exact (the default), sampled, sampled:N, none")
OPTION(ESTIMATE, 0, "estimate", NULL, "estimate from samples: about three times as fast")
OPTION(ENDS, 0, "ends", "WHAT", "what ends a block: any branch, or only a taken one (taken)")
OPTION(CLUSTERS, 0, "clusters", "N",
       "at most N clusters; the default is 30, or a quarter of the intervals")
OPTION(WIDTH, 0, "width", "N", "this many columns; the default fits the terminal")
OPTION(TABLE, 0, "table", "NAME", "print only this table")
OPTION(TOP, 0, "top", "N",
       "at most N rows of each table, 0 for all; the default is 20 as text, all as JSON and CSV")
OPTION(CSV, 0, "csv", NULL, "print comma-separated values")
OPTION(JSON, 0, "json", NULL, "print JSON; what is unknown is null")
OPTION(THREADS, 'j', "threads", "N", "use N threads; the default is one for each processor")
OPTION(COLOR, 0, "color", "WHEN", "use colours: auto, always or never")
OPTION(NO_PROGRESS, 0, "no-progress", NULL, "show no progress bar")
OPTION(QUIET, 'q', "quiet", NULL, "print only errors and losses")
OPTION(VERBOSE, 'v', "verbose", NULL, "print more: every damaged place, the time taken")
OPTION(HELP, 'h', "help", NULL, "print this text")
