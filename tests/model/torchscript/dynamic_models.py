"""Models in which which layer runs, or when, is known at run time only: interfaces, forks, blocks."""

import torch
from torch import Tensor, nn


@torch.jit.interface
class LayerInterface(nn.Module):
    def forward(self, input: Tensor) -> Tensor:
        pass


class Dynamic(nn.Module):
    """A list indexed by a number that is known at run time only."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Sequential(nn.Linear(4, 4), nn.Tanh())])

    def forward(self, x: Tensor, index: int):
        if torch.jit.is_scripting():
            layer: LayerInterface = self.layers[index]
            first = layer.forward(x)
            other: LayerInterface = self.layers[1 - index]
            second = other.forward(x)
        else:
            first = self.layers[index](x)
            second = self.layers[1 - index](x)
        return first + second


class ThroughInterface(nn.Module):
    layer: LayerInterface

    def __init__(self):
        super().__init__()
        self.layer = nn.Sequential(nn.Linear(4, 4), nn.Tanh())

    def forward(self, x: Tensor):
        if torch.jit.is_scripting():
            y = self.layer.forward(x)
        else:
            y = self.layer(x)
        return y * 2.0


class Fork(nn.Module):
    """A branch that is waited for where it is needed."""

    def __init__(self):
        super().__init__()
        self.left = nn.Linear(4, 4)
        self.right = nn.Linear(4, 4)

    def forward(self, x):
        future = torch.jit.fork(self.left, x)
        right = self.right(x)
        return torch.jit.wait(future) + right


class ForkList(nn.Module):
    """Futures in a list: these cannot run on the spot."""

    def __init__(self):
        super().__init__()
        self.left = nn.Linear(4, 4)
        self.right = nn.Linear(4, 4)

    def forward(self, x):
        futures = [torch.jit.fork(self.left, x), torch.jit.fork(self.left, x + 1.0)]
        right = self.right(x)
        for future in futures:
            right = right + torch.jit.wait(future)
        return right


class Guarded(nn.Module):
    """A with block and a plain class on the way."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        with torch.no_grad():
            y = self.fc(x)
        return y * 3.0
