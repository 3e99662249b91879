// Tools that are no help: one that is there and does not start, and one that says it went well and
// tells nothing. Knows no tool.
#pragma once

#include <optional>
#include <string>

#include "host/child.h"
#include "run/finding.h"

namespace parity::host {

/// Which check asks, and how it called the tool: "nvidia-smi -q".
struct ToolCall {
  std::string check;
  std::string command;
};

/// A warning where the tool is there and cannot be started: damaged, or for another processor.
[[nodiscard]] std::optional<run::Finding> unstartable(const ToolCall& call, const ChildEnd& end);

/// A warning about a tool that ended well and did not say `what`: "the driver's version".
[[nodiscard]] run::Finding speechless(const ToolCall& call, const std::string& what,
                                      const ChildEnd& end);

}  // namespace parity::host
