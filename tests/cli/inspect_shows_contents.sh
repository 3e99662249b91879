# `inspect` lists what a golden holds, and values of the layers asked for.
source "$(dirname "$0")/expect.sh"

expect 0 record --model "$model" --inputs prose="$prose" --device cpu --dtype bfloat16 --out golden.h5
expect 0 inspect golden.h5
for words in "model.torchscript.pt (torchscript)" "case prose" "model.layers.0.mlp.down_proj" bfloat16 \
    "switch.fp32_precision" "logits" "int64 1x40"; do
  has stdout "$words"
done
lacks stdout "rms"
expect 0 inspect golden.h5 --layer 'model.layers.0.mlp.*'
has stdout "rms"
lacks stdout "model.layers.1.mlp.down_proj"
expect 0 inspect golden.h5 --json -
python3 -c "import json; d = json.load(open('stdout')); assert d['cases'][0]['taps'][0]['dtype'] == 'bfloat16', d" ||
  fail "stdout is not the inspection"
exit 0
