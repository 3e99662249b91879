# Exported programs (.pt2): their own inputs, the same golden and flags as every other model, refusals before any work.
source "$(dirname "$0")/expect.sh"
export COLUMNS=200
programs=$FIXTURES/exported

expect 0 record --model "$programs/tokens.pt2" --device cpu --out sample.h5
has stdout "taps of 1 case"
has stderr "<output>:pooled.1, the value is of type int"
expect 0 inspect sample.h5
for line in "case sample" "block.up#1" "<output>:logits" "exported_program"; do has stdout "$line"; done
expect 0 compare sample.h5 --model "$programs/tokens.pt2" --device cpu --attribute
has stdout "19 taps in 1 case: 19 passed"
has stdout "no layer introduces any difference"

# Forced replay names the one layer whose weight is another, with the operator and the line of the model's code.
refused 2 "the weights are not the golden's: last.up.weight" compare sample.h5 --model "$programs/tokens_faulty.pt2" --device cpu
expect 1 compare sample.h5 --model "$programs/tokens_faulty.pt2" --weights any --device cpu --attribute --json report.json
has stdout "attribution last.up introduces the difference"
has stdout "last.up / aten.linear (make_programs.py:"
grep -q '"source": *"make_programs.py:' report.json || fail "no source line in the JSON"
expect 1 compare sample.h5 --model "$programs/tokens_faulty.pt2" --weights any --device cpu --attribute --repro repro
[ -s repro/reproduce.py ] || fail "no reproducer"

# Inputs of other sizes, beside the file's own; a truth; a batch that the export did not allow.
expect 0 record --model "$programs/tokens.pt2" --device cpu --inputs own=sample tokens:3x9 --truth float64 --out more.h5
has stdout "taps of 2 cases"
expect 0 compare more.h5 --model "$programs/tokens.pt2" --device cpu
refused 2 "size 0 of argument 'tokens' is 9, and the program was exported for 2 or more and 8 or less" \
  record --model "$programs/tokens.pt2" --device cpu --inputs tokens:9x9 --out no.h5
no_file no.h5
expect 0 record --model "$programs/tokens.pt2" --device cpu --sweep --out sweep.h5 --store digest
has stderr "tokens:1x1"
has stdout "taps of 6 cases"
refused 2 "a dtype is fixed in op aten.linspace of the model (float32)" \
  record --model "$programs/tokens.pt2" --device cpu --dtype bfloat16 --out no.h5
expect 0 selfcheck --model "$programs/tokens.pt2" --device cpu --json selfcheck.json
has stdout "sample, run 2"
grep -q "not checked row by row, since the inputs do not fit" selfcheck.json || fail "says nothing of rows"
expect 0 record --model "$programs/tokens.pt2" --device cpu --taps ops --out ops.h5
expect 0 inspect ops.h5
has stdout "block/aten.add"

refused 2 "no library registers parity_fixture::halve" record --model "$programs/missing_operator.pt2" --device cpu --out no.h5
refused 2 "parity does not run the operators map_impl" record --model "$programs/mapped.pt2" --device cpu --out no.h5
refused 2 "an exported program that holds its own code" \
  record --model "$programs/tokens.pt2" --config "$FIXTURES/decoder/config.json" --device cpu --out no.h5
refused 2 "--decode needs the built-in decoder" record --model "$programs/tokens.pt2" --decode 2 --device cpu --out no.h5
refused 2 "--inputs is required" record --model "$model" --device cpu --out no.h5
head -c 40000 "$programs/tokens.pt2" >cut.pt2
for command in "record --out no.h5" selfcheck; do
  # shellcheck disable=SC2086 # words of a command
  refused 2 "cut.pt2 " $command --model cut.pt2 --device cpu
  lacks stderr "--inputs is required"
done
refused 2 "--inputs is required" selfcheck --model "$model" --device cpu
refused 2 "is an exported program, not inputs" record --model "$model" --inputs "$programs/tokens.pt2" --device cpu --out no.h5
no_file no.h5
exit 0
