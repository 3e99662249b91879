"""Single faults of attention, positions and norms of the scripted transformer.

Each function changes the healthy candidate, which already computes as another backend does.
"""

import torch
from torch import nn

from other_backend import OtherLayerNorm
from rows import FLOAT32, fault
from script_models import HEAD, TOKENS, RMSNorm, rotary_table

SDPA = "/aten.scaled_dot_product_attention"


def faulty(blamed, words, **options):
    return fault("transformer", blamed, words, **options)


def attention(model, block):
    return model.blocks[block].attention


# Attention.


@faulty("blocks.2.attention" + SDPA, "softmax scale 1/d instead of 1/sqrt(d) in block 2")
def _(model):
    attention(model, 2).scale = 1.0 / HEAD


@faulty("blocks.1.attention" + SDPA, "causal mask off by one in block 1: one token of the future")
def _(model):
    attention(model, 1).mask = torch.ones(TOKENS, TOKENS, dtype=torch.bool).tril(1)


@faulty(
    "blocks.3.attention" + SDPA,
    "sliding window of 16 in block 3 where the whole past is meant (pytorch#154582)",
)
def _(model):
    attention(model, 3).mask &= ~torch.ones(TOKENS, TOKENS, dtype=torch.bool).tril(-16)


@faulty("blocks.0.attention" + SDPA, "no mask at all in block 0 (pytorch#147460)")
def _(model):
    attention(model, 0).mask.fill_(True)


@faulty(
    "blocks.3.attention" + SDPA, "one key invisible in block 3 (pytorch#191937: at a length of 1 mod 32)"
)
def _(model):
    attention(model, 3).mask[1:, 0] = False


@faulty("blocks.2.attention" + SDPA, "first row of block 2 fully masked (pytorch#103963)")
def _(model):
    attention(model, 2).mask[0] = False


@faulty(
    "blocks.1.attention/aten.index_select",
    "key heads repeated in turn instead of side by side in block 1",
    taps="ops",
)
def _(model):
    attention(model, 1).key_head = torch.tensor([0, 1, 0, 1])


class StaleCache(nn.Module):
    def forward(self, keys):
        last = keys[:, :, -2:-1]
        return torch.cat([keys[:, :, :-1], last], 2)


@faulty("blocks.3.attention.cache", "stale KV cache in block 3: the last key is the one before it")
def _(model):
    attention(model, 3).cache = StaleCache()


@faulty("blocks.2.attention.v", "two heads of the value weight exchanged in block 2")
def _(model):
    weight = attention(model, 2).v.weight
    weight.copy_(torch.cat([weight[HEAD:], weight[:HEAD]]))


@faulty(
    "blocks.1.attention.q",
    "query rows of block 1 in the order of the other rotary layout (transformers#31766)",
)
def _(model):
    linear = attention(model, 1).q
    for tensor in (linear.weight, linear.bias):
        rows = tensor.view(-1, 2, HEAD // 2, *tensor.shape[1:])
        tensor.copy_(rows.transpose(1, 2).reshape(tensor.shape))


@faulty("blocks.3.attention.q", "query weight of block 3 scaled by 1/sqrt(d) a second time")
def _(model):
    attention(model, 3).q.weight.mul_(HEAD**-0.5)


# Rotary positions: one module, called for queries and for keys.


def turn(model, block, table):
    rotary = attention(model, block).rotary
    rotary.cos, rotary.sin = table


@faulty("blocks.2.attention.rotary", "rotary positions of block 2 off by one")
def _(model):
    turn(model, 2, rotary_table(torch.arange(TOKENS) + 1))


@faulty("blocks.1.attention.rotary", "rotary base of block 1 500000 instead of 10000")
def _(model):
    turn(model, 1, rotary_table(torch.arange(TOKENS), 500000.0))


class SwappedRotary(nn.Module):
    def __init__(self, rotary):
        super().__init__()
        self.register_buffer("cos", rotary.cos)
        self.register_buffer("sin", rotary.sin)

    def forward(self, x):
        half = x.size(-1) // 2
        high, low = x[..., :half], x[..., half:]
        return torch.cat([high * self.cos + low * self.sin, low * self.cos - high * self.sin], -1)


@faulty("blocks.3.attention.rotary", "halves of each head swapped by the rotary of block 3")
def _(model):
    attention(model, 3).rotary = SwappedRotary(attention(model, 3).rotary)


@faulty(
    "blocks.3.attention.rotary",
    "rotary table of block 3 kept in bfloat16 (transformers#29285)",
    dtypes=FLOAT32,
)
def _(model):
    rotary = attention(model, 3).rotary
    rotary.cos, rotary.sin = rotary.cos.bfloat16().float(), rotary.sin.bfloat16().float()


# Norms.


@faulty("blocks.3.norm1", "layer norm epsilon of block 3 1e-1 instead of 1e-5")
def _(model):
    model.blocks[3].norm1.epsilon = 1e-1


@faulty("blocks.2.norm1", "layer norm epsilon of block 2 1e-3 instead of 1e-5", dtypes=FLOAT32)
def _(model):
    model.blocks[2].norm1.epsilon = 1e-3


class SampleVariance(OtherLayerNorm):
    def forward(self, x):
        wide = x.float()
        variance = wide.var(-1, keepdim=True)
        y = (wide - wide.mean(-1, keepdim=True)) / torch.sqrt(variance + self.epsilon)
        return (y * self.weight.float() + self.bias.float()).to(x.dtype)


@faulty("blocks.1.norm1", "layer norm of block 1 divides the variance by n - 1")
def _(model):
    norm = nn.LayerNorm(1)
    norm.weight, norm.bias = model.blocks[1].norm1.weight, model.blocks[1].norm1.bias
    model.blocks[1].norm1 = SampleVariance(norm)


@faulty("norm", "last layer norm without its bias")
def _(model):
    model.norm.bias = nn.Parameter(torch.zeros_like(model.norm.bias))


@faulty("blocks.2.norm2", "RMS norm of block 2 without its weight")
def _(model):
    model.blocks[2].norm2.weight.fill_(1.0)


class NarrowSum(RMSNorm):
    def forward(self, x):
        squares = x.float().square().to(torch.bfloat16)
        total = torch.zeros_like(squares[..., 0])
        for i in range(squares.size(-1)):
            total = total + squares[..., i]
        mean = total.float().unsqueeze(-1) / squares.size(-1)
        return self.weight * (x.float() * torch.rsqrt(mean + self.epsilon)).to(x.dtype)


@faulty(
    "blocks.1.norm2", "RMS norm of block 1 sums squares in bfloat16 (aiter#3806)"
)
def _(model):
    norm = NarrowSum()
    norm.weight = model.blocks[1].norm2.weight
    model.blocks[1].norm2 = norm
