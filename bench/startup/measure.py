#!/usr/bin/env python3
"""What starting costs: time, processors' time and peak memory of commands that read files alone, beside importing torch in
the same run.

    measure.py PARITY GOLDEN [--starts 20]      with a python3 that has torch

The commands take turns, so that whatever else the machine does meets all of them; medians with smallest and largest.
"""

import argparse
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import whole_commands as whole  # noqa: E402


def started(command):
    """Milliseconds, those of processors, and MB of one start."""
    run = whole.run(command)
    return run.wall_s * 1e3, run.processor_s * 1e3, run.peak_bytes / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parity")
    parser.add_argument("golden")
    parser.add_argument("--starts", type=int, default=20)
    arguments = parser.parse_args()
    parity, golden = arguments.parity, arguments.golden
    commands = {
        "true": ["true"],
        "parity --help": [parity, "--help"],
        "parity inspect GOLDEN": [parity, "inspect", golden],
        "parity compare GOLDEN GOLDEN": [parity, "compare", golden, golden],
        'python3 -c "import torch"': [sys.executable, "-c", "import torch"],
    }
    print(whole.machine() + "\n")
    for command in commands.values():
        started(command)  # what is read from the disk the first time
    measured = {name: [] for name in commands}
    for _ in range(arguments.starts):
        for name, command in commands.items():
            measured[name].append(started(command))
    print("| command | ms | ms of processors | peak MB |\n|---|--:|--:|--:|")
    for name, starts in measured.items():
        times, processor, peaks = zip(*starts)
        print(f"| `{name}` | {statistics.median(times):.0f} ({min(times):.0f} to {max(times):.0f}) "
              f"| {statistics.median(processor):.0f} | {statistics.median(peaks):.0f} |")


if __name__ == "__main__":
    main()
