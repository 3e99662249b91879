"""Records what the layers of any torch.nn.Module give as a golden, which the program parity compares with another one.

    with parity_recorder.record(model, "golden.h5", case="a"):
        model(input_ids)
"""
from .errors import RecorderError
from .recording import Recording
from .version import __version__

__all__ = ["RecorderError", "Recording", "__version__", "record"]


def record(model, path, *, case=None, layers=(), skip=(), store="full", weights="digest", compress=None,
           memory_bytes=512 << 20, name=None, notes=()):
    """A recording of `model` into the golden `path`, for a `with` block, or for start() and stop().

    case          name of the only case; None: each recording.case(NAME) inside the block is one
    layers, skip  globs over layer paths and tap names: keep only these, leave these out
    store         "full": all values; "rows:N": N rows of each tap; "digest": none. Outputs are always stored in full
    weights       "digest": a digest of every weight, by which a comparison tells whether both sides have the same;
                  "none": of none. Weights that change before the end are refused
    compress      level 1 to 9 of deflate; None: plain
    memory_bytes  how much may wait for the disk in host memory; the model waits where it would be more
    name          of the model in reports; None: its class
    notes         a text, or several, for whoever reads the report

    An exception inside the block leaves nothing behind, and a file that was there before as it was. RecorderError says
    in one sentence why a recording failed.
    """
    return Recording(model, path, case=case, layers=layers, skip=skip, store=store, weights=weights, compress=compress,
                     memory_bytes=memory_bytes, name=name, notes=notes)
