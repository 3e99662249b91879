"""Small models of four kinds, each with peers in several layers, in which faults can be seeded.

Weights are random and always the same. Glue that a fault can touch (a mask, a scale, which key head
a query uses, the weight of a residual) is an attribute or a buffer, so both sides have the same taps.
"""

import torch
import torch.nn.functional as F
from torch import nn

VOCABULARY, WIDTH, HEADS, KEY_HEADS, TOKENS, LAYERS = 96, 64, 4, 2, 24, 4
HEAD = WIDTH // HEADS


def rotary_table(positions, base=10000.0):
    """Cosines and sines of the angles of `positions`, [tokens, HEAD / 2] each."""
    frequency = base ** (-torch.arange(HEAD // 2).double() * 2 / HEAD)
    angles = positions.double().unsqueeze(-1) * frequency
    return angles.cos().float(), angles.sin().float()


class Rotary(nn.Module):
    def __init__(self):
        super().__init__()
        cos, sin = rotary_table(torch.arange(TOKENS))
        self.register_buffer("cos", cos)
        self.register_buffer("sin", sin)

    def forward(self, x):  # [batch, heads, tokens, HEAD]
        half = x.size(-1) // 2
        low, high = x[..., :half], x[..., half:]
        return torch.cat([low * self.cos - high * self.sin, high * self.cos + low * self.sin], -1)


class RMSNorm(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))
        self.epsilon = 1e-6

    def forward(self, x):
        wide = x.float()
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.epsilon)
        return self.weight * wide.to(x.dtype)


class Cache(nn.Module):
    """Where keys would be kept between steps; hands on the tensor it was given."""

    def forward(self, keys):
        return keys


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q = nn.Linear(WIDTH, WIDTH)
        self.k = nn.Linear(WIDTH, KEY_HEADS * HEAD)
        self.v = nn.Linear(WIDTH, KEY_HEADS * HEAD)
        self.o = nn.Linear(WIDTH, WIDTH)
        self.rotary = Rotary()
        self.cache = Cache()
        self.scale = HEAD**-0.5
        self.head = HEAD
        self.register_buffer("mask", torch.ones(TOKENS, TOKENS, dtype=torch.bool).tril())
        self.register_buffer("key_head", torch.tensor([0, 0, 1, 1]))

    def forward(self, x):  # [batch, tokens, WIDTH]
        batch, tokens = x.size(0), x.size(1)
        q = self.q(x).view(batch, tokens, -1, self.head).transpose(1, 2)
        k = self.k(x).view(batch, tokens, -1, self.head).transpose(1, 2)
        v = self.v(x).view(batch, tokens, -1, self.head).transpose(1, 2)
        k = self.cache(k)
        k = self.rotary(k).index_select(1, self.key_head)
        v = v.index_select(1, self.key_head)
        mixed = F.scaled_dot_product_attention(
            self.rotary(q), k, v, attn_mask=self.mask, scale=self.scale
        )
        return self.o(mixed.transpose(1, 2).reshape(batch, tokens, -1))


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(WIDTH, 2 * WIDTH)
        self.act = nn.GELU()
        self.drop = nn.Dropout(0.1)
        self.down = nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, x):
        return self.down(self.drop(self.act(self.up(x))))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm(WIDTH)
        self.attention = Attention()
        self.norm2 = RMSNorm()
        self.mlp = Mlp()
        self.residual = 1.0

    def forward(self, x):
        x = torch.add(self.attention(self.norm1(x)), x, alpha=self.residual)
        return self.mlp(self.norm2(x)) + x


