#!/usr/bin/env bash
# Runs shellcheck over every shell script of the project. Exits 77 (skipped) where it is not installed, and says so.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if ! command -v shellcheck >/dev/null; then
  echo "SKIPPED: shellcheck is not installed, so the shell scripts were not checked"
  exit 77
fi
mapfile -t files < <(find scripts tests bench .ci -type f \( -name '*.sh' -o -path .ci/run \) | sort)
shellcheck -x -P SCRIPTDIR "${files[@]}"
echo "check_shell: ${#files[@]} scripts are clean"
