// Runs the devices: every one in a process of its own, so that one that is killed, aborts or hangs
// becomes a finding.
#include <csignal>
#include <cstdlib>
#include <map>
#include <sstream>

#include "host/doctor/checks.h"
#include "host/doctor/load_failure.h"
#include "host/doctor/probing.h"
#include "host/doctor/tool_text.h"
#include "host/gfx_override.h"
#include "run/trial_lines.h"

namespace parity::host {
namespace {

constexpr const char* kCheck = "devices.run";

/// Copies with pinned memory that are not at least this much faster come from memory that is not
/// really pinned. Pageable copies go through a pinned staging buffer, which costs one more pass.
constexpr double kLeastPinnedGain = 1.2;
/// Perfect overlap of two halves that take as long gives 0.5, none gives 1.
/// Measured on an H200: 0.51 to 0.54, and 0.84 when CUDA_LAUNCH_BLOCKING makes every call wait.
constexpr double kMostOverlapped = 0.8;

/// What a trial said before it ended.
struct Trial {
  std::string last_step = "starting";
  std::map<std::string, std::string> facts;
  std::vector<std::string> wrong;
  std::string failed;
  bool done = false;
};

bool take(const std::string& line, std::string_view word, std::string& rest) {
  if (line.rfind(word, 0) != 0) return false;
  rest = line.substr(word.size());
  return true;
}

Trial heard(const std::string& out) {
  Trial trial;
  for (const std::string& line : lines_of(out)) {
    std::string rest;
    if (take(line, run::kStep, rest)) {
      trial.last_step = rest;
    } else if (take(line, run::kFact, rest)) {
      const std::size_t space = rest.find(' ');
      if (space != std::string::npos) trial.facts[rest.substr(0, space)] = rest.substr(space + 1);
    } else if (take(line, run::kWrong, rest)) {
      trial.wrong.push_back(rest);
    } else if (take(line, run::kFailed, rest)) {
      trial.failed = rest;
    } else if (line == run::kDone) {
      trial.done = true;
    }
  }
  return trial;
}

std::string fact(const Trial& trial, std::string_view key) {
  const auto found = trial.facts.find(std::string(key));
  return found == trial.facts.end() ? "" : found->second;
}

/// The line of standard error that names a cause: runtimes print one before they abort.
std::string last_words(const std::string& err) {
  std::string last;
  for (const std::string& line : lines_of(err)) {
    if (line.empty()) continue;
    for (const char* word : {"error", "Error", "fault", "Cannot", "what():", "terminate", "HSA_"}) {
      if (line.find(word) != std::string::npos) return line;
    }
    last = line;
  }
  return last;
}

run::Remedy driver_log(const View& view) {
  return on_host(view, "see what the driver says",
                 view.has(Vendor::amd) ? "sudo dmesg | grep -iE 'amdgpu|kfd' | tail"
                                       : "sudo dmesg | grep -iE 'nvrm|xid' | tail");
}

void explain_illegal(const View& view, bool gpu, run::Finding& finding) {
  finding.why =
      gpu ? "The process ran an instruction that does not exist here: most often code for "
            "another GPU or processor than this one."
          : "The process ran an instruction that this processor lacks: the library is "
            "built for a newer one.";
  for (const GfxOverride& claim : gpu ? gfx_overrides(view.system) : std::vector<GfxOverride>{}) {
    finding.fix.push_back(
        {claim.name + " makes a GPU run another one's code: take it away", "unset " + claim.name});
  }
  finding.fix.push_back({"see whether the processor's vector units are at fault",
                         "ATEN_CPU_CAPABILITY=default ONEDNN_MAX_CPU_ISA=SSE41 parity doctor"});
}

void explain_abort(const View& view, const std::string& words, run::Finding& finding) {
  if (words.find("TensileLibrary") != std::string::npos) {
    finding.why = "rocBLAS has no kernels for this GPU and gives up.";
    finding.fix = {{"see which GPUs LibTorch and rocBLAS have code for (check libtorch.targets)",
                    "parity doctor --device cpu"}};
  } else if (words.find("Memory access fault") != std::string::npos) {
    finding.why =
        "A kernel touched memory that it has no page for: code for another GPU, or a "
        "driver that does not fit user space.";
    finding.fix = {driver_log(view)};
  } else {
    finding.why = "The library gave up by itself, most often because the runtime below it failed.";
    finding.fix = {driver_log(view)};
  }
}

void explain_segv(const View& view, bool gpu, run::Finding& finding) {
  finding.why = gpu ? "User space and kernel driver that do not fit each other end this way, as do "
                      "two copies of one runtime library in a process."
                    : "Libraries of two builds that do not fit each other end this way.";
  finding.fix = {{"see which copies the loader takes",
                  "LD_DEBUG=libs parity doctor 2>&1 | grep 'calling init' | sort -u"}};
  if (gpu) finding.fix.push_back(driver_log(view));
}

void explain_hang(const View& view, const ChildEnd& end, bool gpu, run::Finding& finding) {
  if (end.ending == Ending::unkillable) {
    finding.why =
        "The process is stuck inside the kernel and cannot even be killed: the driver "
        "waits for a GPU that does not answer.";
    finding.fix = {driver_log(view), on_host(view, "only a reboot takes it away", "sudo reboot")};
    return;
  }
  finding.why = gpu ? "The GPU does not answer: a hung GPU, another job that holds it, or kernels "
                      "that are being compiled for the first time."
                    : "The machine is overloaded, or threads wait for each other.";
  if (gpu) finding.fix.push_back(driver_log(view));
  finding.fix.push_back({"give it more time", "parity doctor --time-limit 300"});
}

run::Finding death(const View& view, const std::string& what, bool gpu, const Trial& trial,
                   const ChildEnd& end) {
  const std::string words = last_words(end.err);
  run::Finding finding{kCheck, run::Level::problem, "", "", {}};
  finding.seen = what + ": " + ending_text(end) + " during: " + trial.last_step;
  if (end.ending == Ending::exited && !trial.failed.empty())
    finding.seen = what + ": " + trial.failed + " (during: " + trial.last_step + ")";
  else if (end.ending == Ending::signalled && !words.empty())
    finding.seen += "; it said: " + words;
  if (end.ending == Ending::timed_out || end.ending == Ending::unkillable) {
    explain_hang(view, end, gpu, finding);
  } else if (end.ending == Ending::signalled && end.code == SIGILL) {
    explain_illegal(view, gpu, finding);
  } else if (end.ending == Ending::signalled && end.code == SIGABRT) {
    explain_abort(view, words, finding);
  } else if (end.ending == Ending::signalled && end.code == SIGKILL) {
    finding.why = "Somebody else killed it: most often the kernel, for want of host memory.";
    finding.fix = {on_host(view, "see whether it was", "sudo dmesg | grep -i 'out of memory'")};
  } else if (end.ending == Ending::signalled) {
    explain_segv(view, gpu, finding);
  } else {
    finding.why = "A run of a model would fail in the same way.";
    if (gpu) finding.fix = {driver_log(view)};
  }
  return finding;
}

void judge_copies(const View& view, const std::string& device, const Trial& trial,
                  run::Diagnosis& diagnosis) {
  const double pinned = std::atof(fact(trial, run::kPinnedRate).c_str());
  const double pageable = std::atof(fact(trial, run::kPageableRate).c_str());
  const double overlap = std::atof(fact(trial, run::kOverlap).c_str());
  if (!(pinned > 0) || !(pageable > 0)) return;
  std::ostringstream text;
  text.precision(3);
  text << device << ": pinned copies " << pinned << " GB/s, " << pinned / pageable
       << " times pageable ones; work and copy together take " << overlap
       << " of one behind the other";
  run::Finding finding{kCheck, run::Level::ok, text.str(), "", {}};
  if (!(pinned / pageable >= kLeastPinnedGain)) {
    finding.level = run::Level::warning;
    finding.why =
        "Pinned memory is no faster, so it is not really pinned, and copies that should "
        "run beside the model wait for it.";
    finding.fix = {{"allow locked memory to this user", "ulimit -l unlimited"}};
    if (view.container != Container::none)
      finding.fix.push_back(
          {"or to the container", "docker run --ulimit memlock=-1 --ipc=host ..."});
  } else if (!(overlap <= kMostOverlapped)) {
    finding.level = run::Level::warning;
    finding.why =
        "Copies do not run beside work, so recording slows the model down by all of them.";
    if (view.system.variable("CUDA_LAUNCH_BLOCKING") ||
        view.system.variable("AMD_SERIALIZE_KERNEL"))
      finding.fix = {{"these variables make every call wait",
                      "unset CUDA_LAUNCH_BLOCKING "
                      "AMD_SERIALIZE_KERNEL AMD_SERIALIZE_COPY"}};
  }
  diagnosis.findings.push_back(std::move(finding));
}

void report_switches(const std::string& device, const Trial& trial, run::Diagnosis& diagnosis) {
  std::string text;
  for (const auto& [key, title] :
       {std::pair{"switch.fp32_matmul", "float32 matmul"},
        std::pair{"switch.fp32_convolution", "convolution"},
        std::pair{"switch.bf16_reduced_precision_reduction", "reduced bfloat16 accumulation"},
        std::pair{"switch.sdpa_enabled", "attention"},
        std::pair{"switch.deterministic", "deterministic"}}) {
    const std::string value = fact(trial, key);
    if (!value.empty()) text += (text.empty() ? "" : ", ") + std::string(title) + " " + value;
  }
  if (text.empty()) return;
  diagnosis.findings.push_back({"switches", run::Level::ok, device + ": " + text, "", {}});
}

void try_one(const View& view, const std::string& device, run::Diagnosis& diagnosis) {
  const bool gpu = device != "cpu";
  std::vector<std::string> arguments = {"doctor", "--inside", device};
  if (view.subject.probing == run::Probing::on) arguments.emplace_back("--probe");
  const ChildEnd end = view.system.run(view.subject.program, arguments, view.subject.smoke_limit);
  const Trial trial = heard(end.out);
  const std::string name = fact(trial, "device.name");
  for (const auto& [key, value] : trial.facts)
    diagnosis.facts.set(std::string(device).append(".").append(key), value);
  const std::string what = device + (name.empty() ? "" : " (" + name + ")");
  for (const std::string& text : trial.wrong) {
    diagnosis.findings.push_back(
        {kCheck,
         run::Level::problem,
         std::string(what).append(": ").append(text),
         "The device computes wrong results: nothing recorded on it can be trusted.",
         {{"look for hardware errors",
           view.has(Vendor::amd) ? "amd-smi bad-pages" : "nvidia-smi -q -d ECC"}}});
  }
  if (!end.succeeded() || !trial.done) {
    diagnosis.findings.push_back(death(view, what, gpu, trial, end));
    return;
  }
  report_switches(device, trial, diagnosis);
  if (!trial.wrong.empty()) return;
  diagnosis.findings.push_back(
      {kCheck,
       run::Level::ok,
       what + ": matmul, softmax, attention" + (gpu ? " and copies" : "") + " are right",
       "",
       {}});
  judge_copies(view, device, trial, diagnosis);
  add_probe_findings(device, diagnosis);
}

/// Devices to try; reports what stands in the way of GPUs.
std::vector<std::string> devices_to_try(const View& view, run::Diagnosis& diagnosis) {
  const std::string& wanted = view.subject.device;
  if (wanted == "cpu") return {"cpu"};
  const ChildEnd end = view.system.run(view.subject.program, {"doctor", "--inside", "count"},
                                       view.subject.smoke_limit);
  const Trial trial = heard(end.out);
  const int count = std::atoi(fact(trial, run::kDeviceCount).c_str());
  if (!end.succeeded() || !trial.done) {
    diagnosis.findings.push_back(death(view, "asking LibTorch for its devices", true, trial, end));
  } else if (count == 0) {
    report_no_device(view, {fact(trial, run::kLibraryProblem), fact(trial, run::kRuntimeProblem)},
                     diagnosis);
  }
  std::vector<std::string> devices;
  if (wanted == "auto") devices.emplace_back("cpu");
  for (int i = 0; i < count; ++i) {
    const std::string device = "cuda:" + std::to_string(i);
    if (wanted == "auto" || wanted == device || wanted == "cuda") devices.push_back(device);
  }
  if (count > 0 && wanted != "auto" && devices.empty()) {
    diagnosis.findings.push_back({kCheck,
                                  run::Level::problem,
                                  wanted + " is not there: LibTorch sees " + std::to_string(count) +
                                      (count == 1 ? " GPU" : " GPUs"),
                                  "",
                                  {{"", "parity doctor --device auto"}}});
  }
  return devices;
}

}  // namespace

void check_by_running(const View& view, run::Diagnosis& diagnosis) {
  // Every trial would fail of what is told already.
  if (!view.subject.torch_problem.empty()) return;
  for (const std::string& device : devices_to_try(view, diagnosis))
    try_one(view, device, diagnosis);
}

}  // namespace parity::host
