# Where a trace leaves open which way branches went, count says so: with and without an index, in words and in JSON.
needs: json
$ printf '0x%016x  %s\t\t%s\n' $((0x400000)) 54000040 'b.eq #+0x8 (addr 0x400008)' $((0x500000)) d503201f nop > open.vixl
$ cairn count open.vixl | grep branches
| branches                                 1
| branches_taken                           0
! cairn: open.vixl: the trace does not record which way some branches went
$ cairn count --json open.vixl | json notes
| ["the trace does not record which way some branches went"]
! cairn: open.vixl: the trace does not record which way some branches went
$ cairn count -w 'pc!=0' open.vixl | grep branches
| branches                                 1
| branches_taken                           0
! cairn: open.vixl: the trace does not record which way some branches went
$ cairn index -q open.vixl; cairn count open.vixl | grep branches
| branches                                 1
| branches_taken                           0
! cairn: open.vixl: the trace does not record which way some branches went
$ cairn count -q open.vixl | grep branches
| branches                                 1
| branches_taken                           0
