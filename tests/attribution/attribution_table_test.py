"""Seeds one fault at a time and expects the forced replay to blame the layer that has it; then changes
only how, not what, is computed, and expects no blame.

The tables of docs/attribution.md are what these tests find: `--write FILE` renews them in FILE.
PARITY_BINARY names the program.
"""

import pathlib
import re
import sys
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
DOCUMENT = FOLDER.parents[1] / "docs" / "attribution.md"
sys.path.insert(0, str(FOLDER.parent / "mutations"))

from parity_program import FAILS, PASSES

import bench
import controls  # registers its rows, as do the others
import decoder_faults
import linear_faults
import rows
import script_faults
import transformer_faults

EXIT_WORDS = {PASSES: "passes", FAILS: "fails"}
HEADS = {
    "faults": "| model | dtype | what is wrong | blamed first | finding |",
    "spread": "| model | dtype | what is wrong | finding |",
    "controls": "| model | dtype | what differs | finding | gate |",
}
MARKED = re.compile(r"<!-- (\w+): written by .*? -->\n(.*?)<!-- end -->\n", re.DOTALL)


def top_of(outcome):
    blame = outcome.report["blame"]
    return bench.layer_of(blame[0]["tap"]) if blame else None


def finding_of(outcome):
    return outcome.report["attribution"]["finding"]


def table(name, found):
    head = HEADS[name]
    lines = [head, "|" + "---|" * (head.count("|") - 1)]
    for row, outcome in found:
        cells = [row.model, row.dtype, row.words]
        if name == "faults":
            cells.append(f"`{top_of(outcome)}`")
        cells.append(finding_of(outcome).replace("_", " "))
        if name == "controls":
            cells.append(EXIT_WORDS[outcome.exit_code])
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def tables():
    everything = bench.run_all(rows.FAULTS + rows.CONTROLS)
    findings = {"faults": "culprit", "spread": "no_single_culprit", "controls": "none"}
    return {
        name: [(row, outcome) for row, outcome in everything if row.finding == finding]
        for name, finding in findings.items()
    }


class AttributionTable(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.found = tables()

    def test_the_faulty_layer_or_operator_is_blamed_first_and_is_the_culprit(self):
        for row, outcome in self.found["faults"]:
            with self.subTest(row.name):
                blame = [(b["tap"], b["share"]) for b in outcome.report["blame"][:4]]
                self.assertEqual(top_of(outcome), row.blamed, blame)
                self.assertEqual(finding_of(outcome), "culprit", blame)

    def test_no_operator_is_blamed_that_does_what_its_name_says(self):
        """The faults are in weights and in what is called; the candidates' operators are PyTorch's own."""
        judged = 0
        for row, outcome in self.found["faults"] + self.found["spread"]:
            for blame in outcome.report["blame"][:1]:
                judged += blame["operators"] != []
                with self.subTest(row.name):
                    self.assertIsNone(blame["culprit"], blame["operators"])
                    self.assertTrue(blame["operators"] == [] or blame["operators_finding"])
        self.assertGreater(judged, 0, "no row of the table has operators")

    def test_a_change_of_every_layer_has_no_single_culprit(self):
        for row, outcome in self.found["spread"]:
            with self.subTest(row.name):
                self.assertEqual(finding_of(outcome), "no_single_culprit")

    def test_no_layer_is_blamed_for_rounding_elsewhere(self):
        for row, outcome in self.found["controls"]:
            with self.subTest(row.name):
                self.assertEqual(finding_of(outcome), "none", outcome.report["blame"][:3])
                self.assertEqual(outcome.report["blame"], [])
                self.assertEqual(outcome.exit_code, PASSES)
                self.assertGreater(len(outcome.taps()), 8)

    def test_controls_do_differ(self):
        """Where all bits are the same, there is nothing to be blamed for."""
        differ = [row for row, outcome in self.found["controls"]
                  if outcome.report["attribution"]["sources"]]
        self.assertGreaterEqual(len(differ), 15)
        for dtype in rows.BOTH:
            self.assertGreaterEqual(sum(row.dtype == dtype for row in differ), 6)

    def test_there_are_enough_rows_of_every_kind(self):
        faults = {(row.model, row.words) for row in rows.FAULTS if row.finding == "culprit"}
        self.assertGreaterEqual(len(faults), 40)
        self.assertGreaterEqual(len({(row.model, row.words) for row in rows.CONTROLS}), 15)
        for dtype in rows.BOTH:
            self.assertGreaterEqual(sum(row.dtype == dtype for row in rows.FAULTS), 40)
        operators = {row.blamed for row in rows.FAULTS if row.blamed and "/" in row.blamed}
        self.assertGreaterEqual(len(operators), 8)

    def test_the_document_says_what_was_found(self):
        sections = dict(MARKED.findall(DOCUMENT.read_text()))
        self.assertEqual(sorted(sections), sorted(HEADS))
        for name, found in self.found.items():
            self.assertEqual(sections[name], table(name, found), f"renew it with --write {DOCUMENT}")


def write(file):
    found = tables()

    def renewed(match):
        start = match.group(0).split("\n", 1)[0]
        return f"{start}\n{table(match.group(1), found[match.group(1)])}<!-- end -->\n"

    file.write_text(MARKED.sub(renewed, file.read_text()))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--write"]:
        write(pathlib.Path(sys.argv[2]))
    else:
        unittest.main(warnings="ignore")  # torch.jit is deprecated, and the format under test
