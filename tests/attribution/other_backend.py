"""The same layers as another backend would compute them: right, but rounded elsewhere.

Sums run in another order and layers are split into other operators; what a layer returns has the
same name, shape and meaning. None of the operators is one that the program taps inside a module.
The functions are scripted, so that a trace keeps their dtypes open.
"""

import warnings
from typing import Optional

warnings.filterwarnings("ignore", category=DeprecationWarning)  # torch.jit, the format under test

import torch
from torch import Tensor, nn


@torch.jit.script
def other_linear(x: Tensor, weight: Tensor, bias: Optional[Tensor]):
    """Products in float32, summed in halves."""
    half = x.size(-1) // 2
    products = x.float().unsqueeze(-2) * weight.float()  # [..., out, in]
    y = products[..., :half].sum(-1) + products[..., half:].sum(-1)
    if bias is not None:
        y = y + bias.float()
    return y.to(x.dtype)


@torch.jit.script
def other_layer_norm(x: Tensor, weight: Tensor, bias: Tensor, epsilon: float):
    """Variance as the mean of squares less the square of the mean."""
    wide = x.float()
    mean = wide.mean(-1, keepdim=True)
    variance = wide.square().mean(-1, keepdim=True) - mean.square()
    y = (wide - mean) / torch.sqrt(variance + epsilon)
    return (y * weight.float() + bias.float()).to(x.dtype)


@torch.jit.script
def other_conv(x: Tensor, weight: Tensor, bias: Tensor, groups: int, dilation: int):
    """A product of unfolded 3x3 patches, group by group; the size stays."""
    patches = torch.nn.functional.unfold(x.float(), [3, 3], [dilation, dilation], [dilation] * 2)
    patches = patches.view(x.size(0), groups, -1, 1, patches.size(-1)).transpose(2, 3)
    filters = weight.float().flatten(1)
    filters = filters.view(1, groups, -1, filters.size(-1), 1)
    y = (patches * filters).sum(3).flatten(1, 2) + bias.float().unsqueeze(-1)
    return y.view(x.size(0), -1, x.size(2), x.size(3)).to(x.dtype)


class OtherLinear(nn.Module):
    def __init__(self, linear):
        super().__init__()
        self.weight, self.bias = linear.weight, linear.bias

    def forward(self, x):
        return other_linear(x, self.weight, self.bias)


class OtherLayerNorm(nn.Module):
    def __init__(self, norm):
        super().__init__()
        self.weight, self.bias, self.epsilon = norm.weight, norm.bias, norm.eps

    def forward(self, x):
        return other_layer_norm(x, self.weight, self.bias, self.epsilon)


class OtherConv(nn.Module):
    def __init__(self, conv):
        super().__init__()
        self.weight, self.bias = conv.weight, conv.bias
        self.groups, self.dilation = conv.groups, 1

    def forward(self, x):
        return other_conv(x, self.weight, self.bias, self.groups, self.dilation)


def replace_layer(model, path, layer):
    parent, _, leaf = path.rpartition(".")
    setattr(model.get_submodule(parent), leaf, layer)


def replace_layers(model, kind, build):
    """Puts `build(layer)` in the place of every layer of that kind."""
    for path, layer in list(model.named_modules()):
        if type(layer) is kind:
            replace_layer(model, path, build(layer))


def on_other_backend(model):
    replace_layers(model, nn.Linear, OtherLinear)
    replace_layers(model, nn.LayerNorm, OtherLayerNorm)
    replace_layers(model, nn.Conv2d, OtherConv)
    return model
