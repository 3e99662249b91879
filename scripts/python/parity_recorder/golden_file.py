"""Writes a golden (golden/README.md is the format): taps stream in one after the other, and nothing looks complete
until finish() has returned. Knows neither torch nor the model: names, shapes and bytes come from outside.
"""
import errno
import math
import os
import struct
from dataclasses import dataclass, field

from h5py import h5f, h5fd, h5g, h5p

from . import columns, element_types
from .errors import RecorderError
from .temporary_file import MAGIC, TemporaryFile
from .xxh3 import Digest, hex_digest

_MAJOR, _MINOR = 1, 3
_USER_BLOCK_BYTES = 512
_READ_BYTES = 1 << 20
_MAX_RANK = 32
_MAX_INPUT_DEPTH = 100


@dataclass(frozen=True)
class TapId:
    """Which captured tensor this is; `kind` is module, op or output."""

    kind: str
    path: str
    call: int = 0
    port: str = ""
    op: str = ""

    def __str__(self):
        text = self.path + ("/" + self.op if self.op else "") + (f"#{self.call}" if self.call else "")
        return text + (":" + self.port if self.port else "")


@dataclass
class TapRecord:
    id: TapId
    dtype: str
    shape: tuple
    digest: str = ""
    mode: str = "full"
    rows: list = field(default_factory=list)
    role: str = "activation"


@dataclass
class Node:
    """One node of the inputs; `data` holds a tensor's bytes, or those of a text."""

    kind: str
    key: str = ""
    children: list = field(default_factory=list)
    integer: int = 0
    real: float = 0.0
    dtype: str = ""
    shape: tuple = ()
    data: object = b""


@dataclass
class Weight:
    name: str
    dtype: str
    shape: tuple
    digest: str


@dataclass
class Model:
    file_name: str
    kind: str
    parameter_count: int
    weights: list


