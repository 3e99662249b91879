# `parity calibrate`: a policy from goldens that differ and from runs on this host, which passes what it was made from,
# fails what is further off, and is the same file each time.
source "$(dirname "$0")/expect.sh"

run=(--inputs prose="$prose" code="$code" --device cpu --threads 1 --dtype bfloat16)
expect 0 record --model "$model" "${run[@]}" --repeat 1 --out a.h5
expect 0 record --model "$FIXTURES/decoder/model.pt" --config "$FIXTURES/decoder/config.json" "${run[@]}" --sdpa math --out b.h5
expect 0 record --model "$FIXTURES/decoder/model.pt" --config "$FIXTURES/decoder/config.json" "${run[@]}" --truth float64 --out t.h5

# From goldens.
expect 0 calibrate t.h5 b.h5 --out policy.toml --json summary.json
empty stderr
has policy.toml 'metric = "truth.ratio"'
has policy.toml 'metric = "introduced.nrmse"'
has policy.toml "no bound on what no run that differs measured here: introduced.max_error_over_rms"
has stdout "b.h5: "
has stdout "built in"
has policy.toml "threads 1, sdpa math"
has policy.toml "# Calibrated by parity"
has policy.toml "parity calibrate t.h5 b.h5 --out policy.toml --json summary.json"
has policy.toml "sqrt(2) x the error of t.h5 against its truth"
has policy.toml "by variation: recording "
has policy.toml "truth_factor = "
has policy.toml 'name = "policy"'
grep -Eq '^# .*[0-9]{4}-[0-9]{2}-[0-9]{2}' policy.toml && fail "the policy has a date in it"
cp policy.toml first.toml
expect 0 calibrate t.h5 b.h5 --out policy.toml --json summary.json
cmp policy.toml first.toml || fail "the same command made another policy"

# It passes what it was made from, every tap inside its bounds, and names its rules.
expect 0 compare t.h5 b.h5 --policy policy.toml --strict --json report.json
python3 - <<'PY' || fail "the summary, the policy and the report do not agree"
import json
summary, report = json.load(open("summary.json")), json.load(open("report.json"))
assert summary["schema"] == "parity-calibration/1" and summary["reference"] == "t.h5"
assert [run["variation"] for run in summary["runs"]] == ["truth", "recording"], summary["runs"]
assert not summary["untestable"] and not summary["beyond"] and not summary["not_run"]
rules, logits = summary["rules"], summary["logits"]
assert 3 <= len(rules) <= 17 and len(logits) == 1, len(rules)
last = rules[-1]
assert last["layers"] == [] and last["kind"] is None and last["dtype"] == "bfloat16"
for rule in rules + logits:
    for bound in rule["bounds"]:
        worse = [value for value in bound["variations"].values()]
        if bound["metric"] != "top1_agreement":
            assert bound["measured"] <= bound["warn"] <= bound["fail"], bound
            assert not worse or bound["measured"] == max(worse), bound
        if bound["worst"] is not None:
            assert bound["worst"]["tap"] and bound["worst"]["case"] in ("prose", "code"), bound
        if bound["built_in"] and not bound["wider_than_built_in"] and bound["metric"] == "nrmse":
            assert bound["fail"] <= bound["built_in"]["fail"], bound
judged = {tap["rule"].split(":")[0] for case in report["cases"] for tap in case["taps"]}
assert judged <= {"policy.toml", "default/int64"}, judged
assert {tap["verdict"] for case in report["cases"] for tap in case["taps"]} <= {"identical", "within"}
PY

# Other weights: one byte of one of them.
weights=$FIXTURES/decoder/model.pt
config=$FIXTURES/decoder/config.json
cp "$weights" wrong.pt
offset=$(($(stat -c %s wrong.pt) / 2 / 4 * 4 + 3))
printf '\x7b' | dd of=wrong.pt bs=1 seek=$offset conv=notrunc status=none
expect 1 compare t.h5 --model wrong.pt --config "$config" --device cpu --weights any --policy policy.toml
expect 0 record --model wrong.pt --config "$config" "${run[@]}" --out wrong.h5
refused 2 "wrong.h5: the weights are not the golden's" calibrate t.h5 wrong.h5 --out no.toml
refused 2 "the weights are not the golden's" calibrate t.h5 --model wrong.pt --config "$config" --device cpu --out no.toml
no_file no.toml

