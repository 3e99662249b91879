"""A stack that is built as services build theirs, against transformers, through the map that the documentation gives.

Projections are fused, the tokens of all sequences packed, norms return the residual beside the result, logits are computed
outside the model's call for the last token of each sequence. The weights are the fixture decoder's.
"""
import json
import re
import unittest

import torch
import torch.nn.functional as F
from torch import nn
from transformers import LlamaConfig, LlamaForCausalLM

import parity_recorder
from workshop import SOURCE, Workshop

FIXTURE = SOURCE / "fixtures" / "decoder"
HEADS, KEY_HEADS, HEAD = 4, 2, 64


class Norm(nn.Module):
    def __init__(self, norm):
        super().__init__()
        self.weight, self.epsilon = norm.weight, norm.variance_epsilon

    def forward(self, x, residual=None):
        if residual is not None:
            x = residual = x + residual
        result = self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.epsilon))
        return result if residual is None else (result, residual)


class Linear(nn.Module):
    """Returns a bias that was not added beside the result, which is None here."""

    def __init__(self, *layers):
        super().__init__()
        self.weight = nn.Parameter(torch.cat([layer.weight.data for layer in layers]))

    def forward(self, x):
        return F.linear(x, self.weight), None


def rotated(x, cos, sin):
    half = HEAD // 2
    return x * cos + torch.cat([-x[..., half:], x[..., :half]], -1) * sin


class Attention(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.qkv_proj = Linear(layer.q_proj, layer.k_proj, layer.v_proj)
        self.o_proj = Linear(layer.o_proj)

    def forward(self, x, angles, sequences):
        qkv, _ = self.qkv_proj(x)
        heads = qkv.unflatten(0, (sequences, -1)).unflatten(-1, (-1, HEAD)).transpose(1, 2)
        q, k, v = heads.split([HEADS, KEY_HEADS, KEY_HEADS], 1)
        k, v = (part.repeat_interleave(HEADS // KEY_HEADS, 1) for part in (rotated(k, *angles), v))
        result = F.scaled_dot_product_attention(rotated(q, *angles), k, v, is_causal=True)
        return self.o_proj(result.transpose(1, 2).flatten(2).flatten(0, 1))[0]


class Mlp(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.gate_up_proj = Linear(layer.gate_proj, layer.up_proj)
        self.down_proj = Linear(layer.down_proj)

    def forward(self, x):
        gate, up = self.gate_up_proj(x)[0].chunk(2, -1)
        return self.down_proj(F.silu(gate) * up)[0]


class Layer(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.input_layernorm = Norm(layer.input_layernorm)
        self.self_attn = Attention(layer.self_attn)
        self.post_attention_layernorm = Norm(layer.post_attention_layernorm)
        self.mlp = Mlp(layer.mlp)

    def forward(self, x, residual, angles, sequences):
        if residual is None:
            residual, x = x, self.input_layernorm(x)
        else:
            x, residual = self.input_layernorm(x, residual)
        x, residual = self.post_attention_layernorm(self.self_attn(x, angles, sequences), residual)
        return self.mlp(x), residual


class Body(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.embed_tokens = model.embed_tokens
        self.layers = nn.ModuleList(map(Layer, model.layers))
        self.norm = Norm(model.norm)

    def __call__(self, *args, **kwargs):
        """As of a model that could be compiled, and is not."""
        return self.forward(*args, **kwargs)

    def forward(self, ids, angles, sequences):
        x, residual = self.embed_tokens(ids), None
        for layer in self.layers:
            x, residual = layer(x, residual, angles, sequences)
        return self.norm(x, residual)[0]


class LogitsProcessor(nn.Module):
    def forward(self, head, hidden):
        return F.linear(hidden, head.weight)


class Service(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = Body(model.model)
        self.lm_head = model.lm_head
        self.logits_processor = LogitsProcessor()

    def forward(self, ids, angles, sequences):
        return self.model(ids, angles, sequences)

    def compute_logits(self, hidden):
        return self.logits_processor(self.lm_head, hidden)


class PackedStack(Workshop):
    def test_the_documented_map_pairs_every_tap_that_both_have(self):
        ids = torch.arange(24).reshape(3, 8) * 7 % 256
        model = LlamaForCausalLM(LlamaConfig(**json.loads((FIXTURE / "config.json").read_text()))).eval()
        model.load_state_dict(torch.load(FIXTURE / "model.pt"))
        service = Service(model).eval()
        packed = self.folder / "packed.h5"
        with torch.no_grad():
            with parity_recorder.record(model, self.golden, case="a"):
                model(input_ids=ids, logits_to_keep=1)
            angles = model.model.rotary_emb(torch.zeros(1), torch.arange(8)[None])
            with parity_recorder.record(service, packed, case="a"):
                hidden = service(ids.flatten(), [part[:, None] for part in angles], 3)
                service.compute_logits(hidden[7::8])
        page = (SOURCE / "docs" / "python-recorder.md").read_text()
        documented = re.search(r"```toml\n(.*?)```", page, re.DOTALL)[1]
        rules = self.folder / "vllm.toml"
        rules.write_text(documented)
        report = self.report(self.golden, packed, "--map", rules, "--weights", "any")
        taps = report["cases"][0]["taps"]
        self.assertEqual(len(taps), 4 * 11 + 4)
        for tap in taps:
            self.assertLessEqual(tap["ulp"]["max"], 1, tap["tap"])
        self.assertEqual((report["verdict"], report["name_map"]["unmatched"], report["name_map"]["collisions"]), ("pass", [], []))
        self.assertTrue(all(rule["taps"] > 0 for rule in report["name_map"]["rules"]))
        self.assertEqual(report["cases"][0]["logits"]["positions"], 3)


if __name__ == "__main__":
    unittest.main()
