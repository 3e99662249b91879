"""Pairs of tensors as a golden and a faulty candidate would have them, one seeded difference each.

Knows nothing of verdicts: the tests say what each pair must come to.
"""

import math

import torch
from torch import nn

INF, NAN = math.inf, math.nan


class Emits(nn.Module):
    """A layer with chosen output."""

    def __init__(self, values):
        super().__init__()
        self.register_buffer("values", values)

    def forward(self, x):
        return self.values.clone()


def rounding(tensor):
    return torch.finfo(tensor.dtype).eps if tensor.dtype.is_floating_point or tensor.dtype.is_complex else 0


class Gallery(nn.Module):
    def __init__(self, tensors):
        super().__init__()
        # A tap is judged by the coarsest dtype before it, so every row comes before all that are coarser.
        ordered = sorted(tensors, key=lambda name: rounding(ROWS[name][0] if name in ROWS else tensors[name]))
        self.rows = nn.ModuleDict({name: Emits(tensors[name]) for name in ordered})
        self.head = nn.Linear(4, 4)
        with torch.no_grad():
            self.head.weight.copy_(torch.eye(4))
            self.head.bias.zero_()

    def forward(self, x):
        for row in self.rows.values():
            row(x)
        return self.head(x)


ROWS = {}  # name: (reference, candidate)


def row(make):
    """Registers the tensors of a test under its name."""
    ROWS[make.__name__] = make()
    return make


def noise(*shape, seed=0, dtype=torch.float32):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def changed(tensor, places):
    result = tensor.clone()
    for index, value in places.items():
        result[index] = value
    return result


def from_bits(bits, dtype):
    integer = {torch.float32: torch.int32, torch.float16: torch.int16, torch.bfloat16: torch.int16}
    return torch.tensor(bits, dtype=integer[dtype]).view(dtype)


@row
def equal():
    return noise(4, 64), noise(4, 64)


@row
def equal_zeros():
    return torch.zeros(4, 64), torch.zeros(4, 64)


@row
def equal_infinities():
    values = changed(noise(4, 64), {(0, 1): INF, (1, 1): -INF})
    return values, values.clone()


@row
def one_nan():
    return noise(4, 64), changed(noise(4, 64), {(2, 5): NAN})


@row
def nan_everywhere():
    return noise(4, 64), torch.full((4, 64), NAN)


@row
def nan_elsewhere():
    values = noise(4, 64)
    return changed(values, {(0, 1): NAN, (0, 2): NAN}), changed(values, {(0, 1): NAN, (0, 3): NAN})


@row
def nan_of_another_payload():
    values = noise(4, 64)
    reference = changed(values, {(0, 0): from_bits([0x7FFFFFFF], torch.float32)[0]})
    candidate = changed(values, {(0, 0): from_bits([0x7FC00000], torch.float32)[0]})
    return reference, candidate


@row
def infinity_lost():
    return changed(noise(4, 64), {(3, 3): INF}), changed(noise(4, 64), {(3, 3): 3e38})


@row
def infinity_of_opposite_sign():
    return changed(noise(4, 64), {(3, 3): INF}), changed(noise(4, 64), {(3, 3): -INF})


@row
def nan_beside_a_small_error():
    """The NaN must neither hide in the statistics nor poison them."""
    candidate = noise(4, 64)
    candidate[0, 0] *= 1 + 2**-20
    return noise(4, 64), changed(candidate, {(2, 5): NAN})


@row
def narrower():
    return noise(3, 64), noise(3, 64)[:, :33].contiguous()


@row
def transposed():
    return noise(3, 4), noise(3, 4).reshape(4, 3)


@row
def broadcastable():
    return noise(1, 1).expand(3, 4).contiguous(), noise(1, 1)


@row
def wider_dtype():
    return noise(4, 64), noise(4, 64, dtype=torch.float64)


@row
def other_16_bit_dtype():
    values = torch.arange(64, dtype=torch.float32).reshape(4, 16)
    return values.to(torch.float16), values.to(torch.bfloat16)


@row
def rounding_dust_on_zeros():
    """Relative error of a zero reference is no number: it must be neither huge nor hidden."""
    reference = noise(4, 64).relu()
    return reference, torch.where(reference == 0, torch.tensor(1e-12), reference)


@row
def real_error_on_a_zero():
    reference = noise(4, 64).relu()
    index = tuple(torch.nonzero(reference == 0)[0].tolist())
    return reference, changed(reference, {index: 0.5})


@row
def rounding_dust_on_a_tiny_value():
    return changed(noise(4, 64), {(0, 0): 1e-12}), changed(noise(4, 64), {(0, 0): 1e-6})


@row
def zero_beside_a_doubled_value():
    return torch.tensor([0.0, 1.0]), torch.tensor([0.0, 2.0])


@row
def zeros_of_the_other_sign():
    return changed(noise(4, 64), {(0, 0): 0.0}), changed(noise(4, 64), {(0, 0): -0.0})