class Transformer(nn.Module):
    """Scripted. Grouped heads, rotary positions, both kinds of norm."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, tokens):
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


class Softmax(nn.Module):
    def __init__(self):
        super().__init__()
        self.dim = -1
        self.gain = 1.0

    def forward(self, scores):
        return F.softmax(scores, dim=self.dim) * self.gain


class Scores(nn.Module):
    """Scaling before or after the product is equal on paper; in 16 bits the product may overflow."""

    def __init__(self):
        super().__init__()
        self.before, self.after = HEAD**-0.5, 1.0

    def forward(self, x):
        return torch.matmul(x * self.before, x.transpose(-1, -2)) * self.after


class MixerBlock(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.tokens = nn.Linear(TOKENS, TOKENS)
        self.scores = Scores()
        self.softmax = Softmax()
        self.act = nn.SiLU()
        self.channels = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        y = self.norm(x)
        y = self.tokens(y.transpose(1, 2)).transpose(1, 2)
        y = torch.matmul(self.softmax(self.scores(y)), y)
        return x + self.channels(self.act(y))


class Pooled(nn.Module):
    """Mean over one axis, which stays as an axis of one element."""

    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        return x.mean(self.dim, keepdim=True)


class Mixer(nn.Module):
    """Traced. Mixes tokens and channels; attention by softmax of its own products."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(WIDTH, WIDTH)
        self.blocks = nn.Sequential(*[MixerBlock() for _ in range(LAYERS)])
        self.pool = Pooled(1)
        self.head = nn.Linear(WIDTH, 32)

    def forward(self, x):
        return self.head(self.pool(self.blocks(self.first(x))) + x)


class Stage(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(16, 16, 3, padding=1, groups=2)
        self.norm = nn.BatchNorm2d(16)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x):
        return self.act(self.norm(self.conv(x)))


class ConvNet(nn.Module):
    """Traced. Grouped convolutions, running statistics, pooling and interpolation."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 3, padding=1)
        self.stages = nn.Sequential(*[Stage() for _ in range(LAYERS)])
        self.pool = nn.AvgPool2d(3, stride=2, padding=1)
        self.grow = nn.Upsample(scale_factor=2, mode="bilinear")
        self.shrink = nn.MaxPool2d(2, stride=3)
        self.grid = nn.AdaptiveAvgPool2d(4)
        self.head = nn.Linear(4 * 4 * 16, 10)

    def forward(self, x):  # [batch, 3, 17, 17]
        x = self.grow(self.pool(self.stages(self.stem(x))))  # [batch, 16, 18, 18]
        return self.head(self.grid(self.shrink(x)).flatten(1))


class Recurrent(nn.Module):
    """Scripted. Outputs and last states of every layer are taps."""

    def __init__(self):
        super().__init__()
        self.lstms = nn.ModuleList(nn.LSTM(32, 32, batch_first=True) for _ in range(4))
        self.grus = nn.ModuleList(nn.GRU(32, 32, batch_first=True) for _ in range(4))
        self.head = nn.Linear(32, 8)

    def forward(self, x):  # [batch, steps, 32]
        for lstm in self.lstms:
            x = x + lstm(x)[0]
        for gru in self.grus:
            x = x + gru(x)[0]
        return self.head(x)


def seeded(model):
    """Values of the size that trained weights have."""
    random = torch.Generator().manual_seed(11)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            values = torch.randn(parameter.shape, generator=random)
            if parameter.dim() > 1:
                parameter.copy_(1.2 * values * parameter[0].numel() ** -0.5)
            elif "norm" in name and name.endswith("weight"):
                parameter.copy_(1 + 0.2 * values)
            else:
                parameter.copy_(0.2 * values)
        for name, buffer in model.named_buffers():
            values = torch.randn(buffer.shape, generator=random)
            if name.endswith("running_mean"):
                buffer.copy_(0.3 * values)
            elif name.endswith("running_var"):
                buffer.copy_(0.3 + values.square())
        if hasattr(model, "embed"):
            model.embed.weight.normal_(generator=random)
    return model.eval()


def noise(*shape, seed=5):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def token_ids():
    return torch.randint(
        0, VOCABULARY - 1, (2, TOKENS), generator=torch.Generator().manual_seed(6)
    )


#: name -> (class, input, "scripted" or "traced")
SCRIPT_MODELS = {
    "transformer": (Transformer, token_ids(), "scripted"),
    "mixer": (Mixer, noise(2, TOKENS, WIDTH), "traced"),
    "conv net": (ConvNet, noise(2, 3, 17, 17), "traced"),
    "recurrent": (Recurrent, noise(2, 12, 32), "scripted"),
}


def as_script(model, kind):
    _, example, how = SCRIPT_MODELS[kind]
    if how == "traced":
        return torch.jit.trace(model, example, check_trace=False)
    return torch.jit.script(model)
