# On a GPU: memory that runs out, a kernel that asserts, an operator built by nvcc or hipcc and one that is not for this GPU.
# Exit code 77 is a skip, which CTest counts. Needs EXAMPLE (the operators of fixtures/custom_op, for the CPU);
# PARITY_TORCH_DIR for the part that builds them for the GPU.
source "$(dirname "$0")/expect.sh"

record_on_gpu golden.h5
cp golden.h5 before.h5

# Two million rows need more than any GPU has.
refused 3 "out of memory: " record --model "$model" --inputs a=tokens:2000000x40:256 --device cuda --out golden.h5
has stderr " wanted, "
has stderr " free"
has stderr "smaller --inputs"
cmp golden.h5 before.h5 || fail "the old golden is gone"

# Token 999 of 256.
echo '[[1, 999, 2]]' >wrong.json
"$PARITY" record --model "$model" --inputs wrong.json --device cuda --out golden.h5 >stdout 2>stderr
code=$?
last_command="record with a token that is too large"
[ $code -eq 3 ] || fail "exit code $code"
# An AMD GPU may end the process instead.
grep -q "device-side assert\|ended the process\|illegal memory access" stderr || fail "no reason is given"
has stderr "CUDA_LAUNCH_BLOCKING=1"
has stderr "AMD_SERIALIZE_KERNEL=3"
CUDA_LAUNCH_BLOCKING=1 AMD_SERIALIZE_KERNEL=3 \
  "$PARITY" record --model "$model" --inputs wrong.json --device cuda --out golden.h5 >stdout 2>stderr
grep -q "at torch.embedding\|ended the process" stderr || fail "the op is not named"
cmp golden.h5 before.h5 || fail "the old golden is gone"

# An operator without a kernel for the GPU.
custom=$FIXTURES/custom_op/model.pt
refused 2 "Could not run 'parity_example::gated_silu' with arguments from the 'CUDA' backend" \
  record --model "$custom" --inputs x=randn:2x6x32 --device cuda --library "$EXAMPLE" --out custom.h5
has stderr "parity_example.gated_silu of layer blocks.0"

# A library that is linked with LibTorch's GPU part finds it, wherever that lies, and also for a run on the CPU.
if command -v "${CXX:-g++}" >/dev/null && [ -n "${PARITY_TORCH_DIR:-}" ]; then
  echo 'extern "C" int nothing() { return 0; }' >linked.cpp
  "${CXX:-g++}" -shared -fPIC linked.cpp -Wl,--no-as-needed -L"$PARITY_TORCH_DIR/lib" -ltorch -o linked.so ||
    fail "linked.so does not build"
  expect 0 record --model "$custom" --inputs x=randn:2x6x32 --device cpu --library linked.so "$EXAMPLE" --out custom.h5
fi

backend='' own='' other=''
if command -v "${NVCC:-nvcc}" >/dev/null && [ -e /dev/nvidiactl ]; then
  backend=cuda own=sm_$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d .) other=sm_80
  [ "$own" != sm_80 ] || other=sm_90
elif command -v "${HIPCC:-hipcc}" >/dev/null && [ -e /dev/kfd ]; then
  backend=hip own=$(rocminfo | grep -o -m1 'gfx[0-9a-f]*') other=gfx90a
  [ "$own" != gfx90a ] || other=gfx942
fi
if [ -z "$backend" ]; then
  echo "PART SKIPPED: no nvcc or hipcc here, so the operator was not built for the GPU"
  exit 0
fi
build=$FIXTURES/custom_op/build.sh
bash "$build" $backend own.so "$own" || fail "the operator does not build for $own"
expect 0 compare "$FIXTURES/../golden/custom-op.h5" --model "$custom" --device cuda --library own.so
has stdout "blocks.0/parity_example.gated_silu"
lacks stdout "diverged"
cat stdout
expect 0 record --model "$custom" --inputs x=randn:2x6x32 --device cuda --library own.so --out custom.h5
all_identical custom.h5 --model "$custom" --device cuda --library own.so
# The GPU part is not called on the CPU, and its library loads all the same.
expect 0 compare custom.h5 --model "$custom" --device cpu --library own.so

bash "$build" $backend other.so "$other" || fail "the operator does not build for $other"
refused 3 "was not built for this GPU" \
  record --model "$custom" --inputs x=randn:2x6x32 --device cuda --library other.so --out custom.h5
exit 0
