"""Validates what `parity bless` writes with docs/bless.schema.json, which refuses everything else; docs/bless.md explains
every key.

PARITY_BINARY names the program.
"""

import copy
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import jsonschema

PROJECT = pathlib.Path(__file__).resolve().parents[3]
GOLDEN = PROJECT / "golden"
DECODER = PROJECT / "fixtures/decoder"


def refuse_constant(text):
    raise ValueError(f"{text} is no JSON")


def run(*arguments, exit_code=0):
    done = subprocess.run([os.environ["PARITY_BINARY"], *map(str, arguments)], capture_output=True, text=True,
                          encoding="utf-8", stdin=subprocess.DEVNULL, check=False)
    if done.returncode != exit_code:
        raise AssertionError(f"exit code {done.returncode}, not {exit_code}: {done.stderr}")
    return done.stdout


def blessing(old, new, *flags, exit_code):
    return json.loads(run("bless", old, new, "--json", "-", *flags, exit_code=exit_code), parse_constant=refuse_constant)


def objects(value, path=()):
    if isinstance(value, dict):
        yield path
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, child in steps:
        yield from objects(child, (*path, step))


def at(document, path):
    for step in path:
        document = document[step]
    return document


def keys_of(node):
    """Every key that the schema knows."""
    for key, child in node.get("properties", {}).items():
        yield key
        yield from keys_of(child)
    for child in node.get("$defs", {}).values():
        yield from keys_of(child)


class BlessSchemaTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.schema = json.loads((PROJECT / "docs/bless.schema.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(cls.schema)
        cls.validator = jsonschema.Draft202012Validator(cls.schema)
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        folder = pathlib.Path(holder.name)
        model = ["--model", DECODER / "model.pt", "--config", DECODER / "config.json", "--device", "cpu", "--threads", 1]
        prose, code = (DECODER / "inputs" / f"{name}.json" for name in ("prose", "code"))
        run("record", *model, "--inputs", f"prose={prose}", f"gone={prose}", "--truth", "float64", "--repeat", 1,
            "--out", folder / "old.h5")
        run("record", *model, "--inputs", f"prose={code}", f"more={prose}", "--skip", "model.layers.2.**",
            "--store", "rows:4", "--dtype", "bfloat16", "--out", folder / "parts.h5")
        run("record", *model, "--inputs", f"prose={prose}", "--dtype", "bfloat16", "--out", folder / "rounded.h5")
        script = (DECODER / "model.torchscript.pt").read_bytes()
        middle = len(script) // 2 // 4 * 4 + 3
        (folder / "changed.pt").write_bytes(script[:middle] + b"\x7b" + script[middle + 1:])
        for model, golden in ((DECODER / "model.torchscript.pt", "script.h5"), (folder / "changed.pt", "changed.h5")):
            run("record", "--model", model, "--inputs", f"prose={prose}", "--device", "cpu", "--out", folder / golden)
        cls.documents = {
            "same": blessing(folder / "old.h5", folder / "old.h5", exit_code=0),
            "arithmetic": blessing(GOLDEN / "fixture-float32.h5", GOLDEN / "fixture-tf32.h5", exit_code=1),
            "truth": blessing(folder / "old.h5", folder / "rounded.h5", exit_code=1),
            "parts": blessing(folder / "old.h5", folder / "parts.h5", exit_code=1),
            "back": blessing(folder / "parts.h5", folder / "old.h5", exit_code=1),
            "weights": blessing(folder / "script.h5", folder / "changed.h5", exit_code=1),
        }

    def errors(self, document):
        return [f"{list(error.absolute_path)}: {error.message[:200]}" for error in self.validator.iter_errors(document)]

    def test_accepts_what_the_program_writes(self):
        for name, document in self.documents.items():
            with self.subTest(name):
                self.assertEqual(self.errors(document), [])

    def test_every_list_of_it_was_seen_with_something_in_it(self):
        for key in ("reasons", "environment_diff", "weights", "cases", "taps", "values", "logits"):
            self.assertTrue(any(document[key] for document in self.documents.values()), key)
        self.assertTrue(any(change["with_truth"] for change in self.documents["truth"]["values"]))

    def test_refuses_an_unknown_and_a_missing_key_in_every_object(self):
        for name in ("arithmetic", "parts", "weights"):
            document = copy.deepcopy(self.documents[name])
            for key in ("environment_diff", "weights", "cases", "taps", "values", "logits"):
                document[key] = document[key][:1]
            self.assertEqual(self.errors(document), [])
            for path in objects(document):
                holder = at(document, path)
                holder["junk"] = 1
                self.assertFalse(self.validator.is_valid(document), f"junk accepted at {path}")
                del holder["junk"]
                for key in list(holder):
                    value = holder.pop(key)
                    self.assertFalse(self.validator.is_valid(document), f"{key} may be missing at {path}")
                    holder[key] = value

    def test_refuses_other_values(self):
        rows = [
            ("same", ("schema",), "parity-bless/2"), ("same", ("exit_code",), 1), ("arithmetic", ("exit_code",), 0),
            ("arithmetic", ("exit_code",), 2), ("arithmetic", ("compared",), -1), ("arithmetic", ("compared",), "3"),
            ("arithmetic", ("values", 0, "verdict"), "fine"), ("arithmetic", ("values", 0, "nrmse"), "0.1"),
            ("arithmetic", ("values", 0, "nrmse"), None), ("arithmetic", ("values", 0, "measured"), 0),
            ("arithmetic", ("values", 0, "dtype"), "half"), ("arithmetic", ("values", 0, "taps"), 0),
            ("arithmetic", ("logits", 0, "kind"), "layer"), ("parts", ("taps", 0, "what"), "moved"),
            ("parts", ("cases", 0, "what"), "renamed"), ("weights", ("weights", 0, "count"), 0),
            ("same", ("changes_entry",), "nothing"), ("same", ("policy",), ""),
        ]
        for name, path, value in rows:
            broken = copy.deepcopy(self.documents[name])
            at(broken, path[:-1])[path[-1]] = value
            self.assertFalse(self.validator.is_valid(broken), f"{value!r} accepted at {path}")

    def test_is_explained_key_by_key(self):
        text = (PROJECT / "docs/bless.md").read_text(encoding="utf-8")
        section = text[text.index("## JSON"):]
        known = set(keys_of(self.schema))
        self.assertGreater(len(known), 35)
        self.assertEqual([key for key in sorted(known) if f"`{key}`" not in section], [])


if __name__ == "__main__":
    unittest.main()
