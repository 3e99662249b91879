#include "pipeline/shard/merge.h"

#include <chrono>

#include <fmt/format.h>
#include <sys/resource.h>

#include "error/error.h"
#include "golden_store/golden_reader.h"
#include "golden_store/golden_writer.h"
#include "pipeline/shard/merged_header.h"
#include "pipeline/shard/shard_set.h"

namespace parity::pipeline {
namespace {

using Clock = std::chrono::steady_clock;

/// All shards are open at once. Raises the limit that a shell has set, within what the system
/// allows.
void allow_open_files(std::size_t shards) {
  constexpr std::size_t kOthers = 16;  // the golden, standard streams, libraries
  rlimit limit{};
  const std::size_t wanted = shards + kOthers;
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
  if (limit.rlim_max >= wanted) {
    limit.rlim_cur = wanted;
    if (::setrlimit(RLIMIT_NOFILE, &limit) == 0) return;
  }
  throw Error(
      ErrorKind::resource,
      fmt::format("{} shards are open at once and this process may open {} files; raise the "
                  "limit to {} (ulimit -n)",
                  shards, limit.rlim_max, wanted));
}

std::vector<golden_store::GoldenReader> open_all(const std::vector<std::filesystem::path>& paths,
                                                 Progress& progress) {
  allow_open_files(paths.size());
  progress.begin("check the shards", paths.size());
  std::vector<golden_store::GoldenReader> shards;
  for (const std::filesystem::path& path : paths) {
    shards.emplace_back(path);
    progress.tap_done(std::filesystem::file_size(path));
  }
  progress.end();
  return shards;
}

}  // namespace

MergeSummary merge(const MergeRequest& request, Progress& progress) {
  PARITY_CHECK(!request.shards.empty());
  const Clock::time_point start = Clock::now();
  // Before the shards are read, so that a place that cannot be written is refused at once.
  golden_store::GoldenWriter writer(request.out, {});
  const std::vector<golden_store::GoldenReader> shards = open_all(request.shards, progress);
  const ShardSet set = complete_set(shards);
  const run::RecordingHeader header = merged_header(shards, set);
  MergeSummary summary;
  summary.shards = shards.size();
  summary.notes = header.notes;
  progress.begin("join the cases", set.cases.size());
  for (const ShardCase& one : set.cases) {
    const golden_store::GoldenReader& shard = shards[one.file];
    if (request.form == MergeForm::copied) {
      writer.copy_case(shard, one.case_index);
    } else {
      writer.link_case(shard, one.case_index);
    }
    ++summary.cases;
    summary.taps += shard.cases()[one.case_index].taps.size();
    progress.tap_done(0);
  }
  progress.end();
  writer.finish(header);
  for (const std::filesystem::path& path : request.shards)
    summary.shard_bytes += std::filesystem::file_size(path);
  summary.file_bytes = std::filesystem::file_size(request.out);
  summary.total_s = std::chrono::duration<double>(Clock::now() - start).count();
  return summary;
}

}  // namespace parity::pipeline
