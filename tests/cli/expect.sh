# Sourced by every script here: runs the program and says what was expected where something else came.
# Needs PARITY (the program) and FIXTURES (the repository's fixtures/); works in a folder of its own.
set -uo pipefail
# In a job of GitHub's the program prints annotations as well.
unset GITHUB_ACTIONS

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

model=$FIXTURES/decoder/model.torchscript.pt
prose=$FIXTURES/decoder/inputs/prose.json
code=$FIXTURES/decoder/inputs/code.json

fail() {
  echo "FAILED: $1" >&2
  echo "--- command: ${last_command:-}" >&2
  echo "--- stdout:" >&2; head -40 stdout >&2
  echo "--- stderr:" >&2; head -20 stderr >&2
  exit 1
}

# expect EXIT_CODE ARGUMENT...: runs parity; leaves its output in ./stdout and ./stderr.
expect() {
  local wanted=$1 got
  shift
  last_command="parity $*"
  "$PARITY" "$@" >stdout 2>stderr </dev/null
  got=$?
  [ "$got" -eq "$wanted" ] || fail "exit code $got instead of $wanted"
}

has() { grep -qF -- "$2" "$1" || fail "$1 lacks: $2"; }
lacks() { ! grep -qF -- "$2" "$1" || fail "$1 should not have: $2"; }
empty() { [ ! -s "$1" ] || fail "$1 should be empty"; }
one_line() { [ "$(wc -l <"$1")" -eq 1 ] || fail "$1 should be one line"; }
no_file() { [ ! -e "$1" ] || fail "$1 should not exist"; }
nothing_left_behind() { [ -z "$(ls -A "$1")" ] || fail "left in $1: $(ls -A "$1")"; }

# A refusal: exit code, one sentence on stderr that has the words, nothing on stdout.
refused() {
  local code=$1 words=$2
  shift 2
  expect "$code" "$@"
  empty stdout
  one_line stderr
  has stderr "$words"
}

# record_on_gpu GOLDEN: records the fixture on a GPU, or ends the test as skipped (77) where there is none.
record_on_gpu() {
  local code
  last_command="parity record --device cuda"
  "$PARITY" record --model "$model" --inputs prose="$prose" --device cuda --out "$1" >stdout 2>stderr
  code=$?
  if [ $code -eq 3 ] && grep -q "is not there" stderr; then
    echo "SKIPPED: no GPU here: $(cat stderr)"
    exit 77
  fi
  [ $code -eq 0 ] || fail "exit code $code"
}

# verdicts: every verdict of the JSON report in ./stdout, each once, in alphabetical order.
verdicts() {
  python3 - stdout <<'PY'
import json, sys
report = json.load(open(sys.argv[1]))
print(*sorted({tap["verdict"] for case in report["cases"] for tap in case["taps"]}))
PY
}

# all_identical ARGUMENT...: a comparison in which every tap has the same bits.
all_identical() {
  expect 0 compare "$@" --json -
  [ "$(verdicts)" = identical ] || fail "verdicts are: $(verdicts)"
}
