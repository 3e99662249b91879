# `record --repeat`: the same bits every time on this host, said in the summary, by inspect and in a comparison.
source "$(dirname "$0")/expect.sh"

run=(--model "$model" --inputs prose="$prose" --device cpu)
expect 0 record "${run[@]}" --repeat 2 --out golden.h5
has stdout "the same bits in 2 repeats"
empty stderr
expect 0 inspect golden.h5
has stdout "2 repeats: every tap has the same bits"
all_identical golden.h5 --model "$model" --device cpu
expect 0 compare golden.h5 --model "$model" --device cpu --show summary
has stdout "none: every tap of the reference has the same bits in 3 runs of it"

expect 0 record "${run[@]}" --out golden.h5
lacks stdout "repeat"
expect 0 compare golden.h5 --model "$model" --device cpu --show summary
lacks stdout "bits in"
for wrong in -1 1001 many; do
  refused 2 "--repeat" record "${run[@]}" --repeat "$wrong" --out golden.h5
done
# Says where a truth runs that nobody asked for.
refused 2 "--truth-device" record "${run[@]}" --truth-device same --out other.h5
no_file other.h5
exit 0
