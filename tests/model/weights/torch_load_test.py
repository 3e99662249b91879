"""Compares parity's reader of weights with torch.load(weights_only=True) and the safetensors library, bit for bit.

torch_load_test.py TOOL           makes files of every kind itself and checks both readers on each
torch_load_test.py TOOL FILE...   prints one line per file: agree, both refuse, ours alone reads, or what differs

TOOL is parity_dump_weights.
"""

import argparse
import collections
import enum
import json
import os
import pickle
import subprocess
import sys
import tempfile
import warnings

import numpy
import safetensors.torch
import torch

warnings.simplefilter("ignore")


def hex_of(tensor):
    tensor = tensor.detach().cpu().resolve_conj().resolve_neg().contiguous()
    if tensor.numel() == 0:
        return ""
    return tensor.flatten().view(torch.uint8).numpy().tobytes().hex()


def leaves(value, path=""):
    """The lines that parity_dump_weights prints for the same object."""
    if isinstance(value, torch.Tensor):
        if value.layout != torch.strided or value.is_quantized or value.is_meta:
            return [("unsupported", path)]
        shape = "".join(f"{size}," for size in value.shape)
        return [("tensor", path, str(value.dtype).removeprefix("torch."), shape, hex_of(value))]
    if isinstance(value, dict):
        lines = [("dict", path, str(len(value)))]
        for key, item in value.items():
            lines += leaves(item, f"{path}/{key}")
        return lines
    if isinstance(value, (set, frozenset)):
        return [("sequence", path, str(len(value)))]
    if isinstance(value, (list, tuple)):
        lines = [("sequence", path, str(len(value)))]
        for index, item in enumerate(value):
            lines += leaves(item, f"{path}/{index}")
        return lines
    if isinstance(value, bool):
        return [("bool", path, str(int(value)))]
    if isinstance(value, int) and -(2**63) <= value < 2**63:
        return [("int", path, str(value))]
    if isinstance(value, float):
        return [("float", path, value.hex())]
    if isinstance(value, str):
        return [("str", path, value.encode("utf-8", "surrogatepass").hex())]
    if isinstance(value, (bytes, bytearray)):
        return [("bytes", path, bytes(value).hex())]
    return [("other", path)]


def comparable(lines):
    """Floats by value, so that no spelling of a hex float matters; reasons of unsupported tensors left out."""
    result = []
    for line in lines:
        kind = line[0]
        if kind == "float":
            number = float.fromhex(line[2])
            result.append((kind, line[1], "nan" if number != number else number))
        elif kind in ("unsupported", "other"):
            result.append(tuple(line[:2]))
        else:
            result.append(tuple(line))
    return result


def ours(tool, path):
    run = subprocess.run([tool, path], capture_output=True, text=True, timeout=60, check=False)
    if run.returncode == 2:
        return None, run.stderr.strip()
    if run.returncode != 0:
        raise SystemExit(f"{path}: {tool} ended with {run.returncode}: {run.stderr}")
    return comparable([line.split("\t") for line in run.stdout.splitlines()]), ""


def theirs(path):
    try:
        with open(path, "rb") as file:
            head = file.read(9)
        if len(head) == 9 and head[8:] == b"{":
            loaded = safetensors.torch.load_file(path)
            return sorted(comparable([line for name, tensor in loaded.items() for line in leaves(tensor, "/" + name)]))
        return comparable(leaves(torch.load(path, map_location="cpu", weights_only=True)))
    except Exception as error:  # each reader has its own exceptions
        return f"{type(error).__name__}: {error}".splitlines()[0]


def first_difference(got, wanted):
    for index in range(max(len(got), len(wanted))):
        left = got[index] if index < len(got) else "nothing"
        right = wanted[index] if index < len(wanted) else "nothing"
        if left != right:
            return f"line {index}: parity {str(left)[:200]}, torch {str(right)[:200]}"
    return ""


def compare(tool, path):
    got, reason = ours(tool, path)
    wanted = theirs(path)
    if isinstance(wanted, str):
        return ("both refuse", reason) if got is None else ("parity alone reads", wanted[:160])
    if got is None:
        return "torch alone reads", reason
    if wanted and wanted[0][0] == "tensor":
        got = sorted(got)
    difference = first_difference(got, wanted)
    return ("differ", difference) if difference else ("agree", f"{len(wanted)} leaves")


# --- files of our own -------------------------------------------------------------------------------------------


def every_dtype():
    names = """float64 float32 float16 bfloat16 float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz int64 int32
               int16 int8 uint64 uint32 uint16 uint8 bool complex64 complex128""".split()
    result = {}
    for name in names:
        dtype = getattr(torch, name)
        size = torch.empty((), dtype=dtype).element_size()
        # Every bit pattern of a byte, NaNs and infinities among them; bool has but two.
        raw = torch.arange(256, dtype=torch.int64).to(torch.uint8).repeat(size)
        result[name] = (raw % 2).to(torch.bool) if name == "bool" else raw.view(dtype).reshape(4, -1)
    return result


