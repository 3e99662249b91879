"""Models that give something else when they run again: which run is a golden of, and who is told?"""

import unittest

import torch
from torch import nn

from parity_program import FAILS, NO_JUDGEMENT, PASSES, Workshop
from value_rows import noise


class Noisy(nn.Module):
    """Adds noise of 1e-3: from the seeded generator, or from one of its own that nobody seeds."""

    def __init__(self, own_generator):
        super().__init__()
        self.own_generator = own_generator

    def forward(self, x):
        if self.own_generator:
            generator = torch.Generator(device="cpu")
            generator.seed()
            return x + 1e-3 * torch.randn(3, 8, generator=generator)
        return x + 1e-3 * torch.randn_like(x)


class Warming(nn.Module):
    """The first call is another than all later ones, as when a fusion sets in after profiling."""

    def __init__(self, first, later):
        super().__init__()
        self.register_buffer("gains", torch.tensor([first, later]))
        self.register_buffer("calls", torch.zeros(1, dtype=torch.long))

    def forward(self, x):
        gain = self.gains[int(self.calls.clamp(max=1).item())]
        self.calls += 1
        return x * gain


class CentredOverTheBatch(nn.Module):
    """Every row sees all others, as with a batch norm that was left in training mode."""

    def forward(self, x):
        return x - x.mean(0, keepdim=True)


