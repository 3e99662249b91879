"""Records healthy models once each, makes the candidate of a row and has the program compare them."""

import copy
import multiprocessing
import re

import torch

import decoder_models
import script_models
from other_backend import on_other_backend
from parity_program import Workshop  # from tests/mutations

PROCESSES = 2


def layer_of(tap):
    """Without the call and the place among several results: `path` or `path/op`."""
    return None if tap is None else re.sub(r"(#\d+)?(:[\w.]+)?$", "", tap)


def code_of(model):
    """All that a script depends on but the values of tensors."""
    return [
        (
            path,
            type(layer),
            {name: value for name, value in vars(layer).items() if isinstance(value, (int, float))},
            {name: tensor.shape for name, tensor in layer.state_dict().items()},
        )
        for path, layer in model.named_modules()
    ]


class Bench:
    def __init__(self, workshop):
        self.workshop = workshop
        self.goldens = {}
        self.references = {}
        self.healthy = {}
        self.candidates = {}

    def built(self, kind, *changes):
        model = script_models.seeded(script_models.SCRIPT_MODELS[kind][0]())
        with torch.no_grad():
            for change in changes:
                change(model)
        return model

    def saved(self, script):
        file = self.workshop.file("pt")
        script.save(str(file))
        return ["--model", file]

    def changed_script(self, row):
        if row.finding == "none":
            return script_models.as_script(self.built(row.model, row.change), row.model)
        model = self.built(row.model, on_other_backend, row.change)
        if row.model not in self.healthy:
            healthy = self.built(row.model, on_other_backend)
            self.healthy[row.model] = (
                code_of(healthy),
                script_models.as_script(healthy, row.model),
            )
        code, healthy_script = self.healthy[row.model]
        if code_of(model) != code:
            return script_models.as_script(model, row.model)
        script = copy.deepcopy(healthy_script)  # much quicker than a script of the same code
        script.load_state_dict(model.state_dict())
        return script

    def changed_decoder(self, row, change):
        weights, config = decoder_models.decoder(row.model)
        change(weights, config)
        file = self.workshop.file("pt")
        return ["--model", file, "--config", decoder_models.save(weights, config, file)]

    def candidate(self, row):
        """Arguments that name it; both dtypes share the files."""
        if row.change not in self.candidates or row.finding == "none":
            self.candidates[row.change] = (
                self.changed_decoder(row, row.change)
                if row.model in decoder_models.DECODERS
                else self.saved(self.changed_script(row))
            )
        return self.candidates[row.change]

    def reference(self, row):
        if row.model in decoder_models.DECODERS:
            return self.changed_decoder(row, lambda *_: None), decoder_models.token_ids()
        changes = [] if row.reference is None else [row.reference]
        example = script_models.SCRIPT_MODELS[row.model][1]
        script = script_models.as_script(self.built(row.model, *changes), row.model)
        return self.saved(script), example

    def golden(self, row):
        key = (row.model, row.dtype, row.taps, row.reference)
        if key not in self.goldens:
            kept = (row.model, row.reference)
            if kept not in self.references:
                self.references[kept] = self.reference(row)
            (_, model, *config), example = self.references[kept]
            flags = ["--dtype", row.dtype, "--taps", row.taps, *config]
            self.goldens[key] = self.workshop.record(model, {"x": example}, *flags)
        return self.goldens[key]

    def compare(self, row):
        run = ["--device", "cpu", "--weights", "any", "--attribute", *row.flags]
        if "--threads" not in row.flags:
            run += ["--threads", 1]
        report = self.workshop.file("json")
        command = ["compare", self.golden(row), *self.candidate(row), *run, "--json", report]
        outcome = self.workshop.run(*command, report_file=report)
        if outcome.report is None:
            raise AssertionError(f"{row.name}: no report: {outcome.text()}")
        return outcome


def run_part(rows):
    torch.set_num_threads(1)
    workshop = Workshop()
    try:
        bench = Bench(workshop)
        return [bench.compare(row) for row in rows]
    finally:
        workshop.close()


def share_of_work(rows):
    """One list per process: a model's rows stay together, so that its golden serves them all."""
    rows = sorted(rows, key=lambda row: row.model)
    size = -(-len(rows) // PROCESSES)
    return [rows[start : start + size] for start in range(0, len(rows), size)]


RUNNING = []  # what forked processes find, since changes are functions, which cannot be sent to them


def run_numbered(number):
    return run_part(RUNNING[number])


def run_all(rows):
    """[(row, outcome)], in the order of `rows`."""
    RUNNING[:] = share_of_work(rows)
    with multiprocessing.get_context("fork").Pool(PROCESSES) as pool:
        parts = pool.map(run_numbered, range(len(RUNNING)), chunksize=1)
    found = {}
    for rows_of_part, outcomes in zip(RUNNING, parts):
        found.update({id(row): outcome for row, outcome in zip(rows_of_part, outcomes)})
    return [(row, found[id(row)]) for row in rows]