# From runs on this host: each variation is there or named as not run.
local_run=(--model "$model" --device cpu --threads 1)
expect 0 calibrate a.h5 "${local_run[@]}" --vary sdpa,batch,repeat,threads --repeat 1 --truth t.h5 --out here.toml
has stdout "not run    sdpa efficient: "
has stdout "every run was made on the device of the reference"
for label in "replayed on this host" "sdpa math" "rows alone against the same in a batch" "1 further run of every case" \
  "repeats in a.h5" "2 threads"; do
  has here.toml "$label"
done
lacks here.toml "2.0 threads"
expect 0 compare a.h5 "${local_run[@]}" --policy here.toml --strict
expect 0 compare a.h5 "${local_run[@]}" --policy here.toml --strict --sdpa math
expect 0 selfcheck --model "$model" --inputs prose="$prose" --device cpu --dtype bfloat16 --repeat 1 --policy here.toml
expect 0 calibrate a.h5 "${local_run[@]}" --vary sdpa --truth t.h5 --out less.toml
lacks less.toml "in a batch"
lacks less.toml "threads on"

# What a layer introduces and how far it is from the truth: bounds that clean runs keep to, with and without --attribute,
# and that find a fault which every other bound lets pass.
decoder=(--model "$FIXTURES/decoder/model.pt" --config "$FIXTURES/decoder/config.json" --device cpu --threads 1)
expect 0 record "${decoder[@]}" --inputs prose="$prose" --truth float64 --out wide.h5
expect 0 calibrate wide.h5 "${decoder[@]}" --vary sdpa --out own.toml --json own.json
has own.toml 'metric = "introduced.nrmse"'
has own.toml 'metric = "introduced.max_error_over_rms"'
has own.toml 'metric = "truth.ratio"'
has own.toml "optional = true"
lacks own.toml "no bound on introduced"
lacks own.toml "no bound on truth"
for sdpa in default math; do
  expect 0 compare wide.h5 "${decoder[@]}" --sdpa "$sdpa" --policy own.toml --strict
  has stdout "not measured here"
  expect 0 compare wide.h5 "${decoder[@]}" --sdpa "$sdpa" --policy own.toml --strict --attribute
done
expect 0 selfcheck "${decoder[@]}" --inputs prose="$prose" --repeat 1 --policy own.toml
python3 "$FIXTURES/../scripts/scale_weight.py" "$FIXTURES/decoder/model.pt" model.layers.2.mlp.up_proj.weight 1.000002 scaled.pt
fault=(--model scaled.pt --config "$FIXTURES/decoder/config.json" --device cpu --threads 1 --weights any)
expect 0 compare wide.h5 "${fault[@]}" --policy own.toml
expect 1 compare wide.h5 "${fault[@]}" --policy own.toml --attribute --json introduced.json
python3 - <<'PY' || fail "the fault is not found by what its layer introduces"
import json
failing = [tap for case in json.load(open("introduced.json"))["cases"] for tap in case["taps"] if tap["verdict"] == "diverged"]
assert [tap["path"] for tap in failing] == ["model.layers.2.mlp.up_proj"], [tap["path"] for tap in failing]
fails = [reason for reason in failing[0]["reasons"] if "the fail bound" in reason]
assert fails and all(reason.startswith("introduced.") for reason in fails), failing[0]["reasons"]
metrics = {bound["metric"] for rule in json.load(open("own.json"))["rules"] for bound in rule["bounds"]}
assert {"introduced.nrmse", "truth.ratio"} <= metrics, metrics
PY

