#include "host/made_system.h"

#include <cerrno>
#include <csignal>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include <sys/stat.h>
#include <unistd.h>

#include "host/made_library.h"

namespace parity::host {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<std::string> lines_in(const fs::path& file) {
  std::vector<std::string> lines;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

Identity identity_of(const std::string& text) {
  Identity who;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::string value = word.substr(word.find('=') + 1);
    if (word.rfind("uid=", 0) == 0) who.uid = static_cast<std::uint32_t>(std::stoul(value));
    if (word.rfind("gid=", 0) == 0) who.gid = static_cast<std::uint32_t>(std::stoul(value));
    if (word.rfind("groups=", 0) != 0) continue;
    std::istringstream numbers(value);
    for (std::string number; std::getline(numbers, number, ',');)
      who.groups.push_back(static_cast<std::uint32_t>(std::stoul(number)));
  }
  return who;
}

/// Permission bits of the listing's "crw-rw----".
std::uint32_t mode_of(const std::string& letters) {
  std::uint32_t mode = letters.front() == 'd' ? S_IFDIR : S_IFCHR;
  for (std::size_t i = 1; i < 10; ++i) {
    if (letters.at(i) != '-') mode |= 1U << (9 - i);
  }
  return mode;
}

constexpr std::uint32_t kSearch = 1;
constexpr std::uint32_t kRead = 4;
constexpr std::uint32_t kReadWrite = 6;

/// As the kernel decides: the first class that fits counts, and root may all.
int allowed(const Node& node, const Identity& who, bool groups_are_mapped, std::uint32_t wanted) {
  if (who.uid == 0) return 0;
  std::uint32_t bits = node.mode;
  if (who.uid == node.uid) {
    bits = node.mode >> 6U;
  } else if (groups_are_mapped && who.is_in(node.gid)) {
    bits = node.mode >> 3U;
  }
  return (bits & wanted) == wanted ? 0 : EACCES;
}

}  // namespace

