# Nights go into a history and come out as what they changed; whatever cannot be added leaves it as it was.
source "$(dirname "$0")/expect.sh"

sql() { python3 - "$@" <<'PY'
import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]):
    print(*row)
PY
}
is() { [ "$1" = "$2" ] || fail "'$1' instead of '$2'"; }

expect 0 record --model "$model" --inputs prose="$prose" --device cpu --out golden.h5
compare() { expect "$1" compare golden.h5 --model "$model" --device cpu "${@:2}"; }
compare 0 --threads 1 --json 1.json
compare 0 --threads 2 --json 2.json
compare 0 --threads 2 --json 3.json
printf 'name = "p"\n[[rule]]\nreason = "r"\n[[rule.bound]]\nmetric = "nrmse"\nfail = 0.003\n' >tight.toml
compare 1 --dtype bfloat16 --threads 2 --policy tight.toml --json 4.json

# Added, and added again.
expect 0 history add 1.json --db h.sqlite --at 2026-10-01T02:00:00Z --link reports/1.html
has stdout "added to main: gate passed, 2026-10-01 02:00 UTC"
cp h.sqlite once.sqlite
expect 0 history add 1.json --db h.sqlite --at 2026-10-09
has stdout "already in main"
cmp h.sqlite once.sqlite || fail "the same report changed the history"
expect 0 history add 2.json --db h.sqlite --at 2026-10-02T02:00:00Z
expect 0 history add --no-report --exit-code 3 --reason "no GPU" --db h.sqlite --at 2026-10-03T02:00:00Z -q
empty stdout

# A night that is infrastructure trouble is a state of its own, and no regression.
expect 0 history show --db h.sqlite
has stdout "2026-10-03 02:00 UTC  infrastructure (exit code 3): no GPU"
has stdout "nothing regressed, exit code 0"

# What changed: environment first.
expect 0 history add 3.json --db h.sqlite --at 2026-10-04T02:00:00Z
expect 0 history show --db h.sqlite --last 4
has stdout "! switch.threads  1 -> 2  changes numbers"
has stdout "reports/1.html"
[ "$(grep -c 'environment  as before' stdout)" = 1 ] || fail "the third night has the environment of the second"
expect 0 history add 4.json --db h.sqlite --at 2026-10-05T02:00:00Z
expect 1 history show --db h.sqlite
has stdout "switch.dtype"
has stdout "diverged"
has stdout "REGRESSED, exit code 1"
[ "$(grep -n 'environment changes' stdout | cut -d: -f1)" -lt "$(grep -n '^verdicts' stdout | cut -d: -f1)" ] ||
  fail "the environment does not lead"
expect 1 history show --db h.sqlite --json -
python3 - <<'PY' || fail "the JSON says something else"
import json
document = json.load(open("stdout"))
assert document["schema"] == "parity-history/1" and document["regressed"] is True
night, = document["series"][0]["nights"]
assert night["verdict"] == "fail" and night["begins_at"]["case"] == "prose", night
assert any(fact["key"] == "switch.dtype" for fact in night["environment"])
assert all(change["way"] == "worse" for change in night["verdicts"] if change["after"] == "diverged")
PY
expect 1 history show --db h.sqlite --json shown.json -q
empty stdout
has shown.json '"parity-history/1"'

# A report that says pass beside taps that failed is refused, and the history stays as it was.
python3 - <<'PY'
import json
report = json.load(open("4.json"))
report["verdict"], report["exit_code"], report["reasons"] = "pass", 0, []
for case in report["cases"]:
    case["verdict"] = "pass"
json.dump(report, open("lies.json", "w"))
PY
cp h.sqlite before.sqlite
refused 2 "lies.json" history add lies.json --db h.sqlite --at 2026-10-06T02:00:00Z
cmp h.sqlite before.sqlite || fail "a report that contradicts itself is in the history"

