"""Faults that backends had in single layers: each seeded alone in a small model made around it.

A fault is a changed number, so both sides have the same graph. What must be named is the layer that
created the difference, not those that inherit it.
"""

import unittest

import torch
import torch.nn.functional as F
from torch import nn

from parity_program import FAILS, PASSES, Workshop
from value_rows import noise


def seeded(module, scale=1.0):
    random = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for parameter in module.parameters():
            if parameter.dim() > 1:
                fan_in = parameter[0].numel()
                values = torch.randn(parameter.shape, generator=random, dtype=torch.float32)
                parameter.copy_(scale * fan_in**-0.5 * values)
    return module


class ConvBetweenLinears(nn.Module):
    def __init__(self, groups=1):
        super().__init__()
        self.first = nn.Linear(24, 24)
        self.conv = nn.Conv2d(4, 16, 4, stride=2, groups=groups)
        self.last = nn.Linear(11, 5)

    def forward(self, x):
        return self.last(self.conv(self.first(x)))


class Softmax(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("gain", torch.tensor(1.0))

    def forward(self, scores):
        return F.softmax(scores, dim=-1) * self.gain


class CappedLogits(nn.Module):
    """Its last operators stand behind the last module: nothing is tapped there but the output."""

    def __init__(self, cap):
        super().__init__()
        self.last = nn.Linear(16, 8, bias=False)
        self.register_buffer("cap", torch.tensor(cap))

    def forward(self, x):
        return torch.tanh(self.last(x) / self.cap) * self.cap


class SoftmaxBetweenLinears(nn.Module):
    def __init__(self):
        super().__init__()
        self.scores = nn.Linear(16, 32)
        self.softmax = Softmax()
        self.last = nn.Linear(32, 8)

    def forward(self, x):
        return self.last(self.softmax(self.scores(x)))


class MaskedAttention(nn.Module):
    """`blocked` is what a forbidden position adds to its score."""

    def __init__(self, blocked, masked_rows):
        super().__init__()
        mask = torch.zeros(8, 8)
        mask[masked_rows] = blocked
        self.register_buffer("mask", mask)

    def forward(self, x):
        weights = F.softmax(torch.matmul(x, x.transpose(-1, -2)) + self.mask, dim=-1)
        return torch.matmul(weights, x)


class CausalAttention(nn.Module):
    """Fewer queries than keys: the causal mask may be aligned to either corner."""

    def __init__(self, diagonal):
        super().__init__()
        self.register_buffer("mask", torch.ones(4, 8, dtype=torch.bool).tril(diagonal))

    def forward(self, x):
        return F.scaled_dot_product_attention(x[:, 4:], x, x, attn_mask=self.mask)


class Around(nn.Module):
    """A healthy layer on either side of the one under test."""

    def __init__(self, inner, width=16):
        super().__init__()
        self.first = nn.Linear(width, width)
        self.inner = inner
        self.last = nn.Linear(width, width)

    def forward(self, x):
        return self.last(self.inner(self.first(x)))


class HalfScores(nn.Module):
    """Scaling before or after the product is equal on paper; in float16 the product overflows."""

    def __init__(self, before, after):
        super().__init__()
        self.register_buffer("before", torch.tensor(before))
        self.register_buffer("after", torch.tensor(after))

    def forward(self, x):
        return torch.matmul(x * self.before, x.transpose(-1, -2)) * self.after


class OverflowingAttention(nn.Module):
    def __init__(self, before, after):
        super().__init__()
        self.first = nn.Linear(32, 32)
        self.scores = HalfScores(before, after)
        self.softmax = nn.Softmax(dim=-1)
        self.last = nn.Linear(8, 4)

    def forward(self, x):
        return self.last(self.softmax(self.scores(self.first(x))))


class RMSNorm(nn.Module):
    """`sum_rounded`: mean square rounded to bfloat16; `weight_late`: scaled after the cast."""

    def __init__(self, width, sum_rounded=0.0, weight_late=1.0):
        super().__init__()
        self.register_buffer("weight", 1 + 0.1 * noise(width))
        self.sum_rounded = sum_rounded
        self.weight_late = weight_late

    def forward(self, x):
        wide = x.float()
        mean_square = wide.pow(2).mean(-1, keepdim=True)
        if self.sum_rounded > 0.0:
            mean_square = mean_square.to(torch.bfloat16).float()
        wide = wide * torch.rsqrt(mean_square + 1e-6)
        if self.weight_late > 0.0:
            return self.weight.to(x.dtype) * wide.to(x.dtype)
        return (self.weight.float() * wide).to(x.dtype)


class NormedLM(nn.Module):
    """A nearly uniform head: the two best logits are often one rounding apart."""

    def __init__(self, norm):
        super().__init__()
        self.embed = nn.Embedding(512, 128)
        self.norm = norm
        self.head = nn.Linear(128, 2048, bias=False)

    def forward(self, tokens):
        return self.head(self.norm(self.embed(tokens)))


class ProductBeforeNorm(nn.Module):
    """A scaled row that the norm scales back."""

    def __init__(self, wrong_from_row):
        super().__init__()
        self.product = RowGain(wrong_from_row)
        self.norm = RMSNorm(16)

    def forward(self, x):
        return self.norm(self.product(x))


class RowGain(nn.Module):
    def __init__(self, wrong_from_row):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(16, 16))
        gain = torch.ones(12, 1)
        gain[wrong_from_row:] = 2.0
        self.register_buffer("gain", gain)

    def forward(self, x):
        return F.linear(x, self.weight) * self.gain


