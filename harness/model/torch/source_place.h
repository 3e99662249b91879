// Private to model/: the line of the model's own code that runs just now, for whoever records its
// operators. Set by a runner that knows it; TorchScript's interpreter keeps its own.
#pragma once

#include <string>

namespace parity::model {

/// On this thread, while it lives. `text` must outlive it.
class SourcePlace {
 public:
  explicit SourcePlace(const std::string& text) : previous_(current()) { current() = &text; }
  ~SourcePlace() { current() = previous_; }
  SourcePlace(const SourcePlace&) = delete;
  SourcePlace& operator=(const SourcePlace&) = delete;

  /// "modeling.py:42"; null where nobody says.
  [[nodiscard]] static const std::string*& current() {
    static thread_local const std::string* place = nullptr;
    return place;
  }

 private:
  const std::string* previous_;
};

}  // namespace parity::model
