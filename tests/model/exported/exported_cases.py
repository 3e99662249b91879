"""Models that exported_programs_test.py exports: what to export, with which inputs, and what they are then given."""
import json
import os
import pathlib
import sys

os.environ["HF_HUB_OFFLINE"] = "1"
import torch
import transformers
from torch import nn
from torch.export import Dim

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts"))
import fixture_decoder


class Convolutions(nn.Module):
    """Convolutions, normalisation, in-place activations, pooling."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.BatchNorm2d(8), nn.ReLU(inplace=True))
        self.body = nn.Sequential(nn.Conv2d(8, 8, 3, padding=1, groups=2), nn.GroupNorm(2, 8), nn.SiLU())
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(8, 5)

    def forward(self, image):
        features = self.stem(image)
        features = features + self.body(features)
        return self.head(self.pool(features).flatten(1))


class Twice(nn.Module):
    """One layer called three times, and once inside a block that is called twice."""

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(6, 6)
            self.act = nn.ReLU(inplace=True)

        def forward(self, x):
            return self.act(self.layer(x)) + x

    def __init__(self):
        super().__init__()
        self.block = Twice.Block()
        self.shared = nn.Linear(6, 6)

    def forward(self, x):
        x = self.shared(self.block(self.shared(x)))
        return self.shared(self.block(x))


class Outputs(nn.Module):
    """A dict with a tuple and a number in it; submodules with two outputs."""

    class Pair(nn.Module):
        def forward(self, x):
            return x.sin(), x.cos()

    def __init__(self):
        super().__init__()
        self.pair = Outputs.Pair()
        self.left = nn.Linear(4, 4)

    def forward(self, x, scale):
        sine, cosine = self.pair(x)
        left, right = self.left(sine * cosine).chunk(2, -1)
        return {"logits": left @ right.transpose(-1, -2), "parts": (left, [right * scale["by"], x.shape[0]])}


class Tuple(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 3)
        self.second = nn.Linear(3, 2)

    def forward(self, x):
        hidden = self.first(x).tanh()
        return hidden, self.second(hidden)


class Buffers(nn.Module):
    """Writes into its buffers, through a view too, and into its input."""

    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))
        self.register_buffer("memory", torch.zeros(3, 4))
        self.register_buffer("offset", torch.linspace(0, 1, 4), persistent=False)
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        self.calls.add_(1)
        self.memory[1:].mul_(0.5).add_(x.mean(0))
        y = self.layer(x) + self.memory.sum(0) * self.calls + self.offset
        x.add_(1)
        return y * x


class Constants(nn.Module):
    """Tensors that are made in the code, kept as attributes, or of other dtypes."""

    def __init__(self):
        super().__init__()
        self.table = torch.arange(12, dtype=torch.int32).reshape(3, 4)
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        weights = torch.tensor([0.5, 1.5, -2.0, 4.0])
        mask = torch.tensor([True, False, True, True])
        return torch.where(mask, self.layer(x) * weights, self.table[1].to(x.dtype)) + torch.full((4,), 3.0)


class Tied(nn.Module):
    """The embedding is the head, and one layer is another's transposed view."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(40, 8)
        self.mix = nn.Linear(8, 8, bias=False)
        self.head = nn.Linear(8, 40, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, tokens):
        return self.head(self.mix(self.embed(tokens)))


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(5, 6, num_layers=2, batch_first=True)
        self.gru = nn.GRU(6, 4, batch_first=True)
        self.head = nn.Linear(4, 3)

    def forward(self, x):
        x, _ = self.lstm(x)
        x, state = self.gru(x)
        return self.head(x), state


class Sizes(nn.Module):
    """Arithmetic with sizes and a number among the inputs."""

    def forward(self, x, count):
        half = x.shape[0] // 2 + count
        flat = x.reshape(-1)[:half] * (x.shape[1] ** 2) / x.shape[0]
        return flat, x.new_zeros(max(x.shape[0], count)), x.shape[1] * 3


class Branches(nn.Module):
    """torch.cond: one of two layers runs."""

    def __init__(self):
        super().__init__()
        self.positive = nn.Linear(4, 4)
        self.negative = nn.Linear(4, 4)

    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: self.positive(x), lambda x: self.negative(x).relu(), (x,)) * 2

    def hooked(self, x):
        """In place of hooks, which torch.cond takes none of: files do not say which module a branch calls."""
        return {"/aten.linear": (self.positive if x.sum() > 0 else self.negative)(x)}


class Loop(nn.Module):
    """A while loop over a layer."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, count, x):
        from torch._higher_order_ops.while_loop import while_loop

        return while_loop(lambda i, _: i < 3, lambda i, x: (i + 1, self.layer(x).tanh()), (count, x))

    def hooked(self, count, x):
        taps = {}
        for call in range(3):
            taps["/aten.linear" + (f"#{call}" if call else "")] = self.layer(x)
            x = self.layer(x).tanh()
        return taps


class Autocast(nn.Module):
    """A part in bfloat16, and a part with gradients off."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 8)
        self.second = nn.Linear(8, 8)

    def forward(self, x):
        x = self.first(x)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = self.second(x)
            with torch.autocast("cpu", enabled=False):
                z = self.second(x)
        with torch.no_grad():
            scale = x.abs().mean()
        return y * scale, z


def text_config(**more):
    return dict(vocab_size=96, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
                max_position_embeddings=64, attn_implementation="sdpa") | more


def tokens(*shape, seed=0, vocabulary=96):
    return torch.randint(0, vocabulary, shape, generator=torch.Generator().manual_seed(seed))


