"""The package as pip sees it: the program's version, no needs but torch and h5py, and a wheel with every module in it."""
import ast
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import parity_recorder
from workshop import SOURCE

FOLDER = SOURCE / "scripts" / "python"
ALLOWED = {"torch", "h5py", "numpy", "xxhash"}  # h5py brings numpy; xxhash is used where it is there


class Package(unittest.TestCase):
    def test_its_version_is_the_programs(self):
        self.assertEqual(parity_recorder.__version__, os.environ["PARITY_VERSION"])

    def test_it_imports_nothing_else(self):
        for path in (FOLDER / "parity_recorder").glob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                names = []
                if isinstance(node, ast.Import):
                    names = [alias.name for alias in node.names]
                elif isinstance(node, ast.ImportFrom) and node.level == 0:
                    names = [node.module]
                for name in names:
                    top = name.partition(".")[0]
                    self.assertTrue(top in ALLOWED or top in sys.stdlib_module_names, f"{path.name}: {name}")

    def test_the_format_version_is_the_programs(self):
        header = (SOURCE / "harness" / "golden_store" / "user_block.h").read_text()
        major = int(re.search(r"kMajorVersion = (\d+)", header)[1])
        minor = int(re.search(r"kMinorVersion =\s+(\d+)", header)[1])
        from parity_recorder import golden_file
        self.assertEqual((golden_file._MAJOR, golden_file._MINOR), (major, minor))

    def test_variables_that_change_numbers_are_the_doctors(self):
        table = (SOURCE / "harness" / "host" / "doctor" / "switch_table.cpp").read_text()
        rows = re.findall(r'\{"(\w+)", k\w+,.*?Obeyed::on_(\w+)\}', table, re.DOTALL)
        self.assertGreater(len(rows), 30)
        from parity_recorder import variables
        for platform in ("cpu", "cuda", "hip"):
            obeyed = {name for name, on in rows if on == platform or (on == "gpu" and platform != "cpu")}
            obeyed -= {"CUBLAS_WORKSPACE_CONFIG"}  # a switch of its own
            if platform == "hip":
                obeyed.add("HSA_OVERRIDE_GFX_VERSION")
            self.assertEqual(set(variables._OBEYED[platform]), obeyed, platform)

    def test_every_module_is_installed(self):
        """By what pip calls, without the network that pip's own isolation needs."""
        with tempfile.TemporaryDirectory() as folder:
            copy, built = pathlib.Path(folder) / "source", pathlib.Path(folder) / "built"
            shutil.copytree(FOLDER, copy)
            setup = [sys.executable, "-W", "ignore", "-c", "import setuptools; setuptools.setup()"]
            subprocess.run([*setup, "-q", "build", "--build-lib", built], cwd=copy, check=True, capture_output=True)
            done = subprocess.run([*setup, "--name", "--version"], cwd=copy, check=True, capture_output=True, text=True)
            self.assertEqual(done.stdout.split()[-2:], ["parity-recorder", parity_recorder.__version__])
            inside = {path.name for path in (built / "parity_recorder").iterdir()}
            self.assertEqual(inside, {path.name for path in (FOLDER / "parity_recorder").glob("*.py")})


if __name__ == "__main__":
    unittest.main()
