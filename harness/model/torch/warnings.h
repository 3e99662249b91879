// Private to model/: what LibTorch warns of, as remarks for a person instead of lines on stderr.
// Judges none of them; which are shown is decided by whoever asked for the run.
#pragma once

#include <string>
#include <vector>

#include <c10/util/Exception.h>

namespace parity::model {

/// While it lives, warnings of this thread are kept, each text once.
class WarningCollector final : public c10::WarningHandler {
 public:
  WarningCollector() : guard_(this) {}
  void process(const c10::Warning& warning) override;
  [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }

 private:
  c10::WarningUtils::WarningHandlerGuard guard_;
  std::vector<std::string> texts_;
};

}  // namespace parity::model
