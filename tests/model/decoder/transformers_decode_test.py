#!/usr/bin/env python3
"""Holds decoding with the built-in decoder against the transformers library with a DynamicCache: random weights, the same
prompt, then one token at a time. In every pass the logits, the output of every module and the whole key/value cache must
agree in name, order, shape, dtype and every bit, and both sides must choose the same tokens.

Usage: transformers_decode_test.py DECODER_DUMP
"""
import inspect
import json
import pathlib
import subprocess
import sys
import tempfile

import torch
import transformers

from decode_cases import CASES, FAULTS
from transformers_test import (cast_as_loaded, leaves, make_inputs, read_dump, realistic_weights, save_weights,
                               write_config)


def tap_name(path, call):
    return path if call == 0 else f"{path}#{call}"


class Library:
    """What a forward hook on every module sees, in order and by pass; keys and values as attention gets them."""

    def __init__(self, model):
        self.model = model
        self.taps = []
        self.call = 0
        self.cache = transformers.DynamicCache(config=model.config)
        attention = [path for path, _ in model.named_modules() if path.endswith((".attn", ".self_attn"))]
        update = self.cache.update

        def watched(keys, values, layer, *rest, **named):
            read = update(keys, values, layer, *rest, **named)
            for what, states in zip(("keys", "values"), read):
                self.taps.append((tap_name(f"{attention[layer]}/kv_cache.{what}", self.call), states.clone()))
            return read

        self.cache.update = watched
        for path, module in model.named_modules():
            if path:
                module.register_forward_hook(self.hook(path))
        self.cache_name = "cache" if "cache" in inspect.signature(model.forward).parameters else "past_key_values"

    def hook(self, path):
        def keep(_module, _inputs, output):
            found = leaves(output)
            for place, value in found:
                name = tap_name(path, self.call)
                self.taps.append((name if len(found) == 1 else f"{name}:{place}", value.clone()))

        return keep

    def feed(self, inputs):
        """The best next token of each row."""
        with torch.no_grad():
            logits = self.model(**inputs, **{self.cache_name: self.cache}, use_cache=True).logits
        self.taps.append((tap_name("<output>", self.call), logits))
        self.call += 1
        return logits[:, -1].argmax(-1, keepdim=True)

    def decode(self, inputs, steps):
        """The tokens [batch, steps] that are fed behind the prompt."""
        step = dict(inputs)
        tokens = []
        token = self.feed(step)
        for _ in range(steps):
            tokens.append(token)
            step["input_ids"] = token
            if "attention_mask" in step:
                step["attention_mask"] = torch.nn.functional.pad(step["attention_mask"], (0, 1), value=1)
            if "position_ids" in step:
                step["position_ids"] = step["position_ids"][:, -1:] + 1
            token = self.feed(step)
        return torch.cat(tokens, -1)


def as_job(inputs):
    return {name: {"shape": list(value.shape), "data": value.flatten().tolist()} for name, value in inputs.items()}


def prepare(case, index, folder):
    """Saves one case; returns the job for decoder_dump, with the library's tokens, and the taps of the library."""
    folder.mkdir()
    write_config(case, folder)
    config = transformers.AutoConfig.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_config(config, attn_implementation="sdpa").eval()
    realistic_weights(model, seed=index)
    file = save_weights(case, model, folder)
    model = cast_as_loaded(model, case["dtype"])
    inputs = make_inputs(case, seed=2000 + index)
    library = Library(model)
    tokens = library.decode(inputs, case["steps"])
    job = {"model": str(file), "config": str(folder / "config.json"), "inputs": as_job(inputs), "out": str(folder / "greedy"),
           "greedy": case["steps"]}
    if case["dtype"]:
        job["dtype"] = case["dtype"]
    return job, tokens, library.taps


def given(job, tokens, out):
    """The same run with the tokens given instead of chosen."""
    job = {key: value for key, value in job.items() if key != "greedy"}
    return {**job, "inputs": {**job["inputs"], **as_job({"decode_tokens": tokens})}, "out": out}


def bits(tensor):
    return tensor.contiguous().view(torch.uint8 if tensor.dim() else tensor.dtype)


