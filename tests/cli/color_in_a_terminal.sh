# Escape sequences go to a terminal that wants them. Needs script(1), which makes one.
source "$(dirname "$0")/expect.sh"

if ! command -v script >/dev/null; then
  echo "SKIPPED: script(1) is not here (Debian: bsdutils)"
  exit 77
fi
expect 0 record --model "$model" --inputs prose="$prose" --device cpu --out golden.h5
if ! script -qec true /dev/null </dev/null >/dev/null 2>&1; then
  echo "SKIPPED: this machine gives no pseudo-terminal"
  exit 77
fi
in_terminal() { script -qec "$*" /dev/null </dev/null >stdout 2>stderr; }
in_terminal "TERM=xterm $PARITY compare golden.h5 golden.h5"
grep -q $'\033\\[3' stdout || fail "no colours in a terminal"
in_terminal "TERM=xterm $PARITY compare golden.h5 golden.h5 --no-color"
! grep -q $'\033\\[3' stdout || fail "--no-color left colours"
in_terminal "TERM=xterm NO_COLOR=1 $PARITY compare golden.h5 golden.h5"
! grep -q $'\033\\[3' stdout || fail "NO_COLOR left colours"
exit 0
