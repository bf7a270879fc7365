# CAIRN_LLVM names the library that disassembles, and then no other is looked for.
needs: ldconfig ln
needs: $ ldconfig -p | grep -q libLLVM
$ ln -s "$(ldconfig -p | sed -n 's/.*libLLVM.* => //p' | head -n 1)" here.so
$ CAIRN_LLVM=$PWD/here.so cairn view $EXAMPLES/sort.zstf 2
| CONTEXT priv=user
|         2  0000000000010124  _start+0x4                c1a18193  addi gp, gp, -998
$ CAIRN_LLVM=$PWD/here.so cairn --version | grep -c 'disassembly: LLVM [0-9]'
| 1

# What is not there, or is another library, is said; the instruction is shown all the same.
$ CAIRN_LLVM=$PWD/nowhere.so cairn view $EXAMPLES/sort.zstf 2
| CONTEXT priv=user
|         2  0000000000010124  _start+0x4                c1a18193
! cairn: disassembly needs LLVM, and what CAIRN_LLVM names cannot be loaded as such
$ CAIRN_LLVM=libc.so.6 cairn view $EXAMPLES/sort.zstf 2
| CONTEXT priv=user
|         2  0000000000010124  _start+0x4                c1a18193
! cairn: disassembly needs LLVM, and what CAIRN_LLVM names cannot be loaded as such
$ CAIRN_LLVM=$PWD/nowhere.so cairn --version | tail -n 1
| disassembly: LLVM was not found

# An empty name is none.
$ CAIRN_LLVM= cairn view $EXAMPLES/sort.zstf 2
| CONTEXT priv=user
|         2  0000000000010124  _start+0x4                c1a18193  addi gp, gp, -998
