#include "pipeline/record/load_model.h"

#include "error/error.h"
#include "host/operator_library/explain.h"
#include "host/operator_library/file_shape.h"
#include "model/device_trial.h"
#include "model/operator_library.h"
#include "run/timeline.h"

namespace parity::pipeline {
namespace {

host::FailedLibrary::How how_of(model::LibraryFailure::How how) {
  using From = model::LibraryFailure::How;
  using To = host::FailedLibrary::How;
  switch (how) {
    case From::refused:
      return To::refused;
    case From::threw:
      return To::threw;
    case From::died:
      return To::died;
    case From::ended:
      return To::ended;
    case From::hung:
      break;
  }
  return To::hung;
}

/// A file that ends early is mapped all the same, and what reads it dies.
void refuse_cut_off_torch(const std::filesystem::path& folder) {
  const std::string problem = host::torch_problem(folder);
  if (!problem.empty()) throw Error(ErrorKind::device, problem + ", or run with --device cpu");
}

}  // namespace

std::unique_ptr<model::Model> load_model(const model::Source& source,
                                         const run::Settings& settings) {
  const run::WorkSpan span("load the model");
  if (settings.device != "cpu") refuse_cut_off_torch(model::torch_library().folder);
  if (const auto failure = model::load_operator_libraries(source.libraries, settings)) {
    const host::System system = host::System::own();
    const model::TorchLibrary torch = model::torch_library();
    throw host::explained(
        {failure->file, how_of(failure->how), failure->words},
        {system, torch.folder, host::torch_build(system, torch.folder), torch.headers,
         model::gpu_library_problem().empty() ? failure->gpu_library_problem
                                              : model::gpu_library_problem(),
         model::is_symbol_loaded, model::is_library_loaded});
  }
  return model::open_model(source, settings);
}

}  // namespace parity::pipeline
