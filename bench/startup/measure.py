#!/usr/bin/env python3
"""What starting costs: time, processors' time and peak memory of commands that read files alone, beside importing torch in
the same run.

    measure.py PARITY GOLDEN [--starts 20]      with a python3 that has torch

The commands take turns, so that whatever else the machine does meets all of them; medians with smallest and largest.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time


def started(command):
    """Milliseconds, those of processors, and MB of one start."""
    null = os.open(os.devnull, os.O_RDWR)
    streams = [(os.POSIX_SPAWN_DUP2, null, stream) for stream in (0, 1, 2)]
    start = time.perf_counter()
    pid = os.posix_spawnp(command[0], command, os.environ, file_actions=streams)
    _, status, usage = os.wait4(pid, 0)
    elapsed_ms = (time.perf_counter() - start) * 1e3
    os.close(null)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit("the command failed: " + subprocess.list2cmdline(command))
    return elapsed_ms, (usage.ru_utime + usage.ru_stime) * 1e3, usage.ru_maxrss * 1024 / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parity")
    parser.add_argument("golden")
    parser.add_argument("--starts", type=int, default=20)
    arguments = parser.parse_args()
    parity, golden = arguments.parity, arguments.golden
    commands = {
        "parity --help": [parity, "--help"],
        "parity inspect GOLDEN": [parity, "inspect", golden],
        "parity compare GOLDEN GOLDEN": [parity, "compare", golden, golden],
        'python3 -c "import torch"': [sys.executable, "-c", "import torch"],
    }
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
