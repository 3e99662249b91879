#!/usr/bin/env python3
"""The regression check of speed: fails where a ratio of two benchmarks of one run lies below its floor in ratios.json.

    check_ratios.py [--compare-bench FILE]

Ratios, since a processor and what else it does change both sides of one. Each floor is about a third of what was measured,
so that only what got several times slower gets below it. A check that fails is repeated: up to three runs, of which each
ratio's best counts. --report reads what compare_bench wrote instead of running it. Exit code 1 where a ratio is too low, 2
where one cannot be worked out.
"""

import argparse
import json
import pathlib
import sys

import rates

FLOORS = pathlib.Path(__file__).resolve().parent / "ratios.json"
TRIES = 3


def ratios_of(report, floors):
    """{name: ratio} of one run. A ratio of several threads is of their share of the work, and needs as many processors."""
    rate = rates.rates(report)
    missing = sorted({name for row in floors for name in (row["benchmark"], row["over"])} - set(rate))
    if missing:
        print(f"check_ratios.py: compare_bench has no {', '.join(missing)}; ratios.json names them", file=sys.stderr)
        sys.exit(2)
    processors = report.get("context", {}).get("num_cpus", 1)
    return {row["name"]: rate[row["benchmark"]] / rate[row["over"]] / row.get("threads", 1)
            for row in floors if row.get("threads", 1) <= processors}


def shown(floors, best):
    """One line a ratio."""
    for row in floors:
        if row["name"] not in best:
            yield f"  SKIPPED                        {row['name']}: needs {row['threads']} processors"
        else:
            mark = "ok " if best[row["name"]] >= row["floor"] else "LOW"
            yield f"  {mark} {best[row['name']]:.2f}  floor {row['floor']:.2f}, measured {row['measured']:.2f}  {row['name']}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compare-bench", default=rates.COMPARE_BENCH, metavar="FILE")
    parser.add_argument("--floors", default=FLOORS, metavar="FILE", help="instead of ratios.json")
    parser.add_argument("--report", nargs="+", metavar="FILE", help="JSON of compare_bench, one file a try")
    arguments = parser.parse_args()
    floors = json.loads(pathlib.Path(arguments.floors).read_text(encoding="utf-8"))["ratios"]
    if not floors:
        sys.exit("check_ratios.py: there are no floors to hold anything against")
    names = sorted({name for row in floors for name in (row["benchmark"], row["over"])})
    best = {}
    for attempt in range(len(arguments.report) if arguments.report else TRIES):
        if arguments.report:
            report = json.loads(pathlib.Path(arguments.report[attempt]).read_text(encoding="utf-8"))
        else:
            report = rates.run(arguments.compare_bench, names, repetitions=3, least_seconds=0.03)
        for name, ratio in ratios_of(report, floors).items():
            best[name] = max(ratio, best.get(name, 0.0))
        low = [row["name"] for row in floors if row["name"] in best and not best[row["name"]] >= row["floor"]]
        if not low:
            break
    print("\n".join(shown(floors, best)))
    if low:
        print(f"too slow in {attempt + 1} runs: {'; '.join(low)}. What has changed since the ratio was measured? "
              "bench/README.md says how to measure again.")
        sys.exit(1)


if __name__ == "__main__":
    main()
