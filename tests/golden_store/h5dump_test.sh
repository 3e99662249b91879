#!/bin/sh
# h5dump opens a golden without plugins and shows its structure and its values: h5dump_test.sh GOLDEN_TOOL H5DUMP
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for command in write write-gzip; do
  "$1" "$command" "$folder/golden.h5"
  "$2" -H "$folder/golden.h5" > "$folder/header"
  grep -q '"case_names"' "$folder/header"
  grep -q '16-bit little-endian floating-point' "$folder/header"
  "$2" -d /cases/000000/index/path "$folder/golden.h5" | grep -q '"blocks.0.mlp"'
done
echo "h5dump reads goldens"
