"""Digests of a model's weights under the names that PyTorch gives them, so that a comparison can say whether both sides
have the same. Reads a piece at a time; changes nothing.
"""
import torch

from . import element_types, values
from .golden_file import Model, Weight
from .xxh3 import Digest

_PIECE_BYTES = 64 << 20


@torch.no_grad()
def digest(tensor):
    digest = Digest()
    flat = values.plain(tensor).contiguous().reshape(-1)
    step = max(_PIECE_BYTES // tensor.element_size(), 1)
    for start in range(0, flat.numel(), step):
        digest.update(values.as_bytes(flat[start:start + step].cpu()).numpy())
    return digest.digest().hex()


class Digests:
    """Of tied weights, which are read once."""

    def __init__(self):
        self._known = {}

    def of(self, tensor):
        key = (tensor.data_ptr(), tensor.device, tensor.dtype, tuple(tensor.shape), tensor.stride(), tensor.is_conj(),
               tensor.is_neg())
        if key not in self._known or tensor.numel() == 0:
            self._known[key] = digest(tensor)
        return self._known[key]


def named(model):
    """Name, tensor, and whether it is a buffer. Tied weights once per name, as a state_dict has them; buffers that a
    state_dict leaves out as well."""
    for name, tensor in model.named_parameters(remove_duplicate=False):
        yield name, tensor, False
    for name, tensor in model.named_buffers(remove_duplicate=False):
        yield name, tensor, True


def read(model):
    """Weights with their digests, and pairs of the name of one that has none and the reason."""
    weights, uncovered, digests = [], [], Digests()
    for name, tensor, _ in named(model):
        why = values.obstacle(tensor)
        if why:
            uncovered.append((name, why))
        else:
            weights.append(Weight(name, element_types.dtype_name(tensor.dtype), tuple(tensor.shape), digests.of(tensor)))
    return weights, uncovered


def describe(model, name, weights):
    parameters = sum(parameter.numel() for parameter in model.parameters())
    kind = f"python:{type(model).__module__}.{type(model).__qualname__}"
    return Model(name or type(model).__name__, kind, parameters, weights)
