# RST traces packed otherwise, cut, put together, edited (examples/write_rst.c made it).
needs: gzip
$ cp $EXAMPLES/traps.rst t.rst; cairn convert t.rst -o a.rz3.gz && cairn info a.rz3.gz | grep -E '^(container|codec)'
$ cairn convert a.rz3.gz -o b.rst.zst && cairn convert b.rst.zst -o c.rst && cmp c.rst t.rst
$ cairn convert c.rst -o - --to rst:rstzip | cairn convert - -o - --to rst | cmp - t.rst
$ cairn convert t.rst -o x.rz2
$ cairn convert t.rst -o x.rst --to rst:zip
# What rstzip does not keep is refused with its place, or dropped and told.
$ { cat t.rst; printf '\5\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'; } > r.rst; cairn convert r.rst -o r.rz3
$ ls r.rz3*
$ cairn convert --lossy r.rst -o r.rz3; cairn convert r.rz3 -o - --to rst | tail -c 24 | od -An -tx1 | tr -d '\n'
$ cairn convert r.rst -o r2.rz3 --to rst:rstzip,lossy
$ cairn convert --lossy --lossless r.rst -o r.rz3
# Another format.
$ cairn convert t.rst -o t.stf && cairn count t.stf | head -n 1
$ cairn convert $EXAMPLES/sort.zstf -o s.rst
$ cairn slice t.rst -o s.stf 1..2
$ ls s.*
# A region begins with what is known there.
$ cairn slice t.rst -o p.rst 4..6 && cairn records p.rst | cut -c 22- | sed -E 's/(date_modified|time)=[0-9]+/\1=…/'
$ cairn diff t.rst p.rst -R 4..6 | tail -n 1; cairn view -D p.rst; cairn view -D t.rst 4..6
$ cairn slice t.rst -o c0.rst cpu0 && cairn count c0.rst | head -n 1; cairn records c0.rst | grep -c 'cpuid=1'
$ cairn slice t.rst -o none.rst cpu7
# All of it is all of it.
$ cairn slice t.rst -o all.rst 1.. && cairn diff t.rst all.rst | head -n 4
# Traces one after another: pieces of one, and runs of one machine.
$ head -c 480 t.rst > p0.rst; tail -c +481 t.rst > p1.rst; cairn merge p0.rst p1.rst -o m.rst && cmp m.rst t.rst
$ cairn merge t.rst t.rst -o twice.rst && cairn count twice.rst | head -n 1; cairn records twice.rst | grep -cE 'RSTHEADER|TRACEINFO|mmutype'
$ sed 's/nwins=8/nwins=7/' t.rst > w.rst; cairn merge t.rst w.rst -o x.rst
# Edits.
$ cairn edit t.rst -o e.rst --comment 'recorded on a Sunday' --drop TLB,regval
$ cairn edit t.rst -o e.rst --comment 'recorded on a Sunday' --drop regval && cairn info e.rst | grep Sunday; cairn records e.rst | grep -c REGVAL
$ cairn edit t.rst -o e.rst --drop STRDESC && cairn records e.rst | grep -c STRDESC
$ cairn edit t.rst -o e.rst --to rst:version=2.06 && cairn info e.rst | grep -E '^(version|level)'
$ cairn edit t.rst -o e.rst --to rst:version=3.0
$ cairn edit t.rst -o e.rst --feature +SIMPOINT
$ cairn edit t.rst -o e.rst --drop NOTHING
# Splits.
$ cairn split --by cpu t.rst -o 'c%s.rst' && cairn merge c0.rst c1.rst -o back.rst && cairn count back.rst | head -n 1
$ cairn split --every 4 t.rst -o 'e%s.rz3' && cairn merge e000*.rz3 -o back.rst && cairn diff t.rst back.rst | head -n 3
$ cairn split -q --every 20k $EXAMPLES/sort.zstf -o 's%s.zstf' && ls s0*.zstf
$ cairn split --by pid t.rst -o 'c%s.rst'
$ cairn split --by cpu t.rst -o c.rst
$ cairn split --by hart t.rst -o 'c%s.rst'
$ cairn split t.rst -o 'c%s.rst'
$ cairn split --every 5 t.rst
$ cp t.rst k1.rst; cairn split --by cpu k1.rst -o 'k%s.rst'; ls k*
$ cat t.rst | cairn split --by cpu - -o 'k%s.rst'
# An index makes it jumpable, unless it is packed.
$ cairn index t.rst | sed 's/[0-9]* bytes/N bytes/'; cairn index a.rz3.gz | sed 's/[0-9]* bytes/N bytes/'
$ cairn view -D t.rst 9
