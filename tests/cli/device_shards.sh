# On GPUs: processes that are shards take a GPU each, in turn where there are fewer, and merge into the golden of one
# process.
source "$(dirname "$0")/expect.sh"
source "$(dirname "$0")/single_process.sh"

record_on_gpu gpu.h5
run=(--model "$weights" --config "$FIXTURES/decoder/config.json")
expect 0 record "${run[@]}" "${inputs[@]}" --device cuda:0 --out single.h5

processes=()
for rank in 0 1; do
  RANK=$rank WORLD_SIZE=2 LOCAL_RANK=$rank "$PARITY" record "${run[@]}" "${inputs[@]}" --device cuda --shard auto --out golden.h5 \
    >"$rank.out" 2>&1 </dev/null &
  processes+=($!)
done
for process in "${processes[@]}"; do
  last_command="parity record --device cuda --shard auto"
  wait "$process" || fail "exit code $?: $(cat ./*.out)"
done
expect 0 merge golden.shard-*-of-2.h5 --out golden.h5
expect 0 compare single.h5 golden.h5 --json report.json
has stdout "every tap is identical"
expect 0 inspect golden.h5
if "$PARITY" record "${run[@]}" --inputs tokens:1x3 --device cuda:1 --out second.h5 >/dev/null 2>&1; then
  has stdout "cuda:0 | cuda:1"
else
  grep -qE "run[.]device +cuda:0$" stdout || fail "not on the only GPU"
fi
exit 0
