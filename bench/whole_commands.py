"""What the benches of whole commands share: a child's time and peak memory, a decoder and goldens to give it, the table's cells.

Knows neither torch nor numpy.
"""

import argparse
import contextlib
import ctypes
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import typing

BENCH = pathlib.Path(__file__).resolve().parent
GIB = 1 << 30
MIB = 1 << 20


class Run(typing.NamedTuple):
    wall_s: float
    processor_s: float
    peak_bytes: int
    output: str


# Linux counts what the caller of exec holds as the new program's peak: 16 MB where Python calls it, whatever the program. So a
# shell's child of 1 MB does, once it reads a line, by when its parent is gone and this process inherits it.
STARTER = 'output=$1; shift; exec 3<&0; (read -r _ && exec "$@" </dev/null >"$output" 3<&-) <&3 & echo $!'
PR_SET_CHILD_SUBREAPER = 36


def run(command, accepted=(0,), cores=None):
    """One start of `command`, on the first `cores` of this process's processors where given; leaves where it fails."""
    own = os.sched_getaffinity(0)
    command = [str(word) for word in command]
    if ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        sys.exit("prctl refuses to let this process inherit children")
    with tempfile.NamedTemporaryFile("r") as output:
        try:
            if cores is not None:
                os.sched_setaffinity(0, sorted(own)[:cores])
            shell = subprocess.Popen(["sh", "-c", STARTER, "sh", output.name, *command], stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, text=True)
        finally:
            os.sched_setaffinity(0, own)
        with shell:
            pid = int(shell.stdout.readline())
            shell.wait()
            start = time.perf_counter()
            print(file=shell.stdin, flush=True)
            _, status, usage = os.wait4(pid, 0)
            wall_s = time.perf_counter() - start
        if os.waitstatus_to_exitcode(status) not in accepted:
            sys.exit(f"exit code {os.waitstatus_to_exitcode(status)} of: " + subprocess.list2cmdline(command))
        return Run(wall_s, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, output.read())


def made_decoder(folder, dtype="float32", **shape):
    """The flags that name a decoder of random weights, made where it is not there yet. Needs a python3 with torch."""
    folder = pathlib.Path(folder)
    if not (folder / "config.json").exists():
        words = [word for name, value in shape.items() for word in ("--" + name.replace("_", "-"), value)]
        run([sys.executable, BENCH / "record" / "make_decoder.py", folder, "--dtype", dtype, *words])
    return ["--model", folder / "model.pt", "--config", folder / "config.json"]


def made_golden(parity, path, model, inputs, *flags):
    """A golden of that model on the CPU, recorded where it is not there yet."""
    if not pathlib.Path(path).exists():
        run([parity, "record", *model, "--inputs", *inputs, "--device", "cpu", "--no-probes", "-q", "--out", path, *flags])
    return pathlib.Path(path)


def read_plainly(paths):
    """Seconds in which one thread copies whole files through one buffer of 1 MiB; leaves them in the page cache."""
    buffer = bytearray(MIB)
    start = time.perf_counter()
    for path in paths:
        descriptor = os.open(path, os.O_RDONLY)
        while os.readv(descriptor, [buffer]) > 0:
            pass
        os.close(descriptor)
    return time.perf_counter() - start


def forget(paths):
    """Drops files from the page cache, so that the next reader meets the disk."""
    for path in paths:
        descriptor = os.open(path, os.O_RDONLY)
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)


def spans(trace):
    """{(lane, span): [seconds, bytes, count]} of a file that --trace wrote."""
    with open(trace, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    lanes = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
    sums = {}
    for event in events:
        if event["ph"] == "X":
            total = sums.setdefault((lanes[event["tid"]], event["name"]), [0.0, 0, 0])
            total[0] += event["dur"] / 1e6
            total[1] += event.get("args", {}).get("bytes", 0)
            total[2] += 1
    return sums


def cell(values, form="{:.2f}"):
    """`median (smallest to largest)`."""
    values = list(values)
    if len(values) == 1:
        return form.format(values[0])
    return f"{form.format(statistics.median(values))} ({form.format(min(values))} to {form.format(max(values))})"


def machine():
    """One line on what this runs on, with the load now."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    with open("/proc/meminfo", encoding="utf-8") as file:
        memory_kib = int(file.readline().split()[1])
    return (f"{names[0] if names else os.uname().machine}, {len(os.sched_getaffinity(0))} cores, "
            f"{memory_kib / MIB:.0f} GiB, load {os.getloadavg()[0]:.1f}")


def parser(description):
    """The arguments that every one of these benches takes."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--parity", default=str(BENCH.parent / "build" / "release" / "bin" / "parity"))
    made.add_argument("--repetitions", type=int, default=5)
    made.add_argument("--json", metavar="FILE", help="write every single figure")
    made.add_argument("--folder", help="where models and goldens are made, kept and found again (default: a temporary one)")
    return made


def folder_of(arguments):
    """A context of that folder."""
    if arguments.folder is None:
        return tempfile.TemporaryDirectory()
    os.makedirs(arguments.folder, exist_ok=True)
    return contextlib.nullcontext(arguments.folder)


def write_json(arguments, figures):
    if arguments.json is not None:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"machine": machine(), "figures": figures}, file, indent=1)
