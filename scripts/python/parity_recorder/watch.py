"""Whether a model is still the one that a recording began with: the same layers, the same weights. Decides what a change
means, and not what is done about it.

Nothing that torch tells of a tensor proves that its values are the same: writes through `.data`, numpy or a kernel of one's
own leave identity, address and version as they were. So digests are taken again at the end; the cheap signs only say, in
between, which tensors to look at.
"""
import weakref

import torch

from . import values, weights


class _Mark:
    """Cheap signs of a tensor's values."""

    def __init__(self, tensor, is_buffer):
        self.is_buffer = is_buffer
        self._tensor = weakref.ref(tensor)
        self._signs = self._signs_of(tensor)

    @staticmethod
    def _signs_of(tensor):
        version = None if tensor.is_inference() else tensor._version  # nobody counts changes of an inference tensor
        return tensor.data_ptr(), version, tensor.dtype, tensor.shape, tensor.device

    def still_holds(self, tensor):
        return self._tensor() is tensor and self._signs == self._signs_of(tensor)


def _more(names):
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


class Watch:
    """`known`: the weights that have a digest, empty when none was wanted; `uncovered`: names of those that have none."""

    def __init__(self, model, known, uncovered):
        self._model = model
        self.modules = dict(model.named_modules())
        self._digests = {weight.name: weight.digest for weight in known}
        self._uncovered = set(uncovered)
        self._with_weights = bool(known or uncovered)
        self._state = set()  # buffers that the model's own calls changed
        self._trained = set()  # layers that were in training mode in some call
        self._marks = {name: _Mark(tensor, is_buffer) for name, tensor, is_buffer in weights.named(model)
                       if name in self._digests}

    def look(self, called):
        """What changed since the last look, as the start of a sentence; empty when nothing did that matters. `called`:
        layers were called in between, so that buffers may have been changed by the model itself."""
        if called and self._with_weights:
            self._trained.update(path for path, module in self.modules.items() if module.training and module._buffers)
        return self._changed_layer() or (self._changed_weight(called) if self._with_weights else "")

    def _changed_layer(self):
        now = dict(self._model.named_modules())
        for path, module in now.items():
            if path not in self.modules:
                return f"the layer {path} was added during the recording"
            if module is not self.modules[path]:
                return f"the layer {path} was replaced during the recording"
        gone = next((path for path in self.modules if path not in now), None)
        return f"the layer {gone} was removed during the recording" if gone is not None else ""

    def _changed_weight(self, called):
        seen = set()
        for name, tensor, is_buffer in weights.named(self._model):
            seen.add(name)
            mark = self._marks.get(name)
            if mark is None:
                if name in self._uncovered:
                    continue
                if not (is_buffer and called):
                    return f"the weight {name} was added during the recording"
                self._uncovered.add(name)
                self._state.add(name)
            elif values.is_transformed(tensor):
                continue  # for the time of a torch.func call, whose values are not captured either
            elif values.obstacle(tensor):
                return f"the weight {name} became {values.obstacle(tensor)} during the recording"
            elif not mark.still_holds(tensor):
                if is_buffer and called:
                    self._state.add(name)
                elif weights.digest(tensor) != self._digests[name]:
                    return f"the weight {name} changed during the recording"
                self._marks[name] = _Mark(tensor, is_buffer)
        for name, mark in self._marks.items():
            if name not in seen and name not in self._state:
                if not (mark.is_buffer and called):
                    return f"the weight {name} was removed during the recording"
                self._state.add(name)
        return ""

    def last_look(self, called):
        """As look(), with digests taken again of all that the model's calls did not change."""
        fault = self.look(called)
        if fault or not self._digests:
            return fault
        again = weights.Digests()
        for name, tensor, is_buffer in weights.named(self._model):
            if name not in self._digests or name in self._state:
                continue
            if again.of(tensor) != self._digests[name]:
                if not is_buffer or not self._may_change_unseen(name):
                    return f"the weight {name} changed during the recording"
                self._state.add(name)
        return ""

    def _may_change_unseen(self, buffer):
        """Whether it was the model: kernels such as that of batch norm count no version of what they update."""
        path, _, leaf = buffer.rpartition(".")
        owner = self._model.get_submodule(path)
        trained = any(self.modules.get(other) is owner for other in self._trained)
        return trained or leaf in owner._non_persistent_buffers_set

    def notes(self):
        if not self._state:
            return []
        return [f"calls of the model changed buffers: {_more(sorted(self._state))}; their digests are of the values before the "
                "recording"]
