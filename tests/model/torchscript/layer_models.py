"""Models whose layers are called by name: containers, loops, nested outputs, state, defaults."""

from typing import Dict, List, Optional, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn


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
