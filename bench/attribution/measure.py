#!/usr/bin/env python3
"""What the forced pass costs beside the free-running one: medians over repetitions of one comparison.

    measure.py PARITY GOLDEN MODEL [--config FILE] [--device cpu] [--repetitions 5]

Both passes are in every comparison with --attribute, and its report has their times: forward, capture, reading the golden
and comparing every tap. The plain comparison is repeated in turn, for its peak memory.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile


def compare(arguments, attribute, folder):
    report = os.path.join(folder, "report.json")
    command = [arguments.parity, "compare", arguments.golden, "--model", arguments.model, "--device", arguments.device]
    command += ["--config", arguments.config] if arguments.config else []
    command += ["--attribute"] if attribute else []
    pid = os.spawnvp(os.P_NOWAIT, command[0], command + ["--quiet", "--json", report])
    _, status, usage = os.wait4(pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit("the comparison failed: " + subprocess.list2cmdline(command))
    with open(report, encoding="utf-8") as file:
        return json.load(file), usage.ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parity")
    parser.add_argument("golden")
    parser.add_argument("model")
    parser.add_argument("--config")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--repetitions", type=int, default=5)
    arguments = parser.parse_args()
    free, forced, ratios, plain_peaks, peaks = [], [], [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(arguments.repetitions):
            plain_peaks.append(compare(arguments, False, folder)[1])
            report, peak = compare(arguments, True, folder)
            peaks.append(peak)
            free.append(report["timing"]["forward_s"])
            forced.append(report["timing"]["forced_s"])
            ratios.append(forced[-1] / free[-1])
    for name, values in (("free-running pass s", free), ("forced pass s", forced), ("forced / free", ratios)):
        print(f"{name:20} {statistics.median(values):8.3f}  ({min(values):.3f} to {max(values):.3f})")
    for name, values in (("peak plain MB", plain_peaks), ("peak attributed MB", peaks)):
        print(f"{name:20} {statistics.median(values) / 1e6:8.0f}")


if __name__ == "__main__":
    main()
