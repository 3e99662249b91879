"""The tree of inputs: what a call is given, by name or by place, as the program reads it and replays it."""
import collections
import unittest

import numpy as np
import torch
from torch import nn

import parity_recorder
from workshop import Workshop


class Anything(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Identity()

    def forward(self, *args, **kwargs):
        return self.layer(torch.ones(2))


class TwoNumbers(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x, scale: float = 2.0):
        return self.layer(x) * scale


class Inputs(Workshop):
    def tree(self, *args, **kwargs):
        model = Anything()
        with parity_recorder.record(model, self.golden, case="a"):
            model(*args, **kwargs)
        self.assert_whole()
        kinds, keys = self.texts("cases/000000/inputs/kind"), self.texts("cases/000000/inputs/key")
        return [f"{key}={kind}" if key else kind for kind, key in zip(kinds, keys)]

    def test_positions_names_and_nesting(self):
        x = torch.ones(2)
        self.assertEqual(self.tree(x), ["tensor"])
        self.assertEqual(self.tree(x, 3), ["tuple", "tensor", "int"])
        self.assertEqual(self.tree(), ["tuple"])
        self.assertEqual(self.tree(a=x, b=None, c=True, d=1.5, e="text"),
                         ["dict", "a=tensor", "b=none", "c=bool", "d=float", "e=str"])
        self.assertEqual(self.tree([x, (1, {"k": x})]), ["list", "tensor", "tuple", "int", "dict", "k=tensor"])
        self.assertEqual(self.tree(collections.UserDict(k=x)), ["dict", "k=tensor"])
        self.assertEqual(self.tree(np.float32([1, 2])), ["tensor"])

    def test_positional_values_beside_keywords_go_by_their_parameters_names(self):
        model = TwoNumbers()
        with parity_recorder.record(model, self.golden, case="a"):
            model(torch.ones(3, 4), scale=0.5)
        self.assertEqual(self.texts("cases/000000/inputs/key"), ["", "x", "scale"])

    def test_what_a_golden_cannot_hold_is_left_out_and_said(self):
        loop = []
        loop.append(loop)
        self.assertEqual(self.tree(cache=object(), n=1 << 70, ok=1, inside=[object(), 2], sparse=torch.ones(2).to_sparse(),
                                   loop=loop),
                         ["dict", "ok=int", "inside=list", "none", "int", "loop=list", "none"])
        notes = "\n".join(self.texts("cases/000000/notes"))
        for words in ("input cache is left out: it is of type object", "input n is left out", "input inside.0 is left out",
                      "input sparse is left out: it is a sparse tensor", "input loop.0 is left out"):
            self.assertIn(words, notes)

    def test_keys_that_read_alike_stay_apart(self):
        x = torch.ones(2)
        self.assertEqual(self.tree({1: x, "1": x, "a\0": x, "a": x}),
                         ["dict", "1=tensor", "1~1=tensor", "a\\x00=tensor", "a=tensor"])

    def test_inputs_are_those_before_the_call(self):
        class Spoils(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Identity()

            def forward(self, x):
                x.zero_()
                return self.layer(x + 1)

        model = Spoils()
        with parity_recorder.record(model, self.golden, case="a"):
            model(torch.full((2,), 7.0))
        import h5py
        with h5py.File(self.golden) as file:
            self.assertEqual(file["cases/000000/inputs/values/000000"][()].tolist(), [7, 7])

    def test_the_program_replays_them(self):
        model = TwoNumbers().eval()
        script = self.folder / "model.pt"
        torch.jit.script(model).save(script)
        for call in ({"args": (torch.ones(3, 4),)}, {"args": (torch.ones(3, 4), 0.5)},
                     {"kwargs": {"scale": 3.0, "x": torch.ones(1, 4)}}):
            with torch.no_grad(), parity_recorder.record(model, self.golden, case="a"):
                model(*call.get("args", ()), **call.get("kwargs", {}))
            report = self.report(self.golden, "--model", script, "--device", "cpu")
            self.assertEqual(self.verdicts(report), {"layer": "identical", "<output>": "identical"})


if __name__ == "__main__":
    unittest.main()
