#!/usr/bin/env python3
"""Holds the built-in decoder against the transformers library: random weights, the same config.json and the same token
ids on both sides; logits and the output of every module must agree in name, order, shape, dtype and value.

Usage: transformers_test.py DECODER_DUMP
"""
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"
import torch
import transformers

from transformers_cases import CASES, FAULTS

PREFIX = {"gpt2": "transformer."}


def realistic_weights(model, seed):
    """Values of the size that trained weights have; the library's own 0.02 leaves hidden states near zero."""
    generator = torch.Generator().manual_seed(seed)
    for name, parameter in model.named_parameters():
        noise = torch.randn(parameter.shape, generator=generator)
        if "norm" in name or "ln_" in name:
            value = 1 + 0.2 * noise if name.endswith("weight") else 0.2 * noise
        elif parameter.dim() == 1:
            value = 0.3 * noise
        elif "embed" in name or "wte" in name or "wpe" in name:
            value = 0.8 * noise
        else:
            value = noise / math.sqrt(min(parameter.shape)) * 1.2
        parameter.data.copy_(value)


def respell(config):
    """The config as versions 4 of the library wrote it."""
    rope = config.pop("rope_parameters", None)
    if rope is not None:
        config["rope_theta"] = rope.pop("rope_theta")
        config["rope_scaling"] = None if rope["rope_type"] == "default" else rope
    config.pop("layer_types", None)
    config["torch_dtype"] = config.pop("dtype", "float32")


def write_config(case, folder):
    config = transformers.AutoConfig.for_model(case["kind"], **case["config"]).to_dict()
    for key in [key for key in config if key.startswith("_")]:
        del config[key]
    if case["spelling"] == "old":
        respell(config)
    (folder / "config.json").write_text(json.dumps(config))


def save_weights(case, model, folder):
    form = case["form"]
    if form in ("safetensors", "sharded"):
        # The config file is the test's own.
        config = (folder / "config.json").read_text()
        model.save_pretrained(folder, max_shard_size="30KB" if form == "sharded" else "5GB")
        (folder / "config.json").write_text(config)
        file = folder / ("model.safetensors.index.json" if form == "sharded" else "model.safetensors")
        assert file.exists(), f"{case['name']}: the library wrote {sorted(p.name for p in folder.iterdir())}"
        return file
    prefix = PREFIX.get(case["kind"], "model.") if "bare" in form else ""
    state = {name.removeprefix(prefix): value for name, value in model.state_dict().items()}
    file = folder / "pytorch_model.bin"
    torch.save(state, file, _use_new_zipfile_serialization="legacy" not in form)
    return file


def make_inputs(case, seed):
    wanted = case["inputs"]
    shape = (wanted["batch"], wanted["tokens"])
    generator = torch.Generator().manual_seed(seed)
    inputs = {"input_ids": torch.randint(0, case["config"]["vocab_size"], shape, generator=generator)}
    if "padding" in wanted:
        inputs["attention_mask"] = torch.tensor([[0] * left + [1] * (shape[1] - left) for left in wanted["padding"]])
    if "positions" in wanted:
        inputs["position_ids"] = torch.tensor(wanted["positions"])
    return inputs


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


def library_taps(model, inputs):
    """What a forward hook on every module sees, in order; the logits as `<output>`."""
    taps = []

    def hook(path):
        def keep(_module, _inputs, output):
            found = leaves(output)
            taps.extend((path if len(found) == 1 else f"{path}:{place}", value.clone()) for place, value in found)

        return keep

    handles = [module.register_forward_hook(hook(path)) for path, module in model.named_modules() if path]
    with torch.no_grad():
        logits = model(**inputs, use_cache=False).logits
    for handle in handles:
        handle.remove()
    return taps + [("<output>", logits)]


def cast_as_loaded(model, dtype):
    """Loading in a dtype leaves the rotary frequencies in float32; casting a loaded model would round them."""
    if not dtype:
        return model
    frequencies = {name: buffer.clone() for name, buffer in model.named_buffers()}
    model = model.to(getattr(torch, dtype))
    for name, buffer in frequencies.items():
        path, _, leaf = name.rpartition(".")
        setattr(model.get_submodule(path), leaf, buffer)
    return model


def prepare(case, index, folder):
    """Saves one case; returns the job for decoder_dump and the taps of the library."""
    folder.mkdir()
    write_config(case, folder)
    config = transformers.AutoConfig.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_config(config, attn_implementation="sdpa").eval()
    realistic_weights(model, seed=index)
    file = save_weights(case, model, folder)
    model = cast_as_loaded(model, case["dtype"])
    inputs = make_inputs(case, seed=1000 + index)
    taps = library_taps(model, inputs)
    job = {
        "model": str(file),
        "config": str(folder / "config.json"),
        "inputs": {name: {"shape": list(value.shape), "data": value.flatten().tolist()}
                   for name, value in inputs.items()},
        "out": str(folder / "taps"),
    }
    if case["dtype"]:
        job["dtype"] = case["dtype"]
    return job, taps


