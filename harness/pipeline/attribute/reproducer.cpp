#include "pipeline/attribute/reproducer.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <system_error>
#include <utility>

#include "error/error.h"
#include "golden_store/golden_writer.h"
#include "model/model.h"
#include "tensor/digest.h"

namespace parity::pipeline {
namespace {

constexpr const char* kGolden = "golden.h5";

/// Where the reference ran, without what was true of the whole model alone.
run::Provenance reference_facts(const run::Provenance& golden, const run::Provenance& model) {
  run::Provenance facts;
  for (const auto& [key, value] : golden.facts()) {
    const bool of_the_model = key.rfind("model.", 0) == 0 || key.rfind("capture.", 0) == 0;
    if (!of_the_model && key != "switch.dtype") facts.set(key, value);
  }
  for (const auto& [key, value] : model.facts()) {
    if (key.rfind("model.", 0) == 0) facts.set(key, value);
  }
  facts.set("capture.layers", std::string(run::kOutputPath));  // the operators are no layers
  return facts;
}

/// As a POSIX shell takes it.
std::string quoted(const std::string& path) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::strchr("/._-", c) != nullptr;
  };
  if (std::all_of(path.begin(), path.end(), plain)) return path;
  std::string text = "'";
  for (const char c : path) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::vector<std::filesystem::path> absolute(const std::vector<std::filesystem::path>& paths) {
  std::vector<std::filesystem::path> result;
  for (const std::filesystem::path& path : paths) result.push_back(std::filesystem::absolute(path));
  return result;
}

/// What was typed of those flags that change numbers.
std::string switch_flags(const run::Settings& settings,
                         const std::vector<std::filesystem::path>& libraries) {
  const run::Settings untouched;
  std::string flags;
  for (const std::filesystem::path& library : absolute(libraries))
    flags += " --library " + quoted(library.string());
  if (settings.device != untouched.device) flags += " --device " + settings.device;
  if (settings.fp32_precision != untouched.fp32_precision)
    flags += " --fp32-precision " + run::to_string(settings.fp32_precision);
  if (settings.sdpa != untouched.sdpa) flags += " --sdpa " + run::to_string(settings.sdpa);
  if (settings.deterministic != untouched.deterministic) flags += " --deterministic";
  if (settings.threads != untouched.threads)
    flags += " --threads " + std::to_string(settings.threads);
  return flags;
}

std::string command_for(const std::filesystem::path& folder, const std::string& flags) {
  return "parity compare " + quoted((folder / kGolden).string()) + " --model " +
         quoted((folder / model::ReproducerFiles::kModel).string()) + flags;
}

/// Takes away what was written unless it is to be kept.
class UnfinishedFolder {
 public:
  explicit UnfinishedFolder(std::filesystem::path folder)
      : folder_(std::move(folder)), was_there_(std::filesystem::exists(folder_)) {}
  ~UnfinishedFolder() {
    if (kept_) return;
    std::error_code ignored;
    for (const char* file :
         {model::ReproducerFiles::kModel, model::ReproducerFiles::kInputs,
          model::ReproducerFiles::kReference, model::ReproducerFiles::kScript, kGolden})
      std::filesystem::remove(folder_ / file, ignored);
    if (!was_there_) std::filesystem::remove(folder_, ignored);
  }
  UnfinishedFolder(const UnfinishedFolder&) = delete;
  UnfinishedFolder& operator=(const UnfinishedFolder&) = delete;

  void keep() { kept_ = true; }

 private:
  std::filesystem::path folder_;
  bool was_there_;
  bool kept_ = false;
};

void write_golden(const std::filesystem::path& folder, const model::OperatorTrace& trace,
                  const Reproduced& reproduced, const run::Settings& settings) {
  model::Source source;
  source.model = folder / model::ReproducerFiles::kModel;
  run::Settings as_stored = settings;
  as_stored.dtype.reset();
  // Of bare weights alone; the slice is TorchScript, and small.
  as_stored.streaming.reset();
  as_stored.devices.clear();
  const std::unique_ptr<model::Model> model = model::open_model(source, as_stored);

  golden_store::GoldenWriter writer(folder / kGolden, {});
  writer.begin_case(reproduced.blame.case_name, trace.inputs());
  run::TapRecord output;
  output.id = {run::TapKind::output, std::string(run::kOutputPath), "", 0, ""};
  output.dtype = reproduced.reference.dtype();
  output.shape = reproduced.reference.shape();
  output.digest = tensor::digest_of(reproduced.reference.bytes());
  writer.add_tap(output, reproduced.reference.bytes());
  writer.end_case({}, {});
  writer.finish({model->description(),
                 reference_facts(reproduced.golden.provenance, model->provenance()),
                 {"the operators behind " + run::to_string(reproduced.blame.tap) +
                  " alone; their inputs are the ones of a run that was forced to the reference's "
                  "values"}});
}

}  // namespace

void require_empty(const std::filesystem::path& folder) {
  std::error_code failure;
  const std::filesystem::file_status status = std::filesystem::status(folder, failure);
  if (!std::filesystem::exists(status)) return;
  if (!std::filesystem::is_directory(status) || !std::filesystem::is_empty(folder, failure)) {
    throw Error(ErrorKind::usage, "--repro " + folder.string() +
                                      " exists and is not an empty folder: name a new one");
  }
}

std::string wrote_no_reproducer(const std::string& reason) {
  return "--repro wrote nothing: " + reason;
}

WrittenReproducer write_reproducer(const std::filesystem::path& folder,
                                   const model::OperatorTrace& trace, const Reproduced& reproduced,
                                   const run::Settings& settings,
                                   const std::vector<std::filesystem::path>& libraries) {
  UnfinishedFolder unfinished(folder);
  const std::string flags = switch_flags(settings, libraries);
  trace.save(folder,
             {reproduced.reference,
              run::to_string(reproduced.blame.tap) + " of case " + reproduced.blame.case_name +
                  ", as on " + std::string(reproduced.golden.provenance.get("device.name")),
              command_for("", flags), reproduced.blame.explained_nrmse,
              reproduced.blame.explained_max_error_over_rms, settings, absolute(libraries)});
  write_golden(folder, trace, reproduced, settings);
  WrittenReproducer written{command_for(folder, flags),
                            trace.difference_when_run(folder, settings.seed)};
  unfinished.keep();
  return written;
}

}  // namespace parity::pipeline
