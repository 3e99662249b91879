#!/usr/bin/env python3
"""How far the figures of a healthy backend move when its environment changes: where the limits of docs/history.md for new
environments come from. None of the inputs here is one of the 30 nights'.

Usage: new_environments.py EARLY_PARITY LATE_PARITY

Two programs, built with different LibTorch versions. Each environment is a program, a number of threads and an attention
kernel. For every pair of different ones and every dtype, what the second differs from a golden of the first (the case of
earlier nights that were identical: the floor alone decides) in unit roundoffs; and, against the committed golden of an H200, the
second's figures over the first's (the factor decides).
"""
import collections
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

PROJECT = pathlib.Path(__file__).resolve().parents[2]
DECODER = PROJECT / "fixtures/decoder"
INPUTS = ["tokens:1x7", "tokens:2x24", "tokens:1x64"]
ROUNDOFF = {"float32": 2.0**-24, "bfloat16": 2.0**-8, "float16": 2.0**-11}
TAP_FIGURES = ("nrmse", "introduced.nrmse")
LOGITS_FIGURES = ("kl.mean", "kl.max")


def figures(report):
    """By place and metric."""
    found = {}
    for case in json.loads(report.read_text(encoding="utf-8"))["cases"]:
        for tap in case["taps"]:
            place = case["name"], tap["tap"]
            found[place, "nrmse"] = tap["nrmse"]
            if tap["introduced"]:
                found[place, "introduced.nrmse"] = tap["introduced"]["nrmse"]
        for logits in [case["logits"]] if case["logits"] else []:
            place = case["name"], "logits"
            found[place, "kl.mean"], found[place, "kl.max"] = logits["kl"]["mean"], logits["kl"]["max"]
            found[place, "decided_flips"] = logits["decided_flips"]
    return {key: float(value) for key, value in found.items() if value is not None}


def run(program, arguments, allowed=(0,)):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode not in allowed:
        raise SystemExit(f"{arguments}: exit code {done.returncode}: {done.stderr}")


def quantiles(values):
    values = sorted(values)
    at = lambda share: values[min(len(values) - 1, int(share * len(values)))]
    return f"{len(values):7} {at(0.5):9.3g} {at(0.99):9.3g} {at(0.999):9.3g} {values[-1]:9.3g}"


def main():
    early, late = sys.argv[1:3]
    environments = {f"{name} {threads} {sdpa}": (program, ["--threads", threads, "--sdpa", sdpa])
                    for name, program in (("early", early), ("late", late))
                    for threads, sdpa in ((1, "default"), (2, "default"), (2, "math"))}
    source = ["--model", DECODER / "model.pt", "--config", DECODER / "config.json", "--device", "cpu"]
    differences, ratios = collections.defaultdict(list), collections.defaultdict(list)
    decided = 0
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for dtype in ROUNDOFF:
            found = {}
            for name, (program, settings) in environments.items():
                run(program, ["record", "-q", *source, *settings, "--dtype", dtype, "--inputs", *INPUTS, "--out", work / f"{name}.h5"])
            for one, other in itertools.permutations(environments, 2):
                program, settings = environments[other]
                run(program, ["compare", "-q", work / f"{one}.h5", *source, *settings, "--attribute", "--json", work / "r.json"], (0, 1))
                found[one, other] = figures(work / "r.json")
                for (_, metric), value in found[one, other].items():
                    if metric in TAP_FIGURES:
                        differences[metric, dtype].append(value / ROUNDOFF[dtype])
                    elif metric in LOGITS_FIGURES:
                        differences[metric, dtype].append(value)
                    else:
                        decided += value
            for name, (program, settings) in environments.items():
                run(program, ["compare", "-q", PROJECT / f"golden/fixture-{dtype}.h5", *source, *settings, "--attribute", "--json",
                              work / "r.json"], (0, 1))
                found["H200", name] = figures(work / "r.json")
            for before, after in itertools.permutations(environments, 2):
                for key, value in found["H200", after].items():
                    earlier = found["H200", before].get(key, 0)
                    if earlier > 0 and key[1] in TAP_FIGURES + LOGITS_FIGURES:
                        ratios[key[1], dtype].append(value / earlier)
            for name in environments:
                (work / f"{name}.h5").unlink()
    print(f"{len(environments)} environments, {len(INPUTS)} inputs; decided flips: {decided:.0f}")
    for title, table in (("against a golden of the environment before: unit roundoffs, nat", differences),
                         ("against the golden of an H200: over the figure before", ratios)):
        print(f"\n{title}\n{'metric':>18} {'dtype':>9} {'figures':>7} {'median':>9} {'p99':>9} {'p99.9':>9} {'max':>9}")
        for (metric, dtype), values in sorted(table.items()):
            print(f"{metric:>18} {dtype:>9} {quantiles(values)}")


if __name__ == "__main__":
    main()
