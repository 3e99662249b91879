#!/usr/bin/env python3
"""Trains the decoder fixture, a byte-level Transformer, on the Python standard library.

One training gives the same model as a bare state_dict with config.json and as TorchScript. Needs
torch alone. Refuses to call a model trained that is not: the held-out loss must be below half the
unigram entropy of the corpus.

    scripts/train_fixture.py --device cuda --out fixtures/decoder
"""

import argparse
import ast
import dataclasses
import hashlib
import json
import math
import os
import pathlib
import platform
import re
import sys
import sysconfig
import time
from typing import Dict, List, Tuple

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # cuBLAS is deterministic only with it

import torch
import torch.nn.functional as F
from torch import nn

from fixture_decoder import CausalLM, Config

# Distributions strip the library's tests; encodings are tables of numbers, not text.
EXCLUDED_FOLDERS = {
    "site-packages",
    "dist-packages",
    "test",
    "tests",
    "idle_test",
    "lib2to3",
    "encodings",
}
HELD_OUT_EVERY_FILES = 20
PROMPT_TOKENS = 40
PROSE = re.compile(r"[A-Z][A-Za-z ,.;'-]*\.")
LOSS_SHARE_OF_ENTROPY = 0.5


@dataclasses.dataclass
class Corpus:
    train: bytes
    held_out: bytes
    held_out_files: List[pathlib.Path]
    folder: pathlib.Path
    digest: str


def read_corpus(limit_bytes: int) -> Corpus:
    folder = pathlib.Path(sysconfig.get_paths()["stdlib"])
    files = []
    for file in folder.rglob("*.py"):
        if not EXCLUDED_FOLDERS.intersection(file.relative_to(folder).parts):
            files.append(file)
    files.sort(key=lambda file: file.relative_to(folder).as_posix())
    parts = ([], [])  # train, held out
    held_out_files = []
    total_bytes = 0
    digest = hashlib.sha256()
    for index, file in enumerate(files):
        if total_bytes >= limit_bytes:
            break
        text = file.read_bytes()[: limit_bytes - total_bytes]
        total_bytes += len(text)
        digest.update(text)
        held_out = index % HELD_OUT_EVERY_FILES == HELD_OUT_EVERY_FILES - 1
        parts[held_out].append(text)
        if held_out:
            held_out_files.append(file)
    train, held_out_text = b"".join(parts[0]), b"".join(parts[1])
    if min(len(train), len(held_out_text)) < 10_000:
        sys.exit(
            f"error: too little Python source in {folder} ({total_bytes} bytes); "
            "use a full Python installation"
        )
    return Corpus(train, held_out_text, held_out_files, folder, digest.hexdigest())


def unigram_entropy_nats(text: bytes) -> float:
    counts = torch.bincount(
        torch.frombuffer(bytearray(text), dtype=torch.uint8).long(), minlength=256
    ).double()
    share = counts[counts > 0] / counts.sum()
    return float(-(share * share.log()).sum())


class Sampler:
    """Random windows of the corpus; the choice comes from the seed alone, not from the device."""

    def __init__(self, text: bytes, window_tokens: int, device: torch.device, seed: int):
        self.tokens = torch.frombuffer(bytearray(text), dtype=torch.uint8).to(device)
        self.offsets = torch.arange(window_tokens + 1, device=device)
        self.last_start = len(text) - window_tokens - 1
        self.random = torch.Generator().manual_seed(seed)

    def next(self, batch: int) -> Tuple[torch.Tensor, torch.Tensor]:
        starts = torch.randint(self.last_start, (batch, 1), generator=self.random).to(
            self.tokens.device
        )
        window = self.tokens[starts + self.offsets].long()
        return window[:, :-1], window[:, 1:]


