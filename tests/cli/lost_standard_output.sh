# A standard output that is full, closed or read by nobody takes no file with it, and is exit 3 with one sentence, in
# every command; never a passed gate.
source "$(dirname "$0")/expect.sh"

run=(--model "$FIXTURES/decoder/model.pt" --config "$FIXTURES/decoder/config.json" --device cpu)
goldens=$FIXTURES/../golden
expect 0 record "${run[@]}" --inputs prose="$prose" --threads 1 --out golden.h5
expect 0 record "${run[@]}" --inputs prose="$prose" --threads 1 --truth float64 --out again.h5
expect 0 compare golden.h5 golden.h5 --json report.json
expect 0 history add report.json --db history.sqlite

# A pipe whose reader is gone, whatever the machine's speed.
mkfifo pipe
exec 3<>pipe 4>pipe 3<&-

# lost OUTPUT FILE,... ARGUMENT...: the command, with a standard output that cannot be written.
lost() {
  local output=$1 files=${2//,/ } code file
  shift 2
  last_command="parity $* (standard output $output)"
  rm -f $files
  case $output in
    full) "$PARITY" "$@" >/dev/full 2>stderr </dev/null ;;
    closed) "$PARITY" "$@" >&- 2>stderr </dev/null ;;
    unread) "$PARITY" "$@" >&4 2>stderr </dev/null ;;
  esac
  code=$?
  : >stdout
  [ $code -eq 3 ] || fail "exit code $code instead of 3"
  one_line stderr
  has stderr "standard output cannot be written: "
  for file in $files; do [ -s "$file" ] || fail "$file is lost"; done
}

differing=("$goldens/fixture-float32.h5" "$goldens/fixture-tf32.h5")
for output in full closed unread; do
  lost $output a.json,a.xml,a.md,a.html,a.om compare "${differing[@]}" --json a.json --junit a.xml --markdown a.md --html a.html --openmetrics a.om
done
lost unread b.xml,b.md compare golden.h5 golden.h5 --json - --junit b.xml --markdown b.md
lost full c.json,c.h5 compare golden.h5 "${run[@]}" --save c.h5 --json c.json
lost closed d.json,d.md judge report.json --json d.json --markdown d.md
lost unread e.json selfcheck "${run[@]}" --inputs prose="$prose" --json e.json
lost full f.json,f.md bless golden.h5 again.h5 --json f.json --markdown f.md
lost closed g.toml,g.json calibrate golden.h5 again.h5 --out g.toml --json g.json
lost unread h.json selftest golden.h5 --layers lm_head --json h.json
lost full i.json inspect golden.h5 --json i.json
lost closed j.json history show --db history.sqlite --json j.json
lost unread www/index.html history dashboard --db history.sqlite --out www
lost full k.h5 record "${run[@]}" --inputs prose="$prose" --out k.h5
lost closed "" record "${run[@]}" --inputs tokens:BxL --sweep 1x4 --out l.h5
lost unread "" export report.json --format junit
lost full "" history export --db history.sqlite --openmetrics -
lost closed "" history add report.json --db history.sqlite --at 2026-10-30
lost unread "" history prune --db history.sqlite --keep-runs 5
lost full "" policy show
lost closed "" --help
lost unread "" compare --help
lost full "" --version
python3 -m json.tool a.json >/dev/null || fail "half a report"
expect 0 inspect l.h5 --quiet

# Nothing is printed, nothing is lost: the verdict alone.
"$PARITY" compare "${differing[@]}" --quiet >/dev/full 2>stderr
[ $? -eq 1 ] || fail "the gate's exit code was lost"
"$PARITY" compare golden.h5 golden.h5 --quiet >&- 2>stderr
[ $? -eq 0 ] || fail "a closed output that nothing goes to"

# Closed streams: what is meant for them goes into none of the files.
"$PARITY" record "${run[@]}" --inputs t=tokens:1x4 --out closed.h5 <&- >&- 2>&-
[ $? -eq 3 ] || fail "a closed standard output went unnoticed"
expect 0 inspect closed.h5
"$PARITY" compare closed.h5 nowhere.h5 <&- >stdout 2>&-
[ $? -eq 2 ] || fail "another exit code without a standard error"
expect 0 inspect closed.h5
exit 0
