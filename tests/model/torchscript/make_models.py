"""Writes TorchScript files of many shapes, and what PyTorch's own forward hooks saw when each ran.

    python make_models.py FOLDER

Per case FOLDER/NAME.pt (the file), NAME.index (inputs and expected taps as text) and NAME.bin (their bytes).
"""

import os
import sys

import torch
from torch import Tensor, nn

from dynamic_models import Dynamic, Fork, ForkList, Guarded, ThroughInterface
from hook_witness import Case, record
from layer_models import (
    Attention, Comprehension, ConvNet, CustomOp, Defaults, Loop, Lstm, Methods, Mlp, Nested, Shared,
    Stateful, TracedShared, WritesWeights,
)
from package_models import make_minilm, make_silero


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


if __name__ == "__main__":
    target = sys.argv[1]
    os.makedirs(target, exist_ok=True)
    make(target)
    make_silero(target)
    make_minilm(target)
    with open(os.path.join(target, "torch_version"), "w", encoding="utf-8") as version:
        version.write(torch.__version__.split("+")[0])
