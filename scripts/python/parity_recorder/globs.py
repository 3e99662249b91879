"""Globs over layer paths and tap names, as parity's own flags have them: `*` is any run of characters without '.' and '/',
`**` any run, `?` one character, `[a-z]` a set. Remembers which of them never matched.
"""
import re

_PIECE = re.compile(r"\*\*|\*|\?|\[!?[^\]]+\]|.", re.DOTALL)


def _expression(glob):
    parts = []
    for piece in _PIECE.findall(glob):
        if piece == "**":
            parts.append(".*")
        elif piece == "*":
            parts.append("[^./]*")
        elif piece == "?":
            parts.append("[^./]")
        elif len(piece) > 1:
            body = piece[1:-1]
            sign = "^" if body.startswith("!") else ""
            body = re.sub(r"([\\\[\]^&~|])", r"\\\1", body[1:] if sign else body)
            parts.append(f"(?![./])[{sign}{body}]")
        else:
            parts.append(re.escape(piece))
    return re.compile("".join(parts), re.DOTALL)


def fault(glob):
    """Why no name is meant by it, in the words of parity's own flags; empty when it is fine."""
    for piece in _PIECE.findall(glob):
        if piece == "[":
            return "has a '[' that no ']' closes"
        body = piece[1:-1] if len(piece) > 2 else ""
        for first, last in re.findall("(.)-(.)", body.removeprefix("!"), re.DOTALL):
            if first > last:
                return f"has the range {first}-{last}, which runs backwards and holds nothing"
    return ""


class TapFilter:
    """Keeps a tap when some `layers` glob (all, when there is none) and no `skip` glob matches its path or its name."""

    def __init__(self, layers, skip):
        self._layers = [(glob, _expression(glob)) for glob in layers]
        self._skip = [(glob, _expression(glob)) for glob in skip]
        self._matched = set()

    def keeps(self, tap):
        names = (tap.path, str(tap))
        wanted = self._any(self._layers, names) or not self._layers
        skipped = self._any(self._skip, names)
        return tap.kind == "output" or (wanted and not skipped)

    def _any(self, patterns, names):
        hits = [glob for glob, expression in patterns if any(expression.fullmatch(name) for name in names)]
        self._matched.update(hits)
        return bool(hits)

    def unmatched(self):
        return [glob for glob, _ in self._layers + self._skip if glob not in self._matched]
