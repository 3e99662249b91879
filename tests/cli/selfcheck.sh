# `parity selfcheck`: one device against itself, without a golden.
source "$(dirname "$0")/expect.sh"
export COLUMNS=200

mkdir tmp
export TMPDIR=$PWD/tmp
run=(--model "$model" --device cpu)
expect 0 selfcheck "${run[@]}" --inputs prose="$prose" tokens:2x5:64 --json report.json
empty stderr
has stdout "SELF-COMPARISON"
for name in "prose, run 2" "prose, run 3" "prose, without taps" "prose, row 3 of 4 alone" "tokens:2x5:64, row 1 of 2 alone"; do
  grep -qE "^  $name +PASS" stdout || fail "no verdict on: $name"
done
nothing_left_behind tmp
expect 0 selfcheck "${run[@]}" --inputs prose="$prose" --repeat 1 --rows 2 --layers 'model.layers.0.**' --strict -q
empty stdout
refused 2 "--rows" selfcheck "${run[@]}" --inputs prose="$prose" --rows 1
expect 0 selfcheck "${run[@]}" --inputs prose="$prose" --rows 0
lacks stdout "alone"
refused 2 "--repeat" selfcheck "${run[@]}" --inputs prose="$prose" --repeat 0
refused 2 "neither a file nor a generator" selfcheck "${run[@]}" --inputs nothing.json
refused 2 "--json" selfcheck "${run[@]}" --inputs prose="$prose" --json "$model"
refused 2 "matches no tap" selfcheck "${run[@]}" --inputs prose="$prose" --layers 'nowhere.*'
TMPDIR=$PWD/none refused 3 "TMPDIR" selfcheck "${run[@]}" --inputs prose="$prose"
nothing_left_behind tmp
exit 0
