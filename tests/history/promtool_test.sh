# promtool, which is not ours, takes the exports: of the 30 nights, and of a report.
# Needs PARITY, FIXTURES and a promtool: PARITY_PROMTOOL, in PATH, or where scripts/test.sh puts it.
set -euo pipefail
promtool=${PARITY_PROMTOOL:-$(command -v promtool || echo "$FIXTURES/../build/tools/promtool")}
if [ ! -x "$promtool" ]; then
  echo "SKIPPED: there is no promtool, so no export was checked by it"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
tar -xJf "$FIXTURES/nights/nights.tar.xz"
while IFS=$'\t' read -r time series file code; do
  if [ "$file" = - ]; then
    "$PARITY" history add --no-report --exit-code "$code" --reason "the device is not there" --db h.sqlite --series "$series" --at "$time" -q
  else
    "$PARITY" history add "nights/$file" --db h.sqlite --series "$series" --at "$time" -q
  fi
done <nights/nights.tsv
"$PARITY" history export --db h.sqlite --openmetrics nights.om --now 2026-11-01T03:00:00Z
"$promtool" check metrics <nights.om
[ "$(grep -c '^parity_history_tap_nrmse{' nights.om)" -gt 200 ]
"$PARITY" compare -q "$FIXTURES/../golden/fixture-float32.h5" --model "$FIXTURES/decoder/model.pt" \
  --config "$FIXTURES/decoder/config.json" --device cpu --openmetrics report.om
"$promtool" check metrics <report.om
# It would have found something.
if printf '# TYPE a gauge\na{x="1"} 1\na{x="1"} 2\n' | "$promtool" check metrics 2>/dev/null; then
  echo "FAILED: promtool finds nothing wrong with two samples of the same labels" >&2
  exit 1
fi
