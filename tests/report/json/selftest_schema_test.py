"""Validates what `parity selftest` writes with docs/selftest.schema.json, which refuses everything else; docs/selftest.md
explains every key and every fault.

PARITY_BINARY names the program.
"""

import copy
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import jsonschema

PROJECT = pathlib.Path(__file__).resolve().parents[3]
ONE_LAYER = ["--case", "prose", "--layers", "model.layers.0.self_attn.o_proj"]
LOOSE = """name = "loose"
[[rule]]
layers = ["**.o_proj"]
dtypes = ["float32"]
reason = "for a test"
[[rule.bound]]
metric = "nrmse"
fail = 0.9
"""


def found_by(*arguments, exit_code=0):
    process = subprocess.run([os.environ["PARITY_BINARY"], "selftest", *map(str, arguments), *ONE_LAYER, "--json", "-"],
                             capture_output=True, text=True, encoding="utf-8", stdin=subprocess.DEVNULL)
    if process.returncode != exit_code:
        raise AssertionError(f"exit code {process.returncode}, not {exit_code}: {process.stderr}")
    return json.loads(process.stdout)


def objects(value, path=()):
    if isinstance(value, dict):
        yield path, value
    for key, child in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from objects(child, path + (key,))


def at(document, path):
    for step in path:
        document = document[step]
    return document


class SelftestSchemaTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        schema = json.loads((PROJECT / "docs/selftest.schema.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        cls.validator = jsonschema.Draft202012Validator(schema)
        golden = PROJECT / "golden/fixture-float32.h5"
        cls.passed = found_by(golden)
        with tempfile.TemporaryDirectory() as folder:
            policy = pathlib.Path(folder) / "loose.toml"
            policy.write_text(LOOSE, encoding="utf-8")
            cls.failed = found_by(golden, "--policy", policy, exit_code=1)

    def test_what_the_program_writes_is_valid(self):
        for document in (self.passed, self.failed):
            self.assertEqual([error.message[:200] for error in self.validator.iter_errors(document)], [])
        self.assertTrue(any(fault["missed"] for fault in self.failed["faults"]))

    def test_a_key_more_or_less_is_refused_everywhere(self):
        seen = set()
        for path, value in objects(self.failed):
            place = tuple(step for step in path if isinstance(step, str))
            if place in seen:
                continue
            seen.add(place)
            more = copy.deepcopy(self.failed)
            at(more, path)["surplus"] = 1
            self.assertFalse(self.validator.is_valid(more), f"a key more at {path}")
            for key in value:
                less = copy.deepcopy(self.failed)
                del at(less, path)[key]
                self.assertFalse(self.validator.is_valid(less), f"without {key} at {path}")
        self.assertGreaterEqual(len(seen), 8)

    def test_a_verdict_that_the_faults_deny_is_refused(self):
        lie = copy.deepcopy(self.failed)
        lie["verdict"], lie["exit_code"] = "pass", 0
        self.assertFalse(self.validator.is_valid(lie))

    def test_every_key_and_every_fault_is_explained(self):
        text = (PROJECT / "docs/selftest.md").read_text(encoding="utf-8")
        words = set(re.findall(r"`([a-z_0-9]+)`", text))
        names = {fault["name"] for fault in self.passed["faults"]} | {one["name"] for one in self.passed["controls"]}
        self.assertEqual(names - words, set())
        of_the_table = {"schema", "verdict", "exit_code", "reasons", "golden", "model", "file", "policy", "strict", "cases",
                        "taps", "notes", "repro", "name", "text"}
        keys = {key for _, value in objects(self.failed) for key in value}
        self.assertEqual(keys - words - of_the_table, set())


if __name__ == "__main__":
    unittest.main()
