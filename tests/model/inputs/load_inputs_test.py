"""Compares parity's reader of inputs with NumPy and PyTorch, bit for bit, on files that they write themselves.

load_inputs_test.py TOOL    TOOL is parity_dump_inputs
"""

import os
import sys
import tempfile

import numpy
import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "weights"))
from torch_load_test import comparable, every_dtype, first_difference, leaves, ours  # noqa: E402

DTYPES = "f8 f4 f2 i8 i4 i2 i1 u8 u4 u2 u1 b1 c8 c16".split()


def array_of(dtype, order):
    size = numpy.dtype(dtype).itemsize
    raw = (numpy.arange(24 * size, dtype=numpy.int64) * 37 % 251).astype(numpy.uint8)
    if dtype == "b1":
        raw = raw % 2
    array = raw.view("<" + dtype).reshape(2, 3, 4)
    return numpy.asarray(array.astype(">" + dtype if order == ">" else "<" + dtype))


def arrays():
    for dtype in DTYPES:
        for order in "<>":
            array = array_of(dtype, order)
            yield f"{dtype}{'big' if order == '>' else ''}", array
            yield f"{dtype}_fortran", numpy.asfortranarray(array)
    yield "scalar", numpy.array(2.5)
    yield "empty", numpy.empty((0, 3), dtype=numpy.float32)
    yield "empty_fortran", numpy.asfortranarray(numpy.empty((3, 0, 2), dtype=numpy.int64))
    yield "strided", numpy.arange(24.0).reshape(4, 6)[::2, ::3]


def native(array):
    return torch.from_numpy(numpy.ascontiguousarray(array.astype(array.dtype.newbyteorder("="))).reshape(array.shape))


class Checks:
    def __init__(self, tool, folder):
        self.tool = tool
        self.folder = folder
        self.count = 0
        self.failures = []

    def same(self, path, value):
        self.count += 1
        got, reason = ours(self.tool, path)
        wanted = comparable(leaves(value))
        if got != wanted:
            self.failures.append(f"{path}: {reason or first_difference(got or [], wanted)}")

    def path(self, name):
        return os.path.join(self.folder, name)

    def numpy_files(self):
        for name, array in arrays():
            for version in ((1, 0), (2, 0), (3, 0)):
                path = self.path(f"{name}_{version[0]}.npy")
                with open(path, "wb") as file:
                    numpy.lib.format.write_array(file, array, version=version)
                self.same(path, native(array))
        ids, mask = numpy.arange(6).reshape(2, 3), numpy.ones((2, 3), dtype=bool)
        for save in (numpy.savez, numpy.savez_compressed):
            path = self.path(save.__name__ + ".npz")
            save(path, input_ids=ids, mask=mask)
            self.same(path, {"input_ids": native(ids), "mask": native(mask)})
            save(path, ids, mask)
            self.same(path, (native(ids), native(mask)))

    def torch_files(self):
        base = torch.arange(24.0).reshape(2, 3, 4)
        values = {
            "tensor": base,
            "strided": base.transpose(0, 2)[1:],
            "tuple": (base, 3, 0.1, True, None, "text"),
            "nested": {"input_ids": torch.tensor([[1, 2]]), "extra": [base[0], (1, {"a": base.half()})]},
            "every_dtype": every_dtype(),
        }
        for name, value in values.items():
            for new in (True, False):
                if not new and name == "every_dtype":
                    continue
                path = self.path(f"{name}_{new}.pt")
                torch.save(value, path, _use_new_zipfile_serialization=new)
                self.same(path, value)

    def pickle_save(self):
        """What C++ programs write with torch::pickle_save."""
        base = torch.arange(6.0).reshape(2, 3)
        values = [base, (base, 5, 0.5, True, None, "text"), [1, 2, 3], [0.5, 1.5], [True, False], [base, base[0]], {"x": base, "y": base[1]}]
        for index, value in enumerate(values):
            path = self.path(f"pickle_save_{index}.pt")
            with open(path, "wb") as file:
                file.write(torch._C._pickle_save(value))
            self.same(path, value)

    def run(self):
        for part in (self.numpy_files, self.torch_files, self.pickle_save):
            part()
        for failure in self.failures:
            print("FAILED", failure)
        print(f"{self.count} checks, {len(self.failures)} failed")
        return 1 if self.failures or self.count < 200 else 0


def main():
    with tempfile.TemporaryDirectory() as folder:
        return Checks(sys.argv[1], folder).run()


if __name__ == "__main__":
    sys.exit(main())
