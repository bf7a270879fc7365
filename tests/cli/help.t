# --help names every verb, and every verb has a --help of its own.
$ for verb in view records info count check diff find index convert slice merge edit capture mix branches blocks simpoints memory calls deps overview report; do
>   cairn --help | grep -qw $verb || echo "--help does not name $verb"
>   cairn $verb --help | grep -q "cairn $verb" || echo "no help for $verb"
> done

# A verb that takes regions by number names no others.
$ cairn records --help | sed -n '/^Regions/,/^$/p'
| Regions:
|   1000..2000  1000..  ..2000  1000+50   instructions by number, from 1, inclusive
|   r100..r200                            records by number
|
$ cairn merge --help | sed -n '/^Regions/,/^$/p' | head -n 2
| Regions:
|   1000..2000  1000..  ..2000  1000+50   instructions by number, from 1, inclusive
