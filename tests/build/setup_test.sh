#!/usr/bin/env bash
# Tests of the functions in scripts/lib/setup.sh that decide something, against made-up folders and commands.
# shellcheck disable=SC2317  # the made-up commands are called by the functions under test
set -euo pipefail
PARITY_ROOT=$(mktemp -d)
trap 'rm -rf "$PARITY_ROOT"' EXIT
# shellcheck source=../../scripts/lib/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib/setup.sh"
unset PARITY_TORCH_DIR CXX
failures=0

# expect WHAT WANTED FOUND
expect() {
  if [[ $2 != "$3" ]]; then
    printf 'FAILED: %s\n  wanted: %s\n  found:  %s\n' "$1" "$2" "$3"
    failures=$((failures + 1))
  fi
}

# expect_failure WHAT WORDS COMMAND...: ends with 3 and says these words.
expect_failure() {
  local what=$1 words=$2 code=0 output
  shift 2
  output=$("$@" 2>&1) || code=$?
  expect "$what: exit code" 3 "$code"
  [[ $output == *"$words"* ]] || expect "$what: message" "...$words..." "$output"
}

# A torch folder as a pip wheel leaves it: make_torch FOLDER VERSION.
make_torch() {
  mkdir -p "$1/lib" "$1/include" "$1/../torch-$2.dist-info"
  : >"$1/lib/libtorch_cpu.so"
  printf "__version__ = '%s+cu130'\n" "$2" >"$1/version.py"
  printf '%s\n' 'Requires-Dist: filelock' \
    'Requires-Dist: cuda-toolkit[cublas,cudart,cufft,cupti,nvtx]==13.0.2; platform_system == "Linux"' \
    'Requires-Dist: triton==3.6.0; platform_system == "Linux"' >"$1/../torch-$2.dist-info/METADATA"
}

make_torch "$PARITY_ROOT/new/torch" 2.11.0
make_torch "$PARITY_ROOT/old/torch" 2.5.1
ldd() { printf '\tlibc.so.6 => /lib/libc.so.6 (0x0)\n'; }

expect "version of a wheel" 2.11.0 "$(torch_version "$PARITY_ROOT/new/torch")"
expect "2.11 is newer than 2.6" yes "$(usable_torch "$PARITY_ROOT/new/torch" && echo yes || echo no)"
expect "2.5.1 is too old" no "$(usable_torch "$PARITY_ROOT/old/torch" && echo yes || echo no)"
expect "the CUDA runtime comes in the version the wheel names" "cuda-toolkit[cudart,cupti]==13.0.2" \
  "$(cuda_runtime_requirement "$PARITY_ROOT/new/torch")"

expect "PARITY_TORCH_DIR comes first" "$PARITY_ROOT/new/torch" \
  "$(PARITY_TORCH_DIR=$PARITY_ROOT/new/torch && find_torch "$PARITY_ROOT/.venv" 2>/dev/null && echo "$PARITY_TORCH_DIR")"
try() { PARITY_TORCH_DIR=$1 && find_torch "$PARITY_ROOT/.venv"; }
expect_failure "an old PARITY_TORCH_DIR" "2.6 or newer is needed" try "$PARITY_ROOT/old/torch"
expect_failure "an empty PARITY_TORCH_DIR" "holds no lib/libtorch_cpu.so" try "$PARITY_ROOT"
ldd() { printf '\tlibcudart.so.13 => not found\n\tlibcupti.so.13 => not found\n\tlibcudart.so.13 => not found\n'; }
expect "missing libraries are listed once" "libcudart.so.13 libcupti.so.13" "$(missing_libraries x | tr '\n' ' ' | sed 's/ $//')"
expect_failure "a LibTorch that cannot be loaded" "libcudart.so.13 libcupti.so.13" try "$PARITY_ROOT/new/torch"

expect_failure "an old tool" "cmake is version 3.18.4; 3.22 or newer is needed" require_version cmake 3.22 3.18.4
expect "a newer tool is fine" ok "$(require_version cmake 3.22 3.100.1 && echo ok)"
expect_failure "a full disk" "MB are free" need_space / 999999999 "the packages"

nproc() { echo 64; }
awk() { echo 9000; }
cat() { echo max; }
expect "2 GB of memory per job" 4 "$(parallel_jobs)"
cat() { echo 3221225472; }
expect "a container's limit counts" 1 "$(parallel_jobs)"
awk() { echo 500; }
expect "one job at least" 1 "$(parallel_jobs)"
nproc() { echo 2; }
awk() { echo 64000; }
cat() { echo max; }
expect "no more jobs than processors" 2 "$(parallel_jobs)"
unset -f nproc awk cat

