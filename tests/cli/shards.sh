# `record --shard` and `parity merge`: processes that are told by each launcher's variables which one they are write the
# parts of one golden, which is that of a single process.
source "$(dirname "$0")/expect.sh"
source "$(dirname "$0")/single_process.sh"

# as VARIABLE=VALUE... -- ARGUMENT...: expects a recording with these variables set.
as() {
  local settings=()
  while [ "$1" != -- ]; do settings+=("$1"); shift; done
  shift
  last_command="env ${settings[*]} parity $*"
  env "${settings[@]}" "$PARITY" "$@" >stdout 2>stderr </dev/null || fail "exit code $?"
}

slurm() { as SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_PROCID="$1" SLURM_STEP_NUM_TASKS=3 SLURM_NTASKS=3 SLURM_LOCALID="$1" "${@:2}"; }
open_mpi() { as OMPI_COMM_WORLD_RANK="$1" OMPI_COMM_WORLD_SIZE=3 OMPI_COMM_WORLD_LOCAL_RANK="$1" PMIX_RANK="$1" "${@:2}"; }
mpich() { as PMI_RANK="$1" PMI_SIZE=3 MPI_LOCALRANKID="$1" "${@:2}"; }
torchrun() { as RANK="$1" WORLD_SIZE=3 LOCAL_RANK="$1" "${@:2}"; }
kubernetes() { as JOB_COMPLETION_INDEX="$1" "${@:2}"; }

for launcher in slurm open_mpi mpich torchrun kubernetes; do
  count=""
  [ $launcher = kubernetes ] && count=/3
  for rank in 2 0 1; do
    $launcher $rank -- record "${run[@]}" "${inputs[@]}" --shard auto$count --out $launcher.h5
    has stdout "$launcher.shard-$rank-of-3.h5: "
  done
  no_file $launcher.h5
  expect 0 merge $launcher.shard-*-of-3.h5 --out $launcher.h5
  has stdout "5 cases from 3 shards"
  same_recording $launcher.h5
done
for rank in 0 1 2; do
  cmp slurm.shard-$rank-of-3.h5 torchrun.shard-$rank-of-3.h5 || fail "a launcher's name changes a shard"
done

# By hand, more processes than cases, and both forms.
for rank in 0 1 2 3 4 5 6; do
  expect 0 record "${run[@]}" "${inputs[@]}" --shard $rank/7 --out many.h5
done
has stdout "0 taps of 0 cases"
expect 0 merge many.shard-*-of-7.h5 --copy --out many.h5
same_recording many.h5
expect 0 merge many.shard-*-of-7.h5 --link --out linked.h5
same_recording linked.h5
[ "$(stat -c %s linked.h5)" -lt 50000 ] || fail "a golden of links is large"
expect 0 compare linked.h5 "${run[@]}" --attribute --show summary
mkdir elsewhere && cp linked.h5 elsewhere
refused 2 "is made of links to the shards beside it: cannot read elsewhere/many.shard-" compare elsewhere/linked.h5 "${run[@]}"
refused 2 "is not in the folder of" merge many.shard-*-of-7.h5 --link --out elsewhere/other.h5
mkdir away && mv many.shard-3-of-7.h5 away && ln -s away/many.shard-3-of-7.h5 .
refused 2 "is not in the folder of" merge many.shard-*-of-7.h5 --link --out linked-out.h5
rm many.shard-3-of-7.h5 && mv away/many.shard-3-of-7.h5 .
mkdir moved && cp linked.h5 many.shard-*-of-7.h5 moved
expect 0 compare single.h5 moved/linked.h5 --show summary

