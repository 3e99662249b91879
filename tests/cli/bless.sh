# `parity bless`: what a refreshed golden changes, by group; nothing is written to either.
source "$(dirname "$0")/expect.sh"
export COLUMNS=200

goldens=$FIXTURES/../golden
run=(--model "$FIXTURES/decoder/model.pt" --config "$FIXTURES/decoder/config.json" --device cpu --threads 1)

# ask FILE PYTHON: a claim about the JSON of a blessing.
ask() { python3 -c 'import json, sys; b = json.load(open(sys.argv[1])); assert eval(sys.argv[2]), (sys.argv[2], b["reasons"], b["taps"], b["cases"], b["weights"])' "$1" "$2" || fail "not so: $2"; }

expect 0 record "${run[@]}" --inputs prose="$prose" --truth float64 --repeat 1 --out old.h5
cp old.h5 kept.h5

# Recorded again: nothing of note, and an entry for the list of changes.
expect 0 record "${run[@]}" --inputs prose="$prose" --truth float64 --repeat 1 --out same.h5
expect 0 bless old.h5 same.h5 --json b.json --markdown b.md
has stdout "verdict nothing beyond policy default changes, exit code 0"
has stdout "63 of 63 taps identical"
has stdout "## same.h5: recorded again, values unchanged"
has stdout "PyTorch "
has b.md "## parity bless: nothing of note"
ask b.json 'b["schema"] == "parity-bless/1" and b["exit_code"] == 0 and b["identical"] == b["compared"] == 63'
ask b.json 'not (b["reasons"] or b["weights"] or b["cases"] or b["taps"] or b["values"] or b["logits"])'

# Another arithmetic: values by verdict and layers, worst first, with the place of the largest, and logits.
expect 1 bless "$goldens/fixture-float32.h5" "$goldens/fixture-tf32.h5" --json b.json --markdown b.md
has stdout "! switch.fp32_precision: ieee -> tf32  changes numbers"
has stdout "model.layers.*.self_attn.q_proj"
has stdout "diverged"
has stdout "largest nrmse"
has stdout "logits <output> of case "
has b.md "## parity bless: to be reviewed"
has b.md "| \`model.layers.*.self_attn.q_proj\` | diverged |"
ask b.json 'any(e["key"] == "switch.fp32_precision" for e in b["environment_diff"])'
ask b.json '[v["verdict"] for v in b["values"]] == sorted((v["verdict"] for v in b["values"]), key=["diverged", "suspect", "within"].index)'
ask b.json 'sum(v["taps"] for v in b["values"]) + b["identical"] == b["compared"]'
ask b.json 'all(v["nrmse_at"]["tap"] and v["max_ulp"] > 0 for v in b["values"]) and len(b["logits"]) == 2'

# The old truth says which values came nearer to it.
expect 0 record "${run[@]:0:6}" --threads 2 --inputs prose="$prose" --out threads.h5
expect 0 bless old.h5 threads.h5 --json b.json
ask b.json 'all(v["with_truth"] >= v["better"] + v["worse"] for v in b["values"])'
ask b.json '[c["what"] for c in b["cases"]] == ["truth", "noise"] and b["cases"][0]["old"] == "float64"'

# Other dtypes.
expect 0 record "${run[@]}" --inputs prose="$prose" --dtype bfloat16 --out bfloat16.h5
expect 1 bless old.h5 bfloat16.h5 --json b.json
ask b.json 'any(t["what"] == "dtype" and (t["old"], t["new"]) == ("float32", "bfloat16") for t in b["taps"])'
ask b.json 'any("of another dtype" in reason for reason in b["reasons"])'

# Cases and inputs, taps and how they are stored.
expect 0 record "${run[@]}" --inputs prose="$code" code="$code" --skip 'model.layers.2.**' --store rows:4 --out parts.h5
expect 1 bless old.h5 parts.h5 --json b.json
has stdout "case prose has other inputs"
has stdout "case code added"
has stdout "removed: model.layers.*.mlp"
has stdout "stored otherwise"
ask b.json '{c["what"] for c in b["cases"]} == {"inputs", "added", "truth", "noise"}'
ask b.json '"1 case with other inputs" in b["reasons"] and "1 case added" in b["reasons"]'
ask b.json 'any(t["what"] == "stored" and (t["old"], t["new"]) == ("full", "4 rows") for t in b["taps"])'
ask b.json 'all(v["with_truth"] == 0 for v in b["values"])'
expect 1 bless parts.h5 old.h5 --json b.json
ask b.json 'any(t["what"] == "added" for t in b["taps"]) and any(c["what"] == "removed" for c in b["cases"])'

# Only stored otherwise: listed, and no change.
expect 0 record "${run[@]}" --inputs prose="$prose" --store digest --out digest.h5
expect 0 bless old.h5 digest.h5 --json b.json
ask b.json 'all(t["what"] == "stored" for t in b["taps"]) and b["taps"]'

# Other weights are a finding.
cp "$model" changed.pt
offset=$(($(stat -c %s changed.pt) / 2 / 4 * 4 + 3))
printf '\x7b' | dd of=changed.pt bs=1 seek=$offset conv=notrunc status=none
expect 0 record --model "$model" --inputs prose="$prose" --device cpu --out script.h5
expect 0 record --model changed.pt --inputs prose="$prose" --device cpu --out changed.h5
expect 1 bless script.h5 changed.h5 --json b.json
has stdout "1 weight changed: model.layers.*"
has stdout "1 weight not the same"
ask b.json '[w["what"] for w in b["weights"]] == ["changed"] and b["weights"][0]["count"] == 1'

# By another policy, and strictly.
printf 'name = "tight"\n[[rule]]\nreason = "r"\n[[rule.bound]]\nmetric = "nrmse"\nwarn = 0\nfail = 0.5\n' >warn.toml
expect 0 bless "$goldens/fixture-float32.h5" "$goldens/fixture-tf32.h5" --policy warn.toml
has stdout "nothing beyond policy tight changes"
expect 1 bless "$goldens/fixture-float32.h5" "$goldens/fixture-tf32.h5" --policy warn.toml --strict --quiet
empty stdout

# Output alone, refusals; and no golden was touched.
expect 0 bless old.h5 same.h5 --json -
python3 -m json.tool stdout >/dev/null || fail "no JSON on stdout"
expect 0 bless old.h5 same.h5 --markdown -
has stdout "## parity bless: "
refused 2 "cannot both have standard output" bless old.h5 same.h5 --json - --markdown -
refused 2 "would overwrite the old golden" bless old.h5 same.h5 --json old.h5
refused 2 "would overwrite the new golden" bless old.h5 same.h5 --markdown ./same.h5
refused 2 "would overwrite --json of the same command" bless old.h5 same.h5 --json x --markdown x
refused 2 "exists and is no review by parity bless" bless old.h5 same.h5 --markdown warn.toml
refused 2 "nowhere.h5" bless old.h5 nowhere.h5
refused 2 "warn.toml" bless old.h5 warn.toml
sed 's/^reason/layers = ["nowhere"]\n&/' warn.toml >nowhere.toml
refused 2 "the rule matches no tap of the golden" bless old.h5 same.h5 --policy nowhere.toml
refused 2 "new is required" bless old.h5
expect 0 bless --help
has stdout "Neither golden is written"
cmp old.h5 kept.h5 || fail "the old golden was written"
exit 0