class Colour(enum.Enum):
    RED = 1


class RunsCode:
    def __init__(self, function, *arguments):
        self.call = (function, arguments)

    def __reduce__(self):
        return self.call


def accepted():
    base = torch.arange(60, dtype=torch.float32).reshape(3, 4, 5)
    tied = torch.nn.Linear(3, 3)
    model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.BatchNorm1d(3))
    double_tied = {"embed.weight": tied.weight, "head.weight": tied.weight, "row": tied.weight[1]}
    conj = {"conj": torch.tensor([1 + 2j, 3 - 4j])}
    yield "every_dtype", every_dtype()
    yield "state_dict_with_metadata", model.state_dict()
    yield "nested", {"model": model.state_dict(), "optimizer": {"state": {0: {"step": 1}}, "param_groups": []}, "epoch": 3}
    yield "tied", double_tied
    yield "strided", {"t": base.transpose(0, 2), "slice": base[:, 1:3, ::2], "expanded": base[0, 0].expand(7, 5), "row": base[2]}
    yield "parameter", {"p": torch.nn.Parameter(base), "frozen": torch.nn.Parameter(base, requires_grad=False)}
    yield "empty_and_scalar", {"none": torch.empty(0, 5), "mid": torch.empty(3, 0, 2), "scalar": torch.tensor(2.5)}
    yield "lone_tensor", base
    yield "tuple", (base, [base[0], 4], {"a": -7, "b": 2.5, "c": None, "d": "größe\U0001f600"})
    yield "scalars", {"big": 2**40, "min": -(2**63), "neg": -1, "true": True, "nan": float("nan"), "inf": float("-inf"), "bytes": b"\x00\xff\x80", "long": "x" * 300, "size": torch.Size([2, 3])}
    yield "sets", {"s": {1, 2, 3}, "counter": collections.Counter("aab")}
    yield "conjugated", conj
    with_attribute = torch.nn.Parameter(base.clone())
    with_attribute.note = "kept"
    yield "tensor_with_attribute", {"w": with_attribute}
    yield "many", {f"layer.{i}.weight": torch.full((3,), float(i)) for i in range(400)}
    yield "empty_dict", {}


def refused(folder):
    trap = os.path.join(folder, "code_ran")
    yield "os.system", {"w": RunsCode(os.system, f"touch {trap}")}, "os.system"
    yield "eval", {"w": RunsCode(eval, f"open({trap!r}, 'w')")}, "builtins.eval"
    yield "exec", RunsCode(exec, f"open({trap!r}, 'w')"), "builtins.exec"
    yield "popen", [RunsCode(subprocess.Popen, ["touch", trap])], "subprocess.Popen"
    # Until 3.11.3 Python 3.11 pickled a member as a getattr of its class.
    by_name = Colour.RED.__reduce_ex__(2)[0] is getattr
    yield "enum", {"w": torch.ones(1), "colour": Colour.RED}, "getattr" if by_name else "Colour"
    yield "whole_module", torch.nn.Linear(2, 2), "torch.nn.modules.linear.Linear"
    yield "module_in_checkpoint", {"model": torch.nn.Linear(2, 2), "epoch": 1}, "pickled whole module"


def read_by_parity_alone():
    # Plain data that torch.load(weights_only=True) does not know.
    yield "numpy_scalar", {"w": torch.ones(2), "best": numpy.float64(0.5), "step": numpy.int64(7)}, [("float", "/best", 0.5), ("int", "/step", "7")]
    yield "namespace", {"w": torch.ones(2), "args": argparse.Namespace(lr=1)}, [("other", "/args")]
    yield "defaultdict", {"w": collections.defaultdict(list, {"a": torch.ones(1)})}, [("dict", "/w", "1")]


