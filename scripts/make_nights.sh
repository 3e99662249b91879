#!/usr/bin/env bash
# Makes fixtures/nights/nights.tar.xz: the reports of 30 nights, from real runs of the decoder fixture against the
# committed goldens of an H200. Two programs, built with different LibTorch versions: the first runs the early nights, the
# second the others. One night has other weights than it should; that is the fault. Beside the nights, in fault-on-upgrade/,
# lie the reports of the night of the upgrade as they would be if it had brought that fault.
set -euo pipefail

if [[ $# -ne 3 || $1 == --help ]]; then
  echo "Usage: scripts/make_nights.sh EARLY_PARITY LATE_PARITY ARCHIVE.tar.xz" >&2
  exit 2
fi
early=$1 late=$2 archive=$(realpath "$3")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# Threads that wait do not spin: the numbers are the same, and a busy machine is not slowed further.
export OMP_WAIT_POLICY=passive
# Below the project, so that reports name no folder of this machine.
work=build/nights
rm -rf "$work"
mkdir -p "$work/nights"

readonly FAULTY_WEIGHT=model.layers.2.mlp.down_proj.weight FAULTY_FACTOR=1.03
readonly FIRST_NIGHT_S=1790820000 # 2026-10-01T02:00:00Z
readonly LAST_EARLY=13 MISSING=11 INFRASTRUCTURE=17 FAULTY=25 LAST=32
decoder=(--config fixtures/decoder/config.json --device cpu)
python3 scripts/scale_weight.py fixtures/decoder/model.pt "$FAULTY_WEIGHT" "$FAULTY_FACTOR" "$work/faulty.pt"

# The golden of the series "batches": a sweep over batch sizes and lengths, recorded before the first night.
"$early" record -q --model fixtures/decoder/model.pt "${decoder[@]}" --threads 2 --dtype bfloat16 \
  --inputs tokens:1x1 tokens:1x16 tokens:3x16 tokens:4x17 --out "$work/batches.h5"

# settings NIGHT: what was different on this host.
settings() {
  case $1 in
    5) echo "--threads 1" ;;
    9 | 22) echo "--threads 4" ;;
    28) echo "--threads 2 --sdpa math" ;;
    *) echo "--threads 2" ;;
  esac
}

# note NIGHT SERIES FILE EXIT_CODE: one line of the list that says what to add; "-" stands for no report.
note() {
  printf '%s\t%s\t%s\t%s\n' "$(date -u -d "@$((FIRST_NIGHT_S + ($1 - 1) * 86400))" +%Y-%m-%dT%H:%M:%SZ)" "$2" "$3" "$4" \
    >>"$work/nights/nights.tsv"
}

# judged NIGHT SERIES FILE ARGUMENT...: runs the comparison; its report goes into the archive. FILE "-": as one of the
# nights, under its number.
judged() {
  local night=$1 series=$2 file=$3 code=0
  shift 3
  [[ $file != - ]] || file=$(printf '%s/%02d.json' "$series" "$night")
  mkdir -p "$(dirname "$work/nights/$file")"
  "$parity" compare -q "$@" --json "$work/nights/$file" || code=$?
  [[ $code -le 1 ]] || { echo "make_nights: night $night of $series ended with $code" >&2; exit 3; }
  [[ $file == fault-on-upgrade/* ]] || note "$night" "$series" "$file" "$code"
}

# file_of FOLDER SERIES: "-" without a folder.
file_of() { [[ -n $1 ]] && echo "$1/$2.json" || echo -; }

# judged_all NIGHT right|faulty FOLDER: every series, with the weights as they are or the faulty one. FOLDER "": as a night.
judged_all() {
  local night=$1 weights=$2 folder=$3 set model any=()
  read -ra set <<<"$(settings "$night")"
  model=(--model fixtures/decoder/model.pt "${decoder[@]}" "${set[@]}")
  if [[ $weights == faulty ]]; then
    model=(--model "$work/faulty.pt" "${decoder[@]}" "${set[@]}")
    any=(--weights any)
  fi
  judged "$night" float32 "$(file_of "$folder" float32)" golden/fixture-float32.h5 "${model[@]}" "${any[@]}" --attribute
  judged "$night" bfloat16 "$(file_of "$folder" bfloat16)" golden/fixture-bfloat16.h5 "${model[@]}" "${any[@]}" --attribute
  # Against this CPU's own golden another attention kernel is worth a warning, and rightly so: not in this series.
  judged "$night" batches "$(file_of "$folder" batches)" "$work/batches.h5" "${model[@]/#math/default}" "${any[@]}" --attribute
  # Two recordings, compared without a model.
  "$parity" record -q "${model[@]}" --dtype float16 \
    --inputs prose=fixtures/decoder/inputs/prose.json code=fixtures/decoder/inputs/code.json --out "$work/candidate.h5"
  judged "$night" float16 "$(file_of "$folder" float16)" golden/fixture-float16.h5 "$work/candidate.h5" "${any[@]}"
}

for ((night = 1; night <= LAST; night++)); do
  [[ $night -ne $MISSING ]] || continue
  parity=$late
  [[ $night -gt $LAST_EARLY ]] || parity=$early
  if [[ $night -eq $INFRASTRUCTURE ]]; then
    for series in float32 bfloat16 float16 batches; do
      code=0
      "$parity" compare -q golden/fixture-float32.h5 --model fixtures/decoder/model.pt --config fixtures/decoder/config.json \
        --device cuda:63 2>/dev/null || code=$?
      note "$night" "$series" - "$code"
    done
    continue
  fi
  weights=right
  [[ $night -ne $FAULTY ]] || weights=faulty
  judged_all "$night" "$weights" ""
  [[ $night -ne $((LAST_EARLY + 1)) ]] || judged_all "$night" faulty fault-on-upgrade
done

# Files without owners and times; those of one series lie side by side, which compresses best.
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -cf - nights | xz -9e --lzma2=preset=9e,dict=192MiB -T1 >"$archive"
echo "make_nights: $(wc -l <"$work/nights/nights.tsv") nights, $(stat -c %s "$archive") bytes" >&2
