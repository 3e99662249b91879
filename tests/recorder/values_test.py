"""What modules return, and what a golden makes of it: ports, dtypes, layouts, and values as they were when they came."""
import collections
import dataclasses
import unittest

import torch
from torch import nn

import parity_recorder
from workshop import Workshop

Pair = collections.namedtuple("Pair", "left right")


@dataclasses.dataclass
class Fields:
    hidden: torch.Tensor
    extra: object = None


class Returns(nn.Module):
    """Returns what it is told to."""

    def __init__(self, make):
        super().__init__()
        self.make = make

    def forward(self, x):
        return self.make(x)


class Chain(nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, x):
        for layer in self.layers:
            layer(x)
        return x + 1


class Values(Workshop):
    def ports(self, make, **options):
        model = Chain(Returns(make))
        with parity_recorder.record(model, self.golden, case="a", **options):
            model(torch.arange(6.0).reshape(2, 3))
        self.assert_whole()
        return [name for name in self.names() if name != "<output>"]

    def skipped(self):
        names = self.texts("cases/000000/skipped/name")
        return dict(zip(names, self.texts("cases/000000/skipped/reason")))

    def test_nested_outputs_become_ports(self):
        self.assertEqual(self.ports(lambda x: x), ["layers.0"])
        self.assertEqual(self.ports(lambda x: (x, x)), ["layers.0:0", "layers.0:1"])
        self.assertEqual(self.ports(lambda x: (x, (x, [x, x]))),
                         ["layers.0:0", "layers.0:1.0", "layers.0:1.1.0", "layers.0:1.1.1"])
        self.assertEqual(self.ports(lambda x: {"b": x, "a": {"": x, 3: x, (1,): x}}),
                         ["layers.0:b", "layers.0:a.''", "layers.0:a.3", "layers.0:a.2"])
        self.assertEqual(self.ports(lambda x: Pair(x, x)), ["layers.0:left", "layers.0:right"])
        self.assertEqual(self.ports(lambda x: Fields(x, [x])), ["layers.0:hidden", "layers.0:extra.0"])

    def test_no_two_values_have_one_name(self):
        class Secretive:
            def keys(self):
                raise ValueError

            def __getitem__(self, key):
                raise ValueError

        self.assertEqual(self.ports(lambda x: {1: x, "1": x}), ["layers.0:1", "layers.0:1~1"])
        self.assertEqual(self.ports(lambda x: {"a.b": x, "a": {"b": x}}), ["layers.0:a.b", "layers.0:a.b~1"])
        self.assertEqual(self.ports(lambda x: {"a\0": x, "a": x, "\ud800": x}),
                         ["layers.0:a\\x00", "layers.0:a", "layers.0:\\ud800"])
        self.assertEqual(self.ports(lambda x: (x, Secretive())), ["layers.0"])

    def test_a_lone_tensor_has_no_port_wherever_it_is(self):
        self.assertEqual(self.ports(lambda x: (None, {"a": [x]})), ["layers.0"])
        self.assertEqual(self.ports(lambda x: (x, 3)), ["layers.0"])
        self.assertEqual(self.skipped(), {"layers.0:1": "the value is of type int, not a tensor"})

    def test_values_that_are_no_tensors_are_listed(self):
        makes = {"None": lambda x: None, "list": lambda x: [], "str": lambda x: "text", "cache": lambda x: object(),
                 "numbers": lambda x: [1, 2, 3]}
        for name, make in makes.items():
            with self.subTest(name):
                self.assertEqual(self.ports(make), [])
                self.assertEqual(list(self.skipped()), ["layers.0"])

    def test_a_value_that_holds_itself_ends(self):
        def make(x):
            loop = [x]
            loop.append(loop)
            return loop
        self.assertEqual(self.ports(make), ["layers.0"])

    def test_every_dtype_arrives_bit_for_bit(self):
        bits = torch.randint(0, 256, (4, 6, 16), dtype=torch.uint8, generator=torch.Generator().manual_seed(1))
        names = ["float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2",
                 "float8_e5m2fnuz", "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8", "complex64",
                 "complex128"]
        model = Chain(*[Returns(lambda x, name=name: bits.view(getattr(torch, name))) for name in names],
                      Returns(lambda x: bits > 100))
        with parity_recorder.record(model, self.golden, case="a"):
            model(torch.arange(2.0))
        self.assert_whole()
        self.assertEqual(self.column("dtype")[:-1], names + ["bool"])
        for place, name in enumerate(names):
            digest = parity_recorder.recording.values.host_bytes(bits.view(getattr(torch, name)))
            self.assertEqual(digest.tobytes(), bits.numpy().tobytes(), name)
        self.assertEqual(self.tap("layers.3").dtype.name, "float32")  # as h5py shows a bfloat16

    def test_shapes_empty_and_scalar(self):
        self.ports(lambda x: (x.sum(), x[:0], x[:, :0], x.reshape(1, 2, 3, 1)))
        self.assertEqual([self.tap(f"layers.0:{i}").shape for i in range(4)], [(), (0, 3), (2, 0), (1, 2, 3, 1)])

    def test_strided_conjugated_and_negated_values_are_those_that_the_model_sees(self):
        self.ports(lambda x: (x.T, x[:, ::2], x.expand(2, 2, 3), torch.complex(x, x).conj(),
                              torch.complex(x, x).conj().imag))
        self.assertEqual(self.tap("layers.0:0").tolist(), [[0, 3], [1, 4], [2, 5]])
        self.assertEqual(self.tap("layers.0:1").tolist(), [[0, 2], [3, 5]])
        self.assertEqual(self.tap("layers.0:2").shape, (2, 2, 3))
        self.assertEqual(self.tap("layers.0:3")[1, 2], 5 - 5j)
        self.assertEqual(self.tap("layers.0:4").tolist(), [[0, -1, -2], [-3, -4, -5]])

    def test_tensors_without_plain_values_are_listed(self):
        makes = {"sparse": lambda x: x.to_sparse(), "meta": lambda x: x.to("meta"),
                 "quantised": lambda x: torch.quantize_per_tensor(x, 0.1, 0, torch.qint8),
                 "nested": lambda x: torch.nested.nested_tensor([x, x[:1]]),
                 "no dtype": lambda x: torch.zeros(2, dtype=torch.uint8).view(torch.float8_e8m0fnu)}
        for word, make in makes.items():
            with self.subTest(word):
                self.assertEqual(self.ports(make), [])
                self.assertIn(word, self.skipped()["layers.0"])

    def test_tensors_of_a_transform_are_listed(self):
        model = nn.Sequential(nn.Linear(3, 3))
        with parity_recorder.record(model, self.golden, case="a"):
            torch.vmap(model)(torch.ones(4, 2, 3))
            model(torch.arange(6.0).reshape(2, 3))
        self.assertEqual(self.names(), ["0#1", "<output>#1"])
        self.assertIn("torch.func", self.skipped()["0"])

    def test_inference_mode_and_autocast(self):
        model = nn.Sequential(nn.Linear(3, 3))
        with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16), \
                parity_recorder.record(model, self.golden, case="a"):
            model(torch.arange(6.0).reshape(2, 3))
        self.assert_whole()
        self.assertEqual(self.column("dtype"), ["bfloat16", "bfloat16"])
        provenance = dict(zip(self.texts("provenance/key"), self.texts("provenance/value")))
        self.assertEqual((provenance["switch.autocast"], provenance["switch.gradients"]), ("bfloat16", "off"))

    def test_a_change_in_place_behind_the_layer_is_not_seen(self):
        class InPlace(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Identity()

            def forward(self, x):
                y = self.layer(x * 1)
                y.add_(100)
                return y

        model = InPlace()
        with parity_recorder.record(model, self.golden, case="a"):
            model(torch.zeros(1000, 100))
        self.assertEqual(self.tap("layer").max(), 0)
        self.assertEqual(self.tap("<output>").min(), 100)

    def test_store_modes(self):
        x = torch.arange(40.0).reshape(2, 5, 4)
        for store, mode in {"full": "full", "rows:3": "rows", "digest": "digest"}.items():
            with self.subTest(store):
                model = Chain(Returns(lambda x: x), Returns(lambda x: x.sum()), Returns(lambda x: x[:, :0]))
                with parity_recorder.record(model, self.golden, case="a", store=store):
                    model(x)
                self.assertEqual(self.column("mode"), [mode] * 3 + ["full"])
                self.parity("inspect", self.golden)
                if store == "rows:3":
                    self.assertEqual(self.tap("layers.0").tolist(), x.reshape(10, 4)[[0, 4, 9]].tolist())
                    self.assertEqual(self.tap("layers.1").shape, (1, 1))
        for store in ("rows", "rows:0", "rows:x", "none", None):
            with self.assertRaisesRegex(parity_recorder.RecorderError, "none of full, digest and rows:N"):
                parity_recorder.record(model, self.golden, case="a", store=store)

    def test_compressed_values_are_the_same(self):
        x = torch.arange(40000.0).reshape(40, 1000)
        model = Chain(Returns(lambda x: x))
        plain = self.folder / "plain.h5"
        for path, level in ((self.golden, 6), (plain, None)):
            with parity_recorder.record(model, path, case="a", compress=level):
                model(x)
        self.assertLess(self.golden.stat().st_size, plain.stat().st_size)
        self.assertEqual(set(self.verdicts(self.report(plain, self.golden)).values()), {"identical"})

    def test_equal_recordings_are_equal_files(self):
        other = self.folder / "other.h5"
        model = Chain(Returns(lambda x: (x, x * 2)))
        for path in (self.golden, other):
            with parity_recorder.record(model, path, case="a"):
                model(torch.ones(3, 4))
        self.assertEqual(self.golden.read_bytes(), other.read_bytes())


if __name__ == "__main__":
    unittest.main()
