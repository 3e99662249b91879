// The machine as the checks see it: its files below a root, its environment, its tools and who is
// asking. Tests put a folder, texts and a user in place of each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/child.h"

namespace parity::host {

/// A device file or any other, and what opening it for reading and writing gave; of a folder, for
/// reading.
struct Node {
  bool exists = false;     ///< also false where a folder above it hides it: see is_hidden
  std::uint32_t mode = 0;  ///< as of stat: type and permission bits
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  int open_errno = 0;  ///< 0 when it opened

  /// Whether nobody knows if it is there, as a folder above it may not be searched.
  [[nodiscard]] bool is_hidden() const;
};

/// The process's own ids, which may be older than /etc/group.
struct Identity {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::vector<std::uint32_t> groups;  ///< supplementary

  [[nodiscard]] bool is_in(std::uint32_t group) const;
};

struct Group {
  std::string name;
  std::uint32_t gid = 0;
  std::vector<std::string> members;
};

class System {
 public:
  using LookAt = std::function<Node(const std::filesystem::path& file)>;
  using RunTool = std::function<ChildEnd(const ChildCall& call)>;

  /// This machine, this process.
  [[nodiscard]] static System own();

  System(std::filesystem::path root, std::map<std::string, std::string> environment, Identity who,
         LookAt look_at, RunTool run_tool);

  /// `path` is absolute on the machine; the result lies below the root.
  [[nodiscard]] std::filesystem::path file(const std::filesystem::path& path) const;
  [[nodiscard]] bool exists(const std::filesystem::path& path) const;
  /// nullopt when it cannot be read.
  [[nodiscard]] std::optional<std::string> text(const std::filesystem::path& path) const;
  /// First line without white space at its ends; "" when there is none.
  [[nodiscard]] std::string line(const std::filesystem::path& path) const;
  /// Names in a folder, sorted, numbers by their value; empty when there is no such folder.
  [[nodiscard]] std::vector<std::string> names_in(const std::filesystem::path& folder) const;
  [[nodiscard]] Node look_at(const std::filesystem::path& path) const;

  [[nodiscard]] const std::map<std::string, std::string>& environment() const {
    return environment_;
  }
  /// nullopt when not set; set and empty is "".
  [[nodiscard]] std::optional<std::string> variable(const std::string& name) const;

  [[nodiscard]] const Identity& who() const { return who_; }
  /// Of /etc/passwd; the number where it has no name.
  [[nodiscard]] std::string user_name() const;
  /// Names of the group in /etc/group; none when the id has no name here.
  [[nodiscard]] std::vector<Group> groups_of_id(std::uint32_t gid) const;
  [[nodiscard]] std::optional<Group> group_named(const std::string& name) const;
  /// Whether /etc/group or /etc/passwd puts the user into the group, whatever this process has.
  [[nodiscard]] bool is_listed(std::uint32_t gid) const;

  /// Runs a tool; the folders of ROCm are looked in behind PATH.
  [[nodiscard]] ChildEnd run(const std::string& program, const std::vector<std::string>& arguments,
                             std::chrono::milliseconds limit = std::chrono::seconds(15)) const;

 private:
  [[nodiscard]] std::vector<Group> groups() const;

  std::filesystem::path root_;
  std::map<std::string, std::string> environment_;
  Identity who_;
  LookAt look_at_;
  RunTool run_tool_;
};

/// A node of the real filesystem: stat, and one attempt to open it.
[[nodiscard]] Node real_node(const std::filesystem::path& file);

}  // namespace parity::host
