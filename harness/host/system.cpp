#include "host/system.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace parity::host {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

std::optional<std::uint32_t> number(const std::string& text) {
  std::uint32_t value = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc{} || result.ptr != end) return std::nullopt;
  return value;
}

/// "renderD128" behind "renderD9": by text, then by number.
// NOLINTNEXTLINE(bugprone-easily-swappable-parameters): an order has two sides
bool before(const std::string& one, const std::string& other) {
  const auto digits = [](const std::string& text) {
    return text.find_last_not_of("0123456789") + 1;  // npos + 1 is 0
  };
  const std::size_t a = digits(one);
  const std::size_t b = digits(other);
  if (one.compare(0, a, other, 0, b) != 0) return one < other;
  return one.size() != other.size() ? one.size() < other.size() : one < other;
}

Identity own_identity() {
  Identity who;
  who.uid = geteuid();
  who.gid = getegid();
  const int count = getgroups(0, nullptr);
  std::vector<gid_t> groups(static_cast<std::size_t>(std::max(count, 0)));
  if (count > 0 && getgroups(count, groups.data()) >= 0)
    who.groups.assign(groups.begin(), groups.end());
  return who;
}

}  // namespace

bool Node::is_hidden() const {
  return !exists && open_errno != 0 && open_errno != ENOENT && open_errno != ENOTDIR;
}

bool Identity::is_in(std::uint32_t group) const {
  return gid == group || std::find(groups.begin(), groups.end(), group) != groups.end();
}

Node real_node(const std::filesystem::path& file) {
  Node node;
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) {
    node.open_errno = errno;
    return node;
  }
  node.exists = true;
  node.mode = status.st_mode;
  node.uid = status.st_uid;
  node.gid = status.st_gid;
  const int access = S_ISDIR(status.st_mode) ? O_RDONLY : O_RDWR;
  const int descriptor = open(file.c_str(), access | O_CLOEXEC | O_NONBLOCK);
  node.open_errno = descriptor < 0 ? errno : 0;
  if (descriptor >= 0) close(descriptor);
  return node;
}

System System::own() { return {"/", own_environment(), own_identity(), real_node, run_child}; }

System::System(std::filesystem::path root, std::map<std::string, std::string> environment,
               Identity who, LookAt look_at, RunTool run_tool)
    : root_(std::move(root)),
      environment_(std::move(environment)),
      who_(std::move(who)),
      look_at_(std::move(look_at)),
      run_tool_(std::move(run_tool)) {}

std::filesystem::path System::file(const std::filesystem::path& path) const {
  return root_ / path.relative_path();
}

bool System::exists(const std::filesystem::path& path) const {
  std::error_code ignored;
  return std::filesystem::exists(file(path), ignored);
}

std::optional<std::string> System::text(const std::filesystem::path& path) const {
  std::ifstream in(file(path), std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) {
    // An empty file gives nothing to put into the stream, which then calls it a failure.
    if (in.is_open() && in.peek() == std::ifstream::traits_type::eof() && !in.bad()) return "";
    return std::nullopt;
  }
  return text.str();
}

std::string System::line(const std::filesystem::path& path) const {
  const std::string all = text(path).value_or("");
  const std::string first = all.substr(0, all.find('\n'));
  const std::size_t start = first.find_first_not_of(" \t\r");
  if (start == std::string::npos) return "";
  return first.substr(start, first.find_last_not_of(" \t\r") - start + 1);
}

std::vector<std::string> System::names_in(const std::filesystem::path& folder) const {
  std::vector<std::string> names;
  std::error_code problem;
  std::filesystem::directory_iterator entries(file(folder), problem);
  for (; !problem && entries != std::filesystem::directory_iterator(); entries.increment(problem))
    names.push_back(entries->path().filename().string());
  std::sort(names.begin(), names.end(), before);
  return names;
}

Node System::look_at(const std::filesystem::path& path) const { return look_at_(file(path)); }

std::optional<std::string> System::variable(const std::string& name) const {
  const auto found = environment_.find(name);
  if (found == environment_.end()) return std::nullopt;
  return found->second;
}

std::string System::user_name() const {
  for (const std::string& entry : split(text("/etc/passwd").value_or(""), '\n')) {
    const std::vector<std::string> fields = split(entry, ':');
    if (fields.size() > 3 && number(fields[2]) == who_.uid) return fields[0];
  }
  return std::to_string(who_.uid);
}

std::vector<Group> System::groups() const {
  std::vector<Group> result;
  for (const std::string& entry : split(text("/etc/group").value_or(""), '\n')) {
    const std::vector<std::string> fields = split(entry, ':');
    const auto gid = fields.size() > 2 ? number(fields[2]) : std::nullopt;
    if (!gid) continue;
    result.push_back(
        {fields[0], *gid, fields.size() > 3 ? split(fields[3], ',') : std::vector<std::string>{}});
  }
  return result;
}

std::vector<Group> System::groups_of_id(std::uint32_t gid) const {
  std::vector<Group> all = groups();
  std::erase_if(all, [&](const Group& group) { return group.gid != gid; });
  return all;
}

std::optional<Group> System::group_named(const std::string& name) const {
  for (const Group& group : groups()) {
    if (group.name == name) return group;
  }
  return std::nullopt;
}

bool System::is_listed(std::uint32_t gid) const {
  const std::string user = user_name();
  for (const Group& group : groups_of_id(gid)) {
    if (std::find(group.members.begin(), group.members.end(), user) != group.members.end())
      return true;
  }
  for (const std::string& entry : split(text("/etc/passwd").value_or(""), '\n')) {
    const std::vector<std::string> fields = split(entry, ':');
    if (fields.size() > 3 && fields[0] == user && number(fields[3]) == gid) return true;
  }
  return false;
}

ChildEnd System::run(const std::string& program, const std::vector<std::string>& arguments,
                     std::chrono::milliseconds limit) const {
  ChildCall call{program, arguments, environment_, limit};
  const std::string path = variable("PATH").value_or("/usr/bin:/bin");
  call.environment["PATH"] = path + ":/opt/rocm/bin:/usr/sbin:/sbin";
  return run_tool_(call);
}

}  // namespace parity::host
