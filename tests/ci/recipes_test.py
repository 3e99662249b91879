"""Runs the recipes of docs/ci on this machine's CPU with the fixture model, as the runners of GitHub and GitLab would:
every step's shell as it stands in the file, artifacts handed over between two workspaces.

PARITY names the program.
"""

import glob
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import tempfile
import unittest

import yaml

PROJECT = pathlib.Path(__file__).resolve().parents[2]
DECODER = PROJECT / "fixtures" / "decoder"
GITHUB = PROJECT / "docs/ci/github-actions.yml"
GITLAB = PROJECT / "docs/ci/gitlab-ci.yml"
LOOSE = 'name = "loose"\nbase = "none"\n' + "".join(
    f'[[rule]]\n{selector}\nreason = "for a test"\n[[rule.bound]]\nmetric = "{metric}"\nfail = {limit}\n'
    for selector, metric, limit in (('dtypes = ["bfloat16", "float32"]', "nrmse", 0.99),))
LOOSE += '[[logits]]\nreason = "for a test"\n[[logits.bound]]\nmetric = "max_logprob_change"\nfail = 12\n'


def load(path):
    # "on" is a key here, and no boolean.
    text = re.sub(r"(?m)^on:", '"on":', path.read_text(encoding="utf-8"))
    return yaml.safe_load(text)


class Machine:
    """A runner: a workspace with the user's repository in it, and `parity` on its PATH."""

    def __init__(self, folder, name, policy, wrapper=""):
        self.workspace = folder / name
        (self.workspace / "models").mkdir(parents=True)
        for file in ("model.pt", "config.json"):
            shutil.copy(DECODER / file, self.workspace / "models" / file)
        shutil.copytree(DECODER / "inputs", self.workspace / "inputs")
        (self.workspace / "policy.toml").write_text(policy, encoding="utf-8")
        binaries = folder / f"{name}-bin"
        binaries.mkdir()
        program = binaries / "parity"
        program.write_text(f"#!/bin/bash\n{wrapper}\nexec '{os.environ['PARITY']}' \"$@\"\n", encoding="utf-8")
        program.chmod(0o755)
        self.binaries = binaries

    def run(self, script, environment):
        """(exit code, output), as `shell: bash` does it."""
        variables = {key: value for key, value in os.environ.items()
                     if not key.startswith(("GITHUB_", "CI_", "PARITY"))}
        variables.update({key: str(value) for key, value in environment.items()})
        variables["PATH"] = f"{self.binaries}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script], cwd=self.workspace,
                              env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8",
                              check=False)
        return done.returncode, done.stdout + done.stderr

    def keep(self, patterns, archive):
        """The files of an artifact."""
        archive.mkdir(parents=True, exist_ok=True)
        found = 0
        for pattern in patterns:
            for path in glob.glob(str(self.workspace / pattern)):
                target = archive / os.path.relpath(path, self.workspace)
                if os.path.isdir(path):
                    shutil.copytree(path, target, dirs_exist_ok=True)
                else:
                    shutil.copy(path, target)
                found += 1
        return found

    def take(self, archive):
        shutil.copytree(archive, self.workspace, dirs_exist_ok=True)


