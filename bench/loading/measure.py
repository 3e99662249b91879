#!/usr/bin/env python3
"""Time until weights are ready on the CPU: `parity record` beside PyTorch's and safetensors' loaders, and a plain read.

    measure.py [--parity FILE] [--mebibytes 204 2048] [--cold]

Ours is the span `load the model` of `record --trace` on a case of one token: it maps the file, checks its structure, and
digests every byte of every weight. `start` is the same span on a tiny model (one layer of 17 MB for the program): loading LibTorch, which Python does
in `import torch` outside of what is measured of it. With --cold each loader meets the disk. `python3` needs torch and safetensors.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import whole_commands as whole  # noqa: E402

LOADER = pathlib.Path(__file__).resolve().with_name("loader.py")
SHAPE = {"hidden": 2048, "intermediate": 5632, "heads": 32, "kv_heads": 8, "vocab": 8000, "dtype": "bfloat16"}
LAYER_MIB, REST_MIB = 86, 62  # of that decoder
TINY = {"hidden": 32, "intermediate": 32, "heads": 2, "kv_heads": 2, "vocab": 32, "layers": 1}


def made(folder, mebibytes, **shape):
    model = whole.made_decoder(folder, **shape)
    if not pathlib.Path(f"{folder}/program.pt2").exists():
        whole.run([sys.executable, LOADER, "make", folder, mebibytes])
    return model[3]


def ours(arguments, folder, name, config):
    """Seconds of the span."""
    trace = f"{folder}/trace.json"
    case = "randn:1x2048" if name.endswith(".pt2") else "tokens:1x1"
    command = [arguments.parity, "record", "--model", f"{folder}/{name}", "--inputs", f"a={case}", "--device", "cpu", "-q"]
    command += [] if name.endswith(".pt2") else ["--config", config]
    whole.run([*command, "--no-probes", "--store", "digest", "--trace", trace, "--out", f"{folder}/golden.h5"])
    return sum(values[0] for (_, span), values in whole.spans(trace).items() if span == "load the model")


def python(kind, path):
    return float(whole.run([sys.executable, LOADER, kind, path]).output)


def measure(arguments, folder, config, tiny):
    """{(file, what): [seconds]}; starts are on the models in `tiny`, in turn with the rest."""
    seconds = {}
    for _ in range(arguments.repetitions):
        for name, peers in (("model.pt", ("torch", "torch_read")), ("model.safetensors", ("safetensors",)),
                            ("program.pt2", ("export",))):
            path = f"{folder}/{name}"

            def add(what, once):
                (whole.forget if arguments.cold else whole.read_plainly)([path])
                seconds.setdefault((name, what), []).append(once())

            add("plain read", lambda: whole.read_plainly([path]))
            add("start", lambda: ours(arguments, tiny, name, f"{tiny}/config.json"))
            add("parity", lambda: ours(arguments, folder, name, config))
            for peer in peers:
                add(peer, lambda: python(peer, path))
    return seconds


def main():
    parser = whole.parser(__doc__)
    parser.add_argument("--mebibytes", type=int, nargs="+", default=[204, 2048])
    parser.add_argument("--cold", action="store_true", help="drop the file from the page cache before each")
    arguments = parser.parse_args()
    names = {"parity": "parity, with start", "start": "parity's start",
             "torch": "torch.load(mmap=True), a byte of every page", "torch_read": "torch.load(mmap=True), every byte",
             "safetensors": "safetensors load_file, a byte of every page", "export": "torch.export.load, a byte of every page"}
    figures = []
    with whole.folder_of(arguments) as folder:
        tiny = f"{folder}/tiny"
        made(tiny, 16, **TINY)
        print(f"{'cold' if arguments.cold else 'warm'} page cache; {whole.machine()}\n")
        print("| file | GB | | seconds | GB/s, smallest time |\n|---|--:|---|--:|--:|")
        for mebibytes in arguments.mebibytes:
            into = f"{folder}/{mebibytes}"
            config = made(into, mebibytes, layers=max(1, round((mebibytes - REST_MIB) / LAYER_MIB)), **SHAPE)
            measured = measure(arguments, into, config, tiny)
            for (name, what), values in measured.items():
                size = pathlib.Path(into, name).stat().st_size
                print(f"| {name} | {size / 1e9:.2f} | {names.get(what, what)} | {whole.cell(values, '{:.3f}')} "
                      f"| {'' if what == 'start' else f'{size / min(values) / 1e9:.2f}'} |")
                if what == "parity":
                    rest = max(min(values) - min(measured[name, "start"]), 1e-3)
                    print(f"| {name} | {size / 1e9:.2f} | parity less start, smallest times | {rest:.3f} | {size / rest / 1e9:.2f} |")
                figures.append({"file": name, "bytes": size, "what": what, "cold": arguments.cold, "seconds": values})
    whole.write_json(arguments, figures)


if __name__ == "__main__":
    main()
