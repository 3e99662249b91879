"""What other languages see: h5py opens goldens, reads every dtype with the right values, and the README's example runs."""

import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

import h5py
import hdf5plugin  # noqa: F401, its import makes zstd known
import numpy as np
from parity_recorder import xxh3

TOOL = os.environ["PARITY_GOLDEN_TOOL"]
README = pathlib.Path(os.environ["PARITY_GOLDEN_README"])

PLAIN = {
    "float64": np.float64, "float32": np.float32, "float16": np.float16, "int64": np.int64, "int32": np.int32,
    "int16": np.int16, "int8": np.int8, "uint64": np.uint64, "uint32": np.uint32, "uint16": np.uint16,
    "uint8": np.uint8, "bool": np.bool_, "complex64": np.complex64, "complex128": np.complex128,
}
FLOAT8 = ["float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz"]


class Golden(unittest.TestCase):
    command = "write"

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "golden.h5")
        subprocess.run([TOOL, self.command, self.path], check=True)
        self.file = h5py.File(self.path, "r")
        self.case = self.file["cases/000000"]
        self.names = self.case["index/name"].asstr()[()].tolist()

    def tearDown(self):
        self.file.close()
        self.folder.cleanup()

    def tap(self, name):
        return self.case[f"taps/{self.names.index(name):06}"]

    def test_plain_dtypes_arrive_as_themselves(self):
        for name, dtype in PLAIN.items():
            with self.subTest(name):
                self.assertEqual(self.tap(name).dtype, dtype)
                self.assertEqual(self.tap(name).shape, (3, 5))
                self.assertEqual(self.tap(name)[()].dtype, dtype)

    def test_bfloat16_has_the_right_values(self):
        values = self.tap("blocks.0.mlp#1:0")[()]
        self.assertEqual(values.dtype.itemsize, 4)
        expected = np.array(list(range(12)) + [0.333984375, np.inf, -np.inf, np.nan], dtype=np.float32)
        np.testing.assert_array_equal(values.astype(np.float32).ravel(), expected)

    def test_float16_bool_and_complex_have_the_right_values(self):
        np.testing.assert_array_equal(self.tap("half")[()], np.array([1, -2, np.inf], dtype=np.float16))
        np.testing.assert_array_equal(self.tap("mask")[()], [True, False, True])
        np.testing.assert_array_equal(self.tap("phase")[()], np.array([1.5 - 2j], dtype=np.complex64))

    def test_float8_is_bytes_that_name_their_format(self):
        for name in FLOAT8:
            self.assertEqual(self.tap(name).dtype, np.uint8)
            text = self.tap(name).attrs["float8_format"]
            self.assertEqual(text.decode() if isinstance(text, bytes) else text, name)

    def test_empty_and_scalar_taps_keep_their_shape(self):
        self.assertEqual(self.tap("empty")[()].shape, (0, 5))
        self.assertEqual(self.tap("scalar")[()], 0.1)

    def test_rows_and_digests_say_what_is_stored(self):
        index = self.case["index"]
        rows, digest = self.names.index("rows"), self.names.index("digest")
        self.assertEqual(index["mode"].asstr()[rows], "rows")
        first = int(index["row_count"][:rows].sum())
        self.assertEqual(index["rows"][first:first + int(index["row_count"][rows])].tolist(), [0, 2])
        self.assertEqual(self.tap("rows")[()].tolist(), [[1, 2], [5, 6]])
        self.assertEqual(index["shape"][rows][:index["rank"][rows]].tolist(), [3, 2])
        self.assertEqual(index["mode"].asstr()[digest], "digest")
        self.assertNotIn(f"{digest:06}", self.case["taps"])

    def test_inputs_can_be_read(self):
        inputs = self.case["inputs"]
        self.assertEqual(inputs["kind"].asstr()[()].tolist(), ["dict", "tensor", "int", "str"])
        self.assertEqual(inputs["key"].asstr()[()].tolist(), ["", "ids", "rate", "text"])
        self.assertEqual(inputs["values/000001"][()].tolist(), [[5, 7, 9]])
        self.assertEqual(int(inputs["integer"][2]), 16000)
        self.assertEqual(bytes(inputs["values/000003"][()]).decode(), "été")

    def test_header_can_be_read(self):
        provenance = dict(zip(self.file["provenance/key"].asstr()[()], self.file["provenance/value"].asstr()[()]))
        self.assertEqual(provenance["device.name"], "NVIDIA H200")
        self.assertEqual(self.file["model/weights/name"].asstr()[()].tolist(), ["a.weight", "b.bias", "scale"])
        self.assertEqual(self.case["skipped/reason"].asstr()[0], "a str is no tensor")
        self.assertEqual(self.file["case_names"].asstr()[()].tolist(), ["prompt"])

    def test_user_block_is_as_specified(self):
        data = pathlib.Path(self.path).read_bytes()
        magic, major, minor, length = struct.unpack_from("<16sIIQ", data)
        self.assertEqual((magic, major, minor), (b"parity golden\r\n\x1a", 1, 3))
        self.assertEqual(length, len(data) - 512)
        self.assertEqual(data[64:512], bytes(448))
        self.assertEqual(self.file.userblock_size, 512)

    def test_example_of_the_readme_runs(self):
        text = README.read_text(encoding="utf-8")
        example = re.search(r"```python\n(.*?)```", text, re.S).group(1)
        lines = [line for line in example.splitlines() if line.strip()]
        self.assertLessEqual(len(lines), 10)
        shown = re.search(r"This prints `(.*?)`", text).group(1)
        printed = subprocess.run([sys.executable, "-c", example, self.path], check=True, capture_output=True, text=True)
        self.assertEqual(printed.stdout.strip(), shown)


