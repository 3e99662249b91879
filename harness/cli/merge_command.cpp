// `parity merge`
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/output_paths.h"
#include "cli/terminal.h"
#include "error/error.h"
#include "pipeline/shard/merge.h"

namespace parity::cli {
namespace {

struct MergeFlags {
  std::vector<std::string> shards;
  std::string out;
  bool copy = false;
  bool link = false;
};

std::string summary_text(const MergeFlags& flags, const pipeline::MergeSummary& summary) {
  const double megabytes = static_cast<double>(summary.shard_bytes) / 1e6;
  return fmt::format(
      "{}: {} taps of {} case{} from {} shard{}, {:.1f} MB {}, {:.1f} MB written, {:.2f} s\n",
      flags.out, summary.taps, summary.cases, summary.cases == 1 ? "" : "s", summary.shards,
      summary.shards == 1 ? "" : "s", megabytes, flags.link ? "linked" : "copied",
      static_cast<double>(summary.file_bytes) / 1e6, summary.total_s);
}

int run_merge(const MergeFlags& flags, const CommonFlags& common) {
  if (flags.copy && flags.link) {
    throw Error(ErrorKind::usage,
                "--copy makes one file and --link a small one of links; give one of them");
  }
  pipeline::MergeRequest request;
  std::vector<FlaggedPath> inputs;
  for (const std::string& shard : flags.shards) {
    inputs.push_back({"a shard", shard});
    request.shards.emplace_back(shard);
  }
  check_outputs({{"--out", flags.out}}, inputs);
  request.form = flags.link ? pipeline::MergeForm::linked : pipeline::MergeForm::copied;
  request.out = flags.out;
  const pipeline::MergeSummary summary = pipeline::merge(request, *common.progress());
  if (common.quiet) return 0;
  for (const std::string& note : summary.notes) warn("note: " + note);
  print(summary_text(flags, summary));
  return 0;
}

}  // namespace

Action add_merge_command(CLI::App& command) {
  const auto flags = std::make_shared<MergeFlags>();
  command
      .add_option("shards", flags->shards,
                  "All files that `parity record --shard` wrote in one run, in any order")
      ->required();
  command
      .add_option("--out", flags->out,
                  "Golden to write; replaced only when all shards are there and whole")
      ->required();
  command.add_flag("--copy", flags->copy, "One file that needs no other (the default)");
  command.add_flag("--link", flags->link,
                   "A small file of links to the shards, which have to stay beside it, unchanged");
  command.footer(
      "Examples:\n"
      "  srun -n 4 parity record --model model.pt --inputs a.pt b.pt c.pt d.pt --shard auto --out "
      "golden.h5\n"
      "  parity merge golden.shard-*-of-4.h5 --out golden.h5\n"
      "  parity merge golden.shard-*-of-4.h5 --link --out golden.h5");
  return [flags](const CommonFlags& common) { return run_merge(*flags, common); };
}

}  // namespace parity::cli
