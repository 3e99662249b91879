"""Records what the layers of a model give while somebody runs it. Knows hooks, names and calls; copies go through capture,
the file through golden_file.
"""
import atexit
import inspect
import os
import threading
import warnings as python_warnings
from contextlib import contextmanager

import torch

from . import arguments, element_types, eligible, facts, globs, values, weights
from .capture import Stream
from .errors import RecorderError
from .golden_file import GoldenFile, Node, TapId, TapRecord
from .hooks import Listening
from .watch import Watch

_OUTPUT = "<output>"


class _Case:
    """What is counted within one case."""

    def __init__(self, name):
        self.name = name
        self.calls = {}
        self.skipped = []
        self.notes = []
        self.inputs = None
        self.started = 0  # calls of the model: begun, ended with an exception, returned, and with their output taken
        self.raised = 0
        self.returned = 0
        self.finished = 0
        self.threads = set()
        self.taps = 0
        self.random_state = _random_state()
        self.draws = False

    def next_call(self, path):
        self.calls[path] = self.calls.get(path, -1) + 1
        return self.calls[path]


def _random_state():
    states = [torch.get_rng_state()]
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        values.refuse_graph_capture()
        states += torch.cuda.get_rng_state_all()
    return states


def _same(states, others):
    """Those that both have: a device may have come into use meanwhile."""
    return all(map(torch.equal, states, others))


