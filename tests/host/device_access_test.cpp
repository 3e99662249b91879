// Real files, really opened by an unprivileged user: the root process that runs the tests becomes
// one in a child. Where the tests run unprivileged anyway, files of their own are denied to them.
#include "host/doctor/device_access.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>

#include <grp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/doctor/checks.h"

namespace parity::host {
namespace {

constexpr std::uint32_t kNobody = 65534;
constexpr std::uint32_t kRender = 30109;

/// What `body` returns, run as user and group nobody with one more group (0: none).
std::string as_nobody(std::uint32_t group, const std::function<std::string()>& body) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    const gid_t groups[] = {group};
    const bool lowered =
        setgroups(group == 0 ? 0 : 1, groups) == 0 && setgid(kNobody) == 0 && setuid(kNobody) == 0;
    const std::string text = lowered ? body() : "cannot become nobody";
    const auto written = write(ends[1], text.data(), text.size());
    _exit(written < 0 ? 1 : 0);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t size = 0; (size = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(size));
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return text;
}

class DeviceAccess : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "parity-access-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    ASSERT_EQ(chmod(root_.c_str(), 0755), 0);
    std::filesystem::create_directories(root_ / "dev");
    std::filesystem::create_directories(root_ / "etc");
    std::ofstream(root_ / "dev/kfd") << "";
    std::ofstream(root_ / "etc/group") << "render:x:" << kRender << ":\nnogroup:x:65534:\n";
    std::ofstream(root_ / "etc/passwd") << "nobody:x:65534:65534::/:/bin/false\n";
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void become_device(std::uint32_t gid, mode_t mode) const {
    ASSERT_EQ(chown((root_ / "dev/kfd").c_str(), 0, gid), 0);
    ASSERT_EQ(chmod((root_ / "dev/kfd").c_str(), mode), 0);
  }

  /// Its errno, then why and the first command, as the present process gets them.
  [[nodiscard]] std::string findings() const {
    const System own = System::own();
    const System system(root_, {}, own.who(), real_node, run_child);
    const Subject subject;
    const View view{system, subject};
    const Node node = system.look_at("/dev/kfd");
    if (node.open_errno == 0) return "opens";
    const run::Finding finding = denied(view, Vendor::amd, "/dev/kfd", node, run::Level::problem);
    return std::to_string(node.open_errno) + "\n" + finding.seen + "\n" + finding.why + "\n" +
           (finding.fix.empty() ? "" : finding.fix.front().command);
  }

  std::filesystem::path root_;
};

#define NEEDS_ROOT() \
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away and become somebody else"

TEST_F(DeviceAccess, DeniesAStrangerAndNamesTheGroupOfThisHost) {
  NEEDS_ROOT();
  become_device(kRender, 0660);
  const std::string text = as_nobody(0, [&] { return findings(); });
  EXPECT_EQ(text.substr(0, text.find('\n')), std::to_string(EACCES)) << text;
  EXPECT_NE(text.find("root:render (0:30109)"), std::string::npos) << text;
  EXPECT_NE(text.find("sudo usermod -aG render nobody"), std::string::npos) << text;
}

TEST_F(DeviceAccess, OpensForAMember) {
  NEEDS_ROOT();
  become_device(kRender, 0660);
  EXPECT_EQ(as_nobody(kRender, [&] { return findings(); }), "opens");
}

TEST_F(DeviceAccess, SeesAMembershipThatTheSessionDoesNotHaveYet) {
  NEEDS_ROOT();
  become_device(kRender, 0660);
  std::ofstream(root_ / "etc/group") << "render:x:" << kRender << ":nobody\n";
  const std::string text = as_nobody(0, [&] { return findings(); });
  EXPECT_NE(text.find("nobody was added to group render (30109), but this session is older"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("sg render"), std::string::npos) << text;
}

TEST_F(DeviceAccess, NamesAGroupThatHasNoNameHere) {
  NEEDS_ROOT();
  become_device(kRender + 1, 0660);
  const std::string text = as_nobody(0, [&] { return findings(); });
  EXPECT_NE(text.find("root:no name here (0:30110)"), std::string::npos) << text;
  EXPECT_NE(text.find("sudo groupadd --gid 30110 gpu"), std::string::npos) << text;
}

TEST_F(DeviceAccess, SuspectsAPolicyWhereOwnerAndModeWouldDo) {
  // What the kernel answers under SELinux: no file of ours can be denied that way.
  Node node;
  node.exists = true;
  node.mode = S_IFCHR | 0660U;
  node.gid = kRender;
  node.open_errno = EACCES;
  const System system(root_, {}, {1000, 1000, {kRender}}, real_node, run_child);
  const Subject subject;
  View view{system, subject};
  EXPECT_EQ(denied(view, Vendor::amd, "/dev/kfd", node, run::Level::problem).fix.front().command,
            "sudo ausearch -m avc -ts recent");
  view.container = Container::podman;
  EXPECT_EQ(denied(view, Vendor::amd, "/dev/kfd", node, run::Level::problem).fix.back().command,
            "podman run --security-opt label=disable IMAGE parity doctor");
}

TEST_F(DeviceAccess, BlamesTheModeWhereNoGroupCouldHelp) {
  NEEDS_ROOT();
  for (const mode_t mode : {0600U, 0640U}) {
    become_device(kRender, mode);
    const std::string text = as_nobody(kRender, [&] { return findings(); });
    EXPECT_NE(text.find("/etc/udev/rules.d/70-amdgpu.rules"), std::string::npos) << text;
  }
}

TEST_F(DeviceAccess, DeniesItsOwnFileToAnUnprivilegedUser) {
  if (geteuid() == 0) GTEST_SKIP() << "root may open anything";
  ASSERT_EQ(chmod((root_ / "dev/kfd").c_str(), 0), 0);
  EXPECT_EQ(findings().substr(0, 3), std::to_string(EACCES) + "\n");
}

TEST_F(DeviceAccess, TellsAFolderThatMayNotBeLookedIntoFromOneThatIsEmpty) {
  NEEDS_ROOT();
  const auto checked = [&] {
    const System own = System::own();
    const System system(root_, {}, own.who(), real_node, run_child);
    const Subject subject;
    View view{system, subject};
    view.pci = {{Vendor::amd, "0000:05:00.0", "0x74a1"}};
    run::Diagnosis diagnosis;
    check_amd_devices(view, diagnosis);
    std::string text;
    for (const run::Finding& finding : diagnosis.findings) text += finding.seen + "\n";
    return text;
  };
  std::filesystem::create_directories(root_ / "sys/module/amdgpu");
  std::filesystem::create_directories(root_ / "dev/dri");
  become_device(0, 0666);
  EXPECT_EQ(as_nobody(0, checked), "there is no /dev/dri/renderD*\n");
  for (const auto& [mode, letters] : {std::pair{0700U, "drwx------"}, {0711U, "drwx--x--x"}}) {
    ASSERT_EQ(chmod((root_ / "dev/dri").c_str(), mode), 0);
    EXPECT_EQ(as_nobody(0, checked), "/dev/dri cannot be listed: Permission denied; it is " +
                                         std::string(letters) + " root:no name here (0:0)\n");
  }
}

TEST_F(DeviceAccess, ReadsNodesThatAreNotThere) {
  std::filesystem::remove(root_ / "dev/kfd");
  const Node node = real_node(root_ / "dev/kfd");
  EXPECT_FALSE(node.exists);
  EXPECT_EQ(node.open_errno, ENOENT);
}

}  // namespace
}  // namespace parity::host
