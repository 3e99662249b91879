"""XXH3-128, the digest of goldens, over bytes that arrive in pieces. Knows nothing of what the bytes mean.

An installed xxHash does the work: the module `xxhash`, or the C library libxxhash. Where neither is there, numpy does,
about 20 times slower (docs/python-recorder.md has figures); all three give the same 16 bytes, in canonical order.
"""
import ctypes
import ctypes.util
import struct

import numpy as np

_MASK32 = 0xFFFFFFFF
_MASK64 = 0xFFFFFFFFFFFFFFFF
_PRIME32 = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D)
_PRIME64 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)
_MIX1 = 0x165667919E3779F9
_MIX2 = 0x9FB21C651E98DF25

# The algorithm's own constant, 192 bytes.
_SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")
_STRIPE_BYTES = 64
_STRIPES = (len(_SECRET) - _STRIPE_BYTES) // 8  # of a block
_BLOCK_BYTES = _STRIPES * _STRIPE_BYTES
_BATCH_BLOCKS = 256  # looked at together: what they need fits a core's cache


def _words(data, offset, count):
    return struct.unpack_from("<%dQ" % count, data, offset)


def _word(data, offset):
    return _words(data, offset, 1)[0]


def _word32(data, offset):
    return struct.unpack_from("<I", data, offset)[0]


def _folded_product(one, other):
    product = one * other
    return (product & _MASK64) ^ (product >> 64)


def _avalanche(value):
    value ^= value >> 37
    value = value * _MIX1 & _MASK64
    return value ^ value >> 32


def _avalanche64(value):
    value ^= value >> 33
    value = value * _PRIME64[1] & _MASK64
    value ^= value >> 29
    value = value * _PRIME64[2] & _MASK64
    return value ^ value >> 32


def _swapped(value, size_bytes):
    return int.from_bytes(value.to_bytes(size_bytes, "little"), "big")


def _of_at_most_3(data):
    size = len(data)
    if size == 0:
        low, high = _words(_SECRET, 64, 2), _words(_SECRET, 80, 2)
        return _avalanche64(low[0] ^ low[1]), _avalanche64(high[0] ^ high[1])
    low = data[0] << 16 | data[size >> 1] << 24 | data[-1] | size << 8
    swapped = _swapped(low, 4)
    high = (swapped << 13 | swapped >> 19) & _MASK32
    return (_avalanche64(low ^ _word32(_SECRET, 0) ^ _word32(_SECRET, 4)),
            _avalanche64(high ^ _word32(_SECRET, 8) ^ _word32(_SECRET, 12)))


def _of_at_most_8(data):
    size = len(data)
    keyed = _word32(data, 0) | _word32(data, size - 4) << 32
    keyed ^= _word(_SECRET, 16) ^ _word(_SECRET, 24)
    product = keyed * (_PRIME64[0] + (size << 2) & _MASK64)
    low, high = product & _MASK64, product >> 64
    high = high + (low << 1) & _MASK64
    low ^= high >> 3
    low ^= low >> 35
    low = low * _MIX2 & _MASK64
    return low ^ low >> 28, _avalanche(high)


def _of_at_most_16(data):
    size = len(data)
    last = _word(data, size - 8)
    product = (_word(data, 0) ^ last ^ _word(_SECRET, 32) ^ _word(_SECRET, 40)) * _PRIME64[0]
    low, high = product & _MASK64, product >> 64
    low = low + ((size - 1) << 54) & _MASK64
    last ^= _word(_SECRET, 48) ^ _word(_SECRET, 56)
    high = high + last + (last & _MASK32) * (_PRIME32[1] - 1) & _MASK64
    low ^= _swapped(high, 8)
    product = low * _PRIME64[1]
    return _avalanche(product & _MASK64), _avalanche((product >> 64) + high * _PRIME64[1] & _MASK64)


def _mixed(data, offset, secret):
    low, high = _words(data, offset, 2)
    key = _words(_SECRET, secret, 2)
    return _folded_product(low ^ key[0], high ^ key[1])


