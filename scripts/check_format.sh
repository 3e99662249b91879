#!/usr/bin/env bash
# Checks that every C++ file of the project is as clang-format leaves it. Exits 77 (skipped) where clang-format is not
# installed or too old, and says so. `--fix` rewrites the files instead.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

clang_format=${CLANG_FORMAT:-clang-format}
if ! command -v "$clang_format" >/dev/null; then
  echo "SKIPPED: clang-format is not installed, so formatting was not checked"
  exit 77
fi
version=$("$clang_format" --version | sed -n 's/.*version \([0-9]*\).*/\1/p')
if [[ $version -lt 14 ]]; then
  echo "SKIPPED: clang-format is version $version, 14 or newer is needed, so formatting was not checked"
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
echo "check_format: ${#files[@]} files are formatted (clang-format $version)"
