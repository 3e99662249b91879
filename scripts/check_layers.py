#!/usr/bin/env python3
"""Checks the layering of harness/ and the shape of its files; prints `file:line: rule` for each breach, exits 1 then.

The tables below are the project's architecture in a form that a machine can hold against the sources: which folder may
include which, and which folder alone knows a third-party library. Reads text only; compiles nothing.
"""
import argparse
import bisect
import pathlib
import re
import sys

# folder of harness/ -> folders it may include besides itself.
FOLDERS = {
    "error": "",
    "text_file": "error",
    "tensor": "error",
    "run": "error tensor",
    "name_map": "error text_file tensor run",
    "model": "error tensor run",
    "capture": "error tensor run",
    "golden_store": "error tensor run",
    "compare": "error tensor",
    "fault": "error tensor compare",
    "gate": "error text_file tensor run compare",
    "report": "error tensor run compare history",
    "host": "error tensor run",
    "history": "error tensor run",
    "pipeline": "error text_file tensor run name_map model capture golden_store compare fault gate report host history",
    "cli": "error tensor run name_map model gate report pipeline",  # model/ for its plain Source, which flags fill
}
FOLDERS = {folder: set(allowed.split()) | {folder} for folder, allowed in FOLDERS.items()}

# library -> (what its includes look like, folders that may include it).
LIBRARIES = {
    "torch": (r"(torch|c10|ATen|caffe2)/", "model"),
    "HDF5": (r"(H5\w*|hdf5\w*)\.h", "golden_store"),
    "Highway": (r"hwy/", "compare"),
    "toml++": (r"toml\+\+/", "gate name_map"),
    "nlohmann/json": (r"nlohmann/", "report model"),  # model/ for config.json and safetensors headers
    "SQLite": (r"sqlite3\.h", "history"),
    "CLI11": (r"CLI/", "cli"),
    "xxHash": (r"xxh\w*\.h", "tensor"),
    "libzip": (r"zip\.h", "model"),
    "RE2": (r"re2/", "name_map"),
    "zstd": (r"zstd\.h", "host golden_store"),
    "zlib": (r"zlib\.h", "host golden_store"),
    "fmt": (r"fmt/", " ".join(FOLDERS)),
}
LIBRARIES = {name: (re.compile(look), folders.split()) for name, (look, folders) in LIBRARIES.items()}

# Namespaces of libraries, which those folders may forward-declare types in.
LIBRARY_NAMESPACES = {"CLI": "CLI11", "at": "torch", "c10": "torch", "torch": "torch", "H5": "HDF5", "hwy": "Highway", "re2": "RE2"}

# What the language and the operating system bring; any other include is of a library that the table must know.
SYSTEM = re.compile(
    r"([a-z_0-9]+|(sys|linux|arpa|netinet)/\w+\.h|(cxxabi|cpuid|dirent|dlfcn|elf|execinfo|fcntl|immintrin|link|poll|pthread"
    r"|pwd|sched|signal|termios|time|unistd|x86intrin|xmmintrin)\.h)")

# Folders of model/ whose headers, like those directly in it, are for everybody; the others are private to model/.
PUBLIC_MODEL_FOLDERS = ("weights",)

# Results go to stdout and progress to stderr in cli/ alone. error/error.cpp reports broken invariants before it aborts.
PRINTING = re.compile(
    r"std::w?(cout|cerr|clog)\b|\b(std::)?(v?printf|puts|putchar|perror)\s*\(|\bfmt::print(ln)?\s*\(|\bstd::print(ln)?\s*\("
    r"|\b(stdout|stderr|STDOUT_FILENO|STDERR_FILENO)\b|<(iostream|print)>")
PRINTING_ALLOWED = ("harness/cli/", "harness/error/error.cpp", "harness/model/standard_output_aside.cpp")

# Lines; beyond them a file is split by responsibility. Exceptions are listed by path with the reason.
SIZE_LIMITS = {".h": 150, ".cpp": 400}
OVERSIZE_ALLOWED = {}

FORBIDDEN_NAMES = {"utils", "util", "common", "helpers", "helper", "misc", "core", "base", "manager"}
SOURCE_TREES = ("harness", "tests", "bench")

