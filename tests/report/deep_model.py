"""A language model with as many layers as a test asks for, and a fault in one of them.

The fault is a changed weight, so both sides have the same graph and the same taps.
"""

import torch
from torch import nn

VOCABULARY = 96
WIDTH = 32


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.up = nn.Linear(WIDTH, 2 * WIDTH)
        self.act = nn.GELU()
        self.down = nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, x):
        return x + 0.2 * self.down(self.act(self.up(self.norm(x))))


class DeepModel(nn.Module):
    """Five taps a block, and four around them."""

    def __init__(self, blocks):
        super().__init__()
        torch.manual_seed(11)
        self.embed = nn.Embedding(VOCABULARY, WIDTH)
        self.blocks = nn.ModuleList([Block() for _ in range(blocks)])
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, tokens):
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))  # [batch, tokens, vocabulary]


def with_fault(model, block, factor=1.5):
    """Scales one row of one weight: its layer alone makes a difference, everything behind inherits it."""
    with torch.no_grad():
        model.blocks[block].down.weight[3] *= factor
    return model


def tokens(count, seed):
    random = torch.Generator().manual_seed(seed)
    return torch.randint(VOCABULARY, (2, count), generator=random)
