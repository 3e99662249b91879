# `parity judge`: a stored report judged by a policy is, byte for byte, what a comparison under that policy would have
# written, whatever policy it was stored under; and what that policy cannot judge is refused in the same words.
source "$(dirname "$0")/expect.sh"

goldens=$FIXTURES/../golden
run=(--model "$FIXTURES/decoder/model.pt" --config "$FIXTURES/decoder/config.json" --device cpu --threads 1)

policy() { printf 'name = "%s"\n' "$1" >"$1.toml"; cat >>"$1.toml"; }
policy exact <<'TOML'
[[rule]]
reason = "no other bits"
[[rule.bound]]
metric = "exact_share"
fail = 1
[[logits]]
reason = "no other choice"
[[logits.bound]]
metric = "kl_reverse.max"
fail = 0
[[logits.bound]]
metric = "topk_overlap"
fail = 1
TOML
policy loose <<'TOML'
base = "none"
[[rule]]
dtypes = ["float64", "float32", "bfloat16", "float16"]
reason = "anything of the kind"
truth_factor = 8
[[rule.bound]]
metric = "nrmse"
fail = 0.9
[[rule]]
optional = true
dtypes = ["int64", "bool"]
reason = "positions"
[[rule.bound]]
metric = "unequal"
fail = 0
[[logits]]
reason = "anything of the kind"
truth_factor = 8
[[logits.bound]]
metric = "max_logprob_change"
fail = 12
TOML
policy mixed <<'TOML'
[truth_factors]
float32 = 1
bfloat16 = 1
[[rule]]
kinds = ["op"]
ops = ["aten.scaled_dot_product_attention"]
optional = true
reason = "attention"
[[rule.bound]]
metric = "ulp.p99"
warn = 1
fail = 4096
[[rule]]
layers = ["model.layers.*.mlp.**"]
dtypes = ["bfloat16"]
optional = true
reason = "the MLPs, in 16 bits"
[[rule.bound]]
metric = "bias_over_rms"
warn = 1e-6
fail = 0.5
[[rule.bound]]
metric = "nrmse"
fail = 0.9
[[rule]]
cases = ["prose*"]
kinds = ["output"]
reason = "the answer to prose"
[[rule.bound]]
metric = "relative.p50"
warn = 1e-6
fail = 0.5
[[rule.bound]]
metric = "where.outside"
warn = 0
fail = 10
[[logits]]
cases = ["prose*"]
reason = "prose may change"
[[logits.bound]]
metric = "kl.p99"
warn = 1e-9
fail = 9
[[logits.bound]]
metric = "max_flip_gap"
fail = 0
TOML
policy late <<'TOML'
[[rule]]
layers = ["model.layers.0.**"]
reason = "the first layer adds nothing of its own"
[[rule.bound]]
metric = "introduced.nrmse"
warn = 1e-12
fail = 1e-3
[[rule.bound]]
metric = "introduced.absolute.max"
fail = 1e-6
[[rule.bound]]
metric = "introduced.cosine"
fail = 0.999
[[rule]]
reason = "no further from the truth"
[[rule.bound]]
metric = "truth.ratio"
warn = 1
fail = 3
TOML

# The text without seconds and command, which are those of the run that measured.
without_run() { sed -E 's/"timing":\{[^}]*\}//; s/"repro":"([^"\\]|\\.)*"//' "$1"; }

run_of() { grep -oE '"timing":\{[^}]*\}|"repro":"([^"\\]|\\.)*"' "$1"; }

code_of() {
  "$PARITY" "$@" >stdout 2>stderr </dev/null
  echo $?
}

