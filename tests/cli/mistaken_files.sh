# A file of the right kind in the wrong place, and a flag that its kind has no use for, are named as such.
source "$(dirname "$0")/expect.sh"

weights=$FIXTURES/decoder/model.pt
config=$FIXTURES/decoder/config.json
refused 2 "model.pt is a weights file, not inputs" record --model "$model" --inputs a="$weights" --device cpu --out x.h5
refused 2 "is a TorchScript model, not inputs" record --model "$model" --inputs a="$model" --device cpu --out x.h5
lacks stderr state_dict,
refused 2 "can be an input, not a model" record --model "$prose" --inputs "$prose" --device cpu --out x.h5
printf '\xef\xbb\xbf[[1, 2]]' >mark.json
refused 2 "begins with a byte order mark" record --model "$model" --inputs mark.json --device cpu --out x.h5
printf '{"": [1, 2]}' >nameless.json
refused 2 "an entry whose key is empty" record --model "$model" --inputs nameless.json --device cpu --out x.h5
printf '{"model_type": "llama",}' >comma.json
refused 2 "comma before the '}'" record --model "$weights" --config comma.json --inputs "$prose" --device cpu --out x.h5

# Bare weights have forward and nothing else; TorchScript brings its own architecture.
refused 2 "the method 'generate' is one of a TorchScript model" \
  record --model "$weights" --config "$config" --method generate --inputs "$prose" --device cpu --out x.h5
refused 2 "--state-key is for bare weights" record --model "$model" --state-key model --inputs "$prose" --device cpu --out x.h5
no_file x.h5
expect 0 record --model "$weights" --config "$config" --method forward --inputs prose="$prose" --device cpu --out golden.h5
refused 2 "the method 'generate' is one of a TorchScript model" \
  compare golden.h5 --model "$weights" --config "$config" --method generate --device cpu

# Longer than what the model was made for: it runs, and says so on both sides.
sed 's/"max_position_embeddings": *[0-9]*/"max_position_embeddings": 8/' "$config" >short.json
expect 0 record --model "$weights" --config short.json --inputs t=tokens:1x12 --device cpu --out long.h5
has stderr "position 11 is past the 8 positions"
one_line stderr
expect 0 compare long.h5 --model "$weights" --config short.json --device cpu --json -
has stdout "position 11 is past the 8 positions"
exit 0
