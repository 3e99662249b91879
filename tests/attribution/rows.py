"""The register of seeded faults and of fault-free controls: what each is called and must come to."""

import dataclasses
from typing import Callable, Optional

FLOAT32, BFLOAT16 = ("float32",), ("bfloat16",)
BOTH = FLOAT32 + BFLOAT16


@dataclasses.dataclass(frozen=True)
class Row:
    model: str
    words: str  # what differs, and where
    dtype: str
    finding: str  # culprit, no_single_culprit or none
    blamed: Optional[str]  # tap, for a culprit
    change: Callable  # of the candidate, in place
    taps: str  # modules or ops
    flags: tuple  # of the candidate's run
    reference: Optional[Callable] = None  # change of the reference's model, in place

    @property
    def name(self):
        return f"{self.model}, {self.dtype}: {self.words}"


FAULTS = []
CONTROLS = []


def in_turn(registered, model):
    """The other dtype than the last row of that model has."""
    dtypes = [row.dtype for row in registered if row.model == model]
    return BFLOAT16 if dtypes[-1:] == ["float32"] else FLOAT32


def fault(model, blamed, words, dtypes=(), taps="modules", flags=("--sdpa", "math")):
    """Registers the decorated change as one fault, in each of `dtypes`; by default in turn."""

    def register(change):
        for dtype in dtypes or in_turn(FAULTS, model):
            FAULTS.append(Row(model, words, dtype, "culprit", blamed, change, taps, flags))
        return change

    return register


def spread(model, words, dtypes, flags=("--sdpa", "math")):
    """Registers a change of many layers, of which none is the culprit."""

    def register(change):
        for dtype in dtypes:
            FAULTS.append(
                Row(model, words, dtype, "no_single_culprit", None, change, "modules", flags)
            )
        return change

    return register


def control(model, words, dtypes=(), flags=(), reference=None, taps="modules"):
    """Registers a change of how, not of what, is computed."""

    def register(change):
        for dtype in dtypes or in_turn(CONTROLS, model):
            CONTROLS.append(Row(model, words, dtype, "none", None, change, taps, flags, reference))
        return change

    return register