def stored_rows(row_count, wanted):
    """Row numbers that mode rows:N keeps: first and last included, evenly spread."""
    count = min(wanted, row_count)
    return [0] * count if count == 1 else [i * (row_count - 1) // (count - 1) for i in range(count)]


def row_count(shape):
    width = shape[-1] if shape else 1
    return math.prod(shape) // width if width else 0


def _in_preorder(node, depth=0):
    if depth > _MAX_INPUT_DEPTH:
        raise RecorderError(f"the inputs are nested more than {_MAX_INPUT_DEPTH} levels deep")
    return [node] + [below for child in node.children for below in _in_preorder(child, depth + 1)]


class _Target:
    """What HDF5 reads and writes. It is never told of a write that failed: it would crash when the file is closed."""

    def __init__(self, file):
        self._file = file
        self._position = 0
        self._kept = []  # metadata that came after the failure, which the library may read again
        self.failure = None

    def stop_writing(self, reason):
        self.failure = self.failure or reason

    def seek(self, offset, whence=os.SEEK_SET):
        self._position = offset + (self._size() if whence == os.SEEK_END else 0)
        return self._position

    def tell(self):
        return self._position

    def _size(self):
        try:
            return self._file.size_bytes()
        except OSError:
            return 0

    def write(self, data):
        if self.failure is None:
            try:
                self._file.write_at(self._position, data)
                return
            except OSError as error:
                self.failure = error
        if len(data) < _READ_BYTES:
            self._kept.append((self._position, bytes(data)))

    def readinto(self, buffer):
        view = memoryview(buffer).cast("B")
        view[:] = bytes(len(view))
        try:
            read = self._file.read_at(self._position, len(view))
            view[:len(read)] = read
        except OSError:
            pass
        for offset, data in self._kept:
            start, end = max(offset, self._position), min(offset + len(data), self._position + len(view))
            if start < end:
                view[start - self._position:end - self._position] = data[start - offset:end - offset]
        return len(view)

    def truncate(self, size):
        if self.failure is None:
            try:
                os.ftruncate(self._file.descriptor, size)
            except OSError as error:
                self.failure = error

    def flush(self):
        pass


class GoldenFile:
    """After any failure, raised as RecorderError, the temporary file is gone and only discard() may follow."""

    def __init__(self, path, compress=None):
        self._level = compress
        self._file = TemporaryFile(path)
        self.path = self._file.path
        self._target = _Target(self._file)
        self._handles = {}
        self._case_names = []
        self._taps = []
        self._keys = set()
        self.tap_count = 0
        self._change(self._create)

    def _change(self, work, *arguments):
        """Runs `work`; a failure in it is the end of this file."""
        try:
            try:
                work(*arguments)
            except RecorderError:
                raise
            except Exception as error:  # of h5py, which has many kinds
                if self._target.failure is None:
                    raise RecorderError(f"cannot write {self.path}: {error}") from error
            if self._target.failure is not None:
                reason = self._target.failure
                raise RecorderError(f"cannot write {self.path}: {os.strerror(reason.errno or errno.EIO)}; make room, or "
                                    "name a file elsewhere, and run again") from None
        except BaseException:
            self.discard()
            raise

    def discard(self):
        self._target.stop_writing(OSError(errno.ECANCELED, "given up"))
        self._close_handles()
        self._file.discard()

    def _close_handles(self):
        # Only handles: the file object itself ends with the last of them.
        for name in list(self._handles):
            handle = self._handles.pop(name)
            if isinstance(handle, h5f.FileID):
                try:
                    handle.close()
                except Exception:
                    pass
            del handle

    def _create(self):
        creation = h5p.create(h5p.FILE_CREATE)
        creation.set_userblock(_USER_BLOCK_BYTES)
        creation.set_obj_track_times(False)
        access = h5p.create(h5p.FILE_ACCESS)
        access.set_libver_bounds(h5f.LIBVER_V110, h5f.LIBVER_V110)
        access.set_fclose_degree(h5f.CLOSE_STRONG)  # no handle that somebody forgot keeps the file open
        access.set_fileobj_driver(h5fd.fileobj_driver, self._target)
        file = h5f.create(os.fsencode(self.path), h5f.ACC_TRUNC, creation, access)
        root = h5g.open(file, b"/")
        columns.write_attribute(root, "format", f"parity-golden {_MAJOR}.{_MINOR}")
        self._handles = {"cases": columns.create_group(root, "cases"), "root": root, "file": file}

    def begin_case(self, name):
        self._change(self._begin_case, name)

    def _begin_case(self, name):
        if name in self._case_names:
            raise RecorderError(f"two cases are named '{name}'; give each its own name")
        group = columns.create_group(self._handles["cases"], f"{len(self._case_names):06}")
        self._handles["case"] = group
        self._handles["taps"] = columns.create_group(group, "taps")
        self._case_names.append(name)
        self._taps, self._keys = [], set()

    def _write_inputs(self, group, inputs):
        values = columns.create_group(group, "values")
        nodes = _in_preorder(inputs)
        for number, node in enumerate(nodes):
            if node.kind == "tensor":
                columns.write_tensor(values, f"{number:06}", node.dtype, node.shape, node.data, self._level)
            elif node.kind == "str":
                columns.write_tensor(values, f"{number:06}", "uint8", (len(node.data),), node.data)
        columns.write_texts(group, "kind", [node.kind for node in nodes])
        columns.write_texts(group, "key", [node.key for node in nodes])
        columns.write_integers(group, "children", [len(node.children) for node in nodes])
        columns.write_integers(group, "integer", [node.integer for node in nodes])
        columns.write_reals(group, "real", [node.real for node in nodes])
        columns.write_texts(group, "dtype", [node.dtype if node.kind == "tensor" else "" for node in nodes])

    def add_tap(self, tap, data):
        """`data`: the bytes of the stored part, row-major; of mode digest nothing is written."""
        self._change(self._add_tap, tap, data)

    def _add_tap(self, tap, data):
        if len(tap.shape) > _MAX_RANK:
            raise RecorderError(f"the tap {tap.id} has {len(tap.shape)} dimensions, and HDF5 holds at most {_MAX_RANK}")
        if tap.id in self._keys:
            raise RecorderError(f"the tap {tap.id} came twice")
        self._keys.add(tap.id)
        if tap.mode != "digest":
            shape = tap.shape if tap.mode == "full" else (len(tap.rows), tap.shape[-1] if tap.shape else 1)
            columns.write_tensor(self._handles["taps"], f"{len(self._taps):06}", tap.dtype, shape, data, self._level)
        self._taps.append(tap)
        self.tap_count += 1

    def end_case(self, inputs, skipped, notes):
        """`skipped`: pairs of a TapId and the reason."""
        self._change(self._end_case, inputs, skipped, notes)

    @staticmethod
    def _write_ids(group, ids):
        columns.write_texts(group, "name", [str(id) for id in ids])
        for column in ("kind", "path", "op", "port"):
            columns.write_texts(group, column, [getattr(id, column) for id in ids])
        columns.write_integers(group, "call", [id.call for id in ids])

    def _end_case(self, inputs, skipped, notes):
        group = self._handles["case"]
        self._write_inputs(columns.create_group(group, "inputs"), inputs)
        index = columns.create_group(group, "index")
        taps = self._taps
        self._write_ids(index, [tap.id for tap in taps])
        for column in ("dtype", "mode", "role", "digest"):
            columns.write_texts(index, column, [getattr(tap, column) for tap in taps])
        columns.write_shapes(index, [tap.shape for tap in taps])
        columns.write_integers(index, "row_count", [len(tap.rows) for tap in taps])
        columns.write_integers(index, "rows", [row for tap in taps for row in tap.rows])
        of_skipped = columns.create_group(group, "skipped")
        self._write_ids(of_skipped, [id for id, _ in skipped])
        columns.write_texts(of_skipped, "reason", [reason for _, reason in skipped])
        columns.write_texts(group, "notes", notes)
        del self._handles["taps"], self._handles["case"]

    def finish(self, model, provenance, notes):
        """`provenance`: a dict of texts by dotted key. Writes what is left, seals, syncs and renames."""
        if self.tap_count == 0:
            self.discard()
            raise RecorderError("no tap was recorded, so there is nothing to compare with later")
        self._change(self._write_header, model, provenance, notes)
        self._change(self._seal)

    def _write_header(self, model, provenance, notes):
        root = self._handles["root"]
        weights = sorted(model.weights, key=lambda weight: columns.stored_text(weight.name))
        lines = Digest()
        for weight in weights:
            shape = "x".join(str(size) for size in weight.shape) or "scalar"
            lines.update(columns.stored_text(weight.name) + f"\0{weight.dtype} {shape} {weight.digest}\n".encode())
        group = columns.create_group(root, "model")
        columns.write_texts(group, "file_name", [model.file_name])
        columns.write_texts(group, "kind", [model.kind])
        columns.write_integers(group, "parameter_count", [model.parameter_count])
        columns.write_texts(group, "all_weights", [lines.digest().hex()])
        table = columns.create_group(group, "weights")
        columns.write_texts(table, "name", [weight.name for weight in weights])
        columns.write_texts(table, "dtype", [weight.dtype for weight in weights])
        columns.write_shapes(table, [weight.shape for weight in weights])
        columns.write_texts(table, "digest", [weight.digest for weight in weights])
        facts = columns.create_group(root, "provenance")
        columns.write_texts(facts, "key", list(provenance))
        columns.write_texts(facts, "value", list(provenance.values()))
        columns.write_texts(root, "notes", notes)
        columns.write_texts(root, "case_names", self._case_names)
        del group, table, facts, root
        self._close_handles()

    def _seal(self):
        try:
            body, digest = self._file.size_bytes() - _USER_BLOCK_BYTES, Digest()
            for offset in range(_USER_BLOCK_BYTES, _USER_BLOCK_BYTES + body, _READ_BYTES):
                digest.update(self._file.read_at(offset, min(_READ_BYTES, _USER_BLOCK_BYTES + body - offset)))
            block = struct.pack("<16sIIQ16s", MAGIC, _MAJOR, _MINOR, body, digest.digest())
            block += bytes.fromhex(hex_digest(block))
            self._file.write_at(0, block.ljust(_USER_BLOCK_BYTES, b"\0"))
            self._file.publish()
        except OSError as error:
            self._target.failure = error
