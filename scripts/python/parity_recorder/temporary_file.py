"""A file under a temporary name beside its final one, which nobody sees half written. Knows no format but a golden's magic.

Named and locked as parity itself does it (golden/README.md, "User block"), so that either removes what a killed
process of the other left behind.
"""
import errno
import fcntl
import itertools
import os
import stat
import threading

from .errors import RecorderError

MAGIC = b"parity golden\r\n\x1a"
_counter = itertools.count()
_creating = threading.Lock()


def _refuse_other_files(path):
    """Replacing a golden is what a recording is for; replacing anything else is a mistyped name."""
    if os.path.isdir(path) or not os.path.basename(path):
        raise RecorderError(f"cannot write {path}: it is a folder; name a file")
    if not os.path.exists(path):
        return
    if not os.path.isfile(path):
        raise RecorderError(f"cannot write {path}: it is not a regular file")
    try:
        with open(path, "rb") as file:
            start = file.read(len(MAGIC))
    except OSError:
        start = b"unreadable"
    if start and start != MAGIC:
        raise RecorderError(f"{path} exists and is not a golden, so it is not overwritten; name another file or remove "
                            "this one first")


def _lives(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _remove_when_abandoned(path):
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return
    try:
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.unlink(path)
    except OSError:
        pass  # somebody holds it
    finally:
        os.close(descriptor)


def _remove_abandoned(folder, start):
    for name in os.listdir(folder):
        if not name.startswith(start):
            continue
        parts = name[len(start):].split(".")
        if len(parts) != 2 or not all(part.isascii() and part.isdigit() for part in parts):
            continue
        if int(parts[0]) == os.getpid() or not _lives(int(parts[0])):
            _remove_when_abandoned(os.path.join(folder, name))


class TemporaryFile:
    """Removed by discard() unless publish() came first."""

    def __init__(self, path):
        self.path = os.path.realpath(os.fspath(path)) if os.path.islink(path) else os.fspath(path)
        if isinstance(self.path, bytes):
            self.path = os.fsdecode(self.path)
        _refuse_other_files(self.path)
        self._folder = os.path.dirname(self.path) or "."
        self._temporary = None
        try:
            with _creating:
                self.descriptor = self._create(f".{os.path.basename(self.path)}.tmp.")
        except OSError as error:
            raise RecorderError(f"cannot create a file in {self._folder}: {os.strerror(error.errno)}; name a file in a "
                                "folder that can be written") from None

    def _create(self, start):
        _remove_abandoned(self._folder, start)
        for _ in range(1000):
            name = os.path.join(self._folder, f"{start}{os.getpid()}.{next(_counter)}")
            try:
                descriptor = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
            except FileExistsError:
                continue
            self._temporary = name
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                pass  # a file system without locks: abandoned files stay there, and harm nobody
            return descriptor
        raise OSError(errno.EEXIST, os.strerror(errno.EEXIST))

    def size_bytes(self):
        return os.fstat(self.descriptor).st_size

    def write_at(self, offset, data):
        data = memoryview(data).cast("B")
        while len(data) > 0:
            count = os.pwrite(self.descriptor, data, offset)
            offset += count
            data = data[count:]

    def read_at(self, offset, size):
        data = bytearray()
        while len(data) < size:
            part = os.pread(self.descriptor, size - len(data), offset + len(data))
            if not part:
                raise OSError(errno.EIO, "the file ends early")
            data += part
        return bytes(data)

    def publish(self):
        """Syncs the file, renames it into place and asks for the folder to be synced, too."""
        os.fsync(self.descriptor)
        os.rename(self._temporary, self.path)
        self._temporary = None
        os.close(self.descriptor)
        try:
            folder = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:
            return
        try:
            os.fsync(folder)
        except OSError:
            pass  # the file is there, whole and synced
        finally:
            os.close(folder)

    def discard(self):
        """Frees its disk space and its name at once."""
        if self._temporary is None:
            return
        temporary, self._temporary = self._temporary, None
        for step in (lambda: os.ftruncate(self.descriptor, 0), lambda: os.unlink(temporary),
                     lambda: os.close(self.descriptor)):
            try:
                step()
            except OSError:
                pass
