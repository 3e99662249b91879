"""Faults that backends had in language models: each seeded alone, found where it was seeded.

The reference is one recording of a healthy model at four lengths; every candidate is that model
with one number changed. Each is replayed and also compared from its own recording.
"""

import unittest

import torch

from char_model import VOCABULARY, CharModel, tokens
from parity_program import FAILS, PASSES, Workshop

LENGTHS = (8, 16, 17, 300)


class CharModelFaults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.workshop = Workshop()
        cls.addClassCleanup(cls.workshop.close)
        cases = {f"length_{n}": tokens(n) for n in LENGTHS}
        cls.golden = cls.workshop.record(cls.workshop.script(CharModel()), cases)

    def compare(self, candidate, exit_code, *flags):
        """Report of a replay, after the recorded run was compared to the same effect."""
        recorded = self.workshop.file("h5")
        model = self.workshop.script(candidate)
        outcome = self.workshop.compare(self.golden, model, "--save", recorded, *flags)
        self.assertEqual(outcome.exit_code, exit_code, outcome.text())
        offline = self.workshop.compare(self.golden, recorded, *flags)
        self.assertEqual(offline.exit_code, exit_code, offline.text())
        self.assertEqual(offline.report["cases"], outcome.report["cases"])
        return outcome

    def assert_identical_before(self, outcome, tap, case):
        """Everything that ran before the fault must be green, or the fault was not found."""
        verdicts = outcome.verdicts(case)
        self.assertIn(tap, verdicts)
        for name, verdict in verdicts.items():
            if name == tap:
                return
            self.assertEqual(verdict, "identical", name)

    def test_the_healthy_model_is_identical(self):
        outcome = self.compare(CharModel(), PASSES)
        for n in LENGTHS:
            self.assertEqual(set(outcome.verdicts(f"length_{n}").values()), {"identical"})
        self.assertIsNone(outcome.first_divergence)
        logits = outcome.case("length_17")["logits"]
        self.assertEqual(logits["positions"], 17)
        self.assertEqual((logits["flips"], logits["top1_agreement"]), (0, 1))
        self.assertEqual(logits["kl"], {"mean": 0, "p99": 0, "max": 0})

    def test_rounding_noise_in_every_layer_names_no_culprit(self):
        """burn PR#3609: 30 layers, at most 3e-8 apart: no fault."""
        model = CharModel()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.mul_(1 + 2**-23)
        outcome = self.compare(model, PASSES)
        self.assertIsNone(outcome.first_divergence)
        self.assertEqual(outcome.report["totals"]["failed"], 0)

    def test_a_head_of_random_weights_is_found_in_the_head(self):
        """transformers PR#43429: lm_head was not tied; hidden states are right, the text is not."""
        model = CharModel()
        with torch.no_grad():
            random = torch.Generator().manual_seed(1)
            model.head.weight.copy_(1.5 * torch.randn(VOCABULARY, 32, generator=random))
        outcome = self.compare(model, FAILS)
        case, tap = outcome.first_divergence
        self.assertEqual((case, tap.split("/")[0]), ("length_8", "head"))
        self.assert_identical_before(outcome, tap, case)
        logits = outcome.case("length_300")["logits"]
        self.assertGreater(logits["decided_flips"], 0)
        self.assertEqual(logits["verdict"], "diverged")

    def test_permuted_query_rows_are_found_in_that_layer(self):
        """transformers#31766: rows permuted for the other rotary layout."""
        model = CharModel()
        with torch.no_grad():
            weight = model.blocks[1].attention.q.weight
            weight.copy_(weight.reshape(2, 16, 32).transpose(0, 1).reshape(32, 32).clone())
        outcome = self.compare(model, FAILS)
        self.assertEqual(outcome.first_divergence, ("length_8", "blocks.1.attention.q"))
        self.assert_identical_before(outcome, "blocks.1.attention.q", "length_8")
        self.assertIn("permuted", outcome.hints("blocks.1.attention.q", "length_8"))

    def test_another_gelu_is_found_in_the_activations(self):
        """tvm#14814: erf against tanh, a third of a percent."""
        outcome = self.compare(CharModel(approximate="tanh"), FAILS)
        self.assertEqual(outcome.first_divergence, ("length_8", "blocks.0.act"))
        self.assert_identical_before(outcome, "blocks.0.act", "length_8")
        self.assertGreater(outcome.tap("blocks.0.act", "length_8")["cosine"], 0.9999)

    def test_rotary_angles_in_bfloat16_are_wrong_only_far_out(self):
        """transformers#29285: position 257 has no bfloat16."""
        model = CharModel()
        model.rotary.rounded.fill_(1.0)
        outcome = self.compare(model, FAILS)
        self.assertEqual(outcome.first_divergence, ("length_300", "rotary:0"))
        for n in (8, 16, 17):
            self.assertEqual(set(outcome.verdicts(f"length_{n}").values()), {"identical"})
        self.assert_identical_before(outcome, "rotary:0", "length_300")
        for port in ("rotary:0", "rotary:1"):
            self.assertEqual(outcome.tap(port, "length_300")["where"]["first"][0], 257)
            self.assertGreaterEqual(outcome.axis(port, 0, "length_300")[0], 257)

    def test_a_fault_beyond_a_length_fails_only_the_long_cases(self):
        """vllm#39303, pytorch#154582: right up to the window, wrong one token later."""
        model = CharModel()
        for block in model.blocks:
            block.attention.longest_right = 16
        outcome = self.compare(model, FAILS)
        case, tap = outcome.first_divergence
        self.assertEqual(case, "length_17")
        self.assertEqual(tap, "blocks.0.attention/aten.scaled_dot_product_attention")
        for n in (8, 16):
            self.assertEqual(set(outcome.verdicts(f"length_{n}").values()), {"identical"})
        self.assert_identical_before(outcome, tap, "length_17")
        self.assertGreaterEqual(outcome.tap(tap, "length_17")["where"]["first"][1], 8)

    def test_a_corrupt_tail_is_located_in_the_logits(self):
        """vllm#41472: the first tokens are right."""
        model = CharModel()
        model.head.gain[5:] = -1.0
        outcome = self.compare(model, FAILS)
        self.assertEqual(outcome.first_divergence, ("length_8", "head"))
        self.assertEqual(outcome.tap("head", "length_8")["where"]["first"][:2], [0, 5])
        self.assertGreaterEqual(outcome.axis("head", 1, "length_300")[0], 5)
        for n in LENGTHS:
            logits = outcome.case(f"length_{n}")["logits"]
            self.assertEqual(logits["first_divergent"], [5])
            self.assertEqual(logits["flips"], n - 5)

    def test_a_constant_per_token_differs_without_changing_any_probability(self):
        """TransformerLens#693: a centred unembedding; both facts must be stated."""
        model = CharModel()
        model.head.offset[:, 0] = torch.linspace(0.1, 0.3, len(model.head.offset))
        outcome = self.compare(model, FAILS)
        self.assertEqual(outcome.first_divergence, ("length_8", "head"))
        tap = outcome.tap("head", "length_300")
        self.assertEqual(tap["verdict"], "diverged")
        self.assertTrue(0.1 < tap["absolute"]["mean_signed"] < 0.3)
        self.assertIn("row_offset", outcome.hints("head", "length_300"))
        logits = outcome.case("length_300")["logits"]
        self.assertIn(logits["verdict"], ("identical", "within"))
        self.assertEqual(logits["flips"], 0)
        self.assertEqual(set(logits["topk_overlap"].values()), {1})
        self.assertLess(logits["kl"]["max"], 1e-9)

    def test_suppressed_tokens_do_not_make_the_divergence_nan(self):
        """optax PR#1786: 0 * (-inf - -inf)."""
        model = CharModel()
        model.head.suppressed[:2] = -torch.inf
        golden = self.workshop.record(self.workshop.script(model), {"x": tokens(16)})
        with torch.no_grad():
            model.head.weight.mul_(1 + 2**-20)
        outcome = self.workshop.compare(golden, self.workshop.script(model))
        self.assertEqual(outcome.exit_code, PASSES, outcome.text())
        self.assertEqual(outcome.tap("head")["classes"]["inf_equal"], 32)
        logits = outcome.case()["logits"]
        self.assertEqual(logits["positions"], 16)
        self.assertTrue(0 < logits["kl"]["max"] < 1e-6, logits)
        self.assertTrue(0 < logits["kl_reverse"]["max"] < 1e-6, logits)

    def test_another_vocabulary_is_a_difference_of_shape(self):
        """tenstorrent/vllm#330: logits 64 wide against 33."""
        outcome = self.compare(CharModel(vocabulary=33), FAILS)
        case, tap = outcome.first_divergence
        self.assertEqual((case, tap.split("/")[0]), ("length_8", "head"))
        output = outcome.tap("<output>", "length_8")
        self.assertEqual(output["verdict"], "shape_differs")
        self.assertEqual(output["shapes"], {"reference": [1, 8, 64], "candidate": [1, 8, 33]})
        self.assertIsNone(outcome.case("length_8")["logits"])

    def test_of_two_builds_the_good_one_passes_and_the_bad_one_fails(self):
        """llama.cpp#27506: the same command for both."""
        good, bad = CharModel(), CharModel()
        with torch.no_grad():
            good.blocks[0].up.weight.mul_(1 + 2**-23)
            bad.blocks[0].up.weight.mul_(1.5)
        self.compare(good, PASSES)
        outcome = self.compare(bad, FAILS)
        self.assertEqual(outcome.first_divergence, ("length_8", "blocks.0.up"))

    def test_operands_rounded_to_tf32_are_no_float32(self):
        """pytorch#79270: ten fraction bits instead of 23 in one matrix product."""
        model = CharModel()
        with torch.no_grad():
            weight = model.blocks[0].down.weight
            weight.copy_((weight.view(torch.int32) & ~0x1FFF).view(torch.float32))
        outcome = self.compare(model, FAILS)
        self.assertEqual(outcome.first_divergence, ("length_8", "blocks.0.down"))
        self.assertTrue(1e-5 < outcome.tap("blocks.0.down", "length_300")["nrmse"] < 1e-2)


if __name__ == "__main__":
    unittest.main()
