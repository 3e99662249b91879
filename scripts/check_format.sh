#!/usr/bin/env bash
# Checks that every C++ file of the project is as clang-format 14 leaves it (Debian 12's and Ubuntu 22.04's; newer ones
# break some lines elsewhere, so they cannot judge). Exits 77 (skipped) where there is none, and says so. `--fix` rewrites
# the files instead.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

clang_format=
for candidate in ${CLANG_FORMAT:+"$CLANG_FORMAT"} clang-format-14 clang-format; do
  if [[ $("$candidate" --version 2>/dev/null) == *'version 14.'* ]]; then
    clang_format=$candidate
    break
  fi
done
if [[ -z $clang_format ]]; then
  echo "SKIPPED: clang-format 14 is not installed, so formatting was not checked"
  exit 77
fi

mapfile -t files < <(find harness tests bench -type f \( -name '*.h' -o -name '*.cpp' \) | sort)
if [[ ${1:-} == --fix ]]; then
  "$clang_format" -i "${files[@]}"
  exit
fi
if ! "$clang_format" --dry-run -Werror "${files[@]}"; then
  echo "Run scripts/check_format.sh --fix."
  exit 1
fi
echo "check_format: ${#files[@]} files are formatted"
