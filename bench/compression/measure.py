#!/usr/bin/env python3
"""Which lossless filter a golden's taps are worth: size and rate of each on the taps of real goldens, per element type.

    bench/compression/measure.py golden/fixture-*.h5

Each filter writes and reads the same bytes through HDF5 in memory, in chunks of 1 MiB; so the rates are of the filters and
of HDF5's own copying, not of a disk. Needs h5py, hdf5plugin and numpy. One thread, smallest time of the repetitions.
"""
import argparse
import collections
import time

import h5py
import hdf5plugin
import numpy

CHUNK_BYTES = 1 << 20
FILTERS = {
    "plain": {},
    "shuffle + gzip 1": {"compression": "gzip", "compression_opts": 1, "shuffle": True},
    "shuffle + gzip 6": {"compression": "gzip", "compression_opts": 6, "shuffle": True},
    "shuffle + lzf": {"compression": "lzf", "shuffle": True},
    "shuffle + lz4": {**hdf5plugin.LZ4(), "shuffle": True},
    "shuffle + zstd 1": {**hdf5plugin.Zstd(clevel=1), "shuffle": True},
    "shuffle + zstd 3": {**hdf5plugin.Zstd(clevel=3), "shuffle": True},
    "bitshuffle + lz4": dict(hdf5plugin.Bitshuffle(cname="lz4")),
    "bitshuffle + zstd 1": dict(hdf5plugin.Bitshuffle(cname="zstd", clevel=1)),
}


def stored_taps(path, taken):
    """Adds the bytes of every stored value of one golden to `taken`, by width."""
    def visit(name, item):
        if not isinstance(item, h5py.Dataset) or "/taps/" not in name or item.ndim == 0:
            return
        own = item.id.get_type()  # of the file: h5py turns bfloat16 into float32 otherwise
        raw = numpy.empty(item.shape, f"V{own.get_size()}")
        if raw.nbytes >= 4096:
            item.id.read(h5py.h5s.ALL, h5py.h5s.ALL, raw, mtype=own)
            taken[(own.get_size(), path)].append(raw.tobytes())
    with h5py.File(path, "r") as file:
        file.visititems(visit)


def measure(data, width, options, repetitions):
    """(stored bytes, best write seconds, best read seconds) of `data` under one filter."""
    values = numpy.frombuffer(data, f"<u{width}")
    size, writes, reads = 0, [], []
    for _ in range(repetitions):
        with h5py.File("x", "w", driver="core", backing_store=False, rdcc_nbytes=0) as file:
            start = time.process_time()
            dataset = file.create_dataset("x", data=values, chunks=(CHUNK_BYTES // width,), **options)
            file.flush()
            writes.append(time.process_time() - start)
            size = dataset.id.get_storage_size()
            start = time.process_time()
            back = dataset[:]
            reads.append(time.process_time() - start)
            if back.tobytes() != data:
                raise SystemExit("the filter changed the values")
    return size, min(writes), min(reads)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("goldens", nargs="+", metavar="GOLDEN")
    parser.add_argument("--repetitions", type=int, default=3)
    arguments = parser.parse_args()
    taken = collections.defaultdict(list)
    for path in arguments.goldens:
        stored_taps(path, taken)
    for (width, path), parts in sorted(taken.items()):
        data = b"".join(parts)
        data = data[: len(data) // CHUNK_BYTES * CHUNK_BYTES]  # whole chunks, so that none is padded
        print(f"\n{path}: {len(data) / 1e6:.1f} MB in {len(parts)} arrays of {width} bytes per element\n")
        print("| filter | of plain | write MB/s | read MB/s |\n|---|---|---|---|")
        for name, options in FILTERS.items():
            size, write, read = measure(data, width, options, arguments.repetitions)
            print(f"| {name} | {100 * size / len(data):.1f} % | {len(data) / write / 1e6:.0f} | {len(data) / read / 1e6:.0f} |",
                  flush=True)


if __name__ == "__main__":
    main()
