#!/usr/bin/env python3
"""Checks in compile_commands.json that every source of the project is compiled with IEEE arithmetic as written.

One file with -ffast-math makes `isnan` false and rounding errors untrue, and its linking switches subnormals off for
the whole process. The last flag of a kind wins, as it does in the compiler.
"""
import argparse
import json
import pathlib
import shlex
import sys

SOURCE_TREES = ("harness", "tests", "bench")
WANTED = {"-fno-fast-math": "fast-math", "-ffp-contract=off": "fp-contract"}
KINDS = {"-ffast-math": "fast-math", "-ffp-contract=on": "fp-contract", "-ffp-contract=fast": "fp-contract"}
KINDS.update(WANTED)
FORBIDDEN = {
    "-Ofast", "-ffast-math", "-funsafe-math-optimizations", "-fassociative-math", "-freciprocal-math", "-ffinite-math-only",
    "-fno-signed-zeros", "-fno-honor-nans", "-fno-honor-infinities", "-fcx-limited-range",
    "-mdaz-ftz", "-mfpmath=387", "-fsingle-precision-constant", "-ffp-model=fast", "-ffp-model=aggressive", "-fp-model=fast",
}


def faults(arguments):
    """What is wrong with one compiler command, as sentences."""
    found = [f"has {flag}" for flag in arguments if flag in FORBIDDEN]
    last = {KINDS[flag]: flag for flag in arguments if flag in KINDS}
    for flag, kind in WANTED.items():
        if last.get(kind) != flag:
            found.append(f"{last[kind]} comes after {flag}" if flag in arguments else f"lacks {flag}")
    return found


def check(commands, root):
    """Sentences about every faulty source of the project, and how many sources of it there are."""
    messages, count = [], 0
    for entry in commands:
        path = pathlib.Path(entry["directory"], entry["file"]).resolve()
        if not any(path.is_relative_to(root / tree) for tree in SOURCE_TREES):
            continue
        count += 1
        arguments = entry.get("arguments") or shlex.split(entry["command"])
        messages += [f"{path.relative_to(root)}: {fault}" for fault in faults(arguments)]
    return messages, count


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commands", type=pathlib.Path, help="compile_commands.json")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    options = parser.parse_args()
    messages, count = check(json.loads(options.commands.read_text(encoding="utf-8")), options.root.resolve())
    if count == 0:
        messages = [f"{options.commands}: no source of the project in it"]
    print("\n".join(messages) or f"check_compile_flags: {count} sources are compiled with IEEE arithmetic")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