class Recording:
    """See parity_recorder.record()."""

    def __init__(self, model, path, *, case, layers, skip, store, weights, compress, memory_bytes, name, notes):
        if not isinstance(model, torch.nn.Module):
            raise RecorderError(f"a torch.nn.Module is recorded, and this is of type {type(model).__name__}")
        self._model = model
        self._path = arguments.path_of(path)
        self._only_case = None if case is None else arguments.case_name_of(case)
        layers, skip = arguments.globs_of("layers", layers), arguments.globs_of("skip", skip)
        self._filter = globs.TapFilter(layers, skip)
        self._choice = {"capture.layers": "\n".join(layers), "capture.skip": "\n".join(skip)}
        self._store = arguments.store_of(store)
        self._with_digests = arguments.weights_of(weights)
        self._compress = arguments.level_of(compress)
        self._memory_bytes = arguments.memory_of(memory_bytes)
        self._name = arguments.name_of(name)
        self._notes = arguments.texts_of("notes", notes)
        self._lock = threading.RLock()
        self._life = "new"  # then running, and in the end stopped or given up
        self._case = None
        self._cases = 0
        self._broken = ""  # why nothing can come of this recording any more
        self._advice = ""
        self._without_taps = None  # why a case has nothing to compare
        self._golden = None
        self._process = None  # that started it; a fork of it has the same objects, and no business with the file
        self._stream = None
        self._listening = None
        self._watch = None
        self._running = 0  # calls of the model that are under way
        self._ran = False  # whether a layer was called since the weights were looked at
        self._device = None
        self._switches = None
        self._called = set()
        self._draws = False
        self._trains = False

    def __deepcopy__(self, memo):
        """Itself: a model that is copied may refer to its recording, of which there is one."""
        return self

    def __copy__(self):
        return self

    def __reduce__(self):
        raise RecorderError(f"the recording of {self._path} cannot be pickled; stop it first, and keep it out of what is saved")

    # The life of a recording.

    def start(self):
        """The same as entering the `with` block."""
        if self._life != "new":
            raise RecorderError(f"the recording of {self._path} was started before; make a new one")
        eligible.check(self._model)
        self._process = os.getpid()
        self._golden = GoldenFile(self._path, self._compress)
        self._life = "running"
        try:
            known, uncovered = weights.read(self._model) if self._with_digests else ([], [])
            self._description = weights.describe(self._model, self._name, known)
            self._notes += [f"the weights check does not cover {name}: it is {why}" for name, why in uncovered]
            self._watch = Watch(self._model, known, [name for name, _ in uncovered])
            self._stream = Stream(self._golden, *self._store, self._memory_bytes)
            self._listening = Listening(self._watch.modules, self._forward, self._after)
            atexit.register(self._leave_unfinished)
            if self._only_case is not None:
                self._begin_case(self._only_case)
        except BaseException:
            self.discard()
            raise
        return self

    def _check_running(self):
        if self._life == "new":
            raise RecorderError(f"the recording of {self._path} was not started; call start(), or enter it with `with`")
        if self._life != "running":
            raise RecorderError(f"the recording of {self._path} was {self._life} before; make a new one")

    def stop(self):
        """The same as leaving the `with` block without an exception: the file is there afterwards, or RecorderError says
        why not."""
        self._check_running()
        if self._is_forked():
            raise RecorderError(f"the recording of {self._path} belongs to process {self._process}, which started it; stop "
                                "it there")
        try:
            if self._case is not None:
                self._end_case()
            self._listening.end()
            if not self._broken:
                self._look(self._watch.last_look)
                eligible.check(self._model)  # it may have been compiled meanwhile
            if self._broken:
                raise RecorderError(f"{self._broken}, so {self._path} was not written{self._advice}")
            if self._cases == 0:
                raise RecorderError("no case was recorded: give record(..., case=NAME), or enter recording.case(NAME) around "
                                    "the model's call")
            self._finish()
            self._life = "stopped"
        finally:
            self.discard()

    def discard(self):
        """Gives up: hooks and temporary file are gone. Does nothing behind stop(), and in a process that was forked from the
        one that records."""
        if self._is_forked():
            return
        if self._life == "running":
            self._life = "given up"
        self._case = None
        if self._listening is not None:
            self._listening.end()
        if self._stream is not None:
            self._stream.close()
        if self._golden is not None:
            self._golden.discard()
        atexit.unregister(self._leave_unfinished)

    def _leave_unfinished(self):
        """At the end of the program."""
        if self._life == "running" and not self._is_forked():
            self.discard()
            python_warnings.warn(f"parity_recorder: the recording of {self._path} was started and never stopped, so nothing was "
                                 "written; call stop(), or record in a `with` block", RuntimeWarning, stacklevel=2)

    def _is_forked(self):
        return self._process is not None and self._process != os.getpid()

    def __enter__(self):
        return self.start()

    def __exit__(self, kind, error, trace):
        if kind is not None:
            self.discard()
        elif self._life == "running":  # and not ended inside the block
            self.stop()

    @contextmanager
    def case(self, name):
        """One case of several: what the model is given first inside are its inputs."""
        self._check_running()
        if self._only_case is not None:
            raise RecorderError(f"record() has the one case '{self._only_case}'; leave its case away to record several")
        if self._case is not None:
            raise RecorderError(f"the case '{self._case.name}' is still open; cases cannot be nested")
        self._begin_case(arguments.case_name_of(name))
        try:
            yield self
            if self._life == "running":
                self._end_case()
        except BaseException:
            self._break(f"the case '{name}' ended with an exception")
            self._case = None
            raise

    def _break(self, why, advice=""):
        if not self._broken:
            self._broken, self._advice = why, advice

    def _look(self, look, called=False):
        """Whether the model is still the one that the recording began with. Under the lock where calls may be under way."""
        why = look(called or self._ran or self._running > 0)
        self._ran = False
        if why:
            self._break(why, "; the file says which weights made its values, so change them before or behind the recording, or "
                             "give weights='none'" if why.startswith("the weight") else
                        "; change the model before or behind the recording")

    def _begin_case(self, name):
        with self._lock:
            self._look(self._watch.look)
            self._golden.begin_case(name)
            self._case = _Case(name)

    def _end_case(self):
        with self._lock:
            case, self._case = self._case, None
            if not self._broken:
                self._look(self._watch.look)
        if self._broken:
            return
        self._stream.drain()
        if case.started > case.finished:
            if case.raised:
                why = f"the model raised an exception in case '{case.name}'"
            elif case.started > case.returned:
                why = f"a call of the model was still under way when case '{case.name}' ended"
                self._advice = "; wait for it first"
            else:
                why = f"a call of the model in case '{case.name}' ended without its output, in another hook or thread"
            self._break(why, self._advice)
            return
        self._note_what_happened(case)
        self._golden.end_case(case.inputs or Node("none"), case.skipped, case.notes)
        self._cases += 1

    def _note_what_happened(self, case):
        if case.taps == 0 and not self._without_taps:
            self._without_taps = self._why_without_taps(case)
        if case.started == 0:
            case.notes.append("the model itself was not called, only layers of it, so no output was recorded")
        if case.started > 1:
            case.notes.append(f"the model was called {case.started} times; the inputs are those of the first call")
        if len(case.threads) > 1:
            case.notes.append(f"{len(case.threads)} threads ran the model; taps are in the order in which they ended")
        if case.draws or (case.started == 0 and not _same(_random_state(), case.random_state)):
            self._draws = True
            case.notes.append("the model draws random numbers; the same seed gives others on another device or in another "
                              "dtype, and what comes behind them differs there")

    @staticmethod
    def _why_without_taps(case):
        """And what to do, which stands behind what became of it."""
        if not case.calls:
            return (f"no layer was called in case '{case.name}'", "; is this the object that runs, and does it run in eager "
                    "mode, in this process?")
        if not case.skipped:
            return f"layers and skip keep nothing of what was called in case '{case.name}'", ""
        tap, why = case.skipped[0]
        return f"in case '{case.name}' layers were called, and none gave what a golden can hold (of {tap}, {why})", ""

    def _finish(self):
        unmatched = self._filter.unmatched()
        if unmatched:
            raise RecorderError(f"the glob '{unmatched[0]}' of layers or skip matches no tap of this model; `*` does not cross "
                                "a dot, `**` does")
        if self._without_taps:
            raise RecorderError(f", so {self._path} was not written".join(self._without_taps))
        device = self._device or torch.device("cpu")
        provenance = {**facts.environment(device), **(self._switches or facts.switches(device)),
                      "model.kind": self._description.kind, "switch.dtype": "keep", "capture.taps": "modules", **self._choice}
        if self._draws:
            provenance["run.random_numbers"] = "drawn"
        idle = [path for path, module in self._model.named_modules()
                if path and path not in self._called and type(module).forward is not torch.nn.Module.forward]
        if idle:
            more = f" and {len(idle) - 3} more" if len(idle) > 3 else ""
            unless = " (unless by compiled code, which calls no hooks)" if facts.has_compiled() else ""
            self._notes.append(f"not called{unless}: {', '.join(idle[:3])}{more}")
        if self._trains:
            self._notes.append("the model is in training mode")
        self._notes += self._watch.notes()
        self._golden.finish(self._description, provenance, self._notes)

    # Hooks.

    def _forward(self, path, module, hooked, forward, /, *args, **kwargs):
        case = self._case
        if case is None or path:
            result = forward(*args, **kwargs)
        else:
            result = self._call_of_model(case, forward, args, kwargs)
        if not hooked:
            self._after(path, module, args, result)
        return result

    def _call_of_model(self, case, forward, args, kwargs):
        with self._lock:
            before = _random_state()
            self._look(self._watch.look)
            case.started += 1
            if case.inputs is None:
                self._take_inputs(case, self._model.forward, args, kwargs)
            self._running += 1
        returned = False
        try:
            result = forward(*args, **kwargs)
            returned = True
            return result
        finally:
            with self._lock:
                self._running -= 1
                case.returned += returned
                case.raised += not returned
                case.draws = case.draws or not _same(_random_state(), before)
                self._look(self._watch.look, called=True)

    def _after(self, path, module, args, output):
        with self._lock:
            self._called.add(path)
            self._ran = self._ran or bool(path) or self._case is None  # behind a call of the model there was a look
            if self._case is None or self._broken:
                return
            if getattr(module, "_is_replica", False):
                self._break("the model ran as replicas of torch.nn.DataParallel, whose calls end in no fixed order",
                            "; record the model on one device")
                return
            self._trains = self._trains or self._model.training
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
        self._case.taps += 1
