"""Recordings that end in any order, twice, never, or while somebody still calls; copies of what is recorded; arguments."""
import copy
import os
import pickle
import subprocess
import sys
import threading
import unittest

import torch
from torch import nn

import parity_recorder
from parity_recorder import RecorderError
from workshop import Workshop

X = torch.arange(8.0).reshape(2, 4)


class Waits(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.inside, self.go = threading.Event(), threading.Event()

    def forward(self, x):
        y = self.fc(x)
        self.inside.set()
        self.go.wait()
        return y


class Says(nn.Module):
    def forward(self, x):
        return "text"


class Endings(Workshop):
    def test_recordings_of_one_model_end_in_any_order(self):
        for order in ((0, 1, 2), (2, 1, 0), (1, 0, 2)):
            model, own = nn.Sequential(nn.Linear(4, 4)), dict(nn.Sequential(nn.Linear(4, 4)).__dict__)
            paths = [self.folder / f"{i}.h5" for i in range(3)]
            recordings = [parity_recorder.record(model, path, case="a").start() for path in paths]
            for place in order:
                model(X)
                recordings[place].stop()
            for ended, place in enumerate(order):
                names = [name for name in self.names(paths[place]) if name.startswith("<output>")]
                self.assertEqual(len(names), ended + 1)
            self.assertEqual(set(model.__dict__), set(own))
            self.assertFalse(model._forward_hooks or model._forward_pre_hooks or model[0]._forward_hooks)

    def test_a_forward_that_somebody_wraps_meanwhile_stays_theirs(self):
        model = nn.Sequential(nn.Linear(4, 4))
        with parity_recorder.record(model, self.golden, case="a"):
            inner = model.forward
            model.forward = lambda x: inner(x) * 2
            model(X)
        self.assertTrue(torch.equal(model(X), type(model).forward(model, X) * 2))

    def test_what_was_stopped_or_never_started_says_so(self):
        model = nn.Sequential(nn.Linear(4, 4))
        recording = parity_recorder.record(model, self.golden, case="a")
        for use in (recording.stop, lambda: recording.case("b").__enter__()):
            with self.assertRaisesRegex(RecorderError, "was not started"):
                use()
        recording.start()
        model(X)
        recording.stop()
        for use in (recording.stop, recording.start):
            with self.assertRaisesRegex(RecorderError, "was (stopped|started) before; make a new one"):
                use()
        self.assert_whole()
        with parity_recorder.record(model, self.golden, case="a") as recording:
            model(X)
            recording.stop()
        self.assert_whole()

    def test_a_thread_that_is_still_inside_is_told_from_an_exception(self):
        model = Waits()
        recording = parity_recorder.record(model, self.golden, case="a").start()
        thread = threading.Thread(target=model, args=(X,))
        thread.start()
        model.inside.wait()
        with self.assertRaisesRegex(RecorderError, "still under way when case 'a' ended"):
            recording.stop()
        model.go.set()
        thread.join()
        self.assert_nothing_left()

    def test_nothing_to_compare_says_why(self):
        with self.assertRaisesRegex(RecorderError, "none gave what a golden can hold .*of type str"):
            with parity_recorder.record(Says(), self.golden, case="a") as recording:
                recording._model(X)
        model = nn.Sequential(nn.Linear(4, 4))
        with self.assertRaisesRegex(RecorderError, "no layer was called in case 'b'"):
            with parity_recorder.record(model, self.golden) as recording:
                with recording.case("a"):
                    model(X)
                with recording.case("b"):
                    pass
        self.assert_nothing_left()

    def test_copies_and_pickles_are_made_and_not_recorded(self):
        model = nn.Sequential(nn.Linear(4, 4))
        with parity_recorder.record(model, self.golden, case="a") as recording:
            model.parity = recording
            copied = copy.deepcopy(model)
            del model.parity, copied.parity
            loaded = pickle.loads(pickle.dumps(model))
            self.assertNotIn(b"parity_recorder", pickle.dumps(model))
            with torch.no_grad():
                copied[0].weight.zero_()
                copied[0].bias.zero_()
            self.assertEqual(float(copied(X).sum()), 0)
            self.assertTrue(torch.equal(model(X), loaded(X)))
            with self.assertRaisesRegex(RecorderError, "cannot be pickled"):
                pickle.dumps(recording)
        self.assertEqual(self.names(), ["0", "<output>"])

    def test_replicas_are_refused(self):
        model = nn.Sequential(nn.Linear(4, 4))
        with self.assertRaisesRegex(RecorderError, "replicas of torch.nn.DataParallel"):
            with parity_recorder.record(model, self.golden, case="a"):
                model._replicate_for_data_parallel()(X)

    def test_a_compiled_forward_is_refused(self):
        model = nn.Sequential(nn.Linear(4, 4))
        model[0].forward = torch.compile(model[0].forward, backend="eager")
        with self.assertRaisesRegex(RecorderError, "its layer 0 is compiled"):
            parity_recorder.record(model, self.golden, case="a").start()

    def test_an_interrupt_leaves_nothing(self):
        with self.assertRaises(KeyboardInterrupt):
            with parity_recorder.record(nn.Sequential(nn.Linear(4, 4)), self.golden, case="a"):
                raise KeyboardInterrupt
        self.assert_nothing_left()

    def test_a_program_that_never_stops_its_recording_is_warned(self):
        code = (f"import torch, parity_recorder\n"
                f"parity_recorder.record(torch.nn.Linear(4, 4), r'{self.golden}', case='a').start()\n")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
        self.assertIn("was started and never stopped, so nothing was written", done.stderr)
        self.assert_nothing_left()


    def test_a_call_after_a_pre_hook_that_raised_is_recorded(self):
        model = nn.Sequential(nn.Linear(4, 4))
        def raises(*_):
            raise ValueError("no")
        with parity_recorder.record(model, self.golden, case="a"):
            handle = model.register_forward_pre_hook(raises)
            with self.assertRaises(ValueError):
                model(X)
            handle.remove()
            model.forward(X)
        self.assertIn("<output>", self.names())

    def test_short_reads_make_no_wrong_seal(self):
        model, whole = nn.Sequential(nn.Linear(4, 4)), os.pread
        with parity_recorder.record(model, self.golden, case="a"):
            model(X)
            os.pread = lambda descriptor, size, offset: whole(descriptor, min(size, 1000), offset)
            self.addCleanup(setattr, os, "pread", whole)
        os.pread = whole
        self.assert_whole()


class Arguments(Workshop):
    def test_each_that_is_wrong_is_one_sentence(self):
        model = nn.Sequential(nn.Linear(4, 4))
        wrong = {"path": ["", 5, None, "a\0b", "\ud800"], "notes": [[5], None, 5, b"x", ["a\0b"], ["\ud800"]],
                 "layers": [5, [5], None, b"x", ["["], ["[z-a]"]], "skip": [5, [None], ["[9-0]"]],
                 "compress": ["x", True, 2.0, 0, 10], "memory_bytes": ["x", -5, 0, None, True, 1e9],
                 "name": [5, "", "a\0b", "\ud800"], "weights": [[], None, "all"], "store": [["full"], 5, None, "rows:0"],
                 "case": [5, b"x", ""]}
        for argument, values in wrong.items():
            for value in values:
                with self.subTest(argument, value=value), self.assertRaisesRegex(RecorderError, argument) as caught:
                    parity_recorder.record(**{"model": model, "path": self.golden, "case": "a", argument: value})
                self.assertNotIn("\n", str(caught.exception))
        self.assert_nothing_left()

    def test_one_note_and_any_iterable(self):
        model = nn.Sequential(nn.Linear(4, 4)).eval()
        for notes, wanted in (("hello", ["hello"]), (("a", "b"), ["a", "b"]), (iter(["c"]), ["c"])):
            with parity_recorder.record(model, bytes(self.golden), case="a", notes=notes, layers=iter(["*"])):
                model(X)
            self.assertEqual(self.texts("notes"), wanted)
            self.assertEqual(self.names(), ["0", "<output>"])


if __name__ == "__main__":
    unittest.main()
