"""Single faults of the Linear layers, activations and residuals of the scripted transformer.

Each function changes the healthy candidate, which already computes as another backend does.
"""

import torch
import torch.nn.functional as F
from torch import nn

from other_backend import OtherLinear, other_linear, replace_layer
from rows import BFLOAT16, FLOAT32, spread
from transformer_faults import attention, faulty


def changed_linear(path):
    """Decorator of a Linear's class: puts it in the place of the layer at `path`."""

    def put(kind):
        def change(model):
            replace_layer(model, path, kind(model.get_submodule(path)))

        return change

    return put


@faulty("blocks.2.attention.o", "weight of the output projection of block 2 transposed")
def _(model):
    attention(model, 2).o.weight = nn.Parameter(attention(model, 2).o.weight.t().contiguous())


@faulty("blocks.3.mlp.up", "bias missing in the first Linear of block 3")
def _(model):
    model.blocks[3].mlp.up.bias.zero_()


@faulty("blocks.1.mlp.down", "bias added twice in the second Linear of block 1")
def _(model):
    model.blocks[1].mlp.down.bias.mul_(2)


@faulty("blocks.2.mlp.up", "weight of the first Linear of block 2 wrong by 0.1 %")
def _(model):
    model.blocks[2].mlp.up.weight.mul_(1.001)


@faulty("blocks.0.mlp.up", "one bit of one weight flipped in block 0: 2^16 times as large")
def _(model):
    weight = model.blocks[0].mlp.up.weight
    bits = weight.view(torch.int32)
    bits[17, 5] ^= 1 << 27


@faulty("blocks.3.mlp.down", "lowest exponent bit of one weight flipped in block 3", dtypes=BFLOAT16)
def _(model):
    weight = model.blocks[3].mlp.down.weight
    place = weight.abs().argmax()
    weight.view(torch.int32).view(-1)[place] ^= 1 << 23


@faulty("blocks.3.mlp.down", "four rows of a weight of block 3 zero")
def _(model):
    model.blocks[3].mlp.down.weight[8:12] = 0


@faulty("blocks.3.attention.k", "key weight of block 3 that of block 2")
def _(model):
    attention(model, 3).k.weight.copy_(attention(model, 2).k.weight)


@faulty("blocks.1.mlp.up", "weight of block 1 read as e4m3fnuz: half the value (vllm#7210)")
def _(model):
    model.blocks[1].mlp.up.weight.mul_(0.5)


@faulty(
    "blocks.2.mlp.down", "int8 weight of block 2 dequantised with the scale of the row before"
)
def _(model):
    weight = model.blocks[2].mlp.down.weight
    scale = weight.abs().amax(1, keepdim=True) / 127
    weight.copy_((weight / scale).round() * scale.roll(1, 0))


@faulty("blocks.0.attention.o", "row-wise int8 scale of one output channel twice as large")
def _(model):
    attention(model, 0).o.weight[9].mul_(2)


@torch.jit.script
def cut_off(x: torch.Tensor, significands: float):
    """To as many values from one power of two to the next, towards zero."""
    significand, exponent = torch.frexp(x.float())
    return torch.ldexp(torch.trunc(significand * significands) / significands, exponent)


class TruncatedOperands(OtherLinear):
    """TF32: ten fraction bits of the operands, the rest cut off."""

    def forward(self, x):
        return other_linear(cut_off(x, 2048.0), cut_off(self.weight, 2048.0), self.bias)


faulty("blocks.3.mlp.up", "TF32 in one product of block 3 (pytorch#79270)", dtypes=FLOAT32)(
    changed_linear("blocks.3.mlp.up")(TruncatedOperands)
)


class NarrowAccumulation(OtherLinear):
    def forward(self, x):
        y = torch.zeros_like(x[..., :1])
        for i in range(x.size(-1)):
            y = y + x[..., i : i + 1] * self.weight[:, i]
        if self.bias is not None:
            y = y + self.bias
        return y


faulty("blocks.2.mlp.down", "products of one Linear of block 2 added up in bfloat16", dtypes=BFLOAT16)(
    changed_linear("blocks.2.mlp.down")(NarrowAccumulation)
)


