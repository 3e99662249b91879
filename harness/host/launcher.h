// What a launcher (Slurm, Open MPI, torchrun, ...) says about the process it started: which one it
// is, of how many, and which of those on this machine. Reads variables alone; talks to nobody.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "run/shard.h"

namespace parity::host {

using Environment = std::map<std::string, std::string>;

/// The part of the work that this process has: its number among all that were started alike.
/// `count`: how many a person says there are; a launcher that counts has to agree, and one that
/// does not (Kubernetes) needs it. Where launchers are nested (torchrun inside srun) the innermost
/// decides: outer ones may have started fewer processes, and otherwise have to say the same.
/// Throws Error(usage) where no launcher started this process, where they contradict each other or
/// where a variable is no such number.
[[nodiscard]] run::Shard launched_shard(const Environment& environment,
                                        std::optional<std::size_t> count);

/// Every variable that is read, a launcher's after the other's.
[[nodiscard]] std::vector<std::string> launcher_variables();

/// Number of this process among those of its machine; nullopt where no launcher says it. Throws
/// Error(usage) for a variable that is no number.
[[nodiscard]] std::optional<std::size_t> local_rank(const Environment& environment);

}  // namespace parity::host
