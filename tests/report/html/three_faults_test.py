"""Three faults in three layers of the fixture model, of three kinds: what a reader sees first, in the web page as a browser
shows it and in the Markdown, names exactly the layer at fault.

PARITY_BINARY names the program; the browser is that of html_browser_test.py. Exits 77 (skipped) where there is none.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import torch
from playwright.sync_api import sync_playwright

from html_browser_test import View, browser_path

DECODER = pathlib.Path(__file__).resolve().parents[3] / "fixtures/decoder"
LAYER = re.compile(r"\bmodel\.layers\.\d+[\w.]*\w|\blm_head\b|\bmodel\.norm\b|\bmodel\.embed_tokens\b")


def scaled(weight):
    weight.mul_(1.04)


def rows_lost(weight):
    weight[32:64] = 0


def channel_scaled(weight):
    weight[17] *= 1.6


FAULTS = {"model.layers.2.mlp.down_proj": scaled, "model.layers.3.self_attn.v_proj": rows_lost,
          "model.layers.1.input_layernorm": channel_scaled}


class ThreeFaults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        cls.golden = cls.folder / "golden.h5"
        cls.run_parity("record", "--model", DECODER / "model.pt", "--inputs", f"prose={DECODER}/inputs/prose.json",
                       "--out", cls.golden)
        weights = torch.load(DECODER / "model.pt", weights_only=True)
        cls.names = {}
        for number, (layer, spoil) in enumerate(FAULTS.items()):
            spoilt = {name: value.clone() for name, value in weights.items()}
            spoil(spoilt[f"{layer}.weight"])
            torch.save(spoilt, cls.folder / f"{number}.pt")
            cls.names[layer] = cls.folder / str(number)
            cls.run_parity("compare", cls.golden, "--model", f"{cls.names[layer]}.pt", "--weights", "any", "--attribute",
                           "--html", f"{cls.names[layer]}.html", "--markdown", f"{cls.names[layer]}.md", exit_code=1)

    @classmethod
    def run_parity(cls, *arguments, exit_code=0):
        done = subprocess.run([os.environ["PARITY_BINARY"], *map(str, arguments), "--config", DECODER / "config.json",
                               "--device", "cpu", "--threads", "1"], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, check=False)
        assert done.returncode == exit_code, done.stdout + done.stderr

    def test_the_headline_of_the_page_names_the_layer_and_no_other(self):
        for layer, path in self.names.items():
            with self.subTest(layer), View(BROWSER, pathlib.Path(f"{path}.html")) as view:
                headline = view.page.locator("h1")
                self.assertTrue(headline.is_visible())
                self.assertLess(headline.bounding_box()["y"], 300)
                text = headline.inner_text()
                self.assertIn("FAIL", text)
                self.assertIn(f"Look at {layer} first", text)
                self.assertEqual(set(LAYER.findall(text)), {layer})
                view.expect_chosen(layer)
                first = view.page.locator(".findings > li").first.inner_text()
                self.assertEqual(set(LAYER.findall(first)), {layer}, first)

    def test_the_first_lines_of_the_markdown_name_the_layer_and_no_other(self):
        for layer, path in self.names.items():
            with self.subTest(layer):
                lines = pathlib.Path(f"{path}.md").read_text(encoding="utf-8").splitlines()
                self.assertEqual(lines[0], "## parity: FAIL")
                first = lines[:next(place for place, line in enumerate(lines) if line.startswith("### "))]
                named = [line for line in first if LAYER.search(line)]
                for words in ("First divergence", "Attribution", "weights are not the golden's"):
                    self.assertTrue(any(words in line for line in named), words)
                for line in named:
                    self.assertEqual({name.removesuffix(".weight") for name in LAYER.findall(line)}, {layer}, line)


if __name__ == "__main__":
    with sync_playwright() as PLAYWRIGHT:
        EXECUTABLE = browser_path(PLAYWRIGHT)
        if EXECUTABLE is None:
            print("SKIPPED: three faults in a browser, for there is none")
            sys.exit(77)
        # A sandbox needs rights that containers and root do not have; the pages are the project's own.
        BROWSER = PLAYWRIGHT.chromium.launch(executable_path=EXECUTABLE, args=["--no-sandbox"])
        result = unittest.main(exit=False).result
        BROWSER.close()
    sys.exit(not result.wasSuccessful())