def _mix(low, high, data, one, other, secret):
    low = low + _mixed(data, one, secret) & _MASK64
    low ^= sum(_words(data, other, 2)) & _MASK64
    high = high + _mixed(data, other, secret + 16) & _MASK64
    return low, high ^ (sum(_words(data, one, 2)) & _MASK64)


def _of_at_most_240(data):
    size = len(data)
    low, high = size * _PRIME64[0] & _MASK64, 0
    if size <= 128:
        for part in range((size - 1) // 32, -1, -1):
            low, high = _mix(low, high, data, 16 * part, size - 16 * (part + 1), 32 * part)
    else:
        for at in range(0, 128, 32):
            low, high = _mix(low, high, data, at, at + 16, at)
        low, high = _avalanche(low), _avalanche(high)
        for at in range(128, size // 32 * 32, 32):
            low, high = _mix(low, high, data, at, at + 16, at - 128 + 3)
        low, high = _mix(low, high, data, size - 16, size - 32, 136 - 17 - 16)
    total = low * _PRIME64[0] + high * _PRIME64[3] + size * _PRIME64[1] & _MASK64
    return _avalanche(low + high & _MASK64), -_avalanche(total) & _MASK64


def _of_short(data):
    size = len(data)
    if size <= 3:
        return _of_at_most_3(data)
    if size <= 8:
        return _of_at_most_8(data)
    return _of_at_most_16(data) if size <= 16 else _of_at_most_240(data)


_BLOCK_KEYS = np.stack([np.frombuffer(_SECRET, "<u8", 8, 8 * stripe) for stripe in range(_STRIPES)])
_SCRAMBLE_KEY = np.frombuffer(_SECRET, "<u8", 8, len(_SECRET) - _STRIPE_BYTES)
_LAST_KEY = np.frombuffer(_SECRET, "<u8", 8, len(_SECRET) - _STRIPE_BYTES - 7)
_SWAPPED_LANES = np.array([1, 0, 3, 2, 5, 4, 7, 6])


def _contributions(stripes, keys):
    """What stripes, [..., stripe, lane], add to the lanes: a sum, so their order does not matter."""
    keyed = stripes ^ keys
    products = keyed & np.uint64(_MASK32)
    np.right_shift(keyed, np.uint64(32), out=keyed)
    products *= keyed
    return products.sum(axis=-2, dtype=np.uint64) + stripes.sum(axis=-2, dtype=np.uint64)[..., _SWAPPED_LANES]


class NumpyDigest:
    """The digest without any xxHash: blocks in numpy, of which only the step between two is one by one."""

    def __init__(self):
        self._lanes = np.array([_PRIME32[2], _PRIME64[0], _PRIME64[1], _PRIME64[2], _PRIME64[3], _PRIME32[1],
                                _PRIME64[4], _PRIME32[0]], np.uint64)
        self._size = 0
        self._pending = b""  # behind the blocks that are in the lanes; never empty once anything came
        self._before = b""  # the last stripe of those blocks

    def update(self, data):
        data = memoryview(data).cast("B")
        self._size += len(data)
        if len(self._pending) + len(data) <= _BLOCK_BYTES:
            self._pending += bytes(data)
            return
        missing = _BLOCK_BYTES - len(self._pending)
        self._add_blocks(np.frombuffer(self._pending + bytes(data[:missing]), "<u8"))
        blocks = (len(data) - missing - 1) // _BLOCK_BYTES
        end = missing + blocks * _BLOCK_BYTES
        if blocks > 0:
            self._add_blocks(np.frombuffer(data[missing:end], "<u8"))
        self._pending = bytes(data[end:])

    def _add_blocks(self, words):
        blocks = words.reshape(-1, _STRIPES, 8)
        lanes, shifted = self._lanes, np.empty_like(self._lanes)
        prime, by = np.uint64(_PRIME32[0]), np.uint64(47)
        add, shift, xor, multiply = np.add, np.right_shift, np.bitwise_xor, np.multiply
        for start in range(0, len(blocks), _BATCH_BLOCKS):
            for sums in _contributions(blocks[start:start + _BATCH_BLOCKS], _BLOCK_KEYS):
                add(lanes, sums, lanes)
                shift(lanes, by, shifted)
                xor(lanes, shifted, lanes)
                xor(lanes, _SCRAMBLE_KEY, lanes)
                multiply(lanes, prime, lanes)
        self._before = words[-8:].tobytes()

    def digest(self):
        if self._size <= 240:
            low, high = _of_short(self._pending)
            return struct.pack(">QQ", high, low)
        lanes = self._lanes.copy()
        stripes = (len(self._pending) - 1) // _STRIPE_BYTES
        if stripes > 0:
            whole = np.frombuffer(self._pending, "<u8", 8 * stripes).reshape(stripes, 8)
            lanes += _contributions(whole, _BLOCK_KEYS[:stripes])
        last = (self._before + self._pending)[-_STRIPE_BYTES:]
        lanes += _contributions(np.frombuffer(last, "<u8").reshape(1, 8), _LAST_KEY)
        low = self._merged(lanes, 11, self._size * _PRIME64[0] & _MASK64)
        high = self._merged(lanes, len(_SECRET) - _STRIPE_BYTES - 11, ~(self._size * _PRIME64[1]) & _MASK64)
        return struct.pack(">QQ", high, low)

    @staticmethod
    def _merged(lanes, secret, start):
        keyed = [int(lane) ^ key for lane, key in zip(lanes, _words(_SECRET, secret, 8))]
        for pair in range(0, 8, 2):
            start += _folded_product(keyed[pair], keyed[pair + 1])
        return _avalanche(start & _MASK64)


class _Hash128(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


def _open_library():
    name = ctypes.util.find_library("xxhash") or "libxxhash.so.0"
    try:
        library = ctypes.CDLL(name)
        library.XXH3_createState.restype = ctypes.c_void_p
        library.XXH3_freeState.argtypes = [ctypes.c_void_p]
        library.XXH3_128bits_reset.argtypes = [ctypes.c_void_p]
        library.XXH3_128bits_update.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
        library.XXH3_128bits_digest.argtypes = [ctypes.c_void_p]
        library.XXH3_128bits_digest.restype = _Hash128
    except (OSError, AttributeError):
        return None
    return library


class LibraryDigest:
    """Through the C library."""

    library = None

    def __init__(self):
        self._state = self.library.XXH3_createState()
        if not self._state:
            raise MemoryError("no memory for a digest")
        self.library.XXH3_128bits_reset(self._state)

    def __del__(self):
        if getattr(self, "_state", None):
            self.library.XXH3_freeState(self._state)

    def update(self, data):
        view = np.frombuffer(memoryview(data).cast("B"), np.uint8)
        self.library.XXH3_128bits_update(self._state, view.ctypes.data, view.size)

    def digest(self):
        value = self.library.XXH3_128bits_digest(self._state)
        return struct.pack(">QQ", value.high, value.low)


def _gives_the_digest(implementation):
    """Whether it agrees with our own: whatever goes by the name of xxHash here must not be trusted blindly."""
    sample = bytes(range(256)) * 9 + b"end"
    own, other = NumpyDigest(), implementation()
    for digest in (own, other):
        digest.update(sample[:700])
        digest.update(sample[700:])
    return own.digest() == other.digest()


def _fastest():
    try:
        import xxhash
        if _gives_the_digest(xxhash.xxh3_128):
            return xxhash.xxh3_128, "the module xxhash"
    except (ImportError, AttributeError):
        pass
    LibraryDigest.library = _open_library()
    if LibraryDigest.library is not None and _gives_the_digest(LibraryDigest):
        return LibraryDigest, "the library xxhash"
    return NumpyDigest, "numpy"


Digest, IMPLEMENTATION = _fastest()


def hex_digest(data):
    """32 hexadecimal digits of one buffer."""
    digest = Digest()
    digest.update(data)
    return digest.digest().hex()
