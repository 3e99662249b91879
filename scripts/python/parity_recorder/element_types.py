"""Element types of a golden: PyTorch's name, size and HDF5 type of each. Knows no tensor.

Bits are stored as they are: every HDF5 type here is also what the bytes in memory are said to be, so that nothing is
ever converted.
"""
from h5py import h5t

_SIZES = {
    "float64": 8, "float32": 4, "float16": 2, "bfloat16": 2,
    "float8_e4m3fn": 1, "float8_e4m3fnuz": 1, "float8_e5m2": 1, "float8_e5m2fnuz": 1,
    "int64": 8, "int32": 4, "int16": 2, "int8": 1, "uint64": 8, "uint32": 4, "uint16": 2, "uint8": 1,
    "bool": 1, "complex64": 8, "complex128": 16,
}
_PLAIN = {
    "float64": h5t.IEEE_F64LE, "float32": h5t.IEEE_F32LE,
    "int64": h5t.STD_I64LE, "int32": h5t.STD_I32LE, "int16": h5t.STD_I16LE, "int8": h5t.STD_I8LE,
    "uint64": h5t.STD_U64LE, "uint32": h5t.STD_U32LE, "uint16": h5t.STD_U16LE, "uint8": h5t.STD_U8LE,
}


def dtype_name(dtype):
    """The golden's name of a torch.dtype: "bfloat16". Also of those that it has no name for."""
    return str(dtype).removeprefix("torch.")


def is_storable(name):
    return name in _SIZES


def size_bytes(name):
    return _SIZES[name]


def is_float8(name):
    return name.startswith("float8")


def _half(sign, exponent_at, exponent_bits, bias):
    kind = h5t.IEEE_F32LE.copy()
    kind.set_fields(sign, exponent_at, exponent_bits, 0, exponent_at)
    kind.set_size(2)
    kind.set_ebias(bias)
    return kind


def _boolean():
    kind = h5t.enum_create(h5t.STD_I8LE)
    kind.enum_insert(b"FALSE", 0)
    kind.enum_insert(b"TRUE", 1)
    return kind


def _complex(part):
    kind = h5t.create(h5t.COMPOUND, 2 * part.get_size())
    kind.insert(b"r", 0, part)
    kind.insert(b"i", part.get_size(), part)
    return kind


def file_type(name):
    if name in _PLAIN:
        return _PLAIN[name]
    if is_float8(name):
        return h5t.STD_U8LE
    if name == "float16":
        return _half(15, 10, 5, 15)
    if name == "bfloat16":
        return _half(15, 7, 8, 127)
    if name == "bool":
        return _boolean()
    return _complex(h5t.IEEE_F32LE if name == "complex64" else h5t.IEEE_F64LE)


def text_type(width):
    """UTF-8 text of fixed width, which ends in at least one zero byte."""
    kind = h5t.C_S1.copy()
    kind.set_size(width)
    kind.set_cset(h5t.CSET_UTF8)
    kind.set_strpad(h5t.STR_NULLTERM)
    return kind