@row
def doubled():
    return noise(4, 64), 2 * noise(4, 64)


@row
def negated():
    return noise(4, 64), -noise(4, 64)


@row
def one_float16_step():
    values = noise(4, 64).abs().add(1).to(torch.float16)
    return values, (values.view(torch.int16) + 1).view(torch.float16)


@row
def one_bfloat16_step():
    values = noise(4, 64).abs().add(1).to(torch.bfloat16)
    return values, (values.view(torch.int16) + 1).view(torch.bfloat16)


@row
def one_float64_step():
    values = noise(4, 64, dtype=torch.float64).abs().add(1)
    return values, (values.view(torch.int64) + 1).view(torch.float64)


@row
def least_numbers_of_opposite_sign():
    values = noise(4, 64)
    least = from_bits([1], torch.float32)[0]
    return changed(values, {(0, 0): -least}), changed(values, {(0, 0): least})


@row
def greatest_numbers_of_opposite_sign():
    values = noise(4, 64, dtype=torch.float64)
    greatest = torch.finfo(torch.float64).max
    return changed(values, {(0, 0): -greatest}), changed(values, {(0, 0): greatest})


@row
def subnormals_flushed():
    values = noise(4, 64)
    values[1] = torch.linspace(1e-40, 9e-39, 64)
    return values, changed(values, {1: 0.0})


@row
def one_bool():
    values = noise(4, 64) > 0
    return values, changed(values, {(1, 1): ~values[1, 1]})


@row
def one_integer():
    values = torch.arange(256).reshape(4, 64)
    return values, changed(values, {(3, 63): 254})


@row
def integers_that_float64_cannot_tell_apart():
    values = torch.arange(256).reshape(4, 64)
    return changed(values, {(0, 0): 2**53}), changed(values, {(0, 0): 2**53 + 1})


@row
def conjugated():
    values = torch.complex(noise(4, 64), noise(4, 64, seed=1))
    return values, values.conj().resolve_conj()


@row
def empty():
    return torch.zeros(0, 5), torch.zeros(0, 5)


@row
def empty_of_another_shape():
    return torch.zeros(0, 5), torch.zeros(5, 0)


@row
def scalar():
    return torch.tensor(1.5), torch.tensor(1.75)


@row
def three_wrong_of_many():
    """GEMM tuning gone wrong in three elements of 100,000: a mean hides it."""
    reference = noise(100, 1000) * 100
    places = {(17, 3): 205.8, (17, 4): -190.0, (91, 999): 201.5}
    wrong = {(17, 3): 183.1, (17, 4): -160.0, (91, 999): 230.0}
    return changed(reference, places), changed(reference, wrong)


@row
def three_wrong_of_many_bfloat16():
    return tuple(side.to(torch.bfloat16) for side in three_wrong_of_many())


@row
def an_outlier_beside_wrong_values():
    reference = changed(noise(32, 32), {(0, 0): 1e4})
    candidate = reference.clone()
    candidate[16:] = 0.5 * candidate[16:]
    return reference, candidate


@row
def wrong_tail():
    reference = noise(2, 64, 8)
    candidate = reference.clone()
    candidate[:, 48:] += 0.25
    return reference, candidate


@row
def wrong_channel():
    reference = noise(2, 128, 6, 6)
    candidate = reference.clone()
    candidate[:, 64] *= 1.5
    return reference, candidate


@row
def permuted():
    reference = noise(4, 64)
    return reference, reference[:, torch.randperm(64, generator=torch.Generator().manual_seed(1))]


@row
def shifted_by_one_position():
    reference = noise(1, 32, 8)
    return reference, torch.cat([torch.zeros(1, 1, 8), reference[:, :-1]], 1)


@row
def offset_per_row():
    return noise(16, 32), noise(16, 32) + 0.25 * torch.arange(1, 17)[:, None]


@row
def clamped():
    return 4 * noise(16, 64), (4 * noise(16, 64)).clamp(-6, 6)


@row
def partly_zeroed():
    return noise(16, 64), torch.cat([noise(16, 64)[:12], torch.zeros(4, 64)])


FP8_CODES = torch.arange(256, dtype=torch.uint8)


@row
def float8_read_in_the_other_vendors_format():
    """The same bits as e4m3fn and as e4m3fnuz: half the value, and NaN where -0 was."""
    codes = FP8_CODES[(FP8_CODES & 0x7F) != 0x7F]
    reference = codes.view(torch.float8_e4m3fn).to(torch.bfloat16)
    candidate = codes.view(torch.float8_e4m3fnuz).to(torch.bfloat16)
    return reference, candidate


@row
def float8_of_the_other_vendor():
    codes = FP8_CODES[(FP8_CODES & 0x7F) != 0x7F]
    return codes.view(torch.float8_e4m3fn), codes.view(torch.float8_e4m3fnuz)
