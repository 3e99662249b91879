// Routes a model file to the reader that its content asks for.
#include <string>

#include "error/error.h"
#include "model/model.h"
#include "model/operator_library.h"
#include "model/torch_entries.h"
#include "model/weights/file_kind.h"

namespace parity::model {
namespace {

/// Where nobody explained it before.
void require_libraries(const Source& source, const run::Settings& settings) {
  const auto failure = load_operator_libraries(source.libraries, settings);
  if (!failure) return;
  throw Error(ErrorKind::usage, "the operator library " + failure->file.string() +
                                    " does not load: " + failure->words + ".");
}

void refuse_for_own_code(bool given, const std::string& flag, FileKind kind) {
  if (!given) return;
  const std::string what =
      kind == FileKind::torchscript ? "a TorchScript file" : "an exported program";
  throw Error(ErrorKind::usage, flag + " is for bare weights, and this model is " + what +
                                    " that holds its own code: leave the flag out.");
}

/// A golden of a TorchScript method asks for it, too, when it is replayed.
void refuse_method(const std::string& method, const std::string& file, FileKind kind) {
  if (method.empty() || method == "forward" || kind == FileKind::torchscript) return;
  const std::string what =
      kind == FileKind::exported_program ? "is an exported program" : "holds bare weights";
  throw Error(ErrorKind::usage, "the method '" + method + "' is one of a TorchScript model, and " +
                                    file + " " + what +
                                    ", which have forward alone: leave --method out, or give the "
                                    "TorchScript file.");
}

}  // namespace

std::unique_ptr<Model> open_model(const Source& source, const run::Settings& settings) {
  const FileDescription file = describe_file(source.model);
  const bool own_code =
      file.kind == FileKind::torchscript || file.kind == FileKind::exported_program;
  if (!own_code && !holds_weights(file.kind)) throw Error(ErrorKind::model, file.sentence);
  if (own_code) {
    refuse_for_own_code(!source.config.empty(), "--config", file.kind);
    refuse_for_own_code(!source.state_key.empty(), "--state-key", file.kind);
    refuse_for_own_code(settings.streaming.has_value(), "--stream-weights", file.kind);
    refuse_for_own_code(!settings.devices.empty(), "--devices", file.kind);
  }
  refuse_method(source.method, source.model.string(), file.kind);
  const TorchEntries& torch = torch_entries();
  torch.load_device_library(settings);
  require_libraries(source, settings);
  switch (file.kind) {
    case FileKind::torchscript:
      return torch.open_torchscript(source, settings);
    case FileKind::exported_program:
      return torch.open_exported(source, settings);
    default:
      return torch.open_decoder(source, settings);
  }
}

}  // namespace parity::model
