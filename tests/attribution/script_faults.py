"""Single faults of the mixer, the convolutional and the recurrent model.

Each function changes the healthy candidate, which already computes as another backend does.
"""

import torch
import torch.nn.functional as F
from torch import nn

from other_backend import OtherConv, OtherLinear, other_conv, other_linear, replace_layer
from rows import BFLOAT16, FLOAT32, fault
from script_models import HEAD, Scores, Softmax


def replaced(kind, path, layer_class, blamed, words, **options):
    """Registers a fault that puts `layer_class`, made from the healthy layer, at `path`."""

    def change(model):
        replace_layer(model, path, layer_class(model.get_submodule(path)))

    fault(kind, blamed, words, **options)(change)


# The mixer.


@fault("mixer", "blocks.1.softmax", "softmax rows of block 1 sum to 0.5 (pytorch#186229)")
def _(model):
    model.blocks[1].softmax = Softmax()
    model.blocks[1].softmax.gain = 0.5


@fault("mixer", "blocks.2.softmax/aten.softmax", "softmax of block 2 over the wrong axis")
def _(model):
    model.blocks[2].softmax = Softmax()
    model.blocks[2].softmax.dim = -2


@fault("mixer", "blocks.3.scores", "product of block 3 scaled by the width of all heads")
def _(model):
    model.blocks[3].scores = Scores()
    model.blocks[3].scores.after = HEAD**-0.5


class Saturated(Scores):
    """As if the scores had been 16384 times as large in float16, which ends at 65504."""

    def forward(self, x):
        y = torch.matmul(x * self.before, x.transpose(-1, -2)) * 16384.0
        return y.clamp(-65504.0, 65504.0) / 16384.0


@fault("mixer", "blocks.2.scores", "scores of block 2 saturate at 65504 before their scale")
def _(model):
    model.blocks[2].scores = Saturated()


class Infinite(Scores):
    def forward(self, x):
        y = torch.matmul(x * self.before, x.transpose(-1, -2))
        return torch.where(y > y.amax() * 0.7, y * float("inf"), y)


@fault("mixer", "blocks.0.scores", "infinities in the scores of block 0, NaN behind (MIGraphX#2555)")
def _(model):
    model.blocks[0].scores = Infinite()


class MeanOfAll(nn.Module):
    def forward(self, x):
        return x.mean(2, keepdim=True).mean(1, keepdim=True).expand(-1, 1, x.size(2))


@fault("mixer", "pool", "mean over tokens and channels where tokens alone are meant")
def _(model):
    model.pool = MeanOfAll()


@fault("mixer", "blocks.1.tokens", "weight of the token mixing of block 1 transposed")
def _(model):
    model.blocks[1].tokens.weight = nn.Parameter(model.blocks[1].tokens.weight.t().contiguous())


@fault("mixer", "blocks.2.channels", "weight of the channel mixing of block 2 wrong by 0.1 %")
def _(model):
    model.blocks[2].channels.weight.mul_(1.001)


class BiasLessLinear(OtherLinear):
    def forward(self, x):
        return other_linear(x, self.weight, None)


replaced("mixer", "blocks.0.channels", BiasLessLinear, "blocks.0.channels", "bias missing in block 0")


class ShiftedRows(OtherLinear):
    def forward(self, x):
        return other_linear(x, self.weight, self.bias).roll(1, 1)


replaced("mixer", "blocks.3.channels", ShiftedRows, "blocks.3.channels",
         "tokens of block 3 shifted by one", dtypes=BFLOAT16)


@fault("mixer", "head", "a constant added to every row of the head (TransformerLens#693)")
def _(model):
    model.head.bias.add_(0.3)


class HardSilu(nn.Module):
    def forward(self, x):
        return F.hardswish(x)


@fault("mixer", "blocks.1.act", "piecewise linear SiLU in block 1")
def _(model):
    model.blocks[1].act = HardSilu()


# The convolutional model.


@fault("conv net", "stages.1.norm", "batch norm of stage 1 with the running mean of stage 2")
def _(model):
    model.stages[1].norm.running_mean.copy_(model.stages[2].norm.running_mean)


@fault("conv net", "stages.3.norm", "running statistics of stage 3 not loaded: mean 0, variance 1")
def _(model):
    model.stages[3].norm.running_mean.zero_()
    model.stages[3].norm.running_var.fill_(1.0)


@fault("conv net", "stages.2.conv", "convolution of stage 2 6.4 times too large (pytorch#102968)")
def _(model):
    model.stages[2].conv.weight.mul_(6.4)


@fault("conv net", "stages.1.conv", "second group of stage 1 wrong (rocm-libraries#4998)")
def _(model):
    model.stages[1].conv.weight[8:] = model.stages[1].conv.weight[:8].clone()


