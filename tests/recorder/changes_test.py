"""A model that changes while it is recorded: the file says which weights and layers made its values, or is not written."""
import unittest

import torch
from torch import nn

import parity_recorder
from parity_recorder import RecorderError
from workshop import Workshop

X = torch.arange(8.0).reshape(2, 4)


def net():
    return nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4)).eval()


class Cache(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("sum", torch.zeros(4))
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        self.sum += x.sum(0)
        return self.fc(x) + self.sum


class Changes(Workshop):
    def record(self, model, work, **options):
        with torch.no_grad(), parity_recorder.record(model, self.golden, case="a", **options):
            work(model)

    def refused(self, words, model, work, **options):
        with self.assertRaisesRegex(RecorderError, words):
            self.record(model, work, **options)
        self.assert_nothing_left()

    def test_changed_weights_are_refused_by_name(self):
        def there_and_back(model):
            before, other = {k: v.clone() for k, v in model.state_dict().items()}, net().state_dict()
            model(X)
            model.load_state_dict(other)
            model(X)
            model.load_state_dict(before)

        def replace(model):
            model(X)
            model[2].weight = nn.Parameter(torch.ones(4, 4))

        ways = {
            r"0\.weight changed": [lambda m: (m.load_state_dict(net().state_dict()), m(X)), there_and_back,
                                   lambda m: (m(X), m.load_state_dict(net().state_dict(), assign=True)),
                                   lambda m: torch.func.functional_call(m, {k: v + 1 for k, v in m.named_parameters()}, (X,))],
            r"2\.weight changed": [lambda m: (m[2].weight.add_(1), m(X)), lambda m: (m[2].weight.data.add_(1), m(X)), replace],
            r"2\.extra was added": [lambda m: (m[2].register_parameter("extra", nn.Parameter(torch.ones(1))), m(X))],
            r"2\.bias was removed": [lambda m: (m[2].register_parameter("bias", None), m(X))],
        }
        for words, works in ways.items():
            for place, work in enumerate(works):
                with self.subTest(words, place=place):
                    self.refused(f"the weight {words} during the recording, so .* was not written", net(), work)
        self.record(net(), ways[r"2\.weight changed"][0], weights="none")

    def test_equal_weights_loaded_again_are_no_change(self):
        self.record(net(), lambda m: (m(X), m.load_state_dict({k: v.clone() for k, v in m.state_dict().items()}, assign=True), m(X)))
        self.assert_whole()

    def test_buffers_that_the_model_changes_are_noted(self):
        for model, name in ((nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4)), "1.running_mean"), (Cache(), "sum")):
            digests = parity_recorder.weights.read(model)[0]
            self.record(model, lambda m: (m(X), m(X)))
            note = next(note for note in self.texts("notes") if "changed buffers" in note)
            self.assertIn(name, note)
            self.assertIn("before the recording", note)
            self.assertEqual(sorted(weight.digest for weight in digests), sorted(self.texts("model/weights/digest")))

    def test_buffers_that_somebody_else_changes_are_refused(self):
        self.refused("the weight sum changed", Cache(), lambda m: (m(X), m.sum.fill_(7), m(X)))
        norm = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4)).eval()
        self.refused("the weight 1.running_mean changed", norm, lambda m: (m(X), m[1].running_mean.data.add_(1), m(X)))
        self.record(Cache(), lambda m: (m(X), m.sum.zero_(), m(X)))  # as it was when the recording began

    def test_changed_layers_are_refused_even_without_digests(self):
        def there_and_back(model):
            own = model[1]
            model[1] = nn.Tanh()
            model(X)
            model[1] = own

        def swap(model):
            model[0], model[2] = model[2], model[0]
            model(X)

        for words, work in {"1 was replaced": there_and_back, "0 was replaced": swap, "3 was added": lambda m: m.append(nn.ReLU())(X),
                            "2 was removed": lambda m: (m(X), m.pop(2))}.items():
            with self.subTest(words):
                self.refused(f"the layer {words} during the recording, so .* was not written", net(), work, weights="none")

    def test_numbers_drawn_beside_the_model_are_not_its_own(self):
        self.record(net(), lambda m: m(torch.rand(2, 4)))
        self.assertEqual(self.texts("cases/000000/notes"), [])

    def test_weights_without_a_shape_are_refused(self):
        self.refused("the weight 0.weight has no shape before the first call", nn.Sequential(nn.LazyLinear(4)), lambda m: m(X))


if __name__ == "__main__":
    unittest.main()
