# Every line has every key; what is not known is null.
needs: json
$ printf '%b' '\01STF\02\01\0\0\0\06\0\0\0\04\01\0\05\02\0\06\01\01\02\03\0\0\07\040\01\010\0\0\0\0\0' >  a.stf
$ printf '%b' '\011\0\0\0\0200\0\0\0\0\023\050\05\0\041\01\0\0\0\0\0\0\0\0360\023\0\0\0' >> a.stf
$ printf '%b' '\03\05\0\0\0a\nb\0377c\074\064\022\0\0\0\0\0\0\02\0\0\0\01\075\0357\0276\0\0\0\0\0\0\0360\03\043\0\0' >> a.stf
$ cairn view --json -D a.stf
| {"n":1,"pc":"0x0000000080000000","encoding":"0x00000013","size":4,"isa":"rv64","asm":null,"class":"nop","flags":["forced"],"taken":false,"target":null,"context":null,"regs":[{"name":"x5","role":"src","value":"0x0000000000000001"}],"mems":[],"events":[{"name":"FORCE_PC","phase":"before","code":null,"target":"0x0000000080000000","args":[]}]}
| {"n":2,"pc":"0x0000000080000004","encoding":"0x00002303","size":4,"isa":"rv64","asm":null,"class":"load","flags":[],"taken":false,"target":null,"context":null,"regs":[],"mems":[{"kind":"read","addr":"0x0000000000001234","pa":null,"size":2,"value":"0xbeef"}],"events":[{"name":"COMMENT","phase":"on","code":null,"target":null,"args":["a\nb\ufffdc"]}]}
$ cairn view --json -D a.stf | json n pc context mems.0.value
| 1 0x0000000080000000 null -
| 2 0x0000000080000004 null 0xbeef
$ cairn records --json a.stf r9..
| {"record":9,"offset":45,"name":"INST_REG","type":40,"reg":5,"kind":"INTEGER","operand":"SOURCE","value":"0x0000000000000001"}
| {"record":10,"offset":57,"name":"INST_32","type":240,"encoding":"0x00000013"}
| {"record":11,"offset":62,"name":"COMMENT","type":3,"text":"a\nb\ufffdc"}
| {"record":12,"offset":72,"name":"INST_MEM_ACCESS","type":60,"address":"0x0000000000001234","bytes":2,"attributes":"0x0000","access":"READ"}
| {"record":13,"offset":86,"name":"INST_MEM_CONTENT","type":61,"value":"0x000000000000beef"}
| {"record":14,"offset":95,"name":"INST_32","type":240,"encoding":"0x00002303"}
$ cairn info --json a.stf
| {
|   "format": "STF",
|   "version": "1.6",
|   "kind": "instructions",
|   "container": "none",
|   "codec": "none",
|   "isa": "RISCV",
|   "mode": "RV64",
|   "isa_extended": null,
|   "vlen": null,
|   "first_pc": "0x80000000",
|   "event_id_bits": 64,
|   "process_ids": "hardware thread, PID, TID",
|   "access_sizes": "bytes",
|   "source_values": "before",
|   "initiators": "library",
|   "instructions": 2,
|   "size": 100,
|   "generators": [
|     "QEMU 1.2.3"
|   ],
|   "features": [
|     "RV64",
|     "PTE",
|     "EVENT64"
|   ],
|   "comments": []
| }
$ cairn count --json a.stf
| {
|   "instructions": 2,
|   "executed": 2,
|   "missing": 0,
|   "transactions": 0,
|   "records": {
|     "IDENTIFIER": 1,
|     "VERSION": 1,
|     "COMMENT": 1,
|     "ISA": 1,
|     "INST_IEM": 1,
|     "TRACE_INFO": 1,
|     "TRACE_INFO_FEATURE": 1,
|     "FORCE_PC": 1,
|     "END_HEADER": 1,
|     "INST_REG": 1,
|     "INST_MEM_ACCESS": 1,
|     "INST_MEM_CONTENT": 1,
|     "INST_32": 2
|   },
|   "records_total": 14,
|   "loads": 1,
|   "stores": 0,
|   "branches": 0,
|   "branches_taken": 0,
|   "events": 0
| }
$ cairn count --json a.stf 1..1
| {
|   "instructions": 1,
|   "executed": 1,
|   "missing": 0,
|   "transactions": 0,
|   "records": null,
|   "records_total": null,
|   "loads": 0,
|   "stores": 0,
|   "branches": 0,
|   "branches_taken": 0,
|   "events": 0
| }

# Contents without an access: of its place and size nothing is known, and that is not 0.
$ head -c 45 a.stf > bare.stf; printf '%b' '\075\07\0\0\0\0\0\0\0\0360\023\0\0\0\077\01\0\0\0\0\0\0\0\0360\023\0\0\0' >> bare.stf
$ cairn view --json -D bare.stf | json mems.0.kind mems.0.addr mems.0.size mems.0.value mems.0.by mems.0.unit
| null null null 0x0000000000000007 - -
| null null null 0x0000000000000001 other null
$ cairn view -m -D bare.stf
| FORCE_PC 0000000080000000
|         1  0000000080000000  00000013  forced
|            MEM ?     ? ? = 0x0000000000000007
|         2  0000000080000004  00000013
|            MEM ?     ? ? = 0x0000000000000001 by other ?
