// `parity inspect`
#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/file_kinds.h"
#include "cli/flag_texts.h"
#include "cli/output_paths.h"
#include "cli/results.h"
#include "pipeline/compare/inspect.h"
#include "report/data/inspection.h"

namespace parity::cli {
namespace {

struct InspectFlags {
  std::string golden;
  std::string layer;
  std::string json;
};

int run_inspect(const InspectFlags& flags, const CommonFlags& common) {
  if (!flags.layer.empty()) check_globs("--layer", {flags.layer});
  check_outputs({{"--json", flags.json}}, {{"the golden", flags.golden}});
  check_replaces({"--json", flags.json}, kInspectionFile);
  const report::Inspection inspection = pipeline::inspect(flags.golden, flags.layer);
  write_results({{flags.json, [&] { return report::to_json(inspection); }}}, common,
                [&] { return report::to_text(inspection); });
  return 0;
}

}  // namespace

Action add_inspect_command(CLI::App& command) {
  const auto flags = std::make_shared<InspectFlags>();
  command.add_option("golden", flags->golden, "Golden to show")->required();
  command.add_option("--layer", flags->layer,
                     "Only taps whose layer path or name matches a glob, with their values");
  command.add_option("--json", flags->json, "Write the same as JSON; - for standard output");
  command.footer("Example: parity inspect golden.h5 --layer 'model.layers.0.**'");
  return [flags](const CommonFlags& common) { return run_inspect(*flags, common); };
}

}  // namespace parity::cli
