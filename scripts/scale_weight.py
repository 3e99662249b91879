#!/usr/bin/env python3
"""Writes a copy of a state_dict (torch.save, zip) in which one float32 weight is multiplied: a fault to inject.

Usage: scale_weight.py MODEL.pt WEIGHT FACTOR OUT.pt

Needs no torch: the pickle is read for the weight's place alone, and nothing of it is run.
"""
import array
import io
import pickle
import sys
import zipfile


class Places(pickle.Unpickler):
    """The state_dict with each tensor as the key of its storage and where it lies in there."""

    def persistent_load(self, pid):
        _, kind, key, _, count = pid
        return kind, key, count

    def find_class(self, module, name):
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return lambda storage, offset, shape, *_: (storage, offset, shape)
        if (module, name) == ("collections", "OrderedDict"):
            return dict
        if module == "torch":
            return name
        raise pickle.UnpicklingError(f"{module}.{name} is not expected in a state_dict")


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    source, weight, factor, target = sys.argv[1], sys.argv[2], float(sys.argv[3]), sys.argv[4]
    with zipfile.ZipFile(source) as archive:
        names = archive.namelist()
        index = next(name for name in names if name.endswith("/data.pkl"))
        places = Places(io.BytesIO(archive.read(index))).load()
        if weight not in places:
            sys.exit(f"{source} has no weight {weight}; it has {', '.join(sorted(places))}")
        (kind, key, _), offset, shape = places[weight]
        if kind != "FloatStorage" or offset != 0:
            sys.exit(f"{weight} is no float32 tensor with a storage of its own")
        count = 1
        for size in shape:
            count *= size
        with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as copy:
            for name in names:
                data = archive.read(name)
                if name == index.replace("data.pkl", f"data/{key}"):
                    values = array.array("f", data)
                    for i in range(count):
                        values[i] *= factor
                    data = values.tobytes()
                copy.writestr(zipfile.ZipInfo(name), data)


main()
