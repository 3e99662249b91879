"""Holds scripts/check_compile_flags.py against made-up compiler commands."""
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import check_compile_flags  # noqa: E402

GOOD = ["g++", "-O3", "-fno-fast-math", "-ffp-contract=off", "-c", "x.cpp"]


class CheckCompileFlags(unittest.TestCase):
    def test_ieee_flags_pass(self):
        self.assertEqual(check_compile_flags.faults(GOOD), [])

    def test_a_missing_flag_is_named(self):
        for flag in ("-fno-fast-math", "-ffp-contract=off"):
            self.assertEqual(check_compile_flags.faults([a for a in GOOD if a != flag]), [f"lacks {flag}"])

    def test_value_changing_flags_are_refused_wherever_they_stand(self):
        for flag in ("-Ofast", "-ffast-math", "-funsafe-math-optimizations", "-fassociative-math", "-freciprocal-math",
                     "-ffinite-math-only", "-fno-signed-zeros", "-mdaz-ftz"):
            for place in (1, len(GOOD)):
                with self.subTest(flag=flag, place=place):
                    arguments = GOOD[:place] + [flag] + GOOD[place:]
                    self.assertIn(f"has {flag}", check_compile_flags.faults(arguments))

    def test_the_last_contract_flag_wins(self):
        self.assertEqual(check_compile_flags.faults(GOOD + ["-ffp-contract=fast"]),
                         ["-ffp-contract=fast comes after -ffp-contract=off"])
        self.assertEqual(check_compile_flags.faults(["g++", "-ffp-contract=fast"] + GOOD[1:]), [])

    def test_only_the_projects_own_sources_count(self):
        root = pathlib.Path("/project")
        bad = "g++ -Ofast -c x.cpp"
        commands = [{"directory": "/project/build", "file": "../harness/run/x.cpp", "command": bad},
                    {"directory": "/elsewhere", "file": "harness/x.cpp", "command": bad},
                    {"directory": "/project/build", "file": "generated.cpp", "command": bad}]
        messages, count = check_compile_flags.check(commands, root)
        self.assertEqual(count, 1)
        self.assertEqual(messages, [f"harness/run/x.cpp: {fault}" for fault in (
            "has -Ofast", "lacks -fno-fast-math", "lacks -ffp-contract=off")])


if __name__ == "__main__":
    unittest.main()
