# `record --sweep`: one golden with a case per batch size and length, each with a verdict of its own.
source "$(dirname "$0")/expect.sh"
export COLUMNS=200

weights=$FIXTURES/decoder/model.pt
run=(--model "$weights" --config "$FIXTURES/decoder/config.json" --device cpu)

expect 0 record "${run[@]}" --sweep 1,3x1,31 --out golden.h5
has stdout "of 4 cases"
expect 0 compare golden.h5 "${run[@]}" --show summary --json report.json
for name in tokens:1x1 tokens:1x31 tokens:3x1 tokens:3x31; do has stdout "  $name"; done
python3 - report.json <<'PY' || fail "not every case has a verdict"
import json, sys
cases = json.load(open(sys.argv[1]))["cases"]
assert [case["name"] for case in cases] == ["tokens:1x1", "tokens:1x31", "tokens:3x1", "tokens:3x31"]
assert all(case["verdict"] == "pass" for case in cases)
PY

# One case of four that is wrong fails by name, and takes no other with it.
expect 0 record "${run[@]}" --sweep 1,3x1,31 --seed 7 --out other.h5
expect 0 record "${run[@]}" --inputs tokens:1x1 tokens:1x31 tokens:3x1 --out three.h5
expect 1 compare golden.h5 three.h5 --show summary --json report.json
python3 - report.json <<'PY' || fail "the verdicts are not the cases' own"
import json, sys
cases = json.load(open(sys.argv[1]))["cases"]
assert {case["name"]: case["verdict"] for case in cases} == {
    "tokens:1x1": "pass", "tokens:1x31": "pass", "tokens:3x1": "pass", "tokens:3x31": "fail"}
PY
grep -qE "^→ +tokens:3x31 +FAIL" stdout || fail "the list of cases does not mark the one that fails"

refused 2 "--sweep takes edges, or" record "${run[@]}" --sweep 0x1 --out no.h5
refused 2 "neither a B for the rows" record "${run[@]}" --inputs prose="$prose" --sweep --out no.h5
refused 2 "--inputs is required" record "${run[@]}" --out no.h5
no_file no.h5
exit 0
