# A machine that lacks file descriptors or memory is infrastructure: exit 3 with one sentence, or the run succeeds.
source "$(dirname "$0")/expect.sh"

expect 0 record --model "$model" --inputs prose="$prose" --device cpu --out golden.h5
weights=(--model "$FIXTURES/decoder/model.pt" --config "$FIXTURES/decoder/config.json")

# limited ULIMIT_FLAG VALUE ARGUMENT...: runs parity under that limit.
limited() {
  last_command="ulimit $1 $2; parity ${*:3}"
  (ulimit "$1" "$2" && exec "$PARITY" "${@:3}") >stdout 2>stderr </dev/null
  code=$?
}
three_or_success() {
  [ $code -eq 0 ] && return
  [ $code -eq 3 ] || fail "exit code $code"
  one_line stderr
  seen=$((seen + 1))
}

# The least with which the loader gets the program to begin; what this shell has open itself counts.
least=4
limited -n $least --version
while [ $code -ne 0 ] && [ $least -lt 64 ]; do
  least=$((least + 1))
  limited -n $least --version
done
seen=0
for descriptors in $least $((least + 1)); do
  limited -n $descriptors record --model "$model" --inputs prose="$prose" --device cpu --out new.h5
  three_or_success
  limited -n $descriptors record "${weights[@]}" --inputs prose="$prose" --device cpu --out new.h5
  three_or_success
  limited -n $descriptors compare golden.h5 --model "$model" --device cpu
  three_or_success
  limited -n $descriptors compare golden.h5 golden.h5 --json report.json
  three_or_success
done
[ $seen -ge 2 ] || fail "only $seen runs had too few descriptors, so this test shows little"

# Address space: the least with which a small run works is too little for an input of 2 GiB.
for space in 400000 600000 800000 1000000 1500000 2000000; do
  limited -v $space record --model "$model" --inputs prose="$prose" --device cpu --out new.h5
  [ $code -ne 0 ] || break
done
if [ $code -ne 0 ]; then
  echo "SKIPPED: this build needs more address space than a limit leaves it (a sanitizer does)"
  exit 77
fi
limited -v $space record --model "$model" --inputs a=zeros:16384x16384:int64 --device cpu --out big.h5
[ $code -eq 3 ] || fail "exit code $code"
one_line stderr
has stderr "no memory for the input"
no_file big.h5

# In the run itself: the embedding of so many tokens.
limited -v $space record --model "$model" --inputs a=tokens:65536x40:256 --device cpu --out big.h5
[ $code -eq 3 ] || fail "exit code $code"
one_line stderr
has stderr "out of host memory: 2.5 GiB wanted"
has stderr "--store rows:N"
no_file big.h5
exit 0
