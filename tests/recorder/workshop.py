"""A folder for recordings, and the program that judges them. Knows no model."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import h5py

PARITY = os.environ.get("PARITY_BINARY")  # device_test.py runs without it, too
SOURCE = pathlib.Path(__file__).resolve().parents[2]


class Workshop(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.golden = self.folder / "golden.h5"

    def parity(self, *arguments, exit_code=0):
        """Standard output of the program, whose exit code was asked for."""
        done = subprocess.run([PARITY, *map(str, arguments)], capture_output=True, text=True)
        self.assertEqual(done.returncode, exit_code, f"{arguments}\n{done.stdout[-4000:]}\n{done.stderr}")
        return done.stdout

    def inspected(self, golden=None):
        return json.loads(self.parity("inspect", golden or self.golden, "--json", "-"))

    def report(self, *arguments, exit_code=0):
        return json.loads(self.parity("compare", *arguments, "--json", "-", exit_code=exit_code))

    def verdicts(self, report, case=None):
        return {tap["tap"]: tap["verdict"] for one in report["cases"] if case in (None, one["name"]) for tap in one["taps"]}

    def assert_whole(self, golden=None):
        """The program reads every byte: seal, tables, each tap's digest. A constant output is untrusted even then."""
        golden = golden or self.golden
        done = subprocess.run([PARITY, "compare", golden, golden, "--json", "-"], capture_output=True, text=True)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertLessEqual(set(self.verdicts(json.loads(done.stdout)).values()), {"identical", "untrusted"})

    def names(self, golden=None, case=0):
        with h5py.File(golden or self.golden) as file:
            return file[f"cases/{case:06}/index/name"].asstr()[()].tolist()

    def column(self, name, case=0):
        with h5py.File(self.golden) as file:
            return file[f"cases/{case:06}/index/{name}"].asstr()[()].tolist()

    def tap(self, name, case=0):
        with h5py.File(self.golden) as file:
            group = file[f"cases/{case:06}"]
            return group[f"taps/{group['index/name'].asstr()[()].tolist().index(name):06}"][()]

    def texts(self, path):
        with h5py.File(self.golden) as file:
            return file[path].asstr()[()].tolist()

    def assert_nothing_left(self):
        self.assertEqual(list(self.folder.glob("*.h5")) + list(self.folder.glob(".*.tmp.*")), [])
