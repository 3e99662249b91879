# A golden that is cut, altered or something else is refused in one sentence.
source "$(dirname "$0")/expect.sh"

expect 0 record --model "$model" --inputs prose="$prose" --device cpu --out golden.h5
size=$(stat -c %s golden.h5)
for share in 1 10 50 99; do
  head -c $((size * share / 100)) golden.h5 >cut.h5
  refused 2 "cut.h5" compare cut.h5 golden.h5
  refused 2 "cut.h5" inspect cut.h5
done
cp golden.h5 altered.h5
printf '\x55' | dd of=altered.h5 bs=1 seek=$((size / 3)) conv=notrunc status=none
refused 2 "altered" compare golden.h5 altered.h5
cp "$model" other.h5
refused 2 "other.h5" compare other.h5 --model "$model" --device cpu
: >empty.h5
refused 2 "empty.h5" inspect empty.h5
refused 2 "." inspect .
exit 0
