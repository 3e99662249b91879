// The folder that goldens are to go to: whether it takes files and locks, and has room.
#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "host/doctor/checks.h"
#include "run/shell_word.h"

namespace parity::host {
namespace {

constexpr const char* kCheck = "storage";

struct Mount {
  std::string point;
  std::string type;
};

/// The filesystem that `path` lies on.
Mount mount_of(const System& system, const std::filesystem::path& path) {
  Mount found;
  std::istringstream lines(system.text("/proc/self/mountinfo").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string word;
    std::string point;
    for (int i = 0; i < 5 && fields >> word; ++i) point = word;
    while (fields >> word && word != "-") {
    }
    std::string type;
    fields >> type;
    const std::string text = path.string();
    const bool holds = text == point || point == "/" || text.rfind(point + "/", 0) == 0;
    if (holds && point.size() >= found.point.size()) found = {point, type};
  }
  return found;
}

std::string size_text(double bytes) {
  static constexpr std::array kUnits = {"B", "KB", "MB", "GB", "TB", "PB", "EB"};
  std::size_t unit = 0;
  while (bytes >= 1000 && unit + 1 < kUnits.size()) {
    bytes /= 1000;
    ++unit;
  }
  std::ostringstream text;
  text.precision(bytes < 10 && unit > 0 ? 2 : 3);
  text << bytes << " " << kUnits.at(unit);
  return text.str();
}

/// A file of our own in the folder, gone when this goes.
class Trial {
 public:
  explicit Trial(const std::filesystem::path& folder)
      : path_((folder / ".parity-doctor-XXXXXX").string()),
        descriptor_(mkostemp(path_.data(), O_CLOEXEC)),
        problem_(descriptor_ < 0 ? errno : 0) {}
  ~Trial() {
    if (descriptor_ < 0) return;
    close(descriptor_);
    unlink(path_.c_str());
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  /// errno of making the file, then of writing it to the disk.
  [[nodiscard]] int write_problem() const {
    static constexpr std::array<char, 4096> kBlock{};
    if (problem_ != 0) return problem_;
    if (write(descriptor_, kBlock.data(), kBlock.size()) != static_cast<ssize_t>(kBlock.size()))
      return errno;
    return fsync(descriptor_) == 0 ? 0 : errno;
  }
  /// errno of the lock that HDF5 takes.
  [[nodiscard]] int lock_problem() const {
    return flock(descriptor_, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
  }

 private:
  std::string path_;
  int descriptor_;
  int problem_;
};

void report_write(const std::filesystem::path& folder, int problem, run::Diagnosis& diagnosis) {
  run::Finding finding{
      kCheck,
      run::Level::problem,
      "no file can be written in " + folder.string() + ": " + std::strerror(problem),
      "A golden is written there under another name and then renamed.",
      {}};
  if (problem == ENOENT) {
    finding.fix = {{"make the folder", "mkdir -p " + run::shell_path(folder.string())}};
  } else if (problem == ENOSPC || problem == EDQUOT) {
    finding.fix = {{"see what takes the room", "df -h " + run::shell_path(folder.string())}};
  } else {
    finding.fix = {{"write elsewhere", "parity doctor --out <folder that you may write>"}};
  }
  diagnosis.findings.push_back(std::move(finding));
}

std::string described(const std::filesystem::path& folder, const Mount& mount) {
  return folder.string() + (mount.type.empty() ? "" : " (" + mount.type + ")");
}

void report_lock(const std::filesystem::path& folder, const Mount& mount, int problem,
                 run::Diagnosis& diagnosis) {
  if (problem == 0) {
    diagnosis.findings.push_back(
        {kCheck, run::Level::ok, described(folder, mount) + " takes files and locks", "", {}});
    return;
  }
  diagnosis.findings.push_back(
      {kCheck,
       run::Level::warning,
       described(folder, mount) + " takes no locks: " + std::strerror(problem),
       "parity writes and reads goldens without them, but h5py and h5dump lock a file they open "
       "and "
       "fail with this error.",
       {{"for those, turn locking off", "export HDF5_USE_FILE_LOCKING=FALSE"}}});
}

void check_space(const View& view, const std::filesystem::path& folder, run::Diagnosis& diagnosis) {
  struct statvfs status {};
  if (statvfs(folder.c_str(), &status) != 0) return;
  const double free = static_cast<double>(status.f_bavail) * static_cast<double>(status.f_frsize);
  run::Finding finding{
      kCheck, run::Level::ok, size_text(free) + " free in " + folder.string(), "", {}};
  if (view.subject.planned_bytes) {
    const auto planned = static_cast<double>(*view.subject.planned_bytes);
    finding.seen += ", the planned recording takes " + size_text(planned);
    // The file being replaced stays until the new one is whole.
    if (planned > free) {
      finding.level = run::Level::problem;
      finding.why = "The recording would end with a full disk, and nothing is left of it then.";
      finding.fix = {{"record less of each tap", "parity record --store rows:16 ..."},
                     {"or only digests, which still find the first difference",
                      "parity record --store digest ..."}};
    }
  }
  diagnosis.findings.push_back(std::move(finding));
}

}  // namespace

void check_storage(const View& view, run::Diagnosis& diagnosis) {
  diagnosis.facts.set("library.hdf5", view.subject.hdf5_version);
  diagnosis.findings.push_back(
      {kCheck, run::Level::ok, "HDF5 " + view.subject.hdf5_version, "", {}});
  if (!view.subject.planned_problem.empty()) {
    diagnosis.findings.push_back(
        {kCheck,
         run::Level::problem,
         "the planned recording cannot be run: " + view.subject.planned_problem,
         "parity record with these flags would fail in the same way.",
         {}});
  }
  if (view.subject.planned_is_slow) {
    diagnosis.findings.push_back({kCheck,
                                  run::Level::warning,
                                  "the planned recording did not finish within the time limit",
                                  "Its size stays unknown, and so whether it fits.",
                                  {{"give it more time", "parity doctor --time-limit 600 ..."}}});
  }
  std::error_code ignored;
  const std::filesystem::path typed = view.subject.out.empty() ? "." : view.subject.out;
  const std::filesystem::path folder = std::filesystem::absolute(typed, ignored).lexically_normal();
  const Trial trial(folder);
  const int problem = trial.write_problem();
  if (problem != 0) return report_write(typed, problem, diagnosis);
  report_lock(typed, mount_of(view.system, folder), trial.lock_problem(), diagnosis);
  check_space(view, typed, diagnosis);
}

}  // namespace parity::host
