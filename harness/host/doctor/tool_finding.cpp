#include "host/doctor/tool_finding.h"

#include <algorithm>

#include "host/doctor/tool_text.h"

namespace parity::host {
namespace {

std::string name_of(const ToolCall& call) { return call.command.substr(0, call.command.find(' ')); }

bool is_blank(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char letter) {
    return std::string_view(" \t\r\n").find(letter) != std::string_view::npos;
  });
}

}  // namespace

std::optional<run::Finding> unstartable(const ToolCall& call, const ChildEnd& end) {
  if (end.ending != Ending::not_started) return std::nullopt;
  const std::string name = name_of(call);
  return run::Finding{call.check,
                      run::Level::warning,
                      name + " " + ending_text(end),
                      "The file is there and is no program that runs here: it is damaged, made for "
                      "another processor, or its interpreter is missing.",
                      {{"see what it is", "file -L \"$(command -v " + name + ")\""}}};
}

run::Finding speechless(const ToolCall& call, const std::string& what, const ChildEnd& end) {
  const bool silent = is_blank(end.out) && is_blank(end.err);
  return {call.check,
          run::Level::warning,
          name_of(call) + " ends well and does not tell " + what +
              (silent ? ": it prints nothing" : ""),
          "Either another program stands in its place, or the tool is damaged; what it would tell "
          "stays unknown.",
          {{"see all that it says", call.command}}};
}

}  // namespace parity::host
