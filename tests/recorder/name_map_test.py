"""Fused layers against plain ones through --map: two recordings, and replays that are forced with the other side's parts.

Numbers are small integers, so that both ways of computing are exact and only the map can be wrong.
"""
import unittest

import torch
from torch import nn

import parity_recorder
from workshop import Workshop

SIZES = (8, 4, 4)  # of query, key and value: two heads' worth of keys, four of queries
SPLIT = """
[[split]]
candidate = '(.*)\\.qkv'
golden = ['$1.q', '$1.k', '$1.v']
"""
CONCAT = """
[[concat]]
golden = '(.*)\\.qkv'
candidate = ['$1.q', '$1.k', '$1.v']
"""


def integers(*shape, seed):
    return torch.randint(-3, 4, shape, generator=torch.Generator().manual_seed(seed)).float()


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(6, size) for size in SIZES)
        self.out = nn.Linear(16, 5)
        with torch.no_grad():
            for seed, parameter in enumerate(self.parameters()):
                parameter.copy_(integers(*parameter.shape, seed=seed))

    def forward(self, x):
        q = self.q(x)
        k = self.k(x)
        v = self.v(x)
        return self.out(torch.cat([q, k, v], -1))


class Fused(nn.Module):
    def __init__(self, plain, groups: int = 1):
        super().__init__()
        self.qkv = nn.Linear(6, 16)
        self.out = plain.out
        self.groups = groups
        with torch.no_grad():
            for name in ("weight", "bias"):
                parts = [getattr(layer, name) for layer in (plain.q, plain.k, plain.v)]
                shares = [part.reshape(groups, -1, *part.shape[1:]) for part in parts]
                getattr(self.qkv, name).copy_(torch.cat(shares, 1).flatten(0, 1))

    def forward(self, x):
        blocks = self.qkv(x).unflatten(-1, [self.groups, 16 // self.groups])
        parts = [part.flatten(-2) for part in blocks.split([8 // self.groups, 4 // self.groups, 4 // self.groups], -1)]
        return self.out(torch.cat(parts, -1))


class Layered(nn.Module):
    """One of these as the layer `attn`, over a batch or over its tokens packed together."""

    def __init__(self, layer, packs: bool = False):
        super().__init__()
        self.attn = layer
        self.packs = packs

    def forward(self, x):
        return self.attn(x.flatten(0, 1) if self.packs else x)


X = integers(2, 3, 6, seed=99)


class NameMap(Workshop):
    def setUp(self):
        super().setUp()
        self.plain = Plain()
        self.map = self.folder / "map.toml"

    def record(self, layer, name, packs=False, **options):
        path, model = self.folder / name, Layered(layer, packs)
        with torch.no_grad(), parity_recorder.record(model, path, case="a", **options):
            model(X)
        return path

    def scripted(self, layer):
        path = self.folder / "model.pt"
        torch.jit.script(Layered(layer).eval()).save(path)
        return path

    def compared(self, golden, candidate, rules, *flags, exit_code=0):
        self.map.write_text(rules)
        return self.report(golden, candidate, "--map", self.map, *flags, exit_code=exit_code)

    def taps(self, report):
        return {tap["tap"]: (tap["verdict"], tap["candidate_taps"]) for tap in report["cases"][0]["taps"]}

    IDENTICAL = {
        "attn.q": ("identical", ["attn.qkv"]), "attn.k": ("identical", ["attn.qkv"]), "attn.v": ("identical", ["attn.qkv"]),
        "attn.out": ("identical", []), "attn": ("identical", []), "<output>": ("identical", []),
    }

    def test_one_is_split_into_several(self):
        golden = self.record(self.plain, "golden.h5")
        report = self.compared(golden, self.record(Fused(self.plain), "fused.h5"), SPLIT)
        self.assertEqual(self.taps(report), self.IDENTICAL)
        self.assertEqual((report["name_map"]["mapped"], report["name_map"]["rules"][0]["taps"]), (3, 1))
        self.assertTrue(any("2 weights agree; 8 are named in one" in note for note in report["notes"]), report["notes"])

    def test_heads_side_by_side(self):
        golden = self.record(self.plain, "golden.h5")
        fused = self.record(Fused(self.plain, groups=4), "fused.h5")
        self.assertEqual(self.taps(self.compared(golden, fused, SPLIT + "groups = 4\n")), self.IDENTICAL)
        wrong = self.taps(self.compared(golden, fused, SPLIT, exit_code=1))
        self.assertEqual(wrong["attn.q"][0], "diverged")

    def test_several_are_put_together(self):
        for groups in (1, 2):
            golden = self.record(Fused(self.plain, groups), "golden.h5")
            plain = self.record(self.plain, "plain.h5")
            report = self.compared(golden, plain, CONCAT + f"groups = {groups}\n")
            self.assertEqual(self.taps(report)["attn.qkv"], ("identical", ["attn.q", "attn.k", "attn.v"]))
            self.assertEqual(report["totals"]["verdicts"], {"identical": 4})

    def test_a_fault_is_seen_in_its_part(self):
        golden = self.record(self.plain, "golden.h5")
        fused = Fused(self.plain)
        with torch.no_grad():
            fused.qkv.bias[9] += 1
        taps = self.taps(self.compared(golden, self.record(fused, "fused.h5"), SPLIT, exit_code=1))
        self.assertEqual([taps[name][0] for name in ("attn.q", "attn.k", "attn.v")], ["identical", "diverged", "identical"])

    def test_what_the_golden_stored_does_not_matter(self):
        fused = self.record(Fused(self.plain), "fused.h5")
        for store in ("rows:2", "digest"):
            golden = self.record(self.plain, "golden.h5", store=store)
            self.assertEqual(self.taps(self.compared(golden, fused, SPLIT))["attn.k"], ("identical", ["attn.qkv"]))
        golden = self.record(Fused(self.plain), "golden.h5", store="rows:2")
        plain = self.record(self.plain, "plain.h5")
        self.assertEqual(self.taps(self.compared(golden, plain, CONCAT))["attn.qkv"][0], "identical")

    def test_a_candidate_without_all_values_is_missing_with_the_reason(self):
        golden = self.record(self.plain, "golden.h5")
        for store, words in (("rows:2", "holds only rows of it"), ("digest", "holds only its digest")):
            fused = self.record(Fused(self.plain), "fused.h5", store=store)
            report = self.compared(golden, fused, SPLIT, exit_code=1)
            rows = {tap["tap"]: tap for tap in report["cases"][0]["taps"]}
            self.assertEqual((rows["attn.q"]["verdict"], rows["attn.qkv"]["verdict"]), ("missing", "additional"))
            self.assertIn(words, rows["attn.q"]["not_captured"])
        fused = self.record(self.plain, "plain.h5", store="digest")
        report = self.compared(self.record(Fused(self.plain), "golden.h5"), fused, CONCAT, exit_code=1)
        self.assertEqual(self.taps(report)["attn.qkv"][0], "missing")

    def test_parts_that_do_not_fit_say_why(self):
        golden = self.record(self.plain, "golden.h5")
        fused = self.record(Fused(self.plain), "fused.h5")
        for rules, words in ((SPLIT.replace(", '$1.v'", ""), "its last dimension is 16, and the parts' are 8, 4"),
                             (SPLIT + "groups = 3\n", "cannot be cut into 3 equal shares each"),
                             (SPLIT.replace("$1.k", "$1.x").replace("$1.v", "$1.y"), "has neither attn.x nor attn.y")):
            report = self.compared(golden, fused, rules, exit_code=1)
            reasons = {tap["not_captured"] for tap in report["cases"][0]["taps"] if tap["verdict"] == "missing"}
            self.assertTrue(any(words in str(reason) for reason in reasons), reasons)
            self.assertIn({"case": "a", "candidate": "attn.qkv", "golden": "attn.q"}, report["name_map"]["unmatched"])

    def test_a_golden_of_some_parts_takes_these(self):
        golden = self.record(self.plain, "golden.h5", layers=["attn.k", "attn.v"])
        fused = self.record(Fused(self.plain), "fused.h5", layers=["attn.qkv"])
        taps = self.taps(self.compared(golden, fused, SPLIT, "--layers", "attn.[kv]"))
        self.assertEqual(taps, {"attn.k": ("identical", ["attn.qkv"]), "attn.v": ("identical", ["attn.qkv"]),
                                "<output>": ("identical", [])})

    def test_a_part_that_never_comes_is_said(self):
        golden = self.record(Fused(self.plain), "golden.h5", layers=["attn.qkv"])
        plain = self.record(self.plain, "plain.h5", layers=["attn.q", "attn.v"])
        report = self.compared(golden, plain, CONCAT, exit_code=1)
        rows = {tap["tap"]: tap for tap in report["cases"][0]["taps"]}
        self.assertEqual(rows["attn.qkv"]["not_captured"], "of its 3 parts, the candidate has only attn.q and attn.v")
        self.assertEqual({name: row["verdict"] for name, row in rows.items()},
                         {"attn.qkv": "missing", "attn.q": "additional", "attn.v": "additional", "<output>": "identical"})

    def test_packed_tokens_are_seen_in_the_goldens_shape(self):
        golden = self.record(self.plain, "golden.h5")
        packed = self.record(Fused(self.plain), "packed.h5", packs=True)
        report = self.compared(golden, packed, 'leading_dimensions = "any"\n' + SPLIT)
        self.assertEqual(self.taps(report), self.IDENTICAL)
        self.assertEqual(report["name_map"]["reshaped"], 6)
        shapes = self.taps(self.compared(golden, packed, SPLIT, exit_code=1))
        self.assertEqual(shapes["attn.q"][0], "shape_differs")

    def test_a_replay_is_mapped_and_forced_with_the_parts(self):
        golden = self.record(self.plain, "golden.h5")
        self.map.write_text(SPLIT)
        fused = Fused(self.plain).eval()
        run = ["--device", "cpu", "--map", self.map]
        report = self.report(golden, "--model", self.scripted(fused), *run, "--attribute")
        self.assertEqual(set(self.verdicts(report).values()), {"identical"})
        with torch.no_grad():
            fused.qkv.weight[8:12] += 0.25
        report = self.report(golden, "--model", self.scripted(fused), *run, "--attribute", "--weights", "any", exit_code=1)
        self.assertEqual([blame["tap"] for blame in report["blame"]], ["attn.k"])
        self.assertGreater(len(report["blame"][0]["operators"]), 0)
        introduced = {tap["tap"]: tap["introduced"] and tap["introduced"]["nrmse"] for tap in report["cases"][0]["taps"]}
        self.assertEqual((introduced["attn.q"], introduced["attn.v"], introduced["attn.out"]), (0, 0, 0))

    def test_a_replay_in_parts_is_forced_with_shares_of_the_whole(self):
        for groups in (1, 2):
            golden = self.record(Fused(self.plain, groups), "golden.h5")
            self.map.write_text(CONCAT + f"groups = {groups}\n")
            plain = Plain().eval()
            with torch.no_grad():
                plain.v.weight += 0.25
            report = self.report(golden, "--model", self.scripted(plain), "--device", "cpu", "--map", self.map,
                                 "--attribute", "--weights", "any", exit_code=1)
            self.assertEqual([blame["tap"] for blame in report["blame"]], ["attn.qkv"])
            introduced = {tap["tap"]: tap["introduced"] and tap["introduced"]["nrmse"] for tap in report["cases"][0]["taps"]}
            self.assertEqual(introduced["attn.out"], 0)

    def test_weights_are_compared_under_the_goldens_names(self):
        golden = self.record(self.plain, "golden.h5")
        other = Plain()
        names = "[[rename]]\ncandidate = 'layer(.*)'\ngolden = 'attn$1'\n"

        class Renamed(nn.Module):
            def __init__(self, layer):
                super().__init__()
                self.layer = layer

            def forward(self, x):
                return self.layer(x)

        def recorded(layer):
            model = Renamed(layer)
            with torch.no_grad(), parity_recorder.record(model, self.folder / "other.h5", case="a"):
                model(X)
            return self.folder / "other.h5"

        self.assertEqual(set(self.verdicts(self.compared(golden, recorded(other), names)).values()), {"identical"})
        with torch.no_grad():
            other.v.bias[0] += 1
        self.map.write_text(names)
        self.parity("compare", golden, recorded(other), "--map", self.map, exit_code=2)


if __name__ == "__main__":
    unittest.main()
