"""The models and prompts of the cross-check of decoding: one row per thing that a cache can get wrong without crashing."""
from transformers_cases import GPT2, LLAMA3, SLIDING, SMALL, case

PROMPT = {"batch": 2, "tokens": 7}
ONE = {"batch": 2, "tokens": 1, "positions": [[5], [9]]}
PADDED = {"batch": 3, "tokens": 7, "padding": [0, 2, 6]}
SHIFTED = {"batch": 2, "tokens": 5, "positions": [[9, 10, 11, 12, 13], [0, 1, 2, 3, 4]]}
MASKED_SHIFTED = {"batch": 2, "tokens": 6, "padding": [0, 2], "positions": [[0, 1, 2, 3, 4, 5], [0, 0, 0, 1, 2, 3]]}


def decode_case(name, kind, sizes, inputs=PROMPT, steps=6, **changes):
    return dict(case(name, kind, sizes, inputs, **changes), steps=steps)


CASES = [
    decode_case("gpt2", "gpt2", GPT2),
    decode_case("gpt2 padded", "gpt2", GPT2, PADDED),
    decode_case("gpt2 given positions", "gpt2", GPT2, MASKED_SHIFTED),
    decode_case("gpt2 bfloat16", "gpt2", GPT2, PADDED, dtype="bfloat16"),
    decode_case("gpt2 to the end of its table", "gpt2", {**GPT2, "n_positions": 13}),
    decode_case("llama, grouped heads", "llama", SMALL),
    decode_case("llama, as many key heads, tied", "llama", SMALL, num_key_value_heads=4, tie_word_embeddings=True),
    decode_case("llama, one key head", "llama", SMALL, PADDED, num_key_value_heads=1),
    decode_case("llama, heads too wide for grouped kernels", "llama", SMALL, head_dim=264, steps=3),
    decode_case("llama llama3 scaling, many steps", "llama", SMALL, steps=40, rope_parameters=LLAMA3),
    decode_case("llama padded", "llama", SMALL, PADDED),
    decode_case("llama prompt of one token", "llama", SMALL, ONE),
    decode_case("llama given positions", "llama", SMALL, SHIFTED),
    decode_case("llama given positions, padded", "llama", SMALL, MASKED_SHIFTED),
    decode_case("llama one step", "llama", SMALL, steps=1),
    decode_case("llama bfloat16", "llama", SMALL, dtype="bfloat16"),
    decode_case("llama bfloat16 padded", "llama", SMALL, PADDED, dtype="bfloat16"),
    decode_case("llama float16", "llama", SMALL, dtype="float16"),
    decode_case("mistral, window shorter than the prompt", "mistral", SMALL, sliding_window=4),
    decode_case("mistral, window as long as the prompt", "mistral", SMALL, sliding_window=7),
    decode_case("mistral, window crossed on the way", "mistral", SMALL, sliding_window=10),
    decode_case("mistral, window longer than everything", "mistral", SMALL, sliding_window=14),
    decode_case("mistral, no window", "mistral", SMALL, sliding_window=None),
    decode_case("mistral, window of two", "mistral", SMALL, sliding_window=2),
    decode_case("mistral, window crossed, padded", "mistral", SMALL, PADDED, sliding_window=9),
    decode_case("mistral, window shorter, padded", "mistral", SMALL, PADDED, sliding_window=4),
    decode_case("mistral bfloat16", "mistral", SMALL, dtype="bfloat16", sliding_window=9),
    decode_case("qwen2", "qwen2", SMALL),
    decode_case("qwen2, last layer slides", "qwen2", SMALL, PADDED, max_window_layers=1, **SLIDING),
    decode_case("qwen2, first layer slides", "qwen2", SMALL, layer_types=["sliding_attention", "full_attention"],
                **SLIDING),
    decode_case("qwen2 bfloat16", "qwen2", SMALL, PADDED, dtype="bfloat16"),
    decode_case("qwen3", "qwen3", SMALL, head_dim=16),
    decode_case("qwen3, all layers slide", "qwen3", SMALL, PADDED, head_dim=16, max_window_layers=0, **SLIDING),
    decode_case("qwen3 bfloat16", "qwen3", SMALL, dtype="bfloat16", head_dim=16),
]

# Case, what changes on the decoder's side alone, and the first tap that must differ: the check can fail.
FAULTS = [
    ("llama, grouped heads", {"token": 3}, "model.embed_tokens#3"),
    ("llama, grouped heads", {"config": {"rms_norm_eps": 1e-4}}, "model.layers.0.input_layernorm"),
    ("mistral, window crossed on the way", {"config": {"sliding_window": 12}},
     "model.layers.0.self_attn.o_proj#3"),
    ("mistral, window shorter than the prompt", {"config": {"sliding_window": 100}},
     "model.layers.0.self_attn.o_proj"),
]
