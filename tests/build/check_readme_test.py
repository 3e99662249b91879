"""Holds scripts/check_readme.py against small documents and a made-up `parity`."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check_readme.py"
sys.dont_write_bytecode = True
sys.path.insert(0, str(SCRIPT.parent))
import check_readme  # noqa: E402

FAKE_PARITY = """#!/usr/bin/env bash
case $1 in
  --version) echo "parity 9.9" ;;
  name) echo "$0 ran" ;;
  fail) echo "gate failed"; exit 1 ;;
  table) printf 'layer    ulp max  nrmse   verdict\\nblocks.0    3  1.25e-07  within \\u2581\\u2583\\ncompared in 0.53 s\\n' ;;
  machine) cat <<'TEXT'
candidate  Some Processor (Maker, AVX2), replayed on this host
! switch.threads       16 -> 8  changes numbers
! switch.fp32          tf32 -> ieee  changes numbers
  host.cores           16 -> 8
  capture.layers       (absent) -> model.layers.0.**
case prose: 14 taps, 14 within
      40 positions, KL mean 1.0e-04 p99
      4.8e-04 max 4.8e-04 nat
TEXT
  ;;
esac
"""


def document(marker, *content):
    return "\n".join(["# Title", "", marker, "```text", *content, "```", "", "The end.", ""])


class CheckReadme(unittest.TestCase):
    def run_on(self, text, *arguments):
        """Exit code, output and the document afterwards."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "bin").mkdir()
            (root / "bin/parity").write_text(FAKE_PARITY, encoding="utf-8")
            (root / "bin/parity").chmod(0o755)
            (root / "README.md").write_text(text, encoding="utf-8")
            done = subprocess.run([sys.executable, SCRIPT, "--root", folder, "--bin", root / "bin", *arguments],
                                  capture_output=True, text=True, check=False)
            return done.returncode, done.stdout + done.stderr, (root / "README.md").read_text(encoding="utf-8")

    def passes(self, text):
        code, output, _ = self.run_on(text)
        self.assertEqual(code, 0, output)

    def fails(self, text, words):
        code, output, after = self.run_on(text)
        self.assertEqual(code, 1, output)
        self.assertIn(words, output)
        self.assertEqual(after, text)

    def test_the_same_output_passes(self):
        self.passes(document("<!-- output-of: parity --version -->", "parity 9.9"))

    def test_the_program_is_the_one_under_test_under_the_name_that_readers_know(self):
        self.passes(document("<!-- output-of: build/release/bin/parity name -->", "build/release/bin/parity ran"))

    def test_another_output_fails_and_is_shown(self):
        self.fails(document("<!-- output-of: parity --version -->", "parity 9.8"), "+parity 9.9")
        self.fails(document("<!-- output-of: parity --version -->"), "README.md:3")

    def test_update_writes_the_present_output(self):
        code, output, after = self.run_on(document("<!-- output-of: parity --version -->", "old", "lines"), "--update")
        self.assertEqual(code, 0, output)
        self.assertEqual(after, document("<!-- output-of: parity --version -->", "parity 9.9"))

    def test_update_leaves_what_is_right_alone(self):
        text = document("<!-- output-of: parity table -->", "layer    ulp max  nrmse   verdict",
                        "blocks.0    3  1.25e-07  within \u2581\u2583", "compared in 4.7 s")
        self.assertEqual(self.run_on(text, "--update")[2], text)

    def test_exit_codes_are_expected(self):
        self.passes(document("<!-- output-of(exit 1): parity fail -->", "gate failed"))
        self.fails(document("<!-- output-of: parity fail -->", "gate failed"), "ended with 1, not 0")
        self.fails(document("<!-- output-of(exit 1): parity --version -->", "parity 9.9"), "ended with 0, not 1")

    def test_times_never_count_and_numbers_do(self):
        lines = ["layer    ulp max  nrmse   verdict", "blocks.0    3  1.25e-07  within \u2581\u2583", "compared in 99 ms"]
        self.passes(document("<!-- output-of: parity table -->", *lines))
        lines[1] = lines[1].replace("3", "4", 1)
        self.fails(document("<!-- output-of: parity table -->", *lines), "-blocks.0    4")

    def test_numbers_may_vary_where_the_marker_says_so(self):
        marker = "<!-- output-of(numbers vary): parity table -->"
        head, end = "layer    ulp max  nrmse   verdict", "compared in 1 s"
        self.passes(document(marker, head, "blocks.0  0  0  identical", end))
        self.passes(document(marker, head, "blocks.0  170  9.9e-05  within \u2588", end))
        self.fails(document(marker, head, "blocks.0  0  0  diverged", end), "diverged")
        self.fails(document(marker, head, "blocks.1  3  1.25e-07  within", end), "blocks.1")
        self.fails(document(marker, head, "blocks.0  3  within", end), "blocks.0")

    def test_facts_about_the_machine_do_not_count_where_numbers_vary(self):
        marker = "<!-- output-of(numbers vary): parity machine -->"
        lines = ["candidate  Another (Maker, AVX512), replayed on this host", "  device.name          NVIDIA H200 -> Another",
                 "! switch.fp32          tf32 -> ieee  changes numbers",
                 "  capture.layers       (absent) -> model.layers.0.**", "case prose: 14 taps, 3 identical, 11 within",
                 "      40 positions, KL mean 1e-04 p99 4e-04 max", "      4.85e-04 nat"]
        self.passes(document(marker, *lines))
        self.fails(document(marker, *(line.replace("layers.0", "layers.1") for line in lines)), "layers.1")
        self.fails(document(marker, *(line.replace("this host", "that host") for line in lines)), "that host")
        self.fails(document(marker, *lines[:-1]), "<n> nat")
        self.fails(document(marker, lines[0], *lines[3:]), "switch.fp32")

    def test_markers_are_never_ignored(self):
        self.fails("<!-- output-of: parity --version -->\nno fence\n", "no fenced block")
        self.fails("<!-- output-of: parity --version -->\n```text\nparity 9.9\n", "never ends")
        self.fails("<!-- output-of parity --version -->\n", "malformed marker")
        self.fails(document("<!-- output-of(sometimes): parity --version -->", "parity 9.9"), "unknown expectation")

    def test_links_lead_somewhere(self):
        text = document("<!-- output-of: parity --version -->", "parity 9.9")
        self.passes(text + "[a](bin/parity) [b](https://example.org/x) [c](#title) [d](bin)\n")
        self.fails(text + "[a](bin/gone#part)\n", "README.md:9: bin/gone is not there")

    def test_documents_without_any_marked_block_fail(self):
        self.fails("# Title\n", "no document shows")

    def test_what_counts_as_a_number_of_its_own(self):
        for text, wanted in (("4.2e-07 12 99.8%", "<n> <n> <n>"), ("4x128x256 blocks.3.mlp fc1#2", "4x128x256 blocks.3.mlp fc1#2"),
                             ("2.11.0", "2.11.0"), ("inf nan", "<n> <n>"), ("float32", "float32"), ("1e-3 (0x3acf2856)", "<n> (<n>)"),
                             ("(3, -1.5)", "(<n>, <n>)")):
            self.assertEqual(check_readme.normalised([text], True), [wanted])


if __name__ == "__main__":
    unittest.main()
