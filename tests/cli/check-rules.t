# The rules can be listed without a trace.
needs: json head grep
$ cairn check --rules | head -n 3
| stf.record.complete                error    1.3 STF File Anatomy                 a record is a complete atomic entity: nothing is damaged or breaks off
| stf.record.known                   error    1.3 Specification of Records         every descriptor is one that the specification defines
| stf.record.reserved                error    1.3 STF_RESERVED                     descriptor 0 is reserved for error detection and never appears
$ cairn check --rules | grep -c ' error '
| 243
$ cairn check --rules --json | head -n 1
| {"rule":"stf.record.complete","format":"STF","severity":"error","clause":"1.3 STF File Anatomy","text":"a record is a complete atomic entity: nothing is damaged or breaks off"}
$ cairn check --rules --json | grep -cv '"format":"STF"'
| 231
