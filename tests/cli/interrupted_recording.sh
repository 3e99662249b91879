# A recording that a signal ends leaves the golden as it was and nothing beside it; what SIGKILL leaves, the next
# recording of the same name removes. The exit status is the signal's.
source "$(dirname "$0")/expect.sh"
set -m  # without job control, a script's background commands ignore SIGINT

expect 0 record --model "$model" --inputs prose="$prose" --device cpu --out golden.h5
cp golden.h5 ../before.$$ && trap 'rm -rf "$work" "../before.$$"' EXIT
cases=()
for i in $(seq 40); do cases+=("c$i=randint:16x512:0:256"); done

# interrupt SIGNAL: ends a recording in its middle; sets `status`.
interrupt() {
  last_command="parity record (killed by $1)"
  "$PARITY" record --model "$model" --inputs "${cases[@]}" --device cpu --out golden.h5 >stdout 2>stderr </dev/null &
  local recording=$! tries=0
  until [ -s "$(echo .golden.h5.tmp.$recording.*)" ]; do
    sleep 0.01
    tries=$((tries + 1))
    [ $tries -lt 3000 ] || fail "the recording never began"
  done
  kill -s "$1" $recording
  wait $recording 2>/dev/null
  status=$?
  cmp golden.h5 ../before.$$ || fail "the golden was touched"
}

for signal in INT TERM HUP USR1 ALRM PWR ABRT SEGV RTMAX; do
  interrupt $signal
  [ $status -eq $((128 + $(kill -l $signal))) ] || fail "exit status $status after SIG$signal"
  [ -z "$(ls -A | grep '[.]tmp')" ] || fail "left after SIG$signal: $(ls -A)"
done

interrupt KILL
[ $status -eq 137 ] || fail "exit status $status after SIGKILL"
[ -n "$(ls -A | grep '[.]tmp')" ] || fail "SIGKILL left nothing, so this test shows nothing"
expect 0 record --model "$model" --inputs prose="$prose" --device cpu --out golden.h5
[ -z "$(ls -A | grep '[.]tmp')" ] || fail "the next recording left $(ls -A)"
cmp golden.h5 ../before.$$ || fail "the golden is another"
exit 0
