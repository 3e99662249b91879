# Quiet prints nothing but the exit code; a pipe gets no escape sequences.
source "$(dirname "$0")/expect.sh"

expect 0 record --quiet --model "$model" --inputs prose="$prose" --device cpu --out golden.h5
empty stdout
empty stderr
expect 0 compare --quiet golden.h5 golden.h5
empty stdout
expect 0 compare golden.h5 golden.h5
! grep -q $'\033' stdout || fail "colours in a pipe"
exit 0
