"""The life of a recording: cases, calls, threads, failures of model and disk, and what is left behind by each."""
import os
import subprocess
import sys
import threading
import unittest

import torch
from torch import nn

import parity_recorder
from parity_recorder import RecorderError
from workshop import Workshop


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return torch.relu(self.fc(x)) + x


class Net(nn.Module):
    def __init__(self, depth=2):
        super().__init__()
        torch.manual_seed(1)
        self.blocks = nn.ModuleList(Block() for _ in range(depth))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


X = torch.arange(8.0).reshape(2, 4)


class Recording(Workshop):
    def test_taps_come_in_execution_order_with_their_names(self):
        model = Net()
        with parity_recorder.record(model, self.golden, case="a"):
            model(X)
        self.assertEqual(self.names(), ["blocks.0.fc", "blocks.0", "blocks.1.fc", "blocks.1", "<output>"])
        self.assert_whole()

    def test_another_object_than_the_one_that_runs_is_an_error(self):
        with self.assertRaisesRegex(RecorderError, "no layer was called"):
            with parity_recorder.record(Net(), self.golden, case="a"):
                Net()(X)
        self.assert_nothing_left()

    def test_reused_and_shared_modules_count_their_calls_under_the_first_name(self):
        model = Net()
        model.again = model.blocks[0]
        model.forward = lambda x: model.again(model.blocks[0](model.blocks[1](x)))
        with parity_recorder.record(model, self.golden, case="a"):
            model(X)
        self.assertEqual(self.names(), ["blocks.1.fc", "blocks.1", "blocks.0.fc", "blocks.0", "blocks.0.fc#1", "blocks.0#1",
                                        "<output>"])

    def test_several_cases(self):
        model = Net()
        with parity_recorder.record(model, self.golden) as recording:
            model(X * 3)  # warms up, outside any case
            for name, x in (("short", X), ("long", torch.ones(5, 4))):
                with recording.case(name):
                    model(x)
        self.assertEqual(self.texts("case_names"), ["short", "long"])
        self.assertEqual(self.tap("<output>", 1).shape, (5, 4))
        self.assert_whole()
        self.assertEqual([one["name"] for one in self.report(self.golden, self.golden)["cases"]], ["short", "long"])

    def test_wrong_uses_are_refused_and_leave_nothing(self):
        model = Net()
        recorder = parity_recorder.record

        def twice():
            with recorder(model, self.golden) as recording:
                for _ in range(2):
                    with recording.case("a"):
                        model(X)

        def nested():
            with recorder(model, self.golden) as recording, recording.case("a"), recording.case("b"):
                model(X)

        def both():
            with recorder(model, self.golden, case="a") as recording, recording.case("b"):
                model(X)

        def none():
            with recorder(model, self.golden):
                model(X)

        def glob():
            with recorder(model, self.golden, case="a", layers=["blocks.7.*"]):
                model(X)

        for words, use in {"two cases are named 'a'": twice, "still open": nested, "has the one case": both,
                           "no case was recorded": none, "matches no tap": glob}.items():
            with self.subTest(words), self.assertRaisesRegex(RecorderError, words):
                use()
            self.assert_nothing_left()
            self.assertNotIn("forward", model.__dict__)
        for name in ("", "a/b", "a\nb", "x" * 300, 7):
            with self.assertRaisesRegex(RecorderError, "give another one"):
                recorder(model, self.golden, case=name).start()
        self.assert_nothing_left()

    def test_what_calls_no_hooks_is_refused(self):
        for words, model in {"TorchScript": torch.jit.script(Net().blocks[0]), "compiled": torch.compile(Net()),
                             "a torch.nn.Module is recorded": len}.items():
            with self.subTest(words), self.assertRaisesRegex(RecorderError, words):
                parity_recorder.record(model, self.golden, case="a").start()
        inner = Net()
        inner.blocks[1].compile()
        with self.assertRaisesRegex(RecorderError, "its layer blocks.1 is compiled"):
            parity_recorder.record(inner, self.golden, case="a").start()
        self.assert_nothing_left()

    def test_globs_choose_layers_as_the_program_does(self):
        model = Net(3)
        with parity_recorder.record(model, self.golden, case="a", layers=["blocks.*"], skip="blocks.[1]"):
            model(X)
        self.assertEqual(self.names(), ["blocks.0", "blocks.2", "<output>"])
        with parity_recorder.record(model, self.golden, case="a", layers=["**.fc"]):
            model(X)
        self.assertEqual(self.names(), ["blocks.0.fc", "blocks.1.fc", "blocks.2.fc", "<output>"])

    def test_an_exception_in_the_model_leaves_the_old_file_and_passes_through(self):
        model = Net()
        self.golden.write_bytes(b"")
        with parity_recorder.record(model, self.golden, case="a"):
            model(X)
        before = self.golden.read_bytes()
        with self.assertRaisesRegex(RuntimeError, "cannot be multiplied"):
            with parity_recorder.record(model, self.golden, case="a"):
                model(torch.ones(2, 5))
        self.assertEqual(self.golden.read_bytes(), before)
        self.assertEqual(os.listdir(self.folder), ["golden.h5"])
        model(X)  # unhooked

    def test_an_exception_that_somebody_catches_leaves_nothing_either(self):
        model = Net()
        with self.assertRaisesRegex(RecorderError, "raised an exception in case 'a'"):
            with parity_recorder.record(model, self.golden, case="a"):
                try:
                    model(torch.ones(2, 5))
                except RuntimeError:
                    pass
                model(X)
        with self.assertRaisesRegex(RecorderError, "ended with an exception"):
            with parity_recorder.record(model, self.golden) as recording:
                try:
                    with recording.case("a"):
                        raise KeyError
                except KeyError:
                    pass
                with recording.case("b"):
                    model(X)
        self.assert_nothing_left()

    def test_a_file_that_is_no_golden_is_not_replaced(self):
        self.golden.write_text("my thesis")
        with self.assertRaisesRegex(RecorderError, "is not a golden, so it is not overwritten"):
            parity_recorder.record(Net(), self.golden, case="a").start()
        self.assertEqual(self.golden.read_text(), "my thesis")
        with self.assertRaisesRegex(RecorderError, "it is a folder"):
            parity_recorder.record(Net(), self.folder, case="a").start()
        with self.assertRaisesRegex(RecorderError, "cannot create a file"):
            parity_recorder.record(Net(), self.folder / "no" / "golden.h5", case="a").start()

    def test_a_direct_call_of_forward_is_the_models_call(self):
        """As services do it."""
        model = Net()
        with parity_recorder.record(model, self.golden, case="a"):
            model.forward(x=X)
        self.assertEqual(self.names()[-1], "<output>")
        self.assertEqual(self.texts("cases/000000/inputs/key"), ["", "x"])

    def test_layers_with_a_call_of_their_own_are_recorded_once(self):
        class Direct(Block):
            """As vLLM's layers that it could compile, and does not."""

            def __call__(self, *args, **kwargs):
                return self.forward(*args, **kwargs)

        class Polite(Block):
            def __call__(self, *args, **kwargs):
                return super().__call__(*args, **kwargs)

        for kind in (Direct, Polite):
            model = Net()
            model.blocks[1] = kind()
            with parity_recorder.record(model, self.golden, case="a"):
                model(X)
            self.assertEqual(self.names(), ["blocks.0.fc", "blocks.0", "blocks.1.fc", "blocks.1", "<output>"])
            self.assertNotIn("forward", model.blocks[1].__dict__)
            root = kind()
            with parity_recorder.record(root, self.golden, case="a"):
                root(X)
            self.assertEqual(self.names(), ["fc", "<output>"])
            self.assertEqual(self.texts("cases/000000/inputs/kind"), ["tensor"])

    def test_further_calls_of_the_model_are_calls_of_its_output(self):
        model = Net()
        with parity_recorder.record(model, self.golden, case="a"):
            model(X)
            model(X + 1)
        self.assertEqual([name for name in self.names() if "output" in name], ["<output>", "<output>#1"])
        self.assertIn("the model was called 2 times; the inputs are those of the first call",
                      self.texts("cases/000000/notes"))

    def test_layers_without_the_model_are_recorded_and_said(self):
        model = Net()
        with parity_recorder.record(model, self.golden, case="a"):
            model.blocks[0](X)
        self.assertEqual(self.names(), ["blocks.0.fc", "blocks.0"])
        self.assertIn("the model itself was not called", self.texts("cases/000000/notes")[0])
        self.assertIn("not called: blocks.1, blocks.1.fc", self.texts("notes"))

    def test_other_hooks_keep_working_and_are_seen(self):
        model = Net()
        handle = model.blocks[0].register_forward_hook(lambda module, args, output: output * 0)
        own = model.forward
        model.forward = own
        with parity_recorder.record(model, self.golden, case="a"):
            model(X)
        self.assertEqual(abs(self.tap("blocks.0")).max(), 0)
        self.assertIs(model.__dict__["forward"], own)
        self.assertEqual(len(model.blocks[0]._forward_hooks), 1)
        handle.remove()

    def test_threads(self):
        model = Net(4)
        with parity_recorder.record(model, self.golden, case="a", memory_bytes=1):
            threads = [threading.Thread(target=model, args=(X + i,)) for i in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        names = self.names()
        self.assertEqual(len(names), 8 * 9)
        self.assertEqual(len(set(names)), len(names))
        self.assert_whole()
        self.assertTrue(any("threads ran the model" in note for note in self.texts("cases/000000/notes")))

    def test_memory_is_bounded(self):
        class Wide(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.ModuleList(nn.Identity() for _ in range(40))

            def forward(self, x):
                for layer in self.layers:
                    x = layer(x)
                return x

        model, x = Wide(), torch.zeros(1 << 20)  # 4 MiB a tap
        with parity_recorder.record(model, self.golden, case="a", memory_bytes=10 << 20) as recording:
            model(x)
        self.assertLessEqual(recording._stream.peak_bytes, 10 << 20)
        with parity_recorder.record(model, self.golden, case="a", memory_bytes=1) as recording:
            model(x)
        self.assertEqual(recording._stream.peak_bytes, 4 << 20)  # one larger passes alone
        self.assert_whole()

    def test_a_full_disk_is_one_sentence_and_leaves_nothing(self):
        code = (f"import resource, signal, torch, parity_recorder\n"
                f"signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
                f"resource.setrlimit(resource.RLIMIT_FSIZE, ({{limit}}, {{limit}}))\n"
                f"model = torch.nn.Sequential(*[torch.nn.Linear(64, 64) for _ in range(8)])\n"
                f"with parity_recorder.record(model, r'{self.golden}', case='a'):\n"
                f"    model(torch.ones(200, 64))\n")
        for limit in (0, 700, 3000, 60000, 300000, 440000):
            with self.subTest(limit):
                done = subprocess.run([sys.executable, "-c", code.format(limit=limit)], capture_output=True, text=True)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("File too large; make room", done.stderr.splitlines()[-1])
                self.assert_nothing_left()

    def test_a_killed_process_leaves_no_golden_and_the_next_one_cleans_up(self):
        code = (f"import time, torch, parity_recorder\n"
                f"model = torch.nn.Linear(4, 4)\n"
                f"with parity_recorder.record(model, r'{self.golden}', case='a'):\n"
                f"    model(torch.ones(2, 4))\n"
                f"    print('recorded', flush=True)\n"
                f"    time.sleep(600)\n")
        child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        self.assertEqual(child.stdout.readline(), "recorded\n")
        left = [name for name in os.listdir(self.folder) if name.startswith(".golden.h5.tmp.")]
        self.assertEqual(len(left), 1)
        self.parity("inspect", self.folder / left[0], exit_code=2)
        model = Net()
        with parity_recorder.record(model, self.golden, case="a"):
            model(X)
        self.assertIn(left[0], os.listdir(self.folder), "it was still being written")
        child.kill()
        child.wait()
        child.stdout.close()
        with parity_recorder.record(model, self.golden, case="a"):
            model(X)
        self.assertEqual(os.listdir(self.folder), ["golden.h5"])

    def test_random_numbers_and_training_are_said(self):
        model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))
        with parity_recorder.record(model, self.golden, case="a"):
            model(X)
        self.assertIn("the model is in training mode", self.texts("notes"))
        self.assertTrue(any("draws random numbers" in note for note in self.texts("cases/000000/notes")))
        provenance = dict(zip(self.texts("provenance/key"), self.texts("provenance/value")))
        self.assertEqual(provenance["run.random_numbers"], "drawn")

    def test_provenance_has_the_keys_of_the_program(self):
        model = Net()
        x, script = self.folder / "x.pt", self.folder / "model.pt"
        torch.save(X, x)
        torch.jit.trace(model, X).save(script)
        of_program = self.folder / "program.h5"
        self.parity("record", "--model", script, "--inputs", f"a={x}", "--device", "cpu", "--out", of_program)
        with torch.no_grad(), parity_recorder.record(model, self.golden, case="a"):
            model(X)
        differing = {entry["key"] for entry in self.report(of_program, self.golden)["environment_diff"]}
        self.assertEqual({key for key in differing if key.startswith(("device.", "host.", "library.torch", "switch."))}, set())

    def test_weights_are_told_apart(self):
        model = Net()
        with parity_recorder.record(model, self.golden, case="a"):
            model(X)
        other = self.folder / "other.h5"
        with torch.no_grad():
            model.blocks[1].fc.weight[0, 0] += 1
        with parity_recorder.record(model, other, case="a"):
            model(X)
        self.parity("compare", self.golden, other, exit_code=2)
        self.report(self.golden, other, "--weights", "any", exit_code=1)
        with parity_recorder.record(model, other, case="a", weights="none"):
            model(X)
        self.assertEqual(self.inspected(other)["model"]["weights"], [])

    def test_tied_weights_and_buffers_are_listed_by_every_name(self):
        model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4), nn.BatchNorm1d(4)).eval()
        model[1].weight = model[0].weight
        with parity_recorder.record(model, self.golden, case="a"):
            model(X)
        self.assertEqual(self.texts("model/weights/name"), sorted(model.state_dict()))
        digests = dict(zip(self.texts("model/weights/name"), self.texts("model/weights/digest")))
        self.assertEqual(digests["0.weight"], digests["1.weight"])
        self.assertNotEqual(digests["0.bias"], digests["1.bias"])

    def test_a_process_that_is_forked_leaves_the_recording_alone(self):
        model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 4))
        recording = parity_recorder.record(model, self.golden, case="a").start()
        with torch.no_grad():
            model(torch.ones(2, 4))
            child = os.fork()
            if child == 0:
                try:
                    recording.stop()
                except parity_recorder.RecorderError as error:
                    recording.discard()
                    os._exit(7 if "belongs to process" in str(error) else 1)
                os._exit(1)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 7)
        recording.stop()
        self.assert_whole()


if __name__ == "__main__":
    unittest.main()
