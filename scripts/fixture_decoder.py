"""The decoder fixture's architecture: Hugging Face's `llama` to the letter, as plain modules.

Parameter names, module names and arithmetic are those of transformers' LlamaForCausalLM, and all of
it is accepted by torch.jit.script. Knows nothing of training.
"""

import dataclasses
from typing import List, Tuple

import torch
import torch.nn.functional as F
from torch import nn


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
        # Numbers, not a buffer, which would be rounded when the model is cast to a 16-bit dtype.
        self.inv_freq = (1.0 / (config.rope_theta**exponent)).tolist()

    def forward(
        self, x: torch.Tensor, position_ids: torch.Tensor
    ) -> Tuple[torch.Tensor, torch.Tensor]:
        inv_freq = torch.tensor(
            self.inv_freq, dtype=torch.float32, device=x.device
        )  # [head_dim / 2]
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

    def forward(
        self, hidden_states: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor
    ) -> torch.Tensor:
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

    def forward(
        self, hidden_states: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor
    ) -> torch.Tensor:
        hidden_states = hidden_states + self.self_attn(
            self.input_layernorm(hidden_states), cos, sin
        )
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
