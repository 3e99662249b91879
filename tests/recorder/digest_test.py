"""XXH3-128 in numpy and through the library: the same bytes for every length, whole or in pieces, as the program has them."""
import random
import unittest

import parity_recorder.xxh3 as xxh3

# Of the bytes 0, 1, 2, ... counted round at 251, by xxhsum -H2; each length takes another way through the algorithm.
KNOWN = {
    0: "99aa06d3014798d86001c324468d497f",
    1: "a6cd5e9392000f6ac44bdff4074eecdb",
    3: "e3b55f57945a17cf5f4299fc161c9cbb",
    4: "eb70bf5fc779e9e6a6111d53e80a3db5",
    8: "e1e4432a62217fe4cfd50c61c8bb98c1",
    9: "16c769d83e4aebce907931979dca3746",
    16: "72950631827607e2842812cc870dcae2",
    17: "685bc458b37d057fc06e233df7729217",
    32: "25e7c9b3424ceed2457d9566b6fcd697",
    33: "02175c3aabb00637e08d84951339de86",
    64: "9c6e140a465545e590c1971ddb04ce74",
    65: "ebedf05eeadc28f11aee64a1615de88f",
    96: "c57556e9ccb97efa6e53ab55b4f5558b",
    97: "9b09227e063da5a25b3284a61f91e97d",
    128: "14792fc3af88dc6c05321a0b64d67b41",
    129: "dd5e74ac6b45f54ebc30b63382b09a3b",
    160: "4e95c1cd6dc7bb85c67fcd13c31b09f4",
    240: "65b5be86da5540e7c92b68e16f83bbb6",
    241: "1da1cb61bcb8a2a102e8cd95421c6d02",
    512: "5884ea91ad7102d75c021aac13954143",
    1024: "d0ac1f7b93bf57b9e5d78bafa45b2aa5",
    1025: "2882ebca04ec915ce95c42288f28186e",
    4097: "0f77b4bc73e3337db69d29f17d48293f",
}


def counted(size):
    return bytes(i % 251 for i in range(size))


class Digest(unittest.TestCase):
    def digests(self):
        yield xxh3.NumpyDigest
        yield xxh3.Digest
        if xxh3.LibraryDigest.library is not None:
            yield xxh3.LibraryDigest

    def test_known_digests(self):
        for kind in self.digests():
            for size, wanted in KNOWN.items():
                digest = kind()
                digest.update(counted(size))
                self.assertEqual(digest.digest().hex(), wanted, (kind, size))

    def test_pieces_do_not_matter(self):
        numbers = random.Random(1)
        for size in [1, 3, 4, 8, 9, 16, 17, 128, 129, 240, 241, 512, 1023, 1024, 1025, 2048, 2049, 70001]:
            data = numbers.randbytes(size)
            whole = xxh3.NumpyDigest()
            whole.update(data)
            for kind in self.digests():
                digest, at = kind(), 0
                while at < size:
                    length = numbers.randint(0, 1500)
                    digest.update(data[at:at + length])
                    at += length
                self.assertEqual(digest.digest(), whole.digest(), (kind, size))

    def test_every_short_length_agrees(self):
        for kind in self.digests():
            for size in range(600):
                one, other = xxh3.NumpyDigest(), kind()
                one.update(counted(size))
                other.update(counted(size))
                self.assertEqual(one.digest(), other.digest(), (kind, size))

    def test_a_digest_can_be_asked_for_underway(self):
        digest = xxh3.NumpyDigest()
        digest.update(counted(3000))
        first = digest.digest()
        self.assertEqual(digest.digest(), first)
        digest.update(b"more")
        self.assertNotEqual(digest.digest(), first)


if __name__ == "__main__":
    unittest.main()