class GitHub:
    """As much of GitHub Actions as the recipe uses; anything else is an error."""

    def __init__(self, folder, event, machines, overrides, from_fork=False):
        self.workflow = load(GITHUB)
        self.folder, self.machines, self.overrides = folder, machines, overrides
        self.outputs, self.summary, self.log = {}, {}, {}
        self.facts = {"github.event_name": event, "github.server_url": "https://example.test",
                      "github.repository": "o/r", "github.run_id": "7", "github.ref": "main",
                      "vars.PARITY_HISTORY || '/var/lib/parity'": str(folder / "history"), "!cancelled()": True,
                      "!cancelled() && github.event_name == 'schedule'": event == "schedule",
                      "github.event_name != 'pull_request' || "
                      "github.event.pull_request.head.repo.full_name == github.repository": not from_fork}

    def value(self, text, job):
        def look_up(match):
            name = match.group(1).strip()
            if name.startswith("steps."):
                _, step, _, output = name.split(".")
                return self.outputs.get((job, step), {}).get(output, "")
            if name.startswith("needs."):
                _, other, _, output = name.split(".")
                return self.value(self.workflow["jobs"][other]["outputs"][output], other)
            return str(self.facts[name])
        return re.sub(r"\$\{\{(.+?)\}\}", look_up, str(text))

    def wanted(self, step, failed):
        condition = step.get("if")
        if condition is None:
            return not failed
        return self.facts[re.fullmatch(r"\$\{\{(.+)\}\}", condition).group(1).strip()]

    def run_job(self, job):
        """The exit code of the step that failed, or 0."""
        machine = self.machines[job]
        result, self.log[job] = 0, ""
        summary = self.folder / f"summary-{job}.md"
        for number, step in enumerate(self.workflow["jobs"][job]["steps"]):
            if not self.wanted(step, result != 0):
                continue
            if "uses" in step:
                result = self.use(step, job) or result
                continue
            output = self.folder / f"output-{job}-{number}"
            output.touch()
            summary.touch()
            environment = {"GITHUB_ACTIONS": "true", "GITHUB_OUTPUT": output, "GITHUB_STEP_SUMMARY": summary,
                           "GITHUB_EVENT_NAME": self.facts["github.event_name"], **self.workflow["env"],
                           **step.get("env", {}), **self.overrides.get(job, {})}
            environment = {key: self.value(value, job) for key, value in environment.items()}
            code, text = machine.run(self.value(step["run"], job), environment)
            self.log[job] += text
            self.outputs[job, step.get("id")] = dict(
                line.split("=", 1) for line in output.read_text(encoding="utf-8").splitlines())
            result = result or code
        self.summary[job] = summary.read_text(encoding="utf-8")
        return result

    def use(self, step, job):
        action, inputs = step["uses"], step.get("with", {})
        archive = self.folder / "artifacts" / inputs.get("name", "")
        if action.startswith("actions/checkout@"):
            return 0
        if action.startswith("actions/upload-artifact@"):
            found = self.machines[job].keep(inputs["path"].split(), archive)
            return 1 if found == 0 and inputs["if-no-files-found"] == "error" else 0
        assert action.startswith("actions/download-artifact@"), action
        self.machines[job].take(archive)
        return 0

    def run(self):
        codes = {}
        for job in ("record", "gate"):
            if not self.wanted(self.workflow["jobs"][job], False):
                break  # what needs a job that was skipped is skipped
            codes[job] = self.run_job(job)
            if codes[job] != 0:
                break
        return codes


class GitLab:
    """As much of GitLab CI as the recipe uses."""

    def __init__(self, folder, machines, overrides):
        self.pipeline = load(GITLAB)
        self.folder, self.machines, self.overrides = folder, machines, overrides
        self.dotenv, self.log, self.attempts = {}, {}, {}

    def run_job(self, job, machine):
        definition = self.pipeline[job]
        script = "\n".join(definition["script"])
        environment = {**self.pipeline["variables"], "CI_PIPELINE_URL": "https://example.test/7",
                       "CI_JOB_URL": f"https://example.test/job-{job}",
                       "PARITY_HISTORY": self.folder / "history", **self.dotenv, **self.overrides.get(job, {})}
        retry = definition.get("retry", {})
        for attempt in range(1 + retry.get("max", 0)):
            self.attempts[job] = attempt + 1
            code, self.log[job] = machine.run(script, environment)
            if code not in retry.get("exit_codes", []):
                break
        artifacts = definition["artifacts"]
        if code == 0 or artifacts.get("when") == "always":
            for kind, name in artifacts.get("reports", {}).items():
                path = machine.workspace / name
                assert code not in (0, 1) or path.exists(), f"{job} has no {kind} report {name}"
                if kind == "dotenv" and path.exists():
                    self.dotenv.update(line.split("=", 1) for line in path.read_text(encoding="utf-8").splitlines())
            machine.keep(artifacts["paths"], self.folder / "artifacts" / job)
        return code

    def allowed(self, job, code):
        return code == 0 or code in self.pipeline[job].get("allow_failure", {}).get("exit_codes", [])

    def run(self):
        codes = {"record": self.run_job("record", self.machines["record"])}
        if codes["record"] == 0:
            self.machines["gate"].take(self.folder / "artifacts/record")
            codes["gate"] = self.run_job("gate", self.machines["gate"])
        codes["history"] = self.run_job("history", self.machines["gate"])
        return codes


