#!/usr/bin/env bash
# Records the committed goldens anew on an NVIDIA GPU: the decoder fixture in four arithmetics, and
# once with tokens decoded behind the prompts. Add a line to
# golden/CHANGES.md with every refresh.
set -euo pipefail

if [[ $# -ne 1 || $1 == --help ]]; then
  echo "Usage: scripts/record_goldens.sh FOLDER   (uses the parity on PATH; needs a GPU)" >&2
  exit 2
fi
out=$1
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mkdir -p "$out"

record() {
  local name=$1
  shift
  parity record --model fixtures/decoder/model.pt --config fixtures/decoder/config.json \
    --inputs prose=fixtures/decoder/inputs/prose.json code=fixtures/decoder/inputs/code.json \
    --device cuda --compress 9 --out "$out/fixture-$name.h5" "$@"
}

record float32
record bfloat16 --dtype bfloat16
record float16 --dtype float16
record tf32 --fp32-precision tf32
record decode-bfloat16 --dtype bfloat16 --decode 16 --skip '**/kv_cache.*'
