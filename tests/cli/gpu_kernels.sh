# The GPU parts of the worked example compile, where a compiler for them is installed: no GPU is needed.
# Exit code 77 is a skip, which CTest counts.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build=$FIXTURES/custom_op/build.sh
compiled=0
if command -v "${HIPCC:-hipcc}" >/dev/null; then
  bash "$build" hip-kernel "$work/hip.o" gfx90a
  grep -q "amdgcn-amd-amdhsa--gfx90a" "$work/hip.o" || { echo "FAILED: no code for gfx90a" >&2; exit 1; }
  compiled=$((compiled + 1))
fi
if command -v "${NVCC:-nvcc}" >/dev/null; then
  bash "$build" cuda-kernel "$work/cuda.o" sm_90
  grep -q "gated_silu_kernel" "$work/cuda.o" || { echo "FAILED: no kernel for sm_90" >&2; exit 1; }
  compiled=$((compiled + 1))
fi
if [ $compiled -eq 0 ]; then
  echo "SKIPPED: neither hipcc nor nvcc is installed"
  exit 77
fi
echo "compiled for $compiled vendors"