class Checks:
    def __init__(self, tool, folder):
        self.tool = tool
        self.folder = folder
        self.failures = []
        self.count = 0

    def check(self, name, condition, text):
        self.count += 1
        if not condition:
            self.failures.append(f"{name}: {text}")

    def save(self, name, value, legacy, protocol=2):
        path = os.path.join(self.folder, f"{name}_{'legacy' if legacy else 'zip'}_{protocol}.pt")
        torch.save(value, path, _use_new_zipfile_serialization=not legacy, pickle_protocol=protocol)
        return path

    def agreement(self):
        for name, value in accepted():
            for legacy in (False, True):
                if legacy and name == "every_dtype":
                    # The old container cannot hold the dtypes that have no storage class of their own.
                    value = {key: tensor for key, tensor in value.items() if not key.startswith(("uint16", "uint32", "uint64", "float8"))}
                path = self.save(name, value, legacy)
                outcome, detail = compare(self.tool, path)
                self.check(path, outcome == "agree", f"{outcome}: {detail}")

    def protocols(self):
        """Protocols that torch.load(weights_only=True) itself does not read, against torch.load."""
        value = {"w": torch.arange(6.0).reshape(2, 3), "n": [1, -5, 2**40, 0.1, True, None, "ü", b"\xfe"], "t": (1,)}
        for protocol in (1, 3, 4, 5):
            for legacy in (False, True):
                path = self.save("protocol", value, legacy, protocol)
                got, reason = ours(self.tool, path)
                wanted = comparable(leaves(torch.load(path, weights_only=False)))
                self.check(path, got == wanted, reason or first_difference(got or [], wanted))

    def refusals(self):
        for name, value, word in refused(self.folder):
            for legacy in (False, True):
                path = self.save(name, value, legacy)
                got, reason = ours(self.tool, path)
                self.check(path, got is None and word in reason, f"must be refused by `{word}`, said: {reason}")
                self.check(path, isinstance(theirs(path), str), "torch.load(weights_only=True) reads it")
        self.check("refused files", not os.path.exists(os.path.join(self.folder, "code_ran")), "code from a file ran")

    def plain_data(self):
        for name, value, wanted in read_by_parity_alone():
            path = self.save(name, value, False)
            got, reason = ours(self.tool, path)
            self.check(path, got is not None and all(line in got for line in wanted), reason or str(got))

    def unusable_tensors(self):
        value = {
            "sparse": torch.eye(3).to_sparse(),
            "quantised": torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8),
            "meta": torch.empty(3, device="meta"),
            "half_complex": torch.zeros(2, dtype=torch.complex32),
            "pending": torch.tensor([1j]).conj(),
        }
        for name, tensor in value.items():
            got, reason = ours(self.tool, self.save(name, {"w": tensor}, False))
            self.check(name, got == [("dict", "", "1"), ("unsupported", "/w")], reason or str(got))

    def safetensors(self):
        tensors = {key: value for key, value in every_dtype().items() if key not in ("complex128",)}
        tensors["scalar"] = torch.tensor(1.5)
        tensors["empty"] = torch.empty(0, 3)
        path = os.path.join(self.folder, "weights.safetensors")
        safetensors.torch.save_file(tensors, path, metadata={"format": "pt"})
        outcome, detail = compare(self.tool, path)
        self.check(path, outcome == "agree", f"{outcome}: {detail}")

    def shards(self):
        first, second = {"b": torch.ones(2), "a": torch.zeros(3)}, {"c": torch.arange(4)}
        wanted = sorted(comparable([line for name, tensor in {**first, **second}.items() for line in leaves(tensor, "/" + name)]))
        safetensors.torch.save_file(first, os.path.join(self.folder, "m-1.safetensors"))
        safetensors.torch.save_file(second, os.path.join(self.folder, "m-2.safetensors"))
        torch.save(first, os.path.join(self.folder, "m-1.bin"))
        torch.save(second, os.path.join(self.folder, "m-2.bin"))
        for ending in ("safetensors", "bin"):
            index = os.path.join(self.folder, f"m.{ending}.index.json")
            with open(index, "w", encoding="utf-8") as file:
                json.dump({"metadata": {}, "weight_map": {"a": f"m-1.{ending}", "b": f"m-1.{ending}", "c": f"m-2.{ending}"}}, file)
            got, reason = ours(self.tool, index)
            self.check(index, got is not None and sorted(got) == wanted, reason or str(got))

    def plain_pickle(self):
        path = os.path.join(self.folder, "plain.pkl")
        with open(path, "wb") as file:
            pickle.dump({"w": RunsCode(os.system, "true")}, file)
        got, reason = ours(self.tool, path)
        self.check(path, got is None and "os.system" in reason, reason)

    def run(self):
        for part in (self.agreement, self.protocols, self.refusals, self.plain_data, self.unusable_tensors,
                     self.safetensors, self.shards, self.plain_pickle):
            part()
        for failure in self.failures:
            print("FAILED", failure)
        print(f"{self.count} checks, {len(self.failures)} failed")
        return 1 if self.failures or self.count < 75 else 0


def main():
    tool, files = sys.argv[1], sys.argv[2:]
    if files:
        for path in files:
            outcome, detail = compare(tool, path)
            print(f"{outcome:20} {os.path.basename(path):45} {detail}")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        return Checks(tool, folder).run()


if __name__ == "__main__":
    sys.exit(main())
