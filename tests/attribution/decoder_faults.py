"""Single faults of models that the built-in decoder runs: wrong weights and wrong config.json.

Each function changes the candidate's weights (by name) and config in place.
"""

import torch

from rows import BFLOAT16, BOTH, FLOAT32, fault, spread


def layer(number):
    return f"model.layers.{number}."


def weight_fault(kind, name, blamed, words, dtypes=()):
    """Registers a fault of one weight: the decorated function returns the new value."""

    def register(change):
        def put(weights, _config):
            weights[name] = change(weights[name].clone()).contiguous()

        fault(kind, blamed, words, dtypes)(put)
        return change

    return register


Q_1, O_2 = layer(1) + "self_attn.q_proj", layer(2) + "self_attn.o_proj"
DOWN_3, UP_1 = layer(3) + "mlp.down_proj", layer(1) + "mlp.up_proj"


@weight_fault("llama", Q_1 + ".weight", Q_1, "query weight of layer 1 transposed", FLOAT32)
def _(weight):
    return weight.t()


@weight_fault("llama", O_2 + ".weight", O_2, "output projection of layer 2 wrong by 0.1 %")
def _(weight):
    return weight * 1.001


@weight_fault("llama", O_2 + ".weight", O_2, "two heads exchanged in the output projection of layer 2")
def _(weight):
    return torch.cat([weight[:, 16:32], weight[:, :16], weight[:, 32:]], 1)


@weight_fault("llama", Q_1 + ".weight", Q_1, "query rows of layer 1 in the other rotary layout", BFLOAT16)
def _(weight):
    return weight.view(4, 8, 2, 64).transpose(1, 2).reshape(64, 64)


@weight_fault("llama", DOWN_3 + ".weight", DOWN_3, "one exponent bit of one weight of layer 3 flipped")
def _(weight):
    weight.view(torch.int32)[5, 9] ^= 1 << 26
    return weight


@weight_fault("llama", UP_1 + ".weight", UP_1, "a tile of 16 rows of layer 1 zero", BFLOAT16)
def _(weight):
    weight[80:] = 0
    return weight


@weight_fault("llama", UP_1 + ".weight", UP_1, "weight of layer 1 clipped at a quarter of its range", FLOAT32)
def _(weight):
    largest = weight.abs().max() / 4
    return weight.clamp(-largest, largest)


NORM_2 = layer(2) + "post_attention_layernorm"


@weight_fault("llama", NORM_2 + ".weight", NORM_2, "RMS norm of layer 2 without its weight")
def _(weight):
    return torch.ones_like(weight)


@weight_fault("llama", "model.embed_tokens.weight", "model.embed_tokens", "embedding rows off by one")
def _(weight):
    return weight.roll(1, 0)


@weight_fault("llama", "lm_head.weight", "lm_head", "head not loaded: random (transformers#43429)", FLOAT32)
def _(weight):
    return 0.02 * torch.randn(weight.shape, generator=torch.Generator().manual_seed(1))


@fault("llama", "model.rotary_emb", "rotary base 500000 instead of 10000 in config.json")
def _(_weights, config):
    config["rope_theta"] = 500000.0


@fault("qwen3", "model.rotary_emb", "positions scaled by 2 in config.json", BFLOAT16)
def _(_weights, config):
    config["rope_scaling"] = {"rope_type": "linear", "factor": 2.0}


K_NORM_1 = layer(1) + "self_attn.k_norm"


@weight_fault("qwen3", K_NORM_1 + ".weight", K_NORM_1, "norm of the keys of layer 1 without its weight")
def _(weight):
    return torch.ones_like(weight)


V_3 = layer(3) + "self_attn.v_proj"


@weight_fault("qwen3", V_3 + ".weight", V_3, "value weight of layer 3 quantised to 4 bits", BFLOAT16)
def _(weight):
    scale = weight.abs().amax(1, keepdim=True) / 7
    return (weight / scale).round() * scale


@weight_fault("qwen2", layer(0) + "self_attn.k_proj.bias", layer(0) + "self_attn.k_proj",
              "bias of the keys of layer 0 missing")
def _(bias):
    return torch.zeros_like(bias)


WPE, WTE = "transformer.wpe", "transformer.wte"
C_ATTN, C_FC = "transformer.h.1.attn.c_attn", "transformer.h.2.mlp.c_fc"
C_PROJ, LN_F = "transformer.h.3.mlp.c_proj", "transformer.ln_f"


@weight_fault("gpt2", WPE + ".weight", WPE, "positions off by one")
def _(weight):
    return weight.roll(-1, 0)


@weight_fault("gpt2", C_ATTN + ".weight", C_ATTN, "query and key exchanged in layer 1")
def _(weight):
    return torch.cat([weight[:, 64:128], weight[:, :64], weight[:, 128:]], 1)


@weight_fault("gpt2", C_FC + ".bias", C_FC, "bias of layer 2 missing")
def _(bias):
    return torch.zeros_like(bias)


@weight_fault("gpt2", C_PROJ + ".bias", C_PROJ, "bias of layer 3 added twice", BFLOAT16)
def _(bias):
    return 2 * bias


@weight_fault("gpt2", LN_F + ".weight", LN_F, "last layer norm in zero-centred form: weight + 1", FLOAT32)
def _(weight):
    return weight + 1


@spread("llama", "GELU instead of SiLU in every layer", BOTH)
def _(_weights, config):
    config["hidden_act"] = "gelu"


@spread("mistral", "sliding window of 16 ignored in every layer (pytorch#154582)", BOTH)
def _(_weights, config):
    config["sliding_window"] = None


@spread("gpt2", "erf instead of tanh in the GELU of every layer", FLOAT32)
def _(_weights, config):
    config["activation_function"] = "gelu"
