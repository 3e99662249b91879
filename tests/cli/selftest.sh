# Seeded faults: every one turns the gate red under the built-in policy, and a policy that is too loose is caught by name.
source "$(dirname "$0")/expect.sh"

goldens=$FIXTURES/../golden
few='model.layers.0.self_attn.?_proj'
export COLUMNS=300  # so that no sentence is broken
one_layer=(--case prose --layers 'model.layers.0.self_attn.o_proj')

# Every committed golden, a part of each: the whole is a matter of minutes.
for golden in float32 bfloat16 float16 tf32 decode-bfloat16; do
  expect 0 selftest "$goldens/fixture-$golden.h5" "${one_layer[@]}" --json "$golden.json"
  has stdout "verdict PASS, exit code 0"
  has stdout "untouched  1 of 1 green"
  lacks stdout "over-strict"
done
python3 - <<'PY' || fail "the JSON is not what was expected"
import json
for golden in ("float32", "bfloat16", "float16", "tf32", "decode-bfloat16"):
    found = json.load(open(f"{golden}.json"))
    assert found["verdict"] == "pass" and found["exit_code"] == 0 and found["cases"] == 1, golden
    faults = {fault["name"]: fault for fault in found["faults"]}
    for name in ("nan_element", "all_zero", "halved", "sign_flipped", "spike", "exponent_bit", "flipped_choice", "missing_tap",
                 "missing_output", "missing_case", "no_cases", "other_shape", "other_dtype"):
        assert faults[name]["gross"] > 0 and faults[name]["gross"] == faults[name]["gross_seen"], (golden, name)
    wide = golden in ("float32", "tf32")
    assert (faults["scaled_slightly"]["gross"] > 0) == wide, golden
    reach = {group["layers"]: group["factor"]["seen_from"] for group in found["sensitivity"]}
    assert len(reach) == 2 and all(0 < value < (1e-4 if wide else 0.1) for value in reach.values()), reach
PY

# A whole golden, the smallest: nothing of it goes unseen.
expect 0 record --model "$model" --inputs prose="$prose" --device cpu --layers "$few" --out golden.h5
expect 0 selftest golden.h5
before=$(cat stdout)
expect 0 selftest golden.h5
[ "$(cat stdout)" = "$before" ] || fail "another result than before"
nothing=$(ls -A | grep -v -e golden.h5 -e stdout -e stderr -e '\.json$')
[ -z "$nothing" ] || fail "left behind: $nothing"

# Too loose: red, with tap, fault and rule.
policy() {
  printf '%s\n' 'name = "own"' '[[rule]]' 'layers = ["**.o_proj"]' 'dtypes = ["float32"]' 'reason = "it was red"' \
    '[[rule.bound]]' "metric = \"$1\"" "fail = $2" >own.toml
}
policy nrmse 0.9
expect 1 selftest golden.h5 --policy own.toml --json found.json
has stdout "! halved went unseen at model.layers.0.self_attn.o_proj of case prose, rule own.toml:2"
has stdout "verdict FAIL, exit code 1"
grep -q '"exit_code": 1' found.json || fail "the JSON says otherwise"
# Other layers are under the built-in rules behind it.
lacks stdout "at model.layers.0.self_attn.q_proj"
# NaN, shapes and missing taps are no policy's to forgive.
lacks stdout "! nan_element"
lacks stdout "! other_shape"
lacks stdout "! missing_tap"
# What anything would keep to is no policy.
policy absolute.max 1000000
expect 2 selftest golden.h5 --policy own.toml
has stderr "own.toml:2: the rule lets anything pass"
# Too strict: a warning.
policy unequal 0
expect 0 selftest golden.h5 --policy own.toml
has stdout "over-strict"
has stdout "rule own.toml:2"

# Digests and rows: what can be put in is, what cannot is named.
expect 0 record --model "$model" --inputs prose="$prose" --device cpu --layers "$few" --store digest --out digest.h5
expect 0 selftest digest.h5
has stdout "its digest alone is stored"
has stdout "other_digest"
expect 0 record --model "$model" --inputs prose="$prose" --device cpu --layers "$few" --store rows:4 --out rows.h5
expect 0 selftest rows.h5
has stdout "row_not_stored"

# Widths, a pipe, a job.
for columns in 60 80 200; do
  COLUMNS=$columns expect 0 selftest golden.h5 --layers '**.o_proj'
  python3 - "$columns" <<'PY' || fail "wider than $columns columns"
import sys
lines = open("stdout", encoding="utf-8").read().splitlines()
assert max(map(len, lines)) <= int(sys.argv[1]), max(lines, key=len)
assert any(line.startswith("verdict PASS") for line in lines)
PY
done
lacks stdout $'\e'
expect 0 selftest golden.h5 --quiet --layers '**.o_proj'
empty stdout
expect 0 selftest golden.h5 --json - --layers '**.o_proj'
python3 -m json.tool stdout >/dev/null || fail "no JSON on stdout"
expect 0 selftest --help
has stdout "Example"

# Refusals.
refused 2 "nowhere.h5" selftest nowhere.h5
refused 2 "golden is required" selftest
refused 2 "has no case 'verse'; it has: prose" selftest golden.h5 --case verse
refused 2 "matches no tap" selftest golden.h5 --layers 'laeyrs.**'
refused 2 "'[' that no ']' closes" selftest golden.h5 --skip '['
refused 2 "no folder nowhere" selftest golden.h5 --json nowhere/found.json
refused 2 "would overwrite the golden" selftest golden.h5 --json golden.h5
refused 2 "would overwrite --policy" selftest golden.h5 --policy own.toml --json own.toml
echo notes >notes.txt
refused 2 "notes.txt exists and is no JSON" selftest golden.h5 --json notes.txt
refused 2 "--json was given an empty text" selftest golden.h5 --json ''
policy introduced.nrmse 0.001
refused 2 "--attribute" selftest golden.h5 --policy own.toml
expect 0 selftest golden.h5 --policy own.toml --attribute
expect 3 selftest golden.h5 --layers '**.o_proj' --json /dev/full
has stdout "verdict PASS"
exit 0
