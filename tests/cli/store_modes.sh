# Rows and digests take less space and still tell whether a run is the same.
source "$(dirname "$0")/expect.sh"

record() { expect 0 record --model "$model" --inputs prose="$prose" --device cpu "$@"; }
record --out full.h5
record --out rows.h5 --store rows:4
record --out digest.h5 --store digest
record --out packed.h5 --compress 6
record --out zstd.h5 --compress zstd
record --out zstd-high.h5 --compress zstd:12
for golden in zstd zstd-high; do
  [ "$(stat -c %s $golden.h5)" -lt "$(stat -c %s full.h5)" ] || fail "$golden.h5 is not smaller"
done
[ "$(stat -c %s rows.h5)" -lt $(($(stat -c %s full.h5) / 3)) ] || fail "rows.h5 is not smaller"
[ "$(stat -c %s digest.h5)" -lt $(($(stat -c %s full.h5) / 3)) ] || fail "digest.h5 is not smaller"
[ "$(stat -c %s packed.h5)" -lt "$(stat -c %s full.h5)" ] || fail "packed.h5 is not smaller"
for golden in rows digest packed zstd zstd-high; do
  all_identical $golden.h5 --model "$model" --device cpu
  all_identical $golden.h5 full.h5
done
expect 0 compare rows.h5 full.h5 --json -
has stdout "rows_compared"
expect 0 compare digest.h5 full.h5 --json -
has stdout "digest_equal"
has stdout '"top1_agreement"'
expect 1 compare digest.h5 --model "$model" --device cpu --dtype bfloat16 --show failing
exit 0
