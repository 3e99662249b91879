"""The recorder on a GPU: values as they were when they came, whatever the stream does behind them. Skipped (77) without one.

By hand, where there is a GPU and no build: PYTHONPATH=scripts/python python3 tests/recorder/device_test.py
"""
import subprocess
import sys
import time
import unittest

import torch
from torch import nn

import parity_recorder
from workshop import PARITY, SOURCE, Workshop

if not torch.cuda.is_available():
    print("SKIPPED: torch sees no GPU here")
    sys.exit(77)


class Overwrites(nn.Module):
    """Each layer's output is overwritten as soon as the next one has read it."""

    def __init__(self, depth, width):
        super().__init__()
        torch.manual_seed(1)
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))

    def forward(self, x):
        for layer in self.layers:
            y = torch.relu(x)
            x = layer(y)
            y.fill_(float("nan"))
        result = x.clone()
        x.fill_(float("nan"))
        return result


class Device(Workshop):
    def reference(self, model, x):
        """Every layer's output, taken with the stream at rest."""
        taps = {}

        def keep(name):
            def hook(module, args, output):
                torch.cuda.synchronize()
                taps[name] = output.float().cpu().clone()
            return hook

        handles = [layer.register_forward_hook(keep(f"layers.{i}")) for i, layer in enumerate(model.layers)]
        with torch.no_grad():
            model(x)
        for handle in handles:
            handle.remove()
        return taps

    def test_values_are_those_at_the_hook(self):
        for dtype in (torch.float32, torch.bfloat16):
            model = Overwrites(12, 1024).to("cuda", dtype)
            x = torch.randn(512, 1024, device="cuda", dtype=dtype)
            wanted = self.reference(model, x)
            for stream in (torch.cuda.current_stream(), torch.cuda.Stream()):
                stream.wait_stream(torch.cuda.current_stream())
                with torch.no_grad(), torch.cuda.stream(stream), \
                        parity_recorder.record(model, self.golden, case="a", memory_bytes=8 << 20):
                    model(x)
                if PARITY:
                    self.assert_whole()
                for name, value in wanted.items():
                    self.assertTrue(torch.equal(torch.from_numpy(self.tap(name)), value), (name, dtype))

    def test_strided_values_arrive_row_by_row(self):
        class Turned(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Identity()

            def forward(self, x):
                return self.layer(x.T)

        x = torch.arange(12.0, device="cuda").reshape(3, 4)
        with parity_recorder.record(Turned(), self.golden, case="a") as recording:
            recording._model(x)
        self.assertEqual(self.tap("layer").tolist(), x.T.tolist())

    def test_a_graph_that_is_captured_is_refused(self):
        code = ("import torch, parity_recorder\n"
                "model, x = torch.nn.Sequential(torch.nn.ReLU()).cuda(), torch.ones(4, device='cuda')\n"
                f"with torch.no_grad(), parity_recorder.record(model, r'{self.golden}', case='a'):\n"
                "    with torch.cuda.graph(torch.cuda.CUDAGraph()):\n"
                "        model(x)\n")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("captured as a CUDA graph", done.stderr)
        self.assert_nothing_left()

    def test_provenance_has_the_facts_of_the_program(self):
        if not PARITY:
            self.skipTest("PARITY_BINARY names no program")
        fixture = SOURCE / "fixtures" / "decoder"
        of_program = self.folder / "program.h5"
        done = subprocess.run([PARITY, "record", "--model", fixture / "model.torchscript.pt", "--inputs",
                               f"a={fixture / 'inputs' / 'prose.json'}", "--device", "cuda", "--out", of_program],
                              capture_output=True, text=True)
        if done.returncode == 3:
            self.skipTest(done.stderr.strip())
        model = Overwrites(1, 8).to("cuda")
        with torch.no_grad(), parity_recorder.record(model, self.golden, case="a"):
            model(torch.ones(2, 8, device="cuda"))
        report = self.report(of_program, self.golden, "--weights", "any", exit_code=1)
        differing = {entry["key"] for entry in report["environment_diff"] if entry["key"].startswith(("device.", "host."))}
        self.assertEqual(differing, set())
        facts = report["candidate"]["provenance"]
        for key in ("device.driver", "library.cudnn" if not torch.version.hip else "library.miopen"):
            self.assertIn(key, facts)

    def test_speed_is_printed(self):
        """No bound: a figure for whoever reads the log."""
        model = Overwrites(24, 4096).to("cuda", torch.bfloat16)
        x = torch.randn(4096, 4096, device="cuda", dtype=torch.bfloat16)
        with torch.no_grad():
            model(x)
            torch.cuda.synchronize()
            start = time.monotonic()
            model(x)
            torch.cuda.synchronize()
            plain = time.monotonic() - start
            for store in ("digest", "full"):
                start = time.monotonic()
                with parity_recorder.record(model, self.golden, case="a", store=store, weights="none"):
                    model(x)
                took = time.monotonic() - start
                size = 24 * x.numel() * 2
                print(f"{store}: {size / 1e9:.2f} GB of taps in {took:.2f} s ({size / took / 1e9:.2f} GB/s), "
                      f"the plain pass {plain * 1e3:.1f} ms, digests by {parity_recorder.xxh3.IMPLEMENTATION}")


if __name__ == "__main__":
    unittest.main()
