#!/usr/bin/env python3
"""Runs the commands whose output README.md and docs/ show, and compares; `--update` writes the new output instead.

A block is marked by a comment on the line before its fence:

    <!-- output-of: parity inspect golden/fixture-float32.h5 -->
    ```text
    ...
    ```

The command runs in bash at the project's root; stdout is what the block shows. `build/release/bin/parity`, as readers have
it, and plain `parity` stand for the program under test, wherever that was built. The marker may carry expectations: `output-of(exit 1)` when the command ends with 1, `output-of(numbers vary)` when the
figures depend on the machine (then every number standing alone, bits behind it, bars, the words identical/within and where lines are
broken are only compared by kind, and facts about the machine not at all), or both with a comma. Times, rates, dates and
the machine's name never count. Links to files of the project
must lead somewhere.
"""
import argparse
import difflib
import os
import pathlib
import platform
import re
import subprocess
import sys

MARKER = re.compile(r"^<!-- output-of(?:\((?P<expectations>[^)]*)\))?: (?P<command>.+?) -->$")
LINK = re.compile(r"\]\((?![a-z]+:|#)([^)#\s]+)")
FENCE = re.compile(r"^(`{3,})")

READERS_PROGRAM = "build/release/bin/parity"

# What differs from run to run and says nothing.
VOLATILE = [
    (re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?"), "<date>"),
    (re.compile(r"\b\d+(\.\d+)?(e[+-]?\d+)? ?([KMGT]i?B|elements|taps)/s\b"), "<rate>"),
    (re.compile(r"\b\d+(\.\d+)?(e[+-]?\d+)? ?(ns|us|µs|ms|s|min)\b"), "<time>"),
]
# What differs from processor to processor, where the marker says so.
NUMBER = re.compile(r"(?<![\w.#/@+-])[<~]?[+-]?(\d+(,\d{3})*(\.\d+)?([eE][+-]?\d+)?|inf|nan)%?(?![\w#/]|\.\d)")
BARS = re.compile(r"[\u2580-\u259f\u2800-\u28ff]+|(?<=\s)[.:|#=]{2,}(?=\s|$)")
BITS = re.compile(r"\(0x[0-9a-f]+\)")
VERDICTS = re.compile(r"\b(identical|within)\b")
PASSES = re.compile(r"<n> <pass>(, <n> <pass>)+")
MACHINE_FACT = re.compile(r"^[! ] ((device|host|library|probe)\.\S+|switch\.threads|variable\.set) +.* -> ")
THIS_HOST = re.compile(r"^(candidate +)\S.*(, replayed on this host)")


class Block:
    """A fenced block with the command whose output it shows."""

    def __init__(self, path, line, command, expectations, first, last):
        self.path, self.line, self.command = path, line, command
        self.first, self.last = first, last  # lines of the content, half open
        self.exit_code, self.numbers_vary = 0, False
        for word in filter(None, (part.strip() for part in (expectations or "").split(","))):
            if match := re.fullmatch(r"exit (\d+)", word):
                self.exit_code = int(match.group(1))
            elif word == "numbers vary":
                self.numbers_vary = True
            else:
                raise ValueError(f"{path}:{line}: unknown expectation '{word}'")


def find_blocks(path, lines):
    """The marked blocks of one document. Throws ValueError for a marker without a fence, or a fence that never ends."""
    blocks = []
    for number, line in enumerate(lines):
        marker = MARKER.match(line)
        if not marker:
            if "output-of" in line and line.startswith("<!--"):
                raise ValueError(f"{path}:{number + 1}: malformed marker; write <!-- output-of: command -->")
            continue
        fence = FENCE.match(lines[number + 1]) if number + 1 < len(lines) else None
        if not fence:
            raise ValueError(f"{path}:{number + 1}: no fenced block follows this marker")
        first = number + 2
        last = next((i for i in range(first, len(lines)) if lines[i].rstrip() == fence.group(1)), None)
        if last is None:
            raise ValueError(f"{path}:{number + 2}: this fenced block never ends")
        blocks.append(Block(path, number + 1, marker.group("command"), marker.group("expectations"), first, last))
    return blocks


def normalised(lines, numbers_vary):
    """The lines with everything taken out that may differ."""
    result = []
    for line in lines:
        line = line.rstrip().replace(platform.node() or "\0", "<host>")
        for look, word in VOLATILE:
            line = look.sub(word, line)
        if numbers_vary:
            if MACHINE_FACT.match(line):
                continue
            line = THIS_HOST.sub(r"\1<machine>\2", line)
            line = VERDICTS.sub("<pass>", NUMBER.sub("<n>", BITS.sub("(<n>)", BARS.sub("", line))))
            line = PASSES.sub("<n> <pass>", line)
            line = re.sub(r"\s+", " ", line).strip()
            line = re.sub(r"[-\u2500\u2501=]{3,}", "---", line)
        result.append(line)
    return result


def same(wanted, found, numbers_vary):
    """Whether two normalised texts agree; where figures vary, so does where a long line is broken."""
    return wanted == found or (numbers_vary and " ".join(wanted).split() == " ".join(found).split())


def dead_links(path, root, lines):
    """Messages about links to files that are not there."""
    name = path.relative_to(root).as_posix()
    return [f"{name}:{number}: {target} is not there" for number, line in enumerate(lines, 1)
            for target in LINK.findall(line) if not (path.parent / target).exists()]


def run(block, root, binaries):
    """The lines that the block's command prints. Throws ValueError when it ends with an unexpected exit code."""
    environment = dict(os.environ, NO_COLOR="1", COLUMNS="100", LC_ALL="C.UTF-8",
                       PATH=f"{binaries}{os.pathsep}{os.environ['PATH']}")
    environment.pop("GITHUB_ACTIONS", None)  # annotations are for jobs, not for documents
    command = block.command.replace(READERS_PROGRAM, str(binaries / "parity"))
    done = subprocess.run(["bash", "-c", command], cwd=root, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    if done.returncode != block.exit_code:
        raise ValueError(f"{block.path}:{block.line}: `{block.command}` ended with {done.returncode}, not "
                         f"{block.exit_code}\n{done.stdout}{done.stderr}")
    return done.stdout.replace(str(binaries / "parity"), READERS_PROGRAM).rstrip("\n").split("\n")


def check_document(path, root, binaries, update):
    """Messages about one document, and how many blocks it has. With `update` the document is rewritten."""
    name = path.relative_to(root).as_posix()
    lines = path.read_text(encoding="utf-8").split("\n")
    try:
        blocks = find_blocks(name, lines)
    except ValueError as error:
        return [str(error)], 0
    messages = dead_links(path, root, lines)[::-1]
    for block in reversed(blocks):
        shown = lines[block.first:block.last]
        try:
            printed = run(block, root, binaries)
        except ValueError as error:
            messages.append(str(error))
            continue
        wanted, found = (normalised(text, block.numbers_vary) for text in (shown, printed))
        if same(wanted, found, block.numbers_vary):
            continue
        if update:
            lines[block.first:block.last] = printed
        else:
            difference = difflib.unified_diff(wanted, found, "in the document", "printed now", lineterm="", n=1)
            messages.append("\n".join([f"{name}:{block.line}: the output of `{block.command}` is another now", *difference]))
    if update:
        path.write_text("\n".join(lines), encoding="utf-8")
    return messages[::-1], len(blocks)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of the built parity")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--update", action="store_true", help="write the present output into the documents")
    options = parser.parse_args()
    root = options.root.resolve()
    documents = [path for path in (root / "README.md", *sorted((root / "docs").rglob("*.md")), root / "golden/README.md",
                                   root / "harness/README.md") if path.exists()]
    messages, count = [], 0
    for path in documents:
        found, blocks = check_document(path, root, options.bin.resolve(), options.update)
        messages += found
        count += blocks
    if count == 0 and not messages:
        messages = ["no document shows the output of a command: mark at least one block with <!-- output-of: command -->"]
    print("\n\n".join(messages) or f"check_readme: {count} outputs in {len(documents)} documents are as shown")
    if messages and count and not options.update:
        print("\nIf the change is meant: scripts/check_readme.py --bin <build>/bin --update")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
