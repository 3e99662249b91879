# `srun -n 4 parity record --shard auto` under a Slurm of this test's own: munged, slurmctld and slurmd of the distribution
# with a configuration in a temporary folder, on this machine alone, ended with the test. Skipped where they cannot run.
source "$(dirname "$0")/expect.sh"
source "$(dirname "$0")/single_process.sh"

PATH=$PATH:/usr/sbin:/sbin # where daemons are, of which not every user's PATH knows
daemons=()
end_daemons() {
  local daemon
  for daemon in "${daemons[@]}"; do kill "$daemon" 2>/dev/null; done
  wait 2>/dev/null
  rm -rf "$work"
}
trap end_daemons EXIT

# skip WHY: with the last lines of what the daemons said.
skip() {
  echo "SKIPPED: $1: $(tail -qn 2 munged.out slurmctld.out slurmd.out 2>/dev/null)"
  exit 77
}

# start NAME COMMAND...: in the background, its words in NAME.out.
start() {
  local name=$1
  shift
  "$@" >"$name.out" 2>&1 </dev/null &
  daemons+=($!)
}

# wait_until SECONDS COMMAND...
wait_until() {
  local end=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $end ] || return 1
    sleep 0.2
  done
}

# Two ports that nobody listens on.
free_ports() {
  python3 -c 'import socket
sockets = [socket.socket() for _ in range(2)]
for one in sockets: one.bind(("127.0.0.1", 0))
print(*(one.getsockname()[1] for one in sockets))'
}

mkdir munge state spool
chmod 711 . munge # whoever has a credential checked has to reach the socket
head -c 1024 /dev/urandom >munge.key
chmod 400 munge.key
host=$(hostname -s)
read -r controller_port node_port < <(free_ports)
cat >slurm.conf <<CONF
ClusterName=parity
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
SlurmctldPort=$controller_port
SlurmdPort=$node_port
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
ProctrackType=proctrack/pgid
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
SchedulerParameters=batch_sched_delay=0
NodeName=$host NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$work/slurm.conf

# --force: the folder is a temporary one, of which not every parent is root's.
start munged munged --foreground --force --key-file="$work/munge.key" --socket="$work/munge/socket" \
  --pid-file="$work/munge/pid" --log-file="$work/munge/log" --seed-file="$work/munge/seed"
wait_until 10 munge --no-input --socket="$work/munge/socket" || skip "munged does not run here"
start slurmctld slurmctld -D -i
start slurmd slurmd -D
is_idle() { [ "$(sinfo --noheader --format=%T)" = idle ]; }
wait_until 30 is_idle || skip "Slurm does not run here"
timeout 30 srun -n 4 true >stdout 2>stderr || skip "srun cannot start four processes here ($(head -1 stderr))"

started srun -n 4

# batch SCRIPT: runs it as a job of four tasks and waits for its end; `sbatch --wait` looks every few seconds only.
batch() {
  local job
  last_command="sbatch -n 4 $1"
  job=$(sbatch -n 4 --parsable --output=job.out "$1" 2>stderr) || fail "exit code $?"
  is_over() { [ -z "$(squeue --noheader --states=all --jobs="$job" --format=%T | grep -vE 'COMPLETED|FAILED')" ]; }
  wait_until 120 is_over || fail "the job did not end: $(cat job.out)"
  [ "$(squeue --noheader --states=all --jobs="$job" --format=%T)" = COMPLETED ] || fail "the job failed: $(cat job.out)"
}

# A batch script runs once, though it has a number and a count: only srun's processes are shards.
cat >job.sh <<JOB
#!/bin/bash
"$PARITY" record ${run[*]} ${inputs[*]} --shard auto --out script.h5 2>script.err
echo "exit code \$?"
srun -n 2 "$PARITY" record ${run[*]} ${inputs[*]} --shard auto --out step.h5
JOB
batch job.sh
has job.out "exit code 2"
has script.err "no step of srun's, so that srun did not start this process"
[ -z "$(ls script*.h5 2>/dev/null)" ] || fail "a batch script recorded a shard"
expect 0 merge step.shard-*-of-2.h5 --out step.h5
same_recording step.h5

# mpirun inside a job: its processes have Slurm's variables of the script, and their own decide.
if command -v mpirun >/dev/null && mpirun --version 2>&1 | grep -q "Open MPI"; then
  root=$([ "$EUID" -ne 0 ] || echo --allow-run-as-root)
  cat >mpi.sh <<JOB
#!/bin/bash
mpirun -n 3 --oversubscribe $root "$PARITY" record ${run[*]} ${inputs[*]} --shard auto --out mpi.h5
JOB
  batch mpi.sh
  expect 0 merge mpi.shard-*-of-3.h5 --out mpi.h5
  same_recording mpi.h5
fi
exit 0