def read_dump(path):
    lines = [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]
    if lines and "error" in lines[0]:
        raise AssertionError(f"refused: {lines[0]['error']}")
    content = bytearray(pathlib.Path(path + ".bin").read_bytes())
    return [(line["name"], torch.frombuffer(content, dtype=getattr(torch, line["dtype"]), offset=line["offset"],
                                            count=math.prod(line["shape"])).reshape(line["shape"]))
            for line in lines]


def nrmse(candidate, reference):
    """norm(c - r) / norm(r) over numbers; infinite where only one side has a number."""
    candidate, reference = candidate.double(), reference.double()
    if not torch.equal(candidate.isnan(), reference.isnan()):
        return math.inf
    difference = (candidate - reference).nan_to_num().norm().item()
    scale = reference.nan_to_num().norm().item()
    return difference / scale if scale > 0 else (0.0 if difference == 0 else math.inf)


def is_op(name):
    return "/" in name


def compare(case, ours, library):
    names = [name for name, _ in ours if not is_op(name)]
    wanted = [name for name, _ in library]
    assert sorted(names) == sorted(wanted), (
        f"without a tap: {sorted(set(wanted) - set(names))}; without a module: {sorted(set(names) - set(wanted))}")
    assert names == wanted, f"order differs: {names} against {wanted}"
    attention = [name for name, _ in ours if is_op(name)]
    layers = case["config"].get("n_layer") or case["config"]["num_hidden_layers"]
    assert len(attention) == layers and all(n.endswith("attn/aten.scaled_dot_product_attention") for n in attention), (
        f"op taps: {attention}")
    worst = 0.0
    for (name, mine), (_, theirs) in zip([tap for tap in ours if not is_op(tap[0])], library):
        assert mine.shape == theirs.shape, f"{name}: shape {list(mine.shape)}, library {list(theirs.shape)}"
        assert mine.dtype == theirs.dtype, f"{name}: {mine.dtype}, library {theirs.dtype}"
        spread = theirs.double().nan_to_num().std().item() if theirs.numel() > 1 else 1
        assert spread > 1e-3, f"{name}: constant, which proves nothing"
        error = nrmse(mine, theirs)
        assert error <= case["bound"], f"{name}: nrmse {error:.3g} is above {case['bound']:.3g}"
        worst = max(worst, error)
    return worst


def instrumentation_jobs(job, folder):
    """The same model with taps off and with every operator tapped: the arithmetic must not change."""
    return [{**job, "out": str(folder / "bare"), "instrumentation": "outputs_only"},
            {**job, "out": str(folder / "ops"), "depth": "ops"}]


def check_instrumentation(job, folder):
    tapped = dict(read_dump(job["out"]))
    bare = read_dump(str(folder / "bare"))
    assert [name for name, _ in bare] == ["<output>"], [name for name, _ in bare]
    assert torch.equal(bare[0][1], tapped["<output>"]), "the output changes when nobody watches"
    ops = dict(read_dump(str(folder / "ops")))
    missing = set(tapped) - set(ops)
    assert not missing and len(ops) > len(tapped), f"depth ops lacks {missing}"
    changed = [name for name, value in tapped.items() if not torch.equal(value, ops[name])]
    assert not changed, f"depth ops changes {changed}"


def fault_job(job, number, change, folder):
    """The job with a wrong config on the decoder's side alone."""
    config = json.loads(pathlib.Path(job["config"]).read_text())
    file = folder / f"fault{number}.json"
    file.write_text(json.dumps({**config, **change}))
    return {**job, "config": str(file), "out": str(folder / f"fault{number}")}


def check_fault(case, ours, library, first):
    try:
        compare(case, ours, library)
    except AssertionError as error:
        assert str(error).startswith(f"{first}: nrmse"), f"expected {first} to differ first, but: {error}"
    else:
        raise AssertionError(f"nothing differs, though {first} must")


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
            job, taps = prepare(case, index, folder)
            prepared[case["name"]] = (case, folder, job, taps)
            jobs += [job, *instrumentation_jobs(job, folder)]
        faults = []
        for number, (name, change, first) in enumerate(FAULTS):
            case, folder, job, taps = prepared[name]
            wrong = fault_job(job, number, change, folder)
            faults.append((f"{name} with {change}", case, wrong, taps, first))
            jobs.append(wrong)
        (root / "jobs.json").write_text(json.dumps(jobs))
        subprocess.run([dump, str(root / "jobs.json")], check=True)

        def report(name, check):
            try:
                print(f"ok    {name}: {check()}")
            except AssertionError as error:
                failures.append(name)
                print(f"FAIL  {name}: {error}")

        def agreement(case, folder, job, taps):
            worst = compare(case, read_dump(job["out"]), taps)
            check_instrumentation(job, folder)
            return f"{len(taps)} taps, worst nrmse {worst:.2g}"

        def fault_seen(case, job, taps, first):
            check_fault(case, read_dump(job["out"]), taps, first)
            return f"seen first at {first}"

        for name, arguments in prepared.items():
            report(name, lambda: agreement(*arguments))
        for name, *arguments in faults:
            report(name, lambda: fault_seen(*arguments))
    print(f"{len(failures)} of {len(CASES)} models and {len(FAULTS)} faults failed against transformers "
          f"{transformers.__version__}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
