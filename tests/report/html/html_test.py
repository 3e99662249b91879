"""Reads the HTML report with a parser of others: well-formed, with nothing from outside, its own hashes right.

Usage: html_test.py PARITY_REPORT_SAMPLES
"""

import base64
import hashlib
import html.parser
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SAMPLES_PROGRAM = sys.argv[1]

VOID = {"meta", "input", "path", "wbr"}
TAGS = set("""html head meta title style body a header div span main section h1 h2 h3 p b code pre ol ul li table thead
              tbody tr th td details summary label select option input button output article svg script wbr""".split())
ATTRIBUTES = set("""lang charset name content http-equiv class href id type role tabindex scope open value placeholder
                    autocomplete spellcheck hidden colspan title data-label""".split())


class Page(html.parser.HTMLParser):
    """Elements of a page, how they are nested, and the texts of style, script and data."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.faults = []
        self.open = []
        self.links = []
        self.ids = []
        self.raw = {}
        self.policy = None
        self.words = []
        self.feed(text)
        self.close()
        if self.open:
            self.faults.append(f"left open: {self.open}")

    def handle_starttag(self, tag, attributes):
        if tag not in TAGS:
            self.faults.append(f"element {tag}")
        for name, value in attributes:
            if name not in ATTRIBUTES and not name.startswith("aria-"):
                self.faults.append(f"{tag} has {name}={value}")
            if name == "href":
                self.links.append(value)
            if name == "id":
                self.ids.append(value)
        fields = dict(attributes)
        if fields.get("http-equiv") == "Content-Security-Policy":
            self.policy = fields["content"]
        if tag not in VOID:
            self.open.append((tag, fields.get("type", "")))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop()[0] != tag:
            self.faults.append(f"</{tag}> ends nothing")

    def handle_data(self, text):
        inside = self.open[-1] if self.open else ("", "")
        if inside[0] in ("style", "script"):
            self.raw[inside] = self.raw.get(inside, "") + text
        else:
            self.words.append(text)


def hash_of(text):
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


class HtmlTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([SAMPLES_PROGRAM, folder], check=True)
            cls.reports = {path.stem for path in pathlib.Path(folder).glob("*.json")}
            cls.texts = {path.stem: path.read_text(encoding="utf-8") for path in pathlib.Path(folder).glob("*.html")}
        cls.pages = {stem: Page(text) for stem, text in cls.texts.items()}

    def test_there_is_a_page_of_every_sample(self):
        self.assertGreaterEqual(len(self.pages), 9)
        self.assertEqual(set(self.pages), self.reports)

    def test_every_element_is_one_that_was_meant_and_is_closed(self):
        for stem, page in self.pages.items():
            with self.subTest(stem=stem):
                self.assertEqual(page.faults, [])
                self.assertEqual(len(page.ids), len(set(page.ids)))

    def test_the_parser_is_held_against_what_it_is_told(self):
        for text in ("<p>", "<p></div>", "<img src=x>", '<p onclick="x"></p>', '<a style="x"></a>', "<object></object>"):
            self.assertTrue(Page(text).faults, text)

    def test_every_link_leads_into_the_page(self):
        for stem, page in self.pages.items():
            with self.subTest(stem=stem):
                self.assertTrue(page.links)
                self.assertEqual([link for link in page.links if not link.startswith("#")], [])

    def test_the_policy_lets_through_the_own_style_and_script_alone(self):
        for stem, page in self.pages.items():
            with self.subTest(stem=stem):
                style = hash_of(page.raw["style", ""])
                script = hash_of(page.raw["script", "module"])
                self.assertEqual(page.policy, f"default-src 'none'; style-src '{style}'; script-src '{script}'; "
                                              "base-uri 'none'; form-action 'none'")

    def test_the_data_is_json_of_all_taps(self):
        for stem, page in self.pages.items():
            with self.subTest(stem=stem):
                text = page.raw["script", "application/json"]
                self.assertNotIn("<", text)
                data = json.loads(text)
                for case in data["cases"]:
                    names = [tap["n"] for tap in case["taps"]]
                    self.assertEqual(len(set(names)), len(names))
                    self.assertTrue(all(len(tap.get("f", data["figures"])) == len(data["figures"])
                                        for tap in case["taps"]))

    def test_hostile_names_are_words(self):
        words = "".join(self.pages["hostile"].words)
        for name in ("]]><script>alert('1')</script>&amp;\"", "a\ufffdb|c`d\\|e", "<!-- -->"):
            self.assertIn(name, words)

    def test_scripts_and_styles_name_no_place(self):
        page = self.pages["failing"]
        for text in (page.raw["style", ""], page.raw["script", "module"]):
            self.assertNotRegex(text, r"https?:|url\(|@import|\bimport\b|\bfetch\b|innerHTML|\beval\b|document\.write")
            self.assertTrue(re.search(r"\S", text))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
