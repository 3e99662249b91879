# What goes wrong in a run becomes one sentence with the place, the exit code of who can act, and leaves the golden as it
# was. The operator of the example stands for a GPU's kernels: it raises what they raise.
# Needs FAULTY (operators with the fault that FAULT names).
source "$(dirname "$0")/expect.sh"

custom=$FIXTURES/custom_op/model.pt
mkdir goldens
cp "$FIXTURES/../golden/custom-op.h5" yesterday.h5
cp yesterday.h5 goldens/golden.h5
record=(record --model "$custom" --inputs x=randn:2x6x32 --device cpu --library "$FAULTY" --out goldens/golden.h5)
unharmed() {
  [ "$(ls -A goldens)" = golden.h5 ] || fail "left behind: $(ls -A goldens)"
  cmp goldens/golden.h5 yesterday.h5 || fail "the old golden is gone"
}
export FAULT

# Kernels and drivers that take the process with them.
for kind in abort segv; do
  FAULT=$kind
  refused 3 "ended the process while running model.pt" "${record[@]}"
  has stderr "AMD_SERIALIZE_KERNEL=3"
  unharmed
done
# Outputs alone run first, and no tap has been by then; a comparison says how far it came.
FAULT='' expect 0 record --model "$custom" --inputs x=randn:2x6x32 --device cpu --library "$FAULTY" --out good.h5
FAULT=abort
refused 3 "running model.pt, behind tap blocks.0.up" compare good.h5 --model "$custom" --device cpu --library "$FAULTY"

# A device that reports.
FAULT='CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has a total capacity of 139.80 GiB of which 1.25 GiB is free. Of the allocated memory 137.00 GiB is allocated by PyTorch, and 1 MiB is reserved'
refused 3 "CUDA out of memory: 20.00 GiB wanted, 1.25 GiB of 139.80 GiB free, 137.00 GiB in this run's tensors" "${record[@]}"
has stderr "smaller --inputs"
unharmed
refused 3 "running model.pt behind tap blocks.0.up, at ops.parity_example.gated_silu" \
  compare good.h5 --model "$custom" --device cpu --library "$FAULTY"
FAULT='HIP error: device-side assert triggered'
refused 3 "at ops.parity_example.gated_silu: HIP error: device-side assert triggered" "${record[@]}"
has stderr "AMD_SERIALIZE_KERNEL=3"
FAULT='HIP error: invalid device function'
refused 3 "--offload-arch" "${record[@]}"
# A kernel that is not there is the model's: nothing to be judged.
FAULT="\"gated_silu\" not implemented for 'Half'"
refused 2 "running op parity_example.gated_silu of layer blocks.0: \"gated_silu\" not implemented for 'Half'" "${record[@]}"
has stderr "--dtype keep"
unharmed

# No such device.
unset FAULT
refused 3 "cuda:63 is not there" record --model "$model" --inputs prose="$prose" --device cuda:63 --out goldens/golden.h5
has stderr "parity doctor --device cuda:63"
unharmed
exit 0
