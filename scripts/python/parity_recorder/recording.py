"""Records what the layers of a model give while somebody runs it. Knows hooks, names and calls; copies go through capture,
the file through golden_file.
"""
import atexit
import functools
import inspect
import os
import threading
from contextlib import contextmanager

import torch

from . import element_types, facts, globs, values, weights
from .capture import Stream
from .errors import RecorderError
from .golden_file import GoldenFile, Node, TapId, TapRecord

_OUTPUT = "<output>"
_CASE_NAME_BYTES = 200


def _globs(given):
    return [given] if isinstance(given, str) else list(given)


def _store_mode(store):
    """Mode and rows of "full", "digest" or "rows:N"."""
    if store in ("full", "digest"):
        return store, 0
    kind, _, count = str(store).partition(":")
    if kind == "rows" and count.isascii() and count.isdigit() and int(count) > 0:
        return kind, int(count)
    raise RecorderError(f"store is '{store}', which is none of full, digest and rows:N")


def _check_case_name(name):
    fault = ""
    if not isinstance(name, str) or not name:
        fault = "is empty or no text"
    elif len(name.encode("utf-8", "surrogatepass")) > _CASE_NAME_BYTES:
        fault = f"has more than {_CASE_NAME_BYTES} bytes"
    elif "/" in name or not name.isprintable():
        fault = "has a '/' or characters that cannot be printed"
    if fault:
        raise RecorderError(f"the case name {name!r:.60} {fault}; give another one")


def _check_model(model):
    if not isinstance(model, torch.nn.Module):
        raise RecorderError(f"a torch.nn.Module is recorded, and this is a {type(model).__name__}")
    for path, module in model.named_modules():
        where = f"its layer {path}" if path else "the model"
        if isinstance(module, torch.jit.ScriptModule):
            raise RecorderError(f"{where} is TorchScript, which calls no hooks; save it with torch.jit.save and give the file "
                                "to parity record")
        if hasattr(module, "_orig_mod") or getattr(module, "_compiled_call_impl", None) is not None:
            raise RecorderError(f"{where} is compiled, and compiled code calls no hooks; record the model before "
                                "torch.compile (model._orig_mod)")


class _Case:
    """What is counted within one case."""

    def __init__(self, name):
        self.name = name
        self.calls = {}
        self.skipped = []
        self.notes = []
        self.inputs = None
        self.started = 0
        self.finished = 0
        self.threads = set()
        self.random_state = _random_state()

    def next_call(self, path):
        self.calls[path] = self.calls.get(path, -1) + 1
        return self.calls[path]


def _random_state():
    states = [torch.get_rng_state()]
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        states += torch.cuda.get_rng_state_all()
    return states


