#!/usr/bin/env python3
"""Holds parity's run of exported programs against Python's own run of the same file: outputs within one rounding step,
and the output of every module against what a forward hook on the model sees, in name, shape and value.

Usage: exported_programs_test.py EXPORTED_DUMP [CASE...]
"""
import collections
import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import warnings

warnings.filterwarnings("ignore")
import torch

import exported_cases

def leaves(value, place=""):
    if isinstance(value, torch.Tensor):
        return [(place, value)]
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, (tuple, list)):
        items = enumerate(value)
    else:
        return []
    return [leaf for key, item in items for leaf in leaves(item, f"{place}.{key}" if place else str(key))]


def named(path, call, value, others=0):
    """As taps are named; `others`: leaves that are no tensors but have a place."""
    found = leaves(value)
    base = path + (f"#{call}" if call else "")
    return [(base if len(found) + others == 1 else f"{base}:{place}", tensor.detach().clone())
            for place, tensor in found]


def hooked(model, arguments, keywords):
    """What forward hooks see, by the names of taps."""
    if hasattr(model, "hooked"):
        with torch.no_grad():
            return model.hooked(*arguments, **keywords)
    taps = {}
    calls = collections.Counter()
    paths = {}
    for path, module in model.named_modules():
        paths.setdefault(module, path)

    def keep(module, _inputs, output):
        path = paths[module]
        if path:
            taps.update(named(path, calls[path], output))
            calls[path] += 1

    handles = [module.register_forward_hook(keep) for module in paths]
    with torch.no_grad():
        model(*arguments, **keywords)
    for handle in handles:
        handle.remove()
    return taps


def arguments_of(given, own):
    """Positional and keyword arguments; Python wants as keywords what was exported as such, parity does not."""
    if isinstance(given, dict):
        return (), given
    positional = given if isinstance(given, tuple) else (given,)
    if not own[0]:
        return (), dict(zip(own[1], positional))
    return positional, {}


def export(case):
    return torch.export.export(case["model"], case["args"], case.get("kwargs"), dynamic_shapes=case.get("dynamic"),
                               strict=case.get("strict", False),
                               preserve_module_call_signature=case.get("preserve", ()))


def read_taps(out):
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    if lines and "error" in lines[0]:
        raise AssertionError(lines[0]["error"])
    data = pathlib.Path(f"{out}.bin").read_bytes()
    taps = {}
    for line in lines:
        raw = bytearray(data[line["offset"]:line["offset"] + line["size"]])
        dtype = getattr(torch, line["dtype"]) if line["dtype"] != "bool" else torch.bool
        tensor = torch.frombuffer(raw, dtype=dtype) if raw else torch.empty(0, dtype=dtype)
        taps[line["name"]] = tensor.reshape(line["shape"])
    return taps


def distance_in_ulp(reference, candidate):
    """0 where bits agree; the number of float steps otherwise."""
    if not reference.is_floating_point():
        return 0 if torch.equal(reference, candidate) else float("inf")
    bits = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[reference.element_size()]

    def ordered(tensor):
        whole = tensor.contiguous().view(bits).to(torch.float64 if bits == torch.int64 else torch.int64)
        return torch.where(whole < 0, -(whole - torch.iinfo(bits).min), whole)

    both_nan = reference.isnan() & candidate.isnan()
    apart = (ordered(reference) - ordered(candidate)).abs().masked_fill(both_nan, 0)
    return apart.max().item() if apart.numel() else 0


def compare(name, reference, candidate, problems, most_ulp):
    for tap, value in reference.items():
        if tap not in candidate:
            problems.append(f"{name}: {tap} is missing")
        elif candidate[tap].shape != value.shape or candidate[tap].dtype != value.dtype:
            problems.append(f"{name}: {tap} is {candidate[tap].dtype} {tuple(candidate[tap].shape)}, "
                            f"not {value.dtype} {tuple(value.shape)}")
        elif distance_in_ulp(value, candidate[tap]) > most_ulp:
            problems.append(f"{name}: {tap} is {distance_in_ulp(value, candidate[tap])} ulp off")


class Work:
    """Jobs for the tool, and what each must give."""

    def __init__(self, folder):
        self.folder = folder
        self.jobs = []
        self.wanted = []

    def add(self, name, file, given, outputs, hooks):
        number = len(self.jobs)
        job = {"model": str(file), "out": str(self.folder / f"{number}.taps")}
        if given is not None:
            inputs = self.folder / f"{number}.pt"
            torch.save(given, inputs)
            job["inputs"] = str(inputs)
        self.jobs.append(job)
        self.wanted.append((name, outputs, hooks))