def loss_of(model: nn.Module, inputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    with torch.autocast("cuda", dtype=torch.bfloat16, enabled=inputs.is_cuda):
        logits = model(inputs)
    return F.cross_entropy(logits.float().flatten(0, 1), targets.flatten())


@torch.no_grad()
def mean_loss_nats(
    model: nn.Module, text: bytes, options: argparse.Namespace, batches: int
) -> float:
    sampler = Sampler(text, options.context, options.device, seed=options.seed + 1)
    model.eval()
    losses = [loss_of(model, *sampler.next(options.batch)).item() for _ in range(batches)]
    model.train()
    return sum(losses) / len(losses)


def learning_rate(step: int, options: argparse.Namespace) -> float:
    warmup_steps = min(100, max(1, options.steps // 10))
    if step < warmup_steps:
        return options.lr * (step + 1) / warmup_steps
    done = (step - warmup_steps) / max(1, options.steps - warmup_steps)
    return options.lr * (0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * done)))


def train(model: nn.Module, corpus: Corpus, options: argparse.Namespace) -> None:
    decayed = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() <= 1]
    groups = [{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=options.lr, betas=(0.9, 0.95))
    sampler = Sampler(corpus.train, options.context, options.device, options.seed)
    start = time.monotonic()
    for step in range(options.steps):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step, options)
        loss = loss_of(model, *sampler.next(options.batch))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 100 == 99 or step + 1 == options.steps:
            elapsed_s = time.monotonic() - start
            print(
                f"step {step + 1}/{options.steps}  loss {loss.item():.4f} nats  {elapsed_s:.0f} s",
                flush=True,
            )


def english_paragraphs(file: pathlib.Path) -> List[str]:
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):
        return []
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docstrings = [
        ast.get_docstring(node) or "" for node in ast.walk(tree) if isinstance(node, documented)
    ]
    paragraphs = [" ".join(p.split()) for docstring in docstrings for p in docstring.split("\n\n")]
    return [p for p in paragraphs if len(p) >= PROMPT_TOKENS and PROSE.fullmatch(p)]


def find_prose(corpus: Corpus) -> Tuple[pathlib.Path, bytes]:
    """The longest paragraph of a docstring that nothing was trained on."""
    found = [(file, p.encode()) for file in corpus.held_out_files for p in english_paragraphs(file)]
    if not found:
        sys.exit("error: the held-out files document nothing")
    return max(found, key=lambda item: len(item[1]))


def find_code(corpus: Corpus) -> Tuple[pathlib.Path, bytes]:
    """The first function or method that nothing was trained on, from its `def`."""
    for file in corpus.held_out_files:
        text = file.read_bytes()
        start = text.find(b"    def ")
        if start >= 0 and text.isascii() and len(text) - start >= PROMPT_TOKENS:
            return file, text[start:]
    sys.exit("error: the held-out files define no function")


def save_inputs(
    out: pathlib.Path, corpus: Corpus, prompts: Dict[str, Tuple[pathlib.Path, bytes]]
) -> dict:
    folder = out / "inputs"
    folder.mkdir(parents=True, exist_ok=True)
    described = {}
    for name, (file, text) in prompts.items():
        prompt = text[:PROMPT_TOKENS]
        (folder / f"{name}.json").write_text(json.dumps([list(prompt)]) + "\n")
        described[name] = {
            "file": file.relative_to(corpus.folder).as_posix(),
            "text": prompt.decode(),
        }
    return described


def save_model(out: pathlib.Path, model: nn.Module, config: Config) -> None:
    out.mkdir(parents=True, exist_ok=True)
    model = model.cpu().eval()
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    weights = {
        name: tensor.detach().float().contiguous() for name, tensor in model.state_dict().items()
    }
    torch.save(weights, out / "model.pt")
    torch.jit.script(model).save(str(out / "model.torchscript.pt"))
    (out / "config.json").write_text(json.dumps(config.hugging_face(), indent=2) + "\n")


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument(
        "--out", type=pathlib.Path, required=True, help="folder for the model, config and inputs"
    )
    parser.add_argument(
        "--device", type=torch.device, default="cuda" if torch.cuda.is_available() else "cpu"
    )
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--batch", type=int, default=64, help="windows per step")
    parser.add_argument("--context", type=int, default=256, help="tokens per window")
    parser.add_argument("--lr", type=float, default=2e-3, help="peak learning rate")
    parser.add_argument("--corpus-mb", type=float, default=12.0)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument(
        "--allow-untrained", action="store_true", help="write the files whatever the loss is"
    )
    return parser.parse_args()