class Packed:
    def test_large_taps_hold_what_their_digests_say(self):
        for name in ("large", "zeros"):
            tap = self.tap(name)
            own = tap.id.get_type()
            raw = np.empty(tap.shape, f"V{own.get_size()}")
            tap.id.read(h5py.h5s.ALL, h5py.h5s.ALL, raw, mtype=own)
            digest = self.case["index/digest"].asstr()[self.names.index(name)]
            self.assertEqual(xxh3.hex_digest(raw.tobytes()), digest)


class GzippedGolden(Packed, Golden):
    command = "write-gzip"

    def test_large_taps_are_compressed_with_what_every_reader_has(self):
        large = self.tap("large")
        self.assertEqual((large.compression, large.compression_opts, large.shuffle), ("gzip", 6, True))
        self.assertEqual(large[()].shape, (1000, 777))


class ZstdGolden(Packed, Golden):
    command = "write-zstd"

    def test_large_taps_pass_the_registered_filter(self):
        filters = self.tap("large").id.get_create_plist()
        self.assertEqual([filters.get_filter(i)[0] for i in range(filters.get_nfilters())], [h5py.h5z.FILTER_SHUFFLE, 32015])

    def test_zeros_take_no_less_than_readers_allow(self):
        zeros = self.tap("zeros")
        self.assertGreaterEqual(zeros.id.get_storage_size() * 1032, 4_000_000)
        self.assertLess(zeros.id.get_storage_size(), 8000)


class LinkedGolden(Golden):
    """Its cases are in another file, which HDF5's own external links lead to."""

    command = "write-linked"

    def test_case_is_a_link_to_the_file_beside_it(self):
        link = self.file.get("cases/000000", getlink=True)
        self.assertEqual((link.filename, link.path), ("golden.part.h5", "/cases/000000"))
        self.assertEqual(self.file["linked/file"].asstr()[()].tolist(), ["golden.part.h5"])
        part = pathlib.Path(self.folder.name, "golden.part.h5").read_bytes()
        length, digest = struct.unpack_from("<Q16s", part, 24)
        self.assertEqual(int(self.file["linked/body_bytes"][0]), length)
        self.assertEqual(self.file["linked/body_digest"].asstr()[0], digest.hex())


class Shard(unittest.TestCase):
    def test_says_which_it_is(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "shard.h5")
            subprocess.run([TOOL, "write-shard", path], check=True)
            with h5py.File(path, "r") as file:
                shard = file["shard"]
                self.assertEqual([int(shard[name][0]) for name in ("index", "count", "case_count")], [1, 2, 4])
                self.assertEqual(len(shard["run"].asstr()[0]), 32)
                self.assertEqual(shard["cases/position"][()].tolist(), [2])
                self.assertEqual(shard["left_out/position"][()].tolist(), [3])
                self.assertEqual(shard["left_out/note"].asstr()[()].tolist(), ["case d was left out"])


if __name__ == "__main__":
    unittest.main()
