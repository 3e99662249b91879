# --top says how many of the worst elements of a failing tap are shown; --show what else is.
source "$(dirname "$0")/expect.sh"

goldens=$FIXTURES/../golden
layer=model.layers.0.self_attn.q_proj
elements() { grep -c '(0x' stdout; }
for top in 0 1 3; do
  expect 1 compare "$goldens/fixture-float32.h5" "$goldens/fixture-tf32.h5" --layers $layer --top $top
  elements >"count.$top"
done
[ "$(cat count.0)" -eq 0 ] || fail "--top 0 shows elements"
[ "$(cat count.1)" -lt "$(cat count.3)" ] || fail "--top 3 shows no more than --top 1"
expect 1 compare "$goldens/fixture-float32.h5" "$goldens/fixture-tf32.h5" --show summary
lacks stdout "$layer  "
has stdout "first divergence → $layer"
expect 1 compare "$goldens/fixture-float32.h5" "$goldens/fixture-tf32.h5" --show failing
has stdout "$layer"
lacks stdout "model.embed_tokens  "
exit 0
