"""Faults that look like the noise of a 16-bit dtype, told apart from that noise.

The same fault-free model in the 16-bit dtype must pass under the same bounds, or its failure proves
nothing.
"""

import unittest

import torch
import torch.nn.functional as F
from torch import nn

from parity_program import FAILS, PASSES, Workshop
from value_rows import noise


def seeded(linear, seed, offset=0.0):
    with torch.no_grad():
        linear.weight.copy_(0.25 * noise(16, 16, seed=seed))
        linear.bias.fill_(offset)
    return linear


class PaddedAttention(nn.Module):
    """`mask_as_bytes`: the 64-bit mask is read as if its elements were bytes."""

    def __init__(self, mask_as_bytes):
        super().__init__()
        mask = torch.tensor([1, 1, 1, 1, 1, 1, 0, 0])
        if mask_as_bytes:
            mask = mask.view(torch.uint8)[:8].long()  # 1, then zeros: the rest of the first number
        self.register_buffer("mask", mask)

    def forward(self, x):
        scores = torch.matmul(x, x.transpose(-1, -2)) * 0.25
        weights = F.softmax(scores.masked_fill(self.mask == 0, -1e4), dim=-1)
        return torch.matmul(weights, x)


class MaskedModel(nn.Module):
    def __init__(self, mask_as_bytes=False):
        super().__init__()
        self.first = seeded(nn.Linear(16, 16), 1)
        self.attention = PaddedAttention(mask_as_bytes)
        self.last = seeded(nn.Linear(16, 16), 2)

    def forward(self, x):
        return self.last(self.attention(self.first(x)))


class SkipNorm(nn.Module):
    """Layer norm of a sum; `sum_rounded`: the sum is rounded to the inputs' dtype before."""

    def __init__(self, sum_rounded):
        super().__init__()
        self.sum_rounded = sum_rounded

    def forward(self, x, skip):
        wide = x.float() + skip.float()
        if self.sum_rounded:
            wide = wide.to(x.dtype).float()
        centred = wide - wide.mean(-1, keepdim=True)
        variance = centred.pow(2).mean(-1, keepdim=True)
        return (centred * torch.rsqrt(variance + 1e-6)).to(x.dtype)


class SkipModel(nn.Module):
    def __init__(self, sum_rounded, offset):
        super().__init__()
        self.first = seeded(nn.Linear(16, 16), 1, offset)
        self.second = seeded(nn.Linear(16, 16), 2, offset)
        self.norm = SkipNorm(sum_rounded)
        self.last = seeded(nn.Linear(16, 16), 3)

    def forward(self, x):
        return self.last(self.norm(self.first(x), self.second(x)))


class HalfPrecisionFaults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.workshop = Workshop()
        cls.addClassCleanup(cls.workshop.close)

    def compare(self, golden, candidate, exit_code, *flags):
        outcome = self.workshop.compare(golden, self.workshop.script(candidate), *flags)
        self.assertEqual(outcome.exit_code, exit_code, outcome.text())
        return outcome

    def test_a_mask_of_the_wrong_dtype_is_no_float16_noise(self):
        """DeepSpeed#2730: far off the float32 run, which the float16 run itself was close to."""
        golden = self.workshop.record(self.workshop.script(MaskedModel()), {"x": noise(2, 8, 16)})
        float16 = ("--dtype", "float16")
        healthy = self.compare(golden, MaskedModel(), PASSES, *float16)
        self.assertIsNone(healthy.first_divergence)
        for faulty in (
            self.compare(golden, MaskedModel(mask_as_bytes=True), FAILS),
            self.compare(golden, MaskedModel(mask_as_bytes=True), FAILS, *float16),
        ):
            case, tap = faulty.first_divergence
            self.assertEqual((case, tap.split("/")[0]), ("x", "attention"))
            self.assertIn(faulty.tap("first")["verdict"], ("identical", "within"))
            errors = [outcome.tap("attention")["nrmse"] for outcome in (healthy, faulty)]
            self.assertGreater(errors[1], 100 * errors[0])

    def test_a_sum_rounded_before_a_norm_is_found_where_it_is_large(self):
        """onnxruntime#17689: residual of several hundred, of which the norm leaves the rest."""
        for offset, exit_code in ((512.0, FAILS), (0.0, PASSES)):
            healthy = self.workshop.script(SkipModel(False, offset).half())
            golden = self.workshop.record(healthy, {"x": noise(4, 16, dtype=torch.float16)})
            outcome = self.compare(golden, SkipModel(True, offset).half(), exit_code)
            for layer in ("first", "second"):
                self.assertEqual(outcome.tap(layer)["verdict"], "identical")
            expected = ("x", "norm") if exit_code == FAILS else None
            self.assertEqual(outcome.first_divergence, expected)
            self.assertGreater(outcome.tap("norm")["nrmse"], 0)


if __name__ == "__main__":
    unittest.main()
