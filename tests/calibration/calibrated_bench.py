"""Calibrates a policy for each healthy model of tests/attribution from runs that are all right, and has every seeded
fault and every control judged by it and by the built-in policy.

A candidate of another backend computes layers in another way; runs of such a backend without a fault are among those
that the policy is made from, as a person would calibrate before gating on it. Knows no verdict that is right.
"""

import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
for folder in ("mutations", "attribution"):
    sys.path.insert(0, str(TESTS / folder))

import torch

import bench
import decoder_models
import script_models
from other_backend import on_other_backend
from parity_program import Workshop

VARIED = ("--device", "cpu", "--threads", 1)


class CalibratedBench(bench.Bench):
    """Judges a row twice, by the built-in policy and by the one that was calibrated for its golden."""

    def __init__(self, workshop):
        super().__init__(workshop)
        self.policies = {}

    def healthy_golden(self, row):
        """What the candidates' backend makes of the healthy model; None where it is the reference's."""
        if row.model in decoder_models.DECODERS or row.finding == "none":
            return None
        script = script_models.as_script(self.built(row.model, on_other_backend), row.model)
        file = self.saved(script)[1]
        example = script_models.SCRIPT_MODELS[row.model][1]
        return self.workshop.record(file, {"x": example}, "--dtype", row.dtype, "--taps", row.taps)

    def policy(self, row):
        key = (row.model, row.dtype, row.taps, row.reference, row.finding == "none")
        if key not in self.policies:
            self.golden(row)
            model, example = self.references[(row.model, row.reference)]
            flags = ["--dtype", row.dtype, "--taps", row.taps, "--repeat", 1, *model[2:]]
            golden = self.workshop.file("h5")
            with_truth = self.workshop.try_record(model[1], {"x": example}, golden, *flags, "--truth", "float64")
            if with_truth.exit_code != 0:  # a model whose code fixes a dtype
                golden = self.workshop.record(model[1], {"x": example}, *flags)
            goldens = filter(None, [golden, self.healthy_golden(row)])
            file = self.workshop.file("toml")
            outcome = self.workshop.run("calibrate", *goldens, *model, *VARIED, "--out", file)
            if outcome.exit_code != 0 and "nothing to calibrate from" not in outcome.stderr:
                raise AssertionError(f"{row.name}: not calibrated: {outcome.text()}")
            # Where every run has the same bits, the built-in policy stays.
            self.policies[key] = ["--policy", file] if outcome.exit_code == 0 else []
        return self.policies[key]

    def judged(self, row, *policy):
        run = ["--device", "cpu", "--weights", "any", *row.flags]
        if "--threads" not in row.flags:
            run += ["--threads", 1]
        report = self.workshop.file("json")
        outcome = self.workshop.run(
            "compare", self.golden(row), *self.candidate(row), *run, *policy, "--json", report, report_file=report
        )
        if outcome.report is None:
            raise AssertionError(f"{row.name}: no report: {outcome.text()}")
        warned = any(tap["verdict"] == "suspect" for case in outcome.report["cases"] for tap in case["taps"])
        return "fails" if outcome.exit_code == 1 else "warns" if warned else "passes"

    def compare(self, row):
        return self.judged(row), self.judged(row, *self.policy(row))


def run_all(rows):
    """[(row, (verdict of the built-in policy, verdict of the calibrated one))]"""
    torch.set_num_threads(1)
    found = []
    workshop = Workshop()
    try:
        judging = CalibratedBench(workshop)
        for row in sorted(rows, key=lambda row: row.model):
            found.append((row, judging.compare(row)))
    finally:
        workshop.close()
    return found
