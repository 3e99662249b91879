# --map gives the candidate's taps the golden's names: what it names, what it leaves over, and what is no map.
source "$(dirname "$0")/expect.sh"

expect 0 record --model "$model" --inputs prose="$prose" --device cpu --out golden.h5

# facts JSON_EXPRESSION: of the report in ./stdout, as `r`.
facts() { python3 -c "import json, sys; r = json.load(open('stdout')); print($1)"; }
is() { local got; got=$(facts "$1"); [ "$got" = "$2" ] || fail "$1 is $got instead of $2"; }

# Names that stay as they are change nothing, and the report says what was done.
cat >same.toml <<'TOML'
[[rename]]
candidate = '(.*)'
golden = '$1'
TOML
expect 0 compare golden.h5 golden.h5 --map same.toml --json -
[ "$(verdicts)" = identical ] || fail "verdicts are: $(verdicts)"
is "r['name_map']['mapped']" 0
is "r['name_map']['rules'][0]['taps'] == r['totals']['taps']" True

# Two layers change places: each is compared with the other, under the golden's name.
cat >swap.toml <<'TOML'
[[rename]]
candidate = 'model\.layers\.0\.(.*)'
golden = 'model.layers.1.$1'

[[rename]]
candidate = 'model\.layers\.1\.(.*)'
golden = 'model.layers.0.$1'
TOML
expect 1 compare golden.h5 golden.h5 --map swap.toml --json -
is "sorted(t['candidate_taps'][0] for c in r['cases'] for t in c['taps'] if t['tap'] == 'model.layers.1.mlp')" "['model.layers.0.mlp']"
is "{t['verdict'] for c in r['cases'] for t in c['taps'] if t['tap'] == 'model.layers.1.mlp'}" "{'diverged'}"
is "{t['verdict'] for c in r['cases'] for t in c['taps'] if t['tap'].startswith('model.layers.2')}" "{'identical'}"
is "r['totals']['verdicts'].get('missing', 0) + r['totals']['verdicts'].get('additional', 0)" 0
expect 1 compare golden.h5 golden.h5 --map swap.toml
has stdout "were compared with taps of other names, by swap.toml"
has stdout "compared with the candidate's model.layers.1.input_layernorm"
# A stored report says it, too.
expect 1 compare golden.h5 golden.h5 --map swap.toml --json swapped.json
expect 1 judge swapped.json --json -
is "r['name_map']['mapped'] > 20" True
# --layers and a policy's globs go by the golden's names.
expect 0 compare golden.h5 golden.h5 --map swap.toml --layers 'model.layers.[23].*' --json -
[ "$(verdicts)" = identical ] || fail "verdicts are: $(verdicts)"
cat >own.toml <<'TOML'
name = "layer 1 has a rule"
[[rule]]
layers = ["model.layers.1.**"]
reason = "the test"
[[rule.bound]]
metric = "nrmse"
fail = 0.5
TOML
expect 1 compare golden.h5 golden.h5 --map swap.toml --policy own.toml --json -
is "{t['rule'] for c in r['cases'] for t in c['taps'] if t['path'] == 'model.layers.1.mlp.down_proj'}" "{'own.toml:2'}"
is "{t['rule'] for c in r['cases'] for t in c['taps'] if t['path'] == 'model.layers.0.mlp.down_proj'}" "{'default/float32'}"
# The same in a replay.
expect 1 compare golden.h5 --model "$model" --device cpu --map swap.toml --json -
is "{t['verdict'] for c in r['cases'] for t in c['taps'] if t['tap'] == 'model.layers.1.mlp'}" "{'diverged'}"
expect 0 compare golden.h5 --model "$model" --device cpu --map same.toml --save saved.h5
all_identical golden.h5 saved.h5

# A name that the golden lacks, two taps of one name, a rule for nothing.
cat >wrong.toml <<'TOML'
[[rename]]
candidate = 'model\.norm'
golden = 'model.final_norm'

[[rename]]
candidate = 'model\.layers\.[01]\.mlp\.up_proj'
golden = 'model.layers.0.mlp.up_proj'

[[rename]]
candidate = 'transformer\.(.*)'
golden = '$1'
TOML
expect 1 compare golden.h5 golden.h5 --map wrong.toml --json -
is "[(n['candidate'], n['golden']) for n in r['name_map']['unmatched']]" "[('model.norm', 'model.final_norm')]"
is "[(n['golden'], n['candidates']) for n in r['name_map']['collisions']]" \
  "[('model.layers.0.mlp.up_proj', ['model.layers.0.mlp.up_proj', 'model.layers.1.mlp.up_proj'])]"
is "[(n['line'], n['taps']) for n in r['name_map']['rules']]" "[(1, 1), (5, 2), (9, 0)]"
is "sorted(t['tap'] for c in r['cases'] for t in c['taps'] if t['verdict'] == 'missing')" "['model.layers.1.mlp.up_proj', 'model.norm']"
is "sorted(t['tap'] for c in r['cases'] for t in c['taps'] if t['verdict'] == 'additional')" "['model.layers.1.mlp.up_proj', 'model.norm']"
expect 1 compare golden.h5 golden.h5 --map wrong.toml
has stdout "wrong.toml:9: the rule for 'transformer\\.(.*)' matches no tap of the candidate"
has stdout "none of the golden's: model.norm (named model.final_norm)"
has stdout "model.layers.0.mlp.up_proj, model.layers.1.mlp.up_proj are all model.layers.0.mlp.up_proj of"

# A rule whose taps --layers leaves out has matched them all the same.
cat >two.toml <<'TOML'
[[rename]]
candidate = 'model\.norm'
golden = 'model.norm'

[[rename]]
candidate = 'model\.layers\.1\.mlp\.up_proj'
golden = 'model.layers.0.mlp.up_proj'
[[leave_out]]
golden = 'model\.layers\.1\.mlp\.up_proj'
[[ignore]]
candidate = 'model\.layers\.0\.mlp\.up_proj'
TOML
for candidate in golden.h5 "--model $model --device cpu"; do
  # shellcheck disable=SC2086 # two words or one
  expect 1 compare golden.h5 $candidate --map two.toml --layers 'model.layers.[01].mlp.up_proj'
  lacks stdout "matches no tap"
  has stdout "1 tap was compared with one of other names, by two.toml"
done

# What is no map is refused before anything is read.
printf '[[rename]]\n\ncandidate = "(.*"\ngolden = "a"\n' >bad.toml
refused 2 "bad.toml:3: '(.*' is no regular expression" compare absent.h5 golden.h5 --map bad.toml
refused 2 "bad.toml:3: '(.*' is no regular expression" compare absent.h5 --model "$model" --map bad.toml
refused 2 "no.toml" compare golden.h5 golden.h5 --map no.toml
refused 2 "golden.h5" compare golden.h5 golden.h5 --map golden.h5
refused 2 "same.toml" compare golden.h5 golden.h5 --map same.toml --json same.toml
exit 0
