# scripts/nightly.sh with the real program: every way in which a night can end is in the history as what it was.
source "$(dirname "$0")/../cli/expect.sh"

nightly=$FIXTURES/../scripts/nightly.sh
golden=$FIXTURES/../golden/fixture-float32.h5
cpu="--model $FIXTURES/decoder/model.pt --config $FIXTURES/decoder/config.json --device cpu --layers model.layers.0.self_attn.o_proj"

# settings NAME=VALUE...: writes settings.env around what is given.
settings() {
  printf '%s\n' "PARITY=$PARITY" "OUT=$work/out" "GOLDEN=$golden" "COMPARE=($cpu)" "OPENMETRICS=$work/out/parity.prom" \
    >settings.env
  printf '%s\n' "$@" >>settings.env
}
# night EXIT_CODE ARGUMENT...: runs it.
night() {
  local wanted=$1 got
  shift
  last_command="nightly.sh $*"
  bash "$nightly" "$@" >stdout 2>stderr </dev/null
  got=$?
  [ "$got" -eq "$wanted" ] || fail "exit code $got instead of $wanted"
  empty stdout
}
# By state, how many: "failed 1, passed 2".
nights() {
  python3 - <<'PY'
import collections, sqlite3
rows = sqlite3.connect("out/history.sqlite").execute("SELECT state, passed FROM run").fetchall()
states = [("failed", "passed")[passed] if state == "judged" else state for state, passed in rows]
print(", ".join(f"{state} {count}" for state, count in sorted(collections.Counter(states).items())))
PY
}
newest() { find out/reports/main -mindepth 1 -maxdepth 1 -type d | sort | tail -n 1; }
next_second() { sleep 1.1; }

# Mistakes in the settings: one sentence, exit code 2, nothing made.
refused_night() {
  night 2 "${@:2}"
  one_line stderr
  has stderr "$1"
  no_file out
}
refused_night "no settings file nowhere.env" nowhere.env
settings "OUT="; refused_night "sets no OUT" settings.env
settings "GOLDEN="; refused_night "sets no GOLDEN" settings.env
settings "COMPARE=()"; refused_night "sets no COMPARE" settings.env
settings "KEEP_DAYS=soon"; refused_night "KEEP_DAYS=soon" settings.env
settings "TIME_LIMIT=long"; refused_night "TIME_LIMIT=long" settings.env
settings "SERIES=../up"; refused_night "SERIES=../up" settings.env
settings "PARITY=/nowhere/parity"; refused_night "no program /nowhere/parity" settings.env
settings; refused_night "unknown argument '--strict'" settings.env --strict
bash "$nightly" --help | grep -q "SETTINGS is a file" || fail "no help"
bash "$nightly" 2>/dev/null; [ $? -eq 2 ] || fail "no settings, and no refusal"

# A night that passes.
settings
night 0 settings.env
has stderr "passed, exit code 0"
kept=$(newest)
for file in report.html report.json report.xml report.md report.om table.txt; do
  [ -s "$kept/$file" ] || fail "no $file"
