"""Small random language models for the built-in decoder: a state_dict and a config.json each."""

import json
import math

import torch

SMALL = dict(
    vocab_size=96,
    hidden_size=64,
    intermediate_size=96,
    num_hidden_layers=4,
    num_attention_heads=4,
    num_key_value_heads=2,
    head_dim=16,
    rope_theta=10000.0,
    rms_norm_eps=1e-6,
    max_position_embeddings=64,
    tie_word_embeddings=False,
)

GPT2 = dict(
    vocab_size=96, n_embd=64, n_layer=4, n_head=4, n_positions=64, tie_word_embeddings=False
)

#: name -> (model_type, sizes, size of the weights)
DECODERS = {
    "llama": ("llama", SMALL, 1.2),
    "deep llama": ("llama", dict(SMALL, num_hidden_layers=24), 0.4),
    "qwen3": ("qwen3", SMALL, 1.2),
    "qwen2": ("qwen2", dict(SMALL, use_sliding_window=False), 1.2),
    "mistral": ("mistral", dict(SMALL, sliding_window=16), 1.2),
    "gpt2": ("gpt2", GPT2, 1.2),
}


def llama_shapes(config, kind):
    width, inner, head = config["hidden_size"], config["intermediate_size"], config["head_dim"]
    queries, keys = head * config["num_attention_heads"], head * config["num_key_value_heads"]
    shapes = {"model.embed_tokens.weight": (config["vocab_size"], width)}
    for layer in range(config["num_hidden_layers"]):
        path = f"model.layers.{layer}."
        for norm in ("input_layernorm", "post_attention_layernorm"):
            shapes[f"{path}{norm}.weight"] = (width,)
        for name, size in (("q_proj", queries), ("k_proj", keys), ("v_proj", keys)):
            shapes[f"{path}self_attn.{name}.weight"] = (size, width)
            if kind == "qwen2":
                shapes[f"{path}self_attn.{name}.bias"] = (size,)
        if kind == "qwen3":
            for norm in ("q_norm", "k_norm"):
                shapes[f"{path}self_attn.{norm}.weight"] = (head,)
        shapes[f"{path}self_attn.o_proj.weight"] = (width, queries)
        for name in ("gate_proj", "up_proj"):
            shapes[f"{path}mlp.{name}.weight"] = (inner, width)
        shapes[f"{path}mlp.down_proj.weight"] = (width, inner)
    shapes["model.norm.weight"] = (width,)
    shapes["lm_head.weight"] = (config["vocab_size"], width)
    return shapes


def gpt2_shapes(config, _kind):
    width = config["n_embd"]
    layers = {
        "ln_1": (width,),
        "attn.c_attn": (width, 3 * width),
        "attn.c_proj": (width, width),
        "ln_2": (width,),
        "mlp.c_fc": (width, 4 * width),
        "mlp.c_proj": (4 * width, width),
    }
    shapes = {
        "transformer.wte.weight": (config["vocab_size"], width),
        "transformer.wpe.weight": (config["n_positions"], width),
    }
    for number in range(config["n_layer"]):
        for name, shape in layers.items():
            shapes[f"transformer.h.{number}.{name}.weight"] = shape
            shapes[f"transformer.h.{number}.{name}.bias"] = shape[-1:]
    shapes.update({"transformer.ln_f.weight": (width,), "transformer.ln_f.bias": (width,)})
    shapes["lm_head.weight"] = (config["vocab_size"], width)
    return shapes


def value_of(name, shape, gain, random):
    """Of the size that trained weights have."""
    values = torch.randn(shape, generator=random)
    if len(shape) == 1:
        is_norm = ("norm" in name or "ln_" in name) and name.endswith("weight")
        return 1 + 0.2 * values if is_norm else 0.2 * values
    if "embed" in name or "wte" in name or "wpe" in name:
        return 0.8 * values
    return gain * values / math.sqrt(min(shape))


def decoder(name):
    """(weights by name, config)"""
    kind, sizes, gain = DECODERS[name]
    shapes = (gpt2_shapes if kind == "gpt2" else llama_shapes)(sizes, kind)
    random = torch.Generator().manual_seed(13)
    weights = {name: value_of(name, shape, gain, random) for name, shape in shapes.items()}
    return weights, {"model_type": kind, **sizes}


def token_ids():
    return torch.randint(0, 95, (2, 33), generator=torch.Generator().manual_seed(7))


def save(weights, config, file):
    """Returns the config's file."""
    torch.save(weights, file)
    beside = file.with_suffix(".config.json")
    beside.write_text(json.dumps(config))
    return beside