# Everything that a case can have comes along: truth, repeats, decoded tokens, a sweep with cases left out.
more=(--inputs tokens:BxL --sweep "1,2x3,5,8" --truth float64 --repeat 1 --decode 2 --compress 1)
expect 0 record "${run[@]}" "${more[@]}" --out single.h5
for rank in 0 1; do expect 0 record "${run[@]}" "${more[@]}" --shard $rank/2 --out rich.h5; done
expect 0 merge rich.shard-*-of-2.h5 --out rich.h5
expect 0 compare single.h5 rich.h5 --json report.json
expect 0 inspect single.h5 --json one.json
expect 0 inspect rich.h5 --json other.json
python3 - one.json other.json <<'PY' || fail "something of the cases was lost"
import json, sys
one, other = (json.load(open(path)) for path in sys.argv[1:])
assert len(one["cases"]) == 6
assert one["cases"] == other["cases"]
assert one["notes"] == other["notes"]
PY

# A part alone can be looked at and compared, and says that it is one.
expect 0 inspect slurm.shard-1-of-3.h5
has stdout "is shard 1 of 3 with"
expect 0 compare slurm.shard-1-of-3.h5 "${run[@]}" --show summary --json report.json
has report.json "is shard 1 of 3 with"

# What is no complete set of one run is refused by name, and leaves what was there.
cp rich.h5 before.h5
shards=(slurm.shard-0-of-3.h5 slurm.shard-1-of-3.h5 slurm.shard-2-of-3.h5)
refused 2 "shard 1 of 3 (slurm.shard-1-of-3.h5) is missing" merge slurm.shard-0-of-3.h5 slurm.shard-2-of-3.h5 --out rich.h5
cp slurm.shard-1-of-3.h5 twin.h5
refused 2 "slurm.shard-1-of-3.h5 and twin.h5 are both shard 1 of 3" merge "${shards[@]}" twin.h5 --out rich.h5
expect 0 record "${run[@]}" "${inputs[@]}" --seed 5 --shard 1/3 --out foreign.h5
refused 2 "foreign.shard-1-of-3.h5 is of another run than slurm.shard-0-of-3.h5" \
  merge slurm.shard-0-of-3.h5 foreign.shard-1-of-3.h5 slurm.shard-2-of-3.h5 --out rich.h5
expect 0 record "${run[@]:0:6}" --threads 2 "${inputs[@]}" --shard 1/3 --out foreign.h5
refused 2 "(another --threads: run " merge slurm.shard-0-of-3.h5 foreign.shard-1-of-3.h5 slurm.shard-2-of-3.h5 --out rich.h5
sed 's/"rms_norm_eps": [0-9.e-]*/"rms_norm_eps": 0.5/' "$FIXTURES/decoder/config.json" >other-config.json
cmp -s other-config.json "$FIXTURES/decoder/config.json" && fail "the config is the same"
expect 0 record --model "$weights" --config other-config.json --device cpu --threads 1 "${inputs[@]}" --shard 1/3 --out foreign.h5
refused 2 "(another --config: run " merge slurm.shard-0-of-3.h5 foreign.shard-1-of-3.h5 slurm.shard-2-of-3.h5 --out rich.h5
for flag in "--repeat 1" "--taps ops" "--compress 1" "--store digest" "--decode 1" "--truth float64" --no-probes; do
  # shellcheck disable=SC2086 # a flag and its value
  expect 0 record "${run[@]}" "${inputs[@]}" $flag --shard 1/3 --out foreign.h5
  refused 2 "(another ${flag% *}: run " merge slurm.shard-0-of-3.h5 foreign.shard-1-of-3.h5 slurm.shard-2-of-3.h5 --out rich.h5
