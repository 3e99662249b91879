"""What PyTorch's own forward hooks see when a Python model runs, written beside the script of that model.

The hooks sit on the Python model, never on the script: they are the independent witness. Nothing here knows how
parity taps a graph.
"""

import os

import torch
from torch import Tensor


def dtype_name(tensor):
    return str(tensor.dtype).replace("torch.", "")


def shape_text(tensor):
    return "x".join(map(str, tensor.shape)) or "scalar"


def leaves(value, port=""):
    """Tensors in nested outputs with their dotted place."""
    if isinstance(value, Tensor):
        yield port, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, f"{port}.{key}" if port else str(key))
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        for key, item in zip(value._fields, value):
            yield from leaves(item, f"{port}.{key}" if port else key)
    elif isinstance(value, (tuple, list)):
        for key, item in enumerate(value):
            yield from leaves(item, f"{port}.{key}" if port else str(key))


class Case:
    def __init__(self, folder, name):
        self.path = os.path.join(folder, name)
        self.index = []
        self.bytes = bytearray()
        self.calls = {}

    def tensor(self, tensor):
        raw = tensor.detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes() if tensor.numel() else b""
        text = f"{dtype_name(tensor)} {shape_text(tensor)} {len(self.bytes)} {len(raw)}"
        self.bytes += raw
        return text

    def argument(self, value):
        if isinstance(value, Tensor):
            self.index.append("arg tensor " + self.tensor(value))
        elif isinstance(value, bool):
            self.index.append(f"arg bool {int(value)}")
        elif isinstance(value, int):
            self.index.append(f"arg int {value}")
        elif isinstance(value, float):
            self.index.append(f"arg float {value!r}")
        else:
            raise TypeError(type(value))

    def tap(self, path, value):
        call = self.calls.get(path, 0)
        self.calls[path] = call + 1
        found = list(leaves(value))
        for port, tensor in found:
            name = path + (f"#{call}" if call else "") + (f":{port}" if len(found) > 1 else "")
            self.index.append(f"tap {self.tensor(tensor)} {name}")

    def write(self):
        with open(self.path + ".bin", "wb") as out:
            out.write(self.bytes)
        with open(self.path + ".index", "w", encoding="utf-8") as out:
            out.write("\n".join(self.index) + "\n")


def watched(case, model):
    """Hooks every submodule; returns the handles."""
    handles = []
    for name, module in model.named_modules():
        if name:
            hook = lambda _module, _inputs, output, name=name: case.tap(name, output)
            handles.append(module.register_forward_hook(hook))
    return handles


def record(folder, name, model, arguments, script=None, method="forward", hooks=True):
    """Runs the Python model under hooks and saves `script`, or the scripted model."""
    model.eval()
    case = Case(folder, name)
    for argument in arguments:
        case.argument(argument)
    if script is None:
        script = torch.jit.script(model)
    # Before the Python model runs: both share their buffers.
    torch.jit.save(script, case.path + ".pt")
    handles = watched(case, model) if hooks else []
    with torch.no_grad():
        output = getattr(model, method)(*[a.clone() if isinstance(a, Tensor) else a for a in arguments])
    for handle in handles:
        handle.remove()
    case.tap("<output>", output)
    case.write()
