#include "host/doctor/device_access.h"

#include <cerrno>
#include <cstring>

#include <sys/stat.h>

#include "run/shell_word.h"

namespace parity::host {
namespace {

/// Ids that a user namespace has no name for.
constexpr std::uint32_t kNobody = 65534;

std::string group_text(const System& system, std::uint32_t gid) {
  const std::vector<Group> groups = system.groups_of_id(gid);
  return groups.empty() ? "no name here" : groups.front().name;
}

std::string mode_text(std::uint32_t mode) {
  std::string text(1, S_ISCHR(mode) ? 'c' : S_ISDIR(mode) ? 'd' : '-');
  static constexpr std::string_view kLetters = "rwxrwxrwx";
  for (std::size_t i = 0; i < kLetters.size(); ++i)
    text += (mode >> (kLetters.size() - 1 - i) & 1U) != 0 ? kLetters[i] : '-';
  return text;
}

constexpr std::uint32_t kGroupReadWrite = 060;

run::Remedy log_in_again(const std::string& group) {
  return {"start a new session, so that the membership counts (log out and in; for one command:)",
          "sg " + run::shell_word(group) + " -c 'parity doctor'"};
}

void explain_group(const View& view, Vendor vendor, const Node& node, run::Finding& finding) {
  const System& system = view.system;
  const std::string id = std::to_string(node.gid);
  const std::vector<Group> groups = system.groups_of_id(node.gid);
  const std::string user = system.user_name();
  if (node.gid == kNobody) {
    finding.why =
        "The device's group is not mapped into this user namespace, as in a rootless container, so "
        "no membership in here can count.";
    finding.fix = {{"keep the host's groups in the container",
                    "podman run --group-add keep-groups " + device_flags(vendor).docker +
                        " IMAGE parity doctor"}};
    return;
  }
  if (view.container != Container::none) {
    finding.why = "Only members of group id " + id + " may open it, and this process, " +
                  described(system, system.who()) +
                  ", is none. In a container ids count, not names: a group called render in here "
                  "may have another id.";
    finding.fix = container_fix(view, vendor, node.gid);
    return;
  }
  if (system.is_listed(node.gid)) {
    const std::string group = group_text(system, node.gid);
    finding.why = user + " was added to group " + group + " (" + id +
                  "), but this session is older than that and runs without it.";
    finding.fix = {log_in_again(group)};
    return;
  }
  finding.why = "Only members of group " + group_text(system, node.gid) + " (" + id +
                ") may open it, and this process, " + described(system, system.who()) +
                ", is none.";
  if (groups.empty()) {
    finding.fix.push_back({"give the group a name first", "sudo groupadd --gid " + id + " gpu"});
  }
  const std::string group = groups.empty() ? "gpu" : groups.front().name;
  finding.fix.push_back({"join the group", "sudo usermod -aG " + run::shell_word(group) + " " +
                                               run::shell_word(user)});
  finding.fix.push_back(log_in_again(group));
}

void explain_mode(const View& view, Vendor vendor, const std::filesystem::path& path,
                  run::Finding& finding) {
  finding.why =
      "Its group may not read and write it: the rule that sets the device's owner and "
      "mode is missing, or the device was made by hand.";
  if (vendor == Vendor::nvidia) {
    finding.fix = {on_host(view, "let the driver set the usual mode",
                           "sudo chmod 666 " + run::shell_path(path.string()))};
    return;
  }
  finding.fix = {
      on_host(view, "add the rule that the driver's package brings",
              "printf 'SUBSYSTEM==\"kfd\", GROUP=\"render\", MODE=\"0660\"\\nSUBSYSTEM==\"drm\", "
              "KERNEL==\"renderD*\", GROUP=\"render\", MODE=\"0660\"\\n' | sudo tee "
              "/etc/udev/rules.d/70-amdgpu.rules"),
      on_host(view, "apply it", "sudo udevadm control --reload-rules && sudo udevadm trigger")};
}

/// Neither owner nor mode forbids it, so a policy above them does.
void explain_policy(const View& view, run::Finding& finding) {
  finding.why =
      "Owner and mode would let this process in, so a security policy (SELinux, AppArmor) "
      "forbids it.";
  if (view.container == Container::none) {
    finding.fix = {{"see what was denied", "sudo ausearch -m avc -ts recent"}};
    return;
  }
  finding.fix = {
      on_host(view, "let containers use devices", "sudo setsebool -P container_use_devices=1"),
      {"or start this container without labels",
       "podman run --security-opt label=disable IMAGE parity doctor"}};
}

void explain_driver(const View& view, Vendor vendor, int problem, run::Finding& finding) {
  finding.why = std::string("Permission is not what is missing: the driver itself refused (") +
                std::strerror(problem) + "). Its own log says why.";
  finding.fix = {on_host(view, "see what the driver says",
                         vendor == Vendor::amd ? "sudo dmesg | grep -iE 'kfd|amdgpu'"
                                               : "sudo dmesg | grep -iE 'nvrm|nvidia'")};
}

}  // namespace

DeviceFlags device_flags(Vendor vendor) {
  if (vendor == Vendor::amd)
    return {"--device /dev/kfd --device /dev/dri", "--rocm", "amd.com/gpu: 1"};
  return {"--gpus all", "--nv", "nvidia.com/gpu: 1"};
}

std::string described(const System& system, const Node& node) {
  std::string owner = std::to_string(node.uid);
  if (node.uid == 0) owner = "root";
  return mode_text(node.mode) + " " + owner + ":" + group_text(system, node.gid) + " (" +
         std::to_string(node.uid) + ":" + std::to_string(node.gid) + ")";
}

std::string described(const System& system, const Identity& who) {
  std::string text = system.user_name() + " (" + std::to_string(who.uid) + ") in group";
  std::vector<std::uint32_t> ids = {who.gid};
  for (const std::uint32_t gid : who.groups) {
    if (gid != who.gid) ids.push_back(gid);
  }
  text += ids.size() == 1 ? " " : "s ";
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::vector<Group> groups = system.groups_of_id(ids[i]);
    text += (i == 0 ? "" : ", ") + std::to_string(ids[i]);
    if (!groups.empty()) text += " " + groups.front().name;
  }
  return text;
}

