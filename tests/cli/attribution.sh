# Which layer creates the difference: the goldens of an H200 on this CPU, and a single wrong weight.
source "$(dirname "$0")/expect.sh"

goldens=$FIXTURES/../golden
weights=$FIXTURES/decoder/model.pt
config=$FIXTURES/decoder/config.json

# Attention, whose kernels differ, is the source in 16 bits, and no layer is to blame.
for dtype in bfloat16 float16; do
  expect 0 compare "$goldens/fixture-$dtype.h5" --model "$weights" --config "$config" --device cpu --attribute --json report.json
  has stdout "attribution no culprit"
  python3 - report.json <<'PY' || fail "attention is not the source of $dtype"
import json, sys
report = json.load(open(sys.argv[1]))
assert report["attribution"]["finding"] == "none" and report["blame"] == []
top = report["attribution"]["sources"][0]
assert top["layers"] == "model.layers.*.self_attn/aten.scaled_dot_product_attention", top
assert top["share"] > 0.8, top
assert report["timing"]["forced_s"] > 0
for case in report["cases"]:
    taps = {tap["tap"]: tap["introduced"]["nrmse"] for tap in case["taps"]}
    attention = min(nrmse for name, nrmse in taps.items() if "scaled_dot_product" in name)
    linear = max(nrmse for name, nrmse in taps.items() if name.endswith("_proj"))
    assert attention > linear, (attention, linear)
PY
done
expect 0 compare "$goldens/fixture-float32.h5" --model "$weights" --config "$config" --device cpu --attribute --show summary
has stdout "attribution no culprit"
expect 1 compare "$goldens/fixture-tf32.h5" --model "$weights" --config "$config" --device cpu --attribute --show summary
has stdout "attribution no single culprit"

# As TorchScript, whose taps sit in its graph.
expect 0 record --model "$model" --inputs "$prose" --device cpu --out script.h5
expect 0 compare script.h5 --model "$model" --device cpu --attribute --show summary
has stdout "attribution no layer introduces any difference"

# One changed byte in a weight: its layer is to blame, and its operators alone show the same difference.
cp "$model" changed.pt
offset=$(($(stat -c %s changed.pt) / 2 / 4 * 4 + 3))
printf '\x7b' | dd of=changed.pt bs=1 seek=$offset conv=notrunc status=none
expect 1 compare script.h5 --model changed.pt --device cpu --weights any --attribute --repro alone --json report.json
has stdout "introduces the difference"
[[ "$(tr -s ' \n' ' ' <stdout)" =~ "; its own "model\.layers\.[a-z0-9_.]+" is not the golden's" ]] || fail "the changed weight is not named"
has stdout "computed there by model.layers."
has stdout "parity compare alone/golden.h5 --model alone/operator.pt --device cpu"
python3 - report.json <<'PY' || fail "the blame is not as it should be"
import json, sys
report = json.load(open(sys.argv[1]))
assert report["attribution"]["finding"] == "culprit" and len(report["blame"]) == 1, report["blame"]
blame = report["blame"][0]
assert blame["share"] == 1 and blame["operators"][-1]["op"] == "aten.linear", blame
assert blame["operators"][-1]["source"].count(":") == 1, blame
own = blame["operators"][-1]["own_error"]
assert own["judged"] and 0 < own["nrmse"] < own["explained"] < 1e-5, own
assert blame["culprit"] is None and "every operator of the candidate" in blame["operators_finding"], blame
PY
has stdout "operators every operator of the candidate is within rounding"
for file in operator.pt inputs.pt reference.pt reproduce.py golden.h5; do
  [ -s "alone/$file" ] || fail "alone/$file is missing"
