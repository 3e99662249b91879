"""The history of the 30 nights, made once and shared by the tests.

Usage: nights_history.py PARITY NIGHTS.tar.xz HISTORY.sqlite
"""

import pathlib
import subprocess
import sys
import tarfile
import tempfile


def unpack(archive, folder):
    """The rows of the list of nights: time, series, file of the report or "-", exit code."""
    with tarfile.open(archive) as opened:
        opened.extractall(folder)
    text = pathlib.Path(folder, "nights/nights.tsv").read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines()]


def add(parity, database, nights, folder):
    for time, series, file, code in nights:
        what = [pathlib.Path(folder, "nights", file), "--link", f"reports/{file}"] if file != "-" else [
            "--no-report", "--exit-code", code, "--reason", "the device is not there"]
        subprocess.run([parity, "history", "add", *what, "--db", database, "--series", series, "--at", time, "-q"], check=True)


if __name__ == "__main__":
    program, nights_archive, out = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    out.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(prefix="parity-nights-") as work:
        add(program, out, unpack(nights_archive, work), work)
