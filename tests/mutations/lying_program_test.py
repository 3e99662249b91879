"""How comparison programs lie about a whole run: what was skipped, constant, renamed or not run."""

import pathlib
import unittest

import torch
from torch import nn

from parity_program import FAILS, NO_JUDGEMENT, PASSES, Workshop
from value_rows import noise

PROJECT = pathlib.Path(__file__).resolve().parents[2]


class Chain(nn.Module):
    def __init__(self, names=("first", "second", "third")):
        super().__init__()
        random = torch.Generator().manual_seed(5)
        self.layers = nn.ModuleDict()
        for name in names:
            linear = nn.Linear(8, 8)
            with torch.no_grad():
                linear.weight.copy_(torch.randn(8, 8, generator=random))
                linear.bias.copy_(torch.randn(8, generator=random))
            self.layers[name] = linear

    def forward(self, x):
        for layer in self.layers.values():
            x = layer(x)
        return x


class Constant(nn.Module):
    """A model that ends in `gain` 0: whatever the layers do, nobody sees it."""

    def __init__(self, gain, offset):
        super().__init__()
        self.chain = Chain()
        self.register_buffer("gain", torch.tensor(gain))
        self.register_buffer("offset", torch.tensor(offset))

    def forward(self, x):
        return self.chain(x) * self.gain + self.offset


class AllConstant(nn.Module):
    def __init__(self):
        super().__init__()
        self.zero = nn.Threshold(1e9, 0.0)

    def forward(self, x):
        return self.zero(x)


class Shared(nn.Module):
    """One layer called three times; the output comes from the last call alone."""

    def __init__(self, second_input):
        super().__init__()
        self.layer = nn.Linear(8, 8)
        with torch.no_grad():
            self.layer.weight.copy_(noise(8, 8))
            self.layer.bias.zero_()
        self.register_buffer("second_input", torch.tensor(second_input))

    def forward(self, x):
        self.layer(x)
        self.layer(x * self.second_input)
        return self.layer(x)


