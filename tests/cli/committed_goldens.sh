# The cross-vendor gate: goldens recorded on an NVIDIA H200, replayed on this CPU. Each arithmetic passes; the one recorded
# with TF32 fails, and the report names the switch.
source "$(dirname "$0")/expect.sh"

goldens=$FIXTURES/../golden
weights=$FIXTURES/decoder/model.pt
config=$FIXTURES/decoder/config.json
for dtype in float32 bfloat16 float16; do
  expect 0 compare "$goldens/fixture-$dtype.h5" --model "$weights" --config "$config" --device cpu --json report.json
  has stdout "NVIDIA H200"
  lacks stdout "SELF-COMPARISON"
  lacks stdout "diverged"
  python3 - report.json <<'PY' || fail "the logits of $dtype are worse than they were"
import json, sys
report = json.load(open(sys.argv[1]))
assert report["reference"]["provenance"]["device.vendor"] == "NVIDIA"
assert len(report["cases"]) == 2
for case in report["cases"]:
    logits = case["logits"]
    assert logits["positions"] == 40 and logits["decided_flips"] == 0, logits
    assert logits["top1_agreement"] >= 0.97 and logits["kl"]["max"] < 1e-2, logits
PY
done
# The kernels of one token at a time: 16 steps behind each prompt.
expect 0 compare "$goldens/fixture-decode-bfloat16.h5" --model "$weights" --config "$config" --device cpu --show summary
has stdout "decode 16 steps: 17 of 17 tokens agree"
lacks stdout "diverged"
expect 1 compare "$goldens/fixture-tf32.h5" --model "$weights" --config "$config" --device cpu --show failing
has stdout "switch.fp32_precision"
has stdout "tf32 -> ieee"
has stdout "first divergence → model.layers.0.self_attn.q_proj"
exit 0