# What is no longer compared is a regression by name; another golden and another policy of the same name are facts.
expect 0 history add 1.json --db less.sqlite --at 2026-10-01
compare 0 --threads 1 --skip model.layers.0.mlp.down_proj --json less.json
expect 0 history add less.json --db less.sqlite --at 2026-10-02
expect 1 history show --db less.sqlite
has stdout "gate passed, but 1 tap is no longer compared, first at"
has stdout "  prose: model.layers.0.mlp.down_proj"
expect 0 history add 3.json --db less.sqlite --at 2026-10-03 --series other
cp golden.h5 kept.h5
expect 0 record --model "$model" --inputs prose="$prose" --device cpu --threads 4 --dtype bfloat16 --out golden.h5
of_bound() { printf 'name = "p"\n[[rule]]\nreason = "r"\nlayers = ["**"]\n[[rule.bound]]\nmetric = "nrmse"\nfail = %s\n' "$1"; }
of_bound 0.05 >same.toml
compare 0 --threads 1 --policy same.toml --json 5.json
of_bound 0.04 >same.toml
mv kept.h5 golden.h5
compare 0 --threads 1 --policy same.toml --json 6.json
expect 0 history add 5.json --db facts.sqlite --at 2026-10-01
expect 0 history add 6.json --db facts.sqlite --at 2026-10-02
expect 0 history show --db facts.sqlite
has stdout "the golden changed"
has stdout "the policy's bounds changed"
lacks stdout "the inputs changed"
lacks stdout "weights changed"
[ "$(grep -n -m1 'the golden changed' stdout | cut -d: -f1)" -lt "$(grep -n -m1 'switch.dtype' stdout | cut -d: -f1)" ] ||
  fail "the golden does not lead"

# Any order of addition gives the same history to see.
expect 0 history add 4.json --db other.sqlite --at 2026-10-05T02:00:00Z
expect 0 history add 1.json --db other.sqlite --at 2026-10-01T02:00:00Z --link reports/1.html
expect 0 history add 3.json --db other.sqlite --at 2026-10-04T02:00:00Z
expect 0 history add 2.json --db other.sqlite --at 2026-10-02T02:00:00Z
expect 0 history add --no-report --exit-code 3 --reason "no GPU" --db other.sqlite --at 2026-10-03T02:00:00Z
expect 1 history show --db h.sqlite --last 9 --now 2026-10-05; cp stdout one
expect 1 history show --db other.sqlite --last 9 --now 2026-10-05; cmp stdout one || fail "the order of addition shows"
expect 0 history dashboard --db h.sqlite --out www --now 2026-10-05
has stdout "open www/index.html"
expect 0 history dashboard --db other.sqlite --out www2 --now 2026-10-05
diff -r www www2 || fail "the order of addition shows in the dashboard"
expect 0 history dashboard --db h.sqlite --out www --now 2026-10-05
expect 0 history export --db h.sqlite --openmetrics one.prom -q
expect 0 history export --db other.sqlite --openmetrics - --now 2026-10-05
has stdout 'parity_history_regressed{series="main"} 1'
has stdout 'parity_history_runs{series="main",state="infrastructure"} 1'
grep -q '^parity_history_tap_nrmse{series="main",case="prose",tap="model.layers.0.mlp"} ' stdout || fail "no figures"

# Missing nights are named once there is a rhythm.
for day in 06 07 08 11; do expect 0 history add --no-report --reason "holiday" --db h.sqlite --at 2026-10-${day}T02:00; done
expect 1 history show --db h.sqlite --last 9 --now 2026-10-11T03:00
has stdout "2 nights without a run: 2026-10-09, 2026-10-10"
expect 0 history show --db h.sqlite --now 2026-10-14T15:00
has stdout "3 nights without a run: 2026-10-12, 2026-10-13, 2026-10-14"
has stdout "not run: holiday"

# Taking nights out.
expect 0 history prune --db h.sqlite --keep-runs 4
has stdout "5 runs removed, 4 kept"
is "$(sql h.sqlite 'PRAGMA integrity_check')" ok
expect 0 history prune --db other.sqlite --keep-days 1 --keep-monthly
is "$(sql other.sqlite "SELECT group_concat(date(time, 'unixepoch')) FROM (SELECT time FROM run ORDER BY time)")" \
  "2026-10-01,2026-10-04,2026-10-05"

# What cannot be added leaves no trace.
cp other.sqlite before.sqlite
head -c 2000 1.json >torn.json
echo '{"schema": "parity-report/2"}' >newer.json
for bad in torn.json newer.json golden.h5 nowhere.json .; do
  refused 2 "" history add "$bad" --db other.sqlite
  refused 2 "" history add "$bad" --db new.sqlite
  no_file new.sqlite
done
cmp other.sqlite before.sqlite || fail "a bad report changed the history"
refused 2 "exclude each other" history add 1.json --no-report --reason r --db new.sqlite
refused 2 "name a report" history add --db new.sqlite
refused 2 "needs --reason" history add --no-report --db new.sqlite
refused 2 "go with --no-report" history add 1.json --exit-code 3 --db new.sqlite
refused 2 "exit code 1 comes with a report" history add --no-report --exit-code 1 --reason r --db new.sqlite
refused 2 "--at '10/01/2026' is no time" history add 1.json --at 10/01/2026 --db new.sqlite
for link in "javascript:alert(1)" " javascript:alert(1)" $'java\tscript:alert(1)' "data:text/html,x" "//evil.test/r" '\\evil.test\r' \
  '/\evil.test' "reports/1.html " "mailto:a@b"; do
  refused 2 "neither a path nor" history add 1.json --link "$link" --db new.sqlite
