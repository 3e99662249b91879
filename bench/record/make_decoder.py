#!/usr/bin/env python3
"""Writes a llama-shaped decoder with random weights, to measure recording on: state_dict and config.json.

    make_decoder.py OUT [--layers 16 --hidden 2048 --intermediate 5632 --heads 32 --kv-heads 8 --vocab 32000
                         --dtype bfloat16 --on cpu]
"""

import argparse
import json
import pathlib

import torch


def weights(args: argparse.Namespace) -> dict:
    dtype = getattr(torch, args.dtype)
    head_dim = args.hidden // args.heads

    def matrix(rows: int, columns: int) -> torch.Tensor:
        return (torch.randn(rows, columns, device=args.on) / columns**0.5).to(dtype).cpu()

    state = {"model.embed_tokens.weight": matrix(args.vocab, args.hidden)}
    for layer in range(args.layers):
        prefix = f"model.layers.{layer}."
        shapes = {
            "self_attn.q_proj": (args.hidden, args.hidden),
            "self_attn.k_proj": (args.kv_heads * head_dim, args.hidden),
            "self_attn.v_proj": (args.kv_heads * head_dim, args.hidden),
            "self_attn.o_proj": (args.hidden, args.hidden),
            "mlp.gate_proj": (args.intermediate, args.hidden),
            "mlp.up_proj": (args.intermediate, args.hidden),
            "mlp.down_proj": (args.hidden, args.intermediate),
        }
        for name, (rows, columns) in shapes.items():
            state[prefix + name + ".weight"] = matrix(rows, columns)
        for norm in ("input_layernorm", "post_attention_layernorm"):
            state[prefix + norm + ".weight"] = torch.ones(args.hidden, dtype=dtype)
    state["model.norm.weight"] = torch.ones(args.hidden, dtype=dtype)
    state["lm_head.weight"] = matrix(args.vocab, args.hidden)
    return state


def config(args: argparse.Namespace) -> dict:
    return {
        "model_type": "llama",
        "vocab_size": args.vocab,
        "hidden_size": args.hidden,
        "intermediate_size": args.intermediate,
        "num_hidden_layers": args.layers,
        "num_attention_heads": args.heads,
        "num_key_value_heads": args.kv_heads,
        "hidden_act": "silu",
        "max_position_embeddings": 8192,
        "rms_norm_eps": 1e-5,
        "rope_theta": 10000.0,
        "tie_word_embeddings": False,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--layers", type=int, default=16)
    parser.add_argument("--hidden", type=int, default=2048)
    parser.add_argument("--intermediate", type=int, default=5632)
    parser.add_argument("--heads", type=int, default=32)
    parser.add_argument("--kv-heads", type=int, default=8)
    parser.add_argument("--vocab", type=int, default=32000)
    parser.add_argument("--dtype", default="bfloat16")
    parser.add_argument("--on", default="cpu", help="device that draws the weights")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    state = weights(args)
    torch.save(state, args.out / "model.pt")
    (args.out / "config.json").write_text(json.dumps(config(args), indent=2) + "\n")
    print(f"{sum(t.numel() for t in state.values()):,} parameters, {args.dtype}")


if __name__ == "__main__":
    main()
