"""Listens to the layers of a model, and lets go of them in whatever order the recordings of one model end. What it puts on a
module stays behind when the module is copied or pickled. Knows no values and no file.
"""
import contextlib
import functools
import operator
import threading

import torch

_lock = threading.RLock()


class _Hook:
    """A copy of it, in a copied or pickled model, does nothing: another object is not what is recorded."""

    def __init__(self, call, *bound):
        self._call = call
        self._bound = bound

    def __call__(self, *arguments):
        self._call(*self._bound, *arguments)

    def __reduce__(self):
        # Takes any arguments, returns None, and is there wherever the copy is opened.
        return getattr, (contextlib.nullcontext(), "__exit__")


class _Forward:
    """Stands in for the forward() of a module while anybody listens: one per module, however many listen."""

    def __init__(self, module):
        self._own = module.__dict__.get("forward")
        functools.update_wrapper(self, module.forward)
        self._module = module
        self._forward = module.forward
        self._listeners = []
        self._local = threading.local()
        self._arrival = module.register_forward_pre_hook(_Hook(self._arrive), prepend=True)
        # Also where a pre-hook raises, and forward() is not called.
        self._departure = module.register_forward_hook(_Hook(self._depart), always_call=True)
        module.__dict__["forward"] = self

    def __reduce__(self):
        if self._own is None:
            return getattr, (self._module, "forward")
        return operator.itemgetter(0), ((self._own,),)

    def add(self, listener):
        self._listeners = [*self._listeners, listener]

    def remove(self, listener):
        self._listeners = [other for other in self._listeners if other is not listener]
        if self._listeners:
            return
        self._arrival.remove()
        self._departure.remove()
        if self._module.__dict__.get("forward") is self:  # else somebody put another one around it, and it passes through
            if self._own is None:
                del self._module.__dict__["forward"]
            else:
                self._module.__dict__["forward"] = self._own

    def _arrive(self, module, args):
        self._local.module = module

    def _depart(self, *_):
        self._local.__dict__.pop("module", None)

    def __call__(self, *args, **kwargs):
        arrived = self._local.__dict__.pop("module", None)
        call = self._forward
        if arrived is not None and arrived is not self._module:  # a replica, which has this object from the original
            call = functools.partial(type(arrived).forward, arrived)
        for listener in self._listeners:
            call = functools.partial(listener, arrived is not None, call)
        return call(*args, **kwargs)


class Listening:
    """To every module below `model`, and to itself. `on_output(path, module, args, output)` behind each call;
    `on_forward(path, module, hooked, forward, *args, **kwargs)` in place of forward() where nothing else would tell:
    of the model, and of layers with a __call__ of their own. `hooked`: on_output will be called."""

    def __init__(self, modules, on_forward, on_output):
        self._handles = []
        self._forwards = []
        with _lock:
            for path, module in modules.items():
                # Services call the model's forward() itself, and so do layers with a __call__ of their own: no hook sees that.
                if not path or type(module).__call__ is not torch.nn.Module.__call__:
                    forward = module.__dict__.get("forward")
                    forward = forward if isinstance(forward, _Forward) else _Forward(module)
                    listener = functools.partial(on_forward, path, module)
                    forward.add(listener)
                    self._forwards.append((forward, listener))
                self._handles.append(module.register_forward_hook(_Hook(on_output, path)))

    def end(self):
        with _lock:
            for handle in self._handles:
                handle.remove()
            for forward, listener in self._forwards:
                forward.remove(listener)
            self._handles, self._forwards = [], []
