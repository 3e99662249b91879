"""A model with an operator that torch cannot run in float64: its truth is in float32, and everybody is told."""

import os
import unittest

import torch
from torch import nn

from parity_program import NO_JUDGEMENT, PASSES, Workshop
from value_rows import noise

LIBRARY = os.environ["PARITY_RIGHT_OPERATORS"]
torch.ops.load_library(LIBRARY)


class Limited(nn.Module):
    def __init__(self, dtype):
        super().__init__()
        self.fc = nn.Linear(16, 16, dtype=dtype)
        with torch.no_grad():
            self.fc.weight.copy_(noise(16, 16))
            self.fc.bias.zero_()

    def forward(self, x):
        return torch.ops.parity_sloppy.no_float64(self.fc(x))


class TruthFallback(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.workshop = Workshop()
        cls.addClassCleanup(cls.workshop.close)

    def record(self, dtype):
        golden = self.workshop.file("h5")
        model = self.workshop.script(Limited(dtype))
        inputs = {"x": noise(4, 16).to(dtype)}
        flags = ["--truth", "float64", "--library", LIBRARY]
        return model, golden, self.workshop.try_record(model, inputs, golden, *flags)

    def test_the_truth_is_in_float32_and_says_why(self):
        model, golden, recorded = self.record(torch.bfloat16)
        self.assertEqual(recorded.exit_code, PASSES, recorded.text())
        self.assertIn("does not run in float64", recorded.stderr)
        self.assertIn("no_float64", recorded.stderr)
        outcome = self.workshop.compare(golden, model, "--library", LIBRARY)
        self.assertEqual(outcome.exit_code, PASSES, outcome.text())
        self.assertEqual(outcome.tap("fc")["truth"]["dtype"], "float32")
        self.assertIn("does not run in float64", " ".join(outcome.case()["notes"]))

    def test_nothing_is_left_that_is_more_precise_than_float32(self):
        _, golden, recorded = self.record(torch.float32)
        self.assertEqual(recorded.exit_code, NO_JUDGEMENT, recorded.text())
        self.assertIn("cannot be run in float64", recorded.stderr)
        self.assertFalse(golden.exists())


if __name__ == "__main__":
    unittest.main()
