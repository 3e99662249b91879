#!/usr/bin/env bash
# A 7-billion-parameter-shaped bfloat16 decoder on GPUs that are too small for it: seconds a pass, rate at which weights
# arrive, peak device memory, and that the golden is the one of the whole model on one GPU.
#
#   bench/record/large_model.sh PARITY FOLDER [LAYERS]
#
# FOLDER needs 14 GB for 32 layers. python3 must have torch with a GPU. All but 8 GiB of the first GPU are taken by
# another process while weights are streamed.
set -euo pipefail

[[ $# -ge 2 ]] || { sed -n '2,9p' "$0" | cut -c3- >&2; exit 2; }
parity=$(realpath "$1") folder=$2 layers=${3:-32}
here=$(dirname "$(realpath "$0")")
budget=6GB
mkdir -p "$folder"
[[ -e $folder/config.json ]] ||
  python3 "$here/make_decoder.py" "$folder" --layers "$layers" --hidden 4096 --intermediate 11008 --kv-heads 32 --on cuda
model=(--model "$folder/model.pt" --config "$folder/config.json" --no-probes --store digest -q)
one=(--inputs a=tokens:1x1024)
five=(--inputs a=tokens:1x1024 b=tokens:1x1024 c=tokens:1x1024 d=tokens:1x1024 e=tokens:1x1024)
helpers=()
trap 'kill "${helpers[@]}" 2>/dev/null || true' EXIT

seconds() {
  local start
  start=$(date +%s.%N)
  "$@" >&2
  awk -v start="$start" -v end="$(date +%s.%N)" 'BEGIN { print end - start }'
}

# used_MiB GPU: memory in use now
used_MiB() { nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits -i "$1"; }

# measure NAME GPU... -- FLAG...: records one case and five; prints start, seconds a pass, and the peak above what was in use.
measure() {
  local name=$1 gpus=() before=() sampler first all
  shift
  while [[ $1 != -- ]]; do gpus+=("$1"); shift; done
  shift
  for gpu in "${gpus[@]}"; do before+=("$(used_MiB "$gpu")"); done
  nvidia-smi --query-gpu=index,memory.used --format=csv,noheader,nounits -lms 50 >"$folder/used.csv" &
  sampler=$!
  helpers+=("$sampler")
  first=$(seconds "$parity" record "${model[@]}" "${one[@]}" "$@" --out "$folder/$name.one.h5")
  all=$(seconds "$parity" record "${model[@]}" "${five[@]}" "$@" --out "$folder/$name.h5")
  kill "$sampler"
  local peaks=''
  for i in "${!gpus[@]}"; do
    peaks+=" $(awk -F', ' -v gpu="${gpus[$i]}" -v before="${before[$i]}" \
      '$1 == gpu && $2 > most { most = $2 } END { printf "%.2f", (most - before) * 1.048576 / 1000 }' "$folder/used.csv")"
  done
  awk -v name="$name" -v first="$first" -v all="$all" -v peaks="$peaks" \
    'BEGIN { printf "%-22s first case %6.2f s, each further one %6.3f s, peak GB on each GPU:%s\n", name, first, (all - first) / 4, peaks }'
}

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
stat -c %s "$folder/model.pt" | awk '{ printf "weights                %.2f GB\n", $1 / 1e9 }'
cat "$folder/model.pt" >/dev/null # into the page cache, as far as it fits
measure whole 0 -- --device cuda:0
measure streamed_$budget 0 -- --device cuda:0 --stream-weights=$budget
python3 - <<'PY' &
import time, torch
free, _ = torch.cuda.mem_get_info()
taken = torch.empty(free - 8 * 2**30, dtype=torch.uint8, device="cuda")
time.sleep(3600)
PY
hog=$!
helpers+=("$hog")
for _ in $(seq 60); do
  sleep 1
  left=$(nvidia-smi --query-gpu=memory.free --format=csv,noheader,nounits -i 0)
  [[ $left -gt 9000 ]] || break
done
echo "left on the first GPU  $left MiB, all else is taken"
if "$parity" record "${model[@]}" "${one[@]}" --device cuda:0 --out "$folder/none.h5" 2>"$folder/refused.txt"; then
  echo "the whole model fits: nothing is shown"
  exit 1
fi
cut -c1-300 "$folder/refused.txt"
measure in_8GiB_$budget 0 -- --device cuda:0 --stream-weights=$budget
measure in_8GiB_two_parts 0 -- --device cuda:0 --stream-weights
kill "$hog"
wait "$hog" || true
sleep 2 # until the driver has its memory back
goldens=("streamed_$budget" "in_8GiB_$budget" in_8GiB_two_parts)
if [[ $(nvidia-smi -L | wc -l) -ge 2 ]]; then
  measure two_gpus 0 1 -- --devices 0,1
  measure two_gpus_streamed 0 1 -- --devices 0,1 --stream-weights=2GB
  goldens+=(two_gpus two_gpus_streamed)
fi
for golden in "${goldens[@]}"; do
  "$parity" compare "$folder/whole.h5" "$folder/$golden.h5" --show summary | tail -1 | sed "s/^/$golden: /"
done