class Recording:
    """See parity_recorder.record()."""

    def __init__(self, model, path, *, case, layers, skip, store, weights, compress, memory_bytes, name, notes):
        self._model = model
        self._path = path
        self._only_case = case
        self._filter = globs.TapFilter(_globs(layers), _globs(skip))
        self._choice = {"capture.layers": "\n".join(_globs(layers)), "capture.skip": "\n".join(_globs(skip))}
        self._store = _store_mode(store)
        if weights not in ("digest", "none"):
            raise RecorderError(f"weights is '{weights}', which is neither digest nor none")
        if compress is not None and compress not in range(1, 10):
            raise RecorderError(f"compress is {compress}; give a level from 1 to 9, or None")
        self._weights = weights
        self._compress = compress
        self._memory_bytes = memory_bytes
        self._name = name
        self._notes = list(notes)
        self._lock = threading.RLock()
        self._local = threading.local()
        self._case = None
        self._cases = 0
        self._broken = ""  # why nothing can come of this recording any more
        self._golden = None
        self._process = None  # that started it; a fork of it has the same objects, and no business with the file
        self._stream = None
        self._handles = []
        self._wrapped = []  # modules with another forward() for now, and the one that was their own
        self._device = None
        self._switches = None
        self._called = set()

    # The life of a recording.

    def start(self):
        """The same as entering the `with` block."""
        if self._golden is not None:
            raise RecorderError(f"the recording of {self._golden.path} was started before; make a new one")
        _check_model(self._model)
        if self._only_case is not None:
            _check_case_name(self._only_case)
        self._process = os.getpid()
        self._golden = GoldenFile(self._path, self._compress)
        try:
            self._description, notes = weights.describe(self._model, self._name, self._weights == "digest")
            self._notes += notes
            self._stream = Stream(self._golden, *self._store, self._memory_bytes)
            self._install()
            atexit.register(self.discard)
            if self._only_case is not None:
                self._begin_case(self._only_case)
        except BaseException:
            self.discard()
            raise
        return self

    def stop(self):
        """The same as leaving the `with` block without an exception: the file is there afterwards, or RecorderError says
        why not."""
        if self._is_forked():
            raise RecorderError(f"the recording of {self._golden.path} belongs to process {self._process}, which started it; stop "
                                "it there")
        try:
            self._uninstall()
            if self._case is not None:
                self._end_case()
            if self._broken:
                raise RecorderError(f"{self._broken}, so {self._golden.path} was not written")
            if self._cases == 0:
                raise RecorderError("no case was recorded: give record(..., case=NAME), or enter recording.case(NAME) around "
                                    "the model's call")
            self._finish()
        finally:
            self.discard()

    def discard(self):
        """Gives up: hooks and temporary file are gone. Does nothing behind stop(), and in a process that was forked from the
        one that records."""
        if self._is_forked():
            return
        self._uninstall()
        if self._stream is not None:
            self._stream.close()
        if self._golden is not None:
            self._golden.discard()
        atexit.unregister(self.discard)

    def _is_forked(self):
        return self._process is not None and self._process != os.getpid()

    def __enter__(self):
        return self.start()

    def __exit__(self, kind, error, trace):
        if kind is None:
            self.stop()
        else:
            self.discard()

    @contextmanager
    def case(self, name):
        """One case of several: what the model is given first inside are its inputs."""
        if self._only_case is not None:
            raise RecorderError(f"record() has the one case '{self._only_case}'; leave its case away to record several")
        if self._case is not None:
            raise RecorderError(f"the case '{self._case.name}' is still open; cases cannot be nested")
        _check_case_name(name)
        self._begin_case(name)
        try:
            yield self
        except BaseException:
            self._broken = self._broken or f"the case '{name}' ended with an exception"
            self._case = None
            raise
        self._end_case()

    def _begin_case(self, name):
        with self._lock:
            self._golden.begin_case(name)
            self._case = _Case(name)

    def _end_case(self):
        with self._lock:
            case, self._case = self._case, None
        if self._broken:
            return
        self._stream.drain()
        if case.started > case.finished:
            self._broken = f"the model raised an exception in case '{case.name}'"
            return
        self._note_what_happened(case)
        self._golden.end_case(case.inputs or Node("none"), case.skipped, case.notes)
        self._cases += 1

    def _note_what_happened(self, case):
        if case.started == 0:
            case.notes.append("the model itself was not called, only layers of it, so no output was recorded")
        if case.started > 1:
            case.notes.append(f"the model was called {case.started} times; the inputs are those of the first call")
        if len(case.threads) > 1:
            case.notes.append(f"{len(case.threads)} threads ran the model; taps are in the order in which they ended")
        state = _random_state()
        if len(state) == len(case.random_state) and not all(map(torch.equal, state, case.random_state)):
            self._random = True
            case.notes.append("the model draws random numbers; the same seed gives others on another device or in another "
                              "dtype, and what comes behind them differs there")

    def _finish(self):
        unmatched = self._filter.unmatched()
        if unmatched:
            raise RecorderError(f"the glob '{unmatched[0]}' of layers or skip matches no tap of this model; `*` does not cross "
                                "a dot, `**` does")
        if self._golden.tap_count == 0:
            raise RecorderError("no layer was called while it was recorded, so nothing was written; is this the object that "
                                "runs, and does it run in eager mode, in this process?")
        device = self._device or torch.device("cpu")
        provenance = {**facts.environment(device), **(self._switches or facts.switches(device)),
                      "model.kind": self._description.kind, "switch.dtype": "keep", "capture.taps": "modules", **self._choice}
        if getattr(self, "_random", False):
            provenance["run.random_numbers"] = "drawn"
        idle = [path for path, module in self._model.named_modules()
                if path and path not in self._called and type(module).forward is not torch.nn.Module.forward]
        if idle:
            more = f" and {len(idle) - 3} more" if len(idle) > 3 else ""
            self._notes.append(f"not called: {', '.join(idle[:3])}{more}")
        if self._model.training:
            self._notes.append("the model is in training mode")
        self._golden.finish(self._description, provenance, self._notes)

    # Hooks.

    def _install(self):
        for path, module in self._model.named_modules():
            # Services call the model's forward() itself, and so do layers with a __call__ of their own: no hook sees that.
            if not path or type(module).__call__ is not torch.nn.Module.__call__:
                self._wrap_forward(path, module)
            self._handles.append(module.register_forward_hook(functools.partial(self._after, path)))

    def _wrap_forward(self, path, module):
        self._handles.append(module.register_forward_pre_hook(functools.partial(self._before, path), prepend=True))
        self._wrapped.append((module, module.__dict__.get("forward")))
        forward = module.forward

        @functools.wraps(forward)
        def recorded(*args, **kwargs):
            return self._forward(path, module, forward, args, kwargs)

        module.__dict__["forward"] = recorded

    def _uninstall(self):
        for handle in self._handles:
            handle.remove()
        for module, own_forward in reversed(self._wrapped):
            if own_forward is None:
                module.__dict__.pop("forward", None)
            else:
                module.__dict__["forward"] = own_forward
        self._handles, self._wrapped = [], []

    def _hooked(self):
        """Paths of modules of this thread that are called and whose hooks will fire."""
        if not hasattr(self._local, "hooked"):
            self._local.hooked = set()
        return self._local.hooked

    def _before(self, path, module, args):
        self._hooked().add(path)

    def _forward(self, path, module, forward, args, kwargs):
        hooked = path in self._hooked()
        self._hooked().discard(path)
        case = self._case
        if case is None:
            return forward(*args, **kwargs)
        if not path:
            with self._lock:
                case.started += 1
                if case.inputs is None:
                    self._take_inputs(case, forward, args, kwargs)
        result = forward(*args, **kwargs)
        if not hooked:
            self._after(path, module, args, result)
        return result

    def _after(self, path, module, args, output):
        with self._lock:
            self._called.add(path)
            if self._case is None:
                return
            if path:
                self._emit("module", path, output)
            else:
                self._emit("output", _OUTPUT, output)
                self._case.finished += 1

    def _take_inputs(self, case, forward, args, kwargs):
        try:
            names = list(inspect.signature(forward).parameters)
        except (TypeError, ValueError):
            names = []
        tree = values.InputTree()
        case.inputs = tree.of_call(names, args, kwargs) or Node("none")
        case.notes += tree.notes

    def _emit(self, kind, path, output):
        case = self._case
        case.threads.add(threading.get_ident())
        call = case.next_call(path)
        leaves = values.leaves_of(output)
        tensors = sum(isinstance(leaf, torch.Tensor) for _, leaf in leaves)
        if not leaves:
            self._skip(TapId(kind, path, call), f"the value is {values.kind_text(output)} and holds no tensor")
        for port, leaf in leaves:
            is_tensor = isinstance(leaf, torch.Tensor)
            tap = TapId(kind, path, call, "" if is_tensor and tensors == 1 else port)
            why = values.obstacle(leaf) if is_tensor else f"{values.kind_text(leaf)}, not a tensor"
            if why:
                self._skip(tap, f"the value is {why}")
            elif self._filter.keeps(tap):
                self._put(tap, leaf, port)

    def _skip(self, tap, why):
        if self._filter.keeps(tap):
            self._case.skipped.append((tap, why))

    def _put(self, tap, tensor, port):
        """`port`: what the value is called in the output, also where the tap leaves it out."""
        if self._device is None or (self._device.type != "cuda" and tensor.device.type == "cuda"):
            self._device = tensor.device
            self._switches = facts.switches(tensor.device)
        record = TapRecord(tap, element_types.dtype_name(tensor.dtype), tuple(tensor.shape))
        if tap.kind == "output" and values.looks_like_logits(port, record.shape, self._case.inputs or Node("none")):
            record.role = "logits"
        self._stream.put(record, tensor)
