# Quiet prints nothing but the exit code; escape sequences only go to terminals that want them.
source "$(dirname "$0")/expect.sh"

expect 0 record --quiet --model "$model" --inputs prose="$prose" --device cpu --out golden.h5
empty stdout
empty stderr
expect 0 compare --quiet golden.h5 golden.h5
empty stdout
expect 0 compare golden.h5 golden.h5
! grep -q $'\033' stdout || fail "colours in a pipe"
in_terminal() { script -qec "$*" /dev/null </dev/null >stdout 2>stderr; }
if command -v script >/dev/null; then
  in_terminal "TERM=xterm $PARITY compare golden.h5 golden.h5"
  grep -q $'\033\[3' stdout || fail "no colours in a terminal"
  in_terminal "TERM=xterm $PARITY compare golden.h5 golden.h5 --no-color"
  ! grep -q $'\033\[3' stdout || fail "--no-color left colours"
  in_terminal "TERM=xterm NO_COLOR=1 $PARITY compare golden.h5 golden.h5"
  ! grep -q $'\033\[3' stdout || fail "NO_COLOR left colours"
fi
exit 0
