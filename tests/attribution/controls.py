"""Fault-free controls: another order of sums, other operators, other settings. Nothing may be blamed.

Each function changes the candidate, `reference` the recorded model.
"""

import torch
import torch.nn.functional as F
from torch import nn

from other_backend import (
    OtherConv,
    OtherLayerNorm,
    OtherLinear,
    on_other_backend,
    other_linear,
    replace_layers,
)
from rows import BOTH, FLOAT32, control
from script_models import Softmax

MATH = ("--sdpa", "math")


def unchanged(*_model_or_weights):
    pass


# One model each on the other backend, and layer by layer.

for kind, dtypes in (
    ("transformer", BOTH),
    ("mixer", BOTH),
    ("conv net", FLOAT32),  # the same bits in bfloat16
    ("recurrent", FLOAT32),
):
    control(kind, "every layer summed and split as another backend does", dtypes, MATH)(
        on_other_backend
    )

control("transformer", "fused against unfused attention", flags=MATH)(unchanged)
control("transformer", "the same with a tap after every operator", FLOAT32, MATH, taps="ops")(unchanged)
control("conv net", "one thread against two", flags=("--threads", 2))(unchanged)
control("recurrent", "one thread against two", flags=("--threads", 2))(unchanged)


@control("transformer", "layer norm by hand, variance from the mean of squares", FLOAT32)
def _(model):
    replace_layers(model, nn.LayerNorm, OtherLayerNorm)


@control("conv net", "convolution as a product of unfolded patches", FLOAT32)
def _(model):
    replace_layers(model, nn.Conv2d, OtherConv)


class PermutedLinear(nn.Module):
    """Columns of the weight and its input in another order: other sums."""

    def __init__(self, linear):
        super().__init__()
        order = torch.randperm(linear.in_features, generator=torch.Generator().manual_seed(2))
        self.register_buffer("order", order)
        self.weight = nn.Parameter(linear.weight[:, order].contiguous())
        self.bias = linear.bias

    def forward(self, x):
        return F.linear(x.index_select(-1, self.order), self.weight, self.bias)


@control("transformer", "every Linear with its columns and inputs permuted", BOTH)
def _(model):
    replace_layers(model, nn.Linear, PermutedLinear)


class SequenceAlone(OtherLinear):
    """One sequence of the batch after the other."""

    def forward(self, x):
        alone = [other_linear(x[i], self.weight, self.bias) for i in range(x.size(0))]
        return torch.stack(alone)


@control("transformer", "each sequence of the batch alone", FLOAT32)
def _(model):
    replace_layers(model, nn.Linear, SequenceAlone)


class OnlineSoftmax(Softmax):
    """The sum of the first half is rescaled when the second brings a larger maximum."""

    def forward(self, scores):
        wide = scores.float() * 1.0
        first, second = wide.chunk(2, dim=-1)
        top = first.amax(-1, keepdim=True)
        total = (first - top).exp().sum(-1, keepdim=True)
        new_top = torch.maximum(top, second.amax(-1, keepdim=True))
        total = total * (top - new_top).exp() + (second - new_top).exp().sum(-1, keepdim=True)
        return ((wide - new_top).exp() / total).type_as(scores)


class TwoPassSoftmax(Softmax):
    """Without an operator of that name, so that both sides have the same taps."""

    def forward(self, scores):
        wide = scores.float() * 1.0
        weights = (wide - wide.amax(-1, keepdim=True)).exp()
        return (weights / weights.sum(-1, keepdim=True)).type_as(scores)


def with_softmax(kind):
    def put(model):
        replace_layers(model, Softmax, lambda _layer: kind())

    return put


control("mixer", "softmax online against two passes", reference=with_softmax(TwoPassSoftmax))(
    with_softmax(OnlineSoftmax)
)


class ChannelsLast(nn.Conv2d):
    def forward(self, x):
        return super().forward(x.contiguous(memory_format=torch.channels_last))


@control("conv net", "convolutions in the layout channels last")
def _(model):
    for path, layer in list(model.named_modules()):
        if isinstance(layer, nn.Conv2d):
            layer.__class__ = ChannelsLast


class WideNorm(OtherLayerNorm):
    """In float64 all the way: better than the reference, in every layer alike."""

    def forward(self, x):
        wide = x.double()
        mean = wide.mean(-1, keepdim=True)
        variance = (wide - mean).square().mean(-1, keepdim=True)
        y = (wide - mean) / torch.sqrt(variance + self.epsilon)
        return (y * self.weight.double() + self.bias.double()).to(x.dtype)


@control("transformer", "layer norm in float64", FLOAT32)
def _(model):
    replace_layers(model, nn.LayerNorm, WideNorm)


# The built-in decoder.

for kind in ("llama", "qwen3", "gpt2", "mistral"):
    control(kind, "fused against unfused attention", BOTH, MATH)(unchanged)
control("llama", "one thread against two", flags=("--threads", 2))(unchanged)


@control("deep llama", "24 layers, fused against unfused: growth without a cause", BOTH, MATH)
def _(*_weights):
    pass
