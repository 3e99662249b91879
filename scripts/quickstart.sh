#!/usr/bin/env bash
# From nothing to a first answer: installs what is missing, builds parity and compares this machine with a committed
# golden that was recorded on an NVIDIA H200.
set -euo pipefail

usage() {
  cat <<'TEXT'
Usage: scripts/quickstart.sh [--no-install] [--build-only]

Builds parity on Debian 12, Ubuntu 22.04 or 24.04, compares this machine with a golden recorded on an NVIDIA H200 and
prints the report. A second run only compares.

  --no-install   install no system packages (they are there, or an administrator installs them)
  --build-only   stop after the build
  --help         this text

LibTorch is taken from PARITY_TORCH_DIR (a folder with include/ and lib/), else from the active python3's torch, else
from the pip wheel, which goes into .venv here. Other choices from the environment:

  PARITY_GOLDEN, PARITY_MODEL, PARITY_CONFIG   compare these files instead of the committed ones
  CXX                                          another C++20 compiler than g++

Ends with parity's own exit code: 0 gate passed, 1 gate failed, 2 no judgement possible, 3 something is missing.
TEXT
}

PARITY_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=scripts/lib/setup.sh
source "$PARITY_ROOT/scripts/lib/setup.sh"
cd "$PARITY_ROOT"

install=INSTALL
build_only=no
for argument in "$@"; do
  case $argument in
    --no-install) install=SKIP ;;
    --build-only) build_only=yes ;;
    --help | -h) usage; exit 0 ;;
    *) printf "quickstart.sh: unknown argument '%s'; --help lists what there is.\n" "$argument" >&2; exit 2 ;;
  esac
done

system_packages "$install" "${BUILD_PACKAGES[@]}"
find_toml "$install"
require_tools
find_torch "$PARITY_ROOT/.venv"

configure build/release -DCMAKE_BUILD_TYPE=Release -DPARITY_TESTS=OFF "-DPARITY_TORCH_DIR=$PARITY_TORCH_DIR" \
  "-DPARITY_TOML_INCLUDE=$PARITY_TOML_INCLUDE"
jobs=$(parallel_jobs)
say "Building parity with $jobs parallel jobs"
NINJA_STATUS="[%f/%t, %e s] " ninja -C build/release -j "$jobs" parity >&2 ||
  fail "the build failed; the compiler's message stands above."
say "Built build/release/bin/parity"
[[ $build_only == no ]] || exit 0

command=(build/release/bin/parity compare "${PARITY_GOLDEN:-golden/fixture-float32.h5}"
  --model "${PARITY_MODEL:-fixtures/decoder/model.pt}")
config=${PARITY_CONFIG-$([[ -n ${PARITY_MODEL:-} ]] || printf 'fixtures/decoder/config.json')}
[[ -z $config ]] || command+=(--config "$config")
say "Comparing this machine with the golden: ${command[*]}"
exec "${command[@]}"
