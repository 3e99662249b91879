"""Validates real reports with docs/report.schema.json, shows that the schema refuses junk, and that
docs/report.md explains every key the schema knows.

Usage: schema_test.py PARITY_REPORT_SAMPLES DOCS_FOLDER
"""

import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import jsonschema

SAMPLES_PROGRAM = sys.argv[1]
DOCS = pathlib.Path(sys.argv[2])


# Objects whose keys are data.
FREE = {"provenance", "topk_overlap", "verdicts"}


def load_samples():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([SAMPLES_PROGRAM, folder], check=True)
        return {path.stem: json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse_constant)
                for path in pathlib.Path(folder).glob("*.json")}


def refuse_constant(text):
    raise ValueError(f"{text} is no JSON")


def objects(value, path=()):
    """Every object inside a document, with its path."""
    if isinstance(value, dict):
        yield path, value
        for key, child in value.items():
            yield from objects(child, path + (key,))
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from objects(child, path + (index,))


def one_of_each(document):
    """Objects with their paths, one for each place in the schema; taps without facts count as a place of their own."""
    seen = {}
    for path, value in objects(document):
        place = tuple(step for step in path if isinstance(step, str))
        if not (path and path[-1] in FREE):
            seen.setdefault((place, value.get("ulp", "") is None), path)
    return list(seen.values())


def at(document, path):
    for step in path:
        document = document[step]
    return document


# Where docs/report.md explains an object of the schema; objects inside are explained with it.
SECTIONS = {"case": "A case", "tap": "A tap", "classes": "classes", "logits": "Logits", "logits_truth": "Logits"}


def sections_of(text):
    parts = re.split(r"(?m)^#+ (.+)$", text)
    return dict(zip(parts[1::2], parts[2::2]))


def keys_by_section(schema):
    """(section, key) for every key that a report can hold, and for every outcome of a tap."""
    def walk(node, section):
        if "$ref" in node:
            name = node["$ref"].rsplit("/", 1)[1]
            yield from walk(schema["$defs"][name], SECTIONS.get(name, section))
        for key, child in node.get("properties", {}).items():
            yield section, key
            yield from ((section, value) for value in child.get("enum", []) if key == "outcome")
            yield from walk(child, section)
        for child in [*node.get("oneOf", []), node.get("items"), node.get("additionalProperties")]:
            if isinstance(child, dict):
                yield from walk(child, section)

    return sorted(set(walk(schema, "Top level")))


class SchemaTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.schema = json.loads((DOCS / "report.schema.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(cls.schema)
        cls.validator = jsonschema.Draft202012Validator(cls.schema)
        cls.samples = load_samples()
        # A small document for breaking, with all that the schema knows: each check validates it as a whole.
        cls.small = copy.deepcopy(cls.samples["failing"])
        cls.small["cases"] = cls.small["cases"][:1]
        cls.small["cases"][0]["decode"] = cls.samples["decoded"]["cases"][0]["decode"]
        taps = cls.small["cases"][0]["taps"]
        cls.small["cases"][0]["taps"] = [next(tap for tap in taps if tap["hints"]),
                                         next(tap for tap in taps if tap["shapes"]),
                                         next(tap for tap in cls.samples["stored"]["cases"][0]["taps"] if tap["rows"])]
        cls.small["cases"][0]["left_out"] = cls.samples["stored"]["cases"][0]["left_out"]
        cls.small["cases"][0]["decode"]["truth"] = cls.samples["judged"]["cases"][0]["logits"]["truth"]

    def errors(self, document):
        return [f"{list(error.absolute_path)}: {error.message[:200]}" for error in self.validator.iter_errors(document)]

    def test_accepts_real_reports(self):
        made = {"failing", "identical", "complex", "attributed", "judged", "noisy", "decoded", "stored", "hostile", "empty"}
        self.assertEqual(set(self.samples), made)
        for name, document in self.samples.items():
            self.assertEqual(self.errors(document), [], name)

    def test_refuses_an_unknown_key_in_every_object(self):
        document = self.small
        paths = one_of_each(document)
        self.assertGreater(len(paths), 25)
        for path in paths:
            at(document, path)["junk"] = 1
            self.assertFalse(self.validator.is_valid(document), f"junk accepted at {path}")
            del at(document, path)["junk"]
        self.assertTrue(self.validator.is_valid(document))

    def test_refuses_a_missing_key_in_every_object(self):
        document = self.small
        for path in one_of_each(document):
            holder = at(document, path)
            for key in list(holder):
                value = holder.pop(key)
                self.assertFalse(self.validator.is_valid(document), f"{key} may be missing at {path}")
                holder[key] = value
        self.assertTrue(self.validator.is_valid(document))

    def test_refuses_other_values(self):
        rows = [
            (("schema",), "parity-report/2"), (("verdict",), "passed"), (("exit_code",), 2), (("exit_code",), "1"),
            (("cases", 0, "taps", 0, "verdict"), "fine"), (("cases", 0, "taps", 0, "outcome"), "skipped"),
            (("cases", 0, "taps", 0, "kind"), "layer"), (("cases", 0, "taps", 0, "nrmse"), "NaN"),
            (("cases", 0, "taps", 0, "nrmse"), "0.1"), (("cases", 0, "taps", 0, "elements"), -1),
            (("cases", 0, "taps", 0, "elements"), 1.5), (("cases", 0, "taps", 0, "dtype"), "torch.float32"),
            (("cases", 0, "taps", 0, "worst", 0, "reference_bits"), 16260),
            (("totals", "verdicts", "fine"), 1), (("cases",), {}),
        ]
        for path, value in rows:
            broken = copy.deepcopy(self.small)
            at(broken, path[:-1])[path[-1]] = value
            self.assertFalse(self.validator.is_valid(broken), f"{value!r} accepted at {path}")

    def test_is_explained_key_by_key(self):
        sections = sections_of((DOCS / "report.md").read_text(encoding="utf-8"))
        missing = [f"{section}: {key}" for section, key in keys_by_section(self.schema)
                   if f"`{key}`" not in sections[section]]
        self.assertEqual(missing, [], "keys without a word in their section of docs/report.md")

    def test_misses_a_key_that_only_another_section_explains(self):
        places = set(keys_by_section(self.schema))
        self.assertGreater(len(places), 90)
        for place in (("Top level", "forward_s"), ("Top level", "origin"), ("A case", "more_logits"), ("A case", "margin"), ("A tap", "p999"),
                      ("A tap", "reference_bits"), ("classes", "zero_sign"), ("Logits", "positions"), ("Logits", "p99")):
            self.assertIn(place, places)
        self.assertNotIn(("Top level", "p999"), places)



if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
