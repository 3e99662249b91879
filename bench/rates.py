"""How compare_bench is run and what its JSON says: the rate of each benchmark by its smallest processor time.

Shared by check_ratios.py and table.py. Processor time, since whoever else works on the machine does not count in it; of a
benchmark with several threads it is that of the thread that calls, so that its rate is what two free cores would show.
"""

import json
import pathlib
import re
import subprocess
import tempfile

COMPARE_BENCH = pathlib.Path(__file__).resolve().parent.parent / "build" / "bin" / "compare_bench"


def run(program, names, repetitions, least_seconds):
    """The JSON that Google Benchmark writes; `names` are all there are where it is None."""
    with tempfile.NamedTemporaryFile("r", suffix=".json") as out:
        command = [str(program), f"--benchmark_repetitions={repetitions}", f"--benchmark_min_time={least_seconds}",
                   f"--benchmark_out={out.name}", "--benchmark_out_format=json"]
        if names is not None:
            command.append("--benchmark_filter=^(" + "|".join(re.escape(name) for name in names) + ")/real_time$")
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return json.load(out)


def rates(report):
    """{benchmark: bytes per second of processor time}, of its fastest repetition."""
    fastest = {}
    for row in report["benchmarks"]:
        if row.get("run_type") == "iteration" and "bytes_per_second" in row:
            name = row["name"].removesuffix("/real_time")
            rate = row["bytes_per_second"] * row["real_time"] / row["cpu_time"]
            fastest[name] = max(rate, fastest.get(name, 0.0))
    return fastest
