#!/usr/bin/env bash
# Runs shellcheck over every shell script of the project. Exits 77 (skipped) where it is not installed, and says so.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if ! command -v shellcheck >/dev/null; then
  echo "SKIPPED: shellcheck is not installed, so the shell scripts were not checked"
  exit 77
fi
mapfile -t files < <(find scripts tests bench .ci -type f \( -name '*.sh' -o -path .ci/run \) | sort)
# Scripts of tests/cli/ share their variables with expect.sh, and list folders whose file names are their own.
shellcheck -x -s bash -P SCRIPTDIR -S warning -e SC2010,SC2034,SC2154 "${files[@]}"
echo "check_shell: ${#files[@]} scripts are clean"