class Sequences(nn.Module):
    """Rows are the second dimension inside."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.lstm = nn.LSTM(8, 6)

    def forward(self, x):
        return self.lstm(x.transpose(0, 1))[0].transpose(0, 1)


class Between(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.first, self.last = nn.Linear(8, 8), nn.Linear(8, 8)
        self.inner = inner
        with torch.no_grad():
            for seed, linear in enumerate((self.first, self.last)):
                linear.weight.copy_(noise(8, 8, seed=seed))
                linear.bias.zero_()

    def forward(self, x):
        return self.last(self.inner(self.first(x)))


class RepeatedRunFaults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.workshop = Workshop()
        cls.addClassCleanup(cls.workshop.close)
        cls.x = noise(3, 8)

    def compare(self, golden, candidate, exit_code, *flags):
        outcome = self.workshop.compare(golden, candidate, *flags)
        self.assertEqual(outcome.exit_code, exit_code, outcome.text())
        return outcome

    def test_a_model_that_is_not_deterministic_is_called_so(self):
        """llama.cpp#13280: other logits every run, which no other device is to blame for."""
        model = self.workshop.script(Between(Noisy(own_generator=True)))
        golden = self.workshop.file("h5")
        recorded = self.workshop.try_record(model, {"x": self.x}, golden)
        self.assertEqual(recorded.exit_code, PASSES, recorded.text())
        self.assertIn("not deterministic", recorded.stderr)
        outcome = self.compare(golden, model, FAILS)
        self.assertEqual(outcome.first_divergence, ("x", "inner"))
        self.assertIn("not deterministic", " ".join(outcome.case()["notes"]))

    def test_noise_of_the_reference_is_not_blamed_on_the_candidate(self):
        """The same model, recorded with repeats: its own noise is the floor of the bounds."""
        model = self.workshop.script(Between(Noisy(own_generator=True)))
        golden = self.workshop.record(model, {"x": self.x}, "--repeat", 8)
        outcome = self.compare(golden, model, PASSES)
        first = outcome.report["noise_summary"]["first"]
        self.assertEqual((first["case"], first["tap"]), ("x", "inner"))
        self.assertEqual(outcome.tap("first")["noise"]["differing"], 0)
        self.assertEqual(outcome.tap("inner")["noise"]["differing"], 8)
        self.assertEqual(outcome.tap("inner")["verdict"], "within")
        self.assertIn("not deterministic", outcome.stdout)
        wrong = Between(Noisy(own_generator=True))
        with torch.no_grad():
            wrong.last.weight[0, 0] += 0.1
        outcome = self.compare(golden, self.workshop.script(wrong), FAILS)
        self.assertEqual(outcome.first_divergence, ("x", "last"))

    def test_random_numbers_from_the_seed_are_deterministic(self):
        model = self.workshop.script(Between(Noisy(own_generator=False)))
        golden = self.workshop.file("h5")
        recorded = self.workshop.try_record(model, {"x": self.x}, golden)
        self.assertNotIn("not deterministic", recorded.stderr)
        outcome = self.compare(golden, model, PASSES)
        self.assertEqual(set(outcome.verdicts().values()), {"identical"})
        self.assertEqual(outcome.case()["notes"], [])
        other_seed = self.workshop.record(model, {"x": self.x}, "--seed", 1)
        outcome = self.compare(golden, other_seed, FAILS)
        self.assertEqual(outcome.first_divergence, ("x", "inner"))

    def selfcheck(self, module, x, *flags):
        report_file = self.workshop.file("json")
        return self.workshop.run(
            "selfcheck", "--model", self.workshop.script(module), "--device", "cpu",
            "--inputs", f"x={self.workshop.inputs(x)}", "--json", report_file, *flags,
            report_file=report_file,
        )  # fmt: skip

    def test_a_row_that_sees_the_others_fails_on_one_device(self):
        outcome = self.selfcheck(Between(CentredOverTheBatch()), self.x)
        self.assertEqual(outcome.exit_code, FAILS, outcome.text())
        verdicts = {case["name"]: case["verdict"] for case in outcome.report["cases"]}
        self.assertEqual(verdicts["x, run 2"], "pass")
        self.assertEqual(verdicts["x, row 1 of 3 alone"], "fail")
        self.assertEqual(outcome.first_divergence, ("x, row 0 of 3 alone", "inner"))
        # One row may take another kernel than three: that is rounding, and no failure.
        first = outcome.tap("first", "x, row 0 of 3 alone")
        self.assertIn(first["verdict"], ("identical", "within"))

    def test_a_batch_made_of_one_row_has_neighbours_that_differ(self):
        outcome = self.selfcheck(Between(CentredOverTheBatch()), self.x[:1])
        self.assertEqual(outcome.exit_code, FAILS, outcome.text())
        self.assertEqual(outcome.first_divergence, ("x, row 0 of 4 alone", "inner"))

    def test_rows_in_another_dimension_are_found(self):
        outcome = self.selfcheck(Sequences(), noise(3, 5, 8))
        self.assertEqual(outcome.exit_code, PASSES, outcome.text())
        alone = outcome.taps("x, row 1 of 3 alone")
        self.assertEqual(alone["lstm:0"]["shape"], [5, 1, 6])
        self.assertIn("lstm:1.0", alone)  # [layers, rows, ...]

    def test_noise_on_one_device_is_suspect_at_best(self):
        outcome = self.selfcheck(Between(Noisy(own_generator=True)), self.x)
        self.assertIn("other bits than in the first run, first at inner", " ".join(outcome.report["notes"]))
        again = outcome.verdicts("x, run 2")
        self.assertEqual(again["first"], "identical")
        self.assertIn(again["inner"], ("suspect", "diverged"))

    def test_random_numbers_have_no_truth(self):
        """A run in float64 draws others, against which almost any candidate would be closer."""
        model = self.workshop.script(Between(Noisy(own_generator=False)))
        refused = self.workshop.try_record(
            model, {"x": self.x}, self.workshop.file("h5"), "--truth", "float64"
        )
        self.assertEqual(refused.exit_code, NO_JUDGEMENT, refused.text())
        self.assertIn("draws random numbers in case 'x'", refused.stderr)
        golden = self.workshop.record(model, {"x": self.x})
        wide = self.workshop.record(model, {"x": self.x}, "--dtype", "float64")
        outcome = self.compare(golden, model, NO_JUDGEMENT, "--truth", wide)
        self.assertIn("drew random numbers", outcome.stderr)
        saved = self.workshop.file("h5")
        self.compare(golden, model, FAILS, "--dtype", "float64", "--save", saved)
        outcome = self.compare(golden, model, NO_JUDGEMENT, "--truth", saved)
        self.assertIn("drew random numbers", outcome.stderr)
        quiet = self.workshop.script(Between(nn.Dropout(0.5)))  # in eval mode it draws nothing
        self.workshop.record(quiet, {"x": self.x}, "--truth", "float64")

    def test_the_first_call_is_the_one_that_is_compared(self):
        """pytorch#74534: the first call of a scripted model is another than all later ones."""
        golden = self.workshop.record(
            self.workshop.script(Between(Warming(1.0, 1.5))), {"a": self.x, "b": self.x}
        )
        for first, later, exit_code in (
            (1.0, 1.5, PASSES),
            (1.0, 3.0, PASSES),  # never run
            (1.5, 1.5, FAILS),
        ):
            model = self.workshop.script(Between(Warming(first, later)))
            outcome = self.compare(golden, model, exit_code)
            for case in ("a", "b"):
                expected = "identical" if exit_code == PASSES else "diverged"
                self.assertEqual(outcome.tap("inner", case)["verdict"], expected, (first, later))
                self.assertEqual(outcome.tap("first", case)["verdict"], "identical")


if __name__ == "__main__":
    unittest.main()
