# A bare state_dict runs with the architecture of its config.json, and its layers have the names of the scripted model.
source "$(dirname "$0")/expect.sh"

weights=$FIXTURES/decoder/model.pt
config=$FIXTURES/decoder/config.json
refused 2 "--config" record --model "$weights" --inputs prose="$prose" --device cpu --out x.h5
no_file x.h5
expect 0 record --model "$weights" --config "$config" --inputs prose="$prose" --device cpu --out bare.h5
all_identical bare.h5 --model "$weights" --config "$config" --device cpu
expect 0 record --model "$weights" --config "$config" --inputs t=tokens:2x8 --device cpu --out tokens.h5
expect 0 record --model "$model" --inputs prose="$prose" --device cpu --out script.h5 --layers 'model.layers.*.self_attn.q_proj'
all_identical script.h5 bare.h5 --layers 'model.layers.*.self_attn.q_proj'
has stdout "model.layers.3.self_attn.q_proj"
exit 0
