# Who is right? A run in higher precision judges between both sides: recorded beside a golden, or a golden of its own.
source "$(dirname "$0")/expect.sh"

goldens=$FIXTURES/../golden
export COLUMNS=400  # sentences on one line
weights=$FIXTURES/decoder/model.pt
config=$FIXTURES/decoder/config.json
decoder() { expect "$1" "${@:2}" --model "$weights" --config "$config" --device cpu; }

# A reference made worse on purpose, with TF32, and a true float32 candidate: not the candidate's fault.
decoder 0 record --inputs "$prose" "$code" --dtype float64 --out float64.h5
decoder 1 compare "$goldens/fixture-tf32.h5" --show summary
decoder 0 compare "$goldens/fixture-tf32.h5" --truth float64.h5 --show summary --json tf32.json
has stdout "closer"
has stdout "the reference is the worse side: its error against the float64 truth is"
lacks stdout "diverged"
python3 - tf32.json <<'PY' || fail "the truth does not side with the candidate"
import json, sys
report = json.load(open(sys.argv[1]))
summary = report["truth_summary"]
assert report["verdict"] == "pass" and summary["worse"] == "reference", summary
assert summary["reference_worse"] > 0.9 * summary["taps"] and summary["candidate_worse"] == 0, summary
for case in report["cases"]:
    judged = [tap for tap in case["taps"] if tap["truth"]]
    assert judged and all(tap["truth"]["ratio"] < 1 for tap in judged if tap["verdict"] == "closer")
    assert case["logits"]["truth"]["candidate_kl"]["mean"] < case["logits"]["truth"]["reference_kl"]["mean"]
PY
# The other way round, the candidate is the wrong one, and stays so.
decoder 0 record --inputs "$prose" "$code" --dtype float32 --truth float64 --out float32.h5
expect 1 compare float32.h5 "$goldens/fixture-tf32.h5" --show summary
has stdout "the candidate is the worse side"
has stdout "further from the truth than the reference: nrmse"
# Two good sides: nothing to say.
decoder 0 compare "$goldens/fixture-float32.h5" --truth float64.h5 --show summary
lacks stdout "worse side"

# Beside the recording: its weights, rounded as they were recorded, and shown by inspect.
decoder 0 record --inputs "$prose" --dtype bfloat16 --truth float32 --out bfloat16.h5
expect 0 inspect bfloat16.h5
has stdout "truth in float32, "
expect 0 inspect bfloat16.h5 --json -
has stdout '"run.truth_device": "cpu"'
decoder 0 compare bfloat16.h5 --json -
python3 - stdout <<'PY' || fail "the error of a 16-bit run against its own weights in float32 is not a rounding error"
import json, sys
[case] = json.load(open(sys.argv[1]))["cases"]
taps = {tap["tap"]: tap["truth"] for tap in case["taps"]}
assert taps["model.embed_tokens"]["reference_nrmse"] == 0, "weights were not rounded first"
assert 1e-4 < taps["<output>"]["reference_nrmse"] < 5e-2, taps["<output>"]
PY
expect 0 record --model "$model" --inputs "$prose" --device cpu --truth float64 --store rows:4 --out rows.h5
expect 0 compare rows.h5 --model "$model" --device cpu --json -
has stdout '"truth_summary":{"dtype":"float64","file":"rows.h5","worse":"neither"'

# What is no truth is refused, in one sentence and before any work.
record() { refused 2 "$1" record --model "$model" --inputs "$prose" --device cpu --out refused.h5 "${@:2}"; no_file refused.h5; }
record "--truth float32 is no more precise than the recording in float32" --truth float32
record "nothing is: leave --truth out" --truth float64 --dtype float64
record "--store digest keeps none" --truth float64 --store digest
refused 2 "no tap that is more precise than the golden's" compare float64.h5 bfloat16.h5 --truth float32.h5 --show summary
expect 0 record --model "$model" --inputs prose="$code" --device cpu --dtype float64 --out other.h5
refused 2 "has other inputs in case 'prose'" compare float32.h5 bfloat16.h5 --truth other.h5
expect 0 record --model "$model" --inputs another="$prose" --device cpu --dtype float64 --out named.h5
refused 2 "shares no case with the golden" compare float32.h5 bfloat16.h5 --truth named.h5
refused 2 "cannot read nothing.h5" compare float32.h5 bfloat16.h5 --truth nothing.h5
exit 0
