"""Which operator is to blame, and whether the reproducer of the blamed ones gives the same difference by itself.

PARITY_BINARY names the program, PARITY_RIGHT_OPERATORS and PARITY_SLOPPY_OPERATORS two libraries of one set of operators.
"""

import os
import pathlib
import re
import subprocess
import sys
import unittest

import torch
from torch import Tensor, nn
from torch.nn import functional

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "mutations"))

from parity_program import FAILS, PASSES, Workshop

RIGHT = os.environ["PARITY_RIGHT_OPERATORS"]
SLOPPY = os.environ["PARITY_SLOPPY_OPERATORS"]

LIBRARY = torch.library.Library("parity_sloppy", "DEF")
LIBRARY.define("third(Tensor x) -> Tensor")
LIBRARY.impl("third", lambda x: x / 3.0, "CompositeImplicitAutograd")


class Thirds(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        h = functional.relu(x * 0.7)
        h = torch.ops.parity_sloppy.third(h)
        return torch.tanh(h) + 1.0


class TwoResults(nn.Module):
    def __init__(self, k: float):
        super().__init__()
        self.k = k

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return torch.tanh(x), torch.sigmoid(x) * self.k


class Between(nn.Module):
    """Two Linears, and a body in between that depends on one number."""

    def __init__(self, k: float):
        super().__init__()
        self.first = nn.Linear(16, 16)
        self.second = nn.Linear(16, 16)
        self.k = k


class WritesAColumn(Between):
    def forward(self, x: Tensor) -> Tensor:
        h = self.first(x)
        h[:, 0] = h[:, 1] * self.k
        return self.second(h)


class WritesThroughAView(Between):
    def __init__(self, k: float):
        super().__init__(k)
        self.between = nn.Tanh()

    def forward(self, x: Tensor) -> Tensor:
        h = self.first(x)
        part = h[:, 2:6]
        y = self.between(x)
        part.mul_(self.k)
        return self.second(h + y)


class TakesNumbers(Between):
    def forward(self, x: Tensor) -> Tensor:
        h = self.first(x)
        pair = h[:, torch.tensor([3, 0])] * torch.tensor([0.25, self.k])
        return self.second(pair.repeat(1, 8))


class CallsTwoResults(Between):
    def __init__(self, k: float):
        super().__init__(k)
        self.both = TwoResults(k)

    def forward(self, x: Tensor) -> Tensor:
        y, z = self.both(self.first(x))
        return self.second(y * z)


class Recurrent(Between):
    def __init__(self, k: float):
        super().__init__(k)
        self.lstm = nn.LSTM(16, 16, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        y, (h, c) = self.lstm(self.first(x * self.k))
        return self.second(y[:, -1] + h[0] * c[0])


class Softmax(Between):
    def forward(self, x: Tensor) -> Tensor:
        h = functional.softmax(self.first(x) * self.k, -1)
        return self.second(h + 1.0)


class OwnSoftmax(Between):
    """Without the operator that the reference has a tap at."""

    def forward(self, x: Tensor) -> Tensor:
        e = torch.exp(self.first(x) * self.k)
        return self.second(e / e.sum(-1, keepdim=True) + 1.0)


class Drops(Between):
    def forward(self, x: Tensor) -> Tensor:
        return self.second(functional.dropout(self.first(x), self.k, True))


def seeded(module):
    torch.manual_seed(0)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn(parameter.shape) / 4)
    return module


def example(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(1))


class Operators(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.workshop = Workshop()

    @classmethod
    def tearDownClass(cls):
        cls.workshop.close()

    def attribute(self, reference, candidate, x, record=(), compare=()):
        golden = self.workshop.record(self.workshop.script(seeded(reference)), {"x": x}, *record)
        self.alone = self.workshop.folder / f"alone{self.workshop.files}"
        model = self.workshop.script(seeded(candidate))
        return self.workshop.compare(golden, model, "--attribute", "--repro", self.alone, *compare)

    def run_script(self):
        process = subprocess.run(
            [sys.executable, "-W", "ignore", self.alone / "reproduce.py"],
            capture_output=True, text=True, cwd="/",
        )
        self.assertEqual(process.stderr, "")
        return process.returncode, float(re.search(r"^nrmse (\S+)", process.stdout, re.M).group(1))

    def assert_reproduced(self, outcome):
        """By the script, by the program as the script says, and without a remark."""
        introduced = outcome.report["blame"][0]["introduced_nrmse"]
        self.assertEqual([note for note in outcome.report["notes"] if "do not give" in note], [])
        exit_code, nrmse = self.run_script()
        self.assertEqual(exit_code, FAILS)
        self.assertAlmostEqual(nrmse / introduced, 1, 5)
        command = re.search(r"# In this folder: parity (.*)", (self.alone / "reproduce.py").read_text())
        replay = self.alone / "replay.json"
        words = [self.workshop.program, *command.group(1).split(), "--json", "replay.json"]
        process = subprocess.run(words, cwd=self.alone, capture_output=True, text=True)
        self.assertEqual(process.returncode, FAILS, process.stderr)
        self.assertIn(f'"nrmse":{nrmse:.6g}'[:-2], replay.read_text())

    def assert_agrees_when_nothing_is_wrong(self):
        inputs = torch.load(self.alone / "inputs.pt")
        torch.save(torch.jit.load(self.alone / "operator.pt")(*inputs), self.alone / "reference.pt")
        self.assertEqual(self.run_script(), (PASSES, 0))

    def test_the_operator_that_another_backend_computes_worse_is_the_culprit(self):
        outcome = self.attribute(
            nn.Sequential(nn.Linear(16, 16), Thirds(), nn.Linear(16, 16)),
            nn.Sequential(nn.Linear(16, 16), Thirds(), nn.Linear(16, 16)),
            example(8, 16),
            ["--library", RIGHT, "--skip", "**/parity_sloppy.*"],
            ["--library", SLOPPY],
        )
        self.assertEqual(outcome.exit_code, FAILS, outcome.text())
        blame = outcome.report["blame"][0]
        self.assertEqual(blame["tap"], "1")
        names = ["aten.mul", "aten.relu", "parity_sloppy.third", "aten.tanh", "aten.add"]
        self.assertEqual([operator["op"] for operator in blame["operators"]], names)
        self.assertEqual(blame["culprit"]["index"], 2)
        self.assertEqual(blame["culprit"]["op"], "parity_sloppy.third")
        self.assertRegex(blame["culprit"]["source"], r"^\S+:\d+$")
        for operator in blame["operators"]:
            own = operator["own_error"]
            self.assertTrue(own["judged"], own)
            self.assertEqual(own["nrmse"] > own["explained"], "third" in operator["op"], operator)
        self.assertRegex(outcome.stdout, r"culprit 1 / parity_sloppy.third \(\S+\) has an own error")
        text = (self.alone / "reproduce.py").read_text()
        self.assertIn(f"torch.ops.load_library('{SLOPPY}')", text)
        self.assertIn(f"--library {SLOPPY}", text)

    def test_nobody_is_the_culprit_where_the_candidate_does_what_it_says(self):
        outcome = self.attribute(WritesAColumn(0.5), WritesAColumn(0.7), example(8, 16))
        blame = outcome.report["blame"][0]
        self.assertIsNone(blame["culprit"])
        self.assertIn("every operator of the candidate is within rounding", blame["operators_finding"])

    def test_a_write_through_a_view_is_reproduced(self):
        for model in (WritesAColumn, WritesThroughAView):
            with self.subTest(model.__name__):
                self.assert_reproduced(self.attribute(model(0.5), model(0.7), example(8, 16)))
                self.assert_agrees_when_nothing_is_wrong()

    def test_a_tensor_made_from_numbers_is_reproduced(self):
        self.assert_reproduced(self.attribute(TakesNumbers(0.5), TakesNumbers(0.7), example(8, 16)))

    def test_the_last_of_several_results_is_reproduced(self):
        outcome = self.attribute(CallsTwoResults(1.0), CallsTwoResults(1.1), example(8, 16))
        self.assertEqual(outcome.report["blame"][0]["tap"], "both:1")
        self.assert_reproduced(outcome)

    def test_the_last_state_of_a_recurrent_layer_is_reproduced(self):
        candidate = seeded(Recurrent(1.0))
        with torch.no_grad():
            candidate.lstm.weight_hh_l0.mul_(1.1)
        script = self.workshop.script(candidate)
        golden = self.workshop.record(self.workshop.script(seeded(Recurrent(1.0))), {"x": example(2, 12, 16)})
        self.alone = self.workshop.folder / "recurrent"
        outcome = self.workshop.compare(golden, script, "--attribute", "--repro", self.alone)
        self.assertRegex(outcome.report["blame"][0]["tap"], "^lstm:1")
        self.assertEqual(outcome.report["blame"][0]["operators"][-1]["op"], "aten.lstm")
        self.assert_reproduced(outcome)

    def test_a_candidate_without_the_tap_before_starts_at_the_one_before_that(self):
        outcome = self.attribute(Softmax(1.0), OwnSoftmax(1.5), example(8, 16))
        blame = outcome.report["blame"][0]
        self.assertEqual(blame["tap"], "second")
        names = ["aten.mul", "aten.exp", "aten.sum", "aten.div", "aten.add", "aten.linear"]
        self.assertEqual([operator["op"] for operator in blame["operators"]], names)
        self.assert_reproduced(outcome)

    def test_a_random_operator_is_not_judged_and_the_script_sets_the_seed(self):
        outcome = self.attribute(Drops(0.0), Drops(0.5), example(8, 16), compare=["--seed", 7])
        drop = outcome.report["blame"][0]["operators"][0]
        self.assertEqual(drop["own_error"], {"judged": False, "reason": "it draws random numbers", "nrmse": None, "explained": None})
        self.assertIn("torch.manual_seed(7)\n", (self.alone / "reproduce.py").read_text())


if __name__ == "__main__":
    unittest.main(warnings="ignore")  # torch.jit is deprecated, and the format under test
