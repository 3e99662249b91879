#!/usr/bin/env python3
"""`parity compare A B` beside what other tools take for the same tensors, and beside plainly reading the two files.

    measure.py [--parity FILE] [--mebibytes 1024] [--dtypes float32 bfloat16] [--peers-python PYTHON]

Goldens are two recordings of one decoder with different attention kernels, so nearly every tap differs by rounding. The
page cache is warm. Commands take turns. `python3` needs torch; PYTHON needs torch, h5py and whichever peers are wanted
(`pip install polygraphy mindstudio-probe`); h5diff is in the package hdf5-tools. A peer that is missing or fails is said so.
"""

import json
import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import whole_commands as whole  # noqa: E402

PEERS = pathlib.Path(__file__).resolve().with_name("peers.py")
LAYER_VALUES = 9088  # of the taps of one token in one layer of the decoder below
SHAPE = {"hidden": 512, "intermediate": 1408, "heads": 8, "kv_heads": 2}


def goldens(arguments, folder, dtype):
    """Two goldens of about as many MiB each."""
    width = {"float32": 4, "bfloat16": 2}[dtype]
    tokens = 2048
    layers = max(1, round(arguments.mebibytes * whole.MIB / (LAYER_VALUES * tokens * width)))
    model = whole.made_decoder(f"{folder}/{dtype}-{layers}-{arguments.vocab}", dtype=dtype, layers=layers, vocab=arguments.vocab,
                               **SHAPE)
    return [
        whole.made_golden(arguments.parity, f"{folder}/{dtype}-{layers}-{arguments.vocab}-{kernel}.h5", model,
                          [f"a=tokens:{tokens // 512}x512"], "--sdpa", kernel)
        for kernel in ("math", "flash")
    ]


def commands(arguments, a, b, a_pt, b_pt):
    """{name: seconds of one run}."""
    cores = len(os.sched_getaffinity(0))

    def parity(count):
        return lambda: whole.run([arguments.parity, "compare", a, b, "--quiet"], accepted=(0, 1), cores=count).wall_s

    def peer(name, *paths, count=None):
        def measured():
            command = [arguments.peers_python, PEERS, name, *paths]
            return json.loads(whole.run(command, cores=count).output.splitlines()[-1])["seconds"]
        return measured

    found = {"parity compare A B, one core": parity(1), "plain read of A and B": lambda: whole.read_plainly([a, b])}
    if cores > 1:
        found[f"parity compare A B, {cores} cores"] = parity(cores)
    if shutil.which("h5diff"):
        found["h5diff -q -d 0.001 A B"] = (
            lambda: whole.run(["h5diff", "-q", "-d", "0.001", a, b], accepted=(0, 1), cores=1).wall_s)
    found["NumPy and h5py, the same figures, one core"] = peer("numpy", a, b, count=1)
    found["assert_close, in memory, one core"] = peer("assert_close", a, b, count=1)
    if cores > 1:
        found[f"assert_close, in memory, {cores} cores"] = peer("assert_close", a, b)
    found[f"assert_close, .pt files, {cores} cores"] = peer("assert_close_files", a_pt, b_pt)
    found["Polygraphy, in memory"] = peer("polygraphy", a, b)
    found["msProbe, in memory"] = peer("msprobe", a, b)
    return found


def measure(arguments, folder, dtype):
    a, b = goldens(arguments, folder, dtype)
    a_pt, b_pt = a.with_suffix(".pt"), b.with_suffix(".pt")
    if not b_pt.exists():
        whole.run([arguments.peers_python, PEERS, "files", a, b, a_pt, b_pt])
    both_bytes = a.stat().st_size + b.stat().st_size
    seconds = {}
    for repetition in range(arguments.repetitions):
        whole.read_plainly([a, b, a_pt, b_pt])
        for name, once in commands(arguments, a, b, a_pt, b_pt).items():
            quick = name.startswith(("parity", "plain", "h5diff"))
            if quick or repetition < arguments.peer_repetitions:
                try:
                    seconds.setdefault(name, []).append(once())
                except SystemExit as failure:
                    seconds[name] = str(failure)
    return both_bytes, seconds


def table(dtype, both_bytes, seconds):
    ours = min(seconds["parity compare A B, one core"])
    print(f"\n{dtype}, {both_bytes / 1e9:.2f} GB in both files; {whole.machine()}\n")
    print("| | seconds | GB/s of both sides, smallest time | times ours on one core |\n|---|--:|--:|--:|")
    for name, values in seconds.items():
        if isinstance(values, str):
            print(f"| {name} | {values} | | |")
        else:
            print(f"| {name} | {whole.cell(values)} | {both_bytes / min(values) / 1e9:.3g} | {min(values) / ours:.3g} |")


def main():
    parser = whole.parser(__doc__)
    parser.add_argument("--mebibytes", type=int, default=1024, help="of each golden, about")
    parser.add_argument("--dtypes", nargs="+", choices=("float32", "bfloat16"), default=["float32", "bfloat16"])
    parser.add_argument("--vocab", type=int, default=1024, help="logits a token: parity alone has figures of their own for these")
    parser.add_argument("--peers-python", default=sys.executable)
    parser.add_argument("--peer-repetitions", type=int, default=1, help="of what is not parity, h5diff or a plain read")
    arguments = parser.parse_args()
    figures = {}
    with whole.folder_of(arguments) as folder:
        for dtype in arguments.dtypes:
            both_bytes, seconds = measure(arguments, folder, dtype)
            table(dtype, both_bytes, seconds)
            figures[dtype] = {"both_bytes": both_bytes, "seconds": seconds}
    whole.write_json(arguments, figures)


if __name__ == "__main__":
    main()