def compare(ours, library):
    ours = [tap for tap in ours if not tap[0].split("#")[0].endswith("/aten.scaled_dot_product_attention")]
    for (name, mine), (wanted, theirs) in zip(ours, library):
        assert name == wanted, f"{name} stands where the library has {wanted}"
        assert mine.shape == theirs.shape, f"{name}: shape {list(mine.shape)}, library {list(theirs.shape)}"
        assert mine.dtype == theirs.dtype, f"{name}: {mine.dtype}, library {theirs.dtype}"
        assert torch.equal(bits(mine), bits(theirs)), (
            f"{name}: {int((mine != theirs).sum())} of {mine.numel()} elements differ")
        assert mine.numel() == 1 or len(mine.unique()) > 1, f"{name}: constant, which proves nothing"
    assert len(ours) == len(library), f"{len(ours)} taps, library {len(library)}"


def check(case, folder, tokens, library):
    greedy = read_dump(str(folder / "greedy"))
    assert greedy[0][0] == "decode_tokens", greedy[0][0]
    assert torch.equal(greedy[0][1], tokens), f"chose {greedy[0][1].tolist()}, library {tokens.tolist()}"
    compare(greedy[1:], library)
    forced = read_dump(str(folder / "given"))
    assert [name for name, _ in forced] == [name for name, _ in greedy[1:]]
    changed = [name for (name, one), (_, other) in zip(forced, greedy[1:]) if not torch.equal(bits(one), bits(other))]
    assert not changed, f"given tokens change {changed}"
    bare = read_dump(str(folder / "bare"))
    outputs = [(name, value) for name, value in library if name.startswith("<output>")]
    assert [name for name, _ in bare] == [name for name, _ in outputs]
    changed = [name for (name, one), (_, other) in zip(bare, outputs) if not torch.equal(bits(one), bits(other))]
    assert not changed, f"outputs change when nobody watches: {changed}"
    assert len(outputs) == case["steps"] + 1
    return f"{len(library)} taps equal in every bit over {case['steps']} steps"


def fault_job(job, tokens, change, folder, number):
    out = str(folder / f"fault{number}")
    wrong = given(job, tokens, out)
    if "token" in change:
        tokens = tokens.clone()
        tokens[:, change["token"] - 1] += 1 - 2 * (tokens[:, change["token"] - 1] > 0).long()
        wrong = given(job, tokens, out)
    if "config" in change:
        file = folder / f"fault{number}.json"
        file.write_text(json.dumps({**json.loads(pathlib.Path(job["config"]).read_text()), **change["config"]}))
        wrong["config"] = str(file)
    return wrong


def check_fault(job, library, first):
    try:
        compare(read_dump(job["out"]), library)
    except AssertionError as error:
        assert str(error).startswith(f"{first}: "), f"expected {first} to differ first, but: {error}"
    else:
        raise AssertionError(f"nothing differs, though {first} must")
    return f"seen first at {first}"


def main():
    dump = sys.argv[1]
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    failures = []
    with tempfile.TemporaryDirectory() as temporary:
        root = pathlib.Path(temporary)
        prepared = {}
        jobs = []
        for index, case in enumerate(CASES):
            folder = root / str(index)
            job, tokens, taps = prepare(case, index, folder)
            prepared[case["name"]] = (case, folder, job, tokens, taps)
            bare = given(job, tokens, str(folder / "bare"))
            jobs += [job, given(job, tokens, str(folder / "given")), {**bare, "instrumentation": "outputs_only"}]
        faults = []
        for number, (name, change, first) in enumerate(FAULTS):
            _, folder, job, tokens, taps = prepared[name]
            wrong = fault_job(job, tokens, change, folder, number)
            faults.append((f"{name} with {change}", wrong, taps, first))
            jobs.append(wrong)
        (root / "jobs.json").write_text(json.dumps(jobs))
        subprocess.run([dump, str(root / "jobs.json")], check=True)

        def report(name, judge):
            try:
                print(f"ok    {name}: {judge()}")
            except AssertionError as error:
                failures.append(name)
                print(f"FAIL  {name}: {error}")

        for name, (case, folder, _, tokens, taps) in prepared.items():
            report(name, lambda: check(case, folder, tokens, taps))
        for name, *arguments in faults:
            report(name, lambda: check_fault(*arguments))
    print(f"{len(failures)} of {len(CASES)} models and {len(FAULTS)} faults failed against transformers "
          f"{transformers.__version__}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
