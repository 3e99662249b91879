// Routes a model file to the reader that its content asks for.
#include <string>

#include <dlfcn.h>

#include "error/error.h"
#include "model/decoder/decoder_model.h"
#include "model/model.h"
#include "model/torch/device.h"
#include "model/torchscript/torchscript_model.h"
#include "model/weights/file_kind.h"

namespace parity::model {
namespace {

void load_libraries(const std::vector<std::filesystem::path>& libraries) {
  for (const std::filesystem::path& library : libraries) {
    // Global: an operator library may need the symbols of one loaded before it.
    const std::filesystem::path file = std::filesystem::absolute(library);
    if (dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr) continue;
    const char* reason = dlerror();
    throw Error(ErrorKind::usage, "the operator library " + library.string() + " does not load: " +
                                      (reason == nullptr ? "no reason given" : reason) + ".");
  }
}

void refuse_for_torchscript(bool given, const std::string& flag) {
  if (!given) return;
  throw Error(ErrorKind::usage,
              flag +
                  " is for bare weights, and this model is a TorchScript file that holds its own "
                  "code: leave the flag out.");
}

/// A golden of a TorchScript method asks for it, too, when it is replayed.
void refuse_method_of_weights(const std::string& method, const std::string& file) {
  if (method.empty() || method == "forward") return;
  throw Error(ErrorKind::usage,
              "the method '" + method + "' is one of a TorchScript model, and " + file +
                  " holds bare weights, which have forward alone: leave --method out, or give the "
                  "TorchScript file.");
}

}  // namespace

std::unique_ptr<Model> open_model(const Source& source, const run::Settings& settings) {
  const FileDescription file = describe_file(source.model);
  if (file.kind != FileKind::torchscript && !holds_weights(file.kind)) {
    throw Error(ErrorKind::model, file.sentence);
  }
  if (file.kind == FileKind::torchscript) {
    refuse_for_torchscript(!source.config.empty(), "--config");
    refuse_for_torchscript(!source.state_key.empty(), "--state-key");
  }
  if (holds_weights(file.kind)) refuse_method_of_weights(source.method, source.model.string());
  load_device_library(settings);
  load_libraries(source.libraries);
  return file.kind == FileKind::torchscript ? open_torchscript(source, settings)
                                            : open_decoder(source, settings);
}

}  // namespace parity::model