class Stateful(nn.Module):
    """Counts its calls in a buffer, as recurrent policies do."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x):
        self.calls += 1
        return self.layer(x) + self.calls


class NoTensors(nn.Module):
    def forward(self, x):
        return "fine"


class Inverse(nn.Module):
    def forward(self, x):
        return torch.linalg.inv(x)


class NeedsFloat32(nn.Module):
    def __init__(self):
        super().__init__()
        self.inverse = Inverse()

    def forward(self, x):
        return self.inverse(x)


class EmptyOutput(nn.Module):
    """Keeps the rows above a limit, which may be none."""

    def __init__(self, limit):
        super().__init__()
        self.layer = nn.Linear(8, 8)
        with torch.no_grad():
            self.layer.weight.copy_(noise(8, 8))
            self.layer.bias.zero_()
        self.register_buffer("limit", torch.tensor(limit))

    def forward(self, x):
        y = self.layer(x)
        return y[y[:, 0] > self.limit]


class ManyOutputs(nn.Module):
    def __init__(self, scalar):
        super().__init__()
        self.layer = nn.Linear(8, 8)
        self.register_buffer("scalar", torch.tensor(scalar))

    def forward(self, x):
        y = self.layer(x)
        return y, y[:0, :5], self.scalar * 1.0, y[:0, :2].reshape(0, 2, 1).expand(0, 2, 2)


class LyingProgram(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.workshop = Workshop()
        cls.addClassCleanup(cls.workshop.close)
        torch.manual_seed(0)
        cls.x = {"x": noise(3, 8)}
        cls.model = cls.workshop.script(Chain())
        cls.golden = cls.workshop.record(cls.model, cls.x)
        faulty = Chain()
        with torch.no_grad():
            faulty.layers["second"].weight[3, 4] += 0.5
        cls.faulty = cls.workshop.script(faulty)

    def compare(self, candidate, exit_code, *flags, golden=None, **options):
        golden = golden or self.golden
        outcome = self.workshop.compare(golden, candidate, *flags, **options)
        self.assertEqual(outcome.exit_code, exit_code, outcome.text())
        return outcome

    def refused(self, outcome, *words):
        self.assertEqual(outcome.exit_code, NO_JUDGEMENT, outcome.text())
        self.assertEqual(len(outcome.stderr.strip().splitlines()), 1, outcome.text())
        for word in words:
            self.assertIn(word, outcome.stderr)

    def test_the_healthy_model_is_green(self):
        outcome = self.compare(self.model, PASSES)
        self.assertEqual(outcome.report["verdict"], "pass")
        self.assertEqual(set(outcome.verdicts().values()), {"identical"})

    def test_the_exit_code_is_the_verdict_however_it_is_shown(self):
        for flags in (
            (),
            ("--quiet",),
            ("--show", "summary"),
            ("--show", "failing"),
            ("--no-color",),
        ):
            outcome = self.compare(self.faulty, FAILS, *flags)
            self.assertEqual(outcome.report["verdict"], "fail")
            self.assertEqual(outcome.report["exit_code"], FAILS)
            self.assertEqual(outcome.first_divergence, ("x", "layers.second"))

    def test_a_missing_layer_fails_by_name(self):
        outcome = self.compare(self.workshop.script(Chain(("first", "second"))), FAILS)
        self.assertEqual(outcome.tap("layers.third")["verdict"], "missing")
        self.assertIn("layers.third", outcome.stdout)

    def test_an_additional_layer_fails_by_name(self):
        names = ("first", "second", "third", "fourth")
        outcome = self.compare(self.workshop.script(Chain(names)), FAILS)
        self.assertEqual(outcome.tap("layers.fourth")["verdict"], "additional")
        self.assertIn("layers.fourth", outcome.stdout)

    def test_layers_of_other_names_are_listed_and_never_matched_by_place(self):
        """auto-round#738: two stacks that share some of their names."""
        outcome = self.compare(self.workshop.script(Chain(("first", "zweite", "third"))), FAILS)
        verdicts = outcome.verdicts()
        self.assertEqual(verdicts["layers.second"], "missing")
        self.assertEqual(verdicts["layers.zweite"], "additional")
        self.assertEqual(verdicts["layers.first"], "identical")
        self.assertEqual(verdicts["layers.third"], "identical")

    def test_a_case_that_only_one_side_has_fails_by_name(self):
        two = self.workshop.record(self.model, {"x": noise(3, 8), "y": noise(3, 8, seed=1)})
        for reference, candidate, verdict in (
            (two, self.golden, "missing"),
            (self.golden, two, "additional"),
        ):
            outcome = self.compare(candidate, FAILS, golden=reference)
            self.assertEqual(set(outcome.verdicts("y").values()), {verdict})
            self.assertEqual(set(outcome.verdicts("x").values()), {"identical"})

    def test_a_skip_pattern_that_skips_all_still_compares_the_output(self):
        outcome = self.compare(self.faulty, FAILS, "--skip", "**")
        self.assertEqual(outcome.verdicts(), {"<output>": "diverged"})

    def test_a_pattern_that_matches_nothing_is_refused(self):
        for flag in ("--skip", "--layers"):
            outcome = self.workshop.compare(self.golden, self.model, flag, "layers.secnd")
            self.refused(outcome, "layers.secnd")

    def test_bounds_are_printed_with_their_origin(self):
        outcome = self.compare(self.faulty, FAILS)
        bounds = outcome.report["policy"]["bounds"]
        self.assertTrue(bounds)
        for bound in bounds:
            self.assertIn(bound["scope"], ("float32", "logits"))
            self.assertTrue(bound["origin"], bound)
            self.assertIn(bound["metric"], outcome.stdout)

    def test_bounds_are_the_same_whatever_the_device(self):
        """A golden recorded on an NVIDIA GPU, one recorded here, and the two against each other."""
        gpu = PROJECT / "golden" / "fixture-float32.h5"
        decoder = PROJECT / "fixtures" / "decoder"
        cpu = self.workshop.file("h5")
        model = ["--model", decoder / "model.pt", "--config", decoder / "config.json"]
        cases = [f"{name}={decoder / 'inputs' / name}.json" for name in ("prose", "code")]
        recording = ["record", *model, "--inputs", *cases, "--device", "cpu", "--out", cpu]
        outcome = self.workshop.run(*recording)
        self.assertEqual(outcome.exit_code, PASSES, outcome.text())
        policies, devices = [], set()
        for reference, candidate in ((gpu, gpu), (cpu, cpu), (gpu, cpu), (cpu, gpu)):
            report = self.compare(candidate, PASSES, golden=reference).report
            policies.append(report["policy"])
            devices.add(
                tuple(report[side]["provenance"]["device.name"] for side in ("reference", "candidate"))
            )
        self.assertEqual(len(devices), 4, devices)
        self.assertEqual({bound["scope"] for bound in policies[0]["bounds"]}, {"float32", "logits"})
        for policy in policies[1:]:
            self.assertEqual(policy, policies[0])

    def test_a_constant_output_is_untrusted_though_it_is_equal(self):
        for gain, offset in ((0.0, 0.0), (0.0, 0.25), (float("nan"), 0.0)):
            model = self.workshop.script(Constant(gain, offset))
            golden = self.workshop.record(model, self.x)
            outcome = self.compare(model, FAILS, golden=golden)
            self.assertEqual(outcome.tap("<output>")["verdict"], "untrusted", (gain, offset))
            self.assertEqual(outcome.tap("chain.layers.first")["verdict"], "identical")

    def test_a_run_of_zeros_alone_proves_nothing(self):
        model = self.workshop.script(AllConstant())
        golden = self.workshop.record(model, self.x)
        outcome = self.compare(model, FAILS, golden=golden)
        self.assertEqual(outcome.tap("<output>")["verdict"], "untrusted")
        self.assertIn("proves nothing", " ".join(outcome.report["reasons"]))

    def test_an_empty_output_proves_nothing_though_the_layers_are_equal(self):
        for limit, exit_code in ((-1e9, PASSES), (1e9, FAILS)):
            model = self.workshop.script(EmptyOutput(limit))
            golden = self.workshop.record(model, self.x)
            outcome = self.compare(model, exit_code, golden=golden)
            self.assertEqual(outcome.tap("layer")["verdict"], "identical")
            self.assertEqual(outcome.tap("<output>")["elements"], 24 if exit_code == PASSES else 0)
        self.assertIn("output is empty", outcome.report["reasons"][0])

    def test_a_fault_before_a_constant_output_is_still_found(self):
        healthy, faulty = Constant(0.0, 0.0), Constant(0.0, 0.0)
        with torch.no_grad():
            faulty.chain.layers["first"].bias.add_(1.0)
        golden = self.workshop.record(self.workshop.script(healthy), self.x)
        outcome = self.compare(self.workshop.script(faulty), FAILS, golden=golden)
        self.assertEqual(outcome.first_divergence, ("x", "chain.layers.first"))

    def test_a_device_compared_with_itself_is_called_so(self):
        outcome = self.compare(self.model, PASSES)
        self.assertIs(outcome.report["same_device"], True)
        self.assertIn("SELF-COMPARISON", outcome.stdout)

    def test_every_call_of_a_shared_layer_is_compared(self):
        golden = self.workshop.record(self.workshop.script(Shared(1.0)), self.x)
        outcome = self.compare(self.workshop.script(Shared(1.01)), FAILS, golden=golden)
        self.assertEqual(outcome.first_divergence, ("x", "layer#1"))
        verdicts = outcome.verdicts()
        for name in ("layer", "layer#2", "<output>"):
            self.assertEqual(verdicts[name], "identical", name)

    def test_a_run_without_any_tensor_is_refused(self):
        golden = self.workshop.file("h5")
        model = self.workshop.script(NoTensors())
        self.refused(self.workshop.try_record(model, self.x, golden))
        self.assertFalse(golden.exists())

    def test_state_does_not_leak_from_run_to_run(self):
        model = self.workshop.script(Stateful())
        cases = {"a": noise(3, 8), "b": noise(3, 8)}
        first, second = self.workshop.record(model, cases), self.workshop.record(model, cases)
        for candidate in (second, model):
            outcome = self.compare(candidate, PASSES, golden=first)
            self.assertEqual(set(outcome.verdicts("b").values()), {"identical"})
        values = [case["taps"][-1] for case in outcome.report["cases"]]
        self.assertEqual(values[0]["tap"], "<output>")
        self.assertEqual(values[0]["reference_rms"], values[1]["reference_rms"])

    def test_a_dtype_the_backend_cannot_run_is_named_with_op_and_layer(self):
        """silero-vad in float16 on a CPU: no half-written golden, and the layer by name."""
        golden = self.workshop.file("h5")
        model = self.workshop.script(NeedsFloat32())
        cases = {"x": torch.eye(4)}
        self.assertEqual(self.workshop.try_record(model, cases, golden).exit_code, PASSES)
        golden = self.workshop.file("h5")
        outcome = self.workshop.try_record(model, cases, golden, "--dtype", "float16")
        self.refused(outcome, "inverse", "linalg_inv")
        self.assertFalse(golden.exists())

    def test_outputs_without_elements_and_without_dimensions_are_compared(self):
        healthy, faulty = ManyOutputs(2.0), ManyOutputs(3.0)
        faulty.layer.load_state_dict(healthy.layer.state_dict())
        model = self.workshop.script(healthy)
        golden = self.workshop.record(model, self.x)
        outcome = self.compare(model, PASSES, golden=golden)
        shapes = {name: tap["shape"] for name, tap in outcome.taps().items()}
        self.assertEqual(shapes["<output>:1"], [0, 5])
        self.assertEqual(shapes["<output>:2"], [])
        self.assertEqual(shapes["<output>:3"], [0, 2, 2])
        outcome = self.compare(self.workshop.script(faulty), FAILS, golden=golden)
        self.assertEqual(outcome.tap("<output>:2")["verdict"], "diverged")
        self.assertEqual(outcome.first_divergence, ("x", "<output>:2"))

    def test_other_weights_are_refused_unless_allowed(self):
        arguments = ["compare", self.golden, "--model", self.faulty, "--device", "cpu"]
        outcome = self.workshop.run(*arguments)
        self.refused(outcome, "layers.second.weight", "--weights any")
        self.assertEqual(outcome.stdout, "")


if __name__ == "__main__":
    unittest.main()
