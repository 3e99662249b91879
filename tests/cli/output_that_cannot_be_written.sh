# A full disk or a missing folder is infrastructure (exit 3) or usage (exit 2), and leaves no half file.
source "$(dirname "$0")/expect.sh"

expect 0 record --model "$model" --inputs prose="$prose" --device cpu --out golden.h5
expect 3 compare golden.h5 golden.h5 --json /dev/full
one_line stderr
has stderr "/dev/full"
has stdout "verdict PASS"
expect 0 compare golden.h5 golden.h5 --json report.json
cp report.json before.json
refused 2 "folder" compare golden.h5 golden.h5 --json .
refused 2 "no folder nowhere" compare golden.h5 golden.h5 --json nowhere/report.json
cmp report.json before.json || fail "an older report was touched"
"$PARITY" compare golden.h5 golden.h5 >/dev/full 2>stderr
[ $? -eq 3 ] || fail "a full standard output went unnoticed"
# A file system that is full, or a limit on the size of files: the golden that stood there stays.
cp golden.h5 before.h5
(ulimit -f 64; "$PARITY" record --model "$model" --inputs prose="$prose" --device cpu --out golden.h5) >stdout 2>stderr
[ $? -eq 3 ] || fail "exit code is not 3"
one_line stderr
cmp golden.h5 before.h5 || fail "the golden was touched"
ls -A | grep -q '[.]tmp' && fail "a temporary file is left: $(ls -A)"

# Nothing that a command reads is what it writes.
cp "$model" copy.pt
refused 2 "would overwrite --model" record --model copy.pt --inputs prose="$prose" --device cpu --out ./copy.pt
cp "$prose" prose.json
refused 2 "would overwrite --inputs" record --model copy.pt --inputs p=prose.json --device cpu --out prose.json
refused 2 "would overwrite the golden" compare golden.h5 golden.h5 --json golden.h5
refused 2 "would overwrite the golden" inspect golden.h5 --json ./golden.h5
cmp copy.pt "$model" || fail "the model was touched"
# Nor is it behind a link, under a second name or spelled otherwise; and two results are two files.
ln golden.h5 second.h5
ln -s golden.h5 link.h5
refused 2 "would overwrite the golden" compare golden.h5 golden.h5 --json second.h5
refused 2 "would overwrite the golden" compare golden.h5 golden.h5 --json link.h5
refused 2 "would overwrite the golden" compare link.h5 link.h5 --json "$PWD/../$(basename "$PWD")/golden.h5"
cp report.json judged.json
ln judged.json judged.link
refused 2 "would overwrite the report" judge judged.json --json ./judged.link
"$PARITY" policy show >policy.toml
refused 2 "would overwrite --policy" judge judged.json --policy policy.toml --markdown ./policy.toml
refused 2 "would overwrite --policy" selfcheck --model "$model" --inputs prose="$prose" --policy policy.toml --html policy.toml
ln -s new.json one.link
ln -s one.link two.link
for pair in "one.link two.link" "one.link new.json" "./new.json new.json" "new.json two.link"; do
  read -r first second <<<"$pair"
  refused 2 "--junit $second would overwrite --json of the same command" compare golden.h5 golden.h5 --json "$first" --junit "$second"
done
cp report.json old.json
ln old.json older.json
refused 2 "would overwrite --json" compare golden.h5 golden.h5 --json old.json --markdown older.json
no_file new.json
expect 0 compare golden.h5 golden.h5 --json two.link --junit new.xml
[ -L two.link ] && [ -L one.link ] && [ -f new.json ] || fail "the links were replaced, not followed"
ln -s nowhere/new.json astray.link
refused 2 "there is no folder nowhere" compare golden.h5 golden.h5 --json astray.link
ln -s circle.link circle.link
refused 2 "leads in a circle" compare golden.h5 golden.h5 --json circle.link
cp report.json printed.json
"$PARITY" compare golden.h5 golden.h5 --json printed.json >>printed.json 2>stderr && fail "a report in its own table"
has stderr "is the file that standard output goes to"
cmp printed.json report.json || fail "the report was touched"
"$PARITY" compare golden.h5 golden.h5 --json /dev/null >/dev/null 2>stderr || fail "two that go nowhere"
refused 2 "nowhere" record --model "$model" --inputs prose="$prose" --device cpu --out nowhere/golden.h5

# Only a golden is replaced by a golden, and a report by a report.
echo "my notes" >notes.txt
cp notes.txt notes.before
refused 2 "notes.txt exists and is not a golden" record --model "$model" --inputs prose="$prose" --device cpu --out notes.txt
refused 2 "copy.pt exists and is not a golden" compare golden.h5 --model "$model" --device cpu --save copy.pt
refused 2 "--json notes.txt exists and is no JSON" compare golden.h5 golden.h5 --json notes.txt
refused 2 "--json notes.txt exists and is no JSON" inspect golden.h5 --json notes.txt
cmp notes.txt notes.before || fail "the notes were overwritten"
cmp copy.pt "$model" || fail "the model was overwritten"
expect 0 record --model "$model" --inputs prose="$prose" --device cpu --out golden.h5
: >empty.json
expect 0 compare golden.h5 golden.h5 --json empty.json
expect 0 compare golden.h5 golden.h5 --json empty.json
exit 0
