# `--json -` puts the report, and nothing else, on standard output; a file gets the same beside the table.
source "$(dirname "$0")/expect.sh"

expect 0 record --model "$model" --inputs prose="$prose" --device cpu --out golden.h5
expect 0 compare golden.h5 golden.h5 --json -
python3 - stdout <<'PY' || fail "stdout is not the report"
import json, sys
report = json.load(open(sys.argv[1]))
assert report["schema"] == "parity-report/1", report["schema"]
assert report["verdict"] == "pass" and report["exit_code"] == 0
assert report["cases"][0]["name"] == "prose"
taps = {tap["tap"]: tap for tap in report["cases"][0]["taps"]}
assert taps["model.layers.0.mlp.down_proj"]["verdict"] == "identical"
assert taps["<output>"]["kind"] == "output"
assert report["cases"][0]["logits"]["top1_agreement"] == 1
PY
expect 0 compare golden.h5 golden.h5 --json report.json
has stdout "identical"
python3 -c "import json; json.load(open('report.json'))" || fail "report.json is not JSON"
exit 0
