# Every switch that can change numbers is a flag, is recorded, and stands in the environment difference when it differs.
source "$(dirname "$0")/expect.sh"

expect 0 record --model "$model" --inputs prose="$prose" --device cpu --sdpa math --threads 1 --deterministic --out golden.h5
expect 0 inspect golden.h5
for words in "switch.sdpa                  math" "switch.threads               1" "switch.deterministic         on"; do
  has stdout "$words"
done
expect 0 compare golden.h5 --model "$model" --device cpu --threads 2 --show summary
has stdout "switch.sdpa "
has stdout "math -> default"
has stdout "switch.threads"
has stdout "on -> off"
expect 0 compare golden.h5 --model "$model" --device cpu --sdpa math --threads 1 --deterministic --show summary
lacks stdout "environment differences"
expect 0 record --model "$model" --inputs prose="$prose" --device cpu --fp32-precision tf32 --out tf32.h5
expect 0 compare golden.h5 tf32.h5 --show summary
has stdout "ieee -> tf32"
exit 0