# In the place of a device that computes something else: another recording in the place of the golden.
OTHER_ARITHMETIC = f"""if [ "$1" = compare ]; then
  shift 2
  exec '{os.environ["PARITY"]}' compare '{PROJECT}/golden/fixture-tf32.h5' "$@"
fi"""
# What differs from the recipes as they stand: which device is there, and how much is run.
CPU = {"PARITY_DEVICE": "cpu", "RETRY_AFTER_S": "0", "PARITY_INPUTS": "chat=tokens:1x3"}
NO_GPU = {**CPU, "PARITY_DEVICE": "cuda:77"}


class Recipes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.policy = subprocess.run([os.environ["PARITY"], "policy", "show"], check=True, capture_output=True,
                                    text=True).stdout

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def machines(self, policy=None, wrapper=""):
        policy = policy or self.policy
        return {"record": Machine(self.folder, "record", policy), "gate": Machine(self.folder, "gate", policy, wrapper)}

    def github(self, event="schedule", gate=None, from_fork=False, **of_machines):
        overrides = {"record": CPU, "gate": gate or CPU}
        return GitHub(self.folder, event, self.machines(**of_machines), overrides, from_fork)

    def gitlab(self, gate=None, record=None, **of_machines):
        return GitLab(self.folder, self.machines(**of_machines), {"record": record or CPU, "gate": gate or CPU})

    def nights(self, columns="state, passed"):
        database = sqlite3.connect(self.folder / "history/history.sqlite")
        return database.execute(f"SELECT {columns} FROM run").fetchall()

    def links(self):
        database = sqlite3.connect(self.folder / "history/history.sqlite")
        return [link for link, in database.execute("SELECT link FROM run")]

    def test_github_passes_and_hands_everything_on(self):
        runner = self.github()
        self.assertEqual(runner.run(), {"record": 0, "gate": 0}, runner.log)
        self.assertIn("## parity: PASS", runner.summary["gate"])
        self.assertIn("golden.h5: OK", runner.log["gate"])
        report = json.loads((self.folder / "artifacts/parity-report/report.json").read_text(encoding="utf-8"))
        self.assertEqual(report["verdict"], "pass")
        self.assertIsNotNone(report["attribution"])
        self.assertIsNotNone(report["noise_summary"])
        for name in ("report.html", "report.xml", "report.md", "report.om", "dashboard/index.html"):
            self.assertTrue((self.folder / "artifacts/parity-report" / name).stat().st_size, name)
        selftest = json.loads((self.folder / "artifacts/parity-golden/selftest.json").read_text(encoding="utf-8"))
        self.assertEqual(selftest["verdict"], "pass")
        self.assertEqual(self.nights(), [("judged", 1)])

    def test_github_fails_with_the_gate_and_says_where(self):
        runner = self.github(wrapper=OTHER_ARITHMETIC)
        self.assertEqual(runner.run(), {"record": 0, "gate": 1}, runner.log)
        self.assertIn("## parity: FAIL", runner.summary["gate"])
        self.assertIn("::error title=parity", runner.log["gate"])
        self.assertTrue((self.folder / "artifacts/parity-report/report.xml").exists())
        self.assertEqual(self.nights(), [("judged", 0)])

    def test_github_takes_infrastructure_for_what_it_is(self):
        runner = self.github(gate=NO_GPU)
        self.assertEqual(runner.run(), {"record": 0, "gate": 3}, runner.log)
        self.assertIn("trying once more", runner.log["gate"])
        self.assertIn("infrastructure trouble, which says nothing about the model", runner.log["gate"])
        self.assertEqual(self.nights(), [("infrastructure", None)])
        self.assertEqual(self.links(), ["https://example.test/o/r/actions/runs/7"])

    def test_github_does_not_hold_up_a_pull_request_by_infrastructure(self):
        runner = self.github(event="pull_request", gate=NO_GPU)
        self.assertEqual(runner.run(), {"record": 0, "gate": 0}, runner.log)
        self.assertIn("::error title=parity::infrastructure", runner.log["gate"])
        self.assertFalse((self.folder / "history").exists())

    def test_github_runs_nothing_of_a_fork(self):
        self.assertEqual(self.github(event="pull_request", from_fork=True).run(), {})
        self.assertEqual(load(GITHUB)["jobs"]["gate"]["needs"], "record")

    def test_github_refuses_another_golden_than_the_recorded_one(self):
        runner = self.github()
        self.assertEqual(runner.run_job("record"), 0, runner.log)
        with open(self.folder / "artifacts/parity-golden/golden.h5", "ab") as golden:
            golden.write(b"x")
        self.assertNotEqual(runner.run_job("gate"), 0)
        self.assertIn("golden.h5: FAILED", runner.log["gate"])
        self.assertNotIn("verdict PASS", runner.log["gate"])

    def test_a_policy_under_which_nothing_turns_red_stops_the_night(self):
        runner = self.github(policy=LOOSE)
        self.assertEqual(runner.run(), {"record": 1}, runner.log)
        self.assertIn("went unseen", runner.log["record"])

    def test_gitlab_passes_and_hands_everything_on(self):
        runner = self.gitlab()
        self.assertEqual(runner.run(), {"record": 0, "gate": 0, "history": 0}, runner.log)
        self.assertEqual(runner.dotenv["PARITY_CODE"], "0")
        self.assertEqual(len(runner.dotenv["PARITY_GOLDEN_DIGEST"]), 64)
        self.assertEqual(self.nights(), [("judged", 1)])
        self.assertEqual(self.links(), ["https://example.test/job-gate/artifacts/file/report.html"])
        self.assertTrue((self.folder / "artifacts/gate/report.html").stat().st_size)

    def test_gitlab_takes_a_gate_that_cannot_turn_red_for_no_judgement(self):
        runner = self.gitlab(policy=LOOSE)
        self.assertEqual(runner.run(), {"record": 1, "history": 0}, runner.log)
        self.assertFalse(runner.allowed("record", 1))
        self.assertIn("went unseen", runner.log["record"])
        self.assertTrue((self.folder / "artifacts/record/selftest.json").exists())
        self.assertEqual(self.nights("state, exit_code"), [("no judgement", 2)])
        self.assertIn("selftest", self.nights("reason")[0][0])

    def test_gitlab_says_that_nothing_was_recorded(self):
        for record, night in ((NO_GPU, ("infrastructure", 3)), ({**CPU, "PARITY_DTYPE": "float4"}, ("no judgement", 2))):
            with self.subTest(night):
                runner = self.gitlab(record=record)
                self.assertEqual(runner.run(), {"record": night[1], "history": 0}, runner.log)
                self.assertEqual(self.nights("state, exit_code")[-1], night)
                for machine in ("record", "gate"):
                    shutil.rmtree(self.folder / machine)
                    shutil.rmtree(self.folder / f"{machine}-bin")

    def test_gitlab_fails_with_the_gate(self):
        runner = self.gitlab(wrapper=OTHER_ARITHMETIC)
        self.assertEqual(runner.run(), {"record": 0, "gate": 1, "history": 0}, runner.log)
        self.assertFalse(runner.allowed("gate", 1))
        self.assertEqual(runner.attempts["gate"], 1)
        self.assertEqual(self.nights(), [("judged", 0)])

    def test_gitlab_takes_infrastructure_for_a_warning(self):
        runner = self.gitlab(gate=NO_GPU)
        self.assertEqual(runner.run(), {"record": 0, "gate": 3, "history": 0}, runner.log)
        self.assertTrue(runner.allowed("gate", 3))
        self.assertFalse(runner.allowed("gate", 2))
        self.assertEqual(runner.attempts["gate"], 2)
        self.assertEqual(self.nights(), [("infrastructure", None)])
        self.assertEqual(self.links(), ["https://example.test/7"])


if __name__ == "__main__":
    unittest.main()
