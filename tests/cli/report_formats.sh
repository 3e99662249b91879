# JUnit, Markdown, HTML, OpenMetrics and JSON of one run, any number at once; annotations in a job of GitHub's.
source "$(dirname "$0")/expect.sh"

expect 0 record --model "$model" --inputs prose="$prose" code="$code" --device cpu --dtype bfloat16 --out golden.h5
expect 0 record --model "$model" --inputs prose="$prose" code="$code" --device cpu --dtype float16 --out other.h5
files=(--json r.json --junit r.xml --markdown r.md --html r.html --openmetrics r.om)

# All of them, beside the table, with one verdict.
expect 1 compare golden.h5 other.h5 "${files[@]}"
has stdout "verdict FAIL"
lacks stdout "::error"
has r.md "## parity: FAIL"
has r.md "**First divergence:**"
has r.om "parity_gate_passed 0"
has r.html '<span class="badge bad">FAIL</span>'
[ "$(tail -n 1 r.om)" = "# EOF" ] || fail "r.om has no end"
python3 - <<'PY' || fail "the formats disagree"
import json
import xml.etree.ElementTree as ElementTree
report = json.load(open("r.json"))
suites = ElementTree.parse("r.xml").getroot()
assert [suite.attrib["name"] for suite in suites] == [case["name"] for case in report["cases"]]
for suite, case in zip(suites, report["cases"]):
    taps = [tap["tap"] for tap in case["taps"]]
    assert [test.attrib["name"] for test in suite.iter("testcase")][:len(taps)] == taps
red = len(suites.findall("*/testcase/failure")) + len(suites.findall("*/testcase/error"))
logits = [case["logits"] for case in report["cases"] if case["logits"]]
assert red == report["totals"]["failed"] + sum(entry["verdict"] != "within" for entry in logits), red
PY
# The same places again, and the other verdict.
expect 0 compare golden.h5 golden.h5 "${files[@]}"
has r.md "## parity: PASS"
has r.xml 'failures="0" errors="0"'
has r.om "parity_gate_passed 1"
has r.html '<span class="badge good">PASS</span>'
expect 0 selfcheck --model "$model" --device cpu --inputs prose="$prose" --layers 'model.layers.0.**' "${files[@]}"
has r.xml '<testsuite name="prose, run 2"'
has r.om 'parity_case_passed{case="prose, run 2"} 1'
has r.md '`prose, without taps`'
has r.html 'href="#prose%2C%20without%20taps/"'

# "-" is standard output, with nothing else on it, for one of them.
for flag in --junit --markdown --html --openmetrics; do
  expect 0 compare golden.h5 golden.h5 $flag - --json r.json
  lacks stdout "verdict PASS"
done
has stdout "parity_gate_passed 1"
refused 2 "--json - and --junit - cannot both have standard output" compare golden.h5 golden.h5 --json - --junit -

# What stands there is replaced by its own kind alone, and nothing by two reports or what is read.
echo "my notes" >notes.txt
cp notes.txt notes.before
printf '# My notes\n\nparity_ is mine\n' >notes.md
printf '<!doctype html>\n<html></html>\n' >page.xml
refused 2 "--junit notes.txt exists and is no JUnit XML" compare golden.h5 golden.h5 --junit notes.txt
refused 2 "--junit page.xml exists and is no JUnit XML" compare golden.h5 golden.h5 --junit page.xml
refused 2 "--junit r.json exists and is no JUnit XML" compare golden.h5 golden.h5 --junit r.json
refused 2 "--markdown notes.md exists and is no Markdown report" compare golden.h5 golden.h5 --markdown notes.md
refused 2 "--html page.xml exists and is no HTML report of parity" compare golden.h5 golden.h5 --html page.xml
refused 2 "--openmetrics notes.txt exists and is no OpenMetrics" compare golden.h5 golden.h5 --openmetrics notes.txt
refused 2 "--json r.xml exists and is no JSON" compare golden.h5 golden.h5 --json r.xml
refused 2 "--openmetrics ./new would overwrite --junit" compare golden.h5 golden.h5 --junit new --openmetrics ./new
refused 2 "--markdown golden.h5 would overwrite the golden" compare golden.h5 golden.h5 --markdown golden.h5
refused 2 "--junit new would overwrite --save" compare golden.h5 --model "$model" --device cpu --save new --junit new
refused 2 "no folder nowhere" compare golden.h5 golden.h5 --markdown nowhere/r.md
refused 2 "--junit was given an empty text" compare golden.h5 golden.h5 --junit ''
cmp notes.txt notes.before || fail "the notes were overwritten"
no_file new
# A file made empty beforehand, as a job summary is.
: >summary.md
expect 0 compare golden.h5 golden.h5 --markdown summary.md
has summary.md "## parity: PASS"

# One that cannot be written takes neither the table nor the others with it.
rm r.json r.om
expect 3 compare golden.h5 golden.h5 --json r.json --junit /dev/full --openmetrics r.om
has stdout "verdict PASS"
one_line stderr
has stderr "/dev/full"
has r.json '"verdict":"pass"'
has r.om "# EOF"

# Annotations: behind the table, in a job of GitHub's, where standard output is not taken.
export GITHUB_ACTIONS=true
expect 1 compare golden.h5 other.h5 --show summary
[ "$(grep -c '^::error title=' stdout)" -eq 10 ] || fail "not ten annotations"
sed '/^verdict FAIL/,$d' stdout >before
lacks before "::error"
expect 0 compare golden.h5 golden.h5
lacks stdout "::error"
[ "$(grep '^::' stdout | cut -d: -f3 | cut -c1-40)" = "notice title=parity%3A self-comparison" ] ||
  fail "a comparison of a device with itself is taken for more"
expect 1 compare golden.h5 other.h5 --json -
lacks stdout "::error"
expect 1 compare golden.h5 other.h5 --quiet
empty stdout
GITHUB_ACTIONS=false expect 1 compare golden.h5 other.h5
lacks stdout "::error"
# What a file or a layer is called is no command: neither at the start of a line nor in the older form.
named=("::stop-commands::$(printf 'x%.0s' {1..60})" '##[error]x')
for name in "${named[@]}"; do cp golden.h5 "$name"; done
export COLUMNS=60
GITHUB_ACTIONS=false expect 0 compare "${named[@]}"
has stdout "##[error]x"
grep -q '^ *::stop-commands::x' stdout || fail "no line begins with what was typed"
expect 0 compare "${named[@]}"
has stdout ":stop-commands::x"
lacks stdout "##[error]x"
! grep -v '^::notice title=parity%3A self-comparison::' stdout | grep -q '^ *::' || fail "a line begins like a command"
exit 0
