#include "run/gfx_target.h"

#include <algorithm>
#include <array>
#include <sstream>

namespace parity::run {
namespace {

struct Generic {
  std::string_view name;
  std::string_view members;  ///< each with a space behind it
};

constexpr std::array<Generic, 6> kGeneric = {{
    {"gfx9-generic", "gfx900 gfx902 gfx904 gfx906 gfx909 gfx90c "},
    {"gfx9-4-generic", "gfx940 gfx941 gfx942 gfx950 "},
    {"gfx10-1-generic", "gfx1010 gfx1011 gfx1012 gfx1013 "},
    {"gfx10-3-generic", "gfx1030 gfx1031 gfx1032 gfx1033 gfx1034 gfx1035 gfx1036 "},
    {"gfx11-generic", "gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151 gfx1152 gfx1153 "},
    {"gfx12-generic", "gfx1200 gfx1201 "},
}};

}  // namespace

std::string gfx_name(std::uint64_t gfx_target_version) {
  if (gfx_target_version == 0) return {};
  // major * 10000 + minor * 100 + stepping; the name writes the stepping in hex.
  std::ostringstream name;
  name << "gfx" << gfx_target_version / 10000 << gfx_target_version / 100 % 100 << std::hex
       << gfx_target_version % 100;
  return name.str();
}

std::string gfx_of_override(std::string_view value) {
  std::array<std::uint64_t, 3> numbers{};
  std::size_t part = 0;
  bool digits = false;
  for (const char c : value) {
    if (c == '.' && digits && part < 2) {
      ++part;
      digits = false;
    } else if (c >= '0' && c <= '9' && numbers.at(part) < 100) {
      numbers.at(part) = numbers.at(part) * 10 + static_cast<std::uint64_t>(c - '0');
      digits = true;
    } else {
      return {};
    }
  }
  if (part != 2 || !digits || numbers[0] == 0) return {};
  return gfx_name(numbers[0] * 10000 + numbers[1] * 100 + numbers[2]);
}

// NOLINTNEXTLINE(bugprone-easily-swappable-parameters): code first, as everywhere here
bool runs_on(std::string_view target, std::string_view gfx) {
  target = target.substr(0, target.find(':'));
  if (target == gfx) return true;
  return std::any_of(kGeneric.begin(), kGeneric.end(), [&](const Generic& generic) {
    return generic.name == target &&
           generic.members.find(std::string(gfx) + ' ') != std::string_view::npos;
  });
}

}  // namespace parity::run
