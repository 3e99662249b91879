# A full disk or a missing folder is infrastructure (exit 3) or usage (exit 2), and leaves no half file.
source "$(dirname "$0")/expect.sh"

expect 0 record --model "$model" --inputs prose="$prose" --device cpu --out golden.h5
expect 3 compare golden.h5 golden.h5 --json /dev/full
one_line stderr
has stderr "/dev/full"
"$PARITY" compare golden.h5 golden.h5 >/dev/full 2>stderr
[ $? -eq 3 ] || fail "a full standard output went unnoticed"
refused 2 "nowhere" record --model "$model" --inputs prose="$prose" --device cpu --out nowhere/golden.h5
exit 0
