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

# Needs a run, and every tap in full.
refused 2 "--attribute belongs to a replay" compare script.h5 script.h5 --attribute
expect 0 record --model "$model" --inputs "$prose" --device cpu --out digest.h5 --store digest
refused 2 "record it with --store full" compare digest.h5 --model "$model" --device cpu --attribute
exit 0