done
refused 2 "single.h5 is no shard" merge "${shards[@]}" single.h5 --out rich.h5
head -c 100000 slurm.shard-1-of-3.h5 >cut.h5
refused 2 "cut.h5" merge slurm.shard-0-of-3.h5 cut.h5 slurm.shard-2-of-3.h5 --out rich.h5
{ head -c 512 /dev/zero; tail -c +513 slurm.shard-1-of-3.h5; } >unfinished.h5
refused 2 "unfinished.h5 is no usable golden: its writer never finished it" merge slurm.shard-0-of-3.h5 unfinished.h5 slurm.shard-2-of-3.h5 --out rich.h5
python3 - slurm.shard-1-of-3.h5 flipped.h5 <<'PY'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
data[len(data) // 2] ^= 1
open(sys.argv[2], "wb").write(data)
PY
refused 2 "flipped.h5" merge slurm.shard-0-of-3.h5 flipped.h5 slurm.shard-2-of-3.h5 --out rich.h5
refused 2 "nowhere.h5" merge slurm.shard-0-of-3.h5 nowhere.h5 slurm.shard-2-of-3.h5 --out rich.h5
refused 2 "would overwrite a shard" merge "${shards[@]}" --out slurm.shard-1-of-3.h5
refused 2 "give one of them" merge "${shards[@]}" --copy --link --out rich.h5
cmp rich.h5 before.h5 || fail "a refused merge touched the golden"
last_command="parity merge (no room)"
(ulimit -f 200; trap '' XFSZ; exec "$PARITY" merge "${shards[@]}" --out full.h5 >stdout 2>stderr)
[ $? -eq 3 ] || fail "exit code is not 3"
one_line stderr
last_command="parity merge (no descriptors)"
(ulimit -n 8; exec "$PARITY" merge many.shard-*-of-7.h5 --out full.h5 >stdout 2>stderr)
[ $? -eq 3 ] || fail "exit code is not 3"
one_line stderr
has stderr "7 shards are open at once and this process may open 8 files; raise the limit to 23"
last_command="parity merge (a soft limit)"
(ulimit -S -n 20; exec "$PARITY" merge many.shard-*-of-7.h5 --out soft.h5 >stdout 2>stderr) || fail "exit code $?"
no_file full.h5
[ -z "$(find . -name '.*.tmp.*')" ] || fail "left: $(find . -name '.*.tmp.*')"

# A launcher that did not start this process, or none.
recording=(record "${run[@]}" "${inputs[@]}" --out no.h5)
refused 2 "finds no launcher's variables (JOB_COMPLETION_INDEX, SLURM_PROCID/SLURM_STEP_NUM_TASKS" "${recording[@]}" --shard auto
refused 2 "--shard takes auto, auto/N or I/N" "${recording[@]}" --shard 3/3
export SLURM_JOB_ID=7 SLURM_NTASKS=3 SLURM_PROCID=0
refused 2 "SLURM_JOB_ID set, but SLURM_STEP_ID is no step of srun's" "${recording[@]}" --shard auto
unset SLURM_JOB_ID
refused 2 "SLURM_PROCID set, but SLURM_STEP_ID is no step of srun's" "${recording[@]}" --shard auto
export SLURM_JOB_ID=7
export SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=3
SLURM_STEP_NUM_TASKS="" SLURM_NTASKS=4 refused 2 "Slurm says process 0 of 4 (SLURM_PROCID, SLURM_NTASKS)" "${recording[@]}" --shard auto/3
SLURM_STEP_NUM_TASKS="" SLURM_PROCID=5 refused 2 "SLURM_PROCID is 5 of 3 (SLURM_NTASKS)" "${recording[@]}" --shard auto
export RANK=1 WORLD_SIZE=3
refused 2 "the launchers' variables contradict each other" "${recording[@]}" --shard auto
unset RANK WORLD_SIZE
refused 2 "auto/4 expects another number of processes" "${recording[@]}" --shard auto/4
unset SLURM_JOB_ID SLURM_NTASKS SLURM_PROCID SLURM_STEP_ID SLURM_STEP_NUM_TASKS
JOB_COMPLETION_INDEX=1 refused 2 "give --shard auto/N with their number" "${recording[@]}" --shard auto
[ -z "$(ls no*.h5 2>/dev/null)" ] || fail "left: $(ls no*.h5)"
exit 0
