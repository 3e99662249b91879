#!/usr/bin/env python3
"""How well a replay overlaps what it does: the spans of `parity compare GOLDEN --model --trace` beside its wall time.

    measure.py [--parity FILE] [--mebibytes 1024]

Three kinds of work can go on at a time: the model with its copies to the host, reading the golden's taps, and comparing. A
replay cannot be faster than the one that takes longest. The model's own time is `forward` less what it waited for the
ring. The golden is in the page cache. `python3` needs torch, to make the decoder.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import whole_commands as whole  # noqa: E402

TOKENS, SEQUENCE = 2048, 512
SHAPE = {"hidden": 512, "intermediate": 1408, "heads": 8, "kv_heads": 2, "vocab": 1024}
LAYER_BYTES = 4 * 9088 * TOKENS  # of the taps of one layer


def seconds_of(trace):
    """Seconds of each kind of work, and from the first forward pass to the end of the last tap."""
    sums = whole.spans(trace)

    def of(span):
        return sum(values[0] for (_, name), values in sums.items() if name == span)

    return {
        "loading the model": of("load the model"),
        "model": of("forward") - of("wait for the ring"),
        "copying to the host": of("copy to host"),
        "reading the golden": of("read"),
        "comparing": of("compare"),
        "model waits for the ring": of("wait for the ring"),
        "model waits for the last taps": of("wait for the last taps"),
        "replay": of("forward") + of("wait for the last taps"),
    }


def main():
    parser = whole.parser(__doc__)
    parser.add_argument("--mebibytes", type=int, default=1024, help="of the golden, about")
    arguments = parser.parse_args()
    layers = max(1, round(arguments.mebibytes * whole.MIB / LAYER_BYTES))
    figures = []
    with whole.folder_of(arguments) as folder:
        model = whole.made_decoder(f"{folder}/decoder-{layers}", layers=layers, **SHAPE)
        golden = whole.made_golden(arguments.parity, f"{folder}/decoder-{layers}.h5", model,
                                   [f"a=tokens:{TOKENS // SEQUENCE}x{SEQUENCE}"], "--sdpa", "math")
        trace = f"{folder}/trace.json"
        for _ in range(arguments.repetitions):
            whole.read_plainly([golden])
            command = [arguments.parity, "compare", golden, *model, "--device", "cpu", "--sdpa", "flash", "--no-probes", "-q"]
            run = whole.run([*command, "--trace", trace], accepted=(0, 1))
            figures.append({"whole command": run.wall_s, **seconds_of(trace)})
        size = golden.stat().st_size
    for figure in figures:
        longest = max(figure[kind] for kind in ("model", "reading the golden", "comparing"))
        figure["replay / longest kind"] = figure["replay"] / longest
    print(f"golden of {size / 1e9:.2f} GB; {whole.machine()}\n\n| | seconds |\n|---|--:|")
    for name in figures[0]:
        print(f"| {name} | {whole.cell(figure[name] for figure in figures)} |")
    whole.write_json(arguments, figures)


if __name__ == "__main__":
    main()
