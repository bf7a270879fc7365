# --help names every verb, and every verb has a --help of its own.
$ for verb in view records info count check diff index convert slice merge edit; do
>   cairn --help | grep -qw $verb || echo "--help does not name $verb"
>   cairn $verb --help | grep -q "cairn $verb" || echo "no help for $verb"
> done
