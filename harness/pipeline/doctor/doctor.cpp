#include "pipeline/doctor/doctor.h"

#include <charconv>
#include <memory>

#include "capture/tap_filter.h"
#include "error/error.h"
#include "golden_store/hdf5_version.h"
#include "host/doctor/doctor.h"
#include "host/doctor/tool_text.h"
#include "host/elf_file.h"
#include "host/probe/probes.h"
#include "model/device_trial.h"
#include "model/probe_device.h"
#include "model/torch_entries.h"
#include "pipeline/record/load_model.h"

namespace parity::pipeline {
namespace {

std::filesystem::path own_program() {
  std::error_code problem;
  auto path = std::filesystem::read_symlink("/proc/self/exe", problem);
  if (problem) throw Error(ErrorKind::resource, "/proc is not mounted: parity cannot find itself");
  return path;
}

/// Value of the line "fact KEY VALUE"; "" when there is none.
std::string fact_in(const std::string& text, std::string_view key) {
  const std::string head = std::string(run::kFact) + std::string(key) + " ";
  std::size_t at = text.rfind(head, 0) == 0 ? 0 : text.find("\n" + head);
  if (at == std::string::npos) return "";
  at = text.find(head, at) + head.size();
  return text.substr(at, text.find('\n', at) - at);
}

std::string failure_in(const host::ChildEnd& end) {
  const std::size_t at = end.out.find(run::kFailed);
  if (end.ending == host::Ending::exited && at != std::string::npos) {
    const std::size_t start = at + run::kFailed.size();
    return end.out.substr(start, end.out.find('\n', start) - start);
  }
  return host::ending_text(end);
}

constexpr const char* kTorch = "torch";

/// Loads LibTorch in a process of its own, which one that is damaged may kill.
void find_torch(const host::System& system, host::Subject& subject) {
  const host::ChildEnd end =
      system.run(subject.program, {"doctor", "--inside", kTorch}, subject.smoke_limit);
  subject.torch_folder = fact_in(end.out, run::kTorchFolder);
  subject.torch_headers = fact_in(end.out, run::kTorchHeaders);
  if (end.succeeded() && !subject.torch_folder.empty()) return;
  subject.torch_problem = fact_in(end.out, run::kTorchProblem);
  if (subject.torch_problem.empty()) subject.torch_problem = host::ending_text(end);
  // Where the loader looks for it.
  const std::filesystem::path folder = std::filesystem::path(subject.program).parent_path();
  const auto library = host::ElfFile::open(folder / model::kTorchLibrary);
  if (library && !library->search_folders().empty())
    subject.torch_folder = library->search_folders().front();
}

void tell_torch(const run::Say& say) {
  const auto tell = [&](std::string_view key, const std::string& value) {
    say(std::string(run::kFact).append(key).append(" ").append(value));
  };
  try {
    const model::TorchLibrary torch = model::torch_library();
    tell(run::kTorchFolder, torch.folder.string());
    tell(run::kTorchHeaders, torch.headers);
  } catch (const Error& error) {
    tell(run::kTorchProblem, error.detail().empty() ? error.what() : error.detail());
  }
  say(std::string(run::kDone));
}

/// Runs the planned recording in a process of its own, and puts down how large it is or why it
/// fails.
void estimate(const host::System& system, const DoctorRequest& request, host::Subject& subject) {
  if (request.estimate_arguments.empty()) return;
  const host::ChildEnd end =
      system.run(subject.program, request.estimate_arguments, subject.smoke_limit);
  const std::string text = fact_in(end.out, run::kPlannedBytes);
  std::uint64_t bytes = 0;
  const char* const last = text.data() + text.size();
  if (end.succeeded() && !text.empty() && std::from_chars(text.data(), last, bytes).ptr == last) {
    subject.planned_bytes = bytes;
  } else if (end.ending == host::Ending::timed_out) {
    subject.planned_is_slow = true;
  } else {
    subject.planned_problem = failure_in(end);
  }
}

/// Counts what a recording would store.
class CountingSink final : public run::TapSink {
 public:
  explicit CountingSink(const TapChoice& taps) : filter_(taps.layers, taps.skip) {}
  void on_tap(const run::TapId& id, const run::DeviceTensor& value) override {
    if (filter_.keeps(id)) bytes_ += value.size_bytes();
  }
  void on_skipped(const run::TapId& /*id*/, const std::string& /*reason*/) override {}
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  capture::TapFilter filter_;
  std::uint64_t bytes_ = 0;
};

void tell_probes(const std::string& device, const run::Say& say) {
  say(std::string(run::kStep) + "numeric probes");
  run::Settings settings;
  settings.device = device;
  const run::Fingerprint fingerprint = host::fingerprint(*model::open_probe_device(settings));
  const run::Provenance facts = run::probe_facts(fingerprint);
  for (const auto& [key, value] : facts.facts())
    say(std::string(run::kFact).append(key).append(" ").append(value));
  for (const run::Probe& probe : fingerprint) {
    if (probe.detail.empty()) continue;
    say(std::string(run::kFact)
            .append(run::kProbeDetail)
            .append(probe.name)
            .append(" ")
            .append(probe.detail));
  }
}

}  // namespace

run::Diagnosis doctor(const DoctorRequest& request) {
  const host::System system = host::System::own();
  host::Subject subject;
  subject.program = own_program().string();
  subject.hdf5_version = golden_store::hdf5_version();
  subject.device = request.device;
  subject.out = request.out;
  subject.smoke_limit = request.time_limit;
  subject.probing = request.probing;
  find_torch(system, subject);
  estimate(system, request, subject);
  return host::diagnose(system, subject);
}

void doctor_inside(const std::string& what, run::Probing probing, const run::Say& say) {
  if (what == kTorch) {
    tell_torch(say);
    return;
  }
  if (what == "count") {
    model::count_devices(say);
    return;
  }
  model::try_device(what, say);
  if (probing == run::Probing::on) tell_probes(what, say);
  say(std::string(run::kDone));
}

void estimate_recording(const model::Source& source, const run::Settings& settings,
                        const std::vector<CaseInput>& cases, const TapChoice& taps,
                        const run::Say& say) {
  check_cases(cases);
  EarlyInputs inputs = load_early(cases, settings.seed, source.model);
  const std::unique_ptr<model::Model> model = load_model(source, settings);
  load_late(inputs, cases, settings.seed, *model);
  CountingSink sink(taps);
  for (const auto& input : inputs) model->run(input.value(), model::Instrumentation::taps, sink);
  say(std::string(run::kFact) + std::string(run::kPlannedBytes) + " " +
      std::to_string(sink.bytes()));
}

}  // namespace parity::pipeline
