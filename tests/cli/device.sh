# On a GPU: recording twice gives the same bits, a comparison with itself is identical, and the CPU agrees with it.
# Exit code 77 is a skip, which CTest counts.
source "$(dirname "$0")/expect.sh"

record_on_gpu golden.h5
expect 0 record --model "$model" --inputs prose="$prose" --device cuda --out again.h5
cmp golden.h5 again.h5 || fail "two recordings on one GPU differ"
all_identical golden.h5 --model "$model" --device cuda
expect 0 compare golden.h5 --model "$model" --device cpu
lacks stdout "SELF-COMPARISON"
expect 0 record --model "$FIXTURES/decoder/model.pt" --config "$FIXTURES/decoder/config.json" --inputs prose="$prose" \
  --device cuda --dtype bfloat16 --out bare.h5
expect 0 compare bare.h5 --model "$FIXTURES/decoder/model.pt" --config "$FIXTURES/decoder/config.json" --device cpu

# Weights that come layer by layer give the bits of those that stay, also the second time; so do layers on two GPUs.
bare=(--model "$FIXTURES/decoder/model.pt" --config "$FIXTURES/decoder/config.json")
inputs=(--inputs prose="$prose" code="$FIXTURES/decoder/inputs/code.json")
expect 0 record "${bare[@]}" "${inputs[@]}" --device cuda --dtype bfloat16 --out whole.h5
for flag in --stream-weights --stream-weights=4MB; do
  expect 0 record "${bare[@]}" "${inputs[@]}" --device cuda --dtype bfloat16 "$flag" --out streamed.h5
  all_identical whole.h5 streamed.h5
done
expect 0 inspect streamed.h5
has stdout "weights are brought to the device part by part"
# Weights that are stored transposed go to the products of a GPU as they lie: strides (columns, 1) of every matrix become
# (1, rows).
python3 - "$FIXTURES/decoder/model.pt" transposed.pt <<'PY' || fail "no matrix was transposed"
import re, sys, zipfile
number = rb"(K.|M..|J....)"
with zipfile.ZipFile(sys.argv[1]) as source, zipfile.ZipFile(sys.argv[2], "w") as target:
    for name in source.namelist():
        content = source.read(name)
        if name.endswith("/data.pkl"):
            matrix = rb"(QK\0" + number * 2 + rb"\x86(?:q.|r....))\3K\x01\x86"
            transposed = lambda found: found[1] + b"K\x01" + found[2] + b"\x86"
            content, matrices = re.subn(matrix, transposed, content, flags=re.S)
            assert matrices > 0
        target.writestr(name, content)
PY
transposed=(--model transposed.pt --config "$FIXTURES/decoder/config.json" "${inputs[@]}" --device cuda)
for dtype in keep bfloat16; do
  expect 0 record "${transposed[@]}" --dtype "$dtype" --out whole_transposed.h5
  expect 0 record "${transposed[@]}" --dtype "$dtype" --stream-weights --out streamed_transposed.h5
  all_identical whole_transposed.h5 streamed_transposed.h5
done

if "$PARITY" record "${bare[@]}" "${inputs[@]}" --devices 0,1 --dtype bfloat16 --out spread.h5 2>stderr; then
  all_identical whole.h5 spread.h5
  expect 0 record "${bare[@]}" "${inputs[@]}" --devices 1,0 --dtype bfloat16 --stream-weights --out spread.h5
  all_identical whole.h5 spread.h5
  # The truth of a run on two GPUs is the CPU's.
  expect 0 record "${bare[@]}" "${inputs[@]}" --devices 0,1 --dtype bfloat16 --truth float64 --out judged.h5
  expect 0 record "${bare[@]}" "${inputs[@]}" --device cuda --dtype bfloat16 --truth float64 --out alone.h5
  all_identical alone.h5 judged.h5
else
  has stderr "cuda:1 is not there"
  echo "PART SKIPPED: there is no second GPU"
fi
# An exported program names the device that it was exported on, which is replaced.
program=$FIXTURES/exported/tokens.pt2
expect 0 record --model "$program" --device cuda --out program.h5
has stderr "one device that is fixed in the program was replaced by cuda:0"
all_identical program.h5 --model "$program" --device cuda
expect 0 compare program.h5 --model "$program" --device cpu --attribute
exit 0