class HalfAccumulation(OtherLinear):
    def forward(self, x):
        products = x.to(torch.float16).unsqueeze(-2) * self.weight.to(torch.float16)
        y = products[..., 0]
        for i in range(1, products.size(-1)):
            y = y + products[..., i]
        y = y.float()
        if self.bias is not None:
            y = y + self.bias.float()
        return y.to(x.dtype)


faulty("blocks.3.attention.o", "products of one Linear of block 3 added up in float16")(
    changed_linear("blocks.3.attention.o")(HalfAccumulation)
)


class GarbageTail(OtherLinear):
    """The last rows of a tile of 16 are never written."""

    def forward(self, x):
        y = other_linear(x, self.weight, self.bias)
        written = y[:, :16]
        return torch.cat([written, y[:, :8] * -3.0], 1)


faulty("blocks.1.attention.o", "last rows of a tile not written in block 1 (vllm#41472)")(
    changed_linear("blocks.1.attention.o")(GarbageTail)
)


class OneNan(OtherLinear):
    def forward(self, x):
        y = other_linear(x, self.weight, self.bias)
        y[1, 7, 3] = float("nan")
        return y


faulty("blocks.0.mlp.down", "NaN in one element of block 0 (rocm-libraries#9055)")(
    changed_linear("blocks.0.mlp.down")(OneNan)
)


class Saturated(OtherLinear):
    """Scaled to fill the range of e4m3, whose largest value is taken for 240 instead of 448."""

    def forward(self, x):
        y = other_linear(x, self.weight, self.bias)
        largest = y.abs().amax() * 240.0 / 448.0
        return y.clamp(-largest, largest)


faulty("blocks.3.mlp.down", "output of block 3 saturates at 240/448 of its largest value (aiter#3807)")(
    changed_linear("blocks.3.mlp.down")(Saturated)
)


class ThreeOutliers(OtherLinear):
    def forward(self, x):
        y = other_linear(x, self.weight, self.bias)
        y[0, 3, 7] *= 1.8
        y[1, 11, 30] += 2.0
        y[1, 20, 50] -= 2.5
        return y


faulty("blocks.2.mlp.down", "three elements of block 2 wrong, the rest right (ROCm/jax#467)")(
    changed_linear("blocks.2.mlp.down")(ThreeOutliers)
)


class Truncated(OtherLinear):
    """Rounded to bfloat16 by cutting off, not to nearest."""

    def forward(self, x):
        y = other_linear(x.float(), self.weight.float(), self.bias.float())
        return cut_off(y, 256.0).to(x.dtype)


faulty("blocks.3.mlp.up", "results of block 3 rounded towards zero", dtypes=BFLOAT16)(
    changed_linear("blocks.3.mlp.up")(Truncated)
)

faulty("head", "first and last layer tied by mistake: the head is the embedding (transformers#43429)")(
    lambda model: model.head.weight.copy_(model.embed.weight)
)

faulty("embed", "embedding rows off by one")(
    lambda model: model.embed.weight.copy_(model.embed.weight.roll(1, 0))
)


# Activations, dropout, residuals.


class TanhGelu(nn.Module):
    def forward(self, x):
        return F.gelu(x, approximate="tanh")


@faulty("blocks.2.mlp.act", "tanh instead of erf in the GELU of block 2 (tvm#14814)", dtypes=FLOAT32)
def _(model):
    model.blocks[2].mlp.act = TanhGelu()


@spread("transformer", "tanh instead of erf in the GELU of every block (tvm#14814)", FLOAT32)
def _(model):
    for block in model.blocks:
        block.mlp.act = TanhGelu()


class QuickGelu(nn.Module):
    def forward(self, x):
        return x * torch.sigmoid(1.702 * x)


@faulty("blocks.3.mlp.act", "sigmoid instead of erf in the GELU of block 3")
def _(model):
    model.blocks[3].mlp.act = QuickGelu()


class ActiveDropout(nn.Module):
    def forward(self, x):
        return F.dropout(x, 0.1, training=True)


@faulty("blocks.1.mlp.drop", "dropout active in block 1")
def _(model):
    model.blocks[1].mlp.drop = ActiveDropout()


@faulty("blocks.2/aten.add", "residual of the attention of block 2 dropped", taps="ops")
def _(model):
    model.blocks[2].residual = 0.0


@faulty("blocks.3/aten.add", "residual of the attention of block 3 halved", taps="ops")
def _(model):
    model.blocks[3].residual = 0.5
