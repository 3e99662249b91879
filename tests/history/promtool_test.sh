# promtool, which is not ours, takes the exports: of the 30 nights, and of a report.
# Needs PARITY, FIXTURES, HISTORY (of the 30 nights) and promtool (Debian's package prometheus).
set -euo pipefail
if ! command -v promtool >/dev/null; then
  echo "SKIPPED: there is no promtool, so no export was checked by it"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$PARITY" history export --db "$HISTORY" --openmetrics nights.om --now 2026-11-01T03:00:00Z
promtool check metrics <nights.om
[ "$(grep -c '^parity_history_tap_nrmse{' nights.om)" -gt 200 ]
"$PARITY" compare -q "$FIXTURES/../golden/fixture-float32.h5" --model "$FIXTURES/decoder/model.pt" \
  --config "$FIXTURES/decoder/config.json" --device cpu --openmetrics report.om
promtool check metrics <report.om
# It would have found something.
if printf '# TYPE a gauge\na{x="1"} 1\na{x="1"} 2\n' | promtool check metrics 2>/dev/null; then
  echo "FAILED: promtool finds nothing wrong with two samples of the same labels" >&2
  exit 1
fi
