#include "host/launcher.h"

#include <array>
#include <charconv>
#include <string_view>

#include "error/error.h"

namespace parity::host {
namespace {

struct Launcher {
  std::string_view name;
  std::string_view rank;
  std::string_view size;   ///< empty where it does not count
  std::string_view local;  ///< empty where it does not say
};

constexpr std::string_view kSlurm = "Slurm";
constexpr std::string_view kSlurmRank = "SLURM_PROCID";

/// Outer ones first: one further down is started by those above it, where both are at work. PMIx
/// has no variable for how many there are.
constexpr std::array<Launcher, 7> kLaunchers = {{
    {"Kubernetes", "JOB_COMPLETION_INDEX", "", ""},
    {kSlurm, kSlurmRank, "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID"},
    {"PMIx", "PMIX_RANK", "", ""},
    {"PMI", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
    {"MVAPICH2", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_RANK"},
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK"},
}};

constexpr std::string_view kSlurmStep = "SLURM_STEP_ID";
constexpr std::string_view kSlurmTasks = "SLURM_NTASKS";

std::optional<std::string> variable(const Environment& environment, std::string_view name) {
  if (name.empty()) return std::nullopt;
  const auto found = environment.find(std::string(name));
  if (found == environment.end() || found->second.empty()) return std::nullopt;
  return found->second;
}

std::optional<std::size_t> number(const std::string& text) {
  std::size_t value = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc{} || result.ptr != end) return std::nullopt;
  return value;
}

std::optional<std::size_t> number_of(const Environment& environment, std::string_view name) {
  const std::optional<std::string> text = variable(environment, name);
  if (!text) return std::nullopt;
  const std::optional<std::size_t> value = number(*text);
  if (!value || *value > run::kMostShards) {
    throw Error(ErrorKind::usage,
                "the variable " + std::string(name) + " is '" + *text +
                    "', which is no number of a process; unset it, or give --shard I/N");
  }
  return value;
}

/// A batch script, too, has SLURM_PROCID=0 and SLURM_NTASKS=N, and runs once. Steps that are not
/// srun's have numbers from here on.
bool is_in_srun(const Environment& environment) {
  constexpr std::size_t kFirstSpecialStep = 0xfffffff0U;
  const std::optional<std::string> text = variable(environment, kSlurmStep);
  if (!text) return false;
  const std::optional<std::size_t> step = number(*text);
  return step && *step < kFirstSpecialStep;
}

/// What one launcher says.
struct Claim {
  const Launcher* launcher;
  std::size_t rank;
  std::optional<std::size_t> size;
  std::string_view size_variable;  ///< that said it, or would have
};

std::optional<Claim> claim_of(const Launcher& launcher, const Environment& environment) {
  const bool is_slurm = launcher.name == kSlurm;
  if (is_slurm && !is_in_srun(environment)) return std::nullopt;
  const std::optional<std::size_t> rank = number_of(environment, launcher.rank);
  if (!rank) return std::nullopt;
  const bool by_tasks = is_slurm && !variable(environment, launcher.size) &&
                        variable(environment, kSlurmTasks).has_value();
  const std::string_view size_variable = by_tasks ? kSlurmTasks : launcher.size;
  const std::optional<std::size_t> size = number_of(environment, size_variable);
  if (size && *rank >= *size) {
    throw Error(ErrorKind::usage, std::string(launcher.rank) + " is " + std::to_string(*rank) +
                                      " of " + std::to_string(*size) + " (" +
                                      std::string(size_variable) +
                                      "), and processes count from 0; unset them, or give "
                                      "--shard I/N");
  }
  return Claim{&launcher, *rank, size, size_variable};
}

std::string said_by(const Claim& claim) {
  const Launcher& launcher = *claim.launcher;
  std::string text = std::string(launcher.name) + " says process " + std::to_string(claim.rank);
  if (claim.size) text += " of " + std::to_string(*claim.size);
  text += " (" + std::string(launcher.rank);
  return text + (claim.size ? ", " + std::string(claim.size_variable) : "") + ")";
}

[[noreturn]] void refuse_none(const Environment& environment) {
  for (const std::string_view name : {std::string_view("SLURM_JOB_ID"), kSlurmRank}) {
    if (!variable(environment, name) || is_in_srun(environment)) continue;
    throw Error(ErrorKind::usage,
                "--shard auto finds " + std::string(name) + " set, but " + std::string(kSlurmStep) +
                    " is no step of srun's, so that srun did not start this process: write srun "
                    "parity record ..., or give --shard I/N");
  }
  std::string names;
  for (const Launcher& launcher : kLaunchers) {
    names += (names.empty() ? "" : ", ") + std::string(launcher.rank);
    if (!launcher.size.empty()) names += "/" + std::string(launcher.size);
  }
  throw Error(ErrorKind::usage,
              "--shard auto finds no launcher's variables (" + names +
                  "): start parity with srun, mpirun, torchrun or an indexed Job, or give "
                  "--shard I/N");
}

/// The innermost claim that is complete, with its size.
Claim deciding_claim(const std::vector<Claim>& claims, std::optional<std::size_t> count) {
  if (count) {
    Claim claim = claims.back();
    if (claim.size && claim.size != count) {
      throw Error(ErrorKind::usage, "--shard auto/" + std::to_string(*count) +
                                        " expects another number of processes: " + said_by(claim));
    }
    if (claim.rank >= *count) {
      throw Error(ErrorKind::usage, "--shard auto/" + std::to_string(*count) +
                                        " has no such process: " + said_by(claim) +
                                        ", and they count from 0");
    }
    claim.size = count;
    return claim;
  }
  for (auto claim = claims.rbegin(); claim != claims.rend(); ++claim) {
    if (claim->size) return *claim;
  }
  const Launcher& launcher = *claims.back().launcher;
  const std::string missing =
      launcher.size.empty() ? " and not of how many"
                            : " and " + std::string(launcher.size) + ", of how many, is not set";
  throw Error(ErrorKind::usage,
              said_by(claims.back()) + missing + ": give --shard auto/N with their number");
}

/// Whether `claim` can be true beside the deciding one. An outer launcher that started fewer
/// processes started another launcher in each.
bool agrees(const Claim& claim, const Claim& decides) {
  if (claim.rank == decides.rank && (!claim.size || claim.size == decides.size)) return true;
  if (claim.launcher > decides.launcher) return false;
  return claim.size ? *claim.size < *decides.size : claim.rank < *decides.size;
}

}  // namespace

run::Shard launched_shard(const Environment& environment, std::optional<std::size_t> count) {
  std::vector<Claim> claims;
  for (const Launcher& launcher : kLaunchers) {
    if (const std::optional<Claim> claim = claim_of(launcher, environment))
      claims.push_back(*claim);
  }
  if (claims.empty()) refuse_none(environment);
  const Claim decides = deciding_claim(claims, count);
  for (const Claim& claim : claims) {
    if (agrees(claim, decides)) continue;
    throw Error(ErrorKind::usage,
                "the launchers' variables contradict each other: " + said_by(claim) + ", " +
                    said_by(decides) +
                    "; unset those of the one that did not start this process, or give "
                    "--shard I/N");
  }
  return {decides.rank, *decides.size};
}

std::vector<std::string> launcher_variables() {
  std::vector<std::string> names;
  for (const Launcher& launcher : kLaunchers) {
    for (const std::string_view name : {launcher.rank, launcher.size, launcher.local}) {
      if (!name.empty()) names.emplace_back(name);
    }
    if (launcher.name == kSlurm)
      names.insert(names.end(), {std::string(kSlurmTasks), std::string(kSlurmStep)});
  }
  return names;
}

std::optional<std::size_t> local_rank(const Environment& environment) {
  std::optional<std::size_t> rank;
  for (const Launcher& launcher : kLaunchers) {
    if (launcher.name == kSlurm && !is_in_srun(environment)) continue;
    if (const std::optional<std::size_t> own = number_of(environment, launcher.local)) rank = own;
  }
  return rank;
}

}  // namespace parity::host
