# What a run was made with goes into the golden, and a comparison leads with what differs: variables, probes, libraries.
source "$(dirname "$0")/expect.sh"
unset OMP_NUM_THREADS MKL_NUM_THREADS

record() { expect 0 record --model "$model" --inputs prose="$prose" --device cpu "$@"; }

# The probes, the libraries and the variables are there, and the same again.
record --out golden.h5
expect 0 inspect golden.h5 --json golden.json
python3 - golden.json <<'PY' || fail "the golden's provenance is another than expected"
import json, re, sys
facts = json.load(open(sys.argv[1]))["provenance"]
for dtype in ("float64", "float32", "bfloat16", "float16"):
    assert facts[f"probe.integers.{dtype}"] == "exact", facts
assert facts["probe.operands.ieee"] == "23 bits, no bias", facts
assert facts["probe.accumulation.float32"].startswith("order "), facts
assert facts["probe.repeat"] == "same bits", facts
assert re.fullmatch("[0-9a-f]{32}", facts["probe.digest"]), facts
assert re.match(r"(build-id|xxh3) [0-9a-f]{16}, \d+ bytes, libtorch_cpu\.so", facts["library.file.libtorch_cpu"]), facts
assert "library.file.libc10" in facts and facts["library.files"].endswith("libraries"), facts
assert facts["variable.set"] == "none", facts
PY
expect 0 compare golden.h5 --model "$model" --device cpu
lacks stdout "environment differences"
has stdout "SELF-COMPARISON: same device on both sides, and the same host"

# Without probes: one line says so, and everything is compared.
record --no-probes --out without.h5
expect 0 compare without.h5 golden.h5
grep -qE "probe.digest +\(absent\) -> [0-9a-f]" stdout || fail "it does not say that one side has no probes"
lacks stdout "probe.fma"
has stdout "identical"
expect 0 compare golden.h5 --model "$model" --device cpu --no-probes
grep -qE "probe.digest +[0-9a-f]+ -> \(absent\)" stdout || fail "it does not say that one side has no probes"
expect 0 compare without.h5 --model "$model" --device cpu --no-probes
lacks stdout "environment differences"
refused 2 "--no-probes belongs to a replay" compare golden.h5 without.h5 --no-probes

# A variable that changes numbers leads, in every format; what it does shows in the probes where the processor can.
ATEN_CPU_CAPABILITY=default OMP_NUM_THREADS=1 record --out other.h5
expect 0 compare golden.h5 other.h5 --json r.json --junit r.xml --markdown r.md --html r.html
grep -A1 "environment differences" stdout | grep -qE "^! variable\.|^! switch\." || fail "no variable leads"
has stdout "variable.ATEN_CPU_CAPABILITY"
lacks stdout "variable.set"
has r.md "variable.ATEN_CPU_CAPABILITY"
has r.html "variable.ATEN_CPU_CAPABILITY"
has r.xml "environment_diff.variable.ATEN_CPU_CAPABILITY"
python3 - r.json <<'PY' || fail "the report's environments are others than expected"
import json, sys
report = json.load(open(sys.argv[1]))
differences = {one["key"]: (one["reference"], one["candidate"]) for one in report["environment_diff"]}
assert differences["variable.ATEN_CPU_CAPABILITY"] == ("", "default"), differences
assert differences["device.arch"][1] in ("DEFAULT", "NO AVX"), differences
assert "probe.digest" not in differences and "library.files" not in differences, differences
facts = [report[side]["provenance"] for side in ("reference", "candidate")]
for key in facts[0]:
    if key.startswith("probe.") and key != "probe.digest":
        assert (key in differences) == (facts[0][key] != facts[1][key]), key
PY

# The doctor shows each probe, what it means and what it is known for.
expect 0 doctor --device cpu --probe --json found.json
has stdout "cpu: integers.float32: exact"
has stdout "Known for:"
has stdout "cpu: fingerprint "
python3 - found.json golden.json <<'PY' || fail "the doctor's probes are others than the golden's"
import json, sys
found, golden = (json.load(open(name)) for name in sys.argv[1:])
probes = {key[4:]: value for key, value in found["facts"].items() if key.startswith("cpu.probe.")}
assert probes and probes == {key: value for key, value in golden["provenance"].items() if key.startswith("probe.")}, probes
assert any(one["check"] == "probes" for one in found["findings"])
PY
expect 0 doctor --device cpu
lacks stdout "fingerprint"
exit 0
