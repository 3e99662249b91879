#include "host/system.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "host/made_root.h"

namespace parity::host {
namespace {

class SystemOf : public MadeRoot {
 protected:
  [[nodiscard]] System system(const Identity& who = {1000, 1000, {1000, 44}}) const {
    return {root_, {{"SET", "x"}, {"EMPTY", ""}}, who, real_node, run_child};
  }
};

TEST_F(SystemOf, ReadsFilesBelowItsRootAlone) {
  write("sys/module/amdgpu/version", " 6.12.12 \nmore\n");
  write("empty", "");
  EXPECT_EQ(system().line("/sys/module/amdgpu/version"), "6.12.12");
  EXPECT_EQ(system().text("/empty"), "");
  EXPECT_EQ(system().text("/etc/passwd"), std::nullopt);
  EXPECT_EQ(system().text("/sys"), std::nullopt) << "a folder has no text";
  EXPECT_TRUE(system().exists("/sys/module"));
  EXPECT_FALSE(system().exists("/proc/self"));
}

TEST_F(SystemOf, SortsNumberedNamesByNumber) {
  for (const char* name : {"renderD130", "renderD9", "card1", "renderD128"})
    write(std::string("dev/dri/") + name, "");
  EXPECT_EQ(system().names_in("/dev/dri"),
            (std::vector<std::string>{"card1", "renderD9", "renderD128", "renderD130"}));
  EXPECT_TRUE(system().names_in("/nowhere").empty());
}

TEST_F(SystemOf, TellsUnsetFromEmptyVariables) {
  EXPECT_EQ(system().variable("SET"), "x");
  EXPECT_EQ(system().variable("EMPTY"), "");
  EXPECT_EQ(system().variable("UNSET"), std::nullopt);
}

TEST_F(SystemOf, LooksNamesUpInItsOwnFiles) {
  write("etc/passwd",
        "root:x:0:0::/root:/bin/sh\nkim:x:1000:1000::/home/kim:/bin/sh\nbroken line\n");
  write("etc/group", "video:x:44:lee\nrender:x:109:lee,kim\nkim:x:1000:\nno number:x:y:kim\n\n");
  EXPECT_EQ(system().user_name(), "kim");
  EXPECT_TRUE(system().is_listed(109));
  EXPECT_TRUE(system().is_listed(1000)) << "the first group, of /etc/passwd";
  EXPECT_FALSE(system().is_listed(44));
  EXPECT_TRUE(system().who().is_in(44)) << "the process is in it all the same";
  EXPECT_EQ(system().group_named("render")->gid, 109U);
  EXPECT_TRUE(system().groups_of_id(7).empty());
  EXPECT_EQ(system({4242, 4242, {}}).user_name(), "4242");
}

}  // namespace
}  // namespace parity::host