done
refused 2 "--series" history add 1.json --series $'a\nb' --db new.sqlite
long=$(printf 'x%.0s' {1..5000})
for command in "add 1.json --db new.sqlite" "show --db other.sqlite" "dashboard --db other.sqlite --out w" \
  "export --db other.sqlite --openmetrics -" "prune --db other.sqlite --keep-runs 3"; do
  # shellcheck disable=SC2086  # several words
  refused 2 "--series has a name of 5000 bytes, and 200 are the most" history $command --series "$long"
  [ "$(wc -c <stderr)" -lt 300 ] || fail "the name is in the message"
done
refused 2 "--series" history add 1.json --series "" --db new.sqlite
refused 2 "would overwrite" history add 1.json --db 1.json
refused 2 "is no history of parity" history add 1.json --db golden.h5
refused 2 "there is no folder" history add 1.json --db nowhere/h.sqlite
no_file new.sqlite
refused 2 "there is no history nowhere.sqlite" history show --db nowhere.sqlite
refused 2 "there is no history nowhere.sqlite" history prune --db nowhere.sqlite --keep-runs 3
refused 2 "has no series 'x'; it has main" history show --db other.sqlite --series x
refused 2 "say what stays" history prune --db other.sqlite
refused 2 "--keep-runs" history prune --db other.sqlite --keep-runs 0
refused 2 "is no OpenMetrics" history export --db other.sqlite --openmetrics 1.json
refused 2 "is no JSON" history show --db other.sqlite --json one.prom
refused 2 "is no folder" history dashboard --db other.sqlite --out 1.json
mkdir taken && echo "my own page" >taken/index.html
refused 2 "is no page of parity's dashboard" history dashboard --db other.sqlite --out taken
[ "$(ls taken)" = index.html ] || fail "pages were written beside a page of somebody else's"
refused 2 "subcommand" history
python3 - <<'PY'
import sqlite3
database = sqlite3.connect("theirs.sqlite")
database.execute("CREATE TABLE t(x)")
database.commit()
PY
refused 2 "but no history of parity" history add 1.json --db theirs.sqlite
cp before.sqlite newer.sqlite
sql newer.sqlite "PRAGMA user_version = 7" >/dev/null
refused 2 "use a newer parity" history show --db newer.sqlite

# What a killed command left half done is undone by whoever reads next, and reading changes nothing else.
python3 - <<'PY'
import shutil, sqlite3
shutil.copy("before.sqlite", "busy-base.sqlite")
database = sqlite3.connect("busy-base.sqlite")
database.execute("PRAGMA cache_size = 1")
database.execute("BEGIN")
database.execute("UPDATE tap_result SET nrmse = 1e9, kind = kind || hex(zeroblob(200))")
shutil.copy("busy-base.sqlite", "killed.sqlite")
shutil.copy("busy-base.sqlite-journal", "killed.sqlite-journal")
database.rollback()
PY
[ -s killed.sqlite-journal ] || fail "nothing was left half done"
cmp -s killed.sqlite before.sqlite && fail "nothing was changed"
expect 1 history show --db before.sqlite --last 9 --now 2026-10-05; cp stdout one
expect 1 history show --db killed.sqlite --last 9 --now 2026-10-05; cp stdout two
cmp one two || fail "half of a killed command's work is shown"
no_file killed.sqlite-journal
cp before.sqlite read-only.sqlite
expect 0 history export --db read-only.sqlite --openmetrics -
cmp read-only.sqlite before.sqlite || fail "reading changed the file"

# Several at once, each whole.
for number in 1 2 3 4 1 2 3 4; do
  "$PARITY" history add $number.json --db busy.sqlite --at 2026-10-0$number -q 2>>busy.errors & pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid" || fail "an addition failed beside others: $(cat busy.errors)"; done
is "$(sql busy.sqlite 'SELECT count(*) FROM run')" 4
is "$(sql busy.sqlite 'PRAGMA integrity_check')" ok

for command in add show dashboard export prune; do
  expect 0 history $command --help
  has stdout "Example"
  has stdout "--db"
done
exit 0
