# Commands that read files alone load no library of LibTorch: they run where the part of parity that is linked with it is
# not even there, and help stays small. Where it is needed and does not load, one sentence says why, and the doctor more.
source "$(dirname "$0")/expect.sh"

whole=$PARITY
library=$(dirname "$PARITY")/libparity_torch.so
goldens=$FIXTURES/../golden
float32=$goldens/fixture-float32.h5
tf32=$goldens/fixture-tf32.h5
for part in 0 1; do
  expect 0 record --model "$model" --inputs prose="$prose" code="$code" --device cpu --shard $part/2 --out shards.h5
done

# What the loader brings in, file by file. A program alone in its folder could not even look for it.
mkdir alone
cp "$PARITY" alone/parity
PARITY=$work/alone/parity
without_libtorch() {
  local code=$1
  shift
  rm -f loaded.*
  LD_DEBUG=files LD_DEBUG_OUTPUT=$work/loaded expect "$code" "$@"
  grep -q 'calling init: .*libhdf5' loaded.* || fail "the loader does not tell what it loads"
  ! grep -E 'lib(torch|c10|parity_torch|cudart|cupti)[^/]*\.so' loaded.* >stderr || fail "LibTorch is loaded"
}
without_libtorch 0 --help
without_libtorch 0 --version
without_libtorch 0 record --help
without_libtorch 2
without_libtorch 2 nonsense
without_libtorch 2 record --model "$model" --inputs prose="$prose" --out golden.h5 --dtype float5
without_libtorch 2 compare no.h5 --model "$model"
without_libtorch 0 inspect "$float32"
without_libtorch 0 compare "$float32" "$float32" --json report.json --html report.html
without_libtorch 1 compare "$float32" "$tf32" --markdown report.md
without_libtorch 0 judge report.json
without_libtorch 0 export report.json --format junit
without_libtorch 0 history add report.json --db nights.sqlite --at 2026-10-01T02:00:00Z
without_libtorch 0 history show --db nights.sqlite
without_libtorch 1 bless "$float32" "$tf32"
without_libtorch 0 policy show
without_libtorch 0 selftest "$float32"
without_libtorch 0 merge shards.shard-*-of-2.h5 --out merged.h5
without_libtorch 0 calibrate "$float32" "$tf32" --out policy.toml

# Measured: 17 MB, of which nothing is Python's (bench/startup). A sanitizer's runtime has its own.
if ! ldd "$whole" | grep -qE 'lib(asan|tsan|ubsan)'; then
  peak_kb=$(python3 - "$whole" <<'PY'
import resource, subprocess, sys
subprocess.run([sys.argv[1], "--help"], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
PY
  )
  [ "$peak_kb" -lt 50000 ] || fail "--help takes $peak_kb kB"
fi

# Without it, damaged, and with a LibTorch that is not there: one sentence with file and reason, exit code 3. Replacing a
# name of its own length stands for a LibTorch that was removed.
broken_record() {
  refused 3 "$1" record --model "$model" --inputs prose="$prose" --device cpu --out golden.h5
  has stderr "parity: $work/alone/libparity_torch.so, the part of parity that needs LibTorch, does not load ("
  has stderr "parity doctor looks for the cause"
  no_file golden.h5
  expect 3 doctor --device cpu --show failing
  has stdout "NOT READY"
  tr -s ' \n' ' ' <stdout | grep -qF -- "LibTorch does not load: $2" || fail "the doctor does not say it: $2"
  has stdout "No model can run"
  lacks stdout "devices.run"
}
broken_record "cannot open shared object file" "$work/alone/libparity_torch.so: cannot open shared object file"
echo "not a library" >alone/libparity_torch.so
broken_record "file too short" "$work/alone/libparity_torch.so: file too short"
sed 's/libtorch_cpu\.so/libtorch_gone.s/' "$library" >alone/libparity_torch.so
broken_record "libtorch_gone.s: cannot open shared object file" "libtorch_gone.s: cannot open shared object file"
sed 's/parity_torch_entries/parity_torch_nothing/' "$library" >alone/libparity_torch.so
broken_record "undefined symbol: parity_torch_entries" "$work/alone/libparity_torch.so: undefined symbol"

# One copy of the program's code: what both sides keep, such as what a signal is to say, is there once.
! nm -C --defined-only "$library" | grep -E ' [TtDdBb] parity::(LastWords|note_last_tap|Error|model::holds_foreign_code)' \
  >stderr || fail "$library holds a copy"

# Whole again, and by a link to the program, beside which it is not.
cp "$library" alone/libparity_torch.so
ln -s alone/parity linked
PARITY=$work/linked
expect 0 record --model "$model" --inputs prose="$prose" --device cpu --out golden.h5
# Its own part counts as no library that computes.
expect 0 inspect golden.h5 --json -
lacks stdout "libparity_torch"
exit 0
