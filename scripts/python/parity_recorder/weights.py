"""Digests of a model's weights under the names that PyTorch gives them, so that a comparison can say whether both sides
have the same. Reads a piece at a time; changes nothing.
"""
import torch

from . import element_types, values
from .golden_file import Model, Weight
from .xxh3 import Digest

_PIECE_BYTES = 64 << 20


def _digest(tensor):
    digest = Digest()
    flat = values.plain(tensor).contiguous().reshape(-1)
    step = max(_PIECE_BYTES // tensor.element_size(), 1)
    for start in range(0, flat.numel(), step):
        digest.update(values.as_bytes(flat[start:start + step].cpu()).numpy())
    return digest.digest().hex()


def _named(model):
    """Tied weights once per name, as a state_dict has them; buffers that a state_dict leaves out as well."""
    yield from model.named_parameters(remove_duplicate=False)
    yield from model.named_buffers(remove_duplicate=False)


def describe(model, name, with_digests):
    """A Model, and notes on weights that have no digest."""
    weights, notes, known = [], [], {}
    for weight_name, tensor in _named(model) if with_digests else ():
        why = values.obstacle(tensor)
        if why:
            notes.append(f"the weights check does not cover {weight_name}: it is {why}")
            continue
        # Tied weights are read once.
        key = (tensor.data_ptr(), tensor.device, tensor.dtype, tuple(tensor.shape), tensor.stride())
        if key not in known or tensor.numel() == 0:
            with torch.no_grad():
                known[key] = _digest(tensor)
        weights.append(Weight(weight_name, element_types.dtype_name(tensor.dtype), tuple(tensor.shape), known[key]))
    parameters = sum(parameter.numel() for parameter in model.parameters())
    kind = f"python:{type(model).__module__}.{type(model).__qualname__}"
    return Model(name or type(model).__name__, kind, parameters, weights), notes
