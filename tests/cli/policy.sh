# A policy file: which rule judged each tap is in the report, the printed built-in policy judges as the built-in one
# does, and what cannot judge is refused with file and line.
source "$(dirname "$0")/expect.sh"

expect 0 record --model "$model" --inputs prose="$prose" --device cpu --out golden.h5 --truth float64
expect 0 record --model "$model" --inputs prose="$prose" --device cpu --dtype bfloat16 --out other.h5

# The same verdicts, reasons and exit code by the printed built-in policy, in a comparison that has something to judge.
expect 0 policy show
has stdout 'reason = "64 u / 256 u: '
has stdout 'truth_factors'
cp stdout printed.toml
expect 0 policy show --policy printed.toml
grep -v '^# ' stdout >again; grep -v '^# ' printed.toml | cmp - again || fail "printed twice, the policy differs"
expect 0 compare golden.h5 --model "$model" --device cpu --dtype bfloat16 --json default.json
expect 0 compare golden.h5 --model "$model" --device cpu --dtype bfloat16 --policy printed.toml --json printed.json
python3 - <<'PY' || fail "the printed policy judges otherwise"
import json
one, other = (json.load(open(name)) for name in ("default.json", "printed.json"))
rules = set()
def strip(item):
    if isinstance(item, dict):
        rules.add(item.pop("rule", None))
        for key in ("timing", "repro"):
            item.pop(key, None)
        for value in item.values():
            strip(value)
    elif isinstance(item, list):
        for value in item:
            strip(value)
strip(one), strip(other)
assert one == other
assert "default/bfloat16" in rules and "default/logits" in rules, rules
assert any(rule and rule.startswith("printed.toml:") for rule in rules), rules
PY

# One rule in front of the default: it judges what it matches, the default the rest.
cat >mine.toml <<'TOML'
name = "mine"
[[rule]]
layers = ["model.layers.*.mlp.**"]
reason = "the MLPs are allowed more"
[[rule.bound]]
metric = "nrmse"
fail = 0.5
reason = "tried once"
[[logits]]
reason = "a user sees nothing of it"
[[logits.bound]]
metric = "decided_flips"
fail = 0
TOML
expect 0 compare golden.h5 --model "$model" --device cpu --dtype bfloat16 --policy mine.toml --json mine.json
has stdout "rule mine.toml:2"
has stdout "tried once"
python3 - <<'PY' || fail "the wrong rules judged"
import json
case, = json.load(open("mine.json"))["cases"]
for tap in case["taps"]:
    in_mlp = ".mlp." in tap["path"]
    assert (tap["rule"] == "mine.toml:2") == in_mlp, (tap["tap"], tap["rule"])
    if in_mlp:
        assert tap["verdict"] in ("within", "identical"), tap["verdict"]
assert case["logits"]["rule"] == "mine.toml:9", case["logits"]["rule"]
PY

# A tight rule turns an offline comparison of other bits red, a loose one leaves it green.
cat >exact.toml <<'TOML'
name = "exact"
[[rule]]
reason = "no other bits"
[[rule.bound]]
metric = "exact_share"
fail = 1
TOML
expect 0 compare golden.h5 golden.h5 --policy exact.toml
expect 1 compare golden.h5 --model "$model" --device cpu --dtype bfloat16 --policy exact.toml
has stdout "the fail bound of bfloat16"
has stdout "judged by rule exact.toml:2"

# What each layer introduces, and how far it is from the truth.
cat >late.toml <<'TOML'
name = "late"
[[rule]]
layers = ["model.layers.0.**"]
reason = "the first layer adds nothing of its own"
[[rule.bound]]
metric = "introduced.nrmse"
fail = 1e-12
TOML
refused 2 "late.toml:5: a bound on introduced.nrmse needs what each layer introduces" \
  compare golden.h5 --model "$model" --device cpu --policy late.toml
