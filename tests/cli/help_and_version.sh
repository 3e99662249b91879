# Help has an example per command and goes to stdout with exit code 0.
source "$(dirname "$0")/expect.sh"

expect 0 --help
has stdout "parity record"
has stdout "Exit codes"
expect 0 --version
grep -qE '^parity [0-9]+\.[0-9]+\.[0-9]+$' stdout || fail "no version"
for command in record merge compare inspect history policy selftest calibrate judge export bless doctor; do
  expect 0 $command --help
  has stdout "Example"
  has stdout "--no-color"
  empty stderr
done
for flag in --json --junit --markdown --html --openmetrics; do
  for command in compare selfcheck judge; do
    expect 0 $command --help
    has stdout "$flag"
  done
done
exit 0
