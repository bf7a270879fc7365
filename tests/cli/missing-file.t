# One sentence with the file's name and the reason.
$ cairn info nowhere.stf
!~ cairn.*: nowhere\.stf: No such file or directory
= 2
$ cairn count nowhere.stf
!~ cairn.*: nowhere\.stf: No such file or directory
= 2
$ ls
