"""A policy calibrated for the committed goldens on this host, and for a healthy model of tests/attribution: what it was
made from passes, what the built-in policy finds is found, and smaller faults are.

PARITY_BINARY names the program.
"""

import json
import pathlib
import re
import sys
import unittest

PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "tests" / "calibration"))

import calibrated_bench  # finds the folders of the others

import jsonschema
import torch

import controls  # registers its rows, as does the next
import decoder_faults
import rows
from parity_program import FAILS, PASSES, Workshop

GOLDEN = PROJECT / "golden"
DECODER = PROJECT / "fixtures" / "decoder"
MODEL = ["--model", DECODER / "model.pt", "--config", DECODER / "config.json", "--device", "cpu"]
JUDGED = "gpt2"  # of the models of tests/attribution: few rows, in both dtypes


class CommittedGoldens(unittest.TestCase):
    """Recorded on an NVIDIA H200, held against this CPU."""

    @classmethod
    def setUpClass(cls):
        cls.workshop = Workshop()
        cls.addClassCleanup(cls.workshop.close)
        cls.policies, cls.summaries = {}, {}
        for dtype in ("float32", "bfloat16"):
            policy, summary = cls.workshop.file("toml"), cls.workshop.file("json")
            made = cls.workshop.run("calibrate", GOLDEN / f"fixture-{dtype}.h5", *MODEL, "--vary", "threads,sdpa",
                                    "--out", policy, "--json", summary)
            if made.exit_code != 0:
                raise AssertionError(made.text())
            cls.policies[dtype] = policy
            cls.summaries[dtype] = json.loads(summary.read_text())

    def compare(self, dtype, *flags, model=MODEL):
        return self.workshop.run("compare", GOLDEN / f"fixture-{dtype}.h5", *model, *flags)

    def test_the_runs_that_it_was_made_from_pass_without_a_warning(self):
        for dtype, policy in self.policies.items():
            for flags in ([], ["--threads", 1], ["--sdpa", "math"], ["--sdpa", "flash"]):
                with self.subTest(dtype, flags=flags):
                    outcome = self.compare(dtype, "--policy", policy, "--strict", *flags)
                    self.assertEqual(outcome.exit_code, PASSES, outcome.text())

    def test_a_weight_wrong_by_less_than_the_built_in_policy_sees_fails(self):
        weights = torch.load(DECODER / "model.pt")
        weights["model.layers.2.mlp.up_proj.weight"] *= 1 + 1e-5
        file = self.workshop.file("pt")
        torch.save(weights, file)
        wrong = ["--model", file, "--config", DECODER / "config.json", "--device", "cpu", "--weights", "any"]
        self.assertEqual(self.compare("float32", model=wrong).exit_code, PASSES)
        outcome = self.compare("float32", "--policy", self.policies["float32"], "--show", "failing", model=wrong)
        self.assertEqual(outcome.exit_code, FAILS, outcome.text())
        self.assertIn("model.layers.2.mlp.up_proj", outcome.stdout)

    def test_every_bound_of_float32_is_narrower_than_the_built_in_one(self):
        for rule in self.summaries["float32"]["rules"]:
            for bound in rule["bounds"]:
                if bound["built_in"] and bound["metric"] != "where.share":
                    self.assertLess(bound["fail"], bound["built_in"]["fail"], bound)

    def test_a_reviewer_has_a_dozen_rules_or_two_each_with_its_origin(self):
        for dtype, policy in self.policies.items():
            text = policy.read_text()
            self.assertLessEqual(text.count("[[rule]]"), 17)
            self.assertIn("NVIDIA H200", json.dumps(self.summaries[dtype]) + text)
            bounds = text.split("bound]]")[:-1]
            for before in bounds:
                remark = before.rsplit("\n\n", 1)[-1].rsplit("reason = ", 1)[-1]
                self.assertRegex(remark, r"# (worst \d|the same in every run|not measured)")
                self.assertRegex(remark, r"# (built in: warn|the built-in policy has no)")

    def test_the_summary_is_what_its_schema_says(self):
        schema = json.loads((PROJECT / "docs" / "calibration.schema.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        for summary in self.summaries.values():
            errors = list(jsonschema.Draft202012Validator(schema).iter_errors(summary))
            self.assertEqual([error.message[:200] for error in errors], [])

    def test_the_document_explains_every_key(self):
        schema = (PROJECT / "docs" / "calibration.schema.json").read_text(encoding="utf-8")
        document = (PROJECT / "docs" / "calibrate.md").read_text(encoding="utf-8")
        named = {key for keys in re.findall(r'"required": \[([^\]]+)\]', schema) for key in re.findall(r'"(\w+)"', keys)}
        self.assertGreater(len(named), 25)
        self.assertEqual([key for key in sorted(named) if f"`{key}`" not in document], [])


class SeededFaults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.found = calibrated_bench.run_all([row for row in rows.FAULTS + rows.CONTROLS if row.model == JUDGED])

    def test_there_are_faults_and_controls(self):
        self.assertGreaterEqual(sum(row.finding != "none" for row, _ in self.found), 5)
        self.assertGreaterEqual(sum(row.finding == "none" for row, _ in self.found), 2)

    def test_what_the_built_in_policy_fails_the_calibrated_one_fails(self):
        for row, (built_in, calibrated) in self.found:
            if row.finding != "none":
                with self.subTest(row.name):
                    self.assertEqual(built_in, "fails")
                    self.assertEqual(calibrated, "fails")

    def test_right_results_that_round_elsewhere_pass(self):
        for row, (_, calibrated) in self.found:
            if row.finding == "none":
                with self.subTest(row.name):
                    self.assertEqual(calibrated, "passes")


if __name__ == "__main__":
    unittest.main(warnings="ignore")  # torch.jit is deprecated, and the format under test
