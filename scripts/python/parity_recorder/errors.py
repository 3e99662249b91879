"""The one exception of this package: one sentence that says what failed, where, and what to do next."""


class RecorderError(Exception):
    """A recording cannot be made, or is lost. No file is left behind, and one that was there before is as it was."""
