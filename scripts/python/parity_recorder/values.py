"""What a module returns and what a model is given, taken apart: ports of nested outputs as parity names them, and the tree
of inputs. Knows tensors by their kind; copies none but those of the inputs.
"""
import dataclasses
import math
from collections.abc import Mapping, Sequence

import torch

from . import element_types
from .errors import RecorderError
from .golden_file import Node

_INT64 = range(-(1 << 63), 1 << 63)


def fields_of(value):
    """Pairs of name and value of what is a container here; None of a leaf, and of what does not give its parts away."""
    try:
        return _fields_of(value)
    except Exception:  # it is the model's own code that is asked
        return None


def _fields_of(value):
    if isinstance(value, Mapping) or (hasattr(value, "keys") and hasattr(value, "__getitem__")):
        return [(_key_text(key, position), value[key]) for position, key in enumerate(value.keys())]
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return list(zip(value._fields, value))
    if isinstance(value, (list, tuple)):
        if isinstance(value, list) and value and all(isinstance(item, (int, float, complex, str)) for item in value):
            return None  # a thousand skipped numbers would say nothing
        return [(str(position), item) for position, item in enumerate(value)]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [(field.name, getattr(value, field.name)) for field in dataclasses.fields(value)]
    return None


def _printable(text):
    """With escapes for what no reader could print, or would take for the text's end."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _key_text(key, position):
    # An empty port would say that there is no other output.
    if isinstance(key, str):
        return _printable(key) or "''"
    return str(key) if isinstance(key, int) else str(position)


class _Distinct:
    """Names that were there before get a number: `a~1`. The keys 1 and '1' are one text, but two values."""

    def __init__(self):
        self._given = set()

    def name(self, text):
        name, number = text, 0
        while name in self._given:
            number += 1
            name = f"{text}~{number}"
        self._given.add(name)
        return name


def leaves_of(value):
    """Pairs of port and leaf of an output, depth first; what is None is left out. What holds itself is a leaf there. No
    two ports are the same."""
    leaves = []

    def collect(port, value, above):
        fields = None if isinstance(value, torch.Tensor) or id(value) in above else fields_of(value)
        if fields is None:
            leaves.append((port, value))
            return
        for name, item in fields:
            collect(f"{port}.{name}" if port else name, item, above | {id(value)})

    collect("", value, frozenset())
    distinct = _Distinct()
    return [(distinct.name(port), leaf) for port, leaf in leaves if leaf is not None]


def kind_text(value):
    """What a value without a tensor is, as part of a sentence."""
    if value is None:
        return "None"
    if isinstance(value, (list, tuple, Mapping)) and not value:
        return f"an empty {type(value).__name__}"
    return f"of type {type(value).__name__}"


def obstacle(tensor):
    """Why a tensor cannot be captured; empty when it can."""
    if is_transformed(tensor):
        return "a tensor under torch.func, which stands for many; parity compares plain ones"
    if tensor.is_nested:
        return "a nested tensor has no single shape; parity compares dense tensors"
    if tensor.is_quantized:
        return "a quantised tensor; parity compares dense unquantised tensors"
    if tensor.is_meta:
        return "a meta tensor holds no values"
    if tensor.layout not in (torch.strided, torch._mkldnn):
        return "a sparse tensor; parity compares dense tensors"
    if type(tensor).__torch_dispatch__ != torch.Tensor.__torch_dispatch__:
        return f"a {type(tensor).__name__}, which is made of other tensors; parity compares plain ones"
    if not element_types.is_storable(element_types.dtype_name(tensor.dtype)):
        return f"a tensor of type {element_types.dtype_name(tensor.dtype)}, which parity has no dtype for"
    return ""


def is_transformed(tensor):
    """Under torch.func: such a tensor stands for many."""
    asked = getattr(getattr(torch._C, "_functorch", None), "is_functorch_wrapped_tensor", None)
    return asked is not None and asked(tensor)


def plain(tensor):
    """The values of a capturable tensor as a plain one, which may share its memory."""
    tensor = tensor.detach()
    if tensor.layout == torch._mkldnn:
        tensor = tensor.to_dense()
    return tensor.as_subclass(torch.Tensor).resolve_conj().resolve_neg()


def as_bytes(tensor):
    """A contiguous tensor seen as one row of bytes."""
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor)
    return tensor.reshape(-1).view(torch.uint8)


def refuse_graph_capture():
    """Before values of a GPU's tensor are asked for: inside a graph that is being captured it has none."""
    if torch.cuda.is_current_stream_capturing():
        raise RecorderError("the model is being captured as a CUDA graph, whose tensors hold no values yet; record it in eager "
                            "mode")


