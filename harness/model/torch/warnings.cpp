#include "model/torch/warnings.h"

#include <algorithm>

#include "model/torch/failure.h"

namespace parity::model {

void WarningCollector::process(const c10::Warning& warning) {
  const std::string text = "LibTorch warns: " + cause_of(warning.msg());
  if (std::find(texts_.begin(), texts_.end(), text) == texts_.end()) texts_.push_back(text);
}

}  // namespace parity::model
