# A signal in the moment in which a report is written leaves the report that was there, and nothing beside it.
source "$(dirname "$0")/expect.sh"
set -m  # without job control, a script's background commands ignore SIGINT

expect 0 record --model "$model" --inputs prose="$prose" --device cpu --out golden.h5
expect 0 compare golden.h5 golden.h5 --json report.json
cp report.json before.json

for signal in TERM INT HUP USR1; do
  last_command="parity compare (killed by $signal)"
  LD_PRELOAD=$SLOW_RENAME "$PARITY" compare golden.h5 golden.h5 --json report.json >stdout 2>stderr </dev/null &
  comparing=$!
  tries=0
  until [ -s renaming ]; do
    sleep 0.01
    tries=$((tries + 1))
    [ $tries -lt 3000 ] || fail "the report was never written"
  done
  kill -s $signal $comparing
  wait $comparing 2>/dev/null
  [ $? -eq $((128 + $(kill -l $signal))) ] || fail "another exit status after SIG$signal"
  rm renaming
  [ "$(ls -A)" = "$(printf '%s\n' before.json golden.h5 report.json stderr stdout)" ] || fail "left after SIG$signal: $(ls -A)"
  cmp report.json before.json || fail "the report was touched"
done
exit 0