class ReflectedBorder(OtherConv):
    def forward(self, x):
        inner = F.pad(x, [1, 1, 1, 1], mode="reflect")
        return other_conv(inner, self.weight, self.bias, self.groups, 1)[..., 1:-1, 1:-1]


replaced("conv net", "stages.0.conv", ReflectedBorder, "stages.0.conv",
         "border of stage 0 reflected instead of zero")


class DilatedConv(OtherConv):
    def forward(self, x):
        return other_conv(x, self.weight, self.bias, self.groups, 2)


replaced("conv net", "stages.3.conv", DilatedConv, "stages.3.conv", "dilation of stage 3 2 instead of 1")


class FlippedConv(OtherConv):
    """A convolution in the sense of mathematics; layers mean correlation."""

    def forward(self, x):
        return other_conv(x, self.weight.flip([2, 3]), self.bias, self.groups, 1)


replaced("conv net", "stages.2.conv", FlippedConv, "stages.2.conv", "filters of stage 2 turned round")


class ChannelsLastRead(OtherConv):
    """Rows and columns of the filter exchanged, as by a wrong stride."""

    def forward(self, x):
        return other_conv(x, self.weight.transpose(2, 3), self.bias, self.groups, 1)


replaced("conv net", "stem", ChannelsLastRead, "stem", "strides of the stem's filters exchanged",
         dtypes=FLOAT32)


class LeakyAct(nn.Module):
    def __init__(self, _layer):
        super().__init__()

    def forward(self, x):
        return F.leaky_relu(x, 0.01)


replaced("conv net", "stages.1.act", LeakyAct, "stages.1.act", "slope of 0.01 below zero in stage 1")


class PaddingNotCounted(nn.AvgPool2d):
    def __init__(self, _layer):
        super().__init__(3, stride=2, padding=1, count_include_pad=False)


replaced("conv net", "pool", PaddingNotCounted, "pool", "average pooling leaves out the padding")


class Nearest(nn.Upsample):
    def __init__(self, _layer):
        super().__init__(scale_factor=2, mode="nearest")


class AlignedCorners(nn.Upsample):
    def __init__(self, _layer):
        super().__init__(scale_factor=2, mode="bilinear", align_corners=True)


replaced("conv net", "grow", Nearest, "grow", "nearest instead of bilinear interpolation")
replaced("conv net", "grow", AlignedCorners, "grow", "bilinear interpolation with aligned corners")


@fault("conv net", "head", "inputs of the head in the order of channels last")
def _(model):
    weight = model.head.weight
    weight.copy_(weight.view(10, 16, 16).transpose(1, 2).reshape(10, 256))


# The recurrent model. A layer has three results: all outputs and the last states.


def gates(tensor, order):
    parts = tensor.chunk(len(order))
    tensor.copy_(torch.cat([parts[i].clone() for i in order]))


@fault("recurrent", "lstms.2", "gates of LSTM 2 in the order i, o, f, g of ONNX", flags=())
def _(model):
    for name in ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"):
        gates(getattr(model.lstms[2], name), (0, 3, 1, 2))


@fault("recurrent", "lstms.1", "recurrent bias of LSTM 1 missing", flags=())
def _(model):
    model.lstms[1].bias_hh_l0.zero_()


@fault("recurrent", "lstms.3", "forget gate of LSTM 3 with a bias of 1 added", flags=())
def _(model):
    model.lstms[3].bias_ih_l0[32:64] += 1.0


@fault("recurrent", "lstms.0", "recurrent weight of LSTM 0 wrong by 1 %", flags=("--threads", 2))
def _(model):
    model.lstms[0].weight_hh_l0.mul_(1.01)


@fault("recurrent", "grus.1", "reset and update gate of GRU 1 exchanged", flags=())
def _(model):
    for name in ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"):
        gates(getattr(model.grus[1], name), (1, 0, 2))


@fault("recurrent", "grus.2", "reset gate of GRU 2 applied in front of the product: bias moved", flags=())
def _(model):
    gru = model.grus[2]
    gru.bias_ih_l0[64:] += gru.bias_hh_l0[64:]
    gru.bias_hh_l0[64:] = 0


class StatefulGru(nn.Module):
    """Starts from a state of another call."""

    def __init__(self, gru):
        super().__init__()
        for name in ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"):
            setattr(self, name, getattr(gru, name))

    def forward(self, x):
        state = torch.full([1, x.size(0), 32], 0.5, dtype=x.dtype)
        weights = [self.weight_ih_l0, self.weight_hh_l0, self.bias_ih_l0, self.bias_hh_l0]
        return torch.gru(x, state, weights, True, 1, 0.0, False, False, True)


replaced("recurrent", "grus.3", StatefulGru, "grus.3", "GRU 3 starts from a state that is not zero", flags=())
