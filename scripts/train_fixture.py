#!/usr/bin/env python3
"""Trains the decoder fixture: a byte-level Transformer on the Python standard library's own sources.

The architecture is Hugging Face's `llama` to the letter (parameter and module names included), written as plain
modules that torch.jit.script accepts, so one training gives the same model as a bare state_dict with config.json and
as TorchScript. Needs torch alone. Refuses to call a model trained that is not: the held-out loss must be below half
the unigram entropy of the corpus.

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

# Tests of the library are excluded because distributions strip them; encodings are tables of numbers, not text.
EXCLUDED_FOLDERS = {"site-packages", "dist-packages", "test", "tests", "idle_test", "lib2to3", "encodings"}
HELD_OUT_EVERY_FILES = 20
PROMPT_TOKENS = 40
PROSE = re.compile(r"[A-Z][A-Za-z ,.;'-]*\.")
LOSS_SHARE_OF_ENTROPY = 0.5


@dataclasses.dataclass(frozen=True)
class Config:
    vocab_size: int = 256
    hidden_size: int = 256
    intermediate_size: int = 704
    num_hidden_layers: int = 4
    num_attention_heads: int = 4
    num_key_value_heads: int = 2
    head_dim: int = 64
    max_position_embeddings: int = 256
    rms_norm_eps: float = 1e-5
    rope_theta: float = 10000.0
    initializer_range: float = 0.02

    def hugging_face(self) -> dict:
        fixed = {
            "architectures": ["LlamaForCausalLM"],
            "model_type": "llama",
            "hidden_act": "silu",
            "attention_bias": False,
            "mlp_bias": False,
            "attention_dropout": 0.0,
            "tie_word_embeddings": False,
            "use_cache": False,
            "bos_token_id": None,
            "eos_token_id": None,
            "pad_token_id": None,
            "torch_dtype": "float32",
        }
        return {**fixed, **dataclasses.asdict(self)}


class RMSNorm(nn.Module):
    def __init__(self, size: int, eps: float):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def forward(self, hidden_states: torch.Tensor) -> torch.Tensor:
        input_dtype = hidden_states.dtype
        hidden_states = hidden_states.to(torch.float32)
        variance = hidden_states.pow(2).mean(-1, keepdim=True)
        hidden_states = hidden_states * torch.rsqrt(variance + self.eps)
        return self.weight * hidden_states.to(input_dtype)


class RotaryEmbedding(nn.Module):
    inv_freq: List[float]

    def __init__(self, config: Config):
        super().__init__()
        exponent = torch.arange(0, config.head_dim, 2, dtype=torch.float) / config.head_dim
        # Numbers instead of a buffer: a buffer would be rounded when the model is cast to a 16-bit dtype.
        self.inv_freq = (1.0 / (config.rope_theta**exponent)).tolist()

    def forward(self, x: torch.Tensor, position_ids: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
        inv_freq = torch.tensor(self.inv_freq, dtype=torch.float32, device=x.device)  # [head_dim / 2]
        freqs = position_ids.unsqueeze(-1).float() * inv_freq  # [batch, tokens, head_dim / 2]
        emb = torch.cat((freqs, freqs), dim=-1)
        return emb.cos().to(dtype=x.dtype), emb.sin().to(dtype=x.dtype)


def rotate_half(x: torch.Tensor) -> torch.Tensor:
    half = x.size(-1) // 2
    return torch.cat((-x[..., half:], x[..., :half]), dim=-1)


def repeat_kv(x: torch.Tensor, repeats: int) -> torch.Tensor:
    batch, heads, tokens, head_dim = x.size(0), x.size(1), x.size(2), x.size(3)
    x = x.unsqueeze(2).expand(batch, heads, repeats, tokens, head_dim)
    return x.reshape(batch, heads * repeats, tokens, head_dim)


class Attention(nn.Module):
    def __init__(self, config: Config):
        super().__init__()
        self.head_dim = config.head_dim
        self.repeats = config.num_attention_heads // config.num_key_value_heads
        query_size = config.num_attention_heads * config.head_dim
        key_size = config.num_key_value_heads * config.head_dim
        self.q_proj = nn.Linear(config.hidden_size, query_size, bias=False)
        self.k_proj = nn.Linear(config.hidden_size, key_size, bias=False)
        self.v_proj = nn.Linear(config.hidden_size, key_size, bias=False)
        self.o_proj = nn.Linear(query_size, config.hidden_size, bias=False)

    def forward(self, hidden_states: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
        batch, tokens = hidden_states.size(0), hidden_states.size(1)
        query = self.q_proj(hidden_states).view(batch, tokens, -1, self.head_dim).transpose(1, 2)
        key = self.k_proj(hidden_states).view(batch, tokens, -1, self.head_dim).transpose(1, 2)
        value = self.v_proj(hidden_states).view(batch, tokens, -1, self.head_dim).transpose(1, 2)
        cos, sin = cos.unsqueeze(1), sin.unsqueeze(1)
        query = (query * cos) + (rotate_half(query) * sin)  # [batch, heads, tokens, head_dim]
        key = (key * cos) + (rotate_half(key) * sin)  # [batch, kv heads, tokens, head_dim]
        output = F.scaled_dot_product_attention(
            query, repeat_kv(key, self.repeats), repeat_kv(value, self.repeats), is_causal=True
        )
        return self.o_proj(output.transpose(1, 2).reshape(batch, tokens, -1))


class MLP(nn.Module):
    def __init__(self, config: Config):
        super().__init__()
        self.gate_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size, bias=False)
        self.act_fn = nn.SiLU()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x))


class DecoderLayer(nn.Module):
    def __init__(self, config: Config):
        super().__init__()
        self.self_attn = Attention(config)
        self.mlp = MLP(config)
        self.input_layernorm = RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.post_attention_layernorm = RMSNorm(config.hidden_size, config.rms_norm_eps)

    def forward(self, hidden_states: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
        hidden_states = hidden_states + self.self_attn(self.input_layernorm(hidden_states), cos, sin)
        return hidden_states + self.mlp(self.post_attention_layernorm(hidden_states))


class Decoder(nn.Module):
    def __init__(self, config: Config):
        super().__init__()
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList([DecoderLayer(config) for _ in range(config.num_hidden_layers)])
        self.norm = RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.rotary_emb = RotaryEmbedding(config)

    def forward(self, input_ids: torch.Tensor) -> torch.Tensor:
        hidden_states = self.embed_tokens(input_ids)  # [batch, tokens, hidden]
        position_ids = torch.arange(input_ids.size(1), device=input_ids.device).unsqueeze(0)
        cos, sin = self.rotary_emb(hidden_states, position_ids)
        for layer in self.layers:
            hidden_states = layer(hidden_states, cos, sin)
        return self.norm(hidden_states)


class CausalLM(nn.Module):
    def __init__(self, config: Config):
        super().__init__()
        self.model = Decoder(config)
        self.lm_head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=config.initializer_range)

    def forward(self, input_ids: torch.Tensor) -> torch.Tensor:
        return self.lm_head(self.model(input_ids))  # [batch, tokens, vocab]


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
        sys.exit(f"error: too little Python source in {folder} ({total_bytes} bytes); use a full Python installation")
    return Corpus(train, held_out_text, held_out_files, folder, digest.hexdigest())


def unigram_entropy_nats(text: bytes) -> float:
    counts = torch.bincount(torch.frombuffer(bytearray(text), dtype=torch.uint8).long(), minlength=256).double()
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
        starts = torch.randint(self.last_start, (batch, 1), generator=self.random).to(self.tokens.device)
        window = self.tokens[starts + self.offsets].long()
        return window[:, :-1], window[:, 1:]


def loss_of(model: nn.Module, inputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    with torch.autocast("cuda", dtype=torch.bfloat16, enabled=inputs.is_cuda):
        logits = model(inputs)
    return F.cross_entropy(logits.float().flatten(0, 1), targets.flatten())


@torch.no_grad()
def mean_loss_nats(model: nn.Module, text: bytes, options: argparse.Namespace, batches: int) -> float:
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
            print(f"step {step + 1}/{options.steps}  loss {loss.item():.4f} nats  {elapsed_s:.0f} s", flush=True)


def english_paragraphs(file: pathlib.Path) -> List[str]:
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):
        return []
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docstrings = [ast.get_docstring(node) or "" for node in ast.walk(tree) if isinstance(node, documented)]
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


def save_inputs(out: pathlib.Path, corpus: Corpus, prompts: Dict[str, Tuple[pathlib.Path, bytes]]) -> dict:
    folder = out / "inputs"
    folder.mkdir(parents=True, exist_ok=True)
    described = {}
    for name, (file, text) in prompts.items():
        prompt = text[:PROMPT_TOKENS]
        (folder / f"{name}.json").write_text(json.dumps([list(prompt)]) + "\n")
        described[name] = {"file": file.relative_to(corpus.folder).as_posix(), "text": prompt.decode()}
    return described


def save_model(out: pathlib.Path, model: nn.Module, config: Config) -> None:
    out.mkdir(parents=True, exist_ok=True)
    model = model.cpu().eval()
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    weights = {name: tensor.detach().float().contiguous() for name, tensor in model.state_dict().items()}
    torch.save(weights, out / "model.pt")
    torch.jit.script(model).save(str(out / "model.torchscript.pt"))
    (out / "config.json").write_text(json.dumps(config.hugging_face(), indent=2) + "\n")


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder for the model, config and inputs")
    parser.add_argument("--device", type=torch.device, default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--batch", type=int, default=64, help="windows per step")
    parser.add_argument("--context", type=int, default=256, help="tokens per window")
    parser.add_argument("--lr", type=float, default=2e-3, help="peak learning rate")
    parser.add_argument("--corpus-mb", type=float, default=12.0)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--allow-untrained", action="store_true", help="write the files whatever the loss is")
    return parser.parse_args()


def main() -> int:
    options = parse_options()
    torch.manual_seed(options.seed)
    torch.use_deterministic_algorithms(True)
    torch.backends.cuda.enable_cudnn_sdp(False)  # its backward pass has no deterministic form
    corpus = read_corpus(int(options.corpus_mb * 1e6))
    prompts = {"prose": find_prose(corpus), "code": find_code(corpus)}
    entropy_nats = unigram_entropy_nats(corpus.train + corpus.held_out)
    print(f"corpus: {len(corpus.train)} bytes to train, {len(corpus.held_out)} held out, sha256 {corpus.digest}")
    print(f"python {platform.python_version()}, torch {torch.__version__}")
    print(f"unigram entropy: {entropy_nats / math.log(2):.4f} bits = {entropy_nats:.4f} nats per byte")

    config = Config()
    model = CausalLM(config).to(options.device)
    parameters = sum(p.numel() for p in model.parameters())
    print(f"model: {parameters} parameters on {options.device}")
    train(model, corpus, options)
    batches = 20 if options.device.type == "cuda" else 1
    train_nats = mean_loss_nats(model, corpus.train, options, batches)
    held_out_nats = mean_loss_nats(model, corpus.held_out, options, batches)
    share = held_out_nats / entropy_nats
    print(f"train loss {train_nats:.4f} nats, held-out loss {held_out_nats:.4f} nats = {share:.3f} x unigram entropy")
    trained = share < LOSS_SHARE_OF_ENTROPY  # a NaN loss is not below anything
    if not trained and not options.allow_untrained:
        print(f"error: the held-out loss must be below {LOSS_SHARE_OF_ENTROPY} x unigram entropy; nothing was written, "
              "train longer", file=sys.stderr)
        return 1

    save_model(options.out, model, config)
    training = {
        "parameters": parameters,
        "train_loss_nats": train_nats,
        "held_out_loss_nats": held_out_nats,
        "unigram_entropy_nats": entropy_nats,
        "unigram_entropy_bits": entropy_nats / math.log(2),
        "steps": options.steps,
        "batch": options.batch,
        "context": options.context,
        "learning_rate": options.lr,
        "seed": options.seed,
        "device": torch.cuda.get_device_name(options.device) if options.device.type == "cuda" else "cpu",
        "torch": torch.__version__,
        "python": platform.python_version(),
        "corpus": {"name": "Python standard library sources (PSF-2.0)", "sha256": corpus.digest,
                   "train_bytes": len(corpus.train), "held_out_bytes": len(corpus.held_out)},
        "inputs": save_inputs(options.out, corpus, prompts),
    }
    (options.out / "training.json").write_text(json.dumps(training, indent=2) + "\n")
    print(f"wrote {options.out}/model.pt, model.torchscript.pt, config.json, training.json, inputs/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
