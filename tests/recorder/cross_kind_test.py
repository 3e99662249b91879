"""One model by every route that can read it: taps that share a name are equal, or one rounding step apart, on the CPU.

The routes: a bare state_dict through the program's decoder, TorchScript, an exported program, and hooks in Python. Where a route has taps of
its own, operators that hooks do not see, the comparison leaves them out by name.
"""
import itertools
import json
import unittest

import torch
from transformers import LlamaConfig, LlamaForCausalLM

import parity_recorder
from workshop import SOURCE, Workshop

FIXTURE = SOURCE / "fixtures" / "decoder"


class CrossKind(Workshop):
    def setUp(self):
        super().setUp()
        ids = torch.arange(48).reshape(3, 16) * 11 % 256
        inputs = self.folder / "ids.pt"
        torch.save({"input_ids": ids}, inputs)
        self.routes = {name: self.folder / f"{name}.h5" for name in ("state_dict", "torchscript", "exported", "hooks")}
        run = ["record", "--inputs", f"a={inputs}", "--device", "cpu", "--out"]
        self.parity(*run, self.routes["state_dict"], "--model", FIXTURE / "model.pt", "--config", FIXTURE / "config.json")
        self.parity(*run, self.routes["torchscript"], "--model", FIXTURE / "model.torchscript.pt")
        model = LlamaForCausalLM(LlamaConfig(**json.loads((FIXTURE / "config.json").read_text()))).eval()
        model.load_state_dict(torch.load(FIXTURE / "model.pt"))
        self.exported = self.folder / "model.pt2"
        with torch.no_grad():
            torch.export.save(torch.export.export(model, (), {"input_ids": ids, "use_cache": False}), self.exported)
        self.parity(*run, self.routes["exported"], "--model", self.exported)
        with torch.no_grad(), parity_recorder.record(model, self.routes["hooks"], case="a"):
            model(input_ids=ids)

    def test_all_taps_that_share_a_name_are_within_one_ulp(self):
        for one, other in itertools.permutations(self.routes.values(), 2):
            with self.subTest(f"{one.stem} against {other.stem}"):
                report = self.report(one, other, "--skip", "**/*.*")
                taps = report["cases"][0]["taps"]
                self.assertGreater(len(taps), 55)
                for tap in taps:
                    self.assertEqual(tap["outcome"], "compared", tap["tap"])
                    self.assertLessEqual(tap["ulp"]["max"], 1, tap["tap"])
                self.assertEqual(report["verdict"], "pass")

    def test_the_weights_agree_by_name(self):
        for one, other in itertools.combinations(self.routes.values(), 2):
            notes = " ".join(self.report(one, other, "--skip", "**/*.*")["notes"])
            self.assertRegex(notes, r"39 weights agree|^$")

    def test_a_golden_of_hooks_is_replayed_through_the_other_routes(self):
        for model in (["--model", FIXTURE / "model.torchscript.pt"], ["--model", self.exported],
                      ["--model", FIXTURE / "model.pt", "--config", FIXTURE / "config.json"]):
            report = self.report(self.routes["hooks"], *model, "--device", "cpu", "--skip", "**/*.*")
            self.assertEqual(set(self.verdicts(report).values()), {"identical"})


if __name__ == "__main__":
    unittest.main()