TOKENS = re.compile(r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)
SCOPE = re.compile(r"\bnamespace(?:[ \t]+([\w:]+))?[ \t\n]*\{|[{}]")


class Source:
    """A C++ file: its text with comments blanked out, and its includes with their lines."""

    def __init__(self, root, path):
        self.name = path.relative_to(root).as_posix()
        self.text = path.read_text(encoding="utf-8")
        self.uncommented = TOKENS.sub(self._blank_comment, self.text)
        self.code = TOKENS.sub(lambda token: re.sub(r"[^\n]", " ", token.group()), self.uncommented)
        self.starts = [match.start() + 1 for match in re.finditer("\n", self.text)]
        self.includes = [(self.line(match.start()), match.group(1), match.group(2))
                         for match in INCLUDE.finditer(self.uncommented)]

    @staticmethod
    def _blank_comment(token):
        text = token.group()
        return re.sub(r"[^\n]", " ", text) if text.startswith("/") else text

    def line(self, offset):
        return bisect.bisect_right(self.starts, offset) + 1

    @property
    def folder(self):
        parts = self.name.split("/")
        return parts[1] if len(parts) > 2 else ""

    @property
    def is_header(self):
        return self.name.endswith(".h")

    @property
    def is_public_model_header(self):
        parts = self.name.split("/")
        return self.is_header and self.folder == "model" and (len(parts) == 3 or parts[2] in PUBLIC_MODEL_FOLDERS)


def library_of(include):
    return next((name for name, (look, _) in LIBRARIES.items() if look.match(include)), None)


