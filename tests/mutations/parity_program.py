"""Runs the parity program on models built in a test, and reads what it reports.

PARITY_BINARY names the program. Knows no verdict and no bound: what is right stands in the tests.
"""

import json
import os
import pathlib
import subprocess
import tempfile
import warnings

warnings.filterwarnings("ignore", category=DeprecationWarning)  # torch.jit, the format under test

import torch

PASSES = 0
FAILS = 1
NO_JUDGEMENT = 2


class Outcome:
    """One run of the program: exit code, both streams and the JSON report, where there is one."""

    def __init__(self, process, report_file=None):
        self.exit_code = process.returncode
        self.stdout = process.stdout
        self.stderr = process.stderr
        self.report = None
        if report_file is not None and report_file.exists():
            self.report = json.loads(report_file.read_text())

    def case(self, name=None):
        cases = self.report["cases"]
        return cases[0] if name is None else next(c for c in cases if c["name"] == name)

    def taps(self, case=None):
        return {tap["tap"]: tap for tap in self.case(case)["taps"]}

    def tap(self, name, case=None):
        taps = self.taps(case)
        if name not in taps:
            raise AssertionError(f"no tap {name}; there are {sorted(taps)}")
        return taps[name]

    def verdicts(self, case=None):
        return {name: tap["verdict"] for name, tap in self.taps(case).items()}

    def hints(self, name, case=None):
        return {hint["pattern"]: hint["evidence"] for hint in self.tap(name, case)["hints"]}

    def axis(self, name, axis, case=None):
        """Range along `axis` that holds the excess, as (first, last); None for the whole axis."""
        for found in self.tap(name, case)["where"]["axes"]:
            if found["axis"] == axis:
                return found["first"], found["last"]
        return None

    @property
    def first_divergence(self):
        found = self.report["first_divergence"]
        return None if found is None else (found["case"], found["tap"])

    def text(self):
        return f"exit code {self.exit_code}\n--- stdout\n{self.stdout}\n--- stderr\n{self.stderr}"


class Workshop:
    """A folder of models, inputs and goldens that goes away with the test class."""

    def __init__(self):
        self.holder = tempfile.TemporaryDirectory(prefix="parity-mutations-")
        self.folder = pathlib.Path(self.holder.name)
        self.program = os.environ["PARITY_BINARY"]
        self.files = 0

    def close(self):
        self.holder.cleanup()

    def file(self, ending):
        self.files += 1
        return self.folder / f"{self.files}.{ending}"

    def run(self, *arguments, report_file=None):
        process = subprocess.run(
            [self.program, *map(str, arguments)],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
        )
        return Outcome(process, report_file)

    def script(self, module):
        path = self.file("pt")
        torch.jit.script(module.eval()).save(str(path))
        return path

    def inputs(self, value):
        path = self.file("pt")
        torch.save(value, path)
        return path

    def record(self, model, cases, *flags):
        """Path of the golden of `model` (a file) for `cases`: a dict of input values by name."""
        golden = self.file("h5")
        outcome = self.try_record(model, cases, golden, *flags)
        if outcome.exit_code != PASSES:
            raise AssertionError("the recording failed: " + outcome.text())
        return golden

    def try_record(self, model, cases, golden, *flags):
        named = [f"{name}={self.inputs(value)}" for name, value in cases.items()]
        run = ["--device", "cpu", "--threads", 1, "--out", golden]
        return self.run("record", "--model", model, "--inputs", *named, *run, *flags)

    def compare(self, golden, candidate, *flags):
        """`candidate`: another golden, or a model to replay."""
        report_file = self.file("json")
        arguments = ["compare", golden]
        if candidate.suffix == ".h5":
            arguments.append(candidate)
        else:
            arguments += ["--model", candidate, "--device", "cpu", "--threads", 1]
        arguments += ["--weights", "any", "--json", report_file, *flags]
        return self.run(*arguments, report_file=report_file)