expect 0 compare golden.h5 --model "$model" --device cpu --policy late.toml --attribute
expect 1 compare golden.h5 --model "$model" --device cpu --dtype bfloat16 --policy late.toml --attribute
has stdout "introduced.nrmse"
sed 's/introduced.nrmse/truth.ratio/; s/1e-12/2/' late.toml >ratio.toml
refused 2 "ratio.toml:5: a bound on truth.ratio needs a truth" compare other.h5 other.h5 --policy ratio.toml
expect 0 compare golden.h5 --model "$model" --device cpu --policy ratio.toml
expect 1 compare golden.h5 --model "$model" --device cpu --dtype bfloat16 --policy ratio.toml
has stdout "truth.ratio"

# Refusals, before any work.
refuse_file() {
  printf 'name = "p"\n[[rule]]\nreason = "r"\n%s\n' "$2" >bad.toml
  refused 2 "$1" compare golden.h5 --model "$model" --device cpu --policy bad.toml --json left.json
  no_file left.json
}
bound=$'[[rule.bound]]\nmetric = "nrmse"\nfail = 0.1'
refuse_file "bad.toml:4: unknown key 'layer'" "layer = []"
refuse_file "bad.toml:2: the rule matches no tap of the golden" $'layers = ["nowhere"]\n'"$bound"
refuse_file "bad.toml:2: the rule matches no tap of the golden" $'cases = ["code"]\n'"$bound"
refuse_file "bad.toml:4: a fail limit of 1e-09 on nrmse is below half a unit roundoff of float32" "${bound/0.1/1e-9}"
refuse_file "bad.toml:4: a fail limit of 1 on nrmse accepts a tensor of zeros" "${bound/0.1/1}"
refuse_file "bad.toml:4: there is no metric 'rmse'" "${bound/nrmse/rmse}"
refuse_file "bad.toml:2: the rule has no bound" ""
refused 2 "nowhere.toml cannot be read" compare golden.h5 golden.h5 --policy nowhere.toml
refused 2 "nowhere.toml cannot be read" policy show --policy nowhere.toml
refused 2 "--policy" policy show --policy ""
refused 2 "subcommand" policy
expect 0 policy show --help
has stdout "Example"

# The example of the documentation.
sed -n '/^```toml$/,/^```$/p' "$FIXTURES/../docs/policy.md" | grep -v '^```' >mi300-nightly.toml
expect 0 record --model "$model" --inputs prose="$prose" code-1="$code" --device cpu --dtype bfloat16 --out bfloat16.h5
expect 0 compare bfloat16.h5 --model "$model" --device cpu --policy mi300-nightly.toml --json example.json
python3 - <<'PY' || fail "the documented example judges otherwise than documented"
import json
seen = {}
for case in json.load(open("example.json"))["cases"]:
    seen[case["name"]] = case["logits"]["rule"]
    for tap in case["taps"]:
        ours = tap["kind"] == "op" and ".self_attn/" in tap["tap"] and tap["dtype"] == "bfloat16"
        assert (tap["rule"] == "mi300-nightly.toml:3") == ours, (tap["tap"], tap["rule"])
assert seen == {"prose": "default/logits", "code-1": "mi300-nightly.toml:18"}, seen
PY

# Without the rule's optional, an unmatched rule is refused; with it, the golden is judged by what is behind.
printf 'name = "p"\n[[rule]]\noptional = true\nlayers = ["nowhere"]\nreason = "r"\n%s\n' "$bound" >optional.toml
expect 0 compare golden.h5 golden.h5 --policy optional.toml

# selfcheck judges by it too.
expect 0 selfcheck --model "$model" --inputs prose="$prose" --device cpu --repeat 1 --policy mine.toml --json self.json
has self.json '"rule":"mine.toml:2"'
refused 2 "late.toml:5: " selfcheck --model "$model" --inputs prose="$prose" --device cpu --policy late.toml
exit 0
