# A file is replaced by one of its own kind alone, whatever command wrote it; any other stays as it was, before any work.
source "$(dirname "$0")/expect.sh"

run=(--model "$FIXTURES/decoder/model.pt" --config "$FIXTURES/decoder/config.json" --device cpu)
expect 0 record "${run[@]}" --inputs prose="$prose" --threads 1 --out golden.h5
expect 0 record "${run[@]}" --inputs prose="$prose" --threads 1 --truth float64 --out again.h5

# One file of each kind, each made by the command of its name: KIND and the flag that writes it.
expect 0 compare golden.h5 golden.h5 --json report --junit junit --markdown markdown --html html --openmetrics metrics
expect 0 export report --format table --out table
expect 0 inspect golden.h5 --json inspection
expect 0 selftest golden.h5 --layers lm_head --json selftest
expect 0 history add report --db history.sqlite
expect 0 history show --db history.sqlite --json history
expect 0 history export --db history.sqlite --openmetrics history_metrics
expect 0 bless golden.h5 again.h5 --json blessing --markdown review
expect 0 calibrate golden.h5 again.h5 --out policy --json calibration
kinds=(report junit markdown html metrics table inspection selftest history history_metrics blessing review policy calibration)
echo '{"id": 7, "schema": "parity-report/1"}' >other_json
echo '{"schema": "parity-report/2"}' >later_json
printf '<?xml version="1.0"?>\n<testsuites tests="1">\n<testsuite name="pytest"/>\n</testsuites>\n' >other_junit
printf '# HELP node_load1 1m load average.\n# TYPE node_load1 gauge\nnode_load1 0.1\n# parity_gate_passed\n' >other_metrics
printf 'parity is what this note is about\n' >other_table
others=(other_json later_json other_junit other_metrics other_table golden.h5 history.sqlite)
mkdir kept
cp "${kinds[@]}" "${others[@]}" kept

# replaces KIND OTHERS ARGUMENT...: the command, with the file's name behind its last flag, replaces one of KIND and none
# of OTHERS (A,B).
replaces() {
  local kind=$1 refused_kinds=${2//,/ } file
  shift 2
  for file in $refused_kinds; do
    cp kept/"$file" target
    refused 2 "target exists and is no " "$@" target
    has stderr "so it is not overwritten; name another file or remove this one first"
    cmp target kept/"$file" || fail "$file was touched"
  done
  cp kept/"$kind" target
  expect 0 "$@" target
}

replaces report inspection,selftest,history,blessing,calibration,other_json,later_json,golden.h5 compare golden.h5 golden.h5 --json
replaces report blessing,history judge report --json
replaces report selftest selfcheck "${run[@]}" --inputs t=tokens:2x4 --json
replaces report calibration export report --format json --out
replaces inspection report,blessing inspect golden.h5 --json
replaces selftest report,inspection selftest golden.h5 --layers lm_head --json
replaces history report,selftest,history.sqlite history show --db history.sqlite --json
replaces blessing report,calibration bless golden.h5 again.h5 --json
replaces calibration report,policy,other_json calibrate golden.h5 again.h5 --out new.toml --json
replaces junit report,html,other_junit judge report --junit
replaces markdown review,table,other_table judge report --markdown
replaces review markdown,other_table bless golden.h5 again.h5 --markdown
replaces html junit,report export report --format html --out
replaces metrics history_metrics,other_metrics,policy judge report --openmetrics
replaces history_metrics metrics,other_metrics history export --db history.sqlite --openmetrics
replaces table markdown,other_table export report --format table --out
replaces policy metrics,other_table,golden.h5 calibrate golden.h5 again.h5 --out

# Nothing in it, nothing lost.
: >target
expect 0 inspect golden.h5 --json target

# Printed anew by another program, it is the same report.
python3 -m json.tool report target
expect 0 judge report --json target
exit 0
