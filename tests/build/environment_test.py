"""The environment decides nothing that is judged: harness/ reads the variables listed here, and no other.

A check that is off unless somebody sets a variable, or a tolerance that a variable widens, begins with a getenv().
"""
import pathlib
import re
import unittest

HARNESS = pathlib.Path(__file__).resolve().parents[2] / "harness"

# (file, variable) -> why it may be read there.
READ = {
    ("cli/terminal.cpp", "COLUMNS"): "how wide the table is printed where stdout is no terminal",
    ("cli/terminal.cpp", "GITHUB_ACTIONS"): "whether the verdict is printed a second time, as GitHub's annotations",
    ("cli/terminal.cpp", "NO_COLOR"): "whether the table is coloured",
    ("cli/terminal.cpp", "TERM"): "whether the table is coloured: a dumb terminal shows no colours",
    ("model/torch/switches.cpp", "CUBLAS_WORKSPACE_CONFIG"):
        "cuBLAS reads it and computes otherwise; it is reported as switch.cublas_workspace",
}
# --deterministic needs it, unless the user has chosen a value; the library reads it, not the program.
WRITTEN = {("model/torch/switches.cpp", "CUBLAS_WORKSPACE_CONFIG")}

# Everything is handed to the tools and trials that the doctor starts; the doctor shows what is set, and a run records it. No
# verdict on a model is made there, and neither compare/ nor gate/ may include it.
TAKEN_WHOLE = {"host/child.cpp"}

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
READING = re.compile(r"\b(?:secure_)?getenv(?:_s)?\s*\(\s*(\"\w+\"|[^)]*)|->\s*envname\s*\(\s*(\"\w+\"|[^)]*)")
WRITING = re.compile(r"\b(?:un)?(?:setenv|putenv|clearenv)\s*\(\s*(\"\w+\"|[^,)]*)")
# The whole environment at once: nowhere else.
WHOLE = re.compile(r"\b_*environ\b|\benvp\b|/proc/[^\"]*environ")


def variables(text, pattern):
    """What is named in calls that match; source text where it is no literal."""
    found = pattern.findall(COMMENT.sub("", text))
    return {"".join(groups).strip().strip('"') if isinstance(groups, tuple) else groups.strip().strip('"')
            for groups in found}


def sources():
    files = [file for file in sorted(HARNESS.rglob("*")) if file.suffix in (".h", ".cpp")]
    return {file.relative_to(HARNESS).as_posix(): file.read_text(encoding="utf-8") for file in files}


class Environment(unittest.TestCase):
    def test_only_known_variables_are_read(self):
        read = {(path, name) for path, text in sources().items() for name in variables(text, READING)}
        self.assertEqual(read, set(READ))

    def test_only_known_variables_are_written(self):
        written = {(path, name) for path, text in sources().items() for name in variables(text, WRITING)}
        self.assertEqual(written, WRITTEN)

    def test_the_doctor_alone_takes_the_environment_as_a_whole(self):
        taken = {path for path, text in sources().items() if WHOLE.search(COMMENT.sub("", text))}
        self.assertEqual(taken, TAKEN_WHOLE)

    def test_a_variable_that_is_not_looked_at_in_the_report_is_of_the_terminal(self):
        switches = (HARNESS / "model/torch/switches.cpp").read_text(encoding="utf-8")
        for path, name in READ:
            if path.startswith("cli/"):
                continue
            self.assertRegex(switches, r"getenv\(\"%s\"\);\n[^\n]*facts\.set\(\"switch\." % name)

    def test_every_way_of_reading_is_seen(self):
        rows = [('auto* a = std::getenv("PARITY_TOLERANCE");', READING, {"PARITY_TOLERANCE"}),
                ('getenv( "A" ); ::secure_getenv("B")', READING, {"A", "B"}),
                ("std::getenv(name.c_str())", READING, {"name.c_str("}),
                ('app.add_option("--x", x)->envname("PARITY_X");', READING, {"PARITY_X"}),
                ('// getenv("A")\n/* getenv("B") */', READING, set()),
                ('setenv("A", "1", 1); unsetenv("B"); putenv(text)', WRITING, {"A", "B", "text"})]
        for text, pattern, expected in rows:
            self.assertEqual(variables(text, pattern), expected, text)
        for text in ("extern char** environ;", "main(int c, char** v, char** envp)", '"/proc/self/environ"'):
            self.assertTrue(WHOLE.search(text), text)


if __name__ == "__main__":
    unittest.main()
