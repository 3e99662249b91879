"""Validates what `parity doctor` really writes with docs/doctor.schema.json, shows that the schema refuses junk, and
that docs/doctor.md explains every key and every level.

Environment: PARITY_BINARY.
"""
import copy
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import jsonschema

PARITY = os.environ["PARITY_BINARY"]
DOCS = pathlib.Path(__file__).resolve().parents[3] / "docs"
SCHEMA = json.loads((DOCS / "doctor.schema.json").read_text(encoding="utf-8"))


def doctor(*arguments, **variables):
    """Exit code and document of one run."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([PARITY, "doctor", "--json", "-", *arguments], cwd=folder, capture_output=True, text=True,
                              env=dict(os.environ, **variables), check=False)
    return done.returncode, json.loads(done.stdout)


class DoctorSchema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.ready = doctor("--device", "cpu", MIOPEN_FIND_MODE="2", ONEDNN_DEFAULT_FPMATH_MODE="BF16")
        cls.not_ready = doctor("--device", "cpu", "--out", "/nowhere/at/all")

    def test_real_documents_are_valid(self):
        for code, document in (self.ready, self.not_ready):
            jsonschema.validate(document, SCHEMA)
            self.assertEqual(code, document["exit_code"])
        self.assertEqual(self.ready[0], 0)
        self.assertEqual(self.not_ready[0], 3)

    def test_warnings_leave_the_exit_code_alone(self):
        document = self.ready[1]
        self.assertEqual(document["totals"]["warning"], 1, document["findings"])
        levels = [finding["level"] for finding in document["findings"]]
        for level, count in document["totals"].items():
            self.assertEqual(levels.count(level), count)

    def test_problems_and_warnings_say_why(self):
        for _, document in (self.ready, self.not_ready):
            for finding in document["findings"]:
                if finding["level"] in ("problem", "warning"):
                    self.assertTrue(finding["why"], finding)

    def test_the_schema_refuses_junk(self):
        def refused(change):
            document = copy.deepcopy(self.ready[1])
            change(document)
            with self.assertRaises(jsonschema.ValidationError):
                jsonschema.validate(document, SCHEMA)
        for key in list(self.ready[1]):
            refused(lambda document, key=key: document.pop(key))
        refused(lambda document: document.update(more=1))
        refused(lambda document: document.update(verdict="fine"))
        refused(lambda document: document.update(exit_code=3))
        refused(lambda document: document.update(findings=[]))
        for key in list(self.ready[1]["findings"][0]):
            refused(lambda document, key=key: document["findings"][0].pop(key))
        refused(lambda document: document["findings"][0].update(level="bad"))
        refused(lambda document: document["totals"].update(problem=1))

    def test_the_document_explains_every_key(self):
        text = (DOCS / "doctor.md").read_text(encoding="utf-8")
        keys = set(SCHEMA["properties"]) | set(SCHEMA["properties"]["findings"]["items"]["properties"])
        keys |= {"words", "command"} | set(SCHEMA["properties"]["totals"]["properties"])
        for key in sorted(keys):
            self.assertIn(f"`{key}`", text, key)

    def test_the_document_names_every_check(self):
        text = (DOCS / "doctor.md").read_text(encoding="utf-8")
        for _, document in (self.ready, self.not_ready):
            for finding in document["findings"]:
                self.assertIn(f"`{finding['check']}`", text)


if __name__ == "__main__":
    unittest.main()