def describe_training(options: argparse.Namespace, corpus: Corpus, losses: dict) -> dict:
    on_gpu = options.device.type == "cuda"
    return {
        **losses,
        "steps": options.steps,
        "batch": options.batch,
        "context": options.context,
        "learning_rate": options.lr,
        "seed": options.seed,
        "device": torch.cuda.get_device_name(options.device) if on_gpu else "cpu",
        "torch": torch.__version__,
        "python": platform.python_version(),
        "corpus": {
            "name": "Python standard library sources (PSF-2.0)",
            "sha256": corpus.digest,
            "train_bytes": len(corpus.train),
            "held_out_bytes": len(corpus.held_out),
        },
    }


def measure(model: nn.Module, corpus: Corpus, options: argparse.Namespace) -> dict:
    batches = 20 if options.device.type == "cuda" else 1
    entropy_nats = unigram_entropy_nats(corpus.train + corpus.held_out)
    return {
        "parameters": sum(p.numel() for p in model.parameters()),
        "train_loss_nats": mean_loss_nats(model, corpus.train, options, batches),
        "held_out_loss_nats": mean_loss_nats(model, corpus.held_out, options, batches),
        "unigram_entropy_nats": entropy_nats,
        "unigram_entropy_bits": entropy_nats / math.log(2),
    }


def is_trained(losses: dict) -> bool:
    held_out_nats, entropy_nats = losses["held_out_loss_nats"], losses["unigram_entropy_nats"]
    share = held_out_nats / entropy_nats
    entropy_bits = losses["unigram_entropy_bits"]
    print(f"unigram entropy: {entropy_bits:.4f} bits = {entropy_nats:.4f} nats per byte")
    print(f"train loss: {losses['train_loss_nats']:.4f} nats per byte")
    print(f"held-out loss: {held_out_nats:.4f} nats per byte = {share:.3f} x unigram entropy")
    return share < LOSS_SHARE_OF_ENTROPY  # a NaN is not below anything


def main() -> int:
    options = parse_options()
    torch.manual_seed(options.seed)
    torch.use_deterministic_algorithms(True)
    torch.backends.cuda.enable_cudnn_sdp(False)  # its backward pass has no deterministic form
    corpus = read_corpus(int(options.corpus_mb * 1e6))
    prompts = {"prose": find_prose(corpus), "code": find_code(corpus)}
    print(f"python {platform.python_version()}, torch {torch.__version__}, {options.device}")
    print(f"corpus: {len(corpus.train)} bytes to train, {len(corpus.held_out)} held out")
    print(f"corpus sha256: {corpus.digest}")

    config = Config()
    model = CausalLM(config).to(options.device)
    train(model, corpus, options)
    losses = measure(model, corpus, options)
    if not is_trained(losses) and not options.allow_untrained:
        print(
            f"error: the held-out loss must be below {LOSS_SHARE_OF_ENTROPY} x unigram entropy; "
            "nothing was written, train longer",
            file=sys.stderr,
        )
        return 1

    save_model(options.out, model, config)
    training = describe_training(options, corpus, losses)
    training["inputs"] = save_inputs(options.out, corpus, prompts)
    (options.out / "training.json").write_text(json.dumps(training, indent=2) + "\n")
    print(f"wrote {options.out}/: model.pt model.torchscript.pt config.json training.json inputs/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
