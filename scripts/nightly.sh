#!/usr/bin/env bash
# One night of a gate, for cron or a systemd timer: compares, keeps the report, adds it to the history and makes the
# dashboard anew. Knows nothing of models: everything comes from a settings file.
set -uo pipefail

usage() {
  cat <<'TEXT'
Usage: scripts/nightly.sh SETTINGS [-- COMPARE-FLAG...]

Compares a golden with a replay on this host and ends with the gate's exit code: 0 passed, 1 failed, 2 no judgement
possible, 3 infrastructure. SETTINGS is a file of shell assignments:

  OUT=/var/lib/parity            needed: folder of reports, history, dashboard, log and lock
  GOLDEN=/srv/goldens/chat.h5    needed
  COMPARE=(--model /srv/models/chat.pt --config /srv/models/config.json --device cuda --attribute)
                                 needed: flags of `parity compare`, or another golden to compare with
  POLICY=/srv/policies/chat.toml bounds to judge by, with which `parity selftest` then runs first
  SERIES=chat-mi300              name in the history; several settings may share one OUT
  PARITY=/opt/parity/bin/parity  the program (default: the one on PATH, else this checkout's build/release/bin/parity)
  TIME_LIMIT=2h                  then the comparison is ended, which counts as infrastructure (default)
  KEEP_DAYS=90                   of reports and history (default)
  OPENMETRICS=/var/lib/node_exporter/parity.prom
                                 metrics of the history for Prometheus' textfile collector

Flags behind -- go to `parity compare` as well. In OUT: reports/SERIES/TIME/ (report.html, report.json, report.xml,
report.md, report.om, table.txt, errors.txt), history.sqlite, dashboard/index.html, nightly.log. The dashboard leads to the
report.html of each night, or to what was said where there is no report.

A run that was infrastructure trouble, overran its time, was killed, or found the previous one still under way, is in
the history as a state of its own, never as a regression.
TEXT
}

EXIT_USAGE=2
EXIT_INFRASTRUCTURE=3

refuse() {
  printf 'nightly.sh: %s\n' "$*" >&2
  exit "$EXIT_USAGE"
}

# --- settings -----------------------------------------------------------------------------------------------------------

[[ $# -gt 0 ]] || { usage >&2; exit "$EXIT_USAGE"; }
case $1 in
  --help | -h) usage; exit 0 ;;
esac
settings=$1
shift
if [[ $# -gt 0 ]]; then
  [[ $1 == -- ]] || refuse "unknown argument '$1'; flags for parity compare stand behind --, and --help lists the rest."
  shift
fi
[[ -f $settings && -r $settings ]] || refuse "no settings file $settings; --help shows one."

OUT='' GOLDEN='' POLICY='' SERIES=main PARITY='' TIME_LIMIT=2h KEEP_DAYS=90 OPENMETRICS=''
COMPARE=()
# shellcheck source=/dev/null
source "$settings" || refuse "$settings is no file of shell assignments."
COMPARE+=("$@")

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
[[ -n $PARITY ]] || PARITY=$(command -v parity || printf '%s' "$root/build/release/bin/parity")
[[ -n $OUT ]] || refuse "$settings sets no OUT, the folder of reports and history."
[[ -n $GOLDEN ]] || refuse "$settings sets no GOLDEN."
[[ ${#COMPARE[@]} -gt 0 ]] || refuse "$settings sets no COMPARE: the flags of parity compare, --model first of all."
[[ $KEEP_DAYS =~ ^[1-9][0-9]{0,4}$ ]] || refuse "KEEP_DAYS=$KEEP_DAYS in $settings is no number of days."
[[ $TIME_LIMIT =~ ^[1-9][0-9]{0,6}[smhd]?$ ]] || refuse "TIME_LIMIT=$TIME_LIMIT in $settings is no time such as 90m or 2h."
[[ $SERIES =~ ^[A-Za-z0-9._-]{1,80}$ && $SERIES != . && $SERIES != .. ]] ||
  refuse "SERIES=$SERIES in $settings: letters, digits, '.', '_' and '-' alone."
command -v "$PARITY" >/dev/null || refuse "no program $PARITY; set PARITY in $settings."
command -v flock >/dev/null || refuse "flock of util-linux is not installed."
# Before the work: what cannot be kept is not worth an hour of a GPU.
reports=$OUT/reports/$SERIES
mkdir -p "$reports" 2>/dev/null && [[ -w $OUT && -w $reports ]] || {
  printf 'nightly.sh: %s\n' "the folder $reports cannot be made or written." >&2
  exit "$EXIT_INFRASTRUCTURE"
}

history=$OUT/history.sqlite
log=$OUT/nightly.log

# say TEXT: a line in the log and on stderr, which cron mails.
say() { printf '%s %s: %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$SERIES" "$*" | tee -a "$log" >&2; }

# --- history ------------------------------------------------------------------------------------------------------------

# What follows the verdict may fail, and must not change it: the worst of it is told at the end.
afterwards=0
then_do() {
  local output
  if output=$("$PARITY" "$@" 2>&1); then
    [[ -z $output ]] || say "$output"
    return 0
  fi
  say "parity $1 $2 failed: $output"
  afterwards=$EXIT_INFRASTRUCTURE
  return 1
}

# no_report EXIT_CODE TIME REASON LINK: a night without a report, in the history. LINK: as seen from the dashboard.
no_report() {
  then_do history add --no-report --exit-code "$1" --at "$2" --reason "$3" --link "$4" --series "$SERIES" --db "$history"
}

# utc STAMP: a folder's name as the time that it stands for.
utc() { sed -E 's/^(.{10}T..)(..)(..Z)$/\1:\2:\3/' <<<"$1"; }

# --- one run at a time --------------------------------------------------------------------------------------------------

stamp=$(date -u +%Y-%m-%dT%H%M%SZ)
exec 9>"$OUT/lock-$SERIES"
if ! flock --nonblock 9; then
  say "the run before this one is still under way; not started"
  no_report "$EXIT_INFRASTRUCTURE" "$(utc "$stamp")" "not started: the run before it was still under way" ../nightly.log
  exit "$EXIT_INFRASTRUCTURE"
fi

# What a killed run left behind.
for left in "$reports"/*.unfinished; do
  [[ -d $left ]] || continue
  name=$(basename "$left" .unfinished)
  say "the run of $name did not end: killed, or the machine went down"
  touch "$left/errors.txt"
  no_report "$EXIT_INFRASTRUCTURE" "$(utc "$name")" "did not end: killed, or the machine went down" \
    "../reports/$SERIES/$name/errors.txt" || continue
  mv "$left" "$reports/$name"
done

work=$reports/$stamp.unfinished
mkdir "$work" || { say "cannot make $work"; exit "$EXIT_INFRASTRUCTURE"; }

# --- the run ------------------------------------------------------------------------------------------------------------

child=
stopped=
on_signal() {
  stopped=$1
  [[ -z $child ]] || kill -TERM "$child" 2>/dev/null
}
trap 'on_signal TERM' TERM
trap 'on_signal INT' INT
trap 'on_signal HUP' HUP

# limited NAME COMMAND...: runs it with its output in the run's folder and sets code. It holds the lock as well: one that
# outlives this script is still in the way of the next.
limited() {
  local name=$1
  shift
  timeout --kill-after=60 "$TIME_LIMIT" "$@" >"$work/$name.txt" 2>>"$work/errors.txt" &
  child=$!
  wait "$child"
  code=$?
  # A signal ends the wait, not the child.
  while kill -0 "$child" 2>/dev/null; do
    wait "$child"
    code=$?
  done
  child=
}

judge=()
[[ -z $POLICY ]] || judge=(--policy "$POLICY")
code=0
reason=
say "started: $GOLDEN"
if [[ -n $POLICY ]]; then
  limited selftest "$PARITY" selftest "$GOLDEN" "${judge[@]}" --json "$work/selftest.json" --no-color
  [[ $code -eq 0 ]] || reason="the policy does not hold up in parity selftest"
fi
if [[ $code -eq 0 && -z $stopped ]]; then
  limited table "$PARITY" compare "$GOLDEN" "${COMPARE[@]}" "${judge[@]}" --no-color --json "$work/report.json" \
    --html "$work/report.html" --junit "$work/report.xml" --markdown "$work/report.md" --openmetrics "$work/report.om"
elif [[ $code -eq 1 ]]; then
  # No verdict on the model: the gate itself is not to be trusted.
  code=2
fi

case $code in
  0 | 1) ;;
  2) reason=${reason:-$(head -n 1 "$work/errors.txt")} ;;
  3) reason=$(head -n 1 "$work/errors.txt") ;;
  124) reason="ended after $TIME_LIMIT" code=$EXIT_INFRASTRUCTURE ;;
  *) reason="ended by signal or crash (exit code $code)" code=$EXIT_INFRASTRUCTURE ;;
esac
if [[ -n $stopped ]]; then
  reason="stopped by SIG$stopped" code=$EXIT_INFRASTRUCTURE
elif [[ $code -le 1 && ! -s $work/report.json ]]; then
  reason="exit code $code without a report" code=$EXIT_INFRASTRUCTURE
fi

# --- what is kept -------------------------------------------------------------------------------------------------------

kept=$reports/$stamp
if [[ $code -le 1 ]]; then
  then_do history add "$work/report.json" --at "$(utc "$stamp")" --series "$SERIES" --db "$history" \
    --link "../reports/$SERIES/$stamp/report.html"
else
  no_report "$code" "$(utc "$stamp")" "${reason:-exit code $code}" "../reports/$SERIES/$stamp/errors.txt"
fi
mv "$work" "$kept" || afterwards=$EXIT_INFRASTRUCTURE

if [[ -e $history ]]; then
  then_do history prune --keep-days "$KEEP_DAYS" --series "$SERIES" --db "$history"
  then_do history dashboard --db "$history" --out "$OUT/dashboard"
  [[ -z $OPENMETRICS ]] || then_do history export --db "$history" --openmetrics "$OPENMETRICS"
fi
find "$reports" -mindepth 1 -maxdepth 1 -type d -name '[0-9]*Z' -mtime "+$KEEP_DAYS" -exec rm -r {} + ||
  afterwards=$EXIT_INFRASTRUCTURE

words=([0]=passed [1]=failed [2]="no judgement" [3]=infrastructure)
say "${words[$code]}, exit code $code${reason:+: $reason}; $kept"
# A gate that failed is what cron has to hear of first.
if [[ $code -eq 0 ]]; then code=$afterwards; fi
exit "$code"
