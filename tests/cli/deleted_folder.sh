# In a folder that has been deleted every command says so in one sentence, whatever LibTorch's libraries make of it.
source "$(dirname "$0")/expect.sh"

mkdir gone there
cp "$prose" there/prose.json
for arguments in "--version" "policy" "inspect ../there/prose.json" "doctor --device cpu"; do
  mkdir -p gone
  # shellcheck disable=SC2086  # one word each
  (cd gone && rmdir ../gone && "$PARITY" $arguments) >stdout 2>stderr </dev/null
  got=$?
  last_command="parity $arguments"
  [ "$got" -eq 3 ] || fail "exit code $got instead of 3"
  has stderr "parity: the present folder has been deleted: go to another one (cd) and start parity again"
  one_line stderr
  empty stdout
done
exit 0
