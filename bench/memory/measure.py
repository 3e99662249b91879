#!/usr/bin/env python3
"""Peak host memory of `record`, `compare A B` and `compare A --model` as goldens grow, beside what it should be bounded by.

    measure.py [--parity FILE] [--growth 1 4 16] [--tokens 1024] [--layers 2]

A golden grows in two ways: by cases, which leaves its largest tap as it is, and by tokens, with which every tap grows. What
a command holds without taps is taken off: libraries and, where a model runs, weights and the model's own activations, which is
the peak of a recording of the same inputs that takes one small tap; for `compare A B`, its peak on goldens of one token. The rest is
held against three of the largest taps and, where a model runs, the ring of 256 MiB, or all taps where these are fewer.
`python3` needs torch, to make the decoder.
"""

import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import whole_commands as whole  # noqa: E402

RING_BYTES = 256 * whole.MIB  # capture::RingOptions
SEQUENCE = 256
SHAPE = {"hidden": 512, "intermediate": 1408, "heads": 8, "kv_heads": 2, "vocab": 1024}
LARGEST_ROW_BYTES = 4 * SHAPE["intermediate"]


def peaks(arguments, model, folder, inputs):
    """{command: peaks in bytes} of commands on that golden, and the golden's size."""
    golden, second = f"{folder}/reference.h5", f"{folder}/candidate.h5"
    record = [arguments.parity, "record", *model, "--inputs", *inputs, "--device", "cpu", "--no-probes", "-q"]
    replay = [*model, "--device", "cpu", "--sdpa", "math", "--no-probes", "-q"]
    commands = {
        "one tap": [*record, "--sdpa", "math", "--layers", "model.rotary_emb", "--store", "digest", "--out", golden],
        "record": [*record, "--sdpa", "math", "--out", golden],
        "compare A B": [arguments.parity, "compare", golden, second, "-q"],
        "compare A --model": [arguments.parity, "compare", second, *replay],
    }
    whole.run([*record, "--sdpa", "flash", "--out", second])
    measured = {name: [] for name in commands}
    for _ in range(arguments.repetitions):
        for name, command in commands.items():
            measured[name].append(whole.run(command, accepted=(0, 1)).peak_bytes)
    size = pathlib.Path(golden).stat().st_size
    pathlib.Path(golden).unlink()
    pathlib.Path(second).unlink()
    return measured, size


def row(command, grown, inputs, tokens, size, measured, start):
    largest = tokens * LARGEST_ROW_BYTES
    bound = 3 * largest + (0 if command == "compare A B" else min(RING_BYTES, size))
    above = statistics.median(measured) - statistics.median(start)
    print(f"| `{command}` | {grown} | {size / 1e6:.0f} | {largest / 1e6:.1f} | {whole.cell([p / 1e6 for p in measured], '{:.0f}')} "
          f"| {statistics.median(start) / 1e6:.0f} | {above / 1e6:.0f} | {bound / 1e6:.0f} | {above / bound:.2f} |")
    return {"command": command, "inputs": inputs, "golden_bytes": size, "largest_tap_bytes": largest, "peak_bytes": measured,
            "without_taps_bytes": start, "bound_bytes": bound}


def main():
    parser = whole.parser(__doc__)
    parser.add_argument("--growth", type=int, nargs="+", default=[1, 4, 16])
    parser.add_argument("--tokens", type=int, default=1024, help=f"of the smallest golden, a multiple of {SEQUENCE}")
    parser.add_argument("--layers", type=int, default=2)
    parser.set_defaults(repetitions=3)
    arguments = parser.parse_args()
    figures = []
    with whole.folder_of(arguments) as folder:
        model = whole.made_decoder(f"{folder}/decoder-{arguments.layers}", layers=arguments.layers, **SHAPE)
        two_files, _ = peaks(arguments, model, folder, ["a=tokens:1x1"])
        print(f"{whole.machine()}\n\n| command | golden grows by | golden MB | largest tap MB | peak MB | without taps | rest | bound "
              "| rest / bound |\n|---|---|--:|--:|--:|--:|--:|--:|--:|")
        rows = []
        for times in arguments.growth:
            rows.append((f"{times} x cases", arguments.tokens,
                         [f"c{case}=tokens:{arguments.tokens // SEQUENCE}x{SEQUENCE}" for case in range(times)]))
        for times in arguments.growth[1:]:
            tokens = times * arguments.tokens
            rows.append((f"{times} x tokens", tokens, [f"a=tokens:{tokens // SEQUENCE}x{SEQUENCE}"]))
        measured = [(grown, tokens, inputs, *peaks(arguments, model, folder, inputs)) for grown, tokens, inputs in rows]
        for command in ("record", "compare A B", "compare A --model"):
            for grown, tokens, inputs, of_all, size in measured:
                start = two_files[command] if command == "compare A B" else of_all["one tap"]
                figures.append(row(command, grown, inputs, tokens, size, of_all[command], start))
    whole.write_json(arguments, figures)


if __name__ == "__main__":
    main()
