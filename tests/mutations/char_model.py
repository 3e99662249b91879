"""A small decoder-only character model in which single faults of a backend can be seeded.

Every fault is a changed number (a weight, or a buffer that is neutral in the healthy model), so
both sides have the same graph and the same taps. Random weights, always the same.
"""

import torch
import torch.nn.functional as F
from torch import nn

VOCABULARY = 64
WIDTH = 32
LONGEST = 320
NO_LIMIT = 1 << 30


class RMSNorm(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))

    def forward(self, x):
        wide = x.float()
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)
        return self.weight * wide.to(x.dtype)


class Rotary(nn.Module):
    """Angles of positions; with `rounded` at 1 the positions are rounded to bfloat16."""

    def __init__(self):
        super().__init__()
        self.register_buffer("rounded", torch.tensor(0.0))
        self.register_buffer("frequency", 0.5 ** torch.arange(WIDTH // 2).float())

    def forward(self, x):
        positions = torch.arange(x.size(1), device=x.device).float()
        positions = torch.lerp(positions, positions.to(torch.bfloat16).float(), self.rounded)
        angles = positions.unsqueeze(-1) * self.frequency  # [tokens, width / 2]
        return torch.cat([angles, angles], -1).cos(), torch.cat([angles, angles], -1).sin()


def rotated(x, cos, sin):
    half = x.size(-1) // 2
    return x * cos + torch.cat([-x[..., half:], x[..., :half]], -1) * sin


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o = [nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4)]
        self.longest_right = NO_LIMIT

    def forward(self, x, cos, sin):
        q, k = rotated(self.q(x), cos, sin), rotated(self.k(x), cos, sin)
        window = x.size(1) if x.size(1) <= self.longest_right else self.longest_right // 2
        ones = torch.ones(x.size(1), x.size(1), dtype=torch.bool, device=x.device)
        mask = ones.tril() & ones.triu(1 - window)
        return self.o(F.scaled_dot_product_attention(q, k, self.v(x), attn_mask=mask))


class Block(nn.Module):
    def __init__(self, approximate):
        super().__init__()
        self.norm = RMSNorm()
        self.attention = Attention()
        self.up = nn.Linear(WIDTH, 4 * WIDTH)
        self.act = nn.GELU(approximate=approximate)
        self.down = nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x, cos, sin):
        x = x + self.attention(self.norm(x), cos, sin)
        return x + self.down(self.act(self.up(x)))


class Head(nn.Module):
    def __init__(self, vocabulary):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(vocabulary, WIDTH))
        self.register_buffer("gain", torch.ones(LONGEST, 1))
        self.register_buffer("offset", torch.zeros(LONGEST, 1))
        self.register_buffer("suppressed", torch.zeros(vocabulary))

    def forward(self, x):
        tokens = x.size(1)
        return (
            F.linear(x, self.weight) * self.gain[:tokens] + self.offset[:tokens] + self.suppressed
        )


class CharModel(nn.Module):
    def __init__(self, approximate="none", vocabulary=VOCABULARY):
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, WIDTH)
        self.rotary = Rotary()
        self.blocks = nn.ModuleList([Block(approximate) for _ in range(2)])
        self.norm = RMSNorm()
        self.head = Head(vocabulary)
        random = torch.Generator().manual_seed(7)
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                if parameter.dim() > 1:
                    scale = 1.5 if name == "head.weight" else parameter.size(-1) ** -0.5
                    parameter.copy_(scale * torch.randn(parameter.shape, generator=random))
                elif name.endswith("bias"):
                    parameter.zero_()

    def forward(self, tokens):
        x = self.embed(tokens)
        cos, sin = self.rotary(x)
        for block in self.blocks:
            x = block(x, cos, sin)
        return self.head(self.norm(x))  # [batch, tokens, vocabulary]


def tokens(count, batch=1):
    random = torch.Generator().manual_seed(count)
    return torch.randint(VOCABULARY, (batch, count), generator=random)