# same NAME POLICIES -- ARGUMENT...: compares under every policy, then judges each report that was made under another one.
same() {
  local name=$1 policies=$2 from=${2##* } to code flag
  shift 3
  for to in $policies; do
    flag=(--policy "$to.toml")
    [ "$to" != default ] || flag=()
    code_of "$@" "${flag[@]}" --json "$name-$to.json" >"$name-$to.code"
    last_command="parity $* ${flag[*]}"
    [ -s "$name-$to.json" ] || fail "no report under policy $to"
    expect 0 export "$name-$to.json" --format json --out again.json
    cmp "$name-$to.json" again.json || fail "what was read is not what was written"
  done
  for to in $policies; do
    flag=(--policy "$to.toml")
    [ "$to" != default ] || flag=()
    code=$(code_of judge "$name-$from.json" "${flag[@]}" --json judged.json)
    last_command="parity judge $name-$from.json ${flag[*]}"
    [ "$code" = "$(cat "$name-$to.code")" ] || fail "exit code $code, and $(cat "$name-$to.code") by comparing"
    cmp <(without_run judged.json) <(without_run "$name-$to.json") || fail "$name: judged otherwise than compared"
    cmp <(run_of judged.json) <(run_of "$name-$from.json") || fail "seconds and command are not those of the run"
    rm judged.json
    from=$to
  done
}

# Two goldens of other arithmetic; of other dtypes; with cases and layers on one side alone.
same offline "default exact loose mixed" -- compare "$goldens/fixture-float32.h5" "$goldens/fixture-tf32.h5"
same dtypes "default loose" -- compare "$goldens/fixture-float32.h5" "$goldens/fixture-float16.h5"
expect 0 record "${run[@]}" --inputs prose="$prose" code="$code" --out both.h5
expect 0 record "${run[@]}" --inputs prose="$prose" --dtype bfloat16 --skip 'model.layers.2.**' --out one.h5
same parts "default loose mixed" -- compare both.h5 one.h5 --skip 'model.layers.3.**'

# A replay in another dtype that was asked for, of a golden with a truth and noise, with what each layer introduces.
expect 0 record "${run[@]}" --inputs prose="$prose" --truth float64 --repeat 1 --out golden.h5
same replay "default exact mixed late" -- compare golden.h5 "${run[@]}" --dtype bfloat16 --attribute
same layers "default mixed" -- compare golden.h5 "${run[@]}" --dtype bfloat16 --layers 'model.layers.*.mlp.**' '<output>'

# Rows, digests, decodes, one device against itself.
expect 0 record "${run[@]}" --inputs prose="$prose" --store rows:4 --out rows.h5
same rows "default exact loose" -- compare rows.h5 "${run[@]}" --dtype float16
expect 0 record "${run[@]}" --inputs prose="$prose" --store digest --out digest.h5
same digest "default loose" -- compare digest.h5 "${run[@]}"
expect 0 record "${run[@]}" --inputs prose="$prose" --decode 4 --truth float64 --out decode.h5
same decode "default exact mixed" -- compare decode.h5 "${run[@]}" --dtype bfloat16
same selfcheck "default exact mixed" -- selfcheck "${run[@]}" --inputs prose="$prose" --repeat 1 --rows 2

# Strict is said anew, as in a comparison.
sed 's/^fail = 0.9/warn = 0\n&/' loose.toml >warn.toml
expect 0 judge rows-default.json --policy warn.toml
has stdout "suspect"
expect 1 judge rows-default.json --policy warn.toml --strict
has stdout "suspect, which fails when strict"

# The other formats, and nothing but errors when quiet.
expect 1 judge offline-loose.json --junit r.xml --markdown r.md --openmetrics r.om --show summary
for file in r.xml r.md r.om; do [ -s "$file" ] || fail "$file was not written"; done
has stdout "bounds in force (policy default)"
expect 1 judge offline-loose.json --quiet
empty stdout

# What a policy cannot judge is refused in the words of a comparison, and nothing is written.
same_refusal() {
  local report=$1 words=$2
  shift 2
  refused 2 "$words" "$@" --policy bad.toml
  cp stderr compared
  refused 2 "$words" judge "$report" --policy bad.toml --json left.json
  cmp stderr compared || fail "another refusal: $(cat stderr) and $(cat compared)"
  no_file left.json
}
offline=(compare "$goldens/fixture-float32.h5" "$goldens/fixture-tf32.h5")
bad() { printf 'name = "bad"\n[[rule]]\nreason = "r"\n%s\n[[rule.bound]]\nmetric = "%s"\nfail = %s\n' "$1" "$2" "$3" >bad.toml; }
bad 'layers = ["nowhere"]' nrmse 0.1
same_refusal offline-default.json "bad.toml:2: the rule matches no tap of the golden" "${offline[@]}"
bad 'cases = ["other"]' nrmse 0.1
same_refusal offline-default.json "bad.toml:2: the rule matches no tap of the golden" "${offline[@]}"
bad '' nrmse 1e-12
same_refusal replay-default.json "bad.toml:5: a fail limit of 1e-12 on nrmse is below half a unit" \
  compare golden.h5 "${run[@]}" --dtype bfloat16 --attribute
bad '' introduced.nrmse 0.1
same_refusal offline-default.json "bad.toml:5: a bound on introduced.nrmse needs" "${offline[@]}"
bad '' truth.ratio 2
same_refusal offline-default.json "bad.toml:5: a bound on truth.ratio needs a truth" "${offline[@]}"
# A rule for what --layers left out is for the golden all the same.
bad 'layers = ["model.layers.*.self_attn.**"]' nrmse 0.5
code_of compare golden.h5 "${run[@]}" --layers 'model.layers.*.mlp.**' --policy bad.toml --json left.json >code
[ -s left.json ] || fail "the rule was refused"
code_of judge layers-default.json --policy bad.toml >other
[ "$(cat other)" != 2 ] || fail "judging refuses what comparing accepts"

# Files.
refused 2 "nowhere.json cannot be read" judge nowhere.json
refused 2 "nowhere.toml cannot be read" judge offline-default.json --policy nowhere.toml
refused 2 "would overwrite the report" judge offline-default.json --json ./offline-default.json
refused 2 "report is required" judge
expect 0 judge --help
has stdout "Examples"
exit 0
