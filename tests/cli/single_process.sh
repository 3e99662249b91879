# Sourced behind expect.sh by tests that record shards: the golden of a single process, single.h5, and whether a merged
# one is the same recording.

# Whoever runs the tests may be such a process.
for variable in $(compgen -e | grep -E '^(SLURM|OMPI|PMI|PMIX|MV2|MPI)_|^(RANK|WORLD_SIZE|LOCAL_RANK|JOB_COMPLETION_INDEX)$'); do
  unset "$variable"
done

weights=$FIXTURES/decoder/model.pt
run=(--model "$weights" --config "$FIXTURES/decoder/config.json" --device cpu --threads 1)
inputs=(--inputs prose="$prose" code="$code" short=tokens:1x3 pair=tokens:2x9 long=tokens:1x65)
expect 0 record "${run[@]}" "${inputs[@]}" --out single.h5

# same_recording GOLDEN: identical to single.h5, digest of the recording and order of the cases included.
same_recording() {
  expect 0 compare single.h5 "$1" --json report.json
  has stdout "every tap is identical"
  python3 - report.json <<'PY' || fail "$1 is not the recording of one process"
import json, sys
report = json.load(open(sys.argv[1]))
reference, candidate = report["reference"], report["candidate"]
for name in ("recording", "inputs", "weights"):
    assert reference[name] == candidate[name], name
assert report["environment_diff"] == [], report["environment_diff"]
one, other = reference["provenance"], candidate["provenance"]
own = {key for key in other if one.get(key) != other[key]}
assert own == {"run.shards", "run.id"}, own
assert [case["name"] for case in report["cases"]] == ["prose", "code", "short", "pair", "long"]
PY
}

# started LAUNCHER...: the recording by the four processes that the command starts, merged into golden.h5.
started() {
  local rank
  last_command="$* parity record --shard auto"
  "$@" "$PARITY" record "${run[@]}" "${inputs[@]}" --shard auto --out golden.h5 >stdout 2>stderr </dev/null ||
    fail "exit code $?"
  for rank in 0 1 2 3; do has stdout "golden.shard-$rank-of-4.h5: "; done
  expect 0 merge golden.shard-*-of-4.h5 --out golden.h5
  same_recording golden.h5
}
