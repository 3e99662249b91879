"""The models and inputs of the cross-check: one row per thing that a decoder can get wrong without crashing."""

SMALL = dict(vocab_size=61, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
             num_key_value_heads=2, max_position_embeddings=64)
GPT2 = dict(vocab_size=61, n_embd=32, n_layer=2, n_head=4, n_positions=64)

LLAMA3 = {"rope_type": "llama3", "rope_theta": 1000.0, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 32}
SLIDING = dict(use_sliding_window=True, sliding_window=5)

IDS = {"batch": 2, "tokens": 12}
PADDED = {"batch": 3, "tokens": 10, "padding": [0, 3, 7]}
LONG = {"batch": 1, "tokens": 50}
ONE = {"batch": 2, "tokens": 1, "positions": [[5], [9]]}
PACKED = {"batch": 1, "tokens": 12, "positions": [[0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7]]}
SHIFTED = {"batch": 2, "tokens": 6, "positions": [[9, 10, 11, 12, 13, 14], [0, 1, 2, 3, 4, 5]]}
MASKED_SHIFTED = {"batch": 2, "tokens": 6, "padding": [0, 2], "positions": [[0, 1, 2, 3, 4, 5], [0, 0, 0, 1, 2, 3]]}
ONE_MASKED = {"batch": 2, "tokens": 1, "padding": [0, 1], "positions": [[3], [4]]}


def case(name, kind, sizes, inputs=IDS, form="safetensors", spelling="new", dtype=None, bound=1e-6, **changes):
    """`form`: how the weights are saved. `spelling`: of config.json, by version 5 or 4 of the library."""
    return dict(name=name, kind=kind, config={**sizes, **changes}, inputs=inputs, form=form, spelling=spelling,
                dtype=dtype, bound=bound)


CASES = [
    case("gpt2", "gpt2", GPT2),
    case("gpt2 padded, zip pickle", "gpt2", GPT2, PADDED, "bin"),
    case("gpt2 untied, legacy pickle, bare names", "gpt2", GPT2, form="legacy bare", tie_word_embeddings=False),
    case("gpt2 unscaled, inner size, sharded", "gpt2", GPT2, form="sharded", scale_attn_weights=False, n_inner=20),
    case("gpt2 scaled by layer, packed", "gpt2", GPT2, PACKED, scale_attn_by_inverse_layer_idx=True),
    case("gpt2 bfloat16", "gpt2", GPT2, dtype="bfloat16", bound=2e-2),
    case("gpt2 given positions", "gpt2", GPT2, MASKED_SHIFTED, "bare"),
    *[case(f"gpt2 {act}", "gpt2", {**GPT2, "n_layer": 1}, activation_function=act)
      for act in ("gelu", "gelu_fast", "gelu_pytorch_tanh", "quick_gelu", "relu", "relu2", "silu", "swish", "tanh")],
    case("llama, grouped heads", "llama", SMALL),
    case("llama, as many key heads, zip pickle, tied", "llama", SMALL, form="bin", num_key_value_heads=4,
         tie_word_embeddings=True),
    case("llama llama3 scaling", "llama", SMALL, LONG, "sharded", rope_parameters=LLAMA3),
    case("llama llama3 scaling, older spelling", "llama", SMALL, LONG, "bin", "old", rope_parameters=LLAMA3),
    case("llama linear scaling", "llama", SMALL, LONG,
         rope_parameters={"rope_type": "linear", "rope_theta": 10000.0, "factor": 2.5}),
    case("llama linear scaling, older spelling", "llama", SMALL, LONG, spelling="old",
         rope_parameters={"rope_type": "linear", "rope_theta": 500000.0, "factor": 2.5}),
    case("llama biases, wide heads", "llama", SMALL, attention_bias=True, mlp_bias=True, head_dim=24),
    case("llama padded", "llama", SMALL, PADDED, "legacy"),
    case("llama one token", "llama", SMALL, ONE, "bare"),
    case("llama one token, masked", "llama", SMALL, ONE_MASKED),
    case("llama packed", "llama", SMALL, PACKED),
    case("llama given positions", "llama", SMALL, SHIFTED),
    case("llama gelu, one key head", "llama", SMALL, hidden_act="gelu", num_key_value_heads=1),
    case("llama bfloat16", "llama", SMALL, PADDED, dtype="bfloat16", bound=2e-2, rope_parameters=LLAMA3),
    case("llama float16", "llama", SMALL, dtype="float16", bound=2e-3),
    case("llama float64", "llama", SMALL, dtype="float64", bound=1e-6),
    case("mistral, window shorter than the sequence", "mistral", SMALL, sliding_window=5),
    case("mistral, window as long as the sequence", "mistral", SMALL, sliding_window=12),
    case("mistral, window longer than the sequence", "mistral", SMALL, sliding_window=13),
    case("mistral, no window, older spelling", "mistral", SMALL, spelling="old", sliding_window=None),
    case("mistral, window and padding", "mistral", SMALL, PADDED, "sharded", sliding_window=4),
    case("mistral, window and packed", "mistral", SMALL, PACKED, sliding_window=3),
    case("mistral bfloat16", "mistral", SMALL, dtype="bfloat16", bound=2e-2, sliding_window=5),
    case("qwen2", "qwen2", SMALL),
    case("qwen2 tied, older spelling", "qwen2", SMALL, PADDED, "bin", "old", tie_word_embeddings=True),
    case("qwen2, last layer slides", "qwen2", SMALL, spelling="old", max_window_layers=1, **SLIDING),
    case("qwen2, layer types", "qwen2", SMALL, layer_types=["sliding_attention", "full_attention"], **SLIDING),
    case("qwen2 bfloat16", "qwen2", SMALL, dtype="bfloat16", bound=2e-2),
    case("qwen3", "qwen3", SMALL, head_dim=16),
    case("qwen3 biases, padded, tied", "qwen3", SMALL, PADDED, "sharded", head_dim=8, attention_bias=True,
         tie_word_embeddings=True),
    case("qwen3, all layers slide", "qwen3", SMALL, PADDED, head_dim=16, max_window_layers=0, **SLIDING),
    case("qwen3 linear scaling, older spelling", "qwen3", SMALL, LONG, "bare", "old", head_dim=16,
         rope_parameters={"rope_type": "linear", "rope_theta": 1000000.0, "factor": 4.0}),
    case("qwen3 bfloat16", "qwen3", SMALL, dtype="bfloat16", bound=2e-2, head_dim=16),
]

# Case, a change of the config that only the decoder gets, and the first tap that must differ: the check can fail.
FAULTS = [
    ("mistral, window shorter than the sequence", {"sliding_window": 6}, "model.layers.0.self_attn.o_proj"),
    ("mistral, window as long as the sequence", {"sliding_window": 11}, "model.layers.0.self_attn.o_proj"),
    ("llama llama3 scaling, older spelling", {"rope_theta": 999.0}, "model.rotary_emb:0"),
    ("llama, grouped heads", {"rms_norm_eps": 1e-4}, "model.layers.0.input_layernorm"),
    ("llama, grouped heads", {"hidden_act": "gelu"}, "model.layers.0.mlp.act_fn"),
    ("gpt2", {"activation_function": "gelu"}, "transformer.h.0.mlp.act"),
    ("gpt2", {"scale_attn_by_inverse_layer_idx": True}, "transformer.h.1.attn.c_proj"),
    ("qwen2, last layer slides", {"max_window_layers": 0}, "model.layers.0.self_attn.o_proj"),
]