# A golden alone: its truth is something to calibrate from, equal repeats are not.
expect 0 calibrate t.h5 --out alone.toml
has alone.toml "against its truth"
refused 2 "nothing to calibrate from: no run differs from the reference" calibrate a.h5 --out none.toml
no_file none.toml
refused 2 "nothing to calibrate from" calibrate a.h5 "${local_run[@]}" --vary repeat --repeat 1 --out none.toml

# Other bounds on request.
expect 0 calibrate t.h5 b.h5 --headroom 20 --name mine --rules 1 --out wide.toml
has stdout "wider"
has wide.toml "WIDER THAN BUILT IN"
has wide.toml 'name = "mine"'
expect 0 calibrate t.h5 b.h5 --headroom 20 --tighten-only --out tight.toml
lacks tight.toml "WIDER THAN BUILT IN"
has tight.toml "the built-in limit"

expect 0 calibrate t.h5 b.h5 --name $'a"\xff\nb' --out odd.toml
expect 0 policy show --policy odd.toml

# Standard output, and nothing on it.
expect 0 calibrate t.h5 b.h5 --out -
has stdout "[[rule.bound]]"
lacks stdout "built in  "
expect 0 calibrate t.h5 b.h5 --quiet --out quiet.toml
empty stdout
expect 0 calibrate t.h5 b.h5 --out quiet.toml --json -
has stdout '"schema": "parity-calibration/1"'

# Runs that cannot be compared are refused before anything is written.
expect 0 record --model "$model" --inputs prose="$code" --device cpu --dtype bfloat16 --out inputs.h5
refused 2 "case 'prose' of inputs.h5 has other inputs" calibrate a.h5 inputs.h5 --out no.toml
expect 0 record --model "$model" --inputs other="$prose" --device cpu --dtype bfloat16 --out case.h5
refused 2 "have no case of the same name" calibrate a.h5 case.h5 --out no.toml
expect 0 record --model "$model" --inputs prose="$prose" --device cpu --out wide.h5
refused 2 "a policy is for one arithmetic" calibrate a.h5 wide.h5 --out no.toml
expect 0 record --model "$model" "${run[@]}" --layers model.layers.1.mlp --out few.h5
expect 0 calibrate t.h5 b.h5 few.h5 --out some.toml
has stdout "few.h5: "
has stdout "were not compared"
refused 2 "nowhere.h5" calibrate a.h5 nowhere.h5 --out no.toml
no_file no.toml

# Flags.
refused 2 "--out" calibrate a.h5
refused 2 "--vary is for runs on this host" calibrate a.h5 --vary sdpa --out no.toml
refused 2 "--threads is for runs on this host" calibrate a.h5 --threads 2 --out no.toml
refused 2 "--vary" calibrate a.h5 --model "$model" --vary fate --out no.toml
refused 2 "--dtype cannot be another" calibrate a.h5 --model "$model" --dtype float32 --out no.toml
refused 2 "--rows 1 makes no batch" calibrate a.h5 --model "$model" --rows 1 --out no.toml
refused 2 "is given twice" calibrate a.h5 ./a.h5 --out no.toml
for wrong in 0.5 0 -1 nan inf 1001; do refused 2 "--headroom" calibrate a.h5 b.h5 --headroom "$wrong" --out no.toml; done
for wrong in 0 -1 x; do refused 2 "--rules" calibrate a.h5 b.h5 --rules "$wrong" --out no.toml; done
refused 2 "cannot both have standard output" calibrate t.h5 b.h5 --out - --json -
refused 2 "would overwrite" calibrate t.h5 b.h5 --out b.h5
refused 2 "would overwrite" calibrate t.h5 b.h5 --out same --json same
refused 2 "there is no folder" calibrate t.h5 b.h5 --out none/p.toml
no_file no.toml

# A calibrated policy replaces one, and nothing else.
printf 'name = "by hand"\n' >hand.toml
refused 2 "hand.toml exists and is no policy that parity calibrate made" calibrate t.h5 b.h5 --out hand.toml
has hand.toml "by hand"
refused 2 "is no JSON" calibrate t.h5 b.h5 --out new.toml --json hand.toml
no_file new.toml
expect 0 calibrate --help
has stdout "Example"
exit 0
