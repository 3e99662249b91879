# `mpirun -n 4 parity record --shard auto`: four real processes of an MPI launcher write four shards, which merge into the
# golden of one process.
source "$(dirname "$0")/expect.sh"
source "$(dirname "$0")/single_process.sh"

command=(mpirun -n 4)
if mpirun --version 2>&1 | grep -q "Open MPI"; then
  # As many processes as there are: the machine may have fewer cores, and the tests may run as root.
  command+=(--oversubscribe)
  [ "$EUID" -ne 0 ] || command+=(--allow-run-as-root)
fi
"${command[@]}" true >stdout 2>stderr || { echo "SKIPPED: mpirun cannot start four processes here: $(head -3 stderr)"; exit 77; }

started "${command[@]}"
expect 0 merge golden.shard-*-of-4.h5 --link --out linked.h5
same_recording linked.h5

# One of them fails: its shard is missing, and is named.
rm golden.shard-*
last_command="${command[*]} (one fails)"
# shellcheck disable=SC2016  # the processes' own variables
"${command[@]}" bash -c '[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 2 ] || exec "$@"' _ "$PARITY" record "${run[@]}" "${inputs[@]}" \
  --shard auto --out golden.h5 >stdout 2>stderr </dev/null || fail "exit code $?"
cp golden.h5 before.h5
refused 2 "shard 2 of 4 (golden.shard-2-of-4.h5) is missing" merge golden.shard-*-of-4.h5 --out golden.h5
cmp golden.h5 before.h5 || fail "a refused merge touched the golden"
expect 0 record "${run[@]}" "${inputs[@]}" --shard 2/4 --out golden.h5
expect 0 merge golden.shard-*-of-4.h5 --out golden.h5
same_recording golden.h5
exit 0