def values(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


BATCH = Dim("batch", min=2, max=16)
LENGTH = Dim("length", min=2, max=48)
SEQUENCES = {0: BATCH, 1: LENGTH}


def language_model(model, **more):
    """Exported for a dynamic batch and length, and given others than it was exported with."""
    return dict(model=model, args=(), kwargs={"input_ids": tokens(2, 8), "use_cache": False},
                dynamic={"input_ids": SEQUENCES, "use_cache": None},
                given=[{"input_ids": tokens(3, 13, seed=1)}, tokens(5, 4, seed=2)]) | more


def gpt2():
    return transformers.GPT2LMHeadModel(
        transformers.GPT2Config(vocab_size=96, n_embd=32, n_layer=2, n_head=4, n_positions=64, bos_token_id=0,
                                eos_token_id=0))


def llama(heads):
    """`heads` of keys and values; of an exported length that may change as many as of queries, since another number
    makes the exporter ask for a condition on the length."""
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(**text_config(num_key_value_heads=heads)))


def qwen3():
    return transformers.Qwen3ForCausalLM(
        transformers.Qwen3Config(**text_config(num_key_value_heads=2, head_dim=8, tie_word_embeddings=True)))


def qwen2():
    return transformers.Qwen2ForCausalLM(transformers.Qwen2Config(**text_config(num_key_value_heads=2)))


def with_cache():
    """Hands out its cache, an object that holds tensors."""
    from transformers.integrations import executorch

    executorch.register_dynamic_cache_export_support()
    return llama(2)


def with_static_cache():
    """Writes keys and values into buffers."""
    from transformers.integrations.executorch import TorchExportableModuleWithStaticCache

    model = llama(2).eval()
    model.generation_config = transformers.GenerationConfig(
        use_cache=True, cache_implementation="static", max_length=16,
        cache_config={"batch_size": 1, "max_cache_len": 16})
    return TorchExportableModuleWithStaticCache(model, batch_size=1, max_cache_len=16)


def bert():
    return transformers.BertModel(transformers.BertConfig(**text_config()))


def trained_decoder():
    """The decoder of fixtures/, with its trained weights."""
    model = fixture_decoder.CausalLM(fixture_decoder.Config())
    model.load_state_dict(torch.load(ROOT / "fixtures/decoder/model.pt", weights_only=True))
    return model


def prompt(name):
    return torch.tensor(json.loads((ROOT / f"fixtures/decoder/inputs/{name}.json").read_text()))


def make_cases():
    """name -> how to export; `decompose` runs the decompositions, too, as a further program."""
    masked = {"input_ids": tokens(2, 8), "attention_mask": torch.tensor([[1] * 8, [1] * 5 + [0] * 3])}
    return {
        "fixture": dict(model=trained_decoder(), args=(prompt("prose"),), dynamic=({1: Dim.AUTO},),
                        given=[prompt("code"), prompt("code")[:, :7]]),
        "gpt2": language_model(gpt2()),
        "llama": language_model(llama(4)),
        "llama_fixed": dict(model=llama(2), args=(tokens(2, 8),), kwargs={"use_cache": False}, decompose=True),
        "qwen3": language_model(qwen3(), kwargs={"input_ids": tokens(2, 8), "use_cache": False}, dynamic=None, given=[]),
        "qwen2": dict(model=qwen2(), args=(), kwargs={"input_ids": tokens(2, 8), "use_cache": False}, decompose=True),
        "cache": dict(model=with_cache(), args=(), kwargs={"input_ids": tokens(2, 6), "use_cache": True}),
        "static_cache": dict(model=with_static_cache(), args=(),
                             kwargs={"input_ids": tokens(1, 1), "cache_position": torch.tensor([0])},
                             hooks="none"),  # its state cannot be copied for a fresh run
        "bert": dict(model=bert(), args=(), kwargs=masked,
                     dynamic={"input_ids": SEQUENCES, "attention_mask": SEQUENCES}, decompose=True,
                     given=[{"input_ids": tokens(3, 6, seed=3), "attention_mask": torch.ones(3, 6, dtype=torch.int64)}]),
        "convolutions": dict(model=Convolutions(), args=(values(2, 3, 16, 16),), dynamic=({0: BATCH},), decompose=True,
                             given=[values(4, 3, 16, 16, seed=1)]),
        "twice": dict(model=Twice(), args=(values(3, 6),)),
        "twice_strict": dict(model=Twice(), args=(values(3, 6),), strict=True, decompose=True),
        "outputs": dict(model=Outputs(), args=(values(3, 4),), kwargs={"scale": {"by": values(3, 2)}},
                        decompose=True),
        "tuple": dict(model=Tuple(), args=(values(3, 4),), dynamic=({0: BATCH},), given=[(values(7, 4, seed=5),)]),
        "buffers": dict(model=Buffers(), args=(values(3, 4),), decompose=True),
        "constants": dict(model=Constants(), args=(values(3, 4),), decompose=True),
        "tied": dict(model=Tied(), args=(tokens(2, 5, vocabulary=40),)),
        "recurrent": dict(model=Recurrent(), args=(values(2, 7, 5),)),
        "sizes": dict(model=Sizes(), args=(values(6, 4), 3),
                      dynamic=({0: Dim("a", min=2), 1: Dim("b", min=2)}, Dim.DYNAMIC), given=[(values(9, 5), 4)]),
        "branches": dict(model=Branches(), args=(values(3, 4).abs(),), given=[-values(3, 4).abs()]),
        "loop": dict(model=Loop(), args=(torch.tensor(0), values(3, 4))),
        "autocast": dict(model=Autocast(), args=(values(4, 8),)),
        "preserved": dict(model=Outputs(), args=(values(3, 4),), kwargs={"scale": {"by": values(3, 2)}},
                          preserve=("pair", "left")),
        "bfloat16": dict(model=Tuple().to(torch.bfloat16), args=(values(3, 4).to(torch.bfloat16),)),
    }
