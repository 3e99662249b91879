# The doctor on this very machine: ready for the CPU, findings as text and JSON, and each way in which it is not ready.
# A device that is wanted and not there, a folder that takes no file, a recording that cannot run.
source "$(dirname "$0")/expect.sh"

expect 0 doctor --device cpu
grep -qE '^READY: 0 problems, ' stdout || fail "not ready"
has stdout "LibTorch"
has stdout "HDF5"
has stdout "matmul, softmax, attention are right"
has stdout "takes files and locks"
empty stderr

# Every width, and no colour in a pipe.
for width in 80 200; do
  COLUMNS=$width expect 0 doctor --device cpu
  awk -v width=$width 'length($0) > width && !/^ +\$ / { exit 1 }' stdout || fail "a line is wider than $width"
  lacks stdout $'\033'
done
expect 0 doctor --device cpu --show summary
one_line stdout
expect 0 doctor --device cpu --quiet
empty stdout

# Warnings are listed and leave the exit code alone.
ONEDNN_DEFAULT_FPMATH_MODE=BF16 OMP_NUM_THREADS=2 expect 0 doctor --device cpu --show failing --json found.json
has stdout "1 warning"
has stdout "ONEDNN_DEFAULT_FPMATH_MODE=BF16"
has stdout '$ unset ONEDNN_DEFAULT_FPMATH_MODE'
lacks stdout "OMP_NUM_THREADS"
python3 - <<'PY' || fail "found.json is another than expected"
import json
document = json.load(open("found.json"))
assert document["schema"] == "parity-doctor/1" and document["verdict"] == "ready", document
assert any(f["level"] == "note" and "OMP_NUM_THREADS=2" in f["seen"] for f in document["findings"])
assert document["facts"]["cpu.device.type"] == "cpu" and document["facts"]["library.hdf5"]
PY

# The folder for goldens.
expect 3 doctor --device cpu --out nowhere
has stdout "NOT READY"
has stdout '$ mkdir -p nowhere'
strange='-my $(touch obeyed) it'"'"'s
'
expect 3 doctor --device cpu --out="$strange" --show failing --json found.json
python3 - found.json >fix.sh <<'PY' || fail "no folder is to be made"
import json, sys
print(next(fix["command"] for one in json.load(open(sys.argv[1]))["findings"] for fix in one["fix"] if "mkdir" in (fix["command"] or "")))
PY
bash ./fix.sh
[[ -d $strange && ! -e obeyed ]] || fail "the command for the folder makes another one: $(<fix.sh)"
expect 0 doctor --device cpu --out="$strange" --quiet
mkdir goldens
expect 0 doctor --device cpu --out goldens
nothing_left_behind goldens

# What is to be recorded: it runs, and has room or not.
expect 0 doctor --device cpu --model "$model" --inputs prose="$prose" code="$code" --out goldens
has stdout "the planned recording takes"
nothing_left_behind goldens
expect 3 doctor --device cpu --model "$prose" --inputs prose="$prose" --out goldens
has stdout "the planned recording cannot be run"
has stdout "prose.json"
expect 3 doctor --device cpu --model "$model" --inputs ids=tokens:1x4000 --time-limit 30
has stdout "the planned recording cannot be run"

# A processor that the libraries are not made for, and a process that takes too long: the trial is a process of its own.
expect 3 doctor --device cuda:99 --show failing
has stdout "NOT READY"
lacks stdout "READY: 0 problems"

# The trial runs in a process of its own: however it ends, the doctor goes on and says so. A sanitizer's runtime wants to
# be loaded first itself.
if ! ldd "$PARITY" | grep -qE 'lib(asan|tsan|ubsan)'; then
  for death in 4:SIGILL 11:SIGSEGV 6:SIGABRT 9:SIGKILL; do
    LD_PRELOAD=$DEADLY_TRIAL PARITY_DEADLY=${death%:*} expect 3 doctor --device cpu --show failing
    has stdout "cpu: killed by ${death#*:} during: starting"
    has stdout "why"
  done
  LD_PRELOAD=$DEADLY_TRIAL PARITY_DEADLY=hang expect 3 doctor --device cpu --time-limit 2 --show failing
  has stdout "cpu: no answer within 2 s during: starting"
fi

# Wrong usage, before any work.
refused 2 "--device takes auto" doctor --device gpu
refused 2 "--device takes auto" doctor --device cuda:
refused 2 "--device takes auto" doctor --device cuda:-1
refused 2 "--model and --inputs together" doctor --model "$model"
refused 2 "--model and --inputs together" doctor --inputs tokens:1x4
refused 2 "--layers" doctor --layers 'a*'
refused 2 "of no use without a recording that is planned: --config, --library, --dtype; give --model and --inputs, too" \
  doctor --device cpu --config nosuch.json --dtype float16 --library nosuch.so
for flag in --state-key=a --method=b --fp32-precision=tf32 --sdpa=math --threads=1 --deterministic --taps=ops --skip=a --seed=1; do
  refused 2 "of no use without a recording that is planned: ${flag%=*};" doctor --device cpu $flag
done
refused 2 "--time-limit" doctor --time-limit 0
refused 2 "--json" doctor --json nowhere/found.json
echo "my notes" >notes.txt
refused 2 "JSON of parity doctor" doctor --json notes.txt
expect 0 doctor --device cpu --quiet --json found.json
has found.json '"schema": "parity-doctor/1"'
expect 0 doctor --help
lacks stdout "--inside"
exit 0
