#!/usr/bin/env python3
"""What other tools take for the tensors of two goldens: one of them per start, figures as one line of JSON.

    peers.py files A.h5 B.h5 A.pt B.pt       writes the taps for the peers that read .pt files
    peers.py PEER A B                        PEER: numpy, assert_close, assert_close_files, polygraphy, msprobe

A peer that compares tensors in memory is timed without reading them. `seconds` are of the comparison alone; the bytes are
those of both sides as stored, also where the peer has to widen bfloat16. Needs h5py and torch, and the peer.
"""

import importlib.metadata
import json
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "compare"))

import h5py  # noqa: E402


def taps(path):
    """(name, values) of every tap of a golden, in order, as h5py gives them: bfloat16 as float32."""
    with h5py.File(path, "r") as golden:
        for case in golden["cases"].values():
            for tap in case["taps"]:
                yield case["index/name"].asstr()[int(tap)] + "/" + case.name, case["taps"][tap][()]


def torch_taps(path):
    import torch

    with h5py.File(path, "r") as golden:
        dtypes = [name for case in golden["cases"].values() for name in case["index/dtype"].asstr()[()]]
    return {name: torch.from_numpy(values).to(getattr(torch, dtype)) for (name, values), dtype in zip(taps(path), dtypes)}


def files(a, b, a_pt, b_pt):
    import torch

    torch.save(torch_taps(a), a_pt)
    torch.save(torch_taps(b), b_pt)


def numpy(a, b):
    """Reading included: a script that takes two goldens."""
    import numpy_peer

    start = time.perf_counter()
    for (name, reference), (_, candidate) in zip(taps(a), taps(b), strict=True):
        numpy_peer.compare(reference.ravel(), candidate.ravel())
    return time.perf_counter() - start


def close(reference, candidate):
    import torch

    failed = 0
    for name in reference:
        try:
            torch.testing.assert_close(candidate[name], reference[name])
        except AssertionError:
            failed += 1
    return failed


def assert_close(a, b):
    import torch

    torch.set_num_threads(len(os.sched_getaffinity(0)))
    reference, candidate = torch_taps(a), torch_taps(b)
    start = time.perf_counter()
    close(reference, candidate)
    return time.perf_counter() - start


def assert_close_files(a_pt, b_pt):
    """Reading included."""
    import torch

    torch.set_num_threads(len(os.sched_getaffinity(0)))
    start = time.perf_counter()
    close(torch.load(a_pt, mmap=True), torch.load(b_pt, mmap=True))
    return time.perf_counter() - start


def polygraphy(a, b):
    from polygraphy import comparator
    from polygraphy.logger import G_LOGGER

    G_LOGGER.module_severity = G_LOGGER.CRITICAL
    reference, candidate = (comparator.IterationResult(dict(taps(path)), runner_name=path) for path in (a, b))
    newer = getattr(comparator, "SimpleCompareFunc", None)  # since 0.53; the older name goes with 0.60
    compare = newer() if newer else comparator.CompareFunc.simple()
    start = time.perf_counter()
    compare(reference, candidate)
    return time.perf_counter() - start


def msprobe(a, b):
    """The figures of each row of msProbe's table, by the functions that its comparison of dumps calls."""
    from msprobe.core.compare.npy_compare import CompareResult, ValidateTensor, compare_ops_apply

    reference, candidate = dict(taps(a)), dict(taps(b))
    start = time.perf_counter()
    for name in reference:
        checked = ValidateTensor().check_tensor(CompareResult(candidate[name], reference[name]))
        compare_ops_apply(checked.n_value, checked.b_value, checked.error_flag, checked.err_msg)
    return time.perf_counter() - start


def version(peer):
    package = {"numpy": "numpy", "polygraphy": "polygraphy", "msprobe": "mindstudio-probe"}.get(peer, "torch")
    return package + " " + importlib.metadata.version(package)


def main():
    peer, paths = sys.argv[1], sys.argv[2:]
    if peer == "files":
        files(*paths)
        return
    seconds = {f.__name__: f for f in (numpy, assert_close, assert_close_files, polygraphy, msprobe)}[peer](*paths)
    print("\n" + json.dumps({"seconds": seconds, "version": version(peer)}))


if __name__ == "__main__":
    main()
