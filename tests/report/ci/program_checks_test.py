"""Holds report formats against the programs of others, each a test of its own that may be missing: promtool for OpenMetrics,
xmllint with Jenkins' junit-10.xsd for JUnit XML.

Usage: program_checks_test.py junit|openmetrics PARITY_REPORT_SAMPLES. Exits 77 (skipped) without the program or the schema,
which scripts/test.sh brings.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCHEMA = pathlib.Path(sys.prefix) / "share/parity/junit-10.xsd"


class Samples(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        subprocess.run([sys.argv[2], self.folder], check=True)

    def of_format(self, ending):
        found = sorted(self.folder.glob(f"*.{ending}"))
        self.assertEqual(len(found), 10)
        return found


class Openmetrics(Samples):
    def promtool(self, text):
        done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_promtool_reads_it_and_has_nothing_to_say(self):
        for path in self.of_format("openmetrics"):
            with self.subTest(path.stem):
                self.assertEqual(self.promtool(path.read_bytes()), (0, b""))

    def test_promtool_finds_what_is_wrong(self):
        for text in (b"parity_x{ 1\n", b"# TYPE parity_x gauge\n# TYPE parity_x counter\nparity_x 1\n",
                     b"parity_x 1\nparity_x 2\n", b"parity_total 1\n"):
            self.assertNotEqual(self.promtool(text), (0, b""), text)


class Junit(Samples):
    def xmllint(self, path):
        done = subprocess.run(["xmllint", "--noout", "--nonet", "--schema", SCHEMA, path], capture_output=True, text=True,
                              check=False)
        return done.returncode, done.stderr

    def test_it_is_valid_by_the_schema_of_jenkins(self):
        for path in self.of_format("xml"):
            with self.subTest(path.stem):
                code, said = self.xmllint(path)
                self.assertEqual(code, 0, said)

    def test_the_schema_refuses_what_is_none(self):
        path = next(path for path in self.of_format("xml") if path.stem == "failing")
        text = path.read_text(encoding="utf-8")
        for right, wrong in (("<testcase ", '<testcase verdict="fine" '), ("<failure ", "<fault/><failure "),
                             ('<testsuite name="', '<testsuite title="'), ("<properties>", "<properties><x/>")):
            self.assertIn(right, text)
            path.write_text(text.replace(right, wrong, 1), encoding="utf-8")
            self.assertNotEqual(self.xmllint(path)[0], 0, wrong)


if __name__ == "__main__":
    missing = {"openmetrics": shutil.which("promtool") is None and "promtool (package prometheus)",
               "junit": (shutil.which("xmllint") is None and "xmllint (package libxml2-utils)") or
                        (not SCHEMA.exists() and f"{SCHEMA} (scripts/test.sh fetches it)")}[sys.argv[1]]
    if missing:
        print(f"SKIPPED: {missing} is not installed")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], sys.argv[1].capitalize()])
