# On a GPU: recording twice gives the same bits, a comparison with itself is identical, and the CPU agrees with it.
# Exit code 77 is a skip, which CTest counts.
source "$(dirname "$0")/expect.sh"

"$PARITY" record --model "$model" --inputs prose="$prose" --device cuda --out golden.h5 >stdout 2>stderr
code=$?
if [ $code -eq 3 ] && grep -q "is not there" stderr; then
  echo "SKIPPED: no GPU here: $(cat stderr)"
  exit 77
fi
[ $code -eq 0 ] || fail "exit code $code"
expect 0 record --model "$model" --inputs prose="$prose" --device cuda --out again.h5
cmp golden.h5 again.h5 || fail "two recordings on one GPU differ"
all_identical golden.h5 --model "$model" --device cuda
expect 0 compare golden.h5 --model "$model" --device cpu
lacks stdout "SELF-COMPARISON"
expect 0 record --model "$FIXTURES/decoder/model.pt" --config "$FIXTURES/decoder/config.json" --inputs prose="$prose" \
  --device cuda --dtype bfloat16 --out bare.h5
expect 0 compare bare.h5 --model "$FIXTURES/decoder/model.pt" --config "$FIXTURES/decoder/config.json" --device cpu
exit 0
