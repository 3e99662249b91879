// Names that stay apart when what tells them apart cannot be shown: formats whose readers take two
// entries of one name for one.
#pragma once

#include <set>
#include <string>

namespace parity::report {

class UniqueNames {
 public:
  /// The name itself the first time, "name (2)" and so on from then on.
  [[nodiscard]] std::string of(const std::string& name) {
    std::string result = name;
    for (int count = 2; !taken_.insert(result).second; ++count)
      result = name + " (" + std::to_string(count) + ")";
    return result;
  }

 private:
  std::set<std::string> taken_;
};

}  // namespace parity::report
