# The main job: record, replay on the same host, everything identical; and recording twice gives the same bits.
source "$(dirname "$0")/expect.sh"

expect 0 record --model "$model" --inputs prose="$prose" code="$code" --device cpu --out golden.h5
has stdout "2 cases"
empty stderr
expect 0 record --model "$model" --inputs prose="$prose" code="$code" --device cpu --out again.h5
cmp golden.h5 again.h5 || fail "two recordings of one model differ"

expect 0 compare golden.h5 --model "$model" --device cpu
has stdout "SELF-COMPARISON"
has stdout "identical"
has stdout "model.layers.3.self_attn.q_proj"
has stdout "parity compare golden.h5 --model"
lacks stdout "diverged"

all_identical golden.h5 golden.h5
all_identical golden.h5 --model "$model" --device cpu
ls -A | grep -v -e golden.h5 -e again.h5 -e stdout -e stderr && fail "files left behind"
exit 0
