// A machine out of tests/host/systems: its files, device nodes, tools and who asks. See the README
// there for the layout.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/doctor/view.h"
#include "host/system.h"

namespace parity::host {

/// A line of a system's `expect`.
struct Expectation {
  std::string kind;   ///< problem, warning, note, ok; or why, fix
  std::string check;  ///< of a level
  std::string words;  ///< that the text has
};

class MadeSystem {
 public:
  /// Copies `systems/name`, and what it is based on, into a folder of its own.
  MadeSystem(const std::filesystem::path& systems, const std::string& name);
  ~MadeSystem();
  MadeSystem(const MadeSystem&) = delete;
  MadeSystem& operator=(const MadeSystem&) = delete;

  [[nodiscard]] const System& system() const { return *system_; }
  [[nodiscard]] const Subject& subject() const { return subject_; }
  [[nodiscard]] const std::vector<Expectation>& expected() const { return expected_; }

 private:
  void lay(const std::filesystem::path& systems, const std::string& name);
  void make_torch();
  [[nodiscard]] Node node(const std::filesystem::path& file, const Identity& who) const;
  [[nodiscard]] ChildEnd run(const ChildCall& call) const;

  std::filesystem::path folder_;
  std::optional<System> system_;
  Subject subject_;
  std::vector<Expectation> expected_;
  bool groups_are_mapped_ = true;
};

}  // namespace parity::host
