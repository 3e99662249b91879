#!/usr/bin/env python3
"""Prints the tables of bench/README.md: every number beside its limit, its goal and what others take.

    table.py [--compare-bench FILE] [--numpy-python FILE] [--whole replay loading memory --parity FILE]

Runs compare_bench (smallest processor time of the repetitions), NumPy's version of one comparison, and, where asked, the
scripts of whole commands, whose own README files have their details. Minutes; with --report and --whole-json what earlier
runs wrote is printed instead.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import rates
import whole_commands as whole

BENCH = pathlib.Path(__file__).resolve().parent
# dtype -> share of a plain read that its comparison is to reach; None: no goal.
GOALS = {"float32": 0.6, "bfloat16": 0.4, "float16": 0.4, "float64": None, "float8_e4m3fn": None, "float8_e4m3fnuz": None,
         "float8_e5m2": None, "float8_e5m2fnuz": None, "int64": None, "int32": None, "int16": None, "int8": None,
         "uint8": None, "bool": None}
EVERYDAY = "matmul_noise"  # of floats; integers have one off in every second element


def reached(ratio, goal, at_most=False):
    if goal is None:
        return "no goal"
    yes = ratio <= goal if at_most else ratio >= goal
    return f"{goal:g}: {'reached' if yes else 'not reached'}"


def row(number, limit, ours, ratio, goal, peer="", times=""):
    print(f"| {number} | {limit} | {ours} | {ratio} | {goal} | {peer} | {times} |")


def heading():
    print("| number | limit | ours | ratio | goal | peer | times faster |\n|---|---|--:|--:|---|---|--:|")


def kernel_rows(rate, numpy_rate):
    """One row a dtype: everyday data, with the range over all kinds of data that are measured."""
    plain = rate["plain_read"]
    for dtype, goal in GOALS.items():
        of_dtype = {name.split("/")[1]: value for name, value in rate.items() if re.fullmatch(f"{dtype}/\\w+", name)}
        data = EVERYDAY if EVERYDAY in of_dtype and dtype.startswith(("float", "bfloat")) else "one_ulp"
        ours, low, high = of_dtype[data], min(of_dtype.values()), max(of_dtype.values())
        row(f"compare {dtype}, {data}", f"plain read, {plain / 1e9:.1f} GB/s", f"{ours / 1e9:.2f} GB/s",
            f"{ours / plain:.2f} ({low / plain:.2f} to {high / plain:.2f})", reached(ours / plain, goal))
    for dtype in ("float32", "bfloat16"):
        share = rate[f"{dtype}/{EVERYDAY}/2_threads"] / rate[f"{dtype}/{EVERYDAY}"] / 2
        row(f"compare {dtype}, 2 threads", "twice one thread", f"{rate[f'{dtype}/{EVERYDAY}/2_threads'] / 1e9:.1f} GB/s",
            f"{share:.2f}", reached(share, 0.85) + " (processor time)")
    if numpy_rate:
        ours = rate["float32/one_ulp"]
        row("compare float32, one_ulp", "", f"{ours / 1e9:.2f} GB/s", "", reached(ours / numpy_rate, 100),
            f"NumPy, {numpy_rate / 1e9:.4f} GB/s", f"{ours / numpy_rate:.0f}")


def other_rows(rate):
    kernel = rate[f"float32/{EVERYDAY}"]
    for name in (name for name in rate if name.startswith("logits/")):
        row(name.replace("/", " "), f"compare float32, {kernel / 1e9:.2f} GB/s", f"{rate[name] / 1e9:.2f} GB/s",
            f"{rate[name] / kernel:.2f}", reached(rate[name] / kernel, 0.5))
    for where in ("cache", "memory"):
        ours = rate[f"digest/{where}"]
        row(f"digest, from {where}", f"plain read, {rate['plain_read'] / 1e9:.1f} GB/s", f"{ours / 1e9:.1f} GB/s",
            f"{ours / rate['plain_read']:.2f}", reached(ours / 1e9, 10) + " (GB/s)")


def replay_rows(figures):
    ratio = sorted(figure["replay / longest kind"] for figure in figures)[len(figures) // 2]
    row("replay", "its longest kind of work", "", f"{ratio:.2f}", reached(ratio, 1.25, at_most=True))


def loading_rows(figures):
    least = {(figure["file"], figure["what"]): (min(figure["seconds"]), figure["bytes"])
             for figure in sorted(figures, key=lambda figure: figure["bytes"])}  # the largest file stays
    for file, peer in (("model.pt", "torch_read"), ("model.safetensors", "safetensors"), ("program.pt2", "export")):
        ours = max(least[file, "parity"][0] - least[file, "start"][0], 1e-3)
        plain = least[file, "plain read"][0]
        size = least[file, "parity"][1]
        row(f"loading {size / 1e9:.1f} GB of {file}, less the start", f"plain read, {size / plain / 1e9:.1f} GB/s",
            f"{size / ours / 1e9:.1f} GB/s", f"{plain / ours:.2f}", "no goal", f"{peer}, {least[file, peer][0]:.2f} s",
            f"{least[file, peer][0] / ours:.1f}")


def memory_rows(figures):
    for command in dict.fromkeys(figure["command"] for figure in figures):
        rest = max((min(figure["peak_bytes"]) - min(figure["without_taps_bytes"])) / figure["bound_bytes"]
                   for figure in figures if figure["command"] == command)
        row(f"peak memory of `{command}`, worst growth", "its bound", "", f"{rest:.2f}", reached(rest, 1, at_most=True))


WHOLE = {"replay": replay_rows, "loading": loading_rows, "memory": memory_rows}


def whole_figures(name, arguments):
    """What bench/NAME/measure.py writes with --json."""
    with tempfile.NamedTemporaryFile("r", suffix=".json") as out:
        subprocess.run([sys.executable, BENCH / name / "measure.py", "--parity", arguments.parity, "--json", out.name],
                       check=True, stdout=subprocess.DEVNULL)
        return json.load(out)


def numpy_rate(python):
    """Bytes per second of processor time, of the fastest repetition; 0 where this Python has no NumPy."""
    run = subprocess.run([python, BENCH / "compare" / "numpy_peer.py"], capture_output=True, text=True)
    found = re.findall(r"([\d.]+) GB/s processor", run.stdout)
    if not found:
        print(f"SKIPPED: NumPy, {run.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
    return max(map(float, found), default=0.0) * 1e9


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compare-bench", default=rates.COMPARE_BENCH, metavar="FILE")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--json", metavar="FILE", help="keep what compare_bench writes")
    parser.add_argument("--report", metavar="FILE", help="what --json kept, instead of a run")
    parser.add_argument("--numpy-python", default=sys.executable, metavar="FILE")
    parser.add_argument("--whole", nargs="+", choices=WHOLE, default=[], help="whole commands, too; python3 needs torch")
    parser.add_argument("--whole-json", nargs="+", metavar="NAME=FILE", default=[], help="what their --json wrote, instead")
    parser.add_argument("--parity", default=str(BENCH.parent / "build" / "release" / "bin" / "parity"))
    arguments = parser.parse_args()
    before = whole.machine()
    if arguments.report:
        report = json.loads(pathlib.Path(arguments.report).read_text(encoding="utf-8"))
    else:
        report = rates.run(arguments.compare_bench, None, arguments.repetitions, least_seconds=0.05)
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(report, indent=1), encoding="utf-8")
    rate = rates.rates(report)
    peer = numpy_rate(arguments.numpy_python)
    print(f"{before} before, {whole.machine().rsplit(', ', 1)[1]} after; compare_bench of {report['context']['date']}, "
          f"load {report['context']['load_avg'][0]:.1f}\n")
    heading()
    kernel_rows(rate, peer)
    other_rows(rate)
    written = dict(pair.split("=", 1) for pair in arguments.whole_json)
    for name, rows in WHOLE.items():
        if name in written:
            rows(json.loads(pathlib.Path(written[name]).read_text(encoding="utf-8"))["figures"])
        elif name in arguments.whole:
            rows(whole_figures(name, arguments)["figures"])


if __name__ == "__main__":
    main()