class Checker:
    def __init__(self, root):
        self.root = root
        self.breaches = []
        self.harness = {source.name: source for source in self._sources("harness")}

    def _sources(self, tree):
        paths = (self.root / tree).rglob("*")
        return [Source(self.root, path) for path in sorted(paths) if path.suffix in SIZE_LIMITS and path.is_file()]

    def breach(self, name, line, rule):
        self.breaches.append(f"{name}:{line}: {rule}")

    def run(self):
        for source in self.harness.values():
            if source.folder not in FOLDERS:
                self.breach(source.name, 1, f"not in a folder of the map; the folders are {', '.join(FOLDERS)}")
                continue
            self.check_includes(source)
            self.check_torch_reach(source)
            self.check_printing(source)
            self.check_opening(source)
            self.check_namespaces(source)
        for tree in SOURCE_TREES:
            self.check_names(tree)
            for source in self.harness.values() if tree == "harness" else self._sources(tree):
                self.check_size(source)
        self.check_build_files()
        return self.breaches

    def check_includes(self, source):
        for line, bracket, include in source.includes:
            folder = include.split("/")[0]
            if bracket == '"' and folder in FOLDERS and "/" in include:
                self.check_own_include(source, line, include)
            elif library := library_of(include):
                folders = LIBRARIES[library][1]
                if source.folder not in folders:
                    self.breach(source.name, line, f"<{include}>: {library} belongs to {', '.join(folders)} alone")
            elif bracket == '"':
                self.breach(source.name, line, f'"{include}": include the project\'s own files by their path in harness/')
            elif not SYSTEM.fullmatch(include):
                self.breach(source.name, line, f"<{include}>: unknown library; give it a folder in check_layers.py")

    def check_own_include(self, source, line, include):
        folder = include.split("/")[0]
        if folder not in FOLDERS[source.folder]:
            allowed = ", ".join(sorted(FOLDERS[source.folder] - {source.folder})) or "no other folder"
            self.breach(source.name, line, f'"{include}": {source.folder}/ may include {allowed}')
        target = self.harness.get(f"harness/{include}")
        if target is None:
            self.breach(source.name, line, f'"{include}": there is no such file in harness/')
        elif folder == "model" and source.folder != "model" and not target.is_public_model_header:
            self.breach(source.name, line, f'"{include}": this header is private to model/')

    def reach(self, source):
        """Every include that `source` sees through the project's own headers: {library: (line, by which way)}."""
        found, seen, queue = {}, set(), [(source, None, "")]
        while queue:
            current, first_line, way = queue.pop()
            for line, bracket, include in current.includes:
                at = first_line or line
                target = self.harness.get(f"harness/{include}") if bracket == '"' else None
                if target is not None and target.name not in seen:
                    seen.add(target.name)
                    queue.append((target, at, f"{way} through {include}"))
                elif library := library_of(include):
                    found.setdefault(library, (at, way))
        return found

    def check_torch_reach(self, source):
        found = self.reach(source)
        if "torch" not in found:
            return
        line, way = found["torch"]
        if source.is_public_model_header:
            self.breach(source.name, line, f"a public header of model/ must be free of torch; it includes it{way}")
        if "fmt" in found:
            line, way = found["fmt"]
            self.breach(source.name, line, f"fmt and torch in one file{way}: the wheel's own fmt shadows the system's")

    def check_printing(self, source):
        if source.name.startswith(PRINTING_ALLOWED):
            return
        for match in PRINTING.finditer(source.code):
            word = match.group().rstrip("( ")
            self.breach(source.name, source.line(match.start()), f"{word}: only cli/ prints; return text or throw an Error")

    def check_opening(self, source):
        own_header = source.name[:-len(".cpp")] + ".h"
        if not source.text.startswith("//") and (source.is_header or own_header not in self.harness):
            self.breach(source.name, 1, "must open with a comment: what the file is for, what it refuses to know")
        # Highway compiles some headers once per processor and guards them its own way.
        if source.is_header and "#pragma once" not in source.code and "HWY_TARGET_TOGGLE" not in source.code:
            self.breach(source.name, 1, "a header needs #pragma once")

    def check_namespaces(self, source):
        wanted = "parity" if source.folder == "error" else f"parity::{source.folder}"
        stack, outermost = [], None
        for match in SCOPE.finditer(source.code):
            if match.group() == "{":
                stack.append(None)
            elif match.group() == "}":
                if stack:
                    stack.pop()
            else:
                stack.append(match.group(1) or "")
                names = [name for name in stack if name]
                full = "::".join(names)
                library = LIBRARY_NAMESPACES.get(names[0].split("::")[0]) if names else None
                if library and source.folder in LIBRARIES[library][1] and not source.is_public_model_header:
                    continue
                outermost = outermost or full
                if names and not f"{full}::".startswith(f"{wanted}::") and not f"{wanted}::".startswith(f"{full}::"):
                    self.breach(source.name, source.line(match.start()), f"namespace {full}: must be within {wanted}")
        only_macros = not re.sub(r"(?m)^[ \t]*#(.*\\\n)*.*$", "", source.code).strip()
        if outermost is None and not only_macros and source.name != "harness/cli/main.cpp":
            self.breach(source.name, 1, f"nothing is in namespace {wanted}")

    def check_size(self, source):
        limit = SIZE_LIMITS[".h" if source.is_header else ".cpp"]
        lines = source.text.count("\n")
        if lines > limit and source.name not in OVERSIZE_ALLOWED:
            self.breach(source.name, lines, f"{lines} lines, the limit is {limit}: split it by responsibility")

    def check_names(self, tree):
        for path in sorted((self.root / tree).rglob("*")):
            words = set(re.split(r"[_\-.]", path.name if path.is_dir() else path.stem))
            if path.stem in FORBIDDEN_NAMES or (path.suffix in SIZE_LIMITS and words & {"utils", "helpers", "misc"}):
                self.breach(path.relative_to(self.root).as_posix(), 1, "name it by its one job, not utils, common or the like")

    def check_build_files(self):
        for path in sorted(self.root.glob("harness/**/CMakeLists.txt")):
            name = path.relative_to(self.root).as_posix()
            folder = name.split("/")[1]
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                line = line.split("#")[0]
                if re.search(r"\bfile\s*\(\s*GLOB", line):
                    self.breach(name, number, "list the files: with a GLOB a new file is not built until CMake runs again")
                for linked in re.findall(r"\bparity_(\w+)", line):
                    if linked in FOLDERS and folder in FOLDERS and linked not in FOLDERS[folder]:
                        self.breach(name, number, f"parity_{linked}: {folder}/ must not depend on it")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    root = parser.parse_args().root
    checker = Checker(root)
    if not checker.harness:
        print(f"check_layers: no sources in {root}/harness", file=sys.stderr)
        return 1
    breaches = checker.run()
    print("\n".join(breaches) or f"check_layers: {len(checker.harness)} files of harness/ keep the rules")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