dpkg-query() { if [[ ${*: -1} == here ]]; then printf installed; elif [[ ${*: -1} == removed ]]; then printf config-files; else return 1; fi; }
expect "only missing packages are installed" "removed gone" "$(missing_packages here removed gone | tr '\n' ' ' | sed 's/ $//')"
apt-get() { :; }
can_be_root() { return 1; }
expect_failure "neither root nor sudo" "apt-get install --no-install-recommends gone" system_packages INSTALL here gone
expect "nothing to install needs no root" ok "$(system_packages INSTALL here 2>/dev/null && echo ok)"
expect "--no-install installs nothing" ok "$(system_packages SKIP gone 2>/dev/null && echo ok)"
has_apt() { return 1; }
expect "an unknown distribution is told what is needed" yes \
  "$(system_packages INSTALL gone 2>&1 | grep -q 'as with --no-install.*gone' && echo yes)"

arguments() { grep -c . "$PARITY_ROOT/cmake-calls" 2>/dev/null || true; }
cmake() { echo call >>"$PARITY_ROOT/cmake-calls"; mkdir -p "$4" && : >"$4/build.ninja"; }
configure "$PARITY_ROOT/b" -DX=1 2>/dev/null
configure "$PARITY_ROOT/b" -DX=1 2>/dev/null
expect "the same arguments configure once" 1 "$(arguments)"
configure "$PARITY_ROOT/b" -DX=2 2>/dev/null
expect "other arguments configure again" 2 "$(arguments)"

noisy() { echo "the cause" && return 1; }
expect "a failed step shows the end of its log" "the cause" "$( (quietly step noisy 2>&1 || true) | tail -n 1)"
expect "a step that works is quiet" "" "$(quietly step echo hello 2>&1)"

# The browser: a package on Debian, playwright's own elsewhere, and no failure where neither can be had.
(
  has_apt() { return 0; }
  can_be_root() { return 1; }
  has_browser() { return 1; }
  install_packages() { echo "packages: $*"; }
  quietly() { echo "ran: ${*:2}" && return 1; }
  distribution() { echo debian; }
  expect "Debian has a package" "packages: chromium fonts-dejavu-core" "$(test_browser INSTALL v 2>/dev/null)"
  expect "--no-install takes no package" "ran: v/bin/python -m playwright install chromium" "$(test_browser SKIP v 2>/dev/null)"
  distribution() { echo ubuntu; }
  expect "Ubuntu has a snap alone" "ran: v/bin/python -m playwright install chromium" "$(test_browser INSTALL v 2>/dev/null)"
  can_be_root() { return 0; }
  expect "root gets its libraries too" "ran: v/bin/python -m playwright install --with-deps chromium" \
    "$(test_browser INSTALL v 2>/dev/null)"
  expect "no browser is no failure, and is said" yes \
    "$( (test_browser INSTALL v 2>&1 || echo failed) | grep -q 'SKIPPED: there is no browser' && echo yes)"
  has_browser() { return 0; }
  expect "one that is there is enough" "" "$(test_browser INSTALL v 2>/dev/null)"
  exit "$failures"
) || failures=$((failures + $?))

# promtool: unpacked, so that no server is started.
(
  command() { [[ $* != "-v promtool" ]] || return 1; builtin command "$@"; }
  has_apt() { return 0; }
  can_be_root() { return 1; }
  install_packages() { echo "installed: $*"; }
  quietly() { echo "ran: ${*:2}"; }
  expect "promtool is unpacked" "ran: unpack_package prometheus $PARITY_ROOT/build/promtool" \
    "$(test_promtool INSTALL 2>/dev/null)"
  expect "--no-install unpacks none" "" "$(test_promtool SKIP 2>/dev/null)"
  quietly() { return 1; }
  expect "no promtool is no failure, and is said" yes \
    "$( (test_promtool INSTALL 2>&1 || echo failed) | grep -q 'SKIPPED: promtool' && echo yes)"
  command() { builtin command "$@"; }
  mkdir -p "$PARITY_ROOT/build/promtool/usr/bin"
  printf '#!/bin/sh\n' >"$PARITY_ROOT/build/promtool/usr/bin/promtool"
  chmod +x "$PARITY_ROOT/build/promtool/usr/bin/promtool"
  expect "one that was unpacked is in PATH" "$PARITY_ROOT/build/promtool/usr/bin/promtool" \
    "$(test_promtool INSTALL 2>/dev/null; builtin command -v promtool)"
  [[ " ${TEST_PACKAGES[*]} ${BUILD_PACKAGES[*]} " != *" prometheus "* ]] || expect "prometheus is not installed" "" "it is"
  exit "$failures"
) || failures=$((failures + $?))

[[ $failures -eq 0 ]] && echo "setup_test: all as wanted"
exit "$failures"
