"""Models of transformers with random weights, and what the program says of two recordings of each."""
import unittest

import torch
from transformers import BertConfig, BertModel, GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

import parity_recorder
from workshop import Workshop

TOKENS = torch.arange(12).reshape(2, 6) * 5 % 61


def llama():
    return LlamaForCausalLM(LlamaConfig(vocab_size=61, hidden_size=32, intermediate_size=64, num_hidden_layers=2,
                                        num_attention_heads=4, num_key_value_heads=2))


def gpt2():
    return GPT2LMHeadModel(GPT2Config(vocab_size=61, n_embd=32, n_layer=2, n_head=4, n_positions=32))


def bert():
    return BertModel(BertConfig(vocab_size=61, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
                                intermediate_size=64, max_position_embeddings=32))


class Models(Workshop):
    def record(self, make, path, seed=1, dtype=torch.float32, **options):
        torch.manual_seed(seed)
        model = make().eval().to(dtype)
        with torch.no_grad(), parity_recorder.record(model, path, case="a", **options):
            model(input_ids=TOKENS, attention_mask=torch.ones_like(TOKENS))
        return model

    def test_each_is_whole_and_identical_when_recorded_again(self):
        again = self.folder / "again.h5"
        for make in (llama, gpt2, bert):
            for dtype in (torch.float32, torch.bfloat16):
                with self.subTest(make.__name__, dtype=dtype):
                    model = self.record(make, self.golden, dtype=dtype)
                    self.record(make, again, dtype=dtype)
                    report = self.report(self.golden, again)
                    self.assertEqual(set(self.verdicts(report).values()), {"identical"})
                    modules = {path for path, _ in model.named_modules()}
                    self.assertEqual({name.split("#")[0].split(":")[0] for name in self.names()} - modules, {"<output>"})

    def test_logits_are_marked(self):
        for make, tap in ((llama, "<output>"), (gpt2, "<output>")):
            self.record(make, self.golden)
            roles = dict(zip(self.names(), self.column("role")))
            self.assertEqual([name for name, role in roles.items() if role == "logits"], [tap])
        self.record(bert, self.golden)
        self.assertEqual(set(self.column("role")), {"activation"})

    def test_caches_are_listed_and_generation_is_recorded_call_by_call(self):
        torch.manual_seed(1)
        model = llama().eval()
        with torch.no_grad(), parity_recorder.record(model, self.golden, case="a"):
            model.generate(TOKENS, max_new_tokens=3, do_sample=False, pad_token_id=0)
        outputs = [name for name in self.names() if name.startswith("<output>")]
        self.assertEqual(outputs, ["<output>", "<output>#1", "<output>#2"])
        self.assertTrue(any("DynamicCache" in reason for reason in self.texts("cases/000000/skipped/reason")))
        self.assert_whole()

    def test_other_weights_are_refused(self):
        other = self.folder / "other.h5"
        self.record(llama, self.golden)
        self.record(llama, other, seed=2)
        self.parity("compare", self.golden, other, exit_code=2)


if __name__ == "__main__":
    unittest.main()
