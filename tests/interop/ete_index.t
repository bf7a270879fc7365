# Frames of six sources, ten million bytes in two sessions, can be jumped in: where each row of
# the index begins, and in between, the same is shown as without it, by one thread and two; so
# in a compressed file. Of frames with synchronisation words there are summaries only.
needs: data/ete/snapshots/infrastructure cp sed gzip cmp
$ cp -r $DATA/ete/snapshots/infrastructure v4 && chmod -R u+w v4 && cd v4 && sed -i 's/type=ETE/type=ETM4x/; s/0x4100FFF0/0x4100F403/; s/47705A13/47704A13/' device_*.ini && for i in {1..75}; do cat $DATA/ete/snapshots/infrastructure/cstrace.bin; done > cstrace.bin && sed -i 's/^buffers=.*/buffers=buffer0,buffer2/; s/^STM_12=.*//; s/\(ETM_.\)=ETB_0/\1=ETB_0,ETB_2/' trace.ini && printf '[buffer2]\nname=ETB_2\nfile=cstrace.bin\nformat=coresight\n' >> trace.ini
$ cairn index v4 2>/dev/null
| v4/snapshot.ini.cai: 36 spans, 6215980 instructions, 22136 bytes; can be jumped in
$ for n in 1 5000 182170 200001 900000 2700000 2800000 3100000 3108000 3108595 3108596 3200000 5000000 6000000 6200000; do cairn view -j1 v4 $n..$((n+300)) > a 2> /dev/null; cairn view -j2 v4 $n..$((n+300)) 2> /dev/null | cmp a - ; mkdir -p plain; cp -n v4/* plain; rm -f plain/*.cai; cairn view plain $n..$((n+300)) 2> /dev/null | cmp a -; test -s a || echo nothing at $n; done
# To the end from here.
$ cairn view -j2 v4 6000000.. > a 2> /dev/null; cairn view plain 6000000.. 2> /dev/null | cmp a -; wc -l < a
| 264759
$ cairn convert v4 -o r.ete 2> /dev/null; gzip r.ete; I="--image v4/kernel_dump.bin@0xffffffc000081000"; cairn view $I r.ete.gz 2500000..2500200 > a; cairn index $I r.ete.gz 2> /dev/null | sed 's/.*; //'; cairn view $I r.ete.gz 2500000..2500200 | cmp a -; test -s a
| jumps decode at most 2 MiB
$ sed -i 's/=coresight/=dstream_coresight/' plain/trace.ini; cairn index plain 2>/dev/null | sed 's/.*bytes; //'
| summaries only: compressed frames, and those with synchronisation words or in several files, are taken apart from their beginning; cairn convert plain -o NAME.snapshot makes files that can be jumped in
