# `torchrun --no-python --nproc-per-node 4 parity record --shard auto`: PyTorch's own launcher, real, with a program that is
# no Python.
source "$(dirname "$0")/expect.sh"
export OMP_NUM_THREADS=1 # as torchrun sets it where nobody did; it is one of the facts of a run
source "$(dirname "$0")/single_process.sh"

port=$(python3 -c 'import socket; one = socket.socket(); one.bind(("127.0.0.1", 0)); print(one.getsockname()[1])')
started "$PYTHON" -m torch.distributed.run --no-python --nproc-per-node 4 --master-addr 127.0.0.1 --master-port "$port"
exit 0
