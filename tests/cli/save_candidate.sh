# The candidate's run can be kept as a golden of its own, equal to what it was compared as.
source "$(dirname "$0")/expect.sh"

expect 0 record --model "$model" --inputs prose="$prose" --device cpu --out golden.h5
expect 0 compare golden.h5 --model "$model" --device cpu --save candidate.h5
all_identical golden.h5 candidate.h5
exit 0
