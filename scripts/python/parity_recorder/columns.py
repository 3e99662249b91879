"""Groups, tensors and tables of a golden as HDF5 objects. Knows no meaning of what it writes."""
import numpy as np
from h5py import h5a, h5d, h5g, h5p, h5s, h5z

from . import element_types

_CHUNK_BYTES = 1 << 20
_WORTH_COMPRESSING_BYTES = 1024


def create_group(parent, name):
    """Without times, so that equal recordings are equal files."""
    properties = h5p.create(h5p.GROUP_CREATE)
    properties.set_obj_track_times(False)
    return h5g.create(parent, name.encode(), gcpl=properties)


def as_bytes(data):
    """Any buffer as one row of bytes."""
    return np.frombuffer(data, np.uint8) if len(memoryview(data)) else np.empty(0, np.uint8)


def _space(shape):
    return h5s.create_simple(tuple(shape)) if len(shape) else h5s.create(h5s.SCALAR)


def _chunk(shape, element_bytes):
    """The largest block of trailing dimensions that fits; the next dimension outwards is cut."""
    chunk, room = [1] * len(shape), _CHUNK_BYTES // element_bytes
    for axis in range(len(shape) - 1, -1, -1):
        if room <= 1:
            break
        chunk[axis] = min(shape[axis], room)
        room //= chunk[axis]
    return tuple(chunk)


def write_plain(group, name, kind, shape, data, level=None):
    """The bytes of `data` as they are, as a dataset of type `kind`."""
    properties = h5p.create(h5p.DATASET_CREATE)
    properties.set_obj_track_times(False)
    if level is None:
        properties.set_fill_time(h5d.FILL_TIME_NEVER)
    else:
        properties.set_chunk(_chunk(shape, kind.get_size()))
        properties.set_shuffle()
        properties.set_deflate(level)
    dataset = h5d.create(group, name.encode(), kind, _space(shape), dcpl=properties)
    data = as_bytes(data)
    if data.size:
        dataset.write(h5s.ALL, h5s.ALL, data, mtype=kind)
    return dataset


def write_attribute(owner, name, text):
    kind = element_types.text_type(len(text.encode()) + 1)
    attribute = h5a.create(owner, name.encode(), kind, h5s.create(h5s.SCALAR))
    attribute.write(np.frombuffer(text.encode() + b"\0", np.uint8), mtype=kind)


def write_tensor(group, name, dtype, shape, data, level=None):
    if len(shape) == 0 or len(memoryview(data)) < _WORTH_COMPRESSING_BYTES:
        level = None
    dataset = write_plain(group, name, element_types.file_type(dtype), shape, data, level)
    if element_types.is_float8(dtype):
        write_attribute(dataset, "float8_format", dtype)


def stored_text(text):
    """The bytes of a text, which ends where its last zero byte would begin: the format pads with them."""
    return text.encode("utf-8", "surrogatepass").rstrip(b"\0")


def write_texts(group, name, values):
    values = [stored_text(value) for value in values]
    width = max([len(value) for value in values], default=0) + 1
    table = b"".join(value.ljust(width, b"\0") for value in values)
    write_plain(group, name, element_types.text_type(width), (len(values),), table)


def write_integers(group, name, values):
    write_plain(group, name, element_types.file_type("int64"), (len(values),), np.array(values, "<i8").tobytes())


def write_reals(group, name, values):
    write_plain(group, name, element_types.file_type("float64"), (len(values),), np.array(values, "<f8").tobytes())


def write_shapes(group, shapes):
    """Two columns: `rank`, and `shape` with one row per entry, padded with zeros."""
    width = max([len(shape) for shape in shapes], default=0) or 1
    padded = np.zeros((len(shapes), width), "<i8")
    for row, shape in enumerate(shapes):
        padded[row, :len(shape)] = shape
    write_integers(group, "rank", [len(shape) for shape in shapes])
    write_plain(group, "shape", element_types.file_type("int64"), padded.shape, padded.tobytes())


def deflate_is_there():
    return bool(h5z.filter_avail(h5z.FILTER_DEFLATE))
