# `parity export`: a stored report in every format that a comparison writes, the same bytes; and files that are no report.
source "$(dirname "$0")/expect.sh"
export COLUMNS=120

goldens=$FIXTURES/../golden
expect 1 compare "$goldens/fixture-float32.h5" "$goldens/fixture-tf32.h5" --show failing --top 2 \
  --json r.json --junit r.xml --markdown r.md --openmetrics r.om
cp stdout r.txt

expect 0 export r.json --format json --out again.json
empty stdout
cmp again.json r.json || fail "the JSON is another one"
for pair in junit:xml markdown:md openmetrics:om; do
  expect 0 export r.json --format "${pair%:*}" --out -
  cmp stdout "r.${pair#*:}" || fail "${pair%:*} is not what the comparison wrote"
done
expect 0 export r.json --format table --show failing --top 2
cmp stdout r.txt || fail "the table is not what the comparison printed"
expect 0 export r.json --format table --show failing --top 2 --out table.txt
cmp table.txt r.txt || fail "the table in a file is another one"
expect 0 export r.json --format table --show summary --out table.txt

# Files are replaced by their own kind alone, and checked before the report is read.
cp table.txt kept.txt
refused 2 "--out kept.txt exists and is no JUnit XML" export nowhere.json --format junit --out kept.txt
cmp kept.txt table.txt || fail "the file was touched"
refused 2 "would overwrite the report" export r.json --format json --out ./r.json
refused 2 "there is no folder" export r.json --format json --out nowhere/r.json
refused 2 "--top belongs to the table" export r.json --format junit --top 3
refused 2 "--show belongs to the table" export r.json --format json --show all
refused 2 "--format is required" export r.json
refused 2 "--format" export r.json --format pdf
expect 0 export --help
has stdout "parity export report.json"

# What is no report, by name and, where there is one, by key.
broken() {
  refused 2 "$1" export bad.json --format json --out left.json
  refused 2 "$1" judge bad.json --json left.json
  no_file left.json
}
change() { python3 - "$1" <<'PY'; }
import json, sys
report = json.load(open("r.json"))
exec(sys.argv[1])
json.dump(report, open("bad.json", "w"))
PY
head -c 100000 r.json >bad.json;        broken "bad.json ends in the middle of its JSON"
: >bad.json;                            broken "bad.json is empty"
cp r.xml bad.json;                      broken "bad.json is no JSON from byte 1 on"
cp "$goldens/fixture-tf32.h5" bad.json; broken "bad.json is no JSON from byte 1 on"
rm bad.json
expect 0 inspect "$goldens/fixture-tf32.h5" --json bad.json
broken "bad.json: schema is not parity-report/1"
echo '{"schema": "parity-report/2"}' >bad.json; broken "bad.json: schema is not parity-report/1"
change 'report["cases"][0]["taps"][3].pop("bounds_dtype")'
broken "bad.json: cases[0].taps[3].bounds_dtype is missing, as in a report of an older parity"
change 'report["cases"][1]["taps"][2]["ulp"]["max"] = "many"'
broken "bad.json: cases[1].taps[2].ulp.max is no whole number"
change 'report["cases"][0]["taps"][3]["verdict"] = "untrusted"'
broken "bad.json: totals.verdicts are not those of the taps"
# A report that contradicts itself: by case, tap and both figures, whoever reads it.
contradicts() {
  change "$1"
  broken "bad.json contradicts itself: case '$2"
  refused 2 "bad.json contradicts itself: case '$2" history add bad.json --db nights.sqlite
  no_file nights.sqlite
}
last='report["cases"][0]["taps"][-1]'
contradicts "$last"'["nrmse"] *= 1000' "prose': <output>: nrmse"
contradicts "$last"'["exact_share"] = 7' "prose': <output>: exact_share 7 is outside of 0 to 1"
contradicts 'report["cases"][0]["logits"] = None' "prose': <output>: role logits does not go with"
sed 's/"exit_code":/"exit_code":0,"exit_code":/' r.json >bad.json
broken "bad.json has the key 'exit_code' twice"

# Neither waited for nor read into memory.
mkfifo pipe.json
for file in /dev/zero pipe.json; do
  for command in "export $file --format table" "judge $file" "history add $file --db nights.sqlite" \
    "judge r.json --policy $file" "policy show --policy $file"; do
    last_command="parity $command"
    # shellcheck disable=SC2086  # words of a command
    printf x | timeout 60 "$PARITY" $command >stdout 2>stderr
    got=${PIPESTATUS[1]}
    [ "$got" = 2 ] || fail "exit code $got"
    one_line stderr
    has stderr "$file cannot be read: it is a"
  done
done
no_file nights.sqlite

change 'report["later"] = report["cases"][0]["later"] = {"key": 1}'
expect 0 export bad.json --format json --out left.json
cmp left.json r.json || fail "a key that is not known is kept"
rm left.json
truncate -s 3G bad.json
broken "bad.json is larger than 2 GiB"
rm bad.json
refused 2 "bad.json cannot be read" export bad.json --format table
refused 2 ". cannot be read" export . --format table
refused 2 "a file is needed, not standard input" export - --format json
exit 0
