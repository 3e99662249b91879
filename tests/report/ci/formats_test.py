"""Reads the report formats with tools of others: an XML parser, junitparser, markdown-it, OpenMetrics' own parser.

Usage: formats_test.py PARITY_REPORT_SAMPLES DOCS_FOLDER
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import junitparser
import markdown_it
from prometheus_client.openmetrics import parser as openmetrics

SAMPLES_PROGRAM = sys.argv[1]
DOCS = pathlib.Path(sys.argv[2])

# What Jenkins' junit-10.xsd allows: attributes and children of each element; the sums are of JUnit readers.
ATTRIBUTES = {
    "testsuites": ("", "name time tests failures errors"),
    "testsuite": ("name tests failures errors",
                  "group time skipped timestamp hostname id package file log url"),
    "properties": ("", ""),
    "property": ("name value", ""),
    "testcase": ("name", "time classname group"),
    "failure": ("", "type message"), "error": ("", "type message"), "skipped": ("", "type message"),
    "system-out": ("", ""), "system-err": ("", ""),
}
CHILDREN = {
    "testsuites": "testsuite",
    "testsuite": "testsuite properties testcase system-out system-err",
    "properties": "property",
    "testcase": "skipped error failure system-out system-err",
}
# Stricter than the schema, for older readers: properties, testcases, texts.
ORDER = ["properties", "testcase", "system-out", "system-err"]
TIME = re.compile(r"[0-9]+(\.[0-9]*)?")


def breaches(element):
    """Where an element and what is in it do not follow the schema."""
    needed, allowed = (set(words.split()) for words in ATTRIBUTES[element.tag])
    if not needed <= set(element.attrib) <= needed | allowed:
        yield f"{element.tag} has attributes {sorted(element.attrib)}"
    if "time" in element.attrib and not TIME.fullmatch(element.attrib["time"]):
        yield f"{element.tag} has time {element.attrib['time']}"
    children = [child.tag for child in element]
    if not set(children) <= set(CHILDREN.get(element.tag, "").split()):
        yield f"{element.tag} has children {sorted(set(children))}"
    if element.tag == "testsuite":
        if children != sorted(children, key=ORDER.index):
            yield f"children of a testsuite in another order: {children}"
        for attribute, tag in (("tests", "testcase"), ("failures", "testcase/failure"), ("errors", "testcase/error")):
            if element.attrib.get(attribute) != str(len(element.findall(tag))):
                yield f"{attribute} is {element.attrib.get(attribute)} of {len(element.findall(tag))}"
    if element.tag == "testsuites":
        for attribute in ("tests", "failures", "errors"):
            if element.attrib.get(attribute) != str(sum(int(suite.attrib.get(attribute, 0)) for suite in element)):
                yield f"{attribute} of all is not the sum"
    for child in element:
        yield from breaches(child)


FOLD = re.compile(r"</details>|<details><summary>What differs in the environments: \d+ facts?, no switch that changes "
                  r"numbers</summary>")


def names(texts):
    """The texts of a Markdown document outside of code, as a reader sees them."""
    return [child.content for token in texts if token.type == "inline" for child in token.children
            if child.type == "text"]


class FormatsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.samples = {}
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([SAMPLES_PROGRAM, folder], check=True)
            for path in pathlib.Path(folder).iterdir():
                cls.samples[path.stem, path.suffix[1:]] = path.read_bytes()

    def of_format(self, suffix):
        found = {stem: data for (stem, end), data in self.samples.items() if end == suffix}
        self.assertEqual(len(found), 10)
        return found

    def test_every_format_is_utf8(self):
        for place, data in self.samples.items():
            with self.subTest(place=place):
                data.decode("utf-8")

    def test_junit_follows_the_schema(self):
        for stem, data in self.of_format("xml").items():
            with self.subTest(stem=stem):
                self.assertEqual(list(breaches(ElementTree.fromstring(data))), [])

    def test_the_schema_is_held_against_what_it_is_told(self):
        rows = ['<testsuite name="x" tests="1" failures="0" errors="0"/>',
                '<testsuite name="x" tests="0" failures="0"/>',
                '<testsuite name="x" tests="0" failures="0" errors="0"><system-out/><properties/></testsuite>',
                '<testcase name="x" verdict="fine"/>', '<testcase name="x"><properties/></testcase>',
                '<testsuites tests="0" failures="0" errors="0" time="1e-3"/>',
                '<testsuites tests="1" failures="0" errors="0"/>']
        for row in rows:
            self.assertTrue(list(breaches(ElementTree.fromstring(row))), row)

    def test_a_junit_reader_reads_it(self):
        for stem, data in self.of_format("xml").items():
            with self.subTest(stem=stem):
                suites = list(junitparser.JUnitXml.fromstring(data))
                tests = [test for suite in suites for test in suite]
                red = [test for test in tests if any(isinstance(result, (junitparser.Failure, junitparser.Error))
                                                     for result in test.result)]
                self.assertEqual(bool(red), stem not in ("identical", "decoded"))
                keys = [(suite.name, test.classname, test.name) for suite in suites for test in suite]
                self.assertEqual(len(set(keys)), len(keys))
                self.assertTrue(all(test.classname == suite.name or test.name == "gate"
                                    for suite in suites for test in suite))

    def test_names_come_out_as_they_went_in(self):
        root = ElementTree.fromstring(self.samples["hostile", "xml"])
        shown = [test.attrib["name"] for test in root.iter("testcase")]
        for name in ("a\ufffdb|c`d\\|e", "]]><script>alert('1')</script>&amp;\"", "none" + "\ufffd" * 5,
                     "broken\ufffd(utf8\ufffd", "broken\ufffd(utf8\ufffd (2)"):
            self.assertIn(name, shown)

    def test_openmetrics_is_read_by_its_own_parser(self):
        for stem, data in self.of_format("openmetrics").items():
            with self.subTest(stem=stem):
                families = list(openmetrics.text_string_to_metric_families(data.decode("utf-8")))
                samples = [sample for family in families for sample in family.samples]
                self.assertTrue(all(sample.value == sample.value for sample in samples), "a NaN")
                keys = {(sample.name, *sorted(sample.labels.items())) for sample in samples}
                self.assertEqual(len(keys), len(samples))
                for family in families:
                    self.assertTrue(family.documentation and family.samples, family.name)
                    self.assertTrue(not family.unit or family.name.endswith("_" + family.unit), family.name)

    def test_every_family_is_documented_and_no_other(self):
        text = (DOCS / "formats.md").read_text(encoding="utf-8")
        families = {family.name for data in self.of_format("openmetrics").values()
                    for family in openmetrics.text_string_to_metric_families(data.decode("utf-8"))}
        self.assertEqual(set(re.findall(r"`(parity_[a-z0-9_]+)", text)), families)

    def test_a_label_comes_out_as_it_went_in(self):
        text = self.samples["hostile", "openmetrics"].decode("utf-8")
        taps = {sample.labels.get("tap") for family in openmetrics.text_string_to_metric_families(text)
                for sample in family.samples}
        for name in ("a\ufffdb|c`d\\|e", "]]><script>alert('1')</script>&amp;\"", "{quantile=\"0\"} 1\ufffd# EOF"):
            self.assertIn(name, taps)

    def test_markdown_holds_nothing_but_what_was_meant(self):
        reader = markdown_it.MarkdownIt("commonmark").enable(["table", "strikethrough"])
        kinds = {"inline", "heading_open", "heading_close", "paragraph_open", "paragraph_close", "bullet_list_open",
                 "bullet_list_close", "list_item_open", "list_item_close", "code_block", "text", "code_inline",
                 "strong_open", "strong_close", "softbreak", "text_special",
                 *(f"{part}_{end}" for part in ("table", "thead", "tbody", "tr", "th", "td") for end in ("open", "close"))}
        for stem, data in self.of_format("md").items():
            with self.subTest(stem=stem):
                tokens = reader.parse(data.decode("utf-8"))
                seen = {token.type for token in tokens}
                seen |= {child.type for token in tokens if token.type == "inline" for child in token.children}
                self.assertLessEqual(seen, kinds | {"html_block"})
                for token in tokens:
                    if token.type == "html_block":
                        self.assertTrue(FOLD.fullmatch(token.content.rstrip("\n")), token.content)
                for text in names(tokens):
                    self.assertNotRegex(text, r"@\w|(^|\W)#\d|://|\bwww\.\w|:\w+:|!\d|\$\w|GH-\d", text)

    def test_no_name_adds_a_cell(self):
        text = self.samples["hostile", "md"].decode("utf-8")
        rows = [line for line in text.splitlines() if line.startswith("|")]
        self.assertGreater(len(rows), 20)
        for row in rows:
            self.assertNotIn("\\|", row)
            self.assertIn(row.count("|"), (5, 10, 11), row)

    def test_annotations_are_what_a_runner_takes_for_one(self):
        command = re.compile(r"::(error|warning|notice) title=([^:,\r\n]+)::([^\r\n]+)")
        for stem, data in self.of_format("annotations").items():
            lines = data.decode("utf-8").splitlines()
            self.assertLessEqual(len(lines), 10)
            for line in lines:
                self.assertTrue(command.fullmatch(line), f"{stem}: {line}")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
