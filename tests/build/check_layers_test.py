"""Holds scripts/check_layers.py against small made-up trees: every forbidden thing is caught, every allowed one passes."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"
sys.dont_write_bytecode = True
sys.path.insert(0, str(SCRIPTS))
import check_layers  # noqa: E402

FOLDERS = "error tensor run model capture golden_store compare fault gate report host history pipeline cli".split()
MAY_INCLUDE = {
    "error": [],
    "tensor": ["error"],
    "run": ["error", "tensor"],
    "model": ["error", "tensor", "run"],
    "capture": ["error", "tensor", "run"],
    "golden_store": ["error", "tensor", "run"],
    "compare": ["error", "tensor"],
    "fault": ["error", "tensor", "compare"],
    "gate": ["error", "tensor", "run", "compare"],
    "report": ["error", "tensor", "run", "compare", "history"],
    "host": ["error", "tensor", "run"],
    "history": ["error", "tensor", "run"],
    "pipeline": [folder for folder in FOLDERS if folder not in ("pipeline", "cli")],
    "cli": ["error", "tensor", "run", "model", "gate", "report", "pipeline"],
}
LIBRARY_HOMES = {
    "torch/script.h": ["model"],
    "c10/core/Device.h": ["model"],
    "ATen/ATen.h": ["model"],
    "caffe2/serialize/file_adapter.h": ["model"],
    "H5Cpp.h": ["golden_store"],
    "H5Fpublic.h": ["golden_store"],
    "hdf5.h": ["golden_store"],
    "hwy/highway.h": ["compare"],
    "toml++/toml.h": ["gate"],
    "nlohmann/json.hpp": ["report", "model"],
    "sqlite3.h": ["history"],
    "CLI/CLI.hpp": ["cli"],
    "xxhash.h": ["tensor"],
    "zip.h": ["model"],
    "fmt/format.h": FOLDERS,
    "vector": FOLDERS,
    "sys/mman.h": FOLDERS,
}


def source(folder, *lines):
    space = "parity" if folder == "error" else f"parity::{folder}"
    body = "\n".join(lines)
    return f"// What it is for.\n{body}\nnamespace {space} {{}}\n"


def header(folder, *lines):
    return source(folder, "#pragma once", *lines)


class Tree:
    """A folder that looks like the project, with one public header in every folder of harness/."""

    def __init__(self):
        self.files = {f"harness/{folder}/{folder}.h": header(folder) for folder in FOLDERS}

    def write(self, root):
        for name, text in self.files.items():
            path = pathlib.Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def check(self):
        """The breaches that the script finds."""
        with tempfile.TemporaryDirectory() as root:
            self.write(root)
            return check_layers.Checker(pathlib.Path(root)).run()


class CheckLayers(unittest.TestCase):
    def passes(self, name, text, more=None):
        tree = Tree()
        tree.files.update(more or {})
        tree.files[name] = text
        self.assertEqual(tree.check(), [], f"in {name}:\n{text}")

    def caught(self, name, text, line, words, more=None):
        tree = Tree()
        tree.files.update(more or {})
        tree.files[name] = text
        breaches = tree.check()
        self.assertEqual(len(breaches), 1, f"{breaches}\nin {name}:\n{text}")
        self.assertTrue(breaches[0].startswith(f"{name}:{line}: "), breaches[0])
        self.assertIn(words, breaches[0])

    def test_the_script_exits_with_what_it_found(self):
        tree = Tree()
        for name, text, code, words in (("harness/gate/x.h", header("gate"), 0, "keep the rules"),
                                        ("harness/gate/x.h", source("gate"), 1, "harness/gate/x.h:1: "),
                                        (None, None, 1, "")):
            with tempfile.TemporaryDirectory() as root:
                if name:
                    tree.files[name] = text
                    tree.write(root)
                done = subprocess.run([sys.executable, SCRIPTS / "check_layers.py", root], capture_output=True, text=True,
                                      check=False)
                self.assertEqual(done.returncode, code, done.stdout + done.stderr)
                self.assertIn(words, done.stdout)

    def test_every_pair_of_folders_is_judged_by_the_table(self):
        tree, wanted = Tree(), []
        for folder in FOLDERS:
            for other in FOLDERS:
                name = f"harness/{folder}/sees_{other}.cpp"
                tree.files[name] = source(folder, f'#include "{other}/{other}.h"')
                if other != folder and other not in MAY_INCLUDE[folder]:
                    wanted.append(f'{name}:2: "{other}/{other}.h": {folder}/ may include ')
        self.compare(tree.check(), wanted)

    def test_every_library_is_kept_in_its_folders(self):
        tree, wanted = Tree(), []
        for number, (include, homes) in enumerate(LIBRARY_HOMES.items()):
            for folder in FOLDERS:
                name = f"harness/{folder}/sees_{number}.cpp"
                tree.files[name] = source(folder, f"#include <{include}>")
                if folder not in homes:
                    wanted.append(f"{name}:2: <{include}>: ")
        self.compare(tree.check(), wanted)

    def compare(self, breaches, wanted):
        """Every breach starts with one of `wanted`, and each of these occurs once."""
        found = {start: [b for b in breaches if b.startswith(start)] for start in wanted}
        self.assertEqual([start for start, hits in found.items() if len(hits) != 1], [])
        self.assertEqual(len(breaches), len(wanted), breaches)

    def test_quotes_do_not_hide_a_library(self):
        self.caught("harness/gate/x.cpp", source("gate", '#include "torch/script.h"'), 2, "torch belongs to model alone")

    def test_an_unknown_library_must_be_given_a_folder(self):
        self.caught("harness/host/x.cpp", source("host", "#include <boost/any.hpp>"), 2, "unknown library")

    def test_includes_relative_to_the_file_are_refused(self):
        self.caught("harness/gate/x.cpp", source("gate", '#include "gate.h"'), 2, "by their path in harness/")
        self.caught("harness/gate/x.cpp", source("gate", '#include "../run/run.h"'), 2, "by their path in harness/")

    def test_an_include_of_a_missing_file_is_refused(self):
        self.caught("harness/gate/x.cpp", source("gate", '#include "run/gone.h"'), 2, "no such file")

    def test_comments_and_strings_are_not_code(self):
        self.passes("harness/gate/x.cpp", source("gate", "// #include <torch/script.h>", "/* std::cout", "#include <zip.h> */",
                                                  'const char* text = "std::cerr printf(";'))

    def test_an_indented_include_is_seen(self):
        self.caught("harness/gate/x.cpp", source("gate", "#  include <zip.h>"), 2, "libzip belongs to model alone")

    def test_public_headers_of_model_are_free_of_torch(self):
        for name in ("harness/model/x.h", "harness/model/weights/x.h"):
            self.caught(name, header("model", "#include <ATen/ATen.h>"), 3, "must be free of torch")
        for name in ("harness/model/torch/x.h", "harness/model/decoder/x.h", "harness/model/weights/x.cpp"):
            self.passes(name, header("model", "#include <ATen/ATen.h>"))

    def test_public_headers_of_model_do_not_reach_torch_through_a_private_one(self):
        private = {"harness/model/torch/bridge.h": header("model", "#include <ATen/ATen.h>")}
        self.caught("harness/model/x.h", header("model", '#include "model/torch/bridge.h"'), 3,
                    "it includes it through model/torch/bridge.h", private)

    def test_private_headers_of_model_stay_in_model(self):
        private = {"harness/model/torch/bridge.h": header("model")}
        text = '#include "model/torch/bridge.h"'
        self.caught("harness/pipeline/x.cpp", source("pipeline", text), 2, "private to model/", private)
        self.passes("harness/model/x.cpp", source("model", text), private)
        public = {"harness/model/weights/state_dict.h": header("model")}
        self.passes("harness/pipeline/x.cpp", source("pipeline", '#include "model/weights/state_dict.h"'), public)

    def test_fmt_and_torch_do_not_meet_in_one_file(self):
        self.caught("harness/model/x.cpp", source("model", "#include <torch/script.h>", "#include <fmt/format.h>"), 3,
                    "fmt and torch in one file")
        private = {"harness/model/torch/bridge.h": header("model", "#include <ATen/ATen.h>")}
        self.caught("harness/model/x.cpp", source("model", "#include <fmt/format.h>", '#include "model/torch/bridge.h"'), 2,
                    "fmt and torch in one file", private)

    def test_only_cli_prints(self):
        for line in ('std::cout << 1;', 'std::cerr << 1;', 'std::clog << 1;', 'printf("x");', 'std::printf("x");',
                     'std::fprintf(stderr, "x");', 'fputs("x", stdout);', 'puts("x");', 'std::puts("x");', 'perror("x");',
                     'fmt::print("x");', 'fmt::println("x");', 'write(STDERR_FILENO, "x", 1);', "#include <iostream>"):
            with self.subTest(line=line):
                tree = Tree()
                tree.files["harness/gate/x.cpp"] = source("gate", line)
                breaches = tree.check()
                self.assertTrue(breaches)
                for breach in breaches:
                    self.assertTrue(breach.startswith("harness/gate/x.cpp:2: "), breach)
                    self.assertIn("only cli/ prints", breach)
                self.passes("harness/cli/x.cpp", source("cli", line))

    def test_formatting_into_memory_or_a_file_is_not_printing(self):
        self.passes("harness/gate/x.cpp", source("gate", "std::snprintf(buffer, 3, format);", 'fprintf(file, "x");',
                                                  'auto s = fmt::format("x");', "int printf_count = 0;"))

    def test_broken_invariants_may_be_reported_by_error(self):
        self.passes("harness/error/error.cpp", source("error", 'std::fprintf(stderr, "x");'))

    def test_files_open_with_a_comment(self):
        text = "#pragma once\nnamespace parity::gate {}\n"
        for name in ("harness/gate/x.cpp", "harness/gate/x.h"):
            self.caught(name, text, 1, "open with a comment")
        self.passes("harness/gate/gate.cpp", text)  # gate.h says it

    def test_headers_have_a_guard(self):
        self.caught("harness/gate/x.h", source("gate"), 1, "#pragma once")
        toggle = "#if defined(X) == defined(HWY_TARGET_TOGGLE)\n#endif"
        self.passes("harness/compare/x-inl.h", source("compare", toggle))

    def test_namespaces_are_those_of_the_folder(self):
        for opening in ("namespace parity::gate {", "namespace parity {\nnamespace gate {", "namespace parity::gate::detail {",
                        "namespace parity::gate {\nnamespace {\nvoid f() { if (true) {} }\n}"):
            self.passes("harness/gate/x.cpp", f"// For.\n{opening}\n" + "}\n" * opening.count("namespace"))
        for space in ("parity::report", "gate", "std", "parity::gated"):
            self.caught("harness/gate/x.cpp", f"// For.\nnamespace {space} {{}}\n", 2, "must be within parity::gate")
        self.caught("harness/gate/x.cpp", "// For.\nint x;\n", 1, "nothing is in namespace parity::gate")
        self.passes("harness/cli/main.cpp", "// For.\nint main() {}\n")
        self.passes("harness/gate/x.h", "// For.\n#pragma once\n#define TARGETS \\\n  3\n#if TARGETS\n#endif\n")

    def test_types_of_a_library_are_declared_only_where_it_belongs(self):
        text = "namespace CLI {\nclass App;\n}"
        self.passes("harness/cli/x.h", header("cli", text))
        self.caught("harness/gate/x.h", header("gate", text), 3, "namespace CLI: must be within parity::gate")
        text = "namespace c10 {\nstruct Device;\n}"
        self.passes("harness/model/torch/x.h", header("model", text))
        self.caught("harness/model/x.h", header("model", text), 3, "namespace c10: must be within parity::model")

    def test_sizes_are_limited(self):
        for name, limit in (("harness/gate/x.h", 150), ("harness/gate/x.cpp", 400), ("tests/gate/x_test.cpp", 400),
                            ("harness/compare/x-inl.h", 150)):
            text = header(name.split("/")[1])
            full = text + "\n" * (limit - text.count("\n"))
            self.passes(name, full)
            self.caught(name, full + "\n", limit + 1, f"the limit is {limit}")

    def test_names_say_a_job(self):
        for name in ("utils.h", "common.h", "helpers.h", "misc.h", "core.h", "base.h", "manager.h", "tap_utils.h"):
            self.caught(f"harness/gate/{name}", header("gate"), 1, "name it by its one job")
        tree = Tree()
        tree.files["harness/gate/helpers/x.h"] = header("gate")
        self.assertEqual([breach.split(": ")[0] for breach in tree.check()], ["harness/gate/helpers:1"])
        self.passes("harness/gate/score.h", header("gate"))
        self.passes("harness/gate/baseline.h", header("gate"))

    def test_every_file_belongs_to_a_folder_of_the_map(self):
        self.caught("harness/extra/x.cpp", "// For.\nnamespace parity::extra {}\n", 1, "not in a folder of the map")
        self.caught("harness/x.cpp", "// For.\nnamespace parity {}\n", 1, "not in a folder of the map")

    def test_build_files_link_what_the_table_allows(self):
        name = "harness/gate/CMakeLists.txt"
        self.passes(name, "parity_add_library(gate\n  SOURCES gate.cpp\n  LINK parity_compare parity_run)\n")
        self.caught(name, "parity_add_library(gate\n  SOURCES gate.cpp\n  LINK parity_report)\n", 3, "must not depend on it")
        self.caught(name, "file(GLOB all *.cpp)\n", 1, "list the files")


if __name__ == "__main__":
    unittest.main()
