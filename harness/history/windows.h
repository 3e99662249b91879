// Which earlier nights a night is measured by, from their states and environments alone. Private to
// the folder; looks at no figure.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "history/run.h"

namespace parity::history {

/// By night: equal numbers, equal environments, which are the facts of both sides, the model, its
/// weights and inputs. A night that does not say what its names stood for is taken to be like the
/// nearest one that does.
[[nodiscard]] std::vector<std::size_t> environments_of(const std::vector<Run>& runs);

/// The judged nights before `night`, oldest first: the newest kMostNights in its environment and in
/// any.
struct Window {
  std::vector<std::size_t> same_environment;
  std::vector<std::size_t> any;
};
[[nodiscard]] Window window_of(const std::vector<Run>& runs,
                               const std::vector<std::size_t>& environments, std::size_t night);

/// The judged night before `night`.
[[nodiscard]] std::optional<std::size_t> judged_before(const std::vector<Run>& runs,
                                                       std::size_t night);

/// The nights, ascending, whose results are needed to tell what the newest `told` nights changed
/// and what the newest judged one found.
[[nodiscard]] std::vector<std::size_t> nights_needed(const std::vector<Run>& runs,
                                                     std::size_t told);

}  // namespace parity::history
