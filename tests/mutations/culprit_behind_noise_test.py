"""A small fault deep in a 16-bit model whose reference has long drifted from its truth: the drift must not hide it."""

import copy
import unittest

import torch
from torch import nn

from parity_program import PASSES, Workshop
from value_rows import noise

LAYERS = 16
SIZE = 32


class Residual(nn.Module):
    def __init__(self, seed):
        super().__init__()
        self.norm = nn.LayerNorm(SIZE)
        self.fc = nn.Linear(SIZE, SIZE)
        with torch.no_grad():
            self.fc.weight.copy_(noise(SIZE, SIZE, seed=seed) / SIZE**0.5)
            self.fc.bias.zero_()

    def forward(self, x):
        return x + torch.tanh(self.fc(self.norm(x)))


class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(*(Residual(seed) for seed in range(LAYERS)))

    def forward(self, x):
        return self.blocks(x)


class CulpritBehindNoise(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.workshop = Workshop()
        cls.addClassCleanup(cls.workshop.close)

    def test_drift_from_the_truth_hides_no_culprit(self):
        model = Deep().to(torch.bfloat16)
        x = noise(8, SIZE).to(torch.bfloat16)
        golden = self.workshop.record(
            self.workshop.script(model), {"x": x}, "--truth", "float32"
        )
        wrong = copy.deepcopy(model)
        with torch.no_grad():
            wrong.blocks[LAYERS - 1].fc.weight.mul_(1.03)
        outcome = self.workshop.compare(golden, self.workshop.script(wrong), "--attribute")
        guilty = f"blocks.{LAYERS - 1}.fc"
        truth = outcome.tap(guilty)["truth"]
        introduced = outcome.tap(guilty)["introduced"]["nrmse"]
        # Without what the reference is wrong by itself, the fault could be called its drift.
        self.assertLess(truth["reference_introduced_nrmse"], introduced / 2)
        self.assertEqual(outcome.report["attribution"]["finding"], "culprit", outcome.text())
        self.assertEqual(outcome.report["blame"][0]["tap"], guilty)

        right = self.workshop.compare(golden, self.workshop.script(model), "--attribute")
        self.assertEqual(right.exit_code, PASSES, right.text())
        self.assertEqual(right.report["attribution"]["finding"], "none")


if __name__ == "__main__":
    unittest.main()
