# One changed byte in a weight loads silently in LibTorch; here it is refused by the weight's name, and found when allowed.
source "$(dirname "$0")/expect.sh"

expect 0 record --model "$model" --inputs prose="$prose" --device cpu --out golden.h5
cp "$model" changed.pt
# The middle of the file lies inside some weight's storage: the high byte of one float32.
offset=$(($(stat -c %s changed.pt) / 2 / 4 * 4 + 3))
printf '\x7b' | dd of=changed.pt bs=1 seek=$offset conv=notrunc status=none

refused 2 "the weights are not the golden's: model.layers." compare golden.h5 --model changed.pt --device cpu
has stderr "--weights any"
expect 1 compare golden.h5 --model changed.pt --device cpu --weights any --show failing
has stdout "diverged"
has stdout "the weights are not the golden's (1 changed: model.layers."
has stdout "model.layers."
exit 0
