"""Validates what the program itself writes with the schemas in docs/.

PARITY_BINARY names the program. The samples of schema_test.py are made by hand and go through every branch; here the
figures, the places and the provenance come from real goldens.
"""

import copy
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import jsonschema

PROJECT = pathlib.Path(__file__).resolve().parents[3]
GOLDEN = PROJECT / "golden"
DECODER = PROJECT / "fixtures" / "decoder"


def refuse_constant(text):
    raise ValueError(f"{text} is no JSON")


def written_by(*arguments, exit_code=0):
    """The document that the program writes to stdout."""
    process = subprocess.run([os.environ["PARITY_BINARY"], *map(str, arguments), "--json", "-"], capture_output=True,
                             text=True, encoding="utf-8", stdin=subprocess.DEVNULL)
    if process.returncode != exit_code:
        raise AssertionError(f"exit code {process.returncode}, not {exit_code}: {process.stderr}")
    return json.loads(process.stdout, parse_constant=refuse_constant)


class ProgramSchemaTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.validators = {}
        for name in ("report", "inspection"):
            schema = json.loads((PROJECT / "docs" / f"{name}.schema.json").read_text(encoding="utf-8"))
            jsonschema.Draft202012Validator.check_schema(schema)
            cls.validators[name] = jsonschema.Draft202012Validator(schema)

    def check(self, name, document):
        errors = [f"{list(error.absolute_path)}: {error.message[:200]}"
                  for error in self.validators[name].iter_errors(document)]
        self.assertEqual(errors[:5], [])

    def test_a_report_of_two_goldens_that_differ(self):
        report = written_by("compare", GOLDEN / "fixture-float32.h5", GOLDEN / "fixture-tf32.h5", exit_code=1)
        self.check("report", report)
        self.assertEqual(report["verdict"], "fail")
        self.assertTrue(any(tap["worst"] for case in report["cases"] for tap in case["taps"]))
        self.assertTrue(any(difference["key"] == "switch.fp32_precision" for difference in report["environment_diff"]))

    def test_a_report_of_a_golden_and_itself(self):
        report = written_by("compare", GOLDEN / "fixture-bfloat16.h5", GOLDEN / "fixture-bfloat16.h5")
        self.check("report", report)
        self.assertEqual(set(report["totals"]["verdicts"]), {"identical"})

    def test_a_report_across_dtypes(self):
        report = written_by("compare", GOLDEN / "fixture-float32.h5", GOLDEN / "fixture-float16.h5", exit_code=1)
        self.check("report", report)
        taps = [tap for case in report["cases"] for tap in case["taps"]]
        self.assertTrue(any(tap["candidate_dtype"] != tap["dtype"] for tap in taps))

    def test_an_inspection_without_and_with_values(self):
        names = written_by("inspect", GOLDEN / "fixture-float16.h5")
        self.check("inspection", names)
        self.assertTrue(all(tap["values"] is None for case in names["cases"] for tap in case["taps"]))
        values = written_by("inspect", GOLDEN / "fixture-float16.h5", "--layer", "model.layers.0.mlp.*")
        self.check("inspection", values)
        self.assertTrue(all(tap["values"]["finite"] > 0 for case in values["cases"] for tap in case["taps"]))

    def test_an_inspection_of_rows_and_of_digests(self):
        for store, stored in (("rows:3", "rows"), ("digest", "digest")):
            with self.subTest(store=store), tempfile.TemporaryDirectory() as folder:
                golden = pathlib.Path(folder) / "golden.h5"
                arguments = ["record", "--model", DECODER / "model.torchscript.pt", "--inputs",
                             f"prose={DECODER / 'inputs' / 'prose.json'}", "--device", "cpu", "--out", golden,
                             "--store", store]
                subprocess.run([os.environ["PARITY_BINARY"], *map(str, arguments)], check=True, capture_output=True)
                inspection = written_by("inspect", golden)
                self.check("inspection", inspection)
                self.assertIn(stored, {tap["stored"] for tap in inspection["cases"][0]["taps"]})

    def test_the_schema_of_inspections_refuses_junk(self):
        document = written_by("inspect", GOLDEN / "fixture-float16.h5", "--layer", "model.layers.0.mlp.down_proj")
        tap = ("cases", 0, "taps", 0)
        objects = [(), ("model",), ("model", "weights", 0), ("cases", 0), tap, (*tap, "values")]
        rows = [(path, "junk", 1) for path in objects]
        rows += [((), "schema", "parity-inspection/2"), (tap, "stored", "whole"), (tap, "dtype", "half"),
                 (tap, "digest", "xyz"), (tap, "stored_bytes", -1), ((*tap, "values"), "min", "NaN"),
                 (("provenance",), "device.name", None)]
        for path, key, value in rows:
            broken = copy.deepcopy(document)
            holder = broken
            for step in path:
                holder = holder[step]
            holder[key] = value
            self.assertFalse(self.validators["inspection"].is_valid(broken), f"{key} = {value!r} accepted at {path}")
        for path in objects:
            holder = document
            for step in path:
                holder = holder[step]
            for key in list(holder):
                value = holder.pop(key)
                self.assertFalse(self.validators["inspection"].is_valid(document), f"{key} may be missing at {path}")
                holder[key] = value
        self.check("inspection", document)


if __name__ == "__main__":
    unittest.main()