done
has alone/reproduce.py "allow_tf32 = False"
has alone/reproduce.py "torch.ops.aten.linear.default(inputs[0], inputs[1]"
expect 1 compare alone/golden.h5 --model alone/operator.pt --device cpu --show failing
has stdout "1 tap diverged"
lacks stdout "additional"
expect 1 compare script.h5 --model changed.pt --device cpu --weights any --attribute --repro "a b" --show summary
has stdout "'a b/golden.h5'"
refused 2 "exists and is not an empty folder" compare script.h5 --model changed.pt --device cpu --weights any --attribute --repro alone
expect 0 compare script.h5 --model "$model" --device cpu --attribute --repro nothing
has stdout "--repro wrote nothing"
no_file nothing
has alone/reproduce.py "# In this folder: parity compare golden.h5 --model operator.pt --device cpu"
has alone/reproduce.py "torch.manual_seed(0)"

# Streamed weights change neither what is blamed nor which operators computed it, and the slice is written all the same.
expect 0 record --model "$weights" --config "$config" --inputs prose="$prose" --device cpu --dtype bfloat16 --out bare.h5
cp "$weights" bare.pt
printf '\x7b' | dd of=bare.pt bs=1 seek=$(($(stat -c %s bare.pt) / 2 / 4 * 4 + 3)) conv=notrunc status=none
for streaming in "" --stream-weights; do
  expect 1 compare bare.h5 --model bare.pt --config "$config" --device cpu --dtype bfloat16 --weights any \
    --attribute ${streaming:+"$streaming"} --repro "slice$streaming" --json "blame$streaming.json"
  [ -s "slice$streaming/operator.pt" ] || fail "--repro wrote nothing: $(cat stdout)"
done
python3 - blame.json blame--stream-weights.json <<'PY' || fail "streaming changes the operators of the blamed layer"
import json, sys
one, other = (json.load(open(path)) for path in sys.argv[1:])
assert one["blame"] and one["blame"] == other["blame"], (one["blame"], other["blame"])
PY

# A folder that cannot be written is refused before anything is loaded: the model is no model at all.
: >file; mkdir full empty; : >full/file
blamed=(compare script.h5 --model file --device cpu --attribute)
refused 2 "exists and is not an empty folder" "${blamed[@]}" --repro full
refused 2 "exists and is not an empty folder" "${blamed[@]}" --repro file
refused 2 "there is no folder" "${blamed[@]}" --repro nowhere/alone
refused 2 "is in the folder of --repro" "${blamed[@]}" --repro empty --json empty/report.json
refused 2 "is in the folder of --repro" "${blamed[@]}" --repro both --json ./both
refused 2 "is in the folder of --repro" "${blamed[@]}" --repro empty/. --save empty/golden.h5
refused 2 "would overwrite --save" "${blamed[@]}" --save same.h5 --json ./same.h5
# One that turns out so at the end does not take the report with it: its own path is just short enough, its files' are not.
deep=$PWD
while [ $((4085 - ${#deep})) -gt 250 ]; do deep=$deep/$(printf 'd%.0s' {1..200}); done
mkdir -p "$deep"
deep=$deep/$(printf "%0$((4084 - ${#deep}))d" 0)
expect 1 compare script.h5 --model changed.pt --device cpu --weights any --attribute --repro "$deep" --json late.json
has stdout "verdict FAIL"
has stderr "the report stands, but --repro wrote nothing: cannot write"
no_file "$deep"
python3 -c 'import json; assert json.load(open("late.json"))["exit_code"] == 1' || fail "the report was not written"

# Python reads the script as UTF-8 whatever the names of taps and cases in its first comments are.
python3 -c 'import ast; ast.parse(open("alone/reproduce.py", "rb").read())' || fail "reproduce.py is no Python"
[ "$(head -1 alone/reproduce.py)" = "# coding: utf-8" ] || fail "reproduce.py does not state its encoding"
refused 2 "give both" compare script.h5 --model "$model" --device cpu --repro alone

# Needs a run, and every tap in full.
refused 2 "--attribute belongs to a replay" compare script.h5 script.h5 --attribute
expect 0 record --model "$model" --inputs "$prose" --device cpu --out digest.h5 --store digest
refused 2 "record it with --store full" compare digest.h5 --model "$model" --device cpu --attribute
exit 0
