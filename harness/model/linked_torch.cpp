// For programs that are linked with LibTorch themselves: tests of what lies behind the table.
#include "model/torch_entries.h"

namespace parity::model {

const TorchEntries& torch_entries() { return *parity_torch_entries(); }

}  // namespace parity::model
