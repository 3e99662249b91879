#!/usr/bin/env python3
"""Makes the models of this bench, and loads one in Python; `measure.py` starts it.

    loader.py make FOLDER MEBIBYTES         the weights there as model.safetensors, and as many bytes as program.pt2
    loader.py torch|torch_read|safetensors|export FILE

Loading ends when a byte of every page of every weight was looked at (torch_read: when every byte was), and prints the
seconds. Importing torch is not in them.
"""

import pathlib
import sys
import time

import torch
import torch.export


def make(folder, mebibytes):
    from safetensors.torch import save_file

    folder = pathlib.Path(folder)
    save_file(torch.load(folder / "model.pt", mmap=True), folder / "model.safetensors")
    width = 2048
    layers = max(1, round(int(mebibytes) * 2**20 / (4 * width * width)))
    stack = torch.nn.Sequential(*[torch.nn.Linear(width, width, bias=False) for _ in range(layers)]).eval()
    torch.export.save(torch.export.export(stack, (torch.zeros(1, width),)), folder / "program.pt2")


def as_bytes(tensor):
    return tensor.detach().reshape(-1).view(torch.uint8)


def touch(tensors):
    return sum(int(as_bytes(tensor)[::4096].max()) for tensor in tensors)


def main():
    kind, path = sys.argv[1:3]
    if kind == "make":
        make(*sys.argv[2:])
        return
    if kind == "safetensors":
        import safetensors.torch  # not part of loading, like torch itself
    start = time.perf_counter()
    if kind == "safetensors":
        touch(safetensors.torch.load_file(path).values())
    elif kind == "export":
        touch(torch.export.load(path).state_dict.values())
    elif kind == "torch_read":
        for tensor in torch.load(path, mmap=True).values():
            tensor.view(torch.int16).max()
    else:
        touch(torch.load(path, mmap=True).values())
    print(time.perf_counter() - start)


if __name__ == "__main__":
    main()
