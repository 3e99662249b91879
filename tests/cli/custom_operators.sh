# Operator libraries: loaded before the model, explained when they do not load; a model that misses operators names all of
# them before anything runs; the committed golden of the worked example is replayed.
# Needs EXAMPLE (the library of fixtures/custom_op), UNLINKED (the same, linked with nothing), FAULTY (another with the same
# operators) and WANTS (a folder of libraries that want too much).
source "$(dirname "$0")/expect.sh"

custom=$FIXTURES/custom_op/model.pt
record=(record --model "$custom" --inputs x=randn:2x6x32 --device cpu --out golden.h5)

# The worked example.
expect 0 "${record[@]}" --library "$EXAMPLE"
expect 0 inspect golden.h5
has stdout "blocks.0/parity_example.gated_silu"
all_identical golden.h5 --model "$custom" --device cpu --library "$EXAMPLE"
expect 0 compare "$FIXTURES/../golden/custom-op.h5" --model "$custom" --device cpu --library "$EXAMPLE"
has stdout "blocks.2/parity_example.gated_silu"
expect 0 selfcheck --model "$custom" --inputs x=randn:2x6x32 --device cpu --library "$EXAMPLE"
rm golden.h5

# A library that is linked with nothing, and wants LibTorch's symbols all the same.
! readelf -d "$UNLINKED" | grep -qE 'NEEDED.*(torch|c10)' || fail "$UNLINKED is linked with LibTorch"
expect 0 compare "$FIXTURES/../golden/custom-op.h5" --model "$custom" --device cpu --library "$UNLINKED"

# Another form of the operator is seen in the operator's own taps first.
expect 1 compare "$FIXTURES/../golden/custom-op.h5" --model "$custom" --device cpu --library "$FAULTY"
has stdout "first divergence → blocks.0/parity_example.gated_silu"

# Without the library: every user of the operator, at once.
refused 2 "no library registers parity_example::gated_silu (in blocks.0, blocks.1, blocks.2)" "${record[@]}"
has stderr "--library FILE.so"
refused 2 "blocks.0, blocks.1, blocks.2" compare "$FIXTURES/../golden/custom-op.h5" --model "$custom" --device cpu

# Files that are no library.
echo "not a library" >broken.so
refused 2 "broken.so does not load: it is no shared library" "${record[@]}" --library broken.so
refused 2 "nowhere.so does not load: it is not there" "${record[@]}" --library nowhere.so
mkdir folder.so
refused 2 "folder.so does not load: it is a folder" "${record[@]}" --library folder.so
head -c 3000 "$EXAMPLE" >cut.so
refused 2 "cut.so does not load: it is cut off" "${record[@]}" --library cut.so
head -c "$(($(stat -c %s "$EXAMPLE") / 2))" "$EXAMPLE" >cut.so
refused 2 "cut.so does not load: it is cut off" "${record[@]}" --library cut.so
mkfifo pipe.so
refused 2 "pipe.so does not load: it is no regular file" "${record[@]}" --library pipe.so
cp "$EXAMPLE" arm.so
printf '\xb7\x00' | dd of=arm.so bs=1 seek=18 conv=notrunc status=none
refused 2 "64-bit Arm" "${record[@]}" --library arm.so
if [ "$(id -u)" -ne 0 ]; then
  cp "$EXAMPLE" closed.so && chmod 000 closed.so
  refused 2 "cannot be read (Permission denied)" "${record[@]}" --library closed.so
fi

# Libraries that want what is not here.
refused 2 "(it needs PyModule_Create2)" "${record[@]}" --library "$WANTS/libparity_wants_python.so"
has stderr "Python extension"
refused 2 "old C++ ABI" "${record[@]}" --library "$WANTS/libparity_wants_old_abi.so"
refused 2 "at::no_such_function_of_this_version" "${record[@]}" --library "$WANTS/libparity_wants_other_torch.so"
refused 2 "solver_of_somebody" "${record[@]}" --library "$WANTS/libparity_wants_solver.so"
# Its remedy depends on which LibTorch is here; it is told for what it is with each.
for kind in cuda hip; do
  expect_any="$WANTS/libparity_wants_$kind.so"
  "$PARITY" "${record[@]}" --library "$expect_any" >stdout 2>stderr </dev/null
  code=$?
  last_command="record --library $expect_any"
  [ $code -eq 2 ] || [ $code -eq 3 ] || fail "exit code $code"
  one_line stderr
  case $kind in
    cuda) has stderr "it is built for CUDA (it needs" ;;
    hip) has stderr "it is built for ROCm (it needs hipMalloc" ;;
  esac
done

# Initialisers that fail, and operators that are registered twice; the process goes on to say so.
export FAULT_AT_LOAD
FAULT_AT_LOAD=throw
refused 2 "its initialisation throws: no licence for these operators" "${record[@]}" --library "$FAULTY"
FAULT_AT_LOAD=die
refused 2 "its initialisation kills the process (SIGILL)" "${record[@]}" --library "$FAULTY"
# One that ends the process is no run that went well.
FAULT_AT_LOAD="exit"
refused 2 "its initialisation ends the process (exit code 0)" "${record[@]}" --library "$FAULTY"
refused 2 "its initialisation ends the process" compare "$FIXTURES/../golden/custom-op.h5" --model "$custom" --device cpu --library "$FAULTY"
# Standard output is the report's alone, and what happens at the end changes no verdict.
FAULT_AT_LOAD=print
for fault in '' print; do
  FAULT=$fault FAULT_AT_END=die expect 1 compare "$FIXTURES/../golden/custom-op.h5" --model "$custom" --device cpu --library "$FAULTY" --json -
  lacks stdout "hello"
  has stderr "hello from an initialiser"
  python3 -c 'import json; json.load(open("stdout"))' || fail "standard output is no JSON"
done
has stderr "hello from an operator"
unset FAULT_AT_LOAD
refused 2 "operators of namespace parity_example are registered already" "${record[@]}" --library "$EXAMPLE" "$FAULTY"
cp "$EXAMPLE" copy.so
refused 2 "copy.so does not load" "${record[@]}" --library "$EXAMPLE" copy.so
no_file golden.h5
# The same file twice is one library.
expect 0 "${record[@]}" --library "$EXAMPLE" "$EXAMPLE"
exit 0