class LongProduct(nn.Module):
    """Sums of 2,048 products near 190, with `step` added to one result in ten."""

    def __init__(self, step):
        super().__init__()
        self.weight = nn.Parameter((0.18 + 0.02 * noise(32, 2048)).to(torch.bfloat16))
        self.register_buffer("step", (step * (torch.arange(32) % 10 == 0)).to(torch.bfloat16))

    def forward(self, x):
        return F.linear(x, self.weight) + self.step


class DeepHalf(nn.Module):
    """Layer norms computed in float16 or in float32, over and over."""

    def __init__(self, wide):
        super().__init__()
        self.layers = nn.ModuleList([HalfLayer(wide) for _ in range(24)])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class HalfLayer(nn.Module):
    def __init__(self, wide):
        super().__init__()
        self.wide = wide
        self.linear = nn.Linear(64, 64)

    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)
        if self.wide:
            centred = centred.float()
        scale = torch.rsqrt(centred.pow(2).mean(-1, keepdim=True) + 1e-5)
        return x + self.linear((centred * scale).to(x.dtype))


class LayerFaults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.workshop = Workshop()
        cls.addClassCleanup(cls.workshop.close)

    def setUp(self):
        torch.manual_seed(0)

    def compare(self, reference, candidate, x, exit_code, *record_flags):
        workshop = self.workshop
        healthy = workshop.script(reference)
        golden = workshop.record(healthy, {"x": x}, *record_flags)
        control = workshop.compare(golden, healthy)
        self.assertEqual(control.exit_code, PASSES, control.text())
        self.assertEqual(set(control.verdicts().values()), {"identical"})
        outcome = workshop.compare(golden, workshop.script(candidate))
        self.assertEqual(outcome.exit_code, exit_code, outcome.text())
        return outcome

    def assert_first(self, outcome, tap):
        self.assertEqual(outcome.first_divergence, ("x", tap))
        for name, verdict in outcome.verdicts().items():
            if name == tap:
                return
            self.assertEqual(verdict, "identical", name)

    def test_a_wrong_convolution_is_named_not_the_layer_behind(self):
        """pytorch#102968: results 6.4 times too large on one GPU."""
        candidate = seeded(ConvBetweenLinears())
        reference = seeded(ConvBetweenLinears())
        with torch.no_grad():
            reference.conv.bias.zero_()
            candidate.conv.bias.zero_()
            candidate.conv.weight.mul_(6.4)
        for model in (reference, candidate):
            nn.init.zeros_(model.first.bias)
            nn.init.zeros_(model.last.bias)
        outcome = self.compare(reference, candidate, noise(2, 4, 12, 24), FAILS)
        self.assert_first(outcome, "conv")
        self.assertIn("6.4", outcome.hints("conv")["scaled"])

    def test_a_fault_in_some_groups_names_their_channels(self):
        """rocm-libraries#4998: grouped convolution wrong in all groups but the first."""
        reference, candidate = [seeded(ConvBetweenLinears(groups=4)) for _ in range(2)]
        for model in (reference, candidate):
            for layer in (model.first, model.conv, model.last):
                nn.init.zeros_(layer.bias)
        with torch.no_grad():
            candidate.conv.weight[4:].mul_(1.5)
        outcome = self.compare(reference, candidate, noise(2, 4, 12, 24), FAILS)
        self.assert_first(outcome, "conv")
        first, last = outcome.axis("conv", 1)
        self.assertGreaterEqual(first, 4)
        self.assertGreaterEqual(last, 14)

    def test_half_of_the_softmax_mass_gone_is_a_factor(self):
        """pytorch#186229: warps of 64 lanes assumed, 32 there."""
        reference, candidate = seeded(SoftmaxBetweenLinears()), seeded(SoftmaxBetweenLinears())
        candidate.load_state_dict(reference.state_dict())
        candidate.softmax.gain.fill_(0.5)
        outcome = self.compare(reference, candidate, noise(4, 16), FAILS)
        self.assert_first(outcome, "softmax")
        self.assertIn("0.5", outcome.hints("softmax")["scaled"])
        self.assertEqual(outcome.tap("softmax/aten.softmax")["verdict"], "identical")

    def test_fully_masked_rows_are_nan_on_one_side(self):
        """transformers#38690: no key is allowed; one backend divides zero by zero."""
        healthy = Around(MaskedAttention(-1e30, [2, 5]))
        faulty = Around(MaskedAttention(-torch.inf, [2, 5]))
        faulty.first.load_state_dict(healthy.first.state_dict())
        faulty.last.load_state_dict(healthy.last.state_dict())
        outcome = self.compare(healthy, faulty, noise(1, 8, 16), FAILS)
        softmax = "inner/aten.softmax"
        self.assert_first(outcome, softmax)
        tap = outcome.tap(softmax)
        self.assertEqual(tap["verdict"], "non_finite")
        self.assertEqual(tap["classes"]["nan_candidate_only"], 2 * 8)
        self.assertEqual(tap["classes"]["nan_reference_only"], 0)
        self.assertEqual(tap["where"]["first"], [0, 2, 0])

    def test_a_causal_mask_in_the_other_corner_is_found_in_attention(self):
        """onnxruntime#29020: upper left on the GPU, lower right on the CPU."""
        healthy, faulty = Around(CausalAttention(4)), Around(CausalAttention(0))
        faulty.first.load_state_dict(healthy.first.state_dict())
        faulty.last.load_state_dict(healthy.last.state_dict())
        outcome = self.compare(healthy, faulty, noise(1, 8, 16), FAILS)
        self.assert_first(outcome, "inner")
        self.assertEqual(outcome.tap("inner")["where"]["first"][:2], [0, 0])

    def test_the_first_infinity_is_named_not_the_first_nan(self):
        """AMDMIGraphX#2555: scores overflow float16, the NaN comes later."""
        models = []
        for before, after in ((0.125, 1.0), (1.0, 0.125)):
            model = OverflowingAttention(before, after)
            with torch.no_grad():
                model.first.weight.copy_(60 * torch.eye(32))
                nn.init.zeros_(model.first.bias)
                model.last.weight.copy_(noise(4, 8))
                nn.init.zeros_(model.last.bias)
            models.append(model.half())
        outcome = self.compare(*models, noise(1, 8, 32, dtype=torch.float16), FAILS)
        product = "scores/aten.matmul"
        self.assert_first(outcome, product)
        tap = outcome.tap(product)
        self.assertEqual(tap["verdict"], "non_finite")
        self.assertGreater(tap["classes"]["inf_candidate_only"], 0)
        self.assertEqual(tap["classes"]["nan_candidate_only"], 0)
        self.assertGreater(outcome.tap("softmax")["classes"]["nan_candidate_only"], 0)

    def test_one_rounding_step_in_a_norm_is_not_a_wrong_layer(self):
        """ROCm/aiter#3806: a sum in bfloat16; logits flip where they are tied, and only there."""
        models = []
        for sum_rounded in (0.0, 1.0):
            model = seeded(NormedLM(RMSNorm(128, sum_rounded)), 0.02)
            models.append(model.to(torch.bfloat16))
        tokens = torch.arange(512).reshape(2, 256)
        outcome = self.compare(*models, tokens, PASSES)
        self.assertIsNone(outcome.first_divergence)
        norm = outcome.tap("norm")
        self.assertIn(norm["verdict"], ("within", "suspect"))
        self.assertEqual(norm["ulp"]["dtype"], "bfloat16")
        self.assertIn(
            norm["ulp"]["max"], (1, 2)
        )  # one step before the weight, which may make it two
        logits = outcome.case()["logits"]
        self.assertGreater(logits["flips"], 0)
        self.assertEqual(logits["decided_flips"], 0)
        self.assertLess(logits["max_flip_gap"], 0.01)

    def test_the_place_of_a_cast_in_a_norm_is_not_a_wrong_layer(self):
        """TransformerEngine#1132: cast before or after the weight."""
        models = []
        for weight_late in (1.0, 0.0):
            model = Around(RMSNorm(16, weight_late=weight_late))
            models.append(seeded(model).to(torch.bfloat16))
            nn.init.zeros_(models[-1].first.bias)
            nn.init.zeros_(models[-1].last.bias)
        outcome = self.compare(*models, noise(8, 16, dtype=torch.bfloat16), PASSES)
        self.assertIsNone(outcome.first_divergence)
        inner = outcome.tap("inner")
        self.assertIn(inner["verdict"], ("within", "suspect"))
        self.assertEqual(inner["ulp"]["max"], 1)

    def test_a_norm_behind_a_wrong_product_does_not_hide_it(self):
        """modular#6883: filed against the norm, caused by the product for more than eight rows."""
        healthy, faulty = seeded(ProductBeforeNorm(12)), seeded(ProductBeforeNorm(8))
        outcome = self.compare(healthy, faulty, noise(12, 16), FAILS)
        self.assert_first(outcome, "product")
        self.assertEqual(outcome.axis("product", 0), (8, 11))
        self.assertIn(outcome.tap("norm")["verdict"], ("identical", "within"))
        self.assertIn(outcome.tap("<output>")["verdict"], ("identical", "within"))

    def test_one_step_of_a_large_bfloat16_is_no_error_of_one(self):
        """pytorch#111457: products of length 2,048 differ by 1.0, which is one step at 190."""
        healthy, faulty = LongProduct(0.0), LongProduct(1.0)
        x = 0.5 + 0.01 * noise(4, 2048)
        outcome = self.compare(healthy, faulty, x.to(torch.bfloat16), PASSES)
        tap = outcome.tap("<output>")
        self.assertEqual(tap["absolute"]["max"], 1.0)
        self.assertEqual((tap["ulp"]["dtype"], tap["ulp"]["max"]), ("bfloat16", 1))
        self.assertIsNone(outcome.first_divergence)

    def test_smooth_growth_over_many_layers_has_no_single_culprit(self):
        """FasterTransformer#375: layer norms in float16 instead of float32."""
        models = [seeded(DeepHalf(wide), 0.5).half() for wide in (True, False)]
        for model in models:
            for layer in model.layers:
                nn.init.zeros_(layer.linear.bias)
        outcome = self.compare(*models, noise(4, 64, dtype=torch.float16), PASSES)
        self.assertIsNone(outcome.first_divergence)
        errors = [outcome.tap(f"layers.{i}")["nrmse"] for i in (0, 23)]
        self.assertLess(errors[0], errors[1])

    def test_operators_behind_the_last_layer_are_blamed_at_the_output(self):
        healthy, faulty = seeded(CappedLogits(2.0)), seeded(CappedLogits(50.0))
        golden = self.workshop.record(self.workshop.script(healthy), {"x": noise(4, 16)})
        outcome = self.workshop.compare(golden, self.workshop.script(faulty), "--attribute")
        self.assertEqual(outcome.exit_code, FAILS, outcome.text())
        self.assertEqual(outcome.report["attribution"]["finding"], "culprit")
        self.assertEqual([blame["tap"] for blame in outcome.report["blame"]], ["<output>"])
        operators = {line["op"] for line in outcome.report["blame"][0]["operators"]}
        self.assertIn("aten.tanh", operators)


if __name__ == "__main__":
    unittest.main()