def host_bytes(tensor):
    """The bytes of a capturable tensor, contiguous and row-major, as an array."""
    if tensor.device.type == "cuda":
        refuse_graph_capture()
    return as_bytes(plain(tensor).cpu().contiguous()).numpy()


class InputTree:
    """The tree of a call's inputs. What a golden cannot hold is left out of a dict, is none elsewhere, and is noted."""

    def __init__(self):
        self.notes = []

    def of_call(self, names, args, kwargs):
        """One positional value is itself, several are a tuple; with any keyword all go by name. `names`: of the
        parameters, by which positional values are known."""
        if not kwargs:
            return self.node("inputs", args[0]) if len(args) == 1 else self.node("inputs", tuple(args))
        named = {(names[i] if i < len(names) else str(i)): value for i, value in enumerate(args)}
        named.update(kwargs)
        return self.node("", named)

    def _left_out(self, name, why):
        self.notes.append(f"input {name or 'of the model'} is left out: {why}")

    def node(self, name, value, above=frozenset()):
        """None where a golden cannot hold the value, which is noted then."""
        if value is None:
            return Node("none")
        if isinstance(value, torch.Tensor):
            return self._tensor(name, value)
        if isinstance(value, bool):
            return Node("bool", integer=int(value))
        if isinstance(value, int):
            if value in _INT64:
                return Node("int", integer=value)
            return self._left_out(name, "a golden's integers have 64 bits")
        if isinstance(value, float):
            return Node("float", real=value)
        if isinstance(value, str):
            return Node("str", data=value.encode("utf-8", "surrogatepass"))
        if type(value).__module__ == "numpy":
            try:
                return self._tensor(name, torch.as_tensor(value))
            except TypeError:
                return self._left_out(name, f"a numpy value of type {value.dtype}")
        return self._container(name, value, above)

    def _tensor(self, name, value):
        why = obstacle(value)
        if why:
            return self._left_out(name, f"it is {why}")
        return Node("tensor", dtype=element_types.dtype_name(value.dtype), shape=tuple(value.shape),
                    data=host_bytes(value).tobytes())

    def _container(self, name, value, above):
        is_dict = isinstance(value, Mapping) or (hasattr(value, "keys") and hasattr(value, "__getitem__"))
        if id(value) in above or not (is_dict or isinstance(value, Sequence)):
            return self._left_out(name, f"it is {kind_text(value)}, which a golden cannot hold")
        above = above | {id(value)}
        distinct = _Distinct()
        try:
            items = ([(distinct.name(_printable(str(key))), value[key]) for key in value.keys()] if is_dict else
                     [(str(i), item) for i, item in enumerate(value)])
        except Exception as error:  # it is somebody else's code that is asked
            return self._left_out(name, f"it is {kind_text(value)}, and asking it for its parts raised {type(error).__name__}")
        children = []
        for key, item in items:
            child = self.node(f"{name}.{key}" if name else key, item, above)
            if child is None and is_dict:
                continue
            child = child or Node("none")
            child.key = key if is_dict else ""
            children.append(child)
        return Node("dict" if is_dict else "tuple" if isinstance(value, tuple) else "list", children=children)


def tensors_in(node):
    """All tensors of a tree of inputs."""
    if node.kind == "tensor":
        return [node]
    return [tensor for child in node.children for tensor in tensors_in(child)]


def looks_like_logits(port, shape, inputs):
    """Whether an output's last dimension is the vocabulary: its port is called so, or the inputs hold token ids below
    its size, one for each position."""
    if not shape:
        return False
    if port.rpartition(".")[2] == "logits":
        return True
    found = False
    for node in tensors_in(inputs):
        if node.dtype not in ("int64", "int32") or not node.shape or not math.prod(node.shape):
            continue
        if tuple(node.shape) != tuple(shape[:-1]):
            continue
        ids = torch.frombuffer(bytearray(node.data), dtype=getattr(torch, node.dtype))
        if int(ids.max()) >= shape[-1] or int(ids.min()) < 0:
            return False  # an id beyond it: no vocabulary
        found = True
    return found
