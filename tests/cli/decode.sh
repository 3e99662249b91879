# Tokens behind the prompt: recorded with a cache, replayed with the same tokens, counted in the report.
source "$(dirname "$0")/expect.sh"

export COLUMNS=400  # sentences on one line
weights=$FIXTURES/decoder/model.pt
config=$FIXTURES/decoder/config.json
decoder() { expect "$1" "${@:2}" --model "$weights" --config "$config" --device cpu --threads 1; }

# Twice the same, and the same again at replay, with taps for the cache at every step.
decoder 0 record --inputs prose="$prose" --decode 8 --out golden.h5
decoder 0 record --inputs prose="$prose" --decode 8 --out again.h5
all_identical golden.h5 again.h5
all_identical golden.h5 --model "$weights" --config "$config" --device cpu --threads 1
python3 - stdout <<'PY' || fail "the decode is not what was recorded"
import json, sys
[case] = json.load(open(sys.argv[1]))["cases"]
decode = case["decode"]
assert decode["steps"] == 8 and decode["rows"] == 1, decode
assert decode["tokens"] == decode["compared"] == decode["agree"] == 9 and decode["first_divergent"] is None, decode
assert [logits["tap"] for logits in case["more_logits"]] == [f"<output>#{step}" for step in range(1, 9)]
shapes = {tap["tap"]: tap["shape"] for tap in case["taps"]}
assert shapes["model.layers.3.self_attn/kv_cache.keys"] == [1, 2, 40, 64], shapes
assert shapes["model.layers.3.self_attn/kv_cache.values#8"] == [1, 2, 48, 64]
assert shapes["model.layers.0.self_attn.q_proj#1"] == [1, 1, 256]
PY
decoder 0 compare golden.h5 --show failing
has stdout "  decode 8 steps: 9 of 9 tokens agree"
has stdout "logits of all steps: within; 8 of 8 steps pass"
lacks stdout "logits <output>#1"
expect 0 inspect golden.h5
has stdout "input decode_tokens: int64 1x8"
has stdout "  decode 8 steps of 1 row"

# Without --decode there is no cache, and nothing is said of one.
decoder 0 record --inputs prose="$prose" --out plain.h5
expect 0 inspect plain.h5
lacks stdout "kv_cache"
lacks stdout "decode "
lacks stdout "decode_"
decoder 0 compare plain.h5
lacks stdout "decode "

# Another backend: the same tokens, whatever it would choose itself.
decoder 0 record --inputs "$prose" --dtype bfloat16 --decode 8 --out bfloat16.h5
decoder 0 compare bfloat16.h5 --sdpa math --attribute --json math.json
has stdout "decode 8 steps: 9 of 9 tokens agree"
has stdout "attribution no culprit"

# Text of one's own instead of the best tokens: a fault in one token is seen where it is fed.
tokens() { echo "{\"input_ids\": [[84, 104, 101], [32, 111, 110]], \"decode_tokens\": $1}"; }
tokens '[[32, 99, 97, 116], [99, 101, 32, 117]]' >own.json
tokens '[[32, 99, 97, 116], [99, 101, 33, 117]]' >other.json
decoder 0 record --inputs one=own.json --out own.h5
decoder 0 record --inputs one=other.json --out other.h5
expect 1 compare own.h5 other.h5 --show summary
has stdout "decoded with different tokens from step 3 on (row 1: 32 and 33)"
has stdout "first divergence → model.embed_tokens#3 in case one"
has stdout "decode 4 steps of 2 rows: 8 of 8 tokens agree; 2 could not be compared"

# A wrong model: the report names the first token on which it parts.
sed 's/"rope_theta": 10000.0/"rope_theta": 2000.0/' "$config" >wrong.json
expect 1 compare golden.h5 --model "$weights" --config wrong.json --device cpu --threads 1 --show summary --json -
python3 - stdout <<'PY' || fail "no token that differs is named"
import json, sys
decode = json.load(open(sys.argv[1]))["cases"][0]["decode"]
first = decode["first_divergent"]
assert decode["agree"] < decode["compared"] == 9, decode
assert first["token"] == first["step"] + 1 and first["reference"] != first["candidate"] and first["margin"] > 0, first
PY

# With everything else that a recording can have.
decoder 0 record --inputs "$prose" --decode 4 --dtype bfloat16 --truth float32 --taps ops --skip '**/kv_cache.values*' --out all.h5
decoder 0 compare all.h5 --sdpa math --show summary
has stdout "decode 4 steps: 5 of 5 tokens agree"
expect 0 inspect all.h5
has stdout "self_attn/rotary.key#4"
has stdout "self_attn/kv_cache.keys#4"
lacks stdout "kv_cache.values#"
for store in digest rows:3; do
  decoder 0 record --inputs "$prose" --decode 4 --store "$store" --out small.h5
  decoder 0 compare small.h5 --show summary
  has stdout "decode 4 steps: 5 of 5 tokens agree"
done

# What cannot be decoded is refused, in one sentence that says what to do.
record() { refused 2 "$1" record --model "$weights" --config "$config" --device cpu --out refused.h5 "${@:2}"; no_file refused.h5; }
for steps in 0 -1 65537 many 1.5; do
  record "--decode takes none or a number of steps from 1 to 65536, not '$steps'" --inputs "$prose" --decode "$steps"
done
refused 2 "--decode needs the built-in decoder" record --model "$model" --inputs "$prose" --device cpu --out refused.h5 --decode 4
no_file refused.h5
record "the inputs hold decode_tokens already" --inputs own.json --decode 4
echo '{"input_ids": [[1, 2, 3], [4, 5, 6]], "attention_mask": [[1, 1, 1], [1, 1, 0]]}' >right.json
record "row 1 of attention_mask ends in padding" --inputs right.json --decode 4
echo '{"input_ids": [[1, 2, 3]], "position_ids": [[0, 1, 0]]}' >packed.json
record "several sequences" --inputs packed.json --decode 4
tokens '[[1, 2], [3, 256]]' >outside.json
record "token id 256 at [1, 1] of decode_tokens is outside the vocabulary of 256" --inputs outside.json
exit 0