MadeSystem::MadeSystem(const fs::path& systems, const std::string& name) {
  std::string pattern = (fs::temp_directory_path() / "parity-system-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = pattern;
  lay(systems, name);
  make_torch();
  std::map<std::string, std::string> environment = {{"PATH", "/usr/bin:/bin"}};
  for (const std::string& line : lines_in(folder_ / "environment")) {
    const std::size_t sign = line.find('=');
    environment[line.substr(0, sign)] = line.substr(sign + 1);
  }
  const std::string who_text = text_of(folder_ / "who");
  const Identity who = identity_of(who_text);
  groups_are_mapped_ = who_text.find("mapped no") == std::string::npos;
  system_.emplace(
      folder_ / "root", environment, who,
      [this, who](const fs::path& file) { return node(file, who); },
      [this](const ChildCall& call) { return run(call); });
  subject_.program = "parity";
  subject_.torch_folder = "/torch/lib";
  subject_.torch_headers = "2.11.0";
  subject_.hdf5_version = "1.10.8";
  subject_.out = folder_;
  const std::vector<std::string> problem = lines_in(folder_ / "torch-problem");
  if (!problem.empty()) subject_.torch_problem = problem.front();
  const std::vector<std::string> device = lines_in(folder_ / "device");
  if (!device.empty()) subject_.device = device.front();
  for (const std::string& line : lines_in(folder_ / "expect")) {
    Expectation expectation;
    std::istringstream words(line);
    words >> expectation.kind;
    if (expectation.kind != "why" && expectation.kind != "fix") words >> expectation.check;
    std::getline(words >> std::ws, expectation.words);
    expected_.push_back(expectation);
  }
}

MadeSystem::~MadeSystem() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void MadeSystem::lay(const fs::path& systems, const std::string& name) {
  const fs::path source = systems / name;
  if (!fs::is_directory(source)) throw std::runtime_error("no system " + name);
  const std::vector<std::string> base = lines_in(source / "based_on");
  if (!base.empty()) lay(systems, base.front());
  for (const std::string& removed : lines_in(source / "remove")) {
    if (fs::remove_all(folder_ / removed) == 0) throw std::runtime_error(name + ": no " + removed);
  }
  fs::copy(source, folder_, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
}

/// LibTorch's folder as file `torch` describes it.
void MadeSystem::make_torch() {
  const fs::path package = folder_ / "root/torch";
  fs::create_directories(package / "lib");
  std::map<std::string, std::vector<std::string>> facts;
  for (const std::string& line : lines_in(folder_ / "torch")) {
    std::istringstream words(line);
    std::string key;
    words >> key;
    for (std::string word; words >> word;) facts[key].push_back(word);
  }
  const auto one = [&](const char* key) {
    return facts[key].empty() ? std::string("None") : "'" + facts[key].front() + "'";
  };
  std::ofstream(package / "version.py")
      << "from typing import Optional\n\n__all__ = ['__version__', 'debug', 'cuda', 'git_version', "
         "'hip', 'xpu']\n__version__ = "
      << one("version") << "\ndebug = False\ncuda: Optional[str] = " << one("cuda")
      << "\ngit_version = '0'\nhip: Optional[str] = " << one("hip")
      << "\nxpu: Optional[str] = None\n";
  std::ofstream(package / "lib/libtorch_cpu.so") << made_library({facts["needed-by-cpu"], "", {}});
  std::ofstream(package / "lib/libc10.so")
      << made_library({{"_ZN3c105ErrorC1ENSt7__cxx1112basic_stringIcE"}, "", {}});
  const bool hip = !facts["hip"].empty();
  const int compression = facts["compressed"].empty() ? 0 : std::stoi(facts["compressed"].front());
  const std::string code =
      hip ? made_hip_code(facts["targets"], compression, 3) : made_cuda_code(facts["targets"]);
  if (hip || !facts["cuda"].empty()) {
    std::ofstream(package / (hip ? "lib/libtorch_hip.so" : "lib/libtorch_cuda.so"))
        << made_library({facts["needed"], "$ORIGIN", {{hip ? ".hip_fatbin" : ".nv_fatbin", code}}});
  }
  for (const std::string& gfx : facts["kernels"]) {
    const fs::path kernels = package / "lib/rocblas/library";
    fs::create_directories(kernels);
    std::ofstream(kernels / ("TensileLibrary_lazy_" + gfx + ".dat"));
  }
}

Node MadeSystem::node(const fs::path& file, const Identity& who) const {
  const fs::path wanted = "/" + file.lexically_relative(folder_ / "root").string();
  if (file.has_relative_path() && file != folder_ / "root") {
    const Node above = node(file.parent_path(), who);
    if (above.is_hidden()) return above;
    Node hidden;
    hidden.open_errno = above.exists ? allowed(above, who, groups_are_mapped_, kSearch) : 0;
    if (hidden.open_errno != 0) return hidden;
  }
  for (const std::string& line : lines_in(folder_ / "dev")) {
    std::istringstream words(line);
    std::string mode;
    std::string word;
    Node node;
    words >> mode >> word >> node.uid >> node.gid;
    while (words >> word) {
    }
    if (word != wanted) continue;
    node.exists = true;
    node.mode = mode_of(mode);
    node.open_errno =
        allowed(node, who, groups_are_mapped_, S_ISDIR(node.mode) ? kRead : kReadWrite);
    return node;
  }
  Node missing;
  missing.open_errno = ENOENT;
  return missing;
}

ChildEnd MadeSystem::run(const ChildCall& call) const {
  std::string name = call.program;
  if (name == "parity") name = "inside-" + call.arguments.at(2);
  if (name == "nvidia-smi") name += "_" + call.arguments.at(0);
  const fs::path file = folder_ / "tools" / name;
  ChildEnd end;
  if (!fs::exists(file)) return end;
  const auto number = [&](const char* kind) {
    const std::string text = text_of(file.string() + kind);
    return text.empty() ? 0 : std::stoi(text);
  };
  end.out = text_of(file);
  end.err = text_of(file.string() + ".err");
  end.ending = Ending::exited;
  end.code = number(".exit");
  if (fs::exists(file.string() + ".signal")) {
    end.ending = Ending::signalled;
    end.code = number(".signal");
  }
  if (fs::exists(file.string() + ".errno")) {
    end.ending = Ending::not_started;
    end.code = number(".errno");
  }
  if (fs::exists(file.string() + ".timeout")) {
    end.ending = Ending::timed_out;
    end.elapsed_s = number(".timeout");
  }
  return end;
}

}  // namespace parity::host