done
has "$kept/table.txt" "verdict PASS"
has out/dashboard/index.html "<html"
has "$kept/report.html" "<html"
# linked NIGHT-FOLDER FILE: the newest night of the history leads there, as seen from the dashboard.
linked() {
  local link
  link=$(python3 -c 'import sqlite3
print(sqlite3.connect("out/history.sqlite").execute("SELECT link FROM run ORDER BY time DESC, id DESC").fetchone()[0])')
  [ "$link" = "../$1" ] || fail "the newest night leads to $link instead of ../$1"
  [ -e "out/dashboard/$link" ] || fail "$link leads nowhere"
}
linked "reports/main/$(basename "$kept")/report.html"
has out/parity.prom "parity_"
has out/nightly.log "passed, exit code 0"

# One that fails, with flags of its own behind --.
next_second
settings "GOLDEN=$FIXTURES/../golden/fixture-tf32.h5"
night 1 settings.env -- --top 1
has stderr "failed, exit code 1"
has "$(newest)/table.txt" "verdict FAIL"

# Infrastructure: the device is not there.
next_second
settings "COMPARE=(--model $FIXTURES/decoder/model.pt --config $FIXTURES/decoder/config.json --device cuda:77)"
night 3 settings.env
has stderr "infrastructure, exit code 3: "
has stderr "cuda:77"
no_file "$(newest)/report.json"
linked "reports/main/$(basename "$(newest)")/errors.txt"

# No judgement: the golden is not there; a policy under which the gate cannot turn red.
next_second
settings "GOLDEN=$work/nowhere.h5"
night 2 settings.env
has stderr "no judgement, exit code 2: "
has stderr "nowhere.h5"
next_second
printf '%s\n' 'name = "loose"' '[[rule]]' 'layers = ["**.o_proj"]' 'dtypes = ["float32"]' 'reason = "it was red"' \
  '[[rule.bound]]' 'metric = "nrmse"' 'fail = 0.9' >loose.toml
settings "POLICY=$work/loose.toml"
night 2 settings.env
has stderr "does not hold up in parity selftest"

# It takes too long.
next_second
cat >slow <<SH
#!/bin/bash
[ "\$1" != compare ] || exec sleep 60
exec "$PARITY" "\$@"
SH
chmod +x slow
settings "PARITY=$work/slow" "TIME_LIMIT=1s"
night 3 settings.env
has stderr "infrastructure, exit code 3: ended after 1s"

# The comparison is killed; the script is told to stop.
started() {
  for _ in $(seq 300); do
    child=$(pgrep -P "$(pgrep -P "$1" timeout)" sleep 2>/dev/null) && return
    sleep 0.1
  done
  fail "it did not start"
}
settings "PARITY=$work/slow"
next_second
bash "$nightly" settings.env 2>stderr & script=$!
started "$script"
kill -KILL "$child"
wait "$script"; [ $? -eq 3 ] || fail "killed, and not exit code 3"
has stderr "ended by signal or crash"
next_second
bash "$nightly" settings.env 2>stderr & script=$!
started "$script"
# Meanwhile another one: it does not start, and leaves the first alone.
night 3 settings.env
has stderr "still under way"
linked nightly.log
kill -TERM "$script"
wait "$script"; [ $? -eq 3 ] || fail "stopped, and not exit code 3"
has stderr "stopped by SIGTERM"
! kill -0 "$child" 2>/dev/null || fail "the comparison goes on"

# The script itself is killed: as long as its comparison runs it is in the way, and the next night tells of both.
next_second
bash "$nightly" settings.env 2>stderr & script=$!
started "$script"
kill -KILL "$script"; wait "$script" 2>/dev/null
next_second
night 3 settings.env
has stderr "still under way"
kill -KILL "$child"
next_second
settings
night 0 settings.env
has stderr "did not end: killed"
[ -z "$(find out/reports -name '*.unfinished')" ] || fail "an unfinished run is left"

# Every one is a state of its own.
[ "$(nights)" = "failed 1, infrastructure 7, no judgement 2, passed 2" ] || fail "the history has: $(nights)"

# Reports are kept for so many days; what is afterwards may fail without hiding the verdict.
old=out/reports/main/2020-01-01T000000Z
mkdir "$old"
touch -d '200 days ago' "$old"
mkdir out/reports/main/notes
touch -d '200 days ago' out/reports/main/notes
settings "OPENMETRICS=$work/nowhere/parity.prom"
next_second
night 3 settings.env
has stderr "passed, exit code 0"
has stderr "parity history export failed"
no_file "$old"
[ -d out/reports/main/notes ] || fail "a folder that is no report was removed"
# Two series in one folder.
settings "SERIES=other"
night 0 settings.env
[ -n "$(ls out/reports/other)" ] || fail "no report of the other series"
exit 0
