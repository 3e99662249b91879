#!/usr/bin/env bash
# Sets up everything that the tests need, builds with warnings as errors and runs all tests.
set -euo pipefail

usage() {
  cat <<'TEXT'
Usage: scripts/test.sh [--no-install] [--no-python] [CTEST-ARGUMENT...]

Installs missing packages, puts PyTorch and the libraries of the cross-checks into .venv-test (about 3 GB of download
the first time), builds into build/test and runs CTest. Anything else on the command line goes to CTest:

  scripts/test.sh -L unit            only tests with the label unit (labels: build unit cli mutation device python
                                     speed)
  scripts/test.sh -R ulp             only tests whose name matches

  --no-install   install no system packages
  --no-python    leave out the cross-checks against PyTorch and transformers; then a LibTorch alone is enough, found as
                 quickstart.sh finds it
  --help         this text
TEXT
}

PARITY_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=scripts/lib/setup.sh
source "$PARITY_ROOT/scripts/lib/setup.sh"
cd "$PARITY_ROOT"

install=INSTALL
python=yes
ctest_arguments=()
for argument in "$@"; do
  case $argument in
    --no-install) install=SKIP ;;
    --no-python) python=no ;;
    --help | -h) usage; exit 0 ;;
    *) ctest_arguments+=("$argument") ;;
  esac
done

system_packages "$install" "${BUILD_PACKAGES[@]}" "${TEST_PACKAGES[@]}"
find_toml "$install"
test_promtool "$install"
export PATH
require_tools
test_python=
if [[ $python == yes ]]; then
  test_venv "$PARITY_ROOT/.venv-test"
  junit_schema "$PARITY_ROOT/.venv-test"
  test_browser "$install" "$PARITY_ROOT/.venv-test"
  test_python=$PARITY_ROOT/.venv-test/bin/python
  PARITY_TORCH_DIR=$(torch_folder "$test_python")
  say "LibTorch $(torch_version "$PARITY_TORCH_DIR") of .venv-test"
else
  say "SKIPPED: every cross-check against PyTorch and transformers (--no-python)"
  find_torch "$PARITY_ROOT/.venv"
fi

bench=ON
if ! pkg-config --exists benchmark; then
  bench=OFF
  say "SKIPPED: there is no Google Benchmark (libbenchmark-dev), so no speed is held against bench/ratios.json"
fi
configure build/test -DCMAKE_BUILD_TYPE=Release -DPARITY_TESTS=ON "-DPARITY_BENCH=$bench" -DPARITY_WERROR=ON \
  "-DPARITY_TORCH_DIR=$PARITY_TORCH_DIR" "-DPARITY_TOML_INCLUDE=$PARITY_TOML_INCLUDE" \
  "-DPARITY_TEST_PYTHON=$test_python"
jobs=$(parallel_jobs)
say "Building with $jobs parallel jobs"
NINJA_STATUS="[%f/%t, %e s] " ninja -C build/test -j "$jobs" || fail "the build failed; the message stands above."
say "Running the tests"
[[ $python == yes ]] || say "REMEMBER: run without the cross-checks in Python (--no-python)"
exec ctest --test-dir build/test --output-on-failure --no-tests=error -j "$jobs" "${ctest_arguments[@]}" </dev/null
