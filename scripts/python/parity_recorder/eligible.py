"""Which models can be recorded: those whose layers call hooks, and whose weights and names a golden can hold."""
import torch

from . import arguments, weights
from .errors import RecorderError


def _is_compiled(module):
    return (hasattr(module, "_orig_mod") or getattr(module, "_compiled_call_impl", None) is not None
            or hasattr(module.__dict__.get("forward"), "_torchdynamo_orig_callable"))


def check(model):
    for path, module in model.named_modules():
        where = f"its layer {path!r:.80}" if arguments.text_fault(path) else f"its layer {path}" if path else "the model"
        if isinstance(module, torch.jit.ScriptModule):
            raise RecorderError(f"{where} is TorchScript, which calls no hooks; save it with torch.jit.save and give the file "
                                "to parity record")
        if _is_compiled(module):
            raise RecorderError(f"{where} is compiled, and compiled code calls no hooks; record the model before "
                                "torch.compile (model._orig_mod)")
        if arguments.text_fault(path):
            raise RecorderError(f"the name of {where} {arguments.text_fault(path)}; give it another one")
    for name, tensor, _ in weights.named(model):
        if torch.nn.parameter.is_lazy(tensor):
            raise RecorderError(f"the weight {name} has no shape before the first call; call the model once, then record it")
        if arguments.text_fault(name):
            raise RecorderError(f"the name of the weight {name!r:.80} {arguments.text_fault(name)}; give it another one")
