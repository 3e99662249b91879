"""From the model's thread to the file: copies each tensor at once, hands it to a thread that writes, and waits when more is
under way than it may be. Knows neither hooks nor names of layers.
"""
import threading
from collections import deque

import numpy as np
import torch

from . import columns, values
from .errors import RecorderError
from .golden_file import row_count, stored_rows
from .xxh3 import hex_digest


def _copy_to_pinned(tensor):
    """The copy under way, and the event that ends it; (None, None) where no pinned memory is to be had."""
    try:
        host = torch.empty(tensor.shape, dtype=tensor.dtype, device="cpu", pin_memory=True)
    except RuntimeError:
        return None, None
    host.copy_(tensor, non_blocking=True)
    event = torch.cuda.Event()
    event.record(torch.cuda.current_stream(tensor.device))
    return host, event


def start_copy(tensor):
    """A contiguous copy of the values as they are now, and what to wait for before it is read (None: nothing)."""
    tensor = values.plain(tensor)
    if tensor.device.type == "cuda":
        values.refuse_graph_capture()
        with torch.cuda.device(tensor.device):
            host, event = _copy_to_pinned(tensor)
        if host is not None:
            return host, event
    if tensor.device.type == "cpu":
        return tensor.clone(memory_format=torch.contiguous_format), None
    return tensor.cpu().contiguous(), None


class Stream:
    """Taps in the order of put(), written by one thread; at most `memory_bytes` of them are in memory, or one."""

    def __init__(self, golden, store, rows, memory_bytes):
        self._golden = golden
        self._store = store
        self._rows = rows
        self._memory_bytes = memory_bytes
        self._queue = deque()
        self._changed = threading.Condition()
        self._bytes = 0
        self._busy = False
        self._closed = False
        self.failure = None
        self.peak_bytes = 0
        self._thread = threading.Thread(target=self._work, name="parity_recorder", daemon=True)
        self._thread.start()

    def put(self, record, tensor):
        size = tensor.numel() * tensor.element_size()
        with self._changed:
            self._changed.wait_for(lambda: self.failure or self._bytes == 0 or
                                   self._bytes + size <= self._memory_bytes)
            self._raise_failure()
            self._bytes += size
            self.peak_bytes = max(self.peak_bytes, self._bytes)
        try:
            with torch.no_grad():
                host, event = start_copy(tensor)
        except BaseException:
            with self._changed:
                self._bytes -= size
            raise
        with self._changed:
            self._queue.append((record, host, event, size))
            self._changed.notify_all()

    def drain(self):
        """Returns when everything is in the file; raises what kept it from getting there."""
        with self._changed:
            self._changed.wait_for(lambda: self.failure or (not self._queue and not self._busy))
            self._raise_failure()

    def close(self):
        """What is still queued is dropped; the thread is gone afterwards."""
        with self._changed:
            self._closed = True
            self._queue.clear()
            self._changed.notify_all()
        self._thread.join()

    def _raise_failure(self):
        if self.failure is not None:
            raise self.failure

    def _work(self):
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._queue)
                if self._closed:
                    return
                item = self._queue.popleft()
                self._busy = True
            try:
                self._write(*item[:3])
            except BaseException as error:  # whatever it is, the model's thread has to hear of it
                failure = error if isinstance(error, RecorderError) else RecorderError(
                    f"the tap {item[0].id} could not be written to {self._golden.path}: {error}")
                with self._changed:
                    self.failure = failure
            with self._changed:
                self._bytes -= item[3]
                item = None
                self._busy = False
                self._changed.notify_all()
                if self.failure is not None:
                    self._queue.clear()
                    return

    def _write(self, record, host, event):
        if event is not None:
            event.synchronize()
        data = values.as_bytes(host).numpy()
        record.digest = hex_digest(columns.as_bytes(data))
        record.mode = "full" if record.id.kind == "output" else self._store
        if record.mode == "rows":
            count = row_count(record.shape)
            record.rows = stored_rows(count, self._rows)
            width = data.size // count if count else 0
            data = np.ascontiguousarray(data.reshape(count, width)[record.rows]) if record.rows else data[:0]
        self._golden.add_tap(record, columns.as_bytes(data))
