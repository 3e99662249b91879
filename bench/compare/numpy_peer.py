#!/usr/bin/env python3
"""The same figures of a float32 comparison written in NumPy, for the ratio that bench/compare/README.md states.

Classes, ulp and relative histograms with quantiles, absolute error, nrmse, cosine, worst ten: a careful script of the
kind that `parity compare` replaces. One thread. Prints GB/s of both sides together and, as a check that the work is
the same, a few of the figures.
"""

import argparse
import os
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np  # noqa: E402  (threads must be set first)


def ulp_order(values):
    """Integers in the order of the values, both zeros at 0."""
    bits = values.view(np.int32).astype(np.int64)
    return np.where(bits < 0, -(bits & 0x7FFFFFFF), bits)


def quantiles(values):
    ranks = [max(0, int(np.ceil(share * values.size)) - 1) for share in (0.5, 0.9, 0.99, 0.999)]
    return np.partition(values, ranks)[ranks]


def classes(r, c):
    r_nan, c_nan = np.isnan(r), np.isnan(c)
    r_inf, c_inf = np.isinf(r), np.isinf(c)
    finite = np.isfinite(r) & np.isfinite(c)
    tiny = np.finfo(np.float32).tiny
    r_zero, c_zero = r == 0, c == 0
    counts = {
        "equal_bits": np.count_nonzero(r.view(np.uint32) == c.view(np.uint32)),
        "finite": np.count_nonzero(finite),
        "both_nan": np.count_nonzero(r_nan & c_nan),
        "nan_reference_only": np.count_nonzero(r_nan & ~c_nan),
        "nan_candidate_only": np.count_nonzero(c_nan & ~r_nan),
        "inf_equal": np.count_nonzero(r_inf & c_inf & (r == c)),
        "inf_opposite": np.count_nonzero(r_inf & c_inf & (r != c)),
        "inf_reference_only": np.count_nonzero(r_inf & np.isfinite(c)),
        "inf_candidate_only": np.count_nonzero(c_inf & np.isfinite(r)),
        "zero_reference": np.count_nonzero(r_zero & ~c_zero & finite),
        "zero_sign": np.count_nonzero(r_zero & c_zero & (np.signbit(r) != np.signbit(c))),
        "flushed_to_zero": np.count_nonzero(
            (r_zero & ~c_zero & (np.abs(c) < tiny)) | (c_zero & ~r_zero & (np.abs(r) < tiny))
        ),
    }
    return counts, finite


def compare(r, c):
    counts, finite = classes(r, c)
    if not finite.all():
        r, c = r[finite], c[finite]
    ulp = np.abs(ulp_order(c) - ulp_order(r))
    ulp_edges = [0, 1, 2] + [2**k + 1 for k in range(1, 33)]
    wide_r, wide_c = r.astype(np.float64), c.astype(np.float64)
    d = wide_c - wide_r
    size = np.abs(d)
    nonzero = wide_r != 0
    relative = size[nonzero] / np.abs(wide_r[nonzero])
    relative_edges = [0.0] + [2.0**k for k in range(-60, 21)] + [np.inf]
    worst = np.argpartition(ulp, -10)[-10:] if ulp.size > 10 else np.arange(ulp.size)
    return {
        "classes": counts,
        "ulp_max": int(ulp.max()),
        "ulp_quantiles": quantiles(ulp),
        "ulp_histogram": np.histogram(ulp, bins=ulp_edges + [2**33])[0],
        "relative_max": float(relative.max()),
        "relative_quantiles": quantiles(relative),
        "relative_histogram": np.histogram(relative, bins=relative_edges)[0],
        "max_absolute": float(size.max()),
        "mean_signed": float(d.mean()),
        "nrmse": float(np.sqrt(np.dot(d, d) / np.dot(wide_r, wide_r))),
        "cosine": float(np.dot(wide_r, wide_c) / np.sqrt(np.dot(wide_r, wide_r) * np.dot(wide_c, wide_c))),
        "worst": worst[np.argsort(-ulp[worst])],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mebibytes", type=int, default=128, help="size of each side")
    parser.add_argument("--repetitions", type=int, default=3)
    arguments = parser.parse_args()
    count = arguments.mebibytes * 1024 * 1024 // 4
    random = np.random.default_rng(1)
    r = random.standard_normal(count, dtype=np.float32)
    c = (r.view(np.int32) + random.integers(0, 2, count, dtype=np.int32)).view(np.float32)
    for _ in range(arguments.repetitions):
        wall, processor = time.perf_counter(), time.process_time()
        figures = compare(r, c)
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        print(
            f"{8 * count / wall / 1e9:.4f} GB/s wall, {8 * count / processor / 1e9:.4f} GB/s processor, "
            f"ulp max {figures['ulp_max']}, nrmse {figures['nrmse']:.6g}"
        )


if __name__ == "__main__":
    main()