std::vector<run::Remedy> container_fix(const View& view, Vendor vendor, std::uint32_t gid) {
  const DeviceFlags flags = device_flags(vendor);
  const std::string group = gid == 0 ? "$(stat -c %g /dev/kfd)" : std::to_string(gid);
  const std::string membership = vendor == Vendor::amd || gid != 0 ? " --group-add " + group : "";
  switch (view.container) {
    case Container::kubernetes:
      return {
          {"ask for a GPU in the pod's resources.limits: " + flags.kubernetes +
               (gid == 0 ? "" : ", and add " + group + " to securityContext.supplementalGroups"),
           ""}};
    case Container::apptainer:
      return {{"start the container with the vendor's devices",
               "apptainer exec " + flags.apptainer + " IMAGE parity doctor"}};
    case Container::podman:
      return {{"start the container with the devices and their group",
               "podman run " +
                   (vendor == Vendor::nvidia ? std::string("--device nvidia.com/gpu=all")
                                             : flags.docker) +
                   membership + " IMAGE parity doctor"}};
    default:
      return {{"start the container with the devices and their group",
               "docker run " + flags.docker + membership + " IMAGE parity doctor"}};
  }
}

run::Finding unseen(const View& view, Vendor vendor, const std::filesystem::path& path,
                    const Node& node, run::Level level) {
  const std::filesystem::path folder = node.exists ? path : path.parent_path();
  run::Finding finding;
  finding.check = vendor == Vendor::amd ? "devices.amd" : "devices.nvidia";
  finding.level = level;
  finding.seen = path.string() + (node.exists ? " cannot be listed: " : " cannot be looked at: ") +
                 std::strerror(node.open_errno);
  const Node holder = view.system.look_at(folder);
  if (holder.exists)
    finding.seen += (node.exists ? "; it is " : "; " + folder.string() + " is ") +
                    described(view.system, holder);
  finding.why =
      "Whether the device is there stays unknown, and a program that may not look into its folder "
      "cannot use it.";
  if (node.open_errno == EACCES) {
    finding.fix = {
        {"let everybody look into the folder, as it is by default; the devices in it "
         "keep their own owners and modes",
         "sudo chmod 755 " + run::shell_path(folder.string())}};
  } else {
    explain_driver(view, vendor, node.open_errno, finding);
  }
  return finding;
}

run::Finding denied(const View& view, Vendor vendor, const std::filesystem::path& path,
                    const Node& node, run::Level level) {
  run::Finding finding;
  finding.check = vendor == Vendor::amd ? "devices.amd" : "devices.nvidia";
  finding.level = level;
  finding.seen = path.string() + " does not open: " + std::strerror(node.open_errno) + "; it is " +
                 described(view.system, node);
  if (node.open_errno == EPERM) {
    finding.why =
        "The file is there and its mode is not what forbids it: the container was not given the "
        "device, so its device rules do.";
    finding.fix = container_fix(view, vendor, node.gid);
  } else if (node.open_errno != EACCES) {
    explain_driver(view, vendor, node.open_errno, finding);
  } else if ((node.mode & kGroupReadWrite) != kGroupReadWrite || node.gid == 0) {
    explain_mode(view, vendor, path, finding);
  } else if (view.system.who().is_in(node.gid) && node.gid != kNobody) {
    explain_policy(view, finding);
  } else {
    explain_group(view, vendor, node, finding);
  }
  return finding;
}

}  // namespace parity::host
