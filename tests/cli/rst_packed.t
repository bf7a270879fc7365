# What a packed trace that cannot be read says.
$ printf 'RZ1 something' > one.rz1; cairn count one.rz1
! cairn: one.rz1: packed by rstzip version 1, which is not documented; unpack it with the program that packed it
= 2
$ printf 'RZ3 5948486328$\0\3\25\0\0\0\0\0\0' > new.rz3; cairn info new.rz3
! cairn: new.rz3: packed by rstzip 3.21; 3.20 and older can be read, 3.14 beta cannot
= 2
$ printf 'RZ3 5948486328$\0\3' > short.rz3; cairn info short.rz3
! cairn: short.rz3: its rstzip header ends after 17 of 24 bytes
= 2
$ printf 'RZ3 5948486328$\0\3\24\0\0\0\0\0\03ZR SHDR297302$\0' > cut.rz3; cairn count cut.rz3
! cairn: cut.rz3: section 1: the input ends 217 bytes early
= 2
$ printf 'RZ2 -- Rstzip2 compressed RST file.\n' > two.rz2; cairn count two.rz2
! cairn: two.rz2: its rstzip header ends after 36 of 512 bytes
= 2
