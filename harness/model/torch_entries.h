// What of model/ needs LibTorch, as one table. The program is not linked with it: it opens a
// library of its own, kTorchLibrary, where a model or a device is first needed, so that help,
// refusals and all that reads files alone start in milliseconds, and a LibTorch that is broken is
// told in words.
//
// The library holds no copy of the program's code. It takes what it calls (error/, run/, weights,
// plans) from the program, which exports it for that, so that every static (the last words, the
// library's trials) is there once and what it throws is the program's own Error. Statically linked
// tests have the same table without a library.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "model/device_trial.h"
#include "model/model.h"
#include "model/operator_trace.h"
#include "run/probe.h"
#include "run/settings.h"
#include "run/tap_stream.h"
#include "run/trial_lines.h"
#include "tensor/value.h"

namespace parity::model {

/// File that lies beside the program.
inline constexpr const char* kTorchLibrary = "libparity_torch.so";

/// Functions in the order of the headers that describe them.
struct TorchEntries {
  const char* version = "";  ///< of parity: the program's own, or they do not belong together

  TorchLibrary (*torch_library)() = nullptr;
  void (*count_devices)(const run::Say& say) = nullptr;
  void (*try_device)(const std::string& device, const run::Say& say) = nullptr;
  std::unique_ptr<run::ProbeDevice> (*open_probe_device)(const run::Settings& settings) = nullptr;
  std::unique_ptr<OperatorTrace> (*trace_operators)(Model& model, const tensor::Value& inputs,
                                                    const Segment& segment,
                                                    run::TapSink& sink) = nullptr;

  /// The kinds of open_model(), once the file is known to be of that kind.
  std::unique_ptr<Model> (*open_torchscript)(const Source& source,
                                             const run::Settings& settings) = nullptr;
  std::unique_ptr<Model> (*open_exported)(const Source& source,
                                          const run::Settings& settings) = nullptr;
  std::unique_ptr<Model> (*open_decoder)(const Source& source,
                                         const run::Settings& settings) = nullptr;

  /// LibTorch's library for GPUs and what it sees: model/torch/device.h.
  void (*load_device_library)(const run::Settings& settings) = nullptr;
  const std::string& (*device_library_problem)() = nullptr;
  bool (*device_library_tried)() = nullptr;
  int (*gpu_count)() = nullptr;
};

/// Loads LibTorch at the first call. Throws Error(resource) that names the file and the loader's
/// reason, which is its detail, too, where it does not load.
[[nodiscard]] const TorchEntries& torch_entries();

/// The one symbol that the program looks for in the library.
extern "C" const TorchEntries* parity_torch_entries();

}  // namespace parity::model
