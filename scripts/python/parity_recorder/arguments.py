"""What record() is given, checked and brought into one form before anything else is done with it. Knows no model but its kind.
"""
import operator
import os

from . import globs
from .errors import RecorderError

_CASE_NAME_BYTES = 200


def _kind(value):
    return "None" if value is None else f"of type {type(value).__name__}"


def text_fault(text):
    """Why a golden cannot hold a text; empty when it can. Its texts are UTF-8, and end at the first zero byte."""
    if "\0" in text:
        return "has a zero byte"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "is no valid Unicode"
    return ""


def path_of(given):
    try:
        path = os.fspath(given)
        raw = os.fsencode(path)
    except TypeError:
        raise RecorderError(f"the path is {_kind(given)}; name a file, by a str or a pathlib.Path") from None
    except UnicodeEncodeError:
        raise RecorderError(f"the path {given!r:.80} is no valid Unicode; name another file") from None
    if not raw:
        raise RecorderError("the path is empty; name a file")
    if b"\0" in raw:
        raise RecorderError(f"the path {path!r:.80} has a zero byte; name another file")
    return os.fsdecode(path)


def texts_of(argument, given):
    """One text, or any iterable of texts, as a list."""
    given = [given] if isinstance(given, str) else given
    try:
        found = None if isinstance(given, (bytes, bytearray)) else list(given)
    except TypeError:
        found = None
    if found is None:
        raise RecorderError(f"{argument} is {_kind(given)}; give a list of texts")
    for text in found:
        if not isinstance(text, str):
            raise RecorderError(f"{argument} holds a value that is {_kind(text)}; give a list of texts")
        if text_fault(text):
            raise RecorderError(f"{argument} holds {text!r:.60}, which {text_fault(text)}")
    return found


def globs_of(argument, given):
    found = texts_of(argument, given)
    for glob in found:
        if globs.fault(glob):
            raise RecorderError(f"the glob {glob!r:.60} of {argument} {globs.fault(glob)}")
    return found


def name_of(given):
    if given is None:
        return None
    fault = f"is {_kind(given)}" if not isinstance(given, str) else "is empty" if not given else text_fault(given)
    if fault:
        raise RecorderError(f"the name {given!r:.60} {fault}; give a text, or None for the model's class")
    return given


def store_of(given):
    """Mode and rows of "full", "digest" or "rows:N"."""
    if isinstance(given, str):
        if given in ("full", "digest"):
            return given, 0
        kind, _, count = given.partition(":")
        if kind == "rows" and count.isascii() and count.isdigit() and int(count[:18]) > 0:
            return kind, int(count[:18])
    raise RecorderError(f"store is {given!r:.60}, which is none of full, digest and rows:N")


def weights_of(given):
    """Whether digests are wanted."""
    if not isinstance(given, str) or given not in ("digest", "none"):
        raise RecorderError(f"weights is {given!r:.60}, which is neither digest nor none")
    return given == "digest"


def _whole_number(given):
    if isinstance(given, bool):
        return None
    try:
        return operator.index(given)
    except TypeError:
        return None


def level_of(given):
    if given is None:
        return None
    level = _whole_number(given)
    if level is None or not 1 <= level <= 9:
        raise RecorderError(f"compress is {given!r:.60}; give a level from 1 to 9, or None")
    return level


def memory_of(given):
    size = _whole_number(given)
    if size is None or size < 1:
        raise RecorderError(f"memory_bytes is {given!r:.60}; give a whole number of bytes, 1 or more")
    return size


def case_name_of(name):
    fault = ""
    if not isinstance(name, str) or not name:
        fault = "is empty or no text"
    elif len(name.encode("utf-8", "surrogatepass")) > _CASE_NAME_BYTES:
        fault = f"has more than {_CASE_NAME_BYTES} bytes"
    elif "/" in name or not name.isprintable():
        fault = "has a '/' or characters that cannot be printed"
    if fault:
        raise RecorderError(f"the case name {name!r:.60} {fault}; give another one")
    return name
