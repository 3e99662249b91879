# --trace: a timeline in the format that trace viewers read, of recordings and comparisons, also of those that fail.
source "$(dirname "$0")/expect.sh"

# facts FILE EXPRESSION...: each must hold for the timeline `t`, `spans` by name and `lanes` by number.
facts() {
  python3 - "$@" <<'PY' || fail "the timeline $1 is not as it should be"
import collections, json, sys
t = json.load(open(sys.argv[1]))
assert t["schema"] == "parity-timeline/1" and t["displayTimeUnit"] == "ms"
spans, lanes = collections.defaultdict(list), {}
for event in t["traceEvents"]:
    assert event["pid"] == 1
    if event["ph"] == "M":
        assert event["name"] == "thread_name"
        lanes[event["tid"]] = event["args"]["name"]
    else:
        assert event["ph"] == "X" and event["ts"] >= 0 and event["dur"] >= 0, event
        spans[event["name"]].append(event)
assert {e["tid"] for events in spans.values() for e in events} <= set(lanes), lanes
def on(name): return {lanes[e["tid"]] for e in spans[name]}
for expression in sys.argv[2:]:
    assert eval(expression), (expression, {k: len(v) for k, v in spans.items()}, lanes)
PY
}

expect 0 record --model "$model" --inputs a="$prose" b=tokens:1x5:100 --device cpu --out golden.h5 --trace record.json
taps=$(sed -n 's/.*: \([0-9]*\) taps.*/\1/p' stdout)
facts record.json "len(spans['write']) == $taps" "len(spans['load the model']) == 1" "len(spans['forward']) == 4" \
  "on('forward') == {'model'}" "on('write') == {'consumer'}" "all(l.startswith('digest') for l in on('digest'))" \
  "len(spans['seal and sync']) == 1" "sum(e['args'].get('bytes', 0) for e in spans['write']) > 100000" \
  "0 < t['otherData']['busy_s of model'] <= t['otherData']['wall_s']" \
  "any(e['args'].get('of') == 'model.norm' for e in spans['consume'])"
expect 0 compare golden.h5 --model "$model" --device cpu --trace replay.json --json report.json
facts replay.json "len(spans['compare']) == $taps" "len(spans['read']) == $taps" "on('compare') == {'consumer'}"
[ -s report.json ] || fail "no report"
expect 0 compare golden.h5 golden.h5 --trace offline.json
facts offline.json "len(spans['read the candidate']) == $taps" "len(spans['compare']) == $taps" "set(lanes.values()) == {'model'}"

# A run that fails leaves its timeline, and one that is refused before it begins none.
expect 2 compare golden.h5 --model "$prose" --device cpu --trace failed.json
facts failed.json "len(spans['load the model']) == 1"
refused 2 "--trace" record --model "$model" --inputs a="$prose" --device cpu --out golden.h5 --trace golden.h5
refused 2 "--trace" compare golden.h5 golden.h5 --trace golden.h5
refused 2 "--trace" compare golden.h5 golden.h5 --json same.json --trace same.json
refused 2 "no folder" compare golden.h5 golden.h5 --trace nowhere/trace.json
printf '{"schema": "parity-report/1"}' >other.json
refused 2 "--trace" compare golden.h5 golden.h5 --trace other.json
expect 0 compare golden.h5 golden.h5 --trace record.json
exit 0