def prepare(name, case, work):
    """Exports a case, and with it what it becomes by decomposition; runs each on all inputs."""
    case["model"].eval()
    program = export(case)
    programs = {name: program}
    if case.get("decompose"):
        programs[name + " decomposed"] = program.run_decompositions()
    own = (case["args"], case.get("kwargs", {}))
    for title, exported in programs.items():
        file = work.folder / (title.replace(" ", "_") + ".pt2")
        torch.export.save(exported, file)
        for given in [None, *case.get("given", [])]:
            arguments, keywords = own if given is None else arguments_of(given, own)
            loaded = torch.export.load(file)
            constants = {k: v for k, v in own[1].items() if not leaves(v)}
            with torch.no_grad():
                output = loaded.module()(*copy.deepcopy(arguments), **{**constants, **copy.deepcopy(keywords)})
            hooks = {} if case.get("hooks") == "none" else hooked(
                copy.deepcopy(case["model"]), copy.deepcopy(arguments), {**constants, **copy.deepcopy(keywords)})
            if isinstance(output, torch.Tensor) or not isinstance(output, (dict, tuple, list)):
                output = (output,)
            numbers = count_numbers(output)
            work.add(title + ("" if given is None else " other inputs"), file, given,
                     dict(named("<output>", 0, output, numbers)), hooks if "decomposed" not in title else {})


def count_numbers(value):
    if isinstance(value, dict):
        return sum(map(count_numbers, value.values()))
    if isinstance(value, (tuple, list)):
        return sum(map(count_numbers, value))
    return 0 if value is None or isinstance(value, torch.Tensor) else 1


def check(work, problems):
    taps_seen = 0
    for job, (name, outputs, hooks) in zip(work.jobs, work.wanted):
        try:
            taps = read_taps(pathlib.Path(job["out"]))
        except AssertionError as error:
            problems.append(f"{name}: {error}")
            continue
        compare(name, outputs, taps, problems, 1)
        compare(name, hooks, taps, problems, 1)
        extra = [tap for tap in taps if "/" not in tap and tap not in hooks and not tap.startswith("<output>")]
        if hooks and extra:
            problems.append(f"{name}: taps that no hook sees: {extra}")
        taps_seen += len(taps)
    return taps_seen


DECODER = exported_cases.ROOT / "fixtures/decoder"
OTHER_ROUTES = {"TorchScript": {"model": str(DECODER / "model.torchscript.pt")},
                "state_dict": {"model": str(DECODER / "model.pt"), "config": str(DECODER / "config.json")}}


def check_other_routes(tool, folder, problems):
    """The trained decoder as exported program, as TorchScript and as bare weights: the same layers under one name,
    with the same values."""
    jobs = [{"model": str(folder / "fixture.pt2")}, *OTHER_ROUTES.values()]
    for number, job in enumerate(jobs):
        job.update(out=str(folder / f"route{number}.taps"), inputs=str(DECODER / "inputs/prose.json"))
    (folder / "routes.json").write_text(json.dumps(jobs))
    subprocess.run([tool, str(folder / "routes.json")], check=True)
    exported, *others = [read_taps(pathlib.Path(job["out"])) for job in jobs]
    layers = {tap for tap in exported if "/" not in tap}
    for route, taps in zip(OTHER_ROUTES, others):
        theirs = {tap for tap in taps if "/" not in tap}
        if layers != theirs:
            problems.append(f"{route} has other layers than the exported program: {sorted(layers ^ theirs)[:8]}")
        shared = {tap: value for tap, value in taps.items() if tap in exported}
        print(f"{len(shared)} of {len(taps)} taps of the {route} have the name of one of the exported program")
        compare(route, shared, exported, problems, 1)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    cases = exported_cases.make_cases()
    chosen = sys.argv[2:] or list(cases)
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        work = Work(pathlib.Path(folder))
        for name in chosen:
            prepare(name, cases[name], work)
        jobs = pathlib.Path(folder) / "jobs.json"
        jobs.write_text(json.dumps(work.jobs))
        subprocess.run([sys.argv[1], str(jobs)], check=True)
        taps = check(work, problems)
        if "fixture" in chosen:
            check_other_routes(sys.argv[1], pathlib.Path(folder), problems)
    for problem in problems:
        print(problem)
    print(f"{len(work.jobs)} runs of {len(chosen)} models, {taps} taps, {len(problems)} problems")
    if len(work.jobs) < len(chosen) or taps == 0:
        return 1
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
